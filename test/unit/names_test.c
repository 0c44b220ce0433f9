/* names_test.c -- what src/isa writes and reads as text beside mnemonics: registers, CSRs,
 * profiles, vector types, fences, targets of branches; and the words of image formats. */
#include "isa/image.h"
#include "isa/isa.h"
#include "isa/pixel.h"
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Every text of a letter and up to three characters, among them digits and those beside them. */
static void registers_have_plain_numbers(void **state)
{
    (void)state;
    static const char some[] = "\0000123456789/:";
    for (int set = 0; set < 2; set++) {
        const char letter = set ? 'v' : 'x';
        for (size_t i = 0; i < 13 * 13 * 13; i++) {
            char text[8] = {letter, some[i % 13], some[i / 13 % 13], some[i / 169]}, want[16];
            const size_t len = strlen(text);
            const int value = atoi(text + 1);
            int n = -1;
            snprintf(want, sizeof want, "%c%d", letter, value);
            const bool is = !strcmp(text, want) && value < (set ? 256 : 64);
            assert_int_equal((set ? isa_find_vreg : isa_find_xreg)(text, len, &n), is);
            assert_true(!is || n == value);
            assert_false((set ? isa_find_xreg : isa_find_vreg)(text, len, &n));
        }
    }
    int n;
    assert_false(isa_find_vreg("v0001", 5, &n));
    assert_false(isa_find_xreg("f1", 2, &n) || isa_find_xreg("fq", 2, &n));
    for (int i = 0; i < 64; i++) { /* a name is no prefix, and is none with more behind it */
        char more[16];
        const size_t len = strlen(isa_xreg_name[i]);
        snprintf(more, sizeof more, "%s:", isa_xreg_name[i]);
        assert_false(isa_find_xreg(more, len + 1, &n));
        assert_true(isa_find_xreg(more, len, &n) && n == i);
    }
}

static bool finds_csr(const char *prefix, const char *name, bool upper, u32 number)
{
    char text[64];
    u32 n = ~0u;
    snprintf(text, sizeof text, "%s%s?", prefix, name);
    for (char *p = text; upper && *p; p++)
        *p = (char)toupper(*p);
    return isa_find_csr(text, strlen(text) - 1, &n) && n == number &&
           !isa_find_csr(text, strlen(text), &n);
}

static void csrs_are_named(void **state)
{
    (void)state;
    u32 names = 0;
    for (u32 n = 0; n < 4096; n++) {
        bool standard = false;
        const char *name = isa_csr_name(n, &standard);
        char number[16];
        snprintf(number, sizeof number, "%u", n);
        if (name) {
            names++;
            for (int upper = 0; upper < 2; upper++)
                assert_true(finds_csr("", name, upper, n) && finds_csr("csr_", name, upper, n));
            /* LLVM names rpc (0x80c), and what RISC-V does not leave to others */
            assert_int_equal(standard, n == 0x80c || !(n >= 0x800 && n < 0x900));
        }
        for (int names_too = 0; names_too < 2; names_too++) {
            Buf b = {0}, want = {0};
            buf_printf(&want, "csrrw a0, %s, a1", name && (standard || names_too) ? name : number);
            isa_print(&b, &(Insn){I_csrrw, {10, (i32)n, 11}},
                      &(IsaPrint){.raw = true, .csr_names = names_too});
            assert_string_equal(buf_text(&b), buf_text(&want));
            buf_free(&b);
            buf_free(&want);
        }
    }
    assert_true(names > 20);
}

static void profiles_are_sums(void **state)
{
    (void)state;
    static const char *const name[] = {"v202", "v2025", "ai", "tidx"};
    static const IsaSet bit[] = {V202, V2025, AI, TIDX};
    for (u32 i = 1; i < 16; i++) {
        char text[64] = "", back[24];
        IsaSet want = 0, got;
        for (int k = 0; k < 4; k++)
            if (i >> k & 1) {
                strcat(text, *text ? "+" : "");
                strcat(text, name[k]);
                want |= bit[k];
            }
        assert_int_equal(isa_parse_set(text, &got), (i & 3) == 1 || (i & 3) == 2);
        assert_int_equal(got, want);
        isa_set_name(want, back);
        assert_string_equal(back, text);
    }
    IsaSet s;
    assert_true(isa_parse_set("tidx+v2025", &s) && s == (V2025 | TIDX));
    assert_true(!isa_parse_set("v2026", &s) && !isa_parse_set("v20", &s));
    assert_true(!isa_parse_set("+v202", &s) && !isa_parse_set("v202++ai", &s));
}

static const char *text_of(const Insn *in, const IsaPrint *how)
{
    static Buf b;
    b.len = 0;
    isa_print(&b, in, how);
    return buf_text(&b);
}

/* RISC-V "V", vtype: vlmul in bits 0 to 2, vsew in 3 to 5, then vta and vma. */
static void vector_types_are_words(void **state)
{
    (void)state;
    static const char *const lmul[] = {"m1", "m2", "m4", "m8", "", "mf8", "mf4", "mf2"};
    static const char *const sew[] = {"e8", "e16", "e32", "e64", "", "", "", ""};
    for (i32 v = 0; v < 2048; v++) {
        char want[64];
        const char *l = lmul[v % 8], *s = sew[v / 8 % 8];
        if (*l && *s && v < 256)
            snprintf(want, sizeof want, "vsetvli a0, a1, %s, %s, %s, %s", s, l,
                     v & 64 ? "ta" : "tu", v & 128 ? "ma" : "mu");
        else
            snprintf(want, sizeof want, "vsetvli a0, a1, %d", v);
        assert_string_equal(text_of(&(Insn){I_vsetvli, {10, 11, v}}, &(IsaPrint){.raw = true}),
                            want);
    }
}

/* bits i, o, r, w of the sides from above */
static void fences_name_their_sides(void **state)
{
    (void)state;
    for (i32 i = 0; i < 256; i++) {
        char want[32] = "fence ", *p = want + 6;
        for (int side = 4; side >= 0; side -= 4) {
            const int bits = i >> side & 15;
            for (int k = 0; k < 4; k++)
                if (bits & (8 >> k))
                    *p++ = "iorw"[k];
            if (!bits)
                *p++ = '0';
            if (side)
                *p++ = ',', *p++ = ' ';
        }
        assert_string_equal(
            text_of(&(Insn){I_fence, {i >> 4, i & 15, 0}}, &(IsaPrint){.raw = true}), want);
    }
}

static const char *name_places(void *self, u64 addr, u64 *past)
{
    assert_ptr_equal(self, &name_places);
    *past = addr % 16;
    return addr < 0x1000 ? NULL : "loop";
}

static void targets_are_shown(void **state)
{
    (void)state;
    static const struct {
        u32 pc;
        i32 offset;
        const char *number, *address, *named;
    } row[] = {
        {0x1008, 8, "8", "0x1010", "0x1010 <loop>"},
        {0x1010, -4, "-4", "0x100c", "0x100c <loop+0xc>"},
        {0x20, 0x14, "20", "0x34", "0x34"},
        {0xfffffffc, 0x1008, "4104", "0x1004", "0x1004 <loop+0x4>"},
    };
    for (size_t i = 0; i < countof(row); i++) {
        char want[64];
        const Insn in = {I_jal, {1, row[i].offset}};
        snprintf(want, sizeof want, "jal ra, %s", row[i].number);
        assert_string_equal(text_of(&in, &(IsaPrint){.raw = true}), want);
        snprintf(want, sizeof want, "jal ra, %s", row[i].address);
        assert_string_equal(
            text_of(&in, &(IsaPrint){.raw = true, .have_pc = true, .pc = row[i].pc}), want);
        snprintf(want, sizeof want, "jal ra, %s", row[i].named);
        assert_string_equal(text_of(&in, &(IsaPrint){.raw = true,
                                                     .have_pc = true,
                                                     .pc = row[i].pc,
                                                     .symbol = name_places,
                                                     .self = (void *)(uintptr_t)&name_places}),
                            want);
    }
}

static void some_texts_have_modifiers(void **state)
{
    (void)state;
    static const char *const mode[] = {", rne", ", rtz", ", rdn", ", rup",
                                       ", rmm", ", 5",   ", 6",   ""};
    char want[64];
    for (i32 rm = 0; rm < 8; rm++) {
        snprintf(want, sizeof want, "fadd.s a0, a1, a2%s", mode[rm]);
        assert_string_equal(text_of(&(Insn){I_fadd_s, {10, 11, 12, rm}}, &(IsaPrint){.raw = true}),
                            want);
    }
    assert_string_equal(text_of(&(Insn){I_vadd_vv, {1, 2, 3, 0}}, &(IsaPrint){0}),
                        "vadd.vv v1, v2, v3, v0.t");
    assert_string_equal(text_of(&(Insn){I_vadd_vv, {1, 2, 3, 1}}, &(IsaPrint){0}),
                        "vadd.vv v1, v2, v3");
    assert_string_equal(text_of(&(Insn){I_addi, {0, 0, 0}}, &(IsaPrint){0}), "nop");
    assert_string_equal(text_of(&(Insn){I_addi, {0, 0, 0}}, &(IsaPrint){.raw = true}),
                        "addi zero, zero, 0");
    assert_string_equal(text_of(&(Insn){I_addi, {10, 11, 0}}, &(IsaPrint){0}), "mv a0, a1");
    assert_string_equal(text_of(&(Insn){I_addi, {10, 11, -5}}, &(IsaPrint){0}), "addi a0, a1, -5");
    assert_string_equal(
        text_of(&(Insn){I_addi, {10, 11, -5}}, &(IsaPrint){.hidden = O_imm12, .instead = "there"}),
        "addi a0, a1, there");
}

static void some_words_are_data(void **state)
{
    (void)state;
    static const struct {
        u64 word;
        int len;
        const char *text;
    } row[] = {
        {0x00000073, 4, "ecall"},
        {0x00c5a52f, 4, "amoadd.w v10, v12, (v11)"},
        {0x02c5a52f, 4, "amoadd.w.rl v10, v12, (v11)"},
        {0x04c5a52f, 4, "amoadd.w.aq v10, v12, (v11)"},
        {0x06c5a52f, 4, "amoadd.w.aqrl v10, v12, (v11)"},
        {0x0ff0000f, 4, "fence"},
        {0x0ff0008f, 4, ".word 0x0ff0008f # fence"}, /* a reserved field */
        {0x00000000, 4, ".word 0x00000000"},
        {0xffffffff, 4, ".word 0xffffffff"},
        {0x00000073, 8, ".dword 0x0000000000000073"},
        {0x40b50533, 4, "sub a0, a0, a1"},
        {0x40b00533, 4, "neg a0, a1"},
        {0x20b5a553, 4, "fabs.s a0, a1"},
        {0x20c5a553, 4, "fsgnjx.s a0, a1, a2"},
    };
    static IsaDecoder d;
    isa_decoder_init(&d, V202);
    for (size_t i = 0; i < countof(row); i++) {
        Buf b = {0};
        isa_print_word(&b, &d, row[i].word, row[i].len, &(IsaPrint){0});
        assert_string_equal(buf_text(&b), row[i].text);
        assert_int_equal(b.len, strlen(row[i].text));
        buf_free(&b);
    }
}

static u32 log2_of(u32 n) { return (u32)__builtin_ctz(n); }

/* doc/abi.md, "Images"; numbers of OpenCL. */
static void formats_of_images_are_words(void **state)
{
    (void)state;
    static const struct {
        u32 number, kind, bytes;
    } types[] = {
        {0x10D0, PIXEL_SNORM8, 1},  {0x10D1, PIXEL_SNORM16, 2}, {0x10D2, PIXEL_UNORM8, 1},
        {0x10D3, PIXEL_UNORM16, 2}, {0x10D7, PIXEL_INT8, 1},    {0x10D8, PIXEL_INT16, 2},
        {0x10D9, PIXEL_WORD, 4},    {0x10DA, PIXEL_UINT8, 1},   {0x10DB, PIXEL_UINT16, 2},
        {0x10DC, PIXEL_WORD, 4},    {0x10DD, PIXEL_HALF, 2},    {0x10DE, PIXEL_WORD, 4},
    };
    static const struct {
        u32 number;
        const char *channels;
        bool srgb;
    } orders[] = {
        {0x10B0, "r", false},    {0x10B2, "rg", false},  {0x10B5, "rgba", false},
        {0x10B6, "bgra", false}, {0x10C1, "rgba", true}, {0x10C2, "bgra", true},
        {0x10BD, "d", false},
    };
    static const u32 fields[] = {FORMAT_KIND,   FORMAT_SIZE,    FORMAT_CHANNEL,
                                 FORMAT_OPAQUE, FORMAT_SWAPPED, FORMAT_SRGB};
    u32 all = 0;
    for (size_t i = 0; i < countof(fields); i++) {
        assert_int_equal(all & fields[i], 0);
        all |= fields[i];
    }
    for (size_t i = 0; i < countof(types); i++)
        for (size_t k = 0; k < countof(orders); k++) {
            const u32 word = image_format_word(orders[k].number, types[i].number);
            const u32 count = (u32)strlen(orders[k].channels);
            assert_int_equal(word & FORMAT_KIND, types[i].kind);
            assert_int_equal((word & FORMAT_SIZE) >> FORMAT_SIZE_AT,
                             log2_of(count * types[i].bytes));
            assert_int_equal((word & FORMAT_CHANNEL) >> FORMAT_CHANNEL_AT, log2_of(types[i].bytes));
            assert_int_equal(!(word & FORMAT_OPAQUE), strchr(orders[k].channels, 'a') != NULL);
            assert_int_equal(!(word & FORMAT_SWAPPED), *orders[k].channels != 'b');
            assert_int_equal(!(word & FORMAT_SRGB), !orders[k].srgb);
            assert_int_equal(word & ~all, 0);
        }
}

/* An operand has the place in which the format of the instruction lists it, or none. */
static void operands_have_their_places(void **state)
{
    u32 found = 0;
    (void)state;
    for (int id = 0; id < NINSN; id++)
        for (int o = 0; o < NOPERAND; o++) {
            const FormatInfo *f = isa_format_of((InsnId)id);
            int want = -1;
            for (int i = f->nopd; i-- > 0;)
                want = f->opd[i] == o ? i : want;
            assert_int_equal(isa_find_operand((InsnId)id, (OperandId)o), want);
            found += want >= 0;
        }
    assert_true(found > 2 * NINSN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_have_plain_numbers),
        cmocka_unit_test(csrs_are_named),
        cmocka_unit_test(profiles_are_sums),
        cmocka_unit_test(vector_types_are_words),
        cmocka_unit_test(fences_name_their_sides),
        cmocka_unit_test(targets_are_shown),
        cmocka_unit_test(some_texts_have_modifiers),
        cmocka_unit_test(some_words_are_data),
        cmocka_unit_test(formats_of_images_are_words), cmocka_unit_test(operands_have_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
