/* hostkind.h -- what differs between hosts in objects that LLVM makes: relocations, and jumps to far functions. */
#ifndef JIT_HOSTKIND_H
#define JIT_HOSTKIND_H
#include "jit/load.h"

enum { STUB = 16 }; /* bytes of a jump */

/* A kind of host; all are known everywhere. */
typedef struct {
    u32 machine; /* EM_* of <elf.h> */
    /* Writes a jump to an address anywhere. */
    void (*jump)(u8 stub[STUB], u64 to);
    /* The bytes that a relocation changes; 0: code has none of this type. */
    u32 (*width)(u32 type);
    /* Changes them, which will lie at address `place`, as the type says, to a value (S + A in the documents of the ABI).  False: it does
     * not fit. */
    bool (*apply)(u8 *at, u64 place, u32 type, u64 value);
} HostKind;

extern const HostKind host_x86_64, host_aarch64;
/* The one that runs this; NULL: code is not made for it. */
const HostKind *host_kind(void);
#endif
