/* hostdouble.c -- what functions of the device library make of doubles, by the host's own (routine.c).
 *
 * The library rounds as IEEE 754 says, and so does the host: the results are the same bits.  Whether the function
 * takes the path that the call stands for is told by operands and result: no infinity and no NaN, and where the
 * library treats them apart, no denormals and nothing near what a double can hold.  What is asked is never less than
 * what the function asks (lib/opencl/double.cl): at first something simple of all lanes, mostly of the result; where
 * that does not hold, as for 0, the whole.
 */
#include "jit/translate.h"
#include <string.h>

#define B e->b

/* of the bits of a double without its sign */
#define INF ((u64)0x7ff << 52)
#define ONE ((u64)1 << 52) /* the least that is not denormal */

/* A chunk's operands and result: doubles, and their bits without the sign. */
typedef struct {
    Val f, size;
} Double;
typedef struct {
    Double a, b, c, r;
    Val word; /* the operand or the result that is no double */
} Routing;

static Val of_size(Val v, u64 value) { return constant_like(LLVMGetUndef(LLVMTypeOf(v)), value); }

static Val compare(Emit *e, LLVMIntPredicate p, Val a, u64 with)
{
    return LLVMBuildICmp(B, p, a, of_size(a, with), "");
}

static Val both(Emit *e, Val a, Val b) { return LLVMBuildAnd(B, a, b, ""); }
static Val either(Emit *e, Val a, Val b) { return LLVMBuildOr(B, a, b, ""); }

static Val below(Emit *e, Val a, u64 bound) { return compare(e, LLVMIntULT, a, bound); }
static Val from(Emit *e, Val a, u64 bound) { return compare(e, LLVMIntUGE, a, bound); }
static Val is_zero(Emit *e, Val a) { return compare(e, LLVMIntEQ, a, 0); }

/* whether first <= a < first + n */
static Val within(Emit *e, Val a, u64 first, u64 n)
{
    return below(e, LLVMBuildSub(B, a, of_size(a, first), ""), n);
}

/* whether a result may be packed without a look at its size: neither denormal nor infinite, before it was rounded
 * either */
static Val is_plain(Emit *e, const Double *r) { return within(e, r->size, 2 * ONE, 0x7fb * ONE); }

static Val without_sign(Emit *e, Val bits)
{
    return LLVMBuildAnd(B, bits, LLVMBuildNot(B, sign_like(bits), ""), "");
}

static LLVMTypeRef vector_of(const Emit *e, LLVMTypeRef t) { return LLVMVectorType(t, e->chunk); }
static LLVMTypeRef doubles(const Emit *e) { return vector_of(e, LLVMDoubleTypeInContext(e->c)); }

static Double operand(Emit *e, u32 n, u32 chunk)
{
    const Row pair = pair_at(e, n, n + 1);
    const Val bits = pair.c[0] ? pair.c[chunk]
                               : join_halves(e, get_on(e, n).c[chunk], get_on(e, n + 1).c[chunk]);
    return (Double){LLVMBuildBitCast(B, bits, doubles(e), ""), without_sign(e, bits)};
}

static Val order(Emit *e, Val a, Val b)
{
    const Val more = LLVMBuildFCmp(B, LLVMRealOGT, a, b, ""),
              less = LLVMBuildFCmp(B, LLVMRealOLT, a, b, "");
    return LLVMBuildSub(B, LLVMBuildZExt(B, more, e->row, ""), LLVMBuildZExt(B, less, e->row, ""),
                        "");
}

/* The result, in r->r or r->word. */
static void compute(Emit *e, RoutineId id, Routing *r)
{
    const LLVMTypeRef floats = vector_of(e, e->f32);
    const Val a = r->a.f, b = r->b.f;
    LLVMTypeRef t = doubles(e);
    Val f = NULL;
    switch (id) {
    case ROUTINE_dadd: f = LLVMBuildFAdd(B, a, b, ""); break;
    case ROUTINE_dsub: f = LLVMBuildFSub(B, a, b, ""); break;
    case ROUTINE_dmul: f = LLVMBuildFMul(B, a, b, ""); break;
    case ROUTINE_ddiv: f = LLVMBuildFDiv(B, a, b, ""); break;
    case ROUTINE_dfma: f = intrinsic(e, "llvm.fma", &t, 1, (Val[]){a, b, r->c.f}, 3); break;
    case ROUTINE_dsqrt: f = intrinsic(e, "llvm.sqrt", &t, 1, (Val[]){a}, 1); break;
    case ROUTINE_ftod:
        f = LLVMBuildFPExt(B, LLVMBuildBitCast(B, r->word, floats, ""), t, "");
        break;
    case ROUTINE_i32tod: f = LLVMBuildSIToFP(B, r->word, t, ""); break;
    case ROUTINE_u32tod: f = LLVMBuildUIToFP(B, r->word, t, ""); break;
    case ROUTINE_dcmp: r->word = order(e, a, b); break;
    case ROUTINE_dtof:
        r->word = LLVMBuildBitCast(B, LLVMBuildFPTrunc(B, a, floats, ""), e->row, "");
        break;
    case ROUTINE_dtoi32: r->word = saturate(e, a, e->row, true, 0); break;
    case ROUTINE_dtou32: r->word = saturate(e, a, e->row, false, 0); break;
    case NROUTINE: break;
    }
    if (f)
        r->r = (Double){f, without_sign(e, LLVMBuildBitCast(B, f, vector_of(e, e->i64), ""))};
}

/* Lanes for which something simple tells that the function takes the path. */
static Val simply(Emit *e, RoutineId id, const Routing *r, const Val word)
{
    switch (id) {
    case ROUTINE_dadd:
    case ROUTINE_dsub: return below(e, r->r.size, INF);
    case ROUTINE_dmul:
    case ROUTINE_ddiv:
        return both(e, is_plain(e, &r->r),
                    both(e, from(e, r->a.size, ONE), from(e, r->b.size, ONE)));
    case ROUTINE_dfma: return is_plain(e, &r->r);
    case ROUTINE_dsqrt:
        return within(e, LLVMBuildBitCast(B, r->a.f, vector_of(e, e->i64), ""), ONE, INF - ONE);
    case ROUTINE_dcmp: return LLVMBuildFCmp(B, LLVMRealORD, r->a.f, r->b.f, "");
    case ROUTINE_ftod: return within(e, without_sign(e, word), 0x00800000, 0x7f000000);
    case ROUTINE_dtof: return within(e, r->a.size, 897 * ONE, 254 * ONE);
    case ROUTINE_dtoi32: return below(e, r->a.size, 1054 * ONE);
    case ROUTINE_dtou32: return below(e, r->a.size, 1055 * ONE);
    default: return LLVMConstAllOnes(e->mrow);
    }
}

/* Operands of 2^-411 and more whose sum of product and c is 0 in the host's double cancel; others may have too small a
 * sum. */
static Val fused_zero(Emit *e, const Routing *r)
{
    const u64 large = 612 * ONE;
    const Val cancels = both(e, from(e, r->a.size, large), from(e, r->b.size, large));
    const Val nothing =
        both(e, either(e, is_zero(e, r->a.size), is_zero(e, r->b.size)), is_zero(e, r->c.size));
    return both(e, is_zero(e, r->r.size), either(e, cancels, nothing));
}

/* Other lanes for which it does. */
static Val otherwise(Emit *e, RoutineId id, const Routing *r, const Val word)
{
    switch (id) {
    case ROUTINE_dadd:
    case ROUTINE_dsub: return both(e, below(e, r->a.size, INF), below(e, r->b.size, INF));
    case ROUTINE_dmul: {
        const Val finite = both(e, below(e, r->a.size, INF), below(e, r->b.size, INF));
        return both(e, finite, either(e, is_zero(e, r->a.size), is_zero(e, r->b.size)));
    }
    case ROUTINE_ddiv: return both(e, is_zero(e, r->a.size), within(e, r->b.size, ONE, INF - ONE));
    case ROUTINE_dfma: return fused_zero(e, r);
    case ROUTINE_dsqrt: return is_zero(e, LLVMBuildBitCast(B, r->a.f, vector_of(e, e->i64), ""));
    case ROUTINE_ftod: return is_zero(e, without_sign(e, word));
    case ROUTINE_dtof: return is_zero(e, r->a.size);
    default: return LLVMConstNull(e->mrow);
    }
}

/* i1: some lane that is on is not among these. */
static Val lacks(Emit *e, const Row *lanes)
{
    Val lost = NULL;
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val not = LLVMBuildNot(B, lanes->c[i], "");
        const Val on = e->at->full ? not : both(e, not, e->on.c[i]);
        lost = lost ? either(e, lost, on) : on;
    }
    return some_lane(e, lost);
}

void compute_routine(Emit *e, RoutineId id, Row *result, LLVMBasicBlockRef other)
{
    const LLVMBasicBlockRef look = new_block(e, "look"), done = new_block(e, "at_once");
    const u32 args = routine_args(id);
    Routing all[MAX_CHUNKS];
    Row lanes = {{0}}, words = {{0}};
    for (u32 i = 0; i < e->nchunks; i++) {
        Routing *r = &all[i];
        memset(r, 0, sizeof *r);
        Double *of[3] = {&r->a, &r->b, &r->c};
        for (u32 n = 0; 2 * n + 1 < args; n++)
            *of[n] = operand(e, 2 * n, i);
        words.c[i] = r->word = args == 1 ? get_on(e, 0).c[i] : NULL;
        compute(e, id, r);
        lanes.c[i] = simply(e, id, r, words.c[i]);
    }
    branch_likely(e, LLVMBuildNot(B, lacks(e, &lanes), ""), done, look);
    LLVMPositionBuilderAtEnd(B, look);
    for (u32 i = 0; i < e->nchunks; i++)
        lanes.c[i] = either(e, lanes.c[i], otherwise(e, id, &all[i], words.c[i]));
    branch_likely(e, LLVMBuildNot(B, lacks(e, &lanes), ""), done, other);
    LLVMPositionBuilderAtEnd(B, done);
    for (u32 i = 0; i < e->nchunks; i++)
        result->c[i] = routine_results(id) == 2
                           ? LLVMBuildBitCast(B, all[i].r.f, vector_of(e, e->i64), "")
                           : all[i].word;
}
