/* interval.h -- where values are alive, as pieces of one line of numbers.
 *
 * Blocks follow each other on the line in the order of Func.rpo.  An instruction reads at
 * an even number and writes at the odd one after it, so a value that dies where
 * another is made can share its register.  Linear code only: phis are gone.
 */
#ifndef CC_INTERVAL_H
#define CC_INTERVAL_H
#include "cc/cc.h"

typedef struct { u32 from, to; } Segment; /* from <= n < to */

/* Ascending segments that do not touch, in Ranges.pool. */
typedef struct { u32 first, n; } Range;

/* The live ranges of all values of a function. */
typedef struct {
    Segment *pool;
    size_t npool, cappool;
    Range *of;              /* of each value; n = 0: never alive */
    u32 *top;               /* of each block: the number where it begins */
    u32 end;                /* the number after the last block */
} Ranges;

bool ranges_build(const Func *f, Ranges *r); /* false: out of memory */
void ranges_free(Ranges *r);

/* where instruction i of block b reads; i = nins is the terminator */
static inline u32 ranges_at(const Ranges *r, u32 b, size_t i) { return r->top[b] + 2 * ((u32)i + 1); }
static inline const Segment *ranges_of(const Ranges *r, u32 v) { return r->pool + r->of[v].first; }

/* Whether the two values are alive at the same time. */
bool ranges_overlap(const Ranges *r, u32 v, u32 w);
/* Makes the range of v the union of both and that of w empty; they must not overlap.  False: out of
 * memory. */
bool ranges_unite(Ranges *r, u32 v, u32 w);
u32 ranges_length(const Ranges *r, u32 v);

/* What one register or stack slot holds along the line. */
typedef struct { u32 from, to, owner; } Busy;
typedef struct {
    Busy *list;             /* ascending, without overlaps */
    size_t n, cap;
} Timeline;

/* *owner: the first owner that the range of v meets from number *from on; *from becomes the end of
 * that owner's segment.  False: it meets none. */
bool timeline_conflict(const Timeline *t, const Ranges *r, u32 v, u32 *from, u32 *owner);
bool timeline_is_free(const Timeline *t, const Ranges *r, u32 v);
/* What these add must be free in t.  False: out of memory. */
bool timeline_add(Timeline *t, Busy b);
bool timeline_add_range(Timeline *t, const Ranges *r, u32 v);
void timeline_remove(Timeline *t, u32 owner);
/* Fills a timeline from its end to its start: push each, then reverse. */
bool timeline_push(Timeline *t, Busy b);
void timeline_reverse(Timeline *t);
void timeline_free(Timeline *t);
#endif
