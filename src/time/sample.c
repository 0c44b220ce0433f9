/* sample.c -- timing some groups of a launch, and what that says of the whole.
 *
 * The launch is cut into waves, as many groups as are resident at once.  The first wave and the
 * last ones, in which the machine fills and empties, are always timed.  Those between form strata
 * of neighbouring waves.  Of each stratum two waves are timed, at a place that a hash chooses: one
 * that fills caches anew, and one that is measured, from the cycle in which its first group begins
 * to that in which the group after it does.  All other groups are run by the interpreter, in no
 * time, when it would be their turn.  On a machine that runs groups alone, with cold caches, a wave
 * is a group and nothing need be filled.
 *
 * Estimate: each stratum takes its number of waves times the one that was measured.  Error: half of
 * the interval that has the true number with 95 % probability.  The variance within strata is that
 * of the differences between neighbours (Wolter, Introduction to Variance Estimation, 8.2: one unit
 * a stratum leaves no other way); OWN percent are added for what skipped groups would have left in
 * caches.
 */
#include "base/mem.h"
#include "sim/handlers.h"
#include "time/model.h"
#include <math.h>

enum { OWN = 1 };   /* percent */
enum { LEAST = 6 }; /* strata */
/* instructions of a warp at a time; of a group until it gives way to those that are timed, beside 8
 * times as many as any before it had; of its further turns, and the cycles between these */
enum { SLICE = 1 << 14, BUDGET = 1 << 18, MORE = 1 << 12, PATIENCE = 256 };

/* --- the plan ------------------------------------------------------------------------------- */

/* a number below n that depends on i alone */
static u64 pick(u64 i, u64 n)
{
    u64 x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
    return (x ^ x >> 29) % n;
}

/* groups that are resident at once */
static u64 wave_of(const Model *m)
{
    u64 n = 0;
    for (u32 i = 0; i < m->nsms; i++)
        n += m->sm[i].nlots;
    const Launch *l = m->launch;
    return l->pds_areas && !l->pds_by_group && n > l->pds_areas ? l->pds_areas : n;
}

bool sample_plan(Model *m)
{
    const u32 parts = m->opt->sample; /* in a million */
    Sampling *p = &m->sampling;
    *p = (Sampling){.timed = m->ngroups};
    p->wave = m->p.group_alone ? 1 : wave_of(m);
    const u64 timed = m->p.group_alone ? 1 : 2; /* waves of a sample */
    const u64 waves = m->ngroups / p->wave;
    if (!parts || parts >= 1000000 || waves < 3 + LEAST * timed * 2)
        return true;
    const u64 between = waves - 2;
    u64 n = (u64)((double)between * parts / 1e6 / (double)timed);
    n = n < LEAST ? LEAST : n;
    if (n * timed * 5 > between * 4)
        return true;
    if (!(p->sample = mem_zalloc(n, sizeof *p->sample)))
        return false;
    p->n = (u32)n;
    p->low = p->wave;
    p->high = (1 + between) * p->wave;
    p->timed = m->ngroups - (p->high - p->low) + n * timed * p->wave;
    for (u64 i = 0; i < n; i++) {
        const u64 begin = between * i / n, end = between * (i + 1) / n;
        Sample *s = &p->sample[i];
        s->waves = end - begin;
        s->from = p->low + (begin + pick(i, s->waves - timed + 1)) * p->wave;
        s->measured = s->from + (timed - 1) * p->wave;
        s->to = s->from + timed * p->wave;
    }
    return true;
}

static bool is_skipped(const Sampling *p, u64 group)
{
    if (!p->n || group < p->low || group >= p->high)
        return false;
    u32 i = p->now;
    while (i < p->n && group >= p->sample[i].to)
        i++;
    return i == p->n || group < p->sample[i].from;
}

void sample_began(Model *m, u64 group)
{
    Sampling *p = &m->sampling;
    while (p->now < p->n) {
        Sample *s = &p->sample[p->now];
        if (group == s->from)
            s->at[0] = m->now;
        if (group == s->measured)
            s->at[1] = m->now;
        if (group < s->to)
            return;
        s->at[2] = m->now;
        p->now++;
    }
}

/* --- groups that are skipped ------------------------------------------------------------------ */

static void begin(Model *m, Group *g, u32 area)
{
    Audience *a = m->audience;
    g->clock = &m->clock;
    group_note_accesses(g, audience_notes(a));
    g->area = area;
    group_begin(g, m->next_group);
    audience_tell(a, EVENT_group_begin, g, NULL);
    for (u32 k = 0; a->events & EVENT_warp_begin && k < g->nwarps && !g->faulted; k++)
        if (g->warps[k].state == WARP_READY)
            audience_tell(a, EVENT_warp_begin, g, &g->warps[k]);
}

static void turn(Model *m, Warp *w, u64 budget)
{
    const u64 most = m->launch->max_insns;
    const u64 left = most > w->ninsns ? most - w->ninsns : 1;
    const u64 turn = budget < SLICE ? budget : SLICE, slice = most && left < turn ? left : turn;
    if (audience_wants_each(m->audience))
        run_told(m->audience, w, slice);
    else
        m->sim->run(w, slice);
    if (w->state == WARP_DONE && !audience_wants_each(m->audience))
        audience_tell(m->audience, EVENT_warp_end, w->group, w);
    if (w->state != WARP_READY || w->group->faulted)
        return;
    group_answer(w->group);
    if (most && w->ninsns >= most)
        sim_limit(w, FAULT_ENDLESS);
    else if (model_is_late(m))
        sim_limit(w, FAULT_TIMEOUT);
    else if (model_is_stopped(m))
        sim_limit(w, FAULT_STOPPED);
}

/* a turn for each of its warps, while they have fewer than so many instructions together; false: it
 * is not over yet */
static bool run(Model *m, Group *g, u64 budget)
{
    while (!g->faulted) {
        bool ran = false;
        if (group_insns(g) >= budget)
            return false;
        for (u32 k = 0; k < g->nwarps && !g->faulted; k++)
            if (g->warps[k].state == WARP_READY) {
                turn(m, &g->warps[k], budget);
                ran = true;
            }
        if (ran)
            continue;
        if (!sim_pass_barrier(g))
            break;
        audience_tell(m->audience, EVENT_barrier, g, NULL);
    }
    return true;
}

/* Runs the groups that are not timed, up to the next one that is.  A group that does not end waits,
 * perhaps, for one that is timed and goes on then. */
SampleSkip sample_skip(Model *m)
{
    Sampling *p = &m->sampling;
    u32 area;
    while (is_skipped(p, m->next_group) && !m->result->faulted) {
        if (!p->group) {
            if (!model_area(m, &area))
                return SKIP_WAITS;
            if (!(p->group = sim_take_group(m->sim, m->launch)))
                return SKIP_FAILED;
            p->area = area;
            model_take_area(m, area);
            begin(m, p->group, area);
            p->budget = 8 * p->most + BUDGET;
            p->waited = false;
        }
        if (m->now < p->again || !run(m, p->group, p->budget)) {
            if (m->now >= p->again) {
                p->again = m->now + PATIENCE;
                p->waited = true;
                p->budget = group_insns(p->group) + MORE;
            }
            return SKIP_WAITS;
        }
        if (!p->waited && group_insns(p->group) > p->most)
            p->most = group_insns(p->group);
        model_leave_group(m, p->group);
        model_give_area(m, p->area);
        p->group = NULL;
        m->next_group++;
    }
    return SKIP_DONE;
}

/* --- the estimate ----------------------------------------------------------------------------- */

/* Student's t: two-sided 95 %, n degrees of freedom (Abramowitz and Stegun, 26.7.5) */
static double student(double n)
{
    const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z;
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n);
}

static double measured(const Sample *s, u64 wave)
{
    return (double)(s->at[2] - s->at[1]) / (double)(s->to - s->measured) * (double)wave;
}

void sample_estimate(Model *m)
{
    Sampling *p = &m->sampling;
    LaunchResult *r = m->result;
    r->timed = r->groups;
    if (!p->n)
        return;
    double sum = (double)r->cycles, variance = 0, waves = 0;
    for (u32 i = 0; i < p->n; i++) {
        const Sample *s = &p->sample[i];
        const double y = measured(s, p->wave);
        sum += (double)s->waves * y - (double)(s->at[2] - s->at[0]);
        waves += (double)s->waves;
        if (i)
            variance += (y - measured(s - 1, p->wave)) * (y - measured(s - 1, p->wave));
    }
    const double skipped = (double)(m->ngroups - p->timed), n = p->n;
    if (m->p.group_alone)
        sum += skipped * ((double)m->p.host_after - (double)m->p.host_before);
    variance /= 2 * (n - 1);
    const double spread =
        student(n - 1) * waves * sqrt(variance / n * (1 - n / waves)); /* not all was chosen */
    r->timed = p->timed;
    r->cycles = (u64)(sum + 0.5);
    r->cycles_error = (u64)ceil(spread + 0.01 * (int)OWN * skipped / (double)m->ngroups * sum);
}

void sample_close(Model *m)
{
    mem_free(m->sampling.sample);
    if (m->sampling.group)
        model_leave_group(m, m->sampling.group);
    m->sampling = (Sampling){0};
}
