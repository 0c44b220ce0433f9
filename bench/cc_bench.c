/* cc_bench.c -- time of builds.
 *
 *     cc_bench FILE.cl [N]             builds in one process
 *     cc_bench --all N COMMAND...      N runs of a command
 *
 * The first prints milliseconds by the clock of the first build, which starts the compiler's
 * process, and least and median of N that follow.  The second prints least and median of its
 * milliseconds by the clock, and of the processor time of all that it starts, orphans too.
 */
#include "comp/comp.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* Runs it, and waits for it and for what it leaves. */
static void run(char **command, double *wall, double *cpu)
{
    int status;
    struct rusage r;
    const double start = now();
    const pid_t pid = fork();
    if (pid == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    *cpu = 0;
    for (pid_t ended; (ended = wait4(-1, &status, 0, &r)) > 0;) {
        if (ended == pid)
            *wall = now() - start;
        if (ended == pid && status)
            exit(1);
        *cpu += (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e3 +
                (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e3;
    }
}

static int run_all(int n, char **command)
{
    double *wall = calloc((size_t)n, sizeof *wall), *cpu = calloc((size_t)n, sizeof *cpu);
    if (!wall || !cpu || prctl(PR_SET_CHILD_SUBREAPER, 1))
        return 1;
    for (int i = 0; i < n; i++)
        run(command, &wall[i], &cpu[i]);
    qsort(wall, (size_t)n, sizeof *wall, by_value);
    qsort(cpu, (size_t)n, sizeof *cpu, by_value);
    printf("%.1f %.1f %.1f %.1f\n", wall[0], wall[n / 2], cpu[0], cpu[n / 2]);
    free(wall);
    free(cpu);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 3 && !strcmp(argv[1], "--all") && atoi(argv[2]) > 0)
        return run_all(atoi(argv[2]), argv + 3);
    Buf source = {0};
    char part[4096];
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    const int n = argc > 2 ? atoi(argv[2]) : 20;
    if (!f || n < 1) {
        fprintf(stderr, "usage: cc_bench FILE.cl [N], cc_bench --all N COMMAND...\n");
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
