/* data.c -- directives that put data: integers, floats, strings, LEB128, runs, files. */
#include "asm/job.h"
#include "asm/lex.h"
#include <elf.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- integers ----------------------------------------------------------------------- */

static bool put_int(Asm *a, int bytes)
{
    Expr e;
    a->p = lex_space(a->p);
    const char *at = a->p;
    if (!as_expr(a, &e))
        return false;
    if (is_number(&e)) {
        if (bytes < 8 && (e.k < -((i64)1 << (8 * bytes - 1)) || e.k >= (i64)1 << 8 * bytes))
            return as_fail(a, at, "%lld does not fit in %d byte%s", (long long)e.k, bytes,
                           bytes == 1 ? "" : "s");
        return as_put_int(a, (u64)e.k, bytes);
    }
    const FixKind kind = bytes == 1 ? FIX_8 : bytes == 2 ? FIX_16 : bytes == 4 ? FIX_32 : FIX_64;
    return as_put_int(a, 0, bytes) && as_fix(a, kind, (u32)bytes, &e, at);
}

/* one item after another; an empty list is none */
static bool each(Asm *a, bool (*item)(Asm *, int), int arg)
{
    a->p = lex_space(a->p);
    if (lex_at_end(a->p))
        return true;
    do
        if (!item(a, arg))
            return false;
    while (!as_end_of_statement(a) && as_comma(a));
    return as_end_of_statement(a);
}

/* .byte .half .word .dword and their other names */
bool as_dir_ints(Asm *a, int bytes) { return each(a, put_int, bytes); }

static bool put_leb(Asm *a, int is_signed)
{
    Expr e;
    a->p = lex_space(a->p);
    const char *at = a->p;
    if (!as_expr(a, &e))
        return false;
    if (!as_data(a) || !as_new_frag(a, FRAG_LEB))
        return false;
    Frag *f = &here(a)->frags[here(a)->nfrags - 1];
    f->fixup = (u32)here(a)->nfixups;
    a->prefix.valid = false;
    return as_fix(a, is_signed ? FIX_SLEB : FIX_LEB, 0, &e, at);
}

bool as_dir_leb(Asm *a, int is_signed) { return each(a, put_leb, is_signed); }

/* --- strings and floats ---------------------------------------------------------------- */

static bool put_string(Asm *a, int terminated)
{
    Buf b = {0};
    bool ok = as_string(a, &b);
    if (ok && terminated)
        buf_put(&b, "", 1);
    ok = ok && (b.failed ? as_no_memory(a) : as_put(a, buf_text(&b), b.len));
    buf_free(&b);
    return ok;
}

bool as_dir_string(Asm *a, int terminated) { return each(a, put_string, terminated); }

/* The number at p in the notation of C, whatever the program's locale. */
static double read_double(const char *p, char **end, bool single)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double v = 0;
    *end = (char *)p;
    if (c != (locale_t)0) {
        v = single ? (double)strtof_l(p, end, c) : strtod_l(p, end, c);
        freelocale(c);
    }
    return v;
}

static bool put_float(Asm *a, int bytes)
{
    char *end;
    a->p = lex_space(a->p);
    const double v = read_double(a->p, &end, bytes == 4);
    if (end == a->p || is_ident(*end))
        return as_fail(a, a->p, "this is not a floating-point number");
    a->p = end;
    const float f = (float)v;
    u32 bits;
    u64 long_bits;
    memcpy(&bits, &f, sizeof bits);
    memcpy(&long_bits, &v, sizeof long_bits);
    return as_put_int(a, bytes == 4 ? bits : long_bits, bytes);
}

bool as_dir_float(Asm *a, int bytes) { return each(a, put_float, bytes); }

/* --- runs -------------------------------------------------------------------------------- */

/* a run whose length may wait for layout */
static bool put_run(Asm *a, const Expr *count, u64 value, int width, const char *at)
{
    if (!is_number(count)) {
        const Pad pad = {
            .count = *count, .value = value, .width = (u8)width, .place = {a->src, at}};
        return as_new_pad(a, FRAG_FILL, &pad);
    }
    if (count->k < 0)
        return as_refuse(a, at, "a length of %lld", (long long)count->k);
    return as_put_copies(a, value, width, (u64)count->k);
}

/* .space .skip .zero length, value */
bool as_dir_space(Asm *a, int unused)
{
    (void)unused;
    Expr count;
    i64 value = 0;
    a->p = lex_space(a->p);
    const char *at = a->p;
    if (!as_expr(a, &count))
        return false;
    if (!as_at_end(a) && !(as_comma(a) && as_number(a, &value)))
        return false;
    return as_end_of_statement(a) && put_run(a, &count, (u64)value & 255, 1, at);
}

/* .fill count, width, value */
bool as_dir_fill(Asm *a, int unused)
{
    (void)unused;
    Expr count;
    i64 width = 1, value = 0;
    a->p = lex_space(a->p);
    const char *at = a->p;
    if (!as_expr(a, &count))
        return false;
    if (!as_at_end(a) && !(as_comma(a) && as_number(a, &width)))
        return false;
    if (!as_at_end(a) && !(as_comma(a) && as_number(a, &value)))
        return false;
    if (width < 0 || width > 8)
        return as_refuse(a, at, "copies of %lld bytes; 0 to 8 can be", (long long)width);
    if (width < 8)
        value &= ((i64)1 << 8 * width) - 1;
    if (width > 4) /* only four bytes of the value are used, as in GNU as */
        value &= 0xffffffff;
    return as_end_of_statement(a) && (!width || put_run(a, &count, (u64)value, (int)width, at));
}

/* --- files --------------------------------------------------------------------------------- */

static FILE *open_file(const char *dir, size_t len, const char *name)
{
    struct stat st;
    Buf path = {0};
    if (len && *name != '/')
        buf_printf(&path, "%.*s/", (int)len, dir);
    buf_str(&path, name);
    FILE *f = path.failed ? NULL : fopen(buf_text(&path), "rb");
    buf_free(&path);
    if (f && !fstat(fileno(f), &st) && S_ISREG(st.st_mode))
        return f;
    if (f)
        fclose(f);
    return NULL;
}

bool as_load(Asm *a, const char *name, const char *at, Buf *out)
{
    char part[4096];
    /* beside the file that includes it, then in the directories of the options */
    const Source *src = a->src;
    while (src->from)
        src = src->from;
    const char *slash = strrchr(src->name, '/');
    FILE *f = open_file(src->name, slash ? (size_t)(slash - src->name) : 0, name);
    for (const char *const *dir = a->opt.include; !f && dir && *dir; dir++)
        f = open_file(*dir, strlen(*dir), name);
    if (!f && !strcmp(name, "abi.inc")) { /* is built in */
        isa_abi_text(out);
        return !out->failed || as_no_memory(a);
    }
    if (!f)
        return as_refuse(a, at, "cannot read '%s'", name);
    for (size_t n; out->len <= MAX_SIZE && (n = fread(part, 1, sizeof part, f)) > 0;)
        buf_put(out, part, n);
    fclose(f);
    if (out->len > MAX_SIZE)
        return as_refuse(a, at, "'%s' is larger than %d MiB", name, MAX_SIZE >> 20);
    return !out->failed || as_no_memory(a);
}

/* .incbin "file", skip, count */
bool as_dir_incbin(Asm *a, int unused)
{
    (void)unused;
    Buf name = {0}, bytes = {0};
    i64 skip = 0, count = MAX_SIZE;
    a->p = lex_space(a->p);
    const char *at = a->p;
    bool ok = as_string(a, &name);
    if (ok && !as_at_end(a))
        ok = as_comma(a) && as_number(a, &skip);
    if (ok && !as_at_end(a))
        ok = as_comma(a) && as_number(a, &count);
    ok = ok && as_end_of_statement(a) && as_load(a, buf_text(&name), at, &bytes);
    if (ok && (skip < 0 || count < 0 || (u64)skip > bytes.len))
        ok = as_refuse(a, at, "'%s' has %zu bytes", buf_text(&name), bytes.len);
    if (ok) {
        const size_t left = bytes.len - (size_t)skip;
        ok = as_put(a, buf_text(&bytes) + skip, (u64)count < left ? (size_t)count : left);
    }
    buf_free(&name);
    buf_free(&bytes);
    return ok;
}
