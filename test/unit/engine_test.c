/* Engines from below: their life, one instruction of one warp, groups that are resident at once, and
 * observers that look, write and stop.
 */
#include "dev/dev.h"
#include "isa/fp.h"
#include "prof/trace.h"
#include "sim/handlers.h"
#include "test/kit/launchrig.h"
#include "test/kit/leftover.h"
#include <fenv.h>
#include <malloc.h>
#include <stdatomic.h>
#include <unistd.h>

enum { OUT = 0x400 }; /* words of rig.data: results lie apart from what programs count in */

/* --- a program that does of everything, with one result whatever the order ---------------- */

/* Each group counts its work-items in local memory, meets, and adds what it counted to a word of
 * the launch; lanes with odd numbers go another way; each work-item keeps a value in private memory. */
static const char everything[] =
    "    li      s1, 0x90000000\n"
    "    csrr    s2, CSR_TID\n"
    "    vid.v   v1\n"
    "    vadd.vx v1, v1, s2\n"           /* local id */
    "    vmv.v.i v0, 0\n"
    "    vmv.v.i v2, 1\n"
    "    li      t0, 0x70000000\n"
    "    vmv.v.x v3, t0\n"
    "    amoadd.w  v4, v2, (v3)\n"       /* local memory: how many came before */
    "    barrier x0, x0, 1\n"
    "    vlw12.v v5, 0(v3)\n"            /* all of the group */
    "    vand.vi v6, v1, 1\n"
    "1:  auipc   t1, %pcrel_hi(2f)\n"
    "    setrpc  zero, t1, %pcrel_lo(1b)\n"
    "    vbne    v6, v0, 3f\n"
    "    vadd.vi v5, v5, 7\n"
    "    j       2f\n"
    "3:  vadd.vi v5, v5, 9\n"
    "2:  join    zero, zero, 0\n"
    "    csrr    t0, CSR_PDS\n"
    "    vmv.v.x v7, t0\n"
    "    vsll.vi v8, v1, 2\n"
    "    vadd.vv v7, v7, v8\n"
    "    vlw12.v v9, 0(v7)\n"            /* 0: private memory is clean */
    "    vadd.vv v5, v5, v9\n"
    "    vsw12.v v5, 0(v7)\n"
    "    barrier x0, x0, 1\n"
    "    vlw12.v v5, 0(v7)\n"
    "    csrr    t0, CSR_GIDX\n"
    "    csrr    t1, CSR_NUMW\n"
    "    csrr    t2, CSR_NUMT\n"
    "    mul     t1, t1, t2\n"
    "    mul     t0, t0, t1\n"
    "    vadd.vx v1, v1, t0\n"           /* global id */
    "    vsll.vi v8, v1, 2\n"
    "    li      t0, 0x90001000\n"
    "    vadd.vx v8, v8, t0\n"
    "    vsw12.v v5, 0(v8)\n"
    "    vmv.v.x v8, s1\n"
    "    amoadd.w  v9, v5, (v8)\n"       /* the sum of the launch */
    "    endprg  x0, x0, x0\n";

enum { GROUPS = 6, WARPS = 3, LANES = 8, ITEMS = WARPS * LANES };

static void load_everything(void)
{
    rig_load(V202, LANES, everything);
    rig.launch.groups[0] = GROUPS;
    rig.launch.warps = WARPS;
}

static void check_everything(void)
{
    u32 sum = 0;
    for (u32 i = 0; i < GROUPS * ITEMS; i++) {
        const u32 want = ITEMS + (i & 1 ? 9 : 7);
        if (rig.data[OUT + i] != want)
            fail_msg("item %u: %u, should be %u", i, rig.data[OUT + i], want);
        sum += want;
    }
    assert_int_equal(rig.data[0], sum);
}

static void a_launch(void **state)
{
    (void)state;
    for (u32 threads = 1; threads <= 4; threads++) {
        load_everything();
        rig_must_run(&(LaunchOptions){.threads = threads});
        check_everything();
    }
}

/* --- stepping ------------------------------------------------------------------------------- */

static u32 rnd(u32 *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Which ready warp is next: 0 the first, 1 the last, 2 by turns, 3 by chance. */
static Warp *choose(Group *const g[], u32 n, u32 order, u32 *state)
{
    Warp *ready[2 * WARPS];
    u32 count = 0;
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; g[i] && k < g[i]->nwarps; k++)
            if (g[i]->warps[k].state == WARP_READY)
                ready[count++] = &g[i]->warps[k];
    if (!count)
        return NULL;
    switch (order) {
    case 0: return ready[0];
    case 1: return ready[count - 1];
    case 2: return ready[(*state)++ % count];
    default: return ready[rnd(state) % count];
    }
}

/* two groups resident at once, their warps in odd orders, and nobody but us decides */
static void two_groups_by_hand(void **state)
{
    (void)state;
    for (u32 order = 0; order < 12; order++) {
        u32 turn = order * 77, next = 0, done = 0;
        u64 steps = 0;
        load_everything();
        Group *g[2];
        for (u32 i = 0; i < 2; i++) {
            g[i] = sim_take_group(rig.sim, &rig.launch);
            assert_non_null(g[i]);
            g[i]->area = i;
            group_begin(g[i], next++);
        }
        while (done < GROUPS) {
            Step s;
            Warp *w = choose(g, 2, order < 3 ? order : 3, &turn);
            if (w) {
                assert_true(rig.engine->kind->step(rig.engine, w, &s));
                steps++;
            }
            for (u32 i = 0; i < 2; i++) {
                if (!g[i] || group_count_warps(g[i], WARP_READY) || group_pass_barrier(g[i]))
                    continue;
                group_end(g[i]);
                done++;
                if (next < GROUPS) {
                    group_begin(g[i], next++);
                } else {
                    sim_give_group(rig.sim, g[i]);
                    g[i] = NULL;
                }
            }
        }
        check_everything();
        LaunchResult r = rig_run(&(LaunchOptions){.threads = 1});
        assert_int_equal(steps, r.insns); /* there are no prefixes */
    }
}

static Group *resident(void)
{
    Group *g = sim_take_group(rig.sim, &rig.launch);
    assert_non_null(g);
    group_begin(g, 0);
    group_note_accesses(g, true);
    return g;
}

static void leave(Group *g)
{
    group_end(g);
    sim_give_group(rig.sim, g);
}

static bool is_noted(const Group *g, u64 addr)
{
    return memory_rights(&g->lds, addr >> PAGE_BITS) & MEM_W;
}

/* The next group of a context need not have its stores noted again, another launch must. */
static void local_memory_is_cleared(void **state)
{
    (void)state;
    load_everything();
    Group *g = resident();
    assert_false(is_noted(g, LDS_LO));
    for (u32 n = 1; n <= 3; n++) {
        u32 value = 1;
        assert_true(access_load(&g->warps[0], NULL, LDS_LO, 4, -1, &value));
        assert_int_equal(value, 0);
        assert_true(access_store(&g->warps[0], NULL, LDS_LO, 4, -1, n));
        assert_int_equal(g->lds_dirty.n, 1);
        group_end(g);
        assert_true(is_noted(g, LDS_LO));
        group_begin(g, n);
    }
    leave(g);
    g = resident();
    assert_false(is_noted(g, LDS_LO));
    assert_int_equal(g->lds_dirty.n, 0);
    leave(g);
}

static const Step *step(Group *g, u32 warp)
{
    static Step s;
    sim_step(rig.engine, &g->warps[warp], &s);
    return &s;
}

static void touches(const Step *s, size_t i, u64 addr, u32 size, int lane, bool reads, bool writes)
{
    assert_true(i < s->ntouched);
    const Touch *t = &s->touched[i];
    if (t->addr != addr || t->size != size || t->lane != lane || t->reads != reads ||
        t->writes != writes)
        fail_msg("%08x touches %llx, %u bytes, lane %d, %d %d", s->pc, (unsigned long long)t->addr,
                 t->size, t->lane, t->reads, t->writes);
}

/* every field of a step, for one instruction of each kind */
static void a_step_says_what_happened(void **state)
{
    (void)state;
    rig_load(V202, 4,
             "    lui     s1, 0x90000\n"           /* 0 */
             "    sh      s1, 6(s1)\n"             /* 4 */
             "    lb      t0, 3(s1)\n"             /* 8 */
             "    vid.v   v1\n"                    /* c */
             "    vsll.vi v2, v1, 3\n"             /* 10 */
             "    vadd.vx v2, v2, s1\n"            /* 14 */
             "    vsb12.v v1, 1(v2)\n"             /* 18 */
             "    amoadd.w  v3, v1, (v2)\n"        /* 1c */
             "    regext  x0, x0, 1\n"             /* 20: vd is v36 */
             "    vadd.vi v4, v1, 1\n"             /* 24 */
             "    beq     x0, x0, 1f\n"            /* 28 */
             "    nop\n"                           /* 2c */
             "1:  auipc   t1, 0\n"                 /* 30 */
             "    setrpc  zero, t1, 16\n"          /* 34 */
             "    vmv.v.i v5, 1\n"                 /* 38 */
             "    vblt    v1, v5, 2f\n"            /* 3c: lane 0 goes; it is the smaller side */
             "2:  join    zero, zero, 0\n"         /* 40 */
             "    barrier x0, x0, 1\n"             /* 44 */
             "    endprg  x0, x0, x0\n");          /* 48 */
    Group *g = resident();
    Warp *w = &g->warps[0];
    const Step *s = step(g, 0);
    assert_int_equal(s->id, I_lui);
    assert_int_equal(s->pc, CODE_LO);
    assert_int_equal(s->next, CODE_LO + 4);
    assert_int_equal(s->word, 0x900004b7);
    assert_int_equal(s->len, 4);
    assert_int_equal(s->exec, 15);
    assert_false(s->prefixed || s->barrier || s->ended || s->faulted || s->ntouched);
    s = step(g, 0);
    assert_int_equal(s->ntouched, 1);
    touches(s, 0, DATA + 6, 2, -1, false, true);
    s = step(g, 0);
    assert_int_equal(s->ntouched, 1);
    touches(s, 0, DATA + 3, 1, -1, true, false);
    step(g, 0), step(g, 0), step(g, 0);
    s = step(g, 0);
    assert_int_equal(s->id, I_vsb12_v);
    assert_int_equal(s->ntouched, 4);
    for (int i = 0; i < 4; i++)
        touches(s, (size_t)i, DATA + 8 * (u32)i + 1, 1, i, false, true);
    s = step(g, 0);
    assert_int_equal(s->ntouched, 4);
    for (int i = 0; i < 4; i++)
        touches(s, (size_t)i, DATA + 8 * (u32)i, 4, i, true, true);
    s = step(g, 0);
    assert_true(s->prefixed);
    assert_int_equal(s->pc, CODE_LO + 0x20);
    assert_int_equal(step_pc(s), CODE_LO + 0x24);
    assert_int_equal(step_insns(s), 2);
    assert_int_equal(s->id, I_vadd_vi);
    assert_int_equal(s->prefix & 0x7f, 0x0b);
    assert_int_equal(s->next, CODE_LO + 0x28);
    assert_int_equal(w->v[36][2], 3);
    s = step(g, 0);
    assert_int_equal(s->next, CODE_LO + 0x30);
    step(g, 0), step(g, 0), step(g, 0);
    s = step(g, 0);
    assert_int_equal(s->id, I_vblt);
    assert_int_equal(s->exec, 15);
    assert_int_equal(s->depth, 0);
    assert_int_equal(w->nsimt, 2);
    assert_int_equal(w->mask, 1);
    assert_int_equal(s->next, CODE_LO + 0x40);
    s = step(g, 0); /* lane 0 is there, the others come */
    assert_int_equal(s->depth, 2);
    assert_int_equal(w->nsimt, 1);
    assert_int_equal(s->next, CODE_LO + 0x40);
    s = step(g, 0);
    assert_int_equal(s->exec, 14);
    s = step(g, 0);
    assert_int_equal(w->mask, 15);
    while (s->id != I_barrier)
        s = step(g, 0);
    assert_true(s->barrier && w->state == WARP_WAITING);
    assert_true(group_pass_barrier(g));
    s = step(g, 0);
    assert_true(s->ended && w->state == WARP_DONE);
    assert_false(group_pass_barrier(g));
    leave(g);
}

static void a_step_that_faults(void **state)
{
    (void)state;
    rig_load(V202, 4,
             "    vid.v   v1\n"
             "    vsll.vi v1, v1, 20\n"
             "    lui     t0, 0x90000\n"
             "    vadd.vx v1, v1, t0\n"
             "    vlw12.v v2, 4(v1)\n");
    Group *g = resident();
    for (int i = 0; i < 4; i++)
        assert_false(step(g, 0)->faulted);
    const Step *s = step(g, 0); /* lane 1 is beyond the end */
    assert_true(s->faulted);
    assert_int_equal(g->fault.kind, FAULT_LOAD);
    assert_int_equal(g->fault.lane, 1);
    assert_int_equal(g->fault.pc, CODE_LO + 16);
    assert_int_equal(s->next, CODE_LO + 16);
    assert_int_equal(g->warps[0].pc, CODE_LO + 16);
    assert_int_equal(s->ntouched, 1); /* what was done before */
    touches(s, 0, DATA + 4, 4, 0, true, false);
    leave(g);

    g = resident();
    g->warps[0].pc = DATA;
    s = step(g, 0);
    assert_true(s->faulted && s->id == NINSN);
    assert_int_equal(g->fault.kind, FAULT_FETCH);
    leave(g);
}

/* A step changes what its facts say: registers, memory by size and direction. */
static void step_by_facts(Group *g, Warp *w)
{
    static Warp before;
    Step s;
    u32 bytes = 0;
    memcpy(&before, w, sizeof before);
    assert_true(sim_step(g->engine, w, &s));
    assert_non_null(s.facts);
    const IsaFacts *f = s.facts;
    for (u32 n = 0; n < 64; n++)
        for (int i = 0; before.x[n] != w->x[n]; i++) {
            if (i == f->nregs)
                fail_msg("%08x writes x%u", s.pc, n);
            const IsaRegs *r = &f->reg[i];
            if (r->is_written && !r->is_vector && n - r->first < r->count)
                break;
        }
    for (u32 n = 0; n < 256; n++)
        for (int i = 0; memcmp(before.v[n], w->v[n], sizeof w->v[n]); i++) {
            if (i == f->nregs)
                fail_msg("%08x writes v%u", s.pc, n);
            const IsaRegs *r = &f->reg[i];
            if (r->is_written && r->is_vector && n - r->first < r->count)
                break;
        }
    for (size_t i = 0; i < s.ntouched; i++) {
        const Touch *t = &s.touched[i];
        assert_int_equal(t->reads, f->access == ACCESS_LOAD || f->access == ACCESS_ATOMIC);
        assert_int_equal(t->writes, f->access == ACCESS_STORE || f->access == ACCESS_ATOMIC);
        assert_true(f->lanes ? t->lane >= 0 && s.exec >> t->lane & 1 : t->lane < 0);
        bytes += t->size;
    }
    const u32 lanes = f->lanes ? (u32)__builtin_popcount(s.exec) : 1;
    assert_int_equal(bytes, f->access == ACCESS_NONE ? 0 : lanes * f->bytes * f->words);
    assert_true(!s.raised || f->writes & STATE_FFLAGS);
    assert_int_equal(s.barrier, f->control == CONTROL_BARRIER);
    assert_int_equal(s.ended, f->control == CONTROL_EXIT);
    if (f->control == CONTROL_NEXT)
        assert_int_equal(s.next, step_pc(&s) + s.len);
}

static void steps_and_facts_agree(void **state)
{
    (void)state;
    static const char wide[] =
        "    lui     s2, 0x90000\n"
        "    li      s3, 0\n"
        "    vid.v   v4\n"
        "    vsll.vi v4, v4, 4\n"
        "    vmv.v.x v6, s2\n"
        "    vadd.vv v6, v6, v4\n"
        "    vmv.v.i v7, 0\n"
        "    vid.v   v8\n"
        "    pre_m_64\n"
        "    vlw12.v v12, 0(v6)\n"
        "    prefix  pair=1\n"
        "    vadd.vv v10, v12, v12\n"
        "    vwadd.vv v16, v8, v8\n"
        "    amoadd.w v20, v8, (v6)\n"
        "    endprg  x0, x0, x0\n";
    for (int k = 0; k < 2; k++) {
        if (k)
            rig_load(V2025, LANES, wide);
        else
            load_everything();
        Group *g = resident();
        do
            for (u32 i = 0; i < g->nwarps; i++)
                while (g->warps[i].state == WARP_READY)
                    step_by_facts(g, &g->warps[i]);
        while (group_pass_barrier(g));
        leave(g);
    }
}

/* copies by the warp: one note for the source, one for where it goes, not one a word */
static void a_copy_is_two_touches(void **state)
{
    (void)state;
    rig_load(V2025, 4,
             "    lui     a0, 0x90000\n"
             "    lui     a1, 0x70000\n"
             "    li      a2, 64\n"
             "    cp_dma_bulk a1, a0, a2\n");
    Group *g = resident();
    step(g, 0), step(g, 0), step(g, 0);
    const Step *s = step(g, 0);
    assert_false(s->faulted);
    assert_int_equal(s->ntouched, 2);
    touches(s, 0, DATA, 64, -1, true, false);
    touches(s, 1, LDS_LO, 64, -1, false, true);
    leave(g);
}

/* An atomic reads and writes, a reservation reads, and what stores under it writes, in the lanes that
 * have one. */
static void atomics_are_touches(void **state)
{
    (void)state;
    rig_load(V202, 4,
             "    lui     a0, 0x90000\n"
             "    vid.v   v1\n"
             "    vsll.vi v2, v1, 3\n"
             "    vadd.vx v2, v2, a0\n"
             "    amoadd.w v3, v1, (v2)\n"
             "    lr.w    v4, (v2)\n"
             "    sc.w    v5, v1, (v2)\n"
             "    sc.w    v5, v1, (v2)\n");
    Group *g = resident();
    step(g, 0), step(g, 0), step(g, 0), step(g, 0);
    for (u32 k = 0; k < 3; k++) {
        const Step *s = step(g, 0);
        assert_false(s->faulted);
        assert_int_equal(s->ntouched, 4);
        for (int i = 0; i < 4; i++)
            touches(s, (size_t)i, DATA + 8 * (u32)i, 4, i, k != 2, k != 1);
    }
    assert_int_equal(step(g, 0)->ntouched, 0); /* nothing is reserved any more */
    leave(g);
}

/* Steps of each warp against the lines that the trace has for it: pc, word, addresses. */
static void steps_and_trace_agree(void **state)
{
    (void)state;
    char *text = NULL, *line;
    size_t size = 0, lines = 0;
    load_everything();
    FILE *f = open_memstream(&text, &size);
    Trace *t = trace_new(f);
    const Observer o = trace_observer(t);
    const u64 insns = rig_run(&(LaunchOptions){.observers = &o, .nobservers = 1, .slice = 1}).insns;
    assert_true(trace_free(t));
    fclose(f);
    load_everything();
    Group *g = resident();
    for (char *rest = text; (line = strsep(&rest, "\n")) && lines < 10000;) {
        u32 warp, pc, word, addr;
        if (sscanf(line, "core%u: 3 0x%x (0x%x)", &warp, &pc, &word) != 3 || pc < CODE_LO)
            continue;
        Warp *w = &g->warps[warp];
        if (w->state == WARP_WAITING && !group_count_warps(g, WARP_READY))
            group_pass_barrier(g);
        if (w->state == WARP_WAITING) /* it repeats its barrier until all have come */
            continue;
        if (w->state == WARP_DONE && !group_count_warps(g, WARP_READY)) {
            const u64 linear = g->linear;
            group_end(g);
            if (linear + 1 == GROUPS)
                break;
            group_begin(g, linear + 1);
        }
        if (w->pc != pc && (word & 0xfe00707f) == 0x0400400b) /* repeated once more when all have */
            continue;
        Step s;
        assert_true(sim_step(rig.engine, w, &s));
        lines++;
        assert_int_equal(s.pc, pc);
        assert_int_equal(s.word, word);
        size_t n = 0;
        for (char *at = line; (at = strstr(at, " mem 0x")); at += 7, n++) {
            assert_int_equal(sscanf(at, " mem 0x%x", &addr), 1);
            assert_true(n < s.ntouched && s.touched[n].addr == addr);
        }
        assert_int_equal(n, s.ntouched);
    }
    assert_int_equal(lines, insns);
    group_end(g);
    sim_give_group(rig.sim, g);
    free(text);
}

/* --- observers ------------------------------------------------------------------------------- */

typedef struct {
    u32 heard[NEVENT];
    u32 first, last;        /* order among observers */
    u32 *clock;
    u64 touched;
} Ear;

static Verdict hear(void *self, const Event *e)
{
    Ear *ear = self;
    ear->heard[__builtin_ctz(e->kind)]++;
    ear->last = (*ear->clock)++;
    if (e->step)
        ear->touched += e->step->ntouched;
    return GO_ON;
}

static void observers_hear_what_they_asked_for(void **state)
{
    (void)state;
    u32 clock = 0;
    load_everything();
    const LaunchResult alone = rig_run(&(LaunchOptions){.threads = 1});
    u32 all = 0;
#define EVENT(name, each, what) all |= EVENT_##name;
#include "mach/event.def"
    Ear ears[4] = {{.clock = &clock}, {.clock = &clock}, {.clock = &clock}, {.clock = &clock}};
    const Observer o[] = {
        {&ears[0], all, hear, NULL},
        {&ears[1], EVENT_group_begin | EVENT_barrier, hear, NULL},
        {&ears[2], EVENT_insn | EVENT_divergence, hear, NULL},
        {&ears[3], 0, hear, NULL},
    };
    load_everything();
    rig.launch.print = DATA;
    rig.launch.print_end = DATA + 4;
    const LaunchResult r =
        rig_run(&(LaunchOptions){.observers = o, .nobservers = countof(o)});
    assert_false(r.faulted);
    assert_int_equal(r.insns, alone.insns);
    check_everything();
    const u32 warps = GROUPS * WARPS;
    const struct { EventBit bit; u64 n; } want[] = {
        {EVENT_BIT_launch_begin, 1},
        {EVENT_BIT_launch_end, 1},
        {EVENT_BIT_group_begin, GROUPS},
        {EVENT_BIT_group_end, GROUPS},
        {EVENT_BIT_warp_begin, warps},
        {EVENT_BIT_warp_end, warps},
        {EVENT_BIT_fetch, r.insns},
        {EVENT_BIT_insn, r.insns},
        {EVENT_BIT_memory, 7 * warps},      /* lines of the text with memory in them */
        {EVENT_BIT_divergence, 3 * warps},  /* a branch pushes two entries, two joins take them */
        {EVENT_BIT_print, warps},           /* the last add is where we said that kernels print */
        {EVENT_BIT_barrier, 2 * GROUPS},
        {EVENT_BIT_fault, 0},
    };
    assert_int_equal(countof(want), NEVENT);
    for (size_t i = 0; i < countof(want); i++)
        for (u32 k = 0; k < 4; k++) {
            const u64 n = o[k].events >> want[i].bit & 1 ? want[i].n : 0;
            if (ears[k].heard[want[i].bit] != n)
                fail_msg("observer %u heard %s %u times, not %llu", k,
                         event_name((EventKind)(1 << want[i].bit)), ears[k].heard[want[i].bit],
                         (unsigned long long)n);
        }
    assert_true(ears[0].touched >= (u64)7 * warps * LANES);
    assert_true(*event_text(EVENT_fault));
}

/* What registers of each warp were before. */
typedef struct {
    u32 x[64], v[256][MAX_LANES];
} Registers;
typedef struct {
    Registers was[WARPS];
    u32 kept, others;
} Kept;

static void check_before(const Step *s, const Registers *was, Kept *k)
{
    const IsaRegs *d = NULL;
    u32 written = 0, sources = 0;
    for (int i = 0; i < s->facts->nregs; i++)
        if (s->facts->reg[i].is_written) {
            d = &s->facts->reg[i];
            written++;
        }
    for (int i = 0; d && i < s->facts->nregs; i++) {
        const IsaRegs *r = &s->facts->reg[i];
        sources += r->is_read && r->first == d->first && r->is_vector == d->is_vector;
    }
    assert_true(written <= 1);
    if (!sources || d->count != 1 || s->facts->access != ACCESS_NONE) {
        assert_null(s->before);
        k->others++;
    } else if (d->is_vector) {
        assert_memory_equal(s->before, was->v[d->first], sizeof was->v[0]);
        k->kept++;
    } else {
        assert_int_equal(*s->before, was->x[d->first]);
        k->kept++;
    }
}

static Verdict hear_before(void *self, const Event *e)
{
    Kept *k = self;
    Registers *was = &k->was[e->warp->id];
    if (e->kind == EVENT_insn)
        check_before(e->step, was, k);
    memcpy(was->x, e->warp->x, sizeof was->x);
    memcpy(was->v, e->warp->v, sizeof was->v);
    return GO_ON;
}

/* A step has the register that it replaced where that is a source too (Step.before). */
static void replaced_sources_are_kept(void **state)
{
    static Kept k;
    const Observer o = {&k, EVENT_insn | EVENT_warp_begin, hear_before, NULL};
    (void)state;
    k = (Kept){.kept = 0};
    load_everything();
    rig_must_run(&(LaunchOptions){.observers = &o, .nobservers = 1});
    check_everything();
    assert_true(k.kept >= 6 * GROUPS * WARPS && k.others >= 20 * GROUPS * WARPS);
    k = (Kept){.kept = 0};
    rig_load(V2025, LANES,
             "    li      t0, 3\n"
             "    vid.v   v5\n"
             "    vadd.vx v5, v5, t0\n"   /* 1: x5 is no destination, v5 is both */
             "    vmv.v.x v5, t0\n"
             "    vid.v   v4\n"
             "    prefix  pair=1\n"
             "    vadd.vv v4, v4, v4\n"   /* two registers */
             "    add     t0, t0, t0\n"   /* 2 */
             "    vadd.vi v3, v4, 3\n"
             "    vmv.v.i v0, 5\n"
             "    vmacc.vv v3, v5, v5\n"  /* 3 */
             "    endprg  x0, x0, x0\n");
    rig_must_run(&(LaunchOptions){.observers = &o, .nobservers = 1});
    assert_int_equal(k.kept, 3);
}

/* who asks for no instruction does not slow them down: they are not even noted */
static Verdict no_notes(void *self, const Event *e)
{
    assert_false(e->group->notes || e->group->careful);
    (*(u32 *)self)++;
    return GO_ON;
}

static void notes_are_for_those_who_ask(void **state)
{
    (void)state;
    u32 n = 0;
    const Observer o = {&n, EVENT_insn | EVENT_group_end, no_notes, NULL};
    load_everything();
    rig_must_run(&(LaunchOptions){.observers = &o, .nobservers = 1});
    assert_true(n > 100);
}

static void notes_end_with_the_context(void **state)
{
    (void)state;
    rig_load(V202, 4, "    lui t0, 0x90000\n    sw t0, 0(t0)\n    endprg x0, x0, x0\n");
    for (int noted = 1; noted >= 0; noted--) {
        Group *g = sim_take_group(rig.sim, &rig.launch);
        assert_non_null(g);
        group_begin(g, 0);
        if (noted)
            group_note_accesses(g, true);
        step(g, 0);
        assert_int_equal(step(g, 0)->ntouched, noted);
        leave(g);
    }
}

/* a word that ends where the print buffer begins, and one that begins where it ends, are none of it */
static void the_borders_of_the_print_buffer(void **state)
{
    (void)state;
    u32 clock = 0;
    Ear ear = {.clock = &clock};
    const Observer o = {&ear, EVENT_print, hear, NULL};
    rig_load(V202, 4,
             "    lui t0, 0x90000\n    sw t0, 0(t0)\n    sw t0, 4(t0)\n    sw t0, 8(t0)\n"
             "    sw t0, 12(t0)\n    lw t1, 4(t0)\n    endprg x0, x0, x0\n");
    rig.launch.print = DATA + 4;
    rig.launch.print_end = DATA + 12;
    rig_must_run(&(LaunchOptions){.observers = &o, .nobservers = 1});
    assert_int_equal(ear.heard[EVENT_BIT_print], 2);
}

/* a device knows the buffer by the metadata block of the launch: words 12 and 13 (doc/abi.md) */
static void a_device_says_where_kernels_print(void **state)
{
    (void)state;
    const DeviceOptions opt = dev_defaults();
    for (int listed = 0; listed < 2; listed++) {
        u32 clock = 0;
        Ear ear = {.clock = &clock};
        const Observer o = {&ear, EVENT_print, hear, NULL};
        DevResult result;
        Device *d = dev_open(&opt);
        assert_non_null(d);
        rig_load(V202, 4,
                 "    lui t0, 0x90000\n    sw t0, 0x400(t0)\n    sw t0, 0x404(t0)\n"
                 "    sw t0, 0x408(t0)\n    sw t0, 0x40c(t0)\n    endprg x0, x0, x0\n");
        memory_map(dev_memory(d), CODE_LO, PAGE_SIZE, MEM_R | MEM_W | MEM_X);
        memory_map(dev_memory(d), DATA, PAGE_SIZE, MEM_R | MEM_W);
        assert_true(dev_write(d, CODE_LO, rig.memory.base + CODE_LO, PAGE_SIZE));
        dev_code_written(d, CODE_LO, CODE_LO + PAGE_SIZE);
        const u32 print[2] = {DATA + 0x404, 8};
        assert_true(!listed || dev_write(d, DATA + 64 + 4 * 12, print, sizeof print));
        const DevLaunch l = {.knl = DATA + 64, .groups = {1, 1, 1}, .warps = 1, .lanes = 4,
                             .run = {.observers = &o, .nobservers = 1}};
        assert_true(dev_launch(d, &l, &result));
        assert_int_equal(ear.heard[EVENT_BIT_print], listed ? 2 : 0);
        dev_close(d);
    }
}

static Device *device_with(const char *text)
{
    const DeviceOptions opt = dev_defaults();
    Device *d = dev_open(&opt);
    assert_non_null(d);
    rig_load(V202, 4, text);
    memory_map(dev_memory(d), CODE_LO, PAGE_SIZE, MEM_R | MEM_W | MEM_X);
    memory_map(dev_memory(d), DATA, PAGE_SIZE, MEM_R | MEM_W);
    assert_true(dev_write(d, CODE_LO, rig.memory.base + CODE_LO, PAGE_SIZE));
    dev_code_written(d, CODE_LO, CODE_LO + PAGE_SIZE);
    return d;
}

/* Of an image that is taken out of memory nothing runs any more. */
static void a_device_forgets_what_it_unloads(void **state)
{
    (void)state;
    DevResult r;
    Caught c;
    const DeviceOptions opt = dev_defaults();
    Device *d = dev_open(&opt);
    Object *o = assemble("    endprg x0, x0, x0\n", V202);
    catch_in(&c);
    Object *image = link_objects((const Object *const[]){o}, 1, &(LinkOptions){.entry = NULL}, &c.d);
    assert_true(d && image);
    assert_null(dev_unload(d));
    assert_true(dev_load(d, image, &c.d));
    memory_map(dev_memory(d), DATA, PAGE_SIZE, MEM_R | MEM_W);
    const DevLaunch l = {.knl = DATA, .groups = {1, 1, 1}, .warps = 1, .lanes = 4};
    assert_true(dev_launch(d, &l, &r));
    assert_ptr_equal(dev_unload(d), image);
    assert_false(dev_launch(d, &l, &r));
    assert_int_equal(r.run.fault.kind, FAULT_FETCH);
    obj_free(image);
    obj_free(o);
    dev_close(d);
}

/* Launches that no machine has room for, and one that has. */
static void a_device_refuses_launches(void **state)
{
    static const struct {
        u32 warps, lanes, groups;
        bool fits;
    } rows[] = {{1, 4, 1, true},   {1, 32, 1, true},  {64, 4, 1, true}, {0, 4, 1, false},
                {65, 4, 1, false}, {1, 2, 1, false},  {1, 64, 1, false}, {1, 12, 1, false},
                {1, 4, UINT32_MAX, false}};
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        DevResult r;
        Device *d = device_with("    endprg x0, x0, x0\n");
        const u32 n = rows[i].groups;
        const DevLaunch l = {.knl = DATA, .groups = {n, n, n > 1 ? 2 : 1}, .warps = rows[i].warps,
                             .lanes = rows[i].lanes};
        assert_int_equal(dev_launch(d, &l, &r), rows[i].fits);
        assert_int_equal(r.run.faulted, !rows[i].fits);
        if (!rows[i].fits) {
            assert_int_equal(r.run.fault.kind, FAULT_RESOURCES);
            assert_int_equal(r.run.fault.lane, -1);
            assert_true(!r.run.insns && !r.run.groups);
        }
        dev_close(d);
    }
}

/* Lanes have work-items by the local size of the metadata block (doc/abi.md: words 6 to 8), if that is
 * one of the launch: 2^65 + 1 work-items are not one. */
static void a_device_knows_work_items(void **state)
{
    static const struct {
        u32 local[3], warps, active; /* of the last warp */
    } rows[] = {{{8, 1, 1}, 1, 8},   {{3, 1, 1}, 1, 3},  {{3, 2, 1}, 1, 6},  {{9, 1, 1}, 2, 1},
                {{16, 1, 1}, 1, 8}, {{3, 1, 1}, 2, 8},  {{0, 1, 1}, 1, 8},  {{3, 0, 1}, 1, 8},
                {{100, 1, 1}, 13, 4}, {{1119412321, 998724481, 33}, 1, 8}};
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        DevResult r;
        u32 sum = 0;
        Device *d = device_with("    lui     s1, 0x90000\n"
                                "    vmv.v.i v1, 1\n"
                                "    csrr    t0, CSR_WID\n"
                                "    slli    t0, t0, 2\n"
                                "    add     s1, s1, t0\n"
                                "    vmv.v.x v2, s1\n"
                                "    amoadd.w v3, v1, (v2)\n"
                                "    endprg  x0, x0, x0\n");
        assert_true(dev_write(d, DATA + 64 + 4 * 6, rows[i].local, sizeof rows[i].local));
        const DevLaunch l = {.knl = DATA + 64, .groups = {1, 1, 1}, .warps = rows[i].warps, .lanes = 8};
        assert_true(dev_launch(d, &l, &r));
        assert_true(dev_read(d, DATA + 4 * (rows[i].warps - 1), &sum, 4));
        assert_int_equal(sum, rows[i].active);
        dev_close(d);
    }
}

/* --- stopping -------------------------------------------------------------------------------- */

typedef struct {
    u32 pc, nth;        /* stop before the nth time that something is fetched there */
    u32 seen, halts;
    Verdict answer;
    void (*change)(Group *g, Warp *w);
} Breakpoint;

static Verdict watch_pc(void *self, const Event *e)
{
    Breakpoint *b = self;
    return e->step->pc == b->pc && ++b->seen == b->nth ? STOP_HERE : GO_ON;
}

static Verdict halted(void *self, const Event *why)
{
    Breakpoint *b = self;
    assert_int_equal(why->kind, EVENT_fetch);
    assert_int_equal(why->warp->pc, b->pc); /* not yet run */
    assert_ptr_equal(why->warp->group, why->group);
    b->halts++;
    if (b->change)
        b->change(why->group, why->warp);
    return b->answer;
}

static LaunchResult run_with(Breakpoint *b, bool with_halted)
{
    const Observer o[] = {{b, EVENT_fetch, watch_pc, NULL}, {b, 0, watch_pc, NULL}};
    return rig_run(&(LaunchOptions){
        .observers = o, .nobservers = 2, .halted = with_halted ? halted : NULL, .self = b});
}

static const char counting[] =
    "    lui     s1, 0x90000\n"   /* 0 */
    "    li      t0, 0\n"         /* 4 */
    "1:  addi    t0, t0, 1\n"     /* 8 */
    "    slti    t1, t0, 10\n"    /* c */
    "    bnez    t1, 1b\n"        /* 10 */
    "    sw      t0, 0(s1)\n"     /* 14 */
    "    csrr    t2, instret\n"   /* 18 */
    "    sw      t2, 4(s1)\n"     /* 1c */
    "    endprg  x0, x0, x0\n";   /* 20 */

static void set_t0(Group *g, Warp *w)
{
    assert_int_equal(w->x[5], 4); /* before the fifth addition */
    assert_int_equal(g->nwarps, 1);
    w->x[5] = 100;
    rig.data[2] = 55;
}

static void skip_the_loop(Group *g, Warp *w)
{
    (void)g;
    w->pc = CODE_LO + 0x14;
}

/* steps the warp twice, by itself */
static void step_twice(Group *g, Warp *w)
{
    Step s;
    assert_true(sim_step(g->engine, w, &s) && s.pc == CODE_LO + 8);
    assert_true(sim_step(g->engine, w, &s) && s.pc == CODE_LO + 12);
}

static void halted_and_continued(void **state)
{
    (void)state;
    rig_load(V202, 4, counting);
    Breakpoint b = {.pc = CODE_LO + 8, .nth = 5, .answer = GO_ON};
    LaunchResult r = run_with(&b, true);
    assert_false(r.faulted);
    assert_int_equal(b.halts, 1);
    assert_int_equal(b.seen, 10);
    assert_int_equal(rig.data[0], 10);
    assert_int_equal(rig.data[1], 2 + 30 + 1 + 1);

    b = (Breakpoint){.pc = CODE_LO + 8, .nth = 5, .answer = GO_ON, .change = set_t0};
    r = run_with(&b, true);
    assert_false(r.faulted);
    assert_int_equal(rig.data[0], 101);
    assert_int_equal(rig.data[2], 55);

    b = (Breakpoint){.pc = CODE_LO + 8, .nth = 5, .answer = GO_ON, .change = skip_the_loop};
    r = run_with(&b, true);
    assert_false(r.faulted);
    assert_int_equal(rig.data[0], 4);

    b = (Breakpoint){.pc = CODE_LO + 8, .nth = 5, .answer = GO_ON, .change = step_twice};
    r = run_with(&b, true);
    assert_false(r.faulted);
    assert_int_equal(rig.data[0], 10);
    assert_int_equal(rig.data[1], 2 + 30 + 1 + 1);
}

static void step_into_fault(Group *g, Warp *w)
{
    Step s;
    assert_false(sim_step(g->engine, w, &s));
    assert_true(s.faulted);
}

/* An instruction that faults while the launch is halted has run. */
static void halted_and_faulted(void **state)
{
    (void)state;
    rig_load(V202, 4, "    li t0, 1\n    lw t1, 0(t0)\n    endprg x0, x0, x0\n");
    const LaunchResult plain = rig_run(&(LaunchOptions){.threads = 1});
    Breakpoint b = {.pc = CODE_LO + 4, .nth = 1, .answer = GO_ON, .change = step_into_fault};
    const LaunchResult r = run_with(&b, true);
    assert_true(r.faulted && r.fault.kind == FAULT_LOAD && r.fault.pc == CODE_LO + 4);
    assert_int_equal(b.halts, 1);
    assert_int_equal(r.insns, plain.insns);
}

static Verdict stop_at_4(void *self, const Event *e)
{
    return e->kind == *(const EventKind *)self && e->step->pc == CODE_LO + 4 ? STOP_HERE : GO_ON;
}

static Verdict replace_code(void *self, const Event *why)
{
    const u32 li = 0x02a00293; /* li t0, 42 */
    const u64 at = CODE_LO + (why->kind == EVENT_fetch ? 4 : 8);
    (void)self;
    memcpy(rig.memory.base + at, &li, sizeof li);
    sim_kind.code_changed(rig.engine, V202, at, sizeof li);
    return GO_ON;
}

static const u8 *watch_all(void *self, const Warp *w)
{
    static u8 all[NWATCH];
    (void)self, (void)w;
    return memset(all, 1, sizeof all);
}

/* Whoever looks at a halted launch may change the next instruction. */
static void code_changes_while_halted(void **state)
{
    (void)state;
    const EventKind kinds[] = {EVENT_fetch, EVENT_insn};
    for (u32 k = 0; k < 6; k++) { /* and the other event is told or not, registers watched or not */
        const Observer o = {(void *)(uintptr_t)&kinds[k & 1],
                            (k & 3) < 2 ? kinds[k & 1] : EVENT_fetch | EVENT_insn, stop_at_4,
                            k < 4 ? NULL : watch_all};
        if (k == 4) /* it would hear of no fetch */
            continue;
        rig_load(V202, 4,
                 "    lui     s1, 0x90000\n"
                 "    li      t0, 1\n"
                 "    addi    t0, t0, 1\n"
                 "    sw      t0, 0(s1)\n"
                 "    endprg  x0, x0, x0\n");
        rig_must_run(&(LaunchOptions){.observers = &o, .nobservers = 1, .halted = replace_code});
        assert_int_equal(rig.data[0], 42 + (k & 1 ? 0 : 1));
    }
}

static void stopped_for_good(void **state)
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        rig_load(V202, 4, counting);
        rig.launch.groups[0] = 3;
        Breakpoint b = {.pc = CODE_LO + 8, .nth = 15, .answer = STOP_HERE};
        const LaunchResult r = run_with(&b, with);
        assert_true(r.faulted);
        assert_int_equal(r.fault.kind, FAULT_STOPPED);
        assert_int_equal(r.fault.pc, CODE_LO + 8);
        assert_int_equal(r.fault.group_linear, 1);
        assert_int_equal(r.groups, 1);
        assert_int_equal(b.seen, 15);
        assert_int_equal(b.halts, with);
    }
}

static Verdict stop(void *self, const Event *e)
{
    (void)self, (void)e;
    return STOP_HERE;
}

static Verdict count_halts(void *self, const Event *why)
{
    ((u32 *)self)[__builtin_ctz(why->kind)]++;
    return GO_ON;
}

static Verdict is_insn(void *self, const Event *why)
{
    (void)self;
    assert_int_equal(why->kind, EVENT_insn);
    return STOP_HERE;
}

/* of several events of an instruction that stop, the first is the reason */
static void the_first_stop_is_the_reason(void **state)
{
    (void)state;
    const Observer o = {NULL, EVENT_insn | EVENT_memory, stop, NULL};
    rig_load(V202, 4, "    lw t0, 0(x0)\n    endprg x0, x0, x0\n");
    memory_map(&rig.memory, 0, PAGE_SIZE, MEM_R);
    const LaunchResult r =
        rig_run(&(LaunchOptions){.observers = &o, .nobservers = 1, .halted = is_insn});
    memory_unmap(&rig.memory, 0, PAGE_SIZE);
    assert_true(r.faulted && r.fault.kind == FAULT_STOPPED);
}

/* every kind of event can stop a launch; the first of an instruction says why */
static void every_event_stops(void **state)
{
    (void)state;
    for (u32 bit = 0; bit < NEVENT; bit++) {
        u32 halts[NEVENT] = {0};
        const Observer o = {NULL, 1u << bit, stop, NULL};
        load_everything();
        LaunchResult r = rig_run(&(LaunchOptions){
            .observers = &o, .nobservers = 1, .halted = count_halts, .self = halts});
        assert_false(r.faulted);
        check_everything();
        for (u32 k = 0; k < NEVENT; k++)
            if (k != EVENT_BIT_fault && k != EVENT_BIT_print)
                assert_int_equal(halts[k] != 0, k == bit);
        if (bit == EVENT_BIT_fault || bit == EVENT_BIT_print || bit == EVENT_BIT_launch_end)
            continue;
        load_everything();
        r = rig_run(&(LaunchOptions){.observers = &o, .nobservers = 1});
        assert_true(r.faulted && r.fault.kind == FAULT_STOPPED);
        assert_int_equal(r.fault.lane, -1); /* it is no lane's */
        if (bit == EVENT_BIT_launch_begin)
            assert_true(!r.insns && !r.groups && !r.fault.nitems && !r.fault.pc);
    }
}

typedef struct { u32 n; FaultKind kind; u32 pc; } Grave;

static Verdict bury(void *self, const Event *e)
{
    Grave *g = self;
    g->n++;
    g->kind = e->group->fault.kind;
    g->pc = e->warp->pc;
    return GO_ON;
}

static void faults_are_told(void **state)
{
    (void)state;
    Grave g = {0};
    const Observer o = {&g, EVENT_fault, bury, NULL};
    rig_load(V202, 4, "    li t0, 1\n    lw t1, 0(t0)\n    endprg x0, x0, x0\n");
    const LaunchResult r = rig_run(&(LaunchOptions){.observers = &o, .nobservers = 1});
    assert_true(r.faulted);
    assert_int_equal(g.n, 1);
    assert_int_equal(g.kind, FAULT_LOAD);
}

typedef struct { u32 heard, with_step; } Steps;

static Verdict count_steps(void *self, const Event *e)
{
    Steps *s = self;
    s->heard++;
    s->with_step += e->step != NULL;
    return GO_ON;
}

/* an event comes with a step if, and only if, every instruction is looked at for it */
static void only_steps_need_each_instruction(void **state)
{
    (void)state;
    for (u32 bit = 0; bit < NEVENT; bit++) {
        Steps s = {0};
        const Observer o = {&s, 1u << bit, count_steps, NULL};
        const LaunchOptions opt = {.observers = &o, .nobservers = 1};
        if (bit == EVENT_BIT_fault)
            rig_load(V202, 4, "    li t0, 1\n    lw t1, 0(t0)\n    endprg x0, x0, x0\n");
        else
            load_everything();
        rig.launch.print = DATA;
        rig.launch.print_end = DATA + 4;
        const Audience a = audience_of(&rig.launch, &opt);
        assert_int_equal(rig_run(&opt).faulted, bit == EVENT_BIT_fault);
        assert_true(s.heard > 0);
        assert_int_equal(s.with_step, audience_wants_each(&a) ? s.heard : 0);
        assert_true(bit != EVENT_BIT_warp_end || !s.with_step); /* its state is enough */
    }
}

/* --- floats of the host ---------------------------------------------------------------------- */

/* a float of the host: one division, of which nothing is known before */
static Verdict divide(void *self, const Event *e)
{
    volatile double *d = self;
    (void)e;
    d[0] = d[0] / d[1];
    return GO_ON;
}

/* neither the host's rounding nor what an observer computes reaches the guest, nor the other way */
static void floats_stay_apart(void **state)
{
    (void)state;
    static const char program[] =
        "    lui     s1, 0x90000\n"
        "    lui     t0, 0x3f800\n"      /* 1 */
        "    lui     t1, 0x40400\n"      /* 3 */
        "    fadd.s  t2, t0, t0\n"       /* exact */
        "    barrier x0, x0, 1\n"
        "    csrr    t3, fflags\n"
        "    sw      t3, 0(s1)\n"
        "    fdiv.s  t2, t0, t1\n"
        "    sw      t2, 4(s1)\n"
        "    csrr    t3, fflags\n"
        "    sw      t3, 8(s1)\n"
        "    endprg  x0, x0, x0\n";
    const u32 kinds[] = {0, EVENT_barrier, EVENT_group_begin, EVENT_fetch, EVENT_insn};
    for (size_t i = 0; i < countof(kinds); i++) {
        volatile double d[2] = {1, 3};
        const Observer o = {(void *)(uintptr_t)d, kinds[i], divide, NULL};
        rig_load(V202, 4, program);
        fesetround(FE_UPWARD);
        feclearexcept(FE_ALL_EXCEPT);
        feraiseexcept(FE_OVERFLOW);
        const LaunchResult r = rig_run(&(LaunchOptions){.observers = &o, .nobservers = 1, .timeout = 1000});
        const int raised = fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT), mode = fegetround();
        fesetround(FE_TONEAREST);
        assert_false(r.faulted);
        assert_int_equal(rig.data[0], 0);
        assert_int_equal(rig.data[1], 0x3eaaaaab);
        assert_int_equal(rig.data[2], 1);
        assert_int_equal(mode, FE_UPWARD);
        assert_int_equal(raised, FE_OVERFLOW);
    }
    /* the same, step by step */
    rig_load(V202, 4, program);
    Group *g = resident();
    fesetround(FE_UPWARD);
    feraiseexcept(FE_DIVBYZERO);
    for (int i = 0; i < 12; i++) {
        if (g->warps[0].state == WARP_WAITING)
            group_pass_barrier(g);
        const Step *s = step(g, 0);
        assert_int_equal(s->raised, s->id == I_fdiv_s ? FP_NX : 0);
    }
    /* flags stay: an exact addition after it clears none */
    g->warps[0].pc = CODE_LO + 12;
    g->warps[0].state = WARP_READY;
    assert_int_equal(step(g, 0)->raised, 0);
    assert_int_equal(g->warps[0].fflags, FP_NX);
    const int raised = fetestexcept(FE_DIVBYZERO), mode = fegetround();
    fesetround(FE_TONEAREST);
    assert_int_equal(raised, FE_DIVBYZERO);
    assert_int_equal(mode, FE_UPWARD);
    assert_int_equal(rig.data[0], 0);
    assert_int_equal(rig.data[1], 0x3eaaaaab);
    assert_int_equal(rig.data[2], 1);
    leave(g);
}

/* --- the clock -------------------------------------------------------------------------------- */

static const char clocks[] =
    "    lui     s1, 0x90000\n"
    "    csrr    t0, cycle\n    sw t0, 0(s1)\n"
    "    csrr    t0, cycleh\n   sw t0, 4(s1)\n"
    "    csrr    t0, time\n     sw t0, 8(s1)\n"
    "    csrr    t0, timeh\n    sw t0, 12(s1)\n"
    "    csrr    t0, instret\n  sw t0, 16(s1)\n"
    "    csrr    t0, instreth\n sw t0, 20(s1)\n"
    "    csrr    t0, mcycle\n   sw t0, 24(s1)\n"
    "    csrr    t0, mcycleh\n  sw t0, 28(s1)\n"
    "    csrr    t0, minstret\n sw t0, 32(s1)\n"
    "    endprg  x0, x0, x0\n";

static Verdict set_count(void *self, const Event *e)
{
    e->warp->ninsns = *(u64 *)self;
    return GO_ON;
}

/* by default instructions retired, whose count has 64 bits */
static void cycles_are_instructions(void **state)
{
    (void)state;
    u64 count = 0xfffffffe;
    const Observer o = {&count, EVENT_warp_begin, set_count, NULL};
    rig_load(V202, 4, clocks);
    rig_must_run(&(LaunchOptions){.observers = &o, .nobservers = 1});
    /* the lui is number ffffffff */
    const u32 want[] = {0, 1, 4, 1, 8, 1, 12, 1, 16};
    for (u32 i = 0; i < countof(want); i++)
        assert_int_equal(rig.data[i], want[i]);
}

static u64 ticks(void *self, const Warp *w) { return *(u64 *)self + w->id; }
static u64 wall(void *self, const Warp *w) { return *(u64 *)self * 2 + w->id; }

static void the_engine_owns_the_clock(void **state)
{
    (void)state;
    u64 base = 0x1234567890;
    const Clock c = {&base, ticks, wall};
    rig_load(V202, 4, clocks);
    rig.sim->clock = &c;
    rig_must_run(&(LaunchOptions){.threads = 1});
    rig.sim->clock = NULL;
    const u32 want[] = {0x34567890, 0x12, 0x68acf120, 0x24, 10, 0, 0x34567890, 0x12, 18};
    for (u32 i = 0; i < countof(want); i++)
        assert_int_equal(rig.data[i], want[i]);
}

/* --- life ------------------------------------------------------------------------------------- */

static void engines_are_found_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(dev_find_engine("interp"), &sim_kind);
    assert_ptr_equal(dev_defaults().engine, dev_engines[0]);
    assert_null(dev_find_engine("warp drive"));
    assert_null(dev_find_engine(""));
    for (size_t i = 0; dev_engines[i]; i++) {
        const EngineKind *k = dev_engines[i];
        if (!dev_has_engine(k)) { /* this build or host has it not */
            assert_null(dev_find_engine(k->name));
            continue;
        }
        assert_ptr_equal(dev_find_engine(k->name), k);
        Engine *e = k->open(&rig.memory, V202);
        assert_non_null(e);
        assert_ptr_equal(e->kind, k);
        k->close(e);
        k->close(NULL);
    }
}

/* an engine that was told of new code, and of a new profile, runs it */
static void code_changes(void **state)
{
    (void)state;
    rig_load(V202, 4, "    lui t0, 0x90000\n    li t1, 1\n    sw t1, 0(t0)\n    endprg x0, x0, x0\n");
    rig_must_run(&(LaunchOptions){.threads = 1});
    assert_int_equal(rig.data[0], 1);
    rig_load(V202, 4, "    lui t0, 0x90000\n    li t1, 2\n    sw t1, 0(t0)\n    endprg x0, x0, x0\n");
    rig_must_run(&(LaunchOptions){.threads = 1});
    assert_int_equal(rig.data[0], 2);
    /* a word that only one profile has */
    rig_load(V2025, 4, "    prefix pair=1\n    vadd.vv v4, v2, v2\n    endprg x0, x0, x0\n");
    rig_must_run(&(LaunchOptions){.threads = 1});
    rig.launch.set = V202;
    sim_kind.code_changed(rig.engine, V202, CODE_LO, 4);
    const LaunchResult r = rig_run(&(LaunchOptions){.threads = 1});
    assert_true(r.faulted && r.fault.kind == FAULT_PROFILE);
}

/* a prefix at the end of a page, its instruction at the start of the next, which changes */
static void a_prefix_before_the_page(void **state)
{
    (void)state;
    Buf b = {0};
    for (int i = 0; i < PAGE_SIZE / 4 - 3; i++)
        buf_str(&b, "    nop\n");
    buf_str(&b, "    lui s1, 0x90000\n    vid.v v1\n    regext x0, x0, 1\n    vadd.vi v4, v1, 1\n"
                "    regext x0, x0, 64\n    vadd.vi v4, v4, 0\n"
                "    vmv.v.x v2, s1\n    vsw12.v v4, 0(v2)\n    endprg x0, x0, x0\n");
    rig_load(V202, 4, buf_text(&b));
    buf_free(&b);
    rig_must_run(&(LaunchOptions){.threads = 1});
    assert_int_equal(rig.data[0], 4); /* the last lane wins */
    /* vadd.vi with 5 in place of 1: the immediate is in bits 19:15 */
    u32 word;
    u8 *at = rig.memory.base + CODE_LO + PAGE_SIZE;
    memcpy(&word, at, 4);
    assert_int_equal(word >> 15 & 31, 1);
    word = (word & ~(31u << 15)) | 5u << 15;
    memcpy(at, &word, 4);
    sim_kind.code_changed(rig.engine, V202, CODE_LO + PAGE_SIZE, 4);
    rig_must_run(&(LaunchOptions){.threads = 1});
    assert_int_equal(rig.data[0], 8);
}

/* the second warp waits meanwhile, where there is one */
static const char endless[] =
    "    csrr    t2, CSR_WID\n"
    "    beqz    t2, 2f\n"
    "    barrier x0, x0, 1\n"
    "2:  lui     t0, 0x90000\n"
    "    li      t1, 1\n"
    "    sw      t1, 0(t0)\n"
    "1:  j       1b\n";

typedef struct { Engine *engine; Device *device; } Interruption;

/* waits for the guest's word, then interrupts */
static void *interrupter(void *arg)
{
    const Interruption *i = arg;
    while (!__atomic_load_n(&rig.data[0], __ATOMIC_RELAXED))
        usleep(100);
    if (i->engine)
        i->engine->kind->interrupt(i->engine);
    else
        dev_interrupt(i->device);
    return NULL;
}

static void interrupted(void **state)
{
    (void)state;
    for (u32 threads = 1; threads <= 4; threads += 3) {
        pthread_t t;
        Interruption i = {.engine = rig.engine};
        rig_load(V202, 4, endless);
        rig.launch.groups[0] = 8;
        rig.launch.warps = 2;
        assert_int_equal(pthread_create(&t, NULL, interrupter, &i), 0);
        LaunchResult r = rig_run(&(LaunchOptions){.threads = threads, .slice = 1000});
        pthread_join(t, NULL);
        assert_true(r.faulted);
        assert_int_equal(r.fault.kind, FAULT_STOPPED);
        /* the next launch is not */
        load_everything();
        rig_must_run(&(LaunchOptions){.threads = threads});
        check_everything();
    }
}

static void a_device_is_interrupted(void **state)
{
    (void)state;
    const DeviceOptions opt = dev_defaults();
    DevResult result;
    pthread_t t;
    Device *d = dev_open(&opt);
    assert_non_null(d);
    Interruption i = {.device = d};
    rig_load(V202, 32, endless);
    memory_map(dev_memory(d), CODE_LO, PAGE_SIZE, MEM_R | MEM_W | MEM_X);
    memory_map(dev_memory(d), DATA, PAGE_SIZE, MEM_R | MEM_W);
    assert_true(dev_write(d, CODE_LO, rig.memory.base + CODE_LO, PAGE_SIZE));
    dev_code_written(d, CODE_LO, CODE_LO + PAGE_SIZE);
    u32 *const was = rig.data;
    rig.data = (u32 *)(void *)(dev_memory(d)->base + DATA);
    assert_int_equal(pthread_create(&t, NULL, interrupter, &i), 0);
    const DevLaunch l = {.knl = DATA + 64, .groups = {1, 1, 1}, .warps = 1, .lanes = 32,
                         .run = {.slice = 1000}};
    assert_false(dev_launch(d, &l, &result));
    pthread_join(t, NULL);
    rig.data = was;
    assert_int_equal(result.run.fault.kind, FAULT_STOPPED);
    dev_close(d);
}

/* every engine that is there: a launch, a step, an interruption, another launch */
static void every_engine_does_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; dev_engines[i]; i++) {
        const EngineKind *k = dev_engines[i];
        Engine *e = dev_has_engine(k) ? k->open(&rig.memory, V202) : NULL;
        LaunchResult r;
        pthread_t t;
        Interruption how = {.engine = e};
        if (!e)
            continue;
        load_everything();
        const u64 insns = rig_run(&(LaunchOptions){.threads = 1}).insns;
        load_everything();
        k->code_changed(e, V202, CODE_LO, TEXT_BYTES);
        assert_true(k->launch(e, &rig.launch, &(LaunchOptions){.threads = 4}, &r));
        assert_true(r.insns == insns);
        check_everything();

        Group *g = sim_take_group((Sim *)e, &rig.launch); /* engines begin with a Sim */
        Step s;
        assert_non_null(g);
        group_begin(g, 0);
        assert_true(k->step(e, &g->warps[1], &s));
        assert_int_equal(s.next, CODE_LO + s.len);
        group_end(g);
        sim_give_group((Sim *)e, g);

        rig_load(V202, 4, endless);
        k->code_changed(e, V202, CODE_LO, TEXT_BYTES);
        rig.launch.groups[0] = 8;
        assert_int_equal(pthread_create(&t, NULL, interrupter, &how), 0);
        assert_false(k->launch(e, &rig.launch, &(LaunchOptions){.threads = 2, .slice = 1000}, &r));
        pthread_join(t, NULL);
        assert_int_equal(r.fault.kind, FAULT_STOPPED);
        k->close(e);
        print_message("%s\n", k->name);
    }
}

/* --- locks -------------------------------------------------------------------------------- */

enum { LOCKED_TIMES = 8000, LOCKED_INSNS = 3 + 20 + 3, LOCKED_BEFORE = 8, LOCKED_AFTER = 1 };

/* A turn ends where the warp jumps back, so no warp holds its lock for the turns of others, and none
 * of them has to try again: LOCKED_INSNS instructions a time, which are several turns. */
static void turns_end_outside_of_locks(void **state)
{
    static const char text[] = "    lui     s0, 2\n"
                               "    addi    s0, s0, -192\n"
                               "    lui     s1, 0x90000\n"
                               "    vmv.v.i v0, 0\n"
                               "    vmv.v.i v4, 1\n"
                               "    vid.v   v5\n"
                               "    vsll.vi v5, v5, 2\n"
                               "    vadd.vx v5, v5, s1\n"
                               "1:  amoswap.w v3, v4, (v5)\n" /* a lock for each lane */
                               "    vmv.x.s t0, v3\n"
                               "    bnez    t0, 1b\n"
                               "    .rept   20\n"
                               "    nop\n"
                               "    .endr\n"
                               "    vsw12.v v0, 0(v5)\n"
                               "    addi    s0, s0, -1\n"
                               "    bnez    s0, 1b\n"
                               "    endprg  x0, x0, x0\n";
    (void)state;
#ifdef HOSTILE
    skip_because("turns of the hostile build end anywhere");
#endif
    for (size_t i = 0; dev_engines[i]; i++) {
        const EngineKind *k = dev_engines[i];
        if (!strcmp(k->name, "timing") || !dev_has_engine(k))
            continue; /* it takes an instruction of each warp by turns */
        rig_load(V202, 8, text);
        rig.launch.warps = WARPS;
        Engine *e = k->open(&rig.memory, V202);
        LaunchResult r;
        assert_non_null(e);
        assert_true(k->launch(e, &rig.launch, &(LaunchOptions){.threads = 1}, &r));
        const u64 least = LOCKED_BEFORE + (u64)LOCKED_TIMES * LOCKED_INSNS + LOCKED_AFTER;
        assert_int_equal(r.insns, WARPS * least);
        k->close(e);
    }
}

/* --- two launches at once ---------------------------------------------------------------- */

typedef struct { Launch launch; LaunchResult result; } Job;

static void *run_job(void *arg)
{
    Job *j = arg;
    for (int i = 0; i < 20; i++) {
        sim_kind.launch(rig.engine, &j->launch, &(LaunchOptions){.threads = 3}, &j->result);
        if (j->result.faulted)
            break;
    }
    return NULL;
}

/* a flag that one warp raised before its turn ended is not the next one's */
static void flags_stay_with_their_warp(void **state)
{
    (void)state;
    rig_load(V202, 4,
             "    csrr    t0, wid\n    lui     s1, 0x90000\n    lui     t1, 0x3f800\n"
             "    lui     t2, 0x40400\n    li      t4, 50\n    bnez    t0, 1f\n"
             "    vmv.v.x v1, t1\n    vmv.v.x v2, t2\n    vfdiv.vv v3, v1, v2\n"
             "    li      t4, 500\n" /* it looks later than the other one */
             "1:  addi    t4, t4, -1\n    bnez    t4, 1b\n"
             "    csrr    t5, fflags\n    slli    t0, t0, 2\n    add     s1, s1, t0\n"
             "    sw      t5, 0(s1)\n    endprg  x0, x0, x0\n");
    rig.launch.warps = 2;
    rig_must_run(&(LaunchOptions){.threads = 1, .slice = 16});
    assert_int_equal(rig.data[0], 1);
    assert_int_equal(rig.data[1], 0);
}

static void closing_ends_its_threads(void **state)
{
    (void)state;
    LaunchResult r;
    load_everything();
    const int before = entries_of("/proc/self/task");
    Engine *e = sim_kind.open(&rig.memory, V202);
    assert_non_null(e);
    for (int i = 0; i < 1000 && entries_of("/proc/self/task") == before; i++) /* short ones go without */
        sim_kind.launch(e, &rig.launch, &(LaunchOptions){.threads = 3}, &r);
    assert_true(entries_of("/proc/self/task") > before);
    sim_kind.close(e);
    for (int i = 0; i < 10000 && entries_of("/proc/self/task") > before; i++) /* the host forgets them later */
        usleep(1000);
    assert_int_equal(entries_of("/proc/self/task"), before);
}

static void closing_frees_everything(void **state)
{
    (void)state;
    size_t before = 0, after = 0;
    LaunchResult r;
    /* the first ones warm up; threads that have ended free what they had when they like */
    for (int round = 0; round < 5 || (round < 50 && before != after); round++) {
        load_everything();
        Engine *e = sim_kind.open(&rig.memory, V202);
        assert_non_null(e);
        assert_true(sim_kind.launch(e, &rig.launch, &(LaunchOptions){.threads = 1}, &r));
        sim_kind.close(e);
        const struct mallinfo2 m = mallinfo2();
        before = after;
        after = m.uordblks + m.hblkhd;
    }
    assert_int_equal(before, after);
    sim_kind.close(NULL);
}

/* launches of one engine on two threads: each gets what it should; they only share code */
static void launches_overlap(void **state)
{
    (void)state;
    Job jobs[2];
    pthread_t t[2];
    load_everything();
    for (u32 k = 0; k < 2; k++) {
        jobs[k] = (Job){.launch = rig.launch};
        jobs[k].launch.pds = PDS + k * 4 * PAGE_SIZE;
        assert_int_equal(pthread_create(&t[k], NULL, run_job, &jobs[k]), 0);
    }
    for (u32 k = 0; k < 2; k++) {
        pthread_join(t[k], NULL);
        assert_false(jobs[k].result.faulted);
        assert_int_equal(jobs[k].result.groups, GROUPS);
    }
    assert_int_equal(rig.data[0], 40 * GROUPS * ITEMS * (ITEMS + 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch),
        cmocka_unit_test(two_groups_by_hand),
        cmocka_unit_test(local_memory_is_cleared),
        cmocka_unit_test(a_step_says_what_happened),
        cmocka_unit_test(a_step_that_faults),
        cmocka_unit_test(a_copy_is_two_touches), cmocka_unit_test(atomics_are_touches),
        cmocka_unit_test(steps_and_trace_agree),
        cmocka_unit_test(steps_and_facts_agree),
        cmocka_unit_test(observers_hear_what_they_asked_for),
        cmocka_unit_test(replaced_sources_are_kept), cmocka_unit_test(notes_are_for_those_who_ask),
        cmocka_unit_test(notes_end_with_the_context),
        cmocka_unit_test(the_borders_of_the_print_buffer),
        cmocka_unit_test(a_device_says_where_kernels_print),
        cmocka_unit_test(a_device_forgets_what_it_unloads), cmocka_unit_test(a_device_refuses_launches), cmocka_unit_test(a_device_knows_work_items),
        cmocka_unit_test(halted_and_continued),
        cmocka_unit_test(halted_and_faulted), cmocka_unit_test(code_changes_while_halted),
        cmocka_unit_test(stopped_for_good),
        cmocka_unit_test(the_first_stop_is_the_reason),
        cmocka_unit_test(every_event_stops),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(only_steps_need_each_instruction),
        cmocka_unit_test(floats_stay_apart),
        cmocka_unit_test(cycles_are_instructions),
        cmocka_unit_test(the_engine_owns_the_clock),
        cmocka_unit_test(engines_are_found_by_name),
        cmocka_unit_test(code_changes),
        cmocka_unit_test(a_prefix_before_the_page),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(a_device_is_interrupted),
        cmocka_unit_test(every_engine_does_the_same),
        cmocka_unit_test(turns_end_outside_of_locks),
        cmocka_unit_test(flags_stay_with_their_warp),
        cmocka_unit_test(closing_ends_its_threads),
        cmocka_unit_test(closing_frees_everything),
        cmocka_unit_test(launches_overlap),
    };
    return cmocka_run_group_tests(tests, rig_set_up, rig_tear_down);
}
