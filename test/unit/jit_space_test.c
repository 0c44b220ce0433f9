/* jit_space_test.c -- accesses of host code by space: private memory of a lane, of the warp's and
 * of the group's kind, local and global memory, the flat rule, records of several words.  What they
 * leave is what the interpreter leaves; which of them the engine makes is known from the addresses
 * (doc/isa.md, "Memory" and "Memory prefixes") and the range that is remembered.
 */
#include "test/kit/hostrig.h"
#include "test/kit/random.h"

/* v1: addresses, v8 to v11: what is loaded, v16 to v19: what is stored. */
typedef struct {
    const char *text;
    u32 width, words;
    i32 imm;
    bool stores;
    enum { FLAT, GLOBAL, LOCAL, PRIVATE, GROUP } space;
} Form;

static const Form new_forms[] = {
    {"vlw12.v v8,8(v1)", 4, 1, 8, false, FLAT},
    {"vlh12.v v8,-2(v1)", 2, 1, -2, false, FLAT},
    {"vlbu12.v v8,1(v1)", 1, 1, 1, false, FLAT},
    {"vsw12.v v16,4(v1)", 4, 1, 4, true, FLAT},
    {"vsb12.v v16,3(v1)", 1, 1, 3, true, FLAT},
    {"vlw_global.v v8,8(v1)", 4, 1, 8, false, GLOBAL},
    {"vsh_global.v v16,2(v1)", 2, 1, 2, true, GLOBAL},
    {"vlw_local.v v8,16(v1)", 4, 1, 16, false, LOCAL},
    {"vlh_local.v v8,2(v1)", 2, 1, 2, false, LOCAL},
    {"vsw_local.v v16,8(v1)", 4, 1, 8, true, LOCAL},
    {"vsb_local.v v16,1(v1)", 1, 1, 1, true, LOCAL},
    {"vlw_private.v v8,4(v1)", 4, 1, 4, false, PRIVATE},
    {"vlhu_private.v v8,2(v1)", 2, 1, 2, false, PRIVATE},
    {"vlb_private.v v8,1(v1)", 1, 1, 1, false, PRIVATE},
    {"vsw_private.v v16,8(v1)", 4, 1, 8, true, PRIVATE},
    {"vsh_private.v v16,6(v1)", 2, 1, 6, true, PRIVATE},
    {"pre_m_64\n vlw12.v v8,8(v1)", 4, 2, 8, false, FLAT},
    {"pre_m_96\n vlw12.v v8,0(v1)", 4, 3, 0, false, FLAT},
    {"pre_m_128\n vlw12.v v8,-4(v1)", 4, 4, -4, false, FLAT},
    {"pre_m_64\n vsw12.v v16,8(v1)", 4, 2, 8, true, FLAT},
    {"pre_m_96\n vsw12.v v16,4(v1)", 4, 3, 4, true, FLAT},
    {"pre_m_global_128\n vsw12.v v16,0(v1)", 4, 4, 0, true, GLOBAL},
    {"pre_m_local_96\n vlw12.v v8,4(v1)", 4, 3, 4, false, LOCAL},
    {"pre_m_local_64\n vsw12.v v16,12(v1)", 4, 2, 12, true, LOCAL},
    {"pre_m_private_64\n vlw12.v v8,4(v1)", 4, 2, 4, false, PRIVATE},
};

static const Form old_forms[] = {
    {"vlw.v v8,4(v1)", 4, 1, 4, false, GROUP}, {"vlhu.v v8,2(v1)", 2, 1, 2, false, GROUP},
    {"vlb.v v8,1(v1)", 1, 1, 1, false, GROUP}, {"vsw.v v16,8(v1)", 4, 1, 8, true, GROUP},
    {"vsb.v v16,3(v1)", 1, 1, 3, true, GROUP},
};

enum { WARPS = 2, WARP = 1, PDS_LANE = 64, BYTES = 2 * PAGE_SIZE, SITES = 32 };

static const struct {
    const char *name;
    u32 chunk;
    bool gathers;
} levels[] = {{"base", 4, false}, {"avx2", 8, false}, {"avx512", 16, true}};

static const Form *forms;
static u32 nforms, lanes, mask, site[SITES];
static bool full;

/* --- programs -------------------------------------------------------------------------- */

static void make_forms(u32 level, bool all, IsaSet set)
{
    Buf text = {0};
    full = all;
    lanes = 2 * levels[level].chunk;
    for (u32 k = 0; k < nforms; k++)
        buf_printf(&text, "li x10,%u\n bne x7,x10,.L%u\n %s\n jr x30\n.L%u:\n", k, k, forms[k].text,
                   k);
    buf_str(&text, "jr x30\n");
    rig_load(set, lanes, buf_text(&text));
    buf_free(&text);
    rig.launch.warps = WARPS;
    rig.launch.pds = PDS + 256;
    rig.launch.pds_lane = PDS_LANE;
    memory_map(&rig.memory, PDS, PDS_BYTES, MEM_R | MEM_W);
    host_make((WarpShape){.full = full}, CODE_PLAIN, false);
    Warp *w = host.group->warps;
    u32 k = 0;
    for (const Uop *u = go(w, CODE_LO); k < nforms; u = go(w, next_pc(u)))
        if (u->id < NINSN && isa_effect_of((InsnId)u->id)->access != ACCESS_NONE)
            site[k++] = plain_site(u->pc);
}

/* --- addresses ------------------------------------------------------------------------- */

/* What v1 has, in each lane: pattern 0 in a row, 1 all the same, 2 anywhere, 3 as words of records
 * beside each other. */
static void set_registers(Warp *w, const Form *f, u32 pattern, bool is_private)
{
    const u32 base = is_private || f->space == LOCAL ? 4 * (4 + below(6)) : DATA + 64 + below(64);
    const u32 size = f->width * f->words;
    for (u32 n = 1; n < 32; n++)
        w->x[n] = (u32)random_bits();
    for (u32 n = 0; n < 32; n++)
        for (u32 i = 0; i < lanes; i++)
            w->v[n][i] = (u32)random_bits();
    for (u32 i = 0; i < lanes; i++)
        w->v[1][i] = pattern == 0   ? base + i * size
                     : pattern == 1 ? base
                     : pattern == 2 ? base + below(24) * f->width
                                    : base + i * f->width;
    /* one lane elsewhere, in private memory by the flat rule */
    if (f->space == FLAT && f->words == 1 && one_in(4))
        w->v[1][below(lanes)] = 24;
    w->x[7] = (u32)(f - forms);
    w->pc = CODE_LO;
    w->state = WARP_READY;
    w->ninsns = 0;
}

/* The device address of what the lane accesses first. */
static u32 address_of(const Form *f, const Warp *w, u32 lane)
{
    const u32 base = w->v[1][lane], a = base + (u32)f->imm;
    const u32 group = f->space == GROUP ? WARPS : 1, id = f->space == GROUP ? 0 : WARP;
    if (f->space == LOCAL)
        return LDS_LO + a;
    if (f->space == GLOBAL || (f->space == FLAT && base >> 24))
        return a;
    return PDS + 256 + id * PDS_LANE * lanes + (a & ~3u) * group * lanes + (a & 3) + 4 * lane +
           (f->space == GROUP ? 4 * WARP * lanes : 0);
}

/* Whether all of lo..last may be accessed. */
static bool may(u64 lo, u64 last, u8 need)
{
    const Memory *m = lo >= LDS_LO && lo < LDS_END ? &host.group->lds : &rig.memory;
    return memory_rights(m, lo >> PAGE_BITS) & memory_rights(m, last >> PAGE_BITS) & need;
}

/* Whether the lanes are in a row that the code may access at once: all of them, where the host does
 * not look at those that are on. */
static bool is_row(const Form *f, const Warp *w, u32 level)
{
    const u32 size = f->width * f->words;
    const u32 seen = levels[level].gathers && f->words == 1 ? mask : UINT32_MAX;
    const u32 lowest = (u32)__builtin_ctz(seen), first = address_of(f, w, lowest) - lowest * size;
    for (u32 i = 0; i < lanes; i++)
        if (seen >> i & 1 &&
            (address_of(f, w, i) != first + i * size || (f->space == FLAT && !(w->v[1][i] >> 24))))
            return false;
    if (f->stores && !full && (f->words > 1 || !levels[level].gathers) &&
        (f->words > 1 || f->width < 4 || levels[level].chunk != 8))
        return false;
    return (f->words == 1 || f->space != PRIVATE) &&
           may(first, first + (u64)lanes * size - 1, f->stores ? MEM_W : MEM_R);
}

/* --- comparison ------------------------------------------------------------------------ */

typedef struct {
    u8 data[BYTES], pds[4 * BYTES], lds[BYTES];
} Bytes3;

static void save(Bytes3 *b, const Group *g)
{
    memcpy(b->data, rig.data, sizeof b->data);
    memcpy(b->pds, rig.memory.base + PDS, sizeof b->pds);
    memcpy(b->lds, g->lds.base + LDS_LO, sizeof b->lds);
}

static void restore(const Bytes3 *b, Group *g)
{
    memcpy(rig.data, b->data, sizeof b->data);
    memcpy(rig.memory.base + PDS, b->pds, sizeof b->pds);
    memcpy(g->lds.base + LDS_LO, b->lds, sizeof b->lds);
}

static void interpret(Warp *w)
{
    w->mask = mask;
    warp_set_exec(w);
    for (const Uop *u = go(w, w->pc); u && u->id != I_jalr;)
        u = u->run(w, u);
    assert_false(w->group->faulted);
}

/* A range that has all lanes that are on, or lacks one. */
static PlainRange some_range(const Form *f, const Warp *w)
{
    u32 lo = UINT32_MAX, last = 0;
    for (u32 i = 0; i < lanes; i++)
        if (mask >> i & 1) {
            const u32 a = address_of(f, w, i);
            lo = a < lo ? a : lo;
            last = a > last ? a : last;
        }
    u8 *base = f->space == LOCAL ? host.group->lds.base : rig.memory.base;
    switch (below(4)) {
    case 0: return (PlainRange){lo + 1, last - lo + 40, base};
    case 1: return (PlainRange){lo, last - lo, base};
    default: return (PlainRange){lo, last - lo + 1, base};
    }
}

static void try_form(u32 level, u32 k, Group *twin)
{
    static Bytes3 before, want, got;
    const Form *f = &forms[k];
    Group *g = host.group;
    Warp *w = &g->warps[WARP], *v = &twin->warps[WARP];
    const u32 all = lanes == 32 ? UINT32_MAX : (1u << lanes) - 1;
    mask = full ? all : 1 + (u32)random_bits() % (all - 1);
    const bool is_private =
        f->space == PRIVATE || f->space == GROUP || (f->space == FLAT && one_in(3));
    set_registers(w, f, below(4), is_private);
    memcpy(v->x, w->x, sizeof v->x);
    memcpy(v->v, w->v, sizeof v->v);
    v->pc = w->pc;
    for (size_t i = 0; i < sizeof before; i++)
        ((u8 *)&before)[i] = (u8)random_bits();
    restore(&before, twin);
    interpret(v);
    save(&want, twin);
    restore(&before, g);
    const PlainRange r = some_range(f, w);
    bool within = true;
    for (u32 i = 0; i < lanes; i++)
        within &= !(mask >> i & 1) || address_of(f, w, i) - r.lo < r.room;
    memset(g->apart, 0, sizeof g->apart);
    g->plain[f->stores][site[k]] = r;
    const bool row = is_row(f, w, level);
    assert_int_equal(host_run(w, mask), (u32)HOST_ANYWHERE);
    const u32 one = f->words > 1 && !row, vector = f->words == 1 && !row && !within;
    if (host.calls.one != one || host.calls.vector != vector || host.calls.scalar ||
        host.calls.remember)
        fail_msg("%s, %s lanes, mask %x: %s: %u and %u calls, not %u and %u", levels[level].name,
                 full ? "all" : "some", mask, f->text, host.calls.one, host.calls.vector, one,
                 vector);
    save(&got, g);
    if (memcmp(&got, &want, sizeof got))
        fail_msg("%s, mask %x: memory differs after %s", levels[level].name, mask, f->text);
    for (u32 n = 0; n < 32; n++)
        for (u32 i = 0; i < lanes; i++)
            if (w->v[n][i] != v->v[n][i])
                fail_msg("%s, mask %x: %s: lane %u of v%u is %08x, not %08x", levels[level].name,
                         mask, f->text, i, n, w->v[n][i], v->v[n][i]);
}

static void try_set(u32 level, bool all, IsaSet set)
{
    if (!host_open(levels[level].name, set))
        skip_because("this processor has not %s", levels[level].name);
    make_forms(level, all, set);
    Group *twin = sim_take_group(rig.sim, &rig.launch);
    assert_non_null(twin);
    group_begin(twin, 0);
    for (u32 k = 0; k < nforms; k++)
        for (u32 n = 0; n < 40; n++)
            try_form(level, k, twin);
    sim_give_group(rig.sim, twin);
    host_close();
}

static void try_level(void **state)
{
    const u32 level = level_of(state);
    for (u32 all = 0; all < 2; all++) {
        forms = new_forms;
        nforms = countof(new_forms);
        try_set(level, all, V2025 | TIDX);
        forms = old_forms;
        nforms = countof(old_forms);
        try_set(level, all, V202);
    }
}

/* --- scalar loads of one block -------------------------------------------------------------- */

/* Loads around one register are asked for together, up to a page of bytes and as long as it has the
 * same value: if one may not be made at once, none is, and the engine makes them until one faults.
 * The end of what may be read is `end` bytes behind x8. */
static const struct {
    const char *text;
    i32 end;
    u32 calls;
} blocks[] = {
    {"lw x5,0(x8)\n lh x6,-2(x8)\n lbu x7,100(x8)\n", 101, 0},
    {"lw x5,0(x8)\n lh x6,-2(x8)\n lbu x7,100(x8)\n", 100, 3},
    {"lw x5,0(x8)\n lh x6,-2(x8)\n lbu x7,100(x8)\n", 3, 1},
    {"lh x5,-2(x8)\n lw x6,0(x8)\n lbu x7,100(x8)\n", 3, 2},
    {"lw x5,0(x8)\n addi x8,x8,100\n lw x6,0(x8)\n", 103, 1},
    {"lw x5,0(x8)\n lw x8,4(x8)\n lw x6,100(x8)\n", 8, 1},
    {"lw x5,0(x8)\n lw x8,4(x8)\n lw x6,100(x8)\n", 7, 2},
    {"lw x5,-2048(x8)\n lw x6,2044(x8)\n", 2047, 2},
    {"lb x5,-2048(x8)\n lw x6,2045(x8)\n", 2048, 1},
    {"lb x5,-2048(x8)\n lb x6,2047(x8)\n", 2047, 2},
    {"lb x5,-2048(x8)\n lh x6,2047(x8)\n", 2048, 1},
    {"lw x5,0(x8)\n vid.v v1\n lw x6,4(x8)\n mv x9,x8\n lw x7,8(x8)\n", 11, 3},
    {"lw x5,0(x8)\n lw x6,4(x9)\n lw x7,8(x8)\n", 11, 2},
};

static void loads_of_a_block(void **state)
{
    (void)state;
    assert_true(host_open("base", V202));
    for (size_t i = 0; i < countof(blocks); i++) {
        char text[200];
        const u32 end = DATA + 16 * PAGE_SIZE;
        snprintf(text, sizeof text, "%s jr x30\n", blocks[i].text);
        rig_load(V202, 8, text);
        host_make((WarpShape){.full = true}, CODE_PLAIN, false);
        for (u32 k = 0; k < 16; k++)
            memory_set_rights(&rig.memory, (end >> PAGE_BITS) + k, 0);
        Warp *w = host.group->warps;
        w->x[8] = end - (u32)blocks[i].end;
        w->x[9] = DATA;
        host_run(w, 0xff);
        assert_int_equal(host.group->faulted, blocks[i].calls != 0);
        if (host.calls.scalar != blocks[i].calls)
            fail_msg("%sup to %d: %u calls", blocks[i].text, blocks[i].end, host.calls.scalar);
    }
    host_close();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TESTS_BY_LEVEL(try_level),
        cmocka_unit_test(loads_of_a_block),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
