# What lines, instructions and warps cost: the most expensive lines first, each with its share and its text, and why it
# waited; without cycles, how often it was executed: 16 warps, 4 times.  As JSON if the file is named so.
# run: %b/ventus run %s --engine timing --threads 4 -g 64 -l 8 -a buf:i32:1=7 --profile=%t.txt
# run: grep -c '^ .*run_profile.s:[0-9]*  *[a-z]' %t.txt
# run: awk '/source lines/ { on = 1; last = 1e9; next } /^$/ { on = 0 } on && $1 ~ /^[0-9]+$/ { n++; bad += $1 > last; last = $1 } END { print n, bad }' %t.txt
# run: awk '/1:.*addi/ { line = 1; next } line { print /operands/; exit }' %t.txt
# run: grep -c 'group [0-7] warp [01]' %t.txt
# run: %b/ventus run %s --threads 4 -g 64 -l 8 -a buf:i32:1=7 --profile | grep 'vlw12\|mul ' | cut -c1-60
# run: %b/ventus run %s --engine timing --threads 4 -g 64 -l 8 -a buf:i32:1=7 --profile=%t.json
# run: grep -c '"text": "mul' %t.json; grep -c '"text": "\(1:\|\\t\)' %t.json # an instruction; the kernel's lines
# run: grep -c '^   "cycles": [1-9][0-9]*,$' %t.json; %b/ventus run %s --threads 4 -g 64 -l 8 -a buf:i32:1=7 --profile=%t.json; grep -c '"cycles"' %t.json || true # of engines that count them

	.text
	.kernel touch
touch:
	lw      a1, 0(a0)
	li      t0, 4
1:	addi    t0, t0, -1
	mul     t1, t0, t0
	vmv.v.x v1, a1
	vlw12.v v2, 0(v1)
	bnez    t0, 1b
	ret

# out:
# 7
# 9 0
# 1
# 10
#         64  13.8 %  run_profile.s:19  mul     t1, t0, t0
#         64  13.8 %  run_profile.s:21  vlw12.v v2, 0(v1)
#         64  13.8 %  80000038  mul t1, t0, t0  # run_profile.
#         64  13.8 %  80000040  vlw12.v v2, 0(v1)  # run_profi
# 1
# 8
# 1
# 0
# end
