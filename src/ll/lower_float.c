/* lower_float.c -- binary32, element by element.
 *
 * Comparisons: the machine has equal, less and less-or-equal, which are false of NaNs; the
 * other predicates are these, swapped, negated or joined.
 */
#include "ll/lower.h"
#include <string.h>

static bool is_float(Fn *n, LLVMTypeRef t)
{
    switch (LLVMGetTypeKind(t)) {
    case LLVMFloatTypeKind: return true;
    case LLVMDoubleTypeKind: refuse(n->lo, "double is not supported"); return false;
    case LLVMHalfTypeKind: refuse(n->lo, "arithmetic with half is not supported"); return false;
    default: return false;
    }
}

void float_binary(Fn *n, LLVMOpcode op, const Elem *e)
{
    if (!is_float(n, e->to))
        return;
    const IrOp ir = op == LLVMFAdd   ? IR_fadd
                    : op == LLVMFSub ? IR_fsub
                    : op == LLVMFMul ? IR_fmul
                                     : IR_fdiv;
    e->out[0] = op2(n, ir, e->a[0][0], e->a[1][0]);
}

static Ref negated(Fn *n, Ref c) { return op2(n, IR_xor, c, ref_con(1)); }

static Ref ordered(Fn *n, Ref x, Ref y)
{
    return op2(n, IR_and, op2(n, IR_feq, x, x), op2(n, IR_feq, y, y));
}

static Ref less_or_greater(Fn *n, Ref x, Ref y)
{
    return op2(n, IR_or, op2(n, IR_flt, x, y), op2(n, IR_flt, y, x));
}

static Ref compare(Fn *n, LLVMRealPredicate p, Ref x, Ref y)
{
    switch (p) {
    case LLVMRealPredicateFalse: return ref_con(0);
    case LLVMRealOEQ: return op2(n, IR_feq, x, y);
    case LLVMRealOGT: return op2(n, IR_flt, y, x);
    case LLVMRealOGE: return op2(n, IR_fle, y, x);
    case LLVMRealOLT: return op2(n, IR_flt, x, y);
    case LLVMRealOLE: return op2(n, IR_fle, x, y);
    case LLVMRealONE: return less_or_greater(n, x, y);
    case LLVMRealORD: return ordered(n, x, y);
    case LLVMRealUNO: return negated(n, ordered(n, x, y));
    case LLVMRealUEQ: return negated(n, less_or_greater(n, x, y));
    case LLVMRealUGT: return negated(n, op2(n, IR_fle, x, y));
    case LLVMRealUGE: return negated(n, op2(n, IR_flt, x, y));
    case LLVMRealULT: return negated(n, op2(n, IR_fle, y, x));
    case LLVMRealULE: return negated(n, op2(n, IR_flt, y, x));
    case LLVMRealUNE: return negated(n, op2(n, IR_feq, x, y));
    case LLVMRealPredicateTrue: return ref_con(1);
    }
    return ref_con(0);
}

void float_compare(Fn *n, LLVMRealPredicate p, const Elem *e)
{
    if (is_float(n, e->from))
        e->out[0] = compare(n, p, e->a[0][0], e->a[1][0]);
}

static Ref convert(Fn *n, IrOp op, i32 rounding, Ref x)
{
    const Ins i = {.op = (u16)op, .dst = ir_value(n->f), .imm = rounding, .loc = n->loc, .a = {x}};
    ir_append(n->f, n->b, &i);
    return ref_val(i.dst);
}

void float_cast(Fn *n, LLVMOpcode op, const Elem *e)
{
    const bool to_int = op == LLVMFPToSI || op == LLVMFPToUI;
    const u32 bits = int_bits(to_int ? e->to : e->from);
    if (op == LLVMFPExt || op == LLVMFPTrunc) {
        refuse(n->lo, "conversion between float, half and double is not supported");
        return;
    }
    if (!is_float(n, to_int ? e->from : e->to))
        return;
    if (bits > 32) {
        refuse(n->lo, "a conversion of %u bits", bits);
        return;
    }
    const Ref x = e->a[0][0];
    switch (op) {
    case LLVMFPToSI: e->out[0] = convert(n, IR_ftoi, 1, x); break;
    /* a narrow unsigned number fits into a signed one of 32 bits */
    case LLVMFPToUI: e->out[0] = convert(n, bits < 32 ? IR_ftoi : IR_ftou, 1, x); break;
    case LLVMSIToFP: e->out[0] = convert(n, IR_itof, 0, int_sext(n, x, bits)); break;
    default: e->out[0] = convert(n, IR_utof, 0, int_zext(n, x, bits)); break;
    }
    if (to_int && bits == 1)
        e->out[0] = op2(n, IR_and, e->out[0], ref_con(1));
}

/* llvm.is.fpclass: a bit a class, in LLVM's order */
static Ref is_class(Fn *n, Ref x, u32 mask)
{
    static const struct {
        u32 low, high;
    } range[10] = {
        {0x7f800001, 0x7fbfffff}, {0x7fc00000, 0x7fffffff}, /* signalling, quiet NaN */
        {0xff800000, 0xff800000}, {0x80800000, 0xff7fffff},
        {0x80000001, 0x807fffff},         /* -inf, normal, subnormal */
        {0x80000000, 0x80000000}, {0, 0}, /* zeros */
        {1, 0x007fffff},          {0x00800000, 0x7f7fffff},
        {0x7f800000, 0x7f800000},
    };
    Ref any = ref_con(0);
    for (u32 k = 0; k < 10; k++) {
        if (!(mask >> k & 1))
            continue;
        const Ref bits = k < 2 ? op2(n, IR_and, x, ref_con(0x7fffffff)) : x;
        const Ref past = op2(n, IR_sub, bits, ref_con(range[k].low));
        any = op2(n, IR_or, any, op2(n, IR_geu, ref_con(range[k].high - range[k].low), past));
    }
    return any;
}

bool float_intrinsic(Fn *n, const char *name, const Elem *e)
{
    static const struct {
        const char *name;
        IrOp op;
        int args;
    } row[] = {
        {"fma.", IR_fma, 3},     {"fmuladd.", IR_fma, 3},        {"sqrt.", IR_fsqrt, 1},
        {"fabs.", IR_fabs, 1},   {"copysign.", IR_fcopysign, 2}, {"minnum.", IR_fmin, 2},
        {"maxnum.", IR_fmax, 2},
    };
    if (!strncmp(name, "is.fpclass", 10)) {
        if (is_float(n, e->from))
            e->out[0] = is_class(n, e->a[0][0], e->a[1][0].val);
        return true;
    }
    if (!strncmp(name, "fptosi.sat", 10) || !strncmp(name, "fptoui.sat", 10)) {
        if (int_bits(e->to) != 32)
            refuse(n->lo, "a saturating conversion to %u bits", int_bits(e->to));
        else if (is_float(
                     n, e->from)) { /* the machine saturates, but makes a NaN the largest number */
            const Ref x = e->a[0][0], r = convert(n, name[4] == 's' ? IR_ftoi : IR_ftou, 1, x);
            e->out[0] = op3(n, IR_select, op2(n, IR_feq, x, x), r, ref_con(0));
        }
        return true;
    }
    for (size_t k = 0; k < countof(row); k++) {
        if (strncmp(name, row[k].name, strlen(row[k].name)) != 0)
            continue;
        Ref a[3] = {0};
        for (int i = 0; i < row[k].args; i++)
            a[i] = e->a[i][0];
        if (is_float(n, e->to))
            e->out[0] = op3(n, row[k].op, a[0], a[1], a[2]);
        return true;
    }
    return false;
}
