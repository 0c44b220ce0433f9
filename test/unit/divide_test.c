/* divide_test.c -- vdivu.vx and vremu.vx on every level of the host: lanes next to multiples of the
 * divisor, where a quotient by multiplication would be wrong first.  The host's division says what is right.
 */
#include "test/kit/rig.h"

static const u32 divisors[] = {
    0,          1,          2,          3,          4,          5,          6,         7,
    9,          10,         12,         25,         31,         32,         33,        100,
    127,        255,        256,        641,        1000,       65535,      65536,     65537,
    0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xaaaaaaab, 0xfffffffe, 0xffffffff};

/* Lane i of row `row`: a multiple of b, one less or one more; the largest ones first. */
static u32 dividend(u32 b, u32 row, u32 i)
{
    const u32 most = b ? UINT32_MAX / b : UINT32_MAX;
    const u32 k = row ? i / 3 * (most / 11 + 1) : most - i / 3;
    return k * b + i % 3 - 1;
}

static void divides(u32 b, u32 row, u32 mask)
{
    start();
    emit(I_vdivu_vx, O_vd, 3, O_vs2, 1, O_rs1, 5, END);
    emit(I_vremu_vx, O_vd, 4, O_vs2, 1, O_rs1, 5, END);
    emit(I_vremu_vx, O_vd, 1, O_vs2, 1, O_rs1, 5, END);
    fill(W, mask);
    W->x[5] = b;
    for (u32 i = 0; i < MAX_LANES; i++)
        W->v[1][i] = dividend(b, row, i);
    expect_nothing(W);
    for (u32 i = 0; i < MAX_LANES; i++) {
        const u32 a = W->v[1][i];
        if (!(mask >> i & 1))
            continue;
        want->v[3][i] = b ? a / b : UINT32_MAX;
        want->v[4][i] = want->v[1][i] = b ? a % b : a;
    }
    assert_int_equal(run(W), FAULT_NONE);
    same_registers(W);
}

static void next_to_multiples(void **state)
{
    static const char *const levels[] = {"base", "avx2", "avx512"};
    static const u32 masks[] = {UINT32_MAX, 0x80000001, 0x12345678, 0};
    (void)state;
    for (size_t l = 0; l < countof(levels); l++) {
        setenv("VENTUS_LANES", levels[l], 1); /* or what is next to it here */
        rig_open(V202);
        for (size_t d = 0; d < countof(divisors); d++)
            for (u32 row = 0; row < 2; row++)
                for (size_t m = 0; m < countof(masks); m++)
                    divides(divisors[d], row, masks[m]);
        rig_close();
    }
    unsetenv("VENTUS_LANES");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(next_to_multiples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
