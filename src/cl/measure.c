/* measure.c -- measuring the launches of a program (measure.h). */
#include "cl/measure.h"
#include "cl/cl.h"
#include "base/mem.h"
#include "prof/cost.h"
#include "prof/picture.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT = 256 << 20 }; /* bytes of a picture, as ventus run has it */

struct Measure {
    pid_t owner;          /* the process that writes the files, not one that it forked */
    pthread_mutex_t lock; /* held while a launch that is measured runs; guards the rest */
    Costs *costs;
    FILE *costs_to;
    bool json;
    struct {
        FILE *file;
        Picture *picture;
    } drawn[2];
    CycleObserver cycles[3];
    Observer *observers; /* of the launch that runs: its own, and that of the costs */
    size_t capobservers;
    bool lacked_memory; /* once, which was said */
};

static FILE *open_file(const char *name, Diag *d)
{
    FILE *f = name ? fopen(name, "w") : NULL;
    if (name && !f)
        error(d, NULL, NULL, "%s cannot be written", name);
    return f;
}

static void open_picture(Measure *m, size_t i, const char *name,
                         Picture *make(FILE *, const PictureOptions *), Diag *d)
{
    m->drawn[i].file = open_file(name, d);
    if (m->drawn[i].file &&
        !(m->drawn[i].picture = make(m->drawn[i].file, &(PictureOptions){.limit = LIMIT})))
        error(d, NULL, NULL, "no memory for %s", name);
}

Measure *measure_open(const char *profile, const char *pipeline, const char *timeline, Diag *d)
{
    if (!profile && !pipeline && !timeline)
        return NULL;
    Measure *m = mem_zalloc(1, sizeof *m);
    if (!m) {
        error(d, NULL, NULL, "no memory to measure launches");
        return NULL;
    }
    pthread_mutex_init(&m->lock, NULL);
    m->owner = getpid();
    m->costs_to = open_file(profile, d);
    if (m->costs_to && !(m->costs = costs_new()))
        error(d, NULL, NULL, "no memory for %s", profile);
    m->json = profile && has_suffix(profile, ".json");
    open_picture(m, 0, pipeline, pipeline_new, d);
    open_picture(m, 1, timeline, timeline_new, d);
    return m;
}

static void add_cycles(CycleObserver *o, CycleObserver made, LaunchOptions *run)
{
    *o = made;
    o->next = run->cycles;
    run->cycles = o;
}

/* Adds the observer of the costs to those of the launch. */
static void add_observer(Measure *m, LaunchOptions *run)
{
    if (!array_grow(m->observers, run->nobservers, m->capobservers)) {
        if (!m->lacked_memory)
            host_report("no memory: not all launches are in the profile");
        m->lacked_memory = true;
        return;
    }
    if (run->nobservers)
        memcpy(m->observers, run->observers, run->nobservers * sizeof *m->observers);
    m->observers[run->nobservers++] = costs_observer(m->costs);
    run->observers = m->observers;
}

void measure_begin(Measure *m, Driver *d, LaunchOptions *run)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < countof(m->drawn); i++)
        if (m->drawn[i].picture)
            add_cycles(&m->cycles[i], picture_observer(m->drawn[i].picture), run);
    if (!m->costs)
        return;
    if (dev_options(drv_device(d))->engine->sms)
        add_cycles(&m->cycles[2], costs_cycle_observer(m->costs), run);
    else
        add_observer(m, run);
}

void measure_end(Measure *m, Driver *d, const char *kernel, const DrvResult *r)
{
    if (!m)
        return;
    const DevCode *code = dev_code(drv_device(d));
    if (m->costs)
        costs_add(m->costs, kernel, code->image, code->set, &r->dev.run);
    pthread_mutex_unlock(&m->lock);
}

static bool write_costs(Measure *m)
{
    Buf text = {0};
    if (!m->costs)
        return true;
    bool ok = (m->json ? costs_json : costs_text)(m->costs, &text) &&
              fwrite(buf_text(&text), 1, text.len, m->costs_to) == text.len;
    ok = !fclose(m->costs_to) && ok;
    costs_free(m->costs);
    buf_free(&text);
    return ok;
}

bool measure_close(Measure *m)
{
    if (!m || m->owner != getpid())
        return true;
    bool ok = write_costs(m);
    for (size_t i = 0; i < countof(m->drawn); i++)
        if (m->drawn[i].picture) {
            ok = picture_free(m->drawn[i].picture) && ok;
            ok = !fclose(m->drawn[i].file) && ok;
        }
    pthread_mutex_destroy(&m->lock);
    mem_free(m->observers);
    mem_free(m);
    return ok;
}
