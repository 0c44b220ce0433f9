/* raster.c -- pictures in files (raster.h); PNG by libpng, where the build found it. */
#include "tool/raster.h"
#include "tool/tool.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool refuse(Diag *d, const char *file, const char *why)
{
    error(d, &(Source){.name = file, .text = ""}, NULL, "%s", why);
    return false;
}

void raster_free(Raster *r)
{
    mem_free(r->sample);
    *r = (Raster){0};
}

/* Makes room for the samples.  False: it has no sensible size. */
static bool make_room(const char *file, Raster *r, Diag *d)
{
    if (!r->width || !r->height || r->width > RASTER_MOST || r->height > RASTER_MOST)
        return refuse(d, file, "pictures have from 1 to 16384 pixels each way");
    r->sample = mem_zalloc((size_t)r->width * r->height * r->samples, sizeof *r->sample);
    if (!r->sample)
        out_of_memory();
    return true;
}

static size_t count_samples(const Raster *r) { return (size_t)r->width * r->height * r->samples; }

/* --- netpbm ---------------------------------------------------------------------------------- */

/* Where the text of a header is being read. */
typedef struct {
    const u8 *p, *end;
} Text;

/* A number after blanks and comments.  False: there is none, or it is larger than `most`. */
static bool take_number(Text *t, u32 most, u32 *n)
{
    while (t->p < t->end && (isspace(*t->p) || *t->p == '#'))
        if (*t->p++ == '#')
            while (t->p < t->end && *t->p != '\n')
                t->p++;
    const u8 *first = t->p;
    for (*n = 0; t->p < t->end && isdigit(*t->p) && *n <= most; t->p++)
        *n = *n * 10 + (u32)(*t->p - '0');
    return t->p > first && *n <= most;
}

static bool read_netpbm(const char *file, const u8 *bytes, size_t len, Raster *r, Diag *d)
{
    const bool is_text = bytes[1] < '5';
    Text t = {bytes + 2, bytes + len};
    r->samples = bytes[1] == '3' || bytes[1] == '6' ? 3 : 1;
    if (!take_number(&t, INT32_MAX / 10, &r->width) ||
        !take_number(&t, INT32_MAX / 10, &r->height) || !take_number(&t, UINT16_MAX, &r->most) ||
        !r->most)
        return refuse(d, file, "the head of the picture is damaged");
    if (!make_room(file, r, d))
        return false;
    const size_t n = count_samples(r), size = r->most > 255 ? 2 : 1;
    if (!is_text && (t.p == t.end || (size_t)(t.end - ++t.p) < n * size))
        return refuse(d, file, "the picture is cut off");
    for (size_t i = 0; i < n; i++) {
        u32 v;
        if (is_text && !take_number(&t, r->most, &v))
            return refuse(d, file, "the picture is cut off, or a value is too large");
        if (!is_text)
            v = size == 1 ? t.p[i] : (u32)t.p[2 * i] << 8 | t.p[2 * i + 1];
        if (v > r->most)
            return refuse(d, file, "a value of the picture is too large");
        r->sample[i] = (u16)v;
    }
    return true;
}

static bool write_netpbm(const char *file, const Raster *r, u32 samples, Diag *d)
{
    Buf b = {0};
    buf_printf(&b, "P%c\n%u %u\n%u\n", samples == 1 ? '5' : '6', r->width, r->height, r->most);
    for (size_t i = 0; i < (size_t)r->width * r->height; i++)
        for (u32 k = 0; k < samples; k++) {
            const u16 v = r->sample[i * r->samples + k];
            const u8 bytes[2] = {(u8)(v >> 8), (u8)v};
            buf_put(&b, r->most > 255 ? bytes : bytes + 1, r->most > 255 ? 2 : 1);
        }
    if (b.failed)
        out_of_memory();
    const bool ok = write_file(file, b.data, b.len, d);
    buf_free(&b);
    return ok;
}

/* --- PNG ------------------------------------------------------------------------------------- */

static const u8 png_head[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

#ifdef HAVE_PNG
#include <png.h>

/* What the functions that libpng calls know. */
typedef struct {
    const char *file;
    Diag *d;
    const u8 *from; /* what is left to read */
    size_t left;
    Buf to;
} Stream;

static _Noreturn void on_error(png_structp png, const char *why)
{
    const Stream *s = png_get_error_ptr(png);
    refuse(s->d, s->file, why);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, const char *why) { (void)png, (void)why; }

static void give_bytes(png_structp png, png_bytep to, size_t n)
{
    Stream *s = png_get_io_ptr(png);
    if (n > s->left)
        png_error(png, "the picture is cut off");
    memcpy(to, s->from, n);
    s->from += n;
    s->left -= n;
}

static void take_bytes(png_structp png, png_bytep from, size_t n)
{
    buf_put(&((Stream *)png_get_io_ptr(png))->to, from, n);
}

static void flush_nothing(png_structp png) { (void)png; }

/* Reads the head; what libpng is to make of pixels: whole bytes, alpha as a sample, no palette, 16
 * bits as the host has them. */
static bool begin_read(png_structp png, png_infop info, const Stream *s, Raster *r)
{
    png_read_info(png, info);
    png_set_expand(png);
    png_set_swap(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    r->width = png_get_image_width(png, info);
    r->height = png_get_image_height(png, info);
    r->samples = png_get_channels(png, info);
    r->most = png_get_bit_depth(png, info) == 16 ? 65535 : 255;
    return make_room(s->file, r, s->d);
}

/* libpng jumps back to here when it fails; what is written after setjmp() lies behind pointers. */
static bool run_read(png_structp png, png_infop info, const Stream *s, Raster *r, u8 **rows)
{
    if (setjmp(png_jmpbuf(png)))
        return false;
    if (!begin_read(png, info, s, r))
        return false;
    const size_t row = png_get_rowbytes(png, info);
    *rows = mem_zalloc(r->height, row);
    if (!*rows)
        out_of_memory();
    for (int pass = png_set_interlace_handling(png); pass; pass--)
        for (u32 y = 0; y < r->height; y++)
            png_read_row(png, *rows + y * row, NULL);
    for (size_t i = 0, n = count_samples(r); i < n; i++)
        if (r->most == 255)
            r->sample[i] = (*rows)[i];
        else
            memcpy(&r->sample[i], *rows + 2 * i, 2);
    return true;
}

static bool read_png(const char *file, const u8 *bytes, size_t len, Raster *r, Diag *d)
{
    Stream s = {.file = file, .d = d, .from = bytes, .left = len};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &s, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    u8 *rows = NULL;
    if (!info)
        out_of_memory();
    png_set_read_fn(png, &s, give_bytes);
    const bool ok = run_read(png, info, &s, r, &rows);
    mem_free(rows);
    png_destroy_read_struct(&png, &info, NULL);
    return ok;
}

static bool run_write(png_structp png, png_infop info, const Raster *r, u8 *row)
{
    static const int colour[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                 PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGBA};
    if (setjmp(png_jmpbuf(png)))
        return false;
    png_set_IHDR(png, info, r->width, r->height, r->most == 255 ? 8 : 16, colour[r->samples],
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (u32 y = 0; y < r->height; y++) {
        u8 *to = row;
        for (size_t k = 0; k < (size_t)r->width * r->samples; k++) {
            const u16 v = r->sample[(size_t)y * r->width * r->samples + k];
            if (r->most > 255)
                *to++ = (u8)(v >> 8);
            *to++ = (u8)v;
        }
        png_write_row(png, row);
    }
    png_write_end(png, info);
    return true;
}

static bool write_png(const char *file, const Raster *r, Diag *d)
{
    Stream s = {.file = file, .d = d};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &s, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    u8 *row = mem_alloc((size_t)r->width * r->samples * 2);
    if (!info || !row)
        out_of_memory();
    png_set_write_fn(png, &s, take_bytes, flush_nothing);
    const bool made = run_write(png, info, r, row);
    png_destroy_write_struct(&png, &info);
    mem_free(row);
    if (s.to.failed)
        out_of_memory();
    const bool ok = made && write_file(file, s.to.data, s.to.len, d);
    buf_free(&s.to);
    return ok;
}
#else
static const char no_png[] = "PNG needs a build with libpng (libpng-dev); PGM and PPM do without";

static bool read_png(const char *file, const u8 *bytes, size_t len, Raster *r, Diag *d)
{
    (void)bytes, (void)len, (void)r;
    return refuse(d, file, no_png);
}

static bool write_png(const char *file, const Raster *r, Diag *d)
{
    (void)r;
    return refuse(d, file, no_png);
}
#endif

/* --- either ---------------------------------------------------------------------------------- */

static bool is_png(const u8 *bytes, size_t len)
{
    return len >= sizeof png_head && !memcmp(bytes, png_head, sizeof png_head);
}

static bool is_netpbm(const u8 *bytes, size_t len)
{
    return len > 2 && bytes[0] == 'P' && strchr("2356", bytes[1]) && bytes[1] && isspace(bytes[2]);
}

bool raster_is(const u8 *bytes, size_t len) { return is_png(bytes, len) || is_netpbm(bytes, len); }

bool raster_read(const char *file, const u8 *bytes, size_t len, Raster *r, Diag *d)
{
    *r = (Raster){0};
    if (!raster_is(bytes, len))
        return refuse(d, file, "no picture: PNG, PGM or PPM");
    const bool ok = (is_png(bytes, len) ? read_png : read_netpbm)(file, bytes, len, r, d);
    if (!ok)
        raster_free(r);
    return ok;
}

bool raster_is_name(const char *file)
{
    return has_suffix(file, ".png") || has_suffix(file, ".pgm") || has_suffix(file, ".ppm");
}

bool raster_write(const char *file, const Raster *r, Diag *d)
{
    if (has_suffix(file, ".png"))
        return write_png(file, r, d);
    if (has_suffix(file, ".pgm"))
        return r->samples == 1
                   ? write_netpbm(file, r, 1, d)
                   : refuse(d, file, "a PGM is grey; the image has colours: .ppm or .png");
    return r->samples >= 3 ? write_netpbm(file, r, 3, d)
                           : refuse(d, file, "a PPM has colours; the image has none: .pgm or .png");
}
