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
    /* memory touched, in order, as far as it is noted (group_note_accesses()); until the next step
     * of the group */
    const Touch *touched;
    size_t ntouched;
    /* of an instruction that computes, and whose result replaces a source: the register before, a row
     * or a word; NULL: not kept.  Until the next step. */
    const u32 *before;
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
    /* NULL; or most instructions that only compute do not matter to it, and this returns the table
     * of the warp's registers that it watches, whose bytes are not 0 there.  It is asked at the
     * start of each turn; the bytes may change during the turn.
     *
     * If it is the only observer, then it is told, by EVENT_insn, of instructions that name a
     * register it watches or more than WATCH_NAMES registers, access memory, or are barriers or
     * fences, and of no other event of an instruction; accesses are noted by rows.  It must not
     * compute with floats. */
    const u8 *(*watches)(void *self, const Warp *w);
} Observer;

/* Indices of the table: v0 to v255, x0 to x63 (x0 must be 0), one that must not be 0. */
enum { WATCH_X = 256, WATCH_ALWAYS = WATCH_X + 64, NWATCH };
enum { WATCH_NAMES = 4 };

/* What an engine that counts cycles tells of instructions, warps, groups and launches. */
typedef enum {
#define CYCLE(name, what) CYCLE_##name,
#include "mach/cycle.def"
    NCYCLE
} CycleKind;

typedef struct {
    CycleKind kind;
    u64 cycle;              /* goes on from launch to launch; begins anew with another machine */
    u32 sm, slot;           /* where the warp is */
    u64 group;              /* its number in the grid */
    u32 warp;               /* in the group */
    u64 number;             /* of the instruction, which has one from CYCLE_ISSUE on */
    u32 pc;                 /* of CYCLE_WAIT, CYCLE_SLOTS: the instruction that waits */
    u64 word;               /* of the instruction */
    u32 exec;               /* lanes; of CYCLE_FETCH, CYCLE_BUFFER: which words from pc on, a bit each */
    u8 unit;                /* IsaUnit; of those two: whose result is waited for, if that is it */
    u8 cause;               /* of those two (time/cause.def) */
    bool no_warp;           /* of CYCLE_SLOTS: they went by for no warp; group, warp, pc mean nothing */
    u64 count;              /* of CYCLE_SLOTS */
    bool hidden;            /* of CYCLE_DECODE: part of another instruction, so it is not issued */
    const Launch *launch;
} CycleEvent;

/* What an SM has done since the launch began. */
typedef struct {
    u64 cycle;
    u32 sm;
    u32 groups, warps;      /* resident now */
    u64 insns;              /* issued */
    u64 hits, misses, stores; /* lines that the data cache was asked for */
    u64 reads, writes;      /* lines of memory, of all SMs */
} CycleCounters;

/* Who wants to know of cycles.  It may change nothing, and not compute with floats: their flags are
 * the guest's. */
typedef struct CycleObserver {
    void *self;
    u32 kinds;              /* 1 << CYCLE_*, those that it is told of */
    void (*tell)(void *self, const CycleEvent *e);
    u32 period;             /* cycles between calls of count(), for each SM; 0: none */
    void (*count)(void *self, const CycleCounters *c);
    const struct CycleObserver *next; /* another one, or NULL */
} CycleObserver;

/* The name of an event, and the sentence of its row. */
const char *event_name(EventKind k);
const char *event_text(EventKind k);
#endif
