/* Barriers under uniform branches among divergent ones (test/cc/converge.cl). */
#include "test/kit/oclkit.h"
#include <string.h>

enum { GROUP = 32 };

REF(guarded_load)
{
    const i32 *v = A(0);
    const u32 n = VALUE(u32, 1), mode = VALUE(u32, 2);
    i32 *out = A(3);
    EACH
    {
        const u32 l = mode ? (i + 1) % GROUP : i % GROUP;
        out[i] = mode && l < n ? v[i / GROUP * GROUP + l] : -5;
    }
}

REF(guarded_meeting) { guarded_load(job); }
REF(guarded_function) { guarded_load(job); }
REF(guarded_otherwise) { guarded_load(job); }
REF(guarded_within) { guarded_load(job); }

REF(guarded_case)
{
    const i32 *v = A(0);
    const u32 n = VALUE(u32, 1), mode = VALUE(u32, 2);
    i32 *out = A(3);
    EACH
    {
        const u32 l = (i + 1) % GROUP;
        out[i] = mode == 7 ? 1 : mode == 4 ? 2 : mode == 1 && l < n ? v[i / GROUP * GROUP + l] : -5;
    }
}

REF(guarded_way_back)
{
    const u32 *v = A(0), n = VALUE(u32, 1), mode = VALUE(u32, 2);
    u32 *out = A(3);
    EACH_GROUP
    {
        u32 x[GROUP], t[GROUP];
        memcpy(x, v + g, sizeof x);
        for (u32 k = 0; k <= n; k++) {
            memcpy(t, x, sizeof t);
            for (u32 l = 0; l < GROUP; l++) {
                x[l] += mode & 1 ? t[(l + k) % GROUP] : 0;
                x[l] ^= k < n && x[l] & 1 ? v[g + l] : 3;
            }
        }
        memcpy(out + g, x, sizeof x);
    }
}

/* what each lane of a group gets of v[0..n): 1 the sum, 0 the greatest, above 0 */
static void shares(const i32 *v, u32 n, bool is_sum, i32 share[GROUP])
{
    memset(share, 0, GROUP * sizeof *share);
    for (u32 i = 0; i < n; i++) {
        i32 *s = &share[i % GROUP];
        *s = is_sum ? (i32)((u32)*s + (u32)v[i]) : v[i] > *s ? v[i] : *s;
    }
}

REF(both_arms)
{
    const u32 n = VALUE(u32, 1), way = VALUE(u32, 2);
    i32 *out = A(3), share[GROUP];
    shares(A(0), way < 2 ? n : 0, way == 1, share);
    EACH out[i] = (i32)((u32)share[GROUP - 1 - i % GROUP] + (way ? 1 : 2));
}

REF(group_arms)
{
    const u32 n = VALUE(u32, 1), way = VALUE(u32, 2);
    i32 *out = A(3), share[GROUP], most = INT32_MIN;
    u32 sum = 0;
    shares(A(0), way ? n : 0, way == 1, share);
    for (u32 l = 0; l < GROUP; l++) {
        sum += (u32)share[l];
        most = share[l] > most ? share[l] : most;
    }
    EACH
    {
        out[i + job->n] = share[i % GROUP];
        out[i] = way ? (i32)sum : most;
    }
}

REF(group_behind)
{
    const i32 *v = A(0);
    const u32 n = VALUE(u32, 1), way = VALUE(u32, 2);
    i32 *out = A(3);
    bool any = false;
    EACH
    {
        out[i] = way == 2 && i < n ? (i32)(0 - (u32)v[i]) : v[i];
        any |= out[i] > 100;
    }
    const u32 one = (u32)out[n % GROUP];
    EACH out[i] = any && way == 2 ? (i32)((u32)out[i] + one) : out[i];
}

REF(rounds)
{
    const u32 *v = A(0), n = VALUE(u32, 1), mask = VALUE(u32, 2);
    u32 *out = A(3);
    EACH_GROUP
    {
        u32 x[GROUP], t[GROUP];
        memcpy(x, v + g, sizeof x);
        for (u32 k = 0; k < n; k++) {
            const bool on = mask >> k & 1;
            for (u32 l = 0; l < GROUP; l++)
                t[l] = on && x[l] & 1 ? x[l] * 3 + 1 : x[l];
            for (u32 l = 0; l < GROUP; l++)
                x[l] = on ? t[l] + t[l ^ 1] : t[l] & 2 ? t[l] >> 1 : t[l];
            if (mask >> k == 1)
                break;
        }
        memcpy(out + g, x, sizeof x);
    }
}

REF(several_ways_back)
{
    const u32 *v = A(0), n = VALUE(u32, 1);
    u32 *out = A(2);
    EACH_GROUP
    {
        u32 x[GROUP], t[GROUP], rest = 1;
        memcpy(x, v + g, sizeof x);
        for (u32 k = 1; k <= n && rest; k++) {
            if (k % 3 == 1) {
                for (u32 l = 0; l < GROUP; l++)
                    x[l] ^= x[l] & 4 ? 0 : k;
                continue;
            }
            memcpy(t, x, sizeof t);
            rest = t[5] % 7;
            for (u32 l = 0; l < GROUP; l++) {
                x[l] += t[GROUP - 1 - l];
                x[l] += k % 3 == 2 && x[l] & 1;
            }
        }
        memcpy(out + g, x, sizeof x);
    }
}

static void exchange(u32 x[GROUP], u32 way)
{
    u32 t[GROUP];
    for (u32 l = 0; l < GROUP && way & 1; l++)
        t[l] = x[l] & 1 ? x[l] ^ 0x55 : x[l];
    for (u32 l = 0; l < GROUP && way & 1; l++)
        x[l] = t[(l + 3) % GROUP];
}

static void far_exchange(const u32 x[GROUP], u32 way, u32 y[GROUP])
{
    for (u32 l = 0; l < GROUP; l++)
        y[l] = x[l] + 1;
    exchange(y, way >> 1);
}

REF(uniform_sources)
{
    const u32 *v = A(0);
    u32 *out = A(1);
    EACH_GROUP
    {
        const u32 group = g / GROUP;
        u32 x[GROUP], y[GROUP];
        for (u32 l = 0; l < GROUP; l++)
            x[l] = (v[g + l] + (group % 2 && l > 7 ? 9 : 0)) * (group % 2 ? 1 : 2);
        exchange(x, group % 2);
        if (v[3] % 2) {
            for (u32 l = 0; l < GROUP; l++)
                x[l] -= x[l] > 1000 ? 1000 : 0;
            far_exchange(x, v[5], y);
            for (u32 l = 0; l < GROUP; l++)
                x[l] += y[l];
        }
        const u32 seen = x[17];
        for (u32 l = 0; l < GROUP; l++)
            x[l] = seen % 2 && x[l] % 2 ? ~x[l] : x[l];
        if (seen % 3 == 0) {
            exchange(x, 1);
        } else {
            if (seen % 3 == 1) {
                far_exchange(x, 2, y);
                for (u32 l = 0; l < GROUP; l++)
                    x[l] ^= y[l];
            }
            memcpy(y, x, sizeof y);
            exchange(y, seen);
            for (u32 l = 0; l < GROUP; l++)
                x[l] += y[l];
        }
        memcpy(out + g, x, sizeof x);
    }
}

REF(copies)
{
    const u32 *v = A(0), n = VALUE(u32, 1);
    u32 *out = A(2);
    EACH
    {
        const u32 l = i % GROUP, g = i / GROUP;
        u32 x = n > 2 && l & 1 ? v[i] : 0;
        x += n > 2 ? v[g * GROUP + GROUP - 1 - l] : 0;
        out[i] = n == 5 ? x ^ v[GROUP - g * GROUP + l / 2] : x;
    }
}

REF(leaves_endless_loop)
{
    const u32 *v = A(0), n = VALUE(u32, 1);
    u32 *out = A(2);
    EACH_GROUP
    {
        u32 x[GROUP], t[GROUP];
        memcpy(x, v + g, sizeof x);
        for (u32 k = 0; k <= n + 2 && n > 3; k++) {
            for (u32 l = 0; l < GROUP; l++)
                x[l] += x[l] % 3 == 0 ? k : 0;
            memcpy(t, x, sizeof t);
            for (u32 l = 0; l < GROUP && k < n; l++)
                x[l] ^= t[GROUP - 1 - l] >> 1;
        }
        memcpy(out + g, x, sizeof x);
    }
}

static const KitCase cases[] = {
    CASE(guarded_load, "64/32", "w64 =5 =1 w64"),
    CASE(guarded_load, "64/32", "w64 =5 =0 w64"),
    CASE(guarded_meeting, "64/32", "w64 =5 =1 w64"),
    CASE(guarded_meeting, "64/32", "w64 =5 =0 w64"),
    CASE(guarded_function, "64/32", "w64 =5 =1 w64"),
    CASE(guarded_function, "64/32", "w64 =5 =0 w64"),
    CASE(guarded_otherwise, "64/32", "w64 =5 =1 w64"),
    CASE(guarded_otherwise, "64/32", "w64 =5 =0 w64"),
    CASE(guarded_within, "64/32", "w64 =5 =1 w64"),
    CASE(guarded_within, "64/32", "w64 =5 =0 w64"),
    CASE(guarded_case, "64/32", "w64 =5 =1 w64"),
    CASE(guarded_case, "64/32", "w64 =5 =4 w64"),
    CASE(guarded_case, "64/32", "w64 =5 =3 w64"),
    CASE(guarded_way_back, "64/32", "w64 =5 =1 w64"),
    CASE(guarded_way_back, "64/32", "w64 =5 =0 w64"),
    CASE(both_arms, "32/32", "w64%1000 =6 =0 w32"),
    CASE(both_arms, "32/32", "w64%1000 =21 =1 w32"),
    CASE(both_arms, "32/32", "w64%1000 =43 =2 w32"),
    CASE(group_arms, "32/32", "w64%1000 =6 =0 w64"),
    CASE(group_arms, "32/32", "w64%1000 =43 =1 w64"),
    CASE(group_arms, "32/32", "w64%1000 =9 =2 w64"),
    CASE(group_behind, "32/32", "w32%101 =6 =2 w32"),
    CASE(group_behind, "32/32", "w32%1000 =6 =2 w32"),
    CASE(group_behind, "32/32", "w32 =40 =1 w32"),
    CASE(rounds, "64/32", "w64 =9 =0x15d w64"),
    CASE(rounds, "64/32", "w64 =5 =6 w64"),
    CASE(several_ways_back, "64/32", "w64 =0 w64"),
    CASE(several_ways_back, "64/32", "w64 =17 w64"),
    CASE(uniform_sources, "128/32", "w128 w128"),
    CASE(copies, "64/32", "w64 =2 w64"),
    CASE(copies, "64/32", "w64 =3 w64"),
    CASE(copies, "64/32", "w64 =5 w64"),
    CASE(leaves_endless_loop, "64/32", "w64 =2 w64"),
    CASE(leaves_endless_loop, "64/32", "w64 =6 w64"),
};

int main(void) { return kit_main("converge.cl", "-cl-std=CL3.0", cases, countof(cases)); }
