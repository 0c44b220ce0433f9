// Structs, unions, arrays, pointers, and the places where they lie.

typedef struct {
    char c;
    long l;
    short s[3];
    int i;
} Mixed;

typedef struct {
    Mixed m;
    float2 v;
    struct {
        uchar a, b;
    } in;
} Nested;

typedef union {
    uint word;
    ushort half_[2];
    uchar byte[4];
    float f;
} Punned;

kernel void struct_array(global Mixed *x)
{
    const size_t i = get_global_id(0);
    Mixed m = x[i];
    m.l += m.c;
    m.s[i % 3] = (short)m.i;
    m.i = m.s[0] + m.s[1] + m.s[2];
    x[i] = m;
}

kernel void struct_argument(Mixed m, global long *out)
{
    const size_t i = get_global_id(0);
    out[i] = m.c + m.l * 3 + m.s[i % 3] + m.i;
}

kernel void nested_argument(global const int *x, Nested n, char last, global long *out)
{
    const size_t i = get_global_id(0);
    n.m.i ^= x[i];
    n.in.a += n.in.b;
    out[i] = n.m.i + n.m.l + n.in.a * 5 + as_int(n.v.y) + last;
}

kernel void small_arguments(char a, short b, uchar c, long d, ushort e, uchar3 f, global long *out)
{
    const size_t i = get_global_id(0);
    out[i] = a + b * 2 + c * 3 + d * 4 + e * 5 + f.x * 6 + f.z * 7 + (long)i;
}

kernel void vector_arguments(int2 a, float4 b, char16 c, global int *out)
{
    const size_t i = get_global_id(0);
    out[i] = a.x - a.y + as_int(b.w) + c.sf * c.s0;
}

__attribute__((noinline)) Mixed turn(Mixed m, int by)
{
    Mixed r = {(char)(m.c + by), m.l ^ by, {m.s[2], m.s[0], m.s[1]}, m.i * by};
    return r;
}

kernel void struct_by_value(global Mixed *x)
{
    const size_t i = get_global_id(0);
    const Mixed m = turn(x[i], (int)i + 1);
    x[i].c = m.c;
    x[i].l = m.l;
    x[i].s[0] = m.s[0];
    x[i].s[1] = m.s[1];
    x[i].s[2] = m.s[2];
    x[i].i = m.i;
}

kernel void unions(global const uint *x, global uint *out)
{
    const size_t i = get_global_id(0);
    Punned p;
    p.word = x[i];
    p.half_[0] += p.half_[1];
    p.byte[3] = p.byte[i & 3];
    out[i] = p.word;
}

kernel void compound_literals(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    const int v = (struct { int v[4]; }){{x[i], 3, x[i] * 2, 9}}.v[i & 3];
    const Mixed m = (Mixed){.i = v, .s = {1, 2, 3}};
    out[i] = m.i + m.s[i % 3] + (int)m.l;
}

kernel void private_array(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    int a[20];
    for (int k = 0; k < 20; k++)
        a[k] = x[i] * k;
    for (int k = 0; k < 20; k++)
        a[(a[k] ^ k) & 15] += a[19 - k];
    out[i] = a[x[i] & 15];
}

kernel void private_matrix(global const uchar *x, global int *out)
{
    const size_t i = get_global_id(0);
    short m[4][5] = {{1, 2}, {3}, {[4] = 7}};
    uchar row[8] = {0};
    for (int k = 0; k < 4; k++) {
        m[k][x[i] % 5] += k + x[i];
        row[(x[i] + k) & 7] = m[k][k];
    }
    int sum = 0;
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 5; c++)
            sum = sum * 3 + m[r][c];
    for (int k = 0; k < 8; k++)
        sum += row[k] << k;
    out[i] = sum;
}

kernel void pointers(global int *x)
{
    const size_t i = get_global_id(0);
    int a = x[i], b = a + 5;
    int *p = &a, *q = &b, **pp = a & 1 ? &p : &q;
    **pp += 100;
    *pp = a & 2 ? &a : &b;
    *p *= 2;
    *q -= 7;
    x[i] = a * 1000 + b;
}

kernel void pointer_walk(global const short *x, global int *out, int n)
{
    const size_t i = get_global_id(0);
    global const short *p = x + i, *end = x + n;
    int sum = 0;
    while (p < end) {
        sum += *p;
        p += get_local_size(0);
    }
    out[i] = sum + (int)(end - (x + i));
}

typedef struct List {
    int value, next;
} List;

kernel void linked_list(global const List *nodes, global int *out)
{
    const size_t i = get_global_id(0);
    int sum = 0, steps = 0;
    for (int at = i; at >= 0 && steps < 50; at = nodes[at].next, steps++)
        sum = sum * 5 + nodes[at].value;
    out[i] = sum + steps;
}

constant int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
constant uchar4 colours[] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
constant Mixed things[2] = {{1, 0x123456789l, {2, 3, 4}, 5}, {-1, -2, {-3, -4, -5}, -6}};
constant char *constant names[] = {"zero", "one", "two", "three"};

kernel void constants(global const uint *x, global int *out)
{
    const size_t i = get_global_id(0);
    const uint v = x[i];
    out[i] = table[v & 15] + colours[v % 3].z * 100 + (int)(things[v & 1].l >> 4) +
             things[v & 1].s[v % 3];
}

kernel void strings(global const uint *x, global int *out)
{
    const size_t i = get_global_id(0);
    constant char *s = names[x[i] & 3];
    int h = 0;
    while (*s)
        h = h * 31 + *s++;
    out[i] = h;
}

kernel void constant_argument(constant int *c, global const uint *x, global int *out)
{
    const size_t i = get_global_id(0);
    out[i] = c[x[i] & 15] * c[i & 15] + c[3];
}

kernel void volatiles(volatile global int *x)
{
    const size_t i = get_global_id(0);
    volatile int v = x[i];
    v = v + 1;
    x[i] = v;
    x[i] = x[i] * v;
}

kernel void bytes(global uchar *x)
{
    const size_t i = get_global_id(0);
    global uint *w = (global uint *)(x + 8 * i);
    w[0] += x[8 * i + 5] << 8;
    ((global ushort *)w)[2] ^= 0x1234;
    x[8 * i + 7] = *(global char *)w;
}

typedef struct __attribute__((packed)) {
    uchar tag;
    uint value;
    ushort more;
} Packed;

kernel void packed(global Packed *x)
{
    const size_t i = get_global_id(0);
    x[i].value += x[i].tag;
    x[i].more = (ushort)(x[i].value >> 3);
}

kernel void half_storage(global const half *x, global float *wide, global half *back)
{
    const size_t i = get_global_id(0);
    const float f = vload_half(i, x);
    wide[i] = f;
    vstore_half(f * 1.5f, i, back);
}

kernel void half_vectors(global const float *x, global half *h)
{
    const size_t i = get_global_id(0);
    const float4 v = vload4(i, x);
    vstore_half4_rtz(v, 2 * i, h);
    vstore_half4_rtp(v, 2 * i + 1, h);
}

kernel void spill(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    int16 a = vload16(0, x + i), b = vload16(1, x + i), c = vload16(2, x + i), d = a * b, e = b * c,
          f = c * a, g = a + b + c;
    for (int k = 0; k < 5; k++) {
        const int16 t = a;
        a = b * d + e;
        b = c ^ f;
        c = t - g;
        d += a;
        e -= b.s123456789abcdef0;
        f ^= c;
        g = (g << 1) ^ t;
    }
    vstore16(a + b + c + d + e + f + g, i, out);
}

// More scalars are alive than there are registers and words of the warp's stack, also where lanes part.

#define SCALARS 320

kernel void scalar_spill(global const uint *x, global uint *out)
{
    const size_t i = get_global_id(0);
    uint a[SCALARS], s = 0, t = (uint)i;
    #pragma unroll
    for (int k = 0; k < SCALARS; k++)
        a[k] = x[k];
    #pragma unroll
    for (int k = 0; k < SCALARS; k++) {
        s += a[k];
        t = t * 3 + (s ^ a[SCALARS - 1 - k]);
    }
    if (t & 8) {
        #pragma unroll
        for (int k = 0; k < SCALARS; k++)
            t = (t ^ a[k]) * (s | 1);
    } else {
        #pragma unroll
        for (int k = 0; k < SCALARS; k++)
            t = t * 5 + (a[SCALARS - 1 - k] ^ a[7]);
    }
    #pragma unroll
    for (int k = 0; k < SCALARS; k++)
        t = (t << 1 | t >> 31) + a[k];
    out[i] = t;
}

// Loops of any number of rounds, among them what is left over where several rounds become one, whose addresses step by
// numbers from outside; the first addresses differ from round to round of the loop around them.

kernel void steps(global const uint *a, global const uint *b, global uint *out, uint stride, uint most)
{
    const uint i = get_global_id(0);
    uint sum = 0;
    for (uint n = 0; n < most; n++) {
        uint part = n;
        for (uint k = 0; k < n; k++)
            part = part * 3 + (a[k * stride + i] ^ b[n * 2 + k]);
        sum = sum * 5 + part;
    }
    for (int k = (int)most - 1; k >= 0; k--)
        out[(uint)k * stride + i] = sum ^ a[i * most + (uint)k];
}
