# Loops in loops, all of them left by a part of the lanes: the pairs (a, b) with
# a*b <= i, counted by two nested loops, and the greatest common divisor of i and 60.
# An inner loop may end at the join of the outer one, or have its own.
#
#     out[i]      = number of pairs = i/1 + i/2 + .. + i/i, each rounded down
#     out[32 + i] = gcd(i, 60)
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k loops -g 32 -l 32 -a 'buf:i32:64>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel loops
loops:
	lw      a1, 0(a0)
	local_id v1
	vmv.v.i v0, 0
	vmv.v.i v3, 1                   # a
	vmv.v.i v4, 0                   # pairs
.La:
	branch  ltu, v1, v3, .Laend, .Laend
	vmv.v.v v5, v3                  # a*b
.Lb:
	branch  ltu, v1, v5, .Lbend, .Lbend
	vadd.vi v4, v4, 1
	vadd.vv v5, v5, v3
	j       .Lb
.Lbend:
	join    zero, zero, 0
	vadd.vi v3, v3, 1
	j       .La
.Laend:
	join    zero, zero, 0
	word_at v6, a1, v1
	vsw12.v v4, 0(v6)

	li      t2, 60
	vmv.v.x v3, t2
	vmv.v.v v4, v1
.Lgcd:
	branch  eq, v4, v0, .Lgcdend, .Lgcdend
	vremu.vv v5, v3, v4
	vmv.v.v v3, v4
	vmv.v.v v4, v5
	j       .Lgcd
.Lgcdend:
	join    zero, zero, 0
	vsw12.v v3, 128(v6)
	ret

# out:
# arg0[0..15]: 0 1 3 5 8 10 14 16 20 23 27 29 35 37 41 45
# arg0[16..31]: 50 52 58 60 66 70 74 76 84 87 91 95 101 103 111 113
# arg0[32..47]: 60 1 2 3 4 5 6 1 4 3 10 1 12 1 2 15
# arg0[48..63]: 4 1 6 1 20 3 2 1 12 5 2 3 4 1 30 1
# end
