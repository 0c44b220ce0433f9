# crt0_stacks.s -- stacks, the base of `__local` data and the global pointer, for programs that read one of these
# registers.
#
# It is linked before crt0.s and runs into it.
#
#   out:  the registers with the roles gp, sp, tp, local_base

    .include "abi.inc"

    .macro stacks zero, ra, sp, gp, tp, metadata, scratch, t2, local_base, s1, args, frame
    la      \gp, __global_pointer$

    # local memory: a stack for each warp, then __local objects
    csrr    \t2, CSR_LDS
    csrr    \scratch, CSR_WID
    slli    \scratch, \scratch, ABI_WARP_STACK_SHIFT
    add     \sp, \t2, \scratch
    csrr    \scratch, CSR_NUMW
    slli    \scratch, \scratch, ABI_WARP_STACK_SHIFT
    add     \local_base, \t2, \scratch
    li      \tp, 0              # private memory is addressed from 0
    .endm

    .section .text.start, "axR", @progbits
    .weak _start
    .type _start, @function
_start:
    with_registers stacks
    .size _start, . - _start
