/* The 64-bit compute words of v2025: every operation, size, half, modifier, against
 * plain C on integers and exact sums rounded once on floats. */
#include "test/kit/rig.h"
#include "test/kit/number.h"

typedef enum { ADD, SUB, MUL, MIN, MAX, MINU, MAXU } What;

typedef struct {
    InsnId id;
    What what;
    bool is_float, scalar;
} Row;

static const Row rows[] = {
    {I_vadd64_vv, ADD, false, false},   {I_vadd64_vx, ADD, false, true},
    {I_vsub64_vv, SUB, false, false},   {I_vsub64_vx, SUB, false, true},
    {I_vminu64_vv, MINU, false, false}, {I_vminu64_vx, MINU, false, true},
    {I_vmin64_vv, MIN, false, false},   {I_vmin64_vx, MIN, false, true},
    {I_vmaxu64_vv, MAXU, false, false}, {I_vmaxu64_vx, MAXU, false, true},
    {I_vmax64_vv, MAX, false, false},   {I_vmax64_vx, MAX, false, true},
    {I_vmul64_vv, MUL, false, false},   {I_vmul64_vx, MUL, false, true},
    {I_vfadd64_vv, ADD, true, false},   {I_vfadd64_vf, ADD, true, true},
    {I_vfsub64_vv, SUB, true, false},   {I_vfsub64_vf, SUB, true, true},
    {I_vfmin64_vv, MIN, true, false},   {I_vfmin64_vf, MIN, true, true},
    {I_vfmax64_vv, MAX, true, false},   {I_vfmax64_vf, MAX, true, true},
    {I_vfmul64_vv, MUL, true, false},   {I_vfmul64_vf, MUL, true, true},
};

/* the fields of one word */
typedef struct {
    const Row *row;
    u32 vd, vs2, s1, abs, neg, omod, opsel, vss, vds;
    Rounding rm;
} Word;

static const int size_bits[4] = {16, 32, 64, 8};

static u64 cut(u64 v, int bits) { return bits == 64 ? v : v & (((u64)1 << bits) - 1); }

/* --- integers ------------------------------------------------------------------------ */

/* a source is a number of `bits` bits and stays one: NEG and ABS wrap */
static u64 int_source(const Word *d, u64 reg, int which)
{
    const int bits = size_bits[d->vss];
    const bool is_unsigned = d->row->what == MINU || d->row->what == MAXU;
    u64 v = cut(bits < 32 && d->opsel >> which & 1 ? reg >> 16 : reg, bits);
    if (d->neg >> which & 1)
        v = cut(-v, bits);
    if (!is_unsigned && d->abs >> which & 1 && v >> (bits - 1))
        v = cut(-v, bits);
    return is_unsigned ? v : (u64)sign_extend(v, bits);
}

static u64 int_result(const Word *d, u64 s1, u64 s2)
{
    const int bits = size_bits[d->vds];
    const bool is_unsigned = d->row->what == MINU || d->row->what == MAXU;
    u64 r = 0;
    switch (d->row->what) {
    case ADD:
        r = s2 + s1;
        break;
    case SUB:
        r = s2 - s1;
        break;
    case MUL:
        r = s2 * s1;
        break;
    case MIN:
        r = (i64)s2 < (i64)s1 ? s2 : s1;
        break;
    case MAX:
        r = (i64)s2 > (i64)s1 ? s2 : s1;
        break;
    case MINU:
        r = s2 < s1 ? s2 : s1;
        break;
    case MAXU:
        r = s2 > s1 ? s2 : s1;
        break;
    }
    r = cut(r, bits);
    if (d->omod == 3)
        return is_unsigned ? r / 2 : cut((u64)(sign_extend(r, bits) / 2), bits);
    return cut(r << d->omod, bits);
}

/* --- floats ---------------------------------------------------------------------------- */

/* a float of 16, 32 or 64 bits as a double and back; size 2 is the double itself */
static double float_value(u32 size, u64 bits)
{
    return size == 2 ? as_double(bits) : value_of(size ? F32 : F16, (u32)bits);
}

static bool float_snan(u32 size, u64 bits)
{
    return size == 2 ? isnan(as_double(bits)) && !(bits >> 51 & 1)
                     : is_signalling(size ? F32 : F16, (u32)bits);
}

static u64 to_float(u32 size, double v, Rounding rm, u8 *flags)
{
    if (size == 2)
        return isnan(v) ? 0x7ff8000000000000u : double_bits(v);
    return round_to(size ? F32 : F16, v, rm, flags);
}

static u64 host_double(What what, double a, double b, Rounding rm, u8 *flags)
{
    static const int mode[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    const volatile double x = a, y = b;
    volatile double r;
    feclearexcept(FE_ALL_EXCEPT);
    fesetround(mode[rm]);
    r = what == ADD ? x + y : what == SUB ? x - y : x * y;
    const int e = fetestexcept(FE_ALL_EXCEPT);
    fesetround(FE_TONEAREST);
    *flags |= (u8)((e & FE_INEXACT ? INEXACT : 0) | (e & FE_UNDERFLOW ? UNDERFLOW_ : 0) |
                   (e & FE_OVERFLOW ? OVERFLOW_ : 0) | (e & FE_INVALID ? INVALID : 0));
    return isnan(r) ? 0x7ff8000000000000u : double_bits(r);
}

/* a OP b for numbers of `size`, rounded to it */
static u64 arithmetic(What what, u32 size, u64 a, u64 b, Rounding rm, u8 *flags)
{
    const double x = float_value(size, a), y = float_value(size, b);
    if (float_snan(size, a) || float_snan(size, b))
        *flags |= INVALID;
    if (size == 2)
        return host_double(what, x, y, rm, flags);
    const double r = what == MUL ? x * y : add_odd(x, what == SUB ? -y : y, rm);
    if (isnan(r) && !isnan(x) && !isnan(y))
        *flags |= INVALID;
    return to_float(size, r, rm, flags);
}

static u64 least_or_greatest(What what, u32 size, u64 a, u64 b, u8 *flags)
{
    const double x = float_value(size, a), y = float_value(size, b);
    const u64 nan = to_float(size, (double)NAN, TO_NEAREST, flags);
    if (float_snan(size, a) || float_snan(size, b))
        *flags |= INVALID;
    if (isnan(x) || isnan(y))
        return isnan(x) ? isnan(y) ? nan : b : a;
    if (x == y)
        return (signbit(x) != 0) == (what == MIN) ? a : b;
    return (x < y) == (what == MIN) ? a : b;
}

static u64 float_source(const Word *d, u64 reg, int which, u32 work, u8 *flags)
{
    const int bits = size_bits[d->vss];
    const u64 sign = (u64)1 << (bits - 1);
    u64 v = cut(bits < 32 && d->opsel >> which & 1 ? reg >> 16 : reg, bits);
    v = d->neg >> which & 1 ? v ^ sign : v;
    v = d->abs >> which & 1 ? v & ~sign : v;
    if (d->vss == work)
        return v;
    *flags |= float_snan(d->vss, v) ? INVALID : 0;
    return to_float(work, float_value(d->vss, v), TO_NEAREST, flags);
}

static u64 float_result(const Word *d, u64 reg1, u64 reg2, u8 *flags)
{
    const u32 work = d->vss > d->vds ? d->vss : d->vds;
    const u64 s1 = float_source(d, reg1, 0, work, flags),
              s2 = float_source(d, reg2, 1, work, flags);
    u64 r = d->row->what == MIN || d->row->what == MAX
                ? least_or_greatest(d->row->what, work, s2, s1, flags)
                : arithmetic(d->row->what, work, s2, s1, d->rm, flags);
    if (d->omod) {
        const double factor = d->omod == 1 ? 2 : d->omod == 2 ? 4 : 0.5;
        r = arithmetic(MUL, work, r, to_float(work, factor, TO_NEAREST, flags), d->rm, flags);
    }
    if (d->vds == work)
        return r;
    *flags |= float_snan(work, r) ? INVALID : 0;
    return to_float(d->vds, float_value(work, r), d->rm, flags);
}

/* --- the word --------------------------------------------------------------------------- */

static void emit_word(const Word *d)
{
    start();
    /* bits 57 and 35:28 are ignored */
    put(d->row->id, encode(d->row->id, O_wd, d->vd, O_ws2, d->vs2, d->row->scalar ? O_wx1 : O_ws1,
                           d->s1, O_wabs, d->abs, O_wneg, d->neg, O_omod, d->omod, O_opsel,
                           d->opsel, O_vss, d->vss, O_vds, d->vds, O_hword, (int)below(512), END));
}

static void expect(const Word *d)
{
    const bool from_pair = d->vss == 2;
    const int to = size_bits[d->vds];
    for (u32 i = 0; i < MAX_LANES; i++) {
        if (!(W->exec >> i & 1))
            continue;
        u64 s2 = W->v[d->vs2][i], s1 = d->row->scalar ? W->x[d->s1] : W->v[d->s1][i];
        if (from_pair) {
            s2 |= (u64)W->v[d->vs2 + 1][i] << 32;
            s1 |= (u64)(d->row->scalar ? d->s1 ? W->x[d->s1 + 1] : 0 : W->v[d->s1 + 1][i]) << 32;
        }
        const u64 r = d->row->is_float ? float_result(d, s1, s2, &want->fflags)
                                       : int_result(d, int_source(d, s1, 0), int_source(d, s2, 1));
        u32 *vd = &want->v[d->vd][i];
        if (to == 64)
            want->v[d->vd + 1][i] = (u32)(r >> 32);
        if (to >= 32) {
            *vd = (u32)r;
        } else {
            const u32 shift = d->opsel & 4 ? 16 : 0, mask = (u32)cut(UINT64_MAX, to) << shift;
            *vd = (*vd & ~mask) | (u32)r << shift;
        }
    }
}

static u32 some_register(u32 n, bool pair) { return below(n) & ~(pair ? 1u : 0u); }

static void try_word(const Row *row, u32 vss, u32 vds)
{
    Word d = {.row = row,
              .abs = below(8),
              .neg = below(8),
              .omod = below(4),
              .opsel = below(8),
              .vss = vss,
              .vds = vds};
    d.vd = some_register(256, vds == 2);
    d.vs2 = one_in(4) ? d.vd & (vss == 2 ? 254 : 255) : some_register(256, vss == 2);
    d.s1 = row->scalar ? some_register(64, vss == 2) : some_register(256, vss == 2);
    emit_word(&d);
    for (int k = 0; k < 3; k++) {
        fill(W, random_mask());
        d.rm = (Rounding)below(vss == 2 || vds == 2 ? 4 : 5);
        W->frm = (u8)d.rm;
        expect_nothing(W);
        expect(&d);
        run_and_compare(W);
    }
}

static void every_operation_size_and_modifier(void **state)
{
    (void)state;
    for (size_t r = 0; r < countof(rows); r++)
        for (u32 vss = 0; vss < 4; vss++)
            for (u32 vds = 0; vds < 4; vds++)
                for (int k = 0; k < (vss | vds ? 4 : 64); k++)
                    if (!rows[r].is_float || (vss < 3 && vds < 3))
                        try_word(&rows[r], vss, vds);
}

static void narrow_machines_run_their_lanes(void **state)
{
    (void)state;
    for (u32 lanes = 4; lanes <= 16; lanes *= 2) {
        rig_lanes(lanes);
        for (size_t r = 0; r < countof(rows); r++)
            try_word(&rows[r], 0, 0);
    }
    rig_lanes(32);
}

/* a signed 16-bit -32768 has no negative: it stays; an unsigned one wraps */
static void neg_wraps_at_the_size(void **state)
{
    (void)state;
    static const struct {
        InsnId id;
        u32 s1, s2, abs, neg, r;
    } cases[] = {
        {I_vminu64_vv, 0xffff, 5, 0, 1, 1},     {I_vmaxu64_vv, 1, 0xfffe, 0, 1, 0xffff},
        {I_vmin64_vv, 0x8000, 5, 0, 1, 0x8000}, {I_vmin64_vv, 0x8000, 5, 1, 0, 0x8000},
        {I_vmax64_vv, 0x8000, 5, 1, 1, 5},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        start();
        emit(cases[i].id, O_wd, 3, O_ws2, 2, O_ws1, 1, O_wabs, cases[i].abs, O_wneg, cases[i].neg,
             END);
        fill(W, UINT32_MAX);
        for (int k = 0; k < MAX_LANES; k++)
            W->v[1][k] = cases[i].s1, W->v[2][k] = cases[i].s2;
        expect_nothing(W);
        for (int k = 0; k < MAX_LANES; k++)
            want->v[3][k] = (want->v[3][k] & 0xffff0000) | cases[i].r;
        run_and_compare(W);
    }
}

static void what_must_fault(void **state)
{
    (void)state;
    static const struct {
        InsnId id;
        int vd, vs2, s1, vss, vds;
        FaultKind kind;
    } cases[] = {
        {I_vadd64_vv, 3, 4, 6, 2, 2, FAULT_ILLEGAL},
        {I_vadd64_vv, 2, 5, 6, 2, 2, FAULT_ILLEGAL},
        {I_vadd64_vv, 2, 4, 7, 2, 2, FAULT_ILLEGAL},
        {I_vadd64_vx, 2, 4, 7, 2, 2, FAULT_ILLEGAL},
        {I_vadd64_vv, 255, 4, 6, 0, 2, FAULT_ILLEGAL},
        {I_vfadd64_vv, 2, 4, 6, 3, 0, FAULT_ILLEGAL},
        {I_vfmul64_vf, 2, 4, 6, 0, 3, FAULT_ILLEGAL},
        {I_vadd64_vx, 2, 4, 64, 0, 0, FAULT_ILLEGAL},
        {I_vadd64_vx, 2, 4, 255, 0, 0, FAULT_ILLEGAL},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const bool scalar = isa_find_operand(cases[i].id, O_wx1) >= 0;
        start();
        emit(cases[i].id, O_wd, cases[i].vd, O_ws2, cases[i].vs2, scalar ? O_wx1 : O_ws1,
             cases[i].s1, O_vss, cases[i].vss, O_vds, cases[i].vds, END);
        fill(W, UINT32_MAX);
        expect_nothing(W);
        must_fault(cases[i].kind);
        same_registers(W);
    }
    start();
    emit(I_vfadd64_vv, O_wd, 1, END);
    fill(W, UINT32_MAX);
    W->frm = 5;
    must_fault(FAULT_FRM);
    for (u32 funct6 = 0; funct6 < 64; funct6++) /* no operation has these */
        for (u32 funct3 = 0; funct3 < 8; funct3++) {
            const u64 word = (u64)funct6 << 58 | funct3 << 11 | 0x54;
            bool exists = false;
            for (size_t r = 0; r < countof(rows); r++)
                exists |= isa_insn[rows[r].id].match == word;
            start();
            put_long(word);
            fill(W, UINT32_MAX);
            if (!exists)
                must_fault(FAULT_ILLEGAL);
        }
}

/* no prefix concerns a 64-bit word, and it runs after one */
static void prefixes_do_not_apply(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        Word d = {.row = &rows[0], .vd = 40, .vs2 = 50, .s1 = 60};
        static const InsnId prefix[] = {I_prefix, I_prefixi, I_pre_m_64, I_regext};
        start();
        switch (prefix[k % 4]) {
        case I_regext:
            emit(I_regext, O_imm12, 0x249, END);
            break;
        case I_pre_m_64:
            emit(I_pre_m_64, O_xd, 1, O_x1, 2, END);
            break;
        case I_prefixi:
            emit(I_prefixi, O_xd, 1, O_pair, 1, O_abs, 7, END);
            break;
        default:
            emit(I_prefix, O_xd, 1, O_x1, 1, O_pair, 1, O_neg, 7, END);
            break;
        }
        emit(I_vadd64_vv, O_wd, 40, O_ws2, 50, O_ws1, 60, END);
        fill(W, random_mask());
        expect_nothing(W);
        expect(&d);
        run_and_compare(W);
    }
}

static void no_row_is_left(void **state)
{
    (void)state;
    every_row_was_executed(BY_WORD64_TEST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_size_and_modifier),
        cmocka_unit_test(narrow_machines_run_their_lanes),
        cmocka_unit_test(neg_wraps_at_the_size),
        cmocka_unit_test(what_must_fault),
        cmocka_unit_test(prefixes_do_not_apply),
        cmocka_unit_test(no_row_is_left),
    };
    rig_open(V2025);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rig_close();
    return failed;
}
