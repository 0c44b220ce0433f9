/* repeat.c -- code that goes on with the next warp, and the next group, when one has ended
 * (HostCode).
 *
 *     entry:  what stays while the code runs: launch constants, the guard
 *     begin:  the next warp is at its start
 *     ...     the region
 *     again:  it has ended; to `begin`, or out
 */
#include "jit/translate.h"
#include <stddef.h>

#define B e->b

static Val field(Emit *e, Val base, size_t offset)
{
    Val at = quad(e, offset);
    return LLVMBuildInBoundsGEP2(B, e->i8, base, &at, 1, "");
}

static Val env_at(Emit *e, size_t offset) { return field(e, e->env, offset); }

void load_guard(Emit *e)
{
    const size_t guard = offsetof(HostEnv, guard);
    e->guard_lo =
        LLVMBuildZExt(B, env_field(e, e->i32, guard + offsetof(PlainRange, lo)), e->i64, "");
    e->guard_end = LLVMBuildAdd(
        B, e->guard_lo,
        LLVMBuildZExt(B, env_field(e, e->i32, guard + offsetof(PlainRange, room)), e->i64, ""), "");
}

/* What does not change while the code runs. */
static void load_constants(Emit *e)
{
    const Val all = env_field(e, e->ptr, offsetof(HostEnv, constant));
    for (u32 i = 0; i < e->r->nblock; i++) {
        const RegionBlock *b = &e->r->block[i];
        for (u32 k = 0; b->constant && k < b->nuop; k++) {
            const u32 n = b->constant[k];
            if (n && !e->constant[n])
                e->constant[n] = LLVMBuildLoad2(B, e->i32, field(e, all, sizeof(u32) * n), "");
        }
    }
}

/* The start of a warp: what the one before it in its context may have changed is set. */
static void make_begin(Emit *e)
{
    static const size_t zero[] = {offsetof(Warp, mstatus), offsetof(Warp, rpc),
                                  offsetof(Warp, nsimt)};
    const LLVMBasicBlockRef enter = make_entry(e, 0, true);
    LLVMPositionBuilderAtEnd(B, e->begin);
    e->warp = LLVMBuildLoad2(B, e->ptr, e->warp_home, "");
    LLVMBuildStore(B, e->warp, env_at(e, offsetof(HostEnv, warp)));
    LLVMBuildStore(B, word(e, WARP_VTYPE), warp_field(e, offsetof(Warp, vtype)));
    for (size_t i = 0; i < countof(zero); i++)
        LLVMBuildStore(B, word(e, 0), warp_field(e, zero[i]));
    streams_forget(e);
    LLVMBuildBr(B, enter);
}

/* The place in the grid of the next group. */
static void next_place(Emit *e, LLVMBasicBlockRef to)
{
    const Val launch = LLVMBuildLoad2(B, e->ptr, field(e, e->group, offsetof(Group, launch)), "");
    for (u32 i = 0; i < 3; i++) {
        const Val at = field(e, e->group, offsetof(Group, id) + i * sizeof(u32));
        const Val count = field(e, launch, offsetof(Launch, groups) + i * sizeof(u32));
        const Val next = LLVMBuildAdd(B, LLVMBuildLoad2(B, e->i32, at, ""), word(e, 1), "");
        const Val wraps =
            LLVMBuildICmp(B, LLVMIntEQ, next, LLVMBuildLoad2(B, e->i32, count, ""), "");
        const LLVMBasicBlockRef carry = i < 2 ? new_block(e, "carry") : to;
        LLVMBuildStore(B, LLVMBuildSelect(B, wraps, word(e, 0), next, ""), at);
        LLVMBuildCondBr(B, wraps, carry, to);
        if (i < 2)
            LLVMPositionBuilderAtEnd(B, carry);
    }
}

/* A warp has ended: on with the next one. */
static void make_again(Emit *e)
{
    const LLVMBasicBlockRef same = new_block(e, "same"), last = new_block(e, "last"),
                            other = new_block(e, "other"), next = new_block(e, "next"),
                            done = new_block(e, "done");
    LLVMPositionBuilderAtEnd(B, e->again);
    const Val insns = LLVMBuildLoad2(B, e->i64, e->insns_home, "");
    const Val sum_at = env_at(e, offsetof(HostEnv, insns));
    const Val sum = LLVMBuildAdd(B, LLVMBuildLoad2(B, e->i64, sum_at, ""), insns, "");
    LLVMBuildStore(B, sum, sum_at);
    const Val stale = LLVMBuildLoad2(B, e->i8, field(e, e->group, offsetof(Group, stale)), "");
    branch_likely(e, LLVMBuildICmp(B, LLVMIntEQ, stale, LLVMConstInt(e->i8, 0, false), ""), same,
                  done);

    LLVMPositionBuilderAtEnd(B, same);
    Val one = quad(e, sizeof(Warp));
    const Val is_last =
        LLVMBuildICmp(B, LLVMIntEQ, e->warp, env_field(e, e->ptr, offsetof(HostEnv, last)), "");
    LLVMBuildStore(B, LLVMBuildInBoundsGEP2(B, e->i8, e->warp, &one, 1, ""), e->warp_home);
    LLVMBuildCondBr(B, is_last, last, e->begin);

    LLVMPositionBuilderAtEnd(B, last);
    static const size_t lists[] = {offsetof(Group, lds_dirty), offsetof(Group, pds_dirty)};
    Val clean =
        LLVMBuildICmp(B, LLVMIntULT, sum, env_field(e, e->i64, offsetof(HostEnv, most)), "");
    for (u32 i = 0; i < countof(lists); i++) {
        const Val n =
            LLVMBuildLoad2(B, e->i64, field(e, e->group, lists[i] + offsetof(DirtyList, n)), "");
        clean = LLVMBuildAnd(B, clean, LLVMBuildICmp(B, LLVMIntEQ, n, quad(e, 0), ""), "");
    }
    const Val linear_at = field(e, e->group, offsetof(Group, linear));
    const Val linear = LLVMBuildAdd(B, LLVMBuildLoad2(B, e->i64, linear_at, ""), quad(e, 1), "");
    const Val end = env_field(e, e->i64, offsetof(HostEnv, end));
    clean = LLVMBuildAnd(B, clean, LLVMBuildICmp(B, LLVMIntULT, linear, end, ""), "");
    branch_likely(e, clean, other, done);

    LLVMPositionBuilderAtEnd(B, other);
    const Val pds_at = field(e, e->group, offsetof(Group, pds_base));
    const Val step = env_field(e, e->i32, offsetof(HostEnv, pds_step));
    LLVMBuildStore(B, LLVMBuildAdd(B, LLVMBuildLoad2(B, e->i32, pds_at, ""), step, ""), pds_at);
    LLVMBuildStore(B, linear, linear_at);
    next_place(e, next);
    LLVMPositionBuilderAtEnd(B, next);
    LLVMBuildStore(B, env_field(e, e->ptr, offsetof(HostEnv, first)), e->warp_home);
    LLVMBuildBr(B, e->begin);

    LLVMPositionBuilderAtEnd(B, done);
    LLVMBuildStore(B, LLVMConstInt(e->i8, WARP_DONE, false), warp_field(e, offsetof(Warp, state)));
    LLVMBuildStore(B, insns, warp_field(e, offsetof(Warp, ninsns)));
    LLVMBuildStore(B, first_lanes(e), warp_field(e, offsetof(Warp, mask)));
    LLVMBuildRet(B, word(e, (u32)HOST_STOPPED));
}

void make_repetition(Emit *e, LLVMBasicBlockRef first)
{
    LLVMPositionBuilderAtEnd(B, first);
    e->warp_home = LLVMBuildAlloca(B, e->ptr, "warp");
    LLVMBuildStore(B, e->warp, e->warp_home);
    load_constants(e);
    load_guard(e);
    e->begin = new_block(e, "begin");
    e->again = new_block(e, "again");
    LLVMBuildBr(B, e->begin);
    make_begin(e);
    make_again(e);
}
