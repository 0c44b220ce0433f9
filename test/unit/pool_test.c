/* pool_test.c -- threads between launches (sim/pool.h): each part of a job runs once and on one thread, on the processors
 * that the caller may use, however often and soon jobs follow each other.
 */
#include "sim/pool.h"
#include "sim/step.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

enum { MOST = 12 };

/* What the parts of a job see. */
typedef struct {
    _Atomic u32 runs[MOST], strangers;
    cpu_set_t home;
} Seen;

/* A thread may use the processors that the caller may. */
static void see(void *self, u32 number)
{
    Seen *n = self;
    cpu_set_t here;
    n->runs[number]++;
    n->strangers += sched_getaffinity(0, sizeof here, &here) || !CPU_EQUAL(&here, &n->home);
}

static void pause_for(long ns) { nanosleep(&(struct timespec){.tv_nsec = ns}, NULL); }

/* A job of so many parts, of which the caller waits for all, a second at most; how many it found begun.  Threads of a
 * caller that may use one processor are not sent away, and so not brought back. */
static u32 run(Pool *p, u32 parts)
{
    static Seen n;
    PoolJob j;
    u32 begun = 0;
    memset((void *)&n, 0, sizeof n);
    assert_int_equal(sched_getaffinity(0, sizeof n.home, &n.home), 0);
    pool_begin(&j, p, parts, (PoolWork){see, &n});
    pool_call(&j);
    pool_call(&j);
    for (const u64 end = nanoseconds() + 1000000000; begun < parts - 1 && nanoseconds() < end;) {
        begun = 0;
        for (u32 i = 1; i < parts; i++)
            begun += n.runs[i];
    }
    pool_end(&j);
    assert_int_equal(n.runs[0], 0);
    for (u32 i = 1; i < parts; i++)
        assert_true(n.runs[i] <= 1);
    assert_true(!n.strangers || CPU_COUNT(&n.home) == 1);
    return begun;
}

/* Jobs one after the other, at once or after pauses for which threads look out, look out longer, and sleep. */
static void runs_parts(void **state)
{
    static const long pauses[] = {0, 40000, 100000, 400000};
    static const u32 parts[] = {2, 3, 8, MOST};
    Pool p;
    (void)state;
    pool_open(&p, host_processors());
    for (size_t k = 0; k < countof(pauses); k++)
        for (u32 i = 0; i < 50; i++) {
            const u32 n = parts[i % countof(parts)];
            assert_int_equal(run(&p, n), n - 1);
            if (pauses[k])
                pause_for(pauses[k]);
        }
    pool_close(&p);
}

/* Threads may use what the caller may, also when that was one processor for a while. */
static void follows(void **state)
{
    cpu_set_t all, one;
    Pool p;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    pool_open(&p, host_processors());
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &all))
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        assert_int_equal(run(&p, 2), 1);
        assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
        run(&p, 2);
        assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    }
    assert_int_equal(run(&p, 2), 1);
    pool_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_parts),
        cmocka_unit_test(follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
