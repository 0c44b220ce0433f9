/* registers_test.c -- which register each value gets (the head of alloc.c).
 *
 * A model of the rule that keeps of every register who has it at every moment, and looks at all
 * moments for each question: ranges of values, weights, moves that vanish, registers that would
 * have to be saved, values that make way.  For random programs, kernels and functions with calls,
 * with all registers and with few, allocate() must choose as the model does; what is spilled is
 * what the model has no register for.  coalesce() must unite the values that a model of sets of
 * moments unites.
 */
#include "test/kit/guard.h"
#include "test/kit/flowgen.h"
#include "cc/spill.h"
#include <math.h>

enum { PROGRAMS = 150, MOST_MOVED = 4, SAVED_MOST = 10 };
static const double SAVE = 4, AGAIN = 0.5;

#define FREE  UINT32_MAX
#define FIXED 0u

typedef struct {
    const Func *f;
    const CcOptions *opt;
    u32 *top, end;    /* of each block: its first moment */
    bool *in, *out;   /* [value * nblock + block] */
    u8 *alive;        /* [value * end + moment] */
    u32 *owner[NREG]; /* [moment] */
    double *uses;
    u32 *writes, *length, *start, *reg; /* of each value; reg: 1 + its register, or 0 */
    bool *again, *taken;
    u32 list[2][NVREG], n[2];
    u32 moved; /* how many values have made way */
} Model;

/* --- ranges ----------------------------------------------------------------------------------- */

static bool reads(const Ref *a, int n, u32 v)
{
    for (int k = 0; k < n; k++)
        if (a[k].kind == R_VAL && a[k].val == v)
            return true;
    return false;
}

static bool alive_before(const Block *b, u32 v, bool after)
{
    bool live = after || reads(b->term.a, 2, v);
    for (size_t i = b->nins; i-- > 0;)
        live = (live && b->ins[i].dst != v) || reads(b->ins[i].a, 3, v);
    return live;
}

static void find_ends(Model *m, u32 v)
{
    const Func *f = m->f;
    bool *in = m->in + v * f->nblock, *out = m->out + v * f->nblock;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = f->nrpo; i-- > 0;) {
            const u32 b = f->rpo[i];
            for (int k = 0; k < term_nsucc(&f->block[b].term); k++)
                out[b] |= in[f->block[b].term.succ[k]];
            const bool now = alive_before(&f->block[b], v, out[b]);
            changed |= now != in[b];
            in[b] = now;
        }
    }
}

/* the blocks from b on without those behind the join */
static void reach(const Func *f, bool *seen, u32 b, u32 join)
{
    if (b == join || seen[b])
        return;
    seen[b] = true;
    for (int k = 0; k < term_nsucc(&f->block[b].term); k++)
        reach(f, seen, f->block[b].term.succ[k], join);
}

/* A scalar that one side of a divergent branch needs is alive in all of the other. */
static void guard_sides(Model *m)
{
    const Func *f = m->f;
    bool *first = mem_alloc(f->nvalue * f->nblock), *seen = mem_alloc(f->nblock);
    memcpy(first, m->in, f->nvalue * f->nblock);
    for (size_t i = 0; i < f->nrpo; i++) {
        const Term *t = &f->block[f->rpo[i]].term;
        for (int k = 0; k < 2 && t->kind == T_BRANCH && t->divergent; k++) {
            memset(seen, 0, f->nblock);
            reach(f, seen, t->succ[!k], t->rpc);
            for (u32 v = 1; v < f->nvalue; v++)
                for (u32 b = 0; b < f->nblock && f->value[v].bank == BANK_X &&
                                first[v * f->nblock + t->succ[k]];
                     b++) {
                    m->in[v * f->nblock + b] |= seen[b];
                    m->out[v * f->nblock + b] |= seen[b];
                }
        }
    }
    mem_free(first);
    mem_free(seen);
}

/* Each instruction has a moment at which it reads, then one at which it writes; a block has two
 * more before and its terminator's. */
static void mark_range(Model *m, u32 v)
{
    const Func *f = m->f;
    u8 *alive = m->alive + (size_t)v * m->end;
    for (size_t i = 0; i < f->nrpo; i++) {
        const u32 b = f->rpo[i];
        const Block *k = &f->block[b];
        u8 *at = alive + m->top[b] + 2 * (k->nins + 1);
        bool live = m->out[v * f->nblock + b];
        at[1] = live;
        at[0] = live |= reads(k->term.a, 2, v);
        for (size_t n = k->nins; n-- > 0;) {
            at -= 2;
            at[1] = live || k->ins[n].dst == v;
            live = (live && k->ins[n].dst != v) || reads(k->ins[n].a, 3, v);
            at[0] = live;
        }
        at[-1] = at[-2] = live || m->in[v * f->nblock + b];
    }
    for (u32 t = m->end; t-- > 0;)
        if (alive[t]) {
            m->length[v]++;
            m->start[v] = t;
        }
}

/* --- registers that instructions name --------------------------------------------------------- */

static void hold(Model *m, u32 r, u32 from, u32 to)
{
    for (u32 t = from; t < to; t++)
        m->owner[r][t] = FIXED;
}

static bool names(const Ins *i, u32 r, const Target *t)
{
    const Ref ref = ref_reg(r);
    return ref_same(i->a[0], ref) || ref_same(i->a[1], ref) || ref_same(i->a[2], ref) ||
           (i->op == IR_call && r - t->piece < (u32)i->imm);
}

static void fix_register(Model *m, u32 r)
{
    const Target *t = m->f->module->target;
    for (size_t i = 0; i < m->f->nrpo; i++) {
        const u32 b = m->f->rpo[i];
        const Block *k = &m->f->block[b];
        u32 at = m->top[b] + 2 * ((u32)k->nins + 1), until = 0;
        if (k->term.kind == T_RET && !m->f->is_kernel && r - t->piece < m->f->nresults)
            until = at + 1;
        for (size_t n = k->nins; n-- > 0;) {
            at -= 2;
            const Ins *x = &k->ins[n];
            if (x->reg == r + 1 || (x->op == IR_call && !reg_is_kept(r))) {
                hold(m, r, at + 1, until ? until : at + 2);
                until = 0;
            }
            if (!until && names(x, r, t))
                until = at + 1;
        }
        hold(m, r, m->top[b], until);
    }
}

static int rank(const Func *f, u32 r)
{
    const bool is_high = (r < V0 ? r : r - V0) >= 32;
    return 2 * is_high + (!f->is_kernel && reg_is_kept(r));
}

/* The best ones first; of scalar registers that calls keep only those that the function has room to
 * save. */
static void list_registers(Model *m)
{
    const Func *f = m->f;
    const u32 limit[2] = {m->opt->max_x, m->opt->max_v}, words = f->scalar_room / 4;
    const bool has_frame = f->nslot || f->has_calls || f->spill_v || !f->is_kernel;
    u32 room = words > f->has_calls ? words - f->has_calls : 0, kept = 0;
    room = room > SAVED_MOST ? SAVED_MOST : room;
    for (int wanted = 0; wanted < 4; wanted++)
        for (u32 r = 0; r < NREG; r++) {
            const bool v = r >= V0;
            if (reg_is_reserved(r) || (r == V0 + 32 && has_frame) || rank(f, r) != wanted ||
                (limit[v] && m->n[v] == limit[v]))
                continue;
            if (v || !reg_is_kept(r) || f->is_kernel || kept++ < room)
                m->list[v][m->n[v]++] = r;
        }
}

/* the most values of a bank that are alive at once */
static u32 most_alive(const Model *m, Bank bank)
{
    u32 most = 0;
    for (u32 t = 0; t < m->end; t++) {
        u32 n = 0;
        for (u32 v = 1; v < m->f->nvalue; v++)
            n += m->f->value[v].bank == bank && m->alive[(size_t)v * m->end + t];
        most = n > most ? n : most;
    }
    return most;
}

/* --- choices ---------------------------------------------------------------------------------- */

static bool is_free(const Model *m, u32 v, u32 r)
{
    const u8 *alive = m->alive + (size_t)v * m->end;
    for (u32 t = m->start[v], n = m->length[v]; n; t++)
        if (alive[t]) {
            n--;
            if (m->owner[r][t] != FREE)
                return false;
        }
    return true;
}

static void give(Model *m, u32 v, u32 r)
{
    for (u32 t = 0; t < m->end; t++) {
        if (m->reg[v] && m->owner[m->reg[v] - 1][t] == v)
            m->owner[m->reg[v] - 1][t] = FREE;
        if (m->alive[(size_t)v * m->end + t])
            m->owner[r][t] = v;
    }
    m->reg[v] = r + 1;
    m->taken[r] = true;
}

/* the first one that is free; saving a register for the caller is worth it for many uses alone */
static u32 first_free(const Model *m, u32 v, bool may_save)
{
    const bool vector = m->f->value[v].bank == BANK_V;
    for (u32 k = 0; k < m->n[vector]; k++) {
        const u32 r = m->list[vector][k];
        if ((may_save || m->f->is_kernel || !reg_is_kept(r) || m->taken[r]) && is_free(m, v, r))
            return r;
    }
    return NREG;
}

static bool is_listed(const Model *m, u32 r)
{
    for (u32 k = 0; k < m->n[r >= V0]; k++)
        if (m->list[r >= V0][k] == r)
            return true;
    return false;
}

/* the register of another value, or of none, with which v is moved; the last moves are tried
 * first */
static u32 wished(const Model *m, u32 v)
{
    const Func *f = m->f;
    for (size_t i = f->nrpo; i-- > 0;)
        for (size_t n = f->block[f->rpo[i]].nins; n-- > 0;) {
            const Ins *x = &f->block[f->rpo[i]].ins[n];
            const Ref to = x->reg ? ref_reg(x->reg - 1) : ref_val(x->dst), from = x->a[0];
            for (int side = 0; side < 2 && x->op == IR_move; side++) {
                const Ref self = side ? from : to, with = side ? to : from;
                if (!ref_same(self, ref_val(v)))
                    continue;
                const u32 r = with.kind == R_REG                       ? with.val
                              : with.kind == R_VAL && m->reg[with.val] ? m->reg[with.val] - 1
                                                                       : NREG;
                if (r != NREG && (r >= V0) == (f->value[v].bank == BANK_V) && is_listed(m, r) &&
                    is_free(m, v, r))
                    return r;
            }
        }
    return NREG;
}

/* Whether all values that keep v from r have another place; moves them there. */
static bool clear(Model *m, u32 v, u32 r)
{
    u32 who[MOST_MOVED], to[MOST_MOVED], n = 0;
    for (u32 t = m->start[v]; t < m->end; t++) {
        const u32 owner = m->alive[(size_t)v * m->end + t] ? m->owner[r][t] : FREE;
        bool is_new = owner != FREE;
        for (u32 k = 0; k < n; k++)
            is_new &= who[k] != owner;
        if (!is_new)
            continue;
        if (owner == FIXED || n == MOST_MOVED)
            return false;
        const bool vector = r >= V0;
        u32 k = 0;
        while (k < m->n[vector] &&
               (m->list[vector][k] == r || !is_free(m, owner, m->list[vector][k])))
            k++;
        if (k == m->n[vector])
            return false;
        who[n] = owner;
        to[n++] = m->list[vector][k];
    }
    for (u32 k = 0; k < n; k++)
        give(m, who[k], to[k]);
    m->moved += n;
    return true;
}

/* False: v must be spilled. */
static bool place(Model *m, u32 v)
{
    const bool vector = m->f->value[v].bank == BANK_V;
    u32 r = first_free(m, v, m->uses[v] >= SAVE);
    r = r == NREG ? first_free(m, v, true) : r;
    const u32 wish = r == NREG ? NREG : wished(m, v);
    if (wish != NREG && rank(m->f, wish) <= rank(m->f, r))
        r = wish;
    for (u32 k = 0; r == NREG && k < m->n[vector]; k++)
        if (clear(m, v, m->list[vector][k]))
            r = m->list[vector][k];
    if (r != NREG)
        give(m, v, r);
    return r != NREG;
}

/* --- weights ---------------------------------------------------------------------------------- */

/* it can be made again for each use, and so weighs half as much */
static bool is_made_of_nothing(const Ins *i)
{
    return i->op == IR_li || i->op == IR_MACHINE + I_vid_v || i->op == IR_MACHINE + I_vmv_v_i;
}

static void weigh(Model *m)
{
    const Func *f = m->f;
    for (size_t i = 0; i < f->nrpo; i++) {
        const Block *b = &f->block[f->rpo[i]];
        double often = 1;
        for (u32 k = 0; k < b->depth && k < 6; k++)
            often *= 10;
        for (size_t n = 0; n < b->nins; n++) {
            const Ins *x = &b->ins[n];
            m->uses[x->dst] += often;
            m->again[x->dst] = !m->writes[x->dst]++ && is_made_of_nothing(x);
            for (int k = 0; k < 3; k++)
                m->uses[x->a[k].kind == R_VAL ? x->a[k].val : 0] += often;
        }
        for (int k = 0; k < 2; k++)
            m->uses[b->term.a[k].kind == R_VAL ? b->term.a[k].val : 0] += often;
    }
}

static double weight(const Model *m, u32 v)
{
    if (m->f->value[v].temp_spill)
        return INFINITY;
    return (m->again[v] ? AGAIN : 1) * m->uses[v] / (m->length[v] + 4);
}

/* the heaviest that has no register, of equal ones the first to begin */
static u32 heaviest(const Model *m, const bool *is_done)
{
    u32 best = 0;
    for (u32 v = 1; v < m->f->nvalue; v++)
        if (!is_done[v] && m->length[v] &&
            (!best || weight(m, v) > weight(m, best) ||
             (weight(m, v) == weight(m, best) && m->start[v] < m->start[best])))
            best = v;
    return best;
}

/* The argument block's value comes before all: the one whose last move is from its register. */
static u32 value_of_arguments(const Model *m)
{
    const Ref arguments = ref_reg(m->f->module->target->arguments);
    const Block *b = &m->f->block[0];
    for (size_t i = 0; i < b->nins && m->f->is_kernel; i++)
        if (b->ins[i].op == IR_move && ref_same(b->ins[i].a[0], arguments))
            return b->ins[i].dst;
    return 0;
}

/* how many values have no register; list[]: they */
static u32 choose_all(Model *m, u32 *list)
{
    bool *is_done = mem_zalloc(m->f->nvalue, 1);
    u32 n = 0;
    for (u32 v = value_of_arguments(m); v || (v = heaviest(m, is_done)); v = 0) {
        is_done[v] = true;
        if (!place(m, v))
            list[n++] = v;
    }
    mem_free(is_done);
    return n;
}

static Model make_model(const Func *f)
{
    Model m = {.f = f};
    const size_t n = f->nvalue;
    m.top = ir_alloc(f->module, f->nblock * sizeof *m.top);
    for (size_t i = 0; i < f->nrpo; i++) {
        m.top[f->rpo[i]] = m.end;
        m.end += 2 * ((u32)f->block[f->rpo[i]].nins + 2);
    }
    m.in = ir_alloc(f->module, n * f->nblock);
    m.out = ir_alloc(f->module, n * f->nblock);
    m.alive = ir_alloc(f->module, n * m.end);
    m.uses = ir_alloc(f->module, n * sizeof *m.uses);
    m.writes = ir_alloc(f->module, n * sizeof(u32));
    m.length = ir_alloc(f->module, n * sizeof(u32));
    m.start = ir_alloc(f->module, n * sizeof(u32));
    m.reg = ir_alloc(f->module, n * sizeof(u32));
    m.again = ir_alloc(f->module, n);
    m.taken = ir_alloc(f->module, NREG);
    for (u32 r = 0; r < NREG; r++) {
        m.owner[r] = ir_alloc(f->module, m.end * sizeof(u32));
        memset(m.owner[r], 0xff, m.end * sizeof(u32));
        fix_register(&m, r);
    }
    for (u32 v = 1; v < n; v++)
        find_ends(&m, v);
    guard_sides(&m);
    for (u32 v = 1; v < n; v++)
        mark_range(&m, v);
    weigh(&m);
    return m;
}

/* --- programs --------------------------------------------------------------------------------- */

/* one in three is a function that calls others */
static Func *linear_program(Module *m, u32 seed)
{
    Func *f = random_noted_program(m, seed, 4 + seed % 9, 3, 1);
    f->is_kernel = seed % 3;
    f->scalar_room = seed % 2 ? WARP_STACK : 4 * (seed % 16);
    if (!f->is_kernel)
        add_calls(f, seed);
    leave_ssa(f);
    verify_remember(f);
    if (seed % 4)
        coalesce(f);
    assert_false(m->failed);
    return f;
}

/* the instructions of `before` with the registers of the model, without moves that do nothing */
static void same_registers(const Model *m, const Func *before, const Func *f, u32 seed)
{
    for (u32 b = 0; b < f->nblock; b++) {
        const Block *k = &before->block[b];
        size_t n = 0;
        for (size_t i = 0; i < k->nins; i++) {
            Ins x = k->ins[i];
            for (int j = 0; j < 3; j++)
                if (x.a[j].kind == R_VAL)
                    x.a[j] = ref_reg(m->reg[x.a[j].val] - 1);
            x.reg = x.dst ? m->reg[x.dst] : x.reg;
            x.dst = 0;
            if (x.op == IR_move && ref_same(x.a[0], ref_reg(x.reg - 1)))
                continue;
            if (n == f->block[b].nins || memcmp(&x, &f->block[b].ins[n], sizeof x))
                fail_msg("program %u, block %u, instruction %zu: other registers", seed, b, i);
            n++;
        }
        assert_int_equal(f->block[b].nins, n);
    }
}

static void spill_values(Func *f, const u32 *list, u32 n)
{
    Ranges r;
    Ins *remat = spill_remat(f);
    assert_true(remat && ranges_build(f, &r) && spill(f, &r, remat, list, n));
    ranges_free(&r);
    mem_free(remat);
}

typedef struct {
    u32 compared, spilled, moved;
} Sums;

/* spare: registers of each bank besides as many as values are alive at once, UINT32_MAX: all.
 * After a round in which values had to be spilled the model begins again with what spill() makes of
 * them. */
static void compare_program(u32 seed, i32 spare, Sums *to)
{
    enum { ROUNDS = 3 };
    CcOptions opt = {.level = 0};
    Module *m = ir_module("test", target_find(0));
    m->opt = &opt;
    Func *f = linear_program(m, seed), *now = verify_copy(f);
    for (u32 round = 0, n = 1; n && round < ROUNDS; round++) {
        Model model = make_model(now);
        u32 *list = ir_alloc(m, now->nvalue * sizeof *list);
        model.opt = &opt;
        if (spare != INT32_MAX && !round) {
            opt.max_x = (u32)((i32)most_alive(&model, BANK_X) + spare);
            opt.max_v = (u32)((i32)most_alive(&model, BANK_V) + spare);
        }
        list_registers(&model);
        n = choose_all(&model, list);
        if (n) {
            spill_values(now, list, n);
            continue;
        }
        allocate(f);
        assert_false(m->failed);
        same_registers(&model, now, f, seed);
        to->compared++;
        to->spilled += round > 0;
        to->moved += model.moved;
    }
    ir_free(m);
}

static void registers_of_the_rule(void **state)
{
    (void)state;
    static const i32 spare[] = {INT32_MAX, INT32_MAX, 0, 1, 2, -1};
    enum { FEW = 24 };
    Sums sums = {0};
    for (u32 seed = 1; seed <= PROGRAMS; seed++) {
        guard_few(seed, FEW);
        compare_program(seed, spare[seed % countof(spare)], &sums);
        guard_end();
    }
    assert_true(sums.compared > PROGRAMS / 2);
    assert_true(sums.spilled > PROGRAMS / 10);
    assert_true(sums.moved > 10);
}

/* --- moves that go ---------------------------------------------------------------------------- */

/* Values become one if they are never alive at the same time, moves of inner loops first. */
static void unite(Model *m, u32 *leader)
{
    const Func *f = m->f;
    for (u32 v = 0; v < f->nvalue; v++)
        leader[v] = v;
    for (u32 depth = 20; depth-- > 0;)
        for (size_t i = 0; i < f->nrpo; i++) {
            const Block *b = &f->block[f->rpo[i]];
            for (size_t n = 0; n < b->nins && b->depth == depth; n++) {
                const Ins *x = &b->ins[n];
                if (x->op != IR_move || !x->dst || x->a[0].kind != R_VAL)
                    continue;
                const u32 v = leader[x->dst], w = leader[x->a[0].val];
                bool apart = v != w && f->value[v].bank == f->value[w].bank;
                u8 *of_v = m->alive + (size_t)v * m->end, *of_w = m->alive + (size_t)w * m->end;
                for (u32 t = 0; t < m->end && apart; t++)
                    apart = !(of_v[t] && of_w[t]);
                for (u32 t = 0; t < m->end && apart; t++)
                    of_v[t] |= of_w[t];
                for (u32 k = 0; k < f->nvalue && apart; k++)
                    leader[k] = leader[k] == w ? v : leader[k];
            }
        }
}

static void moves_of_the_rule(void **state)
{
    (void)state;
    u32 gone = 0;
    for (u32 seed = 1; seed <= PROGRAMS / 4; seed++) {
        Module *m = ir_module("test", target_find(0));
        Func *f = random_program(m, seed, 4 + seed % 9, 3);
        leave_ssa(f);
        const Func *before = verify_copy(f);
        Model model = make_model(before);
        u32 *leader = ir_alloc(m, f->nvalue * sizeof *leader);
        unite(&model, leader);
        coalesce(f);
        assert_false(m->failed);
        for (u32 b = 0; b < f->nblock; b++) {
            size_t n = 0;
            for (size_t i = 0; i < before->block[b].nins; i++) {
                Ins x = before->block[b].ins[i];
                x.dst = leader[x.dst];
                for (int k = 0; k < 3; k++)
                    x.a[k].val = x.a[k].kind == R_VAL ? leader[x.a[k].val] : x.a[k].val;
                if (x.op == IR_move && x.dst && ref_same(x.a[0], ref_val(x.dst))) {
                    gone++;
                    continue;
                }
                if (n == f->block[b].nins || memcmp(&x, &f->block[b].ins[n++], sizeof x))
                    fail_msg("program %u, block %u, instruction %zu", seed, b, i);
            }
            assert_int_equal(n, f->block[b].nins);
            for (int k = 0; k < 2; k++) {
                const Ref r = before->block[b].term.a[k];
                assert_int_equal(f->block[b].term.a[k].val,
                                 r.kind == R_VAL ? leader[r.val] : r.val);
            }
        }
        ir_free(m);
    }
    assert_true(gone > PROGRAMS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_of_the_rule),
        cmocka_unit_test(moves_of_the_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
