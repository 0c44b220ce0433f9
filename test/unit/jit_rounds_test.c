/* jit_rounds_test.c -- groups whose warps meet at barriers, which host code runs in rounds (jit/repeat.c): random programs
 * whose warps come to the same barriers or to different ones, end before others, fault, leave the code for functions that
 * it does not know, and change the arguments that it takes for constant.
 */
#include "test/kit/twins.h"

enum {
    WARPS = 4,
    ARGS = 16,    /* words of arguments at DATA that programs load, and as many behind them */
    FIRST_X = 12, /* to x19: at large */
    FIRST_V = 4,  /* to v9 */
    NX = 8,
    NV = 6,
    OF_WARP = 1024 /* bytes that a warp leaves */
};

/* of a function that code does not know */
#define UNKNOWN_CALL(to)                                                                           \
    " lui x7,%hi(" to ")\n addi x7,x7,%lo(" to ")\n sw x7,1020(x11)\n lw x7,1020(x11)\n"           \
    " jalr x9,x7,0\n"

static u32 an_x(void) { return FIRST_X + below(NX); }
static u32 a_v(void) { return FIRST_V + below(NV); }

/* x5: metadata, x6: arguments, x20: wid, x21: of this warp alone, x11: where it leaves something, v1: its work-items, v2: a
 * word of local memory for each */
static void begin_program(u32 lanes)
{
    no_text();
    line("csrr x5,knl\n lw x6,4(x5)\n csrr x20,wid\n csrr x21,wgid");
    line("slli x21,x21,2\n add x21,x21,x20");
    line("li x11,%#x\n li x7,%d\n mul x7,x7,x21\n add x11,x11,x7", DATA + OUT, OF_WARP);
    line("csrr x7,tid\n vid.v v1\n vadd.vx v1,v1,x7\n li x7,0x70000000");
    line("vsll.vi v2,v1,2\n vadd.vx v2,v2,x7");
    line(
        "vsll.vi v3,v1,2\n vadd.vx v3,v3,x6"); /* global memory for the same: what all groups share */
    for (u32 i = 0; i < NX; i++)
        line("lw x%u,%u(x6)", FIRST_X + i, 4 * below(ARGS));
    for (u32 i = 0; i < NV; i++)
        line("vlw12.v v%u,%u(v3)", FIRST_V + i, 4 * below(8 * lanes));
}

static void end_program(void)
{
    line(".Lend: csrr x7,instret\n sw x7,0(x11)\n csrr x7,rpc\n sw x7,4(x11)");
    for (u32 i = 0; i < NX; i++)
        line("sw x%u,%u(x11)", FIRST_X + i, 8 + 4 * i);
    line("vid.v v3\n vsll.vi v3,v3,2\n vadd.vx v3,v3,x11");
    for (u32 i = 0; i < NV; i++)
        line("vsw12.v v%u,%u(v3)", FIRST_V + i, 64 + 128 * i);
    line("endprg x0,x0,x0");
    line(".Lfn: addi x12,x12,1\n vadd.vx v4,v4,x13\n jr x9");
    line(".Lres: lr.w v5,(v3)\n barrier x0,x0,0\n sc.w v6,v5,(v3)\n jr x9");
    line(".Lset: sw x13,20(x6)\n jr x9");
    line(".Lmeet: add x13,x13,x20\n barrier x0,x0,0\n jr x9");
}

/* Skips to a new label in all warps but some; returns its number. */
static u32 skip_others(void)
{
    const u32 l = gen.labels++;
    if (one_in(2)) {
        line("li x7,%u\n bne x20,x7,.Ls%u", below(WARPS), l);
    } else {
        line("li x7,%u\n bne x21,x7,.Ls%u", below(8 * WARPS), l);
    }
    return l;
}

static void plain_statement(u32 lanes)
{
    static const char *const xx[] = {"add", "sub", "xor", "mul", "and", "sltu"};
    static const char *const vx[] = {"vadd.vx", "vxor.vx", "vmul.vx", "vrsub.vx"};
    static const char *const vv[] = {"vadd.vv", "vsub.vv", "vxor.vv", "vmul.vv"};
    switch (below(9)) {
    case 0:
    case 1: line("%s x%u,x%u,x%u", PICK(xx), an_x(), an_x(), an_x()); break;
    case 2: line("%s v%u,v%u,x%u", PICK(vx), a_v(), a_v(), an_x()); break;
    case 3: line("%s v%u,v%u,v%u", PICK(vv), a_v(), a_v(), a_v()); break;
    case 4: line("lw x%u,%u(x6)", an_x(), 4 * below(ARGS)); break;
    case 5: line("csrr x7,knl\n lw x7,4(x7)\n lw x%u,%u(x7)", an_x(), 4 * below(ARGS)); break;
    case 6: line("vsw12.v v%u,%u(v2)", a_v(), 4 * below(8)); break;
    case 7: line("vlw12.v v%u,%u(v2)", a_v(), 4 * below(2 * lanes)); break;
    default: {
        const u32 l = gen.labels++;
        set_meeting(l);
        line("%s v%u,v%u,.Le%u", divergent_branch(), a_v(), a_v(), l);
        line("vadd.vx v%u,v%u,x%u", a_v(), a_v(), an_x());
        line("j .Lm%u", l);
        label(".Le%u", l);
        line("vxor.vv v%u,v%u,v%u", a_v(), a_v(), a_v());
        label(".Lm%u", l);
        line("join x0,x0,0");
    }
    }
}

/* What a program is made for: rare things, besides those that all do. */
typedef struct {
    bool changes, faults, leaves;
} Aim;

/* What single warps do. */
static void rare_statement(const Aim *a)
{
    const u32 l = skip_others();
    switch (below(8)) {
    case 0: line("j .Lend"); break;
    case 1:
    case 2:
        if (a->changes)
            line("sw x%u,%u(x6)", an_x(), 4 * below(ARGS));
        break;
    case 3:
        if (a->changes)
            line("li x7,%#x\n sw x7,4(x5)", DATA + 4 * below(ARGS));
        break;
    case 4:
        if (a->faults)
            line("lw x%u,16(x0)", an_x());
        break;
    case 5:
    case 6:
        if (a->leaves)
            line("%s", one_in(2) ? UNKNOWN_CALL(".Lfn") : UNKNOWN_CALL(".Lmeet"));
        break;
    default: line("barrier x0,x0,0"); break;
    }
    label(".Ls%u", l);
}

static void statement(u32 lanes, const Aim *a)
{
    const bool is_rare = a->changes || a->faults || a->leaves;
    switch (below(is_rare ? 14 : 12)) {
    case 0:
    case 1: line("barrier x0,x0,0"); break;
    case 2:
    case 12:
    case 13: rare_statement(a); break;
    case 3: {
        const u32 l = gen.labels++;
        line("li x28,%u", 1 + below(3));
        label(".Lt%u", l);
        for (u32 i = 1 + below(4); i > 0; i--)
            one_in(3) ? line("barrier x0,x0,0") : plain_statement(lanes);
        line("addi x28,x28,-1\n bnez x28,.Lt%u", l);
        break;
    }
    case 4: { /* warps at two barriers at a time */
        const u32 l = gen.labels++;
        line("li x7,%u\n bltu x20,x7,.Lo%u", 1 + below(WARPS - 1), l);
        plain_statement(lanes);
        line("barrier x0,x0,0");
        plain_statement(lanes);
        line("j .Lj%u", l);
        label(".Lo%u", l);
        plain_statement(lanes);
        line("barrier x0,x0,0");
        label(".Lj%u", l);
        break;
    }
    default: plain_statement(lanes);
    }
}

static void programs(void **state)
{
    const Programs all = programs_to_try(60);
    (void)state;
    for (u64 n = all.first; n < all.end; n++) {
        const u32 lanes = 4u << n % 4, warps = n % 8 == 7 ? 1 : 2 + (u32)n % 3;
        const Aim aim = {.changes = n % 3 == 1, .faults = n % 5 == 2, .leaves = n % 7 == 3};
        const u32 first[2] = {DATA, DATA + 0x2000};
        /* of some groups the last warp has not all lanes */
        const Shape s = {.lanes = lanes,
                         .items = lanes * warps - (n % 6 == 5 ? 1 + (u32)n % 3 : 0),
                         .warps = warps,
                         .memory = n,
                         .first = first};
        gen_begin(n);
        begin_program(lanes);
        for (u32 i = 4 + below(24); i > 0; i--)
            statement(lanes, &aim);
        end_program();
        Twins t = twins_open("jit", 64);
        twins_load(&t);
        const DevResult r = twins_run(&t, &s, n);
        if (r.run.faulted && !aim.faults && !aim.changes)
            fail_msg("program %llu faults", (unsigned long long)n);
        const JitStats stats = twins_close(&t);
        const u64 handled = 2 * 8 * warps; /* at the end of each warp */
        if (!aim.leaves && !aim.changes && !aim.faults && stats.compiled != stats.insns - handled)
            fail_msg("program %llu: %llu of %llu instructions were compiled", (unsigned long long)n,
                     (unsigned long long)stats.compiled, (unsigned long long)stats.insns);
    }
    buf_free(&gen.text);
}

/* What changes between two barriers, or while one warp has left the code. */
static void changes_between(void **state)
{
    static const struct {
        const char *name, *text;
        u32 items;
        bool faults;
    } rows[] = {
        {"a warp that leaves the code behind a barrier goes no further than the others",
         "vsw12.v v4,0(v2)\n barrier x0,x0,0\n li x7,1\n bne x20,x7,1f\n" UNKNOWN_CALL(
             ".Lfn") "1: vadd.vx v5,v5,x20\n vsw12.v v5,0(v2)\n barrier x0,x0,0\n vlw12.v "
                     "v6,32(v2)\n",
         32, false},
        {"an argument that a warp has changed",
         "barrier x0,x0,0\n bnez x20,1f\n sw x13,20(x6)\n 1: barrier x0,x0,0\n csrr x7,knl\n"
         " lw x7,4(x7)\n lw x14,20(x7)\n",
         32, false},
        {"where arguments were before",
         "barrier x0,x0,0\n bnez x20,1f\n addi x7,x6,32\n sw x7,4(x5)\n 1: barrier x0,x0,0\n"
         " lw x14,20(x6)\n",
         32, false},
        {"an argument that changes where the code is not known",
         "bnez x20,1f\n" UNKNOWN_CALL(".Lset") "1: csrr x7,knl\n lw x7,4(x7)\n lw x14,20(x7)\n"
                                               " barrier x0,x0,0\n",
         31, false},
        {"the first warp ends before the others",
         "beqz x20,.Lend\n barrier x0,x0,0\n vadd.vx v5,v5,x20\n vsw12.v v5,0(v2)\n"
         " barrier x0,x0,0\n vlw12.v v6,32(v2)\n",
         31, false},
        {"the last warp, which has not all lanes, goes on where another one has left the code",
         "vsw12.v v4,0(v2)\n barrier x0,x0,0\n li x7,1\n bne x20,x7,1f\n" UNKNOWN_CALL(
             ".Lmeet") "j 2f\n 1: vadd.vx v5,v5,x20\n barrier x0,x0,0\n 2: vsw12.v v5,0(v2)\n "
                       "barrier x0,x0,0\n"
                       " vlw12.v v6,0(v2)\n barrier x0,x0,0\n vsw12.v v6,16(v2)\n",
         29, false},
        {"a store ends what another warp has reserved where the code is not known",
         "li x7,0x800\n vadd.vx v3,v3,x7\n bnez x20,1f\n" UNKNOWN_CALL(
             ".Lres") "j 2f\n 1: li x7,1\n"
                      " bne x20,x7,3f\n vsw12.v v4,-32(v3)\n 3: barrier x0,x0,0\n 2: barrier "
                      "x0,x0,0\n",
         32, false},
        {"a page of code ends at a barrier, and there is no other",
         "vsw12.v v4,0(v2)\n csrr x7,wgid\n beqz x7,.Lend\n j .Llast\n", 32, true},
    };
    const u32 first[2] = {DATA, DATA + 0x2000};
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        const Shape s = {
            .lanes = 8, .items = rows[i].items, .warps = WARPS, .memory = 1, .first = first};
        gen_begin(i + 1);
        begin_program(8);
        buf_str(&gen.text, rows[i].text);
        end_program();
        line(".balign 2048\n .skip 2044\n.Llast: barrier x0,x0,0");
        print_message("%s\n", rows[i].name);
        Twins t = twins_open("jit", 64);
        twins_load(&t);
        assert_int_equal(twins_run(&t, &s, i).run.faulted, rows[i].faults);
        twins_close(&t);
    }
    buf_free(&gen.text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs),
                                       cmocka_unit_test(changes_between)};
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
