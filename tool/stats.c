/* stats.c -- counters of a run (stats.h), from the events that the simulator announces. */
#include "tool/stats.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 128, MAX_OPTIONS = 24, SHOWN_INSNS = 16 };

typedef enum { SPACE_OF_LDS, SPACE_OF_PRIVATE, SPACE_OF_REST, NSPACES } Region;

typedef struct {
    u64 warp, lane, bytes; /* instructions; accesses of lanes; bytes moved */
} Traffic;

/* counters that are printed by name, in this order */
#define COUNTERS(X)                                                                                \
    X(launches, "kernel launches")                                                                 \
    X(groups, "work-groups that ran")                                                              \
    X(warps, "warps that ran")                                                                     \
    X(insns, "warp instructions, prefixes included")                                               \
    X(prefixes, "register and immediate prefixes among them")                                      \
    X(lane_insns, "lane instructions: active lanes of vector ones, 1 for others")                  \
    X(vector_insns, "warp instructions that work on lanes")                                        \
    X(vector_slots, "lanes those could have used")                                                 \
    X(branches_taken, "scalar branches that were taken")                                           \
    X(branches_not, "scalar branches that were not")                                               \
    X(jumps, "jumps and calls")                                                                    \
    X(splits, "vector branches that divided a warp")                                               \
    X(uniform, "vector branches where all lanes went one way")                                     \
    X(joins, "join instructions")                                                                  \
    X(joins_popped, "joins that took an entry off the divergence stack")                           \
    X(stack_depth, "most entries on a divergence stack")                                           \
    X(barriers, "barriers that a work-group passed")                                               \
    X(barrier_waits, "barrier instructions of warps")                                              \
    X(coalesced_accesses, "vector loads and stores outside local and private memory")              \
    X(coalesced_lines, "lines of 128 bytes that those touched, counted per instruction")

struct Stats {
#define COUNTER(name, what) u64 name;
    COUNTERS(COUNTER)
#undef COUNTER
    u64 count[NINSN + 1], lanes[NINSN + 1]; /* by mnemonic */
    Traffic load[NSPACES], store[NSPACES], atomic[NSPACES];
    u64 scalar_loads, scalar_stores;
    u64 cycles;              /* of launches, by an engine that counts them */
    u64 timed, cycles_error; /* LaunchResult */
    double seconds;
    DrvResult last;
    bool has_engine;
    JitStats engine;
    bool has_time;
    TimeResult time;
    struct {
        char *kernel;
        LaunchResult run;
        TimeSlots slots; /* all 0: the engine does not count them */
    } * launch;
    size_t nlaunches, caplaunches;
    struct {
        char *name, *value;
    } option[MAX_OPTIONS];
    int noptions;
};

/* --- memory ------------------------------------------------------------------------- */

static Region region_of(const Warp *w, u64 addr)
{
    const Launch *l = w->group->launch;
    const u64 area = align_up((u64)l->pds_lane * l->lanes * l->warps, PAGE_SIZE);
    if (addr >= LDS_LO && addr < LDS_END)
        return SPACE_OF_LDS;
    return l->pds && addr - w->group->pds_base < area ? SPACE_OF_PRIVATE : SPACE_OF_REST;
}

/* lines that lanes touched outside of local and private memory */
static void count_lines(Stats *s, const Warp *w, const Step *step)
{
    u64 seen[4 * MAX_LANES];
    size_t n = 0;
    for (size_t i = 0; i < step->ntouched; i++) {
        const Touch *t = &step->touched[i];
        if (region_of(w, t->addr) != SPACE_OF_REST)
            continue;
        for (u64 line = t->addr / LINE; line <= (t->addr + t->size - 1) / LINE; line++) {
            size_t k = 0;
            while (k < n && seen[k] != line)
                k++;
            if (k == n && n < countof(seen))
                seen[n++] = line;
        }
    }
    s->coalesced_accesses += n > 0;
    s->coalesced_lines += n;
}

static void count_memory(Stats *s, const Warp *w, const Step *step)
{
    const bool scalar = !step->facts->lanes;
    bool used[3][NSPACES] = {{false}};
    for (size_t i = 0; i < step->ntouched; i++) {
        const Touch *t = &step->touched[i];
        const int kind = t->reads && t->writes ? 2 : t->writes;
        const Region r = region_of(w, t->addr);
        Traffic *to = &(kind == 2 ? s->atomic : kind ? s->store : s->load)[r];
        to->lane++;
        to->bytes += t->size;
        to->warp += !used[kind][r];
        used[kind][r] = true;
    }
    s->scalar_loads += scalar && step->facts->access == ACCESS_LOAD;
    s->scalar_stores += scalar && step->facts->access == ACCESS_STORE;
    if (!scalar)
        count_lines(s, w, step);
}

/* --- instructions -------------------------------------------------------------------------- */

static void count_control(Stats *s, const Warp *w, const Step *step)
{
    switch ((IsaControl)step->facts->control) {
    case CONTROL_BRANCH: {
        const bool taken = step->next != step_pc(step) + step->len;
        s->branches_taken += taken;
        s->branches_not += !taken;
        break;
    }
    case CONTROL_JUMP:
    case CONTROL_JUMP_REG: s->jumps++; break;
    case CONTROL_SPLIT:
        s->splits += w->nsimt > step->depth;
        s->uniform += w->nsimt <= step->depth;
        break;
    case CONTROL_JOIN:
        s->joins++;
        s->joins_popped += w->nsimt < step->depth;
        break;
    case CONTROL_BARRIER: s->barrier_waits++; break;
    default: break;
    }
    if (w->nsimt > s->stack_depth)
        s->stack_depth = w->nsimt;
}

static void count(Stats *s, const Warp *w, const Step *step)
{
    const bool vector = isa_is_vector(step->id);
    const u32 lanes = vector ? (u32)__builtin_popcount(step->exec) : 1, insns = step_insns(step);
    s->insns += insns;
    s->prefixes += insns - 1 + (insns == 1 && isa_is_prefix(step->id));
    s->lane_insns += lanes + insns - 1;
    s->count[step->id]++;
    s->lanes[step->id] += lanes;
    if (vector) {
        s->vector_insns++;
        s->vector_slots += w->group->launch->lanes;
    }
    count_control(s, w, step);
    count_memory(s, w, step);
}

static Verdict tell(void *self, const Event *e)
{
    Stats *s = self;
    switch (e->kind) {
    case EVENT_group_begin:
        s->groups++;
        s->warps += e->group->nwarps;
        break;
    case EVENT_insn: count(s, e->warp, e->step); break;
    case EVENT_barrier: s->barriers++; break;
    default: break;
    }
    return GO_ON;
}

Observer stats_observer(Stats *s)
{
    /* EVENT_memory: so that addresses are noted */
    return (Observer){.self = s,
                      .events = EVENT_group_begin | EVENT_insn | EVENT_memory | EVENT_barrier,
                      .tell = tell};
}

/* --- life ----------------------------------------------------------------------------- */

Stats *stats_new(void) { return mem_zalloc(1, sizeof(Stats)); }

void stats_free(Stats *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->noptions; i++) {
        mem_free(s->option[i].name);
        mem_free(s->option[i].value);
    }
    for (size_t i = 0; i < s->nlaunches; i++)
        mem_free(s->launch[i].kernel);
    mem_free(s->launch);
    mem_free(s);
}

bool stats_launch(Stats *s, const char *kernel, const DrvResult *r, const TimeSlots *slots,
                  double seconds)
{
    if (!array_grow(s->launch, s->nlaunches, s->caplaunches) ||
        !(s->launch[s->nlaunches].kernel = mem_strdup(kernel)))
        return false;
    s->launch[s->nlaunches].slots = slots ? *slots : (TimeSlots){0};
    s->launch[s->nlaunches++].run = r->dev.run;
    s->cycles += r->dev.run.cycles;
    s->timed += r->dev.run.timed;
    s->cycles_error += r->dev.run.cycles_error;
    s->launches++;
    s->seconds += seconds;
    s->last = *r;
    return true;
}

void stats_engine(Stats *s, const JitStats *engine)
{
    s->has_engine = true;
    s->engine = *engine;
}

void stats_time(Stats *s, const TimeResult *all)
{
    s->has_time = true;
    s->time = *all;
}

bool stats_option(Stats *s, const char *name, const char *value)
{
    char *n = mem_strdup(name), *v = mem_strdup(value);
    if (s->noptions == MAX_OPTIONS || !n || !v) {
        mem_free(n);
        mem_free(v);
        return false;
    }
    s->option[s->noptions].name = n;
    s->option[s->noptions++].value = v;
    return true;
}

/* --- reports -------------------------------------------------------------------------- */

/* Receives every number of a report, in order. */
typedef void Put(void *to, const char *part, const char *name, u64 value, const char *what);

static void report_counters(const Stats *s, Put *put, void *to)
{
#define COUNTER(name, what) put(to, NULL, #name, s->name, what);
    COUNTERS(COUNTER)
#undef COUNTER
    put(to, NULL, "scalar_loads", s->scalar_loads, "loads by scalar instructions");
    put(to, NULL, "scalar_stores", s->scalar_stores, "stores by scalar instructions");
}

static void report_traffic(const Stats *s, Put *put, void *to)
{
    static const char *const space[NSPACES] = {"local", "private", "global"};
    const struct {
        const char *name;
        const Traffic *t;
    } kinds[] = {
        {"load", s->load},
        {"store", s->store},
        {"atomic", s->atomic},
    };
    for (size_t k = 0; k < countof(kinds); k++)
        for (int r = 0; r < NSPACES; r++) {
            char name[40];
            const Traffic *t = &kinds[k].t[r];
            snprintf(name, sizeof name, "%s.%s.warp", kinds[k].name, space[r]);
            put(to, "memory", name, t->warp, "instructions that touched this memory");
            snprintf(name, sizeof name, "%s.%s.lane", kinds[k].name, space[r]);
            put(to, "memory", name, t->lane, "accesses of lanes");
            snprintf(name, sizeof name, "%s.%s.bytes", kinds[k].name, space[r]);
            put(to, "memory", name, t->bytes, "bytes moved");
        }
}

static void report_units(const Stats *s, Put *put, void *to)
{
    u64 count[NUNIT] = {0}, lanes[NUNIT] = {0};
    char name[40];
    for (int i = 0; i < NINSN; i++) {
        count[isa_insn[i].unit] += s->count[i];
        lanes[isa_insn[i].unit] += s->lanes[i];
    }
    for (int u = 0; u < NUNIT; u++) {
        snprintf(name, sizeof name, "%s.warp", isa_unit_name[u]);
        put(to, "unit", name, count[u], isa_unit_text[u]);
        snprintf(name, sizeof name, "%s.lane", isa_unit_name[u]);
        put(to, "unit", name, lanes[u], isa_unit_text[u]);
    }
}

typedef struct {
    u64 count;
    int id;
} Rank;

static int by_count(const void *a, const void *b)
{
    const Rank *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return x->id - y->id;
}

/* the most frequent first; `most` of them */
static void report_insns(const Stats *s, int most, Put *put, void *to)
{
    Rank rank[NINSN];
    for (int i = 0; i < NINSN; i++)
        rank[i] = (Rank){s->count[i], i};
    qsort(rank, NINSN, sizeof *rank, by_count);
    for (int i = 0; i < NINSN && i < most && rank[i].count; i++)
        put(to, "insn", isa_insn[rank[i].id].text, rank[i].count, "warp instructions");
}

static void report_launch(const Stats *s, Put *put, void *to)
{
    const DrvResult *r = &s->last;
    put(to, "launch", "warps", r->warps, "warps of a group, last launch");
    put(to, "launch", "sgprs", r->sgprs, "scalar registers of a warp");
    put(to, "launch", "vgprs", r->vgprs, "vector registers of a warp");
    put(to, "launch", "lds", r->lds, "bytes of local memory of a group");
    put(to, "launch", "private", r->pds_lane, "bytes of private memory of a lane");
    put(to, "occupancy", "groups", r->dev.occupancy.groups, "groups resident on an SM");
    put(to, "occupancy", "warps", r->dev.occupancy.warps, "warps resident on an SM");
}

static void report_engine(const Stats *s, Put *put, void *to)
{
    const JitStats *e = &s->engine;
    if (!s->has_engine)
        return;
    put(to, "engine", "insns", e->insns, "warp instructions where host code was allowed");
    put(to, "engine", "compiled", e->compiled, "of them, in host code");
    put(to, "engine", "regions", e->regions, "pieces of host code");
    put(to, "engine", "cached", e->cached, "of them, from the disk");
    put(to, "engine", "given_up", e->given_up, "pieces that could not be made");
    put(to, "engine", "microseconds", e->nanoseconds / 1000,
        "of processor time to make the others");
}

static void report_slots(const TimeSlots *s, Put *put, void *to)
{
    for (u32 i = 0; i < NCAUSE; i++)
        if (s->cycles[i])
            put(to, "slots", time_cause_name[i], s->cycles[i], time_cause_text[i]);
    for (u32 i = 0; i < NUNIT; i++)
        if (s->unit[i])
            put(to, "scoreboard", isa_unit_name[i], s->unit[i],
                "slots of cause scoreboard whose register comes from this unit");
}

static void report_time(const Stats *s, Put *put, void *to)
{
    const TimeResult *t = &s->time;
    if (!s->has_time)
        return;
    put(to, "slots", "all", t->slots_all,
        "instructions that SMs could have issued in these cycles");
    report_slots(&t->slots, put, to);
    put(to, "dcache", "hits", t->dcache_hits, "lines that the data cache had");
    put(to, "dcache", "misses", t->dcache_misses, "lines that it asked for, or waited for");
    put(to, "dcache", "stores", t->dcache_stores, "stores that it handed on");
    put(to, "external", "reads", t->memory_reads, "lines read from memory");
    put(to, "external", "writes", t->memory_writes, "lines written to memory");
}

static const char *limit_of(const Stats *s)
{
    return s->last.dev.occupancy.limit ? s->last.dev.occupancy.limit : "none";
}

static double ratio(u64 a, u64 b) { return b ? (double)a / (double)b : 0; }

static u64 vector_lanes(const Stats *s)
{
    u64 n = 0;
    for (int i = 0; i < NINSN; i++)
        n += isa_is_vector((InsnId)i) ? s->lanes[i] : 0;
    return n;
}

static void put_text(void *to, const char *part, const char *name, u64 value, const char *what)
{
    buf_printf(to, "%s%s%s %llu # %s\n", part ? part : "", part ? "." : "", name,
               (unsigned long long)value, what);
}

/* whether some groups were not timed */
static bool is_sampled(const Stats *s) { return s->cycles && s->cycles_error; }

void stats_text(const Stats *s, Buf *out)
{
    for (int i = 0; i < s->noptions; i++)
        buf_printf(out, "option.%s %s # in force\n", s->option[i].name, s->option[i].value);
    report_counters(s, put_text, out);
    buf_printf(out, "lane_use %.4f # active lanes of vector instructions, of those there are\n",
               ratio(vector_lanes(s), s->vector_slots));
    buf_printf(out, "lines_per_access %.4f # 128-byte lines a coalesced access\n",
               ratio(s->coalesced_lines, s->coalesced_accesses));
    report_traffic(s, put_text, out);
    report_units(s, put_text, out);
    report_insns(s, SHOWN_INSNS, put_text, out);
    report_launch(s, put_text, out);
    report_engine(s, put_text, out);
    report_time(s, put_text, out);
    buf_printf(out, "occupancy.limit %s # what allows no more\n", limit_of(s));
    if (s->cycles)
        buf_printf(out, "cycles %llu # of the modelled machine, in launches\n",
                   (unsigned long long)s->cycles);
    if (is_sampled(s))
        buf_printf(out,
                   "cycles.error %llu # cycles are estimated; 95 of 100 times they are no further "
                   "off\ngroups.timed %llu # of which the counts of time are\n",
                   (unsigned long long)s->cycles_error, (unsigned long long)s->timed);
    buf_printf(out, "seconds %.6f # of the host, in launches\n", s->seconds);
}

static void put_json(void *to, const char *part, const char *name, u64 value, const char *what)
{
    json_t *o = to;
    (void)what;
    if (part) {
        json_t *inner = json_object_get(to, part);
        if (!inner)
            json_object_set_new(to, part, inner = json_object());
        o = inner;
    }
    json_object_set_new(o, name, json_integer((json_int_t)value));
}

/* one object a launch, in their order */
static json_t *launches_json(const Stats *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->nlaunches; i++) {
        json_t *o = json_object();
        json_object_set_new(o, "kernel", json_string(s->launch[i].kernel));
        json_object_set_new(o, "insns", json_integer((json_int_t)s->launch[i].run.insns));
        json_object_set_new(o, "groups", json_integer((json_int_t)s->launch[i].run.groups));
        if (s->launch[i].run.cycles)
            json_object_set_new(o, "cycles", json_integer((json_int_t)s->launch[i].run.cycles));
        if (s->launch[i].run.cycles_error)
            json_object_set_new(o, "cycles_error",
                                json_integer((json_int_t)s->launch[i].run.cycles_error));
        report_slots(&s->launch[i].slots, put_json, o);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *options_json(const Stats *s)
{
    json_t *o = json_object();
    for (int i = 0; i < s->noptions; i++)
        json_object_set_new(o, s->option[i].name, json_string(s->option[i].value));
    return o;
}

bool stats_json(const Stats *s, Buf *out)
{
    json_t *o = json_object();
    json_object_set_new(o, "options", options_json(s));
    report_counters(s, put_json, o);
    json_object_set_new(o, "lane_use", json_real(ratio(vector_lanes(s), s->vector_slots)));
    json_object_set_new(o, "lines_per_access",
                        json_real(ratio(s->coalesced_lines, s->coalesced_accesses)));
    report_traffic(s, put_json, o);
    report_units(s, put_json, o);
    report_insns(s, NINSN, put_json, o);
    report_launch(s, put_json, o);
    report_engine(s, put_json, o);
    report_time(s, put_json, o);
    json_object_set_new(json_object_get(o, "occupancy"), "limit", json_string(limit_of(s)));
    if (s->cycles)
        json_object_set_new(o, "cycles", json_integer((json_int_t)s->cycles));
    if (is_sampled(s)) {
        json_object_set_new(o, "cycles_error", json_integer((json_int_t)s->cycles_error));
        json_object_set_new(o, "timed_groups", json_integer((json_int_t)s->timed));
    }
    json_object_set_new(o, "launches_list", launches_json(s));
    json_object_set_new(o, "seconds", json_real(s->seconds));
    char *text = json_dumps(o, JSON_INDENT(2));
    json_decref(o);
    if (!text)
        return false;
    buf_printf(out, "%s\n", text);
    free(text);
    return true;
}
