/* check.c -- a Check: what it is told by driver and launches, handed to the checks. */
#include "check/internal.h"
#include "base/mem.h"
#include <string.h>

/* --- instructions ------------------------------------------------------------------------- */

static void on_access(Check *c, const Event *e)
{
    const Step *s = e->step;
    const Launch *l = e->launch;
    const u64 private_end = l->pds + c->scene->launch->pds_size;
    const bool by_space = s->facts->space == SPACE_GROUP || s->facts->space == SPACE_PRIVATE;
    Access a = {.warp = e->warp,
                .step = s,
                .pc = step_pc(s),
                .is_atomic = s->facts->access == ACCESS_ATOMIC ||
                             s->facts->writes & STATE_RESERVED};
    for (size_t i = 0; i < s->ntouched; i++) {
        const Touch *t = &s->touched[i];
        a.addr = t->addr;
        a.size = t->size;
        a.lane = t->lane;
        a.reads = t->reads;
        a.writes = t->writes;
        a.is_private = by_space || (t->addr >= l->pds && t->addr < private_end);
        if (checks(c, CHECK_bounds))
            bounds_access(c, &a);
        if (checks(c, CHECK_align))
            align_access(c, &a);
        if (c->race)
            race_access(c, &a);
    }
}

static Verdict tell(void *self, const Event *e)
{
    Check *c = self;
    switch ((int)e->kind) {
    case EVENT_launch_begin:
        if (c->race)
            race_begin(c->race, e->launch);
        break;
    case EVENT_group_begin:
        if (c->race)
            race_group(c->race, e->group);
        if (c->init)
            init_group(c->init, e->group);
        break;
    case EVENT_insn:
        if (e->step->ntouched)
            on_access(c, e);
        else if (e->step->facts->control == CONTROL_BARRIER && checks(c, CHECK_barrier))
            barrier_step(c, e);
        if (c->race && !e->step->ntouched &&
            (e->step->facts->control == CONTROL_BARRIER ||
             isa_insn[e->step->id].effect == E_FENCE))
            race_step(c, e);
        if (c->init)
            init_step(c, e);
        break;
    case EVENT_barrier:
        if (checks(c, CHECK_barrier))
            barrier_passed(c, e->group);
        if (c->race)
            race_barrier(c, e->group);
        break;
    default: break;
    }
    return GO_ON;
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
                   .events = EVENT_launch_begin | EVENT_group_begin | EVENT_insn | EVENT_memory |
                             EVENT_barrier,
                   .tell = tell};
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

static void end(void *self, const DrvScene *s, const DevResult *r, const char *text)
{
    Check *c = self;
    CheckReport found;
    (void)s, (void)r, (void)text;
    for (; check_report(c, c->told, &found); c->told++)
        c->sink(c->to, &found);
    c->scene = NULL;
}

/* --- life ---------------------------------------------------------------------------------------- */

Check *check_open(Driver *d, u32 kinds, CheckSink *sink, void *to)
{
    Check *c = mem_zalloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->driver = d;
    c->kinds = kinds;
    c->sink = sink;
    c->to = to;
    if ((checks(c, CHECK_race) && !(c->race = race_new())) ||
        (checks(c, CHECK_init) && !(c->init = init_new()))) {
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
