/* hostflags.h -- flags of floats that the host has raised for a guest, and from where nobody has
 * taken them yet. */
#ifndef KIT_HOSTFLAGS_H
#define KIT_HOSTFLAGS_H
#include "isa/fp.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Raises flags (FP_*) in the host.  Those that it raised: guests use its flags on some hosts only.
 */
static inline u8 raise_in_host(u32 flags)
{
#if defined(__x86_64__)
    /* of MXCSR: inexact, underflow, overflow, division by zero, invalid */
    static const u8 bit[5] = {5, 4, 3, 2, 0};
    for (u32 i = 0; i < 5; i++)
        if (flags >> i & 1)
            _mm_setcsr(_mm_getcsr() | 1u << bit[i]);
    return flags & 31;
#elif defined(__aarch64__)
    /* of FPSR, likewise */
    static const u8 bit[5] = {4, 3, 2, 1, 0};
    u64 fpsr;
    __asm__ volatile("mrs %0, fpsr" : "=r"(fpsr));
    for (u32 i = 0; i < 5; i++)
        fpsr |= (u64)(flags >> i & 1) << bit[i];
    __asm__ volatile("msr fpsr, %0" ::"r"(fpsr));
    return flags & 31;
#else
    return flags & 0;
#endif
}
#endif
