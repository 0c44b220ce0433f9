/* abi.h -- the rows of abi.def as constants: ABI_*, and KNL_*, words of the metadata block. */
#ifndef ISA_ABI_H
#define ISA_ABI_H

enum {
#define ABI(name, value, what) ABI_##name = (value),
#include "isa/abi.def"
};

enum {
#define KNL(name, word, what) KNL_##name = (word),
#include "isa/abi.def"
};

/* the table of locks of a program that needs one */
#define ABI_LOCKS "__ventus_locks"
#endif
