/* workgroup.cl -- functions that the whole group computes together, for groups of at most 1024.
 *
 * Values meet in local memory.  Nothing depends on the width of a warp or on lanes running in step: each
 * work-item writes its value, and partners at distances of powers of 2 are combined with barriers
 * between.  A barrier at the end lets the next call use the memory.
 */
#include "ventus.h"

__attribute__((const)) __local void *__ventus_scratch1(void);
__attribute__((const)) __local void *__ventus_scratch32(void);
__attribute__((const)) __local void *__ventus_scratch64(void);

size_t OVL get_local_linear_id(void);
size_t OVL get_local_size(uint dim);

#define CONV __attribute__((convergent))

static inline uint work_items(void) { return get_local_size(0) * get_local_size(1) * get_local_size(2); }
CONV static void meet(void) { __ventus_barrier(CLK_LOCAL_MEM_FENCE); }

/* --- predicates ------------------------------------------------------------------------------ */

int OVL CONV work_group_any(int predicate)
{
    __local int *found = __ventus_scratch1();

    *found = 0;
    meet();
    if (predicate)
        *found = 1;
    meet();
    int result = *found;
    meet();
    return result;
}

int OVL CONV work_group_all(int predicate) { return !work_group_any(!predicate); }

/* --- broadcast ------------------------------------------------------------------------------- */

#define BROADCAST(T) \
    CONV static T OVL from(uint source, T x) \
    { \
        __local T *one = __ventus_scratch1(); \
        if (get_local_linear_id() == source) \
            *one = x; \
        meet(); \
        x = *one; \
        meet(); \
        return x; \
    } \
    T OVL CONV work_group_broadcast(T v, size_t x) { return from(x, v); } \
    T OVL CONV work_group_broadcast(T v, size_t x, size_t y) { return from(y * get_local_size(0) + x, v); } \
    T OVL CONV work_group_broadcast(T v, size_t x, size_t y, size_t z) \
    { \
        return from((z * get_local_size(1) + y) * get_local_size(0) + x, v); \
    }
BROADCAST(int) BROADCAST(uint) BROADCAST(long) BROADCAST(ulong) BROADCAST(half) BROADCAST(float) BROADCAST(double)

/* --- reduction and scans ------------------------------------------------------------------------ */

#define ADD(a, b) ((a) + (b))
#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((b) > (a) ? (b) : (a))
#define MUL(a, b) ((a) * (b))
#define AND(a, b) ((a) & (b))
#define OR(a, b)  ((a) | (b))
#define XOR(a, b) ((a) ^ (b))

/* The upper part of what is left is folded onto the lower, half at a time. */
#define REDUCE(T, name, OP, scratch) \
    T OVL CONV work_group_reduce_##name(T x) \
    { \
        __local T *all = scratch(); \
        uint id = get_local_linear_id(), left = work_items(); \
        all[id] = x; \
        meet(); \
        while (left > 1) { \
            uint lower = (left + 1) / 2; \
            if (id + lower < left) \
                all[id] = OP(all[id], all[id + lower]); \
            meet(); \
            left = lower; \
        } \
        x = all[0]; \
        meet(); \
        return x; \
    }

/* In round d every element gains what the one d before it has: d elements. */
#define SCAN(T, name, OP, NEUTRAL, scratch) \
    CONV static void OVL scan_##name(__local T *all, T x) \
    { \
        uint id = get_local_linear_id(), n = work_items(); \
        all[id] = x; \
        meet(); \
        for (uint d = 1; d < n; d *= 2) { \
            T before = id >= d ? all[id - d] : NEUTRAL; \
            meet(); \
            all[id] = x = OP(before, x); \
            meet(); \
        } \
    } \
    T OVL CONV work_group_scan_inclusive_##name(T x) \
    { \
        __local T *all = scratch(); \
        scan_##name(all, x); \
        x = all[get_local_linear_id()]; \
        meet(); \
        return x; \
    } \
    T OVL CONV work_group_scan_exclusive_##name(T x) \
    { \
        __local T *all = scratch(); \
        uint id = get_local_linear_id(); \
        scan_##name(all, x); \
        x = id ? all[id - 1] : NEUTRAL; \
        meet(); \
        return x; \
    }

#define COLLECTIVE(T, LEAST, MOST, scratch) \
    REDUCE(T, add, ADD, scratch) REDUCE(T, min, MIN, scratch) REDUCE(T, max, MAX, scratch) \
    SCAN(T, add, ADD, (T)0, scratch) SCAN(T, min, MIN, MOST, scratch) SCAN(T, max, MAX, LEAST, scratch) \
    REDUCE(T, mul, MUL, scratch) SCAN(T, mul, MUL, (T)1, scratch)
COLLECTIVE(int, INT_MIN, INT_MAX, __ventus_scratch32)
COLLECTIVE(uint, 0u, UINT_MAX, __ventus_scratch32)
COLLECTIVE(long, LONG_MIN, LONG_MAX, __ventus_scratch64)
COLLECTIVE(ulong, 0ul, ULONG_MAX, __ventus_scratch64)
COLLECTIVE(half, (half)-INFINITY, (half)INFINITY, __ventus_scratch32)
COLLECTIVE(float, -INFINITY, INFINITY, __ventus_scratch32)
COLLECTIVE(double, -(double)INFINITY, (double)INFINITY, __ventus_scratch64)

/* --- cl_khr_work_group_uniform_arithmetic; products are above ------------------------------------ */

#define BITWISE(T, scratch) \
    REDUCE(T, and, AND, scratch) REDUCE(T, or, OR, scratch) REDUCE(T, xor, XOR, scratch) \
    SCAN(T, and, AND, ~(T)0, scratch) SCAN(T, or, OR, (T)0, scratch) SCAN(T, xor, XOR, (T)0, scratch)
BITWISE(int, __ventus_scratch32)
BITWISE(uint, __ventus_scratch32)
BITWISE(long, __ventus_scratch64)
BITWISE(ulong, __ventus_scratch64)

#define LOGICAL(op) \
    int OVL CONV work_group_reduce_logical_##op(int x) { return work_group_reduce_##op((int)(x != 0)); } \
    int OVL CONV work_group_scan_inclusive_logical_##op(int x) { return work_group_scan_inclusive_##op((int)(x != 0)); } \
    int OVL CONV work_group_scan_exclusive_logical_##op(int x) { return work_group_scan_exclusive_##op((int)(x != 0)) & 1; }
LOGICAL(and) LOGICAL(or) LOGICAL(xor)
