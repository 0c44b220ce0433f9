/* devlib.c -- makes the device library: devlib OUT.bc IN.bc...
 *
 * Joins the bitcodes of lib/opencl/, gives every definition the linkage linkonce_odr, so that
 * linking to a program takes only what the program reaches, optimises, and writes one
 * bitcode, which becomes part of libventus-cc.so.
 */
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Transforms/PassBuilder.h>
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

/* what a program does not use goes */
static void make_optional(LLVMModuleRef m)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMExternalLinkage)
            LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
    for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
        if (!LLVMIsDeclaration(g) && LLVMGetLinkage(g) == LLVMExternalLinkage)
            LLVMSetLinkage(g, LLVMLinkOnceODRLinkage);
}

/* clang takes every function for one that the group must call together; of the machine's operations
 * only the barrier is, and the optimiser finds the rest out */
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

/* once here instead of in every program; linkonce_odr comes after, or all would be dropped */
static void optimise(LLVMModuleRef m)
{
    LLVMPassBuilderOptionsRef opt = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(opt, 0);
    LLVMPassBuilderOptionsSetSLPVectorization(opt, 0);
    LLVMPassBuilderOptionsSetLoopUnrolling(opt, 0);
    LLVMErrorRef e = LLVMRunPasses(m, "default<O2>", NULL, opt);
    if (e)
        die("optimiser", LLVMGetErrorMessage(e));
    LLVMDisposePassBuilderOptions(opt);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        die("usage", "devlib OUT.bc IN.bc...");
    LLVMContextRef ctx = LLVMContextCreate();
    LLVMModuleRef m = read_module(ctx, argv[2]);
    for (int i = 3; i < argc; i++)
        if (LLVMLinkModules2(m, read_module(ctx, argv[i])))
            die(argv[i], "does not go with the others");
    LLVMSetModuleIdentifier(m, "devlib", 6);
    relax(m);
    optimise(m);
    make_optional(m);
    if (LLVMWriteBitcodeToFile(m, argv[1]))
        die(argv[1], "cannot be written");
    LLVMDisposeModule(m);
    LLVMContextDispose(ctx);
    return 0;
}
