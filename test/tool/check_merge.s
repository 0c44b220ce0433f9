# A merge gives what nobody wrote where its mask is such a value, or where the mask chooses it; not where
# the mask chooses the other one.  So do instructions under a mask: they write the lanes that it names.
# run: for k in by_nothing chosen other taken kept cleaned left; do echo $k; %b/ventus run --check=init -k $k -g 4 -l 4 -a buf:i32:4=none -a buf:i32:64 %s 2>&1 | sed -n '/error/p; /Sanitizer/p; s/^  loaded *.*:\([0-9]*\):.*/loaded in line \1/p'; done

	.macro	addresses
	lw t0, 0(a0)
	lw t1, 4(a0)
	vid.v v1
	vsll.vi v1, v1, 2
	vadd.vx v2, v1, t0
	vlw12.v v3, 0(v2)	# nobody wrote it
	vadd.vx v5, v1, t1
	.endm
	.macro	use
	vand.vi v4, v4, 12
	vadd.vx v4, v4, t1
	vsw12.v v1, 0(v4)
	endprg
	.endm

	.kernel by_nothing
by_nothing:
	addresses
	vmsgt.vi v0, v3, 3
	vmerge.vim v4, v1, 8, v0
	use

	.kernel chosen
chosen:
	addresses
	vmsgt.vi v0, v1, 3	# not in lane 0
	vmerge.vim v4, v3, 8, v0
	use

	.kernel other
other:
	addresses
	vmsgt.vi v0, v1, -1
	vmerge.vim v4, v3, 8, v0
	use

	.kernel taken
taken:
	addresses
	vmv.v.i v4, 8
	vmsgt.vi v0, v1, 3	# not in lane 0
	vadd.vi v4, v3, 0, v0.t
	use

	.kernel kept
kept:
	addresses
	vmv.v.i v4, 8
	vmsgt.vi v0, v1, 15	# in no lane
	vadd.vi v4, v3, 0, v0.t
	use

	.kernel cleaned
cleaned:
	addresses
	vmv.v.v v4, v3
	vmsgt.vi v0, v1, -1	# in each
	vadd.vi v4, v1, 0, v0.t
	use

	.kernel left
left:
	addresses
	vmv.v.v v4, v3
	vmsgt.vi v0, v1, 3	# not in lane 0
	vadd.vi v4, v1, 0, v0.t
	use

# out:
# by_nothing
# test/tool/check_merge.s:26:2: error: init: access at an address that nobody wrote
# loaded in line 23
# chosen
# test/tool/check_merge.s:33:2: error: init: access at an address that nobody wrote
# loaded in line 30
# other
# taken
# test/tool/check_merge.s:48:2: error: init: access at an address that nobody wrote
# loaded in line 44
# kept
# cleaned
# left
# test/tool/check_merge.s:72:2: error: init: access at an address that nobody wrote
# loaded in line 68
# end
