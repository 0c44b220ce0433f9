/* reach.c -- what compiled code may touch of guest memory, and accesses of scalars.
 *
 * Bytes that lie in one page or two are asked for by the flags of these (reach()); scalar loads around one register, all at
 * once.  vecmem.c has the argument why a guest reaches no memory of the host's.
 */
#include "jit/translate.h"
#include "isa/op.h"
#include "mach/memory.h"
#include <stddef.h>

#define B e->b

Val byte_at(Emit *e, Val base, Val offset)
{
    return LLVMBuildInBoundsGEP2(B, e->i8, base, &offset, 1, "");
}

Val unreserved(Emit *e)
{
    const Val group = group_of(e);
    const Val at = byte_at(e, group, quad(e, offsetof(Group, reservations)));
    return LLVMBuildICmp(B, LLVMIntEQ, LLVMBuildLoad2(B, e->i32, at, ""), word(e, 0), "");
}

/* i1: a store from lo to last changes no launch constant; no instruction of a region that repeats
 * makes a reservation */
static Val misses_guard(Emit *e, Val lo, Val last)
{
    Val misses = NULL;
    for (u32 i = 0; i < GUARD_PARTS; i++) {
        const Val behind = LLVMBuildICmp(B, LLVMIntUGE, lo, e->guard_end[i], "");
        const Val before = LLVMBuildICmp(B, LLVMIntULT, last, e->guard_lo[i], "");
        const Val beside = LLVMBuildOr(B, behind, before, "");
        misses = misses ? LLVMBuildAnd(B, misses, beside, "") : beside;
    }
    return misses;
}

Reach reach(Emit *e, Val lo, Val last, bool stores)
{
    const Val in_lds = LLVMBuildICmp(B, LLVMIntULT, LLVMBuildSub(B, lo, quad(e, LDS_LO), ""),
                                     quad(e, LDS_END - LDS_LO), "");
    const Val base = LLVMBuildSelect(B, in_lds, e->lds_base, e->base, "");
    const Val page = LLVMBuildSelect(B, in_lds, e->lds_page, e->page, "");
    const Val first = LLVMBuildLShr(B, lo, quad(e, PAGE_BITS), "");
    const Val second = LLVMBuildLShr(B, last, quad(e, PAGE_BITS), "");
    Val ok = LLVMBuildICmp(B, LLVMIntULT, last, quad(e, (u64)1 << 32), "");
    const Val flags = LLVMBuildAnd(B, LLVMBuildLoad2(B, e->i8, byte_at(e, page, first), ""),
                                   LLVMBuildLoad2(B, e->i8, byte_at(e, page, second), ""), "");
    const Val allowed =
        LLVMBuildAnd(B, flags, LLVMConstInt(e->i8, stores ? MEM_W : MEM_R, false), "");
    ok = LLVMBuildAnd(B, ok,
                      LLVMBuildICmp(B, LLVMIntNE, allowed, LLVMConstInt(e->i8, 0, false), ""), "");
    if (stores && e->guard_lo[0])
        ok = LLVMBuildAnd(B, ok, misses_guard(e, lo, last), "");
    if (stores && !e->repeats)
        ok = LLVMBuildAnd(B, ok, unreserved(e), "");
    return (Reach){ok, byte_at(e, base, lo)};
}

Ways part_ways(Emit *e, Val ok)
{
    const Ways w = {new_block(e, "fast"), new_block(e, "slow"), new_block(e, "done")};
    branch_likely(e, ok, w.fast, w.slow);
    LLVMPositionBuilderAtEnd(B, w.fast);
    return w;
}

u32 access_width(const Uop *u)
{
    switch ((Op)isa_insn[u->id].op) {
    case OP_b:
    case OP_bu: return 1;
    case OP_h:
    case OP_hu: return 2;
    default: return 4;
    }
}

LLVMTypeRef data_type(Emit *e, u32 width)
{
    return width == 1 ? e->i8 : width == 2 ? e->i16 : e->i32;
}

Val widen_data(Emit *e, Op op, Val v, LLVMTypeRef to)
{
    if (op == OP_b || op == OP_h)
        return LLVMBuildSExt(B, v, to, "");
    return op == OP_w ? v : LLVMBuildZExt(B, v, to, "");
}

Val load_at(Emit *e, LLVMTypeRef t, Val host)
{
    const Val v = LLVMBuildLoad2(B, t, host, "");
    LLVMSetAlignment(v, 1);
    return v;
}

void store_at(Emit *e, Val v, Val host) { LLVMSetAlignment(LLVMBuildStore(B, v, host), 1); }

/* --- scalars ------------------------------------------------------------------------------ */

/* The bytes that loads of the block from here on take from around the register. */
static void find_window(const Emit *e, u32 reg, Window *w)
{
    const RegionBlock *b = e->at;
    for (u32 k = e->k; k < b->nuop; k++) {
        const Uop *u = b->uop[k];
        if (u->id < NINSN && isa_insn[u->id].effect == E_LOAD && !u->mem && u->ra == reg) {
            const i32 lo = u->imm < w->lo ? u->imm : w->lo;
            const i32 at = u->imm + (i32)access_width(u), end = at > w->end ? at : w->end;
            if (end - lo <= PAGE_SIZE)
                w->lo = lo, w->end = end;
        }
        if (block_use(b, k).writes.x >> reg & 1)
            return;
    }
}

/* What a scalar load may touch, asked with those that follow. */
static Reach reach_scalar(Emit *e, const Uop *u, Val base)
{
    const i32 end = u->imm + (i32)access_width(u);
    Window *w = NULL;
    for (u32 i = 0; i < e->known.nwindow && !w; i++)
        if (e->known.window[i].base == base && e->known.window[i].lo <= u->imm &&
            e->known.window[i].end >= end)
            w = &e->known.window[i];
    if (!w) {
        w = &e->known.window[e->known.nwindow < MAX_SPANS ? e->known.nwindow++ : MAX_SPANS - 1];
        *w = (Window){.base = base, .lo = u->imm, .end = end};
        find_window(e, u->ra, w);
        const Val addr = LLVMBuildAdd(B, base, word(e, (u32)w->lo), "");
        const Val lo = LLVMBuildZExt(B, addr, e->i64, "");
        const Val last = LLVMBuildAdd(B, lo, quad(e, (u64)(w->end - w->lo - 1)), "");
        const Reach r = reach(e, lo, last, false);
        w->ok = r.ok;
        w->host = r.host;
    }
    return (Reach){w->ok, byte_at(e, w->host, quad(e, (u64)(u->imm - w->lo)))};
}

bool access_scalar(Emit *e, const Uop *u)
{
    const bool loads = isa_insn[u->id].effect == E_LOAD;
    const u32 width = access_width(u);
    if (u->mem)
        return false;
    if (e->repeats && loads && e->at->constant[e->k]) {
        const Val v = e->constant[e->at->constant[e->k]];
        set_x(e, u->rd, v);
        note_load(e, u, NULL, v);
        return true;
    }
    const Val base = get_x(e, u->ra), addr = LLVMBuildAdd(B, base, word(e, (u32)u->imm), "");
    const Val data = loads ? word(e, 0) : get_x(e, u->rb);
    if (!loads)
        streams_store(e, addr, width);
    const Val lo = LLVMBuildZExt(B, addr, e->i64, "");
    const Val last = LLVMBuildAdd(B, lo, quad(e, width - 1), "");
    const Reach r = loads ? reach_scalar(e, u, base) : reach(e, lo, last, true);
    const Ways w = part_ways(e, r.ok);
    Val fast = NULL;
    if (loads)
        fast =
            widen_data(e, (Op)isa_insn[u->id].op, load_at(e, data_type(e, width), r.host), e->i32);
    else
        store_at(e, LLVMBuildTrunc(B, data, data_type(e, width), ""), r.host);
    LLVMBuildBr(B, w.done);

    LLVMPositionBuilderAtEnd(B, w.slow);
    const Val uop = note_place(e);
    const Val got = call_helper(e, &(Helper){.kind = HELPER_KEEP}, e->keep_type,
                                (Val[]){e->warp, uop, e->mask, addr, data, e->scalar}, 6, 0, NULL);
    const Val slow = LLVMBuildTrunc(B, got, e->i32, "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, got, quad(e, 0), ""), e->stop, w.done);

    LLVMPositionBuilderAtEnd(B, w.done);
    if (loads) {
        const Val v = LLVMBuildPhi(B, e->i32, "");
        LLVMAddIncoming(v, (Val[]){fast, slow}, (LLVMBasicBlockRef[]){w.fast, w.slow}, 2);
        set_x(e, u->rd, v);
        note_load(e, u, base, v);
    }
    return true;
}
