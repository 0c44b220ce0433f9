# What only the linker knows; what this section knows itself is no relocation.
# run: %b/ventus as %s -o %t.o && %b/ventus objdump -d %t.o | tail -n +4

	.globl here
here:	j here; call here; la a0, here; beq a0, a1, here
	beq a0, a1, out; vbne v1, v2, out+4; j out; jal out; call out; tail out
	lui a0, %hi(out); addi a0, a0, %lo(out); sw a0, %lo(out+4)(a0)
	vlw12.v v1, %lo(out)(v1); vsw12.v v1, %lo(out)(v1)
	la a0, out
1:	auipc t1, %pcrel_hi(out); setrpc zero, t1, %pcrel_lo(1b)
2:	auipc t1, %pcrel_hi(here); setrpc zero, t1, %pcrel_lo(2b)
	.reloc ., R_RISCV_NONE, out
	.weak loose
loose:	j loose
	.word out, here, out-., .-here
	.dword out
	.half a - b

# out:
#
# 00000000 <here>:
# 00000000: 0000006f      j 0x0 <here>
# 00000004: 00000097      auipc ra, 0
# 00000008: ffc080e7      jalr -4(ra)
# 0000000c: 00000517      auipc a0, 0
# 00000010: ff450513      addi a0, a0, -12
# 00000014: feb506e3      beq a0, a1, 0x0 <here>
# 00000018: 00b50063      beq a0, a1, 0x18 <here+0x18>
# 		00000018:  R_RISCV_BRANCH	out
# 0000001c: 0011105b      vbne v1, v2, 0x1c <here+0x1c>
# 		0000001c:  R_RISCV_BRANCH	out+4
# 00000020: 0000006f      j 0x20 <here+0x20>
# 		00000020:  R_RISCV_JAL	out
# 00000024: 000000ef      jal 0x24 <here+0x24>
# 		00000024:  R_RISCV_JAL	out
# 00000028: 00000097      auipc ra, 0
# 		00000028:  R_RISCV_CALL_PLT	out
# 0000002c: 000080e7      jalr ra
# 00000030: 00000317      auipc t1, 0
# 		00000030:  R_RISCV_CALL_PLT	out
# 00000034: 00030067      jr t1
# 00000038: 00000537      lui a0, 0
# 		00000038:  R_RISCV_HI20	out
# 0000003c: 00050513      mv a0, a0
# 		0000003c:  R_RISCV_LO12_I	out
# 00000040: 00a52023      sw a0, 0(a0)
# 		00000040:  R_RISCV_LO12_S	out+4
# 00000044: 0000a0fb      vlw12.v v1, 0(v1)
# 		00000044:  R_RISCV_LO12_I	out
# 00000048: 0010e07b      vsw12.v v1, 0(v1)
# 		00000048:  R_RISCV_LO12_S	out
#
# 0000004c <.Lpcrel_hi4>:
# 0000004c: 00000517      auipc a0, 0
# 		0000004c:  R_RISCV_PCREL_HI20	out
# 00000050: 00050513      mv a0, a0
# 		00000050:  R_RISCV_PCREL_LO12_I	.Lpcrel_hi4
#
# 00000054 <.Ltmp6>:
# 00000054: 00000317      auipc t1, 0
# 		00000054:  R_RISCV_PCREL_HI20	out
# 00000058: 0003305b      setrpc zero, t1, 0
# 		00000058:  R_RISCV_PCREL_LO12_I	.Ltmp6
# 0000005c: 00000317      auipc t1, 0
# 00000060: fa43305b      setrpc zero, t1, -92
#
# 00000064 <loose>:
# 00000064: 0000006f      j 0x64 <loose>
# 		00000064:  R_RISCV_JAL	loose
# 		00000064:  R_RISCV_NONE	out
# 00000068: 00000000      .word 0x00000000
# 		00000068:  R_RISCV_32	out
# 0000006c: 00000000      .word 0x00000000
# 		0000006c:  R_RISCV_32	here
# 00000070: 00000000      .word 0x00000000
# 		00000070:  R_RISCV_32_PCREL	out
# 00000074: 00000074      .word 0x00000074
# 00000078: 00000000      .word 0x00000000
# 		00000078:  R_RISCV_64	out
# 0000007c: 00000000      .word 0x00000000
# 	.byte 0x00
# 		00000080:  R_RISCV_ADD16	a
# 		00000080:  R_RISCV_SUB16	b
# 	.byte 0x00
# end
