/* Dimensions that are known at run time (test/cc/dimension.cl). */
#include "test/kit/oclkit.h"

static void all_of(const KitJob *job, u32 i, u32 d, u32 out[8])
{
    const u32 *n = job->global, *l = job->local;
    const u32 id[] = {i % n[0], i / n[0] % n[1], i / (n[0] * n[1])};
    const bool is = d < 3;
    out[0] = is ? id[d] : 0;
    out[1] = is ? id[d] / l[d] : 0;
    out[2] = is ? id[d] % l[d] : 0;
    out[3] = is ? n[d] : 1;
    out[4] = out[7] = is ? l[d] : 1;
    out[5] = is ? n[d] / l[d] : 1;
    out[6] = 0;
}

REF(of_argument)
{
    u32 *out = A(1);
    EACH all_of(job, i, VALUE(u32, 0), out + 8 * i);
}

REF(of_lane)
{
    const u8 *in = A(0);
    u32 *out = A(1);
    EACH all_of(job, i, in[i] & 3, out + 8 * i);
}

REF(ids_of_argument)
{
    u32 *out = A(1), x[8];
    EACH
    {
        all_of(job, i, VALUE(u32, 0), x);
        out[i] = x[1];
        out[job->n + i] = x[2];
    }
}

REF(ids_of_lane)
{
    const u8 *in = A(0);
    u32 *out = A(1), x[8];
    EACH
    {
        all_of(job, i, in[i] & 2, x);
        out[2 * i] = x[0];
        out[2 * i + 1] = x[1];
    }
}

REF(of_loop)
{
    u32 *out = A(0);
    EACH out[i] = i;
}

REF(of_choice)
{
    const u32 *in = A(0);
    u32 *out = A(1), x[8];
    EACH
    {
        all_of(job, i, in[i] & 1 ? 1 : 2, x);
        out[2 * i] = x[1];
        all_of(job, i, in[i] & 2 ? 0 : 1, x);
        out[2 * i + 1] = x[0];
    }
}

REF(of_structures)
{
    const u32 *a = A(0), *b = A(1), *in = A(3), n = VALUE(u32, 2);
    u32 *out = A(4);
    EACH out[i] = (in[i] & 1 ? a : b)[n % 3] + (n & 4 ? a : b)[in[i] % 3];
}

#define SPACE "12,6,4/4,3,2"
static const KitCase cases[] = {
    CASE(of_argument, SPACE, "=0 w2304"),
    CASE(of_argument, SPACE, "=1 w2304"),
    CASE(of_argument, SPACE, "=2 w2304"),
    CASE(of_argument, SPACE, "=3 w2304"),
    CASE(of_argument, SPACE, "=-1 w2304"),
    CASE(of_lane, SPACE, "c288 w2304"),
    CASE(ids_of_argument, SPACE, "=1 w576"),
    CASE(ids_of_argument, SPACE, "=2 w576"),
    CASE(ids_of_lane, SPACE, "c288 w576"),
    CASE(of_loop, SPACE, "w288"),
    CASE(of_loop, "8,6/4,3", "w48"),
    CASE(of_choice, SPACE, "w288 w576"),
    CASE(of_structures, SPACE, "S12 S12 =1 w288 w288"),
    CASE(of_structures, SPACE, "S12 S12 =6 w288 w288"),
};

int main(void) { return kit_main("dimension.cl", "-cl-std=CL3.0", cases, countof(cases)); }
