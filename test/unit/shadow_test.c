/* Shadows of registers: what an operation makes of bits that nobody wrote.  A bit of the result may depend
 * on them only if it is in its shadow: each operation runs again and again with other values of these bits.
 * And no more is in it than must be, where that is promised.
 */
#include "check/registers.h"
#include "test/kit/launchrig.h"

enum { LANES = 8, SOURCES = 5, RUNS = 48, ROUNDS = 12 };
enum { V0, V1, V2, V3, S2 }; /* the sources; v3 is the result, too */

static u32 rnd(void)
{
    static u64 seed = 1;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (u32)(seed >> 32);
}

/* some bits, many, few, or none */
static u32 some_bits(void)
{
    switch (rnd() % 6) {
    case 0: return 0;
    case 1: return rnd() & rnd() & rnd();
    case 2: return rnd() << rnd() % 32;
    case 3: return 1u << rnd() % 32;
    case 4: return rnd() % 2 ? UINT32_MAX : 0xff;
    default: return rnd();
    }
}

typedef enum {
    SOUND,
    SOME,
    LOWEST,
    EXACT
} Promise; /* of the shadow: nothing; whether there is any; its lowest bit; each */

static const struct {
    const char *op;
    Promise promise, alone; /* alone: where only bits of v1 are unwritten */
} ops[] = {
    {"vand.vv v3, v1, v2", EXACT, EXACT},
    {"vor.vv v3, v1, v2", EXACT, EXACT},
    {"vxor.vv v3, v1, v2", EXACT, EXACT},
    {"vand.vx v3, v1, s2", EXACT, EXACT},
    {"vor.vx v3, v1, s2", EXACT, EXACT},
    {"vxor.vx v3, v1, s2", EXACT, EXACT},
    {"vand.vi v3, v1, 9", EXACT, EXACT},
    {"vor.vi v3, v1, -7", EXACT, EXACT},
    {"vxor.vi v3, v1, 5", EXACT, EXACT},
    {"vand.vv v3, v3, v2", EXACT, EXACT},
    {"vor.vv v3, v1, v3", EXACT, EXACT},
    {"vsll.vi v3, v3, 3", EXACT, EXACT},
    {"vsll.vi v3, v1, 7", EXACT, EXACT},
    {"vsrl.vi v3, v1, 5", EXACT, EXACT},
    {"vsra.vi v3, v1, 9", EXACT, EXACT},
    {"vzext.vf2 v3, v1", EXACT, EXACT},
    {"vzext.vf4 v3, v1", EXACT, EXACT},
    {"vsext.vf2 v3, v1", EXACT, EXACT},
    {"vsext.vf4 v3, v1", EXACT, EXACT},
    {"vmv.v.v v3, v1", EXACT, EXACT},
    {"vmv.v.x v3, s2", EXACT, EXACT},
    {"vmv.v.i v3, 3", EXACT, EXACT},
    {"vadd.vv v3, v1, v2", LOWEST, LOWEST},
    {"vadd.vx v3, v1, s2", LOWEST, LOWEST},
    {"vadd.vi v3, v1, 3", LOWEST, LOWEST},
    {"vadd.vi v3, v1, 0", EXACT, EXACT},
    {"vsub.vv v3, v1, v2", LOWEST, LOWEST},
    {"vrsub.vi v3, v1, 3", SOUND, SOUND},
    {"vsub.vv v3, v3, v2", LOWEST, LOWEST},
    {"vadd.vv v3, v1, v3", LOWEST, LOWEST},
    {"vmul.vv v3, v1, v2", SOUND, LOWEST},
    {"vmul.vx v3, v1, s2", SOUND, LOWEST},
    {"vmul.vv v3, v3, v2", SOUND, LOWEST},
    {"vsll.vv v3, v1, v2", SOUND, EXACT},
    {"vsrl.vx v3, v1, s2", SOUND, EXACT},
    {"vsra.vv v3, v1, v2", SOUND, EXACT},
    {"vmacc.vv v3, v1, v2", SOUND, LOWEST},
    {"vnmsac.vv v3, v1, v2", SOUND, LOWEST},
    {"vmadd.vv v3, v1, v2", SOUND, LOWEST},
    {"vnmsub.vv v3, v1, v2", SOUND, LOWEST},
    {"vmacc.vx v3, s2, v2", SOUND, LOWEST},
    {"vmadd.vx v3, s2, v2", SOUND, LOWEST},
    {"vdivu.vv v3, v1, v2", SOUND, SOUND},
    {"vrem.vv v3, v1, v2", SOUND, SOUND},
    {"vmax.vv v3, v1, v2", SOUND, SOUND},
    {"vmulh.vv v3, v1, v2", SOUND, SOUND},
    {"vmerge.vvm v3, v1, v2, v0", SOUND, EXACT},
    {"vmerge.vxm v3, v1, s2, v0", SOUND, EXACT},
    {"vmerge.vim v3, v1, 5, v0", SOUND, EXACT},
    {"vmerge.vvm v3, v3, v2, v0", SOUND, EXACT},
    {"vmseq.vv v3, v1, v2", SOUND, SOUND},
    {"vmsltu.vx v3, v1, s2", SOUND, SOUND},
    {"vmsgt.vi v3, v1, 3", SOUND, SOUND},
    {"vfadd.vv v3, v1, v2", SOUND, SOUND},
    {"vfmul.vf v3, v1, s2", SOUND, SOUND},
    {"vfmacc.vv v3, v1, v2", SOUND, SOUND},
    {"vfmacc.vv v1, v2, v3", SOUND, SOUND},
    {"vfnmsub.vv v1, v2, v3", SOUND, SOUND},
    {"vmerge.vvm v0, v1, v2, v0", SOUND, EXACT},
    {"vmerge.vim v0, v1, 1, v0", SOUND, EXACT},
    {"vxor.vv v1, v1, v2", EXACT, EXACT},
    {"vadd.vv v1, v2, v1", LOWEST, LOWEST},
    {"vmv.x.s s3, v1", SOME, SOME},
    {"andi s3, s2, 12", EXACT, EXACT},
    {"ori s2, s2, 12", EXACT, EXACT},
    {"slli s3, s2, 4", EXACT, EXACT},
    {"srai s2, s2, 4", EXACT, EXACT},
    {"add s3, s2, s1", LOWEST, LOWEST},
    {"xori s3, s2, -1", EXACT, EXACT},
    {"mul s3, s2, s1", SOUND, SOUND},
    {"sltu s3, s2, s1", SOUND, SOUND},
};

/* --- one operation ------------------------------------------------------------------------------ */

typedef struct {
    u32 pc;
    u32 hidden[SOURCES][MAX_LANES]; /* bits that nobody wrote */
    u32 shadow[MAX_LANES], result[MAX_LANES];
} Case;

static Verdict hear(void *self, const Event *e)
{
    static const u32 numbers[SOURCES] = {0, 1, 2, 3, WATCH_X + 18};
    static Registers r;
    Case *c = self;
    const IsaRegs *d = NULL;
    if (e->step->pc != c->pc)
        return GO_ON;
    for (int i = 0; i < e->step->facts->nregs; i++)
        d = e->step->facts->reg[i].is_written ? &e->step->facts->reg[i] : d;
    registers_reset(&r);
    for (int i = 0; i < SOURCES; i++)
        registers_write(&r, numbers[i], UINT32_MAX, e->warp->initial, c->hidden[i]);
    registers_write(&r, WATCH_X + 9, UINT32_MAX, e->warp->initial, NULL);
    registers_compute(&r, e->warp, e->step, d);
    for (u32 i = 0; i < LANES; i++) {
        c->shadow[i] = shadow_of(&r, number_of(d, 0), i);
        c->result[i] = d->is_vector ? e->warp->v[d->first][i] : e->warp->x[d->first];
    }
    return GO_ON;
}

static void run(Case *c, u32 in[SOURCES][MAX_LANES])
{
    const Observer o = {.self = c, .events = EVENT_insn, .tell = hear};
    for (int i = 0; i < SOURCES; i++)
        memcpy(rig.data + 64 * i, in[i], LANES * 4);
    rig_must_run(&(LaunchOptions){.observers = &o, .nobservers = 1});
}

static void load(Case *c, const char *op)
{
    char text[512];
    snprintf(text, sizeof text,
             "lui s1, 0x90000\n vid.v v10\n vsll.vi v10, v10, 2\n vadd.vx v10, v10, s1\n"
             "vlw12.v v0, 0(v10)\n vlw12.v v1, 256(v10)\n vlw12.v v2, 512(v10)\n"
             "vlw12.v v3, 768(v10)\n lw s2, 1024(s1)\n %s\n endprg x0, x0, x0\n",
             op);
    rig_load(V202, LANES, text);
    c->pc = CODE_LO + 9 * 4;
}

static void shadows_of_results(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(ops); i++)
        for (u32 round = 0; round < ROUNDS; round++) {
            const Promise promise = round % 2 ? ops[i].promise : ops[i].alone;
            Case c = {.pc = 0}, again;
            u32 in[SOURCES][MAX_LANES], other[SOURCES][MAX_LANES], differs[MAX_LANES] = {0};
            load(&c, ops[i].op);
            for (int k = 0; k < SOURCES; k++)
                for (u32 lane = 0; lane < MAX_LANES; lane++) {
                    in[k][lane] = some_bits();
                    c.hidden[k][lane] = round % 2 || k == V1 ? some_bits() : 0;
                }
            run(&c, in);
            for (u32 n = 0; n < RUNS; n++) {
                again = c;
                for (int k = 0; k < SOURCES; k++)
                    for (u32 lane = 0; lane < MAX_LANES; lane++)
                        other[k][lane] = in[k][lane] ^ (c.hidden[k][lane] & rnd());
                run(&again, other);
                for (u32 lane = 0; lane < LANES; lane++)
                    differs[lane] |= c.result[lane] ^ again.result[lane];
            }
            for (u32 lane = 0; lane < LANES; lane++) {
                const u32 s = c.shadow[lane], d = differs[lane];
                const bool is_promised = promise == EXACT    ? s == d
                                         : promise == SOME   ? !s == !d
                                         : promise == LOWEST ? (s & -s) == (d & -d)
                                                             : true;
                if (d & ~s || !is_promised)
                    fail_msg("%s, lane %u: shadow %08x, but %08x depends on it", ops[i].op, lane, s,
                             d);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shadows_of_results)};
    return cmocka_run_group_tests(tests, rig_set_up, rig_tear_down);
}
