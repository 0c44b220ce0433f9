/* orc.c -- from a region to executable host code, by LLVM's optimiser, code generator and ORC. */
#include "jit/translate.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct HostCompiler {
    pthread_mutex_t lock; /* one compilation at a time */
    LLVMTargetMachineRef target;
    LLVMOrcLLJITRef jit;
    HostVectors vectors;
    char *cpu, *features;
    u32 number; /* of functions, for their names */
    u64 keep,
        access[4][2][2][2][NOP]; /* helpers by lanes, stores, full, apart, op; 0: not made yet */
};

static const char passes[] =
    "sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-rotate,licm),instcombine<no-verify-fixpoint>,early-cse,"
    "simplifycfg,sink";

static void complain(char **why, const char *text) { *why = mem_strdup(text); }

/* Takes the error. */
static bool failed(LLVMErrorRef error, char **why)
{
    if (!error)
        return false;
    char *text = LLVMGetErrorMessage(error);
    if (why)
        complain(why, text);
    LLVMDisposeErrorMessage(text);
    return true;
}

static bool make_target(HostCompiler *c, const char *level, char **why)
{
    char *triple = LLVMGetDefaultTargetTriple(), *cpu = LLVMGetHostCPUName(),
         *features = LLVMGetHostCPUFeatures(), *message = NULL;
    const bool best = !strcmp(level, "avx512") || !strstr(triple, "x86_64");
    LLVMTargetRef t = NULL;
    c->cpu = mem_strdup(best ? cpu : !strcmp(level, "avx2") ? "haswell" : "x86-64");
    c->features = mem_strdup(best ? features : "");
    if (LLVMGetTargetFromTriple(triple, &t, &message))
        complain(why, message);
    else if (c->cpu && c->features &&
             !(c->target =
                   LLVMCreateTargetMachine(t, triple, c->cpu, c->features, LLVMCodeGenLevelDefault,
                                           LLVMRelocPIC, LLVMCodeModelJITDefault)))
        complain(why, "LLVM has no such host");
    LLVMDisposeMessage(triple);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    LLVMDisposeMessage(message);
    return c->target;
}

/* What LLVM calls for want of instructions (fused products of old hosts) is in this process. */
static bool find_process_symbols(LLVMOrcLLJITRef jit, char **why)
{
    LLVMOrcDefinitionGeneratorRef g;
    if (failed(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
                   &g, LLVMOrcLLJITGetGlobalPrefix(jit), NULL, NULL),
               why))
        return false;
    LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(jit), g);
    return true;
}

static void show(LLVMModuleRef m, const char *name, const char *stage)
{
    const char *dir = getenv("VENTUS_JIT_DUMP");
    char path[4096];
    if (!dir)
        return;
    snprintf(path, sizeof path, "%s/%s.%s.ll", dir, name, stage);
    LLVMPrintModuleToFile(m, path, NULL);
}

/* Optimises the module, which is used up, and makes an object of it; NULL: it cannot be had. */
static LLVMMemoryBufferRef make_object(HostCompiler *c, LLVMModuleRef m, const char *name)
{
    LLVMMemoryBufferRef object = NULL;
    char *message = NULL, *triple = LLVMGetTargetMachineTriple(c->target);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(c->target);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMSetModuleDataLayout(m, layout);
    LLVMSetTarget(m, triple);
    show(m, name, "made");
#ifdef DEBUG
    if (LLVMVerifyModule(m, LLVMReturnStatusAction, &message))
        bug("compiled code is wrong: %s", message);
    LLVMDisposeMessage(message);
    message = NULL;
#endif
    const bool ok = !failed(LLVMRunPasses(m, passes, c->target, options), NULL);
    show(m, name, "optimised");
    if (ok &&
        LLVMTargetMachineEmitToMemoryBuffer(c->target, m, LLVMObjectFile, &message, &object)) {
        LLVMDisposeMessage(message);
        object = NULL;
    }
    LLVMDisposePassBuilderOptions(options);
    LLVMDisposeMessage(triple);
    LLVMDisposeTargetData(layout);
    LLVMDisposeModule(m);
    return object;
}

/* The address of the function in the object, which is used up; 0: it cannot be had. */
static u64 load_object(HostCompiler *c, LLVMMemoryBufferRef object, const char *name, void **held)
{
    LLVMOrcExecutorAddress at = 0;
    LLVMOrcResourceTrackerRef tracker =
        LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(c->jit));
    if (failed(LLVMOrcLLJITAddObjectFileWithRT(c->jit, tracker, object), NULL) ||
        failed(LLVMOrcLLJITLookup(c->jit, &at, name), NULL) || !held) {
        LLVMOrcReleaseResourceTracker(tracker); /* what it has stays */
        return at;
    }
    *held = tracker;
    return at;
}

static u64 helper_address(void *self, const Helper *h)
{
    HostCompiler *c = self;
    u64 *at = h->is_keep
                  ? &c->keep
                  : &c->access[__builtin_ctz(h->lanes) - 2][h->stores][h->full][h->apart][h->op];
    char name[32];
    if (*at)
        return *at;
    snprintf(name, sizeof name, "helper%u", c->number++);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef m = make_helper(context, h, &c->vectors, name);
    LLVMMemoryBufferRef object = m ? make_object(c, m, name) : NULL;
    LLVMContextDispose(context);
    if (object)
        *at = load_object(c, object, name, NULL);
    return *at;
}

static HostCode *compile(HostCompiler *c, const Region *r, bool headers, void **held)
{
    char name[32];
    u64 at = 0;
    pthread_mutex_lock(&c->lock);
    snprintf(name, sizeof name, "r%u_%08x", c->number++, r->pc);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef m = translate(context, r, &c->vectors, headers, name);
    LLVMMemoryBufferRef object = m ? make_object(c, m, name) : NULL;
    LLVMContextDispose(context);
    if (object)
        at = load_object(c, object, name, held);
    pthread_mutex_unlock(&c->lock);
    return (HostCode *)(uintptr_t)at;
}

static void close_compiler(HostCompiler *c)
{
    if (!c)
        return;
    if (c->jit)
        failed(LLVMOrcDisposeLLJIT(c->jit), NULL);
    if (c->target)
        LLVMDisposeTargetMachine(c->target);
    pthread_mutex_destroy(&c->lock);
    mem_free(c->cpu);
    mem_free(c->features);
    mem_free(c);
}

static HostCompiler *open_compiler(const char *level, char **why)
{
    *why = NULL;
    HostCompiler *c = mem_zalloc(1, sizeof *c);
    if (!c)
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser(); /* of inline assembly */
    const bool wide = !strcmp(level, "avx512");
    if (make_target(c, level, why) && !failed(LLVMOrcCreateLLJIT(&c->jit, NULL), why) &&
        find_process_symbols(c->jit, why)) {
        c->vectors = (HostVectors){.chunk = wide                     ? 16
                                            : !strcmp(level, "avx2") ? 8
                                                                     : 4,
                                   .gathers = wide,
                                   .cpu = c->cpu,
                                   .features = c->features,
                                   .helper = helper_address,
                                   .self = c};
        return c;
    }
    close_compiler(c);
    return NULL;
}

static void free_code(HostCompiler *c, void *held)
{
    LLVMOrcResourceTrackerRef tracker = held;
    pthread_mutex_lock(&c->lock);
    failed(LLVMOrcResourceTrackerRemove(tracker), NULL);
    LLVMOrcReleaseResourceTracker(tracker);
    pthread_mutex_unlock(&c->lock);
}

__attribute__((visibility("default"))) extern const HostLib ventus_jit_hostlib;
const HostLib ventus_jit_hostlib = {
    .version = HOSTLIB_VERSION,
    .open = open_compiler,
    .close = close_compiler,
    .compile = compile,
    .free = free_code,
};
