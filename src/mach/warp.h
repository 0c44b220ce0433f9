/* warp.h -- the architected state of a warp, and of its group.
 *
 * A vector register is a row of MAX_LANES words, so that a lane loop is a walk of
 * fixed length; lanes beyond the machine's exist in the row and are never active.
 * Everything a warp may read or write while it runs hangs on its Group, which one
 * host thread at a time runs.
 */
#ifndef MACH_WARP_H
#define MACH_WARP_H
#include "mach/fault.h"
#include "mach/machine.h"
#include "mach/memory.h"
#include "mach/mmu.h"
#include <stdatomic.h>

typedef struct Warp Warp;
typedef struct Group Group;

/* How a vector instruction with vm = 0 reads v0 (doc/isa.md, "Masks"). */
typedef enum { VM_OWN, VM_SPIKE, VM_RTL, VM_IGNORE } VmRule;

/* Who wants to know where the warps of a launch stand. */
typedef struct {
    _Atomic u32 asked;      /* grows with each question */
    void *self;
    /* A group that runs, between instructions of its warps; once a question, and when a limit or an
     * interruption ends it (is_last).  From several host threads at once. */
    void (*answer)(void *self, const Group *g, bool is_last);
} RollCall;

/* One kernel launch, as the hardware's dispatcher sees it; read-only while it runs. */
typedef struct {
    const char *kernel;     /* for reports, or NULL */
    IsaSet set;
    u32 pc;                 /* where every warp starts */
    u32 knl;                /* address of the metadata block (CSR_KNL) */
    u32 groups[3];
    u32 grid[3], first[3];  /* of a part of a grid: groups of the whole, ids of the first one here;
                             * grid all 0: this is the whole */
    u32 warps;              /* of a group */
    u32 lanes;              /* of a warp: 4, 8, 16 or 32 */
    u32 local[3];           /* work-items of a group; all 0: not known, every lane is on */
    u32 global[3], offset[3]; /* work-items of the launch; for the id CSRs */
    u32 vgprs;              /* rows to clear for a group, up to 256 */
    bool keeps_registers;   /* the engine clears those that somebody may read (Warp.is_fresh) */
    u32 lds;                /* bytes of a group, for strict checks */
    u32 pds;                /* base of private memory */
    u32 pds_lane;           /* bytes a lane */
    u64 print, print_end;   /* the print buffer (doc/abi.md, "Print buffer"); equal: there is none */
    u32 pds_areas;          /* groups whose private memory fits side by side; 0: no bookkeeping */
    bool pds_by_group;      /* every group has its own area; else every context */
    VmRule vm;
    bool strict;            /* misaligned accesses and LDS overruns are faults */
    bool all_lanes;         /* partial last warps run with every lane */
    bool check_copies;      /* report accesses to what cp_dma* may not have filled yet */
    bool any_barrier;       /* a barrier takes a diverged warp, as hardware does */
    u32 simt_depth;
    u64 max_insns;          /* a warp; 0: no limit */
    const Machine *machine; /* for engines that model one; NULL: the default */
    u32 resident;           /* groups that fit onto an SM at once; 0: one */
    bool watched;           /* observers may read every register: engines keep all up to date */
    Memory *memory;
    const Mmu *mmu;         /* NULL: addresses are physical */
    RollCall *roll;         /* or NULL */
} Launch;

/* Waiting: at a barrier. */
enum WarpState { WARP_READY, WARP_WAITING, WARP_DONE };

enum { WARP_VTYPE = 2 << 3 }; /* e32, m1: of a warp that begins */

/* An entry of the divergence stack (doc/isa.md, "Divergence"). */
typedef struct { u32 rpc, pc, mask; } SimtEntry;

/* A warp: registers, masks and stack are architected; the last fields belong to the engine. */
struct Warp {
    _Alignas(64) u32 v[256][MAX_LANES];
    _Alignas(64) u32 on[MAX_LANES];     /* ~0 for lanes in `exec`, else 0 */
    _Alignas(64) u32 addr[MAX_LANES];   /* addresses of a vector access, while it is made */
    u64 reserved_addr[MAX_LANES];
    u32 reserved_value[MAX_LANES];
    u32 x[64];              /* x[0] stays 0 */
    u32 mask;               /* lanes on this side of the divergence */
    u32 exec;               /* mask and lane < vl */
    u32 full;               /* every lane of the launch */
    bool dense;             /* exec == full */
    bool whole;             /* exec covers all MAX_LANES */
    u8 state;               /* WarpState */
    u8 fflags, frm, vxrm, vxsat;
    u32 vl, vtype;
    u32 pc;                 /* while it does not run */
    u32 rpc;
    u32 id, tid;            /* warp in group; its lowest local id */
    u32 initial;            /* mask at the start: work-items that exist */
    u32 mstatus, mie, mip, mscratch, mepc, mcause, mtval, print;
    SimtEntry *simt;
    u32 nsimt, capsimt;
    u32 reserved;           /* lanes that hold a reservation (lr): reserved_addr, reserved_value */
    u64 ninsns;             /* instructions retired, prefixes included */
    void *host;             /* the entry of compiled code that it began or was last in (jit/turn.c) */
    u32 reentry;            /* the block + 1 of it that it goes on with, or 0 */
    u32 handled;            /* instructions that compiled code left to handlers */
    bool is_fresh;          /* registers are to be read as 0 but were not cleared */
    Group *group;
};

/* Bytes that an asynchronous copy fills, until the warp waits for it. */
typedef struct { u64 lo, end; u32 warp; } PendingCopy;

/* Bytes side by side that an instruction touched.  A row stands for an access by each lane of
 * Step.exec, of IsaFacts.bytes at Warp.addr; all of them lie within its bytes. */
typedef struct {
    u64 addr;               /* as the program has it, before translation */
    u32 size;
    i8 lane;                /* -1: the warp; TOUCH_ROW */
    bool reads, writes;     /* both: an atomic */
} Touch;
enum { TOUCH_ROW = -2 };

/* How a group notes what its instructions touch (Group.touched): not at all; each lane's bytes; or
 * where lanes touch plain memory, as a row. */
typedef enum { NOTE_NOTHING, NOTE_EACH, NOTE_ROWS } Notes;

/* Memory in which any word may be accessed without further checks: an address a with a - lo < room,
 * at base + a. */
typedef struct {
    u32 lo, room;
    u8 *base;
} PlainRange;
enum { PLAIN_SITES = 1024, FETCH_SITES = 128, FETCH_WARPS = 8 }; /* powers of two */
/* Where in Group.plain and Group.apart the instruction at a pc has its place. */
static inline u32 plain_site(u32 pc) { return pc >> 2 & (PLAIN_SITES - 1); }
enum { RECENT_RANGES = 4 };
/* Bytes on which launch constants depend, in ranges that lie far from each other, such as metadata and arguments; those
 * without room, behind the others, are none. */
enum { GUARD_PARTS = 2 };
typedef struct {
    PlainRange part[GUARD_PARTS];
} Guard;
enum { MAX_CONSTANTS = 256 }; /* launch constants of compiled code (jit/constant.h) */

/* Words that compiled code has loaded before the lanes ask for them, because each lane goes along memory of its own
 * (jit/stream.c): of one load of the code, with others that access words near by, and of all that a thread's code
 * has. */
enum { STREAMS = 8, STREAM_WORDS = 16 };
typedef struct {
    u32 word[STREAM_WORDS][MAX_LANES]; /* word[k][i] is lane i's, at from[i] + 4 k */
    u32 from[MAX_LANES];    /* or, where nothing is loaded, where the lanes were last */
    i32 step;               /* bytes that lanes go on from one time to the next; 0: nothing is loaded */
    i32 first, next;        /* the byte that was taken when they were loaded; that is to be taken next */
    u8 wait;                /* times left in which nobody looks here */
    u8 misses;              /* one after the other */
    u8 padding[64 - 14];    /* to the end of a line of the host's cache */
} Stream;
typedef struct {
    u32 lanes[STREAMS];     /* that have words; 0: nothing is loaded */
    u32 lo[STREAMS], last[STREAMS]; /* the lowest and the highest byte of what is */
    u32 alone[STREAMS];     /* whether each of those bytes is one lane's, and no other stream's */
    u32 at[STREAMS];        /* the byte that was taken last, first of those that a load takes */
    u32 left[STREAMS];      /* how often something near that may be taken now */
    u32 padding[2 * STREAMS]; /* to the end of a line */
    Stream of[STREAMS];
} Streams;

/* What shows in the CSRs of cycles and time. */
typedef struct {
    void *self;
    u64 (*cycles)(void *self, const Warp *w);
    u64 (*time)(void *self, const Warp *w);
} Clock;

/* A group in its context, run by one host thread at a time. */
struct Group {
    const Launch *launch;
    Memory lds;             /* its window */
    DirtyList lds_dirty, pds_dirty;
    Tlb tlb;
    u32 id[3];
    u64 linear;
    u32 lds_base;           /* CSR_LDS */
    u32 pds_base;           /* CSR_PDS */
    bool owns_private;      /* its area of private memory is no other context's while the launch runs: pages that were stored
                             * to stay so, and are cleared after each group */
    u32 area;               /* the private memory of its groups, where the launch has not one for each
                             * (Launch.pds_areas): contexts in use at once need different ones */
    u32 nwarps;
    u32 reservations;       /* warps with w->reserved != 0 */
    PendingCopy *pending;   /* under check_copies */
    size_t npending, cappending;
    bool careful;           /* every access goes through access.c: for the launch's rules */
    u8 notes;               /* Notes */
    Touch *touched;          /* by the last instruction */
    size_t ntouched, captouched;
    bool faulted;
    Fault fault;
    u64 compiled;           /* instructions in compiled code, since the context was taken */
    void *start[2];         /* the entries of compiled code for warps that begin with some lanes, and with all,
                             * once they are known */
    bool has_sought;        /* somebody has looked for that code before the first warp began */
    /* Remembered by compiled code, for loads and for stores, for the instruction at a pc, at
     * plain_site(pc), while the context is held.  One that is all 0 has not been asked for. */
    PlainRange plain[2][PLAIN_SITES];
    u64 asked[2][PLAIN_SITES / 64];       /* a bit for each that is not all 0 */
    PlainRange recent[2][RECENT_RANGES];  /* what was found last, outside local memory: */
    u32 nfound[2];                        /* the newest at nfound % RECENT_RANGES */
    u8 apart[2][PLAIN_SITES]; /* times left in which the access is taken for one of lanes anywhere, without a look */
    /* Where lane 0 was when a warp whose number ends in these bits last made the access; kept from one
     * launch to the next, because it says only what to fetch. */
    u32 last[2][FETCH_SITES][FETCH_WARPS]; /* at pc / 4 % FETCH_SITES */
    Streams *streams;       /* aligned to lines of the host's cache */
    bool streaming;         /* something may be loaded there */
    /* The entries whose launch constants are kept here, while nothing else runs in the context, or NULL; the second
     * of warps with all lanes. */
    const void *constants_of[2];
    u32 constant[2][MAX_CONSTANTS];
    Guard guard;            /* stores here, and those nobody looked at, may change launch constants */
    bool stale;             /* one may have changed */
    Warp *warps;
    u32 capwarps;           /* allocated */
    const Clock *clock;     /* NULL: a cycle is an instruction that the warp retired */
    struct Engine *engine;  /* that runs it (mach/engine.h) */
    void *code;             /* its decoded code, as the engine has it */
    u32 uncounted;          /* turns of warps since the time of one was taken (jit/turn.c) */
    bool was_long;          /* the last one was: the time of the next one is taken */
    u32 answered;           /* questions of the launch's RollCall */
    Group *next;            /* in a list of contexts that nobody runs */
};

/* Whether an access has more to it than the rights of its pages. */
static inline bool launch_is_careful(const Launch *l)
{
    return l->mmu || l->strict || l->check_copies;
}
/* How the instructions of the group note the memory they touch from now on. */
void group_note_accesses(Group *g, Notes notes);

/* Answers a question of the launch's RollCall that was not answered yet. */
void group_answer(Group *g);
/* Computes exec from mask and vl, and on[], dense and whole from exec. */
void warp_set_exec(Warp *w);

/* --- groups and work-items for people (grid.c) ----------------------------- */

/* The groups of a grid along x, y, z; of its parts, all of them. */
const u32 *launch_grid(const Launch *l);
/* Sets grid and first, once groups, global and local are known, by words KNL_FIRST and KNL_ENQUEUED
 * of the metadata block; whatever they say, to nothing if that is no part of a grid. */
void launch_set_part(Launch *l, const u32 first[3], const u32 enqueued[3]);
/* The ids in the grid of a group that is number `linear` of the launch; its number in the grid. */
void launch_group_id(const Launch *l, u64 linear, u32 id[3]);
u64 launch_group_number(const Launch *l, u64 linear);
/* The work-item of a group of the launch by its local linear id, where the size of groups is known. */
FaultItem launch_item(const Launch *l, u64 group, u32 linear);
/* The same of any group of the grid, by its number there. */
void grid_group_id(const Launch *l, u64 number, u32 id[3]);
FaultItem grid_item(const Launch *l, u64 number, u32 linear);

/* --- faults ------------------------------------------------------------------ */

/* Fills in of *f where it is: pc, group, warp, lane (< 0: all of the warp), work-item, mask. */
void warp_locate(const Warp *w, u32 pc, int lane, Fault *f);
/* Records a fault of the running warp, once a group; the caller stops the warp.
 * lane < 0: all of it. */
void warp_fault(Warp *w, FaultKind kind, u32 pc, int lane);
void warp_fault_at(Warp *w, FaultKind kind, u32 pc, int lane, u64 addr, u32 width);

/* --- CSRs (csr.c) ---------------------------------------------------------- */

/* False: there is no such CSR; it reads as 0, and writes to it are ignored. */
bool csr_read(const Warp *w, u32 n, u32 *value);
bool csr_write(Warp *w, u32 n, u32 value);
/* Base of the private memory that the warp addresses: the group's, in v2025 its own. */
u32 warp_pds(const Warp *w);
/* One value a lane; false: not a vector CSR. */
bool csr_read_lanes(const Warp *w, u32 n, u32 value[MAX_LANES]);

/* --- divergence (simt.c) ---------------------------------------------------- */

/* A divergent branch: lanes `taken` (of exec) go to target, the rest of mask to next.  Returns the
 * pc to go on at; *fault: FAULT_NONE, or why the stack cannot grow. */
u32 simt_split(Warp *w, u32 taken, u32 target, u32 next, FaultKind *fault);
/* The pc after a join at pc. */
u32 simt_join(Warp *w, u32 pc);

/* --- vector length ----------------------------------------------------------- */

/* vset*: the new vl, or false when the type is not e32, m1. */
bool warp_set_vl(Warp *w, u64 avl, u32 vtype);
u32 warp_vlmax(const Warp *w);
#endif
