/* time_memory_test.c -- engine `timing`: what the L2 finds, keeps and writes to memory, against a cache of the same
 * size that is written down here from what doc/timing.md says ("Memory instructions").
 */
#include "test/kit/leftover.h"
#include "test/kit/timerig.h"

static Machine machine;

static u32 rnd(u32 *seed, u32 n)
{
    *seed = *seed * 1664525 + 1013904223;
    return (u32)((u64)(*seed >> 4) * n >> 28);
}

static LaunchResult run(void)
{
    LaunchResult r;
    time_kind.code_changed(engine, rig.launch.set, CODE_LO, TEXT_BYTES);
    rig.launch.machine = &machine;
    time_kind.launch(engine, &rig.launch, &(LaunchOptions){0}, &r);
    if (r.faulted)
        fail_msg("fault %s at %08x", fault_name(r.fault.kind), r.fault.pc);
    return r;
}

/* --- the L2 ------------------------------------------------------------------------------------- */

/* Data lies in other sets of the L2 than code. */
enum { L2_SETS = 1024, FIRST_SET = 1000, SETS = 3, WAYS = 2, TAGS = 4, TOUCHES = 80 };

/* The L2 behind a data cache of one line. */
typedef struct {
    u32 line[SETS][WAYS]; /* + 1, the last that was used first */
    bool dirty[SETS * TAGS];
    u32 first; /* the line of the data cache, + 1 */
    bool first_dirty;
    u64 reads, writes; /* of memory */
} Caches;

/* The data cache reads, or writes what it does not keep.  What the L2 has it reads or writes there; of what it has not
 * it keeps lines that are read. */
static void l2_access(Caches *c, u32 line, bool writes)
{
    u32 *set = c->line[line % SETS], k = 0;
    while (k < WAYS && set[k] != line + 1)
        k++;
    const bool hit = k < WAYS;
    c->reads += !hit;
    c->writes += !hit && writes;
    if (!hit && writes)
        return;
    k = hit ? k : WAYS - 1;
    if (!hit && set[k]) {
        c->writes += c->dirty[set[k] - 1];
        c->dirty[set[k] - 1] = false;
    }
    memmove(set + 1, set, k * sizeof *set);
    set[0] = line + 1;
    c->dirty[line] |= writes;
}

static void touch(Caches *c, u32 line, bool writes)
{
    if (c->first == line + 1) {
        c->first_dirty |= writes;
        return;
    }
    l2_access(c, line, writes);
    if (writes)
        return;
    if (c->first && c->first_dirty)
        l2_access(c, c->first - 1, true);
    c->first = line + 1;
    c->first_dirty = false;
}

/* Accesses one after the other, each of one word of its line and long enough after the one before it that nothing of
 * that is under way. */
static void counts_of_the_l2(void **state)
{
    (void)state;
    u64 code = 0, written = 0;
    Caught c;
    catch_in(&c);
    if (!machine_parse("l2",
                       "base = rtl-direct\nl2_hits = 1\nl2_mixes = 0\nl2_sets = 1024\nl2_ways = 2\n"
                       "dcache_sets = 1\ndcache_ways = 1\nicache_repeats = 0\nicache_mixes = 0\n"
                       "icache_sets = 512\n",
                       &machine, &c.d))
        fail_msg("%s", buf_text(&c.text));
    for (u32 seed = 1; seed <= 12; seed++) {
        Caches want = {0};
        TimeResult t;
        Buf text = {0};
        u32 chance = seed, line = 0;
        buf_str(&text, "li s2, 1\n");
        for (u32 i = 0; i < TOUCHES; i++) {
            const bool is_last =
                i == TOUCHES - 1 && seed % 2; /* a store to the line that is there */
            const u32 other = rnd(&chance, SETS * TAGS);
            const bool writes = is_last || (rnd(&chance, 2) && i < TOUCHES - 2);
            line = is_last ? line : other;
            const u32 at = (line / SETS * L2_SETS + FIRST_SET + line % SETS) * machine.line;
            touch(&want, line, writes);
            const u32 upper = (at + 0x800) >> 12;
            buf_printf(&text, "lui t1, %u\naddi t1, t1, %d\ndivu t1, t1, s2\n%s t0, 0(t1)\nfence\n",
                       (DATA >> 12) + upper, (int)at - (int)(upper << 12), writes ? "sw" : "lw");
        }
        buf_str(&text, "endprg x0, x0, x0\n");
        if (want.first_dirty)
            l2_access(&want, want.first - 1, true); /* when the kernel ends */
        rig_load(V202, 4, buf_text(&text));
        run();
        assert_true(time_result(engine, &t));
        assert_int_equal(t.memory_writes, want.writes);
        code = code ? code : t.memory_reads - want.reads;
        assert_int_equal(t.memory_reads, code + want.reads);
        written += want.writes;
        buf_free(&text);
    }
    const u64 lines = (2 + 5 * TOUCHES) * 4 / machine.line; /* of code; more are fetched ahead */
    assert_true(code >= lines && code <= lines + machine.ibuffer + machine.fetch_latency);
    assert_true(written);
    buf_free(&c.text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(counts_of_the_l2),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, timing_set_up, timing_tear_down);
}
