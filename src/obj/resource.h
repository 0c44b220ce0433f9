/* resource.h -- how many registers and how much memory a kernel needs.
 *
 * The record of a kernel is the section .ventus.resource.<kernel>: 56 bytes,
 * u32 version, u32 flags, then six u64 (doc/abi.md, "Resource records").  Files
 * of other makers carry shorter records, several kernels in one section, or none;
 * those are read as far as they can be believed.
 *
 * An object's record with an empty name (.ventus.resource.) says what its code outside kernels
 * needs; the linker adds it to the records of the kernels that may call such code.
 */
#ifndef OBJ_RESOURCE_H
#define OBJ_RESOURCE_H
#include "obj/obj.h"

enum {
    RES_DYNAMIC_ALLOCA = 1, RES_RECURSION = 2, RES_INDIRECT_CALL = 4, RES_UNKNOWN_CALLEE = 8,
    RES_NO_STACK_PEAK = 16, RES_REGISTERS_INCOMPLETE = 32
};

/* Which form of record there is. */
typedef enum {
    RES_NONE,               /* the file has no record for this kernel */
    RES_SHORT,              /* four u16: VGPR, SGPR, LDS, PDS */
    RES_LONG                /* 56 bytes, version 2 or 3 */
} ResourceForm;

/* What a record says; numbers of short records are copied to the fields that mean the same. */
typedef struct {
    ResourceForm form;
    u32 version, flags;     /* of RES_LONG */
    u64 vgpr, sgpr;         /* registers, counted from 0 to the highest used */
    u64 lds_static;         /* bytes of __local data of the group */
    u64 pds_static;         /* bytes of private memory a lane, besides the stack */
    u64 lds_stack;          /* bytes of scalar stack a warp; UINT64_MAX: not known */
    u64 pds_stack;          /* bytes of private stack a lane; UINT64_MAX: not known */
} Resource;

/* The name of the kernel whose record the section is ("" for the record of what is
 * outside kernels); NULL: the section is no record. */
const char *resource_kernel(const ObjSection *s);

/* Reads the record of kernel `name` into *r; form RES_NONE if there is none.  If records do not
 * name their kernels, they are matched by order of definition; where that is ambiguous, *r gets the
 * largest of each number.  False: the record is malformed, d says how. */
bool resource_read(const Object *o, const char *name, Resource *r, Diag *d);
/* Adds the 56-byte record (version 3).  False: out of memory. */
bool resource_add(Object *o, const char *name, const Resource *r);
/* A record with the larger of both in every number, and the flags of both. */
Resource resource_merge(const Resource *a, const Resource *b);

/* How a binary lays out local memory and starts its stacks (doc/abi.md,
 * "Generations"); the loader decides by looking at the code at the entry. */
typedef enum {
    GEN_A,   /* one stack for the group, tp = CSR_PDS */
    GEN_B,   /* 1 KiB of stack a warp at the start of LDS, tp = 0; or neither, and the same places */
    GEN_B2,  /* the same, stack size from metadata word 56 */
    GEN_C,   /* LDS data first, then stacks: metadata words 56 and 60 */
    GEN_BARE /* none of these: hand-written code without crt0 */
} Generation;

/* The generation of an image, by the code at its entry; its name, as "B2". */
Generation resource_generation(const Object *image);
const char *generation_name(Generation g);

/* The byte offset of the metadata word (64, 68) from which the code at the entry sets tp first; -1:
 * tp comes from elsewhere. */
int resource_tp_word(const Object *image);
#endif
