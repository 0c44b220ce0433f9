/* devlib.c -- makes the device library: devlib OUT IN.bc...
 *
 * Joins the bitcodes of lib/opencl/, optimises, and gives every definition the linkage
 * linkonce_odr, so that linking to a program takes only what the program reaches.  Writes
 *
 *   OUT.bc       all of it
 *   OUT-k.bc     what the kth input defined: a program reads only the parts that it needs
 *   OUT.s        the parts, and which of them has which function, for ventus-cc1:
 *                devlib_part       parts one after the other
 *                devlib_part_at    their offsets there, and the end
 *                devlib_name       names, each with its 0, in ascending order
 *                devlib_name_at    their offsets there
 *                devlib_name_part  the part of each
 *                devlib_names      how many they are
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

/* A module of the public functions of one part, with the private functions that they need. */
static LLVMModuleRef extract(LLVMModuleRef all, const Index *x, int part)
{
    LLVMModuleRef m = LLVMCloneModule(all);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        if (is_public(f) && part_of(x, f) != part)
            LLVMSetLinkage(f, LLVMAvailableExternallyLinkage);
    run_passes(m, "elim-avail-extern,globaldce");
    return m;
}

/* linkonce_odr comes last: until then it would be dropped */
static void write_module(LLVMModuleRef m, const char *file)
{
    make_optional(m);
    if (LLVMWriteBitcodeToFile(m, file))
        die(file, "cannot be written");
    LLVMDisposeModule(m);
}

/* --- the object ------------------------------------------------------------------------- */

static void begin(FILE *f, const char *symbol)
{
    fprintf(f, "\t.balign 16\n\t.globl %s\n\t.hidden %s\n%s:\n", symbol, symbol, symbol);
}

static void write_parts(FILE *f, const char *out, int n)
{
    begin(f, "devlib_part");
    for (int i = 0; i < n; i++)
        fprintf(f, ".Lpart%d:\t.incbin \"%s-%d.bc\"\n\t.balign 4\n", i, out, i);
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

static void write_assembly(const char *file, const char *out, int n, const Index *x)
{
    FILE *f = fopen(file, "w");
    if (!f)
        die(file, "cannot be written");
    fprintf(f, "\t.section .rodata\n");
    write_parts(f, out, n);
    write_names(f, x);
    fprintf(f, "\t.section .note.GNU-stack,\"\",@progbits\n");
    if (fclose(f))
        die(file, "cannot be written");
}

int main(int argc, char **argv)
{
    char file[4096];
    Index x = {0};
    if (argc < 3 || argc > 2 + 256)
        die("usage", "devlib OUT IN.bc...");
    LLVMContextRef ctx = LLVMContextCreate();
    LLVMModuleRef all = join(ctx, argv + 2, argc - 2, &x);
    relax(all);
    run_passes(all, "default<O2>"); /* once here instead of in every program */
    for (int i = 0; i < argc - 2; i++) {
        snprintf(file, sizeof file, "%s-%d.bc", argv[1], i);
        write_module(extract(all, &x, i), file);
    }
    snprintf(file, sizeof file, "%s.bc", argv[1]);
    write_module(all, file);
    snprintf(file, sizeof file, "%s.s", argv[1]);
    write_assembly(file, argv[1], argc - 2, &x);
    for (size_t i = 0; i < x.n; i++)
        free((char *)(size_t)x.entry[i].name);
    free(x.entry);
    LLVMContextDispose(ctx);
    return 0;
}
