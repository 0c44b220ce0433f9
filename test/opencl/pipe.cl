// The kernels of cl_pipe_test.c.
typedef struct { char a[3]; } Odd;
typedef struct { int i; float f; long l; } Mixed;
// way: 0 singly, 1 a reservation of two, 2 of the sub-group, 3 of the group
#define BOTH(NAME, T, OF, TO)                                                          \
kernel void put_##NAME(write_only pipe T p, global int *bad, int way)                  \
{                                                                                      \
    uint i = get_global_id(0);                                                         \
    T x = OF(i);                                                                       \
    reserve_id_t r;                                                                    \
    switch (way) {                                                                     \
    case 0: if (write_pipe(p, &x)) atomic_inc(bad); break;                             \
    case 1:                                                                            \
        if (i % 2) break;                                                              \
        r = reserve_write_pipe(p, 2);                                                  \
        if (!is_valid_reserve_id(r)) { atomic_inc(bad); break; }                       \
        write_pipe(p, r, 1, &x);                                                       \
        x = OF(i + 1);                                                                 \
        write_pipe(p, r, 0, &x);                                                       \
        if (!write_pipe(p, r, 2, &x)) atomic_inc(bad);                                 \
        commit_write_pipe(p, r);                                                       \
        break;                                                                         \
    case 2:                                                                            \
        r = sub_group_reserve_write_pipe(p, get_sub_group_size());                     \
        if (!is_valid_reserve_id(r)) { atomic_inc(bad); break; }                       \
        write_pipe(p, r, get_sub_group_local_id(), &x);                                \
        sub_group_commit_write_pipe(p, r);                                             \
        break;                                                                         \
    default:                                                                           \
        r = work_group_reserve_write_pipe(p, get_local_size(0));                       \
        if (!is_valid_reserve_id(r)) { atomic_inc(bad); break; }                       \
        write_pipe(p, r, get_local_id(0), &x);                                         \
        work_group_commit_write_pipe(p, r);                                            \
    }                                                                                  \
}                                                                                      \
kernel void get_##NAME(read_only pipe T p, global int *bad, int way, global uint *out) \
{                                                                                      \
    uint i = get_global_id(0);                                                         \
    T x, y;                                                                            \
    reserve_id_t r;                                                                    \
    switch (way) {                                                                     \
    case 0: if (read_pipe(p, &x)) atomic_inc(bad); out[i] = TO(x); break;              \
    case 1:                                                                            \
        if (i % 2) break;                                                              \
        r = reserve_read_pipe(p, 2);                                                   \
        if (!is_valid_reserve_id(r)) { atomic_inc(bad); break; }                       \
        read_pipe(p, r, 1, &x);                                                        \
        read_pipe(p, r, 0, &y);                                                        \
        commit_read_pipe(p, r);                                                        \
        out[i] = TO(x), out[i + 1] = TO(y);                                            \
        break;                                                                         \
    case 2:                                                                            \
        r = sub_group_reserve_read_pipe(p, get_sub_group_size());                      \
        if (!is_valid_reserve_id(r)) { atomic_inc(bad); break; }                       \
        read_pipe(p, r, get_sub_group_local_id(), &x);                                 \
        sub_group_commit_read_pipe(p, r);                                              \
        out[i] = TO(x);                                                                \
        break;                                                                         \
    default:                                                                           \
        r = work_group_reserve_read_pipe(p, get_local_size(0));                        \
        if (!is_valid_reserve_id(r)) { atomic_inc(bad); break; }                       \
        read_pipe(p, r, get_local_id(0), &x);                                          \
        work_group_commit_read_pipe(p, r);                                             \
        out[i] = TO(x);                                                                \
    }                                                                                  \
}
#define SAME(x) (x)
#define OF_ODD(x) {{(x) & 255, (x) >> 8, 77}}
#define TO_ODD(x) ((x).a[2] == 77 ? (uchar)(x).a[0] | (x).a[1] << 8 : ~0u)
#define OF_MIXED(x) {x, -(float)(x), (long)(x) << 33}
#define TO_MIXED(x) ((x).f == -(float)(x).i && (x).l >> 33 == (x).i ? (x).i : ~0)
BOTH(uint, uint, SAME, SAME) BOTH(ushort, ushort, SAME, SAME)
#undef OF
Odd of_odd(uint x) { Odd o = OF_ODD(x); return o; }
Mixed of_mixed(uint x) { Mixed m = OF_MIXED(x); return m; }
BOTH(odd, Odd, of_odd, TO_ODD) BOTH(mixed, Mixed, of_mixed, TO_MIXED)
kernel void count(read_only pipe uint p, global uint *out)
{ out[0] = get_pipe_num_packets(p); out[1] = get_pipe_max_packets(p); }
kernel void fill(write_only pipe uint p, global uint *out)
{
    uint x = get_global_id(0);
    reserve_id_t r = reserve_write_pipe(p, 6);
    out[0] = is_valid_reserve_id(r); // more than it holds
    r = reserve_write_pipe(p, 3);
    for (int k = 0; k < 3; k++) write_pipe(p, r, k, &x);
    out[1] = get_pipe_num_packets(p); // nothing was committed
    commit_write_pipe(p, r);
    out[2] = write_pipe(p, &x) == 0;
    out[3] = write_pipe(p, &x) == 0;
    out[4] = write_pipe(p, &x) == 0; // it is full
    out[5] = get_pipe_num_packets(p);
}
// One work-item does what a script says, pairs of an operation and a value, and keeps each answer.  Two reservations may be
// open; an index is in the upper half of a value.
#define STEPS(NAME, ACCESS, DIR, ONE)                                                  \
kernel void NAME(ACCESS pipe uint p, global const uint *script, uint n, global uint *out) \
{                                                                                      \
    reserve_id_t a = reserve_##DIR##_pipe(p, 0), b = a;                                \
    for (uint i = 0; i < n; i++) {                                                     \
        const uint v = script[2 * i + 1];                                              \
        uint x = v, r = 0;                                                             \
        switch (script[2 * i]) {                                                       \
        case 0: r = DIR##_pipe(p, &x) ? ~0u : ONE; break;                              \
        case 1: a = reserve_##DIR##_pipe(p, v); r = is_valid_reserve_id(a); break;     \
        case 2: b = reserve_##DIR##_pipe(p, v); r = is_valid_reserve_id(b); break;     \
        case 3: r = DIR##_pipe(p, a, v >> 16, &x) ? ~0u : ONE; break;                  \
        case 4: r = DIR##_pipe(p, b, v >> 16, &x) ? ~0u : ONE; break;                  \
        case 5: commit_##DIR##_pipe(p, a); break;                                      \
        case 6: commit_##DIR##_pipe(p, b); break;                                      \
        case 7: r = get_pipe_num_packets(p); break;                                    \
        case 8: r = get_pipe_max_packets(p); break;                                    \
        }                                                                              \
        out[i] = r;                                                                    \
    }                                                                                  \
}
STEPS(put_steps, write_only, write, 1) STEPS(get_steps, read_only, read, x)
