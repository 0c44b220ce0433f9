/* relocate.c -- writes addresses into code and data (psABI, "Relocations"). */
#include "base/search.h"
#include "link/internal.h"
#include <elf.h>
#include <string.h>

/* One relocation being made. */
typedef struct {
    Link *l;
    Input *in;
    u32 input;
    const ObjSection *section; /* of the input */
    const ObjReloc *r;
    const RelocInfo *info;
    u8 *at;   /* the place in the image */
    u32 room; /* bytes of the part from there */
    u32 pc;   /* its address */
} Fix;

/* --- messages ------------------------------------------------------------ */

#define complain(f, fmt, ...)                                                                      \
    error((f)->l->d, &(f)->in->src, NULL, "%s+0x%x%s%s: " fmt, (f)->section->name, (f)->r->offset, \
          *link_function_at((f)->in->o, (f)->section, (f)->r->offset) ? " in " : "",               \
          link_function_at((f)->in->o, (f)->section, (f)->r->offset), __VA_ARGS__)

static const char *symbol_name(const Fix *f)
{
    if (f->r->symbol == OBJ_NO_SYMBOL)
        return "0";
    const ObjSymbol *s = &f->in->o->symbols[f->r->symbol];
    if (s->type == STT_SECTION && s->section >= 0)
        return f->in->o->sections[s->section].name;
    return s->name;
}

/* --- fields -------------------------------------------------------------- */

static u64 load(const u8 *p, u32 bytes)
{
    u64 v = 0;
    memcpy(&v, p, bytes);
    return v;
}

static void store(u8 *p, u64 v, u32 bytes) { memcpy(p, &v, bytes); }

static void put_operand(u8 *at, OperandId o, i32 value)
{
    u64 mask = 0, bits = 0;
    isa_put(o, -1, &mask); /* fills the field */
    isa_put(o, value, &bits);
    store(at, (load(at, 4) & ~mask) | bits, 4);
}

/* the part of an address for lui and auipc: what is left is a signed 12-bit number */
static i32 upper(u32 v) { return (i32)((v + 0x800) >> 12); }
static i32 lower(u32 v) { return (i32)sign_extend(v, 12); }

static void put_offset(Fix *f, OperandId o, u32 value)
{
    const i32 offset = (i32)value;
    i64 min, max, step;
    isa_range(o, &min, &max, &step);
    if (offset < min || offset > max)
        complain(f, "%s does not reach '%s': %d bytes away, %lld to %lld are possible",
                 f->info->name, symbol_name(f), offset, (long long)min, (long long)max);
    else if (offset & 3)
        complain(f, "%s to '%s': the target is not a multiple of 4 bytes away", f->info->name,
                 symbol_name(f));
    else
        put_operand(f->at, o, offset);
}

/* what the field shall hold, given what it holds */
static u64 combine(const Fix *f, u64 held, u32 value)
{
    switch (f->info->value) {
    case VALUE_ADD: return held + value;
    case VALUE_SUB: return held - value;
    default: return value;
    }
}

static void put_word(Fix *f, u32 bytes, u32 value)
{
    store(f->at, combine(f, load(f->at, bytes), value), bytes);
}

/* The number keeps its length, so that SET and SUB may each wrap around in it. */
static void put_uleb(Fix *f, u32 value)
{
    u64 held = 0;
    u32 len = 0;
    while (len < f->room && f->at[len] & 0x80)
        len++;
    if (len++ == f->room || len > 9) {
        complain(f, "%s: the number does not end", f->info->name);
        return;
    }
    for (u32 i = len; i-- > 0;)
        held = held << 7 | (f->at[i] & 0x7f);
    held = combine(f, held, value);
    for (u32 i = 0; i < len; i++, held >>= 7)
        f->at[i] = (u8)((f->at[i] & 0x80) | (held & 0x7f));
}

static u32 field_bytes(u8 field)
{
    switch ((RelocField)field) {
    case FIELD_NONE: return 0;
    case FIELD_W6:
    case FIELD_W8:
    case FIELD_ULEB: return 1;
    case FIELD_W16: return 2;
    case FIELD_W64:
    case FIELD_CALL: return 8;
    case FIELD_W32:
    case FIELD_B:
    case FIELD_J:
    case FIELD_HI:
    case FIELD_LO_I:
    case FIELD_LO_S: return 4;
    }
    bug("relocation field %d", field);
}

static void put_field(Fix *f, u32 value)
{
    switch ((RelocField)f->info->field) {
    case FIELD_NONE: return;
    case FIELD_W6: *f->at = (u8)((*f->at & 0xc0) | (combine(f, *f->at, value) & 0x3f)); return;
    case FIELD_W8:
    case FIELD_W16:
    case FIELD_W32:
    case FIELD_W64: put_word(f, field_bytes(f->info->field), value); return;
    case FIELD_ULEB: put_uleb(f, value); return;
    case FIELD_B: put_offset(f, O_relB, value); return;
    case FIELD_J: put_offset(f, O_relJ, value); return;
    case FIELD_HI: put_operand(f->at, O_uimm20, upper(value)); return;
    case FIELD_LO_I: put_operand(f->at, O_imm12, lower(value)); return;
    case FIELD_LO_S: put_operand(f->at, O_st12, lower(value)); return;
    case FIELD_CALL:
        put_operand(f->at, O_uimm20, upper(value));
        put_operand(f->at + 4, O_imm12, lower(value));
        return;
    }
}

/* --- values -------------------------------------------------------------- */

/* Whether the place may refer to a section that was left out, as unwind and debug data may; it then
 * gets address 0. */
static bool may_dangle(const Fix *f)
{
    return !(f->section->flags & SHF_ALLOC) || !strcmp(f->section->name, ".eh_frame");
}

static bool address(Fix *f, u32 *value)
{
    switch (link_address(f->l, (SymbolRef){f->input, f->r->symbol}, f->r->addend, value)) {
    case ADDRESS_OK: return true;
    case ADDRESS_UNDEFINED:
        link_note_missing(f->l,
                          &(Missing){f->input, f->section, f->r->symbol, f->r->offset, f->pc});
        return false;
    case ADDRESS_DROPPED:
        *value = 0;
        if (!may_dangle(f))
            complain(f, "'%s' is in a section that is not part of the image", symbol_name(f));
        return may_dangle(f);
    }
    bug("address state");
}

SEARCH_BEFORE(reloc_is_below, ObjReloc, u32, e->offset < *key)

/* The relocation of a label's auipc; NULL: there is none. */
static const ObjReloc *find_hi(const ObjSection *s, u32 offset)
{
    size_t low = search_count(s->relocs, s->nrelocs, sizeof *s->relocs, reloc_is_below, &offset);
    for (; low < s->nrelocs && s->relocs[low].offset == offset; low++)
        if (s->relocs[low].type == R_RISCV_PCREL_HI20)
            return &s->relocs[low];
    return NULL;
}

/* The PCREL_HI20 at the label that the relocation names; NULL: there is none. */
static const ObjReloc *label_hi(const Fix *f, SymbolRef *label)
{
    if (f->r->symbol == OBJ_NO_SYMBOL ||
        !link_definition(f->l, (SymbolRef){f->input, f->r->symbol}, label))
        return NULL;
    const Object *o = f->l->in[label->input].o;
    const ObjSymbol *s = &o->symbols[label->symbol];
    return f->l->in[label->input].parts[s->section].live
               ? find_hi(&o->sections[s->section], s->value)
               : NULL;
}

/* A PCREL_LO12 names the label of an auipc; its value is the low part of what that
 * auipc's PCREL_HI20 computes, which is reported there if it is undefined. */
static bool label_value(Fix *f, u32 *value)
{
    SymbolRef label;
    u32 pc;
    const ObjReloc *hi = label_hi(f, &label);
    if (!hi)
        complain(f, "%s: no PCREL_HI20 at its label '%s'", f->info->name, symbol_name(f));
    else if (f->r->addend)
        complain(f, "%s: the label '%s' takes no addend", f->info->name, symbol_name(f));
    if (!hi || f->r->addend)
        return false;
    link_address(f->l, label, 0, &pc);
    if (link_address(f->l, (SymbolRef){label.input, hi->symbol}, hi->addend, value) != ADDRESS_OK)
        return false;
    *value -= pc;
    return true;
}

static bool value_of(Fix *f, u32 *value)
{
    switch ((RelocValue)f->info->value) {
    case VALUE_ABS:
    case VALUE_ADD:
    case VALUE_SUB: return address(f, value);
    case VALUE_PC:
        if (!address(f, value))
            return false;
        *value -= f->pc;
        return true;
    case VALUE_LABEL: return label_value(f, value);
    case VALUE_FOREIGN: complain(f, "%s is not supported", f->info->name); return false;
    case VALUE_NONE: return false;
    }
    bug("relocation value %d", f->info->value);
}

/* --- all of them --------------------------------------------------------- */

static void relocate(Fix *f)
{
    u32 value;
    f->info = reloc_info(f->r->type);
    if (!f->info)
        complain(f, "relocation %u is unknown", f->r->type);
    else if (field_bytes(f->info->field) > f->room)
        complain(f, "%s goes past the end of the section", f->info->name);
    else if (value_of(f, &value))
        put_field(f, value);
}

static void relocate_part(Link *l, u32 input, u32 section)
{
    Input *in = &l->in[input];
    const Part *p = &in->parts[section];
    const ObjSection *s = &in->o->sections[section];
    const u32 size = s->type == SHT_NOBITS ? 0 : cut_offset(p, s->size);
    for (size_t i = 0; p->live && i < s->nrelocs; i++) {
        const u32 offset = cut_offset(p, s->relocs[i].offset);
        Fix f = {.l = l,
                 .in = in,
                 .input = input,
                 .section = s,
                 .r = &s->relocs[i],
                 .pc = link_part_address(l, p) + offset};
        if (offset < size) {
            f.at = l->image->sections[p->out].data.data + p->offset + offset;
            f.room = size - offset;
        }
        relocate(&f);
    }
}

bool link_relocate(Link *l)
{
    for (u32 i = 0; i < l->n; i++)
        for (u32 k = 0; k < l->in[i].o->nsections; k++)
            relocate_part(l, i, k);
    link_tell_missing(l);
    return true;
}
