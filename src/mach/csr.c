/* csr.c -- control and status registers as software sees them (doc/isa.md, "CSRs"). */
#include "mach/warp.h"

enum { MSTATUS_FIXED = 0x1800, MSTATUS_RW = 0x88, INTERRUPTS_RW = 0x888 };

u32 warp_pds(const Warp *w)
{
    const Launch *l = w->group->launch;
    return w->group->pds_base + (l->set & V2025 ? w->id * l->lanes * l->pds_lane : 0);
}

static u32 work_group_csr(const Warp *w, u32 n)
{
    const Group *g = w->group;
    switch (n) {
    case 0x800: return w->tid;
    case 0x801: return g->nwarps;
    case 0x802: return g->launch->lanes;
    case 0x803: return g->launch->knl;
    case 0x804: return (u32)g->linear;
    case 0x805: return w->id;
    case 0x806: return g->lds_base;
    case 0x807: return warp_pds(w);
    case 0x808: return g->id[0];
    case 0x809: return g->id[1];
    case 0x80a: return g->id[2];
    case 0x80b: return w->print;
    case 0x80c: return w->rpc;
    default: return 0; /* per-lane ids read 0 as scalars; gds is 0 */
    }
}

static u64 cycles(const Warp *w)
{
    const Clock *c = w->group->clock;
    return c ? c->cycles(c->self, w) : w->ninsns;
}

static u64 now(const Warp *w)
{
    const Clock *c = w->group->clock;
    return c ? c->time(c->self, w) : w->ninsns;
}

bool csr_read(const Warp *w, u32 n, u32 *value)
{
    *value = 0;
    if ((n >= 0x800 && n <= 0x813) || n == 0x815) {
        *value = work_group_csr(w, n);
        return true;
    }
    switch (n) {
    case 0x001: *value = w->fflags; return true;
    case 0x002: *value = w->frm; return true;
    case 0x003: *value = w->fflags | (u32)w->frm << 5; return true;
    case 0x008: return true;
    case 0x009: *value = w->vxsat; return true;
    case 0x00a: *value = w->vxrm; return true;
    case 0x00f: *value = w->vxsat | (u32)w->vxrm << 1; return true;
    case 0xc20: *value = w->vl; return true;
    case 0xc21: *value = w->vtype; return true;
    case 0xc22: *value = w->group->launch->lanes * 4; return true;
    case 0xc00:
    case 0xb00: *value = (u32)cycles(w); return true;
    case 0xc80:
    case 0xb80: *value = (u32)(cycles(w) >> 32); return true;
    case 0xc01: *value = (u32)now(w); return true;
    case 0xc81: *value = (u32)(now(w) >> 32); return true;
    case 0xc02:
    case 0xb02: *value = (u32)w->ninsns; return true;
    case 0xc82: *value = (u32)(w->ninsns >> 32); return true;
    case 0x300: *value = w->mstatus | MSTATUS_FIXED; return true;
    case 0x301: return true;
    case 0x304: *value = w->mie; return true;
    case 0x305: return true; /* no traps: mtvec keeps nothing */
    case 0x340: *value = w->mscratch; return true;
    case 0x341: *value = w->mepc; return true;
    case 0x342: *value = w->mcause; return true;
    case 0x343: *value = w->mtval; return true;
    case 0x344: *value = w->mip; return true;
    case 0xf14: *value = w->id; return true;
    default: return false;
    }
}

bool csr_write(Warp *w, u32 n, u32 value)
{
    switch (n) {
    case 0x001: w->fflags = value & 31; break;
    case 0x002: w->frm = value & 7; break;
    case 0x003: w->fflags = value & 31, w->frm = value >> 5 & 7; break;
    case 0x009: w->vxsat = value & 1; break;
    case 0x00a: w->vxrm = value & 3; break;
    case 0x00f: w->vxsat = value & 1, w->vxrm = value >> 1 & 3; break;
    case 0x300: w->mstatus = value & MSTATUS_RW; break;
    case 0x304: w->mie = value & INTERRUPTS_RW; break;
    case 0x340: w->mscratch = value; break;
    case 0x341: w->mepc = value; break;
    case 0x342: w->mcause = value; break;
    case 0x343: w->mtval = value; break;
    case 0x344: w->mip = value & INTERRUPTS_RW; break;
    case 0x80b: w->print = value; break;
    default: {
        u32 ignored;
        return csr_read(w, n, &ignored);
    }
    }
    return true;
}

bool csr_read_lanes(const Warp *w, u32 n, u32 value[MAX_LANES])
{
    const Launch *l = w->group->launch;
    const u32 *size = l->local, *group = w->group->id;
    const u32 sx = size[0] ? size[0] : l->lanes * l->warps, sy = size[1] ? size[1] : 1;
    const u32 sz = size[2] ? size[2] : 1;
    if (n < 0x80d || n > 0x813)
        return false;
    for (u32 i = 0; i < MAX_LANES; i++) {
        const u32 id = w->tid + i;
        const u32 local[3] = {id % sx, id / sx % sy, id / sx / sy};
        /* from zero, as the linear id counts */
        const u32 global[3] = {group[0] * sx + local[0], group[1] * sy + local[1],
                               group[2] * sz + local[2]};
        if (n >= 0x811)
            value[i] = local[n - 0x811];
        else if (n == 0x810)
            value[i] = (global[2] * l->global[1] + global[1]) * l->global[0] + global[0];
        else
            value[i] = global[n - 0x80d] + l->offset[n - 0x80d];
    }
    return true;
}
