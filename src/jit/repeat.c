/* repeat.c -- code that goes on with the next warp, and the next group, when one has ended
 * (HostCode).
 *
 *     entry:  what stays while the code runs: launch constants, the guard
 *     begin:  the next warp is at its start, or behind a barrier
 *     ...     the region
 *     met:    it waits at a barrier; to `begin`, or out
 *     again:  it has ended; to `begin`, or out
 *
 * Warps of a group that meet at barriers run one after the other up to there: a round.  What they need later is in the
 * Warp meanwhile, as if they had left the code.
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
    for (u32 i = 0; i < GUARD_PARTS; i++) {
        const size_t part = offsetof(HostEnv, guard.part) + i * sizeof(PlainRange);
        const Val lo = env_field(e, e->i32, part + offsetof(PlainRange, lo)),
                  room = env_field(e, e->i32, part + offsetof(PlainRange, room));
        e->guard_lo[i] = LLVMBuildZExt(B, lo, e->i64, "");
        e->guard_end[i] = LLVMBuildAdd(B, e->guard_lo[i], LLVMBuildZExt(B, room, e->i64, ""), "");
    }
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

/* The start of a warp, or where it goes on: what the one before it in its context may have changed is set. */
static void make_begin(Emit *e)
{
    static const size_t zero[] = {offsetof(Warp, mstatus), offsetof(Warp, rpc),
                                  offsetof(Warp, nsimt)};
    const LLVMBasicBlockRef enter = make_entry(e, 0, true);
    LLVMPositionBuilderAtEnd(B, e->begin);
    e->warp = LLVMBuildLoad2(B, e->ptr, e->warp_home, "");
    LLVMBuildStore(B, e->warp, env_at(e, offsetof(HostEnv, warp)));
    streams_forget(e);
    if (e->r->meets) {
        const LLVMBasicBlockRef fresh = new_block(e, "fresh");
        e->entry = LLVMBuildLoad2(B, e->i32, e->entry_home, "");
        set_state(e, WARP_READY);
        LLVMBuildStore(B, word(e, 0), warp_field(e, offsetof(Warp, reentry)));
        LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, e->entry, word(e, 0), ""), fresh, e->resume);
        LLVMPositionBuilderAtEnd(B, fresh);
    }
    LLVMBuildStore(B, word(e, WARP_VTYPE), warp_field(e, offsetof(Warp, vtype)));
    for (size_t i = 0; i < countof(zero); i++)
        LLVMBuildStore(B, word(e, 0), warp_field(e, zero[i]));
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

/* Whether no store may have changed a launch constant. */
static Val is_steady(Emit *e)
{
    const Val stale = LLVMBuildLoad2(B, e->i8, field(e, e->group, offsetof(Group, stale)), "");
    return LLVMBuildICmp(B, LLVMIntEQ, stale, LLVMConstInt(e->i8, 0, false), "");
}

static Val is_last(Emit *e, Val warp)
{
    return LLVMBuildICmp(B, LLVMIntEQ, warp, env_field(e, e->ptr, offsetof(HostEnv, last)), "");
}

/* On with the warp after that one. */
static void advance(Emit *e, Val warp)
{
    Val one = quad(e, sizeof(Warp));
    LLVMBuildStore(B, LLVMBuildInBoundsGEP2(B, e->i8, warp, &one, 1, ""), e->warp_home);
}

/* A warp has ended: adds its instructions to those of the others. */
static void add_insns(Emit *e)
{
    const Val insns = LLVMBuildLoad2(B, e->i64, e->insns_home, "");
    const Val sum_at = env_at(e, offsetof(HostEnv, insns));
    LLVMBuildStore(B, LLVMBuildAdd(B, LLVMBuildLoad2(B, e->i64, sum_at, ""), insns, ""), sum_at);
}

/* Adds one to a number of the HostEnv. */
static void add_one(Emit *e, size_t offset)
{
    const Val n = env_field(e, e->i32, offset);
    LLVMBuildStore(B, LLVMBuildAdd(B, n, word(e, 1), ""), env_at(e, offset));
}

static void set_over(Emit *e, bool is)
{
    LLVMBuildStore(B, LLVMConstInt(e->i8, is, false), env_at(e, offsetof(HostEnv, is_over)));
}

/* What shows that the warp has ended. */
static void set_ended(Emit *e)
{
    set_state(e, WARP_DONE);
    LLVMBuildStore(B, LLVMBuildLoad2(B, e->i64, e->insns_home, ""),
                   warp_field(e, offsetof(Warp, ninsns)));
    LLVMBuildStore(B, first_lanes(e), warp_field(e, offsetof(Warp, mask)));
}

/* A warp has ended: on with the next one, or behind the last one to `last`. */
static void make_again(Emit *e, LLVMBasicBlockRef last, LLVMBasicBlockRef done)
{
    const LLVMBasicBlockRef same = new_block(e, "same");
    LLVMPositionBuilderAtEnd(B, e->again);
    add_insns(e);
    branch_likely(e, is_steady(e), same, done);
    LLVMPositionBuilderAtEnd(B, same);
    advance(e, e->warp);
    LLVMBuildCondBr(B, is_last(e, e->warp), last, e->begin);
}

/* A warp has ended or has come to a barrier:
 *
 *   1. that is noted
 *   2. on with the next one: in the first round from its start, later behind the barrier, if it has not ended
 *   3. when the last one has stopped, with the first one behind the barrier, if any waits there, or to `last` */
static void make_rounds(Emit *e, LLVMBasicBlockRef last, LLVMBasicBlockRef done)
{
    const LLVMBasicBlockRef turn = new_block(e, "turn"), steady = new_block(e, "steady"),
                            pick = new_block(e, "pick"), later = new_block(e, "later"),
                            skip = new_block(e, "skip"), go_on = new_block(e, "go_on"),
                            all = new_block(e, "all"), waits = new_block(e, "waits"),
                            pass = new_block(e, "pass");
    /* 1 */
    LLVMPositionBuilderAtEnd(B, e->again);
    add_insns(e);
    set_ended(e);
    LLVMBuildBr(B, turn);
    LLVMPositionBuilderAtEnd(B, e->met);
    add_one(e, offsetof(HostEnv, waiting));
    LLVMBuildBr(B, turn);
    LLVMPositionBuilderAtEnd(B, turn);
    branch_likely(e, is_steady(e), steady, done);
    /* 2 */
    LLVMPositionBuilderAtEnd(B, steady);
    advance(e, e->warp);
    LLVMBuildCondBr(B, is_last(e, e->warp), all, pick);
    LLVMPositionBuilderAtEnd(B, pick);
    const Val next = LLVMBuildLoad2(B, e->ptr, e->warp_home, "");
    const Val round = env_field(e, e->i32, offsetof(HostEnv, round));
    LLVMBuildStore(B, word(e, 0), e->entry_home);
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, round, word(e, 0), ""), e->begin, later);
    LLVMPositionBuilderAtEnd(B, later);
    const Val state = LLVMBuildLoad2(B, e->i8, field(e, next, offsetof(Warp, state)), "");
    const Val has_ended =
        LLVMBuildICmp(B, LLVMIntEQ, state, LLVMConstInt(e->i8, WARP_DONE, false), "");
    LLVMBuildCondBr(B, has_ended, skip, go_on);
    LLVMPositionBuilderAtEnd(B, skip);
    advance(e, next);
    LLVMBuildCondBr(B, is_last(e, next), all, pick);
    LLVMPositionBuilderAtEnd(B, go_on);
    const Val entry = LLVMBuildLoad2(B, e->i32, field(e, next, offsetof(Warp, reentry)), "");
    LLVMBuildStore(B, entry, e->entry_home);
    LLVMBuildBr(B, e->begin);
    /* 3 */
    LLVMPositionBuilderAtEnd(B, all);
    set_over(e, true);
    const Val any = env_field(e, e->i32, offsetof(HostEnv, waiting));
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, any, word(e, 0), ""), last, waits);
    LLVMPositionBuilderAtEnd(B, waits);
    const Val passes = env_field(e, e->i8, offsetof(HostEnv, passes));
    LLVMBuildCondBr(B, LLVMBuildTrunc(B, passes, e->i1, ""), pass, done);
    LLVMPositionBuilderAtEnd(B, pass);
    LLVMBuildFence(B, LLVMAtomicOrderingAcquireRelease, false, "");
    LLVMBuildStore(B, word(e, 0), env_at(e, offsetof(HostEnv, waiting)));
    add_one(e, offsetof(HostEnv, round));
    set_over(e, false);
    LLVMBuildStore(B, env_field(e, e->ptr, offsetof(HostEnv, first)), e->warp_home);
    LLVMBuildBr(B, pick);
}

/* A group has ended: on with the next one, unless something is to be done before. */
static void make_last(Emit *e, LLVMBasicBlockRef last, LLVMBasicBlockRef done)
{
    static const size_t lists[] = {offsetof(Group, lds_dirty), offsetof(Group, pds_dirty)};
    const LLVMBasicBlockRef other = new_block(e, "other"), next = new_block(e, "next");
    LLVMPositionBuilderAtEnd(B, last);
    Val clean = LLVMBuildICmp(B, LLVMIntULT, env_field(e, e->i64, offsetof(HostEnv, insns)),
                              env_field(e, e->i64, offsetof(HostEnv, most)), "");
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
    if (e->r->meets) {
        set_over(e, false);
        LLVMBuildStore(B, word(e, 0), env_at(e, offsetof(HostEnv, round)));
        LLVMBuildStore(B, word(e, 0), e->entry_home);
    }
    LLVMBuildBr(B, e->begin);
}

void make_repetition(Emit *e, LLVMBasicBlockRef first)
{
    const LLVMBasicBlockRef last = new_block(e, "last"), done = new_block(e, "done");
    LLVMPositionBuilderAtEnd(B, first);
    e->warp_home = LLVMBuildAlloca(B, e->ptr, "warp");
    LLVMBuildStore(B, e->warp, e->warp_home);
    if (e->r->meets) {
        e->entry_home = LLVMBuildAlloca(B, e->i32, "entry");
        LLVMBuildStore(B, LLVMGetParam(e->fn, 3), e->entry_home);
        e->resume = new_block(e, "resume");
        e->met = new_block(e, "met");
    }
    load_constants(e);
    load_guard(e);
    e->begin = new_block(e, "begin");
    e->again = new_block(e, "again");
    LLVMBuildBr(B, e->begin);
    make_begin(e);
    (e->r->meets ? make_rounds : make_again)(e, last, done);
    make_last(e, last, done);
    LLVMPositionBuilderAtEnd(B, done);
    if (!e->r->meets)
        set_ended(e);
    LLVMBuildRet(B, word(e, (u32)HOST_STOPPED));
}
