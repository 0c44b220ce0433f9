/* model.h -- the parts of a streaming multiprocessor and of the memory system as the cycle model
 * sees them.
 *
 * Everything here is about when; what instructions compute is the interpreter's (sim/step.h), which
 * runs an instruction in the cycle that issues it.  All state of a launch hangs on its Model.
 * Times are cycles since the model was made; a stage that has something to do later keeps the cycle
 * at which it may.  doc/timing.md says what the stages are and which of their figures were
 * measured.
 */
#ifndef TIME_MODEL_H
#define TIME_MODEL_H
#include "mach/engine.h"
#include "mach/machine.h"
#include "sim/sim.h"
#include "time/time.h"

enum {
    MAX_FETCH = 8,          /* instructions of a fetch group */
    MAX_IBUFFER = 8,
    MAX_SOURCES = 12,       /* operands that a collector fetches */
    MAX_HELD = 8,           /* results in a unit */
    MAX_PORTS = 8,          /* L1 entries: MSHRs, subentries */
    MAX_LINES = 2 * MAX_LANES + 2, /* that one instruction touches */
    MAX_QUEUE = 64,         /* requests in a queue; a power of two */
    /* answers for the LSU from which on nothing more is looked up; all, a power of two: those, and the
     * most that L1 entries and confirmed stores can add */
    MANY_ANSWERS = 64,
    MAX_ANSWERS = 256,
    MAX_SMS = 256,
    MAX_ENTRIES = 64,       /* of the LSU's table */
    /* memory instructions of an SM: in the table, on the way there, fetching operands */
    MAX_ACCESSES = MAX_ENTRIES + 2 + MAX_WARPS,
    MAX_STAGES = 8          /* cycles of a lookup in the instruction cache */
};
#define NEVER UINT64_MAX

/* --- instructions (decode.c) ------------------------------------------------------ */

typedef struct { bool vector; u8 first, count; } OpRegs;

/* An instruction as the pipeline decodes it, executed or not. */
typedef struct {
    bool decoded;           /* else nothing else counts */
    bool hidden;            /* a prefix, or the second half of a 64-bit word: never issued */
    bool prefixed;
    bool vector;            /* works on lanes */
    bool fence;
    u8 unit, control, access, len; /* IsaUnit, IsaControl, IsaAccess, bytes */
    u16 id;                 /* InsnId; NINSN: no instruction */
    u64 word;
    u8 latency;             /* cycles in a pipelined unit */
    u8 nsources, nuses, nresults;
    struct { bool vector; u8 slot, reg; } source[MAX_SOURCES];
    OpRegs use[MAXREGS];    /* registers that must not be waited for */
    OpRegs result[2];
} TimeOp;

typedef struct {
    const Code *code;
    TimeOp *page[CODE_PAGES];
    TimeOp none;                /* what stands where no code can be */
    bool lacks_memory;          /* for a page: the launch ends */
} OpCache;

/* What is at pc; never NULL. */
const TimeOp *op_at(OpCache *c, u32 pc, const Machine *p);
void ops_forget(OpCache *c);

/* --- a request for a line of memory --------------------------------------------------- */

typedef enum { REQUEST_READ, REQUEST_WRITE, REQUEST_FLUSH } RequestKind;

typedef struct {
    RequestKind kind;
    bool code;              /* of the instruction cache */
    u8 sm, entry;           /* MSHR, or write entry, of the L1 that asks */
    u32 line;               /* address / bytes of a line */
    i16 confirm;            /* Access of a store that is confirmed when it leaves the L1; -1: none */
    u64 at;                 /* the cycle in which the next stage sees it */
} Request;

typedef struct { Request item[MAX_QUEUE]; u32 first, n; } Queue;

static inline Request *queue_at(Queue *q, u32 i)
{
    return &q->item[(q->first + i) & (MAX_QUEUE - 1)];
}
static inline void queue_push(Queue *q, Request r) { *queue_at(q, q->n++) = r; }
static inline void queue_pop(Queue *q) { q->first = (q->first + 1) & (MAX_QUEUE - 1), q->n--; }

/* A set-associative array of tags with the least recently used way as victim. */
typedef struct { u32 line; bool valid, dirty; u64 used; } Way;
typedef struct { Way *way; u32 sets, ways; u64 uses; } Tags;

bool tags_open(Tags *t, u32 sets, u32 ways); /* false: no memory */
void tags_close(Tags *t);
Way *tags_find(Tags *t, u32 line);           /* NULL: not there */
void tags_touch(Tags *t, Way *w);
Way *tags_victim(Tags *t, u32 line);
void tags_clear(Tags *t);

/* --- warps ------------------------------------------------------------------------------ */

typedef struct { u32 pc; u8 mask; } FetchGroup; /* pc of its first word; instructions that count */

typedef struct Lot Lot;

/* A warp that is resident on an SM. */
typedef struct {
    Warp *warp;             /* what it computes */
    Lot *lot;               /* its group */
    u64 group;              /* number of the group, and of the warp in it */
    u32 id;
    bool active, waits;     /* waits: at a barrier */
    bool branch, collecting; /* scoreboard beside registers */
    u64 fence;              /* cycle until which a fence takes at least; 0: none since the last access */
    u8 accesses;            /* of memory that are not done */
    u32 pc;                 /* of the next fetch */
    u8 pc_mask;
    FetchGroup buffer[MAX_IBUFFER];
    u8 nbuffer;
    FetchGroup slow;        /* the group that issues; mask: what of it is left */
    const TimeOp *slot[MAX_FETCH]; /* of it, also after it has issued; NULL: nothing */
    u64 xbusy, vbusy[4];    /* registers that are written later */
    u8 xunit[64], vunit[256]; /* units that do */
    u8 hold;                /* Cause that the instruction before gives it while it is collecting */
    u8 cause;               /* Cause: why it does not issue; CAUSE_ISSUED: it could */
    u8 cause_unit;          /* of CAUSE_SCOREBOARD */
    u32 cause_pc;           /* of the instruction that waits */
    u32 issued_pc;          /* of the one before, which issued */
} Slot;

/* A group that is resident. */
struct Lot {
    Group *group;
    u64 linear;
    u32 left;               /* warps that have not ended */
    u32 waiting;            /* at the barrier */
    u64 done;               /* when its SM reports it done; NEVER: it runs */
    u64 begin;
    u32 area;               /* of private memory */
    bool used, faulted;
};

/* An instruction between issue and write-back. */
typedef struct {
    const TimeOp *op;
    u32 pc;
    u8 slot;                /* of the warp */
    bool jumps;
    u32 target;             /* where the warp goes on */
    u32 passes;             /* cycles that the special function unit takes, without its ends */
    i16 access;             /* Access of a memory instruction; -1: none */
    u64 issued, started;    /* cycles of issue and of execution */
    u64 number;             /* of the instruction, for pictures */
    u32 exec;
} Flight;

/* A memory instruction in the LSU. */
typedef struct {
    Flight flight;
    bool shared, writes;
    bool listed;            /* in the table, as entry `entry` */
    u8 entry;
    u16 nlines, sent, missing; /* lines; asked for; not answered */
    u32 line[MAX_LINES];
    u8 banks[MAX_LINES];    /* cycles of a line of shared memory */
} Access;

/* --- a streaming multiprocessor ------------------------------------------------------------ */

typedef struct { bool valid, miss; u8 slot, mask; u32 pc; } Fetch;

typedef enum { COLLECTOR_IDLE, COLLECTOR_FETCHES, COLLECTOR_READY } CollectorState;

typedef struct {
    CollectorState state;
    Flight flight;
    u32 need, got;          /* bits of op->source */
    u32 arrives;            /* those that it gets in this cycle */
} Collector;

typedef struct { bool valid; u8 collector, source; } Grant;

typedef struct { Flight flight; u64 at; } Held;
typedef struct { Held item[MAX_HELD]; u8 n, cap; } Pipe; /* results, in the order of their cycle */

/* always: the front end is told also where the warp does not jump */
typedef struct {
    bool valid, jumps, always;
    u8 slot;
    u32 target;
    u64 at;
    u64 number;             /* of the instruction */
} Redirect;

typedef struct {
    bool valid, sent;
    bool again;             /* asked for once more when it is there */
    u32 line;
    u8 nsub;
    i16 sub[MAX_PORTS];     /* accesses that wait */
} Mshr;

typedef struct { i16 access; u64 at; } Answer;
typedef struct { Answer item[MAX_ANSWERS]; u32 first, n; } Answers;

typedef struct {
    Tags tags;
    Mshr mshr[MAX_PORTS];
    Queue answers;          /* of the L2 */
    bool wrote;             /* in the cycle before: line `written` */
    u32 written;
} ICache;

typedef struct { bool valid, writes; i16 access; u32 line; } DCacheRequest;

typedef struct {
    Tags tags;
    Mshr mshr[MAX_PORTS];
    struct { bool valid; u32 line; } write[MAX_PORTS]; /* stores that memory has not confirmed */
    DCacheRequest head;     /* waits for its lookup */
    DCacheRequest stage;    /* was looked up in the cycle before, or waits on */
    bool filling, filled;   /* a line is written in this cycle; one was in the cycle before */
    bool telling;           /* the next cycle is that of an answer */
    Mshr *answering;        /* has more to answer, or NULL */
    bool missed;            /* in this cycle an entry was given, or a place in one */
    u32 missed_line;
    bool was_full;          /* in the cycle before there was no entry for `head` */
    u8 draining;            /* a store waits until no line is on its way; counts down from there */
    u32 used;               /* entries at the start of the cycle */
    struct { bool valid; u8 nsub; } before[MAX_PORTS]; /* each of them then */
    Queue requests, answers;
    bool flushing;          /* from flush_at on dirty lines leave; `flushed` of them were looked at */
    u64 flush_at;
    u32 flushed;
    bool port;              /* one request is on its way out */
    Request out;
    u64 hits, misses, stores;
} DCache;

typedef struct Sm {
    struct Model *model;
    u32 id;
    Slot slot[MAX_WARPS];
    Lot lot[MAX_WARPS];
    u32 nlots;
    u64 active, ready, changed, fences; /* bits of slots */
    u64 filled;             /* those with a full instruction buffer */
    /* at the start of the cycle: slots that may fetch, those with a full instruction buffer; those
     * whose fetches are dropped in it */
    u64 fetchable, full, dropped;
    u32 nwarps;             /* slots */
    u32 turn[2];            /* slot that issues first */
    u32 causes[NCAUSE];     /* slots by cause */
    u32 waits[NUNIT];       /* of CAUSE_SCOREBOARD, by unit */
    /* front end */
    Fetch fetch[MAX_STAGES];
    ICache icache;
    bool replays;           /* a fetch is taken back in this cycle */
    /* operands */
    struct { bool valid; Flight flight; } stage[2]; /* between issue and collectors */
    u64 collectors;         /* bits of those in use */
    Collector collector[MAX_WARPS];
    Grant grant[16][2];     /* of each bank: scalar, vector */
    bool granted;           /* any of them is valid */
    u32 bank_turn[16][2];
    /* units */
    Pipe pipe[NUNIT];
    u32 held;               /* bits of those that are not empty */
    u64 sfu_free;
    Redirect scalar_branch, vector_branch, simt;
    bool simt_held;         /* the divergence stack had one at the start of the cycle */
    bool redirected;        /* a branch was told to the front end in this cycle */
    /* memory */
    Access access[MAX_ACCESSES];
    i16 unused[MAX_ACCESSES]; /* those that are not in use, `nunused` of them */
    u32 nunused;
    i16 entry[MAX_ENTRIES]; /* access in each entry of the table that is used */
    u64 entries, complete;  /* bits of those that are used; whose lines are all there */
    i16 fifo;               /* of the LSU; -1: empty */
    i16 agu;
    u8 agu_state;
    u8 table_state;
    i16 table_out;
    bool table_done;        /* what it hands out is written, or need not be */
    u8 table_port;          /* that of what it read last: 0 scalar, 1 vector, 2 none */
    bool port_free[2];      /* in this cycle, for the LSU: the scalar port, the vector port */
    Answers answers, shared_answers;
    u64 shared_free;
    DCache dcache;
    bool busy;              /* something happened in this cycle */
    u64 next;               /* the earliest cycle with something to do */
    u32 issued;             /* in this cycle */
    TimeSlots slots;
} Sm;

/* --- what SMs share ------------------------------------------------------------------------ */

typedef struct {
    bool valid, asked, answered;
    bool reads;             /* it was made for a read, and no store has joined it: its tag is kept */
    bool tag;               /* which is to be written, from `at` on */
    u32 line;
    u64 at;                 /* cycle from which memory is asked, or an answer goes out */
    Queue waiting;          /* requests for the line */
} L2Mshr;

typedef struct {
    Queue in;               /* before its door */
    bool taken;             /* a request came in this cycle */
    bool looking;           /* `look` is looked up, until look.at */
    Request look;
    Tags tags;
    L2Mshr mshr[16];
    u32 turn;
    u64 source_free;        /* from when it answers again */
    Queue hits;             /* found, not answered */
    Queue writes;           /* lines to memory */
    u64 tag_write;          /* the cycle in which a tag is written */
    u64 flushed;            /* the cycle in which a flush ends; NEVER: none runs */
    struct { bool valid, writes; u8 mshr; u64 at; } memory[16]; /* on their way, until `at` */
    u64 reads, stores;      /* of memory */
    bool busy;
    u64 next;
} L2;

/* --- launches of which not all is timed (sample.c) ------------------------------------------- */

typedef struct {
    u64 from, measured, to; /* groups: timed, and measured, up to `to` */
    u64 waves;              /* of the stratum */
    u64 at[3];              /* the cycles in which these groups begin; of `to`: that after it */
} Sample;

typedef struct {
    u64 wave;               /* groups of one */
    Sample *sample;
    u32 n, now;             /* n 0: all groups are timed; now: the one that is under way, or next */
    u64 low, high;          /* groups between the first wave and the last ones */
    u64 timed;              /* groups that are */
    Group *group;           /* one that is skipped and has not ended, or NULL */
    u32 area;               /* its private memory */
    bool waited;            /* it gave way */
    u64 again;              /* the cycle in which it gets more turns */
    u64 budget, most;       /* instructions it may have until it gives way; the most that one had */
} Sampling;

typedef enum { SKIP_DONE, SKIP_WAITS, SKIP_FAILED } SampleSkip; /* FAILED: no memory */

typedef struct Model {
    Machine p;
    Sim *sim;
    const Launch *launch;
    const LaunchOptions *opt;
    Audience *audience;
    LaunchResult *result;
    OpCache ops;
    u64 now;
    u32 nsms;
    Sm *sm;
    L2 l2;
    u64 numbers;            /* instructions so far */
    /* groups */
    u64 ngroups, next_group;
    u64 begin;              /* the cycle from which warps may begin */
    u64 running;            /* groups */
    u64 areas[MAX_SMS * MAX_WARPS / 64 + 1]; /* bits of private memory that groups have */
    u64 requested;          /* the cycle of the host's request */
    u64 deadline;
    u32 interrupts;         /* of the engine when the launch began */
    u32 told;               /* 1 << CYCLE_*, that observers want */
    u64 counted;            /* the cycle from which those that count are called again */
    Clock clock;
    struct { Sm *sm; Lot *lot; u32 warp; } starting; /* a group whose warps begin; sm: NULL: none */
    Sampling sampling;
    enum { FLUSH_NOT, FLUSH_WAITS, FLUSH_LINES } flush;
    u64 progress;           /* what was done up to the last check (stall.c) */
    u32 still;              /* checks since that changed */
    TimeResult total;
} Model;

/* Stages of an SM, in the order in which they are called: from the end of the pipeline to its
 * beginning, so that each sees what the one before it left in the cycle before. */
void unit_write_back(Sm *s);
void lsu_tick(Sm *s);
void dcache_tick(Sm *s);
void front_respond(Sm *s);  /* before branches: a fetch that is taken back comes first */
void branch_tick(Sm *s);
void issue_look(Sm *s);     /* before all others: what holds back each warp whose state changed */
u32 issue_tick(Sm *s);      /* instructions issued */
void issue_leave(Sm *s, u32 k); /* slot k has no cause any more to wait: it gets another warp */
void front_fetch(Sm *s);
void l2_tick(Model *m);

/* Whether the unit of the flight takes it in this cycle; it does then. */
bool unit_start(Sm *s, Flight *f);
bool lsu_start(Sm *s, Flight *f);
/* The table of the LSU has a result for the write-back port; its flight, or NULL. */
const Flight *lsu_result(const Sm *s);
void lsu_written(Sm *s);
/* an answer for an access in cycle `at`; any order */
void lsu_answer(Answers *q, i16 access, u64 at);
/* a line for the access; false: not in this cycle */
bool dcache_accept(Sm *s, i16 access, u32 line, bool writes);
/* What a step touched, as lines. */
void access_lines(const Sm *s, const Step *step, Access *a);

void lsu_open(Sm *s);       /* before its first launch */
/* Takes a free place for a memory instruction; its lines are set by access_lines(). */
i16 lsu_take(Sm *s);
bool sample_plan(Model *m); /* which groups of the launch are timed; false: no memory */
/* Runs the groups before the next one that is timed. */
SampleSkip sample_skip(Model *m);
void sample_began(Model *m, u64 group); /* a group that is timed */
void sample_estimate(Model *m);         /* the launch's result becomes an estimate of the whole */
void sample_close(Model *m);
/* Private memory that no group has which runs; false: there is none.  Takes it; gives it back. */
bool model_area(const Model *m, u32 *area);
void model_take_area(Model *m, u32 area);
void model_give_area(Model *m, u32 area);
/* A group that was run is over: its counts and its fault are the launch's. */
void model_leave_group(Model *m, Group *g);
bool model_is_late(const Model *m);
bool model_is_stopped(const Model *m);
/* Runs the instruction of slot k that issues (engine.c).  False: the group is over, by a fault. */
bool model_step(Model *m, Slot *w, Step *step);
/* Tell the launch's cycle observers (tell.c) of slot k; of an instruction; of an SM; of a launch. */
static inline bool tells(const Sm *s, CycleKind kind) { return s->model->told >> kind & 1; }
void tell_slot_(const Sm *s, u32 k, CycleEvent e);
static inline void tell_slot(const Sm *s, u32 k, CycleEvent e)
{
    if (tells(s, e.kind))
        tell_slot_(s, k, e);
}
static inline void tell_cycle(const Sm *s, const Flight *f, CycleKind kind)
{
    tell_slot(s, f->slot,
              (CycleEvent){.kind = kind,
                           .number = f->number,
                           .pc = f->pc,
                           .word = f->op->word,
                           .exec = f->exec,
                           .unit = f->op->unit});
}
void tell_no_warp(const Sm *s, CycleEvent e);
void tell_launch(const Model *m, CycleKind kind);
void tell_group(const Sm *s, const Lot *lot, CycleKind kind);
/* Calls those that count, if it is time. */
void tell_counters(Model *m);
u32 told_kinds(const CycleObserver *o); /* 1 << CYCLE_*, that any of the list wants */
/* Flushes what slot k has fetched; the fetch goes on at pc. */
void front_redirect(Sm *s, u32 k, u32 pc);
void front_stop(Sm *s, u32 k);
/* The warp's wait is over, or another begins: its cause is worked out anew. */
static inline void slot_changed(Sm *s, u32 k) { s->changed |= (u64)1 << k; }
/* warp k of the flight arrives at a barrier or ends */
void warp_arrives(Sm *s, const Flight *f);

/* Whether nothing has gone on for long (stall.c); asked every 1024 cycles that the model does. */
bool model_is_stuck(Model *m);
/* Ends all groups by FAULT_STALLED, and notes in *waits what their warps wait for. */
void model_stall(Model *m, Fault *waits);

static inline void sm_wake(Sm *s, u64 at) { s->next = at < s->next ? at : s->next; }

/* A request to the L2 in this cycle; false: the port is taken or full. */
bool l2_accepts(const Model *m);
void l2_request(Model *m, Request r);
/* From cycle `at` on, dirty lines leave for the L2, the first request being there then; after the
 * last SM's, a request to flush it. */
void dcache_flush(Sm *s, u64 at);

/* What became of issue slots (book.c): slot k issues the instruction at pc; nothing issued in the
 * others of `span` cycles, of which the first was this one. */
void book_issue(Sm *s, u32 k, u32 pc);
void book_cycles(Sm *s, u64 span);
/* Sums what the SMs counted into the model's total, and into the launch's result. */
void finish_stats(Model *m);
#endif
