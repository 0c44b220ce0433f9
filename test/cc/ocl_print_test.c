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
    CASE(integers, "20/10", "w20"),    CASE(sizes, "20/10", "q20"),
    CASE(floats, "20/10", "f20"),      CASE(texts, "20/10", "w20"),
    CASE(vectors, "20/10", "w80 f40"), CASE(small_vectors, "20/10", "c80 h40"),
    CASE(some, "64/32", "w64"),
};

int main(void) { return kit_main("print.cl", NULL, cases, countof(cases)); }
