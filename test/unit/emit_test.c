/* emit_test.c -- functions with registers, emitted, linked after crt0, run.
 *
 * Functions are put together by hand as allocation leaves them.  What they compute is
 * known from C; every program is also written as assembly, which must assemble to the
 * same bytes.
 */
#include "test/kit/assemble.h"
#include "test/kit/skip.h"
#include "cc/cc.h"
#include "drv/drv.h"
#include "link/link.h"
#include <unistd.h>

enum { LANES = 32, ITEMS = 64, A0 = 10, TP = 4, VF = 32 };
#define X(n)  ref_reg(n)
#define V(n)  ref_reg(V0 + (n))
#define K(n)  ref_con((u32)(n))
#define XD(n) ((n) + 1)
#define VD(n) (V0 + (n) + 1)

/* --- building ------------------------------------------------------------------------ */

static void add(Func *f, u32 b, Ins i)
{
    if (!i.loc)
        i.loc = ir_loc(f->module, (Loc){.line = (u32)f->block[b].nins + 10 * b + 1, .column = 1});
    ir_append(f, b, &i);
}

/* a row of the table, an operation of ir.def; dst: XD(n), VD(n) or 0 */
#define ROW(f, b, name, dst, ...)                                                                  \
    add(f, b, (Ins){.op = IR_MACHINE + I_##name, .reg = dst, .imm = 7, .a = {__VA_ARGS__}})
#define OPN(f, b, name, dst, imm_, ...)                                                            \
    add(f, b, (Ins){.op = IR_##name, .reg = dst, .imm = imm_, .a = {__VA_ARGS__}})

typedef struct {
    Module *m;
    Func *f;
} Kernel;

static Module *new_module(void)
{
    Module *m = ir_module("t.cl", target_find(0));
    assert_non_null(m);
    ir_file(m, "t.cl");
    return m;
}

/* A kernel with n blocks, the last of which returns.  Block 0 begins with
 * x7 = the argument, v1 = number of the item in the group, v2 = address of its word. */
static Func *new_kernel(Module *m, const char *name, u32 n)
{
    Func *f = ir_func(m, name, true);
    for (u32 i = 0; i < n; i++)
        ir_block(f);
    ROW(f, 0, lw, XD(7), K(0), X(A0));
    ROW(f, 0, csrrs, XD(5), K(0x800), X(0));
    ROW(f, 0, vid_v, VD(1), ref_none());
    ROW(f, 0, vadd_vx, VD(1), V(1), X(5));
    ROW(f, 0, vsll_vi, VD(2), V(1), K(2));
    ROW(f, 0, vadd_vx, VD(2), V(2), X(7));
    ir_ret(f, n - 1);
    return f;
}

static void store_result(Func *f, u32 b, u32 v) { ROW(f, b, vsw12_v, 0, V(v), K(0), V(2)); }

/* a branch at which lanes part; join: where they meet */
static void part(Func *f, u32 b, Cmp cmp, u32 v, u32 w, u32 then, u32 otherwise, u32 join)
{
    ir_branch(f, b, cmp, V(v), V(w), then, otherwise,
              ir_loc(f->module, (Loc){.line = 10 * b + 9, .column = 1}));
    f->block[b].term.divergent = true;
    f->block[b].term.rpc = join;
    Block *j = &f->block[join];
    j->join = true;
    for (int k = 0; k < 2; k++)
        if (ir_grow(f->module, j->other, j->nother, j->capother))
            j->other[j->nother++] = f->block[b].term.succ[k];
}

/* --- running --------------------------------------------------------------------------- */

static void same_sections(const Object *a, const Object *b, const char *text)
{
    for (size_t i = 0; i < a->nsections; i++) {
        const ObjSection *s = &a->sections[i];
        if (!(s->flags & SHF_ALLOC))
            continue;
        const ObjSection *t = section_of(b, s->name);
        if (s->size != t->size || s->type != t->type || s->flags != t->flags ||
            s->nrelocs != t->nrelocs || s->data.len != t->data.len ||
            (s->data.len && memcmp(s->data.data, t->data.data, s->data.len)))
            fail_msg("%s is not the same, %u and %u bytes:\n%.6000s", s->name, s->size, t->size,
                     text);
    }
}

/* all that assembly says of a symbol; kernels are global by themselves */
static void same_symbols(const Object *a, const Object *b)
{
    for (size_t i = 0; i < a->nsymbols; i++) {
        const ObjSymbol *s = &a->symbols[i];
        if (s->section < 0 || s->type == STT_SECTION)
            continue;
        const i32 at = obj_find_symbol(b, s->name);
        if (at < 0)
            fail_msg("there is no symbol %s", s->name);
        const ObjSymbol *t = &b->symbols[at];
        if (s->size != t->size || s->value != t->value || s->bind != t->bind || s->type != t->type)
            fail_msg("%s: size %u and %u, value %u and %u, bind %u and %u, type %u and %u", s->name,
                     s->size, t->size, s->value, t->value, s->bind, t->bind, s->type, t->type);
        assert_string_equal(a->sections[s->section].name, b->sections[t->section].name);
    }
}

static bool with_tidy; /* in the second half of the tests */

static void finish(Module *m)
{
    Buf why = {0};
    for (size_t i = 0; i < m->nfunc; i++) {
        Func *f = m->func[i];
        graph_build(f);
        frame(f);
        if (with_tidy)
            tidy(f);
        if (!ir_check(f, STAGE_ALLOCATED, &why))
            fail_msg("%s", buf_text(&why));
    }
    buf_free(&why);
}

static Object *emit_module(Module *m)
{
    Caught c;
    Buf text = {0};
    const CcOptions opt = {.lines = true, .assembly = &text};
    Object *o = obj_new("t.o");
    o->set = V202;
    catch_in(&c);
    finish(m);
    emit(m, &opt, o, &c.d);
    expect_silence(&c);
    assert_false(m->failed);
    Object *again = assemble(buf_text(&text), V202);
    same_sections(o, again, buf_text(&text));
    same_symbols(o, again);
    obj_free(again);
    buf_free(&text);
    return o;
}

static Object *link_module(Module *m)
{
    Caught c;
    Object *o = emit_module(m);
    catch_in(&c);
    const LinkOptions opt = {.output = "t.elf", .gc = true};
    Object *image = link_program((const Object *const *)&o, 1, &opt, &c.d);
    expect_silence(&c);
    assert_non_null(image);
    obj_free(o);
    return image;
}

/* Runs kernel `k` of the module with one group of ITEMS items and a buffer of as many words. */
static void run_kernel(Module *m, const char *k, u32 out[ITEMS])
{
    Caught c;
    catch_in(&c);
    DeviceOptions dev = dev_defaults();
    Driver *d = drv_open(&dev);
    u64 addr = 0;
    assert_int_equal(drv_load(d, link_module(m), &c.d), DRV_OK);
    assert_int_equal(drv_alloc(d, ITEMS * 4, &addr), DRV_OK);
    const u32 value = (u32)addr;
    const DrvArg arg = {.size = 4, .align = 4, .value = &value};
    const DrvKernel launch = {.kernel = k,
                              .dims = 1,
                              .global = {ITEMS, 1, 1},
                              .local = {ITEMS, 1, 1},
                              .args = &arg,
                              .nargs = 1,
                              .max_insns = 100000000};
    DrvResult r;
    if (drv_run(d, &launch, &r) != DRV_OK) {
        Buf why = {0};
        drv_last_error(d, &why);
        fail_msg("%s", buf_text(&why));
    }
    assert_int_equal(drv_read(d, addr, out, ITEMS * 4), DRV_OK);
    drv_close(d);
}

/* the same, and frees the module */
static void run(Module *m, const char *k, u32 out[ITEMS])
{
    run_kernel(m, k, out);
    ir_free(m);
}

static u32 count(const Object *o, const char *section, InsnId id)
{
    IsaDecoder dec;
    const ObjSection *s = section_of(o, section);
    u32 n = 0;
    isa_decoder_init(&dec, V202);
    for (size_t i = 0; i < s->data.len; i += 4) {
        Insn in;
        u32 w;
        memcpy(&w, s->data.data + i, 4);
        n += isa_decode(&dec, w, &in) && in.id == id;
    }
    return n;
}

/* --- registers and constants --------------------------------------------------------------- */

static void high_registers(void **state)
{
    (void)state;
    Module *m = new_module();
    u32 out[ITEMS];
    Func *f = new_kernel(m, "k", 1);
    OPN(f, 0, li, XD(40), 0, K(0x12345fff));
    OPN(f, 0, li, XD(63), 0, K(-7));
    OPN(f, 0, copy, VD(100), 0, X(40));
    OPN(f, 0, move, VD(200), 0, V(1));
    ROW(f, 0, vmul_vx, VD(255), V(200), X(63));
    ROW(f, 0, vadd_vv, VD(33), V(255), V(100));
    ROW(f, 0, vmacc_vv, VD(33), V(200), V(200), V(33));
    store_result(f, 0, 33);
    run(m, "k", out);
    for (u32 i = 0; i < ITEMS; i++)
        assert_int_equal(out[i], 0x12345fff - 7 * i + i * i);
}

/* a register of the bank for a value, high or low */
static Ref some_register(u32 *random, Bank bank)
{
    for (;;) {
        *random = *random * 1664525 + 1013904223;
        const u32 r = bank == BANK_V ? V0 + (*random >> 24) : *random >> 26;
        if (!reg_is_reserved(r) && r != V0 + VF)
            return ref_reg(r);
    }
}

/* The row with operands at random; false: it is none that values are made of. */
static bool some_row(InsnId id, u32 *random, Ins *i)
{
    const FormatInfo *format = isa_format_of(id);
    *i = (Ins){.op = (u16)(IR_MACHINE + id)};
    for (int k = 0; k < format->nopd; k++)
        switch ((OperandKind)isa_operand[format->opd[k]].kind) {
        case K_REL:
        case K_VTYPE:
        case K_MMA:
        case K_MMA64:
        case K_KEY:
        case K_HIDE: return false;
        case K_RM: i->imm = 7; break;
        default: break;
        }
    for (int k = 0; k < ins_nargs(i) && k < 3; k++) {
        i64 min, max, step;
        const OperandId o = ins_arg_operand(i, k);
        if (ins_arg_bank(i, k) != BANK_NONE) {
            i->a[k] = some_register(random, ins_arg_bank(i, k));
            continue;
        }
        isa_range(o, &min, &max, &step);
        /* the assembler warns where the other half is something else than it looks like */
        if (isa_operand[o].kind == K_IMMZ)
            min = 0;
        else if (isa_operand[o].kind == K_IMM12)
            max = 2047;
        *random = *random * 1664525 + 1013904223;
        i->a[k] =
            ref_con((u32)(min + step * (i64)((*random >> 8) % (u32)((max - min) / step + 1))));
    }
    if (ins_has_dst(i))
        i->reg = some_register(random, ins_dst_bank(i)).val + 1;
    if (ins_tied(i) >= 0)
        i->a[ins_tied(i)] = ref_reg(i->reg - 1);
    return ins_nargs(i) <= 3 && isa_effect_of(id)->control == CONTROL_NEXT;
}

/* Words of every row, with high and low registers, are those that the assembler makes of their
 * text. */
static void every_row(void **state)
{
    (void)state;
    u32 random = 1, rows = 0;
    for (int round = 0; round < 4; round++) {
        Module *m = new_module();
        Func *f = new_kernel(m, "k", 1);
        for (u32 id = 0; id < NINSN; id++) {
            Ins i;
            if (!isa_has(V202, (InsnId)id) || !some_row((InsnId)id, &random, &i))
                continue;
            add(f, 0, i);
            rows++;
        }
        obj_free(emit_module(m));
        ir_free(m);
    }
    assert_true(rows > 4 * 200);
}

static void constants(void **state)
{
    (void)state;
    static const u32 value[] = {0,          1,          2047,       2048,       0x7ff,
                                0x800,      0xfff,      0x1000,     0x7fffffff, 0x80000000,
                                0x7ffff800, 0xfffff7ff, 0xffffffff, 0x12345800, 0xdeadbeef};
    Module *m = new_module();
    u32 out[ITEMS];
    Func *f = new_kernel(m, "k", 1);
    for (u32 i = 0; i < countof(value); i++) {
        OPN(f, 0, li, XD(9), 0, K(value[i]));
        ROW(f, 0, sw, 0, X(9), K(4 * i), X(7));
    }
    run(m, "k", out);
    for (u32 i = 0; i < countof(value); i++)
        assert_int_equal(out[i], value[i]);
}

static void conditional_moves(void **state)
{
    (void)state;
    Module *m = new_module();
    u32 out[ITEMS];
    Func *f = new_kernel(m, "k", 1);
    for (u32 i = 0; i < 4; i++) { /* both ways, with low and high registers */
        const u32 a = i & 2 ? 40 : 11, b = i & 2 ? 41 : 12;
        OPN(f, 0, li, XD(13), 0, K(i & 1));
        OPN(f, 0, li, XD(a), 0, K(100));
        OPN(f, 0, li, XD(b), 0, K(200));
        OPN(f, 0, cmov, XD(b), 0, X(13), X(a), X(b));
        ROW(f, 0, sw, 0, X(b), K(4 * i), X(7));
    }
    run(m, "k", out);
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(out[i], i & 1 ? 100 : 200);
}

/* --- data ----------------------------------------------------------------------------- */

static void data_and_addresses(void **state)
{
    (void)state;
    static const u8 bytes[] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0};
    Module *m = new_module();
    u32 out[ITEMS];
    Data *table = ir_data(m, "table", 12, 4, false);
    table->init = bytes, table->ninit = sizeof bytes;
    Data *pointer = ir_data(m, "pointer", 8, 4, true);
    ir_reloc(m, pointer, 4, ir_sym(m, "table", SYM_EXTERN), 8);
    ir_data(m, "zeros", 64, 64, true);
    m->sym[ir_sym(m, "pointer", SYM_EXTERN)].is_local = true;
    Func *f = new_kernel(m, "k", 1);
    const u32 t = ir_sym(m, "table", SYM_EXTERN), p = ir_sym(m, "pointer", SYM_EXTERN);
    Ref word1 = ref_sym(t), word4 = ref_sym(p);
    word1.off = word4.off = 4;
    OPN(f, 0, li, XD(9), 0, word1);
    ROW(f, 0, lw, XD(11), K(0), X(9));
    ROW(f, 0, sw, 0, X(11), K(0), X(7));
    OPN(f, 0, hi, XD(9), 0, word4);
    ROW(f, 0, lw, XD(9), word4, X(9));
    ROW(f, 0, lw, XD(11), K(0), X(9));
    ROW(f, 0, sw, 0, X(11), K(4), X(7));
    const Ref zeros = ref_sym(ir_sym(m, "zeros", SYM_EXTERN));
    OPN(f, 0, hi, XD(9), 0, zeros);
    ROW(f, 0, sw, 0, X(11), zeros, X(9));
    ROW(f, 0, lw, XD(12), zeros, X(9));
    ROW(f, 0, sw, 0, X(12), K(8), X(7));
    OPN(f, 0, li, XD(9), 0, zeros);
    ROW(f, 0, andi, XD(9), X(9), K(63));
    ROW(f, 0, sw, 0, X(9), K(12), X(7));
    run(m, "k", out);
    assert_int_equal(out[0], 2);
    assert_int_equal(out[1], 3);
    assert_int_equal(out[2], 3);
    assert_int_equal(out[3], 0);
}

/* Addresses are in ascending order in objects (obj/obj.h), whatever order the module has them in. */
static void addresses_are_sorted(void **state)
{
    static const u32 at[] = {12, 0, 20, 16, 8};
    (void)state;
    Module *m = new_module();
    Object *o = obj_new("t.o");
    Diag d = {0};
    Data *table = ir_data(m, "table", 24, 4, false);
    for (size_t i = 0; i < countof(at); i++)
        ir_reloc(m, table, at[i], table->symbol, (i32)at[i] * 100);
    emit(m, NULL, o, &d);
    const ObjSection *s = section_of(o, ".rodata.table");
    assert_int_equal(s->nrelocs, countof(at));
    for (size_t i = 0; i < countof(at); i++) {
        const u32 want = i ? 4 * (u32)i + 4 : 0;
        assert_int_equal(s->relocs[i].offset, want);
        assert_int_equal(s->relocs[i].addend, 100 * want);
        assert_string_equal(o->symbols[s->relocs[i].symbol].name, "table");
    }
    obj_free(o);
    ir_free(m);
}

/* --- branches ------------------------------------------------------------------------- */

/* v3 = odd ? (v1 < 10 ? 1 : 2) : 3, with `pad` more words on each side; join in one place */
static Func *if_else(Module *m, u32 pad)
{
    enum { ENTRY, ODD, SMALL, LARGE, EVEN, END };
    Func *f = new_kernel(m, "k", 6);
    ROW(f, ENTRY, vand_vi, VD(4), V(1), K(1));
    OPN(f, ENTRY, copy, VD(5), 0, K(0));
    OPN(f, ENTRY, copy, VD(6), 0, K(10));
    part(f, ENTRY, CMP_ne, 4, 5, ODD, EVEN, END);
    part(f, ODD, CMP_lt, 1, 6, SMALL, LARGE, END);
    for (u32 i = 0; i < pad; i++) {
        OPN(f, SMALL, copy, VD(7), 0, V(1));
        OPN(f, EVEN, copy, VD(7), 0, V(1));
    }
    OPN(f, SMALL, copy, VD(3), 0, K(1));
    OPN(f, LARGE, copy, VD(3), 0, K(2));
    OPN(f, EVEN, copy, VD(3), 0, K(3));
    ir_jump(f, SMALL, END);
    ir_jump(f, LARGE, END);
    ir_jump(f, EVEN, END);
    store_result(f, END, 3);
    return f;
}

static void divergent_branches(void **state)
{
    (void)state;
    /* short; out of a branch's reach; out of a jump's */
    static const u32 pads[] = {0, 1, 600, 1100, 300000};
    for (u32 k = 0; k < countof(pads); k++) {
        Module *m = new_module();
        u32 out[ITEMS];
        if_else(m, pads[k]);
        run(m, "k", out);
        for (u32 i = 0; i < ITEMS; i++)
            assert_int_equal(out[i], i & 1 ? i < 10 ? 1 : 2 : 3);
    }
}

/* Branches and jumps of every length, on which those depend that they jump over: blocks that each
 * hash their number and go on to one of the next forty, which C follows too. */
static void mixed_lengths(void **state)
{
    (void)state;
    enum { N = 600 };
    for (u32 seed = 1; seed <= 4; seed++) {
        Module *m = new_module();
        Func *f = new_kernel(m, "k", N);
        u32 out[ITEMS], random = seed, hash = 0, next[N];
        OPN(f, 0, li, XD(9), 0, K(0));
        for (u32 b = 0; b < N - 1; b++) {
            random = random * 1664525 + 1013904223;
            const u32 far = b + 1 + (random >> 8) % 40, to = far < N - 1 ? far : N - 1;
            const u32 pad = random >> 28 > 10 ? (random >> 16) % (seed * 400) : random >> 29;
            ROW(f, b, slli, XD(11), X(9), K(5));
            ROW(f, b, xor, XD(9), X(9), X(11));
            ROW(f, b, addi, XD(9), X(9), K(b));
            for (u32 i = 0; i < pad; i++)
                ROW(f, b, add, XD(13), X(9), X(11));
            const bool negative = random & 4096; /* goes far */
            ir_branch(f, b, negative ? CMP_lt : CMP_ge, X(9), X(0), to, b + 1, 0);
            next[b] = to << 1 | negative;
        }
        OPN(f, N - 1, copy, VD(3), 0, X(9));
        store_result(f, N - 1, 3);
        for (u32 b = 0; b < N - 1;) {
            hash = (hash ^ hash << 5) + b;
            b = ((i32)hash < 0) == (next[b] & 1) ? next[b] >> 1 : b + 1;
        }
        run(m, "k", out);
        assert_int_equal(out[0], hash);
    }
}

/* One setrpc serves both branches, which have the same join, in whatever order the sides run. */
static void rpc_is_set_once(void **state)
{
    (void)state;
    Module *m = new_module();
    if_else(m, 0);
    Object *o = emit_module(m);
    assert_int_equal(count(o, ".text.k", I_setrpc), 1);
    obj_free(o);
    ir_free(m);
}

/* v3 = rounds until collatz(v1 + 1) is 1, with a branch inside that has its own join */
static Func *collatz(Module *m)
{
    enum { ENTRY, HEAD, BODY, ODD, EVEN, NEXT, END };
    Func *f = new_kernel(m, "k", 7);
    ROW(f, ENTRY, vadd_vi, VD(4), V(1), K(1));
    OPN(f, ENTRY, copy, VD(3), 0, K(0));
    OPN(f, ENTRY, copy, VD(5), 0, K(1));
    ir_jump(f, ENTRY, HEAD);
    part(f, HEAD, CMP_eq, 4, 5, END, BODY, END);
    ROW(f, BODY, vadd_vi, VD(3), V(3), K(1));
    ROW(f, BODY, vand_vi, VD(6), V(4), K(1));
    part(f, BODY, CMP_eq, 6, 5, ODD, EVEN, NEXT);
    ROW(f, ODD, vadd_vv, VD(7), V(4), V(4));
    ROW(f, ODD, vadd_vv, VD(4), V(4), V(7));
    ROW(f, ODD, vadd_vi, VD(4), V(4), K(1));
    ir_jump(f, ODD, NEXT);
    ROW(f, EVEN, vsrl_vi, VD(4), V(4), K(1));
    ir_jump(f, EVEN, NEXT);
    ir_jump(f, NEXT, HEAD);
    store_result(f, END, 3);
    return f;
}

static u32 collatz_rounds(u32 n)
{
    u32 rounds = 0;
    for (; n != 1; rounds++)
        n = n & 1 ? 3 * n + 1 : n / 2;
    return rounds;
}

static void loops(void **state)
{
    (void)state;
    Module *m = new_module();
    u32 out[ITEMS];
    collatz(m);
    run(m, "k", out);
    for (u32 i = 0; i < ITEMS; i++)
        assert_int_equal(out[i], collatz_rounds(i + 1));
}

/* v3 = sum of v1 .. v1 * v1 by ones: a loop with nothing but its exit to part at */
static Func *count_up(Module *m)
{
    enum { ENTRY, HEAD, BODY, END };
    Func *f = new_kernel(m, "k", 4);
    OPN(f, ENTRY, copy, VD(3), 0, K(0));
    OPN(f, ENTRY, copy, VD(4), 0, V(1));
    ROW(f, ENTRY, vmul_vv, VD(5), V(1), V(1));
    ir_jump(f, ENTRY, HEAD);
    part(f, HEAD, CMP_ge, 4, 5, END, BODY, END);
    ROW(f, BODY, vadd_vv, VD(3), V(3), V(4));
    ROW(f, BODY, vadd_vi, VD(4), V(4), K(1));
    ir_jump(f, BODY, HEAD);
    store_result(f, END, 3);
    return f;
}

static void rpc_is_set_before_the_loop(void **state)
{
    (void)state;
    Module *m = new_module();
    u32 out[ITEMS];
    Func *f = count_up(m);
    Object *o = emit_module(m);
    assert_int_equal(count(o, ".text.k", I_setrpc), 1);
    /* the loop is tested at its end: one jump to the test, none in the round */
    const ObjSection *s = section_of(o, ".text.k");
    u32 setrpc_at = 0, jumps_behind = 0;
    IsaDecoder dec;
    isa_decoder_init(&dec, V202);
    for (u32 i = 0; i < s->size; i += 4) {
        Insn in;
        u32 w;
        memcpy(&w, s->data.data + i, 4);
        assert_true(isa_decode(&dec, w, &in));
        if (in.id == I_setrpc)
            setrpc_at = i;
        jumps_behind += setrpc_at && in.id == I_jal;
    }
    assert_int_equal(jumps_behind, 1);
    obj_free(o);
    (void)f;
    ir_free(m);
    m = new_module();
    count_up(m);
    run(m, "k", out);
    for (u32 i = 0; i < ITEMS; i++) {
        u32 sum = 0;
        for (u32 k = i; k < i * i; k++)
            sum += k;
        assert_int_equal(out[i], sum);
    }
}

/* A short function takes its address once and reaches each join from there; a long one cannot. */
static void rpc_has_one_base(void **state)
{
    (void)state;
    static const u32 pads[] = {0, 600};
    for (u32 k = 0; k < countof(pads); k++) {
        Module *m = new_module();
        Func *f = collatz(m);
        u32 out[ITEMS];
        for (u32 i = 0; i < pads[k]; i++)
            ROW(f, 0, vadd_vi, VD(6), V(6), K(1));
        Object *o = emit_module(m);
        const u32 setters = count(o, ".text.k", I_setrpc);
        assert_true(setters >= 2);
        assert_int_equal(count(o, ".text.k", I_auipc),
                         pads[k] ? setters : 0); /* start code has left the base */
        obj_free(o);
        ir_free(m);
        m = new_module();
        f = collatz(m);
        for (u32 i = 0; i < pads[k]; i++)
            ROW(f, 0, vadd_vi, VD(6), V(6), K(1));
        run(m, "k", out);
        for (u32 i = 0; i < ITEMS; i++)
            assert_int_equal(out[i], collatz_rounds(i + 1));
    }
}

/* The few lanes of one side run first and set rpc to a join of their own; the other side's
 * branch needs the join that was set at the entry. */
static void rpc_of_the_side_that_waits(void **state)
{
    (void)state;
    enum { ENTRY, FEW, FEW1, FEW_END, MANY, MANY1, END };
    Module *m = new_module();
    u32 out[ITEMS];
    Func *f = new_kernel(m, "k", 7);
    ROW(f, ENTRY, vand_vi, VD(4), V(1), K(7));
    ROW(f, ENTRY, vand_vi, VD(6), V(1), K(8));
    OPN(f, ENTRY, copy, VD(5), 0, K(0));
    OPN(f, ENTRY, copy, VD(3), 0, K(0));
    part(f, ENTRY, CMP_eq, 4, 5, FEW, MANY, END);
    part(f, FEW, CMP_ne, 6, 5, FEW1, FEW_END, FEW_END);
    ROW(f, FEW1, vadd_vi, VD(3), V(3), K(1));
    ir_jump(f, FEW1, FEW_END);
    ROW(f, FEW_END, vadd_vi, VD(3), V(3), K(2));
    ir_jump(f, FEW_END, END);
    ROW(f, MANY, vadd_vi, VD(3), V(3), K(4));
    part(f, MANY, CMP_ne, 6, 5, MANY1, END, END);
    ROW(f, MANY1, vadd_vi, VD(3), V(3), K(8));
    ir_jump(f, MANY1, END);
    store_result(f, END, 3);
    run(m, "k", out);
    for (u32 i = 0; i < ITEMS; i++)
        assert_int_equal(out[i], i & 7 ? (i & 8 ? 12 : 4) : (i & 8 ? 3 : 2));
}

/* One of two ways to a branch sets rpc to its join before; v3 = 1 with odd lanes' 2 on that way,
 * and 4 where v1 & 2. */
static void rpc_of_one_way(void **state)
{
    (void)state;
    enum { ENTRY, FIRST, ODD, SECOND, TWO, END };
    for (u32 way = 0; way < 2; way++) {
        Module *m = new_module();
        u32 out[ITEMS];
        Func *f = new_kernel(m, "k", 6);
        ROW(f, ENTRY, vand_vi, VD(4), V(1), K(1));
        ROW(f, ENTRY, vand_vi, VD(6), V(1), K(2));
        OPN(f, ENTRY, copy, VD(5), 0, K(0));
        OPN(f, ENTRY, copy, VD(3), 0, K(1));
        OPN(f, ENTRY, li, XD(9), 0, K(way));
        ir_branch(f, ENTRY, CMP_ne, X(9), X(0), FIRST, SECOND, 0);
        part(f, FIRST, CMP_ne, 4, 5, ODD, SECOND, END);
        ROW(f, ODD, vadd_vi, VD(3), V(3), K(2));
        ir_jump(f, ODD, END);
        part(f, SECOND, CMP_ne, 6, 5, TWO, END, END);
        ROW(f, TWO, vadd_vi, VD(3), V(3), K(4));
        ir_jump(f, TWO, END);
        store_result(f, END, 3);
        run(m, "k", out);
        for (u32 i = 0; i < ITEMS; i++)
            assert_int_equal(out[i], way && i & 1 ? 3 : i & 2 ? 5 : 1);
    }
}

/* A function that is called sets rpc to a join of its own; the branch after the call, in its block
 * or in the next one, has the join that was set before. */
static void rpc_after_a_call(void **state)
{
    (void)state;
    enum { ENTRY, CALLS, BRANCHES, TWO, END };
    for (u32 apart = 0; apart < 2; apart++) {
        Module *m = new_module();
        u32 out[ITEMS];
        Func *g = ir_func(m, "g", false);
        for (u32 i = 0; i < 3; i++)
            ir_block(g);
        ROW(g, 0, vand_vi, VD(1), V(0), K(4));
        OPN(g, 0, copy, VD(2), 0, K(0));
        part(g, 0, CMP_ne, 1, 2, 1, 2, 2);
        ROW(g, 1, vadd_vi, VD(0), V(0), K(8));
        ir_jump(g, 1, 2);
        ir_ret(g, 2);
        Func *f = new_kernel(m, "k", 5);
        const u32 decides = apart ? BRANCHES : CALLS;
        OPN(f, ENTRY, copy, VD(40), 0, V(1));
        OPN(f, ENTRY, copy, VD(41), 0, V(2));
        OPN(f, ENTRY, copy, VD(43), 0, K(0));
        OPN(f, ENTRY, copy, VD(44), 0, K(0));
        ROW(f, ENTRY, vand_vi, VD(45), V(1), K(1));
        part(f, ENTRY, CMP_ne, 45, 44, CALLS, END, END);
        OPN(f, CALLS, copy, VD(0), 0, V(40));
        OPN(f, CALLS, call, 0, 1, ref_sym(g->symbol));
        OPN(f, CALLS, copy, VD(43), 0, V(0));
        ir_jump(f, CALLS, BRANCHES);
        ROW(f, decides, vand_vi, VD(45), V(40), K(2));
        part(f, decides, CMP_ne, 45, 44, TWO, apart ? END : BRANCHES, END);
        if (!apart)
            ir_jump(f, BRANCHES, END);
        ROW(f, TWO, vadd_vi, VD(43), V(43), K(16 - 1));
        ir_jump(f, TWO, END);
        OPN(f, END, copy, VD(2), 0, V(41));
        store_result(f, END, 43);
        run(m, "k", out);
        for (u32 i = 0; i < ITEMS; i++)
            assert_int_equal(out[i], i & 1 ? i + (i & 4 ? 8 : 0) + (i & 2 ? 15 : 0) : 0);
    }
}

/* a loop of the whole warp: x11 = 1 + 2 + ... + 100 */
static void uniform_loop(void **state)
{
    (void)state;
    for (u32 pad = 0; pad < 3000; pad += 1100) {
        Module *m = new_module();
        u32 out[ITEMS];
        enum { ENTRY, HEAD, BODY, END };
        Func *f = new_kernel(m, "k", 4);
        OPN(f, ENTRY, li, XD(11), 0, K(0));
        OPN(f, ENTRY, li, XD(40), 0, K(100));
        ir_jump(f, ENTRY, HEAD);
        ir_branch(f, HEAD, CMP_eq, X(40), K(0), END, BODY, 0);
        ROW(f, BODY, add, XD(11), X(11), X(40));
        ROW(f, BODY, addi, XD(40), X(40), K(-1));
        for (u32 i = 0; i < pad; i++)
            ROW(f, BODY, addi, XD(12), X(11), K(1));
        ir_jump(f, BODY, HEAD);
        OPN(f, END, copy, VD(3), 0, X(11));
        store_result(f, END, 3);
        run(m, "k", out);
        assert_int_equal(out[0], 5050);
        assert_int_equal(out[ITEMS - 1], 5050);
    }
}

/* --- frames --------------------------------------------------------------------------- */

static void spills(void **state)
{
    (void)state;
    for (u32 words = 4; words < 1200;
         words *= 6) { /* the last ones are out of an immediate's reach */
        Module *m = new_module();
        u32 out[ITEMS];
        Func *f = new_kernel(m, "k", 1);
        OPN(f, 0, spillx, 0, 3, X(7));
        for (u32 i = 0; i < words; i++) {
            ROW(f, 0, vadd12_vi, VD(3), V(1), K(i));
            OPN(f, 0, spillv, 0, (i32)i, V(3));
        }
        OPN(f, 0, copy, VD(3), 0, K(0));
        for (u32 i = 0; i < words; i++) {
            OPN(f, 0, reloadv, VD(44), (i32)i, ref_none());
            ROW(f, 0, vadd_vv, VD(3), V(3), V(44));
        }
        OPN(f, 0, reloadx, XD(12), 3, ref_none());
        ROW(f, 0, vsll_vi, VD(2), V(1), K(2));
        ROW(f, 0, vadd_vx, VD(2), V(2), X(12));
        store_result(f, 0, 3);
        run(m, "k", out);
        for (u32 i = 0; i < ITEMS; i++)
            assert_int_equal(out[i], words * i + words * (words - 1) / 2);
    }
}

/* A scalar that was put into the lanes is fetched from one of them, and from some of them. */
static void parked(void **state)
{
    (void)state;
    enum { ENTRY, ODD, END };
    for (u32 high = 0; high < 2; high++) {
        Module *m = new_module();
        u32 out[ITEMS];
        Func *f = new_kernel(m, "k", 3);
        const u32 x = high ? 41 : 11, v = high ? 77 : 7;
        ROW(f, ENTRY, vand_vi, VD(4), V(1), K(1));
        OPN(f, ENTRY, copy, VD(5), 0, K(0));
        OPN(f, ENTRY, copy, VD(3), 0, K(5));
        OPN(f, ENTRY, li, XD(x), 0, K(1234));
        OPN(f, ENTRY, park, VD(v), 0, X(x));
        OPN(f, ENTRY, li, XD(x), 0, K(0));
        part(f, ENTRY, CMP_ne, 4, 5, ODD, END, END);
        OPN(f, ODD, fetch, XD(x), 0, V(v));
        ROW(f, ODD, vadd_vx, VD(3), V(3), X(x));
        ir_jump(f, ODD, END);
        OPN(f, END, fetch, XD(12), 0, V(v));
        ROW(f, END, vadd_vx, VD(3), V(3), X(12));
        store_result(f, END, 3);
        run(m, "k", out);
        for (u32 i = 0; i < ITEMS; i++)
            assert_int_equal(out[i], 5 + 1234 + (i & 1 ? 1234 : 0));
    }
}

/* two slots, one far away, by v32 and by address; no object at address 0 */
static void slots(void **state)
{
    (void)state;
    Module *m = new_module();
    u32 out[ITEMS];
    Func *f = new_kernel(m, "k", 1);
    const u32 a = ir_slot(f, 2500, 4), b = ir_slot(f, 8, 128);
    Ref a0 = ref_slot(a), a2 = ref_slot(a), b1 = ref_slot(b);
    a2.off = 2496, b1.off = 4;
    ROW(f, 0, vsw_v, 0, V(1), a0, V(VF));
    ROW(f, 0, vadd_vi, VD(3), V(1), K(5));
    ROW(f, 0, vsw_v, 0, V(3), a2, V(VF));
    ROW(f, 0, vadd_vi, VD(3), V(1), K(9));
    ROW(f, 0, vsw_v, 0, V(3), b1, V(VF));
    OPN(f, 0, vframe, VD(8), 0, a2);
    ROW(f, 0, vlw_v, VD(3), K(0), V(8));
    OPN(f, 0, frame, XD(9), 0, b1);
    OPN(f, 0, copy, VD(8), 0, X(9));
    ROW(f, 0, vlw_v, VD(4), K(0), V(8));
    ROW(f, 0, vmul_vv, VD(3), V(3), V(4));
    ROW(f, 0, vlw_v, VD(4), a0, V(VF));
    ROW(f, 0, vadd_vv, VD(3), V(3), V(4));
    store_result(f, 0, 3);
    run_kernel(m, "k", out);
    for (u32 i = 0; i < ITEMS; i++)
        assert_int_equal(out[i], (i + 5) * (i + 9) + i);
    assert_int_equal(f->slot[b].offset % 128, 0);
    assert_true(f->slot[a].offset >= 16);
    ir_free(m);
}

/* f(v0) = 2 v0 + 1, which spills, uses registers that its caller keeps and calls g(v0) = v0 + 1 */
static void add_functions(Module *m, u32 big)
{
    Func *g = ir_func(m, "g", false), *f = ir_func(m, "f", false);
    ir_block(g);
    ROW(g, 0, vadd_vi, VD(0), V(0), K(1));
    ir_ret(g, 0);
    ir_block(f);
    ir_slot(f, big, 4);
    OPN(f, 0, li, XD(18), 0, K(77));
    OPN(f, 0, copy, VD(40), 0, V(0));
    OPN(f, 0, spillv, 0, 0, V(0));
    OPN(f, 0, spillx, 0, 0, X(18));
    OPN(f, 0, call, 0, 1, ref_sym(g->symbol));
    OPN(f, 0, reloadv, VD(3), 0, ref_none());
    ROW(f, 0, vsw_v, 0, V(3), ref_slot(0), V(VF));
    ROW(f, 0, vlw_v, VD(3), ref_slot(0), V(VF));
    ROW(f, 0, vadd_vv, VD(0), V(0), V(3));
    ir_ret(f, 0);
}

/* A kernel ends the warp itself, before what a function would undo. */
static void kernels_end_warps(void **state)
{
    (void)state;
    Module *m = new_module();
    add_functions(m, 4);
    ir_jump(new_kernel(m, "k", 2), 0, 1);
    Object *o = emit_module(m);
    assert_int_equal(count(o, ".text.k", I_endprg), 1);
    assert_int_equal(count(o, ".text.f", I_endprg), 0);
    obj_free(o);
    ir_free(m);
}

static void calls(void **state)
{
    (void)state;
    for (u32 big = 4; big < 20000; big *= 30) {
        Module *m = new_module();
        u32 out[ITEMS];
        add_functions(m, big);
        Func *k = new_kernel(m, "k", 4);
        const u32 f = ir_sym(m, "f", SYM_EXTERN);
        ir_slot(k, 40, 4);
        OPN(k, 0, li, XD(18), 0, K(5));
        OPN(k, 0, copy, VD(40), 0, K(3));
        OPN(k, 0, copy, VD(41), 0, K(7));
        OPN(k, 0, spillv, 0, 0, V(2));
        ROW(k, 0, vsw_v, 0, V(41), ref_slot(0), V(VF));
        OPN(k, 0, copy, VD(3), 0, K(8));
        OPN(k, 0, move, VD(0), 0, V(1));
        part(k, 0, CMP_lt, 1, 3, 1, 2, 3); /* f for the first eight, f(f) for the others */
        OPN(k, 1, call, 0, 1, ref_sym(f));
        ir_jump(k, 1, 3);
        OPN(k, 2, call, 0, 1, ref_sym(f));
        OPN(k, 2, call, 0, 1, ref_sym(f));
        ir_jump(k, 2, 3);
        ROW(k, 3, vadd_vv, VD(0), V(0), V(40));
        ROW(k, 3, vadd_vx, VD(0), V(0), X(18));
        ROW(k, 3, vlw_v, VD(1), ref_slot(0), V(VF));
        ROW(k, 3, vadd_vv, VD(0), V(0), V(1));
        OPN(k, 3, reloadv, VD(2), 0, ref_none());
        store_result(k, 3, 0);
        run(m, "k", out);
        for (u32 i = 0; i < ITEMS; i++)
            assert_int_equal(out[i], (i < 8 ? 2 * i + 1 : 4 * i + 3) + 3 + 5 + 7);
    }
}

/* f(v0, ..., two pieces on the stack) = v0 + 3 p + 5 q, with a frame of its own; k has things
 * just below the pieces */
static void arguments_on_the_stack(void **state)
{
    (void)state;
    for (u32 big = 4; big < 5000; big *= 30) {
        Module *m = new_module();
        u32 out[ITEMS];
        Func *f = ir_func(m, "f", false);
        f->nparams = 34;
        ir_block(f);
        ir_slot(f, big, 4);
        ROW(f, 0, vsw_v, 0, V(0), ref_slot(0), V(VF));
        ROW(f, 0, vlw_v, VD(3), K(0), V(VF));
        ROW(f, 0, vlw_v, VD(4), K(-4), V(VF));
        ROW(f, 0, vlw_v, VD(0), ref_slot(0), V(VF));
        OPN(f, 0, copy, VD(5), 0, K(3));
        ROW(f, 0, vmacc_vv, VD(0), V(3), V(5), V(0));
        OPN(f, 0, copy, VD(5), 0, K(5));
        ROW(f, 0, vmacc_vv, VD(0), V(4), V(5), V(0));
        ir_ret(f, 0);
        Func *k = new_kernel(m, "k", 1);
        k->max_args = 2;
        OPN(k, 0, spillv, 0, 0, V(2));
        ROW(k, 0, vadd_vi, VD(3), V(1), K(10));
        ROW(k, 0, vadd_vi, VD(4), V(1), K(-10));
        ROW(k, 0, vsw_v, 0, V(3), K(0), V(VF));
        ROW(k, 0, vsw_v, 0, V(4), K(-4), V(VF));
        OPN(k, 0, move, VD(0), 0, V(1));
        OPN(k, 0, call, 0, 34, ref_sym(f->symbol));
        OPN(k, 0, reloadv, VD(2), 0, ref_none());
        store_result(k, 0, 0);
        run(m, "k", out);
        for (u32 i = 0; i < ITEMS; i++)
            assert_int_equal(out[i], i + 3 * (i + 10) + 5 * (i - 10));
    }
}

/* A call changes registers that nobody keeps: what was put into them before is put there again. */
static void tidying_across_calls(void **state)
{
    (void)state;
    Module *m = new_module();
    u32 out[ITEMS];
    Func *f = ir_func(m, "f", false);
    ir_block(f);
    OPN(f, 0, li, XD(28), 0, K(1000));
    OPN(f, 0, copy, VD(10), 0, K(1));
    ir_ret(f, 0);
    Func *k = new_kernel(m, "k", 1);
    OPN(k, 0, move, VD(40), 0, V(2));
    OPN(k, 0, move, VD(41), 0, V(1));
    OPN(k, 0, li, XD(18), 0, K(9));
    for (int round = 0; round < 2; round++) {
        OPN(k, 0, li, XD(28), 0, K(7));    /* a constant */
        OPN(k, 0, move, VD(10), 0, V(41)); /* a copy */
        OPN(k, 0, move, XD(29), 0, X(18));
        OPN(k, 0, move, XD(18), 0, X(29)); /* vain */
        ROW(k, 0, vadd_vx, VD(10), V(10), X(28));
        OPN(k, 0, move, VD(42 + (u32)round), 0, V(10));
        OPN(k, 0, li, XD(28), 0, K(7)); /* vain */
        OPN(k, 0, move, VD(10), 0, V(41));
        OPN(k, 0, call, 0, 0, ref_sym(f->symbol));
    }
    ROW(k, 0, vadd_vv, VD(3), V(42), V(43));
    ROW(k, 0, vadd_vx, VD(3), V(3), X(18));
    OPN(k, 0, move, VD(2), 0, V(40));
    store_result(k, 0, 3);
    run(m, "k", out);
    for (u32 i = 0; i < ITEMS; i++)
        assert_int_equal(out[i], 2 * (i + 7) + 9);
}

/* --- records -------------------------------------------------------------------------- */

static void records(void **state)
{
    (void)state;
    Caught c;
    Resource r;
    Module *m = new_module();
    add_functions(m, 100);
    Func *k = new_kernel(m, "k", 1);
    k->lds_static = 512;
    OPN(k, 0, copy, VD(90), 0, V(1));
    OPN(k, 0, call, 0, 1, ref_sym(ir_sym(m, "f", SYM_EXTERN)));
    Object *o = emit_module(m);
    catch_in(&c);
    assert_true(resource_read(o, "k", &r, &c.d));
    expect_silence(&c);
    assert_int_equal(r.vgpr, 91);
    assert_int_equal(r.sgpr, 19);
    assert_int_equal(r.lds_static, 512);
    assert_int_equal(r.flags, 0);
    /* f: ra, s2, one spill */
    assert_int_equal(r.lds_stack, 12);
    /* f: 100 bytes, v40, one spill, in units of 128 */
    assert_int_equal(r.pds_stack, 128);
    obj_free(o);
    ir_free(m);
}

/* what each call adds: h has 40 bytes, a spill and v50; k calls it alone, k2 what nobody knows */
static void records_of_calls(void **state)
{
    (void)state;
    Caught c;
    Resource r;
    Module *m = new_module();
    Func *h = ir_func(m, "h", false), *k = new_kernel(m, "k", 1), *k2 = new_kernel(m, "k2", 1);
    Func *nothing = ir_func(m, "nothing", true);
    ir_ret(nothing, ir_block(nothing));
    ir_block(h);
    ir_slot(h, 40, 4);
    OPN(h, 0, spillx, 0, 0, X(7));
    OPN(h, 0, copy, VD(50), 0, V(0));
    OPN(h, 0, li, XD(60), 0, K(1));
    ir_ret(h, 0);
    OPN(k, 0, call, 0, 1, ref_sym(h->symbol));
    OPN(k2, 0, call, 0, 1, ref_sym(ir_sym(m, "nobody", SYM_EXTERN)));
    OPN(k2, 0, call, 0, 1, ref_sym(h->symbol));
    Object *o = emit_module(m);
    catch_in(&c);
    assert_true(resource_read(o, "k", &r, &c.d));
    assert_int_equal(r.vgpr, 51);
    assert_int_equal(r.sgpr, 61);
    assert_int_equal(r.lds_stack, 4);
    assert_int_equal(r.pds_stack, 128);
    assert_int_equal(r.flags, 0);
    assert_true(resource_read(o, "nothing", &r, &c.d));
    assert_int_equal(r.sgpr, A0 + 1); /* of start code, which has the arguments in a0 */
    assert_int_equal(r.vgpr, 0);
    assert_true(resource_read(o, "k2", &r, &c.d));
    assert_int_equal(r.flags, RES_UNKNOWN_CALLEE);
    assert_int_equal(r.lds_stack, 4);
    expect_silence(&c);
    obj_free(o);
    ir_free(m);
}

/* As much memory as there is, to the last byte. */
static void all_there_is(void **state)
{
    (void)state;
    Module *m = new_module();
    Func *k = new_kernel(m, "k", 1);
    k->lds_static = ABI_LOCAL_BYTES - WARP_STACK;
    OPN(k, 0, spillx, 0, WARP_STACK / 4 - 1, X(7));
    ir_slot(k, PRIVATE_END - 16, 4);
    OPN(k, 0, frame, XD(9), 0, ref_slot(0));
    obj_free(emit_module(m));
    ir_free(m);
}

/* The whole text of a kernel and of two objects, as the assembler's manual has it: places where
 * they change, eight zeros or more as .zero. */
static void text_of_a_program(void **state)
{
    (void)state;
    static const u8 bytes[28] = {1, [8] = 2, [24] = 3}, seven[8] = {[7] = 1};
    Module *m = new_module();
    Buf text = {0};
    Object *o = obj_new("t.o");
    Diag d = {0};
    Func *k = ir_func(m, "k", true);
    ir_block(k);
    k->lds_static = 64;
    for (u32 i = 0; i < 4; i++) {
        const Ins x = {.op = IR_MACHINE + I_addi, .reg = XD(9), .a = {X(7), K(i + 1)}};
        ir_append(k, 0, &x);
        k->block[0].ins[i].loc = ir_loc(m, (Loc){.line = i < 2 ? 7 : 9});
    }
    ir_note(k, (Note){.is = X(7)});
    if (ir_grow(m, k->part, k->npart, k->cappart))
        k->part[k->npart++] = (SourcePart){0, 0, 4};
    ir_append(k, 0, &(Ins){.op = IR_note});
    ir_ret(k, 0);
    Data *table = ir_data(m, "table", 32, 8, false), *zeros = ir_data(m, "zeros", 12, 4, true),
         *few = ir_data(m, "few", 8, 1, true);
    table->init = bytes, table->ninit = sizeof bytes;
    few->init = seven, few->ninit = sizeof seven;
    ir_reloc(m, table, 28, zeros->symbol, -4);
    graph_build(k);
    frame(k);
    emit(m, &(CcOptions){.assembly = &text}, o, &d);
    assert_string_equal(buf_text(&text), "\n\t.section .text.k, \"ax\", @progbits\n"
                                         "\t.p2align 2\n"
                                         "\t.kernel k\n"
                                         "\t.lds 64\n"
                                         "\t.lds_stack 0\n"
                                         "\t.private_stack 0\n"
                                         "\t.type k, @function\n"
                                         "k:\n"
                                         ".Lk_0:\n"
                                         "\t# t.cl:7\n"
                                         "\taddi s1, t2, 1\n"
                                         "\taddi s1, t2, 2\n"
                                         "\t# t.cl:9\n"
                                         "\taddi s1, t2, 3\n"
                                         "\taddi s1, t2, 4\n"
                                         "\tendprg x0, x0, x0\n"
                                         "\tret\n"
                                         "\t.size k, . - k\n"
                                         "\n\t.section .rodata.table, \"a\", @progbits\n"
                                         "\t.p2align 3\n"
                                         "\t.globl table\n"
                                         "\t.type table, @object\n"
                                         "\t.size table, 32\n"
                                         "table:\n"
                                         "\t.byte 1,0,0,0,0,0,0,0,2,0,0,0,0,0,0,0\n"
                                         "\t.zero 8\n"
                                         "\t.byte 3,0,0,0\n"
                                         "\t.word zeros-4\n"
                                         "\n\t.section .bss.zeros, \"aw\", @nobits\n"
                                         "\t.p2align 2\n"
                                         "\t.globl zeros\n"
                                         "\t.type zeros, @object\n"
                                         "\t.size zeros, 12\n"
                                         "zeros:\n"
                                         "\t.zero 12\n"
                                         "\n\t.section .data.few, \"aw\", @progbits\n"
                                         "\t.p2align 0\n"
                                         "\t.globl few\n"
                                         "\t.type few, @object\n"
                                         "\t.size few, 8\n"
                                         "few:\n"
                                         "\t.byte 0,0,0,0,0,0,0,1\n");
    obj_free(o);
    ir_free(m);
    buf_free(&text);
}

static void refuse(Module *m, const CcOptions *opt, const char *why)
{
    Caught c;
    Object *o = obj_new("t.o");
    catch_in(&c);
    finish(m);
    emit(m, opt, o, &c.d);
    expect_error(&c, why);
    obj_free(o);
    ir_free(m);
}

static void refusals(void **state)
{
    (void)state;
    Module *m = new_module();
    Func *k = new_kernel(m, "k", 1);
    k->lds_static = 64 * 1024;
    refuse(m, &(CcOptions){.lds_limit = 64 * 1024},
           "kernel 'k' has 65536 bytes of __local variables");
    m = new_module();
    add_functions(m, 4);
    OPN(m->func[0], 0, call, 0, 1, ref_sym(m->func[1]->symbol));
    refuse(m, NULL, "function 'g' is recursive");
    m = new_module();
    k = new_kernel(m, "k", 1);
    OPN(k, 0, spillx, 0, 300, X(7));
    refuse(m, NULL, "kernel 'k' needs 1204 bytes of scalar stack");
}

/* As much as there may be is taken, and a word or byte more refused; of a kernel alone. */
static void bounds(void **state)
{
    enum { ALL = 128 * 1024, STACK = 1024, PRIVATE = 16 << 20, FREE = 16 /* by frame.c */ };
    static const struct {
        u32 local, limit, spilled, private;
        const char *why; /* NULL: nothing */
    } rows[] = {
        {.local = ALL - STACK},
        {.local = ALL - STACK + 1,
         .why = "kernel 'k' has 130049 bytes of __local variables; with a warp's stack there is "
                "room for 130048"},
        {.local = 64 * 1024 - STACK, .limit = 64 * 1024},
        {.local = 64 * 1024 - STACK + 1,
         .limit = 64 * 1024,
         .why = "has 64513 bytes of __local variables; with a warp's stack there is room for "
                "64512"},
        {.local = 0, .limit = STACK},
        {.local = 1, .limit = STACK, .why = "there is room for 0"},
        {.local = 0,
         .limit = STACK - 1,
         .why = "has 0 bytes of __local variables; with a warp's stack there is room for 0"},
        {.spilled = STACK / 4},
        {.spilled = STACK / 4 + 1,
         .why = "kernel 'k' needs 1028 bytes of scalar stack; a warp has 1024"},
        {.private = PRIVATE - FREE},
        {.private = PRIVATE - FREE + 4,
         .why = " bytes of private memory; a work-item can have 16777216"},
    };
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        Module *m = new_module();
        Func *k = new_kernel(m, "k", 1);
        k->lds_static = rows[i].local;
        if (rows[i].spilled)
            OPN(k, 0, spillx, 0, (i32)rows[i].spilled - 1, X(7));
        if (rows[i].private) {
            ir_slot(k, PRIVATE / 2, 4);
            ir_slot(k, rows[i].private - PRIVATE / 2, 4);
        }
        Caught c;
        Object *o = obj_new("t.o");
        catch_in(&c);
        finish(m);
        emit(m, &(CcOptions){.lds_limit = rows[i].limit}, o, &c.d);
        if (rows[i].why)
            expect_error(&c, rows[i].why);
        else
            expect_silence(&c);
        obj_free(o);
        ir_free(m);
    }
}

/* What must not be is a failed build with a report, and not the end of the process. */
static void mistakes(void **state)
{
    (void)state;
    static const struct {
        Ins i;
        const char *why;
    } rows[] = {
        {{.op = IR_MACHINE + I_addi,
          .reg = XD(5),
          .a = {{.kind = R_VAL, .val = 1}, {.kind = R_CON}}},
         "operand 1 of kind 1 has no register, in k"},
        {{.op = IR_MACHINE + I_addi,
          .reg = XD(5),
          .a = {{.kind = R_REG, .val = 5}, {.kind = R_BLK}}},
         "addi: operand of kind 5 where a number is wanted, in k"},
        {{.op = IR_MACHINE + I_addi,
          .reg = XD(5),
          .a = {{.kind = R_REG, .val = 5}, {.kind = R_CON, .val = 4096}}},
         "addi: operand 2 is 4096, in k"},
        {{.op = IR_li, .reg = XD(5), .a = {{.kind = R_SLOT}}}, "li of an operand of kind 4 in k"},
        {{.op = IR_fma, .reg = VD(5)}, "fma in k cannot be emitted"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        Caught c;
        Object *o = obj_new("t.o");
        Module *m = new_module();
        Func *k = new_kernel(m, "k", 1);
        ir_value_in(k, BANK_X);
        add(k, 0, rows[i].i);
        ir_ret(k, 0);
        catch_in(&c);
        graph_build(k);
        frame(k);
        emit(m, NULL, o, &c.d);
        expect_silence(&c);
        assert_true(m->failed);
        assert_string_equal(m->mistake, rows[i].why);
        obj_free(o);
        ir_free(m);
    }
    Caught c;
    Module *m = new_module();
    Func *k = ir_func(m, "k", true);
    ir_ret(k, ir_block(k));
    ir_mistake(m, "the first is kept");
    ir_mistake(m, "and not the second");
    catch_in(&c);
    assert_null(cc_compile(m, &(CcOptions){0}, &c.d));
    expect_error(&c, "internal error, please report it: the first is kept");
    ir_free(m);
}

/* --- the line table ------------------------------------------------------------------- */

/* what the public reader says of every word of the kernel */
static void line_table(void **state)
{
    (void)state;
    if (system("command -v llvm-addr2line >/dev/null 2>&1"))
        skip_because("no llvm-addr2line");
    char path[] = "/tmp/emit_testXXXXXX", line[200], name[200];
    Module *m = new_module();
    Buf file = {0}, command = {0};
    Caught c;
    Func *f = collatz(m);
    add_functions(m, 4);
    Object *image = link_module(m);
    catch_in(&c);
    assert_true(obj_write(image, &file, &c.d));
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, file.data, file.len) == (ssize_t)file.len && !close(fd));
    const ObjSymbol *s = &image->symbols[obj_find_symbol(image, "k")];
    assert_int_equal(s->type, STT_FUNC);
    buf_printf(&command, "llvm-addr2line -f -e %s", path);
    for (u32 at = s->value; at < s->value + s->size; at += 4)
        buf_printf(&command, " 0x%x", at);
    FILE *p = popen(buf_text(&command), "r");
    assert_non_null(p);
    bool seen[100] = {false};
    for (u32 at = 0; at < s->size; at += 4) {
        assert_non_null(fgets(name, sizeof name, p));
        assert_non_null(fgets(line, sizeof line, p));
        assert_string_equal(name, "k\n");
        const char *colon = strrchr(line, ':');
        assert_true(colon && atoi(colon + 1) > 0 && atoi(colon + 1) < 100);
        assert_true(colon - line >= 4 && !strncmp(colon - 4, "t.cl", 4));
        seen[atoi(colon + 1)] = true;
    }
    pclose(p);
    /* every place that the function names, and no other (line 0 of them is none) */
    for (u32 b = 0; b < f->nblock; b++)
        for (u32 i = 0; i < f->block[b].nins; i++) {
            const Loc *l = &m->loc[f->block[b].ins[i].loc];
            assert_true(!l->line || seen[l->line]);
        }
    unlink(path);
    obj_free(image);
    ir_free(m);
    buf_free(&file);
    buf_free(&command);
}

/* --- callers -------------------------------------------------------------------------- */

/* What .debug_frame says of the caller at one word, whose registers are x. */
typedef struct {
    u32 cfa, sp, tp, ra_at;
    u8 ra;
} Caller;

enum {
    CFA_nop,
    CFA_advance4 = 4,
    CFA_undefined = 7,
    CFA_same = 8,
    CFA_cfa = 15,
    CFA_place,
    CFA_value = 22
};
enum { OP_neg_ = 0x1f, OP_breg0 = 0x70 };

static i64 leb(const u8 **p, bool has_sign)
{
    i64 n = 0;
    u32 at = 0;
    do {
        n |= (i64)(**p & 0x7f) << at;
        at += 7;
    } while (*(*p)++ & 0x80);
    return has_sign && (*p)[-1] & 0x40 ? n - ((i64)1 << at) : n;
}

static u32 word_at(const u8 *p)
{
    u32 w;
    memcpy(&w, p, 4);
    return w;
}

static u32 expression(const u8 **p, const u32 *x)
{
    const i64 len = leb(p, false);
    const u8 *end = *p + len;
    u32 value = 0;
    while (*p < end) {
        const u8 op = *(*p)++;
        assert_true(op == OP_neg_ || (op >= OP_breg0 && op < OP_breg0 + 32));
        value = op == OP_neg_ ? -value : x[op - OP_breg0] + (u32)leb(p, true);
    }
    assert_ptr_equal(*p, end);
    return value;
}

/* Takes the rules in p..end that hold at byte `pc` of the function. */
static void follow(const u8 *p, const u8 *end, u32 pc, const u32 *x, Caller *c)
{
    for (u32 at = 0; p < end && at <= pc;) {
        const u8 rule = *p++;
        if (rule == CFA_nop)
            continue;
        if (rule == CFA_advance4) {
            at += word_at(p);
            assert_int_equal(at % 4, 0);
            p += 4;
            continue;
        }
        const i64 reg = rule == CFA_cfa ? 0 : leb(&p, false);
        const u32 value = rule == CFA_undefined || rule == CFA_same ? 0 : expression(&p, x);
        if (rule == CFA_cfa)
            c->cfa = value;
        else if (reg == 1)
            c->ra = rule, c->ra_at = value;
        else if (rule == CFA_value && reg == 2)
            c->sp = value;
        else if (rule == CFA_value && reg == 4)
            c->tp = value;
        else
            fail_msg("rule %u for register %d", rule, (int)reg);
    }
}

/* What a word does to the scalar registers, and to the word at `kept` that holds the first ra. */
static void step(const Insn *in, u32 *x, u32 *kept, u32 first_ra)
{
    const i32 *o = in->opd;
    u32 next = x[0];
    switch (in->id) {
    case I_addi: next = x[o[1]] + (u32)o[2]; break;
    case I_add: next = x[o[1]] + x[o[2]]; break;
    case I_lui: next = (u32)o[1] << 12; break;
    case I_lw: next = o[0] == 1 && x[o[2]] + (u32)o[1] == *kept ? first_ra : 0xdead; break;
    case I_jalr: next = o[0] ? 0xbeef : 0; break;
    case I_sw:
        if (o[0] == 1 && x[1] == first_ra)
            *kept = x[o[2]] + (u32)o[1];
        return;
    default: return;
    }
    if (o[0])
        x[o[0]] = next;
}

/* Follows the words of the function from one to the next; how many. */
static u32 follow_function(const Object *image, const char *name, const u8 *rules, const u8 *end,
                           const u8 *first, const u8 *first_end)
{
    const u32 sp = 0x90000100, tp = 0x1000, ra = 0x80000123;
    const ObjSymbol *s = &image->symbols[obj_find_symbol(image, name)];
    const ObjSection *text = &image->sections[s->section];
    const bool is_kernel = !strcmp(name, "k");
    u32 x[64] = {[1] = ra, [2] = sp, [4] = tp}, kept = 0, at = 0;
    IsaDecoder dec;
    isa_decoder_init(&dec, V202);
    for (; at < s->size; at += 4) {
        Caller c = {0};
        Insn in;
        follow(first, first_end, 0, x, &c);
        follow(rules, end, at, x, &c);
        assert_int_equal(c.sp, sp);
        assert_int_equal(c.tp, tp);
        assert_int_equal(c.cfa, -sp);
        if (is_kernel)
            assert_int_equal(c.ra, CFA_undefined);
        else if (c.ra == CFA_same)
            assert_int_equal(x[1], ra);
        else
            assert_true(c.ra == CFA_place && kept && c.ra_at == kept);
        assert_true(isa_decode(&dec, word_at(text->data.data + s->value - text->addr + at), &in));
        step(&in, x, &kept, ra);
    }
    assert_int_equal(kept != 0, !strcmp(name, "f"));
    return at / 4;
}

/* At every word a debugger finds the registers of the caller (DWARF 4, 6.4): f calls and has
 * frames, h has them and calls nobody, g has none, and nobody called the kernel k. */
static void registers_of_callers(void **state)
{
    (void)state;
    for (u32 big = 4; big < 20000; big *= 30) {
        Module *m = new_module();
        add_functions(m, big);
        Func *h = ir_func(m, "h", false), *k = new_kernel(m, "k", 1);
        ir_block(h);
        ir_slot(h, big, 4);
        OPN(h, 0, li, XD(18), 0, K(3));
        ROW(h, 0, vsw_v, 0, V(0), ref_slot(0), V(VF));
        ir_ret(h, 0);
        OPN(k, 0, spillv, 0, 0, V(2));
        OPN(k, 0, call, 0, 1, ref_sym(ir_sym(m, "f", SYM_EXTERN)));
        OPN(k, 0, call, 0, 1, ref_sym(h->symbol));
        Object *image = link_module(m);
        const ObjSection *s = section_of(image, ".debug_frame");
        const u8 *p = s->data.data, *all = p + s->data.len, *first = p + 4,
                 *first_end = first + word_at(p);
        static const u8 head[] = {0xff, 0xff, 0xff, 0xff, 4, 0, 4, 0, 1, 1, 1};
        assert_memory_equal(first, head, sizeof head);
        first += sizeof head;
        u32 functions = 0, words = 0;
        for (p = first_end; p < all; p += 4 + word_at(p)) {
            const u32 address = word_at(p + 8);
            assert_int_equal(word_at(p) % 4, 0);
            assert_int_equal(word_at(p + 4), 0);
            for (size_t i = 0; i < image->nsymbols; i++) {
                const ObjSymbol *f = &image->symbols[i];
                if (f->type != STT_FUNC || f->value != address)
                    continue;
                assert_int_equal(word_at(p + 12), f->size);
                words +=
                    follow_function(image, f->name, p + 16, p + 4 + word_at(p), first, first_end);
                functions++;
            }
        }
        assert_int_equal(functions, 4);
        assert_true(words > 40);
        obj_free(image);
        ir_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(high_registers),
        cmocka_unit_test(every_row),
        cmocka_unit_test(constants),
        cmocka_unit_test(conditional_moves),
        cmocka_unit_test(data_and_addresses),
        cmocka_unit_test(addresses_are_sorted),
        cmocka_unit_test(divergent_branches),
        cmocka_unit_test(mixed_lengths),
        cmocka_unit_test(rpc_is_set_once),
        cmocka_unit_test(kernels_end_warps),
        cmocka_unit_test(rpc_is_set_before_the_loop),
        cmocka_unit_test(rpc_has_one_base),
        cmocka_unit_test(rpc_of_the_side_that_waits),
        cmocka_unit_test(loops),
        cmocka_unit_test(rpc_of_one_way),
        cmocka_unit_test(rpc_after_a_call),
        cmocka_unit_test(uniform_loop),
        cmocka_unit_test(spills),
        cmocka_unit_test(parked),
        cmocka_unit_test(slots),
        cmocka_unit_test(calls),
        cmocka_unit_test(arguments_on_the_stack),
        cmocka_unit_test(tidying_across_calls),
        cmocka_unit_test(records),
        cmocka_unit_test(records_of_calls),
        cmocka_unit_test(all_there_is),
        cmocka_unit_test(text_of_a_program),
        cmocka_unit_test(refusals),
        cmocka_unit_test(bounds),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(line_table),
        cmocka_unit_test(registers_of_callers),
    };
    const int failed = cmocka_run_group_tests_name("as it is", tests, NULL, NULL);
    with_tidy = true;
    return failed + cmocka_run_group_tests_name("tidy", tests, NULL, NULL);
}
