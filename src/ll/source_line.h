/* source_line.h -- messages about a source, with the line that they name. */
#ifndef LL_SOURCE_LINE_H
#define LL_SOURCE_LINE_H
#include "base/diag.h"

/* What the messages of a Diag go through until source_lines_end(). */
typedef struct {
    const char *name, *text;
    size_t len;
    DiagSink *sink;
    void *to;
} SourceLines;

/* From here on a message to d that begins with a place of the source, and has no line yet, gets
 * that line, and a caret if it names a column. */
void source_lines_begin(SourceLines *s, const char *name, const char *text, size_t len, Diag *d);
void source_lines_end(const SourceLines *s, Diag *d);
#endif
