/* arith.c -- the integer operations of op.def in LLVM, on a word or on a chunk of a row, and those
 * that register pairs have on 64 bits. */
#include "jit/translate.h"
#include "isa/op.h"

#define B e->b

/* a type like that of v with another element */
static LLVMTypeRef like(Val v, LLVMTypeRef element)
{
    const LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMVectorType(element, LLVMGetVectorSize(t))
                                                    : element;
}

Val constant_like(Val v, u64 value)
{
    const LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind)
        return LLVMConstInt(t, value, false);
    Val one[64];
    const u32 n = LLVMGetVectorSize(t);
    for (u32 i = 0; i < n; i++)
        one[i] = LLVMConstInt(LLVMGetElementType(t), value, false);
    return LLVMConstVector(one, n);
}

static Val truth(Emit *e, Val v, LLVMIntPredicate p, Val a, Val b)
{
    return LLVMBuildZExt(B, LLVMBuildICmp(B, p, a, b, ""), LLVMTypeOf(v), "");
}

static Val choose(Emit *e, LLVMIntPredicate p, Val a, Val b)
{
    return LLVMBuildSelect(B, LLVMBuildICmp(B, p, a, b, ""), a, b, "");
}

u32 bits_like(Val v)
{
    const LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetIntTypeWidth(LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t)
                                                                        : t);
}

Val sign_like(Val v) { return constant_like(v, (u64)1 << (bits_like(v) - 1)); }

static Val amount(Emit *e, Val b)
{
    return LLVMBuildAnd(B, b, constant_like(b, bits_like(b) - 1), "");
}

/* a with the sign of s */
static Val with_sign(Emit *e, Val a, Val s)
{
    return LLVMBuildOr(B, LLVMBuildAnd(B, a, LLVMBuildNot(B, sign_like(a), ""), ""),
                       LLVMBuildAnd(B, s, sign_like(a), ""), "");
}

/* the upper half of a product */
static Val high(Emit *e, Val a, Val b, bool a_signed, bool b_signed)
{
    const LLVMTypeRef wide = like(a, e->i64);
    const Val x = a_signed ? LLVMBuildSExt(B, a, wide, "") : LLVMBuildZExt(B, a, wide, "");
    const Val y = b_signed ? LLVMBuildSExt(B, b, wide, "") : LLVMBuildZExt(B, b, wide, "");
    const Val p = LLVMBuildMul(B, x, y, "");
    return LLVMBuildTrunc(B, LLVMBuildLShr(B, p, constant_like(p, 32), ""), LLVMTypeOf(a), "");
}

/* A quotient, for a divisor that is not 0 (nor -1, signed).  Hosts have no vector division of
 * integers: a double holds both operands, and its quotient, cut off, is exact, because a quotient
 * that is no integer is further from the next one than the error. */
static Val quotient(Emit *e, Val a, Val b, bool sgn)
{
    if (LLVMGetTypeKind(LLVMTypeOf(a)) != LLVMVectorTypeKind)
        return sgn ? LLVMBuildSDiv(B, a, b, "") : LLVMBuildUDiv(B, a, b, "");
    const LLVMTypeRef t = like(a, LLVMDoubleTypeInContext(e->c));
    const Val x = sgn ? LLVMBuildSIToFP(B, a, t, "") : LLVMBuildUIToFP(B, a, t, "");
    const Val y = sgn ? LLVMBuildSIToFP(B, b, t, "") : LLVMBuildUIToFP(B, b, t, "");
    const Val q = LLVMBuildFDiv(B, x, y, "");
    return sgn ? LLVMBuildFPToSI(B, q, LLVMTypeOf(a), "")
               : LLVMBuildFPToUI(B, q, LLVMTypeOf(a), "");
}

static Val divide(Emit *e, Val a, Val b, bool sgn, bool remainder)
{
    const Val zero = constant_like(a, 0), one = constant_like(a, 1),
              ones = constant_like(a, UINT32_MAX);
    const Val by_zero = LLVMBuildICmp(B, LLVMIntEQ, b, zero, "");
    const Val by_minus = LLVMBuildICmp(B, LLVMIntEQ, b, ones, "");
    const Val bad = sgn ? LLVMBuildOr(B, by_zero, by_minus, "") : by_zero;
    const Val q = quotient(e, a, LLVMBuildSelect(B, bad, one, b, ""), sgn);
    const Val r = LLVMBuildSub(B, a, LLVMBuildMul(B, q, b, ""), "");
    Val v = remainder ? r : q;
    if (sgn) /* a / -1 = -a, without a remainder */
        v = LLVMBuildSelect(B, by_minus, remainder ? zero : LLVMBuildSub(B, zero, a, ""), v, "");
    return LLVMBuildSelect(B, by_zero, remainder ? a : ones, v, "");
}

static Val extend(Emit *e, Val a, LLVMTypeRef narrow)
{
    return LLVMBuildSExt(B, LLVMBuildTrunc(B, a, like(a, narrow), ""), LLVMTypeOf(a), "");
}

Val arith(Emit *e, Op op, Val a, Val b, Val c)
{
#define NOT(v) LLVMBuildNot(B, v, "")
    switch (op) {
    case OP_add: return LLVMBuildAdd(B, a, b, "");
    case OP_sub: return LLVMBuildSub(B, a, b, "");
    case OP_rsub: return LLVMBuildSub(B, b, a, "");
    case OP_and: return LLVMBuildAnd(B, a, b, "");
    case OP_or: return LLVMBuildOr(B, a, b, "");
    case OP_xor: return LLVMBuildXor(B, a, b, "");
    case OP_nand: return NOT(LLVMBuildAnd(B, a, b, ""));
    case OP_andn: return LLVMBuildAnd(B, a, NOT(b), "");
    case OP_nor: return NOT(LLVMBuildOr(B, a, b, ""));
    case OP_orn: return LLVMBuildOr(B, a, NOT(b), "");
    case OP_xnor: return NOT(LLVMBuildXor(B, a, b, ""));
    case OP_sll: return LLVMBuildShl(B, a, amount(e, b), "");
    case OP_srl: return LLVMBuildLShr(B, a, amount(e, b), "");
    case OP_sra: return LLVMBuildAShr(B, a, amount(e, b), "");
    case OP_eq: return truth(e, a, LLVMIntEQ, a, b);
    case OP_ne: return truth(e, a, LLVMIntNE, a, b);
    case OP_lt: return truth(e, a, LLVMIntSLT, a, b);
    case OP_ltu: return truth(e, a, LLVMIntULT, a, b);
    case OP_le: return truth(e, a, LLVMIntSLE, a, b);
    case OP_leu: return truth(e, a, LLVMIntULE, a, b);
    case OP_gt: return truth(e, a, LLVMIntSGT, a, b);
    case OP_gtu: return truth(e, a, LLVMIntUGT, a, b);
    case OP_ge: return truth(e, a, LLVMIntSGE, a, b);
    case OP_geu: return truth(e, a, LLVMIntUGE, a, b);
    case OP_min: return choose(e, LLVMIntSLT, a, b);
    case OP_minu: return choose(e, LLVMIntULT, a, b);
    case OP_max: return choose(e, LLVMIntSGT, a, b);
    case OP_maxu: return choose(e, LLVMIntUGT, a, b);
    case OP_mul: return LLVMBuildMul(B, a, b, "");
    case OP_mulh: return high(e, a, b, true, true);
    case OP_mulhu: return high(e, a, b, false, false);
    case OP_mulhsu: return high(e, a, b, true, false);
    case OP_div: return divide(e, a, b, true, false);
    case OP_divu: return divide(e, a, b, false, false);
    case OP_rem: return divide(e, a, b, true, true);
    case OP_remu: return divide(e, a, b, false, true);
    case OP_copy:
    case OP_fcopy: return b;
    case OP_zext8: return LLVMBuildAnd(B, a, constant_like(a, 0xff), "");
    case OP_zext16: return LLVMBuildAnd(B, a, constant_like(a, 0xffff), "");
    case OP_sext8: return extend(e, a, e->i8);
    case OP_sext16: return extend(e, a, e->i16);
    case OP_fsgnj: return with_sign(e, a, b);
    case OP_fsgnjn: return with_sign(e, a, NOT(b));
    case OP_fsgnjx: return LLVMBuildXor(B, a, LLVMBuildAnd(B, b, sign_like(a), ""), "");
    case OP_macc: return LLVMBuildAdd(B, LLVMBuildMul(B, a, b, ""), c, "");
    case OP_nmsac: return LLVMBuildSub(B, c, LLVMBuildMul(B, a, b, ""), "");
    case OP_madd: return LLVMBuildAdd(B, LLVMBuildMul(B, b, c, ""), a, "");
    case OP_nmsub: return LLVMBuildSub(B, a, LLVMBuildMul(B, b, c, ""), "");
    default: return NULL;
    }
}

/* The divisor often is a power of two, as sizes of groups are: the host's division takes long. */
void divide_by(Emit *e, Op op, Val *v, u32 n, Val b)
{
    const LLVMBasicBlockRef shift = new_block(e, "shift"), other = new_block(e, "divide"),
                            on = new_block(e, "");
    const LLVMTypeRef t = LLVMTypeOf(v[0]);
    const bool rest = op == OP_remu, is_row = t == e->row;
    Val quick[MAX_CHUNKS], slow[MAX_CHUNKS], less = LLVMBuildSub(B, b, word(e, 1), "");
    const Val shared = LLVMBuildAnd(B, b, less, "");
    const Val is_power = LLVMBuildAnd(B, LLVMBuildICmp(B, LLVMIntEQ, shared, word(e, 0), ""),
                                      LLVMBuildICmp(B, LLVMIntNE, b, word(e, 0), ""), "");
    branch_likely(e, is_power, shift, other);
    LLVMPositionBuilderAtEnd(B, shift);
    Val by = rest ? less : intrinsic(e, "llvm.ctpop", &e->i32, 1, &less, 1);
    by = is_row ? splat(e, by) : by;
    for (u32 i = 0; i < n; i++)
        quick[i] = rest ? LLVMBuildAnd(B, v[i], by, "") : LLVMBuildLShr(B, v[i], by, "");
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, other);
    for (u32 i = 0; i < n; i++)
        slow[i] = arith(e, op, v[i], is_row ? splat(e, b) : b, NULL);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
    for (u32 i = 0; i < n; i++) {
        v[i] = LLVMBuildPhi(B, t, "");
        LLVMAddIncoming(v[i], (Val[]){quick[i], slow[i]}, (LLVMBasicBlockRef[]){shift, other}, 2);
    }
}
