// Atomics of 64 bits and of floats: by lanes of a warp, warps of a group and groups at the same time, on a few objects.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

#define RELAXED memory_order_relaxed, memory_scope_device

// every work-item on one of four objects; the sums need carries from the low word
kernel void old_names(global const long *x, global long *s, global ulong *u)
{
    const long v = x[get_global_id(0)];
    const uint k = v & 3;
    atom_add(s + k, v);
    atom_sub(s + 4 + k, v);
    atom_min(s + 8 + k, v);
    atom_max(s + 12 + k, v);
    atom_and(s + 16 + k, v | 0xff);
    atom_or(s + 20 + k, v);
    atom_xor(s + 24 + k, v);
    atom_inc(s + 28);
    atom_dec(s + 29);
    atom_add(u + k, (ulong)v);
    atom_min(u + 4 + k, (ulong)v);
    atom_max(u + 8 + k, (ulong)v);
}

// each ticket is given once, across the border of the words
kernel void tickets(global ulong *next, global uint *seen)
{
    const ulong mine = atom_add(next, 0x10000001ul) / 0x10000001ul;
    atomic_inc(seen + (uint)mine);
}

kernel void new_names(global const long *x, global atomic_long *s, global atomic_ulong *u)
{
    const long v = x[get_global_id(0)];
    const uint k = v & 3;
    atomic_fetch_add(s + k, v);
    atomic_fetch_sub_explicit(s + 4 + k, v, RELAXED);
    atomic_fetch_min_explicit(s + 8 + k, v, RELAXED);
    atomic_fetch_max(s + 12 + k, v);
    atomic_fetch_and(s + 16 + k, v | 0xff);
    atomic_fetch_or(s + 20 + k, v);
    atomic_fetch_xor(s + 24 + k, v);
    atomic_fetch_add(u + k, (ulong)v);
    atomic_fetch_min(u + 4 + k, (ulong)v);
    atomic_fetch_max(u + 8 + k, (ulong)v);
    ulong old = atomic_load(u + 12);
    while (!atomic_compare_exchange_weak(u + 12, &old, old * 3 + 1))
        ;
}

// only some lanes, each its own number of times, through generic pointers
void count(volatile atomic_long *p, long times)
{
    for (long k = 0; k < times; k++)
        atomic_fetch_add_explicit(p, 0x80000001l, memory_order_relaxed);
}

kernel void in_local(global const uint *x, global long *out)
{
    local atomic_long sum[2];
    const uint i = get_global_id(0), id = get_local_id(0);
    if (id < 2)
        atomic_init(sum + id, (long)id << 32);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x[i] & 1)
        count(sum + (x[i] >> 1 & 1), x[i] & 7);
    else if (x[i] & 8)
        atomic_fetch_xor(sum, (long)id << 40);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = atomic_load(sum) ^ atomic_load(sum + 1);
}

// whole numbers are exchanged, never half of one and half of another
global atomic_ulong shared[2];

kernel void whole(global const uint *x, global uint *torn)
{
    const uint i = get_global_id(0);
    for (uint k = 0; k < 8; k++) {
        const uint v = x[i] + k;
        const ulong both = (ulong)v << 32 | v;
        ulong old;
        switch (k & 3) {
        case 0: atomic_store(shared + (k >> 2), both); old = both; break;
        case 1: old = atomic_exchange(shared + (v & 1), both); break;
        default: old = atomic_load_explicit(shared + (v & 1), RELAXED); break;
        }
        if ((uint)old != (uint)(old >> 32))
            atomic_inc(torn);
    }
}

// numbers of which every sum is exact
kernel void floats(global const int *x, global atomic_float *f, global atomic_double *d)
{
    const int v = x[get_global_id(0)] >> 20;
    const uint k = v & 1;
    atomic_fetch_add(f + k, (float)v);
    atomic_fetch_sub_explicit(f + 2 + k, (float)v, RELAXED);
    atomic_fetch_min(f + 4 + k, (float)v);
    atomic_fetch_max(f + 6 + k, (float)v);
    atomic_fetch_add(d + k, v * 0x1.0p33);
    atomic_fetch_sub(d + 2 + k, v * 0x1.0p33);
    atomic_fetch_min_explicit(d + 4 + k, v + 0.5, RELAXED);
    atomic_fetch_max(d + 6 + k, v + 0.5);
}

kernel void float_local(global const int *x, global float *out)
{
    local atomic_float sum;
    local atomic_double largest;
    const uint i = get_global_id(0);
    if (!get_local_id(0)) {
        atomic_store(&sum, 0.5f);
        atomic_store(&largest, -1e300);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&sum, (float)(x[i] >> 20), memory_order_relaxed);
    atomic_fetch_max(&largest, (double)(x[i] >> 20));
    barrier(CLK_LOCAL_MEM_FENCE);
    out[2 * i] = atomic_load(&sum);
    out[2 * i + 1] = (float)atomic_load(&largest);
}
