/* atomic.cl -- atomics of OpenCL 1.x (no order) and of C11 (an order, and fences for it), on 32 and 64 bits.
 *
 * The machine's atomics order nothing but themselves; an order other than relaxed is a
 * fence before and after.  Scopes narrower than the device gain nothing.  The lowering makes atomics on 64 bits
 * of a lock (src/ll/lower_atomic.c).  Floats are computed and exchanged, until nobody came in between.
 */
#include "ventus.h"
#pragma clang diagnostic ignored "-Watomic-alignment"   /* clang does not know what the machine has */

#define EACH_SHARED(M, ...) OTHER_SPACES(M, __VA_ARGS__)

/* --- OpenCL 1.x: atomic_, and the names of the extensions atom_ -------------------------------- */

#define OLD2(S, T, prefix, name, fetch) \
    T FLAT prefix##_##name(volatile S T *p, T x) { return __atomic_fetch_##fetch(p, x, __ATOMIC_RELAXED); }
#define OLD1(S, T, prefix, name, fetch) \
    T FLAT prefix##_##name(volatile S T *p) { return __atomic_fetch_##fetch(p, (T)1, __ATOMIC_RELAXED); }
#define OLD_XCHG(S, T, prefix) \
    T FLAT prefix##_xchg(volatile S T *p, T x) { return __atomic_exchange_n(p, x, __ATOMIC_RELAXED); }
#define OLD_CMPXCHG(S, T, prefix) \
    T FLAT prefix##_cmpxchg(volatile S T *p, T expected, T x) \
    { \
        __atomic_compare_exchange_n(p, &expected, x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return expected; \
    }
#define OLD(S, T, prefix) \
    OLD2(S, T, prefix, add, add) OLD2(S, T, prefix, sub, sub) OLD2(S, T, prefix, min, min) \
    OLD2(S, T, prefix, max, max) OLD2(S, T, prefix, and, and) OLD2(S, T, prefix, or, or) \
    OLD2(S, T, prefix, xor, xor) OLD1(S, T, prefix, inc, add) OLD1(S, T, prefix, dec, sub) \
    OLD_XCHG(S, T, prefix) OLD_CMPXCHG(S, T, prefix)
EACH_SHARED(OLD, int, atomic) EACH_SHARED(OLD, int, atom) EACH_SHARED(OLD, uint, atomic) EACH_SHARED(OLD, uint, atom)
EACH_SHARED(OLD, long, atom) EACH_SHARED(OLD, ulong, atom)

#define OLD_FLOAT(S, T) \
    float FLAT atomic_xchg(volatile S float *p, float x) \
    { \
        return as_float(__atomic_exchange_n((volatile S uint *)p, as_uint(x), __ATOMIC_RELAXED)); \
    }
EACH_SHARED(OLD_FLOAT, float)

/* --- C11 ---------------------------------------------------------------------------------- */

static inline void order_fence(memory_order order)
{
    if (order != memory_order_relaxed)
        __ventus_fence();
}

/* name(..), name_explicit(.., order) and name_explicit(.., order, scope) from one body; R is what the function
 * answers, ARGS what follows the object with its comma, USE the same without types */
#define FORMS(S, A, R, name, ARGS, USE) \
    R FLAT name##_explicit(volatile S A *object UNWRAP ARGS, memory_order order, memory_scope scope) \
    { \
        return name##_explicit(object UNWRAP USE, order); \
    } \
    R FLAT name(volatile S A *object UNWRAP ARGS) { return name##_explicit(object UNWRAP USE, memory_order_seq_cst); }
#define UNWRAP(...) __VA_ARGS__
#define RELAXED memory_order_relaxed, memory_scope_device

#define LOAD(S, A, T) \
    T FLAT atomic_load_explicit(volatile S A *object, memory_order order) \
    { \
        T x = __opencl_atomic_load(object, RELAXED); \
        order_fence(order); \
        return x; \
    } \
    T FLAT atomic_load_explicit(volatile S A *object, memory_order order, memory_scope scope) \
    { \
        return atomic_load_explicit(object, order); \
    } \
    T FLAT atomic_load(volatile S A *object) { return atomic_load_explicit(object, memory_order_seq_cst); }

#define STORE(S, A, T) \
    void FLAT atomic_init(volatile S A *object, T x) { __opencl_atomic_store(object, x, RELAXED); } \
    void FLAT atomic_store_explicit(volatile S A *object, T x, memory_order order) \
    { \
        order_fence(order); \
        __opencl_atomic_store(object, x, RELAXED); \
        if (order == memory_order_seq_cst) \
            __ventus_fence(); \
    } \
    FORMS(S, A, void, atomic_store, (, T x), (, x))

#define MODIFY_BY(S, A, T, X, name, operation) \
    T FLAT name##_explicit(volatile S A *object, X x, memory_order order) \
    { \
        order_fence(order); \
        T old = operation(object, x, RELAXED); \
        order_fence(order); \
        return old; \
    } \
    FORMS(S, A, T, name, (, X x), (, x))
#define MODIFY(S, A, T, name, operation) MODIFY_BY(S, A, T, T, name, operation)

#define COMPARE_SPACE(E, S, A, T, name) \
    bool FLAT name##_explicit(volatile S A *object, E T *expected, T x, memory_order success, memory_order failure) \
    { \
        T old = *expected; \
        order_fence(success); \
        bool equal = __opencl_atomic_compare_exchange_strong(object, &old, x, memory_order_relaxed, RELAXED); \
        order_fence(success); \
        *expected = old; \
        return equal; \
    } \
    bool FLAT name##_explicit(volatile S A *object, E T *expected, T x, memory_order success, memory_order failure, \
                              memory_scope scope) \
    { \
        return name##_explicit(object, expected, x, success, failure); \
    } \
    bool FLAT name(volatile S A *object, E T *expected, T x) \
    { \
        return name##_explicit(object, expected, x, memory_order_seq_cst, memory_order_seq_cst); \
    }
#define COMPARE(S, A, T, name) \
    COMPARE_SPACE(__private, S, A, T, name) COMPARE_SPACE(__global, S, A, T, name) \
    COMPARE_SPACE(__local, S, A, T, name) COMPARE_SPACE(__generic, S, A, T, name)

#define ANY_TYPE(S, A, T) \
    LOAD(S, A, T) STORE(S, A, T) MODIFY(S, A, T, atomic_exchange, __opencl_atomic_exchange) \
    COMPARE(S, A, T, atomic_compare_exchange_strong) COMPARE(S, A, T, atomic_compare_exchange_weak)
#define FETCH(S, A, T, op) MODIFY(S, A, T, atomic_fetch_##op, __opencl_atomic_fetch_##op)
#define INTEGER(S, A, T) \
    ANY_TYPE(S, A, T) FETCH(S, A, T, add) FETCH(S, A, T, sub) FETCH(S, A, T, min) FETCH(S, A, T, max) \
    FETCH(S, A, T, and) FETCH(S, A, T, or) FETCH(S, A, T, xor)
EACH_SHARED(INTEGER, atomic_int, int)
EACH_SHARED(INTEGER, atomic_uint, uint)
EACH_SHARED(INTEGER, atomic_long, long)
EACH_SHARED(INTEGER, atomic_ulong, ulong)
EACH_SHARED(ANY_TYPE, atomic_float, float)
EACH_SHARED(ANY_TYPE, atomic_double, double)

/* An atomic_uintptr_t, which is an atomic_uint here, takes a ptrdiff_t; so does the latter take an int. */
#define DIFFERENCE(S, A, T) \
    MODIFY_BY(S, A, T, int, atomic_fetch_add, __opencl_atomic_fetch_add) \
    MODIFY_BY(S, A, T, int, atomic_fetch_sub, __opencl_atomic_fetch_sub)
EACH_SHARED(DIFFERENCE, atomic_uint, uint)

/* An atomic_intptr_t, an atomic_int, takes a uintptr_t, and the other way round. */
#define MIXED_FETCH(S, A, T, X, op) MODIFY_BY(S, A, T, X, atomic_fetch_##op, __opencl_atomic_fetch_##op)
#define MIXED(S, A, T, X) \
    MIXED_FETCH(S, A, T, X, and) MIXED_FETCH(S, A, T, X, or) MIXED_FETCH(S, A, T, X, xor) \
    MIXED_FETCH(S, A, T, X, min) MIXED_FETCH(S, A, T, X, max)
EACH_SHARED(MIXED, atomic_uint, uint, int)
EACH_SHARED(MIXED, atomic_int, int, uint)

/* --- floats ------------------------------------------------------------------------------- */

/* I, U: the integer of the same size as T */
#define COMPUTE(S, A, T, I, U, op, RESULT) \
    T FLAT atomic_fetch_##op##_explicit(volatile S A *object, T x, memory_order order) \
    { \
        volatile S I *bits = (volatile S I *)object; \
        order_fence(order); \
        U seen = __opencl_atomic_load(bits, RELAXED); \
        T old; \
        do { \
            old = as_##T(seen); \
        } while (!__opencl_atomic_compare_exchange_strong(bits, &seen, as_##U(RESULT), memory_order_relaxed, RELAXED)); \
        order_fence(order); \
        return old; \
    } \
    FORMS(S, A, T, atomic_fetch_##op, (, T x), (, x))
#define FLOATING(S, A, T, I, U, f) \
    COMPUTE(S, A, T, I, U, add, old + x) COMPUTE(S, A, T, I, U, sub, old - x) \
    COMPUTE(S, A, T, I, U, min, __builtin_fmin##f(old, x)) COMPUTE(S, A, T, I, U, max, __builtin_fmax##f(old, x))
EACH_SHARED(FLOATING, atomic_float, float, atomic_uint, uint, f)
EACH_SHARED(FLOATING, atomic_double, double, atomic_ulong, ulong, )

/* --- flags -------------------------------------------------------------------------------- */

#define FLAG(S, A) \
    bool FLAT atomic_flag_test_and_set_explicit(volatile S A *object, memory_order order) \
    { \
        order_fence(order); \
        bool old = __opencl_atomic_exchange(object, 1, RELAXED) != 0; \
        order_fence(order); \
        return old; \
    } \
    void FLAT atomic_flag_clear_explicit(volatile S A *object, memory_order order) \
    { \
        order_fence(order); \
        __opencl_atomic_store(object, 0, RELAXED); \
        order_fence(order); \
    } \
    FORMS(S, A, bool, atomic_flag_test_and_set, (), ()) FORMS(S, A, void, atomic_flag_clear, (), ())
EACH_SHARED(FLAG, atomic_flag)
