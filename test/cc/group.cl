// Local memory, barriers, atomics, copies.

kernel void reverse(global int *x)
{
    local int t[64];
    const size_t l = get_local_id(0), n = get_local_size(0);
    t[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = t[n - 1 - l];
}

kernel void reduce(global const int *x, global int *out, local int *t)
{
    const size_t l = get_local_id(0);
    t[l] = x[get_global_id(0)];
    for (size_t step = get_local_size(0) / 2; step; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step)
            t[l] += t[l + step];
    }
    if (l == 0)
        out[get_group_id(0)] = t[0];
}

kernel void scan(global const uint *x, global uint *out, local uint *a, local uint *b)
{
    const size_t l = get_local_id(0), n = get_local_size(0);
    a[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t step = 1; step < n; step *= 2) {
        b[l] = l >= step ? a[l] + a[l - step] : a[l];
        barrier(CLK_LOCAL_MEM_FENCE);
        local uint *t = a;
        a = b;
        b = t;
    }
    out[get_global_id(0)] = a[l];
}

// several arrays of several types share the group's memory
kernel void many_locals(global const int *x, global int *out)
{
    local char c[33];
    local long l[16];
    local struct { short a; int b; } s[8];
    local int single;
    const size_t i = get_local_id(0);
    if (i == 5)
        single = x[get_global_id(0)];
    c[i] = (char)x[get_global_id(0)];
    if (i < 16)
        l[i] = (long)x[get_global_id(0)] << 8;
    if (i < 8) {
        s[i].a = (short)i;
        s[i].b = x[get_global_id(0)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = c[31 - i] + (int)(l[i / 2] >> 4) + s[i & 7].a * s[(i + 1) & 7].b + single;
}

kernel void transpose(global const float *in, global float *out)
{
    local float tile[8][9];
    const int x = get_local_id(0), y = get_local_id(1), w = get_global_size(0);
    const int gx = get_group_id(0) * 8, gy = get_group_id(1) * 8;
    tile[y][x] = in[(gy + y) * w + gx + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(gx + y) * get_global_size(1) + gy + x] = tile[x][y];
}

// the barrier lies in a branch that the whole group takes or not
kernel void barrier_in_branch(global int *x)
{
    local int t[32];
    const size_t l = get_local_id(0), i = get_global_id(0);
    if (get_group_id(0) & 1) {
        t[l] = x[i] * 3;
        barrier(CLK_LOCAL_MEM_FENCE);
        x[i] = t[(l + 1) & 31];
    } else {
        for (int k = 0; k < (int)get_group_id(0) + 2; k++) {
            t[l] = x[i] + k;
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            if (l & 1)
                x[i] ^= t[l - 1];
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        }
    }
}

void exchange(local int *t, size_t l, size_t with)
{
    const int v = t[l ^ with];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = t[l] * 2 + v;
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void barrier_in_function(global int *x)
{
    local int t[32];
    const size_t l = get_local_id(0);
    t[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t with = 1; with < 32; with *= 2)
        exchange(t, l, with);
    x[get_global_id(0)] = t[l];
}

kernel void atomics(global const int *x, global int *c)
{
    const int v = x[get_global_id(0)];
    atomic_add(c + 0, v);
    atomic_sub(c + 1, v);
    atomic_and(c + 2, v | 0xff);
    atomic_or(c + 3, v & 0xf0f0f);
    atomic_xor(c + 4, v);
    atomic_min(c + 5, v);
    atomic_max(c + 6, v);
    atomic_inc(c + 7);
    atomic_dec(c + 8);
    atomic_min((global uint *)c + 9, (uint)v);
    atomic_max((global uint *)c + 10, (uint)v);
}

kernel void atomic_results(global uint *next, global uint *seen, global uint *flag)
{
    const uint mine = atomic_inc(next);
    seen[mine] = 1;
    if (atomic_cmpxchg(flag, 0, 9) == 0)
        flag[1] += 7;
    if (atomic_xchg(flag + 2, 5) != 5)
        atomic_add(flag + 3, 1);
}

kernel void local_histogram(global const uchar *x, global uint *bins, int n)
{
    local uint h[16];
    const size_t l = get_local_id(0);
    for (size_t k = l; k < 16; k += get_local_size(0))
        h[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t k = get_global_id(0); k < n; k += get_global_size(0))
        atomic_inc(&h[x[k] & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t k = l; k < 16; k += get_local_size(0))
        atomic_add(&bins[k], h[k]);
}

// a lock of compare and swap around a float
kernel void float_add(global const int *x, volatile global uint *sum)
{
    uint old = *sum, want;
    do {
        want = old;
        old = atomic_cmpxchg(sum, want, as_uint(as_float(want) + (float)x[get_global_id(0)]));
    } while (old != want);
}

kernel void copies(global const int4 *x, global int4 *out, local int4 *t)
{
    const size_t n = get_local_size(0), first = get_group_id(0) * n, l = get_local_id(0);
    event_t e = async_work_group_copy(t, x + first, n, 0);
    wait_group_events(1, &e);
    const int4 v = t[n - 1 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = v + (int)l;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + first, t, n, 0);
    wait_group_events(1, &e);
}

kernel void strided_copies(global const short *x, global short *out)
{
    local short t[32];
    event_t e = async_work_group_strided_copy(t, x, 32, 3, 0);
    prefetch(x, 32);
    wait_group_events(1, &e);
    out[get_global_id(0)] = t[31 - get_local_id(0)];
}

kernel __attribute__((reqd_work_group_size(16, 2, 1))) void fixed_size(global int *x)
{
    local int t[16 * 2];
    const size_t l = get_local_id(1) * 16 + get_local_id(0);
    const size_t g = get_global_id(1) * get_global_size(0) + get_global_id(0);
    t[l] = x[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[g] = t[l ^ 17] - t[l];
}
