/* error.c -- errors of calls, in words. */
#include "cl/cl.h"
#include <string.h>

typedef struct {
    const char *call; /* NULL: of any */
    cl_int status;
    const char *name, *what;
} Row;

/* those of a call before those of any */
static const Row rows[] = {
#define REASON(call, code, what) {#call, code, #code, what},
#include "cl/error.def"
#define ERROR(code, what) {NULL, code, #code, what},
#include "cl/error.def"
};

static const Row *find(const char *call, cl_int status)
{
    for (size_t k = 0; k < countof(rows); k++)
        if (rows[k].status == status && (!rows[k].call || !strcmp(rows[k].call, call)))
            return &rows[k];
    return NULL;
}

cl_int error_tell(const char *call, cl_int status)
{
    const ClPlatform *p = status ? platform_get() : NULL;
    if (!call || !p || !p->verbose)
        return status;
    const Row *row = find(call, status);
    Buf text = {0};
    if (row)
        buf_printf(&text, "%s: %s: %s", call, row->name, row->what);
    else
        buf_printf(&text, "%s: error %d", call, (int)status);
    host_report(buf_text(&text));
    buf_free(&text);
    return status;
}

void error_give(const char *call, cl_int *to, cl_int status)
{
    error_tell(call, status);
    if (to)
        *to = status;
}
