/* source_list.c -- the listing of an assembly: each line of text with its address and bytes.
 *
 *      7 00000010 00009e5b      vbne v0, v1, .LBB0_6
 */
#include "asm/job.h"
#include "asm/lex.h"
#include <elf.h>
#include <string.h>

enum { SHOWN = 16 }; /* bytes of a line; the rest of long data is not */

static u64 start_of(const Asm *a, const Line *l)
{
    return a->sects[l->sect].frags[l->frag].addr + l->offset;
}

/* Where the bytes of each line end: at the next line of the same section. */
static u64 *find_ends(Asm *a)
{
    u64 *ends = mem_zalloc(a->nlines, sizeof *ends);
    u64 *next = mem_zalloc(a->nsects, sizeof *next);
    if (!ends || !next) {
        as_no_memory(a);
        mem_free(next);
        mem_free(ends);
        return NULL;
    }
    for (size_t i = 0; i < a->nsects; i++)
        next[i] = a->sects[i].size;
    for (size_t i = a->nlines; i-- > 0;) {
        ends[i] = next[a->lines[i].sect];
        next[a->lines[i].sect] = start_of(a, &a->lines[i]);
    }
    mem_free(next);
    return ends;
}

static void put_bytes(Buf *out, const ObjSection *s, u64 p, u64 end)
{
    for (int shown = 0; p < end && shown < SHOWN; shown += 4) {
        const int n = end - p < 4 ? (int)(end - p) : 4;
        u32 word = 0;
        for (int i = 0; i < n; i++)
            word |= (u32)s->data.data[p + (u64)i] << 8 * i;
        buf_printf(out, "%s%0*x", shown ? " " : "", 2 * n, word);
        p += (u64)n;
    }
    if (p < end)
        buf_str(out, " ...");
}

static void put_line(Asm *a, const Object *o, const Line *l, u64 end, u32 number, Buf *out)
{
    const Sect *s = &a->sects[l->sect];
    const u64 start = start_of(a, l);
    const int len = (int)(lex_line_end(l->text) - l->text);
    if (number)
        buf_printf(out, "%7u ", number);
    else
        buf_str(out, "        ");
    if (end > start && s->index >= 0) {
        buf_printf(out, "%08llx ", (unsigned long long)(s->addr + start));
        const size_t before = out->len;
        if (s->type != SHT_NOBITS)
            put_bytes(out, &o->sections[s->index], start, end);
        for (size_t n = out->len - before; n < 12; n++)
            buf_str(out, " ");
    } else {
        buf_printf(out, "%21s", "");
    }
    buf_printf(out, " %.*s\n", len, l->text);
}

void as_put_source_listing(Asm *a, const Object *o)
{
    u64 *ends = find_ends(a);
    const char *p = NULL;
    u32 number = 0;
    for (size_t i = 0; ends && i < a->nlines; i++) {
        const Line *l = &a->lines[i];
        const bool is_main = !l->src->from;
        if (is_main && !p)
            p = l->src->text, number = 1;
        for (; is_main && p < l->text; p++)
            number += *p == '\n';
        put_line(a, o, l, ends[i], is_main ? number : 0, a->opt.listing);
    }
    mem_free(ends);
}
