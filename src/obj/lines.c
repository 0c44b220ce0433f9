/* lines.c -- reads the line tables of an image, and which functions were inlined where.
 *
 * The line programs become Spans, ranges of addresses of one line, sorted by address.  The entries
 * of .debug_info become Scopes, a range of a function or of an inlined call each; the scopes
 * around an address, from the deepest outwards, are the chain of calls.  Every read goes through a
 * Cursor, which stops at the end of its bytes and then says so.
 */
#include "base/search.h"
#include "obj/lines.h"
#include "base/mem.h"
#include "obj/dwarf.h"
#include <stdlib.h>
#include <string.h>

enum {
    CHAIN_MAX = 64,    /* scopes around an address that are looked at */
    WORK_PER_BYTE = 64 /* steps that a byte of debug data may cause */
};

typedef struct {
    u32 lo, hi, unit, file, line, column;
    u32 isa;
} Span;

/* A function, or a call that was inlined, over one range of addresses. */
typedef struct {
    u32 lo, hi, depth; /* of the entry in its tree */
    u32 unit;          /* of LineTable.units; UINT32_MAX: none */
    bool inlined;
    u32 call_file, call_line, call_column;
    u64 entry; /* whose name it has: offset in .debug_info */
} Scope;

/* The files of one line program. */
typedef struct {
    u64 offset; /* of the program in .debug_line */
    u32 first;  /* number of the first file: 0 from DWARF 5 on, else 1 */
    char **file;
    size_t nfile, capfile;
} LineUnit;

/* What a subprogram entry is called: by itself, or as another entry is. */
typedef struct {
    u64 entry, origin; /* offsets in .debug_info; origin 0: none */
    const char *name;
} Named;

typedef struct {
    const u8 *data;
    u64 size;
} Bytes;

struct LineTable {
    Bytes line, info, abbrev, str, line_str, str_offsets, addr, ranges, rnglists;
    Span *spans;
    size_t nspans, capspans;
    Scope *scopes;
    size_t nscopes, capscopes;
    LineUnit *units;
    size_t nunits, capunits;
    Named *named;
    size_t nnamed, capnamed;
    u64 work; /* steps left */
    bool no_memory;
};

/* --- bytes ----------------------------------------------------------------------------------- */

typedef struct {
    const u8 *at, *end;
    bool bad;
} Cursor;

static Cursor cursor(Bytes b, u64 offset)
{
    if (offset > b.size)
        return (Cursor){.bad = true};
    return (Cursor){b.data + offset, b.data + b.size, false};
}

static u64 left(const Cursor *c) { return c->bad ? 0 : (u64)(c->end - c->at); }

static void skip(Cursor *c, u64 n)
{
    if (n > left(c))
        c->bad = true;
    else
        c->at += n;
}

/* a little-endian number of n <= 8 bytes */
static u64 take(Cursor *c, u32 n)
{
    u64 v = 0;
    if (n > left(c)) {
        c->bad = true;
        return 0;
    }
    for (u32 i = 0; i < n; i++)
        v |= (u64)*c->at++ << 8 * i;
    return v;
}

static u64 take_leb(Cursor *c, bool is_signed)
{
    u64 v = 0;
    u32 shift = 0;
    u8 byte;
    do {
        byte = (u8)take(c, 1);
        if (shift < 64)
            v |= (u64)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80 && !c->bad);
    return is_signed && shift < 64 && byte & 0x40 ? v | UINT64_MAX << shift : v;
}

static u64 take_uleb(Cursor *c) { return take_leb(c, false); }

static const char *take_string(Cursor *c)
{
    const char *s = (const char *)c->at;
    const u8 *nul = left(c) ? memchr(c->at, 0, left(c)) : NULL;
    if (!nul) {
        c->bad = true;
        return NULL;
    }
    c->at = nul + 1;
    return s;
}

static const char *string_at(Bytes b, u64 offset)
{
    Cursor c = cursor(b, offset);
    return take_string(&c);
}

/* a unit's bytes after its length, and the cursor moved past it; false: no unit of 32-bit DWARF */
static bool take_unit(Cursor *c, Cursor *unit)
{
    const u64 size = take(c, 4);
    if (c->bad || size > left(c))
        return false;
    *unit = (Cursor){c->at, c->at + size, false};
    c->at += size;
    return true;
}

static bool may_work(LineTable *t) { return t->work && t->work--; }

/* --- attributes ------------------------------------------------------------------------------ */

/* A value as its form has it. */
typedef struct {
    u32 form; /* 0: the attribute is absent */
    u64 number;
    const char *text; /* DW_FORM_string */
} Value;

/* what strings and addresses by index are relative to */
typedef struct {
    u64 start; /* of the unit in .debug_info */
    u16 version;
    u64 str_base, addr_base, rnglists_base;
    u32 low_pc;
    u32 lines; /* of LineTable.units, or UINT32_MAX */
} InfoUnit;

static Value take_value(Cursor *c, u64 form, u64 implicit)
{
    Value v = {.form = (u32)form};
    switch (form) {
    case DW_FORM_addr:
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_ref_addr: /* of DWARF 2 too: addresses have 4 bytes */
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_sec_offset:
    case DW_FORM_strx4:
    case DW_FORM_addrx4: v.number = take(c, 4); break;
    case DW_FORM_data1:
    case DW_FORM_flag:
    case DW_FORM_ref1:
    case DW_FORM_strx1:
    case DW_FORM_addrx1: v.number = take(c, 1); break;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2: v.number = take(c, 2); break;
    case DW_FORM_strx3:
    case DW_FORM_addrx3: v.number = take(c, 3); break;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8: v.number = take(c, 8); break;
    case DW_FORM_data16: skip(c, 16); break;
    case DW_FORM_sdata: v.number = take_leb(c, true); break;
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx: v.number = take_uleb(c); break;
    case DW_FORM_string: v.text = take_string(c); break;
    case DW_FORM_block1: skip(c, take(c, 1)); break;
    case DW_FORM_block2: skip(c, take(c, 2)); break;
    case DW_FORM_block4: skip(c, take(c, 4)); break;
    case DW_FORM_block:
    case DW_FORM_exprloc: skip(c, take_uleb(c)); break;
    case DW_FORM_flag_present: v.number = 1; break;
    case DW_FORM_implicit_const: v.number = implicit; break;
    case DW_FORM_indirect:
        form = take_uleb(c);
        if (form != DW_FORM_indirect && form != DW_FORM_implicit_const)
            return take_value(c, form, 0);
        c->bad = true;
        break;
    default: c->bad = true;
    }
    return v;
}

static const char *text_of(const LineTable *t, const InfoUnit *u, const Value *v)
{
    switch (v->form) {
    case DW_FORM_string: return v->text;
    case DW_FORM_strp: return string_at(t->str, v->number);
    case DW_FORM_line_strp: return string_at(t->line_str, v->number);
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4: {
        if (v->number > UINT32_MAX)
            return NULL;
        Cursor c = cursor(t->str_offsets, u->str_base + v->number * 4);
        const u64 offset = take(&c, 4);
        return c.bad ? NULL : string_at(t->str, offset);
    }
    default: return NULL;
    }
}

static bool address_at(const LineTable *t, const InfoUnit *u, u64 index, u32 *addr)
{
    if (index > UINT32_MAX)
        return false;
    Cursor c = cursor(t->addr, u->addr_base + index * 4);
    *addr = (u32)take(&c, 4);
    return !c.bad;
}

static bool address_of(const LineTable *t, const InfoUnit *u, const Value *v, u32 *addr)
{
    switch (v->form) {
    case DW_FORM_addr: *addr = (u32)v->number; return true;
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4: return address_at(t, u, v->number, addr);
    default: return false;
    }
}

/* --- line programs --------------------------------------------------------------------------- */

static bool add_file(LineTable *t, LineUnit *u, const char *root, const char *dir, const char *name)
{
    Buf path = {0};
    if (name[0] != '/') {
        if (root && dir && dir != root && dir[0] != '/')
            buf_printf(&path, "%s/", root);
        if (dir)
            buf_printf(&path, "%s/", dir);
    }
    buf_str(&path, name);
    if (path.failed || !array_grow(u->file, u->nfile, u->capfile)) {
        buf_free(&path);
        t->no_memory = true;
        return false;
    }
    u->file[u->nfile++] = (char *)path.data;
    return true;
}

typedef struct {
    const char **name;
    size_t n, cap;
} Directories;

static bool add_directory(LineTable *t, Directories *d, const char *name)
{
    if (!array_grow(d->name, d->n, d->cap)) {
        t->no_memory = true;
        return false;
    }
    d->name[d->n++] = name;
    return true;
}

/* the directories and files of versions 2 to 4 */
static bool take_files(LineTable *t, LineUnit *u, Cursor *c, Directories *dirs)
{
    const char *name;
    if (!add_directory(t, dirs, NULL)) /* 0: where the compiler ran */
        return false;
    while ((name = take_string(c)) && *name)
        if (!add_directory(t, dirs, name))
            return false;
    while ((name = take_string(c)) && *name) {
        const u64 dir = take_uleb(c);
        take_uleb(c); /* time */
        take_uleb(c); /* length */
        if (!add_file(t, u, NULL, dir < dirs->n ? dirs->name[dir] : NULL, name))
            return false;
    }
    return !c->bad;
}

/* one of the two lists of version 5, which say their own form */
static bool take_list(LineTable *t, LineUnit *u, Cursor *c, Directories *dirs, bool files)
{
    const u32 nforms = (u32)take(c, 1);
    Cursor forms = *c;
    for (u32 i = 0; i < 2 * nforms; i++)
        take_uleb(c);
    const u64 n = take_uleb(c);
    if (c->bad || n > left(c) || (n && !nforms))
        return false;
    for (u64 i = 0; i < n && !c->bad; i++) {
        const char *name = NULL;
        u64 dir = 0;
        Cursor form = forms;
        for (u32 k = 0; k < nforms && may_work(t); k++) {
            const u64 what = take_uleb(&form);
            const Value v = take_value(c, take_uleb(&form), 0);
            if (what == DW_LNCT_path)
                name = text_of(t, &(InfoUnit){.str_base = 8}, &v);
            else if (what == DW_LNCT_directory_index)
                dir = v.number;
        }
        const char *at = dir < dirs->n ? dirs->name[dir] : NULL;
        if (!(files ? add_file(t, u, dirs->n ? dirs->name[0] : NULL, at, name ? name : "?")
                    : add_directory(t, dirs, name)))
            return false;
    }
    return !c->bad;
}

typedef struct {
    u32 address, file, line, column, isa;
} Row;

/* the row before the present one, until the next says where it ends */
typedef struct {
    Row row;
    bool open;
} Pending;

static bool add_row(LineTable *t, Pending *p, const Row *row, bool end)
{
    const Row *r = &p->row;
    if (p->open && r->address < row->address) {
        if (!array_grow(t->spans, t->nspans, t->capspans)) {
            t->no_memory = true;
            return false;
        }
        t->spans[t->nspans++] = (Span){
            r->address, row->address, (u32)t->nunits - 1, r->file, r->line, r->column, r->isa};
    }
    *p = (Pending){*row, !end};
    return true;
}

typedef struct {
    u32 step; /* bytes that addresses advance by */
    i32 line_base;
    u32 line_range, opcode_base;
    Cursor lengths; /* of standard opcodes: operands */
} LineHeader;

static u32 operands_of(const LineHeader *h, u32 opcode)
{
    Cursor c = h->lengths;
    skip(&c, opcode - 1);
    return (u32)take(&c, 1);
}

/* an extended opcode; false: end of memory */
static bool run_extended(LineTable *t, Cursor *c, Row *row, Pending *p)
{
    const Row fresh = {.file = 1, .line = 1};
    const u64 size = take_uleb(c);
    Cursor op = *c;
    skip(c, size);
    switch (size ? take(&op, 1) : 0) {
    case DW_LNE_end_sequence:
        if (!add_row(t, p, row, true))
            return false;
        *row = fresh;
        break;
    case DW_LNE_set_address: row->address = (u32)take(&op, 4); break;
    default: break;
    }
    return true;
}

static void run_program(LineTable *t, const LineHeader *h, Cursor c)
{
    Row row = {.file = 1, .line = 1};
    Pending p = {.open = false};
    bool ok = true;
    while (ok && left(&c)) {
        const u32 op = (u32)take(&c, 1);
        const u32 special = op - h->opcode_base;
        if (op >= h->opcode_base) {
            row.address += special / h->line_range * h->step;
            row.line += (u32)(h->line_base + (i32)(special % h->line_range));
            ok = add_row(t, &p, &row, false);
            continue;
        }
        switch (op) {
        case 0: ok = run_extended(t, &c, &row, &p); break;
        case DW_LNS_copy: ok = add_row(t, &p, &row, false); break;
        case DW_LNS_advance_pc: row.address += (u32)take_uleb(&c) * h->step; break;
        case DW_LNS_advance_line: row.line += (u32)take_leb(&c, true); break;
        case DW_LNS_set_file: row.file = (u32)take_uleb(&c); break;
        case DW_LNS_set_column: row.column = (u32)take_uleb(&c); break;
        case DW_LNS_set_isa: row.isa = (u32)take_uleb(&c); break;
        case DW_LNS_const_add_pc:
            row.address += (255 - h->opcode_base) / h->line_range * h->step;
            break;
        case DW_LNS_fixed_advance_pc: row.address += (u32)take(&c, 2); break;
        default: /* it has no effect on lines, or nobody here knows it */
            for (u32 n = operands_of(h, op); n; n--)
                take_uleb(&c);
        }
    }
}

/* the unit at `offset` of .debug_line */
static void read_line_unit(LineTable *t, Cursor c, u64 offset)
{
    LineHeader h = {.step = 1};
    Directories dirs = {.n = 0};
    const u32 version = (u32)take(&c, 2);
    if (version < 2 || version > 5)
        return;
    if (version == 5 && (take(&c, 1) != 4 || take(&c, 1) != 0)) /* sizes of addresses, selectors */
        return;
    Cursor program = c;
    skip(&program, take(&program, 4));
    skip(&c, 4);
    h.step = (u32)take(&c, 1);
    skip(&c, version >= 4 ? 2 : 1); /* operations an instruction; is_stmt */
    h.line_base = (i8)take(&c, 1);
    h.line_range = (u32)take(&c, 1);
    h.opcode_base = (u32)take(&c, 1);
    h.lengths = c;
    if (c.bad || program.bad || !h.line_range || !h.opcode_base)
        return;
    skip(&c, h.opcode_base - 1);
    if (!array_grow(t->units, t->nunits, t->capunits)) {
        t->no_memory = true;
        return;
    }
    LineUnit *u = &t->units[t->nunits++];
    *u = (LineUnit){.offset = offset, .first = version >= 5 ? 0 : 1};
    const bool ok = version >= 5
                        ? take_list(t, u, &c, &dirs, false) && take_list(t, u, &c, &dirs, true)
                        : take_files(t, u, &c, &dirs);
    mem_free(dirs.name);
    if (ok)
        run_program(t, &h, program);
}

static int by_address(const void *a, const void *b)
{
    const Span *x = a, *y = b;
    return x->lo != y->lo ? (x->lo > y->lo) - (x->lo < y->lo) : (x->hi > y->hi) - (x->hi < y->hi);
}

static void read_lines(LineTable *t)
{
    Cursor c = cursor(t->line, 0), unit;
    u64 offset = 0;
    while (!t->no_memory && left(&c) && take_unit(&c, &unit)) {
        read_line_unit(t, unit, offset);
        offset = (u64)(c.at - t->line.data);
    }
    if (t->nspans)
        qsort(t->spans, t->nspans, sizeof *t->spans, by_address);
}

static const char *file_name(const LineTable *t, u32 unit, u32 file)
{
    if (unit >= t->nunits || file < t->units[unit].first)
        return NULL;
    const LineUnit *u = &t->units[unit];
    return file - u->first < u->nfile ? u->file[file - u->first] : NULL;
}

/* --- entries --------------------------------------------------------------------------------- */

/* The attributes of one entry that matter here. */
typedef struct {
    Value name, low, high, ranges, origin, file, line, column, lines, str_base, addr_base,
        rnglists_base;
} Entry;

static Value *slot_of(Entry *e, u64 attribute)
{
    switch (attribute) {
    case DW_AT_name: return &e->name;
    case DW_AT_low_pc: return &e->low;
    case DW_AT_high_pc: return &e->high;
    case DW_AT_ranges: return &e->ranges;
    case DW_AT_abstract_origin:
    case DW_AT_specification: return &e->origin;
    case DW_AT_call_file: return &e->file;
    case DW_AT_call_line: return &e->line;
    case DW_AT_call_column: return &e->column;
    case DW_AT_stmt_list: return &e->lines;
    case DW_AT_str_offsets_base: return &e->str_base;
    case DW_AT_addr_base: return &e->addr_base;
    case DW_AT_rnglists_base: return &e->rnglists_base;
    default: return NULL;
    }
}

/* A shape of entries: where its attributes stand in .debug_abbrev. */
typedef struct {
    u64 code, tag;
    bool has_children;
    Cursor attributes;
} Shape;
typedef struct {
    Shape *shape;
    size_t n, cap;
    u64 offset;
    bool valid;
} Shapes;

static void read_shapes(LineTable *t, Shapes *s, u64 offset)
{
    if (s->valid && s->offset == offset)
        return;
    Cursor c = cursor(t->abbrev, offset);
    s->n = 0, s->offset = offset, s->valid = true;
    while (may_work(t)) {
        Shape a = {.code = take_uleb(&c)};
        if (c.bad || !a.code)
            break;
        a.tag = take_uleb(&c);
        a.has_children = take(&c, 1);
        a.attributes = c;
        for (bool more = true; more && !c.bad && may_work(t);) {
            const u64 attribute = take_uleb(&c), form = take_uleb(&c);
            if (form == DW_FORM_implicit_const)
                take_leb(&c, true);
            more = attribute || form;
        }
        if (!array_grow(s->shape, s->n, s->cap)) {
            t->no_memory = true;
            return;
        }
        s->shape[s->n++] = a;
    }
}

static const Shape *find_shape(LineTable *t, const Shapes *s, u64 code)
{
    if (code && code <= s->n && s->shape[code - 1].code == code) /* as compilers number them */
        return &s->shape[code - 1];
    for (size_t i = 0; i < s->n && may_work(t); i++)
        if (s->shape[i].code == code)
            return &s->shape[i];
    return NULL;
}

static Entry take_entry(LineTable *t, const Shape *a, Cursor *c)
{
    Entry e = {.name = {0}};
    Cursor list = a->attributes;
    while (!list.bad && !c->bad && may_work(t)) {
        const u64 attribute = take_uleb(&list), form = take_uleb(&list);
        const u64 implicit = form == DW_FORM_implicit_const ? take_leb(&list, true) : 0;
        if (!attribute && !form)
            break;
        const Value v = take_value(c, form, implicit);
        Value *slot = slot_of(&e, attribute);
        if (slot)
            *slot = v;
    }
    return e;
}

static void add_scope(LineTable *t, const Scope *like, u32 lo, u32 hi)
{
    if (lo >= hi || !lo) /* what the linker left out is at 0 */
        return;
    if (!array_grow(t->scopes, t->nscopes, t->capscopes)) {
        t->no_memory = true;
        return;
    }
    t->scopes[t->nscopes] = *like;
    t->scopes[t->nscopes].lo = lo;
    t->scopes[t->nscopes++].hi = hi;
}

/* the list of version 2 to 4: pairs of offsets to a base */
static void add_old_ranges(LineTable *t, const InfoUnit *u, u64 offset, const Scope *like)
{
    Cursor c = cursor(t->ranges, offset);
    u32 base = u->low_pc;
    while (may_work(t)) {
        const u32 lo = (u32)take(&c, 4), hi = (u32)take(&c, 4);
        if (c.bad || (!lo && !hi))
            return;
        if (lo == UINT32_MAX)
            base = hi;
        else
            add_scope(t, like, base + lo, base + hi);
    }
}

static void add_new_ranges(LineTable *t, const InfoUnit *u, u64 offset, const Scope *like)
{
    Cursor c = cursor(t->rnglists, offset);
    u32 base = u->low_pc, lo = 0, hi = 0;
    while (may_work(t)) {
        bool ok = true, is_range = true;
        switch (take(&c, 1)) {
        case DW_RLE_base_addressx:
            ok = address_at(t, u, take_uleb(&c), &base);
            is_range = false;
            break;
        case DW_RLE_base_address:
            base = (u32)take(&c, 4);
            is_range = false;
            break;
        case DW_RLE_startx_endx:
            ok = address_at(t, u, take_uleb(&c), &lo) && address_at(t, u, take_uleb(&c), &hi);
            break;
        case DW_RLE_startx_length:
            ok = address_at(t, u, take_uleb(&c), &lo);
            hi = lo + (u32)take_uleb(&c);
            break;
        case DW_RLE_offset_pair:
            lo = base + (u32)take_uleb(&c);
            hi = base + (u32)take_uleb(&c);
            break;
        case DW_RLE_start_end:
            lo = (u32)take(&c, 4);
            hi = (u32)take(&c, 4);
            break;
        case DW_RLE_start_length:
            lo = (u32)take(&c, 4);
            hi = lo + (u32)take_uleb(&c);
            break;
        default: return; /* the end, or unknown */
        }
        if (!ok || c.bad)
            return;
        if (is_range)
            add_scope(t, like, lo, hi);
    }
}

static void add_scopes(LineTable *t, const InfoUnit *u, const Entry *e, const Scope *like)
{
    u32 lo, hi;
    if (e->ranges.form && u->version < 5) {
        add_old_ranges(t, u, e->ranges.number, like);
    } else if (e->ranges.form == DW_FORM_rnglistx) {
        Cursor c = cursor(t->rnglists, e->ranges.number > UINT32_MAX
                                           ? UINT64_MAX
                                           : u->rnglists_base + e->ranges.number * 4);
        const u64 offset = take(&c, 4);
        if (!c.bad)
            add_new_ranges(t, u, u->rnglists_base + offset, like);
    } else if (e->ranges.form) {
        add_new_ranges(t, u, e->ranges.number, like);
    } else if (address_of(t, u, &e->low, &lo)) {
        if (!address_of(t, u, &e->high, &hi)) /* then it is a size */
            hi = lo + (u32)e->high.number;
        add_scope(t, like, lo, hi);
    }
}

/* 0: it refers to none of this file */
static u64 origin_of(const InfoUnit *u, const Value *v)
{
    switch (v->form) {
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata: return u->start + v->number;
    case DW_FORM_ref_addr: return v->number;
    default: return 0;
    }
}

static void add_function(LineTable *t, const InfoUnit *u, const Entry *e, u64 entry, bool inlined,
                         u32 depth)
{
    const Named n = {entry, origin_of(u, &e->origin), text_of(t, u, &e->name)};
    const Scope like = {.depth = depth,
                        .unit = u->lines,
                        .inlined = inlined,
                        .call_file = (u32)e->file.number,
                        .call_line = (u32)e->line.number,
                        .call_column = (u32)e->column.number,
                        .entry = entry};
    if (!array_grow(t->named, t->nnamed, t->capnamed)) {
        t->no_memory = true;
        return;
    }
    t->named[t->nnamed++] = n;
    add_scopes(t, u, e, &like);
}

static void begin_unit(LineTable *t, InfoUnit *u, const Entry *e)
{
    u->str_base = e->str_base.form ? e->str_base.number : 8;
    u->addr_base = e->addr_base.form ? e->addr_base.number : 8;
    u->rnglists_base = e->rnglists_base.form ? e->rnglists_base.number : 12;
    address_of(t, u, &e->low, &u->low_pc);
    for (size_t i = 0; e->lines.form && i < t->nunits && may_work(t); i++)
        if (t->units[i].offset == e->lines.number)
            u->lines = (u32)i;
}

static void read_entries(LineTable *t, Cursor c, InfoUnit *u, const Shapes *s)
{
    u32 depth = 0;
    bool is_first = true;
    while (left(&c) && !t->no_memory && may_work(t)) {
        const u64 entry = (u64)(c.at - t->info.data), code = take_uleb(&c);
        if (!code) {
            if (!depth || !--depth)
                return;
            continue;
        }
        const Shape *a = find_shape(t, s, code);
        if (!a)
            return;
        const Entry e = take_entry(t, a, &c);
        if (c.bad)
            return;
        if (is_first)
            begin_unit(t, u, &e);
        is_first = false;
        if (a->tag == DW_TAG_subprogram || a->tag == DW_TAG_inlined_subroutine)
            add_function(t, u, &e, entry, a->tag == DW_TAG_inlined_subroutine, depth);
        depth += a->has_children;
    }
}

static void read_info(LineTable *t)
{
    Cursor c = cursor(t->info, 0), unit;
    Shapes shapes = {.n = 0};
    for (u64 start = 0; !t->no_memory && left(&c) && take_unit(&c, &unit);
         start = (u64)(c.at - t->info.data)) {
        InfoUnit u = {.start = start, .version = (u16)take(&unit, 2), .lines = UINT32_MAX};
        u64 abbrevs = 0, kind = DW_UT_compile;
        if (u.version < 2 || u.version > 5)
            continue;
        if (u.version == 5)
            kind = take(&unit, 1);
        else
            abbrevs = take(&unit, 4);
        const u64 address_bytes = take(&unit, 1);
        if (u.version == 5)
            abbrevs = take(&unit, 4);
        if (unit.bad || address_bytes != 4 || (kind != DW_UT_compile && kind != DW_UT_partial))
            continue;
        read_shapes(t, &shapes, abbrevs);
        read_entries(t, unit, &u, &shapes);
    }
    mem_free(shapes.shape);
}

/* --- what others call ------------------------------------------------------------------------ */

static Bytes section(const Object *o, const char *name)
{
    const i32 i = obj_find_section(o, name);
    return i < 0 ? (Bytes){0} : (Bytes){o->sections[i].data.data, o->sections[i].data.len};
}

LineTable *lines_read(const Object *image)
{
    LineTable *t = mem_zalloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->line = section(image, ".debug_line");
    t->info = section(image, ".debug_info");
    t->abbrev = section(image, ".debug_abbrev");
    t->str = section(image, ".debug_str");
    t->line_str = section(image, ".debug_line_str");
    t->str_offsets = section(image, ".debug_str_offsets");
    t->addr = section(image, ".debug_addr");
    t->ranges = section(image, ".debug_ranges");
    t->rnglists = section(image, ".debug_rnglists");
    t->work = (t->line.size + t->info.size + t->abbrev.size + t->ranges.size + t->rnglists.size) *
              WORK_PER_BYTE;
    read_lines(t);
    read_info(t);
    if (!t->no_memory)
        return t;
    lines_free(t);
    return NULL;
}

void lines_free(LineTable *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->nunits; i++) {
        for (size_t k = 0; k < t->units[i].nfile; k++)
            mem_free(t->units[i].file[k]);
        mem_free(t->units[i].file);
    }
    mem_free(t->units);
    mem_free(t->spans);
    mem_free(t->scopes);
    mem_free(t->named);
    mem_free(t);
}

SEARCH_BEFORE(entry_is_below, Named, u64, e->entry < *key)

/* the name of an entry, or of what it stands for */
static const char *name_of(const LineTable *t, u64 entry)
{
    for (u32 hops = 0; entry && hops < 8; hops++) {
        /* entries come in the order of their offsets */
        const size_t lo =
            search_count(t->named, t->nnamed, sizeof *t->named, entry_is_below, &entry);
        if (lo == t->nnamed || t->named[lo].entry != entry)
            return NULL;
        if (t->named[lo].name)
            return t->named[lo].name;
        entry = t->named[lo].origin;
    }
    return NULL;
}

SEARCH_BEFORE(begins_at_or_before, Span, u32, e->lo <= *key)

/* the last span that begins at or before pc and reaches it; NULL: none */
static const Span *span_at(const LineTable *t, u32 pc)
{
    const size_t lo = search_count(t->spans, t->nspans, sizeof *t->spans, begins_at_or_before, &pc);
    return lo && pc < t->spans[lo - 1].hi ? &t->spans[lo - 1] : NULL;
}

/* the scopes around pc, the deepest first */
static size_t scopes_at(const LineTable *t, u32 pc, const Scope *around[CHAIN_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < t->nscopes && n < CHAIN_MAX; i++) {
        const Scope *s = &t->scopes[i];
        if (pc < s->lo || pc >= s->hi)
            continue;
        size_t at = n++;
        for (; at && around[at - 1]->depth < s->depth; at--)
            around[at] = around[at - 1];
        around[at] = s;
    }
    return n;
}

size_t lines_find(const LineTable *t, u32 pc, Place *chain, size_t max)
{
    const Scope *around[CHAIN_MAX];
    const Span *span = span_at(t, pc);
    if (!span || !span->line || !max)
        return 0;
    const size_t nscopes = scopes_at(t, pc, around);
    size_t n = 0;
    chain[n++] = (Place){file_name(t, span->unit, span->file), span->line, span->column,
                         nscopes ? name_of(t, around[0]->entry) : NULL};
    for (size_t i = 0; i < nscopes && around[i]->inlined && n < max; i++) {
        const Scope *s = around[i];
        chain[n++] = (Place){file_name(t, s->unit, s->call_file), s->call_line, s->call_column,
                             i + 1 < nscopes ? name_of(t, around[i + 1]->entry) : NULL};
    }
    return n;
}

LinesMark lines_mark(const LineTable *t, u32 pc)
{
    const Span *span = span_at(t, pc);
    return !span ? LINES_PLAIN : span->isa <= LINES_WAIT ? (LinesMark)span->isa : LINES_PLAIN;
}

const char *lines_file(const LineTable *t, size_t i)
{
    for (size_t u = 0; u < t->nunits; i -= t->units[u++].nfile)
        if (i < t->units[u].nfile)
            return t->units[u].file[i];
    return NULL;
}

void place_put_line(const Object *o, const Place *p, const char *indent, Buf *to)
{
    size_t len = 0;
    const char *line = p->file ? obj_source_line(o, p->file, p->line, &len) : NULL;
    if (!line || len > 500)
        return;
    const size_t blank = strspn(line, " \t") < len ? strspn(line, " \t") : len;
    buf_str(to, indent);
    buf_put(to, line + blank, len - blank);
    if (p->column <= blank || p->column > len)
        return;
    buf_str(to, indent);
    for (size_t i = blank; i + 1 < p->column;
         i++) /* tabs stay, so that the caret is below its character */
        buf_fill(to, line[i] == '\t' ? '\t' : ' ', 1);
    buf_str(to, "^");
}
