/* Barriers and group functions under uniform branches, after and between divergent ones that
 * test the same conditions. */

/* `mode` is tested twice: the way on which it is 0 must not pass by where lanes meet */
kernel void guarded_load(global const int *v, uint n, uint mode, global int *out)
{
    local int t[32];
    const uint l = get_local_id(0), i = get_global_id(0);
    global const int *p = 0;
    if (mode && l < n)
        p = v + i;
    t[l] = p ? *p : -5;
    if (mode)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = mode ? t[(l + 1) % 32] : t[l];
}

/* the same where the barrier is on the other way, under a branch within the branch, and in a case of a switch */
kernel void guarded_otherwise(global const int *v, uint n, uint mode, global int *out)
{
    local int t[32];
    const uint l = get_local_id(0), i = get_global_id(0);
    global const int *p = 0;
    if (mode && l < n)
        p = v + i;
    t[l] = p ? *p : -5;
    if (!mode) {
        out[i] = t[l];
    } else {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[i] = t[(l + 1) % 32];
    }
}

kernel void guarded_within(global const int *v, uint n, uint mode, global int *out)
{
    local int t[32];
    const uint l = get_local_id(0), i = get_global_id(0);
    global const int *p = 0;
    if (mode && l < n)
        p = v + i;
    t[l] = p ? *p : -5;
    if (mode)
        if (n < 32)
            barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = mode ? t[(l + 1) % 32] : t[l];
}

kernel void guarded_case(global const int *v, uint n, uint mode, global int *out)
{
    local int t[32];
    const uint l = get_local_id(0), i = get_global_id(0);
    global const int *p = 0;
    if (mode == 1 && l < n)
        p = v + i;
    t[l] = p ? *p : -5;
    switch (mode) {
    case 7: t[l] = 1; break;
    case 4: t[l] = 2; break;
    case 1: barrier(CLK_LOCAL_MEM_FENCE); break;
    default: break;
    }
    out[i] = mode == 1 ? t[(l + 1) % 32] : t[l];
}

/* the barrier is at the other end of the loop: the way back leads to it, the way out does not */
kernel void guarded_way_back(global const int *v, uint n, uint mode, global int *out)
{
    local int t[32];
    const uint l = get_local_id(0), i = get_global_id(0);
    int x = v[i];
    for (uint k = 0;; k++) {
        if (mode & 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            t[l] = x;
            barrier(CLK_LOCAL_MEM_FENCE);
            x += t[(l + k) % 32];
        }
        global const int *p = 0;
        if (k < n && x & 1)
            p = v + i;
        x ^= p ? *p : 3;
        if (k >= n)
            break;
    }
    out[i] = x;
}

/* the same in functions: the barrier, and what parts the lanes */
static int meet(local int *t, int x, uint mode)
{
    const uint l = get_local_id(0);
    t[l] = x;
    if (mode)
        barrier(CLK_LOCAL_MEM_FENCE);
    return mode ? t[(l + 1) % 32] : t[l];
}

kernel void guarded_meeting(global const int *v, uint n, uint mode, global int *out)
{
    local int t[32];
    const uint l = get_local_id(0), i = get_global_id(0);
    global const int *p = 0;
    if (mode && l < n)
        p = v + i;
    out[i] = meet(t, p ? *p : -5, mode);
}

static int load_guarded(global const int *v, uint n, uint mode)
{
    global const int *p = 0;
    if (mode && get_local_id(0) < n)
        p = v;
    return p ? *p : -5;
}

kernel void guarded_function(global const int *v, uint n, uint mode, global int *out)
{
    local int t[32];
    const uint l = get_local_id(0), i = get_global_id(0);
    t[l] = load_guarded(v + i, n, mode);
    if (mode)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = mode ? t[(l + 1) % 32] : t[l];
}

kernel void both_arms(global const int *v, uint n, uint way, global int *out)
{
    local int t[32];
    const uint l = get_local_id(0);
    int s = 0;
    if (way == 1)
        for (uint i = l; i < n; i += 32)
            s += v[i];
    else if (way == 0)
        for (uint i = l; i < n; i += 32)
            s = max(s, v[i]);
    t[l] = s;
    if (way > 0) {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[l] = t[31 - l] + 1;
    } else {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[l] = t[31 - l] + 2;
    }
}

kernel void group_arms(global const int *v, uint n, uint way, global int *out)
{
    const uint l = get_local_id(0);
    int s = 0;
    if (way == 1)
        for (uint i = l; i < n; i += 32)
            s += v[i];
    else if (way == 2)
        for (uint i = l; i < n; i += 32)
            s = max(s, v[i]);
    out[l + 32] = s;
    if (way)
        out[l] = work_group_reduce_add(s);
    else
        out[l] = work_group_reduce_max(s);
}

kernel void group_behind(global const int *v, uint n, uint way, global int *out)
{
    const uint l = get_local_id(0);
    int s = v[l];
    if (way == 2 && l < n)
        s = -s;
    if (work_group_any(s > 100) && way == 2)
        s += work_group_broadcast(s, n % 32);
    out[l] = s;
}

/* all in a loop whose rounds and conditions are uniform; the lanes part before each test */
kernel void rounds(global const uint *v, uint n, uint mask, global uint *out)
{
    local uint t[32];
    const uint l = get_local_id(0), i = get_global_id(0);
    uint x = v[i];
    for (uint k = 0; k < n; k++) {
        if ((mask >> k & 1) && (x & 1))
            x = x * 3 + 1;
        if (mask >> k & 1) {
            t[l] = x;
            barrier(CLK_LOCAL_MEM_FENCE);
            x += t[l ^ 1];
            barrier(CLK_LOCAL_MEM_FENCE);
        } else if (x & 2) {
            x >>= 1;
        }
        if (mask >> k == 1)
            break;
    }
    out[i] = x;
}

/* lanes come back to the head of the loop from several places, and its test is of two parts */
kernel void several_ways_back(global const uint *v, uint n, global uint *out)
{
    local uint t[32];
    const uint l = get_local_id(0), i = get_global_id(0);
    uint x = v[i], k = 0, rest = 1;
    while (k < n && rest) {
        k++;
        if (k % 3 == 1) {
            if (x & 4)
                continue;
            x ^= k;
            continue;
        }
        t[l] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        rest = t[5] % 7;
        x += t[31 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (k % 3 == 2)
            if (x & 1)
                x++;
    }
    out[i] = x;
}

static uint exchange(local uint *t, uint x, uint way)
{
    const uint l = get_local_id(0);
    if (way & 1 && x & 1)
        x ^= 0x55;
    t[l] = x;
    if (way & 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        x = t[(l + 3) % 32];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return x;
}

__attribute__((noinline)) uint far_exchange(local uint *t, uint x, uint way)
{
    return exchange(t, x + 1, way >> 1);
}

/* conditions from the group's number, from a buffer, from what came through a barrier */
kernel void uniform_sources(global const uint *v, global uint *out)
{
    local uint t[32];
    const uint l = get_local_id(0), g = get_group_id(0), i = get_global_id(0);
    uint x = v[i];
    if (g % 2 && l > 7)
        x += 9;
    x = g % 2 ? exchange(t, x, g) : x * 2;
    if (v[3] % 2 && x > 1000)
        x -= 1000;
    if (v[3] % 2)
        x += far_exchange(t, x, v[5]);
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint y = t[17];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (y % 2 && x % 2)
        x = ~x;
    switch (y % 3) {
    case 0: x = exchange(t, x, y | 1); break;
    case 1: x ^= far_exchange(t, x, 2);
    /* fall through */
    default: x += exchange(t, x, y);
    }
    out[i] = x;
}

kernel void copies(global const uint *v, uint n, global uint *out)
{
    local uint t[64];
    const uint l = get_local_id(0), g = get_group_id(0), i = get_global_id(0);
    uint x = 0;
    if (n > 2 && l & 1)
        x = v[i];
    if (n > 2) {
        event_t e = async_work_group_copy(t, v + g * 32, 32, 0);
        if (n == 5)
            e = async_work_group_copy(t + 32, v + 32 - g * 32, 32, e);
        wait_group_events(1, &e);
        x += t[31 - l];
    }
    if (n == 5)
        x ^= t[32 + l / 2];
    out[i] = x;
}

/* the branch's lanes never reach the end of the kernel together but for the loop */
kernel void leaves_endless_loop(global const uint *v, uint n, global uint *out)
{
    local uint t[32];
    const uint l = get_local_id(0), i = get_global_id(0);
    uint x = v[i];
    for (uint k = 0;; k++) {
        if (n > 3 && x % 3 == 0)
            x += k;
        if (n > 3 && k < n) {
            t[l] = x;
            barrier(CLK_LOCAL_MEM_FENCE);
            x ^= t[31 - l] >> 1;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (k == n + 2) {
            out[i] = x;
            return;
        }
    }
}
