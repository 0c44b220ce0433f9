/* generic.cl -- the functions that clang calls for to_global, to_local and to_private.  The address of a
 * generic pointer says which memory it points to (doc/abi.md, "Memory map"). */
#include "ventus.h"

static inline bool is_private(uint a) { return a < RANGE_END(PRIVATE); }
static inline bool is_local(uint a) { return a >= RANGE_FROM(LOCAL) && a < RANGE_END(LOCAL); }

__global void *__to_global(__generic void *p)
{
    uint a = (uint)(size_t)p;
    return (__global void *)(size_t)(is_private(a) || is_local(a) ? 0 : a);
}

__local void *__to_local(__generic void *p)
{
    uint a = (uint)(size_t)p;
    return (__local void *)(size_t)(is_local(a) ? a : 0);
}

__private void *__to_private(__generic void *p)
{
    uint a = (uint)(size_t)p;
    return (__private void *)(size_t)(is_private(a) ? a : 0);
}
