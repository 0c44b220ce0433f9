/* siphash.c -- SipHash-2-4: two rounds a word of 8 bytes, four at the end. */
#include "jit/siphash.h"
#include <endian.h>
#include <string.h>

static u64 rotate(u64 x, int by) { return x << by | x >> (64 - by); }

static void rounds(u64 v[4], int n)
{
    while (n--) {
        v[0] += v[1], v[1] = rotate(v[1], 13) ^ v[0], v[0] = rotate(v[0], 32);
        v[2] += v[3], v[3] = rotate(v[3], 16) ^ v[2];
        v[0] += v[3], v[3] = rotate(v[3], 21) ^ v[0];
        v[2] += v[1], v[1] = rotate(v[1], 17) ^ v[2], v[2] = rotate(v[2], 32);
    }
}

/* fewer than 8 bytes, the first the lowest */
static u64 word_of(const u8 *p, size_t n)
{
    u64 w = 0;
    for (size_t i = 0; i < n; i++)
        w |= (u64)p[i] << 8 * i;
    return w;
}

static u64 whole_word(const u8 *p)
{
    u64 w;
    memcpy(&w, p, sizeof w);
    return le64toh(w);
}

u64 siphash(const u8 key[16], const void *bytes, size_t len)
{
    const u8 *p = bytes;
    const u64 k0 = whole_word(key), k1 = whole_word(key + 8);
    u64 v[4] = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
                k1 ^ 0x7465646279746573};
    for (size_t left = len + 1; left; p += 8) {
        const bool is_last = left <= 8;
        const u64 w = is_last ? word_of(p, left - 1) | (u64)len << 56 : whole_word(p);
        v[3] ^= w;
        rounds(v, 2);
        v[0] ^= w;
        left = is_last ? 0 : left - 8;
    }
    v[2] ^= 0xff;
    rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
