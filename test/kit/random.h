/* random.h -- the same random numbers in each run of a test program. */
#ifndef KIT_RANDOM_H
#define KIT_RANDOM_H
#include "base/base.h"

static inline u64 random_bits(void)
{
    static u64 s = 88172645463325252u;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return s;
}

/* 0 to n - 1 */
static inline u32 below(u32 n) { return (u32)((random_bits() >> 32) * n >> 32); }
static inline bool one_in(u32 n) { return below(n) == 0; }
#endif
