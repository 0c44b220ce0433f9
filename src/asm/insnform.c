/* insnform.c -- .insn: a word by its fields.
 *
 *     .insn r  opcode, funct3, funct7, rd, rs1, rs2
 *     .insn i  opcode, funct3, rd, rs1, imm12      .insn i opcode, funct3, rd, imm12(rs1)
 *     .insn 4, word                                .insn word
 *
 * and so on, as in GNU as and LLVM.  A register is scalar or vector.
 */
#include "asm/job.h"
#include "asm/lex.h"
#include <string.h>

/* O opcode, 3 funct3, 7 funct7, 2 funct2, d rd, s rs1, t rs2, r rs3, i I-immediate,
 * q S-immediate, b branch, u U-immediate, j jump; commas are understood */
static const struct {
    const char *name, *letters;
} forms[] = {
    {"r", "O37dst"}, {"r4", "O32dstr"}, {"i", "O3dsi"}, {"i", "O3di(s)"}, {"s", "O3tq(s)"},
    {"b", "O3stb"},  {"sb", "O3stb"},   {"u", "Odu"},   {"j", "Odj"},     {"uj", "Odj"},
};

static const struct {
    const char *name;
    u8 opcode;
} opcodes[] = {
    {"LOAD", 0x03},     {"LOAD_FP", 0x07},  {"CUSTOM_0", 0x0b},  {"MISC_MEM", 0x0f},
    {"OP_IMM", 0x13},   {"AUIPC", 0x17},    {"OP_IMM_32", 0x1b}, {"STORE", 0x23},
    {"STORE_FP", 0x27}, {"CUSTOM_1", 0x2b}, {"AMO", 0x2f},       {"OP", 0x33},
    {"LUI", 0x37},      {"OP_32", 0x3b},    {"MADD", 0x43},      {"MSUB", 0x47},
    {"NMSUB", 0x4b},    {"NMADD", 0x4f},    {"OP_FP", 0x53},     {"OP_V", 0x57},
    {"CUSTOM_2", 0x5b}, {"BRANCH", 0x63},   {"JALR", 0x67},      {"JAL", 0x6f},
    {"SYSTEM", 0x73},   {"CUSTOM_3", 0x7b},
};

typedef struct {
    u64 word;
    IsaPrefix need;
    int nregs;
    struct {
        u8 n;
        bool is_vector;
    } regs[4];
    Written w;
    OperandId operand; /* of w, if it has a symbol */
} Form;

/* --- fields ------------------------------------------------------------------------ */

static bool field(Asm *a, Form *f, int lsb, int len)
{
    i64 v;
    a->p = lex_space(a->p);
    const char *at = a->p;
    if (!as_number(a, &v))
        return false;
    if (v < 0 || v >> len)
        return as_fail(a, at, "%lld does not fit: 0 to %d", (long long)v, (1 << len) - 1);
    f->word |= (u64)v << lsb;
    return true;
}

static bool opcode(Asm *a, Form *f)
{
    a->p = lex_space(a->p);
    const char *end = lex_ident(a->p);
    for (size_t i = 0; i < countof(opcodes); i++)
        if (strlen(opcodes[i].name) == (size_t)(end - a->p) &&
            !memcmp(opcodes[i].name, a->p, (size_t)(end - a->p))) {
            f->word |= opcodes[i].opcode;
            a->p = end;
            return true;
        }
    return field(a, f, 0, 7);
}

/* *upper: the three bits of the prefix for this field */
static bool reg(Asm *a, Form *f, int lsb, u8 *upper, u8 written)
{
    i64 n;
    bool is_vector;
    a->p = lex_space(a->p);
    const char *at = a->p;
    if (!as_any_register(a, &n, &is_vector))
        return false;
    f->word |= (u64)(n & 31) << lsb;
    f->regs[f->nregs].n = (u8)n;
    f->regs[f->nregs++].is_vector = is_vector;
    if (n < 32)
        return true;
    if (a->opt.no_prefix && !a->prefix.valid)
        return as_fail(a, at, "this register needs a prefix in front");
    if (a->prefix.valid)
        return n >> 5 == written ||
               as_refuse(a, at, "the prefix before this says another register");
    *upper = (u8)(n >> 5);
    f->need.valid = true;
    return true;
}

static bool immediate(Asm *a, Form *f, OperandId operand)
{
    i64 min, max, step;
    const bool is_target = operand == O_relB || operand == O_relJ;
    if (is_target ? !as_target(a, &f->w, 0) : !as_immediate(a, &f->w, 0))
        return false;
    f->operand = operand;
    if (f->w.symbolic == 0)
        return as_fix_kind(operand, (Modifier)f->w.modifier) != NFIX ||
               as_fail(a, f->w.at[0], "this operand takes a plain number only");
    isa_range(operand, &min, &max, &step);
    i64 v = f->w.value[0];
    if (operand == O_uimm20 && v < 0 && v >= -(max + 1) / 2)
        v += max + 1;
    if (v < min || v > max || v % step)
        return as_fail(a, f->w.at[0], "%lld does not fit: %lld to %lld", (long long)v,
                       (long long)min, (long long)max);
    return isa_put(operand, (i32)v, &f->word);
}

static bool letter(Asm *a, Form *f, char c)
{
    const IsaPrefix *p = &a->prefix;
    switch (c) {
    case 'O': return opcode(a, f);
    case '3': return field(a, f, 12, 3);
    case '7': return field(a, f, 25, 7);
    case '2': return field(a, f, 25, 2);
    case 'd': return reg(a, f, 7, &f->need.xd, p->xd);
    case 's': return reg(a, f, 15, &f->need.x1, p->x1);
    case 't': return reg(a, f, 20, &f->need.x2, p->x2);
    case 'r': return reg(a, f, 27, &f->need.x3, p->x3);
    case 'i': return immediate(a, f, O_imm12);
    case 'q': return immediate(a, f, O_st12);
    case 'b': return immediate(a, f, O_relB);
    case 'u': return immediate(a, f, O_uimm20);
    case 'j': return immediate(a, f, O_relJ);
    }
    bug("letter %c", c);
}

static bool read_form(Asm *a, const char *letters, Form *f)
{
    bool comma = false;
    *f = (Form){.w.symbolic = -1};
    a->in_operand = true;
    for (const char *p = letters; *p; p++) {
        a->p = lex_space(a->p);
        if (*p == '(' || *p == ')') {
            if (*a->p++ != *p) {
                a->p--;
                return as_want(a, a->p, *p == '(' ? WANT_OPEN : WANT_CLOSE);
            }
            comma = false;
            continue;
        }
        if ((comma && !as_comma(a)) || !letter(a, f, *p))
            return false;
        comma = p[1] != '(';
    }
    return as_end_of_statement(a);
}

/* --- words --------------------------------------------------------------------------- */

static bool put_form(Asm *a, const Form *f)
{
    Sect *s = here(a);
    if (s->align < 4)
        s->align = 4;
    if (!as_put_prefix(a, &f->need) || !as_put_int(a, f->word, 4))
        return false;
    Frag *frag = as_data(a);
    frag->has_code = a->has_code = true;
    for (int i = 0; i < f->nregs; i++)
        as_note_register(frag, f->regs[i].n, f->regs[i].is_vector);
    if (f->w.symbolic < 0)
        return true;
    Fixup *x =
        as_fix(a, as_fix_kind(f->operand, (Modifier)f->w.modifier), 4, &f->w.expr, f->w.at[0]);
    if (!x)
        return false;
    x->operand = (u8)f->operand;
    x->is_address = f->w.is_address;
    return true;
}

/* .insn word   .insn length, word */
static bool put_raw(Asm *a)
{
    i64 v, word;
    a->p = lex_space(a->p);
    const char *at = a->p;
    if (!as_number(a, &v))
        return false;
    word = v;
    const bool has_length = !as_at_end(a);
    if (has_length && !(as_comma(a) && as_number(a, &word)))
        return false;
    const int len = isa_length(a->set, (u32)word);
    if ((has_length && v != len) || (len == 4 && (word < 0 || word > UINT32_MAX)))
        return as_refuse(a, at, "a word is 4 bytes here, or 8 in v2025 if its bits [2:0] are 100");
    return as_put_unknown(a, (u64)word, len);
}

bool as_dir_insn(Asm *a, int unused)
{
    (void)unused;
    const char *at = a->p = lex_space(a->p), *end = lex_ident(at);
    bool known = false;
    Form f;
    if (is_digit(*at))
        return put_raw(a);
    for (size_t i = 0; i < countof(forms); i++) {
        if (strlen(forms[i].name) != (size_t)(end - at) ||
            memcmp(forms[i].name, at, (size_t)(end - at)))
            continue;
        known = true;
        a->p = end;
        if (read_form(a, forms[i].letters, &f))
            return put_form(a, &f);
    }
    return known ? false : as_fail(a, at, "an instruction format is one of r, r4, i, s, b, u, j");
}
