/* codemaker.c -- a request to an object of host code, by LLVM's optimiser and code generator. */
#include "base/fdio.h"
#include "jit/codejob.h"
#include "jit/codemaker.h"
#include "jit/translate.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_BYTES = 1 << 28 }; /* of a request */

/* before delay_canonical(), and behind it */
static const char first_passes[] = "sroa,early-cse";
static const char passes[] =
    "instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-rotate,licm),instcombine<no-verify-fixpoint>,early-cse,"
    "simplifycfg,sink";

struct CodeMaker {
    char level[8];
    LLVMTargetMachineRef quick, full;
    HostVectors vectors;
    char *cpu, *features;
    bool confined; /* this process, by a job before */
    u64 counted;   /* processor time of this process that answers told before, in nanoseconds */
};

/* --- the host ---------------------------------------------------------------------------- */

static LLVMTargetMachineRef open_target(const CodeMaker *c, LLVMCodeGenOptLevel effort)
{
    char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
    LLVMTargetRef t = NULL;
    LLVMTargetMachineRef machine = NULL;
    if (!LLVMGetTargetFromTriple(triple, &t, &message))
        machine = LLVMCreateTargetMachine(t, triple, c->cpu, c->features, effort, LLVMRelocPIC,
                                          LLVMCodeModelSmall);
    LLVMDisposeMessage(triple);
    LLVMDisposeMessage(message);
    return machine;
}

/* Whether the processor is one of Intel's, whose gathers and scatters of few lanes take less time than others'. */
static bool is_intel(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_is("intel");
#else
    return false;
#endif
}

void codemaker_set_options(void)
{
    /* Splitting of what lives long may take the allocator of registers more time than all else; with a tenth of
     * LLVM's bound on it code is as fast. */
    const char *const words[] = {"ventus-jit1", "-grow-region-complexity-budget=1000"};
    LLVMParseCommandLineOptions(countof(words), words, NULL);
}

#if defined(__aarch64__)
static const char least_cpu[] = "generic"; /* any of AArch64, which has vectors of four words */
enum { IS_AARCH64 = true };
#else
static const char least_cpu[] = "x86-64";
enum { IS_AARCH64 = false };
#endif

CodeMaker *codemaker_open(const char *level)
{
    CodeMaker *c = mem_zalloc(1, sizeof *c);
    char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
    const bool wide = !strcmp(level, "avx512"), middle = !strcmp(level, "avx2");
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser(); /* of inline assembly */
    if (c) {
        snprintf(c->level, sizeof c->level, "%s", level);
        c->cpu = mem_strdup(wide ? cpu : middle ? "haswell" : least_cpu);
        c->features = mem_strdup(wide ? features : "");
        c->vectors = (HostVectors){.chunk = wide     ? 16
                                            : middle ? 8
                                                     : 4,
                                   .gathers = wide,
                                   .few_at_once = wide && is_intel(),
                                   .aarch64 = IS_AARCH64,
                                   .cpu = c->cpu,
                                   .features = c->features};
    }
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    if (c && c->cpu && c->features) {
        c->quick = open_target(c, LLVMCodeGenLevelNone);
        c->full = open_target(c, LLVMCodeGenLevelDefault);
    }
    if (c && c->quick && c->full)
        return c;
    codemaker_close(c);
    return NULL;
}

void codemaker_close(CodeMaker *c)
{
    if (!c)
        return;
    if (c->quick)
        LLVMDisposeTargetMachine(c->quick);
    if (c->full)
        LLVMDisposeTargetMachine(c->full);
    mem_free(c->cpu);
    mem_free(c->features);
    mem_free(c);
}

/* --- objects ----------------------------------------------------------------------------- */

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

static bool run_passes(LLVMTargetMachineRef machine, LLVMModuleRef m, const char *which)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(m, which, machine, options);
    if (error)
        LLVMConsumeError(error);
    LLVMDisposePassBuilderOptions(options);
    return !error;
}

static bool optimise(LLVMTargetMachineRef machine, LLVMModuleRef m)
{
    return run_passes(machine, m, first_passes) && delay_canonical(m) &&
           run_passes(machine, m, passes);
}

/* Compiles the module, and frees it, to an object; NULL: LLVM failed. */
static LLVMMemoryBufferRef make_object(const CodeMaker *c, bool quick, LLVMModuleRef m,
                                       const char *name)
{
    LLVMTargetMachineRef machine = quick ? c->quick : c->full;
    LLVMMemoryBufferRef object = NULL;
    char *message = NULL, *triple = LLVMGetTargetMachineTriple(machine);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(m, layout);
    LLVMSetTarget(m, triple);
    show(m, name, "made");
#ifdef DEBUG
    if (LLVMVerifyModule(m, LLVMReturnStatusAction, &message))
        bug("compiled code is wrong: %s", message);
    LLVMDisposeMessage(message);
    message = NULL;
#endif
    const bool ok = quick || optimise(machine, m);
    fence(m, !quick, c->vectors.gathers);
    show(m, name, "optimised");
    if (ok && LLVMTargetMachineEmitToMemoryBuffer(machine, m, LLVMObjectFile, &message, &object))
        object = NULL;
    LLVMDisposeMessage(message);
    LLVMDisposeMessage(triple);
    LLVMDisposeTargetData(layout);
    LLVMDisposeModule(m);
    return object;
}

static u64 processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

/* All time of the process is told with one answer or another. */
static bool answer(CodeMaker *c, const CodeJob *j, Buf *to)
{
    static const char *const kinds[] = {"quick", "plain", "headers"};
    char name[64];
    CodeAnswer a = {.digest = j->region ? region_digest(j->region) : 0};
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef m;
    const bool quick = j->region && j->kind == CODE_QUICK;
    if (j->region) {
        snprintf(name, sizeof name, "r%08x_%u%s_%08x.%s", j->region->pc, j->region->lanes,
                 j->region->warp.full ? "full" : "", (u32)a.digest, kinds[j->kind]);
        m = translate(context, j->region, &c->vectors, j->kind, CODE_SYMBOL, a.helpers);
    } else {
        const Helper h = helper_of(j->helper);
        snprintf(name, sizeof name, "helper%u", j->helper);
        m = make_helper(context, &h, &c->vectors, CODE_SYMBOL, a.helpers);
    }
    LLVMMemoryBufferRef object = m ? make_object(c, quick, m, name) : NULL;
    if (object) {
        a.object = (Bytes){(const u8 *)LLVMGetBufferStart(object), LLVMGetBufferSize(object)};
        a.nanoseconds = processor_time() - c->counted;
        c->counted += a.nanoseconds;
        codeanswer_write(&a, to);
        LLVMDisposeMemoryBuffer(object);
    }
    LLVMContextDispose(context);
    return object && !to->failed;
}

static bool answer_one(CodeMaker *c, Bytes request, Buf *to)
{
    ReadJob r;
    const bool ok = codejob_read(request.data, request.len, &r) && !strcmp(c->level, r.job.level) &&
                    answer(c, &r.job, to);
    codejob_close(&r);
    return ok;
}

/* Several requests, and the answers to each. */
typedef struct {
    Bytes request[NHELPERS];
    Buf answer[NHELPERS];
    const Buf *all[NHELPERS];
    u32 n;
} Parts;

static bool answer_all(CodeMaker *c, Parts *p, Buf *to)
{
    bool ok = p->n;
    for (u32 i = 0; i < p->n && ok; i++) {
        ok = answer_one(c, p->request[i], &p->answer[i]);
        p->all[i] = &p->answer[i];
    }
    if (ok)
        codejob_join(p->all, p->n, to);
    for (u32 i = 0; i < p->n; i++)
        buf_free(&p->answer[i]);
    return ok && !to->failed;
}

bool codemaker_answer(CodeMaker *c, const u8 *request, size_t len, Buf *to)
{
    Parts *p = mem_zalloc(1, sizeof *p);
    if (!p)
        return false;
    const bool ok = codejob_split(request, len, p->request, &p->n)
                        ? answer_all(c, p, to)
                        : answer_one(c, (Bytes){request, len}, to);
    mem_free(p);
    return ok;
}

int codemaker_job(void *self)
{
    CodeMaker *c = self;
    Buf request = {0}, to = {0};
    if (!c->confined && !getenv("VENTUS_JIT_DUMP"))
        proc_confine();
    c->confined = true;
    if (!fd_read(CODEJOB_REQUEST, MOST_BYTES, &request))
        return 1;
    const bool ok = codemaker_answer(c, request.data, request.len, &to) &&
                    fd_write(CODEJOB_ANSWER, to.data, to.len);
    buf_free(&request);
    buf_free(&to);
    return !ok;
}
