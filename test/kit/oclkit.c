/* oclkit.c -- arguments from their words, and the comparison (oclkit.h). */
#include "test/kit/oclkit.h"
#include "test/kit/skip.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct {
    const char *name, *option;
    KitProgram *program; /* built by the first test */
    bool tried;
} File;

/* what cmocka hands to a test */
typedef struct {
    File *file;
    const KitCase *c;
} Test;

/* --- random values ------------------------------------------------------------------------ */

static u64 seed = 1;

u64 kit_random(void)
{
    u64 z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* integers with the corners often: few bits set, few bits clear, near zero */
static u64 random_integer(void)
{
    const u64 r = kit_random();
    switch (r % 8) {
    case 0: return (u64)1 << (r >> 8) % 64;
    case 1: return ~((u64)1 << (r >> 8) % 64);
    case 2: return (r >> 8) % 5 - 2;
    case 3: return 0x8000000080008080u;
    default: return kit_random();
    }
}

static u32 float_bits(float f)
{
    u32 bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static u32 random_float(char kind)
{
    static const u32 corner[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff,
                                 0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
                                 0x3f800000, 0xbf800000, 0x4f000000, 0xcf000000, 0x5f000000};
    const u64 r = kit_random();
    if (kind == 'u')
        return float_bits((float)(r % 16777215 + 1) / 16777216.0f);
    if (kind == 'f')
        return float_bits((float)(i32)r / 16777216.0f);
    const u32 any = (u32)kit_random(), quiet = (any << 1) > 0xff000000u ? any | 0x00400000u : any;
    return r % 3 ? quiet : corner[(r >> 8) % countof(corner)];
}

/* --- arguments ------------------------------------------------------------------------------ */

static void *copied(const void *p, size_t size)
{
    void *c = mem_alloc(size ? size : 1);
    assert_non_null(c);
    memcpy(c, p, size);
    return c;
}

static u32 width_of(char kind)
{
    return kind == 'q' ? 8 : kind == 'h' ? 2 : kind == 'c' || kind == 'S' || kind == 'l' ? 1 : 4;
}

static void fill(KitArg *a, char kind, u64 below)
{
    const u32 width = width_of(kind);
    for (u32 i = 0; i < a->size; i += width) {
        u64 v = kind == 'o' ? 0 : strchr("fuF", kind) ? random_float(kind) : random_integer();
        if (below)
            v = (v ^ v >> 32) % below;
        memcpy((u8 *)a->data + i, &v, width);
    }
}

/* a word after '=' */
static void value(KitArg *a, const char *word)
{
    const bool typed = strchr("qhcf", *word);
    u64 v = strtoull(word + typed, NULL, 0);
    if (*word == 'f')
        v = float_bits(strtof(word + 1, NULL));
    *a = (KitArg){KIT_VALUE, typed ? width_of(*word) : 4, -1, copied(&v, sizeof v), NULL};
}

static void make_arg(KitArg *a, const char *word)
{
    char *end;
    const char kind = *word++;
    if (kind == '=') {
        value(a, word);
        return;
    }
    assert_non_null(strchr("wqhcfuFolS", kind));
    *a = (KitArg){.kind = kind == 'l'   ? KIT_LOCAL
                          : kind == 'S' ? KIT_VALUE
                                        : KIT_BUFFER,
                  .size = (u32)strtoul(word, &end, 10) * width_of(kind),
                  .ulp = -1};
    const u64 below = *end == '%' ? strtoull(end + 1, &end, 10) : 0;
    if (*end == '~')
        a->ulp = (i32)strtol(end + 1, &end, 10);
    assert_true(a->size && !*end);
    a->data =
        mem_zalloc(a->size < 8 ? 8 : a->size, 1); /* a value may be read as a word of 64 bits */
    assert_non_null(a->data);
    fill(a, kind, below);
}

static u32 read_sizes(const char *text, u32 size[3])
{
    size[0] = size[1] = size[2] = 1;
    return (u32)sscanf(text, "%u,%u,%u", &size[0], &size[1], &size[2]);
}

static void make_job(KitJob *job, const KitCase *c)
{
    char *words = mem_strdup(c->args), *rest = words;
    *job = (KitJob){.dims = read_sizes(c->space, job->global)};
    job->dims = read_sizes(c->space, job->global);
    read_sizes(strchr(c->space, '/') + 1, job->local);
    job->n = job->global[0] * job->global[1] * job->global[2];
    for (char *word; (word = strsep(&rest, " "));)
        if (*word) {
            assert_true(job->nargs < KIT_ARGS);
            make_arg(&job->args[job->nargs++], word);
        }
    mem_free(words);
    for (KitArg *a = job->args; a < job->args + job->nargs; a++)
        a->want = copied(a->data, a->kind == KIT_VALUE && a->size < 8 ? 8 : a->size);
}

static void free_job(KitJob *job)
{
    for (u32 k = 0; k < job->nargs; k++) {
        mem_free(job->args[k].data);
        mem_free(job->args[k].want);
    }
    buf_free(&job->print);
}

/* --- comparison ------------------------------------------------------------------------------- */

/* position on the line of all floats */
static i64 ordinal(float f)
{
    const u32 b = float_bits(f);
    return b >> 31 ? -(i64)(b & 0x7fffffff) : (i64)b;
}

static double as_float(u32 bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

static bool close_enough(const void *got, const void *want, i32 ulp)
{
    float a, b;
    memcpy(&a, got, sizeof a);
    memcpy(&b, want, sizeof b);
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    return llabs(ordinal(a) - ordinal(b)) <= ulp;
}

static void compare(const Test *t, u32 lanes, u32 index, const KitArg *a)
{
    const u8 *got = a->data, *want = a->want;
    for (u32 i = 0; i < a->size && memcmp(got, want, a->size); i += 4) {
        const u32 n = a->size - i < 4 ? a->size - i : 4;
        u32 g = 0, w = 0;
        memcpy(&g, got + i, n);
        memcpy(&w, want + i, n);
        if (a->ulp < 0 ? g != w : !close_enough(got + i, want + i, a->ulp))
            fail_msg("%s: %s, %u lanes: argument %u, byte %u: %08x (%g), should be %08x (%g)",
                     t->file->name, t->c->kernel, lanes, index, i, g, as_float(g), w, as_float(w));
    }
}

static void run_case(const Test *t, u32 lanes)
{
    KitJob job;
    Buf why = {0}, print = {0};
    bool prints = true;
    seed = lanes;
    make_job(&job, t->c);
    job.lanes = lanes;
    t->c->reference(&job);
    if (!kit_run(t->file->program, t->c->kernel, lanes, &job, &print, &prints, &why))
        fail_msg("%s: %s, %u lanes: %s", t->file->name, t->c->kernel, lanes, buf_text(&why));
    for (u32 k = 0; k < job.nargs; k++)
        if (job.args[k].kind == KIT_BUFFER)
            compare(t, lanes, k, &job.args[k]);
    if (prints && strcmp(buf_text(&print), buf_text(&job.print)))
        fail_msg("%s: %s, %u lanes printed:\n%sshould be:\n%s", t->file->name, t->c->kernel, lanes,
                 buf_text(&print), buf_text(&job.print));
    buf_free(&print);
    free_job(&job);
}

/* --- tests ---------------------------------------------------------------------------- */

static void read_source(const char *path, Buf *b)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s: cannot be read", path);
    for (int c; (c = getc(f)) != EOF;)
        buf_put(b, &(u8){(u8)c}, 1);
    fclose(f);
}

static void build(File *f)
{
    char path[256];
    Buf source = {0}, why = {0};
    snprintf(path, sizeof path, "test/cc/%s", f->name);
    read_source(path, &source);
    f->program = kit_build(f->name, buf_text(&source), &f->option, f->option ? 1 : 0, &why);
    if (!f->program)
        fail_msg("%s: %s", path, buf_text(&why));
    buf_free(&source);
    buf_free(&why);
}

static void test(void **state)
{
    const Test *t = *state;
    const char *missing = kit_missing();
    if (missing)
        skip_because("%s", missing);
    if (!t->file->program) {
        if (t->file->tried)
            fail_msg("%s was not built", t->file->name);
        t->file->tried = true;
        build(t->file);
    }
    for (u32 lanes = 4; lanes <= 32; lanes *= 2)
        run_case(t, lanes);
}

int kit_main(const char *file, const char *option, const KitCase *cases, size_t n)
{
    struct CMUnitTest *tests = mem_zalloc(n, sizeof *tests);
    Test *t = mem_zalloc(n, sizeof *t);
    File f = {.name = file, .option = option};
    if (!tests || !t)
        return 1;
    for (size_t i = 0; i < n; i++) {
        t[i] = (Test){&f, &cases[i]};
        tests[i] = (struct CMUnitTest){cases[i].kernel, test, NULL, NULL, &t[i]};
    }
    const int failed = _cmocka_run_group_tests(file, tests, n, NULL, NULL);
    kit_free(f.program);
    mem_free(tests);
    mem_free(t);
    return failed;
}
