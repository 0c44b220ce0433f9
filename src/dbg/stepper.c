/* stepper.c -- one warp on the screen of a terminal: its source, instruction, lanes and what the
 * last step changed; forwards and backwards by keys. */
#include "base/mem.h"
#include "dbg/debugger.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 79, SOURCE_BEFORE = 3, SOURCE_AFTER = 3, MOST_CHANGED = 6, MOST_STACK = 4 };

/* What the stepper remembers of the step before. */
typedef struct {
    Debugger *d;
    const DbgScreen *screen;
    Warp *before; /* the warp as it was */
    u64 group;    /* linear number of its group, */
    bool known;   /* if there was such a step */
} Stepper;

/* --- the screen ------------------------------------------------------------------------------- */

static const Object *image_of(const Stepper *s) { return dev_code(s->d->device)->image; }

/* Appends a line, cut to the width of the screen; `mark`: in reverse video where there is colour.
 */
static void put_line(const Stepper *s, Buf *to, const Buf *line, bool mark)
{
    size_t n = line->len < COLUMNS ? line->len : COLUMNS;
    if (mark && s->screen->colours)
        buf_str(to, "\033[7m");
    buf_put(to, line->data, n);
    if (mark && s->screen->colours)
        buf_str(to, "\033[0m");
    buf_str(to, "\n");
}

static void put_source(const Stepper *s, u32 pc, Buf *to)
{
    Place p;
    Buf line = {0};
    if (!s->d->lines || !lines_find(s->d->lines, pc, &p, 1) || !p.file) {
        buf_str(to, "no source is known\n");
        return;
    }
    buf_printf(&line, "%s:%u%s%s", p.file, p.line, p.function ? " in " : "",
               p.function ? p.function : "");
    put_line(s, to, &line, false);
    const u32 first = p.line > SOURCE_BEFORE ? p.line - SOURCE_BEFORE : 1;
    for (u32 n = first; n <= p.line + SOURCE_AFTER; n++) {
        size_t len = 0;
        const char *text = image_of(s) ? obj_source_line(image_of(s), p.file, n, &len) : NULL;
        if (!text)
            break;
        line.len = 0;
        buf_printf(&line, "%c%4u  ", n == p.line ? '>' : ' ', n);
        buf_put(&line, text, len);
        for (size_t i = 0; i < line.len; i++)
            line.data[i] = line.data[i] == '\t' ? ' ' : line.data[i];
        put_line(s, to, &line, n == p.line);
    }
    buf_free(&line);
}

static void put_lanes(const Stepper *s, const char *what, u32 mask, const char *rest, Buf *to)
{
    Buf line = {0};
    buf_printf(&line, "%-8s ", what);
    for (u32 i = 0; i < s->d->run->launch->lanes; i++)
        buf_str(&line, mask >> i & 1 ? "x" : ".");
    buf_str(&line, rest);
    put_line(s, to, &line, false);
    buf_free(&line);
}

/* The registers that the last step changed, if it was one of this warp. */
static void put_changes(const Stepper *s, const Warp *w, Buf *to)
{
    u32 n = 0;
    if (!s->known || s->before->id != w->id || s->group != w->group->linear)
        return;
    for (u32 i = 1; i < 64; i++) /* an instruction writes one or two of them */
        if (w->x[i] != s->before->x[i])
            buf_printf(to, "changed  x%-3u 0x%08x, was 0x%08x\n", i, w->x[i], s->before->x[i]);
    for (u32 i = 0; i < 256 && n < MOST_CHANGED; i++) {
        Buf line = {0};
        if (!memcmp(w->v[i], s->before->v[i], s->d->run->launch->lanes * sizeof *w->v[i]))
            continue;
        buf_printf(&line, "changed  v%-3u", i);
        for (u32 k = 0; k < s->d->run->launch->lanes; k++)
            buf_printf(&line, w->v[i][k] == s->before->v[i][k] ? " -" : " %x", w->v[i][k]);
        put_line(s, to, &line, false);
        buf_free(&line);
        n++;
    }
}

static void show(const Stepper *s, const Warp *w)
{
    static const char *const digits = "0123456789abcdefghijklmnopqrstuv";
    const Run *r = s->d->run;
    const Group *g = w->group;
    Buf all = {0}, text = {0}, line = {0};
    u32 id[3];
    launch_group_id(r->launch, g->linear, id);
    if (s->screen->colours)
        buf_str(&all, "\033[H\033[2J");
    /* 1. where */
    buf_printf(&line, "%s  group %u,%u,%u  warp %u of %u  instruction %llu",
               r->launch->kernel ? r->launch->kernel : "kernel", id[0], id[1], id[2], w->id,
               g->nwarps, (unsigned long long)r->now);
    put_line(s, &all, &line, true);
    put_source(s, w->pc, &all);
    /* 2. what comes next */
    monitor(s->d, (Lane){(Warp *)w, w->mask ? (u32)__builtin_ctz(w->mask) : 0}, "disassemble 3",
            &text);
    buf_put(&all, text.data, text.len);
    /* 3. lanes and sides that wait */
    buf_printf(&all, "%-8s %.*s\n", "lane", (int)r->launch->lanes, digits);
    put_lanes(s, "active", w->mask, g->faulted ? "  faulted" : "", &all);
    for (u32 i = w->nsimt, n = 0; i-- > 0 && n < MOST_STACK; n++) {
        char rest[40];
        snprintf(rest, sizeof rest, "  %s 0x%08x",
                 w->simt[i].pc == w->simt[i].rpc ? "meet at" : "then to", w->simt[i].pc);
        put_lanes(s, n ? "" : "waiting", w->simt[i].mask, rest, &all);
    }
    put_changes(s, w, &all);
    buf_str(&all, g->faulted
                      ? "[b]ack [q]uit\n"
                      : "[s]tep [n]ext line [b]ack [B]ack a line [w]arp [c]ontinue [q]uit\n");
    if (!s->screen->colours)
        buf_str(&all, "--\n");
    if (!all.failed)
        s->screen->write(s->screen->self, all.data, all.len);
    buf_free(&all);
    buf_free(&text);
    buf_free(&line);
}

/* --- steps ------------------------------------------------------------------------------------ */

/* The line of the source at pc; 0: it is not known. */
static u32 line_at(const Stepper *s, u32 pc)
{
    Place p;
    return s->d->lines && lines_find(s->d->lines, pc, &p, 1) ? p.line : 0;
}

static void remember(Stepper *s, const Warp *w)
{
    memcpy((void *)s->before, w, sizeof *w);
    s->group = w->group->linear;
    s->known = true;
}

/* One instruction of the warp that is shown, which is ready. */
static bool step(Stepper *s, const Warp *w)
{
    Step x;
    run_prefer(s->d->run, w);
    remember(s, w);
    return run_step(s->d->run, &x);
}

static void next_line(Stepper *s, const Warp *w)
{
    const u32 line = line_at(s, w->pc);
    const u64 group = w->group->linear;
    while (step(s, w) && w->state == WARP_READY && w->group->linear == group &&
           (!line_at(s, w->pc) || line_at(s, w->pc) == line) && !s->d->run->over)
        ;
}

static void back(Stepper *s, bool whole_line)
{
    Run *r = s->d->run;
    const Warp *w = run_warp(r);
    const u32 line = w ? line_at(s, w->pc) : 0;
    do {
        if (!r->now || !run_go_to(r, r->now - 1))
            return;
        s->known = false;
        w = run_warp(r);
    } while (whole_line && w && (!line_at(s, w->pc) || line_at(s, w->pc) == line));
}

/* The next warp that could run. */
static void other_warp(Stepper *s)
{
    Run *r = s->d->run;
    const Group *g = r->group;
    for (u32 i = 1; i < g->nwarps; i++) {
        const Warp *w = &g->warps[(r->turn + i) % g->nwarps];
        if (w->state != WARP_READY)
            continue;
        run_prefer(r, w);
        s->known = false;
        return;
    }
}

void step_launch(Debugger *d)
{
    Stepper s = {.d = d, .screen = &d->screen, .before = aligned_alloc(64, sizeof *s.before)};
    Run *r = d->run;
    for (bool on = s.before != NULL; on;) {
        const Warp *w = run_warp(r);
        if (!w && !r->group->faulted) /* the launch is over */
            break;
        if (!w)
            w = &r->group
                     ->warps[r->group->fault.warp < r->group->nwarps ? r->group->fault.warp : 0];
        show(&s, w);
        const int key = d->screen.key(d->screen.self);
        const bool stuck = r->group->faulted;
        switch (key) {
        case 'b': back(&s, false); break;
        case 'B': back(&s, true); break;
        case 'q': d->killed = true; /* fall through */
        case 'c':
        case -1: on = false; break;
        case 'n':
            if (!stuck)
                next_line(&s, w);
            break;
        case 'w':
            if (!stuck)
                other_warp(&s);
            break;
        case 's':
        case ' ':
        case '\n':
            if (!stuck)
                step(&s, w);
            break;
        default: break;
        }
    }
    if (!s.before)
        d->killed = true;
    free(s.before);
    d->detached = true; /* the next launches run freely */
}
