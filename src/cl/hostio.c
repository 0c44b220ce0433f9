/* hostio.c -- what the runtime prints: the output of kernels, and reports if VENTUS_VERBOSE asks
 * for them.  No other file of the libraries prints. */
#include "cl/cl.h"
#include <stdio.h>
#include <string.h>

void host_print(const char *text, size_t len)
{
    fwrite(text, 1, len, stdout);
    fflush(stdout);
}

void host_report(const char *text)
{
    const size_t len = strlen(text);
    fprintf(stderr, "ventus: %.*s\n", (int)(len && text[len - 1] == '\n' ? len - 1 : len), text);
}
