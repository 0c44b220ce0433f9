/* lower_int.c -- integers of any width, element by element.
 *
 * Widths up to 32 are one piece whose upper bits are undefined; what depends on them
 * (comparisons, right shifts, divisions, conversions) extends first.  Wider ones are several pieces
 * with carries between; shifts of 64-bit numbers by variable amounts select between the
 * two cases below and above 32.  Division of more than 32 bits was made a call before (middle.c).
 */
#include "ll/lower.h"
#include <string.h>

enum { MAX_WORDS = 64 }; /* of one integer */

/* --- extension -------------------------------------------------------------------------- */

static Ref noted(Fn *n, Ref x, i32 extension)
{
    piece_known(n, x.val, (i8)extension);
    return x;
}

Ref int_zext(Fn *n, Ref x, u32 bits)
{
    const i8 known = piece_extension(n, x);
    if (bits == 32 || bits == 1 || (known > 0 && (u32)known <= bits))
        return x;
    if (x.kind == R_CON)
        return ref_con(x.val & ((1u << bits) - 1));
    const Ref r = bits <= 11
                      ? op2(n, IR_and, x, ref_con((1u << bits) - 1))
                      : op2(n, IR_srl, op2(n, IR_sll, x, ref_con(32 - bits)), ref_con(32 - bits));
    return noted(n, r, (i32)bits);
}

Ref int_sext(Fn *n, Ref x, u32 bits)
{
    const i8 known = piece_extension(n, x);
    if (bits == 32 || (known > 0 && (u32)known < bits) || (known < 0 && (u32)-known <= bits))
        return x;
    if (x.kind == R_CON)
        return ref_con((u32)sign_extend(x.val, (int)bits));
    if (bits == 1)
        return op2(n, IR_sub, ref_con(0), x);
    return noted(n, op2(n, IR_sra, op2(n, IR_sll, x, ref_con(32 - bits)), ref_con(32 - bits)),
                 -(i32)bits);
}

static u32 top_bits(u32 bits) { return bits % 32 ? bits % 32 : 32; }

Ref int_zext_top(Fn *n, Ref x, u32 bits)
{
    return bits > 1 && bits % 32 == 1 ? op2(n, IR_and, x, ref_con(1))
                                      : int_zext(n, x, top_bits(bits));
}

static Ref sext_top(Fn *n, Ref x, u32 bits)
{
    return int_sext(n, bits % 32 == 1 ? int_zext_top(n, x, bits) : x, top_bits(bits));
}

static u32 words_of(u32 bits) { return (bits + 31) / 32; }

/* a copy of x with its upper bits defined */
static void extend(Fn *n, u32 bits, bool is_signed, const Ref *x, Ref *out)
{
    const u32 k = words_of(bits) - 1;
    memcpy(out, x, k * sizeof *x);
    out[k] = is_signed ? sext_top(n, x[k], bits) : int_zext_top(n, x[k], bits);
}

/* --- more than one word ------------------------------------------------------------------- */

void wide_add(Fn *n, u32 k, const Ref *x, const Ref *y, Ref *out)
{
    Ref carry = ref_con(0);
    for (u32 i = 0; i < k; i++) {
        const Ref sum = op2(n, IR_add, x[i], y[i]);
        Ref over = op2(n, IR_ltu, sum, x[i]);
        out[i] = sum;
        if (i) {
            out[i] = op2(n, IR_add, sum, carry);
            over = i + 1 < k ? op2(n, IR_or, over, op2(n, IR_ltu, out[i], carry)) : over;
        }
        carry = over;
    }
}

void wide_sub(Fn *n, u32 k, const Ref *x, const Ref *y, Ref *out)
{
    Ref borrow = ref_con(0);
    for (u32 i = 0; i < k; i++) {
        const Ref xi = x[i], difference = op2(n, IR_sub, xi, y[i]);
        Ref under = op2(n, IR_ltu, xi, y[i]);
        out[i] = difference;
        if (i) {
            under = i + 1 < k ? op2(n, IR_or, under, op2(n, IR_ltu, difference, borrow)) : under;
            out[i] = op2(n, IR_sub, difference, borrow);
        }
        borrow = under;
    }
}

/* as on paper: rows are added, because a column at a time would need carries of its own */
static void wide_mul(Fn *n, u32 k, const Ref *x, const Ref *y, Ref *out)
{
    Ref sum[MAX_WORDS], row[MAX_WORDS], next[MAX_WORDS];
    for (u32 i = 0; i < k; i++)
        sum[i] = ref_con(0);
    for (u32 j = 0; j < k; j++)
        for (u32 i = 0; i + j < k; i++) {
            if (ref_is_con(x[i], 0) || ref_is_con(y[j], 0))
                continue;
            const u32 at = i + j;
            if (at + 1 == k) {
                sum[at] = op2(n, IR_add, sum[at], op2(n, IR_mul, x[i], y[j]));
                continue;
            }
            for (u32 w = 0; w < k; w++)
                row[w] = ref_con(0);
            row[at] = op2(n, IR_mul, x[i], y[j]);
            row[at + 1] = op2(n, IR_mulhu, x[i], y[j]);
            if (!i && !j) {
                memcpy(sum, row, k * sizeof *row);
            } else {
                wide_add(n, k - at, sum + at, row + at, next);
                memcpy(sum + at, next, (k - at) * sizeof *next);
            }
        }
    memcpy(out, sum, k * sizeof *sum);
}

static void shift_left_con(Fn *n, u32 k, const Ref *x, u32 by, Ref *out)
{
    const u32 words = by / 32, bits = by % 32;
    for (u32 i = k; i-- > 0;) {
        Ref r = i >= words ? x[i - words] : ref_con(0);
        if (bits && i >= words) {
            r = op2(n, IR_sll, r, ref_con(bits));
            if (i > words)
                r = op2(n, IR_or, r, op2(n, IR_srl, x[i - words - 1], ref_con(32 - bits)));
        }
        out[i] = r;
    }
}

static void shift_right_con(Fn *n, u32 k, bool is_signed, const Ref *x, u32 by, Ref *out)
{
    const u32 words = by / 32, bits = by % 32;
    const IrOp shift = is_signed ? IR_sra : IR_srl;
    for (u32 i = 0; i < k; i++) {
        const u32 from = i + words;
        Ref r;
        if (from >= k)
            r = is_signed ? op2(n, IR_sra, x[k - 1], ref_con(31)) : ref_con(0);
        else if (!bits)
            r = x[from];
        else if (from + 1 == k)
            r = op2(n, shift, x[from], ref_con(bits));
        else
            r = op2(n, IR_or, op2(n, IR_srl, x[from], ref_con(bits)),
                    op2(n, IR_sll, x[from + 1], ref_con(32 - bits)));
        out[i] = r;
    }
}

/* two words by a variable amount s below 64 */
static void shift_left_var(Fn *n, const Ref *x, Ref s, Ref *out)
{
    const Ref big = op2(n, IR_ne, op2(n, IR_and, s, ref_con(32)), ref_con(0));
    const Ref low = op2(n, IR_sll, x[0], s);
    const Ref spill =
        op2(n, IR_srl, op2(n, IR_srl, x[0], ref_con(1)), op2(n, IR_xor, s, ref_con(31)));
    const Ref high = op2(n, IR_or, op2(n, IR_sll, x[1], s), spill);
    out[0] = op3(n, IR_select, big, ref_con(0), low);
    out[1] = op3(n, IR_select, big, low, high);
}

static void shift_right_var(Fn *n, bool is_signed, const Ref *x, Ref s, Ref *out)
{
    const Ref big = op2(n, IR_ne, op2(n, IR_and, s, ref_con(32)), ref_con(0));
    const Ref high = op2(n, is_signed ? IR_sra : IR_srl, x[1], s);
    const Ref spill =
        op2(n, IR_sll, op2(n, IR_sll, x[1], ref_con(1)), op2(n, IR_xor, s, ref_con(31)));
    const Ref low = op2(n, IR_or, op2(n, IR_srl, x[0], s), spill);
    const Ref fill = is_signed ? op2(n, IR_sra, x[1], ref_con(31)) : ref_con(0);
    out[0] = op3(n, IR_select, big, high, low);
    out[1] = op3(n, IR_select, big, fill, high);
}

static void wide_shift(Fn *n, LLVMOpcode op, u32 bits, const Ref *x, const Ref *y, Ref *out)
{
    const u32 k = words_of(bits);
    const bool is_signed = op == LLVMAShr;
    Ref whole[MAX_WORDS];
    if (op == LLVMShl)
        memcpy(whole, x, k * sizeof *x);
    else
        extend(n, bits, is_signed, x, whole);
    if (y[0].kind == R_CON && op == LLVMShl)
        shift_left_con(n, k, whole, y[0].val, out);
    else if (y[0].kind == R_CON)
        shift_right_con(n, k, is_signed, whole, y[0].val, out);
    else if (k > 2)
        refuse(n->lo, "a shift of a number of more than 64 bits by a variable amount");
    else if (op == LLVMShl)
        shift_left_var(n, whole, y[0], out);
    else
        shift_right_var(n, is_signed, whole, y[0], out);
}

static IrOp simple_op(LLVMOpcode op)
{
    switch (op) {
    case LLVMAdd: return IR_add;
    case LLVMSub: return IR_sub;
    case LLVMMul: return IR_mul;
    case LLVMUDiv: return IR_divu;
    case LLVMSDiv: return IR_div;
    case LLVMURem: return IR_remu;
    case LLVMSRem: return IR_rem;
    case LLVMShl: return IR_sll;
    case LLVMLShr: return IR_srl;
    case LLVMAShr: return IR_sra;
    case LLVMAnd: return IR_and;
    case LLVMOr: return IR_or;
    case LLVMXor: return IR_xor;
    default: return IR_none;
    }
}

static void wide_binary(Fn *n, LLVMOpcode op, u32 bits, const Elem *e)
{
    const u32 k = words_of(bits);
    switch (op) {
    case LLVMAdd: wide_add(n, k, e->a[0], e->a[1], e->out); break;
    case LLVMSub: wide_sub(n, k, e->a[0], e->a[1], e->out); break;
    case LLVMMul: wide_mul(n, k, e->a[0], e->a[1], e->out); break;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr: wide_shift(n, op, bits, e->a[0], e->a[1], e->out); break;
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        for (u32 i = 0; i < k; i++)
            e->out[i] = op2(n, simple_op(op), e->a[0][i], e->a[1][i]);
        break;
    default: refuse(n->lo, "a division of numbers of %u bits", bits);
    }
}

/* how the operands of an operation on fewer than 32 bits are extended: 0 not at all */
static char extension(LLVMOpcode op, int operand)
{
    switch (op) {
    case LLVMUDiv:
    case LLVMURem: return 'u';
    case LLVMSDiv:
    case LLVMSRem: return 's';
    case LLVMLShr: return 'u';
    case LLVMAShr: return operand ? 'u' : 's';
    case LLVMShl: return operand ? 'u' : 0;
    default: return 0;
    }
}

void int_binary(Fn *n, LLVMOpcode op, const Elem *e)
{
    const u32 bits = int_bits(e->to);
    if (bits > 32 * MAX_WORDS) {
        refuse(n->lo, "a number of %u bits", bits);
        return;
    }
    if (bits > 32) {
        wide_binary(n, op, bits, e);
        return;
    }
    Ref x[2];
    for (int k = 0; k < 2; k++) {
        const char how = extension(op, k);
        x[k] = how == 's' ? int_sext(n, e->a[k][0], bits)
               : how      ? int_zext(n, e->a[k][0], bits)
                          : e->a[k][0];
    }
    e->out[0] = op2(n, simple_op(op), x[0], x[1]);
    if (bits == 1 && (op == LLVMAdd || op == LLVMSub || op == LLVMShl))
        e->out[0] = op2(n, IR_and, e->out[0], ref_con(1));
    if (bits == 1 && (op == LLVMAShr || op == LLVMSDiv || op == LLVMSRem))
        e->out[0] = op2(n, IR_and, e->out[0], ref_con(1));
}

/* --- comparisons ---------------------------------------------------------------------- */

static Ref wide_equal(Fn *n, u32 k, const Ref *x, const Ref *y)
{
    Ref any = ref_none();
    for (u32 i = 0; i < k; i++) {
        const Ref d = ref_is_con(y[i], 0) ? x[i] : op2(n, IR_xor, x[i], y[i]);
        any = i ? op2(n, IR_or, any, d) : d;
    }
    return op2(n, IR_eq, any, ref_con(0));
}

Ref int_less(Fn *n, u32 bits, bool is_signed, const Ref *x, const Ref *y)
{
    const u32 k = words_of(bits);
    Ref a[MAX_WORDS], b[MAX_WORDS];
    extend(n, bits, is_signed, x, a);
    extend(n, bits, is_signed, y, b);
    Ref less = op2(n, k > 1 || !is_signed ? IR_ltu : IR_lt, a[0], b[0]);
    for (u32 i = 1; i < k; i++) {
        const Ref here = op2(n, i + 1 == k && is_signed ? IR_lt : IR_ltu, a[i], b[i]);
        less = op3(n, IR_select, op2(n, IR_eq, a[i], b[i]), less, here);
    }
    return less;
}

static Ref equal(Fn *n, u32 bits, const Ref *x, const Ref *y)
{
    Ref a[MAX_WORDS], b[MAX_WORDS];
    extend(n, bits, false, x, a);
    extend(n, bits, false, y, b);
    return bits <= 32 ? op2(n, IR_eq, a[0], b[0]) : wide_equal(n, words_of(bits), a, b);
}

static Ref negated(Fn *n, Ref c) { return op2(n, IR_xor, c, ref_con(1)); }

/* one word; the machine lacks the conditions that are others with the operands swapped */
static Ref compare_word(Fn *n, LLVMIntPredicate p, Ref x, Ref y)
{
    switch (p) {
    case LLVMIntEQ: return op2(n, IR_eq, x, y);
    case LLVMIntNE: return op2(n, IR_ne, x, y);
    case LLVMIntUGT: return op2(n, IR_ltu, y, x);
    case LLVMIntUGE: return op2(n, IR_geu, x, y);
    case LLVMIntULT: return op2(n, IR_ltu, x, y);
    case LLVMIntULE: return op2(n, IR_geu, y, x);
    case LLVMIntSGT: return op2(n, IR_lt, y, x);
    case LLVMIntSGE: return op2(n, IR_ge, x, y);
    case LLVMIntSLT: return op2(n, IR_lt, x, y);
    case LLVMIntSLE: return op2(n, IR_ge, y, x);
    }
    return ref_con(0);
}

static Ref compare_wide(Fn *n, LLVMIntPredicate p, u32 bits, const Ref *x, const Ref *y)
{
    switch (p) {
    case LLVMIntEQ: return equal(n, bits, x, y);
    case LLVMIntNE: return negated(n, equal(n, bits, x, y));
    case LLVMIntUGT: return int_less(n, bits, false, y, x);
    case LLVMIntUGE: return negated(n, int_less(n, bits, false, x, y));
    case LLVMIntULT: return int_less(n, bits, false, x, y);
    case LLVMIntULE: return negated(n, int_less(n, bits, false, y, x));
    case LLVMIntSGT: return int_less(n, bits, true, y, x);
    case LLVMIntSGE: return negated(n, int_less(n, bits, true, x, y));
    case LLVMIntSLT: return int_less(n, bits, true, x, y);
    case LLVMIntSLE: return negated(n, int_less(n, bits, true, y, x));
    }
    return ref_con(0);
}

void int_compare(Fn *n, LLVMIntPredicate p, const Elem *e)
{
    const u32 bits = int_bits(e->from);
    if (bits > 32 * MAX_WORDS) {
        refuse(n->lo, "a number of %u bits", bits);
    } else if (bits > 32) {
        e->out[0] = compare_wide(n, p, bits, e->a[0], e->a[1]);
    } else {
        const bool is_signed = p >= LLVMIntSGT;
        Ref x[2];
        for (int k = 0; k < 2; k++)
            x[k] = is_signed ? int_sext(n, e->a[k][0], bits) : int_zext(n, e->a[k][0], bits);
        e->out[0] = compare_word(n, p, x[0], x[1]);
    }
}

/* --- conversions ---------------------------------------------------------------------- */

void int_cast(Fn *n, LLVMOpcode op, const Elem *e)
{
    const u32 from = int_bits(e->from), to = int_bits(e->to);
    const u32 nfrom = words_of(from), nto = words_of(to);
    const bool is_signed = op == LLVMSExt;
    Ref whole[MAX_WORDS];
    if (from > 32 * MAX_WORDS || to > 32 * MAX_WORDS) {
        refuse(n->lo, "a number of %u bits", from > to ? from : to);
        return;
    }
    if (to > from)
        extend(n, from, is_signed, e->a[0], whole);
    else
        memcpy(whole, e->a[0], nfrom * sizeof *whole);
    const Ref fill =
        is_signed && nto > nfrom ? op2(n, IR_sra, whole[nfrom - 1], ref_con(31)) : ref_con(0);
    for (u32 k = 0; k < nto; k++)
        e->out[k] = k < nfrom ? whole[k] : fill;
    if (to == 1)
        e->out[0] = op2(n, IR_and, e->out[0], ref_con(1));
}

/* --- intrinsics ----------------------------------------------------------------------- */

static void pick(Fn *n, u32 k, Ref c, const Ref *x, const Ref *y, Ref *out)
{
    for (u32 i = 0; i < k; i++)
        out[i] = op3(n, IR_select, c, x[i], y[i]);
}

static void min_max(Fn *n, const char *name, const Elem *e)
{
    static const IrOp word[2][2] = {{IR_minu, IR_maxu}, {IR_min, IR_max}};
    const u32 bits = int_bits(e->to);
    const bool is_signed = name[0] == 's', is_max = !strncmp(name + 1, "max", 3);
    Ref x[2][MAX_WORDS];
    if (bits <= 32) {
        for (int k = 0; k < 2; k++)
            extend(n, bits, is_signed, e->a[k], x[k]);
        e->out[0] = op2(n, word[is_signed][is_max], x[0][0], x[1][0]);
        if (bits == 1)
            e->out[0] = op2(n, IR_and, e->out[0], ref_con(1));
        return;
    }
    const Ref c = int_less(n, bits, is_signed, e->a[is_max], e->a[!is_max]);
    pick(n, words_of(bits), c, e->a[0], e->a[1], e->out);
}

static void absolute(Fn *n, const Elem *e)
{
    const u32 bits = int_bits(e->to), k = words_of(bits);
    Ref x[MAX_WORDS], zero[MAX_WORDS] = {0}, minus[MAX_WORDS];
    extend(n, bits, true, e->a[0], x);
    for (u32 i = 0; i < k; i++)
        zero[i] = ref_con(0);
    wide_sub(n, k, zero, x, minus);
    if (k == 1)
        e->out[0] = op2(n, IR_max, x[0], minus[0]);
    else
        pick(n, k, op2(n, IR_lt, x[k - 1], ref_con(0)), minus, x, e->out);
}

/* the number of bits set, by halving */
static Ref count_ones(Fn *n, Ref x)
{
    const Ref pairs =
        op2(n, IR_sub, x, op2(n, IR_and, op2(n, IR_srl, x, ref_con(1)), ref_con(0x55555555)));
    const Ref fours = op2(n, IR_add, op2(n, IR_and, pairs, ref_con(0x33333333)),
                          op2(n, IR_and, op2(n, IR_srl, pairs, ref_con(2)), ref_con(0x33333333)));
    const Ref bytes = op2(n, IR_and, op2(n, IR_add, fours, op2(n, IR_srl, fours, ref_con(4))),
                          ref_con(0x0f0f0f0f));
    return op2(n, IR_srl, op2(n, IR_mul, bytes, ref_con(0x01010101)), ref_con(24));
}

/* zeros above the highest bit; 32 of 0: the exponent of the number as a float tells, once
 * what could round it up is masked off */
static Ref leading_zeros(Fn *n, Ref x)
{
    const Ref y = op2(n, IR_and, x, op2(n, IR_xor, op2(n, IR_srl, x, ref_con(1)), ref_con(~0u)));
    const Ref exponent = op2(n, IR_srl, op1(n, IR_utof, y), ref_con(23));
    return op2(n, IR_minu, op2(n, IR_sub, ref_con(127 + 31), exponent), ref_con(32));
}

/* ones below the lowest bit that is set are as many as zeros there */
static Ref trailing_zeros(Fn *n, Ref x)
{
    const Ref below =
        op2(n, IR_and, op2(n, IR_xor, x, ref_con(~0u)), op2(n, IR_add, x, ref_con(~0u)));
    return op2(n, IR_sub, ref_con(32), leading_zeros(n, below));
}

static void count(Fn *n, const char *name, const Elem *e)
{
    const u32 bits = int_bits(e->to), k = words_of(bits);
    Ref x[MAX_WORDS], sum = ref_con(0);
    extend(n, bits, false, e->a[0], x);
    if (!strncmp(name, "ctpop", 5)) {
        for (u32 i = 0; i < k; i++)
            sum = i ? op2(n, IR_add, sum, count_ones(n, x[i])) : count_ones(n, x[0]);
    } else if (!strncmp(name, "ctlz", 4)) {
        if (k == 1)
            sum = add_con(n, leading_zeros(n, x[0]), (i32)bits - 32);
        else
            for (u32 i = 0; i < k;
                 i++) { /* the highest word that is not 0 decides, as the last one */
                const Ref here =
                    add_con(n, leading_zeros(n, x[i]), (i32)(32 * (k - 1 - i) + bits - 32 * k));
                sum = i ? op3(n, IR_select, op2(n, IR_eq, x[i], ref_con(0)), sum, here) : here;
            }
    } else {
        for (u32 i = k; i-- > 0;) {
            const Ref here = add_con(n, trailing_zeros(n, x[i]), (i32)(32 * i));
            sum = i + 1 < k ? op3(n, IR_select, op2(n, IR_eq, x[i], ref_con(0)), sum, here) : here;
        }
        if (bits % 32)
            sum = op2(n, IR_minu, sum, ref_con(bits));
    }
    e->out[0] = sum;
    for (u32 i = 1; i < k; i++)
        e->out[i] = ref_con(0);
}

static Ref swap_halves(Fn *n, Ref x, u32 by, u32 mask)
{
    const Ref high = op2(n, IR_and, op2(n, IR_srl, x, ref_con(by)), ref_con(mask));
    return op2(n, IR_or, high, op2(n, IR_sll, op2(n, IR_and, x, ref_con(mask)), ref_con(by)));
}

static Ref swap_bytes(Fn *n, Ref x)
{
    const Ref y = swap_halves(n, x, 8, 0x00ff00ff);
    return op2(n, IR_or, op2(n, IR_srl, y, ref_con(16)), op2(n, IR_sll, y, ref_con(16)));
}

static Ref swap_bits(Fn *n, Ref x)
{
    x = swap_halves(n, x, 1, 0x55555555);
    x = swap_halves(n, x, 2, 0x33333333);
    return swap_bytes(n, swap_halves(n, x, 4, 0x0f0f0f0f));
}

static void reversed(Fn *n, const char *name, const Elem *e)
{
    const u32 bits = int_bits(e->to), k = words_of(bits);
    Ref x[MAX_WORDS];
    for (u32 i = 0; i < k; i++)
        x[k - 1 - i] = name[1] == 's' ? swap_bytes(n, e->a[0][i]) : swap_bits(n, e->a[0][i]);
    shift_right_con(n, k, false, x, 32 * k - bits, e->out);
}

/* fshl: the upper half of (x:y) << s; fshr: the lower half of (x:y) >> s; s modulo the width */
static void funnel(Fn *n, bool is_left, const Elem *e)
{
    const u32 bits = int_bits(e->to), k = words_of(bits);
    const LLVMOpcode first = is_left ? LLVMShl : LLVMLShr, second = is_left ? LLVMLShr : LLVMShl;
    const Ref *x = is_left ? e->a[0] : e->a[1], *y = is_left ? e->a[1] : e->a[0], s = e->a[2][0];
    Ref by[MAX_WORDS], rest[MAX_WORDS], a[MAX_WORDS], b[MAX_WORDS], half[MAX_WORDS];
    const Ref one[MAX_WORDS] = {ref_con(1)};
    if (!is_pow2(bits)) {
        refuse(n->lo, "a rotation of %u bits", bits);
        return;
    }
    by[0] = s.kind == R_CON ? ref_con(s.val & (bits - 1)) : op2(n, IR_and, s, ref_con(bits - 1));
    rest[0] = by[0].kind == R_CON ? ref_con(by[0].val ^ (bits - 1))
                                  : op2(n, IR_xor, by[0], ref_con(bits - 1));
    for (u32 i = 1; i < k; i++)
        by[i] = rest[i] = ref_con(0);
    int_binary(n, first, &(Elem){e->to, e->to, {x, by}, a});
    int_binary(n, second, &(Elem){e->to, e->to, {y, one}, half});
    int_binary(n, second, &(Elem){e->to, e->to, {half, rest}, b});
    int_binary(n, LLVMOr, &(Elem){e->to, e->to, {a, b}, e->out});
}

/* add, subtract or shift with saturation: the exact result in the next wider words, then limited */
static void saturated(Fn *n, bool is_signed, LLVMOpcode op, const Elem *e)
{
    const u32 bits = int_bits(e->to), k = words_of(bits);
    Ref x[MAX_WORDS], y[MAX_WORDS], r[MAX_WORDS], limit[MAX_WORDS];
    extend(n, bits, is_signed, e->a[0], x);
    extend(n, bits, is_signed, e->a[1], y);
    if (op != LLVMAdd && op != LLVMSub) {
        refuse(n->lo, "a saturating shift or product");
        return;
    }
    (op == LLVMAdd ? wide_add : wide_sub)(n, k, x, y, r);
    Ref over;
    if (!is_signed) {
        Ref top[MAX_WORDS];
        extend(n, bits, false, r, top);
        over = op == LLVMAdd ? int_less(n, bits, false, top, x) : int_less(n, bits, false, x, y);
        for (u32 i = 0; i < k; i++)
            limit[i] = ref_con(op == LLVMAdd ? ~0u : 0);
    } else { /* signs tell: of operands (add alike, sub unlike) and result */
        const u32 t = k - 1;
        const Ref a = op2(n, IR_xor, x[t], r[t]);
        const Ref b = op == LLVMAdd ? op2(n, IR_xor, y[t], r[t]) : op2(n, IR_xor, x[t], y[t]);
        const Ref both = op2(n, IR_and, a, b), sign = op2(n, IR_sra, x[t], ref_con(31));
        const u32 top = top_bits(bits);
        over = op2(n, IR_ne, op2(n, IR_and, op2(n, IR_srl, both, ref_con(top - 1)), ref_con(1)),
                   ref_con(0));
        for (u32 i = 0; i < k; i++)
            limit[i] = op2(n, IR_xor, sign, ref_con(i < t ? ~0u : ~0u >> 1 >> (32 - top)));
    }
    pick(n, k, over, limit, r, e->out);
}

/* {result, overflow} */
static void with_overflow(Fn *n, bool is_signed, LLVMOpcode op, const Elem *e)
{
    const u32 bits = int_bits(e->from), k = words_of(bits);
    Ref x[MAX_WORDS], y[MAX_WORDS], r[MAX_WORDS];
    extend(n, bits, is_signed, e->a[0], x);
    extend(n, bits, is_signed, e->a[1], y);
    Ref over;
    if (op == LLVMMul) {
        if (bits != 32) {
            refuse(n->lo, "an overflow test of a product of %u bits", bits);
            return;
        }
        r[0] = op2(n, IR_mul, x[0], y[0]);
        const Ref high = op2(n, is_signed ? IR_mulh : IR_mulhu, x[0], y[0]);
        over = op2(n, IR_ne, high, is_signed ? op2(n, IR_sra, r[0], ref_con(31)) : ref_con(0));
    } else {
        (op == LLVMAdd ? wide_add : wide_sub)(n, k, x, y, r);
        if (!is_signed) {
            over = op == LLVMAdd ? int_less(n, bits, false, r, x) : int_less(n, bits, false, x, y);
        } else {
            const u32 t = k - 1;
            const Ref a = op2(n, IR_xor, x[t], r[t]);
            const Ref b = op == LLVMAdd ? op2(n, IR_xor, y[t], r[t]) : op2(n, IR_xor, x[t], y[t]);
            over = op2(n, IR_and, op2(n, IR_srl, op2(n, IR_and, a, b), ref_con(top_bits(bits) - 1)),
                       ref_con(1));
        }
    }
    memcpy(e->out, r, k * sizeof *r);
    e->out[k] = over;
}

static LLVMOpcode named_op(const char *name)
{
    return !strncmp(name, "add", 3)   ? LLVMAdd
           : !strncmp(name, "sub", 3) ? LLVMSub
           : !strncmp(name, "mul", 3) ? LLVMMul
                                      : LLVMShl;
}

bool int_intrinsic(Fn *n, const char *name, const Elem *e)
{
    if (strstr(name, ".with.overflow"))
        with_overflow(n, name[0] == 's', named_op(name + 1), e);
    else if (strstr(name, ".sat.") && !begins(name, "fpto"))
        saturated(n, name[0] == 's', named_op(name + 1), e);
    else if (begins(name, "smin") || begins(name, "smax") || begins(name, "umin") ||
             begins(name, "umax"))
        min_max(n, name, e);
    else if (begins(name, "abs"))
        absolute(n, e);
    else if (begins(name, "ctpop") || begins(name, "ctlz") || begins(name, "cttz"))
        count(n, name, e);
    else if (begins(name, "bswap") || begins(name, "bitreverse"))
        reversed(n, name, e);
    else if (begins(name, "fshl") || begins(name, "fshr"))
        funnel(n, name[3] == 'l', e);
    else
        return false;
    return true;
}
