/* fault.h -- what went wrong in a guest, as data.
 *
 * A fault stops its launch and is left in the launch's result.  The caller decides
 * what to print: fault_report() writes the text.
 */
#ifndef MACH_FAULT_H
#define MACH_FAULT_H
#include "isa/isa.h"

/* The rows of fault.def. */
typedef enum {
#define FAULT(name, text) FAULT_##name,
#include "mach/fault.def"
    NFAULT
} FaultKind;

enum { FAULT_WAITS = 16 };

/* A work-item: its global and its local id. */
typedef struct {
    u32 item[3], local[3];
} FaultItem;

/* What went wrong, and where. */
typedef struct {
    FaultKind kind;
    u32 pc;
    u64 word;               /* the instruction, 0 when it could not be fetched */
    bool has_word;
    u32 prefix;             /* the register prefix before it, or 0 */
    u32 group[3];           /* coordinates in the grid */
    u64 group_linear;       /* among those of the launch, which may be a part of the grid */
    u32 warp;               /* in the group */
    int lane;               /* -1: the whole warp */
    u32 nitems;             /* work-items: the lane's, or those of the active lanes; 0: not known */
    FaultItem first, last;  /* of them */
    bool has_addr;
    u64 addr;               /* of the access, or the register, CSR, type concerned */
    u32 width;              /* bytes of the access */
    u32 mask;               /* active lanes */
    u32 waiting, spinning;  /* warps of the group, of DEADLOCK and ENDLESS */
    u32 nwaits;             /* warps of all groups, of STALLED: the first ones */
    struct { u64 group; u32 warp, pc; const char *why; } wait[FAULT_WAITS]; /* why: as time/cause.def */
} Fault;

const char *fault_name(FaultKind k); /* the enumerator's name without FAULT_ */
const char *fault_text(FaultKind k); /* the sentence */

/* What a report can say besides the fault itself; each pointer may be NULL. */
typedef struct {
    const char *kernel;
    IsaSet set;
    const char *(*symbol)(void *self, u64 addr, u64 *past); /* isa.h, IsaPrint */
    void (*place)(void *self, u32 pc, Buf *to); /* appends lines about the place in the source */
    void *self;
    const char *memory;     /* what lies near the address, as a phrase */
    const char *sentence;   /* instead of the fault's and its address */
    const char *more;       /* lines to follow the place, each after a newline */
} FaultContext;

/* Appends a report of several lines. */
void fault_report(Buf *b, const Fault *f, const FaultContext *c);
#endif
