/* Overlay ai: shuffles, conversions, packed halves, approximate functions. */
#include "test/kit/rig.h"
#include "test/kit/number.h"

/* --- shuffles ------------------------------------------------------------------------ */

static int source_lane(InsnId id, int lane, int imm)
{
    return id == I_shuffle_idx    ? imm
           : id == I_shuffle_up   ? lane - imm
           : id == I_shuffle_down ? lane + imm
                                  : lane ^ imm;
}

static void try_shuffle(InsnId id, u32 imm)
{
    const u32 xd = below(8), x2 = below(8), vd = below(32), vs2 = one_in(4) ? vd : below(32);
    const u32 d = xd * 32 + vd, s = x2 * 32 + vs2;
    start();
    emit(I_regext, O_imm12, (int)sign_extend(xd | x2 << 6, 12), END);
    emit(id, O_vd, vd, O_vs2, vs2, O_uimm5, imm, END);
    fill(W, random_mask());
    if (one_in(4))
        warp_set_vl(W, below(33), 2 << 3);
    expect_nothing(W);
    for (int i = 0; i < MAX_LANES; i++) {
        const int from = source_lane(id, i, (int)imm);
        const bool given = from >= 0 && from < 32 && W->exec >> from & 1;
        if (W->exec >> i & 1)
            want->v[d][i] = W->v[s][given ? from : i];
    }
    run_and_compare(W);
    warp_set_vl(W, 32, 2 << 3);
}

static void shuffles(void **state)
{
    (void)state;
    static const InsnId ids[] = {I_shuffle_bfly, I_shuffle_idx, I_shuffle_up, I_shuffle_down};
    for (size_t k = 0; k < countof(ids); k++)
        for (u32 imm = 0; imm < 32; imm++)
            for (int n = 0; n < 8; n++)
                try_shuffle(ids[k], imm);
}

/* --- conversions ----------------------------------------------------------------------- */

static u32 widened(Format f, u32 v)
{
    u8 ignored = 0;
    return round_to(F32, value_of(f, v), TO_NEAREST, &ignored);
}

static u32 narrowed(Format f, u32 v)
{
    u8 ignored = 0;
    return round_to(f, value_of(F32, v), TO_NEAREST, &ignored);
}

static u32 converted(InsnId id, u32 v)
{
    switch (id) {
    case I_vcvt_fp32_fp16:
        return widened(F16, v & 0xffff);
    case I_vcvt_fp32_bf16:
        return widened(BF16, v & 0xffff);
    case I_vcvt_fp16_fp32:
        return narrowed(F16, v);
    default:
        return narrowed(BF16, v);
    }
}

static void try_conversion(InsnId id, u32 first, bool random)
{
    fill(W, random ? random_mask() : UINT32_MAX);
    W->frm = (u8)below(5); /* not heeded */
    for (u32 i = 0; i < MAX_LANES && !random; i++)
        W->v[7][i] = first + i;
    expect_nothing(W);
    for (int i = 0; i < MAX_LANES; i++)
        if (W->exec >> i & 1)
            want->v[9][i] = converted(id, W->v[7][i]);
    run_and_compare(W);
}

/* every half; floats at random, and around every half */
static void conversions(void **state)
{
    (void)state;
    static const InsnId ids[] = {I_vcvt_fp32_fp16, I_vcvt_fp16_fp32, I_vcvt_fp32_bf16,
                                 I_vcvt_bf16_fp32};
    for (size_t k = 0; k < countof(ids); k++) {
        const bool widens = ids[k] == I_vcvt_fp32_fp16 || ids[k] == I_vcvt_fp32_bf16;
        start();
        emit(ids[k], O_vd, 9, O_vs2, 7, END);
        for (u32 v = 0; v < 65536; v += widens ? 32 : 1 + below(97))
            try_conversion(ids[k],
                           widens
                               ? v
                               : (ids[k] == I_vcvt_fp16_fp32 ? widened(F16, v) : v << 16) - 16 +
                                     (one_in(2) ? ids[k] == I_vcvt_fp16_fp32 ? 0x1000 : 0x8000 : 0),
                           false);
        for (int n = 0; n < 500; n++)
            try_conversion(ids[k], 0, true);
    }
}

/* --- packed ------------------------------------------------------------------------------ */

/* each operation in binary32, rounded to nearest; the result rounded again */
static u32 packed(InsnId id, Format f, u32 a, u32 b, u32 c)
{
    u8 ignored = 0;
    const double x = value_of(f, a & 0xffff), y = value_of(f, b & 0xffff),
                 z = value_of(f, c & 0xffff);
    const double product = value_of(F32, round_to(F32, x * y, TO_NEAREST, &ignored));
    double r = product;
    if (id == I_vadd_f16x2 || id == I_vadd_bf16x2)
        r = add_odd(x, y, TO_NEAREST);
    if (id == I_vfma_f16x2 || id == I_vfma_bf16x2)
        r = add_odd(product, z, TO_NEAREST);
    return narrowed(f, round_to(F32, r, TO_NEAREST, &ignored));
}

static void packed_halves(void **state)
{
    (void)state;
    static const InsnId ids[] = {I_vadd_f16x2,  I_vmul_f16x2,  I_vfma_f16x2,
                                 I_vadd_bf16x2, I_vmul_bf16x2, I_vfma_bf16x2};
    for (size_t k = 0; k < countof(ids); k++)
        for (int n = 0; n < 200; n++) {
            const Format f = k < 3 ? F16 : BF16;
            const u32 vd = below(32), s1 = one_in(4) ? vd : below(32), s2 = below(32);
            start();
            emit(ids[k], ids[k] == I_vfma_f16x2 || ids[k] == I_vfma_bf16x2 ? O_vacc : O_vd, vd,
                 O_vs1, s1, O_vs2, s2, END);
            fill(W, random_mask());
            W->frm = (u8)below(5);
            expect_nothing(W);
            for (int i = 0; i < MAX_LANES; i++) {
                const u32 a = W->v[s1][i], b = W->v[s2][i], c = W->v[vd][i];
                if (W->exec >> i & 1)
                    want->v[vd][i] = packed(ids[k], f, a, b, c) |
                                     packed(ids[k], f, a >> 16, b >> 16, c >> 16) << 16;
            }
            run_and_compare(W);
        }
}

/* --- approximate functions ------------------------------------------------------------------ */

typedef struct {
    const char *name;
    InsnId f32, f16, bf16; /* 0: there is none */
    long double (*f)(long double);
} Function;

static long double rcp(long double x) { return 1 / x; }
static long double rsqrt(long double x) { return 1 / sqrtl(x); }
/* x / 2 (1 + tanh u) without the cancellation */
static long double gelu(long double x)
{
    return x / (1 + expl(-2 * 0.7978845608L * (x + 0.044715L * x * x * x)));
}
static long double silu(long double x) { return x / (1 + expl(-x)); }

static const Function functions[] = {
    {"ex2", I_vex2_approx_f32, I_vex2_approx_f16x2, I_vex2_approx_bf16x2, exp2l},
    {"lg2", I_vlg2_approx_f32, NINSN, NINSN, log2l},
    {"rcp", I_vrcp_approx_f32, I_vrcp_approx_f16x2, I_vrcp_approx_bf16x2, rcp},
    {"sqrt", I_vsqrt_approx_f32, I_vsqrt_approx_f16x2, I_vsqrt_approx_bf16x2, sqrtl},
    {"rsqrt", I_vrsqrt_approx_f32, I_vrsqrt_approx_f16x2, I_vrsqrt_approx_bf16x2, rsqrt},
    {"sin", I_vsin_approx_f32, NINSN, NINSN, sinl},
    {"cos", I_vcos_approx_f32, NINSN, NINSN, cosl},
    {"tanh", I_vtanh_approx_f32, I_vtanh_approx_f16x2, I_vtanh_approx_bf16x2, tanhl},
    {"gelu", I_vgelu_approx_f32, I_vgelu_approx_f16x2, I_vgelu_approx_bf16x2, gelu},
    {"silu", I_vsilu_approx_f32, I_vsilu_approx_f16x2, I_vsilu_approx_bf16x2, silu},
};

/* bits as a number that orders and counts units in the last place */
static i64 place(Format f, u32 v)
{
    const u32 sign = 1u << (f.exp + f.frac);
    return v & sign ? -(i64)(v & ~sign) : (i64)v;
}

static void near(const Function *fn, Format f, u32 x, u32 got)
{
    u8 ignored = 0;
    const long double exact = fn->f(value_of(f, x));
    const u32 right = round_to(f, (double)exact, TO_NEAREST, &ignored);
    const i64 off = place(f, got) - place(f, right);
    if (is_nan(f, right) ? got != nan_of(f) : off < -2 || off > 2)
        fail_msg("%s(%x) = %x, should be near %x", fn->name, x, got, right);
}

static void try_function(const Function *fn, InsnId id, Format f)
{
    const u32 vd = below(32), vs2 = below(32);
    start();
    emit(id, O_vd, vd, O_vs2, vs2, END);
    for (int n = 0; n < 100; n++) {
        fill(W, random_mask());
        for (int i = 0; i < MAX_LANES && f.exp + f.frac < 16; i++)
            W->v[vs2][i] = (u32)random_bits();
        expect_nothing(W);
        rig.raised = (u8)below(32);
        assert_int_equal(run(W), FAULT_NONE);
        for (int i = 0; i < MAX_LANES; i++) {
            const u32 x = want->v[vs2][i], got = W->v[vd][i];
            if (!(W->exec >> i & 1))
                continue;
            if (f.frac == F32.frac) {
                near(fn, f, x, got);
            } else {
                near(fn, f, x & 0xffff, got & 0xffff);
                near(fn, f, x >> 16, got >> 16);
            }
            want->v[vd][i] = got;
        }
        same_registers(W);
    }
}

static void functions_within_two_units(void **state)
{
    (void)state;
    for (size_t k = 0; k < countof(functions); k++) {
        const Function *fn = &functions[k];
        try_function(fn, fn->f32, F32);
        if (fn->f16 == NINSN)
            continue;
        try_function(fn, fn->f16, F16);
        try_function(fn, fn->bf16, BF16);
    }
}

static void narrow_machines_run_their_lanes(void **state)
{
    (void)state;
    for (u32 lanes = 4; lanes <= 16; lanes *= 2) {
        rig_lanes(lanes);
        packed_halves(NULL);
        start();
        emit(I_shuffle_down, O_vd, 1, O_vs2, 2, O_uimm5, 3, END);
        fill(W, UINT32_MAX);
        expect_nothing(W);
        for (u32 i = 0; i < lanes; i++)
            want->v[1][i] = W->v[2][i + 3 < lanes ? i + 3 : i];
        run_and_compare(W);
    }
    rig_lanes(32);
}

/* vm = 0, and fields that must be zero */
static void what_must_fault(void **state)
{
    (void)state;
    for (int id = 0; id < NINSN; id++) {
        if (isa_insn[id].sets != AI)
            continue;
        const u32 word = (u32)isa_insn[id].match;
        const bool two = isa_insn[id].format == F_CVT;
        for (int k = 0; k < (two ? 6 : 1); k++) {
            start();
            put_word(k ? word | 1u << (14 + k) : word & ~(1u << 25));
            fill(W, UINT32_MAX);
            must_be_refused();
        }
    }
    static const u32 none[] = {0x0600102a, 0x1600102a, 0x1a00202a, 0x2a00002a, 0x0200302a,
                               0x0e00005a, 0x0200205a, 0x22000042, 0x32001042, 0x1200007a};
    for (size_t k = 0; k < countof(none); k++) {
        start();
        put_word(none[k]);
        fill(W, UINT32_MAX);
        must_be_refused();
    }
}

static void no_row_is_left(void **state)
{
    (void)state;
    every_row_was_executed(BY_AI_TEST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffles),
        cmocka_unit_test(conversions),
        cmocka_unit_test(packed_halves),
        cmocka_unit_test(functions_within_two_units),
        cmocka_unit_test(narrow_machines_run_their_lanes),
        cmocka_unit_test(what_must_fault),
        cmocka_unit_test(no_row_is_left),
    };
    rig_open(V202 | AI);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rig_close();
    return failed;
}
