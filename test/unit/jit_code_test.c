/* jit_code_test.c -- every instruction that computes, in one piece of host code, against the
 * interpreter: on each level of the host, optimised and quick, with all lanes and some, on special
 * values; and which of them are left to their handlers, against the rule in is_left().
 */
#include "test/kit/hostrig.h"
#include "test/kit/random.h"

enum { MOST_WORDS = 4096, SUM = 31 }; /* x31 and v31: sums of all results */

static u32 words[MOST_WORDS], nwords;
static struct {
    u32 pc;
    bool left, left_partial; /* what is expected: with all lanes, with some */
    char text[64];
} tried[MOST_WORDS];
static u32 ntried;

/* --- programs -------------------------------------------------------------------------- */

static void put_words(u64 word, u32 bytes)
{
    assert_true(nwords + 2 < MOST_WORDS);
    words[nwords++] = (u32)word;
    if (bytes == 8)
        words[nwords++] = (u32)(word >> 32);
}

static void put_insn(const Insn *in)
{
    u64 word;
    int bad;
    if (!isa_encode(in, &word, &bad))
        fail_msg("%s, operand %d", isa_insn[in->id].text, bad);
    put_words(word, isa_insn[in->id].len);
}

/* Whether the effect is one that computes registers of registers. */
static bool computes(Effect e)
{
    switch (e) {
    case E_ALU:
    case E_MAC:
    case E_FIXED:
    case E_FALU:
    case E_FMAC:
    case E_NARROW:
    case E_WIDEN:
    case E_WIDEN_W:
    case E_WIDEN_MAC:
    case E_FWIDEN:
    case E_FNARROW:
    case E_PAIR:
    case E_LUI:
    case E_AUIPC:
    case E_MERGE:
    case E_VID:
    case E_TOSCALAR:
    case E_SETRPC:
    case E_FENCE:
    case E_SUBBARRIER:
    case E_EXP:
    case E_WORD64:
    case E_WORD64F:
    case E_SHUFFLE_BFLY:
    case E_SHUFFLE_IDX:
    case E_SHUFFLE_UP: return true;
    default: return false;
    }
}

/* The host computes integers and floats that round to nearest; what saturates or rounds by vxrm,
 * estimates and classes of floats, conversions between widths, halves, and what lanes take from
 * others is the handlers'.  A CPU has one conversion of its own that rounds toward zero. */
static bool is_left(const Insn *in, const IsaFacts *f, bool flags, bool full)
{
    const Effect e = (Effect)isa_insn[in->id].effect;
    const Op op = (Op)isa_insn[in->id].op;
    const bool is_row = isa_is_vector(in->id);
    switch (e) {
    case E_ALU: /* rows are divided by the host's floats, which raise flags */
        return op == OP_fclass ||
               (flags && is_row &&
                (op == OP_div || op == OP_divu || op == OP_rem || op == OP_remu));
    case E_FALU:
    case E_FMAC:
        if (flags || op == OP_frec7 || op == OP_frsqrt7)
            return true;
        if (f->rm == FP_RTZ && (op == OP_fcvt_x_f || op == OP_fcvt_xu_f))
            return false;
        return f->rm != FP_RNE && f->rm != 7;
    case E_NARROW: return op != OP_srl && op != OP_sra;
    case E_TOSCALAR: return !full;
    case E_FIXED:
    case E_FWIDEN:
    case E_FNARROW:
    case E_EXP:
    case E_WORD64:
    case E_WORD64F:
    case E_SHUFFLE_BFLY:
    case E_SHUFFLE_IDX:
    case E_SHUFFLE_UP: return true;
    default: return false;
    }
}

/* Adds the results of the instruction to the sums. */
static void add_results(const IsaFacts *f)
{
    for (u32 i = 0; i < f->nregs; i++)
        for (u32 n = f->reg[i].first;
             f->reg[i].is_written && n < f->reg[i].first + 0u + f->reg[i].count; n++)
            put_insn(f->reg[i].is_vector ? &(Insn){I_vadd_vv, {SUM, SUM, (i32)n, 1}}
                                         : &(Insn){I_add, {SUM, SUM, (i32)n}});
}

/* Whether its results are registers that an instruction without a prefix can name, and no sums. */
static bool has_low_results(const IsaFacts *f)
{
    for (u32 i = 0; i < f->nregs; i++)
        if (f->reg[i].is_written && f->reg[i].first + f->reg[i].count > SUM)
            return false;
    return true;
}

/* A random prefix of the set, or none. */
static bool random_prefix(const IsaDecoder *d, IsaSet set, u32 *word, IsaPrefix *p)
{
    static const InsnId old[] = {I_regext, I_regexti}, new[] = {I_prefix, I_prefixi};
    Insn in;
    if (one_in(2))
        return false;
    const InsnId id = (set & V2025 && one_in(2) ? new : old)[below(4) == 0];
    *word =
        (u32)isa_insn[id].match | ((u32)random_bits() & ~(u32)isa_format[isa_insn[id].format].mask);
    /* few registers beyond 31, so that some results stay below */
    if (!isa_decode(d, *word, &in))
        return false;
    *p = isa_prefix(&in);
    return p->valid && !(p->xd & 7);
}

/* Whether it writes v0 under v0. */
static bool is_over_mask(const IsaFacts *f)
{
    for (u32 i = 0; i < f->nregs; i++)
        if (f->reg[i].is_vector && f->reg[i].is_written && !f->reg[i].first)
            return f->masked;
    return false;
}

/* Whether there are such instances of two registers. */
static bool has_wide_result(InsnId id)
{
    return isa_effect_of(id)->widths[0] == '2' && isa_is_vector(id);
}

/* A random instance of a row, after a prefix or not; false: there was none in so many tries.
 * over_mask: its result is v0, which is its mask, too. */
static bool put_instance(const IsaDecoder *d, InsnId id, IsaSet set, u32 lanes, bool flags,
                         bool over_mask)
{
    for (int tries = 0; tries < 3000; tries++) {
        const u64 mask = isa_format[isa_insn[id].format].mask;
        const u64 any = isa_insn[id].len == 8 ? random_bits() : (u32)random_bits();
        const u64 word =
            isa_insn[id].match | (any & ~mask & (isa_insn[id].len == 8 ? UINT64_MAX : UINT32_MAX));
        IsaPrefix p = {.valid = false};
        IsaFacts f;
        Insn in;
        u32 prefix = 0;
        const bool has_prefix = random_prefix(d, set, &prefix, &p);
        if (!isa_decode(d, word, &in) || in.id != id ||
            !isa_facts(&in, has_prefix ? &p : NULL, set, lanes, &f) || !has_low_results(&f) ||
            (over_mask && !is_over_mask(&f)))
            continue;
        tried[ntried].pc = CODE_LO + 4 * nwords;
        tried[ntried].left = is_left(&in, &f, flags, true);
        tried[ntried].left_partial = is_left(&in, &f, flags, false);
        snprintf(tried[ntried].text, sizeof tried[ntried].text, "%s%s", has_prefix ? "prefix " : "",
                 isa_insn[id].text);
        if (has_prefix)
            put_words(prefix, 4);
        put_words(word, isa_insn[id].len);
        ntried++;
        add_results(&f);
        return true;
    }
    return false;
}

/* v31 plus v(n % 16) to vn, and the same of scalars if there is such a one, by a prefix. */
static void put_high(const IsaDecoder *d, IsaSet set, u32 lanes, u32 n)
{
    const Insn in[] = {{I_vadd_vv, {n & 31, SUM, (i32)(n % 16), 1}}, {I_add, {n & 31, SUM, 7}}};
    for (u32 k = 0; k < (n < 64 ? 2 : 1); k++)
        for (u32 any = 0; any < 4096; any++) {
            const u32 word = (u32)isa_insn[I_regext].match | any << 20;
            IsaPrefix p;
            IsaFacts f;
            Insn prefix;
            if (!isa_decode(d, word, &prefix) || (p = isa_prefix(&prefix), p.x1 | p.x2 | p.x3) ||
                !isa_facts(&in[k], &p, set, lanes, &f) || f.reg[0].first != n)
                continue;
            put_words(word, 4);
            put_insn(&in[k]);
            break;
        }
}

/* Each instruction of the set, and those of two registers once more over their mask. */
static void make_program(IsaSet set, u32 lanes, bool flags)
{
    IsaDecoder *d = mem_alloc(sizeof *d);
    assert_non_null(d);
    isa_decoder_init(d, set);
    nwords = ntried = 0;
    for (int n = 0; n < 2 * NINSN; n++) {
        const InsnId id = (InsnId)(n / 2);
        const bool over_mask = n % 2;
        if (isa_has(set, id) && computes((Effect)isa_insn[id].effect) &&
            (!over_mask || has_wide_result(id)) &&
            !put_instance(d, id, set, lanes, flags, over_mask))
            fail_msg("no instance of %s", isa_insn[id].text);
    }
    for (u32 n = 32; n < 256; n += n % 32 ? 1 : 31)
        put_high(d, set, lanes, n);
    put_insn(&(Insn){I_jalr, {0, 0, 30}}); /* anywhere: every register may be read then */
    mem_free(d);
}

static void load_words(IsaSet set, u32 lanes)
{
    rig_load(set, lanes, "nop\n");
    memcpy(rig.memory.base + CODE_LO, words, 4 * nwords);
    sim_kind.code_changed(rig.engine, set, CODE_LO, TEXT_BYTES);
}

/* --- values ---------------------------------------------------------------------------- */

static u32 random_value(void)
{
    static const u32 special[] = {
        0,          1,          2,          31,         32,         63,         0x7f,
        0x80,       0xff,       0x7fff,     0x8000,     0x7fffffff, 0x80000000, 0x80000001,
        0xffffffff, 0xfffffffe, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
        0x7f800001, 0xffc12345, 0x00800000, 0x007fffff, 0x7f7fffff, 0x3f000000, 0x3fc00000,
        0x40200000, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x4f800000, 0x33800000};
    switch (below(4)) {
    case 0: return special[below(countof(special))];
    case 1: return ((u32)random_bits() & 0x807fffff) | (118 + below(18)) << 23;
    case 2: return (u32)random_bits() >> below(32);
    default: return (u32)random_bits();
    }
}

static void fill_registers(Warp *w)
{
    for (u32 n = 1; n < 64; n++)
        w->x[n] = random_value();
    for (u32 n = 0; n < 256; n++)
        for (u32 i = 0; i < MAX_LANES; i++)
            w->v[n][i] = random_value();
}

static void copy_registers(Warp *to, const Warp *from)
{
    memcpy(to->x, from->x, sizeof to->x);
    memcpy(to->v, from->v, sizeof to->v);
}

/* --- comparison ------------------------------------------------------------------------ */

/* Runs w by the interpreter up to the last instruction of the program. */
static void interpret(Warp *w, u32 mask)
{
    const HostFloats floats = enter_guest_floats();
    w->mask = mask;
    warp_set_exec(w);
    for (const Uop *u = go(w, w->pc); u && u->pc < CODE_LO + 4 * (nwords - 1);) {
        w->ninsns += uop_insns(u);
        u = u->run(w, u);
    }
    leave_guest_floats(&floats);
    assert_false(w->group->faulted);
}

/* What differs, in *why; false: nothing. */
static bool differ(const Warp *a, const Warp *b, Buf *why)
{
    for (u32 n = 1; n < 64; n++)
        if (a->x[n] != b->x[n]) {
            buf_printf(why, "x%u is %08x in host code, %08x by the interpreter", n, a->x[n],
                       b->x[n]);
            return true;
        }
    for (u32 n = 0; n < 256; n++)
        for (u32 i = 0; i < rig.launch.lanes; i++)
            if (a->v[n][i] != b->v[n][i]) {
                buf_printf(why, "lane %u of v%u is %08x in host code, %08x by the interpreter", i,
                           n, a->v[n][i], b->v[n][i]);
                return true;
            }
    if (a->ninsns == b->ninsns + 1 /* the jump */ && a->vxsat == b->vxsat && a->rpc == b->rpc &&
        a->pc == (a->x[30] & ~1u))
        return false;
    buf_printf(why, "a count, vxsat, rpc or pc differs");
    return true;
}

static void compare_left(bool full, const char *level)
{
    for (u32 i = 0; i < ntried; i++) {
        const bool left = full ? tried[i].left : tried[i].left_partial;
        if (host.calls.left[(tried[i].pc - CODE_LO) / 4] != left)
            fail_msg("%s, %s lanes: %s is%s left to its handler", level, full ? "all" : "some",
                     tried[i].text, left ? " not" : "");
    }
}

typedef struct {
    const char *level;
    CodeKind kind;
    bool full, flags;
    VmRule vm;
} Way;

/* Runs a warp with random registers by both; false: they differ. */
static bool run_both(const Way *way, Group *twin, Buf *why)
{
    const u32 all = rig.launch.lanes == 32 ? UINT32_MAX : (1u << rig.launch.lanes) - 1;
    group_begin(host.group, 0);
    group_begin(twin, 0);
    Warp *w = host.group->warps, *v = twin->warps;
    const u32 mask = way->full ? all : 1 + (u32)random_bits() % (all - 1);
    fill_registers(w);
    copy_registers(v, w);
    interpret(v, mask);
    assert_int_equal(host_run(w, mask), (u32)HOST_ANYWHERE);
    return !differ(w, v, why);
}

/* The same with the program's first n instances, n > 0, which are cut off. */
static bool first_agree(const Way *way, u32 n, u32 runs, Buf *why)
{
    bool same = true;
    const u64 jump = isa_insn[I_jalr].match | 30 << 15;
    nwords = n < ntried ? (tried[n].pc - CODE_LO) / 4 + 1 : nwords;
    words[nwords - 1] = (u32)jump;
    load_words(rig.sim->code->set, rig.launch.lanes);
    rig.launch.vm = way->vm;
    host_make((WarpShape){.full = way->full}, way->kind, way->flags);
    Group *twin = sim_take_group(rig.sim, &rig.launch);
    assert_non_null(twin);
    for (u32 k = 0; k < runs && same; k++)
        same = run_both(way, twin, why);
    sim_give_group(rig.sim, twin);
    return same;
}

/* Names the instruction after which the two differ. */
static void blame(const Way *way, u32 runs)
{
    Buf why = {0};
    u32 from = 0, to = ntried;
    u32 *all = mem_alloc(sizeof words), n = nwords;
    memcpy(all, words, sizeof words);
    while (to - from > 1) {
        const u32 middle = (from + to) / 2;
        memcpy(words, all, sizeof words);
        nwords = n;
        why.len = 0;
        if (first_agree(way, middle, 10 * runs, &why))
            from = middle;
        else
            to = middle;
    }
    why.len = 0;
    memcpy(words, all, sizeof words);
    nwords = n;
    first_agree(way, to, 10 * runs, &why);
    fail_msg("%s, %s lanes, word %08x: after %s, %s", way->level, way->full ? "all" : "some",
             words[(tried[to - 1].pc - CODE_LO) / 4], tried[to - 1].text, buf_text(&why));
}

static void try_program(const Way *way, u32 lanes, u32 runs)
{
    Buf why = {0};
    rig.launch.lanes = lanes;
    if (!first_agree(way, ntried, runs, &why))
        blame(way, runs);
    compare_left(way->full, way->level);
}

/* The sets of instructions; each begins with the same random numbers in each run. */
static void try_each(const Way *ways, size_t nways)
{
    static const IsaSet sets[] = {V202 | AI | TIDX, V2025 | TIDX};
    for (size_t k = 0; k < nways; k++)
        for (size_t s = 0; s < countof(sets); s++) {
            const char *level = ways[k].level;
            const u32 lanes = !strcmp(level, "base") ? 8 : !strcmp(level, "avx2") ? 16 : 32;
            if (!host_open(level, sets[s]))
                continue;
            make_program(sets[s], lanes, ways[k].flags);
            try_program(&ways[k], lanes, 20);
            host_close();
        }
}

static void all_lanes(void **state)
{
    static const Way ways[] = {{.level = "base", .kind = CODE_PLAIN, .full = true},
                               {.level = "avx2", .kind = CODE_PLAIN, .full = true},
                               {.level = "avx512", .kind = CODE_PLAIN, .full = true}};
    (void)state;
    try_each(ways, countof(ways));
}

static void some_lanes(void **state)
{
    static const Way ways[] = {{.level = "base", .kind = CODE_PLAIN, .vm = VM_SPIKE},
                               {.level = "avx512", .kind = CODE_PLAIN}};
    (void)state;
    try_each(ways, countof(ways));
}

static void quick_code(void **state)
{
    static const Way ways[] = {{.level = "avx2", .kind = CODE_QUICK, .vm = VM_RTL},
                               {.level = "avx512", .kind = CODE_QUICK, .vm = VM_IGNORE}};
    (void)state;
    try_each(ways, countof(ways));
}

/* Code that reads float flags. */
static void float_flags(void **state)
{
    static const Way ways[] = {{.level = "base", .kind = CODE_QUICK, .full = true, .flags = true}};
    (void)state;
    try_each(ways, countof(ways));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_lanes),
        cmocka_unit_test(some_lanes),
        cmocka_unit_test(quick_code),
        cmocka_unit_test(float_flags),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
