/* base.h -- what every directory may use: integer names, limits of arrays,
 * checked allocation, and the report of our own mistakes. */
#ifndef BASE_BASE_H
#define BASE_BASE_H
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
/* Integers by their number of bits. */
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;

#define countof(a) (sizeof(a) / sizeof *(a))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

/* Our own mistake, never the user's: says where and aborts. */
#define bug(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void bug_at(const char *file, int line, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Processors of the host on which this process may run: at least 1. */
u32 host_processors(void);

/* v with its low `bits` bits read as a two's complement number; 1 <= bits <= 64 */
static inline i64 sign_extend(u64 v, int bits)
{
    u64 top = (u64)1 << (bits - 1);
    v &= top | (top - 1);
    return (i64)((v ^ top) - top);
}

/* x rounded up to a multiple of align, a power of two */
static inline u64 align_up(u64 x, u64 align) { return (x + align - 1) & ~(align - 1); }

/* Whether x is a power of two; 0 is none. */
static inline bool is_pow2(u64 x) { return x && !(x & (x - 1)); }
#endif
