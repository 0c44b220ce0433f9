# What a trace says of each kind of write: vectors, vtype, floats, CSRs and their dirty bits, memory of each width,
# private memory, prefixes; then the turns of two warps around barriers, and the divergence stack.  Lines like these were
# compared with the public simulator's (doc/testing.md); of the start code only the first and last words are shown.
# run: %b/ventus run %s -k writes --threads 4 -g 4 -l 4 -a buf:i32:8=5 --trace=- | awk '$4 > "0x8000001c" || $4 < "0x8000000d"' | cut -c24-
# run: %b/ventus run %s -k turns --threads 4 -g 8 -l 8 --trace=- | awk 'on; $4 ~ /0x8000001c/ { on = 1 }; /000300e7/ && $2 ~ /1/ { on = 1 }'

	.text
	.kernel writes
writes:
	vsetvli t0, zero, e32, m1, ta, ma
	vsetvli t0, zero, e32, m1, tu, mu
	csrrs   t1, mstatus, zero
	vid.v   v1
	lw      a1, 0(a0)
	vmv.v.x v2, a1
	vsll.vi v3, v1, 2
	vadd.vv v2, v2, v3
	vlw12.v v4, 0(v2)
	vsw12.v v1, 0(v2)
	vsb12.v v1, 0(v2)
	vsh12.v v1, 0(v2)
	vsw.v   v4, 0(v3)
	vlw.v   v5, 0(v3)
	flw     t2, 0(a1)
	fmv.w.x t4, a1
	vfmv.f.s t4, v1
	vmv.x.s t3, v1
	li      t4, 0x3fc00000
	vmv.v.x v6, t4
	vfadd.vv v7, v6, v4
	vfsqrt.v v7, v4
	csrrs   t5, fflags, zero
	csrrw   t5, fflags, zero
	li      t6, 0x2200
	csrrw   zero, mstatus, t6
	csrrc   zero, mstatus, t6
	csrrsi  zero, frm, 1
	regext  zero, zero, 9
	vadd.vi v1, v2, 3
	csrrw   zero, mtvec, a1
	setrpc  zero, t4, 4
	ret

	.kernel turns
turns:
	csrr    t1, 0x805               # the warp's number in its group
	vid.v   v1
	vmv.v.x v2, t1
	bnez    t1, 1f
	nop
	nop
1:	barrier x0, x0, 0
	barrier x0, x0, 0
	beqz    t1, 2f
	nop
2:	barrier x0, x0, 0
	lla     t2, 4f
	setrpc  zero, t2, 0
	vbeq    v1, v2, 3f
	vadd.vi v3, v1, 1
	j       4f
3:	vadd.vi v3, v1, 2
4:	join    zero, zero, 0
	ret
# out:
# (0x00000297) x5  0x00001000
# (0x02028593) x11 0x00001020
# (0xf1402573) x10 0x00000000
# (0x0182a283) x5  0x80000000 mem 0x00001018
# (0x00028067)
# (0x000023b7) x7  0x00002000
# (0x3003a073) c768_mstatus 0x80006200
# (0x803022f3) x5  0x90103000
# (0x0002a303) x6  0x80000034 mem 0x90103000
# (0x0d0072d7) x5  0x00000004 c8_vstart 0x00000000 c3104_vl 0x00000004
# (0x010072d7) x5  0x00000004 c8_vstart 0x00000000 c3104_vl 0x00000004 c3105_vtype 0x00000010
# (0x30002373) x6  0x00001800
# (0x5208a0d7) c8_vstart 0x00000000 e32 m1 l4 v1  0000000f 0x00000003 00000002 00000001 00000000 
# (0x00052583) x11 0x90000000 mem 0x90102000
# (0x5e05c157) c8_vstart 0x00000000 e32 m1 l4 v2  0000000f 0x90000000 90000000 90000000 90000000 
# (0x961131d7) c8_vstart 0x00000000 e32 m1 l4 v3  0000000f 0x0000000c 00000008 00000004 00000000 
# (0x02218157) c8_vstart 0x00000000 e32 m1 l4 v2  0000000f 0x9000000c 90000008 90000004 90000000 
# (0x0001227b) e32 m1 l4 v4  0000000f 0x00000005 00000005 00000005 00000005  c8_vstart 0x00000000 mem 0x90000000 mem 0x90000004 mem 0x90000008 mem 0x9000000c
# (0x0011607b) c8_vstart 0x00000000 e32 m1 l4 mem 0x90000000 0x00000000 mem 0x90000004 0x00000001 mem 0x90000008 0x00000002 mem 0x9000000c 0x00000003
# (0x0011707b) c8_vstart 0x00000000 e32 m1 l4 mem 0x90000000 0x0 mem 0x90000004 0x1 mem 0x90000008 0x2 mem 0x9000000c 0x3
# (0x0011307b) c8_vstart 0x00000000 e32 m1 l4 mem 0x90000000 0x0000 mem 0x90000004 0x0001 mem 0x90000008 0x0002 mem 0x9000000c 0x0003
# (0x8041a02b) c8_vstart 0x00000000 mem 0x90104000 0x00000005 mem 0x90104014 0x00000005 mem 0x90104028 0x00000005 mem 0x9010403c 0x00000005
# (0x0001a2ab) e32 m1 l4 v5  0000000f 0x00000005 00000005 00000005 00000005  c8_vstart 0x00000000 mem 0x90104000 mem 0x90104014 mem 0x90104028 mem 0x9010403c
# (0x0005a387) f7  0xffffffff00000000 mem 0x90000000 mem 0x90000000
# (0xf0058ed3) f29 0xffffffff90000000
# (0x42101ed7) c8_vstart 0x00000000 f29 0xffffffff00000003 e32 m1 l4
# (0x42102e57) c8_vstart 0x00000000 x28 0x00000003 e32 m1 l4
# (0x3fc00eb7) x29 0x3fc00000
# (0x5e0ec357) c8_vstart 0x00000000 e32 m1 l4 v6  0000000f 0x3fc00000 3fc00000 3fc00000 3fc00000 
# (0x026213d7) c8_vstart 0x00000000 c1_fflags 0x00000001 e32 m1 l4 v7  0000000f 0x3fc00000 3fc00000 3fc00000 3fc00000 
# (0x4e4013d7) c8_vstart 0x00000000 c1_fflags 0x00000001 e32 m1 l4 v7  0000000f 0x1aca62c2 1aca62c2 1aca62c2 1aca62c2 
# (0x00102f73) x30 0x00000001
# (0x00101f73) x30 0x00000001 c1_fflags 0x00000000
# (0x00002fb7) x31 0x00002000
# (0x200f8f93) x31 0x00002200
# (0x300f9073) c768_mstatus 0x80006200
# (0x300fb073) c768_mstatus 0x80006000
# (0x0020e073) c2_frm 0x00000001
# (0x0090200b)
# (0x0221b0d7) c8_vstart 0x00000000 e32 m1 l4 v33 0000000f 0x9000000f 9000000b 90000007 90000003 
# (0x30559073) c773_mtvec 0x90000000
# (0x004eb05b) c2060_rpc 0x3fc00004 current mask:	0000000f current npc:	00000000 stack size: 0
# (0x00008067)
# core   0: 3 0x800000bc (0x80502373) x6  0x00000000
# core   1: 3 0x800000bc (0x80502373) x6  0x00000001
# core   0: 3 0x800000c0 (0x5208a0d7) c8_vstart 0x00000000 e32 m1 l4 v1  0000000f 0x00000003 00000002 00000001 00000000 
# core   1: 3 0x800000c0 (0x5208a0d7) c8_vstart 0x00000000 e32 m1 l4 v1  0000000f 0x00000003 00000002 00000001 00000000 
# core   0: 3 0x800000c4 (0x5e034157) c8_vstart 0x00000000 e32 m1 l4 v2  0000000f 0x00000000 00000000 00000000 00000000 
# core   1: 3 0x800000c4 (0x5e034157) c8_vstart 0x00000000 e32 m1 l4 v2  0000000f 0x00000001 00000001 00000001 00000001 
# core   0: 3 0x800000c8 (0x00031663)
# core   1: 3 0x800000c8 (0x00031663)
# core   0: 3 0x800000cc (0x00000013)
# core   1: 3 0x800000d4 (0x0400400b)
# core   0: 3 0x800000d0 (0x00000013)
# core   1: 3 0x800000d4 (0x0400400b)
# core   0: 3 0x800000d4 (0x0400400b)
# core   1: 3 0x800000d4 (0x0400400b)
# core   0: 3 0x800000d8 (0x0400400b)
# core   1: 3 0x800000d8 (0x0400400b)
# core   0: 3 0x800000d8 (0x0400400b)
# core   1: 3 0x800000dc (0x00030463)
# core   0: 3 0x800000dc (0x00030463)
# core   1: 3 0x800000e0 (0x00000013)
# core   0: 3 0x800000e4 (0x0400400b)
# core   1: 3 0x800000e4 (0x0400400b)
# core   0: 3 0x800000e4 (0x0400400b)
# core   1: 3 0x800000e8 (0x00000397) x7  0x800000e8
# core   0: 3 0x800000e8 (0x00000397) x7  0x800000e8
# core   1: 3 0x800000ec (0x01c38393) x7  0x80000104
# core   0: 3 0x800000ec (0x01c38393) x7  0x80000104
# core   1: 3 0x800000f0 (0x0003b05b) c2060_rpc 0x80000104 current mask:	0000000f current npc:	00000000 stack size: 0
# core   0: 3 0x800000f0 (0x0003b05b) c2060_rpc 0x80000104 current mask:	0000000f current npc:	00000000 stack size: 0
# core   1: 3 0x800000f4 (0x0011065b) c8_vstart 0x00000000 e32 m1 l4 current mask:	00000002 current npc:	80000100 stack size: 2
# [r_pc] 80000104 [else_pc] 800000f8 [else_mask] 0000000d 
# [r_pc] 80000104 [else_pc] 80000104 [else_mask] 0000000f 
# core   0: 3 0x800000f4 (0x0011065b) c8_vstart 0x00000000 e32 m1 l4 current mask:	00000001 current npc:	80000100 stack size: 2
# [r_pc] 80000104 [else_pc] 800000f8 [else_mask] 0000000e 
# [r_pc] 80000104 [else_pc] 80000104 [else_mask] 0000000f 
# core   1: 3 0x80000100 (0x021131d7) c8_vstart 0x00000000 e32 m1 l4 v3  00000002 0x00000000 00000000 00000003 00000000 
# core   0: 3 0x80000100 (0x021131d7) c8_vstart 0x00000000 e32 m1 l4 v3  00000001 0x00000000 00000000 00000000 00000002 
# core   1: 3 0x80000104 (0x0000205b) current mask:	0000000d current npc:	800000f8 stack size: 1
# [r_pc] 80000104 [else_pc] 80000104 [else_mask] 0000000f 
# core   0: 3 0x80000104 (0x0000205b) current mask:	0000000e current npc:	800000f8 stack size: 1
# [r_pc] 80000104 [else_pc] 80000104 [else_mask] 0000000f 
# core   1: 3 0x800000f8 (0x0210b1d7) c8_vstart 0x00000000 e32 m1 l4 v3  0000000d 0x00000004 00000003 00000003 00000001 
# core   0: 3 0x800000f8 (0x0210b1d7) c8_vstart 0x00000000 e32 m1 l4 v3  0000000e 0x00000004 00000003 00000002 00000002 
# core   1: 3 0x800000fc (0x0080006f)
# core   0: 3 0x800000fc (0x0080006f)
# core   1: 3 0x80000104 (0x0000205b) current mask:	0000000f current npc:	80000104 stack size: 0
# core   0: 3 0x80000104 (0x0000205b) current mask:	0000000f current npc:	80000104 stack size: 0
# core   1: 3 0x80000104 (0x0000205b) current mask:	0000000f current npc:	80000104 stack size: 0
# core   0: 3 0x80000104 (0x0000205b) current mask:	0000000f current npc:	80000104 stack size: 0
# core   1: 3 0x80000108 (0x00008067)
# core   0: 3 0x80000108 (0x00008067)
# core   1: 3 0x8000001c (0x0000400b)
# core   0: 3 0x8000001c (0x0000400b)
# end
