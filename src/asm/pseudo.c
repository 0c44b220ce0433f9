/* pseudo.c -- mnemonics that stand for several instructions: the rows of pseudo.def,
 * and li. */
#include "asm/job.h"
#include <string.h>

/* --- rows -------------------------------------------------------------------------- */

typedef enum { ARG_WRITTEN, ARG_CONST, ARG_HI, ARG_LO, ARG_FAR } ArgKind;
typedef enum { ANY, V0, NOT_V0 } When;

enum { MAX_STEPS = 4, MAX_ARGS = 4 };

typedef struct {
    u8 kind;  /* ArgKind */
    i8 value; /* which one, or the constant */
} Arg;

typedef struct {
    u16 id; /* InsnId */
    Arg arg[MAX_ARGS];
} Step;

typedef struct {
    const char *text, *pattern;
    u8 opd[MAXOPD];
    u8 when;
    u8 nsteps;
    Step step[MAX_STEPS];
} Pseudo;

#define A(n)                                                                                       \
    {                                                                                              \
        ARG_WRITTEN, n                                                                             \
    }
#define K(v)                                                                                       \
    {                                                                                              \
        ARG_CONST, v                                                                               \
    }
#define HI(n)                                                                                      \
    {                                                                                              \
        ARG_HI, n                                                                                  \
    }
#define LO(n)                                                                                      \
    {                                                                                              \
        ARG_LO, n                                                                                  \
    }
#define FAR(n)                                                                                     \
    {                                                                                              \
        ARG_FAR, n                                                                                 \
    }
#define OPERANDS(...)                                                                              \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define STEP(id, ...)                                                                              \
    {                                                                                              \
        I_##id, { __VA_ARGS__ }                                                                    \
    }
#define NSTEPS(...) (sizeof((const Step[]){__VA_ARGS__}) / sizeof(Step))

static const Pseudo rows[] = {
    {"li", "%,%", {O_rd, P_NUMBER}, ANY, 0, {{0}}}, /* put_li() */
#define PSEUDO(text, pattern, written, when, ...)                                                  \
    {text, pattern, written, when, NSTEPS(__VA_ARGS__), {__VA_ARGS__}},
#include "asm/pseudo.def"
};

int as_find_pseudos(const char *name, u8 *found, int max)
{
    int n = 0;
    for (size_t i = 0; i < countof(rows); i++) {
        if (strcmp(rows[i].text, name))
            continue;
        if (n == max)
            bug("pseudo.def: %s has too many rows", name);
        found[n++] = (u8)i;
    }
    return n;
}

const char *as_pseudo_name(int row) { return row < (int)countof(rows) ? rows[row].text : NULL; }

/* --- steps -------------------------------------------------------------------------- */

static void set_symbolic(Draft *d, int i, FixKind kind, const Expr *e)
{
    d->symbolic = i;
    d->fix = (u8)kind;
    d->expr = *e;
}

/* hi: the label of an earlier step's auipc */
static Draft draft_of(const Step *s, const Written *w, u32 hi, const char *at)
{
    const FormatInfo *f = isa_format_of((InsnId)s->id);
    Draft d = {.id = (InsnId)s->id, .symbolic = -1, .where = at};
    for (int i = 0; i < f->nopd && i < MAX_ARGS; i++) {
        const Arg *arg = &s->arg[i];
        d.at[i] = arg->kind == ARG_CONST ? at : w->at[arg->value];
        switch ((ArgKind)arg->kind) {
        case ARG_WRITTEN: d.value[i] = w->value[arg->value]; break;
        case ARG_CONST: d.value[i] = arg->value; break;
        case ARG_HI: set_symbolic(&d, i, FIX_PCHI, &w->expr); break;
        case ARG_LO:
            set_symbolic(&d, i, as_fix_kind((OperandId)f->opd[i], MOD_PCREL_LO),
                         &(Expr){.plus = hi});
            break;
        case ARG_FAR: set_symbolic(&d, i, FIX_CALL, &w->expr); break;
        }
    }
    return d;
}

static bool put_steps(Asm *a, const Pseudo *row, const Written *w, const char *at)
{
    u32 hi = 0;
    bool is_far = false;
    for (int i = 0; i < row->nsteps; i++) {
        Draft d = draft_of(&row->step[i], w, hi, at);
        d.is_direct = is_far;
        if (!as_put_draft(a, &d))
            return false;
        if (d.fix == FIX_PCHI && d.symbolic >= 0) { /* %pcrel_lo refers to a label of this auipc */
            hi = as_label_here(a);
            if (!hi)
                return false;
            sym_of(a, hi)->offset -= 4;
        }
        is_far = d.fix == FIX_CALL && d.symbolic >= 0;
        if (is_far && w->expr.plus)
            sym_of(a, w->expr.plus)->is_called = true;
    }
    return true;
}

static bool refuse_prefix(Asm *a, const char *at, const char *name, int n)
{
    return as_refuse(a, at, "%s becomes %d instructions; the prefix before it reaches one only",
                     name, n);
}

/* --- li ------------------------------------------------------------------------------- */

static bool put_insn(Asm *a, InsnId id, i64 x, i64 y, i64 z, const Written *w, const char *at)
{
    const Draft d = {.id = id,
                     .value = {x, y, z},
                     .at = {w->at[0], w->at[1], w->at[1]},
                     .symbolic = -1,
                     .where = at};
    return as_put_draft(a, &d);
}

static bool put_li(Asm *a, const Written *w, const char *at)
{
    const i64 rd = w->value[0], v = w->value[1];
    const i64 lo = sign_extend((u64)v, 12), hi = (v - lo) >> 12 & 0xfffff;
    if (w->symbolic >= 0)
        return as_refuse(a, w->at[1], "li takes a number that is known here; la takes an address");
    if (v < INT32_MIN || v > UINT32_MAX)
        return as_refuse(a, w->at[1], "%lld does not fit in 32 bits", (long long)v);
    if (!hi)
        return put_insn(a, I_addi, rd, 0, lo, w, at);
    if (lo && a->prefix.valid)
        return refuse_prefix(a, at, "li", 2);
    return put_insn(a, I_lui, rd, hi, 0, w, at) && (!lo || put_insn(a, I_addi, rd, rd, lo, w, at));
}

bool as_pseudo(Asm *a, int index, const char *at)
{
    const Pseudo *row = &rows[index];
    Written w = {.symbolic = -1};
    if (!as_operands(a, row->pattern, row->opd, &w))
        return false;
    if (!row->nsteps)
        return put_li(a, &w, at);
    for (int i = 0; i < MAXOPD; i++)
        if (row->opd[i] == P_SYMBOL && w.symbolic != i)
            return as_fail(a, w.at[i], "a symbol is needed here; li loads a number");
    if ((row->when == V0 && w.value[0]) || (row->when == NOT_V0 && !w.value[0]))
        return as_fail(a, a->p, "with v0 as destination a temporary register must follow");
    if (row->nsteps > 1 && a->prefix.valid)
        return refuse_prefix(a, at, row->text, row->nsteps);
    /* the two words of a far jump are one place for the linker: no prefix fits between */
    const Arg *first = row->step[0].arg;
    if (first[1].kind == ARG_FAR && first[0].kind == ARG_WRITTEN && w.value[first[0].value] > 31)
        return as_refuse(a, at, "a far jump goes through x0 to x31 only");
    return put_steps(a, row, &w, at);
}
