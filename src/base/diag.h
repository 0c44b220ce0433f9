/* diag.h -- messages about the user's input.
 *
 * A Diag is a sink owned by one job (one file, one program build); nothing here
 * is global, so two jobs may run at once.  Reporting never exits: the reporter
 * recovers or returns false, and the owner of the job asks diag_errors() before
 * it uses the result.  A message has the form
 *
 *     test/range.s:6:20: error: 2048 does not fit here
 *         vadd.vi v1, v2, 2048
 *                         ^
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H
#include "base/mem.h"

/* How bad a message is. */
typedef enum { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR } DiagKind;

/* A text being read, NUL-terminated; it outlives every message made from it.
 * If another text led to it (a macro, a repetition, an include), `from` and `from_at` name the
 * place there, which is shown as a note. */
typedef struct Source Source;
struct Source {
    const char *name, *text;
    const Source *from;
    const char *from_at;
    bool is_expansion; /* a macro's or a repetition's, in no file as it stands here */
};

/* Receives a finished message, for stderr, a build log, a test.  The message
 * has no newline at its end and lives only during the call. */
typedef void DiagSink(void *to, DiagKind kind, const char *message);

/* The messages of one job: where they go, and how many errors there were. */
typedef struct {
    DiagSink *sink;
    void *to;
    int errors, warnings;
    int limit;      /* errors shown before the rest is only counted; 0: all */
    bool no_memory; /* one of the errors is "out of memory": the input may be right */
} Diag;

/* `at` points into src->text; without a src, or without an `at`, there is no
 * place to show. */
void diag(Diag *d, DiagKind kind, const Source *src, const char *at, const char *fmt, ...)
    PRINTF_LIKE(5, 6);

#define error(d, src, at, ...)   diag(d, DIAG_ERROR, src, at, __VA_ARGS__)
#define warning(d, src, at, ...) diag(d, DIAG_WARNING, src, at, __VA_ARGS__)
#define note(d, src, at, ...)    diag(d, DIAG_NOTE, src, at, __VA_ARGS__)

/* Reports "out of memory"; src may be NULL. */
void diag_no_memory(Diag *d, const Source *src);

static inline bool diag_errors(const Diag *d) { return d->errors > 0; }

/* Passes on a message of another program, complete with its place; it is counted as one of
 * `kind`. */
void diag_foreign(Diag *d, DiagKind kind, const char *message);

/* Adds the line that begins at `line`, and a caret under the column, from 1; 0: without one. */
void diag_put_line(Buf *b, const char *line, unsigned long column);

/* Line and column of `at` in src, both from 1. */
void diag_place(const Source *src, const char *at, int *line, int *column);

DiagSink diag_to_file; /* to: a FILE *, one message a line group */
DiagSink diag_to_buf;  /* to: a Buf * */

/* How close two words are, for "did you mean": the number of single-character
 * edits that turn a into b, capped at `cap`. */
int edit_distance(const char *a, size_t alen, const char *b, size_t blen, int cap);
#endif
