# Every counter of a kernel, less those of one that returns at once, which the start code has as well: two groups of three
# warps of four lanes.  As text, and the same as JSON.
# run: R="%b/ventus run %s --threads 4 -g 24 -l 12 -P 8192 -a buf:i32:256 -a local:64"; $R -k all --stats >%t.all; $R -k none --stats >%t.none
# run: awk '/^(option|seconds|occupancy|launch\.)/ { next } FILENAME ~ /none$/ { none[$1] = $2; next } $2 != none[$1] { print $1, ($1 ~ /_/ && $2 ~ /\./ ? $2 : $2 - none[$1]) }' %t.none %t.all
# run: grep '^launch[.]\|^occupancy' %t.all | cut -d' ' -f1,2; awk '$1 == "seconds" { print ($2 > 0 && $2 < 60) }' %t.all
# run: awk '$1 ~ /^unit.*warp$/ { u += $2 } $1 ~ /^unit.*lane$/ { l += $2 } /^insn\./ { n++; bad += n > 1 && $2 > last; last = $2 } { s[$1] = $2 } END { print u == s["insns"] - s["prefixes"], l == s["lane_insns"] - s["prefixes"], n, bad + 0 }' %t.all
# run: for e in interp jit; do %b/ventus info | grep -q "^engine $e:" && %b/ventus run %s -k none --engine $e -g 1 -a buf:i32:1 --stats | grep -c '^engine\.' || { [ $e = interp ] || echo 6; }; done
# run: %b/ventus run %s -k none --engine interp --isa v202+ai --machine documents --threads 8 --warps 5 --sms 3 --vm spike --strict --mmu --all-lanes --any-barrier --max-insns 70000 --timeout 9.5 -g 1 -a buf:i32:1 --stats | sed -n '2,$s/^option.\(.*\) # in force/\1/p' | xargs
# run: for e in interp timing; do %b/ventus run %s --engine $e -k all --threads 4 -g 24 -l 12 -P 8192 -a buf:i32:256 -a local:64 --stats >%t.all; %b/ventus run %s --engine $e -k all --threads 4 -g 24 -l 12 -P 8192 -a buf:i32:256 -a local:64 --stats=json --stats-file=%t.json; awk -F '[ ",:]+' '/{$/ { part = $2 } /^  }/ { part = "" } $3 ~ /^[0-9]/ { n[(part ? part "." : "") $2] = $3 } FILENAME !~ /all$/ { next } { split($0, w, " ") } w[1] ~ /^option|^seconds|limit$/ { next } { k++; if (n[w[1]] == "" || n[w[1]] - w[2] > 5e-5 || w[2] - n[w[1]] > 5e-5) print w[1], w[2], n[w[1]] } END { print (k > 80) }' %t.json %t.all; done
# run: awk '/^slots/ && !/all/ { n += $2 } /^scoreboard/ { b += $2; zero += !$2 } { s[$1] = $2 } END { print n == s["slots.all"], (b && b == s["slots.scoreboard"]), zero + 0 }' %t.all

	.text
	.kernel	none
none:
	ret

	.kernel	all
all:
	vid.v	v1
	lw	a1, 0(a0)
	vsll.vi	v2, v1, 2
	vadd.vx	v3, v2, a1
	vlw12.v	v4, 0(v3)		# one line
	vsll.vi	v5, v1, 7
	vadd.vx	v6, v5, a1
	vlw12.v	v7, 64(v6)		# four
	lw	t0, 4(a0)
	csrr	t1, CSR_LDS
	add	t0, t0, t1
	vadd.vx	v8, v2, t0
	vsw12.v	v1, 0(v8)
	vlw12.v	v9, 0(v8)
	vsb12.v	v1, 0(v8)
	vsw.v	v1, 0(v2)
	vlw.v	v9, 0(v2)
	amoadd.w v10, v1, (v3)		# one
	sw	t0, 0(a1)
	vmul.vv	v11, v1, v1
	barrier	x0, x0, 0
	li	t2, 3
1:	addi	t2, t2, -1
	bnez	t2, 1b
	j	2f
	nop
2:	vmv.v.i	v12, 1
	lla	t3, 4f
	setrpc	zero, t3, 0
	vblt	v1, v12, 3f		# lane 0 alone
	vadd.vi	v13, v1, 1
	j	4f
3:	vadd.vi	v13, v1, 2
4:	join	zero, zero, 0
	lla	t3, 5f
	setrpc	zero, t3, 0
	vbeq	v1, v1, 5f
	nop
5:	join	zero, zero, 0
	vadd.vi	v40, v1, 1
	ret

# out:
# insns 282
# prefixes 6
# lane_insns 636
# vector_insns 126
# vector_slots 504
# branches_taken 12
# branches_not 6
# jumps 12
# splits 6
# uniform 6
# joins 24
# joins_popped 12
# stack_depth 2
# barriers 2
# barrier_waits 6
# coalesced_accesses 18
# coalesced_lines 36
# scalar_loads 12
# scalar_stores 6
# lane_use 0.9524
# lines_per_access 2.0000
# memory.load.local.warp 6
# memory.load.local.lane 24
# memory.load.local.bytes 96
# memory.load.private.warp 6
# memory.load.private.lane 24
# memory.load.private.bytes 96
# memory.load.global.warp 24
# memory.load.global.lane 60
# memory.load.global.bytes 240
# memory.store.local.warp 12
# memory.store.local.lane 48
# memory.store.local.bytes 120
# memory.store.private.warp 6
# memory.store.private.lane 24
# memory.store.private.bytes 96
# memory.store.global.warp 6
# memory.store.global.lane 6
# memory.store.global.bytes 24
# memory.atomic.global.warp 6
# memory.atomic.global.lane 24
# memory.atomic.global.bytes 96
# unit.SALU.warp 84
# unit.SALU.lane 84
# unit.VALU.warp 60
# unit.VALU.lane 216
# unit.MUL.warp 6
# unit.MUL.lane 24
# unit.LSU.warp 66
# unit.LSU.lane 210
# unit.CSR.warp 6
# unit.CSR.lane 6
# unit.SIMT.warp 48
# unit.SIMT.lane 84
# unit.WARP.warp 6
# unit.WARP.lane 6
# insn.addi 36
# insn.lw 12
# insn.join 24
# insn.bne 18
# insn.vadd.vx 18
# insn.vadd.vi 18
# insn.vlw12.v 18
# insn.auipc 12
# insn.jal 12
# insn.csrrs 6
# insn.vsll.vi 12
# insn.setrpc 12
# insn.sw 6
# insn.add 6
# insn.amoadd.w 6
# launch.warps 3
# launch.sgprs 32
# launch.vgprs 44
# launch.lds 3136
# launch.private 8192
# occupancy.groups 16
# occupancy.warps 48
# occupancy.limit slots
# 1
# 1 1 16 0
# 0
# 6
# engine interp isa v202+ai machine documents threads 8 warps 5 sms 3 vm spike strict 1 mmu 1 all-lanes 1 any-barrier 1 max-insns 70000 timeout 9.5
# 1
# 1
# 1 1 0
# end
