/* parse.c -- texts to statements: labels, assignments, directives, instructions.
 *
 * A text is read in place.  A macro call, a repetition or an include pushes another
 * text; when that ends, reading goes on after the statement that pushed it.
 */
#include "asm/job.h"
#include "asm/lex.h"
#include <string.h>

/* --- texts -------------------------------------------------------------------------- */

bool as_keep(Asm *a, void *p)
{
    if (p && array_grow(a->texts, a->ntexts, a->captexts)) {
        a->texts[a->ntexts++] = p;
        return true;
    }
    mem_free(p);
    return as_no_memory(a);
}

const Source *as_source(Asm *a, const char *name, char *text, const char *from_at,
                        bool is_expansion)
{
    Source *s = mem_alloc(sizeof *s);
    if (!as_keep(a, text) || !as_keep(a, s))
        return NULL;
    *s = (Source){.name = name,
                  .text = text,
                  .from = a->src,
                  .from_at = from_at,
                  .is_expansion = is_expansion};
    return s;
}

bool as_push_text(Asm *a, const Source *src, u32 repeats, bool is_macro)
{
    enum { OVERHEAD = 64 }; /* so that empty texts have a cost too */
    const u64 len = strlen(src->text) + OVERHEAD;
    a->expanded += len * ((u64)repeats + 1);
    if (a->expanded > MAX_EXPANDED)
        return as_fail(a, a->p, "macros, repetitions and includes of more than %d MiB",
                       MAX_EXPANDED >> 20);
    if (a->depth == MAX_DEPTH)
        return as_fail(a, a->p, "macros, repetitions and includes more than %d deep", MAX_DEPTH);
    a->frames[a->depth++] =
        (Frame){a->src, lex_next_statement(lex_skip_statement(a->p)), repeats, a->nconds, is_macro};
    a->src = src;
    a->p = src->text;
    return true;
}

/* at the end of a text; false: it was the outermost one */
static bool pop_text(Asm *a)
{
    as_unfinished_conds(a, a->depth ? a->frames[a->depth - 1].conds : 0);
    if (!a->depth)
        return false;
    Frame *f = &a->frames[a->depth - 1];
    if (f->repeats) {
        f->repeats--;
        a->p = a->src->text;
        return true;
    }
    a->src = f->src;
    a->p = f->p;
    a->depth--;
    return true;
}

/* --- pieces of statements -------------------------------------------------------------- */

bool as_at_end(Asm *a)
{
    a->p = lex_space(a->p);
    return lex_at_end(a->p);
}

bool as_end_of_statement(Asm *a) { return as_at_end(a) || as_want(a, a->p, WANT_END); }

bool as_comma(Asm *a)
{
    a->p = lex_space(a->p);
    if (*a->p != ',')
        return as_want(a, a->p, WANT_COMMA);
    a->p++;
    return true;
}

/* the character after a backslash at p; -1: there is none */
static int escape(const char **p)
{
    static const char from[] = "nrtbf\\\"", to[] = "\n\r\t\b\f\\\"";
    int c = 0;
    if (**p >= '0' && **p <= '7') {
        for (int i = 0; i < 3 && **p >= '0' && **p <= '7'; i++)
            c = c * 8 + *(*p)++ - '0';
        return c & 255;
    }
    if ((**p | 32) == 'x') {
        for (++*p; is_hex(**p); ++*p)
            c = (c * 16 + lex_hex_value(**p)) & 255;
        return c;
    }
    const char *found = **p ? strchr(from, **p) : NULL;
    if (!found)
        return -1;
    ++*p;
    return to[found - from];
}

bool as_string(Asm *a, Buf *out)
{
    a->p = lex_space(a->p);
    const char *p = a->p;
    if (*p++ != '"')
        return as_want(a, a->p, WANT_STRING);
    while (*p != '"') {
        if (!*p || *p == '\n')
            return as_fail(a, a->p, "this string has no end");
        int c = (u8)*p++;
        if (c == '\\' && (c = escape(&p)) < 0)
            return as_fail(a, p, "there is no such escape");
        buf_put(out, &(char){(char)c}, 1);
    }
    a->p = p + 1;
    return !out->failed || as_no_memory(a);
}

static bool quoted_name(Asm *a, const char **name, size_t *len)
{
    Buf b = {0};
    const char *at = a->p;
    if (!as_string(a, &b) || !b.len || memchr(b.data, 0, b.len)) {
        buf_free(&b);
        return as_fail(a, at, "this is no name");
    }
    *name = (const char *)b.data;
    *len = b.len;
    return as_keep(a, b.data);
}

bool as_name(Asm *a, const char **name, size_t *len)
{
    a->p = lex_space(a->p);
    if (*a->p == '"')
        return quoted_name(a, name, len);
    const char *end = lex_ident(a->p);
    if (end == a->p)
        return as_want(a, a->p, WANT_NAME);
    *name = a->p;
    *len = (size_t)(end - a->p);
    a->p = end;
    return true;
}

/* --- keywords --------------------------------------------------------------------------- */

static u32 *keyword_slot(Asm *a, const char *name, size_t len, u32 hash)
{
    const Table *t = &a->keyword_table;
    for (u32 h = hash;; h++) {
        u32 *slot = &t->slots[h & (t->nslots - 1)];
        const Keyword *k = &a->keywords[*slot];
        if (!*slot || (k->hash == hash && k->len == len && !memcmp(k->name, name, len)))
            return slot;
    }
}

Keyword *as_add_keyword(Asm *a, const char *name, size_t len)
{
    const u32 hash = as_hash(name, len);
    if (!array_grow(a->keywords, a->nkeywords, a->capkeywords) ||
        !as_table_grow(a, &a->keyword_table, a->nkeywords, a->keywords, sizeof *a->keywords,
                       offsetof(Keyword, hash))) {
        as_no_memory(a);
        return NULL;
    }
    u32 *slot = keyword_slot(a, name, len, hash);
    if (!*slot) {
        *slot = (u32)a->nkeywords++;
        a->keywords[*slot] = (Keyword){.name = name, .len = (u32)len, .hash = hash};
        as_fill_keyword(a, &a->keywords[*slot]);
    }
    return &a->keywords[*slot];
}

Keyword *as_keyword(Asm *a, const char *name, size_t len)
{
    const u32 slot = *keyword_slot(a, name, len, as_hash(name, len));
    return slot ? &a->keywords[slot] : NULL;
}

void as_refresh_keywords(Asm *a)
{
    for (size_t i = 1; i < a->nkeywords; i++)
        as_fill_keyword(a, &a->keywords[i]);
}

/* --- statements --------------------------------------------------------------------------- */

/* `name = expression`; "." stands for the place */
static bool assignment(Asm *a, const char *name, size_t len, const char *at)
{
    const bool once = a->p[1] == '=';
    Expr e;
    a->p += once ? 2 : 1;
    if (len == 1 && *name == '.')
        return as_dir_org(a, 0);
    return as_expr(a, &e) && as_end_of_statement(a) && as_assign(a, name, len, &e, once, at);
}

static bool command(Asm *a, const char *name, size_t len, const char *at)
{
    Keyword *k = as_keyword(a, name, len);
    if (!k)
        k = as_add_keyword(a, name, len);
    if (!k)
        return false;
    if (a->dump.active && (k->macro || (k->directive && !(k->directive->flags & IN_LISTING))))
        return as_fail(a, at, "'%.*s' cannot be in a line of a listing", (int)len, name);
    if (k->macro)
        return as_call_macro(a, k->macro - 1, at);
    if (k->directive)
        return k->directive->run(a, k->directive->arg);
    if (*name == '.' && !k->has_base && !k->nalias) {
        const char *similar = as_similar_directive(name, len);
        return as_fail(a, at,
                       similar ? "no directive '%.*s'; did you mean '%s'?" : "no directive '%.*s'",
                       (int)len, name, similar);
    }
    const Keyword copy = *k; /* the table may move while operands are read */
    return as_insn(a, &copy, at);
}

static bool assembled_statement(Asm *a)
{
    const char *name, *at;
    size_t len;
    for (;;) {
        a->p = lex_space(a->p);
        if (lex_at_end(a->p))
            return true;
        at = a->p;
        if (is_digit(*at)) { /* 1: */
            const char *end = lex_digits(at), *colon = lex_space(end);
            if (*colon != ':')
                return as_fail(a, at, "a statement starts with a name, not a number");
            a->p = colon + 1;
            if (!as_define_number(a, at, (size_t)(end - at)))
                return false;
            continue;
        }
        if (!as_name(a, &name, &len))
            return false;
        a->p = lex_space(a->p);
        if (*a->p == '=')
            return assignment(a, name, len, at);
        if (*a->p != ':')
            return command(a, name, len, at);
        a->p++;
        if (!as_define_label(a, name, len, at))
            return false;
    }
}

/* a text that a condition excludes: only what ends the exclusion counts */
static bool skipped_statement(Asm *a)
{
    const char *name = lex_space(a->p), *end = lex_ident(name);
    const Directive *d = *name == '.' ? as_find_directive(name, (size_t)(end - name)) : NULL;
    if (d && d->flags & DURING_SKIP) {
        a->p = end;
        return d->run(a, d->arg);
    }
    a->p = lex_skip_statement(end);
    return true;
}

static void note_line(Asm *a)
{
    const Frag *f = as_data(a);
    if (!f || !array_grow(a->lines, a->nlines, a->caplines)) {
        as_no_memory(a);
        return;
    }
    a->lines[a->nlines++] = (Line){a->src, a->p, a->sect, (u32)here(a)->nfrags - 1, f->len};
}

/* true: the statement is read, and a->p is in its last character or after it */
static bool read_statement(Asm *a)
{
    const bool starts_line = a->p == a->src->text || a->p[-1] == '\n';
    if (as_skipping(a))
        return skipped_statement(a);
    if (starts_line && a->opt.listing)
        note_line(a);
    bool ok;
    if (starts_line && as_dump_line(a, &ok))
        return ok && (!a->dump.active || as_dump_text(a, assembled_statement));
    return assembled_statement(a);
}

static void statement(Asm *a)
{
    const char *start = a->p;
    const int depth = a->depth;
    as_forget(a);
    a->in_operand = false;
    a->dump.active = false;
    const bool ok = read_statement(a);
    if (a->depth != depth)
        return; /* in another text now */
    if (ok && as_end_of_statement(a)) {
        a->p = lex_next_statement(a->p);
        return;
    }
    as_report_failure(a, DIAG_ERROR);
    /* on with the next line; a directive that takes several lines may have taken them */
    const char *p = lex_skip_statement(a->p > lex_line_end(start) ? a->p : start);
    while (*p == ';')
        p = lex_skip_statement(p + 1);
    a->p = lex_next_statement(p);
}

void as_read(Asm *a)
{
    while (!a->no_memory && !a->ended)
        if (*a->p)
            statement(a);
        else if (!pop_text(a))
            return;
}
