/* internal.h -- what the files of check/ share. */
#ifndef CHECK_INTERNAL_H
#define CHECK_INTERNAL_H
#include "check/check.h"
#include "obj/kernelinfo.h"
#include "obj/lines.h"

/* An access to memory by a lane, or by the warp. */
typedef struct {
    const Check *check;
    Warp *warp;
    const Step *step;
    u32 pc; /* of the instruction proper */
    u64 addr;
    u32 size;
    int lane; /* -1: the warp */
    bool reads, writes;
    bool is_atomic, is_private;
} Access;

/* All accesses of an instruction whose touches are one row. */
typedef struct {
    u64 lo, end; /* they lie between */
    u32 size;    /* bytes of each */
    bool reads, writes;
    bool is_run;     /* side by side, in the order of lanes */
    bool is_private; /* all of them; else none */
} Row;

/* A cause that was reported. */
typedef struct {
    CheckKind kind;
    u32 pc, other;   /* of the instruction, and of the one that it collides with, or 0 */
    u64 where;       /* the object concerned */
    u64 count;
    size_t same;     /* 1 + the one that was reported for the same places, or 0 */
    char *kernel, *file, *text; /* text NULL: it is not reported */
    u32 line, column;
    u32 other_line, other_column;
} Cause;

typedef struct Race Race;
typedef struct Init Init;
typedef struct Prints Prints;
typedef struct ProgramNotes ProgramNotes;
typedef struct Async Async;

struct Check {
    Driver *driver;
    u32 kinds;
    const CheckAllow *allow; /* or NULL */
    /* of the launch that runs */
    const DrvScene *scene;
    DrvExtent *extent; /* that an access may touch, by ascending address, none in another */
    size_t nextent, capextent;
    const DrvExtent *last;       /* that was found */
    u64 private_lo, private_end; /* private memory */
    u64 stacks_lo, stacks_end;   /* the scalar stacks of the warps, in local memory */
    const Row *row;              /* of the instruction that ran, or NULL */
    u32 strayed;                 /* its lanes that `bounds` found elsewhere than they should be */
    Observer *observers;         /* the launch's, and ours */
    size_t capobservers;
    LineTable *lines;  /* of `image` */
    KernelTable table; /* of it too */
    const Object *image;
    bool failed; /* memory ran out, now or in a launch before */
    /* parts */
    Race *race;
    Init *init;
    Prints *prints;
    ProgramNotes *notes;
    Async *async; /* NULL: without the check for barriers */
    /* what was found */
    Cause *cause;
    size_t ncause, capcause;
    size_t nreport;         /* of them, those that are reported */
    bool has_more;          /* causes that are not, because there are too many */
    size_t told; /* reports that the sink has */
    CheckSink *sink;
    void *to;
};

static inline bool checks(const Check *c, CheckKind k) { return c->kinds >> k & 1; }

/* --- accesses (check.c) ------------------------------------------------------------------ */

/* Whether private memory is accessed. */
static inline bool is_in_private(const Check *c, u64 addr)
{
    return addr >= c->private_lo && addr < c->private_end;
}
/* The accesses of an instruction one by one, from {0} on: the next one in *t, a row as its lanes.
 */
typedef struct {
    size_t i;
    u32 left;
} Walk;
bool walk(const Event *e, Walk *at, Touch *t);
/* What its accesses have in common; what differs. */
Access access_of(const Check *c, const Event *e);
void access_at(Access *a, const Touch *t);
/* Copies bytes of device memory.  False: they are not there. */
bool read_guest(const Check *c, const Warp *w, u64 addr, void *to, u64 size);

/* --- reports (findings.c) ---------------------------------------------------------------- */

enum { CALLS_SEEN = 8 };
/* The places of pc, from the inside out (obj/lines.h). */
size_t places(Check *c, u32 pc, Place chain[CALLS_SEEN]);

/* The mark of the instruction at pc. */
LinesMark mark_at(Check *c, u32 pc);

/* A mistake that was seen at an instruction. */
typedef struct {
    CheckKind kind;
    const Warp *warp;
    u32 pc, other;
    u64 where;
    int lane;
} Finding;

/* Whether the program, or Check.allow, says that what the check finds at pc is meant so.  The comment
 * may stand on the line, or on the one above it; of the instruction, or of a call by whose inlining
 * it came there. */
bool is_allowed(Check *c, CheckKind kind, u32 pc, const char *kernel);
const char *check_name(CheckKind k);
/* Counts a finding.  True: it is a new cause, for which report() must be called. */
bool is_new(Check *c, const Finding *f);
/* Keeps the report; `more`, or NULL: lines to follow the place. */
void report(Check *c, const Finding *f, const char *sentence, const char *more);
/* Lines about another place: of a work-item given by the number of its group in the grid
 * and its local linear id. */
void put_other(const Check *c, const Launch *l, u32 pc, const char *label, u64 group, u32 item,
               Buf *to);
void put_item(const Launch *l, u64 group, u32 item, Buf *to);

/* The number of the group in its grid. */
static inline u64 group_number(const Group *g)
{
    return launch_group_number(g->launch, g->linear);
}

/* Reads the tables of the image that is loaded, if it is another one now. */
void take_image(Check *c);

/* --- extents (bounds.c) ------------------------------------------------------------------ */

bool extents_take(Check *c, const DrvScene *s);
/* What the address belongs to, or is nearest to, as "byte 3 of argument 0, 'out' (32 bytes)". */
void put_whereabouts(const Check *c, u64 addr, u32 size, Buf *to);
const DrvExtent *extent_find(Check *c, u64 addr);
/* The offset in a lane's private memory of the byte at an address in the warp's. */
u64 private_offset(const Warp *w, u64 addr);

/* --- the checks ------------------------------------------------------------------------------ */

void bounds_access(Check *c, const Access *a);
/* Whether all accesses of c->row, which a is one of, are allowed; false: look at each. */
bool bounds_allow_row(Check *c, const Access *a);
void align_access(Check *c, const Access *a);

ProgramNotes *notes_new(void);
void notes_free(ProgramNotes *t);
/* The program is another one; is_checked: it was compiled for checks. */
void notes_take(ProgramNotes *t, const Object *image, bool is_checked);
void notes_group(ProgramNotes *t, const Group *g);     /* a group begins */
bool notes_lacks(const ProgramNotes *t);               /* memory ran out */
/* Whether lo..end are bytes of one variable of the program, as far as that is known; if not, appends
 * which one is nearest, and says *where it is. */
bool notes_allow_global(ProgramNotes *t, u64 lo, u64 end);
void notes_put_global(ProgramNotes *t, u64 lo, u64 end, u64 *where, Buf *to);
/* The text at an address among the notes, or nothing. */
void notes_text(const Check *c, const Warp *w, u64 at, char *text, size_t size);
/* Whether the instruction is nothing but a note; takes it, or reports it. */
bool notes_step(Check *c, const Event *e);
/* Whether the access is of an element whose index was just reported. */
bool notes_explain(Check *c, const Access *a);
/* Whether any bytes of lo..end, offsets in private memory, lie in a gap behind a variable. */
bool notes_touch_gap(const Check *c, const Warp *w, u64 lo, u64 end);
/* The same for the lane of the access; appends which variable is nearest, and says which *note it
 * has. */
bool notes_put_gap(const Check *c, const Access *a, u64 lo, u64 end, u64 *note, Buf *to);

/* The note of the private variable that has the byte at the offset, in the lane of the access, *at bytes
 * from its begin; 0: none is known to. */
u64 notes_find_private(const Check *c, const Access *a, u64 offset, u32 *at);
/* Appends the name of the variable with this note, and which byte of it.  False: there is none. */
bool notes_put_private(const Check *c, const Warp *w, u64 note, u32 at, Buf *to);

Race *race_new(void);
void race_free(Race *r);
/* A launch begins; those of one `grid`, which follow each other, are its parts, between which nothing
 * is in order.  NULL: it is none of such. */
void race_begin(Race *r, const Launch *l, const void *grid);
void race_group(Race *r, const Group *g);    /* a group of it begins */
void race_access(Check *c, const Event *e);  /* an instruction that accesses memory */
void race_step(Check *c, const Event *e);    /* fences and barriers among the instructions */
void race_barrier(Check *c, const Group *g); /* all warps have arrived */
bool race_lacks(const Race *r);

Init *init_new(void);
void init_free(Init *t);
void init_take(Init *t, const Object *image); /* the program is another one, or NULL */
void init_group(Init *t, const Group *g);
/* The registers that it must hear of (Observer.watches). */
const u8 *init_watches(const Init *t, const Warp *w);
void init_step(Check *c, const Event *e);
bool init_lacks(const Init *t);
void init_allocated(Init *t, u64 addr, u64 size); /* nobody has written these bytes; */
void init_written(Init *t, u64 addr, u64 size);   /* the host has; */
void init_copied(Init *t, u64 from, u64 to, u64 size);

Prints *prints_new(void);
void prints_free(Prints *p);
void prints_begin(Prints *p, const DrvScene *s); /* a launch, */
void prints_group(Prints *p, const Group *g);    /* a group begins */
void prints_access(Check *c, const Event *e);   /* an instruction that accesses memory */
bool prints_lacks(const Prints *p);

Async *async_new(void);
void async_free(Async *t);
void async_group(Async *t, const Group *g); /* a group begins */
/* A lane told an operand of a copy, or an event that it waits for; kind as in obj/notes.h. */
void async_operand(Check *c, const Access *a, u32 lane, u32 kind, u32 value);
void async_answer(Check *c, const Event *e);  /* lanes read the event of their copy */
void async_barrier(Check *c, const Group *g); /* all warps have arrived */
void async_end(Check *c, const Group *g);     /* the group is over */
bool async_lacks(const Async *t);

void barrier_step(Check *c, const Event *e);
void barrier_passed(Check *c, const Group *g);
#endif
