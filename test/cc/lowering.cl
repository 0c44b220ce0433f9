/* What the lowering does in pieces: integers of any width, addresses, copies, saturation. */

typedef unsigned _BitInt(33) U33;
typedef _BitInt(33) S33;
typedef unsigned _BitInt(24) U24;
typedef _BitInt(24) S24;
typedef unsigned _BitInt(65) U65;
typedef unsigned _BitInt(128) U128;

/* a, b of 33 bits: one bit in a word of its own */
kernel void bits_33(global const uint *in, global uint *out)
{
    const size_t g = get_global_id(0);
    const U33 a = (U33)in[2 * g] * 2 + (in[2 * g + 1] & 1), b = (U33)in[2 * g + 1] * 3;
    const S33 sa = (S33)a, sb = (S33)b;
    global uint *o = out + 12 * g;
    o[0] = a < b;
    o[1] = sa < sb;
    o[2] = (uint)(a >> 2);
    o[3] = (uint)(sa >> 2);
    o[4] = (ulong)(a + b) >> 31;
    o[5] = (ulong)(a - b) >> 31;
    o[6] = (ulong)(a * b) >> 31;
    o[7] = (ulong)((long)sa >> 16);
    o[8] = a == (b & ~(U33)1) || a + 1 == b;
    o[9] = (uint)(a >> (b & 31));
    o[10] = (ulong)(a << (b & 31)) >> 31;
    o[11] = (sa < 0) + 2 * (sb <= sa) + 4 * (b >= a);
}

kernel void bits_24(global const uint *in, global uint *out)
{
    const size_t g = get_global_id(0);
    const U24 a = (U24)in[2 * g], b = (U24)in[2 * g + 1];
    const S24 sa = (S24)a, sb = (S24)b;
    global uint *o = out + 8 * g;
    o[0] = (uint)(a + b);
    o[1] = (uint)(int)(S24)(sa * sb);
    o[2] = a < b;
    o[3] = sa < sb;
    o[4] = (uint)(int)(sa >> 5);
    o[5] = a / (b | 1);
    o[6] = (uint)(int)(sa % (S24)(sb | 1));
    o[7] = (uint)(float)a == a;
}

constant U128 large[3] = {(U128)0x0123456789abcdeful << 64 | 0xfedcba9876543210ul, ~(U128)5, 7};

kernel void bits_128(global const ulong *in, global uint *out)
{
    const size_t g = get_global_id(0);
    const U128 a = (U128)in[2 * g] << 64 | in[2 * g + 1], b = large[g % 3];
    const U128 r[5] = {a + b, a - b, a * b, (a ^ b) >> 37, b << 95};
    for (int k = 0; k < 5; k++)
        for (int w = 0; w < 4; w++)
            out[24 * g + 4 * k + w] = (uint)(r[k] >> 32 * w);
    out[24 * g + 20] = a < b;
    out[24 * g + 21] = (_BitInt(128))a < (_BitInt(128))b;
    out[24 * g + 22] = (uint)((U65)a >> 60);
    out[24 * g + 23] = (uint)(a >> 64) == (uint)(b >> 64);
}

typedef int Deep[2][2][2][2][2][2][2][2][2];

kernel void ten_indices(global Deep *x, global const uchar *index, global int *out)
{
    const size_t g = get_global_id(0);
    global const uchar *i = index + 10 * g;
    out[g] = x[i[0] & 1][i[1] & 1][i[2] & 1][i[3] & 1][i[4] & 1][i[5] & 1][i[6] & 1][i[7] & 1][i[8] & 1]
              [i[9] & 1];
}

/* --- copies ------------------------------------------------------------------------------ */

#define AREA 512

/* lengths and places known here, above and below what is copied in one piece; up and down */
kernel void moves_known(global uchar *x)
{
    global uchar *p = x + AREA * get_global_id(0);
    __builtin_memmove(p + 4, p, 200);
    __builtin_memmove(p + 204, p + 208, 200);
    __builtin_memmove(p + 7, p + 2, 151);
    __builtin_memmove(p + 210, p + 219, 133);
    __builtin_memmove(p + 400, p + 404, 48);
    __builtin_memmove(p + 461, p + 460, 31);
    __builtin_memcpy(p + 100, p + 300, 64);
    __builtin_memset(p + 380, p[1], 9);
    __builtin_memset(p + 164, 0xa5, 136);
}

kernel void moves_unknown(global uchar *x, global const uint *n)
{
    const size_t g = get_global_id(0);
    global uchar *p = x + AREA * g;
    const uint from = n[3 * g] % 200, to = n[3 * g + 1] % 200, length = n[3 * g + 2] % 300;
    __builtin_memmove(p + to, p + from, length);
    __builtin_memset(p + from / 2, (int)to, length % 17);
}

kernel void moves_private(global uchar *x, global const uint *n)
{
    uchar t[AREA];
    const size_t g = get_global_id(0);
    const uint from = n[3 * g] % 200, to = n[3 * g + 1] % 200, length = n[3 * g + 2] % 300;
    __builtin_memcpy(t, x + AREA * g, AREA);
    __builtin_memmove(t + to, t + from, length);
    __builtin_memmove(t + from, t + from + 3, 140);
    __builtin_memmove(t + from + 3, t + from, 140);
    __builtin_memcpy(x + AREA * g, t, AREA);
}

/* --- accesses ------------------------------------------------------------------------------- */

typedef struct __attribute__((packed)) {
    char c;
    short s;
    ushort u;
    int i;
    uchar b;
    short4 v;
    long l;
    ushort t[3];
} Packed;

/* signed and unsigned, at odd addresses, in all four memories */
kernel void odd_places(global Packed *x, constant Packed *k, local Packed *shared, global long *out)
{
    const size_t g = get_global_id(0), l = get_local_id(0);
    Packed mine = x[g];
    shared[l] = x[g];
    mine.t[g % 3] ^= 0x8000;
    barrier(CLK_LOCAL_MEM_FENCE);
    local Packed *s = &shared[l ^ 1];
    global long *o = out + 16 * g;
    o[0] = x[g].s;
    o[1] = x[g].u;
    o[2] = x[g].i + (long)x[g].s;
    o[3] = x[g].v.s1 * (long)x[g].v.s3;
    o[4] = x[g].l;
    o[5] = k[l].s - k[l].t[2];
    o[6] = k[l].v.s2;
    o[7] = s->s + (float)s->u;
    o[8] = s->l ^ s->i;
    o[9] = s->v.s0 > s->s;
    o[10] = mine.s;
    o[11] = (short)mine.t[g % 3];
    o[12] = mine.c + (char)mine.b;
    x[g].s = (short)(mine.s * 3);
    x[g].l = mine.l - 1;
    x[g].v = mine.v.s3210;
    shared[l].i = (int)g;
    o[13] = shared[l].i + shared[l].s;
    o[14] = x[g].v.s0;
    o[15] = x[g].t[1] << 16;
}

/* several arguments in local memory beside variables: each is aligned and none overlaps */
kernel void several_locals(global const uint *in, local char *a, local ulong *b, local ushort *c,
                           local uint4 *d, local uchar *e, global uint *out)
{
    local char first[5];
    local ulong second[3];
    local short third;
    const uint l = get_local_id(0), g = get_global_id(0);
    volatile uint place[5] = {(uint)b, (uint)c, (uint)d, (uint)second, (uint)&third};
    a[l] = (char)in[g];
    b[l] = (ulong)in[g] << 20;
    c[l] = (ushort)(in[g] * 3);
    d[l] = (uint4)(in[g], l, g, ~in[g]);
    e[l] = (uchar)(in[g] >> 8);
    if (l < 5)
        first[l] = (char)(40 + l);
    if (l < 3)
        second[l] = 1000000007ul * (l + 1);
    if (l == 7)
        third = -7;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint m = (l + 5) % 16;
    uint sum = (uint)a[m] + (uint)(b[m] >> 18) + c[m] * 5u + e[m] * 7u + first[l % 5] +
               (uint)(second[l % 3] >> 7) + (uint)third;
    sum ^= d[m].x + d[m].y * 3 + d[m].z * 5 + d[m].w * 9;
    out[2 * g] = sum;
    out[2 * g + 1] = (place[0] & 7) | (place[1] & 1) | (place[2] & 15) | (place[3] & 7) | (place[4] & 1);
}

/* --- saturation ------------------------------------------------------------------------------ */

#define SATURATE(T) \
    kernel void saturate_##T(global const T *x, global const T *y, global T *out) \
    { \
        const size_t g = get_global_id(0); \
        const T a = x[g / 8], b = y[g % 8]; \
        out[4 * g] = add_sat(a, b); \
        out[4 * g + 1] = sub_sat(a, b); \
        out[4 * g + 2] = add_sat((T)(a ^ (T)g), b); \
        out[4 * g + 3] = sub_sat(b, (T)(a ^ (T)g)); \
        const T##2 x2 = (T##2)(a, (T)(a ^ (T)g)), y2 = (T##2)(b), more = __builtin_elementwise_add_sat(x2, y2); \
        const size_t rest = 4 * (g + get_global_size(0)); \
        out[rest] = more.x; \
        out[rest + 1] = __builtin_elementwise_sub_sat(x2, y2).x; \
        out[rest + 2] = more.y; \
        out[rest + 3] = __builtin_elementwise_sub_sat(y2, x2).y; \
    }
SATURATE(char)
SATURATE(uchar)
SATURATE(short)
SATURATE(ushort)
SATURATE(int)
SATURATE(uint)
SATURATE(long)
SATURATE(ulong)

/* --- comparisons, each alone, so that none is made of another one -------------------------------- */

#define PREDICATE(T, name, test) __attribute__((noinline)) uint name##_##T(T a, T b) { return test; }
#define ALONE(T, name, op) PREDICATE(T, name, a op b)
#define COMPARE(T) \
    ALONE(T, eq, ==) \
    ALONE(T, ne, !=) \
    ALONE(T, lt, <) \
    ALONE(T, le, <=) \
    ALONE(T, gt, >) \
    ALONE(T, ge, >=) \
    kernel void compare_##T(global uint *out) \
    { \
        const T list[6] = {(T)0, (T)1, (T)-1, (T)((T)1 << (8 * sizeof(T) - 1)), (T)0x80000000, (T)0x100000000}; \
        const size_t i = get_global_id(0); \
        const T a = list[i / 6 % 6], b = list[i % 6]; \
        out[i] = eq_##T(a, b) | ne_##T(a, b) << 1 | lt_##T(a, b) << 2 | le_##T(a, b) << 3 | gt_##T(a, b) << 4 | ge_##T(a, b) << 5; \
    }
COMPARE(int)
COMPARE(uint)
COMPARE(long)
COMPARE(ulong)

ALONE(float, eq, ==)
ALONE(float, ne, !=)
ALONE(float, lt, <)
ALONE(float, le, <=)
ALONE(float, gt, >)
ALONE(float, ge, >=)
PREDICATE(float, one, islessgreater(a, b))
PREDICATE(float, ueq, !islessgreater(a, b))
PREDICATE(float, ord, isordered(a, b))
PREDICATE(float, uno, isunordered(a, b))
PREDICATE(float, uge, !(a < b))
PREDICATE(float, ugt, !(a <= b))
PREDICATE(float, ule, !(a > b))
PREDICATE(float, ult, !(a >= b))
kernel void compare_float(global uint *out)
{
    const float list[6] = {-INFINITY, -1.5f, -0.0f, 0.0f, 2.5f, NAN};
    const size_t i = get_global_id(0);
    const float a = list[i / 6 % 6], b = list[i % 6];
    out[i] = eq_float(a, b) | ne_float(a, b) << 1 | lt_float(a, b) << 2 | le_float(a, b) << 3 | gt_float(a, b) << 4 |
             ge_float(a, b) << 5 | one_float(a, b) << 6 | ueq_float(a, b) << 7 | ord_float(a, b) << 8 |
             uno_float(a, b) << 9 | uge_float(a, b) << 10 | ugt_float(a, b) << 11 | ule_float(a, b) << 12 |
             ult_float(a, b) << 13;
}

/* --- ids --------------------------------------------------------------------------------- */

kernel void linear(global uint *out)
{
    const uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const uint i = (z * get_global_size(1) + y) * get_global_size(0) + x;
    out[3 * i] = get_global_linear_id();
    out[3 * i + 1] = get_local_linear_id();
    out[3 * i + 2] = (get_group_id(2) * 100 + get_group_id(1)) * 100 + get_group_id(0);
}
