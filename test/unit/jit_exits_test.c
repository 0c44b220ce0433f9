/* jit_exits_test.c -- what host code leaves of a warp where it returns: which registers it writes
 * back (those that it has written, and that may be read later), the pc, the count, the entry; by
 * hand for each way out, in optimised code and in quick code, whose registers are in the warp.
 */
#include "test/kit/hostrig.h"
#include <stdio.h>

enum { LANES = 8 };

/* What a program leaves that begins with an odd number in each register. */
typedef struct {
    const char *text, *back; /* registers that are written back */
    u32 pc, insns;           /* from CODE_LO on */
    enum { ANYWHERE, WAITS, ENDS, LATE } how;
    u64 limit;         /* 0: none */
    const char *quick; /* those of quick code besides; NULL: none */
} Exit;

#define MEET ".Lp: auipc x30,%pcrel_hi(.Lm)\n setrpc x0,x30,%pcrel_lo(.Lp)\n"

static const Exit exits[] = {
    /* the end: nobody reads anything */
    {"li x5,2\n vmv.v.i v5,4\n endprg x0,x0,x0\n", "", 12, 3, .how = ENDS, .quick = "x5 v5"},
    /* anywhere: all that is written, and no more */
    {"li x5,2\n vmv.v.i v5,4\n jr x9\n", "x5 v5", 0x100, 3, .how = ANYWHERE},
    {"addi x5,x6,1\n vadd.vi v5,v6,1\n lw x7,0(x8)\n jr x9\n", "x5 x7 v5", 0x100, 4,
     .how = ANYWHERE},
    {"li x5,2\n jalr x1,4(x9)\n", "x1 x5", 0x104, 2, .how = ANYWHERE},
    {"jalr x9,0(x9)\n", "x9", 0x100, 1, .how = ANYWHERE},
    {"addi x40,x6,1\n vadd.vi v200,v6,1\n vadd.vi v31,v6,1\n addi x63,x6,1\n jr x9\n",
     "x40 x63 v31 v200", 0x100, 8, .how = ANYWHERE},
    {"nop\n j .-0x40\n", "", -0x3cu, 2, .how = ANYWHERE},
    /* code that is left to the interpreter, before it */
    {"li x5,2\n li x5,4\n vmv.v.i v5,4\n csrrwi x0,frm,1\n", "x5 v5", 12, 3, .how = ANYWHERE},
    {"li x5,2\n vsetivli x6,4,e32,m1,ta,ma\n", "x5", 4, 1, .how = ANYWHERE},
    /* a sure fault: nobody reads anything */
    {"li x5,2\n vmv.v.i v5,4\n .word 0xffffffff\n", "", 8, 2, .how = ANYWHERE, .quick = "x5 v5"},
    /* all lanes on: vl is what it was */
    {"vsetvli x5,x0,e32,m1,ta,ma\n jr x9\n", "x5", 0x100, 2, .how = ANYWHERE},
    /* a barrier: what is read behind it */
    {"li x5,2\n li x6,2\n vmv.v.i v5,4\n vmv.v.i v6,4\n barrier x0,x0,0\n sw x5,0(x8)\n"
     " vsw12.v v6,0(v1)\n endprg x0,x0,x0\n",
     "x5 v6", 20, 5, .how = WAITS, .quick = "x6 v5"},
    {"li x5,2\n li x6,2\n barrier x0,x0,0\n li x5,4\n jr x9\n", "x6", 12, 3, .how = WAITS,
     .quick = "x5"},
    {"li x5,2\n barrier x0,x0,0\n beqz x7,1f\n li x5,6\n1: sw x5,0(x8)\n endprg x0,x0,x0\n", "x5",
     8, 2, .how = WAITS},
    /* the limit, where a cycle begins: what is read from there on */
    {"li x5,40\n1: addi x6,x6,2\n li x7,4\n vmv.v.i v5,4\n vadd.vi v6,v6,2\n addi x5,x5,-1\n"
     " bnez x5,1b\n sw x6,0(x8)\n sw x7,0(x8)\n vsw12.v v6,0(v1)\n endprg x0,x0,x0\n",
     "x5 x6 v6", 4, 13, .how = LATE, .limit = 10, .quick = "x7 v5"},
    {"li x5,40\n1: addi x6,x6,2\n addi x5,x5,-1\n beqz x6,2f\n bnez x5,1b\n jr x9\n2: li x6,2\n"
     " endprg x0,x0,x0\n",
     "x5 x6", 4, 5, .how = LATE, .limit = 2},
    /* lanes that part come together again; they come to the join three times */
    {MEET " vblt v1,v5,.Lm\n vadd.vi v6,v6,2\n.Lm: join x0,x0,0\n vadd.vi v7,v7,2\n jr x9\n",
     "x30 v6 v7", 0x100, 9, .how = ANYWHERE},
};

/* Whether the register, by its name, is among those named. */
static bool is_among(const char *names, const char *name)
{
    const size_t len = strlen(name);
    for (const char *at = names; at && (at = strstr(at, name)); at += len)
        if ((at == names || at[-1] == ' ') && (!at[len] || at[len] == ' '))
            return true;
    return false;
}

static u32 before_x(u32 n) { return n ? 0x10001 + 0x100 * n : 0; }
static u32 before_v(u32 n, u32 lane) { return 0x20001 + 0x1000 * n + 2 * lane; }

static void begin_warp(Warp *w)
{
    memset(w->v, 0, sizeof w->v);
    for (u32 n = 0; n < 64; n++)
        w->x[n] = before_x(n);
    for (u32 n = 0; n < 256; n++)
        for (u32 i = 0; i < LANES; i++)
            w->v[n][i] = before_v(n, i);
    for (u32 i = 0; i < LANES; i++) {
        w->v[1][i] = DATA + 5 * i; /* two lanes are below v5 */
        w->v[5][i] = DATA + 9;
    }
    w->x[8] = DATA;
    w->x[9] = CODE_LO + 0x100;
    w->pc = CODE_LO;
    w->state = WARP_READY;
    w->reentry = 0;
    w->ninsns = 0;
    w->nsimt = 0;
    w->initial = w->mask = (1u << LANES) - 1;
}

/* The registers of a warp. */
typedef struct {
    u32 x[64], v[256][MAX_LANES];
} Registers;

static void expect_registers(const Exit *e, const Warp *w, const Registers *was, bool quick)
{
    char name[8];
    for (u32 n = 1; n < 64 + 256; n++) {
        const bool is_x = n < 64;
        const bool changed =
            is_x ? w->x[n] != was->x[n] : memcmp(w->v[n - 64], was->v[n - 64], 4 * LANES);
        snprintf(name, sizeof name, "%c%u", is_x ? 'x' : 'v', is_x ? n : n - 64);
        const bool want = is_among(e->back, name) || (quick && is_among(e->quick, name));
        if (changed != want)
            fail_msg("%s%s: %s is %swritten back", e->text, quick ? "quick code" : "optimised",
                     name, want ? "not " : "");
    }
}

static void expect_exit(const Exit *e, CodeKind kind)
{
    static Registers was;
    rig_load(V202, LANES, e->text);
    host_make((WarpShape){.full = true}, kind, false);
    Group *g = host.group;
    Warp *w = g->warps;
    begin_warp(w);
    memcpy(was.x, w->x, sizeof was.x);
    memcpy(was.v, w->v, sizeof was.v);
    HostEnv env = host_env();
    const u32 back = host_run_by(&env, w, w->initial, 0, e->limit ? e->limit : UINT64_MAX);
    expect_registers(e, w, &was, kind == CODE_QUICK);
    assert_false(g->faulted);
    if (w->ninsns != e->insns || w->pc != CODE_LO + e->pc || w->mask != w->initial)
        fail_msg("%s: %llu instructions, not %u; pc %x, not %x", e->text,
                 (unsigned long long)w->ninsns, e->insns, w->pc - CODE_LO, e->pc);
    assert_int_equal(w->state, e->how == WAITS  ? WARP_WAITING
                               : e->how == ENDS ? WARP_DONE
                                                : WARP_READY);
    const u32 at = (u32)region_find(host.region, w->pc, true);
    assert_int_equal(back, e->how == ANYWHERE ? (u32)HOST_ANYWHERE
                           : e->how == LATE   ? at
                                              : (u32)HOST_STOPPED);
    assert_int_equal(w->reentry, e->how == WAITS ? 1 + at : 0);
}

static void optimised_code(void **state)
{
    (void)state;
    assert_true(host_open("base", V202));
    for (size_t i = 0; i < countof(exits); i++)
        for (int kind = CODE_PLAIN; kind <= CODE_HEADERS; kind++)
            expect_exit(&exits[i], (CodeKind)kind);
    host_close();
}

static void quick_code(void **state)
{
    (void)state;
    assert_true(host_open("base", V202));
    for (size_t i = 0; i < countof(exits); i++)
        expect_exit(&exits[i], CODE_QUICK);
    host_close();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(optimised_code),
        cmocka_unit_test(quick_code),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    setenv("VENTUS_CACHE", "0", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
