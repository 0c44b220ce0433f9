/* unit.c -- units that compute, the two ports by which they write registers, and branches.
 *
 * A pipelined unit is a list of results with the cycles from which they may be written; it takes an
 * instruction while it has a place.  Each cycle one scalar and one vector result is written, by the
 * priority of units.
 */
#include "time/model.h"
#include <string.h>

/* --- pipes ------------------------------------------------------------------------------- */

static void pipe_push(Sm *s, u32 unit, const Flight *f, u64 at)
{
    Pipe *p = &s->pipe[unit];
    u32 i = p->n++;
    s->held |= 1u << unit;
    for (; i > 0 && p->item[i - 1].at > at; i--)
        p->item[i] = p->item[i - 1];
    p->item[i] = (Held){*f, at};
}

static void pipe_pop(Sm *s, u32 unit)
{
    Pipe *p = &s->pipe[unit];
    memmove(p->item, p->item + 1, --p->n * sizeof *p->item);
    if (!p->n)
        s->held &= ~(1u << unit);
}

static u8 pipe_places(const Machine *p, u8 unit)
{
    switch (unit) {
    case U_MUL: return (u8)(p->mul_latency < MAX_HELD ? p->mul_latency : MAX_HELD);
    case U_FPU: return (u8)(p->fma_latency < MAX_HELD ? p->fma_latency : MAX_HELD);
    case U_TC: return 2;
    default: return 1;
    }
}

/* --- writing registers ----------------------------------------------------------------------- */

static void write_registers(Sm *s, const Flight *f)
{
    Slot *w = &s->slot[f->slot];
    for (u32 k = 0; k < f->op->nresults; k++)
        for (u32 i = 0; i < f->op->result[k].count; i++) {
            const u8 n = (u8)(f->op->result[k].first + i);
            if (f->op->result[k].vector)
                w->vbusy[n >> 6] &= ~((u64)1 << (n & 63));
            else
                w->xbusy &= ~((u64)1 << (n & 63));
        }
    slot_changed(s, f->slot);
    tell_cycle(s, f, CYCLE_WRITE);
}

static bool writes_vector(const Flight *f) { return f->op->nresults && f->op->result[0].vector; }

/* the result that unit u offers to the vector port, or the scalar one; NULL: none */
static const Flight *offer(const Sm *s, u32 u, bool vector)
{
    if (u == U_LSU) {
        const Flight *f = lsu_result(s);
        return f && f->op->nresults && writes_vector(f) == vector ? f : NULL;
    }
    const Pipe *p = &s->pipe[u];
    if (!p->n || p->item[0].at > s->model->now || writes_vector(&p->item[0].flight) != vector)
        return NULL;
    return &p->item[0].flight;
}

static void take(Sm *s, u32 u)
{
    s->busy = true;
    if (u == U_LSU) {
        write_registers(s, lsu_result(s));
        lsu_written(s);
        return;
    }
    write_registers(s, &s->pipe[u].item[0].flight);
    pipe_pop(s, u);
}

void unit_write_back(Sm *s)
{
    static const u8 scalar[] = {U_SALU, U_FPU, U_LSU, U_CSR, U_SFU, U_MUL, U_VALU, U_TC, U_DMA};
    static const u8 vector[] = {U_VALU, U_FPU, U_LSU, U_SFU, U_MUL, U_TC, U_CSR, U_SALU, U_DMA};
    s->port_free[0] = s->port_free[1] = true;
    if (!s->held && !lsu_result(s))
        return;
    /* what of more rank than the LSU has a result keeps it waiting already while it reads its own
     */
    s->port_free[0] = !offer(s, U_SALU, false) && !offer(s, U_FPU, false);
    s->port_free[1] = !offer(s, U_VALU, true) && !offer(s, U_FPU, true);
    for (size_t i = 0; i < countof(scalar); i++)
        if (offer(s, scalar[i], false)) {
            take(s, scalar[i]);
            break;
        }
    for (size_t i = 0; i < countof(vector); i++)
        if (offer(s, vector[i], true)) {
            take(s, vector[i]);
            break;
        }
    for (u32 left = s->held; left; left &= left - 1) {
        const u64 at = s->pipe[__builtin_ctz(left)].item[0].at;
        sm_wake(s, at > s->model->now ? at : s->model->now + 1);
    }
}

/* --- branches ---------------------------------------------------------------------------- */

/* tells the front end; a fetch that is taken back in this cycle comes first */
static bool redirect(Sm *s, Redirect *r)
{
    if (!r->valid || r->at > s->model->now || s->replays || s->redirected)
        return false;
    Slot *w = &s->slot[r->slot];
    s->redirected = true;
    r->valid = false;
    w->branch = false;
    slot_changed(s, r->slot);
    tell_slot(s, r->slot, (CycleEvent){.kind = CYCLE_DONE, .number = r->number});
    if (r->jumps)
        front_redirect(s, r->slot, r->target);
    return true;
}

/* the divergence stack has decided: without a jump of a branch the warp goes on, else the front end
 * is told */
static void decide(Sm *s, bool taken)
{
    Redirect *r = &s->simt;
    if (!r->valid || r->at > s->model->now || taken)
        return;
    s->busy = true;
    r->valid = false;
    if (r->always || r->jumps) {
        s->vector_branch = *r;
        s->vector_branch.valid = true;
        s->vector_branch.at = s->model->now + s->model->p.vbranch_latency - 1;
        return;
    }
    s->slot[r->slot].branch = false;
    slot_changed(s, r->slot);
    tell_slot(s, r->slot, (CycleEvent){.kind = CYCLE_DONE, .number = r->number});
}

void branch_tick(Sm *s)
{
    const bool taken = s->vector_branch.valid;
    s->simt_held = s->simt.valid;
    s->redirected = false;
    s->busy |= s->scalar_branch.valid || s->vector_branch.valid || s->simt.valid;
    if (!redirect(s, &s->scalar_branch))
        redirect(s, &s->vector_branch);
    decide(s, taken);
}

/* --- taking instructions ---------------------------------------------------------------------- */

static bool is_branch(const TimeOp *op)
{
    return op->control == CONTROL_JUMP || op->control == CONTROL_JUMP_REG ||
           op->control == CONTROL_BRANCH;
}

static bool start_scalar(Sm *s, Flight *f)
{
    const bool writes = f->op->nresults || !is_branch(f->op);
    if ((is_branch(f->op) && s->scalar_branch.valid) || (writes && s->pipe[U_SALU].n))
        return false;
    if (is_branch(f->op))
        s->scalar_branch = (Redirect){.valid = true,
                                      .slot = f->slot,
                                      .jumps = f->jumps,
                                      .target = f->target,
                                      .number = f->number,
                                      .at = s->model->now + f->op->latency};
    if (writes)
        pipe_push(s, U_SALU, f, s->model->now + f->op->latency);
    return true;
}

static bool start_divergence(Sm *s, Flight *f)
{
    if (s->simt_held || s->simt.valid)
        return false;
    s->simt = (Redirect){.valid = true,
                         .always = f->op->control == CONTROL_JOIN,
                         .slot = f->slot,
                         .jumps = f->jumps,
                         .target = f->target,
                         .number = f->number,
                         .at = s->model->now + 1};
    return true;
}

/* barriers and ends go to the warp scheduler, which has one ear */
static bool start_control(Sm *s, Flight *f)
{
    if (s->redirected || s->replays)
        return false;
    s->slot[f->slot].branch = false;
    tell_cycle(s, f, CYCLE_DONE);
    warp_arrives(s, f);
    return true;
}

static bool start_special(Sm *s, Flight *f)
{
    if (s->sfu_free > s->model->now)
        return false;
    s->sfu_free = s->model->now + f->passes + 2;
    pipe_push(s, U_SFU, f, s->sfu_free);
    return true;
}

bool unit_start(Sm *s, Flight *f)
{
    switch (f->op->unit) {
    case U_SALU: return start_scalar(s, f);
    case U_SIMT: return start_divergence(s, f);
    case U_WARP: return start_control(s, f);
    case U_SFU: return start_special(s, f);
    case U_LSU: return lsu_start(s, f);
    default: break;
    }
    if (f->op->access)
        return lsu_start(s, f);
    if (s->pipe[f->op->unit].n >= pipe_places(&s->model->p, f->op->unit))
        return false;
    pipe_push(s, f->op->unit, f, s->model->now + f->op->latency);
    return true;
}
