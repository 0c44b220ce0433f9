/* spirv.h -- SPIR-V modules as hosts see them: recognising, specialising, and the tools for them. */
#ifndef COMP_SPIRV_H
#define COMP_SPIRV_H
#include "base/mem.h"

/* The newest version that is taken, 1.SPIRV_MINOR, and the newest that is reported: translators lack
 * instructions of the others. */
enum { SPIRV_MINOR = 4, SPIRV_COMPLETE = 3 };

/* Whether the bytes begin as a module of this host's byte order does. */
bool spirv_is(const void *bytes, size_t len);

/* What a look at a module says. */
typedef struct {
    u32 minor;              /* version 1.minor */
    u32 pointer_bits;       /* 32 or 64; 0: it does not say */
} SpirvFacts;
/* False: it is no module, or its instructions do not fill its bytes; what they say is for the validator. */
bool spirv_look(const void *bytes, size_t len, SpirvFacts *f);

/* Puts a value into the specialisation constant of that number. */
typedef enum { SPIRV_SET, SPIRV_NO_CONSTANT, SPIRV_OTHER_SIZE } SpirvSet;
SpirvSet spirv_specialise(void *bytes, size_t len, u32 number, const void *value, size_t size);

/* Appends the module in the words that the translators take: null constants of scalar types as zeros, vectors
 * of equal lengths in shuffles.  False: out of memory, or the module is not valid. */
bool spirv_spell(const void *bytes, size_t len, Buf *out);

/* The paths of the validator and of the translator to LLVM, found among Debian's packages spirv-tools and
 * llvm-spirv; NULL: there is none. */
const char *spirv_validator(void);
const char *spirv_translator(u32 *llvm_version);
#endif
