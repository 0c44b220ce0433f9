/* base.c -- the report of our own mistakes, which ends the process; how many processors there are. */
#include "base/base.h"
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void bug_at(const char *file, int line, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "bug: %s:%d: ", file, line);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    abort();
}

u32 host_processors(void)
{
    cpu_set_t may;
    /* more than fit into the set: an error */
    const bool known = sched_getaffinity(0, sizeof may, &may) == 0;
    const long n = known ? CPU_COUNT(&may) : sysconf(_SC_NPROCESSORS_ONLN);
    return n > 1 ? (u32)n : 1;
}
