/* translate.c -- the function of a region: entries, blocks, control flow, exits.
 *
 * Registers live in homes (allocas), which LLVM's mem2reg makes SSA values and phis; within a block
 * their values are kept here, and go to the homes at its end.  A block that only one other leads to
 * goes on with these values, and with what that found out about addresses (Known).  Exits write
 * registers to the warp: those that may be read later and that the region writes at all.
 *
 * In quick code (CodeKind) the warp is the home: exits have nothing to write, entries nothing to
 * read, and handlers that do the rest find registers where they look for them.
 *
 * A block in its full version has all lanes on, as a constant.  In the other version the
 * lanes are a value, and what an instruction writes is selected by them.
 */
#include "jit/constant.h"
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

Val splat_bit(Emit *e, Val v)
{
    return LLVMBuildSelect(B, v, LLVMConstAllOnes(e->mrow), LLVMConstNull(e->mrow), "");
}

LLVMBasicBlockRef new_block(Emit *e, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->c, e->fn, name);
}

void branch_weighted(Emit *e, u32 weight, Val cond, LLVMBasicBlockRef then, LLVMBasicBlockRef other)
{
    LLVMMetadataRef parts[3] = {LLVMMDStringInContext2(e->c, "branch_weights", 14),
                                LLVMValueAsMetadata(word(e, weight)),
                                LLVMValueAsMetadata(word(e, 1))};
    const Val weights = LLVMMetadataAsValue(e->c, LLVMMDNodeInContext2(e->c, parts, 3));
    LLVMSetMetadata(LLVMBuildCondBr(B, cond, then, other), e->weights, weights);
}

void branch_likely(Emit *e, Val cond, LLVMBasicBlockRef then, LLVMBasicBlockRef other)
{
    branch_weighted(e, 2000, cond, then, other);
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
static bool has_x(const Emit *e, u32 n) { return !e->r->warp.fresh || e->r->written.x >> n & 1; }
static bool has_v(const Emit *e, u32 n)
{
    return !e->r->warp.fresh || regset_has_v(&e->r->written, n);
}

Val join_halves(Emit *e, Val low, Val high)
{
    Val lane[2 * MAX_LANES];
    for (u32 i = 0; i < 2 * e->chunk; i++)
        lane[i] = word(e, i / 2 + i % 2 * e->chunk);
    const Val all = LLVMBuildShuffleVector(B, low, high, LLVMConstVector(lane, 2 * e->chunk), "");
    return LLVMBuildBitCast(B, all, LLVMVectorType(e->i64, e->chunk), "");
}

Val half_of(Emit *e, Val pair, u32 which)
{
    Val lane[MAX_LANES];
    const LLVMTypeRef t = LLVMVectorType(e->i32, 2 * e->chunk);
    for (u32 i = 0; i < e->chunk; i++)
        lane[i] = word(e, 2 * i + which);
    return LLVMBuildShuffleVector(B, LLVMBuildBitCast(B, pair, t, ""), LLVMGetPoison(t),
                                  LLVMConstVector(lane, e->chunk), "");
}

Row pair_at(const Emit *e, u32 n, u32 m)
{
    const Half *low = &e->known.half[n], *high = &e->known.half[m];
    const bool is_pair = low->pair.c[0] && low->pair.c[0] == high->pair.c[0];
    return is_pair && !low->which && high->which ? low->pair : (Row){{0}};
}

/* the present value, which is not noted: for LLVM blocks that no other follows */
static Val peek_x(Emit *e, u32 n)
{
    if (!e->known.x[n] && !has_x(e, n))
        return word(e, 0);
    return e->known.x[n] ? e->known.x[n] : LLVMBuildLoad2(B, e->i32, x_home(e, n), "");
}
static Val peek_v(Emit *e, u32 n, u32 chunk)
{
    const Half *half = &e->known.half[n];
    if (!e->known.v[n].c[0] && half->pair.c[0])
        return half_of(e, half->pair.c[chunk], half->which);
    if (!e->known.v[n].c[0] && !has_v(e, n))
        return LLVMConstNull(e->row);
    return e->known.v[n].c[0] ? e->known.v[n].c[chunk] : row_load(e, v_home(e, n, chunk));
}

Val get_x(Emit *e, u32 n)
{
    if (!n)
        return word(e, 0);
    return e->known.x[n] = peek_x(e, n);
}

void set_x(Emit *e, u32 n, Val v)
{
    if (!n)
        return;
    e->known.x[n] = v;
    e->x_dirty |= (u64)1 << n;
}

Row get_v(Emit *e, u32 n)
{
    Row v = {{0}};
    if (e->known.v[n].c[0])
        return e->known.v[n];
    for (u32 i = 0; i < e->nchunks; i++)
        v.c[i] = peek_v(e, n, i);
    return e->known.v[n] = v;
}

Row get_on(Emit *e, u32 n)
{
    const bool is_there = e->computed[n].c[0] && e->computed_for == e->mask;
    return is_there ? e->computed[n] : get_v(e, n);
}

static void put_v(Emit *e, u32 n, Row v)
{
    e->known.v[n] = v;
    e->computed[n].c[0] = NULL;
    e->known.linear[n].root.c[0] = NULL;
    e->known.pattern[n].offset[0] = NULL;
    e->known.half[n].pair.c[0] = NULL;
    e->v_dirty[n >> 6] |= (u64)1 << (n & 63);
}

void set_half(Emit *e, u32 n, Row pair, u32 which)
{
    put_v(e, n, (Row){{0}});
    e->known.half[n] = (Half){pair, which};
}

/* Hosts without registers for masks have them in vectors of words.  LLVM makes a comparison again
 * where it is used, which may be another block; a vector of i1 that goes from block to block takes
 * several instructions at each end. */
Val mask_chunk(Emit *e, Val mask, u32 chunk)
{
    const u32 first = chunk * e->chunk;
    if (e->host->gathers) {
        const Val part = LLVMBuildLShr(B, mask, word(e, first), "");
        return LLVMBuildBitCast(
            B, LLVMBuildTrunc(B, part, LLVMIntTypeInContext(e->c, e->chunk), ""), e->mrow, "");
    }
    const Val all = splat(e, mask), zero = LLVMConstNull(e->row);
    if (e->host->chunk == 8) /* each lane's bit in the sign */
        return LLVMBuildICmp(B, LLVMIntSLT,
                             LLVMBuildShl(B, all, lanes_constant(e, chunk, 31, ~0u), ""), zero, "");
    Val bit[MAX_LANES];
    for (u32 i = 0; i < e->chunk; i++)
        bit[i] = word(e, 1u << (first + i));
    return LLVMBuildICmp(B, LLVMIntNE, LLVMBuildAnd(B, all, LLVMConstVector(bit, e->chunk), ""),
                         zero, "");
}

Val chunk_under_v0(Emit *e, u32 chunk)
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
    const Val under = chunk_under_v0(e, chunk);
    return on ? LLVMBuildAnd(B, on, under, "") : under;
}

bool writes_all(const Emit *e, u32 n)
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
    if (e->at->facts[e->k]->masked)
        return;
    if (e->computed_for != e->mask)
        memset(e->computed, 0, sizeof e->computed);
    e->computed_for = e->mask;
    e->computed[n] = v;
}

/* --- from block to block ------------------------------------------------------------------- */

/* Finds which blocks only one other leads to: its heirs, which begin with all that is known where
 * it ends.  A block that code enters otherwise is nobody's. */
static void find_heirs(Emit *e)
{
    const u32 several = UINT32_MAX;
    const Region *r = e->r;
    for (u32 i = 0; i < r->nblock; i++) {
        const RegionBlock *b = &r->block[i];
        for (u32 k = 0; b->is_reached && k < b->nsucc; k++) {
            u32 *from = &e->legacy[b->succ[k]].from;
            if (sides_leave_edge(r, b, b->succ[k]))
                *from = !*from || *from == i + 1 ? i + 1 : several;
        }
    }
    for (u32 i = 0; i < r->nblock; i++) {
        u32 *from = &e->legacy[i].from;
        if (!i || r->block[i].is_reentry || *from == several)
            *from = 0;
        if (*from)
            e->legacy[*from - 1].heirs++;
    }
}

/* Keeps what is known now, where the block ends, for its heirs. */
static void keep_legacy(Emit *e)
{
    enum { MOST = 64 }; /* at a time, of some 40 KB each */
    Legacy *l = &e->legacy[e->index];
    if (!l->heirs || e->nlegacy == MOST || !(l->known = mem_alloc(sizeof *l->known)))
        return;
    *l->known = e->known;
    e->nlegacy++;
}

/* What is known but of registers that the block writes. */
static void forget_written(Known *known, const RegionBlock *b)
{
    for (u32 k = 0; k < b->nuop; k++) {
        const RegSet written = block_use(b, k).writes;
        for (u32 n = 1; n < 64; n++)
            if (written.x >> n & 1)
                known->x[n] = NULL;
        for (u32 n = 0; n < 256; n++)
            if (regset_has_v(&written, n)) {
                known->v[n] = (Row){{0}};
                known->linear[n] = (Linear){0};
                known->pattern[n].offset[0] = NULL;
                known->half[n] = (Half){0};
            }
    }
}

/* Begins block i with what the block that leads to it has left, or with nothing. */
static void take_legacy(Emit *e, u32 i)
{
    const u32 from = e->legacy[i].from;
    Legacy *l = from ? &e->legacy[from - 1] : NULL;
    if (!l || !l->known) {
        memset(&e->known, 0, sizeof e->known);
        return;
    }
    e->known = *l->known;
    const RegionBlock *before = &e->r->block[from - 1];
    if (before->alone && e->r->block[i].pc == before->meet_pc)
        forget_written(&e->known, sides_alone(e->r, before));
    if (--l->heirs)
        return;
    mem_free(l->known);
    l->known = NULL;
    e->nlegacy--;
}

static void store_registers(Emit *e)
{
    for (u32 n = 1; n < 64; n++)
        if (e->x_dirty >> n & 1)
            LLVMBuildStore(B, e->known.x[n], x_home(e, n));
    for (u32 n = 0; n < 256; n++)
        if (e->v_dirty[n >> 6] >> (n & 63) & 1)
            for (u32 i = 0; i < e->nchunks; i++)
                row_store(e, peek_v(e, n, i), v_home(e, n, i));
    memset(e->v_dirty, 0, sizeof e->v_dirty);
    e->x_dirty = 0;
}

void flush_registers(Emit *e)
{
    store_registers(e);
    keep_legacy(e);
}

static void store_insns(Emit *e)
{
    LLVMBuildStore(B, LLVMBuildAdd(B, e->insns, quad(e, e->retired), ""), e->insns_home);
}

void flush_block(Emit *e)
{
    flush_registers(e);
    store_insns(e);
}

/* --- handlers -------------------------------------------------------------------------------- */

/* Of functions that keep the registers of the host, and of calls of them. */
static const char keeps_registers[] = "no_caller_saved_registers";

/* aarch64_vector_pcs: sixteen vectors are kept beside what any function keeps.  (LLVM 19 changes x9 in functions that are to
 * keep all, preserve_all, where it aligns their frames.) */
enum { KEEPS_REGISTERS = 97 };

static LLVMAttributeRef attribute(Emit *e, const char *name, const char *value)
{
    return LLVMCreateStringAttribute(e->c, name, (unsigned)strlen(name), value,
                                     (unsigned)strlen(value));
}

static void add_attribute(Emit *e, Val fn, const char *name, const char *value)
{
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            attribute(e, name, value));
}

/* Lets the function use vectors as long as the host has them. */
static void use_vectors(Emit *e)
{
    add_attribute(e, e->fn, "prefer-vector-width", "512");
    add_attribute(e, e->fn, "min-legal-vector-width", "512");
}

/* Host code calls nothing that unwinds, so LLVM need not say how its frames are left. */
static void raises_nothing(Emit *e)
{
    static const char name[] = "nounwind";
    LLVMAddAttributeAtIndex(
        e->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateEnumAttribute(e->c, LLVMGetEnumAttributeKindForName(name, strlen(name)), 0));
}

/* Has the function keep its frame where whole vectors lie in one line of the host's cache each, those
 * of the helpers that it calls, too: across two lines what is stored cannot be loaded at once. */
static void align_frame(Emit *e)
{
    enum { LINE = 64 };
    static const char name[] = "alignstack";
    LLVMAddAttributeAtIndex(
        e->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateEnumAttribute(e->c, LLVMGetEnumAttributeKindForName(name, strlen(name)), LINE));
}

/* Whether the helper keeps all registers of the host but those of its arguments.  Of x86-64 with short
 * vectors, rows take more registers than arguments have: such a helper is called like any function. */
static bool keeps(const Emit *e, const Helper *h)
{
    return h->kind < HELPER_ACCESS || e->host->chunk >= 8 || e->host->aarch64;
}

static void keep_registers(Emit *e)
{
    char features[4096];
    if (e->host->aarch64) {
        LLVMSetFunctionCallConv(e->fn, KEEPS_REGISTERS);
        return;
    }
    /* vzeroupper before it returns would undo what it restored */
    snprintf(features, sizeof features, "%s%s-vzeroupper", e->host->features,
             *e->host->features ? "," : "");
    add_attribute(e, e->fn, keeps_registers, "");
    add_attribute(e, e->fn, "target-cpu", e->host->cpu);
    add_attribute(e, e->fn, "target-features", features);
}

void make_kept(Emit *e, const Helper *h, LLVMTypeRef t)
{
    e->fn = LLVMAddFunction(e->m, "", t);
    raises_nothing(e);
    if (keeps(e, h))
        keep_registers(e);
    use_vectors(e);
    LLVMPositionBuilderAtEnd(B, new_block(e, "entry"));
}

Val call_helper(Emit *e, const Helper *h, LLVMTypeRef t, Val *args, u32 n, u32 nresults,
                Val *results)
{
    const u32 number = helper_number(h);
    Val index = quad(e, number);
    e->helpers[number / 64] |= (u64)1 << number % 64;
    const Val all = env_field(e, e->ptr, offsetof(HostEnv, helper));
    const Val place = LLVMBuildInBoundsGEP2(B, e->ptr, all, &index, 1, "");
    /* LLVM takes the rest of a register for kept of which only a part is an argument. */
    for (u32 i = 0; i < n; i++)
        if (LLVMTypeOf(args[i]) == e->i32)
            args[i] = LLVMBuildZExt(B, args[i], e->i64, "");
    const Val got = LLVMBuildCall2(B, t, LLVMBuildLoad2(B, e->ptr, place, ""), args, n, "");
    if (e->host->aarch64)
        LLVMSetInstructionCallConv(got, KEEPS_REGISTERS);
    else if (keeps(e, h) && (h->kind < HELPER_ACCESS || e->chunk == e->host->chunk))
        LLVMAddCallSiteAttribute(got, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                 attribute(e, keeps_registers, ""));
    for (u32 i = 0; i < nresults; i++)
        results[i] = LLVMBuildExtractValue(B, got, i, "");
    return nresults ? LLVMBuildExtractValue(B, got, nresults, "") : got;
}

Val uop_here(Emit *e)
{
    Val at = quad(e, e->first_uop[e->index] + e->k);
    return LLVMBuildLoad2(B, e->ptr, LLVMBuildInBoundsGEP2(B, e->ptr, e->uops, &at, 1, ""), "");
}

Val note_place(Emit *e)
{
    LLVMBuildStore(B, LLVMBuildAdd(B, e->insns, quad(e, e->retired), ""),
                   warp_field(e, offsetof(Warp, ninsns)));
    return uop_here(e);
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
    streams_forget(e);
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
                e->known.x[n] = NULL;
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

/* --- exits ------------------------------------------------------------------------------- */

static const RegSet nothing, everything = {~(u64)1, {~(u64)0, ~(u64)0, ~(u64)0, ~(u64)0}};

/* Writes to the warp what is read elsewhere: registers in *live, and where it stands. */
static void write_out(Emit *e, Val pc, const RegSet *live, u32 retired)
{
    const RegSet *dirty = &e->at->dirty;
    for (u32 n = 1; !e->quick && n < 64; n++)
        if (live->x & dirty->x & (u64)1 << n)
            LLVMBuildStore(B, peek_x(e, n), x_field(e, n));
    for (u32 n = 0; !e->quick && n < 256; n++)
        for (u32 i = 0; regset_has_v(live, n) && regset_has_v(dirty, n) && i < e->nchunks; i++)
            store_v(e, n, i, peek_v(e, n, i));
    LLVMBuildStore(B, LLVMBuildAdd(B, e->insns, quad(e, retired), ""),
                   warp_field(e, offsetof(Warp, ninsns)));
    LLVMBuildStore(B, pc, warp_field(e, offsetof(Warp, pc)));
    LLVMBuildStore(B, e->mask, warp_field(e, offsetof(Warp, mask)));
}

void set_state(Emit *e, u8 state)
{
    LLVMBuildStore(B, LLVMConstInt(e->i8, state, false), warp_field(e, offsetof(Warp, state)));
}

void leave_region(Emit *e, Val pc, const RegSet *live, u32 retired, u32 code)
{
    write_out(e, pc, live, retired);
    LLVMBuildRet(B, word(e, code));
}

void leave_before(Emit *e, const Uop *u, const RegSet *live)
{
    leave_region(e, word(e, u->pc), live ? live : &everything, e->retired - uop_insns(u),
                 (u32)HOST_ANYWHERE);
}

LLVMBasicBlockRef target_block(Emit *e, u32 pc, bool full)
{
    const int to = region_find(e->r, pc, full);
    if (to >= 0) {
        carry_to(e, (u32)to);
        return e->start[to];
    }
    const LLVMBasicBlockRef here = LLVMGetInsertBlock(B), out = new_block(e, "out");
    LLVMPositionBuilderAtEnd(B, out);
    leave_region(e, word(e, pc), &everything, e->retired, (u32)HOST_ANYWHERE);
    LLVMPositionBuilderAtEnd(B, here);
    return out;
}

/* --- other ends -------------------------------------------------------------------------- */

static void branch(Emit *e, const Uop *u)
{
    const Val cond = arith(e, (Op)isa_insn[u->id].op, get_x(e, u->ra), get_x(e, u->rb), NULL);
    flush_block(e);
    LLVMBuildCondBr(B, LLVMBuildTrunc(B, cond, e->i1, ""),
                    target_block(e, e->at->target_pc, e->at->full),
                    target_block(e, e->at->next_pc, e->at->full));
}

static void indirect(Emit *e, const Uop *u)
{
    const RegionBlock *b = e->at;
    Val to = LLVMBuildAdd(B, get_x(e, u->ra), word(e, (u32)u->imm), "");
    set_x(e, u->rd, word(e, b->next_pc));
    flush_block(e);
    const LLVMBasicBlockRef out = new_block(e, "out");
    const u32 one[1] = {b->target_pc};
    const u32 *at = u->rd ? one : e->r->returns, n = u->rd ? b->target_pc != 0 : e->r->nreturns;
    for (u32 i = 0; i < n; i++)
        if (region_find(e->r, at[i], b->full) >= 0)
            carry_to(e, (u32)region_find(e->r, at[i], b->full));
    const Val cases = LLVMBuildSwitch(B, to, out, 8);
    for (u32 i = 0; i < n; i++)
        if (region_find(e->r, at[i], b->full) >= 0)
            LLVMAddCase(cases, word(e, at[i]), e->start[region_find(e->r, at[i], b->full)]);
    LLVMPositionBuilderAtEnd(B, out);
    to = LLVMBuildAnd(B, to, word(e, ~1u), "");
    leave_region(e, to, &everything, e->retired, (u32)HOST_ANYWHERE);
}

Val first_lanes(Emit *e)
{
    return e->repeats && e->r->warp.full
               ? word(e, lanes_mask(e))
               : LLVMBuildLoad2(B, e->i32, warp_field(e, offsetof(Warp, initial)), "");
}

/* Leaves a diverged warp to the interpreter at a barrier or its end, with what may be read there; else goes on. */
static void expect_all_lanes(Emit *e, const Uop *u, const RegSet *live)
{
    const Val initial = first_lanes(e);
    if (e->quick)
        flush_block(e);
    const LLVMBasicBlockRef all = new_block(e, ""), diverged = new_block(e, "diverged");
    branch_likely(e, LLVMBuildICmp(B, LLVMIntEQ, initial, e->mask, ""), all, diverged);
    LLVMPositionBuilderAtEnd(B, diverged);
    leave_before(e, u, live);
    LLVMPositionBuilderAtEnd(B, all);
}

/* A barrier that warps wait at. */
static void wait_warp(Emit *e, const Uop *u)
{
    const RegSet *live = &e->at->before_end;
    const int next = region_find(e->r, e->at->next_pc, e->at->full);
    expect_all_lanes(e, u, live);
    set_state(e, WARP_WAITING);
    if (next >= 0)
        carry_to(e, (u32)next);
    LLVMBuildStore(B, word(e, (u32)(1 + next)), warp_field(e, offsetof(Warp, reentry)));
    write_out(e, word(e, e->at->next_pc), live, e->retired);
    if (e->repeats && next >= 0)
        LLVMBuildBr(B, e->met);
    else
        LLVMBuildRet(B, word(e, (u32)HOST_STOPPED));
}

static void end_warp(Emit *e, const Uop *u)
{
    expect_all_lanes(e, u, &nothing);
    if (e->repeats) {
        LLVMBuildStore(B, word(e, e->at->next_pc), warp_field(e, offsetof(Warp, pc)));
        store_insns(e);
        LLVMBuildBr(B, e->again);
        return;
    }
    set_state(e, WARP_DONE);
    leave_region(e, word(e, e->at->next_pc), &nothing, e->retired, (u32)HOST_STOPPED);
}

/* A barrier that nobody waits at. */
static void pass_barrier(Emit *e, const Uop *u)
{
    expect_all_lanes(e, u, &e->at->before_end);
    LLVMBuildFence(B, LLVMAtomicOrderingAcquireRelease, false, "");
    streams_forget(e);
    if (!e->quick)
        flush_block(e);
    LLVMBuildBr(B, target_block(e, e->at->next_pc, e->at->full));
}

static void set_all(Emit *e, const Uop *u)
{
    LLVMBuildStore(B, word(e, (u32)u->imm), warp_field(e, offsetof(Warp, vtype)));
    set_x(e, u->rd, word(e, e->lanes)); /* vl has that value already */
    flush_block(e);
    LLVMBuildBr(B, target_block(e, e->at->next_pc, e->at->full));
}

/* A call of a routine: does what it would do where nothing is special; else code leaves the region for it. */
static void call_routine(Emit *e, const Routine *routine)
{
    const RegionBlock *b = e->at;
    const LLVMBasicBlockRef called = new_block(e, "called");
    RegSet live = b->before_end;
    Row result = {{0}};
    if (e->quick)
        store_registers(e);
    compute_routine(e, routine->id, &result, called);
    const LLVMBasicBlockRef at_once = LLVMGetInsertBlock(B);
    LLVMPositionBuilderAtEnd(B, called);
    live.x |= (u64)1 << b->uop[b->nuop - 1]->rd;
    leave_region(e, word(e, b->target_pc), &live, e->retired, (u32)HOST_ANYWHERE);
    LLVMPositionBuilderAtEnd(B, at_once);
    pass_joins(e, routine->join, routine->njoin, called);
    const bool is_pair = b->results == 2 && !e->quick && writes_all(e, 0) && writes_all(e, 1);
    for (u32 n = 0; n < b->results; n++) {
        Row v = result;
        for (u32 i = 0; b->results == 2 && !is_pair && i < e->nchunks; i++)
            v.c[i] = half_of(e, result.c[i], n);
        if (is_pair)
            set_half(e, n, result, n);
        else
            set_v(e, n, v);
    }
    for (u32 n = 1; n < 64; n++)
        if (routine->sets >> n & 1)
            set_x(e, n, word(e, routine->x[n]));
    if (routine->rpc)
        LLVMBuildStore(B, word(e, routine->rpc), warp_field(e, offsetof(Warp, rpc)));
    e->retired += routine->insns;
    flush_block(e);
    LLVMBuildBr(B, target_block(e, b->next_pc, b->full));
}

static void end_block(Emit *e)
{
    const RegionBlock *b = e->at;
    const Uop *u = b->uop[b->nuop - 1];
    switch (b->end) {
    case END_NEXT:
        flush_block(e);
        LLVMBuildBr(B, target_block(e, b->next_pc, b->full));
        break;
    case END_JUMP:
        set_x(e, u->rd, word(e, b->next_pc));
        if (b->routine) {
            call_routine(e, &e->r->routine[b->routine - 1]);
            break;
        }
        flush_block(e);
        LLVMBuildBr(B, target_block(e, b->target_pc, b->full));
        break;
    case END_BRANCH: branch(e, u); break;
    case END_SPLIT: end_split(e, u); break;
    case END_JOIN: end_join(e); break;
    case END_INDIRECT: indirect(e, u); break;
    case END_VSET: set_all(e, u); break;
    case END_BARRIER: wait_warp(e, u); break;
    case END_PASS: pass_barrier(e, u); break;
    case END_EXIT: end_warp(e, u); break;
    case END_STOP:
    case END_LEAVE:
        if (e->quick)
            flush_block(e);
        leave_before(e, u, b->end == END_STOP ? &nothing : NULL);
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

/* The limit of instructions, where a cycle begins: in the code, or through a barrier behind which it goes on. */
static void poll(Emit *e)
{
    const LLVMBasicBlockRef go_on = new_block(e, ""), late = new_block(e, "late");
    branch_likely(e, LLVMBuildICmp(B, LLVMIntULT, e->insns, e->limit, ""), go_on, late);
    LLVMPositionBuilderAtEnd(B, late);
    leave_region(e, word(e, e->at->pc), &e->at->in, 0, e->index);
    LLVMPositionBuilderAtEnd(B, go_on);
}

/* Begins a block with what is known of registers on all ways to it. */
static void begin_apart(Emit *e, u32 i)
{
    const RegionBlock *b = &e->r->block[i];
    for (u32 n = 1; b->start && n < 64; n++) {
        const LaunchValue *v = &e->r->value[b->start[n]];
        if (!(b->in.x >> n & 1))
            continue;
        if (v->kind == VALUE_WORD)
            e->known.x[n] = word(e, v->word);
        else if (is_local_size(e->r, b->start[n]))
            e->local_size = get_x(e, n);
    }
    carry_begin(e, i);
}

static void emit_block(Emit *e, u32 i)
{
    const RegionBlock *b = &e->r->block[i];
    e->at = b;
    e->index = i;
    e->retired = 0;
    e->nearly = 0;
    take_legacy(e, i);
    memset(e->v_dirty, 0, sizeof e->v_dirty);
    e->x_dirty = 0;
    for (size_t k = 0; k < countof(e->operand); k++)
        e->operand[k].from[0].c[0] = NULL;
    LLVMPositionBuilderAtEnd(B, e->start[i]);
    if (!b->is_reached) {
        LLVMBuildBr(B, e->stop);
        return;
    }
    e->insns = LLVMBuildLoad2(B, e->i64, e->insns_home, "");
    set_lanes(e);
    if (!e->quick && !e->legacy[i].from)
        begin_apart(e, i);
    if (b->is_header || (e->repeats && e->r->meets && b->is_reentry))
        poll(e);
    for (e->k = 0; e->k < b->nuop; e->k++) {
        const Uop *u = b->uop[e->k];
        e->retired += uop_insns(u);
        if (e->k + 1 == b->nuop && b->end != END_NEXT)
            continue;
        if (!access_record(e))
            emit_instruction(e, u);
    }
    e->k = b->nuop - 1;
    end_block(e);
}

/* --- the function ------------------------------------------------------------------------ */

static void make_types(Emit *e)
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
        e->i64, (LLVMTypeRef[]){e->ptr, e->ptr, e->i64, e->i64, e->i64, e->ptr}, 6, false);
    e->row_type =
        LLVMFunctionType(e->i64, (LLVMTypeRef[]){e->ptr, e->ptr, e->ptr, e->i64, e->i64}, 5, false);
    e->weights = LLVMGetMDKindIDInContext(e->c, "prof", 4);
}

static void make_homes(Emit *e)
{
    RegSet used = e->r->written;
    e->mask_home = LLVMBuildAlloca(B, e->i32, "mask");
    e->insns_home = LLVMBuildAlloca(B, e->i64, "insns");
    if (e->quick)
        return;
    for (u32 i = 0; i < e->r->nblock && !e->r->warp.fresh; i++) {
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
    const bool begins = e->r->warp.fresh && first;
    LLVMPositionBuilderAtEnd(B, at);
    for (u32 n = 1; (!e->quick || begins) && n < 64; n++)
        if (in->x >> n & 1 && has_x(e, n))
            LLVMBuildStore(B, begins ? word(e, 0) : reload_x(e, n), x_home(e, n));
    for (u32 n = 0; (!e->quick || begins) && n < 256; n++)
        for (u32 k = 0; regset_has_v(in, n) && has_v(e, n) && k < e->nchunks; k++)
            row_store(e, begins ? LLVMConstNull(e->row) : reload_v(e, n, k), v_home(e, n, k));
    Val mask = first_lanes(e), insns = quad(e, 0);
    if (!e->repeats)
        mask = LLVMBuildLoad2(B, e->i32, warp_field(e, offsetof(Warp, mask)), "");
    if (!e->repeats || !first)
        insns = LLVMBuildLoad2(B, e->i64, warp_field(e, offsetof(Warp, ninsns)), "");
    LLVMBuildStore(B, mask, e->mask_home);
    LLVMBuildStore(B, insns, e->insns_home);
    if (!e->quick && !first)
        carry_enter(e, i);
    LLVMBuildBr(B, e->start[i]);
    return at;
}

/* Goes to the entry of that number from where the builder stands. */
static void make_entries(Emit *e, Val number)
{
    const Val cases = LLVMBuildSwitch(B, number, e->stop, 4);
    if (!e->repeats)
        LLVMAddCase(cases, word(e, 0), make_entry(e, 0, true));
    for (u32 i = 0; i < e->r->nblock; i++)
        if (e->r->block[i].is_reentry || (e->headers && e->r->block[i].is_header))
            LLVMAddCase(cases, word(e, 1 + i), make_entry(e, i, false));
}

static void emit_function(Emit *e, const char *name)
{
    const LLVMTypeRef params[] = {e->ptr, e->ptr, e->i64, e->i32};
    e->fn = LLVMAddFunction(e->m, name, LLVMFunctionType(e->i32, (LLVMTypeRef *)params, 4, false));
    raises_nothing(e);
    use_vectors(e);
    align_frame(e);
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
    if (!e->quick) {
        find_heirs(e);
        carry_open(e);
    }
    e->group = group_of(e);
    e->streams = !e->quick && streams_find(e);
    streams_forget(e);
    if (e->repeats)
        make_repetition(e, first);
    LLVMPositionBuilderAtEnd(B, e->stop);
    LLVMBuildRet(B, word(e, (u32)HOST_STOPPED));
    for (u32 i = 0; i < e->r->nblock; i++)
        emit_block(e, e->order[i]);
    if (!e->repeats) {
        LLVMPositionBuilderAtEnd(B, first);
        make_entries(e, LLVMGetParam(e->fn, 3));
    } else if (e->r->meets) {
        LLVMPositionBuilderAtEnd(B, e->resume);
        make_entries(e, e->entry);
    }
}

Emit *emit_new(LLVMContextRef c, const HostVectors *host, u32 lanes, const char *name,
               u64 helpers[HELPER_WORDS])
{
    Emit *e = mem_zalloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->c = c;
    e->host = host;
    e->helpers = helpers;
    e->lanes = lanes;
    e->chunk = lanes < host->chunk ? lanes : host->chunk;
    e->nchunks = lanes / e->chunk;
    e->m = LLVMModuleCreateWithNameInContext(name, c);
    e->b = LLVMCreateBuilderInContext(c);
    make_types(e);
    return e;
}

LLVMModuleRef emit_free(Emit *e)
{
    LLVMModuleRef m = e->m;
    LLVMDisposeBuilder(e->b);
    for (u32 i = 0; e->legacy && i < e->r->nblock; i++)
        mem_free(e->legacy[i].known);
    for (u32 i = 0; e->carry && i < e->r->nblock; i++)
        mem_free(e->carry[i].all);
    mem_free(e->carry);
    mem_free(e->legacy);
    mem_free(e->start);
    mem_free(e->order);
    mem_free(e->first_uop);
    mem_free(e->in_cycle);
    mem_free(e->spare);
    mem_free(e);
    return m;
}

/* The same where blocks begin with patterns unless `uncarried` has the register, which gets those that some way has
 * otherwise: *again tells whether there were such, and the module is of no use. */
static LLVMModuleRef translate_once(LLVMContextRef c, const Region *r, const HostVectors *host,
                                    CodeKind kind, const char *name, u64 helpers[HELPER_WORDS],
                                    u64 (*uncarried)[4], bool *again)
{
    Emit *e = emit_new(c, host, r->lanes, name, helpers);
    *again = false;
    if (!e)
        return NULL;
    memset(helpers, 0, HELPER_WORDS * sizeof *helpers);
    e->r = r;
    e->headers = kind != CODE_PLAIN;
    e->quick = kind == CODE_QUICK;
    e->repeats = kind == CODE_PLAIN && r->repeats;
    e->uncarried = uncarried;
    e->start = mem_zalloc(r->nblock, sizeof *e->start);
    e->order = mem_zalloc(r->nblock, sizeof *e->order);
    e->first_uop = mem_zalloc(r->nblock, sizeof *e->first_uop);
    e->legacy = mem_zalloc(r->nblock, sizeof *e->legacy);
    e->carry = mem_zalloc(r->nblock, sizeof *e->carry);
    e->in_cycle = mem_zalloc(r->nblock, sizeof *e->in_cycle);
    e->spare = mem_alloc(sizeof *e->spare);
    const bool ok = e->start && e->order && e->first_uop && e->legacy && e->carry && e->in_cycle &&
                    e->spare && carry_order(r, e->order);
    if (ok)
        emit_function(e, name);
    *again = e->is_wrong;
    LLVMModuleRef m = emit_free(e);
    if (ok && !*again)
        return m;
    LLVMDisposeModule(m);
    return NULL;
}

LLVMModuleRef translate(LLVMContextRef c, const Region *r, const HostVectors *host, CodeKind kind,
                        const char *name, u64 helpers[HELPER_WORDS])
{
    enum { MOST = 8 }; /* times; then no block begins with a pattern */
    u64(*uncarried)[4] = mem_zalloc(r->nblock, sizeof *uncarried);
    LLVMModuleRef m = NULL;
    bool again = uncarried;
    for (u32 n = 1; again; n++) {
        if (n == MOST)
            memset(uncarried, 0xff, r->nblock * sizeof *uncarried);
        m = translate_once(c, r, host, kind, name, helpers, uncarried, &again);
    }
    mem_free(uncarried);
    return m;
}
