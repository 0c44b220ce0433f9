/* Machine IR for tests: from text, checked, and what stands in it. */
#ifndef CHECK_IRTEXTS_H
#define CHECK_IRTEXTS_H
#include "cc/cc.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

/* The function of the body, whose graph is built.  ir_free(f->module). */
static inline Func *func_of_text(const char *head, const char *body)
{
    char text[8192];
    snprintf(text, sizeof text, "%s {\n%s}\n", head, body);
    Buf why = {0};
    Diag d = {.sink = diag_to_buf, .to = &why};
    Source src = {.name = "test.ir", .text = text};
    Module *m = ir_parse(&src, target_find(0), &d);
    if (!m || m->nfunc != 1)
        fail_msg("%s\n%s", buf_text(&why), text);
    graph_build(m->func[0]);
    if (!ir_check(m->func[0], STAGE_GENERIC, &why))
        fail_msg("%s\n%s", buf_text(&why), text);
    buf_free(&why);
    return m->func[0];
}

static inline Func *kernel_of(const char *body) { return func_of_text("kernel @k", body); }

/* The text of f contains (or not) each of the lines, separated by newlines, in their order. */
static inline void expect_lines(const Func *f, const char *lines)
{
    Buf text = {0};
    ir_print(&text, f);
    const char *at = buf_text(&text);
    while (*lines) {
        char line[256];
        const size_t n = strcspn(lines, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, lines);
        const char *found = strstr(at, line);
        if (!found)
            fail_msg("no \"%s\" (any more) in\n%s", line, buf_text(&text));
        at = found + strlen(line);
        lines += n + (lines[n] == '\n');
    }
    buf_free(&text);
}

static inline void expect_without(const Func *f, const char *part)
{
    Buf text = {0};
    ir_print(&text, f);
    if (strstr(buf_text(&text), part))
        fail_msg("there is \"%s\" in\n%s", part, buf_text(&text));
    buf_free(&text);
}
#endif
