/* devlib.c -- makes the device library from the bitcodes of lib/opencl/, in two steps, so that its
 * parts are optimised side by side, and again only when something that they need has changed:
 *
 *   devlib split OUT DIR IN.bc...
 *   devlib optimise IN.bc OUT.bc
 *
 * `split` joins all, and for the kth input writes DIR/NAME.bc: what that input defines (external
 * linkage), and what this reaches in the others (linkonce_odr).  It leaves a file alone that would
 * be the same.  It also writes
 *
 *   OUT.bc       all of it
 *   OUT.s        the optimised parts, and which of them has which function, for ventus-cc1, which
 * reads only the parts that a program needs: devlib_part       parts one after the other
 *                devlib_part_at    their offsets there, and the end
 *                devlib_name       names, each with its 0, in ascending order
 *                devlib_name_at    their offsets there
 *                devlib_name_part  the part of each
 *                devlib_names      how many they are
 *
 * `optimise` does so, drops what other parts define, and gives every definition the linkage
 * linkonce_odr, so that linking to a program takes only what the program reaches.
 */
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void die(const char *what, const char *why)
{
    fprintf(stderr, "devlib: %s: %s\n", what, why);
    exit(1);
}

static LLVMModuleRef read_module(LLVMContextRef ctx, const char *file)
{
    LLVMMemoryBufferRef bytes;
    LLVMModuleRef m;
    char *why;
    if (LLVMCreateMemoryBufferWithContentsOfFile(file, &bytes, &why))
        die(file, why);
    if (LLVMParseBitcodeInContext2(ctx, bytes, &m))
        die(file, "no bitcode");
    LLVMDisposeMemoryBuffer(bytes);
    return m;
}

/* --- functions and their parts ---------------------------------------------------------- */

typedef struct {
    char *name;
    int part;
} Entry;

typedef struct {
    Entry *entry;
    size_t n, cap;
} Index;

static bool is_public(LLVMValueRef f)
{
    return !LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMExternalLinkage;
}

static void add_names(Index *x, LLVMModuleRef m, int part)
{
    size_t len;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        if (!is_public(f))
            continue;
        if (x->n == x->cap) {
            x->cap = x->cap ? 2 * x->cap : 1024;
            x->entry = realloc(x->entry, x->cap * sizeof *x->entry);
        }
        char *name = x->entry ? strdup(LLVMGetValueName2(f, &len)) : NULL;
        if (!name)
            die("names", "out of memory");
        x->entry[x->n++] = (Entry){name, part};
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const Entry *)a)->name, ((const Entry *)b)->name);
}

static int part_of(const Index *x, LLVMValueRef f)
{
    size_t len;
    const Entry key = {.name = (char *)(size_t)LLVMGetValueName2(f, &len)};
    const Entry *e = bsearch(&key, x->entry, x->n, sizeof key, by_name);
    return e ? e->part : -1;
}

/* --- modules ---------------------------------------------------------------------------- */

static void run_passes(LLVMModuleRef m, const char *passes)
{
    LLVMPassBuilderOptionsRef opt = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(opt, 0);
    LLVMPassBuilderOptionsSetSLPVectorization(opt, 0);
    LLVMPassBuilderOptionsSetLoopUnrolling(opt, 0);
    LLVMErrorRef e = LLVMRunPasses(m, passes, NULL, opt);
    if (e)
        die("optimiser", LLVMGetErrorMessage(e));
    LLVMDisposePassBuilderOptions(opt);
}

/* Lets a linker leave out what a program does not use. */
static void make_optional(LLVMModuleRef m)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMExternalLinkage)
            LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
    for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
        if (!LLVMIsDeclaration(g) && LLVMGetLinkage(g) == LLVMExternalLinkage)
            LLVMSetLinkage(g, LLVMLinkOnceODRLinkage);
}

/* clang marks every function as one that the whole group must call together (convergent).  Of the
 * machine's operations only the barrier is; which other functions are, the optimiser finds out. */
static void relax(LLVMModuleRef m)
{
    const unsigned convergent = LLVMGetEnumAttributeKindForName("convergent", 10);
    size_t len;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f) || !strcmp(LLVMGetValueName2(f, &len), "__ventus_barrier"))
            continue;
        LLVMRemoveEnumAttributeAtIndex(f, (unsigned)LLVMAttributeFunctionIndex, convergent);
        for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u))
            if (LLVMIsACallInst(LLVMGetUser(u)))
                LLVMRemoveCallSiteEnumAttribute(LLVMGetUser(u),
                                                (unsigned)LLVMAttributeFunctionIndex, convergent);
    }
}

static LLVMModuleRef join(LLVMContextRef ctx, char **files, int n, Index *x)
{
    LLVMModuleRef all = LLVMModuleCreateWithNameInContext("devlib", ctx);
    for (int i = 0; i < n; i++) {
        LLVMModuleRef m = read_module(ctx, files[i]);
        if (!i) {
            LLVMSetTarget(all, LLVMGetTarget(m));
            LLVMSetDataLayout(all, LLVMGetDataLayoutStr(m));
        }
        add_names(x, m, i);
        if (LLVMLinkModules2(all, m))
            die(files[i], "does not go with the others");
    }
    qsort(x->entry, x->n, sizeof *x->entry, by_name);
    return all;
}

/* A module of the public functions of one part, with all that they need.  The linker takes of
 * `all`, whose definitions are optional and whose bodies are read when they are reached, only what
 * is declared or used. */
static LLVMModuleRef extract(LLVMContextRef ctx, LLVMMemoryBufferRef all, const Index *x, int part)
{
    LLVMModuleRef from, m = LLVMModuleCreateWithNameInContext("devlib", ctx);
    LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRange(
        LLVMGetBufferStart(all), LLVMGetBufferSize(all), "devlib", 0);
    if (LLVMGetBitcodeModuleInContext2(ctx, bytes, &from))
        die("all parts", "cannot be read");
    LLVMSetTarget(m, LLVMGetTarget(from));
    LLVMSetDataLayout(m, LLVMGetDataLayoutStr(from));
    for (size_t i = 0; i < x->n; i++)
        if (x->entry[i].part == part)
            LLVMAddFunction(m, x->entry[i].name,
                            LLVMGlobalGetValueType(LLVMGetNamedFunction(from, x->entry[i].name)));
    if (LLVMLinkModules2(m, from))
        die("a part", "cannot be taken out");
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        if (part_of(x, f) == part)
            LLVMSetLinkage(f, LLVMExternalLinkage);
    return m;
}

/* --- files ------------------------------------------------------------------------------ */

static void write_bytes(LLVMMemoryBufferRef bytes, const char *file)
{
    FILE *f = fopen(file, "wb");
    const size_t n = LLVMGetBufferSize(bytes);
    if (!f || fwrite(LLVMGetBufferStart(bytes), 1, n, f) != n || fclose(f))
        die(file, "cannot be written");
}

static void write_if_changed(LLVMMemoryBufferRef bytes, const char *file)
{
    LLVMMemoryBufferRef old;
    char *why;
    if (!LLVMCreateMemoryBufferWithContentsOfFile(file, &old, &why)) {
        const bool same =
            LLVMGetBufferSize(old) == LLVMGetBufferSize(bytes) &&
            !memcmp(LLVMGetBufferStart(old), LLVMGetBufferStart(bytes), LLVMGetBufferSize(bytes));
        LLVMDisposeMemoryBuffer(old);
        if (same)
            return;
    } else {
        LLVMDisposeMessage(why);
    }
    write_bytes(bytes, file);
}

/* --- the object ------------------------------------------------------------------------- */

static void begin(FILE *f, const char *symbol)
{
    fprintf(f, "\t.balign 16\n\t.globl %s\n\t.hidden %s\n%s:\n", symbol, symbol, symbol);
}

/* "build/devlib/image.bc" gives "image" */
static const char *stem(const char *file, int *len)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    *len = (int)strcspn(name, ".");
    return name;
}

static void write_parts(FILE *f, char **files, int n)
{
    begin(f, "devlib_part");
    for (int i = 0; i < n; i++) {
        int len;
        const char *name = stem(files[i], &len);
        fprintf(f, ".Lpart%d:\t.incbin \"%.*s.bc\"\n\t.balign 4\n", i, len, name);
    }
    fprintf(f, ".Lpart%d:\n", n);
    begin(f, "devlib_part_at");
    for (int i = 0; i <= n; i++)
        fprintf(f, "\t.long .Lpart%d - devlib_part\n", i);
}

static void write_names(FILE *f, const Index *x)
{
    size_t at = 0;
    begin(f, "devlib_name");
    for (size_t i = 0; i < x->n; i++)
        fprintf(f, "\t.asciz \"%s\"\n", x->entry[i].name);
    begin(f, "devlib_name_at");
    for (size_t i = 0; i < x->n; at += strlen(x->entry[i++].name) + 1)
        fprintf(f, "\t.long %zu\n", at);
    begin(f, "devlib_name_part");
    for (size_t i = 0; i < x->n; i++)
        fprintf(f, "\t.byte %d\n", x->entry[i].part);
    begin(f, "devlib_names");
    fprintf(f, "\t.long %zu\n", x->n);
}

static void write_assembly(const char *file, char **files, int n, const Index *x)
{
    FILE *f = fopen(file, "w");
    if (!f)
        die(file, "cannot be written");
    fprintf(f, "\t.section .rodata\n");
    write_parts(f, files, n);
    write_names(f, x);
    fprintf(f, "\t.section .note.GNU-stack,\"\",@progbits\n");
    if (fclose(f))
        die(file, "cannot be written");
}

/* --- commands --------------------------------------------------------------------------- */

static void split(const char *out, const char *dir, char **files, int n)
{
    char file[4096];
    Index x = {0};
    LLVMContextRef ctx = LLVMContextCreate();
    LLVMModuleRef all = join(ctx, files, n, &x);
    relax(all);
    make_optional(all);
    LLVMMemoryBufferRef bytes = LLVMWriteBitcodeToMemoryBuffer(all);
    LLVMDisposeModule(all);
    for (int i = 0; i < n; i++) {
        int len;
        const char *name = stem(files[i], &len);
        LLVMModuleRef m = extract(ctx, bytes, &x, i);
        LLVMMemoryBufferRef part = LLVMWriteBitcodeToMemoryBuffer(m);
        snprintf(file, sizeof file, "%s/%.*s.bc", dir, len, name);
        write_if_changed(part, file);
        LLVMDisposeMemoryBuffer(part);
        LLVMDisposeModule(m);
    }
    snprintf(file, sizeof file, "%s.bc", out);
    write_bytes(bytes, file);
    LLVMDisposeMemoryBuffer(bytes);
    snprintf(file, sizeof file, "%s.s", out);
    write_assembly(file, files, n, &x);
    for (size_t i = 0; i < x.n; i++)
        free((char *)(size_t)x.entry[i].name);
    free(x.entry);
    LLVMContextDispose(ctx);
}

/* Functions of other parts stay definitions until the passes have run, which may put them in line;
 * meanwhile their visibility tells them from the part's own. */
static void optimise(const char *in, const char *out)
{
    LLVMContextRef ctx = LLVMContextCreate();
    LLVMModuleRef m = read_module(ctx, in);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        if (LLVMGetLinkage(f) == LLVMLinkOnceODRLinkage) {
            LLVMSetLinkage(f, LLVMExternalLinkage);
            LLVMSetVisibility(f, LLVMProtectedVisibility);
        }
    run_passes(m, "default<O2>"); /* once here instead of in every program */
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && LLVMGetVisibility(f) == LLVMProtectedVisibility)
            LLVMSetLinkage(f, LLVMAvailableExternallyLinkage);
    run_passes(m, "elim-avail-extern,globaldce");
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        LLVMSetVisibility(f, LLVMDefaultVisibility);
    make_optional(m);
    if (LLVMWriteBitcodeToFile(m, out))
        die(out, "cannot be written");
    LLVMDisposeModule(m);
    LLVMContextDispose(ctx);
}

int main(int argc, char **argv)
{
    if (argc >= 5 && argc <= 4 + 256 && !strcmp(argv[1], "split"))
        split(argv[2], argv[3], argv + 4, argc - 4);
    else if (argc == 4 && !strcmp(argv[1], "optimise"))
        optimise(argv[2], argv[3]);
    else
        die("usage", "devlib split OUT DIR IN.bc... | devlib optimise IN.bc OUT.bc");
    return 0;
}
