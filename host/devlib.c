/* devlib.c -- makes the device library from the bitcodes of lib/opencl/, in three steps, so that
 * its parts are optimised side by side, and again only when something that they need has changed:
 *
 *   devlib split ALL.bc DIR IN.bc...
 *   devlib optimise IN.bc OUT.bc
 *   devlib pack OUT IN.bc...
 *
 * `split` joins all, and for the kth input writes DIR/NAME.bc, a part: what that input defines
 * (external linkage), and what this reaches in the others (linkonce_odr).  It leaves a file alone
 * that would be the same.  It also writes ALL.bc, all of it.
 *
 * `optimise` does so, drops what other parts define, and gives every definition the linkage
 * linkonce_odr, so that linking to a program takes only what the program reaches.
 *
 * `pack` writes OUT.bin and OUT.s for ventus-cc1, which reads only the pieces that a program needs.
 * A piece is a module of PIECE functions of a part, and of what these reach in it; a part that has
 * something of its own, which no two pieces may share, is one piece.
 *
 *   devlib_piece       OUT.bin, pieces one after the other
 *   devlib_piece_at    their offsets there, and the end
 *   devlib_name        names, each with its 0, in ascending order
 *   devlib_name_at     their offsets there
 *   devlib_name_piece  the piece of each
 *   devlib_names       how many they are
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

/* To read a piece takes time for each of its functions, and to link it takes time too. */
enum { PIECE = 64 };

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

/* --- functions and where they are -------------------------------------------------------- */

typedef struct {
    char *name;
    int home; /* the part or piece */
} Entry;

typedef struct {
    Entry *entry;
    size_t n, cap;
} Index;

static void add_name(Index *x, LLVMValueRef f, int home)
{
    size_t len;
    if (x->n == x->cap) {
        x->cap = x->cap ? 2 * x->cap : 1024;
        x->entry = realloc(x->entry, x->cap * sizeof *x->entry);
    }
    char *name = x->entry ? strdup(LLVMGetValueName2(f, &len)) : NULL;
    if (!name)
        die("names", "out of memory");
    x->entry[x->n++] = (Entry){name, home};
}

static bool is_defined(LLVMValueRef g, LLVMLinkage linkage)
{
    return !LLVMIsDeclaration(g) && LLVMGetLinkage(g) == linkage;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const Entry *)a)->name, ((const Entry *)b)->name);
}

static void sort_names(Index *x) { qsort(x->entry, x->n, sizeof *x->entry, by_name); }

static int home_of(const Index *x, LLVMValueRef f)
{
    size_t len;
    const Entry key = {.name = (char *)(size_t)LLVMGetValueName2(f, &len)};
    const Entry *e = bsearch(&key, x->entry, x->n, sizeof key, by_name);
    return e ? e->home : -1;
}

static void free_names(Index *x)
{
    for (size_t i = 0; i < x->n; i++)
        free(x->entry[i].name);
    free(x->entry);
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
        for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
            if (is_defined(f, LLVMExternalLinkage))
                add_name(x, f, i);
        if (LLVMLinkModules2(all, m))
            die(files[i], "does not go with the others");
    }
    sort_names(x);
    return all;
}

/* A module of the functions that are at home there, with all that they need, which is optional. The
 * linker takes of `all`, whose definitions are optional and whose bodies are read when they are
 * reached, only what is declared or used. */
static LLVMModuleRef extract(LLVMContextRef ctx, LLVMMemoryBufferRef all, const Index *x, int home)
{
    LLVMModuleRef from, m = LLVMModuleCreateWithNameInContext("devlib", ctx);
    LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRange(
        LLVMGetBufferStart(all), LLVMGetBufferSize(all), "devlib", 0);
    if (LLVMGetBitcodeModuleInContext2(ctx, bytes, &from))
        die("all parts", "cannot be read");
    LLVMSetTarget(m, LLVMGetTarget(from));
    LLVMSetDataLayout(m, LLVMGetDataLayoutStr(from));
    for (size_t i = 0; i < x->n; i++)
        if (x->entry[i].home == home)
            LLVMAddFunction(m, x->entry[i].name,
                            LLVMGlobalGetValueType(LLVMGetNamedFunction(from, x->entry[i].name)));
    if (LLVMLinkModules2(m, from))
        die("a part", "cannot be taken out");
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

/* --- pieces ----------------------------------------------------------------------------- */

typedef struct {
    Index names;
    FILE *bin;
    size_t *at, n, cap; /* offsets in bin */
} Pieces;

static bool owns_something(LLVMModuleRef m)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        if (is_defined(f, LLVMInternalLinkage))
            return true;
    return LLVMGetFirstGlobal(m) != NULL;
}

/* Notes where the next piece begins, after the bytes of the last one. */
static void begin_piece(Pieces *p)
{
    static const char zeros[4];
    long at = ftell(p->bin);
    if (at < 0 || fwrite(zeros, 1, (size_t)(-at & 3), p->bin) != (size_t)(-at & 3))
        die("pieces", "cannot be written");
    if (p->n == p->cap) {
        p->cap = p->cap ? 2 * p->cap : 256;
        p->at = realloc(p->at, p->cap * sizeof *p->at);
        if (!p->at)
            die("pieces", "out of memory");
    }
    p->at[p->n++] = (size_t)((at + 3) & ~3L);
}

static void put_piece(Pieces *p, LLVMModuleRef m)
{
    LLVMMemoryBufferRef bytes = LLVMWriteBitcodeToMemoryBuffer(m);
    const size_t n = LLVMGetBufferSize(bytes);
    begin_piece(p);
    if (fwrite(LLVMGetBufferStart(bytes), 1, n, p->bin) != n)
        die("pieces", "cannot be written");
    LLVMDisposeMemoryBuffer(bytes);
}

static void cut(Pieces *p, LLVMContextRef ctx, LLVMModuleRef part)
{
    LLVMMemoryBufferRef bytes = LLVMWriteBitcodeToMemoryBuffer(part);
    const int first = (int)p->n;
    Index x = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(part); f; f = LLVMGetNextFunction(f))
        if (is_defined(f, LLVMLinkOnceODRLinkage)) {
            add_name(&p->names, f, first + (int)(x.n / PIECE));
            add_name(&x, f, (int)(x.n / PIECE));
        }
    const int n = (int)((x.n + PIECE - 1) / PIECE);
    for (int k = 0; k < n; k++) {
        LLVMModuleRef m = extract(ctx, bytes, &x, k);
        put_piece(p, m);
        LLVMDisposeModule(m);
    }
    free_names(&x);
    LLVMDisposeMemoryBuffer(bytes);
}

static void keep_whole(Pieces *p, LLVMModuleRef part)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(part); f; f = LLVMGetNextFunction(f))
        if (is_defined(f, LLVMLinkOnceODRLinkage))
            add_name(&p->names, f, (int)p->n);
    put_piece(p, part);
}

/* --- the object ------------------------------------------------------------------------- */

static void begin(FILE *f, const char *symbol)
{
    fprintf(f, "\t.balign 16\n\t.globl %s\n\t.hidden %s\n%s:\n", symbol, symbol, symbol);
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
    begin(f, "devlib_name_piece");
    for (size_t i = 0; i < x->n; i++)
        fprintf(f, "\t.short %d\n", x->entry[i].home);
    begin(f, "devlib_names");
    fprintf(f, "\t.long %zu\n", x->n);
}

static void write_assembly(const char *file, const char *bin, const Pieces *p)
{
    FILE *f = fopen(file, "w");
    if (!f)
        die(file, "cannot be written");
    fprintf(f, "\t.section .rodata\n");
    begin(f, "devlib_piece");
    fprintf(f, "\t.incbin \"%s\"\n", bin);
    begin(f, "devlib_piece_at");
    for (size_t i = 0; i < p->n; i++)
        fprintf(f, "\t.long %zu\n", p->at[i]);
    write_names(f, &p->names);
    fprintf(f, "\t.section .note.GNU-stack,\"\",@progbits\n");
    if (fclose(f))
        die(file, "cannot be written");
}

/* --- commands --------------------------------------------------------------------------- */

/* "build/devlib/image.bc" gives "image" */
static const char *stem(const char *file, int *len)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    *len = (int)strcspn(name, ".");
    return name;
}

static void split(const char *whole, const char *dir, char **files, int n)
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
        for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
            if (home_of(&x, f) == i)
                LLVMSetLinkage(f, LLVMExternalLinkage);
        LLVMMemoryBufferRef part = LLVMWriteBitcodeToMemoryBuffer(m);
        snprintf(file, sizeof file, "%s/%.*s.bc", dir, len, name);
        write_if_changed(part, file);
        LLVMDisposeMemoryBuffer(part);
        LLVMDisposeModule(m);
    }
    write_bytes(bytes, whole);
    LLVMDisposeMemoryBuffer(bytes);
    free_names(&x);
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

static void pack(const char *out, char **files, int n)
{
    char bin[4096], text[4096];
    LLVMContextRef ctx = LLVMContextCreate();
    Pieces p = {0};
    snprintf(bin, sizeof bin, "%s.bin", out);
    snprintf(text, sizeof text, "%s.s", out);
    p.bin = fopen(bin, "wb");
    if (!p.bin)
        die(bin, "cannot be written");
    for (int i = 0; i < n; i++) {
        LLVMModuleRef part = read_module(ctx, files[i]);
        if (owns_something(part))
            keep_whole(&p, part);
        else
            cut(&p, ctx, part);
        LLVMDisposeModule(part);
    }
    begin_piece(&p); /* the end */
    if (fclose(p.bin))
        die(bin, "cannot be written");
    sort_names(&p.names);
    write_assembly(text, bin, &p);
    free_names(&p.names);
    free(p.at);
    LLVMContextDispose(ctx);
}

int main(int argc, char **argv)
{
    if (argc >= 5 && !strcmp(argv[1], "split"))
        split(argv[2], argv[3], argv + 4, argc - 4);
    else if (argc == 4 && !strcmp(argv[1], "optimise"))
        optimise(argv[2], argv[3]);
    else if (argc >= 4 && !strcmp(argv[1], "pack"))
        pack(argv[2], argv + 3, argc - 3);
    else
        die("usage", "devlib split ALL.bc DIR IN.bc... | devlib optimise IN.bc OUT.bc | "
                     "devlib pack OUT IN.bc...");
    return 0;
}
