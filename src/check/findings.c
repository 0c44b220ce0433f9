/* findings.c -- findings become causes, each reported once, in the form of a fault's report. */
#include "check/internal.h"
#include "obj/optionwords.h"
#include "base/mem.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[NCHECK] = {
#define CHECK(name, what) #name,
#include "check/check.def"
};

/* --- names ---------------------------------------------------------------------------------- */

u32 check_parse(const char *list, char bad[32])
{
    u32 set = 0;
    if (!list || !*list || !strcmp(list, "all") || !strcmp(list, "1"))
        return (1u << NCHECK) - 1;
    while (*list) {
        const size_t len = strcspn(list, ",");
        int found = -1;
        for (int k = 0; k < NCHECK; k++)
            if (strlen(names[k]) == len && !memcmp(names[k], list, len))
                found = k;
        if (found < 0) {
            snprintf(bad, 32, "%.*s", (int)(len < 31 ? len : 31), list);
            return 0;
        }
        set |= 1u << found;
        list += len + (list[len] == ',');
    }
    return set;
}

const char *check_name(CheckKind k) { return names[k]; }

void check_names(Buf *to)
{
    for (int k = 0; k < NCHECK; k++)
        buf_printf(to, "%s%s", k ? ", " : "", names[k]);
}

/* --- places --------------------------------------------------------------------------------- */

void take_image(Check *c)
{
    const Object *image = dev_code(drv_device(c->driver))->image;
    Diag quiet = {.sink = NULL};
    if (image == c->image)
        return;
    lines_free(c->lines);
    kernelinfo_free(&c->table);
    c->lines = image ? lines_read(image) : NULL;
    if (image)
        kernelinfo_read(image, &c->table, &quiet);
    c->image = image;
    notes_take(c->notes, image, options_have(c->table.options, "-ventus-apart", NULL));
    if (c->init)
        init_take(c->init, image);
}

size_t places(Check *c, u32 pc, Place chain[CALLS_SEEN])
{
    take_image(c);
    return c->lines ? lines_find(c->lines, pc, chain, CALLS_SEEN) : 0;
}

LinesMark mark_at(Check *c, u32 pc)
{
    take_image(c);
    return c->lines ? lines_mark(c->lines, pc) : LINES_PLAIN;
}

/* --- findings ------------------------------------------------------------------------------- */

enum { MOST_REPORTS = 100, MOST_CAUSES = 1000 }; /* more help nobody */

/* The cause of the finding, if it was seen before. */
static Cause *find_cause(Check *c, const Finding *f)
{
    for (size_t i = c->ncause; i-- > 0;) {
        Cause *k = &c->cause[i];
        const bool same = k->pc == f->pc && k->other == f->other,
                   swapped = k->pc == f->other && k->other == f->pc;
        if (k->kind == f->kind && (same || swapped) && k->where == f->where)
            return k;
    }
    return NULL;
}

/* Fills in of a cause what the lines say of its places. */
static void locate(Check *c, Cause *k, const char **file)
{
    Place at[CALLS_SEEN];
    *file = NULL;
    if (k->other && places(c, k->other, at)) {
        k->other_line = at[0].line;
        k->other_column = at[0].column;
    }
    if (places(c, k->pc, at)) {
        *file = at[0].file;
        k->line = at[0].line;
        k->column = at[0].column;
    }
}

/* 1 + the reported cause that has the places of k in the source, as where a loop was unrolled; 0:
 * none has. */
static size_t find_same(const Check *c, const Cause *k, const char *file)
{
    for (size_t i = 0; file && i < c->ncause; i++) {
        const Cause *x = &c->cause[i];
        if (x != k && x->text && x->file && x->kind == k->kind && x->where == k->where &&
            x->line == k->line && x->column == k->column && x->other_line == k->other_line &&
            x->other_column == k->other_column && !strcmp(x->file, file))
            return i + 1;
    }
    return 0;
}

bool is_new(Check *c, const Finding *f)
{
    const char *kernel = f->warp->group->launch->kernel, *file;
    Cause *k = find_cause(c, f);
    if (k) {
        k = k->same ? &c->cause[k->same - 1] : k;
        k->count++;
        return false;
    }
    if (c->ncause == MOST_CAUSES) {
        c->has_more = true;
        return false;
    }
    if (!array_grow(c->cause, c->ncause, c->capcause)) {
        c->failed = true;
        return false;
    }
    k = &c->cause[c->ncause++];
    *k = (Cause){.kind = f->kind, .pc = f->pc, .other = f->other, .where = f->where, .count = 1};
    locate(c, k, &file);
    if ((k->same = find_same(c, k, file))) {
        c->cause[k->same - 1].count++;
        return false;
    }
    if (is_allowed(c, f->kind, f->pc, kernel) || is_allowed(c, f->kind, f->other, kernel))
        return false;
    c->has_more |= c->nreport == MOST_REPORTS;
    c->nreport += c->nreport < MOST_REPORTS;
    return !c->has_more;
}

/* Where the function that runs was called, unless it has called another one since. */
static u32 caller_of(const Warp *w) { return w->x[REG_ra] - 4; }

void report(Check *c, const Finding *f, const char *sentence, const char *more)
{
    Cause *k = &c->cause[c->ncause - 1];
    const char *kernel = f->warp->group->launch->kernel;
    Place chain[CALLS_SEEN];
    Buf text = {0}, head = {0}, around = {0};
    Fault where;
    /* what the warp does, its first lane does */
    const int lane = f->lane < 0 && f->warp->exec ? __builtin_ctz(f->warp->exec) : f->lane;
    warp_locate(f->warp, f->pc, lane, &where);
    buf_printf(&head, "%s: %s", names[f->kind], sentence);
    size_t n = places(c, f->pc, chain);
    if (!n && (n = places(c, caller_of(f->warp), chain))) /* a function of the device library */
        dev_put_place(drv_device(c->driver), caller_of(f->warp), "called at", &around);
    buf_str(&around, more ? more : "");
    dev_report_as(drv_device(c->driver), &where, kernel, buf_text(&head), buf_text(&around), &text);
    k->text = mem_strdup(buf_text(&text));
    k->kernel = kernel ? mem_strdup(kernel) : NULL;
    if (n) {
        k->file = chain[0].file ? mem_strdup(chain[0].file) : NULL;
        k->line = chain[0].line;
        k->column = chain[0].column;
    }
    c->failed |= !k->text || text.failed;
    buf_free(&around);
    buf_free(&text);
    buf_free(&head);
}

/* --- the other side ------------------------------------------------------------------------- */

void put_item(const Launch *l, u64 group, u32 item, Buf *to)
{
    const u32 *n = l->local;
    u32 g[3];
    grid_group_id(l, group, g);
    if (!n[0] || !n[1] || !n[2]) {
        buf_printf(to, "lane %u of warp %u, group (%u, %u, %u)", item % l->lanes, item / l->lanes,
                   g[0], g[1], g[2]);
        return;
    }
    const FaultItem x = grid_item(l, group, item);
    buf_printf(to, "(%u, %u, %u), in its group (%u, %u, %u); group (%u, %u, %u)", x.item[0],
               x.item[1], x.item[2], x.local[0], x.local[1], x.local[2], g[0], g[1], g[2]);
}

void put_other(const Check *c, const Launch *l, u32 pc, const char *label, u64 group, u32 item,
               Buf *to)
{
    const size_t before = to->len;
    dev_put_place(drv_device(c->driver), pc, label, to);
    if (to->len == before)
        buf_printf(to, "\n  %-11s 0x%08x", label, pc);
    buf_str(to, "\n  by          ");
    put_item(l, group, item, to);
}

/* --- reading -------------------------------------------------------------------------------- */

bool check_report(const Check *c, size_t i, CheckReport *r)
{
    for (size_t k = 0; k < c->ncause; k++) {
        const Cause *x = &c->cause[k];
        if (!x->text || i--)
            continue;
        *r = (CheckReport){x->kind, x->count, x->kernel, x->file, x->line, x->column, x->text};
        return true;
    }
    return false;
}

void check_summary(const Check *c, Buf *to)
{
    u64 causes = 0, count[NCHECK] = {0};
    CheckReport r;
    for (; check_report(c, causes, &r); causes++)
        count[r.kind]++;
    if (!causes && c->failed)
        buf_str(to, "no mistake found, but memory ran out");
    if (!causes)
        return;
    buf_printf(to, "%" PRIu64 " mistake%s found:", causes, causes == 1 ? "" : "s");
    for (int k = 0, first = 1; k < NCHECK; k++)
        if (count[k]) {
            buf_printf(to, "%s %" PRIu64 " %s", first ? "" : ",", count[k], names[k]);
            first = 0;
        }
    if (c->has_more)
        buf_str(to, "; there are more");
    else if (c->failed)
        buf_str(to, "; there may be more, for memory ran out");
}

bool check_json(const Check *c, Buf *to)
{
    json_t *list = json_array();
    CheckReport r;
    for (size_t i = 0; check_report(c, i, &r); i++) {
        json_t *o =
            json_pack("{s:s, s:I, s:s*, s:s*, s:s}", "check", names[r.kind], "count",
                      (json_int_t)r.count, "kernel", r.kernel, "file", r.file, "text", r.text);
        if (r.line) {
            json_object_set_new(o, "line", json_integer(r.line));
            json_object_set_new(o, "column", json_integer(r.column));
        }
        json_array_append_new(list, o);
    }
    json_t *all = json_pack("{s:i, s:b, s:o}", "version", 1, "more", c->has_more || c->failed,
                            "reports", list);
    char *text = all ? json_dumps(all, JSON_INDENT(1)) : NULL;
    if (text)
        buf_printf(to, "%s\n", text);
    json_decref(all);
    const bool ok = text && !to->failed;
    free(text);
    return ok;
}
