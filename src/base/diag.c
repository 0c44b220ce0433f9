/* diag.c -- messages with their place: file, line and column, the line itself, a caret. */
#include "base/diag.h"
#include "base/mem.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_COLUMNS = 200 }; /* a line longer than this is shown without its rest */

static const char *const kind_name[] = {"note", "warning", "error"};

static const char *line_start(const Source *src, const char *at)
{
    while (at > src->text && at[-1] != '\n')
        at--;
    return at;
}

void diag_place(const Source *src, const char *at, int *line, int *column)
{
    *line = 1;
    for (const char *p = src->text; p < at; p++)
        *line += *p == '\n';
    *column = (int)(at - line_start(src, at)) + 1;
}

static void put_place(Buf *b, const Source *src, const char *at)
{
    int line, column;
    if (!src)
        return;
    if (!at) {
        buf_printf(b, "%s: ", src->name);
        return;
    }
    diag_place(src, at, &line, &column);
    buf_printf(b, "%s:%d:%d: ", src->name, line, column);
}

void diag_put_line(Buf *b, const char *line, unsigned long column)
{
    const int len = (int)strcspn(line, "\r\n");
    if (column > SHOWN_COLUMNS || column > (unsigned long)len + 1)
        return;
    buf_printf(b, "\n    %.*s", len > SHOWN_COLUMNS ? SHOWN_COLUMNS : len, line);
    if (!column)
        return;
    buf_str(b, "\n    ");
    for (unsigned long i = 0; i + 1 < column; i++)
        buf_put(b, line[i] == '\t' ? "\t" : " ", 1); /* tabs stay tabs so that they align */
    buf_put(b, "^", 1);
}

static void put_line(Buf *b, const Source *src, const char *at)
{
    const char *line = line_start(src, at);
    diag_put_line(b, line, (unsigned long)(at - line) + 1);
}

static void put_origin(Buf *b, const Source *src)
{
    for (int depth = 0; src && src->from && depth < 8; src = src->from, depth++) {
        buf_str(b, "\n");
        put_place(b, src->from, src->from_at);
        buf_str(b, "note: from here");
    }
}

static bool counted_and_shown(Diag *d, DiagKind kind)
{
    d->errors += kind == DIAG_ERROR;
    d->warnings += kind == DIAG_WARNING;
    return d->sink && (!d->limit || d->errors <= d->limit);
}

void diag_foreign(Diag *d, DiagKind kind, const char *message)
{
    if (counted_and_shown(d, kind))
        d->sink(d->to, kind, message);
}

void diag_no_memory(Diag *d, const Source *src)
{
    d->no_memory = true;
    error(d, src, NULL, "out of memory");
}

void diag(Diag *d, DiagKind kind, const Source *src, const char *at, const char *fmt, ...)
{
    char text[512];
    Buf b = {0};
    va_list ap;

    if (!counted_and_shown(d, kind))
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    put_place(&b, src, at);
    buf_printf(&b, "%s: %s", kind_name[kind], text);
    if (src && at)
        put_line(&b, src, at);
    put_origin(&b, src);
    d->sink(d->to, kind, b.failed ? text : buf_text(&b));
    buf_free(&b);
}

void diag_to_file(void *to, DiagKind kind, const char *message)
{
    (void)kind;
    fprintf(to, "%s\n", message);
}

void diag_to_buf(void *to, DiagKind kind, const char *message)
{
    (void)kind;
    buf_printf(to, "%s\n", message);
}

int edit_distance(const char *a, size_t alen, const char *b, size_t blen, int cap)
{
    enum { LONGEST = 40 };
    int row[LONGEST + 1];
    if (alen > LONGEST || blen > LONGEST)
        return cap;
    for (size_t j = 0; j <= blen; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= alen; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= blen; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[blen] < cap ? row[blen] : cap;
}
