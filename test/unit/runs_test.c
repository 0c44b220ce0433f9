/* runs_test.c -- vector accesses whose lanes go chunk by chunk: rows of every width, chunks of lanes at one
 * address, rows that overlap, and the same with one lane elsewhere, on every level of the host.  What should
 * happen is done here byte by byte, lane after lane.
 */
#include "test/kit/rig.h"

typedef struct {
    InsnId id;
    u32 width;
    bool is_signed, stores;
} Access;

static const Access accesses[] = {
    {I_vlb12_v, 1, true, false},   {I_vlbu12_v, 1, false, false}, {I_vlh12_v, 2, true, false},
    {I_vlhu12_v, 2, false, false}, {I_vlw12_v, 4, false, false},  {I_vsb12_v, 1, false, true},
    {I_vsh12_v, 2, false, true},   {I_vsw12_v, 4, false, true},
};

/* Lanes of a chunk `step` bytes apart; chunks, of `size` lanes, anywhere near each other. */
static void set_addresses(u32 size, u32 step)
{
    u32 first = 0;
    for (u32 i = 0; i < MAX_LANES; i++) {
        if (i % size == 0)
            first = HEAP + 16 + below(one_in(2) ? 64 : WINDOW - 512);
        W->v[1][i] = first + i % size * step;
    }
}

static void try_access(const Access *a, u32 size, u32 step, bool is_odd, u32 mask)
{
    start();
    fill(W, mask);
    set_addresses(size, step);
    if (is_odd)
        W->v[1][below(MAX_LANES)] += 1 + below(7);
    if (a->stores)
        emit(a->id, O_vs2, 2, O_vs1, 1, O_st12, 0, END);
    else
        emit(a->id, O_vd, 2, O_vs1, 1, O_imm12, 0, END);
    expect_nothing(W);
    expect_no_store();
    for (u32 i = 0; i < MAX_LANES; i++) {
        const u32 at = W->v[1][i];
        if (!(mask >> i & 1))
            continue;
        if (a->stores) {
            want_store(at, a->width, W->v[2][i]);
            continue;
        }
        const u32 v = want_load(at, a->width), sign = (u32)1 << (8 * a->width - 1);
        want->v[2][i] = a->is_signed && v & sign ? v | ~(2 * sign - 1) : v;
    }
    assert_int_equal(run(W), FAULT_NONE);
    same_registers(W);
    same_memory();
}

static void chunk_by_chunk(void **state)
{
    static const char *const levels[] = {"base", "avx2", "avx512"};
    static const u32 sizes[] = {2, 4, 8, 16, 32};
    (void)state;
    for (size_t l = 0; l < countof(levels); l++) {
        setenv("VENTUS_LANES", levels[l], 1); /* or what is next to it here */
        rig_open(V202);
        fill_memory();
        for (size_t a = 0; a < countof(accesses); a++)
            for (size_t s = 0; s < countof(sizes); s++)
                for (u32 k = 0; k < 40; k++) {
                    const u32 step = k % 4 == 0 ? 0 : k % 4 == 1 ? 1 + below(6) : accesses[a].width;
                    try_access(&accesses[a], sizes[s], step, one_in(4),
                               one_in(4) ? random_mask() : UINT32_MAX);
                }
        rig_close();
    }
    unsetenv("VENTUS_LANES");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chunk_by_chunk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
