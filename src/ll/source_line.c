/* source_line.c -- the compiler's own messages with the line that they name and a caret, as clang's
 * have them.
 */
#include "ll/source_line.h"
#include <stdlib.h>
#include <string.h>

/* The start of a line; NULL: the text has fewer. */
static const char *line_at(const char *text, size_t len, unsigned long line)
{
    const char *end = text + len;
    for (; text && line > 1; line--) {
        text = memchr(text, '\n', (size_t)(end - text));
        text = text ? text + 1 : NULL;
    }
    return text && text < end ? text : NULL;
}

/* The line that a message `NAME:LINE: ...` or `NAME:LINE:COLUMN: ...` begins with; *column is 0 in
 * the first.  NULL: it names none of this source, or shows it already. */
static const char *named_line(const SourceLines *s, const char *message, unsigned long *column)
{
    const size_t len = strlen(s->name);
    char *end;
    *column = 0;
    if (strncmp(message, s->name, len) || message[len] != ':' || strchr(message, '\n'))
        return NULL;
    const unsigned long line = strtoul(message + len + 1, &end, 10);
    if (end == message + len + 1 || *end != ':')
        return NULL;
    if (end[1] >= '0' && end[1] <= '9')
        *column = strtoul(end + 1, &end, 10);
    return *end == ':' && end[1] == ' ' ? line_at(s->text, s->len, line) : NULL;
}

static void add_line(void *self, DiagKind kind, const char *message)
{
    const SourceLines *s = self;
    unsigned long column;
    const char *line = named_line(s, message, &column);
    Buf text = {0}, one = {0};
    if (line) {
        const size_t left = s->len - (size_t)(line - s->text);
        const char *end = memchr(line, '\n', left);
        buf_put(&one, line, end ? (size_t)(end - line) : left);
        buf_str(&text, message);
        diag_put_line(&text, buf_text(&one), column);
    }
    s->sink(s->to, kind, line && !text.failed ? buf_text(&text) : message);
    buf_free(&text);
    buf_free(&one);
}

void source_lines_begin(SourceLines *s, const char *name, const char *text, size_t len, Diag *d)
{
    *s = (SourceLines){name, text, len, d->sink, d->to};
    if (d->sink) {
        d->sink = add_line;
        d->to = s;
    }
}

void source_lines_end(const SourceLines *s, Diag *d)
{
    d->sink = s->sink;
    d->to = s->to;
}
