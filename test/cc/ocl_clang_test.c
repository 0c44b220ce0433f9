/* What clang has beyond the language (test/cc/clang.cl). */
#include "test/kit/oclkit.h"

REF(bit_fields)
{
    const u32 *x = A(0);
    i32 *out = A(1);
    EACH
    {
        const i32 d = (i32)sign_extend(x[i], 5);
        const u32 b = ((x[i] >> 3) + 1) % 128;
        out[i] = (i32)(x[i] % 8 + b * 8 + (x[i] >> 10 & 1023) * 1024) + d * 10;
    }
}

static const KitCase cases[] = {CASE(bit_fields, "64/32", "w64 w64")};

int main(void) { return kit_main("clang.cl", NULL, cases, countof(cases)); }
