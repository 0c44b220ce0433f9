/* row.h -- a row of the tables of errors in doc/accuracy.md. */
#ifndef TEST_ACCURACY_ROW_H
#define TEST_ACCURACY_ROW_H
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* Prints the function's bound (0: exact), its largest error to that many digits, both in ULP, and where that is: at x, and
 * y if it takes two arguments. */
static inline void print_row(const char *name, double bound, double error, int digits, double x, const double *y)
{
    if (bound == 0 && error <= 0) {
        printf("| `%s` | 0 | 0 | |\n", name);
        return;
    }
    if (isinf(bound))
        printf("| `%s` | none", name);
    else
        printf("| `%s` | %g", name, bound);
    printf(" | %.*g | %a", digits, error, x);
    if (y)
        printf(", %a", *y);
    printf(" |\n");
}
#endif
