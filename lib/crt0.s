# crt0.s -- what every warp executes first: it gets ready for vector instructions and calls the kernel
# (doc/abi.md, "Start code").
#
#   in:   the CSRs of a warp, undefined registers
#   out:  the registers with the roles args, metadata and scratch, the last with the address of the kernel; vl = lanes
#
# Before it come lib/crt0_print.s, lib/crt0_stacks.s and lib/crt0_floats.s, in this order, where the program needs
# them (src/link/startcode.c); each runs into the next, and the first one's _start counts.
#
# .bss is not cleared here.  The loader fills it with zeros once; a group that starts
# late would wipe what earlier groups have written to program-scope variables.

    .include "abi.inc"          # numbers and registers of the binary interface, built into the assembler

    .macro start_code zero, ra, sp, gp, tp, metadata, scratch, t2, local_base, s1, args, frame
    csrr    \metadata, CSR_KNL
    lw      \scratch, 4*KNL_ENTRY(\metadata)
    lw      \args, 4*KNL_ARGS(\metadata)
    vsetvli \zero, \metadata, e32, m1, ta, ma # of this address and its lanes the hardware takes the smaller
    jalr    \ra, \scratch
    endprg  \zero, \zero, \zero
    .endm

    .section .text.start, "axR", @progbits
    .weak _start
    .type _start, @function
_start:
    with_registers start_code
    .size _start, . - _start

# Only simulators that go on after endprg come here; a store to tohost stops them.
    .globl spike_end
    .type spike_end, @function
spike_end:
    li      t1, 1
    la      t0, tohost
    sw      t1, 0(t0)
1:  j       1b
    .size spike_end, . - spike_end

    .section .tohost, "aw", @progbits
    .p2align 6
    .globl tohost
    .type tohost, @object
    .size tohost, 8
tohost:
    .dword 0
    .p2align 6
    .globl fromhost
    .type fromhost, @object
    .size fromhost, 8
fromhost:
    .dword 0
