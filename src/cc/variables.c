/* variables.c -- variables of the source and where they are, DWARF 4 (sections 2.6 and 4).
 *
 * A variable that has a slot lies in private memory all the time; debuggers see its addresses as
 * the lane does: in a function that moves tp at a distance from it, else constant.  A __local one
 * lies at a distance from a register that nobody changes.  Of others,
 * notes among the words say where each part is (locate.c); they become a list in .debug_loc.
 */
#include "cc/debuginfo.h"
#include "base/mem.h"
#include <string.h>

void put_variable_abbrevs(DwarfOut *s)
{
    /* clang-format off */
#define NAMED DW_AT_name, DW_FORM_string, DW_AT_decl_file, DW_FORM_udata, DW_AT_decl_line,         \
              DW_FORM_udata, DW_AT_type, DW_FORM_ref4
    static const u8 bytes[] = {
        ABBREV_VARIABLE, DW_TAG_variable, 0, NAMED, DW_AT_location, DW_FORM_exprloc, 0, 0,
        ABBREV_PARAMETER, DW_TAG_formal_parameter, 0, NAMED, DW_AT_location, DW_FORM_exprloc, 0, 0,
        ABBREV_VARIABLE_MOVES, DW_TAG_variable, 0, NAMED, DW_AT_location, DW_FORM_sec_offset, 0, 0,
        ABBREV_PARAMETER_MOVES, DW_TAG_formal_parameter, 0, NAMED, DW_AT_location,
        DW_FORM_sec_offset, 0, 0,
        ABBREV_VARIABLE_GONE, DW_TAG_variable, 0, NAMED, 0, 0,
        ABBREV_PARAMETER_GONE, DW_TAG_formal_parameter, 0, NAMED, 0, 0,
    };
#undef NAMED
    /* clang-format on */
    buf_put(s->b, bytes, sizeof bytes);
}

/* --- places --------------------------------------------------------------------------------- */

static void put_constant(DwarfOut *e, u32 n)
{
    dwarf_put(e, DW_OP_const4u, 1);
    dwarf_put(e, n, 4);
}

/* the private address of byte `at` of the frame */
static void put_private(DwarfOut *e, const Func *f, u32 at)
{
    const bool moves = f->has_calls || !f->is_kernel; /* tp, past the frame (frame.c) */
    if (!moves) {
        put_constant(e, at);
        return;
    }
    dwarf_put(e, DW_OP_breg0 + f->module->target->tp, 1);
    dwarf_put_sleb(e, (i64)at - f->frame_private);
}

/* DWARF's number of a register, or -1: it has none, and is found by its address */
static i32 number_of(u32 reg)
{
    if (reg < DWARF_REGISTERS)
        return (i32)reg;
    return reg >= V0 && reg < V0 + DWARF_REGISTERS ? (i32)(reg - V0) + DWARF_V0 : -1;
}

static u32 address_of(u32 reg)
{
    return REGISTER_WINDOW + (reg < V0 ? 4 * reg : VECTOR_WINDOW + 4 * (reg - V0));
}

/* from the address of a pointer to that of a field of what it points to */
static void put_field(DwarfOut *e, u32 offset)
{
    dwarf_put(e, DW_OP_deref, 1);
    dwarf_put(e, DW_OP_plus_uconst, 1);
    dwarf_put_uleb(e, offset);
}

/* what a note says, without the number to be added: a place; true: a number of its own instead */
static bool put_place(DwarfOut *e, const Func *f, const Note *n)
{
    if (n->kind == NOTE_ARGUMENT) {
        put_constant(e, REGISTER_WINDOW + METADATA_WINDOW);
        put_field(e, 4 * KNL_ARGS);
        put_field(e, n->is.val);
    } else if (n->kind == NOTE_PRIVATE_WORD) {
        put_private(e, f, n->is.val);
    } else if (n->kind == NOTE_SCALAR_WORD) {
        dwarf_put(e, DW_OP_breg0 + f->module->target->sp, 1);
        dwarf_put_sleb(e, (i32)n->is.val);
    } else if (n->is.kind == R_CON) {
        put_constant(e, n->is.val);
        return true;
    } else if (number_of(n->is.val) < 0) {
        put_constant(e, address_of(n->is.val));
    } else if (n->plus || n->bits) {
        dwarf_put(e, DW_OP_bregx, 1);
        dwarf_put_uleb(e, (u32)number_of(n->is.val));
        dwarf_put_sleb(e, n->plus);
        return true;
    } else {
        dwarf_put(e, DW_OP_regx, 1);
        dwarf_put_uleb(e, (u32)number_of(n->is.val));
    }
    return false;
}

/* of the number before, the low bits that count */
static void put_low_bits(DwarfOut *e, const Note *n)
{
    if (n->is_signed) {
        dwarf_put(e, DW_OP_lit0 + 32u - n->bits, 1);
        dwarf_put(e, DW_OP_shl, 1);
        dwarf_put(e, DW_OP_lit0 + 32u - n->bits, 1);
        dwarf_put(e, DW_OP_shra, 1);
    } else {
        put_constant(e, ((u32)1 << n->bits) - 1);
        dwarf_put(e, DW_OP_and, 1);
    }
}

static void put_value(DwarfOut *e, const Func *f, const Note *n)
{
    bool is_number = put_place(e, f, n);
    if ((n->plus || n->bits) && !is_number) {
        dwarf_put(e, DW_OP_deref, 1);
        is_number = true;
        if (n->plus) {
            put_constant(e, (u32)n->plus);
            dwarf_put(e, DW_OP_plus, 1);
        }
    }
    if (n->bits)
        put_low_bits(e, n);
    if (is_number)
        dwarf_put(e, DW_OP_stack_value, 1);
}

static bool is_known(const Note *n)
{
    return n && (n->kind != NOTE_IS || n->is.kind == R_CON || n->is.kind == R_REG);
}

/* --- lists ------------------------------------------------------------------------------------ */

/* A part of the variable whose list is made. */
typedef struct {
    SourcePart what;
    const Note *note; /* what holds; NULL: nothing */
} Part;

/* One list being made. */
typedef struct {
    DwarfOut *s;
    const Func *f;
    u32 symbol;
    Part *part; /* ascending */
    u32 npart;
    u32 from; /* since where they are so */
    struct {
        u32 from, to;
        Buf where;
    } last; /* an entry that is not written yet; empty: there is none */
    bool is_begun;
} List;

static Buf describe(const List *l, u32 variable)
{
    Buf b = {0};
    DwarfOut e = {.b = &b};
    const u32 size = source_type_size(l->f->module, l->f->variable[variable].type);
    u32 at = 0;
    for (u32 k = 0; k < l->npart; k++) {
        const SourcePart p = l->part[k].what;
        if (!is_known(l->part[k].note) || p.at < at)
            continue;
        if (p.at > at) {
            dwarf_put(&e, DW_OP_piece, 1);
            dwarf_put_uleb(&e, p.at - at);
        }
        put_value(&e, l->f, l->part[k].note);
        if (p.at || p.size < size) {
            dwarf_put(&e, DW_OP_piece, 1);
            dwarf_put_uleb(&e, p.size);
        }
        at = p.at + p.size;
    }
    return b;
}

static void write_entry(List *l)
{
    if (l->last.where.len && l->last.where.len <= UINT16_MAX) {
        if (!l->is_begun) { /* what follows is counted from the start of the function */
            dwarf_put(l->s, UINT32_MAX, 4);
            dwarf_put_address(l->s, l->symbol, 0);
            l->is_begun = true;
        }
        dwarf_put(l->s, l->last.from, 4);
        dwarf_put(l->s, l->last.to, 4);
        dwarf_put(l->s, (u32)l->last.where.len, 2);
        buf_put(l->s->b, l->last.where.data, l->last.where.len);
    }
    l->s->failed |= l->last.where.failed;
    buf_free(&l->last.where);
}

/* The parts were as they are up to byte `to`. */
static void close_entry(List *l, u32 variable, u32 to)
{
    if (l->from == to)
        return;
    Buf b = describe(l, variable);
    if (b.len && b.len == l->last.where.len && l->last.to == l->from &&
        !memcmp(b.data, l->last.where.data, b.len)) {
        l->last.to = to;
        buf_free(&b);
    } else {
        write_entry(l);
        l->last.from = l->from;
        l->last.to = to;
        l->last.where = b;
    }
    l->from = to;
}

static void hear(List *l, const Word *w)
{
    const Note *n = w->fix == FIX_NOTE ? &l->f->note[w->to] : NULL;
    for (u32 k = 0; k < l->npart; k++)
        if (!n || !memcmp(&l->f->part[n->part], &l->part[k].what, sizeof l->part[k].what))
            l->part[k].note = n;
}

/* The list of a variable; false: it is nowhere. */
static bool put_list(List *l, u32 variable, const Code *c, const u32 *event, size_t nevent)
{
    l->npart = 0;
    for (size_t k = 0; k < l->f->npart; k++) {
        if (l->f->part[k].variable != variable)
            continue;
        u32 at = l->npart++;
        for (; at && l->part[at - 1].what.at > l->f->part[k].at; at--)
            l->part[at] = l->part[at - 1];
        l->part[at] = (Part){l->f->part[k], NULL};
    }
    l->from = 0;
    l->is_begun = false;
    for (size_t i = 0; i < nevent && l->npart; i++) {
        const Word *w = &c->word[event[i]];
        if (w->fix == FIX_NOTE && l->f->part[l->f->note[w->to].part].variable != variable)
            continue;
        close_entry(l, variable, w->at);
        hear(l, w);
    }
    close_entry(l, variable, c->size);
    write_entry(l);
    if (l->is_begun) {
        dwarf_put(l->s, 0, 4);
        dwarf_put(l->s, 0, 4);
    }
    return l->is_begun;
}

u32 *put_locations(DwarfOut *s, const Code *c, u32 symbol)
{
    const Func *f = c->f;
    u32 *list = ir_alloc(f->module, (f->nvariable + 1) * sizeof *list);
    u32 *event = mem_zalloc(c->n + 1, sizeof *event);
    List l = {.s = s, .f = f, .symbol = symbol, .part = mem_zalloc(f->npart + 1, sizeof(Part))};
    const bool ok = list && event && l.part;
    size_t n = 0;
    for (size_t i = 0; ok && i < c->n; i++)
        if (word_is_none(&c->word[i]))
            event[n++] = (u32)i;
    for (u32 v = 0; ok && v < f->nvariable; v++) {
        const u32 at = (u32)s->b->len;
        if (f->variable[v].slot == NO_SLOT && put_list(&l, v, c, event, n))
            list[v] = 1 + at;
    }
    mem_free(event);
    mem_free(l.part);
    return ok ? list : NULL;
}

/* --- entries ---------------------------------------------------------------------------------- */

static void put_slot(DwarfOut *s, const Func *f, const SourceVariable *v)
{
    Buf where = {0};
    DwarfOut e = {.b = &where};
    if (v->is_local) {
        dwarf_put(&e, DW_OP_breg0 + f->module->target->local_base, 1);
        dwarf_put_sleb(&e, v->slot);
    } else {
        put_private(&e, f, f->slot[v->slot].offset);
    }
    dwarf_put_uleb(s, (u32)where.len);
    buf_put(s->b, where.data, where.len);
    s->failed |= where.failed;
    buf_free(&where);
}

void put_variable(DwarfOut *s, const Func *f, u32 variable, const VariablePlaces *at)
{
    const SourceVariable *v = &f->variable[variable];
    const u32 list = at->list[variable];
    const u32 shape = v->slot != NO_SLOT ? ABBREV_VARIABLE
                      : list             ? ABBREV_VARIABLE_MOVES
                                         : ABBREV_VARIABLE_GONE;
    dwarf_put(s, shape + v->is_parameter, 1);
    dwarf_put_string(s, v->name);
    dwarf_put_uleb(s, v->file + 1);
    dwarf_put_uleb(s, v->line);
    dwarf_put(s, at->type[v->type], 4);
    if (v->slot != NO_SLOT)
        put_slot(s, f, v);
    else if (list)
        dwarf_put_address(s, at->lists, list - 1);
}
