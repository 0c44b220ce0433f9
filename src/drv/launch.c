/* launch.c -- drv_run: a kernel by name, with arguments.
 *
 * 1. what the kernel needs: registers, private memory, local memory (plan)
 * 2. the argument block, by the compiler's layout
 * 3. buffers for it, for private memory, for the metadata block
 * 4. the launch
 *
 * Where the local size does not divide the global size, the grid is cut into parts of
 * equal groups, up to two along each dimension, which are launched one after the other.
 *
 * Layouts: doc/abi.md, "Argument block", "Metadata block", "Local memory".
 */
#include "drv/internal.h"
#include "isa/abi.h"
#include <string.h>

enum { MIN_SGPRS = 32, UNIT = 4 }; /* registers are asked for in fours */

/* Groups of one size. */
typedef struct {
    u32 groups[3], local[3];
    u32 first[3];  /* ids of its first group */
    bool is_whole; /* the only part */
} Part;

/* What a launch of the kernel asks for. */
typedef struct {
    Part part;
    Resource record;
    u32 entry;
    u32 warps, lanes;
    u32 sgprs, vgprs;  /* 0: what the code uses */
    u64 stack;         /* bytes of scalar stack a warp */
    u64 stacks;        /* of all warps */
    u64 data;          /* bytes of __local data so far, the static ones first */
    bool data_first;   /* Gen C: data before stacks */
    bool offsets;      /* local arguments are offsets, not addresses */
    u64 private_start; /* first byte of the private stack in a lane */
    u64 private_word;  /* metadata word 64 */
    u64 private;       /* bytes a lane */
    Buf args;
    Extents extents; /* of a watched launch */
} Plan;

/* --- the shape ------------------------------------------------------------------------ */

static u32 size_along(const DrvKernel *k, const u32 sizes[3], u32 i)
{
    return i < k->dims ? sizes[i] : 1;
}

static DrvStatus check_shape(Driver *d, const DrvKernel *k)
{
    const Machine *m = &dev_options(d->dev)->machine;
    u64 items = 1, groups = 1;
    bool fits = true;
    if (k->dims < 1 || k->dims > 3)
        return drv_fail(d, DRV_BAD_ARGUMENT, "%u dimensions; there are 1 to 3", k->dims);
    for (u32 i = 0; i < 3; i++) {
        const u32 global = size_along(k, k->global, i), local = size_along(k, k->local, i);
        if (!global || !local)
            return drv_fail(d, DRV_BAD_SIZE, "dimension %u: %u work-items in groups of %u", i,
                            global, local);
        if (global % local && !k->partial)
            return drv_fail(d, DRV_BAD_SIZE, "dimension %u: %u work-items are no multiple of %u", i,
                            global, local);
        fits &= !__builtin_mul_overflow(groups, ((u64)global + local - 1) / local, &groups);
        items *= local <= MAX_WARPS * MAX_LANES ? local : MAX_WARPS * MAX_LANES + 1;
    }
    if (!fits)
        return drv_fail(d, DRV_BAD_SIZE, "too many work-groups");
    if (items > (u64)m->group_warps * m->lanes)
        return drv_fail(d, DRV_BAD_SIZE,
                        "a work-group of more than %u work-items, the most that machine '%s' takes",
                        m->group_warps * m->lanes, m->name);
    return DRV_OK;
}

/* Part `n` of the grid: bit i of n chooses the work-items that are left over after the full groups
 * along dimension i.  False: it is empty. */
static bool take_part(const DrvKernel *k, u32 n, Part *part)
{
    *part = (Part){.is_whole = true};
    for (u32 i = 0; i < 3; i++) {
        const u32 global = size_along(k, k->global, i), local = size_along(k, k->local, i);
        const bool is_rest = n >> i & 1;
        part->groups[i] = is_rest ? (u32)(global % local != 0) : global / local;
        part->local[i] = is_rest ? global % local : local;
        part->first[i] = is_rest ? global / local : 0;
        part->is_whole &= !(global % local);
        if (!part->groups[i])
            return false;
    }
    return true;
}

/* --- the kernel ------------------------------------------------------------------------- */

static DrvStatus no_kernel(Driver *d, const char *name)
{
    const char *names[8];
    Buf list = {0};
    const size_t n = drv_kernels(dev_code(d->dev)->image, names, countof(names));
    for (size_t i = 0; i < n && i < countof(names); i++)
        buf_printf(&list, "%s%s", i ? ", " : "", names[i]);
    drv_fail(d, DRV_NO_KERNEL, "'%s'; %s has %s", name, dev_code(d->dev)->image->name,
             n ? buf_text(&list) : "none");
    buf_free(&list);
    return DRV_NO_KERNEL;
}

static DrvStatus find_kernel(Driver *d, const char *name, Plan *p)
{
    Buf text = {0};
    Diag diag = {.sink = diag_to_buf, .to = &text};
    const Object *image = dev_code(d->dev)->image;
    const KernelPlace *known = d->program ? program_recall(d->program, name) : NULL;
    if (!image)
        return drv_fail(d, DRV_NO_PROGRAM, "%s", "");
    if (known) {
        p->entry = known->entry;
        p->record = known->record;
        return DRV_OK;
    }
    const i32 symbol = obj_find_symbol(image, name);
    if (symbol < 0 || image->symbols[symbol].section < 0)
        return no_kernel(d, name);
    p->entry = image->symbols[symbol].value;
    if (resource_read(image, name, &p->record, &diag)) {
        if (d->program)
            program_remember(d->program, name, p->entry, &p->record);
        return DRV_OK;
    }
    drv_fail(d, DRV_BAD_PROGRAM, "%s", buf_text(&text));
    buf_free(&text);
    return DRV_BAD_PROGRAM;
}

/* --- what it needs -------------------------------------------------------------------------- */

enum { UNKNOWN_CODE = RES_INDIRECT_CALL | RES_UNKNOWN_CALLEE | RES_REGISTERS_INCOMPLETE };

static bool knows(const Resource *r, u64 stack)
{
    return r->form == RES_LONG && !(r->flags & RES_NO_STACK_PEAK) && stack != UINT64_MAX;
}

/* Old records claim fewer registers than the code uses, so only complete new ones are believed. */
WarpNeeds drv_warp_needs(const Resource *r, Generation g)
{
    WarpNeeds n = {.stack = ABI_WARP_STACK};
    if ((g == GEN_B2 || g == GEN_C) && knows(r, r->lds_stack))
        n.stack = r->lds_stack;
    if (r->form == RES_LONG && !(r->flags & UNKNOWN_CODE) && r->sgpr <= 256 && r->vgpr <= 256) {
        n.sgprs = (u32)align_up(r->sgpr > MIN_SGPRS ? r->sgpr : MIN_SGPRS, UNIT);
        n.vgprs = (u32)align_up(r->vgpr ? r->vgpr : 1, UNIT);
    }
    return n;
}

static DrvStatus plan_local(Driver *d, Plan *p)
{
    const Generation g = dev_code(d->dev)->generation;
    const Resource *r = &p->record;
    const u64 statics = r->form == RES_NONE ? 0 : r->lds_static;
    if (g == GEN_B && knows(r, r->lds_stack) && r->lds_stack > ABI_WARP_STACK)
        return drv_fail(d, DRV_RESOURCES,
                        "a warp needs %llu bytes of scalar stack, its start code gives it %u",
                        (unsigned long long)r->lds_stack, ABI_WARP_STACK);
    if (p->stack > LDS_END - LDS_LO || statics > LDS_END - LDS_LO)
        return drv_fail(d, DRV_RESOURCES,
                        "the record asks for %llu bytes of stack and %llu of data in "
                        "local memory",
                        (unsigned long long)p->stack, (unsigned long long)statics);
    p->stack = align_up(p->stack, ABI_LOCAL_ALIGN);
    p->stacks = p->stack * p->warps;
    p->data = statics;
    p->data_first = g == GEN_C;
    extents_add(d, &p->extents,
                (DrvExtent){.kind = EXTENT_LOCAL_DATA,
                            .addr = LDS_LO + (p->data_first ? 0 : p->stacks),
                            .size = statics});
    p->offsets = r->form == RES_LONG;
    return DRV_OK;
}

/* Whether lanes need no private memory: the record says so, and no instruction of the image reaches any.  Who
 * exports or watches a launch finds what hosts have always given. */
static bool has_no_private(const Driver *d, const DrvKernel *k, const Plan *p)
{
    const Resource *r = &p->record;
    return knows(r, r->pds_stack) && !r->pds_stack && !r->pds_static &&
           !dev_code(d->dev)->needs.private && !k->private_min && !k->export_to && !d->is_watched;
}

/* Private memory has static data, then the stack; code that starts its stack at word 64 needs as
 * much again after it (doc/abi.md, "Metadata block").  If the record knows the size of the stack
 * that is taken, whatever the start code; but code made for generation B and older by others, or by hand, may
 * count on the 4096 bytes that hosts have always given it.  Who exports or watches a launch finds those, too. */
static DrvStatus plan_private(Driver *d, const DrvKernel *k, Plan *p)
{
    const Generation g = dev_code(d->dev)->generation;
    const Resource *r = &p->record;
    const u64 statics = r->form == RES_NONE ? 0 : r->pds_static;
    u64 stack = knows(r, r->pds_stack) ? r->pds_stack : ABI_PRIVATE_LEAST;
    if (has_no_private(d, k, p))
        return DRV_OK;
    const bool is_exact = knows(r, r->pds_stack) && k->compiled && !k->export_to && !d->is_watched;
    if (g != GEN_B2 && g != GEN_C && !is_exact && stack < ABI_PRIVATE_LEAST)
        stack = ABI_PRIVATE_LEAST;
    if (statics > LDS_LO || stack > LDS_LO)
        return drv_fail(d, DRV_RESOURCES,
                        "the record asks for %llu bytes of data and %llu of stack in "
                        "private memory",
                        (unsigned long long)statics, (unsigned long long)stack);
    p->private_start = align_up(statics, ABI_LOCAL_ALIGN);
    p->private_word = p->private_start + align_up(stack, ABI_LOCAL_ALIGN);
    if (p->private_word < k->private_min)
        p->private_word = align_up(k->private_min, ABI_LOCAL_ALIGN);
    p->private = p->private_word;
    if (dev_code(d->dev)->tp_word == 64)
        p->private += p->private_word - p->private_start;
    return DRV_OK;
}

/* --- arguments ------------------------------------------------------------------------ */

static u64 local_total(const Plan *p) { return align_up(p->data, 16) + p->stacks; }

static DrvStatus plan_arguments(Driver *d, const DrvKernel *k, Plan *p)
{
    for (size_t i = 0; i < k->nargs; i++) {
        /* 1. its place in the block: after the others, aligned */
        const DrvArg *a = &k->args[i];
        const u32 align = a->align > 4 ? a->align : 4;
        if (!a->size || !is_pow2(align) || (!a->is_local && !a->value))
            return drv_fail(d, DRV_BAD_ARGUMENT, "argument %zu of %u bytes, aligned to %u", i,
                            a->size, a->align);
        const u64 at = align_up(p->args.len, a->is_local ? 4 : align);
        if (at > ABI_ARGS_MOST || (!a->is_local && a->size > ABI_ARGS_MOST - at))
            return drv_fail(d, DRV_BAD_ARGUMENT, "more than %u bytes of arguments", ABI_ARGS_MOST);
        buf_fill(&p->args, 0, at - p->args.len);
        /* 2. a value as it is */
        if (!a->is_local) {
            u32 base = 0;
            memcpy(&base, a->value, a->size < 4 ? a->size : 4);
            buf_put(&p->args, a->value, a->size);
            extents_add(d, &p->extents,
                        (DrvExtent){.kind = EXTENT_BUFFER,
                                    .addr = base,
                                    .size = a->buffer,
                                    .arg = i,
                                    .no_read = a->no_read,
                                    .no_write = a->no_write});
            continue;
        }
        /* 3. of local memory its offset or address, as the kernel wants it; too much is refused
         * later
         */
        const u64 before = p->data_first ? 0 : p->stacks;
        const u64 offset = align_up(before + p->data, ABI_LOCAL_ALIGN);
        p->data = offset + a->size - before;
        extents_add(
            d, &p->extents,
            (DrvExtent){.kind = EXTENT_LOCAL, .addr = LDS_LO + offset, .size = a->size, .arg = i});
        buf_put(&p->args, &(u32){(u32)(p->offsets ? offset : LDS_LO + offset)}, 4);
    }
    return p->args.failed ? drv_fail(d, DRV_NO_MEMORY, "the argument block") : DRV_OK;
}

static DrvStatus make_plan(Driver *d, const DrvKernel *k, Plan *p)
{
    /* 1. the kernel and its shape */
    const u32 *n = p->part.local;
    DrvStatus s = find_kernel(d, k->kernel, p);
    if (s)
        return s;
    p->lanes = dev_options(d->dev)->machine.lanes;
    p->warps = (n[0] * n[1] * n[2] + p->lanes - 1) / p->lanes;
    /* 2. what each warp needs */
    const WarpNeeds warp = drv_warp_needs(&p->record, dev_code(d->dev)->generation);
    p->sgprs = warp.sgprs;
    p->vgprs = warp.vgprs;
    p->stack = warp.stack;
    /* 3. memory */
    if ((s = plan_local(d, p)) || (s = plan_private(d, k, p)) || (s = plan_arguments(d, k, p)))
        return s;
    if (local_total(p) > LDS_END - LDS_LO)
        return drv_fail(d, DRV_RESOURCES, "a work-group needs %llu bytes of local memory",
                        (unsigned long long)local_total(p));
    return DRV_OK;
}

/* --- memory --------------------------------------------------------------------------- */

/* What exists for one launch. */
typedef struct {
    u64 args, metadata, pds, pds_size;
    u64 print; /* shared by the parts of a grid; 0: nobody listens */
} Blocks;

enum { MODEST = 64 << 20 }; /* bytes of private memory up to which every group gets its own */
enum { ASIDE = 32 };        /* groups that may wait for each other, within that */

/* Whether somebody may see where private memory lies. */
static bool sees_private(const Driver *d, const DrvKernel *k)
{
    return !k->compiled || k->export_to || d->is_watched || k->run.nobservers;
}

static DrvStatus alloc_blocks(Driver *d, const DrvKernel *k, const Plan *p, Blocks *b)
{
    /* 1. the print buffer, unless a part before has made it; the argument block and the metadata
     * block, side by side, which all warps read */
    DrvStatus s = k->print && !b->print ? print_open(d, &b->print) : DRV_OK;
    if (s)
        return s;
    s = p->args.len ? alloc_locked(d, p->args.len, &b->args) : DRV_OK;
    s = s ? s : alloc_locked(d, ABI_KNL_BYTES, &b->metadata);
    if (s)
        return s;
    /* 2. private memory for as many groups as run at a time and may wait for each other, or for fewer when memory is
     * scarce; for every group, so that each has addresses of its own, where that is not much and somebody may see them */
    const u64 area = align_up(p->private * p->lanes * p->warps, PAGE_SIZE);
    const u64 groups = (u64)p->part.groups[0] * p->part.groups[1] * p->part.groups[2];
    u64 n = groups;
    if (area && (!sees_private(d, k) || groups > MODEST / area)) {
        const GroupNeeds needs = {p->warps, p->sgprs, p->vgprs, (u32)local_total(p)};
        n = dev_groups_at_once(d->dev, &needs, k->run.threads);
        const u64 others = MODEST / area < ASIDE ? MODEST / area : ASIDE;
        n += others > 1 ? others - 1 : 0;
        n = n ? n : 1; /* the launch will say why none can run */
    }
    for (n = !area ? 0 : n > groups ? groups : n; n; n /= 2) {
        b->pds_size = n * area;
        if ((s = alloc_locked(d, b->pds_size, &b->pds)) != DRV_DEVICE_FULL)
            break;
    }
    if (s == DRV_DEVICE_FULL)
        return drv_fail(d, DRV_RESOURCES, "%llu bytes of private memory for a work-group",
                        (unsigned long long)area);
    return s;
}

static void free_blocks(Driver *d, const Blocks *b)
{
    free_locked(d, b->args);
    free_cleared_locked(d, b->pds); /* every group leaves its private memory so */
    free_locked(d, b->metadata);
}

static void fill_metadata(const DrvKernel *k, const Plan *p, const Blocks *b,
                          u32 word[ABI_KNL_BYTES / 4])
{
    memset(word, 0, ABI_KNL_BYTES);
    word[KNL_ENTRY] = p->entry;
    word[KNL_ARGS] = (u32)b->args;
    word[KNL_DIMS] = k->dims;
    for (u32 i = 0; i < 3; i++) {
        const u32 local = size_along(k, k->local, i);
        word[KNL_GLOBAL + i] = size_along(k, k->global, i);
        word[KNL_LOCAL + i] = p->part.local[i];
        word[KNL_OFFSET + i] = (i < k->dims ? k->offset[i] : 0) + p->part.first[i] * local;
        word[KNL_FIRST + i] = p->part.first[i];
        word[KNL_ENQUEUED + i] = p->part.is_whole ? 0 : local;
    }
    word[KNL_PRINT] = (u32)b->print;
    word[KNL_PRINT_SIZE] = b->print ? PRINT_BUFFER : 0;
    word[KNL_STACK] = (u32)p->stack;
    word[KNL_DATA] = (u32)align_up(p->data, 16);
    word[KNL_PRIVATE] = (u32)p->private_word;
    word[KNL_PRIVATE_START] = (u32)p->private_start;
}

/* what lies where, for a watcher */
static void add_extents(const Driver *d, Plan *p, const Blocks *b)
{
    const u64 stacks = LDS_LO + (p->data_first ? align_up(p->data, 16) : 0);
    const DrvExtent all[] = {
        {.kind = EXTENT_ARGUMENTS, .addr = b->args, .size = p->args.len},
        {.kind = EXTENT_ARGUMENTS, .addr = b->metadata, .size = ABI_KNL_BYTES},
        {.kind = EXTENT_PRIVATE, .addr = b->pds, .size = b->pds_size},
        {.kind = EXTENT_PRINT, .addr = b->print, .size = b->print ? PRINT_BUFFER : 0},
        {.kind = EXTENT_STACKS, .addr = stacks, .size = p->stacks},
    };
    for (size_t i = 0; i < countof(all); i++)
        extents_add(d, &p->extents, all[i]);
}

/* --- the launch ----------------------------------------------------------------------- */

/* *print: the print buffer, 0 before the first part. */
static DrvStatus run_part(Driver *d, const DrvKernel *k, const Part *part, u64 *print,
                          DrvResult *result)
{
    Plan p;
    Blocks b;
    DrvStatus s;
    u32 word[ABI_KNL_BYTES / 4];
    for (;;) {
        /* 1. the program, alone when the launch is exported: memory is to be as it is between
         * launches */
        p = (Plan){.part = *part};
        b = (Blocks){.print = *print};
        s = enter_program(d, k->program, k->export_to || d->is_watched);
        /* 2. what the kernel needs, and memory; again while launches run, whose end gives some
         * back. Who waits keeps nothing of the first part, or two could wait for each other */
        if (!s)
            s = make_plan(d, k, &p);
        if (s || !(s = alloc_blocks(d, k, &p, &b)) || !d->running)
            break;
        free_blocks(d, &b);
        if (b.print != *print)
            free_locked(d, b.print);
        buf_free(&p.args);
        mem_free(p.extents.e);
        wait_for_memory(d);
    }
    *print = b.print;
    /* 3. its contents */
    if (!s) {
        fill_metadata(k, &p, &b, word);
        if (!copy_in(d, b.metadata, word, sizeof word) ||
            !copy_in(d, b.args, p.args.data, p.args.len))
            bug("a block that was just allocated is not there");
    }
    /* 4. the launch */
    if (!s && k->export_to) {
        const DrvRecord record = {
            .kernel_size = {p.part.groups[0], p.part.groups[1], p.part.groups[2]},
            .wf_size = p.lanes,
            .wg_size = p.warps,
            .metadata_base = b.metadata,
            .lds_size = local_total(&p),
            .pds_size = p.private,
            .sgpr_usage = p.sgprs,
            .vgpr_usage = p.vgprs,
            .pds_base = b.pds,
        };
        s = export_launch(d, k->export_to, k->kernel, &record);
    }
    if (!s) {
        DevLaunch l = {
            .kernel = k->kernel,
            .knl = (u32)b.metadata,
            .groups = {p.part.groups[0], p.part.groups[1], p.part.groups[2]},
            .warps = p.warps,
            .lanes = p.lanes,
            .sgprs = p.sgprs,
            .vgprs = p.vgprs,
            .lds = (u32)local_total(&p),
            .pds = (u32)b.pds,
            .pds_lane = (u32)p.private,
            .pds_size = b.pds_size,
            .pds_shared = !sees_private(d, k),
            .max_insns = k->max_insns,
            .run = k->run,
        };
        add_extents(d, &p, &b);
        s = launch_locked(d, &l, k, d->is_watched, &p.extents, result);
    }
    free_blocks(d, &b);
    buf_free(&p.args);
    mem_free(p.extents.e);
    return s;
}

/* The result is that of the last part, with the counts of all. */
static DrvStatus run_parts(Driver *d, const DrvKernel *k, u64 *print, DrvResult *result)
{
    DrvStatus s = DRV_OK;
    u64 insns = 0, groups = 0, cycles = 0, timed = 0, cycles_error = 0, began = 0;
    for (u32 n = 0; !s && n < 8; n++) {
        Part part;
        if (!take_part(k, n, &part))
            continue;
        s = run_part(d, k, &part, print, result);
        began = began ? began : result->dev.run.began;
        insns += result->dev.run.insns;
        groups += result->dev.run.groups;
        cycles += result->dev.run.cycles;
        timed += result->dev.run.timed;
        cycles_error += result->dev.run.cycles_error;
    }
    result->dev.run.began = began;
    result->dev.run.insns = insns;
    result->dev.run.groups = groups;
    result->dev.run.cycles = cycles;
    result->dev.run.timed = timed;
    result->dev.run.cycles_error = cycles_error;
    return s;
}

static DrvStatus run_locked(Driver *d, const DrvKernel *k, DrvResult *result)
{
    u64 print = 0;
    if (!k->kernel || (k->nargs && !k->args))
        return drv_fail(d, DRV_BAD_ARGUMENT, "no kernel name, or no arguments");
    if (d->code_is_new && !k->program)
        return drv_fail(d, DRV_NO_PROGRAM, "the code window was written to");
    DrvStatus s = check_shape(d, k);
    if (!s)
        s = run_parts(d, k, &print, result);
    if (print) /* also what a kernel printed before it faulted */
        print_drain(d, print, k->print);
    free_locked(d, print);
    return s;
}

DrvStatus drv_run(Driver *d, const DrvKernel *k, DrvResult *result)
{
    *result = (DrvResult){.warps = 0};
    pthread_mutex_lock(&d->lock);
    const DrvStatus s = run_locked(d, k, result);
    pthread_mutex_unlock(&d->lock);
    return s;
}
