/* What must hold of the tables of src/isa, row by row; and that they agree with
 * the encodings published for each mnemonic (test/golden/isa_encodings.tsv). */
#include "isa/isa.h"
#include "isa/op.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static u64 random_bits(void)
{
    static u64 s = 88172645463325252u;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return s;
}

/* the sets that may be enabled together */
static const IsaSet machines[] = {V202, V202 | AI | TIDX, V2025, V2025 | TIDX, V2025 | AI | TIDX};

static u64 all_bits(int len) { return len == 8 ? UINT64_MAX : UINT32_MAX; }

/* bits of the word that operand o covers */
static u64 covered(OperandId o)
{
    u64 bits = 0;
    for (int i = 0; i < MAXPIECE && isa_operand[o].piece[i].len; i++)
        bits |= (((u64)1 << isa_operand[o].piece[i].len) - 1) << isa_operand[o].piece[i].lsb;
    return bits;
}

static void masks_are_what_operands_leave(void **state)
{
    (void)state;
    for (int id = 0; id < NINSN; id++) {
        const FormatInfo *f = isa_format_of((InsnId)id);
        u64 bits = 0;
        for (int i = 0; i < f->nopd; i++) {
            if (bits & covered((OperandId)f->opd[i]))
                fail_msg("%s: operands overlap", isa_insn[id].text);
            bits |= covered((OperandId)f->opd[i]);
        }
        if (f->mask != (~bits & all_bits(isa_insn[id].len)))
            fail_msg("%s: mask %llx, operands leave %llx", isa_insn[id].text,
                     (unsigned long long)f->mask,
                     (unsigned long long)(~bits & all_bits(isa_insn[id].len)));
        if (isa_insn[id].match & ~f->mask)
            fail_msg("%s: fixed bits outside the mask", isa_insn[id].text);
    }
}

/* a letter of IsaRole for each operand, and registers in roles that registers have */
static void every_operand_has_a_role(void **state)
{
    (void)state;
    for (int k = 0; k < NFORMAT; k++) {
        const FormatInfo *f = &isa_format[k];
        if (strlen(f->roles) != f->nopd || strspn(f->roles, "dabcposivqtnymrx") != f->nopd)
            fail_msg("format %d: %d operands, roles %s", k, f->nopd, f->roles);
        for (int i = 0; i < f->nopd; i++) {
            const OperandInfo *o = &isa_operand[f->opd[i]];
            const bool is_register = o->kind == K_XREG || o->kind == K_VREG;
            if (is_register && (o->use == USE_N) != (f->roles[i] == ROLE_NONE))
                fail_msg("format %d: %s in role %c", k, o->name, f->roles[i]);
            if (is_register && (o->use & USE_W ? f->roles[i] != ROLE_D : f->roles[i] == ROLE_D))
                fail_msg("format %d: %s in role %c", k, o->name, f->roles[i]);
        }
    }
}

static bool may_meet(int a, int b)
{
    for (size_t i = 0; i < countof(machines); i++)
        if (isa_has(machines[i], (InsnId)a) && isa_has(machines[i], (InsnId)b))
            return true;
    return false;
}

static void no_two_rows_share_a_word(void **state)
{
    (void)state;
    for (int a = 0; a < NINSN; a++)
        for (int b = 0; b < a; b++) {
            const u64 both = isa_format_of((InsnId)a)->mask & isa_format_of((InsnId)b)->mask;
            if (may_meet(a, b) && !(both & (isa_insn[a].match ^ isa_insn[b].match)))
                fail_msg("%s and %s share a word", isa_insn[a].text, isa_insn[b].text);
        }
}

/* the one collision of v2025 with the overlay ai: the conversions have other words there */
static void conversions_move_beside_v2025(void **state)
{
    (void)state;
    static IsaDecoder d;
    Insn in;
    isa_decoder_init(&d, V202 | AI);
    assert_true(isa_decode(&d, 0x0200007a, &in));
    assert_int_equal(in.id, I_vcvt_fp32_fp16);
    assert_false(isa_decode(&d, 0x0200003a, &in));
    isa_decoder_init(&d, V2025 | AI);
    assert_true(isa_decode(&d, 0x0200007a, &in));
    assert_int_equal(in.id, I_vlb_local_v);
    assert_true(isa_decode(&d, 0x0200003a, &in));
    assert_string_equal(isa_insn[in.id].text, "vcvt.fp32.fp16");
    assert_true(isa_find_insn("vcvt.fp32.fp16", 14, V2025 | AI, &in, NULL));
    assert_int_equal(in.id, I_vcvt_fp32_fp16_25);
}

static IsaSet set_for(int id)
{
    const IsaSet sets = isa_insn[id].sets;
    return sets & V202       ? V202
           : sets & V2025    ? V2025
           : sets & AI_V2025 ? V2025 | AI
                             : (IsaSet)(V202 | (sets & (AI | TIDX)));
}

/* a word of row id with random operands that mean something */
static u64 random_word(int id, const IsaDecoder *d, Insn *in)
{
    for (;;) {
        const u64 w = (isa_insn[id].match | (random_bits() & ~isa_format_of((InsnId)id)->mask)) &
                      all_bits(isa_insn[id].len);
        if (isa_decode(d, w, in))
            return w;
    }
}

static void every_word_comes_back(void **state)
{
    (void)state;
    static IsaDecoder d;
    for (int id = 0; id < NINSN; id++) {
        isa_decoder_init(&d, set_for(id));
        for (int k = 0; k < 300; k++) {
            Insn in;
            u64 back;
            const u64 w = random_word(id, &d, &in);
            assert_int_equal(in.id, id);
            assert_true(isa_encode(&in, &back, NULL));
            assert_int_equal(back, w);
        }
    }
}

/* the index by opcode and funct3 finds what a walk over the rows finds */
static void decoder_agrees_with_a_scan(void **state)
{
    (void)state;
    static IsaDecoder d;
    for (size_t m = 0; m < countof(machines); m++) {
        isa_decoder_init(&d, machines[m]);
        for (int k = 0; k < 200000; k++) {
            const u64 bits = random_bits();
            const u64 w = isa_length(machines[m], (u32)bits) == 8 ? bits : (u32)bits;
            Insn in;
            int want = NINSN;
            for (int id = 0; id < NINSN && want == NINSN; id++)
                if (isa_has(machines[m], (InsnId)id) &&
                    (w & isa_format_of((InsnId)id)->mask) == isa_insn[id].match)
                    want = id;
            if (isa_decode(&d, w, &in))
                assert_int_equal(in.id, want);
            else if (want != NINSN) /* only reserved modes, shapes and registers are refused */
                assert_true(isa_insn[want].effect == E_MMA || isa_insn[want].effect == E_MMA64 ||
                            isa_find_operand((InsnId)want, O_rm) >= 0 ||
                            isa_find_operand((InsnId)want, O_wx1) >= 0);
        }
    }
}

static void operands_that_do_not_fit_are_named(void **state)
{
    (void)state;
    u64 w;
    int bad = -1;
    assert_false(isa_encode(&(Insn){I_addi, {1, 2, 2048}}, &w, &bad));
    assert_int_equal(bad, 2);
    assert_false(isa_encode(&(Insn){I_beq, {1, 2, 3}}, &w, &bad));
    assert_int_equal(bad, 2);
    assert_false(isa_encode(&(Insn){I_vadd_vv, {32, 0, 0, 1}}, &w, &bad));
    assert_int_equal(bad, 0);
    assert_true(isa_encode(&(Insn){I_vadd12_vi, {1, 2, 4095}}, &w, &bad));
    assert_false(isa_encode(&(Insn){I_vadd12_vi, {1, 2, -1}}, &w, &bad));
}

/* --- the published table ---------------------------------------------------------------- */

static int find_row(const char *name, const char *profiles)
{
    char text[64];
    snprintf(text, sizeof text, "%s", name);
    if (strlen(text) > 2 && !strcmp(text + strlen(text) - 2, ".*"))
        text[strlen(text) - 2] = 0;
    if (!strcmp(text, "cp_dma.cpsz"))
        snprintf(text, sizeof text, "cp_dma");
    for (int id = 0; id < NINSN; id++)
        if (!strcmp(isa_insn[id].text, text))
            return id;
    fail_msg("no row for %s (%s)", name, profiles);
    return -1;
}

static IsaSet published_sets(const char *profiles)
{
    return (IsaSet)((strstr(profiles, "v202+") || !strcmp(profiles, "v202") ? V202 : 0) |
                    (strstr(profiles, "v2025") ? V2025 : 0) | (!strcmp(profiles, "ai") ? AI : 0) |
                    (!strcmp(profiles, "tidx") ? TIDX : 0));
}

static void rows_are_the_published_ones(void **state)
{
    (void)state;
    char line[400];
    int rows = 0;
    FILE *f = fopen("test/golden/isa_encodings.tsv", "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    while (fgets(line, sizeof line, f)) {
        char *name = strtok(line, "\t"), *profiles = strtok(NULL, "\t"), *bits = strtok(NULL, "\t");
        const u64 mask = strtoull(strtok(NULL, "\t"), NULL, 16);
        const u64 match = strtoull(strtok(NULL, "\t"), NULL, 16);
        const int id = find_row(name, profiles);
        const u64 ours = isa_format_of((InsnId)id)->mask;
        assert_int_equal(isa_insn[id].len * 8, atoi(bits));
        assert_int_equal(isa_insn[id].match & mask, match);
        /* ours may fix more: nf of vector memory is 0 */
        if (ours != mask && (ours & mask) != mask)
            fail_msg("%s: mask %llx, published %llx", name, (unsigned long long)ours,
                     (unsigned long long)mask);
        if (ours != mask)
            assert_int_equal(ours & ~mask & ~(u64)0xe0000000, 0);
        assert_int_equal(published_sets(profiles) & ~isa_insn[id].sets, 0);
        rows++;
    }
    fclose(f);
    assert_int_equal(rows, 536);
}

/* --- prefixes, names, texts --------------------------------------------------------------- */

static void prefixes_extend_the_right_fields(void **state)
{
    (void)state;
    /* x1 = 1, x2 = 1; and the worked example of the documents: 399 = 12 * 32 + 15 */
    const IsaPrefix p = isa_prefix(&(Insn){I_regext, {0, 0, 0x048}});
    assert_int_equal(isa_extend(&p, O_vd, 5), 5);
    assert_int_equal(isa_extend(&p, O_vs1, 5), 37);
    assert_int_equal(isa_extend(&p, O_vs2, 5), 37);
    const IsaPrefix i = isa_prefix(&(Insn){I_regexti, {0, 0, 769}});
    assert_int_equal(isa_extend(&i, O_vd, 1), 33);
    assert_int_equal(isa_extend_imm(&i, O_simm5, 15), 399);
    const IsaPrefix n = isa_prefix(&(Insn){I_regexti, {0, 0, -832}});
    assert_int_equal(isa_extend_imm(&n, O_simm5, -15), -399);
    const IsaPrefix none = {.valid = false};
    assert_int_equal(isa_extend_imm(&none, O_simm5, -1), -1);
    assert_int_equal(isa_extend_imm(&none, O_zimm5, -1), 31);
    /* the data of a standard store: x3 if it is not zero, else xd */
    const IsaPrefix xd = isa_prefix(&(Insn){I_regext, {0, 0, 2}});
    const IsaPrefix x3 = isa_prefix(&(Insn){I_regext, {0, 0, 3 << 9 | 2}});
    assert_int_equal(isa_extend(&xd, O_vs3, 0), 64);
    assert_int_equal(isa_extend(&x3, O_vs3, 0), 96);
}

static void register_names_have_their_gap(void **state)
{
    (void)state;
    int n;
    for (int i = 0; i < 64; i++) {
        assert_true(isa_find_xreg(isa_xreg_name[i], strlen(isa_xreg_name[i]), &n));
        assert_int_equal(n, i);
    }
    assert_false(isa_find_xreg("t11", 3, &n));
    assert_true(isa_find_xreg("t12", 3, &n));
    assert_int_equal(n, 36);
    assert_true(isa_find_xreg("fp", 2, &n));
    assert_int_equal(n, 8);
    assert_true(isa_find_vreg("v255", 4, &n));
    assert_false(isa_find_vreg("v256", 4, &n));
    assert_false(isa_find_xreg("x64", 3, &n));
    assert_false(isa_find_xreg("x01", 3, &n));
}

static void csrs_answer_to_all_their_names(void **state)
{
    (void)state;
    static const char *const gidx[] = {"gidx", "gdx", "GID_X", "CSR_GIDX", "csr_gid_x", "CSR_GDX"};
    u32 n;
    for (size_t i = 0; i < countof(gidx); i++) {
        assert_true(isa_find_csr(gidx[i], strlen(gidx[i]), &n));
        assert_int_equal(n, 0x808);
    }
    assert_false(isa_find_csr("nosuch", 6, &n));
}

static void sets_have_names(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "v203", "ai", "v202+v2025", "v202+", "v202 "};
    IsaSet s;
    char name[24];
    for (size_t i = 0; i < countof(bad); i++)
        assert_false(isa_parse_set(bad[i], &s));
    assert_true(isa_parse_set("v202+tidx+ai", &s));
    isa_set_name(s, name);
    assert_string_equal(name, "v202+ai+tidx");
}

static void mnemonics_are_found_and_suggested(void **state)
{
    (void)state;
    Insn in;
    IsaSet where;
    for (int id = 0; id < NINSN; id++) {
        static IsaDecoder d;
        Buf b = {0};
        isa_decoder_init(&d, set_for(id));
        random_word(id, &d, &in);
        isa_print(&b, &in, &(IsaPrint){.raw = true});
        const size_t len = strcspn(buf_text(&b), " ");
        if (buf_text(&b)[0] != '.') {
            assert_true(isa_find_insn(buf_text(&b), len, set_for(id), &in, &where));
            assert_int_equal(in.id, id);
        }
        buf_free(&b);
    }
    assert_false(isa_find_insn("csrrsv", 6, V202, &in, &where));
    assert_int_equal(where, TIDX);
    assert_string_equal(isa_suggest("vlw12.w", 7, V202), "vlw12.v");
    assert_null(isa_suggest("frobnicate", 10, V202));
}

/* Letters that must be put in, taken out or replaced: the whole table of Wagner and Fischer (1974). */
static int edits(const char *a, const char *b)
{
    enum { MOST = 40 };
    static int d[MOST + 1][MOST + 1];
    const size_t n = strlen(a), m = strlen(b);
    assert_true(n <= MOST && m <= MOST);
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            int least = !i ? (int)j : !j ? (int)i : d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (i && d[i - 1][j] + 1 < least)
                least = d[i - 1][j] + 1;
            if (j && d[i][j - 1] + 1 < least)
                least = d[i][j - 1] + 1;
            d[i][j] = least;
        }
    return d[n][m];
}

/* the first of those that are nearest, if that is at most two edits away */
static const char *nearest(const char *word, IsaSet set)
{
    const char *best = NULL;
    int least = 3;
    for (int id = 0; id < NINSN; id++)
        if (isa_insn[id].sets & set && edits(word, isa_insn[id].text) < least) {
            best = isa_insn[id].text;
            least = edits(word, best);
        }
    return best;
}

static void nearest_mnemonics_are_suggested(void **state)
{
    (void)state;
    static const IsaSet sets[] = {V202, V2025, V202 | AI, V2025 | TIDX};
    for (u32 i = 0; i < 300; i++) {
        const IsaSet set = sets[random_bits() % countof(sets)];
        char word[40];
        snprintf(word, sizeof word - 4, "%s", isa_insn[random_bits() % NINSN].text);
        for (u32 n = (u32)random_bits() % 4; n; n--) {
            const size_t len = strlen(word), at = random_bits() % (len + 1);
            const char letter = "abdsvx.12"[random_bits() % 9];
            switch (random_bits() % 3) {
            case 0:
                memmove(word + at + 1, word + at, len + 1 - at);
                word[at] = letter;
                break;
            case 1: memmove(word + at, word + at + (at < len), len + 1 - at - (at < len)); break;
            default: word[at < len ? at : 0] = letter;
            }
        }
        const char *want = nearest(word, set), *got = isa_suggest(word, strlen(word), set);
        if (want != got && (!want || !got || strcmp(want, got)))
            fail_msg("%s: suggested is %s, nearest %s", word, got ? got : "nothing", want ? want : "nothing");
    }
}

static void reserved_fields_are_no_instructions(void **state)
{
    (void)state;
    static IsaDecoder d;
    Insn in;
    isa_decoder_init(&d, V202 | AI);
    assert_true(isa_decode(&d, 0x00007053, &in));             /* fadd.s, dyn */
    assert_false(isa_decode(&d, 0x00005053, &in));            /* rounding mode 5 */
    assert_false(isa_decode(&d, 0xe0001007 | 1u << 25, &in)); /* segment load */
    assert_true(isa_decode(&d, 0x10c2340a, &in));             /* mma of f16 */
    assert_false(isa_decode(&d, 0x30c2340a, &in));            /* element type 3 */
    assert_false(isa_decode(&d, 0x00c2340a, &in));            /* tf32 with k16 */
}

/* two ways to the same number: an expression of op.def and the same done wider */
static void division_follows_riscv(void **state)
{
    (void)state;
    assert_int_equal(op_eval(OP_div, 7, 0), UINT32_MAX);
    assert_int_equal(op_eval(OP_rem, 7, 0), 7);
    assert_int_equal(op_eval(OP_div, 0x80000000, UINT32_MAX), 0x80000000);
    assert_int_equal(op_eval(OP_rem, 0x80000000, UINT32_MAX), 0);
    assert_int_equal(op_eval(OP_divu, 7, 0), UINT32_MAX);
    assert_int_equal(op_eval(OP_remu, 7, 0), 7);
}

/* RISC-V spells instructions on floats with an f, after the v of vectors and the m of masks; fences too. */
static void floats_are_known(void **state)
{
    size_t found = 0;
    (void)state;
    for (u32 id = 0; id < NINSN; id++) {
        const char *text = isa_insn[id].text;
        text += *text == 'v';
        text += text[0] == 'm' && text[1] == 'f';
        const bool spelt = *text == 'f' && strncmp(text, "fence", 5) != 0;
        if (!(isa_insn[id].sets & V202) || !strncmp(isa_insn[id].text, "mma", 3))
            continue;
        if (isa_is_float(id) != spelt)
            fail_msg("%s", isa_insn[id].text);
        found += spelt;
    }
    assert_true(found > 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_are_what_operands_leave),
        cmocka_unit_test(every_operand_has_a_role),
        cmocka_unit_test(no_two_rows_share_a_word),
        cmocka_unit_test(conversions_move_beside_v2025),
        cmocka_unit_test(every_word_comes_back),
        cmocka_unit_test(decoder_agrees_with_a_scan),
        cmocka_unit_test(operands_that_do_not_fit_are_named),
        cmocka_unit_test(rows_are_the_published_ones),
        cmocka_unit_test(prefixes_extend_the_right_fields),
        cmocka_unit_test(register_names_have_their_gap),
        cmocka_unit_test(csrs_answer_to_all_their_names),
        cmocka_unit_test(sets_have_names),
        cmocka_unit_test(mnemonics_are_found_and_suggested),
        cmocka_unit_test(nearest_mnemonics_are_suggested),
        cmocka_unit_test(reserved_fields_are_no_instructions),
        cmocka_unit_test(division_follows_riscv),
        cmocka_unit_test(floats_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
