/* evaluate.c -- operations on constants: integers by op.def, floats by isa/fp.h, which define
 * what the machine computes. */
#include "cc/fold.h"
#include "isa/fp.h"

#define SIGN 0x80000000u

static bool all_constant(const Ins *i)
{
    for (int k = 0; k < ir_info[i->op].nargs; k++)
        if (i->a[k].kind != R_CON)
            return false;
    return true;
}

static u32 convert_to_int(u32 a, bool is_signed, i32 rounding)
{
    u8 flags = 0;
    return (u32)fp_to_int(fp_f32, a, 32, is_signed, rounding ? FP_RTZ : FP_RNE, &flags);
}

static bool evaluate_float(const Ins *i, u32 a, u32 b, u32 c, u64 *r)
{
    u8 flags = 0;
    switch (i->op) {
    case IR_fadd: *r = fp_add(fp_f32, a, b, FP_RNE, &flags); return true;
    case IR_fsub: *r = fp_sub(fp_f32, a, b, FP_RNE, &flags); return true;
    case IR_fmul: *r = fp_mul(fp_f32, a, b, FP_RNE, &flags); return true;
    case IR_fdiv: *r = fp_div(fp_f32, a, b, FP_RNE, &flags); return true;
    case IR_fsqrt: *r = fp_sqrt(fp_f32, a, FP_RNE, &flags); return true;
    case IR_fma: *r = fp_fma(fp_f32, a, b, c, FP_RNE, &flags); return true;
    case IR_fneg: *r = a ^ SIGN; return true;
    case IR_fabs: *r = a & ~SIGN; return true;
    case IR_fmin: *r = fp_min(fp_f32, a, b, &flags); return true;
    case IR_fmax: *r = fp_max(fp_f32, a, b, &flags); return true;
    case IR_feq: *r = fp_eq(fp_f32, a, b, &flags); return true;
    case IR_flt: *r = fp_lt(fp_f32, a, b, &flags); return true;
    case IR_fle: *r = fp_le(fp_f32, a, b, &flags); return true;
    case IR_ftoi: *r = convert_to_int(a, true, i->imm); return true;
    case IR_ftou: *r = convert_to_int(a, false, i->imm); return true;
    case IR_itof: *r = fp_from_int(fp_f32, (u64)(i64)(i32)a, true, FP_RNE, &flags); return true;
    case IR_utof: *r = fp_from_int(fp_f32, a, false, FP_RNE, &flags); return true;
    default: return false;
    }
}

bool evaluate(const Ins *i, u32 *result)
{
    const u32 a = i->a[0].val, b = i->a[1].val, c = i->a[2].val;
    u64 r;
    if (ins_is_machine(i) || !ir_info[i->op].is_pure || !ir_info[i->op].nargs || !all_constant(i))
        return false;
    if (evaluate_float(i, a, b, c, &r)) {
        *result = (u32)r;
        return true;
    }
    if (ir_info[i->op].nargs != 2 || ir_info[i->op].eval == OP_none)
        return false;
    *result = op_eval(ir_info[i->op].eval, a, b);
    return true;
}
