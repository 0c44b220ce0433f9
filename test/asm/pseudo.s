# Every mnemonic that stands for others.
# run: %b/ventus as %s -o %t.o 2>%t.err && %b/ventus objdump -d %t.o | tail -n +4

	li   a0, 5; li a0, -2048; li a0, 2048; li a0, 4096; li a0, 0x12345678; li a0, -1
	li   a0, 0x80000000; li a0, 0xffffffff; li a0, 0x7ffff800; li x40, 0x12345
	la   a0, here; lla a1, out; la x33, out
	lb   a0, here; lh a0, here; lw a0, here; lbu a0, here; lhu a0, out+4
	sb   a0, here, t0; sh a0, here, t0; sw a0, out+4, t0
	call here; call out; call t0, out; tail out; jump out, t1
	sext.b a0, a1; sext.h a0, a1; zext.h a0, a1; zext.b a0, a1
here:
	mv   a0, a1; not a0, a1; neg a0, a1; seqz a0, a1; snez a0, a1; sltz a0, a1; sgtz a0, a1
	sgt  a0, a1, a2; sgtu a0, a1, a2; add a0, a1, 1; and a0, a1, 1; sll a0, a1, 1
	bgt  a0, a1, here; ble a0, a1, here; bgtu a0, a1, here; bleu a0, a1, here
	j here; jal here; jr a0; jr 4(a0); jalr a0; jalr a0, a1; jalr a0, 4(a1); jalr a0, a1, 4; ret
	csrr a0, CSR_WID; csrr a0, wid; csrw frm, a0; csrw frm, 3; csrs mstatus, a0; frcsr a0
	fabs.s a0, a1; fneg.s a0, a1; fmv.s a0, a1; fgt.s a0, a1, a2; fmv.x.s a0, a1
	unimp; scall; sbreak; fence; nop
	vnot.v v1, v2; vneg.v v1, v2; vfneg.v v1, v2; vfabs.v v1, v2; vncvt.x.x.w v1, v2
	vmslt.vi v1, v2, 5; vmsltu.vi v1, v2, 5; vmsge.vi v1, v2, 5; vmsgeu.vi v1, v2, 32
	vmsltu.vi v1, v2, 0; vmsgeu.vi v1, v2, 0
	vmsgt.vv v1, v2, v3; vmsgeu.vv v1, v2, v3; vmfge.vv v1, v2, v3
	vmsge.vx v1, v2, a0; vmsgeu.vx v1, v2, a0; vmsge.vx v1, v2, a0, v0.t
	vmsge.vx v0, v2, a0, v0.t, v4; vmsge.vx v1, v2, a0, v0.t, v4
	vmmv.m v1, v2; vmclr.m v1; vmset.m v1; vmnot.m v1, v2; vmandnot.mm v1, v2, v3
	vfexp.v v1, v2; join; join v0, v0, 0; endprg; barrier; barrier 3; regext 9; vid.v v1

# out:
# 00000000: 00500513      li a0, 5
# 00000004: 80000513      li a0, -2048
# 00000008: 00001537      lui a0, 1
# 0000000c: 80050513      addi a0, a0, -2048
# 00000010: 00001537      lui a0, 1
# 00000014: 12345537      lui a0, 74565
# 00000018: 67850513      addi a0, a0, 1656
# 0000001c: fff00513      li a0, -1
# 00000020: 80000537      lui a0, 524288
# 00000024: fff00513      li a0, -1
# 00000028: 80000537      lui a0, 524288
# 0000002c: 80050513      addi a0, a0, -2048
# 00000030: 0010200b      regext zero, zero, 1
# 00000034: 00012437      lui s0, 18
# 00000038: 0090200b      regext zero, zero, 9
# 0000003c: 34540413      addi s0, s0, 837
# 00000040: 00000517      auipc a0, 0
# 00000044: 0a450513      addi a0, a0, 164
#
# 00000048 <.Lpcrel_hi4>:
# 00000048: 00000597      auipc a1, 0
# 		00000048:  R_RISCV_PCREL_HI20	out
# 0000004c: 00058593      mv a1, a1
# 		0000004c:  R_RISCV_PCREL_LO12_I	.Lpcrel_hi4
# 00000050: 0010200b      regext zero, zero, 1
#
# 00000054 <.Lpcrel_hi5>:
# 00000054: 00000097      auipc ra, 0
# 		00000054:  R_RISCV_PCREL_HI20	out
# 00000058: 0090200b      regext zero, zero, 9
# 0000005c: 00008093      mv ra, ra
# 		0000005c:  R_RISCV_PCREL_LO12_I	.Lpcrel_hi5
# 00000060: 00000517      auipc a0, 0
# 00000064: 08450503      lb a0, 132(a0)
# 00000068: 00000517      auipc a0, 0
# 0000006c: 07c51503      lh a0, 124(a0)
# 00000070: 00000517      auipc a0, 0
# 00000074: 07452503      lw a0, 116(a0)
# 00000078: 00000517      auipc a0, 0
# 0000007c: 06c54503      lbu a0, 108(a0)
#
# 00000080 <.Lpcrel_hi10>:
# 00000080: 00000517      auipc a0, 0
# 		00000080:  R_RISCV_PCREL_HI20	out+4
# 00000084: 00055503      lhu a0, 0(a0)
# 		00000084:  R_RISCV_PCREL_LO12_I	.Lpcrel_hi10
# 00000088: 00000297      auipc t0, 0
# 0000008c: 04a28e23      sb a0, 92(t0)
# 00000090: 00000297      auipc t0, 0
# 00000094: 04a29a23      sh a0, 84(t0)
#
# 00000098 <.Lpcrel_hi13>:
# 00000098: 00000297      auipc t0, 0
# 		00000098:  R_RISCV_PCREL_HI20	out+4
# 0000009c: 00a2a023      sw a0, 0(t0)
# 		0000009c:  R_RISCV_PCREL_LO12_S	.Lpcrel_hi13
# 000000a0: 00000097      auipc ra, 0
# 000000a4: 044080e7      jalr 68(ra)
# 000000a8: 00000097      auipc ra, 0
# 		000000a8:  R_RISCV_CALL_PLT	out
# 000000ac: 000080e7      jalr ra
# 000000b0: 00000297      auipc t0, 0
# 		000000b0:  R_RISCV_CALL_PLT	out
# 000000b4: 000282e7      jalr t0, t0
# 000000b8: 00000317      auipc t1, 0
# 		000000b8:  R_RISCV_CALL_PLT	out
# 000000bc: 00030067      jr t1
# 000000c0: 00000317      auipc t1, 0
# 		000000c0:  R_RISCV_CALL_PLT	out
# 000000c4: 00030067      jr t1
# 000000c8: 01859513      slli a0, a1, 24
# 000000cc: 41855513      srai a0, a0, 24
# 000000d0: 01059513      slli a0, a1, 16
# 000000d4: 41055513      srai a0, a0, 16
# 000000d8: 01059513      slli a0, a1, 16
# 000000dc: 01055513      srli a0, a0, 16
# 000000e0: 0ff5f513      andi a0, a1, 255
#
# 000000e4 <here>:
# 000000e4: 00058513      mv a0, a1
# 000000e8: fff5c513      not a0, a1
# 000000ec: 40b00533      neg a0, a1
# 000000f0: 0015b513      seqz a0, a1
# 000000f4: 00b03533      snez a0, a1
# 000000f8: 0005a533      sltz a0, a1
# 000000fc: 00b02533      sgtz a0, a1
# 00000100: 00b62533      slt a0, a2, a1
# 00000104: 00b63533      sltu a0, a2, a1
# 00000108: 00158513      addi a0, a1, 1
# 0000010c: 0015f513      andi a0, a1, 1
# 00000110: 00159513      slli a0, a1, 1
# 00000114: fca5c8e3      blt a1, a0, 0xe4 <here>
# 00000118: fca5d6e3      bge a1, a0, 0xe4 <here>
# 0000011c: fca5e4e3      bltu a1, a0, 0xe4 <here>
# 00000120: fca5f2e3      bgeu a1, a0, 0xe4 <here>
# 00000124: fc1ff06f      j 0xe4 <here>
# 00000128: fbdff0ef      jal 0xe4 <here>
# 0000012c: 00050067      jr a0
# 00000130: 00450067      jr 4(a0)
# 00000134: 000500e7      jalr a0
# 00000138: 00058567      jalr a0, a1
# 0000013c: 00458567      jalr a0, 4(a1)
# 00000140: 00458567      jalr a0, 4(a1)
# 00000144: 00008067      ret
# 00000148: 80502573      csrr a0, 2053
# 0000014c: 80502573      csrr a0, 2053
# 00000150: 00251073      fsrm a0
# 00000154: 0021d073      fsrmi 3
# 00000158: 30052073      csrs mstatus, a0
# 0000015c: 00302573      frcsr a0
# 00000160: 20b5a553      fabs.s a0, a1
# 00000164: 20b59553      fneg.s a0, a1
# 00000168: 20b58553      fsgnj.s a0, a1, a1
# 0000016c: a0b61553      flt.s a0, a2, a1
# 00000170: e0058553      fmv.x.w a0, a1
# 00000174: c0001073      unimp
# 00000178: 00000073      ecall
# 0000017c: 00100073      ebreak
# 00000180: 0ff0000f      fence
# 00000184: 00000013      nop
# 00000188: 2e2fb0d7      vnot.v v1, v2
# 0000018c: 0e2040d7      vrsub.vx v1, v2, zero
# 00000190: 262110d7      vfsgnjn.vv v1, v2, v2
# 00000194: 2a2110d7      vfsgnjx.vv v1, v2, v2
# 00000198: b22040d7      vnsrl.wx v1, v2, zero
# 0000019c: 762230d7      vmsle.vi v1, v2, 4
# 000001a0: 722230d7      vmsleu.vi v1, v2, 4
# 000001a4: 7e2230d7      vmsgt.vi v1, v2, 4
# 000001a8: 7a2fb0d7      vmsgtu.vi v1, v2, -1
# 000001ac: 662100d7      vmsne.vv v1, v2, v2
# 000001b0: 622100d7      vmseq.vv v1, v2, v2
# 000001b4: 6e3100d7      vmslt.vv v1, v3, v2
# 000001b8: 723100d7      vmsleu.vv v1, v3, v2
# 000001bc: 663110d7      vmfle.vv v1, v3, v2
# 000001c0: 6e2540d7      vmslt.vx v1, v2, a0
# 000001c4: 2e10b0d7      vxor.vi v1, v1, 1
# 000001c8: 6a2540d7      vmsltu.vx v1, v2, a0
# 000001cc: 2e10b0d7      vxor.vi v1, v1, 1
# 000001d0: 6c2540d7      vmslt.vx v1, v2, a0, v0.t
# 000001d4: 2c10b0d7      vxor.vi v1, v1, 1, v0.t
# 000001d8: 6e254257      vmslt.vx v4, v2, a0
# 000001dc: 62022057      vmandn.mm v0, v0, v4
# 000001e0: 6e254257      vmslt.vx v4, v2, a0
# 000001e4: 62022257      vmandn.mm v4, v0, v4
# 000001e8: 621020d7      vmandn.mm v1, v1, v0
# 000001ec: 6a40a0d7      vmor.mm v1, v4, v1
# 000001f0: 662120d7      vmand.mm v1, v2, v2
# 000001f4: 6e10a0d7      vmxor.mm v1, v1, v1
# 000001f8: 7e10a0d7      vmxnor.mm v1, v1, v1
# 000001fc: 762120d7      vmnand.mm v1, v2, v2
# 00000200: 6221a0d7      vmandn.mm v1, v2, v3
# 00000204: 0a20608b      vfexp v1, v2
# 00000208: 0000205b      join zero, zero, 0
# 0000020c: 0000205b      join zero, zero, 0
# 00000210: 0000400b      endprg x0, x0, x0
# 00000214: 0400c00b      barrier x0, x0, 1
# 00000218: 0401c00b      barrier x0, x0, 3
# 0000021c: 0090200b      regext zero, zero, 9
# 00000220: 5208a0d7      vid.v v1
# end
