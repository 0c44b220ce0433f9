/* abi.h -- the rows of abi.def as constants, for C and OpenCL C, which reads it as lib/ventus.h
 * does. */
#ifndef ISA_ABI_H
#define ISA_ABI_H

enum {
#define ABI(name, value, what) ABI_##name = (value),
#include "isa/abi.def"
};

enum {
#define RANGE(name, from, end, what) RANGE_##name##_FROM = (from), RANGE_##name##_END = (end),
#include "isa/abi.def"
};
/* Addresses of 32 bits; an end of 2^32 is 0. */
#define RANGE_FROM(name) (RANGE_##name##_FROM * 4096u)
#define RANGE_END(name)  (RANGE_##name##_END * 4096u)

enum {
#define KNL(name, word, words, readers, what) KNL_##name = (word),
#include "isa/abi.def"
};

enum {
#define PRINT(name, offset, what)  PRINT_##name = (offset),
#define RECORD(name, offset, what) RECORD_##name = (offset),
#include "isa/abi.def"
};

enum {
#define REG(name, file, first, last, kept, reserved, what) REG_##name = (first), REG_##name##_last = (last),
#include "isa/abi.def"
};

/* the table of locks of a program that needs one */
#define ABI_LOCKS "__ventus_locks"
#endif
