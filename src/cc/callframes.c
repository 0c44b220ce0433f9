/* callframes.c -- how debuggers find the caller's registers, DWARF 4 (section 6.4).
 *
 * Both stacks grow up, and debuggers expect the frames of callees at lower addresses; so the
 * address that names a frame is the function's first sp, negated.  A function keeps ra at that sp
 * if it calls others.  Where sp, tp and ra change is read from its words: each of the first two is
 * moved past the frame once, and back once (frame.c).
 */
#include "cc/debuginfo.h"
#include <string.h>

enum { RA = 1, CODE_ALIGN = 1, DATA_ALIGN = 1 };

/* Where the registers of the caller are, from a word on. */
typedef struct {
    i32 sp, tp;      /* what was added to them */
    bool ra_is_kept; /* at the first sp */
} Unwound;

/* an expression: reg + n, negated or not, as an operand of a rule */
static void put_sum(DwarfOut *s, u32 reg, i32 n, bool negated)
{
    Buf b = {0};
    DwarfOut e = {.b = &b};
    dwarf_put(&e, DW_OP_breg0 + reg, 1);
    dwarf_put_sleb(&e, n);
    if (negated)
        dwarf_put(&e, DW_OP_neg, 1);
    dwarf_put_uleb(s, (u32)b.len);
    buf_put(s->b, b.data, b.len);
    s->failed |= b.failed;
    buf_free(&b);
}

static void put_rule(DwarfOut *s, u32 kind, u32 reg)
{
    dwarf_put(s, kind, 1);
    dwarf_put_uleb(s, reg);
}

/* A kernel has no caller that anybody wants to see. */
static void put_rules(DwarfOut *s, const Target *t, const Unwound *u, bool is_kernel)
{
    dwarf_put(s, DW_CFA_def_cfa_expression, 1);
    put_sum(s, t->sp, -u->sp, true);
    put_rule(s, DW_CFA_val_expression, t->sp);
    put_sum(s, t->sp, -u->sp, false);
    put_rule(s, DW_CFA_val_expression, t->tp);
    put_sum(s, t->tp, -u->tp, false);
    put_rule(s,
             is_kernel       ? DW_CFA_undefined
             : u->ra_is_kept ? DW_CFA_expression
                             : DW_CFA_same_value,
             RA);
    if (u->ra_is_kept && !is_kernel)
        put_sum(s, t->sp, -u->sp, false);
}

/* What is so after a word. */
static Unwound after(const Code *c, const Word *w, Unwound u)
{
    const Target *t = c->f->module->target;
    const Insn *in = &w->in;
    const u32 to = (u32)in->opd[0];
    const bool sums = in->id == I_addi || in->id == I_add;
    if (sums && to == t->sp)
        u.sp = u.sp ? 0 : (i32)c->f->frame_scalar;
    else if (sums && to == t->tp)
        u.tp = u.tp ? 0 : (i32)c->f->frame_private;
    else if ((in->id == I_sw || in->id == I_lw) && to == RA)
        u.ra_is_kept = in->id == I_sw;
    return u;
}

static void pad(DwarfOut *s, size_t from)
{
    while ((s->b->len - from) % 4 && !s->b->failed)
        dwarf_put(s, DW_CFA_nop, 1);
}

static void put_frame(DwarfOut *s, const Code *c, u32 section, u32 symbol)
{
    Unwound u = {0};
    u32 at = 0;
    const size_t from = dwarf_begin(s);
    dwarf_put_address(s, section, 0); /* of the entry that all have in common */
    dwarf_put_address(s, symbol, 0);
    dwarf_put(s, c->size, 4);
    if (c->f->is_kernel)
        put_rules(s, c->f->module->target, &u, true);
    for (size_t i = 0; i < c->n; i++) {
        const Word *w = &c->word[i];
        const Unwound next = word_is_none(w) ? u : after(c, w, u);
        if (!memcmp(&next, &u, sizeof u))
            continue;
        const u32 end = i + 1 < c->n ? c->word[i + 1].at : c->size;
        dwarf_put(s, DW_CFA_advance_loc4, 1);
        dwarf_put(s, end - at, 4);
        put_rules(s, c->f->module->target, &next, c->f->is_kernel);
        u = next;
        at = end;
    }
    pad(s, from);
    dwarf_end(s, from);
}

bool put_call_frames(const Module *m, const Code *code, const u32 *symbol, Object *o)
{
    DwarfOut s = dwarf_open(o, ".debug_frame");
    const i32 section = s.failed ? -1 : dwarf_section_symbol(o, ".debug_frame");
    if (section < 0)
        return false;
    const size_t from = dwarf_begin(&s);
    dwarf_put(&s, UINT32_MAX, 4);
    dwarf_put(&s, DWARF_VERSION, 1);
    dwarf_put_string(&s, "");
    dwarf_put(&s, 4, 1); /* bytes of an address, of a segment's number */
    dwarf_put(&s, 0, 1);
    dwarf_put_uleb(&s, CODE_ALIGN);
    dwarf_put_sleb(&s, DATA_ALIGN);
    dwarf_put_uleb(&s, RA);
    put_rules(&s, m->target, &(Unwound){0}, false);
    pad(&s, from);
    dwarf_end(&s, from);
    for (size_t i = 0; i < m->nfunc; i++)
        put_frame(&s, &code[i], (u32)section, symbol[m->func[i]->symbol]);
    return dwarf_close(&s);
}
