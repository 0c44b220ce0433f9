/* scopes.c -- functions, what was inlined into them, and blocks of the source, DWARF 4 (section 3).
 *
 * The place of a word says in which call or block it is (Loc.scope), and each of these in which
 * other one.  A scope has all ranges of words that are in it; of blocks, only those are told that
 * have variables.
 */
#include "cc/debuginfo.h"
#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

void put_scope_abbrevs(DwarfOut *s)
{
    /* clang-format off */
    static const u8 bytes[] = {
        ABBREV_FUNCTION, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_string, DW_AT_low_pc,
        DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0,
        ABBREV_LEAF, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr,
        DW_AT_high_pc, DW_FORM_data4, 0, 0,
        ABBREV_FUNCTION_TYPED, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_string, DW_AT_low_pc,
        DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, DW_AT_type, DW_FORM_ref4, 0, 0,
        ABBREV_ABSTRACT, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, DW_AT_inline,
        DW_FORM_data1, 0, 0,
        ABBREV_INLINED, DW_TAG_inlined_subroutine, 1, DW_AT_abstract_origin, DW_FORM_ref4,
        DW_AT_ranges, DW_FORM_sec_offset, DW_AT_call_file, DW_FORM_udata, DW_AT_call_line,
        DW_FORM_udata, DW_AT_call_column, DW_FORM_udata, 0, 0,
        ABBREV_BLOCK, DW_TAG_lexical_block, 1, DW_AT_ranges, DW_FORM_sec_offset, 0, 0,
    };
    /* clang-format on */
    buf_put(s->b, bytes, sizeof bytes);
}

/* --- the tree --------------------------------------------------------------------------------- */

typedef struct {
    u32 lo, hi;
} Range; /* bytes from the start of the function */

/* A scope; its number is that of Loc.scope, 0: the function. */
typedef struct {
    Range *range;
    size_t n, cap;
    u32 at;                /* in .debug_ranges */
    u32 child, last, next; /* numbers of scopes, 0: none */
    u32 variable;          /* 1 + the first variable in it, or 0 */
} Node;

struct ScopeTree {
    Module *m;
    Node *node;    /* by number */
    u32 *variable; /* of each: 1 + the next one of its scope, or 0 */
};

/* The scope itself or the next one around it that is told. */
static u32 told(const ScopeTree *t, u32 scope)
{
    while (scope && !t->m->scope[scope - 1].function && !t->node[scope].variable)
        scope = t->m->scope[scope - 1].parent;
    return scope;
}

static u32 around(const ScopeTree *t, u32 scope) { return told(t, t->m->scope[scope - 1].parent); }

/* A scope that has words now is a child of the one around it. */
static void adopt(ScopeTree *t, u32 scope)
{
    Node *parent = &t->node[around(t, scope)];
    *(parent->last ? &t->node[parent->last].next : &parent->child) = scope;
    parent->last = scope;
}

/* The bytes from lo to hi are in a scope and in what is around it. */
static void add_range(ScopeTree *t, u32 scope, u32 lo, u32 hi)
{
    for (scope = told(t, scope); scope; scope = around(t, scope)) {
        Node *n = &t->node[scope];
        if (n->n && n->range[n->n - 1].hi == lo) {
            n->range[n->n - 1].hi = hi;
            continue;
        }
        if (!n->n)
            adopt(t, scope);
        if (ir_grow(t->m, n->range, n->n, n->cap))
            n->range[n->n++] = (Range){lo, hi};
    }
}

static void find_ranges(ScopeTree *t, const Code *c)
{
    u32 scope = 0, from = 0;
    for (size_t i = 0; i < c->n; i++) {
        const Word *w = &c->word[i];
        if (word_is_none(w) || !w->loc || t->m->loc[w->loc].scope == scope)
            continue;
        if (w->at > from)
            add_range(t, scope, from, w->at);
        from = w->at;
        scope = t->m->loc[w->loc].scope;
    }
    if (c->size > from)
        add_range(t, scope, from, c->size);
}

static void list_variables(ScopeTree *t, const Func *f)
{
    for (size_t v = f->nvariable; v-- > 0;) {
        u32 *first = &t->node[f->variable[v].scope].variable;
        t->variable[v] = *first;
        *first = (u32)v + 1;
    }
}

ScopeTree *put_ranges(DwarfOut *s, const Code *c, u32 symbol)
{
    Module *m = c->f->module;
    ScopeTree *t = ir_alloc(m, sizeof *t);
    if (!t)
        return NULL;
    t->m = m;
    t->node = ir_alloc(m, (m->nscope + 1) * sizeof *t->node);
    t->variable = ir_alloc(m, (c->f->nvariable + 1) * sizeof *t->variable);
    if (m->failed)
        return NULL;
    list_variables(t, c->f);
    find_ranges(t, c);
    for (u32 k = 1; k <= m->nscope; k++) {
        Node *n = &t->node[k];
        if (!n->n)
            continue;
        n->at = (u32)s->b->len;
        dwarf_put(s, UINT32_MAX, 4); /* what follows is counted from the start of the function */
        dwarf_put_address(s, symbol, 0);
        for (size_t i = 0; i < n->n; i++) {
            dwarf_put(s, n->range[i].lo, 4);
            dwarf_put(s, n->range[i].hi, 4);
        }
        dwarf_put(s, 0, 4);
        dwarf_put(s, 0, 4);
    }
    return m->failed ? NULL : t;
}

/* --- entries ---------------------------------------------------------------------------------- */

/* What the entries of one function need. */
typedef struct {
    DwarfOut *s;
    const Func *f;
    const ScopeTree *t;
    u32 ranges;
    const u32 *origin;
    const VariablePlaces *at;
} Entries;

static void put_scope(const Entries *e, u32 scope);

static void put_contents(const Entries *e, u32 scope)
{
    for (u32 v = e->t->node[scope].variable; v; v = e->t->variable[v - 1])
        put_variable(e->s, e->f, v - 1, e->at);
    for (u32 k = e->t->node[scope].child; k; k = e->t->node[k].next)
        put_scope(e, k);
    dwarf_put(e->s, 0, 1); /* the end of a list of children */
}

static void put_scope(const Entries *e, u32 scope)
{
    const Module *m = e->t->m;
    const SourceScope *what = &m->scope[scope - 1];
    const Loc *at = &m->loc[what->loc];
    dwarf_put(e->s, what->function ? ABBREV_INLINED : ABBREV_BLOCK, 1);
    if (what->function)
        dwarf_put(e->s, e->origin[scope - 1], 4);
    dwarf_put_address(e->s, e->ranges, e->t->node[scope].at);
    if (what->function) {
        dwarf_put_uleb(e->s, at->file + 1);
        dwarf_put_uleb(e->s, at->line);
        dwarf_put_uleb(e->s, at->column);
    }
    put_contents(e, scope);
}

/* Whether debuggers find the function's result in registers as it would be in memory: at most two
 * words, which the optimiser has not left out.  (gdb looks for more at an address, which is not
 * there.) */
static bool shows_result(const Func *f)
{
    const u32 size = f->type ? source_type_size(f->module, f->type) : 0;
    return size && size <= 8 && (size + 3) / 4 == f->nresults;
}

void put_function(DwarfOut *s, const Code *c, u32 symbol, const ScopeTree *t, u32 ranges,
                  const u32 *origin, const VariablePlaces *at)
{
    const Entries e = {s, c->f, t, ranges, origin, at};
    const bool has_type = shows_result(c->f),
               has_children = has_type || t->node[0].child || t->node[0].variable;
    dwarf_put(s,
              has_type       ? ABBREV_FUNCTION_TYPED
              : has_children ? ABBREV_FUNCTION
                             : ABBREV_LEAF,
              1);
    dwarf_put_string(s, c->f->name);
    dwarf_put_address(s, symbol, 0);
    dwarf_put(s, c->size, 4);
    if (has_type)
        dwarf_put(s, at->type[c->f->type], 4);
    if (has_children)
        put_contents(&e, 0);
}

/* --- functions that were inlined -------------------------------------------------------------- */

typedef struct {
    const char *function;
    u32 scope;
} Named;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const Named *)a)->function, ((const Named *)b)->function);
}

void put_abstract(DwarfOut *s, const Module *m, u32 *origin)
{
    Named *list = mem_zalloc(m->nscope + 1, sizeof *list);
    size_t n = 0;
    s->failed |= !list;
    for (u32 k = 0; list && k < m->nscope; k++)
        if (m->scope[k].function)
            list[n++] = (Named){m->scope[k].function, k};
    if (n)
        qsort(list, n, sizeof *list, by_name);
    for (size_t k = 0; k < n; k++) {
        const bool is_same = k && !by_name(&list[k - 1], &list[k]);
        origin[list[k].scope] = is_same ? origin[list[k - 1].scope] : (u32)s->b->len;
        if (is_same)
            continue;
        dwarf_put(s, ABBREV_ABSTRACT, 1);
        dwarf_put_string(s, list[k].function);
        dwarf_put(s, DW_INL_inlined, 1);
    }
    mem_free(list);
}
