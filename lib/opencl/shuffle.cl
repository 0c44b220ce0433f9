/* shuffle.cl -- elements of one vector or of two, chosen by a mask. */
#include "ventus.h"

#define PICK1(x, y, n, m) (x)[(m) & (n - 1)]
#define PICK2(x, y, n, m) ((m) & n ? (y)[(m) & (n - 1)] : (x)[(m) & (n - 1)])

#define E2(P, x, y, n, m) P(x, y, n, (m).s0), P(x, y, n, (m).s1)
#define E4(P, x, y, n, m) E2(P, x, y, n, (m).lo), E2(P, x, y, n, (m).hi)
#define E8(P, x, y, n, m) E4(P, x, y, n, (m).lo), E4(P, x, y, n, (m).hi)
#define E16(P, x, y, n, m) E8(P, x, y, n, (m).lo), E8(P, x, y, n, (m).hi)

#define SHUFFLE(T, U, n, to) \
    T##to FLAT shuffle(T##n x, U##to mask) { return (T##to)(E##to(PICK1, x, x, n, mask)); } \
    T##to FLAT shuffle2(T##n x, T##n y, U##to mask) { return (T##to)(E##to(PICK2, x, y, n, mask)); }
#define TO_EACH(T, U, n) SHUFFLE(T, U, n, 2) SHUFFLE(T, U, n, 4) SHUFFLE(T, U, n, 8) SHUFFLE(T, U, n, 16)
#define FROM_EACH(T, U) TO_EACH(T, U, 2) TO_EACH(T, U, 4) TO_EACH(T, U, 8) TO_EACH(T, U, 16)

FROM_EACH(char, uchar) FROM_EACH(uchar, uchar) FROM_EACH(short, ushort) FROM_EACH(ushort, ushort)
FROM_EACH(int, uint) FROM_EACH(uint, uint) FROM_EACH(long, ulong) FROM_EACH(ulong, ulong)
FROM_EACH(half, ushort) FROM_EACH(float, uint) FROM_EACH(double, ulong)
