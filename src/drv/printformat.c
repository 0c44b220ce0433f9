/* printformat.c -- see printformat.h. */
#include "drv/printformat.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

u64 print_argument(PrintArguments *a, u32 size)
{
    u64 v = 0;
    const bool is_there = a->end - a->p >= (ptrdiff_t)size;
    if (is_there)
        memcpy(&v, a->p, size);
    a->missing += !is_there;
    a->p = is_there ? a->p + size : a->end;
    return v;
}

static int cap(int n, bool *is_capped)
{
    const int most = PRINT_MAX_WIDTH;
    *is_capped |= n > most || n < -most;
    return n < -most ? -most : n > most ? most : n;
}

/* a number or * of the format; -1: none is there */
static int get_number(const char **f, PrintArguments *a, bool *is_capped)
{
    int n = -1;
    if (**f == '*') {
        ++*f;
        return cap((int)(i32)print_argument(a, 4), is_capped);
    }
    for (; **f >= '0' && **f <= '9'; ++*f)
        n = n < 0 ? **f - '0' : cap(n, is_capped) * 10 + **f - '0';
    return cap(n, is_capped);
}

/* vN, then h, hh, hl (which is 4 bytes) or l */
static void get_length(const char **f, PrintArguments *a, PrintConversion *c)
{
    int halves = 0;
    c->count = 1;
    c->bits = 32;
    if (**f == 'v') {
        ++*f;
        c->count = get_number(f, a, &c->is_capped);
        if (c->count < 1 || c->count > 16)
            c->count = 1;
    }
    for (; **f && strchr("hlLjzt", **f); ++*f) {
        halves += **f == 'h';
        if (**f == 'l' || **f == 'j')
            c->bits = halves ? 32 : 64;
        else if (**f == 'h')
            c->bits = halves == 1 ? 16 : 8;
    }
}

PrintConversion print_conversion(const char **f, PrintArguments *a)
{
    PrintConversion c = {.spec = "%"};
    size_t n = 1;
    for (; **f && strchr("-+ #0", **f); ++*f)
        if (!memchr(c.spec, **f, n))
            c.spec[n++] = **f;
    const int width = get_number(f, a, &c.is_capped);
    if (width >= 0 || width < -1)
        n += (size_t)snprintf(c.spec + n, sizeof c.spec - n, "%d", width);
    if (**f == '.') {
        ++*f;
        const bool given = **f == '*';
        const int precision = get_number(f, a, &c.is_capped);
        if (precision >= 0 || !given) /* a negative one counts as none */
            n += (size_t)snprintf(c.spec + n, sizeof c.spec - n, ".%d",
                                  precision < 0 ? 0 : precision);
    }
    get_length(f, a, &c);
    c.letter = **f;
    *f += **f != 0;
    return c;
}

int print_argument_size(const PrintConversion *c)
{
    switch (c->letter) {
    case '%': return 0;
    case 'c':
    case 's':
    case 'p': return 4;
    default: return !c->letter || !strchr("diuxXofFeEgGaA", c->letter) ? -1 : c->bits == 64 ? 8 : 4;
    }
}
