/* sets_test.c -- the sets of the proof of allocation against sets of bits: members, and equal
 * numbers for equal sets only. */
#include "base/mem.h"
#include "cc/proof.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

enum { THINGS = 64, KEPT = 300, STEPS = 60000 };

static u32 random_below(u32 *state, u32 n)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % n;
}

/* things are far from each other, and from 0 on */
static u32 thing_of(u32 bit) { return bit * bit * bit; }

static u64 members_of(const Sets *s, u32 set)
{
    u64 bits = 0;
    for (u32 bit = 0; bit < THINGS; bit++)
        bits |= (u64)set_has(s, set, thing_of(bit)) << bit;
    for (u32 bit = 2; bit < THINGS; bit++)
        assert_false(set_has(s, set, thing_of(bit) + 1));
    return bits;
}

/* Steps from sets that are there to others, of all sizes; a set that comes again has its number
 * again. */
static void random_sets(void **state)
{
    Sets *s = mem_zalloc(1, sizeof *s);
    u32 kept[KEPT] = {0}, seed = 1;
    u64 bits[KEPT] = {0};
    (void)state;
    assert_non_null(s);
    sets_init(s);
    for (u32 step = 0; step < STEPS; step++) {
        const u32 a = random_below(&seed, KEPT), b = random_below(&seed, KEPT),
                  to = random_below(&seed, KEPT),
                  bit = random_below(&seed, step % 1000 < 500 ? 5 : THINGS);
        switch (random_below(&seed, 5)) {
        case 0:
            kept[to] = set_without(s, kept[a], thing_of(bit));
            bits[to] = bits[a] & ~((u64)1 << bit);
            break;
        case 1:
            kept[to] = set_common(s, kept[a], kept[b]);
            bits[to] = bits[a] & bits[b];
            break;
        default:
            kept[to] = set_with(s, kept[a], thing_of(bit));
            bits[to] = bits[a] | (u64)1 << bit;
            break;
        }
        assert_int_equal(kept[to] == 0, bits[to] == 0);
        if (step % 10 == 0)
            assert_true(members_of(s, kept[to]) == bits[to]);
        assert_int_equal(kept[to] == kept[b], bits[to] == bits[b]);
        if (step % 1000 == 999)
            for (u32 i = 0; i < KEPT; i++)
                for (u32 k = 0; k < i; k++)
                    assert_int_equal(kept[i] == kept[k], bits[i] == bits[k]);
    }
    assert_true(s->nset > 2048); /* the table grew more than once */
    assert_false(s->failed || s->full);
    sets_free(s);
    mem_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
