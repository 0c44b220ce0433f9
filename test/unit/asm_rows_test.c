/* Every row of isa.def through the assembler and back, and words made by others
 * (test/golden/isa_vectors.tsv) in both directions. */
#include "test/kit/assemble.h"
#include <ctype.h>

static u64 random_bits(void)
{
    static u64 s = 88172645463325252u;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return s;
}

/* a set that has the row and can be enabled */
static IsaSet set_with(InsnId id)
{
    static const IsaSet sets[] = {V202, V2025, V202 | AI, V202 | TIDX, V2025 | AI};
    for (size_t i = 0; i < countof(sets); i++)
        if (isa_has(sets[i], id))
            return sets[i];
    fail_msg("%s is in no set", isa_insn[id].text);
    return 0;
}

/* --- rows ------------------------------------------------------------------------ */

static i32 random_operand(OperandId id)
{
    const OperandInfo *o = &isa_operand[id];
    i64 min, max, step;
    isa_range(id, &min, &max, &step);
    if (o->kind == K_HIDE)
        return 0;
    if (o->kind == K_XREG && max > 63)
        max = 63;
    if (o->kind == K_RM) /* 5 and 6 are reserved */
        return random_bits() & 1 ? 7 : (i32)(random_bits() % 5);
    const i64 n = (max - min) / step + 1;
    return (i32)(min + (i64)(random_bits() % (u64)n) * step);
}

/* An instance of the row with any operands that it can have. */
static Insn random_insn(InsnId id)
{
    const FormatInfo *f = isa_format_of(id);
    char suffix[80];
    Insn in = {.id = id};
    for (int i = 0; i < f->nopd; i++) {
        const OperandKind kind = (OperandKind)isa_operand[f->opd[i]].kind;
        do
            in.opd[i] = random_operand((OperandId)f->opd[i]);
        while ((kind == K_MMA || kind == K_MMA64) &&
               !isa_mma_suffix(kind, in.opd[i], suffix, sizeof suffix));
    }
    return in;
}

/* text -> word -> text, in every way to print; how many */
static int check_instance(const Insn *in, IsaSet set)
{
    const IsaPrint ways[] = {{0}, {.raw = true}, {.csr_names = true}};
    u64 word;
    assert_true(isa_encode(in, &word, NULL));
    for (size_t i = 0; i < countof(ways); i++) {
        Caught c;
        Buf text = {0};
        isa_print(&text, in, &ways[i]);
        const u64 got = first_word(&c, buf_text(&text), &(AsmOptions){.set = set});
        /* a written prefix is an instruction like any other, with nothing after it */
        if (got != word || c.d.errors)
            fail_msg("%016llx is printed '%s', assembled to %016llx\n%s", (unsigned long long)word,
                     buf_text(&text), (unsigned long long)got, buf_text(&c.text));
        buf_free(&c.text);
        buf_free(&text);
    }
    return 1;
}

static void what_is_printed_assembles_to_the_same_word(void **state)
{
    enum { EACH = 40 };
    (void)state;
    int n = 0;
    for (int id = 0; id < NINSN; id++)
        for (int k = 0; k < EACH; k++) {
            const Insn in = random_insn((InsnId)id);
            n += check_instance(&in, set_with((InsnId)id));
        }
    assert_int_equal(n, NINSN * EACH);
}

/* The same through a listing with addresses, many words at once. */
static void listings_give_back_their_words(void **state)
{
    static const IsaSet sets[] = {V202 | AI | TIDX, V2025 | AI | TIDX};
    enum { WORDS = 20000 };
    (void)state;
    for (size_t k = 0; k < countof(sets); k++) {
        IsaDecoder d;
        Buf text = {0}, listing = {0}, again = {0};
        isa_decoder_init(&d, sets[k]);
        for (int i = 0; i < WORDS; i++) {
            const Insn in = random_insn((InsnId)(random_bits() % NINSN));
            u64 word = random_bits() & UINT32_MAX; /* one in eight is no instruction, or may be */
            int len = isa_length(sets[k], (u32)word);
            if (isa_has(sets[k], in.id) && i % 8) {
                isa_encode(&in, &word, NULL);
                len = isa_insn[in.id].len;
            } else if (len == 8) {
                word &= ~(u64)7; /* a word of 32 bits */
                len = 4;
            }
            buf_printf(&text, len == 8 ? ".dword 0x%llx\n" : ".word 0x%llx\n",
                       (unsigned long long)word);
        }
        Object *o = assemble(buf_text(&text), sets[k]);
        asm_list(o, &(ListOptions){0}, &listing);
        Object *p = assemble(buf_text(&listing), sets[k]);
        assert_int_equal(section_of(o, ".text")->data.len, section_of(p, ".text")->data.len);
        assert_memory_equal(section_of(o, ".text")->data.data, section_of(p, ".text")->data.data,
                            section_of(o, ".text")->data.len);
        asm_list(p, &(ListOptions){0}, &again);
        assert_string_equal(buf_text(&listing), buf_text(&again));
        obj_free(o);
        obj_free(p);
        buf_free(&text);
        buf_free(&listing);
        buf_free(&again);
    }
}

/* --- words made by others ----------------------------------------------------------- */

typedef struct {
    u64 word, pc;
    int len;
    bool has_pc;
    const char *text;
    IsaSet set;
} Vector;

/* one field up to a tab; *p moves after it */
static char *field(char **p)
{
    char *start = *p;
    *p += strcspn(*p, "\t\n");
    if (**p)
        *(*p)++ = 0;
    return start;
}

static Vector read_vector(char *line)
{
    char *word = field(&line), *text = field(&line);
    field(&line);
    char *pc = field(&line), *set = field(&line);
    Vector v = {.word = strtoull(word, NULL, 16), .len = (int)strlen(word) / 2, .text = text,
                .has_pc = *pc != '-', .pc = strtoull(pc, NULL, 16)};
    char name[32];
    snprintf(name, sizeof name, "%s%s", strchr(set, '2') ? "" : "v202+", set);
    assert_true(isa_parse_set(name, &v.set));
    return v;
}

/* LLVM's spacing, without the name of a target */
static void normalize(const char *s, char *out)
{
    char *start = out;
    for (; *s && *s != '<'; s++) {
        if (!isspace((unsigned char)*s) || (out > start && out[-1] != ' '))
            *out++ = isspace((unsigned char)*s) ? ' ' : *s;
        if (*s == ',')
            *out++ = ' ';
    }
    while (out > start && out[-1] == ' ')
        out--;
    *out = 0;
}

static void check_text_to_word(const Vector *v)
{
    char line[300];
    Caught c;
    if (v->has_pc)
        snprintf(line, sizeof line, "%08llx: %0*llx\t%s\n", (unsigned long long)v->pc, 2 * v->len,
                 (unsigned long long)v->word, v->text);
    else
        snprintf(line, sizeof line, "%s\n", v->text);
    const u64 got = first_word(&c, line, &(AsmOptions){.set = v->set});
    if (got != v->word)
        fail_msg("%s\nassembled to %llx\n%s", line, (unsigned long long)got, buf_text(&c.text));
    expect_silence(&c);
}

static void check_word_to_text(const Vector *v)
{
    char got[300], want[300];
    Buf b = {0};
    IsaDecoder d;
    isa_decoder_init(&d, v->set);
    isa_print_word(&b, &d, v->word, v->len, &(IsaPrint){.have_pc = v->has_pc, .pc = v->pc});
    normalize(buf_text(&b), got);
    normalize(v->text, want);
    assert_string_equal(got, want);
    buf_free(&b);
}

/* Two rows are not what an assembler does: an old compiler printed vmv.s.x as vmv.v.x,
 * and the 64-bit word has a text in prose. */
static bool is_known_misprint(const Vector *v)
{
    return (v->word & 0xfff0707f) == 0x42006057 ? strncmp(v->text, "vmv.v.x", 7) == 0
                                                : strchr(v->text, '(') && v->len == 8;
}

static void public_words_and_texts_agree(void **state)
{
    char line[1000];
    int rows = 0, misprints = 0;
    (void)state;
    FILE *f = fopen("test/golden/isa_vectors.tsv", "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    for (; fgets(line, sizeof line, f); rows++) {
        const Vector v = read_vector(line);
        if (is_known_misprint(&v)) {
            misprints++;
            continue;
        }
        check_text_to_word(&v);
        check_word_to_text(&v);
    }
    fclose(f);
    assert_int_equal(rows, 368);
    assert_int_equal(misprints, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printed_assembles_to_the_same_word),
        cmocka_unit_test(listings_give_back_their_words),
        cmocka_unit_test(public_words_and_texts_agree),
    };
    return cmocka_run_group_tests_name("asm_rows", tests, NULL, NULL);
}
