# A sample of the groups is timed: the error is stated, results are those of all; errors of the option.
# run: %b/ventus run %s --engine timing --threads 4 -g 3200 -l 4 --sms 1 -a 'buf:i32:3200=7>%t.1' --stats >%t.s
# run: %b/ventus run %s --engine timing --threads 4 -g 3200 -l 4 --sms 1 -a 'buf:i32:3200=7>%t.2' --stats --sample 20% >%t.p
# run: cmp %t.1 %t.2
# run: awk '/^cycles / { c[NR == FNR] = $2 } /^cycles.error/ { e = $2 } /^groups.timed/ { t = $2 } END { d = c[0] - c[1]; print (d <= e && -d <= e), (e > 0 && e < c[1] / 5), (t < 600) }' %t.s %t.p
# run: %b/ventus run %s --engine timing --threads 4 -g 3200 -l 4 --sms 1 -a buf:i32:3200=7 --stats=json --sample=20 | grep -c '"cycles_error": [1-9]\|"timed_groups": [1-9]'
# run: %b/ventus run %s --sample 20 --engine jit -a buf:i32:1=7 2>&1 || echo $?
# run: %b/ventus run %s --sample 0 2>&1 || echo $?
# run: %b/ventus run %s --sample 101% 2>&1 || echo $?
# run: %b/ventus run %s --sample 5x 2>&1 || echo $?

	.text
	.kernel touch
touch:
	lw      a1, 0(a0)
	csrr    t0, CSR_GIDX
	slli    t0, t0, 4
	add     a1, a1, t0
	lw      t2, 0(a1)
	addi    t2, t2, 1
	sw      t2, 0(a1)
	ret

# out:
# 1 1 1
# 3
# ventus: error: --sample is about cycles, which the engine jit does not count; give --engine timing
# 2
# ventus run: --sample: '0' is not above 0 and up to 100 percent
# Try `ventus run --help' or `ventus run --usage' for more information.
# 2
# ventus run: --sample: '101%' is not above 0 and up to 100 percent
# Try `ventus run --help' or `ventus run --usage' for more information.
# 2
# ventus run: --sample: '5x' is not above 0 and up to 100 percent
# Try `ventus run --help' or `ventus run --usage' for more information.
# 2
# end
