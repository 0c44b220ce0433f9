/* Shadows of memory: what is said of a row of words is what is said of each. */
#include "check/unwritten.h"
#include "base/base.h"
#include "mach/memory.h"
#include "test/kit/leftover.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
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
            assert_int_equal(unwritten_has_none_at(&t, addr, lanes, is_new), !any && !is_split);
            written += !any;
            unwritten += any != 0;
        }
        unwritten_free(&t);
    }
    assert_true(written > 500 && unwritten > 500);
}

/* --- against bytes ------------------------------------------------------------------------------ */

enum { PAGES = 3, BYTES = PAGES * PAGE_SIZE };

/* Each byte's shadow; of new memory the group in which its page was stored to last. */
typedef struct {
    u8 byte[BYTES];
    u64 group[PAGES], now;
} Model;

static u8 model_byte(const Model *m, u32 at, bool is_new)
{
    return is_new && m->group[at / PAGE_SIZE] != m->now ? 0xff : m->byte[at];
}

static void model_store(Model *m, u32 at, u8 shadow, bool is_new)
{
    const u32 page = at / PAGE_SIZE;
    if (is_new && m->group[page] != m->now) {
        memset(m->byte + page * PAGE_SIZE, 0xff, PAGE_SIZE);
        m->group[page] = m->now;
    }
    m->byte[at] = shadow;
}

/* A place near the ends of pages, often, and what fits there. */
static u32 place(u32 *size, u32 most)
{
    u32 at = rnd(2) ? rnd(BYTES) : (1 + rnd(PAGES - 1)) * PAGE_SIZE - most / 2 + rnd(most);
    *size = 1 + rnd(most);
    at = at < BYTES - most ? at : BYTES - most;
    return at;
}

static void shadows_are_of_bytes(void **state)
{
    (void)state;
    u32 written = 0, size;
    for (u32 round = 0; round < 40; round++) {
        static Model m;
        const bool is_new = round & 1;
        Unwritten t = {.group = 1};
        memset(&m, 0, sizeof m);
        m.now = 1;
        for (u32 step = 0; step < 300; step++) {
            const u32 kind = rnd(6), at = place(&size, kind < 4 ? 4 : rnd(3) ? 40 : BYTES - 1);
            const u32 shadow = rnd(2) ? 0 : rnd(1 << 16) << 16 | rnd(1 << 16);
            u32 want = 0;
            bool any = false;
            switch (kind) {
            case 0:
            case 1:
                unwritten_store(&t, BASE + at, size, shadow, is_new);
                for (u32 i = 0; i < size; i++)
                    model_store(&m, at + i, (u8)(shadow >> i * 8), is_new);
                break;
            case 2:
                for (u32 i = 0; i < size; i++)
                    want |= (u32)model_byte(&m, at + i, is_new) << i * 8;
                assert_int_equal(unwritten_load(&t, BASE + at, size, is_new), want);
                break;
            case 3: m.now = t.group += is_new && !rnd(4); break;
            case 4:
                if (!is_new) { /* only memory that is never new is filled */
                    unwritten_fill(&t, BASE + at, size, shadow ? 0xff : 0);
                    memset(m.byte + at, shadow ? 0xff : 0, size);
                } else if (unwritten_clear(&t, BASE + at, size, true)) {
                    assert_int_equal(at / PAGE_SIZE, (at + size - 1) / PAGE_SIZE);
                    for (u32 i = 0; i < size; i++)
                        model_store(&m, at + i, 0, true);
                } else {
                    assert_true(at / PAGE_SIZE != (at + size - 1) / PAGE_SIZE);
                }
                break;
            default:
                for (u32 i = 0; i < size; i++)
                    any |= model_byte(&m, at + i, is_new);
                const bool none = unwritten_has_none(&t, BASE + at, size, is_new);
                assert_false(none && any);
                assert_true(none || any || size > 512); /* of many it does not look at each */
                written += none;
            }
        }
        assert_false(t.failed);
        unwritten_free(&t);
    }
    assert_true(written > 200);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaves_nothing),
                                       cmocka_unit_test(rows_are_words),
                                       cmocka_unit_test(shadows_are_of_bytes)};
    (void)argc;
    remember_tests(tests, sizeof tests / sizeof *tests, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
