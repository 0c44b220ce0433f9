/* start.c -- drv_start: a launch whose blocks the caller has prepared in memory. */
#include "drv/internal.h"
#include "isa/abi.h"
#include <string.h>

/* --- what went wrong --------------------------------------------------------------- */

static DrvStatus no_room(Driver *d, const DevLaunch *l, const Occupancy *o)
{
    const Machine *m = &dev_options(d->dev)->machine;
    const u32 sgprs = l->sgprs ? l->sgprs : dev_code(d->dev)->needs.sgprs,
              vgprs = l->vgprs ? l->vgprs : dev_code(d->dev)->needs.vgprs;
    const struct {
        const char *limit, *what;
        u64 needs, has;
    } rows[] = {
        {"lds", "bytes of local memory", l->lds, m->lds},
        {"sgprs", "scalar registers", align_up(sgprs, 4) * l->warps, m->sgprs},
        {"vgprs", "vector registers", align_up(vgprs, 4) * l->warps, m->vgprs},
        {"warps", "resident warps", l->warps, m->warps},
        {"slots", "group slots", 1, m->slots},
        {"group", "warps of one group", l->warps, m->group_warps},
    };
    for (size_t i = 0; i < countof(rows); i++)
        if (o->limit && !strcmp(o->limit, rows[i].limit))
            return drv_fail(
                d, DRV_RESOURCES, "a work-group of %s needs %llu %s, machine '%s' has %llu",
                l->kernel ? l->kernel : "this launch", (unsigned long long)rows[i].needs,
                rows[i].what, m->name, (unsigned long long)rows[i].has);
    return drv_fail(d, DRV_RESOURCES, "%s", l->kernel ? l->kernel : "this launch");
}

/* the address is one of memory */
static bool is_access(FaultKind k)
{
    return k == FAULT_LOAD || k == FAULT_STORE || k == FAULT_LOAD_MISALIGNED ||
           k == FAULT_STORE_MISALIGNED || k == FAULT_ATOMIC_MISALIGNED || k == FAULT_LOAD_PAGE ||
           k == FAULT_STORE_PAGE;
}

/* of a private access that is given what looks like an address of global memory */
static void blame_offset(Driver *d, const DrvKernel *k, const DevLaunch *l, u64 addr, Buf *to)
{
    put_blame(d, k, l, addr, to);
    buf_printf(to,
               "%sthis takes offsets into private memory; the addresses of buffers are for "
               "`vlw12.v' and `vsw12.v'",
               to->len ? "; " : "");
}

static DrvStatus status_of_fault(Driver *d, const DrvKernel *k, const DevLaunch *l,
                                 const DevResult *r)
{
    const Fault *f = &r->run.fault;
    Buf report = {0}, blame = {0};
    DrvStatus s;
    switch (f->kind) {
    case FAULT_RESOURCES: return no_room(d, l, &r->occupancy);
    case FAULT_NO_MEMORY: return drv_fail(d, DRV_NO_MEMORY, "while the kernel ran");
    default:
        if (f->has_addr && is_access(f->kind))
            put_blame(d, k, l, f->addr, &blame);
        if (f->kind == FAULT_PRIVATE && f->addr >= CODE_LO)
            blame_offset(d, k, l, f->addr, &blame);
        dev_report(d->dev, f, l->kernel, blame.len ? buf_text(&blame) : NULL, &report);
        s = drv_fail(d, DRV_FAULT, "%s", buf_text(&report));
        buf_free(&report);
        buf_free(&blame);
        return s;
    }
}

/* --- launches ------------------------------------------------------------------------- */

/* Gives back the locks that lanes of the launch with metadata block knl held when it was stopped
 * (doc/abi.md, "Locks"). */
static void release_locks(Driver *d, u32 knl)
{
    const Object *image = dev_code(d->dev)->image;
    const i32 symbol = image ? obj_find_symbol(image, ABI_LOCKS) : -1;
    const ObjSymbol *s = symbol >= 0 ? &image->symbols[symbol] : NULL;
    u32 word;
    for (u32 at = 0; s && s->section >= 0 && at + sizeof word <= s->size; at += sizeof word)
        if (copy_out(d, s->value + at, &word, sizeof word) && word == knl)
            copy_in(d, s->value + at, &(u32){0}, sizeof word);
}

DrvStatus launch_locked(Driver *d, DevLaunch *l, const DrvKernel *k, bool alone, Extents *x,
                        DrvResult *result)
{
    DrvScene scene;
    const u64 area = align_up((u64)l->pds_lane * l->lanes * l->warps, PAGE_SIZE);
    /* one area for all: groups take turns, so that they do not meet in it */
    if (l->pds_size < area || l->pds % PAGE_SIZE)
        l->run.threads = 1;
    tell_begin(d, k, l, x, &scene);
    begin_launch(d, alone);
    pthread_mutex_unlock(&d->lock);
    const bool ok = dev_launch(d->dev, l, &result->dev);
    pthread_mutex_lock(&d->lock);
    result->warps = l->warps;
    result->lds = l->lds;
    result->pds_lane = l->pds_lane;
    result->sgprs = l->sgprs ? l->sgprs : dev_code(d->dev)->needs.sgprs;
    result->vgprs = l->vgprs ? l->vgprs : dev_code(d->dev)->needs.vgprs;
    const DrvStatus s = ok ? DRV_OK : status_of_fault(d, k, l, &result->dev);
    if (!ok)
        release_locks(d, l->knl);
    if (d->watcher.end) {
        Buf why = {0};
        if (!ok)
            drv_last_error(d, &why);
        d->watcher.end(d->watcher.self, &scene, &result->dev, buf_text(&why));
        buf_free(&why);
    }
    end_launch(d, alone);
    return s;
}

/* The records of the classic tools promise one 4 KiB of local memory whatever the
 * number of stacks in it (doc/abi.md, "Launch record"). */
static u64 local_memory(const Driver *d, const DrvRecord *r)
{
    const Generation g = dev_code(d->dev)->generation;
    const u64 stacks = g == GEN_B || g == GEN_BARE ? r->wg_size * ABI_WARP_STACK : 0;
    return r->lds_size > stacks ? r->lds_size : stacks;
}

/* how many bytes the block has from the base of private memory on */
static u64 private_bytes(const Driver *d, u64 base)
{
    const Range *block = heap_find(&d->heap, base);
    return block ? range_end(block) - base : 0;
}

static DrvStatus check_shape(Driver *d, const DrvRecord *r)
{
    const u64 *n = r->kernel_size;
    u64 groups;
    if (r->wf_size < 4 || r->wf_size > MAX_LANES || !is_pow2(r->wf_size))
        return drv_fail(d, DRV_BAD_SIZE, "%llu threads a warp; it has 4, 8, 16 or 32",
                        (unsigned long long)r->wf_size);
    if (!r->wg_size || r->wg_size > dev_options(d->dev)->machine.group_warps)
        return drv_fail(d, DRV_BAD_SIZE, "%llu warps a work-group; machine '%s' takes 1 to %u",
                        (unsigned long long)r->wg_size, dev_options(d->dev)->machine.name,
                        dev_options(d->dev)->machine.group_warps);
    if (!n[0] || !n[1] || !n[2] || n[0] > UINT32_MAX || n[1] > UINT32_MAX || n[2] > UINT32_MAX ||
        __builtin_mul_overflow(n[0] * n[1], n[2], &groups))
        return drv_fail(d, DRV_BAD_SIZE, "%llu by %llu by %llu work-groups",
                        (unsigned long long)n[0], (unsigned long long)n[1],
                        (unsigned long long)n[2]);
    return DRV_OK;
}

static DrvStatus check_record(Driver *d, const DrvRecord *r)
{
    const struct {
        const char *name;
        u64 value;
    } words[] = {
        {"metadata address", r->metadata_base},
        {"local memory size", r->lds_size},
        {"private memory size", r->pds_size},
        {"private memory address", r->pds_base},
    };
    for (size_t i = 0; i < countof(words); i++)
        if (words[i].value > UINT32_MAX)
            return drv_fail(d, DRV_BAD_ARGUMENT, "the %s 0x%llx has more than 32 bits",
                            words[i].name, (unsigned long long)words[i].value);
    if (!memory_has(dev_memory(d->dev), CODE_LO, 4, MEM_R | MEM_X))
        return drv_fail(d, DRV_NO_PROGRAM, "nothing at 0x%08x", CODE_LO);
    return check_shape(d, r);
}

/* The kernel whose entry is at `addr`; NULL: the image has none that says what it needs. */
static const char *kernel_at(const Object *image, u32 addr)
{
    for (size_t i = 0; i < image->nsections; i++) {
        const char *kernel = resource_kernel(&image->sections[i]);
        const i32 symbol = kernel ? obj_find_symbol(image, kernel) : -1;
        if (symbol >= 0 && image->symbols[symbol].value == addr)
            return kernel;
    }
    return NULL;
}

/* A host that does not read the image's records gives every launch the same private memory. Refuses
 * kernels that need more: they would reach into that of other groups. */
static DrvStatus check_private(Driver *d, const DrvRecord *r)
{
    const Object *image = dev_code(d->dev)->image;
    const char *kernel = NULL;
    Diag quiet = {.sink = NULL};
    Resource needs;
    u32 entry;
    if (image && copy_out(d, r->metadata_base, &entry, sizeof entry))
        kernel = kernel_at(image, entry);
    if (!kernel || !resource_read(image, kernel, &needs, &quiet) || needs.form != RES_LONG)
        return DRV_OK;
    const bool is_known = !(needs.flags & RES_NO_STACK_PEAK) && needs.pds_stack != UINT64_MAX;
    const u64 stack = is_known ? needs.pds_stack : 0;
    if (needs.pds_static <= r->pds_size && stack <= r->pds_size - needs.pds_static)
        return DRV_OK;
    return drv_fail(d, DRV_RESOURCES,
                    "%s uses %llu + %llu bytes of private memory a lane, its launch gives it %llu",
                    kernel, (unsigned long long)needs.pds_static, (unsigned long long)stack,
                    (unsigned long long)r->pds_size);
}

DrvStatus start_locked(Driver *d, const DrvRecord *r, const char *name, const LaunchOptions *run,
                       u64 max_insns, Extents *x, DrvResult *result)
{
    wait_quiet(d);
    if (d->code_is_new)
        dev_code_written(d->dev, d->code_lo, d->code_end);
    d->code_is_new = false;
    DrvStatus s = check_record(d, r);
    if (!s)
        s = check_private(d, r);
    if (s)
        return s;
    DevLaunch l = {
        .kernel = name,
        .knl = (u32)r->metadata_base,
        .groups = {(u32)r->kernel_size[0], (u32)r->kernel_size[1], (u32)r->kernel_size[2]},
        .warps = (u32)r->wg_size,
        .lanes = (u32)r->wf_size,
        .lds = (u32)local_memory(d, r),
        .pds = (u32)r->pds_base,
        .pds_lane = (u32)r->pds_size,
        .pds_size = private_bytes(d, r->pds_base),
        .max_insns = max_insns,
        .run = run ? *run : (LaunchOptions){.threads = 0},
    };
    return launch_locked(d, &l, NULL, true, x, result);
}

DrvStatus drv_start(Driver *d, const DrvRecord *r, const char *name, const LaunchOptions *run,
                    u64 max_insns, DrvResult *result)
{
    *result = (DrvResult){.warps = 0};
    pthread_mutex_lock(&d->lock);
    Extents x = {.n = 0};
    const DrvStatus s = start_locked(d, r, name, run, max_insns, &x, result);
    mem_free(x.e);
    pthread_mutex_unlock(&d->lock);
    return s;
}

void drv_interrupt(Driver *d) { dev_interrupt(d->dev); }
void drv_finish(Driver *d) { dev_finish(d->dev); }
void drv_expect(Driver *d) { dev_expect(d->dev); }
