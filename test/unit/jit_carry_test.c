/* jit_carry_test.c -- rows that are known where ways meet (jit/carried.c): code that is entered behind a barrier, or at the
 * head of a loop, takes what it knows out of the warp's registers, and leaves the region where a lane has something else.
 */
#include "test/kit/hostrig.h"

enum { SEEN = 0x1000 /* where lanes store, behind DATA */, WORDS = 64 };

static const u32 lanes_of[] = {4, 8, 32};
static const char *const levels[] = {"base", "avx2", "avx512"};

/* v1: where each lane loads; what it loads goes SEEN bytes farther. */
#define PLACES "vid.v v1\n vsll.vi v1,v1,2\n vadd.vx v1,v1,x8\n li x7,4096\n"
#define MOVE   "vlw12.v v2,0(v1)\n vadd.vx v3,v1,x7\n vsw12.v v2,0(v3)\n"

static Warp *begin(const char *text, u32 lanes, CodeKind kind)
{
    rig_load(V202, lanes, text);
    host_make((WarpShape){.full = true}, kind, false);
    Warp *w = host.group->warps;
    memset(w->v, 0, sizeof w->v);
    memset(w->x, 0, sizeof w->x);
    w->x[8] = DATA;
    w->pc = CODE_LO;
    w->state = WARP_READY;
    w->reentry = w->nsimt = 0;
    w->ninsns = 0;
    w->initial = UINT32_MAX >> (32 - lanes);
    for (u32 i = 0; i < WORDS; i++) {
        const u32 number = 100 + i, none = 0;
        memcpy(rig.memory.base + DATA + 4 * i, &number, 4);
        memcpy(rig.memory.base + DATA + SEEN + 4 * i, &none, 4);
    }
    return w;
}

static u32 seen(u32 i)
{
    u32 v;
    memcpy(&v, rig.memory.base + DATA + SEEN + 4 * i, 4);
    return v;
}

/* A warp that has come to `pc` enters there once for each of its lanes, of whose row something is changed, and is left as
 * it is; then it goes on as it should.  What code returned last. */
static u32 enter_changed(Warp *w, u32 lanes, u32 entry, u64 limit)
{
    HostEnv env = host_env();
    const u64 insns = w->ninsns;
    const u32 pc = w->pc, before = seen(0);
    for (u32 k = 0; k < lanes; k++) {
        w->state = WARP_READY;
        w->reentry = 0;
        w->v[1][k] ^= 4;
        w->pc = 0;
        assert_int_equal(host_run_by(&env, w, w->initial, entry, limit), (u32)HOST_ANYWHERE);
        assert_int_equal(w->pc, pc);
        assert_true(w->ninsns == insns);
        assert_int_equal(w->state, WARP_READY);
        assert_int_equal(seen(0), before);
        w->v[1][k] ^= 4;
    }
    w->state = WARP_READY;
    return host_run_by(&env, w, w->initial, entry, limit);
}

static void behind_a_barrier(void **state)
{
    const char *const level = levels[level_of(state)];
    if (!host_open(level, V202))
        skip_because("this processor has not %s", level);
    for (size_t n = 0; n < countof(lanes_of); n++) {
        const u32 lanes = lanes_of[n];
        Warp *w = begin(PLACES "barrier x0,x0,0\n" MOVE " endprg x0,x0,x0\n", lanes, CODE_PLAIN);
        HostEnv env = host_env();
        assert_int_equal(host_run_by(&env, w, w->initial, 0, UINT64_MAX), (u32)HOST_STOPPED);
        assert_int_equal(w->state, WARP_WAITING);
        assert_int_equal(enter_changed(w, lanes, w->reentry, UINT64_MAX), (u32)HOST_STOPPED);
        assert_int_equal(w->state, WARP_DONE);
        for (u32 i = 0; i < WORDS; i++)
            assert_int_equal(seen(i), i < lanes ? 100 + i : 0);
    }
    host_close();
}

/* Each round moves a row of words, one word farther than the one before. */
static void in_a_loop(void **state)
{
    enum { ROUNDS = 9 };
    const char *const level = levels[level_of(state)];
    if (!host_open(level, V202))
        skip_because("this processor has not %s", level);
    for (size_t n = 0; n < countof(lanes_of); n++) {
        const u32 lanes = lanes_of[n];
        Warp *w = begin(PLACES "li x5,9\n1: " MOVE
                               " vadd.vi v1,v1,4\n addi x5,x5,-1\n bnez x5,1b\n endprg x0,x0,x0\n",
                        lanes, CODE_HEADERS);
        HostEnv env = host_env();
        const u32 back = host_run_by(&env, w, w->initial, 0, 12);
        assert_true(back < host.region->nblock);
        assert_int_equal(w->pc, host.region->block[back].pc);
        assert_true(w->x[5] > 0 && w->x[5] < ROUNDS);
        assert_int_equal(enter_changed(w, lanes, 1 + back, UINT64_MAX), (u32)HOST_STOPPED);
        assert_int_equal(w->state, WARP_DONE);
        for (u32 i = 0; i < WORDS; i++)
            assert_int_equal(seen(i), i < lanes + ROUNDS - 1 ? 100 + i : 0);
    }
    host_close();
}

/* A way back that has something else, and a way round a block with another row: what all agree about is known alone. */
static const struct {
    const char *text, *what;
} others[] = {
    {"li x5,3\n1: " MOVE " vmul.vv v1,v1,v4\n addi x5,x5,-1\n bnez x5,1b\n", "changed by a row"},
    {"li x5,3\n li x6,1\n1: " MOVE " beqz x6,2f\n vadd.vi v1,v1,8\n2: vadd.vi v1,v1,4\n li x6,0\n"
     " addi x5,x5,-1\n bnez x5,1b\n",
     "two ways"},
    {"li x5,3\n1: " MOVE " vmv.v.x v1,x8\n vadd.vi v1,v1,8\n addi x5,x5,-1\n bnez x5,1b\n",
     "another row"},
    {"li x5,3\n1: " MOVE " vrsub.vi v1,v1,0\n vrsub.vi v1,v1,0\n addi x5,x5,-1\n bnez x5,1b\n",
     "there and back"},
    {"li x5,3\n vmv.v.v v6,v1\n1: " MOVE
     " vmv.v.v v9,v1\n vmv.v.v v1,v6\n vadd.vi v6,v9,4\n addi x5,x5,-1\n bnez x5,1b\n",
     "exchanged"},
};

static void ways_that_differ(void **state)
{
    static u32 want[WORDS];
    const char *const level = levels[level_of(state)];
    if (!host_open(level, V202))
        skip_because("this processor has not %s", level);
    for (size_t n = 0; n < countof(lanes_of) * countof(others); n++) {
        const u32 lanes = lanes_of[n / countof(others)];
        char text[600];
        snprintf(text, sizeof text, PLACES "vmv.v.i v4,1\n %s endprg x0,x0,x0\n",
                 others[n % countof(others)].text);
        for (int kind = CODE_PLAIN; kind >= CODE_QUICK; kind--) {
            Warp *w = begin(text, lanes, (CodeKind)kind);
            HostEnv env = host_env();
            const u32 back = host_run_by(&env, w, w->initial, 0, UINT64_MAX);
            for (u32 i = 0; i < WORDS; i++) {
                if (kind == CODE_PLAIN)
                    want[i] = seen(i);
                if (back != (u32)HOST_STOPPED || seen(i) != want[i])
                    fail_msg("%s, %u lanes: word %u is %u, not %u",
                             others[n % countof(others)].what, lanes, i, seen(i), want[i]);
            }
        }
    }
    host_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {TESTS_BY_LEVEL(behind_a_barrier), TESTS_BY_LEVEL(in_a_loop),
                                       TESTS_BY_LEVEL(ways_that_differ)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
