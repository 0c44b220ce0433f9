/* Sub-groups (test/cc/subgroup.cl).  The reference goes warp by warp; lists of lanes that are
 * together at a call are written down from the source, lane by lane. */
#include "test/kit/oclkit.h"
#include <math.h>
#include <string.h>

enum { MAX_WARP = 32 };

/* the warps of the groups: work-items first .. first + n - 1 */
typedef struct {
    u32 first, n, id;
} Warp;

static bool next_warp(const KitJob *job, Warp *w)
{
    const u32 size = job->local[0];
    u32 at = w->n ? w->first + w->n : 0;
    if (at >= job->n)
        return false;
    const u32 in_group = at % size, left = size - in_group;
    *w = (Warp){at, left < job->lanes ? left : job->lanes, in_group / job->lanes};
    return true;
}
#define EACH_WARP for (Warp w = {0}; next_warp(job, &w);)
#define EACH_LANE for (u32 l = 0; l < w.n; l++)

REF(ids)
{
    u32 *out = A(0);
    const u32 warps = (job->local[0] + job->lanes - 1) / job->lanes;
    EACH_WARP EACH_LANE
    {
        const u32 o[7] = {w.n, job->lanes, warps, warps, w.id, l, job->lanes};
        memcpy(out + (size_t)7 * (w.first + l), o, sizeof o);
    }
}

/* --- integers of any kind ------------------------------------------------------------------ */

typedef struct {
    u32 size;
    bool is_signed;
} Kind;

static u64 extended(u64 x, Kind k)
{
    const u32 unused = 64 - 8 * k.size;
    return k.is_signed ? (u64)((i64)(x << unused) >> unused) : x << unused >> unused;
}

static u64 get(const void *p, u32 i, Kind k)
{
    u64 x = 0;
    memcpy(&x, (const u8 *)p + (size_t)i * k.size, k.size);
    return extended(x, k);
}

static void put(void *p, u32 i, Kind k, u64 x) { memcpy((u8 *)p + (size_t)i * k.size, &x, k.size); }

enum { ADD, MUL, MIN, MAX, AND, OR, XOR };

static u64 combine(int op, u64 a, u64 b, Kind k)
{
    const bool less = k.is_signed ? (i64)a < (i64)b : a < b;
    switch (op) {
    case ADD: return extended(a + b, k);
    case MUL: return extended(a * b, k);
    case MIN: return less ? a : b;
    case MAX: return less ? b : a;
    case AND: return a & b;
    case OR: return a | b;
    default: return a ^ b;
    }
}

static u64 neutral(int op, Kind k)
{
    const u64 ones = ~(u64)0 >> (64 - 8 * k.size);
    switch (op) {
    case MUL: return 1;
    case MIN: return k.is_signed ? ones >> 1 : ones;
    case MAX: return k.is_signed ? extended(ones ^ ones >> 1, k) : 0;
    case AND: return extended(ones, k);
    default: return 0;
    }
}

/* op over the lanes from..to-1 of those that are there */
static u64 over(int op, Kind k, const void *x, const Warp *w, u64 there, u32 from, u32 to)
{
    u64 r = neutral(op, k);
    for (u32 l = from; l < to && l < w->n; l++)
        if (there >> l & 1)
            r = combine(op, r, get(x, w->first + l, k), k);
    return r;
}

static void together(KitJob *job, Kind k)
{
    static const int ops[] = {ADD, MIN, MAX};
    const void *x = A(0);
    void *out = A(1);
    EACH_WARP EACH_LANE
    {
        const u32 o = 10 * (w.first + l);
        for (u32 j = 0; j < 3; j++) {
            put(out, o + j, k, over(ops[j], k, x, &w, ~(u64)0, 0, w.n));
            put(out, o + 3 + j, k, over(ops[j], k, x, &w, ~(u64)0, 0, l + 1));
            put(out, o + 6 + j, k, over(ops[j], k, x, &w, ~(u64)0, 0, l));
        }
        put(out, o + 9, k, get(x, w.first + (w.n - 1) / 2, k));
    }
}

static void parted(KitJob *job, Kind k)
{
    const void *x = A(0);
    void *out = A(1);
    EACH_WARP
    {
        u64 side[2] = {0, 0};
        EACH_LANE
        {
            const u64 v = get(x, w.first + l, k);
            if (v & 2)
                side[0] |= (u64)1 << l;
            else if (v & 5)
                side[1] |= (u64)1 << l;
        }
        EACH_LANE
        {
            const u64 there = side[0] >> l & 1 ? side[0] : side[1];
            for (u32 op = 0; op < 7 && there >> l & 1; op++) {
                const u32 o = 28 * (w.first + l) + 4 * op, c = l & ~3u;
                put(out, o, k, over((int)op, k, x, &w, there, 0, w.n));
                put(out, o + 1, k, over((int)op, k, x, &w, there, 0, l + 1));
                put(out, o + 2, k, over((int)op, k, x, &w, there, 0, l));
                put(out, o + 3, k, over((int)op, k, x, &w, there, c, c + 4));
            }
        }
    }
}

static void moves(KitJob *job, Kind k)
{
    const void *x = A(0);
    const u32 *to = A(1);
    void *out = A(2);
    const u32 turn = to[0] % 7 - 3;
    EACH_WARP EACH_LANE
    {
        const u32 i = w.first + l, by = to[i] % 4;
        const u32 from[6] = {to[i] % w.n,
                             l ^ 3,
                             l - by,
                             l + by,
                             (l + turn) & (job->lanes - 1),
                             (l & ~3u) + ((l + turn) & 3)};
        for (u32 j = 0; j < 6; j++)
            put(out, 6 * i + j, k, from[j] < w.n ? get(x, w.first + from[j], k) : 0);
    }
}

#define OF_KIND(name, T, ...)                                                                      \
    REF(name##_##T) { name(job, (Kind){__VA_ARGS__}); }
OF_KIND(together, char, 1, true)
OF_KIND(together, uchar, 1, false)
OF_KIND(together, short, 2, true)
OF_KIND(together, ushort, 2, false)
OF_KIND(together, int, 4, true)
OF_KIND(together, uint, 4, false)
OF_KIND(together, long, 8, true)
OF_KIND(together, ulong, 8, false)
OF_KIND(parted, char, 1, true)
OF_KIND(parted, uchar, 1, false)
OF_KIND(parted, short, 2, true)
OF_KIND(parted, ushort, 2, false)
OF_KIND(parted, int, 4, true)
OF_KIND(parted, uint, 4, false)
OF_KIND(parted, long, 8, true)
OF_KIND(parted, ulong, 8, false)
OF_KIND(moves, char, 1, true)
OF_KIND(moves, ushort, 2, false)
OF_KIND(moves, int, 4, true)
OF_KIND(moves, ulong, 8, false)

/* --- floats ----------------------------------------------------------------------------------- */

static double combined(int op, double a, double b)
{
    switch (op) {
    case ADD: return a + b;
    case MUL: return a * b;
    case MIN: return fmin(a, b);
    default: return fmax(a, b);
    }
}

static double float_over(int op, const i32 *x, const Warp *w, u64 there, u32 from, u32 to)
{
    double r = op == ADD ? 0 : op == MUL ? 1 : op == MIN ? INFINITY : -INFINITY;
    for (u32 l = from; l < to && l < w->n; l++)
        if (there >> l & 1)
            r = combined(op, r, x[w->first + l] % 3);
    return r;
}

static void floating(KitJob *job, bool is_double)
{
    const i32 *x = A(0);
    EACH_WARP
    {
        u64 there = 0;
        const i32 *v = x + w.first;
        EACH_LANE there |= (u64)(v[l] >> 2 & 1) << l;
        const u32 first = there ? (u32)__builtin_ctzll(there) : 0;
        double equal = 1;
        EACH_LANE equal = there >> l & 1 && v[l] % 3 != v[first] % 3 ? 0 : equal;
        EACH_LANE
        {
            const double o[16] = {float_over(ADD, x, &w, ~(u64)0, 0, w.n),
                                  float_over(MIN, x, &w, ~(u64)0, 0, l + 1),
                                  float_over(MAX, x, &w, ~(u64)0, 0, l),
                                  v[1] % 3,
                                  float_over(ADD, x, &w, there, 0, w.n),
                                  float_over(MUL, x, &w, there, 0, w.n),
                                  float_over(MIN, x, &w, there, 0, w.n),
                                  float_over(MAX, x, &w, there, 0, w.n),
                                  float_over(ADD, x, &w, there, 0, l + 1),
                                  float_over(MUL, x, &w, there, 0, l),
                                  float_over(MIN, x, &w, there, 0, l),
                                  float_over(MAX, x, &w, there, 0, l),
                                  float_over(ADD, x, &w, there, l & ~3u, (l & ~3u) + 4),
                                  float_over(MUL, x, &w, there, l & ~1u, (l & ~1u) + 2),
                                  v[first] % 3,
                                  equal};
            for (u32 j = 0; j < (there >> l & 1 ? 16u : 4u); j++) {
                const u32 at = 16 * (w.first + l) + j;
                if (is_double)
                    ((double *)A(1))[at] = o[j];
                else
                    ((float *)A(1))[at] = (float)o[j];
            }
        }
    }
}

REF(floating_float) { floating(job, false); }
REF(floating_double) { floating(job, true); }

/* --- the rest ---------------------------------------------------------------------------- */

REF(votes)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH_WARP
    {
        bool some = false, all = true, most = false;
        EACH_LANE
        {
            const u32 v = x[w.first + l];
            some |= v % 16 == 0;
            all &= v % 16 != 0;
            most |= v > ~(u32)0 - 2;
        }
        EACH_LANE out[w.first + l] = some + 2u * all + 4u + 8u * most;
    }
}

REF(vectors)
{
    const u32 *x = A(0);
    EACH_WARP
    {
        const u32 f = w.first, v = x[f + 2];
        const u32 o[6] = {(u8)x[f + 1], (u8)(f + 1), v + f + 2, (u32)(v * (u64)3 >> 16),
                          x[f + 3],     f + 3};
        EACH_LANE memcpy((u32 *)A(1) + (size_t)6 * (f + l), o, sizeof o);
    }
}

REF(barriers)
{
    u32 *x = A(0), old[MAX_WARP];
    EACH_WARP for (u32 k = 0; k < 5; k++)
    {
        memcpy(old, x + w.first, w.n * sizeof *old);
        EACH_LANE x[w.first + l] = old[l] * 3 + old[(l + 1) % w.n];
    }
}

/* what the lanes from..to-1 that are there say, of those whose bit is set in p */
static bool says(u32 op, u64 there, u64 p, u32 from, u32 to)
{
    const u64 some = (((u64)1 << to) - 1) & ~(((u64)1 << from) - 1);
    p &= there & some;
    return op == 0 ? p == (there & some) : op == 1 ? p != 0 : __builtin_popcountll(p) & 1;
}

REF(logical)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH_WARP
    {
        u64 there = 0, p = 0;
        EACH_LANE there |= (u64)(x[w.first + l] & 1) << l;
        EACH_LANE p |= (u64)((x[w.first + l] >> 3 & 6) != 0) << l;
        EACH_LANE for (u32 op = 0; op < 3 && there >> l & 1; op++)
        {
            u32 *o = out + (size_t)12 * (w.first + l) + op;
            const u32 size = op < 2 ? 2 : 4, c = l & ~(size - 1);
            o[0] = says(op, there, p, 0, w.n);
            o[3] = says(op, there, p, 0, l + 1);
            o[6] = says(op, there, p, 0, l);
            o[9] = says(op, there, p, c, c + size);
        }
    }
}

REF(ballots)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH_WARP
    {
        const u32 *v = x + w.first;
        const u64 lanes = ((u64)1 << job->lanes) - 1;
        u64 there = 0, b = 0;
        u32 first = UINT32_MAX;
        bool all = true, equal = true;
        EACH_LANE
        {
            if (v[l] % 3 == 0)
                continue;
            first = first < l ? first : l;
            there |= (u64)1 << l;
            b |= (u64)(v[l] >> 3 & 1) << l;
            all &= (v[l] & 24) != 0;
            equal &= v[l] % 3 == v[first] % 3;
        }
        EACH_LANE
        {
            const u64 below = ((u64)1 << l) - 1, me = (u64)1 << l;
            const u32 o[20] = {(u32)b,
                               0,
                               b >> l & 1,
                               b >> (v[l] >> 8 & 31) & 1,
                               (u32)__builtin_popcountll(b),
                               (u32)__builtin_popcountll(b & (below | me)),
                               (u32)__builtin_popcountll(b & below),
                               b ? (u32)__builtin_ctzll(b) : 99,
                               b ? 63 - (u32)__builtin_clzll(b) : 99,
                               (u32)me,
                               (u32)(lanes & ~below),
                               (u32)(lanes & ~below & ~me),
                               (u32)(below | me),
                               (u32)below,
                               l == first,
                               first < w.n ? v[first] : 0,
                               b != 0,
                               all,
                               equal,
                               equal};
            if (there >> l & 1)
                memcpy(out + (size_t)20 * (w.first + l), o, sizeof o);
        }
    }
}

REF(rounds)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH_WARP
    {
        const u32 *v = x + w.first;
        u32 sum[MAX_WARP] = {0}, most = 0;
        for (u32 k = 0; k < 15; k++) {
            u32 all = 0, ranked = 0;
            bool before = false;
            EACH_LANE all += k < (v[l] & 15) ? v[l] >> k : 0;
            EACH_LANE
            {
                if (k >= (v[l] & 15))
                    continue;
                sum[l] = sum[l] * 3 + all;
                if (!before)
                    sum[l] += ranked++;
                before |= v[l] >> k & 16;
            }
        }
        EACH_LANE most = v[l] > most ? v[l] : most;
        EACH_LANE out[w.first + l] = sum[l] + most;
    }
}

/* lanes of the value of the first go first, then those of the first that is left */
REF(peers)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH_WARP
    {
        u32 turn = 0, seen[4] = {0}, n[4] = {0};
        EACH_LANE n[x[w.first + l] & 3]++;
        EACH_LANE
        {
            const u32 v = x[w.first + l] & 3;
            seen[v] = seen[v] ? seen[v] : ++turn;
            out[w.first + l] = seen[v] << 8 | n[v];
        }
    }
}

REF(called)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH_WARP
    {
        u32 most[2] = {0, 0};
        EACH_LANE
        {
            const bool odd = x[w.first + l] & 1;
            const u32 v = x[w.first + l] & (odd ? 31 : 15);
            most[odd] = v > most[odd] ? v : most[odd];
        }
        EACH_LANE
        {
            const bool odd = x[w.first + l] & 1;
            const u32 v = x[w.first + l] & (odd ? 31 : 15);
            out[w.first + l] = (v > 9 ? most[odd] : v) + (odd ? 0 : 100);
        }
    }
}

REF(guarded)
{
    const u32 *x = A(0), n = VALUE(u32, 1), mode = VALUE(u32, 2);
    u32 *out = A(3);
    EACH_WARP
    {
        const u32 in_group = w.id * job->lanes;
        u32 sum = 0;
        EACH_LANE sum += mode && in_group + l < n ? x[w.first + l] : 5;
        EACH_LANE out[w.first + l] = mode ? sum : 5;
    }
}

REF(arms)
{
    const u32 *x = A(0), n = VALUE(u32, 1), way = VALUE(u32, 2);
    u32 *out = A(3);
    EACH_WARP
    {
        u32 sum = 0, most = 0;
        EACH_LANE
        {
            const u32 id = w.id * job->lanes + l;
            u32 s = 0;
            for (u32 k = id; k < n && way == 1; k += 7)
                s += x[k];
            for (u32 k = id; k < n && way == 0; k += 5)
                s = x[k] > s ? x[k] : s;
            sum += s;
            most = s > most ? s : most;
            out[w.first + l] = sum;
        }
        EACH_LANE out[w.first + l] = way ? out[w.first + l] : most;
    }
}

REF(known)
{
    const u32 *x = A(0), mode = VALUE(u32, 1);
    u32 *out = A(2);
    EACH_WARP
    {
        u32 all = 0;
        EACH_LANE
        {
            const u32 i = w.first + l, kind = x[i] & 1 ? 1 : x[i] & 2 ? 2 : mode;
            const u32 v = x[i] & 1 ? x[i] * 3 : x[i] & 2 ? x[i] ^ 7 : x[i];
            all += v;
            out[i] = v + (kind == 1 ? 100 : kind == 2 ? 200 : 0);
        }
        EACH_LANE out[w.first + l] += all;
    }
}

REF(both_sides)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH_WARP for (u32 k = 0; k < 2; k++)
    {
        u32 first[2] = {UINT32_MAX, UINT32_MAX};
        EACH_LANE
        {
            const u32 i = w.first + l, side = x[i] >> k & 1;
            const bool is_first = first[side] == UINT32_MAX;
            first[side] = is_first ? i : first[side];
            out[2 * i + k] = first[side] + (k && is_first);
        }
    }
}

static const KitCase cases[] = {
    CASE(ids, "100/50", "w700"),
    CASE(together_char, "75/75", "c75 c750"),
    CASE(together_uchar, "75/75", "c75 c750"),
    CASE(together_short, "75/25", "h75 h750"),
    CASE(together_ushort, "75/25", "h75 h750"),
    CASE(together_int, "96/48", "w96 w960"),
    CASE(together_uint, "96/48", "w96 w960"),
    CASE(together_long, "76/38", "q76 q760"),
    CASE(together_ulong, "76/38", "q76 q760"),
    CASE(floating_float, "102/51", "w102 w1632"),
    CASE(floating_double, "102/51", "w102 q1632"),
    CASE(votes, "96/48", "w96 w96"),
    CASE(vectors, "64/32", "w64 w384"),
    CASE(barriers, "90/45", "w90 l180"),
    CASE(moves_char, "80/40", "c80 w80 c480"),
    CASE(moves_ushort, "84/42", "h84 w84 h504"),
    CASE(moves_int, "90/90", "w90 w90 w540"),
    CASE(moves_ulong, "90/45", "q90 w90 q540"),
    CASE(parted_char, "74/37", "c74 c2072"),
    CASE(parted_uchar, "74/37", "c74 c2072"),
    CASE(parted_short, "74/37", "h74 h2072"),
    CASE(parted_ushort, "74/37", "h74 h2072"),
    CASE(parted_int, "74/37", "w74 w2072"),
    CASE(parted_uint, "74/37", "w74 w2072"),
    CASE(parted_long, "74/37", "q74 q2072"),
    CASE(parted_ulong, "74/37", "q74 q2072"),
    CASE(logical, "74/37", "w74 w888"),
    CASE(ballots, "94/47", "w94 w1880"),
    CASE(rounds, "94/47", "w94 w94"),
    CASE(peers, "94/47", "w94 w94"),
    CASE(called, "94/47", "w94 w94"),
    CASE(guarded, "64/32", "w64 =20 =0 w64"),
    CASE(guarded, "64/32", "w64 =20 =1 w64"),
    CASE(arms, "64/32", "w64 =50 =0 w64"),
    CASE(arms, "64/32", "w64 =50 =1 w64"),
    CASE(arms, "64/32", "w64 =50 =2 w64"),
    CASE(known, "94/47", "w94 =0 w94"),
    CASE(known, "94/47", "w94 =1 w94"),
    CASE(both_sides, "94/47", "w94 w188"),
};

int main(void) { return kit_main("subgroup.cl", "-cl-std=CL3.0", cases, countof(cases)); }
