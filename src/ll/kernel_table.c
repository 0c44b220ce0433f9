/* kernel_table.c -- the table of kernels, from the metadata that clang leaves. */
#include "base/mem.h"
#include "isa/image.h"
#include "ll/callers.h"
#include "ll/lower.h"
#include "ll/middle.h"
#include <string.h>

enum { MAX_OPERANDS = 1024, SPIR_KERNEL = 76 /* calling convention */ };

bool is_kernel(LLVMValueRef f) { return LLVMGetFunctionCallConv(f) == SPIR_KERNEL; }

static u32 enum_attribute(LLVMValueRef f, u32 k, const char *name)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(f, k + 1, kind);
    return a ? (u32)LLVMGetEnumAttributeValue(a) : 0;
}

static LLVMTypeRef byval_type(LLVMValueRef f, u32 k)
{
    LLVMAttributeRef a =
        LLVMGetEnumAttributeAtIndex(f, k + 1, LLVMGetEnumAttributeKindForName("byval", 5));
    return a ? LLVMGetTypeAttributeValue(a) : NULL;
}

ArgPlace arg_place(LLVMTargetDataRef dl, LLVMValueRef kernel, u32 k, u32 end)
{
    LLVMTypeRef byval = byval_type(kernel, k),
                t = byval ? byval : LLVMTypeOf(LLVMGetParam(kernel, k));
    const u32 stated = byval ? enum_attribute(kernel, k, "align") : 0;
    ArgPlace p = {.size = type_is(t, "Image") ? 4 * IMAGE_WORDS : (u32)LLVMABISizeOfType(dl, t),
                  .byval = byval};
    p.align = stated ? stated : LLVMABIAlignmentOfType(dl, t);
    p.offset = (u32)align_up(end, p.align > 4 ? p.align : 4);
    return p;
}

/* --- metadata -------------------------------------------------------------------------- */

/* operands of the node NAME of a kernel; returns how many */
static u32 operands(LLVMValueRef f, const char *name, LLVMValueRef out[MAX_OPERANDS])
{
    LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    const unsigned kind = LLVMGetMDKindIDInContext(ctx, name, (unsigned)strlen(name));
    size_t count = 0;
    u32 n = 0;
    LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(f, &count);
    for (unsigned i = 0; i < count; i++) {
        if (LLVMValueMetadataEntriesGetKind(all, i) != kind)
            continue;
        LLVMValueRef node = LLVMMetadataAsValue(ctx, LLVMValueMetadataEntriesGetMetadata(all, i));
        if (LLVMGetMDNodeNumOperands(node) > MAX_OPERANDS)
            continue;
        n = LLVMGetMDNodeNumOperands(node);
        LLVMGetMDNodeOperands(node, out);
    }
    LLVMDisposeValueMetadataEntries(all);
    return n;
}

char *kernel_word(LLVMValueRef f, const char *name, u32 k)
{
    LLVMValueRef v[MAX_OPERANDS];
    unsigned len = 0;
    const bool is_there = k < operands(f, name, v) && v[k];
    const char *word = is_there ? LLVMGetMDString(v[k], &len) : NULL;
    return word ? mem_strndup(word, len) : mem_strdup("");
}

static void triple(LLVMValueRef f, const char *name, u32 out[3])
{
    LLVMValueRef v[MAX_OPERANDS];
    const u32 n = operands(f, name, v);
    for (u32 i = 0; i < 3 && i < n; i++)
        out[i] = v[i] && LLVMIsAConstantInt(v[i]) ? (u32)LLVMConstIntGetZExtValue(v[i]) : 0;
}

static KernelArgKind kind_of(LLVMTypeRef t)
{
    if (type_is(t, "Image"))
        return ARG_IMAGE;
    if (type_is(t, "Sampler"))
        return ARG_SAMPLER;
    if (type_is(t, "Pipe"))
        return ARG_PIPE;
    static const KernelArgKind kind[] = {ARG_VALUE, ARG_GLOBAL, ARG_CONSTANT, ARG_LOCAL};
    const bool is_pointer = LLVMGetTypeKind(t) == LLVMPointerTypeKind;
    const unsigned as = is_pointer ? LLVMGetPointerAddressSpace(t) : 0;
    return as < countof(kind) ? kind[as] : ARG_GLOBAL;
}

static bool has_word(const char *list, const char *word)
{
    const char *at = strstr(list, word);
    const size_t len = strlen(word);
    return at && (at == list || at[-1] == ' ') && (at[len] == ' ' || !at[len]);
}

static void describe_places(LLVMValueRef f, LLVMTargetDataRef dl, KernelInfo *k)
{
    u32 end = 0;
    for (u32 i = 0; i < k->nargs; i++) {
        const ArgPlace at = arg_place(dl, f, i, end);
        KernelArg *a = &k->args[i];
        end = at.offset + at.size;
        a->kind = kind_of(LLVMTypeOf(LLVMGetParam(f, i)));
        a->size = at.size;
        a->align = at.align;
        if (arg_is_pointer(a)) {
            const u32 stated = enum_attribute(f, i, "align");
            a->pointee_align = stated ? stated : 1;
        }
    }
}

static ImageAccess access_of(const char *word)
{
    return !strcmp(word, "read_only")    ? IMAGE_READ_ONLY
           : !strcmp(word, "write_only") ? IMAGE_WRITE_ONLY
                                         : IMAGE_READ_WRITE;
}

/* False: out of memory. */
static bool describe_words(LLVMValueRef f, KernelInfo *k)
{
    bool ok = true;
    for (u32 i = 0; i < k->nargs; i++) {
        KernelArg *a = &k->args[i];
        char *access = kernel_word(f, "kernel_arg_access_qual", i),
             *qualifiers = kernel_word(f, "kernel_arg_type_qual", i);
        a->name = kernel_word(f, "kernel_arg_name", i);
        a->type = kernel_word(f, "kernel_arg_type", i);
        if (access && (a->kind == ARG_IMAGE || a->kind == ARG_PIPE))
            a->access = access_of(access);
        a->is_const = qualifiers && has_word(qualifiers, "const");
        a->is_restrict = qualifiers && has_word(qualifiers, "restrict");
        a->is_volatile = qualifiers && has_word(qualifiers, "volatile");
        ok = a->name && a->type && access && qualifiers && ok;
        mem_free(access);
        mem_free(qualifiers);
    }
    return ok;
}

/* "float4" of vec_type_hint: the type of an undefined value, and whether it is signed */
static void vec_hint_text(LLVMValueRef f, Buf *b)
{
    static const char *const integer[] = {"char", "short", "int", "long"};
    LLVMValueRef v[MAX_OPERANDS];
    if (operands(f, "vec_type_hint", v) < 2 || !v[0])
        return;
    LLVMTypeRef t = LLVMTypeOf(v[0]), e = type_scalar(t);
    const bool is_signed = v[1] && LLVMIsAConstantInt(v[1]) && LLVMConstIntGetZExtValue(v[1]);
    const u32 bits = int_bits(e);
    const LLVMTypeKind kind = LLVMGetTypeKind(e);
    if (kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind)
        buf_str(b, kind == LLVMHalfTypeKind    ? "half"
                   : kind == LLVMFloatTypeKind ? "float"
                                               : "double");
    else if (kind == LLVMIntegerTypeKind && lies_in_bytes(e) && bits <= 64)
        buf_printf(b, "%s%s", is_signed ? "" : "u", integer[__builtin_ctz(bits) - 3]);
    if (b->len && type_elements(t) > 1)
        buf_printf(b, "%u", type_elements(t));
}

/* False: out of memory. */
static bool describe_attributes(KernelInfo *k, const char *hint)
{
    Buf b = {0};
    if (k->reqd_local[0])
        buf_printf(&b, "reqd_work_group_size(%u,%u,%u)", k->reqd_local[0], k->reqd_local[1],
                   k->reqd_local[2]);
    if (k->local_hint[0])
        buf_printf(&b, "%swork_group_size_hint(%u,%u,%u)", b.len ? " " : "", k->local_hint[0],
                   k->local_hint[1], k->local_hint[2]);
    if (*hint)
        buf_printf(&b, "%svec_type_hint(%s)", b.len ? " " : "", hint);
    k->attributes = mem_strdup(buf_text(&b));
    k->vec_hint = mem_strdup(hint);
    const bool ok = !b.failed && k->attributes && k->vec_hint;
    buf_free(&b);
    return ok;
}

static bool describe(LLVMValueRef f, LLVMTargetDataRef dl, KernelInfo *k)
{
    size_t len;
    Buf hint = {0};
    k->name = mem_strdup(LLVMGetValueName2(f, &len));
    k->nargs = LLVMCountParams(f);
    k->args = mem_zalloc(k->nargs + 1, sizeof *k->args);
    if (!k->args) {
        k->nargs = 0;
        return false;
    }
    triple(f, "reqd_work_group_size", k->reqd_local);
    triple(f, "work_group_size_hint", k->local_hint);
    vec_hint_text(f, &hint);
    const bool ok = !hint.failed && describe_attributes(k, buf_text(&hint));
    buf_free(&hint);
    describe_places(f, dl, k);
    return describe_words(f, k) && ok && k->name;
}

/* --- the kernels that print ---------------------------------------------------------------- */

/* Functions that call printf, or may do so because they call what is not in this module. */
static Callers find_printers(LLVMModuleRef m)
{
    Callers c = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        size_t len;
        const char *name = LLVMGetValueName2(f, &len);
        const bool is_ours = !strncmp(name, "llvm.", 5) || !strncmp(name, "__ventus_", 9);
        if (!strcmp(name, "__ventus_printf") || (LLVMIsDeclaration(f) && !is_ours))
            callers_add(&c, f);
    }
    callers_close(&c);
    return c;
}

bool kernels_describe(LLVMModuleRef m, LLVMTargetDataRef dl, KernelTable *t)
{
    size_t count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        count += is_kernel(f) && !LLVMIsDeclaration(f);
    t->kernels = mem_zalloc(count + 1, sizeof *t->kernels);
    if (!t->kernels)
        return false;
    Callers printers = find_printers(m);
    bool ok = !printers.failed;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        if (is_kernel(f) && !LLVMIsDeclaration(f)) {
            t->kernels[t->nkernels].silent = !callers_have(&printers, f);
            t->kernels[t->nkernels].ungrouped =
                LLVMGetStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                              GROUPING_MARK, sizeof GROUPING_MARK - 1);
            ok = describe(f, dl, &t->kernels[t->nkernels++]) && ok;
        }
    callers_free(&printers);
    for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 1)
            t->globals_size += LLVMABISizeOfType(dl, LLVMGlobalGetValueType(g));
    return ok;
}
