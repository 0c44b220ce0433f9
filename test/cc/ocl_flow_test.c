/* Control flow (test/cc/flow.cl). */
#include "test/kit/oclkit.h"
#include <string.h>

/* what a work-item computes of one word into another */
#define PER_ITEM(name, T, U, expr)                                                                 \
    REF(name)                                                                                      \
    {                                                                                              \
        const T *x = A(0);                                                                         \
        U *out = A(1);                                                                             \
        EACH out[i] = (U)(expr);                                                                   \
    }

PER_ITEM(if_else, i32, i32,
         x[i] > 10  ? x[i] * 2
         : x[i] > 5 ? x[i] + 100
         : x[i] % 2 ? -x[i]
                    : out[i])

static u32 nested(u32 v)
{
    static const u32 even[] = {1, 20};
    if (v % 2 == 0)
        return even[v / 4 % 2];
    return (v & 2 ? v & 4 ? 105 : 26 : v & 8 ? 16 : 3) ^ 17;
}
PER_ITEM(nested_if, u32, u32, nested(x[i]))

PER_ITEM(loop_by_lane, i32, i32, (x[i] - 1) * x[i] * (2 * x[i] - 1) / 6)

static i32 broken(i32 x)
{
    i32 sum = 0;
    for (i32 k = 0; k < 40 && ((k + x) % 3 == 0 || k * x <= 150); k++)
        sum += (k + x) % 3 ? k : 0;
    return sum;
}
PER_ITEM(break_continue, i32, i32, broken(x[i]))

PER_ITEM(early_return, i32, i32, x[i] < 3 ? out[i] : x[i] < 20 ? 1000 + x[i] : -1)

static u32 digits(u32 v)
{
    u32 n = 1;
    for (u64 power = 10; power <= v; power *= 10)
        n++;
    return n;
}
PER_ITEM(do_while, u32, u32, digits(x[i]))

static i32 root_up(i32 v)
{
    i32 c = 0;
    while (c * c < v)
        c++;
    return c;
}

static i32 nest(i32 n)
{
    i32 sum = 0;
    for (i32 a = 0; a < n; a++)
        for (i32 b = a; b < n && root_up(a + b) != 3; b += 2)
            sum += root_up(a + b) * b;
    return sum;
}
PER_ITEM(nested_loops, i32, i32, nest(x[i]))

static i32 leave(i32 x)
{
    i32 sum = 0;
    for (i32 a = 0; a < 12; a++, sum++)
        for (i32 b = 0; b < 12; b++) {
            if (a * b == x)
                return sum * 16 + a + b;
            if (a + b > x)
                break;
            sum += a ^ b;
        }
    return -1;
}

/* where nothing is found, a is 12 and b where the last row was left */
static i32 left_two(i32 x)
{
    const i32 found = leave(x);
    if (found >= 0)
        return found;
    i32 sum = 12 + 10000, last = 0;
    for (i32 a = 0; a < 12; a++)
        for (last = 0; last < 12 && a + last <= x; last++)
            sum += a ^ last;
    return sum * 16 + 12 + last;
}
PER_ITEM(leave_two, i32, i32, left_two(x[i]))

static u32 collatz(u32 v) { return v <= 1 ? 0 : 1 + collatz(v % 2 ? 3 * v + 1 : v / 2); }
PER_ITEM(goto_loop, u32, u32, collatz(x[i]))

static i32 two_entries(i32 v)
{
    i32 sum = 0;
    for (bool enter = v % 2; enter || v > 0 || sum == 0; enter = false) {
        if (!enter)
            sum += v, v -= 2;
        sum += 3, v -= 1;
    }
    return sum;
}
PER_ITEM(irreducible, i32, i32, two_entries(x[i]))

static i32 dense(i32 x, i32 old)
{
    const i32 table[] = {5, 9, 78, old + 1, 64, 80, old, 128};
    return x >= 0 && x < 8 ? table[x] : -1;
}
PER_ITEM(switch_dense, i32, i32, dense(x[i], out[i]))

static i32 sparse(i32 x)
{
    const i32 named[] = {1, 0, 2, 3, 0, 4, 0};
    return x >= 0 && named[x % 7] ? named[x % 7] : x % 7 * 1000003 - 3000009;
}
PER_ITEM(switch_sparse, i32, i32, sparse(x[i]))

static i32 by_bits(u64 v)
{
    static const u8 r[] = {1, 2, 3, 5, 5, 4, 5, 5};
    return r[(v & 1) | (v >> 31 & 6)];
}
PER_ITEM(switch_long, u64, i32, by_bits(x[i]))

static u32 machine(u32 code)
{
    u32 acc = 1;
    do {
        while (code % 4 == 2)
            acc ^= code, code /= 2;
        if (code % 4 == 3 && acc % 2)
            break;
        acc = code % 4 == 0 ? acc + 3 : code % 4 == 1 ? acc * 5 : acc | 1;
        code /= 4;
    } while (code);
    return acc;
}
PER_ITEM(switch_in_loop, u32, u32, machine(x[i]))

REF(ternaries)
{
    const i32 *x = A(0), *y = A(1);
    i32 *out = A(2);
    EACH
    {
        const i32 a = x[i], b = y[i];
        if (a > b)
            out[i] = a > 2 * b ? a - b : b;
        else if (a == b)
            out[i] = 7;
        else
            out[i] = a ^ b; /* neither is negative here */
    }
}

static i32 circuit(u32 x)
{
    const bool first = x % 4 == 3, r = first || x & 4;
    const i32 called = 1 + (i32)(x % 2) + !first + 1 + !(x & 8);
    return (r + 2 * ((x & 24) != 0)) * 100 + called + 1;
}
PER_ITEM(short_circuit, u32, i32, circuit(x[i]))

static i32 leaf(i32 a, i32 b) { return a > b ? a - b : b * 3 + a; }

static i32 sum_of_leaves(i32 a, i32 n)
{
    i32 sum = 0;
    while (n-- > 0)
        sum += leaf(a, n);
    return sum;
}
PER_ITEM(calls, i32, i32,
         x[i] % 2 ? sum_of_leaves(x[i], x[i] % 8) + leaf(x[i], 7)
                  : leaf(leaf(x[i], 7), x[i]) * leaf(x[i], 7))

PER_ITEM(call_many, i32, i64,
         x[i] + (i64)x[i] * 2 * 1048576 + x[i] % 256 * 3 + x[i] + (x[i] + 1) * 5 + (i8)x[i] * 7 +
             (i16)x[i] * 11 + (i64)x[i] * 13 + (i64)x[i] * 17 + x[i] * 19 + (x[i] - 1) * 23)

REF(calls_kernel)
{
    u32 *x = A(0);
    EACH x[i] += i % job->local[0] * (i % 2 ? 13 : 3);
}

REF(uniform_outside)
{
    const i32 *x = A(0);
    i32 *out = A(1);
    const i32 n = VALUE(i32, 2);
    EACH
    {
        u32 acc = (u32)x[i];
        for (i32 k = 0; k < n; k++)
            acc = acc % 2 ? acc * 3 + (u32)k : (u32)((i32)acc >> 1 ^ n);
        out[i] = (i32)acc;
    }
}

REF(survive)
{
    const u32 *x = A(0), a = VALUE(u32, 2), b = VALUE(u32, 3);
    u32 *out = A(1);
    const u32 p = a * 3 + b, q = a - b * 5;
    EACH out[i] = (x[i] % 2 ? p * q + i / job->local[0] + x[i]
                            : (p + q * 7) * (job->n / job->local[0]) - x[i]) +
                  p - q;
}

PER_ITEM(left_at, i32, i32, x[i] < 26 ? x[i] : 26)

static i32 device(i32 n)
{
    i32 sum = 0;
    for (i32 left = n; left > 0; left--)
        sum += left % 4 == 0 ? 1 : left % 4 == 3 ? 10 : left % 4 == 2 ? 100 : 1000;
    return sum;
}
PER_ITEM(duff, i32, i32, device(x[i]))

REF(sizes)
{
    u32 *out = A(0);
    EACH out[i] = job->n + 1 + 1 + job->n / job->local[0] + 1; /* of seven terms two are 0 */
    memcpy(out, (u32[]){8421, 1004 + 110 * kit_pointer_bytes(), 4 + 1600 + 320000, 24}, 16);
}

REF(ids)
{
    u32 *out = A(0), *at = out;
    const u32 *l = job->local, *g = job->global;
    for (u32 z = 0; z < g[2]; z++)
        for (u32 y = 0; y < g[1]; y++)
            for (u32 x = 0; x < g[0]; x++)
                *at++ = x % l[0] | y % l[1] << 4 | z % l[2] << 8 | x / l[0] << 12 | y / l[1] << 16 |
                        z / l[2] << 20 | g[1] / l[1] << 24;
}

REF(known_rounds)
{
    static const i32 down[] = {15, 12, 9, 6, 3}, up[] = {0, 7, 14},
                     far[] = {65530, 65532, 65534, 0, 2}, below[] = {-20, -16, -12, -8},
                     narrow[] = {100, 109, 118, 127};
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH
    {
        u32 a = x[i], s = 0;
        for (size_t k = 0; k < countof(down); k++)
            s = a >> down[k] & 1 ? s + (u32)down[k] * a : s ^ a >> down[k];
        for (size_t k = 0; k < countof(far); k++)
            s = (a ^ (u32)far[k]) & 2 ? s * 3 + (u32)far[k] : s;
        for (size_t k = 0; k < countof(up); k++)
            s += a >> up[k] & 1 ? (u32)up[k] ^ s >> 1 : 5;
        for (size_t k = 0; k < countof(below); k++)
            s ^= a >> -below[k] & 1 ? (u32)below[k] * a : 0;
        for (size_t k = 0; k < countof(narrow); k++) {
            s -= (u32)narrow[k];
            s *= s & 4 ? 5 : 1;
        }
        for (u32 m = 3; m < 4; m--)
            a += s >> m & 8 ? s ^ m : 0;
        out[i] = s ^ a;
    }
}

REF(carried)
{
    const u32 *x = A(0);
    i32 *limit = A(1), *out = A(2);
    EACH
    {
        i32 *a = limit + 2 * (size_t)i, *b = a + 1;
        u32 n = 0, s = 0;
        for (i32 k = 0; k < *a + *b; k++) {
            s = s * 3 + (u32)k;
            if ((x[i] + s) % 4 == 1) {
                *a -= (i32)(s & 3);
                *b += (i32)(s & 1);
            }
            n += (u32)(*a - *b);
        }
        out[i] = (i32)(s ^ n);
    }
}

static const KitCase cases[] = {
    CASE(if_else, "64/32", "w64%20 w64"),
    CASE(nested_if, "64/32", "w64 w64"),
    CASE(loop_by_lane, "64/32", "w64%50 w64"),
    CASE(break_continue, "64/32", "w64%60 w64"),
    CASE(early_return, "64/32", "w64%30 o64"),
    CASE(do_while, "64/32", "w64 w64"),
    CASE(nested_loops, "64/32", "w64%20 w64"),
    CASE(leave_two, "64/32", "w64%150 w64"),
    CASE(goto_loop, "64/32", "w64%1000 w64"),
    CASE(irreducible, "64/32", "w64%40 w64"),
    CASE(switch_dense, "64/32", "w64%10 w64%99"),
    CASE(switch_sparse, "64/32", "w64%1000 w64"),
    CASE(switch_long, "64/32", "q64 w64"),
    CASE(switch_in_loop, "64/32", "w64 w64"),
    CASE(ternaries, "64/32", "w64%12 w64%12 w64"),
    CASE(short_circuit, "64/32", "w64%32 w64"),
    CASE(calls, "64/32", "w64%100 w64"),
    CASE(call_many, "64/32", "w64%1000000 q64"),
    CASE(calls_kernel, "64/32", "w64"),
    CASE(uniform_outside, "64/32", "w64 w64 =13"),
    CASE(survive, "64/32", "w64 w64 =17 =5"),
    CASE(left_at, "64/32", "w64%40 w64"),
    CASE(duff, "64/32", "w64%30 w64"),
    CASE(sizes, "64/16", "w64"),
    CASE(ids, "8,4,6/4,2,3", "w192"),
    CASE(ids, "30,3/5,3", "w90"),
    CASE(known_rounds, "64/32", "w64 w64"),
    CASE(carried, "64/32", "w64 w128%20 w64"),
};

int main(void) { return kit_main("flow.cl", NULL, cases, countof(cases)); }
