/* hostkind_test.c -- relocations of host code, on every host for all of them.  The words of AArch64 are those that GNU as
 * and ld 2.40 make of the instructions beside them. */
#include "jit/hostkind.h"
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { PAGE1 = 0x40123abc };

/* A word at an address, before and after a relocation by a value. */
typedef struct {
    u32 type;
    u32 before, after;
    u64 place, value;
} Row;

static const Row rows[] = {
    {R_AARCH64_CALL26, 0x94000000, 0x95fff800, 0x40001ff0, 0x47fffff0},            /* bl */
    {R_AARCH64_JUMP26, 0x14000000, 0x16000004, 0x40001ff4, 0x38002004},            /* b */
    {R_AARCH64_CALL26, 0x94000000, 0x97fffc02, 0x40001ff8, 0x40001000},            /* bl, back */
    {R_AARCH64_ADR_PREL_PG_HI21, 0x90000011, 0xd0000911, 0x40001ffc, PAGE1},       /* adrp x17 */
    {R_AARCH64_ADR_PREL_PG_HI21, 0x90000003, 0xd0fff7e3, 0x40002000, 0x3ff00010},  /* adrp x3 */
    {R_AARCH64_ADR_PREL_PG_HI21, 0x9000001e, 0xb07ffffe, 0x40002004, 0x13fffffff}, /* adrp x30 */
    {R_AARCH64_ADD_ABS_LO12_NC, 0x91000041, 0x912af041, 0x40002008, PAGE1},        /* add x1, x2 */
    {R_AARCH64_LDST8_ABS_LO12_NC, 0x39400041, 0x3948dc41, 0x4000200c, 0x1237},   /* ldrb w1, [x2] */
    {R_AARCH64_LDST16_ABS_LO12_NC, 0x79400041, 0x795ffc41, 0x40002010, 0x1ffe},  /* ldrh w1, [x2] */
    {R_AARCH64_LDST32_ABS_LO12_NC, 0xb9400041, 0xb94ffc41, 0x40002014, 0x2ffc},  /* ldr w1, [x2] */
    {R_AARCH64_LDST64_ABS_LO12_NC, 0xf9400041, 0xf947fc41, 0x40002018, 0x3ff8},  /* ldr x1, [x2] */
    {R_AARCH64_LDST128_ABS_LO12_NC, 0x3dc00041, 0x3dc3f841, 0x4000201c, 0x3fe0}, /* ldr q1, [x2] */
    {R_AARCH64_LDST128_ABS_LO12_NC, 0x3d8003df, 0x3d83fbdf, 0x40002020,
     0x3fe0},                                             /* str q31, [x30] */
    {R_AARCH64_PREL32, 0, 0x00121a98, 0x40002024, PAGE1}, /* .word . */
};

static void words_of_aarch64(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        const Row *r = &rows[i];
        u32 word = r->before;
        assert_int_equal(host_aarch64.width(r->type), sizeof word);
        /* what was there before is gone, but what the field is in is left */
        assert_true(host_aarch64.apply((u8 *)&word, r->place, r->type, r->value + 16));
        assert_true(host_aarch64.apply((u8 *)&word, r->place, r->type, r->value));
        assert_int_equal(word, r->after);
    }
}

static void double_words(void **state)
{
    u64 v = 1;
    (void)state;
    assert_int_equal(host_aarch64.width(R_AARCH64_ABS64), 8);
    assert_true(host_aarch64.apply((u8 *)&v, 0x40002030, R_AARCH64_ABS64, PAGE1));
    assert_int_equal(v, PAGE1);
    assert_int_equal(host_aarch64.width(R_AARCH64_PREL64), 8);
    assert_true(host_aarch64.apply((u8 *)&v, PAGE1 + 8, R_AARCH64_PREL64, PAGE1));
    assert_true(v == (u64)-8);
    assert_int_equal(host_x86_64.width(R_X86_64_64), 8);
    assert_true(host_x86_64.apply((u8 *)&v, 16, R_X86_64_64, UINT64_MAX));
    assert_true(v == UINT64_MAX);
}

/* What each type may say, at address 2^40: the last value that fits, and one more. */
static const struct {
    const HostKind *host;
    u32 type;
    i64 least, most, step; /* from there */
} bounds[] = {
    {&host_x86_64, R_X86_64_PC32, INT32_MIN, INT32_MAX, 1},
    {&host_x86_64, R_X86_64_PLT32, INT32_MIN, INT32_MAX, 1},
    {&host_aarch64, R_AARCH64_PREL32, INT32_MIN, INT32_MAX, 1},
    {&host_aarch64, R_AARCH64_CALL26, -(1 << 27), (1 << 27) - 4, 4},
    {&host_aarch64, R_AARCH64_JUMP26, -(1 << 27), (1 << 27) - 4, 4},
    {&host_aarch64, R_AARCH64_ADR_PREL_PG_HI21, -((i64)1 << 32), ((i64)1 << 32) - 1, 1},
};

static void what_does_not_fit(void **state)
{
    const u64 place = (u64)1 << 40;
    u32 word = 0;
    (void)state;
    for (size_t i = 0; i < countof(bounds); i++) {
        const HostKind *h = bounds[i].host;
        const u64 least = place + (u64)bounds[i].least, most = place + (u64)bounds[i].most,
                  step = (u64)bounds[i].step;
        assert_true(h->apply((u8 *)&word, place, bounds[i].type, least));
        assert_false(h->apply((u8 *)&word, place, bounds[i].type, least - step));
        assert_true(h->apply((u8 *)&word, place, bounds[i].type, most));
        assert_false(h->apply((u8 *)&word, place, bounds[i].type, most + step));
    }
    /* between instructions, and between elements */
    assert_false(host_aarch64.apply((u8 *)&word, place, R_AARCH64_CALL26, place + 2));
    assert_false(host_aarch64.apply((u8 *)&word, place, R_AARCH64_LDST128_ABS_LO12_NC, 0x18));
    assert_false(host_aarch64.apply((u8 *)&word, place, R_AARCH64_LDST64_ABS_LO12_NC, 0x1c));
    assert_false(host_aarch64.apply((u8 *)&word, place, R_AARCH64_LDST32_ABS_LO12_NC, 0x1e));
    assert_false(host_aarch64.apply((u8 *)&word, place, R_AARCH64_LDST16_ABS_LO12_NC, 0x1f));
    assert_true(host_aarch64.apply((u8 *)&word, place, R_AARCH64_LDST8_ABS_LO12_NC, 0x1f));
}

static void kinds_of_others(void **state)
{
    (void)state;
    assert_int_equal(host_x86_64.width(R_X86_64_GOTPCREL), 0);
    assert_int_equal(host_x86_64.width(R_X86_64_32), 0);
    assert_int_equal(host_aarch64.width(R_AARCH64_ADR_GOT_PAGE), 0);
    assert_int_equal(host_aarch64.width(R_AARCH64_ABS32), 0);
    assert_int_equal(host_aarch64.width(R_AARCH64_NONE), 0);
}

/* ldr x16, .+8; br x16 and jmp *0(%rip), with the address behind them */
static void jumps(void **state)
{
    static const u8 arm[8] = {0x50, 0, 0, 0x58, 0, 2, 0x1f, 0xd6}, intel[6] = {0xff, 0x25};
    const u64 to = 0x123456789abcdef0;
    u8 stub[STUB];
    u64 got;
    (void)state;
    host_aarch64.jump(stub, to);
    assert_memory_equal(stub, arm, sizeof arm);
    memcpy(&got, stub + sizeof arm, sizeof got);
    assert_true(got == to);
    host_x86_64.jump(stub, to);
    assert_memory_equal(stub, intel, sizeof intel);
    memcpy(&got, stub + sizeof intel, sizeof got);
    assert_true(got == to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_aarch64),
        cmocka_unit_test(double_words),
        cmocka_unit_test(what_does_not_fit),
        cmocka_unit_test(kinds_of_others),
        cmocka_unit_test(jumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
