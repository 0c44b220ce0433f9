/* indices.c -- indices beyond their arrays, which images that were compiled for this check note by
 * a store (obj/indexnote.h). */
#include "check/internal.h"
#include "base/mem.h"
#include "obj/indexnote.h"
#include <inttypes.h>
#include <string.h>

enum { LONGEST_TYPE = 256 };

void indices_take(Check *c)
{
    const Object *o = c->image;
    c->notes_lo = UINT64_MAX;
    c->notes_end = 0;
    for (size_t i = 0; o && i < o->nsymbols; i++) {
        const ObjSymbol *s = &o->symbols[i];
        if (strncmp(s->name, INDEX_NOTE, sizeof INDEX_NOTE - 1) != 0)
            continue;
        if (s->value < c->notes_lo)
            c->notes_lo = s->value;
        if (s->value + s->size > c->notes_end)
            c->notes_end = s->value + s->size;
    }
}

/* The index that a lane stores, as its type has it. */
static i64 index_of(const Warp *w, const IsaRegs *value, int lane, u32 kind)
{
    const u32 bits = kind & 0xff;
    const u32 v = value->is_vector ? w->v[value->first][lane < 0 ? 0 : lane] : w->x[value->first];
    if (!(kind & INDEX_SIGNED))
        return v;
    return bits < 32 ? (i64)((u64)v << (64 - bits)) >> (64 - bits) : (i32)v;
}

static void report_index(Check *c, const Access *a, const IsaRegs *value)
{
    const Finding f = {CHECK_bounds, a->warp, a->pc, 0, a->addr, a->lane};
    char type[LONGEST_TYPE];
    u32 kind = 0;
    Buf text = {0};
    if (!is_new(c, &f))
        return;
    u64 room = c->notes_end - a->addr - INDEX_TYPE;
    room = room < sizeof type ? room : sizeof type;
    if (!read_guest(c, a->warp, a->addr + INDEX_KIND, &kind, sizeof kind) ||
        !read_guest(c, a->warp, a->addr + INDEX_TYPE, type, room))
        kind = 0, room = 0;
    buf_printf(&text, "index %" PRId64 " is outside of %.*s",
               index_of(a->warp, value, a->lane, kind), room ? (int)room : 8,
               room ? type : "an array");
    report(c, &f, buf_text(&text), NULL);
    buf_free(&text);
}

bool indices_step(Check *c, const Event *e)
{
    const Step *s = e->step;
    const IsaRegs *value = NULL;
    Access a = access_of(c, e);
    Walk at = {0};
    Touch t;
    if (!s->ntouched || s->touched[0].addr - c->notes_lo >= c->notes_end - c->notes_lo ||
        c->notes_lo > c->notes_end || s->facts->access != ACCESS_STORE)
        return false;
    for (int i = 0; i < s->facts->nregs; i++)
        value = s->facts->reg[i].role == ROLE_VALUE ? &s->facts->reg[i] : value;
    c->noted.warp = e->warp;
    c->noted.lanes = s->exec;
    c->noted.pc = a.pc;
    while (value && walk(e, &at, &t)) {
        access_at(&a, &t);
        report_index(c, &a, value);
    }
    return true;
}

bool indices_explain(Check *c, const Access *a)
{
    Place note[CALLS_SEEN], access[CALLS_SEEN];
    const u32 lanes = a->lane < 0 ? UINT32_MAX : 1u << a->lane;
    return a->warp == c->noted.warp && c->noted.lanes & lanes && places(c, c->noted.pc, note) &&
           places(c, a->pc, access) && note[0].file && access[0].file &&
           note[0].line == access[0].line && !strcmp(note[0].file, access[0].file);
}
