# A return by ra after a call that nobody saved ra from is a warning.
# run: %b/ventus as %s -o %t.o

	.kernel k
k:	li a0, 1
	call f
	beqz a0, k
	ret			# wrong
f:	ret
	.globl saves
saves:	addi sp, sp, 8
	sw ra, -4(sp)
	call f
	lw ra, -4(sp)
	ret
	.globl moves
moves:	mv s1, ra
	jal f
	jr s1
	.globl ends
ends:	call f
	endprg
	.globl leaves
leaves:	beqz a0, 1f
	ret
1:	tail f
	.globl far
far:	jalr a0
	jr ra			# wrong

# out:
# test/asm/lost_return.s:8:2: warning: a call before this has overwritten ra, which nothing saved: this returns behind that call, for ever
#     	ret			# wrong
#     	^
# test/asm/lost_return.s:29:2: warning: a call before this has overwritten ra, which nothing saved: this returns behind that call, for ever
#     	jr ra			# wrong
#     	^
