# The trace of one warp is that of the public simulator; without a name it goes into
# ventus.trace.
# run: %b/ventus run %s --threads 4 -a buf:i32:1=7 --trace=- >%t.1
# run: head -n 5 %t.1
# run: grep ' mem 0x90000000' %t.1 | cut -c24-
# run: tail -n 1 %t.1 | cut -c1-9,24-
# run: b=$(cd %b && pwd); s=$(pwd)/%s; mkdir -p %t.d; cd %t.d; "$b/ventus" run "$s" --threads 4 -a buf:i32:1=7 --trace; cmp ventus.trace %t.1

	.text
	.kernel touch
touch:
	lw      a1, 0(a0)
	lw      t2, 0(a1)
	addi    t2, t2, 1
	sw      t2, 0(a1)
	sh      t2, 0(a1)
	sb      t2, 0(a1)
	ret

# out:
# core   0: 3 0x00001000 (0x00000297) x5  0x00001000
# core   0: 3 0x00001004 (0x02028593) x11 0x00001020
# core   0: 3 0x00001008 (0xf1402573) x10 0x00000000
# core   0: 3 0x0000100c (0x0182a283) x5  0x80000000 mem 0x00001018
# core   0: 3 0x00001010 (0x00028067)
# (0x0005a383) x7  0x00000007 mem 0x90000000
# (0x0075a023) mem 0x90000000 0x00000008
# (0x00759023) mem 0x90000000 0x0008
# (0x00758023) mem 0x90000000 0x8
# core   0:(0x0000400b)
# end
