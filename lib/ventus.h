/* ventus.h -- what the files of the device library share.
 *
 * lib/opencl/ defines the built-in functions of OpenCL C.  They are compiled to bitcode for the
 * target "spir", which mangles their names as callers do, and join every program before it is
 * optimised; so what a program does not use costs nothing, and constants fold through them.
 * Types and enumerations come from clang's own header, which declares no function.
 */
#ifndef VENTUS_H
#define VENTUS_H
#include <opencl-c-base.h>
#include "opencl/prologue.h"
#include "isa/abi.h"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

#define OVL  __attribute__((overloadable))
#define FLAT __attribute__((overloadable, always_inline)) /* few instructions after folding */

/* --- operations of the machine, known to the lowering by name ------------------------- */

__attribute__((const, nomerge)) uint __ventus_csr(uint number); /* a CSR; number is a constant, and no pass may
                                                                 * make one call of two, or it were not */
__attribute__((const)) uint __ventus_lane(void);        /* 0 .. lanes of a warp - 1 */
__attribute__((const)) const __constant uint *__ventus_knl(void); /* the metadata block */
#define __VENTUS_WAITS 8 /* for asynchronous copies */
__attribute__((convergent)) void __ventus_barrier(uint flags); /* of the group: CLK_*_MEM_FENCE, __VENTUS_WAITS */
void __ventus_fence(void);                              /* orders all memory accesses */
__attribute__((convergent, nomerge)) void __ventus_meet(void); /* no code: lanes that parted earlier are together
                                                                * here, and what is between two of these calls stays
                                                                * there */
__attribute__((const)) float __ventus_exp(float);       /* e to the x, as good as the machine's */
__attribute__((const)) int __ventus_ftoi_rne(float);    /* nearest, ties to even; saturates */

enum { /* numbers of CSRs */
#define CSR(number, name, ...)       CSR_##name = number,
#define CSR_LANES(number, name, ...) CSR_##name = number,
#include "isa/csr.def"
};

/* --- called by the lowering for operations that the machine lacks ------------------------- */

ulong __ventus_udiv64(ulong a, ulong b);        /* b = 0: any value, no trap */
ulong __ventus_urem64(ulong a, ulong b);
long __ventus_sdiv64(long a, long b);           /* toward zero */
long __ventus_srem64(long a, long b);           /* sign of a */
float __ventus_u64tof(ulong x);                 /* nearest, ties to even */
float __ventus_i64tof(long x);
ulong __ventus_ftou64(float x);                 /* toward zero; saturates, NaN is 0 */
long __ventus_ftoi64(float x);
float __ventus_htof(ushort x);                  /* half, as its bits */
ushort __ventus_ftoh(float x);                  /* nearest, ties to even */
ushort __ventus_dtoh(double x);
ushort __ventus_hfma(ushort a, ushort b, ushort c);
uint __ventus_hclass(ushort x, uint classes);   /* whether it is of one of the classes, bits as in llvm.is.fpclass */
float __ventus_floorf(float x);
float __ventus_ceilf(float x);
float __ventus_truncf(float x);
float __ventus_rintf(float x);                  /* ties to even */
float __ventus_roundf(float x);                 /* ties away from zero */

/* --- a function of vectors from that of scalars ------------------------- */

/* Every macro takes the result type, the name and the types of the arguments, and defines the
 * function for 2, 3, 4, 8 and 16 elements from the next smaller ones. */
#define VECTOR1(R, f, A) VEC1(R, f, A, 2) VEC1_3(R, f, A) VEC1(R, f, A, 4) VEC1(R, f, A, 8) VEC1(R, f, A, 16)
#define VEC1(R, f, A, n) R##n OVL f(A##n a) { return (R##n)(f(a.lo), f(a.hi)); }
#define VEC1_3(R, f, A)  R##3 OVL f(A##3 a) { return (R##3)(f(a.s01), f(a.s2)); }

#define VECTOR2(R, f, A, B) VEC2(R, f, A, B, 2) VEC2_3(R, f, A, B) VEC2(R, f, A, B, 4) VEC2(R, f, A, B, 8) VEC2(R, f, A, B, 16)
#define VEC2(R, f, A, B, n) R##n OVL f(A##n a, B##n b) { return (R##n)(f(a.lo, b.lo), f(a.hi, b.hi)); }
#define VEC2_3(R, f, A, B)  R##3 OVL f(A##3 a, B##3 b) { return (R##3)(f(a.s01, b.s01), f(a.s2, b.s2)); }

#define VECTOR3(R, f, A, B, C) VEC3(R, f, A, B, C, 2) VEC3_3(R, f, A, B, C) VEC3(R, f, A, B, C, 4) \
    VEC3(R, f, A, B, C, 8) VEC3(R, f, A, B, C, 16)
#define VEC3(R, f, A, B, C, n) \
    R##n OVL f(A##n a, B##n b, C##n c) { return (R##n)(f(a.lo, b.lo, c.lo), f(a.hi, b.hi, c.hi)); }
#define VEC3_3(R, f, A, B, C) \
    R##3 OVL f(A##3 a, B##3 b, C##3 c) { return (R##3)(f(a.s01, b.s01, c.s01), f(a.s2, b.s2, c.s2)); }

/* The second argument is one scalar for all elements. */
#define VECTOR_SCALAR(R, f, A, B) VECS(R, f, A, B, 2) VECS(R, f, A, B, 3) VECS(R, f, A, B, 4) VECS(R, f, A, B, 8) VECS(R, f, A, B, 16)
#define VECS(R, f, A, B, n) R##n OVL f(A##n a, B b) { return f(a, (A##n)(b)); }

/* The last argument is a pointer to where a second result of type P goes.  f exists for scalars and
 * private memory; these are all other widths and address spaces. */
#define OUT1(R, f, A, P) OTHER_SPACES(OUT1_SCALAR, R, f, A, P) EACH_SPACE(OUT1_ALL, R, f, A, P)
#define OUT1_SCALAR(S, R, f, A, P) R OVL f(A a, S P *p) { P q; R r = f(a, (__private P *)&q); *p = q; return r; }
#define OUT1_ALL(S, R, f, A, P) OUT1_N(S, R, f, A, P, 2) OUT1_N(S, R, f, A, P, 3) OUT1_N(S, R, f, A, P, 4) \
    OUT1_N(S, R, f, A, P, 8) OUT1_N(S, R, f, A, P, 16)
#define OUT1_N(S, R, f, A, P, n) \
    R##n OVL f(A##n a, S P##n *p) \
    { \
        R##n r; \
        P##n q; \
        for (int i = 0; i < n; i++) { \
            P one; \
            r[i] = f(a[i], (__private P *)&one); \
            q[i] = one; \
        } \
        *p = q; \
        return r; \
    }

#define OUT2(R, f, A, B, P) OTHER_SPACES(OUT2_SCALAR, R, f, A, B, P) EACH_SPACE(OUT2_ALL, R, f, A, B, P)
#define OUT2_SCALAR(S, R, f, A, B, P) \
    R OVL f(A a, B b, S P *p) { P q; R r = f(a, b, (__private P *)&q); *p = q; return r; }
#define OUT2_ALL(S, R, f, A, B, P) OUT2_N(S, R, f, A, B, P, 2) OUT2_N(S, R, f, A, B, P, 3) OUT2_N(S, R, f, A, B, P, 4) \
    OUT2_N(S, R, f, A, B, P, 8) OUT2_N(S, R, f, A, B, P, 16)
#define OUT2_N(S, R, f, A, B, P, n) \
    R##n OVL f(A##n a, B##n b, S P##n *p) \
    { \
        R##n r; \
        P##n q; \
        for (int i = 0; i < n; i++) { \
            P one; \
            r[i] = f(a[i], b[i], (__private P *)&one); \
            q[i] = one; \
        } \
        *p = q; \
        return r; \
    }

#define EACH_SPACE(M, ...) M(__private, __VA_ARGS__) OTHER_SPACES(M, __VA_ARGS__)
#define OTHER_SPACES(M, ...) M(__global, __VA_ARGS__) M(__local, __VA_ARGS__) M(__generic, __VA_ARGS__)

#define EACH_INT(M) M(char) M(uchar) M(short) M(ushort) M(int) M(uint) M(long) M(ulong)
#endif
