/* Which bytes relocations leave, what cannot be relocated, and what alignment takes out of code. */
#include "test/kit/links.h"
#include "test/kit/random.h"

/* --- relocations --------------------------------------------------------- */

/* What a relocation leaves of `word` at TEXT + 16 when its symbol is `away` bytes from
 * there, in code. */
static u32 relocated(u32 word, u32 type, i32 away)
{
    Object *o = CODE(W_NOP, W_NOP, W_NOP, W_NOP, word, W_NOP);
    add_reloc(o, 0, 16, type, add_local(o, "t", 0, 16), away);
    Object *image = LINK(o);
    const u32 got = word_at(image, TEXT + 16);
    obj_free(image);
    return got;
}

/* words from the encoding tables of the RISC-V manual */
static void code_fields_hold_offsets(void **state)
{
    (void)state;
    assert_int_equal(relocated(0x00b50063, R_RISCV_BRANCH, 8), 0x00b50463);
    assert_int_equal(relocated(0x00b50063, R_RISCV_BRANCH, -4), 0xfeb50ee3);
    assert_int_equal(relocated(0x00b50063, R_RISCV_BRANCH, 4092), 0x7eb50ee3);
    assert_int_equal(relocated(0x00b50063, R_RISCV_BRANCH, -4096), 0x80b50063);
    assert_int_equal(relocated(0xfffff0ef, R_RISCV_JAL, 16), 0x010000ef); /* old bits go */
    assert_int_equal(relocated(0xef, R_RISCV_JAL, -4), 0xffdff0ef);
    assert_int_equal(relocated(0xef, R_RISCV_JAL, 0xffffc), 0x7fdff0ef);
    assert_int_equal(relocated(0xef, R_RISCV_JAL, -0x100000), 0x800000ef);
}

static void code_fields_hold_addresses(void **state)
{
    (void)state;
    assert_int_equal(relocated(0x537, R_RISCV_HI20, 0), 0x80000537);
    assert_int_equal(relocated(0x537, R_RISCV_HI20, 0x7ff - 16), 0x80000537);
    assert_int_equal(relocated(0x537, R_RISCV_HI20, 0x800 - 16), 0x80001537);
    assert_int_equal(relocated(0x50513, R_RISCV_LO12_I, 0x800 - 16), 0x80050513);
    assert_int_equal(relocated(0x50513, R_RISCV_LO12_I, 0), 0x01050513);
    assert_int_equal(relocated(0xa52023, R_RISCV_LO12_S, 0x7ff - 16), 0x7ea52fa3);
}

static void calls_are_pairs(void **state)
{
    Object *o = CODE(0x97, 0x80e7, W_NOP);
    (void)state;
    add_reloc(o, 0, 0, R_RISCV_CALL_PLT, add_local(o, "t", 0, 0), 0x1800);
    Object *image = LINK(o);
    assert_int_equal(word_at(image, TEXT), 0x00002097);     /* auipc ra, 2 */
    assert_int_equal(word_at(image, TEXT + 4), 0x800080e7); /* jalr -2048(ra) */
    obj_free(image);
}

/* The low part belongs to the place of the auipc, not to its own. */
static void low_parts_follow_their_label(void **state)
{
    Object *o = CODE(W_NOP, 0x517, W_NOP, 0x50513, 0xa52023), *d = obj_new("d.o");
    (void)state;
    add_bytes(d, ".data", DATA_FLAGS, 4, "0123456789", 10);
    add_global(d, "v", 0, 4);
    const u32 hi = add_local(o, ".Lpcrel_hi0", 0, 4);
    add_reloc(o, 0, 4, R_RISCV_PCREL_HI20, add_global(o, "v", OBJ_UNDEF, 0), 2);
    add_reloc(o, 0, 12, R_RISCV_PCREL_LO12_I, hi, 0);
    add_reloc(o, 0, 16, R_RISCV_PCREL_LO12_S, hi, 0);
    Object *image = LINK(o, d);
    /* 0x80001006 - 0x80000004 = 0x1002 */
    assert_int_equal(word_at(image, TEXT + 4), 0x00001517);
    assert_int_equal(word_at(image, TEXT + 12), 0x00250513);
    assert_int_equal(word_at(image, TEXT + 16), 0x00a52123);
    obj_free(image);
}

/* the first of two data words after a relocation of each type in `types`, with S = TEXT + 16 */
static u32 data_after(u32 word, const u32 *types, size_t n, i32 addend)
{
    Object *o = CODE(W_NOP, W_NOP, W_NOP, W_NOP, W_NOP);
    const u32 words[] = {word, 0};
    const i32 data = add_bytes(o, ".data", DATA_FLAGS, 4, words, sizeof words);
    const u32 t = add_local(o, "t", 0, 16), start = add_local(o, "s", 0, 0);
    for (size_t i = 0; i < n; i++)
        add_reloc(o, data, 0, types[i], i ? start : t, i ? 0 : addend);
    Object *image = LINK(o);
    const u32 got = word_at(image, 0x80001000);
    obj_free(image);
    return got;
}

#define DATA_AFTER(word, addend, ...)                                                              \
    data_after(word, (const u32[]){__VA_ARGS__}, sizeof((u32[]){__VA_ARGS__}) / 4, addend)

static void data_holds_addresses_and_differences(void **state)
{
    (void)state;
    assert_int_equal(DATA_AFTER(99, 3, R_RISCV_32), 0x80000013);
    assert_int_equal(DATA_AFTER(0x11223344, 0, R_RISCV_SET8), 0x11223310);
    assert_int_equal(DATA_AFTER(0x11223344, 0, R_RISCV_SET16), 0x11220010);
    assert_int_equal(DATA_AFTER(0, -1, R_RISCV_SET32), 0x8000000f);
    assert_int_equal(DATA_AFTER(0xff, 0, R_RISCV_SET6), 0xd0);
    assert_int_equal(DATA_AFTER(0, 0, R_RISCV_32_PCREL), 0x80000010 - 0x80001000);
    assert_int_equal(DATA_AFTER(5, 0, R_RISCV_ADD32, R_RISCV_SUB32), 21);
    assert_int_equal(DATA_AFTER(0x12345605, 0, R_RISCV_ADD8, R_RISCV_SUB8), 0x12345615);
    assert_int_equal(DATA_AFTER(0x12340005, 0, R_RISCV_ADD16, R_RISCV_SUB16), 0x12340015);
    assert_int_equal(DATA_AFTER(7, 0, R_RISCV_ADD64, R_RISCV_SUB64), 23);
    assert_int_equal(DATA_AFTER(0xc0, 1, R_RISCV_SET6, R_RISCV_SUB6), 0xd1);
    assert_int_equal(DATA_AFTER(1, 0, R_RISCV_NONE, R_RISCV_RELAX), 1);
}

/* SET_ULEB128 and SUB_ULEB128, numbers 60 and 61: the length stays */
static void uleb_numbers_keep_their_length(void **state)
{
    (void)state;
    assert_int_equal(DATA_AFTER(0xaa008080, 0, 60, 61), 0xaa008090);
    assert_int_equal(DATA_AFTER(0xaa550080, 300, 60, 61), 0xaa5502bc);
}

static Object *far_object(u32 type, u32 word, i32 away)
{
    Object *o = CODE(word, W_NOP);
    add_reloc(o, 0, 0, type, add_local(o, "t", 0, 0), away);
    return o;
}

static void what_does_not_reach_is_an_error(void **state)
{
    (void)state;
    LINK_BADLY("a.o: error: .text+0x0 in _start: BRANCH does not reach 't': 4096 bytes away, "
               "-4096 to 4094 are possible",
               far_object(R_RISCV_BRANCH, W_BEQ, 4096));
    LINK_BADLY("BRANCH does not reach 't': -4100 bytes away",
               far_object(R_RISCV_BRANCH, W_BEQ, -4100));
    LINK_BADLY("JAL does not reach 't': 1048576 bytes away",
               far_object(R_RISCV_JAL, W_JAL, 0x100000));
    LINK_BADLY("JAL does not reach 't': -1048580 bytes away",
               far_object(R_RISCV_JAL, W_JAL, -0x100004));
    LINK_BADLY("BRANCH to 't': the target is not a multiple of 4 bytes away",
               far_object(R_RISCV_BRANCH, W_BEQ, 6));
}

static void what_is_not_known_is_an_error(void **state)
{
    (void)state;
    LINK_BADLY("relocation 12 is unknown", far_object(12, W_NOP, 0));
    LINK_BADLY("relocation 191 is unknown", far_object(191, W_NOP, 0));
    LINK_BADLY("GOT_HI20 is not supported", far_object(R_RISCV_GOT_HI20, W_AUIPC, 0));
    LINK_BADLY("TPREL_HI20 is not supported", far_object(R_RISCV_TPREL_HI20, W_LUI, 0));
    LINK_BADLY("PCREL_LO12_I: no PCREL_HI20 at its label 't'",
               far_object(R_RISCV_PCREL_LO12_I, W_ADDI, 0));
    Object *o = far_object(R_RISCV_PCREL_HI20, W_AUIPC, 0);
    add_reloc(o, 0, 4, R_RISCV_PCREL_LO12_I, o->sections[0].relocs[0].symbol, 4);
    LINK_BADLY("PCREL_LO12_I: the label 't' takes no addend", o);
}

static void fields_must_be_inside(void **state)
{
    Object *o = CODE(W_NOP, 0x97);
    (void)state;
    add_reloc(o, 0, 4, R_RISCV_CALL, 0, 0);
    LINK_BADLY(".text+0x4 in _start: CALL goes past the end of the section", o);
    o = CODE(W_NOP);
    add_nobits(o, ".bss", 8);
    add_reloc(o, 1, 0, R_RISCV_32, 0, 0);
    LINK_BADLY(".bss+0x0: 32 goes past the end of the section", o);
    o = CODE(0xffffffff);
    add_reloc(o, 0, 0, 60, 0, 0);
    LINK_BADLY("SET_ULEB128: the number does not end", o);
}

/* --- alignment ----------------------------------------------------------- */

static void alignment_takes_what_is_too_much(void **state)
{
    (void)state;
    /* 28 bytes of nops: to 32; from 4 all of them are needed */
    Object *image = LINK(aligned_object(7));
    assert_int_equal(address_of(image, "label"), TEXT + 32);
    obj_free(image);
    /* 12 bytes of nops from 8 on: to 16, 8 of them are needed */
    Object *o = aligned_object(3);
    o->sections[0].relocs[0].offset = 8;
    o->symbols[1].value = 20;
    image = LINK(o);
    assert_int_equal(address_of(image, "label"), TEXT + 16);
    assert_int_equal(section(image, ".text")->size, 20);
    assert_int_equal(image->symbols[obj_find_symbol(image, "_start")].size, 20);
    obj_free(image);
}

/* whatever the section's own alignment was */
static void alignment_aligns_the_section(void **state)
{
    Object *b = obj_new("b.o");
    (void)state;
    add_bytes(b, ".text", TEXT_FLAGS, 4, "\x13\0\0\0\x67\x80\0\0", 8);
    add_reloc(b, 0, 0, R_RISCV_ALIGN, OBJ_NO_SYMBOL, 4);
    add_global(b, "f", 0, 4);
    Object *image = LINK(CODE(W_NOP), b);
    assert_int_equal(address_of(image, "f"), TEXT + 8);
    obj_free(image);
}

/* from 0 on, so that all the nops go */
static void places_move_with_what_is_cut(void **state)
{
    Object *o = aligned_object(3);
    (void)state;
    o->sections[0].relocs[0].offset = 0;
    const i32 data = add_bytes(o, ".data", DATA_FLAGS, 4, "12345678", 8);
    const u32 text = (u32)obj_add_symbol(o, "", 0, 0, STB_LOCAL, STT_SECTION);
    add_local(o, "inside", 0, 8);
    add_local(o, "before", 0, 0);
    add_reloc(o, data, 0, R_RISCV_32, text, 16);
    add_reloc(o, data, 4, R_RISCV_32, text, 20);
    Object *image = LINK(o);
    assert_int_equal(address_of(image, "before"), TEXT);
    assert_int_equal(address_of(image, "inside"), TEXT);
    assert_int_equal(word_at(image, 0x80001000), TEXT + 4);
    assert_int_equal(word_at(image, 0x80001004), TEXT + 8);
    obj_free(image);
}

/* Code with several alignments, a label at each word: the words that are left come one after the other, those behind an
 * alignment at a multiple of it, and labels of nops that are gone are where these would begin. */
static void try_alignments(void)
{
    enum { MOST = 400 };
    u32 words[MOST], at[MOST], want[MOST], n = 0, left = 0;
    Object *o = obj_new("a.o"), *data = obj_new("d.o");
    char name[16];
    const i32 text = add_bytes(o, ".text", TEXT_FLAGS, 4, "", 0), table = add_bytes(data, ".data", DATA_FLAGS, 4, "", 0);
    for (u32 groups = 1 + below(8); groups; groups--) {
        for (u32 code = below(12); code || !n; code -= code > 0) {
            words[n] = want[left] = W_ADDI | n << 20;
            at[n++] = 4 * left++;
        }
        const u32 align = 8u << below(4);
        add_reloc(o, text, 4 * n, R_RISCV_ALIGN, OBJ_NO_SYMBOL, (i32)align - 4);
        for (u32 i = 0; i < align / 4 - 1; i++) {
            words[n] = W_NOP;
            at[n++] = 4 * left;
            if (4 * left % align)
                want[left++] = W_NOP;
        }
    }
    words[n] = want[left] = 0x8067;
    at[n++] = 4 * left++;
    buf_put(&o->sections[text].data, words, 4 * n);
    o->sections[text].size = 4 * n;
    add_global(o, "_start", text, 0);
    for (u32 i = 0; i < n; i++) {
        snprintf(name, sizeof name, "l%u", i);
        add_global(o, name, text, 4 * i);
        buf_fill(&data->sections[table].data, 0, 4);
        data->sections[table].size += 4;
        add_reloc(data, table, 4 * i, R_RISCV_32, add_global(data, name, OBJ_UNDEF, 0), 0);
    }
    Object *image = LINK(o, data);
    assert_int_equal(section(image, ".text")->size, 4 * left);
    assert_memory_equal(section(image, ".text")->data.data, want, 4 * left);
    for (u32 i = 0; i < n; i++)
        assert_int_equal(word_at(image, section(image, ".data")->addr + 4 * i), TEXT + at[i]);
    obj_free(image);
}

static void many_alignments_go_together(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++)
        try_alignments();
}

static void alignment_that_cannot_be_is_an_error(void **state)
{
    (void)state;
    Object *o = aligned_object(3);
    o->sections[0].relocs[0].addend = 100;
    LINK_BADLY(".text+0x4: ALIGN of 100 bytes does not fit into the section", o);
    o = aligned_object(3);
    o->sections[0].relocs[0].addend = -4;
    LINK_BADLY("ALIGN of -4 bytes does not fit", o);
    o = aligned_object(3);
    o->sections[0].relocs[0].offset = 5;
    o->sections[0].relocs[0].addend = 2;
    LINK_BADLY("2 bytes of nops cannot align to 4", o);
    /* each of them is told */
    Caught c;
    catch_in(&c);
    o = aligned_object(3);
    o->sections[0].relocs[0].addend = 2;
    o->sections[0].relocs[0].offset = 5;
    Object *p = aligned_object(3);
    p->sections[0].relocs[0].addend = -4;
    assert_null(link_with(&plain, (const Object *[]){o, p}, 2, &c));
    assert_non_null(strstr(buf_text(&c.text), "2 bytes of nops cannot align to 4"));
    assert_non_null(strstr(buf_text(&c.text), "ALIGN of -4 bytes does not fit"));
    buf_free(&c.text);
    obj_free(o);
    obj_free(p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(code_fields_hold_offsets),
        cmocka_unit_test(code_fields_hold_addresses),
        cmocka_unit_test(calls_are_pairs),
        cmocka_unit_test(low_parts_follow_their_label),
        cmocka_unit_test(data_holds_addresses_and_differences),
        cmocka_unit_test(uleb_numbers_keep_their_length),
        cmocka_unit_test(what_does_not_reach_is_an_error),
        cmocka_unit_test(what_is_not_known_is_an_error),
        cmocka_unit_test(fields_must_be_inside),
        cmocka_unit_test(alignment_takes_what_is_too_much),
        cmocka_unit_test(alignment_aligns_the_section),
        cmocka_unit_test(places_move_with_what_is_cut),
        cmocka_unit_test(many_alignments_go_together),
        cmocka_unit_test(alignment_that_cannot_be_is_an_error),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
