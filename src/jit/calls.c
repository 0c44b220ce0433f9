/* calls.c -- what compiled code calls: instructions that it leaves to the interpreter, accesses to
 * memory that is not plain, and room on the divergence stack. */
#include "jit/calls.h"
#include "base/mem.h"
#include "sim/handlers.h"

static void set_lanes(Warp *w, u32 mask)
{
    w->mask = mask;
    if (w->exec != mask)
        warp_set_exec(w);
}

/* Notes a store that nobody looked at yet. */
static void note_store(Group *g, u64 addr, u32 width)
{
    for (u32 i = 0; i < GUARD_PARTS; i++) {
        const PlainRange part = g->guard.part[i];
        g->stale |= addr + width > part.lo && addr < (u64)part.lo + part.room;
    }
}

/* The same of words at the lanes' addresses. */
static void note_lanes(Warp *w, const u32 addr[MAX_LANES])
{
    const Guard guard = w->group->guard;
    u32 near = 0;
    for (u32 k = 0; k < GUARD_PARTS; k++) {
        const u32 room = guard.part[k].room, lo = guard.part[k].lo;
        if (!room)
            continue;
        for (int i = 0; i < MAX_LANES; i++)
            near |= w->on[i] & -(u32)(addr[i] - lo + 3 < room + 3);
    }
    if (near)
        w->group->stale = true;
}

static bool run_one(Warp *w, const Uop *u, u32 mask)
{
    const IsaAccess access = (IsaAccess)isa_effect[isa_insn[u->id].effect].access;
    set_lanes(w, mask);
    w->handled += uop_insns(u);
    if (access != ACCESS_NONE && access != ACCESS_LOAD && w->group->guard.part[0].room) {
        if (isa_insn[u->id].effect == E_AMO)
            note_lanes(w, w->v[u->ra]);
        else
            w->group->stale = true;
    }
    return u->run(w, u) != NULL;
}

static u32 extend(Op op, u32 v)
{
    return op == OP_b ? (u32)(i32)(i8)v : op == OP_h ? (u32)(i32)(i16)v : v;
}

static u32 width_of(Op op)
{
    return op == OP_b || op == OP_bu ? 1 : op == OP_h || op == OP_hu ? 2 : 4;
}

static u64 run_scalar(Warp *w, const Uop *u, u32 mask, u32 addr, u32 value)
{
    const Op op = (Op)isa_insn[u->id].op;
    set_lanes(w, mask);
    if (isa_insn[u->id].effect == E_STORE)
        note_store(w->group, addr, width_of(op));
    if (isa_insn[u->id].effect == E_STORE)
        return (u64)access_store(w, u, addr, width_of(op), -1, value) << 32;
    if (!access_load(w, u, addr, width_of(op), -1, &value))
        return 0;
    return (u64)1 << 32 | extend(op, value);
}

/* Pages around page p, of lo..end, that have these flags, which p was seen to have. */
static PlainRange range_around(const Memory *m, u64 p, u8 flags, u64 lo, u64 end)
{
    u64 first = p, past = p + 1, many;
    const PageSpan plain = memory_plain(m);
    memset(&many, flags, sizeof many);
    if (flags == (MEM_R | MEM_W) && p - plain.first < plain.past - plain.first) {
        first = plain.first > lo ? plain.first : lo;
        past = plain.past < end ? plain.past : end;
    }
    while (first > lo && memory_rights(m, first - 1) == flags)
        first -= first % 8 || first < lo + 8 || memory_rights8(m, first - 8) != many ? 1 : 8;
    while (past < end && memory_rights(m, past) == flags)
        past += past % 8 || past + 8 > end || memory_rights8(m, past) != many ? 1 : 8;
    const u64 size = (past - first) << PAGE_BITS;
    return (PlainRange){(u32)(first << PAGE_BITS),
                        (u32)(size < UINT32_MAX ? size : UINT32_MAX - 3) - 3, m->base};
}

/* What of the range lies beside the part of a guard, on the side of addr; nothing: addr is too near. */
static PlainRange outside(PlainRange part, PlainRange r, u32 addr)
{
    const u64 end = (u64)r.lo + r.room, past = (u64)part.lo + part.room;
    if (!part.room || past <= r.lo || part.lo >= end + 3)
        return r;
    if (addr >= past)
        return (PlainRange){(u32)past, (u32)(end - past), r.base};
    if ((u64)addr + 3 < part.lo)
        return (PlainRange){r.lo, part.lo - 3 - r.lo, r.base};
    return (PlainRange){0};
}

/* Where the instruction's range is remembered, which is noted as asked for. */
static PlainRange *ask_range(Group *g, const Uop *u, bool stores)
{
    const u32 site = plain_site(u->pc);
    g->asked[stores][site / 64] |= (u64)1 << site % 64;
    return &g->plain[stores][site];
}

/* The range around an address, in a page with the right to it that stays; lo..end: of the pages to look
 * at, if no instruction has found it. */
static PlainRange find_range(Group *g, u32 addr, bool stores, u64 lo, u64 end)
{
    const Memory *m = g->launch->memory;
    PlainRange *recent = g->recent[stores];
    for (u32 i = 0; i < RECENT_RANGES; i++)
        if (addr - recent[i].lo < recent[i].room)
            return recent[i];
    const u64 p = addr >> PAGE_BITS;
    PlainRange r = range_around(m, p, memory_rights(m, p), lo, end);
    for (u32 i = 0; stores && i < GUARD_PARTS; i++)
        r = outside(g->guard.part[i], r, addr);
    return recent[++g->nfound[stores] % RECENT_RANGES] = r;
}

/* Remembers the memory around an address for the next time (Group.plain).  Rights of pages that are
 * tracked, or may have decoded instructions, change while a launch runs.  Local memory can be read
 * everywhere, and stored to, as long as the context is held, where a store has noted pages; so can private memory that is
 * the context's own. */
static void remember(Group *g, const Uop *u, u32 addr, bool stores)
{
    /* pages to look at where something else was remembered: it may change often */
    enum { AGAIN = 256 };
    const bool local = addr - LDS_LO < LDS_END - LDS_LO;
    const Memory *m = local ? &g->lds : g->launch->memory;
    PlainRange *r = ask_range(g, u, stores);
    const u64 p = addr >> PAGE_BITS, first = m->lo >> PAGE_BITS, past = m->end >> PAGE_BITS;
    const u8 fixed = (g->owns_private ? 0 : MEM_TRACKED) | MEM_CODE | MEM_X;
    if (addr >= m->end)
        return;
    const u8 flags = memory_rights(m, p);
    const u64 lo = r->room && p > first + AGAIN ? p - AGAIN : first;
    const u64 end = r->room && p + AGAIN < past ? p + AGAIN : past;
    if (addr - r->lo < r->room || !(flags & (stores ? MEM_W : MEM_R)) ||
        (stores && !local && flags & fixed))
        return;
    if (!local)
        *r = find_range(g, addr, stores, lo, end);
    else if (stores)
        *r = range_around(m, p, flags, lo, end);
    else
        *r = (PlainRange){LDS_LO, LDS_END - LDS_LO - 3, m->base};
}

/* The host address of what lies in a page with the right to it; NULL: it is special. */
static u8 *find_plain(const Group *g, u32 addr, u32 width, bool stores)
{
    const Memory *m = addr - LDS_LO < LDS_END - LDS_LO ? &g->lds : g->launch->memory;
    const bool torn = (addr & (PAGE_SIZE - 1)) + width > PAGE_SIZE;
    return !torn && addr < m->end && memory_rights(m, addr >> PAGE_BITS) & (stores ? MEM_W : MEM_R)
               ? m->base + addr
               : NULL;
}

static u64 run_vector(Warp *w, const Uop *u, u32 mask, u32 none, u32 none2)
{
    const Effect effect = (Effect)isa_insn[u->id].effect;
    const bool indexed = effect == E_VLOAD_INDEX || effect == E_VSTORE_INDEX;
    const bool stores = isa_effect[effect].access == ACCESS_STORE;
    const Op op = indexed ? OP_w : (Op)isa_insn[u->id].op;
    const u32 width = width_of(op);
    Group *g = w->group;
    (void)none, (void)none2;
    set_lanes(w, mask);
    for (u32 left = mask; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        u8 *host = stores && g->reservations ? NULL : find_plain(g, w->addr[i], width, stores);
        u32 value = stores ? w->v[u->rb][i] : 0;
        if (stores)
            note_store(g, w->addr[i], width);
        if (host && stores)
            memory_put(host, width, value);
        else if (host)
            value = memory_get(host, width);
        else if (!(stores ? access_store(w, u, w->addr[i], width, i, value)
                          : access_load(w, u, w->addr[i], width, i, &value)))
            return 0;
        if (!stores)
            w->v[u->rd][i] = extend(op, value);
    }
    if (mask)
        remember(g, u, w->addr[__builtin_ctz(mask)], stores);
    return (u64)1 << 32;
}

/* The same for a row.  Where nothing can be remembered, that is noted, so that nobody asks
 * again. */
static u64 remember_row(Warp *w, const Uop *u, u32 mask, u32 addr, u32 none)
{
    const bool stores = isa_effect[isa_insn[u->id].effect].access == ACCESS_STORE;
    PlainRange *r = ask_range(w->group, u, stores);
    (void)mask, (void)none;
    remember(w->group, u, addr, stores);
    if (!r->lo && !r->room)
        r->lo = 1;
    return (u64)1 << 32;
}

static bool deepen(Warp *w, const Uop *u, u32 mask)
{
    size_t cap = w->capsimt;
    if (w->nsimt + 2 > w->group->launch->simt_depth)
        return false;
    if (array_grow(w->simt, w->nsimt + 1, cap)) {
        w->capsimt = (u32)cap;
        return true;
    }
    set_lanes(w, mask);
    fail(w, u, FAULT_NO_MEMORY, -1);
    return false;
}

void calls_set(HostEnv *env)
{
    env->one = run_one;
    env->scalar = run_scalar;
    env->vector = run_vector;
    env->remember = remember_row;
    env->deepen = deepen;
}
