/* frame_test.c -- where slots, saved registers, spills and arguments of random functions are.
 *
 * The places are computed from the head of frame.c alone: what follows what, and how the size is
 * rounded.  The code that frame() makes is followed word by word, with sp, tp and the base of the
 * private frame as numbers; every access must be at the place of what it is for, registers that the
 * caller wants back must be stored before the body and loaded after it, and both stacks end as they
 * began.
 */
#include "test/kit/warprig.h"
#include "cc/code.h"

enum { PROGRAMS = 4000, ALIGN = 128, SP = 0x10000, TP = 0x20000, RA = 0x30000, BODY = 60 };

/* What a function has. */
typedef struct {
    Func *f;
    u32 slots, spills_x, spills_v, saved_x, saved_v, args;
    bool calls, moves, has_stack_params;
    u32 random;
} Made;

/* Where everything is; private places are bytes from the start of the frame. */
typedef struct {
    u32 slot[4], spill_v, saved_v, args, size, scalar_size, spill_x;
} Places;

static u32 pick(Made *m, u32 n) { return random_below(&m->random, n); }

/* each with a place of its own in the source: number n is of instruction n */
static void put(Made *m, Ins i)
{
    i.loc = ir_loc(m->f->module, (Loc){.line = (u32)m->f->block[0].nins + 1});
    ir_append(m->f, 0, &i);
}

/* --- functions -------------------------------------------------------------------------------- */

/* accesses of the body, in order, as it wants them */
typedef struct {
    enum {
        SPILL_X,
        RELOAD_X,
        SPILL_V,
        RELOAD_V,
        SLOT_STORE,
        SLOT_LOAD,
        SLOT_ADDRESS,
        SLOT_VECTOR,
        PARAM,
        CALL
    } what;
    u32 which, off;
} Wanted;

static void add_one(Made *m, Wanted *w)
{
    const Ref x = ref_reg(7), v = ref_reg(V0 + 3), frame = ref_reg(V0 + 32);
    Ref slot = ref_slot(w->which);
    slot.off = (i16)w->off;
    switch (w->what) {
    case SPILL_X: put(m, (Ins){.op = IR_spillx, .imm = (i32)w->which, .a = {x}}); break;
    case RELOAD_X: put(m, (Ins){.op = IR_reloadx, .imm = (i32)w->which, .reg = 7 + 1}); break;
    case SPILL_V: put(m, (Ins){.op = IR_spillv, .imm = (i32)w->which, .a = {v}}); break;
    case RELOAD_V: put(m, (Ins){.op = IR_reloadv, .imm = (i32)w->which, .reg = V0 + 3 + 1}); break;
    case SLOT_STORE: put(m, (Ins){.op = IR_MACHINE + I_vsw_v, .a = {v, slot, frame}}); break;
    case SLOT_LOAD:
        put(m, (Ins){.op = IR_MACHINE + I_vlw_v, .reg = V0 + 3 + 1, .a = {slot, frame}});
        break;
    case SLOT_ADDRESS: put(m, (Ins){.op = IR_frame, .reg = 11 + 1, .a = {slot}}); break;
    case SLOT_VECTOR: put(m, (Ins){.op = IR_vframe, .reg = V0 + 5 + 1, .a = {slot}}); break;
    case PARAM:
        put(m, (Ins){.op = IR_MACHINE + I_vlw_v,
                     .reg = V0 + 3 + 1,
                     .a = {ref_con(-4u * w->which), frame}});
        break;
    case CALL:
        put(m, (Ins){.op = IR_call, .a = {ref_sym(ir_sym(m->f->module, "g", SYM_EXTERN))}});
        break;
    }
}

static Wanted some_access(Made *m)
{
    for (;;) {
        const u32 what = pick(m, 10), off = 4 * pick(m, 3);
        if (what <= RELOAD_X && m->spills_x)
            return (Wanted){what, pick(m, m->spills_x), 0};
        if ((what == SPILL_V || what == RELOAD_V) && m->spills_v)
            return (Wanted){what, pick(m, m->spills_v), 0};
        if (what >= SLOT_STORE && what <= SLOT_VECTOR && m->slots) {
            const u32 which = pick(m, m->slots);
            return (Wanted){what, which,
                            what == SLOT_ADDRESS ? pick(m, m->f->slot[which].size) : off};
        }
        if (what == PARAM && m->has_stack_params)
            return (Wanted){PARAM, pick(m, 3), 0};
        if (what == CALL && m->calls)
            return (Wanted){CALL, 0, 0};
        if (!m->spills_x && !m->spills_v && !m->slots && !m->has_stack_params && !m->calls)
            return (Wanted){CALL, 1, 0};
    }
}

static Made make_function(Module *module, u32 seed, Wanted *wanted, u32 *nwanted)
{
    Made m = {.f = ir_func(module, "f", seed % 2), .random = seed * 2654435761u};
    Func *f = m.f;
    ir_block(f);
    m.calls = pick(&m, 2);
    m.moves = m.calls || !f->is_kernel;
    m.slots = pick(&m, 4);
    for (u32 k = 0; k < m.slots; k++)
        ir_slot(f, 12 + pick(&m, pick(&m, 3) ? 40 : 3000), 4u << pick(&m, 6));
    m.spills_x = pick(&m, 3) ? pick(&m, 6) : 0;
    m.spills_v = pick(&m, 3) ? pick(&m, pick(&m, 3) ? 8 : 700) : 0;
    f->max_args = m.args = m.calls ? pick(&m, 3) : 0;
    m.has_stack_params = !f->is_kernel && pick(&m, 2);
    f->nparams = m.has_stack_params ? 40 : 3;
    m.saved_x = pick(&m, 4);
    m.saved_v = pick(&m, 4);
    for (u32 k = 0; k < m.saved_x; k++)
        put(&m, (Ins){.op = IR_li, .reg = 18 + k + 1, .a = {ref_con(k)}});
    for (u32 k = 0; k < m.saved_v; k++)
        put(&m, (Ins){.op = IR_MACHINE + I_vid_v, .reg = V0 + 33 + k + 1});
    *nwanted = 0;
    /* the last words, so that there are as many as it says */
    if (m.spills_x)
        wanted[(*nwanted)++] = (Wanted){SPILL_X, m.spills_x - 1, 0};
    if (m.spills_v)
        wanted[(*nwanted)++] = (Wanted){RELOAD_V, m.spills_v - 1, 0};
    if (m.calls)
        wanted[(*nwanted)++] = (Wanted){CALL, 0, 0};
    while (*nwanted < BODY) {
        const Wanted w = some_access(&m);
        if (w.what == CALL && w.which)
            break;
        wanted[(*nwanted)++] = w;
    }
    for (u32 k = 0; k < *nwanted; k++)
        add_one(&m, &wanted[k]);
    ir_ret(f, 0);
    f->block[0].term.loc = ir_loc(module, (Loc){.line = 1000});
    graph_build(f);
    return m;
}

/* --- the rule --------------------------------------------------------------------------------- */

static u32 up(u32 n, u32 to) { return (n + to - 1) / to * to; }

static u32 place_slots(const Made *m, Places *p, u32 at)
{
    for (u32 k = 0; k < m->slots; k++) {
        at = p->slot[k] = up(at, m->f->slot[k].align);
        at += m->f->slot[k].size;
    }
    return up(at, 4);
}

/* a kernel has it in a register */
static u32 keeps_ra(const Made *m) { return m->calls && !m->f->is_kernel; }

/* A function that moves its stacks has slots, saved registers, spills, arguments up to a multiple
 * of ALIGN; one that does not has spills, then slots, and leaves 16 bytes free.  The scalar frame:
 * ra, saved registers, spills. */
static Places place_all(const Made *m)
{
    Places p = {0};
    const bool is_kernel = m->f->is_kernel;
    const u32 saved_x = is_kernel ? 0 : m->saved_x, saved_v = is_kernel ? 0 : m->saved_v;
    const u32 first = is_kernel ? 16 : m->has_stack_params ? 4 : 0;
    p.spill_x = 4 * (keeps_ra(m) + saved_x);
    p.scalar_size = p.spill_x + 4 * m->spills_x;
    if (m->moves) {
        const u32 at = place_slots(m, &p, first);
        p.size = up(at + 4 * (saved_v + m->spills_v + m->args), ALIGN);
        p.spill_v = p.size - 4 * (m->spills_v + m->args);
        p.saved_v = p.spill_v - 4 * saved_v;
    } else {
        p.spill_v = first;
        p.size = place_slots(m, &p, first + 4 * m->spills_v);
    }
    if (!m->slots && !m->spills_v && !saved_v && !m->args)
        p.size = 0;
    return p;
}

/* --- following the code ----------------------------------------------------------------------- */

typedef struct {
    const Made *m;
    const Places *p;
    u32 x[NXREG], v32; /* v32: an address that all lanes have; UINT32_MAX: not set */
    u32 kept_x, kept_v;
} Machine;

static u32 number_of(const Machine *c, Ref r)
{
    return r.kind == R_REG && r.val < V0 ? c->x[r.val] : r.val;
}

static bool fits(u32 n) { return (i32)n >= -2048 && (i32)n < 2048; }

/* what is not an access; false: it is one */
static bool computes(Machine *c, const Ins *i)
{
    const u32 a = number_of(c, i->a[0]), b = number_of(c, i->a[1]);
    switch (i->op) {
    case IR_li: c->x[i->reg - 1] = a; return true;
    case IR_MACHINE + I_addi:
        assert_true(fits(b));
        c->x[i->reg - 1] = a + b;
        return true;
    case IR_MACHINE + I_add: /* what an immediate holds is added as one */
        assert_false(fits(i->a[0].val == 2 || i->a[0].val == 4 ? b : a));
        c->x[i->reg - 1] = a + b;
        return true;
    case IR_MACHINE + I_vmv_v_x:
        if (i->reg == V0 + 32 + 1)
            c->v32 = a;
        return i->reg == V0 + 32 + 1;
    case IR_MACHINE + I_vadd_vx:
        assert_true(i->reg == V0 + 32 + 1 && i->a[0].val == V0 + 32);
        c->v32 += b;
        return true;
    case IR_MACHINE + I_vid_v: return true;
    default: return false;
    }
}

static u32 start(const Machine *c) { return c->m->moves ? TP : 0; }

static u32 scalar_at(const Machine *c, const Ins *i, bool store)
{
    const Ref *a = store ? i->a + 1 : i->a;
    assert_true(ref_same(a[1], ref_reg(2)));
    return c->x[2] + a[0].val - SP;
}

static u32 vector_at(const Machine *c, const Ins *i, bool store)
{
    const Ref *a = store ? i->a + 1 : i->a;
    assert_true(ref_same(a[1], ref_reg(V0 + 32)));
    assert_true((i32)a[0].val >= -1024 && (i32)a[0].val < 1024);
    return c->v32 + a[0].val - start(c);
}

/* Of the prologue and epilogue: ra and saved registers. */
static void check_kept(Machine *c, const Ins *i)
{
    const bool store = i->op == IR_MACHINE + I_sw || i->op == IR_MACHINE + I_vsw_v;
    const u32 reg = store ? i->a[0].val : i->reg - 1;
    if (reg >= V0) {
        assert_in_range(reg, V0 + 33, V0 + 33 + c->m->saved_v - 1);
        assert_int_equal(vector_at(c, i, store), c->p->saved_v + 4 * (reg - V0 - 33));
        c->kept_v++;
        return;
    }
    const u32 first = 4 * keeps_ra(c->m);
    assert_int_equal(scalar_at(c, i, store), reg == 1 ? 0 : first + 4 * (reg - 18));
    assert_true(reg == 1 ? keeps_ra(c->m) : reg < 18 + c->m->saved_x);
    c->kept_x++;
}

static void check_wanted(Machine *c, const Ins *i, const Wanted *w)
{
    const Places *p = c->p;
    switch (w->what) {
    case SPILL_X:
    case RELOAD_X:
        assert_int_equal(i->op, IR_MACHINE + (w->what == SPILL_X ? I_sw : I_lw));
        assert_int_equal(scalar_at(c, i, w->what == SPILL_X), p->spill_x + 4 * w->which);
        break;
    case SPILL_V:
    case RELOAD_V:
        assert_int_equal(i->op, IR_MACHINE + (w->what == SPILL_V ? I_vsw_v : I_vlw_v));
        assert_int_equal(vector_at(c, i, w->what == SPILL_V), p->spill_v + 4 * w->which);
        break;
    case SLOT_STORE:
    case SLOT_LOAD:
        assert_int_equal(i->op, IR_MACHINE + (w->what == SLOT_STORE ? I_vsw_v : I_vlw_v));
        assert_int_equal(vector_at(c, i, w->what == SLOT_STORE), p->slot[w->which] + w->off);
        break;
    case SLOT_VECTOR:
        assert_true(i->op == IR_MACHINE + I_vmv_v_x && i->reg == V0 + 5 + 1);
        assert_int_equal(number_of(c, i->a[0]) - start(c), p->slot[w->which] + w->off);
        break;
    case PARAM: /* from the caller's tp downwards; the callee's frame begins there */
        assert_int_equal(vector_at(c, i, false), -4u * w->which);
        break;
    case CALL:
        assert_int_equal(i->op, IR_call);
        c->x[1] = 0;
        break;
    case SLOT_ADDRESS: break;
    }
}

static bool is_call(const Wanted *w, u32 k, u32 n) { return k < n && w[k].what == CALL; }

static void follow(Machine *c, const Wanted *wanted, u32 n, u32 seed)
{
    const Block *b = &c->m->f->block[0];
    u32 next = 0;
    const bool is_empty = !n && !c->m->saved_x && !c->m->saved_v;
    const u32 stores = c->m->f->is_kernel ? 0 : c->m->calls + c->m->saved_x + c->m->saved_v;
    for (size_t k = 0; k < b->nins; k++) {
        const Ins *i = &b->ins[k];
        if (i->op == IR_MACHINE + I_endprg) {
            assert_true(c->m->f->is_kernel && next == n);
            continue;
        }
        if (computes(c, i)) {
            /* an address is there once the register has it */
            if (next < n && wanted[next].what == SLOT_ADDRESS && i->reg == 11 + 1 &&
                c->x[11] - start(c) == c->p->slot[wanted[next].which] + wanted[next].off)
                next++;
            continue;
        }
        if (c->kept_x + c->kept_v < stores || (next == n && !is_call(wanted, next, n))) {
            check_kept(c, i);
            assert_int_equal(i->loc, is_empty || c->kept_x + c->kept_v > stores ? b->term.loc : 1);
            continue;
        }
        if (next == n || wanted[next].what == SLOT_ADDRESS)
            fail_msg("function %u, instruction %zu: not what comes next", seed, k);
        check_wanted(c, i, &wanted[next++]);
        assert_int_equal(i->loc, c->m->saved_x + c->m->saved_v + next);
    }
    assert_int_equal(next, n);
    assert_int_equal(c->kept_x + c->kept_v, 2 * stores);
}

static void places_of_the_rule(void **state)
{
    (void)state;
    for (u32 seed = 1; seed <= PROGRAMS; seed++) {
        Module *module = ir_module("test", target_find(0));
        Wanted wanted[BODY];
        u32 n;
        Made m = make_function(module, seed, wanted, &n);
        Func *f = m.f;
        ir_note(f, (Note){.kind = NOTE_SCALAR_WORD, .is = ref_con(2)});
        ir_note(f, (Note){.kind = NOTE_PRIVATE_WORD, .is = ref_con(3)});
        const Places p = place_all(&m);
        frame(f);
        assert_false(module->failed);
        Machine c = {.m = &m, .p = &p, .x = {[1] = RA, [2] = SP, [4] = TP}, .v32 = m.moves ? TP : UINT32_MAX};
        follow(&c, wanted, n, seed);
        assert_int_equal(f->frame_private, p.size);
        assert_int_equal(f->frame_scalar, p.scalar_size);
        for (u32 k = 0; k < m.slots; k++)
            assert_int_equal(f->slot[k].offset, p.slot[k]);
        if (f->is_kernel) /* others load it */
            assert_int_equal(c.x[1], RA);
        else { /* back at the caller's */
            assert_int_equal(c.x[2], SP);
            assert_int_equal(c.x[4], TP);
            assert_int_equal(c.v32, TP);
        }
        assert_int_equal((u32)f->note[0].is.val, p.spill_x + 8 - (m.moves ? p.scalar_size : 0));
        assert_int_equal(f->note[1].is.val, p.spill_v + 12);
        ir_free(module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(places_of_the_rule)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
