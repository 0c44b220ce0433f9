/* notes.c -- what an image that was compiled for checks says of itself by stores (obj/notes.h):
 * indices beyond their arrays, where variables in private memory are, and what asynchronous copies
 * are asked for (async.c).
 *
 * Bytes right behind such a variable belong to nobody.  A function has its variables from its note
 * of their address to the note that they are gone; a warp has a function's but once, since
 * functions do not call themselves, and at the same offset in all lanes.
 */
#include "obj/notes.h"
#include "base/mem.h"
#include "check/internal.h"
#include <elf.h>
#include <inttypes.h>
#include <string.h>

/* A variable in private memory. */
typedef struct {
    u64 note;    /* address of its note */
    u32 lo, end; /* offsets in a lane's memory */
    u32 lanes;   /* that have it */
} Variable;

typedef struct {
    Variable *v;
    size_t n, cap;
} Variables;

/* Those of a warp. */
typedef struct {
    Variables parted, plain; /* arrays and structures, with gaps; others */
} WarpVariables;

/* A variable of the program, or constants. */
typedef struct {
    u64 lo, end;
    const char *name; /* belongs to the image */
} Global;

struct ProgramNotes {
    Global *global;
    size_t nglobal, capglobal, last; /* the one that was found last */
    u64 lo, end;                     /* of all notes of the image; lo >= end: there are none */
    WarpVariables *of;               /* by warp, of the group that runs */
    u32 nwarp;
    const Warp *warp; /* of the index that was reported last: its warp, lanes and place */
    u32 lanes, pc;
    bool failed; /* out of memory */
};

/* --- life ------------------------------------------------------------------------------------- */

ProgramNotes *notes_new(void) { return mem_zalloc(1, sizeof(ProgramNotes)); }

static void free_variables(ProgramNotes *t)
{
    for (u32 k = 0; k < t->nwarp; k++)
        mem_free(t->of[k].parted.v), mem_free(t->of[k].plain.v);
    mem_free(t->of);
    t->of = NULL;
    t->nwarp = 0;
}

void notes_free(ProgramNotes *t)
{
    if (!t)
        return;
    free_variables(t);
    mem_free(t->global);
    mem_free(t);
}

static void take_global(ProgramNotes *t, const ObjSymbol *s)
{
    if (!s->size || s->type != STT_OBJECT)
        return;
    if (array_grow(t->global, t->nglobal, t->capglobal))
        t->global[t->nglobal++] = (Global){s->value, s->value + s->size, s->name};
    else
        t->failed = true;
}

void notes_take(ProgramNotes *t, const Object *image, bool is_checked)
{
    t->lo = UINT64_MAX;
    t->end = 0;
    t->warp = NULL;
    t->nglobal = t->last = 0;
    for (size_t i = 0; image && i < image->nsymbols; i++) {
        const ObjSymbol *s = &image->symbols[i];
        if (is_checked)
            take_global(t, s);
        if (strncmp(s->name, NOTE_NAME, sizeof NOTE_NAME - 1) != 0)
            continue;
        if (s->value < t->lo)
            t->lo = s->value;
        if (s->value + s->size > t->end)
            t->end = s->value + s->size;
    }
}

void notes_group(ProgramNotes *t, const Group *g)
{
    t->warp = NULL;
    for (u32 k = 0; k < t->nwarp; k++)
        t->of[k].parted.n = t->of[k].plain.n = 0;
    if (g->nwarps <= t->nwarp || t->lo >= t->end)
        return;
    free_variables(t);
    t->of = mem_zalloc(g->nwarps, sizeof *t->of);
    t->nwarp = t->of ? g->nwarps : 0;
    t->failed |= !t->of;
}

bool notes_lacks(const ProgramNotes *t) { return t->failed; }

void notes_text(const Check *c, const Warp *w, u64 at, char *text, size_t size)
{
    const u64 room = at < c->notes->end ? c->notes->end - at : 0,
              n = room < size - 1 ? room : size - 1;
    if (!read_guest(c, w, at, text, n))
        *text = 0;
    text[n] = 0;
}

/* Where bytes lo to end from the begin of a variable are, if not all of them are in it. */
static void put_distance(i64 lo, i64 end, i64 size, Buf *to)
{
    if (lo < 0)
        buf_printf(to, end < 0 ? "%" PRId64 " bytes before " : "right before ", -end);
    else if (lo < size)
        buf_printf(to, "that end %" PRId64 " past the end of ", end - size);
    else
        buf_printf(to,
                   lo > size ? "%" PRId64 " bytes behind the end of " : "right behind the end of ",
                   lo - size);
}

/* --- indices ---------------------------------------------------------------------------------- */

/* The index that is stored, as its type has it. */
static i64 index_of(u32 v, u32 kind)
{
    const u32 bits = kind & NOTE_BITS;
    if (!(kind & NOTE_SIGNED))
        return v;
    return bits < 32 ? (i64)((u64)v << (64 - bits)) >> (64 - bits) : (i32)v;
}

static void report_index(Check *c, const Access *a, u32 value, u32 kind)
{
    const Finding f = {CHECK_bounds, a->warp, a->pc, 0, a->addr, a->lane};
    char type[256];
    Buf text = {0};
    if (!is_new(c, &f))
        return;
    notes_text(c, a->warp, a->addr + NOTE_TEXT, type, sizeof type);
    buf_printf(&text, "index %" PRId64 " is outside of %s", index_of(value, kind), type);
    report(c, &f, buf_text(&text), NULL);
    buf_free(&text);
}

/* A distance from the begin of a variable, whose bytes it is out of. */
static void report_stray(Check *c, const Access *a, i32 at, u32 kind)
{
    const Finding f = {CHECK_bounds, a->warp, a->pc, 0, a->addr, a->lane};
    const u32 bytes = kind >> NOTE_BYTES_SHIFT;
    char name[64];
    u32 size = 0;
    Buf text = {0};
    if (notes_explain(c, a) || !read_guest(c, a->warp, a->addr + NOTE_SIZE, &size, sizeof size) ||
        !is_new(c, &f))
        return;
    notes_text(c, a->warp, a->addr + NOTE_TEXT, name, sizeof name);
    buf_printf(&text, "%s of %u byte%s ", kind & NOTE_WRITES ? "store" : "load", bytes,
               bytes == 1 ? "" : "s");
    put_distance(at, (i64)at + bytes, size, &text);
    buf_printf(&text, "%s variable '%s', which has %u", kind & NOTE_LOCAL ? "local" : "private",
               name, size);
    report(c, &f, buf_text(&text), NULL);
    buf_free(&text);
}

bool notes_explain(Check *c, const Access *a)
{
    const ProgramNotes *t = c->notes;
    Place note[CALLS_SEEN], access[CALLS_SEEN];
    const u32 lanes = a->lane < 0 ? UINT32_MAX : 1u << a->lane;
    return t && a->warp == t->warp && t->lanes & lanes && places(c, t->pc, note) &&
           places(c, a->pc, access) && note[0].file && access[0].file &&
           note[0].line == access[0].line && !strcmp(note[0].file, access[0].file);
}

/* --- variables -------------------------------------------------------------------------------- */

static void note_variable(Check *c, const Access *a, u32 kind, u32 address)
{
    ProgramNotes *t = c->notes;
    const Warp *w = a->warp;
    const u64 note = a->addr;
    u32 size = 0;
    if (w->id >= t->nwarp)
        return;
    Variables *s = kind & NOTE_PLAIN ? &t->of[w->id].plain : &t->of[w->id].parted;
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].note == note)
            s->v[i] = s->v[--s->n];
    if (!address || !read_guest(c, w, note + NOTE_SIZE, &size, sizeof size))
        return;
    if (array_grow(s->v, s->n, s->cap))
        s->v[s->n++] = (Variable){note, address, address + size, a->step->exec};
    else
        t->failed = true;
}

bool notes_touch_gap(const Check *c, const Warp *w, u64 lo, u64 end)
{
    const ProgramNotes *t = c->notes;
    const Variables *s = t && w->id < t->nwarp ? &t->of[w->id].parted : NULL;
    for (size_t i = 0; s && i < s->n; i++)
        if (lo < (u64)s->v[i].end + NOTE_GAP && end > s->v[i].end)
            return true;
    return false;
}

/* The distance of lo..end from the variable, behind it or before it. */
static u64 distance(const Variable *v, u64 lo, u64 end)
{
    return lo >= v->end ? lo - v->end : end <= v->lo ? v->lo - end : 0;
}

bool notes_put_gap(const Check *c, const Access *a, u64 lo, u64 end, u64 *note, Buf *to)
{
    const Variables *s = &c->notes->of[a->warp->id].parted;
    const u32 lanes = a->lane < 0 ? UINT32_MAX : 1u << a->lane;
    const Variable *nearest = NULL;
    bool is_gap = false;
    char name[64];
    for (size_t i = 0; i < s->n; i++) {
        const Variable *v = &s->v[i];
        if (!(v->lanes & lanes))
            continue;
        is_gap |= lo < (u64)v->end + NOTE_GAP && end > v->end;
        if (!nearest || distance(v, lo, end) < distance(nearest, lo, end))
            nearest = v;
    }
    if (!is_gap)
        return false;
    notes_text(c, a->warp, nearest->note + NOTE_TEXT, name, sizeof name);
    put_distance((i64)lo - nearest->lo, (i64)end - nearest->lo, nearest->end - nearest->lo, to);
    buf_printf(to, "private variable '%s', which has %u", name, nearest->end - nearest->lo);
    *note = nearest->note;
    return true;
}

static const Variable *variable_at(const Variables *s, u64 offset, u32 lanes)
{
    for (size_t i = s->n; i-- > 0;)
        if (s->v[i].lanes & lanes && offset >= s->v[i].lo && offset < s->v[i].end)
            return &s->v[i];
    return NULL;
}

u64 notes_find_private(const Check *c, const Access *a, u64 offset, u32 *at)
{
    const ProgramNotes *t = c->notes;
    const WarpVariables *of = a->warp->id < t->nwarp ? &t->of[a->warp->id] : NULL;
    const u32 lanes = a->lane < 0 ? UINT32_MAX : 1u << a->lane;
    const Variable *v = of ? variable_at(&of->parted, offset, lanes) : NULL;
    if (of && !v)
        v = variable_at(&of->plain, offset, lanes);
    *at = v ? (u32)(offset - v->lo) : 0;
    return v ? v->note : 0;
}

bool notes_put_private(const Check *c, const Warp *w, u64 note, u32 at, Buf *to)
{
    u32 words[2]; /* kind, size */
    char name[64];
    if (note < c->notes->lo || note >= c->notes->end ||
        !read_guest(c, w, note + NOTE_KIND, words, sizeof words))
        return false;
    notes_text(c, w, note + NOTE_TEXT, name, sizeof name);
    if (words[0] & NOTE_PLAIN)
        buf_printf(to, "private variable '%s'", name);
    else
        buf_printf(to, "byte %u of private variable '%s', which has %u", at, name, words[1]);
    return true;
}

/* --- variables of the program ----------------------------------------------------------------- */

/* The global whose bytes or gap the address is in or next to; NULL: there is none. */
static const Global *nearest_global(ProgramNotes *t, u64 addr)
{
    const Global *best = NULL;
    for (size_t i = 0; i < t->nglobal; i++) {
        const Global *g = &t->global[i];
        if (addr - g->lo < g->end - g->lo) {
            t->last = i;
            return g;
        }
        if (g->lo <= addr && (!best || g->lo > best->lo))
            best = g;
    }
    return best ? best : t->global;
}

bool notes_allow_global(ProgramNotes *t, u64 lo, u64 end)
{
    if (!t->nglobal)
        return true;
    const Global *g = &t->global[t->last];
    if (lo < g->lo || lo >= g->end)
        g = nearest_global(t, lo);
    return lo >= g->lo && end <= g->end;
}

void notes_put_global(ProgramNotes *t, u64 lo, u64 end, u64 *where, Buf *to)
{
    const Global *g = nearest_global(t, lo);
    const char *dot = strrchr(g->name, '.'); /* constants of a function: __const.FUNCTION.NAME */
    if (lo < g->lo)
        buf_printf(to, "%" PRIu64 " bytes before ", g->lo - lo);
    else if (lo < g->end)
        buf_printf(to, "that end %" PRIu64 " past the end of ", end - g->end);
    else if (lo == g->end)
        buf_str(to, "right behind the end of ");
    else
        buf_printf(to, "%" PRIu64 " bytes behind the end of ", lo - g->end);
    buf_printf(to, "program variable '%s', which has %" PRIu64, dot && dot[1] ? dot + 1 : g->name,
               g->end - g->lo);
    *where = g->lo;
}

/* --- stores ----------------------------------------------------------------------------------- */

/* The value of an operand, of these lanes. */
static void note_operand(Check *c, const Event *e, const Access *a, u32 kind, u32 value)
{
    const u32 lanes = a->lane < 0 ? e->step->exec : 1u << a->lane;
    for (u32 left = lanes; left && c->async; left &= left - 1)
        async_operand(c, a, (u32)__builtin_ctz(left), kind, value);
}

bool notes_step(Check *c, const Event *e)
{
    ProgramNotes *t = c->notes;
    const Step *s = e->step;
    const IsaRegs *value = NULL;
    Access a = access_of(c, e);
    Walk at = {0};
    Touch x;
    bool is_index = false;
    if (!s->ntouched || s->touched[0].addr < t->lo || s->touched[0].addr >= t->end || t->failed)
        return false;
    if (s->facts->access != ACCESS_STORE) {
        async_answer(c, e);
        return false;
    }
    for (int i = 0; i < s->facts->nregs; i++)
        value = s->facts->reg[i].role == ROLE_VALUE ? &s->facts->reg[i] : value;
    while (value && walk(e, &at, &x)) {
        const u32 lane = x.lane < 0 ? 0 : (u32)x.lane;
        const u32 v = value->is_vector ? a.warp->v[value->first][lane] : a.warp->x[value->first];
        u32 kind = 0;
        access_at(&a, &x);
        if (!read_guest(c, a.warp, x.addr + NOTE_KIND, &kind, sizeof kind))
            return true;
        if (kind & NOTE_PRIVATE) { /* of all lanes at once */
            note_variable(c, &a, kind, v);
            return true;
        }
        if (kind & NOTE_ASYNC)
            note_operand(c, e, &a, kind, v);
        else if (checks(c, CHECK_bounds) && kind & NOTE_STRAY)
            report_stray(c, &a, (i32)v, kind);
        else if (checks(c, CHECK_bounds))
            report_index(c, &a, v, kind);
        is_index |= !(kind & NOTE_ASYNC);
    }
    if (!is_index)
        return true;
    t->warp = e->warp;
    t->lanes = s->exec;
    t->pc = a.pc;
    return true;
}
