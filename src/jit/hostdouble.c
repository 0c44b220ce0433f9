/* hostdouble.c -- what functions of the device library make of doubles, by the host's own (routine.c).
 *
 * The library rounds as IEEE 754 says, and so does the host: the results are the same bits.  Whether the function
 * takes the path that the call stands for is told by the upper words of operands and result: no infinity and no NaN,
 * and where the library treats them apart, no denormals and nothing near what a double can hold.  What is asked
 * is never less than what the function asks (lib/opencl/double.cl).
 */
#include "jit/translate.h"

#define B e->b

/* of an upper word without its sign */
enum { INF = 0x7ff00000, ONE = 0x00100000 };

/* An operand, of a chunk: its words, the upper one without the sign, and the double. */
typedef struct {
    Val high, low, size, f;
} Double;

static Val bits(Emit *e, u32 value) { return constant_like(LLVMGetUndef(e->row), value); }

static Val compare(Emit *e, LLVMIntPredicate p, Val a, u32 with)
{
    return LLVMBuildICmp(B, p, a, bits(e, with), "");
}

static Val less(Emit *e, Val a, u32 bound) { return compare(e, LLVMIntULT, a, bound); }
static Val both(Emit *e, Val a, Val b) { return LLVMBuildAnd(B, a, b, ""); }
static Val either(Emit *e, Val a, Val b) { return LLVMBuildOr(B, a, b, ""); }

/* whether first <= a < first + n */
static Val within(Emit *e, Val a, u32 first, u32 n)
{
    return less(e, LLVMBuildSub(B, a, bits(e, first), ""), n);
}

static Val extreme(Emit *e, const char *name, Val a, Val b)
{
    return intrinsic(e, name, &e->row, 1, (Val[]){a, b}, 2);
}

static Double double_of(Emit *e, Val low, Val high)
{
    const LLVMTypeRef t = LLVMVectorType(LLVMDoubleTypeInContext(e->c), e->chunk);
    return (Double){high, low, LLVMBuildAnd(B, high, bits(e, ~(1u << 31)), ""),
                    LLVMBuildBitCast(B, join_words(e, low, high), t, "")};
}

static Double result_of(Emit *e, Val f)
{
    const Val all = LLVMBuildBitCast(B, f, LLVMVectorType(e->i64, e->chunk), "");
    return double_of(e, word_of(e, all, 0, e->row), word_of(e, all, 1, e->row));
}

static Val is_zero(Emit *e, const Double *a)
{
    return compare(e, LLVMIntEQ, either(e, a->size, a->low), 0);
}

/* whether the result may be packed without a look at its size: neither denormal nor infinite, before it was
 * rounded either */
static Val is_plain(Emit *e, const Double *r) { return within(e, r->size, 2 * ONE, 0x7fb * ONE); }

/* --- each of a chunk: results, and whether the function takes the path --------------------------------- */

static Val sum(Emit *e, const Double *a, const Double *b)
{
    return less(e, extreme(e, "llvm.umax", a->size, b->size), INF);
}

static Val product(Emit *e, const Double *a, const Double *b, const Double *r)
{
    const Val normal = compare(e, LLVMIntUGE, extreme(e, "llvm.umin", a->size, b->size), ONE);
    const Val nothing = both(e, sum(e, a, b), either(e, is_zero(e, a), is_zero(e, b)));
    return either(e, both(e, normal, is_plain(e, r)), nothing);
}

static Val quotient(Emit *e, const Double *a, const Double *b, const Double *r)
{
    const Val normal = both(e, within(e, a->size, ONE, INF - ONE), is_plain(e, r));
    return both(e, within(e, b->size, ONE, INF - ONE), either(e, is_zero(e, a), normal));
}

/* Operands of 2^-411 and more whose sum of product and c is 0 in the host's double cancel; others may have too small a
 * sum. */
static Val fused(Emit *e, const Double *a, const Double *b, const Double *c, const Double *r)
{
    enum { LARGE = 612 * ONE };
    const Val large = compare(e, LLVMIntUGE, extreme(e, "llvm.umin", a->size, b->size), LARGE);
    const Val none = both(e, either(e, is_zero(e, a), is_zero(e, b)), is_zero(e, c));
    const Val zero = both(e, is_zero(e, r), either(e, large, none));
    return both(
        e,
        less(e, extreme(e, "llvm.umax", c->size, extreme(e, "llvm.umax", a->size, b->size)), INF),
        either(e, is_plain(e, r), zero));
}

static Val order(Emit *e, const Double *a, const Double *b)
{
    const Val more = LLVMBuildFCmp(B, LLVMRealOGT, a->f, b->f, ""),
              fewer = LLVMBuildFCmp(B, LLVMRealOLT, a->f, b->f, "");
    return LLVMBuildSub(B, LLVMBuildZExt(B, more, e->row, ""), LLVMBuildZExt(B, fewer, e->row, ""),
                        "");
}

static Val to_int(Emit *e, const Double *a, const char *name)
{
    LLVMTypeRef types[2] = {e->row, LLVMTypeOf(a->f)};
    Val f = a->f;
    return intrinsic(e, name, types, 2, &f, 1);
}

static Val root(Emit *e, const Double *a)
{
    LLVMTypeRef t = LLVMTypeOf(a->f);
    Val f = a->f;
    return intrinsic(e, "llvm.sqrt", &t, 1, &f, 1);
}

/* Of one chunk: in v the registers that the function takes, then those that it returns. */
static Val compute_chunk(Emit *e, RoutineId id, Val v[6])
{
    const LLVMTypeRef doubles = LLVMVectorType(LLVMDoubleTypeInContext(e->c), e->chunk);
    const LLVMTypeRef floats = LLVMVectorType(e->f32, e->chunk);
    Double a = {0}, b = {0}, c = {0}, r = {0};
    Val ok = LLVMConstAllOnes(e->mrow), one = NULL;
    if (routine_args(id) > 1)
        a = double_of(e, v[0], v[1]);
    if (routine_args(id) > 2)
        b = double_of(e, v[2], v[3]);
    if (routine_args(id) > 4)
        c = double_of(e, v[4], v[5]);
    switch (id) {
    case ROUTINE_dadd:
        r = result_of(e, LLVMBuildFAdd(B, a.f, b.f, ""));
        ok = sum(e, &a, &b);
        break;
    case ROUTINE_dsub:
        r = result_of(e, LLVMBuildFSub(B, a.f, b.f, ""));
        ok = sum(e, &a, &b);
        break;
    case ROUTINE_dmul:
        r = result_of(e, LLVMBuildFMul(B, a.f, b.f, ""));
        ok = product(e, &a, &b, &r);
        break;
    case ROUTINE_ddiv:
        r = result_of(e, LLVMBuildFDiv(B, a.f, b.f, ""));
        ok = quotient(e, &a, &b, &r);
        break;
    case ROUTINE_dfma: {
        LLVMTypeRef t = doubles;
        r = result_of(e, intrinsic(e, "llvm.fma", &t, 1, (Val[]){a.f, b.f, c.f}, 3));
        ok = fused(e, &a, &b, &c, &r);
        break;
    }
    case ROUTINE_dsqrt:
        r = result_of(e, root(e, &a));
        ok = either(e, compare(e, LLVMIntEQ, either(e, a.high, a.low), 0),
                    within(e, a.high, ONE, INF - ONE));
        break;
    case ROUTINE_dcmp:
        one = order(e, &a, &b);
        ok = LLVMBuildFCmp(B, LLVMRealORD, a.f, b.f, "");
        break;
    case ROUTINE_ftod: {
        const Val size = LLVMBuildAnd(B, v[0], bits(e, ~(1u << 31)), "");
        r = result_of(e, LLVMBuildFPExt(B, LLVMBuildBitCast(B, v[0], floats, ""), doubles, ""));
        ok = either(e, compare(e, LLVMIntEQ, size, 0), within(e, size, 0x00800000, 0x7f000000));
        break;
    }
    case ROUTINE_dtof:
        one = LLVMBuildBitCast(B, LLVMBuildFPTrunc(B, a.f, floats, ""), e->row, "");
        ok = either(e, is_zero(e, &a), within(e, a.size, 897 * ONE, 254 * ONE));
        break;
    case ROUTINE_i32tod: r = result_of(e, LLVMBuildSIToFP(B, v[0], doubles, "")); break;
    case ROUTINE_u32tod: r = result_of(e, LLVMBuildUIToFP(B, v[0], doubles, "")); break;
    case ROUTINE_dtoi32:
        one = to_int(e, &a, "llvm.fptosi.sat");
        ok = less(e, a.size, 1054 * ONE);
        break;
    case ROUTINE_dtou32:
        one = to_int(e, &a, "llvm.fptoui.sat");
        ok = less(e, a.size, 1055 * ONE);
        break;
    case NROUTINE: break;
    }
    v[0] = one ? one : r.low;
    v[1] = r.high;
    return ok;
}

Val compute_routine(Emit *e, RoutineId id, Row results[2])
{
    Val lost = NULL;
    for (u32 i = 0; i < e->nchunks; i++) {
        Val v[6] = {NULL};
        for (u32 n = 0; n < routine_args(id); n++)
            v[n] = get_on(e, n).c[i];
        Val not = LLVMBuildNot(B, compute_chunk(e, id, v), "");
        not = e->at->full ? not : both(e, not, e->on.c[i]);
        for (u32 n = 0; n < routine_results(id); n++)
            results[n].c[i] = v[n];
        lost = lost ? either(e, lost, not) : not;
    }
    return LLVMBuildNot(B, some_lane(e, lost), "");
}
