// What OpenCL C 2.0 adds: generic pointers, program-scope variables, C11 atomics, work-group functions.

int sum_of(const int *p, int n)
{
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum = sum * 3 + p[k];
    return sum;
}

__attribute__((noinline)) void put(int *p, int v) { *p ^= v; }

kernel void generic_pointers(global int *x, global int *out)
{
    local int l[32];
    int p[4];
    const size_t i = get_global_id(0), id = get_local_id(0);
    l[id] = x[i];
    for (int k = 0; k < 4; k++)
        p[k] = x[i] >> k;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *any = x[i] & 1 ? p : x[i] & 2 ? l + (id & 28) : (int *)(x + (i & ~3));
    int r = sum_of(any, 4) + sum_of(p, 4);
    put(&r, 5);
    put(out + i, r);
}

static void fill(uchar *p, int v, uint n) { __builtin_memset(p, v, n); }
static void move(uchar *to, const uchar *from, uint n) { __builtin_memmove(to, from, n); }

/* copies whose pointers are generic until it is seen what they point to */
kernel void generic_moves(global uchar *x, global const uint *n)
{
    local uchar l[32 * 64];
    uchar p[64];
    const size_t i = get_global_id(0);
    global uchar *g = x + 64 * i;
    local uchar *own = l + 64 * get_local_id(0);
    const uint a = n[i] % 20, b = n[i] / 32 % 30;
    fill(own, (int)b, 64);
    move(p, g, 64);
    fill(p + a, (int)b, a + b);
    move(own + a, p + b, 30);
    move(own + 5, own + a, b);
    fill(g + b, 7, a);
    move(g + a, own, 40);
}

kernel void generic_kinds(global int *x, global int *out)
{
    local int l[1];
    int p = 3;
    const size_t i = get_global_id(0);
    int *any = x;
    if (i & 1)
        any = &p;
    else if (i & 2)
        any = l;
    out[i] = (to_global(any) != 0) + 2 * (to_local(any) != 0) + 4 * (to_private(any) != 0);
}

/* an address made of nothing does not say what the pointer points to on the other way; the compiler cannot know that
 * `is_odd` is the condition */
kernel void generic_or_nothing(global int *x, global int *out)
{
    local int is_odd[32];
    const size_t i = get_global_id(0), l = get_local_id(0);
    is_odd[l] = x[i] & 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = x[i] & 1 ? (int *)(x + i) : (int *)0 + x[i];
    out[i] = is_odd[l] ? *p : -7;
}

/* pointers that walk through a loop, one of which each work-item takes in each round */
kernel void generic_choice(global const int *a, global const int *b, global int *out)
{
    const int i = get_global_id(0);
    const int *p = a, *q = b;
    uint sum = 0;
    for (int k = 0; k < 8; k++) {
        const int *r = k & i ? p : q;
        sum = sum * 3 + *r;
        p += 1 + (k & 1);
        q += 1 + (sum & 1);
    }
    out[i] = sum;
}

global int counter = 40;
global int squares[4] = {0, 1, 4, 9};
global int *where = &squares[2];

kernel void program_scope(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    out[i] = squares[x[i] & 3] + *where + counter;
}

kernel void static_in_function(global int *out)
{
    static global int calls = 100;
    atomic_fetch_add_explicit((global atomic_int *)&calls, 1, memory_order_relaxed,
                              memory_scope_device);
    out[get_global_id(0)] = calls >= 101;
}

kernel void c11_atomics(global const int *x, global atomic_int *c)
{
    const int v = x[get_global_id(0)];
    atomic_fetch_add_explicit(c + 0, v, memory_order_relaxed, memory_scope_device);
    atomic_fetch_sub_explicit(c + 1, v, memory_order_relaxed, memory_scope_device);
    atomic_fetch_or_explicit(c + 2, v, memory_order_relaxed, memory_scope_device);
    atomic_fetch_and_explicit(c + 3, v, memory_order_relaxed, memory_scope_device);
    atomic_fetch_xor_explicit(c + 4, v, memory_order_relaxed, memory_scope_device);
    atomic_fetch_min_explicit(c + 5, v, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(c + 6, v, memory_order_relaxed, memory_scope_device);
    int old = atomic_load_explicit(c + 7, memory_order_relaxed, memory_scope_device);
    while (!atomic_compare_exchange_strong_explicit(c + 7, &old, old * 3 + 1, memory_order_relaxed,
                                                    memory_order_relaxed, memory_scope_device))
        ;
}

kernel void local_atomics(global const int *x, global int *out)
{
    local atomic_int sum;
    local atomic_uint top;
    local atomic_flag once;
    const size_t i = get_global_id(0);
    if (get_local_id(0) == 0) {
        atomic_init(&sum, 5);
        atomic_init(&top, 0);
        atomic_flag_clear_explicit(&once, memory_order_relaxed, memory_scope_work_group);
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&sum, x[i], memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_max_explicit(&top, (uint)x[i], memory_order_relaxed, memory_scope_work_group);
    const bool late = atomic_flag_test_and_set_explicit(&once, memory_order_relaxed,
                                                        memory_scope_work_group);
    if (!late)
        atomic_fetch_add_explicit(&sum, 1000, memory_order_relaxed, memory_scope_work_group);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = atomic_load_explicit(&sum, memory_order_relaxed, memory_scope_work_group) ^
             (int)atomic_load_explicit(&top, memory_order_relaxed, memory_scope_work_group);
}

kernel void group_functions(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    global int *o = out + 10 * i;
    o[0] = work_group_all(x[i] & 0xff);
    o[1] = work_group_any(x[i] == x[0]);
    o[2] = work_group_broadcast(x[i], 5);
    o[3] = work_group_reduce_add(x[i]);
    o[4] = work_group_reduce_min(x[i]);
    o[5] = work_group_reduce_max(x[i]);
    o[6] = work_group_scan_exclusive_add(x[i]);
    o[7] = work_group_scan_inclusive_add(x[i]);
    o[8] = work_group_scan_inclusive_max(x[i]);
    o[9] = work_group_scan_exclusive_min(x[i]);
}

kernel void group_functions_long(global const long *x, global ulong *out)
{
    const size_t i = get_global_id(0);
    out[3 * i] = work_group_reduce_add(x[i]);
    out[3 * i + 1] = work_group_scan_inclusive_min((ulong)x[i]);
    out[3 * i + 2] = work_group_broadcast(x[i], get_local_size(0) - 1);
}

// out: a reduction and two scans
#define OPERATION(op) out[n++] = work_group_reduce_##op(v), out[n++] = work_group_scan_inclusive_##op(v), \
    out[n++] = work_group_scan_exclusive_##op(v)
#define INTEGERS(T) \
    kernel void integers_##T(global const T *x, global T *out) \
    { \
        const T v = x[get_global_id(0)]; \
        size_t n = 12 * get_global_id(0); \
        OPERATION(mul), OPERATION(and), OPERATION(or), OPERATION(xor); \
    }
INTEGERS(int) INTEGERS(uint) INTEGERS(long) INTEGERS(ulong)

kernel void logical(global const int *x, global int *out)
{
    const int v = x[get_global_id(0)];
    size_t n = 9 * get_global_id(0);
    OPERATION(logical_and), OPERATION(logical_or), OPERATION(logical_xor);
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// sums, least and greatest of every type; of reals of small whole numbers, whose sums do not depend on the order
#define ORDERED(name, X, T, value) \
    kernel void ordered_##name(global const X *x, global T *out) \
    { \
        const name v = value; \
        size_t n = 9 * get_global_id(0); \
        OPERATION(add), OPERATION(min), OPERATION(max); \
    }
#define ORDERED_INT(T) ORDERED(T, T, T, x[get_global_id(0)])
#define ORDERED_REAL(T, R) ORDERED(T, uint, R, (T)((int)(x[get_global_id(0)] % 60) - 30))
ORDERED_INT(int) ORDERED_INT(uint) ORDERED_INT(long) ORDERED_INT(ulong)
ORDERED_REAL(half, float) ORDERED_REAL(float, float) ORDERED_REAL(double, double)

// values of the item at (x[0], x[1], x[2]) of its group, by each type
kernel void broadcasts(global const uint *x, global const ulong *values, global ulong *out)
{
    const size_t a = x[0] % get_local_size(0), b = x[1] % get_local_size(1), c = x[2] % get_local_size(2);
    const size_t i = get_global_linear_id();
    const ulong v = values[i];
    global ulong *o = out + 7 * i;
    o[0] = (uint)work_group_broadcast((int)v, a, b, c);
    o[1] = work_group_broadcast((uint)(v >> 8), a, b, c);
    o[2] = work_group_broadcast((long)v, a, b, c);
    o[3] = work_group_broadcast(v * 3, a, b, c);
    o[4] = as_ushort(work_group_broadcast(as_half((ushort)(v & 0x7bff)), a, b, c));
    o[5] = as_uint(work_group_broadcast((float)(v >> 48), a, b, c));
    o[6] = as_ulong(work_group_broadcast((double)(v >> 16), a, b, c));
}

// any of the items, and all of them, of each group
kernel void predicates(global const uint *x, global int *out)
{
    const size_t i = get_global_id(0);
    out[2 * i] = work_group_any(x[i] % 16 == 0) != 0;
    out[2 * i + 1] = work_group_all(x[i] % 16) != 0;
}

// powers of 2, whose products do not depend on the order
#define PRODUCTS(T) \
    kernel void products_##T(global const uint *x, global T *out) \
    { \
        const T v = x[get_global_id(0)] % 3 ? 2 : (T)0.25f; \
        size_t n = 3 * get_global_id(0); \
        OPERATION(mul); \
    }
PRODUCTS(half) PRODUCTS(float) PRODUCTS(double)

// a box of 3 x 4 x 2 elements out of one of 7 x 5 x 2, and into one of 4 x 5 x 2
#define BOXES(SIZE) \
    kernel void boxes_##SIZE(global const uchar *x, global uchar *out) \
    { \
        local uchar t[24 * SIZE + 4]; \
        event_t e = async_work_group_copy_3D3D(t, 1 % SIZE == 0, x, 8, SIZE, 3, 4, 2, 7, 35, 3, 12, 0); \
        wait_group_events(1, &e); \
        if (get_local_id(0) == 0) \
            t[(1 % SIZE == 0) * SIZE] ^= 0x55; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        e = async_work_group_copy_3D3D(out, 2, t, 1 % SIZE == 0, SIZE, 3, 4, 2, 3, 12, 4, 20, 0); \
        e = async_work_group_copy_2D2D(out, 42, t, 0, SIZE, 2, 3, 6, 2, e); \
        wait_group_events(1, &e); \
    }
BOXES(1) BOXES(3) BOXES(4) BOXES(12) BOXES(16)

kernel void linear_ids(global uint *out)
{
    out[get_global_linear_id()] = get_local_linear_id() + 1000 * get_enqueued_local_size(0);
}

// a pointer to what has no name
kernel void compound(global int *out)
{
    const size_t i = get_global_id(0);
    const int *p = (int[]){(int)i, 3, (int)i * 2, 9};
    out[i] = p[i & 3];
}

// More scalars are alive in functions that call each other than the warp's stack has words.

#define SCALARS 320
global uint spill_table[SCALARS];

__attribute__((noinline)) uint spill_leaf(uint t)
{
    uint a[SCALARS], s = 0;
    #pragma unroll
    for (int k = 0; k < SCALARS; k++)
        s += a[k] = spill_table[k];
    #pragma unroll
    for (int k = 0; k < SCALARS; k++)
        t = t * 3 + (s ^ a[SCALARS - 1 - k]);
    return t;
}

__attribute__((noinline)) uint spill_node(uint t)
{
    uint a[SCALARS], s = 0;
    #pragma unroll
    for (int k = 0; k < SCALARS; k++)
        s ^= a[k] = spill_table[k];
    t = spill_leaf(t + s);
    #pragma unroll
    for (int k = 0; k < SCALARS; k++)
        t = (t ^ a[k]) * (s | 1);
    if (t & 1)
        t = spill_leaf(t);
    #pragma unroll
    for (int k = 0; k < SCALARS; k++)
        t = t * 5 + a[k];
    return t;
}

kernel void scalar_spill_in_calls(global const uint *x, global uint *out)
{
    const size_t i = get_global_id(0);
    for (int k = 0; k < SCALARS; k++)
        spill_table[k] = x[k];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = spill_node((uint)i) + spill_leaf((uint)i * 7);
}

/* numbers as they are written: ints, which atomic_uint takes too */
kernel void literal_operands(global uint *x)
{
    global atomic_uint *a = (global atomic_uint *)x;
    atomic_fetch_add(a, 1);
    atomic_fetch_sub_explicit(a + 1, 3, memory_order_relaxed);
    atomic_fetch_add_explicit(a + 2, -2, memory_order_relaxed, memory_scope_device);
    atomic_fetch_xor(a + 3, 5);
}

// asynchronous copies of elements of a type: to local memory and back, and there and back with a stride
#define COPIES(T) \
    kernel void copies_##T(global const T *x, global T *out, uint n, uint stride) \
    { \
        local T whole[40], apart[40]; \
        event_t e[2]; \
        e[0] = async_work_group_copy(whole, x, n, 0); \
        e[1] = async_work_group_strided_copy(apart, x, n, stride, 0); \
        wait_group_events(2, e); \
        e[0] = async_work_group_copy(out, whole, n, 0); \
        e[0] = async_work_group_copy(out + n, apart, n, e[0]); \
        e[1] = async_work_group_strided_copy(out + 2 * n, whole, n, stride, 0); \
        wait_group_events(2, e); \
    }
COPIES(char) COPIES(ushort) COPIES(int) COPIES(ulong) COPIES(half) COPIES(float) COPIES(double)
COPIES(uchar2) COPIES(short4) COPIES(uint8) COPIES(long2) COPIES(half16) COPIES(float4) COPIES(double2) COPIES(int16)
