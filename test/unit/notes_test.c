/* notes_test.c -- where the parts of variables are, from the front end to registers.
 *
 * Random programs say of the parts of a variable which value each is.  They are executed in SSA,
 * where a part is what the last note on the way said, and as a warp after allocation, where notes
 * name places.  Wherever values are shown to the outside a part that has a place must be there what
 * it is in SSA.  And it must have a place if it is a value that is read there, a constant, or an
 * argument: a model of what holds on all ways to an instruction of the program in SSA says which
 * parts that are.
 */
#include "test/kit/leftover.h"
#include "test/kit/flowgen.h"

enum { PROGRAMS = 200, PARTS = 5, PLENTY = 100000 };

/* What is known where values are shown, in the order of time. */
typedef struct {
    u32 value[PARTS];
    bool is_known[PARTS], must[PARTS];
} Shown;

typedef struct {
    Shown *list;
    size_t n, cap;
} Log;

static u32 number_of(const Note *n, u32 value)
{
    const u32 sum = value + (u32)n->plus, low = n->bits ? sum & (((u32)1 << n->bits) - 1) : sum;
    return n->bits && n->is_signed && low >> (n->bits - 1) ? low - ((u32)1 << n->bits) : low;
}

/* --- what holds on all ways to an instruction ------------------------------------------------- */

/* A part: any of these things, with the form of a note; no things: it is not known. */
typedef struct {
    u64 *thing;
    Note form;
} Fact;

typedef struct {
    const Func *f;
    size_t words; /* of a set of things */
    Fact *top, now[PARTS];
    bool *seen;
    u32 *same; /* of each value: a thing that it always is; 0: made again where it is read */
    u32 constant[400], nconstant;
    bool (*must)[PARTS]; /* of each instruction that shows something, block by block */
    u32 *first;          /* of each block: its first element there */
} Model;

static u32 thing_of_constant(Model *m, u32 c)
{
    u32 k = 0;
    while (k < m->nconstant && m->constant[k] != c)
        k++;
    assert_true(k < countof(m->constant));
    m->constant[k] = c;
    m->nconstant += k == m->nconstant;
    return (u32)m->f->nvalue + k;
}

static u32 thing_of(Model *m, Ref r)
{
    return r.kind == R_CON ? thing_of_constant(m, r.val) : r.kind == R_VAL ? m->same[r.val] : 0;
}

static bool has(const u64 *set, u32 thing) { return thing && set[thing / 64] >> thing % 64 & 1; }
static void add_thing(u64 *set, u32 thing) { set[thing / 64] |= (u64)1 << thing % 64; }

/* whether a part is there even if nothing reads it: it is a constant or an argument */
static bool lasts(const Model *m, const u64 *set)
{
    for (u32 k = 0; k < m->nconstant; k++)
        if (has(set, (u32)m->f->nvalue + k))
            return true;
    const Block *entry = &m->f->block[0];
    for (size_t i = 0; i < entry->nins; i++)
        if (entry->ins[i].space == IN_CONST && has(set, entry->ins[i].dst))
            return true;
    return false;
}

static void take_note(Model *m, const Note *n)
{
    Fact *to = &m->now[n->part];
    memset(to->thing, 0, m->words * sizeof(u64));
    to->form = *n;
    if (thing_of(m, n->is))
        add_thing(to->thing, thing_of(m, n->is));
}

static void pass_block(Model *m, u32 b)
{
    const Block *k = &m->f->block[b];
    u32 at = m->first[b];
    for (size_t i = 0; i < k->nins; i++) {
        const Ins *n = &k->ins[i];
        if (n->op == IR_note)
            take_note(m, &m->f->note[n->imm]);
        for (u32 p = 0; p < PARTS; p++) {
            u64 *set = m->now[p].thing;
            if (n->op == IR_use)
                m->must[at][p] = lasts(m, set) || has(set, thing_of(m, n->a[0])) ||
                                 has(set, thing_of(m, n->a[1])) || has(set, thing_of(m, n->a[2]));
            if (n->dst && m->same[n->dst] == n->dst)
                set[n->dst / 64] &= ~((u64)1 << n->dst % 64);
        }
        at += n->op == IR_use;
    }
}

static bool is_phi_of(const Block *b, u32 v)
{
    for (size_t p = 0; p < b->nphi; p++)
        if (b->phi[p].dst == v)
            return true;
    return false;
}

/* The set of a part on the edge to block b from its j-th predecessor.  What the block's phis write
 * is another value afterwards; a part that is an argument is the phi, too. */
static void on_edge(Model *m, const Block *b, size_t j, const u64 *from, u64 *to)
{
    memcpy(to, from, m->words * sizeof *to);
    for (size_t p = 0; p < b->nphi; p++)
        to[b->phi[p].dst / 64] &= ~((u64)1 << b->phi[p].dst % 64);
    for (size_t p = 0; p < b->nphi; p++) {
        const Ref r = b->phi[p].arg[j];
        if (r.kind == R_VAL && m->same[r.val] == r.val && !is_phi_of(b, r.val) &&
            has(from, r.val) && m->f->value[r.val].bank == m->f->value[b->phi[p].dst].bank)
            add_thing(to, b->phi[p].dst);
    }
}

static bool same_form(const Note *a, const Note *b)
{
    return a->plus == b->plus && a->bits == b->bits && a->is_signed == b->is_signed;
}

static bool pass_edge(Model *m, u32 to, size_t j)
{
    bool changed = !m->seen[to];
    u64 *set = mem_zalloc(m->words, sizeof *set);
    for (u32 p = 0; p < PARTS; p++) {
        Fact *top = &m->top[to * PARTS + p];
        on_edge(m, &m->f->block[to], j, m->now[p].thing, set);
        if (!m->seen[to])
            top->form = m->now[p].form;
        for (size_t w = 0; w < m->words; w++) {
            const u64 old = m->seen[to] ? top->thing[w] : ~(u64)0;
            const u64 new = same_form(&top->form, &m->now[p].form) ? old &set[w] : 0;
            changed |= new != old;
            top->thing[w] = new;
        }
    }
    mem_free(set);
    m->seen[to] = true;
    return changed;
}

static void begin_block(Model *m, u32 b)
{
    for (u32 p = 0; p < PARTS; p++) {
        memcpy(m->now[p].thing, m->top[b * PARTS + p].thing, m->words * sizeof(u64));
        m->now[p].form = m->top[b * PARTS + p].form;
    }
}

static void solve(Model *m)
{
    const Func *f = m->f;
    m->seen[0] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < f->nrpo; i++) {
            const u32 b = f->rpo[i];
            const Term *t = &f->block[b].term;
            begin_block(m, b);
            pass_block(m, b);
            for (int k = 0; k < term_nsucc(t); k++) {
                const Block *to = &f->block[t->succ[k]];
                for (size_t j = 0; j < to->npred; j++)
                    if (to->pred[j] == b)
                        changed |= pass_edge(m, t->succ[k], j);
            }
        }
    }
}

static Model make_model(const Func *f)
{
    Model m = {.f = f, .words = (f->nvalue + countof(m.constant)) / 64 + 1};
    u32 uses = 0;
    m.top = mem_zalloc(f->nblock * PARTS, sizeof *m.top);
    m.seen = mem_zalloc(f->nblock, 1);
    m.same = mem_zalloc(f->nvalue, sizeof *m.same);
    m.first = mem_zalloc(f->nblock, sizeof *m.first);
    for (size_t k = 0; k < f->nblock * PARTS; k++)
        m.top[k].thing = ir_alloc(f->module, m.words * sizeof(u64));
    for (u32 p = 0; p < PARTS; p++)
        m.now[p].thing = ir_alloc(f->module, m.words * sizeof(u64));
    for (u32 v = 0; v < f->nvalue; v++)
        m.same[v] = v;
    for (size_t b = 0; b < f->nblock; b++) {
        m.first[b] = uses;
        for (size_t i = 0; i < f->block[b].nins; i++) {
            const Ins *n = &f->block[b].ins[i];
            uses += n->op == IR_use;
            if (n->op == IR_li)
                m.same[n->dst] = thing_of_constant(&m, n->a[0].val);
            if (n->op == IR_MACHINE + I_vid_v)
                m.same[n->dst] = 0;
        }
    }
    m.must = mem_zalloc(uses + 1, sizeof *m.must);
    solve(&m);
    return m;
}

static void free_model(Model *m)
{
    mem_free(m->top);
    mem_free(m->seen);
    mem_free(m->same);
    mem_free(m->first);
    mem_free(m->must);
}

/* --- in SSA ----------------------------------------------------------------------------------- */

static Shown *next_shown(Log *log)
{
    assert_true(array_grow(log->list, log->n, log->cap));
    log->list[log->n] = (Shown){.is_known = {false}};
    return &log->list[log->n++];
}

static void log_block(const Func *f, const Model *m, u32 b, u32 lane, u32 *value, Shown *now,
                      Log *log)
{
    u32 use = m->first[b];
    for (size_t i = 0; i < f->block[b].nins; i++) {
        const Ins *n = &f->block[b].ins[i];
        u32 a[3];
        for (int j = 0; j < 3; j++)
            a[j] = value_of(value, n->a[j]);
        if (n->op == IR_note) {
            const Note *note = &f->note[n->imm];
            now->is_known[note->part] = note->is.kind != R_NONE;
            now->value[note->part] = number_of(note, value_of(value, note->is));
        } else if (n->op == IR_use) {
            memcpy(now->must, m->must[use++], sizeof now->must);
            *next_shown(log) = *now;
        } else {
            value[n->dst] = compute(n, lane, a);
        }
    }
}

static void log_lane(const Func *f, const Model *m, u32 lane, Log *log)
{
    u32 *value = mem_zalloc(f->nvalue, sizeof *value), b = 0;
    Shown now = {.is_known = {false}};
    for (int steps = 0; steps < MAX_STEPS; steps++) {
        const Term *t = &f->block[b].term;
        log_block(f, m, b, lane, value, &now, log);
        if (t->kind == T_RET)
            break;
        const bool then =
            t->kind == T_JUMP || compare(t, value_of(value, t->a[0]), value_of(value, t->a[1]));
        enter(f, value, b, t->succ[then ? 0 : 1]);
        b = t->succ[then ? 0 : 1];
    }
    mem_free(value);
}

/* --- with registers --------------------------------------------------------------------------- */

/* What a note of allocated code says for a lane.  Words of argument blocks are what warprig.h has
 * for loads. */
static u32 value_at(const Warp *w, const Note *n, u32 lane)
{
    switch ((NoteKind)n->kind) {
    case NOTE_IS: return warp_read(w, n->is, lane);
    case NOTE_SCALAR_WORD: return w->sx[n->is.val];
    case NOTE_PRIVATE_WORD: return w->sv[n->is.val][lane];
    case NOTE_ARGUMENT: break;
    }
    return n->is.val ^ w->f->module->target->arguments;
}

typedef struct {
    Warp *w;
    const Note *told[PARTS];
    Log lane[LANES];
    size_t at[LANES];
    u32 seed, found, missing;
} Check;

static void check_lane(Check *c, u32 lane)
{
    assert_true(c->at[lane] < c->lane[lane].n);
    const Shown *want = &c->lane[lane].list[c->at[lane]++];
    for (u32 p = 0; p < PARTS; p++) {
        const Note *n = c->told[p];
        const bool is_known = n && (n->kind != NOTE_IS || n->is.kind != R_NONE);
        if (!is_known && want->must[p])
            fail_msg("program %u, lane %u, block %u: nothing finds part %u", c->seed, lane,
                     c->w->block, p);
        if (is_known && !want->is_known[p])
            fail_msg("program %u, lane %u, block %u: part %u is not known", c->seed, lane,
                     c->w->block, p);
        if (is_known && number_of(n, value_at(c->w, n, lane)) != want->value[p])
            fail_msg("program %u, lane %u, block %u: part %u is %08x, not %08x", c->seed, lane,
                     c->w->block, p, number_of(n, value_at(c->w, n, lane)), want->value[p]);
        c->found += is_known;
        c->missing += !is_known;
    }
}

/* Notes do not repeat that a part is where it was. */
static void take_told(Check *c, const Note *n)
{
    const Note *old = c->told[n->part];
    if (old && (n->kind == NOTE_SCALAR_WORD || n->kind == NOTE_PRIVATE_WORD || n->is.kind == R_REG))
        assert_false(old->kind == n->kind && ref_same(old->is, n->is) && same_form(old, n));
    c->told[n->part] = n;
}

/* In a block of its own each part begins anew. */
static void check_block(Check *c)
{
    Warp *w = c->w;
    const Block *k = &w->f->block[w->block];
    memset(c->told, 0, sizeof c->told);
    for (size_t i = 0; i < k->nins; i++) {
        if (k->ins[i].op == IR_note) {
            take_told(c, &w->f->note[k->ins[i].imm]);
            continue;
        }
        for (u32 lane = 0; lane < LANES && k->ins[i].op == IR_use; lane++)
            if (w->mask >> lane & 1)
                check_lane(c, lane);
        warp_instruction(w, &k->ins[i]);
    }
    if (k->term.kind == T_JUMP)
        w->block = k->term.succ[0];
    else if (k->term.kind == T_BRANCH)
        warp_branch(w, &k->term);
    else
        w->done = true;
}

static void check_warp(Check *c, const Func *f, u32 random)
{
    Warp *w = c->w = mem_zalloc(1, sizeof *w);
    assert_non_null(w);
    w->f = f;
    w->mask = (1u << LANES) - 1;
    w->random = random;
    w->x[f->module->target->arguments] = f->module->target->arguments;
    memset(c->at, 0, sizeof c->at);
    while (!w->done) {
        assert_false(w->lost);
        if (warp_join(w))
            check_block(c);
    }
    for (u32 lane = 0; lane < LANES; lane++)
        assert_int_equal(c->at[lane], c->lane[lane].n);
    mem_free(w);
}

static void allocate_with_notes(Func *f, const CcOptions *opt)
{
    f->module->opt = opt;
    leave_ssa(f);
    verify_remember(f);
    coalesce(f);
    allocate(f);
    verify_prove(f);
    if (f->module->failed)
        fail_msg("%s", f->module->mistake ? f->module->mistake : "out of memory");
}

static void check_places(u32 programs)
{
    static const CcOptions how[] = {{0}, {.max_x = 5, .max_v = 5}, {.seed = 3}};
    u32 found = 0, missing = 0;
    for (u32 seed = 1; seed <= programs; seed++) {
        Check c = {.seed = seed};
        Module *m = ir_module("test", target_find(0));
        Func *f = random_noted_program(m, seed, 8, 3, PARTS);
        f->scalar_room = seed % 2 ? WARP_STACK : 8;
        Model model = make_model(f);
        for (u32 lane = 0; lane < LANES; lane++)
            log_lane(f, &model, lane, &c.lane[lane]);
        free_model(&model);
        allocate_with_notes(f, &how[seed % countof(how)]);
        check_warp(&c, f, seed);
        for (u32 lane = 0; lane < LANES; lane++)
            mem_free(c.lane[lane].list);
        found += c.found;
        missing += c.missing;
        ir_free(m);
    }
    assert_true(found > missing);
}

static void places_are_right(void **state)
{
    (void)state;
    check_places(PROGRAMS);
}

static void some_places(void **state)
{
    (void)state;
    check_places(PROGRAMS / 40);
}

/* Scheduling moves no note past what is shown. */
static void order_of_notes(void **state)
{
    (void)state;
    for (u32 seed = 1; seed <= PROGRAMS; seed++) {
        Module *m = ir_module("test", target_find(0));
        Func *f = random_noted_program(m, seed, 8, 3, PARTS);
        Model model = make_model(f);
        Log before = {.n = 0}, after = {.n = 0};
        log_lane(f, &model, seed % LANES, &before);
        schedule(f);
        assert_false(m->failed);
        log_lane(f, &model, seed % LANES, &after);
        assert_int_equal(before.n, after.n);
        for (size_t k = 0; k < before.n; k++)
            for (u32 p = 0; p < PARTS; p++) {
                assert_int_equal(before.list[k].is_known[p], after.list[k].is_known[p]);
                assert_int_equal(before.list[k].value[p], after.list[k].value[p]);
            }
        mem_free(before.list);
        mem_free(after.list);
        free_model(&model);
        ir_free(m);
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_right),
        cmocka_unit_test(order_of_notes),
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(some_places),
    };
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
