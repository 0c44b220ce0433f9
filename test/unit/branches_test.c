/* branches_test.c -- how far branches reach (branch.c) and where setrpc takes its base (rpcbase.c).
 *
 * Random lists of words are relaxed.  A model makes every branch that does not reach longer until
 * all do: sizes must be the same, so that none is longer than it has to be.  What comes out is
 * followed: every branch, jump and setrpc must end at the block that it names.
 */
#include "test/kit/objects.h"
#include "cc/code.h"

enum { PROGRAMS = 400, BLOCKS = 8, FAR = 1 << 18, MOST = FAR + 20000, SCRATCH = 6 };

/* what the words of a program are like */
typedef struct {
    u32 random;
    u32 most_pad; /* words of a block at most */
    u32 far;      /* words that block 3 has besides */
    bool sets_rpc, is_kernel;
} Maker;

static u32 pick(Maker *k, u32 n)
{
    k->random = k->random * 1664525 + 1013904223;
    return (u32)((u64)k->random * n >> 32);
}

static const InsnId conditions[][2] = {
    {I_beq, I_bne},   {I_blt, I_bge},   {I_bltu, I_bgeu},
    {I_vbeq, I_vbne}, {I_vblt, I_vbge}, {I_vbltu, I_vbgeu},
};

static Word some_word(Maker *k)
{
    const i32 rd = pick(k, 4) ? 7 : 40; /* a register that needs a prefix */
    if (pick(k, 400) == 0)
        return (Word){.in = {I_addi, {SCRATCH, 7, 1}}};
    if (pick(k, 400) == 0)
        return (Word){.in = {I_jalr, {1, 0, 7}}};
    return (Word){.in = {I_add, {rd, 7, 7}}};
}

static Word some_branch(Maker *k)
{
    const u32 to = pick(k, BLOCKS);
    if (!pick(k, 4))
        return (Word){.in = {.id = I_jal}, .fix = FIX_BLOCK, .to = to};
    const InsnId id = conditions[pick(k, countof(conditions))][pick(k, 2)];
    return (Word){.in = {id, {pick(k, 3) ? 5 : 50, 9}}, .fix = FIX_BLOCK, .to = to};
}

static void put(Code *c, Word w)
{
    assert_true(c->n < c->cap);
    w.loc = (u32)c->n + 1;
    c->word[c->n++] = w;
}

static void put_block(Code *c, Maker *k, u32 b)
{
    put(c, (Word){.fix = FIX_LABEL, .to = b});
    if (!pick(k, 5))
        put(c, (Word){.fix = FIX_NOTE, .to = 3});
    for (u32 n = pick(k, 2) ? pick(k, 4) : pick(k, k->most_pad); n-- > 0;)
        put(c, some_word(k));
    for (u32 n = b == 3 ? k->far : 0; n-- > 0;)
        put(c, (Word){.in = {I_add, {7, 7, 7}}});
    if (k->sets_rpc && pick(k, 2)) {
        const u32 to = pick(k, BLOCKS);
        put(c, (Word){.in = {I_auipc, {SCRATCH}}, .fix = FIX_BLOCK_HI, .to = to});
        put(c, (Word){.in = {I_setrpc, {0, SCRATCH}}, .fix = FIX_BLOCK_LO, .to = to});
    }
    for (u32 n = pick(k, 3); n-- > 0;)
        put(c, some_branch(k));
}

/* --- the model -------------------------------------------------------------------------------- */

static bool is_conditional(const Word *w) { return w->fix == FIX_BLOCK && w->in.id != I_jal; }

static bool has_prefix(const Word *w)
{
    for (int k = 0; k < 3; k++)
        if (w->in.opd[k] >= 32 && w->fix != FIX_BLOCK)
            return true;
    return w->fix == FIX_BLOCK && w->in.opd[0] >= 32;
}

/* grown: 0, or by how many words it is longer */
static u32 bytes_of(const Word *w, u32 grown)
{
    return word_is_none(w) ? 0 : (has_prefix(w) ? 8 : 4) + 4 * grown;
}

static u32 find_starts(const Code *c, const u8 *grown, u32 *start, u32 *at)
{
    u32 size = 0;
    for (size_t i = 0; i < c->n; i++) {
        at[i] = size;
        if (c->word[i].fix == FIX_LABEL)
            start[c->word[i].to] = size;
        size += bytes_of(&c->word[i], grown[i]);
    }
    return size;
}

/* A branch reaches 4 KiB, a jump 1 MiB, both from themselves. */
static bool reaches(const Word *w, u32 grown, i32 from, i32 to)
{
    const bool jumps = !is_conditional(w) || grown == 1;
    const i32 last = from + (i32)bytes_of(w, grown) - 4, far = jumps ? 1 << 20 : 1 << 12;
    return to - last >= -far && to - last < far;
}

/* the bytes of the code; grown[]: of each word */
static u32 relax_model(const Code *c, u8 *grown, u32 *start)
{
    static u32 at[MOST];
    memset(grown, 0, c->n);
    for (bool grew = true; grew;) {
        grew = false;
        find_starts(c, grown, start, at);
        for (size_t i = 0; i < c->n; i++) {
            const Word *w = &c->word[i];
            const bool is_longest = grown[i] == (is_conditional(w) ? 2 : 1);
            if (w->fix != FIX_BLOCK || is_longest ||
                reaches(w, grown[i], (i32)at[i], (i32)start[w->to]))
                continue;
            grown[i]++;
            grew = true;
        }
    }
    return find_starts(c, grown, start, at);
}

/* --- following -------------------------------------------------------------------------------- */

static InsnId opposite(InsnId id)
{
    for (u32 k = 0; k < countof(conditions); k++)
        for (int side = 0; side < 2; side++)
            if (conditions[k][side] == id)
                return conditions[k][!side];
    return id;
}

/* where auipc and the instruction after it lead */
static u32 far_target(const Word *w, u32 low)
{
    assert_int_equal(w->in.id, I_auipc);
    assert_int_equal(w->in.opd[0], SCRATCH);
    assert_int_equal(w[1].in.opd[low - 1 == 0 ? 2 : 1], SCRATCH);
    return w->at + ((u32)w->in.opd[1] << 12) + (u32)w[1].in.opd[low];
}

/* The words that w has become; how many. */
static size_t check_grown(const Code *c, const Word *w, u32 grown, const Word *is)
{
    const Word *last = is;
    if (is_conditional(w)) {
        assert_int_equal(is->in.id, grown ? opposite(w->in.id) : w->in.id);
        assert_int_equal(is->in.opd[0], w->in.opd[0]);
        assert_int_equal(is->in.opd[1], w->in.opd[1]);
        if (grown) {
            assert_int_equal(is->in.opd[2], 4 + 4 * grown);
            last++;
        }
    }
    if (grown == (is_conditional(w) ? 2 : 1)) {
        assert_true(last[1].in.id == I_jalr && last[1].in.opd[0] == 0);
        assert_int_equal(far_target(last, 1), c->start[w->to]);
        return (size_t)(last - is) + 2;
    }
    const bool is_branch = is_conditional(w) && !grown;
    assert_int_equal(last->in.id, is_branch ? w->in.id : I_jal);
    if (!is_branch)
        assert_int_equal(last->in.opd[0], 0);
    const i32 distance = last->in.opd[is_branch ? 2 : 1];
    assert_int_equal(last->at + bytes_of(last, 0) - 4 + (u32)distance, c->start[w->to]);
    return (size_t)(last - is) + 1;
}

static void check_words(const Code *old, const Code *c, const u8 *grown, u32 seed)
{
    size_t k = 0;
    for (size_t i = 0; i < old->n; i++) {
        const Word *w = &old->word[i], *is = &c->word[k];
        assert_true(k < c->n);
        if (w->fix == FIX_BLOCK) {
            k += check_grown(c, w, grown[i], is);
        } else if (w->fix == FIX_BLOCK_HI) {
            assert_int_equal(is[1].in.id, I_setrpc);
            if (far_target(is, 2) != c->start[w->to])
                fail_msg("program %u: rpc is %x, not %x", seed, far_target(is, 2), c->start[w->to]);
            i++;
            k += 2;
        } else {
            assert_true(w->fix == is->fix && w->to == is->to &&
                        !memcmp(&w->in, &is->in, sizeof w->in));
            k++;
        }
        for (const Word *x = is; x < &c->word[k]; x++)
            assert_int_equal(x->loc, w->loc + (u32)(w->fix == FIX_BLOCK_HI && x > is));
    }
    assert_int_equal(k, c->n);
}

/* --- tests ------------------------------------------------------------------------------------ */

typedef struct {
    Module *m;
    Code code, old;
} Made;

static Made make_empty(size_t cap, bool is_kernel)
{
    Made d = {.m = ir_module("t", target_find(0))};
    Func *f = ir_func(d.m, "f", is_kernel);
    for (u32 b = 0; b < BLOCKS; b++)
        ir_block(f);
    assert_true(cap <= MOST);
    d.code = (Code){.f = f, .word = ir_alloc(d.m, cap * sizeof(Word)), .cap = cap};
    return d;
}

static void keep_old(Made *d)
{
    d->old = d->code;
    d->old.word = ir_alloc(d->m, d->code.cap * sizeof(Word));
    memcpy(d->old.word, d->code.word, d->code.n * sizeof(Word));
}

static Made make_code(Maker *k)
{
    Made d = make_empty(k->far + BLOCKS * (k->most_pad + 10) + 200, k->is_kernel);
    for (u32 b = 0; b < BLOCKS; b++)
        put_block(&d.code, k, b);
    keep_old(&d);
    return d;
}

static void check_code(const Made *d, u32 seed)
{
    static u8 grown[MOST];
    u32 start[BLOCKS];
    const u32 size = relax_model(&d->old, grown, start);
    if (d->code.size != size)
        fail_msg("program %u: %u bytes, not %u", seed, d->code.size, size);
    assert_memory_equal(d->code.start, start, sizeof start);
    check_words(&d->old, &d->code, grown, seed);
}

static void check_lengths(u32 seed, u32 most_pad, u32 far)
{
    Maker k = {.random = seed, .most_pad = most_pad, .far = far};
    Made d = make_code(&k);
    relax(&d.code);
    assert_false(d.m->failed);
    check_code(&d, seed);
    ir_free(d.m);
}

/* Branches of every length: over blocks of about 4 KiB, on whose words it depends what reaches, and
 * over one of about 1 MiB. */
static void shortest_branches(void **state)
{
    (void)state;
    for (u32 seed = 1; seed <= PROGRAMS; seed++)
        check_lengths(seed, seed % 2 ? 1100 : 400, 0);
    for (u32 seed = 1; seed <= 6; seed++)
        check_lengths(seed, 4, FAR - 12 + 2 * seed);
}

/* a branch forwards over `pad` words, and one back over them, either a jump or not, with a
 * prefix */
static void check_edge(u32 pad, u32 kind)
{
    Made d = make_empty(pad + 20, true);
    const Word jump = {.in = {.id = I_jal}, .fix = FIX_BLOCK},
               near = {.in = {I_blt, {5, 9}}, .fix = FIX_BLOCK},
               prefixed = {.in = {I_vbgeu, {50, 9}}, .fix = FIX_BLOCK},
               list[] = {jump, near, prefixed};
    Word forth = list[kind % 3], back = list[kind / 3];
    forth.to = BLOCKS - 1, back.to = 1;
    for (u32 b = 0; b < BLOCKS; b++) {
        put(&d.code, (Word){.fix = FIX_LABEL, .to = b});
        if (b == 1)
            put(&d.code, forth);
        for (u32 n = 0; b == 2 && n < pad; n++)
            put(&d.code, (Word){.in = {I_add, {7, 7, 7}}});
        if (b == 3)
            put(&d.code, back);
    }
    keep_old(&d);
    relax(&d.code);
    assert_false(d.m->failed);
    check_code(&d, pad);
    ir_free(d.m);
}

/* the last word that a branch reaches and the first that it does not, forwards and backwards */
static void edges(void **state)
{
    (void)state;
    for (u32 kind = 0; kind < 9; kind++)
        for (u32 pad = 1016; pad < 1028; pad++)
            check_edge(pad, kind);
    for (u32 pad = FAR - 7; pad < FAR + 2; pad++)
        check_edge(pad, pad % 9);
}

/* whether setrpc can count from the start of the function: it is short, nothing else has the
 * register of the address, and the address is there (in kernels) or pays */
static bool has_base(const Made *d)
{
    const Code *c = &d->old;
    u32 setters = 0, size = 0;
    for (size_t i = 0; i < c->n; i++) {
        const Word *w = &c->word[i];
        const bool is_high = w->fix == FIX_BLOCK_HI;
        setters += is_high;
        size += bytes_of(w, 0);
        if (w->fix == FIX_NONE && ((w->in.id == I_addi && w->in.opd[0] == SCRATCH) ||
                                   (w->in.id == I_jalr && w->in.opd[0])))
            return false;
    }
    return size <= 2040 && setters >= (c->f->is_kernel ? 1 : 2);
}

/* what remains when setrpc counts from the start */
static void share(Made *d)
{
    Code *c = &d->old;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->word[i].fix != FIX_BLOCK_HI)
            c->word[n++] = c->word[i];
    c->n = n;
}

static void check_shared(Made *d, u32 seed)
{
    Code *c = &d->code;
    static u8 grown[MOST];
    u32 start[BLOCKS];
    share(d);
    if (!c->f->is_kernel) { /* behind the first label */
        assert_true(c->word[1].in.id == I_auipc && c->word[1].in.opd[0] == SCRATCH &&
                    c->word[1].in.opd[1] == 0);
        assert_true(c->word[1].at == 0 && c->word[1].fix == FIX_NONE);
        memmove(d->old.word + 2, d->old.word + 1, (d->old.n++ - 1) * sizeof(Word));
        d->old.word[1] = c->word[1];
    }
    const u32 size = relax_model(&d->old, grown, start);
    if (c->size != size)
        fail_msg("program %u: %u bytes with one base, not %u", seed, c->size, size);
    assert_int_equal(c->n, d->old.n);
    for (size_t i = 0; i < c->n; i++) {
        const Word *w = &c->word[i];
        assert_int_equal(w->in.id, d->old.word[i].in.id);
        if (w->in.id != I_setrpc)
            continue;
        assert_int_equal(w->in.opd[1], SCRATCH);
        assert_int_equal(w->in.opd[2], c->start[w->to]);
        assert_int_equal(w->to, d->old.word[i].to);
    }
}

static void bases_of_rpc(void **state)
{
    (void)state;
    u32 shared = 0, edge = 0;
    for (u32 seed = 1; seed <= 2 * PROGRAMS; seed++) {
        Maker k = {.random = seed, .most_pad = 130, .sets_rpc = true, .is_kernel = seed % 2};
        Made d = make_code(&k);
        /* many are about as long as can be reached */
        for (u32 size = 0, n = 0; n < 200; n++, size = 0) {
            for (size_t i = 0; i < d.old.n; i++)
                size += bytes_of(&d.old.word[i], 0);
            if (size >= 2036 + 4 * (seed % 3))
                break;
            d.code.word[d.code.n++] = d.old.word[d.old.n] =
                (Word){.in = {I_add, {7, 7, 7}}, .loc = (u32)d.old.n + 1};
            d.old.n++;
            edge += size + 8 >= 2036;
        }
        relax(&d.code);
        assert_false(d.m->failed);
        if (has_base(&d)) {
            check_shared(&d, seed);
            shared++;
        } else {
            check_code(&d, seed);
        }
        ir_free(d.m);
    }
    assert_in_range(shared, PROGRAMS / 8, 2 * PROGRAMS - PROGRAMS / 8);
    assert_true(edge > PROGRAMS / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortest_branches),
        cmocka_unit_test(edges),
        cmocka_unit_test(bases_of_rpc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
