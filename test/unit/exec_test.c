/* Every instruction of v202 and tidx, one at a time, against the model of
 * exec_ref.h: on 4, 8, 16 and 32 lanes, on every level of host vector instructions
 * that this host has, with all lanes and some, under v0 by each rule, with aliased
 * and extended registers, and with special values in all combinations.
 *
 * An instruction is executed by its own handler on a warp made here; whole programs
 * are simt_test.c's.  Seeds are fixed.
 */
#include "test/kit/exec_ref.h"
#include "base/mem.h"
#include "sim/handlers.h"
#include "test/kit/hostflags.h"
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum {
    HEAP_SIZE = 4 * PAGE_SIZE, PDS_SIZE = 8 * PAGE_SIZE, LDS_SIZE = 2 * PAGE_SIZE,
    LOW_SIZE = 2 * PAGE_SIZE, CODE_SIZE = 1 << 18, VARIANTS = 28, WARPS = 3, DEPTH = 200
};
#define HEAP       0x90000000u
#define PDS        0x90100000u
#define PDS_BASE   (PDS + PAGE_SIZE)
#define FIRST_SLOT (CODE_LO + 2 * PAGE_SIZE)

/* One interpreter: its memory, decoded code and a group, of which one warp runs. */
typedef struct {
    const char *level;
    Memory memory;
    Code *code;
    Launch launch;
    Group *group;
    Warp *warp;
} Guest;

/* One instruction in guest memory, with its prefix word or 0. */
typedef struct { u32 addr, prefix, word; } Slot;

static Guest guests[3];
static int nguests;
static Slot slots[NINSN][VARIANTS];
static const RefRow *row_of[NINSN];
static u32 executed[NINSN][33]; /* by lanes */
static Ref ref;
static bool changed[256]; /* vector registers of ref that the guests do not have yet */
static u32 join_pc;

static u32 rnd(void)
{
    static u64 s = 0x2545f4914f6cdd1d;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return (u32)(s >> 16);
}
static u32 below(u32 n) { return rnd() % n; }
static bool once_in(u32 n) { return !below(n); }

static bool is_tested(int id)
{
    return isa_insn[id].sets & (V202 | TIDX) && isa_insn[id].effect != E_TRAP;
}

/* --- words --- */

static u32 prefix_word(u32 variant)
{
    const u32 ext = 0x0000200b, exti = 0x0000300b;
    switch (variant % 7) {
    case 2: return ext | (rnd() & 0x249) << 20;         /* x0..x63, v0..v63 */
    case 3: return ext | below(2) * 0x249u << 20;       /* the same in each field */
    case 4: return ext | rnd() << 20;
    case 5: return exti | (rnd() & 0xfc9) << 20;
    case 6: return exti | rnd() << 20;
    default: return 0;
    }
}

static u32 field(u32 word, u32 lsb) { return word >> lsb & 31; }
static u32 with_field(u32 word, u32 lsb, u32 value)
{
    return (word & ~(31u << lsb)) | value << lsb;
}

/* fields made equal, where the instruction leaves them free */
static u32 aliased(u32 word, u32 mask, u32 variant)
{
    const u32 from[] = {20, 15, 20, 20}, to[] = {7, 7, 15, 7};
    const u32 k = variant / 7;
    if (!variant || mask >> from[k] & 31 || mask >> to[k] & 31 || variant % 2)
        return word;
    word = with_field(word, to[k], field(word, from[k]));
    return k == 3 && !(mask >> 15 & 31) ? with_field(word, 15, field(word, 20)) : word;
}

static u32 some_csr(void)
{
    static const u16 known[] = {
        0x001, 0x002, 0x003, 0x008, 0x009, 0x00a, 0x00f, 0xc20, 0xc21, 0xc22, 0xc00, 0xc01, 0xc02,
        0xc80, 0xc81, 0xc82, 0x300, 0x301, 0x304, 0x305, 0x340, 0x341, 0x342, 0x343, 0x344, 0xb00,
        0xb02, 0xb80, 0xf14, 0x800, 0x801, 0x802, 0x803, 0x804, 0x805, 0x806, 0x807, 0x808, 0x809,
        0x80a, 0x80b, 0x80c, 0x815, 0x123, 0x7c0,
    };
    return known[below(countof(known))];
}

/* what the shape needs to make sense */
static u32 adapted(RefShape shape, u32 prefix, u32 word, u32 variant)
{
    switch (shape) {
    case X_JAL: return word & ~(1u << 21);
    case X_BRANCH:
    case W_BRANCH: return word & ~(1u << 8);
    case X_JALR: return field(word, 15) || prefix ? word : with_field(word, 15, 1 + below(31));
    case X_LOAD:
    case X_STORE: return field(word, 15) ? word : word & 0x7fffffff;
    case X_CSR:
    case X_CSRI: return (word & 0xfffff) | some_csr() << 20;
    case V_CSR: return (word & 0xfffff) | (once_in(8) ? 0x805 : 0x80d + below(7)) << 20;
    case X_VSETVLI: return once_in(8) ? word : (word & 0x800fffff) | 0x10u << 20 | below(4) << 26;
    case X_VSETIVLI: return once_in(8) ? word : (word & 0xc00fffff) | 0x10u << 20 | below(4) << 26;
    case V_NARROWV:
    case V_NARROWX:
    case V_NARROWI:
    case V_FNARROW: return once_in(8) && variant ? word : word & ~(1u << 20);
    case V_FWIDEN: return once_in(8) && variant ? word : word & ~(1u << 7);
    default: return word;
    }
}

static bool lands_in_code(RefShape shape, u32 pc, const Insn *in)
{
    if (shape != X_JAL && shape != X_BRANCH && shape != W_BRANCH)
        return true;
    const int i = isa_find_operand(in->id, shape == X_JAL ? O_relJ : O_relB);
    return pc + (u32)in->opd[i] - CODE_LO < CODE_SIZE - 8;
}

/* An instance of row id for address addr; variant 0 is the plain one. */
static Slot make_slot(const IsaDecoder *d, int id, u32 variant, u32 addr)
{
    const u32 mask = (u32)isa_format[isa_insn[id].format].mask;
    const RefShape shape = row_of[id]->shape;
    for (int tries = 0; tries < 100000; tries++) {
        Slot s = {addr, shape == W_PREFIX ? 0 : prefix_word(variant), (u32)isa_insn[id].match};
        Insn in;
        s.word |= rnd() & ~mask;
        if (!variant) { /* distinct registers, no mask */
            s.word |= ~mask & 1u << 25;
            s.word = (s.word & (mask | ~0x01ff8f80u)) | (~mask & (4u << 7 | 6u << 15 | 10u << 20));
        }
        s.word = aliased(s.word, mask, variant);
        s.word = adapted(shape, s.prefix, s.word, variant);
        if (isa_decode(d, s.word, &in) && (int)in.id == id &&
            lands_in_code(shape, addr + (s.prefix ? 4 : 0), &in))
            return s;
    }
    fail_msg("no instance of %s", isa_insn[id].text);
    return (Slot){0};
}

/* --- guests --- */

static bool host_has(const char *level)
{
    setenv("VENTUS_LANES", level, 1);
    const bool has = !strcmp(lane_level()->name, level);
    unsetenv("VENTUS_LANES");
    return has;
}

static void put_word(u32 addr, u32 word)
{
    for (int k = 0; k < nguests; k++)
        memcpy(guests[k].memory.base + addr, &word, 4);
}

static void open_guest(const char *level)
{
    Guest *g = &guests[nguests++];
    g->level = level;
    assert_true(memory_open(&g->memory, 0, (u64)1 << 32));
    memory_map(&g->memory, 0, LOW_SIZE, MEM_R | MEM_W);
    memory_map(&g->memory, CODE_LO, CODE_SIZE, MEM_R | MEM_X);
    memory_map(&g->memory, HEAP, HEAP_SIZE, MEM_R | MEM_W);
    memory_map(&g->memory, PDS, PDS_SIZE, MEM_R | MEM_W);
    setenv("VENTUS_LANES", level, 1);
    g->code = code_new(V202 | TIDX, &g->memory, lane_level());
    unsetenv("VENTUS_LANES");
    assert_non_null(g->code);
    assert_string_equal(g->code->level->name, level);
    g->group = mem_zalloc(1, sizeof *g->group);
    g->warp = aligned_alloc(64, WARPS * sizeof *g->warp);
    assert_true(g->group && g->warp);
    memset((void *)g->warp, 0, WARPS * sizeof *g->warp);
    assert_true(memory_open(&g->group->lds, LDS_LO, LDS_END));
    memory_map(&g->group->lds, LDS_LO, LDS_SIZE, MEM_R | MEM_TRACKED);
    g->group->launch = &g->launch;
    g->group->code = g->code;
    g->group->warps = g->warp;
    g->group->nwarps = WARPS;
    g->group->lds_base = LDS_LO;
    g->warp->group = g->group;
    g->warp->simt = mem_zalloc(REF_STACK, sizeof(SimtEntry));
    g->warp->capsimt = REF_STACK;
}

static const u32 window_lo[] = {HEAP, PDS, LDS_LO, 0};
static const u32 window_size[] = {HEAP_SIZE, PDS_SIZE, LDS_SIZE, LOW_SIZE};

static u8 *guest_bytes(const Guest *g, u32 addr)
{
    return (addr == LDS_LO ? &g->group->lds : &g->memory)->base + addr;
}

static void fill_memory(void)
{
    for (int i = 0; i < 4; i++) {
        ref.window[i] = (RefWindow){window_lo[i], window_size[i], mem_alloc(window_size[i])};
        assert_non_null(ref.window[i].bytes);
        for (u32 k = 0; k < window_size[i]; k++)
            ref.window[i].bytes[k] = (u8)rnd();
        for (int k = 0; k < nguests; k++)
            memcpy(guest_bytes(&guests[k], window_lo[i]), ref.window[i].bytes, window_size[i]);
    }
}

static int set_up(void **state)
{
    static const char *const levels[] = {"base", "avx2", "avx512"};
    IsaDecoder *d = mem_alloc(sizeof *d);
    u32 addr = FIRST_SLOT;
    (void)state;
    assert_non_null(d);
    isa_decoder_init(d, V202 | TIDX);
    for (size_t i = 0; i < countof(levels); i++)
        if (host_has(levels[i]))
            open_guest(levels[i]);
    fill_memory();
    for (int id = 0; id < NINSN; id++) {
        row_of[id] = is_tested(id) ? ref_find(isa_insn[id].text) : NULL;
        for (u32 v = 0; row_of[id] && v < VARIANTS; v++) {
            const Slot s = make_slot(d, id, v, addr);
            slots[id][v] = s;
            if (s.prefix)
                put_word(addr, s.prefix), addr += 4;
            put_word(addr, s.word), addr += 4;
            /* a prefix is alone before another one */
            if (row_of[id]->shape == W_PREFIX)
                put_word(addr, 0x0000200b), addr += 4;
            if (id == I_join && !s.prefix)
                join_pc = s.addr;
        }
    }
    assert_true(addr < CODE_LO + CODE_SIZE);
    mem_free(d);
    for (u32 n = 0; n < 256; n++) {
        changed[n] = true;
        for (u32 i = 0; i < 32; i++)
            ref.v[n][i] = rnd();
    }
    for (u32 n = 1; n < 64; n++)
        ref.x[n] = rnd();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        mem_free(ref.window[i].bytes);
    for (int k = 0; k < nguests; k++) {
        Guest *g = &guests[k];
        mem_free(g->warp->simt);
        mem_free(g->group->lds_dirty.page);
        memory_close(&g->group->lds);
        code_free(g->code);
        memory_close(&g->memory);
        free(g->warp);
        mem_free(g->group);
    }
    return 0;
}

/* --- values --- */

static const u32 ints[] = {
    0, 1, 2, 3, 5, 31, 32, 33, 63, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff,
    0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0xfffffffb, 0x55555555, 0xaaaaaaaa,
};

/* the first 20 go in triples */
static const u32 floats[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
    0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f800001,
    0x3f7fffff, 0x33800000, 0x34000000, 0xc0400000,
    /* NaNs; ties of conversions; ends of integer ranges; around the least normal number */
    0xffc00000, 0xffa5a5a5, 0x7fffffff, 0xff800001, 0x3f000000, 0x3fc00000, 0x40200000, 0xbf000000,
    0x3effffff, 0x3f000001, 0x4b000001, 0x4b800001, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001,
    0x4f7fffff, 0x4f800000, 0x5f000000, 0x5f800000, 0x00ffffff, 0x80000002, 0x1f800000, 0x20000000,
    0x5e7fffff, 0x3eaaaaab, 0x00200000, 0x003fffff, 0x00400000, 0x7e800000, 0x7f000000,
    0x00800001, 0x3f7ffffe, /* their product becomes the least normal number, and is less before it is rounded */
};
enum { TRIPLES = 20 };

/* which values a row likes */
static bool likes_floats(const RefRow *r)
{
    if (!strncmp(r->name, "vfcvt.f.", 8) || !strncmp(r->name, "vfwcvt.f.x", 10) ||
        !strncmp(r->name, "fcvt.s.", 7))
        return false;
    return r->name[0] == 'f' || !strncmp(r->name, "vf", 2) || !strncmp(r->name, "vmf", 3);
}

static u32 random_float(void)
{
    switch (below(4)) {
    case 0: return floats[below(countof(floats))];
    case 1: return (rnd() & 0x80000003) | (120 + below(16)) << 23 | (rnd() & 0x700000); /* short */
    case 2: return (rnd() & 0x807fffff) | (115 + below(24)) << 23;
    default: return rnd();
    }
}

static u32 random_value(bool is_float)
{
    return is_float ? random_float() : once_in(2) ? ints[below(countof(ints))] : rnd() >> below(32);
}

/* a pair: of integers of any size, or a double on and around what a float can hold */
static u64 random_pair(bool is_float)
{
    const u64 r = (u64)rnd() << 32 | rnd();
    if (!is_float || once_in(4))
        return once_in(2) ? r >> below(64) : (u64)((i64)r >> below(64));
    const u32 bits = random_float();
    float f;
    memcpy(&f, &bits, sizeof f);
    const double d = once_in(3) ? ((double)f + (double)nextafterf(f, 0)) / 2 : (double)f;
    u64 b;
    memcpy(&b, &d, sizeof b);
    return b + below(3) - 1;
}

static void set_lane(u32 n, u32 lane, u32 value)
{
    ref.v[n & 255][lane] = value;
    changed[n & 255] = true;
}

static void set_x(u32 n, u32 value)
{
    if (n & 63)
        ref.x[n & 63] = value;
}

/* --- states that suit an instruction --- */

/* register numbers of a slot, extended */
typedef struct { u32 rd, rs1, rs2, rs3, vs3; } Numbers;

static Numbers numbers(const Slot *s)
{
    const u32 p = s->prefix >> 20, w = s->word;
    const bool imm = s->prefix && field(s->prefix, 12) % 8 == 3;
    const u32 x1 = imm ? 0 : p >> 3 & 7, x2 = imm ? p >> 3 & 7 : p >> 6 & 7,
              x3 = imm ? 0 : p >> 9 & 7;
    const u32 xd = p & 7;
    return (Numbers){xd * 32 + field(w, 7), x1 * 32 + field(w, 15), x2 * 32 + field(w, 20),
                     x3 * 32 + (w >> 27), (x3 ? x3 : xd) * 32 + field(w, 7)};
}

static void random_warp(const RefRow *row, u32 lanes)
{
    const u32 full = lanes == 32 ? UINT32_MAX : (1u << lanes) - 1;
    ref.lanes = lanes;
    ref.mask = once_in(3) ? full : rnd() & (once_in(4) ? rnd() : UINT32_MAX) & full;
    ref.vl = once_in(3) ? below(lanes + 1) : lanes;
    ref.vtype = 0x10 | below(4) << 6;
    ref.initial = full;
    ref.frm = once_in(3) ? 0 : once_in(16) ? 5 + below(3) : below(5);
    ref.vxrm = below(4);
    ref.vxsat = once_in(4);
    ref.fflags = once_in(4) ? below(32) : 0;
    ref.vm = (VmRule)below(4);
    ref.state = WARP_READY;
    if (row->shape == V_TTA && !once_in(8))
        ref.mask = full, ref.vl = lanes;
}

static void random_dispatch(u32 lanes)
{
    ref.warp = below(WARPS);
    ref.warps = WARPS;
    ref.pds = PDS_BASE;
    ref.knl = rnd();
    ref.linear = rnd();
    for (u32 k = 0; k < 3; k++) {
        ref.group[k] = below(10);
        ref.offset[k] = below(100);
    }
    ref.local[0] = lanes / 2, ref.local[1] = 3, ref.local[2] = 2; /* three warps exactly */
    for (u32 k = 0; k < 3; k++)
        ref.global[k] = ref.local[k] * 10;
    ref.rpc = join_pc;
    ref.print = rnd();
}

/* some stack, its top meeting a join at pc or not */
static void random_stack(u32 pc, u32 full)
{
    ref.nstack = below(6);
    for (u32 i = 0; i < ref.nstack; i++)
        ref.stack[i] =
            (SimtEntry){once_in(3) ? join_pc : pc, FIRST_SLOT + 4 * below(2000), rnd() & full};
}

/* Where lanes go: in a row, at random, all at one place. */
static u32 place(u32 lane, u32 base, u32 mode, u32 align)
{
    switch (mode) {
    case 0: return base + 4 * lane;
    case 1: return base;
    case 2: return base + (below(256) & ~(align - 1));
    default: return base + (below(HEAP_SIZE / 4) & ~(align - 1));
    }
}

static u32 some_base(u32 align)
{
    const u32 offset = below(HEAP_SIZE / 4) & ~(align - 1);
    return once_in(3) ? LDS_LO + offset % (LDS_SIZE / 4) : HEAP + offset;
}

/* Addresses for the lanes that act; the others point nowhere. */
static void set_addresses(u32 reg, u32 offset, u32 exec)
{
    const u32 align = once_in(2) ? 1 : 4, base = some_base(align), mode = below(4);
    const bool in_lds = base < LDS_END;
    for (u32 i = 0; i < 32; i++)
        set_lane(reg, i,
                 exec >> i & 1 ? place(i, base, in_lds ? mode % 3 : mode, align) - offset : rnd());
}

static void set_private(u32 reg, u32 offset)
{
    const u32 align = once_in(2) ? 1 : 4, start = below(40) & ~(align - 1);
    for (u32 i = 0; i < 32; i++)
        set_lane(reg, i, (start + (below(24) & ~(align - 1))) - 16 - offset);
}

static void set_words(u32 reg)
{
    const u32 base = once_in(2) ? HEAP : LDS_LO;
    for (u32 i = 0; i < 32; i++)
        set_lane(reg, i, base + 4 * below(6));
}

static void set_indexes(const RefRow *row, const Numbers *n, u32 exec)
{
    const u32 keep = row->width == 1 ? 0xff : row->width == 2 ? 0xffff : UINT32_MAX;
    const u32 base = n->rs1 ? some_base(1) : 0, far = n->rs1 && row->width == 4 ? below(64) : 0;
    set_x(n->rs1, base + far);
    for (u32 i = 0; i < 32; i++) {
        const u32 small = below(row->width == 1 ? 256 : 1000);
        set_lane(n->rs2, i, exec >> i & 1 ? (rnd() & ~keep) | ((small - far) & keep) : rnd());
    }
}

static void set_stride(const Numbers *n)
{
    if (n->rs1 == n->rs2) {
        set_x(n->rs1, below(64));
        return;
    }
    const u32 stride = once_in(4) ? 4 : n->rs1 ? below(128) - 64 : below(64);
    set_x(n->rs1, some_base(1) + 64 * 32);
    set_x(n->rs2, stride);
}

static u32 sext(u32 v, u32 bits) { return (u32)((i32)(v << (32 - bits)) >> (32 - bits)); }
static u32 store_imm(u32 w) { return sext((w >> 25) << 5 | field(w, 7), 12); }

/* operands of arithmetic; nth counts through the combinations of special values */
static void set_operands(const RefRow *row, const Slot *s, u64 nth, bool crossing)
{
    const Numbers n = numbers(s);
    const bool f = likes_floats(row), pairs = row->shape == V_FNARROW || row->shape == V_NARROWV ||
                                              row->shape == V_NARROWX || row->shape == V_NARROWI;
    const bool three =
        !strncmp(row->name, "vfm", 3) || !strncmp(row->name, "vfnm", 4) || row->shape == X_F3;
    const u32 *values = f ? floats : ints;
    const u64 count = !f ? countof(ints) : three ? TRIPLES : countof(floats);
    const bool scalar = row->shape < V_VV;
    for (u32 i = 0; i < (scalar ? 1 : 32); i++) {
        const u64 k = nth * (scalar ? 1 : ref.lanes) + i;
        const u32 a = crossing ? values[k % count] : random_value(f);
        const u32 b = crossing ? values[k / count % count] : random_value(f);
        const u32 c = crossing ? values[k / count / count % count] : random_value(f);
        if (scalar) {
            set_x(n.rs3, c), set_x(n.rs2, b), set_x(n.rs1, a);
            continue;
        }
        if (row->shape == V_VX || row->shape == V_CPX || row->shape == V_MERGEX ||
            row->shape == V_NARROWX)
            set_x(n.rs1, i ? ref.x[n.rs1 & 63] : b);
        set_lane(n.rd, i, c);
        set_lane(n.rs1, i, b);
        set_lane(n.rs2, i, a);
        if (pairs && !(n.rs2 & 1)) {
            const u64 v = random_pair(f && strncmp(row->name, "vfncvt.f.x", 10));
            set_lane(n.rs2, i, (u32)v);
            set_lane(n.rs2 + 1, i, (u32)(v >> 32));
        }
    }
}

static void prepare(const RefRow *row, const Slot *s, u32 lanes, u64 nth, bool crossing)
{
    const Numbers n = numbers(s);
    random_warp(row, lanes);
    random_dispatch(lanes);
    ref.pc = s->addr;
    if (crossing) {
        ref.mask = ref.initial, ref.vl = lanes;
        ref.frm = (u32)(nth % 5), ref.vxrm = (u32)(nth % 4);
        ref.fflags = ref.vxsat = 0;
    }
    if (once_in(2))
        memset(ref.reserved, 0, sizeof ref.reserved);
    const u32 exec = ref_exec(&ref, true);
    const u32 sure = s->word >> 25 & 1 ? exec : ref.initial; /* v0 may be the index */
    switch (row->shape) {
    case X_LOAD: set_x(n.rs1, some_base(1) - sext(s->word >> 20, 12)); break;
    case X_STORE:
        set_x(n.rs2, rnd());
        set_x(n.rs1, some_base(1) - store_imm(s->word));
        break;
    case X_JALR:
        set_x(n.rs1, FIRST_SLOT + 4 * below(2000) + below(2) - sext(s->word >> 20, 12));
        break;
    case X_VSETVL:
        set_x(n.rs1, once_in(2) ? below(40) : rnd());
        set_x(n.rs2, once_in(8) ? rnd() & 0xff : 0x10 | below(4) << 6);
        break;
    case X_VSETVLI: set_x(n.rs1, once_in(2) ? below(40) : rnd()); break;
    case X_CSR: set_x(n.rs1, rnd()); break;
    case L_12: set_addresses(n.rs1, sext(s->word >> 20, 12), exec); break;
    case S_12: set_addresses(n.rs1, store_imm(s->word), exec); break;
    case L_PRIVATE: set_private(n.rs1, sext(s->word >> 20 & 0x7ff, 11)); break;
    case S_PRIVATE:
        set_private(n.rs1, sext((s->word >> 25 & 63) << 5 | field(s->word, 7), 11));
        break;
    case A_AMO:
    case A_LR:
    case A_SC: set_words(n.rs1); break;
    case L_UNIT:
    case S_UNIT: set_x(n.rs1, some_base(1)); break;
    case L_STRIDE:
    case S_STRIDE: set_stride(&n); break;
    case L_INDEX:
    case S_INDEX: set_indexes(row, &n, sure); break;
    case W_JOIN: random_stack(s->addr + (s->prefix ? 4 : 0), ref.initial); break;
    case W_BRANCH: random_stack(join_pc, ref.initial); set_operands(row, s, nth, crossing); break;
    case W_END:
    case W_BARRIER: ref.mask = ref.initial; break;
    default: set_operands(row, s, nth, crossing); break;
    }
}

/* --- one step, compared --- */

static void load_warp(Guest *g)
{
    Warp *w = g->warp;
    for (u32 n = 0; n < 256; n++)
        if (changed[n] || w->group->launch->lanes != ref.lanes)
            memcpy(w->v[n], ref.v[n], sizeof w->v[n]);
    memcpy(w->x, ref.x, sizeof w->x);
    memcpy(w->simt, ref.stack, sizeof ref.stack);
    w->nsimt = ref.nstack;
    w->mask = ref.mask, w->vl = ref.vl, w->vtype = ref.vtype, w->initial = ref.initial;
    w->full = ref.lanes == 32 ? UINT32_MAX : (1u << ref.lanes) - 1;
    w->state = WARP_READY;
    w->fflags = (u8)ref.fflags, w->frm = (u8)ref.frm, w->vxrm = (u8)ref.vxrm,
    w->vxsat = (u8)ref.vxsat;
    w->pc = ref.pc, w->rpc = ref.rpc, w->id = ref.warp, w->tid = ref.warp * ref.lanes;
    w->print = ref.print;
    w->mstatus = ref.mstatus, w->mie = ref.mie, w->mip = ref.mip, w->mscratch = ref.mscratch;
    w->mepc = ref.mepc, w->mcause = ref.mcause, w->mtval = ref.mtval;
    w->reserved = 0;
    for (u32 i = 0; i < 32; i++)
        w->reserved |= (u32)ref.reserved[i] << i;
    g->group->reservations = w->reserved != 0;
    g->group->linear = ref.linear;
    memcpy(g->group->id, ref.group, sizeof ref.group);
    g->group->pds_base = ref.pds;
    warp_set_exec(w);
}

static void load_launch(Guest *g)
{
    g->launch = (Launch){
        .set = V202 | TIDX, .pc = CODE_LO, .knl = ref.knl, .groups = {10, 10, 10}, .warps = WARPS,
        .lanes = ref.lanes, .vgprs = 256, .pds = ref.pds, .vm = ref.vm, .simt_depth = DEPTH,
        .memory = &g->memory,
    };
    memcpy(g->launch.local, ref.local, sizeof g->launch.local);
    memcpy(g->launch.global, ref.global, sizeof g->launch.global);
    memcpy(g->launch.offset, ref.offset, sizeof g->launch.offset);
}

/* the guest's pc after one step, or 0 after a fault */
static u32 step_guest(Guest *g, u32 pc)
{
    Warp *w = g->warp;
    fesetenv(FE_DFL_ENV);
    w->fflags &= (u8)~raise_in_host(w->fflags & below(32)); /* as by an instruction before */
    const Uop *u = code_at(g->code, w, pc);
    const Uop *after = u ? u->run(w, u) : NULL;
    take_host_flags(w);
    assert_int_equal(fegetround(), FE_TONEAREST);
    fesetenv(FE_DFL_ENV);
    return after ? after->pc : g->group->faulted ? 0 : w->pc;
}

/* what a message shows of the state before the step */
typedef struct { u32 x[3], vs2[32], vs1[32], vd[32]; } Sources;

static Sources sources(const Slot *s)
{
    const Numbers n = numbers(s);
    Sources r = {.x = {ref.x[n.rs1 & 63], ref.x[n.rs2 & 63], ref.x[n.rs3 & 63]}};
    memcpy(r.vs2, ref.v[n.rs2], sizeof r.vs2);
    memcpy(r.vs1, ref.v[n.rs1], sizeof r.vs1);
    memcpy(r.vd, ref.v[n.rd], sizeof r.vd);
    return r;
}

static void differ(const Guest *g, int id, const Slot *s, const char *what, u32 want, u32 got)
{
    const Numbers n = numbers(s);
    fail_msg("%s (%08x behind %08x) at %s, %u lanes, mask %08x vl %u frm %u vxrm %u vm rule %d: %s "
             "is %08x, "
             "expected %08x (fields: %u %u %u %u)",
             isa_insn[id].text, s->word, s->prefix, g->level, ref.lanes, ref.mask, ref.vl, ref.frm,
             ref.vxrm, (int)ref.vm, what, got, want, n.rd, n.rs1, n.rs2, n.rs3);
}

#define SAME(what, want, got)                                                                      \
    ((u32)(want) == (u32)(got) ? (void)0 : differ(g, id, s, what, (u32)(want), (u32)(got)))

/* what lies beyond the machine's lanes is nobody's */
static void compare_row(const Guest *g, int id, const Slot *s, u32 r, const Sources *before)
{
    char text[128];
    for (u32 i = 0; i < ref.lanes; i++)
        if (g->warp->v[r][i] != ref.v[r][i]) {
            snprintf(text, sizeof text, "v%u[%u] (sources %08x %08x %08x, x %08x)", r, i,
                     before->vs2[i], before->vs1[i], before->vd[i], before->x[0]);
            differ(g, id, s, text, ref.v[r][i], g->warp->v[r][i]);
        }
}

/* the destination each time, all registers now and then */
static void compare_rows(const Guest *g, int id, const Slot *s, const Sources *before)
{
    const Numbers n = numbers(s);
    static u32 times;
    compare_row(g, id, s, n.rd, before);
    compare_row(g, id, s, (n.rd + 1) & 255, before);
    for (u32 r = 0; times % 16 == 0 && r < 256; r++)
        compare_row(g, id, s, r, before);
    times += g == &guests[0];
}

static void compare_memory(const Guest *g, int id, const Slot *s)
{
    char text[64];
    for (int i = 0; i < 4; i++) {
        const RefWindow *w = &ref.window[i];
        const u8 *bytes = guest_bytes(g, w->lo);
        if (!memcmp(bytes, w->bytes, w->size))
            continue;
        for (u32 k = 0; k < w->size; k++)
            if (bytes[k] != w->bytes[k]) {
                snprintf(text, sizeof text, "byte at %08x", w->lo + k);
                differ(g, id, s, text, w->bytes[k], bytes[k]);
            }
    }
}

static void compare(const Guest *g, int id, const Slot *s, u32 pc, const Sources *before)
{
    const Warp *w = g->warp;
    const RefShape shape = row_of[id]->shape;
    char text[64];
    SAME("fault", ref.fault, g->group->faulted ? g->group->fault.kind : FAULT_NONE);
    if (ref.fault != FAULT_NONE) {
        SAME("pc of the fault", s->addr + (s->prefix ? 4 : 0), g->group->fault.pc);
        SAME("where it goes on", 0, pc);
    } else
        SAME("pc", ref.pc, pc);
    for (u32 n = 0; n < 64; n++) {
        if (ref.x[n] == w->x[n])
            continue;
        snprintf(text, sizeof text, "x%u (sources %08x %08x %08x)", n, before->x[0], before->x[1],
                 before->x[2]);
        SAME(text, ref.x[n], w->x[n]);
    }
    if (shape >= V_VV)
        compare_rows(g, id, s, before);
    SAME("fflags", ref.fflags, w->fflags);
    SAME("frm", ref.frm, w->frm);
    SAME("vxrm", ref.vxrm, w->vxrm);
    SAME("vxsat", ref.vxsat, w->vxsat);
    SAME("vl", ref.vl, w->vl);
    SAME("vtype", ref.vtype, w->vtype);
    SAME("mask", ref.mask, w->mask);
    SAME("lanes on", ref_exec(&ref, true), w->exec);
    SAME("rpc", ref.rpc, w->rpc);
    SAME("state", ref.state, w->state);
    SAME("print", ref.print, w->print);
    SAME("mstatus", ref.mstatus, w->mstatus);
    SAME("mscratch", ref.mscratch, w->mscratch);
    SAME("mepc", ref.mepc, w->mepc);
    SAME("mcause", ref.mcause, w->mcause);
    SAME("mtval", ref.mtval, w->mtval);
    SAME("mie", ref.mie, w->mie);
    SAME("mip", ref.mip, w->mip);
    SAME("stack depth", ref.nstack, w->nsimt);
    SAME("stack", 0, memcmp(ref.stack, w->simt, ref.nstack * sizeof *ref.stack) != 0);
    for (u32 i = 0; i < 32; i++)
        SAME("reservation", ref.reserved[i], w->reserved >> i & 1);
    SAME("warps with reservations", w->reserved != 0, g->group->reservations);
    if ((shape >= L_UNIT && shape <= A_SC) || shape == X_STORE)
        compare_memory(g, id, s);
}

/* Estimated elements may be two units off; the model then takes over the first
 * guest's, so that the others must agree with that one. */
static void accept_estimates(const Guest *g, int id, const Slot *s)
{
    const u32 n = (u32)ref.approximate;
    for (u32 i = 0; i < 32; i++) {
        const i64 off = (i64)g->warp->v[n][i] - ref.v[n][i];
        if (off > 2 || off < -2)
            differ(g, id, s, "estimate", ref.v[n][i], g->warp->v[n][i]);
        ref.v[n][i] = g->warp->v[n][i];
    }
}

static void step(int id, const Slot *s)
{
    const Sources before = sources(s);
    const RefRow *row = row_of[id];
    u32 pcs[countof(guests)];
    for (int k = 0; k < nguests; k++) {
        guests[k].group->faulted = false;
        load_warp(&guests[k]);
        load_launch(&guests[k]);
        for (u32 i = 0; i < 32; i++) {
            guests[k].warp->reserved_addr[i] = ref.reserved_addr[i];
            guests[k].warp->reserved_value[i] = ref.reserved_value[i];
        }
        pcs[k] = step_guest(&guests[k], s->addr);
    }
    memset(changed, 0, sizeof changed);
    ref_step(&ref, row, s->prefix, s->word);
    if (ref.fault == FAULT_NONE && ref.approximate >= 0)
        accept_estimates(&guests[0], id, s);
    for (int k = 0; k < nguests; k++)
        compare(&guests[k], id, s, pcs[k], &before);
    if (ref.fault == FAULT_NONE) {
        executed[id][ref.lanes]++;
        if (s->prefix)
            executed[(s->prefix >> 12 & 7) == 3 ? I_regexti : I_regext][ref.lanes]++;
    }
}

/* --- tests --- */

static const u32 lane_counts[] = {4, 8, 16, 32};

static void every_row_has_a_model(void **state)
{
    (void)state;
    for (int id = 0; id < NINSN; id++)
        if (is_tested(id) && !row_of[id])
            fail_msg("%s: no reference", isa_insn[id].text);
}

/* random states, all variants */
static void random_operands(void **state)
{
    enum { ROUNDS = 8 };
    (void)state;
    for (size_t l = 0; l < countof(lane_counts); l++)
        for (int id = 0; id < NINSN; id++)
            for (u32 k = 0; row_of[id] && k < ROUNDS * VARIANTS; k++) {
                const Slot *s = &slots[id][k % VARIANTS];
                prepare(row_of[id], s, lane_counts[l], k, false);
                step(id, s);
            }
}

/* how many steps go through all combinations of special values, in every mode */
static u64 combinations(const RefRow *row, u32 lanes)
{
    const bool f = likes_floats(row), scalar = row->shape < V_VV;
    const bool three =
        !strncmp(row->name, "vfm", 3) || !strncmp(row->name, "vfnm", 4) || row->shape == X_F3;
    const u64 n = !f      ? countof(ints)
                  : three ? TRIPLES
                          : countof(floats),
              all = three ? n * n * n : n * n;
    return all / (scalar ? 1 : lanes) + 1;
}

static void special_operands(void **state)
{
    (void)state;
    for (int id = 0; id < NINSN; id++) {
        const RefRow *row = row_of[id];
        const Slot *s = &slots[id][0];
        if (!row || !row->fn || row->shape == X_CSR || row->shape == X_CSRI || row->shape == A_AMO)
            continue;
        const u64 n = combinations(row, 32);
        const u32 modes = row->is_float                                         ? 5
                          : !strncmp(row->name, "vs", 2) || row->name[1] == 'a' ? 4
                                                                                : 1;
        for (u64 k = 0; k < n; k++)
            for (u32 mode = 0; mode < modes; mode++) {
                prepare(row, s, 32, k, true);
                ref.frm = mode, ref.vxrm = mode % 4;
                step(id, s);
            }
    }
}

/* scalar forms whose rounding mode is in the word */
static void rounding_modes_in_words(void **state)
{
    (void)state;
    for (int id = 0; id < NINSN; id++)
        for (u32 v = 0;
             row_of[id] && row_of[id]->shape >= X_F1 && row_of[id]->shape <= X_F3 && v < VARIANTS;
             v++)
            for (u32 k = 0; k < 300; k++) {
                prepare(row_of[id], &slots[id][v], 8, k * 37 + v, once_in(2));
                step(id, &slots[id][v]);
            }
}

/* reservations through all kinds of stores */
static void reservations(void **state)
{
    static const int some[] = {I_lr_w,     I_sc_w,    I_lr_w, I_sc_w,
                               I_amoadd_w, I_vsw12_v, I_sb,   I_vsb12_v};
    (void)state;
    for (u32 k = 0; k < 20000; k++) {
        const int id = some[below(countof(some))];
        const Slot *s = &slots[id][below(VARIANTS)];
        const Numbers n = numbers(s);
        bool held[32];
        memcpy(held, ref.reserved, sizeof held);
        prepare(row_of[id], s, lane_counts[k / 5000], k, false);
        memcpy(ref.reserved, held, sizeof held);
        if (row_of[id]->shape == X_STORE) {
            set_x(n.rs1, HEAP + below(24) - store_imm(s->word));
        } else if (row_of[id]->shape == S_12) {
            for (u32 i = 0; i < 32; i++)
                set_lane(n.rs1, i, HEAP + below(24) - store_imm(s->word));
        } else {
            for (u32 i = 0; i < 32; i++)
                set_lane(n.rs1, i, HEAP + 4 * below(6));
        }
        if (n.rs1 > 63 && row_of[id]->shape == X_STORE)
            continue;
        step(id, s);
    }
}

/* vfexp within two units of the true value, over its range */
static void exponentials(void **state)
{
    (void)state;
    const Slot *s = &slots[I_vfexp][0];
    const Numbers n = numbers(s);
    for (u32 k = 0; k < 3000; k++) {
        prepare(row_of[I_vfexp], s, 32, k, true);
        for (u32 i = 0; i < 32; i++) {
            const float f = ((float)rnd() / 4294967296.0f - 0.5f) * (once_in(2) ? 220.0f : 4.0f);
            u32 bits;
            memcpy(&bits, &f, sizeof bits);
            set_lane(n.rs2, i, bits);
        }
        step(I_vfexp, s);
    }
}

static void no_meaning_is_a_fault(void **state)
{
    (void)state;
    for (int id = 0; id < NINSN; id++) {
        if (!(isa_insn[id].sets & V202) || isa_insn[id].effect != E_TRAP)
            continue;
        Guest *g = &guests[0];
        const u32 pc = CODE_LO + PAGE_SIZE;
        code_forget(g->code, pc, 4);
        memcpy(g->memory.base + pc, &isa_insn[id].match, 4);
        g->group->faulted = false;
        assert_int_equal(step_guest(g, pc), 0);
        assert_int_equal(g->group->fault.kind, FAULT_ILLEGAL);
        assert_int_equal(g->group->fault.pc, pc);
        g->group->faulted = false;
    }
}

static void every_row_was_executed(void **state)
{
    u32 rows = 0;
    u64 steps = 0;
    (void)state;
    for (int id = 0; id < NINSN; id++) {
        if (!is_tested(id))
            continue;
        rows++;
        for (size_t l = 0; l < countof(lane_counts); l++) {
            steps += executed[id][lane_counts[l]];
            if (!executed[id][lane_counts[l]])
                fail_msg("%s was not executed on %u lanes", isa_insn[id].text, lane_counts[l]);
        }
    }
    print_message("%u rows on 4 lane counts and %d host levels, %llu steps compared\n", rows,
                  nguests, (unsigned long long)steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_model),  cmocka_unit_test(random_operands),
        cmocka_unit_test(special_operands),       cmocka_unit_test(rounding_modes_in_words),
        cmocka_unit_test(reservations),           cmocka_unit_test(exponentials),
        cmocka_unit_test(no_meaning_is_a_fault),  cmocka_unit_test(every_row_was_executed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
