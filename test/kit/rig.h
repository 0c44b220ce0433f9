/* rig.h -- a warp set up by hand, for the tests of execution.
 *
 * A test emits words, fills registers and memory, runs, and compares everything the
 * warp and the memory hold with `want`, a copy of the state before the run that the
 * test's own reference changed.  References are plain C written from doc/isa.md;
 * they share nothing with src/sim, src/isa/op.def and src/isa/fp.c.
 */
#ifndef CHECK_RIG_H
#define CHECK_RIG_H
#include "base/mem.h"
#include "sim/handlers.h"
#include "test/kit/hostflags.h"
#include "test/kit/random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fenv.h>
#include <cmocka.h>

#define HELPER __attribute__((unused)) static

/* --- random values ---------------------------------------------------------------- */

/* integers and floats, the corners often */
HELPER u32 random_word(void)
{
    static const u32 corner[] = {
        0,          1,          2,          31,         32,         33,         0x7f,
        0x80,       0xff,       0x7fff,     0x8000,     0xffff,     0x7fffffff, 0x80000000,
        0x80000001, 0xffffffff, 0xfffffffe, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
        0x7fc00000, 0x7f800001, 0xffc12345, 0x007fffff, 0x00800000, 0x7f7fffff, 0x3f000000,
        0x00000001, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0x3c003c00, 0x7c00fc00,
    };
    const u32 r = (u32)(random_bits() >> 16);
    switch (below(4)) {
    case 0:
        return corner[below(countof(corner))];
    case 1:
        return (r & 0x807fffff) | (110 + below(40)) << 23; /* a float of moderate size */
    case 2:
        return (u32)((i32)r >> below(32));
    default:
        return r;
    }
}

/* --- the machine ------------------------------------------------------------------- */

enum { WINDOWS = 4, WINDOW = 16384, RIG_WARPS = 4, PROGRAM = 64 };

/* where data may lie: heap, above 4 GiB, local, private */
static const u64 window_at[WINDOWS] = {0x90010000, 0x2c0010000, LDS_LO, 0xa0000000};
#define HEAP 0x90010000u
#define HIGH 0x2c0010000u /* above 4 GiB: a u64 */
#define PDS  0xa0000000u
enum { PDS_LANE = 64, LDS_BASE = LDS_LO + 0x400 };

static struct {
    Memory memory;
    Code *code;
    Launch launch;
    Group group;
    _Alignas(64) Warp warps[RIG_WARPS];
    _Alignas(64) Warp want;
    u8 want_memory[WINDOWS][WINDOW];
    u32 program[PROGRAM]; /* words of the program */
    u32 nwords;
    u64 executed[NINSN];
    u64 runs;
    u8 raised; /* FP_*, by the host for what ran before the next run */
} rig;

static Warp *const W = &rig.warps[0];
static Warp *const want = &rig.want;

HELPER void rig_lanes(u32 lanes)
{
    rig.launch.lanes = lanes;
    for (u32 k = 0; k < RIG_WARPS; k++) {
        Warp *w = &rig.warps[k];
        w->id = k;
        w->tid = k * lanes;
        w->full = lanes == 32 ? UINT32_MAX : (1u << lanes) - 1;
        w->mask = w->initial = w->full;
        w->vl = lanes;
        w->vtype = 2 << 3;
        w->group = &rig.group;
        warp_set_exec(w);
    }
}

HELPER void rig_open(IsaSet set)
{
    Group *g = &rig.group;
    if (!memory_open(&rig.memory, 0, (u64)1 << 39) || !memory_open(&g->lds, LDS_LO, LDS_END))
        fail_msg("no memory");
    memory_map(&rig.memory, CODE_LO, 2 * PAGE_SIZE, MEM_R | MEM_X);
    for (int i = 0; i < WINDOWS; i++)
        if (i != 2)
            memory_map(&rig.memory, window_at[i], WINDOW, MEM_R | MEM_W);
    memory_map(&g->lds, LDS_LO, WINDOW, MEM_R | MEM_TRACKED);
    rig.launch = (Launch){.set = set,
                          .warps = RIG_WARPS,
                          .groups = {1, 1, 1},
                          .vgprs = 256,
                          .pds = PDS,
                          .pds_lane = PDS_LANE,
                          .memory = &rig.memory};
    g->launch = &rig.launch;
    g->lds_base = LDS_BASE;
    g->pds_base = PDS;
    g->nwarps = RIG_WARPS;
    g->warps = rig.warps;
    rig.code = code_new(set, &rig.memory, lane_level());
    if (!rig.code)
        fail_msg("no memory");
    g->code = rig.code;
    rig_lanes(32);
}

HELPER void rig_close(void)
{
    code_free(rig.code);
    memory_close(&rig.group.lds);
    memory_close(&rig.memory);
    mem_free(rig.group.lds_dirty.page);
    mem_free(rig.group.pending);
    rig.group = (Group){.launch = NULL};
}

/* --- programs ------------------------------------------------------------------------ */

HELPER void start(void)
{
    code_forget(rig.code, CODE_LO, 2 * PAGE_SIZE);
    memset(rig.memory.base + CODE_LO, 0, rig.nwords * 4);
    rig.nwords = 0;
}

HELPER void put_word(u32 word)
{
    assert_true(rig.nwords < PROGRAM);
    memcpy(rig.memory.base + CODE_LO + 4 * (u64)rig.nwords, &word, 4);
    rig.program[rig.nwords++] = word;
}

HELPER void put_long(u64 word)
{
    put_word((u32)word);
    put_word((u32)(word >> 32));
}

enum { END = -1 };

/* The word of an instruction from pairs (OperandId, value), up to END; what is not
 * named is 0, but vm is 1 and a rounding mode dynamic. */
HELPER u64 word_of(InsnId id, va_list args)
{
    Insn in = {.id = id};
    u64 word;
    int bad, i;
    const FormatInfo *f = isa_format_of(id);
    for (i = 0; i < f->nopd; i++)
        in.opd[i] = f->opd[i] == O_vm ? 1 : f->opd[i] == O_rm ? 7 : 0;
    for (int o; (o = va_arg(args, int)) != END;) {
        i = isa_find_operand(id, (OperandId)o);
        if (i < 0)
            fail_msg("%s has no operand %s", isa_insn[id].text, isa_operand[o].name);
        in.opd[i] = va_arg(args, int);
    }
    if (!isa_encode(&in, &word, &bad))
        fail_msg("%s: operand %d does not fit", isa_insn[id].text, bad);
    return word;
}

HELPER u64 encode(InsnId id, ...)
{
    va_list args;
    va_start(args, id);
    const u64 word = word_of(id, args);
    va_end(args);
    return word;
}

HELPER void put(InsnId id, u64 word)
{
    if (isa_insn[id].len == 8)
        put_long(word);
    else
        put_word((u32)word);
    if (isa_is_prefix(id))
        rig.executed[id]++;
}

HELPER void emit(InsnId id, ...)
{
    va_list args;
    va_start(args, id);
    put(id, word_of(id, args));
    va_end(args);
}

/* --- state ------------------------------------------------------------------------------ */

HELPER u8 *host_window(int i)
{
    return (i == 2 ? rig.group.lds.base : rig.memory.base) + window_at[i];
}

/* 32 random words: a piece of a pool that changes slowly */
HELPER const u32 *random_row(void)
{
    static u32 pool[8192], made;
    for (; made < countof(pool); made++)
        pool[made] = random_word();
    pool[below(countof(pool))] = random_word();
    return &pool[below(countof(pool) - MAX_LANES)];
}

/* random registers and lanes; floats round to nearest and have no flags yet */
HELPER void fill(Warp *w, u32 mask)
{
    for (int n = 0; n < 256; n++)
        memcpy(w->v[n], random_row(), sizeof w->v[n]);
    for (int n = 1; n < 64; n++)
        w->x[n] = random_word();
    w->x[0] = 0;
    w->frm = w->fflags = w->vxrm = w->vxsat = 0;
    w->mask = mask & w->full;
    w->state = WARP_READY;
    w->reserved = 0;
    warp_set_exec(w);
}

HELPER u32 random_mask(void)
{
    const u32 r = (u32)random_bits();
    return one_in(3) ? UINT32_MAX : r;
}

HELPER void fill_memory(void)
{
    for (int i = 0; i < WINDOWS; i++)
        for (u32 k = 0; k < WINDOW; k += 128)
            memcpy(host_window(i) + k, random_row(), 128);
}

/* takes the state as it is for the expectation */
HELPER void expect_nothing(Warp *w) { memcpy(want, w, sizeof *want); }

HELPER void expect_no_store(void)
{
    for (int i = 0; i < WINDOWS; i++)
        memcpy(rig.want_memory[i], host_window(i), WINDOW);
}

/* Byte a of the expected memory; NULL: nothing is there. */
HELPER u8 *want_byte(u64 a)
{
    for (int i = 0; i < WINDOWS; i++)
        if (a - window_at[i] < WINDOW)
            return &rig.want_memory[i][a - window_at[i]];
    return NULL;
}

HELPER u32 want_load(u64 a, u32 width)
{
    u32 v = 0;
    for (u32 i = 0; i < width; i++)
        v |= (u32)*want_byte(a + i) << 8 * i;
    return v;
}

HELPER void want_store(u64 a, u32 width, u32 v)
{
    for (u32 i = 0; i < width; i++)
        *want_byte(a + i) = (u8)(v >> 8 * i);
}

/* --- running and comparing ---------------------------------------------------------------- */

HELPER const char *program_text(void)
{
    static Buf b;
    const IsaPrint how = {.raw = true};
    b.len = 0;
    for (u32 i = 0; i < rig.nwords; i++) {
        u64 word = rig.program[i];
        const int len = isa_length(rig.launch.set, (u32)word);
        if (len == 8)
            word |= (u64)rig.program[++i] << 32;
        buf_printf(&b, "\n    %0*llx  ", len * 2, (unsigned long long)word);
        isa_print_word(&b, &rig.code->decoder, word, len, &how);
    }
    return buf_text(&b);
}

/* Runs the program from its start to its end. */
HELPER FaultKind run(Warp *w)
{
    const u32 end = CODE_LO + 4 * rig.nwords;
    rig.group.faulted = false;
    group_note_accesses(&rig.group, false);
    rig.group.fault.kind = FAULT_NONE;
    feclearexcept(FE_ALL_EXCEPT);
    want->fflags |= raise_in_host(rig.raised);
    rig.raised = 0;
    const Uop *u = code_at(rig.code, w, CODE_LO);
    while (u && u->pc != end) {
        if (u->id < NINSN)
            rig.executed[u->id]++;
        u = u->run(w, u);
    }
    take_host_flags(w);
    if (fegetround() != FE_TONEAREST)
        fail_msg("the host rounds otherwise than before%s", program_text());
    if (rig.group.faulted && u)
        fail_msg("the warp goes on after its fault%s", program_text());
    rig.runs++;
    return rig.group.faulted ? rig.group.fault.kind : FAULT_NONE;
}

HELPER void same_registers(const Warp *w)
{
    for (u32 n = 0; n < 256; n++)
        for (u32 i = 0; i < MAX_LANES && memcmp(w->v[n], want->v[n], sizeof w->v[n]); i++)
            if (w->v[n][i] != want->v[n][i])
                fail_msg("v%u, lane %u: %08x, should be %08x (mask %08x, frm %u)%s", n, i,
                         w->v[n][i], want->v[n][i], want->exec, want->frm, program_text());
    for (u32 n = 0; n < 64; n++)
        if (w->x[n] != want->x[n])
            fail_msg("x%u: %08x, should be %08x%s", n, w->x[n], want->x[n], program_text());
    if (w->fflags != want->fflags)
        fail_msg("fflags %02x, should be %02x (frm %u)%s", w->fflags, want->fflags, want->frm,
                 program_text());
    if (w->vxsat != want->vxsat || w->vxrm != want->vxrm || w->frm != want->frm ||
        w->mask != want->mask || w->vl != want->vl || w->vtype != want->vtype ||
        w->rpc != want->rpc || w->exec != want->exec)
        fail_msg("a control register changed%s", program_text());
}

HELPER void same_memory(void)
{
    for (int i = 0; i < WINDOWS; i++)
        for (u32 k = 0; memcmp(rig.want_memory[i], host_window(i), WINDOW) && k < WINDOW; k++)
            if (rig.want_memory[i][k] != host_window(i)[k])
                fail_msg("byte %llx: %02x, should be %02x%s",
                         (unsigned long long)(window_at[i] + k), host_window(i)[k],
                         rig.want_memory[i][k], program_text());
}

/* runs, and compares the registers with `want`; no flag is lost that was raised before */
HELPER void run_and_compare(Warp *w)
{
    rig.raised = one_in(3) ? (u8)below(32) : 0;
    const FaultKind k = run(w);
    if (k)
        fail_msg("fault %s%s", fault_name(k), program_text());
    same_registers(w);
}

HELPER void must_fault(FaultKind kind)
{
    const FaultKind k = run(W);
    if (k != kind)
        fail_msg("fault %s, should be %s%s", fault_name(k), fault_name(kind), program_text());
}

/* refused, as no instruction or as one of another profile */
HELPER void must_be_refused(void)
{
    const FaultKind k = run(W);
    if (k != FAULT_ILLEGAL && k != FAULT_PROFILE)
        fail_msg("fault %s%s", fault_name(k), program_text());
}

/* --- completeness ---------------------------------------------------------------------------- */

/* Which test executes the rows of v2025 and ai: none may be forgotten. */
typedef enum {
    BY_PAIR_TEST,
    BY_MEMORY64_TEST,
    BY_WORD64_TEST,
    BY_MMA_TEST,
    BY_COPY_TEST,
    BY_AI_TEST
} Tester;

HELPER Tester tester(InsnId id)
{
    const Effect e = (Effect)isa_insn[id].effect;
    if (e == E_MMA || e == E_MMA64)
        return BY_MMA_TEST;
    if (e == E_DMA || e == E_DMA_BULK || e == E_DMA_TENSOR || e == E_DMA_WAIT)
        return BY_COPY_TEST;
    if (e == E_WORD64 || e == E_WORD64F)
        return BY_WORD64_TEST;
    if (!(isa_insn[id].sets & V2025))
        return BY_AI_TEST;
    return (e >= E_LOAD && e <= E_SC_PAIR) || e == E_PRE_M ? BY_MEMORY64_TEST : BY_PAIR_TEST;
}

HELPER void every_row_was_executed(Tester by)
{
    int rows = 0;
    for (int id = 0; id < NINSN; id++) {
        const InsnInfo *i = &isa_insn[id];
        if (i->sets & V202 || !(i->sets & (V2025 | AI)) || i->effect == E_TRAP ||
            tester((InsnId)id) != by)
            continue;
        rows++;
        if (!rig.executed[id])
            fail_msg("%s was not executed", i->text);
    }
    print_message("%d rows, %llu runs\n", rows, (unsigned long long)rig.runs);
}
#endif
