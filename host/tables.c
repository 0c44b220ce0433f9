/* tables.c -- the tables of documents, from the rows of src/isa and src/mach.
 *
 *   tables FILE     FILE with every generated part made anew, on stdout
 *
 * A generated part lies between two lines:
 *
 *     <!-- generated: instructions -->
 *     <!-- end -->
 */
#include "isa/abi.h"
#include "isa/isa.h"
#include "mach/machine.h"
#include <stdio.h>
#include <string.h>

/* --- groups ---------------------------------------------------------------------- */

/* A group is the rows from `first` up to the next group, in the order of isa.def. */
static const struct {
    InsnId first;
    const char *title;
} groups[] = {
    {I_lui, "RV32I"},
    {I_fence_i, "fence.i and privileged instructions"},
    {I_csrrw, "Control and status registers"},
    {I_mul, "Multiplication and division"},
    {I_amoswap_w, "Atomics"},
    {I_amoswap_d, "Atomics with 64-bit addresses"},
    {I_fmadd_s, "Scalar floats"},
    {I_flw, "Moves of old images"},
    {I_ld, "Register pairs"},
    {I_vsetvli, "Vector length"},
    {I_vle8_v, "Vector memory by a scalar base"},
    {I_vadd_vv, "Vector integers"},
    {I_vmacc_vv, "Vector integer multiply-add"},
    {I_vmerge_vvm, "Vector moves and extensions"},
    {I_vnsrl_wv, "Vector narrowing"},
    {I_vwaddu_vv, "Vector widening"},
    {I_vsaddu_vv, "Vector fixed point"},
    {I_vfadd_vv, "Vector floats"},
    {I_vfmacc_vv, "Vector float multiply-add"},
    {I_vfcvt_xu_f_v, "Vector float conversions"},
    {I_vfmerge_vfm, "Vector float moves"},
    {I_vmand_mm, "Vector masks and lane numbers"},
    {I_vbeq, "Divergence"},
    {I_regext, "Register prefixes"},
    {I_endprg, "Synchronisation and end"},
    {I_vadd12_vi, "Custom arithmetic"},
    {I_vlb12_v, "Memory by an address in each lane"},
    {I_vlb_v, "Private memory (v202)"},
    {I_regpair, "Reserved prefixes"},
    {I_vlb_global_v, "Global memory"},
    {I_vlb_local_v, "Local memory"},
    {I_vlb_private_v, "Private memory (v2025)"},
    {I_vlb12d_v, "Memory with 64-bit addresses"},
    {I_prefix, "Compute prefixes"},
    {I_pre_m_32, "Memory prefixes"},
    {I_mma, "Matrix product, 32-bit word"},
    {I_cp_dma, "Asynchronous copies"},
    {I_vadd64_vv, "64-bit compute"},
    {I_mma64, "Matrix product, 64-bit word"},
    {I_shuffle_bfly, "Overlay ai: shuffles"},
    {I_vcvt_fp32_fp16, "Overlay ai: conversions"},
    {I_vadd_f16x2, "Overlay ai: packed pairs"},
    {I_vex2_approx_f32, "Overlay ai: approximate functions"},
    {I_csrrsv, "Overlay tidx"},
};

/* --- names of operands ------------------------------------------------------------- */

/* an operand as a reader knows it */
static const char *shown(OperandId o)
{
    switch ((OperandKind)isa_operand[o].kind) {
    case K_XREG:
    case K_VREG:
        switch (o) {
        case O_rdst: return "rd";
        case O_vacc:
        case O_wd:
        case O_wacc: return "vd";
        case O_ws1: return "vs1";
        case O_ws2: return "vs2";
        case O_ws3: return "vs3";
        case O_wx1: return "rs1";
        default: return isa_operand[o].use == USE_N ? "zero" : isa_operand[o].name;
        }
    case K_XRAW: return "x0";
    case K_IMM:
    case K_IMMX:
    case K_IMMZ:
    case K_IMM12: return o == O_shamt5 || o == O_shamt6 || o == O_sh5 ? "shamt" : "imm";
    case K_REL: return "target";
    case K_VTYPE: return "vtype";
    case K_KEY: return isa_operand[o].key;
    default: return isa_operand[o].name;
    }
}

static bool is_ignored(OperandId o)
{
    const OperandInfo *i = &isa_operand[o];
    return i->kind == K_HIDE || ((i->kind == K_XREG || i->kind == K_XRAW) && i->use == USE_N);
}

/* --- a word, field by field ---------------------------------------------------------- */

static const char *const mma_field[] = {"type", "shape", "al", "bl", "ct", "rd"};

/* piece p of operand o, whose lowest bit is bit `low` of the value */
static void put_piece(Buf *b, OperandId o, int p, int low)
{
    const OperandInfo *i = &isa_operand[o];
    const int len = i->piece[p].len, shift = low + i->shift;
    const bool whole = p == 0 && low == 0;
    if (is_ignored(o))
        buf_printf(b, "(%d)", len);
    else if (i->kind == K_MMA || i->kind == K_MMA64)
        buf_str(b, mma_field[p]);
    else if (i->kind == K_AQRL)
        buf_str(b, "aq rl");
    else if (i->kind == K_REL || i->kind == K_IMM || i->kind == K_IMM12 || i->kind == K_IMMX ||
             i->kind == K_IMMZ || !whole)
        buf_printf(b, len == 1 ? "%s[%d]" : "%s[%d:%d]", i->kind == K_REL ? "imm" : shown(o),
                   len == 1 ? shift : shift + len - 1, shift);
    else
        buf_str(b, shown(o));
}

/* the piece whose top bit is `bit`; -1: none of the operand's */
static int piece_at(OperandId o, int bit, int *low)
{
    const OperandInfo *i = &isa_operand[o];
    int found = -1;
    *low = 0;
    for (int p = 0; p < MAXPIECE && i->piece[p].len; p++) {
        if (found >= 0)
            *low += i->piece[p].len;
        if (i->piece[p].lsb + i->piece[p].len - 1 == bit)
            found = p;
    }
    return found;
}

/* Puts the operand field that begins at `bit`; its length. */
static int put_field(Buf *b, const FormatInfo *f, int bit)
{
    for (int k = 0; k < f->nopd; k++) {
        int low;
        const int p = piece_at((OperandId)f->opd[k], bit, &low);
        if (p < 0)
            continue;
        put_piece(b, (OperandId)f->opd[k], p, low);
        return isa_operand[f->opd[k]].piece[p].len;
    }
    bug("no operand begins at bit %d", bit);
}

static void put_layout(Buf *b, InsnId id)
{
    const FormatInfo *f = isa_format_of(id);
    for (int bit = isa_insn[id].len * 8 - 1; bit >= 0;) {
        if (b->len)
            buf_str(b, " ");
        if (f->mask >> bit & 1)
            for (; bit >= 0 && f->mask >> bit & 1; bit--)
                buf_str(b, isa_insn[id].match >> bit & 1 ? "1" : "0");
        else
            bit -= put_field(b, f, bit);
    }
}

/* --- syntax ---------------------------------------------------------------------------- */

static void put_modifier(Buf *b, OperandId o)
{
    switch ((OperandKind)isa_operand[o].kind) {
    case K_MASK: buf_str(b, "[, v0.t]"); break;
    case K_RM: buf_str(b, "[, rm]"); break;
    case K_KEY: buf_printf(b, "[, %s=n]", isa_operand[o].key); break;
    default: break; /* on the mnemonic, or not written */
    }
}

static bool is_modifier(OperandId o)
{
    const u8 k = isa_operand[o].kind;
    return k == K_MASK || k == K_RM || k == K_AQRL || k == K_MMA || k == K_MMA64 || k == K_KEY ||
           k == K_HIDE;
}

/* text[i] is what operand i is shown as; NULL: by its name */
static void put_operands(Buf *b, const char *pattern, const u8 *opd, const char *const *text)
{
    int n = 0;
    for (const char *p = pattern; *p; p++) {
        const OperandId o = (OperandId)opd[n];
        if (*p == ',')
            buf_str(b, ", ");
        else if (*p != '%')
            buf_put(b, p, 1);
        else {
            if (text && text[n])
                buf_str(b, text[n]);
            else if (is_modifier(o))
                put_modifier(b, o);
            else
                buf_str(b, shown(o));
            n++;
        }
    }
}

static void put_syntax(Buf *b, InsnId id)
{
    const FormatInfo *f = isa_format_of(id);
    const u8 kind = f->nopd ? isa_operand[f->opd[0]].kind : (u8)K_HIDE;
    buf_str(b, isa_insn[id].text);
    if (kind == K_AQRL)
        buf_str(b, "[.aq][.rl]");
    if (kind == K_MMA || kind == K_MMA64)
        buf_printf(b, ".SHAPE.AL.BL.D.A.B.C%s", kind == K_MMA64 ? "[.RD]" : "");
    const size_t before = b->len;
    buf_str(b, " ");
    put_operands(b, f->pattern, f->opd, NULL);
    /* a list that begins with an optional key has no comma there */
    if (b->len > before + 3 && !memcmp(b->data + before, " [, ", 4)) {
        memmove(b->data + before + 2, b->data + before + 4, b->len - before - 4);
        b->len -= 2;
        b->data[b->len] = 0;
    }
    if (b->len == before + 1)
        b->data[--b->len] = 0;
}

/* --- tables ------------------------------------------------------------------------------ */

/* a | would end the cell */
static void put_cell(const char *text)
{
    for (; *text; text++)
        printf(*text == '|' ? "\\|" : "%c", *text);
}

static void put_code(const Buf *b)
{
    printf(" | `");
    put_cell(buf_text(b));
    printf("`");
}

static const char *sets_of(InsnId id, char name[24])
{
    const IsaSet s = isa_insn[id].sets;
    if (s == (V202 | V2025))
        return "both";
    isa_set_name(s, name);
    for (char *p = name; (p = strchr(p, '+'));)
        *p = ' ';
    return name;
}

static void put_row(InsnId id)
{
    Buf syntax = {0}, layout = {0};
    char name[24];
    const InsnInfo *i = &isa_insn[id];
    const int digits = i->len * 2;
    put_syntax(&syntax, id);
    put_layout(&layout, id);
    printf("| `%s` | %s", i->text, sets_of(id, name));
    put_code(&layout);
    printf(" | `%0*llx` | `%0*llx`", digits, (unsigned long long)isa_format_of(id)->mask, digits,
           (unsigned long long)i->match);
    put_code(&syntax);
    printf(" | %s | %s | %s |\n", isa_unit_name[i->unit], isa_effect[i->effect].text,
           isa_op_name[i->op]);
    buf_free(&syntax);
    buf_free(&layout);
}

static void put_instructions(void)
{
    for (size_t g = 0; g < countof(groups); g++) {
        const int end = g + 1 < countof(groups) ? (int)groups[g + 1].first : NINSN;
        if (groups[g].first >= (InsnId)end || (g == 0 && groups[g].first))
            bug("group '%s' is not in the order of the rows", groups[g].title);
        printf("%s### %s\n\n", g ? "\n" : "", groups[g].title);
        printf("| mnemonic | sets | word | mask | match | syntax | unit | effect | operation |\n"
               "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
        for (int id = (int)groups[g].first; id < end; id++)
            put_row((InsnId)id);
    }
}

static void put_counts(void)
{
    static const struct {
        const char *name;
        IsaSet set;
    } sets[] = {
        {"v202", V202},     {"v2025", V2025},       {"v202 and v2025", V202 | V2025},
        {"overlay ai", AI}, {"overlay tidx", TIDX},
    };
    printf("| rows of | how many |\n| --- | --- |\n");
    for (size_t s = 0; s < countof(sets); s++) {
        int n = 0;
        for (int id = 0; id < NINSN; id++)
            n += (isa_insn[id].sets & sets[s].set) == sets[s].set;
        printf("| %s | %d |\n", sets[s].name, n);
    }
    printf("| all | %d |\n", NINSN);
}

static void put_units(void)
{
    printf("| unit | what it is |\n| --- | --- |\n");
    for (int i = 0; i < NUNIT; i++)
        printf("| %s | %s |\n", isa_unit_name[i], isa_unit_text[i]);
}

/* --- operations ----------------------------------------------------------------------------- */

static void put_operation(const char *name, const char *kind, const char *text)
{
    printf("| %s | %s | `", name, kind);
    put_cell(text);
    printf("` |\n");
}

static void put_operations(void)
{
    printf("| operation | on | result |\n| --- | --- | --- |\n");
#define OP(name, type, facts, result)          put_operation(#name, #type, #result);
#define OP3(name, type, facts, result)         put_operation(#name, #type, #result);
#define FIX(name, facts, result)               put_operation(#name, "fixed point", #result);
#define FOP(name, facts, host, soft)           put_operation(#name, "float", #host);
#define FOP3(name, facts, host, soft)          put_operation(#name, "float", #host);
#define FBIT(name, facts, result, flags, soft) put_operation(#name, "float", #soft);
#define FSOFT(name, facts, soft)               put_operation(#name, "float", #soft);
#include "isa/op.def"
}

/* --- CSRs ------------------------------------------------------------------------------------ */

static const struct {
    u32 n;
    const char *name, *access, *what;
    bool alias;
} csrs[] = {
#define CSR(number, name, access, standard, state, value, write, what)                             \
    {number, #name, #access, what, false},
#define CSR_LANES(number, name, value, what) {number, #name, "RO", what, false},
#define CSR_ALIAS(number, name)              {number, #name, "", "", true},
#include "isa/csr.def"
};

static void put_csrs(void)
{
    printf("| number | names | access | value |\n| --- | --- | --- | --- |\n");
    for (size_t i = 0; i < countof(csrs); i++) {
        if (csrs[i].alias)
            continue;
        printf("| 0x%03x | `%s`", csrs[i].n, csrs[i].name);
        for (size_t k = 0; k < countof(csrs); k++)
            if (csrs[k].alias && csrs[k].n == csrs[i].n)
                printf(" `%s`", csrs[k].name);
        printf(" | %s | %s |\n", csrs[i].access, csrs[i].what);
    }
}

/* --- aliases --------------------------------------------------------------------------------- */

/* the text of operand o of the base instruction, which is a constant */
static const char *constant(OperandId o, i32 value, char text[16])
{
    static const char *const order[16] = {[15] = "iorw"};
    switch ((OperandKind)isa_operand[o].kind) {
    case K_XREG: return isa_xreg_name[value & 63];
    case K_XRAW: snprintf(text, 16, "x%d", value); return text;
    case K_CSR: return isa_csr_name((u32)value, NULL);
    case K_ORDER: return order[value & 15];
    case K_MASK:
    case K_HIDE: return "";
    default: snprintf(text, 16, "%d", value); return text;
    }
}

static void put_base(Buf *b, const AliasInfo *a)
{
    const FormatInfo *f = isa_format_of((InsnId)a->base);
    char made[MAXOPD][16];
    const char *text[MAXOPD];
    for (int i = 0; i < f->nopd; i++) {
        const int from = a->map[i].from;
        const OperandId o = (OperandId)f->opd[i];
        text[i] = NULL;
        if (from < 0)
            text[i] = constant(o, a->map[i].value, made[i]);
        else if (a->map[i].value)
            snprintf(made[i], sizeof made[i], "%s-%d", shown((OperandId)a->opd[from]),
                     -a->map[i].value);
        else if (!is_modifier(o))
            snprintf(made[i], sizeof made[i], "%s", shown((OperandId)a->opd[from]));
        if (from >= 0 && !is_modifier(o))
            text[i] = made[i];
    }
    buf_printf(b, "%s ", isa_insn[a->base].text);
    put_operands(b, f->pattern, f->opd, text);
}

static void put_aliases(void)
{
    printf("| written | is | listings print it |\n| --- | --- | --- |\n");
    for (int i = 0; i < isa_nalias; i++) {
        Buf written = {0}, base = {0};
        buf_printf(&written, isa_alias[i].pattern[0] ? "%s " : "%s", isa_alias[i].text);
        put_operands(&written, isa_alias[i].pattern, isa_alias[i].opd, NULL);
        put_base(&base, &isa_alias[i]);
        printf("| `%s` | `%s` | %s |\n", buf_text(&written), buf_text(&base),
               isa_alias[i].printed ? "yes" : "");
        buf_free(&written);
        buf_free(&base);
    }
}

static void put_parameters(void)
{
    printf("| parameter | unit | default | range | what | the default is from |\n"
           "| --- | --- | --- | --- | --- | --- |\n");
#define PARAMETER(name, kind, unit, value, least, most, source, what)                              \
    printf("| `%s` | %s | %u | %u to %u%s | %s | %s |\n", #name, unit, (u32)(value), (u32)(least), \
           (u32)(most), PARAMETER_##kind == PARAMETER_POWER_OF_2 ? ", a power of two" : "", what,  \
           source);
#include "mach/machine.def"
}

/* --- the binary interface -------------------------------------------------------------------- */

static void put_spaces(void)
{
    printf("| range | what is there |\n| --- | --- |\n");
#define RANGE(name, from, end, what)                                                               \
    printf("| 0x%08llx to 0x%08llx | %s |\n", (unsigned long long)(from) << 12,                    \
           ((unsigned long long)(end) << 12) - 1, what);
#include "isa/abi.def"
}

static void put_sizes(void)
{
    printf("| name | value | what |\n| --- | --- | --- |\n");
#define ABI(name, value, what) printf("| `%s` | %u | %s |\n", #name, (u32)(value), what);
#include "isa/abi.def"
}

static void put_metadata_word(const char *name, u32 word, u32 words, const char *readers,
                              const char *what)
{
    printf("|");
    for (u32 i = 0; i < words; i++)
        printf(" %u", 4 * (word + i));
    if (words == 1)
        printf(" | %u", word);
    else
        printf(" | %u to %u", word, word + words - 1);
    printf(" | `%s` | %s | %s |\n", name, what, readers);
}

static void put_metadata(void)
{
    printf("| offset | word | name | contents | read by start code of |\n"
           "| --- | --- | --- | --- | --- |\n");
#define KNL(name, word, words, readers, what) put_metadata_word(#name, word, words, readers, what);
#include "isa/abi.def"
}

static void put_print(void)
{
    printf("| offset | contents |\n| --- | --- |\n");
#define PRINT(name, offset, what) printf("| %d | %s |\n", offset, what);
#include "isa/abi.def"
}

static void put_record(void)
{
    printf("| offset | contents |\n| --- | --- |\n");
#define RECORD(name, offset, what) printf("| %d | %s |\n", offset, what);
#include "isa/abi.def"
}

static void put_descriptor(void)
{
    u32 word = 0;
    printf("| word | name | what |\n| --- | --- | --- |\n");
#define IMAGE_WORD(name, what) printf("| %u | %s | %s |\n", word++, #name, what);
#include "isa/image.def"
}

static void put_pixel(void)
{
    printf("| bits | name | what |\n| --- | --- | --- |\n");
#define IMAGE_FORMAT(name, value, what)                                                            \
    printf("| `%#x` | %s | %s |\n", (unsigned)(value), #name, what);
#include "isa/image.def"
}

static void put_pipe(void)
{
    u32 word = 0;
    printf("| word | name | what |\n| --- | --- | --- |\n");
#define PIPE_WORD(name, what) printf("| %u | %s | %s |\n", word++, #name, what);
#include "isa/pipe.def"
}

static void put_register(char file, u32 first, u32 last, bool kept, bool reserved, const char *what)
{
    if (first != last)
        printf("| %c%u to %c%u", file, first, file, last);
    else if (file == 'x')
        printf("| x%u `%s`", first, isa_xreg_name[first]);
    else
        printf("| v%u", first);
    printf(" | %s | %s | %s |\n", what, kept ? "yes" : "no", reserved ? "yes" : "no");
}

static void put_registers(void)
{
    printf("| register | role | kept by a call | reserved |\n| --- | --- | --- | --- |\n");
#define REG(role, file, first, last, kept, reserved, what)                                         \
    put_register(#file[0], first, last, kept, reserved, what);
#include "isa/abi.def"
}

/* --- the file --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*put)(void);
} parts[] = {
    {"instructions", put_instructions},
    {"counts", put_counts},
    {"units", put_units},
    {"operations", put_operations},
    {"csrs", put_csrs},
    {"aliases", put_aliases},
    {"parameters", put_parameters},
    {"spaces", put_spaces},
    {"sizes", put_sizes},
    {"metadata", put_metadata},
    {"print", put_print},
    {"record", put_record},
    {"registers", put_registers},
    {"descriptor", put_descriptor},
    {"pixel", put_pixel},
    {"pipe", put_pipe},
};

/* the generated part that a line begins; -1: none, -2: one that does not exist */
static int part_of(const char *line)
{
    char name[32];
    if (sscanf(line, "<!-- generated: %31s -->", name) != 1)
        return -1;
    for (size_t i = 0; i < countof(parts); i++)
        if (!strcmp(parts[i].name, name))
            return (int)i;
    return -2;
}

static int copy(FILE *f, const char *file)
{
    char line[4096];
    bool inside = false;
    while (fgets(line, sizeof line, f)) {
        const int part = inside ? -1 : part_of(line);
        inside &= strncmp(line, "<!-- end -->", 12) != 0;
        if (!inside)
            fputs(line, stdout);
        if (part == -2)
            return fprintf(stderr, "%s: no such part: %s", file, line), 1;
        if (part < 0)
            continue;
        parts[part].put();
        inside = true;
    }
    return inside ? (fprintf(stderr, "%s: a generated part has no end\n", file), 1) : 0;
}

int main(int argc, char **argv)
{
    FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!f) {
        fprintf(stderr, "tables FILE\n");
        return 2;
    }
    const int bad = copy(f, argv[1]);
    return fclose(f) || fflush(stdout) || bad;
}
