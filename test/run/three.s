# Three dimensions with an offset.  A warp holds work-items in linear order, x fastest:
# x = L mod lx, y = L/lx mod ly, z = L/(lx ly).  Each item writes its global id, as
# x + 100y + 10000z with the offsets 10, 20 and 30 in them, at its global linear id,
# which counts without offsets: so out[0] = 302010, x is up first, and out[47] = 322313.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k three -g 4,4,3 -l 2,4,1 -G 10,20,30 -a 'buf:i32:48>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel three
three:
	lw      a1, 0(a0)
	csrr    a2, CSR_KNL
	local_id v1
	lw      t4, KNL_LOCAL_X(a2)
	lw      t5, KNL_LOCAL_Y(a2)
	vremu.vx v3, v1, t4             # local x
	vdivu.vx v4, v1, t4
	vdivu.vx v5, v4, t5             # local z
	vremu.vx v4, v4, t5             # local y
	lw      t6, KNL_LOCAL_Y+4(a2)
	csrr    t2, CSR_GIDX
	mul     t2, t2, t4
	vadd.vx v3, v3, t2
	csrr    t2, CSR_GIDY
	mul     t2, t2, t5
	vadd.vx v4, v4, t2
	csrr    t2, CSR_GIDZ
	mul     t2, t2, t6
	vadd.vx v5, v5, t2              # x, y, z without offsets

	lw      t4, KNL_GLOBAL_X(a2)
	lw      t5, KNL_GLOBAL_Y(a2)
	vmul.vx v6, v5, t5
	vadd.vv v6, v6, v4
	vmul.vx v6, v6, t4
	vadd.vv v6, v6, v3              # global linear id

	lw      t2, KNL_OFFSET_X(a2)
	vadd.vx v3, v3, t2
	lw      t2, KNL_OFFSET_Y(a2)
	vadd.vx v4, v4, t2
	lw      t2, KNL_OFFSET_Z(a2)
	vadd.vx v5, v5, t2
	li      t2, 100
	vmul.vx v4, v4, t2
	li      t2, 10000
	vmul.vx v5, v5, t2
	vadd.vv v3, v3, v4
	vadd.vv v3, v3, v5
	word_at v6, a1, v6
	vsw12.v v3, 0(v6)
	ret

# out:
# arg0[0..15]: 302010 302011 302012 302013 302110 302111 302112 302113 302210 302211 302212 302213 302310 302311 302312 302313
# arg0[16..31]: 312010 312011 312012 312013 312110 312111 312112 312113 312210 312211 312212 312213 312310 312311 312312 312313
# arg0[32..47]: 322010 322011 322012 322013 322110 322111 322112 322113 322210 322211 322212 322213 322310 322311 322312 322313
# end
