/* Arithmetic of v2025 on 64 bits: scalar pairs, widening, narrowing, conversions of
 * width, and what prefix and prefixi add to any instruction, against plain C and the
 * host's floats. */
#include "test/kit/rig.h"
#include "test/kit/number.h"

static const int host_mode[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

static u64 v_pair(const Warp *w, u32 n, int i) { return (u64)w->v[n + 1][i] << 32 | w->v[n][i]; }
static void set_v_pair(Warp *w, u32 n, int i, u64 r)
{
    w->v[n][i] = (u32)r;
    w->v[n + 1][i] = (u32)(r >> 32);
}
static u64 x_pair_of(const Warp *w, u32 n) { return n ? (u64)w->x[n + 1] << 32 | w->x[n] : 0; }
static void set_x_pair(Warp *w, u32 n, u64 r)
{
    if (n)
        w->x[n] = (u32)r, w->x[n + 1] = (u32)(r >> 32);
}
static u64 sext(u32 v) { return (u64)(i64)(i32)v; }

static bool active(int i) { return W->exec >> i & 1; }

/* regext for the registers of rd, rs1, rs2 or of vd, vs1, vs2 */
static void extend(u32 d, u32 s1, u32 s2)
{
    emit(I_regext, O_imm12, (int)sign_extend(d / 32 | s1 / 32 << 3 | s2 / 32 << 6, 12), END);
}

/* --- scalar pairs ---------------------------------------------------------------------- */

static void scalar_pairs(void **state)
{
    (void)state;
    static const InsnId ids[] = {I_addiw, I_slliw, I_srliw, I_sraiw, I_addw,
                                 I_subw,  I_sllw,  I_srlw,  I_sraw};
    for (size_t n = 0; n < countof(ids); n++)
        for (int k = 0; k < 400; k++) {
            const bool shifts = n >= 1 && n <= 3;
            const u32 rd = 2 * below(32), rs1 = one_in(4) ? rd : 2 * below(32), rs2 = 2 * below(32);
            const i32 imm = shifts ? (i32)below(64) : (i32)below(4096) - 2048;
            start();
            extend(rd, rs1, rs2);
            if (n < 4)
                emit(ids[n], O_rd, rd & 31, O_rs1, rs1 & 31, shifts ? O_shamt6 : O_imm12, imm, END);
            else
                emit(ids[n], O_rd, rd & 31, O_rs1, rs1 & 31, O_rs2, rs2 & 31, END);
            fill(W, one_in(4) ? 0 : random_mask());
            expect_nothing(W);
            const u64 a = x_pair_of(W, rs1), b = n < 4 ? (u64)(i64)imm : x_pair_of(W, rs2);
            u64 r = 0;
            switch (ids[n]) {
            case I_addiw:
            case I_addw:
                r = a + b;
                break;
            case I_subw:
                r = a - b;
                break;
            case I_slliw:
            case I_sllw:
                r = a << (b & 63);
                break;
            case I_srliw:
            case I_srlw:
                r = a >> (b & 63);
                break;
            default:
                r = (u64)((i64)a >> (b & 63));
                break;
            }
            set_x_pair(want, rd, r);
            run_and_compare(W);
        }
}

/* --- widening ---------------------------------------------------------------------------- */

typedef struct {
    InsnId id;
    char op; /* + - * */
    bool accumulates, pairs, scalar;
    bool sgn2, sgn1; /* of vs2; of vs1 or rs1 */
} Widening;

static const Widening widenings[] = {
    {I_vwaddu_vv, '+', 0, 0, 0, 0, 0},   {I_vwaddu_vx, '+', 0, 0, 1, 0, 0},
    {I_vwaddu_wv, '+', 0, 1, 0, 0, 0},   {I_vwaddu_wx, '+', 0, 1, 1, 0, 0},
    {I_vwadd_vv, '+', 0, 0, 0, 1, 1},    {I_vwadd_vx, '+', 0, 0, 1, 1, 1},
    {I_vwadd_wv, '+', 0, 1, 0, 1, 1},    {I_vwadd_wx, '+', 0, 1, 1, 1, 1},
    {I_vwsubu_vv, '-', 0, 0, 0, 0, 0},   {I_vwsubu_vx, '-', 0, 0, 1, 0, 0},
    {I_vwsubu_wv, '-', 0, 1, 0, 0, 0},   {I_vwsubu_wx, '-', 0, 1, 1, 0, 0},
    {I_vwsub_vv, '-', 0, 0, 0, 1, 1},    {I_vwsub_vx, '-', 0, 0, 1, 1, 1},
    {I_vwsub_wv, '-', 0, 1, 0, 1, 1},    {I_vwsub_wx, '-', 0, 1, 1, 1, 1},
    {I_vwmulu_vv, '*', 0, 0, 0, 0, 0},   {I_vwmulu_vx, '*', 0, 0, 1, 0, 0},
    {I_vwmulsu_vv, '*', 0, 0, 0, 1, 0},  {I_vwmulsu_vx, '*', 0, 0, 1, 1, 0},
    {I_vwmul_vv, '*', 0, 0, 0, 1, 1},    {I_vwmul_vx, '*', 0, 0, 1, 1, 1},
    {I_vwmaccu_vv, '*', 1, 0, 0, 0, 0},  {I_vwmaccu_vx, '*', 1, 0, 1, 0, 0},
    {I_vwmacc_vv, '*', 1, 0, 0, 1, 1},   {I_vwmacc_vx, '*', 1, 0, 1, 1, 1},
    {I_vwmaccsu_vv, '*', 1, 0, 0, 0, 1}, {I_vwmaccsu_vx, '*', 1, 0, 1, 0, 1},
    {I_vwmaccus_vx, '*', 1, 0, 1, 1, 0},
};

static void try_widening(const Widening *f)
{
    const u32 vd = 2 * below(128), vs2 = one_in(4) ? vd : f->pairs ? 2 * below(128) : below(256);
    const u32 s1 = f->scalar   ? below(64)
                   : f->pairs  ? 2 * below(128)
                   : one_in(4) ? vd + 1
                               : below(256);
    const bool vm = !one_in(3);
    start();
    extend(vd, s1, vs2);
    emit(f->id, f->accumulates ? O_vacc : O_vd, vd & 31, O_vs2, vs2 & 31, f->scalar ? O_rs1 : O_vs1,
         s1 & 31, O_vm, vm, END);
    for (int k = 0; k < 4; k++) {
        fill(W, random_mask());
        expect_nothing(W);
        for (int i = 0; i < MAX_LANES; i++) {
            if (!active(i) || !(vm || W->v[0][i] & 1))
                continue;
            const u32 n1 = f->scalar ? W->x[s1] : W->v[s1][i];
            const u64 a = f->pairs  ? v_pair(W, vs2, i)
                          : f->sgn2 ? sext(W->v[vs2][i])
                                    : W->v[vs2][i];
            const u64 b = f->pairs && !f->scalar ? v_pair(W, s1, i) : f->sgn1 ? sext(n1) : n1;
            const u64 r = f->op == '+' ? a + b : f->op == '-' ? a - b : a * b;
            set_v_pair(want, vd, i, f->accumulates ? v_pair(W, vd, i) + r : r);
        }
        run_and_compare(W);
    }
}

static void widening(void **state)
{
    (void)state;
    for (size_t n = 0; n < countof(widenings); n++)
        for (int k = 0; k < 60; k++)
            try_widening(&widenings[n]);
    for (u32 lanes = 4; lanes <= 16; lanes *= 2) {
        rig_lanes(lanes);
        for (size_t n = 0; n < countof(widenings); n++)
            try_widening(&widenings[n]);
    }
    rig_lanes(32);
}

/* --- narrowing: vs2 is a pair --------------------------------------------------------- */

__extension__ typedef __int128 Big;

/* v / 2^shift with vxrm's rounding, as a number of 65 bits */
static Big scaled(Big v, u32 shift, u32 vxrm)
{
    const Big unit = (Big)1 << shift, down = v >> shift, rest = v - down * unit;
    switch (vxrm) {
    case 0:
        return down + (rest * 2 >= unit && shift);
    case 1:
        return down + (rest * 2 > unit || (rest * 2 == unit && down & 1 && shift));
    case 2:
        return down;
    default:
        return rest && !(down & 1) ? down + 1 : down;
    }
}

static u32 narrowed(char kind, u64 a, u32 shift)
{
    Big r;
    if (kind == 'l' || kind == 'a')
        return (u32)(kind == 'l' ? a >> shift : (u64)((i64)a >> shift));
    r = scaled(kind == 's' ? (Big)(i64)a : (Big)a, shift, want->vxrm);
    const Big most = kind == 's' ? INT32_MAX : UINT32_MAX, least = kind == 's' ? INT32_MIN : 0;
    want->vxsat |= r > most || r < least;
    return (u32)(r > most ? most : r < least ? least : r);
}

static void narrowing(void **state)
{
    (void)state;
    static const struct {
        InsnId id;
        char kind, form;
    } rows[] = {
        {I_vnsrl_wv, 'l', 'v'},   {I_vnsrl_wx, 'l', 'x'},   {I_vnsrl_wi, 'l', 'i'},
        {I_vnsra_wv, 'a', 'v'},   {I_vnsra_wx, 'a', 'x'},   {I_vnsra_wi, 'a', 'i'},
        {I_vnclipu_wv, 'u', 'v'}, {I_vnclipu_wx, 'u', 'x'}, {I_vnclipu_wi, 'u', 'i'},
        {I_vnclip_wv, 's', 'v'},  {I_vnclip_wx, 's', 'x'},  {I_vnclip_wi, 's', 'i'},
    };
    for (size_t n = 0; n < countof(rows); n++)
        for (int k = 0; k < 200; k++) {
            const u32 vd = below(32), vs2 = 2 * below(16), s1 = below(32);
            start();
            emit(rows[n].id, O_vd, vd, O_vs2, vs2,
                 rows[n].form == 'v'   ? O_vs1
                 : rows[n].form == 'x' ? O_rs1
                                       : O_sh5,
                 s1, END);
            fill(W, random_mask());
            W->vxrm = (u8)below(4);
            for (int i = 0; i < MAX_LANES && one_in(2);
                 i++) /* few upper bits, so that not all saturate */
                W->v[vs2 + 1][i] = (u32)((i32)W->v[vs2 + 1][i] >> 30);
            expect_nothing(W);
            for (int i = 0; i < MAX_LANES; i++) {
                const u32 b = rows[n].form == 'v'   ? W->v[s1][i]
                              : rows[n].form == 'x' ? W->x[s1]
                                                    : s1;
                if (active(i))
                    want->v[vd][i] = narrowed(rows[n].kind, v_pair(W, vs2, i), b & 63);
            }
            run_and_compare(W);
        }
}

/* --- conversions of width ------------------------------------------------------------- */

static u8 host_flags(void)
{
    const int e = fetestexcept(FE_ALL_EXCEPT);
    return (u8)((e & FE_INEXACT ? INEXACT : 0) | (e & FE_UNDERFLOW ? UNDERFLOW_ : 0) |
                (e & FE_OVERFLOW ? OVERFLOW_ : 0) | (e & FE_DIVBYZERO ? BY_ZERO : 0) |
                (e & FE_INVALID ? INVALID : 0));
}

static u64 canonical_double(double d) { return isnan(d) ? 0x7ff8000000000000u : double_bits(d); }

/* a number to an integer of `bits` bits: out of range saturates and is invalid alone */
static u64 to_int(double v, int bits, bool sgn, Rounding r, u8 *flags)
{
    const double most = sgn ? ldexp(1, bits - 1) : ldexp(1, bits), least = sgn ? -most : 0;
    const double lo = floor(fabs(v)), rest = fabs(v) - lo;
    double n = 0;
    if (isnan(v) || isinf(v)) {
        *flags |= INVALID;
        n = isnan(v) || v > 0 ? most : (double)-INFINITY;
    } else {
        n = lo + rounds_up(lo, rest, signbit(v), r);
        n = signbit(v) ? -n : n;
    }
    if (n >= most || n < least) {
        *flags |= INVALID;
        return n >= most ? UINT64_MAX >> (64 - bits + sgn) : sgn ? (u64)1 << (bits - 1) : 0;
    }
    *flags |= rest != 0 ? INEXACT : 0;
    return (n < 0 ? (u64)(i64)n : (u64)n) & (UINT64_MAX >> (64 - bits));
}

static u64 widened(InsnId id, u32 v, Rounding r, u8 *flags)
{
    const double d = value_of(F32, v);
    switch (id) {
    case I_vfwcvt_xu_f_v:
        return to_int(d, 64, false, r, flags);
    case I_vfwcvt_x_f_v:
        return to_int(d, 64, true, r, flags);
    case I_vfwcvt_rtz_xu_f_v:
        return to_int(d, 64, false, TO_ZERO, flags);
    case I_vfwcvt_rtz_x_f_v:
        return to_int(d, 64, true, TO_ZERO, flags);
    case I_vfwcvt_f_xu_v:
        return double_bits((double)v);
    case I_vfwcvt_f_x_v:
        return double_bits((double)(i32)v);
    default:
        *flags |= is_signalling(F32, v) ? INVALID : 0;
        return canonical_double(d);
    }
}

/* a 64-bit integer as a double that is odd when it is not exact */
static double int_to_odd(u64 v, bool sgn)
{
    const bool negative = sgn && (i64)v < 0;
    u64 m = negative ? 0 - v : v;
    if (m >> 53)
        m = (m >> 11 | ((m & 2047) != 0)) << 11;
    /* m has at most 53 bits above the last eleven, so this is exact */
    return negative ? -(double)m : (double)m;
}

static u32 narrowed_number(InsnId id, u64 v, Rounding r, u8 *flags)
{
    const double d = as_double(v);
    switch (id) {
    case I_vfncvt_xu_f_w:
        return (u32)to_int(d, 32, false, r, flags);
    case I_vfncvt_x_f_w:
        return (u32)to_int(d, 32, true, r, flags);
    case I_vfncvt_rtz_xu_f_w:
        return (u32)to_int(d, 32, false, TO_ZERO, flags);
    case I_vfncvt_rtz_x_f_w:
        return (u32)to_int(d, 32, true, TO_ZERO, flags);
    case I_vfncvt_f_xu_w:
        return round_to(F32, int_to_odd(v, false), r, flags);
    case I_vfncvt_f_x_w:
        return round_to(F32, int_to_odd(v, true), r, flags);
    default:
        *flags |= isnan(d) && !(v >> 51 & 1) ? INVALID : 0;
        return round_to(F32, d, id == I_vfncvt_rod_f_f_w ? TO_ODD : r, flags);
    }
}

/* doubles whose exponents are those of floats and integers */
static u64 random_double(void)
{
    const u64 r = random_bits();
    switch (below(6)) {
    case 0:
        return r;
    case 1:
        return double_bits((double)value_of(F32, random_word()));
    case 2:
        return double_bits(value_of(F32, random_word()) * (1 + 0x1p-24));
    case 3:
        return double_bits((double)(i64)(r >> below(64)) + (one_in(2) ? 0.5 : 0.25));
    case 4:
        return (r & 0x800fffffffffffff) | (u64)(860 + below(360)) << 52;
    default:
        return (u64)random_word() << 32 | random_word();
    }
}

static void conversions_of_width(void **state)
{
    (void)state;
    static const InsnId wide[] = {I_vfwcvt_xu_f_v,   I_vfwcvt_x_f_v, I_vfwcvt_f_xu_v,
                                  I_vfwcvt_f_x_v,    I_vfwcvt_f_f_v, I_vfwcvt_rtz_xu_f_v,
                                  I_vfwcvt_rtz_x_f_v};
    static const InsnId narrow[] = {I_vfncvt_xu_f_w,     I_vfncvt_x_f_w,    I_vfncvt_f_xu_w,
                                    I_vfncvt_f_x_w,      I_vfncvt_f_f_w,    I_vfncvt_rod_f_f_w,
                                    I_vfncvt_rtz_xu_f_w, I_vfncvt_rtz_x_f_w};
    for (int k = 0; k < 400 * 15; k++) {
        const size_t n = (size_t)k % 15;
        const bool widens = n < 7;
        const InsnId id = widens ? wide[n] : narrow[n - 7];
        const u32 vd = widens ? 2 * below(16) : below(32), vs2 = widens ? below(32) : 2 * below(16);
        start();
        emit(id, O_vd, vd, O_vs2, vs2, END);
        fill(W, one_in(3) ? 1u << below(32) : random_mask());
        W->frm = (u8)below(5);
        for (int i = 0; i < MAX_LANES && !widens; i++)
            set_v_pair(W, vs2, i, random_double());
        expect_nothing(W);
        for (int i = 0; i < MAX_LANES; i++) {
            if (!active(i))
                continue;
            if (widens)
                set_v_pair(want, vd, i, widened(id, W->v[vs2][i], (Rounding)W->frm, &want->fflags));
            else
                want->v[vd][i] =
                    narrowed_number(id, v_pair(W, vs2, i), (Rounding)W->frm, &want->fflags);
        }
        run_and_compare(W);
    }
}

/* --- prefix and prefixi: pair, abs, neg ------------------------------------------------------- */

/* how an instruction's text, without v and after the first dot, computes */
typedef enum {
    ADD,
    SUB,
    RSUB,
    AND,
    OR,
    XOR,
    NAND,
    ANDN,
    NOR,
    ORN,
    XNOR,
    SLL,
    SRL,
    SRA,
    EQ,
    NE,
    LT,
    LTU,
    LE,
    LEU,
    GT,
    GTU,
    MIN,
    MINU,
    MAX,
    MAXU,
    MUL,
    COPY,
    MULH,
    MULHU,
    MULHSU,
    DIV,
    DIVU,
    REM,
    REMU,
    ZEXT2,
    ZEXT4,
    SEXT2,
    SEXT4,
    MACC,
    NMSAC,
    MADD,
    NMSUB,
    FADD,
    FSUB,
    FRSUB,
    FMUL,
    FDIV,
    FRDIV,
    FSQRT,
    FSGNJ,
    FSGNJN,
    FSGNJX,
    FMIN,
    FMAX,
    FEQ,
    FNE,
    FLT,
    FLE,
    FGT,
    FGE,
    FCLASS,
    FCOPY,
    F_TO_I,
    F_TO_U,
    F_TO_I_RTZ,
    F_TO_U_RTZ,
    I_TO_F,
    U_TO_F,
    FMACC,
    FNMACC,
    FMSAC,
    FNMSAC,
    FMADD,
    FNMADD,
    FMSUB,
    FNMSUB,
    ESTIMATE,
    NOTHING
} Fn;

static const struct {
    const char *text;
    Fn fn;
} fns[] = {
    {"add", ADD},
    {"addi", ADD},
    {"vadd", ADD},
    {"vadd12", ADD},
    {"sub", SUB},
    {"vsub", SUB},
    {"vsub12", SUB},
    {"vrsub", RSUB},
    {"and", AND},
    {"andi", AND},
    {"vand", AND},
    {"or", OR},
    {"ori", OR},
    {"vor", OR},
    {"xor", XOR},
    {"xori", XOR},
    {"vxor", XOR},
    {"sll", SLL},
    {"slli", SLL},
    {"vsll", SLL},
    {"srl", SRL},
    {"srli", SRL},
    {"vsrl", SRL},
    {"sra", SRA},
    {"srai", SRA},
    {"vsra", SRA},
    {"vmseq", EQ},
    {"vmsne", NE},
    {"slt", LT},
    {"slti", LT},
    {"vmslt", LT},
    {"sltu", LTU},
    {"sltiu", LTU},
    {"vmsltu", LTU},
    {"vmsle", LE},
    {"vmsleu", LEU},
    {"vmsgt", GT},
    {"vmsgtu", GTU},
    {"vmin", MIN},
    {"vminu", MINU},
    {"vmax", MAX},
    {"vmaxu", MAXU},
    {"mul", MUL},
    {"vmul", MUL},
    {"vmv.v", COPY},
    {"vmv.s", COPY},
    {"mulh", MULH},
    {"vmulh", MULH},
    {"mulhu", MULHU},
    {"vmulhu", MULHU},
    {"mulhsu", MULHSU},
    {"vmulhsu", MULHSU},
    {"div", DIV},
    {"vdiv", DIV},
    {"divu", DIVU},
    {"vdivu", DIVU},
    {"rem", REM},
    {"vrem", REM},
    {"remu", REMU},
    {"vremu", REMU},
    {"vzext.vf2", ZEXT2},
    {"vzext.vf4", ZEXT4},
    {"vsext.vf2", SEXT2},
    {"vsext.vf4", SEXT4},
    {"vmacc", MACC},
    {"vnmsac", NMSAC},
    {"vmadd", MADD},
    {"vnmsub", NMSUB},
    {"vmand", AND},
    {"vmnand", NAND},
    {"vmandn", ANDN},
    {"vmxor", XOR},
    {"vmor", OR},
    {"vmnor", NOR},
    {"vmorn", ORN},
    {"vmxnor", XNOR},
    {"fadd", FADD},
    {"vfadd", FADD},
    {"fsub", FSUB},
    {"vfsub", FSUB},
    {"vfrsub", FRSUB},
    {"fmul", FMUL},
    {"vfmul", FMUL},
    {"fdiv", FDIV},
    {"vfdiv", FDIV},
    {"vfrdiv", FRDIV},
    {"fsqrt", FSQRT},
    {"vfsqrt", FSQRT},
    {"fsgnj", FSGNJ},
    {"vfsgnj", FSGNJ},
    {"fsgnjn", FSGNJN},
    {"vfsgnjn", FSGNJN},
    {"fsgnjx", FSGNJX},
    {"vfsgnjx", FSGNJX},
    {"fmin", FMIN},
    {"vfmin", FMIN},
    {"fmax", FMAX},
    {"vfmax", FMAX},
    {"feq", FEQ},
    {"vmfeq", FEQ},
    {"vmfne", FNE},
    {"flt", FLT},
    {"vmflt", FLT},
    {"fle", FLE},
    {"vmfle", FLE},
    {"vmfgt", FGT},
    {"vmfge", FGE},
    {"fclass", FCLASS},
    {"vfclass", FCLASS},
    {"vfmv.v", FCOPY},
    {"vfmv.s", FCOPY},
    {"fcvt.w.s", F_TO_I},
    {"fcvt.wu.s", F_TO_U},
    {"fcvt.s.w", I_TO_F},
    {"fcvt.s.wu", U_TO_F},
    {"vfcvt.x.f.v", F_TO_I},
    {"vfcvt.xu.f.v", F_TO_U},
    {"vfcvt.rtz.x.f.v", F_TO_I_RTZ},
    {"vfcvt.rtz.xu.f.v", F_TO_U_RTZ},
    {"vfcvt.f.x.v", I_TO_F},
    {"vfcvt.f.xu.v", U_TO_F},
    {"vfmacc", FMACC},
    {"vfnmacc", FNMACC},
    {"vfmsac", FMSAC},
    {"vfnmsac", FNMSAC},
    {"vfmadd", FMADD},
    {"vfnmadd", FNMADD},
    {"vfmsub", FMSUB},
    {"vfnmsub", FNMSUB},
    {"fmadd", FMACC},
    {"fmsub", FMSAC},
    {"fnmsub", FNMSAC},
    {"fnmadd", FNMACC},
    {"vfrec7", ESTIMATE},
    {"vfrsqrt7", ESTIMATE},
};

/* the whole mnemonic, or what is before its last dot */
static Fn fn_of(InsnId id)
{
    const char *text = isa_insn[id].text, *dot = strrchr(text, '.');
    for (size_t i = 0; i < countof(fns); i++)
        if (!strcmp(fns[i].text, text) || (dot && strlen(fns[i].text) == (size_t)(dot - text) &&
                                           !strncmp(fns[i].text, text, (size_t)(dot - text))))
            return fns[i].fn;
    return NOTHING;
}

typedef enum { IS_X, IS_V, IS_IMM, IS_NONE } Where;

/* A source: where it is, its register, its bit of abs and neg. */
typedef struct {
    Where where;
    u32 n;
    int bit;
} Operand;

typedef struct {
    InsnId id;
    Fn fn;
    bool pair, is_float, gives_float, gives_word, is_unsigned, scalar;
    u32 abs, neg;
    u32 rd;
    Operand a, b, c; /* vs2 or rs1; vs1, rs1 or rs2; accumulator or rs3 */
    i32 imm;
    Rounding rm;
} Under;

static double as_number(const Under *u, u64 v)
{
    return u->pair ? as_double(v) : value_of(F32, (u32)v);
}
static bool signals(const Under *u, u64 v)
{
    return u->pair ? isnan(as_double(v)) && !(v >> 51 & 1) : is_signalling(F32, (u32)v);
}
static u64 sign_of(const Under *u) { return (u64)1 << (u->pair ? 63 : 31); }

/* the value of a source in the width of the operation */
static u64 fetch(const Under *u, const Operand *s, int lane, u8 *flags)
{
    const u64 all = u->pair ? UINT64_MAX : UINT32_MAX;
    u64 v;
    if (s->where == IS_NONE)
        return 0;
    if (s->where == IS_IMM)
        return sext((u32)u->imm) & all;
    const u32 word = s->where == IS_X ? W->x[s->n] : W->v[s->n][lane];
    if (!u->pair)
        v = word;
    else if (!(s->n & 1))
        v = s->where == IS_X ? x_pair_of(W, s->n) : v_pair(W, s->n, lane);
    else if (u->is_float) { /* an odd register holds 32 bits */
        *flags |= is_signalling(F32, word) ? INVALID : 0;
        v = canonical_double(value_of(F32, word));
    } else
        v = u->is_unsigned ? word : sext(word);
    if (u->is_float) {
        v ^= u->neg >> s->bit & 1 ? sign_of(u) : 0;
        return u->abs >> s->bit & 1 ? v & ~sign_of(u) : v;
    }
    v = u->neg >> s->bit & 1 ? (0 - v) & all : v;
    return u->abs >> s->bit & 1 && v & sign_of(u) ? (0 - v) & all : v;
}

static u64 compute_int(const Under *u, u64 a, u64 b, u64 c)
{
    const u32 places = u->pair ? 63 : 31;
    const i64 sa = u->pair ? (i64)a : (i32)a, sb = u->pair ? (i64)b : (i32)b;
    switch (u->fn) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case RSUB:
        return b - a;
    case AND:
        return a & b;
    case OR:
        return a | b;
    case XOR:
        return a ^ b;
    case NAND:
        return ~(a & b);
    case ANDN:
        return a & ~b;
    case NOR:
        return ~(a | b);
    case ORN:
        return a | ~b;
    case XNOR:
        return ~(a ^ b);
    case SLL:
        return a << (b & places);
    case SRL:
        return a >> (b & places);
    case SRA:
        return (u64)(sa >> (b & places));
    case EQ:
        return a == b;
    case NE:
        return a != b;
    case LT:
        return sa < sb;
    case LTU:
        return a < b;
    case LE:
        return sa <= sb;
    case LEU:
        return a <= b;
    case GT:
        return sa > sb;
    case GTU:
        return a > b;
    case MIN:
        return sa < sb ? a : b;
    case MINU:
        return a < b ? a : b;
    case MAX:
        return sa > sb ? a : b;
    case MAXU:
        return a > b ? a : b;
    case MUL:
        return a * b;
    case COPY:
        return b;
    case MULH:
        return (u64)(sa * sb >> 32);
    case MULHU:
        return a * b >> 32;
    case MULHSU:
        return (u64)(sa * (i64)b >> 32);
    case DIV:
        return sb ? (u64)(sa / sb) : UINT64_MAX;
    case DIVU:
        return b ? a / b : UINT64_MAX;
    case REM:
        return sb ? (u64)(sa % sb) : a;
    case REMU:
        return b ? a % b : a;
    case ZEXT2:
        return a & 0xffff;
    case ZEXT4:
        return a & 0xff;
    case SEXT2:
        return (u64)(i64)(i16)a;
    case SEXT4:
        return (u64)(i64)(i8)a;
    case MACC:
        return c + a * b;
    case NMSAC:
        return c - a * b;
    case MADD:
        return b * c + a;
    case NMSUB:
        return a - b * c;
    default:
        return 0;
    }
}

#define COMPUTE(x, y, z, root, fuse)                                                               \
    (fn == FADD    ? (x) + (y)                                                                     \
     : fn == FSUB  ? (x) - (y)                                                                     \
     : fn == FMUL  ? (x) * (y)                                                                     \
     : fn == FDIV  ? (x) / (y)                                                                     \
     : fn == FSQRT ? root(x)                                                                       \
                   : fuse(x, y, z))

/* host arithmetic in the host's rounding modes, its flags */
static u64 host_float(const Under *u, Fn fn, u64 a, u64 b, u64 c, u8 *flags)
{
    const volatile double x = as_double(a), y = as_double(b), z = as_double(c);
    const volatile float fx = as_float((u32)a), fy = as_float((u32)b), fz = as_float((u32)c);
    volatile double r = 0;
    volatile float fr = 0;
    feclearexcept(FE_ALL_EXCEPT);
    fesetround(host_mode[u->rm]);
    if (u->pair)
        r = COMPUTE(x, y, z, sqrt, fma);
    else
        fr = COMPUTE(fx, fy, fz, sqrtf, fmaf);
    *flags |= host_flags();
    fesetround(FE_TONEAREST);
    return u->pair ? canonical_double(r) : isnan(fr) ? 0x7fc00000u : float_bits(fr);
}

/* x * y + z; infinity times zero is invalid whatever z */
static u64 fused_any(const Under *u, u64 a, u64 b, u64 c, u8 *flags)
{
    const double x = as_number(u, a), y = as_number(u, b);
    if ((isinf(x) && y == 0) || (x == 0 && isinf(y)))
        *flags |= INVALID;
    return host_float(u, FMACC, a, b, c, flags);
}

static u64 class_of(const Under *u, u64 v)
{
    const double d = as_number(u, v);
    const bool n = v & sign_of(u), tiny = fabs(d) < (u->pair ? 0x1p-1022 : 0x1p-126);
    if (isnan(d))
        return signals(u, v) ? 1 << 8 : 1 << 9;
    if (isinf(d))
        return n ? 1 << 0 : 1 << 7;
    return d == 0 ? (n ? 1 << 3 : 1 << 4) : tiny ? (n ? 1 << 2 : 1 << 5) : n ? 1 << 1 : 1 << 6;
}

static u64 from_int(const Under *u, u64 v, bool sgn, u8 *flags)
{
    if (!u->pair)
        return round_to(F32, sgn ? (double)(i32)v : (double)(u32)v, u->rm, flags);
    volatile u64 m = v;
    feclearexcept(FE_ALL_EXCEPT);
    fesetround(host_mode[u->rm]);
    /* the upper half exact, the lower added: one rounding */
    const volatile double hi = sgn ? (double)(i32)(m >> 32) : (double)(u32)(m >> 32);
    const volatile double r = hi * 0x1p32 + (double)(u32)m;
    *flags |= host_flags();
    fesetround(FE_TONEAREST);
    return double_bits(v ? r : 0.0);
}

static u64 least_or_greatest(const Under *u, u64 a, u64 b)
{
    const double x = as_number(u, a), y = as_number(u, b);
    const bool greatest = u->fn == FMAX;
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y) ? (u->pair ? 0x7ff8000000000000u : 0x7fc00000u)
               : isnan(x)           ? b
                                    : a;
    if (x == y)
        return (a & sign_of(u)) != 0 ? (greatest ? b : a) : (greatest ? a : b);
    return (x > y) == greatest ? a : b;
}

static u64 compute_float(const Under *u, u64 a, u64 b, u64 c, u8 *flags)
{
    const u64 sign = sign_of(u), all = u->pair ? UINT64_MAX : UINT32_MAX;
    const double x = as_number(u, a), y = as_number(u, b);
    const bool unordered = isnan(x) || isnan(y), signalling = signals(u, a) || signals(u, b);
    const int bits = u->pair ? 64 : 32;
    switch (u->fn) {
    case FADD:
    case FSUB:
    case FMUL:
    case FDIV:
    case FSQRT:
        return host_float(u, u->fn, a, b, 0, flags);
    case FRSUB:
        return host_float(u, FSUB, b, a, 0, flags);
    case FRDIV:
        return host_float(u, FDIV, b, a, 0, flags);
    case FSGNJ:
        return (a & ~sign) | (b & sign);
    case FSGNJN:
        return (a & ~sign) | (~b & sign);
    case FSGNJX:
        return a ^ (b & sign);
    case FCOPY:
        return b;
    case FCLASS:
        return class_of(u, a);
    case FEQ:
    case FNE:
        *flags |= signalling ? INVALID : 0;
        return (x == y) == (u->fn == FEQ);
    case FLT:
    case FLE:
    case FGT:
    case FGE:
        *flags |= unordered ? INVALID : 0;
        return u->fn == FLT ? x < y : u->fn == FLE ? x <= y : u->fn == FGT ? x > y : x >= y;
    case FMIN:
    case FMAX:
        *flags |= signalling ? INVALID : 0;
        return least_or_greatest(u, a, b);
    case F_TO_I:
        return to_int(x, bits, true, u->rm, flags);
    case F_TO_U:
        return to_int(x, bits, false, u->rm, flags);
    case F_TO_I_RTZ:
        return to_int(x, bits, true, TO_ZERO, flags);
    case F_TO_U_RTZ:
        return to_int(x, bits, false, TO_ZERO, flags);
    case I_TO_F:
        return from_int(u, a, true, flags);
    case U_TO_F:
        return from_int(u, a, false, flags);
    /* vs1 * vs2 with vd, or vs1 * vd with vs2 */
    case FMACC:
        return fused_any(u, a, b, c, flags);
    case FNMACC:
        return fused_any(u, a ^ sign, b, c ^ sign, flags);
    case FMSAC:
        return fused_any(u, a, b, c ^ sign, flags);
    case FNMSAC:
        return fused_any(u, a ^ sign, b, c, flags);
    case FMADD:
        return fused_any(u, b, c, a, flags);
    case FNMADD:
        return fused_any(u, b ^ sign, c, a ^ sign, flags);
    case FMSUB:
        return fused_any(u, b, c, a ^ sign, flags);
    case FNMSUB:
        return fused_any(u, b ^ sign, c, a, flags);
    default:
        return all;
    }
}

static void expect_lane(const Under *u, int lane)
{
    u8 *flags = &want->fflags;
    const u64 a = fetch(u, &u->a, lane, flags), b = fetch(u, &u->b, lane, flags),
              c = fetch(u, &u->c, lane, flags);
    u64 r = u->fn >= FADD ? compute_float(u, a, b, c, flags) : compute_int(u, a, b, c);
    const bool pair = u->pair && !u->gives_word && !(u->rd & 1);
    if (u->pair && !pair && u->gives_float) {
        *flags |= signals(u, r) ? INVALID : 0;
        r = round_to(F32, as_double(r), u->rm, flags);
    }
    if (u->scalar && pair)
        set_x_pair(want, u->rd, r);
    else if (u->scalar)
        want->x[u->rd] = u->rd ? (u32)r : 0;
    else if (pair)
        set_v_pair(want, u->rd, lane, r);
    else
        want->v[u->rd][lane] = (u32)r;
}

/* operations that have no 64-bit form */
static bool is_narrow(Fn fn) { return (fn >= MULH && fn <= NMSUB); }

/* the immediate with prefixi's upper bits, or alone */
static i32 immediate(OperandId o, i32 field, bool by_prefixi, u32 immhi)
{
    const bool opivi = o == O_simm5 || o == O_zimm5 || o == O_sh5;
    if (opivi && by_prefixi)
        return (i32)sign_extend(immhi << 5 | ((u32)field & 31), 11);
    if (o == O_uimm12)
        return (i32)sign_extend((u32)field, 12);
    return o == O_zimm5 ? field & 31 : field;
}

/* Registers at random in all fields, which the prefix can name; sources are told by
 * the operands' places in the text (facts b.1). */
static void try_under(InsnId id, bool by_prefixi)
{
    const FormatInfo *f = isa_format_of(id);
    const u32 xd = below(8), x1 = by_prefixi ? 0 : below(8), x2 = below(8), x3 = below(8),
              immhi = below(64);
    Under u = {.id = id, .fn = fn_of(id), .pair = one_in(2), .abs = below(8), .neg = below(8)};
    Insn in = {.id = id};
    u64 word;
    u.is_float = u.fn >= FADD && u.fn != I_TO_F && u.fn != U_TO_F;
    u.gives_word = (u.fn >= EQ && u.fn <= GTU) || (u.fn >= FEQ && u.fn <= FGE) || u.fn == FCLASS;
    u.gives_float = u.fn >= FADD && !u.gives_word && !(u.fn >= F_TO_I && u.fn <= F_TO_U_RTZ);
    u.is_unsigned = u.fn == LTU || u.fn == LEU || u.fn == GTU || u.fn == MINU || u.fn == MAXU ||
                    u.fn == SRL || u.fn == U_TO_F;
    u.a.where = u.b.where = u.c.where = IS_NONE;
    u.rm = (Rounding)below(4);
    bool vm = true, has_static = false;
    const bool vector = isa_operand[f->opd[0]].kind == K_VREG;
    const u32 file = 2; /* scalar registers take one bit of three */
    for (int i = 0; i < f->nopd; i++) {
        const OperandId o = (OperandId)f->opd[i];
        const u32 n = below(32);
        in.opd[i] = (i32)n;
        switch (o) {
        case O_rd:
            u.scalar = true, u.rd = xd % file * 32 + n;
            break;
        case O_vd:
            u.rd = xd * 32 + n;
            break;
        case O_vacc:
            u.rd = xd * 32 + n, u.c = (Operand){IS_V, u.rd, 2};
            break;
        case O_vs2:
            u.a = (Operand){IS_V, x2 * 32 + n, 1};
            break;
        case O_vs1:
            if (f == &isa_format[F_VI12])
                u.a = (Operand){IS_V, x1 * 32 + n, 0};
            else
                u.b = (Operand){IS_V, x1 * 32 + n, 0};
            break;
        case O_rs1:
            if (vector)
                u.b = (Operand){IS_X, x1 % file * 32 + n, 0};
            else
                u.a = (Operand){IS_X, x1 % file * 32 + n, 0};
            break;
        case O_rs2:
            u.b = (Operand){IS_X, x2 % file * 32 + n, 1};
            break;
        case O_rs3:
            u.c = (Operand){IS_X, x3 % file * 32 + n, 2};
            break;
        case O_vm:
            in.opd[i] = vm = !one_in(4);
            break;
        case O_rm:
            in.opd[i] = (has_static = one_in(2)) ? (i32)u.rm : 7;
            break;
        case O_simm5:
        case O_zimm5:
            in.opd[i] = (i32)n - 16;
            break;
        case O_imm12:
            in.opd[i] = (i32)below(4096) - 2048;
            break;
        case O_uimm12:
            in.opd[i] = (i32)below(4096);
            break;
        default:
            break;
        }
        if (isa_operand[o].kind == K_IMM || isa_operand[o].kind == K_IMMX ||
            isa_operand[o].kind == K_IMMZ || isa_operand[o].kind == K_IMM12) {
            u.b = (Operand){IS_IMM, 0, 0};
            u.imm = immediate(o, in.opd[i], by_prefixi, immhi);
        }
    }
    int bad;
    if (!isa_encode(&in, &word, &bad))
        fail_msg("%s operand %d", isa_insn[id].text, bad);
    /* scalar fields: the prefix must stay below 64 */
    bool scalar_d = false, scalar_1 = false, scalar_2 = false;
    for (int i = 0; i < f->nopd; i++) {
        scalar_d |= f->opd[i] == O_rd;
        scalar_1 |= f->opd[i] == O_rs1;
        scalar_2 |= f->opd[i] == O_rs2;
    }
    const u32 pd = scalar_d ? xd % file : xd, p1 = scalar_1 ? x1 % file : x1,
              p2 = scalar_2 ? x2 % file : x2;
    const u32 p3 = isa_find_operand(id, O_rs3) >= 0 ? x3 % file : x3;
    if (by_prefixi && u.c.where == IS_X)
        u.c.n = (u32)in.opd[isa_find_operand(id, O_rs3)];
    start();
    if (by_prefixi)
        emit(I_prefixi, O_xd, pd, O_x2i, p2, O_immhi, immhi, O_pair, u.pair, O_abs, u.abs, O_neg,
             u.neg, END);
    else
        emit(I_prefix, O_xd, pd, O_x1, p1, O_x2, p2, O_x3, p3, O_pair, u.pair, O_abs, u.abs, O_neg,
             u.neg, END);
    put(id, word);
    for (int k = 0; k < 3; k++) {
        fill(W, random_mask());
        W->frm = has_static ? (u8)below(8) : (u8)u.rm;
        for (int i = 0; i < MAX_LANES && one_in(2); i++)
            if (u.a.where == IS_V && !(u.a.n & 1))
                set_v_pair(W, u.a.n, i, random_double());
        expect_nothing(W);
        if (u.pair && is_narrow(u.fn)) {
            W->mask |= 1, warp_set_exec(W), W->v[0][0] |= 1;
            must_fault(FAULT_ILLEGAL);
            continue;
        }
        if (u.scalar)
            expect_lane(&u, 0);
        for (int i = 0; i < MAX_LANES && !u.scalar; i++)
            if (active(i) && (vm || W->v[0][i] & 1))
                expect_lane(&u, i);
        run_and_compare(W);
    }
}

static void every_arithmetic_row_under_prefixes(void **state)
{
    (void)state;
    int rows = 0;
    for (int id = 0; id < NINSN; id++) {
        const Effect e = (Effect)isa_insn[id].effect;
        if (!(isa_insn[id].sets & V2025) ||
            (e != E_ALU && e != E_MAC && e != E_FALU && e != E_FMAC))
            continue;
        const Fn fn = fn_of((InsnId)id);
        if (fn == NOTHING)
            fail_msg("no reference for %s", isa_insn[id].text);
        rows++;
        for (int k = 0; k < 60 && fn != ESTIMATE; k++)
            try_under((InsnId)id, k % 3 == 0);
    }
    print_message("%d arithmetic rows\n", rows);
}

/* The seven-bit estimates: of x in the range of floats the same number whatever the
 * width, and those of |x| and -x under abs and neg. */
static void estimates_under_prefixes(void **state)
{
    (void)state;
    for (int k = 0; k < 600; k++) {
        const InsnId id = k & 1 ? I_vfrec7_v : I_vfrsqrt7_v;
        const bool pair = k & 2, abs = k & 4, neg = k & 8;
        u32 plain[MAX_LANES];
        start();
        emit(id, O_vd, 9, O_vs2, 5, END);
        fill(W, UINT32_MAX);
        for (int i = 0; i < MAX_LANES; i++)
            W->v[5][i] = (u32)(random_bits() & 0x007fffff) | (u32)(neg && !abs) << 31 |
                         (64 + below(120)) << 23;
        for (int i = 0; i < MAX_LANES; i++) /* the modified source, for the plain run */
            W->v[5][i] ^= neg && !abs ? 0x80000000 : 0;
        assert_int_equal(run(W), FAULT_NONE);
        memcpy(plain, W->v[9], sizeof plain);
        start();
        emit(I_prefix, O_pair, pair, O_abs, abs ? 2 : 5, O_neg, neg ? 2 : 5, END);
        emit(id, O_vd, pair ? 10 : 9, O_vs2, pair ? 4 : 5, END);
        for (int i = 0; i < MAX_LANES; i++) {
            u32 v = W->v[5][i];
            v = neg && !abs ? v ^ 0x80000000 : abs && one_in(2) ? v | 0x80000000 : v;
            W->v[5][i] = v;
            if (pair)
                set_v_pair(W, 4, i, double_bits(value_of(F32, v)));
        }
        W->fflags = 0;
        expect_nothing(W);
        for (int i = 0; i < MAX_LANES; i++)
            if (pair)
                set_v_pair(want, 10, i, canonical_double(value_of(F32, plain[i])));
            else
                want->v[9][i] = plain[i];
        run_and_compare(W);
    }
}

/* --- prefixes, and what they leave alone ------------------------------------------------------ */

/* Arithmetic that has its widths by itself: abs and neg hold for its sources, pair says
 * nothing.  The same as the plain instruction on sources that were changed before. */
static void abs_and_neg_hold_for_all_arithmetic(void **state)
{
    (void)state;
    static const InsnId ids[] = {I_vsadd_vv, I_vssub_vv, I_vwadd_vv, I_vwsub_vv, I_vwmul_vv, I_vaadd_vv,
                                 I_vsmul_vv};
    for (size_t n = 0; n < countof(ids); n++)
        for (int k = 0; k < 40; k++) {
            static _Alignas(64) Warp given;
            const u32 abs = below(4), neg = below(4);
            Insn in = {.id = ids[n], .opd = {4, 7, 9, 1}}; /* vd, vs2, vs1, vm */
            u64 word;
            assert_true(isa_encode(&in, &word, NULL));
            start();
            emit(I_regext, O_imm12, 3 << 6 | 2 << 3 | 1, END);
            put(ids[n], word);
            fill(W, random_mask());
            for (int i = 0; i < MAX_LANES; i++) { /* its opposite has no 32 bits */
                W->v[7 + 96][i] += W->v[7 + 96][i] == 0x80000000;
                W->v[9 + 64][i] += W->v[9 + 64][i] == 0x80000000;
            }
            memcpy(&given, W, sizeof given);
            for (int i = 0; i < MAX_LANES; i++)
                for (int s = 0; s < 2; s++) { /* src1 is vs1, src2 vs2 */
                    u32 *v = s ? &W->v[7 + 96][i] : &W->v[9 + 64][i];
                    *v = neg >> s & 1 ? 0 - *v : *v;
                    *v = abs >> s & 1 && *v >> 31 ? 0 - *v : *v;
                }
            assert_int_equal(run(W), FAULT_NONE);
            memcpy(W->v[7 + 96], given.v[7 + 96], sizeof given.v[0]);
            memcpy(W->v[9 + 64], given.v[9 + 64], sizeof given.v[0]);
            expect_nothing(W);
            start();
            emit(I_prefix, O_xd, 1, O_x1, 2, O_x2, 3, O_pair, below(2), O_abs, abs, O_neg, neg, END);
            put(ids[n], word);
            memcpy(W, &given, sizeof given);
            run_and_compare(W);
        }
}

/* On anything but arithmetic abs, neg and pair say nothing; register bits do. */
static void modifiers_are_ignored_elsewhere(void **state)
{
    (void)state;
    static const InsnId ids[] = {I_vmerge_vvm, I_vid_v, I_vmv_x_s};
    for (size_t n = 0; n < countof(ids); n++)
        for (int k = 0; k < 20; k++) {
            static _Alignas(64) Warp copy;
            const bool has_s1 = isa_find_operand(ids[n], O_vs1) >= 0,
                       has_s2 = isa_find_operand(ids[n], O_vs2) >= 0;
            const bool scalar = isa_find_operand(ids[n], O_rd) >= 0;
            Insn in = {.id = ids[n]};
            u64 word;
            int bad;
            in.opd[0] = 4;
            if (has_s2)
                in.opd[isa_find_operand(ids[n], O_vs2)] = 7;
            if (has_s1)
                in.opd[isa_find_operand(ids[n], O_vs1)] = 9;
            if (isa_find_operand(ids[n], O_vm) >= 0)
                in.opd[isa_find_operand(ids[n], O_vm)] = 1;
            assert_true(isa_encode(&in, &word, &bad));
            start();
            emit(I_regext, O_imm12, scalar ? 3 << 6 | 1 : 3 << 6 | 2 << 3 | 1, END);
            put(ids[n], word);
            fill(W, random_mask());
            memcpy(&copy, W, sizeof copy);
            assert_int_equal(run(W), FAULT_NONE);
            expect_nothing(W);
            start();
            emit(I_prefix, O_xd, 1, O_x1, scalar ? 0 : 2, O_x2, 3, O_pair, 1, O_abs, below(8),
                 O_neg, below(8), END);
            put(ids[n], word);
            memcpy(W, &copy, sizeof copy);
            run_and_compare(W);
        }
}

/* a prefix lives for one instruction; one after another replaces it */
static void prefixes_do_not_stay(void **state)
{
    (void)state;
    start();
    emit(I_prefix, O_xd, 7, O_pair, 1, O_neg, 7, END);
    emit(I_prefixi, O_xd, 5, O_neg, 2, END);
    emit(I_pre_m_128, O_xd, 6, END);
    emit(I_prefix, O_xd, 1, O_abs, 1, END);
    emit(I_vadd_vv, O_vd, 1, O_vs2, 2, O_vs1, 3, END);
    emit(I_vadd_vv, O_vd, 4, O_vs2, 5, O_vs1, 6, END);
    for (int k = 0; k < 20; k++) {
        fill(W, random_mask());
        expect_nothing(W);
        for (int i = 0; i < MAX_LANES; i++)
            if (active(i)) {
                const u32 b = W->v[3][i];
                want->v[33][i] = W->v[2][i] + (b >> 31 ? 0 - b : b);
                want->v[4][i] = W->v[5][i] + W->v[6][i];
            }
        run_and_compare(W);
    }
}

/* the prefix in the last word of a page; a 64-bit word over the border; both */
static void pages_do_not_matter(void **state)
{
    (void)state;
    const u64 add = encode(I_vadd64_vv, O_wd, 40, O_ws2, 50, O_ws1, 60, END);
    const u32 nop = 0x13;
    for (u32 before = 1; before < 4; before++) {
        start();
        u8 *code = rig.memory.base + CODE_LO;
        const u32 words[6] = {(u32)encode(I_prefix, O_xd, 1, O_x2, 2, O_pair, 0, O_neg, 2, END),
                              (u32)encode(I_vadd_vv, O_vd, 1, O_vs2, 2, O_vs1, 3, END),
                              (u32)encode(I_prefix, O_xd, 3, END),
                              (u32)add,
                              (u32)(add >> 32),
                              nop};
        for (u32 i = 0; i < PAGE_SIZE - 4 * before; i += 4)
            memcpy(code + i, &nop, 4);
        memcpy(code + PAGE_SIZE - 4 * before, words, sizeof words);
        fill(W, random_mask());
        expect_nothing(W);
        for (int i = 0; i < MAX_LANES; i++)
            if (active(i)) {
                want->v[33][i] = W->v[3][i] - W->v[66][i];
                want->v[40][i] =
                    (W->v[40][i] & 0xffff0000) | ((W->v[50][i] + W->v[60][i]) & 0xffff);
            }
        const Uop *u = code_at(rig.code, W, CODE_LO);
        for (u32 n = 0; u && u->pc != CODE_LO + PAGE_SIZE - 4 * before + 20 && n < 2000; n++)
            u = u->run(W, u);
        assert_false(rig.group.faulted);
        same_registers(W);
        code_forget(rig.code, CODE_LO, 2 * PAGE_SIZE);
        memset(code, 0, 2 * PAGE_SIZE);
    }
}

/* a signalling NaN in any operand of a lane that is off */
static void lanes_that_are_off_raise_nothing(void **state)
{
    (void)state;
    for (int id = 0; id < NINSN; id++) {
        const Effect e = (Effect)isa_insn[id].effect;
        const FormatInfo *f = isa_format_of((InsnId)id);
        Insn in = {.id = (InsnId)id};
        u64 word;
        int bad;
        if (!(isa_insn[id].sets & V2025) || (e != E_FALU && e != E_FMAC) ||
            isa_operand[f->opd[0]].kind != K_VREG)
            continue;
        for (int i = 0; i < f->nopd; i++)
            in.opd[i] = f->opd[i] == O_vm ? 1 : 1 + i;
        assert_true(isa_encode(&in, &word, &bad));
        for (u32 n = 1; n <= 3; n++) {
            start();
            put((InsnId)id, word);
            fill(W, 1);
            for (u32 k = 1; k <= 3; k++) {
                W->x[k] = 0x3f800000;
                for (int i = 0; i < MAX_LANES; i++)
                    W->v[k][i] = k == n && i ? 0x7f800001 : 0x3f800000;
            }
            assert_int_equal(run(W), FAULT_NONE);
            if (W->fflags & INVALID)
                fail_msg("flags %02x%s", W->fflags, program_text());
        }
    }
}

/* --- vector length ---------------------------------------------------------------------------- */

static void vector_types(void **state)
{
    (void)state;
    for (u32 type = 0; type < 1u << 11; type++) {
        const bool good = (type >> 3 & 7) == 2 && (type & 7) <= 1 && type < 256;
        const u32 avl = below(40);
        start();
        emit(I_vsetvli, O_rd, 5, O_rs1, 6, O_vtype11, type, END);
        fill(W, random_mask());
        W->x[6] = avl;
        expect_nothing(W);
        if (!good) {
            must_fault(FAULT_VTYPE);
            same_registers(W);
            continue;
        }
        want->x[5] = want->vl = avl < 32 ? avl : 32;
        want->vtype = type;
        want->exec = want->vl == 32 ? want->mask : want->mask & ((1u << want->vl) - 1);
        run_and_compare(W);
        warp_set_vl(W, 32, 2 << 3);
    }
}

/* --- what must fault -------------------------------------------------------------------------- */

static void odd_pairs_fault(void **state)
{
    (void)state;
    for (int id = 0; id < NINSN; id++) {
        const InsnInfo *info = &isa_insn[id];
        const FormatInfo *f = isa_format_of((InsnId)id);
        const Effect e = (Effect)info->effect;
        if (!(info->sets & V2025))
            continue;
        for (int i = 0; i < f->nopd; i++) {
            const OperandId o = (OperandId)f->opd[i];
            const bool is_pair = e == E_PAIR ? isa_operand[o].kind == K_XREG
                                 : e == E_WIDEN || e == E_WIDEN_MAC || e == E_FWIDEN
                                     ? o == O_vd || o == O_vacc
                                 : e == E_WIDEN_W                  ? isa_operand[o].kind == K_VREG
                                 : e == E_NARROW || e == E_FNARROW ? o == O_vs2
                                                                   : false;
            Insn in = {.id = (InsnId)id};
            u64 word;
            int bad;
            if (!is_pair)
                continue;
            for (int k = 0; k < f->nopd; k++)
                in.opd[k] =
                    f->opd[k] == O_vm ? 1
                    : isa_operand[f->opd[k]].kind == K_XREG || isa_operand[f->opd[k]].kind == K_VREG
                        ? 4
                        : 0;
            in.opd[i] = 5;
            assert_true(isa_encode(&in, &word, &bad));
            start();
            put((InsnId)id, word);
            fill(W, UINT32_MAX);
            expect_nothing(W);
            must_fault(FAULT_REGISTER);
            same_registers(W);
        }
    }
}

static void what_must_fault(void **state)
{
    (void)state;
    /* scalar registers from x64 on */
    static const struct {
        int xd, x1, x2;
    } beyond[] = {{2, 0, 0}, {0, 4, 0}, {0, 0, 7}};
    for (size_t i = 0; i < countof(beyond); i++) {
        start();
        emit(I_prefix, O_xd, beyond[i].xd, O_x1, beyond[i].x1, O_x2, beyond[i].x2, END);
        emit(I_add, O_rd, 1, O_rs1, 2, O_rs2, 3, END);
        fill(W, UINT32_MAX);
        expect_nothing(W);
        must_fault(FAULT_REGISTER);
        same_registers(W);
    }
    start();
    emit(I_prefix, O_x3, 2, END);
    emit(I_fmadd_s, O_rd, 1, O_rs1, 2, O_rs2, 3, O_rs3, 4, END);
    fill(W, UINT32_MAX);
    must_fault(FAULT_REGISTER);
    /* bits 12:7 of prefix and prefixi */
    for (u32 bit = 7; bit < 13; bit++)
        for (u32 k = 0; k < 2; k++) {
            start();
            put_word(1u << bit | (k ? 0x12 : 0x02));
            fill(W, UINT32_MAX);
            must_be_refused();
        }
    /* rounding modes 5 and 6, static and from frm */
    static const InsnId floats[] = {I_vfadd_vv, I_vfwcvt_x_f_v, I_vfncvt_f_f_w};
    for (u32 frm = 5; frm < 8; frm++)
        for (size_t i = 0; i < countof(floats); i++) {
            start();
            emit(I_prefix, O_pair, 1, END);
            emit(floats[i], O_vd, 4, O_vs2, 6, END);
            fill(W, UINT32_MAX);
            W->frm = (u8)frm;
            must_fault(FAULT_FRM);
        }
    /* what v2.02 has alone */
    static const u32 old[] = {0x0000500b, 0x0000700b};
    for (size_t i = 0; i < countof(old); i++) {
        start();
        put_word(old[i]);
        fill(W, UINT32_MAX);
        must_be_refused();
    }
}

static void no_row_is_left(void **state)
{
    (void)state;
    every_row_was_executed(BY_PAIR_TEST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_pairs),
        cmocka_unit_test(widening),
        cmocka_unit_test(narrowing),
        cmocka_unit_test(conversions_of_width),
        cmocka_unit_test(every_arithmetic_row_under_prefixes),
        cmocka_unit_test(estimates_under_prefixes),
        cmocka_unit_test(abs_and_neg_hold_for_all_arithmetic),
        cmocka_unit_test(modifiers_are_ignored_elsewhere),
        cmocka_unit_test(prefixes_do_not_stay),
        cmocka_unit_test(pages_do_not_matter),
        cmocka_unit_test(lanes_that_are_off_raise_nothing),
        cmocka_unit_test(vector_types),
        cmocka_unit_test(odd_pairs_fault),
        cmocka_unit_test(what_must_fault),
        cmocka_unit_test(no_row_is_left),
    };
    rig_open(V2025);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rig_close();
    return failed;
}
