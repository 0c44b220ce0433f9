/* lines.h -- which line of a source an instruction of an image came from.
 *
 * Reads .debug_line and, for functions and calls that were inlined, .debug_info, of DWARF 2 to 5
 * in its 32-bit format, whoever wrote them.  The bytes are hostile: what cannot be read is left
 * out, and the work is bounded by a multiple of their number.
 */
#ifndef OBJ_LINES_H
#define OBJ_LINES_H
#include "obj/obj.h"

typedef struct LineTable LineTable;

/* A place in a source.  Strings belong to the table. */
typedef struct {
    const char *file;     /* as the compiler knew it, with its directory; NULL: unknown */
    u32 line, column;     /* from 1; 0: unknown */
    const char *function; /* that the text belongs to; NULL: unknown */
} Place;

/* The tables of an image, which must stay while they are used; empty if it has none.  NULL: out of
 * memory. */
LineTable *lines_read(const Object *image);
void lines_free(LineTable *t); /* NULL is allowed */

/* The place of the instruction at pc, and after it, from the inside out, those of the calls by
 * whose inlining it came there.  Writes at most max; returns how many, 0 if the line is not known.
 */
size_t lines_find(const LineTable *t, u32 pc, Place *chain, size_t max);

/* What an access or a barrier is for, as ventus-cc1 marks it in the register `isa` of the line table. */
typedef enum {
    LINES_PLAIN,
    LINES_ATOMIC,         /* plain, though the source asks it to be atomic */
    LINES_COPY,           /* it copies part of an object, perhaps padding */
    LINES_ASYNC,          /* it is part of an asynchronous copy */
    LINES_WAIT            /* of a barrier: it waits for asynchronous copies */
} LinesMark;

/* The mark of the instruction at pc, also where its line is not known. */
LinesMark lines_mark(const LineTable *t, u32 pc);

/* The names of its files, one after the other, some perhaps twice; NULL after the last. */
const char *lines_file(const LineTable *t, size_t i);

/* Adds the line of the source that p names, if the object has its text, and under it a caret at the
 * column.  `indent`, with the line end before it, stands before both; white space at the start of
 * the line is left out. */
void place_put_line(const Object *o, const Place *p, const char *indent, Buf *to);
#endif
