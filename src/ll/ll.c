/* ll.c -- the compiler: from source, SPIR-V or bitcode to the output that the request names.
 *
 * Each compilation has a context of LLVM's of its own; what LLVM has to say comes back
 * through that and goes to the caller's Diag.
 */
#include "ll/ll.h"
#include "base/mem.h"
#include "cc/cc.h"
#include "comp/spirv.h"
#include "link/link.h"
#include "ll/front.h"
#include "ll/lower.h"
#include "ll/from_spirv.h"
#include "ll/middle.h"
#include "ll/source_line.h"
#include "obj/optionwords.h"
#include "proc/proc.h"
#include <llvm-c/BitWriter.h>
#include <llvm-c/Linker.h>
#include <string.h>

/* --- outputs --------------------------------------------------------------------------------- */

static bool put_llvm(LLVMModuleRef m, Buf *out)
{
    char *text = LLVMPrintModuleToString(m);
    buf_str(out, text);
    LLVMDisposeMessage(text);
    return !out->failed;
}

static bool put_bitcode(LLVMModuleRef m, Buf *out)
{
    LLVMMemoryBufferRef bytes = LLVMWriteBitcodeToMemoryBuffer(m);
    buf_put(out, LLVMGetBufferStart(bytes), LLVMGetBufferSize(bytes));
    LLVMDisposeMemoryBuffer(bytes);
    return !out->failed;
}

static bool put_image(const Object *o, const CompOptions *opt, Buf *out, Diag *d)
{
    Object *image = link_program(&o, 1, &(LinkOptions){.output = opt->name}, d);
    const bool ok = image && obj_write(image, out, d);
    obj_free(image);
    return ok;
}

static bool local_memory_fits(const Module *ir, const CompOptions *opt, Diag *d)
{
    const u32 limit = opt->lds_limit ? opt->lds_limit : ABI_LOCAL_OFFERED;
    bool ok = true;
    for (size_t i = 0; i < ir->nfunc; i++)
        if (ir->func[i]->lds_static > limit) {
            error(d, &(Source){.name = opt->name, .text = ""}, NULL,
                  "kernel '%s' has %u bytes of __local variables, %u are allowed",
                  ir->func[i]->name, ir->func[i]->lds_static, limit);
            ok = false;
        }
    return ok;
}

static bool add_locals(KernelInfo *k, const Module *ir)
{
    k->locals = mem_zalloc(ir->nlocal + 1, sizeof *k->locals);
    for (size_t i = 0; k->locals && i < ir->nlocal; i++) {
        const struct IrLocal *l = &ir->local[i];
        if (l->kernel && strcmp(l->kernel, k->name))
            continue;
        k->locals[k->nlocals] = (KernelLocal){mem_strdup(l->name), l->offset, l->size};
        if (!k->locals[k->nlocals++].name)
            return false;
    }
    return k->locals;
}

/* adds the table of kernels, which hosts read */
static bool add_table(Object *o, const Module *ir, LLVMModuleRef m, const CompOptions *opt, Diag *d)
{
    KernelTable t = {0};
    Buf words = {0};
    options_join(opt->options, opt->noptions, &words);
    bool ok = kernels_describe(m, LLVMGetModuleDataLayout(m), &t);
    for (size_t i = 0; ok && i < t.nkernels; i++)
        ok = add_locals(&t.kernels[i], ir);
    t.options = mem_strdup(buf_text(&words));
    ok = ok && t.options && kernelinfo_add(o, &t);
    kernelinfo_free(&t);
    buf_free(&words);
    if (!ok)
        error(d, NULL, NULL, "out of memory");
    return ok;
}

static bool put_object(Module *ir, LLVMModuleRef m, const CompOptions *opt, int level, Buf *out,
                       Diag *d)
{
    const CcOptions cc = {.level = level,
                          .off = opt->off,
                          .dump = opt->dump,
                          .dump_to = opt->dump_to,
                          .lines = true,
                          .assembly = opt->output == COMP_ASSEMBLY ? out : NULL};
    Object *o = cc_compile(ir, &cc, d);
    bool ok = o != NULL;
    if (ok && opt->output != COMP_ASSEMBLY)
        ok = add_table(o, ir, m, opt, d) &&
             (opt->output == COMP_OBJECT ? obj_write(o, out, d) : put_image(o, opt, out, d));
    obj_free(o);
    return ok;
}

static bool put_machine(LLVMModuleRef m, const Target *target, const CompOptions *opt, int level,
                        bool apart, Buf *out, Diag *d)
{
    Module *ir = lower_module(m, opt->name, target, apart, d);
    bool ok = ir && local_memory_fits(ir, opt, d);
    if (ok && opt->output == COMP_IR)
        ir_print_module(out, ir);
    else if (ok)
        ok = put_object(ir, m, opt, level, out, d);
    ir_free(ir);
    return ok;
}

static bool put_output(LLVMModuleRef m, const Target *target, const CompOptions *opt,
                       const BuildOptions *b, Buf *out, Diag *d)
{
    if (opt->output == COMP_BITCODE)
        return put_bitcode(m, out);
    if (!middle_run(m, target, b, opt->output == COMP_OBJECT, d))
        return false;
    return opt->output == COMP_LLVM ? put_llvm(m, out)
                                    : put_machine(m, target, opt, b->level, b->apart, out, d);
}

/* --- a compilation: a context with one module ------------------------------------------ */

static void take_diagnostic(LLVMDiagnosticInfoRef info, void *to)
{
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    error((Diag *)to, NULL, NULL, "%s", text);
    LLVMDisposeMessage(text);
}

static LLVMModuleRef read_all(LLVMContextRef ctx, const Target *target, const Bytes *inputs,
                              size_t n, const CompOptions *opt, Diag *d)
{
    LLVMModuleRef all = NULL;
    for (size_t i = 0; i < n; i++) {
        LLVMModuleRef m = middle_read(ctx, target, inputs[i], opt->name, d);
        if (!m || (all && LLVMLinkModules2(all, m)))
            return NULL; /* the modules go with their context */
        all = all ? all : m;
    }
    return all;
}

static bool link_trusted(const Bytes *inputs, size_t n, const CompOptions *opt,
                         const BuildOptions *b, Buf *out, Diag *d)
{
    const int before = d->errors;
    const Target *target = target_find((IsaSet)opt->isa);
    if (!target) {
        char name[24];
        isa_set_name((IsaSet)opt->isa, name);
        error(d, NULL, NULL, "there is no compiler for profile %s", name);
        return false;
    }
    LLVMContextRef ctx = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(ctx, take_diagnostic, d);
    LLVMModuleRef m = read_all(ctx, target, inputs, n, opt, d);
    const bool ok = m && put_output(m, target, opt, b, out, d) && d->errors == before;
    if (!ok && d->errors == before)
        error(d, NULL, NULL, n ? "out of memory" : "nothing to link");
    if (m)
        LLVMDisposeModule(m);
    LLVMContextDispose(ctx);
    return ok;
}

/* The bitcode of a program binary may come from anywhere. */
static bool link_all(const Bytes *inputs, size_t n, const CompOptions *opt, const BuildOptions *b,
                     Buf *out, Diag *d)
{
    proc_confine();
    return link_trusted(inputs, n, opt, b, out, d);
}

bool ll_compile(const Request *q, int clang, Buf *out, Buf *files, bool *files_known, Diag *d)
{
    BuildOptions b = {0};
    Front f = {0};
    SourceLines lines;
    bool ok = q->ninputs == 1 && options_read(&q->opt, &b, d);
    const bool is_il = ok && spirv_is(q->inputs[0].data, q->inputs[0].len);
    source_lines_begin(&lines, q->opt.name, ok ? (const char *)q->inputs[0].data : "",
                       ok && !is_il ? q->inputs[0].len : 0, d);
    ok = ok && (is_il ? translate_spirv(q, &f, d) : front_run(q, &b, clang, &f, d));
    const Bytes input = {(const u8 *)buf_text(&f.out), f.out.len};
    if (ok && front_is_last(q->opt.output) && !is_il)
        buf_put(out, input.data, input.len);
    else
        ok = ok && link_all(&input, 1, &q->opt, &b, out, d);
    buf_put(files, buf_text(&f.files), f.files.len);
    *files_known = f.files_known;
    source_lines_end(&lines, d);
    front_free(&f);
    options_free(&b);
    return ok;
}

bool ll_link(const Request *q, Buf *out, Diag *d)
{
    BuildOptions b = {0};
    const bool ok =
        options_read(&q->opt, &b, d) && link_all(q->inputs, q->ninputs, &q->opt, &b, out, d);
    options_free(&b);
    return ok;
}

extern const unsigned char warm_bitcode[]; /* tool/cc1/warm.cl, embedded */
extern const size_t warm_bitcode_size;

void ll_warm(void)
{
    const Bytes input = {warm_bitcode, warm_bitcode_size};
    const CompOptions opt = {.output = COMP_IMAGE, .name = "warm"};
    BuildOptions b = {0};
    Buf out = {0}, messages = {0};
    Diag d = {.sink = diag_to_buf, .to = &messages};
    if (options_read(&opt, &b, &d))
        (void)link_trusted(&input, 1, &opt, &b, &out, &d);
    options_free(&b);
    buf_free(&out);
    buf_free(&messages);
}
