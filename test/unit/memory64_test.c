/* Memory of v2025: the flat rule, spaces, widths of 32 to 128 bits, 64-bit addresses,
 * private memory of each warp, atomics on address pairs; against byte loops. */
#include "test/kit/rig.h"

typedef enum {
    UNIT,
    STRIDED,
    INDEXED,
    FLAT,
    PLAIN,
    GLOBAL,
    LOCAL,
    PRIVATE,
    WIDE,
    SCALAR,
    SCALAR_PAIR
} Rule;

typedef struct {
    InsnId id;
    Rule rule;
    bool stores, sgn;
    u32 width;
} Row;

#define LOADS(name, rule)                                                                          \
    {I_vlb##name, rule, false, true, 1}, {I_vlh##name, rule, false, true, 2},                      \
        {I_vlw##name, rule, false, false, 4}, {I_vlbu##name, rule, false, false, 1},               \
        {I_vlhu##name, rule, false, false, 2}, {I_vsw##name, rule, true, false, 4},                \
        {I_vsh##name, rule, true, false, 2},                                                       \
    {                                                                                              \
        I_vsb##name, rule, true, false, 1                                                          \
    }

static const Row rows[] = {
    LOADS(12_v, FLAT),
    LOADS(_global_v, GLOBAL),
    LOADS(_local_v, LOCAL),
    LOADS(_private_v, PRIVATE),
    LOADS(12d_v, WIDE),
    {I_lw, SCALAR, false, false, 4},
    {I_sw, SCALAR, true, false, 4},
    {I_lb, SCALAR, false, true, 1},
    {I_lhu, SCALAR, false, false, 2},
    {I_sh, SCALAR, true, false, 2},
    {I_ld, SCALAR_PAIR, false, false, 4},
    {I_sd, SCALAR_PAIR, true, false, 4},
    {I_vle32_v, UNIT, false, false, 4},
    {I_vse32_v, UNIT, true, false, 4},
    {I_vle8_v, UNIT, false, false, 1},
    {I_vse16_v, UNIT, true, false, 2},
    {I_vlse32_v, STRIDED, false, false, 4},
    {I_vsse32_v, STRIDED, true, false, 4},
    {I_vlse16_v, STRIDED, false, false, 2},
    {I_vsse8_v, STRIDED, true, false, 1},
    {I_vluxei32_v, INDEXED, false, false, 4},
    {I_vsuxei32_v, INDEXED, true, false, 4},
    {I_vloxei16_v, INDEXED, false, false, 4},
    {I_vsoxei8_v, INDEXED, true, false, 4},
};

static const InsnId prefixes[4][4] = {
    /* by space and words */
    {I_pre_m_32, I_pre_m_64, I_pre_m_96, I_pre_m_128},
    {I_pre_m_global_32, I_pre_m_global_64, I_pre_m_global_96, I_pre_m_global_128},
    {I_pre_m_private_32, I_pre_m_private_64, I_pre_m_private_96, I_pre_m_private_128},
    {I_pre_m_local_32, I_pre_m_local_64, I_pre_m_local_96, I_pre_m_local_128},
};

/* one access: the instruction, its prefix, its registers */
typedef struct {
    const Row *row;
    bool prefixed, pair; /* by pre_m_* */
    u32 space, words;
    u32 data, base, other; /* registers; other: stride or index */
    i32 imm;
    bool vm;
    Warp *w;
} Access;

static bool is_scalar(const Row *r) { return r->rule == SCALAR || r->rule == SCALAR_PAIR; }
static bool scalar_base(const Row *r) { return r->rule <= INDEXED || is_scalar(r); }
static bool wide(const Access *a)
{
    return a->pair || a->row->rule == WIDE || a->row->rule == SCALAR_PAIR;
}

/* 0 the rule of the instruction itself, else 1 global, 2 private, 3 local */
static u32 space_of(const Access *a)
{
    const Rule r = a->row->rule;
    return a->space ? a->space : r == GLOBAL ? 1 : r == PRIVATE ? 2 : r == LOCAL ? 3 : 0;
}

static bool flat(const Access *a) { return a->row->rule == FLAT && !space_of(a) && !wide(a); }

/* --- the rules (doc/isa.md, "Memory") --------------------------------------------------- */

static u64 private_address(const Warp *w, u64 a, int lane)
{
    const u32 lanes = rig.launch.lanes, pds = PDS + w->id * lanes * PDS_LANE;
    return pds + (a & ~(u64)3) * lanes + (a & 3) + (lane < 0 ? 0 : 4 * (u64)lane);
}

static u64 base_value(const Access *a, int lane)
{
    const Warp *w = a->w;
    const u32 n = a->base;
    if (scalar_base(a->row))
        return wide(a) && n ? (u64)w->x[n + 1] << 32 | w->x[n] : w->x[n];
    return wide(a) ? (u64)w->v[n + 1][lane] << 32 | w->v[n][lane] : w->v[n][lane];
}

static u64 index_value(const Access *a, int lane)
{
    const u32 v = a->w->v[a->other][lane];
    return a->row->id == I_vsoxei8_v ? v & 0xff : a->row->id == I_vloxei16_v ? v & 0xffff : v;
}

static u64 address(const Access *a, int lane, u32 k)
{
    const u64 base = base_value(a, lane);
    u64 at = base + 4 * k;
    switch (a->row->rule) {
    case UNIT:
        at += (u32)lane * a->row->width;
        break;
    case STRIDED:
        at += (u64)lane * (u64)(i64)(i32)a->w->x[a->other];
        break;
    case INDEXED:
        at += index_value(a, lane);
        break;
    default:
        at += (u64)(i64)a->imm;
        break;
    }
    at = wide(a) ? at : (u32)at;
    if (space_of(a) == 2 || (flat(a) && base >> 24 == 0))
        at = private_address(a->w, at, lane);
    else if (space_of(a) == 3)
        at += LDS_BASE;
    return wide(a) ? at : (u32)at;
}

static bool takes_part(const Access *a, int lane)
{
    return a->w->exec >> lane & 1 && (a->vm || a->w->v[0][lane] & 1);
}

/* false: an address is in no window */
static bool access_lane(const Access *a, int lane)
{
    for (u32 k = 0; k < a->words; k++) {
        const u64 at = address(a, lane, k);
        const u32 bits = a->row->width * 8;
        if (!want_byte(at) || !want_byte(at + a->row->width - 1))
            return false;
        if (a->row->stores) {
            want_store(at, a->row->width,
                       lane < 0 ? a->w->x[a->data + k] : a->w->v[a->data + k][lane]);
            continue;
        }
        u32 v = want_load(at, a->row->width);
        if (a->row->sgn && v >> (bits - 1))
            v |= ~(u32)0 << (bits - 1);
        if (lane >= 0)
            want->v[a->data + k][lane] = v;
        else if (a->data + k)
            want->x[a->data + k] = v;
    }
    return true;
}

static bool expect(const Access *a)
{
    if (is_scalar(a->row))
        return access_lane(a, -1);
    for (int i = 0; i < MAX_LANES; i++)
        if (takes_part(a, i) && !access_lane(a, i))
            return false;
    return true;
}

/* --- one access ---------------------------------------------------------------------------- */

static void emit_access(const Access *a)
{
    const Rule r = a->row->rule;
    const u32 d = a->data, b = a->base, o = a->other;
    const bool custom_store = a->row->stores && (r >= FLAT);
    /* stores of data in field 11:7 take x3, or xd when that is 0 */
    const u32 xd = custom_store ? below(8) : d / 32, x2 = custom_store ? d / 32 : o / 32;
    const u32 x3 = r <= INDEXED && a->row->stores ? d / 32 : below(8);
    const u32 xd_used = r <= INDEXED && a->row->stores && x3 ? below(8) : xd;
    start();
    if (a->prefixed)
        emit(prefixes[a->space][a->words - 1], O_xd, xd_used, O_x1, b / 32, O_x2, x2, O_x3, x3,
             O_pair, a->pair, O_ch, below(1024), END);
    else if (one_in(2))
        emit(I_prefix, O_xd, xd_used, O_x1, b / 32, O_x2, x2, O_x3, x3, O_pair, one_in(2), O_abs,
             below(8), O_neg, below(8), END);
    else
        emit(I_regext, O_imm12, (int)sign_extend(xd_used | b / 32 << 3 | x2 << 6 | x3 << 9, 12),
             END);
    const InsnId id = a->row->id;
    const int field = (int)(d & 31), bf = (int)(b & 31), of = (int)(o & 31);
    if (is_scalar(a->row))
        emit(id, a->row->stores ? O_rs2 : O_rd, field, a->row->stores ? O_st12 : O_imm12, a->imm,
             O_rs1, bf, END);
    else if (r >= FLAT)
        emit(id, a->row->stores ? O_vs2 : O_vd, field, a->row->stores ? O_st12 : O_imm12, a->imm,
             O_vs1, bf, END);
    else if (r == UNIT)
        emit(id, a->row->stores ? O_vs3 : O_vd, field, O_rs1, bf, O_vm, a->vm, END);
    else
        emit(id, a->row->stores ? O_vs3 : O_vd, field, O_rs1, bf, r == STRIDED ? O_rs2 : O_vs2, of,
             O_vm, a->vm, END);
}

/* an address, before the space adds its own, whose target lies in a window; the
 * immediate is still to be taken off */
static u64 random_target(const Access *a)
{
    const u32 place = 2048 + below(WINDOW - 8192);
    switch (space_of(a)) {
    case 2:
        return below(PDS_LANE - 16) - (a->w->id && one_in(8) ? 16 : 0);
    case 3:
        return one_in(8) ? 0 - (u64)below(0x400) : place;
    default:
        break;
    }
    if (flat(a) && one_in(3))
        return below(PDS_LANE - 16);
    return wide(a) && one_in(2) ? HIGH + place : one_in(3) ? LDS_LO + place : HEAP + place;
}

static void set_bases(const Access *a)
{
    Warp *w = a->w;
    const bool by_imm = a->row->rule >= FLAT;
    for (int i = 0; i < (scalar_base(a->row) ? 1 : MAX_LANES); i++) {
        const u64 base = random_target(a) - (by_imm ? (u64)(i64)a->imm : 0);
        if (scalar_base(a->row)) {
            w->x[a->base] = (u32)base;
            if (wide(a))
                w->x[a->base + 1] = (u32)(base >> 32);
        } else {
            w->v[a->base][i] = (u32)base;
            if (wide(a))
                w->v[a->base + 1][i] = (u32)(base >> 32);
        }
    }
    w->x[0] = 0;
    if (a->row->rule == STRIDED)
        w->x[a->other] = space_of(a) == 2 ? below(2) : below(200) - 60;
    for (int i = 0; i < MAX_LANES && a->row->rule == INDEXED; i++)
        w->v[a->other][i] = below(space_of(a) == 2 ? 16 : a->row->id == I_vsoxei8_v ? 256 : 2000);
}

static u32 compared, skipped;

static void try_access(const Row *row, bool prefixed, u32 space, u32 words, bool pair)
{
    Access a = {.row = row,
                .prefixed = prefixed,
                .space = space,
                .words = words,
                .pair = pair,
                .vm = true,
                .w = &rig.warps[below(RIG_WARPS)]};
    a.data = is_scalar(row) ? below(65 - words) : below(257 - words);
    a.base = scalar_base(row) ? 1 + below(62) : below(255);
    a.base &= wide(&a) ? 254 : 255;
    a.base += scalar_base(row) && !a.base ? 2 : 0;
    do
        a.other = row->rule == STRIDED ? 1 + below(63) : below(256);
    while (row->rule == STRIDED && (a.other == a.base || a.other == a.base + 1));
    if (row->rule <= INDEXED)
        a.vm = !one_in(3);
    else /* for the flat rule the range of the base counts: it stays below 2^24 */
        a.imm = one_in(3) ? 0 : (i32)below(4096) - 2048;
    if (flat(&a) && one_in(2))
        a.imm = (i32)below(40) - 40;
    emit_access(&a);
    fill(a.w, random_mask());
    fill_memory();
    set_bases(&a);
    expect_nothing(a.w);
    expect_no_store();
    if (!expect(&a)) {
        skipped++;
        return;
    }
    run_and_compare(a.w);
    same_memory();
    compared++;
}

static void every_row(int times)
{
    for (size_t r = 0; r < countof(rows); r++)
        for (int k = 0; k < times; k++)
            try_access(&rows[r], false, 0, 1, false);
}

static void every_row_and_prefix(int times)
{
    for (size_t r = 0; r < countof(rows); r++)
        for (u32 space = 0; space < 4; space++)
            for (u32 words = 1; words <= (rows[r].width == 4 ? 4 : 1); words++)
                for (u32 pair = 0; pair < 2; pair++)
                    for (int k = 0; k < times && rows[r].rule != SCALAR_PAIR; k++)
                        try_access(&rows[r], true, space, words, pair);
}

static void accesses_without_memory_prefix(void **state)
{
    (void)state;
    every_row(60);
}

static void accesses_under_memory_prefixes(void **state)
{
    (void)state;
    every_row_and_prefix(6);
}

static void narrow_machines(void **state)
{
    (void)state;
    for (u32 lanes = 4; lanes <= 16; lanes *= 2) {
        rig_lanes(lanes);
        every_row(8);
        every_row_and_prefix(1);
    }
    rig_lanes(32);
    print_message("%u accesses compared, %u not placed\n", compared, skipped);
    assert_true(compared > 4 * skipped);
}

/* the same as RV64I and d.15 say it: x0 as a pair is 0 */
static void x0_is_a_null_pair(void **state)
{
    (void)state;
    start();
    emit(I_ld, O_rd, 5, O_imm12, 16, O_rs1, 0, END);
    fill(W, UINT32_MAX);
    W->x[1] = 2; /* would be the upper half */
    must_fault(FAULT_LOAD);
    assert_int_equal(rig.group.fault.addr, 16);
}

static void csr_pds_is_of_the_warp(void **state)
{
    (void)state;
    start();
    emit(I_csrrs, O_rd, 5, O_csr, 0x807, END);
    for (u32 lanes = 4; lanes <= 32; lanes *= 2) {
        rig_lanes(lanes);
        for (u32 k = 0; k < RIG_WARPS; k++) {
            fill(&rig.warps[k], UINT32_MAX);
            assert_int_equal(run(&rig.warps[k]), FAULT_NONE);
            assert_int_equal(rig.warps[k].x[5], PDS + k * lanes * PDS_LANE);
        }
    }
}

/* What a lane of a warp writes to its private bytes no other lane of any warp sees. */
static void private_memory_is_disjoint(void **state)
{
    (void)state;
    memset(host_window(3), 0, WINDOW);
    for (u32 a = 0; a < PDS_LANE; a++)
        for (u32 k = 0; k < RIG_WARPS; k++) {
            Warp *w = &rig.warps[k];
            start();
            emit(I_vlbu_private_v, O_vd, 4, O_imm12, (int)a - 20, O_vs1, 2, END);
            emit(I_vsb_private_v, O_vs2, 1, O_st12, (int)a - 20, O_vs1, 2, END);
            emit(I_vlbu_private_v, O_vd, 3, O_imm12, (int)a - 20, O_vs1, 2, END);
            fill(w, UINT32_MAX);
            for (u32 i = 0; i < 32; i++)
                w->v[2][i] = 20, w->v[1][i] = 1 + below(255);
            expect_nothing(w);
            for (u32 i = 0; i < 32; i++)
                want->v[4][i] = 0, want->v[3][i] = want->v[1][i];
            run_and_compare(w);
        }
}

/* --- atomics -------------------------------------------------------------------------------- */

static u32 atomic(InsnId id, u32 old, u32 v)
{
    switch (id) {
    case I_amoswap_d:
    case I_amoswap_w:
        return v;
    case I_amoadd_d:
    case I_amoadd_w:
        return old + v;
    case I_amoxor_d:
        return old ^ v;
    case I_amoand_d:
        return old & v;
    case I_amoor_d:
        return old | v;
    case I_amomin_d:
        return (i32)old < (i32)v ? old : v;
    case I_amomax_d:
        return (i32)old > (i32)v ? old : v;
    case I_amominu_d:
        return old < v ? old : v;
    default:
        return old > v ? old : v;
    }
}

static void atomics_on_pairs(void **state)
{
    (void)state;
    static const InsnId ids[] = {I_amoswap_d, I_amoadd_d, I_amoxor_d, I_amoand_d,
                                 I_amoor_d,   I_amomin_d, I_amomax_d, I_amominu_d,
                                 I_amomaxu_d, I_amoadd_w, I_amoswap_w};
    for (size_t n = 0; n < countof(ids); n++)
        for (int k = 0; k < 40; k++) {
            /* the .w forms take a pair, or a space, from a memory prefix */
            const bool by_prefix = n >= 9, local = by_prefix && one_in(2), pair = !local;
            const u32 vd = below(256), vs2 = one_in(4) ? vd : below(256), vs1 = below(128) * 2;
            start();
            if (by_prefix)
                emit(local ? I_pre_m_local_32 : I_pre_m_32, O_xd, vd / 32, O_x1, vs1 / 32, O_x2,
                     vs2 / 32, O_pair, pair, END);
            else
                emit(I_regext, O_imm12,
                     (int)sign_extend(vd / 32 | vs1 / 32 << 3 | vs2 / 32 << 6, 12), END);
            emit(ids[n], O_vd, vd & 31, O_vs2, vs2 & 31, O_vs1, vs1 & 31, O_aqrl, below(4), END);
            fill(W, random_mask());
            fill_memory();
            for (int i = 0; i < MAX_LANES; i++) { /* lanes collide */
                const u64 at = (local ? 0x100 : one_in(2) ? HIGH : HEAP) + 4 * (u64)below(8);
                W->v[vs1][i] = (u32)at;
                if (pair)
                    W->v[vs1 + 1][i] = (u32)(at >> 32);
            }
            expect_nothing(W);
            expect_no_store();
            for (int i = 0; i < MAX_LANES; i++) {
                const u64 at = (pair ? (u64)W->v[vs1 + 1][i] << 32 : LDS_BASE) + W->v[vs1][i];
                if (!(W->exec >> i & 1))
                    continue;
                const u32 old = want_load(at, 4);
                want_store(at, 4, atomic(ids[n], old, W->v[vs2][i]));
                want->v[vd][i] = old;
            }
            run_and_compare(W);
            same_memory();
        }
}

/* lr.d, perhaps a store to some words, sc.d: a lane stores when nothing touched its word
 * since, lower lanes of the sc included */
static void reservations_on_pairs(void **state)
{
    (void)state;
    for (int k = 0; k < 300; k++) {
        const bool store = one_in(2), other_place = one_in(4);
        start();
        emit(I_lr_d, O_vd, 10, O_vs1, 20, O_aqrl, below(4), END);
        if (store)
            emit(I_vsw12d_v, O_vs2, 14, O_vs1, 24, O_st12, 0, END);
        emit(I_sc_d, O_vd, 12, O_vs2, 16, O_vs1, other_place ? 22 : 20, END);
        fill(W, random_mask());
        fill_memory();
        for (int i = 0; i < MAX_LANES; i++) {
            W->v[20][i] = (u32)HIGH + 4 * below(24);
            W->v[22][i] = W->v[20][i] + 4 * below(2);
            W->v[24][i] = (u32)HIGH + 4 * below(400) + below(4);
            W->v[21][i] = W->v[23][i] = W->v[25][i] = HIGH >> 32;
        }
        expect_nothing(W);
        expect_no_store();
        bool broken[1024] = {0}; /* words stored to since */
        for (int i = 0; i < MAX_LANES; i++)
            if (W->exec >> i & 1)
                want->v[10][i] = want_load((u64)2 << 32 | W->v[20][i], 4);
        for (int i = 0; i < MAX_LANES && store; i++)
            if (W->exec >> i & 1) {
                const u64 at = (u64)2 << 32 | W->v[24][i];
                want_store(at, 4, W->v[14][i]);
                broken[(at - HIGH) / 4] = broken[(at + 3 - HIGH) / 4] = true;
            }
        for (int i = 0; i < MAX_LANES; i++) {
            const u32 at = W->v[other_place ? 22 : 20][i], word = (at - (u32)HIGH) / 4;
            if (!(W->exec >> i & 1))
                continue;
            const bool holds = at == W->v[20][i] && !broken[word];
            want->v[12][i] = !holds;
            if (holds) {
                want_store((u64)2 << 32 | at, 4, W->v[16][i]);
                broken[word] = true;
            }
        }
        rig.group.reservations = 0;
        run_and_compare(W);
        same_memory();
        W->reserved = 0;
        rig.group.reservations = 0;
    }
}

/* --- prefixes that say nothing ---------------------------------------------------------------- */

/* before anything but an access a memory prefix is void, its register bits too */
static void void_prefixes(void **state)
{
    (void)state;
    for (u32 space = 0; space < 4; space++)
        for (u32 words = 0; words < 4; words++) {
            start();
            emit(prefixes[space][words], O_xd, 3, O_x1, 2, O_x2, 1, O_x3, 1, O_pair, 1, END);
            emit(I_vadd_vv, O_vd, 3, O_vs2, 4, O_vs1, 5, END);
            emit(prefixes[space][words], O_xd, 1, O_x1, 1, END);
            emit(I_addi, O_rd, 3, O_rs1, 4, O_imm12, 5, END);
            fill(W, random_mask());
            expect_nothing(W);
            for (int i = 0; i < MAX_LANES; i++)
                if (W->exec >> i & 1)
                    want->v[3][i] = W->v[4][i] + W->v[5][i];
            want->x[3] = W->x[4] + 5;
            run_and_compare(W);
        }
}

/* --- what must fault ------------------------------------------------------------------ */

static void try_fault(InsnId prefix, u32 xd, u32 x1, u32 x2, bool pair, InsnId id, int data,
                      int base, u64 at, FaultKind kind)
{
    const bool scalar =
        isa_format_of(id) == &isa_format[F_L] || isa_format_of(id) == &isa_format[F_S];
    const bool stores =
        isa_format_of(id) == &isa_format[F_S] || isa_format_of(id) == &isa_format[F_VS12];
    const u32 b = x1 * 32 + (u32)base;
    start();
    if (prefix != NINSN)
        emit(prefix, O_xd, xd, O_x1, x1, O_x2, x2, O_pair, pair, END);
    if (isa_format_of(id) == &isa_format[F_AMO])
        emit(id, O_vd, data, O_vs1, base, END);
    else if (isa_format_of(id) == &isa_format[F_LR])
        emit(id, O_vd, data, O_vs1, base, END);
    else if (scalar)
        emit(id, stores ? O_rs2 : O_rd, data, O_rs1, base, END);
    else
        emit(id, stores ? O_vs2 : O_vd, data, O_vs1, base, END);
    fill(W, UINT32_MAX);
    for (int i = 0; i < MAX_LANES && !scalar; i++) {
        W->v[b][i] = (u32)at;
        if (b < 255)
            W->v[b + 1][i] = (u32)(at >> 32);
    }
    if (scalar && b < 63)
        W->x[b] = (u32)at, W->x[b + 1] = (u32)(at >> 32);
    expect_nothing(W);
    must_fault(kind);
    same_registers(W);
}

static void what_must_fault(void **state)
{
    (void)state;
    /* odd pairs */
    try_fault(NINSN, 0, 0, 0, false, I_vlw12d_v, 4, 5, HEAP, FAULT_REGISTER);
    try_fault(NINSN, 0, 0, 0, false, I_vsb12d_v, 4, 5, HEAP, FAULT_REGISTER);
    try_fault(NINSN, 0, 0, 0, false, I_ld, 4, 5, HEAP, FAULT_REGISTER);
    try_fault(NINSN, 0, 0, 0, false, I_sd, 4, 5, HEAP, FAULT_REGISTER);
    try_fault(NINSN, 0, 0, 0, false, I_amoadd_d, 4, 5, HEAP, FAULT_REGISTER);
    try_fault(NINSN, 0, 0, 0, false, I_lr_d, 4, 5, HEAP, FAULT_REGISTER);
    try_fault(NINSN, 0, 0, 0, false, I_sc_d, 4, 5, HEAP, FAULT_REGISTER);
    try_fault(I_pre_m_32, 0, 0, 0, true, I_vlw12_v, 4, 5, HEAP, FAULT_REGISTER);
    try_fault(I_pre_m_32, 0, 0, 0, true, I_lw, 4, 5, HEAP, FAULT_REGISTER);
    try_fault(I_pre_m_32, 0, 7, 0, true, I_vlw12_v, 4, 31, HEAP, FAULT_REGISTER);
    /* data registers beyond the file */
    try_fault(I_pre_m_64, 7, 0, 0, false, I_vlw12_v, 31, 4, HEAP, FAULT_REGISTER);
    try_fault(I_pre_m_128, 7, 0, 0, false, I_vlw_global_v, 29, 4, HEAP, FAULT_REGISTER);
    try_fault(I_pre_m_96, 0, 0, 7, false, I_vsw12d_v, 30, 4, HEAP, FAULT_REGISTER);
    try_fault(I_pre_m_128, 1, 0, 0, false, I_lw, 30, 4, HEAP, FAULT_REGISTER);
    try_fault(I_pre_m_32, 2, 0, 0, false, I_lw, 0, 4, HEAP, FAULT_REGISTER);
    try_fault(I_pre_m_32, 0, 2, 0, false, I_lw, 4, 0, HEAP, FAULT_REGISTER);
    /* several words of a byte, of an atomic */
    try_fault(I_pre_m_64, 0, 0, 0, false, I_vlb12_v, 4, 6, HEAP, FAULT_ILLEGAL);
    try_fault(I_pre_m_96, 0, 0, 0, false, I_vsh_global_v, 4, 6, HEAP, FAULT_ILLEGAL);
    try_fault(I_pre_m_128, 0, 0, 0, false, I_lb, 4, 6, HEAP, FAULT_ILLEGAL);
    try_fault(I_pre_m_64, 0, 0, 0, false, I_amoadd_w, 4, 6, HEAP, FAULT_ILLEGAL);
    try_fault(I_pre_m_64, 0, 0, 0, false, I_lr_w, 4, 6, HEAP, FAULT_ILLEGAL);
    /* nothing there: beyond 39 bits, around 2^64, the upper half of a private address */
    static const u64 nowhere[] = {(u64)1 << 39,   ((u64)1 << 39) - 2, (u64)1 << 40 | HEAP,
                                  UINT64_MAX,     UINT64_MAX - 1,     UINT64_MAX - 2,
                                  UINT64_MAX - 3, (u64)1 << 63};
    for (size_t i = 0; i < countof(nowhere); i++) {
        const u64 word = nowhere[i] & ~(u64)3;
        try_fault(NINSN, 0, 0, 0, false, I_vlw12d_v, 4, 6, nowhere[i], FAULT_LOAD);
        try_fault(NINSN, 0, 0, 0, false, I_vsw12d_v, 4, 6, nowhere[i], FAULT_STORE);
        try_fault(NINSN, 0, 0, 0, false, I_ld, 4, 6, nowhere[i], FAULT_LOAD);
        try_fault(NINSN, 0, 0, 0, false, I_sd, 4, 6, nowhere[i], FAULT_STORE);
        try_fault(NINSN, 0, 0, 0, false, I_amoor_d, 4, 6, word, FAULT_LOAD);
        try_fault(NINSN, 0, 0, 0, false, I_lr_d, 4, 6, word, FAULT_LOAD);
    }
    try_fault(I_pre_m_private_32, 0, 0, 0, true, I_vlw12_v, 4, 6, (u64)1 << 32, FAULT_LOAD);
    try_fault(I_pre_m_local_32, 0, 0, 0, true, I_vlw12_v, 4, 6, (u64)1 << 40, FAULT_LOAD);
    try_fault(NINSN, 0, 0, 0, false, I_amoadd_d, 4, 6, HIGH + 2, FAULT_ATOMIC_MISALIGNED);
    try_fault(NINSN, 0, 0, 0, false, I_sc_d, 4, 6, HIGH + 1, FAULT_ATOMIC_MISALIGNED);
    /* the range counts before the offset: 2^24 - 4 is private, 2^24 is not */
    try_fault(NINSN, 0, 0, 0, false, I_vlw12_v, 4, 6, 0x01000000, FAULT_LOAD);
    assert_int_equal(rig.group.fault.addr, 0x01000000);
    try_fault(NINSN, 0, 0, 0, false, I_vlw12_v, 4, 6, 0x00fffffc, FAULT_LOAD);
    assert_int_equal(rig.group.fault.addr, (u32)(PDS + 0x00fffffcu * 32));
}

/* bits 8:7 */
static void reserved_bits_of_prefixes_fault(void **state)
{
    (void)state;
    for (u32 bit = 7; bit < 9; bit++)
        for (u32 space = 0; space < 4; space++)
            for (u32 n = 0; n < 4; n++) {
                start();
                put_word((u32)isa_insn[prefixes[space][n]].match | 1u << bit);
                fill(W, UINT32_MAX);
                must_be_refused();
            }
}

static void no_row_is_left(void **state)
{
    (void)state;
    every_row_was_executed(BY_MEMORY64_TEST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_without_memory_prefix),
        cmocka_unit_test(accesses_under_memory_prefixes),
        cmocka_unit_test(narrow_machines),
        cmocka_unit_test(x0_is_a_null_pair),
        cmocka_unit_test(csr_pds_is_of_the_warp),
        cmocka_unit_test(private_memory_is_disjoint),
        cmocka_unit_test(atomics_on_pairs),
        cmocka_unit_test(reservations_on_pairs),
        cmocka_unit_test(void_prefixes),
        cmocka_unit_test(what_must_fault),
        cmocka_unit_test(reserved_bits_of_prefixes_fault),
        cmocka_unit_test(no_row_is_left),
    };
    rig_open(V2025);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rig_close();
    return failed;
}
