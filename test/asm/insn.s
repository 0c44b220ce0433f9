# Words by their fields.
# run: %b/ventus as %s -o %t.o && %b/ventus objdump -d %t.o | tail -n +4

	.insn r  0x33, 0, 0x20, a0, a1, a2
	.insn r4 MADD, 7, 0, a0, a1, a2, a3
	.insn i  OP_IMM, 0, a0, a1, -5
	.insn i  LOAD, 2, a0, 8(a1)
	.insn s  STORE, 2, a0, -8(a1)
	.insn b  BRANCH, 1, a0, a1, 8
	.insn u  LUI, a0, 0x12345
	.insn j  JAL, ra, 8
	.insn r  OP_V, 0, 1, v1, v3, v2
	.insn r  OP_V, 0, 1, v33, v3, v70
	.insn i  OP_IMM, 0, a0, a1, %lo(out)
	.insn 0x00000013
	.insn 4, 0x00000013

# out:
# 00000000: 40c58533      sub a0, a1, a2
# 00000004: 68c5f543      fmadd.s a0, a1, a2, a3
# 00000008: ffb58513      addi a0, a1, -5
# 0000000c: 0085a503      lw a0, 8(a1)
# 00000010: fea5ac23      sw a0, -8(a1)
# 00000014: 00b51463      bne a0, a1, 0x1c
# 00000018: 12345537      lui a0, 74565
# 0000001c: 008000ef      jal 0x24
# 00000020: 022180d7      vadd.vv v1, v2, v3
# 00000024: 0810200b      regext zero, zero, 129
# 00000028: 026180d7      vadd.vv v1, v6, v3
# 0000002c: 00058513      mv a0, a1
# 		0000002c:  R_RISCV_LO12_I	out
# 00000030: 00000013      nop
# 00000034: 00000013      nop
# end
