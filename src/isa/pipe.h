/* pipe.h -- the rows of pipe.def as constants, for C and OpenCL C. */
#ifndef ISA_PIPE_H
#define ISA_PIPE_H

enum {
#define PIPE_WORD(name, what) PIPE_##name,
#include "isa/pipe.def"
    PIPE_WORDS
};

enum { PIPE_ALIGN = 128 }; /* of the first packet: that of the largest type */
#endif
