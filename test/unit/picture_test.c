/* picture_test.c -- pictures of launches: read back by readers that know only the formats, and
 * compared with what the engine told.
 */
#include "prof/picture.h"
#include "test/kit/timerig.h"
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

enum { LANES = 8, WARPS = 3, GROUPS = 5, MAX_ISSUES = 1 << 14 };

/* loads, a store, a divergent branch, a loop and a barrier */
static const char program[] = "    lui     s1, 0x90000\n"
                              "    vid.v   v1\n"
                              "    vsll.vi v2, v1, 2\n"
                              "    vadd.vx v2, v2, s1\n"
                              "    vand.vi v4, v1, 1\n"
                              "    vmv.v.i v5, 0\n"
                              "    li      s0, 3\n"
                              "1:  vlw12.v v3, 0(v2)\n"
                              "    vadd.vi v3, v3, 1\n"
                              "4:  auipc   t1, %pcrel_hi(2f)\n"
                              "    setrpc  zero, t1, %pcrel_lo(4b)\n"
                              "    vbne    v4, v5, 3f\n"
                              "    vmul.vv v3, v3, v3\n"
                              "    j       2f\n"
                              "3:  vadd.vi v3, v3, 7\n"
                              "2:  join    zero, zero, 0\n"
                              "    vsw12.v v3, 512(v2)\n"
                              "    addi    s0, s0, -1\n"
                              "    bnez    s0, 1b\n"
                              "    barrier x0, x0, 1\n"
                              "    endprg  x0, x0, x0\n";

static Machine machine;
static struct { u64 cycle; u32 pc; } issues[MAX_ISSUES];
static size_t nissues;
static u64 first_cycle;     /* of the launch */

static void record(void *self, const CycleEvent *e)
{
    (void)self;
    if (e->kind == CYCLE_LAUNCH) {
        first_cycle = e->cycle;
        return;
    }
    assert_true(nissues < MAX_ISSUES);
    issues[nissues].cycle = e->cycle;
    issues[nissues++].pc = e->pc;
}

/* launches the program on a machine, with a picture of it */
static LaunchResult draw(const char *name, const char *text, Picture *p)
{
    LaunchResult r;
    assert_true(machine_builtin(name, &machine));
    rig_load(V202, LANES, text);
    time_kind.code_changed(engine, V202, CODE_LO, TEXT_BYTES);
    rig.launch.machine = &machine;
    rig.launch.groups[0] = GROUPS;
    rig.launch.warps = WARPS;
    rig.launch.resident = 2;
    nissues = 0;
    const CycleObserver recorder = {.kinds = 1 << CYCLE_ISSUE | 1 << CYCLE_LAUNCH, .tell = record};
    CycleObserver o = picture_observer(p);
    o.next = &recorder;
    time_kind.launch(engine, &rig.launch, &(LaunchOptions){.cycles = &o}, &r);
    return r;
}

static char *text_of(FILE *f)
{
    const long size = ftell(f);
    char *text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    rewind(f);
    assert_int_equal(fread(text, 1, (size_t)size, f), size);
    fclose(f);
    return text;
}

/* --- the pipeline log ------------------------------------------------------------------ */

typedef struct {
    bool alive;
    char stage;             /* 0: between stages */
    u32 pc;
    u64 since;
} LogOp;

typedef struct {
    LogOp *op;
    size_t nops;
    u64 cycle, retired, flushed, collected;
    u64 stages[128];        /* begun, by letter */
} Log;

static LogOp *op_of(Log *l, unsigned long long id)
{
    assert_true(id < l->nops);
    assert_true(l->op[id].alive);
    return &l->op[id];
}

/* one line by the rules of the format; what it says of issues must be what was told */
static void read_line(Log *l, const char *line, u64 offset)
{
    unsigned long long id, a, b;
    char stage, text[200];
    if (sscanf(line, "C\t%llu", &a) == 1) {
        assert_true(a > 0);
        l->cycle += a;
    } else if (sscanf(line, "I\t%llu\t%llu\t%llu", &id, &a, &b) == 3) {
        assert_int_equal(id, l->nops);
        l->op = realloc(l->op, ++l->nops * sizeof *l->op);
        assert_non_null(l->op);
        l->op[id] = (LogOp){.alive = true};
    } else if (sscanf(line, "L\t%llu\t%llu\t%199[^\n]", &id, &a, text) == 3) {
        LogOp *o = op_of(l, id);
        assert_true(a <= 1);
        if (!a && !o->pc)
            o->pc = (u32)strtoul(text, NULL, 16);
    } else if (sscanf(line, "S\t%llu\t0\t%c", &id, &stage) == 2) {
        LogOp *o = op_of(l, id);
        assert_int_equal(o->stage, 0);
        o->stage = stage;
        o->since = l->cycle;
        l->stages[stage & 127]++;
        if (stage != 'C')
            return;
        assert_true(l->collected < nissues);
        assert_int_equal(issues[l->collected].pc, o->pc);
        assert_int_equal(issues[l->collected++].cycle - offset, l->cycle);
    } else if (sscanf(line, "E\t%llu\t0\t%c", &id, &stage) == 2) {
        LogOp *o = op_of(l, id);
        assert_int_equal(o->stage, stage);
        o->stage = 0;
    } else if (sscanf(line, "R\t%llu\t%llu\t%llu", &id, &a, &b) == 3) {
        LogOp *o = op_of(l, id);
        assert_int_equal(o->stage, 0);
        assert_true(b <= 1 && (b || a == l->retired));
        l->flushed += b;
        l->retired += !b;
        o->alive = false;
    } else {
        fail_msg("no line of the format: %s", line);
    }
}

static Log read_log(char *text, u64 offset)
{
    Log l = {0};
    char *p = text, *line;
    assert_string_equal(strsep(&p, "\n"), "Kanata\t0004");
    assert_string_equal(strsep(&p, "\n"), "C=\t0");
    while ((line = strsep(&p, "\n")) && *line)
        read_line(&l, line, offset);
    for (size_t i = 0; i < l.nops; i++)
        assert_false(l.op[i].alive);
    free(l.op);
    free(text);
    return l;
}

static void pipeline_says_what_was_told(void **state)
{
    (void)state;
    static const char *const names[] = {NULL, "rtl-direct", "chisel"};
    for (size_t i = 0; i < countof(names); i++) {
        FILE *f = tmpfile();
        Picture *p = pipeline_new(f, &(PictureOptions){0});
        assert_non_null(p);
        const LaunchResult r = draw(names[i], program, p);
        assert_false(r.faulted);
        assert_true(picture_free(p));
        const Log l = read_log(text_of(f), first_cycle);
        assert_int_equal(l.collected, nissues);
        assert_int_equal(l.retired, nissues);
        assert_int_equal(l.stages['X'], nissues);
        assert_true(l.stages['W'] > nissues / 2 && l.stages['W'] < nissues);
        assert_true(l.flushed > 0);
        assert_true(l.cycle + 200 > r.cycles && l.cycle <= r.cycles + 200);
    }
}

static void pipeline_of_a_part(void **state)
{
    (void)state;
    FILE *f = tmpfile(), *g = tmpfile();
    u64 at;
    Picture *p = pipeline_new(f, &(PictureOptions){.from = 200, .to = 300});
    assert_false(draw("rtl-direct", program, p).faulted);
    assert_false(picture_is_full(p, &at));
    assert_true(picture_free(p));
    char *text = text_of(f);
    assert_true(strlen(text) > 1000 && strlen(text) < 60000);
    free(text);
    p = pipeline_new(g, &(PictureOptions){.limit = 10000});
    assert_false(draw("rtl-direct", program, p).faulted);
    assert_true(picture_is_full(p, &at) && at > 0);
    assert_true(picture_free(p));
    text = text_of(g);
    assert_true(strlen(text) > 10000 && strlen(text) < 30000);
    size_t begun = 0, ended = 0;
    for (const char *c = text; (c = strchr(c, '\n')); c++) {
        begun += !strncmp(c, "\nI\t", 3);
        ended += !strncmp(c, "\nR\t", 3);
    }
    assert_true(begun > 20);
    assert_int_equal(begun, ended);
    free(text);
}

/* --- the timeline ---------------------------------------------------------------------- */

enum { TRACKS = 4096, MAX_SLICES = 1 << 14 };

typedef struct { int track; double begin, end; bool wait; } Slice;

typedef struct {
    Slice *slice;
    int n, warps, waits, groups, open, launches, counters;
    double launch;          /* cycles of the last one */
} Line;

static double number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_number(v))
        fail_msg("%s is no number", key);
    return json_number_value(v);
}

static void read_slice(Line *l, const json_t *o)
{
    const int track = (int)number(o, "pid") * 100 + (int)number(o, "tid");
    const double begin = number(o, "ts"), end = begin + number(o, "dur");
    const bool wait = json_object_get(o, "cat") != NULL;
    assert_true(track >= 0 && track < TRACKS && l->n < MAX_SLICES);
    assert_true(json_is_string(json_object_get(o, "name")));
    l->slice[l->n++] = (Slice){track, begin, end, wait};
    l->launches += track == 101;
    l->launch = track == 101 ? end - begin : l->launch;
    l->waits += wait;
    l->warps += !wait && track != 101;
}

/* Slices of a track lie beside or in each other; a warp is waiting or ready in all its cycles but
 * the first. */
static void check_slices(const Line *l)
{
    static double last[TRACKS][2];
    memset(last, 0, sizeof last);
    double waited[TRACKS] = {0};
    for (int i = 0; i < l->n; i++) { /* in the order of their ends, waits before their warp */
        const Slice *s = &l->slice[i];
        assert_true(s->begin > last[s->track][s->wait] - 0.5 && s->end >= s->begin);
        last[s->track][s->wait] = s->end;
        if (s->wait)
            waited[s->track] += s->end - s->begin;
        if (s->wait || s->track == 101)
            continue;
        const double rest = s->end - s->begin - waited[s->track];
        assert_true(rest > -0.5 && rest < 1.5);
        waited[s->track] = 0;
    }
}

static Line *read_timeline(FILE *f)
{
    Line *l = calloc(1, sizeof *l);
    char *text = text_of(f);
    json_error_t why;
    size_t i;
    json_t *o, *root = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    if (!root || !l || !(l->slice = calloc(MAX_SLICES, sizeof *l->slice)))
        fail_msg("%d: %s", why.line, why.text);
    json_array_foreach(json_object_get(root, "traceEvents"), i, o)
    {
        switch (*json_string_value(json_object_get(o, "ph"))) {
        case 'X': read_slice(l, o); break;
        case 'b': l->groups++, l->open++; break;
        case 'e': assert_true(l->open-- > 0); break;
        case 'C':
            l->counters++;
            assert_true(json_object_size(json_object_get(o, "args")) > 0);
            break;
        case 'M': break;
        default: fail_msg("event %zu is of no known kind", i);
        }
    }
    assert_int_equal(l->open, 0);
    json_decref(root);
    free(text);
    return l;
}

static void line_free(Line *l)
{
    free(l->slice);
    free(l);
}

static void timeline_says_what_was_told(void **state)
{
    (void)state;
    static const char *const names[] = {NULL, "rtl-direct", "chisel"};
    for (size_t i = 0; i < countof(names); i++) {
        FILE *f = tmpfile();
        Picture *p = timeline_new(f, &(PictureOptions){0});
        u64 cycles = 0;
        for (int turn = 0; turn < 2; turn++) {
            const LaunchResult r = draw(names[i], program, p);
            assert_false(r.faulted);
            cycles = r.cycles + machine.host_before - machine.host_after;
        }
        assert_true(picture_free(p));
        Line *l = read_timeline(f);
        assert_int_equal(l->launches, 2);
        assert_int_equal(l->groups, 2 * GROUPS);
        assert_int_equal(l->warps, 2 * GROUPS * WARPS);
        assert_true(l->waits > 2 * (int)nissues);
        assert_true(l->counters > 10);
        if (machine.group_alone) /* each group a request with ends of its own */
            cycles += (GROUPS - 1) * (machine.host_before - machine.host_after);
        assert_true((u64)(l->launch + 0.5) == cycles);
        check_slices(l);
        line_free(l);
    }
}

static void timeline_of_a_part(void **state)
{
    (void)state;
    FILE *f = tmpfile();
    u64 at;
    Picture *p = timeline_new(f, &(PictureOptions){.limit = 20000});
    assert_false(draw(NULL, program, p).faulted);
    assert_true(picture_is_full(p, &at));
    assert_true(picture_free(p));
    const long size = ftell(f);
    assert_true(size > 20000 && size < 30000);
    line_free(read_timeline(f));
}

/* --- what goes wrong --------------------------------------------------------------------- */

static void a_fault_closes_everything(void **state)
{
    (void)state;
    static const char faults[] = "    lui   s1, 0x90000\n"
                                 "    lw    t0, 0(s1)\n"
                                 "    lw    t0, 0(x0)\n"
                                 "    endprg x0, x0, x0\n";
    FILE *f = tmpfile(), *g = tmpfile();
    Picture *p = pipeline_new(f, &(PictureOptions){0}), *t = timeline_new(g, &(PictureOptions){0});
    assert_true(draw(NULL, faults, p).faulted);
    assert_true(picture_free(p));
    read_log(text_of(f), first_cycle);
    assert_true(draw(NULL, faults, t).faulted);
    assert_true(picture_free(t));
    line_free(read_timeline(g));
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    FILE *f = fopen("/dev/full", "w");
    if (!f)
        skip();
    Picture *p = timeline_new(f, &(PictureOptions){0});
    assert_false(draw(NULL, program, p).faulted);
    errno = 0;
    assert_false(picture_free(p));
    assert_int_equal(errno, ENOSPC);
    fclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipeline_says_what_was_told), cmocka_unit_test(pipeline_of_a_part),
        cmocka_unit_test(timeline_says_what_was_told), cmocka_unit_test(timeline_of_a_part),
        cmocka_unit_test(a_fault_closes_everything),   cmocka_unit_test(a_full_disk_is_reported),
    };
    return cmocka_run_group_tests_name("picture", tests, timing_set_up, timing_tear_down);
}
