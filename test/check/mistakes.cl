/* mistakes.cl -- kernels with one mistake each, and others that look like them and have none;
 * test/script/check_test.sh says which. */

kernel void over_global(global int *out, global int *in)
{
    int i = get_global_id(0);
    out[i + 1] = in[i];                                 /* bounds-1 */
}

kernel void under_global(global int *out, global int *in)
{
    int i = get_global_id(0);
    out[i] = in[i - 1];                                 /* bounds-2 */
}

kernel void over_bytes(global char *out)
{
    if (get_global_id(0) == 0)
        out[29] = out[32];                              /* bounds-3 */
}

kernel void over_local(global int *out, local int *t)
{
    int l = get_local_id(0);
    t[l] = l;
    if (!l)
        t[get_local_size(0)] = 1;                       /* bounds-4 */
    out[get_global_id(0)] = t[l];
}

kernel void race_local(global int *out, local int *t)
{
    int l = get_local_id(0);
    t[l] = l;
    out[get_global_id(0)] = t[l ^ 1];                   /* race-1 */
}

kernel void race_warps(global int *out, local int *t)
{
    int l = get_local_id(0);
    t[l] = l;                                           /* race-2 */
    out[get_global_id(0)] = t[get_local_size(0) - 1 - l]; /* race-2 */
}

kernel void race_fence(global int *out, local int *t)
{
    int l = get_local_id(0);
    t[l] = l;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = t[l ^ 1];                   /* race-3 */
}

kernel void race_groups(global int *out)
{
    if (get_local_id(0) == 0)
        out[get_group_id(0) / 2] += get_group_id(0);    /* race-4 */
}

kernel void race_parts(global int *out)
{
    out[get_global_id(0) % 64] = get_global_id(0);      /* race-11 */
}

kernel void race_atomic(global int *out)
{
    atomic_add(out, 1);
    out[1 + get_global_id(0)] = out[0];                 /* race-5 */
}

kernel void race_same_lane(global int *out)
{
    out[get_global_id(0) / 2] = get_global_id(0);       /* race-6 */
}

kernel void race_count(global int *part, global atomic_uint *count, global int *out)
{
    local bool is_last;
    if (!get_local_id(0)) {
        part[get_group_id(0)] = 1;
        is_last = atomic_fetch_add_explicit(count, 1, memory_order_relaxed, memory_scope_device) ==
                  get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_last && get_local_id(0) == 1)
        for (int i = 0; i < get_num_groups(0); i++)
            *out += part[i];                            /* race-7 */
}

kernel void barrier_sides(global int *out)
{
    if (get_global_id(0) == 0) {
        out[0] = 1;
        barrier(CLK_GLOBAL_MEM_FENCE);                  /* barrier-1 */
    } else {
        barrier(CLK_GLOBAL_MEM_FENCE);                  /* barrier-2 */
        out[get_global_id(0)] = 2;
    }
}

kernel void barrier_missed(global int *out)
{
    out[get_global_id(0)] = 1;
    if (get_local_id(0) < get_max_sub_group_size())
        barrier(CLK_GLOBAL_MEM_FENCE);                  /* barrier-3 */
}

kernel void allowed(global int *out)
{
    out[get_global_id(0) / 2] = get_global_id(0);       /* as each may win; ventus: allow race */
    /* ventus: allow race, bounds */
    out[(get_global_id(0) + 1) / 2] = get_global_id(0);
}

/* --- none ------------------------------------------------------------------------------------ */

kernel void fine_local(global int *out, local int *t)
{
    int l = get_local_id(0);
    for (int k = 0; k < 3; k++) {
        t[l] = l + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = t[get_local_size(0) - 1 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

kernel void fine_count(global int *part, global atomic_uint *count, global int *out)
{
    local bool is_last;
    if (!get_local_id(0)) {
        part[get_group_id(0)] = 1;
        is_last = atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_device) ==
                  get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_last && get_local_id(0) == 1)
        for (int i = 0; i < get_num_groups(0); i++)
            *out += part[i];
}

kernel void fine_flag(global int *data, global atomic_int *flag, global int *out)
{
    if (get_local_id(0))
        return;
    if (get_group_id(0) == 0) {
        data[0] = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)) {
        out[get_group_id(0)] = data[0];
    }
}

kernel void fine_collective(local int *t, global int *out)
{
    int l = get_local_id(0);
    t[l] = work_group_reduce_add(l) + sub_group_reduce_add(1) + sub_group_broadcast(l, 3) +
           sub_group_any(l == 7) + work_group_scan_inclusive_max(l);
    out[get_global_id(0)] = t[l];
}

kernel void fine_same(global int *flag, global char *bytes)
{
    *flag = 1; /* all the same */
    bytes[get_global_id(0)] = 3;
}

/* --- values nobody wrote ---------------------------------------------------------------------- */

kernel void init_branch(global int *in, global int *out)
{
    if (in[get_global_id(0)] > 3)                       /* init-1 */
        out[get_global_id(0)] = 1;
}

kernel void init_address(global int *in, global int *out)
{
    out[in[get_global_id(0)] & 7] = 1;                  /* init-2 */
}

kernel void init_output(global int *out, local int *t)
{
    int l = get_local_id(0);
    if (l != 5)
        t[l] = l;
    out[get_global_id(0)] = t[l] + 1;                   /* init-3 */
}

kernel void init_array(global int *where, global int *out)
{
    int a[4];
    for (int i = 0; i < 4; i++)
        a[where[i]] = i;
    for (int i = 0; i < 4; i++)
        out[i] = a[i];                                  /* init-4 */
}

kernel void init_variable(global int *out, int n)
{
    int i = get_global_id(0), x;
    if (i < n)
        x = i;
    if (x > 3)                                          /* init-5 */
        out[i] = 1;
}

kernel void init_element(global int *out)
{
    int a[3], sum = 0;
    a[0] = 1;
    a[2] = 3;
    for (int i = 0; i < 3; i++)
        sum += a[i];
    out[get_global_id(0)] = sum;                        /* init-6 */
}

kernel void init_component(global float4 *out)
{
    float4 f;
    f.xzw = 4.5f;
    out[get_global_id(0)] = f * 2;                      /* init-7 */
}

kernel void init_round(global int *out, int n)
{
    for (int i = 0; i < n; i++) {
        int last[2];
        last[(i + 1) & 1] = i;
        out[i] = last[0];                               /* init-8 */
    }
}

struct padded {
    char a;
    int b;
    char c;
};

kernel void fine_padding(global struct padded *out, local struct padded *t)
{
    struct padded s = {42, get_local_id(0), 7};
    t[get_local_id(0)] = s;
    out[get_global_id(0)] = t[get_local_id(0)];
}

/* What is assigned on all ways to its use, or not used. */
kernel void fine_variables(global struct padded *out, global int *sum, int n)
{
    int i = get_global_id(0), x, y[4], z;
    float4 f;
    struct padded s, t[2];
    if (i < n)
        x = i;
    for (int k = 0; k < 4; k++)
        y[k] = k * n;
    f.lo = (float2)(1, 2);
    f.hi = f.lo + n;
    s.a = i;
    s.b = i < n ? x + 1 : 2;
    s.c = 3;
    t[i & 1] = s;
    out[i] = t[i & 1];
    for (int k = 0; k < n; k++) {
        if (k > 0 && z > 0)
            x += z;
        z = k;
    }
    if (i < n)
        sum[i] = x + y[n & 3] + (int)(f.x + f.w);
}

kernel void fine_bits(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = (in[i] & 0) | i;
}

kernel void over_variable(global int *out)
{
    local int a[8], b[8];
    int l = get_local_id(0);
    if (l < 8) {
        a[l] = l;
        b[l] = l;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8)
        out[l] = a[l] + b[out[0] + 8];                  /* bounds-5 */
}

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void fine_locks(global ulong *sum, local int *t)
{
    int l = get_local_id(0), seen = 0;
    atom_add(sum, (ulong)l << 20);
    if (!l)
        t[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 3; k++)
        seen += atomic_cmpxchg(t, k, k + 1) == k;
    atom_add(sum, (ulong)seen);
}

__attribute__((noinline)) int leaf(global const int *in, int i) { return in[i & 63] * 3; }
__attribute__((noinline)) int branch(global const int *in, int i) { return leaf(in, i + 1) ^ leaf(in, i); }

/* their return addresses are in memory of the warp */
kernel void fine_calls(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = branch(in, i) + branch(in, i * 3);
}

/* --- arrays inside of something ---------------------------------------------------------------- */

struct parts {
    int head;
    char name[6];
    short tail[2];
};

kernel void over_private(global int *out, int n)
{
    int a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
    int i = get_global_id(0);
    out[i] = a[i & 3] + b[n + (i & 1)];                 /* bounds-6 */
}

kernel void under_private(global int *out, int n)
{
    int a[4] = {1, 2, 3, 4};
    a[(char)(n - 4)] = get_global_id(0);                /* bounds-7 */
    for (int i = 0; i < 4; i++)
        out[4 * get_global_id(0) + i] = a[i];
}

kernel void over_member(global struct parts *out, int n)
{
    out[get_global_id(0)].name[n] = 1;                  /* bounds-8 */
}

kernel void over_row(global int *out, int n)
{
    int a[3][5];
    for (int i = 0; i < 15; i++)
        a[i / 5][i % 5] = i;
    out[get_global_id(0)] = a[1][n];                    /* bounds-9 */
}

int of(const struct parts *p, int n)
{
    return p->tail[n];                                  /* bounds-10 */
}

kernel void over_callee(global int *out, int n)
{
    struct parts p = {1, {2}, {n, n}};
    out[get_global_id(0)] = of(&p, n);
}

constant int powers[4] = {1, 10, 100, 1000};

kernel void over_constant(global int *out, int n)
{
    out[get_global_id(0)] = powers[n];                  /* bounds-11 */
}

constant int sevens[4] = {7, 7, 7, 7};
int pick(constant int *t, int n)
{
    return t[n];                                        /* bounds-14 */
}

kernel void over_table(global int *out, int n)
{
    out[get_global_id(0)] = pick(powers, n) + pick(sevens, 3);
}

kernel void over_literal(global int *out, int n)
{
    const int t[4] = {1, 2, 3, 4};
    const int *p = t;
    out[get_global_id(0)] = p[get_global_id(0) / 32 + n]; /* bounds-15 */
}

/* All of each, through pointers. */
kernel void fine_tables(global int *out)
{
    constant int *p = get_local_id(0) & 1 ? powers : sevens;
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += p[i] + pick(powers, i);
    out[get_global_id(0)] = sum + p[get_local_id(0) & 3];
}

kernel void global_as_private(global int *out)
{
    private int *p = (private int *)(uint)out;
    *p = 7;                                             /* bounds-16 */
}

struct open {
    int n;
    int value[1];
};

/* The end of an array is a place, an array of one element at the end may stand for more, and an
 * index that only bits of a larger type make wrong is right. */
kernel void fine_indices(global struct open *out, int n)
{
    int a[4] = {1, 2, 3, 4}, sum = 0;
    for (int *p = a; p < &a[4]; p++)
        sum += *p;
    for (int i = 3; i >= 0; i--)
        sum += a[i];
    out->value[get_global_id(0)] = sum + a[(uchar)(n + 253)] + a[n & 3];
}

/* A store to a component stores no other, which another work-item may write. */
kernel void fine_component(global int4 *out)
{
    const int i = get_global_id(0);
    if (i & 1)
        out[i / 2].y = i;
    else
        out[i / 2].x = i;
}

/* Nor do several statements, several components at once, or a number that is computed. */
kernel void fine_components(global int4 *out, global const int4 *in)
{
    const int i = get_global_id(0);
    if (i & 1) {
        out[i / 2].y = i;
        out[i / 2].w = 2;
    } else {
        out[i / 2].xz = in[i].zy;
    }
    out[32 + i / 2][(i & 1) * 3] = 7;
    if (i & 1)
        out[32 + i / 2].yz = (int2)(5, i);
}

struct nested {
    struct padded a[2];
    long b;
};

kernel void fine_nested(global struct nested *out)
{
    struct nested s = {{{1, 2, 3}, {4, 5, 6}}, 7}, t;
    t = s;
    out[get_global_id(0)] = t;
}

/* --- pointers into private variables ------------------------------------------------------------ */

__attribute__((noinline)) int total(const int *p, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i];                                    /* bounds-12 */
    return sum;
}

kernel void over_pointer(global int *out, int n)
{
    int a[4] = {1, 2, 3, n}, b[4] = {5, 6, 7, n};
    out[get_global_id(0)] = total(a, n) + total(b, 4);
}

kernel void before_pointer(global int *out, int n)
{
    int a[4] = {1, 2, 3, n}, b[4] = {5, 6, 7, n};
    int *p = b + (get_global_id(0) & 3);
    p[-n] = 9;                                          /* bounds-13 */
    out[get_global_id(0)] = total(a, 4) + total(b, 4);
}

/* far from its variable, in another one */
kernel void far_load(global int *out, int n)
{
    int a[8], b[64];
    for (int i = 0; i < 64; i++)
        b[i] = i < 8 ? a[i] = n : i;
    int *p = get_global_id(0) & 1 ? a + 1 : a;
    p += n;
    out[get_global_id(0)] = *p + b[n & 63] + a[n & 7];  /* bounds-17 */
}

kernel void far_store(global int *out, int n)
{
    int4 v = n;
    int a[64], b[64];
    for (int i = 0; i < 64; i++)
        a[i] = b[i] = n;
    int *p = b + 32;
    p[-n - 1] = 1;                                      /* bounds-18 */
    ((char *)&v)[n] = 1;                                /* bounds-19 */
    out[get_global_id(0)] = a[n & 63] + b[n & 63] + v.x;
}

kernel void far_constant(global int *out, int n)
{
    int a[8], b[64];
    for (int i = 0; i < 64; i++)
        b[i] = i < 8 ? a[i] = n : i;
    int *p = a, *q = p + 16;
    out[get_global_id(0)] = *q + b[n & 63] + p[n & 7];  /* bounds-20 */
}

kernel void far_local(global int *out, int n)
{
    local int a[8], b[64];
    int l = get_local_id(0);
    b[l] = l;
    if (l < 8)
        a[l] = n;
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *p = l & 1 ? a + 1 : a;
    p += n;
    out[get_global_id(0)] = *p + b[l ^ 1];              /* bounds-21 */
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!l)
        p[-2] = 1;                                      /* bounds-22 */
}

int local_sum(local const int *t, int n)
{
    int s = 0;
    while (n--)
        s += *t++;
    return s;
}

/* to all ends of local variables, by pointers into one or the other, and with scratch of the library's */
kernel void fine_far_local(global int *out, int n)
{
    local int a[8], b[64];
    local struct { int x[4]; char y[3]; } s[4];
    int l = get_local_id(0);
    b[l] = l;
    if (l < 8)
        a[l] = n;
    if (l < 4) {
        s[l].x[l] = l;
        s[l].y[l % 3] = 3;
    }
    local int *last = b + 63, *p = n == 30 ? a : b;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = local_sum(b, 64) + last[-l] + p[l & 7] + s[l & 3].x[l & 3] + vload4(1, a).w;
    out[get_global_id(0)] += work_group_reduce_add(l);
}

struct list { int first; int all[2][8]; int last; };

/* parts of large variables: those that were written are read, and all is copied */
kernel void fine_large(global int *out, int n, global struct list *to)
{
    int a[100];
    long16 v;
    struct list s;
    for (int i = 0; i < n; i++)
        a[i] = i;
    v.s01234567 = n;
    v.sf = 3;
    s.first = n;
    s.all[1][n & 7] = n;
    to[get_global_id(0)] = s;
    struct list t = s;
    int sum = a[n - 1] + (int)v.s3 + (int)v.sf + t.first + s.all[1][n & 7];
    for (int i = 0; i < 2; i++) {
        int b[50];
        for (int k = 0; k < 50; k++)
            b[k] = k + i;
        sum += b[n & 31];
    }
    if (sum)
        out[get_global_id(0)] = sum;
}

/* to every end of a variable, and to others by turns */
kernel void fine_far(global int *out, int n)
{
    struct list s = {n, {{1, 2, 3, 4, 5, 6, 7, 8}, {9}}, n};
    int a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[64], sum = 0;
    for (int i = 0; i < 64; i++)
        b[i] = i;
    for (int *p = (int *)&s; p < (int *)(&s + 1); p++)
        sum += *p;
    for (char *p = (char *)(a + 8); p > (char *)a;)
        sum += *--p;
    int *p = a;
    for (int i = 0; i < n; i++) {
        sum += p[i & 7];
        p = i & 1 ? a : b + i;
    }
    int *row = s.all[1], *end = &s.last;
    sum += row[-8] + ((int *)&s)[17] + end[-17] + end[-n % 17];
    vstore4(vload4(1, b + n % 56), 1, a);
    struct list t[2] = {s, s}, *q = &t[n & 1];
    *q = s;
    out[get_global_id(0)] = sum + a[7] + ((int *)t)[35] + q->all[1][7];
}

__attribute__((noinline)) int large(int n)
{
    int a[40];
    for (int i = 0; i < 40; i++)
        a[i] = i + n;
    return total(a, 40);
}

__attribute__((noinline)) int small(int n)
{
    int a[3];
    for (int i = 0; i < 3; i++)
        a[i] = i + n;
    return total(a, 3);
}

/* What one function leaves, the next one uses. */
kernel void fine_frames(global int *out, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += (get_global_id(0) & i) ? small(i) + large(i) : large(i) + small(i);
    out[get_global_id(0)] = sum;
}

/* --- asynchronous copies ------------------------------------------------------------------------ */

kernel void async_early(global const int *in, global int *out, local int *t)
{
    event_t e = async_work_group_copy(t, in, get_local_size(0), 0);
    out[get_global_id(0)] = t[get_local_id(0)];         /* race-8 */
    wait_group_events(1, &e);
}

/* a barrier does not wait for it */
kernel void async_barrier(global const int *in, global int *out, local int *t)
{
    event_t e = async_work_group_strided_copy(t, in, get_local_size(0), 2, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[get_local_id(0)];         /* race-9 */
    wait_group_events(1, &e);
}

kernel void async_source(global int *out, local int *t)
{
    t[get_local_id(0)] = get_local_id(0);
    event_t e = async_work_group_copy(out, t, get_local_size(0), 0); /* race-10 */
    wait_group_events(1, &e);
}

kernel void fine_async(global const int *in, global int *out, local int *t)
{
    const int l = get_local_id(0), n = get_local_size(0);
    for (int k = 0; k < 3; k++) {
        event_t e = async_work_group_copy(t, in, n, 0);
        e = async_work_group_strided_copy(t + n, in, n, 2, e);
        wait_group_events(1, &e);
        const int x = t[n - 1 - l] + t[n + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = x + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        e = async_work_group_copy(out, t, n, 0);
        wait_group_events(1, &e);
    }
}

kernel void async_one(global const int *in, global int *out, local int *t)
{
    if (get_local_id(0) == 0)
        async_work_group_copy(t, in, get_local_size(0), 0); /* barrier-4 */
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = in[get_local_id(0)];
}

kernel void async_differs(global const int *in, global int *out, local int *t)
{
    const int last = get_local_size(0) - 1, n = get_local_id(0) == last ? last : last + 1;
    event_t e = async_work_group_strided_copy(t, in, n, 1, 0); /* barrier-5 */
    wait_group_events(1, &e);
}

kernel void async_more(global const int *in, global int *out, local int *t)
{
    event_t e = 0;
    for (int i = 0; i <= get_local_id(0) / 16; i++)
        e = async_work_group_copy(t, in, 16, e);        /* barrier-6 */
    wait_group_events(1, &e);                           /* barrier-6 */
}

kernel void wait_differs(global const int *in, local int *t)
{
    event_t e[2];
    e[0] = async_work_group_copy(t, in, 16, 0);
    e[1] = async_work_group_copy(t + 16, in, 16, 0);
    wait_group_events(1, e + get_local_id(0) / 33);     /* barrier-7 */
}

kernel void wait_nothing(global const int *in)
{
    event_t e = 0;
    wait_group_events(1, &e);                           /* barrier-8 */
}

kernel void wait_twice(global const int *in, local int *t)
{
    event_t e = async_work_group_copy(t, in, 16, 0);
    wait_group_events(1, &e);
    wait_group_events(1, &e);                           /* barrier-9 */
}

kernel void wait_never(global const int *in, local int *t)
{
    event_t e[2];
    e[0] = async_work_group_copy(t, in, 16, 0);
    e[1] = async_work_group_copy(t + 16, in, 16, 0);    /* barrier-10 */
    wait_group_events(1, e);
}

/* An event of its own for each copy, or one for several; waits in another order; copies that the
 * group as a whole makes or not; barriers between; a copy to global memory. */
kernel void fine_events(global const int *in, global int *out, local int *t)
{
    event_t own[3], shared = 0;
    for (int i = 0; i < 3; i++)
        own[i] = async_work_group_copy(t + 16 * i, in + 16 * i, 16, 0);
    if (get_group_id(0))
        shared = async_work_group_copy(t + 48, in + 48, 8, shared);
    shared = async_work_group_strided_copy(t + 56, in + 56, 8, 1, shared);
    barrier(CLK_LOCAL_MEM_FENCE);
    wait_group_events(1, &shared);
    wait_group_events(1, own + 2);
    own[2] = own[0];
    wait_group_events(3, own);
    for (int i = 0; i < 2; i++) {
        own[0] = async_work_group_copy(out + 64 * get_group_id(0), t, 48, 0);
        wait_group_events(1, own);
    }
}
