/* callgraph.c -- who calls whom: the order in which functions are compiled, and the room that each
 * may take of the scalar stack.
 *
 * Callees come before their callers, so that a caller knows what they need.  Functions of a
 * cycle of calls, which needs.c refuses, and their callers come last.
 *
 * The functions of a chain of calls share the stack of a warp.  Each function gets an equal part of
 * what its callees leave: 1 / (n + 1), where n is the length of the longest chain of callers above
 * it.
 */
#include "cc/cc.h"

#define NONE UINT32_MAX

/* A function that calls another, once for each call. */
typedef struct {
    u32 caller, callee;
    u32 next; /* call of the same callee, or NONE */
} Call;

typedef struct {
    Module *m;
    Call *list; /* ascending by caller */
    size_t n, cap;
    u32 *first;     /* of each function: a call of it, or NONE */
    u32 *waits_for; /* calls of functions that are not in the order yet */
} Calls;

Func *call_target(const Module *m, const Ins *i)
{
    if (i->op != IR_call || i->a[0].kind != R_SYM || m->sym[i->a[0].val].kind != SYM_FUNC)
        return NULL;
    return m->func[m->sym[i->a[0].val].index];
}

static void collect(Calls *c, u32 caller)
{
    const Func *f = c->m->func[caller];
    for (size_t b = 0; b < f->nblock; b++)
        for (size_t i = 0; i < f->block[b].nins; i++) {
            const Func *to = call_target(c->m, &f->block[b].ins[i]);
            if (!to || !ir_grow(c->m, c->list, c->n, c->cap))
                continue;
            const u32 callee = c->m->sym[to->symbol].index;
            c->list[c->n] = (Call){caller, callee, c->first[callee]};
            c->first[callee] = (u32)c->n++;
            c->waits_for[caller]++;
        }
}

u32 *call_order(Module *m)
{
    const u32 nfunc = (u32)m->nfunc;
    u32 *order = ir_alloc(m, (nfunc + 1) * sizeof *order), n = 0;
    Calls c = {.m = m,
               .first = ir_alloc(m, (nfunc + 1) * sizeof(u32)),
               .waits_for = ir_alloc(m, (nfunc + 1) * sizeof(u32))};
    if (m->failed)
        return NULL;
    for (u32 k = 0; k < nfunc; k++)
        c.first[k] = NONE;
    for (u32 k = 0; k < nfunc; k++)
        collect(&c, k);
    /* 1. callees first */
    for (u32 k = 0; k < nfunc; k++)
        if (!c.waits_for[k])
            order[n++] = k;
    for (u32 done = 0; done < n; done++)
        for (u32 i = c.first[order[done]]; i != NONE; i = c.list[i].next)
            if (!--c.waits_for[c.list[i].caller])
                order[n++] = c.list[i].caller;
    /* 2. from callers to callees: how many are above */
    for (u32 k = n; k-- > 0;) {
        Func *f = m->func[order[k]];
        for (u32 i = c.first[order[k]]; i != NONE; i = c.list[i].next) {
            const u32 above = m->func[c.list[i].caller]->callers + 1;
            f->callers = f->callers > above ? f->callers : above;
        }
    }
    /* 3. cycles of calls, and their callers */
    for (u32 k = 0; k < nfunc; k++)
        if (c.waits_for[k])
            order[n++] = k;
    return m->failed ? NULL : order;
}

void share_scalar_stack(Func *f)
{
    u32 callees = 0;
    for (size_t b = 0; b < f->nblock; b++)
        for (size_t i = 0; i < f->block[b].nins; i++) {
            const Func *to = call_target(f->module, &f->block[b].ins[i]);
            if (to && callees < to->stack_scalar)
                callees = to->stack_scalar;
        }
    f->stack_scalar = callees;
    f->scalar_room = callees < WARP_STACK ? (WARP_STACK - callees) / (f->callers + 1) : 0;
}
