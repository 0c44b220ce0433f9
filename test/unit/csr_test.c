/* csr_test.c -- each number of a CSR, known or not: what reading gives, what writing leaves, and
 * who is told that there is none.  The bits that are kept are those of the RISC-V manuals (Zicsr,
 * "F", "V" and machine level). */
#include "test/kit/launchrig.h"

/* Bits that a CSR keeps of what is written into it, and bits that are always 1. */
static const struct {
    u32 number, keeps, ones;
} kept[] = {
    {0x001, 0x1f, 0},       {0x002, 7, 0},          {0x003, 0xff, 0},       {0x008, 0, 0},
    {0x009, 1, 0},          {0x00a, 3, 0},          {0x00f, 7, 0},          {0x300, 0x88, 0x1800},
    {0x304, 0x888, 0},      {0x305, 0, 0},          {0x340, UINT32_MAX, 0}, {0x341, UINT32_MAX, 0},
    {0x342, UINT32_MAX, 0}, {0x343, UINT32_MAX, 0}, {0x344, 0x888, 0},      {0x80b, UINT32_MAX, 0},
};

/* A warp of a launch in which every CSR of identity has a number of its own. */
static Warp *warp_of(Launch *l, Group *g, Warp *w)
{
    *l = (Launch){
        .knl = 101, .lanes = 8, .warps = 3, .pds = 0x1000, .pds_lane = 4, .groups = {1, 1, 1}};
    *g = (Group){
        .launch = l, .id = {7, 6, 5}, .linear = 104, .nwarps = 3, .lds_base = 105, .pds_base = 106};
    memset(w, 0, sizeof *w);
    w->group = g;
    w->id = 2;
    w->tid = 16;
    w->vl = 5;
    w->vtype = 0x50;
    w->rpc = 108;
    w->ninsns = (u64)109 << 32 | 110;
    return w;
}

static void every_number_is_known_or_not(void **state)
{
    (void)state;
    static Launch l;
    static Group g;
    static Warp w;
    u32 known = 0;
    warp_of(&l, &g, &w);
    for (u32 n = 0; n < 4096; n++) {
        u32 value = 1;
        const bool has_name = isa_csr_name(n, NULL) != NULL;
        assert_int_equal(csr_read(&w, n, &value), has_name);
        assert_int_equal(csr_write(&w, n, 0), has_name);
        assert_true(has_name || !value);
        known += has_name;
    }
    assert_true(known > countof(kept));
}

static void reads_what_the_warp_is(void **state)
{
    (void)state;
    static const struct {
        u32 number, value;
    } row[] = {{0xc20, 5},   {0xc21, 0x50}, {0xc22, 32},  {0xc02, 110}, {0xc82, 109},
               {0xc00, 110}, {0xc80, 109},  {0xc01, 110}, {0xc81, 109}, {0xb00, 110},
               {0xb80, 109}, {0xb02, 110},  {0xf14, 2},   {0x301, 0},   {0x800, 16},
               {0x801, 3},   {0x802, 8},    {0x803, 101}, {0x804, 104}, {0x805, 2},
               {0x806, 105}, {0x808, 7},    {0x809, 6},   {0x80a, 5},   {0x80c, 108}};
    static Launch l;
    static Group g;
    static Warp w, before;
    warp_of(&l, &g, &w);
    before = w;
    for (size_t i = 0; i < countof(row); i++) {
        u32 value;
        assert_true(csr_read(&w, row[i].number, &value));
        if (value != row[i].value)
            fail_msg("%s is %u", isa_csr_name(row[i].number, NULL), value);
        /* these are not written */
        assert_true(csr_write(&w, row[i].number, ~value));
        assert_memory_equal(&w, &before, sizeof w);
    }
}

/* Whatever is written, and whatever was there before: the kept bits are the last, the others as
 * ever. */
static void keeps_the_bits_that_there_are(void **state)
{
    (void)state;
    static Launch l;
    static Group g;
    static Warp w;
    warp_of(&l, &g, &w);
    for (size_t i = 0; i < countof(kept); i++)
        for (u32 bit = 0; bit <= 33; bit++) {
            const u32 written = bit < 32 ? 1u << bit : bit == 32 ? UINT32_MAX : 0;
            u32 value = 1;
            assert_true(csr_write(&w, kept[i].number, written));
            assert_true(csr_read(&w, kept[i].number, &value));
            if (value != ((written & kept[i].keeps) | kept[i].ones))
                fail_msg("%s holds %x after %x", isa_csr_name(kept[i].number, NULL), value,
                         written);
        }
}

/* fcsr is frm and fflags side by side, vcsr vxrm and vxsat */
static void some_are_made_of_others(void **state)
{
    (void)state;
    static const struct {
        u32 whole, part, at, bits;
    } row[] = {
        {0x003, 0x001, 0, 5}, {0x003, 0x002, 5, 3}, {0x00f, 0x009, 0, 1}, {0x00f, 0x00a, 1, 2}};
    static Launch l;
    static Group g;
    static Warp w;
    warp_of(&l, &g, &w);
    for (size_t i = 0; i < countof(row); i++)
        for (u32 value = 0; value < 256; value++) {
            const u32 mask = (1u << row[i].bits) - 1;
            u32 got;
            csr_write(&w, row[i].whole, value);
            csr_read(&w, row[i].part, &got);
            assert_int_equal(got, value >> row[i].at & mask);
            csr_write(&w, row[i].whole, 0);
            csr_write(&w, row[i].part, value);
            csr_read(&w, row[i].whole, &got);
            assert_int_equal(got, (value & mask) << row[i].at);
        }
}

/* A launch that is strict ends at a number that there is not, whether it is read or written; others
 * read 0. */
static void strict_launches_need_it(void **state)
{
    (void)state;
    static const char *const access[] = {"csrrw t0, %u, t1\n", "csrrs t0, %u, x0\n",
                                         "csrrci x0, %u, 3\n", "csrrwi x0, %u, 3\n"};
    static const u32 number[] = {0x001, 0x300, 0x340, 0x80b, 0xc20, 0x805,
                                 0x000, 0x123, 0x7ff, 0x81f, 0xfff};
    for (size_t i = 0; i < countof(number); i++)
        for (size_t k = 0; k < countof(access); k++)
            for (int strict = 0; strict < 2; strict++) {
                char line[64], text[128];
                snprintf(line, sizeof line, access[k], number[i]);
                snprintf(text, sizeof text, "%s    endprg x0, x0, x0\n", line);
                rig_load(V202, 4, text);
                rig.launch.strict = strict;
                const LaunchResult r = rig_run(&(LaunchOptions){.threads = 1});
                assert_int_equal(r.faulted, strict && !isa_csr_name(number[i], NULL));
                if (r.faulted) {
                    assert_int_equal(r.fault.kind, FAULT_CSR);
                    assert_int_equal(r.fault.addr, number[i]);
                }
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_is_known_or_not),
        cmocka_unit_test(reads_what_the_warp_is),
        cmocka_unit_test(keeps_the_bits_that_there_are),
        cmocka_unit_test(some_are_made_of_others),
        cmocka_unit_test_setup_teardown(strict_launches_need_it, rig_set_up, rig_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
