/* macro.c -- .macro, .rept, .irp, .irpc: texts that are read several times, with words replaced.
 *
 * A body is kept as it stands in the text.  Each call makes a new text of it, in which
 * \name is the argument, \@ the number of calls so far, \() nothing.
 */
#include "asm/job.h"
#include "asm/lex.h"
#include <string.h>

typedef struct {
    const char *p;
    size_t len;
} Span;

/* --- bodies -------------------------------------------------------------------------- */

typedef struct {
    const char *start[5], *end[3];
} Pair; /* each ends at NULL */

static const Pair macro_pair = {{".macro"}, {".endm", ".endmacro"}};
static const Pair rept_pair = {{".rept", ".rep", ".irp", ".irpc"}, {".endr"}};

static bool is_one_of(const char *const *words, int n, const char *p, size_t len)
{
    for (int i = 0; i < n && words[i]; i++)
        if (strlen(words[i]) == len && !memcmp(words[i], p, len))
            return true;
    return false;
}

/* Takes the statements up to the directive that ends the body, and that one.  False:
 * it is missing and that has been reported; the text is at its end. */
static bool take_body(Asm *a, const Pair *pair, const char *at, Span *body)
{
    int depth = 1;
    a->p = lex_next_statement(a->p);
    body->p = a->p;
    while (*a->p) {
        const char *word = lex_space(a->p), *end = lex_ident(word);
        const size_t len = (size_t)(end - word);
        depth += is_one_of(pair->start, countof(pair->start), word, len);
        depth -= is_one_of(pair->end, countof(pair->end), word, len);
        if (!depth) {
            body->len = (size_t)(a->p - body->p);
            a->p = end;
            return true;
        }
        a->p = lex_next_statement(lex_skip_statement(end));
    }
    as_forget(a);
    as_fail(a, at, "%s is missing", pair->end[0]);
    as_report_failure(a, DIAG_ERROR);
    return false;
}

/* Reports why the first line of a body, which has been read over, failed. */
static bool report_first_line(Asm *a, const Fail *fail)
{
    a->fail = *fail;
    as_report_failure(a, DIAG_ERROR);
    return true;
}

/* --- parameters and arguments ----------------------------------------------------------- */

static const char *skip_string(const char *p)
{
    for (p++; *p && *p != '\n' && *p != '"'; p++)
        if (*p == '\\' && p[1] && p[1] != '\n')
            p++;
    return *p == '"' ? p + 1 : p;
}

/* whether blanks at p separate two arguments: not beside an operator */
static bool separates(const char *start, const char *p)
{
    const char *next = lex_space(p);
    if (lex_at_end(next) || *next == ',')
        return true;
    return !is_class(*next, C_OPERATOR) && !(p > start && is_class(p[-1], C_OPERATOR));
}

/* One argument: up to a comma, a separating blank or the end, outside parentheses and
 * strings.  A string alone stands for its contents. */
static Span take_argument(Asm *a)
{
    const char *start = a->p = lex_space(a->p), *p = start;
    int depth = 0;
    while (!lex_at_end(p) && (depth || *p != ',')) {
        if (!depth && is_class(*p, C_BLANK) && separates(start, p))
            break;
        depth += *p == '(';
        depth -= *p == ')' && depth;
        p = *p == '"' ? skip_string(p) : p + 1;
    }
    a->p = p;
    if (*start == '"' && p > start + 1 && skip_string(start) == p)
        return (Span){start + 1, (size_t)(p - start - 2)};
    return (Span){start, (size_t)(p - start)};
}

/* everything that is left */
static Span take_rest(Asm *a)
{
    const char *start = lex_space(a->p), *end = lex_skip_statement(start);
    a->p = end;
    while (end > start && is_class(end[-1], C_BLANK))
        end--;
    return (Span){start, (size_t)(end - start)};
}

static void skip_separator(Asm *a)
{
    a->p = lex_space(a->p);
    if (*a->p == ',')
        a->p++;
}

/* name, name:req, name:vararg, name=fallback */
static bool parameter(Asm *a, Param *p)
{
    size_t len;
    *p = (Param){0};
    if (!as_name(a, &p->name, &len))
        return false;
    p->len = (u32)len;
    if (*a->p == ':') {
        const char *word = ++a->p, *end = lex_ident(word);
        p->required = end - word == 3 && !memcmp(word, "req", 3);
        p->rest = end - word == 6 && !memcmp(word, "vararg", 6);
        if (!p->required && !p->rest)
            return as_fail(a, word, "a parameter is :req or :vararg");
        a->p = end;
    }
    a->p = lex_space(a->p);
    if (*a->p == '=') {
        a->p++;
        const Span s = take_argument(a);
        p->fallback = s.p;
        p->fallback_len = (u32)s.len;
    }
    return true;
}

static bool parameters(Asm *a, Macro *m)
{
    m->param = (u32)a->nparams;
    for (skip_separator(a); !lex_at_end(lex_space(a->p)); skip_separator(a)) {
        if (m->nparam && a->params[a->nparams - 1].rest)
            return as_fail(a, a->p, "nothing can follow a :vararg parameter");
        if (!array_grow(a->params, a->nparams, a->capparams))
            return as_no_memory(a);
        if (!parameter(a, &a->params[a->nparams]))
            return false;
        a->nparams++;
        m->nparam++;
    }
    return true;
}

/* index of the parameter, or -1 */
static int find_param(const Asm *a, const Macro *m, const char *name, size_t len)
{
    for (u32 i = 0; i < m->nparam; i++) {
        const Param *p = &a->params[m->param + i];
        if (p->len == len && !memcmp(p->name, name, len))
            return (int)i;
    }
    return -1;
}

/* --- substitution ----------------------------------------------------------------------- */

/* Replaces \name, \@ or \(), where p is after the backslash; returns the end of it, or NULL if it
 * is none of these. */
static const char *substitute(Asm *a, const Macro *m, const Span *args, const char *p,
                              const char *end, Buf *out)
{
    if (p < end && *p == '@') {
        buf_printf(out, "%u", a->expansions);
        return p + 1;
    }
    if (p + 1 < end && p[0] == '(' && p[1] == ')')
        return p + 2;
    const char *stop = p;
    while (stop < end && is_ident(*stop))
        stop++;
    /* the longest name that is a parameter: \reg.w may be \reg and ".w" */
    for (; stop > p; stop--) {
        const int i = find_param(a, m, p, (size_t)(stop - p));
        if (i >= 0) {
            buf_put(out, args[i].p, args[i].len);
            return stop;
        }
    }
    return NULL;
}

static bool expand(Asm *a, const Macro *m, const Span *args, Buf *out)
{
    const char *p = m->body, *end = p + m->body_len;
    while (p < end && out->len < MAX_EXPANDED) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));
        if (!slash)
            slash = end;
        buf_put(out, p, (size_t)(slash - p));
        if (slash == end)
            break;
        p = substitute(a, m, args, slash + 1, end, out);
        if (!p) {
            buf_put(out, "\\", 1);
            p = slash + 1;
        }
    }
    return !out->failed || as_no_memory(a);
}

/* reads the text in `out`, which it takes over, next; m->name is NULL if it is no macro's */
static bool read_expansion(Asm *a, const Macro *m, Buf *out, const char *at)
{
    Buf name = {0};
    buf_put(out, "", 1);
    if (m->name)
        buf_printf(&name, "macro %.*s", (int)m->len, m->name);
    else
        buf_str(&name, "repetition");
    if (out->failed || name.failed || !as_keep(a, name.data)) {
        buf_free(out);
        return as_no_memory(a);
    }
    const Source *src = as_source(a, (const char *)name.data, (char *)out->data, at, true);
    return src && as_push_text(a, src, 0, m->name != NULL);
}

/* --- macros ------------------------------------------------------------------------------- */

bool as_macro(Asm *a, int unused)
{
    (void)unused;
    const char *at = a->p, *name;
    Macro m = {0};
    Span body;
    size_t len;
    const bool ok = as_name(a, &name, &len) && parameters(a, &m);
    const Fail fail = a->fail;
    a->p = lex_skip_statement(a->p);
    if (!take_body(a, &macro_pair, at, &body))
        return true;
    if (!ok)
        return report_first_line(a, &fail);
    m.name = name;
    m.len = (u32)len;
    m.body = body.p;
    m.body_len = (u32)body.len;
    Keyword *k = as_add_keyword(a, name, len);
    if (!k || !array_grow(a->macros, a->nmacros, a->capmacros))
        return as_no_memory(a);
    a->macros[a->nmacros++] = m;
    k->macro = (u32)a->nmacros;
    return true;
}

/* name=value, for a parameter's name */
static int named_argument(Asm *a, const Macro *m)
{
    const char *start = lex_space(a->p), *end = lex_ident(start), *equal = lex_space(end);
    if (end == start || *equal != '=' || equal[1] == '=')
        return -1;
    const int i = find_param(a, m, start, (size_t)(end - start));
    if (i >= 0)
        a->p = equal + 1;
    return i;
}

static bool arguments(Asm *a, const Macro *m, Span *args)
{
    u32 next = 0;
    for (a->p = lex_space(a->p); !lex_at_end(a->p); skip_separator(a)) {
        const int named = named_argument(a, m);
        const u32 i = named >= 0 ? (u32)named : next++;
        if (i >= m->nparam)
            return as_fail(a, a->p, "%.*s takes %u argument%s", (int)m->len, m->name, m->nparam,
                           m->nparam == 1 ? "" : "s");
        args[i] = a->params[m->param + i].rest ? take_rest(a) : take_argument(a);
        a->p = lex_space(a->p);
    }
    return true;
}

static bool fill_missing(Asm *a, const Macro *m, Span *args, const char *at)
{
    for (u32 i = 0; i < m->nparam; i++) {
        const Param *p = &a->params[m->param + i];
        if (args[i].len)
            continue;
        if (p->required)
            return as_refuse(a, at, "%.*s needs an argument for %.*s", (int)m->len, m->name,
                             (int)p->len, p->name);
        if (p->fallback)
            args[i] = (Span){p->fallback, p->fallback_len};
    }
    return true;
}

bool as_call_macro(Asm *a, u32 index, const char *at)
{
    const Macro m = a->macros[index];
    Span *args = mem_zalloc(m.nparam, sizeof *args);
    Buf out = {0};
    if (!args)
        return as_no_memory(a);
    const bool ok =
        arguments(a, &m, args) && fill_missing(a, &m, args, at) && expand(a, &m, args, &out);
    mem_free(args);
    if (!ok) {
        buf_free(&out);
        return false;
    }
    a->expansions++;
    return read_expansion(a, &m, &out, at);
}

bool as_exitm(Asm *a, int unused)
{
    (void)unused;
    int macro = a->depth - 1;
    while (macro >= 0 && !a->frames[macro].is_macro)
        macro--;
    if (macro < 0)
        return as_fail(a, a->p, ".exitm outside a macro");
    const Frame *f = &a->frames[macro];
    a->depth = macro;
    a->src = f->src;
    a->p = f->p;
    a->nconds = f->conds;
    return true;
}

bool as_purgem(Asm *a, int unused)
{
    (void)unused;
    const char *name;
    size_t len;
    if (!as_name(a, &name, &len))
        return false;
    Keyword *k = as_keyword(a, name, len);
    if (!k || !k->macro)
        return as_fail(a, a->p, "there is no macro '%.*s'", (int)len, name);
    k->macro = 0;
    return true;
}

/* --- repetitions ------------------------------------------------------------------------------ */

static char *copy_text(Asm *a, const char *text, size_t len)
{
    char *copy = mem_strndup(text, len);
    if (!copy)
        as_no_memory(a);
    return copy;
}

bool as_rept(Asm *a, int unused)
{
    (void)unused;
    const char *at = a->p;
    Span body;
    i64 n;
    const bool ok = as_number(a, &n) && as_end_of_statement(a);
    const Fail fail = a->fail;
    if (!ok)
        a->p = lex_skip_statement(a->p);
    if (!take_body(a, &rept_pair, at, &body))
        return true;
    if (!ok)
        return report_first_line(a, &fail);
    if (n < 0 || n > MAX_EXPANDED)
        return as_refuse(a, at, "a repetition of %lld times", (long long)n);
    if (!n)
        return true;
    char *text = copy_text(a, body.p, body.len);
    const Source *src = text ? as_source(a, "repetition", text, at, true) : NULL;
    return src && as_push_text(a, src, (u32)n - 1, false);
}

/* the body of m once for each value; c: one character at a time */
static bool expand_values(Asm *a, const Macro *m, Span values, bool by_character, Buf *out)
{
    const char *keep = a->p;
    bool ok = true;
    if (by_character) {
        for (size_t i = 0; ok && i < values.len; i++)
            ok = expand(a, m, &(Span){values.p + i, 1}, out);
        return ok && (values.len || expand(a, m, &(Span){"", 0}, out));
    }
    a->p = values.p;
    do {
        const Span value = take_argument(a);
        ok = expand(a, m, &value, out);
        skip_separator(a);
    } while (ok && a->p < values.p + values.len);
    a->p = keep;
    return ok;
}

/* .irp name, value, value...   .irpc name, characters */
bool as_irp(Asm *a, int by_character)
{
    const char *at = a->p;
    Macro m = {.param = (u32)a->nparams, .nparam = 1};
    Buf out = {0};
    Span body, values = {"", 0};
    if (!array_grow(a->params, a->nparams, a->capparams))
        return as_no_memory(a);
    const bool ok = parameter(a, &a->params[a->nparams]);
    const Fail fail = a->fail;
    if (ok) {
        a->nparams++;
        skip_separator(a);
        values = take_rest(a);
    }
    a->p = lex_skip_statement(a->p);
    if (!take_body(a, &rept_pair, at, &body))
        return true;
    if (!ok)
        return report_first_line(a, &fail);
    m.body = body.p;
    m.body_len = (u32)body.len;
    if (!expand_values(a, &m, values, by_character, &out)) {
        buf_free(&out);
        return false;
    }
    return read_expansion(a, &m, &out, at);
}

/* .endm and .endr where nothing is open */
bool as_stray_end(Asm *a, int unused)
{
    (void)unused;
    return as_fail(a, a->p, "there is nothing that this ends");
}
