// Algorithms.
#pragma OPENCL FP_CONTRACT OFF

kernel void matrix_multiply(global const float *a, global const float *b, global float *c, int n)
{
    local float ta[8][8], tb[8][8];
    const int x = get_global_id(0), y = get_global_id(1), i = get_local_id(0), j = get_local_id(1);
    float sum = 0;
    for (int t = 0; t < n; t += 8) {
        ta[j][i] = a[y * n + t + i];
        tb[j][i] = b[(t + j) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++)
            sum += ta[j][k] * tb[k][i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}

kernel void stencil(global const float *in, global float *out)
{
    const int w = get_global_size(0), h = get_global_size(1), x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (x + dx >= 0 && x + dx < w && y + dy >= 0 && y + dy < h)
                sum += in[(y + dy) * w + x + dx] * (dx == 0 && dy == 0 ? 4.0f : 0.5f);
    out[y * w + x] = sum;
}

kernel void bitonic_sort(global uint *x)
{
    local uint t[64];
    const uint l = get_local_id(0);
    t[l] = x[get_global_id(0)];
    for (uint size = 2; size <= 64; size *= 2)
        for (uint step = size / 2; step; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint with = l ^ step, a = t[l], b = t[with];
            barrier(CLK_LOCAL_MEM_FENCE);
            const bool up = (l & size) == 0, first = l < with;
            t[l] = (a > b) == (up == first) ? b : a;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = t[l];
}

// The best alignment of two texts of 16 letters, each anti-diagonal at a time.
kernel void align_texts(global const uint *x, global const uint *y, global int *best, int gap)
{
    local int m[17][17];
    const int t = get_local_id(0), g = get_group_id(0) * 16;
    m[0][t + 1] = -gap * (t + 1);
    m[t + 1][0] = -gap * (t + 1);
    if (t == 0)
        m[0][0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 0; d < 16; d++) {
        if (t <= d) {
            const int r = d - t + 1, c = t + 1, equal = x[g + r - 1] == y[g + c - 1] ? 3 : -1;
            m[r][c] = max(m[r - 1][c - 1] + equal, max(m[r][c - 1] - gap, m[r - 1][c] - gap));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int d = 14; d >= 0; d--) {
        if (t <= d) {
            const int r = 16 - t, c = t + 16 - d, equal = x[g + r - 1] == y[g + c - 1] ? 3 : -1;
            m[r][c] = max(m[r - 1][c - 1] + equal, max(m[r][c - 1] - gap, m[r - 1][c] - gap));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int k = 0; k < 17; k++)
        best[(g + t) * 17 + k] = m[t + 1][k];
}

// each work-item sorts eight words of its own
kernel void insertion_sort(global int *x)
{
    int v[8];
    global int *mine = x + 8 * get_global_id(0);
    for (int k = 0; k < 8; k++)
        v[k] = mine[k];
    for (int k = 1; k < 8; k++) {
        const int moving = v[k];
        int at = k;
        while (at > 0 && v[at - 1] > moving) {
            v[at] = v[at - 1];
            at--;
        }
        v[at] = moving;
    }
    for (int k = 0; k < 8; k++)
        mine[k] = v[k];
}

kernel void crc32(global const uchar *x, global uint *out, int len)
{
    const size_t i = get_global_id(0);
    uint crc = 0xffffffff;
    for (int k = 0; k < len; k++) {
        crc ^= x[i * len + k];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    out[i] = ~crc;
}

constant uint sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// the empty message, and "abc"
kernel void sha256(global uint8 *out)
{
    const size_t i = get_global_id(0);
    uint w[64] = {i & 1 ? 0x61626380u : 0x80000000u};
    w[15] = i & 1 ? 24 : 0;
    uint8 h = (uint8)(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                      0x1f83d9ab, 0x5be0cd19), s = h;
    for (int k = 16; k < 64; k++) {
        const uint a = w[k - 15], b = w[k - 2];
        w[k] = w[k - 16] + (rotate(a, 25u) ^ rotate(a, 14u) ^ a >> 3) + w[k - 7] +
               (rotate(b, 15u) ^ rotate(b, 13u) ^ b >> 10);
    }
    for (int k = 0; k < 64; k++) {
        const uint t1 = s.s7 + (rotate(s.s4, 26u) ^ rotate(s.s4, 21u) ^ rotate(s.s4, 7u)) +
                        ((s.s4 & s.s5) ^ (~s.s4 & s.s6)) + sha_k[k] + w[k];
        const uint t2 = (rotate(s.s0, 30u) ^ rotate(s.s0, 19u) ^ rotate(s.s0, 10u)) +
                        ((s.s0 & s.s1) ^ (s.s0 & s.s2) ^ (s.s1 & s.s2));
        s = (uint8)(t1 + t2, s.s012, s.s3 + t1, s.s456);
    }
    out[i] = h + s;
}

kernel void sieve(global uchar *composite, int n)
{
    for (int p = 2 + get_local_id(0); p * p < n; p += get_local_size(0))
        for (int k = p * p; k < n; k += p)
            composite[k] = 1;
}

kernel void mandelbrot(global int *out, int most)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const float cx = x * 0.09375f - 2.0f, cy = y * 0.09375f - 1.5f;
    float zx = 0, zy = 0;
    int n = 0;
    while (n < most && zx * zx + zy * zy < 4.0f) {
        const float t = zx * zx - zy * zy + cx;
        zy = 2.0f * zx * zy + cy;
        zx = t;
        n++;
    }
    out[y * get_global_size(0) + x] = n;
}

kernel void n_body(global const float4 *body, global float4 *out, int n)
{
    const size_t i = get_global_id(0);
    const float4 me = body[i];
    float4 force = 0;
    for (int k = 0; k < n; k++) {
        const float4 d = body[k] - me;
        const float r = d.x * d.x + d.y * d.y + d.z * d.z + 0.5f;
        force += d * (body[k].w * r);
    }
    out[i] = force;
}

kernel void xorshift(global ulong *state, int n)
{
    const size_t i = get_global_id(0);
    ulong s = state[i] | 1;
    while (n--) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
    }
    state[i] = s * 0x2545f4914f6cdd1dul;
}

kernel void find_text(global const char *text, int n, global int *first)
{
    const char word[3] = {1, 0, 2};
    const int i = get_global_id(0);
    if (i + 3 > n)
        return;
    for (int k = 0; k < 3; k++)
        if (text[i + k] != word[k])
            return;
    atomic_min(first, i);
}

kernel void life(global const uchar *in, global uchar *out)
{
    const int w = get_global_size(0), h = get_global_size(1), x = get_global_id(0), y = get_global_id(1);
    int n = 0;
    for (int dy = h - 1; dy <= h + 1; dy++)
        for (int dx = w - 1; dx <= w + 1; dx++)
            if (dx != w || dy != h)
                n += in[(y + dy) % h * w + (x + dx) % w] & 1;
    out[y * w + x] = n == 3 || (n == 2 && (in[y * w + x] & 1));
}

// numbers of 256 bits
kernel void big_multiply(global const uint *x, global const uint *y, global uint *out)
{
    const size_t i = get_global_id(0);
    uint r[16] = {0};
    for (int a = 0; a < 8; a++) {
        ulong carry = 0;
        for (int b = 0; b < 8; b++) {
            carry += (ulong)x[8 * i + a] * y[8 * i + b] + r[a + b];
            r[a + b] = (uint)carry;
            carry >>= 32;
        }
        r[a + 8] = (uint)carry;
    }
    for (int k = 0; k < 16; k++)
        out[16 * i + k] = r[k];
}

kernel void modular_power(global const uint *x, global uint *out, uint modulus)
{
    const size_t i = get_global_id(0);
    ulong base = x[2 * i] % modulus, r = 1;
    for (uint e = x[2 * i + 1]; e; e >>= 1) {
        if (e & 1)
            r = r * base % modulus;
        base = base * base % modulus;
    }
    out[i] = (uint)r;
}

kernel void gcd(global const uint *x, global uint *out)
{
    const size_t i = get_global_id(0);
    uint a = x[2 * i], b = x[2 * i + 1];
    while (b) {
        const uint t = a % b;
        a = b;
        b = t;
    }
    out[i] = a;
}

kernel void floyd_warshall(global uint *d, int n)
{
    const int y = get_local_id(0);
    for (int k = 0; k < n; k++) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (int x = 0; x < n; x++)
            d[y * n + x] = min(d[y * n + x], d[y * n + k] + d[k * n + x]);
    }
}

// one group walks the levels of a graph with three edges a node
kernel void breadth_first(global const uint *edge, global int *level, int n)
{
    local int changed;
    const int i = get_local_id(0);
    level[i] = i ? -1 : 0;
    for (int depth = 0; depth < n; depth++) {
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (i == 0)
            changed = 0;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (level[i] == depth)
            for (int k = 0; k < 3; k++)
                if (atomic_cmpxchg(level + edge[3 * i + k], -1, depth + 1) == -1)
                    changed = 1;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (!changed)
            break;
    }
}

// elimination without pivots, in floats, one column a work-item
kernel void lu(global float *a, int n)
{
    const int x = get_local_id(0);
    for (int k = 0; k < n; k++) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (int y = k + 1; y < n; y++) {
            const float f = a[y * n + k] * 0.0078125f;
            if (x > k)
                a[y * n + x] -= f * a[k * n + x];
        }
    }
}

kernel void k_means(global const float2 *point, global const float2 *centre, global int *nearest, int n)
{
    const size_t i = get_global_id(0);
    float best = INFINITY;
    int which = -1;
    for (int k = 0; k < n; k++) {
        const float2 d = point[i] - centre[k];
        const float r = d.x * d.x + d.y * d.y;
        if (r < best) {
            best = r;
            which = k;
        }
    }
    nearest[i] = which;
}

// a Fourier transform of eight points in the integers modulo 257, where 4 has order 8
kernel void transform(global uint *x)
{
    const size_t i = get_global_id(0);
    uint v[8];
    for (int k = 0; k < 8; k++)
        v[k] = x[8 * i + k] % 257;
    for (int half_ = 4; half_; half_ /= 2)
        for (int k = 0; k < 8; k++)
            if (!(k & half_)) {
                const uint a = v[k], b = v[k + half_];
                v[k] = (a + b) % 257;
                v[k + half_] = (a + 257 - b) * (1u << (k % half_ * (8 / half_))) % 257;
            }
    for (int k = 0; k < 8; k++)
        x[8 * i + k] = v[k];
}
