/* spirv_test.c -- modules of SPIR-V, made of words here: recognising them, putting in values, and the words that
 * translators take.  What an instruction means is the specification's.
 */
#include "test/kit/leftover.h"
#include "comp/spirv.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

enum { MAGIC = 0x07230203, BOUND = 40 };
enum { NAME = 5, MEMORY_MODEL = 14, TYPE_BOOL = 20, TYPE_INT = 21, TYPE_FLOAT = 22, TYPE_VECTOR = 23, CONSTANT_FALSE = 42,
       CONSTANT = 43, CONSTANT_NULL = 46, SPEC_TRUE = 48, SPEC_FALSE = 49, SPEC = 50, UNDEF = 1, DECORATE = 71, SHUFFLE = 79 };

/* Appends an instruction with its operands. */
#define ADD(m, op, ...) add(m, op, (const u32[]){__VA_ARGS__}, sizeof(u32[]){__VA_ARGS__} / 4)

static void add(Buf *m, u32 op, const u32 *operands, size_t n)
{
    const u32 first = op | (u32)(n + 1) << 16;
    buf_put(m, &first, 4);
    buf_put(m, operands, 4 * n);
}

static Buf module(u32 version)
{
    const u32 header[] = {MAGIC, version, 0, BOUND, 0};
    Buf m = {0};
    buf_put(&m, header, sizeof header);
    return m;
}

static u32 word(const Buf *m, size_t k)
{
    u32 w;
    memcpy(&w, m->data + 4 * k, 4);
    return w;
}

static void set_word(Buf *m, size_t k, u32 w) { memcpy(m->data + 4 * k, &w, 4); }

static void tells_modules(void **state)
{
    static const struct { u32 version, model, minor, bits; bool good; } rows[] = {
        {0x00010000, 1, 0, 32, true}, {0x00010300, 2, 3, 64, true}, {0x00010600, 0, 6, 0, true}, {0x00010100, 3, 1, 0, true},
        {0x00020000, 1, 0, 0, false}, {0x00000100, 1, 0, 0, false}};
    SpirvFacts f;
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        Buf m = module(rows[i].version);
        ADD(&m, NAME, 1, 0x61);
        ADD(&m, MEMORY_MODEL, rows[i].model, 2);
        ADD(&m, TYPE_BOOL, 2);
        assert_true(spirv_is(m.data, m.len));
        assert_int_equal(spirv_look(m.data, m.len, &f), rows[i].good);
        if (rows[i].good)
            assert_true(f.minor == rows[i].minor && f.pointer_bits == rows[i].bits);
        /* cut off: whole where an instruction ends (5, 8, 11 and 13 words) */
        for (size_t n = 0; n < m.len; n++) {
            const bool whole = n == 20 || n == 32 || n == 44;
            assert_int_equal(spirv_is(m.data, n), n >= 20 && n % 4 == 0);
            assert_int_equal(spirv_look(m.data, n, &f), whole && rows[i].good);
        }
        set_word(&m, 11, TYPE_BOOL); /* of no words */
        assert_false(spirv_look(m.data, m.len, &f));
        set_word(&m, 0, 0x03022307); /* in the other order of bytes */
        assert_false(spirv_is(m.data, m.len));
        assert_false(spirv_look(m.data, m.len, &f));
        buf_free(&m);
    }
}

/* Constants of every scalar type, each decorated with its id plus 100; others are in the way. */
static void takes_values(void **state)
{
    static const struct { u32 op, bits, id; size_t size; } rows[] = {
        {TYPE_INT, 8, 10, 1}, {TYPE_INT, 16, 11, 2}, {TYPE_INT, 32, 12, 4}, {TYPE_INT, 64, 13, 8}, {TYPE_FLOAT, 16, 14, 2},
        {TYPE_FLOAT, 32, 15, 4}, {TYPE_FLOAT, 64, 16, 8}, {TYPE_BOOL, 0, 17, 1}, {TYPE_BOOL, 1, 18, 1}};
    static const u8 value[16] = {0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8, 9, 10, 11, 12, 13, 14, 15, 16};
    Buf m = module(0x10000);
    size_t at[countof(rows)];
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        ADD(&m, DECORATE, rows[i].id, 2, rows[i].id + 100); /* another decoration */
        ADD(&m, DECORATE, rows[i].id, 1, rows[i].id + 100);
    }
    ADD(&m, DECORATE, 30, 1, 130); /* of what is no constant */
    for (size_t i = 0; i < countof(rows); i++) {
        const u32 type = 20 + (u32)i;
        if (rows[i].op == TYPE_BOOL)
            ADD(&m, TYPE_BOOL, type);
        else if (rows[i].op == TYPE_INT)
            ADD(&m, TYPE_INT, type, rows[i].bits, 0);
        else
            ADD(&m, TYPE_FLOAT, type, rows[i].bits);
        ADD(&m, CONSTANT, type, 35, 7);
        at[i] = m.len / 4;
        if (rows[i].op == TYPE_BOOL)
            ADD(&m, rows[i].bits ? SPEC_TRUE : SPEC_FALSE, type, rows[i].id);
        else if (rows[i].bits == 64)
            ADD(&m, SPEC, type, rows[i].id, 1, 2);
        else
            ADD(&m, SPEC, type, rows[i].id, 1);
    }
    for (size_t i = 0; i < countof(rows); i++) {
        const u32 number = rows[i].id + 100;
        Buf before = {0};
        buf_put(&before, m.data, m.len);
        for (size_t size = 0; size <= sizeof value; size++)
            if (size != rows[i].size)
                assert_int_equal(spirv_specialise(m.data, m.len, number, value, size), SPIRV_OTHER_SIZE);
        assert_memory_equal(m.data, before.data, m.len);
        for (int turn = 0; turn < 2; turn++) { /* the second value of a boolean is false */
            const u8 *from = turn ? (const u8[8]){0} : value;
            u8 want[8] = {0};
            memcpy(want, from, rows[i].size);
            assert_int_equal(spirv_specialise(m.data, m.len, number, from, rows[i].size), SPIRV_SET);
            if (rows[i].op == TYPE_BOOL)
                set_word(&before, at[i], (turn ? SPEC_FALSE : SPEC_TRUE) | 3 << 16);
            else
                memcpy(before.data + 4 * (at[i] + 3), want, rows[i].bits == 64 ? 8 : 4);
            assert_memory_equal(m.data, before.data, m.len);
        }
        buf_free(&before);
    }
    assert_int_equal(spirv_specialise(m.data, m.len, 130, value, 4), SPIRV_NO_CONSTANT);
    assert_int_equal(spirv_specialise(m.data, m.len, 99, value, 4), SPIRV_NO_CONSTANT);
    assert_int_equal(spirv_specialise(m.data, m.len - 1, 112, value, 4), SPIRV_NO_CONSTANT); /* no module */
    /* so are those of types that have no values, or larger ones than there are */
    const size_t whole = m.len;
    ADD(&m, DECORATE, 31, 1, 131);
    ADD(&m, SPEC, 38, 31);
    assert_int_equal(spirv_specialise(m.data, m.len, 131, value, 0), SPIRV_OTHER_SIZE);
    ADD(&m, DECORATE, 32, 1, 132);
    ADD(&m, TYPE_INT, 39, 96, 0);
    ADD(&m, SPEC, 39, 32, 1, 2, 3);
    assert_int_equal(spirv_specialise(m.data, m.len, 132, value, 12), SPIRV_OTHER_SIZE);
    m.len = whole;
    /* a constant whose words do not fit its type is let alone */
    set_word(&m, at[2], SPEC | 3 << 16);
    assert_int_equal(spirv_specialise(m.data, m.len, 112, value, 4), SPIRV_OTHER_SIZE);
    buf_free(&m);
}

static void expect_words(const Buf *m, const Buf *want)
{
    Buf out = {0};
    buf_put(&out, "....", 4); /* what is there stays */
    assert_true(spirv_spell(m->data, m->len, &out));
    assert_memory_equal(out.data, "....", 4);
    assert_int_equal(out.len - 4, want->len);
    for (size_t k = 0; k < want->len / 4; k++) {
        u32 w;
        memcpy(&w, out.data + 4 + 4 * k, 4);
        if (w != word(want, k))
            fail_msg("word %zu: %x, not %x", k, w, word(want, k));
    }
    buf_free(&out);
}

/* Null constants of scalar types are zeros; of others they stay. */
static void spells_nulls(void **state)
{
    Buf m = module(0x10000), want = {0};
    (void)state;
    ADD(&m, TYPE_BOOL, 1);
    ADD(&m, TYPE_INT, 2, 8, 0);
    ADD(&m, TYPE_INT, 3, 32, 0);
    ADD(&m, TYPE_INT, 4, 64, 0);
    ADD(&m, TYPE_FLOAT, 5, 16);
    ADD(&m, TYPE_FLOAT, 6, 64);
    ADD(&m, TYPE_VECTOR, 7, 3, 4);
    ADD(&m, TYPE_INT, 8, 96, 0); /* of more words than any of OpenCL's */
    buf_put(&want, m.data, m.len);
    for (u32 type = 1; type <= 9; type++)
        ADD(&m, CONSTANT_NULL, type, 10 + type);
    ADD(&m, CONSTANT_NULL, BOUND, 20);
    ADD(&want, CONSTANT_FALSE, 1, 11);
    ADD(&want, CONSTANT, 2, 12, 0);
    ADD(&want, CONSTANT, 3, 13, 0);
    ADD(&want, CONSTANT, 4, 14, 0, 0);
    ADD(&want, CONSTANT, 5, 15, 0);
    ADD(&want, CONSTANT, 6, 16, 0, 0);
    ADD(&want, CONSTANT_NULL, 7, 17);
    ADD(&want, CONSTANT_NULL, 8, 18);
    ADD(&want, CONSTANT_NULL, 9, 19);
    ADD(&want, CONSTANT_NULL, BOUND, 20);
    expect_words(&m, &want);
    buf_free(&m);
    buf_free(&want);
}

/* --- shuffles ------------------------------------------------------------------------------------ */

/* A machine of vectors: what each id holds after the module's shuffles.  False: one has vectors of two lengths. */
typedef struct { u32 n, element[8]; } Vector;
enum { NOTHING = 1000 }; /* an element that may be anything */

static bool run(const Buf *m, Vector v[2 * BOUND])
{
    for (size_t at = 5; at < m->len / 4; at += word(m, at) >> 16) {
        if ((word(m, at) & 0xffff) != SHUFFLE)
            continue;
        const Vector *a = &v[word(m, at + 3)], *b = &v[word(m, at + 4)];
        Vector r = {.n = (word(m, at) >> 16) - 5};
        assert_true(a->n && b->n && r.n <= 8 && word(m, at + 2) < word(m, 3));
        if (a->n != b->n)
            return false;
        for (u32 k = 0; k < r.n; k++) {
            const u32 e = word(m, at + 5 + k);
            assert_true(e == UINT32_MAX || e < a->n + b->n);
            r.element[k] = e == UINT32_MAX ? NOTHING : e < a->n ? a->element[e] : b->element[e - a->n];
        }
        v[word(m, at + 2)] = r;
    }
    return true;
}

/* Shuffles of two lengths become ones of equal lengths with the same elements. */
static void spells_shuffles(void **state)
{
    static const u32 lengths[] = {2, 3, 4, 8};
    u32 seed = 1;
    (void)state;
    for (size_t turn = 0; turn < 400; turn++) {
        const u32 x = turn % 4, y = turn / 4 % 4;
        Vector v[2 * BOUND] = {{0}};
        Buf m = module(0x10000), out = {0};
        ADD(&m, TYPE_FLOAT, 1, 32);
        for (u32 k = 0; k < 4; k++) {
            ADD(&m, TYPE_VECTOR, 2 + k, 1, lengths[k]);
            ADD(&m, DECORATE, 2 + k, 7, 0);
            ADD(&m, UNDEF, 2 + k, 10 + k);
            v[10 + k].n = lengths[k];
            for (u32 e = 0; e < lengths[k]; e++)
                v[10 + k].element[e] = 10 * k + e;
        }
        u32 elements[8], want[8];
        for (u32 k = 0; k < lengths[turn / 16 % 4]; k++) {
            seed = seed * 1664525 + 1013904223;
            const u32 e = (seed >> 16) % (lengths[x] + lengths[y] + 1);
            elements[k] = e < lengths[x] + lengths[y] ? e : UINT32_MAX;
            want[k] = elements[k] == UINT32_MAX ? NOTHING : e < lengths[x] ? 10 * x + e : 10 * y + e - lengths[x];
        }
        const u32 n = lengths[turn / 16 % 4], type = 2 + (u32)turn / 16 % 4, head[] = {type, 20, 10 + x, 10 + y};
        const u32 first = SHUFFLE | (5 + n) << 16;
        buf_put(&m, &first, 4);
        buf_put(&m, head, sizeof head);
        buf_put(&m, elements, 4 * n);
        assert_true(spirv_spell(m.data, m.len, &out));
        if (x == y)
            assert_true(out.len == m.len && !memcmp(out.data, m.data, m.len));
        assert_true(run(&out, v));
        assert_int_equal(word(&out, 3), BOUND + (x != y));
        assert_int_equal(v[20].n, n);
        for (u32 k = 0; k < n; k++)
            if (v[20].element[k] != want[k])
                fail_msg("turn %zu: element %u is %u, not %u", turn, k, v[20].element[k], want[k]);
        buf_free(&m);
        buf_free(&out);
    }
}

/* What is no module, or has more ids than a module may, is not spelt; ids out of range are let alone. */
static void refuses_others(void **state)
{
    Buf m = module(0x10000), out = {0};
    (void)state;
    ADD(&m, TYPE_BOOL, 0);
    ADD(&m, TYPE_BOOL, BOUND);
    ADD(&m, TYPE_INT, 0xffffffff, 32, 0);
    ADD(&m, TYPE_VECTOR, BOUND, 1, 2);
    ADD(&m, SHUFFLE, 1, 2, BOUND, 0xffffffff, 0, 0);
    ADD(&m, CONSTANT_NULL, 0, 3);
    expect_words(&m, &m);
    assert_false(spirv_spell(m.data, 16, &out));
    set_word(&m, 3, 0); /* no ids at all: no shuffle is of vectors */
    expect_words(&m, &m);
    set_word(&m, 3, 0x400000); /* ids up to 0x3fffff */
    assert_true(spirv_spell(m.data, m.len, &out));
    set_word(&m, 3, 0x400001);
    assert_false(spirv_spell(m.data, m.len, &out));
    buf_free(&m);
    buf_free(&out);
}

/* Nothing is read behind a module, however short its last instruction is: that is where memory ends. */
static void reads_no_further(void **state)
{
    enum { PAGE = 4096 };
    static const u32 ops[] = {NAME, MEMORY_MODEL, TYPE_BOOL, TYPE_INT, TYPE_FLOAT, TYPE_VECTOR, CONSTANT, CONSTANT_NULL,
                              SPEC_TRUE, SPEC_FALSE, SPEC, UNDEF, DECORATE, SHUFFLE};
    static const u32 operands[] = {1, 1, 1, 1, 1, 1};
    static const u8 value[4];
    SpirvFacts f;
    u8 *room = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    assert_true(room != MAP_FAILED && !mprotect(room + PAGE, PAGE, PROT_NONE));
    for (size_t i = 0; i < countof(ops) * countof(operands); i++) {
        Buf m = module(0x10000), out = {0};
        ADD(&m, DECORATE, 1, 1, 1);
        ADD(&m, TYPE_INT, 1, 32, 0);
        add(&m, ops[i / countof(operands)], operands, i % countof(operands));
        u8 *at = room + PAGE - m.len;
        memcpy(at, m.data, m.len);
        assert_true(spirv_look(at, m.len, &f));
        for (u32 number = 1; number <= 2; number++)
            spirv_specialise(at, m.len, number, value, sizeof value);
        assert_true(spirv_spell(at, m.len, &out));
        buf_free(&m);
        buf_free(&out);
    }
    munmap(room, 2 * PAGE);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaves_nothing), cmocka_unit_test(tells_modules), cmocka_unit_test(takes_values),
                                       cmocka_unit_test(spells_nulls), cmocka_unit_test(spells_shuffles),
                                       cmocka_unit_test(refuses_others), cmocka_unit_test(reads_no_further)};
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
