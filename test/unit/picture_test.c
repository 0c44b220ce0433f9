/* picture_test.c -- pictures of launches: read back by readers that know only the formats, and
 * compared with what the engine told.
 */
#include "prof/picture.h"
#include "test/kit/leftover.h"
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

/* --- whole files, of a script of events ------------------------------------------------------  */

/* An event: cycle, SM, slot, then what the kind needs. */
#define AT(what, when, on, in, ...)                                                                \
    {                                                                                              \
        .kind = CYCLE_##what, .cycle = when, .sm = on, .slot = in, __VA_ARGS__                     \
    }

static u64 code_of(const char *text, IsaSet set)
{
    Caught c;
    const u64 word = first_word(&c, text, &(AsmOptions){.set = set});
    if (!word)
        fail_msg("%s", buf_text(&c.text));
    buf_free(&c.text);
    return word;
}

static void tell_all(Picture *p, const CycleEvent *e, size_t n)
{
    const CycleObserver o = picture_observer(p);
    for (size_t i = 0; i < n; i++)
        if (o.kinds >> e[i].kind & 1)
            o.tell(o.self, &e[i]);
        else
            fail_msg("event %zu is not wanted", i);
}

static void expect_file(FILE *f, const char *want)
{
    char *got = text_of(f);
    size_t same = 0;
    while (want[same] && want[same] == got[same])
        same++;
    if (want[same] != got[same])
        fail_msg("wanted ...%.200s\ngot ...%.200s", want + same - (same > 20 ? 20 : same),
                 got + same - (same > 20 ? 20 : same));
    free(got);
}

/* Two launches: words that are fetched twice, given up, hidden in others, without a result, of some
 * lanes, of another profile, and under way at the end. */
static size_t pipeline_script(CycleEvent *to)
{
    static const Launch first = {.set = V202, .lanes = 8}, second = {.set = V2025, .lanes = 32};
    const u32 pc = CODE_LO;
    const CycleEvent script[] = {
        AT(LAUNCH, 1000, 0, 0, .launch = &first),
        AT(WARP, 1002, 1, 2, .group = 5, .warp = 1, .launch = &first),
        AT(WARP, 1002, 0, 0, .group = 4, .warp = 0, .launch = &first),
        AT(FETCH, 1003, 1, 2, .group = 5, .warp = 1, .pc = pc, .exec = 3),
        AT(FETCH, 1004, 1, 2, .group = 5, .warp = 1, .pc = pc, .exec = 3),
        AT(FETCH, 1004, 0, 0, .group = 4, .pc = pc + 256, .exec = 2),
        AT(BUFFER, 1006, 1, 2, .pc = pc, .exec = 2),
        AT(BUFFER, 1006, 1, 2, .pc = pc, .exec = 1),
        AT(DECODE, 1007, 1, 2, .pc = pc, .word = code_of("addi t0, t0, 1", V202)),
        AT(ISSUE, 1008, 1, 2, .pc = pc, .number = 77, .exec = 0xff, .unit = U_SALU,
           .launch = &first),
        AT(DECODE, 1008, 1, 2, .pc = pc + 4, .word = code_of("regext zero, zero, 9", V202),
           .hidden = true),
        AT(START, 1009, 1, 2, .number = 77),
        AT(WRITE, 1011, 1, 2, .number = 77),
        AT(DROP, 1012, 0, 0, .pc = pc),
        AT(FETCH, 1012, 0, 0, .group = 4, .pc = pc + 512, .exec = 1),
        AT(BUFFER, 1013, 0, 0, .pc = pc + 512, .exec = 1),
        AT(DECODE, 1013, 0, 0, .pc = pc + 512, .word = 0x1000006f), /* a jump by 256 */
        AT(ISSUE, 1014, 0, 0, .pc = pc + 512, .number = 78, .exec = 0xa, .unit = U_SIMT,
           .launch = &first),
        AT(DONE, 1016, 0, 0, .number = 78),
        AT(FETCH, 1016, 0, 0, .group = 4, .pc = pc + 768, .exec = 1),
        AT(FETCH, 1016, 1, 2, .group = 5, .warp = 1, .pc = pc + 8, .exec = 1),
        AT(LAUNCH_END, 1020, 0, 0, .launch = &first),
        AT(LAUNCH, 5000, 0, 0, .launch = &second),
        AT(WARP, 5000, 0, 0, .group = 0, .launch = &second),
        AT(FETCH, 5001, 0, 0, .pc = pc, .exec = 1),
        AT(BUFFER, 5001, 0, 0, .pc = pc, .exec = 1),
        AT(DECODE, 5001, 0, 0, .pc = pc, .word = code_of("vadd64.vv v2, v4, v6", V2025)),
        AT(ISSUE, 5003, 0, 0, .pc = pc, .number = 79, .exec = 0x7fffffff, .unit = U_MUL,
           .launch = &second),
        AT(LAUNCH_END, 5010, 0, 0, .launch = &second),
    };
    memcpy(to, script, sizeof script);
    return countof(script);
}

static void pipeline_of_a_script(void **state)
{
    (void)state;
    CycleEvent script[40];
    const size_t n = pipeline_script(script);
    FILE *f = tmpfile();
    Picture *p = pipeline_new(f, &(PictureOptions){0});
    tell_all(p, script, n);
    assert_true(picture_free(p));
    expect_file(f, "Kanata\t0004\nC=\t0\n"
                   "C\t2\n" /* 2 */
                   "C\t1\n" /* 3: two words are asked for, once */
                   "I\t0\t0\t0\nL\t0\t0\t80000000: \nL\t0\t1\tSM 1, slot 2, group 5, warp 1\n"
                   "S\t0\t0\tF\n"
                   "I\t1\t1\t0\nL\t1\t0\t80000004: \nL\t1\t1\tSM 1, slot 2, group 5, warp 1\n"
                   "S\t1\t0\tF\n"
                   "C\t1\n" /* 4 */
                   "I\t2\t2\t1\nL\t2\t0\t80000104: \nL\t2\t1\tSM 0, slot 0, group 4, warp 0\n"
                   "S\t2\t0\tF\n"
                   "C\t2\n" /* 6 */
                   "E\t1\t0\tF\nS\t1\t0\tB\nE\t0\t0\tF\nS\t0\t0\tB\n"
                   "C\t1\n" /* 7 */
                   "L\t0\t0\taddi t0, t0, 1\nE\t0\t0\tB\nS\t0\t0\tD\n"
                   "C\t1\n" /* 8 */
                   "E\t0\t0\tD\nS\t0\t0\tC\nL\t0\t1\t, lanes ff, unit SALU\n"
                   "L\t1\t0\tregext zero, zero, 9\nE\t1\t0\tB\nS\t1\t0\tD\n"
                   "C\t1\n" /* 9: the prefix was in D to the end of 8 */
                   "E\t1\t0\tD\nR\t1\t0\t0\nE\t0\t0\tC\nS\t0\t0\tX\n"
                   "C\t2\n" /* 11 */
                   "E\t0\t0\tX\nS\t0\t0\tW\n"
                   "C\t1\n" /* 12 */
                   "E\t0\t0\tW\nR\t0\t1\t0\nE\t2\t0\tF\nR\t2\t0\t1\n"
                   "I\t3\t3\t1\nL\t3\t0\t80000200: \nL\t3\t1\tSM 0, slot 0, group 4, warp 0\n"
                   "S\t3\t0\tF\n"
                   "C\t1\n" /* 13 */
                   "E\t3\t0\tF\nS\t3\t0\tB\nL\t3\t0\tj 0x80000300\nE\t3\t0\tB\nS\t3\t0\tD\n"
                   "C\t1\n" /* 14 */
                   "E\t3\t0\tD\nS\t3\t0\tC\nL\t3\t0\t  {lanes 0a}\nL\t3\t1\t, lanes 0a, unit SIMT\n"
                   "C\t2\n" /* 16 */
                   "E\t3\t0\tC\nS\t3\t0\tX\n"
                   "I\t4\t4\t1\nL\t4\t0\t80000300: \nL\t4\t1\tSM 0, slot 0, group 4, warp 0\n"
                   "S\t4\t0\tF\n"
                   "I\t5\t5\t0\nL\t5\t0\t80000008: \nL\t5\t1\tSM 1, slot 2, group 5, warp 1\n"
                   "S\t5\t0\tF\n"
                   "C\t1\n" /* 17 */
                   "E\t3\t0\tX\nR\t3\t2\t0\n"
                   "C\t3\n" /* 20: the end, and the next launch */
                   "E\t4\t0\tF\nR\t4\t0\t1\nE\t5\t0\tF\nR\t5\t0\t1\n"
                   "C\t1\n" /* 21 */
                   "I\t6\t6\t2\nL\t6\t0\t80000000: \nL\t6\t1\tSM 0, slot 0, group 0, warp 0\n"
                   "S\t6\t0\tF\nE\t6\t0\tF\nS\t6\t0\tB\n"
                   "L\t6\t0\tvadd64.vv v2, v4, v6\nE\t6\t0\tB\nS\t6\t0\tD\n"
                   "C\t2\n" /* 23 */
                   "E\t6\t0\tD\nS\t6\t0\tC\nL\t6\t0\t  {lanes 7fffffff}\n"
                   "L\t6\t1\t, lanes 7fffffff, unit MUL\n"
                   "C\t7\n" /* 30 */
                   "E\t6\t0\tC\nR\t6\t0\t1\n"
                   "C\t1\n");
}

/* What begins in the cycles that are asked for, and before the file has so many bytes. */
static void pipeline_of_a_part_of_a_script(void **state)
{
    (void)state;
    static const struct {
        PictureOptions opt;
        const char *rows;
        u64 full_at; /* 0: it was not full */
    } part[] = {
        {{.from = 3, .to = 4}, "0 4", 0},
        {{.from = 4, .to = 5}, "0 4 104", 0},
        {{.from = 5, .to = 12}, "", 0},
        {{.from = 12}, "200 300 8 0", 0},
        {{.from = 12, .to = 17}, "200 300 8", 0},
        {{.limit = 17 + 4 + 4}, "", 3}, /* the head and two lines of cycles are there */
        {{.limit = 17 + 4 + 4 + 1}, "0", 3},
        {{.limit = 200}, "0 4 104", 12},
    };
    CycleEvent script[40];
    const size_t n = pipeline_script(script);
    for (size_t i = 0; i < countof(part); i++) {
        FILE *f = tmpfile();
        Buf rows = {0};
        u64 at;
        unsigned pc;
        Picture *p = pipeline_new(f, &part[i].opt);
        tell_all(p, script, n);
        assert_int_equal(picture_is_full(p, &at), part[i].full_at != 0);
        assert_int_equal(at, part[i].full_at);
        assert_true(picture_free(p));
        char *text = text_of(f);
        for (const char *l = text; (l = strstr(l, "\nI\t")); l++)
            if (sscanf(l + 1, "%*[^\n]\nL\t%*u\t0\t%x: ", &pc) == 1)
                buf_printf(&rows, "%s%x", rows.len ? " " : "", pc - CODE_LO);
        assert_string_equal(buf_text(&rows), part[i].rows);
        buf_free(&rows);
        free(text);
    }
}

#define HEAD                                                                                       \
    "{\"otherData\":{\"unit\":\"a cycle is shown as a microsecond\"},\"traceEvents\":[\n"          \
    "{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"device\"}}," \
    "\n"                                                                                           \
    "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":\"launches\"}}"

/* The beginning of an event in a line of its own. */
#define EVENT(kind, ts, pid, tid)                                                                  \
    ",\n{\"ph\":\"" kind "\",\"ts\":" #ts ",\"pid\":" #pid ",\"tid\":" #tid ","
#define NAME(what, pid, tid, name)                                                                 \
    EVENT("M", 0, pid, tid) "\"name\":\"" what "_name\",\"args\":{\"name\":\"" name "\"}}"
#define WAITED(ts, pid, tid, dur, name, pc)                                                        \
    EVENT("X", ts, pid, tid)                                                                       \
    "\"dur\":" #dur ",\"cat\":\"wait\",\"name\":\"" name "\",\"args\":{\"pc\":\"" pc "\"}}"
#define RAN(ts, pid, tid, dur, name)                                                               \
    EVENT("X", ts, pid, tid) "\"dur\":" #dur ",\"name\":\"" name "\"}"
#define GROUP(kind, ts, pid, id, name)                                                             \
    EVENT(kind, ts, pid, 0) "\"cat\":\"group\",\"id\":\"" id "\",\"name\":\"group " name "\"}"
#define COUNTER(ts, pid, name, values)                                                             \
    EVENT("C", ts, pid, 0) "\"name\":\"" name "\",\"args\":{" values "}}"
#define CACHE "data cache, lines in 1000 cycles"
#define LAUNCH(ts, dur, name, args)                                                                \
    EVENT("X", ts, 1, 1) "\"dur\":" #dur ",\"name\":\"" name "\",\"args\":{" args "}}"

static void tell_timeline(Picture *p)
{
    static Machine machine_of_lines;
    machine_of_lines.line = 64;
    const Launch first = {.kernel = "a\"b\\c\nd\x80~ e",
                          .machine = &machine_of_lines,
                          .groups = {2, 3, 4},
                          .warps = 5,
                          .lanes = 8},
                 second = {.groups = {1, 1, 1}, .warps = 1, .lanes = 4};
    const CycleObserver o = picture_observer(p);
    const CycleEvent begin[] = {
        AT(LAUNCH, 1000, 0, 0, .launch = &first),
        AT(GROUP, 1001, 0, 0, .group = 7),
        AT(WARP, 1002, 0, 3, .group = 7, .warp = 2),
        AT(WAIT, 1003, 0, 3, .cause = CAUSE_ICACHE, .pc = 0x80000010),
        AT(WAIT, 1007, 0, 3, .cause = CAUSE_SCOREBOARD, .unit = U_LSU, .pc = 0x80000014),
        AT(WAIT, 1009, 0, 3, .cause = CAUSE_ISSUED, .pc = 0x80000018),
        AT(WAIT, 1010, 0, 3, .cause = CAUSE_NO_WARP, .pc = 0x8000001c),
        AT(WAIT, 1012, 0, 3, .cause = CAUSE_BARRIER, .unit = U_LSU, .pc = 0x80000020),
        AT(WARP_END, 1015, 0, 3, .group = 7, .warp = 2),
        AT(WAIT, 1015, 0, 3, .cause = CAUSE_BARRIER), /* of no warp */
        AT(WARP, 1016, 2, 0, .group = 9),
        AT(GROUP, 1016, 2, 0, .group = 9),
        AT(GROUP_END, 1018, 0, 0, .group = 7),
        AT(GROUP_END, 1018, 0, 0, .group = 9), /* not of this SM */
    };
    const CycleCounters counters[] = {
        {.cycle = 1020,
         .warps = 1,
         .insns = 10,
         .hits = 3,
         .misses = 1,
         .stores = 2,
         .reads = 4,
         .writes = 2},
        {.cycle = 1020, .sm = 2, .warps = 1, .groups = 1, .reads = 9},
        {.cycle = 1040, .insns = 20, .hits = 6, .misses = 2, .stores = 5, .reads = 8, .writes = 4},
        {.cycle = 1060, .insns = 25, .hits = 9, .misses = 2, .stores = 6, .reads = 12, .writes = 7},
    };
    const CycleEvent middle[] = {AT(LAUNCH_END, 1070, 0, 0, .launch = &first),
                                 AT(LAUNCH, 9000, 0, 0, .launch = &second)};
    const CycleEvent end[] = {AT(WARP, 9001, 0, 3, .group = 0),
                              AT(WARP_END, 9003, 0, 3, .group = 0),
                              AT(LAUNCH_END, 9020, 0, 0, .launch = &second)};
    assert_true(o.period > 0);
    tell_all(p, begin, countof(begin));
    for (size_t i = 0; i < countof(counters); i++)
        o.count(o.self, &counters[i]);
    tell_all(p, middle, countof(middle));
    o.count(o.self, &(CycleCounters){.cycle = 9010, .insns = 10, .hits = 1, .reads = 1});
    tell_all(p, end, countof(end));
}

#define MEMORY "memory, bytes in 1000 cycles"
#define INSNS  "instructions in 1000 cycles"

static void expect_parts(FILE *f, const char *const *part, size_t n)
{
    Buf want = {0};
    for (size_t i = 0; i < n; i++)
        buf_str(&want, part[i]);
    expect_file(f, buf_text(&want));
    buf_free(&want);
}

static void timeline_of_a_script(void **state)
{
    (void)state;
    static const char *const want[] = {
        HEAD,
        NAME("process", 2, 0, "SM 0"),
        GROUP("b", 1, 2, "1.7", "7"),
        NAME("thread", 2, 4, "slot 3"),
        WAITED(3, 2, 4, 4, "icache", "80000010"),
        WAITED(7, 2, 4, 2, "scoreboard LSU", "80000014"),
        WAITED(9, 2, 4, 1, "ready", "80000018"),
        WAITED(12, 2, 4, 3, "barrier", "80000020"),
        RAN(2, 2, 4, 13, "group 7 warp 2"),
        NAME("thread", 4, 1, "slot 0"),
        NAME("process", 4, 0, "SM 2"),
        GROUP("b", 16, 4, "1.9", "9"),
        GROUP("e", 18, 2, "1.7", "7"),
        /* 10 instructions in 20 cycles are 500 in 1000, 4 lines of 64 bytes 12,800 bytes */
        COUNTER(0, 1, MEMORY, "\"read\":12800,\"written\":6400"),
        COUNTER(20, 2, "resident", "\"warps\":1,\"groups\":0"),
        COUNTER(0, 2, INSNS, "\"issued\":500"),
        COUNTER(0, 2, CACHE, "\"hits\":150,\"misses\":50,\"stores\":100"),
        COUNTER(20, 4, "resident", "\"warps\":1,\"groups\":1"),
        /* the rates are as before, but for stores */
        COUNTER(40, 2, "resident", "\"warps\":0,\"groups\":0"),
        COUNTER(20, 2, CACHE, "\"hits\":150,\"misses\":50,\"stores\":150"),
        COUNTER(40, 1, MEMORY, "\"read\":12800,\"written\":9600"),
        COUNTER(40, 2, INSNS, "\"issued\":250"),
        COUNTER(40, 2, CACHE, "\"hits\":150,\"misses\":0,\"stores\":50"),
        RAN(16, 4, 1, 54, "group 9 warp 0"),
        LAUNCH(0, 70, "a?b?c?d?~ e", "\"groups\":\"2,3,4\",\"warps\":5,\"lanes\":8"),
        COUNTER(70, 1, MEMORY, "\"read\":0,\"written\":0"), /* lines of no size */
        COUNTER(70, 2, INSNS, "\"issued\":1000"),
        COUNTER(70, 2, CACHE, "\"hits\":100,\"misses\":0,\"stores\":0"),
        RAN(71, 2, 4, 2, "group 0 warp 0"),
        LAUNCH(70, 20, "launch", "\"groups\":\"1,1,1\",\"warps\":1,\"lanes\":4"),
        "\n]}\n",
    };
    FILE *f = tmpfile();
    Picture *p = timeline_new(f, &(PictureOptions){0});
    tell_timeline(p);
    assert_true(picture_free(p));
    expect_parts(f, want, countof(want));
}

/* From a cycle on: what began before is not there, nor is its end. */
static void timeline_of_a_part_of_a_script(void **state)
{
    (void)state;
    static const char *const want[] = {
        HEAD,
        NAME("process", 2, 0, "SM 0"),
        NAME("thread", 4, 1, "slot 0"),
        NAME("process", 4, 0, "SM 2"),
        GROUP("b", 16, 4, "1.9", "9"),
        COUNTER(20, 2, INSNS, "\"issued\":500"),
        COUNTER(20, 2, CACHE, "\"hits\":150,\"misses\":50,\"stores\":150"),
        COUNTER(40, 1, MEMORY, "\"read\":12800,\"written\":9600"),
        COUNTER(40, 2, INSNS, "\"issued\":250"),
        COUNTER(40, 2, CACHE, "\"hits\":150,\"misses\":0,\"stores\":50"),
        RAN(16, 4, 1, 54, "group 9 warp 0"),
        "\n]}\n",
    };
    FILE *f = tmpfile();
    Picture *p = timeline_new(f, &(PictureOptions){.from = 9, .to = 41});
    tell_timeline(p);
    assert_true(picture_free(p));
    expect_parts(f, want, countof(want));
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
    /* what is written when all is done */
    f = fopen("/dev/full", "w");
    p = pipeline_new(f, &(PictureOptions){0});
    errno = 0;
    assert_false(picture_free(p));
    assert_int_equal(errno, ENOSPC);
    fclose(f);
}

int main(int argc, char **argv)
{
    (void)argc;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipeline_says_what_was_told), cmocka_unit_test(pipeline_of_a_part),
        cmocka_unit_test(timeline_says_what_was_told), cmocka_unit_test(timeline_of_a_part),
        cmocka_unit_test(a_fault_closes_everything),   cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(leaves_nothing),              cmocka_unit_test(pipeline_of_a_script),
        cmocka_unit_test(pipeline_of_a_part_of_a_script),
        cmocka_unit_test(timeline_of_a_script),
        cmocka_unit_test(timeline_of_a_part_of_a_script),
    };
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests_name("picture", tests, timing_set_up, timing_tear_down);
}
