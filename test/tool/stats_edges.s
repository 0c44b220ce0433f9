# What counters make of the first and last address of local memory and the one behind it, of the last word of a line, and of
# prefixes without an instruction: those of a kernel, less those of one that returns at once.  And the list of launches, whose
# numbers are those of the whole where there is one.
# run: R="%b/ventus run %s --threads 4 -g 4 -l 4 -a buf:i32:256"; $R -k all --stats >%t.all; $R -k none --stats >%t.none
# run: awk 'FILENAME ~ /none$/ { none[$1] = $2; next } /^(insns|prefixes|coalesced|memory)/ && $2 != none[$1] { print $1, $2 - none[$1] }' %t.none %t.all
# run: for e in interp timing; do R="%b/ventus run %s -k none --engine $e --threads 4 -g 8 -l 4 -a buf:i32:256"; $R --stats >%t.none; $R --stats=json --stats-file=%t.json; sed -n '/launches_list/,/^  []]/p' %t.json | awk -F '[ ":,]+' 'FILENAME ~ /none$/ { split($0, w, " "); all[w[1]] = w[2]; next } /^      "[a-z]*": [0-9"]/ { print $2, $2 == "kernel" ? $3 : $3 == all[$2] }' %t.none -; done

	.text
	.kernel	none
none:
	ret

	.kernel	all
all:
	lw	a1, 0(a0)		# a word of the arguments
	lui	t0, 0x70000
	lw	t1, 0(t0)		# the first of local memory
	lui	t0, 0x80000
	lw	t1, -4(t0)		# the last
	lw	t1, 0(t0)		# of code
	vid.v	v1
	vsll.vi	v2, v1, 7
	vadd.vx	v3, v2, a1
	vlw12.v	v4, 124(v3)		# the last words of four lines
	vsll.vi	v5, v1, 2
	vadd.vx	v6, v5, a1
	vlw12.v	v7, 112(v6)		# the last four words of one
	vlw12.v	v7, 116(v6)		# of which one is in the next
	vsb12.v	v1, 127(v3)		# and bytes
	regext	zero, zero, 1		# nobody's
	regext	zero, zero, 1
	vadd.vv	v32, v1, v1
	ret

# out:
# insns 18
# prefixes 2
# coalesced_accesses 4
# coalesced_lines 11
# memory.load.local.warp 2
# memory.load.local.lane 2
# memory.load.local.bytes 8
# memory.load.global.warp 5
# memory.load.global.lane 14
# memory.load.global.bytes 56
# memory.store.global.warp 1
# memory.store.global.lane 4
# memory.store.global.bytes 4
# kernel none
# insns 1
# groups 1
# kernel none
# insns 1
# groups 1
# cycles 1
# end
