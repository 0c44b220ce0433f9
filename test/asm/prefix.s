# Registers above 31 and wide immediates bring their prefix.  A prefix that is written
# counts as it is; names above 31 after it must agree with it.
# run: %b/ventus as %s -o %t.o && %b/ventus objdump -d %t.o | tail -n +4

	vadd.vv v33, v66, v99           # regext with three parts
	vadd.vi v33, v2, 100            # regexti
	vand.vi v2, v2, -1024
	vmsgtu.vi v2, v2, 31            # five bits, zero-extended: no prefix
	add  x40, x33, x8
	fmadd.s a0, a1, a2, x35         # the third source
	vle32.v v40, (x33)
	vse32.v v40, (a0)               # both parts that a machine may look at
	vsw12.v v40, 0(v70)
	vbeq v40, v1, .
	csrr x40, wid
	regext zero, zero, 1
	vadd.vv v1, v2, v3              # means v33
	regext zero, zero, 1
	vadd.vv v33, v2, v3             # the same
	regexti zero, zero, 769
	vand.vi v33, v0, 399
	regext zero, zero, 1            # nothing to do with the next but one
	nop
	vadd.vv v33, v2, v3

# out:
# 00000000: 0990200b      regext zero, zero, 153
# 00000004: 022180d7      vadd.vv v1, v2, v3
# 00000008: 0c10300b      regexti zero, zero, 193
# 0000000c: 022230d7      vadd.vi v1, v2, 4
# 00000010: 8000300b      regexti zero, zero, -2048
# 00000014: 26203157      vand.vi v2, v2, 0
# 00000018: 7a2fb157      vmsgtu.vi v2, v2, -1
# 0000001c: 0090200b      regext zero, zero, 9
# 00000020: 00808433      add s0, ra, s0
# 00000024: 2000200b      regext zero, zero, 512
# 00000028: 18c5f543      fmadd.s a0, a1, a2, gp
# 0000002c: 0090200b      regext zero, zero, 9
# 00000030: 0200e407      vle32.v v8, (ra)
# 00000034: 2010200b      regext zero, zero, 513
# 00000038: 02056427      vse32.v v8, (a0)
# 0000003c: 0500200b      regext zero, zero, 80
# 00000040: 0083607b      vsw12.v v8, 0(v6)
# 00000044: 0400200b      regext zero, zero, 64
# 00000048: fe808edb      vbeq v8, v1, 0x44
# 0000004c: 0010200b      regext zero, zero, 1
# 00000050: 80502473      csrr s0, 2053
# 00000054: 0010200b      regext zero, zero, 1
# 00000058: 022180d7      vadd.vv v1, v2, v3
# 0000005c: 0010200b      regext zero, zero, 1
# 00000060: 022180d7      vadd.vv v1, v2, v3
# 00000064: 3010300b      regexti zero, zero, 769
# 00000068: 2607b0d7      vand.vi v1, v0, 15
# 0000006c: 0010200b      regext zero, zero, 1
# 00000070: 00000013      nop
# 00000074: 0010200b      regext zero, zero, 1
# 00000078: 022180d7      vadd.vv v1, v2, v3
# end
