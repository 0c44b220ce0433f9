/* fp.c -- floats by integers (fp.h), with one method for every format.  Each operation has three
 * steps:
 *
 *  1. unpack() turns a pattern into a Num: its kind, and for a finite number a
 *     64-bit significand whose top bit is always bit 62, subnormal or not.
 *  2. The operation makes an Exact, sign * sig * 2^exp with 128 bits of sig.
 *     Bits that do not fit are "jammed": if any of them was set, bit 0 of what
 *     is left is set.  The result is then not exact, but lies strictly between
 *     the same two neighbours and on the same side of their middle, as long as
 *     two bits or more will be dropped by rounding.  sig has far more bits than
 *     any significand, so that they always are.
 *  3. pack() rounds an Exact into a pattern and raises the flags.  It is the one
 *     place that knows precision, range, subnormals and rounding modes.
 *
 * A zero has sig 0 and an exponent below that of any number, so that a sum aligns
 * to the other operand and needs no case for it.
 *
 * Sums: a product has at most 2 * 53 bits, the highest at 125 or 124, so its low
 * 19 bits are 0; a lone significand is aligned to bit 125 and has 53.  Only
 * operands whose highest bits are at most one place apart can cancel more than
 * one bit, and shifting either of them by so little loses nothing: a jammed sum
 * keeps 124 bits or more, a cancelled one is exact.
 */
#include "isa/fp.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

/* The steps in line in every operation: a third less time with gcc 12, -O2. */
#define HOT static inline __attribute__((always_inline))

const FpFormat fp_f16 = {5, 10}, fp_bf16 = {8, 7}, fp_f32 = {8, 23}, fp_f64 = {11, 52};

/* In this order: every kind from QUIET on is a NaN. */
typedef enum { ZERO, FINITE, INFINITE, QUIET, SIGNALLING } Kind;

/* |value| = sig * 2^exp; bit 62 is the highest of sig where kind is FINITE, and
 * sig is 0 where it is another. */
typedef struct {
    u64 sig;
    int exp;
    bool neg;
    u8 kind;
} Num;

/* |value| = sig * 2^exp */
typedef struct {
    u128 sig;
    int exp;
    bool neg;
} Exact;

enum {
    SIG_TOP = 62,         /* highest bit of Num.sig */
    ZERO_EXP = -(1 << 20) /* below the exponent of any product, with room to add two */
};

static int bias_of(FpFormat f) { return (1 << (f.exp_bits - 1)) - 1; }

static int max_biased(FpFormat f) { return (1 << f.exp_bits) - 1; }

static u64 sign_bit(FpFormat f) { return (u64)1 << (f.exp_bits + f.frac_bits); }

static u64 frac_mask(FpFormat f) { return ((u64)1 << f.frac_bits) - 1; }

static u64 infinity(FpFormat f) { return (u64)max_biased(f) << f.frac_bits; }

static u64 signed_as(FpFormat f, bool neg, u64 magnitude)
{
    return neg ? magnitude | sign_bit(f) : magnitude;
}

static int count_leading_zeros(u128 v)
{
    u64 high = (u64)(v >> 64);
    return high ? __builtin_clzll(high) : 64 + __builtin_clzll((u64)v);
}

static u128 shift_right_jam(u128 v, int n)
{
    if (n >= 128)
        return v != 0;
    u128 lost = v & (((u128)1 << n) - 1);
    return v >> n | (lost != 0);
}

static u64 shift_right_jam64(u64 v, int n)
{
    if (n >= 64)
        return v != 0;
    u64 lost = v & (((u64)1 << n) - 1);
    return v >> n | (lost != 0);
}

/* --- unpacking --- */

HOT Num unpack(FpFormat f, u64 a)
{
    u64 frac = a & frac_mask(f);
    int biased = (int)(a >> f.frac_bits) & max_biased(f);
    Num n = {.neg = (a & sign_bit(f)) != 0, .exp = ZERO_EXP};
    if (biased == max_biased(f)) {
        bool quiet = frac >> (f.frac_bits - 1);
        n.kind = !frac ? INFINITE : quiet ? QUIET : SIGNALLING;
        return n;
    }
    if (!biased && !frac)
        return n;
    n.kind = FINITE;
    int up = SIG_TOP - f.frac_bits;
    if (biased)
        frac |= (u64)1 << f.frac_bits;
    else
        up = __builtin_clzll(frac) - (63 - SIG_TOP), biased = 1;
    n.sig = frac << up;
    n.exp = biased - bias_of(f) - f.frac_bits - up;
    return n;
}

static bool is_nan(Num n) { return n.kind >= QUIET; }

static u64 canonical_nan(FpFormat f) { return infinity(f) | (u64)1 << (f.frac_bits - 1); }

static u64 invalid(FpFormat f, u8 *flags)
{
    *flags |= FP_NV;
    return canonical_nan(f);
}

/* The result of an operation with a NaN among its operands. */
static u64 nan_result(FpFormat f, bool signalling, u8 *flags)
{
    return signalling ? invalid(f, flags) : canonical_nan(f);
}

static u64 nan_of_two(FpFormat f, Num a, Num b, u8 *flags)
{
    return nan_result(f, a.kind == SIGNALLING || b.kind == SIGNALLING, flags);
}

/* --- rounding and packing --- */

/* n and a rest: bit 1 of it is the half, bit 0 what lies below, jammed. */
static u64 round_off(u64 n, unsigned rest, bool neg, FpRound rm)
{
    switch (rm) {
    case FP_RNE: return n + (rest + (n & 1) > 2);
    case FP_RTZ: return n;
    case FP_RDN: return n + (neg && rest);
    case FP_RUP: return n + (!neg && rest);
    case FP_RMM: return n + (rest >= 2);
    case FP_ROD: return n | (rest != 0);
    }
    bug("rounding mode %d", (int)rm);
}

static u64 overflow(FpFormat f, bool neg, FpRound rm, u8 *flags)
{
    *flags |= FP_OF | FP_NX;
    bool to_infinity = rm == FP_RNE || rm == FP_RMM || rm == (neg ? FP_RDN : FP_RUP);
    return signed_as(f, neg, infinity(f) - !to_infinity);
}

/* Whether the number whose highest bit is bit 63 of sig, `below` places below the
 * least normal number, is still less than that when rounded to its precision. */
static bool is_tiny(FpFormat f, u64 sig, int below, bool neg, FpRound rm)
{
    u64 q = shift_right_jam64(sig, 61 - f.frac_bits);
    return below > 1 || !(round_off(q >> 2, q & 3, neg, rm) >> (f.frac_bits + 1));
}

/* A biased exponent of 0 or less makes the number subnormal: it drops more bits
 * than its precision alone asks for. */
HOT u64 pack(FpFormat f, Exact x, FpRound rm, u8 *flags)
{
    if (!x.sig)
        return signed_as(f, x.neg, 0);
    int lead = count_leading_zeros(x.sig);
    u64 sig = (u64)shift_right_jam(x.sig << lead, 64);
    int biased = x.exp + 127 - lead + bias_of(f);
    int quarter = 61 - f.frac_bits;          /* a bit before the point and two to drop */
    int below = biased < 1 ? 1 - biased : 0; /* the normal numbers, in bits */

    u64 q = shift_right_jam64(sig, quarter + below);
    unsigned rest = q & 3;
    /* The bit before the point adds the last 1 to the exponent, and so does a
     * carry out of the fraction. */
    u64 packed = round_off(q >> 2, rest, x.neg, rm);
    if (!below)
        packed += (u64)(biased - 1) << f.frac_bits;
    if (packed >= infinity(f))
        return overflow(f, x.neg, rm, flags);
    if (rest)
        *flags |= below && is_tiny(f, sig, below, x.neg, rm) ? FP_NX | FP_UF : FP_NX;
    return signed_as(f, x.neg, packed);
}

/* --- arithmetic --- */

static i128 signed_sig(Exact x) { return x.neg ? -(i128)x.sig : (i128)x.sig; }

/* Neither has a bit above 125. */
HOT Exact sum(Exact a, Exact b, FpRound rm)
{
    int exp = a.exp > b.exp ? a.exp : b.exp;
    a.sig = shift_right_jam(a.sig, exp - a.exp);
    b.sig = shift_right_jam(b.sig, exp - b.exp);
    i128 s = signed_sig(a) + signed_sig(b);
    bool neg = s < 0;
    if (!s)
        neg = a.neg == b.neg ? a.neg : rm == FP_RDN;
    return (Exact){.sig = s < 0 ? -(u128)s : (u128)s, .exp = exp, .neg = neg};
}

static Exact product(Num a, Num b)
{
    return (Exact){.sig = (u128)a.sig * b.sig, .exp = a.exp + b.exp, .neg = a.neg != b.neg};
}

/* n with its highest bit where that of a product is or may be */
static Exact as_term(Num n)
{
    return (Exact){.sig = (u128)n.sig << (SIG_TOP + 1), .exp = n.exp - (SIG_TOP + 1), .neg = n.neg};
}

static u64 add(FpFormat f, Num a, Num b, FpRound rm, u8 *flags)
{
    if (is_nan(a) || is_nan(b))
        return nan_of_two(f, a, b, flags);
    if (a.kind == INFINITE && b.kind == INFINITE && a.neg != b.neg)
        return invalid(f, flags);
    if (a.kind == INFINITE || b.kind == INFINITE)
        return signed_as(f, a.kind == INFINITE ? a.neg : b.neg, infinity(f));
    return pack(f, sum(as_term(a), as_term(b), rm), rm, flags);
}

u64 fp_add(FpFormat f, u64 a, u64 b, FpRound rm, u8 *flags)
{
    return add(f, unpack(f, a), unpack(f, b), rm, flags);
}

u64 fp_sub(FpFormat f, u64 a, u64 b, FpRound rm, u8 *flags)
{
    return add(f, unpack(f, a), unpack(f, b ^ sign_bit(f)), rm, flags);
}

static bool is_inf_times_zero(Num a, Num b)
{
    return (a.kind == INFINITE && b.kind == ZERO) || (a.kind == ZERO && b.kind == INFINITE);
}

u64 fp_mul(FpFormat f, u64 a, u64 b, FpRound rm, u8 *flags)
{
    Num x = unpack(f, a), y = unpack(f, b);
    if (is_nan(x) || is_nan(y))
        return nan_of_two(f, x, y, flags);
    if (is_inf_times_zero(x, y))
        return invalid(f, flags);
    if (x.kind == INFINITE || y.kind == INFINITE)
        return signed_as(f, x.neg != y.neg, infinity(f));
    return pack(f, product(x, y), rm, flags);
}

u64 fp_fma(FpFormat f, u64 a, u64 b, u64 c, FpRound rm, u8 *flags)
{
    Num x = unpack(f, a), y = unpack(f, b), z = unpack(f, c);
    if (is_nan(x) || is_nan(y) || is_nan(z)) {
        bool signalling = x.kind == SIGNALLING || y.kind == SIGNALLING || z.kind == SIGNALLING;
        return nan_result(f, signalling || is_inf_times_zero(x, y), flags);
    }
    if (is_inf_times_zero(x, y))
        return invalid(f, flags);
    bool neg = x.neg != y.neg;
    if (x.kind == INFINITE || y.kind == INFINITE) {
        if (z.kind == INFINITE && z.neg != neg)
            return invalid(f, flags);
        return signed_as(f, neg, infinity(f));
    }
    if (z.kind == INFINITE)
        return signed_as(f, z.neg, infinity(f));
    return pack(f, sum(product(x, y), as_term(z), rm), rm, flags);
}

u64 fp_div(FpFormat f, u64 a, u64 b, FpRound rm, u8 *flags)
{
    Num x = unpack(f, a), y = unpack(f, b);
    bool neg = x.neg != y.neg;
    if (is_nan(x) || is_nan(y))
        return nan_of_two(f, x, y, flags);
    if (x.kind == y.kind && x.kind != FINITE) /* 0 / 0 or inf / inf */
        return invalid(f, flags);
    if (x.kind == INFINITE)
        return signed_as(f, neg, infinity(f));
    if (x.kind == ZERO || y.kind == INFINITE)
        return signed_as(f, neg, 0);
    if (y.kind == ZERO) {
        *flags |= FP_DZ;
        return signed_as(f, neg, infinity(f));
    }
    /* The highest bits are level, so that of the quotient is SIG_TOP or one less. */
    u128 dividend = (u128)x.sig << SIG_TOP;
    u64 quotient = (u64)(dividend / y.sig);
    bool rest = (u128)quotient * y.sig != dividend;
    Exact q = {.sig = quotient | rest, .exp = x.exp - y.exp - SIG_TOP, .neg = neg};
    return pack(f, q, rm, flags);
}

/* The integer root of the highest 2 * bits bits of sig, followed by zeros at
 * need; *rest: whether the root is greater.  One bit a step, as on paper. */
static u64 root_of(u64 sig, int bits, bool *rest)
{
    u64 root = 0, left = 0; /* left = radicand so far - root^2 */
    for (int i = 0; i < bits; i++) {
        left = left << 2 | sig >> 62;
        sig <<= 2;
        u64 step = root << 2 | 1; /* (2 * root + 1)^2 - (2 * root)^2 */
        u64 bit = left >= step;
        left -= step & -bit;
        root = root << 1 | bit;
    }
    *rest = left || sig;
    return root;
}

u64 fp_sqrt(FpFormat f, u64 a, FpRound rm, u8 *flags)
{
    Num x = unpack(f, a);
    if (is_nan(x))
        return nan_result(f, x.kind == SIGNALLING, flags);
    if (x.kind == ZERO)
        return signed_as(f, x.neg, 0);
    if (x.neg)
        return invalid(f, flags);
    if (x.kind == INFINITE)
        return infinity(f);
    if (x.exp & 1) /* halve an even exponent */
        x.sig <<= 1, x.exp--;
    int bits = f.frac_bits + 3; /* the precision and two to drop */
    bool rest;
    u64 root = root_of(x.sig, bits, &rest);
    return pack(f, (Exact){.sig = root | rest, .exp = x.exp / 2 + 32 - bits}, rm, flags);
}

/* --- order --- */

/* Integers in the order of the numbers; not for NaNs. */
static i64 rank(FpFormat f, u64 a, bool zeros_differ)
{
    i64 magnitude = (i64)(a & (sign_bit(f) - 1));
    return a & sign_bit(f) ? -magnitude - zeros_differ : magnitude;
}

/* Whether a NaN decides the outcome; raises NV for it. */
static bool unordered(FpFormat f, u64 a, u64 b, bool quiet, u8 *flags)
{
    Num x = unpack(f, a), y = unpack(f, b);
    if (!is_nan(x) && !is_nan(y))
        return false;
    if (!quiet || x.kind == SIGNALLING || y.kind == SIGNALLING)
        *flags |= FP_NV;
    return true;
}

bool fp_eq(FpFormat f, u64 a, u64 b, u8 *flags)
{
    return !unordered(f, a, b, true, flags) && rank(f, a, false) == rank(f, b, false);
}

bool fp_lt(FpFormat f, u64 a, u64 b, u8 *flags)
{
    return !unordered(f, a, b, false, flags) && rank(f, a, false) < rank(f, b, false);
}

bool fp_le(FpFormat f, u64 a, u64 b, u8 *flags)
{
    return !unordered(f, a, b, false, flags) && rank(f, a, false) <= rank(f, b, false);
}

static u64 pick(FpFormat f, u64 a, u64 b, bool greater, u8 *flags)
{
    u64 all = sign_bit(f) | (sign_bit(f) - 1);
    bool first;
    if (unordered(f, a, b, true, flags)) {
        if (is_nan(unpack(f, a)) && is_nan(unpack(f, b)))
            return canonical_nan(f);
        first = is_nan(unpack(f, b));
    } else {
        first = (rank(f, a, true) > rank(f, b, true)) == greater;
    }
    return (first ? a : b) & all;
}

u64 fp_min(FpFormat f, u64 a, u64 b, u8 *flags) { return pick(f, a, b, false, flags); }

u64 fp_max(FpFormat f, u64 a, u64 b, u8 *flags) { return pick(f, a, b, true, flags); }

u32 fp_class(FpFormat f, u64 a)
{
    Num n = unpack(f, a);
    if (is_nan(n))
        return n.kind == SIGNALLING ? 1u << 8 : 1u << 9;
    int size; /* zero, subnormal, normal, infinite */
    if (n.kind == FINITE)
        size = a >> f.frac_bits & (u64)max_biased(f) ? 2 : 1;
    else
        size = n.kind == ZERO ? 0 : 3;
    return 1u << (n.neg ? 3 - size : 4 + size);
}

/* --- conversions --- */

u64 fp_to_int(FpFormat f, u64 a, int bits, bool is_signed, FpRound rm, u8 *flags)
{
    u64 ones = ~(u64)0 >> (64 - bits);
    u64 most = is_signed ? ones >> 1 : ones;     /* the greatest magnitude of a positive */
    u64 least = is_signed ? (ones >> 1) + 1 : 0; /* and of a negative result */
    Num n = unpack(f, a);
    if (is_nan(n))
        n.neg = false;
    u64 limit = n.neg ? least : most;
    if (n.kind >= INFINITE || n.exp + SIG_TOP >= 64) {
        *flags |= FP_NV;
        return limit;
    }
    u128 quarters = shift_right_jam((u128)n.sig << 64, 62 - n.exp); /* 4 * sig * 2^exp */
    unsigned rest = quarters & 3;
    u64 magnitude = round_off((u64)(quarters >> 2), rest, n.neg, rm);
    if (magnitude > limit) {
        *flags |= FP_NV;
        return limit;
    }
    if (rest)
        *flags |= FP_NX;
    return (n.neg ? -magnitude : magnitude) & ones;
}

u64 fp_from_int(FpFormat f, u64 value, bool is_signed, FpRound rm, u8 *flags)
{
    bool neg = is_signed && value >> 63;
    u64 magnitude = neg ? -value : value;
    return pack(f, (Exact){.sig = magnitude, .neg = neg}, rm, flags);
}

u64 fp_convert(FpFormat from, FpFormat to, u64 a, FpRound rm, u8 *flags)
{
    Num n = unpack(from, a);
    if (is_nan(n))
        return nan_result(to, n.kind == SIGNALLING, flags);
    if (n.kind == INFINITE)
        return signed_as(to, n.neg, infinity(to));
    return pack(to, (Exact){.sig = n.sig, .exp = n.exp, .neg = n.neg}, rm, flags);
}

/* --- estimates ---
 *
 * RVV 1.0, 13.9 and 13.10, give the significands as two tables of 128 rows.  A
 * row is the true result for the middle of its interval of operands, rounded to
 * seven bits after the point, and is computed as such here; the test compares
 * with the tables. */

/* The seven bits under the highest bit of n. */
static unsigned top_bits(Num n) { return (unsigned)(n.sig >> (SIG_TOP - 7)) & 127; }

u64 fp_rec7(FpFormat f, u64 a, FpRound rm, u8 *flags)
{
    Num n = unpack(f, a);
    if (is_nan(n))
        return nan_result(f, n.kind == SIGNALLING, flags);
    if (n.kind == INFINITE)
        return signed_as(f, n.neg, 0);
    if (n.kind == ZERO) {
        *flags |= FP_DZ;
        return signed_as(f, n.neg, infinity(f));
    }
    /* Operands from m/256 on with m odd, 257 to 511: 2^7 times 2 / (m/256). */
    unsigned m = 257 + 2 * top_bits(n);
    unsigned estimate = (65536 + m / 2) / m;
    int exp = -1 - (n.exp + SIG_TOP); /* of the highest bit of the estimate */
    Exact x = {.sig = estimate, .exp = exp - 7, .neg = n.neg};
    /* A subnormal result is the estimate with its last bits cut off, and counts
     * as exact; only too small an operand raises flags. */
    u8 ignored = 0;
    bool subnormal = exp + bias_of(f) < 1;
    return pack(f, x, subnormal ? FP_RTZ : rm, subnormal ? &ignored : flags);
}

u64 fp_rsqrt7(FpFormat f, u64 a, u8 *flags)
{
    Num n = unpack(f, a);
    if (is_nan(n))
        return nan_result(f, n.kind == SIGNALLING, flags);
    if (n.kind == ZERO) {
        *flags |= FP_DZ;
        return signed_as(f, n.neg, infinity(f));
    }
    if (n.neg)
        return invalid(f, flags);
    if (n.kind == INFINITE)
        return 0;
    /* 2^7 times 2 / sqrt(m/128) with m odd, 129 to 255, m doubled below an odd
     * exponent: the root of 2^25/m is twice that, and halving it rounds. */
    int exp = n.exp + SIG_TOP;
    unsigned m = 128 + (top_bits(n) | 1);
    u64 square = ((u64)1 << (exp & 1 ? 24 : 25)) / m;
    bool rest;
    u64 estimate = (root_of(square << 32, 16, &rest) + 1) / 2;
    int half = (exp - (exp & 1)) / 2;
    Exact x = {.sig = estimate, .exp = -1 - half - 7};
    return pack(f, x, FP_RNE, flags);
}
