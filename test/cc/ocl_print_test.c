/* printf (test/cc/print.cl): the host's, in the order of work-items. */
#include "test/kit/oclkit.h"

REF(integers)
{
    const i32 *x = A(0);
    EACH
    {
        const i32 v = x[i];
        const u32 u = (u32)v;
        buf_printf(&job->print, "%d %i %u %x %X %o|%5d|%-5d|%05d|%+d|% d|%#x|%.4d\n", v, v, u, u, u,
                   u, v % 100, v % 100, v % 100, v, v, u, v % 100);
    }
}

REF(sizes)
{
    const i64 *x = A(0);
    EACH buf_printf(&job->print, "%d %d %lld %llu %llx %u %x\n", (i8)x[i], (i16)x[i],
                    (long long)x[i], (unsigned long long)x[i], (unsigned long long)x[i],
                    (unsigned)(u8)x[i], (unsigned)(u16)x[i]);
}

REF(narrow)
{
    const i32 *x = A(0);
    EACH
    {
        const i32 v = x[i];
        const u32 h = (u16)v, b = (u8)v;
        buf_printf(&job->print, "%x %x %d %d %u %u %o %o %X %d\n", h, b, (i16)v, (i8)v, h, b, h, b,
                   h, (i8)v);
        buf_printf(&job->print, "%x %x %u %u %o %d\n", h, b, h, b, (u16)(i8)v, (i16)v);
        buf_printf(&job->print, "%8x|%-6d|%+d|%#o|%.4u|%06x\n", h, (i8)v, (i16)v, b, b, h);
    }
}

/* n elements, commas between, each shown as 64 bits */
static void list(Buf *b, const char *format, const u32 *v, u32 n, i64 of(u32 v), const char *end)
{
    for (u32 k = 0; k < n; k++) {
        buf_printf(b, format, of(v[k]));
        buf_str(b, k + 1 < n ? "," : end);
    }
}
static i64 as_u8(u32 v) { return (u8)v; }
static i64 as_i8(u32 v) { return (i8)v; }
static i64 as_u16(u32 v) { return (u16)v; }
static i64 as_i16(u32 v) { return (i16)v; }
static i64 as_u32(u32 v) { return v; }
static i64 as_i32(u32 v) { return (i32)v; }
static i64 shifted(u32 v) { return (i64)v << 20; }
static i64 minus(u32 v) { return -(i64)v; }

/* the lower bits of numbers beyond the type are what convert_ without _sat gives here */
REF(vector_lengths)
{
    const u32 *x = A(0);
    Buf *b = &job->print;
    EACH
    {
        const u32 *v = x + 4 * i;
        const u32 w[16] = {v[0], v[1], v[2], v[3], v[1] * 3, v[0] * 3, v[3] * 3, v[2] * 3,
                           v[0], v[1], v[2], v[3], v[1] * 3, v[0] * 3, v[3] * 3, v[2] * 3};
        list(b, "%llx", v, 2, as_u8, " ");
        list(b, "%lld", v, 3, as_i8, " ");
        list(b, "%llo", v, 4, as_u8, " ");
        list(b, "%llu", w, 8, as_u8, " ");
        list(b, "%lld", w, 16, as_i8, "\n");
        list(b, "%llx", v, 2, as_u16, " ");
        list(b, "%lld", v, 3, as_i16, " ");
        list(b, "%llo", v, 4, as_u16, " ");
        list(b, "%llu", w, 8, as_u16, "\n");
        list(b, "%llx", v, 2, as_u32, " ");
        list(b, "%lld", v, 3, as_i32, " ");
        list(b, "%llo", w, 8, as_u32, "\n");
        list(b, "%llx", v, 2, shifted, " ");
        list(b, "%lld", v, 3, as_i32, " ");
        list(b, "%llu", v, 4, minus, "\n");
        list(b, "%6lld", v, 2, as_i16, "|");
        list(b, "%-5llx", v, 2, as_u8, "|");
        list(b, "%#llx", v, 2, as_u32, "\n");
    }
}

REF(floats)
{
    const float *x = A(0);
    EACH
    {
        const double v = (double)x[i];
        buf_printf(&job->print, "%f %e %g %.2f %10.3f %-12.1e| %G %a\n", v, v, v, v, v, v, v, v);
    }
}

REF(texts)
{
    const u32 *x = A(0);
    EACH buf_printf(&job->print, "%cA text|   right|left    |cu %% done\n", (int)('a' + x[i] % 16));
}

REF(vectors)
{
    const i32 *x = A(0);
    const float *f = A(1);
    EACH
    {
        const i32 *v = x + 4 * i;
        buf_printf(&job->print, "%d,%d,%d,%d %f,%f %x,%x,%x,%x\n", v[0], v[1], v[2], v[3],
                   (double)f[2 * i], (double)f[2 * i + 1], (u32)v[0], (u32)v[1], (u32)v[2],
                   (u32)v[3]);
    }
}

REF(small_vectors)
{
    const u8 *c = A(0);
    const i16 *s = A(1);
    EACH buf_printf(&job->print, "%u,%u,%u,%u %d,%d\n", c[4 * i], c[4 * i + 1], c[4 * i + 2],
                    c[4 * i + 3], s[2 * i], s[2 * i + 1]);
}

/* from whole numbers, which all three types have */
REF(float_vectors)
{
    static const struct {
        const char *one, *end;
        u32 n;
    } lists[] = {{"%f", "|", 4},  {"%6.2f", "|", 4}, {"%e", "|", 2}, {"%g", "|", 3},
                 {"%a", "\n", 4}, {"%f", " ", 4},    {"%f", " ", 2}};
    const u32 *x = A(0);
    Buf *b = &job->print;
    EACH
    {
        double v[4];
        for (u32 k = 0; k < 4; k++)
            v[k] = (double)x[4 * i + k] - 1000;
        for (u32 k = 0; k < countof(lists); k++)
            for (u32 e = 0; e < lists[k].n; e++) {
                buf_printf(b, lists[k].one, v[e]);
                buf_str(b, e + 1 < lists[k].n ? "," : lists[k].end);
            }
        buf_printf(b, "%f %a\n", v[0], v[1]);
    }
}

REF(some)
{
    const i32 *x = A(0);
    EACH
    {
        for (i32 k = 0; k < (x[i] & 3); k++)
            buf_printf(&job->print, "%d of %u: %d\n", k, i, x[i]);
        buf_str(&job->print, x[i] & 4 ? "plain\n" : "");
    }
}

static const KitCase cases[] = {
    CASE(integers, "20/10", "w20"),       CASE(sizes, "20/10", "q20"),
    CASE(floats, "20/10", "f20"),         CASE(texts, "20/10", "w20"),
    CASE(vectors, "20/10", "w80 f40"),    CASE(small_vectors, "20/10", "c80 h40"),
    CASE(some, "64/32", "w64"),           CASE(narrow, "20/10", "w20"),
    CASE(vector_lengths, "20/10", "w80"), CASE(float_vectors, "20/10", "w80%2048"),
};

int main(void) { return kit_main("print.cl", NULL, cases, countof(cases)); }
