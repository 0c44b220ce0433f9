# A branch that does not reach becomes the inverted one over a jump; a prefix stays in
# front of it.  Branches that reach stay short.
# run: %b/ventus as %s -o %t.o && %b/ventus objdump -d %t.o | grep -v "vadd.vv v0, v0, v0" | tail -n +4

near:	beq  a0, a1, far
	vbne v40, v1, far
	vblt v1, v2, near
	bnez a0, near
	.fill 2000, 4, 0x00000057       # vadd.vv v0, v0, v0, v0.t
far:	vbgeu v1, v2, near
	beq  a0, a1, far

# out:
#
# 00000000 <near>:
# 00000000: 00b51463      bne a0, a1, 0x8 <near+0x8>
# 00000004: 7590106f      j 0x1f5c <far>
# 00000008: 0400200b      regext zero, zero, 64
# 0000000c: 0080845b      vbeq v8, v1, 0x14 <near+0x14>
# 00000010: 74d0106f      j 0x1f5c <far>
# 00000014: fe1146db      vblt v1, v2, 0x0 <near>
# 00000018: fe0514e3      bnez a0, 0x0 <near>
#
# 00001f5c <far>:
# 00001f5c: 0011645b      vbltu v1, v2, 0x1f64 <far+0x8>
# 00001f60: 8a0fe06f      j 0x0 <near>
# 00001f64: feb50ce3      beq a0, a1, 0x1f5c <far>
# end
