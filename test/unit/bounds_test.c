/* What the check for bounds says of accesses near the buffers of a kernel is what follows from the
 * buffers: they overlap, lie side by side or apart, and some may not be read or not be written.
 */
#include "obj/kernelinfo.h"
#include "test/kit/checkrig.h"
#include "test/kit/leftover.h"
#include "test/kit/random.h"

enum { BLOCKS = 3, BLOCK = 4096, BUFFERS = 6, OPS = 60, LANES = 4 };

/* --- what may be accessed ----------------------------------------------------------------------- */

/* Bytes that may be accessed: of a buffer, of several that overlap, or of a block without any. */
typedef struct {
    u32 addr, end;
    bool no_read, no_write;
    int argument; /* -1: a block */
} Part;

static int by_place(const void *a, const void *b)
{
    const Part *x = a, *y = b;
    return x->addr != y->addr ? (x->addr > y->addr ? 1 : -1) : x->end > y->end ? 1 : -1;
}

/* Each byte belongs to the part of the buffers that cover it; parts that share a byte are one. */
static u32 join_parts(Part *p, u32 n)
{
    qsort(p, n, sizeof *p, by_place);
    for (u32 i = 0; i + 1 < n;)
        if (p[i + 1].addr < p[i].end) {
            p[i].end = p[i].end > p[i + 1].end ? p[i].end : p[i + 1].end;
            p[i].no_read = p[i].no_read && p[i + 1].no_read;
            p[i].no_write = p[i].no_write && p[i + 1].no_write;
            memmove(&p[i + 1], &p[i + 2], (--n - i - 1) * sizeof *p);
        } else {
            i++;
        }
    return n;
}

typedef struct {
    u32 addr, size;
    bool reads, writes;
    u32 lanes; /* that access one after the other */
} Try;

/* What is to be said of the access, as far as the block tells; "": nothing; NULL: something. */
static const char *verdict(const Part *p, u32 n, const Try *o, u32 block, char text[200])
{
    static const char *const verbs[] = {"", "load", "store", "atomic"};
    const Part *before = NULL, *after = NULL;
    char where[80];
    for (u32 i = 0; i < n; i++) {
        before = p[i].addr <= o->addr ? &p[i] : before;
        after = p[i].addr > o->addr && !after ? &p[i] : after;
    }
    before = before && before->addr / BLOCK == block / BLOCK ? before : NULL;
    after = after && after->addr / BLOCK == block / BLOCK ? after : NULL;
    int at = sprintf(text, "bounds: %s of %u byte%s ", verbs[o->reads + 2 * o->writes], o->size,
                     o->size == 1 ? "" : "s");
    const bool begins = before && o->addr < before->end;
    if (begins && o->addr + o->size <= before->end) {
        if (o->writes && before->no_write)
            return strcpy(text + at, "to a buffer that the host made for reading only"), text;
        if (o->reads && before->no_read)
            return strcpy(text + at, "from a buffer that the host made for writing only"), text;
        return "";
    }
    const u32 past = before ? o->addr - before->end : 0, ahead = after ? after->addr - o->addr : 0;
    const Part *near = !before || (after && !begins && past >= ahead) ? after : before;
    if (!near)
        return NULL;
    if (begins)
        sprintf(where, "that end %u past the end of", o->addr + o->size - before->end);
    else if (near == after)
        sprintf(where, "%u bytes before", ahead);
    else if (past)
        sprintf(where, "%u bytes behind the end of", past);
    else
        strcpy(where, "right behind the end of");
    if (near->argument < 0)
        sprintf(text + at, "%s the buffer at 0x%08x, which has %u\n", where, near->addr,
                near->end - near->addr);
    else
        sprintf(text + at, "%s argument %d, which has %u\n", where, near->argument,
                near->end - near->addr);
    return text;
}

/* --- kernels ------------------------------------------------------------------------------------ */

typedef struct {
    Driver *driver;
    Check *check;
    u32 block[BLOCKS];
    Part part[BUFFERS + BLOCKS];
    u32 nparts;
    DrvArg args[BUFFERS];
    u32 value[BUFFERS], nargs;
    Try op[OPS];
    u32 pc[OPS]; /* of each */
} Scene;

static void make_buffers(Scene *s)
{
    bool has_argument[BLOCKS] = {false};
    s->nargs = below(BUFFERS + 1);
    for (u32 i = 0; i < s->nargs; i++) {
        const u32 k = below(BLOCKS), at = below(8) * 64, size = 1 + below(below(2) ? 64 : 300);
        has_argument[k] = true;
        s->value[i] = s->block[k] + at;
        s->args[i] = (DrvArg){.size = 4, .align = 4, .value = &s->value[i], .buffer = size};
        s->args[i].no_read = !below(4);
        s->args[i].no_write = !s->args[i].no_read && !below(3);
        s->part[s->nparts++] = (Part){s->value[i], s->value[i] + size, s->args[i].no_read,
                                      s->args[i].no_write, (int)i};
    }
    for (u32 i = 0; i < BLOCKS; i++)
        if (!has_argument[i])
            s->part[s->nparts++] =
                (Part){s->block[i], s->block[i] + 800 + i * 100, false, false, -1};
    s->nparts = join_parts(s->part, s->nparts);
}

static Object *make_image(Scene *s)
{
    Buf b = {0};
    buf_str(&b, "\t.kernel k\nk:\n\tvid.v v1\n\tvsll.vi v1, v1, 2\n");
    for (u32 i = 0; i < OPS; i++) {
        static const char *const scalar[] = {"lb", "lh", "lw", "sb", "sh", "sw"};
        const Part *p = &s->part[below(s->nparts)];
        const u32 kind = below(9);
        Try *o = &s->op[i];
        *o = (Try){.addr = (below(2) ? p->addr : p->end) + below(20) - 10, .lanes = 1};
        if (o->addr < p->addr / BLOCK * BLOCK || below(4) == 0)
            o->addr = p->addr / BLOCK * BLOCK + below(BLOCK - 64);
        o->size = kind < 6 ? 1u << kind % 3 : 4;
        o->addr &= ~(o->size - 1);
        o->reads = kind < 3 || kind == 6 || kind == 8;
        o->writes = !o->reads || kind == 8;
        o->lanes = kind == 6 || kind == 7 ? LANES : 1;
        buf_printf(&b, "\tli t1, 0x%08x\n", o->addr);
        if (kind < 6)
            buf_printf(&b, "o%u:\t%s t2, 0(t1)\n", i, scalar[kind]);
        else if (kind == 8)
            buf_printf(&b, "\tvmv.v.x v2, t1\no%u:\tamoadd.w v3, v1, (v2)\n", i);
        else
            buf_printf(&b, "\tvadd.vx v2, v1, t1\no%u:\t%s v3, 0(v2)\n", i,
                       kind == 6 ? "vlw12.v" : "vsw12.v");
    }
    buf_str(&b, "\tendprg x0, x0, x0\n");
    Object *image = image_of_operations(&b, OPS, s->pc);
    buf_free(&b);
    return image;
}

static void run(Scene *s)
{
    Object *image = make_image(s);
    const DrvKernel launch = {.kernel = "k",
                              .dims = 1,
                              .global = {LANES, 1, 1},
                              .local = {LANES, 1, 1},
                              .args = s->args,
                              .nargs = s->nargs,
                              .max_insns = 100000};
    run_image(s->driver, image, &launch);
}

static void compare(Scene *s, u32 counts[2])
{
    for (u32 i = 0; i < OPS; i++) {
        const Cause *found = cause_at(s->check, s->pc[i]);
        Try o = s->op[i];
        const u32 block = o.addr;
        char text[200];
        const char *want = "";
        for (u32 k = 0; want && !*want && k < o.lanes; k++, o.addr += 4)
            want = verdict(s->part, s->nparts, &o, block, text);
        counts[!want || *want]++;
        if (want && !*want ? found != NULL : !found || (want && !strstr(found->text, want)))
            fail_msg("op %u: '%s', should be '%s'", i, found ? found->text : "",
                     want ? want : "any");
    }
}

static void check_scenes(u32 n)
{
    u32 counts[2] = {0};
    for (u32 i = 0; i < n; i++) {
        static Scene s;
        u64 at;
        s = (Scene){.nparts = 0};
        open_check(LANES, 1u << CHECK_bounds, &s.driver, &s.check);
        for (u32 k = 0; k < BLOCKS; k++) {
            assert_int_equal(drv_alloc(s.driver, 800 + k * 100, &at), DRV_OK);
            s.block[k] = (u32)at;
        }
        make_buffers(&s);
        run(&s);
        compare(&s, counts);
        drv_close(s.driver);
        check_close(s.check);
    }
    assert_true(counts[0] > n * OPS / 10 && counts[1] > n * OPS / 10);
}

/* What is to be said of an access; NULL: nothing. */
typedef struct {
    const char *access, *want;
} AccessRow;

/* Runs the accesses by t1, whose address `begin` computes, in a program with the table, and compares. */
static void expect_of_accesses(const char *begin, const char *end, const AccessRow *row, u32 n,
                               const KernelTable *table)
{
    Driver *driver;
    Check *check;
    Buf b = {0};
    u32 pc[16];
    assert_true(n <= countof(pc));
    open_check(LANES, 1u << CHECK_bounds, &driver, &check);
    buf_str(&b, begin);
    for (u32 i = 0; i < n; i++)
        buf_printf(&b, "o%u:\t%s\n", i, row[i].access);
    buf_str(&b, "\tendprg x0, x0, x0\n");
    buf_str(&b, end);
    Object *image = image_of_operations(&b, n, pc);
    assert_true(kernelinfo_add(image, table));
    run_image(
        driver, image,
        &(DrvKernel){.kernel = "k", .dims = 1, .global = {LANES, 1, 1}, .local = {LANES, 1, 1}});
    for (u32 i = 0; i < n; i++) {
        const Cause *found = cause_at(check, pc[i]);
        if (!row[i].want ? found != NULL : !found || !strstr(found->text, row[i].want))
            fail_msg("%s: '%s'", row[i].access, found ? found->text : "");
    }
    drv_close(driver);
    check_close(check);
    buf_free(&b);
}

/* Variables of a program that keeps them apart: a of 8 bytes, then 12 of nobody, b of 4. */
static void variables_have_their_bytes(void **state)
{
    (void)state;
    static const AccessRow rows[] = {
        {"lw t2, 0(t1)", NULL},
        {"sw t2, 4(t1)", NULL},
        {"lh t2, 6(t1)", NULL},
        {"lw t2, 20(t1)", NULL},
        {"sb t2, 23(t1)", NULL},
        {"lw t2, 8(t1)",
         "load of 4 bytes right behind the end of program variable 'a', which has 8"},
        {"sh t2, 10(t1)",
         "store of 2 bytes 2 bytes behind the end of program variable 'a', which has 8"},
        {"sb t2, 19(t1)",
         "store of 1 byte 11 bytes behind the end of program variable 'a', which has 8"},
        {"lw t2, 24(t1)",
         "load of 4 bytes right behind the end of program variable 'b', which has 4"},
    };
    expect_of_accesses(
        "\t.kernel k\nk:\n1:\tauipc t1, %pcrel_hi(a)\n\taddi t1, t1, %pcrel_lo(1b)\n",
        "\t.data\n\t.balign 16\n\t.zero 16\n"
        "\t.type a, @object\n\t.size a, 8\na:\t.zero 20\n"
        "\t.type b, @object\n\t.size b, 4\nb:\t.zero 24\n",
        rows, countof(rows), &(KernelTable){.options = (char[]){"-ventus-apart"}});
}

/* Local variables of a kernel that says where they are, behind the stack of its warp (doc/abi.md, "Local memory"): a of 8
 * bytes, then 12 of nobody, b of 4, and 8 more. */
static void local_variables_have_their_bytes(void **state)
{
    (void)state;
    static const AccessRow rows[] = {
        {"lw t2, 0(t1)", NULL},
        {"sw t2, 4(t1)", NULL},
        {"lw t2, 20(t1)", NULL},
        {"sb t2, 23(t1)", NULL},
        {"lw t2, 8(t1)", "load of 4 bytes right behind the end of local variable 'a', which has 8"},
        {"sh t2, 10(t1)",
         "store of 2 bytes 2 bytes behind the end of local variable 'a', which has 8"},
        {"sh t2, 18(t1)", "store of 2 bytes 2 bytes before local variable 'b', which has 4"},
        {"lw t2, 24(t1)",
         "load of 4 bytes right behind the end of local variable 'b', which has 4"},
        {"lb t2, 31(t1)",
         "load of 1 byte 7 bytes behind the end of local variable 'b', which has 4"},
    };
    KernelLocal locals[] = {{(char[]){"a"}, 0, 8}, {(char[]){"b"}, 20, 4}};
    KernelInfo k = {.name = (char[]){"k"},
                    .attributes = (char[]){""},
                    .vec_hint = (char[]){""},
                    .locals = locals,
                    .nlocals = countof(locals)};
    expect_of_accesses("\t.kernel k\n\t.lds 32\nk:\tcsrr t1, CSR_LDS\n\taddi t1, t1, 1024\n", "",
                       rows, countof(rows),
                       &(KernelTable){.kernels = &k, .nkernels = 1, .options = (char[]){""}});
}

static void buffers_have_their_bytes(void **state)
{
    (void)state;
    check_scenes(80);
}

static void a_few_leave_nothing(void **state)
{
    (void)state;
    check_scenes(3);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_have_their_bytes), cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(variables_have_their_bytes),
        cmocka_unit_test(local_variables_have_their_bytes), cmocka_unit_test(a_few_leave_nothing)};
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
