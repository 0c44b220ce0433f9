/* expr.c -- expressions: read once, evaluated when addresses are known.
 *
 * Precedence is that of GNU as, high to low:
 *
 *     - ~ ! +             of one operand
 *     * / % << >>
 *     | & ^
 *     + -
 *     == != <> < > <= >=     -1 if true
 *     &&                     1 if true
 *     ||
 *
 * Whatever can be computed while reading is; k + plus - minus is the form that can be
 * relocated.  Everything else becomes a tree of nodes.
 */
#include "asm/job.h"
#include "asm/lex.h"
#include <elf.h>
#include <string.h>

typedef enum {
    X_NONE,
    X_MUL,
    X_DIV,
    X_MOD,
    X_SHL,
    X_SHR,
    X_OR,
    X_AND,
    X_XOR,
    X_ADD,
    X_SUB,
    X_EQ,
    X_NE,
    X_LT,
    X_GT,
    X_LE,
    X_GE,
    X_ANDAND,
    X_OROR,
    X_NEG,
    X_NOT,
    X_LNOT
} XOp;

/* longer ones first where one begins with the other */
static const struct {
    const char *text;
    u8 op, level;
} binary[] = {
    {"||", X_OROR, 1}, {"&&", X_ANDAND, 2}, {"==", X_EQ, 3},  {"!=", X_NE, 3},  {"<>", X_NE, 3},
    {"<=", X_LE, 3},   {">=", X_GE, 3},     {"<<", X_SHL, 6}, {">>", X_SHR, 6}, {"<", X_LT, 3},
    {">", X_GT, 3},    {"+", X_ADD, 4},     {"-", X_SUB, 4},  {"|", X_OR, 5},   {"&", X_AND, 5},
    {"^", X_XOR, 5},   {"*", X_MUL, 6},     {"/", X_DIV, 6},  {"%", X_MOD, 6},
};

/* --- arithmetic ------------------------------------------------------------------- */

/* false: a division by zero */
static bool compute(u8 op, i64 x, i64 y, i64 *r)
{
    const u64 a = (u64)x, b = (u64)y;
    switch ((XOp)op) {
    case X_NONE:
    case X_NEG: break; /* read as a subtraction */
    case X_MUL: *r = (i64)(a * b); return true;
    case X_DIV: *r = !y ? 0 : y == -1 ? (i64)-a : x / y; return y != 0;
    case X_MOD: *r = !y || y == -1 ? 0 : x % y; return y != 0;
    case X_SHL: *r = b > 63 ? 0 : (i64)(a << b); return true;
    case X_SHR: *r = b > 63 ? 0 : (i64)(a >> b); return true;
    case X_OR: *r = x | y; return true;
    case X_AND: *r = x & y; return true;
    case X_XOR: *r = x ^ y; return true;
    case X_ADD: *r = (i64)(a + b); return true;
    case X_SUB: *r = (i64)(a - b); return true;
    case X_EQ: *r = -(x == y); return true;
    case X_NE: *r = -(x != y); return true;
    case X_LT: *r = -(x < y); return true;
    case X_GT: *r = -(x > y); return true;
    case X_LE: *r = -(x <= y); return true;
    case X_GE: *r = -(x >= y); return true;
    case X_ANDAND: *r = x && y; return true;
    case X_OROR: *r = x || y; return true;
    case X_NOT: *r = ~x; return true;
    case X_LNOT: *r = !x; return true;
    }
    bug("operator %d", op);
}

bool as_distance(Asm *a, u32 plus, u32 minus, i64 *d)
{
    const Sym *p = sym_of(a, plus), *m = sym_of(a, minus);
    *d = 0;
    if (plus == minus)
        return true;
    if (p->kind != SYM_LABEL || m->kind != SYM_LABEL || p->sect != m->sect)
        return false;
    const Frag *f = &a->sects[p->sect].frags[p->frag], *g = &a->sects[m->sect].frags[m->frag];
    if (f->since != g->since)
        return false;
    *d = (i64)f->base + p->offset - ((i64)g->base + m->offset);
    return true;
}

/* takes pairs of symbols out whose distance is fixed; returns how many pairs are left */
static void cancel(Asm *a, i64 *k, u32 plus[2], u32 minus[2])
{
    i64 d;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (plus[i] && minus[j] && as_distance(a, plus[i], minus[j], &d)) {
                *k = (i64)((u64)*k + (u64)d);
                plus[i] = minus[j] = 0;
            }
}

/* x + y, or x - y with y's symbols exchanged by the caller; false: too many are left */
static bool add_linear(Asm *a, i64 k, u32 xp, u32 xm, u32 yp, u32 ym, Value *v)
{
    u32 plus[2] = {xp, yp}, minus[2] = {xm, ym};
    cancel(a, &k, plus, minus);
    if ((plus[0] && plus[1]) || (minus[0] && minus[1]))
        return false;
    *v = (Value){k, plus[0] | plus[1], minus[0] | minus[1]};
    return true;
}

/* the value of x op y if it has the form k + plus - minus */
static bool apply(Asm *a, u8 op, const Value *x, const Value *y, Value *v)
{
    const u64 kx = (u64)x->k, ky = (u64)y->k;
    if (op == X_ADD)
        return add_linear(a, (i64)(kx + ky), x->plus, x->minus, y->plus, y->minus, v);
    if (op == X_SUB)
        return add_linear(a, (i64)(kx - ky), x->plus, x->minus, y->minus, y->plus, v);
    if (x->plus || x->minus || y->plus || y->minus)
        return false;
    *v = (Value){0};
    return compute(op, x->k, y->k, &v->k);
}

/* --- reading ------------------------------------------------------------------------ */

static bool expr(Asm *a, Expr *e, int level, int depth);

static bool node(Asm *a, u8 op, const Expr *x, const Expr *y, Expr *e, const char *at)
{
    const u16 dx = a->nodes[x->tree].depth, dy = a->nodes[y->tree].depth;
    const u16 depth = (u16)((dx > dy ? dx : dy) + 1);
    if (depth > MAX_NESTING)
        return as_fail(a, at, "this expression is nested too deeply");
    if (!array_grow(a->nodes, a->nnodes, a->capnodes))
        return as_no_memory(a);
    a->nodes[a->nnodes] = (Node){op, depth, *x, *y};
    *e = (Expr){.tree = (u32)a->nnodes++};
    return true;
}

static bool combine(Asm *a, u8 op, const Expr *x, const Expr *y, Expr *e, const char *at)
{
    const Value vx = {x->k, x->plus, x->minus}, vy = {y->k, y->plus, y->minus};
    Value v;
    if ((op == X_DIV || op == X_MOD) && is_number(y) && !y->k)
        return as_fail(a, at, "a division by zero");
    if (x->tree || y->tree || !apply(a, op, &vx, &vy, &v))
        return node(a, op, x, y, e, at);
    *e = (Expr){v.k, v.plus, v.minus, 0};
    return true;
}

static int digit_value(char c, int base)
{
    const int d = is_hex(c) ? lex_hex_value(c) : 99;
    return d < base ? d : -1;
}

/* decimal, 0x, 0b or octal digits from a->p */
static bool number(Asm *a, i64 *v)
{
    const char *start = a->p, *p = a->p;
    int base = 10;
    u64 n = 0;
    if (p[0] == '0' && (p[1] | 32) == 'x')
        base = 16, p += 2;
    else if (p[0] == '0' && (p[1] | 32) == 'b')
        base = 2, p += 2;
    else if (p[0] == '0' && is_digit(p[1]))
        base = 8, p++;
    const char *first = p;
    for (int d; (d = digit_value(*p, base)) >= 0; p++)
        if (__builtin_mul_overflow(n, (u64)base, &n) || __builtin_add_overflow(n, (u64)d, &n))
            return as_fail(a, start, "this number needs more than 64 bits");
    if (p == first || is_ident(*p))
        return as_fail(a, p, "this is not a number of base %d", base);
    a->p = p;
    *v = (i64)n;
    return true;
}

/* 1b, 1f; false: not one of these */
static bool is_number_label(const char *p, const char **end)
{
    *end = lex_digits(p);
    if ((**end != 'b' && **end != 'f') || is_ident((*end)[1]))
        return false;
    return !(p[0] == '0' && *end == p + 1 && is_digit(p[2]));
}

static bool digits(Asm *a, Expr *e)
{
    const char *start = a->p, *end;
    if (!is_number_label(start, &end))
        return number(a, &e->k);
    e->plus = as_number_label(a, start, (size_t)(end - start), *end == 'f');
    a->p = end + 1;
    return e->plus != 0;
}

static int escape(const char **p)
{
    static const char from[] = "ntbrfv0\\'\"", to[] = "\n\t\b\r\f\v\0\\'\"";
    const char *found = **p ? strchr(from, **p) : NULL;
    if (!found)
        return -1;
    ++*p;
    return (u8)to[found - from];
}

/* 'a' or 'a */
static bool character(Asm *a, i64 *v)
{
    const char *p = a->p + 1;
    if (!*p || *p == '\n')
        return as_fail(a, a->p, "a character is missing");
    if (*p == '\\') {
        const char *letter = ++p;
        const int c = escape(&p);
        if (c < 0)
            return as_fail(a, letter, "there is no such escape");
        *v = c;
    } else {
        *v = (u8)*p++;
    }
    a->p = *p == '\'' ? p + 1 : p;
    return true;
}

bool as_is_register(Asm *a, const char *name, size_t len)
{
    int n;
    return as_find_register(a, name, len) >= 0 || isa_find_vreg(name, len, &n);
}

/* a symbol's value where that is known, else a reference to it */
static bool symbol(Asm *a, const char *name, size_t len, const char *at, Expr *e)
{
    if (a->in_operand && as_is_register(a, name, len))
        return as_want(a, at, WANT_NUMBER);
    const u32 id = as_symbol(a, name, len, at);
    if (!id)
        return false;
    const Sym *s = sym_of(a, id);
    if (s->kind == SYM_EQU && !s->value.tree)
        *e = s->value;
    else
        e->plus = id;
    return true;
}

/* ".", a name, or a name in quotes; "@plt" after it has no effect here */
static bool name(Asm *a, Expr *e)
{
    const char *start = a->p, *text;
    size_t len;
    if (!as_name(a, &text, &len))
        return false;
    if (!strncmp(a->p, "@plt", 4))
        a->p += 4;
    if (len == 1 && *text == '.')
        return (e->plus = as_label_here(a)) != 0;
    return symbol(a, text, len, start, e);
}

static bool unary(Asm *a, u8 op, Expr *e, int depth)
{
    static const Expr none = {0};
    const char *at = a->p++;
    Expr x;
    if (!expr(a, &x, 7, depth + 1))
        return false;
    if (op == X_NEG)
        return combine(a, X_SUB, &none, &x, e, at);
    return combine(a, op, &x, &none, e, at);
}

static bool parenthesis(Asm *a, Expr *e, int depth)
{
    a->p++;
    if (!expr(a, e, 1, depth + 1))
        return false;
    a->p = lex_space(a->p);
    if (*a->p != ')')
        return as_want(a, a->p, WANT_CLOSE);
    a->p++;
    return true;
}

static bool primary(Asm *a, Expr *e, int depth)
{
    *e = (Expr){0};
    a->p = lex_space(a->p);
    if (depth > MAX_NESTING)
        return as_fail(a, a->p, "this expression is nested too deeply");
    if (is_digit(*a->p))
        return digits(a, e);
    if (is_ident_start(*a->p) || *a->p == '"')
        return name(a, e);
    switch (*a->p) {
    case '(': return parenthesis(a, e, depth);
    case '\'': return character(a, &e->k);
    case '-': return unary(a, X_NEG, e, depth);
    case '~': return unary(a, X_NOT, e, depth);
    case '!': return unary(a, X_LNOT, e, depth);
    case '+': a->p++; return expr(a, e, 7, depth + 1);
    }
    return as_want(a, a->p, WANT_NUMBER);
}

/* index in binary[], or -1 */
static int operator_at(const char *p)
{
    if (!is_class(*p, C_OPERATOR) || lex_at_end(p))
        return -1;
    for (size_t i = 0; i < countof(binary); i++)
        if (!strncmp(p, binary[i].text, strlen(binary[i].text)))
            return (int)i;
    return -1;
}

/* operators of at least `level` */
static bool expr(Asm *a, Expr *e, int level, int depth)
{
    if (!primary(a, e, depth))
        return false;
    for (;;) {
        a->p = lex_space(a->p);
        const int i = operator_at(a->p);
        if (i < 0 || binary[i].level < level)
            return true;
        const char *at = a->p;
        Expr x = *e, y;
        a->p += strlen(binary[i].text);
        if (!expr(a, &y, binary[i].level + 1, depth + 1) ||
            !combine(a, binary[i].op, &x, &y, e, at))
            return false;
    }
}

bool as_expr(Asm *a, Expr *e) { return expr(a, e, 1, 0); }

bool as_number(Asm *a, i64 *v)
{
    a->p = lex_space(a->p);
    const char *at = a->p;
    char buf[64];
    Expr e;
    if (!as_expr(a, &e))
        return false;
    *v = e.k;
    if (is_number(&e))
        return true;
    if (e.plus && sym_of(a, e.plus)->kind == SYM_UNDEF)
        return as_fail(a, at, "'%s' has no value yet; one is needed here",
                       as_symbol_name(a, e.plus, buf));
    return as_fail(a, at, "a number is needed that is known here");
}

/* --- evaluation ------------------------------------------------------------------------ */

typedef struct {
    Asm *a;
    const char *why;
} Evaluation;

static const char too_many[] = "this has more symbols than a relocation can carry";

static bool eval(Evaluation *x, const Expr *e, Value *v, int depth);

static bool no_value(Evaluation *x, const char *why)
{
    x->why = why;
    return false;
}

/* The value of a symbol; kept for the round, so that chains of them cost one walk. */
static bool eval_symbol(Evaluation *x, u32 id, Value *v, int depth)
{
    Sym *s = sym_of(x->a, id);
    if (!id || s->kind != SYM_EQU) {
        *v = (Value){.plus = id};
        return true;
    }
    if (s->round == ROUND_BUSY)
        return no_value(x, "this is defined by itself");
    if (s->round != x->a->round) {
        s->round = ROUND_BUSY;
        const bool ok = eval(x, &s->value, &s->known, depth + 1);
        s->round = ok ? x->a->round : 0;
        if (!ok)
            return false;
    }
    *v = s->known;
    return true;
}

/* labels of one section have a distance */
static void join_labels(Asm *a, Value *v)
{
    const Sym *p = sym_of(a, v->plus), *m = sym_of(a, v->minus);
    if (!v->plus || !v->minus)
        return;
    if (v->plus != v->minus && (p->kind != SYM_LABEL || m->kind != SYM_LABEL || p->sect != m->sect))
        return;
    if (v->plus != v->minus)
        v->k += (i64)as_label_offset(a, p) - (i64)as_label_offset(a, m);
    v->plus = v->minus = 0;
}

static bool eval_linear(Evaluation *x, const Expr *e, Value *v, int depth)
{
    Value plus, minus;
    if (!eval_symbol(x, e->plus, &plus, depth) || !eval_symbol(x, e->minus, &minus, depth))
        return false;
    join_labels(x->a, &plus);
    join_labels(x->a, &minus);
    if (!apply(x->a, X_SUB, &plus, &minus, v))
        return no_value(x, too_many);
    v->k = (i64)((u64)v->k + (u64)e->k);
    join_labels(x->a, v);
    return true;
}

static bool eval_tree(Evaluation *x, const Node *n, Value *v, int depth)
{
    Value p, q;
    const u8 op = n->op;
    const Expr right = n->b;
    if (!eval(x, &n->a, &p, depth + 1) || !eval(x, &right, &q, depth + 1))
        return false;
    if (apply(x->a, op, &p, &q, v)) {
        join_labels(x->a, v);
        return true;
    }
    if (op == X_ADD || op == X_SUB)
        return no_value(x, too_many);
    return no_value(x, p.plus || p.minus || q.plus || q.minus
                           ? "addresses can be added and subtracted only"
                           : "a division by zero");
}

static bool eval(Evaluation *x, const Expr *e, Value *v, int depth)
{
    if (depth > 2 * MAX_NESTING)
        return no_value(x, "this depends on too long a chain of definitions");
    return e->tree ? eval_tree(x, &x->a->nodes[e->tree], v, depth) : eval_linear(x, e, v, depth);
}

bool as_eval(Asm *a, const Expr *e, Value *v, const char **why)
{
    Evaluation x = {a, NULL};
    const bool ok = eval(&x, e, v, 0);
    *why = x.why;
    return ok;
}

u64 as_label_offset(const Asm *a, const Sym *s)
{
    return a->sects[s->sect].frags[s->frag].addr + s->offset;
}
