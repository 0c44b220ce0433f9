/* prints.c -- prints that lose or invent text, and stores into the print buffer that are no prints.
 *
 * A print is an atomic add to the first word of the buffer, which reserves bytes for a record, and
 * stores of the same work-item that fill them (doc/abi.md, "Print buffer").  When the record is
 * whole, its format and arguments are looked at as the driver will read them after the launch.
 * Whatever else touches the buffer has lost its way.
 *
 * What type an argument had is no longer known; clang's warnings say so of formats that it sees.
 */
#include "base/mem.h"
#include "check/internal.h"
#include "drv/printformat.h"
#include <string.h>

/* The record that a work-item has reserved last. */
typedef struct {
    u64 lo, end;
    u32 stored; /* bytes */
} Reserved;

struct Prints {
    u64 lo, end;  /* the buffer; equal: there is none */
    u32 overflow; /* pc of the print that first found no room; 0: none yet */
    Reserved *of; /* by local linear id of the group that runs */
    u32 nitem, capitem;
    bool failed; /* out of memory */
};

/* --- life ------------------------------------------------------------------------------------- */

Prints *prints_new(void) { return mem_zalloc(1, sizeof(Prints)); }

void prints_free(Prints *p)
{
    if (!p)
        return;
    mem_free(p->of);
    mem_free(p);
}

void prints_begin(Prints *p, const DrvScene *s)
{
    p->lo = p->end = p->overflow = 0;
    for (size_t i = 0; i < s->nextents; i++)
        if (s->extents[i].kind == EXTENT_PRINT) {
            p->lo = s->extents[i].addr;
            p->end = p->lo + s->extents[i].size;
        }
}

void prints_group(Prints *p, const Group *g)
{
    p->nitem = g->launch->lanes * g->nwarps;
    if (p->nitem > p->capitem) {
        mem_free(p->of);
        p->of = mem_alloc(p->nitem * sizeof *p->of);
        p->capitem = p->of ? p->nitem : 0;
        p->failed |= !p->of;
    }
    if (!p->failed)
        memset(p->of, 0, p->nitem * sizeof *p->of);
}

bool prints_lacks(const Prints *p) { return p->failed; }

/* --- strings --------------------------------------------------------------------------------- */

static u32 word_of_buffer(const Check *c, const Warp *w, u32 offset)
{
    u32 v = 0;
    read_guest(c, w, c->prints->lo + offset, &v, sizeof v);
    return v;
}

typedef enum { STRING_WHOLE, STRING_LONG, STRING_BAD } StringKind;

/* Appends the string at addr, which `to` may do without (NULL), as far as the driver would read it.
 */
static StringKind read_string(const Check *c, const Warp *w, u64 addr, Buf *to)
{
    char chunk[PAGE_SIZE];
    for (u64 at = addr, end = at + PRINT_MAX_STRING, n; at < end; at += n) {
        n = PAGE_SIZE - at % PAGE_SIZE < end - at ? PAGE_SIZE - at % PAGE_SIZE : end - at;
        if (!read_guest(c, w, at, chunk, n))
            return STRING_BAD;
        const size_t len = strnlen(chunk, n);
        if (to)
            buf_put(to, chunk, len);
        if (len < n)
            return STRING_WHOLE;
    }
    return STRING_LONG;
}

/* --- formats ---------------------------------------------------------------------------------- */

/* A record that a work-item has filled. */
typedef struct {
    Check *c;
    Finding at; /* where each of its mistakes is */
    const char *format;
} Job;

static void put_quoted(const char *text, Buf *to)
{
    buf_str(to, "\n  format      \"");
    for (; *text; text++)
        if (*text == '\n')
            buf_str(to, "\\n");
        else if (*text == '"' || *text == '\\')
            buf_printf(to, "\\%c", *text);
        else
            buf_put(to, text, 1);
    buf_str(to, "\"");
}

/* Reports what is wrong with a part of the format, which `number` names, and frees the sentence. */
static void complain(const Job *j, u32 number, Buf *sentence)
{
    Finding f = j->at;
    Buf more = {0};
    f.where = number;
    if (is_new(j->c, &f)) {
        put_quoted(j->format, &more);
        report(j->c, &f, buf_text(sentence), buf_text(&more));
    }
    buf_free(&more);
    buf_free(sentence);
}

/* The address is what a %s gets; `spec`: its len characters. */
static void check_string(const Job *j, u32 number, const char *spec, int len, u64 addr)
{
    const bool is_literal = addr - CODE_LO < CODE_END - CODE_LO;
    const StringKind kind = addr ? read_string(j->c, j->at.warp, addr, NULL) : STRING_BAD;
    Buf text = {0};
    if (is_literal && kind == STRING_WHOLE)
        return;
    buf_printf(&text, "'%.*s' gets %s, ", len, spec,
               is_literal && kind == STRING_LONG ? "a string that does not end"
               : kind == STRING_BAD              ? "what is no string"
                                                 : "a string that is no literal");
    if (kind == STRING_BAD)
        buf_printf(&text, "0x%08llx, ", (unsigned long long)addr);
    put_whereabouts(j->c, addr, 1, &text);
    complain(j, number, &text);
}

static void check_format(const Job *j, PrintArguments a)
{
    u32 number = 0;
    for (const char *f = strchr(j->format, '%'); f; f = strchr(f, '%')) {
        const char *spec = f++;
        const PrintConversion v = print_conversion(&f, &a);
        const int size = print_argument_size(&v), len = (int)(f - spec);
        Buf text = {0};
        number++;
        for (int k = 0; k < v.count && size > 0; k++) {
            const u64 value = print_argument(&a, (u32)size);
            if (v.letter == 's' && !a.missing)
                check_string(j, number, spec, len, value);
        }
        if (size < 0)
            buf_printf(&text, "'%.*s' is no conversion of OpenCL C", len, spec);
        else if (v.is_capped)
            buf_printf(&text, "'%.*s' asks for more than %d columns", len, spec, PRINT_MAX_WIDTH);
        else if (a.missing && size > 0)
            buf_printf(&text, "'%.*s' has no argument left", len, spec);
        if (text.len)
            complain(j, number, &text);
    }
}

/* The work-item has stored all bytes of its record. */
static void check_record(Check *c, const Access *a, const Reserved *r)
{
    Buf format = {0}, text = {0};
    const u64 size = r->end - r->lo;
    u8 *bytes = size < RECORD_ARGS ? NULL : mem_alloc(size);
    u32 addr = 0;
    if (bytes && read_guest(c, a->warp, r->lo, bytes, size))
        memcpy(&addr, bytes + RECORD_FORMAT, sizeof addr);
    if (addr) { /* else it is text */
        const StringKind kind = read_string(c, a->warp, addr, &format);
        const Job j = {c, {CHECK_print, a->warp, a->pc, 0, 0, a->lane}, buf_text(&format)};
        if (kind != STRING_WHOLE) {
            buf_printf(&text, "the format of a print %s: 0x%08x",
                       kind == STRING_BAD ? "is no string" : "does not end", addr);
            complain(&j, 0, &text);
        } else {
            check_format(&j, (PrintArguments){bytes + RECORD_ARGS, bytes + size, 0});
        }
    }
    buf_free(&format);
    mem_free(bytes);
}

/* --- accesses --------------------------------------------------------------------------------- */

static void report_overflow(Check *c, const Access *a, u32 size)
{
    Prints *p = c->prints;
    Buf text = {0};
    p->overflow = p->overflow ? p->overflow : a->pc;
    const Finding f = {CHECK_print, a->warp, p->overflow, 0, 0, a->lane};
    if (!is_new(c, &f))
        return;
    buf_printf(
        &text,
        "the print buffer is full: what needs %u bytes and what follows is lost; it has %llu", size,
        (unsigned long long)(p->end - p->lo));
    report(c, &f, buf_text(&text), NULL);
    buf_free(&text);
}

static Reserved *reserved_by(Prints *p, const Access *a)
{
    const u32 lanes = a->warp->group->launch->lanes;
    const u32 item = a->warp->id * lanes + (u32)(a->lane < 0 ? 0 : a->lane);
    return &p->of[item < p->nitem ? item : 0];
}

/* The atomic add at the head of the buffer: what the lanes found there says how much each reserved,
 * one after the other. */
static void reserve(Check *c, const Event *e)
{
    Prints *p = c->prints;
    const Warp *w = e->warp;
    const IsaRegs *d = NULL;
    Access a = access_of(c, e);
    Walk at = {0};
    Touch t;
    u32 end = word_of_buffer(c, w, PRINT_USED), old[MAX_LANES];
    const u32 room = word_of_buffer(c, w, PRINT_ROOM);
    Touch of[MAX_LANES];
    size_t n = 0;
    for (int i = 0; i < e->step->facts->nregs; i++)
        d = e->step->facts->reg[i].is_written && !d ? &e->step->facts->reg[i] : d;
    if (!d)
        return;
    for (; n < MAX_LANES && walk(e, &at, &t); n++) {
        of[n] = t;
        old[n] = d->is_vector ? w->v[d->first][t.lane < 0 ? 0 : t.lane] : w->x[d->first];
    }
    for (; n-- > 0; end = old[n]) {
        access_at(&a, &of[n]);
        Reserved *r = reserved_by(p, &a);
        *r = (Reserved){.lo = 0};
        if (end > room || end < old[n])
            report_overflow(c, &a, end - old[n]);
        else
            *r = (Reserved){p->lo + PRINT_RECORDS + old[n], p->lo + PRINT_RECORDS + end, 0};
    }
}

static bool is_reserving(const Check *c, const Step *s)
{
    return s->facts->access == ACCESS_ATOMIC && isa_insn[s->id].op == OP_add &&
           s->touched[0].addr == c->prints->lo + PRINT_USED;
}

static void report_wild(Check *c, const Access *a)
{
    const Finding f = {CHECK_print, a->warp, a->pc, 0, 0, a->lane};
    Buf text = {0};
    if (!is_new(c, &f))
        return;
    buf_printf(&text, "a wild %s of %u byte%s reaches the print buffer: ",
               a->is_atomic ? "atomic"
               : a->writes  ? "store"
                            : "load",
               a->size, a->size == 1 ? "" : "s");
    put_whereabouts(c, a->addr, a->size, &text);
    report(c, &f, buf_text(&text), NULL);
    buf_free(&text);
}

static void access_one(Check *c, const Access *a)
{
    Prints *p = c->prints;
    Reserved *r = reserved_by(p, a);
    if (!a->writes && a->addr == p->lo + PRINT_ROOM)
        return;
    if (a->addr < r->lo || a->addr + a->size > r->end || a->is_atomic) {
        report_wild(c, a);
        return;
    }
    const u64 size = r->end - r->lo;
    r->stored += a->writes ? a->size : 0;
    if (a->writes && r->stored >= size && r->stored - a->size < size)
        check_record(c, a, r);
}

static bool reaches(const Prints *p, const Step *s)
{
    for (size_t i = 0; i < s->ntouched; i++)
        if (s->touched[i].addr < p->end && s->touched[i].addr + s->touched[i].size > p->lo)
            return true;
    return false;
}

void prints_access(Check *c, const Event *e)
{
    Prints *p = c->prints;
    Access a = access_of(c, e);
    Walk at = {0};
    Touch t;
    if (p->failed || !reaches(p, e->step))
        return;
    if (is_reserving(c, e->step)) {
        reserve(c, e);
        return;
    }
    while (walk(e, &at, &t)) {
        access_at(&a, &t);
        if (t.addr < p->end && t.addr + t.size > p->lo)
            access_one(c, &a);
    }
}
