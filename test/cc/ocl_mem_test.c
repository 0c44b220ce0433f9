/* Structs, arrays and pointers (test/cc/mem.cl). */
#include "test/kit/oclkit.h"
#include <string.h>

typedef struct {
    i8 c;
    i64 l;
    i16 s[3];
    i32 i;
} Mixed;

typedef struct {
    Mixed m;
    float v[2];
    u8 a, b;
} Nested;

REF(struct_array)
{
    Mixed *x = A(0);
    EACH
    {
        x[i].l = (i64)((u64)x[i].l + (u64)x[i].c);
        x[i].s[i % 3] = (i16)x[i].i;
        x[i].i = x[i].s[0] + x[i].s[1] + x[i].s[2];
    }
}

REF(struct_argument)
{
    const Mixed *m = A(0);
    u64 *out = A(1);
    EACH out[i] = (u64)m->l * 3 + (u64)(m->c + m->s[i % 3]) + (u64)m->i;
}

REF(nested_argument)
{
    const u32 *x = A(0);
    const Nested *n = A(1);
    u64 *out = A(3);
    u32 bits;
    memcpy(&bits, &n->v[1], sizeof bits);
    EACH out[i] = (u64)(i32)((u32)n->m.i ^ x[i]) + (u64)n->m.l + (u64)((u8)(n->a + n->b) * 5) +
                  (u64)(i32)bits + (u64)VALUE(i8, 2);
}

REF(small_arguments)
{
    u64 *out = A(6);
    const u8 *f = A(5);
    EACH out[i] = (u64)VALUE(i8, 0) + (u64)(VALUE(i16, 1) * 2) + VALUE(u8, 2) * 3u +
                  VALUE(u64, 3) * 4 + VALUE(u16, 4) * 5u + f[0] * 6u + f[2] * 7u + i;
}

REF(vector_arguments)
{
    const u32 *a = A(0), *b = A(1);
    const i8 *c = A(2);
    u32 *out = A(3);
    EACH out[i] = a[0] - a[1] + b[3] + (u32)(c[15] * c[0]);
}

REF(struct_by_value)
{
    Mixed *x = A(0);
    EACH
    {
        const Mixed m = x[i];
        x[i].c = (i8)(m.c + (i32)i + 1);
        x[i].l = m.l ^ (i + 1);
        x[i].s[0] = m.s[2], x[i].s[1] = m.s[0], x[i].s[2] = m.s[1];
        x[i].i = (i32)((u32)m.i * (i + 1));
    }
}

REF(unions)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH
    {
        const u32 v = (x[i] & 0xffff0000) | ((x[i] + (x[i] >> 16)) & 0xffff);
        out[i] = (v & 0xffffff) | v >> i % 4 * 8 << 24;
    }
}

REF(compound_literals)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH out[i] = (i % 4 == 0 ? x[i] : i % 4 == 1 ? 3 : i % 4 == 2 ? x[i] * 2 : 9) + 1 + i % 3;
}

REF(private_array)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH
    {
        u32 a[20];
        for (u32 k = 0; k < 20; k++)
            a[k] = x[i] * k;
        for (u32 k = 0; k < 20; k++)
            a[(a[k] ^ k) % 16] += a[19 - k];
        out[i] = a[x[i] % 16];
    }
}

REF(private_matrix)
{
    const u8 *x = A(0);
    u32 *out = A(1);
    EACH
    {
        i16 m[20] = {1, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 7};
        u8 row[8] = {0};
        u32 sum = 0;
        for (u32 k = 0; k < 4; k++) {
            i16 *at = &m[5 * k + x[i] % 5];
            *at = (i16)(*at + (i16)k + x[i]);
            row[(x[i] + k) % 8] = (u8)m[6 * k];
        }
        for (u32 k = 0; k < 20; k++) {
            const i32 v = m[k];
            sum = sum * 3 + (u32)v;
        }
        for (u32 k = 0; k < 8; k++)
            sum += (u32)row[k] << k;
        out[i] = sum;
    }
}

REF(pointers)
{
    i32 *x = A(0);
    EACH
    {
        const bool a_first = x[i] & 1;
        i32 a = x[i], b = a + 5;
        if (a_first)
            a += 100;
        else
            b += 100;
        i32 *const set = a & 2 ? &a : &b; /* where the pointer that was used points now */
        i32 *const p = a_first ? set : &a, *const q = a_first ? &b : set;
        *p *= 2;
        *q -= 7;
        x[i] = a * 1000 + b;
    }
}

REF(pointer_walk)
{
    const i16 *x = A(0);
    i32 *out = A(1);
    const u32 n = VALUE(u32, 2);
    EACH
    {
        out[i] = (i32)n - (i32)i;
        for (u32 k = i; k < n; k += job->local[0])
            out[i] += x[k];
    }
}

REF(linked_list)
{
    const i32 *node = A(0);
    u32 *out = A(1);
    EACH
    {
        u32 sum = 0, steps = 0;
        for (i32 at = (i32)i; steps < 50; at = node[2 * at + 1], steps++)
            sum = sum * 5 + (u32)node[2 * at];
        out[i] = sum + steps;
    }
}

REF(constants)
{
    static const i32 pi[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
    const u32 *x = A(0);
    i32 *out = A(1);
    EACH
    {
        const i32 third = (i32)(x[i] % 3);
        const bool second = x[i] % 2;
        out[i] = pi[x[i] % 16] + (3 + 4 * third) * 100 + (second ? -1 : 0x12345678) +
                 (second ? -3 - third : 2 + third);
    }
}

REF(strings)
{
    static const char *const names[] = {"zero", "one", "two", "three"};
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH
    {
        u32 h = 0;
        for (const char *s = names[x[i] % 4]; *s; s++)
            h = h * 31 + (u8)*s;
        out[i] = h;
    }
}

REF(constant_argument)
{
    const u32 *c = A(0), *x = A(1);
    u32 *out = A(2);
    EACH out[i] = c[x[i] % 16] * c[i % 16] + c[3];
}

REF(volatiles)
{
    u32 *x = A(0);
    EACH x[i] = (x[i] + 1) * (x[i] + 1);
}

REF(bytes)
{
    u8 *x = A(0);
    EACH
    {
        u8 *b = x + 8 * i;
        const u32 sum = b[1] + b[5] + 256u * b[2] + 65536u * b[3];
        b[1] = (u8)sum, b[2] = (u8)(sum >> 8), b[3] = (u8)(sum >> 16);
        b[4] ^= 0x34, b[5] ^= 0x12;
        b[7] = b[0];
    }
}

REF(packed)
{
    u8 *x = A(0);
    EACH
    {
        u32 v;
        memcpy(&v, x + 7 * i + 1, 4);
        v += x[7 * i];
        memcpy(x + 7 * i + 1, &v, 4);
        v >>= 3;
        memcpy(x + 7 * i + 5, &v, 2);
    }
}

/* --- half, by its definition ------------------------------------------------------------------ */

static float half_value(u16 h)
{
    const i32 e = h >> 10 & 31, m = h & 1023;
    float v = e == 31 ? m ? __builtin_nanf("") : __builtin_inff()
              : e ? __builtin_ldexpf((float)(1024 + m), e - 25)
                      : __builtin_ldexpf((float)m, -24);
    return h >> 15 ? -v : v;
}

/* the finite halves are in order: the last one that is not above v >= 0 */
static u16 half_below(float v)
{
    u16 lo = 0, hi = 0x7c00;
    while (hi - lo > 1) {
        const u16 mid = (u16)((lo + hi) / 2);
        if (half_value(mid) <= v)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* up: away from zero where it is not exact; nearest: even on a tie */
static u16 to_half(float v, bool nearest, bool up)
{
    const float a = __builtin_fabsf(v);
    const u16 sign = __builtin_signbit(v) ? 0x8000 : 0;
    if (v != v)
        return 0x7e00;
    if (a == __builtin_inff())
        return (u16)(sign | 0x7c00);
    const u16 h = half_below(a);
    const float lo = half_value(h), hi = h == 0x7bff ? 65536.0f : half_value((u16)(h + 1));
    if (nearest)
        up = a - lo > hi - a || (a - lo == hi - a && h % 2);
    else
        up = up && a != lo;
    return (u16)((sign | h) + up);
}

REF(half_storage)
{
    const u16 *x = A(0);
    float *wide = A(1);
    u16 *back = A(2);
    EACH
    {
        wide[i] = half_value(x[i]);
        back[i] = to_half(wide[i] * 1.5f, true, false);
    }
}

REF(half_vectors)
{
    const float *x = A(0);
    u16 *h = A(1);
    for (u32 k = 0; k < 4 * job->n; k++) {
        u16 *at = h + k / 4 * 8 + k % 4;
        at[0] = to_half(x[k], false, false);
        at[4] = to_half(x[k], false, x[k] > 0);
    }
}

REF(spill)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH
    {
        u32 v[7][16];
        for (u32 k = 0; k < 16; k++) {
            const u32 a = x[i + k], b = x[i + k + 16], c = x[i + k + 32];
            const u32 init[] = {a, b, c, a * b, b * c, c * a, a + b + c};
            for (u32 r = 0; r < 7; r++)
                v[r][k] = init[r];
        }
        for (u32 round = 0; round < 5; round++) {
            u32 t[16];
            for (u32 k = 0; k < 16; k++) {
                t[k] = v[0][k];
                v[0][k] = v[1][k] * v[3][k] + v[4][k];
                v[1][k] = v[2][k] ^ v[5][k];
                v[2][k] = t[k] - v[6][k];
            }
            for (u32 k = 0; k < 16; k++) {
                v[3][k] += v[0][k];
                v[4][k] -= v[1][(k + 1) % 16];
                v[5][k] ^= v[2][k];
                v[6][k] = v[6][k] << 1 ^ t[k];
            }
        }
        for (u32 k = 0; k < 16; k++) {
            out[16 * i + k] = 0;
            for (u32 r = 0; r < 7; r++)
                out[16 * i + k] += v[r][k];
        }
    }
}

enum { SCALARS = 320 };

REF(scalar_spill)
{
    const u32 *a = A(0);
    u32 *out = A(1);
    EACH
    {
        u32 s = 0, t = i;
        for (u32 k = 0; k < SCALARS; k++) {
            s += a[k];
            t = t * 3 + (s ^ a[SCALARS - 1 - k]);
        }
        const bool side = t & 8;
        for (u32 k = 0; k < SCALARS; k++)
            t = side ? (t ^ a[k]) * (s | 1) : t * 5 + (a[SCALARS - 1 - k] ^ a[7]);
        for (u32 k = 0; k < SCALARS; k++)
            t = (t << 1 | t >> 31) + a[k];
        out[i] = t;
    }
}

REF(steps)
{
    const u32 *a = A(0), *b = A(1), stride = VALUE(u32, 3), most = VALUE(u32, 4);
    u32 *out = A(2);
    EACH {
        u32 sum = 0;
        for (u32 n = 0; n < most; n++) {
            u32 part = n;
            for (u32 k = 0; k < n; k++)
                part = part * 3 + (a[k * stride + i] ^ b[n * 2 + k]);
            sum = sum * 5 + part;
        }
        for (u32 k = 0; k < most; k++)
            out[k * stride + i] = sum ^ a[i * most + k];
    }
}

static const KitCase cases[] = {
    CASE(struct_array, "32/16", "c1024"),
    CASE(struct_argument, "32/16", "S32 q32"),
    CASE(nested_argument, "32/16", "w32 S48 =c200 q32"),
    CASE(small_arguments, "32/16", "=c200 =h40000 =c255 =q0x123456789ab =h65000 S4 q32"),
    CASE(vector_arguments, "32/16", "S8 S16 S16 w32"),
    CASE(struct_by_value, "32/16", "c1024"),
    CASE(unions, "64/32", "w64 w64"),
    CASE(compound_literals, "64/32", "w64 w64"),
    CASE(private_array, "64/32", "w64 w64"),
    CASE(private_matrix, "64/32", "c64 w64"),
    CASE(pointers, "64/32", "w64%1000"),
    CASE(pointer_walk, "64/32", "h200 w64 =190"),
    CASE(linked_list, "64/32", "w128%64 w64"),
    CASE(constants, "64/32", "w64 w64"),
    CASE(strings, "64/32", "w64 w64"),
    CASE(constant_argument, "64/32", "w16 w64 w64"),
    CASE(volatiles, "64/32", "w64"),
    CASE(bytes, "64/32", "c512"),
    CASE(packed, "64/32", "c448"),
    CASE(half_storage, "64/32", "h64%31744 w64 h64"),
    CASE(half_vectors, "64/32", "f256 h512"),
    CASE(spill, "32/16", "w100 w512"),
    CASE(scalar_spill, "64/32", "w320 w64"),
    CASE(steps, "64/32", "w768 w40 w768 =64 =11"),
    CASE(steps, "32/32", "w768 w40 w768 =33 =12"),
};

int main(void) { return kit_main("mem.cl", NULL, cases, countof(cases)); }
