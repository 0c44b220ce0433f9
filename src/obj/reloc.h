/* reloc.h -- what each kind of relocation is, from the rows of reloc.def. */
#ifndef OBJ_RELOC_H
#define OBJ_RELOC_H
#include "base/base.h"

/* What a relocation computes (reloc.def). */
typedef enum {
    VALUE_NONE, VALUE_ABS, VALUE_PC, VALUE_ADD, VALUE_SUB, VALUE_LABEL, VALUE_FOREIGN
} RelocValue;

/* Where the value goes. */
typedef enum {
    FIELD_NONE,
    FIELD_W6, FIELD_W8, FIELD_W16, FIELD_W32, FIELD_W64, /* the low bits at the place */
    FIELD_ULEB,                                          /* a ULEB128 number of the length it has */
    FIELD_B, FIELD_J,                                    /* branch and jump offsets */
    FIELD_HI,                                            /* the upper 20 bits, rounded for a LO */
    FIELD_LO_I, FIELD_LO_S,                              /* the lower 12 bits, signed */
    FIELD_CALL                                           /* auipc and jalr: HI, then LO_I */
} RelocField;

/* A row of reloc.def. */
typedef struct {
    const char *name; /* without R_RISCV_ */
    u8 value, field;  /* RelocValue, RelocField */
} RelocInfo;

/* NULL: the psABI has no such number. */
const RelocInfo *reloc_info(u32 type);
#endif
