/* cc_test.c -- random programs through all passes.
 *
 * Programs of nested branches and loops in the generic representation, with uniform
 * and divergent values mixed, are executed by a small interpreter, one work-item after
 * the other, and by the simulator after compilation at every level, with few registers
 * and with registers chosen at random.  All words that come out must be the same.
 */
#include "test/kit/guard.h"
#include "test/kit/leftover.h"
#include "test/kit/objects.h"
#include "cc/cc.h"
#include "drv/drv.h"
#include "link/link.h"

enum { ITEMS = 48, VARS = 7, DEPTH = 4, SLOT_WORDS = 4, BLOCKS = 400 };

static u32 next_random(u64 *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (u32)(*seed >> 33);
}

/* --- making programs -------------------------------------------------------------------- */

/* var[]: the values that the variables have at the place that is being written */
typedef struct {
    Module *m;
    Func *f;
    u64 seed;
    u32 b; /* block being written */
    Ref var[VARS];
    Ref in, slot;
    u32 loc;
    u64 notes; /* 0: nobody is told what the variables are */
} Maker;

static u32 pick(Maker *k, u32 n) { return next_random(&k->seed) % n; }

static Ref op(Maker *k, IrOp o, Ref x, Ref y, Ref z)
{
    return ref_val(ir_op(k->f, k->b, o, x, y, z, k->loc));
}

static Ref op2(Maker *k, IrOp o, Ref x, Ref y) { return op(k, o, x, y, ref_none()); }

static Ref csr(Maker *k, i32 number)
{
    Ins i = {.op = IR_csr, .imm = number, .dst = ir_value(k->f)};
    ir_append(k->f, k->b, &i);
    return ref_val(i.dst);
}

static Ref load(Maker *k, Space space, Ref at)
{
    Ins i = {.op = IR_load, .width = 4, .space = space & 7u, .dst = ir_value(k->f), .a = {at}};
    ir_append(k->f, k->b, &i);
    return ref_val(i.dst);
}

static void store(Maker *k, Space space, Ref value, Ref at)
{
    Ins i = {.op = IR_store, .width = 4, .space = space & 7u, .a = {value, at}};
    ir_append(k->f, k->b, &i);
}

static Ref some(Maker *k)
{
    static const u32 corner[] = {0,   1,    2,    15,         16,         31,
                                 255, 2047, 2048, 0x7fffffff, 0x80000000, 0xffffffff};
    if (pick(k, 4))
        return k->var[pick(k, VARS)];
    return ref_con(pick(k, 2) ? corner[pick(k, countof(corner))] : pick(k, 100000));
}

/* Tells now and then what a variable is, also of a sum, or of some of its bits. */
static void tell(Maker *k, u32 v)
{
    if (!k->notes || next_random(&k->notes) % 4 == 0)
        return;
    Note n = {.part = v, .is = k->var[v]};
    const u32 how = next_random(&k->notes) % 8;
    if (how == 0)
        n.plus = (i32)next_random(&k->notes) % 1000;
    if (how == 1)
        n.bits = (u8)(8 + next_random(&k->notes) % 24), n.is_signed = next_random(&k->notes) % 2;
    if (how == 2)
        n.is = ref_none();
    ir_append(k->f, k->b, &(Ins){.op = IR_note, .imm = (i32)ir_note(k->f, n)});
}

static void assign(Maker *k, Ref value)
{
    const u32 v = pick(k, VARS);
    k->var[v] = value;
    tell(k, v);
}

static void arithmetic(Maker *k)
{
    static const IrOp ops[] = {IR_add, IR_sub,  IR_mul, IR_mulh, IR_mulhu, IR_div, IR_divu,
                               IR_rem, IR_remu, IR_and, IR_or,   IR_xor,   IR_sll, IR_srl,
                               IR_sra, IR_min,  IR_max, IR_minu, IR_maxu,  IR_eq,  IR_ne,
                               IR_lt,  IR_ge,   IR_ltu, IR_geu,  IR_add,   IR_add};
    if (pick(k, 8))
        assign(k, op2(k, ops[pick(k, countof(ops))], some(k), some(k)));
    else
        assign(k, op(k, IR_select, op2(k, IR_lt, some(k), some(k)), some(k), some(k)));
}

/* base + 4 * (v mod words), words a power of two */
static Ref element(Maker *k, Ref base, u32 words)
{
    const Ref index = op2(k, IR_and, some(k), ref_con(words - 1));
    return op2(k, IR_add, base, op2(k, IR_sll, index, ref_con(2)));
}

static void memory(Maker *k)
{
    const bool private = pick(k, 2);
    if (private && pick(k, 2))
        store(k, IN_PRIVATE, some(k), element(k, k->slot, SLOT_WORDS));
    else if (private)
        assign(k, load(k, IN_PRIVATE, element(k, k->slot, SLOT_WORDS)));
    else
        assign(k, load(k, IN_GLOBAL, element(k, k->in, 16)));
}

/* a variable per phi; dst are values that exist already, or 0 for new ones */
static void add_phi(Maker *k, u32 b, u32 dst, const u32 *from, const Ref *arg, size_t n)
{
    graph_preds(k->f);
    Phi *p = ir_phi(k->f, b, dst);
    const Block *block = &k->f->block[b];
    assert_int_equal(block->npred, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (block->pred[i] == from[j])
                p->arg[i] = arg[j];
}

static void join_vars(Maker *k, u32 b, const u32 *from, Ref (*var)[VARS], size_t n)
{
    for (u32 v = 0; v < VARS; v++) {
        Ref arg[3];
        bool same = true;
        for (size_t i = 0; i < n; i++) {
            arg[i] = var[i][v];
            same &= ref_same(arg[i], arg[0]);
        }
        k->var[v] = arg[0];
        if (same)
            continue;
        k->var[v] = ref_val(ir_value(k->f));
        add_phi(k, b, k->var[v].val, from, arg, n);
    }
    k->b = b;
}

static void statements(Maker *k, u32 depth);

static Cmp some_cmp(Maker *k) { return (Cmp)pick(k, 6); }

static void if_else(Maker *k, u32 depth)
{
    const u32 then = ir_block(k->f), otherwise = ir_block(k->f), end = ir_block(k->f);
    Ref var[2][VARS], before[VARS];
    u32 from[2];
    ir_branch(k->f, k->b, some_cmp(k), some(k), some(k), then, otherwise, 0);
    memcpy(before, k->var, sizeof before);
    for (u32 side = 0; side < 2; side++) {
        memcpy(k->var, before, sizeof before);
        k->b = side ? otherwise : then;
        statements(k, depth + 1);
        from[side] = k->b;
        memcpy(var[side], k->var, sizeof k->var);
        ir_jump(k->f, k->b, end);
    }
    join_vars(k, end, from, var, 2);
}

/* at most (some & 7) + 1 rounds; may be left in the middle as well */
static void loop(Maker *k, u32 depth)
{
    Func *f = k->f;
    const u32 before = k->b, head = ir_block(f), rest = ir_block(f), latch = ir_block(f),
              end = ir_block(f);
    const Ref count = op2(k, IR_and, some(k), ref_con(7));
    Ref start[VARS], left[2][VARS];
    u32 phi[VARS], from[2];
    ir_jump(f, before, head);
    memcpy(start, k->var, sizeof start);
    for (u32 v = 0; v < VARS; v++)
        k->var[v] = ref_val(phi[v] = ir_value(f));
    const u32 counter = ir_value(f);
    k->b = head;
    statements(k, depth + 1);
    from[0] = k->b;
    memcpy(left[0], k->var, sizeof k->var);
    ir_branch(f, k->b, some_cmp(k), some(k), some(k), end, rest, 0);
    k->b = rest;
    statements(k, depth + 1);
    from[1] = k->b;
    memcpy(left[1], k->var, sizeof k->var);
    ir_branch(f, k->b, CMP_ltu, ref_val(counter), count, latch, end, 0);
    k->b = latch;
    const Ref next = op2(k, IR_add, ref_val(counter), ref_con(1));
    ir_jump(f, latch, head);
    const u32 into[2] = {before, latch};
    for (u32 v = 0; v < VARS; v++)
        add_phi(k, head, phi[v], into, (const Ref[]){start[v], k->var[v]}, 2);
    add_phi(k, head, counter, into, (const Ref[]){ref_con(0), next}, 2);
    join_vars(k, end, from, left, 2);
}

static void statements(Maker *k, u32 depth)
{
    const u32 n = 1 + pick(k, 5);
    for (u32 i = 0; i < n; i++) {
        const u32 what = depth < DEPTH && k->f->nblock < BLOCKS ? pick(k, 10) : 2 + pick(k, 8);
        if (what == 0)
            loop(k, depth);
        else if (what == 1)
            if_else(k, depth);
        else if (what < 4)
            memory(k);
        else
            arithmetic(k);
    }
}

/* An array of integers. */
static void declare_variables(Func *f)
{
    static const SourceType types[] = {{.size = 0},
                                       {TYPE_BASE, 5, "int", 4, 0, 0},
                                       {TYPE_ARRAY, 0, NULL, 4 * VARS, 1, VARS}};
    Module *m = f->module;
    for (u32 k = 0; k < countof(types) && ir_grow(m, m->type, m->ntype, m->captype); k++)
        m->type[m->ntype++] = types[k];
    if (ir_grow(f->module, f->variable, f->nvariable, f->capvariable))
        f->variable[f->nvariable++] = (SourceVariable){.name = "v", .type = 2, .slot = NO_SLOT};
    for (u32 v = 0; v < VARS; v++)
        if (ir_grow(f->module, f->part, f->npart, f->cappart))
            f->part[f->npart++] = (SourcePart){0, 4 * v, 4};
}

/* out[i] = mix of all variables, arguments: in, out */
static Module *make_told_program(u64 seed, u64 notes)
{
    Maker k = {.m = ir_module("t.cl", target_find(0)), .seed = seed, .notes = notes};
    k.f = ir_func(k.m, "k", true);
    if (notes)
        declare_variables(k.f);
    k.b = ir_block(k.f);
    const Ref args = op(&k, IR_argbase, ref_none(), ref_none(), ref_none());
    const Ref item =
        op2(&k, IR_add, csr(&k, 0x800), op(&k, IR_lane, ref_none(), ref_none(), ref_none()));
    k.in = load(&k, IN_CONST, args);
    const Ref out = load(&k, IN_CONST, op2(&k, IR_add, args, ref_con(4)));
    k.slot = ref_slot(ir_slot(k.f, 4 * SLOT_WORDS, 4));
    for (u32 v = 0; v < VARS; v++)
        k.var[v] = v == 0 ? item : v == 1 ? csr(&k, 0x805) : ref_con(pick(&k, 100));
    for (u32 i = 0; i < SLOT_WORDS; i++)
        store(&k, IN_PRIVATE, ref_con(i), op2(&k, IR_add, k.slot, ref_con(4 * i)));
    for (u32 i = 0; i < 6; i++)
        statements(&k, 0);
    Ref sum = ref_con(1);
    for (u32 v = 0; v < VARS; v++)
        sum = op2(&k, IR_add, op2(&k, IR_mul, sum, ref_con(31)), k.var[v]);
    store(&k, IN_GLOBAL, sum, op2(&k, IR_add, out, op2(&k, IR_sll, item, ref_con(2))));
    ir_ret(k.f, k.b);
    graph_build(k.f);
    assert_false(k.m->failed);
    return k.m;
}

static Module *make_program(u64 seed) { return make_told_program(seed, 0); }

/* --- the interpreter: one work-item --------------------------------------------------------- */

enum { ARGS_AT = 0x1000, IN_AT = 0x2000, OUT_AT = 0x3000, SLOT_AT = 0x4000 };

/* What the last note on the way says of a variable. */
typedef struct {
    u32 is_known, value;
} Told;

typedef struct {
    const Func *f;
    const u32 *in;
    u32 *value;
    u32 slot[SLOT_WORDS], item, out;
    Told told[VARS];
    Buf *log; /* what is told of all variables at each store, or NULL */
} Item;

static u32 read_ref(const Item *s, Ref r)
{
    return r.kind == R_VAL ? s->value[r.val] : r.kind == R_SLOT ? SLOT_AT + (u32)r.off : r.val;
}

static u32 read_memory(const Item *s, u32 at)
{
    if (at < IN_AT)
        return at == ARGS_AT ? IN_AT : OUT_AT;
    return at < OUT_AT ? s->in[(at - IN_AT) / 4] : s->slot[(at - SLOT_AT) / 4];
}

static void write_memory(Item *s, u32 at, u32 value)
{
    if (s->log)
        buf_put(s->log, s->told, sizeof s->told);
    if (at < SLOT_AT)
        s->out = value;
    else
        s->slot[(at - SLOT_AT) / 4] = value;
}

static void hear(Item *s, const Note *n)
{
    const u32 sum = read_ref(s, n->is) + (u32)n->plus, left = n->bits ? 32u - n->bits : 0;
    const u32 value = n->is_signed ? (u32)((i32)(sum << left) >> left) : sum << left >> left;
    s->told[n->part] = n->is.kind == R_NONE ? (Told){0} : (Told){1, value};
}

static void step(Item *s, const Ins *i)
{
    const u32 a = read_ref(s, i->a[0]), b = read_ref(s, i->a[1]), c = read_ref(s, i->a[2]);
    switch (i->op) {
    case IR_argbase: s->value[i->dst] = ARGS_AT; break;
    case IR_csr: s->value[i->dst] = i->imm == 0x800 ? s->item & ~31u : s->item / 32; break;
    case IR_lane: s->value[i->dst] = s->item & 31; break;
    case IR_load: s->value[i->dst] = read_memory(s, a + (u32)i->imm); break;
    case IR_store: write_memory(s, b + (u32)i->imm, a); break;
    case IR_select: s->value[i->dst] = a ? b : c; break;
    case IR_copy: s->value[i->dst] = a; break;
    case IR_note: hear(s, &s->f->note[i->imm]); break;
    default: s->value[i->dst] = op_eval(ir_info[i->op].eval, a, b);
    }
}

static bool holds(Cmp cmp, u32 a, u32 b)
{
    const bool is[] = {a == b, a != b, (i32)a < (i32)b, (i32)a >= (i32)b, a < b, a >= b};
    return is[cmp];
}

static void enter(Item *s, u32 from, u32 to, u32 *scratch)
{
    const Block *b = &s->f->block[to];
    size_t k = 0;
    while (k < b->npred && b->pred[k] != from)
        k++;
    for (size_t p = 0; p < b->nphi; p++)
        scratch[p] = read_ref(s, b->phi[p].arg[k]);
    for (size_t p = 0; p < b->nphi; p++)
        s->value[b->phi[p].dst] = scratch[p];
}

static void interpret(const Func *f, const u32 *in, u32 *out, Buf *log)
{
    u32 *value = calloc(f->nvalue, 4), scratch[64];
    for (u32 item = 0; item < ITEMS; item++) {
        Item s = {.f = f, .in = in, .value = value, .item = item, .log = log};
        for (u32 b = 0;;) {
            const Block *k = &f->block[b];
            for (size_t i = 0; i < k->nins; i++)
                step(&s, &k->ins[i]);
            if (k->term.kind == T_RET)
                break;
            const bool second =
                k->term.kind == T_BRANCH &&
                !holds(k->term.cmp, read_ref(&s, k->term.a[0]), read_ref(&s, k->term.a[1]));
            enter(&s, b, k->term.succ[second], scratch);
            b = k->term.succ[second];
        }
        out[item] = s.out;
    }
    free(value);
}

/* --- compiled ------------------------------------------------------------------------ */

static Object *image_of(Module *m, const CcOptions *opt)
{
    Caught c;
    catch_in(&c);
    Object *o = cc_compile(m, opt, &c.d);
    expect_silence(&c);
    assert_non_null(o);
    Object *image =
        link_program((const Object *const *)&o, 1, &(LinkOptions){.output = "t.elf"}, &c.d);
    expect_silence(&c);
    obj_free(o);
    return image;
}

static void simulate(Object *image, const u32 *in, u32 *out, u64 seed)
{
    Caught c;
    catch_in(&c);
    DeviceOptions dev = dev_defaults();
    Driver *d = drv_open(&dev);
    u64 from = 0, to = 0;
    assert_int_equal(drv_load(d, image, &c.d), DRV_OK);
    assert_int_equal(drv_alloc(d, 64, &from), DRV_OK);
    assert_int_equal(drv_alloc(d, ITEMS * 4, &to), DRV_OK);
    assert_int_equal(drv_write(d, from, in, 64), DRV_OK);
    const u32 value[] = {(u32)from, (u32)to};
    const DrvArg args[] = {{.size = 4, .align = 4, .value = &value[0]},
                           {.size = 4, .align = 4, .value = &value[1]}};
    const DrvKernel launch = {.kernel = "k",
                              .dims = 1,
                              .global = {ITEMS, 1, 1},
                              .local = {ITEMS, 1, 1},
                              .args = args,
                              .nargs = 2,
                              .max_insns = 100000000};
    DrvResult r;
    if (drv_run(d, &launch, &r) != DRV_OK) {
        Buf why = {0};
        drv_last_error(d, &why);
        fail_msg("program %llu: %s", (unsigned long long)seed, buf_text(&why));
    }
    assert_int_equal(drv_read(d, to, out, ITEMS * 4), DRV_OK);
    drv_close(d);
}

static const CcOptions how[] = {
    {.level = 0},
    {.level = 1},
    {.level = 2, .lines = true},
    {.level = 2, .max_x = 8, .max_v = 8},
    {.level = 2, .seed = 1},
    {.level = 2, .off = "fold,coalesce"},
};

static void all_levels_agree(void **state)
{
    (void)state;
    u32 in[16], want[ITEMS], got[ITEMS];
    unsigned long long first = 1, last = 150;
    const char *seeds = getenv("CC_TEST_SEED"); /* FIRST[-LAST] */
    if (seeds && sscanf(seeds, "%llu-%llu", &first, &last) < 2)
        last = first;
    for (u32 i = 0; i < 16; i++)
        in[i] = i * 0x01234567 ^ i << 7;
    for (u64 seed = first; seed <= last; seed++)
        for (size_t k = 0; k < countof(how); k++) {
            Module *m = make_program(seed);
            m->is_checked = seed % 2;
            interpret(m->func[0], in, want, NULL);
            simulate(image_of(m, &how[k]), in, got, seed);
            for (u32 i = 0; i < ITEMS; i++)
                if (got[i] != want[i])
                    fail_msg("program %llu, options %zu, item %u: %08x, should be %08x",
                             (unsigned long long)seed, k, i, got[i], want[i]);
            ir_free(m);
        }
}

/* What is told of variables is true behind each pass on generic code, of all work-items wherever
 * they store; of most that is known before, something is told. */
static void notes_stay_true(void **state)
{
    static const struct {
        const char *name;
        void (*run)(Func *f);
    } passes[] = {{"fold", fold},           {"strength", strength},  {"chain", chain_sums},
                  {"carry", carry},         {"fold again", fold},    {"sink", sink},
                  {"meet", meet_in_loops},  {"uniform", uniform},    {"counters", counters}};
    u32 in[16], want[ITEMS], got[ITEMS], known = 0, kept = 0;
    (void)state;
    for (u32 i = 0; i < 16; i++)
        in[i] = i * 0x01234567 ^ i << 7;
    for (u64 seed = 1; seed <= 40; seed++) {
        Buf before = {0};
        Module *m = make_told_program(seed, seed);
        interpret(m->func[0], in, want, &before);
        for (size_t k = 0; k < countof(passes); k++) {
            Buf after = {0};
            passes[k].run(m->func[0]);
            graph_build(m->func[0]);
            assert_false(m->failed);
            interpret(m->func[0], in, got, &after);
            assert_memory_equal(got, want, sizeof want);
            assert_int_equal(after.len, before.len);
            const Told *a = (const Told *)before.data, *b = (const Told *)after.data;
            for (size_t i = 0; i < before.len / sizeof *a; i++) {
                if (b[i].is_known && (!a[i].is_known || a[i].value != b[i].value))
                    fail_msg("program %llu, %s: v%zu is told to be %08x, and is %s%08x",
                             (unsigned long long)seed, passes[k].name, i % VARS, b[i].value,
                             a[i].is_known ? "" : "not known: ", a[i].value);
                known += a[i].is_known;
                kept += b[i].is_known;
            }
            buf_free(&after);
        }
        buf_free(&before);
        ir_free(m);
    }
    assert_true(kept >= known / 100 * 95);
}

/* A value that nothing else reads is told as the sum of one that stays and a constant, or not at
 * all; of a sum, or some bits, as before. */
static void notes_of_what_is_not_needed(void **state)
{
    (void)state;
    Module *m = ir_module("t.cl", target_find(0));
    Func *f = ir_func(m, "k", true);
    const Ref none = ref_none();
    const u32 b = ir_block(f), unread = ir_op(f, b, IR_csr, none, none, none, 0);
    f->block[b].ins[0].imm = 0x805;
    const u32 lane = ir_op(f, b, IR_lane, none, none, none, 0),
              five = ir_op(f, b, IR_add, ref_val(lane), ref_con(5), none, 0),
              three = ir_op(f, b, IR_sub, ref_val(five), ref_con(2), none, 0),
              thrice = ir_op(f, b, IR_mul, ref_val(lane), ref_con(3), none, 0),
              sum = ir_op(f, b, IR_add, ref_val(lane), ref_val(thrice), none, 0),
              most = ir_op(f, b, IR_add, ref_val(unread), ref_con(1), none, 0);
    const Note notes[] = {
        {.part = 0, .is = ref_val(five)},
        {.part = 1, .is = ref_val(three)},
        {.part = 2, .is = ref_val(thrice)},
        {.part = 3, .is = ref_val(sum)},
        {.part = 4, .is = ref_val(most)},
        {.part = 5, .is = ref_val(lane), .plus = 4},
        {.part = 6, .is = ref_val(five), .plus = -9, .bits = 8, .is_signed = true},
    };
    declare_variables(f);
    for (size_t k = 0; k < countof(notes); k++)
        ir_append(f, b, &(Ins){.op = IR_note, .imm = (i32)ir_note(f, notes[k])});
    ir_append(f, b,
              &(Ins){.op = IR_store,
                     .width = 4,
                     .space = IN_GLOBAL,
                     .a = {ref_val(lane), ref_con(64)}});
    ir_ret(f, b);
    graph_build(f);
    fold(f);
    Buf text = {0};
    ir_print(&text, f);
    assert_string_equal(buf_text(&text), "kernel @k {\n"
                                         "b0:\n"
                                         "    %1 = lane\n"
                                         "    ; v is %1+5\n"
                                         "    ; v+4 is %1+3\n"
                                         "    ; v+8 is -\n"
                                         "    ; v+12 is -\n"
                                         "    ; v+16 is -\n"
                                         "    ; v+20 is %1+4\n"
                                         "    ; v+24 is %1-4, 8 bits with sign\n"
                                         "    store word global %1, [64]\n"
                                         "    ret\n"
                                         "}\n");
    buf_free(&text);
    ir_free(m);
}

/* Nothing that is told of variables changes the code. */
static void notes_change_nothing(void **state)
{
    (void)state;
    for (u64 seed = 1; seed <= 20; seed++)
        for (size_t k = 0; k < countof(how); k++) {
            Buf text[2] = {{0}, {0}};
            for (u32 told = 0; told < 2; told++) {
                Caught c;
                CcOptions opt = how[k];
                opt.assembly = &text[told];
                opt.lines = false;
                catch_in(&c);
                Module *m = make_told_program(seed, told ? seed : 0);
                Object *o = cc_compile(m, &opt, &c.d);
                expect_silence(&c);
                assert_non_null(o);
                obj_free(o);
                ir_free(m);
            }
            assert_string_equal(buf_text(&text[0]), buf_text(&text[1]));
            buf_free(&text[0]);
            buf_free(&text[1]);
        }
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Piece k of what is given for argument number `at` of one lane of a warp. */
static u32 given(u32 k, u32 lane, u32 warp)
{
    const u32 way[] = {7, 100000 + k, lane * (k + 3), warp + k};
    return way[k % 4];
}

static Ref given_ref(Maker *k, u32 i, Ref lane, Ref warp)
{
    return i % 4 == 0   ? ref_con(7)
           : i % 4 == 1 ? ref_con(100000 + i)
           : i % 4 == 2 ? op2(k, IR_mul, lane, ref_con(i + 3))
                        : op2(k, IR_add, warp, ref_con(i));
}

/* A call with n pieces in front of what is given; the first of nresults. */
static Ref put_call(Maker *k, u32 callee, const Ref *piece, u32 n, u32 nresults, Ref *result)
{
    for (u32 i = 0; i < n; i++)
        ir_append(k->f, k->b, &(Ins){.op = IR_arg, .imm = (i32)i, .a = {piece[i]}});
    ir_append(k->f, k->b, &(Ins){.op = IR_call, .imm = (i32)n, .a = {ref_sym(callee)}});
    for (u32 i = 0; i < nresults; i++) {
        const Ins r = {.op = IR_result, .imm = (i32)i, .dst = ir_value(k->f)};
        ir_append(k->f, k->b, &r);
        result[i] = ref_val(r.dst);
    }
    return result[0];
}

enum { MOST_PIECES = 70, MOST_RESULTS = 32 };

/* Result j of a function of n pieces: the sum of all, each times its number from j + 1 on. */
static u32 mixed(const u32 *piece, u32 n, u32 j)
{
    u32 sum = 0;
    for (u32 i = 0; i < n; i++)
        sum += piece[i] * (i + j + 1);
    return sum;
}

/* Such a function, which may call another one with its pieces the other way round first. */
static void make_mixer(Module *m, const char *name, u32 n, u32 nresults, const char *callee)
{
    Maker k = {.m = m, .f = ir_func(m, name, false)};
    Ref piece[MOST_PIECES], turned[MOST_PIECES], got[MOST_RESULTS];
    k.b = ir_block(k.f);
    k.f->nparams = n;
    k.f->nresults = nresults;
    for (u32 i = 0; i < n; i++) {
        const Ins p = {.op = IR_param, .imm = (i32)i, .dst = ir_value(k.f)};
        ir_append(k.f, k.b, &p);
        piece[i] = turned[n - 1 - i] = ref_val(p.dst);
    }
    Ref more = ref_con(0);
    if (callee)
        more = put_call(&k, ir_sym(m, callee, SYM_FUNC), turned, n, nresults, got);
    for (u32 j = 0; j < nresults; j++) {
        Ref sum = more;
        for (u32 i = 0; i < n; i++)
            sum = op2(&k, IR_add, sum, op2(&k, IR_mul, piece[i], ref_con(i + j + 1)));
        ir_append(k.f, k.b, &(Ins){.op = IR_setret, .imm = (i32)j, .a = {sum}});
    }
    ir_ret(k.f, k.b);
    graph_build(k.f);
}

/* out[i] = all results of a mixer, 31 times each before the next; the mixer calls another one. */
static Module *make_calls(u32 n, u32 nresults)
{
    Module *m = ir_module("t.cl", target_find(0));
    Ref piece[MOST_PIECES], got[MOST_RESULTS];
    make_mixer(m, "inner", n, nresults, NULL);
    make_mixer(m, "outer", n, nresults, "inner");
    Maker k = {.m = m, .f = ir_func(m, "k", true)};
    const Ref none = ref_none();
    k.b = ir_block(k.f);
    const Ref args = op(&k, IR_argbase, none, none, none), lane = op(&k, IR_lane, none, none, none),
              warp = csr(&k, 0x805), out = load(&k, IN_CONST, op2(&k, IR_add, args, ref_con(4)));
    for (u32 i = 0; i < n; i++)
        piece[i] = given_ref(&k, i, lane, warp);
    put_call(&k, ir_sym(m, "outer", SYM_FUNC), piece, n, nresults, got);
    Ref sum = ref_con(1);
    for (u32 j = 0; j < nresults; j++)
        sum = op2(&k, IR_add, op2(&k, IR_mul, sum, ref_con(31)), got[j]);
    const Ref item = op2(&k, IR_add, csr(&k, 0x800), lane);
    store(&k, IN_GLOBAL, sum, op2(&k, IR_add, out, op2(&k, IR_sll, item, ref_con(2))));
    ir_ret(k.f, k.b);
    graph_build(k.f);
    assert_false(m->failed);
    return m;
}

static u32 called(u32 n, u32 nresults, u32 item)
{
    u32 piece[MOST_PIECES], turned[MOST_PIECES], sum = 1;
    for (u32 i = 0; i < n; i++)
        piece[i] = turned[n - 1 - i] = given(i, item % 32, item / 32);
    const u32 more = mixed(turned, n, 0);
    for (u32 j = 0; j < nresults; j++)
        sum = sum * 31 + more + mixed(piece, n, j);
    return sum;
}

/* Pieces in registers and on the stack, and as many results as there are registers. */
static void calls_give_all(void **state)
{
    static const u32 pieces[] = {1, 2, 31, 32, 33, 34, 40, MOST_PIECES},
                     nresults[] = {1, 2, 7, MOST_RESULTS, 3, 1, 2, 5};
    static const u32 in[16];
    u32 got[ITEMS];
    (void)state;
    for (size_t i = 0; i < countof(pieces); i++)
        for (size_t k = 0; k < countof(how); k++) {
            if (how[k].max_v) /* fewer than pieces may need */
                continue;
            Module *m = make_calls(pieces[i], nresults[i]);
            simulate(image_of(m, &how[k]), in, got, pieces[i]);
            for (u32 item = 0; item < ITEMS; item++)
                if (got[item] != called(pieces[i], nresults[i], item))
                    fail_msg("%u pieces, options %zu, item %u: %08x, should be %08x", pieces[i], k,
                             item, got[item], called(pieces[i], nresults[i], item));
            ir_free(m);
        }
}

/* No pass reads or writes beyond a block of its memory. */
static void stays_within_blocks(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2 * countof(how); k++)
        for (GuardWhere where = GUARD_BEHIND; where <= GUARD_BEFORE; where++) {
            Caught c;
            Buf assembly = {0};
            CcOptions opt = how[k / 2];
            if (k % 2 && opt.max_v)
                continue;
            opt.assembly = &assembly;
            opt.lines = true;
            catch_in(&c);
            guard_begin(where);
            Module *m = k % 2 ? make_calls(34, 2) : make_told_program(1, 1);
            Object *o = cc_compile(m, &opt, &c.d);
            expect_silence(&c);
            assert_non_null(o);
            ir_free(m);
            guard_end();
            obj_free(o);
            buf_free(&assembly);
        }
}

/* --- passes ----------------------------------------------------------------------------------- */

enum { ALWAYS = -1 };

/* The rows of passes.def. */
static const struct {
    const char *name;
    int when;
} rows[] = {
#define PASS(name, function, stage, when, what) {#name, when},
#include "cc/passes.def"
};

/* Of all rows of a name: whether one can be turned off; the level from which the first one runs. */
static bool can_be_off(const char *name, int *first)
{
    bool can = false;
    *first = INT32_MAX;
    for (size_t k = 0; k < countof(rows); k++)
        if (!strcmp(rows[k].name, name) && rows[k].when != ALWAYS) {
            can = true;
            *first = rows[k].when < *first ? rows[k].when : *first;
        }
    return can;
}

/* Each name of which a row can be turned off is offered once, in the order of the rows. */
static void passes_are_offered(void **state)
{
    size_t n = 0;
    int first;
    (void)state;
    for (size_t k = 0; k < countof(rows); k++) {
        bool is_new = rows[k].when != ALWAYS;
        for (size_t j = 0; j < k; j++)
            is_new &= strcmp(rows[j].name, rows[k].name) != 0 || rows[j].when == ALWAYS;
        if (is_new) {
            const CcPass *p = cc_optional(n++);
            assert_non_null(p);
            assert_string_equal(p->name, rows[k].name);
        }
        assert_int_equal(cc_is_optional(rows[k].name), can_be_off(rows[k].name, &first));
    }
    assert_null(cc_optional(n));
    assert_null(cc_optional(n + 1));
    assert_false(cc_is_optional("") || cc_is_optional("fol") || cc_is_optional("folds"));
}

static Buf assembly_of(u64 seed, int level, const char *off)
{
    Caught c;
    Buf text = {0};
    catch_in(&c);
    Module *m = make_program(seed);
    Object *o = cc_compile(m, &(CcOptions){.level = level, .off = off, .assembly = &text}, &c.d);
    expect_silence(&c);
    assert_non_null(o);
    obj_free(o);
    ir_free(m);
    return text;
}

static void same_code(Buf a, Buf b, bool same)
{
    if (same)
        assert_string_equal(buf_text(&a), buf_text(&b));
    else
        assert_string_not_equal(buf_text(&a), buf_text(&b));
    buf_free(&a);
    buf_free(&b);
}

/* A lower level is the highest one without the passes that begin later; a list turns off the names
 * in it, and no others. */
static void levels_are_passes(void **state)
{
    (void)state;
    for (u64 seed = 1; seed <= 12; seed++) {
        for (int level = 0; level < 2; level++) {
            Buf off = {0};
            int first;
            for (size_t n = 0; cc_optional(n); n++)
                if (can_be_off(cc_optional(n)->name, &first) && first > level)
                    buf_printf(&off, "%s%s", off.len ? "," : "", cc_optional(n)->name);
            same_code(assembly_of(seed, level, NULL), assembly_of(seed, 2, buf_text(&off)), true);
            buf_free(&off);
        }
        same_code(assembly_of(seed, 3, NULL), assembly_of(seed, 2, NULL), true);
        same_code(assembly_of(seed, 2, "fold"), assembly_of(seed, 2, NULL), false);
        same_code(assembly_of(seed, 2, "tidy,fold"), assembly_of(seed, 2, "x,fold,y,tidy"), true);
        same_code(assembly_of(seed, 2, "fol,folds,,old"), assembly_of(seed, 2, NULL), true);
    }
}

/* --- calls -------------------------------------------------------------------------------------- */

/* A function that calls another one, with more scalars that live across the call than there are registers. */
static void put_caller(Buf *to, const char *kind, const char *callee)
{
    enum { N = 90 };
    buf_printf(to, "%s {\nb0:\n    %%1 = argbase\n", kind);
    for (u32 i = 2; i < N; i++)
        buf_printf(to, "    %%%u = load word const volatile [%%1 + %u]\n", i, 4 * i);
    buf_printf(to, "    call %s\n", callee);
    for (u32 i = 2; i < N; i++)
        buf_printf(to, "    store word global volatile %%%u, [256]\n", i);
    buf_str(to, "    ret\n}\n");
}

/* Functions above each other share the scalar stack of a warp: spilled scalars go there, and a caller counts what those
 * that it calls need. */
static void callers_count_callees(void **state)
{
    Caught c;
    Buf text = {0};
    (void)state;
    catch_in(&c);
    put_caller(&text, "func @h", "@other");
    put_caller(&text, "func @g", "@h");
    put_caller(&text, "kernel @k", "@g");
    buf_str(&text, "extern @other\n");
    const Source source = {.name = "calls.ir", .text = buf_text(&text)};
    Module *m = ir_parse(&source, target_find(0), &c.d);
    Object *o = m ? cc_compile(m, &(CcOptions){.level = 2}, &c.d) : NULL;
    if (!o)
        fail_msg("%s", buf_text(&c.text));
    for (u32 i = 0; i < 3; i++) {
        const Func *f = m->func[i];
        assert_true(f->frame_scalar > 0);
        assert_int_equal(f->stack_scalar, f->frame_scalar + (i ? m->func[i - 1]->stack_scalar : 0));
    }
    obj_free(o);
    ir_free(m);
    buf_free(&text);
    buf_free(&c.text);
}

/* --- what is shown ---------------------------------------------------------------------------- */

/* all compilations, with assembly and every view */
static void compiled_alone(void **state)
{
    (void)state;
    for (u64 seed = 1; seed <= 2; seed++)
        for (size_t k = 0; k < countof(how); k++) {
            Caught c;
            Buf assembly = {0}, views = {0};
            CcOptions opt = how[k];
            opt.assembly = &assembly;
            opt.dump = "iousdplrm";
            opt.dump_to = &views;
            catch_in(&c);
            Module *m = make_program(seed);
            Object *o = cc_compile(m, &opt, &c.d);
            expect_silence(&c);
            assert_non_null(o);
            assert_true(assembly.len && views.len);
            obj_free(o);
            ir_free(m);
            buf_free(&assembly);
            buf_free(&views);
        }
}

/* What a compilation of the first program shows; its assembly, too. */
static Buf shown(const char *dump, Buf *assembly)
{
    Diag d = {0};
    Buf views = {0};
    Module *m = make_program(1);
    const CcOptions opt = {.level = 2, .dump = dump, .dump_to = &views, .assembly = assembly};
    Object *o = cc_compile(m, &opt, &d);
    assert_non_null(o);
    obj_free(o);
    ir_free(m);
    return views;
}

/* Each view has its heading and one function, or the assembly of all. */
static void views(void **state)
{
    (void)state;
    const CcView *view;
    u32 n = 0;
    for (; (view = cc_view(n)); n++) {
        const char letter[] = {view->letter, 0}, of_k[] = {view->letter, ':', 'k', 0},
                   of_others[] = {view->letter, ':', 'x', 0};
        Buf assembly = {0}, ignored = {0}, heading = {0}, is = shown(letter, &assembly),
            one = shown(of_k, &ignored), none = shown(of_others, &ignored);
        buf_printf(&heading, "# k: %s\n", view->what);
        if (view->letter == 'm') {
            assert_string_equal(buf_text(&is), buf_text(&assembly));
        } else {
            assert_memory_equal(buf_text(&is), buf_text(&heading), heading.len);
            assert_null(strstr(buf_text(&is) + 1, "\n# k: "));
            assert_string_equal(buf_text(&one), buf_text(&is));
            assert_int_equal(none.len, 0);
        }
        if (view->letter == 'i') {
            Module *m = make_program(1);
            ir_print(&heading, m->func[0]);
            assert_string_equal(buf_text(&is), buf_text(&heading));
            ir_free(m);
        }
        buf_free(&assembly);
        buf_free(&ignored);
        buf_free(&heading);
        buf_free(&is);
        buf_free(&one);
        buf_free(&none);
    }
    assert_int_equal(n, 9);
}

/* What is alive where blocks begin and end: the lane, which a loop reads in each round. */
static void liveness(void **state)
{
    (void)state;
    Diag d = {0};
    Buf views = {0};
    Module *m = ir_module("t.cl", target_find(0));
    Func *f = ir_func(m, "k", true);
    for (u32 b = 0; b < 3; b++)
        ir_block(f);
    const u32 lane = ir_op(f, 0, IR_lane, ref_none(), ref_none(), ref_none(), 0);
    ir_jump(f, 0, 1);
    const Ins store = {
        .op = IR_store, .width = 4, .space = IN_LOCAL, .a = {ref_val(lane), ref_val(lane)}};
    ir_append(f, 1, &store);
    ir_branch(f, 1, CMP_eq, ref_val(lane), ref_val(lane), 1, 2, 0);
    ir_ret(f, 2);
    Object *o = cc_compile(m, &(CcOptions){.level = 0, .dump = "l", .dump_to = &views}, &d);
    assert_non_null(o);
    char want[200];
    snprintf(want, sizeof want,
             "b0 in: \nb0 out: v%u\nb1 in:  v%u\nb1 out: v%u\nb2 in: \nb2 out:\n", lane, lane,
             lane);
    assert_non_null(strstr(buf_text(&views), want));
    obj_free(o);
    ir_free(m);
    buf_free(&views);
}

int main(int argc, char **argv)
{
    (void)argc;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_levels_agree),
        cmocka_unit_test(notes_stay_true),
        cmocka_unit_test(notes_of_what_is_not_needed),
        cmocka_unit_test(notes_change_nothing),
        cmocka_unit_test(stays_within_blocks),
        cmocka_unit_test(passes_are_offered),
        cmocka_unit_test(levels_are_passes),
        cmocka_unit_test(callers_count_callees),
        cmocka_unit_test(calls_give_all),
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(views),
        cmocka_unit_test(liveness),
        cmocka_unit_test(compiled_alone),
    };
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
