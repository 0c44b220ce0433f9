# Which kernel runs: without -k the only one, of several none; one that is not there; and
# what assembles, links and runs in steps runs as in one.
# run: %b/ventus run %s || echo status $?
# run: %b/ventus run %s -k third || echo status $?
# run: for k in fist second_ fxrxt xirst; do %b/ventus run %s -k $k || true; done 2>&1 | cut -d' ' -f3-
# run: %b/ventus run %s -k second -a 'buf:i32:1>-'
# run: %b/ventus as -o %t.o %s
# run: %b/ventus ld -o %t.elf %t.o
# run: %b/ventus run %t.o -k second -a 'buf:i32:1>-'
# run: %b/ventus run %t.elf -k first -a 'buf:i32:1>-'

	.text
	.kernel first
first:
	lw      a1, 0(a0)
	li      t2, 1
	sw      t2, 0(a1)
	ret
	.kernel second
second:
	lw      a1, 0(a0)
	li      t2, 2
	sw      t2, 0(a1)
	ret

# out:
# test/tool/run_kernels.s: error: it has 2 kernels, -k says which: first, second
# status 2
# test/tool/run_kernels.s: error: no kernel 'third'; it has first, second
# status 2
# no kernel 'fist'; did you mean 'first'?
# no kernel 'second_'; did you mean 'second'?
# no kernel 'fxrxt'; did you mean 'first'?
# no kernel 'xirst'; did you mean 'first'?
# arg0[0..0]: 2
# arg0[0..0]: 2
# arg0[0..0]: 1
# end
