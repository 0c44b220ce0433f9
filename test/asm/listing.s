# A listing of the public LLVM is assembled as it is; so is our own, which is the same
# but for the order of the bytes.
# run: %b/ventus as %s -o %t.o && %b/ventus objdump -d %t.o | tail -n +2 >%t.1; cat %t.1
# run: %b/ventus as %t.1 -o %t.2.o && %b/ventus objdump -d %t.2.o | tail -n +2 | cmp - %t.1

object.riscv:	file format elf32-littleriscv

Disassembly of section .text:

80000000 <_start>:
80000000: 97 41 00 00  	auipc	gp, 4
80000004: 93 81 81 80  	addi	gp, gp, -2040
80000008: d7 fe 0e 0d  	vsetvli	t4, t4, e32, m1, ta, ma
8000000c: f3 ae 0e 30  	csrrs	t4, mstatus, t4

80000010 <.Lpcrel_hi1>:
80000010: 63 08 c5 00  	beq	a0, a2, 0x80000020 <.Ltmp0>

80000014 <.Ltmp1>:
80000014: 0b 20 10 00  	regext	zero, zero, 1
80000018: 57 c0 0e 5e  	vmv.v.x	v0, t4
8000001c: e3 6c c5 fe  	bltu	a0, a2, 0x80000014 <.Ltmp1>

80000020 <.Ltmp0>:
80000020: 00009e5b      vbne v0, v1, 0x8000003c <.Lpcrel_hi1>
80000024: ff ff ff ff  	<unknown>
		...
80000034: 5b 20 00 00  	join	zero, zero, 0

80000038 <.Lpcrel_hi1>:
80000038:	fe9ff06f          	j	80000020 <.Ltmp0>
8000003c:	0400c00b          	barrier	x0, x0, 1 # a comment

# out:
#
# Disassembly of section .text:
#
# 80000000 <_start>:
# 80000000: 00004197      auipc gp, 4
# 80000004: 80818193      addi gp, gp, -2040
# 80000008: 0d0efed7      vsetvli t4, t4, e32, m1, ta, ma
# 8000000c: 300eaef3      csrrs t4, mstatus, t4
#
# 80000010 <.Lpcrel_hi1>:
# 80000010: 00c50863      beq a0, a2, 0x80000020 <.Ltmp0>
#
# 80000014 <.Ltmp1>:
# 80000014: 0010200b      regext zero, zero, 1
# 80000018: 5e0ec057      vmv.v.x v0, t4
# 8000001c: fec56ce3      bltu a0, a2, 0x80000014 <.Ltmp1>
#
# 80000020 <.Ltmp0>:
# 80000020: 00009e5b      vbne v0, v1, 0x8000003c <.Ltmp0+0x1c>
# 80000024: ffffffff      .word 0xffffffff
# 80000028: 00000000      .word 0x00000000
# 8000002c: 00000000      .word 0x00000000
# 80000030: 00000000      .word 0x00000000
# 80000034: 0000205b      join zero, zero, 0
# 80000038: fe9ff06f      j 0x80000020 <.Ltmp0>
# 8000003c: 0400c00b      barrier x0, x0, 1
# end
