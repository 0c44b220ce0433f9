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

// Each work-item has an object of its own, in global and in local memory: what every function answers, in all its forms,
// and what it leaves.  V(k) is an operand.
#define KEEP(expression) o[n++] = expression
#define LEGACY(P, old, T) \
    KEEP(P##_add(old, V(1))), KEEP(P##_sub(old, V(2))), KEEP(P##_min(old, V(3))), KEEP(P##_max(old, V(4))); \
    KEEP(P##_and(old, V(5) | 0xff0)), KEEP(P##_or(old, V(6) & 0xff)), KEEP(P##_xor(old, V(7))); \
    KEEP(P##_inc(old)), KEEP(P##_dec(old)), KEEP(P##_xchg(old, V(8))); \
    KEEP(P##_cmpxchg(old, V(9), V(10))), KEEP(P##_cmpxchg(old, V(8), V(11))), KEEP(*(old));
#define EVERY(T, P, Q, p, old) \
    do { \
        T e = V(11); \
        KEEP(atomic_fetch_add(p, V(0))); \
        KEEP(atomic_fetch_sub_explicit(p, V(1), memory_order_relaxed)); \
        KEEP(atomic_fetch_xor_explicit(p, V(2), memory_order_seq_cst, memory_scope_device)); \
        KEEP(atomic_fetch_or(p, V(3) & 0xff)); \
        KEEP(atomic_fetch_and_explicit(p, V(4) | 0xff0, memory_order_acq_rel)); \
        KEEP(atomic_fetch_min(p, V(5))); \
        KEEP(atomic_fetch_max_explicit(p, V(6), memory_order_acquire, memory_scope_work_group)); \
        KEEP(atomic_exchange(p, V(7))); \
        KEEP(atomic_exchange_explicit(p, V(8), memory_order_release)); \
        KEEP(atomic_load(p)); \
        atomic_store(p, V(9)); \
        KEEP(atomic_load_explicit(p, memory_order_relaxed)); \
        atomic_store_explicit(p, V(10), memory_order_release, memory_scope_device); \
        KEEP(atomic_load_explicit(p, memory_order_acquire, memory_scope_device)); \
        KEEP(atomic_compare_exchange_strong(p, &e, V(12))), KEEP(e); \
        KEEP(atomic_compare_exchange_strong_explicit(p, &e, V(13), memory_order_acq_rel, memory_order_acquire)), KEEP(e); \
        KEEP(atomic_compare_exchange_weak(p, &e, V(14))), KEEP(e); \
        while (!atomic_compare_exchange_weak_explicit(p, &e, V(15), memory_order_seq_cst, memory_order_relaxed, \
                                                      memory_scope_device)) \
            ; \
        KEEP(e), KEEP(atomic_load(p)); \
        LEGACY(P, old, T) LEGACY(Q, old, T) \
    } while (0)
enum { ANSWERS = 46, ITEMS = 32 };
#define ANSWERS_OF(T, P, Q) \
    kernel void answers_##T(global T *x, global const T *y, global T *out) \
    { \
        local T in_local[ITEMS]; \
        const uint i = get_global_id(0), l = get_local_id(0); \
        global T *o = out + 2 * ANSWERS * i; \
        uint n = 0; \
        in_local[l] = x[i]; \
        EVERY(T, P, Q, (volatile global atomic_##T *)(x + i), x + i); \
        EVERY(T, P, Q, (volatile local atomic_##T *)(in_local + l), in_local + l); \
    }
#define V(k) ((OPERAND)((ulong)y[i] + k))
#define OPERAND int
ANSWERS_OF(int, atomic, atom)
#undef OPERAND
#define OPERAND uint
ANSWERS_OF(uint, atomic, atom)
#undef OPERAND
#define OPERAND long
ANSWERS_OF(long, atom, atom)
#undef OPERAND
#define OPERAND ulong
ANSWERS_OF(ulong, atom, atom)
#undef V

#define REAL_ANSWERS(T) \
    kernel void answers_##T(global const int *x, global const int *y, global T *out) \
    { \
        local atomic_##T object[ITEMS]; \
        const uint i = get_global_id(0); \
        volatile local atomic_##T *p = object + get_local_id(0); \
        const T v = (y[i] % 64) * (T)0.25f; \
        T e = v - 100; \
        global T *o = out + 12 * i; \
        uint n = 0; \
        atomic_init(p, (x[i] % 64) * (T)0.5f); \
        KEEP(atomic_fetch_add(p, v)), KEEP(atomic_fetch_sub_explicit(p, v + 3, memory_order_relaxed)); \
        KEEP(atomic_fetch_min_explicit(p, v, memory_order_acq_rel, memory_scope_device)); \
        KEEP(atomic_fetch_max(p, v - 7)); \
        KEEP(atomic_exchange(p, v + 1)), KEEP(atomic_load(p)); \
        atomic_store(p, v + 2); \
        KEEP(atomic_compare_exchange_strong(p, &e, v)), KEEP(e); \
        KEEP(atomic_compare_exchange_strong(p, &e, v + 4)), KEEP(e); \
        KEEP(atomic_load_explicit(p, memory_order_relaxed)); \
        KEEP(atomic_fetch_max_explicit(p, v + 5, memory_order_relaxed)); \
    }
REAL_ANSWERS(float) REAL_ANSWERS(double)
kernel void exchanged_floats(global float *x, global const float *y, global float *out)
{
    local float l[ITEMS];
    const uint i = get_global_id(0), k = get_local_id(0);
    l[k] = x[i];
    out[2 * i] = atomic_xchg(x + i, y[i]);
    out[2 * i + 1] = atomic_xchg(l + k, 1.0f) + atomic_xchg(l + k, 2.0f);
}
