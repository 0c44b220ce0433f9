	li x8,0x90001000
	lw x9,4(x8)
	lw x10,0(x8)
	li x7,0x90009000
	vid.v v1
	vmv.v.x v5,x9
	vsrl.vv v5,v5,v1
	vand.vi v5,v5,1
	vmv.v.i v6,0
	vmv.v.i v7,-8
	li x28,3
.Lt:
.Lp4:
	auipc x30,%pcrel_hi(.Lm0)
	setrpc x0,x30,%pcrel_lo(.Lp4)
	vbeq v5,v6,.Lm0
	vsll.vi v7,v1,2
	vadd.vx v7,v7,x10
	vlw12.v v9,0(v7)
.Lm0:
	join x0,x0,0
.Lp5:
	auipc x30,%pcrel_hi(.Lm1)
	setrpc x0,x30,%pcrel_lo(.Lp5)
	vbeq v5,v6,.Lm1
	vlbu12.v v8,3(v7)
	vadd.vx v8,v8,x28
	vsb12.v v8,3(v7)
.Lm1:
	join x0,x0,0
	addi x28,x28,-1
	bgtz x28,.Lt
	vsll.vi v2,v1,2
	vadd.vx v2,v2,x7
	vsw12.v v7,0(v2)
	vsw12.v v8,128(v2)
	vsw12.v v9,256(v2)
	endprg x0,x0,x0
