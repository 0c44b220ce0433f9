# crt0.s -- what every warp executes first: registers, stacks, the call of the kernel
# (doc/abi.md, "Start code").
#
#   in:   the CSRs of a warp, undefined registers
#   out:  the registers with the roles args, gp, sp, tp, local_base; vl = lanes
#
# Before it comes lib/crt0_print.s in programs that look for printf's buffer in variables.
#
# .bss is not cleared here.  The loader fills it with zeros once; a group that starts
# late would wipe what earlier groups have written to program-scope variables.

    .include "abi.inc"          # numbers and registers of the binary interface, built into the assembler

    .equ MSTATUS_VS, 0x2000     # allow vector instructions

    .macro start_code zero, ra, sp, gp, tp, t0, scratch, t2, local_base, s1, args, frame
    la      \gp, __global_pointer$
    li      \t0, ABI_LANES      # the hardware takes the smaller of this and its lanes
    vsetvli \t0, \t0, e32, m1, ta, ma
    li      \t0, MSTATUS_VS
    csrrs   \zero, mstatus, \t0
    la      \t0, spike_end      # the public simulator returns from traps to here
    csrrw   \zero, mtvec, \t0

    # local memory: a stack for each warp, then __local objects
    csrr    \t0, CSR_LDS
    csrr    \scratch, CSR_WID
    slli    \scratch, \scratch, ABI_WARP_STACK_SHIFT
    add     \sp, \t0, \scratch
    csrr    \scratch, CSR_NUMW
    slli    \scratch, \scratch, ABI_WARP_STACK_SHIFT
    add     \local_base, \t0, \scratch
    li      \tp, 0              # private memory is addressed from 0

    csrr    \t0, CSR_KNL
    lw      \args, 4*KNL_ARGS(\t0)
    lw      \scratch, 4*KNL_ENTRY(\t0)
    jalr    \ra, \scratch
    endprg  \zero, \zero, \zero
    .endm

    .section .text.start, "axR", @progbits
    .weak _start                # crt0_print.s has another
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
