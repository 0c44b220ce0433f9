// Sub-groups, which are warps: in groups that leave the last warp part of its lanes, and where lanes have parted.

kernel void ids(global uint *out)
{
    global uint *o = out + 7 * get_global_id(0);
    o[0] = get_sub_group_size();
    o[1] = get_max_sub_group_size();
    o[2] = get_num_sub_groups();
    o[3] = get_enqueued_num_sub_groups();
    o[4] = get_sub_group_id();
    o[5] = get_sub_group_local_id();
    o[6] = sub_group_ballot_bit_count((uint4)(~0u));
}

// --- all lanes of the warp ---------------------------------------------------------------------------

#define TOGETHER(T) \
    kernel void together_##T(global const T *x, global T *out) \
    { \
        const uint i = get_global_id(0), last = get_sub_group_size() - 1; \
        global T *o = out + 10 * i; \
        o[0] = sub_group_reduce_add(x[i]); \
        o[1] = sub_group_reduce_min(x[i]); \
        o[2] = sub_group_reduce_max(x[i]); \
        o[3] = sub_group_scan_inclusive_add(x[i]); \
        o[4] = sub_group_scan_inclusive_min(x[i]); \
        o[5] = sub_group_scan_inclusive_max(x[i]); \
        o[6] = sub_group_scan_exclusive_add(x[i]); \
        o[7] = sub_group_scan_exclusive_min(x[i]); \
        o[8] = sub_group_scan_exclusive_max(x[i]); \
        o[9] = sub_group_broadcast(x[i], last / 2); \
    }
TOGETHER(char) TOGETHER(uchar) TOGETHER(short) TOGETHER(ushort) TOGETHER(int) TOGETHER(uint) TOGETHER(long)
TOGETHER(ulong)

// numbers of which every sum and product is exact
#define FLOATING(T) \
    kernel void floating_##T(global const int *x, global T *out) \
    { \
        const uint i = get_global_id(0); \
        const T v = x[i] % 3; \
        global T *o = out + 16 * i; \
        o[0] = sub_group_reduce_add(v); \
        o[1] = sub_group_scan_inclusive_min(v); \
        o[2] = sub_group_scan_exclusive_max(v); \
        o[3] = sub_group_broadcast(v, 1); \
        if (x[i] & 4) { \
            o[4] = sub_group_non_uniform_reduce_add(v); \
            o[5] = sub_group_non_uniform_reduce_mul(v); \
            o[6] = sub_group_non_uniform_reduce_min(v); \
            o[7] = sub_group_non_uniform_reduce_max(v); \
            o[8] = sub_group_non_uniform_scan_inclusive_add(v); \
            o[9] = sub_group_non_uniform_scan_exclusive_mul(v); \
            o[10] = sub_group_non_uniform_scan_exclusive_min(v); \
            o[11] = sub_group_non_uniform_scan_exclusive_max(v); \
            o[12] = sub_group_clustered_reduce_add(v, 4); \
            o[13] = sub_group_clustered_reduce_mul(v, 2); \
            o[14] = sub_group_broadcast_first(v); \
            o[15] = sub_group_non_uniform_all_equal(v); \
        } \
    }
FLOATING(float) FLOATING(double)

kernel void votes(global const uint *x, global uint *out)
{
    const uint i = get_global_id(0);
    out[i] = (sub_group_any(x[i] % 16 == 0) != 0) + 2 * (sub_group_all(x[i] % 16) != 0) +
             4 * (sub_group_all(get_sub_group_id() < 100) != 0) + 8 * (sub_group_any(x[i] > ~0u - 2) != 0);
}

kernel void vectors(global const uint *x, global uint *out)
{
    const uint i = get_global_id(0), v = x[i];
    const uchar16 c = sub_group_broadcast((uchar16)((uchar8)(uchar)v, (uchar8)(uchar)i), 1);
    const ulong3 l = sub_group_broadcast((ulong3)(v, i, v * 3ul), 2);
    const double2 d = sub_group_non_uniform_broadcast((double2)(v, i), 3);
    global uint *o = out + 6 * i;
    o[0] = c.s0;
    o[1] = c.sf;
    o[2] = l.x + l.y;
    o[3] = l.z >> 16;
    o[4] = (uint)d.x;
    o[5] = (uint)d.y;
}

// the order of the accesses of a warp: each lane hands its value to its neighbour, many times
kernel void barriers(global uint *x, local uint *l)
{
    const uint id = get_local_id(0), n = get_sub_group_size(), base = id - get_sub_group_local_id();
    uint v = x[get_global_id(0)];
    for (uint k = 0; k < 5; k++) {
        l[id] = v;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        v = v * 3 + l[base + (get_sub_group_local_id() + 1) % n];
        sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_sub_group);
    }
    x[get_global_id(0)] = v;
}

// --- values of other lanes -----------------------------------------------------------------------------

// 0 where the other lane is not there
#define MOVES(T) \
    kernel void moves_##T(global const T *x, global const uint *to, global T *out) \
    { \
        const uint i = get_global_id(0), n = get_sub_group_size(), most = get_max_sub_group_size(); \
        const uint me = get_sub_group_local_id(), k = to[i] % n, turn = to[0] % 7; \
        global T *o = out + 6 * i; \
        T r; \
        o[0] = sub_group_shuffle(x[i], k); \
        r = sub_group_shuffle_xor(x[i], 3); \
        o[1] = (me ^ 3) < n ? r : 0; \
        r = sub_group_shuffle_up(x[i], to[i] % 4); \
        o[2] = me >= to[i] % 4 ? r : 0; \
        r = sub_group_shuffle_down(x[i], to[i] % 4); \
        o[3] = me + to[i] % 4 < n ? r : 0; \
        r = sub_group_rotate(x[i], (int)turn - 3); \
        o[4] = (me + turn - 3) % most < n ? r : 0; \
        r = sub_group_clustered_rotate(x[i], (int)turn - 3, 4); \
        o[5] = (me & ~3u) + ((me + turn - 3) & 3) < n ? r : 0; \
    }
MOVES(char) MOVES(ushort) MOVES(int) MOVES(ulong)

// --- where lanes have parted ------------------------------------------------------------------------------

#define ONE(op, k) \
    o[4 * k] = sub_group_non_uniform_reduce_##op(v); \
    o[4 * k + 1] = sub_group_non_uniform_scan_inclusive_##op(v); \
    o[4 * k + 2] = sub_group_non_uniform_scan_exclusive_##op(v); \
    o[4 * k + 3] = sub_group_clustered_reduce_##op(v, 4);
#define PARTED(T) \
    kernel void parted_##T(global const T *x, global T *out) \
    { \
        const uint i = get_global_id(0); \
        const T v = x[i]; \
        global T *o = out + 28 * i; \
        if (v & 2) { \
            ONE(add, 0) ONE(mul, 1) ONE(min, 2) ONE(max, 3) ONE(and, 4) ONE(or, 5) ONE(xor, 6) \
        } else if (v & 5) { \
            ONE(xor, 6) ONE(or, 5) ONE(and, 4) ONE(max, 3) ONE(min, 2) ONE(mul, 1) ONE(add, 0) \
        } \
    }
PARTED(char) PARTED(uchar) PARTED(short) PARTED(ushort) PARTED(int) PARTED(uint) PARTED(long) PARTED(ulong)

kernel void logical(global const uint *x, global uint *out)
{
    const uint i = get_global_id(0);
    global uint *o = out + 12 * i;
    const int p = x[i] >> 3 & 6;
    if (x[i] & 1) {
        o[0] = sub_group_non_uniform_reduce_logical_and(p) != 0;
        o[1] = sub_group_non_uniform_reduce_logical_or(p) != 0;
        o[2] = sub_group_non_uniform_reduce_logical_xor(p) != 0;
        o[3] = sub_group_non_uniform_scan_inclusive_logical_and(p) != 0;
        o[4] = sub_group_non_uniform_scan_inclusive_logical_or(p) != 0;
        o[5] = sub_group_non_uniform_scan_inclusive_logical_xor(p) != 0;
        o[6] = sub_group_non_uniform_scan_exclusive_logical_and(p) != 0;
        o[7] = sub_group_non_uniform_scan_exclusive_logical_or(p) != 0;
        o[8] = sub_group_non_uniform_scan_exclusive_logical_xor(p) != 0;
        o[9] = sub_group_clustered_reduce_logical_and(p, 2) != 0;
        o[10] = sub_group_clustered_reduce_logical_or(p, 2) != 0;
        o[11] = sub_group_clustered_reduce_logical_xor(p, 4) != 0;
    }
}

kernel void ballots(global const uint *x, global uint *out)
{
    const uint i = get_global_id(0);
    global uint *o = out + 20 * i;
    if (x[i] % 3 == 0)
        return;
    const uint4 b = sub_group_ballot(x[i] & 8);
    o[0] = b.x;
    o[1] = b.y | b.z | b.w;
    o[2] = sub_group_inverse_ballot(b) != 0;
    o[3] = sub_group_ballot_bit_extract(b, x[i] >> 8 & 31) != 0;
    o[4] = sub_group_ballot_bit_count(b);
    o[5] = sub_group_ballot_inclusive_scan(b);
    o[6] = sub_group_ballot_exclusive_scan(b);
    o[7] = b.x ? sub_group_ballot_find_lsb(b) : 99;
    o[8] = b.x ? sub_group_ballot_find_msb(b) : 99;
    o[9] = get_sub_group_eq_mask().x;
    o[10] = get_sub_group_ge_mask().x;
    o[11] = get_sub_group_gt_mask().x;
    o[12] = get_sub_group_le_mask().x;
    o[13] = get_sub_group_lt_mask().x;
    o[14] = sub_group_elect() != 0;
    o[15] = sub_group_broadcast_first(x[i]);
    o[16] = sub_group_non_uniform_any(x[i] & 8) != 0;
    o[17] = sub_group_non_uniform_all(x[i] & 24) != 0;
    o[18] = sub_group_non_uniform_all_equal(x[i] % 3) != 0;
    o[19] = sub_group_non_uniform_all_equal((ulong)(x[i] % 3) << 40) != 0;
}

// lanes leave a loop one after the other; each round only those count that are still there
kernel void rounds(global const uint *x, global uint *out)
{
    const uint i = get_global_id(0), v = x[i];
    uint sum = 0;
    for (uint k = 0; k < (v & 15); k++) {
        sum = sum * 3 + sub_group_non_uniform_reduce_add(v >> k);
        if (sub_group_ballot(v >> k & 16).x & get_sub_group_lt_mask().x)
            continue;
        sum += sub_group_non_uniform_scan_exclusive_add(1u);
    }
    out[i] = sum + sub_group_reduce_max(v);
}

// each value in its turn, as programs do that know what lanes are
kernel void peers(global const uint *x, global uint *out)
{
    const uint i = get_global_id(0), v = x[i] & 3;
    uint n = 0;
    for (bool done = false; !done;) {
        const uint first = sub_group_broadcast_first(v);
        n++;
        if (first == v) {
            out[i] = n << 8 | sub_group_non_uniform_reduce_add(1);
            done = true;
        }
    }
}

// a function that is not inlined, called where lanes have parted
__attribute__((noinline)) uint among(uint v) { return v > 9 ? sub_group_non_uniform_reduce_max(v) : v; }
kernel void called(global const uint *x, global uint *out)
{
    const uint i = get_global_id(0);
    out[i] = x[i] & 1 ? among(x[i] & 31) : among(x[i] & 15) + 100;
}

// --- lanes meet again --------------------------------------------------------------------------------------
// Conditions that are tested twice tempt an optimiser to lead lanes past the place where they meet (converge.cl).

kernel void guarded(global const uint *x, uint n, uint mode, global uint *out)
{
    const uint i = get_global_id(0), l = get_local_id(0);
    global const uint *p = 0;
    if (mode && l < n)
        p = x + i;
    const uint v = p ? *p : 5;
    out[i] = mode ? sub_group_reduce_add(v) : v;
}

kernel void arms(global const uint *x, uint n, uint way, global uint *out)
{
    const uint i = get_global_id(0), l = get_local_id(0);
    uint s = 0;
    if (way == 1)
        for (uint k = l; k < n; k += 7)
            s += x[k];
    else if (way == 0)
        for (uint k = l; k < n; k += 5)
            s = max(s, x[k]);
    if (way > 0)
        out[i] = sub_group_scan_inclusive_add(s);
    else
        out[i] = sub_group_reduce_max(s);
}

// the sides of a divergent branch know what the next branch asks
kernel void known(global const uint *x, uint mode, global uint *out)
{
    const uint i = get_global_id(0);
    uint kind = mode, v = x[i];
    if (v & 1) {
        kind = 1;
        v *= 3;
    } else if (v & 2) {
        kind = 2;
        v ^= 7;
    }
    const uint all = sub_group_non_uniform_reduce_add(v);
    if (kind == 1)
        v += 100;
    else if (kind == 2)
        v += 200;
    out[i] = all + v;
}

// the same on both sides, which are different lanes
__attribute__((noinline)) uint first_of(uint v) { return sub_group_broadcast_first(v) + sub_group_elect(); }
kernel void both_sides(global const uint *x, global uint *out)
{
    const uint i = get_global_id(0);
    if (x[i] & 1)
        out[2 * i] = sub_group_broadcast_first(i);
    else
        out[2 * i] = sub_group_broadcast_first(i);
    if (x[i] & 2)
        out[2 * i + 1] = first_of(i);
    else
        out[2 * i + 1] = first_of(i);
}
