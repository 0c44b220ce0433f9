# `objdump --resolve-prefixes` prints registers and immediates as they were written; scalar registers
# that have no name, and what no prefix is for, as they are coded.
# run: %b/ventus as -o %t.o %s && %b/ventus objdump -d --resolve-prefixes %t.o | sed -n 's/^0.......: ........      //p' | grep -v '^regext'

	vadd.vv	v40, v41, v72
	vadd.vx	v33, v2, x41
	vadd.vx	v255, v2, x63
	add	x32, x40, x63
	add	x1, x33, x2
	vadd.vi	v40, v41, -3
	vand.vi	v33, v0, 399
	vand.vi	v33, v100, -300
	vlw12.v	v35, 4(v36)
	vsll.vi	v33, v2, 7
	regext	x0, x0, 16	# 64 more for the first source: x65 has no name
	add	x3, x1, x2
	add	x3, x1, x2

# out:
# vadd.vv v40, v41, v72
# vadd.vx v33, v2, t17
# vadd.vx v255, v2, t39
# add t7, t16, t39
# add ra, t8, sp
# vadd.vi v40, v41, -3
# vand.vi v33, v0, 399
# vand.vi v33, v100, -300
# vlw12.v v35, 4(v36)
# vsll.vi v33, v2, 7
# add gp, ra, sp
# add gp, ra, sp
# end
