/* The asynchronous copies: bytes, blocks and boxes of tensors, against plain loops; and
 * the check for accesses that come too early. */
#include "test/kit/rig.h"

static void expect_all(void)
{
    expect_nothing(W);
    expect_no_store();
}

static void run_and_compare_all(void)
{
    run_and_compare(W);
    same_memory();
}

/* random registers of a copy that regext or prefix names; x0 is none of them */
typedef struct {
    u32 to, from, size;
} Three;

static Three emit_copy(InsnId id, u32 sz)
{
    Three r;
    do
        r = (Three){1 + below(63), 1 + below(63), 1 + below(63)};
    while (r.to == r.from || r.to == r.size || r.from == r.size);
    const u32 xd = r.to / 32, x1 = r.from / 32, x2 = r.size / 32;
    const bool by_x3 = one_in(2); /* x3, when it is not 0, else xd */
    start();
    if (one_in(2))
        emit(I_regext, O_imm12,
             (int)sign_extend(
                 (by_x3 && xd ? 5 * below(2) : xd) | x1 << 3 | x2 << 6 | (by_x3 ? xd << 9 : 0), 12),
             END);
    else
        emit(I_prefix, O_xd, by_x3 && xd ? 0 : xd, O_x1, x1, O_x2, x2, O_x3, by_x3 ? xd : 0, END);
    if (id == I_cp_dma)
        emit(id, O_rdst, r.to & 31, O_rs1, r.from & 31, O_rs2, r.size & 31, O_sz, sz, END);
    else
        emit(id, O_rdst, r.to & 31, O_rs1, r.from & 31, O_rs2, r.size & 31, END);
    emit(I_cp_dma_mbarrier, END);
    return r;
}

static void small_copies(void **state)
{
    (void)state;
    for (int k = 0; k < 2000; k++) {
        const u32 sz = below(3), size = 4u << sz, given = below(size + 1);
        const Three r = emit_copy(I_cp_dma, sz);
        const u32 to = LDS_LO + 64 + below(4000), from = HEAP + below(4000);
        fill(W, random_mask()); /* once a warp, whatever its lanes */
        fill_memory();
        W->x[r.to] = to, W->x[r.from] = from, W->x[r.size] = given;
        expect_all();
        for (u32 i = 0; i < size; i++)
            want_store(to + i, 1, i < given ? want_load(from + i, 1) : 0);
        run_and_compare_all();
    }
}

static void blocks(void **state)
{
    (void)state;
    for (int k = 0; k < 500; k++) {
        const Three r = emit_copy(I_cp_dma_bulk, 0);
        const u32 size = one_in(8) ? 0 : below(800) * 4;
        const u32 to = LDS_LO + 4 * below(2000), from = (one_in(4) ? PDS : HEAP) + 4 * below(2000);
        fill(W, one_in(4) ? 0 : random_mask());
        fill_memory();
        W->x[r.to] = to, W->x[r.from] = from, W->x[r.size] = size;
        expect_all();
        for (u32 i = 0; i < size; i += 4)
            want_store(to + i, 4, want_load(from + i, 4));
        run_and_compare_all();
    }
}

static void bad_arguments_of_copies(void **state)
{
    (void)state;
    static const struct {
        InsnId id;
        u32 sz, to, from, size;
        FaultKind kind;
        u64 bad; /* of COPY_ARGUMENT: the argument */
    } cases[] = {
        {I_cp_dma, 0, LDS_LO, HEAP, 5, FAULT_COPY_ARGUMENT, 5},
        {I_cp_dma, 1, LDS_LO, HEAP, 9, FAULT_COPY_ARGUMENT, 9},
        {I_cp_dma, 2, LDS_LO, HEAP, 17, FAULT_COPY_ARGUMENT, 17},
        {I_cp_dma, 2, LDS_LO, HEAP, UINT32_MAX, FAULT_COPY_ARGUMENT, UINT32_MAX},
        {I_cp_dma, 3, LDS_LO, HEAP, 0, FAULT_ILLEGAL, 0},
        {I_cp_dma, 0, LDS_LO, 0x10, 4, FAULT_LOAD, 0},
        {I_cp_dma, 0, 0x10, HEAP, 4, FAULT_STORE, 0},
        {I_cp_dma_bulk, 0, LDS_LO + 2, HEAP, 16, FAULT_COPY_ARGUMENT, LDS_LO + 2},
        {I_cp_dma_bulk, 0, LDS_LO, HEAP + 1, 16, FAULT_COPY_ARGUMENT, HEAP + 1},
        {I_cp_dma_bulk, 0, LDS_LO, HEAP, 15, FAULT_COPY_ARGUMENT, 15},
        {I_cp_dma_bulk, 0, LDS_LO, HEAP, 0xfffffffc, FAULT_COPY_ARGUMENT, 0xfffffffc},
        {I_cp_dma_bulk, 0, LDS_LO, 0x10, 16, FAULT_LOAD, 0},
        {I_cp_dma_bulk, 0, 0x10, HEAP, 16, FAULT_STORE, 0},
        {I_cp_dma_bulk, 0, LDS_LO, HEAP + WINDOW - 8, 16, FAULT_LOAD, 0},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        start();
        if (cases[i].id == I_cp_dma)
            emit(I_cp_dma, O_rdst, 11, O_rs1, 10, O_rs2, 12, O_sz, cases[i].sz, END);
        else
            emit(I_cp_dma_bulk, O_rdst, 11, O_rs1, 10, O_rs2, 12, END);
        fill(W, UINT32_MAX);
        W->x[11] = cases[i].to, W->x[10] = cases[i].from, W->x[12] = cases[i].size;
        expect_nothing(W);
        must_fault(cases[i].kind);
        assert_int_equal(rig.group.fault.lane, -1);
        if (cases[i].kind == FAULT_COPY_ARGUMENT)
            assert_true(rig.group.fault.has_addr && rig.group.fault.addr == cases[i].bad);
        same_registers(W);
    }
    start(); /* bits 31:27 must be 0 */
    put_word(0x80001041);
    must_be_refused();
}

/* --- tensors ------------------------------------------------------------------------------ */

enum { MOST_RANK = 5 };

typedef struct {
    u32 type, rank, base, dim[MOST_RANK], stride[MOST_RANK + 1]; /* as the lanes of vs1 hold them */
    u32 box, size[MOST_RANK], step[MOST_RANK], interleave, swizzle, promotion, oob;
    u32 to;
} Tensor;

static const u32 type_bytes[13] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

/* a tensor that lies in the heap's window, and a box that may leave it upwards */
static Tensor random_tensor(void)
{
    Tensor t = {.type = below(13),
                .rank = 1 + below(5),
                .base = HEAP + 16 * below(8),
                .swizzle = below(4),
                .promotion = below(4),
                .oob = below(2),
                .to = LDS_LO + 128 * below(8)};
    const u32 es = type_bytes[t.type];
    u32 bytes = 0, place = 0;
    for (u32 d = 0; d < MOST_RANK; d++) {
        t.dim[d] = 1 + below(d ? 4 : 12);
        t.step[d] = below(9); /* 0 is 1; dimension 0 ignores it */
        t.size[d] = 1 + below(d ? 5 : 16);
        t.stride[d] = 16 * below(16); /* of dimension d: not used for 0 */
    }
    bytes = t.dim[0] * es;
    for (u32 d = 1; d < t.rank; d++) {
        t.stride[d] = (bytes + 15) / 16 * 16 + 16 * below(2);
        bytes = t.stride[d] * t.dim[d];
    }
    for (u32 d = 0; d < t.rank; d++)
        place += below(t.dim[d]) * (d ? t.stride[d] : es);
    t.box = t.base + place;
    return t;
}

static void load_descriptors(const Tensor *t, u32 vs1, u32 vs2)
{
    u32 *a = W->v[vs1], *b = W->v[vs2];
    a[0] = t->type, a[1] = t->rank, a[2] = t->base;
    b[0] = t->box, b[11] = t->interleave, b[12] = t->swizzle, b[13] = t->promotion, b[14] = t->oob;
    for (u32 d = 0; d < MOST_RANK; d++) {
        a[3 + d] = t->dim[d];
        b[1 + d] = t->size[d];
        b[6 + d] = t->step[d];
    }
    /* globalStride d of dimension d lies in lane 7 + d; lane 12 is that of a sixth */
    for (u32 d = 1; d < MOST_RANK; d++)
        a[7 + d] = t->stride[d];
}

static u32 count_of(const Tensor *t, u32 d)
{
    const u32 step = d && t->step[d] ? t->step[d] : 1;
    return d < t->rank ? (t->size[d] + step - 1) / step : 1;
}

/* Copies into the expected memory; false: a source that is inside lies in no window. */
static bool copy_box(const Tensor *t)
{
    const u32 es = type_bytes[t->type];
    u32 n[MOST_RANK], origin[MOST_RANK] = {0}, offset = t->box - t->base, row = 0;
    for (u32 d = 0; d < MOST_RANK; d++)
        n[d] = count_of(t, d);
    for (u32 d = t->rank; d-- > 0;) {
        const u32 stride = d ? t->stride[d] : es;
        origin[d] = offset / stride;
        offset %= stride;
    }
    for (u32 i4 = 0; i4 < n[4]; i4++)
        for (u32 i3 = 0; i3 < n[3]; i3++)
            for (u32 i2 = 0; i2 < n[2]; i2++)
                for (u32 i1 = 0; i1 < n[1]; i1++, row++)
                    for (u32 i0 = 0; i0 < n[0]; i0++) {
                        const u32 idx[MOST_RANK] = {i0, i1, i2, i3, i4};
                        u32 from = t->box, to = es * (i0 + n[0] * row);
                        bool outside = false;
                        for (u32 d = 0; d < t->rank; d++) {
                            const u32 place = idx[d] * (d && t->step[d] ? t->step[d] : 1);
                            from += place * (d ? t->stride[d] : es);
                            outside |= origin[d] + place >= t->dim[d];
                        }
                        if (t->swizzle) { /* 16-byte chunk number within 32, 64 or 128 bytes, xor
                                             row */
                            const u32 span = 16u << t->swizzle, chunk = to % span / 16;
                            to = to / span * span + (chunk ^ row % (1u << t->swizzle)) * 16 +
                                 to % 16;
                        }
                        for (u32 k = 0; k < es; k++) {
                            if (!outside && !want_byte(from + k))
                                return false;
                            const u32 fill_byte = t->oob && t->type >= 6 ? 0xff : 0;
                            want_store(t->to + to + k, 1,
                                       outside ? fill_byte : want_load(from + k, 1));
                        }
                    }
    return true;
}

static u32 box_bytes(const Tensor *t)
{
    u32 n = type_bytes[t->type];
    for (u32 d = 0; d < t->rank; d++)
        n *= count_of(t, d);
    return n;
}

static void boxes_of_tensors(void **state)
{
    (void)state;
    int ranks[6] = {0}, outside = 0;
    for (int k = 0; k < 4000; k++) {
        const Tensor t = random_tensor();
        const u32 vs1 = below(128), vs2 = 128 + below(128), to = 32 + below(32);
        if (box_bytes(&t) > WINDOW / 2)
            continue;
        start();
        emit(I_regext, O_imm12,
             (int)sign_extend(1 | vs1 / 32 << 3 | vs2 / 32 << 6 | (one_in(2) ? 512u : 0), 12), END);
        emit(I_cp_dma_tensor, O_rdst, to & 31, O_vs1, vs1 & 31, O_vs2, vs2 & 31, END);
        emit(I_cp_dma_mbarrier, END);
        fill(W, random_mask());
        fill_memory();
        load_descriptors(&t, vs1, vs2);
        W->x[to] = t.to;
        expect_all();
        if (!copy_box(&t))
            continue;
        run_and_compare_all();
        ranks[t.rank]++;
        outside += t.dim[0] < t.size[0];
    }
    for (int r = 1; r <= 5; r++)
        assert_true(ranks[r] > 50);
    assert_true(outside > 100);
}

static void bad_descriptors(void **state)
{
    (void)state;
    for (int k = 0; k < 17; k++) {
        Tensor t = {.type = 7,
                    .rank = 2,
                    .base = HEAP,
                    .dim = {8, 8, 8, 8, 8},
                    .stride = {0, 32, 256, 512, 512},
                    .box = HEAP,
                    .size = {4, 4, 1, 1, 1},
                    .step = {1, 1, 1, 1, 1},
                    .to = LDS_LO};
        FaultKind kind = FAULT_COPY_ARGUMENT;
        switch (k) {
        case 0:
            t.type = 13;
            break;
        case 1:
            t.type = UINT32_MAX;
            break;
        case 2:
            t.rank = 0;
            break;
        case 3:
            t.rank = 6;
            break;
        case 4:
            t.rank = UINT32_MAX;
            break;
        case 5:
            t.size[0] = 0;
            break;
        case 6:
            t.size[1] = 257;
            break;
        case 7:
            t.size[0] = UINT32_MAX;
            break;
        case 8:
            t.step[1] = 9;
            break;
        case 9:
            t.interleave = 1;
            break;
        case 10:
            t.swizzle = 4;
            break;
        case 11:
            t.oob = 2;
            break;
        case 12:
            t.box = HEAP - 4;
            break;
        case 13:
            t.base = t.box = 0x1000;
            kind = FAULT_LOAD;
            break;
        case 14:
            t.to = 0x1000;
            kind = FAULT_STORE;
            break;
        case 15:
            t.rank = 5, t.size[0] = t.size[1] = t.size[2] = t.size[3] = t.size[4] = 256;
            break;
        default:
            kind = FAULT_NONE;
            break;
        }
        start();
        emit(I_cp_dma_tensor, O_rdst, 11, O_vs1, 10, O_vs2, 12, END);
        fill(W, UINT32_MAX);
        load_descriptors(&t, 10, 12);
        W->x[11] = t.to;
        expect_nothing(W);
        must_fault(kind);
        /* of a type, a rank or a size the fault has the value */
        const u32 bad = k < 2 ? t.type : k < 5 ? t.rank : k == 6 ? t.size[1] : t.size[0];
        if (k < 8)
            assert_true(rig.group.fault.has_addr && rig.group.fault.addr == bad);
        if (kind)
            assert_int_equal(rig.group.fault.lane, -1);
        same_registers(W);
    }
}

/* --- early accesses ------------------------------------------------------------------- */

/* A load from or a store to what is being copied is a fault until the warp waits, in
 * any warp; beside it nothing is. */
static void early_accesses_are_faults(void **state)
{
    (void)state;
    for (int k = 0; k < 64; k++) {
        const bool checks = k & 1, waits = k & 2, stores = k & 4, beside = k & 8;
        const int copy = k >> 4;
        const u32 size = copy == 0 ? 16 : 64;
        Tensor t = {.type = 2,
                    .rank = 1,
                    .base = HEAP,
                    .dim = {16},
                    .box = HEAP,
                    .size = {16},
                    .to = LDS_LO + 64};
        start();
        if (copy == 0)
            emit(I_cp_dma, O_rdst, 11, O_rs1, 10, O_rs2, 12, O_sz, 2, END);
        else if (copy == 1)
            emit(I_cp_dma_bulk, O_rdst, 11, O_rs1, 10, O_rs2, 12, END);
        else
            emit(I_cp_dma_tensor, O_rdst, 11, O_vs1, 10, O_vs2, 12, END);
        if (waits)
            emit(I_cp_dma_mbarrier, END);
        if (copy == 3 && stores)
            emit(I_vsw12_v, O_vs2, 20, O_vs1, 21, END);
        else if (copy == 3)
            emit(I_vlw12_v, O_vd, 20, O_vs1, 21, END);
        else if (stores)
            emit(I_sw, O_rs2, 14, O_rs1, 13, END);
        else
            emit(I_lw, O_rd, 14, O_rs1, 13, END);
        rig.launch.check_copies = checks;
        fill(W, 1);
        fill_memory();
        load_descriptors(&t, 10, 12);
        W->x[11] = LDS_LO + 64, W->x[10] = HEAP, W->x[12] = copy == 0 ? 7 : 64;
        W->x[13] = W->v[21][0] =
            LDS_LO + (beside ? one_in(2) ? 60 : 64 + size
                             : 64 + (one_in(2) ? size - 1 : below(size)));
        must_fault(checks && !waits && !beside ? FAULT_COPY_EARLY : FAULT_NONE);
        rig.group.npending = 0;
    }
    rig.launch.check_copies = false;
}

/* a swizzle of 128 bytes moves the end of two rows of 24 bytes from 32..48 to 48..64 */
static void swizzled_bytes_are_early_too(void **state)
{
    (void)state;
    const Tensor t = {.type = 2,
                      .rank = 2,
                      .base = HEAP,
                      .dim = {6, 2},
                      .stride = {0, 32},
                      .box = HEAP,
                      .size = {6, 2},
                      .swizzle = 3,
                      .to = LDS_LO};
    rig.launch.check_copies = true;
    for (u32 at = 0; at < 128; at += 4) {
        start();
        emit(I_cp_dma_tensor, O_rdst, 11, O_vs1, 10, O_vs2, 12, END);
        emit(I_lw, O_rd, 14, O_rs1, 13, END);
        fill(W, 1);
        load_descriptors(&t, 10, 12);
        W->x[11] = LDS_LO, W->x[13] = LDS_LO + at;
        must_fault(at < 64 ? FAULT_COPY_EARLY : FAULT_NONE);
        rig.group.npending = 0;
    }
    rig.launch.check_copies = false;
}

/* a warp waits for its own copies only */
static void each_warp_waits_for_itself(void **state)
{
    (void)state;
    Warp *const other = &rig.warps[1];
    rig.launch.check_copies = true;
    for (int k = 0; k < 2; k++) {
        start();
        emit(I_cp_dma_bulk, O_rdst, 11, O_rs1, 10, O_rs2, 12, END);
        fill(W, UINT32_MAX);
        W->x[11] = LDS_LO, W->x[10] = HEAP, W->x[12] = 64;
        assert_int_equal(run(W), FAULT_NONE);
        start();
        emit(I_cp_dma_mbarrier, END);
        fill(other, UINT32_MAX);
        assert_int_equal(run(k ? W : other), FAULT_NONE);
        start();
        emit(I_lw, O_rd, 5, O_rs1, 11, END);
        other->x[11] = LDS_LO + 32;
        assert_int_equal(run(other), k ? FAULT_NONE : FAULT_COPY_EARLY);
        rig.group.npending = 0;
    }
    rig.launch.check_copies = false;
}

/* Of the copies of several warps those of the one that waits are over. */
static void others_go_on(void **state)
{
    (void)state;
    Group *g = &rig.group;
    rig.launch.check_copies = true;
    for (u32 round = 0; round < 200; round++) {
        PendingCopy left[12];
        size_t n = 0;
        const u32 waits = below(RIG_WARPS);
        g->npending = 0;
        for (u32 i = 0; i < 12; i++) {
            const PendingCopy p = {LDS_LO + 4 * i, LDS_LO + 4 * i + 1 + below(4), below(RIG_WARPS)};
            assert_true(array_grow(g->pending, g->npending, g->cappending));
            g->pending[g->npending++] = p;
            if (p.warp != waits)
                left[n++] = p;
        }
        start();
        emit(I_cp_dma_mbarrier, END);
        assert_int_equal(run(&rig.warps[waits]), FAULT_NONE);
        assert_int_equal(g->npending, n);
        for (size_t i = 0; i < n; i++)
            assert_true(g->pending[i].lo == left[i].lo && g->pending[i].end == left[i].end &&
                        g->pending[i].warp == left[i].warp);
        for (u32 k = 0; k < 60; k++) {
            bool early = false;
            const u64 a = LDS_LO - 4 + k;
            const u32 width = 1u << below(3);
            for (size_t i = 0; i < n; i++)
                for (u64 b = a; b < a + width; b++)
                    early |= b >= left[i].lo && b < left[i].end;
            assert_int_equal(is_pending(g, a, width), early);
        }
    }
    g->npending = 0;
    rig.launch.check_copies = false;
}

static void no_row_is_left(void **state)
{
    (void)state;
    every_row_was_executed(BY_COPY_TEST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_copies),
        cmocka_unit_test(blocks),
        cmocka_unit_test(bad_arguments_of_copies),
        cmocka_unit_test(boxes_of_tensors),
        cmocka_unit_test(bad_descriptors),
        cmocka_unit_test(early_accesses_are_faults),
        cmocka_unit_test(swizzled_bytes_are_early_too),
        cmocka_unit_test(each_warp_waits_for_itself),
        cmocka_unit_test(others_go_on),
        cmocka_unit_test(no_row_is_left),
    };
    rig_open(V2025);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rig_close();
    return failed;
}
