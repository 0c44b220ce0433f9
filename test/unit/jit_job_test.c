/* jit_job_test.c -- what an engine asks of the maker of host code, and the answer, byte by byte:
 * the layout that jit/codejob.c describes, written by hand; every number of a request beyond
 * what it may be; what a digest tells apart.
 */
#include "sim/handlers.h" /* before cmocka.h, which has a macro fail() */
#include "comp/bytes.h"
#include "jit/codejob.h"
#include "link/link.h"
#include "test/kit/assemble.h"
#include <string.h>

enum { MAGIC = 0x34475456, IS_REGION = 0x7fffffff, CODE_BYTES = 4 * PAGE_SIZE };

static Memory memory;
static Code *code;

/* The program at the beginning of four pages that may be executed; behind it words that are no
 * instructions, also in a page that may not be read. */
static void open_code(const char *text, IsaSet set)
{
    Caught c;
    catch_in(&c);
    Object *o = assemble(text, set);
    Object *image =
        link_objects((const Object *const[]){o}, 1, &(LinkOptions){.entry = NULL}, &c.d);
    assert_non_null(image);
    assert_true(memory_open(&memory, CODE_LO, CODE_END));
    memory_map(&memory, CODE_LO, CODE_BYTES + PAGE_SIZE, MEM_R | MEM_X);
    for (u32 at = 0; at < CODE_BYTES + PAGE_SIZE; at += 4)
        memory_put(memory.base + CODE_LO + at, 4, 0xffff0000 | at);
    memory_set_rights(&memory, (CODE_LO + CODE_BYTES) >> PAGE_BITS, 0);
    for (size_t i = 0; i < image->nsegments; i++)
        memcpy(memory.base + image->segments[i].addr, image->segments[i].data.data,
               image->segments[i].data.len);
    obj_free(o);
    obj_free(image);
    code = code_new(set, &memory, lane_level());
    assert_non_null(code);
}

static void close_code(void)
{
    code_free(code);
    memory_close(&memory);
}

static Region *region_at(u32 at, WarpShape shape)
{
    Region *r = region_new(code, CODE_LO + at, shape, 0, 8, VM_OWN, false);
    assert_non_null(r);
    return r;
}

/* --- the layout -------------------------------------------------------------------------- */

/* The words lo to end - 1 of the code. */
typedef struct {
    u32 lo, end;
} Run;

#define BARRIER "barrier x0,x0,0\n endprg x0,x0,x0\n"
#define DIVIDES "vremu.vx v1,v2,x5\n endprg x0,x0,x0\n"

enum { RUNS = 4, PAGES = 4 };
typedef struct {
    const char *text;
    IsaSet set;
    Run runs[RUNS];
    u32 pages[PAGES]; /* 1 + number; 0: no more */
} Layout;

#define MEET ".Lp: auipc x30,%pcrel_hi(.Lm)\n setrpc x0,x30,%pcrel_lo(.Lp)\n"

/* Instructions, the word behind each, and nothing else. */
static const Layout layouts[] = {
    {"nop\n endprg x0,x0,x0\n", V202, {{0, 12}}, {1}},
    {"beqz x5,1f\n nop\n endprg x0,x0,x0\n .zero 64\n1: endprg x0,x0,x0\n",
     V202,
     {{0, 16}, {0x4c, 0x54}},
     {1}},
    /* the first word of what follows is behind the jump */
    {"j 1f\n .zero 4096\n nop\n1: endprg x0,x0,x0\n", V202, {{0, 8}, {0x1008, 0x1010}}, {1, 2}},
    /* the last of a page */
    {"j 1f\n .org 0xff8\n1: nop\n endprg x0,x0,x0\n", V202, {{0, 8}, {0xff8, 0x1004}}, {1}},
    {"j 2f\n .org 0x1ffc\n1: endprg x0,x0,x0\n .org 0x2ffc\n2: beqz x6,1b\n endprg x0,x0,x0\n",
     V202,
     {{0, 8}, {0x1ffc, 0x2004}, {0x2ffc, 0x3008}},
     {1, 2, 3, 4}},
    /* a prefix is of the instruction */
    {"vadd.vv v40,v41,v2\n endprg x0,x0,x0\n", V202, {{0, 16}}, {1}},
    {"j 1f\n .org 0xff8\n1: vadd.vv v40,v41,v2\n endprg x0,x0,x0\n",
     V202,
     {{0, 8}, {0xff8, 0x1008}},
     {1, 2}},
    /* where lanes meet */
    {"j 1f\n .org 0xf00\n1: " MEET " vbeq v1,v2,.Lm\n vadd.vi v3,v3,1\n j .Lm\n .org 0x1000\n"
     ".Lm: join x0,x0,0\n endprg x0,x0,x0\n",
     V202,
     {{0, 8}, {0xf00, 0xf18}, {0x1000, 0x100c}},
     {1, 2}},
    /* where they never do */
    {"j 1f\n .org 0xf00\n1: " MEET " vbeq v1,v2,3f\n2: j 2b\n3: j 3b\n .org 0x1010\n"
     ".Lm: join x0,x0,0\n endprg x0,x0,x0\n",
     V202,
     {{0, 8}, {0xf00, 0xf18}, {0x1010, 0x1018}},
     {1, 2}},
    /* behind all that may be read: the word there counts as 0 */
    {"li x5,0x80003ff8\n jr x5\n .org 0x3ff8\n nop\n endprg x0,x0,x0\n",
     V202,
     {{0, 16}, {0x3ff8, 0x4004}},
     {1, 4}},
    /* a barrier, which groups of one warp pass; of the others above it is not said that they are such */
    {BARRIER, V202, {{0, 12}}, {1}},
    /* rows divided by a scalar, as where lines of work-items matter; of the others it is not said how long these are */
    {DIVIDES, V202, {{0, 12}}, {1}},
};

static void put_numbers(Buf *to, const u32 *n, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_number(to, n[i], 4);
}

static void put_level(Buf *to, const char *level)
{
    put_number(to, strlen(level), 8);
    buf_put(to, level, strlen(level) + 1);
}

static void put_layout(Buf *to, const Layout *l)
{
    u32 npages = 0;
    while (npages < PAGES && l->pages[npages])
        npages++;
    put_number(to, npages, 4);
    for (u32 i = 0; i < npages; i++)
        put_number(to, CODE_LO + (l->pages[i] - 1) * PAGE_SIZE, 4);
    for (u32 i = 0; i < RUNS && l->runs[i].end; i++) {
        put_number(to, CODE_LO + l->runs[i].lo, 4);
        put_number(to, (l->runs[i].end - l->runs[i].lo) / 4, 4);
        for (u32 at = l->runs[i].lo; at < l->runs[i].end; at += 4)
            put_number(to, at < CODE_BYTES ? memory_get(memory.base + CODE_LO + at, 4) : 0, 4);
    }
}

static void expect_bytes(const Buf *got, const Buf *want, const char *what)
{
    assert_false(got->failed);
    for (size_t i = 0; i < got->len && i < want->len; i++)
        if (got->data[i] != want->data[i])
            fail_msg("%s\nbyte %zu is %02x, not %02x", what, i, got->data[i], want->data[i]);
    assert_int_equal(got->len, want->len);
}

static void requests_as_described(void **state)
{
    (void)state;
    for (u32 i = 0; i < countof(layouts); i++) {
        const Layout *l = &layouts[i];
        Buf got = {0}, want = {0};
        open_code(l->text, l->set);
        /* each number is another one */
        const WarpShape shape = {.full = true,
                                 .fresh = i & 1,
                                 .deep = i & 2,
                                 .alone = true,
                                 .line = 4,
                                 .base = i & 4 ? CODE_LO + 0x3ff0 : 0};
        Region *r = region_new(code, CODE_LO, shape, CODE_LO + 0x3f00 + 4 * i, 4u << i % 4,
                               (VmRule)(i % 3), i % 3 == 1);
        assert_non_null(r);
        codejob_write(&(CodeJob){.level = "levels7", .region = r, .kind = (CodeKind)(i % NCODES)},
                      code, &got);
        put_number(&want, MAGIC, 4);
        put_level(&want, "levels7");
        put_numbers(&want,
                    (const u32[]){IS_REGION, (u32)l->set, CODE_LO, 1, i & 1, (i & 2) >> 1,
                                  !strcmp(l->text, BARRIER), strcmp(l->text, DIVIDES) ? 0 : 4,
                                  shape.base, CODE_LO + 0x3f00 + 4 * i, 4u << i % 4, i % 3,
                                  i % 3 == 1, i % NCODES},
                    14);
        put_layout(&want, l);
        expect_bytes(&got, &want, l->text);
        ReadJob again;
        assert_true(codejob_read(got.data, got.len, &again));
        assert_true(region_digest(again.region) == region_digest(r));
        codejob_close(&again);
        region_free(r);
        buf_free(&got);
        buf_free(&want);
        close_code();
    }
}

/* --- what a request may be --------------------------------------------------------------- */

enum { SET, PC, FULL, FRESH, DEEP, ALONE, LINE, BASE, CALLEE, LANES, VM, FLAGS, KIND, NUMBERS };

/* A request for `nop, endprg` at CODE_LO by hand. */
typedef struct {
    u32 magic, helper, number[NUMBERS], page, at, n, word[3];
    const char *level;
} Forged;

static Forged a_request(void)
{
    return (Forged){.magic = MAGIC,
                    .helper = IS_REGION,
                    .number = {V202, CODE_LO, 1, 0, 0, 0, 0, 0, 0, 8, VM_OWN, 0, CODE_PLAIN},
                    .page = CODE_LO,
                    .at = CODE_LO,
                    .n = 3,
                    .word = {0x13, 0x0000400b, 0},
                    .level = "base"};
}

/* Whether it is taken for a request; the region's digest. */
static bool is_read(const Forged *q, u64 *digest)
{
    Buf b = {0};
    ReadJob r;
    put_number(&b, q->magic, 4);
    put_level(&b, q->level);
    put_number(&b, q->helper, 4);
    put_numbers(&b, q->number, NUMBERS);
    put_number(&b, 1, 4);
    put_number(&b, q->page, 4);
    put_number(&b, q->at, 4);
    put_number(&b, q->n, 4);
    put_numbers(&b, q->word, 3);
    const bool ok = codejob_read(b.data, b.len, &r);
    *digest = ok ? region_digest(r.region) : 0;
    if (ok) {
        assert_string_equal(r.job.level, q->level);
        assert_int_equal(r.job.kind, q->number[KIND]);
        assert_ptr_equal(r.job.region, r.region);
        assert_int_equal(r.region->pc, q->number[PC]);
        assert_int_equal(r.region->lanes, q->number[LANES]);
        assert_int_equal(r.region->vm, q->number[VM]);
    }
    codejob_close(&r);
    buf_free(&b);
    return ok;
}

static void each_number_of_a_request(void **state)
{
    static const struct {
        u32 number, value;
        bool ok;
    } rows[] = {
        {PC, CODE_LO + 4, true},
        {PC, CODE_LO + PAGE_SIZE, false}, /* nothing there */
        {PC, CODE_LO - 4, false},
        {PC, CODE_END, false},
        {LANES, 0, false},
        {LANES, 1, false},
        {LANES, 2, false},
        {LANES, 3, false},
        {LANES, 4, true},
        {LANES, 5, false},
        {LANES, 6, false},
        {LANES, 16, true},
        {LANES, 24, false},
        {LANES, 32, true},
        {LANES, 33, false},
        {LANES, 64, false},
        {LANES, 1u << 31, false},
        {VM, VM_IGNORE, true},
        {VM, VM_IGNORE + 1, false},
        {VM, UINT32_MAX, false},
        {KIND, CODE_QUICK, true},
        {KIND, CODE_HEADERS, true},
        {KIND, NCODES, false},
        {KIND, UINT32_MAX, false},
        {CALLEE, 3, true}, /* no address is impossible: code is not there, or is */
        {BASE, UINT32_MAX, true},
        {LINE, 1, true},
        {LINE, 8, true},
        {LINE, 16, false},
        {LINE, 64, true},           {LINE, 128, false},
        {LINE, 3, false},
        {LINE, 1u << 31, false},
    };
    u64 digest;
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        Forged q = a_request();
        q.number[rows[i].number] = rows[i].value;
        if (is_read(&q, &digest) != rows[i].ok)
            fail_msg("number %u as %#x is %s", rows[i].number, rows[i].value,
                     rows[i].ok ? "refused" : "taken");
    }
}

static void words_of_a_request(void **state)
{
    static const struct {
        u32 page, at, n, word;
        bool ok;
    } rows[] = {
        {CODE_LO, CODE_LO, 3, 0, true},
        /* pages begin where pages do, in the window of code */
        {CODE_LO + 4, CODE_LO, 3, 0, false},
        {CODE_LO + 2048, CODE_LO, 3, 0, false},
        {CODE_LO - PAGE_SIZE, CODE_LO, 3, 0, false},
        {CODE_END, CODE_LO, 3, 0, false},
        {0, CODE_LO, 3, 0, false},
        /* without a page with the right to it, the word is no instruction */
        {CODE_LO + PAGE_SIZE, CODE_LO, 3, 0, false},
        {CODE_END - PAGE_SIZE, CODE_LO, 3, 0, false},
        /* fewer words, more than there are */
        {CODE_LO, CODE_LO, 2, 0, false},
        {CODE_LO, CODE_LO, 4, 0, false},
        {CODE_LO, CODE_LO, UINT32_MAX, 0, false},
        /* words are aligned */
        {CODE_LO, CODE_LO + 1, 3, 0, false},
        {CODE_LO, CODE_LO + 2, 3, 0, false},
    };
    u64 digest;
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        Forged q = a_request();
        q.page = rows[i].page;
        q.at = rows[i].at;
        q.n = rows[i].n;
        q.word[2] = rows[i].word;
        if (is_read(&q, &digest) != rows[i].ok)
            fail_msg("row %zu is %s", i, rows[i].ok ? "refused" : "taken");
    }
}

/* A word behind the window of code is nothing but 0: what is read there decides nothing. */
static void words_at_the_end_of_code(void **state)
{
    u64 digest;
    (void)state;
    for (u32 behind = 0; behind < 2; behind++) {
        Forged q = a_request();
        q.page = CODE_END - PAGE_SIZE;
        q.number[PC] = q.at = CODE_END - 8;
        q.word[2] = behind;
        assert_int_equal(is_read(&q, &digest), !behind);
    }
    for (u32 before = 0; before < 2; before++) {
        Forged q = a_request();
        q.at = CODE_LO - 4;
        q.word[0] = before;
        q.word[1] = 0x13;
        q.word[2] = 0x0000400b;
        assert_int_equal(is_read(&q, &digest), !before);
    }
}

static void what_a_request_begins_with(void **state)
{
    static const struct {
        u32 magic, helper;
        const char *level;
        bool ok;
    } rows[] = {
        {MAGIC, IS_REGION, "base", true},         {MAGIC ^ 1, IS_REGION, "base", false},
        {MAGIC, IS_REGION, "sevenxx", true},      {MAGIC, IS_REGION, "eight_xx", false},
        {MAGIC, IS_REGION, "much longer", false}, {MAGIC, IS_REGION, "", true},
        {MAGIC, IS_REGION - 1, "base", false},
    };
    u64 digest;
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        Forged q = a_request();
        q.magic = rows[i].magic;
        q.helper = rows[i].helper;
        q.level = rows[i].level;
        if (is_read(&q, &digest) != rows[i].ok)
            fail_msg("row %zu is %s", i, rows[i].ok ? "refused" : "taken");
    }
}

/* A helper is one of those that there are, and nothing follows. */
static void requests_for_helpers(void **state)
{
    (void)state;
    for (u32 helper = 0; helper < NHELPERS + 2; helper++)
        for (u32 more = 0; more < 2; more++) {
            Buf b = {0}, want = {0};
            ReadJob r;
            codejob_write(&(CodeJob){.level = "avx2", .helper = helper}, NULL, &b);
            put_number(&want, MAGIC, 4);
            put_level(&want, "avx2");
            put_number(&want, helper, 4);
            expect_bytes(&b, &want, "a helper");
            buf_put(&b, "", more);
            const bool ok = codejob_read(b.data, b.len, &r);
            assert_int_equal(ok, helper < NHELPERS && !more);
            if (ok) {
                assert_int_equal(r.job.helper, helper);
                assert_null(r.job.region);
                assert_string_equal(r.job.level, "avx2");
            }
            codejob_close(&r);
            buf_free(&b);
            buf_free(&want);
        }
}

/* --- answers ----------------------------------------------------------------------------- */

static const CodeAnswer an_answer = {.digest = 0x0123456789abcdef,
                                     .helpers = {0xfedcba9876543210, 0x1ffff},
                                     .nanoseconds = 0x1122334455667788,
                                     .object = {(const u8 *)"object", 6}};

static void answers_as_described(void **state)
{
    Buf got = {0}, want = {0};
    CodeAnswer a;
    (void)state;
    codeanswer_write(&an_answer, &got);
    put_number(&want, MAGIC, 4);
    put_number(&want, 0x0123456789abcdef, 8);
    put_number(&want, 0xfedcba9876543210, 8);
    put_number(&want, 0x1ffff, 8);
    put_number(&want, 0x1122334455667788, 8);
    put_number(&want, 6, 8);
    buf_str(&want, "object");
    expect_bytes(&got, &want, "an answer");
    assert_true(codeanswer_read(got.data, got.len, &a));
    assert_true(a.digest == an_answer.digest && a.nanoseconds == an_answer.nanoseconds);
    assert_memory_equal(a.helpers, an_answer.helpers, sizeof a.helpers);
    assert_int_equal(a.object.len, 6);
    assert_memory_equal(a.object.data, "object", 6);
    for (size_t len = 0; len < got.len; len++)
        assert_false(codeanswer_read(got.data, len, &a));
    for (u32 bit = 0; bit < 32; bit++) {
        got.data[bit / 8] ^= (u8)(1 << bit % 8);
        assert_false(codeanswer_read(got.data, got.len, &a));
        got.data[bit / 8] ^= (u8)(1 << bit % 8);
    }
    buf_put(&got, "", 1);
    assert_false(codeanswer_read(got.data, got.len, &a));
    buf_free(&got);
    buf_free(&want);
}

/* An answer names no helper that there is not. */
static void answers_name_helpers(void **state)
{
    (void)state;
    for (u32 helper = 0; helper < 64 * HELPER_WORDS; helper++) {
        Buf b = {0};
        CodeAnswer a, answer = {.object = {(const u8 *)"x", 1}};
        answer.helpers[helper / 64] = (u64)1 << helper % 64;
        codeanswer_write(&answer, &b);
        assert_int_equal(codeanswer_read(b.data, b.len, &a), helper < NHELPERS);
        buf_free(&b);
    }
}

/* --- digests ----------------------------------------------------------------------------- */

/* Fields of a block that code depends on. */
static const struct {
    const char *name;
    size_t offset, size;
} fields[] = {
#define FIELD(f) {#f, offsetof(RegionBlock, f), sizeof(((RegionBlock *)NULL)->f)}
    FIELD(pc),      FIELD(full),    FIELD(is_header), FIELD(is_reentry),
    FIELD(end),     FIELD(next_pc), FIELD(target_pc), FIELD(meet_pc),
    FIELD(insns),   FIELD(in.x),    FIELD(in.v[0]),   FIELD(in.v[1]),
    FIELD(in.v[2]), FIELD(in.v[3]), FIELD(together),  FIELD(alone),
#undef FIELD
};

static u64 seen[4096];
static u32 nseen;

static void must_be_new(const Region *r, const char *what)
{
    const u64 digest = region_digest(r);
    for (u32 i = 0; i < nseen; i++)
        if (seen[i] == digest)
            fail_msg("%s: the digest is that of change %u", what, i);
    assert_true(nseen < countof(seen));
    seen[nseen++] = digest;
}

/* Each change of one thing makes a digest that no other has. */
static void digests_of_changed_regions(void **state)
{
    (void)state;
    open_code("lw x7,0(x6)\n" MEET " vbeq v1,v2,.Lm\n sw x5,0(x6)\n.Lm: join x0,x0,0\n"
              " bnez x5,.Lm\n endprg x0,x0,x0\n",
              V202);
    Region *r = region_at(0, (WarpShape){.full = true, .fresh = true});
    const u64 digest = region_digest(r);
    u32 nconstants = 0;
    must_be_new(r, "nothing");
    for (u32 i = 0; i < r->nblock; i++) {
        RegionBlock *b = &r->block[i];
        for (size_t k = 0; k < countof(fields); k++)
            for (u32 bit = 0; bit < 8 * fields[k].size; bit += fields[k].size == 1 ? 8 : 5) {
                u8 *at = (u8 *)b + fields[k].offset + bit / 8;
                *at ^= (u8)(1 << bit % 8);
                must_be_new(r, fields[k].name);
                *at ^= (u8)(1 << bit % 8);
            }
        for (u32 k = 0; k < b->nuop; k++) {
            const Uop *was = b->uop[k];
            Uop other = *was;
            b->uop[k] = &other;
            other.word ^= 1;
            must_be_new(r, "a word");
            other.word ^= 1;
            other.pc ^= 4;
            must_be_new(r, "a pc");
            b->uop[k] = was;
            if (!b->constant)
                continue;
            nconstants += b->constant[k] != 0;
            b->constant[k] ^= 1;
            must_be_new(r, "a constant");
            b->constant[k] ^= 1;
        }
        r->order[i] ^= 1;
        must_be_new(r, "the order");
        r->order[i] ^= 1;
    }
    assert_true(nconstants);
    r->warp.deep = true;
    must_be_new(r, "what lanes wait for");
    r->warp.deep = false;
    r->nblock--;
    must_be_new(r, "a block");
    r->nblock++;
    assert_true(region_digest(r) == digest);
    region_free(r);
    close_code();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_as_described),      cmocka_unit_test(each_number_of_a_request),
        cmocka_unit_test(words_of_a_request),         cmocka_unit_test(words_at_the_end_of_code),
        cmocka_unit_test(what_a_request_begins_with), cmocka_unit_test(requests_for_helpers),
        cmocka_unit_test(answers_as_described),       cmocka_unit_test(answers_name_helpers),
        cmocka_unit_test(digests_of_changed_regions),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
