/* What the check for races finds in random kernels is what a check finds that keeps every access of every
 * work-item: whether there is a race, and which one is the first.  The check keeps a few accesses of each
 * word; the one here is written from the rules that race.c begins with.
 */
#include "check/internal.h"
#include "link/link.h"
#include "test/kit/assemble.h"
#include "test/kit/leftover.h"

enum { GROUPS = 2, WARPS = 2, OPS = 12, LANES = 4, LOCAL = WARPS * LANES, ITEMS = GROUPS * LOCAL };
enum { TABLE = OPS * ITEMS, WORDS = 64 };

static u32 rnd(u32 n)
{
    static u32 seed = 1;
    seed = seed * 1664525 + 1013904223;
    return (u32)((u64)(seed >> 4) * n >> 28);
}

/* --- every access ------------------------------------------------------------------------------ */

/* One of a lane.  Times are numbers of accesses, fences and barriers in the order in which they were made. */
typedef struct {
    u32 item, group, pc, insn; /* insn: the instruction that made it and its neighbours */
    u64 addr, at;
    u32 size;
    bool writes, is_atomic, is_local;
    u32 together; /* lanes of an access of the warp, in which all store the same */
    u64 released; /* by the first atomic after which others may know of it; 0: none yet */
} Made;

typedef struct {
    Made made[1 << 14];
    u32 n, insns;
    u64 now;
    u32 flags;                      /* of the barrier that warps are at */
    u64 barrier[2];                 /* of the group: the last for global and for local memory */
    u64 fence[LOCAL];               /* of an item: its last one */
    u64 heard[LOCAL], knows[LOCAL]; /* releases before then; those before its last fence */
    u32 first, others[64], nothers; /* pc of the first race, and what it may be with; 0: none */
    bool is_unclear;                /* whether there is an earlier one */
} History;

static bool in_order(const History *h, const Made *before, const Made *m)
{
    return before->item == m->item || (before->is_local && before->group != m->group) ||
           (before->group == m->group && before->at < h->barrier[m->is_local]) ||
           (before->released && before->released < h->knows[m->item % LOCAL]);
}

/* Whether lanes stored the same in one instruction, this item's among them. */
static bool is_together(const Made *store, const Made *other)
{
    return store->writes && store->item / LANES == other->item / LANES &&
           store->together >> other->item % LANES & 1;
}

static bool is_race(const History *h, const Made *before, const Made *m)
{
    return before->addr < m->addr + m->size && m->addr < before->addr + before->size &&
           (before->writes || m->writes) && !(before->is_atomic && m->is_atomic) &&
           before->is_local == m->is_local && !is_together(before, m) && !in_order(h, before, m);
}

/* An atomic lets others know what was before its item's fence, or before its group's barrier. */
static void release(History *h, const Made *m)
{
    for (u32 i = 0; i < h->n; i++) {
        Made *b = &h->made[i];
        if (!b->released && b->group == m->group &&
            (b->at < h->barrier[0] || (b->item == m->item && b->at < h->fence[m->item % LOCAL])))
            b->released = m->at;
    }
}

static void note_access(History *h, Made m)
{
    m.at = ++h->now;
    assert_true(h->n < countof(h->made));
    for (u32 i = 0; i < h->n; i++) {
        if (!is_race(h, &h->made[i], &m))
            continue;
        if (h->made[i].writes && is_together(&m, &h->made[i])) {
            h->is_unclear = true; /* the other's item stores the same after it */
            continue;
        }
        h->first = m.pc;
        if (h->nothers < countof(h->others))
            h->others[h->nothers++] = h->made[i].pc;
    }
    if (m.is_atomic) {
        h->heard[m.item % LOCAL] = m.at;
        release(h, &m);
    }
    h->made[h->n++] = m;
}

static void note_insn(History *h, const Event *e)
{
    const Step *s = e->step;
    const IsaFacts *f = s->facts;
    const u32 group = (u32)e->group->linear, item = group * LOCAL + e->warp->tid;
    h->insns++;
    if (f->control == CONTROL_BARRIER)
        h->flags |= (s->word >> 15 & 3) ? s->word >> 15 & 3 : 3;
    if (isa_insn[s->id].effect == E_FENCE) {
        h->now++;
        for (u32 left = s->exec; left; left &= left - 1) {
            const u32 k = (item + (u32)__builtin_ctz(left)) % LOCAL;
            h->fence[k] = h->now;
            h->knows[k] = h->heard[k] > h->knows[k] ? h->heard[k] : h->knows[k];
        }
    }
    if (h->first)
        return;
    for (size_t i = 0; i < s->ntouched; i++) {
        const Touch *t = &s->touched[i];
        const u32 lanes = t->lane < 0 ? s->exec : 1u << t->lane;
        for (u32 left = lanes; left; left &= left - 1)
            note_access(h, (Made){.item = item + (u32)__builtin_ctz(left),
                                  .group = group,
                                  .pc = step_pc(s),
                                  .insn = h->insns,
                                  .addr = t->addr,
                                  .size = t->size,
                                  .writes = t->writes,
                                  .is_atomic = f->access == ACCESS_ATOMIC,
                                  .is_local = t->addr >= LDS_LO && t->addr < LDS_END,
                                  .together = t->lane < 0 ? s->exec : 0});
    }
}

static void pass_barrier(History *h)
{
    u64 most = 0;
    h->now++;
    if (h->flags & 1)
        h->barrier[1] = h->now;
    if (h->flags & 2)
        h->barrier[0] = h->now;
    h->flags = 0;
    for (u32 i = 0; i < LOCAL; i++) {
        most = h->heard[i] > most ? h->heard[i] : most;
        most = h->knows[i] > most ? h->knows[i] : most;
    }
    for (u32 i = 0; i < LOCAL; i++)
        h->knows[i] = most;
}

static Verdict hear(void *self, const Event *e)
{
    History *h = self;
    switch ((int)e->kind) {
    case EVENT_group_begin:
        memset(h->barrier, 0, sizeof h->barrier);
        memset(h->fence, 0, sizeof h->fence);
        memset(h->heard, 0, sizeof h->heard);
        memset(h->knows, 0, sizeof h->knows);
        break;
    case EVENT_insn: note_insn(h, e); break;
    case EVENT_barrier: pass_barrier(h); break;
    default: break;
    }
    return GO_ON;
}

/* --- kernels ----------------------------------------------------------------------------------- */

/* What each item accesses in each operation: an offset, or -1. */
typedef struct {
    u32 offset[TABLE];
    Buf text;
    u32 slice, groups;
} Kernel;

/* of which kernels are made */
typedef struct {
    const char *const *ops; /* with v2, t2: the address; v4, t4: the value */
    u32 nops;
    bool in_pairs; /* a word has two items that access it; operations in their order, or any */
} Recipe;

/* A word: its own, that of another item of the group or of any, everybody's, or any. */
static u32 choose_word(u32 pattern, u32 item, u32 by)
{
    switch (pattern) {
    case 0: return item;
    case 1: return item / LOCAL * LOCAL + (item + by) % LOCAL;
    case 2: return (item + by) % ITEMS;
    case 3: return by;
    default: return rnd(WORDS);
    }
}

static void make_kernel(Kernel *k, const Recipe *r)
{
    Buf *b = &k->text;
    u32 partner[ITEMS];
    for (u32 i = 0; i < ITEMS; i++) {
        const u32 other = rnd(i + 1);
        partner[i] = partner[other];
        partner[other] = i;
    }
    const u32 careful = 1 + rnd(30), seldom = 1 + rnd(r->in_pairs ? 12 : 30);
    k->slice = 1 + rnd(40);
    buf_str(b, "\t.kernel k\nk:\n\tlw s2, 0(a0)\n\tlw s3, 4(a0)\n\tlw s4, 8(a0)\n"
               "\tcsrr t0, CSR_LDS\n\tadd s3, s3, t0\n\tcsrr t0, CSR_TID\n"
               "\tcsrr t1, CSR_GIDX\n");
    buf_printf(
        b, "\tli t2, %u\n\tmul t1, t1, t2\n\tadd t1, t1, t0\n\tvid.v v1\n\tvadd.vx v1, v1, t1\n",
        LOCAL);
    buf_str(b, "\tvsll.vi v20, v1, 2\n\tvadd.vx v20, v20, s4\n\tvmv.v.i v0, 0\n");
    for (u32 op = 0; op < OPS; op++) {
        const u32 pattern = rnd(careful) ? rnd(2) : rnd(5), by = rnd(ITEMS),
                  which = rnd(2) && r->in_pairs ? op % r->nops : rnd(r->nops),
                  sparse = rnd(2) || r->in_pairs ? seldom : 1;
        const bool is_data = strstr(r->ops[which], "(v2)");
        const char *space = rnd(3) ? "s2" : "s3";
        for (u32 i = 0; i < ITEMS; i++) {
            const u32 word =
                r->in_pairs ? partner[i] / 2 + rnd(2) * ITEMS : choose_word(pattern, i, by);
            k->offset[op * ITEMS + i] = rnd(is_data ? sparse : 2) ? UINT32_MAX : word * 4;
        }
        buf_printf(b, "\tvlw12.v v3, 0(v20)\n\tli t3, %u\n\tvadd.vx v20, v20, t3\n", ITEMS * 4);
        buf_printf(b,
                   "\tvadd.vx v2, v3, %s\n\tslli t2, %s, 2\n\taddi t2, t2, %u\n\tadd t2, t2, %s\n",
                   space, rnd(careful) ? "t1" : "zero", rnd(careful) ? 0 : rnd(LANES) * 4, space);
        buf_printf(b,
                   "\tli t4, %u\n\tvadd.vx v4, v1, t4\n\tli t5, 0x01010101\n\tvmul.vx v4, v4, t5\n",
                   1 + op * ITEMS);
        buf_str(b, "\tadd t4, t4, t1\n\tmul t4, t4, t5\n");
        buf_printf(b,
                   "1:\tauipc t0, %%pcrel_hi(2f)\n\tsetrpc zero, t0, %%pcrel_lo(1b)\n"
                   "\tvblt v3, v0, 2f\n\t%s\n2:\tjoin zero, zero, 0\n",
                   r->ops[which]);
        if (rnd(r->in_pairs ? 5 : 3) > (r->in_pairs ? 3 : 0))
            buf_printf(b, "\tbarrier x0, x0, %u\n", rnd(2) ? 3 : rnd(4));
    }
    buf_str(b, "\tendprg x0, x0, x0\n");
}

typedef struct {
    bool found;
    u32 pc, other;
} Told;

static void sink(void *to, const CheckReport *r) { (void)to, (void)r; }

static Told run(const Kernel *k, History *h)
{
    Caught c;
    catch_in(&c);
    DeviceOptions dev = dev_defaults();
    dev.machine.lanes = LANES;
    Driver *d = drv_open(&dev);
    Check *check = check_open(d, 1u << CHECK_race, NULL, sink, NULL);
    assert_true(d && check);
    Object *o = assemble(buf_text(&k->text), V202);
    Object *image =
        link_program((const Object *const *)&o, 1, &(LinkOptions){.output = "t.elf"}, &c.d);
    obj_free(o);
    assert_int_equal(drv_load(d, image, &c.d), DRV_OK);
    u64 out = 0, table = 0;
    assert_int_equal(drv_alloc(d, 4 * WORDS, &out), DRV_OK);
    assert_int_equal(drv_alloc(d, sizeof k->offset, &table), DRV_OK);
    assert_int_equal(drv_write(d, table, k->offset, sizeof k->offset), DRV_OK);
    const u32 value[] = {(u32)out, (u32)table};
    const DrvArg args[] = {{.size = 4, .align = 4, .value = &value[0]},
                           {.is_local = true, .size = 4 * WORDS, .align = 4},
                           {.size = 4, .align = 4, .value = &value[1]}};
    const Observer mine = {.self = h,
                           .events = EVENT_group_begin | EVENT_insn | EVENT_memory | EVENT_barrier,
                           .tell = hear};
    const DrvKernel launch = {
        .kernel = "k",
        .dims = 1,
        .global = {k->groups * LOCAL, 1, 1},
        .local = {LOCAL, 1, 1},
        .args = args,
        .nargs = 3,
        .max_insns = 100000,
        .run = {.slice = k->slice, .observers = &mine, .nobservers = h != NULL}};
    DrvResult r;
    if (drv_run(d, &launch, &r) != DRV_OK) {
        Buf why = {0};
        drv_last_error(d, &why);
        fail_msg("%s\n%s", buf_text(&why), buf_text(&k->text));
    }
    Told t = {.found = check->ncause};
    if (t.found)
        t = (Told){true, check->cause[0].pc, check->cause[0].other};
    drv_close(d);
    check_close(check);
    buf_free(&c.text);
    return t;
}

/* --- comparison -------------------------------------------------------------------------------- */

static void expect_same(const Recipe *r, u32 runs)
{
    u32 racy = 0;
    for (u32 i = 0; i < runs; i++) {
        static Kernel k;
        static History h;
        k = (Kernel){.groups = GROUPS};
        memset(&h, 0, sizeof h);
        make_kernel(&k, r);
        const Told a = run(&k, &h), b = run(&k, NULL); /* by access; alone, by rows */
        bool is_known = !h.first;
        for (u32 n = 0; n < h.nothers; n++)
            is_known |= a.other == h.others[n];
        if (!h.is_unclear && (a.found != (h.first != 0) || a.pc != h.first || !is_known))
            fail_msg("kernel %u: found %08x with %08x, should be %08x\n%s", i, a.pc, a.other,
                     h.first, buf_text(&k.text));
        if (a.found != b.found || a.pc != b.pc || a.other != b.other)
            fail_msg("kernel %u: by rows %08x with %08x, by access %08x with %08x", i, b.pc,
                     b.other, a.pc, a.other);
        racy += a.found;
        buf_free(&k.text);
    }
    assert_true(racy && racy > (runs - 10) / 5 && racy <= runs - (runs - 10) / 5);
}

/* A group: its first warp does all of its part before the second one begins.  v1: lanes; v0: 0; v2 and s2: a
 * word, v3 and s3 another one in the same page. */
static const struct {
    const char *first, *second;
    bool is_race;
} few[] = {
#define SAME  "li t1, 0x04030201\n sw t1, 0(s2)\n"
#define OTHER "li t1, 0x04130201\n sw t1, 0(s2)\n"
#define SPLIT "lb t6, 64(s2)\n"
#define LANE(n, op)                                                                                \
    "vadd.vi v5, v1, -" #n                                                                         \
    "\n1: auipc t0, %pcrel_hi(2f)\n setrpc zero, t0, %pcrel_lo(1b)\n vbne v5, v0, 2f\n " op        \
    "\n2: join zero, zero, 0\n"
#define LOAD "vlw12.v v6, 0(v2)"
#define ADD  "amoadd.w v6, v1, (v3)\n"
    /* values are compared byte by byte where accesses are as small */
    {SAME, SAME, false},
    {SAME, OTHER, true},
    {SAME SPLIT, SAME, false},
    {SAME SPLIT, OTHER, true},
    {SPLIT SAME, SAME, false},
    {SPLIT SAME, OTHER, true},
    {SPLIT SAME, "li t1, 2\n sb t1, 1(s2)\n", false},
    {SPLIT SAME, "li t1, 2\n sb t1, 2(s2)\n", true},
    /* lanes that have stored together */
    {SAME LANE(3, LOAD), "nop\n", false},
    {SAME SPLIT LANE(2, LOAD), "nop\n", false},
    {SAME, "li t1, 0x04030201\n vmv.v.x v4, t1\n" LANE(0, "vsw12.v v4, 0(v2)") LANE(3, LOAD), true},
    {"nop\n", "li t1, 7\n vmv.v.x v4, t1\n" LANE(0, "vsw12.v v4, 0(v2)") LANE(3, LOAD), true},
    /* atomics of several */
    {ADD ADD, ADD, false},
    {ADD LANE(0, "vlw12.v v6, 0(v3)"), "nop\n", true},
    {ADD LANE(3, "vlw12.v v6, 0(v3)"), "nop\n", true},
    {LANE(1, ADD) LANE(1, "vlw12.v v6, 0(v3)"), "nop\n", false},
    {LANE(1, "vlw12.v v6, 0(v3)") LANE(2, ADD), "nop\n", true},
    /* who tells, and who hears */
    {SAME "fence\n" ADD, ADD "fence\n" LANE(0, LOAD), false},
    {SAME ADD, ADD "fence\n" LANE(0, LOAD), true},
    {SAME "fence\n" ADD, ADD LANE(0, LOAD), true},
    {SAME "fence\n" ADD, "fence\n" ADD LANE(0, LOAD), true},
    {"fence\n" SAME ADD, ADD "fence\n" LANE(0, LOAD), true},
    {SAME "fence\n lr.w v6, (v3)\n", ADD "fence\n" LANE(0, LOAD), true},
    {SAME "fence\n" ADD, "lr.w v6, (v3)\n fence\n" LANE(0, LOAD), false},
    {SAME "fence\n" LANE(0, ADD), ADD "fence\n" LANE(0, LOAD), true},
    {LANE(0, SAME) "fence\n" LANE(0, ADD), LANE(1, ADD) "fence\n" LANE(1, LOAD), false},
    {LANE(0, SAME) "fence\n" LANE(0, ADD), LANE(1, ADD) "fence\n" LANE(2, LOAD), true},
};

static void a_few_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(few); i++) {
        static Kernel k;
        k = (Kernel){.slice = 100000, .groups = 1};
        buf_printf(&k.text,
                   "\t.kernel k\nk:\n\tlw s2, 0(a0)\n\taddi s3, s2, 128\n\tvmv.v.x v2, "
                   "s2\n\tvmv.v.x v3, s3\n"
                   "\tvid.v v1\n\tvmv.v.i v0, 0\n\tcsrr t0, CSR_WID\n\tbnez t0, "
                   "7f\n%s\tendprg\n7:\n%s\tendprg\n",
                   few[i].first, few[i].second);
        if (run(&k, NULL).found != few[i].is_race)
            fail_msg("%u: %s race:\n%s", (u32)i, few[i].is_race ? "no" : "a", buf_text(&k.text));
        buf_free(&k.text);
    }
}

/* Small enough to run thrice more. */
static void a_few_leave_nothing(void **state)
{
    (void)state;
    static const char *const ops[] = {"vlw12.v v6, 0(v2)", "vsb12.v v4, 0(v2)",
                                      "amoadd.w v7, v4, (v2)"};
    expect_same(&(Recipe){ops, countof(ops), false}, 10);
}

#define LOADS "vlw12.v v6, 0(v2)", "vlw12.v v7, 0(v2)", "vlw12.v v8, 0(v2)", "lw t6, 0(t2)"

static void words_and_barriers(void **state)
{
    (void)state;
    static const char *const ops[] = {LOADS, LOADS, "vsw12.v v4, 0(v2)", "vsw12.v v4, 0(v2)",
                                      "sw t4, 0(t2)"};
    expect_same(&(Recipe){ops, countof(ops), false}, 300);
}

static void bytes_and_barriers(void **state)
{
    (void)state;
    static const char *const ops[] = {LOADS,
                                      "vlb12.v v6, 1(v2)",
                                      "vlh12.v v6, 2(v2)",
                                      "vsb12.v v4, 3(v2)",
                                      "vsh12.v v4, 0(v2)",
                                      "vsw12.v v4, 0(v2)",
                                      "lb t6, 2(t2)",
                                      "sb t4, 1(t2)",
                                      "lh t6, 0(t2)"};
    expect_same(&(Recipe){ops, countof(ops), false}, 300);
}

static void atomics_and_fences(void **state)
{
    (void)state;
    static const char *const ops[] = {
        "vsw12.v v4, 0(v2)",    "fence iorw, iorw",
        "vsw12.v v4, 0(v2)",    "addi t2, s2, 240\n\tvmv.v.x v9, t2\n\tamoadd.w v7, v4, (v9)",
        "fence iorw, iorw",     "vlw12.v v6, 0(v2)",
        "amoadd.w v7, v4, (v2)"};
    expect_same(&(Recipe){ops, countof(ops), true}, 400);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_barriers), cmocka_unit_test(bytes_and_barriers),
        cmocka_unit_test(atomics_and_fences), cmocka_unit_test(a_few_by_hand),
        cmocka_unit_test(leaves_nothing),     cmocka_unit_test(a_few_leave_nothing)};
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
