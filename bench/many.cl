/* many.cl -- small kernels of many kinds, each of a line or a few: types, accesses, functions, shapes of groups that
 * programs have and bench/kinds.cl has not.
 *
 * All take a buffer of random integers, one of random floats from 0 to 1, one for results, which begins with zeros, and a
 * number.  Lines "//@ NAME GLOBAL GLOBAL LOCAL LOCAL NUMBER exact|near: what it is" say how they are launched (local size 0:
 * the platform chooses), and whether platforms must agree about each bit of the results.
 */

//@ c_add 262144 1 64 1 0 exact: sums of bytes
kernel void c_add(global const uchar *a, global const uchar *b, global uchar *c, int n)
{
    int i = get_global_id(0);
    c[i] = a[i] + b[i];
}

//@ c_avg4 262144 1 64 1 0 exact: means of uchar4
kernel void c_avg4(global const uchar4 *a, global const uchar4 *b, global uchar4 *c, int n)
{
    int i = get_global_id(0);
    c[i] = convert_uchar4((convert_ushort4(a[i]) + convert_ushort4(b[i])) >> (ushort4)(1));
}

//@ s_add 262144 1 64 1 0 exact: sums of short that saturate
kernel void s_add(global const short *a, global const short *b, global short *c, int n)
{
    int i = get_global_id(0);
    c[i] = add_sat(a[i], b[i]);
}

//@ blur3 512 512 16 16 512 exact: mean of 3 by 3 bytes
kernel void blur3(global const uchar *a, global const float *b, global uchar *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    int s = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            int u = clamp(x + i, 0, n - 1), v = clamp(y + j, 0, n - 1);
            s += a[v * n + u];
        }
    c[y * n + x] = s / 9;
}

//@ sobel 512 512 16 16 512 near: edges of bytes
kernel void sobel(global const uchar *a, global const float *b, global uchar *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    float gx = 0, gy = 0;
    gx = -(float)a[(y - 1) * n + x - 1] + a[(y - 1) * n + x + 1] - 2.0f * a[y * n + x - 1] +
         2.0f * a[y * n + x + 1] - (float)a[(y + 1) * n + x - 1] + a[(y + 1) * n + x + 1];
    gy = -(float)a[(y - 1) * n + x - 1] - 2.0f * a[(y - 1) * n + x] - a[(y - 1) * n + x + 1] +
         a[(y + 1) * n + x - 1] + 2.0f * a[(y + 1) * n + x] + a[(y + 1) * n + x + 1];
    c[y * n + x] = convert_uchar_sat(sqrt(gx * gx + gy * gy));
}

//@ rgba2gray 262144 1 64 1 0 near: uchar4 to bytes
kernel void rgba2gray(global const uchar4 *a, global const float *b, global uchar *c, int n)
{
    int i = get_global_id(0);
    uchar4 p = a[i];
    c[i] = (uchar)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
}

//@ rgb3 262144 1 64 1 0 exact: packed pixels of three bytes
kernel void rgb3(global const uchar *a, global const float *b, global uchar *c, int n)
{
    int i = get_global_id(0);
    uchar3 p = vload3(i, a);
    vstore3(p.zyx, i, c);
}

//@ half_ax 262144 1 64 1 0 near: half
kernel void half_ax(global const half *a, global const float *b, global half *c, int n)
{
    int i = get_global_id(0);
    vstore_half(vload_half(i, (global half *)b) * 2.0f + 1.0f, i, c);
}

//@ float3s 65536 1 64 1 0 near: packed vectors of three floats
kernel void float3s(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    float3 p = vload3(i, b);
    vstore3(normalize(p), i, c);
}

//@ float16s 65536 1 64 1 0 near: float16
kernel void float16s(global const int *a, global const float16 *b, global float16 *c, int n)
{
    int i = get_global_id(0);
    c[i] = b[i] * 2.0f + 1.0f;
}

//@ aos 65536 1 64 1 0 near: structures of 32 bytes
typedef struct {
    float x, y, z, vx, vy, vz, m;
    int id;
} P;
kernel void aos(global const int *a, global const float *b, global P *c, int n)
{
    int i = get_global_id(0);
    P p = c[i];
    float k = b[i];
    p.x += p.vx * k;
    p.y += p.vy * k;
    p.z += p.vz * k;
    p.m += 1;
    p.id = i;
    c[i] = p;
}

//@ long_mul 65536 1 64 1 64 exact: a hash of 64 bits
kernel void long_mul(global const ulong *a, global const float *b, global ulong *c, int n)
{
    int i = get_global_id(0);
    ulong h = a[i];
    for (int k = 0; k < n; k++) {
        h ^= h >> 33;
        h *= 0xff51afd7ed558ccdUL;
        h ^= h << 13;
    }
    c[i] = h;
}

//@ sha512ish 65536 1 64 1 64 exact: rotations of 64 bits
kernel void sha512ish(global const ulong *a, global const float *b, global ulong *c, int n)
{
    int i = get_global_id(0);
    ulong x = a[i], y = a[i + 1], z = a[i + 2], w = a[i + 3];
    for (int k = 0; k < n; k++) {
        ulong t = w + (rotate(x, 50UL) ^ rotate(x, 46UL) ^ rotate(x, 23UL)) + ((x & y) ^ (~x & z));
        w = z;
        z = y;
        y = x;
        x = t + k;
    }
    c[i] = x + y + z + w;
}

//@ divmod 65536 1 64 1 32 exact: quotients and remainders
kernel void divmod(global const uint *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    uint h = a[i], d = (a[i + 1] & 1023) + 3, s = 0;
    for (int k = 0; k < n; k++) {
        s += h / (d + k) + h % (d + k);
    }
    c[i] = s;
}

//@ ldiv 65536 1 64 1 16 exact: the same of 64 bits
kernel void ldiv(global const ulong *a, global const float *b, global ulong *c, int n)
{
    int i = get_global_id(0);
    ulong h = a[i], d = (a[i + 1] & 1023) + 3, s = 0;
    for (int k = 0; k < n; k++) {
        s += h / (d + k) + h % (d + k);
    }
    c[i] = s;
}

//@ idiv_c 262144 1 64 1 0 exact: division by constants
kernel void idiv_c(global const int *a, global const float *b, global int *c, int n)
{
    int i = get_global_id(0);
    c[i] = a[i] / 10 + a[i] % 7;
}

//@ sincosf 65536 1 64 1 0 near: sine and cosine
kernel void sincosf(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    c[i] = sin(b[i] * 6.0f) * cos(b[i] * 3.0f);
}

//@ nsincosf 65536 1 64 1 0 near: the native ones
kernel void nsincosf(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    c[i] = native_sin(b[i] * 6.0f) * native_cos(b[i] * 3.0f);
}

//@ explog 65536 1 64 1 0 near: exp and log
kernel void explog(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    c[i] = exp(b[i]) + log(b[i] + 1.0f);
}

//@ powf 65536 1 64 1 0 near: pow
kernel void powf(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    c[i] = pow(b[i] + 0.5f, b[i + 7] * 3.0f);
}

//@ tanatan 65536 1 64 1 0 near: inverse functions
kernel void tanatan(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    c[i] = atan2(b[i], b[i + 9]) + tanh(b[i]) + acos(b[i]);
}

//@ erfcbrt 65536 1 64 1 0 near: rare functions
kernel void erfcbrt(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    c[i] = erf(b[i]) + cbrt(b[i]) + rsqrt(b[i] + 1) + fmod(b[i] * 100, 3.0f);
}

//@ fdiv 65536 1 64 1 64 near: float division
kernel void fdiv(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    float s = 1;
    for (int k = 0; k < n; k++)
        s = (s + b[i]) / (s * b[i + 1] + 1.0f);
    c[i] = s;
}

//@ bits 65536 1 64 1 64 exact: counts of bits
kernel void bits(global const uint *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    uint h = a[i], s = 0;
    for (int k = 0; k < n; k++) {
        s += popcount(h) + clz(h);
        h = rotate(h, 5u) * 5u + 1u;
    }
    c[i] = s;
}

//@ mulhi 65536 1 64 1 64 exact: upper halves of products
kernel void mulhi(global const uint *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    uint h = a[i], s = 1;
    for (int k = 0; k < n; k++) {
        s = mul_hi(h, s | 0x80000000u) ^ mad24(s, 3u, h);
        h += s;
    }
    c[i] = s;
}

//@ gatomic 65536 1 64 1 0 exact: counters anywhere
kernel void gatomic(global const uint *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    atomic_add(&c[a[i] & 255], 1u);
}

//@ gatomic1 65536 1 64 1 0 exact: one counter, some lanes
kernel void gatomic1(global const uint *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    if (a[i] & 1)
        atomic_inc(&c[0]);
}

//@ compact 65536 1 64 1 0 exact: a counter whose values are places
kernel void compact(global const uint *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    if ((a[i] & 3) == 0) {
        uint k = atomic_inc(&c[0]);
        c[1 + (k & 65535)] = 0;
    }
}

//@ latomic 65536 1 256 1 0 exact: local counters
kernel void latomic(global const uint *a, global const float *b, global uint *c, int n)
{
    local uint h[64];
    int l = get_local_id(0);
    if (l < 64)
        h[l] = 0;
    barrier(1);
    for (int k = 0; k < 16; k++)
        atomic_add(&h[a[get_global_id(0) * 16 + k & 0x3fffff] & 63], 1u);
    barrier(1);
    if (l < 64)
        c[get_group_id(0) * 64 + l] = h[l];
}

//@ barriers 65536 1 64 1 32 near: many barriers
kernel void barriers(global const uint *a, global const float *b, global float *c, int n)
{
    local float h[64];
    int l = get_local_id(0);
    float s = b[get_global_id(0)];
    for (int k = 0; k < n; k++) {
        h[l] = s;
        barrier(1);
        s = h[(l + k) & 63] * 0.5f + s * 0.5f;
        barrier(1);
    }
    c[get_global_id(0)] = s;
}

//@ privarr 65536 1 64 1 0 exact: a private array
kernel void privarr(global const uint *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    uint v[16];
    for (int k = 0; k < 16; k++)
        v[k] = a[i * 16 + k & 0x3fffff];
    uint s = a[i];
    for (int k = 0; k < 64; k++) {
        s = v[s & 15] + k;
        v[k & 15] ^= s;
    }
    c[i] = s;
}

//@ inssort 16384 1 64 1 0 exact: insertion sort in private memory
kernel void inssort(global const uint *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    uint v[16];
    for (int k = 0; k < 16; k++) {
        uint x = a[i * 16 + k];
        int j = k;
        while (j > 0 && v[j - 1] > x) {
            v[j] = v[j - 1];
            j--;
        }
        v[j] = x;
    }
    for (int k = 0; k < 16; k++)
        c[i * 16 + k] = v[k];
}

//@ switchy 65536 1 64 1 64 exact: eight ways
kernel void switchy(global const uint *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    uint h = a[i];
    for (int k = 0; k < n; k++) {
        switch (h & 7) {
        case 0: h = h * 3 + 1; break;
        case 1: h ^= h >> 3; break;
        case 2: h += 77; break;
        case 3: h = ~h; break;
        case 4: h *= 7; break;
        case 5: h = h / 3; break;
        case 6: h = rotate(h, 3u); break;
        default: h -= 5;
        }
    }
    c[i] = h;
}

//@ collatz 65536 1 64 1 0 exact: loops that end anywhere
kernel void collatz(global const uint *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    uint h = i + 1, s = 0;
    while (h != 1 && s < 500) {
        h = h & 1 ? 3 * h + 1 : h / 2;
        s++;
    }
    c[i] = s;
}

//@ gcd 65536 1 64 1 0 exact: the same with remainders
kernel void gcd(global const uint *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    uint x = a[i], y = a[i + 1];
    while (y) {
        uint t = x % y;
        x = y;
        y = t;
    }
    c[i] = x;
}

//@ bsearch 65536 1 64 1 1048576 exact: binary search
kernel void bsearch(global const uint *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    uint key = a[i] % (uint)n;
    uint lo = 0, hi = n;
    while (lo < hi) {
        uint m = (lo + hi) / 2;
        if (m * 1u < key)
            lo = m + 1;
        else
            hi = m;
    }
    c[i] = lo;
}

//@ chase 65536 1 64 1 32 exact: chains of loads
kernel void chase(global const uint *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    uint p = i;
    for (int k = 0; k < n; k++)
        p = a[p] & 0xffff;
    c[i] = p;
}

//@ lut 262144 1 64 1 0 exact: tables
constant uint T[256] = {1, 2, 3, 4, 5, 6, 7, 8};
kernel void lut(global const uint *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    uint v = a[i];
    c[i] = T[v & 255] ^ T[v >> 8 & 255] ^ T[v >> 16 & 255];
}

//@ raym 512 128 16 4 0 near: marching along rays
kernel void raym(global const uint *a, global const float *b, global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float3 o = (float3)(0, 0, -3),
           d = normalize((float3)((x - 256) / 256.0f, (y - 64) / 64.0f, 1.5f));
    float t = 0;
    int k = 0;
    for (; k < 64; k++) {
        float3 p = o + d * t;
        float3 q = fabs(fmod(p + 10.0f, 2.0f) - 1.0f);
        float r = length(q) - 0.4f;
        if (r < 0.001f)
            break;
        t += r;
        if (t > 20)
            break;
    }
    c[y * 512 + x] = t + k;
}

//@ strlenk 16384 1 64 1 0 exact: strings
kernel void strlenk(global const uchar *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    uint k = 0;
    global const uchar *s = a + i * 64;
    uint h = 5381;
    while (k < 64 && s[k] != 0) {
        h = h * 33 + s[k];
        k++;
    }
    c[i] = h;
}

//@ crc 16384 1 64 1 64 exact: CRC of rows of bytes
kernel void crc(global const uchar *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    uint h = ~0u;
    for (int k = 0; k < n; k++) {
        h ^= a[i * n + k];
        for (int j = 0; j < 8; j++)
            h = h & 1 ? (h >> 1) ^ 0xedb88320u : h >> 1;
    }
    c[i] = ~h;
}

//@ tpose8 512 512 16 16 512 exact: transposition of bytes
kernel void tpose8(global const uchar *a, global const float *b, global uchar *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    c[x * n + y] = a[y * n + x];
}

//@ mmtile16 256 256 16 16 256 near: matrix product by tiles
kernel void mmtile16(global const float *a, global const float *b, global float *c, int n)
{
    local float A[16][16], B[16][16];
    int x = get_local_id(0), y = get_local_id(1), gx = get_global_id(0), gy = get_global_id(1);
    float s = 0;
    for (int k = 0; k < n; k += 16) {
        A[y][x] = b[gy * n + k + x];
        B[y][x] = b[(k + y) * n + gx];
        barrier(1);
        for (int j = 0; j < 16; j++)
            s += A[y][j] * B[j][x];
        barrier(1);
    }
    c[gy * n + gx] = s;
}

//@ conv1d 262144 1 64 1 17 near: a filter
kernel void conv1d(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < n; k++)
        s += b[i + k] * b[k + 1000000];
    c[i] = s;
}

//@ fir_l 65536 1 128 1 32 near: a filter in local memory
kernel void fir_l(global const int *a, global const float *b, global float *c, int n)
{
    local float t[192];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = b[g];
    if (l < 64)
        t[128 + l] = b[g + 128];
    barrier(1);
    float s = 0;
    for (int k = 0; k < n; k++)
        s += t[l + k] * b[k];
    c[g] = s;
}

//@ scanw 65536 1 64 1 0 exact: sums of what is before
kernel void scanw(global const uint *a, global const float *b, global uint *c, int n)
{
    local uint t[64];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = a[g];
    barrier(1);
    for (int d = 1; d < 64; d *= 2) {
        uint v = l >= d ? t[l - d] : 0;
        barrier(1);
        t[l] += v;
        barrier(1);
    }
    c[g] = t[l];
}

//@ xorshift 65536 1 64 1 256 exact: random numbers
kernel void xorshift(global const uint *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    uint s = a[i] | 1;
    int in = 0;
    for (int k = 0; k < n; k++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        float x = (s & 0xffff) / 65536.0f;
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        float y = (s & 0xffff) / 65536.0f;
        in += x * x + y * y < 1.0f;
    }
    c[i] = in;
}

//@ lbm 65536 1 64 1 65536 near: nine planes
kernel void lbm(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    float r = 0, f[9];
    for (int k = 0; k < 9; k++) {
        f[k] = b[k * n + i];
        r += f[k];
    }
    float u = (f[1] - f[3] + f[5] - f[6]) / r;
    for (int k = 0; k < 9; k++)
        c[k * n + i] = f[k] * 0.9f + 0.1f * r * (1 + u * (k - 4));
}

//@ odd 65533 1 1 1 0 exact: groups of one
kernel void odd(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    c[i] = b[i] * 2;
}

//@ small8 65536 1 8 1 32 near: groups of eight
kernel void small8(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    float s = b[i];
    for (int k = 0; k < n; k++)
        s = s * 0.9f + 0.1f;
    c[i] = s;
}

//@ rows 512 1 64 1 512 near: a row each
kernel void rows(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < n; k++)
        s += b[i * n + k];
    c[i] = s;
}

//@ crows 512 1 64 1 2048 exact: a row of bytes each
kernel void crows(global const uchar *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    uint s = 0;
    for (int k = 0; k < n; k++)
        s += a[i * n + k];
    c[i] = s;
}

//@ f4rows 512 1 64 1 512 near: a row of float4 each
kernel void f4rows(global const uint *a, global const float4 *b, global float4 *c, int n)
{
    int i = get_global_id(0);
    float4 s = 0;
    for (int k = 0; k < n; k++)
        s += b[i * n + k];
    c[i] = s;
}

//@ selectv 262144 1 64 1 0 exact: selection of vectors
kernel void selectv(global const int4 *a, global const float4 *b, global float4 *c, int n)
{
    int i = get_global_id(0);
    c[i] = select(b[i], -b[i], a[i] > (int4)(1 << 26));
}

//@ life 512 512 16 16 512 exact: game of life
kernel void life(global const uchar *a, global const float *b, global uchar *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    int s = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            if (i || j)
                s += a[((y + j) & (n - 1)) * n + ((x + i) & (n - 1))] & 1;
    int me = a[y * n + x] & 1;
    c[y * n + x] = (s == 3) || (me && s == 2);
}

//@ sha256 16384 1 64 1 0 exact: SHA-256
#define RR(x, n) rotate(x, (uint)(32 - (n)))
constant uint K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
kernel void sha256(global const uint *a, global const float *b, global uint *c, int n)
{
    int g = get_global_id(0);
    uint w[16];
    for (int i = 0; i < 16; i++)
        w[i] = a[g * 16 + i];
    uint A = 0x6a09e667, B = 0xbb67ae85, C = 0x3c6ef372, D = 0xa54ff53a, E = 0x510e527f,
         F = 0x9b05688c, G = 0x1f83d9ab, H = 0x5be0cd19;
    for (int i = 0; i < 64; i++) {
        uint t;
        if (i < 16)
            t = w[i];
        else {
            uint x = w[(i + 1) & 15], y = w[(i + 14) & 15];
            t = w[i & 15] = w[i & 15] + w[(i + 9) & 15] + (RR(x, 7) ^ RR(x, 18) ^ (x >> 3)) +
                            (RR(y, 17) ^ RR(y, 19) ^ (y >> 10));
        }
        uint t1 = H + (RR(E, 6) ^ RR(E, 11) ^ RR(E, 25)) + ((E & F) ^ (~E & G)) + K[i] + t,
             t2 = (RR(A, 2) ^ RR(A, 13) ^ RR(A, 22)) + ((A & B) ^ (A & C) ^ (B & C));
        H = G;
        G = F;
        F = E;
        E = D + t1;
        D = C;
        C = B;
        B = A;
        A = t1 + t2;
    }
    c[g * 2] = A ^ B ^ C ^ D;
    c[g * 2 + 1] = E ^ F ^ G ^ H;
}

//@ aesish 16384 1 64 1 10 exact: four tables
kernel void aesish(global const uint *a, global const float *b, global uint *c, int n)
{
    int g = get_global_id(0);
    uint s0 = a[g * 4], s1 = a[g * 4 + 1], s2 = a[g * 4 + 2], s3 = a[g * 4 + 3];
    global const uint *T = a + 65536;
    for (int r = 0; r < n; r++) {
        uint t0 = T[s0 & 255] ^ T[256 + (s1 >> 8 & 255)] ^ T[512 + (s2 >> 16 & 255)] ^
                  T[768 + (s3 >> 24)];
        uint t1 = T[s1 & 255] ^ T[256 + (s2 >> 8 & 255)] ^ T[512 + (s3 >> 16 & 255)] ^
                  T[768 + (s0 >> 24)];
        uint t2 = T[s2 & 255] ^ T[256 + (s3 >> 8 & 255)] ^ T[512 + (s0 >> 16 & 255)] ^
                  T[768 + (s1 >> 24)];
        uint t3 = T[s3 & 255] ^ T[256 + (s0 >> 8 & 255)] ^ T[512 + (s1 >> 16 & 255)] ^
                  T[768 + (s2 >> 24)];
        s0 = t0;
        s1 = t1;
        s2 = t2;
        s3 = t3;
    }
    vstore4((uint4)(s0, s1, s2, s3), g, c);
}

//@ rc4 2048 1 64 1 64 exact: bytes in private memory
kernel void rc4(global const uchar *a, global const float *b, global uchar *c, int n)
{
    int g = get_global_id(0);
    uchar S[256];
    for (int i = 0; i < 256; i++)
        S[i] = i;
    int j = 0;
    for (int i = 0; i < 256; i++) {
        j = (j + S[i] + a[g * 16 + (i & 15)]) & 255;
        uchar t = S[i];
        S[i] = S[j];
        S[j] = t;
    }
    int i = 0;
    j = 0;
    for (int k = 0; k < n; k++) {
        i = (i + 1) & 255;
        j = (j + S[i]) & 255;
        uchar t = S[i];
        S[i] = S[j];
        S[j] = t;
        c[g * n + k] = S[(S[i] + S[j]) & 255];
    }
}

//@ fftl 32768 1 64 1 0 near: transformation in local memory
kernel void fftl(global const int *a, global const float2 *b, global float2 *c, int n)
{
    local float2 t[128];
    int l = get_local_id(0), g = get_group_id(0);
    t[l] = b[g * 128 + l];
    t[l + 64] = b[g * 128 + l + 64];
    barrier(1);
    for (int s = 1; s < 128; s *= 2) {
        int k = l & (s - 1), i = (l - k) * 2 + k;
        float an = -3.14159265f * k / s;
        float2 w = (float2)(native_cos(an), native_sin(an));
        float2 u = t[i], v = t[i + s];
        v = (float2)(v.x * w.x - v.y * w.y, v.x * w.y + v.y * w.x);
        barrier(1);
        t[i] = u + v;
        t[i + s] = u - v;
        barrier(1);
    }
    c[g * 128 + l] = t[l];
    c[g * 128 + l + 64] = t[l + 64];
}

//@ median9 512 512 16 16 512 near: median of nine
#define SW(x, y)                                                                                   \
    {                                                                                              \
        float t = fmin(x, y);                                                                      \
        y = fmax(x, y);                                                                            \
        x = t;                                                                                     \
    }
kernel void median9(global const int *a, global const float *b, global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float v[9];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            v[j * 3 + i] = b[clamp(y + j - 1, 0, n - 1) * n + clamp(x + i - 1, 0, n - 1)];
    SW(v[1], v[2])
    SW(v[4], v[5]) SW(v[7], v[8]) SW(v[0], v[1]) SW(v[3], v[4]) SW(v[6], v[7]) SW(v[1], v[2])
        SW(v[4], v[5]) SW(v[7], v[8]) SW(v[0], v[3]) SW(v[5], v[8]) SW(v[4], v[7]) SW(v[3], v[6])
            SW(v[1], v[4]) SW(v[2], v[5]) SW(v[4], v[7]) SW(v[4], v[2]) SW(v[6], v[4])
                SW(v[4], v[2]) c[y * n + x] = v[4];
}

//@ bilateral 256 256 16 16 256 near: a filter with exp
kernel void bilateral(global const int *a, global const float *b, global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float me = b[y * n + x], s = 0, w = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            float v = b[clamp(y + j, 0, n - 1) * n + clamp(x + i, 0, n - 1)], d = v - me,
                  k = exp(-(i * i + j * j) * 0.1f - d * d * 8.0f);
            s += k * v;
            w += k;
        }
    c[y * n + x] = s / w;
}

//@ levens 4096 1 64 1 32 exact: distance of strings
kernel void levens(global const uchar *a, global const float *b, global uint *c, int n)
{
    int g = get_global_id(0);
    uchar row[33];
    for (int i = 0; i <= n; i++)
        row[i] = i;
    for (int i = 1; i <= n; i++) {
        uchar prev = row[0];
        row[0] = i;
        uchar ch = a[g * 64 + i - 1] & 3;
        for (int j = 1; j <= n; j++) {
            uchar t = row[j];
            uchar m =
                min(min(row[j] + 1, row[j - 1] + 1), prev + ((a[g * 64 + 32 + j - 1] & 3) != ch));
            prev = t;
            row[j] = m;
        }
    }
    c[g] = row[n];
}

//@ radixcnt 16384 1 64 1 16 exact: digits counted by lane
kernel void radixcnt(global const uint *a, global const float *b, global uint *c, int n)
{
    local uint h[16 * 64];
    int l = get_local_id(0), g = get_global_id(0);
    for (int i = 0; i < 16; i++)
        h[i * 64 + l] = 0;
    for (int i = 0; i < n; i++)
        h[((a[g * n + i] >> 4) & 15) * 64 + l]++;
    barrier(1);
    for (int i = 0; i < 16; i++)
        c[i * 16384 + g] = h[i * 64 + l];
}

//@ histl256 65536 1 256 1 16 exact: histogram by groups
kernel void histl256(global const uint *a, global const float *b, global uint *c, int n)
{
    local uint h[256];
    int l = get_local_id(0), g = get_global_id(0);
    h[l] = 0;
    barrier(1);
    for (int i = 0; i < n; i++)
        atomic_inc(&h[a[i * 65536 + g & 0x3fffff] & 255]);
    barrier(1);
    atomic_add(&c[l], h[l]);
}

//@ floyd 256 256 16 16 256 near: shortest paths
kernel void floyd(global const uint *a, global float *b, global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    for (int k = 0; k < 8; k++) {
        float d = b[y * n + k] + b[k * n + x];
        c[y * n + x] = fmin(b[y * n + x], d);
    }
}

//@ conv5 512 512 16 16 512 near: 5 by 5 filter
kernel void conv5(global const uint *a, global const float *b, global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float s = 0;
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++)
            s += b[(y + j) * n + x + i] * b[1000000 + j * 5 + i];
    c[y * n + x] = s;
}

//@ convl 512 512 16 16 512 near: the same in local memory
kernel void convl(global const uint *a, global const float *b, global float *c, int n)
{
    local float t[20][21];
    int x = get_local_id(0), y = get_local_id(1), gx = get_group_id(0) * 16,
        gy = get_group_id(1) * 16;
    for (int j = y; j < 20; j += 16)
        for (int i = x; i < 20; i += 16)
            t[j][i] = b[(gy + j) * n + gx + i];
    barrier(1);
    float s = 0;
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++)
            s += t[y + j][x + i] * b[1000000 + j * 5 + i];
    c[(gy + y) * n + gx + x] = s;
}

//@ tposel 512 512 16 16 512 exact: transposition in local memory
kernel void tposel(global const uint *a, global const float *b, global float *c, int n)
{
    local float t[16][17];
    int x = get_local_id(0), y = get_local_id(1);
    t[y][x] = b[get_global_id(1) * n + get_global_id(0)];
    barrier(1);
    c[(get_group_id(0) * 16 + y) * n + get_group_id(1) * 16 + x] = t[x][y];
}

//@ gather4 65536 1 64 1 0 near: float4 anywhere
kernel void gather4(global const uint *a, global const float4 *b, global float4 *c, int n)
{
    int i = get_global_id(0);
    c[i] = b[a[i] & 0xffff] + b[a[i + 1] & 0xffff];
}

//@ scatter4 65536 1 64 1 0 exact: float4 to anywhere
kernel void scatter4(global const uint *a, global const float4 *b, global float4 *c, int n)
{
    int i = get_global_id(0);
    c[(i * 40503u) & 0xffff] = b[i];
}

//@ scatter1 65536 1 64 1 0 exact: words to anywhere
kernel void scatter1(global const uint *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    c[(i * 40503u) & 0xffff] = b[i];
}

//@ scatterb 65536 1 64 1 0 exact: bytes to anywhere
kernel void scatterb(global const uint *a, global const float *b, global uchar *c, int n)
{
    int i = get_global_id(0);
    c[(i * 40503u) & 0xffff] = a[i];
}

//@ bvh 16384 1 64 1 0 near: a tree with a stack
typedef struct {
    float lo[3];
    uint left;
    float hi[3];
    uint right;
} Node;
kernel void bvh(global const Node *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    float ox = b[i], oy = b[i + 1], oz = b[i + 2];
    uint st[16];
    int sp = 0;
    st[sp++] = i & 1023;
    float best = 1e30f;
    int steps = 0;
    while (sp > 0 && steps < 40) {
        uint k = st[--sp];
        global const Node *p = a + (k & 4095);
        steps++;
        float d = fabs(ox - b[k * 7 & 0xfffff]) + fabs(oy - b[k * 3 & 0xfffff]);
        if (d < best) {
            best = d;
            if (sp < 14) {
                st[sp++] = p->left & 4095;
                st[sp++] = p->right & 4095;
            }
        }
    }
    c[i] = best + steps;
}

//@ nq 4096 1 64 1 8 exact: queens
kernel void nq(global const uint *a, global const float *b, global uint *c, int n)
{
    int g = get_global_id(0);
    int pos[12];
    int row = 2, cnt = 0;
    pos[0] = g & 7;
    pos[1] = (g >> 3) & 7;
    pos[2] = -1;
    while (row >= 2) {
        int p = ++pos[row];
        if (p >= n) {
            row--;
            continue;
        }
        int ok = 1;
        for (int k = 0; k < row; k++)
            if (pos[k] == p || abs(pos[k] - p) == row - k) {
                ok = 0;
                break;
            }
        if (!ok)
            continue;
        if (row == n - 1) {
            cnt++;
            continue;
        }
        pos[++row] = -1;
    }
    c[g] = cnt;
}

//@ perlin 65536 1 64 1 4 near: noise
float gradh(uint h, float x, float y)
{
    h &= 7;
    float u = h < 4 ? x : y, v = h < 4 ? y : x;
    return ((h & 1) ? -u : u) + ((h & 2) ? -2 * v : 2 * v);
}
kernel void perlin(global const uint *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    float x = (i & 255) * 0.05f, y = (i >> 8) * 0.05f, s = 0, amp = 1;
    for (int o = 0; o < n; o++) {
        float fx = floor(x), fy = floor(y);
        int ix = fx, iy = fy;
        float dx = x - fx, dy = y - fy;
        float u = dx * dx * dx * (dx * (dx * 6 - 15) + 10),
              v = dy * dy * dy * (dy * (dy * 6 - 15) + 10);
        uint h00 = a[(a[ix & 255] + iy) & 255], h10 = a[(a[(ix + 1) & 255] + iy) & 255],
             h01 = a[(a[ix & 255] + iy + 1) & 255], h11 = a[(a[(ix + 1) & 255] + iy + 1) & 255];
        s += amp * mix(mix(gradh(h00, dx, dy), gradh(h10, dx - 1, dy), u),
                       mix(gradh(h01, dx, dy - 1), gradh(h11, dx - 1, dy - 1), u), v);
        x *= 2;
        y *= 2;
        amp *= 0.5f;
    }
    c[i] = s;
}

//@ dotred 65536 1 128 1 0 near: dot product by groups
kernel void dotred(global const float *a, global const float *b, global float *c, int n)
{
    local float t[128];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = b[g] * b[g + 7];
    barrier(1);
    for (int s = 64; s > 0; s >>= 1) {
        if (l < s)
            t[l] += t[l + s];
        barrier(1);
    }
    if (!l)
        c[get_group_id(0)] = t[0];
}

//@ stride2 65536 1 64 1 0 near: every second word
kernel void stride2(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    c[i] = b[2 * i] + b[2 * i + 1];
}

//@ stride3 65536 1 64 1 0 exact: every third word
kernel void stride3(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    c[i] = b[3 * i];
}

//@ rev 65536 1 64 1 65535 exact: backwards
kernel void rev(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    c[i] = b[n - i];
}

//@ mod7 65536 1 64 1 7 exact: a division for an index
kernel void mod7(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    c[i] = b[i % n] + b[i / n];
}

//@ uni 65536 1 64 1 64 near: what all lanes load
kernel void uni(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < n; k++)
        s = s * b[k] + b[k + n];
    c[i] = s + i;
}

//@ gemv 1024 1 64 1 1024 near: matrix by vector
kernel void gemv(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < n; k++)
        s += b[k * n + i] * b[k];
    c[i] = s;
}

//@ gemvt 1024 1 64 1 1024 near: the same by rows
kernel void gemvt(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < n; k++)
        s += b[i * n + k] * b[k];
    c[i] = s;
}

//@ gemm4 64 256 8 8 256 near: matrix product of float4
kernel void gemm4(global const int *a, global const float4 *b, global float4 *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 s = 0;
    global const float *f = (global const float *)b;
    for (int k = 0; k < n; k++)
        s += f[y * n + k] * b[k * (n / 4) + x];
    c[y * (n / 4) + x] = s;
}

//@ intsqrt 65536 1 64 1 0 exact: integer roots
kernel void intsqrt(global const uint *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    uint v = a[i], r = 0;
    for (uint bit = 1u << 30; bit; bit >>= 2) {
        if (v >= r + bit) {
            v -= r + bit;
            r = (r >> 1) + bit;
        } else
            r >>= 1;
    }
    c[i] = r;
}

//@ prime 16384 1 64 1 0 exact: prime numbers
kernel void prime(global const uint *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    uint v = (i * 2 + 100001), p = 1;
    for (uint d = 3; d * d <= v; d += 2)
        if (v % d == 0) {
            p = 0;
            break;
        }
    c[i] = p;
}

//@ lcg64 65536 1 64 1 32 near: random numbers of 64 bits
kernel void lcg64(global const uint *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    ulong s = a[i];
    float x = 0;
    for (int k = 0; k < n; k++) {
        s = s * 6364136223846793005UL + 1442695040888963407UL;
        x += (float)(uint)(s >> 40) * (1.0f / 16777216);
    }
    c[i] = x;
}

//@ philox 65536 1 64 1 10 exact: random numbers of four words
kernel void philox(global const uint *a, global const float *b, global uint *c, int n)
{
    int i = get_global_id(0);
    uint x0 = i, x1 = 0, x2 = 0, x3 = 0, k0 = 7, k1 = 9;
    for (int r = 0; r < n; r++) {
        uint h0 = mul_hi(0xD2511F53u, x0), l0 = 0xD2511F53u * x0, h1 = mul_hi(0xCD9E8D57u, x2),
             l1 = 0xCD9E8D57u * x2;
        x0 = h1 ^ x1 ^ k0;
        x1 = l1;
        x2 = h0 ^ x3 ^ k1;
        x3 = l0;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    vstore4((uint4)(x0, x1, x2, x3), i & 0x3ffff, c);
}

//@ tri 65536 1 64 1 0 near: triangular indices
kernel void tri(global const uint *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    int r = (int)((sqrt(8.0f * i + 1) - 1) * 0.5f);
    int k = i - r * (r + 1) / 2;
    c[i] = b[r & 0xffff] * b[k & 0xffff];
}

//@ swz 65536 1 64 1 0 near: components of vectors
kernel void swz(global const float4 *a, global const float4 *b, global float4 *c, int n)
{
    int i = get_global_id(0);
    float4 v = b[i];
    c[i] = (float4)(dot(v, v.yzwx), length(v.xyz), fmax(v.x, v.w), clamp(v.z, 0.1f, 0.5f));
}

//@ shortv 65536 1 64 1 0 exact: short4
kernel void shortv(global const short4 *a, global const float *b, global short4 *c, int n)
{
    int i = get_global_id(0);
    c[i] = (short4)(a[i] * (short)3 + a[i + 1]) >> (short4)2;
}

//@ ch16 65536 1 64 1 0 exact: uchar16
kernel void ch16(global const uchar16 *a, global const float *b, global uchar16 *c, int n)
{
    int i = get_global_id(0);
    c[i] = max(a[i], (uchar16)(17)) - (uchar16)(3);
}

//@ yuv 65536 1 64 1 0 near: colours
kernel void yuv(global const uchar4 *a, global const float *b, global uchar4 *c, int n)
{
    int i = get_global_id(0);
    float4 p = convert_float4(a[i]);
    float y = dot(p.xyz, (float3)(0.299f, 0.587f, 0.114f));
    c[i] = convert_uchar4_sat((float4)(y, 128 + 0.564f * (p.z - y), 128 + 0.713f * (p.x - y), 255));
}

//@ oddn 65537 1 0 1 0 exact: a prime number of items
kernel void oddn(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    c[i] = b[i] * 2;
}

//@ loc4 65536 1 4 1 0 exact: groups of four
kernel void loc4(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    c[i] = b[i] * 2;
}

//@ loc16 65536 1 16 1 0 exact: groups of sixteen
kernel void loc16(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    c[i] = b[i] * 2;
}

//@ loc33 65538 1 33 1 0 exact: groups of 33
kernel void loc33(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    c[i] = b[i] * 2;
}

//@ loc100 65500 1 100 1 0 exact: groups of 100
kernel void loc100(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    c[i] = b[i] * 2;
}

//@ n2d 509 127 0 1 512 exact: a grid of primes
kernel void n2d(global const int *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0) + get_global_id(1) * n;
    c[i] = b[i] * 2;
}

//@ deint 65536 1 64 1 0 near: four words each, in and out
kernel void deint(global const float *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    float x = b[4 * i], y = b[4 * i + 1], z = b[4 * i + 2], w = b[4 * i + 3];
    c[4 * i] = x + y;
    c[4 * i + 1] = x - y;
    c[4 * i + 2] = z * w;
    c[4 * i + 3] = z + w;
}

//@ rgbf 65536 1 64 1 0 near: pixels of three floats
kernel void rgbf(global const float *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    float x = b[3 * i], y = b[3 * i + 1], z = b[3 * i + 2];
    c[i] = 0.3f * x + 0.6f * y + 0.1f * z;
}

//@ rgbb 65536 1 64 1 0 near: pixels of three bytes
kernel void rgbb(global const uchar *a, global const float *b, global uchar *c, int n)
{
    int i = get_global_id(0);
    float x = a[3 * i], y = a[3 * i + 1], z = a[3 * i + 2];
    c[i] = (uchar)(0.3f * x + 0.6f * y + 0.1f * z);
}

//@ cplx 65536 1 64 1 0 near: complex squares
kernel void cplx(global const float *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    float x = b[2 * i], y = b[2 * i + 1];
    c[2 * i] = x * x - y * y;
    c[2 * i + 1] = 2 * x * y;
}
