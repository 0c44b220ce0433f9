/* kernelinfo.h -- what a host must know of the kernels of an image, besides the resources they
 * need.
 *
 * The section .ventus.kernels (not loaded) is a JSON text that the compiler writes and
 * the linker copies:
 *
 *   { "version": 1, "kernels": [ { "name": "k", "attributes": "...",
 *     "silent": true, "ungrouped": true, "reqd_local": [x, y, z], "local_hint": [x, y, z], "vec_hint": "float4",
 *     "args": [ { "name": "a", "type": "float*", "kind": "global", "size": 4, "align": 4,
 *                 "pointee_align": 16, "const": true, "restrict": true, "volatile": false,
 *                 "access": "read_only" } ],
 *     "locals": [ { "name": "t", "offset": 128, "size": 64 } ] } ],
 *     "globals_size": 0, "options": "-cl-std=CL2.0" }
 *
 * Fields that are false, zero or empty are left out.  kernelinfo_read() takes any bytes.
 */
#ifndef OBJ_KERNELINFO_H
#define OBJ_KERNELINFO_H
#include "obj/obj.h"

/* Which kind of argument: a value, a pointer to that memory, the descriptor of an image, a sampler,
 * the address of a pipe. */
typedef enum { ARG_VALUE, ARG_GLOBAL, ARG_CONSTANT, ARG_LOCAL, ARG_IMAGE, ARG_SAMPLER, ARG_PIPE } KernelArgKind;

/* What a kernel does with an image or a pipe. */
typedef enum { IMAGE_ACCESS_NONE, IMAGE_READ_ONLY, IMAGE_WRITE_ONLY, IMAGE_READ_WRITE } ImageAccess;

/* A parameter of a kernel. */
typedef struct {
    char *name, *type;      /* as written in the source; "" when not known */
    KernelArgKind kind;
    u32 size, align;        /* bytes in the argument block; C alignment (doc/abi.md, "Argument block") */
    u32 pointee_align;      /* of pointers: bytes; 1 for void */
    bool is_const, is_restrict, is_volatile;
    ImageAccess access;     /* of images and pipes */
} KernelArg;

static inline bool arg_is_pointer(const KernelArg *a) { return a->kind >= ARG_GLOBAL && a->kind <= ARG_LOCAL; }

/* A __local variable: where it is in the static local data of the group. */
typedef struct {
    char *name;
    u32 offset, size;       /* bytes */
} KernelLocal;

/* A kernel. */
typedef struct {
    char *name, *attributes, *vec_hint;
    u32 reqd_local[3], local_hint[3]; /* all 0: not given */
    KernelArg *args;
    size_t nargs;
    KernelLocal *locals;
    size_t nlocals;
    bool silent;            /* it never calls printf */
    bool ungrouped;         /* it is all one to it how work-items are grouped */
} KernelInfo;

/* The table of an image, which has that of each object one behind the other: all kernels, the options of the first. */
typedef struct {
    KernelInfo *kernels;
    size_t nkernels;
    u64 globals_size;       /* bytes of program-scope variables */
    char *options;          /* with which it was built */
} KernelTable;

/* False: the image has no table (t is empty, d untouched) or a malformed one (d says how). */
bool kernelinfo_read(const Object *image, KernelTable *t, Diag *d);
void kernelinfo_free(KernelTable *t);
const KernelInfo *kernelinfo_find(const KernelTable *t, const char *name); /* NULL: none */
/* Whether launches of what was built with these options, or NULL, may have smaller last groups: from
 * OpenCL C 2.0 on, unless an option says otherwise. */
bool kernelinfo_allows_partial(const char *options);
/* Adds the section.  False: out of memory. */
bool kernelinfo_add(Object *o, const KernelTable *t);
#endif
