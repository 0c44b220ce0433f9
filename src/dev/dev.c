/* dev.c -- opening a device, loading and unloading images, handing launches to its engine. */
#include "dev/dev.h"
#include "obj/lines.h"
#include "base/mem.h"
#include "jit/jit.h"
#include "sim/sim.h"
#include "time/time.h"
#include <elf.h>
#include <string.h>

struct Device {
    DeviceOptions opt;
    Memory memory;
    Engine *engine;
    Mmu mmu; /* of memory; root set by the driver when opt.mmu */
    DevCode code;
    u64 numbers;     /* given so far (DevCode) */
    u64 alterations; /* of code, by dev_write() */
};

/* --- engines ------------------------------------------------------------------- */

const EngineKind *const dev_engines[] = {&auto_kind,   &sim_kind,  &jit_kind,
                                         &shadow_kind, &time_kind, NULL};

bool dev_is_public_backend(const char *name)
{
    static const char *const names[] = {"spike",     "isa",      "rtl",   "rtlsim",
                                        "gpgpu",     "cyclesim", "cycle", "systemc",
                                        "simulator", "gvm",      "ptx"};
    for (size_t i = 0; i < countof(names); i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

bool dev_has_engine(const EngineKind *kind)
{
    const char *why;
    return !kind->available || kind->available(&why);
}

const EngineKind *dev_find_engine(const char *name)
{
    for (size_t i = 0; dev_engines[i]; i++)
        if (!strcmp(dev_engines[i]->name, name) && dev_has_engine(dev_engines[i]))
            return dev_engines[i];
    return NULL;
}

/* --- life ------------------------------------------------------------------------ */

DeviceOptions dev_defaults(void)
{
    DeviceOptions o = {.set = V202, .engine = dev_engines[0]};
    if (!machine_builtin(NULL, &o.machine))
        bug("the built-in machine description is wrong");
    return o;
}

bool dev_check_options(const DeviceOptions *o, Diag *d)
{
    if (!o->engine->sms || o->machine.sms <= o->engine->sms)
        return true;
    error(d, &(Source){.name = o->machine.name, .text = ""}, NULL,
          "%u SMs; the engine %s models at most %u", o->machine.sms, o->engine->name,
          o->engine->sms);
    return false;
}

Device *dev_open(const DeviceOptions *opt)
{
    Device *d = mem_zalloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->opt = *opt;
    d->mmu.memory = &d->memory;
    d->code = (DevCode){.set = opt->set, .generation = GEN_BARE};
    /* v2025 addresses 39 bits (SV39); a host that cannot reserve that much still runs everything
     * that has 32-bit addresses */
    if (((!opt->narrow && memory_open(&d->memory, 0, (u64)RANGE_HIGH_END << PAGE_BITS)) ||
         memory_open(&d->memory, 0, (u64)RANGE_HEAP_END << PAGE_BITS)) &&
        (d->engine = opt->engine->open(&d->memory, opt->set)))
        return d;
    dev_close(d);
    return NULL;
}

void dev_close(Device *d)
{
    if (!d)
        return;
    if (d->engine)
        d->opt.engine->close(d->engine);
    memory_close(&d->memory);
    obj_free(d->code.image);
    mem_free(d);
}

const DeviceOptions *dev_options(const Device *d) { return &d->opt; }
const DevCode *dev_code(const Device *d) { return &d->code; }
Engine *dev_engine(Device *d) { return d->engine; }
Memory *dev_memory(Device *d) { return &d->memory; }
void dev_set_tables(Device *d, u64 root) { d->mmu.root = root; }
void dev_interrupt(Device *d) { d->opt.engine->interrupt(d->engine); }

void dev_finish(Device *d)
{
    if (d->opt.engine->finish)
        d->opt.engine->finish(d->engine);
}

void dev_expect(Device *d)
{
    if (d->opt.engine->expect)
        d->opt.engine->expect(d->engine);
}

void dev_set_rules(Device *d, const DeviceOptions *opt)
{
    const DeviceOptions was = d->opt;
    d->opt = *opt;
    d->opt.set = was.set;
    d->opt.engine = was.engine;
    d->opt.mmu = was.mmu;
}

bool dev_translate(const Device *d, Tlb *tlb, u64 addr, u64 *physical)
{
    *physical = addr;
    return !d->opt.mmu || mmu_translate(&d->mmu, tlb, addr, PTE_R, physical);
}

static void code_changed(Device *d, IsaSet set, u64 addr, u64 size)
{
    d->code.set = set;
    d->opt.engine->code_changed(d->engine, set, addr, size);
}

/* --- memory ------------------------------------------------------------------------ */

static bool overlaps_code(u64 addr, u64 size) { return addr < CODE_END && addr + size > CODE_LO; }

/* Whether bytes of code change, or those behind a page of code that its last instruction goes on in. */
static bool changes_code(const Device *d, u64 addr, const void *from, u64 size)
{
    enum { LONGEST = 12 }; /* bytes of an instruction with its prefix */
    bool is_code = false;
    if (!overlaps_code(addr, size) || !memcmp(d->memory.base + addr, from, size))
        return false;
    const u64 first = addr > CODE_LO ? addr - LONGEST : CODE_LO,
              end = addr + size < CODE_END ? addr + size : CODE_END;
    for (u64 p = first >> PAGE_BITS; p <= (end - 1) >> PAGE_BITS; p++)
        is_code |= (memory_rights(&d->memory, p) & MEM_X) != 0;
    return is_code;
}

bool dev_write(Device *d, u64 addr, const void *from, u64 size)
{
    if (!memory_has(&d->memory, addr, size, MEM_R))
        return false;
    if (changes_code(d, addr, from, size)) {
        code_changed(d, d->code.set, addr, size);
        d->alterations++;
    }
    memory_write(&d->memory, addr, from, size);
    return true;
}

bool dev_read(const Device *d, u64 addr, void *to, u64 size)
{
    if (!memory_has(&d->memory, addr, size, MEM_R))
        return false;
    memory_move_bytes(to, d->memory.base + addr, size);
    return true;
}

void dev_code_written(Device *d, u64 addr, u64 end)
{
    obj_free(d->code.image);
    d->code = (DevCode){.generation = GEN_BARE};
    code_changed(d, d->opt.set, CODE_LO, CODE_END - CODE_LO);
    code_needs(&d->memory, d->opt.set, addr, end - addr, &d->code.needs);
}

/* --- images -------------------------------------------------------------------------- */

static bool segment_fits(const Object *image, const ObjSegment *s, Diag *d)
{
    if ((u64)s->addr + s->memsz <= LDS_LO ||
        (s->addr >= LDS_END && (u64)s->addr + s->memsz <= (u64)RANGE_HEAP_END << PAGE_BITS))
        return true;
    error(d, NULL, NULL, "%s: segment 0x%08x..0x%08llx lies in the local memory window",
          image->name, s->addr, (unsigned long long)s->addr + s->memsz);
    return false;
}

static void load_segment(Device *d, const ObjSegment *s)
{
    const u8 flags = (u8)(MEM_R | (s->flags & PF_W ? MEM_W : 0) | (s->flags & PF_X ? MEM_X : 0));
    if (!s->memsz)
        return;
    /* pages that two segments share may do what either may */
    memory_add_rights(&d->memory, s->addr, s->memsz, flags);
    if (s->data.len)
        memcpy(d->memory.base + s->addr, s->data.data, s->data.len);
    memset(d->memory.base + s->addr + s->data.len, 0, s->memsz - s->data.len);
}

static u64 first_page(const ObjSegment *s) { return s->addr & ~(u64)(PAGE_SIZE - 1); }

static u64 end_of_pages(const ObjSegment *s)
{
    return align_up((u64)s->addr + s->memsz, PAGE_SIZE);
}

Object *dev_unload(Device *d)
{
    Object *image = d->code.image;
    if (image)
        code_changed(d, d->code.set, CODE_LO, CODE_END - CODE_LO);
    for (size_t i = 0; image && i < image->nsegments; i++) {
        const ObjSegment *s = &image->segments[i];
        memory_unmap(&d->memory, first_page(s), end_of_pages(s) - first_page(s));
    }
    d->code.image = NULL;
    return image;
}

/* Unmaps a segment that may be loaded again; it may share pages with others. */
static void retire_segment(Device *d, const ObjSegment *s)
{
    for (u64 a = first_page(s); s->memsz && a < end_of_pages(s); a += PAGE_SIZE)
        if (!(memory_rights(&d->memory, a >> PAGE_BITS) & MEM_OLD))
            memory_retire(&d->memory, a, PAGE_SIZE);
}

void dev_put_away(Device *d, DevCode *code)
{
    const EngineKind *engine = d->opt.engine;
    const Object *image = d->code.image;
    *code = d->code;
    code->number = 0;
    if (image && engine->code_left && code->alterations == d->alterations)
        engine->code_left(d->engine, code->number = ++d->numbers);
    else if (image)
        code_changed(d, d->code.set, CODE_LO, CODE_END - CODE_LO);
    for (size_t i = 0; image && i < image->nsegments; i++)
        retire_segment(d, &image->segments[i]);
    d->code.image = NULL;
}

void dev_drop(Device *d, const DevCode *code)
{
    if (code->number)
        d->opt.engine->code_gone(d->engine, code->number);
}

static void find_needs(Device *d, const Object *image)
{
    d->code.needs = (CodeNeeds){.sgprs = 0};
    for (size_t i = 0; i < image->nsegments; i++) {
        const ObjSegment *s = &image->segments[i];
        if (s->flags & PF_X)
            code_needs(&d->memory, image->set, s->addr, s->data.len, &d->code.needs);
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
    code_changed(dev, image->set, CODE_LO, CODE_END - CODE_LO);
    obj_free(dev_unload(dev));
    for (size_t i = 0; i < image->nsegments; i++)
        load_segment(dev, &image->segments[i]);
    find_needs(dev, image);
    dev->code.image = image;
    dev->code.generation = resource_generation(image);
    dev->code.tp_word = resource_tp_word(image);
    dev->code.alterations = dev->alterations;
    return true;
}

void dev_bring_back(Device *d, const DevCode *code)
{
    code_changed(d, code->set, CODE_LO, CODE_END - CODE_LO);
    obj_free(dev_unload(d));
    for (size_t i = 0; i < code->image->nsegments; i++)
        load_segment(d, &code->image->segments[i]);
    if (code->alterations == d->alterations && code->number)
        d->opt.engine->code_back(d->engine, code->number);
    else
        dev_drop(d, code);
    d->code = *code;
    d->code.alterations = d->alterations;
}

/* --- launches --------------------------------------------------------------------------- */

/* Reads as a warp would, through the tables. */
static bool read_words(const Device *d, u64 addr, u32 *to, size_t n)
{
    u64 at;
    if (!d->opt.mmu)
        return dev_read(d, addr, to, n * sizeof *to);
    Tlb tlb = {.vpn = {0}};
    for (size_t i = 0; i < n * sizeof *to; i++)
        if (!dev_translate(d, &tlb, addr + i, &at) || !dev_read(d, at, (u8 *)to + i, 1))
            return false;
    return true;
}

/* The index space, and where kernels print, by the metadata block (doc/abi.md, "Metadata block").
 */
static void read_metadata(const Device *d, Launch *l)
{
    u32 print, size;
    if (read_words(d, l->knl + 4 * KNL_PRINT, &print, 1) &&
        read_words(d, l->knl + 4 * KNL_PRINT_SIZE, &size, 1) && print) {
        l->print = print;
        l->print_end = (u64)print + size;
    }
    u64 items = read_words(d, l->knl + 4 * KNL_GLOBAL, l->global, 3) &&
                read_words(d, l->knl + 4 * KNL_OFFSET, l->offset, 3) &&
                read_words(d, l->knl + 4 * KNL_LOCAL, l->local, 3);
    for (int i = 0; i < 3; i++) {
        if (l->local[i] > MAX_WARPS * MAX_LANES)
            items = 0;
        items *= l->local[i];
    }
    /* a block that does not match the launch was written by an unknown tool: every lane runs */
    if (!items || (items + l->lanes - 1) / l->lanes != l->warps)
        memset(l->local, 0, sizeof l->local);
    u32 first[3], enqueued[3];
    if (l->local[0] && read_words(d, l->knl + 4 * KNL_FIRST, first, 3) &&
        read_words(d, l->knl + 4 * KNL_ENQUEUED, enqueued, 3))
        launch_set_part(l, first, enqueued);
}

static bool refuse(DevResult *r, FaultKind kind)
{
    r->run = (LaunchResult){.faulted = true, .fault = {.kind = kind, .lane = -1}};
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
    return n > UINT32_MAX ? UINT32_MAX : (u32)n;
}

/* Sets the rights of private memory, which is cleared after every group (mach/memory.h, "tracked");
 * with the MMU its pages lie anywhere. */
static void set_private(Device *d, u64 addr, u64 size, u8 flags)
{
    if (!d->opt.mmu) {
        memory_allow(&d->memory, addr, size, flags);
        return;
    }
    Tlb tlb = {.vpn = {0}};
    for (u64 a = addr; a < addr + size; a += PAGE_SIZE) {
        u64 pa = a;
        if (mmu_translate(&d->mmu, &tlb, a, PTE_W, &pa))
            memory_allow(&d->memory, pa, PAGE_SIZE, flags);
    }
}

static Occupancy occupancy(const Device *d, GroupNeeds needs)
{
    needs.sgprs = needs.sgprs ? needs.sgprs : d->code.needs.sgprs;
    needs.vgprs = needs.vgprs ? needs.vgprs : d->code.needs.vgprs;
    return machine_occupancy(&d->opt.machine, &needs);
}

u64 dev_groups_at_once(const Device *d, const GroupNeeds *needs, u32 threads)
{
    enum { MAX_POOL = 64 };
    const Machine *m = &d->opt.machine;
    const u32 most = d->opt.engine->sms;
    const u64 sms = m->group_alone ? 1 : m->sms < most ? m->sms : most;
    if (most)
        return sms * occupancy(d, *needs).groups +
               1; /* one that is not timed may run beside them */
    const u32 n = threads ? threads : host_processors();
    return n > MAX_POOL ? MAX_POOL : n;
}

bool dev_launch(Device *d, const DevLaunch *in, DevResult *result)
{
    Launch l = {
        .kernel = in->kernel,
        .set = d->code.set,
        .pc = CODE_LO,
        .knl = in->knl,
        .groups = {in->groups[0], in->groups[1], in->groups[2]},
        .warps = in->warps,
        .lanes = in->lanes,
        .lds = in->lds,
        .vgprs = d->code.needs.vgprs,
        .pds = in->pds,
        .pds_lane = in->pds_lane,
        .pds_areas = private_areas(in),
        .pds_by_group = !in->pds_shared && private_areas(in) == group_count(in->groups),
        .vm = d->opt.vm,
        .strict = d->opt.strict,
        .all_lanes = d->opt.all_lanes,
        .any_barrier = d->opt.any_barrier,
        .check_copies = d->opt.check_copies,
        .simt_depth = d->opt.machine.simt_depth,
        .max_insns = in->max_insns,
        .machine = &d->opt.machine,
        .memory = &d->memory,
        .mmu = d->opt.mmu ? &d->mmu : NULL,
        .roll = in->run.roll,
    };
    result->occupancy = occupancy(d, (GroupNeeds){in->warps, in->sgprs, in->vgprs, in->lds});
    l.resident = result->occupancy.groups;
    if (!in->warps || in->warps > MAX_WARPS || in->lanes < 4 || in->lanes > MAX_LANES ||
        !is_pow2(in->lanes) || !result->occupancy.groups || group_count(in->groups) == UINT64_MAX)
        return refuse(result, FAULT_RESOURCES);
    read_metadata(d, &l);
    const u64 areas = (u64)l.pds_areas * align_up((u64)l.pds_lane * l.lanes * l.warps, PAGE_SIZE);
    set_private(d, l.pds, areas, MEM_R | MEM_TRACKED);
    const bool ok = d->opt.engine->launch(d->engine, &l, &in->run, &result->run);
    set_private(d, l.pds, areas, MEM_R | MEM_W);
    return ok;
}

/* --- reports -------------------------------------------------------------------------------- */

static const char *symbol_at(void *self, u64 addr, u64 *past)
{
    return obj_symbol_at(self, -1, (u32)addr, past);
}

static void put_labelled_place(const Object *image, u32 pc, const char *label, Buf *to)
{
    enum { CALLS_SHOWN = 8 };
    Place chain[CALLS_SHOWN];
    LineTable *lines = lines_read(image);
    const size_t n = lines ? lines_find(lines, pc, chain, CALLS_SHOWN) : 0;
    for (size_t i = 0; i < n; i++) {
        const Place *p = &chain[i];
        buf_printf(to, "\n  %-11s %s:%u", i ? "called at" : label, p->file ? p->file : "?",
                   p->line);
        if (p->column)
            buf_printf(to, ":%u", p->column);
        if (p->function)
            buf_printf(to, " in %s", p->function);
        place_put_line(image, p, "\n              ", to);
    }
    lines_free(lines);
}

static void put_place(void *self, u32 pc, Buf *to) { put_labelled_place(self, pc, "at", to); }

void dev_put_place(const Device *d, u32 pc, const char *label, Buf *out)
{
    if (d->code.image)
        put_labelled_place(d->code.image, pc, label, out);
}

static FaultContext context_of(const Device *d, const char *kernel)
{
    return (FaultContext){.kernel = kernel,
                          .set = d->code.set,
                          .symbol = d->code.image ? symbol_at : NULL,
                          .place = d->code.image ? put_place : NULL,
                          .self = d->code.image};
}

void dev_report_as(const Device *d, const Fault *f, const char *kernel, const char *sentence,
                   const char *more, Buf *out)
{
    FaultContext c = context_of(d, kernel);
    c.sentence = sentence;
    c.more = more;
    fault_report(out, f, &c);
}

void dev_report(const Device *d, const Fault *f, const char *kernel, const char *memory, Buf *out)
{
    FaultContext c = context_of(d, kernel);
    c.memory = memory;
    fault_report(out, f, &c);
}
