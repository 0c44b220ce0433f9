/* cond.c -- conditions: .if and its variants, .else, .endif. */
#include "asm/job.h"
#include "asm/lex.h"
#include <string.h>

enum { MAX_CONDS = 1000 };

static bool push(Asm *a, bool taken, const char *at)
{
    const bool skipping = as_skipping(a);
    if (a->nconds == MAX_CONDS)
        return as_fail(a, at, "conditions more than %d deep", MAX_CONDS);
    if (!array_grow(a->conds, a->nconds, a->capconds))
        return as_no_memory(a);
    a->conds[a->nconds++] =
        (Cond){.active = !skipping && taken, .taken = skipping || taken, .place = {a->src, at}};
    return true;
}

/* An inner condition of excluded text; its operands need not make sense. */
static bool push_skipped(Asm *a)
{
    a->p = lex_skip_statement(a->p);
    return push(a, false, a->p);
}

/* an .if that cannot be read excludes everything up to its .endif */
static bool push_failed(Asm *a, const char *at)
{
    if (push(a, false, at))
        a->conds[a->nconds - 1].taken = true;
    return false;
}

typedef enum { COMPARE_NE, COMPARE_EQ, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE } Compare;

static bool holds(i64 v, Compare how)
{
    switch (how) {
    case COMPARE_NE: return v != 0;
    case COMPARE_EQ: return v == 0;
    case COMPARE_LT: return v < 0;
    case COMPARE_LE: return v <= 0;
    case COMPARE_GT: return v > 0;
    case COMPARE_GE: return v >= 0;
    }
    bug("comparison %d", (int)how);
}

/* .if .ifne .ifeq .iflt .ifle .ifgt .ifge expression */
bool as_if(Asm *a, int how)
{
    const char *at = a->p;
    i64 v;
    if (as_skipping(a))
        return push_skipped(a);
    if (!as_number(a, &v) || !as_end_of_statement(a))
        return push_failed(a, at);
    return push(a, holds(v, (Compare)how), at);
}

/* .ifdef .ifndef name */
bool as_ifdef(Asm *a, int wanted)
{
    const char *at = a->p, *name;
    size_t len;
    if (as_skipping(a))
        return push_skipped(a);
    if (!as_name(a, &name, &len) || !as_end_of_statement(a))
        return push_failed(a, at);
    const u32 id = as_find_symbol(a, name, len);
    return push(a, (id && sym_of(a, id)->kind != SYM_UNDEF) == wanted, at);
}

/* .ifb .ifnb text */
bool as_ifblank(Asm *a, int wanted)
{
    const char *at = a->p;
    if (as_skipping(a))
        return push_skipped(a);
    a->p = lex_space(a->p);
    const bool blank = lex_at_end(a->p);
    a->p = lex_skip_statement(a->p);
    return push(a, blank == wanted, at);
}

static const char *trim(const char *start, const char *end)
{
    while (end > start && is_class(end[-1], C_BLANK))
        end--;
    return end;
}

/* .ifc .ifnc text, text -- compared as they stand */
bool as_ifsame(Asm *a, int wanted)
{
    const char *at = a->p;
    if (as_skipping(a))
        return push_skipped(a);
    const char *end = lex_skip_statement(a->p), *x = lex_space(a->p);
    const char *comma = memchr(x, ',', (size_t)(end - x));
    if (!comma) {
        as_want(a, end, WANT_COMMA);
        return push_failed(a, at);
    }
    const char *y = lex_space(comma + 1);
    const size_t xlen = (size_t)(trim(x, comma) - x),
                 ylen = y < end ? (size_t)(trim(y, end) - y) : 0;
    a->p = end;
    return push(a, (xlen == ylen && !memcmp(x, y, xlen)) == wanted, at);
}

/* .ifeqs .ifnes "string", "string" */
bool as_ifeqs(Asm *a, int wanted)
{
    const char *at = a->p;
    Buf x = {0}, y = {0};
    if (as_skipping(a))
        return push_skipped(a);
    const bool ok = as_string(a, &x) && as_comma(a) && as_string(a, &y) && as_end_of_statement(a);
    const bool same = x.len == y.len && !memcmp(buf_text(&x), buf_text(&y), x.len);
    buf_free(&x);
    buf_free(&y);
    return ok ? push(a, same == wanted, at) : push_failed(a, at);
}

/* the open condition of this text; NULL: none */
static Cond *innermost(Asm *a)
{
    const size_t outer = a->depth ? a->frames[a->depth - 1].conds : 0;
    return a->nconds > outer ? &a->conds[a->nconds - 1] : NULL;
}

bool as_elseif(Asm *a, int unused)
{
    (void)unused;
    const char *at = a->p;
    Cond *c = innermost(a);
    i64 v = 0;
    if (!c || c->has_else)
        return as_fail(a, at, c ? ".elseif after .else" : ".elseif without .if");
    if (c->taken) {
        c->active = false;
        a->p = lex_skip_statement(a->p);
        return true;
    }
    c->taken = true; /* also when the condition cannot be read */
    if (!as_number(a, &v) || !as_end_of_statement(a))
        return false;
    c = innermost(a);
    c->taken = c->active = v != 0;
    return true;
}

bool as_else(Asm *a, int unused)
{
    (void)unused;
    Cond *c = innermost(a);
    if (!c || c->has_else)
        return as_fail(a, a->p, c ? "a second .else" : ".else without .if");
    c->has_else = true;
    c->active = !c->taken;
    return true;
}

bool as_endif(Asm *a, int unused)
{
    (void)unused;
    if (!innermost(a))
        return as_fail(a, a->p, ".endif without .if");
    a->nconds--;
    return true;
}

void as_unfinished_conds(Asm *a, size_t down_to)
{
    for (; a->nconds > down_to; a->nconds--)
        as_error_at(a, a->conds[a->nconds - 1].place, "this .if has no .endif");
}
