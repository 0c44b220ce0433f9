/* cost_report.c -- costs as tables to read, and as JSON (cost.h). */
#include "isa/isa.h"
#include "prof/cost_internal.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* of a table; of the causes of a row, with the least share that is worth a word */
enum { MOST_ROWS = 25, MOST_WARPS = 10, MOST_CAUSES = 6 };
static const double least_percent = 0.05;

/* --- the most expensive first ---------------------------------------------------------------- */

typedef struct {
    u64 sum;
    size_t at;
} Rank;

static int by_sum(const void *a, const void *b)
{
    const Rank *x = a, *y = b;
    if (x->sum != y->sum)
        return x->sum < y->sum ? 1 : -1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* The order of n elements of `size` bytes, the slots of each at `slots` bytes from its beginning.
 * NULL: out of memory. */
static Rank *rank(const void *first, size_t n, size_t size, size_t slots)
{
    Rank *r = mem_alloc((n + 1) * sizeof *r);
    for (size_t i = 0; r && i < n; i++)
        r[i] = (Rank){slots_sum((const TimeSlots *)((const u8 *)first + i * size + slots)), i};
    if (r)
        qsort(r, n, sizeof *r, by_sum);
    return r;
}

#define RANK(a, n) rank(a, n, sizeof *(a), (size_t)((const u8 *)&(a)->slots - (const u8 *)(a)))

/* --- text ------------------------------------------------------------------------------------- */

static double percent(u64 part, u64 all) { return all ? (double)part * 100 / (double)all : 0; }

/* At most so many causes of slots in which nothing was issued, in per cent of `all`, the most
 * frequent first. */
static void put_causes(Buf *to, const TimeSlots *s, u64 all, size_t most)
{
    struct {
        Rank rank;
        const char *name, *unit;
    } row[(u32)NCAUSE + NUNIT];
    Rank order[(u32)NCAUSE + NUNIT];
    size_t n = 0;
    for (u32 c = 0; c < NCAUSE; c++)
        if (s->cycles[c] && c != CAUSE_ISSUED && c != CAUSE_SCOREBOARD) {
            row[n].name = time_cause_name[c];
            row[n].unit = "";
            order[n] = (Rank){s->cycles[c], n};
            n++;
        }
    for (u32 u = 0; u < NUNIT; u++)
        if (s->unit[u]) {
            row[n].name = "scoreboard ";
            row[n].unit = isa_unit_name[u];
            order[n] = (Rank){s->unit[u], n};
            n++;
        }
    qsort(order, n, sizeof *order, by_sum);
    for (size_t i = 0; i < n && i < most && percent(order[i].sum, all) >= least_percent; i++)
        buf_printf(to, "%s%s%s %.1f %%", i ? ", " : "", row[order[i].at].name,
                   row[order[i].at].unit, percent(order[i].sum, all));
}

/* the numbers of a row, and room for what it is */
static void put_row(const KernelCost *k, Buf *to, const TimeSlots *s)
{
    const u64 sum = slots_sum(s), all = slots_sum(&k->all);
    buf_printf(to, "%10llu %5.1f %%", (unsigned long long)sum, percent(sum, all));
    if (k->cycles)
        buf_printf(to, " %9llu", (unsigned long long)s->cycles[CAUSE_ISSUED]);
    buf_str(to, "  ");
}

/* the line below a row */
static void put_reasons(const KernelCost *k, Buf *to, const TimeSlots *s)
{
    const u64 idle = slots_sum(s) - s->cycles[CAUSE_ISSUED];
    if (percent(idle, slots_sum(&k->all)) < least_percent)
        return;
    buf_fill(to, ' ', 33);
    put_causes(to, s, slots_sum(&k->all), MOST_CAUSES);
    buf_str(to, "\n");
}

static void put_head(const KernelCost *k, Buf *to, const char *what)
{
    buf_printf(to, "\n%10s %7s%s  %s\n", k->cycles ? "slots" : "executed", "",
               k->cycles ? "    issued" : "", what);
}

static void put_rest(const KernelCost *k, Buf *to, const Rank *r, size_t shown, size_t n)
{
    u64 sum = 0;
    for (size_t i = shown; i < n; i++)
        sum += r[i].sum;
    if (sum)
        buf_printf(to, "%10llu %5.1f %%%s  %zu more\n", (unsigned long long)sum,
                   percent(sum, slots_sum(&k->all)), k->cycles ? "          " : "", n - shown);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void put_place(Buf *to, const LineCost *l)
{
    if (l->file)
        buf_printf(to, "%s:%u", base_name(l->file), l->number);
    else
        buf_str(to, "no line is known");
}

static bool put_lines(const KernelCost *k, Buf *to)
{
    Rank *r = RANK(k->line, k->nlines);
    const size_t shown = k->nlines < MOST_ROWS ? k->nlines : MOST_ROWS;
    put_head(k, to, "source lines");
    for (size_t i = 0; r && i < shown && r[i].sum; i++) {
        const LineCost *l = &k->line[r[i].at];
        put_row(k, to, &l->slots);
        put_place(to, l);
        if (l->text)
            buf_printf(to, "  %s", l->text + strspn(l->text, " \t"));
        buf_str(to, "\n");
        put_reasons(k, to, &l->slots);
    }
    if (r)
        put_rest(k, to, r, shown, k->nlines);
    mem_free(r);
    return r;
}

static void put_insn(Buf *to, const IsaDecoder *d, const InsnCost *i)
{
    if (i->word)
        isa_print_word(to, d, i->word, i->word >> 32 ? 8 : 4,
                       &(IsaPrint){.have_pc = true, .pc = i->pc, .csr_names = true});
    else
        buf_str(to, "never issued");
}

static bool put_insns(const KernelCost *k, Buf *to, const IsaDecoder *d)
{
    Rank *r = RANK(k->insn, k->ninsns);
    const size_t shown = k->ninsns < MOST_ROWS ? k->ninsns : MOST_ROWS;
    put_head(k, to, "instructions");
    for (size_t i = 0; r && i < shown && r[i].sum; i++) {
        const InsnCost *n = &k->insn[r[i].at];
        put_row(k, to, &n->slots);
        buf_printf(to, "%08x  ", n->pc);
        put_insn(to, d, n);
        if (k->line[n->line].file) {
            buf_str(to, "  # ");
            put_place(to, &k->line[n->line]);
        }
        buf_str(to, "\n");
        put_reasons(k, to, &n->slots);
    }
    if (r)
        put_rest(k, to, r, shown, k->ninsns);
    mem_free(r);
    return r;
}

static bool put_warps(const KernelCost *k, Buf *to)
{
    Rank *r = RANK(k->warp, k->nwarps);
    const size_t shown = k->nwarps < MOST_WARPS ? k->nwarps : MOST_WARPS;
    put_head(k, to, "warps");
    for (size_t i = 0; r && i < shown && r[i].sum; i++) {
        const WarpCost *w = &k->warp[r[i].at];
        put_row(k, to, &w->slots);
        if (k->launches > 1)
            buf_printf(to, "launch %u ", w->launch);
        buf_printf(to, "group %llu warp %u\n", (unsigned long long)w->group, w->warp);
        put_reasons(k, to, &w->slots);
    }
    if (r)
        put_rest(k, to, r, shown, k->nwarps);
    if (k->nothers) {
        put_row(k, to, &k->other_warps);
        buf_printf(to, "%llu others\n", (unsigned long long)k->nothers);
    }
    mem_free(r);
    return r;
}

static bool put_kernel(const KernelCost *k, Buf *to, const IsaDecoder *d)
{
    const u64 all = slots_sum(&k->all);
    buf_printf(to, "kernel %s: %u launch%s, ", k->name, k->launches, k->launches == 1 ? "" : "es");
    if (!k->cycles) {
        buf_printf(to, "%llu instructions\n", (unsigned long long)all);
        return put_lines(k, to) && put_insns(k, to, d);
    }
    buf_printf(to, "%llu cycles, %llu issue slots on %zu SM%s\n", (unsigned long long)k->cycles,
               (unsigned long long)all, k->nsms, k->nsms == 1 ? "" : "s");
    buf_printf(to, "  issued %.1f %%, ", percent(k->all.cycles[CAUSE_ISSUED], all));
    put_causes(to, &k->all, all, SIZE_MAX);
    buf_printf(to, "\n  without a warp: %.1f %%", percent(slots_sum(&k->no_warp), all));
    buf_str(to, "\n");
    return put_lines(k, to) && put_insns(k, to, d) && put_warps(k, to);
}

bool costs_text(const Costs *c, Buf *to)
{
    bool ok = !c->failed;
    for (size_t i = 0; ok && i < c->nkernels; i++) {
        IsaDecoder d;
        isa_decoder_init(&d, c->kernel[i].set);
        buf_str(to, i ? "\n" : "");
        ok = put_kernel(&c->kernel[i], to, &d);
    }
    return ok && !to->failed;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void set_number(json_t *o, const char *name, u64 v)
{
    json_object_set_new(o, name, json_integer((json_int_t)v));
}

/* A text, in which bytes that are no UTF-8 become question marks all; nothing if it is unknown. */
static void set_text(json_t *o, const char *name, const char *text)
{
    json_t *v = text ? json_string(text) : NULL;
    char *copy = text && !v ? mem_strdup(text) : NULL;
    for (char *p = copy; p && *p; p++)
        *p = (u8)*p < 0x80 ? *p : '?';
    if (copy)
        v = json_string(copy);
    mem_free(copy);
    if (v)
        json_object_set_new(o, name, v);
}

static json_t *with_slots(json_t *o, const TimeSlots *s)
{
    json_t *slots = json_object(), *units = json_object();
    set_number(slots, "all", slots_sum(s));
    for (u32 c = 0; c < NCAUSE; c++)
        if (s->cycles[c])
            set_number(slots, time_cause_name[c], s->cycles[c]);
    for (u32 u = 0; u < NUNIT; u++)
        if (s->unit[u])
            set_number(units, isa_unit_name[u], s->unit[u]);
    json_object_set_new(o, "slots", slots);
    json_object_set_new(o, "scoreboard", units);
    return o;
}

static json_t *sms_json(const KernelCost *k)
{
    json_t *list = json_array();
    for (size_t i = 0; i < k->nsms; i++)
        json_array_append_new(list, with_slots(json_object(), &k->sm[i]));
    return list;
}

static void set_place(json_t *o, const LineCost *l)
{
    if (!l->file)
        return;
    set_text(o, "file", l->file);
    set_number(o, "line", l->number);
}

static json_t *lines_json(const KernelCost *k)
{
    json_t *list = json_array();
    for (size_t i = 0; i < k->nlines; i++) {
        const LineCost *l = &k->line[i];
        json_t *o = json_object();
        set_place(o, l);
        set_text(o, "function", l->function);
        set_text(o, "text", l->text);
        json_array_append_new(list, with_slots(o, &l->slots));
    }
    return list;
}

static json_t *insns_json(const KernelCost *k, const IsaDecoder *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < k->ninsns; i++) {
        const InsnCost *n = &k->insn[i];
        json_t *o = json_object();
        Buf text = {0};
        set_number(o, "pc", n->pc);
        put_insn(&text, d, n);
        set_text(o, "text", buf_text(&text));
        set_place(o, &k->line[n->line]);
        json_array_append_new(list, with_slots(o, &n->slots));
        buf_free(&text);
    }
    return list;
}

static json_t *warps_json(const KernelCost *k)
{
    json_t *list = json_array();
    for (size_t i = 0; i < k->nwarps; i++) {
        json_t *o = json_object();
        set_number(o, "launch", k->warp[i].launch);
        set_number(o, "group", k->warp[i].group);
        set_number(o, "warp", k->warp[i].warp);
        json_array_append_new(list, with_slots(o, &k->warp[i].slots));
    }
    return list;
}

static json_t *kernel_json(const KernelCost *k)
{
    IsaDecoder d;
    json_t *o = json_object(), *others = json_object();
    isa_decoder_init(&d, k->set);
    set_text(o, "kernel", k->name);
    set_number(o, "launches", k->launches);
    if (k->cycles)
        set_number(o, "cycles", k->cycles);
    with_slots(o, &k->all);
    json_object_set_new(o, "lines", lines_json(k));
    json_object_set_new(o, "instructions", insns_json(k, &d));
    if (!k->cycles) {
        json_decref(others);
        return o;
    }
    set_number(others, "warps", k->nothers);
    json_object_set_new(o, "sms", sms_json(k));
    json_object_set_new(o, "warps", warps_json(k));
    json_object_set_new(o, "other_warps", with_slots(others, &k->other_warps));
    json_object_set_new(o, "without_warp", with_slots(json_object(), &k->no_warp));
    return o;
}

bool costs_json(const Costs *c, Buf *to)
{
    json_t *o = json_object(), *list = json_array();
    for (size_t i = 0; i < c->nkernels; i++)
        json_array_append_new(list, kernel_json(&c->kernel[i]));
    json_object_set_new(o, "kernels", list);
    char *text = c->failed ? NULL : json_dumps(o, JSON_INDENT(1));
    json_decref(o);
    if (text)
        buf_printf(to, "%s\n", text);
    free(text);
    return text && !to->failed;
}
