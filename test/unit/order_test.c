/* order_test.c -- groups of a launch, dealt to threads: each once; in one order, and no more than the
 * machine holds, once one may wait; nothing later before what a thread still has. */
#include "sim/order.h"
#include "test/kit/random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

enum { PARTS = 4 };

/* Threads go round by chance, and take what comes, until nobody finds a group. */
static void test_deals_each_once(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        const u32 threads = 1 + below(8), groups = 1 + below(300);
        u32 *times = calloc(groups, sizeof *times), found = 0;
        Batch batch[8] = {{0, 0}};
        Order o;
        order_open(&o, groups, threads, 1, false);
        for (u32 k = 0; k < 20 * groups + 200; k++) {
            const u32 t = below(threads);
            if (order_next(&o, t, PARTS, &batch[t])) {
                times[batch[t].next++]++;
                found++;
            }
        }
        assert_int_equal(found, groups);
        for (u32 i = 0; i < groups; i++)
            assert_int_equal(times[i], 1);
        order_close(&o);
        free(times);
    }
}

/* The first thread has all groups in one batch, and what it has not begun when others come is for all. */
static void test_shares_what_is_left(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        const u32 threads = 2 + below(7), groups = 2 + below(100), done = 1 + below(groups);
        u32 times[101] = {0}, found = done;
        Batch batch[8] = {{0, 0}};
        Order o;
        order_open(&o, groups, threads, 1, true);
        for (u32 i = 0; i < done; i++) {
            assert_true(order_next(&o, 0, 1, &batch[0]));
            assert_int_equal(batch[0].end, groups);
            assert_int_equal(batch[0].next++, i);
        }
        order_share(&o, 0, &batch[0]);
        order_share(&o, 0, &(Batch){0, 0}); /* there is nothing to give back */
        for (u32 k = 0; k < 20 * groups + 200; k++) {
            const u32 t = below(threads);
            if (order_next(&o, t, PARTS, &batch[t])) {
                assert_true(batch[t].next >= done);
                times[batch[t].next++]++;
                found++;
            }
        }
        assert_int_equal(found, groups);
        for (u32 i = done; i < groups; i++)
            assert_int_equal(times[i], 1);
        order_close(&o);
    }
}

static u64 begin(Order *o, u32 thread, Batch *b)
{
    return order_next(o, thread, PARTS, b) ? b->next++ : UINT64_MAX;
}

static void test_holds_as_many_as_the_machine(void **state)
{
    Batch b = {0, 0};
    Order o;
    (void)state;
    order_open(&o, 10, 1, 3, false);
    assert_int_equal(begin(&o, 0, &b), 0);
    assert_false(order_waits(&o));
    order_wait(&o, 0, 0, &b);
    assert_true(order_waits(&o));
    assert_int_equal(begin(&o, 0, &b), 1);
    assert_int_equal(begin(&o, 0, &b), 2);
    assert_int_equal(begin(&o, 0, &b), UINT64_MAX);
    order_end(&o, 0, 0);
    assert_int_equal(begin(&o, 0, &b), 3);
    assert_int_equal(begin(&o, 0, &b), UINT64_MAX);
    for (u64 i = 1; i < 8; i++) {
        order_end(&o, 0, i);
        assert_int_equal(begin(&o, 0, &b), i + 3 < 10 ? i + 3 : UINT64_MAX);
    }
    order_close(&o);
}

/* Group 10 of 20 has begun when the first one waits, of a machine that holds two. */
static void begin_early(Order *o, Batch b[2])
{
    order_open(o, 20, 2, 2, false);
    assert_int_equal(begin(o, 1, &b[1]), 10);
    assert_int_equal(begin(o, 0, &b[0]), 0);
    order_wait(o, 1, 10, &b[1]);
    order_wait(o, 0, 0, &b[0]);
}

/* It has room of its own before its turn has come. */
static void test_counts_early_groups_in_their_turn(void **state)
{
    Batch b[2] = {{0, 0}, {0, 0}};
    Order o;
    (void)state;
    begin_early(&o, b);
    assert_int_equal(begin(&o, 1, &b[1]), 1);
    assert_int_equal(begin(&o, 0, &b[0]), UINT64_MAX);
    for (u64 i = 2; i < 10; i++) {
        order_end(&o, 1, i - 2);
        assert_int_equal(begin(&o, 0, &b[0]), i);
        assert_int_equal(begin(&o, 1, &b[1]), UINT64_MAX);
    }
    order_end(&o, 0, 8);
    assert_int_equal(begin(&o, 1, &b[1]), UINT64_MAX); /* 9 and 10 */
    order_end(&o, 0, 10);
    assert_int_equal(begin(&o, 1, &b[1]), 11);
    order_end(&o, 0, 9);
    assert_int_equal(begin(&o, 1, &b[1]), 12);
    assert_int_equal(begin(&o, 1, &b[1]), UINT64_MAX);
    order_close(&o);
}

/* One that has ended before its turn never had a place. */
static void test_gives_no_place_for_early_groups(void **state)
{
    Batch b[2] = {{0, 0}, {0, 0}};
    Order o;
    (void)state;
    begin_early(&o, b);
    order_end(&o, 0, 10);
    assert_int_equal(begin(&o, 1, &b[1]), 1);
    assert_int_equal(begin(&o, 1, &b[1]), UINT64_MAX);
    order_close(&o);
}

/* What a thread finds that must wait for another. */
typedef struct {
    Order *order;
    u64 found;
    _Atomic bool has_found;
} Seeker;

static void *seek(void *self)
{
    Seeker *s = self;
    Batch b = {0, 0};
    s->found = begin(s->order, 1, &b);
    atomic_store(&s->has_found, true);
    return NULL;
}

/* Thread 0 is in group 0 and has some more, while thread 1 has had to wait. */
static void look_while_another_runs(void (*goes_on)(Order *, Batch *), u64 wanted)
{
    Batch first = {0, 0}, second = {0, 0};
    Order o;
    Seeker s = {.order = &o};
    pthread_t thread;
    order_open(&o, 40, 2, 8, false);
    assert_int_equal(begin(&o, 0, &first), 0);
    assert_true(first.end > 1);
    assert_int_equal(begin(&o, 1, &second), 20);
    order_wait(&o, 1, 20, &second);
    assert_int_equal(pthread_create(&thread, NULL, seek, &s), 0);
    usleep(2000);
    assert_false(atomic_load(&s.has_found));
    goes_on(&o, &first);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(s.found, wanted);
    order_close(&o);
}

static void waits_too(Order *o, Batch *b) { order_wait(o, 0, 0, b); }
static void takes_next(Order *o, Batch *b) { assert_in_range(begin(o, 0, b), 1, 2); }

static void test_begins_nothing_before_what_others_have(void **state)
{
    (void)state;
    look_while_another_runs(waits_too, 1);
}

static void test_leaves_the_first_to_whoever_asks_first(void **state)
{
    Batch first = {0, 0}, second = {0, 0};
    Order o;
    Seeker s = {.order = &o};
    pthread_t thread;
    (void)state;
    order_open(&o, 40, 2, 8, false);
    begin(&o, 0, &first);
    begin(&o, 1, &second);
    order_wait(&o, 1, 20, &second);
    assert_int_equal(pthread_create(&thread, NULL, seek, &s), 0);
    takes_next(&o, &first);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(first.next - 1 + s.found, 3); /* 1 and 2 */
    order_close(&o);
}

static void leaves(Order *o, Batch *b)
{
    (void)b;
    order_leave(o, 0);
}

/* Its groups are lost to all, as where a fault ends the launch. */
static void test_waits_for_no_thread_that_has_left(void **state)
{
    (void)state;
    look_while_another_runs(leaves, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deals_each_once),
        cmocka_unit_test(test_shares_what_is_left),
        cmocka_unit_test(test_holds_as_many_as_the_machine),
        cmocka_unit_test(test_counts_early_groups_in_their_turn),
        cmocka_unit_test(test_gives_no_place_for_early_groups),
        cmocka_unit_test(test_begins_nothing_before_what_others_have),
        cmocka_unit_test(test_leaves_the_first_to_whoever_asks_first),
        cmocka_unit_test(test_waits_for_no_thread_that_has_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
