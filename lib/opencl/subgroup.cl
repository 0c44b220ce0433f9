/* subgroup.cl -- what the lanes of a warp compute together: a sub-group is a warp.
 *
 * Values meet in local memory, where each work-item of the group has a word (workgroup.cl uses the
 * same words, between barriers of its own).  Other warps do not use the words of the warp, and
 * accesses of one warp happen in the order of the program.  __ventus_meet() stands before and
 * after, so that the compiler lets no lanes pass by on a path of their own, and moves nothing to where
 * other lanes are.  No work-item waits, so the functions do the same for the lanes that are
 * together at a call, whichever these are: a lane that is not there neither gives a value nor
 * counts.
 *
 * The lanes that are there have ranks, from 0 on in the order of their ids.  Values of consecutive
 * ranks lie in consecutive words, so that reductions and scans know nothing of gaps.
 */
#include "ventus.h"

#define CONV __attribute__((convergent, nomerge))

__attribute__((const)) __local void *__ventus_scratch32(void);
size_t OVL get_local_size(uint dim);
size_t OVL get_enqueued_local_size(uint dim);

static inline uint lanes(void) { return __ventus_csr(CSR_numt); }
static inline uint self(void) { return __ventus_lane(); }

/* --- where a work-item is ------------------------------------------------------------------------ */

uint FLAT get_max_sub_group_size(void) { return lanes(); }
uint FLAT get_num_sub_groups(void) { return __ventus_csr(CSR_numw); }
uint FLAT get_sub_group_id(void) { return __ventus_csr(CSR_wid); }
uint FLAT get_sub_group_local_id(void) { return self(); }

uint FLAT get_sub_group_size(void)
{
    uint items = get_local_size(0) * get_local_size(1) * get_local_size(2);
    uint left = items - __ventus_csr(CSR_tid);

    return left < lanes() ? left : lanes();
}

uint FLAT get_enqueued_num_sub_groups(void)
{
    uint items = get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2);

    return (items + lanes() - 1) / lanes();
}

void OVL CONV sub_group_barrier(cl_mem_fence_flags flags)
{
    __ventus_meet();
    __ventus_fence();
    __ventus_meet();
}
void OVL CONV sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope) { sub_group_barrier(flags); }

/* --- words -------------------------------------------------------------------------------------- */

/* the warp's words; accesses are atomic, since lanes meet in them */
static inline __local uint *words(void) { return (__local uint *)__ventus_scratch32() + __ventus_csr(CSR_tid); }
static inline uint word(__local uint *w) { return __atomic_load_n(w, __ATOMIC_RELAXED); }
static inline void set_word(__local uint *w, uint x) { __atomic_store_n(w, x, __ATOMIC_RELAXED); }

/* x goes to word `to`; what is in word `from`, both below the number of lanes */
CONV static uint OVL pass(uint x, uint to, uint from)
{
    __local uint *w = words();

    __ventus_meet();
    set_word(&w[to], x);
    __ventus_fence();
    x = word(&w[from]);
    __ventus_meet();
    return x;
}

CONV static ulong OVL pass(ulong x, uint to, uint from)
{
    uint low = pass((uint)x, to, from), high = pass((uint)(x >> 32), to, from);

    return (ulong)high << 32 | low;
}

/* the lanes of which p holds, among those that are here */
CONV static uint ballot(bool p)
{
    __local uint *w = words();
    uint mask;

    __ventus_meet();
    set_word(w, 0);
    __ventus_fence();
    __atomic_fetch_or(w, (uint)p << self(), __ATOMIC_RELAXED);
    __ventus_fence();
    mask = word(w);
    __ventus_meet();
    return mask;
}

static inline uint below(uint n) { return n < 32 ? (1u << n) - 1 : ~0u; } /* bits 0 .. n - 1 */
static inline uint count(uint mask) { return __builtin_popcount(mask); }
static inline uint lowest(uint mask) { return __builtin_ctz(mask); }
static inline uint inside(uint lane) { return lane & (lanes() - 1); } /* an id that may be none */

/* --- votes and ballots --------------------------------------------------------------------------- */

int OVL CONV sub_group_any(int predicate) { return ballot(predicate != 0) != 0; }
int OVL CONV sub_group_all(int predicate) { return ballot(predicate == 0) == 0; }
int OVL CONV sub_group_non_uniform_any(int predicate) { return ballot(predicate != 0) != 0; }
int OVL CONV sub_group_non_uniform_all(int predicate) { return ballot(predicate == 0) == 0; }
int OVL CONV sub_group_elect(void) { return lowest(ballot(true)) == self(); }

uint4 OVL CONV sub_group_ballot(int predicate) { return (uint4)(ballot(predicate != 0), 0, 0, 0); }

int FLAT sub_group_inverse_ballot(uint4 value) { return value.x >> self() & 1; }

int FLAT sub_group_ballot_bit_extract(uint4 value, uint index)
{
    uint k = index / 32 & 3;
    uint word = k == 0 ? value.x : k == 1 ? value.y : k == 2 ? value.z : value.w;

    return word >> (index & 31) & 1;
}

static inline uint of_the_group(uint4 value) { return value.x & below(lanes()); }

uint FLAT sub_group_ballot_bit_count(uint4 value) { return count(of_the_group(value)); }
uint FLAT sub_group_ballot_inclusive_scan(uint4 value) { return count(value.x & below(self() + 1)); }
uint FLAT sub_group_ballot_exclusive_scan(uint4 value) { return count(value.x & below(self())); }
uint FLAT sub_group_ballot_find_lsb(uint4 value) { return lowest(of_the_group(value)); }
uint FLAT sub_group_ballot_find_msb(uint4 value) { return 31 - __builtin_clz(of_the_group(value)); }

uint4 FLAT get_sub_group_eq_mask(void) { return (uint4)(1u << self(), 0, 0, 0); }
uint4 FLAT get_sub_group_ge_mask(void) { return (uint4)(below(lanes()) & ~below(self()), 0, 0, 0); }
uint4 FLAT get_sub_group_gt_mask(void) { return (uint4)(below(lanes()) & ~below(self() + 1), 0, 0, 0); }
uint4 FLAT get_sub_group_le_mask(void) { return (uint4)(below(self() + 1), 0, 0, 0); }
uint4 FLAT get_sub_group_lt_mask(void) { return (uint4)(below(self()), 0, 0, 0); }

/* --- values of other lanes ----------------------------------------------------------------------- */

/* B: what T is passed as, with the conversions */
#define MOVE(T, B, TO_BITS, FROM_BITS) \
    CONV static T OVL from(T x, uint lane) { return FROM_BITS(pass((B)TO_BITS(x), self(), inside(lane))); } \
    T OVL CONV sub_group_broadcast(T x, uint lane) { return from(x, lane); } \
    T OVL CONV sub_group_non_uniform_broadcast(T x, uint lane) { return from(x, lane); } \
    T OVL CONV sub_group_broadcast_first(T x) { return from(x, lowest(ballot(true))); } \
    T OVL CONV sub_group_shuffle(T x, uint lane) { return from(x, lane); } \
    T OVL CONV sub_group_shuffle_xor(T x, uint mask) { return from(x, self() ^ mask); } \
    T OVL CONV sub_group_shuffle_up(T x, uint delta) { return from(x, self() - delta); } \
    T OVL CONV sub_group_shuffle_down(T x, uint delta) { return from(x, self() + delta); } \
    T OVL CONV sub_group_rotate(T x, int delta) { return from(x, self() + (uint)delta); } \
    T OVL CONV sub_group_clustered_rotate(T x, int delta, uint size) \
    { \
        return from(x, (self() + (uint)delta & (size - 1)) | (self() & ~(size - 1))); \
    } \
    int OVL CONV sub_group_non_uniform_all_equal(T x) \
    { \
        return ballot(!(x == sub_group_broadcast_first(x))) == 0; \
    } \
    MOVE_VECTORS(T, sub_group_broadcast) MOVE_VECTORS(T, sub_group_non_uniform_broadcast)

#define MOVE_VECTORS(T, f) MOVE_PARTS(T, 2, f) MOVE_THREE(T, f) MOVE_PARTS(T, 4, f) MOVE_PARTS(T, 8, f) MOVE_PARTS(T, 16, f)
#define MOVE_PARTS(T, n, f) T##n OVL CONV f(T##n x, uint lane) { return (T##n)(f(x.lo, lane), f(x.hi, lane)); }
#define MOVE_THREE(T, f) T##3 OVL CONV f(T##3 x, uint lane) { return (T##3)(f(x.s01, lane), f(x.s2, lane)); }

MOVE(char, uint, , (char)) MOVE(uchar, uint, , (uchar)) MOVE(short, uint, , (short)) MOVE(ushort, uint, , (ushort))
MOVE(int, uint, , (int)) MOVE(uint, uint, , ) MOVE(long, ulong, , (long)) MOVE(ulong, ulong, , )
#define HALF_OF(x) as_half((ushort)(x))
MOVE(half, uint, as_ushort, HALF_OF) MOVE(float, uint, as_uint, as_float) MOVE(double, ulong, as_ulong, as_double)

/* --- reductions and scans ------------------------------------------------------------------------ */

/* Lanes that combine their values: n of them, of which this is number `rank`; `first` is the word
 * of rank 0, and `most`, one number for the warp, is no less than n of any. */
typedef struct { uint rank, n, first, most; } Team;

/* all of the sub-group, which are known */
static inline Team everybody(void)
{
    uint n = get_sub_group_size();

    return (Team){self(), n, 0, n};
}

CONV static Team present(void)
{
    uint here = ballot(true), n = count(here);

    return (Team){count(here & below(self())), n, 0, n};
}

/* those of the work-item's cluster */
CONV static Team cluster(uint size)
{
    uint most = size < lanes() ? size : lanes(), first = self() & ~(most - 1);
    uint here = ballot(true) >> first & below(most);

    return (Team){count(here & below(self() - first)), count(here), first, most};
}

#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((b) > (a) ? (b) : (a))
#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))

/* In round d every rank gains what the one d before it has: d values. */
#define COMBINE(T, B, TO_BITS, FROM_BITS, op, OP, NEUTRAL) \
    CONV static T OVL give_##op(T x, Team t, uint rank) \
    { \
        return FROM_BITS(pass((B)TO_BITS(x), t.first + t.rank, t.first + rank)); \
    } \
    CONV static T OVL sum_##op(T x, Team t) \
    { \
        for (uint d = 1; d < t.most; d *= 2) { \
            T before = give_##op(x, t, t.rank >= d ? t.rank - d : t.rank); \
            x = t.rank >= d ? (T)OP(before, x) : x; \
        } \
        return x; \
    } \
    CONV static T OVL reduce_##op(T x, Team t) { return give_##op(sum_##op(x, t), t, t.n - 1); } \
    CONV static T OVL exclusive_##op(T x, Team t) \
    { \
        T before = give_##op(sum_##op(x, t), t, t.rank ? t.rank - 1 : 0); \
        return t.rank ? before : (T)(NEUTRAL); \
    } \
    T OVL CONV sub_group_non_uniform_reduce_##op(T x) { return reduce_##op(x, present()); } \
    T OVL CONV sub_group_non_uniform_scan_inclusive_##op(T x) { return sum_##op(x, present()); } \
    T OVL CONV sub_group_non_uniform_scan_exclusive_##op(T x) { return exclusive_##op(x, present()); } \
    T OVL CONV sub_group_clustered_reduce_##op(T x, uint size) { return reduce_##op(x, cluster(size)); }

#define UNIFORM(T, op) \
    T OVL CONV sub_group_reduce_##op(T x) { return reduce_##op(x, everybody()); } \
    T OVL CONV sub_group_scan_inclusive_##op(T x) { return sum_##op(x, everybody()); } \
    T OVL CONV sub_group_scan_exclusive_##op(T x) { return exclusive_##op(x, everybody()); }

#define ARITHMETIC(T, B, TO_BITS, FROM_BITS, MIN, MAX, LEAST, MOST) \
    COMBINE(T, B, TO_BITS, FROM_BITS, add, ADD, 0) COMBINE(T, B, TO_BITS, FROM_BITS, mul, MUL, 1) \
    COMBINE(T, B, TO_BITS, FROM_BITS, min, MIN, MOST) COMBINE(T, B, TO_BITS, FROM_BITS, max, MAX, LEAST) \
    UNIFORM(T, add) UNIFORM(T, min) UNIFORM(T, max)
#define BITWISE(T, B) \
    COMBINE(T, B, , (T), and, AND, ~(T)0) COMBINE(T, B, , (T), or, OR, 0) COMBINE(T, B, , (T), xor, XOR, 0)
#define WHOLE(T, B, LEAST, MOST) ARITHMETIC(T, B, , (T), MIN, MAX, LEAST, MOST) BITWISE(T, B)

WHOLE(char, uint, CHAR_MIN, CHAR_MAX) WHOLE(uchar, uint, 0, UCHAR_MAX)
WHOLE(short, uint, SHRT_MIN, SHRT_MAX) WHOLE(ushort, uint, 0, USHRT_MAX)
WHOLE(int, uint, INT_MIN, INT_MAX) WHOLE(uint, uint, 0, UINT_MAX)
WHOLE(long, ulong, LONG_MIN, LONG_MAX) WHOLE(ulong, ulong, 0, ULONG_MAX)
static inline half half_min(half a, half b) { return (half)__builtin_fminf(a, b); }
static inline half half_max(half a, half b) { return (half)__builtin_fmaxf(a, b); }
ARITHMETIC(half, uint, as_ushort, HALF_OF, half_min, half_max, (half)-INFINITY, (half)INFINITY)
ARITHMETIC(float, uint, as_uint, as_float, __builtin_fminf, __builtin_fmaxf, -INFINITY, INFINITY)
ARITHMETIC(double, ulong, as_ulong, as_double, __builtin_fmin, __builtin_fmax, -INFINITY, INFINITY)

/* of predicates: of the lanes below, of those up to this one, and of all */
#define LOGICAL(op, OF) \
    static inline int op##_of(uint here, uint true_here) { return OF; } \
    int OVL CONV sub_group_non_uniform_reduce_logical_##op(int p) { return op##_of(ballot(true), ballot(p != 0)); } \
    int OVL CONV sub_group_non_uniform_scan_inclusive_logical_##op(int p) \
    { \
        uint before = below(self() + 1); \
        return op##_of(ballot(true) & before, ballot(p != 0) & before); \
    } \
    int OVL CONV sub_group_non_uniform_scan_exclusive_logical_##op(int p) \
    { \
        uint before = below(self()); \
        return op##_of(ballot(true) & before, ballot(p != 0) & before); \
    } \
    int OVL CONV sub_group_clustered_reduce_logical_##op(int p, uint size) \
    { \
        uint most = size < lanes() ? size : lanes(); \
        uint mine = below(most) << (self() & ~(most - 1)); \
        return op##_of(ballot(true) & mine, ballot(p != 0) & mine); \
    }
LOGICAL(and, here == true_here) LOGICAL(or, true_here != 0) LOGICAL(xor, count(true_here) & 1)
