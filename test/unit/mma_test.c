/* The matrix products: every legal shape, type, layout and rounding mode, against sums
 * of exact products that are rounded step by step; everything else is refused. */
#include "test/kit/rig.h"
#include "test/kit/number.h"

enum { TF32, HALF, BRAIN, E4M3, E5M2, E3M2, E2M3, E2M1, E3M0, S8, S4, B1, FULL };

typedef struct {
    u32 m, n, k;
} Shape;

/* one word's fields */
typedef struct {
    bool is_long; /* mma64 */
    u32 type, shape, al, bl, ct, rd;
    u32 a, b, c, d; /* first registers */
} Word;

/* the shapes that a type has, by their code; k 0: none (doc/isa.md, "Matrix product") */
static Shape shape_of(bool is_long, u32 type, u32 code)
{
    static const Shape halves[8] = {{8, 8, 16}, {16, 8, 16}, {8, 16, 16}, {16, 16, 16},
                                    {8, 8, 8},  {16, 8, 8},  {8, 16, 8},  {16, 16, 8}};
    const Shape none = {0, 0, 0};
    if (type <= BRAIN)
        return type == TF32 && code < 4 ? none : halves[code];
    if (!is_long)
        return none;
    switch (type) {
    case FULL:
        return code == 4   ? (Shape){8, 8, 8}
               : code == 5 ? (Shape){16, 8, 8}
               : code == 1 ? (Shape){16, 8, 16}
                           : none;
    case E2M1:
    case E3M0:
    case S4:
        return code == 0   ? (Shape){8, 8, 32}
               : code == 1 ? (Shape){16, 8, 32}
               : code == 2 ? (Shape){16, 8, 64}
                           : none;
    case B1:
        return code == 0 ? (Shape){8, 8, 128} : none;
    case E4M3:
    case E5M2:
    case E3M2:
    case E2M3:
    case S8:
        return code == 0   ? (Shape){8, 8, 16}
               : code == 3 ? (Shape){16, 16, 16}
               : code == 1 ? (Shape){16, 8, 32}
                           : none;
    default:
        return none;
    }
}

static bool is_integer(u32 type) { return type == S8 || type == S4 || type == B1; }

static bool is_legal(const Word *w)
{
    if (!shape_of(w->is_long, w->type, w->shape).k)
        return false;
    if (is_integer(w->type))
        return w->ct && w->rd < 2;
    return w->ct || (w->type != TF32 && w->type != BRAIN && w->type != FULL);
}

/* bits of an element in a register: 6-bit floats lie in bytes */
static u32 width_of(u32 type)
{
    static const u32 width[] = {32, 16, 16, 8, 8, 8, 8, 4, 4, 8, 4, 1, 32};
    return width[type];
}

static u32 element(const Warp *w, u32 reg, u32 width, u32 idx)
{
    const u32 bit = idx * width;
    const u32 word = w->v[reg + bit / 1024][bit % 1024 / 32];
    return width == 32 ? word : word >> bit % 32 & ((1u << width) - 1);
}

static void set_element(Warp *w, u32 reg, u32 width, u32 idx, u32 v)
{
    const u32 bit = idx * width, mask = width == 32 ? UINT32_MAX : ((1u << width) - 1) << bit % 32;
    u32 *word = &w->v[reg + bit / 1024][bit % 1024 / 32];
    *word = (*word & ~mask) | (v << bit % 32 & mask);
}

/* exponent and fraction bits, bias; what the topmost exponent means differs */
static double small_value(u32 type, u32 v)
{
    static const u8 exps[] = {
        [E4M3] = 4, [E5M2] = 5, [E3M2] = 3, [E2M3] = 2, [E2M1] = 2, [E3M0] = 3};
    static const u8 fracs[] = {
        [E4M3] = 3, [E5M2] = 2, [E3M2] = 2, [E2M3] = 3, [E2M1] = 1, [E3M0] = 0};
    const int eb = exps[type], fb = fracs[type], bias = (1 << (eb - 1)) - 1;
    const int exp = (int)(v >> fb) & ((1 << eb) - 1), frac = (int)v & ((1 << fb) - 1);
    const double sign = v >> (eb + fb) & 1 ? -1 : 1;
    if (type == E5M2 && exp == 31)
        return frac ? (double)NAN : sign * (double)INFINITY;
    if (type == E4M3 && exp == 15 && frac == 7)
        return (double)NAN;
    return sign * (exp ? ldexp((1 << fb) + frac, exp - bias - fb) : ldexp(frac, 1 - bias - fb));
}

static double element_value(u32 type, u32 v)
{
    switch (type) {
    case TF32:
        return value_of(F32, v & 0xffffe000);
    case FULL:
        return value_of(F32, v);
    case HALF:
        return value_of(F16, v);
    case BRAIN:
        return value_of(BF16, v);
    default:
        return small_value(type, v);
    }
}

static i64 int_of(u32 type, u32 v)
{
    return type == B1 ? (i64)v : sign_extend(v, type == S8 ? 8 : 4);
}

/* D[m][n] into `want`, from the registers of w */
static void product(const Word *o, const Warp *w)
{
    const Shape s = shape_of(o->is_long, o->type, o->shape);
    const u32 width = width_of(o->type), out = o->ct ? 32 : 16;
    const Rounding rm = is_integer(o->type) ? TO_NEAREST : (Rounding)o->rd;
    u8 ignored = 0;
    for (u32 m = 0; m < s.m; m++)
        for (u32 n = 0; n < s.n; n++) {
            const u32 c = element(w, o->c, out, m * s.n + n);
            double sum = value_of(o->ct ? F32 : F16, c);
            i64 exact = (i32)c;
            for (u32 k = 0; k < s.k; k++) {
                const u32 a = element(w, o->a, width, o->al ? k * s.m + m : m * s.k + k);
                const u32 b = element(w, o->b, width, o->bl ? n * s.k + k : k * s.n + n);
                if (is_integer(o->type))
                    exact += int_of(o->type, a) * int_of(o->type, b);
                else
                    sum = value_of(
                        F32,
                        round_to(F32, add_odd(element_value(o->type, a) * element_value(o->type, b), sum, rm),
                                 rm, &ignored));
            }
            u32 d = round_to(o->ct ? F32 : F16, sum, rm, &ignored);
            if (is_integer(o->type) && o->rd)
                d = (u32)exact;
            else if (is_integer(o->type))
                d = (u32)(exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : exact);
            set_element(want, o->d, out, m * s.n + n, d);
        }
}

/* registers that `count` elements take */
static u32 window(u32 count, u32 width) { return (count * width + 1023) / 1024; }

static void windows(const Word *w, u32 *a, u32 *b, u32 *c)
{
    const Shape s = shape_of(w->is_long, w->type, w->shape);
    /* the table of the 32-bit word gives k8 the registers of k16 for 16-bit types */
    const u32 k = !w->is_long && width_of(w->type) == 16 ? 16 : s.k;
    *a = window(s.m * k, width_of(w->type));
    *b = window(k * s.n, width_of(w->type));
    *c = window(s.m * s.n, w->ct ? 32 : 16);
}

static void emit_product(const Word *w)
{
    const u32 v = w->type << 6 | w->shape << 3 | w->al << 2 | w->bl << 1 | w->ct;
    start();
    if (w->is_long) {
        put_long((u64)w->type << 60 | (u64)w->shape << 57 | (u64)w->b << 49 | (u64)w->a << 41 |
                 (u64)w->al << 40 | (u64)w->bl << 39 | (u64)w->ct << 38 | (u64)w->c << 28 |
                 (u64)w->d << 20 | w->rd << 18 | 0x5c);
        return;
    }
    if ((w->a | w->b | w->d) >= 32)
        emit(I_regext, O_imm12, (int)sign_extend(w->d / 32 | w->a / 32 << 3 | w->b / 32 << 6, 12),
             END);
    put_word((v >> 6) << 28 | (v >> 3 & 7) << 25 | (v & 7) << 12 | (w->b & 31) << 20 |
             (w->a & 31) << 15 | (w->d & 31) << 7 | 0x0a);
}

/* floats whose products and sums mostly stay finite, with some of everything */
static void fill_operands(const Word *w, u32 reg, u32 count, bool is_c)
{
    for (u32 r = reg; r < reg + count; r++)
        for (u32 i = 0; i < MAX_LANES; i++) {
            const u32 x = (u32)random_bits();
            const bool halves = is_c ? !w->ct : w->type == HALF;
            if (one_in(150))
                W->v[r][i] = random_word();
            else if (is_integer(w->type))
                W->v[r][i] =
                    is_c && one_in(2) ? (x & 1 ? INT32_MAX : (u32)INT32_MIN) ^ (x >> 20) : x;
            else if (halves)
                W->v[r][i] = (x & 0x83ff83ff) | (8 + below(14)) << 10 | (8 + below(14)) << 26;
            else if (!is_c && w->type == BRAIN)
                W->v[r][i] = (x & 0x807f807f) | (117 + below(20)) << 7 | (117 + below(20)) << 23;
            else
                W->v[r][i] = !is_c && w->type != TF32 && w->type != FULL
                                 ? x
                                 : (x & 0x807fffff) | (117 + below(20)) << 23;
        }
}

static void place_registers(Word *w)
{
    u32 a, b, c;
    windows(w, &a, &b, &c);
    w->a = one_in(4) ? 256 - a : below(257 - a);
    w->b = one_in(4) ? 256 - b : below(257 - b);
    w->d = one_in(4) ? 256 - c : below(257 - c);
    if (one_in(4) && w->a <= 256 - c) /* D over a source */
        w->d = w->a;
    w->c = w->is_long && one_in(2) ? below(257 - c) : w->d;
}

static void try_product(Word *w)
{
    u32 a, b, c;
    place_registers(w);
    windows(w, &a, &b, &c);
    emit_product(w);
    fill(W, UINT32_MAX);
    W->frm = (u8)below(8); /* not heeded */
    fill_operands(w, w->c, c, true);
    fill_operands(w, w->a, a, false);
    fill_operands(w, w->b, b, false);
    expect_nothing(W);
    product(w, W);
    run_and_compare(W);
}

/* every value of the fields: it is computed or refused */
static void every_field(bool is_long, int times)
{
    int legal = 0;
    for (u32 v = 0; v < (is_long ? 1u << 12 : 1u << 10); v++) {
        Word w = {.is_long = is_long,
                  .type = v >> 6 & 15,
                  .shape = v >> 3 & 7,
                  .al = v >> 2 & 1,
                  .bl = v >> 1 & 1,
                  .ct = v & 1,
                  .rd = v >> 10};
        legal += is_legal(&w);
        for (int k = 0; k < times && is_legal(&w); k++)
            try_product(&w);
        if (!is_legal(&w)) {
            emit_product(&w);
            fill(W, UINT32_MAX);
            expect_nothing(W);
            must_be_refused();
            same_registers(W);
        }
    }
    print_message("%d combinations\n", legal);
}

/* on every level of the host's vector instructions */
static void every_mma(void **state)
{
    (void)state;
    const LaneLevel *best = rig.code->level;
    every_field(false, 3);
#if defined(__x86_64__)
    if (best == &lane_avx512) {
        rig.code->level = &lane_avx2;
        every_field(false, 2);
    }
#endif
    rig.code->level = &lane_base;
    every_field(false, 2);
    rig.code->level = best;
}

static void every_mma64(void **state)
{
    (void)state;
    every_field(true, 1);
}

/* the two published words */
static void published_words(void **state)
{
    (void)state;
    static const struct {
        u32 word;
        Word w;
    } cases[] = {
        {0x10c2340a, {false, HALF, 0, 0, 1, 1, 0, 4, 12, 8, 8}},
        {0x26d2d48a, {false, BRAIN, 3, 1, 0, 1, 0, 5, 13, 9, 9}},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        emit_product(&cases[i].w);
        assert_int_equal(rig.program[0], cases[i].word);
    }
}

static void saturation_and_wrapping(void **state)
{
    (void)state;
    for (u32 rd = 0; rd < 2; rd++)
        for (int negative = 0; negative < 2; negative++) {
            Word w = {
                .is_long = true, .type = S8, .ct = 1, .rd = rd, .a = 10, .b = 20, .c = 30, .d = 40};
            emit_product(&w);
            fill(W, UINT32_MAX);
            for (u32 i = 0; i < 32; i++) {
                W->v[10][i] = 0x80808080, W->v[20][i] = negative ? 0x7f7f7f7f : 0x80808080;
                W->v[30][i] = W->v[31][i] = negative ? 0x80000005 : 0x7ffffff0;
            }
            expect_nothing(W);
            for (u32 i = 0; i < 32; i++) {
                const i64 sum =
                    negative ? (i64)INT32_MIN + 5 - 16 * 128 * 127 : 0x7ffffff0ll + 16 * 128 * 128;
                want->v[40][i] = want->v[41][i] = rd         ? (u32)sum
                                                  : negative ? 0x80000000
                                                             : 0x7fffffff;
            }
            run_and_compare(W);
        }
}

static void all_lanes_are_needed(void **state)
{
    (void)state;
    for (int is_long = 0; is_long < 2; is_long++) {
        Word w = {.is_long = is_long, .type = HALF, .ct = 1, .a = 4, .b = 8, .c = 12, .d = 12};
        emit_product(&w);
        for (u32 i = 0; i < 32; i++) {
            fill(W, ~(1u << i));
            expect_nothing(W);
            must_fault(FAULT_NEEDS_ALL_LANES);
            same_registers(W);
        }
        fill(W, UINT32_MAX);
        warp_set_vl(W, 31, 2 << 3);
        must_fault(FAULT_NEEDS_ALL_LANES);
        for (u32 lanes = 4; lanes < 32; lanes *= 2) {
            rig_lanes(lanes);
            fill(W, UINT32_MAX);
            must_fault(FAULT_NEEDS_ALL_LANES);
        }
        rig_lanes(32);
    }
}

/* one register further and the matrix leaves the file */
static void windows_must_fit(void **state)
{
    (void)state;
    for (u32 v = 0; v < 1u << 12; v++) {
        Word w = {.is_long = one_in(2),
                  .type = v >> 6 & 15,
                  .shape = v >> 3 & 7,
                  .al = v >> 2 & 1,
                  .bl = v >> 1 & 1,
                  .ct = v & 1,
                  .rd = 0};
        u32 a, b, c;
        if (!is_legal(&w))
            continue;
        windows(&w, &a, &b, &c);
        const u32 beyond[4] = {257 - a, 257 - b, 257 - c, 257 - c};
        for (u32 which = 0; which < (w.is_long ? 4 : 3); which++) {
            u32 *first[4] = {&w.a, &w.b, &w.d, &w.c};
            w.a = w.b = w.c = w.d = 16;
            if (beyond[which] > 255)
                continue;
            *first[which] = beyond[which];
            emit_product(&w);
            fill(W, UINT32_MAX);
            expect_nothing(W);
            must_fault(FAULT_REGISTER);
            same_registers(W);
        }
    }
}

/* sparsity, warp groups, and the bits 15:7 */
static void reserved_bits_fault(void **state)
{
    (void)state;
    const u64 good = 0x22181042c280005c; /* bf16 m16n8k16 */
    for (int bit = 0; bit < 64; bit++) {
        if (!((u64)0x300003ff80 >> bit & 1) && bit != 16 && bit != 17)
            continue;
        start();
        put_long(good | (u64)1 << bit);
        fill(W, UINT32_MAX);
        must_fault(FAULT_ILLEGAL);
    }
    start();
    put_long(good);
    fill(W, UINT32_MAX);
    assert_int_equal(run(W), FAULT_NONE);
}

static void no_row_is_left(void **state)
{
    (void)state;
    every_row_was_executed(BY_MMA_TEST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mma),
        cmocka_unit_test(every_mma64),
        cmocka_unit_test(published_words),
        cmocka_unit_test(saturation_and_wrapping),
        cmocka_unit_test(all_lanes_are_needed),
        cmocka_unit_test(windows_must_fit),
        cmocka_unit_test(reserved_bits_fault),
        cmocka_unit_test(no_row_is_left),
    };
    rig_open(V2025);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rig_close();
    return failed;
}
