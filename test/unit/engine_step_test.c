/* engine_step_test.c -- one instruction of one warp at a time, and what is told of each. */
#include "prof/trace.h"
#include "sim/handlers.h"
#include "test/kit/everything.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_groups_by_hand),
        cmocka_unit_test(local_memory_is_cleared),
        cmocka_unit_test(a_step_says_what_happened),
        cmocka_unit_test(a_step_that_faults),
        cmocka_unit_test(a_copy_is_two_touches),
        cmocka_unit_test(atomics_are_touches),
        cmocka_unit_test(steps_and_trace_agree),
        cmocka_unit_test(steps_and_facts_agree),
    };
    return cmocka_run_group_tests(tests, rig_set_up, rig_tear_down);
}
