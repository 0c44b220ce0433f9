# crt0.s -- what every warp executes first: registers, stacks, the call of the kernel
# (doc/abi.md, "Start code").
#
#   in:   the CSRs of a warp, undefined registers
#   out:  a0 = the kernel's argument block, gp, sp, tp, s0; vl = 32
#
# Before it comes lib/crt0_print.s in programs that look for printf's buffer in variables.
#
# .bss is not cleared here.  The loader fills it with zeros once; a group that starts
# late would wipe what earlier groups have written to program-scope variables.

    .equ KNL_ENTRY, 0           # bytes in the metadata block
    .equ KNL_ARG_BASE, 4
    .equ STACK_SHIFT, 10        # 1 KiB of scalar stack for each warp
    .equ MSTATUS_VS, 0x2000     # allow vector instructions

    .section .text.start, "axR", @progbits
    .weak _start                # crt0_print.s has another
    .type _start, @function
_start:
    la      gp, __global_pointer$
    li      t0, 32              # the hardware takes the smaller of this and its lanes
    vsetvli t0, t0, e32, m1, ta, ma
    li      t0, MSTATUS_VS
    csrrs   zero, mstatus, t0
    la      t0, spike_end       # the public simulator returns from traps to here
    csrrw   zero, mtvec, t0

    # local memory: a stack for each warp, then __local objects
    csrr    t0, 0x806           # CSR_LDS
    csrr    t1, 0x805           # CSR_WID
    slli    t1, t1, STACK_SHIFT
    add     sp, t0, t1
    csrr    t1, 0x801           # CSR_NUMW
    slli    t1, t1, STACK_SHIFT
    add     s0, t0, t1
    li      tp, 0               # private memory is addressed from 0

    csrr    t0, 0x803           # CSR_KNL
    lw      a0, KNL_ARG_BASE(t0)
    lw      t1, KNL_ENTRY(t0)
    jalr    t1
    endprg  zero, zero, zero
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
