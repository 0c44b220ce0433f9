/* cc_bench.c -- time of builds in one process: the first, which starts the compiler's process, and
 * those after it.
 *
 *   cc_bench FILE.cl [N]
 *
 * Prints milliseconds by the clock: of the first build, and of N that follow, each with another -D.
 */
#include "comp/comp.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double build(Compiler *c, const Buf *source, int number)
{
    char define[32];
    const char *const options[] = {define};
    Buf out = {0};
    Diag d = {.sink = diag_to_file, .to = stderr};
    snprintf(define, sizeof define, "-DNUMBER=%d", number);
    const CompOptions opt = {
        .output = COMP_IMAGE, .name = "bench.cl", .options = options, .noptions = 1};
    const double start = now();
    if (!comp_compile(c, buf_text(source), source->len, &opt, &out, &d))
        exit(1);
    buf_free(&out);
    return now() - start;
}

int main(int argc, char **argv)
{
    Buf source = {0};
    char part[4096];
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    const int n = argc > 2 ? atoi(argv[2]) : 20;
    if (!f || n < 1) {
        fprintf(stderr, "usage: cc_bench FILE.cl [N]\n");
        return 2;
    }
    for (size_t len; (len = fread(part, 1, sizeof part, f)) > 0;)
        buf_put(&source, part, len);
    fclose(f);
    Compiler *c = comp_open();
    double *t = calloc((size_t)n, sizeof *t);
    if (!c || !t)
        return 1;
    const double first = build(c, &source, 0);
    for (int i = 0; i < n; i++)
        t[i] = build(c, &source, i + 1);
    qsort(t, (size_t)n, sizeof *t, by_value);
    printf("%.1f %.1f %.1f\n", first, t[0], t[n / 2]);
    comp_close(c);
    free(t);
    buf_free(&source);
    return 0;
}
