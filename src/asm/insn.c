/* insn.c -- an instruction: finds the rows and aliases of its mnemonic, and the one that its
 * operands fit. */
#include "asm/job.h"
#include "asm/lex.h"
#include <elf.h>
#include <string.h>

/* --- what a mnemonic may mean ---------------------------------------------------- */

enum { MAX_MNEMONIC = 63 };

/* mnemonics and directives are found in lower case */
static size_t lower(const char *name, size_t len, char out[MAX_MNEMONIC + 1])
{
    if (len > MAX_MNEMONIC)
        len = 0;
    for (size_t i = 0; i < len; i++)
        out[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] | 32) : name[i];
    out[len] = 0;
    return len;
}

static int find_aliases(const char *name, IsaSet set, u8 rows[MAX_FORMS])
{
    int n = 0;
    for (int i = 0; i < isa_nalias; i++) {
        if (strcmp(isa_alias[i].text, name) || !isa_has(set, (InsnId)isa_alias[i].base))
            continue;
        if (n == MAX_FORMS || i > UINT8_MAX)
            bug("alias.def: %s has too many rows", name);
        rows[n++] = (u8)i;
    }
    return n;
}

void as_fill_keyword(Asm *a, Keyword *k)
{
    char name[MAX_MNEMONIC + 1];
    const size_t len = lower(k->name, k->len, name);
    k->directive = as_find_directive(name, len);
    k->has_base = isa_find_insn(name, len, a->set, &k->base, &k->elsewhere);
    k->npseudo = (u8)as_find_pseudos(name, k->pseudo, MAX_FORMS);
    k->nalias = (u8)find_aliases(name, a->set, k->alias);
}

typedef struct {
    const char *text;
    int score;
} Similar;

/* the nearest so far; a word with the same first letter is nearer */
static void consider(Similar *best, const char *name, size_t len, const char *text)
{
    const int d = edit_distance(name, len, text, strlen(text), 4), score = 2 * d + (*name != *text);
    if (score < best->score)
        *best = (Similar){text, score};
}

static const char *similar_mnemonic(Asm *a, const char *name, size_t len)
{
    Similar best = {NULL, 7};
    const char *pseudo;
    if (a->messages >= MAX_MESSAGES)
        return NULL;
    for (int id = 0; id < NINSN; id++)
        if (isa_has(a->set, (InsnId)id))
            consider(&best, name, len, isa_insn[id].text);
    for (int i = 0; i < isa_nalias; i++)
        consider(&best, name, len, isa_alias[i].text);
    for (int i = 0; (pseudo = as_pseudo_name(i)); i++)
        consider(&best, name, len, pseudo);
    return best.text && as_is_similar(name, len, best.text) ? best.text : NULL;
}

static bool unknown(Asm *a, const Keyword *k, const char *at)
{
    char set[24], other[24];
    isa_set_name(a->set, set);
    if (k->elsewhere) {
        isa_set_name(k->elsewhere, other);
        return as_fail(a, at, "%.*s is an instruction of %s; this is %s", (int)k->len, k->name,
                       other, set);
    }
    const char *similar = similar_mnemonic(a, k->name, k->len);
    if (similar)
        return as_fail(a, at, "no instruction '%.*s'; did you mean '%s'?", (int)k->len, k->name,
                       similar);
    return as_fail(a, at, "no instruction '%.*s'", (int)k->len, k->name);
}

/* --- from what is written to a draft ---------------------------------------------- */

FixKind as_fix_kind(OperandId operand, Modifier m)
{
    switch ((int)operand) {
    case O_relB: return m == MOD_NONE ? FIX_BRANCH : NFIX;
    case O_relJ: return m == MOD_NONE ? FIX_JAL : NFIX;
    case O_uimm20: return m == MOD_HI ? FIX_HI : m == MOD_PCREL_HI ? FIX_PCHI : m ? NFIX : FIX_IMM;
    case O_imm12:
    case O_uimm12:
        return m == MOD_LO ? FIX_LO_I : m == MOD_PCREL_LO ? FIX_PCLO_I : m ? NFIX : FIX_IMM;
    case O_st12:
        return m == MOD_LO ? FIX_LO_S : m == MOD_PCREL_LO ? FIX_PCLO_S : m ? NFIX : FIX_IMM;
    }
    return m == MOD_NONE ? FIX_IMM : NFIX;
}

static bool set_symbolic(Asm *a, Draft *d, int i, OperandId operand, const Written *w)
{
    d->symbolic = i;
    d->expr = w->expr;
    d->expr.k += d->delta;
    d->is_address = w->is_address;
    d->fix = (u8)as_fix_kind(operand, (Modifier)w->modifier);
    d->value[i] = 0;
    return d->fix != NFIX || as_fail(a, d->at[i], "this operand takes a plain number only");
}

static bool put_base(Asm *a, const Keyword *k, const char *at)
{
    const FormatInfo *f = isa_format_of(k->base.id);
    Draft d = {.id = k->base.id, .symbolic = -1, .where = at};
    Written w = {.symbolic = -1};
    for (int i = 0; i < f->nopd; i++)
        w.value[i] = k->base.opd[i];
    if (!as_operands(a, f->pattern, f->opd, &w))
        return false;
    for (int i = 0; i < f->nopd; i++) {
        d.value[i] = w.value[i];
        d.at[i] = w.at[i];
    }
    if (w.symbolic >= 0 && !set_symbolic(a, &d, w.symbolic, (OperandId)f->opd[w.symbolic], &w))
        return false;
    return as_put_draft(a, &d);
}

static bool put_alias(Asm *a, const AliasInfo *row, const char *at)
{
    const FormatInfo *f = isa_format_of((InsnId)row->base);
    Draft d = {.id = (InsnId)row->base, .symbolic = -1, .where = at};
    Written w = {.symbolic = -1};
    if (!as_operands(a, row->pattern, row->opd, &w))
        return false;
    for (int i = 0; i < f->nopd; i++) {
        const int from = row->map[i].from;
        d.value[i] = row->map[i].value + (from < 0 ? 0 : w.value[from]);
        d.at[i] = from < 0 ? at : w.at[from];
        if (from >= 0 && row->map[i].value)
            d.delta = row->map[i].value;
        if (from >= 0 && from == w.symbolic && !set_symbolic(a, &d, i, (OperandId)f->opd[i], &w))
            return false;
    }
    return as_put_draft(a, &d);
}

/* --- the right form for the operands ------------------------------------------------ */

typedef enum { FOUND_OTHER, FOUND_VREG, FOUND_XREG, FOUND_NUMBER } Found;

static Found what_is_at(const Asm *a, const char *at)
{
    int n;
    const size_t len = (size_t)(lex_ident(at) - at);
    if (isa_find_vreg(at, len, &n))
        return FOUND_VREG;
    if (as_find_register(a, at, len) >= 0)
        return FOUND_XREG;
    return is_digit(*at) || *at == '-' ? FOUND_NUMBER : FOUND_OTHER;
}

static bool takes(InsnId id, int operand, Found f)
{
    const FormatInfo *format = isa_format_of(id);
    const OperandKind kind =
        operand < format->nopd ? (OperandKind)isa_operand[format->opd[operand]].kind : K_HIDE;
    switch (f) {
    case FOUND_OTHER: return false;
    case FOUND_VREG: return kind == K_VREG;
    case FOUND_XREG: return kind == K_XREG;
    case FOUND_NUMBER: return kind == K_IMM || kind == K_IMMX || kind == K_IMMZ;
    }
    bug("found %d", (int)f);
}

/* Where an operand is of the wrong kind, but vadd.vv has a vadd.vx or vadd.vi that takes
 * it, says so.  `start`: the first operand. */
static void hint_sibling(Asm *a, const Keyword *k, const char *start)
{
    static const char *const text[] = {"", "a vector register", "a scalar register", "a number"};
    static const char endings[] = "vxfi";
    char name[MAX_MNEMONIC + 1];
    const size_t len = lower(k->name, k->len, name);
    const char *at = a->fail.at;
    int operand = 0;
    Insn in;
    if (!at || a->fail.text[0] || len < 4 || name[len - 3] != '.' || name[len - 2] != 'v')
        return;
    for (const char *p = start; p < at; p++)
        operand += *p == ',';
    const Found found = what_is_at(a, at);
    for (size_t i = 0; i < sizeof endings - 1; i++) {
        name[len - 1] = endings[i];
        if (isa_find_insn(name, len, a->set, &in, NULL) && takes(in.id, operand, found)) {
            as_fail(a, at, "%.*s does not take %s here; %s does", (int)k->len, k->name, text[found],
                    name);
            return;
        }
    }
}

/* whether nothing can come of another form */
static bool is_over(const Asm *a) { return a->no_memory || a->fail.is_final; }

bool as_insn(Asm *a, const Keyword *k, const char *at)
{
    const char *start = a->p;
    if (!k->has_base && !k->npseudo && !k->nalias)
        return unknown(a, k, at);
    if (k->has_base && put_base(a, k, at))
        return true;
    for (int i = 0; i < k->npseudo && !is_over(a); i++) {
        a->p = start;
        if (as_pseudo(a, k->pseudo[i], at))
            return true;
    }
    for (int i = 0; i < k->nalias && !is_over(a); i++) {
        a->p = start;
        if (put_alias(a, &isa_alias[k->alias[i]], at))
            return true;
    }
    hint_sibling(a, k, start);
    return false;
}
