/* printformat.h -- formats of printf, and the arguments in a record of the print buffer
 * (doc/abi.md, "Print buffer"). */
#ifndef DRV_PRINTFORMAT_H
#define DRV_PRINTFORMAT_H
#include "base/base.h"

/* Columns that a width or a precision may ask for, bytes of a string that are printed. */
enum { PRINT_MAX_WIDTH = 1024, PRINT_MAX_STRING = 1 << 16 };

/* What is left of a record's arguments. */
typedef struct {
    const u8 *p, *end;
    u32 missing; /* arguments that were asked for and are not there */
} PrintArguments;

/* The next argument, of 4 or 8 bytes; 0 if it is not there. */
u64 print_argument(PrintArguments *a, u32 size);

/* One conversion: % flags width .precision length letter. */
typedef struct {
    char spec[32];  /* for the host's printf, without length and letter */
    char letter;    /* 0: the format ends before it */
    int bits;       /* of an integer that are shown; 64: the argument has 8 bytes, not 4 */
    int count;      /* elements of a vector (%v4f), or 1 */
    bool is_capped; /* it asked for more than PRINT_MAX_WIDTH columns */
} PrintConversion;

/* Reads the conversion after a %, and the arguments of its stars; *f is left after it. */
PrintConversion print_conversion(const char **f, PrintArguments *a);
/* Bytes of the argument that an element takes; 0: it takes none; -1: it is no conversion. */
int print_argument_size(const PrintConversion *c);
#endif
