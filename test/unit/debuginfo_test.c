/* debuginfo_test.c -- a debugger reads in the object what the compiler knew.
 *
 * Functions, types, scopes and variables at random, and words as expand.c leaves them: with places
 * in the source and notes between them.  A small reader of DWARF 4, which shares nothing with what
 * writes it, prints what the sections say: types, the tree of scopes with their ranges, and at
 * every word the place in the source and the bytes of each variable, for which it evaluates
 * expressions with registers and memory that are given.  The same text is made of the module.
 */
#include "test/kit/guard.h"
#include "test/kit/leftover.h"
#include "test/kit/objects.h"
#include "base/mem.h"
#include "cc/code.h"

enum {
    PROGRAMS = 150,
    FEW = 20, /* with guarded memory */
    FUNCTIONS = 3,
    DEPTH = 3,          /* how far types are followed */
    BASE = 0x100000,    /* section k begins at BASE * (k + 1), for who refers to it */
    FUNCTION_AT = 0x400 /* function k at FUNCTION_AT * (k + 1) */
};

/* DWARF 4, section 7.5: tags, attributes, forms */
enum {
    TAG_array = 0x01,
    TAG_parameter = 0x05,
    TAG_block = 0x0b,
    TAG_member = 0x0d,
    TAG_pointer = 0x0f,
    TAG_unit = 0x11,
    TAG_struct = 0x13,
    TAG_typedef = 0x16,
    TAG_union = 0x17,
    TAG_inlined = 0x1d,
    TAG_subrange = 0x21,
    TAG_base = 0x24,
    TAG_function = 0x2e,
    TAG_variable = 0x34
};
enum {
    AT_location = 0x02,
    AT_name = 0x03,
    AT_byte_size = 0x0b,
    AT_stmt_list = 0x10,
    AT_low_pc = 0x11,
    AT_high_pc = 0x12,
    AT_language = 0x13,
    AT_inline = 0x20,
    AT_producer = 0x25,
    AT_origin = 0x31,
    AT_count = 0x37,
    AT_member_at = 0x38,
    AT_file = 0x3a,
    AT_line = 0x3b,
    AT_encoding = 0x3e,
    AT_type = 0x49,
    AT_ranges = 0x55,
    AT_call_column = 0x57,
    AT_call_file = 0x58,
    AT_call_line = 0x59,
    AT_vector = 0x2107
};
enum {
    FORM_addr = 0x01,
    FORM_data2 = 0x05,
    FORM_data4 = 0x06,
    FORM_string = 0x08,
    FORM_data1 = 0x0b,
    FORM_udata = 0x0f,
    FORM_ref4 = 0x13,
    FORM_sec_offset = 0x17,
    FORM_exprloc = 0x18,
    FORM_present = 0x19
};

/* --- bytes ------------------------------------------------------------------------------------ */

typedef struct {
    const u8 *p, *end;
} Bytes;

static u32 number(Bytes *b, u32 bytes)
{
    u32 n = 0;
    assert_true(b->end - b->p >= (ptrdiff_t)bytes);
    for (u32 k = 0; k < bytes; k++)
        n |= (u32)*b->p++ << 8 * k;
    return n;
}

static u32 leb(Bytes *b, bool has_sign)
{
    u64 n = 0;
    u32 at = 0, byte;
    do {
        byte = number(b, 1);
        n |= (u64)(byte & 0x7f) << at;
        at += 7;
    } while (byte & 0x80);
    return (u32)(has_sign && byte & 0x40 ? n - ((u64)1 << at) : n);
}

static const char *text(Bytes *b)
{
    const char *s = (const char *)b->p;
    const u8 *zero = memchr(b->p, 0, (size_t)(b->end - b->p));
    assert_non_null(zero);
    b->p = zero + 1;
    return s;
}

/* A length of all that follows. */
static void check_length(Bytes *b)
{
    const u32 length = number(b, 4);
    assert_int_equal(length, b->end - b->p);
}

/* The bytes of a section, with what relocations put there. */
static Bytes section(const Object *o, const char *name)
{
    const i32 at = obj_find_section(o, name);
    assert_true(at >= 0);
    const ObjSection *s = &o->sections[at];
    assert_int_equal(s->size, s->data.len);
    for (size_t k = 0; k < s->nrelocs; k++) {
        const ObjReloc *r = &s->relocs[k];
        const ObjSymbol *to = &o->symbols[r->symbol];
        const u32 value =
            (to->type == STT_SECTION ? BASE * ((u32)to->section + 1) : to->value) + (u32)r->addend;
        assert_int_equal(r->type, R_RISCV_32);
        for (u32 n = 0; n < 4; n++)
            s->data.data[r->offset + n] = (u8)(value >> 8 * n);
    }
    return (Bytes){s->data.data, s->data.data + s->data.len};
}

static Bytes section_from(const Object *o, const char *name, u32 reference)
{
    Bytes b = section(o, name);
    const u32 base = BASE * ((u32)obj_find_section(o, name) + 1);
    assert_true(reference >= base && reference - base < (u32)(b.end - b.p));
    b.p += reference - base;
    return b;
}

/* --- the program ------------------------------------------------------------------------------ */

enum { WORDS = 60, LOCS = 20, SCOPES = 7, TYPES = 16, VARIABLES = 6, NOTES = 30 };

typedef struct {
    Module *m;
    Code code[FUNCTIONS];
    u32 symbol[2 * FUNCTIONS]; /* of the object, for each of the module */
    Object *o;
    u32 random;
} Program;

static u32 pick(Program *p, u32 n)
{
    p->random = p->random * 1664525 + 1013904223;
    return (u32)((u64)p->random * n >> 32);
}

static const char *name_of(Program *p, const char *what, u32 n)
{
    char s[40];
    snprintf(s, sizeof s, "%s%u", what, n);
    return ir_strdup(p->m, s);
}

static SourceType some_type(Program *p, u32 number)
{
    Module *m = p->m;
    const u32 kind = number == 1 ? TYPE_BASE : pick(p, 7),
              earlier = 1 + pick(p, number - 1 ? number - 1 : 1);
    SourceType t = {.kind = (u8)kind,
                    .name = name_of(p, "t", number),
                    .size = 1 + pick(p, 20),
                    .of = 1 + pick(p, TYPES - 1)};
    if (kind == TYPE_BASE)
        t.encoding = (u8)(1 + pick(p, 8)), t.size = 1u << pick(p, 4), t.of = 0;
    if (kind == TYPE_POINTER && !pick(p, 3))
        t.of = 0;
    if (kind == TYPE_NAME)
        t.of = earlier;
    if (kind == TYPE_ARRAY || kind == TYPE_VECTOR)
        t.count = 1 + pick(p, 300);
    if (kind != TYPE_STRUCT && kind != TYPE_UNION)
        return t;
    t.of = (u32)m->nmember;
    t.size += 128 * pick(p, 2);
    for (t.count = pick(p, 4); m->nmember < t.of + t.count;)
        if (ir_grow(m, m->member, m->nmember, m->capmember))
            m->member[m->nmember++] =
                (SourceMember){name_of(p, "m", number), 1 + pick(p, TYPES - 1), pick(p, 200)};
    return t;
}

static void add_sources(Program *p)
{
    Module *m = p->m;
    for (u32 k = 0; k < 3; k++)
        ir_file(m, name_of(p, "file", k));
    assert_true(ir_grow(m, m->type, TYPES, m->captype));
    for (m->ntype = 1; m->ntype < TYPES; m->ntype++)
        if (ir_grow(m, m->type, m->ntype, m->captype))
            m->type[m->ntype] = some_type(p, m->ntype);
    for (u32 k = 0; k < LOCS; k++) {
        const u32 line = pick(p, 5) ? 1 + pick(p, 300) : 0;
        ir_loc(m, (Loc){pick(p, 3), line, pick(p, 200), k < 4 ? 0 : pick(p, (u32)m->nscope + 1),
                        pick(p, 8) ? 0 : pick(p, 5)});
        if (k >= 4 && m->nscope < SCOPES)
            ir_scope(m, (SourceScope){pick(p, 2) ? name_of(p, "inlined", pick(p, 3)) : NULL,
                                      pick(p, (u32)m->nloc), pick(p, (u32)m->nscope + 1)});
    }
}

static u32 size_of_type(const Module *m, u32 type)
{
    const SourceType *t = &m->type[type];
    return t->kind == TYPE_NAME ? size_of_type(m, t->of) : t->kind == TYPE_POINTER ? 4 : t->size;
}

static void add_part(Func *f, SourcePart what)
{
    for (size_t k = 0; k < f->npart; k++)
        if (!memcmp(&f->part[k], &what, sizeof what))
            return;
    if (ir_grow(f->module, f->part, f->npart, f->cappart))
        f->part[f->npart++] = what;
}

/* bytes from 0 on or not, some of them twice, in any order */
static void add_parts(Program *p, Func *f, u32 variable)
{
    const u32 size = size_of_type(f->module, f->variable[variable].type), first = (u32)f->npart;
    for (u32 at = 0, n; at < size; at += n) {
        n = 1u << pick(p, 3);
        n = n > size - at ? size - at : n;
        if (pick(p, 5))
            add_part(f, (SourcePart){variable, at, n});
        if (n > 1 && !pick(p, 8))
            add_part(f, (SourcePart){variable, at + 1, 1});
    }
    for (u32 k = first; k < f->npart; k++) {
        const u32 other = first + pick(p, (u32)f->npart - first);
        const SourcePart was = f->part[k];
        f->part[k] = f->part[other];
        f->part[other] = was;
    }
}

static void add_variable(Program *p, Func *f)
{
    const u32 where = pick(p, 6);
    SourceVariable v = {.name = name_of(p, "v", (u32)f->nvariable),
                        .type = 1 + pick(p, TYPES - 1),
                        .slot = NO_SLOT,
                        .file = pick(p, 3),
                        .line = pick(p, 300),
                        .scope = pick(p, 2) ? 0 : pick(p, SCOPES + 1),
                        .is_parameter = pick(p, 2)};
    if (where == 0)
        v.slot = pick(p, (u32)f->nslot);
    else if (where == 1)
        v.slot = pick(p, 1000), v.is_local = true;
    if (!ir_grow(f->module, f->variable, f->nvariable, f->capvariable))
        return;
    f->variable[f->nvariable++] = v;
    if (where > 1)
        add_parts(p, f, (u32)f->nvariable - 1);
}

static u32 some_register(Program *p)
{
    return pick(p, 2) ? pick(p, NXREG) : V0 + pick(p, pick(p, 2) ? 32 : NVREG);
}

static void add_note(Program *p, Func *f)
{
    Note n = {.part = pick(p, (u32)f->npart), .kind = (u8)(pick(p, 2) ? 0 : pick(p, 4))};
    if (pick(p, 3) == 0)
        n.plus = (i32)(pick(p, 2) ? pick(p, 100) : -pick(p, 1u << 20));
    if (pick(p, 3) == 0)
        n.bits = (u8)(1 + pick(p, 31)), n.is_signed = pick(p, 2);
    if (n.kind == NOTE_IS)
        n.is = pick(p, 8) ? ref_reg(some_register(p)) : ref_none();
    else
        n.is = ref_con(n.kind == NOTE_SCALAR_WORD ? 4 * pick(p, 500) - 1000 : 4 * pick(p, 500));
    if (n.kind == NOTE_IS && !pick(p, 4))
        n = (Note){.part = n.part, .is = ref_con(pick(p, 0xffffffff))};
    ir_note(f, n);
}

static void add_words(Program *p, Code *c)
{
    const u32 n = 3 + pick(p, WORDS - 3);
    c->word = ir_alloc(p->m, n * sizeof *c->word);
    u32 loc = 0;
    for (; c->n < n; c->n++) {
        Word *w = &c->word[c->n];
        loc = pick(p, 3) ? loc : pick(p, (u32)p->m->nloc);
        *w = (Word){.at = c->size, .loc = pick(p, 8) ? loc : 0};
        const u32 what = pick(p, 8);
        if (what == 0 || (what < 4 && !c->f->nnote))
            w->fix = FIX_LABEL;
        else if (what < 4)
            w->fix = FIX_NOTE, w->to = pick(p, (u32)c->f->nnote);
        else
            c->size += pick(p, 4) ? 4 : 8;
    }
}

static void add_function(Program *p, u32 k)
{
    Func *f = ir_func(p->m, name_of(p, "f", k), pick(p, 2));
    f->has_calls = pick(p, 3) == 0;
    f->frame_private = 16 * pick(p, 300);
    f->frame_scalar = 4 * pick(p, 30);
    f->nresults = pick(p, 4);
    f->type = pick(p, 2) ? pick(p, TYPES) : 0;
    for (u32 n = 0; n < 3; n++) {
        ir_slot(f, 4, 4);
        f->slot[n].offset = 4 * pick(p, 500);
    }
    for (u32 n = pick(p, VARIABLES); n-- > 0;)
        add_variable(p, f);
    for (u32 n = 0; n < NOTES && f->npart; n++)
        add_note(p, f);
    p->code[k] = (Code){.f = f};
    add_words(p, &p->code[k]);
    p->symbol[f->symbol] =
        (u32)obj_add_symbol(p->o, f->name, OBJ_UNDEF, FUNCTION_AT * (k + 1), STB_GLOBAL, STT_FUNC);
}

static Program make_program(u32 seed)
{
    Program p = {
        .random = seed * 2654435761u, .m = ir_module("t.cl", target_find(0)), .o = obj_new("t.o")};
    add_sources(&p);
    for (u32 k = 0; k < FUNCTIONS; k++)
        add_function(&p, k);
    assert_true(lines(p.m, p.code, p.symbol, p.o));
    assert_false(p.m->failed);
    return p;
}

/* --- entries ---------------------------------------------------------------------------------- */

typedef struct {
    u32 attribute, value; /* of texts and expressions their length */
    const u8 *bytes;
} Attribute;

typedef struct {
    u32 tag, offset, nattr;
    Attribute attr[8];
    u32 next; /* the first entry that is not in this one */
} Entry;

typedef struct {
    Object *o;
    Entry *entry;
    u32 n;
} Entries;

static Attribute read_attribute(Bytes *b, u32 attribute, u32 form)
{
    Attribute a = {attribute, 0, b->p};
    switch (form) {
    case FORM_addr:
    case FORM_data4:
    case FORM_ref4:
    case FORM_sec_offset: a.value = number(b, 4); break;
    case FORM_data2: a.value = number(b, 2); break;
    case FORM_data1: a.value = number(b, 1); break;
    case FORM_udata: a.value = leb(b, false); break;
    case FORM_present: a.value = 1; break;
    case FORM_string: a.value = (u32)strlen(text(b)); break;
    case FORM_exprloc:
        a.value = leb(b, false);
        a.bytes = b->p;
        b->p += a.value;
        break;
    default: fail_msg("form %x of attribute %x", form, attribute);
    }
    return a;
}

/* the entry that begins at b and those in it */
static bool read_entry(Entries *e, Bytes *b, const u8 *unit)
{
    const u32 at = (u32)(b->p - unit), code = leb(b, false);
    Bytes abbrev = section(e->o, ".debug_abbrev");
    if (!code)
        return false;
    Entry x = {.offset = at};
    for (u32 found = 0; found != code;) {
        assert_true(abbrev.p < abbrev.end);
        found = leb(&abbrev, false);
        x.tag = leb(&abbrev, false);
        x.next = number(&abbrev, 1); /* DW_CHILDREN_no or _yes */
        assert_in_range(x.next, 0, 1);
        x.nattr = 0;
        for (u32 a, form; a = leb(&abbrev, false), form = leb(&abbrev, false), a || form; x.nattr++)
            if (found == code)
                x.attr[x.nattr] = read_attribute(b, a, form);
    }
    const u32 number = e->n++;
    const bool has_children = x.next;
    e->entry[number] = x;
    while (has_children && read_entry(e, b, unit))
        ;
    e->entry[number].next = e->n;
    return true;
}

static const Attribute *find(const Entry *x, u32 attribute)
{
    for (u32 k = 0; k < x->nattr; k++)
        if (x->attr[k].attribute == attribute)
            return &x->attr[k];
    return NULL;
}

static u32 value(const Entry *x, u32 attribute)
{
    const Attribute *a = find(x, attribute);
    if (!a)
        fail_msg("tag %x has no attribute %x", x->tag, attribute);
    return a ? a->value : 0;
}

static const char *name(const Entry *x)
{
    const Attribute *a = find(x, AT_name);
    return a ? (const char *)a->bytes : "?";
}

static const Entry *at_offset(const Entries *e, u32 offset)
{
    for (u32 k = 0; k < e->n; k++)
        if (e->entry[k].offset == offset)
            return &e->entry[k];
    fail_msg("there is no entry at %u", offset);
    return NULL;
}

/* --- types ------------------------------------------------------------------------------------ */

static void print_type(Buf *to, const Entries *e, const Entry *x, u32 depth);

static void print_of(Buf *to, const Entries *e, const Entry *x, u32 depth)
{
    if (find(x, AT_type) && depth)
        print_type(to, e, at_offset(e, value(x, AT_type)), depth - 1);
    buf_str(to, find(x, AT_type) ? "." : "void");
}

static void print_type(Buf *to, const Entries *e, const Entry *x, u32 depth)
{
    const Entry *end = &e->entry[x->next];
    switch (x->tag) {
    case TAG_base:
        buf_printf(to, "base %s %u %u", name(x), value(x, AT_encoding), value(x, AT_byte_size));
        break;
    case TAG_pointer:
        buf_printf(to, "%u bytes to ", value(x, AT_byte_size));
        print_of(to, e, x, depth);
        break;
    case TAG_typedef:
        buf_printf(to, "%s: ", name(x));
        print_of(to, e, x, depth);
        break;
    case TAG_struct:
    case TAG_union:
        buf_printf(to, "%s %s %u {", x->tag == TAG_union ? "union" : "struct", name(x),
                   value(x, AT_byte_size));
        for (const Entry *m = x + 1; m < end; m++) {
            assert_int_equal(m->tag, TAG_member);
            buf_printf(to, " %u %s ", value(m, AT_member_at), name(m));
            print_of(to, e, m, depth);
        }
        buf_str(to, "}");
        break;
    case TAG_array:
        assert_int_equal(x[1].tag, TAG_subrange);
        assert_ptr_equal(x + 2, end);
        buf_printf(to, "%u of %u bytes %u ", value(x + 1, AT_count),
                   find(x, AT_vector) ? value(x, AT_byte_size) : 0, find(x, AT_vector) != NULL);
        print_of(to, e, x, depth);
        break;
    default: fail_msg("tag %x is no type", x->tag);
    }
}

static void model_type(Buf *to, const Module *m, u32 type, u32 depth);

static void model_of(Buf *to, const Module *m, u32 type, u32 depth)
{
    if (type && depth)
        model_type(to, m, type, depth - 1);
    buf_str(to, type ? "." : "void");
}

static void model_type(Buf *to, const Module *m, u32 type, u32 depth)
{
    const SourceType *t = &m->type[type];
    switch ((SourceTypeKind)t->kind) {
    case TYPE_BASE: buf_printf(to, "base %s %u %u", t->name, t->encoding, t->size); return;
    case TYPE_POINTER: buf_str(to, "4 bytes to "); break;
    case TYPE_NAME: buf_printf(to, "%s: ", t->name); break;
    case TYPE_STRUCT:
    case TYPE_UNION:
        buf_printf(to, "%s %s %u {", t->kind == TYPE_UNION ? "union" : "struct", t->name, t->size);
        for (u32 k = t->of; k < t->of + t->count; k++) {
            buf_printf(to, " %u %s ", m->member[k].offset, m->member[k].name);
            model_of(to, m, m->member[k].type, depth);
        }
        buf_str(to, "}");
        return;
    case TYPE_ARRAY: buf_printf(to, "%u of 0 bytes 0 ", t->count); break;
    case TYPE_VECTOR: buf_printf(to, "%u of %u bytes 1 ", t->count, t->size); break;
    }
    model_of(to, m, t->of, depth);
}

/* --- where variables are ---------------------------------------------------------------------- */

/* Registers and memory hold numbers that say where they are from. */
static u32 contents(u32 place) { return (place + 1) * 2654435761u ^ place >> 3; }
static u32 register_value(u32 reg) { return contents(0xabcd0000u + reg); }

/* doc/debugging.md: registers of a lane are at 0xf00000, v0 4 KiB later, 4 KiB after it the address
 * of the metadata block */
static u32 memory(u32 address)
{
    const u32 x = (address - 0xf00000) / 4, v = (address - 0xf01000) / 4;
    if (address == 0xf02000)
        return 0x50000000;
    return x < NXREG ? register_value(x) : v < NVREG ? register_value(V0 + v) : contents(address);
}

/* the psABI's number of a register: x0 to x31 are 0 to 31, v0 to v31 are 96 to 127 */
static u32 numbered_register(u32 number)
{
    assert_true(number < 32 || (number >= 96 && number < 128));
    return register_value(number < 32 ? number : V0 + number - 96);
}

enum { BYTES = 400 };

/* Bytes of a variable; those that are known. */
typedef struct {
    u8 byte[BYTES];
    bool known[BYTES];
} Contents;

static void set_bytes(Contents *c, u32 at, u32 n, u32 value)
{
    assert_true(n <= 4);
    for (u32 k = 0; k < n; k++) {
        c->byte[at + k] = (u8)(value >> 8 * k);
        c->known[at + k] = true;
    }
}

typedef enum { NOTHING, ADDRESS, REGISTER, NUMBER } Found;

/* Takes one operation but pieces; what is known after it. */
static Found evaluate_one(Bytes *b, u32 op, u32 *stack, u32 *n)
{
    assert_true(*n < 6);
    u32 *top = stack + *n - 1;
    switch (op) {
    case 0x06: *top = memory(*top); return ADDRESS;
    case 0x0c: stack[(*n)++] = number(b, 4); return ADDRESS;
    case 0x1a: top[-1] &= *top; break;
    case 0x22: top[-1] += *top; break;
    case 0x23: *top += leb(b, false); return ADDRESS;
    case 0x24: top[-1] <<= *top; break;
    case 0x26: top[-1] = (u32)((i32)top[-1] >> *top); break;
    case 0x90: stack[(*n)++] = numbered_register(leb(b, false)); return REGISTER;
    case 0x92: {
        const u32 reg = leb(b, false);
        stack[(*n)++] = numbered_register(reg) + leb(b, true);
        return ADDRESS;
    }
    case 0x9f: return NUMBER;
    default:
        if (op >= 0x30 && op < 0x50)
            stack[(*n)++] = op - 0x30;
        else if (op >= 0x70 && op < 0x90)
            stack[(*n)++] = register_value(op - 0x70) + leb(b, true);
        else
            fail_msg("operation %x", op);
        return ADDRESS;
    }
    --*n;
    return ADDRESS;
}

static Contents evaluate(Bytes b, u32 size)
{
    Contents c = {0};
    u32 stack[8], n = 0, at = 0;
    Found found = NOTHING;
    while (b.p < b.end) {
        const u32 op = number(&b, 1), bytes = op == 0x93 ? leb(&b, false) : size;
        if (op != 0x93) {
            found = evaluate_one(&b, op, stack, &n);
            if (b.p < b.end)
                continue;
            assert_int_equal(at, 0);
        }
        if (found != NOTHING) {
            assert_int_equal(n, 1);
            set_bytes(&c, at, bytes, found == ADDRESS ? memory(stack[0]) : stack[0]);
        }
        at += bytes;
        n = 0;
        found = NOTHING;
    }
    assert_true(at <= size);
    return c;
}

/* The list of places that is in force at byte `at`; no entry is empty or says what the one before
 * it says. */
static Bytes place_at(Bytes list, u32 function, u32 at)
{
    Bytes found = {0}, last = {0};
    u32 last_to = UINT32_MAX, entries = 0;
    assert_int_equal(number(&list, 4), UINT32_MAX);
    assert_int_equal(number(&list, 4), function);
    for (;; entries++) {
        const u32 from = number(&list, 4), to = number(&list, 4);
        if (!from && !to)
            break;
        const u32 n = number(&list, 2);
        const Bytes b = {list.p, list.p + n};
        list.p += n;
        assert_true(from < to && (last_to == UINT32_MAX || last_to <= from));
        assert_false(last_to == from && last.end - last.p == (ptrdiff_t)n &&
                     !memcmp(last.p, b.p, n));
        if (from <= at && at < to)
            found = b;
        last = b;
        last_to = to;
    }
    assert_true(entries);
    return found;
}

static void print_contents(Buf *to, const Contents *c, u32 size)
{
    for (u32 k = 0; k < size; k++)
        if (c->known[k])
            buf_printf(to, "%02x", c->byte[k]);
        else
            buf_str(to, "--");
    buf_str(to, " ");
}

static void print_variable(Buf *to, const Entries *e, const Entry *x, const Code *c, u32 function,
                           u32 size)
{
    const Attribute *at = find(x, AT_location);
    buf_printf(to, "%s %s %u:%u ", x->tag == TAG_parameter ? "parameter" : "variable", name(x),
               value(x, AT_file), value(x, AT_line));
    print_type(to, e, at_offset(e, value(x, AT_type)), DEPTH);
    if (!at) {
        buf_str(to, " gone\n");
        return;
    }
    const Bytes b = {at->bytes, at->bytes + at->value};
    if (b.p != b.end && *b.p >= 0x0c && at->bytes == b.p && size == UINT32_MAX) {
        Bytes left = b;
        u32 stack[8], n = 0;
        assert_int_equal(evaluate_one(&left, number(&left, 1), stack, &n), ADDRESS);
        assert_ptr_equal(left.p, left.end);
        buf_printf(to, " at %x\n", stack[0]);
        return;
    }
    buf_str(to, " ");
    for (u32 k = 0; k < c->size; k += 4) {
        const Contents now =
            evaluate(place_at(section_from(e->o, ".debug_loc", at->value), function, k), size);
        print_contents(to, &now, size);
    }
    buf_str(to, "\n");
}

/* what the notes say, up to byte `at` */
static u32 model_number(const Func *f, const Note *n)
{
    const u32 frame = f->has_calls || !f->is_kernel
                          ? register_value(f->module->target->tp) - f->frame_private
                          : 0;
    u32 x = n->is.val;
    switch ((NoteKind)n->kind) {
    case NOTE_IS: x = n->is.kind == R_REG ? register_value(x) : x; break;
    case NOTE_SCALAR_WORD: x = memory(register_value(2) + x); break;
    case NOTE_PRIVATE_WORD: x = memory(frame + x); break;
    case NOTE_ARGUMENT: x = memory(memory(0x50000000 + 4 * KNL_ARGS) + x); break;
    }
    x += (u32)n->plus;
    if (!n->bits)
        return x;
    const u32 low = x & (((u32)1 << n->bits) - 1);
    return n->is_signed && low >> (n->bits - 1) ? low - ((u32)1 << n->bits) : low;
}

static const Note *note_at(const Code *c, u32 part, u32 at)
{
    const Note *now = NULL;
    for (size_t i = 0; i < c->n && c->word[i].at <= at; i++) {
        const Word *w = &c->word[i];
        if (w->fix == FIX_LABEL)
            now = NULL;
        else if (w->fix == FIX_NOTE && c->f->note[w->to].part == part)
            now = &c->f->note[w->to];
    }
    return now && (now->kind != NOTE_IS || now->is.kind != R_NONE) ? now : NULL;
}

/* Parts are shown from the first byte on; one that begins in another that is shown is not. */
static Contents model_contents(const Code *c, u32 variable, u32 at)
{
    Contents to = {0};
    const Func *f = c->f;
    for (u32 byte = 0, end = 0; byte < BYTES; byte++)
        for (u32 k = 0; k < f->npart; k++) {
            const SourcePart *p = &f->part[k];
            const Note *n =
                p->variable == variable && p->at == byte && byte >= end ? note_at(c, k, at) : NULL;
            if (!n)
                continue;
            set_bytes(&to, byte, p->size, model_number(f, n));
            end = byte + p->size;
        }
    return to;
}

static void model_variable(Buf *to, const Code *c, u32 variable)
{
    const Func *f = c->f;
    const SourceVariable *v = &f->variable[variable];
    const u32 size = size_of_type(f->module, v->type);
    const bool moves = f->has_calls || !f->is_kernel;
    buf_printf(to, "%s %s %u:%u ", v->is_parameter ? "parameter" : "variable", v->name, v->file + 1,
               v->line);
    model_type(to, f->module, v->type, DEPTH);
    if (v->slot != NO_SLOT) {
        const u32 frame = moves ? register_value(f->module->target->tp) - f->frame_private : 0;
        buf_printf(to, " at %x\n",
                   v->is_local ? register_value(f->module->target->local_base) + v->slot
                               : frame + f->slot[v->slot].offset);
        return;
    }
    bool any = false;
    const size_t start = to->len;
    buf_str(to, " ");
    for (u32 k = 0; k < c->size; k += 4) {
        const Contents now = model_contents(c, variable, k);
        for (u32 n = 0; n < size; n++)
            any |= now.known[n];
        print_contents(to, &now, size);
    }
    if (!any) {
        to->len = start;
        buf_str(to, " gone");
    }
    buf_str(to, "\n");
}

/* --- scopes ----------------------------------------------------------------------------------- */

static void print_ranges(Buf *to, const Entries *e, const Entry *x, u32 function)
{
    Bytes b = section_from(e->o, ".debug_ranges", value(x, AT_ranges));
    assert_int_equal(number(&b, 4), UINT32_MAX);
    assert_int_equal(number(&b, 4), function);
    for (u32 from, end; from = number(&b, 4), end = number(&b, 4), from || end;)
        buf_printf(to, " %u-%u", from, end);
    buf_str(to, "\n");
}

/* the variable of that name, and its bytes; UINT32_MAX: it is in memory all the time */
static u32 size_of_variable(const Func *f, const char *name)
{
    for (size_t v = 0; v < f->nvariable; v++)
        if (!strcmp(f->variable[v].name, name))
            return f->variable[v].slot == NO_SLOT ? size_of_type(f->module, f->variable[v].type)
                                                  : UINT32_MAX;
    fail_msg("there is no %s", name);
    return 0;
}

static void print_children(Buf *to, const Entries *e, const Entry *x, const Code *c, u32 function)
{
    for (const Entry *k = x + 1; k < &e->entry[x->next]; k = &e->entry[k->next]) {
        if (k->tag == TAG_variable || k->tag == TAG_parameter) {
            print_variable(to, e, k, c, function, size_of_variable(c->f, name(k)));
            continue;
        }
        if (k->tag == TAG_inlined) {
            const Entry *origin = at_offset(e, value(k, AT_origin));
            assert_int_equal(value(origin, AT_inline), 1);
            buf_printf(to, "call of %s at %u:%u:%u", name(origin), value(k, AT_call_file),
                       value(k, AT_call_line), value(k, AT_call_column));
        } else {
            assert_int_equal(k->tag, TAG_block);
            buf_str(to, "block");
        }
        print_ranges(to, e, k, function);
        print_children(to, e, k, c, function);
        buf_str(to, "end\n");
    }
}

static void print_function(Buf *to, const Entries *e, const Entry *x, const Code *c)
{
    const u32 at = value(x, AT_low_pc);
    buf_printf(to, "function %s at %x, %u bytes", name(x), at, value(x, AT_high_pc));
    if (find(x, AT_type)) {
        buf_str(to, ", ");
        print_type(to, e, at_offset(e, value(x, AT_type)), DEPTH);
    }
    buf_str(to, "\n");
    print_children(to, e, x, c, at);
}

static u32 scope_of_byte(const Code *c, u32 at)
{
    u32 scope = 0;
    for (size_t i = 0; i < c->n && c->word[i].at <= at; i++)
        if (c->word[i].fix == FIX_NONE && c->word[i].loc)
            scope = c->f->module->loc[c->word[i].loc].scope;
    return scope;
}

/* The scope that is shown for it: calls, and blocks that have variables. */
static u32 shown(const Func *f, u32 scope)
{
    for (; scope; scope = f->module->scope[scope - 1].parent) {
        if (f->module->scope[scope - 1].function)
            return scope;
        for (size_t v = 0; v < f->nvariable; v++)
            if (f->variable[v].scope == scope)
                return scope;
    }
    return 0;
}

static u32 outer(const Func *f, u32 scope) { return shown(f, f->module->scope[scope - 1].parent); }

static bool covers(const Code *c, u32 scope, u32 at)
{
    u32 s = shown(c->f, scope_of_byte(c, at));
    while (s && s != scope)
        s = outer(c->f, s);
    return s == scope;
}

static void model_children(Buf *to, const Code *c, u32 scope);

static void model_scope(Buf *to, const Code *c, u32 scope)
{
    const Module *m = c->f->module;
    const SourceScope *s = &m->scope[scope - 1];
    const Loc *l = &m->loc[s->loc];
    if (s->function)
        buf_printf(to, "call of %s at %u:%u:%u", s->function, l->file + 1, l->line, l->column);
    else
        buf_str(to, "block");
    for (u32 at = 0; at < c->size; at += 4) {
        if (!covers(c, scope, at))
            continue;
        const u32 from = at;
        while (at < c->size && covers(c, scope, at))
            at += 4;
        buf_printf(to, " %u-%u", from, at);
    }
    buf_str(to, "\n");
    model_children(to, c, scope);
    buf_str(to, "end\n");
}

/* variables, then the scopes in this one in the order of their first bytes */
static void model_children(Buf *to, const Code *c, u32 scope)
{
    bool done[SCOPES + 1] = {false};
    for (u32 v = 0; v < c->f->nvariable; v++)
        if (c->f->variable[v].scope == scope)
            model_variable(to, c, v);
    for (u32 at = 0; at < c->size; at += 4)
        for (u32 s = shown(c->f, scope_of_byte(c, at)); s; s = outer(c->f, s))
            if (outer(c->f, s) == scope && !done[s]) {
                done[s] = true;
                model_scope(to, c, s);
            }
}

/* A result is shown if it is in registers as it would be in memory: at most two words, all
 * there. */
static void model_function(Buf *to, const Code *c, u32 number)
{
    const Func *f = c->f;
    const u32 size = f->type ? size_of_type(f->module, f->type) : 0;
    buf_printf(to, "function %s at %x, %u bytes", f->name, FUNCTION_AT * (number + 1), c->size);
    if (size && size <= 8 && (size + 3) / 4 == f->nresults) {
        buf_str(to, ", ");
        model_type(to, f->module, f->type, DEPTH);
    }
    buf_str(to, "\n");
    model_children(to, c, 0);
}

/* --- tests ------------------------------------------------------------------------------------ */

static void same_text(Buf *is, Buf *wanted)
{
    if (is->len != wanted->len || memcmp(is->data, wanted->data, is->len))
        fail_msg("%s\nshould be\n%s", buf_text(is), buf_text(wanted));
    buf_free(is);
    buf_free(wanted);
}

static Entries read_entries(Object *o)
{
    Bytes b = section(o, ".debug_info");
    const u8 *unit = b.p;
    Entries e = {.o = o, .entry = mem_zalloc((size_t)(b.end - b.p), sizeof *e.entry)};
    assert_non_null(e.entry);
    check_length(&b);
    assert_int_equal(number(&b, 2), 4);
    assert_int_equal(number(&b, 4), BASE * ((u32)obj_find_section(o, ".debug_abbrev") + 1));
    assert_int_equal(number(&b, 1), 4);
    assert_true(read_entry(&e, &b, unit));
    assert_ptr_equal(b.p, b.end);
    return e;
}

static void check_unit(const Program *p, const Entry *unit)
{
    assert_int_equal(unit->tag, TAG_unit);
    assert_string_equal(name(unit), "t.cl");
    assert_int_equal(value(unit, AT_language), 0x15); /* OpenCL C, of LLVM's list */
    assert_string_equal((const char *)find(unit, AT_producer)->bytes, "ventus cc");
    assert_int_equal(value(unit, AT_stmt_list),
                     BASE * ((u32)obj_find_section(p->o, ".debug_line") + 1));
}

/* all entries of the unit: functions that were inlined, each once, types, functions */
static void entries(void **state)
{
    (void)state;
    for (u32 seed = 1; seed <= PROGRAMS; seed++) {
        guard_few(seed, FEW);
        Program p = make_program(seed);
        Entries e = read_entries(p.o);
        Buf is = {0}, wanted = {0};
        u32 type = 1, function = 0, inlined = 0, names = 0;
        check_unit(&p, &e.entry[0]);
        for (u32 k = 1; k < e.n; k = e.entry[k].next) {
            const Entry *x = &e.entry[k];
            if (x->tag == TAG_function && find(x, AT_inline)) {
                inlined++;
                continue;
            }
            if (x->tag == TAG_function) {
                print_function(&is, &e, x, &p.code[function]);
                model_function(&wanted, &p.code[function], function);
                function++;
            } else {
                print_type(&is, &e, x, DEPTH);
                model_type(&wanted, p.m, type++, DEPTH);
            }
            same_text(&is, &wanted);
        }
        for (size_t k = 0; k < p.m->nscope; k++) {
            bool is_new = p.m->scope[k].function;
            for (size_t j = 0; j < k && is_new; j++)
                is_new = !p.m->scope[j].function ||
                         strcmp(p.m->scope[j].function, p.m->scope[k].function) != 0;
            names += is_new;
        }
        assert_int_equal(inlined, names);
        assert_int_equal(function, FUNCTIONS);
        assert_int_equal(type, p.m->ntype);
        mem_free(e.entry);
        obj_free(p.o);
        ir_free(p.m);
        guard_end();
    }
}

/* Rows of a line program (DWARF 4, 6.2). */
typedef struct {
    u32 at, file, line, column, isa;
} Row;

/* the rows of one sequence; the last is its end */
static u32 read_rows(Bytes *b, Row *row)
{
    Row now = {0, 1, 1, 0, 0};
    for (u32 n = 0;;) {
        const u32 op = number(b, 1);
        if (op == 0) {
            const u32 length = leb(b, false), what = number(b, 1);
            assert_int_equal(length, what == 2 ? 5 : 1);
            row[n] = now;
            if (what == 1)
                return n;
            assert_int_equal(what, 2);
            now.at = number(b, 4);
            continue;
        }
        switch (op) {
        case 1: row[n++] = now; break;
        case 2: now.at += 4 * leb(b, false); break;
        case 3: now.line += leb(b, true); break;
        case 4: now.file = leb(b, false); break;
        case 5: now.column = leb(b, false); break;
        case 12: now.isa = leb(b, false); break;
        default: fail_msg("line operation %u", op);
        }
    }
}

static void check_rows(const Code *c, u32 function, const Row *row, u32 n)
{
    const Module *m = c->f->module;
    u32 loc = 0, k = 0;
    for (size_t i = c->n; i-- > 0;)
        loc = c->word[i].fix == FIX_NONE && m->loc[c->word[i].loc].line ? c->word[i].loc : loc;
    for (size_t i = 0; i < c->n; i++) {
        const Word *w = &c->word[i];
        if (w->fix != FIX_NONE)
            continue;
        loc = m->loc[w->loc].line ? w->loc : loc;
        while (k < n && row[k].at <= function + w->at)
            k++;
        const Row none = {.isa = 0}, *is = k ? &row[k - 1] : &none;
        assert_int_equal(is->line, m->loc[loc].line);
        assert_int_equal(is->isa, m->loc[w->loc].isa);
        if (!is->line)
            continue;
        assert_int_equal(is->file, m->loc[loc].file + 1);
        assert_int_equal(is->column, m->loc[loc].column);
    }
    for (u32 i = 0; i + 1 < n; i++)
        assert_true(row[i].at < row[i + 1].at &&
                    memcmp(&row[i].file, &row[i + 1].file, 4 * sizeof(u32)));
    assert_int_equal(row[n].at, function + c->size);
}

/* every word has its place in the source; the ranges of the unit are its functions */
static void line_table(void **state)
{
    (void)state;
    for (u32 seed = 1; seed <= PROGRAMS; seed++) {
        guard_few(seed, FEW);
        Program p = make_program(seed);
        Bytes b = section(p.o, ".debug_line"), r = section(p.o, ".debug_aranges");
        Row row[WORDS + 1];
        check_length(&b);
        number(&b, 2);
        const u32 header = number(&b, 4);
        const u8 *program = b.p + header;
        b.p += 18; /* widths and lengths of operations */
        assert_int_equal(number(&b, 1), 0);
        for (size_t k = 0; k < p.m->nfile; k++) {
            assert_string_equal(text(&b), p.m->file[k]);
            assert_int_equal(number(&b, 3), 0);
        }
        assert_int_equal(number(&b, 1), 0);
        assert_ptr_equal(b.p, program);
        check_length(&r);
        r.p += 12;
        for (u32 k = 0; k < FUNCTIONS; k++) {
            const u32 n = read_rows(&b, row);
            check_rows(&p.code[k], FUNCTION_AT * (k + 1), row, n);
            assert_int_equal(number(&r, 4), FUNCTION_AT * (k + 1));
            assert_int_equal(number(&r, 4), p.code[k].size);
        }
        assert_ptr_equal(b.p, b.end);
        assert_int_equal(number(&r, 4), 0);
        assert_int_equal(number(&r, 4), 0);
        assert_ptr_equal(r.p, r.end);
        obj_free(p.o);
        ir_free(p.m);
        guard_end();
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(entries),
        cmocka_unit_test(line_table),
    };
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
