/* unwritten.h -- which bits of guest memory nobody wrote. */
#ifndef CHECK_UNWRITTEN_H
#define CHECK_UNWRITTEN_H
#include "check/pages.h"

/* Zeroed: everything is written.  A shadow has a bit for each bit of memory: 1, nobody wrote it.
 * Memory that is new (is_new) is found unwritten by each group. */
typedef struct {
    Pages pages;
    u64 group;   /* counts groups, over all launches; from 1 */
    bool failed; /* out of memory */
} Unwritten;

void unwritten_free(Unwritten *t);
void unwritten_fill(Unwritten *t, u64 addr, u64 size, u8 with);
/* The shadow of `size` bytes, at most 4. */
u32 unwritten_load(Unwritten *t, u64 addr, u32 size, bool is_new);
void unwritten_store(Unwritten *t, u64 addr, u32 size, u32 shadow, bool is_new);
/* Whether all of these bytes are written; false may also mean that it would take long to say. */
bool unwritten_has_none(Unwritten *t, u64 addr, u64 size, bool is_new);
/* The same of words: those that the lanes have addresses of. */
bool unwritten_has_none_at(Unwritten *t, const u32 addr[], u32 lanes, bool is_new);
/* The bytes are written now.  False: nothing was done, because they are in several pages. */
bool unwritten_clear(Unwritten *t, u64 addr, u32 size, bool is_new);
#endif
