/* codemaker.c -- a request to an object of host code, by LLVM's optimiser and code generator. */
#include "base/fdio.h"
#include "jit/codejob.h"
#include "jit/codemaker.h"
#include "jit/translate.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 28 }; /* of a request */

static const char passes[] =
    "sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-rotate,licm),instcombine<no-verify-fixpoint>,early-cse,"
    "simplifycfg,sink";

void codemaker_prepare(void)
{
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser(); /* of inline assembly */
}

/* --- the host ------------------------------------------------------------------------------------
 */

typedef struct {
    LLVMTargetMachineRef machine;
    HostVectors vectors;
    char *cpu, *features;
} Target;

static bool open_target(Target *t, const char *level)
{
    char *triple = LLVMGetDefaultTargetTriple(), *cpu = LLVMGetHostCPUName(),
         *features = LLVMGetHostCPUFeatures(), *message = NULL;
    const bool wide = !strcmp(level, "avx512"), middle = !strcmp(level, "avx2");
    LLVMTargetRef found = NULL;
    t->cpu = mem_strdup(wide ? cpu : middle ? "haswell" : "x86-64");
    t->features = mem_strdup(wide ? features : "");
    if (t->cpu && t->features && !LLVMGetTargetFromTriple(triple, &found, &message))
        t->machine =
            LLVMCreateTargetMachine(found, triple, t->cpu, t->features, LLVMCodeGenLevelDefault,
                                    LLVMRelocPIC, LLVMCodeModelSmall);
    LLVMDisposeMessage(triple);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    LLVMDisposeMessage(message);
    t->vectors = (HostVectors){.chunk = wide     ? 16
                                        : middle ? 8
                                                 : 4,
                               .gathers = wide,
                               .cpu = t->cpu,
                               .features = t->features};
    return t->machine;
}

static void close_target(Target *t)
{
    if (t->machine)
        LLVMDisposeTargetMachine(t->machine);
    mem_free(t->cpu);
    mem_free(t->features);
}

/* --- objects -------------------------------------------------------------------------------------
 */

/* VENTUS_JIT_DUMP: a file for each region and stage */
static void show(LLVMModuleRef m, const char *name, const char *stage)
{
    const char *dir = getenv("VENTUS_JIT_DUMP");
    char path[4096];
    if (!dir || !*dir)
        return;
    snprintf(path, sizeof path, "%s/%s.%s.ll", dir, name, stage);
    LLVMPrintModuleToFile(m, path, NULL);
}

/* Optimises the module, which is used up, and makes an object of it; NULL: it cannot be had. */
static LLVMMemoryBufferRef make_object(const Target *t, LLVMModuleRef m, const char *name)
{
    LLVMMemoryBufferRef object = NULL;
    char *message = NULL, *triple = LLVMGetTargetMachineTriple(t->machine);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(t->machine);
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
    LLVMErrorRef error = LLVMRunPasses(m, passes, t->machine, options);
    show(m, name, "optimised");
    if (error)
        LLVMConsumeError(error);
    else if (LLVMTargetMachineEmitToMemoryBuffer(t->machine, m, LLVMObjectFile, &message, &object))
        object = NULL;
    LLVMDisposeMessage(message);
    LLVMDisposePassBuilderOptions(options);
    LLVMDisposeMessage(triple);
    LLVMDisposeTargetData(layout);
    LLVMDisposeModule(m);
    return object;
}

static bool answer(const Target *t, const CodeJob *j, Buf *to)
{
    char name[48];
    CodeAnswer a = {.digest = j->region ? region_digest(j->region) : 0};
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef m;
    if (j->region) {
        snprintf(name, sizeof name, "r%08x_%u%s_%08x", j->region->pc, j->region->lanes,
                 j->region->full ? "full" : "", (u32)a.digest);
        m = translate(context, j->region, &t->vectors, j->headers, CODE_SYMBOL, a.helpers);
    } else {
        const Helper h = helper_of(j->helper);
        snprintf(name, sizeof name, "helper%u", j->helper);
        m = make_helper(context, &h, &t->vectors, CODE_SYMBOL, a.helpers);
    }
    LLVMMemoryBufferRef object = m ? make_object(t, m, name) : NULL;
    if (object) {
        a.object = (Bytes){(const u8 *)LLVMGetBufferStart(object), LLVMGetBufferSize(object)};
        codeanswer_write(&a, to);
        LLVMDisposeMemoryBuffer(object);
    }
    LLVMContextDispose(context);
    return object && !to->failed;
}

int codemaker_job(void *self)
{
    Buf request = {0}, to = {0};
    ReadJob r;
    Target t = {NULL};
    (void)self;
    if (!getenv("VENTUS_JIT_DUMP"))
        proc_confine();
    if (!fd_read(CODEJOB_REQUEST, MOST_BYTES, &request))
        return 1;
    const bool ok = codejob_read(request.data, request.len, &r) && open_target(&t, r.job.level) &&
                    answer(&t, &r.job, &to) && fd_write(CODEJOB_ANSWER, to.data, to.len);
    close_target(&t);
    codejob_close(&r);
    buf_free(&request);
    buf_free(&to);
    return !ok;
}
