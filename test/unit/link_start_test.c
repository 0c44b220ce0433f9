/* Which pieces of start code a program gets. */
#include "test/kit/links.h"
#include "test/kit/assemble.h"

/* --- start code ---------------------------------------------------------- */

static Object *program(const Object *const *objects, size_t n)
{
    Caught c;
    catch_in(&c);
    Object *image = link_program(objects, n, &(LinkOptions){.output = "out.elf"}, &c.d);
    expect_silence(&c);
    assert_non_null(image);
    return image;
}

/* How often a word is in the start code, which ends where `spike_end` begins. */
static int count_in_start(const Object *image, u32 word)
{
    const ObjSection *text = section(image, ".text");
    int n = 0;
    for (u32 at = 0; at < address_of(image, "spike_end") - TEXT; at += 4) {
        u32 w;
        memcpy(&w, text->data.data + at, 4);
        n += w == word;
    }
    return n;
}

/* The pieces of start code, by an instruction that only each has. */
enum {
    HAS_ENDPRG = 0x0000400b, HAS_FLOATS = 0x3003a073 /* csrs mstatus, t2 */, HAS_STACKS = 0x00000213 /* li tp, 0 */
};

static Object *object_of(const u32 *words, size_t n)
{
    Object *o = obj_new("k.o");
    add_bytes(o, ".text", TEXT_FLAGS, 4, words, n * 4);
    return o;
}

/* Whether a program of these words gets each piece. */
#define EXPECT_PIECES(stacks, floats, ...)                                                         \
    do {                                                                                           \
        const u32 words[] = {__VA_ARGS__};                                                         \
        Object *o = object_of(words, countof(words));                                              \
        Object *image = program((const Object *const *)&o, 1);                                     \
        assert_int_equal(address_of(image, "_start"), TEXT);                                       \
        assert_int_equal(count_in_start(image, HAS_ENDPRG), 1);                                    \
        assert_int_equal(count_in_start(image, HAS_STACKS), stacks);                               \
        assert_int_equal(count_in_start(image, HAS_FLOATS), floats);                               \
        assert_int_equal(resource_generation(image), GEN_B);                                       \
        assert_int_equal(resource_tp_word(image), -1);                                             \
        obj_free(image);                                                                           \
        obj_free(o);                                                                               \
    } while (0)

/* as llvm-mc -triple=riscv32 -mattr=+f,+v encodes them */
enum {
    RET = 0x00008067, LW_SP = 0x00012283 /* lw t0, 0(sp) */, MV_TP = 0x00020293 /* mv t0, tp */,
    PUSH = 0x00410113 /* addi sp, sp, 4 */, MV_GP = 0x00018293, MV_S0 = 0x00040293, LI_S0 = 0x00100413, BEQZ = 0x00028463 /* beqz t0, +8 */,
    MV_A0 = 0x00050293, FADD = 0x0072f2d3 /* fadd.s */, VFADD = 0x021090d7 /* vfadd.vv v1, v1, v1 */,
    VMFLT = 0x6e1090d7 /* vmflt.vv */, VADD = 0x021080d7, FENCE = 0x0ff0000f
};

static void a_program_gets_the_start_code_that_it_needs(void **state)
{
    (void)state;
    EXPECT_PIECES(0, 0, MV_A0, VADD, FENCE, RET);
    EXPECT_PIECES(1, 0, LW_SP, RET);
    EXPECT_PIECES(1, 0, MV_TP, RET);
    EXPECT_PIECES(1, 0, MV_GP, RET);
    EXPECT_PIECES(1, 0, MV_S0, RET);
    EXPECT_PIECES(0, 1, FADD, RET);
    EXPECT_PIECES(0, 1, VFADD, RET);
    EXPECT_PIECES(0, 1, VMFLT, RET);
    EXPECT_PIECES(1, 1, LW_SP, VFADD, RET);
    /* what the function writes first is its own, but not where a jump may go around */
    EXPECT_PIECES(0, 0, LI_S0, MV_S0, RET);
    EXPECT_PIECES(0, 0, LI_S0, BEQZ, MV_A0, MV_S0, RET);
    EXPECT_PIECES(1, 0, BEQZ, LI_S0, MV_S0, RET);
    EXPECT_PIECES(1, 0, MV_S0, LI_S0, RET);
    EXPECT_PIECES(1, 0, PUSH, RET);
    /* nobody knows what a word does that is no instruction */
    EXPECT_PIECES(1, 1, 0xffffffff, RET);
}

/* Registers of words of 64 bits may be in their second half, of which one may be missing at the end. */
static void long_words_are_looked_at_whole(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int stacks, floats;
    } row[] = {{"vadd64.vx v2, v4, sp\n ret", 1, 0}, {"vadd64.vx v2, v4, a0\n ret", 0, 0},
               {"ret\n .balign 8\n vadd64.vx v2, v4, tp", 1, 0}, {"vfadd64.vf v2, v4, a0\n ret", 0, 1}};
    for (size_t i = 0; i < countof(row); i++) {
        Object *o = assemble(row[i].text, V2025), *image = program((const Object *const *)&o, 1);
        assert_int_equal(count_in_start(image, HAS_STACKS), row[i].stacks);
        assert_int_equal(count_in_start(image, HAS_FLOATS), row[i].floats);
        obj_free(image);
        obj_free(o);
    }
}

static void another_function_may_come_without_the_write(void **state)
{
    const u32 words[] = {LI_S0, MV_S0, RET, MV_S0, RET};
    (void)state;
    Object *o = object_of(words, countof(words));
    Object *image = program((const Object *const *)&o, 1);
    assert_int_equal(count_in_start(image, HAS_STACKS), 0);
    obj_free(image);
    assert_true(obj_add_symbol(o, "second", obj_find_section(o, ".text"), 12, STB_LOCAL, STT_FUNC) >= 0);
    image = program((const Object *const *)&o, 1);
    assert_int_equal(count_in_start(image, HAS_STACKS), 1);
    obj_free(image);
    obj_free(o);
}

static void start_code_brings_its_symbols(void **state)
{
    (void)state;
    Object *o = function_object("k.o", "k");
    Object *image = program((const Object *const *)&o, 1);
    assert_int_equal(address_of(image, "_start"), TEXT);
    assert_int_equal(address_of(image, "tohost"), 0x80001000);
    assert_int_equal(address_of(image, "fromhost"), 0x80001040);
    assert_int_equal(section(image, ".tohost")->size, 72);
    obj_free(image);
    obj_free(o);
}

static void printing_comes_first(void **state)
{
    (void)state;
    const u32 words[] = {LW_SP, RET};
    Object *o = object_of(words, countof(words));
    assert_true(obj_add_symbol(o, "BUFFER_SIZE", OBJ_UNDEF, 0, STB_GLOBAL, STT_NOTYPE) >= 0);
    Object *image = program((const Object *const *)&o, 1);
    assert_int_equal(address_of(image, "_start"), TEXT);
    assert_int_equal(address_of(image, "BUFFER_SIZE"), address_of(image, "BUFFER_ADDR") + 4);
    assert_int_equal(count_in_start(image, HAS_STACKS), 1);
    assert_int_equal(resource_generation(image), GEN_B);
    obj_free(image);
    obj_free(o);
}

static void start_code_goes_with_any_profile(void **state)
{
    (void)state;
    Object *o = marked("n.o", V2025);
    Object *image = program((const Object *const *)&o, 1);
    assert_int_equal(image->set, V2025);
    obj_free(image);
    obj_free(o);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(a_program_gets_the_start_code_that_it_needs),
        cmocka_unit_test(long_words_are_looked_at_whole),
        cmocka_unit_test(another_function_may_come_without_the_write),
        cmocka_unit_test(start_code_brings_its_symbols),
        cmocka_unit_test(printing_comes_first),
        cmocka_unit_test(start_code_goes_with_any_profile),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
