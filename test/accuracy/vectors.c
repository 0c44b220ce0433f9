/* vectors.c -- functions of vectors of the device library, compiled for the host: each component of the result is what
 * the scalar function makes of those of the arguments, in vectors of every width and with scalars among the
 * arguments; of tests -1 for 1.  Selection and shuffles are compared with their definitions.
 */
#include "test/accuracy/values.h"
#include <stdio.h>

float __ventus_exp(float x);
int __ventus_ftoi_rne(float x);
float __ventus_exp(float x) { return (float)exp(x); }
int __ventus_ftoi_rne(float x) { return (int)rintf(x); }

typedef int Differ(const void *, const void *, const void *, int);
#define V1(name, R, A)       Differ v1_##name##_##A;
#define V2(name, R, A, B)    Differ v2_##name##_##A;
#define V3(name, R, A, B, C) Differ v3_##name##_##A;
#define VS(name, T)          Differ vs_##name##_##T;
#define SV(name, T)          Differ sv_##name##_##T;
#define VSS(name, T)         Differ vss_##name##_##T;
#define VVS(name, T)         Differ vvs_##name##_##T;
#define SSV(name, T)         Differ ssv_##name##_##T;
#define TEST1(name, T, I)    Differ t1_##name##_##T;
#define TEST2(name, T, I)    Differ t2_##name##_##T;
#include "test/accuracy/vectors.def"

#define EACH_INT(M, name)                                                                          \
    M(name, char)                                                                                  \
    M(name, uchar) M(name, short) M(name, ushort) M(name, int) M(name, uint) M(name, long)         \
        M(name, ulong)
#define EACH(M, name)        EACH_INT(M, name) M(name, half) M(name, float) M(name, double)
#define EACH_SIGNED(M, name) M(name, char) M(name, short) M(name, int) M(name, long)
#define SELECTION(name, T)   Differ name##_##T;
EACH(SELECTION, select)
EACH(SELECTION, shuffle) EACH_SIGNED(SELECTION, fold)

    static const struct {
    const char *name;
    int a, b, c; /* types of the arguments */
    Differ *differ;
} rows[] = {
#define ROW(prefix, name, A, B, C) {#name " of " #A, T_##A, T_##B, T_##C, prefix##_##name##_##A},
#define V1(name, R, A)             ROW(v1, name, A, A, A)
#define V2(name, R, A, B)          ROW(v2, name, A, B, A)
#define V3(name, R, A, B, C)       ROW(v3, name, A, B, C)
#define VS(name, T)                ROW(vs, name, T, T, T)
#define SV(name, T)                ROW(sv, name, T, T, T)
#define VSS(name, T)               ROW(vss, name, T, T, T)
#define VVS(name, T)               ROW(vvs, name, T, T, T)
#define SSV(name, T)               ROW(ssv, name, T, T, T)
#define TEST1(name, T, I)          ROW(t1, name, T, T, T)
#define TEST2(name, T, I)          ROW(t2, name, T, T, T)
#include "test/accuracy/vectors.def"
#define SELECTION_ROW(name, T) {#name " of " #T, T_##T, T_##T, T_##T, name##_##T},
    EACH(SELECTION_ROW, select) EACH(SELECTION_ROW, shuffle) EACH_SIGNED(SELECTION_ROW, fold)};

int main(void)
{
    enum { COUNT = 96 };
    static _Alignas(16) uint8_t values[3][NTYPES][N * 8];
    int bad = 0;
    for (int k = 0; k < 3; k++)
        for (int t = 0; t < NTYPES; t++)
            fill(&types[t], values[k][t]);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        /* other parts of the lists, so that arguments are no pairs of equals; equals at last */
        for (int part = 0; part < 4; part++) {
            const uint8_t *a = values[0][rows[k].a], *b = values[1][rows[k].b],
                          *c = values[2][rows[k].c];
            const size_t from = (size_t)(part * 240),
                         other = part < 3 ? (size_t)(part * 311 + 17) : from;
            const int differ = rows[k].differ(a + from * (size_t)types[rows[k].a].bytes,
                                              b + other * (size_t)types[rows[k].b].bytes,
                                              c + other * (size_t)types[rows[k].c].bytes, COUNT);
            if (differ) {
                printf("FAIL %s: %d components of vectors are others\n", rows[k].name, differ);
                bad++;
                break;
            }
        }
    }
    if (bad)
        return 1;
    printf("%zu functions of vectors\n", sizeof rows / sizeof *rows);
    return 0;
}
