/* fault.c -- the names of fault.def, and the text of a fault for people. */
#include "mach/fault.h"

static const struct {
    const char *name, *text;
} kinds[NFAULT] = {
#define FAULT(name, text) {#name, text},
#include "mach/fault.def"
};

const char *fault_name(FaultKind k) { return kinds[k].name; }
const char *fault_text(FaultKind k) { return kinds[k].text; }

static void put_instruction(Buf *b, const Fault *f, IsaSet set, IsaPrint *how)
{
    IsaDecoder *d = mem_alloc(sizeof *d);
    u64 past = 0;
    const char *name = how->symbol ? how->symbol(how->self, f->pc, &past) : NULL;
    buf_printf(b, "\n  pc          0x%08x", f->pc);
    if (name)
        buf_printf(b, " <%s+0x%llx>", name, (unsigned long long)past);
    if (f->has_word && d) {
        isa_decoder_init(d, set);
        const int len = isa_length(set, (u32)f->word);
        buf_printf(b, len == 8 ? "\n  instruction %016llx  " : "\n  instruction %08llx  ",
                   (unsigned long long)f->word);
        if (f->prefix) {
            isa_print_word(b, d, f->prefix, 4, how);
            buf_str(b, "; ");
        }
        isa_print_word(b, d, f->word, len, how);
        if (!f->word)
            buf_str(b, "; is `ret' missing before it?");
    }
    mem_free(d);
}

static void put_id(Buf *b, const u32 id[3]) { buf_printf(b, "(%u, %u, %u)", id[0], id[1], id[2]); }

/* Which work-items it concerns; several are named by the first and the last one. */
static void put_items(Buf *b, const Fault *f)
{
    if (!f->nitems)
        return;
    if (f->nitems == 1)
        buf_str(b, "\n  work-item   ");
    else
        buf_printf(b, "\n  work-items  %u, ", f->nitems);
    put_id(b, f->first.item);
    if (f->nitems > 1) {
        buf_str(b, " to ");
        put_id(b, f->last.item);
    }
    buf_str(b, f->nitems == 1 ? ", in its group " : ", in their group ");
    put_id(b, f->first.local);
    if (f->nitems > 1) {
        buf_str(b, " to ");
        put_id(b, f->last.local);
    }
}

void fault_report(Buf *b, const Fault *f, const FaultContext *c)
{
    IsaPrint how = {.have_pc = true, .pc = f->pc, .symbol = c->symbol, .self = c->self};
    const u32 *g = f->group;
    buf_str(b, c->sentence ? c->sentence : fault_text(f->kind));
    if (f->has_addr && !c->sentence)
        buf_printf(b, ": 0x%08llx", (unsigned long long)f->addr);
    if (f->width && !c->sentence)
        buf_printf(b, " (%u byte%s)", f->width, f->width == 1 ? "" : "s");
    if (f->kind == FAULT_RESOURCES || f->kind == FAULT_NO_MEMORY) {
        if (c->kernel)
            buf_printf(b, "\n  kernel      %s", c->kernel);
        return;
    }
    if (c->place)
        c->place(c->self, f->pc, b);
    if (c->more)
        buf_str(b, c->more);
    if (c->memory)
        buf_printf(b, "\n  address     %s", c->memory);
    if (c->kernel)
        buf_printf(b, "\n  kernel      %s", c->kernel);
    put_items(b, f);
    buf_printf(b, "\n  group       (%u, %u, %u)", g[0], g[1], g[2]);
    buf_printf(b, "\n  warp        %u", f->warp);
    if (f->lane >= 0)
        buf_printf(b, "\n  lane        %d", f->lane);
    buf_printf(b, "\n  active      0x%08x", f->mask);
    put_instruction(b, f, c->set, &how);
    if (f->waiting)
        buf_printf(b, "\n  warps       %u waiting at a barrier, %u running", f->waiting,
                   f->spinning);
    for (u32 k = 0; k < f->nwaits; k++)
        buf_printf(b, "\n  waits       group %llu, warp %u, at 0x%08x: %s",
                   (unsigned long long)f->wait[k].group, f->wait[k].warp, f->wait[k].pc,
                   f->wait[k].why);
}
