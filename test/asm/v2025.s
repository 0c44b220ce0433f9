# Words of 64 bits are aligned; prefixes have keys; an instruction of the wrong profile is
# refused, with the profile that has it.
# run: %b/ventus as --isa v2025 %s -o %t.o && %b/ventus objdump -d %t.o | tail -n +4
# run: %b/ventus as --isa v202 %s -o %t.o 2>&1 | head -n 3

	vadd64.vv v200, v100, v50, abs=1, neg=2, omod=2, opsel=4
	nop
	mma64.m16n8k32.row.col.s32.s8.s8.s32.nosat v40, v8, v12, v44
	mma.m16n16k16.col.col.f32.bf16.bf16.f32 v9, v5, v13
	prefix x2=1, xd=2, pair=1, neg=1, abs=2
	prefixi immhi=12, xd=1
	pre_m_global_128 pair=1, ch=3
	vlw_private.v v1, -4(v2)
	vlw12d.v v6, 4(v2)
	cp_dma a0, a1, a2, sz=2
	cp_dma_mbarrier
	ld a0, 8(a2)
	slliw a2, a4, 40
	vwadd.wv v4, v2, v6
	amoadd.w.aqrl v4, v5, (v6)
	lr.d v4, (v6)

# out:
# Disassembly of section .text:
# 00000000: 00c865400c828054  vadd64.vv v200, v100, v50, abs=1, neg=2, omod=2, opsel=4
# 00000008: 00000013          nop
# 0000000c: 00000013          nop
# 00000010: 92181042c284005c  mma64.m16n8k32.row.col.s32.s8.s8.s32.nosat v40, v8, v12, v44
# 00000018: 26d2d48a          mma.m16n16k16.col.col.f32.bf16.bf16.f32 v9, v5, v13
# 0000001c: 042a2002          prefix x2=1, xd=2, pair=1, abs=2, neg=1
# 00000020: 30100012          prefixi immhi=12, xd=1
# 00000024: 0008063e          pre_m_global_128 pair=1, ch=3
# 00000028: ffc120fe          vlw_private.v v1, -4(v2)
# 0000002c: 0041232b          vlw12d.v v6, 4(v2)
# 00000030: 04c58541          cp_dma a0, a1, a2, sz=2
# 00000034: 00004041          cp_dma_mbarrier
# 00000038: 00863503          ld a0, 8(a2)
# 0000003c: 0287161b          slliw a2, a4, 40
# 00000040: d6232257          vwadd.wv v4, v2, v6
# 00000044: 0653222f          amoadd.w.aqrl v4, v5, (v6)
# 00000048: 1003322f          lr.d v4, (v6)
# test/asm/v2025.s:6:2: error: vadd64.vv is an instruction of v2025; this is v202
#     	vadd64.vv v200, v100, v50, abs=1, neg=2, omod=2, opsel=4
#     	^
# end
