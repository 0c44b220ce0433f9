/* query.c -- answers of clGet*Info. */
#include "cl/cl.h"
#include <string.h>

cl_int answer_bytes(const Query *q, const void *bytes, size_t n)
{
    if (q->value && q->size < n)
        return error_tell(q->call, CL_INVALID_VALUE);
    if (q->value && n)
        memcpy(q->value, bytes, n);
    if (q->size_ret)
        *q->size_ret = n;
    return CL_SUCCESS;
}

cl_int answer_text(const Query *q, const char *text)
{
    return answer_bytes(q, text, strlen(text) + 1);
}
