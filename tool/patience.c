/* patience.c -- launches that take long: after some seconds it is said once where their warps
 * stand; Ctrl-C ends one with a report of where it is.
 *
 * SIGINT is blocked before the driver makes threads, which inherit that, and a thread of its own
 * waits for it.  That thread also asks the launch where its warps are (RollCall).
 */
#include "base/mem.h"
#include "obj/lines.h"
#include "tool/common.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PLACES = 12 };        /* that are told */
static const double GATHER = 0.1; /* seconds from the first answer to the last that counts */

static sigset_t only_interrupt(void)
{
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, SIGINT);
    return s;
}

/* --- where warps are ------------------------------------------------------------------------ */

static void add_warp(Standings *s, u32 pc, bool waits)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->at[i].pc == pc && s->at[i].waits == waits) {
            s->at[i].warps++;
            return;
        }
    if (array_grow(s->at, s->n, s->cap))
        s->at[s->n++] = (Standing){pc, waits, 1};
}

static void answer(void *self, const Group *g, bool is_last)
{
    Patience *p = self;
    const Launch *l = g->launch;
    const u32 *grid = launch_grid(l);
    pthread_mutex_lock(&p->lock);
    Standings *s = is_last ? &p->last : &p->now;
    snprintf(s->kernel, sizeof s->kernel, "%s", l->kernel ? l->kernel : "the kernel");
    s->all = (u64)grid[0] * grid[1] * grid[2];
    s->groups++;
    for (u32 k = 0; k < g->nwarps; k++) {
        const Warp *w = &g->warps[k];
        if (w->state == WARP_DONE)
            continue;
        s->warps++;
        /* a warp that waits has passed the barrier with its pc */
        add_warp(s, w->state == WARP_WAITING ? w->pc - 4 : w->pc, w->state == WARP_WAITING);
    }
    pthread_mutex_unlock(&p->lock);
}

static int by_warps(const void *a, const void *b)
{
    const Standing *x = a, *y = b;
    return x->warps != y->warps ? (x->warps < y->warps ? 1 : -1)
                                : (x->pc > y->pc) - (x->pc < y->pc);
}

/* What the two have in common for a reader: their line, or their pc. */
static bool same_line(const Place *a, const Place *b)
{
    return a->file && b->file && a->line == b->line && !strcmp(a->file, b->file);
}

static Place place_of(const LineTable *lines, u32 pc)
{
    Place p = {.file = NULL};
    return lines && lines_find(lines, pc, &p, 1) ? p : (Place){.file = NULL};
}

/* A line for each line of the source, those with most warps first. */
static void put_places(const LineTable *lines, Standings *s, Buf *to)
{
    /* 1. one entry a line */
    for (size_t i = 0; i < s->n; i++) {
        const Place here = place_of(lines, s->at[i].pc);
        for (size_t k = i + 1; k < s->n; k++) {
            const Place other = place_of(lines, s->at[k].pc);
            if (s->at[i].waits != s->at[k].waits || !same_line(&here, &other))
                continue;
            s->at[i].warps += s->at[k].warps;
            s->at[k--] = s->at[--s->n];
        }
    }
    if (s->n)
        qsort(s->at, s->n, sizeof *s->at, by_warps);
    /* 2. the lines */
    for (size_t i = 0; i < s->n && i < MOST_PLACES; i++) {
        const Place p = place_of(lines, s->at[i].pc);
        buf_printf(to, "\n  %-11llu ", (unsigned long long)s->at[i].warps);
        if (p.file)
            buf_printf(to, "%s:%u%s%s", p.file, p.line, p.function ? " in " : "",
                       p.function ? p.function : "");
        else
            buf_printf(to, "0x%08x", s->at[i].pc);
        buf_str(to, s->at[i].waits ? ", waiting at a barrier" : "");
    }
    if (s->n > MOST_PLACES)
        buf_printf(to, "\n  and %zu more places", s->n - MOST_PLACES);
}

/* The lock is held. */
static void say(const Patience *p, Standings *s, const char *how)
{
    const Object *image = dev_code(drv_device(p->driver))->image;
    LineTable *lines = image ? lines_read(image) : NULL;
    Buf text = {0};
    buf_printf(&text, "ventus: %s %s; of %llu group%s %llu run%s, whose warps are at", s->kernel,
               how, (unsigned long long)s->all, s->all == 1 ? "" : "s",
               (unsigned long long)s->groups, s->groups == 1 ? "s" : "");
    put_places(lines, s, &text);
    fprintf(stderr, "%s\n", buf_text(&text));
    buf_free(&text);
    lines_free(lines);
}

/* --- the thread ----------------------------------------------------------------------------- */

static struct timespec span(double seconds)
{
    const u64 n = (u64)((seconds < 1e6 ? seconds : 1e6) * 1e9);
    return (struct timespec){.tv_sec = (time_t)(n / 1000000000), .tv_nsec = (long)(n % 1000000000)};
}

static bool has_answers(Patience *p)
{
    pthread_mutex_lock(&p->lock);
    const bool has = p->now.groups;
    pthread_mutex_unlock(&p->lock);
    return has;
}

/* Whether Ctrl-C came within so many seconds; it may come at any time. */
static bool comes_within(double seconds)
{
    const sigset_t set = only_interrupt();
    const struct timespec limit = span(seconds);
    return sigtimedwait(&set, NULL, &limit) == SIGINT;
}

/* Asks where the warps are and says so.  True: Ctrl-C came meanwhile. */
static bool ask(Patience *p)
{
    int was;
    atomic_fetch_add(&p->roll.asked, 1);
    while (!has_answers(p)) /* as long as nothing runs */
        if (comes_within(GATHER))
            return true;
    if (comes_within(GATHER))
        return true;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was);
    pthread_mutex_lock(&p->lock);
    say(p, &p->now, "still runs (Ctrl-C ends it)");
    pthread_mutex_unlock(&p->lock);
    pthread_setcancelstate(was, NULL);
    return false;
}

static void *wait_for_interrupt(void *self)
{
    Patience *p = self;
    const sigset_t set = only_interrupt();
    if (!(p->seconds > 0 && (comes_within(p->seconds) || ask(p))))
        while (sigwaitinfo(&set, NULL) != SIGINT)
            ;
    atomic_store(&p->interrupted, true);
    drv_interrupt(p->driver);
    /* who asks twice does not want to wait for the report */
    while (sigwaitinfo(&set, NULL) != SIGINT)
        ;
    _exit(INTERRUPTED);
}

void patience_prepare(Patience *p, const Common *c)
{
    const sigset_t set = only_interrupt();
    *p = (Patience){.seconds = c->patience, .roll = {.self = p, .answer = answer}};
    pthread_mutex_init(&p->lock, NULL);
    pthread_sigmask(SIG_BLOCK, &set, &p->before);
}

void patience_begin(Patience *p, Driver *driver)
{
    p->driver = driver;
    p->runs = !pthread_create(&p->thread, NULL, wait_for_interrupt, p);
}

int patience_end(Patience *p, int status)
{
    if (p->runs) {
        pthread_cancel(p->thread);
        pthread_join(p->thread, NULL);
    }
    pthread_sigmask(SIG_SETMASK, &p->before, NULL);
    if (p->last.warps > 1) /* of one, the report of the fault says all */
        say(p, &p->last, "was ended");
    mem_free(p->now.at);
    mem_free(p->last.at);
    pthread_mutex_destroy(&p->lock);
    return atomic_load(&p->interrupted) ? INTERRUPTED : status;
}
