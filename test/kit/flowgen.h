/* flowgen.h -- random structured programs of selected rows in SSA, as allocation takes them:
 * branches and loops that part lanes or not, whose scalars are uniform by construction; on request
 * with notes of the parts of a variable. */
#ifndef KIT_FLOWGEN_H
#define KIT_FLOWGEN_H
#include "test/kit/warprig.h"

/* Values that may be used where the program is being made, of bank X and of bank V. */
typedef struct {
    u32 list[2][4096], n[2];
} Scope;

typedef struct {
    Module *m;
    Func *f;
    u32 b; /* block being filled */
    u32 random;
    u32 pressure; /* how far back operands reach */
    int budget;   /* instructions to make */
    u32 parts;    /* of a variable, which notes tell of */
    Scope s;
} Gen;

static inline u32 below(Gen *g, u32 n) { return random_below(&g->random, n); }

static inline u32 declare(Gen *g, Bank bank, u32 v)
{
    const int k = bank == BANK_V;
    if (g->s.n[k] < 4096)
        g->s.list[k][g->s.n[k]++] = v;
    return v;
}

static inline Ref pick(Gen *g, Bank bank)
{
    const int k = bank == BANK_V;
    const u32 n = g->s.n[k], reach = n < g->pressure ? n : g->pressure;
    return ref_val(g->s.list[k][n - 1 - below(g, reach)]);
}

static inline u32 make(Gen *g, Bank bank, Ins i)
{
    i.dst = ir_value_in(g->f, bank);
    ir_append(g->f, g->b, &i);
    g->budget--;
    return declare(g, bank, i.dst);
}

static inline Ref constant(Gen *g)
{
    return ref_con(below(g, 2) ? below(g, 16) : below(g, 1u << 20));
}

static inline void scalar_op(Gen *g)
{
    const u16 row[] = {IR_MACHINE + I_add, IR_MACHINE + I_sub, IR_MACHINE + I_xor};
    const Ref x = pick(g, BANK_X), y = pick(g, BANK_X), z = pick(g, BANK_X);
    switch (below(g, 6)) {
    case 0: make(g, BANK_X, (Ins){.op = IR_li, .a = {constant(g)}}); break;
    case 1:
        make(g, BANK_X, (Ins){.op = IR_MACHINE + I_addi, .a = {x, ref_con(below(g, 2000))}});
        break;
    case 2: make(g, BANK_X, (Ins){.op = IR_cmov, .a = {x, y, z}}); break;
    default: make(g, BANK_X, (Ins){.op = row[below(g, 3)], .a = {x, y}});
    }
}

static inline void vector_op(Gen *g)
{
    const u16 row[] = {IR_MACHINE + I_vadd_vv, IR_MACHINE + I_vsub_vv, IR_MACHINE + I_vxor_vv};
    const Ref x = pick(g, BANK_X), u = pick(g, BANK_V), v = pick(g, BANK_V), w = pick(g, BANK_V);
    switch (below(g, 7)) {
    case 0: make(g, BANK_V, (Ins){.op = IR_copy, .a = {x}}); break;
    case 1: make(g, BANK_V, (Ins){.op = IR_MACHINE + I_vid_v}); break;
    case 2: make(g, BANK_V, (Ins){.op = IR_MACHINE + I_vmacc_vv, .a = {u, v, w}}); break;
    case 3: make(g, BANK_V, (Ins){.op = IR_MACHINE + I_vadd_vx, .a = {u, x}}); break;
    default: make(g, BANK_V, (Ins){.op = row[below(g, 3)], .a = {u, v}});
    }
}

/* shows values to the outside */
static inline void show(Gen *g)
{
    const Ref a[] = {pick(g, BANK_X), pick(g, BANK_V), below(g, 2) ? pick(g, BANK_X) : ref_none()};
    ir_append(g->f, g->b, &(Ins){.op = IR_use, .a = {a[0], a[1], a[2]}});
    g->budget--;
}

/* says what a part of the variable is: a value, perhaps changed a bit, a constant, or nothing */
static inline void tell(Gen *g)
{
    Note n = {.part = below(g, g->parts), .is = below(g, 2) ? pick(g, BANK_X) : pick(g, BANK_V)};
    if (below(g, 6) == 0)
        n.is = below(g, 3) ? ref_con(below(g, 8)) : ref_none();
    if (below(g, 6) == 0) /* a word of the arguments, which come behind their base */
        n.is = ref_val(g->s.list[0][1 + below(g, 4)]);
    if (below(g, 5) == 0)
        n.plus = (i32)below(g, 50) - 25;
    if (below(g, 5) == 0)
        n.bits = (u8)(8 << below(g, 2)), n.is_signed = below(g, 2);
    ir_append(g->f, g->b, &(Ins){.op = IR_note, .imm = (i32)ir_note(g->f, n)});
}

static inline void straight(Gen *g)
{
    for (u32 n = below(g, 12); n-- > 0;) {
        if (g->parts && below(g, 2))
            tell(g);
        if (below(g, 5) == 0)
            show(g);
        else if (below(g, 2))
            scalar_op(g);
        else
            vector_op(g);
    }
}

static inline void branch(Gen *g, bool divergent, u32 then, u32 otherwise)
{
    const Bank bank = divergent ? BANK_V : BANK_X;
    const Ref x = pick(g, bank), y = pick(g, bank);
    ir_branch(g->f, g->b, (Cmp)below(g, 6), x, y, then, otherwise, 0);
    g->f->block[g->b].term.divergent = divergent;
}

/* a phi of block b, once its predecessors are known */
static inline void phi(Gen *g, u32 b, Bank bank, const Ref *arg)
{
    const u32 v = ir_value_in(g->f, bank);
    Phi *p = ir_phi(g->f, b, v);
    for (size_t k = 0; k < g->f->block[b].npred; k++)
        p->arg[k] = arg[k];
    declare(g, bank, v);
}

static inline void region(Gen *g, int depth);

/* what one way into a join brings: any value of the scope it ends with, or a constant */
static inline void offer(Gen *g, Ref *x, Ref *v, u32 n)
{
    for (u32 k = 0; k < n; k++) {
        x[k] = below(g, 6) ? pick(g, BANK_X) : constant(g);
        v[k] = below(g, 6) ? pick(g, below(g, 4) ? BANK_V : BANK_X) : constant(g);
    }
}

enum { PHIS = 4 };

static inline void make_if(Gen *g, int depth)
{
    const bool divergent = below(g, 2), empty = below(g, 3) == 0;
    const u32 p = g->b, a = ir_block(g->f), b = empty ? 0 : ir_block(g->f), j = ir_block(g->f);
    const Scope outer = g->s;
    Ref x[2][PHIS], v[2][PHIS];
    u32 from[2] = {p, p};
    branch(g, divergent, a, empty ? j : b);
    offer(g, x[1], v[1], PHIS);
    for (int side = 0; side < (empty ? 1 : 2); side++) {
        g->s = outer;
        g->b = side ? b : a;
        region(g, depth - 1);
        offer(g, x[side], v[side], PHIS);
        from[side] = g->b;
        ir_jump(g->f, g->b, j);
    }
    g->s = outer;
    g->b = j;
    graph_preds(g->f);
    const int first = g->f->block[j].pred[0] == from[0] ? 0 : 1;
    for (u32 n = below(g, PHIS + 1); n-- > 0;) {
        if (!divergent)
            phi(g, j, BANK_X, (Ref[]){x[first][n], x[!first][n]});
        phi(g, j, BANK_V, (Ref[]){v[first][n], v[!first][n]});
    }
}

/* A loop of a few rounds, left in the middle or at its end, by all lanes at a time or not;
 * in the latter case the scalars of the loop stay inside. */
static inline void make_loop(Gen *g, int depth)
{
    const bool divergent = below(g, 2), extra = below(g, 2);
    const u32 p = g->b, h = ir_block(g->f), latch = ir_block(g->f), out = ir_block(g->f);
    const Bank bank = divergent ? BANK_V : BANK_X;
    Ref x[PHIS], v[PHIS], xn[PHIS], vn[PHIS];
    offer(g, x, v, PHIS);
    const u32 count = make(g, bank,
                           divergent ? (Ins){.op = IR_MACHINE + I_vid_v}
                                     : (Ins){.op = IR_li, .a = {ref_con(below(g, 3))}});
    const u32 end = make(g, BANK_X, (Ins){.op = IR_li, .a = {ref_con(3)}});
    const u32 limit = divergent ? make(g, BANK_V, (Ins){.op = IR_copy, .a = {ref_val(end)}}) : end;
    const u32 one = make(g, BANK_X, (Ins){.op = IR_li, .a = {ref_con(1)}});
    ir_jump(g->f, p, h);
    const Scope outer = g->s;
    /* predecessors of h: p and latch, ascending */
    const u32 np = PHIS;
    u32 px[PHIS], pv[PHIS];
    const u32 round = declare(g, bank, ir_value_in(g->f, bank));
    for (u32 k = 0; k < np; k++) {
        px[k] = declare(g, BANK_X, ir_value_in(g->f, BANK_X));
        pv[k] = declare(g, BANK_V, ir_value_in(g->f, BANK_V));
    }
    g->b = h;
    region(g, depth - 1);
    if (extra) {
        const u32 go_on = ir_block(g->f);
        branch(g, divergent, out, go_on);
        g->b = go_on;
        region(g, depth - 2);
    }
    ir_jump(g->f, g->b, latch);
    g->b = latch;
    const u32 next = make(g, bank,
                          (Ins){.op = (u16)(IR_MACHINE + (divergent ? I_vadd_vx : I_add)),
                                .a = {ref_val(round), ref_val(one)}});
    offer(g, xn, vn, PHIS);
    ir_branch(g->f, latch, CMP_lt, ref_val(next), ref_val(limit), h, out, 0);
    g->f->block[latch].term.divergent = divergent;
    graph_preds(g->f);
    ir_phi(g->f, h, round)->arg[0] = ref_val(count);
    g->f->block[h].phi[0].arg[1] = ref_val(next);
    for (u32 k = 0; k < np; k++) {
        Phi *q = ir_phi(g->f, h, px[k]);
        q->arg[0] = x[k];
        q->arg[1] = xn[k];
        q = ir_phi(g->f, h, pv[k]);
        q->arg[0] = v[k];
        q->arg[1] = vn[k];
    }
    g->s = outer;
    for (u32 k = 0; k < np; k++) {
        declare(g, BANK_V, pv[k]);
        if (!divergent)
            declare(g, BANK_X, px[k]);
    }
    g->b = out;
}

static inline void region(Gen *g, int depth)
{
    straight(g);
    for (u32 n = 1 + below(g, 2); n-- > 0 && depth > 0 && g->budget > 0;) {
        if (below(g, 3))
            make_if(g, depth);
        else
            make_loop(g, depth);
        straight(g);
    }
    show(g);
}

/* what uniform.c would find out */
static inline void mark_joins(Func *f)
{
    for (u32 b = 0; b < f->nblock; b++) {
        Term *t = &f->block[b].term;
        if (t->kind != T_BRANCH || !t->divergent)
            continue;
        t->rpc = f->block[b].ipdom;
        Block *j = &f->block[t->rpc];
        j->join = true;
        for (int k = 0; k < 2; k++)
            if (ir_grow(f->module, j->other, j->nother, j->capother))
                j->other[j->nother++] = t->succ[k];
    }
}

/* Words of the argument block, and notes of all parts. */
static inline void begin_parts(Gen *g)
{
    Func *f = g->f;
    const Ref arguments = ref_reg(f->module->target->arguments);
    const Ref base = ref_val(make(g, BANK_X, (Ins){.op = IR_copy, .a = {arguments}}));
    Ins load = {.op = IR_MACHINE + I_lw, .width = 4, .space = IN_CONST};
    for (u32 k = 0; k < 4; k++) {
        load.a[0] = ref_con(4 * k), load.a[1] = base;
        make(g, BANK_X, load);
    }
    if (ir_grow(f->module, f->variable, f->nvariable, f->capvariable))
        f->variable[f->nvariable++] = (SourceVariable){.name = "v", .slot = NO_SLOT};
    for (u32 k = 0; k < g->parts; k++) {
        if (ir_grow(f->module, f->part, f->npart, f->cappart))
            f->part[f->npart++] = (SourcePart){0, 4 * k, 4};
        const u32 note = ir_note(f, (Note){.part = k, .is = ref_con(k)});
        ir_append(f, g->b, &(Ins){.op = IR_note, .imm = (i32)note});
    }
}

/* parts: of a variable whose parts have notes, 0: there are none */
static inline Func *random_noted_program(Module *m, u32 seed, u32 pressure, int depth, u32 parts)
{
    Gen *g = mem_zalloc(1, sizeof *g);
    assert_non_null(g);
    g->m = m;
    g->f = ir_func(m, "f", true);
    g->b = ir_block(g->f);
    g->random = seed * 2654435761u + 17;
    g->pressure = pressure;
    g->budget = 600;
    g->parts = parts;
    if (parts)
        begin_parts(g);
    for (u32 k = 0; k < 3 + pressure; k++) {
        make(g, BANK_X, (Ins){.op = IR_li, .a = {constant(g)}});
        make(g, BANK_V, (Ins){.op = IR_MACHINE + I_vid_v});
        scalar_op(g);
        vector_op(g);
    }
    const Scope start = g->s;
    region(g, depth);
    for (u32 k = 0; pressure > 64 && k < start.n[0] && k < start.n[1]; k++)
        ir_append(
            g->f, g->b,
            &(Ins){.op = IR_use, .a = {ref_val(start.list[0][k]), ref_val(start.list[1][k])}});
    ir_ret(g->f, g->b);
    Func *f = g->f;
    mem_free(g);
    graph_build(f);
    mark_joins(f);
    assert_false(m->failed);
    return f;
}

static inline Func *random_program(Module *m, u32 seed, u32 pressure, int depth)
{
    return random_noted_program(m, seed, pressure, depth, 0);
}

/* Calls here and there: an argument, a result that is shown. */
static inline void add_calls(Func *f, u32 random)
{
    const u32 callee = ir_sym(f->module, "g", SYM_EXTERN);
    u32 given = 0;
    for (size_t i = 0; !given; i++)
        if (f->value[f->block[0].ins[i].dst].bank == BANK_V)
            given = f->block[0].ins[i].dst;
    for (u32 b = 1; b < f->nblock; b++) {
        if (random_below(&random, 4))
            continue;
        const size_t at = random_below(&random, (u32)f->block[b].nins + 1);
        const u32 result = ir_value_in(f, BANK_V);
        const Ins list[] = {{.op = IR_copy, .reg = 1 + V0, .a = {ref_val(given)}},
                            {.op = IR_call, .imm = 1, .a = {ref_sym(callee)}},
                            {.op = IR_copy, .dst = result, .a = {ref_reg(V0)}},
                            {.op = IR_use, .a = {ref_val(result)}}};
        for (size_t k = 0; k < countof(list); k++)
            ir_insert(f, b, at + k, &list[k]);
        f->has_calls = true;
    }
}
#endif
