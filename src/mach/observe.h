/* observe.h -- what an instruction did (Step), and observers, which are told of such things while a
 * launch runs. */
#ifndef MACH_OBSERVE_H
#define MACH_OBSERVE_H
#include "mach/warp.h"

/* What one instruction of a warp did.  A prefix and its instruction are one step. */
typedef struct {
    InsnId id;              /* NINSN: the word is no instruction */
    const IsaFacts *facts;  /* registers, memory, control flow; until code changes; NULL: not fetched */
    u32 pc;                 /* of the prefix where there is one */
    bool prefixed;
    u32 prefix;             /* word of the prefix */
    u64 word;               /* of the instruction */
    u8 len;                 /* bytes of the instruction, 4 or 8 */
    u32 exec;               /* lanes that it ran with, before v0 chose among them */
    u32 depth;              /* entries of the divergence stack before it */
    u8 raised;              /* FP_* flags that it raised, also those that were set before */
    u32 next;               /* where the warp goes on */
    /* memory touched, in order, if that is noted (group_note_accesses()); until the next step of
     * the group */
    const Touch *touched;
    size_t ntouched;
    bool barrier, ended, faulted; /* the warp waits; it ended; Group.fault has the reason */
} Step;

/* address of the instruction proper */
static inline u32 step_pc(const Step *s) { return s->pc + (s->prefixed ? 4 : 0); }
/* instructions that a step retires */
static inline u32 step_insns(const Step *s) { return s->prefixed ? 2 : 1; }

/* Bits, to be combined in Observer.events. */
typedef enum {
#define EVENT(name, each, what) EVENT_BIT_##name,
#include "mach/event.def"
    NEVENT
} EventBit;
typedef enum {
#define EVENT(name, each, what) EVENT_##name = 1 << EVENT_BIT_##name,
#include "mach/event.def"
} EventKind;

/* An event that observers are told of. */
typedef struct {
    EventKind kind;
    const Launch *launch;
    Group *group;           /* NULL: of the launch */
    Warp *warp;             /* NULL: of the group or the launch */
    const Step *step;       /* of the instruction, or NULL */
} Event;

/* What an observer answers. */
typedef enum { GO_ON, STOP_HERE } Verdict;

/* An observer.  A launch with observers runs on the calling thread, group after group, its warps in
 * turns of LaunchOptions.slice instructions; it computes the same.  All observers are told all
 * events of an instruction, in the order of their list, before a verdict takes effect.
 *
 * Between instructions an observer may read and write registers, memory and pc of the group's
 * warps, and must call warp_set_exec() after changing mask or vl; the launch goes on with what it
 * finds. */
typedef struct {
    void *self;
    u32 events;             /* EVENT_* that it is told of */
    Verdict (*tell)(void *self, const Event *e);
} Observer;

/* What an engine that counts cycles tells of an instruction: it was issued, its unit took it,
 * its result was written or is known to need no writing; and of a warp, that it waits for
 * another reason now. */
typedef enum { CYCLE_ISSUE, CYCLE_START, CYCLE_WRITE, CYCLE_WAIT } CycleKind;

typedef struct {
    CycleKind kind;
    u64 cycle;              /* since the device was opened */
    u32 sm, slot;           /* where the warp is */
    u64 group;              /* linear */
    u32 warp;               /* in the group */
    u64 number;             /* of the instruction in the launch */
    u32 pc;
    u64 word;               /* of the instruction */
    u32 exec;               /* lanes */
    u8 unit;                /* IsaUnit */
    u8 cause;               /* of CYCLE_WAIT (time/cause.def) */
} CycleEvent;

/* Who wants to know of cycles.  It may change nothing. */
typedef struct {
    void *self;
    void (*tell)(void *self, const CycleEvent *e);
} CycleObserver;

/* The name of an event, and the sentence of its row. */
const char *event_name(EventKind k);
const char *event_text(EventKind k);
#endif
