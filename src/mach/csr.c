/* csr.c -- control and status registers as software sees them (doc/isa.md, "CSRs"). */
#include "mach/warp.h"

u32 warp_pds(const Warp *w)
{
    const Launch *l = w->group->launch;
    return w->group->pds_base + (l->set & V2025 ? w->id * l->lanes * l->pds_lane : 0);
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

#define VOID (void)0

/* A case for each row of csr.def: the expression that reads the CSR, and the one that writes it. */
#define READ(number, get)                                                                          \
    case number:                                                                                   \
        *value = (get);                                                                            \
        return true;
#define WRITE(number, set)                                                                         \
    case number: set; return true;

bool csr_read(const Warp *w, u32 n, u32 *value)
{
    const Group *g = w->group;
    const Launch *l = g->launch;
    switch (n) {
#define CSR(number, name, access, standard, state, get, set, what) READ(number, get)
#define CSR_LANES(number, name, get, what)                         READ(number, 0)
#include "isa/csr.def"
    default: *value = 0; return false;
    }
}

bool csr_write(Warp *w, u32 n, u32 value)
{
    switch (n) {
#define CSR(number, name, access, standard, state, get, set, what) WRITE(number, set)
#define CSR_LANES(number, name, get, what)                         WRITE(number, VOID)
#include "isa/csr.def"
    default: return false;
    }
}

bool csr_read_lanes(const Warp *w, u32 n, u32 value[MAX_LANES])
{
    const Launch *l = w->group->launch;
    const u32 *size = l->local, *group = w->group->id;
    const u32 sx = size[0] ? size[0] : l->lanes * l->warps, sy = size[1] ? size[1] : 1;
    const u32 sz = size[2] ? size[2] : 1;
    for (u32 i = 0; i < MAX_LANES; i++) {
        const u32 id = w->tid + i;
        const u32 local[3] = {id % sx, id / sx % sy, id / sx / sy};
        /* from zero, as the linear id counts */
        const u32 global[3] = {group[0] * sx + local[0], group[1] * sy + local[1],
                               group[2] * sz + local[2]};
        bool found = false;
#define CSR_LANES(number, name, get, what)                                                         \
    if (n == number)                                                                               \
        value[i] = (get), found = true;
#include "isa/csr.def"
        if (!found)
            return false;
    }
    return true;
}
