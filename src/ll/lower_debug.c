/* lower_debug.c -- variables and types of the source, from LLVM's metadata.
 *
 * Only variables that live in private memory are taken: at -O0 these are all, parameters too.  The
 * C API has no functions for some facts of metadata, which are taken from its printed form.
 */
#include "ll/lower.h"
#include "base/mem.h"
#include "obj/dwarf.h"
#include <llvm-c/DebugInfo.h>
#include <llvm/Config/llvm-config.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32, MOST_OPERANDS = 1 << 12 };
/* operands of metadata nodes (llvm/IR/DebugInfoMetadata.h) */
enum { VARIABLE_NAME = 1, VARIABLE_TYPE = 3, TYPE_OF = 3, TYPE_ELEMENTS = 4, COUNT_OF = 0 };

/* Operand k of a node; NULL: there is none. */
static LLVMValueRef operand(LLVMValueRef node, unsigned k)
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

/* Whether an expression of DWARF says no more than that the variable is there, in address space 0,
 * which is private memory. */
static bool is_plain(LLVMValueRef expression)
{
    char *text = LLVMPrintValueToString(expression);
    const bool plain =
        text && (strstr(text, "DIExpression()") ||
                 strstr(text, "DIExpression(DW_OP_constu, 0, DW_OP_swap, DW_OP_xderef)"));
    LLVMDisposeMessage(text);
    return plain;
}

/* What follows `key` in the printed form of a node, up to a comma or the end; the caller frees it.
 * NULL: it is not there. */
static char *printed(LLVMValueRef node, const char *key)
{
    char *text = LLVMPrintValueToString(node), *found = NULL;
    const char *at = text ? strstr(text, key) : NULL;
    if (at)
        found = mem_strndup(at + strlen(key), strcspn(at + strlen(key), ",)"));
    LLVMDisposeMessage(text);
    return found;
}

static const char *text_of(Lower *lo, const char *text, size_t len)
{
    char *copy = text && len ? mem_strndup(text, len) : NULL;
    const char *kept = ir_strdup(lo->m, copy ? copy : "");
    mem_free(copy);
    return kept ? kept : "";
}

static u8 encoding_of(LLVMValueRef node)
{
    static const struct {
        const char *name;
        u8 number;
    } rows[] = {{"DW_ATE_boolean", DW_ATE_boolean},
                {"DW_ATE_float", DW_ATE_float},
                {"DW_ATE_signed", DW_ATE_signed},
                {"DW_ATE_signed_char", DW_ATE_signed_char},
                {"DW_ATE_unsigned", DW_ATE_unsigned},
                {"DW_ATE_unsigned_char", DW_ATE_unsigned_char}};
    char *name = printed(node, "encoding: ");
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

static u32 type_number(Lower *lo, LLVMValueRef node, u32 depth);

/* how many elements the first dimension from `dimension` on has; *dimensions: how many there are */
static u32 dimension(LLVMValueRef node, unsigned k, unsigned *dimensions)
{
    LLVMValueRef list = operand(node, TYPE_ELEMENTS);
    *dimensions = list ? LLVMGetMDNodeNumOperands(list) : 0;
    LLVMValueRef range = list ? operand(list, k) : NULL, count = range ? operand(range, COUNT_OF) : NULL;
    return count && LLVMIsAConstantInt(count) ? (u32)LLVMConstIntGetZExtValue(count) : 0;
}

/* An array of arrays has one node with several dimensions. */
static u32 array_type(Lower *lo, LLVMValueRef node, const SourceType *like, u32 depth)
{
    unsigned n = 0;
    dimension(node, 0, &n);
    LLVMValueRef of = operand(node, TYPE_OF);
    u32 number = of ? type_number(lo, of, depth) : 0;
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
    LLVMValueRef list = operand(node, TYPE_ELEMENTS);
    const unsigned n = list ? LLVMGetMDNodeNumOperands(list) : 0;
    SourceMember *members = mem_zalloc(n + 1, sizeof *members);
    u32 count = 0;
    for (unsigned k = 0; members && k < n && n <= MOST_OPERANDS; k++) {
        LLVMValueRef x = operand(list, k), of = x ? operand(x, TYPE_OF) : NULL;
        size_t len = 0;
        if (!of)
            continue;
        const LLVMMetadataRef md = LLVMValueAsMetadata(x);
        const char *name = LLVMDITypeGetName(md, &len);
        members[count].name = text_of(lo, name, len);
        members[count].offset = (u32)(LLVMDITypeGetOffsetInBits(md) / 8);
        members[count].type = type_number(lo, of, depth);
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

/* The number of a type in the module; 0: void, or a type that is left out. */
static u32 type_number(Lower *lo, LLVMValueRef node, u32 depth)
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
    SourceType t = {.name = text_of(lo, name, len), .size = (u32)(LLVMDITypeGetSizeInBits(md) / 8)};
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
        of = operand(node, TYPE_OF);
        t.of = of ? type_number(lo, of, depth + 1) : 0;
        number = t.of ? add_type(lo, &t) : 0;
        break;
    default: /* const, volatile, restrict and the like: the same to who looks at it */
        of = operand(node, TYPE_OF);
        number = of ? type_number(lo, of, depth + 1) : 0;
    }
    known = val_new(lo, 1);
    known.p[0] = ref_con(number);
    map_put(lo, &lo->types, md, known);
    if (number && tag == DW_TAG_pointer_type) {
        of = operand(node, TYPE_OF);
        const u32 to = of ? type_number(lo, of, depth + 1) : 0;
        lo->m->type[number].of = to;
    } else if (number && (tag == DW_TAG_structure_type || tag == DW_TAG_union_type)) {
        add_members(lo, node, number, depth + 1);
    }
    return number;
}

void show_variables(LLVMModuleRef m)
{
#if LLVM_VERSION_MAJOR < 21 /* later ones have records only, which the C API of 19 cannot read */
    LLVMSetIsNewDbgInfoFormat(m, false);
#else
    (void)m;
#endif
}

void note_variable(Fn *n, LLVMValueRef call)
{
    Module *m = n->lo->m;
    Func *f = n->f;
    LLVMValueRef place = operand(LLVMGetOperand(call, 0), 0), node = LLVMGetOperand(call, 1);
    const LLVMMetadataRef at = LLVMInstructionGetDebugLoc(call);
    Val where;
    unsigned len = 0;
    /* 1. its slot; one that was inlined belongs to another function */
    if (!place || !map_get(&n->values, place, &where) || where.n != 1 || where.p[0].kind != R_SLOT ||
        where.p[0].off || (at && LLVMDILocationGetInlinedAt(at)) ||
        !is_plain(LLVMGetOperand(call, 2)))
        return;
    /* 2. name, type, place */
    LLVMValueRef name = operand(node, VARIABLE_NAME), type = operand(node, VARIABLE_TYPE);
    const char *text = name ? LLVMGetMDString(name, &len) : NULL;
    const u32 number = type ? type_number(n->lo, type, 0) : 0;
    const LLVMMetadataRef md = LLVMValueAsMetadata(node), file = LLVMDIVariableGetFile(md);
    if (!text || !len || !number || !ir_grow(m, f->variable, f->nvariable, f->capvariable))
        return;
    unsigned path_len = 0;
    const char *path = file ? LLVMDIFileGetFilename(file, &path_len) : NULL;
    char *argument = printed(node, "arg: ");
    f->variable[f->nvariable++] = (SourceVariable){
        .name = text_of(n->lo, text, len),
        .type = number,
        .slot = where.p[0].val,
        .file = ir_file(m, text_of(n->lo, path, path_len)),
        .line = LLVMDIVariableGetLine(md),
        .is_parameter = argument != NULL,
    };
    mem_free(argument);
}
