/* Borders and crowds: the last byte of what there is and the first beyond it, counters that no
 * longer fit 32 bits, and many groups on several host threads at the same words.
 */
#include "dev/dev.h"
#include "drv/drv.h"
#include "drv/pagetable.h"
#include "isa/fp.h"
#include "test/kit/launchrig.h"

/* Runs `setup`, then `insn` as the last instruction before the end: whether it faults, and as what.
 */
static FaultKind outcome(IsaSet set, const Launch *rules, const char *setup, const char *insn)
{
    Buf b = {0};
    buf_printf(&b, "%s\n    %s\n    endprg x0, x0, x0\n", setup, insn);
    rig_load(set, 4, buf_text(&b));
    buf_free(&b);
    rig.launch.strict = rules->strict;
    rig.launch.lds = rules->lds;
    rig.launch.mmu = rules->mmu;
    const LaunchResult r = rig_run(&(LaunchOptions){.threads = 1});
    return r.faulted ? r.fault.kind : FAULT_NONE;
}

/* --- local memory of a strict machine -------------------------------------------------------- */

static void the_last_byte_of_local_memory(void **state)
{
    (void)state;
    const struct {
        const char *insn;
        u32 lds;
        FaultKind fault;
    } cases[] = {
        {"lb t1, 99(t0)", 100, FAULT_NONE},      {"lb t1, 100(t0)", 100, FAULT_LOAD},
        {"sb t1, 99(t0)", 100, FAULT_NONE},      {"sb t1, 100(t0)", 100, FAULT_STORE},
        {"lh t1, 98(t0)", 100, FAULT_NONE},      {"lh t1, 98(t0)", 99, FAULT_LOAD},
        {"lw t1, 96(t0)", 100, FAULT_NONE},      {"lw t1, 96(t0)", 99, FAULT_LOAD},
        {"sw t1, 96(t0)", 97, FAULT_STORE},      {"sw t1, 96(t0)", 96, FAULT_STORE},
        {"vlb12.v v2, 99(v1)", 100, FAULT_NONE}, {"vlb12.v v2, 100(v1)", 100, FAULT_LOAD},
        {"vlw12.v v2, 96(v1)", 100, FAULT_NONE}, {"vsw12.v v2, 96(v1)", 99, FAULT_STORE},
        {"vsb12.v v2, 99(v1)", 100, FAULT_NONE}, {"vsb12.v v2, 99(v1)", 99, FAULT_STORE},
        {"lb t1, 0(t0)", 1, FAULT_NONE},         {"lb t1, 0(t0)", 0, FAULT_LOAD},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const Launch rules = {.strict = true, .lds = cases[i].lds};
        const FaultKind k =
            outcome(V202, &rules, "    lui t0, 0x70000\n    vmv.v.x v1, t0", cases[i].insn);
        if (k != cases[i].fault)
            fail_msg("%s of %u bytes: %s", cases[i].insn, cases[i].lds, fault_name(k));
        /* others take what the window has */
        const Launch loose = {.lds = cases[i].lds};
        assert_int_equal(
            outcome(V202, &loose, "    lui t0, 0x70000\n    vmv.v.x v1, t0", cases[i].insn),
            FAULT_NONE);
    }
}

/* The window ends where code begins, and device memory before it is no part of it. */
static void beside_local_memory(void **state)
{
    (void)state;
    enum { BEFORE = LDS_LO - PAGE_SIZE };
    memory_map(&rig.memory, BEFORE, PAGE_SIZE, MEM_R | MEM_W);
    rig_load(V202, 4,
             "    lui     t0, 0x70000\n    lui t1, 0x80000\n    lui t2, 0x90000\n"
             "    li      a1, 5\n    sw a1, 0(t0)\n    li a1, 6\n    sw a1, -4(t1)\n"
             "    lw      a2, -4(t0)\n    sw a2, 0(t2)\n"
             "    lw      a2, 0(t0)\n     sw a2, 4(t2)\n"
             "    lw      a2, -4(t1)\n    sw a2, 8(t2)\n"
             "    lw      a2, 0(t1)\n     sw a2, 12(t2)\n"
             "    vid.v   v3\n    vsll.vi v3, v3, 2\n    vadd.vx v3, v3, t2\n"
             "    vmv.v.x v1, t0\n    vlw12.v v2, -4(v1)\n    vsw12.v v2, 16(v3)\n"
             "    vmv.v.x v1, t1\n    vlw12.v v2, 0(v1)\n     vsw12.v v2, 32(v3)\n"
             "    endprg  x0, x0, x0\n");
    const u32 first = 0x11223344;
    u32 code;
    memcpy(rig.memory.base + LDS_LO - 4, &first, 4);
    memcpy(&code, rig.memory.base + CODE_LO, 4);
    rig_must_run(&(LaunchOptions){.threads = 1});
    const u32 want[] = {first, 5, 6, code, first, first, first, first, code, code, code, code};
    assert_memory_equal(rig.data, want, sizeof want);
    memory_unmap(&rig.memory, BEFORE, PAGE_SIZE);
}

/* --- unaligned signed numbers ----------------------------------------------------------------- */

static Verdict go_on(void *self, const Event *e)
{
    (void)self, (void)e;
    return GO_ON;
}

/* at once, and each by itself, as where memory is watched */
static void unaligned_signed_numbers(void **state)
{
    (void)state;
    const Observer watch = {NULL, EVENT_memory, go_on, NULL};
    static const u8 bytes[] = {0x01, 0x80, 0xff, 0x7f, 0x80, 0x12};
    rig_load(V202, 4,
             "    lui     s1, 0x90001\n" /* a border of pages */
             "    lh      t0, -1(s1)\n    sw t0, -256(s1)\n"
             "    lhu     t0, -1(s1)\n    sw t0, -252(s1)\n"
             "    lh      t0, 1(s1)\n     sw t0, -248(s1)\n"
             "    lb      t0, 3(s1)\n     sw t0, -244(s1)\n"
             "    lw      t0, -1(s1)\n    sw t0, -240(s1)\n"
             "    vid.v   v1\n"
             "    vadd.vx v1, v1, s1\n"
             "    vlh12.v v2, -1(v1)\n" /* four that overlap */
             "    vlhu12.v v3, -1(v1)\n"
             "    vid.v   v4\n"
             "    vsll.vi v4, v4, 2\n"
             "    vadd.vx v4, v4, s1\n"
             "    vsw12.v v2, -224(v4)\n"
             "    vsw12.v v3, -208(v4)\n"
             "    endprg  x0, x0, x0\n");
    u32 *const at = rig.data + (PAGE_SIZE - 256) / 4;
    const u32 want[] = {0xffff8001, 0x8001, 0x7fff, 0xffffff80, 0x7fff8001};
    const u32 lanes[] = {0xffff8001, 0xffffff80, 0x7fff, 0xffff807f};
    for (size_t watched = 0; watched < 2; watched++) {
        memset(rig.data, 0, DATA_BYTES);
        memcpy((u8 *)rig.data + PAGE_SIZE - 1, bytes, sizeof bytes);
        rig_must_run(&(LaunchOptions){.threads = 1, .observers = &watch, .nobservers = watched});
        for (u32 i = 0; i < countof(want); i++)
            assert_int_equal(at[i], want[i]);
        for (u32 i = 0; i < 4; i++) {
            assert_int_equal(at[8 + i], lanes[i]);
            assert_int_equal(at[12 + i], lanes[i] & 0xffff);
        }
    }
}

/* --- the flat rule of v2025 -------------------------------------------------------------- */

/* An address is private where the top byte of its register is 0, whatever the offset makes of it:
 * byte a of lane i at pds + 4 * lanes * (a / 4) + 4 * i + a % 4. */
static void the_flat_rule(void **state)
{
    (void)state;
    enum { NEAR = 0x1000000 - 0x1000, SPAN = 0x2000 };
    const u32 far = PDS + 4 * (0x1000000 - 0x100);
    memory_map(&rig.memory, NEAR, SPAN, MEM_R | MEM_W);
    memory_map(&rig.memory, far & ~(u32)(PAGE_SIZE - 1), 2 * PAGE_SIZE, MEM_R | MEM_W);
    const struct {
        u32 base;
        int offset;
        bool private;
    } cases[] = {
        {0x00ffffff, 0, true}, {0x01000000, 0, false},  {0x00fffffc, 4, true},
        {0x00ffffff, 5, true}, {0x01000004, -8, false}, {0x01000000, -4, false},
        {0x00fffff8, 1, true}, {0x01000001, 0, false},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        char text[256];
        const u32 a = cases[i].base + (u32)cases[i].offset;
        snprintf(text, sizeof text,
                 "    li      t0, 0x%x\n    vmv.v.x v1, t0\n    vlbu12.v v2, %d(v1)\n"
                 "    vid.v   v3\n    vsll.vi v3, v3, 2\n    lui t1, 0x90000\n"
                 "    vadd.vx v3, v3, t1\n    vsw12.v v2, 0(v3)\n    endprg x0, x0, x0\n",
                 cases[i].base, cases[i].offset);
        for (int profile = 0; profile < 2; profile++) {
            rig_load(profile ? V2025 : V202, 4, text);
            rig.launch.pds_areas = 0;
            const bool private = profile && cases[i].private;
            for (u32 lane = 0; lane < 4; lane++) {
                rig.memory.base[PDS + (u64)(a / 4) * 16 + 4 * lane + a % 4] = (u8)(0x40 + lane);
                rig.memory.base[a] = 0x77;
            }
            rig_must_run(&(LaunchOptions){.threads = 1});
            for (u32 lane = 0; lane < 4; lane++)
                if (rig.data[lane] != (private ? 0x40 + lane : 0x77))
                    fail_msg("case %zu, lane %u: %x", i, lane, rig.data[lane]);
        }
    }
    memory_unmap(&rig.memory, NEAR, SPAN);
    memory_unmap(&rig.memory, far & ~(u32)(PAGE_SIZE - 1), 2 * PAGE_SIZE);
}

/* --- addresses of more bits than there are ----------------------------------------------- */

static void addresses_beyond_39_bits(void **state)
{
    (void)state;
    const Launch physical = {.lds = 0};
    const struct {
        u32 low, high;
        FaultKind fault;
    } cases[] = {
        {DATA, 0, FAULT_NONE},          {DATA, 0x80, FAULT_LOAD},
        {DATA, 0x100, FAULT_LOAD},      {DATA, 0x80000000, FAULT_LOAD},
        {DATA, 0xffffffff, FAULT_LOAD}, {DATA, 0x7f, FAULT_LOAD},
        {0xfffffffc, 0x7f, FAULT_LOAD}, {0xffffffff, 0xffffffff, FAULT_LOAD},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        char setup[160];
        snprintf(setup, sizeof setup,
                 "    li t3, 0x%x\n    li t4, 0x%x\n    vmv.v.x v4, t3\n    vmv.v.x v5, t4\n    "
                 "pre_m_64",
                 cases[i].low, cases[i].high);
        /* the pair of v4 and v5 */
        const FaultKind k = outcome(V2025, &physical, setup, "nop");
        assert_int_equal(k, FAULT_NONE);
        snprintf(setup, sizeof setup,
                 "    li t3, 0x%x\n    li t4, 0x%x\n    vmv.v.x v4, t3\n    vmv.v.x v5, t4",
                 cases[i].low, cases[i].high);
        const FaultKind v = outcome(V2025, &physical, setup, "vlw12d.v v2, 0(v4)");
        if (v != cases[i].fault)
            fail_msg("%08x%08x: %s", cases[i].high, cases[i].low, fault_name(v));
    }
    /* tables: bits above 38 are no part of an index, so they must be refused */
    Memory m;
    PageTable t;
    Tlb tlb = {.vpn = {0}};
    u64 pa, again;
    assert_true(memory_open(&m, 0, (u64)1 << 32));
    assert_true(pagetable_open(&t, &m));
    assert_true(pagetable_map(&t, 0x123456000, PAGE_SIZE));
    const Mmu mmu = {&m, t.root};
    assert_true(mmu_translate(&mmu, &tlb, 0x123456789, PTE_R, &pa));
    for (int bit = 39; bit < 64; bit++) {
        Tlb empty = {.vpn = {0}};
        const u64 va = 0x123456789 | (u64)1 << bit;
        assert_false(mmu_translate(&mmu, &tlb, va, PTE_R, &again));
        assert_false(mmu_translate(&mmu, &empty, va, PTE_R, &again));
    }
    assert_true(mmu_translate(&mmu, &tlb, 0x123456789, PTE_R, &again));
    assert_int_equal(pa, again);
    pagetable_close(&t);
    memory_close(&m);
}

/* --- page tables when no frame is left --------------------------------------------------- */

static void page_tables_that_are_full(void **state)
{
    (void)state;
    const u64 base = (u64)1 << 33, span = (u64)PAGE_SIZE << 9; /* what a table of leaves covers */
    Memory m;
    PageTable t;
    u64 size = 0;
    assert_true(memory_open(&m, 0, (u64)1 << 32));
    assert_true(pagetable_open(&t, &m));
    const u64 all = t.nfree;
    /* more than there is, then as much as there is: the tables need frames, too */
    assert_false(pagetable_map(&t, base, (all + 1) * PAGE_SIZE));
    assert_int_equal(t.nfree, all);
    assert_false(pagetable_map(&t, base, all * PAGE_SIZE));
    assert_int_equal(t.nfree, all);
    /* nearly all, then one by one */
    size = all * PAGE_SIZE - (all / 512 + 600) * PAGE_SIZE;
    size &= ~(span - 1);
    assert_true(pagetable_map(&t, base, size));
    u64 more = 0;
    while (pagetable_map(&t, base + size + more, PAGE_SIZE))
        more += PAGE_SIZE;
    assert_true(more > 0);
    /* what could not be had whole is not there at all, and what was there is untouched */
    assert_true(t.nfree <= 1);
    const u64 left = t.nfree;
    assert_false(pagetable_map(&t, (u64)1 << 38, PAGE_SIZE)); /* two tables and a frame */
    assert_false(pagetable_map_same(&t, (u64)1 << 37, PAGE_SIZE));
    assert_int_equal(t.nfree, left);
    Tlb tlb = {.vpn = {0}};
    const Mmu mmu = {&m, t.root};
    u64 pa;
    assert_true(mmu_translate(&mmu, &tlb, base + size + more - 1, PTE_W, &pa));
    assert_false(mmu_translate(&mmu, &tlb, base + size + more, PTE_W, &pa));
    assert_false(mmu_translate(&mmu, &tlb, (u64)1 << 38, PTE_W, &pa));
    /* a frame that comes back is enough for one page where the tables are */
    pagetable_unmap(&t, base, PAGE_SIZE);
    assert_int_equal(t.nfree, left + 1);
    assert_true(pagetable_map(&t, base, PAGE_SIZE));
    /* one frame: enough for the first of two tables, which must not stay */
    pagetable_unmap(&t, base, (1 - left) * PAGE_SIZE);
    assert_int_equal(t.nfree, 1);
    assert_false(pagetable_map(&t, (u64)1 << 38, PAGE_SIZE));
    assert_int_equal(t.nfree, 1);
    pagetable_unmap(&t, base, size + more);
    assert_int_equal(t.nfree, all);
    pagetable_close(&t);
    memory_close(&m);
}

/* --- copies whose ranges overlap --------------------------------------------------------- */

static void copies_that_overlap(void **state)
{
    (void)state;
    enum { SIZE = 3 * PAGE_SIZE };
    const struct {
        u32 from, to, size;
    } cases[] = {
        {0, 1, 5000},      {1, 0, 5000},      {0, 8, 4096}, {8, 0, 4096},
        {100, 4196, 8000}, {4196, 100, 8000}, {0, 63, 64},  {63, 0, 64},
        {4000, 4001, 200}, {4001, 4000, 200}, {7, 7, 9000},
    };
    u8 want[SIZE], got[SIZE];
    for (int mmu = 0; mmu < 2; mmu++) {
        DeviceOptions opt = dev_defaults();
        opt.mmu = mmu;
        u64 a;
        Driver *d = drv_open(&opt);
        assert_non_null(d);
        assert_int_equal(drv_alloc(d, SIZE, &a), DRV_OK);
        for (size_t i = 0; i < countof(cases); i++) {
            for (u32 k = 0; k < SIZE; k++)
                want[k] = (u8)(k * 7 + (k >> 8) * 13 + i);
            assert_int_equal(drv_write(d, a, want, SIZE), DRV_OK);
            memmove(want + cases[i].to, want + cases[i].from, cases[i].size);
            assert_int_equal(drv_copy(d, a + cases[i].from, a + cases[i].to, cases[i].size),
                             DRV_OK);
            assert_int_equal(drv_read(d, a, got, SIZE), DRV_OK);
            assert_memory_equal(got, want, SIZE);
        }
        drv_close(d);
    }
}

/* --- counters ---------------------------------------------------------------------------- */

static Verdict set_count(void *self, const Event *e)
{
    e->warp->ninsns = *(u64 *)self;
    return GO_ON;
}

static void counts_above_32_bits(void **state)
{
    (void)state;
    u64 count = 0xffffffff;
    const Observer o = {&count, EVENT_warp_begin, set_count, NULL};
    rig_load(V202, 4, "    nop\n    nop\n    endprg x0, x0, x0\n");
    rig.launch.warps = 2;
    rig.launch.groups[0] = 3;
    LaunchResult r = rig_run(&(LaunchOptions){.observers = &o, .nobservers = 1});
    assert_false(r.faulted);
    assert_true(r.insns == 6 * (0xffffffffull + 3));
    /* a limit that has more than 32 bits */
    rig_load(V202, 4, "1:  j 1b\n");
    rig.launch.max_insns = 0x100000005;
    r = rig_run(&(LaunchOptions){.observers = &o, .nobservers = 1});
    assert_true(r.faulted);
    assert_int_equal(r.fault.kind, FAULT_ENDLESS);
    assert_true(r.insns == 0x100000005);
}

/* --- a warp too many --------------------------------------------------------------------- */

static void one_warp_more(void **state)
{
    (void)state;
    DeviceOptions opt = dev_defaults();
    const u32 exit = 0x0000400b;
    for (int k = 0; k < 3; k++) { /* whatever a machine says, MAX_WARPS is the end */
        opt.machine.group_warps = k ? MAX_WARPS + (u32)k - 1 : 5;
        opt.machine.warps = 2 * MAX_WARPS;
        opt.machine.sgprs = opt.machine.vgprs = 1 << 20;
        const u32 most = k ? MAX_WARPS : 5;
        Device *d = dev_open(&opt);
        assert_non_null(d);
        memory_map(dev_memory(d), CODE_LO, PAGE_SIZE, MEM_R | MEM_W | MEM_X);
        memory_map(dev_memory(d), DATA, PAGE_SIZE, MEM_R | MEM_W);
        assert_true(dev_write(d, CODE_LO, &exit, sizeof exit));
        dev_code_written(d, CODE_LO, CODE_LO + 4);
        for (u32 warps = most - 1; warps <= most + 1; warps++) {
            const DevLaunch l = {.knl = DATA, .groups = {1, 1, 1}, .warps = warps, .lanes = 32};
            DevResult r;
            assert_int_equal(dev_launch(d, &l, &r), warps <= most);
            if (warps > most)
                assert_int_equal(r.run.fault.kind, FAULT_RESOURCES);
            else
                assert_int_equal(r.run.insns, warps);
        }
        dev_close(d);
    }
}

/* --- code -------------------------------------------------------------------------------- */

/* Code that the host replaces stays what the guest may do with it: it cannot be written if it could
 * not before. */
static void replaced_code_keeps_its_rights(void **state)
{
    (void)state;
    const u32 ends = 0x0000400b;
    const u32 stores[] = {0x800012b7 /* lui x5, 0x80001 */, 0xfe52ae23 /* sw x5, -4(x5) */, ends};
    for (int writable = 0; writable < 2; writable++) {
        const DevLaunch l = {.knl = DATA, .groups = {1, 1, 1}, .warps = 1, .lanes = 4};
        DeviceOptions opt = dev_defaults();
        DevResult r;
        Device *d = dev_open(&opt);
        assert_non_null(d);
        memory_map(dev_memory(d), CODE_LO, PAGE_SIZE, MEM_R | MEM_X | (writable ? MEM_W : 0));
        memory_map(dev_memory(d), DATA, PAGE_SIZE, MEM_R);
        assert_true(dev_write(d, CODE_LO, &ends, sizeof ends));
        dev_code_written(d, CODE_LO, CODE_LO + sizeof ends);
        assert_true(dev_launch(d, &l, &r));
        assert_true(dev_write(d, CODE_LO, stores, sizeof stores));
        dev_code_written(d, CODE_LO, CODE_LO + sizeof stores);
        assert_int_equal(dev_launch(d, &l, &r), writable);
        if (!writable)
            assert_int_equal(r.run.fault.kind, FAULT_STORE);
        dev_close(d);
    }
}

/* --- 64 bits ----------------------------------------------------------------------------- */

/* conversions to 64 bits: what does not fit becomes the nearest number there is, and is invalid */
static void saturation_at_64_bits(void **state)
{
    (void)state;
    const u64 imax = INT64_MAX, imin = (u64)INT64_MIN, umax = UINT64_MAX;
    const struct {
        u32 from;
        u64 sgn, usgn;
        u8 sflags, uflags;
    } cases[] = {
        {0x5effffff, 0x7fffff8000000000, 0x7fffff8000000000, 0, 0}, /* below 2^63 */
        {0x5f000000, imax, (u64)1 << 63, FP_NV, 0},                 /* 2^63 */
        {0x5f7fffff, imax, 0xffffff0000000000, FP_NV, 0},           /* below 2^64 */
        {0x5f800000, imax, umax, FP_NV, FP_NV},                     /* 2^64 */
        {0xdf000000, imin, 0, 0, FP_NV},                            /* -2^63 */
        {0xdf000001, imin, 0, FP_NV, FP_NV},
        {0x7f800000, imax, umax, FP_NV, FP_NV}, /* infinity */
        {0xff800000, imin, 0, FP_NV, FP_NV},
        {0x7fc00000, imax, umax, FP_NV, FP_NV}, /* NaN */
        {0xbf800000, umax, 0, 0, FP_NV},        /* -1 */
        {0xbe800000, 0, 0, FP_NX, FP_NX},       /* -0.25 */
        {0x80000000, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < countof(cases); i++)
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            char text[512];
            snprintf(
                text, sizeof text,
                "    li      t0, 0x%x\n    vmv.v.x v2, t0\n    %s v4, v2\n    csrr t1, fflags\n"
                "    lui     s1, 0x90000\n    vmv.v.x v1, s1\n    vsw12.v v4, 0(v1)\n"
                "    vsw12.v v5, 4(v1)\n    sw t1, 8(s1)\n    endprg x0, x0, x0\n",
                cases[i].from, is_signed ? "vfwcvt.x.f.v" : "vfwcvt.xu.f.v");
            rig_load(V2025, 4, text);
            rig_must_run(&(LaunchOptions){.threads = 1});
            const u64 got = (u64)rig.data[1] << 32 | rig.data[0];
            const u64 want = is_signed ? cases[i].sgn : cases[i].usgn;
            const u8 flags = is_signed ? cases[i].sflags : cases[i].uflags;
            if (got != want || rig.data[2] != flags)
                fail_msg("%08x, %d: %016llx %02x", cases[i].from, is_signed,
                         (unsigned long long)got, rig.data[2]);
        }
}

/* 64-bit pairs to 32 bits */
static void saturation_from_64_bits(void **state)
{
    (void)state;
    const struct {
        u64 from;
        u32 shift;
        u32 sgn, usgn;
        bool ssat, usat;
    } cases[] = {
        {0x000000007fffffff, 0, 0x7fffffff, 0x7fffffff, false, false},
        {0x0000000080000000, 0, 0x7fffffff, 0x80000000, true, false},
        {0x00000000ffffffff, 0, 0x7fffffff, 0xffffffff, true, false},
        {0x0000000100000000, 0, 0x7fffffff, 0xffffffff, true, true},
        {0xffffffff80000000, 0, 0x80000000, 0xffffffff, false, true},
        {0xffffffff7fffffff, 0, 0x80000000, 0xffffffff, true, true},
        {0x7fffffffffffffff, 0, 0x7fffffff, 0xffffffff, true, true},
        {0x8000000000000000, 0, 0x80000000, 0xffffffff, true, true},
        {0x8000000000000000, 32, 0x80000000, 0x80000000, false, false},
        {0x7fffffffffffffff, 32, 0x7fffffff, 0x7fffffff, false, false},
        {0x8000000000000000, 63, 0xffffffff, 1, false, false},
        {0xffffffffffffffff, 33, 0xffffffff, 0x7fffffff, false, false},
    };
    for (size_t i = 0; i < countof(cases); i++)
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            char text[512];
            snprintf(
                text, sizeof text,
                "    csrwi   vxrm, 2\n" /* towards minus infinity: bits are cut off */
                "    li      t0, 0x%x\n    vmv.v.x v2, t0\n    li t0, 0x%x\n    vmv.v.x v3, t0\n"
                "    li      t0, %u\n    %s v4, v2, t0\n    csrr t1, vxsat\n"
                "    lui     s1, 0x90000\n    vmv.v.x v1, s1\n    vsw12.v v4, 0(v1)\n"
                "    sw      t1, 4(s1)\n    endprg x0, x0, x0\n",
                (u32)cases[i].from, (u32)(cases[i].from >> 32), cases[i].shift,
                is_signed ? "vnclip.wx" : "vnclipu.wx");
            rig_load(V2025, 4, text);
            rig_must_run(&(LaunchOptions){.threads = 1});
            const u32 want = is_signed ? cases[i].sgn : cases[i].usgn;
            if (rig.data[0] != want || rig.data[1] != (is_signed ? cases[i].ssat : cases[i].usat))
                fail_msg("%016llx >> %u, %d: %08x %u", (unsigned long long)cases[i].from,
                         cases[i].shift, is_signed, rig.data[0], rig.data[1]);
        }
}

/* --- many groups at the same words ------------------------------------------------------- */

/* the thread sanitizer needs no luck to see who meets whom */
#ifdef __SANITIZE_THREAD__
enum { CROWD = 400, MANY_GROUPS = 200, RESERVERS = 10000 };
#else
enum { CROWD = 3000, MANY_GROUPS = 3000, RESERVERS = 100000 };
#endif
enum { LANES = 8, THREADS = 4, OLD = 1024 };

/* Every lane does `op` on word 0 with its global id (plus 1), and keeps what was there before in a
 * word of its own. */
static void crowd(const char *op, u32 start)
{
    char text[512];
    snprintf(text, sizeof text,
             "    lui     s1, 0x90000\n"
             "    csrr    t0, CSR_GIDX\n"
             "    csrr    t1, CSR_NUMT\n"
             "    mul     t0, t0, t1\n"
             "    vid.v   v1\n"
             "    vadd.vx v1, v1, t0\n"
             "    vadd.vi v2, v1, 1\n"
             "    vmv.v.x v3, s1\n"
             "    %s.w    v4, v2, (v3)\n"
             "    vsll.vi v1, v1, 2\n"
             "    vadd.vv v1, v1, v3\n"
             "    li      t0, %d\n"
             "    vadd.vx v1, v1, t0\n"
             "    vsw12.v v4, 0(v1)\n"
             "    endprg  x0, x0, x0\n",
             op, 4 * OLD);
    rig_load(V202, LANES, text);
    rig.launch.groups[0] = CROWD;
    rig.data[0] = start;
    const LaunchResult r = rig_run(&(LaunchOptions){.threads = THREADS});
    assert_false(r.faulted);
    assert_int_equal(r.groups, CROWD);
    assert_int_equal(r.insns, (u64)CROWD * 15);
}

static int by_value(const void *a, const void *b)
{
    const u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return x < y ? -1 : x > y;
}

/* An atomic is one read and one write with nothing between: the words that were read, and the
 * one that is left, are a chain in which each value appears once. */
static void atomics_in_a_crowd(void **state)
{
    (void)state;
    const u32 n = CROWD * LANES;
    u32 *const old = rig.data + OLD;
    u64 sum = 0, bits = 0;
    for (u64 i = 1; i <= n; i++)
        sum += i, bits |= i;
    for (u32 round = 0; round < 3; round++) {
        crowd("amoadd", 7);
        assert_int_equal(rig.data[0], (u32)(7 + sum));

        crowd("amoxor", 5); /* 1 ^ 2 ^ ... ^ n, of n a multiple of 4 */
        assert_int_equal(rig.data[0], 5 ^ n);

        crowd("amoswap", n + 1); /* what was there, and what is left: every number once */
        u32 *const chain = rig.data + OLD - 1;
        chain[0] = rig.data[0];
        qsort(chain, n + 1, sizeof *chain, by_value);
        for (u32 i = 0; i <= n; i++)
            assert_int_equal(chain[i], i + 1);

        crowd("amomax", 3);
        assert_int_equal(rig.data[0], n);
        crowd("amomaxu", 0);
        assert_int_equal(rig.data[0], n);
        for (u32 i = 0; i < n; i++)
            assert_true(old[i] <= n);
        crowd("amomin", 0x7fffffff);
        assert_int_equal(rig.data[0], 1);
        crowd("amominu", 0xffffffff);
        assert_int_equal(rig.data[0], 1);
        crowd("amoor", 0);
        assert_int_equal(rig.data[0], (u32)bits);
        crowd("amoand", 0xffffffff);
        assert_int_equal(rig.data[0], 0);
    }
}

/* So many that threads meet on a machine that is busy too: no addition is lost, and what only
 * grows, by the number that each addition finds, is never seen smaller than before. */
static void many_in_a_crowd(void **state)
{
    (void)state;
    enum { TIMES = 400 };
    rig_load(V202, 4,
             "    lui     s1, 0x90000\n"
             "    vmv.v.x v3, s1\n"
             "    addi    s2, s1, 128\n"
             "    vmv.v.x v9, s2\n"
             "    vmv.v.i v2, 1\n"
             "    vmv.v.i v6, 0\n"
             "    vmv.v.i v7, 0\n"
             "    li      t0, 400\n"
             "1:  amoadd.w v4, v2, (v3)\n"
             "    amomaxu.w v5, v4, (v9)\n"
             "    vmaxu.vv v8, v5, v6\n" /* v5, unless it is smaller */
             "    vxor.vv v8, v8, v5\n"
             "    vor.vv  v7, v7, v8\n"
             "    vmv.v.v v6, v5\n"
             "    addi    t0, t0, -1\n"
             "    bnez    t0, 1b\n"
             "    addi    s2, s1, 256\n"
             "    vmv.v.x v9, s2\n"
             "    amoor.w v4, v7, (v9)\n"
             "    endprg  x0, x0, x0\n");
    rig.launch.groups[0] = MANY_GROUPS;
    const LaunchResult r = rig_run(&(LaunchOptions){.threads = THREADS});
    assert_false(r.faulted);
    assert_int_equal(rig.data[0], MANY_GROUPS * 4 * TIMES);
    assert_int_equal(rig.data[32], MANY_GROUPS * 4 * TIMES - 1);
    assert_int_equal(rig.data[64], 0);
}

/* additions by load and store-conditional, of which none is lost */
static void reservations_in_a_crowd(void **state)
{
    (void)state;
    rig_load(V202, 4,
             "    lui     s1, 0x90000\n"
             "    vmv.v.x v3, s1\n"
             "    li      t2, 1\n"
             "    vmv.v.i v0, 0\n"
             "    vid.v   v1\n"
             "    vmv.v.i v2, 1\n"
             "1:  auipc   t1, %pcrel_hi(3f)\n"
             "    setrpc  zero, t1, %pcrel_lo(1b)\n"
             "    vbne    v1, v0, 3f\n" /* lane 0 alone */
             "2:  lr.w    v4, (v3)\n"
             "    vadd.vv v5, v4, v2\n"
             "    sc.w    v6, v5, (v3)\n"
             "    vmv.x.s t3, v6\n"
             "    bnez    t3, 2b\n"
             "3:  join    zero, zero, 0\n"
             "    endprg  x0, x0, x0\n");
    rig.launch.groups[0] = RESERVERS;
    const LaunchResult r = rig_run(&(LaunchOptions){.threads = THREADS});
    assert_false(r.faulted);
    assert_int_equal(rig.data[0], RESERVERS);
}

/* Eight groups of which each waits for all, on few threads, with as many contexts in the end; then the
 * first faults, and nobody waits for it for ever. */
static void groups_wait_for_each_other(void **state)
{
    (void)state;
    enum { ROUNDS = 20 };
    rig_load(V202, 4,
             "    lui     s1, 0x90000\n"
             "    csrr    s2, CSR_GIDX\n"
             "    vmv.v.x v3, s1\n"
             "    vmv.v.i v2, 1\n"
             "    li      s6, 32\n" /* four lanes of eight groups */
             "    li      s7, 20 * 32\n"
             "    mv      s5, s6\n"
             "1:  amoadd.w v4, v2, (v3)\n"
             "2:  lw      t3, 0(s1)\n"
             "    bltu    t3, s5, 2b\n"
             "    lw      t4, 4(s1)\n"
             "    or      t4, t4, s2\n"
             "    bnez    t4, 3f\n"
             "    sw      zero, 0(zero)\n" /* the first group, unless it is told not to */
             "3:  add     s5, s5, s6\n"
             "    bgeu    s7, s5, 1b\n"
             "    endprg  x0, x0, x0\n");
    rig.launch.groups[0] = rig.launch.resident = rig.launch.pds_areas = 8;
    for (u32 threads = 1; threads <= 2; threads++) {
        rig.data[0] = 0;
        rig.data[1] = 1;
        const LaunchResult r = rig_run(&(LaunchOptions){.threads = threads});
        assert_false(r.faulted);
        assert_int_equal(r.groups, 8);
        assert_int_equal(rig.data[0], ROUNDS * 32);
        u32 idle = 0;
        for (const Group *g = rig.sim->contexts.idle; g; g = g->next)
            idle++;
        assert_int_equal(idle, threads);

        rig.data[0] = rig.data[1] = 0;
        const LaunchResult f = rig_run(&(LaunchOptions){.threads = threads});
        assert_true(f.faulted);
        assert_int_equal(f.fault.kind, FAULT_STORE);
        assert_int_equal(f.fault.group_linear, 0);
    }
}

/* --- who is asked ----------------------------------------------------------------------------- */

enum { ASKED = 3 };
typedef struct {
    RollCall call;
    _Atomic u32 answers[ASKED], lasts[ASKED];
    bool interrupts; /* once all have answered */
} Question;

static void hear_answer(void *self, const Group *g, bool is_last)
{
    Question *q = self;
    bool all = true;
    assert_true(g->linear < ASKED);
    atomic_fetch_add(is_last ? &q->lasts[g->linear] : &q->answers[g->linear], 1);
    for (u32 i = 0; i < ASKED; i++)
        all &= atomic_load(&q->answers[i]) != 0;
    if (!is_last && all && q->interrupts)
        sim_kind.interrupt(rig.engine);
    else if (!is_last)
        atomic_fetch_add(&q->call.asked, 1);
}

/* Groups of which none ends, or only the first, by a fault, when all run or wait to go on. */
static LaunchResult ask(Question *q, u32 threads)
{
    rig_load(V202, 4,
             "    lui     s1, 0x90000\n"
             "    csrr    s2, CSR_GIDX\n"
             "    lui     s3, 0x200\n"
             "1:  lw      t0, 0(s1)\n" /* 1: the first may go on for ever */
             "    or      t0, t0, s2\n"
             "    bnez    t0, 1b\n"
             "    addi    s3, s3, -16\n"
             "    bnez    s3, 1b\n"
             "    sw      zero, 0(zero)\n"
             "    endprg  x0, x0, x0\n");
    q->call = (RollCall){.asked = 1u << 20, .self = q, .answer = hear_answer};
    rig.data[0] = q->interrupts;
    rig.launch.groups[0] = rig.launch.resident = ASKED;
    rig.launch.roll = &q->call;
    return rig_run(&(LaunchOptions){.threads = threads});
}

/* When the launch is interrupted each group says once where it was last, whether it runs then or
 * waits to go on; when another one has faulted, none does. */
static void groups_say_where_they_are(void **state)
{
    (void)state;
    for (u32 threads = 1; threads <= 2; threads++) {
        Question q = {.interrupts = true};
        LaunchResult r = ask(&q, threads);
        assert_int_equal(r.fault.kind, FAULT_STOPPED);
        assert_int_equal(r.fault.group_linear, 0);
        for (u32 i = 0; i < ASKED; i++)
            assert_true(q.answers[i] && q.lasts[i] == 1);
        q = (Question){.interrupts = false};
        r = ask(&q, threads);
        assert_int_equal(r.fault.kind, FAULT_STORE);
        assert_int_equal(r.fault.group_linear, 0);
        for (u32 i = 0; i < ASKED; i++)
            assert_true((q.answers[i] || threads > 1) && !q.lasts[i]);
    }
}

/* What groups have stored that were given up, as another one had faulted, the next launch does not
 * find: each stores into local and private memory and goes on for ever, but the first. */
static void groups_given_up_leave_nothing(void **state)
{
    (void)state;
    enum { MANY = 6 };
    for (u32 round = 0; round < 3; round++) {
        rig_load(V202, 4,
                 "    lui     s1, 0x90000\n"
                 "    csrr    s2, CSR_GIDX\n"
                 "    lui     s3, 0x200\n"
                 "    csrr    s4, CSR_LDS\n"
                 "    vmv.v.i v1, 4\n"
                 "    lw      t1, 8(s4)\n"
                 "    vlw.v   v2, 0(v1)\n"
                 "    vid.v   v3\n"
                 "    vsll.vi v3, v3, 2\n"
                 "    slli    t2, s2, 5\n"
                 "    add     t2, t2, s1\n"
                 "    vadd.vx v3, v3, t2\n"
                 "    vsw12.v v2, 64(v3)\n" /* what was found: private, */
                 "    sw      t1, 80(t2)\n" /* local */
                 "    sw      s3, 8(s4)\n"
                 "    vsw.v   v1, 0(v1)\n"
                 "    lw      s5, 0(s1)\n"
                 "    bnez    s5, 2f\n"
                 "1:  bnez    s2, 1b\n"
                 "    addi    s3, s3, -16\n"
                 "    bnez    s3, 1b\n"
                 "    sw      zero, 0(zero)\n"
                 "2:  lw      t0, 4(s1)\n" /* one after the other, and none before all have begun */
                 "    bne     t0, s2, 2b\n"
                 "    addi    t0, t0, 1\n"
                 "    sw      t0, 4(s1)\n"
                 "3:  lw      t0, 4(s1)\n"
                 "    bne     t0, s5, 3b\n"
                 "    endprg  x0, x0, x0\n");
        rig.launch.groups[0] = rig.launch.resident = rig.launch.pds_areas = MANY;
        LaunchResult r = rig_run(&(LaunchOptions){.threads = 1});
        assert_int_equal(r.fault.kind, FAULT_STORE);
        memset(rig.data, 0xff, DATA_BYTES);
        rig.data[0] = MANY, rig.data[1] = 0;
        r = rig_run(&(LaunchOptions){.threads = 1});
        assert_false(r.faulted);
        for (u32 i = 0; i < MANY; i++)
            for (u32 k = 0; k < 5; k++)
                assert_int_equal(rig.data[16 + 8 * i + k], 0);
    }
}

/* The first group waits for the last one, however few there are. */
static void the_first_waits_for_the_last(void **state)
{
    (void)state;
    rig_load(V202, 4,
             "    lui     s1, 0x90000\n"
             "    csrr    s2, CSR_GIDX\n"
             "    lw      s3, 0(s1)\n"
             "    bne     s2, s3, 1f\n"
             "    sw      s1, 4(s1)\n"
             "1:  lw      t0, 4(s1)\n"
             "    beqz    t0, 1b\n"
             "    endprg  x0, x0, x0\n");
    for (u32 n = 2; n <= 4; n++)
        for (u32 threads = 1; threads <= 2; threads++) {
            rig.launch.groups[0] = rig.launch.resident = n;
            rig.data[0] = n - 1, rig.data[1] = 0;
            const LaunchResult r = rig_run(&(LaunchOptions){.threads = threads, .timeout = 100});
            assert_false(r.faulted);
            assert_int_equal(r.groups, n);
        }
}

/* Groups that wait for the last one run as long as they may where one group more is than may have
 * begun: by the groups that the machine holds, by its SMs, by areas of private memory, and by
 * 1024 groups of a launch. */
static void no_more_groups_begin(void **state)
{
    static const struct {
        u32 resident, sms, areas, most;
    } rows[] = {{3, 1, 0, 3}, {3, 1, 9, 3}, {9, 1, 3, 3}, {2, 3, 9, 6}, {2, 3, 5, 5}, {1, 1, 1, 1},
                {2, 0, 0, 2}, {500, 3, 0, 1024}};
    (void)state;
    rig_load(V202, 4,
             "    lui     s1, 0x90000\n"
             "    csrr    s2, CSR_GIDX\n"
             "    lw      s3, 0(s1)\n"
             "    bne     s2, s3, 1f\n"
             "    sw      s1, 4(s1)\n"
             "1:  lw      t0, 4(s1)\n"
             "    beqz    t0, 1b\n"
             "    endprg  x0, x0, x0\n");
    rig.launch.max_insns = 1000;
    for (size_t i = 0; i < countof(rows); i++)
        for (u32 more = 0; more < 2; more++) {
            Machine m = {.sms = rows[i].sms};
            rig.launch.machine = rows[i].sms ? &m : NULL;
            rig.launch.resident = rows[i].resident;
            rig.launch.pds_areas = rows[i].areas;
            rig.launch.pds_lane = rows[i].areas ? 64 : 0;
            rig.launch.groups[0] = rows[i].most + more;
            rig.data[0] = rows[i].most + more - 1, rig.data[1] = 0;
            const LaunchResult r = rig_run(&(LaunchOptions){.threads = 1, .slice = 50});
            assert_int_equal(r.faulted, more);
            assert_true(!more || r.fault.kind == FAULT_ENDLESS);
        }
    rig.launch.machine = NULL;
}

/* A chain of far more groups than may have begun at once, each of which waits for the one before it. */
static void groups_wait_in_a_chain(void **state)
{
    (void)state;
    rig_load(V202, 4,
             "    lui     s1, 0x90000\n"
             "    csrr    s2, CSR_GIDX\n"
             "1:  lw      t0, 0(s1)\n"
             "    bne     t0, s2, 1b\n"
             "    addi    t0, t0, 1\n"
             "    sw      t0, 0(s1)\n"
             "    endprg  x0, x0, x0\n");
    rig.launch.groups[0] = 1000;
    rig.launch.warps = 1;
    for (u32 threads = 1; threads <= THREADS; threads++)
        for (u32 resident = 1; resident <= 4; resident += 3) {
            rig.launch.resident = resident;
            rig.data[0] = 0;
            const LaunchResult r = rig_run(&(LaunchOptions){.threads = threads});
            assert_false(r.faulted);
            assert_int_equal(r.groups, 1000);
            assert_int_equal(rig.data[0], 1000);
        }
}

/* Two groups that each raise a flag, and look for the other's after a fence: one of them at least
 * sees it.  Without the fence the host's store buffers hide both. */
static void fences_order_groups(void **state)
{
    (void)state;
    enum { ROUNDS = 5000 };
    char text[1024];
    snprintf(text, sizeof text,
             "    lui     s1, 0x90000\n"
             "    csrr    s2, CSR_GIDX\n"
             "    slli    t0, s2, 6\n"
             "    add     s3, s1, t0\n" /* mine at 256 + 64 * group */
             "    xori    t0, s2, 1\n"
             "    slli    t0, t0, 6\n"
             "    add     s4, s1, t0\n" /* the other's */
             "    slli    t0, s2, 16\n"
             "    add     s5, s1, t0\n" /* what I saw: from 0x1000, 64 KiB a group */
             "    vmv.v.x v3, s1\n"
             "    vid.v   v1\n"
             "    vmv.v.i v0, 0\n"
             "    li      s6, 1\n" /* round */
             "    li      s7, %d\n"
             "1:  vmv.v.i v2, 1\n"
             "4:  auipc   t1, %%pcrel_hi(5f)\n"
             "    setrpc  zero, t1, %%pcrel_lo(4b)\n"
             "    vbne    v1, v0, 5f\n"
             "    amoadd.w v4, v2, (v3)\n" /* both arrive at each round */
             "5:  join    zero, zero, 0\n"
             "    slli    t2, s6, 1\n"
             "2:  lw      t3, 0(s1)\n"
             "    bltu    t3, t2, 2b\n"
             "    sw      s6, 256(s3)\n"
             "    fence   rw, rw\n"
             "    lw      t4, 256(s4)\n"
             "    addi    s5, s5, 4\n"
             "    li      t5, 0x1000\n"
             "    add     t5, t5, s5\n"
             "    sw      t4, 0(t5)\n"
             "    addi    s6, s6, 1\n"
             "    bgeu    s7, s6, 1b\n"
             "    endprg  x0, x0, x0\n",
             ROUNDS);
    rig_load(V202, 4, text);
    rig.launch.groups[0] = rig.launch.resident = 2;
    const LaunchResult r = rig_run(&(LaunchOptions){.threads = 2});
    assert_false(r.faulted);
    for (u32 k = 1; k <= ROUNDS; k++) {
        const u32 a = rig.data[1024 + k], b = rig.data[1024 + 16384 + k];
        if (a < k && b < k)
            fail_msg("round %u: neither saw the other (%u, %u)", k, a, b);
    }
}

/* Thousands of short groups on four threads, again and again over code that is decoded anew: what
 * is shared (groups to hand out, counts, contexts, pages of code) is neither lost nor doubled. */
static void everything_shared_is_locked(void **state)
{
    (void)state;
    rig_load(V202, 4,
             "    lui     s1, 0x90000\n"
             "    vid.v   v1\n"
             "    vsll.vi v1, v1, 2\n"
             "    vadd.vx v1, v1, s1\n"
             "    vmv.v.i v2, 1\n"
             "    amoadd.w v3, v2, (v1)\n"
             "    endprg  x0, x0, x0\n");
    rig.launch.groups[0] = 5000;
    for (u32 round = 1; round <= 12; round++) {
        sim_kind.code_changed(rig.engine, V202, CODE_LO, TEXT_BYTES);
        const LaunchResult r = rig_run(&(LaunchOptions){.threads = THREADS});
        assert_false(r.faulted);
        assert_int_equal(r.groups, 5000);
        assert_int_equal(r.insns, 5000 * 7);
        for (u32 i = 0; i < 4; i++)
            assert_int_equal(rig.data[i], 5000 * round);
    }
    /* a context a thread and no more, each given back once */
    u32 n = 0;
    for (const Group *g = rig.sim->contexts.idle; g; g = g->next) {
        n++;
        for (const Group *h = g->next; h; h = h->next)
            assert_ptr_not_equal(g, h);
    }
    assert_in_range(n, 1, THREADS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaced_code_keeps_its_rights),
        cmocka_unit_test(the_last_byte_of_local_memory),
        cmocka_unit_test(beside_local_memory),
        cmocka_unit_test(unaligned_signed_numbers),
        cmocka_unit_test(the_flat_rule),
        cmocka_unit_test(addresses_beyond_39_bits),
        cmocka_unit_test(page_tables_that_are_full),
        cmocka_unit_test(copies_that_overlap),
        cmocka_unit_test(counts_above_32_bits),
        cmocka_unit_test(one_warp_more),
        cmocka_unit_test(saturation_at_64_bits),
        cmocka_unit_test(saturation_from_64_bits),
        cmocka_unit_test(atomics_in_a_crowd),
        cmocka_unit_test(many_in_a_crowd),
        cmocka_unit_test(reservations_in_a_crowd),
        cmocka_unit_test(groups_wait_for_each_other),
        cmocka_unit_test(no_more_groups_begin),
        cmocka_unit_test(groups_wait_in_a_chain),
        cmocka_unit_test(groups_given_up_leave_nothing),
        cmocka_unit_test(the_first_waits_for_the_last),
        cmocka_unit_test(groups_say_where_they_are),
        cmocka_unit_test(fences_order_groups),
        cmocka_unit_test(everything_shared_is_locked),
    };
    return cmocka_run_group_tests(tests, rig_set_up, rig_tear_down);
}
