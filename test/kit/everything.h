/* everything.h -- a program that does of everything, with one result whatever the order, on the rig of launchrig.h; and
 * groups of it by hand. */
#ifndef KIT_EVERYTHING_H
#define KIT_EVERYTHING_H
#include "mach/engine.h"
#include "test/kit/launchrig.h"

enum { OUT = 0x400 }; /* words of rig.data: results lie apart from what programs count in */

/* Each group counts its work-items in local memory, meets, and adds what it counted to a word of
 * the launch; lanes with odd numbers go another way; each work-item keeps a value in private memory. */
static const char everything[] =
    "    li      s1, 0x90000000\n"
    "    csrr    s2, CSR_TID\n"
    "    vid.v   v1\n"
    "    vadd.vx v1, v1, s2\n"           /* local id */
    "    vmv.v.i v0, 0\n"
    "    vmv.v.i v2, 1\n"
    "    li      t0, 0x70000000\n"
    "    vmv.v.x v3, t0\n"
    "    amoadd.w  v4, v2, (v3)\n"       /* local memory: how many came before */
    "    barrier x0, x0, 1\n"
    "    vlw12.v v5, 0(v3)\n"            /* all of the group */
    "    vand.vi v6, v1, 1\n"
    "1:  auipc   t1, %pcrel_hi(2f)\n"
    "    setrpc  zero, t1, %pcrel_lo(1b)\n"
    "    vbne    v6, v0, 3f\n"
    "    vadd.vi v5, v5, 7\n"
    "    j       2f\n"
    "3:  vadd.vi v5, v5, 9\n"
    "2:  join    zero, zero, 0\n"
    "    csrr    t0, CSR_PDS\n"
    "    vmv.v.x v7, t0\n"
    "    vsll.vi v8, v1, 2\n"
    "    vadd.vv v7, v7, v8\n"
    "    vlw12.v v9, 0(v7)\n"            /* 0: private memory is clean */
    "    vadd.vv v5, v5, v9\n"
    "    vsw12.v v5, 0(v7)\n"
    "    barrier x0, x0, 1\n"
    "    vlw12.v v5, 0(v7)\n"
    "    csrr    t0, CSR_GIDX\n"
    "    csrr    t1, CSR_NUMW\n"
    "    csrr    t2, CSR_NUMT\n"
    "    mul     t1, t1, t2\n"
    "    mul     t0, t0, t1\n"
    "    vadd.vx v1, v1, t0\n"           /* global id */
    "    vsll.vi v8, v1, 2\n"
    "    li      t0, 0x90001000\n"
    "    vadd.vx v8, v8, t0\n"
    "    vsw12.v v5, 0(v8)\n"
    "    vmv.v.x v8, s1\n"
    "    amoadd.w  v9, v5, (v8)\n"       /* the sum of the launch */
    "    endprg  x0, x0, x0\n";

enum { GROUPS = 6, WARPS = 3, LANES = 8, ITEMS = WARPS * LANES };

/* Makes it the next launch of the rig; and what that must have left in memory. */
static inline void load_everything(void)
{
    rig_load(V202, LANES, everything);
    rig.launch.groups[0] = GROUPS;
    rig.launch.warps = WARPS;
}

static inline void check_everything(void)
{
    u32 sum = 0;
    for (u32 i = 0; i < GROUPS * ITEMS; i++) {
        const u32 want = ITEMS + (i & 1 ? 9 : 7);
        if (rig.data[OUT + i] != want)
            fail_msg("item %u: %u, should be %u", i, rig.data[OUT + i], want);
        sum += want;
    }
    assert_int_equal(rig.data[0], sum);
}

/* The first group, in a context that notes its accesses; leave() gives it back. */
static inline Group *resident(void)
{
    Group *g = sim_take_group(rig.sim, &rig.launch);
    assert_non_null(g);
    group_begin(g, 0);
    group_note_accesses(g, true);
    return g;
}

static inline void leave(Group *g)
{
    group_end(g);
    sim_give_group(rig.sim, g);
}

/* Runs one instruction; what it did, until the next is run. */
static inline const Step *step(Group *g, u32 warp)
{
    static Step s;
    sim_step(rig.engine, &g->warps[warp], &s);
    return &s;
}
#endif
