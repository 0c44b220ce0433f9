/* asmtext.c -- a program as assembly, from which `ventus as` makes the same bytes.
 *
 * Registers above 31 are written by their numbers; the assembler adds the prefixes.
 */
#include "cc/code.h"
#include "base/mem.h"

/* --- code ------------------------------------------------------------------------------ */

static const char *sym_name(const Code *c, const Word *w) { return c->f->module->sym[w->to].name; }

/* the label of word i, an auipc, by which the instruction after it names it */
static void put_anchor(Buf *b, const Code *c, size_t i)
{
    buf_printf(b, ".L%s_p%u", c->f->name, c->word[i].at);
}

static void put_fixed(Buf *b, const Code *c, size_t i)
{
    const Word *w = &c->word[i];
    switch ((FixKind)w->fix) {
    case FIX_BLOCK: buf_printf(b, ".L%s_%u", c->f->name, w->to); break;
    case FIX_BLOCK_HI: buf_printf(b, "%%pcrel_hi(.L%s_%u)", c->f->name, w->to); break;
    case FIX_BLOCK_LO:
        buf_str(b, "%pcrel_lo(");
        put_anchor(b, c, i - 1);
        buf_str(b, ")");
        break;
    case FIX_BLOCK_FROM_START:
        buf_printf(b, ".L%s_%u - .L%s_0", c->f->name, w->to, c->f->name);
        break;
    case FIX_HI: buf_printf(b, "%%hi(%s%+d)", sym_name(c, w), w->off); break;
    case FIX_LO: buf_printf(b, "%%lo(%s%+d)", sym_name(c, w), w->off); break;
    case FIX_NONE:
    case FIX_LABEL:
    case FIX_NOTE:
    case FIX_CALL: break;
    }
}

static void put_place(Buf *b, const Module *m, u32 loc)
{
    const Loc *l = &m->loc[loc];
    if (loc && l->file < m->nfile)
        buf_printf(b, "\t# %s:%u\n", m->file[l->file], l->line);
}

static void put_word(Buf *b, const Code *c, size_t i)
{
    const Word *w = &c->word[i];
    Buf text = {0};
    IsaPrint how = {.csr_names = true, .raw = w->fix == FIX_LO};
    put_fixed(&text, c, i);
    if (text.len) {
        how.instead = buf_text(&text);
        how.hidden = isa_format_of(w->in.id)->opd[word_fixed_operand(c, w)];
    }
    if (w->fix == FIX_BLOCK_HI) {
        put_anchor(b, c, i);
        buf_str(b, ":\n");
    }
    buf_str(b, "\t");
    isa_print(b, &w->in, &how);
    buf_str(b, "\n");
    b->failed |= text.failed;
    buf_free(&text);
}

static void put_words(Buf *b, const Code *c)
{
    u32 shown = 0;
    for (size_t i = 0; i < c->n; i++) {
        const Word *w = &c->word[i];
        if (w->fix == FIX_NOTE)
            continue;
        if (w->fix != FIX_LABEL && w->loc && w->loc != shown)
            put_place(b, c->f->module, shown = w->loc);
        if (w->fix == FIX_LABEL)
            buf_printf(b, ".L%s_%u:\n", c->f->name, w->to);
        else if (w->fix == FIX_CALL)
            buf_printf(b, "\tcall %s\n", c->f->module->sym[c->word[i++].to].name);
        else
            put_word(b, c, i);
    }
}

void asm_function(Buf *out, const Code *c, const Resource *r)
{
    const char *name = c->f->name;
    const bool is_local = c->f->module->sym[c->f->symbol].is_local;
    buf_printf(out, "\n\t.section .text.%s, \"ax\", @progbits\n\t.p2align 2\n", name);
    if (r)
        buf_printf(out, "\t.kernel %s\n\t.lds %llu\n\t.lds_stack %llu\n\t.private_stack %llu\n",
                   name, (unsigned long long)r->lds_static, (unsigned long long)r->lds_stack,
                   (unsigned long long)r->pds_stack);
    else if (!is_local)
        buf_printf(out, "\t.globl %s\n", name);
    buf_printf(out, "\t.type %s, @function\n%s:\n", name, name);
    put_words(out, c);
    buf_printf(out, "\t.size %s, . - %s\n", name, name);
}

/* --- data -------------------------------------------------------------------------------- */

static const DataReloc *reloc_at(const Data *d, u32 offset)
{
    for (size_t i = 0; i < d->nreloc; i++)
        if (d->reloc[i].offset == offset)
            return &d->reloc[i];
    return NULL;
}

static u8 byte_at(const Data *d, u32 at) { return at < d->ninit ? d->init[at] : 0; }

/* how many zero bytes there are from `at` on, before the next address */
static u32 zeros_at(const Data *d, u32 at)
{
    u32 n = 0;
    while (at + n < d->size && !byte_at(d, at + n) && !reloc_at(d, at + n))
        n++;
    return n;
}

static u32 put_bytes(Buf *b, const Data *d, u32 at)
{
    enum { LINE = 16 };
    u32 n = 0;
    for (; n < LINE && at + n < d->size && !reloc_at(d, at + n); n++)
        buf_printf(b, "%s%u", n ? "," : "\t.byte ", byte_at(d, at + n));
    buf_str(b, "\n");
    return n;
}

static u32 put_datum(Buf *b, const Module *m, const Data *d, u32 at)
{
    enum { WORTH = 8 };
    const DataReloc *r = reloc_at(d, at);
    if (r) {
        buf_printf(b, "\t.word %s%+d\n", m->sym[r->symbol].name, r->addend);
        return m->target->pointer_bytes;
    }
    const u32 n = zeros_at(d, at);
    if (n < WORTH)
        return put_bytes(b, d, at);
    buf_printf(b, "\t.zero %u\n", n);
    return n;
}

void asm_data(Buf *out, const Module *m, const Data *d)
{
    const Sym *s = &m->sym[d->symbol];
    const DataPlace p = data_place(d);
    int power = 0;
    while (power < 31 && 1u << power < d->align)
        power++;
    buf_printf(out, "\n\t.section %s%s, \"a%s\", @%s\n\t.p2align %d\n", p.prefix, s->name,
               d->writable ? "w" : "", p.zeros ? "nobits" : "progbits", power);
    if (!s->is_local)
        buf_printf(out, "\t.%s %s\n", s->is_weak ? "weak" : "globl", s->name);
    buf_printf(out, "\t.type %s, @object\n\t.size %s, %u\n%s:\n", s->name, s->name, d->size,
               s->name);
    for (u32 at = 0; !p.zeros && at < d->size;)
        at += put_datum(out, m, d, at);
    if (p.zeros)
        buf_printf(out, "\t.zero %u\n", d->size);
}
