/* retype.c -- images, samplers and pipes in modules that translators of older LLVMs make of SPIR-V.
 *
 * There they are pointers, and only the metadata of kernels says what they are; here, and in the
 * device library, they have types.  So a kernel with such arguments becomes the body of a kernel
 * whose arguments have the types, and calls of the library get them.  In between, calls that do
 * nothing (lower_call.c: __ventus_image_) make pointers of the one and types of the other.
 */
#include "base/mem.h"
#include "ll/lower.h"
#include "ll/middle.h"
#include "ll/walk.h"

enum { SPIR_FUNCTION = 75, SPIR_KERNEL = 76 /* calling conventions */ };
enum { MAX_PARAMETERS = 256 };
#define FUNCTION_INDEX ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

static bool is_pointer(LLVMTypeRef t) { return LLVMGetTypeKind(t) == LLVMPointerTypeKind; }
static bool is_typed(LLVMTypeRef t) { return LLVMGetTypeKind(t) == LLVMTargetExtTypeKind; }

/* --- types ----------------------------------------------------------------------------------- */

/* The type of an image as clang writes it: dimension, depth, array and access are the numbers of
 * SPIR-V. */
static LLVMTypeRef image_type(LLVMContextRef ctx, const char *name, unsigned access)
{
    const unsigned dim = begins(name, "image1d_buffer") ? 5 : (unsigned)(name[5] - '1');
    LLVMTypeRef nothing = LLVMVoidTypeInContext(ctx);
    unsigned n[] = {dim,   strstr(name, "_depth") != NULL, strstr(name, "_array") != NULL, 0, 0, 0,
                    access};
    return LLVMTargetExtTypeInContext(ctx, "spirv.Image", &nothing, 1, n, countof(n));
}

static bool is_image(const char *name)
{
    return begins(name, "image") && name[5] >= '1' && name[5] <= '3' && name[6] == 'd';
}

/* What a parameter of a kernel really is; NULL: what it seems to be. */
static LLVMTypeRef real_type(LLVMValueRef kernel, unsigned k)
{
    LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(kernel));
    char *type = kernel_word(kernel, "kernel_arg_type", k),
         *access = kernel_word(kernel, "kernel_arg_access_qual", k),
         *qualifier = kernel_word(kernel, "kernel_arg_type_qual", k);
    LLVMTypeRef t = NULL;
    if (type && access && qualifier && is_pointer(LLVMTypeOf(LLVMGetParam(kernel, k)))) {
        unsigned way = !strcmp(access, "write_only") ? 1 : !strcmp(access, "read_write") ? 2 : 0;
        if (!strcmp(qualifier, "pipe"))
            t = LLVMTargetExtTypeInContext(ctx, "spirv.Pipe", NULL, 0, &way, 1);
        else if (is_image(type))
            t = image_type(ctx, type, way);
        else if (!strcmp(type, "sampler_t"))
            t = LLVMTargetExtTypeInContext(ctx, "spirv.Sampler", NULL, 0, NULL, 0);
    }
    mem_free(type);
    mem_free(access);
    mem_free(qualifier);
    return t;
}

/* x as a value of that type. */
static LLVMValueRef as_type(LLVMBuilderRef b, LLVMModuleRef m, LLVMValueRef x, LLVMTypeRef to)
{
    LLVMTypeRef from = LLVMTypeOf(x);
    if (from == to)
        return x;
    char *a = LLVMPrintTypeToString(from), *z = LLVMPrintTypeToString(to);
    Buf name = {0};
    buf_printf(&name, "__ventus_image_%s_as_%s", a, z);
    LLVMTypeRef type = LLVMFunctionType(to, &from, 1, false);
    LLVMValueRef f = LLVMGetNamedFunction(m, buf_text(&name));
    if (!f) {
        static const char *const facts[] = {"nounwind", "willreturn", "memory"}; /* memory(none) */
        f = LLVMAddFunction(m, buf_text(&name), type);
        for (size_t i = 0; i < countof(facts); i++) {
            const unsigned kind = LLVMGetEnumAttributeKindForName(facts[i], strlen(facts[i]));
            LLVMAddAttributeAtIndex(f, FUNCTION_INDEX,
                                    LLVMCreateEnumAttribute(LLVMGetModuleContext(m), kind, 0));
        }
    }
    buf_free(&name);
    LLVMDisposeMessage(a);
    LLVMDisposeMessage(z);
    return LLVMBuildCall2(b, type, f, &x, 1, "");
}

/* --- kernels --------------------------------------------------------------------------------- */

/* Metadata and attributes go from the body to the kernel, but what belongs to the code. */
static void move_facts(LLVMValueRef body, LLVMValueRef kernel)
{
    LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(body));
    const unsigned debug = LLVMGetMDKindIDInContext(ctx, "dbg", 3),
                   align = LLVMGetEnumAttributeKindForName("align", 5);
    size_t n = 0;
    LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(body, &n);
    for (unsigned i = 0; i < n; i++) {
        const unsigned kind = LLVMValueMetadataEntriesGetKind(all, i);
        if (kind == debug)
            continue;
        LLVMGlobalSetMetadata(kernel, kind, LLVMValueMetadataEntriesGetMetadata(all, i));
        LLVMGlobalEraseMetadata(body, kind);
    }
    LLVMDisposeValueMetadataEntries(all);
    for (unsigned i = 1; i <= LLVMCountParams(body); i++) {
        LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(body, i, align);
        if (a && is_pointer(LLVMTypeOf(LLVMGetParam(kernel, i - 1))))
            LLVMAddAttributeAtIndex(kernel, i, a);
    }
}

static void wrap(LLVMValueRef body, LLVMTypeRef types[], unsigned n)
{
    LLVMModuleRef m = LLVMGetGlobalParent(body);
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    LLVMValueRef args[MAX_PARAMETERS];
    Buf name = {0}, body_name = {0};
    size_t len;
    buf_str(&name, LLVMGetValueName2(body, &len));
    buf_printf(&body_name, "%s.body", buf_text(&name));
    LLVMSetValueName2(body, buf_text(&body_name), body_name.len);
    LLVMValueRef kernel = LLVMAddFunction(
        m, buf_text(&name), LLVMFunctionType(LLVMVoidTypeInContext(ctx), types, n, false));
    buf_free(&name);
    buf_free(&body_name);
    LLVMSetFunctionCallConv(kernel, SPIR_KERNEL);
    LLVMSetFunctionCallConv(body, SPIR_FUNCTION);
    LLVMSetLinkage(body, LLVMInternalLinkage);
    move_facts(body, kernel);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(ctx);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(ctx, kernel, ""));
    for (unsigned i = 0; i < n; i++)
        args[i] = as_type(b, m, LLVMGetParam(kernel, i), LLVMTypeOf(LLVMGetParam(body, i)));
    LLVMValueRef call = LLVMBuildCall2(b, LLVMGlobalGetValueType(body), body, args, n, "");
    LLVMSetInstructionCallConv(call, SPIR_FUNCTION);
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
}

void retype_kernels(LLVMModuleRef m)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(m), next; f; f = next) {
        LLVMTypeRef types[MAX_PARAMETERS];
        const unsigned n = LLVMCountParams(f);
        bool differs = false;
        next = LLVMGetNextFunction(f);
        if (!is_kernel(f) || LLVMIsDeclaration(f) || n > countof(types))
            continue;
        for (unsigned i = 0; i < n; i++) {
            LLVMTypeRef real = real_type(f, i);
            types[i] = real ? real : LLVMTypeOf(LLVMGetParam(f, i));
            differs |= real != NULL;
        }
        if (differs)
            wrap(f, types, n);
    }
}

/* --- calls ----------------------------------------------------------------------------------- */

/* Whether the types are the same but for pointers where the function has other types. */
static bool can_be_called(LLVMTypeRef as, LLVMTypeRef is)
{
    LLVMTypeRef a[MAX_PARAMETERS + 1], b[MAX_PARAMETERS + 1];
    const unsigned n = LLVMCountParamTypes(as);
    if (as == is || n != LLVMCountParamTypes(is) || n > MAX_PARAMETERS)
        return false;
    LLVMGetParamTypes(as, a);
    LLVMGetParamTypes(is, b);
    a[n] = LLVMGetReturnType(as);
    b[n] = LLVMGetReturnType(is);
    for (unsigned i = 0; i <= n; i++)
        if (a[i] != b[i] && !(is_pointer(a[i]) && is_typed(b[i])))
            return false;
    return true;
}

static void call_as_it_is(LLVMModuleRef m, LLVMValueRef call)
{
    LLVMValueRef f = LLVMGetCalledValue(call), args[MAX_PARAMETERS];
    LLVMTypeRef type = LLVMGlobalGetValueType(f), params[MAX_PARAMETERS];
    const unsigned n = LLVMGetNumArgOperands(call);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    LLVMPositionBuilderBefore(b, call);
    LLVMGetParamTypes(type, params);
    for (unsigned i = 0; i < n; i++)
        args[i] = as_type(b, m, LLVMGetOperand(call, i), params[i]);
    LLVMValueRef made = LLVMBuildCall2(b, type, f, args, n, "");
    LLVMSetInstructionCallConv(made, LLVMGetFunctionCallConv(f));
    if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
        LLVMReplaceAllUsesWith(call, as_type(b, m, made, LLVMTypeOf(call)));
    LLVMInstructionEraseFromParent(call);
    LLVMDisposeBuilder(b);
}

void retype_calls(LLVMModuleRef m)
{
    for (LLVMValueRef i = walk_first(m), next; i; i = next) {
        next = walk_next(i);
        LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        if (callee && LLVMIsAFunction(callee) &&
            can_be_called(LLVMGetCalledFunctionType(i), LLVMGlobalGetValueType(callee)))
            call_as_it_is(m, i);
    }
}
