/* generic.cl -- the functions that clang calls for to_global, to_local and to_private.  The address of a
 * generic pointer says which memory it points to (doc/abi.md, "Memory map"). */
#include "ventus.h"

enum { PRIVATE_END = 0x01000000, LOCAL_START = 0x70000000 };
#define LOCAL_END 0x80000000u

static inline bool is_private(uint a) { return a < PRIVATE_END; }
static inline bool is_local(uint a) { return a >= LOCAL_START && a < LOCAL_END; }

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
