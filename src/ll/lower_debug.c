/* lower_debug.c -- variables of the source, from LLVM's metadata.
 *
 * A variable that stays in private memory has llvm.dbg.declare, and a slot.  What optimised code
 * makes of others is told by llvm.dbg.value: from here on the variable, or a fragment of it, has
 * this value.  Such a call becomes a note for each part of at most 32 bits.  A function that is
 * inlined brings its variables once for each call.
 */
#include "ll/lower.h"
#include "base/mem.h"
#include <llvm-c/DebugInfo.h>
#include <llvm/Config/llvm-config.h>
#include <stdlib.h>
#include <string.h>

/* operands of metadata nodes (llvm/IR/DebugInfoMetadata.h) */
enum { VARIABLE_SCOPE = 0, VARIABLE_NAME = 1, VARIABLE_TYPE = 3, FUNCTION_VARIABLES = 7 };

void show_variables(LLVMModuleRef m)
{
#if LLVM_VERSION_MAJOR < 21 /* later ones have records only, which the C API of 19 cannot read */
    LLVMSetIsNewDbgInfoFormat(m, false);
#else
    (void)m;
#endif
}

/* --- expressions ------------------------------------------------------------------------ */

/* What a DIExpression does to the value that it is about. */
typedef struct {
    bool is_known; /* false: more than can be said */
    i32 plus;
    bool converts; /* then: */
    u32 width;     /* bits of the result */
    u32 low;       /* low bits of the value that count; the others of the result repeat */
    bool is_signed, repeats_sign; /* the result; the highest of the low bits, else 0 */
    bool is_fragment;
    u32 at, size; /* the fragment, bits */
} Expression;

static const char *word_and_number(const char *p, const char *word, u32 *number)
{
    const size_t len = strlen(word);
    if (strncmp(p, word, len) != 0)
        return NULL;
    char *end;
    *number = (u32)strtoul(p + len, &end, 10);
    return end != p + len ? end : NULL;
}

/* A conversion to an integer of so many bits; the first one names the type of the value itself.
 * False: more than can be said. */
static bool convert(Expression *e, u32 bits, bool is_signed)
{
    if (!e->converts)
        e->width = e->low = bits;
    if (bits > e->width && e->low == e->width)
        e->repeats_sign = e->is_signed;
    else if (bits > e->width && e->repeats_sign && !e->is_signed)
        return false;
    e->low = bits < e->low ? bits : e->low;
    e->converts = true;
    e->width = bits;
    e->is_signed = is_signed;
    return true;
}

static const char *read_conversion(Expression *e, const char *p)
{
    static const char with_sign[] = ", DW_ATE_signed", without[] = ", DW_ATE_unsigned";
    u32 bits;
    const char *next = word_and_number(p, "DW_OP_LLVM_convert, ", &bits);
    const bool is_signed = next && !strncmp(next, with_sign, strlen(with_sign));
    if (!next || (!is_signed && strncmp(next, without, strlen(without)) != 0) ||
        !convert(e, bits, is_signed))
        return NULL;
    return next + strlen(is_signed ? with_sign : without);
}

/* Reads the operations in front of p; what follows is at the result, NULL: something unknown. */
static const char *read_operation(Expression *e, const char *p)
{
    static const char of_space[] = ", DW_OP_swap, DW_OP_xderef";
    const char *next;
    u32 x, y;
    if ((next = read_conversion(e, p)))
        return next;
    if (!e->converts && (next = word_and_number(p, "DW_OP_plus_uconst, ", &x))) {
        e->plus = (i32)((u32)e->plus + x);
        return next;
    }
    if ((next = word_and_number(p, "DW_OP_constu, ", &x)) ||
        (next = word_and_number(p, "DW_OP_lit", &x))) {
        if (!strncmp(next, of_space, strlen(of_space)))
            return next + strlen(of_space); /* the address space: no part of the value */
        if (strncmp(next, ", DW_OP_minus", 13) != 0 || e->converts)
            return NULL;
        e->plus = (i32)((u32)e->plus - x);
        return next + 13;
    }
    if ((next = word_and_number(p, "DW_OP_LLVM_fragment, ", &x)) && next[0] == ',' &&
        (next = word_and_number(next, ", ", &y))) {
        e->is_fragment = true;
        e->at = x;
        e->size = y;
        return next;
    }
    return !strncmp(p, "DW_OP_stack_value", 17) ? p + 17 : NULL;
}

static Expression read_expression(LLVMValueRef node)
{
    static const char start[] = "DIExpression(", fragment[] = "DW_OP_LLVM_fragment";
    Expression e = {.is_known = true};
    char *text = LLVMPrintValueToString(node);
    const char *p = text ? strstr(text, start) : NULL;
    for (p = p ? p + strlen(start) : ""; *p && *p != ')'; p += strspn(p, ", ")) {
        const char *next = read_operation(&e, p);
        if (!next) { /* only which fragment it is about matters now */
            e.is_known = false;
            next = strstr(p, fragment);
            next = next && next != p ? next : "";
        }
        p = next;
    }
    LLVMDisposeMessage(text);
    return e;
}

/* --- variables -------------------------------------------------------------------------- */

static u32 add_variable(Fn *n, LLVMValueRef node, LLVMMetadataRef call)
{
    Func *f = n->f;
    LLVMValueRef name = node_operand(node, VARIABLE_NAME), type = node_operand(node, VARIABLE_TYPE),
                 scope = node_operand(node, VARIABLE_SCOPE);
    unsigned len = 0, path_len = 0;
    const char *text = name ? LLVMGetMDString(name, &len) : NULL;
    const u32 number = type ? source_type(n->lo, type, 0) : 0;
    if (!text || !len || !number || !scope)
        return 0;
    const LLVMMetadataRef md = LLVMValueAsMetadata(node), file = LLVMDIVariableGetFile(md);
    const char *path = file ? LLVMDIFileGetFilename(file, &path_len) : NULL;
    char *argument = node_printed(node, "arg: ");
    const SourceVariable v = {
        .name = node_text(n->lo, text, len),
        .type = number,
        .slot = NO_SLOT,
        .file = ir_file(n->lo->m, node_text(n->lo, path, path_len)),
        .line = LLVMDIVariableGetLine(md),
        .scope = scope_number(n->lo, LLVMValueAsMetadata(scope), call, 0),
        .is_parameter = argument != NULL,
    };
    mem_free(argument);
    if (!ir_grow(n->lo->m, f->variable, f->nvariable, f->capvariable))
        return 0;
    f->variable[f->nvariable++] = v;
    return (u32)f->nvariable;
}

/* 1 + the number of a variable; 0: it is left out */
static u32 variable_number(Fn *n, LLVMValueRef node, LLVMMetadataRef call)
{
    u32 *known = pair_number(n->lo, &n->variables, node, call);
    return !known ? 0 : *known ? *known : (*known = add_variable(n, node, call));
}

/* Declares what a function of the source has, also what is never mentioned again. */
static void declare_all(Fn *n, LLVMMetadataRef function, LLVMMetadataRef call)
{
    enum { MOST_VARIABLES = 1 << 12 };
    LLVMValueRef node = LLVMMetadataAsValue(n->lo->ctx, function);
    LLVMValueRef list = node_operand(node, FUNCTION_VARIABLES);
    const unsigned count = list ? LLVMGetMDNodeNumOperands(list) : 0;
    for (unsigned k = 0; k < count && k < MOST_VARIABLES; k++) {
        LLVMValueRef x = node_operand(list, k);
        if (x && LLVMGetMetadataKind(LLVMValueAsMetadata(x)) == LLVMDILocalVariableMetadataKind)
            variable_number(n, x, call);
    }
}

/* What the metadata says of a global variable; NULL: nothing. */
static LLVMValueRef describe_global(Fn *n, LLVMValueRef global)
{
    enum { EXPRESSION_VARIABLE = 0 };
    size_t count = 0;
    LLVMValueRef found = NULL;
    LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(global, &count);
    for (unsigned k = 0; k < count; k++) {
        const LLVMMetadataRef md = LLVMValueMetadataEntriesGetMetadata(all, k);
        if (LLVMGetMetadataKind(md) == LLVMDIGlobalVariableExpressionMetadataKind)
            found = node_operand(LLVMMetadataAsValue(n->lo->ctx, md), EXPRESSION_VARIABLE);
    }
    LLVMDisposeValueMetadataEntries(all);
    return found;
}

/* Declares the __local variables of a kernel. */
static void declare_locals(Fn *n)
{
    for (size_t k = 0; k < n->lo->nlocal && n->f->is_kernel; k++) {
        const Local *l = &n->lo->local[k];
        LLVMValueRef node = l->owner == n->src ? describe_global(n, l->var) : NULL;
        const u32 variable = node ? add_variable(n, node, NULL) : 0;
        if (!variable)
            continue;
        n->f->variable[variable - 1].is_local = true;
        n->f->variable[variable - 1].slot = l->offset;
    }
}

/* The type of the function's result; 0: nothing. */
static u32 result_type(Fn *n, LLVMMetadataRef function)
{
    enum { FUNCTION_TYPE = 4, TYPE_LIST = 3, RESULT = 0 };
    LLVMValueRef type = node_operand(LLVMMetadataAsValue(n->lo->ctx, function), FUNCTION_TYPE),
                 list = type ? node_operand(type, TYPE_LIST) : NULL,
                 result = list ? node_operand(list, RESULT) : NULL;
    return result ? source_type(n->lo, result, 0) : 0;
}

void note_function(Fn *n)
{
    const LLVMMetadataRef function = LLVMGetSubprogram(n->src);
    if (!function)
        return;
    n->f->type = result_type(n, function);
    declare_all(n, function, NULL);
    declare_locals(n);
}

/* The function that a variable is of. */
static LLVMMetadataRef function_of(LLVMValueRef variable)
{
    enum { PARENT = 1 };
    LLVMValueRef scope = node_operand(variable, VARIABLE_SCOPE);
    for (u32 depth = 0; scope && depth < DEEPEST_SCOPE; depth++) {
        const LLVMMetadataRef md = LLVMValueAsMetadata(scope);
        if (LLVMGetMetadataKind(md) == LLVMDISubprogramMetadataKind)
            return md;
        scope = node_operand(scope, PARENT);
    }
    return NULL;
}

/* The variable of a call of llvm.dbg.*, as variable_number(). */
static u32 variable_of(Fn *n, LLVMValueRef call)
{
    LLVMValueRef node = LLVMGetOperand(call, 1);
    const LLVMMetadataRef at = LLVMInstructionGetDebugLoc(call);
    const LLVMMetadataRef inlined = at ? LLVMDILocationGetInlinedAt(at) : NULL;
    const LLVMMetadataRef function = function_of(node);
    const u32 *known = pair_number(n->lo, &n->variables, node, inlined);
    if (known && !*known && inlined && function)
        declare_all(n, function, inlined);
    return variable_number(n, node, inlined);
}

/* The value that a call of llvm.dbg.* is about; NULL: there is none, or more than one. */
static LLVMValueRef value_of(LLVMValueRef call)
{
    LLVMValueRef x = LLVMGetOperand(call, 0);
    const LLVMMetadataKind kind = LLVMGetMetadataKind(LLVMValueAsMetadata(x));
    return kind == LLVMLocalAsMetadataMetadataKind || kind == LLVMConstantAsMetadataMetadataKind
               ? node_operand(x, 0)
               : NULL;
}

void note_variable(Fn *n, LLVMValueRef call)
{
    LLVMValueRef place = value_of(call);
    const Expression e = read_expression(LLVMGetOperand(call, 2));
    const u32 variable = variable_of(n, call);
    Val where;
    if (variable && place && map_get(&n->values, place, &where) && where.n == 1 &&
        where.p[0].kind == R_SLOT && !where.p[0].off && e.is_known && !e.plus && !e.is_fragment)
        n->f->variable[variable - 1].slot = where.p[0].val;
}

/* --- notes ------------------------------------------------------------------------------ */

static u32 part_number(Fn *n, SourcePart p)
{
    Func *f = n->f;
    for (size_t k = f->npart; k-- > 0;)
        if (!memcmp(&f->part[k], &p, sizeof p))
            return (u32)k;
    if (!ir_grow(n->lo->m, f->part, f->npart, f->cappart))
        return 0;
    f->part[f->npart] = p;
    return (u32)f->npart++;
}

static void put_note(Fn *n, Note what)
{
    const u32 note = ir_note(n->f, what);
    ir_append(n->f, n->b, &(Ins){.op = IR_note, .imm = (i32)note});
}

/* Nothing is known any more of what the `size` bytes at `at` have in common with other parts. */
static void forget(Fn *n, u32 variable, u32 at, u32 size, bool all)
{
    for (u32 k = 0; k < n->f->npart; k++) {
        const SourcePart p = n->f->part[k];
        const bool overlaps = p.at < at + size && at < p.at + p.size;
        if (p.variable == variable && overlaps && (all || p.at != at || p.size != size))
            put_note(n, (Note){.part = k});
    }
}

static bool is_number(LLVMTypeRef t)
{
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(t) <= 64;
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind: return true;
    default: return false;
    }
}

/* The pieces of a value, without making any code for it. */
static bool pieces_of(Fn *n, LLVMValueRef v, Val *x)
{
    const bool is_constant = LLVMIsAConstantInt(v) || LLVMIsAConstantFP(v) ||
                             LLVMIsAConstantPointerNull(v) || LLVMIsAConstantAggregateZero(v) ||
                             LLVMIsAConstantDataVector(v);
    if (LLVMIsUndef(v) || LLVMIsPoison(v) || !is_number(type_scalar(LLVMTypeOf(v))))
        return false;
    if (!is_constant)
        return map_get(&n->values, v, x);
    *x = val_of(n, v);
    return true;
}

void note_value(Fn *n, LLVMValueRef call)
{
    LLVMValueRef v = value_of(call);
    const Expression e = read_expression(LLVMGetOperand(call, 2));
    const u32 number = variable_of(n, call), variable = number - 1;
    Val x;
    if (!number || n->f->variable[variable].slot != NO_SLOT)
        return;
    const u32 from = e.is_fragment ? e.at / 8 : 0;
    const u32 all = e.is_fragment ? (e.at % 8 + e.size + 7) / 8 : UINT32_MAX / 2;
    /* 1. nothing that can be told */
    if (!v || !e.is_known || e.at % 8 || !pieces_of(n, v, &x)) {
        forget(n, variable, from, all, true);
        return;
    }
    /* 2. an integer in pieces of 32 bits, of which the last may be converted */
    LLVMTypeRef t = type_scalar(LLVMTypeOf(v));
    const u32 own = LLVMGetTypeKind(t) == LLVMDoubleTypeKind ? 64 : int_bits(t);
    const u32 width = e.converts ? e.width : own, low = e.converts ? e.low : own;
    const u32 bytes = width / 8, each = (bytes + 3) / 4;
    const bool is_vector = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
    if ((x.n > 1 && e.plus) || width % 8 || (e.converts && (is_vector || width > 64)) ||
        (low < width && (low > 32 || (width > 32 && e.repeats_sign)))) {
        forget(n, variable, from, all, true);
        return;
    }
    /* 3. the elements of a vector */
    const u32 pieces = e.converts ? each : x.n;
    for (u32 k = 0; k < pieces; k++) {
        const u32 at = from + k / each * bytes + k % each * 4;
        const u32 left = bytes - k % each * 4, size = left < 4 ? left : 4;
        const bool is_cut = low < width && low < 8 * size;
        const u32 part = part_number(n, (SourcePart){variable, at, size});
        forget(n, variable, at, size, false);
        put_note(n, (Note){.part = part,
                           .plus = k ? 0 : e.plus,
                           .bits = is_cut ? (u8)low : 0,
                           .is_signed = is_cut && e.repeats_sign,
                           .is = k < x.n ? x.p[k] : ref_con(0)});
    }
}
