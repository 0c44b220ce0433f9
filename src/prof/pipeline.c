/* pipeline.c -- the pipeline log: every instruction with the cycles of its stages, in the format
 * Kanata 0004, which the viewer Konata shows.
 *
 * An instruction begins with its fetch and gets the number that the file counts; what a warp
 * fetched and gave up ends as flushed.  Stages: F asked for, B in the instruction buffer, D where
 * the warp issues from, C its operands are collected, X its unit works, W its result is written.
 * The format has the cycles as differences, so lines are in the order of time; what lasts to the
 * end of a cycle waits in `ending` until the next one.
 */
#include "prof/picture_internal.h"

/* An instruction, from its fetch to its end. */
typedef struct {
    u64 id;     /* in the file */
    u64 number; /* of CycleEvent, once it has issued */
    u32 pc;
    char stage;
    bool issued;
} Row;

/* A slot of an SM. */
typedef struct {
    u64 thread; /* of its warp in the file */
    Row *row;   /* in the order of their fetches */
    size_t nrows, cap;
} Place;

typedef struct {
    u64 id;
    char stage;
} Ending;

typedef struct {
    Picture p;    /* first */
    Place *place; /* by slot_at() */
    size_t nplaces, capplaces;
    IsaDecoder decoder;
    IsaSet set;   /* of the decoder */
    bool decodes; /* there is one */
    u64 written;  /* the cycle that the file is at */
    u64 ids, threads, retired;
    Ending *ending; /* rows that end with the cycle */
    size_t nending, capending;
} Pipeline;

static void begin_stage(Pipeline *l, u64 id, char stage)
{
    put(&l->p, "S\t%llu\t0\t%c\n", (unsigned long long)id, stage);
}

static void retire(Pipeline *l, u64 id, char stage, bool flushed)
{
    put(&l->p, "E\t%llu\t0\t%c\nR\t%llu\t%llu\t%d\n", (unsigned long long)id, stage,
        (unsigned long long)id, (unsigned long long)(flushed ? 0 : l->retired++), flushed);
}

/* the file goes on to a cycle */
static void advance(Pipeline *l, u64 cycle)
{
    if (l->nending && cycle > l->written) {
        put(&l->p, "C\t1\n");
        l->written++;
        for (size_t i = 0; i < l->nending; i++)
            retire(l, l->ending[i].id, l->ending[i].stage, false);
        l->nending = 0;
    }
    if (cycle > l->written)
        put(&l->p, "C\t%llu\n", (unsigned long long)(cycle - l->written));
    l->written = cycle;
}

/* --- rows ----------------------------------------------------------------------------- */

static void next_stage(Pipeline *l, Row *r, char stage)
{
    put(&l->p, "E\t%llu\t0\t%c\n", (unsigned long long)r->id, r->stage);
    begin_stage(l, r->id, stage);
    r->stage = stage;
}

static void remove_row(Place *w, size_t i)
{
    for (w->nrows--; i < w->nrows; i++)
        w->row[i] = w->row[i + 1];
}

/* the row ends with this cycle */
static void end_row(Pipeline *l, Place *w, size_t i)
{
    if (!array_grow(l->ending, l->nending, l->capending)) {
        picture_lacks_memory(&l->p);
        return;
    }
    l->ending[l->nending++] = (Ending){w->row[i].id, w->row[i].stage};
    remove_row(w, i);
}

/* the first row at pc that has not issued; NULL: none */
static Row *fetched_row(Place *w, u32 pc)
{
    for (size_t i = 0; i < w->nrows; i++)
        if (!w->row[i].issued && w->row[i].pc == pc)
            return &w->row[i];
    return NULL;
}

/* an issued instruction goes on to a stage (0: none), and may end with this cycle */
static void go_on(Pipeline *l, Place *w, u64 number, char stage, bool ends)
{
    for (size_t i = 0; i < w->nrows; i++) {
        if (!w->row[i].issued || w->row[i].number != number)
            continue;
        if (stage)
            next_stage(l, &w->row[i], stage);
        else if (w->row[i].stage == 'C') /* its unit was done at once */
            next_stage(l, &w->row[i], 'X');
        if (ends)
            end_row(l, w, i);
        return;
    }
}

/* --- events --------------------------------------------------------------------------- */

static void add_row(Pipeline *l, Place *w, const CycleEvent *e, u32 pc)
{
    if (!array_grow(w->row, w->nrows, w->cap)) {
        picture_lacks_memory(&l->p);
        return;
    }
    const u64 id = l->ids++;
    const unsigned long long n = id;
    w->row[w->nrows++] = (Row){.id = id, .pc = pc, .stage = 'F'};
    put(&l->p, "I\t%llu\t%llu\t%llu\nL\t%llu\t0\t%08x: \n", n, n, (unsigned long long)w->thread, n,
        pc);
    put(&l->p, "L\t%llu\t1\tSM %u, slot %u, group %llu, warp %u\n", n, e->sm, e->slot,
        (unsigned long long)e->group, e->warp);
    begin_stage(l, id, 'F');
}

/* a warp asks again for what did not come: that is the row that it has already */
static void fetch(Pipeline *l, Place *w, const CycleEvent *e)
{
    for (u32 i = 0; e->exec >> i; i++) {
        const Row *r = fetched_row(w, e->pc + 4 * i);
        if (e->exec >> i & 1 && !(r && r->stage == 'F') && picture_takes(&l->p, e->cycle))
            add_row(l, w, e, e->pc + 4 * i);
    }
}

static void buffer(Pipeline *l, Place *w, const CycleEvent *e)
{
    for (u32 i = 0; e->exec >> i; i++)
        for (size_t k = 0; e->exec >> i & 1 && k < w->nrows; k++)
            if (w->row[k].stage == 'F' && w->row[k].pc == e->pc + 4 * i) {
                next_stage(l, &w->row[k], 'B');
                break;
            }
}

static void decode(Pipeline *l, Place *w, const CycleEvent *e)
{
    Row *r = fetched_row(w, e->pc);
    Buf text = {0};
    if (!r)
        return;
    isa_print_word(&text, &l->decoder, e->word, isa_length(l->set, (u32)e->word),
                   &(IsaPrint){.have_pc = true, .pc = e->pc, .csr_names = true});
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] == '\t' || text.data[i] == '\n')
            text.data[i] = ' ';
    put(&l->p, "L\t%llu\t0\t%s\n", (unsigned long long)r->id, buf_text(&text));
    if (text.failed)
        picture_lacks_memory(&l->p);
    buf_free(&text);
    next_stage(l, r, 'D');
    if (e->hidden)
        end_row(l, w, (size_t)(r - w->row));
}

static void drop(Pipeline *l, Place *w)
{
    for (size_t i = w->nrows; i-- > 0;)
        if (!w->row[i].issued) {
            retire(l, w->row[i].id, w->row[i].stage, true);
            remove_row(w, i);
        }
}

static void issue(Pipeline *l, Place *w, const CycleEvent *e)
{
    Row *r = fetched_row(w, e->pc);
    const u32 lanes = e->launch->lanes, all = lanes < 32 ? (1u << lanes) - 1 : UINT32_MAX;
    if (!r)
        return;
    r->issued = true;
    r->number = e->number;
    next_stage(l, r, 'C');
    if (e->exec != all)
        put(&l->p, "L\t%llu\t0\t  {lanes %0*x}\n", (unsigned long long)r->id, (int)(lanes + 3) / 4,
            e->exec);
    put(&l->p, "L\t%llu\t1\t, lanes %0*x, unit %s\n", (unsigned long long)r->id,
        (int)(lanes + 3) / 4, e->exec, isa_unit_name[e->unit]);
}

/* whatever is left when the launch is over: fetched ahead, or under way when a group faulted */
static void drop_all(Pipeline *l)
{
    for (size_t i = 0; i < l->nplaces; i++) {
        Place *w = &l->place[i];
        for (size_t k = 0; k < w->nrows; k++)
            retire(l, w->row[k].id, w->row[k].stage, true);
        w->nrows = 0;
    }
}

static void draw_launch(Pipeline *l, const CycleEvent *e)
{
    if (e->kind == CYCLE_LAUNCH_END) {
        drop_all(l);
        return;
    }
    if (l->decodes && l->set == e->launch->set)
        return;
    l->set = e->launch->set;
    l->decodes = true;
    isa_decoder_init(&l->decoder, l->set);
}

static void draw(Picture *p, const CycleEvent *e)
{
    Pipeline *l = (Pipeline *)p;
    if (p->error)
        return;
    advance(l, e->cycle);
    if (e->kind == CYCLE_LAUNCH || e->kind == CYCLE_LAUNCH_END) {
        draw_launch(l, e);
        return;
    }
    Place *w = picture_place(p, l->place, l->nplaces, l->capplaces, slot_at(e));
    if (!w)
        return;
    switch (e->kind) {
    case CYCLE_WARP: w->thread = l->threads++; break;
    case CYCLE_FETCH: fetch(l, w, e); break;
    case CYCLE_BUFFER: buffer(l, w, e); break;
    case CYCLE_DECODE: decode(l, w, e); break;
    case CYCLE_DROP: drop(l, w); break;
    case CYCLE_ISSUE: issue(l, w, e); break;
    case CYCLE_START: go_on(l, w, e->number, 'X', false); break;
    case CYCLE_WRITE: go_on(l, w, e->number, 'W', true); break;
    case CYCLE_DONE: go_on(l, w, e->number, 0, true); break;
    default: break;
    }
}

static void finish(Picture *p)
{
    Pipeline *l = (Pipeline *)p;
    advance(l, p->last + 1);
    for (size_t i = 0; i < l->nplaces; i++)
        mem_free(l->place[i].row);
    mem_free(l->place);
    mem_free(l->ending);
}

Picture *pipeline_new(FILE *to, const PictureOptions *opt)
{
    Picture *p = picture_new(sizeof(Pipeline), to, opt);
    if (!p)
        return NULL;
    p->kinds = 1 << CYCLE_FETCH | 1 << CYCLE_BUFFER | 1 << CYCLE_DECODE | 1 << CYCLE_DROP |
               1 << CYCLE_ISSUE | 1 << CYCLE_START | 1 << CYCLE_WRITE | 1 << CYCLE_DONE |
               1 << CYCLE_WARP | 1 << CYCLE_LAUNCH | 1 << CYCLE_LAUNCH_END;
    p->draw = draw;
    p->finish = finish;
    put(p, "Kanata\t0004\nC=\t0\n");
    return p;
}
