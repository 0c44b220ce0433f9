# A launch that was exported and is replayed gives the same buffers; what it gives twice is
# the same, and --verify says so or says where not.  Memory persists from one file to the next.
# run: %b/ventus run %s --threads 8 -g 8 -a 'buf:i32:4=1,2,3,4>-' --export-replay %t.x --dump-buffers %t.run
# run: ls %t.x
# run: X="%t.x/add_0.metadata %t.x/add_0.data"; %b/ventus replay $X --dump-buffers %t.a
# run: cmp -n 16 %t.run/arg0.bin %t.a/0-90000000.bin
# run: X="%t.x/add_0.metadata %t.x/add_0.data"; %b/ventus replay $X --verify %t.a --export-replay %t.y
# run: ls %t.y; cmp %t.x/add_0.data %t.y/0-add_0.data; cmp %t.x/add_0.metadata %t.y/0-add_0.metadata
# run: X="%t.x/add_0.metadata %t.x/add_0.data"; %b/ventus replay $X $X --dump-buffers %t.b; cmp %t.b/0-90000000.bin %t.b/1-90000000.bin
# run: printf x | dd of=%t.a/0-90000000.bin bs=1 seek=5 conv=notrunc 2>/dev/null
# run: X="%t.x/add_0.metadata %t.x/add_0.data"; %b/ventus replay $X --verify %t.a >%t.1 2>&1 || echo status $?; sed 's,.*/,,' %t.1
# run: mkdir %t.e; %b/ventus replay %t.x/add_0.metadata %t.x/add_0.data --verify %t.e >%t.1 2>&1 || echo status $?; sed 's,.*/,,' %t.1
# run: X="%t.x/add_0.metadata %t.x/add_0.data"; n=$(wc -c <%t.b/0-90000000.bin); for k in -1 +1; do cp %t.b/0-90000000.bin %t.e; truncate -s $k %t.e/0-90000000.bin; %b/ventus replay $X --verify %t.e >%t.1 2>&1 || echo status $?; sed "s,.*/,,; s, $n here, all here,; s,$((n $k)) bytes,all $k bytes," %t.1; done
# run: X="%t.x/add_0.metadata %t.x/add_0.data"; cp %t.b/0-90000000.bin %t.e; cp %t.b/0-90000000.bin %t.e/1-90000000.bin; printf '\004' | dd of=%t.e/1-90000000.bin bs=1 seek=3 conv=notrunc 2>/dev/null; %b/ventus replay $X --verify %t.e && echo the first alone; %b/ventus replay $X $X --verify %t.e >%t.1 2>&1 || echo status $?; sed 's,.*/,,' %t.1
# run: X="%t.x/add_0.metadata %t.x/add_0.data"; rm %t.e/1-90000000.bin; mkdir %t.e/1-90000000.bin; %b/ventus replay $X $X --verify %t.e >%t.1 2>&1 || echo status $?; sed 's,.*/,,' %t.1

	.text
	.kernel add
add:
	lw      a1, 0(a0)
	li      t3, 4
1:	lw      t2, 0(a1)
	addi    t2, t2, 10
	sw      t2, 0(a1)
	addi    a1, a1, 4
	addi    t3, t3, -1
	bnez    t3, 1b
	ret

# out:
# arg0[0..3]: 11 12 13 14
# add_0.data
# add_0.metadata
# 0-add_0.data
# 0-add_0.metadata
# status 1
# 0-90000000.bin: error: byte 5 is 0x78 there, 0x00 here
# status 2
# t.e: error: no file of these launches is there
# status 1
# 0-90000000.bin: error: all -1 bytes there, all here
# status 1
# 0-90000000.bin: error: all +1 bytes there, all here
# the first alone
# status 1
# 1-90000000.bin: error: byte 3 is 0x04 there, 0x00 here
# status 1
# 1-90000000.bin: error: Is a directory
# end
