/* What must hold of the assembler beyond the rows: prefixes, relaxation, expressions,
 * relocations, kernels, and that every message can be had. */
#include "test/kit/leftover.h"
#include "test/kit/assemble.h"

static u64 random_bits(void)
{
    static u64 s = 88172645463325252u;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return s;
}

static u32 below(u32 n) { return (u32)(random_bits() % n); }

static u32 word_at(const ObjSection *s, size_t at)
{
    u32 w;
    assert_true(at + 4 <= s->data.len);
    memcpy(&w, s->data.data + at, 4);
    return w;
}

/* --- prefixes ----------------------------------------------------------------------- */

/* An instance with registers of any number, as it is to be written. */
static bool with_high_registers(InsnId id, Insn *in)
{
    const FormatInfo *f = isa_format_of(id);
    bool any = false;
    *in = (Insn){.id = id};
    for (int i = 0; i < f->nopd; i++) {
        const OperandInfo *o = &isa_operand[f->opd[i]];
        if (o->kind == K_MASK || o->kind == K_RM)
            in->opd[i] = o->kind == K_RM ? 7 : 1;
        if ((o->kind != K_XREG && o->kind != K_VREG) || o->slot == SLOT_NONE)
            continue;
        in->opd[i] = (i32)below(o->kind == K_VREG ? 256 : 64);
        any = true;
    }
    return any && !isa_is_prefix(id) && isa_insn[id].sets & V202;
}

/* What the words say: operands of the last one under the prefix before it. */
static Insn read_back(const ObjSection *s)
{
    static IsaDecoder d;
    Insn in, prefix;
    IsaPrefix p = {0};
    isa_decoder_init(&d, V202);
    assert_true(isa_decode(&d, word_at(s, s->data.len - 4), &in));
    if (s->data.len == 8) {
        assert_true(isa_decode(&d, word_at(s, 0), &prefix));
        p = isa_prefix(&prefix);
    }
    const FormatInfo *f = isa_format_of(in.id);
    for (int i = 0; i < f->nopd; i++) {
        const OperandKind kind = (OperandKind)isa_operand[f->opd[i]].kind;
        if (kind == K_XREG || kind == K_VREG)
            in.opd[i] = isa_extend(&p, (OperandId)f->opd[i], in.opd[i]);
    }
    return in;
}

static void registers_above_31_get_their_prefix(void **state)
{
    (void)state;
    for (int k = 0; k < 4 * NINSN; k++) {
        Buf text = {0};
        Insn in;
        if (!with_high_registers((InsnId)(k % NINSN), &in))
            continue;
        /* isa_print() writes what it is given */
        isa_print(&text, &in, &(IsaPrint){.raw = true});
        Object *o = assemble(buf_text(&text), V202);
        const Insn got = read_back(&o->sections[0]);
        assert_int_equal(got.id, in.id);
        for (int i = 0; i < isa_format_of(in.id)->nopd; i++)
            if (got.opd[i] != in.opd[i])
                fail_msg("%s: operand %d is %d", buf_text(&text), i, got.opd[i]);
        obj_free(o);
        buf_free(&text);
    }
}

static void wide_immediates_get_their_prefix(void **state)
{
    (void)state;
    for (int v = -1024; v < 1024; v++) {
        char text[64];
        IsaDecoder d;
        Insn in, prefix;
        snprintf(text, sizeof text, "vand.vi v40, v70, %d", v);
        Object *o = assemble(text, V202);
        const ObjSection *s = &o->sections[0];
        isa_decoder_init(&d, V202);
        assert_int_equal(s->data.len, 8);
        assert_true(isa_decode(&d, word_at(s, 0), &prefix) && isa_decode(&d, word_at(s, 4), &in));
        const IsaPrefix p = isa_prefix(&prefix);
        assert_int_equal(isa_extend(&p, O_vd, in.opd[0]), 40);
        assert_int_equal(isa_extend(&p, O_vs2, in.opd[1]), 70);
        assert_int_equal(isa_extend_imm(&p, O_simm5, in.opd[2]), v);
        obj_free(o);
    }
}

/* --- relaxation ----------------------------------------------------------------------- */

enum { BRANCHES = 300, MOST_GAP = 40 };

typedef struct { int target, kind; } Branch;

static const char *const branch_text[] = {"beq a0, a1", "vbgeu v1, v2", "bnez t0", "vblt v40, v9",
                                          "bleu a0, x40", "j", "bltz s0"};
static const u8 inverse_of[] = {1, 0, 0, 0, 5, 4, 7, 6}; /* of funct3 */

/* label i: filler, branch i to some label.  Fillers are words, so that a label's place
 * can be found again from the words alone. */
static void put_program(Buf *b, Branch *branches)
{
    for (int i = 0; i < BRANCHES; i++) {
        branches[i] = (Branch){(int)below(BRANCHES), (int)below(countof(branch_text))};
        buf_printf(b, "L%d: .word %d\n", i, 0x7fff0000 + i);
        if (i % 50 == 7)
            buf_printf(b, ".p2align %u\n", 3 + below(4));
        buf_printf(b, ".zero %u\n", 4 * below(MOST_GAP));
        buf_printf(b, "%s%s L%d\n", branch_text[branches[i].kind],
                   branches[i].kind == 5 ? "" : ",", branches[i].target);
    }
}

static u32 find_word(const ObjSection *s, u32 word)
{
    for (size_t at = 0; at < s->data.len; at += 4)
        if (word_at(s, at) == word)
            return (u32)at;
    fail_msg("word %08x is lost", word);
    return 0;
}

/* Where the branch whose first word is at `at` goes, short or long. */
static i64 where_to(const ObjSection *s, u32 at)
{
    const u32 w = word_at(s, at);
    if ((w & 0x7f) == 0x6f)
        return (i64)at + isa_get(O_relJ, w);
    const i32 d = isa_get(O_relB, w);
    const bool is_long = d == 8 && at + 8 <= s->data.len && (word_at(s, at + 4) & 0xfff) == 0x6f;
    return is_long ? (i64)at + 4 + isa_get(O_relJ, word_at(s, at + 4)) : (i64)at + d;
}

/* the first word of branch i: after its label, filler of zeros, nops and its prefix */
static u32 find_branch(const ObjSection *s, int i)
{
    u32 at = find_word(s, 0x7fff0000u + (u32)i) + 4;
    for (;; at += 4) {
        const u32 w = word_at(s, at);
        if (w && w != 0x13 && (w & 0x707f) != 0x200b)
            return at;
    }
}

static bool is_inverted(u32 word, u32 as_written)
{
    return (word >> 12 & 7) == inverse_of[as_written >> 12 & 7];
}

/* where the section's address is not known, the name beside it counts (words: RISC-V, J and B formats) */
static void listed_targets_are_found_by_name(void **state)
{
    (void)state;
    expect_words("foo: nop\n j 80000000 <foo>\n beq a0, a1, 0x80000004 <foo+0x4>\n j 80000010 <oo>\noo: nop\n", V202, ".text",
                 "00000013 ffdff06f feb50ee3 0040006f 00000013");
}

/* the last words of a section */
static void expect_end(const char *text, const u32 *words, size_t n)
{
    Object *o = assemble(text, V202);
    const Buf *b = &section_of(o, ".text")->data;
    assert_memory_equal(b->data + b->len - 4 * n, words, 4 * n);
    obj_free(o);
}

/* the registers of join, which mean nothing, are also written as vector registers; one offset */
static void joins_have_two_forms(void **state)
{
    (void)state;
    for (int k = -8; k <= 8; k += 4) {
        char text[60];
        const u32 word = word_of({I_join, {0, 0, k}});
        snprintf(text, sizeof text, " nop\n nop\n join v0, v0, %d\n", k);
        expect_end(text, &word, 1);
        snprintf(text, sizeof text, " nop\n nop\n join zero, zero, %d\n", k);
        expect_end(text, &word, 1);
    }
}

/* back to labels whose distance is known at once, at the limit and behind it; also over a run of known length */
static void known_distances_relax_at_the_limit(void **state)
{
    (void)state;
    const u32 nearest[] = {word_of({I_beq, {10, 11, -4096}})};
    const u32 farther[] = {word_of({I_bne, {10, 11, 8}}), word_of({I_jal, {0, -4104}})};
    expect_end(".Lx: .zero 4096\n beq a0, a1, .Lx\n", nearest, 1);
    expect_end(".Lx: .zero 4100\n beq a0, a1, .Lx\n", farther, 2);
    expect_end("1: .zero 4100\n beq a0, a1, 1b\n", farther, 2);
    obj_free(assemble("a: .zero 100\n.if . - a - 100\n.error \"it is known\"\n.endif\n", V202));
}

static void branches_reach_their_targets(void **state)
{
    (void)state;
    for (int k = 0; k < 20; k++) {
        Branch branches[BRANCHES];
        Buf b = {0};
        int nlong = 0;
        put_program(&b, branches);
        Object *o = assemble(buf_text(&b), V202);
        const ObjSection *s = &o->sections[0];
        for (int i = 0; i < BRANCHES; i++) {
            const u32 at = find_branch(s, i),
                      to = find_word(s, 0x7fff0000u + (u32)branches[i].target);
            if (where_to(s, at) != to)
                fail_msg("branch %d goes to %lld, not %u", i, (long long)where_to(s, at), to);
            char alone[64];
            snprintf(alone, sizeof alone, "%s%s 0", branch_text[branches[i].kind],
                     branches[i].kind == 5 ? "" : ",");
            Object *short_ = assemble(alone, V202);
            const ObjSection *t = &short_->sections[0];
            const u32 written = word_at(t, t->data.len - 4);
            const bool is_long = branches[i].kind != 5 && is_inverted(word_at(s, at), written);
            const i64 distance = (i64)to - at;
            if (is_long)
                nlong++;
            else if (branches[i].kind != 5)
                assert_true(distance >= -4096 && distance <= 4094);
            obj_free(short_);
        }
        assert_true(nlong > 10 && nlong < BRANCHES);
        obj_free(o);
        buf_free(&b);
    }
}

/* exactly at the limits, and one step beyond */
static void branches_relax_at_the_limit(void **state)
{
    static const struct { int gap; bool back; size_t size; } cases[] = {
        {4088, false, 4}, {4092, false, 8}, {4096, true, 4}, {4100, true, 8},
    };
    (void)state;
    for (size_t i = 0; i < countof(cases); i++) {
        char text[100];
        snprintf(text, sizeof text, cases[i].back ? "L: .zero %d\nbeq a0, a1, L" :
                 "beq a0, a1, L\n.zero %d\nL:", cases[i].gap);
        Object *o = assemble(text, V202);
        assert_int_equal(o->sections[0].data.len - (size_t)cases[i].gap, cases[i].size);
        obj_free(o);
    }
}

/* --- expressions ------------------------------------------------------------------------ */

typedef struct { const char *text; int level; } Operator;

static const Operator operators[] = {
    {"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<", 3}, {">", 3}, {"<=", 3}, {">=", 3},
    {"+", 4}, {"-", 4}, {"|", 5}, {"&", 5}, {"^", 5}, {"*", 6}, {"/", 6}, {"%", 6}, {"<<", 6},
    {">>", 6},
};

static i64 apply(const char *op, i64 x, i64 y)
{
    switch (op[0] | op[1] << 8) {
    case '|' | '|' << 8: return x || y;
    case '&' | '&' << 8: return x && y;
    case '=' | '=' << 8: return -(x == y);
    case '!' | '=' << 8: return -(x != y);
    case '<' | '=' << 8: return -(x <= y);
    case '>' | '=' << 8: return -(x >= y);
    case '<' | '<' << 8: return y < 0 || y > 63 ? 0 : (i64)((u64)x << y);
    case '>' | '>' << 8: return y < 0 || y > 63 ? 0 : (i64)((u64)x >> y);
    case '<': return -(x < y);
    case '>': return -(x > y);
    case '+': return (i64)((u64)x + (u64)y);
    case '-': return (i64)((u64)x - (u64)y);
    case '|': return x | y;
    case '&': return x & y;
    case '^': return x ^ y;
    case '*': return (i64)((u64)x * (u64)y);
    case '/': return y == -1 ? (i64)-(u64)x : x / y;
    case '%': return y == -1 ? 0 : x % y;
    }
    fail_msg("operator %s", op);
    return 0;
}

/* An expression of at least `level`, written with the fewest parentheses, and its value;
 * numbers are written as such or as symbols defined later. */
static i64 put_expression(Buf *b, int depth, int level)
{
    if (!depth || !below(4)) {
        const i64 v = (i64)below(100);
        buf_printf(b, below(3) ? "%lld" : "n%lld", (long long)v);
        return v;
    }
    if (!below(5)) {
        static const char signs[] = "-~!";
        const char sign = signs[below(3)];
        buf_printf(b, "%c ", sign);
        const i64 v = put_expression(b, 0, 7);
        return sign == '-' ? -v : sign == '~' ? ~v : !v;
    }
    const Operator *op = &operators[below(countof(operators))];
    const bool parentheses = op->level < level;
    buf_str(b, parentheses ? "(" : "");
    const i64 x = put_expression(b, depth - 1, op->level);
    buf_printf(b, " %s ", op->text);
    const size_t right = b->len;
    i64 y = put_expression(b, depth - 1, op->level + 1);
    if ((op->text[0] == '/' || op->text[0] == '%') && !y) {
        b->len = right;
        b->data[right] = 0;
        buf_str(b, "3");
        y = 3;
    }
    buf_str(b, parentheses ? ")" : "");
    return apply(op->text, x, y);
}

/* the object as a file, with each comma of the text replaced */
static Buf file_with_commas(const char *text, const char *comma)
{
    Buf b = {0}, file = {0};
    Diag d = {0};
    for (; *text; text++)
        if (*text == ',')
            buf_str(&b, comma);
        else
            buf_put(&b, text, 1);
    Object *o = assemble(buf_text(&b), V202);
    assert_true(obj_write(o, &file, &d));
    obj_free(o);
    buf_free(&b);
    return file;
}

/* in every kind of statement with commas */
static void blanks_around_commas_mean_nothing(void **state)
{
    static const char *const texts[] = {
        "add a0,a1,a2",
        "lw a0,4(a1)",
        "vadd.vv v1,v2,v3,v0.t",
        "beq a0,a1,ext",
        "li a0,0x12345678",
        "la a0,ext",
        ".byte 1,2,3",
        ".word 1,ext,-1",
        ".float 1.5,2.5",
        ".ascii \"a\",\"b\"",
        ".uleb128 1,300",
        ".zero 4,1",
        ".fill 3,2,1",
        ".balign 16,0",
        ".p2align 3,0,4",
        ".org 8,1",
        ".comm c,8,4",
        ".lcomm c,8,4",
        ".section .d,\"aw\",@progbits\n.word 1",
        ".type f,@function\n.size f,4\nf: nop",
        ".set s,5\n.word s",
        ".reloc 0,R_RISCV_32,ext\n.word 0",
        ".irp r,1,2\n.byte \\r\n.endr",
        ".macro m x,y=3\n.byte \\x,\\y\n.endm\nm 1,2\nm 1",
    };
    (void)state;
    for (size_t i = 0; i < countof(texts); i++) {
        Buf plain = file_with_commas(texts[i], ",");
        static const char *const commas[] = {" ,", ", ", "\t,  ", "/**/,/* a comment */"};
        for (size_t k = 0; k < countof(commas); k++) {
            Buf other = file_with_commas(texts[i], commas[k]);
            if (other.len != plain.len || memcmp(other.data, plain.data, plain.len) != 0)
                fail_msg("'%s' is another object with '%s'", texts[i], commas[k]);
            buf_free(&other);
        }
        buf_free(&plain);
    }
}

/* each compares its number with 0 */
static void conditions_compare_with_zero(void **state)
{
    static const struct {
        const char *name;
        bool is[3]; /* of -1, 0, 1 */
    } conditions[] = {
        {".if", {true, false, true}},    {".ifne", {true, false, true}},
        {".ifeq", {false, true, false}}, {".iflt", {true, false, false}},
        {".ifle", {true, true, false}},  {".ifgt", {false, false, true}},
        {".ifge", {false, true, true}},
    };
    (void)state;
    for (size_t i = 0; i < countof(conditions); i++)
        for (int v = -1; v <= 1; v++) {
            char text[80], want[9];
            snprintf(text, sizeof text, "%s %d\n .word 1\n.else\n .word 2\n.endif\n",
                     conditions[i].name, v);
            snprintf(want, sizeof want, "%08x", conditions[i].is[v + 1] ? 1 : 2);
            expect_words(text, V202, ".text", want);
        }
}

static void expressions_are_computed_as_in_gnu_as(void **state)
{
    enum { EXPRESSIONS = 3000 };
    static i64 want[EXPRESSIONS];
    Buf b = {0};
    (void)state;
    for (int i = 0; i < EXPRESSIONS; i++) {
        buf_str(&b, ".quad ");
        want[i] = put_expression(&b, 5, 1);
        buf_str(&b, "\n");
    }
    for (int i = 0; i < 100; i++)
        buf_printf(&b, "n%d = %d\n", i, i);
    Object *o = assemble(buf_text(&b), V202);
    assert_memory_equal(o->sections[0].data.data, want, sizeof want);
    obj_free(o);
    buf_free(&b);
}

/* --- relocations --------------------------------------------------------------------------- */

static void expect_reloc(const Object *o, const char *section, size_t i, u32 offset, u32 type,
                         const char *symbol, i32 addend)
{
    const ObjSection *s = section_of(o, section);
    assert_true(i < s->nrelocs);
    const ObjReloc *r = &s->relocs[i];
    if (r->offset != offset || r->type != type || strcmp(o->symbols[r->symbol].name, symbol) ||
        r->addend != addend)
        fail_msg("relocation %zu is %x %u %s%+d", i, r->offset, r->type,
                 o->symbols[r->symbol].name, r->addend);
}

static void what_the_linker_must_know_is_relocated(void **state)
{
    (void)state;
    Object *o = assemble("f: beq a0, a1, ext\n vbne v40, v1, ext+8\n j ext\n call ext\n"
                         "lui a0, %hi(ext+4)\n lw a0, %lo(ext+4)(a0)\n sw a0, %lo(d)(a0)\n"
                         "1: auipc t1, %pcrel_hi(ext)\n setrpc zero, t1, %pcrel_lo(1b)\n"
                         "vlw12.v v1, %lo(ext)(v2)\n vadd12.vi v1, v2, %lo(ext)\n"
                         ".data\n d: .word ext, d+4, ext-d\n.dword ext\n.half a-b\n", V202);
    expect_reloc(o, ".text", 0, 0, R_RISCV_BRANCH, "ext", 0);
    expect_reloc(o, ".text", 1, 8, R_RISCV_BRANCH, "ext", 8);
    expect_reloc(o, ".text", 2, 12, R_RISCV_JAL, "ext", 0);
    expect_reloc(o, ".text", 3, 16, R_RISCV_CALL_PLT, "ext", 0);
    expect_reloc(o, ".text", 4, 24, R_RISCV_HI20, "ext", 4);
    expect_reloc(o, ".text", 5, 28, R_RISCV_LO12_I, "ext", 4);
    expect_reloc(o, ".text", 6, 32, R_RISCV_LO12_S, "d", 0);
    expect_reloc(o, ".text", 7, 36, R_RISCV_PCREL_HI20, "ext", 0);
    assert_int_equal(section_of(o, ".text")->relocs[8].type, R_RISCV_PCREL_LO12_I);
    assert_int_equal(o->symbols[section_of(o, ".text")->relocs[8].symbol].value, 36);
    expect_reloc(o, ".text", 9, 44, R_RISCV_LO12_I, "ext", 0);
    expect_reloc(o, ".text", 10, 48, R_RISCV_LO12_I, "ext", 0);
    expect_reloc(o, ".data", 0, 0, R_RISCV_32, "ext", 0);
    expect_reloc(o, ".data", 1, 4, R_RISCV_32, "d", 4);
    expect_reloc(o, ".data", 2, 8, 57, "ext", 8); /* R_RISCV_32_PCREL */
    expect_reloc(o, ".data", 3, 12, R_RISCV_64, "ext", 0);
    expect_reloc(o, ".data", 4, 20, R_RISCV_ADD16, "a", 0);
    expect_reloc(o, ".data", 5, 20, R_RISCV_SUB16, "b", 0);
    obj_free(o);
}

/* the label that a relocation needs is at the auipc, after the prefix that we put */
static void pcrel_pairs_work_through_prefixes(void **state)
{
    (void)state;
    Object *o = assemble("1: auipc x40, %pcrel_hi(ext)\n addi x41, x40, %pcrel_lo(1b)\n"
                         "2: auipc x40, %pcrel_hi(here)\n addi x41, x40, %pcrel_lo(2b)\nhere:",
                         V202);
    const ObjSection *s = section_of(o, ".text");
    assert_int_equal(s->nrelocs, 2);
    assert_int_equal(s->relocs[0].offset, 4);
    assert_int_equal(s->relocs[1].offset, 12);
    assert_int_equal(o->symbols[s->relocs[1].symbol].value, 4);
    assert_int_equal(isa_get(O_imm12, word_at(s, 28)), 32 - 20);
    obj_free(o);
}

static void weak_symbols_are_left_to_the_linker(void **state)
{
    (void)state;
    Object *o = assemble(".weak f\nf: j f\n.globl g\ng: j g\n", V202);
    assert_int_equal(section_of(o, ".text")->nrelocs, 1);
    expect_reloc(o, ".text", 0, 0, R_RISCV_JAL, "f", 0);
    obj_free(o);
}

/* --- kernels -------------------------------------------------------------------------- */

static Resource resources(const char *text, const char *kernel, IsaSet set)
{
    Caught c;
    Resource r;
    Object *o = assemble(text, set);
    catch_in(&c);
    assert_true(resource_read(o, kernel, &r, &c.d));
    expect_silence(&c);
    obj_free(o);
    return r;
}

static void kernels_have_records_of_what_they_use(void **state)
{
    static const char text[] =
        ".kernel a\n.lds 128\n.private 8\na: vadd.vv v5, v70, v1\n add x7, x9, x8\n ret\n"
        ".kernel b\n.lds_stack 64\nb: add x40, x1, x1\n addi sp, sp, 8\n call ext\n ret\n"
        ".type f, @function\nf: vmv.v.x v9, tp\n ret\n";
    (void)state;
    Resource r = resources(text, "a", V202);
    assert_int_equal(r.form, RES_LONG);
    assert_int_equal(r.vgpr, 71);
    assert_int_equal(r.sgpr, 10); /* x9 of its own; f has tp */
    assert_int_equal(r.lds_static, 128);
    assert_int_equal(r.pds_static, 8);
    assert_int_equal(r.lds_stack, 0);
    assert_true(r.pds_stack == UINT64_MAX && r.flags == RES_NO_STACK_PEAK);
    r = resources(text, "b", V202);
    assert_int_equal(r.vgpr, 10);
    assert_int_equal(r.sgpr, 41);
    assert_int_equal(r.lds_stack, 64);
    assert_int_equal(r.flags, RES_NO_STACK_PEAK | RES_UNKNOWN_CALLEE);
    /* each stack by itself, whatever comes after what touches it */
    r = resources(".kernel k\nk: addi sp, sp, 8\n add x9, x9, x9\n ret\n", "k", V202);
    assert_true(r.lds_stack == UINT64_MAX && r.pds_stack == 0 && r.flags == RES_NO_STACK_PEAK);
    r = resources(".kernel k\n.private_stack 16\nk: vmv.v.x v9, tp\n add x9, x9, x9\n ret\n", "k", V202);
    assert_true(r.lds_stack == 0 && r.pds_stack == 16 && r.flags == 0);
    assert_int_equal(resources(text, "", V202).form, RES_NONE); /* f is not exported */
    /* each jump that leaves the file, from the kernel itself or from what it may call */
    static const char *const jumps[] = {"call ext", "j ext", "jal ext", "beq a0, a1, ext"};
    for (size_t i = 0; i < countof(jumps); i++) {
        char away[120];
        snprintf(away, sizeof away, ".kernel k\nk: %s\n endprg\n", jumps[i]);
        assert_int_equal(resources(away, "k", V202).flags, RES_UNKNOWN_CALLEE);
        snprintf(away, sizeof away, ".kernel k\nk: ret\n.type f, @function\nf: %s\n endprg\n", jumps[i]);
        assert_int_equal(resources(away, "k", V202).flags, RES_UNKNOWN_CALLEE);
    }
    assert_int_equal(resources(".kernel k\nk: la a0, ext\n ret\n", "k", V202).flags, 0);
}

static void one_exported_label_is_the_kernel(void **state)
{
    (void)state;
    /* what others may call, beside a kernel: with what it may call itself */
    static const char beside[] = ".kernel k\nk: vid.v v3\n ret\n%sf: vid.v v7\n ret\nh: vid.v v9\n ret\n";
    for (u32 exported = 0; exported < 2; exported++) {
        char t[sizeof beside + 16];
        snprintf(t, sizeof t, beside, exported ? ".globl f\n" : "");
        const Resource r = resources(t, "", V202);
        assert_int_equal(r.form != RES_NONE, exported);
        assert_int_equal(r.vgpr, exported ? 10 : 0);
    }
    assert_int_equal(resources(".globl k\nk: vid.v v3\n ret\n", "k", V202).vgpr, 4);
    assert_int_equal(resources(".globl k\nk: vid.v v3\n ret\n", "", V202).vgpr, 4);
    assert_int_equal(resources(".globl k, l\nk: ret\nl: ret\n", "k", V202).form, RES_NONE);
    assert_int_equal(resources(".globl k, _start\n_start: ret\nk: ret", "k", V202).form, RES_NONE);
    assert_int_equal(resources(".globl k, d\nk: ret\n.data\nd: .word 1", "k", V202).form, RES_LONG);
}

static void several_registers_of_one_operand_count(void **state)
{
    (void)state;
    assert_int_equal(resources(".kernel k\nk: mma.m16n16k16.row.col.f32.f16.f16.f32 v40, v8, v12\n endprg",
                               "k", V2025).vgpr, 48);
    assert_int_equal(resources(".kernel k\nk: vwadd.vv v8, v2, v4\n endprg", "k", V2025).vgpr, 10);
    assert_int_equal(resources(".kernel k\nk: pre_m_128\n vlw12.v v8, 0(v1)\n endprg", "k", V2025).vgpr, 12);
    assert_int_equal(resources(".kernel k\nk: addw x8, x4, x2\n endprg", "k", V2025).sgpr, 10);
    assert_int_equal(resources(".kernel k\nk: regext 1\n vid.v v3\n endprg", "k", V202).vgpr, 36);
    assert_int_equal(resources(".kernel k\nk: jalr t1\n endprg", "k", V202).flags,
                     RES_INDIRECT_CALL | RES_UNKNOWN_CALLEE);
    assert_int_equal(resources(".kernel k\nk: ret", "k", V202).flags, 0);
}

/* what a text brings itself is not made again */
static void written_records_stay(void **state)
{
    (void)state;
    const Resource r = resources(".kernel k\nk: ret\n.section .ventus.resource.k, \"w\"\n"
                                 ".half 9, 8, 7, 6\n", "k", V202);
    assert_int_equal(r.form, RES_SHORT);
    assert_int_equal(r.vgpr, 9);
}

/* --- sections and symbols ------------------------------------------------------------- */

static void sections_are_what_their_names_say(void **state)
{
    (void)state;
    Object *o = assemble(".data\n.word 1\n.bss\n.zero 8\n.section .rodata.x\n.byte 1\n"
                         ".section .mine,\"aw\",@nobits\n.zero 4\n", V2025);
    assert_int_equal(o->set, V2025);
    assert_int_equal(section_of(o, ".text")->flags, SHF_ALLOC | SHF_EXECINSTR);
    assert_int_equal(section_of(o, ".data")->flags, SHF_ALLOC | SHF_WRITE);
    assert_int_equal(section_of(o, ".bss")->type, SHT_NOBITS);
    assert_int_equal(section_of(o, ".bss")->size, 8);
    assert_int_equal(section_of(o, ".rodata.x")->flags, SHF_ALLOC);
    assert_int_equal(section_of(o, ".mine")->type, SHT_NOBITS);
    obj_free(o);
}

/* the letters of GNU as; what is about merging, groups and order is not for our linker */
static void letters_are_flags(void **state)
{
    static const struct {
        char letter;
        u32 flags;
    } row[] = {{'a', SHF_ALLOC}, {'w', SHF_WRITE}, {'x', SHF_EXECINSTR}, {'M', 0}, {'S', 0}, {'G', 0}, {'o', 0}, {'?', 0},
               {'R', 0x200000 /* SHF_GNU_RETAIN */}};
    (void)state;
    for (size_t i = 0; i < countof(row); i++)
        for (size_t k = 0; k < countof(row); k++) {
            char text[60];
            snprintf(text, sizeof text, "\t.section .s, \"%c%c\"\n\t.word 1\n", row[i].letter, row[k].letter);
            Object *o = assemble(text, V202);
            assert_int_equal(section_of(o, ".s")->flags, row[i].flags | row[k].flags);
            obj_free(o);
        }
}

/* types by the names of GNU as, in each of its spellings, and by the numbers of ELF */
static void section_types_have_names_and_numbers(void **state)
{
    static const struct {
        const char *text;
        u32 type;
    } row[] = {{"@progbits", 1},    {"%nobits", 8},     {"\"note\"", 7},       {"@init_array", 14},
               {"%fini_array", 15}, {"@\"nobits\"", 8}, {"@preinit_array", 16}, {"7", 7},
               {"@8", 8},           {"%0x70000003", 0x70000003}, {"1 + 6", 7}};
    (void)state;
    for (size_t i = 0; i < countof(row); i++) {
        char text[80];
        snprintf(text, sizeof text, "\t.section .s, \"a\", %s\n\t.zero 4\n", row[i].text);
        Object *o = assemble(text, V202);
        if (section_of(o, ".s")->type != row[i].type)
            fail_msg("%s: type %u", row[i].text, section_of(o, ".s")->type);
        assert_int_equal(section_of(o, ".s")->size, 4);
        obj_free(o);
    }
}

/* the special sections of the ELF specification, with RISC-V's small data; and as a prefix of a name */
static void known_sections_have_types_and_flags(void **state)
{
    enum { READ = SHF_ALLOC, WRITE = SHF_ALLOC | SHF_WRITE, RUN = SHF_ALLOC | SHF_EXECINSTR };
    static const struct {
        const char *name;
        u32 type, flags;
    } row[] = {
        {".text", SHT_PROGBITS, RUN},      {".init", SHT_PROGBITS, RUN},
        {".fini", SHT_PROGBITS, RUN},      {".rodata", SHT_PROGBITS, READ},
        {".srodata", SHT_PROGBITS, READ},  {".data", SHT_PROGBITS, WRITE},
        {".sdata", SHT_PROGBITS, WRITE},   {".tohost", SHT_PROGBITS, WRITE},
        {".bss", SHT_NOBITS, WRITE},       {".sbss", SHT_NOBITS, WRITE},
        {".init_array", SHT_INIT_ARRAY, WRITE}, {".fini_array", SHT_FINI_ARRAY, WRITE},
        {".note", SHT_NOTE, 0},            {".other", SHT_PROGBITS, 0},
        {".database", SHT_PROGBITS, 0},
    };
    (void)state;
    for (size_t i = 0; i < countof(row); i++)
        for (int part = 0; part < 2; part++) {
            char name[32], text[80];
            snprintf(name, sizeof name, "%s%s", row[i].name, part ? ".x" : "");
            snprintf(text, sizeof text, ".section %s\n.zero 4\n", name);
            Object *o = assemble(text, V202);
            const ObjSection *s = section_of(o, name);
            if (s->type != row[i].type || s->flags != row[i].flags)
                fail_msg("%s: type %u, flags %u", name, s->type, (u32)s->flags);
            obj_free(o);
        }
}

static void symbols_have_their_properties(void **state)
{
    (void)state;
    Object *o = assemble(".globl f\n.type f, @function\nf: nop\n.Lx: nop\n.size f, .-f\n"
                         "g = f + 4\n.globl g\nh = 42\n.globl h\n.comm c, 16, 8\nl: .weak w\nw:",
                         V202);
    const ObjSymbol *f = &o->symbols[obj_find_symbol(o, "f")];
    assert_true(f->bind == STB_GLOBAL && f->type == STT_FUNC && f->size == 8 && f->value == 0);
    assert_int_equal(o->symbols[obj_find_symbol(o, "g")].value, 4);
    assert_int_equal(o->symbols[obj_find_symbol(o, "h")].section, OBJ_ABS);
    const ObjSymbol *c = &o->symbols[obj_find_symbol(o, "c")];
    assert_true(c->section == OBJ_COMMON && c->value == 8 && c->size == 16 && c->type == STT_OBJECT);
    assert_int_equal(o->symbols[obj_find_symbol(o, "w")].bind, STB_WEAK);
    assert_int_equal(o->symbols[obj_find_symbol(o, "l")].bind, STB_LOCAL);
    assert_int_equal(obj_find_symbol(o, ".Lx"), -1);
    obj_free(o);
}

static void kernels_may_need_no_memory(void **state)
{
    (void)state;
    Object *o = assemble(".kernel k\n.lds 0\n.private 0\nk: ret\n", V202);
    assert_true(obj_find_symbol(o, "k") >= 0);
    obj_free(o);
}

/* A section's name in an expression is the section's symbol, which is there once. */
static void sections_have_symbols(void **state)
{
    (void)state;
    Object *o = assemble(".section .mine,\"aw\"\n.word 1\n.data\n.word .mine + 4, .text\n", V202);
    u32 n = 0;
    for (size_t i = 0; i < o->nsymbols; i++) {
        const ObjSymbol *s = &o->symbols[i];
        if (s->section == section_of(o, ".mine") - o->sections) {
            assert_true(s->type == STT_SECTION && s->bind == STB_LOCAL && s->value == 0);
            n++;
        }
    }
    assert_int_equal(n, 1);
    obj_free(o);
}

/* --- messages ------------------------------------------------------------------------- */

/* a text with one error, its place, and part of the message */
static const struct { const char *place, *text, *message; } refused[] = {
#define REFUSED(place, text, message) {place, text, message},
#include "test/unit/asm_errors.def"
};

static void every_error_can_be_had(void **state)
{
    int bad = 0;
    (void)state;
    for (size_t i = 0; i < countof(refused); i++) {
        Caught c;
        Object *o = assemble_in(&c, refused[i].text, &(AsmOptions){.set = V202});
        char start[40];
        snprintf(start, sizeof start, "%s%s: error: ", *refused[i].place <= '9' ? "t.s:" : "", refused[i].place);
        if (o || c.d.errors != 1 || strncmp(buf_text(&c.text), start, strlen(start)) != 0 ||
            !strstr(buf_text(&c.text), refused[i].message)) {
            print_error("%s\nwanted: %s%s\n%d errors: %s\n", refused[i].text, start, refused[i].message,
                        c.d.errors, buf_text(&c.text));
            bad++;
        }
        obj_free(o);
        buf_free(&c.text);
    }
    assert_int_equal(bad, 0);
}

static void a_message_shows_line_and_column(void **state)
{
    Caught c;
    (void)state;
    assert_null(assemble_in(&c, "nop\n\tvadd.vv v1, v2, a0\n", &(AsmOptions){.set = V202}));
    assert_string_equal(
        buf_text(&c.text),
        "t.s:2:18: error: vadd.vv does not take a scalar register here; vadd.vx does\n"
        "    \tvadd.vv v1, v2, a0\n    \t                ^\n");
    buf_free(&c.text);
}

/* what follows a bad line is still read; a line has one message */
static void errors_do_not_stop_reading(void **state)
{
    Caught c;
    (void)state;
    assert_null(assemble_in(&c, "foo; bar\n add a0\n nop\n .word 1+\n add x99, x98, x97\n",
                            &(AsmOptions){.set = V202}));
    assert_int_equal(c.d.errors, 4);
    buf_free(&c.text);
}

static void options_refuse_what_they_say(void **state)
{
    Caught c;
    (void)state;
    assert_null(
        assemble_in(&c, "vadd.vv v33, v1, v2", &(AsmOptions){.set = V202, .no_prefix = true}));
    expect_error(&c, "v33 needs a prefix in front");
    assert_null(assemble_in(&c, "L: .zero 5000\n beq a0, a1, L",
                            &(AsmOptions){.set = V202, .no_relax = true}));
    expect_error(&c, "the target is -5000 bytes away; -4096 to 4094 in steps of 2 can be reached");
}

/* A kernel that runs into what stands behind it is warned of, one that ends in any way is not. */
static void open_ends_are_warned_of(void **state)
{
    static const struct { const char *text; int at; } cases[] = { /* column of the warning; 0: none */
        {".kernel k\nk: li t0, 1\n", 4},
        {".kernel k\nk: li t0, 1\n.kernel l\nl: ret\n", 4},
        {".kernel k\nk: li t0, 1\n .p2align 4\n", 4},
        {".kernel k\nk: call f\n.data\n.word 1\n", 4},
        {".kernel k\nk: beq t0, t1, k\n", 4},
        {".kernel k\nk: ret\nf: li t0, 1\n.globl f\n", 0}, /* nobody says that f is a kernel */
        {".kernel k\nk: endprg\n", 0},
        {".kernel k\nk: j k\n", 0},
        {".kernel k\nk: jr t0\n", 0},
        {".kernel k\nk: li t0, 1\n.word 0x8067\n", 0}, /* an instruction as a number */
        {"k: li t0, 1\n", 0},
    };
    (void)state;
    for (size_t i = 0; i < countof(cases); i++) {
        Caught c;
        char place[32];
        Object *o = assemble_in(&c, cases[i].text, &(AsmOptions){.set = V202});
        snprintf(place, sizeof place, ":2:%d: warning: 'k' ends here", cases[i].at);
        if (!o || c.d.warnings != (cases[i].at > 0) || (cases[i].at && !strstr(buf_text(&c.text), place)))
            fail_msg("%s\n%s", cases[i].text, buf_text(&c.text));
        obj_free(o);
        buf_free(&c.text);
    }
}

/* What is used counts wherever it stands in a kernel, or in a function of the file. */
static void every_use_is_in_the_record(void **state)
{
    static const struct {
        const char *op;
        u32 sgpr, vgpr, flags;
    } uses[] = {
        {"nop\n nop", 0, 0, 0},
        {"nop\n add x40, x1, x1", 41, 0, 0},
        {"nop\n vadd.vv v70, v1, v1", 0, 71, 0},
        {"nop\n jalr ra, 0(ra)", 2, 0, RES_INDIRECT_CALL | RES_UNKNOWN_CALLEE},
        {"nop\n .insn 4, 0x0000000b", 0, 0, RES_REGISTERS_INCOMPLETE},
        {"nop\n .insn r 0x33, 0, 0, x27, x3, x5", 28, 0, 0},
        {"nop\n .insn r 0x33, 0, 0, x3, x5, x28", 29, 0, 0},
        {"nop\n .insn r 0x57, 0, 0, v3, v29, v4", 0, 30, 0},
    };
    static const char *const places[] = {
        ".kernel k\nk: %s\n .p2align 4\n endprg\n",
        ".kernel k\nk: nop\n .p2align 4\n %s\n .p2align 4\n endprg\n",
        ".kernel k\nk: vadd.vv v2, v2, v2\n .p2align 4\n %s\n endprg\n",
        ".kernel k\nk: call f\n endprg\nf: %s\n .p2align 4\n endprg\n",
        "f: nop\n .p2align 4\n %s\n .p2align 4\n endprg\n.kernel k\nk: call f\n endprg\n",
    };
    (void)state;
    for (size_t i = 0; i < countof(uses); i++)
        for (size_t k = 0; k < countof(places); k++) {
            char without[200], with[200];
            snprintf(without, sizeof without, places[k], "nop");
            snprintf(with, sizeof with, places[k], uses[i].op);
            const Resource a = resources(without, "k", V202), b = resources(with, "k", V202);
            assert_int_equal(b.sgpr, uses[i].sgpr ? uses[i].sgpr : a.sgpr);
            assert_int_equal(b.vgpr, uses[i].vgpr ? uses[i].vgpr : a.vgpr);
            assert_int_equal(b.flags, a.flags | uses[i].flags);
        }
}

/* The names of major opcodes in .insn, by their places in the manual's map of bits 6 to 2. */
static void opcodes_have_names(void **state)
{
    static const char *const map[32] = {
        "LOAD", "LOAD_FP", "CUSTOM_0", "MISC_MEM", "OP_IMM", "AUIPC", "OP_IMM_32", NULL,
        "STORE", "STORE_FP", "CUSTOM_1", "AMO", "OP", "LUI", "OP_32", NULL,
        "MADD", "MSUB", "NMSUB", "NMADD", "OP_FP", "OP_V", "CUSTOM_2", NULL,
        "BRANCH", "JALR", NULL, "JAL", "SYSTEM", NULL, "CUSTOM_3", NULL};
    (void)state;
    for (u32 k = 0; k < countof(map); k++) {
        char text[60];
        u32 word;
        if (!map[k])
            continue;
        snprintf(text, sizeof text, "\t.insn r %s, 0, 0, x0, x0, x0\n", map[k]);
        Object *o = assemble(text, V202);
        assert_int_equal(section_of(o, ".text")->data.len, 4);
        memcpy(&word, section_of(o, ".text")->data.data, 4);
        if (word != (k << 2 | 3))
            fail_msg("%s: %x", map[k], word);
        obj_free(o);
    }
}

static void warnings_are_no_errors(void **state)
{
    static const struct { const char *text, *message; } cases[] = {
        {"vadd12.vi v1, v2, 3000", ":1:19: warning: 3000 is executed as -1096"},
        {"vmsgtu.vi v1, v2, -1",
         ":1:19: warning: -1 is executed as 31: this immediate is zero-extended"},
        {".warning \"mind\"", ":1:10: warning: mind"},
        /* what a listing says is shown at its digits, as many as the word has */
        {"0: 00000013 add a0, a0, a1\n",
         ":1:4: warning: this is assembled to 00b50533, the listing has 00000013"},
        {"0: 00000013 nop\n\n 4:\t13 00 00 00 \tadd a0, a0, a1\n",
         ":3:5: warning: this is assembled to 00b50533, the listing has 00000013"},
        {"0: 0001 .half 0x12\n", ":1:4: warning: this is assembled to 0012, the listing has 0001"},
        {"0: 00000000000000ab .dword 0x12\n",
         ":1:4: warning: this is assembled to 0000000000000012, the listing has 00000000000000ab"},
        {"0: 00000013 what is this\n", ":1:13: warning: no instruction 'what'"},
    };
    (void)state;
    for (size_t i = 0; i < countof(cases); i++) {
        Caught c;
        Object *o = assemble_in(&c, cases[i].text, &(AsmOptions){.set = V202});
        if (!o || c.d.warnings != 1 || c.d.errors || !strstr(buf_text(&c.text), cases[i].message))
            fail_msg("%s\nwanted: %s\n%s", cases[i].text, cases[i].message, buf_text(&c.text));
        obj_free(o);
        buf_free(&c.text);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(registers_above_31_get_their_prefix),
        cmocka_unit_test(wide_immediates_get_their_prefix),
        cmocka_unit_test(listed_targets_are_found_by_name),
        cmocka_unit_test(joins_have_two_forms),
        cmocka_unit_test(known_distances_relax_at_the_limit),
        cmocka_unit_test(branches_reach_their_targets),
        cmocka_unit_test(branches_relax_at_the_limit),
        cmocka_unit_test(blanks_around_commas_mean_nothing),
        cmocka_unit_test(conditions_compare_with_zero),
        cmocka_unit_test(expressions_are_computed_as_in_gnu_as),
        cmocka_unit_test(what_the_linker_must_know_is_relocated),
        cmocka_unit_test(pcrel_pairs_work_through_prefixes),
        cmocka_unit_test(weak_symbols_are_left_to_the_linker),
        cmocka_unit_test(kernels_have_records_of_what_they_use),
        cmocka_unit_test(one_exported_label_is_the_kernel),
        cmocka_unit_test(several_registers_of_one_operand_count),
        cmocka_unit_test(written_records_stay),
        cmocka_unit_test(sections_are_what_their_names_say),
        cmocka_unit_test(letters_are_flags),
        cmocka_unit_test(known_sections_have_types_and_flags),
        cmocka_unit_test(section_types_have_names_and_numbers),
        cmocka_unit_test(opcodes_have_names),
        cmocka_unit_test(symbols_have_their_properties),
        cmocka_unit_test(kernels_may_need_no_memory),
        cmocka_unit_test(sections_have_symbols),
        cmocka_unit_test(every_error_can_be_had),
        cmocka_unit_test(a_message_shows_line_and_column),
        cmocka_unit_test(errors_do_not_stop_reading),
        cmocka_unit_test(options_refuse_what_they_say),
        cmocka_unit_test(open_ends_are_warned_of),
        cmocka_unit_test(every_use_is_in_the_record),
        cmocka_unit_test(warnings_are_no_errors),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests_name("asm", tests, NULL, NULL);
}
