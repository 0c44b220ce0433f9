/* needs.c -- what a function needs: registers, memory and stacks, with all that it calls.
 *
 * The call graph is walked once, callees first.  A function that is met again on the way
 * to itself is recursive, which OpenCL C forbids and fixed stacks cannot serve.
 */
#include "cc/code.h"

typedef enum { NEW, OPEN, DONE, BAD } State;

typedef struct {
    const Module *m;
    const Code *code;
    Resource *r;
    u8 *state; /* State of each function */
    Diag *d;
    Source src;
} Needs;

static u64 larger(u64 a, u64 b) { return a > b ? a : b; }

/* Operands have whole register numbers here; the prefixes are made later, with the words. */
static void count_registers(const Code *c, Resource *r)
{
    for (size_t i = 0; i < c->n; i++) {
        IsaFacts f;
        if (word_is_none(&c->word[i]))
            continue;
        isa_facts(&c->word[i].in, NULL, c->f->module->target->set, 0, &f);
        for (int k = 0; k < f.nregs; k++) {
            u64 *most = f.reg[k].is_vector ? &r->vgpr : &r->sgpr;
            *most = larger(*most, (u64)f.reg[k].first + f.reg[k].count);
        }
    }
}

static bool visit(Needs *n, u32 k);

/* Adds what a call needs to r, which has what its function needs without calls.  Of stacks, r keeps
 * the most that any call so far needs. */
static bool add_call(Needs *n, Resource *r, const Ref *to)
{
    const Sym *s = to->kind == R_SYM ? &n->m->sym[to->val] : NULL;
    if (!s || s->kind != SYM_FUNC) {
        r->flags |= s ? RES_UNKNOWN_CALLEE : RES_INDIRECT_CALL | RES_NO_STACK_PEAK;
        return true;
    }
    if (!visit(n, s->index))
        return false;
    const Resource *callee = &n->r[s->index];
    r->flags |= callee->flags;
    r->vgpr = larger(r->vgpr, callee->vgpr);
    r->sgpr = larger(r->sgpr, callee->sgpr);
    r->lds_stack = larger(r->lds_stack, callee->lds_stack);
    r->pds_stack = larger(r->pds_stack, callee->pds_stack);
    return true;
}

static bool add_calls(Needs *n, Resource *r, const Func *f)
{
    for (size_t i = 0; i < f->nrpo; i++) {
        const Block *b = &f->block[f->rpo[i]];
        for (size_t k = 0; k < b->nins; k++)
            if (b->ins[k].op == IR_call && !add_call(n, r, &b->ins[k].a[0]))
                return false;
    }
    return true;
}

static bool visit(Needs *n, u32 k)
{
    const Func *f = n->m->func[k];
    Resource *r = &n->r[k];
    if (n->state[k] == OPEN)
        error(n->d, &n->src, NULL, "function '%s' is recursive", f->name);
    if (n->state[k] != NEW)
        return n->state[k] == DONE;
    n->state[k] = OPEN;
    /* the start code uses no register above the one for arguments */
    *r = (Resource){.form = RES_LONG,
                    .version = 3,
                    .sgpr = f->module->target->arguments + 1,
                    .lds_static = f->lds_static};
    count_registers(&n->code[k], r);
    const bool ok = add_calls(n, r, f);
    r->lds_stack += f->frame_scalar;
    r->pds_stack += f->frame_private;
    n->state[k] = ok ? DONE : BAD;
    return ok;
}

static void check_limits(Needs *n, const Func *f, const Resource *r, u32 limit)
{
    if (r->lds_static + WARP_STACK > limit)
        error(n->d, &n->src, NULL,
              "kernel '%s' has %llu bytes of __local variables; with a warp's stack there is room "
              "for %u",
              f->name, (unsigned long long)r->lds_static,
              limit > WARP_STACK ? limit - WARP_STACK : 0);
    if (r->lds_stack > WARP_STACK)
        error(n->d, &n->src, NULL, "kernel '%s' needs %llu bytes of scalar stack; a warp has %u",
              f->name, (unsigned long long)r->lds_stack, WARP_STACK);
    if (r->pds_stack > PRIVATE_END)
        error(n->d, &n->src, NULL,
              "kernel '%s' needs %llu bytes of private memory; a work-item can have %u", f->name,
              (unsigned long long)r->pds_stack, PRIVATE_END);
}

bool needs(const Module *m, const Code *code, const CcOptions *opt, Resource *r, Diag *d)
{
    Needs n = {.m = m, .code = code, .r = r, .d = d, .src = {.name = m->name, .text = ""}};
    const u32 limit = opt && opt->lds_limit ? opt->lds_limit : ABI_LOCAL_BYTES;
    const int before = d->errors;
    n.state = mem_zalloc(m->nfunc + 1, 1);
    if (!n.state)
        error(d, &n.src, NULL, "out of memory");
    for (u32 k = 0; n.state && k < m->nfunc; k++)
        if (visit(&n, k) && m->func[k]->is_kernel)
            check_limits(&n, m->func[k], &r[k], limit);
    mem_free(n.state);
    return d->errors == before;
}
