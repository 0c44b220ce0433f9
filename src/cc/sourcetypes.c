/* sourcetypes.c -- types of the source in .debug_info, DWARF 4 (section 5). */
#include "cc/debuginfo.h"
#include "base/mem.h"

void put_type_abbrevs(DwarfOut *s)
{
    /* clang-format off */
    static const u8 bytes[] = {
        ABBREV_BASE_TYPE, DW_TAG_base_type, 0, DW_AT_name, DW_FORM_string, DW_AT_encoding,
        DW_FORM_data1, DW_AT_byte_size, DW_FORM_data1, 0, 0,
        ABBREV_POINTER, DW_TAG_pointer_type, 0, DW_AT_byte_size, DW_FORM_data1, DW_AT_type,
        DW_FORM_ref4, 0, 0,
        ABBREV_POINTER_VOID, DW_TAG_pointer_type, 0, DW_AT_byte_size, DW_FORM_data1, 0, 0,
        ABBREV_TYPEDEF, DW_TAG_typedef, 0, DW_AT_name, DW_FORM_string, DW_AT_type, DW_FORM_ref4,
        0, 0,
        ABBREV_STRUCT, DW_TAG_structure_type, 1, DW_AT_name, DW_FORM_string, DW_AT_byte_size,
        DW_FORM_udata, 0, 0,
        ABBREV_UNION, DW_TAG_union_type, 1, DW_AT_name, DW_FORM_string, DW_AT_byte_size,
        DW_FORM_udata, 0, 0,
        ABBREV_MEMBER, DW_TAG_member, 0, DW_AT_name, DW_FORM_string, DW_AT_type, DW_FORM_ref4,
        DW_AT_data_member_location, DW_FORM_udata, 0, 0,
        ABBREV_ARRAY, DW_TAG_array_type, 1, DW_AT_type, DW_FORM_ref4, 0, 0,
        ABBREV_VECTOR, DW_TAG_array_type, 1, (DW_AT_GNU_vector & 0x7f) | 0x80, DW_AT_GNU_vector >> 7,
        DW_FORM_flag_present, DW_AT_type, DW_FORM_ref4, DW_AT_byte_size, DW_FORM_udata, 0, 0,
        ABBREV_COUNT, DW_TAG_subrange_type, 0, DW_AT_count, DW_FORM_udata, 0, 0,
    };
    /* clang-format on */
    buf_put(s->b, bytes, sizeof bytes);
}

u32 source_type_size(const Module *m, u32 type)
{
    const SourceType *t = &m->type[type];
    for (u32 depth = 0; t->kind == TYPE_NAME && depth < m->ntype; depth++)
        t = &m->type[t->of];
    return t->kind == TYPE_POINTER ? 4 : t->size;
}

/* A reference to a type whose entry may come later: its number, until all entries are there. */
typedef struct {
    u32 *at;
    size_t n, cap;
} References;

static void put_reference(DwarfOut *s, References *r, u32 type)
{
    if (!array_grow(r->at, r->n, r->cap)) {
        s->failed = true;
        return;
    }
    r->at[r->n++] = (u32)s->b->len;
    dwarf_put(s, type, 4);
}

static void put_members(DwarfOut *s, const Module *m, const SourceType *t, References *r)
{
    dwarf_put(s, t->kind == TYPE_UNION ? ABBREV_UNION : ABBREV_STRUCT, 1);
    dwarf_put_string(s, t->name);
    dwarf_put_uleb(s, t->size);
    for (u32 i = 0; i < t->count; i++) {
        const SourceMember *x = &m->member[t->of + i];
        dwarf_put(s, ABBREV_MEMBER, 1);
        dwarf_put_string(s, x->name);
        put_reference(s, r, x->type);
        dwarf_put_uleb(s, x->offset);
    }
    dwarf_put(s, 0, 1);
}

static void put_type(DwarfOut *s, const Module *m, const SourceType *t, References *r)
{
    switch ((SourceTypeKind)t->kind) {
    case TYPE_BASE:
        dwarf_put(s, ABBREV_BASE_TYPE, 1);
        dwarf_put_string(s, t->name);
        dwarf_put(s, t->encoding, 1);
        dwarf_put(s, t->size, 1);
        break;
    case TYPE_POINTER:
        dwarf_put(s, t->of ? ABBREV_POINTER : ABBREV_POINTER_VOID, 1);
        dwarf_put(s, 4, 1);
        if (t->of)
            put_reference(s, r, t->of);
        break;
    case TYPE_NAME:
        dwarf_put(s, ABBREV_TYPEDEF, 1);
        dwarf_put_string(s, t->name);
        put_reference(s, r, t->of);
        break;
    case TYPE_STRUCT:
    case TYPE_UNION: put_members(s, m, t, r); break;
    case TYPE_ARRAY:
    case TYPE_VECTOR:
        dwarf_put(s, t->kind == TYPE_ARRAY ? ABBREV_ARRAY : ABBREV_VECTOR, 1);
        put_reference(s, r, t->of);
        if (t->kind == TYPE_VECTOR)
            dwarf_put_uleb(s, t->size);
        dwarf_put(s, ABBREV_COUNT, 1);
        dwarf_put_uleb(s, t->count);
        dwarf_put(s, 0, 1);
        break;
    }
}

void put_types(DwarfOut *s, const Module *m, u32 *entry)
{
    References r = {.n = 0};
    for (u32 i = 1; i < m->ntype; i++) {
        entry[i] = (u32)s->b->len;
        put_type(s, m, &m->type[i], &r);
    }
    for (size_t i = 0; i < r.n && !s->b->failed; i++) {
        u8 *at = s->b->data + r.at[i];
        const u32 type = at[0] | (u32)at[1] << 8 | (u32)at[2] << 16 | (u32)at[3] << 24;
        for (u32 k = 0; k < 4; k++)
            at[k] = (u8)(entry[type] >> 8 * k);
    }
    mem_free(r.at);
}
