# crt0_floats.s -- allows floats on the public simulator, for programs that have instructions on them.
#
# It is linked before crt0.s and runs into it, and comes before the first write of a scalar that is a float: that
# simulator copies scalars to its float registers only from here on.

    .include "abi.inc"

    .equ MSTATUS_FS, 0x2000     # state of the float registers: initial

    .macro floats zero, ra, sp, gp, tp, metadata, scratch, t2, local_base, s1, args, frame
    li      \t2, MSTATUS_FS
    csrrs   \zero, mstatus, \t2
    .endm

    .section .text.start, "axR", @progbits
    .weak _start
    .type _start, @function
_start:
    with_registers floats
    .size _start, . - _start
