/* report.c -- one bad line, one message.
 *
 * A statement may be read in several ways (jal label, jal rd, label).  Each attempt that fails
 * notes where it stopped and what it expected; the message is made from the attempts that got
 * furthest.
 */
#include "asm/job.h"
#include "asm/lex.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const want_text[NWANT] = {
    [WANT_XREG] = "a scalar register",
    [WANT_VREG] = "a vector register",
    [WANT_NUMBER] = "a number",
    [WANT_TARGET] = "a label or an offset",
    [WANT_CSR] = "a CSR",
    [WANT_VTYPE] = "a vector type (e32, m1, ta, ma)",
    [WANT_ORDER] = "a set of i, o, r, w",
    [WANT_RM] = "a rounding mode (rne, rtz, rdn, rup, rmm, dyn)",
    [WANT_V0] = "v0",
    [WANT_V0T] = "v0.t",
    [WANT_KEY] = "key=value",
    [WANT_COMMA] = "','",
    [WANT_OPEN] = "'('",
    [WANT_CLOSE] = "')'",
    [WANT_NAME] = "a name",
    [WANT_STRING] = "a string",
    [WANT_END] = "the end of the statement",
};

void as_forget(Asm *a)
{
    a->fail.at = NULL;
    a->fail.wants = 0;
    a->fail.is_final = false;
    a->fail.text[0] = 0;
}

/* whether a failure at `at` counts beside what is noted */
static bool gets_as_far(Asm *a, const char *at)
{
    if (a->fail.is_final || (a->fail.at && at < a->fail.at))
        return false;
    if (at != a->fail.at)
        as_forget(a);
    a->fail.at = at;
    return true;
}

bool as_want(Asm *a, const char *at, Want w)
{
    if (gets_as_far(a, at))
        a->fail.wants |= (u32)1 << w;
    return false;
}

bool as_fail(Asm *a, const char *at, const char *fmt, ...)
{
    va_list ap;
    if (!gets_as_far(a, at) || a->fail.text[0])
        return false;
    va_start(ap, fmt);
    vsnprintf(a->fail.text, sizeof a->fail.text, fmt, ap);
    va_end(ap);
    return false;
}

bool as_refuse(Asm *a, const char *at, const char *fmt, ...)
{
    va_list ap;
    if (a->fail.is_final)
        return false;
    as_forget(a);
    a->fail.at = at;
    a->fail.is_final = true;
    va_start(ap, fmt);
    vsnprintf(a->fail.text, sizeof a->fail.text, fmt, ap);
    va_end(ap);
    return false;
}

bool as_no_memory(Asm *a)
{
    a->no_memory = true;
    return false;
}

/* --- the message ---------------------------------------------------------------- */

static void put_found(Buf *b, const char *at)
{
    const char *end = at;
    while (is_ident(*end) && end - at < 40)
        end++;
    if (lex_at_end(at))
        buf_str(b, "the end of the line");
    else
        buf_printf(b, "'%.*s'", end > at ? (int)(end - at) : 1, at);
}

/* "expected a, b or c, found 'd'" */
static void put_wants(Buf *b, const Fail *f)
{
    enum { SAID_BETTER = 1 << WANT_TARGET | 1 << WANT_CSR | 1 << WANT_VTYPE | 1 << WANT_ORDER };
    u32 left = f->wants & SAID_BETTER ? f->wants & ~(1u << WANT_NUMBER) : f->wants;
    buf_str(b, "expected ");
    for (int w = 0; w < NWANT; w++) {
        if (!(left >> w & 1))
            continue;
        left &= ~((u32)1 << w);
        buf_printf(b, "%s%s", want_text[w], !left ? "" : left & (left - 1) ? ", " : " or ");
    }
    buf_str(b, ", found ");
    put_found(b, f->at);
}

/* whether a message has been made for the line that `place` is in */
static bool same_line(const Asm *a, Place place)
{
    const char *x = place.at, *y = a->last_error.at;
    if (place.src != a->last_error.src || !x || !y)
        return false;
    return !memchr(x < y ? x : y, '\n', (size_t)(x < y ? y - x : x - y));
}

/* a note of where in the text, unless there have been too many */
static void say(Asm *a, DiagKind kind, Place place, const char *text)
{
    a->had_error |= kind == DIAG_ERROR;
    if (++a->messages > MAX_MESSAGES) {
        a->d->errors += kind == DIAG_ERROR;
        a->d->warnings += kind == DIAG_WARNING;
        return;
    }
    diag(a->d, kind, place.src, place.at, "%s", text);
}

void as_report_failure(Asm *a, DiagKind kind)
{
    const Place place = {a->src, a->fail.at ? a->fail.at : a->p};
    Buf b = {0};
    if (place.at[0] == '/' && place.at[1] == '*')
        buf_str(&b, "this comment has no end");
    else if (a->fail.text[0] || !a->fail.wants)
        buf_str(&b, a->fail.text[0] ? a->fail.text : "this makes no sense here");
    else
        put_wants(&b, &a->fail);
    if (!a->no_memory && (kind != DIAG_ERROR || !same_line(a, place)))
        say(a, kind, place, buf_text(&b));
    if (kind == DIAG_ERROR)
        a->last_error = place;
    buf_free(&b);
    as_forget(a);
}

void as_error_at(Asm *a, Place place, const char *fmt, ...)
{
    char text[300];
    va_list ap;
    if (same_line(a, place))
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    say(a, DIAG_ERROR, place, text);
    a->last_error = place;
}

static void warn(Asm *a, Place place, const char *fmt, va_list ap)
{
    char text[300];
    vsnprintf(text, sizeof text, fmt, ap);
    say(a, DIAG_WARNING, place, text);
}

void as_warn(Asm *a, const char *at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    warn(a, (Place){a->src, at}, fmt, ap);
    va_end(ap);
}

void as_warn_at(Asm *a, Place place, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    warn(a, place, fmt, ap);
    va_end(ap);
}
