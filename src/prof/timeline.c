/* timeline.c -- the timeline: launches, groups, warps and what they wait for, and counters, as the
 * JSON trace events that Perfetto and chrome://tracing show.
 *
 * A cycle is a microsecond of the file, the unit of its numbers.  The device is process 1, with the
 * launches and memory; SM n is process n + 2, each slot for a warp one of its threads.  On a thread
 * the slice of a warp contains those of its waits; groups overlap on an SM, so they are
 * asynchronous slices.  A slice is written when it ends.  Counters are rates over a period and
 * stand at its beginning.
 */
#include "prof/picture_internal.h"
#include "time/time.h"
#include <string.h>

enum { PERIOD = 256 }; /* cycles between values of counters */
enum { DEVICE = 1, FIRST_SM = 2 };

/* A slot of an SM. */
typedef struct {
    bool named;       /* the file has its name */
    bool shown;       /* it has a warp, which will be in the file */
    u64 begin, group; /* of the warp */
    u32 warp;
    bool waits; /* for the cause of an event, since its cycle */
    CycleEvent wait;
} Place;

/* What counters show of an SM. */
typedef enum { WARPS, GROUPS, INSNS, HITS, MISSES, STORES, NSHOWN } Shown;

typedef struct {
    bool named;
    CycleCounters before; /* as they were told last */
    u64 drawn[NSHOWN];    /* values in the file */
    u64 group[MAX_WARPS]; /* those whose slices are open */
    u32 ngroups;
} SmOf;

typedef struct {
    Picture p;    /* first */
    Place *place; /* by slot_at() */
    size_t nplaces, capplaces;
    SmOf *sm;
    size_t nsms, capsms;
    bool comma; /* an event was written */
    bool shown; /* the launch will be in the file */
    u64 launches;
    u32 line;             /* bytes of a line of memory */
    u64 begin;            /* of the launch */
    CycleCounters memory; /* as it was told last */
    u64 drawn[2];         /* reads and writes of memory in the file */
} Timeline;

/* --- text ----------------------------------------------------------------------------------- */

/* the beginning of an event, up to what is peculiar to it */
static void put_event(Timeline *t, char kind, u64 cycle, u32 process, u32 thread)
{
    put(&t->p, "%s{\"ph\":\"%c\",\"ts\":%llu,\"pid\":%u,\"tid\":%u", t->comma ? ",\n" : "", kind,
        (unsigned long long)cycle, process, thread);
    t->comma = true;
}

/* of a kernel: whatever the name of a symbol may be, without what JSON would need escapes for */
static void put_name(Timeline *t, const char *name)
{
    char text[128];
    size_t n = 0;
    for (; name && name[n] && n < sizeof text - 1; n++)
        text[n] =
            name[n] < ' ' || name[n] > '~' || name[n] == '"' || name[n] == '\\' ? '?' : name[n];
    text[n] = 0;
    put(&t->p, ",\"name\":\"%s\"", n ? text : "launch");
}

static void put_label(Timeline *t, const char *what, u32 process, u32 thread, const char *name,
                      u32 number)
{
    put_event(t, 'M', 0, process, thread);
    put(&t->p, ",\"name\":\"%s\",\"args\":{\"name\":\"%s %u\"}}", what, name, number);
}

static void put_counter(Timeline *t, u64 cycle, u32 process, const char *name)
{
    put_event(t, 'C', cycle, process, 0);
    put(&t->p, ",\"name\":\"%s\",\"args\":{", name);
}

/* the beginning of a slice that ends now */
static void put_slice(Timeline *t, u64 begin, u64 end, u32 process, u32 thread)
{
    put_event(t, 'X', begin, process, thread);
    put(&t->p, ",\"dur\":%llu", (unsigned long long)(end - begin));
}

static SmOf *sm_of(Timeline *t, u32 sm)
{
    SmOf *s = picture_place(&t->p, t->sm, t->nsms, t->capsms, sm);
    if (s && !s->named) {
        put_label(t, "process_name", sm + FIRST_SM, 0, "SM", sm);
        s->named = true;
    }
    return s;
}

/* --- launches and groups -------------------------------------------------------------------- */

static void begin_launch(Timeline *t, const CycleEvent *e)
{
    t->line = e->launch->machine ? e->launch->machine->line : 0;
    t->begin = e->cycle;
    t->memory = (CycleCounters){.cycle = e->cycle};
    for (size_t i = 0; i < t->nsms; i++)
        t->sm[i].before = (CycleCounters){.cycle = e->cycle};
    t->launches++;
    t->shown = picture_takes(&t->p, e->cycle);
}

static void end_warp(Timeline *t, size_t at, u64 cycle);

static void end_launch(Timeline *t, const CycleEvent *e)
{
    const Launch *l = e->launch;
    for (size_t i = 0; i < t->nplaces; i++) /* a fault ended them */
        end_warp(t, i, e->cycle);
    if (!t->shown)
        return;
    put_slice(t, t->begin, e->cycle, DEVICE, 1);
    put_name(t, l->kernel);
    put(&t->p, ",\"args\":{\"groups\":\"%u,%u,%u\",\"warps\":%u,\"lanes\":%u}}", l->groups[0],
        l->groups[1], l->groups[2], l->warps, l->lanes);
}

/* Writes the beginning of a group, or the end of one whose beginning was written. */
static void draw_group(Timeline *t, const CycleEvent *e)
{
    SmOf *s = sm_of(t, e->sm);
    const bool begins = e->kind == CYCLE_GROUP;
    u32 i = 0;
    while (s && i < s->ngroups && s->group[i] != e->group)
        i++;
    if (!s || (begins ? i == MAX_WARPS || !picture_takes(&t->p, e->cycle) : i == s->ngroups))
        return;
    if (begins)
        s->group[s->ngroups++] = e->group;
    else
        s->group[i] = s->group[--s->ngroups];
    put_event(t, begins ? 'b' : 'e', e->cycle, e->sm + FIRST_SM, 0);
    put(&t->p, ",\"cat\":\"group\",\"id\":\"%llu.%llu\",\"name\":\"group %llu\"}",
        (unsigned long long)t->launches, (unsigned long long)e->group,
        (unsigned long long)e->group);
}

/* --- warps ----------------------------------------------------------------------------------- */

static void begin_warp(Timeline *t, Place *w, const CycleEvent *e)
{
    w->shown = picture_takes(&t->p, e->cycle);
    w->begin = e->cycle;
    w->group = e->group;
    w->warp = e->warp;
    if (w->shown && !w->named)
        put_label(t, "thread_name", e->sm + FIRST_SM, e->slot + 1, "slot", e->slot);
    w->named |= w->shown;
}

static void end_wait(Timeline *t, Place *w, u64 cycle)
{
    const CycleEvent *e = &w->wait;
    if (!w->waits)
        return;
    w->waits = false;
    put_slice(t, e->cycle, cycle, e->sm + FIRST_SM, e->slot + 1);
    put(&t->p, ",\"cat\":\"wait\",\"name\":\"%s%s%s\",\"args\":{\"pc\":\"%08x\"}}",
        e->cause == CAUSE_ISSUED ? "ready" : time_cause_name[e->cause],
        e->cause == CAUSE_SCOREBOARD ? " " : "",
        e->cause == CAUSE_SCOREBOARD ? isa_unit_name[e->unit] : "", e->pc);
}

static void begin_wait(Timeline *t, Place *w, const CycleEvent *e)
{
    end_wait(t, w, e->cycle);
    w->waits = w->shown && e->cause != CAUSE_NO_WARP && picture_takes(&t->p, e->cycle);
    w->wait = *e;
}

/* the warp of a place, if it has one */
static void end_warp(Timeline *t, size_t at, u64 cycle)
{
    Place *w = &t->place[at];
    end_wait(t, w, cycle);
    if (!w->shown)
        return;
    w->shown = false;
    put_slice(t, w->begin, cycle, (u32)(at / MAX_WARPS) + FIRST_SM, (u32)(at % MAX_WARPS) + 1);
    put(&t->p, ",\"name\":\"group %llu warp %u\"}", (unsigned long long)w->group, w->warp);
}

static void draw(Picture *p, const CycleEvent *e)
{
    Timeline *t = (Timeline *)p;
    switch (e->kind) {
    case CYCLE_LAUNCH: begin_launch(t, e); return;
    case CYCLE_LAUNCH_END: end_launch(t, e); return;
    case CYCLE_GROUP:
    case CYCLE_GROUP_END: draw_group(t, e); return;
    default: break;
    }
    Place *w = picture_place(p, t->place, t->nplaces, t->capplaces, slot_at(e));
    if (!w)
        return;
    if (e->kind == CYCLE_WARP)
        begin_warp(t, w, e);
    else if (e->kind == CYCLE_WARP_END)
        end_warp(t, slot_at(e), e->cycle);
    else
        begin_wait(t, w, e);
}

/* --- counters --------------------------------------------------------------------------------- */

/* how often a thing happened in a thousand cycles */
static u64 rate(u64 now, u64 before, u64 cycles) { return (now - before) * 1000 / cycles; }

/* whether the values differ from those in the file, which they become */
static bool is_news(u64 *drawn, const u64 *values, size_t n)
{
    const bool news = memcmp(drawn, values, n * sizeof *values) != 0;
    memcpy(drawn, values, n * sizeof *values);
    return news;
}

static void count_memory(Timeline *t, const CycleCounters *c)
{
    const CycleCounters *b = &t->memory;
    const u64 cycles = c->cycle - b->cycle, at = b->cycle;
    if (!cycles)
        return; /* of another SM, in this cycle */
    const u64 now[] = {rate(c->reads, b->reads, cycles) * t->line,
                       rate(c->writes, b->writes, cycles) * t->line};
    t->memory = *c;
    if (!is_news(t->drawn, now, countof(now)) || !picture_takes(&t->p, at))
        return;
    put_counter(t, at, DEVICE, "memory, bytes in 1000 cycles");
    put(&t->p, "\"read\":%llu,\"written\":%llu}}", (unsigned long long)now[0],
        (unsigned long long)now[1]);
}

static void count(Picture *p, const CycleCounters *c)
{
    Timeline *t = (Timeline *)p;
    SmOf *s = sm_of(t, c->sm);
    if (!s)
        return;
    if (!s->before.cycle)
        s->before.cycle = t->begin;
    const CycleCounters b = s->before;
    const u64 cycles = c->cycle - b.cycle;
    const u32 process = c->sm + FIRST_SM;
    count_memory(t, c);
    s->before = *c;
    if (!cycles || !picture_takes(p, b.cycle))
        return;
    const u64 now[NSHOWN] = {c->warps,
                             c->groups,
                             rate(c->insns, b.insns, cycles),
                             rate(c->hits, b.hits, cycles),
                             rate(c->misses, b.misses, cycles),
                             rate(c->stores, b.stores, cycles)};
    if (is_news(&s->drawn[WARPS], &now[WARPS], 2)) {
        put_counter(t, c->cycle, process, "resident");
        put(p, "\"warps\":%llu,\"groups\":%llu}}", (unsigned long long)now[WARPS],
            (unsigned long long)now[GROUPS]);
    }
    if (is_news(&s->drawn[INSNS], &now[INSNS], 1)) {
        put_counter(t, b.cycle, process, "instructions in 1000 cycles");
        put(p, "\"issued\":%llu}}", (unsigned long long)now[INSNS]);
    }
    if (is_news(&s->drawn[HITS], &now[HITS], 3)) {
        put_counter(t, b.cycle, process, "data cache, lines in 1000 cycles");
        put(p, "\"hits\":%llu,\"misses\":%llu,\"stores\":%llu}}", (unsigned long long)now[HITS],
            (unsigned long long)now[MISSES], (unsigned long long)now[STORES]);
    }
}

/* --- life ------------------------------------------------------------------------------------- */

static void finish(Picture *p)
{
    Timeline *t = (Timeline *)p;
    put(p, "\n]}\n");
    mem_free(t->place);
    mem_free(t->sm);
}

Picture *timeline_new(FILE *to, const PictureOptions *opt)
{
    Picture *p = picture_new(sizeof(Timeline), to, opt);
    if (!p)
        return NULL;
    p->kinds = 1 << CYCLE_WAIT | 1 << CYCLE_WARP | 1 << CYCLE_WARP_END | 1 << CYCLE_GROUP |
               1 << CYCLE_GROUP_END | 1 << CYCLE_LAUNCH | 1 << CYCLE_LAUNCH_END;
    p->period = PERIOD;
    p->draw = draw;
    p->count = count;
    p->finish = finish;
    put(p, "{\"otherData\":{\"unit\":\"a cycle is shown as a microsecond\"},\"traceEvents\":[\n"
           "{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":"
           "\"device\"}},\n"
           "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":"
           "\"launches\"}}");
    ((Timeline *)p)->comma = true;
    return p;
}
