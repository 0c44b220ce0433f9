/* region_test.c -- what a region learns of calls: where the expected callee is, where it returns,
 * and that host code which was made for one callee does what the interpreter does with every other.
 */
#include "test/kit/assemble.h"
#include "test/kit/skip.h"
#include "dev/dev.h"
#include "jit/jit.h"
#include "jit/maker.h"
#include "jit/region.h"
#include "link/link.h"
#include "sim/uop.h"
#include <stdlib.h>
#include <string.h>

#define KNL  0x90000000u
#define DATA 0x90001000u

/* Calls what the first word of the metadata names, then what that leaves in t1, if it is not 0.
 * Each stores something of its own. */
static const char text[] = "    li      s1, 0x90001000\n"
                           "    li      s2, 0x90000000\n"
                           "    li      t1, 0\n"
                           "    lw      t0, 0(s2)\n"
                           "    jalr    ra, 0(t0)\n"
                           "    addi    s0, s0, 1\n"
                           "    beqz    t1, 1f\n"
                           "    jalr    ra, 0(t1)\n"
                           "1:  sw      s0, 0(s1)\n"
                           "    endprg  x0, x0, x0\n"
                           "   .globl one\n"
                           "one: li     t2, 10\n"
                           "2:  addi    s0, s0, 3\n"
                           "    addi    t2, t2, -1\n"
                           "    bgtz    t2, 2b\n"
                           "    li      t1, 0\n"
                           "    ret\n"
                           "   .globl two\n"
                           "two: addi   s0, s0, 100\n"
                           "    la      t1, one\n"
                           "    ret\n"
                           "   .globl itself\n"
                           "itself: sw  t0, 4(s1)\n"
                           "    addi    s0, s0, 7\n"
                           "    mv      t1, t0\n"
                           "    andi    t2, s0, 15\n"
                           "    addi    t2, t2, -6\n"
                           "    bgtz    t2, 3f\n"
                           "    li      t1, 0\n"
                           "3:  ret\n"
                           "   .globl nothing\n"
                           "nothing: .word 0\n";

typedef struct {
    Object *image;
    Memory memory;
    Code *code;
} Rig;

static Object *image_of(const char *of)
{
    Caught c;
    catch_in(&c);
    Object *o = assemble(of, V202);
    Object *image =
        link_objects((const Object *const[]){o}, 1, &(LinkOptions){.output = "t"}, &c.d);
    assert_non_null(image);
    obj_free(o);
    buf_free(&c.text);
    return image;
}

static u32 address_of(const Object *image, const char *name)
{
    const i32 i = obj_find_symbol(image, name);
    assert_true(i >= 0);
    return image->symbols[i].value;
}

static void open_rig_of(Rig *r, const char *of)
{
    *r = (Rig){.image = image_of(of)};
    assert_true(memory_open(&r->memory, CODE_LO, CODE_END));
    memory_map(&r->memory, CODE_LO, PAGE_SIZE, MEM_R | MEM_X);
    for (size_t i = 0; i < r->image->nsegments; i++) {
        const ObjSegment *s = &r->image->segments[i];
        memcpy(r->memory.base + s->addr, s->data.data, s->data.len);
    }
    r->code = code_new(V202, &r->memory, lane_level());
    assert_non_null(r->code);
}

static void open_rig(Rig *r) { open_rig_of(r, text); }

static void close_rig(Rig *r)
{
    code_free(r->code);
    memory_close(&r->memory);
    obj_free(r->image);
}

static Region *region_of(const Rig *r, u32 callee)
{
    Region *g = region_new(r->code, CODE_LO, (WarpShape){.full = true, .fresh = true}, callee, 8,
                           VM_OWN, false);
    assert_non_null(g);
    return g;
}

static const RegionBlock *block_at(const Region *g, u32 pc)
{
    const int i = region_find(g, pc, true);
    return i < 0 ? NULL : &g->block[i];
}

/* The n-th block that ends in a call of what a register names. */
static const RegionBlock *call_of(const Region *g, u32 n)
{
    for (u32 i = 0; i < g->nblock; i++) {
        const RegionBlock *b = &g->block[i];
        if (b->end == END_INDIRECT && b->uop[b->nuop - 1]->rd && !n--)
            return b;
    }
    return NULL;
}

static u32 past_of(const RegionBlock *b) { return b->uop[b->nuop - 1]->pc + 4; }

/* Whether one of the blocks that may follow is at pc. */
static bool leads_to(const Region *g, const RegionBlock *b, u32 pc)
{
    for (u32 i = 0; i < b->nsucc; i++)
        if (g->block[b->succ[i]].pc == pc)
            return true;
    return false;
}

/* Nobody knows what is called, so the region ends there. */
static void ends_at_unknown_calls(void **state)
{
    Rig r;
    open_rig(&r);
    Region *g = region_of(&r, 0);
    (void)state;
    const RegionBlock *b = &g->block[0];
    assert_int_equal(b->end, END_INDIRECT);
    assert_true(b->leaves);
    assert_int_equal(b->nsucc, 0);
    assert_int_equal(g->nblock, 1);
    region_free(g);
    close_rig(&r);
}

/* The expected callee is part of the region, its return goes behind the call, and other callees
 * still leave. */
static void goes_on_in_the_callee(void **state)
{
    Rig r;
    open_rig(&r);
    const u32 one = address_of(r.image, "one"), two = address_of(r.image, "two");
    Region *g = region_of(&r, one);
    (void)state;
    const RegionBlock *b = &g->block[0];
    assert_int_equal(b->end, END_INDIRECT);
    assert_true(b->leaves);
    assert_int_equal(b->target_pc, one);
    assert_true(leads_to(g, b, one));
    assert_non_null(block_at(g, past_of(b)));
    assert_null(block_at(g, two));
    u32 returns = 0;
    for (u32 i = 0; i < g->nblock; i++) {
        const RegionBlock *k = &g->block[i];
        returns += k->end == END_JUMP && k->pc >= one && k->target_pc == past_of(b);
    }
    assert_int_equal(returns, 1);
    region_free(g);
    close_rig(&r);
}

/* The second call is expected to call the same, so a return of it may go to two places. */
static void returns_to_both_calls(void **state)
{
    Rig r;
    open_rig(&r);
    const u32 callee = address_of(r.image, "itself");
    Region *g = region_of(&r, callee);
    (void)state;
    const RegionBlock *first = call_of(g, 0), *second = call_of(g, 1);
    assert_non_null(first);
    assert_non_null(second);
    assert_true(leads_to(g, first, callee));
    assert_true(leads_to(g, second, callee));
    u32 both = 0;
    for (u32 i = 0; i < g->nblock; i++) {
        const RegionBlock *k = &g->block[i];
        both +=
            k->pc >= callee && leads_to(g, k, past_of(first)) && leads_to(g, k, past_of(second));
    }
    assert_int_equal(both, 1);
    assert_int_equal(g->nreturns, 2);
    region_free(g);
    close_rig(&r);
}

/* What is no code is nothing to go on in; the region is that without an expectation. */
static void expects_no_nonsense(void **state)
{
    Rig r;
    open_rig(&r);
    const u32 bad[] = {0x1000, CODE_LO + PAGE_SIZE, CODE_END, CODE_LO + 2, UINT32_MAX};
    (void)state;
    for (size_t i = 0; i < countof(bad); i++) {
        Region *g = region_of(&r, bad[i]);
        assert_true(g->block[0].leaves);
        assert_int_equal(g->block[0].nsucc, 0);
        region_free(g);
    }
    /* a word that is no instruction is one that is sure to fault */
    const u32 nothing = address_of(r.image, "nothing");
    Region *g = region_of(&r, nothing);
    assert_non_null(block_at(g, nothing));
    assert_int_equal(block_at(g, nothing)->end, END_STOP);
    region_free(g);
    close_rig(&r);
}

/* A matrix product whose result would begin in one of the last registers is refused; rows that do
 * not exist are in no set. */
static void names_no_rows_that_are_not_there(void **state)
{
    static const u32 words[] = {0xffcc005c, 0xc8f1feff, 0x0000400b};
    Memory m;
    (void)state;
    assert_true(memory_open(&m, CODE_LO, CODE_END));
    memory_map(&m, CODE_LO, PAGE_SIZE, MEM_R | MEM_X);
    memcpy(m.base + CODE_LO, words, sizeof words);
    Code *code = code_new(V2025, &m, lane_level());
    Region *g = region_new(code, CODE_LO, (WarpShape){.full = true}, 0, 8, VM_OWN, false);
    assert_non_null(g);
    assert_int_equal(g->block[0].end, END_STOP);
    const RegUse use = block_use(&g->block[0], g->block[0].nuop - 1);
    const RegSet none = {0};
    assert_memory_equal(&use.reads, &none, sizeof none);
    assert_memory_equal(&use.writes, &none, sizeof none);
    region_free(g);
    code_free(code);
    memory_close(&m);
}

/* A jump to where no code is leaves the region. */
static void ends_where_no_code_is(void **state)
{
    static const u32 jump = 0x0000206f; /* by 8 KiB; the window has 4 */
    Memory m;
    (void)state;
    assert_true(memory_open(&m, CODE_LO, CODE_END));
    memory_map(&m, CODE_LO, PAGE_SIZE, MEM_R | MEM_X);
    memcpy(m.base + CODE_LO, &jump, sizeof jump);
    Code *code = code_new(V202, &m, lane_level());
    Region *g = region_new(code, CODE_LO, (WarpShape){.full = true}, 0, 8, VM_OWN, false);
    assert_non_null(g);
    assert_int_equal(g->nblock, 1);
    assert_true(g->block[0].leaves);
    region_free(g);
    code_free(code);
    memory_close(&m);
}

/* Where lanes wait that the region did not part, a join may lead anywhere, but not with all lanes
 * on.  Where none wait, warps that begin with some lanes never have all, and there is no code for that. */
static void joins_lead_away(void **state)
{
    static const u32 join = 0x0000205b;
    Memory m;
    (void)state;
    assert_true(memory_open(&m, CODE_LO, CODE_END));
    memory_map(&m, CODE_LO, PAGE_SIZE, MEM_R | MEM_X);
    memcpy(m.base + CODE_LO, &join, sizeof join);
    Code *code = code_new(V202, &m, lane_level());
    for (u32 deep = 0; deep < 2; deep++) {
        Region *g = region_new(code, CODE_LO, (WarpShape){.deep = deep}, 0, 8, VM_OWN, false);
        assert_non_null(g);
        const RegionBlock *some = &g->block[region_find(g, CODE_LO, false)];
        const int all = region_find(g, CODE_LO, true);
        assert_int_equal(some->end, END_JOIN);
        assert_int_equal(some->pops, deep);
        assert_int_equal(some->leaves, deep);
        assert_int_equal(all >= 0, deep);
        assert_false(all >= 0 && g->block[all].leaves);
        region_free(g);
    }
    code_free(code);
    memory_close(&m);
}

/* Amid a kernel the places where lanes meet are found from what t1 holds there; without that the
 * region ends at a branch that may part them. */
static void knows_where_lanes_meet(void **state)
{
    static const char kernel[] = "    setrpc  zero, t1, 16\n"
                                 "    vbne    v1, v2, 1f\n"
                                 "    vadd.vi v3, v3, 1\n"
                                 "    vadd.vi v3, v3, 1\n"
                                 "1:  join    zero, zero, 0\n"
                                 "    endprg  x0, x0, x0\n";
    Rig r;
    open_rig_of(&r, kernel);
    (void)state;
    for (u32 known = 0; known < 2; known++) {
        const u32 base = known ? CODE_LO : 0;
        Region *g = region_new(r.code, CODE_LO, (WarpShape){.full = true, .base = base}, 0, 8,
                               VM_OWN, false);
        assert_non_null(g);
        assert_int_equal(g->block[0].end, known ? END_SPLIT : END_LEAVE);
        assert_int_equal(g->block[0].leaves, !known);
        if (known)
            assert_int_equal(g->block[0].meet_pc, CODE_LO + 16);
        region_free(g);
    }
    close_rig(&r);
}

/* A loop that lanes leave one by one, and in it a branch with one side. */
static const char leaves[] = "    setrpc  zero, t1, 4*13\n"
                             "    vbeq    v1, v2, out\n"
                             "    vsll.vi v3, v4, 2\n" /* first */
                             "    vadd.vi v5, v4, 1\n"
                             "   .globl head\n"
                             "head: vadd.vi v1, v1, -1\n"
                             "    setrpc  zero, t1, 4*10\n"
                             "    vbne    v5, v2, in\n"
                             "   .globl side\n"
                             "side: vlw12.v v6, 0(v3)\n"
                             "    vadd.vv v7, v7, v6\n"
                             "    vsw12.v v7, 0(v3)\n"
                             "   .globl in\n"
                             "in: join    zero, zero, 0\n"
                             "    setrpc  zero, t1, 4*13\n" /* tail */
                             "    vbne    v1, v2, head\n"
                             "   .globl out\n"
                             "out: join   zero, zero, 0\n"
                             "    vsw12.v v7, 0(v200)\n"
                             "    endprg  x0, x0, x0\n";

static RegSet rows(const u8 *n, u32 count)
{
    RegSet s = {0};
    for (u32 i = 0; i < count; i++)
        s.v[n[i] >> 6] |= (u64)1 << (n[i] & 63);
    return s;
}
#define ROWS(...) rows((const u8[]){__VA_ARGS__}, sizeof((const u8[]){__VA_ARGS__}))

/* What lanes that wait in a block read where they go on is kept there, as far as it is read at all;
 * what those that are on read, by what follows for them. */
static void keeps_rows_of_lanes_that_wait(void **state)
{
    Rig r;
    open_rig_of(&r, leaves);
    (void)state;
    const u32 head = address_of(r.image, "head"), side = address_of(r.image, "side"),
              in = address_of(r.image, "in"), out = address_of(r.image, "out");
    const struct {
        u32 pc;
        RegSet kept, own;
    } row[] = {
        /* others wait at `out` alone, which reads v7 and v200 */
        {CODE_LO + 8, ROWS(7, 200), ROWS(1, 2, 4, 7, 200)},
        {head, ROWS(7, 200), ROWS(1, 2, 3, 5, 7, 200)},
        /* others wait at `in` too, from which all go round */
        {side, ROWS(1, 2, 3, 5, 7, 200), ROWS(1, 2, 3, 5, 7, 200)},
        {in + 4, ROWS(7, 200), ROWS(1, 2, 3, 5, 7, 200)},
        {out + 4, {0}, ROWS(7, 200)}, /* nothing is read behind it */
    };
    Region *g = region_new(r.code, CODE_LO, (WarpShape){.full = true, .base = CODE_LO}, 0, 8,
                           VM_OWN, false);
    assert_non_null(g);
    for (size_t i = 0; i < countof(row); i++) {
        const int part = region_find(g, row[i].pc, false), full = region_find(g, row[i].pc, true);
        assert_true(part >= 0);
        assert_memory_equal(g->block[part].kept.v, row[i].kept.v, sizeof row[i].kept.v);
        assert_memory_equal(g->block[part].own.v, row[i].own.v, sizeof row[i].own.v);
        if (full >= 0) {
            const RegSet none = {0};
            assert_memory_equal(g->block[full].kept.v, none.v, sizeof none.v);
            assert_memory_equal(g->block[full].own.v, row[i].own.v, sizeof none.v);
        }
    }
    region_free(g);
    /* where others wait for what nobody knows, or may, all that is read later is kept */
    for (u32 deep = 0; deep < 2; deep++) {
        g = region_new(r.code, head, (WarpShape){.deep = deep, .base = CODE_LO}, 0, 8, VM_OWN,
                       false);
        assert_non_null(g);
        const RegionBlock *b = &g->block[region_find(g, head, false)];
        assert_true(regset_has_v(&b->kept, 1) && regset_has_v(&b->kept, 3) && !b->full);
        region_free(g);
    }
    close_rig(&r);
}

/* Which branches need no stack: those one side of which is nothing, and the other one block of at
 * most 64 instructions. */
static void finds_branches_with_one_side(void **state)
{
    static const struct {
        const char *branch, *far; /* the branch at 4; what stands behind the end */
        u32 instructions;         /* between branch and join */
        bool alone, together;
    } row[] = {
        {"vbeq v1, v2, meet", "", 1, true, false},
        {"vbeq v1, v2, meet", "", 64, true, false},
        {"vbeq v1, v2, meet", "", 65, false, false},
        {"vbeq v1, v2, far", "far: vsw12.v v3, 0(v4)\n j meet\n", 0, true, false},
        {"vbeq v1, v2, far", "far: vadd.vv v3, v3, v4\n j meet\n", 0, false, true},
        {"vbeq v1, v2, far", "far: vsw12.v v3, 0(v4)\n j meet\n", 1, false, false},
        {"vbeq v1, v2, far", "far: vsw12.v v3, 0(v4)\n jal ra, meet\n", 0, false, false},
        {"vbeq v1, v2, far", "far: vsw12.v v3, 0(v4)\n j far\n", 0, false, false},
    };
    (void)state;
    for (size_t i = 0; i < countof(row); i++) {
        Rig r;
        Buf t = {0};
        buf_printf(&t, " setrpc zero, t1, %u\n %s\n", 8 + 4 * row[i].instructions, row[i].branch);
        for (u32 k = 0; k < row[i].instructions; k++)
            buf_str(&t, " vsw12.v v3, 0(v4)\n");
        buf_printf(&t, "meet: join zero, zero, 0\n endprg x0, x0, x0\n%s", row[i].far);
        open_rig_of(&r, buf_text(&t));
        for (u32 full = 0; full < 2; full++) {
            Region *g = region_new(r.code, CODE_LO, (WarpShape){.full = full, .base = CODE_LO}, 0,
                                   8, VM_OWN, false);
            assert_non_null(g);
            assert_int_equal(g->block[0].end, END_SPLIT);
            if (g->block[0].alone != row[i].alone || g->block[0].together != row[i].together)
                fail_msg("row %zu: alone %d, together %d", i, g->block[0].alone,
                         g->block[0].together);
            /* at a join that nothing was pushed for, nothing is popped */
            const int join = region_find(g, g->block[0].meet_pc, full);
            assert_true(join >= 0);
            if (!full)
                assert_int_equal(g->block[join].pops, !row[i].alone && !row[i].together);
            region_free(g);
        }
        close_rig(&r);
        buf_free(&t);
    }
}

/* What only the search for a region needs can be freed; the digest stays. */
static void shrinks(void **state)
{
    Rig r;
    open_rig(&r);
    Region *g = region_of(&r, address_of(r.image, "two"));
    (void)state;
    const u64 before = region_digest(g);
    region_shrink(g);
    assert_true(region_digest(g) == before);
    region_shrink(g);
    region_free(g);
    close_rig(&r);
}

/* --- code of single regions --------------------------------------------------------------- */

/* Each is a region whose first registers have been written before, and behind which nothing is
 * read: registers that it does not name have no place in its code. */
static void makes_code_of_what_is_not_named(void **state)
{
    static const char *const texts[] = {
        "vmv.v.x v2, t0\n vsw12.v v2, 0(v3)\n endprg x0, x0, x0\n",
        "vmv.v.i v2, 5\n vsw12.v v2, 0(v3)\n endprg x0, x0, x0\n",
        "vadd.vi v2, v4, 5\n vsll.vi v2, v2, 3\n vsw12.v v2, 0(v3)\n endprg x0, x0, x0\n",
        "vid.v v2\n vsw12.v v2, 0(v3)\n endprg x0, x0, x0\n",
        "vmv.v.v v2, v7\n vsw12.v v2, 0(v3)\n endprg x0, x0, x0\n",
        "lui t0, 5\n sw t0, 0(t1)\n endprg x0, x0, x0\n",
    };
    const char *why;
    char cache[] = "VENTUS_CACHE=0";
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    putenv(cache);
    Maker *m = maker_open("base");
    assert_non_null(m);
    for (size_t i = 0; i < countof(texts); i++)
        for (u32 full = 0; full < 2; full++)
            for (u32 kind = 0; kind < NCODES; kind++) {
                Rig r;
                open_rig_of(&r, texts[i]);
                Region *g =
                    region_new(r.code, CODE_LO, (WarpShape){.full = full}, 0, 8, VM_OWN, false);
                assert_non_null(g);
                MakerOrder order = maker_order(m, g, r.code, (CodeKind)kind);
                Loaded code;
                MakerCost cost;
                if (!maker_make(m, &order, &code, &cost))
                    fail_msg("no code of kind %u, %s, of\n%s", kind, full ? "full" : "partial",
                             texts[i]);
                code_unload(&code);
                maker_forget(&order);
                region_free(g);
                close_rig(&r);
            }
    maker_close(m);
}

/* --- execution ----------------------------------------------------------------------------- */

typedef struct {
    Device *d;
    Object *image; /* the device's */
} Side;

static Side open_side(const char *engine, const char *of)
{
    DeviceOptions o = dev_defaults();
    Caught c;
    catch_in(&c);
    o.engine = dev_find_engine(engine);
    assert_non_null(o.engine);
    Side s = {dev_open(&o), image_of(of)};
    assert_non_null(s.d);
    memory_map(dev_memory(s.d), KNL, PAGE_SIZE, MEM_R | MEM_W);
    memory_map(dev_memory(s.d), DATA, PAGE_SIZE, MEM_R | MEM_W);
    assert_true(dev_load(s.d, s.image, &c.d));
    buf_free(&c.text);
    return s;
}

static DevResult run(Side *s, u32 callee)
{
    const DevLaunch l = {.knl = KNL,
                         .groups = {3, 1, 1},
                         .warps = 2,
                         .lanes = 8,
                         .lds = 4096,
                         .sgprs = 32,
                         .vgprs = 8,
                         .max_insns = 100000,
                         .run = {.threads = 1}};
    DevResult r;
    assert_true(dev_write(s->d, KNL, &callee, sizeof callee));
    dev_launch(s->d, &l, &r);
    return r;
}

static void must_agree(const DevResult *a, const DevResult *b)
{
    assert_int_equal(a->run.faulted, b->run.faulted);
    assert_int_equal(a->run.insns, b->run.insns);
    if (!a->run.faulted)
        return;
    assert_int_equal(a->run.fault.kind, b->run.fault.kind);
    assert_int_equal(a->run.fault.pc, b->run.fault.pc);
    assert_int_equal(a->run.fault.group_linear, b->run.fault.group_linear);
    assert_int_equal(a->run.fault.warp, b->run.fault.warp);
}

/* Each callee after each other one: the region that was made for one meets the others, through a
 * metadata block that changes between launches. */
static void calls_others_than_expected(void **state)
{
    const char *why;
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    Side a = open_side("interp", text), b = open_side("jit", text);
    const u32 callee[] = {address_of(a.image, "one"),
                          address_of(a.image, "two"),
                          address_of(a.image, "itself"),
                          address_of(a.image, "nothing"),
                          address_of(a.image, "one") + 4,
                          CODE_LO + 2,
                          CODE_END,
                          0};
    for (size_t i = 0; i < countof(callee); i++)
        for (size_t k = 0; k < countof(callee); k++) {
            const u32 order[] = {callee[i], callee[k]};
            for (size_t n = 0; n < 2; n++) {
                u32 words[2][2] = {{0}};
                const DevResult x = run(&a, order[n]), y = run(&b, order[n]);
                must_agree(&x, &y);
                assert_true(dev_read(a.d, DATA, words[0], sizeof words[0]));
                assert_true(dev_read(b.d, DATA, words[1], sizeof words[1]));
                assert_memory_equal(words[0], words[1], sizeof words[0]);
            }
        }
    JitStats s;
    assert_true(jit_stats(dev_engine(b.d), &s));
    assert_true(s.regions >= 4);
    assert_true(s.compiled * 2 > s.insns);
    dev_close(a.d);
    dev_close(b.d);
}

/* Two warps in a loop, in which one instruction has a prefix. */
static const char loop[] = "    li      t2, 60\n"
                           "    vid.v   v33\n"
                           "2:  addi    s0, s0, 3\n"
                           "    vadd.vi v34, v33, 3\n"
                           "    xor     s2, s0, t2\n"
                           "    addi    t2, t2, -1\n"
                           "    bgtz    t2, 2b\n"
                           "    endprg  x0, x0, x0\n";

static DevResult run_to(Side *s, u64 limit)
{
    const DevLaunch l = {.knl = KNL,
                         .groups = {1, 1, 1},
                         .warps = 2,
                         .lanes = 8,
                         .lds = 4096,
                         .sgprs = 32,
                         .vgprs = 64,
                         .max_insns = limit,
                         .run = {.threads = 1}};
    DevResult r;
    dev_launch(s->d, &l, &r);
    return r;
}

/* The limit of instructions is reached at the same one, wherever compiled code was left before: at
 * the first that has it, so that no warp retires more than one beyond. */
static void stops_at_the_limit(void **state)
{
    const char *why;
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    Side a = open_side("interp", loop), b = open_side("jit", loop);
    u32 ended = 0;
    for (u64 limit = 1; limit < 400; limit += limit < 40 ? 1 : 7) {
        const DevResult x = run_to(&a, limit), y = run_to(&b, limit);
        must_agree(&x, &y);
        ended += x.run.faulted;
        if (x.run.faulted)
            assert_true(x.run.insns <= 2 * (limit + 1));
    }
    assert_true(ended > 60);
    JitStats s;
    assert_true(jit_stats(dev_engine(b.d), &s));
    assert_true(s.compiled * 4 > s.insns);
    dev_close(a.d);
    dev_close(b.d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_at_unknown_calls),
        cmocka_unit_test(goes_on_in_the_callee),
        cmocka_unit_test(returns_to_both_calls),
        cmocka_unit_test(expects_no_nonsense),
        cmocka_unit_test(names_no_rows_that_are_not_there),
        cmocka_unit_test(ends_where_no_code_is),
        cmocka_unit_test(joins_lead_away),
        cmocka_unit_test(knows_where_lanes_meet),
        cmocka_unit_test(keeps_rows_of_lanes_that_wait),
        cmocka_unit_test(finds_branches_with_one_side),
        cmocka_unit_test(shrinks),
        cmocka_unit_test(makes_code_of_what_is_not_named),
        cmocka_unit_test(calls_others_than_expected),
        cmocka_unit_test(stops_at_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
