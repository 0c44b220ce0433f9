/* lower_types.c -- types of the source, from LLVM's metadata; how metadata is read.
 *
 * The C API has no functions for some facts of metadata, which are taken from its printed form.
 */
#include "ll/lower.h"
#include "base/mem.h"
#include "obj/dwarf.h"
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32, MOST_OPERANDS = 1 << 12 };
/* operands of metadata nodes (llvm/IR/DebugInfoMetadata.h) */
enum { TYPE_OF = 3, TYPE_ELEMENTS = 4, COUNT_OF = 0 };

/* --- nodes ---------------------------------------------------------------------------- */

LLVMValueRef node_operand(LLVMValueRef node, unsigned k)
{
    const unsigned n = LLVMGetMDNodeNumOperands(node);
    if (k >= n || n > MOST_OPERANDS)
        return NULL;
    LLVMValueRef *all = mem_zalloc(n, sizeof *all), found = NULL;
    if (all) {
        LLVMGetMDNodeOperands(node, all);
        found = all[k];
    }
    mem_free(all);
    return found;
}

char *node_printed(LLVMValueRef node, const char *key)
{
    char *text = LLVMPrintValueToString(node), *found = NULL;
    const char *at = text ? strstr(text, key) : NULL;
    if (at)
        found = mem_strndup(at + strlen(key), strcspn(at + strlen(key), ",)"));
    LLVMDisposeMessage(text);
    return found;
}

const char *node_text(Lower *lo, const char *text, size_t len)
{
    char *copy = text && len ? mem_strndup(text, len) : NULL;
    const char *kept = ir_strdup(lo->m, copy ? copy : "");
    mem_free(copy);
    return kept ? kept : "";
}

/* --- types ---------------------------------------------------------------------------- */

static u8 encoding_of(LLVMValueRef node)
{
    static const struct {
        const char *name;
        u8 number;
    } rows[] = {
        {"DW_ATE_boolean", DW_ATE_boolean},   {"DW_ATE_float", DW_ATE_float},
        {"DW_ATE_signed", DW_ATE_signed},     {"DW_ATE_signed_char", DW_ATE_signed_char},
        {"DW_ATE_unsigned", DW_ATE_unsigned}, {"DW_ATE_unsigned_char", DW_ATE_unsigned_char}};
    char *name = node_printed(node, "encoding: ");
    u8 number = DW_ATE_unsigned;
    for (size_t i = 0; name && i < countof(rows); i++)
        if (!strcmp(name, rows[i].name))
            number = rows[i].number;
    mem_free(name);
    return number;
}

static u32 add_type(Lower *lo, const SourceType *t)
{
    Module *m = lo->m;
    if (!m->ntype && ir_grow(m, m->type, m->ntype, m->captype))
        m->type[m->ntype++] = (SourceType){.name = "void"};
    if (!ir_grow(m, m->type, m->ntype, m->captype))
        return 0;
    m->type[m->ntype] = *t;
    return m->ntype++;
}

/* how many elements the first dimension from `dimension` on has; *dimensions: how many there are */
static u32 dimension(LLVMValueRef node, unsigned k, unsigned *dimensions)
{
    LLVMValueRef list = node_operand(node, TYPE_ELEMENTS);
    *dimensions = list ? LLVMGetMDNodeNumOperands(list) : 0;
    LLVMValueRef range = list ? node_operand(list, k) : NULL,
                 count = range ? node_operand(range, COUNT_OF) : NULL;
    return count && LLVMIsAConstantInt(count) ? (u32)LLVMConstIntGetZExtValue(count) : 0;
}

/* An array of arrays has one node with several dimensions. */
static u32 array_type(Lower *lo, LLVMValueRef node, const SourceType *like, u32 depth)
{
    unsigned n = 0;
    dimension(node, 0, &n);
    LLVMValueRef of = node_operand(node, TYPE_OF);
    u32 number = of ? source_type(lo, of, depth) : 0;
    for (unsigned k = n; number && k-- > 0;) {
        SourceType t = *like;
        t.of = number;
        t.count = dimension(node, k, &n);
        number = add_type(lo, &t);
    }
    return number;
}

/* Fills in the members of type `number`, which others may mention already. */
static void add_members(Lower *lo, LLVMValueRef node, u32 number, u32 depth)
{
    Module *m = lo->m;
    LLVMValueRef list = node_operand(node, TYPE_ELEMENTS);
    const unsigned n = list ? LLVMGetMDNodeNumOperands(list) : 0;
    SourceMember *members = mem_zalloc(n + 1, sizeof *members);
    u32 count = 0;
    for (unsigned k = 0; members && k < n && n <= MOST_OPERANDS; k++) {
        LLVMValueRef x = node_operand(list, k), of = x ? node_operand(x, TYPE_OF) : NULL;
        size_t len = 0;
        if (!of)
            continue;
        const LLVMMetadataRef md = LLVMValueAsMetadata(x);
        const char *name = LLVMDITypeGetName(md, &len);
        members[count].name = node_text(lo, name, len);
        members[count].offset = (u32)(LLVMDITypeGetOffsetInBits(md) / 8);
        members[count].type = source_type(lo, of, depth);
        count += members[count].type != 0;
    }
    m->type[number].of = (u32)m->nmember;
    for (u32 k = 0; k < count; k++)
        if (ir_grow(m, m->member, m->nmember, m->capmember)) {
            m->member[m->nmember++] = members[k];
            m->type[number].count++;
        }
    mem_free(members);
}

u32 source_type(Lower *lo, LLVMValueRef node, u32 depth)
{
    const LLVMMetadataRef md = LLVMValueAsMetadata(node);
    LLVMValueRef of;
    size_t len = 0;
    Val known;
    if (map_get(&lo->types, md, &known))
        return known.p[0].val;
    if (depth == DEEPEST)
        return 0;
    const u16 tag = LLVMGetDINodeTag(md);
    const char *name = LLVMDITypeGetName(md, &len);
    SourceType t = {.name = node_text(lo, name, len),
                    .size = (u32)(LLVMDITypeGetSizeInBits(md) / 8)};
    u32 number = 0;
    switch (tag) {
    case DW_TAG_base_type:
        t.kind = TYPE_BASE;
        t.encoding = encoding_of(node);
        number = add_type(lo, &t);
        break;
    case DW_TAG_enumeration_type:
        t.kind = TYPE_BASE;
        t.encoding = DW_ATE_unsigned;
        number = add_type(lo, &t);
        break;
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        t.kind = tag == DW_TAG_union_type ? TYPE_UNION : TYPE_STRUCT;
        number = add_type(lo, &t);
        break;
    case DW_TAG_array_type:
        t.kind = LLVMDITypeGetFlags(md) & LLVMDIFlagVector ? TYPE_VECTOR : TYPE_ARRAY;
        number = array_type(lo, node, &t, depth + 1);
        break;
    case DW_TAG_pointer_type:
        t.kind = TYPE_POINTER;
        number = add_type(lo, &t); /* what it points to may contain it */
        break;
    case DW_TAG_typedef:
        t.kind = TYPE_NAME;
        of = node_operand(node, TYPE_OF);
        t.of = of ? source_type(lo, of, depth + 1) : 0;
        number = t.of ? add_type(lo, &t) : 0;
        break;
    default: /* const, volatile, restrict and the like: the same to who looks at it */
        of = node_operand(node, TYPE_OF);
        number = of ? source_type(lo, of, depth + 1) : 0;
    }
    known = val_new(lo, 1);
    known.p[0] = ref_con(number);
    map_put(lo, &lo->types, md, known);
    if (number && tag == DW_TAG_pointer_type) {
        of = node_operand(node, TYPE_OF);
        const u32 to = of ? source_type(lo, of, depth + 1) : 0;
        lo->m->type[number].of = to;
    } else if (number && (tag == DW_TAG_structure_type || tag == DW_TAG_union_type)) {
        add_members(lo, node, number, depth + 1);
    }
    return number;
}
