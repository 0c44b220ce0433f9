# Pictures of a launch: files that begin as their formats say, with as many instructions as issued; only engines
# that count cycles draw.
# run: %b/ventus run %s --engine timing --threads 4 -g 16 -l 8 -a buf:i32:1=7 --pipeline=%t.k --timeline=%t.j --stats >%t.s
# run: head -n 2 %t.k
# run: awk '/^R/ && $4 == 0 { n++ } END { print n }' %t.k
# run: awk '/^slots.issued/ { print $2 }' %t.s
# run: sed 1q %t.j
# run: grep -o '"name":"group [0-9]* warp [0-9]*"' %t.j | tr -d '"' | sort
# run: grep -o '"ph":"X".*"name":"touch"' %t.j | sed 's/.*"dur":\([0-9]*\).*/cycles \1/' >%t.1; awk '/^cycles/ { print $1, $2 }' %t.s | cmp - %t.1
# run: %b/ventus run %s --engine timing --picture-cycles 30-40 --threads 4 -a buf:i32:1=7 --picture-limit 1 --pipeline=- | grep -c ^I
# run: %b/ventus run %s --engine interp --timeline -a buf:i32:1=7 2>&1 || echo $?
# run: %b/ventus run %s --engine timing --timeline=/no/where -a buf:i32:1=7 2>&1 || echo $?
# run: %b/ventus run %s --picture-cycles 4-3 2>&1 || echo $?
# run: %b/ventus run %s --picture-cycles x 2>&1 || echo $?
# run: %b/ventus run %s --picture-cycles 3-99999999999999999999 2>&1 || echo $?
# run: %b/ventus run %s --engine timing --timeline=/dev/full -a buf:i32:1=7 2>&1 || echo $?

	.text
	.kernel touch
touch:
	lw      a1, 0(a0)
	lw      t2, 0(a1)
	addi    t2, t2, 1
	sw      t2, 0(a1)
	ret

# out:
# Kanata	0004
# C=	0
# 44
# 44
# {"otherData":{"unit":"a cycle is shown as a microsecond"},"traceEvents":[
# name:group 0 warp 0
# name:group 0 warp 1
# name:group 1 warp 0
# name:group 1 warp 1
# 4
# ventus: error: --timeline is about cycles, which the engine interp does not count; give --engine timing
# 2
# /no/where: error: No such file or directory
# 2
# ventus run: --picture-cycles: '4-3' is not FROM or FROM-TO
# Try `ventus run --help' or `ventus run --usage' for more information.
# 2
# ventus run: --picture-cycles: 'x' is not FROM or FROM-TO
# Try `ventus run --help' or `ventus run --usage' for more information.
# 2
# ventus run: --picture-cycles: '3-99999999999999999999' is not FROM or FROM-TO
# Try `ventus run --help' or `ventus run --usage' for more information.
# 2
# /dev/full: error: No space left on device
# 2
# end
