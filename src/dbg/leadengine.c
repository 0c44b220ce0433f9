/* leadengine.c -- the engine whose launches a Debugger leads. */
#include "base/mem.h"
#include "dbg/debugger.h"
#include "sim/handlers.h"
#include <stdio.h>

typedef struct {
    Sim sim;            /* first */
    Debugger *debugger; /* or NULL */
    Device *device;
} DbgEngine;

static void close_engine(Engine *e)
{
    if (!e)
        return;
    sim_exit((Sim *)e);
    mem_free(e);
}

static Engine *open_engine(Memory *memory, IsaSet set)
{
    DbgEngine *e = mem_zalloc(1, sizeof *e);
    if (!e || sim_init(&e->sim, &dbg_kind, sim_run_warp, memory, set))
        return e ? &e->sim.engine : NULL;
    close_engine(&e->sim.engine);
    return NULL;
}

void dbg_attach(Debugger *d, Device *device)
{
    DbgEngine *e = (DbgEngine *)dev_engine(device);
    if (e->sim.engine.kind != &dbg_kind)
        bug("the device has another engine");
    e->debugger = d;
    e->device = device;
}

/* --- a launch ------------------------------------------------------------------------------ */

static Verdict observer_stops(void *self, const Event *why)
{
    Run *r = self;
    (void)why;
    r->observer_stopped = true;
    return GO_ON;
}

static void open_image(Debugger *d, const Device *device)
{
    const Object *image = dev_code(device)->image;
    Diag quiet = {.sink = NULL};
    d->device = device;
    d->lines = image ? lines_read(image) : NULL;
    d->elf.len = 0;
    if (image && !obj_write(image, &d->elf, &quiet))
        d->elf.len = 0;
}

static void close_image(Debugger *d)
{
    lines_free(d->lines);
    d->lines = NULL;
    buf_free(&d->elf);
    d->device = NULL;
}

/* gdb has the lead until the launch is over, or it lets go. */
static void lead_launch(Debugger *d, Run *r)
{
    if (!d->began) { /* it waits for the first thing that gdb says */
        d->began = true;
        d->stop = (Stop){.kind = STOP_SIGNAL, .signal = SIGNAL_TRAP, .thread = 1};
        serve(d);
    }
    while (!d->detached && !r->interrupted) {
        d->stop = lead(d);
        if (d->stop.kind == STOP_OVER || r->interrupted)
            return;
        const bool faulted = d->stop.kind == STOP_FAULT;
        tell_stop(d);
        serve(d);
        if (faulted && r->group->faulted && !d->plan.back)
            return;
    }
}

static void finish(Debugger *d, Run *r, LaunchResult *result)
{
    Step s;
    Warp *w;
    if (d->killed && (w = run_warp(r)))
        sim_limit(w, FAULT_STOPPED);
    history_free(r->history);
    r->history = NULL;
    while (!r->group->faulted && run_step(r, &s))
        ;
    if (r->group->faulted)
        audience_tell(r->audience, EVENT_fault, r->group, &r->group->warps[r->group->fault.warp]);
    result->faulted = r->group->faulted;
    result->fault = r->group->fault;
    result->insns = r->ended + group_insns(r->group);
    result->groups = r->group->linear + !r->group->faulted;
}

static bool run_led(DbgEngine *e, Debugger *d, const Launch *l, const LaunchOptions *opt,
                    LaunchResult *result)
{
    Run r;
    LaunchOptions options = *opt;
    options.halted = observer_stops;
    options.self = &r;
    Audience audience = audience_of(l, &options);
    const HostFloats host = enter_guest_floats();
    *result = (LaunchResult){0};
    audience_tell(&audience, EVENT_launch_begin, NULL, NULL);
    if (run_open(&r, &e->sim, l, &audience, true)) {
        d->run = &r;
        open_image(d, e->device);
        if (!r.over && d->steps)
            step_launch(d);
        else if (!r.over)
            lead_launch(d, &r);
        finish(d, &r, result);
        close_image(d);
        d->run = NULL;
    } else {
        result->faulted = true;
        result->fault = (Fault){.kind = FAULT_NO_MEMORY, .lane = -1};
    }
    run_close(&r);
    leave_guest_floats(&host);
    audience_tell(&audience, EVENT_launch_end, NULL, NULL);
    return !result->faulted;
}

static bool launch(Engine *engine, const Launch *l, const LaunchOptions *opt, LaunchResult *result)
{
    DbgEngine *e = (DbgEngine *)engine;
    Debugger *d = e->debugger;
    if (!d || d->detached)
        return sim_launch(engine, l, opt, result);
    pthread_mutex_lock(&d->lock);
    if (!d->steps && !d->connected && !d->detached && !wait_for_gdb(d, &e->sim.interrupts))
        d->detached = true;
    const bool is_led = !d->detached;
    const bool ok = is_led && run_led(e, d, l, opt, result);
    pthread_mutex_unlock(&d->lock);
    return is_led ? ok : sim_launch(engine, l, opt, result);
}

const EngineKind dbg_kind = {
    .name = "debug",
    .what = "interpreter, led by a debugger",
    .open = open_engine,
    .close = close_engine,
    .code_changed = sim_code_changed,
    .launch = launch,
    .step = sim_step,
    .interrupt = sim_interrupt,
};

void dbg_close(Debugger *d, int status)
{
    char text[8];
    if (!d)
        return;
    if (d->connected) {
        if (!d->detached && d->began) {
            snprintf(text, sizeof text, "W%02x", (u8)status);
            wire_send(&d->wire, text, 3);
        }
        d->wire.stream.close(d->wire.stream.self);
    }
    stop_listening(d);
    for (size_t i = 0; i < d->nbreakpoints; i++)
        for (size_t k = 0; k < d->breakpoint[i].n; k++)
            buf_free(&d->breakpoint[i].condition[k]);
    mem_free(d->breakpoint);
    mem_free(d->watchpoint);
    mem_free(d->address);
    pthread_mutex_destroy(&d->lock);
    mem_free(d);
}
