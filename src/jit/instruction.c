/* instruction.c -- the instructions of a block that do not end it: what they make of registers,
 * here or by the files that compute and access memory. */
#include "isa/op.h"
#include "jit/translate.h"
#include <stddef.h>

#define B e->b

static bool is_scalar(FormatId f)
{
    return f == F_R || f == F_R1 || f == F_RF || f == F_RF1 || f == F_R4 || f == F_I || f == F_SH;
}

/* the second source of a vector instruction, as a row */
static Row second(Emit *e, const Uop *u)
{
    Row b = {{0}};
    switch ((FormatId)isa_insn[u->id].format) {
    case F_VV:
    case F_MVV:
    case F_MACV:
    case F_CPV:
    case F_VB: return get_on(e, u->rb);
    case F_VX:
    case F_MVX:
    case F_MACX:
    case F_CPX: b.c[0] = splat(e, get_x(e, u->rb)); break;
    case F_V1: b.c[0] = splat(e, word(e, 0)); break;
    default: b.c[0] = splat(e, word(e, (u32)u->imm)); break;
    }
    for (u32 i = 1; i < e->nchunks; i++)
        b.c[i] = b.c[0];
    return b;
}

/* destination = op(a, b, c); false: not here */
static bool compute(Emit *e, const Uop *u, bool is_float)
{
    const FormatId f = (FormatId)isa_insn[u->id].format;
    const Op op = (Op)isa_insn[u->id].op;
    const Effect effect = (Effect)isa_insn[u->id].effect;
    const bool three = effect == E_MAC || effect == E_FMAC;
    if (is_float && e->r->flags)
        return false;
    if (is_scalar(f)) {
        const Val a = get_x(e, u->ra);
        const Val b = f == F_I || f == F_SH ? word(e, (u32)u->imm) : get_x(e, u->rb);
        const Val c = three ? get_x(e, u->rc) : NULL;
        const Val v = is_float ? hostfloat(e, op, u->rm == 7 ? FP_RNE : u->rm, a, b, c)
                               : arith(e, op, a, b, c);
        if (v)
            set_x(e, u->rd, v);
        return v;
    }
    if (e->r->flags && (op == OP_div || op == OP_divu || op == OP_rem || op == OP_remu))
        return false; /* they use floats */
    const Pattern pattern = is_float ? (Pattern){.offset = {NULL}} : pattern_result(e, u, op);
    if (is_pattern(&pattern)) {
        set_pattern(e, u->rd, &pattern);
        return true;
    }
    if ((op == OP_divu || op == OP_remu) && f == F_VX) {
        Row a = get_on(e, u->ra);
        divide_by(e, op, a.c, e->nchunks, get_x(e, u->rb));
        set_v(e, u->rd, a);
        return true;
    }
    const bool copies = f == F_CPV || f == F_CPX || f == F_CPI;
    if (f == F_CPV && effect == E_ALU && e->known.half[u->rb].pair.c[0] && writes_all(e, u->rd)) {
        set_half(e, u->rd, e->known.half[u->rb].pair, e->known.half[u->rb].which);
        return true;
    }
    const Row b = second(e, u), a = copies ? b : get_on(e, u->ra);
    const Row c = three ? get_on(e, u->rd) : b;
    Row v = {{0}};
    for (u32 i = 0; i < e->nchunks; i++) {
        v.c[i] = is_float ? hostfloat(e, op, FP_RNE, a.c[i], b.c[i], c.c[i])
                          : arith(e, op, a.c[i], b.c[i], c.c[i]);
        if (!v.c[i])
            return false;
    }
    const Linear linear = effect == E_ALU ? linear_result(e, u, op) : (Linear){.shift = 0};
    set_v(e, u->rd, v);
    e->known.linear[u->rd] = linear;
    return true;
}

static void merge(Emit *e, const Uop *u)
{
    const Row a = get_on(e, u->ra), b = second(e, u);
    Row v = {{0}};
    for (u32 i = 0; i < e->nchunks; i++)
        v.c[i] = LLVMBuildSelect(B, chunk_under_v0(e, i), b.c[i], a.c[i], "");
    set_v(e, u->rd, v);
}

static void lane_numbers(Emit *e, const Uop *u)
{
    Pattern p = {.offset = {NULL}};
    for (u32 i = 0; i < e->nchunks; i++) {
        p.root.c[i] = lanes_constant(e, i, 0, 1);
        p.offset[i] = word(e, 0);
    }
    set_pattern(e, u->rd, &p);
}

static void last_lane(Emit *e, const Uop *u)
{
    if (!e->at->full) {
        call_handler(e);
        return;
    }
    const Row a = get_v(e, u->ra);
    set_x(e, u->rd, LLVMBuildExtractElement(B, a.c[e->nchunks - 1], word(e, e->chunk - 1), ""));
}

static Val launch_field(Emit *e, size_t offset)
{
    Val at_launch = quad(e, offsetof(Group, launch)), at = quad(e, offset);
    const Val group = group_of(e);
    const Val launch =
        LLVMBuildLoad2(B, e->ptr, LLVMBuildInBoundsGEP2(B, e->i8, group, &at_launch, 1, ""), "");
    return LLVMBuildLoad2(B, e->i32, LLVMBuildInBoundsGEP2(B, e->i8, launch, &at, 1, ""), "");
}

static Val group_field(Emit *e, size_t offset)
{
    Val at = quad(e, offset);
    const Val group = group_of(e);
    return LLVMBuildLoad2(B, e->i32, LLVMBuildInBoundsGEP2(B, e->i8, group, &at, 1, ""), "");
}

Val local_base(Emit *e) { return group_field(e, offsetof(Group, lds_base)); }

Val private_base(Emit *e)
{
    const Val base = group_field(e, offsetof(Group, pds_base));
    if (!(e->r->set & V2025))
        return base;
    const Val id = LLVMBuildLoad2(B, e->i32, warp_field(e, offsetof(Warp, id)), "");
    const Val bytes =
        LLVMBuildMul(B, launch_field(e, offsetof(Launch, pds_lane)), word(e, e->lanes), "");
    return LLVMBuildAdd(B, base, LLVMBuildMul(B, id, bytes, ""), "");
}

/* A CSR that keeps its value while the region runs; NULL: not here. */
static Val constant_csr(Emit *e, u32 n)
{
    switch (n) {
    case CSR_tid: return LLVMBuildLoad2(B, e->i32, warp_field(e, offsetof(Warp, tid)), "");
    case CSR_numt: return word(e, e->lanes);
    case CSR_wid: return LLVMBuildLoad2(B, e->i32, warp_field(e, offsetof(Warp, id)), "");
    case CSR_pds: return private_base(e);
    case CSR_knl: return launch_field(e, offsetof(Launch, knl));
    case CSR_numw: return group_field(e, offsetof(Group, nwarps));
    case CSR_wgid: return group_field(e, offsetof(Group, linear));
    case CSR_lds: return local_base(e);
    case CSR_gidx: return group_field(e, offsetof(Group, id[0]));
    case CSR_gidy: return group_field(e, offsetof(Group, id[1]));
    case CSR_gidz: return group_field(e, offsetof(Group, id[2]));
    default: return NULL;
    }
}

static bool csr(Emit *e, const Uop *u)
{
    const u32 n = (u32)u->imm;
    const Op op = (Op)isa_insn[u->id].op;
    /* csrrs and csrrc with x0, or with 0, only read */
    if (op == OP_copy || u->ra) {
        /* start code writes these two; mtvec has no effect */
        const bool is_imm = isa_insn[u->id].format == F_CSRI;
        if (u->rd || (n != CSR_mtvec && n != CSR_mstatus))
            return false;
        if (n == CSR_mtvec)
            return true;
        const Val at = warp_field(e, offsetof(Warp, mstatus));
        const Val old = LLVMBuildLoad2(B, e->i32, at, "");
        const Val new = arith(e, op, old, is_imm ? word(e, u->ra) : get_x(e, u->ra), NULL);
        LLVMBuildStore(B, LLVMBuildAnd(B, new, word(e, 0x88), ""), at);
        return true;
    }
    const Val v = constant_csr(e, n);
    if (v) {
        set_x(e, u->rd, v);
        note_csr(e, n, v);
    }
    return v;
}

static bool is_vector_access(Effect f)
{
    switch (f) {
    case E_VLOAD_UNIT:
    case E_VLOAD_STRIDE:
    case E_VLOAD_INDEX:
    case E_VLOAD_12:
    case E_VLOAD_PRIV11:
    case E_VLOAD_GLOBAL:
    case E_VLOAD_LOCAL:
    case E_VLOAD_PRIVATE:
    case E_VSTORE_UNIT:
    case E_VSTORE_STRIDE:
    case E_VSTORE_INDEX:
    case E_VSTORE_12:
    case E_VSTORE_PRIV11:
    case E_VSTORE_GLOBAL:
    case E_VSTORE_LOCAL:
    case E_VSTORE_PRIVATE: return true;
    default: return false;
    }
}

void emit_instruction(Emit *e, const Uop *u)
{
    bool done = true;
    const Effect effect = (Effect)isa_insn[u->id].effect;
    if (e->quick && e->at->facts[e->k]->access != ACCESS_NONE && effect != E_LOAD) {
        if (!is_vector_access(effect) || !quick_access(e, u))
            call_handler(e);
        return;
    }
    switch (effect) {
    case E_ALU:
    case E_MAC: done = u->mod ? compute_modified(e, u) : compute(e, u, false); break;
    case E_FALU:
    case E_FMAC: done = u->mod ? compute_modified(e, u) : compute(e, u, true); break;
    case E_PAIR: done = compute_pair(e, u); break;
    case E_WIDEN:
    case E_WIDEN_W:
    case E_WIDEN_MAC: done = compute_widening(e, u); break;
    case E_NARROW: done = compute_narrowing(e, u); break;
    case E_LUI:
    case E_AUIPC: set_x(e, u->rd, word(e, (u32)u->imm)); break;
    case E_MERGE: merge(e, u); break;
    case E_VID: lane_numbers(e, u); break;
    case E_MMA:
    case E_MMA64: done = multiply_matrices(e, u); break;
    case E_TOSCALAR: last_lane(e, u); break;
    case E_CSR: done = csr(e, u); break;
    case E_SETRPC: {
        const Val rpc = LLVMBuildAdd(B, get_x(e, u->ra), word(e, (u32)u->imm), "");
        LLVMBuildStore(B, rpc, warp_field(e, offsetof(Warp, rpc)));
        set_x(e, u->rd, rpc);
        break;
    }
    case E_FENCE:
        LLVMBuildFence(B, LLVMAtomicOrderingSequentiallyConsistent, false, "");
        streams_forget(e);
        break;
    case E_SUBBARRIER: streams_forget(e); break;
    case E_REGEXT:
    case E_REGEXTI: break;
    case E_LOAD:
    case E_STORE: done = access_scalar(e, u); break;
    default: done = is_vector_access(effect) && access_vector(e, u);
    }
    if (!done)
        call_handler(e);
}
