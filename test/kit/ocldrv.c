/* ocldrv.c -- kernels of the tests by our compiler and driver (oclkit.h). */
#include "test/kit/oclkit.h"
#include "cc/cc.h"
#include "drv/drv.h"

#include "link/link.h"
#include "comp/comp.h"
#include "obj/kernelinfo.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct KitProgram {
    const char *name;
    Buf bitcode, image, ir; /* ir: text of the machine IR, when kit_vary has asked */
    Object *object;         /* for the table */
    KernelTable table;
};

u32 kit_pointer_bytes(void) { return 4; }

static Compiler *compiler(void)
{
    static Compiler *one;
    return one ? one : (one = comp_open());
}

const char *kit_missing(void)
{
    static Buf what;
    static bool asked, available;
    if (!asked)
        available = comp_available(compiler(), NULL, &what);
    asked = true;
    return available ? NULL : buf_text(&what);
}

KitProgram *kit_build(const char *name, const char *source, const char *const *options,
                      size_t noptions, Buf *why)
{
    KitProgram *p = mem_zalloc(1, sizeof *p);
    Diag d = {.sink = diag_to_buf, .to = why};
    CompOptions o = {
        .output = COMP_BITCODE, .name = name, .options = options, .noptions = noptions};
    if (p && comp_compile(compiler(), source, strlen(source), &o, &p->bitcode, &d)) {
        const Buf *const inputs[] = {&p->bitcode};
        p->name = name;
        o.output = COMP_IMAGE;
        if (comp_link(compiler(), inputs, 1, &o, &p->image, &d) &&
            obj_read(name, p->image.data, p->image.len, &d, &p->object) &&
            kernelinfo_read(p->object, &p->table, &d))
            return p;
    }
    kit_free(p);
    return NULL;
}

void kit_free(KitProgram *p)
{
    if (!p)
        return;
    kernelinfo_free(&p->table);
    obj_free(p->object);
    buf_free(&p->bitcode);
    buf_free(&p->image);
    buf_free(&p->ir);
    mem_free(p);
}

/* --- other ways to compile it -------------------------------------------------------------- */

static bool put_image(KitProgram *p, const Object *o, Diag *d)
{
    Object *image = o ? link_program(&o, 1, &(LinkOptions){.output = p->name}, d) : NULL;
    p->image.len = 0;
    const bool ok = image && obj_write(image, &p->image, d);
    obj_free(image);
    return ok;
}

bool kit_vary(KitProgram *p, u32 way, u32 seed, Buf *why)
{
    const CcOptions ways[] = {
        {.level = 0},
        {.level = 1},
        {.level = 2, .seed = seed + 1},
        {.level = 2, .max_x = 7, .max_v = 9},
    };
    const CcPass *off = way < countof(ways) ? NULL : cc_optional(way - countof(ways));
    const CcOptions without = {.level = 2, .off = off ? off->name : NULL};
    const Buf *const inputs[] = {&p->bitcode};
    Diag d = {.sink = diag_to_buf, .to = why};
    if ((way >= countof(ways) && !off) ||
        (!p->ir.len && !comp_link(compiler(), inputs, 1,
                                  &(CompOptions){.output = COMP_IR, .name = p->name}, &p->ir, &d)))
        return false;
    Module *m = ir_parse(&(Source){.name = p->name, .text = buf_text(&p->ir)}, target_find(0), &d);
    Object *o = m ? cc_compile(m, off ? &without : &ways[way], &d) : NULL;
    const bool ok = put_image(p, o, &d);
    obj_free(o);
    ir_free(m);
    return ok;
}

/* --- a launch ------------------------------------------------------------------------- */

static Driver *open_with(u32 lanes, const KitProgram *p, Buf *why)
{
    DeviceOptions o = dev_defaults();
    Diag d = {.sink = diag_to_buf, .to = why};
    Object *image = NULL;
    const char *engine = getenv("KIT_ENGINE"); /* another than the default */
    if (engine && !(o.engine = dev_find_engine(engine))) {
        buf_printf(why, "no engine %s", engine);
        return NULL;
    }
    o.machine.lanes = lanes;
    o.machine.group_warps = o.machine.warps = MAX_WARPS;
    Driver *drv = drv_open(&o);
    if (drv && obj_read("kernel", p->image.data, p->image.len, &d, &image) &&
        drv_load(drv, image, &d) == DRV_OK)
        return drv;
    obj_free(image);
    drv_close(drv);
    return NULL;
}

static bool says_the_same(const KernelArg *k, const KitArg *a)
{
    switch (a->kind) {
    case KIT_BUFFER: return k->kind == ARG_GLOBAL || k->kind == ARG_CONSTANT;
    case KIT_LOCAL: return k->kind == ARG_LOCAL;
    case KIT_VALUE: return k->kind == ARG_VALUE && k->size == a->size;
    }
    return false;
}

/* arguments for the driver; addr keeps the buffers' addresses */
static bool put_args(Driver *d, const KernelInfo *info, const KitJob *job, u32 addr[],
                     DrvArg args[], Buf *why)
{
    if (info->nargs != job->nargs) {
        buf_printf(why, "%zu arguments, should be %u", info->nargs, job->nargs);
        return false;
    }
    for (u32 k = 0; k < job->nargs; k++) {
        const KitArg *a = &job->args[k];
        u64 at;
        if (!says_the_same(&info->args[k], a)) {
            buf_printf(why, "argument %u is of another kind or size", k);
            return false;
        }
        args[k] = (DrvArg){.is_local = a->kind == KIT_LOCAL,
                           .size = a->size,
                           .align = info->args[k].align,
                           .value = a->data};
        if (a->kind != KIT_BUFFER)
            continue;
        if (drv_alloc(d, a->size, &at) || drv_write(d, at, a->data, a->size))
            return false;
        addr[k] = (u32)at;
        args[k].size = args[k].align = 4;
        args[k].value = &addr[k];
    }
    return true;
}

/* KIT_EXPORT=DIR: launches are kept below DIR/<lanes>, to be run by others too */
static const char *export_folder(u32 lanes, char path[static PATH_MAX])
{
    const char *dir = getenv("KIT_EXPORT");
    if (!dir)
        return NULL;
    snprintf(path, PATH_MAX, "%s/%u", dir, lanes);
    mkdir(path, 0777);
    return path;
}

static bool launch(Driver *d, const KernelInfo *info, u32 lanes, KitJob *job, Buf *print, Buf *why)
{
    char name[PATH_MAX];
    const char *folder = export_folder(lanes, name);
    u32 addr[KIT_ARGS];
    DrvArg args[KIT_ARGS];
    DrvResult result;
    DrvKernel k = {.kernel = info->name,
                   .dims = job->dims,
                   .args = args,
                   .nargs = job->nargs,
                   .max_insns = 20000000,
                   .export_to = folder ? drv_export_open(folder) : NULL,
                   .run = {.threads = 1},
                   .print = print};
    memcpy(k.global, job->global, sizeof k.global);
    memcpy(k.local, job->local, sizeof k.local);
    if (!put_args(d, info, job, addr, args, why)) {
        drv_export_close(k.export_to);
        return false;
    }
    const DrvStatus s = drv_run(d, &k, &result);
    drv_export_close(k.export_to);
    if (s) {
        drv_last_error(d, why);
        return false;
    }
    for (u32 i = 0; i < job->nargs; i++)
        if (job->args[i].kind == KIT_BUFFER &&
            drv_read(d, addr[i], job->args[i].data, job->args[i].size))
            return false;
    return true;
}

bool kit_run(KitProgram *p, const char *kernel, u32 lanes, KitJob *job, Buf *print, bool *prints,
             Buf *why)
{
    const KernelInfo *info = kernelinfo_find(&p->table, kernel);
    *prints = true;
    if (!info) {
        buf_printf(why, "the image has no such kernel");
        return false;
    }
    Driver *d = open_with(lanes, p, why);
    const bool ok = d && launch(d, info, lanes, job, print, why);
    drv_close(d);
    return ok;
}
