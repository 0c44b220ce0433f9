# A group of 16 by 4 work-items at a picture of 24 words a row: 16 lanes lie in a row each, whose next is somewhere else, and
# 32 do not.  All addresses are those of one row and a scalar, or an immediate.
#
#     out[96 + at] = in[at] + in[at + 1] + in[at + 24] + in[at] + in[y]     with at = 24 y + x; the last but one by offsets below 0
#     out[at]      = the same, and 1000 more but in the first column
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k tiles -g 64 -l 64 -a buf:i32:192=iota -a 'buf:i32:192>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel tiles
tiles:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	local_id v1
	vand.vi v2, v1, 15              # x
	vsrl.vi v3, v1, 4               # y
	li      t3, 24
	vmul.vx v4, v3, t3
	vadd.vv v4, v4, v2              # at
	vsll.vi v5, v4, 2
	vadd.vx v6, v5, a1
	vlw12.v v7, 0(v6)
	vlw12.v v8, 4(v6)
	vadd.vv v7, v7, v8
	addi    t3, a1, 96
	vloxei32.v v8, (t3), v5
	vadd.vv v7, v7, v8
	lui     t4, 1
	vsub.vx v9, v5, t4
	add     t3, a1, t4
	vloxei32.v v8, (t3), v9
	vadd.vv v7, v7, v8
	vsll.vi v8, v3, 2
	vloxei32.v v8, (a1), v8
	vadd.vv v7, v7, v8
	addi    t3, a2, 384
	vsoxei32.v v7, (t3), v5
	vmv.v.i v0, 0
	li      t5, 1000
1:	auipc   t1, %pcrel_hi(.Lmeet)
	setrpc  zero, t1, %pcrel_lo(1b)
	vbeq    v2, v0, .Lmeet          # lanes of the first column leave out what follows
	vadd.vx v7, v7, t5
.Lmeet:
	join    zero, zero, 0
	vadd.vx v6, v5, a2
	vsw12.v v7, 0(v6)
	ret

# out:
# arg1[0..15]: 25 1029 1033 1037 1041 1045 1049 1053 1057 1061 1065 1069 1073 1077 1081 1085
# arg1[16..31]: 0 0 0 0 0 0 0 0 122 1126 1130 1134 1138 1142 1146 1150
# arg1[32..47]: 1154 1158 1162 1166 1170 1174 1178 1182 0 0 0 0 0 0 0 0
# arg1[48..63]: 219 1223 1227 1231 1235 1239 1243 1247 1251 1255 1259 1263 1267 1271 1275 1279
# arg1[64..79]: 0 0 0 0 0 0 0 0 316 1320 1324 1328 1332 1336 1340 1344
# arg1[80..95]: 1348 1352 1356 1360 1364 1368 1372 1376 0 0 0 0 0 0 0 0
# arg1[96..111]: 25 29 33 37 41 45 49 53 57 61 65 69 73 77 81 85
# arg1[112..127]: 0 0 0 0 0 0 0 0 122 126 130 134 138 142 146 150
# arg1[128..143]: 154 158 162 166 170 174 178 182 0 0 0 0 0 0 0 0
# arg1[144..159]: 219 223 227 231 235 239 243 247 251 255 259 263 267 271 275 279
# arg1[160..175]: 0 0 0 0 0 0 0 0 316 320 324 328 332 336 340 344
# arg1[176..191]: 348 352 356 360 364 368 372 376 0 0 0 0 0 0 0 0
# end
