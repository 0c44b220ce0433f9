/* siphash.h -- a keyed hash of 64 bits: without the key, the hash of other bytes cannot be computed
 * or guessed. */
#ifndef JIT_SIPHASH_H
#define JIT_SIPHASH_H
#include "base/base.h"

/* SipHash-2-4 (Aumasson and Bernstein, 2012) of len bytes. */
u64 siphash(const u8 key[16], const void *bytes, size_t len);
#endif
