/* jit_dump_test.c -- what host code does not do twice, or not at all, counted in the code that LLVM
 * gets or its optimiser leaves of small programs (VENTUS_JIT_DUMP): where NaNs are made canonical,
 * how often it is asked what addresses may be accessed and whether lanes are in a row, what is
 * fetched ahead, which ways LLVM is told to be rare, and where frames begin.
 */
#include "test/kit/hostrig.h"
#include <dirent.h>
#include <unistd.h>

static char scratch[] = "/tmp/jit_dump_test.XXXXXX";

static void remove_file(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    assert_int_equal(unlink(path), 0);
}

/* Blocks of a function of LLVM, by their names: how often the canonical NaN is chosen in each, and
 * which may follow. */
enum { BLOCKS = 64 };
typedef struct {
    char name[BLOCKS][32];
    u32 choices[BLOCKS], n;
    bool leads[BLOCKS][BLOCKS];
} Graph;

static u32 block_of(Graph *g, const char *name, size_t len)
{
    u32 i = 0;
    assert_true(len < sizeof g->name[0]);
    while (i < g->n && (strncmp(g->name[i], name, len) || g->name[i][len]))
        i++;
    if (i == g->n) {
        assert_true(g->n < BLOCKS);
        memcpy(g->name[g->n++], name, len);
    }
    return i;
}

static Graph read_graph(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    char path[300], text[4096];
    Graph g = {.n = 0};
    u32 at = 0;
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(text, sizeof text, f)) {
        const size_t len = strspn(text, letters);
        if (len && text[len] == ':')
            at = block_of(&g, text, len);
        for (const char *to = text; (to = strstr(to, "label %"));) {
            to += strlen("label %");
            g.leads[at][block_of(&g, to, strspn(to, letters))] = true;
        }
        g.choices[at] += strstr(text, " select ") && strstr(text, "2143289344");
    }
    fclose(f);
    for (u32 k = 0; k < g.n; k++)
        for (u32 i = 0; i < g.n; i++)
            for (u32 j = 0; j < g.n; j++)
                g.leads[i][j] |= g.leads[i][k] && g.leads[k][j];
    return g;
}

/* Choices of the canonical NaN in the code that is made of a program, on one vector of the host:
 * all, and those in loops. */
typedef struct {
    u32 all, in_loops;
} Choices;

static Choices choices(const char *text)
{
    Choices n = {UINT32_MAX, 0};
    rig_load(V202, 4, text);
    host_make((WarpShape){.full = true}, CODE_PLAIN, false);
    DIR *dir = opendir(scratch);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        if (strstr(e->d_name, ".optimised.ll") && e->d_name[0] == 'r') {
            const Graph g = read_graph(e->d_name);
            n.all = 0;
            for (u32 i = 0; i < g.n; i++) {
                n.all += g.choices[i];
                n.in_loops += g.leads[i][i] ? g.choices[i] : 0;
            }
        }
        if (e->d_name[0] != '.')
            remove_file(e->d_name);
    }
    closedir(dir);
    assert_true(n.all != UINT32_MAX);
    return n;
}

static void expect_choices(const char *text, u32 all)
{
    const Choices n = choices(text);
    if (n.all != all)
        fail_msg("%s\n%u choices, not %u", text, n.all, all);
}

/* How many there are behind a loop depends on how LLVM arranges it, but some. */
static void expect_in_loops(const char *text, u32 in_loops)
{
    const Choices n = choices(text);
    if (n.in_loops != in_loops || !n.all)
        fail_msg("%s\n%u choices, %u of them in loops, not %u", text, n.all, n.in_loops, in_loops);
}

/* Leaves the test where host code cannot be made. */
static void begin(void) { assert_true(host_open("base", V202)); }

/* --- NaNs ----------------------------------------------------------------------------------
 *
 * A float is made canonical for whoever sees its bits, and for no float operation, if every value
 * that it may have there is a number, the canonical NaN, or such a float (jit/canonical.c). */

static void in_a_block(void **state)
{
    (void)state;
    begin();
    /* only what is stored */
    expect_choices("vfadd.vv v4,v5,v6\n vfmul.vv v4,v4,v7\n vfmacc.vv v8,v4,v9\n vsw12.v v8,0(v1)\n"
                   " endprg x0,x0,x0\n",
                   1);
    expect_choices("vfadd.vv v4,v5,v6\n vfmul.vv v8,v4,v7\n vsw12.v v4,0(v1)\n vsw12.v v8,0(v1)\n"
                   " endprg x0,x0,x0\n",
                   2);
    expect_choices("vfadd.vv v4,v5,v6\n vmfeq.vv v8,v4,v7\n vsw12.v v8,0(v1)\n endprg x0,x0,x0\n",
                   0);
    expect_choices("fadd.s x5,x6,x7\n fmul.s x5,x5,x7\n sw x5,0(x8)\n endprg x0,x0,x0\n", 1);
    host_close();
}

/* A sum that goes round a loop: if it is clean, it is made canonical for who sees it behind the
 * loop, and where a warp's turn ends; else in the loop. */
static void around(const char *begins, bool is_clean)
{
    char text[600];
    snprintf(text, sizeof text,
             "%s\n1: vfadd.vv v4,v4,v5\n addi x9,x9,-1\n bnez x9,1b\n vsw12.v v4,0(v1)\n"
             " endprg x0,x0,x0\n",
             begins);
    expect_in_loops(text, !is_clean);
}

static void constants_that_begin_a_sum(void **state)
{
    static const u32 words[] = {0,          1,          0x3f800000, 0x7f7fffff,
                                0x7f800000, 0x7f800001, 0x7fbfffff, 0x7fc00000,
                                0x7fc00001, 0x7fffffff, 0x80000000, 0xff7fffff,
                                0xff800000, 0xff800001, 0xffc00000, 0xffffffff};
    (void)state;
    begin();
    for (size_t i = 0; i < countof(words); i++) {
        char text[64];
        const u32 w = words[i];
        const bool is_nan = (w & 0x7f800000) == 0x7f800000 && w & 0x7fffff;
        snprintf(text, sizeof text, "li x5,%#x\n vmv.v.x v4,x5", w);
        around(text, !is_nan || w == 0x7fc00000);
    }
    host_close();
}

static void values_that_begin_a_sum(void **state)
{
    (void)state;
    begin();
    around("nop", false); /* whatever is in the register */
    around("vlw12.v v4,0(v1)", false);
    around("vadd.vv v4,v5,v6", false);
    around("vfadd.vv v4,v5,v6", true);
    around("vfcvt.f.x.v v4,v5", true);
    around("vfcvt.f.xu.v v4,v5", true);
    around("vmfeq.vv v4,v5,v6", true);
    around("vmslt.vv v4,v5,v6", true);
    around("vlbu12.v v4,0(v1)", false); /* by another way, it may come from the engine */
    around("vfcvt.x.f.v v4,v5", false);
    host_close();
}

/* A float that goes round a loop in which another instruction reads it: it is made canonical there
 * for what sees bits alone. */
static void readers_in_a_loop(void **state)
{
    static const struct {
        const char *text;
        bool sees_bits, makes; /* makes: its own result is made canonical for the store */
    } readers[] = {
        {"vfadd.vv v8,v4,v6", false, true},   {"vfsub.vv v8,v6,v4", false, true},
        {"vfmul.vv v8,v4,v4", false, true},   {"vfdiv.vv v8,v4,v6", false, true},
        {"vfsqrt.v v8,v4", false, true},      {"vfmacc.vv v8,v4,v6", false, true},
        {"vfnmsac.vv v8,v4,v6", false, true}, {"vmfeq.vv v8,v4,v6", false, false},
        {"vmflt.vv v8,v6,v4", false, false},  {"vfcvt.rtz.x.f.v v8,v4", false, false},
        {"vfcvt.x.f.v v8,v4", false, false},  {"vadd.vv v8,v4,v6", true, false},
        {"vfsgnjx.vv v8,v4,v6", true, false}, {"vxor.vv v8,v6,v4", true, false},
    };
    (void)state;
    begin();
    for (size_t i = 0; i < countof(readers); i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "vmv.v.i v4,0\n1: vfadd.vv v4,v4,v5\n %s\n vsw12.v v8,0(v1)\n addi x9,x9,-1\n"
                 " bnez x9,1b\n endprg x0,x0,x0\n",
                 readers[i].text);
        expect_in_loops(text, readers[i].sees_bits || readers[i].makes);
    }
    host_close();
}

/* --- what was asked already ---------------------------------------------------------------- */

/* Makes code of a program on so many vectors of the host, and calls f for each line of what LLVM's
 * optimiser gets. */
static void each_line(const char *text, u32 vectors, CodeKind kind,
                      void (*f)(const char *line, void *arg), void *arg)
{
    rig_load(V202, 4 * vectors, text);
    host_make((WarpShape){.full = true}, kind, false);
    DIR *dir = opendir(scratch);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        char path[300], line[4096];
        snprintf(path, sizeof path, "%s/%s", scratch, e->d_name);
        FILE *file = strstr(e->d_name, ".made.ll") && e->d_name[0] == 'r' ? fopen(path, "r") : NULL;
        while (file && fgets(line, sizeof line, file))
            f(line, arg);
        if (file)
            fclose(file);
        if (e->d_name[0] != '.')
            remove_file(e->d_name);
    }
    closedir(dir);
}

typedef struct {
    const char *one, *other;
    u32 n;
} Both;

static void count_if_both(const char *line, void *arg)
{
    Both *b = arg;
    b->n += strstr(line, b->one) && strstr(line, b->other);
}

/* Lines with both texts. */
static u32 lines_of(const char *text, u32 vectors, const char *one, const char *other)
{
    Both b = {one, other, 0};
    each_line(text, vectors, CODE_PLAIN, count_if_both, &b);
    return b.n;
}
static u32 lines_made(const char *text, const char *one, const char *other)
{
    return lines_of(text, 1, one, other);
}

/* Scalar accesses: how often pages are asked for their rights.  Loads around one value of a
 * register are asked for together, in a block and those that only it leads to. */
static void asks_for_pages_once(void **state)
{
    static const struct {
        const char *text;
        u32 times;
    } row[] = {
        {"lw x5,0(x8)\n", 1},
        {"lw x5,0(x8)\n lh x6,4(x8)\n lbu x7,-9(x8)\n", 1},
        {"lw x5,0(x8)\n lw x6,0(x9)\n", 2},
        {"lw x5,0(x8)\n addi x8,x8,16\n lw x6,0(x8)\n", 2},
        {"sw x5,0(x8)\n sw x5,4(x8)\n", 2},
        {"lw x5,0(x8)\n beqz x5,1f\n lw x6,0(x8)\n 1:\n", 1},
        {"lw x5,0(x8)\n beqz x5,1f\n lw x6,2(x8)\n 1:\n", 2},
        {"lw x5,0(x8)\n lw x5,4(x8)\n beqz x5,1f\n lw x6,2(x8)\n 1:\n", 1},
        {"lw x5,0(x8)\n beqz x5,1f\n nop\n beqz x6,1f\n lw x6,0(x8)\n 1:\n", 1},
        {"lw x5,0(x8)\n beqz x5,1f\n nop\n 1: lw x6,0(x8)\n", 2},
        {"lw x5,0(x8)\n beqz x5,1f\n lw x6,0(x8)\n endprg x0,x0,x0\n 1: lw x6,0(x8)\n", 1},
        {"1: lw x5,0(x8)\n bnez x5,1b\n lw x6,0(x8)\n", 1},
    };
    (void)state;
    begin();
    for (size_t i = 0; i < countof(row); i++) {
        char text[300];
        snprintf(text, sizeof text, "%s endprg x0,x0,x0\n", row[i].text);
        const u32 n = lines_made(text, " lshr i64 ", ", 12");
        if (n != 2 * row[i].times) /* the first page and the last */
            fail_msg("%spages are asked for %u times, not %u", row[i].text, n / 2, row[i].times);
    }
    host_close();
}

/* How often it is asked whether lanes are in a row: once of rows that differ by a scalar, for
 * accesses of one width, in a block and those that only it leads to. */
static void asks_for_rows_once(void **state)
{
    static const struct {
        const char *text;
        u32 times;
    } row[] = {
        {"vlw12.v v5,0(v1)\n", 1},
        {"vlw12.v v5,0(v1)\n vlw12.v v6,8(v1)\n vsw12.v v5,16(v1)\n", 1},
        {"vlw12.v v5,0(v1)\n vlh12.v v6,0(v1)\n", 2},
        {"vlw12.v v5,0(v1)\n vlw12.v v6,0(v2)\n", 2},
        {"vadd.vx v2,v1,x5\n vlw12.v v5,0(v1)\n vlw12.v v6,0(v2)\n", 1},
        {"vadd.vi v2,v1,4\n vadd.vx v3,v2,x5\n vlw12.v v5,0(v2)\n vlw12.v v6,0(v3)\n", 1},
        {"vmv.v.v v2,v1\n vlw12.v v5,0(v1)\n vlw12.v v6,0(v2)\n", 1},
        {"vsub.vx v2,v1,x5\n vlw12.v v5,0(v1)\n vlw12.v v6,0(v2)\n", 1},
        {"vrsub.vx v2,v1,x5\n vlw12.v v5,0(v1)\n vlw12.v v6,0(v2)\n", 4}, /* and whether it is one backwards, where it lies */
        {"vadd.vv v2,v1,v3\n vlw12.v v5,0(v1)\n vlw12.v v6,0(v2)\n", 2},
        {"vadd.vi v2,v1,4,v0.t\n vlw12.v v5,0(v1)\n vlw12.v v6,0(v2)\n", 2},
        {"vsll.vi v2,v1,2\n vadd.vx v3,v2,x5\n vadd.vx v4,v2,x6\n vlw12.v v5,0(v3)\n"
         " vlw12.v v6,0(v4)\n",
         1},
        {"vadd.vx v1,v1,x5\n vsll.vi v2,v1,2\n vsll.vi v3,v1,2\n vlw12.v v5,0(v3)\n"
         " vlw12.v v6,0(v2)\n",
         1},
        {"vsll.vi v2,v1,2\n vsll.vi v3,v1,3\n vlw12.v v5,0(v3)\n vlw12.v v6,0(v2)\n", 2},
        {"vluxei32.v v5,(x8),v2\n vluxei32.v v6,(x9),v2\n vsuxei32.v v6,(x7),v2\n", 1},
        {"vlw12.v v5,0(v1)\n beqz x5,1f\n vlw12.v v6,4(v1)\n 1:\n", 1},
        {"vlw12.v v5,0(v1)\n beqz x5,1f\n nop\n 1: vlw12.v v6,4(v1)\n", 2},
        {"vlw12.v v1,0(v1)\n vlw12.v v6,4(v1)\n", 2},
    };
    (void)state;
    begin();
    for (size_t i = 0; i < countof(row); i++) {
        char text[300];
        snprintf(text, sizeof text, "%s endprg x0,x0,x0\n", row[i].text);
        const u32 n = lines_made(text, " bitcast <4 x i1> ", " to i4") +
                      lines_made(text, " call ", "@llvm.vector.reduce.umax"); /* on AArch64 */
        if (n != row[i].times)
            fail_msg("%srows are asked for %u times, not %u", row[i].text, n, row[i].times);
    }
    host_close();
}

/* Of rows of which each vector of the host may be a row, lines of 64 bytes are fetched ahead: one of four
 * vectors of words, two of eight; not of lanes at one address, which loads may be at, too. */
static void fetches_lines_ahead(void **state)
{
    static const char text[] = "vlw12.v v5,0(v1)\n vlw12.v v6,0(v2)\n vsw12.v v6,0(v3)\n"
                               " endprg x0,x0,x0\n";
    (void)state;
    begin();
    for (u32 vectors = 4; vectors <= 8; vectors += 4) {
        assert_int_equal(lines_of(text, vectors, "call void @llvm.prefetch", "i32 0, i32 3, i32 1"),
                         2 * vectors / 4);
        assert_int_equal(lines_of(text, vectors, "call void @llvm.prefetch", "i32 1, i32 3, i32 1"),
                         vectors / 4);
    }
    host_close();
}

/* --- what is rare ------------------------------------------------------------------------- */

/* A way that is rarely taken, `other` (if it is given) instead: `times` for each time (0: very
 * often).  In code, seen so many times, with those weights first and last. */
typedef struct {
    const char *rare, *other;
    u32 times, seen;
    int first, last;
} Rare;

enum { RARE = 9, WEIGHTS = 8 };
typedef struct {
    Rare way[RARE];
    u32 weight[WEIGHTS][2];
} Marks;

/* The name without its number. */
static bool is_label(const char *at, const char *name)
{
    const size_t len = strspn(at, "abcdefghijklmnopqrstuvwxyz");
    return len == strlen(name) && !strncmp(at, name, len);
}

/* The number of the weights that the branch to that way has; -1: it has none; -2: it is no such
 * branch. */
static int weights_of(const char *line, const Rare *r)
{
    static const char label[] = "label %", prof[] = "!prof !";
    const char *first = strstr(line, " br i1 "), *second, *marks = strstr(line, prof);
    if (!first || !(first = strstr(first, label)) || !(second = strstr(first + 1, label)))
        return -2;
    if (!is_label(second + strlen(label), r->rare) ||
        (r->other && !is_label(first + strlen(label), r->other)))
        return -2;
    return marks ? atoi(marks + strlen(prof)) : -1;
}

static void note_weights(const char *line, void *arg)
{
    Marks *m = arg;
    u32 n, a, b;
    if (sscanf(line, "!%u = !{!\"branch_weights\", i32 %u, i32 %u}", &n, &a, &b) == 3) {
        assert_in_range(n, 0, WEIGHTS - 1);
        m->weight[n][0] = a, m->weight[n][1] = b;
    }
    for (u32 i = 0; i < RARE; i++) {
        Rare *r = &m->way[i];
        const int of = weights_of(line, r);
        if (of == -2)
            continue;
        if (of < 0)
            fail_msg("%sis not marked", line);
        r->first = r->seen++ ? r->first : of;
        r->last = of;
    }
}

/* LLVM is told which ways are rarely taken: to the end of a turn, to what grows, refuses or leaves,
 * to the slow ways of accesses; and that lanes agree eight times as often as they part. */
static void marks_what_is_rare(void **state)
{
    static const char text[] =
        "lw x5,0(x8)\n vlw12.v v3,0(v1)\n1: addi x5,x5,-1\n bnez x5,1b\n"
        ".Lp: auipc x30,%pcrel_hi(.Lm)\n setrpc x0,x30,%pcrel_lo(.Lp)\n"
        " vblt v1,v3,.Le\n sw x5,0(x8)\n j .Lm\n.Le: addi x5,x5,1\n"
        ".Lm: join x0,x0,0\n vfrec7.v v4,v3\n vsw12.v v4,0(v1)\n barrier x0,x0,0\n"
        " endprg x0,x0,x0\n";
    Marks m = {.way = {{.rare = "late"},
                       {.rare = "diverged"},
                       {.rare = "stop"},
                       {.rare = "grow"},
                       {.rare = "refused"},
                       {.rare = "ask", .other = "fast"},
                       {.rare = "slow", .other = "fast"},
                       {.rare = "slow", .other = "row"},
                       {.rare = "both", .times = 8}}};
    (void)state;
    begin();
    each_line(text, 1, CODE_HEADERS, note_weights, &m);
    for (u32 i = 0; i < RARE; i++) {
        const Rare *r = &m.way[i];
        if (!r->seen)
            fail_msg("there is no way `%s'", r->rare);
        for (u32 k = 0; k < 2; k++) {
            const u32 *w = m.weight[k ? r->last : r->first];
            if (r->times ? w[0] != r->times * w[1] : w[0] < 500 * w[1])
                fail_msg("%s: %u to %u", r->rare, w[0], w[1]);
        }
    }
    host_close();
}

/* Frames of code of every kind begin at a line of the host's cache, where helpers keep whole vectors. */
static void aligns_frames(void **state)
{
    (void)state;
    begin();
    for (CodeKind kind = CODE_QUICK; kind <= CODE_HEADERS; kind++) {
        Both b = {"attributes #", "alignstack=64", 0};
        each_line("vlw12.v v3,0(v1)\n endprg x0,x0,x0\n", 1, kind, count_if_both, &b);
        assert_int_equal(b.n, 1);
    }
    host_close();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_a_block),
        cmocka_unit_test(constants_that_begin_a_sum),
        cmocka_unit_test(values_that_begin_a_sum),
        cmocka_unit_test(readers_in_a_loop),
        cmocka_unit_test(asks_for_pages_once),
        cmocka_unit_test(asks_for_rows_once),
        cmocka_unit_test(fetches_lines_ahead),
        cmocka_unit_test(marks_what_is_rare),
        cmocka_unit_test(aligns_frames),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    if (!mkdtemp(scratch))
        return 1;
    setenv("VENTUS_JIT_DUMP", scratch, 1);
    setenv("VENTUS_CACHE", "0", 1);
    const int bad = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(scratch);
    return bad;
}
