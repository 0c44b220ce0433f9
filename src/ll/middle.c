/* middle.c -- the device library and LLVM's optimiser.
 *
 *   prepare     what the optimiser should see in another form (prepare.c, components.c)
 *   link        functions of the device library that the program reaches
 *   samplers    those that are constants become words, so that code for others goes away
 *   converge    marks where lanes must meet before a barrier (converge.c)
 *   strays      for checks, accesses are compared with the variables they are for (straynotes.c)
 *   optimise    LLVM's pipeline without vectors
 *   spaces      generic pointers to one address space where that is known, and again the passes
 *               that gain by it
 *   unroll      short loops of which all lanes make as many rounds (unroll.c)
 *   nearby      products, and addresses, from others that differ by little
 *   extremes    sums are taken out of the larger and smaller of two (extremes.c)
 *   expand      arithmetic with half to float, 64-bit division and the like to calls, until the
 *               library asks for no more
 */
#include "ll/middle.h"
#include "base/mem.h"
#include "ll/lower.h"
#include "ll/walk.h"
#include <llvm-c/BitReader.h>
#include <llvm-c/Error.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

/* gen/devlib.s, made by the build from lib/opencl (host/devlib.c explains the names) */
extern const char devlib_piece[], devlib_name[];
extern const u32 devlib_piece_at[], devlib_name_at[], devlib_names;
extern const u16 devlib_name_piece[];

/* clang's layout for SPIR with pointers of 32 bits, and that registers have 32 bits */
static const char layout[] =
    "e-p:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-"
    "v512:512-v1024:1024-n32-G1";
enum { POINTER_BYTES = 4 };

enum { INLINE_THRESHOLD = 2000, MAX_EXPANSIONS = 4 };
#define FUNCTION_INDEX ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

static bool fail(Diag *d, const char *what, const char *why)
{
    error(d, NULL, NULL, "%s: %s", what, why);
    return false;
}

LLVMModuleRef middle_read(LLVMContextRef ctx, const Target *target, Bytes bitcode, const char *name,
                          Diag *d)
{
    LLVMModuleRef m = NULL;
    if (target->pointer_bytes != POINTER_BYTES) {
        error(d, NULL, NULL, "%s: OpenCL C is compiled for pointers of %d bytes only, not of %u",
              target->name, POINTER_BYTES, target->pointer_bytes);
        return NULL;
    }
    LLVMMemoryBufferRef bytes =
        LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)bitcode.data, bitcode.len, name);
    const bool bad = LLVMParseBitcodeInContext2(ctx, bytes, &m);
    LLVMDisposeMemoryBuffer(bytes);
    if (bad) {
        fail(d, name, "this is no bitcode of this compiler");
        return NULL;
    }
    LLVMSetDataLayout(m, layout);
    return m;
}

/* --- the device library ---------------------------------------------------------------------- */

static int by_name(const void *key, const void *at)
{
    return strcmp(key, devlib_name + *(const u32 *)at);
}

/* the piece of the library that has a function of this name; -1: none has */
static int piece_of(const char *name)
{
    const u32 *at = bsearch(name, devlib_name_at, devlib_names, sizeof *at, by_name);
    return at ? devlib_name_piece[at - devlib_name_at] : -1;
}

/* a piece that has a function that the program lacks; -1: none has */
static int missing_piece(LLVMModuleRef m)
{
    size_t len;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        if (LLVMIsDeclaration(f) && LLVMGetFirstUse(f) && !LLVMGetIntrinsicID(f)) {
            const int piece = piece_of(LLVMGetValueName2(f, &len));
            if (piece >= 0)
                return piece;
        }
    return -1;
}

/* What came from the library is the program's own now; `cold` has kept its functions small so far.
 */
static void hide(LLVMValueRef g)
{
    if (LLVMIsAFunction(g))
        LLVMRemoveEnumAttributeAtIndex(g, FUNCTION_INDEX,
                                       LLVMGetEnumAttributeKindForName("cold", 4));
    const LLVMLinkage l = LLVMGetLinkage(g);
    if (!LLVMIsDeclaration(g) && (l == LLVMLinkOnceODRLinkage || l == LLVMLinkOnceAnyLinkage))
        LLVMSetLinkage(g, LLVMInternalLinkage);
}

/* functions of the piece are read when they are reached */
static bool link_piece(LLVMModuleRef m, int piece, Diag *d)
{
    const u32 *at = devlib_piece_at + piece;
    LLVMModuleRef lib = NULL;
    LLVMMemoryBufferRef bytes =
        LLVMCreateMemoryBufferWithMemoryRange(devlib_piece + at[0], at[1] - at[0], "devlib", 0);
    if (LLVMGetBitcodeModuleInContext2(LLVMGetModuleContext(m), bytes, &lib))
        return fail(d, "device library", "cannot be read");
    LLVMSetDataLayout(lib, layout);
    return !LLVMLinkModules2(m, lib) || fail(d, "device library", "cannot be linked");
}

static bool link_library(LLVMModuleRef m, Diag *d)
{
    for (int piece; (piece = missing_piece(m)) >= 0;)
        if (!link_piece(m, piece, d))
            return false;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        hide(f);
    for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
        hide(g);
    return true;
}

/* --- passes --------------------------------------------------------------------------- */

static bool run_passes(LLVMModuleRef m, const char *passes, Diag *d)
{
    LLVMPassBuilderOptionsRef opt = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(opt, 0);
    LLVMPassBuilderOptionsSetInlinerThreshold(opt, INLINE_THRESHOLD);
    LLVMErrorRef e = LLVMRunPasses(m, passes, NULL, opt);
    LLVMDisposePassBuilderOptions(opt);
    if (!e)
        return true;
    char *why = LLVMGetErrorMessage(e);
    fail(d, "optimiser", why);
    LLVMDisposeErrorMessage(why);
    return false;
}

static const char *pipeline(int level)
{
    switch (level) {
    case 0: return "always-inline,globaldce";
    case 1: return "default<O1>";
    case 2: return "default<O2>";
    default: return "default<O3>";
    }
}

/* The option of the pass builder does not reach the pass that makes vectors of scalars, which
 * takes quadratic time and all registers; this attribute does. */
static void forbid_vectors(LLVMModuleRef m)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName("noimplicitfloat", 15);
    LLVMAttributeRef a = LLVMCreateEnumAttribute(LLVMGetModuleContext(m), kind, 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMAddAttributeAtIndex(f, FUNCTION_INDEX, a);
}

/* What clang calls for a sampler that the program writes down: its word is the argument. */
#define SAMPLER_OF_CONSTANT "__translate_sampler_initializer"

/* The words of samplers that are constants, so that code for other samplers goes away. */
static void samplers_fold(LLVMModuleRef m)
{
    LLVMValueRef made = LLVMGetNamedFunction(m, SAMPLER_OF_CONSTANT);
    for (LLVMUseRef u = made ? LLVMGetFirstUse(made) : NULL; u; u = LLVMGetNextUse(u)) {
        LLVMValueRef call = LLVMGetUser(u);
        size_t len;
        for (LLVMUseRef v = LLVMGetFirstUse(call); v; v = LLVMGetNextUse(v)) {
            LLVMValueRef asked = LLVMGetUser(v);
            LLVMValueRef f = LLVMIsACallInst(asked) ? LLVMGetCalledValue(asked) : NULL;
            if (f && !strcmp(LLVMGetValueName2(f, &len), "__ventus_sampler"))
                LLVMReplaceAllUsesWith(asked, LLVMGetOperand(call, 0));
        }
    }
}

static bool unroll(LLVMModuleRef m, Diag *d)
{
    if (!unroll_mark(m))
        return true;
    if (!run_passes(
            m, "function(loop-unroll<O2>,loop(indvars),loop-mssa(licm),simplifycfg,early-cse)", d))
        return false;
    unroll_settle(m);
    return true;
}

/* Pointers are known best once they are values; what the optimiser knows to be an error it would
 * take away. */
static bool note_strays(LLVMModuleRef m, int level, Diag *d)
{
    if (level && !run_passes(m, "always-inline,cgscc(inline),function(mem2reg)", d))
        return false;
    strays_note(m);
    return run_passes(m, "always-inline,globaldce", d);
}

/* after spaces_infer(); an instcombine that one round is not enough for would end the process */
static const char tidying[] =
    "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,gvn,adce)";

/* (i + 1) * n as i * n + n, for rows of a grid beside each other; cc/regroup.c goes on from there */
static const char nearby[] = "function(slsr,early-cse)";

static bool optimise(LLVMModuleRef m, const Target *target, const BuildOptions *o, Diag *d)
{
    const int level = o->level;
    forbid_vectors(m);
    if (o->apart && !note_strays(m, level, d))
        return false;
    if (level && LLVMGetNamedFunction(m, "__ventus_sampler")) {
        if (!run_passes(m, "always-inline,function(sroa)", d))
            return false;
        samplers_fold(m);
    }
    if (level && must_converge(m)) {
        if (!run_passes(m, "always-inline", d))
            return false;
        if (!converge(m, target))
            return fail(d, "optimiser", "out of memory");
    }
    return run_passes(m, pipeline(level), d) &&
           (!spaces_infer(m) || !level || run_passes(m, tidying, d)) &&
           (level < 2 || (unroll(m, d) && run_passes(m, nearby, d)));
}

static bool expand(LLVMModuleRef m, Diag *d)
{
    bool again = true;
    for (int k = 0; k < MAX_EXPANSIONS && again; k++) {
        again = expand_half(m);
        again |= expand_operations(m);
        if (again && !link_library(m, d))
            return false;
    }
    return run_passes(
        m, "always-inline,globaldce,function(lower-switch,lower-constant-intrinsics,dce)", d);
}

/* --- the program as a whole ----------------------------------------------------------- */

static void settle_functions(LLVMModuleRef m, bool keep)
{
    const unsigned optnone = LLVMGetEnumAttributeKindForName("optnone", 7),
                   noinline = LLVMGetEnumAttributeKindForName("noinline", 8);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        /* 1. clang marks functions so at -O0, which the library's must not be mixed with */
        if (LLVMGetEnumAttributeAtIndex(f, FUNCTION_INDEX, optnone)) {
            LLVMRemoveEnumAttributeAtIndex(f, FUNCTION_INDEX, optnone);
            LLVMRemoveEnumAttributeAtIndex(f, FUNCTION_INDEX, noinline);
        }
        /* 2. what is no kernel is the program's own, unless other objects shall see it */
        if (!keep && !is_kernel(f) && !LLVMIsDeclaration(f))
            LLVMSetLinkage(f, LLVMInternalLinkage);
    }
}

/* Functions on the path that is being followed, and those that were followed to their ends. */
typedef struct {
    LLVMValueRef f[256], *done;
    size_t n, ndone;
} Path;

static bool is_among(LLVMValueRef f, LLVMValueRef const *list, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (list[k] == f)
            return true;
    return false;
}

static bool calls_itself(LLVMValueRef f, Path *path, Diag *d);

static bool callee_repeats(LLVMValueRef call, Path *path, Diag *d)
{
    LLVMValueRef f = LLVMGetCalledValue(call);
    size_t len;
    if (!LLVMIsAFunction(f) || LLVMIsDeclaration(f) || is_among(f, path->done, path->ndone))
        return false;
    if (is_among(f, path->f, path->n)) {
        error_at(d, call, "recursion is not supported: '%s' calls itself",
                 LLVMGetValueName2(f, &len));
        return true;
    }
    return calls_itself(f, path, d);
}

static bool calls_itself(LLVMValueRef f, Path *path, Diag *d)
{
    if (path->n == countof(path->f)) {
        error_at(d, f, "calls are nested more than %zu deep", countof(path->f));
        return true;
    }
    path->f[path->n++] = f;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i) && callee_repeats(i, path, d))
                return true;
    path->n--;
    path->done[path->ndone++] = f;
    return false;
}

static bool is_recursive(LLVMModuleRef m, Diag *d)
{
    Path path = {0};
    size_t count = 0;
    bool found = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        count++;
    path.done = mem_alloc(count * sizeof *path.done);
    if (!path.done)
        return !fail(d, "functions", "out of memory");
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f && !found; f = LLVMGetNextFunction(f))
        found = !LLVMIsDeclaration(f) && !is_among(f, path.done, path.ndone) &&
                calls_itself(f, &path, d);
    mem_free(path.done);
    return found;
}

/* the name within a mangled one, _Z<length>name<types>; *len of it counts */
static const char *plain_name(const char *name, size_t *len)
{
    size_t at = 2, n = 0;
    if (strncmp(name, "_Z", 2) != 0)
        return name;
    for (; name[at] >= '0' && name[at] <= '9' && n < *len; at++)
        n = n * 10 + (size_t)(name[at] - '0');
    if (!n || at + n > *len)
        return name;
    *len = n;
    return name + at;
}

static bool lacks_variables(LLVMModuleRef m, Diag *d)
{
    const int before = d->errors;
    for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g)) {
        LLVMUseRef use = LLVMGetFirstUse(g);
        size_t len;
        if (use && LLVMIsDeclaration(g) && LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != 3)
            error_at(d, LLVMGetUser(use), "'%s' is not defined", LLVMGetValueName2(g, &len));
    }
    return d->errors > before;
}

/* Reports the functions that neither the program nor the library has, but for those that the
 * lowering knows by name. */
static bool lacks_functions(LLVMModuleRef m, Diag *d)
{
    const int before = d->errors;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        size_t len;
        const char *name = LLVMGetValueName2(f, &len);
        LLVMUseRef use = LLVMGetFirstUse(f);
        if (LLVMIsDeclaration(f) && use && !LLVMGetIntrinsicID(f) &&
            strncmp(name, "__ventus_", 9) != 0 && strcmp(name, SAMPLER_OF_CONSTANT) != 0) {
            const char *plain = plain_name(name, &len);
            error_at(d, LLVMGetUser(use), "'%.*s' is not defined", (int)len, plain);
        }
    }
    return d->errors > before;
}

/* Says of the copies that clang made that they are; where it does not optimise it does not tell
 * them from other moves of bytes. */
static void mark_copies(LLVMModuleRef m)
{
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    const unsigned kind = LLVMGetMDKindIDInContext(ctx, COPY_MARK, sizeof COPY_MARK - 1);
    LLVMValueRef mark = LLVMMetadataAsValue(ctx, LLVMMDNodeInContext2(ctx, NULL, 0));
    for (LLVMValueRef i = walk_first(m); i; i = walk_next(i))
        if (LLVMIsAMemCpyInst(i))
            LLVMSetMetadata(i, kind, mark);
}

static bool link_program(LLVMModuleRef m, Diag *d)
{
    retype_kernels(m);
    if (!link_library(m, d))
        return false;
    retype_calls(m);
    return true;
}

bool middle_run(LLVMModuleRef m, const Target *target, const BuildOptions *b, bool keep, Diag *d)
{
    settle_functions(m, keep);
    if (!b->level)
        mark_copies(m);
    const bool may_be_unwritten = b->apart && b->level;
    if (may_be_unwritten)
        variables_unwritten(m);
    prepare_module(m, b->zero);
    components_store(m);
    indices_note(m);
    if (b->apart)
        async_note(m);
    if (b->fast_math)
        relaxed_shorten(m);
    if (!keep) /* what is linked later may ask for groups */
        grouping_note(m);
    if (!link_program(m, d))
        return false;
    if (may_be_unwritten)
        unwritten_keep_branches(m);
    if (!optimise(m, target, b, d) || is_recursive(m, d))
        return false;
    unwritten_forget(m);
    if (b->fast_math && b->level)
        relaxed_fuse(m);
    if (b->level) {
        extremes_join(m);
        doubles_narrow(m);
        if (!b->apart)
            bytes_join(m);
    }
    return expand(m, d) && (keep || (!lacks_functions(m, d) && !lacks_variables(m, d)));
}
