/* pair.c -- integers and floats of 64 bits in register pairs, and abs and neg of sources
 * (doc/isa.md, "Register pairs" and "Modifiers"; sim/wide.c has the rules).
 *
 * A pair is an integer of 64 bits, of a chunk of a row a vector of them; arith.c and hostfloat.c
 * compute on either.
 */
#include "jit/translate.h"
#include "isa/op.h"

#define B e->b

/* A value of 32 or 64 bits: `c` of chunks, or c[0] of a scalar. */
typedef struct {
    Val c[MAX_CHUNKS];
} Wide;

static u32 chunks_of(const Emit *e, bool scalar) { return scalar ? 1 : e->nchunks; }

static LLVMTypeRef quads_like(Emit *e, Val v)
{
    const LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMVectorType(e->i64, LLVMGetVectorSize(t))
                                                    : e->i64;
}

static Val extend(Emit *e, Val v, bool by_zeros)
{
    return by_zeros ? LLVMBuildZExt(B, v, quads_like(e, v), "")
                    : LLVMBuildSExt(B, v, quads_like(e, v), "");
}

static Val join_words(Emit *e, Val low, Val high)
{
    const Val up = extend(e, high, true);
    return LLVMBuildOr(B, LLVMBuildShl(B, up, constant_like(up, 32), ""), extend(e, low, true), "");
}

/* word 0 or 1 of a pair; `like`: of that type */
static Val word_of(Emit *e, Val pair, u32 which, LLVMTypeRef like)
{
    return LLVMBuildTrunc(B, LLVMBuildLShr(B, pair, constant_like(pair, 32 * which), ""), like, "");
}

/* --- registers --------------------------------------------------------------------------- */

static Wide x_word(Emit *e, u32 n) { return (Wide){{get_x(e, n)}}; }

/* x0 as a pair reads 0 */
static Wide x_pair(Emit *e, u32 n)
{
    return (Wide){{n ? join_words(e, get_x(e, n), get_x(e, n + 1)) : quad(e, 0)}};
}

static Wide v_word(Emit *e, u32 n)
{
    const Row v = get_v(e, n);
    Wide w = {{0}};
    for (u32 i = 0; i < e->nchunks; i++)
        w.c[i] = v.c[i];
    return w;
}

static Wide v_pair(Emit *e, u32 n)
{
    const Row low = get_v(e, n), high = get_v(e, n + 1);
    Wide w = {{0}};
    for (u32 i = 0; i < e->nchunks; i++)
        w.c[i] = join_words(e, low.c[i], high.c[i]);
    return w;
}

/* a scalar in all lanes */
static Wide in_all(Emit *e, Val v)
{
    const Val low = LLVMBuildTrunc(B, v, e->i32, "");
    const bool is_quad = bits_like(v) == 64;
    Val all = splat(e, low);
    if (is_quad)
        all = join_words(e, all, splat(e, word_of(e, v, 1, e->i32)));
    Wide w = {{0}};
    for (u32 i = 0; i < e->nchunks; i++)
        w.c[i] = all;
    return w;
}

static void put_x_pair(Emit *e, u32 n, Val v)
{
    if (!n) /* x1 is no part of a pair */
        return;
    set_x(e, n, word_of(e, v, 0, e->i32));
    set_x(e, n + 1, word_of(e, v, 1, e->i32));
}

static void put_v(Emit *e, u32 n, const Wide *v, bool pair)
{
    Row low = {{0}}, high = {{0}};
    for (u32 i = 0; i < e->nchunks; i++) {
        const bool is_quad = bits_like(v->c[i]) == 64;
        low.c[i] = is_quad ? word_of(e, v->c[i], 0, e->row) : v->c[i];
        high.c[i] = pair ? word_of(e, v->c[i], 1, e->row) : NULL;
    }
    if (pair) /* first: the lower half may be v0, the mask of both */
        set_v(e, n + 1, high);
    set_v(e, n, low);
}

/* --- abs and neg --------------------------------------------------------------------------- */

/* first negated, then made absolute; `which`: 0 src1, 1 src2, 2 src3 */
static Val modify_int(Emit *e, const Uop *u, u32 which, Val v)
{
    const Val zero = constant_like(v, 0);
    if (u->mod >> (MOD_NEG + which) & 1)
        v = LLVMBuildSub(B, zero, v, "");
    if (u->mod >> (MOD_ABS + which) & 1)
        v = LLVMBuildSelect(B, LLVMBuildICmp(B, LLVMIntSLT, v, zero, ""),
                            LLVMBuildSub(B, zero, v, ""), v, "");
    return v;
}

static Val modify_float(Emit *e, const Uop *u, u32 which, Val v)
{
    if (u->mod >> (MOD_ABS + which) & 1)
        return LLVMBuildAnd(B, v, LLVMBuildNot(B, sign_like(v), ""), "");
    return u->mod >> (MOD_NEG + which) & 1 ? LLVMBuildXor(B, v, sign_like(v), "") : v;
}

static Wide modify_ints(Emit *e, const Uop *u, u32 which, Wide v)
{
    for (u32 i = 0; i < MAX_CHUNKS && v.c[i]; i++)
        v.c[i] = modify_int(e, u, which, v.c[i]);
    return v;
}

/* --- op(a, b, c) under a prefix ---------------------------------------------------------- */

/* What the instruction works on. */
typedef struct {
    u16 facts;
    bool pair, scalar;
} Kind;

/* The value of a source, as wide as the operation, before abs and neg. */
static Wide read_source(Emit *e, const Uop *u, const Kind *k, const OperandInfo *o, u32 n)
{
    if (o->kind != K_XREG && o->kind != K_VREG) {
        const Val imm = k->pair ? quad(e, (u64)(i64)u->imm) : word(e, (u32)u->imm);
        return k->scalar ? (Wide){{imm}} : in_all(e, imm);
    }
    const bool is_pair = k->pair && !(n & 1), is_x = o->kind == K_XREG;
    Wide v = is_x ? is_pair ? x_pair(e, n) : x_word(e, n) : is_pair ? v_pair(e, n) : v_word(e, n);
    for (u32 i = 0; k->pair && !is_pair && i < MAX_CHUNKS && v.c[i]; i++)
        v.c[i] = k->facts & OF_FROM_FLOAT ? change_width(e, v.c[i], true)
                                          : extend(e, v.c[i], k->facts & OF_UNSIGNED);
    return is_x && !k->scalar ? in_all(e, v.c[0]) : v;
}

static Wide source(Emit *e, const Uop *u, const Kind *k, OperandId operand, u32 n)
{
    const OperandInfo *o = &isa_operand[operand];
    Wide v = read_source(e, u, k, o, n);
    const u32 which = (u32)isa_modifier(operand);
    for (u32 i = 0; i < MAX_CHUNKS && v.c[i] && (o->kind == K_XREG || o->kind == K_VREG); i++)
        v.c[i] = k->facts & OF_FROM_FLOAT ? modify_float(e, u, which, v.c[i])
                                          : modify_int(e, u, which, v.c[i]);
    return v;
}

static void write_result(Emit *e, const Uop *u, const Kind *k, Wide r)
{
    const bool pair = k->pair && !(k->facts & OF_WORD) && !(u->rd & 1);
    const bool narrows = k->pair && !pair && !(k->facts & OF_WORD) && k->facts & OF_TO_FLOAT;
    for (u32 i = 0; narrows && i < chunks_of(e, k->scalar); i++)
        r.c[i] = change_width(e, r.c[i], false);
    if (k->scalar && pair)
        put_x_pair(e, u->rd, r.c[0]);
    else if (k->scalar)
        set_x(e, u->rd, LLVMBuildTrunc(B, r.c[0], e->i32, ""));
    else
        put_v(e, u->rd, &r, pair);
}

bool compute_modified(Emit *e, const Uop *u)
{
    const Effect effect = (Effect)isa_insn[u->id].effect;
    const bool is_float = effect == E_FALU || effect == E_FMAC;
    if ((!is_float && effect != E_ALU && effect != E_MAC) || (is_float && e->r->flags))
        return false;
    const Op op = (Op)isa_insn[u->id].op;
    const FormatInfo *f = isa_format_of((InsnId)u->id);
    Kind k = {.facts = isa_op_of((InsnId)u->id)->facts, .pair = u->mod & MOD_PAIR};
    for (int i = 0; i < f->nopd; i++)
        if ((IsaRole)f->roles[i] == ROLE_D)
            k.scalar = isa_operand[f->opd[i]].kind == K_XREG;
    const u8 reg[3] = {u->ra, u->rb, k.scalar ? u->rc : u->rd};
    Wide s[3] = {{{0}}}, r = {{0}};
    for (int i = 0; i < f->nopd; i++) {
        const IsaRole role = (IsaRole)f->roles[i];
        const u32 n = role == ROLE_A ? 0 : role == ROLE_B ? 1 : 2;
        if (role == ROLE_D ? isa_operand[f->opd[i]].use == USE_RW
                           : role >= ROLE_A && role <= ROLE_C)
            s[n] = source(e, u, &k, (OperandId)f->opd[i], reg[n]);
    }
    const Val zero = k.pair ? quad(e, 0) : word(e, 0);
    for (int i = 0; i < 3; i++) /* one that the instruction has not */
        if (!s[i].c[0])
            s[i] = k.scalar ? (Wide){{zero}} : in_all(e, zero);
    for (u32 i = 0; i < chunks_of(e, k.scalar); i++) {
        const Val a = s[0].c[i], b = s[1].c[i], c = s[2].c[i];
        r.c[i] = is_float ? hostfloat(e, op, u->rm == 7 ? FP_RNE : u->rm, a, b, c)
                          : arith(e, op, a, b, c);
        if (!r.c[i])
            return false;
    }
    write_result(e, u, &k, r);
    return true;
}

/* --- scalar pairs -------------------------------------------------------------------------- */

bool compute_pair(Emit *e, const Uop *u)
{
    const Val a = modify_int(e, u, 0, x_pair(e, u->ra).c[0]);
    const Val b = isa_insn[u->id].format == F_R ? modify_int(e, u, 1, x_pair(e, u->rb).c[0])
                                                : quad(e, (u64)(i64)u->imm);
    const Val r = arith(e, (Op)isa_insn[u->id].op, a, b, NULL);
    if (r)
        put_x_pair(e, u->rd, r);
    return r;
}

/* --- widening and narrowing -------------------------------------------------------------- */

static Wide extend_all(Emit *e, Wide v, bool by_zeros)
{
    for (u32 i = 0; i < e->nchunks; i++)
        v.c[i] = extend(e, v.c[i], by_zeros);
    return v;
}

bool compute_widening(Emit *e, const Uop *u)
{
    const InsnInfo *info = &isa_insn[u->id];
    const Op op = (Op)info->op;
    const u16 facts = isa_op[op].facts;
    const bool scalar = info->format == F_VX || info->format == F_MACX;
    const bool pairs = info->effect == E_WIDEN_W;
    const Wide first =
        pairs ? v_pair(e, u->ra) : extend_all(e, v_word(e, u->ra), facts & OF_UNSIGNED_A);
    const Wide second = scalar  ? extend_all(e, in_all(e, get_x(e, u->rb)), facts & OF_UNSIGNED_B)
                        : pairs ? v_pair(e, u->rb)
                                : extend_all(e, v_word(e, u->rb), facts & OF_UNSIGNED_B);
    const Wide a = modify_ints(e, u, 1, first), b = modify_ints(e, u, 0, second);
    Wide r = {{0}}, sum = {{0}};
    if (info->effect == E_WIDEN_MAC)
        sum = modify_ints(e, u, 2, v_pair(e, u->rd));
    for (u32 i = 0; i < e->nchunks; i++) {
        r.c[i] = op == OP_add || op == OP_addu   ? LLVMBuildAdd(B, a.c[i], b.c[i], "")
                 : op == OP_sub || op == OP_subu ? LLVMBuildSub(B, a.c[i], b.c[i], "")
                                                 : LLVMBuildMul(B, a.c[i], b.c[i], "");
        if (sum.c[i])
            r.c[i] = LLVMBuildAdd(B, sum.c[i], r.c[i], "");
    }
    put_v(e, u->rd, &r, true);
    return true;
}

bool compute_narrowing(Emit *e, const Uop *u)
{
    const InsnInfo *info = &isa_insn[u->id];
    const Op op = (Op)info->op;
    if (op != OP_srl && op != OP_sra)
        return false;
    const Wide shift = info->format == F_VV   ? v_word(e, u->rb)
                       : info->format == F_VX ? in_all(e, get_x(e, u->rb))
                                              : in_all(e, word(e, (u32)u->imm));
    Wide r = modify_ints(e, u, 1, v_pair(e, u->ra));
    for (u32 i = 0; i < e->nchunks; i++)
        r.c[i] = arith(e, op, r.c[i], extend(e, shift.c[i], true), NULL);
    put_v(e, u->rd, &r, false);
    return true;
}
