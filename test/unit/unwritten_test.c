/* Shadows of memory: what is said of a row of words is what is said of each. */
#include "check/unwritten.h"
#include "base/base.h"
#include "mach/memory.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { LANES = 32, BASE = 3 * PAGE_SIZE };

static u32 rnd(u32 n)
{
    static u32 seed = 1;
    seed = seed * 1664525 + 1013904223;
    return (u32)((u64)(seed >> 4) * n >> 28);
}

/* Stores and fills, on and between three pages, of new memory or old; sometimes in a new group. */
static void change(Unwritten *t, bool is_new)
{
    const u64 addr = BASE + rnd(2 * PAGE_SIZE);
    if (!rnd(8))
        t->group++;
    for (u32 i = 0; is_new && i < PAGE_SIZE; i += 4)
        unwritten_store(t, addr + i, 4, 0, true);
    if (!is_new)
        unwritten_fill(t, addr, rnd(PAGE_SIZE), rnd(2) ? 0xff : 0);
    unwritten_store(t, BASE + rnd(2 * PAGE_SIZE), 1 + rnd(4), rnd(4) ? 0 : 1u << rnd(8), is_new);
}

static void rows_are_words(void **state)
{
    (void)state;
    u32 written = 0, unwritten = 0;
    for (u32 is_new = 0; is_new < 2; is_new++) {
        Unwritten t = {.group = 1};
        for (u32 run = 0; run < 4000; run++) {
            const u32 lanes = rnd(1 << 16) << 16 | rnd(1 << 16), width = 4u << rnd(12);
            const u32 from = BASE + rnd(2 * PAGE_SIZE);
            u32 addr[LANES], any = 0;
            bool is_split = false;
            change(&t, is_new);
            for (u32 i = 0; i < LANES; i++) {
                addr[i] = from + rnd(width);
                if (!(lanes >> i & 1))
                    continue;
                any |= unwritten_load(&t, addr[i], 4, is_new);
                is_split |= addr[i] % PAGE_SIZE > PAGE_SIZE - 4;
            }
            /* words in two pages are left to be looked at one by one */
            if (!is_split || any)
                assert_int_equal(unwritten_has_none_at(&t, addr, lanes, is_new), !any);
            written += !any;
            unwritten += any != 0;
        }
        unwritten_free(&t);
    }
    assert_true(written > 500 && unwritten > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
