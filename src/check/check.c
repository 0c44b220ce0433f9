/* check.c -- a Check: what it is told by driver and launches, handed to the checks. */
#include "check/internal.h"
#include "base/mem.h"
#include <string.h>

/* --- instructions ------------------------------------------------------------------------- */

bool walk(const Event *e, Walk *at, Touch *t)
{
    const Step *s = e->step;
    if (at->i == s->ntouched)
        return false;
    *t = s->touched[at->i];
    if (t->lane != TOUCH_ROW) {
        at->i++;
        return true;
    }
    at->left = at->left ? at->left : s->exec;
    t->lane = (i8)__builtin_ctz(at->left);
    t->addr = e->warp->addr[t->lane];
    t->size = s->facts->bytes;
    at->left &= at->left - 1;
    at->i += !at->left;
    return true;
}

Access access_of(const Check *c, const Event *e)
{
    const IsaFacts *f = e->step->facts;
    return (Access){.check = c,
                    .warp = e->warp,
                    .step = e->step,
                    .pc = step_pc(e->step),
                    .is_atomic = f->access == ACCESS_ATOMIC || f->writes & STATE_RESERVED};
}

static bool is_private_by_space(const IsaFacts *f)
{
    return f->space == SPACE_GROUP || f->space == SPACE_PRIVATE;
}

void access_at(Access *a, const Touch *t)
{
    a->addr = t->addr;
    a->size = t->size;
    a->lane = t->lane;
    a->reads = t->reads;
    a->writes = t->writes;
    a->is_private = is_private_by_space(a->step->facts) || is_in_private(a->check, t->addr);
}

bool read_guest(const Check *c, const Warp *w, u64 addr, void *to, u64 size)
{
    const Device *d = drv_device(c->driver);
    for (u64 n, at; size; addr += n, size -= n, to = (u8 *)to + n) {
        n = PAGE_SIZE - addr % PAGE_SIZE < size ? PAGE_SIZE - addr % PAGE_SIZE : size;
        if (!dev_translate(d, &w->group->tlb, addr, &at) || !dev_read(d, at, to, n))
            return false;
    }
    return true;
}

/* Whether what the instruction touched is one row, in *row, all of it private or nothing of it. */
static bool take_row(const Check *c, const Event *e, Row *row)
{
    const Step *s = e->step;
    const Touch *t = s->touched;
    if (s->ntouched != 1 || t->lane != TOUCH_ROW)
        return false;
    *row = (Row){.lo = t->addr,
                 .end = t->addr + t->size,
                 .size = s->facts->bytes,
                 .reads = t->reads,
                 .writes = t->writes,
                 .is_private = is_private_by_space(s->facts) || is_in_private(c, t->addr)};
    if (t->size <= row->size * MAX_LANES) {
        const u32 *addr = e->warp->addr, *on = e->warp->on;
        const u32 first = (u32)row->lo - row->size * (u32)__builtin_ctz(s->exec);
        const u32 shift = (u32)__builtin_ctz(row->size); /* vectors shift faster than they multiply */
        u32 differ = 0;
        for (u32 i = 0; i < MAX_LANES; i++)
            differ |= (addr[i] ^ (first + (i << shift))) & on[i];
        row->is_run = !differ;
    }
    return is_private_by_space(s->facts) ||
           is_in_private(c, row->lo) == is_in_private(c, row->end - 1);
}

/* Whether all accesses of the row are at multiples of their size. */
static bool is_row_aligned(const Row *row, const Warp *w)
{
    u32 any = (u32)row->lo;
    for (u32 i = 0; i < MAX_LANES && !row->is_run; i++)
        any |= w->addr[i] & w->on[i];
    return !(any & (row->size - 1));
}

static void on_access(Check *c, const Event *e)
{
    Access a = access_of(c, e);
    bool bounds = checks(c, CHECK_bounds), align = checks(c, CHECK_align);
    Walk at = {0};
    Touch t;
    if (c->row) {
        access_at(&a, e->step->touched);
        bounds = bounds && !bounds_allow_row(c, &a);
        align = align && !is_row_aligned(c->row, e->warp);
    }
    while ((bounds || align) && walk(e, &at, &t)) {
        access_at(&a, &t);
        if (bounds)
            bounds_access(c, &a);
        if (align)
            align_access(c, &a);
    }
    if (c->race)
        race_access(c, e);
    if (c->prints)
        prints_access(c, e);
}

static void on_insn(Check *c, const Event *e)
{
    const IsaFacts *f = e->step->facts;
    Row row;
    if (notes_step(c, e))
        return;
    c->row = take_row(c, e, &row) ? &row : NULL;
    c->strayed = 0;
    if (e->step->ntouched)
        on_access(c, e);
    else if (f->control == CONTROL_BARRIER && checks(c, CHECK_barrier))
        barrier_step(c, e);
    if (c->race && !e->step->ntouched &&
        (f->control == CONTROL_BARRIER || isa_insn[e->step->id].effect == E_FENCE))
        race_step(c, e);
    if (c->init)
        init_step(c, e);
    c->row = NULL;
}

static Verdict tell(void *self, const Event *e)
{
    Check *c = self;
    switch ((int)e->kind) {
    case EVENT_launch_begin:
        if (c->race)
            race_begin(c->race, e->launch, c->scene->kernel);
        break;
    case EVENT_group_begin:
        if (c->race)
            race_group(c->race, e->group);
        if (c->init)
            init_group(c->init, e->group);
        notes_group(c->notes, e->group);
        if (c->async)
            async_group(c->async, e->group);
        if (c->prints)
            prints_group(c->prints, e->group);
        break;
    case EVENT_insn: on_insn(c, e); break;
    case EVENT_barrier:
        if (checks(c, CHECK_barrier)) {
            barrier_passed(c, e->group);
            async_barrier(c, e->group);
        }
        if (c->race)
            race_barrier(c, e->group);
        break;
    case EVENT_group_end:
        if (c->async)
            async_end(c, e->group);
        break;
    default: break;
    }
    return GO_ON;
}

/* Without the check for values nobody wrote no register matters. */
static const u8 *watches(void *self, const Warp *w)
{
    static const u8 nothing[NWATCH] = {[WATCH_ALWAYS] = 1};
    const Check *c = self;
    const u8 *registers = c->init ? init_watches(c->init, w) : NULL;
    return registers ? registers : nothing;
}

void align_access(Check *c, const Access *a)
{
    const Finding f = {CHECK_align, a->warp, a->pc, 0, 0, a->lane};
    Buf text = {0};
    if (!(a->addr & (a->size - 1)) || !is_pow2(a->size) || !is_new(c, &f))
        return;
    buf_printf(&text, "%s of %u bytes at 0x%08llx, which is no multiple of %u",
               a->writes ? "store" : "load", a->size, (unsigned long long)a->addr, a->size);
    report(c, &f, buf_text(&text), NULL);
    buf_free(&text);
}

/* --- launches -------------------------------------------------------------------------------- */

static void begin(void *self, const DrvScene *s, LaunchOptions *run)
{
    Check *c = self;
    c->scene = s;
    c->failed |= !extents_take(c, s);
    if (c->prints)
        prints_begin(c->prints, s);
    c->private_lo = s->launch->pds;
    c->private_end = c->private_lo + s->launch->pds_size;
    for (size_t i = 0; c->init && i < s->nextents; i++)
        if (s->extents[i].kind == EXTENT_ARGUMENTS || s->extents[i].kind == EXTENT_PRINT)
            init_written(c->init, s->extents[i].addr, s->extents[i].size);
    if (run->nobservers + 1 > c->capobservers) {
        Observer *more = mem_realloc(c->observers, run->nobservers + 1, sizeof *more);
        if (!more) {
            c->failed = true;
            return;
        }
        c->observers = more;
        c->capobservers = run->nobservers + 1;
    }
    if (run->nobservers)
        memcpy(c->observers, run->observers, run->nobservers * sizeof *c->observers);
    c->observers[run->nobservers++] =
        (Observer){.self = c,
                   .events = EVENT_launch_begin | EVENT_group_begin | EVENT_group_end | EVENT_insn |
                             EVENT_memory | EVENT_barrier,
                   .tell = tell,
                   .watches = watches};
    run->observers = c->observers;
}

static void allocated(void *self, u64 addr, u64 size)
{
    init_allocated(((Check *)self)->init, addr, size);
}

static void written(void *self, u64 addr, u64 size)
{
    init_written(((Check *)self)->init, addr, size);
}

static void copied(void *self, u64 from, u64 to, u64 size)
{
    init_copied(((Check *)self)->init, from, to, size);
}

/* Whether a check had no memory to look at all of the launch. */
static bool lacks_memory(const Check *c)
{
    return notes_lacks(c->notes) || (c->race && race_lacks(c->race)) ||
           (c->init && init_lacks(c->init)) || (c->prints && prints_lacks(c->prints)) ||
           (c->async && async_lacks(c->async));
}

static void end(void *self, const DrvScene *s, const DevResult *r, const char *text)
{
    Check *c = self;
    CheckReport found;
    (void)s, (void)r, (void)text;
    c->failed |= lacks_memory(c);
    for (; check_report(c, c->told, &found); c->told++)
        c->sink(c->to, &found);
    c->scene = NULL;
}

/* --- life ------------------------------------------------------------------------------------- */

Check *check_open(Driver *d, u32 kinds, const CheckAllow *allow, CheckSink *sink, void *to)
{
    Check *c = mem_zalloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->driver = d;
    c->kinds = kinds;
    c->allow = allow;
    c->sink = sink;
    c->to = to;
    if (!(c->notes = notes_new()) || (checks(c, CHECK_barrier) && !(c->async = async_new())) ||
        (checks(c, CHECK_race) && !(c->race = race_new())) ||
        (checks(c, CHECK_init) && !(c->init = init_new())) ||
        (checks(c, CHECK_print) && !(c->prints = prints_new()))) {
        check_close(c);
        return NULL;
    }
    if (checks(c, CHECK_barrier)) {
        DeviceOptions o = *dev_options(drv_device(d));
        o.any_barrier = true; /* which is found here, and the launch goes on */
        dev_set_rules(drv_device(d), &o);
    }
    DrvWatcher w = {.self = c, .begin = begin, .end = end};
    if (c->init) {
        w.allocated = allocated;
        w.written = written;
        w.copied = copied;
    }
    drv_watch(d, w);
    return c;
}

void check_close(Check *c)
{
    if (!c)
        return;
    race_free(c->race);
    init_free(c->init);
    prints_free(c->prints);
    notes_free(c->notes);
    async_free(c->async);
    lines_free(c->lines);
    kernelinfo_free(&c->table);
    for (size_t i = 0; i < c->ncause; i++) {
        mem_free(c->cause[i].kernel);
        mem_free(c->cause[i].file);
        mem_free(c->cause[i].text);
    }
    mem_free(c->cause);
    mem_free(c->extent);
    mem_free(c->observers);
    mem_free(c);
}
