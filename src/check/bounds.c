/* bounds.c -- accesses outside of what the launch may use.
 *
 * The driver says which bytes are for what (DrvExtent).  An access must lie within one extent.
 * Where it does not, it is told by the nearest one; the driver leaves memory between its blocks, so
 * that this is the one that was meant.
 */
#include "base/search.h"
#include "check/internal.h"
#include "base/mem.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- extents ---------------------------------------------------------------------------- */

static bool add(Check *c, DrvExtent e)
{
    if (!array_grow(c->extent, c->nextent, c->capextent))
        return false;
    c->extent[c->nextent++] = e;
    return true;
}

static int by_address(const void *a, const void *b)
{
    const DrvExtent *x = a, *y = b;
    return x->addr < y->addr   ? -1
           : x->addr > y->addr ? 1
           : x->size < y->size ? -1
                               : x->size > y->size;
}

static bool contains(const DrvExtent *e, u64 addr)
{
    return addr >= e->addr && addr - e->addr < e->size;
}

/* whether an argument lies in the block: then the kernel may use no other bytes of it */
static bool has_argument(const DrvScene *s, const DrvExtent *block)
{
    for (size_t i = 0; i < s->nextents; i++)
        if (s->extents[i].kind == EXTENT_BUFFER && contains(block, s->extents[i].addr))
            return true;
    return false;
}

/* Arguments that overlap become one, which may be used as either may. */
static void merge(Check *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->nextent; i++) {
        DrvExtent *e = &c->extent[i], *last = n ? &c->extent[n - 1] : NULL;
        if (!last || e->addr >= last->addr + last->size) {
            c->extent[n++] = *e;
            continue;
        }
        const u64 end = e->addr + e->size;
        if (end > last->addr + last->size)
            last->size = end - last->addr;
        last->no_read &= e->no_read;
        last->no_write &= e->no_write;
    }
    c->nextent = n;
}

static bool add_variables(Check *c, const DrvExtent *all, const KernelInfo *k)
{
    bool ok = true;
    for (size_t i = 0; ok && i < k->nlocals; i++)
        ok = add(c, (DrvExtent){.kind = EXTENT_LOCAL_VARIABLE,
                                .addr = all->addr + k->locals[i].offset,
                                .size = k->locals[i].size,
                                .arg = i});
    return ok;
}

bool extents_take(Check *c, const DrvScene *s)
{
    c->nextent = 0;
    c->last = NULL;
    c->stacks_lo = c->stacks_end = 0;
    take_image(c);
    const KernelInfo *k = s->kernel ? kernelinfo_find(&c->table, s->kernel->kernel) : NULL;
    for (size_t i = 0; i < s->nextents; i++) {
        const DrvExtent *e = &s->extents[i];
        if (e->kind == EXTENT_STACKS) {
            c->stacks_lo = e->addr;
            c->stacks_end = e->addr + e->size;
        }
        if (e->kind == EXTENT_LOCAL_DATA && k && k->nlocals) {
            if (!add_variables(c, e, k))
                return false;
            continue;
        }
        if ((e->kind != EXTENT_BLOCK || !has_argument(s, e)) && !add(c, *e))
            return false;
    }
    qsort(c->extent, c->nextent, sizeof *c->extent, by_address);
    merge(c);
    return true;
}

SEARCH_BEFORE(begins_at_or_before, DrvExtent, u64, e->addr <= *key)

/* the last extent that begins at or before addr; NULL: there is none */
static const DrvExtent *extent_before(const Check *c, u64 addr)
{
    const size_t lo =
        search_count(c->extent, c->nextent, sizeof *c->extent, begins_at_or_before, &addr);
    return lo ? &c->extent[lo - 1] : NULL;
}

const DrvExtent *extent_find(Check *c, u64 addr)
{
    if (c->last && contains(c->last, addr))
        return c->last;
    const DrvExtent *e = extent_before(c, addr);
    return e && contains(e, addr) ? (c->last = e) : NULL;
}

/* --- words --------------------------------------------------------------------------------- */

static void put_extent(const Check *c, const DrvExtent *e, Buf *to)
{
    switch (e->kind) {
    case EXTENT_BUFFER:
    case EXTENT_LOCAL: drv_put_argument(c->driver, c->scene->kernel, e->arg, to); break;
    case EXTENT_LOCAL_VARIABLE:
        buf_printf(to, "local variable '%s'",
                   kernelinfo_find(&c->table, c->scene->kernel->kernel)->locals[e->arg].name);
        break;
    case EXTENT_BLOCK: buf_printf(to, "the buffer at 0x%08" PRIx64, e->addr); break;
    case EXTENT_ARGUMENTS: buf_str(to, "the block of arguments"); break;
    case EXTENT_PRIVATE: buf_str(to, "private memory"); break;
    case EXTENT_PRINT: buf_str(to, "the print buffer"); break;
    case EXTENT_STACKS: buf_str(to, "the scalar stacks of the group"); break;
    case EXTENT_LOCAL_DATA: buf_str(to, "the local variables of the kernel"); break;
    }
    buf_printf(to, ", which %s %" PRIu64,
               e->kind == EXTENT_LOCAL_DATA || e->kind == EXTENT_STACKS ? "have" : "has", e->size);
}

static bool same_space(u64 a, u64 b)
{
    return (a - LDS_LO < LDS_END - LDS_LO) == (b - LDS_LO < LDS_END - LDS_LO);
}

void put_whereabouts(const Check *c, u64 addr, u32 size, Buf *to)
{
    const DrvExtent *before = extent_before(c, addr), *after = before ? before + 1 : c->extent;
    const bool has_after =
                   c->extent && after < c->extent + c->nextent && same_space(after->addr, addr),
               has_before = before && same_space(before->addr, addr);
    const u64 past = has_before ? addr - before->addr - before->size : 0,
              ahead = has_after ? after->addr - addr : 0;
    if (has_before && contains(before, addr)) {
        const u64 at = addr - before->addr;
        if (at + size <= before->size)
            buf_printf(to, "at byte %" PRIu64 " of ", at);
        else
            buf_printf(to, "that end %" PRIu64 " past the end of ", at + size - before->size);
        put_extent(c, before, to);
    } else if (addr - CODE_LO < CODE_END - CODE_LO) {
        buf_printf(to, "at 0x%08" PRIx64 ", in the program's data", addr);
    } else if (addr < PAGE_SIZE) {
        buf_str(to, "next to the null pointer");
    } else if (has_before && (!has_after || past < ahead || ahead > 4096)) {
        buf_printf(to, past ? "%" PRIu64 " bytes behind the end of " : "right behind the end of ",
                   past);
        put_extent(c, before, to);
    } else if (has_after) {
        buf_printf(to, "%" PRIu64 " bytes before ", ahead);
        put_extent(c, after, to);
    } else {
        buf_printf(to, "at 0x%08" PRIx64 ", where nothing is", addr);
    }
}

/* --- the check ------------------------------------------------------------------------------- */

static const char *verb(const Access *a)
{
    return a->is_atomic ? "atomic" : a->writes ? "store" : "load";
}

static void report_bounds(Check *c, const Access *a, u64 where, const char *how)
{
    const Finding f = {CHECK_bounds, a->warp, a->pc, 0, where, a->lane};
    Buf b = {0};
    c->strayed |= a->lane < 0 ? UINT32_MAX : 1u << a->lane;
    if (notes_explain(c, a) || !is_new(c, &f))
        return;
    buf_printf(&b, "%s of %u byte%s ", verb(a), a->size, a->size == 1 ? "" : "s");
    if (how)
        buf_str(&b, how);
    else
        put_whereabouts(c, a->addr, a->size, &b);
    report(c, &f, buf_text(&b), NULL);
    buf_free(&b);
}

/* Bytes of private memory from a word of a work-item to its next one. */
static u32 row_of(const Launch *l) { return 4 * l->lanes * (l->set & V2025 ? 1 : l->warps); }

/* The offset in a lane's private memory of a byte so far behind the start of the warp's. */
static u64 offset_of(const Launch *l, u64 past) { return past / row_of(l) * 4 + past % 4; }

u64 private_offset(const Warp *w, u64 addr)
{
    return offset_of(w->group->launch, addr - warp_pds(w));
}

static void check_gap(Check *c, const Access *a, u64 offset)
{
    Buf how = {0};
    u64 note = 0;
    if (notes_touch_gap(c, a->warp, offset, offset + a->size) &&
        notes_put_gap(c, a, offset, offset + a->size, &note, &how))
        report_bounds(c, a, note, buf_text(&how));
    buf_free(&how);
}

/* The register that an access to private memory has its offset from, of which the address is
 * computed modulo 2^32; NULL: there is none, or it was replaced. */
static const IsaRegs *offset_register(const Step *s)
{
    const IsaFacts *f = s->facts;
    const IsaRegs *from = NULL;
    if (f->space != SPACE_GROUP && f->space != SPACE_PRIVATE)
        return NULL;
    for (int i = 0; i < f->nregs; i++)
        from = f->reg[i].role == ROLE_ADDRESS ? &f->reg[i] : from;
    for (int i = 0; from && i < f->nregs; i++)
        if (f->reg[i].is_written && f->reg[i].is_vector == from->is_vector &&
            f->reg[i].first == from->first)
            return NULL;
    return from;
}

static u32 offset_in(const Warp *w, const Step *s, const IsaRegs *from, u32 lane)
{
    return (from->is_vector ? w->v[from->first][lane] : w->x[from->first]) + (u32)s->facts->imm;
}

/* Whether a lane asked for an offset that private memory does not have. */
static bool strays(const Warp *w, const Step *s)
{
    const IsaRegs *from = offset_register(s);
    for (u32 left = from ? s->exec : 0; left; left &= left - 1)
        if (offset_in(w, s, from, (u32)__builtin_ctz(left)) >= w->group->launch->pds_lane)
            return true;
    return false;
}

/* Private addresses are offsets; where lanes' words lie side by side, the row says how far. */
static void check_private(Check *c, const Access *a)
{
    const Launch *l = a->warp->group->launch;
    const u32 row = row_of(l);
    const i64 past = (i64)a->addr - (i64)warp_pds(a->warp);
    const IsaRegs *from = offset_register(a->step);
    char how[160];
    if (from && a->lane >= 0) {
        const u32 asked = offset_in(a->warp, a->step, from, (u32)a->lane);
        if (asked >= l->pds_lane) {
            const bool is_near = asked + (1u << 24) < 1u << 25;
            snprintf(how, sizeof how,
                     is_near ? "at byte %d of private memory, of which a work-item has %u"
                     : asked < CODE_LO
                         ? "at 0x%08x of private memory, of which a work-item has %u bytes"
                         : "at 0x%08x of private memory, of which a work-item has %u bytes; the "
                           "addresses of buffers are for `vlw12.v' and `vsw12.v'",
                     (int)asked, l->pds_lane);
            report_bounds(c, a, 1, how);
            return;
        }
    }
    if (past >= 0 && (u64)past < (u64)row * (l->pds_lane / 4)) {
        check_gap(c, a, offset_of(l, (u64)past));
        return;
    }
    const i64 at = (past >= 0 ? past / row : -((-past + row - 1) / row)) * 4;
    snprintf(how, sizeof how, "at byte %lld of private memory, of which a work-item has %u",
             (long long)at, l->pds_lane);
    report_bounds(c, a, 1, how);
}

static void check_global(Check *c, const Access *a)
{
    Buf how = {0};
    u64 where;
    if (notes_allow_global(c->notes, a->addr, a->addr + a->size))
        return;
    notes_put_global(c->notes, a->addr, a->addr + a->size, &where, &how);
    report_bounds(c, a, where, buf_text(&how));
    buf_free(&how);
}

bool bounds_allow_row(Check *c, const Access *a)
{
    const Row *row = c->row;
    if (row->is_private) {
        const Launch *l = a->warp->group->launch;
        const u64 lo = warp_pds(a->warp), all = (u64)row_of(l) * (l->pds_lane / 4);
        return !strays(a->warp, a->step) && row->lo >= lo && row->end - lo <= all &&
               !notes_touch_gap(c, a->warp, private_offset(a->warp, row->lo),
                                private_offset(a->warp, row->end - 1) + 1);
    }
    const DrvExtent *e = extent_find(c, row->lo);
    return e && row->end - e->addr <= e->size && !(e->no_write && row->writes) &&
           !(e->no_read && row->reads);
}

void bounds_access(Check *c, const Access *a)
{
    const DrvExtent *e = c->last;
    if (a->is_private) {
        check_private(c, a);
        return;
    }
    if (!e || !contains(e, a->addr))
        e = extent_find(c, a->addr);
    if (e && a->addr - e->addr + a->size <= e->size) {
        if (e->no_write && a->writes)
            report_bounds(c, a, e->addr, "to a buffer that the host made for reading only");
        else if (e->no_read && a->reads)
            report_bounds(c, a, e->addr, "from a buffer that the host made for writing only");
        return;
    }
    /* the image's own data have the rights of its pages */
    if (a->addr - CODE_LO < CODE_END - CODE_LO) {
        check_global(c, a);
        return;
    }
    e = extent_before(c, a->addr);
    report_bounds(c, a, e ? e->addr : 0, NULL);
}
