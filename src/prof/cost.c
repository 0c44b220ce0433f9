/* cost.c -- counting what kernels cost (cost.h).
 *
 * While a launch runs, its slots are counted by instruction, and by the warp that is in each slot
 * of each SM.  When it has ended, they are added to those of its kernel: to the launches of that
 * name that had the same words at the same addresses.  Only then are lines looked up, once for each
 * instruction that is new.
 */
#include "obj/lines.h"
#include "prof/cost_internal.h"
#include <string.h>

enum { MOST_WARPS = 1 << 16 }; /* of a kernel that are listed one by one */

/* --- instructions of the launch ------------------------------------------------------------ */

/* The entry of the instruction at pc, made if need be; NULL: out of memory, or no code can be
 * there. */
static InsnCost *insn_at(Costs *c, u32 pc)
{
    KernelCost *k = &c->now;
    const u32 at = pc - CODE_LO;
    if (at >= CODE_END - CODE_LO)
        return NULL;
    u32 **page = &c->index[at / PAGE_SIZE];
    if (!*page && !(*page = mem_zalloc(PAGE_SIZE / 4, sizeof **page)))
        return NULL;
    u32 *index = &(*page)[at % PAGE_SIZE / 4];
    if (!*index && array_grow(k->insn, k->ninsns, k->capinsns)) {
        k->insn[k->ninsns++] = (InsnCost){.pc = pc};
        *index = (u32)k->ninsns;
    }
    return *index ? &k->insn[*index - 1] : NULL;
}

/* --- warps of the launch ---------------------------------------------------------------------- */

static void leave_place(Costs *c, WarpCost *w)
{
    KernelCost *k = &c->now;
    if (!w->launch)
        return;
    const bool may_be_told = k->nwarps < MOST_WARPS;
    if (may_be_told && array_grow(k->warp, k->nwarps, k->capwarps)) {
        k->warp[k->nwarps++] = *w;
    } else {
        slots_add(&k->other_warps, &w->slots);
        k->nothers++;
        c->failed |= may_be_told;
    }
    *w = (WarpCost){0};
}

static WarpCost *place_of(Costs *c, const CycleEvent *e)
{
    const size_t at = (size_t)e->sm * MAX_WARPS + e->slot;
    while (at >= c->nplaces) {
        if (!array_grow(c->place, c->nplaces, c->capplaces))
            return NULL;
        c->place[c->nplaces++] = (WarpCost){0};
    }
    WarpCost *w = &c->place[at];
    if (w->launch && (w->group != e->group || w->warp != e->warp))
        leave_place(c, w);
    if (!w->launch)
        *w = (WarpCost){.launch = 1, .group = e->group, .warp = e->warp};
    return w;
}

static TimeSlots *sm_of(Costs *c, u32 sm)
{
    KernelCost *k = &c->now;
    while (sm >= k->nsms) {
        if (!array_grow(k->sm, k->nsms, k->capsms))
            return NULL;
        k->sm[k->nsms++] = (TimeSlots){0};
    }
    return &k->sm[sm];
}

/* --- what is told ----------------------------------------------------------------------------- */

static void begin_launch(Costs *c)
{
    KernelCost *k = &c->now;
    for (size_t i = 0; i < k->ninsns; i++) {
        const u32 at = k->insn[i].pc - CODE_LO;
        c->index[at / PAGE_SIZE][at % PAGE_SIZE / 4] = 0;
    }
    k->ninsns = k->nwarps = k->nsms = c->nplaces = 0;
    k->nothers = 0;
    k->all = k->no_warp = k->other_warps = (TimeSlots){0};
}

static void count(TimeSlots *s, u8 cause, u8 unit, u64 n)
{
    s->cycles[cause] += n;
    s->unit[unit] += cause == CAUSE_SCOREBOARD ? n : 0;
}

static void tell_cycle(void *self, const CycleEvent *e)
{
    Costs *c = self;
    if (e->kind == CYCLE_LAUNCH)
        begin_launch(c);
    if (e->kind != CYCLE_SLOTS)
        return;
    TimeSlots *sm = sm_of(c, e->sm);
    InsnCost *insn = e->no_warp ? NULL : insn_at(c, e->pc);
    WarpCost *warp = e->no_warp ? NULL : place_of(c, e);
    if (!sm || (!e->no_warp && (!insn || !warp))) {
        c->failed = true;
        return;
    }
    count(&c->now.all, e->cause, e->unit, e->count);
    count(sm, e->cause, e->unit, e->count);
    if (e->no_warp) {
        count(&c->now.no_warp, e->cause, e->unit, e->count);
        return;
    }
    count(&insn->slots, e->cause, e->unit, e->count);
    count(&warp->slots, e->cause, e->unit, e->count);
    insn->word = e->cause == CAUSE_ISSUED ? e->word : insn->word;
}

/* on an engine that does not count cycles */
static Verdict tell_step(void *self, const Event *e)
{
    Costs *c = self;
    if (e->kind == EVENT_launch_begin)
        begin_launch(c);
    if (e->kind != EVENT_insn)
        return GO_ON;
    InsnCost *insn = insn_at(c, step_pc(e->step));
    if (!insn) {
        c->failed = true;
        return GO_ON;
    }
    insn->word = e->step->word;
    count(&insn->slots, CAUSE_ISSUED, 0, 1);
    count(&c->now.all, CAUSE_ISSUED, 0, 1);
    return GO_ON;
}

CycleObserver costs_cycle_observer(Costs *c)
{
    return (CycleObserver){
        .self = c, .kinds = 1 << CYCLE_LAUNCH | 1 << CYCLE_SLOTS, .tell = tell_cycle};
}

Observer costs_observer(Costs *c)
{
    return (Observer){.self = c, .events = EVENT_launch_begin | EVENT_insn, .tell = tell_step};
}

/* --- kernels ---------------------------------------------------------------------------------- */

/* whether all instructions that both have issued are the same */
static bool has_same_code(Costs *c, const KernelCost *k)
{
    for (size_t i = 0; i < k->ninsns; i++) {
        const u32 at = k->insn[i].pc - CODE_LO;
        const u32 *page = c->index[at / PAGE_SIZE];
        const u32 index = page ? page[at % PAGE_SIZE / 4] : 0;
        const u64 word = index ? c->now.insn[index - 1].word : 0;
        if (word && k->insn[i].word && word != k->insn[i].word)
            return false;
    }
    return true;
}

static KernelCost *find_kernel(Costs *c, const char *name, IsaSet set)
{
    for (size_t i = 0; i < c->nkernels; i++)
        if (!strcmp(c->kernel[i].name, name) && c->kernel[i].set == set &&
            has_same_code(c, &c->kernel[i]))
            return &c->kernel[i];
    char *copy = mem_strdup(name);
    if (!copy || !array_grow(c->kernel, c->nkernels, c->capkernels)) {
        mem_free(copy);
        return NULL;
    }
    c->kernel[c->nkernels] = (KernelCost){.name = copy, .set = set};
    return &c->kernel[c->nkernels++];
}

/* --- lines ------------------------------------------------------------------------------------ */

static bool is_same(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

/* The place to show of an instruction: the innermost one whose source is known, so that what is
 * inlined from a library belongs to the line that calls it. */
static Place place_to_show(const LineTable *lines, const Object *image, u32 pc)
{
    enum { CALLS_SEEN = 16 };
    Place chain[CALLS_SEEN];
    size_t len;
    const size_t n = lines ? lines_find(lines, pc, chain, CALLS_SEEN) : 0;
    for (size_t i = 0; i < n; i++)
        if (chain[i].file && obj_source_line(image, chain[i].file, chain[i].line, &len))
            return chain[i];
    return n ? chain[0] : (Place){0};
}

static bool copy_text(char **to, const char *from)
{
    *to = from ? mem_strdup(from) : NULL;
    return *to || !from;
}

/* The number of the kernel's line, which is made if need be. */
static bool line_at(KernelCost *k, const Object *image, const Place *p, u32 *number)
{
    for (size_t i = k->nlines; i-- > 0;)
        if (k->line[i].number == p->line && is_same(k->line[i].file, p->file)) {
            *number = (u32)i;
            return true;
        }
    size_t len = 0;
    const char *text = p->file ? obj_source_line(image, p->file, p->line, &len) : NULL;
    if (!array_grow(k->line, k->nlines, k->caplines))
        return false;
    LineCost *l = &k->line[k->nlines];
    *l = (LineCost){.number = p->line};
    *number = (u32)k->nlines++;
    return copy_text(&l->file, p->file) && copy_text(&l->function, p->function) &&
           (!text || (l->text = mem_strndup(text, len)));
}

/* --- the end of a launch ---------------------------------------------------------------------- */

static bool add_insn(KernelCost *k, const InsnCost *from, const LineTable *lines,
                     const Object *image)
{
    const Place p = place_to_show(lines, image, from->pc);
    if (!array_grow(k->insn, k->ninsns, k->capinsns))
        return false;
    k->insn[k->ninsns] = *from;
    if (!line_at(k, image, &p, &k->insn[k->ninsns].line))
        return false;
    slots_add(&k->line[k->insn[k->ninsns++].line].slots, &from->slots);
    return true;
}

/* Adds instructions that the kernel has, and forgets them in `now`. */
static void add_known_insns(Costs *c, KernelCost *k)
{
    for (size_t i = 0; i < k->ninsns; i++) {
        const u32 at = k->insn[i].pc - CODE_LO;
        const u32 *page = c->index[at / PAGE_SIZE];
        const u32 index = page ? page[at % PAGE_SIZE / 4] : 0;
        if (!index)
            continue;
        InsnCost *from = &c->now.insn[index - 1];
        slots_add(&k->insn[i].slots, &from->slots);
        slots_add(&k->line[k->insn[i].line].slots, &from->slots);
        k->insn[i].word = from->word ? from->word : k->insn[i].word;
        from->added = true;
    }
}

static bool add_insns(Costs *c, KernelCost *k, const Object *image)
{
    LineTable *lines = NULL;
    bool ok = true;
    add_known_insns(c, k);
    for (size_t i = 0; ok && i < c->now.ninsns; i++) {
        if (c->now.insn[i].added)
            continue;
        if (!lines && image)
            ok = (lines = lines_read(image)) != NULL;
        ok = ok && add_insn(k, &c->now.insn[i], lines, image);
    }
    lines_free(lines);
    return ok;
}

static bool add_warps(KernelCost *k, const KernelCost *now)
{
    for (size_t i = 0; i < now->nwarps; i++) {
        if (k->nwarps == MOST_WARPS) {
            slots_add(&k->other_warps, &now->warp[i].slots);
            k->nothers++;
            continue;
        }
        if (!array_grow(k->warp, k->nwarps, k->capwarps))
            return false;
        k->warp[k->nwarps] = now->warp[i];
        k->warp[k->nwarps++].launch = k->launches;
    }
    slots_add(&k->other_warps, &now->other_warps);
    k->nothers += now->nothers;
    return true;
}

static bool add_sms(KernelCost *k, const KernelCost *now)
{
    for (size_t i = 0; i < now->nsms; i++) {
        if (i == k->nsms) {
            if (!array_grow(k->sm, k->nsms, k->capsms))
                return false;
            k->sm[k->nsms++] = (TimeSlots){0};
        }
        slots_add(&k->sm[i], &now->sm[i]);
    }
    return true;
}

void costs_add(Costs *c, const char *kernel, const Object *image, IsaSet set, const LaunchResult *r)
{
    for (size_t i = 0; i < c->nplaces; i++)
        leave_place(c, &c->place[i]);
    KernelCost *k = find_kernel(c, kernel, set);
    if (!k || !add_insns(c, k, image) || !add_warps(k, &c->now) || !add_sms(k, &c->now)) {
        c->failed = true;
        return;
    }
    slots_add(&k->all, &c->now.all);
    slots_add(&k->no_warp, &c->now.no_warp);
    k->cycles += r->cycles;
    k->launches++;
    begin_launch(c); /* what was added is not added again */
}

/* --- life
 * ------------------------------------------------------------------------------------------ */

Costs *costs_new(void) { return mem_zalloc(1, sizeof(Costs)); }

static void free_kernel(KernelCost *k)
{
    for (size_t i = 0; i < k->nlines; i++) {
        mem_free(k->line[i].file);
        mem_free(k->line[i].function);
        mem_free(k->line[i].text);
    }
    mem_free(k->name);
    mem_free(k->insn);
    mem_free(k->line);
    mem_free(k->warp);
    mem_free(k->sm);
}

void costs_free(Costs *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->nkernels; i++)
        free_kernel(&c->kernel[i]);
    free_kernel(&c->now);
    for (size_t i = 0; i < countof(c->index); i++)
        mem_free(c->index[i]);
    mem_free(c->kernel);
    mem_free(c->place);
    mem_free(c);
}
