# crt0_print.s -- printf's buffer for programs that look for it in variables, as public ones do.
#
# It is linked before the rest of the start code (lib/crt0.s) and runs into it.  Programs of this compiler read the metadata
# themselves and go without.

    .include "abi.inc"

    .section .text.start, "axR", @progbits
    .weak _start
    .type _start, @function
_start:
    csrr    t0, CSR_KNL
    lw      t1, 4*KNL_PRINT(t0)
    la      t2, BUFFER_ADDR
    sw      t1, 0(t2)
    lw      t1, 4*KNL_PRINT_SIZE(t0)
    la      t2, BUFFER_SIZE
    sw      t1, 0(t2)
    .size _start, . - _start

# an object that brings its own variables wins
    .section .data.print, "aw", @progbits
    .p2align 2
    .weak BUFFER_ADDR
    .type BUFFER_ADDR, @object
    .size BUFFER_ADDR, 4
BUFFER_ADDR:
    .word 0
    .weak BUFFER_SIZE
    .type BUFFER_SIZE, @object
    .size BUFFER_SIZE, 4
BUFFER_SIZE:
    .word 0
