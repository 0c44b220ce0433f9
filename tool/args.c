/* args.c -- SPECs of kernel arguments (args.h): reads them, makes the bytes, compares and prints.
 */
#include "tool/args.h"
#include "isa/image.h"
#include "tool/imagespec.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const u64 MOST_BYTES = (u64)1 << 31; /* of one buffer */
enum { MOST_STRUCT = 4096 };

/* Where a SPEC is being read. */
typedef struct {
    Source src;
    const char *p;
    Diag *d;
} In;

#define fail_at(in, at, ...) (error((in)->d, &(in)->src, at, __VA_ARGS__), false)

u32 arg_element_size(const ArgType *t) { return t->size * (t->lanes == 3 ? 4 : t->lanes); }

/* --- types ------------------------------------------------------------------------- */

static const struct {
    const char *name;
    ArgType type;
} types[] = {
    {"i8", {'i', 1, 1}},  {"i16", {'i', 2, 1}}, {"i32", {'i', 4, 1}}, {"i64", {'i', 8, 1}},
    {"u8", {'u', 1, 1}},  {"u16", {'u', 2, 1}}, {"u32", {'u', 4, 1}}, {"u64", {'u', 8, 1}},
    {"f32", {'f', 4, 1}}, {"f64", {'f', 8, 1}},
};

static bool parse_lanes(In *in, ArgType *t)
{
    const char *at = in->p++;
    char *end;
    const unsigned long n = strtoul(in->p, &end, 10);
    in->p = end;
    t->lanes = (u32)n;
    if (n == 2 || n == 3 || n == 4 || n == 8 || n == 16)
        return true;
    return fail_at(in, at + 1, "a vector has 2, 3, 4, 8 or 16 components");
}

static bool parse_type(In *in, ArgType *t)
{
    const char *at = in->p;
    const size_t len = strcspn(at, "x:=>");
    for (size_t i = 0; i < countof(types); i++) {
        if (strlen(types[i].name) != len || strncmp(types[i].name, at, len))
            continue;
        *t = types[i].type;
        in->p = at + len;
        return *in->p == 'x' ? parse_lanes(in, t) : true;
    }
    if (isdigit((unsigned char)*at) || *at == '-')
        return fail_at(in, at, "a value needs its type, such as %s:%s",
                       strchr(at, '.') ? "f32" : "i32", at);
    static const char *const ours[][2] = {
        {"char", "i8"},  {"uchar", "u8"}, {"short", "i16"}, {"ushort", "u16"}, {"int", "i32"},
        {"uint", "u32"}, {"long", "i64"}, {"ulong", "u64"}, {"float", "f32"},  {"double", "f64"}};
    for (size_t i = 0; i < countof(ours); i++)
        if (len == strlen(ours[i][0]) && !memcmp(at, ours[i][0], len))
            return fail_at(in, at, "the type %s of OpenCL C is %s here", ours[i][0], ours[i][1]);
    return fail_at(in, at,
                   "'%.*s' is no type: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; nor one of: "
                   "local struct packed buf rbuf wbuf hbuf img sampler",
                   (int)len, at);
}

static bool expect(In *in, char c)
{
    if (*in->p != c)
        return fail_at(in, in->p, "expected '%c'", c);
    in->p++;
    return true;
}

/* --- numbers -------------------------------------------------------------------------- */

static void put_little(u8 *to, u64 v, u32 size)
{
    for (u32 i = 0; i < size; i++)
        to[i] = (u8)(v >> 8 * i);
}

static u64 get_little(const u8 *from, u32 size)
{
    u64 v = 0;
    for (u32 i = 0; i < size; i++)
        v |= (u64)from[i] << 8 * i;
    return v;
}

static bool ends_number(char c) { return !c || strchr(",>:=~/", c); }

static void put_float(u8 *to, double v, u32 size)
{
    if (size == 8) {
        memcpy(to, &v, 8);
    } else {
        const float f = (float)v;
        memcpy(to, &f, 4);
    }
}

static bool parse_float(In *in, u32 size, u8 *to)
{
    char *end;
    errno = 0;
    /* a float is rounded once, from the text */
    const double v = size == 4 ? (double)strtof(in->p, &end) : strtod(in->p, &end);
    if (end == in->p || isspace((unsigned char)*in->p) || !ends_number(*end))
        return fail_at(in, in->p, "expected a number");
    if (errno == ERANGE && isinf(v))
        return fail_at(in, in->p, "the number is too large for f%u", size * 8);
    in->p = end;
    put_float(to, v, size);
    return true;
}

/* decimal values of the type's range; hexadecimal ones may also be its bit patterns */
static bool parse_integer(In *in, const ArgType *t, u8 *to)
{
    const char *at = in->p;
    const bool negative = *at == '-';
    const char *digits = at + negative;
    const bool is_hex = digits[0] == '0' && (digits[1] | 32) == 'x';
    const u64 bits = t->size == 8 ? UINT64_MAX : ((u64)1 << t->size * 8) - 1;
    const u64 most = t->kind == 'u' ? (negative ? 0 : bits)
                     : negative     ? bits / 2 + 1
                     : is_hex       ? bits
                                    : bits / 2;
    char *end;
    errno = 0;
    const u64 v = strtoull(digits, &end, is_hex ? 16 : 10);
    if (!isdigit((unsigned char)*digits) || !ends_number(*end))
        return fail_at(in, at, "expected a whole number");
    if (errno || v > most)
        return fail_at(in, at, "%.*s does not fit in %c%u", (int)(end - at), at, t->kind,
                       t->size * 8);
    in->p = end;
    put_little(to, negative ? 0 - v : v, t->size);
    return true;
}

static bool parse_component(In *in, const ArgType *t, u8 *to)
{
    return t->kind == 'f' ? parse_float(in, t->size, to) : parse_integer(in, t, to);
}

static bool parse_count(In *in, const char *what, u64 *n)
{
    const char *at = in->p;
    char *end;
    errno = 0;
    *n = strtoull(at, &end, 0);
    if (!isdigit((unsigned char)*at) || errno)
        return fail_at(in, at, "expected %s", what);
    in->p = end;
    return true;
}

/* --- contents of buffers ------------------------------------------------------------------ */

/* the byte offset of component i, counted through the buffer without padding */
static u64 component_at(const ArgType *t, u64 i)
{
    return i / t->lanes * arg_element_size(t) + i % t->lanes * t->size;
}

static void put_number(const ArgType *t, u8 *to, u64 v)
{
    if (t->kind == 'f')
        put_float(to, (double)v, t->size);
    else
        put_little(to, v, t->size);
}

/* splitmix64: its state is a counter, so the sequence is the same everywhere */
static u64 next_random(u64 *state)
{
    u64 z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void fill_random(const Arg *a, u64 seed, u8 *bytes)
{
    for (u64 i = 0; i < a->count * a->type.lanes; i++) {
        const u64 r = next_random(&seed);
        u8 *to = bytes + component_at(&a->type, i);
        if (a->type.kind != 'f')
            put_little(to, r, a->type.size);
        else if (a->type.size == 4)
            put_float(to, (double)(r >> 40) * 0x1p-24, 4);
        else
            put_float(to, (double)(r >> 11) * 0x1p-53, 8);
    }
}

/* One value fills the buffer; more are its first components and the rest stays zero, which is
 * refused where `whole` asks for all. */
static bool fill_list(In *in, const Arg *a, u8 *bytes, bool whole)
{
    const char *at = in->p;
    const u64 n = a->count * a->type.lanes;
    u8 one[8];
    u64 i = 0;
    do {
        in->p += i > 0;
        if (i == n)
            return fail_at(in, in->p, "more than the %llu values that the buffer holds",
                           (unsigned long long)n);
        if (!parse_component(in, &a->type, one))
            return false;
        memcpy(bytes + component_at(&a->type, i++), one, a->type.size);
    } while (*in->p == ',');
    for (u64 k = 1; i == 1 && k < n; k++)
        memcpy(bytes + component_at(&a->type, k), one, a->type.size);
    return !whole || i == 1 || i == n ||
           fail_at(in, at, "%llu values for the %llu of the buffer: give one, or all",
                   (unsigned long long)i, (unsigned long long)n);
}

/* A picture as the pixels of an image. */
static bool fill_picture(In *in, const char *file, const Arg *a, const Buf *b, u8 *bytes)
{
    Raster r;
    if (!raster_read(file, b->data, b->len, &r, in->d))
        return false;
    const char *why = image_fill(a, &r, bytes);
    raster_free(&r);
    return !why || fail_at(in, in->p, "%s: %s", file, why);
}

static bool fill_file(In *in, const Arg *a, u8 *bytes, bool whole)
{
    const char *at = in->p, *check = whole ? strrchr(at, '~') : strstr(at, "==");
    const size_t to_out = strcspn(at, ">");
    const size_t len = check && (size_t)(check - at) < to_out ? (size_t)(check - at) : to_out;
    char *file = mem_strndup(at, len);
    Buf b = {0};
    if (!file)
        out_of_memory();
    bool ok = a->kind == SPEC_IMAGE ? read_file(file, &b, in->d)
                                    : read_start(file, a->size + 1, &b, in->d);
    if (ok && a->kind == SPEC_IMAGE && raster_is(b.data, b.len)) {
        ok = fill_picture(in, file, a, &b, bytes);
        b.len = 0;
    } else if (ok && b.len > a->size)
        ok = fail_at(in, at, "%s has more than the buffer's %llu bytes", file,
                     (unsigned long long)a->size);
    else if (ok && whole && b.len < a->size)
        ok = fail_at(in, at, "%s has %zu bytes, the buffer %llu", file, b.len,
                     (unsigned long long)a->size);
    if (ok && b.len)
        memcpy(bytes, b.data, b.len);
    in->p += len;
    mem_free(file);
    buf_free(&b);
    return ok;
}

static bool starts(In *in, const char *word)
{
    const size_t len = strlen(word);
    if (strncmp(in->p, word, len))
        return false;
    in->p += len;
    return true;
}

/* Reads what a buffer holds before the run, or (whole) must hold after it, into `bytes`, which are
 * 0.
 */
static bool parse_contents(In *in, const Arg *a, u8 *bytes, bool whole)
{
    if (starts(in, "zero"))
        return true;
    if (starts(in, "iota")) {
        for (u64 i = 0; i < a->count * a->type.lanes; i++)
            put_number(&a->type, bytes + component_at(&a->type, i), i);
        return true;
    }
    if (starts(in, "rand:")) {
        u64 seed;
        if (!parse_count(in, "a seed", &seed))
            return false;
        fill_random(a, seed, bytes);
        return true;
    }
    if (starts(in, "@"))
        return fill_file(in, a, bytes, whole);
    return fill_list(in, a, bytes, whole);
}

/* --- what is to be done with a buffer afterwards -------------------------------------------- */

static bool parse_window(In *in, Arg *a)
{
    const char *at = in->p;
    u64 n;
    if (!parse_count(in, "the first element to print", &a->first) || !expect(in, ':') ||
        !parse_count(in, "how many to print", &n))
        return false;
    if (a->first > a->count || n > a->count - a->first)
        return fail_at(in, at, "the buffer has only %llu elements", (unsigned long long)a->count);
    a->shown = n;
    return true;
}

static bool parse_out(In *in, Arg *a)
{
    if (in->p[0] == '-' && (!in->p[1] || in->p[1] == ':')) {
        a->print = true;
        a->shown = a->count;
        in->p++;
        return *in->p != ':' || (in->p++, parse_window(in, a));
    }
    if (!*in->p)
        return fail_at(in, in->p, "expected - or a file after '>'");
    a->out = mem_strdup(in->p);
    in->p += strlen(in->p);
    if (!a->out)
        out_of_memory();
    return true;
}

/* WANT[~TOLERANCE] */
static bool parse_want(In *in, Arg *a)
{
    char *end;
    a->want = mem_zalloc(1, a->size);
    if (!a->want)
        out_of_memory();
    if (!parse_contents(in, a, a->want, true))
        return false;
    if (!starts(in, "~"))
        return true;
    a->tolerance = strtod(in->p, &end);
    if (end == in->p || !ends_number(*end) || !(a->tolerance >= 0) || isinf(a->tolerance))
        return fail_at(in, in->p, "expected a tolerance such as 1e-6");
    if (a->type.kind != 'f')
        return fail_at(in, in->p, "whole numbers are compared exactly");
    in->p = end;
    return true;
}

/* Room for a->size bytes, of zeros. */
static void make_bytes(Arg *a)
{
    a->bytes = mem_zalloc(1, a->size);
    if (!a->bytes)
        out_of_memory();
}

/* [=INIT][==WANT[~TOLERANCE]][>OUT] */
static bool parse_use(In *in, Arg *a)
{
    if (starts(in, "=none")) /* memory is zero, but nobody has written it */
        a->is_unwritten = true;
    else if (in->p[0] == '=' && in->p[1] != '=' &&
             (in->p++, !parse_contents(in, a, a->bytes, false)))
        return false;
    if (starts(in, "==") && !parse_want(in, a))
        return false;
    return *in->p != '>' || (in->p++, parse_out(in, a));
}

static bool parse_buffer(In *in, Arg *a)
{
    const char *at;
    if (!parse_type(in, &a->type) || !expect(in, ':'))
        return false;
    at = in->p;
    if (!parse_count(in, "a number of elements", &a->count))
        return false;
    if (!a->count || a->count > MOST_BYTES / arg_element_size(&a->type))
        return fail_at(in, at, "a buffer has from 1 byte to 2 GiB");
    a->size = a->count * arg_element_size(&a->type);
    make_bytes(a);
    return parse_use(in, a);
}

/* --- images ------------------------------------------------------------------------------- */

/* Whether the text begins with WxHxD. */
static bool is_size(const char *p)
{
    const size_t n = strspn(p, "0123456789x");
    return isdigit((unsigned char)*p) && (!p[n] || strchr(":=>", p[n]));
}

static bool parse_sizes(In *in, Arg *a)
{
    do {
        in->p += a->dims > 0;
        if (a->dims == countof(a->sizes))
            return fail_at(in, in->p, "an image has one to three dimensions");
        char *end;
        const u64 n = strtoull(in->p, &end, 10); /* 0x is no hexadecimal number here */
        if (!n || n > RASTER_MOST)
            return fail_at(in, in->p, "a dimension has from 1 to %d pixels", RASTER_MOST);
        in->p = end;
        a->sizes[a->dims++] = (u32)n;
    } while (*in->p == 'x');
    return true;
}

static bool parse_format(In *in, Arg *a)
{
    const size_t len = strcspn(in->p, "=>");
    if (!image_format(in->p, len, &a->format, &a->type))
        return fail_at(in, in->p,
                       "'%.*s' is no format: r rg rgba bgra srgba sbgra depth, and 8 16 8_snorm "
                       "16_snorm 8i 16i 32i 8ui 16ui 32ui 16f 32f",
                       (int)len, in->p);
    in->p += len;
    return true;
}

/* A format, or this one; then the image has room for its pixels. */
static bool make_pixels(In *in, Arg *a, const char *format)
{
    image_format(format, strlen(format), &a->format, &a->type);
    if (starts(in, ":") && !parse_format(in, a))
        return false;
    a->count = (u64)a->sizes[0] * a->sizes[1] * a->sizes[2];
    if (a->count > MOST_BYTES / arg_element_size(&a->type))
        return fail_at(in, in->p, "an image has at most 2 GiB");
    a->size = a->count * arg_element_size(&a->type);
    make_bytes(a);
    return true;
}

/* FILE[:FORMAT] */
static bool parse_picture(In *in, Arg *a)
{
    const char *at = in->p, *want = strstr(at, "==");
    const size_t most = strcspn(at, ":>"),
                 len = want && (size_t)(want - at) < most ? (size_t)(want - at) : most;
    char *file = mem_strndup(at, len);
    Buf b = {0};
    Raster r = {0};
    if (!file)
        out_of_memory();
    in->p += len;
    bool ok = read_file(file, &b, in->d) && raster_read(file, b.data, b.len, &r, in->d);
    if (ok) {
        a->dims = 2;
        a->sizes[0] = r.width;
        a->sizes[1] = r.height;
        ok = make_pixels(in, a, image_format_of(&r));
        const char *why = ok ? image_fill(a, &r, a->bytes) : NULL;
        ok = ok && (!why || fail_at(in, at, "%s: %s", file, why));
    }
    raster_free(&r);
    buf_free(&b);
    mem_free(file);
    return ok;
}

static bool parse_image(In *in, Arg *a)
{
    a->sizes[0] = a->sizes[1] = a->sizes[2] = 1;
    const bool ok =
        is_size(in->p) ? parse_sizes(in, a) && make_pixels(in, a, "rgba8") : parse_picture(in, a);
    return ok && parse_use(in, a);
}

static bool parse_sampler(In *in, Arg *a)
{
    static const struct {
        const char *name;
        u32 field, bits;
    } words[] = {
        {"none", SAMPLER_ADDRESS, SAMPLER_NONE},
        {"edge", SAMPLER_ADDRESS, SAMPLER_EDGE},
        {"border", SAMPLER_ADDRESS, SAMPLER_BORDER},
        {"repeat", SAMPLER_ADDRESS, SAMPLER_REPEAT},
        {"mirror", SAMPLER_ADDRESS, SAMPLER_MIRROR},
        {"nearest", SAMPLER_NEAREST | SAMPLER_LINEAR, SAMPLER_NEAREST},
        {"linear", SAMPLER_NEAREST | SAMPLER_LINEAR, SAMPLER_LINEAR},
        {"pixels", SAMPLER_NORMALIZED, 0},
        {"normalized", SAMPLER_NORMALIZED, SAMPLER_NORMALIZED},
    };
    u32 word = SAMPLER_NEAREST;
    do {
        in->p += *in->p == ',';
        const size_t len = strcspn(in->p, ",");
        size_t i = 0;
        while (i < countof(words) &&
               (strlen(words[i].name) != len || strncmp(words[i].name, in->p, len)))
            i++;
        if (i == countof(words))
            return fail_at(in, in->p,
                           "a sampler is none edge border repeat mirror, nearest linear, pixels "
                           "normalized");
        word = (word & ~words[i].field) | words[i].bits;
        in->p += len;
    } while (*in->p);
    a->type = (ArgType){'u', 4, 1};
    a->count = 1;
    a->size = sizeof word;
    make_bytes(a);
    put_little(a->bytes, word, sizeof word);
    return true;
}

/* --- one argument --------------------------------------------------------------------- */

static bool parse_local(In *in, Arg *a)
{
    const char *at = in->p;
    if (!parse_count(in, "a number of bytes", &a->count))
        return false;
    if (!a->count || a->count > (u64)1 << 28)
        return fail_at(in, at, "local memory has from 1 byte to 256 MiB");
    return true;
}

/* One value of type t, n components of which are given: all, or one for all. */
static bool parse_components(In *in, const ArgType *t, u8 *to)
{
    for (u32 i = 0; i < t->lanes; i++) {
        if (i == 1 && *in->p != ',') {
            for (; i < t->lanes; i++)
                memcpy(to + i * t->size, to, t->size);
            return true;
        }
        if ((i && !expect(in, ',')) || !parse_component(in, t, to + i * t->size))
            return false;
    }
    return true;
}

static bool parse_value(In *in, Arg *a)
{
    if (!parse_type(in, &a->type) || !expect(in, ':'))
        return false;
    a->count = 1;
    a->size = a->align = arg_element_size(&a->type);
    make_bytes(a);
    return parse_components(in, &a->type, a->bytes);
}

/* Grows the argument to `size` bytes, the new ones 0. */
static void grow_bytes(Arg *a, u64 size)
{
    if (size == a->size)
        return;
    if (!(a->bytes = mem_realloc(a->bytes, size, 1)))
        out_of_memory();
    memset(a->bytes + a->size, 0, size - a->size);
    a->size = size;
}

/* A member of a structure, which begins at a multiple of `align` bytes; of a scalar type, several
 * values are an array. */
static bool parse_member(In *in, const ArgType *t, u32 align, Arg *a)
{
    const u32 size = arg_element_size(t);
    const char *at = in->p;
    grow_bytes(a, align_up(a->size, align));
    do {
        in->p += *in->p == ',';
        if (a->size + size > MOST_STRUCT)
            return fail_at(in, at, "a structure has at most %d bytes", MOST_STRUCT);
        grow_bytes(a, a->size + size);
        if (!parse_components(in, t, a->bytes + a->size - size))
            return false;
    } while (t->lanes == 1 && *in->p == ',');
    return true;
}

/* TYPE:V,..[/TYPE:V,..].. as a structure of C has them; `packed`: without padding. */
static bool parse_struct(In *in, Arg *a, bool packed)
{
    ArgType t;
    a->is_struct = true;
    a->count = a->align = 1;
    do {
        in->p += *in->p == '/';
        if (!parse_type(in, &t) || !expect(in, ':'))
            return false;
        const u32 align = packed ? 1 : arg_element_size(&t);
        a->align = align > a->align ? align : a->align;
        if (!parse_member(in, &t, align, a))
            return false;
    } while (*in->p == '/');
    grow_bytes(a, align_up(a->size, a->align));
    return true;
}

bool arg_parse(const char *spec, size_t number, Arg *a, Diag *d)
{
    char name[32];
    In in = {.src = {.name = name, .text = spec}, .p = spec, .d = d};
    bool ok;
    snprintf(name, sizeof name, "argument %zu", number);
    *a = (Arg){0};
    a->is_high = !strncmp(spec, "hbuf:", 5);
    a->no_write = !strncmp(spec, "rbuf:", 5);
    a->no_read = !strncmp(spec, "wbuf:", 5);
    if (starts(&in, "buf:") || starts(&in, "hbuf:") || starts(&in, "rbuf:") ||
        starts(&in, "wbuf:")) {
        a->kind = SPEC_BUFFER;
        ok = parse_buffer(&in, a);
    } else if (starts(&in, "img:")) {
        a->kind = SPEC_IMAGE;
        ok = parse_image(&in, a);
    } else if (starts(&in, "sampler:")) {
        ok = parse_sampler(&in, a);
    } else if (starts(&in, "struct:") || starts(&in, "packed:")) {
        ok = parse_struct(&in, a, *spec == 'p');
    } else if (starts(&in, "local:")) {
        a->kind = SPEC_LOCAL;
        ok = parse_local(&in, a);
    } else {
        ok = parse_value(&in, a);
    }
    return ok && (!*in.p || fail_at(&in, in.p, "what follows is not understood"));
}

void arg_free(Arg *a)
{
    mem_free(a->bytes);
    mem_free(a->want);
    mem_free(a->out);
    *a = (Arg){0};
}

/* --- printing ------------------------------------------------------------------------- */

/* The fewest digits that read back as the same float, without an exponent where that is
 * about as short. */
static void put_shortest(Buf *out, double v, bool is_double)
{
    char text[40];
    int digits = 0;
    if (isnan(v) || isinf(v)) {
        buf_str(out, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
        return;
    }
    do
        snprintf(text, sizeof text, "%.*e", digits++, v);
    while (digits < 17 && (is_double ? strtod(text, NULL) != v : strtof(text, NULL) != (float)v));
    const int exponent = atoi(strchr(text, 'e') + 1), decimals = digits - 1 - exponent;
    if (exponent < -5 || exponent >= (is_double ? 16 : 9))
        buf_printf(out, "%.*g", digits, v);
    else
        buf_printf(out, "%.*f", decimals > 0 ? decimals : 0, v);
}

static void put_component(Buf *out, const ArgType *t, const u8 *from)
{
    const u64 v = get_little(from, t->size);
    if (t->kind == 'u') {
        buf_printf(out, "%llu", (unsigned long long)v);
    } else if (t->kind == 'i') {
        buf_printf(out, "%lld", (long long)sign_extend(v, (int)t->size * 8));
    } else if (t->size == 4) {
        float f;
        memcpy(&f, from, 4);
        put_shortest(out, (double)f, false);
    } else {
        double f;
        memcpy(&f, from, 8);
        put_shortest(out, f, true);
    }
}

static double float_at(const u8 *from, u32 size)
{
    double d;
    float f;
    if (size == 8)
        memcpy(&d, from, 8);
    else
        d = (memcpy(&f, from, 4), (double)f);
    return d;
}

static bool component_matches(const Arg *a, u64 at)
{
    const u32 size = a->type.size;
    if (!memcmp(a->bytes + at, a->want + at, size))
        return true;
    if (a->type.kind != 'f')
        return false;
    const double got = float_at(a->bytes + at, size), want = float_at(a->want + at, size);
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got);
    if (isinf(want)) /* no number is near */
        return got == want;
    return got == want || fabs(got - want) <= a->tolerance * fmax(1, fabs(want));
}

bool arg_matches(const Arg *a, size_t number, Buf *why)
{
    const u64 n = a->count * a->type.lanes;
    u64 differ = 0, first = 0;
    for (u64 i = 0; i < n; i++)
        if (!component_matches(a, component_at(&a->type, i)) && !differ++)
            first = i;
    if (!differ)
        return true;
    buf_printf(why, "argument %zu: element %llu", number,
               (unsigned long long)(first / a->type.lanes));
    if (a->type.lanes > 1)
        buf_printf(why, ", component %llu,", (unsigned long long)(first % a->type.lanes));
    buf_str(why, " is ");
    put_component(why, &a->type, a->bytes + component_at(&a->type, first));
    buf_str(why, ", should be ");
    put_component(why, &a->type, a->want + component_at(&a->type, first));
    buf_printf(why, "; %llu of %llu differ", (unsigned long long)differ, (unsigned long long)n);
    return false;
}

void arg_print(const Arg *a, size_t number, Buf *out)
{
    const u64 end = a->first + a->shown, step = a->type.lanes > 1 ? 4 : 16;
    for (u64 line = a->first; line < end; line += step) {
        const u64 stop = line + step < end ? line + step : end;
        buf_printf(out, "arg%zu[%llu..%llu]:", number, (unsigned long long)line,
                   (unsigned long long)stop - 1);
        for (u64 i = line; i < stop; i++)
            for (u32 k = 0; k < a->type.lanes; k++) {
                buf_str(out, k ? "," : " ");
                put_component(out, &a->type,
                              a->bytes + i * arg_element_size(&a->type) + k * a->type.size);
            }
        buf_str(out, "\n");
    }
}
