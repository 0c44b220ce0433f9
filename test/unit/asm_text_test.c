/* Texts of the assembler with the words that they make, worked out by hand from the manual of GNU as: data,
 * places, expressions, conditions, macros, symbols that change; the same at the borders of what is allowed. */
#include "test/kit/leftover.h"
#include "test/kit/assemble.h"
#include "asm/lex.h"
#include <ctype.h>
#include <sys/stat.h>

/* --- words ---------------------------------------------------------------------------- */

typedef struct { const char *text, *words; } Row;

/* The words of a section; the last is as wide as its bytes.  The caller frees it. */
static Buf exact_words(const Object *o, const char *section)
{
    const ObjSection *s = section_of(o, section);
    Buf b = {0};
    for (size_t i = 0; i < s->data.len; i += 4) {
        buf_str(&b, i ? " " : "");
        for (size_t k = s->data.len - i < 4 ? s->data.len - i : 4; k-- > 0;)
            buf_printf(&b, "%02x", s->data.data[i + k]);
    }
    return b;
}

static bool makes(const char *text, const char *section, const char *want)
{
    Caught c;
    Object *o = assemble_in(&c, text, &(AsmOptions){.set = V202});
    Buf got = {0};
    if (o && !c.text.len)
        got = exact_words(o, section);
    const bool ok = o && !strcmp(buf_text(&got), want);
    if (!ok)
        print_error("%s\nwanted: %s\ngot:    %s%s\n", text, want, buf_text(&got), buf_text(&c.text));
    buf_free(&got);
    buf_free(&c.text);
    obj_free(o);
    return ok;
}

static void expect_rows(const Row *row, size_t n)
{
    int bad = 0;
    for (size_t i = 0; i < n; i++)
        bad += !makes(row[i].text, ".text", row[i].words);
    assert_int_equal(bad, 0);
}

static void data_is_put_as_said(void **state)
{
    static const Row row[] = {
        /* a value is as wide as it is said to be; of .fill four bytes count */
        {".fill 2, 3, 0x04030201", "01030201 0302"},
        {".fill 1, 8, -1", "ffffffff 00000000"},
        {".fill 1, 5, 0x11223344", "11223344 00"},
        {".fill 1, 4, 0x11223344", "11223344"},
        {".fill 2, 0, 7\n.word 1", "00000001"},
        {".fill 3\n.byte 5", "05000000"},
        {".fill 0, 4, 1\n.byte 5", "05"},
        {".fill n, 2, 0x1234\nn = 3", "12341234 1234"},
        {".fill n, 4, 0\nn = 1", "00000000"},
        {".space 3, 0x1ff\n.byte 1", "01ffffff"},
        {".space n, 7\n.byte 1\nn = 3", "01070707"},
        {".zero 0\n.byte 1", "01"},
        {".word\n.byte 9", "09"}, /* an empty list */
        /* numbers at both ends of their width */
        {".byte -128, 255", "ff80"},
        {".half -32768, 65535", "ffff8000"},
        {".word -2147483648, 0xffffffff", "80000000 ffffffff"},
        {".byte x, y\nx = -128\ny = 255", "ff80"},
        {".half x, y\nx = -32768\ny = 65535", "ffff8000"},
        {".word x, y\nx = -2147483648\ny = 0xffffffff", "80000000 ffffffff"},
        {".quad x\nx = 0x8877665544332211", "44332211 88776655"},
        /* strings and characters */
        {".ascii \"a\\n\\t\\\\\\\"\\101\\x42\\0\"", "5c090a61 00424122"},
        {".asciz \"abc\"", "00636261"},
        {".ascii \"\\r\\b\\f\\1234\"", "530c080d 34"},
        {".ascii \"\\777\\x1ff\"", "ffff"},
        {".byte 'a, 'b', '\\n', '\\\\, '\\''", "5c0a6261 27"},
        {".byte '\\t', '\\b', '\\r', '\\f', '\\v', '\\0', '\\\"'", "0c0d0809 22000b"},
        {".float 1.5, -2, 1e10", "3fc00000 c0000000 501502f9"},
        {".double -1.5", "00000000 bff80000"},
    };
    (void)state;
    expect_rows(row, countof(row));
}

static void places_are_filled(void **state)
{
    static const Row row[] = {
        {".data\n.byte 1\n.balign 4, 0xee\n.byte 2\n.text", ""},
        {".byte 1\n.balign 4, 0xee\n.byte 2", "eeeeee01 02"},
        {".byte 1\n.p2align 2, 0x1ff\n.byte 2", "ffffff01 02"},
        {".byte 1\n.balign 4\n.byte 2", "00000001 02"},
        {".word 1\n.balign 8\n.byte 2", "00000001 00000013 02"}, /* code: a nop */
        {".half 1\n.balign 8\n.byte 2", "00000001 00000013 02"},
        {".byte 1\n.balign 8, 0xee, 6\n.byte 2", "0201"}, /* seven would be needed */
        {".byte 1\n.balign 8, 0xee, 7\n.byte 2", "eeeeee01 eeeeeeee 02"},
        {".byte 1\n.balign 4, , 2\n.byte 2", "0201"},
        {".byte 1\n.balign 4, , 3\n.byte 2", "00000001 02"},
        {".byte 1\n.balign 0\n.balign 1\n.p2align 0\n.byte 2", "0201"},
        {".byte 1\n.org 4\n.byte 2", "00000001 02"},
        {".byte 1\n.org 3, 0x1aa\n.byte 2", "02aaaa01"},
        {".byte 1\n.org 1\n.byte 2\n.org .\n.byte 3", "030201"},
        {".byte 1\n. = 4\n.byte 2", "00000001 02"},
        {".byte 1\n. = . + 2\n.byte 2", "02000001"},
        {".byte 1\n.set ., 2\n.byte 2", "020001"},
        {"a: .byte 1\n.org a + 3, 5\n.byte 2", "02050501"},
        {".byte 1\n.org b - a\n.byte 2\n.data\na: .half 0\nb:", "020001"},
        {".byte 1\n.pushsection .data\n.byte 7\n.pushsection .bss\n.popsection\n.byte 8\n.popsection\n.byte 2",
         "0201"},
        {".byte 1\n.data\n.byte 7\n.previous\n.byte 2\n.previous\n.byte 9\n.text\n.byte 3", "030201"},
        /* the section before the current one comes back with it, and may be the same */
        {".byte 1\n.data\n.pushsection .bss\n.popsection\n.previous\n.byte 2", "0201"},
        {".byte 1\n.data\n.pushsection .bss\n.rodata\n.popsection\n.previous\n.byte 2", "0201"},
        {".byte 1\n.data\n.pushsection .data\n.byte 7\n.previous\n.popsection\n.previous\n.byte 2", "0201"},
        {".byte 1\n.data\n.text\n.text\n.previous\n.byte 2", "0201"},
        {".previous\n.byte 2", "02"},
    };
    (void)state;
    expect_rows(row, countof(row));
    assert_true(makes(".data\n.byte 1\n.balign 8\n.byte 2\n", ".data", "00000001 00000000 02"));
    Object *o = assemble(".bss\n.balign 2\n.text\n.balign 16\n nop\n.data\n.p2align 3\n.rodata\n.balign 8\n.balign 2\n"
                         ".lcomm a, 3\n.lcomm b, 5, 32\n.lcomm c, 2, 4\n", V202);
    assert_int_equal(section_of(o, ".text")->align, 16);
    assert_int_equal(section_of(o, ".data")->align, 8);
    assert_int_equal(section_of(o, ".rodata")->align, 8);
    assert_int_equal(section_of(o, ".bss")->align, 32);
    assert_int_equal(section_of(o, ".bss")->size, 42);
    assert_int_equal(o->symbols[obj_find_symbol(o, "a")].value, 0);
    assert_int_equal(o->symbols[obj_find_symbol(o, "b")].value, 32);
    assert_int_equal(o->symbols[obj_find_symbol(o, "c")].value, 40);
    obj_free(o);
}

static void expressions_have_their_values(void **state)
{
    static const Row row[] = {
        {".word 010, 0x10, 0X1f, 0b101, 0B11, 10, 0", "00000008 00000010 0000001f 00000005 00000003 0000000a 00000000"},
        {".word 1 <> 2, 2 <> 2, +5, - 5, ~0, !0, !7", "ffffffff 00000000 00000005 fffffffb ffffffff 00000001 00000000"},
        {".word (1+2)*3, ((4)), 1 + 2 * 3, 6 | 1 + 8", "00000009 00000004 00000007 0000000f"},
        {".quad 0xffffffffffffffff, 18446744073709551615", "ffffffff ffffffff ffffffff ffffffff"},
        {".quad 01777777777777777777777", "ffffffff ffffffff"},
        {".byte 0b1\n1: .byte 1b - 1b, 1f - 1b\n1:", "020001"},
        /* distances: known at once, and only when branches have their lengths */
        {"a: .word b - a, . - a, a - b\nb:", "0000000c 00000004 fffffff4"},
        {"a: .word b - a\n.balign 16\nb:", "00000010 00000013 00000013 00000013"},
        {"a: .word (b - a) * 2 + 1, (b - a) << 4\nb:", "00000011 00000080"},
        {".word x + 1\nx = y + 2\ny = z - w\nz: .word 5\nw:", "ffffffff 00000005"},
        {".word (c - b) + (b - a)\na: .byte 1\nb: .half 2\nc:", "00000003 000201"},
        {".word \"a name\" - x\n\"a name\" = 7\nx = 2", "00000005"},
        {".word s - s, t - t\n.globl t", "00000000 00000000"},
        /* a symbol may change; what was read before keeps the old value */
        {"x = 1\n.word x\nx = 2\n.word x\n.set x, x + 3\n.word x", "00000001 00000002 00000005"},
        {"x = (b - a) * 2\n.word x\nx = 9\n.word x\nx = (b - a) * 3\n.word x\na: .byte 1\nb:",
         "00000002 00000009 00000003 01"},
        {"x == 3\n.word x", "00000003"},
        {".equ x, 3\n.eqv y, 4\n.equiv z, 5\n.word x, y, z", "00000003 00000004 00000005"},
        /* operands that are known only at the end */
        {"addi a0, a0, x\nx = 0xffffffff", "fff50513"},
        {"addi a0, a0, x\nx = 0xfffff800", "80050513"},
        {"addi a0, a0, 0xfffff800\n addi a0, a0, 0xffffffff", "80050513 fff50513"},
        {"addi a0, a0, x\nx = -2048", "80050513"},
        {"addi a0, a0, x\nx = 2047", "7ff50513"},
        {"beq a0, a1, x\nx = 8", "00b50463"},
        {"j x\nx = -2", "fffff06f"},
        {"lui a0, %hi(x)\n addi a0, a0, %lo(x)\nx = 0x12345fff", "12346537 fff50513"},
        {"lui a0, %hi(0x12345800)\n addi a0, a0, %lo(0x12345800)", "12346537 80050513"},
        {"sw a1, %lo(x)(a0)\nx = 0x12345804", "80b52223"},
        {"lui a0, %hi(0x7ff)\n lui a0, %hi(0x800)", "00000537 00001537"},
        /* an offset of 0 where none is written, and the other way round */
        {"amoadd.w v4, v5, 0(v6)\n amoadd.w v4, v5, (v6)\n lw a0, (a1)", "0053222f 0053222f 0005a503"},
    };
    (void)state;
    expect_rows(row, countof(row));
}

/* A place given as a label and a number is that place, before and behind, known at once or when all is read. */
static void places_are_labels_with_numbers(void **state)
{
    static const char *const form[] = {
        "j %s", "jal %s", "beq a0, a1, %s", "vbeq v1, v2, %s", "bgtu x40, a1, %s", "call %s", "tail %s", "la a0, %s",
        "1: auipc a0, %%pcrel_hi(%s)\n sw a0, %%pcrel_lo(1b)(a0)", ".word %s - .", ".half %s - .", ".word (%s - .) * 3",
        ".uleb128 %s - low", "addi a0, a0, %s - low", "li a0, 1\n.org . + (%s - low)",
    };
    (void)state;
    for (size_t i = 0; i < countof(form); i++)
        for (int k = -8; k <= 8; k += 4)
            for (int far = 0; far < 4; far++) {
                Object *o[2];
                for (int n = 0; n < 2; n++) {
                    char text[400], one[100], place[20];
                    const int gap = far & 1 ? 5000 : 0;
                    if (n)
                        snprintf(place, sizeof place, "at");
                    else
                        snprintf(place, sizeof place, "mid%+d", k);
                    snprintf(one, sizeof one, form[i], place);
                    static const char target[] = ".zero %d\nmid: .zero %d\nat: .zero %d\n";
                    char around[100];
                    /* `at` is k behind mid; both are labels of one section */
                    snprintf(around, sizeof around,
                             k < 0 ? ".zero %d\nat: .zero %d\nmid: .zero %d\n" : target, 16 + gap, k < 0 ? -k : k, 16 + gap);
                    snprintf(text, sizeof text, "low:\n%s%s\n%s", far & 2 ? around : "", one, far & 2 ? "" : around);
                    Caught c;
                    o[n] = assemble_in(&c, text, &(AsmOptions){.set = V202});
                    buf_free(&c.text);
                }
                /* what does not fit is refused in both forms */
                if (!o[0] != !o[1])
                    fail_msg("%s, %+d, %d: refused with %s", form[i], k, far, o[0] ? "the label" : "the number");
                if (o[0]) {
                    Buf a = exact_words(o[0], ".text"), b = exact_words(o[1], ".text");
                    if (strcmp(buf_text(&a), buf_text(&b)) != 0)
                        fail_msg("%s, %+d, %d:\n%.200s\n%.200s", form[i], k, far, buf_text(&a), buf_text(&b));
                    assert_int_equal(section_of(o[0], ".text")->nrelocs, section_of(o[1], ".text")->nrelocs);
                    buf_free(&a);
                    buf_free(&b);
                }
                obj_free(o[0]);
                obj_free(o[1]);
            }
}

/* --- LEB128 ----------------------------------------------------------------------------- */

/* the shortest form, as the DWARF standard defines it: groups of seven bits until the rest is the sign */
static int leb_of(i64 v, bool is_signed, u8 *out)
{
    int bits = 1; /* the fewest that hold it */
    while (is_signed ? bits < 64 && (v < -((i64)1 << (bits - 1)) || v >= (i64)1 << (bits - 1))
                     : bits < 64 && (u64)v >> bits)
        bits++;
    const int n = (bits + 6) / 7;
    for (int i = 0; i < n; i++) {
        const int shift = 7 * i;
        out[i] = (u8)((is_signed ? v >> shift : (i64)((u64)v >> shift)) & 127) | (i < n - 1 ? 128 : 0);
    }
    return n;
}

static void lebs_are_shortest(void **state)
{
    static const i64 middle[] = {0, 64, 128, 8192, 16384, 1 << 20, 1 << 21, (i64)1 << 34, (i64)1 << 62, INT64_MAX - 1};
    (void)state;
    for (size_t i = 0; i < countof(middle); i++)
        for (int sign = -1; sign <= 1; sign += 2)
            for (i64 d = -1; d <= 1; d++)
                for (int is_signed = 0; is_signed < 2; is_signed++)
                    for (int later = 0; later < 2; later++) {
                        const i64 v = sign * (middle[i] + d);
                        char text[80];
                        u8 want[16] = {0};
                        const int n = leb_of(v, is_signed, want);
                        snprintf(text, sizeof text, ".data\n.%cleb128 %s%lld\n.byte 0x55\n", is_signed ? 's' : 'u',
                                 later ? "x\nx = " : "", (long long)v);
                        if (later)
                            snprintf(text, sizeof text, ".data\n.%cleb128 x\n.byte 0x55\nx = %lld\n",
                                     is_signed ? 's' : 'u', (long long)v);
                        want[n] = 0x55;
                        Object *o = assemble(text, V202);
                        const ObjSection *s = section_of(o, ".data");
                        if (s->data.len != (size_t)n + 1 || memcmp(s->data.data, want, (size_t)n + 1))
                            fail_msg("%s", text);
                        obj_free(o);
                    }
}

/* A number that is longer in one round of the layout than in the next stays so long. */
static void lebs_do_not_shrink(void **state)
{
    static const Row row[] = {
        /* s is at 128 or 129, e at 256: the distance is 128 while the number takes one byte, then 127 */
        {".zero 127\n.uleb128 e - s\ns: .balign 256\ne:", "ff 00"},
        {".zero 191\n.sleb128 e - s\ns: .balign 256\ne:", "bf 00"}, /* 64, then 63 */
        {".zero 190\n.sleb128 s - e\ns: .balign 256\ne:", "c0 7f"}, /* -65, then -64 */
    };
    (void)state;
    for (size_t i = 0; i < countof(row); i++) {
        char text[100], got[8];
        const int at = atoi(row[i].text + 6);
        snprintf(text, sizeof text, ".data\n%s", row[i].text);
        Object *o = assemble(text, V202);
        const u8 *p = section_of(o, ".data")->data.data + at;
        snprintf(got, sizeof got, "%02x %02x", p[0], p[1]);
        assert_string_equal(got, row[i].words);
        assert_int_equal(p[2], 0);
        assert_int_equal(section_of(o, ".data")->size, 256);
        obj_free(o);
    }
}

/* --- conditions and macros ------------------------------------------------------------------ */

static void conditions_choose(void **state)
{
    static const Row row[] = {
        /* conditions in excluded text only count; their operands may be nonsense */
        {".if 0\n.if ) (\n.word 1\n.else\n.word 2\n.endif\n.ifdef 5\n.endif\n.ifb\n.word 3\n.endif\n"
         ".ifc a\n.word 4\n.endif\n.ifeqs x\n.word 5\n.elseif (\n.word 6\n.endif\n.else\n.word 9\n.endif",
         "00000009"},
        {".if 1\n.word 1\n.elseif )\n.word 2\n.elseif 1\n.word 3\n.else\n.word 4\n.endif", "00000001"},
        {".if 0\n.word 1\n.elseif 0\n.word 2\n.elseif 5\n.word 3\n.elseif 1\n.word 4\n.else\n.word 5\n.endif",
         "00000003"},
        {".if 0\n.byte '\\''; .endif; .word 3\n.if 0\n.byte '\\\\' ; .else; .word 4\n.endif\n.if 0\n.byte ';; .else; .word 5\n.endif",
         "00000003 00000004 00000005"},
        {".if 0\n.elseif 0\n.word 2\n.else\n.word 5\n.endif\n.word 6", "00000005 00000006"},
        {"x = 1\n.ifdef x\n.word 1\n.endif\n.ifndef x\n.word 2\n.endif\n.ifdef y\n.word 3\n.endif\n"
         ".ifnotdef y\n.word 4\n.endif\n.globl y\n.ifdef y\n.word 5\n.endif",
         "00000001 00000004"},
        {".ifb\n.word 1\n.endif\n.ifb  # none\n.word 2\n.endif\n.ifb x\n.word 3\n.endif\n.ifnb x\n.word 4\n.endif\n"
         ".ifnb\n.word 5\n.endif",
         "00000001 00000002 00000004"},
        {".ifc a b ,\ta b  \n.word 1\n.endif\n.ifc ab,abc\n.word 2\n.endif\n.ifc abc,ab\n.word 3\n.endif\n"
         ".ifc ab,ac\n.word 4\n.endif\n.ifnc ab,ac\n.word 5\n.endif\n.ifnc a,a\n.word 6\n.endif\n"
         ".ifc ,\n.word 7\n.endif\n.ifc a,\n.word 8\n.endif",
         "00000001 00000005 00000007"},
        {".ifeqs \"a b\", \"a b\"\n.word 1\n.endif\n.ifeqs \"a\", \"ab\"\n.word 2\n.endif\n"
         ".ifnes \"a\", \"b\"\n.word 3\n.endif\n.ifnes \"a\", \"a\"\n.word 4\n.endif\n.ifeqs \"\", \"\"\n.word 5\n.endif",
         "00000001 00000003 00000005"},
    };
    (void)state;
    expect_rows(row, countof(row));
}

static void macros_put_their_arguments(void **state)
{
    static const Row row[] = {
        {".macro m a, b=7, c\n.byte \\a, \\b, 0\\c\n.endm\n m 1\n m 1,,3\n m 1, 2, 3\n m c=4, a=5",
         "01000701 02010307 04070503"},
        {".macro m a, b:vararg\n.byte \\a\n.byte \\b\n.endm\n m 1, 2, 3 , 4  \n", "04030201"},
        {".macro m a:req, b\n.byte \\a\\()\\b\n.endm\n m 1\n m 1 2", "0c01"},
        {".macro m a\n.byte \\a\n.endm\n m (1 + 2)\n m 1 + 2\n m 4 *2\n m -1", "ff080303"},
        {".macro m a\n.ascii \"\\a\\n\"\n.endm\n m xy\n m \"p q\"", "700a7978 0a7120"},
        {".macro m a\n.ascii \"\\a\"\n.endm\n m \"p\\\"q\"", "712270"},
        {".macro m a, b\n.ascii \"\\a|\\b|\"\n.endm\n m + , - \n m 1+ , 2- # 3", "7c2d7c2b 327c2b31 7c2d"},
        /* commas in parentheses separate nothing */
        {".macro m a, b=9\n.ascii \"\\a\\b\"\n.endm\n m (x, y), z\n m ((x), y), z", "202c7828 287a2979 2c297828 7a297920"},
        {".macro m a, b=9\n.ascii \"\\a\\b\"\n.endm\n m x), y", "792978"},
        {".macro m\n.byte \\@\n.endm\n m\n m\n m", "020100"},
        {".macro m a\n.if \\a\n.byte \\a\n m \\a - 1\n.endif\n.endm\n m 3", "010203"},
        {".macro m a\n.byte 1\n.if \\a\n.exitm\n.endif\n.byte 2\n.endm\n m 0\n m 1\n.byte 3", "03010201"},
        /* leaves the macro from within a repetition, and closes the conditions of both */
        {".macro m\n.if 1\n.rept 3\n.byte 1\n.if 1\n.exitm\n.endif\n.byte 2\n.endr\n.endif\n.byte 4\n.endm\n m\n.byte 3",
         "0301"},
        {".macro m\n.macro n\n.byte 5\n.endm\n.endmacro\n m\n n", "05"},
        {".macro m\n.byte 1\n.endm\n m\n.macro m\n.byte 2\n.endm\n m\n.purgem m\n", "0201"},
        {".macro nop\n.byte 1\n.endm\n nop\n.purgem nop\n.balign 4\n nop", "00000001 00000013"},
        {".rept 3\n.byte 1\n.endr\n.rept 0\n.byte 2\n.endr\n.rep 1\n.byte 3\n.endr", "03010101"},
        {".rept 2\n.rept 2\n.byte 1\n.endr\n.byte 2\n.endr", "01020101 0201"},
        {".irp r, 1, 2 , 3\n.byte \\r\n.endr\n.irp r 4 5\n.byte \\r\n.endr", "04030201 05"},
        {".irp r\n.byte 9\\r\n.endr\n.irp r,\n.byte 8\\r\n.endr", "0809"},
        {".irpc c, 123\n.byte \\c\n.endr\n.irpc c,\n.byte 9\\c\n.endr", "09030201"},
        {".irpc c, 12  \n.byte \\c + 1\n.endr # two", "0302"},
        {".irp r, 1\n.irp s, 2, 3\n.byte \\r * 16 + \\s\n.endr\n.endr", "1312"},
        {".word 1\n.end\n nonsense", "00000001"},
        {".word 1; .word 2 ; ; .word 3 # .word 4\n.word 5 // .word 6\n.word /* 7 */ 8",
         "00000001 00000002 00000003 00000005 00000008"},
    };
    (void)state;
    expect_rows(row, countof(row));
}

/* What stands for each directive in excluded text is not read, and only numbers can be in a line of a listing. */
static void directives_are_kept_out(void **state)
{
    static const char names[] =
        "section text data bss rodata sdata sbss pushsection popsection previous align p2align balign org comm common lcomm "
        "byte dc.b half short hword 2byte word long int 4byte dword 8byte quad ascii asciz string float single double zero "
        "space skip fill uleb128 sleb128 incbin insn reloc globl global weak local hidden internal protected type size set "
        "equ eqv equiv variant_cc kernel lds private lds_stack private_stack ventus_isa macro endm endmacro exitm purgem "
        "rept rep irp irpc endr include end error err warning print option attribute file loc ident addrsig noaltmacro line "
        "list nolist title sbttl eject psize version symver cfi_startproc if ifne ifeq iflt ifle ifgt ifge ifdef ifndef "
        "ifnotdef ifb ifnb ifc ifnc ifeqs ifnes elseif else endif ";
    static const char numbers[] = " byte dc.b half short hword 2byte word long int 4byte dword 8byte quad insn ";
    (void)state;
    for (const char *p = names; *p; p += strcspn(p, " ") + 1) {
        const int len = (int)strcspn(p, " ");
        char text[120], word[32], apart[34], want[80];
        Caught c;
        snprintf(word, sizeof word, "%.*s ", len, p);
        const bool condition = !strncmp(word, "if", 2) || !strncmp(word, "end", 3) || !strncmp(word, "else", 4);
        if (!condition || !strcmp(word, "endm ") || !strcmp(word, "endmacro ") || !strcmp(word, "endr ") || !strcmp(word, "end ")) {
            snprintf(text, sizeof text, ".if 0\n.%s )(\n.endif\n.byte 1", word);
            assert_true(makes(text, ".text", "01"));
        }
        snprintf(text, sizeof text, "0: 12345678 .%s )(", word);
        snprintf(want, sizeof want, "t.s:1:13: warning: '.%.*s' cannot be in a line of a listing", len, p);
        Object *o = assemble_in(&c, text, &(AsmOptions){.set = V202});
        snprintf(apart, sizeof apart, " %s", word);
        if (strstr(numbers, apart) ? strstr(buf_text(&c.text), "cannot be") != NULL
                      : !o || strncmp(buf_text(&c.text), want, strlen(want)) != 0)
            fail_msg("%s\n%s", text, buf_text(&c.text));
        obj_free(o);
        buf_free(&c.text);
    }
}

/* --- symbols ---------------------------------------------------------------------------------- */

/* each name of a type, with each mark in front */
static void types_have_several_names(void **state)
{
    static const struct { const char *name; u8 type; } row[] = {
        {"function", STT_FUNC}, {"STT_FUNC", STT_FUNC}, {"object", STT_OBJECT}, {"STT_OBJECT", STT_OBJECT},
        {"notype", STT_NOTYPE}, {"STT_NOTYPE", STT_NOTYPE}, {"common", STT_OBJECT}, {"STT_COMMON", STT_OBJECT},
        {"tls_object", STT_TLS}, {"STT_TLS", STT_TLS}, {"gnu_unique_object", STT_OBJECT},
        {"gnu_indirect_function", STT_GNU_IFUNC},
    };
    static const char *const form[] = {"@%s", "%%%s", "\"%s\"", "%s"};
    (void)state;
    for (size_t i = 0; i < countof(row); i++)
        for (size_t k = 0; k < countof(form); k++) {
            char type[40], text[100];
            snprintf(type, sizeof type, form[k], row[i].name);
            snprintf(text, sizeof text, ".globl f\n.type f, @object\n.type f, %s\nf: ret\n", type);
            Object *o = assemble(text, V202);
            if (o->symbols[obj_find_symbol(o, "f")].type != row[i].type)
                fail_msg("%s", text);
            obj_free(o);
        }
}

static void symbols_are_bound(void **state)
{
    static const struct { const char *text; u8 bind; } row[] = {
        {"s:", STB_LOCAL}, {".globl s\ns:", STB_GLOBAL}, {"s:\n.global s", STB_GLOBAL}, {".weak s\ns:", STB_WEAK},
        {".weak s\n.globl s\ns:", STB_WEAK}, {".globl s\n.weak s\ns:", STB_WEAK}, {".globl s\n.local s\ns:", STB_LOCAL},
        {".globl a, s, b\ns:", STB_GLOBAL}, {".word s", STB_GLOBAL}, {".weak s\n.word s", STB_WEAK},
        {".hidden s\ns:", STB_LOCAL}, {".internal s\n.globl s\n.protected s\ns:", STB_GLOBAL},
        {".comm s, 4", STB_GLOBAL}, {".lcomm s, 4", STB_LOCAL}, {".local s\n.comm s, 4", STB_LOCAL},
    };
    (void)state;
    for (size_t i = 0; i < countof(row); i++) {
        Object *o = assemble(row[i].text, V202);
        const i32 s = obj_find_symbol(o, "s");
        if (s < 0 || o->symbols[s].bind != row[i].bind)
            fail_msg("%s", row[i].text);
        obj_free(o);
    }
}

/* names of directives that mean the same */
static void directives_have_several_names(void **state)
{
    static const char *const row[][4] = {
        {".dc.b", ".byte", "1, -1, 300 - 200"}, {".short", ".half", "1, 2"}, {".hword", ".half", "1, 2"},
        {".2byte", ".half", "1, 2"}, {".long", ".word", "1, 2"}, {".int", ".word", "1, 2"}, {".4byte", ".word", "1, 2"},
        {".8byte", ".dword", "1, 2"}, {".quad", ".dword", "1, 2"}, {".string", ".asciz", "\"ab\""},
        {".single", ".float", "1.5"}, {".space", ".zero", "3, 4"}, {".skip", ".zero", "3, 4"},
        {".align", ".p2align", "4"}, {".common", ".comm", "x, 8, 4"}, {".global", ".globl", "x"},
        {".WORD", ".word", "5"}, {".Byte", ".byte", "5"},
        {".text 0", ".text", ""}, {".section .data", ".data", "\n.byte 1"}, {".section .bss", ".bss", "\n.zero 1"},
        {".section .rodata", ".rodata", "\n.byte 1"}, {".section .sdata", ".sdata", "\n.byte 1"},
        {".section .sbss", ".sbss", "\n.zero 1"}, {".section \".data\"", ".data", "\n.byte 1"},
        {".section .data, \"aw\"", ".data", "\n.byte 1"}, {".section .data, \"aw\", @progbits", ".data", "\n.byte 1"},
        {".section .data, \"aw\", %progbits", ".data", "\n.byte 1"}, {".section .data, \"wa\", 1", ".data", "\n.byte 1"},
        {".section .data, \"aw\", \"progbits\", 4", ".data", "\n.byte 1"},
        {".section .bss, \"aw\", 8", ".bss", "\n.zero 1"},
    };
    (void)state;
    for (size_t i = 0; i < countof(row); i++) {
        Buf file[2] = {{0}, {0}};
        for (int k = 0; k < 2; k++) {
            char text[100];
            Diag d = {0};
            snprintf(text, sizeof text, ".byte 9\nx: %s %s\n", row[i][k], row[i][2]);
            Object *o = assemble(strstr(row[i][1], "comm") ? text + 11 : text, V202);
            assert_true(obj_write(o, &file[k], &d));
            obj_free(o);
        }
        if (file[0].len != file[1].len || memcmp(file[0].data, file[1].data, file[0].len) != 0)
            fail_msg("%s is not %s %s", row[i][0], row[i][1], row[i][2]);
        buf_free(&file[0]);
        buf_free(&file[1]);
    }
}

/* Blanks, names, numbers and operators as the manual of GNU as has them for RISC-V; all beyond ASCII are letters. */
static void characters_have_classes(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        const bool is_letter = c >= 128 || isalnum(c) || (c && strchr("_.$", c));
        const int want = (c && strchr(" \t\v\f\r", c) ? C_BLANK : 0) | (is_letter ? C_IDENT : 0) |
                         (c < 128 && isdigit(c) ? C_DIGIT : 0) | (c < 128 && isxdigit(c) ? C_HEX : 0) |
                         (c && strchr("+-*/%<>=!&|^~", c) ? C_OPERATOR : 0);
        if (lex_class[c] != want)
            fail_msg("character %d is of classes %x, not %x", c, lex_class[c], want);
    }
}

/* what is accepted because compilers write it, and puts nothing */
static void some_directives_do_nothing(void **state)
{
    static const char *const row[] = {
        ".attribute 5, \"rv32\"", ".file \"a.c\"", ".file 1 \"a.c\"", ".loc 1 2 3", ".ident \"x\"", ".addrsig",
        ".addrsig_sym f", ".noaltmacro", ".line 5", ".ln 5", ".list", ".nolist", ".title \"x\"", ".sbttl \"x\"",
        ".eject", ".psize 60, 80", ".version \"1\"", ".symver a, b@V", ".cfi_startproc", ".cfi_endproc",
        ".cfi_def_cfa sp, 16", ".option push", ".option pop", ".option rvc", ".option norvc", ".option relax",
        ".option norelax", ".option pic", ".option nopic", ".option arch, +a", ".option csr-check",
        ".option no-csr-check", ".variant_cc f", ".hidden f", ".internal f", ".protected f", ".print \"\"",
    };
    (void)state;
    for (size_t i = 0; i < countof(row); i++) {
        char text[100];
        Caught c;
        snprintf(text, sizeof text, ".byte 1\n%s # and a comment\n.byte 2\n", row[i]);
        Object *o = assemble_in(&c, text, &(AsmOptions){.set = V202});
        if (!o || c.d.errors || c.d.warnings)
            fail_msg("%s: %s", row[i], buf_text(&c.text));
        Buf words = exact_words(o, ".text");
        assert_string_equal(buf_text(&words), "0201");
        buf_free(&words);
        buf_free(&c.text);
        obj_free(o);
    }
}

/* --- files ----------------------------------------------------------------------------------- */

static void put_file(const char *dir, const char *name, const void *bytes, size_t len)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, len, f), len);
    fclose(f);
}

/* A lower half stands where its upper half is, which the text may have later: 8 bytes and 4 KiB before it. */
static void lower_halves_come_first(void **state)
{
    (void)state;
    assert_true(makes(" j 1f\n2: addi a0, a0, %pcrel_lo(1f)\n ret\n1: auipc a0, %pcrel_hi(2b)\n j 2b\n", ".text",
                      "00c0006f ff850513 00008067 00000517 ff5ff06f"));
    assert_true(makes(" j 1f\n2: lw a0, %pcrel_lo(1f)(a0)\n ret\n1: auipc a0, %pcrel_hi(2b - 4096)\n j 2b\n", ".text",
                      "00c0006f ff852503 00008067 fffff517 ff5ff06f"));
}

/* ranges of addresses (doc/abi.md) that have numbers of 32 bits, the ends with one bit more */
static void ranges_of_addresses_are_built_in(void **state)
{
    (void)state;
    assert_true(makes(".include \"abi.inc\"\n.data\n.word RANGE_CODE_FROM, RANGE_CODE_END, RANGE_HEAP_FROM\n.quad RANGE_HEAP_END\n"
                      ".ifdef RANGE_HIGH_FROM\n.word 1\n.endif\n",
                      ".data", "80000000 90000000 90000000 00000000 00000001"));
}

/* A file is looked for beside the text that asks, then in the directories of the options, in order; what is no file is none. */
static void files_are_found_and_cut(void **state)
{
    static const struct { const char *text, *words, *message; } row[] = {
        {".incbin \"bytes\"", "03020100 07060504", NULL},
        {".incbin \"bytes\", 2", "05040302 0706", NULL},
        {".incbin \"bytes\", 2, 3", "040302", NULL},
        {".incbin \"bytes\", 2, 6\n.byte 9", "05040302 090706", NULL},
        {".incbin \"bytes\", 2, 7\n.byte 9", "05040302 090706", NULL},
        {".incbin \"bytes\", 8\n.byte 9", "09", NULL},
        {".incbin \"bytes\", 0, 0\n.byte 9", "09", NULL},
        {".incbin \"bytes\", 9", NULL, "t.s:1:9: error: 'bytes' has 8 bytes"},
        {".incbin \"bytes\", -1", NULL, "t.s:1:9: error: 'bytes' has 8 bytes"},
        {".incbin \"bytes\", 0, -1", NULL, "t.s:1:9: error: 'bytes' has 8 bytes"},
        {".include \"text\"\n.byte 3", "0311", NULL},
        {".include \"both\"\n.byte 3", "0322", NULL}, /* of the first directory */
        {".incbin \"folder\"", "44", NULL}, /* of the second, a directory in the first */
        {".include \"nul\"", NULL, "t.s:1:10: error: 'nul' is no text: it has a NUL byte"},
        {".include \"bad\"", NULL, "bad:2:2: error: no instruction 'nonsense'\n     nonsense\n     ^\nt.s:1:"},
        {".macro m\n.include \"text\"\n.endm\n m\n", "11", NULL},
    };
    char one[] = "/tmp/asmXXXXXX", two[] = "/tmp/asmXXXXXX", command[100];
    (void)state;
    assert_true(mkdtemp(one) && mkdtemp(two));
    put_file(one, "both", ".byte 0x22\n", 11);
    put_file(two, "both", ".byte 0x33\n", 11);
    snprintf(command, sizeof command, "%s/folder", one);
    assert_int_equal(mkdir(command, 0700), 0);
    put_file(two, "folder", "\x44", 1);
    put_file(two, "text", ".byte 0x11", 10); /* without an end of line */
    put_file(two, "bytes", "\0\1\2\3\4\5\6\7", 8);
    put_file(two, "nul", " nop\n\0", 6);
    put_file(two, "bad", " nop\n nonsense\n", 15);
    for (size_t i = 0; i < countof(row); i++) {
        Caught c;
        const char *const dirs[] = {one, two, NULL};
        Object *o = assemble_in(&c, row[i].text, &(AsmOptions){.set = V202, .include = dirs});
        if (row[i].message ? o || c.d.errors != 1 || strncmp(buf_text(&c.text), row[i].message, strlen(row[i].message)) != 0 : !o)
            fail_msg("%s\n%s", row[i].text, buf_text(&c.text));
        if (o) {
            Buf words = exact_words(o, ".text");
            if (strcmp(buf_text(&words), row[i].words))
                fail_msg("%s: %s", row[i].text, buf_text(&words));
            buf_free(&words);
        }
        obj_free(o);
        buf_free(&c.text);
    }
    snprintf(command, sizeof command, "rm -r %s %s", one, two);
    assert_int_equal(system(command), 0);
}

/* --- limits ------------------------------------------------------------------------------------ */

static void repeat(Buf *b, const char *text, int n)
{
    while (n-- > 0)
        buf_str(b, text);
}

/* before n + after is accepted, and before (n + 1) + after refused */
static void expect_limit(const char *first, const char *before, const char *middle, const char *after, int n, const char *message)
{
    for (int more = 0; more < 2; more++) {
        Buf b = {0};
        Caught c;
        buf_str(&b, first);
        repeat(&b, before, n + more);
        buf_str(&b, middle);
        repeat(&b, after, n + more);
        buf_str(&b, "\n");
        Object *o = assemble_in(&c, buf_text(&b), &(AsmOptions){.set = V202});
        if (more ? o || !strstr(buf_text(&c.text), message) : !o)
            fail_msg("%d times '%s': %s", n + more, before, buf_text(&c.text));
        obj_free(o);
        buf_free(&c.text);
        buf_free(&b);
    }
}

static void nesting_has_limits(void **state)
{
    (void)state;
    expect_limit("", ".if 1\n", ".byte 1\n", ".endif\n", 1000, "conditions more than 1000 deep");
    expect_limit(".word ", "(", "1", ")", 200, "this expression is nested too deeply");
    for (const char *sign = "-+~!"; *sign; sign++)
        expect_limit(".word ", (char[]){*sign, 0}, "1", "", 200, "this expression is nested too deeply");
    expect_limit(".word a", "*2", "\na = 3\n", "", 200, "this expression is nested too deeply");
    expect_limit("", ".rept 1\n", ".byte 1\n", ".endr\n", 100, "macros, repetitions and includes more than 100 deep");
}

/* Messages are shown up to a number, and counted beyond. */
static void many_messages_are_counted(void **state)
{
    Buf b = {0};
    Caught c;
    int lines = 0;
    (void)state;
    repeat(&b, " nonsense 1\n vadd12.vi v1, v2, 3000\n", 600);
    assert_null(assemble_in(&c, buf_text(&b), &(AsmOptions){.set = V202}));
    assert_int_equal(c.d.errors, 600);
    assert_int_equal(c.d.warnings, 600);
    for (const char *p = buf_text(&c.text); (p = strstr(p, "t.s:")); p++)
        lines++;
    assert_int_equal(lines, 1000);
    buf_free(&c.text);
    buf_free(&b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(data_is_put_as_said),
        cmocka_unit_test(places_are_filled),
        cmocka_unit_test(expressions_have_their_values),
        cmocka_unit_test(places_are_labels_with_numbers),
        cmocka_unit_test(lebs_are_shortest),
        cmocka_unit_test(lebs_do_not_shrink),
        cmocka_unit_test(conditions_choose),
        cmocka_unit_test(macros_put_their_arguments),
        cmocka_unit_test(directives_are_kept_out),
        cmocka_unit_test(types_have_several_names),
        cmocka_unit_test(symbols_are_bound),
        cmocka_unit_test(directives_have_several_names),
        cmocka_unit_test(characters_have_classes),
        cmocka_unit_test(some_directives_do_nothing),
        cmocka_unit_test(lower_halves_come_first),
        cmocka_unit_test(ranges_of_addresses_are_built_in),
        cmocka_unit_test(files_are_found_and_cut),
        cmocka_unit_test(nesting_has_limits),
        cmocka_unit_test(many_messages_are_counted),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests_name("asm_text", tests, NULL, NULL);
}
