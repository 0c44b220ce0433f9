/* link.h -- objects to an image.
 *
 * Layout (doc/abi.md, "Layout of an image"): .text at 0x80000000 with start code
 * first, then .tohost, read-only data, and on a new page .data, .sdata, .bss; the
 * symbols the public linker script defines are defined here too.
 */
#ifndef LINK_LINK_H
#define LINK_LINK_H
#include "obj/obj.h"

/* How link_objects() links; all zero: with the default entry, and nothing left out. */
typedef struct {
    const char *entry;      /* symbol; NULL: _start, or the start of .text without crt0 */
    bool gc;                /* drop sections that no kernel and no root reaches; kernels are
                             * known by their records, without any all is kept */
    const char *const *roots; /* more symbols to keep, then NULL; may be NULL */
    const char *output;     /* name of the image in messages */
} LinkOptions;

/* Links objects in the given order.  Undefined and duplicate symbols are reported with the file that has them; profiles that
 * do not go together are an error that names both files.  NULL: d says why.  The
 * image is the caller's to free. */
Object *link_objects(const Object *const *objects, size_t n, const LinkOptions *opt, Diag *d);
/* The same after the start code that the objects need (startcode.c; doc/abi.md, "Start code"). */
Object *link_program(const Object *const *objects, size_t n, const LinkOptions *opt, Diag *d);
#endif
