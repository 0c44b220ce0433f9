/* waiting.h -- kernels in assembly for tests of what may go on beside a launch.
 *
 *     wait(flag, out)     sets flag[1], waits for flag[0], which it puts into out[0]
 *     touch(out, value)   out[0] = value
 */
#ifndef CHECK_WAITING_H
#define CHECK_WAITING_H

#define WAITING_KERNELS \
    "   .text\n" \
    "   .kernel wait\n" \
    "wait: lw a1, 0(a0)\n" \
    "   lw a2, 4(a0)\n" \
    "   li t0, 1\n" \
    "   sw t0, 4(a1)\n" \
    "1: lw t0, 0(a1)\n" \
    "   beqz t0, 1b\n" \
    "   sw t0, 0(a2)\n" \
    "   ret\n" \
    "   .kernel touch\n" \
    "touch: lw a1, 0(a0)\n" \
    "   lw a2, 4(a0)\n" \
    "   sw a2, 0(a1)\n" \
    "   ret\n"
#endif
