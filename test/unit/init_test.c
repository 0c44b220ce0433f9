/* init_test.c -- what the check for values that nobody wrote says of programs that move values of
 * any size between registers, global and local memory, against a map of all their bytes.
 */
#include "test/kit/checkrig.h"
#include "test/kit/leftover.h"
#include "test/kit/random.h"

enum { LANES = 4, OPS = 40, BYTES = 32, GROUPS = 2, REGISTERS = 3, MOST_SEEN = 2 * OPS * GROUPS };

typedef enum { LOAD, STORE, BRANCH, CONSTANT } MoveKind;
typedef struct {
    MoveKind kind;
    u32 size, reg, at;
    bool is_local, is_signed;
} Move;

/* Bytes that nobody wrote: 1, with the instruction that first loaded them, 0: none has. */
typedef struct {
    bool is_bad[BYTES];
    u32 from[BYTES / 4]; /* of a word into which such a value was stored */
} Bytes;
typedef struct {
    bool is_bad[4];
    u32 from;
} Kept;

/* What is to be found: where, where the value was loaded, how often. */
typedef struct {
    u32 pc, from, times;
} Seen;

typedef struct {
    Move op[OPS];
    u32 pc[OPS];
    Bytes global, local;
    Kept reg[REGISTERS];
    Seen seen[MOST_SEEN];
    u32 nseen;
} Model;

/* --- the model ------------------------------------------------------------------------------- */

static bool any_bad(const bool *bytes, u32 n)
{
    bool any = false;
    for (u32 i = 0; i < n; i++)
        any |= bytes[i];
    return any;
}

/* Afterwards the register counts as written. */
static void see(Model *m, u32 pc, Kept *r)
{
    u32 i = 0;
    while (i < m->nseen && (m->seen[i].pc != pc || m->seen[i].from != r->from))
        i++;
    assert_true(i < MOST_SEEN);
    m->seen[i] = (Seen){pc, r->from, (i < m->nseen ? m->seen[i].times : 0) + 1};
    m->nseen += i == m->nseen;
    memset(r->is_bad, 0, sizeof r->is_bad);
}

static void load(Model *m, const Move *o, u32 pc)
{
    Bytes *b = o->is_local ? &m->local : &m->global;
    Kept *r = &m->reg[o->reg];
    memset(r->is_bad, 0, sizeof r->is_bad);
    memcpy(r->is_bad, &b->is_bad[o->at], o->size);
    for (u32 i = o->size; i < 4 && o->is_signed; i++)
        r->is_bad[i] = r->is_bad[o->size - 1];
    r->from = b->from[o->at / 4] ? b->from[o->at / 4] : pc;
}

static void store(Model *m, const Move *o, u32 pc)
{
    Bytes *b = o->is_local ? &m->local : &m->global;
    Kept *r = &m->reg[o->reg];
    const bool bad = any_bad(r->is_bad, o->size);
    if (bad && !o->is_local)
        see(m, pc, r);
    else if (bad)
        b->from[o->at / 4] = r->from;
    memcpy(&b->is_bad[o->at], r->is_bad, o->size);
}

static void run_model(Model *m)
{
    for (u32 g = 0; g < GROUPS; g++) {
        m->local = (Bytes){.from = {0}};
        memset(m->local.is_bad, 1, sizeof m->local.is_bad);
        memset(m->reg, 0, sizeof m->reg);
        for (u32 i = 0; i < OPS; i++) {
            const Move *o = &m->op[i];
            Kept *r = &m->reg[o->reg];
            switch (o->kind) {
            case LOAD: load(m, o, m->pc[i]); break;
            case STORE: store(m, o, m->pc[i]); break;
            case BRANCH:
                if (any_bad(r->is_bad, 4))
                    see(m, m->pc[i], r);
                break;
            case CONSTANT: memset(r->is_bad, 0, sizeof r->is_bad); break;
            }
        }
    }
}

/* --- the program ----------------------------------------------------------------------------- */

static void put_op(Move *o, u32 i, Buf *b)
{
    static const char *const loads[2][5] = {{"", "lbu", "lhu", "", "lw"},
                                            {"", "lb", "lh", "", "lw"}};
    static const char *const stores[] = {"", "sb", "sh", "", "sw"};
    const u32 kind = below(10);
    *o = (Move){.kind = kind < 4   ? LOAD
                        : kind < 7 ? STORE
                        : kind < 9 ? BRANCH
                                   : CONSTANT,
                .size = 1u << below(3),
                .reg = below(REGISTERS),
                .is_local = below(3),
                .is_signed = below(2)};
    o->at = below(BYTES / o->size) * o->size;
    buf_printf(b, "o%u:\t", i);
    switch (o->kind) {
    case LOAD:
    case STORE:
        buf_printf(b, "%s s%u, %u(%s)\n",
                   o->kind == STORE ? stores[o->size] : loads[o->is_signed][o->size], 4 + o->reg,
                   o->at, o->is_local ? "s3" : "s2");
        break;
    case BRANCH: buf_printf(b, "bnez s%u, 1f\n1:\n", 4 + o->reg); break;
    case CONSTANT: buf_printf(b, "li s%u, 3\n", 4 + o->reg); break;
    }
}

static Object *make_image(Model *m)
{
    Buf b = {0};
    buf_str(&b, "\t.kernel k\nk:\n\tlw s2, 0(a0)\n\tlw s3, 4(a0)\n\tcsrr t0, CSR_LDS\n\tadd s3, "
                "s3, t0\n\tli s4, 1\n\tli s5, 1\n\tli s6, 1\n");
    for (u32 i = 0; i < OPS; i++)
        put_op(&m->op[i], i, &b);
    buf_str(&b, "\tendprg x0, x0, x0\n");
    Object *image = image_of_operations(&b, OPS, m->pc);
    buf_free(&b);
    return image;
}

/* The host writes some bytes of the buffer, fills some, and copies some. */
static void prepare_buffer(Driver *d, u64 addr, Model *m)
{
    static const u8 bytes[BYTES];
    memset(m->global.is_bad, 1, sizeof m->global.is_bad);
    for (u32 i = 0; i < 6; i++) {
        const u32 n = 1 + below(9), at = below(BYTES - n), from = below(BYTES - n);
        bool moved[BYTES];
        switch (below(3)) {
        case 0:
            assert_int_equal(drv_write(d, addr + at, bytes, n), DRV_OK);
            memset(&m->global.is_bad[at], 0, n);
            break;
        case 1:
            assert_int_equal(drv_fill(d, addr + at, "x", 1, n), DRV_OK);
            memset(&m->global.is_bad[at], 0, n);
            break;
        default:
            if (from < at + n && at < from + n)
                break;
            assert_int_equal(drv_copy(d, addr + from, addr + at, n), DRV_OK);
            memcpy(moved, m->global.is_bad, sizeof moved);
            memcpy(&m->global.is_bad[at], &moved[from], n);
            break;
        }
    }
}

static void compare(const Check *c, const Model *m)
{
    for (u32 i = 0; i < m->nseen; i++) {
        const Cause *found = NULL;
        for (size_t k = 0; k < c->ncause; k++)
            if (c->cause[k].pc == m->seen[i].pc && c->cause[k].other == m->seen[i].from)
                found = &c->cause[k];
        if (!found)
            fail_msg("nothing is said of %08x from %08x", m->seen[i].pc, m->seen[i].from);
        assert_int_equal(found->kind, CHECK_init);
        assert_int_equal(found->count, m->seen[i].times);
    }
    for (size_t k = 0; k < c->ncause; k++) {
        bool wanted = false;
        for (u32 i = 0; i < m->nseen; i++)
            wanted |= c->cause[k].pc == m->seen[i].pc && c->cause[k].other == m->seen[i].from;
        if (!wanted)
            fail_msg("%s", c->cause[k].text ? c->cause[k].text : "a cause without text");
    }
}

static u32 check_programs(u32 n)
{
    u32 seen = 0;
    for (u32 round = 0; round < n; round++) {
        static Model m;
        Driver *driver;
        Check *check;
        u64 addr;
        m = (Model){.nseen = 0};
        open_check(LANES, 1u << CHECK_init, &driver, &check);
        assert_int_equal(drv_alloc(driver, BYTES, &addr), DRV_OK);
        prepare_buffer(driver, addr, &m);
        const u32 word = (u32)addr;
        const DrvArg args[] = {{.size = 4, .align = 4, .value = &word, .buffer = BYTES},
                               {.is_local = true, .size = BYTES}};
        const DrvKernel launch = {.kernel = "k",
                                  .dims = 1,
                                  .global = {LANES * GROUPS},
                                  .local = {LANES},
                                  .args = args,
                                  .nargs = 2};
        run_image(driver, make_image(&m), &launch);
        run_model(&m);
        compare(check, &m);
        seen += m.nseen;
        drv_close(driver);
        check_close(check);
    }
    return seen;
}

static void values_come_from_somewhere(void **state)
{
    (void)state;
    assert_true(check_programs(150) > 500);
}

/* Under a mask a register is written in the lanes whose bit 0 of v0 is set; the first of the others is told, where all
 * are stored. */
static void masks_write_their_lanes(void **state)
{
    (void)state;
    enum { MASKS = 1 << LANES };
    Driver *driver;
    Check *check;
    Buf b = {0};
    u64 addr;
    u32 pc[MASKS];
    open_check(LANES, 1u << CHECK_init, &driver, &check);
    assert_int_equal(drv_alloc(driver, 4 * LANES, &addr), DRV_OK);
    const u32 word = (u32)addr;
    const DrvArg arg = {.size = 4, .align = 4, .value = &word, .buffer = 4 * LANES};
    buf_str(
        &b,
        "\t.kernel k\nk:\tlw s2, 0(a0)\n\tvid.v v1\n\tvsll.vi v2, v1, 2\n\tvadd.vx v2, v2, s2\n");
    for (u32 i = 0; i < MASKS; i++)
        buf_printf(
            &b,
            "\tli t0, %u\n\tvmv.v.x v0, t0\n\tvsrl.vv v0, v0, v1\n\tvadd.vi v%u, v1, 1, v0.t\n"
            "o%u:\tvsw12.v v%u, 0(v2)\n",
            i, 4 + i, i, 4 + i);
    buf_str(&b, "\tendprg x0, x0, x0\n");
    run_image(driver, image_of_operations(&b, MASKS, pc),
              &(DrvKernel){.kernel = "k",
                           .dims = 1,
                           .global = {LANES},
                           .local = {LANES},
                           .args = &arg,
                           .nargs = 1});
    for (u32 i = 0; i < MASKS; i++) {
        const Cause *found = cause_at(check, pc[i]);
        char want[32];
        snprintf(want, sizeof want, "work-item   (%d, 0, 0)", __builtin_ctz(~i));
        if (i == MASKS - 1 ? found != NULL : !found || !strstr(found->text, want))
            fail_msg("mask %x: '%s', should be of %s", i, found ? found->text : "", want);
    }
    drv_close(driver);
    check_close(check);
    buf_free(&b);
}

/* Exchanges and conditional stores leave in memory what they bring, written or not; after a sum in a word that nobody
 * wrote it is as little written as before.  What a conditional store says of itself is written. */
static void exchanges_leave_what_they_bring(void **state)
{
    static const struct {
        const char *text; /* on words at v1, of local memory; v3 is written, v4 is not */
        bool is_bad;      /* what is stored afterwards, in v5 */
    } rows[] = {
        {"amoswap.w v6, v3, (v1)\n\tvlw12.v v5, 0(v1)\n", false},
        {"amoswap.w v5, v3, (v1)\n", true},
        {"amoswap.w v6, v3, (v1)\n\tamoswap.w v5, v4, (v1)\n", false},
        {"amoswap.w v6, v3, (v1)\n\tamoswap.w v6, v4, (v1)\n\tvlw12.v v5, 0(v1)\n", true},
        {"amoadd.w v6, v3, (v1)\n\tvlw12.v v5, 0(v1)\n", true},
        {"vsw12.v v3, 0(v1)\n\tamoadd.w v6, v3, (v1)\n\tvlw12.v v5, 0(v1)\n", false},
        {"lr.w v5, (v1)\n", true},
        {"lr.w v6, (v1)\n\tsc.w v6, v3, (v1)\n\tvlw12.v v5, 0(v1)\n", false},
        {"vsw12.v v3, 0(v1)\n\tlr.w v6, (v1)\n\tsc.w v6, v4, (v1)\n\tvlw12.v v5, 0(v1)\n", true},
        {"lr.w v6, (v1)\n\tsc.w v5, v3, (v1)\n", false},
        {"lr.w v6, (v1)\n\tsc.w v5, v4, (v1)\n", false},
        {"sc.w v5, v4, (v1)\n", false},
        {"sc.w v6, v3, (v1)\n\tvlw12.v v5, 0(v1)\n", true}, /* which fails */
    };
    Driver *driver;
    Check *check;
    Buf b = {0};
    u64 addr;
    u32 pc[countof(rows)];
    (void)state;
    open_check(LANES, 1u << CHECK_init, &driver, &check);
    assert_int_equal(drv_alloc(driver, 4 * LANES, &addr), DRV_OK);
    const u32 word = (u32)addr, local = 4 * LANES * (countof(rows) + 1);
    const DrvArg args[] = {{.size = 4, .align = 4, .value = &word, .buffer = 4 * LANES},
                           {.is_local = true, .size = local}};
    buf_str(&b,
            "\t.kernel k\nk:\tlw s2, 0(a0)\n\tlw s3, 4(a0)\n\tcsrr t0, CSR_LDS\n\tadd s3, s3, t0\n"
            "\tvid.v v2\n\tvsll.vi v2, v2, 2\n\tvadd.vx v1, v2, s3\n\tvadd.vx v2, v2, "
            "s2\n\tvadd.vi v7, v1, 0\n");
    for (u32 i = 0; i < countof(rows); i++)
        buf_printf(&b,
                   "\tli t0, %d\n\tvmv.v.i v3, 5\n\tvlw12.v v4, 0(v7)\n\tvadd.vx v1, v1, t0\n"
                   "\t%so%u:\tvsw12.v v5, 0(v2)\n",
                   4 * LANES, rows[i].text, i);
    buf_str(&b, "\tendprg x0, x0, x0\n");
    run_image(driver, image_of_operations(&b, countof(rows), pc),
              &(DrvKernel){.kernel = "k",
                           .dims = 1,
                           .global = {LANES},
                           .local = {LANES},
                           .args = args,
                           .nargs = countof(args)});
    for (u32 i = 0; i < countof(rows); i++) {
        const Cause *found = cause_at(check, pc[i]);
        if (rows[i].is_bad != (found != NULL))
            fail_msg("%s: '%s'", rows[i].text, found ? found->text : "");
    }
    drv_close(driver);
    check_close(check);
    buf_free(&b);
}

/* Where the first value of a private variable lies is a symbol of the program that is loaded: of one loaded later it may
 * be another variable's, or nobody's. */
static void first_values_are_of_their_program(void **state)
{
    (void)state;
    static const char *const names[] = {".unwritten.a", ".unwritten.b.1", "written",
                                        ".unwritten.c"};
    Driver *driver;
    Check *check;
    u32 at = 0;
    open_check(LANES, 1u << CHECK_init, &driver, &check);
    for (u32 i = 0; i < countof(names); i++) {
        Buf b = {0};
        u32 pc;
        char want[64];
        buf_str(&b, "\t.kernel k\nk:\n");
        for (u32 n = 0; n < i; n++) /* a place is told once */
            buf_str(&b, "\tnop\n\tnop\n");
        buf_printf(&b,
                   "1:\tauipc t1, %%pcrel_hi(%s)\n\taddi t1, t1, %%pcrel_lo(1b)\n\tlw t2, 0(t1)\n"
                   "o0:\tbnez t2, 2f\n2:\tendprg x0, x0, x0\n"
                   "\t.data\n\t.balign 8\n\t.globl %s\n\t.size %s, 8\n%s:\t.zero 8\n",
                   names[i], names[i], names[i], names[i]);
        Object *image = image_of_operations(&b, 1, &pc);
        const i32 symbol = obj_find_symbol(image, names[i]);
        assert_true(symbol >= 0 && (!at || at == image->symbols[symbol].value));
        at = (u32)image->symbols[symbol].value;
        run_image(driver, image,
                  &(DrvKernel){.kernel = "k", .dims = 1, .global = {LANES}, .local = {LANES}});
        const Cause *found = cause_at(check, pc);
        snprintf(want, sizeof want, "private variable '%c'\n", *names[i] == '.' ? names[i][11] : 0);
        if (*names[i] != '.' ? found != NULL : !found || !strstr(found->text, want))
            fail_msg("%s: '%s'", names[i], found ? found->text : "");
        buf_free(&b);
    }
    drv_close(driver);
    check_close(check);
}

static void a_few_leave_nothing(void **state)
{
    (void)state;
    check_programs(3);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_come_from_somewhere),
                                       cmocka_unit_test(masks_write_their_lanes),
                                       cmocka_unit_test(exchanges_leave_what_they_bring),
                                       cmocka_unit_test(first_values_are_of_their_program),
                                       cmocka_unit_test(leaves_nothing),
                                       cmocka_unit_test(a_few_leave_nothing)};
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
