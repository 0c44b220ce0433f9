/* translate.c -- the function of a region: entries, blocks, control flow, exits.
 *
 * Registers live in homes (allocas), which LLVM's mem2reg makes SSA values and phis; within a block
 * their values are kept here, and go to the homes at its end.  Exits write registers to the warp:
 * those that may be read later and that the region writes at all.
 *
 * In quick code (CodeKind) the warp is the home: exits have nothing to write, entries nothing to
 * read, and handlers that do the rest find registers where they look for them.
 *
 * A block in its full version has all lanes on, as a constant.  In the other version the
 * lanes are a value, and what an instruction writes is selected by them.
 */
#include "jit/translate.h"
#include "sim/handlers.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define B e->b

/* --- small things -------------------------------------------------------------------------- */

Val word(Emit *e, u32 value) { return LLVMConstInt(e->i32, value, false); }

Val quad(Emit *e, u64 value) { return LLVMConstInt(e->i64, value, false); }

Val lanes_constant(Emit *e, u32 chunk, u32 first, u32 step)
{
    Val lane[MAX_LANES];
    for (u32 i = 0; i < e->chunk; i++)
        lane[i] = word(e, first + (chunk * e->chunk + i) * step);
    return LLVMConstVector(lane, e->chunk);
}

Val splat(Emit *e, Val v)
{
    if (LLVMIsConstant(v))
        return constant_like(LLVMGetUndef(e->row), (u32)LLVMConstIntGetZExtValue(v));
    const Val one = LLVMBuildInsertElement(B, LLVMGetPoison(e->row), v, word(e, 0), "");
    const Val mask = LLVMConstNull(LLVMVectorType(e->i32, e->chunk));
    return LLVMBuildShuffleVector(B, one, LLVMGetPoison(e->row), mask, "");
}

LLVMBasicBlockRef new_block(Emit *e, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->c, e->fn, name);
}

void branch_likely(Emit *e, Val cond, LLVMBasicBlockRef then, LLVMBasicBlockRef other)
{
    LLVMSetMetadata(LLVMBuildCondBr(B, cond, then, other), e->weights, e->likely);
}

Val warp_field(Emit *e, size_t offset)
{
    Val at = quad(e, offset);
    return LLVMBuildInBoundsGEP2(B, e->i8, e->warp, &at, 1, "");
}

Val group_of(Emit *e)
{
    return e->group ? e->group
                    : LLVMBuildLoad2(B, e->ptr, warp_field(e, offsetof(Warp, group)), "");
}

Val env_field(Emit *e, LLVMTypeRef t, size_t offset)
{
    Val at = quad(e, offset);
    return LLVMBuildLoad2(B, t, LLVMBuildInBoundsGEP2(B, e->i8, e->env, &at, 1, ""), "");
}

Val intrinsic(Emit *e, const char *name, LLVMTypeRef *types, u32 ntypes, Val *args, u32 nargs)
{
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    const LLVMTypeRef t = LLVMIntrinsicGetType(e->c, id, types, ntypes);
    return LLVMBuildCall2(B, t, LLVMGetIntrinsicDeclaration(e->m, id, types, ntypes), args, nargs,
                          "");
}

u32 lanes_mask(const Emit *e) { return e->lanes == 32 ? UINT32_MAX : (1u << e->lanes) - 1; }

/* --- registers ------------------------------------------------------------------------------ */

static Val row_load(Emit *e, Val at)
{
    const Val v = LLVMBuildLoad2(B, e->row, at, "");
    LLVMSetAlignment(v, 4 * e->chunk);
    return v;
}

static Val x_field(Emit *e, u32 n) { return warp_field(e, offsetof(Warp, x) + 4 * (size_t)n); }
static Val v_field(Emit *e, u32 n, u32 chunk)
{
    return warp_field(e, offsetof(Warp, v) + sizeof(u32[MAX_LANES]) * n +
                             4 * (size_t)chunk * e->chunk);
}

/* where registers are between blocks */
static Val x_home(Emit *e, u32 n) { return e->quick ? x_field(e, n) : e->x_home[n]; }
static Val v_home(Emit *e, u32 n, u32 chunk)
{
    return e->quick ? v_field(e, n, chunk) : e->v_home[n][chunk];
}

Val reload_x(Emit *e, u32 n) { return LLVMBuildLoad2(B, e->i32, x_field(e, n), ""); }
Val reload_v(Emit *e, u32 n, u32 chunk) { return row_load(e, v_field(e, n, chunk)); }

static void row_store(Emit *e, Val v, Val at)
{
    LLVMSetAlignment(LLVMBuildStore(B, v, at), 4 * e->chunk);
}

static void store_v(Emit *e, u32 n, u32 chunk, Val v) { row_store(e, v, v_field(e, n, chunk)); }

/* Whether the register may be other than 0 (Region.fresh); if not, it has no home. */
static bool has_x(const Emit *e, u32 n) { return !e->r->fresh || e->r->written.x >> n & 1; }
static bool has_v(const Emit *e, u32 n) { return !e->r->fresh || regset_has_v(&e->r->written, n); }

/* the present value, which is not noted: for LLVM blocks that no other follows */
static Val peek_x(Emit *e, u32 n)
{
    if (!e->x[n] && !has_x(e, n))
        return word(e, 0);
    return e->x[n] ? e->x[n] : LLVMBuildLoad2(B, e->i32, x_home(e, n), "");
}
static Val peek_v(Emit *e, u32 n, u32 chunk)
{
    if (!e->v[n].c[0] && !has_v(e, n))
        return LLVMConstNull(e->row);
    return e->v[n].c[0] ? e->v[n].c[chunk] : row_load(e, v_home(e, n, chunk));
}

Val get_x(Emit *e, u32 n)
{
    if (!n)
        return word(e, 0);
    return e->x[n] = peek_x(e, n);
}

void set_x(Emit *e, u32 n, Val v)
{
    if (!n)
        return;
    e->x[n] = v;
    e->x_dirty |= (u64)1 << n;
}

Row get_v(Emit *e, u32 n)
{
    if (!e->v[n].c[0])
        for (u32 i = e->nchunks; i-- > 0;)
            e->v[n].c[i] = peek_v(e, n, i);
    return e->v[n];
}

static void put_v(Emit *e, u32 n, Row v)
{
    e->v[n] = v;
    e->linear[n].root.c[0] = NULL;
    e->v_dirty[n >> 6] |= (u64)1 << (n & 63);
}

Val mask_chunk(Emit *e, Val mask, u32 chunk)
{
    const Val part = LLVMBuildLShr(B, mask, word(e, chunk * e->chunk), "");
    return LLVMBuildBitCast(B, LLVMBuildTrunc(B, part, LLVMIntTypeInContext(e->c, e->chunk), ""),
                            e->mrow, "");
}

static Val under_v0(Emit *e, u32 chunk)
{
    const Row v0 = get_v(e, 0);
    if (e->r->vm == VM_IGNORE)
        return LLVMConstAllOnes(e->mrow);
    if (e->r->vm == VM_OWN)
        return LLVMBuildTrunc(B, v0.c[chunk], e->mrow, "");
    const Val bits = splat(e, LLVMBuildExtractElement(B, v0.c[0], word(e, 0), ""));
    return LLVMBuildTrunc(B, LLVMBuildLShr(B, bits, lanes_constant(e, chunk, 0, 1), ""), e->mrow,
                          "");
}

static Val on_chunk(Emit *e, u32 chunk)
{
    const Val on = e->at->full ? NULL : e->on.c[chunk];
    if (!e->at->facts[e->k]->masked)
        return on;
    const Val under = under_v0(e, chunk);
    return on ? LLVMBuildAnd(B, on, under, "") : under;
}

/* Whether what the instruction writes to the row may go to lanes that are off, too. */
static bool writes_all(const Emit *e, u32 n)
{
    return !e->at->facts[e->k]->masked && (e->at->full || !regset_has_v(&e->at->kept, n));
}

void set_v(Emit *e, u32 n, Row v)
{
    Row new = {{0}};
    if (writes_all(e, n)) {
        put_v(e, n, v);
        return;
    }
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val on = on_chunk(e, i);
        new.c[i] = on ? LLVMBuildSelect(B, on, v.c[i], get_v(e, n).c[i], "") : v.c[i];
    }
    put_v(e, n, new);
}

/* the homes get the registers that the block wrote */
static void flush_registers(Emit *e)
{
    for (u32 n = 1; n < 64; n++)
        if (e->x_dirty >> n & 1)
            LLVMBuildStore(B, e->x[n], x_home(e, n));
    for (u32 n = 0; n < 256; n++)
        if (e->v_dirty[n >> 6] >> (n & 63) & 1)
            for (u32 i = 0; i < e->nchunks; i++)
                LLVMSetAlignment(LLVMBuildStore(B, e->v[n].c[i], v_home(e, n, i)), 4 * e->chunk);
}

/* the homes get what the block has done */
static void flush(Emit *e)
{
    flush_registers(e);
    LLVMBuildStore(B, LLVMBuildAdd(B, e->insns, quad(e, e->retired), ""), e->insns_home);
}

/* --- handlers -------------------------------------------------------------------------------- */

static void add_attribute(Emit *e, Val fn, const char *name, const char *value)
{
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(e->c, name, (unsigned)strlen(name), value,
                                                      (unsigned)strlen(value)));
}

/* A helper keeps all registers of the host but those of its arguments, where the host has many
 * registers; else it is called like any function. */
void make_kept(Emit *e, const char *name, LLVMTypeRef t)
{
    char features[4096];
    e->fn = LLVMAddFunction(e->m, name, t);
    /* vzeroupper before it returns would undo what it restored */
    snprintf(features, sizeof features, "%s%s-vzeroupper", e->host->features,
             *e->host->features ? "," : "");
    if (e->host->gathers) {
        add_attribute(e, e->fn, "no_caller_saved_registers", "");
        add_attribute(e, e->fn, "target-cpu", e->host->cpu);
        add_attribute(e, e->fn, "target-features", features);
    }
    add_attribute(e, e->fn, "prefer-vector-width", "512");
    add_attribute(e, e->fn, "min-legal-vector-width", "512");
    LLVMAddAttributeAtIndex(
        e->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateEnumAttribute(e->c, LLVMGetEnumAttributeKindForName("noredzone", 9), 0));
    LLVMPositionBuilderAtEnd(B, new_block(e, "entry"));
}

/* The call in assembly: LLVM has no call that keeps registers and says which ones the arguments
 * lose. */
static Val call_kept(Emit *e, Val f, Val *args, u32 n, u32 nresults, Val *results)
{
    static const char *const general[] = {"rdi", "rsi", "rdx", "rcx", "r8", "r9"};
    LLVMTypeRef type[1 + 16];
    Val in[1 + 16] = {f};
    char outs[400] = "={rax}", ins[400] = ",0";
    u32 ngeneral = 0, nrows = 0;
    type[0] = e->i64;
    for (u32 i = 0; i < n; i++) {
        const bool is_row = LLVMGetTypeKind(LLVMTypeOf(args[i])) == LLVMVectorTypeKind;
        char one[24];
        if (is_row)
            snprintf(one, sizeof one, ",={%cmm%u}",
                     e->chunk == 16  ? 'z'
                     : e->chunk == 8 ? 'y'
                                     : 'x',
                     nrows++);
        else
            snprintf(one, sizeof one, ",={%s}", general[ngeneral++]);
        strcat(outs, one);
        snprintf(one, sizeof one, ",%u", i + 1);
        strcat(ins, one);
        type[i + 1] = LLVMTypeOf(args[i]);
        in[i + 1] = args[i];
    }
    strcat(outs, ins);
    strcat(outs, ",~{flags},~{memory}");
    const LLVMTypeRef all = LLVMStructTypeInContext(e->c, type, n + 1, false);
    const LLVMTypeRef t = LLVMFunctionType(all, type, n + 1, false);
    char text[] = "call *%rax";
    const Val code = LLVMGetInlineAsm(t, text, strlen(text), outs, strlen(outs), true, true,
                                      LLVMInlineAsmDialectATT, false);
    const Val got = LLVMBuildCall2(B, t, code, in, n + 1, "");
    for (u32 i = 0, k = 0; i < n && k < nresults; i++)
        if (LLVMGetTypeKind(type[i + 1]) == LLVMVectorTypeKind)
            results[k++] = LLVMBuildExtractValue(B, got, i + 1, "");
    return LLVMBuildExtractValue(B, got, 0, "");
}

u32 helper_number(const Helper *h)
{
    static const u8 widths[NOP] = {[OP_b] = 0, [OP_h] = 1, [OP_w] = 2, [OP_bu] = 3, [OP_hu] = 4};
    const u32 lanes = (u32)__builtin_ctz(h->lanes | 32) - 2;
    return h->is_keep ? 0 : 1 + ((lanes * 2 + h->stores) * 2 + h->full) * 5 + widths[h->op];
}

Helper helper_of(u32 number)
{
    static const Op widths[] = {OP_b, OP_h, OP_w, OP_bu, OP_hu};
    const u32 n = number - 1;
    if (!number)
        return (Helper){.is_keep = true};
    return (Helper){
        .op = widths[n % 5], .full = n / 5 & 1, .stores = n / 10 & 1, .lanes = 4u << n / 20};
}

Val call_helper(Emit *e, const Helper *h, LLVMTypeRef t, Val *args, u32 n, u32 nresults,
                Val *results)
{
    const u32 number = helper_number(h);
    Val index = quad(e, number);
    e->helpers[number / 64] |= (u64)1 << number % 64;
    const Val all = env_field(e, e->ptr, offsetof(HostEnv, helper));
    const Val place = LLVMBuildInBoundsGEP2(B, e->ptr, all, &index, 1, "");
    if (e->host->gathers)
        return call_kept(e, LLVMBuildLoad2(B, e->i64, place, ""), args, n, nresults, results);
    const Val got = LLVMBuildCall2(B, t, LLVMBuildLoad2(B, e->ptr, place, ""), args, n, "");
    for (u32 i = 0; i < nresults; i++)
        results[i] = LLVMBuildExtractValue(B, got, i, "");
    return nresults ? LLVMBuildExtractValue(B, got, nresults, "") : got;
}

Val note_place(Emit *e)
{
    LLVMBuildStore(B, LLVMBuildAdd(B, e->insns, quad(e, e->retired), ""),
                   warp_field(e, offsetof(Warp, ninsns)));
    Val at = quad(e, e->first_uop[e->index] + e->k);
    return LLVMBuildLoad2(B, e->ptr, LLVMBuildInBoundsGEP2(B, e->ptr, e->uops, &at, 1, ""), "");
}

static void write_back_x(Emit *e, u32 n)
{
    if (!e->quick || e->x_dirty >> n & 1 || !has_x(e, n))
        LLVMBuildStore(B, get_x(e, n), x_field(e, n));
    if (e->quick)
        e->x_dirty &= ~((u64)1 << n);
}

static void write_back_v(Emit *e, u32 n)
{
    u64 *dirty = &e->v_dirty[n >> 6];
    const u64 bit = (u64)1 << (n & 63);
    for (u32 i = 0; (!e->quick || *dirty & bit || !has_v(e, n)) && i < e->nchunks; i++)
        store_v(e, n, i, get_v(e, n).c[i]);
    if (e->quick)
        *dirty &= ~bit;
}

void read_sources(Emit *e)
{
    const RegUse use = block_use(e->at, e->k);
    for (u32 n = 1; n < 64; n++)
        if (use.reads.x >> n & 1)
            get_x(e, n);
    for (u32 n = 0; n < 256; n++)
        if (regset_has_v(&use.reads, n))
            get_v(e, n);
}

void run_handler(Emit *e)
{
    const RegUse use = block_use(e->at, e->k);
    for (u32 n = 1; n < 64; n++)
        if (use.reads.x >> n & 1)
            write_back_x(e, n);
    for (u32 n = 0; n < 256; n++)
        if (regset_has_v(&use.reads, n))
            write_back_v(e, n);
    const Val uop = note_place(e);
    const Val ok = LLVMBuildCall2(B, e->one_type, e->one, (Val[]){e->warp, uop, e->mask}, 3, "");
    const LLVMBasicBlockRef on = new_block(e, "");
    branch_likely(e, LLVMBuildTrunc(B, ok, e->i1, ""), on, e->stop);
    LLVMPositionBuilderAtEnd(B, on);
}

void call_handler(Emit *e)
{
    const RegUse use = block_use(e->at, e->k);
    run_handler(e);
    for (u32 n = 1; n < 64; n++)
        if (use.writes.x >> n & 1) {
            e->x_dirty &= ~((u64)1 << n); /* there is a newer value */
            if (e->quick)
                e->x[n] = NULL;
            else
                set_x(e, n, reload_x(e, n));
        }
    for (u32 n = 0; n < 256; n++) {
        Row v = {{0}};
        if (!regset_has_v(&use.writes, n))
            continue;
        for (u32 i = 0; !e->quick && i < e->nchunks; i++)
            v.c[i] = reload_v(e, n, i);
        put_v(e, n, v);
        if (e->quick)
            e->v_dirty[n >> 6] &= ~((u64)1 << (n & 63));
    }
}

/* --- instructions ------------------------------------------------------------------------ */

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
    case F_VB: return get_v(e, u->rb);
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

Linear linear_of(Emit *e, u32 n)
{
    if (e->linear[n].root.c[0])
        return e->linear[n];
    return (Linear){get_v(e, n), 0, word(e, 0)};
}

/* What the instruction makes of all lanes, if that is a row plus a scalar; else the root is empty.
 */
static Linear linear_result(Emit *e, const Uop *u, Op op)
{
    const FormatId f = (FormatId)isa_insn[u->id].format;
    if (!writes_all(e, u->rd) || e->quick)
        return (Linear){.shift = 0};
    if (f == F_CPV)
        return linear_of(e, u->rb);
    Linear a = linear_of(e, u->ra);
    if ((f == F_VX || f == F_VI) && (op == OP_add || op == OP_sub)) {
        const Val b = f == F_VX ? get_x(e, u->rb) : word(e, (u32)u->imm);
        a.offset =
            op == OP_add ? LLVMBuildAdd(B, a.offset, b, "") : LLVMBuildSub(B, a.offset, b, "");
        return a;
    }
    if (op == OP_sll && f != F_VX && f != F_VV && a.shift + ((u32)u->imm & 31) < 32) {
        a.shift += (u32)u->imm & 31;
        a.offset = LLVMBuildShl(B, a.offset, word(e, (u32)u->imm & 31), "");
        return a;
    }
    return (Linear){.shift = 0};
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
    if ((op == OP_divu || op == OP_remu) && f == F_VX) {
        set_v(e, u->rd, divide_by(e, get_v(e, u->ra), get_x(e, u->rb), op == OP_remu));
        return true;
    }
    const bool copies = f == F_CPV || f == F_CPX || f == F_CPI;
    const Row b = second(e, u), a = copies ? b : get_v(e, u->ra);
    const Row c = three ? get_v(e, u->rd) : b;
    Row v = {{0}};
    for (u32 i = 0; i < e->nchunks; i++) {
        v.c[i] = is_float ? hostfloat(e, op, FP_RNE, a.c[i], b.c[i], c.c[i])
                          : arith(e, op, a.c[i], b.c[i], c.c[i]);
        if (!v.c[i])
            return false;
    }
    const Linear linear = effect == E_ALU ? linear_result(e, u, op) : (Linear){.shift = 0};
    set_v(e, u->rd, v);
    e->linear[u->rd] = linear;
    return true;
}

static void merge(Emit *e, const Uop *u)
{
    const Row a = get_v(e, u->ra), b = second(e, u);
    Row v = {{0}};
    for (u32 i = 0; i < e->nchunks; i++)
        v.c[i] = LLVMBuildSelect(B, under_v0(e, i), b.c[i], a.c[i], "");
    set_v(e, u->rd, v);
}

static void lane_numbers(Emit *e, const Uop *u)
{
    Row v = {{0}};
    for (u32 i = 0; i < e->nchunks; i++)
        v.c[i] = lanes_constant(e, i, 0, 1);
    set_v(e, u->rd, v);
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
    if (v)
        set_x(e, u->rd, v);
    return v;
}

/* an instruction that does not end the block */
static void instruction(Emit *e, const Uop *u)
{
    bool done = true;
    if (e->quick && e->at->facts[e->k]->access != ACCESS_NONE) {
        call_handler(e);
        return;
    }
    switch ((Effect)isa_insn[u->id].effect) {
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
    case E_SUBBARRIER:
    case E_REGEXT:
    case E_REGEXTI: break;
    case E_LOAD:
    case E_STORE: done = access_scalar(e, u); break;
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
    case E_VSTORE_PRIVATE: done = access_vector(e, u); break;
    default: done = false;
    }
    if (!done)
        call_handler(e);
}

/* --- exits ------------------------------------------------------------------------------- */

static const RegSet nothing, everything = {~(u64)1, {~(u64)0, ~(u64)0, ~(u64)0, ~(u64)0}};

/* Writes back the registers of the set and ends the function.  The block has retired
 * `retired` instructions. */
static void leave(Emit *e, Val pc, const RegSet *live, u32 retired, u32 code)
{
    for (u32 n = 1; !e->quick && n < 64; n++)
        if (live->x & e->r->written.x & (u64)1 << n)
            LLVMBuildStore(B, peek_x(e, n), x_field(e, n));
    for (u32 n = 0; !e->quick && n < 256; n++)
        for (u32 i = 0; regset_has_v(live, n) && regset_has_v(&e->r->written, n) && i < e->nchunks;
             i++)
            store_v(e, n, i, peek_v(e, n, i));
    LLVMBuildStore(B, LLVMBuildAdd(B, e->insns, quad(e, retired), ""),
                   warp_field(e, offsetof(Warp, ninsns)));
    LLVMBuildStore(B, pc, warp_field(e, offsetof(Warp, pc)));
    LLVMBuildStore(B, e->mask, warp_field(e, offsetof(Warp, mask)));
    LLVMBuildRet(B, word(e, code));
}

/* Goes on at pc in that version; the homes are up to date. */
static LLVMBasicBlockRef target(Emit *e, u32 pc, bool full)
{
    const int to = region_find(e->r, pc, full);
    if (to >= 0)
        return e->start[to];
    const LLVMBasicBlockRef here = LLVMGetInsertBlock(B), out = new_block(e, "out");
    LLVMPositionBuilderAtEnd(B, out);
    leave(e, word(e, pc), &everything, e->retired, (u32)HOST_ANYWHERE);
    LLVMPositionBuilderAtEnd(B, here);
    return out;
}

/* --- divergence -------------------------------------------------------------------------- */

/* The lanes for which the comparison holds, of those that are on, as i1. */
static Row taken_row(Emit *e, const Uop *u)
{
    const Row a = get_v(e, u->ra), b = get_v(e, u->rb);
    Row taken = {{0}};
    for (u32 i = 0; i < e->nchunks; i++) {
        taken.c[i] =
            LLVMBuildTrunc(B, arith(e, (Op)isa_insn[u->id].op, a.c[i], b.c[i], NULL), e->mrow, "");
        if (!e->at->full)
            taken.c[i] = LLVMBuildAnd(B, taken.c[i], e->on.c[i], "");
    }
    return taken;
}

/* Such lanes as an i32. */
static Val lanes_of(Emit *e, const Row *on)
{
    const LLVMTypeRef bits = LLVMIntTypeInContext(e->c, e->chunk);
    Val set = NULL;
    for (u32 i = 0; i < e->nchunks; i++) {
        Val part = LLVMBuildZExtOrBitCast(B, LLVMBuildBitCast(B, on->c[i], bits, ""), e->i32, "");
        part = LLVMBuildShl(B, part, word(e, i * e->chunk), "");
        set = set ? LLVMBuildOr(B, set, part, "") : part;
    }
    return set;
}

static Val entry_at(Emit *e, Val n)
{
    const Val stack = LLVMBuildLoad2(B, e->ptr, warp_field(e, offsetof(Warp, simt)), "");
    Val at = LLVMBuildMul(B, LLVMBuildZExt(B, n, e->i64, ""), quad(e, sizeof(SimtEntry)), "");
    return LLVMBuildInBoundsGEP2(B, e->i8, stack, &at, 1, "");
}

static Val entry_field(Emit *e, Val entry, size_t offset)
{
    Val at = quad(e, offset);
    return LLVMBuildInBoundsGEP2(B, e->i8, entry, &at, 1, "");
}

static void push(Emit *e, Val n, u32 rpc, Val pc, Val mask)
{
    const Val entry = entry_at(e, n);
    LLVMBuildStore(B, word(e, rpc), entry_field(e, entry, offsetof(SimtEntry, rpc)));
    LLVMBuildStore(B, pc, entry_field(e, entry, offsetof(SimtEntry, pc)));
    LLVMBuildStore(B, mask, entry_field(e, entry, offsetof(SimtEntry, mask)));
}

static Val depth(Emit *e)
{
    return LLVMBuildLoad2(B, e->i32, warp_field(e, offsetof(Warp, nsimt)), "");
}

/* Both sides have lanes (mach/simt.c has the rule): makes room on the stack, pushes two entries and
 * goes on with the side with fewer lanes. */
static void diverge(Emit *e, Val taken)
{
    const RegionBlock *b = e->at;
    const Val n = depth(e), after = LLVMBuildAdd(B, n, word(e, 2), "");
    const Val cap = LLVMBuildLoad2(B, e->i32, warp_field(e, offsetof(Warp, capsimt)), "");
    const Val room =
        LLVMBuildSelect(B, LLVMBuildICmp(B, LLVMIntULT, cap, e->depth, ""), cap, e->depth, "");
    const LLVMBasicBlockRef grow = new_block(e, "grow"), refused = new_block(e, "refused"),
                            go_on = new_block(e, "diverge");
    branch_likely(e, LLVMBuildICmp(B, LLVMIntULE, after, room, ""), go_on, grow);
    LLVMPositionBuilderAtEnd(B, grow);
    const Val grown = LLVMBuildCall2(B, e->deepen_type, e->deepen, &e->warp, 1, "");
    branch_likely(e, LLVMBuildTrunc(B, grown, e->i1, ""), go_on, refused);
    LLVMPositionBuilderAtEnd(B, refused); /* it will fault, when it has compared once more */
    const Uop *u = b->uop[b->nuop - 1];
    leave(e, word(e, u->pc), &b->before_end, e->retired - uop_insns(u), (u32)HOST_ANYWHERE);

    LLVMPositionBuilderAtEnd(B, go_on);
    const Val rest = LLVMBuildAnd(B, e->mask, LLVMBuildNot(B, taken, ""), "");
    Val t = taken, r = rest;
    const Val ntaken = intrinsic(e, "llvm.ctpop", &e->i32, 1, &t, 1);
    const Val nrest = intrinsic(e, "llvm.ctpop", &e->i32, 1, &r, 1);
    const Val next_first = LLVMBuildICmp(B, LLVMIntULT, nrest, ntaken, "");
    push(e, n, b->meet_pc, word(e, b->meet_pc), e->mask);
    push(e, LLVMBuildAdd(B, n, word(e, 1), ""), b->meet_pc,
         LLVMBuildSelect(B, next_first, word(e, b->target_pc), word(e, b->next_pc), ""),
         LLVMBuildSelect(B, next_first, taken, rest, ""));
    LLVMBuildStore(B, after, warp_field(e, offsetof(Warp, nsimt)));
    LLVMBuildStore(B, LLVMBuildSelect(B, next_first, rest, taken, ""), e->mask_home);
    LLVMBuildCondBr(B, next_first, target(e, b->next_pc, false), target(e, b->target_pc, false));
}

/* Computes the side that begins at pc, for these lanes. */
static void compute_side(Emit *e, u32 pc, const Row *on)
{
    const RegionBlock *at = e->at;
    const Row all = e->on;
    const Val mask = e->mask;
    const u32 index = e->index, uop = e->k;
    if (pc == at->meet_pc)
        return;
    e->index = (u32)region_find(e->r, pc, false);
    e->at = &e->r->block[e->index];
    e->on = *on;
    e->mask = lanes_of(e, on);
    for (e->k = 0; e->k + (e->at->end == END_JUMP) < e->at->nuop; e->k++)
        instruction(e, e->at->uop[e->k]);
    e->at = at;
    e->on = all;
    e->mask = mask;
    e->index = index;
    e->k = uop;
}

/* `n` instructions where the condition holds, as i64. */
static Val insns_if(Emit *e, Val cond, u32 n)
{
    return LLVMBuildSelect(B, cond, quad(e, n), quad(e, 0), "");
}

/* Both sides of a branch, each for its lanes (sides.c); on at the join, to which lanes that part
 * come three times: from the sides, and all together.  The stack must have room as if it were used.
 */
static void compute_sides(Emit *e, const Uop *u)
{
    const RegionBlock *b = e->at;
    const Row taken = taken_row(e, u);
    Row rest = {{0}};
    for (u32 i = 0; i < e->nchunks; i++)
        rest.c[i] = LLVMBuildAnd(B, b->full ? LLVMConstAllOnes(e->mrow) : e->on.c[i],
                                 LLVMBuildNot(B, taken.c[i], ""), "");
    const Val some = LLVMBuildICmp(B, LLVMIntNE, lanes_of(e, &taken), word(e, 0), "");
    const Val others = LLVMBuildICmp(B, LLVMIntNE, lanes_of(e, &rest), word(e, 0), "");
    const Val both = LLVMBuildAnd(B, some, others, "");

    const LLVMBasicBlockRef sides = new_block(e, "sides"), deep = new_block(e, "deep"),
                            refused = new_block(e, "refused");
    const Val depth_after = b->full ? word(e, 2) : LLVMBuildAdd(B, depth(e), word(e, 2), "");
    branch_likely(e, LLVMBuildICmp(B, LLVMIntULE, depth_after, e->depth, ""), sides, deep);
    LLVMPositionBuilderAtEnd(B, deep);
    LLVMBuildCondBr(B, both, refused, sides);
    LLVMPositionBuilderAtEnd(B, refused); /* it will fault, when it has compared once more */
    leave(e, word(e, u->pc), &b->before_end, e->retired - uop_insns(u), (u32)HOST_ANYWHERE);

    LLVMPositionBuilderAtEnd(B, sides);
    compute_side(e, b->next_pc, &rest);
    compute_side(e, b->target_pc, &taken);
    flush_registers(e);
    Val insns = LLVMBuildAdd(B, e->insns, quad(e, e->retired), "");
    insns = LLVMBuildAdd(B, insns, insns_if(e, others, b->side_insns[0]), "");
    insns = LLVMBuildAdd(B, insns, insns_if(e, some, b->side_insns[1]), "");
    insns = LLVMBuildAdd(B, insns, insns_if(e, both, 2), "");
    LLVMBuildStore(B, insns, e->insns_home);
    LLVMBuildBr(B, target(e, b->meet_pc, b->full));
}

static void split(Emit *e, const Uop *u)
{
    const RegionBlock *b = e->at;
    if (b->together) {
        compute_sides(e, u);
        return;
    }
    const Row row = taken_row(e, u);
    const Val taken = lanes_of(e, &row);
    const LLVMBasicBlockRef some = new_block(e, "some"), both = new_block(e, "both");
    flush(e);
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, taken, word(e, 0), ""),
                    target(e, b->next_pc, b->full), some);
    LLVMPositionBuilderAtEnd(B, some);
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, taken, e->mask, ""),
                    target(e, b->target_pc, b->full), both);
    LLVMPositionBuilderAtEnd(B, both);
    diverge(e, taken);
}

/* The entries that a join pops were pushed by this region: its own sides, or the restored mask. */
static void join(Emit *e)
{
    const RegionBlock *b = e->at;
    flush(e);
    if (b->full || !b->pops) {
        LLVMBuildBr(B, target(e, b->next_pc, b->full));
        return;
    }
    const LLVMBasicBlockRef next = target(e, b->next_pc, false), look = new_block(e, "look"),
                            pop = new_block(e, "pop"), restored = new_block(e, "restored");
    const Val n = depth(e), top = LLVMBuildSub(B, n, word(e, 1), "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, n, word(e, 0), ""), next, look);
    LLVMPositionBuilderAtEnd(B, look);
    const Val entry = entry_at(e, top);
    const Val rpc = LLVMBuildLoad2(B, e->i32, entry_field(e, entry, offsetof(SimtEntry, rpc)), "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, rpc, word(e, b->pc), ""), pop, next);
    LLVMPositionBuilderAtEnd(B, pop);
    const Val pc = LLVMBuildLoad2(B, e->i32, entry_field(e, entry, offsetof(SimtEntry, pc)), "");
    const Val mask =
        LLVMBuildLoad2(B, e->i32, entry_field(e, entry, offsetof(SimtEntry, mask)), "");
    LLVMBuildStore(B, top, warp_field(e, offsetof(Warp, nsimt)));
    LLVMBuildStore(B, mask, e->mask_home);
    const Val cases = LLVMBuildSwitch(B, pc, e->stop, b->nsucc + 1);
    LLVMAddCase(cases, word(e, b->pc), restored);
    for (u32 i = 0; i < b->nsucc; i++) {
        const RegionBlock *to = &e->r->block[b->succ[i]];
        if (to->pc != b->pc && !to->full)
            LLVMAddCase(cases, word(e, to->pc), e->start[b->succ[i]]);
    }
    LLVMPositionBuilderAtEnd(B, restored);
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, mask, word(e, lanes_mask(e)), ""),
                    target(e, b->pc, true), target(e, b->pc, false));
}

/* --- other ends -------------------------------------------------------------------------- */

static void branch(Emit *e, const Uop *u)
{
    const Val cond = arith(e, (Op)isa_insn[u->id].op, get_x(e, u->ra), get_x(e, u->rb), NULL);
    flush(e);
    LLVMBuildCondBr(B, LLVMBuildTrunc(B, cond, e->i1, ""), target(e, e->at->target_pc, e->at->full),
                    target(e, e->at->next_pc, e->at->full));
}

static void indirect(Emit *e, const Uop *u)
{
    const RegionBlock *b = e->at;
    Val to = LLVMBuildAdd(B, get_x(e, u->ra), word(e, (u32)u->imm), "");
    set_x(e, u->rd, word(e, b->next_pc));
    flush(e);
    const LLVMBasicBlockRef out = new_block(e, "out");
    const Val cases = LLVMBuildSwitch(B, to, out, 8);
    const u32 one[1] = {b->target_pc};
    const u32 *at = u->rd ? one : e->r->returns, n = u->rd ? b->target_pc != 0 : e->r->nreturns;
    for (u32 i = 0; i < n; i++)
        if (region_find(e->r, at[i], b->full) >= 0)
            LLVMAddCase(cases, word(e, at[i]), target(e, at[i], b->full));
    LLVMPositionBuilderAtEnd(B, out);
    to = LLVMBuildAnd(B, to, word(e, ~1u), "");
    leave(e, to, &everything, e->retired, (u32)HOST_ANYWHERE);
}

/* A barrier, or the end of the warp; a diverged warp is left to the interpreter. */
static void stop_warp(Emit *e, const Uop *u, u8 state, const RegSet *live)
{
    const Val initial = e->repeats
                            ? word(e, lanes_mask(e))
                            : LLVMBuildLoad2(B, e->i32, warp_field(e, offsetof(Warp, initial)), "");
    if (e->quick)
        flush(e);
    const LLVMBasicBlockRef all = new_block(e, ""), diverged = new_block(e, "diverged");
    branch_likely(e, LLVMBuildICmp(B, LLVMIntEQ, initial, e->mask, ""), all, diverged);
    LLVMPositionBuilderAtEnd(B, diverged);
    leave(e, word(e, u->pc), live, e->retired - uop_insns(u), (u32)HOST_ANYWHERE);
    LLVMPositionBuilderAtEnd(B, all);
    if (e->repeats) { /* it has no barriers */
        LLVMBuildStore(B, word(e, e->at->next_pc), warp_field(e, offsetof(Warp, pc)));
        LLVMBuildStore(B, LLVMBuildAdd(B, e->insns, quad(e, e->retired), ""), e->insns_home);
        LLVMBuildBr(B, e->again);
        return;
    }
    LLVMBuildStore(B, LLVMConstInt(e->i8, state, false), warp_field(e, offsetof(Warp, state)));
    if (state == WARP_WAITING)
        LLVMBuildStore(B, word(e, 1 + (u32)region_find(e->r, e->at->next_pc, e->at->full)),
                       warp_field(e, offsetof(Warp, reentry)));
    leave(e, word(e, e->at->next_pc), live, e->retired, (u32)HOST_STOPPED);
}

static void set_all(Emit *e, const Uop *u)
{
    LLVMBuildStore(B, word(e, (u32)u->imm), warp_field(e, offsetof(Warp, vtype)));
    set_x(e, u->rd, word(e, e->lanes)); /* vl has that value already */
    flush(e);
    LLVMBuildBr(B, target(e, e->at->next_pc, e->at->full));
}

static void end_block(Emit *e)
{
    const RegionBlock *b = e->at;
    const Uop *u = b->uop[b->nuop - 1];
    switch (b->end) {
    case END_NEXT:
        flush(e);
        LLVMBuildBr(B, target(e, b->next_pc, b->full));
        break;
    case END_JUMP:
        set_x(e, u->rd, word(e, b->next_pc));
        flush(e);
        LLVMBuildBr(B, target(e, b->target_pc, b->full));
        break;
    case END_BRANCH: branch(e, u); break;
    case END_SPLIT: split(e, u); break;
    case END_JOIN: join(e); break;
    case END_INDIRECT: indirect(e, u); break;
    case END_VSET: set_all(e, u); break;
    case END_BARRIER: stop_warp(e, u, WARP_WAITING, &b->before_end); break;
    case END_EXIT: stop_warp(e, u, WARP_DONE, &nothing); break;
    case END_STOP:
    case END_LEAVE:
        if (e->quick)
            flush(e);
        leave(e, word(e, u->pc), b->end == END_STOP ? &nothing : &everything,
              e->retired - uop_insns(u), (u32)HOST_ANYWHERE);
        break;
    }
}

/* --- blocks ------------------------------------------------------------------------------ */

static void set_lanes(Emit *e)
{
    if (e->at->full) {
        e->mask = word(e, lanes_mask(e));
        return;
    }
    e->mask = LLVMBuildLoad2(B, e->i32, e->mask_home, "");
    for (u32 i = 0; i < e->nchunks; i++)
        e->on.c[i] = mask_chunk(e, e->mask, i);
}

/* the limit of instructions, where a cycle begins */
static void poll(Emit *e)
{
    const LLVMBasicBlockRef go_on = new_block(e, ""), late = new_block(e, "late");
    branch_likely(e, LLVMBuildICmp(B, LLVMIntULT, e->insns, e->limit, ""), go_on, late);
    LLVMPositionBuilderAtEnd(B, late);
    leave(e, word(e, e->at->pc), &e->at->in, 0, e->index);
    LLVMPositionBuilderAtEnd(B, go_on);
}

static void emit_block(Emit *e, u32 i)
{
    const RegionBlock *b = &e->r->block[i];
    e->at = b;
    e->index = i;
    e->retired = 0;
    memset(e->x, 0, sizeof e->x);
    memset(e->v, 0, sizeof e->v);
    memset(e->linear, 0, sizeof e->linear);
    memset(e->v_dirty, 0, sizeof e->v_dirty);
    e->x_dirty = 0;
    e->nspan = e->nwindow = 0;
    for (size_t k = 0; k < countof(e->operand); k++)
        e->operand[k].from[0].c[0] = NULL;
    LLVMPositionBuilderAtEnd(B, e->start[i]);
    if (!b->is_reached) {
        LLVMBuildBr(B, e->stop);
        return;
    }
    e->insns = LLVMBuildLoad2(B, e->i64, e->insns_home, "");
    set_lanes(e);
    if (b->is_header)
        poll(e);
    for (e->k = 0; e->k < b->nuop; e->k++) {
        const Uop *u = b->uop[e->k];
        e->retired += uop_insns(u);
        if (e->k + 1 < b->nuop || b->end == END_NEXT)
            instruction(e, u);
    }
    end_block(e);
}

/* --- the function ------------------------------------------------------------------------ */

void make_types(Emit *e)
{
    e->i1 = LLVMInt1TypeInContext(e->c);
    e->i8 = LLVMInt8TypeInContext(e->c);
    e->i16 = LLVMInt16TypeInContext(e->c);
    e->i32 = LLVMInt32TypeInContext(e->c);
    e->i64 = LLVMInt64TypeInContext(e->c);
    e->f32 = LLVMFloatTypeInContext(e->c);
    e->ptr = LLVMPointerTypeInContext(e->c, 0);
    e->row = LLVMVectorType(e->i32, e->chunk);
    e->mrow = LLVMVectorType(e->i1, e->chunk);
    e->one_type = LLVMFunctionType(e->i8, (LLVMTypeRef[]){e->ptr, e->ptr, e->i32}, 3, false);
    e->keep_type = LLVMFunctionType(
        e->i64, (LLVMTypeRef[]){e->ptr, e->ptr, e->i32, e->i32, e->i32, e->ptr}, 6, false);
    e->deepen_type = LLVMFunctionType(e->i8, (LLVMTypeRef[]){e->ptr}, 1, false);
    e->weights = LLVMGetMDKindIDInContext(e->c, "prof", 4);
    LLVMMetadataRef parts[3] = {LLVMMDStringInContext2(e->c, "branch_weights", 14),
                                LLVMValueAsMetadata(word(e, 2000)),
                                LLVMValueAsMetadata(word(e, 1))};
    e->likely = LLVMMetadataAsValue(e->c, LLVMMDNodeInContext2(e->c, parts, 3));
}

static void make_homes(Emit *e)
{
    RegSet used = e->r->written;
    e->mask_home = LLVMBuildAlloca(B, e->i32, "mask");
    e->insns_home = LLVMBuildAlloca(B, e->i64, "insns");
    if (e->quick)
        return;
    for (u32 i = 0; i < e->r->nblock && !e->r->fresh; i++) {
        used.x |= e->r->block[i].in.x;
        for (int k = 0; k < 4; k++)
            used.v[k] |= e->r->block[i].in.v[k];
    }
    for (u32 n = 1; n < 64; n++)
        if (used.x >> n & 1)
            e->x_home[n] = LLVMBuildAlloca(B, e->i32, "x");
    for (u32 n = 0; n < 256; n++)
        for (u32 i = 0; regset_has_v(&used, n) && i < e->nchunks; i++)
            e->v_home[n][i] = LLVMBuildAlloca(B, e->row, "v");
}

LLVMBasicBlockRef make_entry(Emit *e, u32 i, bool first)
{
    const LLVMBasicBlockRef at = new_block(e, "enter");
    const RegSet *in = &e->r->block[i].in;
    const bool begins = e->r->fresh && first;
    LLVMPositionBuilderAtEnd(B, at);
    for (u32 n = 1; (!e->quick || begins) && n < 64; n++)
        if (in->x >> n & 1 && has_x(e, n))
            LLVMBuildStore(B, begins ? word(e, 0) : reload_x(e, n), x_home(e, n));
    for (u32 n = 0; (!e->quick || begins) && n < 256; n++)
        for (u32 k = 0; regset_has_v(in, n) && has_v(e, n) && k < e->nchunks; k++)
            row_store(e, begins ? LLVMConstNull(e->row) : reload_v(e, n, k), v_home(e, n, k));
    Val mask = word(e, lanes_mask(e)), insns = quad(e, 0);
    if (!e->repeats) {
        mask = LLVMBuildLoad2(B, e->i32, warp_field(e, offsetof(Warp, mask)), "");
        insns = LLVMBuildLoad2(B, e->i64, warp_field(e, offsetof(Warp, ninsns)), "");
    }
    LLVMBuildStore(B, mask, e->mask_home);
    LLVMBuildStore(B, insns, e->insns_home);
    LLVMBuildBr(B, e->start[i]);
    return at;
}

static void make_entries(Emit *e, LLVMBasicBlockRef first)
{
    LLVMPositionBuilderAtEnd(B, first);
    const Val cases = LLVMBuildSwitch(B, LLVMGetParam(e->fn, 3), e->stop, 4);
    LLVMAddCase(cases, word(e, 0), make_entry(e, 0, true));
    for (u32 i = 0; i < e->r->nblock; i++)
        if (e->r->block[i].is_reentry || (e->headers && e->r->block[i].is_header))
            LLVMAddCase(cases, word(e, 1 + i), make_entry(e, i, false));
}

static void emit_function(Emit *e, const char *name)
{
    const LLVMTypeRef params[] = {e->ptr, e->ptr, e->i64, e->i32};
    e->fn = LLVMAddFunction(e->m, name, LLVMFunctionType(e->i32, (LLVMTypeRef *)params, 4, false));
    add_attribute(e, e->fn, "prefer-vector-width", "512");
    add_attribute(e, e->fn, "min-legal-vector-width", "512");
    LLVMAddAttributeAtIndex(
        e->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateEnumAttribute(e->c, LLVMGetEnumAttributeKindForName("noredzone", 9), 0));
    e->warp = LLVMGetParam(e->fn, 0);
    e->env = LLVMGetParam(e->fn, 1);
    e->limit = LLVMGetParam(e->fn, 2);
    const LLVMBasicBlockRef first = new_block(e, "entry");
    LLVMPositionBuilderAtEnd(B, first);
    make_homes(e);
    e->base = env_field(e, e->ptr, offsetof(HostEnv, base));
    e->page = env_field(e, e->ptr, offsetof(HostEnv, page));
    e->lds_base = env_field(e, e->ptr, offsetof(HostEnv, lds_base));
    e->lds_page = env_field(e, e->ptr, offsetof(HostEnv, lds_page));
    e->one = env_field(e, e->ptr, offsetof(HostEnv, one));
    e->scalar = env_field(e, e->ptr, offsetof(HostEnv, scalar));
    e->deepen = env_field(e, e->ptr, offsetof(HostEnv, deepen));
    e->depth = env_field(e, e->i32, offsetof(HostEnv, depth));
    e->uops = env_field(e, e->ptr, offsetof(HostEnv, uop));
    e->stop = new_block(e, "stop");
    for (u32 i = 0, n = 0; i < e->r->nblock; n += e->r->block[i++].nuop) {
        e->start[i] = new_block(e, "b");
        e->first_uop[i] = n;
    }
    e->group = group_of(e);
    if (e->repeats)
        make_repetition(e, first);
    else
        make_entries(e, first);
    LLVMPositionBuilderAtEnd(B, e->stop);
    LLVMBuildRet(B, word(e, (u32)HOST_STOPPED));
    for (u32 i = 0; i < e->r->nblock; i++)
        emit_block(e, e->r->order[i]);
}

LLVMModuleRef translate(LLVMContextRef c, const Region *r, const HostVectors *host, CodeKind kind,
                        const char *name, u64 helpers[HELPER_WORDS])
{
    Emit *e = mem_zalloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->c = c;
    e->r = r;
    e->headers = kind != CODE_PLAIN;
    e->quick = kind == CODE_QUICK;
    e->repeats = kind == CODE_PLAIN && r->repeats;
    e->host = host;
    e->helpers = helpers;
    e->lanes = r->lanes;
    e->chunk = r->lanes < host->chunk ? r->lanes : host->chunk;
    e->nchunks = r->lanes / e->chunk;
    e->start = mem_zalloc(r->nblock, sizeof *e->start);
    e->first_uop = mem_zalloc(r->nblock, sizeof *e->first_uop);
    LLVMModuleRef m = NULL;
    if (e->start && e->first_uop) {
        m = e->m = LLVMModuleCreateWithNameInContext(name, c);
        e->b = LLVMCreateBuilderInContext(c);
        make_types(e);
        emit_function(e, name);
        LLVMDisposeBuilder(e->b);
    }
    mem_free(e->start);
    mem_free(e->first_uop);
    mem_free(e);
    return m;
}
