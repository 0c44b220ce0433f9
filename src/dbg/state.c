/* state.c -- numbers and names of registers, addresses as a lane means them.
 *
 * gdb looks for the result of a function in a0 and a1, where RISC-V has it.  Calls keep neither
 * (doc/abi.md, "Registers"), so nothing else is there when a function has just returned: then they
 * are shown as what v0 and v1 are, in which our functions return it.
 */
#include "dbg/state.h"
#include <string.h>

/* The registers in the order of their numbers. */
enum {
    REG_X = 0,       /* x0 to x31 */
    REG_RESULT = 10, /* a0, a1 */
    REG_PC = PC_REGISTER,
    REG_V = 33, /* v0 to v31: elements of the lane */
    REG_X_HIGH = REG_V + 32,
    REG_V_HIGH = REG_X_HIGH + 32,
    REG_ROW = REG_V_HIGH + 224, /* whole vector registers */
    REG_STATE = REG_ROW + 256,
    REG_CSR = REG_STATE + 8
};

/* What of a lane is no architected register: name, value for lane l of warp w. */
#define STATES(ROW)                                                                                \
    ROW(mask, w->mask)                                                                             \
    ROW(exec, w->exec)                                                                             \
    ROW(depth, w->nsimt)                                                                           \
    ROW(active, lane_is_active(l))                                                                 \
    ROW(lane, l.lane)                                                                              \
    ROW(warp, w->id)                                                                               \
    ROW(group, (u32)launch_group_number(w->group->launch, w->group->linear))                       \
    ROW(thread, lane_thread(l))
#define STATE_NAME(name, value)  #name,
#define STATE_VALUE(name, value) value,

static const struct {
    u32 number;
    bool lanes;
    const char *name;
} csrs[] = {
#define CSR(number, name, access, standard, state, value, write, what) {number, false, #name},
#define CSR_LANES(number, name, value, what)                           {number, true, #name},
#include "isa/csr.def"
};

/* --- lanes -------------------------------------------------------------------------------- */

bool lane_find(const Run *r, u32 thread, Lane *l)
{
    const u32 lanes = r->launch->lanes, n = thread - 1;
    if (!thread || !r->ngroups || n / lanes >= r->group->nwarps)
        return false;
    *l = (Lane){&r->group->warps[n / lanes], n % lanes};
    return l->warp->initial >> l->lane & 1;
}

u32 lane_thread(Lane l) { return l.warp->tid + l.lane + 1; }

bool lane_is_active(Lane l) { return l.warp->state != WARP_DONE && l.warp->mask >> l.lane & 1; }

u32 lane_pc(Lane l)
{
    const Warp *w = l.warp;
    if (w->mask >> l.lane & 1)
        return w->pc;
    for (u32 i = w->nsimt; i-- > 0;)
        if (w->simt[i].mask >> l.lane & 1)
            return w->simt[i].pc;
    return w->pc;
}

void lane_describe(Lane l, Buf *to)
{
    const Warp *w = l.warp;
    const Group *g = w->group;
    const u32 *n = g->launch->local;
    u32 id[3];
    launch_group_id(g->launch, g->linear, id);
    buf_printf(to, "group %u,%u,%u warp %u lane %u", id[0], id[1], id[2], w->id, l.lane);
    if (n[0] && n[1] && n[2]) {
        const FaultItem x = launch_item(g->launch, g->linear, w->tid + l.lane);
        buf_printf(to, ", global %u,%u,%u", x.item[0], x.item[1], x.item[2]);
    }
    buf_str(to, w->state == WARP_DONE      ? ", ended"
                : w->state == WARP_WAITING ? ", at a barrier"
                : !(w->mask >> l.lane & 1) ? ", inactive"
                                           : "");
}

/* --- the description ------------------------------------------------------------------------ */

static void put_register(Buf *b, u32 *n, const char *name, u32 index, const char *type,
                         const char *group)
{
    buf_printf(b, "<reg name=\"%s", name);
    if (index != UINT32_MAX)
        buf_printf(b, "%u", index);
    buf_printf(b, "\" bitsize=\"32\" regnum=\"%u\" type=\"%s\" group=\"%s\"/>", (*n)++, type,
               group);
}

void state_describe_registers(const Launch *l, Buf *b)
{
    static const char *const states[] = {STATES(STATE_NAME)};
    u32 n = 0;
    buf_str(b, "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target>"
               "<architecture>riscv:rv32</architecture><osabi>none</osabi>"
               "<feature name=\"org.gnu.gdb.riscv.cpu\">");
    for (u32 i = 0; i < 32; i++)
        put_register(b, &n, "x", i, i == 1 ? "code_ptr" : "int", "general");
    put_register(b, &n, "pc", UINT32_MAX, "code_ptr", "general");
    buf_str(b, "</feature><feature name=\"org.gnu.gdb.riscv.vector\">");
    for (u32 i = 0; i < 32; i++)
        put_register(b, &n, "v", i, "int", "vector");
    buf_str(b, "</feature><feature name=\"org.ventus.scalar\">");
    for (u32 i = 32; i < 64; i++)
        put_register(b, &n, "x", i, "int", "general");
    buf_str(b, "</feature><feature name=\"org.ventus.vector\">");
    for (u32 i = 32; i < 256; i++)
        put_register(b, &n, "v", i, "int", "vector");
    buf_printf(b,
               "</feature><feature name=\"org.ventus.row\">"
               "<vector id=\"lanes\" type=\"int32\" count=\"%u\"/>",
               l->lanes);
    for (u32 i = 0; i < 256; i++)
        buf_printf(
            b, "<reg name=\"row%u\" bitsize=\"%u\" regnum=\"%u\" type=\"lanes\" group=\"vector\"/>",
            i, l->lanes * 32, n++);
    buf_str(b, "</feature><feature name=\"org.ventus.state\">");
    for (size_t i = 0; i < countof(states); i++)
        put_register(b, &n, states[i], UINT32_MAX, "uint32", "system");
    buf_str(b, "</feature><feature name=\"org.ventus.csr\">");
    for (size_t i = 0; i < countof(csrs); i++)
        put_register(b, &n, csrs[i].name, UINT32_MAX, "uint32", "system");
    buf_str(b, "</feature></target>");
}

/* --- registers ------------------------------------------------------------------------------ */

/* the scalar register, or NULL */
static u32 *scalar_register(Warp *w, u32 n)
{
    return n < REG_PC ? &w->x[n] : n - REG_X_HIGH < 32 ? &w->x[32 + n - REG_X_HIGH] : NULL;
}

/* the row of which register n is the lane's element, or NULL */
static u32 *vector_register(Warp *w, u32 n)
{
    return n - REG_V < 32         ? w->v[n - REG_V]
           : n - REG_V_HIGH < 224 ? w->v[32 + n - REG_V_HIGH]
                                  : NULL;
}

static u32 state_register(Lane l, u32 n)
{
    const Warp *w = l.warp;
    const u32 values[] = {STATES(STATE_VALUE)};
    return values[n];
}

static u32 csr_register(Lane l, u32 n)
{
    u32 value = 0, lanes[MAX_LANES] = {0};
    if (csrs[n].lanes)
        csr_read_lanes(l.warp, csrs[n].number, lanes);
    else
        csr_read(l.warp, csrs[n].number, &value);
    return csrs[n].lanes ? lanes[l.lane] : value;
}

u32 state_read_register(const Run *r, Lane l, u32 n, u8 to[MOST_REGISTER])
{
    Warp *w = l.warp;
    u32 value;
    const u32 *scalar = scalar_register(w, n), *row = vector_register(w, n);
    if (n - REG_ROW < 256) {
        memcpy(to, w->v[n - REG_ROW], r->launch->lanes * sizeof *w->v[0]);
        return r->launch->lanes * (u32)sizeof *w->v[0];
    }
    if (n - REG_RESULT < 2 && r->returned >> w->id & 1)
        value = w->v[n - REG_RESULT][l.lane];
    else if (scalar)
        value = *scalar;
    else if (row)
        value = row[l.lane];
    else if (n == REG_PC)
        value = lane_pc(l);
    else if (n - REG_STATE < REG_CSR - REG_STATE)
        value = state_register(l, n - REG_STATE);
    else if (n >= REG_CSR && n - REG_CSR < countof(csrs))
        value = csr_register(l, n - REG_CSR);
    else
        return 0;
    memcpy(to, &value, sizeof value);
    return sizeof value;
}

bool state_write_register(Run *r, Lane l, u32 n, const u8 *from, u32 size)
{
    Warp *w = l.warp;
    u32 value, *scalar = scalar_register(w, n), *row = vector_register(w, n);
    if (n - REG_ROW < 256 && size == r->launch->lanes * sizeof *w->v[0]) {
        memcpy(w->v[n - REG_ROW], from, size);
        run_changed(r);
        return true;
    }
    if (size != sizeof value)
        return false;
    memcpy(&value, from, sizeof value);
    if (scalar == &w->x[0])
        return !value;
    if (scalar)
        *scalar = value;
    else if (row)
        row[l.lane] = value;
    else if (n == REG_PC && lane_is_active(l))
        w->pc = value;
    else if (n == REG_PC)
        return value == lane_pc(l);
    else if (n >= REG_CSR && n - REG_CSR < countof(csrs) && !csrs[n - REG_CSR].lanes)
        csr_write(w, csrs[n - REG_CSR].number, value);
    else
        return false;
    run_changed(r);
    return true;
}

/* --- memory ---------------------------------------------------------------------------------- */

/* The host's address of a byte that the lane may read at addr, and the page of device memory that
 * it lies in (0: it is none); NULL: there is nothing. */
static u8 *find_byte(const Run *r, Lane l, u64 addr, u64 *page)
{
    const Launch *launch = r->launch;
    Warp *w = l.warp;
    Group *g = w->group;
    const Memory *m = launch->memory;
    u64 at = addr;
    *page = 0;
    if (addr - LDS_LO < LDS_END - LDS_LO)
        return g->lds.base + addr;
    if (addr < OWN_END && !memory_has(m, addr, 1, MEM_R)) {
        const u32 n = (u32)(addr - REGISTER_WINDOW) / 4, v = n - VECTOR_WINDOW / 4;
        if (addr >= REGISTER_WINDOW && n < 64)
            return (u8 *)&w->x[n] + addr % 4;
        if (addr >= REGISTER_WINDOW && v < 256)
            return (u8 *)&w->v[v][l.lane] + addr % 4;
        if (addr >= launch->pds_lane)
            return NULL;
        const bool by_warp = launch->set & V2025;
        const u64 words = (addr & ~(u64)3) * launch->lanes * (by_warp ? 1 : g->nwarps);
        at = (u32)(warp_pds(w) + words + ((by_warp ? 0 : w->tid) + l.lane) * 4 + (addr & 3));
    }
    if ((launch->mmu && !mmu_translate(launch->mmu, &g->tlb, at, PTE_R, &at)) ||
        !memory_has(m, at, 1, MEM_R))
        return NULL;
    *page = at;
    return m->base + at;
}

u64 state_read_memory(const Run *r, Lane l, u64 addr, u8 *to, u64 size)
{
    u64 page;
    for (u64 i = 0; i < size; i++) {
        const u32 in_metadata = (u32)(addr + i) - REGISTER_WINDOW - METADATA_WINDOW;
        const u8 *from = in_metadata < sizeof r->launch->knl
                             ? (const u8 *)&r->launch->knl + in_metadata
                             : find_byte(r, l, (u32)(addr + i), &page);
        if (!from)
            return i;
        to[i] = *from;
    }
    return size;
}

bool state_write_memory(Run *r, Lane l, u64 addr, const u8 *from, u64 size)
{
    u64 page;
    for (u64 i = 0; i < size; i++)
        if (!find_byte(r, l, (u32)(addr + i), &page))
            return false;
    for (u64 i = 0; i < size; i++) {
        Group *g = r->group;
        const u64 a = (u32)(addr + i);
        u8 *to = find_byte(r, l, a, &page);
        Memory *m = a - LDS_LO < LDS_END - LDS_LO ? &g->lds : r->launch->memory;
        const u64 at = m == &g->lds ? a : page;
        const u8 flags = memory_rights(m, at >> PAGE_BITS);
        if (a - REGISTER_WINDOW < 4)
            continue; /* x0 */
        if (at && (flags & MEM_TRACKED) && !(flags & MEM_W)) {
            DirtyList *d = m == &g->lds ? &g->lds_dirty : &g->pds_dirty;
            if (!array_grow(d->page, d->n, d->cap))
                return false;
            d->page[d->n++] = (u32)(at >> PAGE_BITS);
            memory_set_rights(m, at >> PAGE_BITS, flags | MEM_W);
        }
        if (page)
            run_page_changes(r, page);
        *to = from[i];
    }
    if (addr - CODE_LO < CODE_END - CODE_LO)
        r->sim->engine.kind->code_changed(&r->sim->engine, r->launch->set, addr, size);
    run_changed(r);
    return true;
}
