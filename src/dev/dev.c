#include "dev/dev.h"
#include "base/mem.h"
#include <string.h>

/* --- engines ------------------------------------------------------------------- */

static bool launch_interp(Device *d, const Launch *l, const SimOptions *opt, SimResult *r)
{
    return sim_launch(d->code, l, opt, r);
}

const EngineOps dev_engines[] = {
    {"interp", "interpreter, the definition of right", launch_interp},
    {NULL, NULL, NULL},
};

const EngineOps *dev_find_engine(const char *name)
{
    for (const EngineOps *e = dev_engines; e->name; e++)
        if (!strcmp(e->name, name))
            return e;
    return NULL;
}

/* --- life ------------------------------------------------------------------------ */

DeviceOptions dev_defaults(void)
{
    DeviceOptions o = {.set = V202, .engine = &dev_engines[0]};
    if (!machine_builtin(NULL, &o.machine))
        bug("the built-in machine description is wrong");
    return o;
}

Device *dev_open(const DeviceOptions *opt)
{
    Device *d = mem_zalloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->opt = *opt;
    d->generation = GEN_BARE;
    /* v2025 addresses 39 bits (SV39); a host that has not that much to reserve still
     * runs everything with 32-bit addresses */
    if ((memory_open(&d->memory, 0, (u64)1 << 39) || memory_open(&d->memory, 0, (u64)1 << 32)) &&
        (d->code = code_new(opt->set, &d->memory)))
        return d;
    dev_close(d);
    return NULL;
}

void dev_close(Device *d)
{
    if (!d)
        return;
    code_free(d->code);
    memory_close(&d->memory);
    obj_free(d->image);
    mem_free(d);
}

/* --- memory ------------------------------------------------------------------------ */

static bool overlaps_code(u64 addr, u64 size) { return addr < CODE_END && addr + size > CODE_LO; }

bool dev_write(Device *d, u64 addr, const void *from, u64 size)
{
    if (!memory_has(&d->memory, addr, size, MEM_R))
        return false;
    if (overlaps_code(addr, size))
        code_forget(d->code, addr, size);
    memcpy(d->memory.base + addr, from, size);
    return true;
}

bool dev_read(const Device *d, u64 addr, void *to, u64 size)
{
    if (!memory_has(&d->memory, addr, size, MEM_R))
        return false;
    memcpy(to, d->memory.base + addr, size);
    return true;
}

void dev_code_written(Device *d, u64 addr, u64 end)
{
    obj_free(d->image);
    d->image = NULL;
    d->generation = GEN_BARE;
    code_use(d->code, d->opt.set);
    code_registers(&d->memory, d->opt.set, addr, end - addr, &d->sgprs, &d->vgprs);
}

/* --- images -------------------------------------------------------------------------- */

static bool segment_fits(const Object *image, const ObjSegment *s, Diag *d)
{
    if ((u64)s->addr + s->memsz <= LDS_LO ||
        (s->addr >= LDS_END && (u64)s->addr + s->memsz <= (u64)1 << 32))
        return true;
    error(d, NULL, NULL, "%s: segment 0x%08x..0x%08llx lies in the local memory window",
          image->name, s->addr, (unsigned long long)s->addr + s->memsz);
    return false;
}

static u8 page_flags(u32 elf)
{
    return (u8)(MEM_R | (elf & 2 ? MEM_W : 0) | (elf & 1 ? MEM_X : 0));
}

static void load_segment(Device *d, const ObjSegment *s)
{
    const u64 end = (u64)s->addr + s->memsz;
    u8 flags = page_flags(s->flags);
    if (!s->memsz)
        return;
    /* pages that two segments share may do what either may */
    for (u64 p = s->addr >> PAGE_BITS; p <= (end - 1) >> PAGE_BITS; p++)
        d->memory.page[p] |= flags;
    if (s->data.len)
        memcpy(d->memory.base + s->addr, s->data.data, s->data.len);
    memset(d->memory.base + s->addr + s->data.len, 0, s->memsz - s->data.len);
}

Object *dev_unload(Device *d)
{
    Object *image = d->image;
    for (size_t i = 0; d->image && i < d->image->nsegments; i++) {
        const ObjSegment *s = &d->image->segments[i];
        const u64 first = s->addr & ~(u64)(PAGE_SIZE - 1);
        memory_unmap(&d->memory, first, align_up((u64)s->addr + s->memsz, PAGE_SIZE) - first);
    }
    d->image = NULL;
    return image;
}

static void count_registers(Device *d, const Object *image)
{
    d->sgprs = d->vgprs = 0;
    for (size_t i = 0; i < image->nsegments; i++) {
        const ObjSegment *s = &image->segments[i];
        u32 sgprs, vgprs;
        if (!(s->flags & 1))
            continue;
        code_registers(&d->memory, image->set, s->addr, s->data.len, &sgprs, &vgprs);
        d->sgprs = sgprs > d->sgprs ? sgprs : d->sgprs;
        d->vgprs = vgprs > d->vgprs ? vgprs : d->vgprs;
    }
}

bool dev_load(Device *dev, Object *image, Diag *d)
{
    bool ok = true;
    for (size_t i = 0; i < image->nsegments; i++)
        ok &= segment_fits(image, &image->segments[i], d);
    if (!ok)
        return false;
    if (image->entry != CODE_LO) {
        error(d, NULL, NULL, "%s: entry is 0x%08x; every warp starts at 0x%08x", image->name,
              image->entry, CODE_LO);
        return false;
    }
    code_use(dev->code, image->set);
    obj_free(dev_unload(dev));
    for (size_t i = 0; i < image->nsegments; i++)
        load_segment(dev, &image->segments[i]);
    count_registers(dev, image);
    dev->image = image;
    dev->generation = resource_generation(image);
    dev->tp_word = resource_tp_word(image);
    return true;
}

/* --- launches --------------------------------------------------------------------------- */

/* the physical address of addr; false: no page is there */
static bool physical(const Device *d, Tlb *tlb, u64 addr, u64 *to)
{
    *to = addr;
    return !d->opt.mmu || mmu_translate(&d->mmu, tlb, addr, PTE_R, to);
}

/* Reads as a warp would, through the tables. */
static bool read_words(const Device *d, u64 addr, u32 *to, size_t n)
{
    Tlb tlb = {.vpn = {0}};
    u64 at;
    for (size_t i = 0; i < n * sizeof *to; i++)
        if (!physical(d, &tlb, addr + i, &at) || !dev_read(d, at, (u8 *)to + i, 1))
            return false;
    return true;
}

/* Index space from the metadata block (doc/abi.md, "Metadata block"): words 12 on. */
static void read_index_space(const Device *d, Launch *l)
{
    u32 word[12] = {0};
    u64 items = 1;
    if (!read_words(d, l->knl, word, countof(word)))
        return;
    memcpy(l->global, word + 3, sizeof l->global);
    memcpy(l->local, word + 6, sizeof l->local);
    memcpy(l->offset, word + 9, sizeof l->offset);
    for (int i = 0; i < 3; i++) {
        if (l->local[i] > MAX_WARPS * MAX_LANES)
            items = 0;
        items *= l->local[i];
    }
    /* a block that does not match the launch is somebody else's: every lane runs */
    if (!items || (items + l->lanes - 1) / l->lanes != l->warps)
        memset(l->local, 0, sizeof l->local);
}

static bool refuse(DevResult *r, FaultKind kind)
{
    r->sim = (SimResult){.faulted = true, .fault = {.kind = kind, .lane = -1}};
    return false;
}

/* UINT64_MAX: more than can be counted */
static u64 group_count(const u32 groups[3])
{
    u64 n;
    return __builtin_mul_overflow((u64)groups[0] * groups[1], groups[2], &n) ? UINT64_MAX : n;
}

static u32 private_areas(const DevLaunch *l)
{
    const u64 area = align_up((u64)l->pds_lane * l->lanes * l->warps, PAGE_SIZE);
    const u64 wanted = group_count(l->groups);
    u64 n = area && !(l->pds % PAGE_SIZE) ? l->pds_size / area : 0;
    if (n >= wanted && wanted <= UINT32_MAX)
        return (u32)wanted;
    return (u32)(n > SIM_MAX_THREADS ? SIM_MAX_THREADS : n); /* one a host thread is enough */
}

/* Private memory is cleared behind every group (mach/memory.h, "tracked"); with the
 * MMU its pages lie anywhere. */
static void set_private(Device *d, u64 addr, u64 size, u8 flags)
{
    static const Tlb empty;
    Tlb tlb = empty;
    if (!d->opt.mmu) {
        memory_map(&d->memory, addr, size, flags);
        return;
    }
    for (u64 a = addr; a < addr + size; a += PAGE_SIZE) {
        u64 pa = a;
        if (mmu_translate(&d->mmu, &tlb, a, PTE_W, &pa))
            memory_map(&d->memory, pa, PAGE_SIZE, flags);
    }
}

bool dev_launch(Device *d, const DevLaunch *in, DevResult *result)
{
    const GroupNeeds needs = {.warps = in->warps,
                              .lds = in->lds,
                              .sgprs = in->sgprs ? in->sgprs : d->sgprs,
                              .vgprs = in->vgprs ? in->vgprs : d->vgprs};
    Launch l = {
        .kernel = in->kernel,
        .set = d->code->set,
        .pc = CODE_LO,
        .knl = in->knl,
        .groups = {in->groups[0], in->groups[1], in->groups[2]},
        .warps = in->warps,
        .lanes = in->lanes,
        .lds = in->lds,
        .vgprs = d->vgprs,
        .pds = in->pds,
        .pds_lane = in->pds_lane,
        .pds_areas = private_areas(in),
        .pds_by_group = private_areas(in) == group_count(in->groups),
        .vm = d->opt.vm,
        .strict = d->opt.strict,
        .all_lanes = d->opt.all_lanes,
        .any_barrier = d->opt.any_barrier,
        .check_copies = d->opt.check_copies,
        .simt_depth = d->opt.machine.simt_depth,
        .max_insns = in->max_insns,
        .memory = &d->memory,
        .mmu = d->opt.mmu ? &d->mmu : NULL,
    };
    *result = (DevResult){.occupancy = machine_occupancy(&d->opt.machine, &needs)};
    if (!in->warps || in->warps > MAX_WARPS || in->lanes < 4 || in->lanes > MAX_LANES ||
        !is_pow2(in->lanes) || !result->occupancy.groups || group_count(in->groups) == UINT64_MAX)
        return refuse(result, FAULT_RESOURCES);
    read_index_space(d, &l);
    const u64 areas = (u64)l.pds_areas * align_up((u64)l.pds_lane * l.lanes * l.warps, PAGE_SIZE);
    set_private(d, l.pds, areas, MEM_R | MEM_TRACKED);
    const bool ok = d->opt.engine->launch(d, &l, &in->sim, &result->sim);
    set_private(d, l.pds, areas, MEM_R | MEM_W);
    return ok;
}

/* --- reports -------------------------------------------------------------------------------- */

static const char *symbol_at(void *self, u64 addr, u64 *past)
{
    return obj_symbol_at(self, -1, (u32)addr, past);
}

void dev_report(const Device *d, const Fault *f, const char *kernel, Buf *out)
{
    fault_report(out, f, kernel, d->code->set, d->image ? symbol_at : NULL, d->image);
}
