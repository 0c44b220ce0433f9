/* double.h -- binary64 as its bits, for the files of the library that compute with it.
 *
 * The machine has no binary64.  A double is a ulong here; the functions below are what the
 * lowering calls for the operations of the language (ll/libcalls.c).  All of them round to nearest,
 * ties to even, keep denormals, and give the canonical NaN, as IEEE 754 and the machine's own floats do.
 */
#ifndef DOUBLE_H
#define DOUBLE_H
#include "ventus.h"

#define D_SIGN ((ulong)1 << 63)
#define D_ABS  (D_SIGN - 1)
#define D_ONE  ((ulong)1 << 52)                 /* the bit that normal numbers do not store */
#define D_INF  ((ulong)0x7ff << 52)
#define D_NAN  ((ulong)0x7ff8 << 48)

ulong OVL mul_hi(ulong a, ulong b);

ulong __ventus_dadd(ulong a, ulong b);
ulong __ventus_dsub(ulong a, ulong b);
ulong __ventus_dmul(ulong a, ulong b);
ulong __ventus_ddiv(ulong a, ulong b);
ulong __ventus_dfma(ulong a, ulong b, ulong c);
ulong __ventus_dmuladd(ulong a, ulong b, ulong c); /* rounded twice */
ulong __ventus_dsqrt(ulong a);
ulong __ventus_dneg(ulong a);
ulong __ventus_dabs(ulong a);
ulong __ventus_dcopysign(ulong a, ulong sign);
int __ventus_dcmp(ulong a, ulong b);            /* -1 less, 0 equal, 1 greater, 2 unordered */

ulong __ventus_i32tod(int x);                   /* exact */
ulong __ventus_u32tod(uint x);
ulong __ventus_i64tod(long x);
ulong __ventus_u64tod(ulong x);
ulong __ventus_ftod(float x);                   /* exact */
float __ventus_dtof(ulong a);
int __ventus_dtoi32(ulong a);                   /* toward zero; saturates, NaN is 0 */
uint __ventus_dtou32(ulong a);
long __ventus_dtoi64(ulong a);
ulong __ventus_dtou64(ulong a);

ulong __ventus_dfloor(ulong a);
ulong __ventus_dceil(ulong a);
ulong __ventus_dtrunc(ulong a);
ulong __ventus_drint(ulong a);                  /* ties to even */
ulong __ventus_dround(ulong a);                 /* ties away from zero */
ulong __ventus_dmin(ulong a, ulong b);          /* a NaN loses against a number */
ulong __ventus_dmax(ulong a, ulong b);
#endif
