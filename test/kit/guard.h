/* guard.h -- the compiler's memory with nothing before or behind each block, so that who goes
 * beyond one ends there; or without one of the blocks that are asked for.  Programs that include this are linked with GUARDED (Makefile). */
#ifndef KIT_GUARD_H
#define KIT_GUARD_H
#include "cc/ir.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>

typedef enum { GUARD_NOTHING, GUARD_BEHIND, GUARD_BEFORE } GuardWhere;
enum { GUARD_PAGE = 4096, GUARD_BLOCKS = 20000 /* so many; later ones are as usual */ };
#define GUARD_ROOM ((size_t)1 << 32)

static struct {
    GuardWhere where;
    u8 *room; /* pages that nobody may touch, but for those of blocks, which never meet */
    size_t used, nblock;
    size_t nth, asked; /* the request that is refused, 0: none; requests so far */
} guard;

void *__real_ir_alloc(Module *m, size_t size);
void *__wrap_ir_alloc(Module *m, size_t size);
bool __real_ir_grow_(Module *m, void **a, size_t *cap, size_t size);
bool __wrap_ir_grow_(Module *m, void **a, size_t *cap, size_t size);

/* Blocks end where the guard begins, to the byte; but a sanitizer wants them aligned. */
static inline size_t guard_size(size_t size)
{
#if defined __SANITIZE_ADDRESS__ || defined HOSTILE || defined DEBUG
    return (size + 15) / 16 * 16;
#else
    return size;
#endif
}

void *__wrap_ir_alloc(Module *m, size_t size)
{
    const size_t whole = (size + GUARD_PAGE - 1) / GUARD_PAGE * GUARD_PAGE;
    if (!m->target) /* the module itself, which has room in its first chunk */
        return __real_ir_alloc(m, size);
    if (guard.nth && ++guard.asked == guard.nth) {
        m->failed = true;
        return NULL;
    }
    if (guard.where == GUARD_NOTHING || guard.nblock++ >= GUARD_BLOCKS)
        return __real_ir_alloc(m, size);
    u8 *at = guard.room + guard.used + GUARD_PAGE;
    if (size > GUARD_ROOM - guard.used - (size_t)2 * GUARD_PAGE ||
        (whole && mprotect(at, whole, PROT_READ | PROT_WRITE))) {
        m->failed = true;
        return NULL;
    }
    guard.used += whole + GUARD_PAGE;
    return guard.where == GUARD_BEHIND ? at + whole - guard_size(size) : at;
}

bool __wrap_ir_grow_(Module *m, void **a, size_t *cap, size_t size)
{
    const size_t more = *cap + *cap / 64 * 16 + 1; /* small arrays have no room to spare */
    if (guard.where == GUARD_NOTHING && !guard.nth)
        return __real_ir_grow_(m, a, cap, size);
    void *bigger = __wrap_ir_alloc(m, more * size);
    if (!bigger)
        return false;
    if (*cap)
        memcpy(bigger, *a, *cap * size);
    *a = bigger;
    *cap = more;
    return true;
}

static inline void guard_begin(GuardWhere where)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *room = mmap(NULL, GUARD_ROOM, PROT_NONE, flags, -1, 0);
    assert_ptr_not_equal(room, MAP_FAILED);
    guard.room = room;
    guard.used = guard.nblock = 0;
    guard.where = where;
}

/* Of many random programs the first few, which are numbered from 1. */
static inline void guard_few(u32 program, u32 few)
{
    if (program <= few)
        guard_begin(program % 2 ? GUARD_BEHIND : GUARD_BEFORE);
}

/* What was allocated since guard_begin() is gone. */
static inline void guard_end(void)
{
    guard.where = GUARD_NOTHING;
    if (guard.room)
        munmap(guard.room, GUARD_ROOM);
    guard.room = NULL;
}
#endif
