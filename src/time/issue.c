/* issue.c -- which warp issues, the scoreboard, and the collectors that fetch operands.
 *
 * A warp is ready when no register of its next instruction waits to be written, its instruction
 * before has its operands, and no branch of it is open.  Among ready warps turns go round.  An
 * instruction then waits in a collector for its operands: every register bank gives one operand a
 * cycle, by turns, and of what they give the crossbar passes on so many to the collectors; an
 * operand that it does not pass is asked for again.  A collector does not know in the next cycle
 * yet that it was served and asks once more.
 */
#include "time/model.h"
#include <string.h>

/* cycles from the issue of a fence to that of the access after it, if it need not wait */
enum { FENCE = 10 };

/* --- the scoreboard ----------------------------------------------------------------------- */

static bool is_busy(const Slot *w, const OpRegs *r, u8 *unit)
{
    for (u32 i = 0; i < r->count; i++) {
        const u8 n = (u8)(r->first + i);
        if (r->vector ? w->vbusy[n >> 6] >> (n & 63) & 1 : w->xbusy >> (n & 63) & 1) {
            *unit = r->vector ? w->vunit[n] : w->xunit[n & 63];
            return true;
        }
    }
    return false;
}

static bool has_hazard(const Slot *w, const TimeOp *op, u8 *unit)
{
    for (u32 i = 0; i < op->nuses; i++)
        if (is_busy(w, &op->use[i], unit))
            return true;
    return false;
}

static void reserve(Slot *w, const TimeOp *op)
{
    for (u32 k = 0; k < op->nresults; k++)
        for (u32 i = 0; i < op->result[k].count; i++) {
            const u8 n = (u8)(op->result[k].first + i);
            if (op->result[k].vector) {
                w->vbusy[n >> 6] |= (u64)1 << (n & 63);
                w->vunit[n] = op->unit;
            } else if (n & 63) {
                w->xbusy |= (u64)1 << (n & 63);
                w->xunit[n & 63] = op->unit;
            }
        }
}

/* the instruction whose hazards count: the next one, or what is left in the register of the group
 * before */
static const TimeOp *looked_at(const Sm *s, const Slot *w)
{
    if (w->slow.mask)
        return w->slot[__builtin_ctz(w->slow.mask)];
    return s->model->p.refill_waits ? w->slot[0] : NULL;
}

/* why the warp does not go on; CAUSE_ISSUED: it may issue, CAUSE_REFILL: it takes the next group */
static Cause cause_of(const Sm *s, const Slot *w, u8 *unit)
{
    const TimeOp *op = looked_at(s, w);
    if (!w->active)
        return CAUSE_NO_WARP;
    if (w->waits)
        return CAUSE_BARRIER;
    if (w->branch)
        return CAUSE_DIVERGENCE;
    if (w->collecting)
        return (Cause)w->hold;
    if (op && has_hazard(w, op, unit))
        return CAUSE_SCOREBOARD;
    if (op && op->access && w->fence && (w->fence > s->model->now || w->accesses))
        return CAUSE_FENCE;
    if (w->slow.mask)
        return CAUSE_ISSUED;
    return w->nbuffer ? CAUSE_REFILL : CAUSE_ICACHE;
}

static void set_cause(Sm *s, Slot *w, Cause c, u8 unit)
{
    s->causes[w->cause]--;
    s->waits[w->cause_unit] -= w->cause == CAUSE_SCOREBOARD;
    w->cause = (u8)c;
    w->cause_unit = unit;
    s->causes[c]++;
    s->waits[unit] += c == CAUSE_SCOREBOARD;
}

void issue_leave(Sm *s, u32 k) { set_cause(s, &s->slot[k], CAUSE_NO_WARP, 0); }

static void find_cause(Sm *s, u32 k)
{
    Slot *w = &s->slot[k];
    const u64 bit = (u64)1 << k;
    u8 unit = 0;
    const Cause c = cause_of(s, w, &unit);
    const bool same = c == w->cause && unit == w->cause_unit;
    set_cause(s, w, c, unit);
    w->cause_pc = w->slow.mask ? w->slow.pc + 4 * (u32)__builtin_ctz(w->slow.mask)
                  : w->nbuffer ? w->buffer[0].pc
                               : w->pc;
    if (!same)
        tell_slot(
            s, k,
            (CycleEvent){.kind = CYCLE_WAIT, .pc = w->cause_pc, .cause = (u8)c, .unit = unit});
    s->ready = c == CAUSE_ISSUED || c == CAUSE_REFILL || c == CAUSE_ICACHE ? s->ready | bit
                                                                           : s->ready & ~bit;
}

/* fences that took their time */
static void look_at_fences(Sm *s)
{
    for (u64 m = s->fences; m; m &= m - 1) {
        const u32 k = (u32)__builtin_ctzll(m);
        if (s->slot[k].fence > s->model->now) {
            sm_wake(s, s->slot[k].fence);
            continue;
        }
        s->fences &= ~((u64)1 << k);
        slot_changed(s, k);
        s->busy = true;
    }
}

void issue_look(Sm *s)
{
    look_at_fences(s);
    for (; s->changed; s->changed &= s->changed - 1)
        find_cause(s, (u32)__builtin_ctzll(s->changed));
}

/* --- issue ----------------------------------------------------------------------------------- */

/* which of two issue slots an instruction takes where there are two */
static u32 side_of(const Sm *s, const TimeOp *op)
{
    return s->model->p.issue_units == 2 && op->unit != U_SALU && op->unit != U_CSR &&
           op->unit != U_WARP;
}

static u32 bits_of(u32 v) { return v ? 32 - (u32)__builtin_clz(v) : 0; }

/* cycles of one quotient in the divider (doc/timing.md, "Special functions") */
static u32 divide_cycles(u32 a, u32 b, bool sign, u32 base)
{
    if (!b || (sign && a == 0x80000000 && b == UINT32_MAX))
        return base - 2;
    a = sign && (i32)a < 0 ? 0 - a : a;
    b = sign && (i32)b < 0 ? 0 - b : b;
    return a < b ? base - 1 : base + bits_of(a) - bits_of(b) + 1;
}

static bool is_integer_division(const TimeOp *op, bool *sign)
{
    const u8 o = isa_insn[op->id].op;
    *sign = o == OP_div || o == OP_rem;
    return *sign || o == OP_divu || o == OP_remu;
}

static u32 source_value(const Warp *w, const TimeOp *op, u8 slot, u32 lane)
{
    for (u32 i = 0; i < op->nsources; i++)
        if (op->source[i].slot == slot)
            return op->source[i].vector ? w->v[op->source[i].reg][lane]
                                        : w->x[op->source[i].reg & 63];
    return 1;
}

/* zero, infinite or not a number: the floating-point divider is done with it at once */
static bool is_special(u32 v) { return !(v << 1) || (v >> 23 & 0xff) == 0xff; }

static u32 float_cycles(const Machine *p, const TimeOp *op, u32 x, u32 y)
{
    const bool root = isa_insn[op->id].op == OP_fsqrt;
    return is_special(x) || is_special(y) || (root && (x | y) >> 31) ? p->sfu_special
                                                                     : p->sfu_float;
}

/* cycles of the special function unit: a vector goes through it in groups of lanes, each as slow as
 * its slowest lane; groups without an active lane are left out */
static u32 sfu_cycles(const Model *m, const Warp *w, const TimeOp *op)
{
    const u32 lanes = op->vector ? m->launch->lanes : 1;
    const u32 step = lanes > m->p.sfu_groups ? lanes / m->p.sfu_groups : 1;
    bool sign;
    const bool divides = is_integer_division(op, &sign);
    u32 sum = 0;
    for (u32 g = 0; g < lanes; g += step) {
        u32 most = 0;
        for (u32 i = g; i < g + step; i++) {
            const u32 x = source_value(w, op, op->vector, i),
                      y = source_value(w, op, !op->vector, i);
            const u32 n =
                divides ? divide_cycles(x, y, sign, m->p.sfu_int) : float_cycles(&m->p, op, x, y);
            most = n > most ? n : most;
        }
        if (!op->vector || w->exec >> g & ((step < 32 ? 1u << step : 0) - 1))
            sum += most;
    }
    return sum ? sum : m->p.sfu_float;
}

static void set_jump(Flight *f, const Warp *w, const Step *st)
{
    const bool elsewhere = st->next != step_pc(st) + st->len;
    switch ((IsaControl)f->op->control) {
    case CONTROL_JUMP:
    case CONTROL_JUMP_REG: f->jumps = true; break;
    case CONTROL_JOIN: f->jumps = w->nsimt < st->depth; break;
    default: f->jumps = elsewhere; break;
    }
    f->target = st->next;
}

static bool opens_branch(const TimeOp *op)
{
    return op->control != CONTROL_NEXT && op->control != CONTROL_TRAP;
}

static void issue(Sm *s, u32 k, u32 side)
{
    Model *m = s->model;
    Slot *w = &s->slot[k];
    const u32 i = (u32)__builtin_ctz(w->slow.mask);
    Flight f = {.op = w->slot[i],
                .pc = w->slow.pc + 4 * i,
                .slot = (u8)k,
                .access = -1,
                .issued = m->now,
                .number = m->numbers++};
    book_issue(s, k, f.pc);
    if (f.op->unit == U_SFU)
        f.passes = sfu_cycles(m, w->warp, f.op);
    Step st;
    const u32 at = f.op->prefixed ? f.pc - 4 : f.pc;
    if (w->warp->pc != at || !model_step(m, w, &st)) {
        if (!w->lot->faulted) /* an observer sent the warp elsewhere */
            front_redirect(s, k, w->warp->pc);
        return;
    }
    f.exec = st.exec;
    set_jump(&f, w->warp, &st);
    if (f.op->access) {
        w->fence = 0;
        f.access = lsu_take(s);
        access_lines(s, &st, &s->access[f.access]);
    }
    w->slow.mask &= (u8)(w->slow.mask - 1);
    w->branch = opens_branch(f.op);
    if (st.pc != at) { /* an observer did, in between */
        front_redirect(s, k, st.next);
        f.jumps = true;
    }
    if (f.op->fence) {
        w->fence = s->model->now + FENCE;
        s->fences |= (u64)1 << k;
    }
    w->collecting = true;
    w->hold = CAUSE_OPERANDS;
    reserve(w, f.op);
    s->stage[side].valid = true;
    s->stage[side].flight = f;
    tell_cycle(s, &f, CYCLE_ISSUE);
    slot_changed(s, k);
    s->busy = true;
}

/* gives each issue slot to a warp; how many were used */
static u32 issue_some(Sm *s)
{
    const u32 sides = s->model->p.issue_units;
    u32 n = 0;
    u64 can[2] = {0};
    for (u64 left = s->ready; left; left &= left - 1) {
        const u32 k = (u32)__builtin_ctzll(left);
        if (s->slot[k].cause == CAUSE_ISSUED)
            can[side_of(s, looked_at(s, &s->slot[k]))] |= (u64)1 << k;
    }
    for (u32 side = 0; side < sides; side++) {
        if (!can[side] || s->stage[side].valid)
            continue;
        const u64 after = can[side] & ~(u64)0 << s->turn[side];
        const u32 k = (u32)__builtin_ctzll(after ? after : can[side]);
        s->turn[side] = (k + 1) % s->nwarps;
        n++;
        issue(s, k, side);
    }
    return n;
}

/* the next group moves from the buffer to the register that hands out its instructions */
static void refill(Sm *s, u32 k)
{
    Slot *w = &s->slot[k];
    w->slow = w->buffer[0];
    memmove(w->buffer, w->buffer + 1, --w->nbuffer * sizeof *w->buffer);
    s->filled &= ~((u64)1 << k);
    for (u32 i = 0; i < s->model->p.fetch_width; i++) {
        w->slot[i] = op_at(&s->model->ops, w->slow.pc + 4 * i, &s->model->p);
        if (w->slow.mask >> i & 1)
            tell_slot(s, k,
                      (CycleEvent){.kind = CYCLE_DECODE,
                                   .pc = w->slow.pc + 4 * i,
                                   .word = w->slot[i]->word,
                                   .hidden = w->slot[i]->hidden});
        if (w->slot[i]->hidden)
            w->slow.mask &= (u8) ~(1u << i);
    }
    slot_changed(s, k);
    s->busy = true;
}

static void refill_all(Sm *s, u64 ready)
{
    for (u64 left = ready; left; left &= left - 1) {
        const u32 k = (u32)__builtin_ctzll(left);
        const Slot *w = &s->slot[k];
        if (!w->slow.mask && w->nbuffer && w->active &&
            (w->cause == CAUSE_REFILL || !s->model->p.refill_gap))
            refill(s, k);
    }
}

/* --- collectors -------------------------------------------------------------------------- */

/* an instruction arrives in the lowest free collector of `free` */
static void enter(Sm *s, u32 side, u64 *unused)
{
    if (!s->stage[side].valid)
        return;
    s->busy = true;
    if (!*unused)
        return;
    const u32 i = (u32)__builtin_ctzll(*unused);
    Collector *c = &s->collector[i];
    *unused &= *unused - 1;
    *c = (Collector){.state = COLLECTOR_FETCHES, .flight = s->stage[side].flight};
    c->need = (1u << c->flight.op->nsources) - 1;
    s->collectors |= (u64)1 << i;
    s->stage[side].valid = false;
}

static void hold(Sm *s, u32 k, Cause why)
{
    Slot *w = &s->slot[k];
    if (w->hold == why)
        return;
    w->hold = (u8)why;
    slot_changed(s, k);
}

/* what the crossbar delivers of the grants of the cycle before */
static void deliver(Sm *s)
{
    const Machine *p = &s->model->p;
    u32 passed = 0;
    for (u32 b = 0; b < p->banks; b++)
        for (u32 v = 0; v < 2; v++) {
            Grant *g = &s->grant[b][v];
            if (!g->valid)
                continue;
            const bool passes = !p->crossbar || passed++ < p->crossbar;
            Collector *c = &s->collector[g->collector];
            c->arrives |= (u32)passes << g->source;
            hold(s, c->flight.slot, passes ? CAUSE_OPERANDS : CAUSE_CONFLICT);
            g->valid = false;
        }
    s->granted = false;
}

/* Each bank serves one of those that ask, by turns. */
static void arbitrate(Sm *s)
{
    const Machine *p = &s->model->p;
    u32 best[16][2];
    memset(best, 0xff, p->banks * sizeof *best);
    for (u64 left = s->collectors; left; left &= left - 1) {
        const u32 i = (u32)__builtin_ctzll(left);
        const Collector *c = &s->collector[i];
        if (c->state != COLLECTOR_FETCHES)
            continue;
        for (u32 want = c->need & ~c->got; want; want &= want - 1) {
            const u32 k = (u32)__builtin_ctz(want);
            const bool v = c->flight.op->source[k].vector;
            const u32 b = (c->flight.slot + c->flight.op->source[k].reg) & (p->banks - 1);
            const u32 all = p->collectors * 4, at = i * 4 + c->flight.op->source[k].slot;
            const u32 turn = s->bank_turn[b][v], distance = at < turn ? at + all - turn : at - turn;
            if (distance >= best[b][v])
                continue;
            best[b][v] = distance;
            s->grant[b][v] = (Grant){true, (u8)i, (u8)k};
            s->granted = true;
        }
    }
    for (u32 b = 0; s->granted && b < p->banks; b++)
        for (u32 v = 0; v < 2; v++)
            if (s->grant[b][v].valid)
                s->bank_turn[b][v] = (best[b][v] + s->bank_turn[b][v] + 1) % (p->collectors * 4);
}

/* hands one ready instruction of a side to its unit: the one in the lowest collector, or none */
static void start(Sm *s, u32 side)
{
    for (u64 left = s->collectors; left; left &= left - 1) {
        const u32 i = (u32)__builtin_ctzll(left);
        Collector *c = &s->collector[i];
        if (c->state != COLLECTOR_READY || side_of(s, c->flight.op) != side)
            continue;
        Slot *w = &s->slot[c->flight.slot];
        s->busy = true;
        c->flight.started = s->model->now;
        if (!unit_start(s, &c->flight)) {
            hold(s, c->flight.slot, c->flight.op->access ? CAUSE_LSU : CAUSE_OPERANDS);
            return;
        }
        tell_cycle(s, &c->flight, CYCLE_START);
        w->collecting = false;
        slot_changed(s, c->flight.slot);
        s->collectors &= ~((u64)1 << i);
        return;
    }
}

static void advance_collectors(Sm *s, u64 before)
{
    for (u64 left = s->collectors; left; left &= left - 1) {
        const u32 i = (u32)__builtin_ctzll(left);
        Collector *c = &s->collector[i];
        s->busy = true;
        if (c->state == COLLECTOR_FETCHES && (!c->need || (before >> i & 1 && c->got == c->need)))
            c->state = COLLECTOR_READY;
        c->got |= c->arrives;
        c->arrives = 0;
    }
}

u32 issue_tick(Sm *s)
{
    const Machine *p = &s->model->p;
    const u64 all = p->collectors == 64 ? ~(u64)0 : ((u64)1 << p->collectors) - 1;
    const u64 before = s->collectors, ready = s->ready;
    u64 unused = all & ~s->collectors;
    u32 n = 0;
    for (u32 side = 0; side < p->issue_units; side++)
        start(s, side);
    if (s->granted)
        deliver(s);
    if (p->refill_gap)
        refill_all(s, ready);
    for (u32 side = 0; p->issue_stage && side < p->issue_units; side++)
        enter(s, side, &unused);
    if (unused)
        n = issue_some(s);
    for (u32 side = 0; !p->issue_stage && side < p->issue_units; side++)
        enter(s, side, &unused);
    if (!p->refill_gap)
        refill_all(s, ready);
    if (s->collectors) {
        arbitrate(s);
        advance_collectors(s, before);
    }
    return n;
}
