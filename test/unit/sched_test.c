/* sched_test.c -- a scheduled block computes what it did before.
 *
 * Random blocks of selected code are executed by a small model, in their order before
 * and after schedule(): every value and every byte of memory must be the same.  Bases
 * overlap, spaces are told or not, so that a store that passed a load of the same word
 * shows.
 */
#include "test/kit/objects.h"
#include "cc/cc.h"

enum { WORDS = 64, BASES = 4, LENGTH = 300 };

static u32 next_random(u64 *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (u32)(*seed >> 33);
}

/* --- the model: one lane ------------------------------------------------------------------ */

typedef struct {
    u32 value[2 * LENGTH + 100];
    u32 memory[2][WORDS]; /* global with local after it, private */
    u32 effects;          /* what atomics have seen, in order */
} State;

static u32 read_ref(const State *s, Ref r)
{
    return r.kind == R_VAL ? s->value[r.val] : r.kind == R_CON ? r.val : 0;
}

static u32 *word_at(State *s, const Ins *i, Ref base, Ref offset)
{
    const u32 at = (read_ref(s, base) + read_ref(s, offset)) / 4;
    assert_true(at < WORDS);
    return &s->memory[i->space == IN_PRIVATE][at];
}

static void step(State *s, const Ins *i)
{
    const u32 a = read_ref(s, i->a[0]), b = read_ref(s, i->a[1]);
    if (i->op == IR_li) {
        s->value[i->dst] = a;
        return;
    }
    switch (ins_row(i)) {
    case I_add:
    case I_vadd_vv: s->value[i->dst] = a + 3 * b + 1; break;
    case I_mul:
    case I_vmul_vv: s->value[i->dst] = a * b + 7; break;
    case I_lw:
    case I_vlw12_v:
    case I_vlw_v: s->value[i->dst] = *word_at(s, i, i->a[1], i->a[0]); break;
    case I_sw:
    case I_vsw12_v:
    case I_vsw_v: *word_at(s, i, i->a[2], i->a[1]) = a; break;
    case I_barrier: s->effects = s->effects * 31 + s->memory[0][0] + s->memory[1][0]; break;
    default: fail_msg("%s", isa_insn[ins_row(i)].text);
    }
}

static void execute(State *s, const Func *f)
{
    *s = (State){0};
    for (size_t k = 0; k < f->block[0].nins; k++)
        step(s, &f->block[0].ins[k]);
}

/* --- blocks ---------------------------------------------------------------------------------- */

typedef struct {
    Func *f;
    u64 seed;
    u32 base[BASES];      /* values: two that overlap, one in local memory, one vector */
    u32 value[2][LENGTH]; /* x, v */
    u32 n[2];
} Maker;

static u32 pick(Maker *k, u32 n) { return next_random(&k->seed) % n; }

static Ref some(Maker *k, bool v) { return ref_val(k->value[v][pick(k, k->n[v])]); }

static u32 add(Maker *k, Ins i, Bank bank)
{
    i.dst = bank == BANK_NONE ? 0 : ir_value_in(k->f, bank);
    if (bank != BANK_NONE)
        k->value[bank == BANK_V][k->n[bank == BANK_V]++] = i.dst;
    ir_append(k->f, 0, &i);
    return i.dst;
}

/* base 0: global at 0, 1: the same at 4, 2: local at 128, 3: v, global at 0, or private */
static void add_access(Maker *k)
{
    static const u8 told[BASES] = {IN_GLOBAL, IN_GLOBAL, IN_LOCAL, IN_GLOBAL};
    const u32 base = pick(k, BASES);
    const bool v = base == 3, private = v && pick(k, 2), store = pick(k, 2);
    const u8 space = private ? IN_PRIVATE : pick(k, 2) ? told[base] : IN_FLAT;
    const Ref offset = ref_con(4 * pick(k, 4)), at = ref_val(k->base[base]);
    const InsnId row = store ? v ? private ? I_vsw_v : I_vsw12_v : I_sw
                       : v   ? private ? I_vlw_v : I_vlw12_v
                             : I_lw;
    Ins i = {.op = (u16)(IR_MACHINE + row), .width = 4, .space = space & 7u, .a = {offset, at}};
    if (store) {
        i.a[0] = some(k, v), i.a[1] = offset, i.a[2] = at;
    }
    add(k, i, store ? BANK_NONE : v ? BANK_V : BANK_X);
}

static void add_arithmetic(Maker *k)
{
    static const u16 row[2][2] = {{I_add, I_mul}, {I_vadd_vv, I_vmul_vv}};
    const bool v = pick(k, 2);
    add(k, (Ins){.op = (u16)(IR_MACHINE + row[v][pick(k, 2)]), .a = {some(k, v), some(k, v)}},
        v ? BANK_V : BANK_X);
}

static Func *make_block(Module *m, u64 seed)
{
    static const u32 at[BASES] = {0, 4, 128, 0};
    Maker k = {.f = ir_func(m, "k", true), .seed = seed};
    ir_block(k.f);
    for (u32 i = 0; i < BASES; i++)
        k.base[i] = add(&k, (Ins){.op = IR_li, .a = {ref_con(at[i])}}, i == 3 ? BANK_V : BANK_X);
    const u32 length = pick(&k, LENGTH - BASES);
    for (u32 i = 0; i < length; i++)
        if (!pick(&k, 40))
            add(&k, (Ins){.op = IR_MACHINE + I_barrier, .a = {ref_con(1)}}, BANK_NONE);
        else if (pick(&k, 2))
            add_access(&k);
        else
            add_arithmetic(&k);
    ir_ret(k.f, 0);
    graph_build(k.f);
    return k.f;
}

static void same_result(void **state)
{
    (void)state;
    static State before, after;
    size_t moved = 0;
    for (u64 seed = 1; seed <= 400; seed++) {
        Module *m = ir_module("t.cl", target_find(0));
        Func *f = make_block(m, seed);
        const size_t n = f->block[0].nins;
        Ins *old = ir_alloc(m, n * sizeof *old);
        memcpy(old, f->block[0].ins, n * sizeof *old);
        execute(&before, f);
        schedule(f);
        assert_false(m->failed);
        assert_int_equal(f->block[0].nins, n);
        execute(&after, f);
        assert_memory_equal(&before, &after, sizeof before);
        moved += memcmp(old, f->block[0].ins, n * sizeof *old) != 0;
        ir_free(m);
    }
    assert_true(moved > 200);
}

/* the two loads come first, both sums after them */
static void loads_go_early(void **state)
{
    (void)state;
    Module *m = ir_module("t.cl", target_find(0));
    Maker k = {.f = ir_func(m, "k", true)};
    ir_block(k.f);
    const u32 base = add(&k, (Ins){.op = IR_li, .a = {ref_con(0)}}, BANK_X);
    for (u32 i = 0; i < 2; i++) {
        const u32 v = add(
            &k, (Ins){.op = IR_MACHINE + I_lw, .width = 4, .a = {ref_con(4 * i), ref_val(base)}},
            BANK_X);
        add(&k, (Ins){.op = IR_MACHINE + I_add, .a = {ref_val(v), ref_val(v)}}, BANK_X);
    }
    ir_ret(k.f, 0);
    graph_build(k.f);
    schedule(k.f);
    static const u16 want[] = {IR_li, IR_MACHINE + I_lw, IR_MACHINE + I_lw, IR_MACHINE + I_add,
                               IR_MACHINE + I_add};
    for (size_t i = 0; i < countof(want); i++)
        assert_int_equal(k.f->block[0].ins[i].op, want[i]);
    ir_free(m);
}

/* --- the rule --------------------------------------------------------------------------------- */

enum { PIECE = 256, MANY_X = 16, MANY_V = 20, LOAD_CYCLES = 24, BODY = 290, USES = 3 * BODY + 200 };

/* Rows without memory: bank, how many operands, cycles until the result is there (a load takes
 * 24). */
static const struct {
    u16 op;
    bool v;
    u8 sources, cycles;
} kinds[] = {
    {IR_li, false, 0, 1},
    {IR_cmov, false, 3, 1},
    {IR_MACHINE + I_add, false, 2, 2},
    {IR_MACHINE + I_addi, false, 1, 2},
    {IR_MACHINE + I_mul, false, 2, 4},
    {IR_MACHINE + I_div, false, 2, 12},
    {IR_MACHINE + I_fadd_s, false, 2, 4},
    {IR_MACHINE + I_vid_v, true, 0, 2},
    {IR_MACHINE + I_vadd_vv, true, 2, 2},
    {IR_MACHINE + I_vmul_vv, true, 2, 4},
    {IR_MACHINE + I_vfadd_vv, true, 2, 4},
    {IR_MACHINE + I_vfdiv_vv, true, 2, 12},
};

typedef struct {
    Func *f;
    u64 seed;
    u32 b, reach; /* operands are among the last `reach` values */
    u32 rare;     /* one in so many instructions is one that others may not pass */
    u32 value[2][USES], n[2];
} Filler;

static u32 choice(Filler *k, u32 n) { return next_random(&k->seed) % n; }

static Ref recent(Filler *k, bool v)
{
    const u32 reach = k->reach < k->n[v] ? k->reach : k->n[v];
    return ref_val(k->value[v][k->n[v] - 1 - choice(k, reach)]);
}

static void fill(Filler *k, Ins i, bool has_result, bool v)
{
    if (has_result)
        k->value[v][k->n[v]++] = i.dst = ir_value_in(k->f, v ? BANK_V : BANK_X);
    ir_append(k->f, k->b, &i);
}

static void fill_access(Filler *k)
{
    const bool v = choice(k, 2), store = choice(k, 3) == 0;
    const Ref base = choice(k, 3) ? ref_val(k->value[v][choice(k, 2)]) : recent(k, v);
    const Ref at = choice(k, 12) ? ref_con(choice(k, 9)) : ref_sym(0);
    Ins i = {.op = (u16)(IR_MACHINE + (store ? v ? I_vsw12_v : I_sw
                                       : v   ? I_vlw12_v
                                             : I_lw)),
             .width = (u8)(1 << choice(k, 3)),
             .space = choice(k, 5) & 7u,
             .is_volatile = choice(k, k->rare) == 0,
             .a = {at, base}};
    if (store)
        i.a[0] = recent(k, v), i.a[1] = at, i.a[2] = base;
    fill(k, i, !store, v);
}

static void fill_cut(Filler *k)
{
    switch (choice(k, 4)) {
    case 0: fill(k, (Ins){.op = IR_MACHINE + I_barrier, .a = {ref_con(1)}}, false, false); break;
    case 1:
        fill(k, (Ins){.op = IR_use, .a = {recent(k, false), recent(k, true)}}, false, false);
        break;
    case 2:
        fill(k, (Ins){.op = IR_copy, .reg = V0 + 2, .a = {recent(k, true)}}, false, true);
        break;
    default: fill(k, (Ins){.op = IR_copy, .a = {ref_reg(V0 + choice(k, 2))}}, true, true);
    }
}

/* What names x0 or the base of the private frame is no cut. */
static void fill_some(Filler *k)
{
    const u32 what = choice(k, 80);
    if (choice(k, k->rare) == 0) {
        fill_cut(k);
    } else if (what < 2) {
        fill(k, (Ins){.op = IR_MACHINE + I_add, .a = {recent(k, false), ref_reg(0)}}, true, false);
    } else if (what == 2) {
        const Ref frame = ref_reg(k->f->module->target->frame);
        fill(k, (Ins){.op = IR_MACHINE + I_vadd_vv, .a = {recent(k, true), frame}}, true, true);
    } else if (what < 30) {
        fill_access(k);
    } else {
        const u32 kind = choice(k, countof(kinds));
        Ins i = {.op = kinds[kind].op};
        for (u32 n = 0; n < kinds[kind].sources; n++)
            i.a[n] = recent(k, kinds[kind].v);
        if (i.op == IR_li)
            i.a[0] = ref_con(choice(k, 9));
        fill(k, i, true, kinds[kind].v);
    }
}

/* b0 branches round b1 to b2, which has a phi; values are read behind where they are made, too. */
static Func *fill_function(Module *m, u64 seed)
{
    Filler k = {.f = ir_func(m, "k", true),
                .seed = seed,
                .reach = seed % 3 ? 80 : 4,
                .rare = seed % 4 ? 60 : 3000};
    for (u32 b = 0; b < 3; b++)
        ir_block(k.f);
    for (u32 n = 0; n < 2; n++) {
        fill(&k, (Ins){.op = IR_li, .a = {ref_con(n)}}, true, false);
        fill(&k, (Ins){.op = IR_MACHINE + I_vid_v}, true, true);
    }
    for (k.b = 0; k.b < 3; k.b++)
        for (u32 n = k.b == 0 ? BODY : choice(&k, 60); n-- > 0 && k.f->block[k.b].nins < BODY;)
            fill_some(&k);
    ir_branch(k.f, 0, CMP_lt, recent(&k, false), ref_val(k.value[0][5]), 1, 2, 0);
    ir_jump(k.f, 1, 2);
    ir_ret(k.f, 2);
    graph_preds(k.f);
    Phi *p = ir_phi(k.f, 2, ir_value_in(k.f, BANK_V));
    p->arg[0] = ref_val(k.value[1][3]);
    p->arg[1] = ref_val(k.value[1][7]);
    graph_build(k.f);
    return k.f;
}

typedef struct {
    const Func *f;
    u32 uses[2 * USES]; /* of each value: that are left in the function */
    u32 alive[2];
    const Ins *piece[PIECE];
    u32 n;
} Rule;

static bool is_load_row(const Ins *i)
{
    return i->op == IR_MACHINE + I_lw || i->op == IR_MACHINE + I_vlw12_v;
}
static bool is_store_row(const Ins *i)
{
    return i->op == IR_MACHINE + I_sw || i->op == IR_MACHINE + I_vsw12_v;
}

static bool is_barred(const Ins *i, const Target *t)
{
    if (i->reg || i->op == IR_use || i->op == IR_MACHINE + I_barrier || i->is_volatile)
        return true;
    for (int a = 0; a < 3; a++)
        if (i->a[a].kind == R_REG && i->a[a].val != 0 && i->a[a].val != t->frame)
            return true;
    return false;
}

static u32 cycles_of(const Ins *i)
{
    if (is_load_row(i))
        return LOAD_CYCLES;
    for (u32 k = 0; k < countof(kinds); k++)
        if (kinds[k].op == i->op)
            return kinds[k].cycles;
    return is_store_row(i) ? 2 : 1;
}

/* Constant memory, private memory and the rest are apart; of the rest, global and local memory,
 * unless it is not known which. */
static bool meet(const Ins *a, const Ins *b)
{
    const u32 s = a->space, t = b->space;
    if (s != t && !((s == IN_FLAT && (t == IN_GLOBAL || t == IN_LOCAL)) ||
                    (t == IN_FLAT && (s == IN_GLOBAL || s == IN_LOCAL))))
        return false;
    const Ref *x = is_store_row(a) ? a->a + 1 : a->a, *y = is_store_row(b) ? b->a + 1 : b->a;
    if (x[0].kind != R_CON || y[0].kind != R_CON || x[1].val != y[1].val)
        return true;
    for (u32 k = x[0].val; k < x[0].val + a->width; k++)
        if (k >= y[0].val && k < y[0].val + b->width)
            return true;
    return false;
}

static bool must_wait(const Ins *i, const Ins *earlier)
{
    for (int a = 0; a < 3; a++)
        if (earlier->dst && i->a[a].kind == R_VAL && i->a[a].val == earlier->dst)
            return true;
    const bool store = is_store_row(i), stored = is_store_row(earlier);
    return (store || is_load_row(i)) && (stored || is_load_row(earlier)) && (store || stored) &&
           meet(i, earlier);
}

/* How many more values of a bank are alive once the instruction is done. */
static int growth(const Rule *r, const Ins *i, Bank bank)
{
    int n = i->dst && r->f->value[i->dst].bank == bank;
    for (int a = 0; a < 3; a++) {
        u32 times = 1;
        bool again = false;
        for (int b = 0; b < a; b++)
            again |= ref_same(i->a[a], i->a[b]);
        for (int b = a + 1; b < 3; b++)
            times += ref_same(i->a[a], i->a[b]);
        if (i->a[a].kind == R_VAL && !again && r->f->value[i->a[a].val].bank == bank)
            n -= r->uses[i->a[a].val] == times;
    }
    return n;
}

static void done(Rule *r, const Ins *i)
{
    const int n[2] = {growth(r, i, BANK_X), growth(r, i, BANK_V)};
    for (int k = 0; k < 2; k++)
        r->alive[k] = n[k] < 0 && (u32)-n[k] > r->alive[k] ? 0 : r->alive[k] + (u32)n[k];
    for (int a = 0; a < 3; a++)
        if (i->a[a].kind == R_VAL)
            r->uses[i->a[a].val]--;
}

static bool goes_first(const Rule *r, const Ins *a, u32 height_a, const Ins *b, u32 height_b)
{
    if (r->alive[1] >= MANY_V && growth(r, a, BANK_V) != growth(r, b, BANK_V))
        return growth(r, a, BANK_V) < growth(r, b, BANK_V);
    if (r->alive[0] >= MANY_X && growth(r, a, BANK_X) != growth(r, b, BANK_X))
        return growth(r, a, BANK_X) < growth(r, b, BANK_X);
    return height_a > height_b;
}

static void order_piece(Rule *r, const Ins **to)
{
    u32 height[PIECE], waits[PIECE];
    bool is_done[PIECE] = {false};
    for (u32 k = r->n; k-- > 0;) {
        height[k] = 0;
        waits[k] = 0;
        for (u32 j = k + 1; j < r->n; j++)
            if (height[j] > height[k] && must_wait(r->piece[j], r->piece[k]))
                height[k] = height[j];
        for (u32 j = 0; j < k; j++)
            waits[k] += must_wait(r->piece[k], r->piece[j]);
        height[k] += cycles_of(r->piece[k]);
    }
    for (u32 n = 0; n < r->n; n++) {
        u32 best = r->n;
        for (u32 k = 0; k < r->n; k++)
            if (!is_done[k] && !waits[k] &&
                (best == r->n ||
                 goes_first(r, r->piece[k], height[k], r->piece[best], height[best])))
                best = k;
        is_done[best] = true;
        for (u32 k = best + 1; k < r->n; k++)
            waits[k] -= must_wait(r->piece[k], r->piece[best]);
        done(r, r->piece[best]);
        to[n] = r->piece[best];
    }
    r->n = 0;
}

static void order_block(Rule *r, const Ins *old, size_t n, const Ins **to)
{
    r->alive[0] = r->alive[1] = 0;
    for (size_t k = 0; k < n; k++) {
        const bool barred = is_barred(&old[k], r->f->module->target);
        if (barred || r->n == PIECE)
            order_piece(r, to + k - r->n);
        to[k] = &old[k];
        if (barred)
            done(r, &old[k]);
        else
            r->piece[r->n++] = &old[k];
    }
    order_piece(r, to + n - r->n);
}

static void count_ref(Rule *r, Ref a) { r->uses[a.val] += a.kind == R_VAL; }

static void count_function(Rule *r)
{
    for (u32 b = 0; b < 3; b++)
        for (size_t i = 0; i < r->f->block[b].nins; i++)
            for (int a = 0; a < 3; a++)
                count_ref(r, r->f->block[b].ins[i].a[a].kind == R_VAL ? r->f->block[b].ins[i].a[a]
                                                                      : ref_none());
    for (int a = 0; a < 2; a++) {
        count_ref(r, r->f->block[0].term.a[a]);
        count_ref(r, r->f->block[2].phi[0].arg[a]);
    }
}

/* Among those that may come next, while few values are alive, the one farthest from the end of its
 * piece; when many are, the one that leaves the fewest: the same order by a model that takes each
 * step from the start. */
static void order_of_the_rule(void **state)
{
    (void)state;
    static Rule r;
    static const Ins *to[3][BODY];
    static Ins old[3][BODY];
    for (u64 seed = 1; seed <= 60; seed++) {
        Module *m = ir_module("t.cl", target_find(0));
        ir_sym(m, "s", SYM_EXTERN);
        Func *f = fill_function(m, seed);
        r = (Rule){.f = f};
        count_function(&r);
        for (u32 b = 0; b < 3; b++) {
            memcpy(old[b], f->block[b].ins, f->block[b].nins * sizeof(Ins));
            order_block(&r, old[b], f->block[b].nins, to[b]);
        }
        schedule(f);
        assert_false(m->failed);
        for (u32 b = 0; b < 3; b++)
            for (size_t i = 0; i < f->block[b].nins; i++)
                if (memcmp(&f->block[b].ins[i], to[b][i], sizeof(Ins)))
                    fail_msg("program %llu, block %u: another instruction is number %zu",
                             (unsigned long long)seed, b, i);
        ir_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_result),
        cmocka_unit_test(loads_go_early),
        cmocka_unit_test(order_of_the_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
