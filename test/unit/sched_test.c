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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_result),
        cmocka_unit_test(loads_go_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
