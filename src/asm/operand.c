/* operand.c -- operands as written, by the patterns of isa.def and alias.def. */
#include "asm/job.h"
#include "asm/lex.h"
#include <stdio.h>
#include <string.h>

/* --- registers -------------------------------------------------------------------- */

/* No name is longer than four characters: as a number it is its own hash key. */
static u32 pack(const char *name, size_t len)
{
    u32 key = 0;
    for (size_t i = 0; i < len; i++)
        key = key << 8 | (u8)name[i];
    return key;
}

enum { KEY_BITS = 32, REG_SLOTS = 512 };

static u32 first_slot(u32 key) { return key * 2654435761u >> 23; }

static void add_register(Asm *a, const char *name, int n)
{
    const u32 key = pack(name, strlen(name));
    u32 slot = first_slot(key);
    while (a->registers[slot].key && a->registers[slot].key != key)
        slot = (slot + 1) % REG_SLOTS;
    a->registers[slot].key = key;
    a->registers[slot].n = n;
}

void as_init_registers(Asm *a)
{
    static_assert(countof(a->registers) == REG_SLOTS && REG_SLOTS == 1 << (KEY_BITS - 23), "slots");
    int fp;
    for (int i = 0; i < 64; i++) {
        char raw[16];
        snprintf(raw, sizeof raw, "x%d", i);
        add_register(a, raw, i);
        add_register(a, isa_xreg_name[i], i);
    }
    if (isa_find_xreg("fp", 2, &fp))
        add_register(a, "fp", fp);
}

int as_find_register(const Asm *a, const char *name, size_t len)
{
    if (len > 4 || !len)
        return -1;
    const u32 key = pack(name, len);
    u32 slot = first_slot(key);
    while (a->registers[slot].key && a->registers[slot].key != key)
        slot = (slot + 1) % REG_SLOTS;
    return a->registers[slot].key ? a->registers[slot].n : -1;
}

/* Refuses a name that looks like a register and is none, as x64. */
static bool no_such_register(Asm *a, const char *at, size_t len, Want want)
{
    const char c = *at;
    int n;
    const bool counted = len > 1 && len < 5 && lex_digits(at + 1) == at + len &&
                         as_find_register(a, at, len) < 0 && !isa_find_vreg(at, len, &n);
    if (len == 3 && !memcmp(at, "t11", 3))
        return as_fail(a, at, "there is no t11: after t10 (x35) comes t12 (x36)");
    if (counted && c == 'x')
        return as_fail(a, at, "scalar registers are x0 to x63");
    if (counted && c == 'v')
        return as_fail(a, at, "vector registers are v0 to v255");
    if (want == WANT_XREG && c == 'f' && (counted || (len > 2 && lex_digits(at + 2) == at + len)))
        return as_fail(a, at, "there are no float registers; floats are in scalar registers");
    return as_want(a, at, want);
}

static bool xreg(Asm *a, i64 *n)
{
    a->p = lex_space(a->p);
    const char *end = lex_ident(a->p);
    *n = as_find_register(a, a->p, (size_t)(end - a->p));
    if (*n < 0)
        return no_such_register(a, a->p, (size_t)(end - a->p), WANT_XREG);
    a->p = end;
    return true;
}

static bool vreg(Asm *a, i64 *n)
{
    int v;
    a->p = lex_space(a->p);
    const char *end = lex_ident(a->p);
    if (!isa_find_vreg(a->p, (size_t)(end - a->p), &v))
        return no_such_register(a, a->p, (size_t)(end - a->p), WANT_VREG);
    a->p = end;
    *n = v;
    return true;
}

bool as_any_register(Asm *a, i64 *n, bool *is_vector)
{
    *is_vector = false;
    if (xreg(a, n))
        return true;
    *is_vector = true;
    return vreg(a, n);
}

/* --- numbers and addresses ------------------------------------------------------------ */

static const struct {
    const char *text;
    u8 modifier;
} modifiers[] = {
    {"hi", MOD_HI},
    {"lo", MOD_LO},
    {"pcrel_hi", MOD_PCREL_HI},
    {"pcrel_lo", MOD_PCREL_LO},
};

static bool modifier(Asm *a, u8 *m)
{
    const char *name = a->p + 1, *end = lex_ident(name);
    for (size_t i = 0; i < countof(modifiers); i++)
        if (strlen(modifiers[i].text) == (size_t)(end - name) &&
            !memcmp(modifiers[i].text, name, (size_t)(end - name))) {
            *m = modifiers[i].modifier;
            a->p = lex_space(end);
            return *a->p == '(' || as_want(a, a->p, WANT_OPEN);
        }
    return as_fail(a, name - 1, "one of %%hi, %%lo, %%pcrel_hi, %%pcrel_lo");
}

/* a number at once, anything else as the operand that is fixed up */
static bool take_expression(Asm *a, Written *w, int i)
{
    Expr e;
    if (!as_expr(a, &e))
        return false;
    w->value[i] = e.k;
    if (is_number(&e))
        return true;
    if (w->symbolic >= 0)
        return as_fail(a, w->at[i], "only one operand may depend on a symbol");
    w->symbolic = i;
    w->expr = e;
    return true;
}

bool as_immediate(Asm *a, Written *w, int i)
{
    u8 m = MOD_NONE;
    a->p = lex_space(a->p);
    w->at[i] = a->p;
    if (*a->p == '%' && !modifier(a, &m))
        return false;
    if (!take_expression(a, w, i))
        return false;
    if (m == MOD_NONE)
        return true;
    if (w->symbolic != i && (m == MOD_PCREL_HI || m == MOD_PCREL_LO))
        return as_fail(a, w->at[i], "this needs a symbol");
    if (w->symbolic == i)
        w->modifier = m;
    else
        w->value[i] =
            m == MOD_HI ? (w->value[i] + 0x800) >> 12 & 0xfffff : sign_extend((u64)w->value[i], 12);
    return true;
}

/* `80000064 <name+0x4>` as listings print it, with 0x or without; *name is the text in
 * the brackets.  Past it, or NULL. */
static const char *listed_address(const char *p, u64 *addr, const char **name)
{
    if (p[0] == '0' && p[1] == 'x')
        p += 2;
    const char *end = lex_hex(p), *open = lex_space(end);
    if (end == p || end - p > 16 || *open != '<' || open == end)
        return NULL;
    const char *close = open + strcspn(open, ">\n");
    if (*close != '>')
        return NULL;
    /* names of C++ hold brackets themselves */
    for (const char *q = close; *q && *q != '\n' && *q != '#'; q++)
        if (*q == '>')
            close = q;
    for (*addr = 0; p < end; p++)
        *addr = *addr << 4 | (u32)lex_hex_value(*p);
    *name = open + 1;
    return close + 1;
}

/* The label in the brackets, from a->p: name> or name+0x4> */
static bool listed_label(Asm *a, Expr *e)
{
    const char *name, *at = a->p;
    size_t len;
    u64 past = 0;
    if (!as_name(a, &name, &len))
        return false;
    if (!strncmp(a->p, "+0x", 3)) {
        const char *digits = a->p + 3;
        for (a->p = digits; is_hex(*a->p) && a->p < digits + 16; a->p++)
            past = past << 4 | (u32)lex_hex_value(*a->p);
    }
    *e = (Expr){.k = (i64)past};
    return *a->p == '>' && (e->plus = as_symbol(a, name, len, at)) != 0;
}

/* Takes an address as a number if the section's address is known; else by the name beside it. */
static bool take_address(Asm *a, Written *w, int i, u64 addr, const char *name)
{
    w->symbolic = i;
    if (here(a)->has_addr || !name) {
        w->is_address = true;
        w->expr = (Expr){.k = (i64)addr};
        return true;
    }
    const char *after = a->p;
    a->p = name;
    const bool ok = listed_label(a, &w->expr);
    a->p = after;
    return ok || as_refuse(a, w->at[i], "the address of this section is not known");
}

/* Whether a number that stands for a target is an address: an offset cannot be that
 * large, or a listing has it in hexadecimal. */
static bool looks_like_address(Asm *a, const char *at, i64 v)
{
    if (!here(a)->has_addr || v < 0)
        return false;
    return (a->dump.active && at[0] == '0' && at[1] == 'x') || v > 1 << 20;
}

bool as_target(Asm *a, Written *w, int i)
{
    u64 addr;
    const char *name;
    a->p = lex_space(a->p);
    w->at[i] = a->p;
    const char *end = is_hex(*a->p) ? listed_address(a->p, &addr, &name) : NULL;
    if (end) {
        a->p = end;
        return take_address(a, w, i, addr, name);
    }
    if (!take_expression(a, w, i))
        return as_want(a, w->at[i], WANT_TARGET);
    if (w->symbolic != i && looks_like_address(a, w->at[i], w->value[i]))
        return take_address(a, w, i, (u64)w->value[i], NULL);
    return true;
}

static bool csr(Asm *a, Written *w, int i)
{
    u32 n;
    a->p = lex_space(a->p);
    const char *end = lex_ident(a->p);
    const size_t len = (size_t)(end - a->p);
    const u32 id = as_find_symbol(a, a->p, len);
    if (!(id && sym_of(a, id)->kind == SYM_EQU) && isa_find_csr(a->p, len, &n)) {
        a->p = end;
        w->value[i] = n;
        return true;
    }
    if (len && !id)
        return as_want(a, a->p, WANT_CSR);
    return take_expression(a, w, i) || as_want(a, w->at[i], WANT_CSR);
}

/* --- words --------------------------------------------------------------------------- */

static bool word(Asm *a, const char *text)
{
    const char *p = lex_space(a->p), *end = lex_ident(p);
    if ((size_t)(end - p) != strlen(text) || memcmp(p, text, (size_t)(end - p)))
        return false;
    a->p = end;
    return true;
}

/* ", text" if it is there */
static bool comma_word(Asm *a, const char *text)
{
    const char *start = a->p;
    a->p = lex_space(a->p);
    if (*a->p == ',' && (a->p++, word(a, text)))
        return true;
    a->p = start;
    return false;
}

static int find_word(Asm *a, const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        if (words[i] && word(a, words[i]))
            return i;
    return -1;
}

/* e32, m1, ta, ma -- what follows the width may be left out */
static bool vtype(Asm *a, i64 *v)
{
    static const char *const width[] = {"e8", "e16", "e32", "e64"};
    static const char *const group[] = {"m1", "m2", "m4", "m8", NULL, "mf8", "mf4", "mf2"};
    const int e = find_word(a, width, countof(width));
    int m = -1;
    if (e < 0)
        return false;
    for (size_t i = 0; i < countof(group) && m < 0; i++)
        if (group[i] && comma_word(a, group[i]))
            m = (int)i;
    const bool ta = comma_word(a, "ta");
    if (!ta)
        comma_word(a, "tu");
    const bool ma = comma_word(a, "ma");
    if (!ma)
        comma_word(a, "mu");
    *v = (ma ? 128 : 0) | (ta ? 64 : 0) | e << 3 | (m < 0 ? 0 : m);
    return true;
}

static bool order(Asm *a, Written *w, int i)
{
    i32 v;
    a->p = lex_space(a->p);
    const char *end = lex_ident(a->p);
    if (end > a->p) {
        if (!isa_find_order(a->p, (size_t)(end - a->p), &v))
            return as_want(a, a->p, WANT_ORDER);
        w->value[i] = v;
        a->p = end;
        return true;
    }
    return take_expression(a, w, i) || as_want(a, w->at[i], WANT_ORDER);
}

/* ", rne" or nothing */
static bool rounding(Asm *a, i64 *v)
{
    i32 rm = 7;
    a->p = lex_space(a->p);
    *v = rm;
    if (*a->p != ',')
        return true;
    a->p = lex_space(a->p + 1);
    const char *end = lex_ident(a->p);
    if (!isa_find_rm(a->p, (size_t)(end - a->p), &rm))
        return as_want(a, a->p, WANT_RM);
    a->p = end;
    *v = rm;
    return true;
}

/* ", v0.t" or nothing */
static bool mask(Asm *a, i64 *v)
{
    a->p = lex_space(a->p);
    *v = 1;
    if (*a->p != ',')
        return true;
    a->p = lex_space(a->p + 1);
    *v = 0;
    return word(a, "v0.t") || as_want(a, a->p, WANT_V0T);
}

/* --- key=value ------------------------------------------------------------------------- */

static int find_key(const u8 *opd, int n, const char *name, size_t len)
{
    for (int i = 0; i < n; i++) {
        const OperandInfo *o = &isa_operand[opd[i]];
        if (o->kind == K_KEY && strlen(o->key) == len && !memcmp(o->key, name, len))
            return i;
    }
    return -1;
}

/* The keys of all the operands opd[0..n], in any order; `first`: nothing is in front. */
static bool keys(Asm *a, const u8 *opd, int n, Written *w, bool first)
{
    u32 seen = 0;
    for (;; first = false) {
        a->p = lex_space(a->p);
        if (lex_at_end(a->p) || (!first && *a->p != ','))
            return true;
        if (!first)
            a->p = lex_space(a->p + 1);
        const char *name = a->p, *end = lex_ident(name);
        const int i = find_key(opd, n, name, (size_t)(end - name));
        if (i < 0)
            return as_want(a, name, WANT_KEY);
        if (seen >> i & 1)
            return as_fail(a, name, "%.*s is given twice", (int)(end - name), name);
        seen |= (u32)1 << i;
        a->p = lex_space(end);
        if (*a->p != '=')
            return as_fail(a, a->p, "'=' is missing");
        a->p++;
        w->at[i] = lex_space(a->p);
        if (!as_number(a, &w->value[i]))
            return false;
    }
}

/* --- patterns ----------------------------------------------------------------------------- */

/* "(a0)" where an offset may stand in front of the parenthesis: the offset is 0 */
static bool is_bare_base(Asm *a)
{
    int v;
    const char *p = lex_space(a->p);
    if (*p != '(')
        return false;
    p = lex_space(p + 1);
    const char *end = lex_ident(p);
    const size_t len = (size_t)(end - p);
    return (as_find_register(a, p, len) >= 0 || isa_find_vreg(p, len, &v)) &&
           *lex_space(end) == ')';
}

static bool zero(Asm *a)
{
    i64 v;
    return as_number(a, &v) && !v;
}

/* a temporary register after a mask: ", v4" */
static bool temporary(Asm *a, i64 *n) { return as_comma(a) && vreg(a, n); }

static bool number_or_base(Asm *a, Written *w, int i, bool before_base)
{
    if (before_base && is_bare_base(a))
        return true;
    return as_immediate(a, w, i);
}

static bool operand(Asm *a, const u8 *opd, int i, const char *pattern, Written *w)
{
    a->p = lex_space(a->p);
    w->at[i] = a->p;
    switch ((int)opd[i]) {
    case P_SYMBOL:
    case P_NUMBER: return take_expression(a, w, i);
    case P_ZERO: return zero(a);
    case P_VTEMP: return temporary(a, &w->value[i]);
    }
    switch ((OperandKind)isa_operand[opd[i]].kind) {
    case K_XREG:
    case K_XRAW: return xreg(a, &w->value[i]);
    case K_VREG: return vreg(a, &w->value[i]);
    case K_IMM:
    case K_IMMX:
    case K_IMMZ:
    case K_IMM12: return number_or_base(a, w, i, pattern[1] == '(');
    case K_REL: return as_target(a, w, i);
    case K_CSR: return csr(a, w, i);
    case K_VTYPE:
        return vtype(a, &w->value[i]) || as_immediate(a, w, i) || as_want(a, w->at[i], WANT_VTYPE);
    case K_ORDER: return order(a, w, i);
    case K_MASK: return mask(a, &w->value[i]);
    case K_RM: return rounding(a, &w->value[i]);
    case K_AQRL:
    case K_MMA:
    case K_MMA64:
    case K_HIDE: return true; /* in the mnemonic, or not written */
    case K_KEY: break;        /* read together: as_operands() */
    }
    bug("operand kind %d", isa_operand[opd[i]].kind);
}

/* a character of the pattern that stands for itself; "v0" is two of them */
static bool literal(Asm *a, const char **pattern)
{
    const char c = **pattern;
    a->p = lex_space(a->p);
    if (c == 'v') {
        ++*pattern;
        return word(a, "v0") || as_want(a, a->p, WANT_V0);
    }
    if (*a->p != c)
        return as_want(a, a->p, c == ',' ? WANT_COMMA : c == '(' ? WANT_OPEN : WANT_CLOSE);
    a->p++;
    return true;
}

/* "0(a0)" is "(a0)" where no offset is in the pattern */
static void skip_zero(Asm *a, const char *start, const char *pattern)
{
    const char *p = lex_space(a->p);
    if (*pattern == '(' && (pattern == start || pattern[-1] != '%') && *p == '0' &&
        *lex_space(p + 1) == '(')
        a->p = p + 1;
}

static int count_operands(const char *pattern)
{
    int n = 0;
    for (; *pattern; pattern++)
        n += *pattern == '%';
    return n;
}

static bool is_key(u8 opd) { return opd < NOPERAND && isa_operand[opd].kind == K_KEY; }

bool as_operands(Asm *a, const char *pattern, const u8 *opd, Written *w)
{
    const int n = count_operands(pattern);
    bool first = true, keys_read = false; /* nothing is written in front */
    int i = 0;
    a->in_operand = true;
    for (const char *p = pattern; *p; p++) {
        skip_zero(a, pattern, p);
        if (*p != '%') {
            if (!literal(a, &p))
                return false;
            continue;
        }
        if (is_key(opd[i])) {
            if (!keys_read && !keys(a, opd, n, w, first))
                return false;
            keys_read = true;
        } else if (!operand(a, opd, i, p, w)) {
            return false;
        }
        first =
            first && (opd[i] >= NOPERAND || isa_is_modifier((OperandKind)isa_operand[opd[i]].kind));
        i++;
    }
    a->in_operand = false;
    return as_end_of_statement(a);
}
