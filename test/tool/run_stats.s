# Counters: two groups of a warp of a kernel that branches, loads and stores; the start code of each
# warp loads two words more.
# run: %b/ventus run %s --threads 4 -g 8 -l 4 -a buf:i32:1=3 --stats >%t.1
# run: grep '^option.threads\|^launches\|^groups\|^warps\|^branches\|^memory.*global.lane\|^insn.mul' %t.1
# run: %b/ventus run %s --threads 4 -g 8 -l 4 -a 'buf:i32:1=3>-' --stats=json --stats-file=%t.2
# run: tr -d ' \n' <%t.2 | grep -o '"warps":2,"insns"\|"branches_taken":[0-9]*\|"threads":"4"'
# and cycles: every issue slot has one cause
# run: %b/ventus run %s --engine timing --machine rtl-direct --threads 4 -g 8 -l 4 -a buf:i32:1=3 --stats >%t.3
# run: awk '/^slots.all/ { all = $2; next } /^slots/ { n += $2 } /^cycles/ { c = $2 } END { print n == all, all == c, (c > 300) }' %t.3

	.text
	.kernel count
count:
	lw      a1, 0(a0)
	lw      t2, 0(a1)
	li      t3, 1
1:	mul     t3, t3, t2
	addi    t2, t2, -1
	bnez    t2, 1b
	sw      t3, 0(a1)
	ret

# out:
# option.threads 4 # in force
# launches 1 # kernel launches
# groups 2 # work-groups that ran
# warps 2 # warps that ran
# branches_taken 7 # scalar branches that were taken
# branches_not 2 # scalar branches that were not
# memory.load.global.lane 8 # accesses of lanes
# memory.store.global.lane 2 # accesses of lanes
# memory.atomic.global.lane 0 # accesses of lanes
# insn.mul 9 # warp instructions
# arg0[0..0]: 720
# "threads":"4"
# "warps":2,"insns"
# "branches_taken":7
# 1 1 1
# end
