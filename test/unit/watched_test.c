/* An observer that watches registers is told of what concerns them and of memory, and of little
 * else; the program does what it does without one.
 */
#include "test/kit/launchrig.h"

/* --- what is told ----------------------------------------------------------------------------- */

typedef struct {
    u8 table[NWATCH];
    u32 pcs[64], n; /* of the instructions that it was told of */
    u32 others;     /* events that are no instruction */
    Touch touched;  /* of the last one that touched memory: the first */
    size_t ntouched;
} Ear;

static const u8 *table(void *self, const Warp *w)
{
    (void)w;
    return ((Ear *)self)->table;
}

static Verdict hear(void *self, const Event *e)
{
    Ear *ear = self;
    if (e->kind != EVENT_insn) {
        ear->others++;
        return GO_ON;
    }
    if (ear->n < countof(ear->pcs))
        ear->pcs[ear->n] = e->step->pc - CODE_LO;
    ear->n++;
    if (e->step->ntouched) {
        ear->ntouched = e->step->ntouched;
        ear->touched = e->step->touched[0];
    }
    return GO_ON;
}

static void listen(Ear *ear, bool watches, LaunchResult *r)
{
    const Observer o = {.self = ear,
                        .events = EVENT_insn | EVENT_memory | EVENT_divergence | EVENT_barrier,
                        .tell = hear,
                        .watches = watches ? table : NULL};
    ear->table[WATCH_ALWAYS] = 1;
    *r = rig_run(&(LaunchOptions){.observers = &o, .nobservers = 1});
    assert_false(r->faulted);
}

static const char program[] = "    lui     s1, 0x90000\n"    /* 0 */
                              "    vid.v   v1\n"             /* 4 */
                              "    vsll.vi v2, v1, 2\n"      /* 8 */
                              "    vadd.vx v2, v2, s1\n"     /* c */
                              "    vsw12.v v1, 4(v2)\n"      /* 10 */
                              "    addi    t0, x0, 7\n"      /* 14 */
                              "    vadd.vx v3, v1, t0\n"     /* 18 */
                              "    vfadd.vv v4, v3, v3\n"    /* 1c */
                              "    barrier x0, x0, 1\n"      /* 20 */
                              "    fence   iorw, iorw\n"     /* 24 */
                              "    amoadd.w  v5, v1, (v2)\n" /* 28 */
                              "    lw      t1, 8(s1)\n"      /* 2c */
                              "    endprg  x0, x0, x0\n";    /* 30 */

static void told(const Ear *ear, const u32 *pcs, u32 n)
{
    assert_int_equal(ear->n, n);
    assert_memory_equal(ear->pcs, pcs, n * sizeof *pcs);
    assert_int_equal(ear->others, 1); /* the barrier that all have reached */
}

static void only_what_matters(void **state)
{
    (void)state;
    Ear ear = {.n = 0};
    LaunchResult r;
    rig_load(V202, 8, program);
    const u64 insns = rig_run(&(LaunchOptions){.threads = 1}).insns;
    rig_load(V202, 8, program);
    listen(&ear, true, &r);
    assert_int_equal(r.insns, insns);
    told(&ear, (const u32[]){0x10, 0x20, 0x24, 0x28, 0x2c}, 5);
    assert_int_equal(rig.data[3], 2 + 3); /* stored by lane 2, added to by lane 3 */

    ear = (Ear){.table = {[3] = 1}};
    rig_load(V202, 8, program);
    listen(&ear, true, &r);
    told(&ear, (const u32[]){0x10, 0x18, 0x1c, 0x20, 0x24, 0x28, 0x2c}, 7);

    ear = (Ear){.table = {[WATCH_X + 5] = 1}};
    rig_load(V202, 8, program);
    listen(&ear, true, &r);
    told(&ear, (const u32[]){0x10, 0x14, 0x18, 0x20, 0x24, 0x28, 0x2c}, 7);
}

/* --- rows ------------------------------------------------------------------------------------- */

static void one_touch_a_row(void **state)
{
    (void)state;
    Ear ear = {.n = 0};
    LaunchResult r;
    rig_load(V202, 8,
             "    lui     s1, 0x90000\n"
             "    vid.v   v1\n"
             "    vsll.vi v2, v1, 3\n"
             "    vadd.vx v2, v2, s1\n"
             "    vsh12.v v1, 2(v2)\n"
             "    endprg  x0, x0, x0\n");
    listen(&ear, true, &r);
    assert_int_equal(ear.ntouched, 1);
    assert_int_equal(ear.touched.lane, TOUCH_ROW);
    assert_int_equal(ear.touched.addr, DATA + 2);
    assert_int_equal(ear.touched.size, 7 * 8 + 2); /* from the first byte to the last */
    assert_true(ear.touched.writes && !ear.touched.reads);

    ear = (Ear){.n = 0}; /* the first store to a page of local memory is looked at lane by lane */
    rig_load(V202, 8,
             "    lui     s1, 0x70000\n"
             "    vid.v   v1\n"
             "    vsll.vi v2, v1, 2\n"
             "    vadd.vx v2, v2, s1\n"
             "    vsw12.v v1, 0(v2)\n"
             "    endprg  x0, x0, x0\n");
    listen(&ear, true, &r);
    assert_int_equal(ear.ntouched, 8);
    assert_int_equal(ear.touched.lane, 0);

    ear = (Ear){.n = 0};
    rig_load(V202, 8, program);
    listen(&ear, false, &r);
    assert_int_equal(ear.touched.size, 4); /* the load of a scalar; every lane was told */
    assert_int_equal(ear.n, 0x30 / 4 + 1);
}

/* --- pages of code ---------------------------------------------------------------------------- */

static void code_longer_than_a_page(void **state)
{
    (void)state;
    enum { MANY = PAGE_SIZE / 4 * 2 + 100 };
    static char text[MANY * 24 + 100];
    char *at = text;
    for (u32 i = 0; i < MANY; i++)
        at += sprintf(at, "    addi t0, t0, 1\n");
    sprintf(at, "    lui s1, 0x90000\n    sw t0, 0(s1)\n    endprg x0, x0, x0\n");
    for (int watches = 0; watches < 2; watches++) {
        Ear ear = {.n = 0};
        LaunchResult r;
        rig_load(V202, 8, text);
        listen(&ear, watches, &r);
        assert_int_equal(r.insns, MANY + 3);
        assert_int_equal(ear.n, watches ? 1 : MANY + 3);
        assert_int_equal(rig.data[0], MANY);
    }
}

/* --- turns ------------------------------------------------------------------------------------ */

static void turns_go_on(void **state)
{
    static const char text[] = "    lui  s1, 0x90000\n"
                               "    li   t1, 1000\n"
                               "1:  addi t0, t0, 1\n"
                               "    bne  t0, t1, 1b\n"
                               "    sw   t0, 0(s1)\n"
                               "    endprg x0, x0, x0\n";
    Ear ear = {.table = {[WATCH_ALWAYS] = 1}};
    const Observer o = {.self = &ear, .events = EVENT_insn, .tell = hear, .watches = table};
    (void)state;
    rig_load(V202, 8, text);
    rig.launch.max_insns = 3000;
    const LaunchResult r =
        rig_run(&(LaunchOptions){.observers = &o, .nobservers = 1, .slice = 7});
    rig.launch.max_insns = 0;
    assert_false(r.faulted);
    assert_int_equal(rig.data[0], 1000);
    assert_int_equal(r.insns, 2 + 2 * 1000 + 2);
    assert_int_equal(ear.n, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_matters),
        cmocka_unit_test(one_touch_a_row),
        cmocka_unit_test(code_longer_than_a_page), cmocka_unit_test(turns_go_on),
    };
    return cmocka_run_group_tests(tests, rig_set_up, rig_tear_down);
}
