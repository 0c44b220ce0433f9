/* Whole launches: divergence against a model of the stack, barriers, local and
 * private memory, work-item ids, host threads, limits, faults, translation.
 * What single instructions compute is exec_test.c's.
 */
#include "dev/dev.h"
#include "test/kit/exec_ref.h"
#include "base/mem.h"
#include "sim/sim.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define DATA     0x90000000u
#define DATA_END 0x90100000u
#define PRIVATE  0x90200000u
enum { CODE_BYTES = 8 * PAGE_SIZE, PRIVATE_BYTES = 64 * PAGE_SIZE };

static u32 rnd(void)
{
    static u64 s = 0x9e3779b97f4a7c15;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return (u32)(s >> 16);
}
static u32 below(u32 n) { return rnd() % n; }

/* --- programs --- */

static u32 code[CODE_BYTES / 4];
static u32 ncode;

static u32 emit(u32 word)
{
    code[ncode] = word;
    return ncode++;
}

static u32 type_i(u32 op, u32 f3, u32 rd, u32 rs1, u32 imm)
{
    return imm << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}
static u32 type_s(u32 op, u32 f3, u32 rs1, u32 rs2, u32 imm)
{
    return (imm >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (imm & 31) << 7 | op;
}
static u32 type_b(u32 op, u32 f3, u32 rs1, u32 rs2, u32 to)
{
    return (to >> 12 & 1) << 31 | (to >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 |
           (to >> 1 & 15) << 8 | (to >> 11 & 1) << 7 | op;
}
static u32 type_v(u32 f6, u32 f3, u32 vd, u32 vs2, u32 s1)
{
    return f6 << 26 | 1u << 25 | vs2 << 20 | s1 << 15 | f3 << 12 | vd << 7 | 0x57;
}
enum { VVI = 0, VII = 3, VXI = 4, VVM = 2, VXM = 6 };

static u32 jal(u32 rd, u32 to)
{
    return (to >> 20 & 1) << 31 | (to >> 1 & 0x3ff) << 21 | (to >> 11 & 1) << 20 |
           (to >> 12 & 255) << 12 | rd << 7 | 0x6f;
}
static u32 jalr(u32 rd, u32 rs1, u32 imm) { return type_i(0x67, 0, rd, rs1, imm); }
static u32 addi(u32 rd, u32 rs1, u32 imm) { return type_i(0x13, 0, rd, rs1, imm); }
static u32 lw(u32 rd, u32 rs1, u32 imm) { return type_i(3, 2, rd, rs1, imm); }
static u32 sw(u32 rs2, u32 rs1, u32 imm) { return type_s(0x23, 2, rs1, rs2, imm); }
static u32 csrr(u32 rd, u32 csr) { return type_i(0x73, 2, rd, 0, csr); }
static u32 csrwi(u32 csr, u32 imm) { return type_i(0x73, 5, 0, imm, csr); }
static u32 csrrsv(u32 vd, u32 csr) { return csr << 20 | vd << 7 | 0x2072; }
static u32 mul(u32 rd, u32 rs1, u32 rs2)
{
    return 1u << 25 | rs2 << 20 | rs1 << 15 | rd << 7 | 0x33;
}
static u32 add(u32 rd, u32 rs1, u32 rs2) { return rs2 << 20 | rs1 << 15 | rd << 7 | 0x33; }
static u32 beq(u32 rs1, u32 rs2, u32 to) { return type_b(0x63, 0, rs1, rs2, to); }
static u32 bne(u32 rs1, u32 rs2, u32 to) { return type_b(0x63, 1, rs1, rs2, to); }
static u32 vid(u32 vd) { return 0x5208a057 | vd << 7; }
static u32 vmv_x(u32 vd, u32 rs1) { return type_v(0x17, VXI, vd, 0, rs1); }
static u32 vmv_i(u32 vd, u32 imm) { return type_v(0x17, VII, vd, 0, imm); }
static u32 vadd_vv(u32 vd, u32 vs2, u32 vs1) { return type_v(0, VVI, vd, vs2, vs1); }
static u32 vadd_vx(u32 vd, u32 vs2, u32 rs1) { return type_v(0, VXI, vd, vs2, rs1); }
static u32 vsll_vi(u32 vd, u32 vs2, u32 imm) { return type_v(0x25, VII, vd, vs2, imm); }
static u32 vand_vi(u32 vd, u32 vs2, u32 imm) { return type_v(9, VII, vd, vs2, imm); }
static u32 vmul_vx(u32 vd, u32 vs2, u32 rs1) { return type_v(0x25, VXM, vd, vs2, rs1); }
static u32 vlw12(u32 vd, u32 base, u32 imm) { return type_i(0x7b, 2, vd, base, imm); }
static u32 vsw12(u32 vs2, u32 base, u32 imm) { return type_s(0x7b, 6, base, vs2, imm); }
static u32 amoadd(u32 vd, u32 vs2, u32 base) { return type_i(0x2f, 2, vd, base, vs2); }
static u32 setrpc(u32 rd, u32 rs1, u32 imm) { return type_i(0x5b, 3, rd, rs1, imm); }
/* lanes where vs2 OP vs1 go to `to` */
enum { EQ = 0, NE = 1, LT = 4, GE = 5, LTU = 6, GEU = 7 };
static u32 vb(u32 cond, u32 vs2, u32 vs1, u32 to) { return type_b(0x5b, cond, vs1, vs2, to); }
#define JOIN    0x0000205bu
#define ENDPRG  0x0000400bu
#define BARRIER 0x0400c00bu

static void li(u32 rd, u32 value)
{
    emit(((value + 0x800) & 0xfffff000) | rd << 7 | 0x37);
    emit(addi(rd, rd, value));
}

/* auipc and setrpc of a place to come; the branch goes after them */
static u32 emit_setrpc(void)
{
    const u32 at = emit(6u << 7 | 0x17);
    emit(0);
    return at;
}
static void set_rpc_here(u32 at)
{
    const u32 to = 4 * (ncode - at);
    code[at] |= (to + 0x800) & 0xfffff000;
    code[at + 1] = setrpc(0, 6, to);
}

/* --- a machine --- */

static Memory memory;
static Engine *engine;

static int set_up(void **state)
{
    (void)state;
    assert_true(memory_open(&memory, 0, (u64)1 << 32));
    memory_map(&memory, CODE_LO, CODE_BYTES, MEM_R | MEM_W | MEM_X);
    memory_map(&memory, DATA, DATA_END - DATA, MEM_R | MEM_W);
    memory_map(&memory, PRIVATE, PRIVATE_BYTES, MEM_R | MEM_W);
    engine = sim_kind.open(&memory, V202 | TIDX);
    assert_non_null(engine);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sim_kind.close(engine);
    memory_close(&memory);
    return 0;
}

static void begin(void)
{
    ncode = 0;
    memset(code, 0, sizeof code);
    memset(memory.base + DATA, 0, DATA_END - DATA);
    memset(memory.base + PRIVATE, 0, PRIVATE_BYTES);
}

static Launch plain(u32 lanes, u32 warps)
{
    return (Launch){.kernel = "test", .set = V202 | TIDX, .pc = CODE_LO, .groups = {1, 1, 1},
                    .warps = warps, .lanes = lanes, .vgprs = 256, .lds = 4096, .pds = PRIVATE,
                    .simt_depth = 1000, .memory = &memory};
}

static void load_program(void)
{
    sim_kind.code_changed(engine, V202 | TIDX, CODE_LO, CODE_BYTES);
    memory_map(&memory, CODE_LO, CODE_BYTES, MEM_R | MEM_W | MEM_X);
    memcpy(memory.base + CODE_LO, code, sizeof code);
}

static LaunchResult launch(const Launch *l, LaunchOptions opt)
{
    LaunchResult r;
    load_program();
    opt.threads = opt.threads ? opt.threads : 1;
    sim_kind.launch(engine, l, &opt, &r);
    return r;
}

static u32 word_at(u32 addr)
{
    u32 v;
    memcpy(&v, memory.base + addr, 4);
    return v;
}

static void put(u32 addr, u64 value, u32 size) { memcpy(memory.base + addr, &value, size); }

static void assert_fine(const LaunchResult *r)
{
    if (r->faulted)
        fail_msg("fault %s at %08x warp %u lane %d addr %08llx", fault_name(r->fault.kind),
                 r->fault.pc, r->fault.warp, r->fault.lane, (unsigned long long)r->fault.addr);
}

/* what a fault must say; lane -1: the warp; addr 0: none */
static void assert_fault(const LaunchResult *r, FaultKind kind, u32 pc, int lane, u64 addr)
{
    if (!r->faulted)
        fail_msg("expected %s", fault_name(kind));
    if (r->fault.kind != kind || r->fault.pc != pc || r->fault.lane != lane ||
        r->fault.addr != addr || r->fault.has_addr != (addr != 0))
        fail_msg("%s at %08x lane %d addr %08llx, expected %s at %08x lane %d addr %08llx",
                 fault_name(r->fault.kind), r->fault.pc, r->fault.lane,
                 (unsigned long long)r->fault.addr, fault_name(kind), pc, lane,
                 (unsigned long long)addr);
}

/* --- a launch beside the model, step by step --- */

enum { MOST_WARPS = 4 };
typedef struct {
    Ref *ref, *start;       /* one a warp: now, and at first */
    const RefRow *row[CODE_BYTES / 4];
    u32 steps, deepest, diverged;
} Twin;

static void find_rows(Twin *t)
{
    IsaDecoder *d = mem_alloc(sizeof *d);
    assert_non_null(d);
    isa_decoder_init(d, V202 | TIDX);
    for (u32 i = 0; i < ncode; i++) {
        Insn in;
        t->row[i] = isa_decode(d, code[i], &in) ? ref_find(isa_insn[in.id].text) : NULL;
    }
    mem_free(d);
}

static void start_ref(Ref *r, const Launch *l, u32 warp, u32 mask)
{
    memset(r, 0, sizeof *r);
    r->lanes = r->vl = l->lanes;
    r->mask = r->initial = mask;
    r->vtype = 0x10;
    r->pc = l->pc;
    r->warp = warp;
    r->warps = l->warps;
    r->pds = l->pds;
}

static void same(const char *what, u32 got, u32 want, u32 pc)
{
    if (got != want)
        fail_msg("at %08x: %s is %08x, expected %08x", pc, what, got, want);
}

static void check_stack(const Warp *w, const Ref *r, u32 pc)
{
    same("mask", w->mask, r->mask, pc);
    same("rpc", w->rpc, r->rpc, pc);
    same("stack depth", w->nsimt, r->nstack, pc);
    for (u32 i = 0; i < r->nstack; i++) {
        same("stack rpc", w->simt[i].rpc, r->stack[i].rpc, pc);
        same("stack pc", w->simt[i].pc, r->stack[i].pc, pc);
        same("stack mask", w->simt[i].mask, r->stack[i].mask, pc);
    }
}

/* registers at first are whatever they are */
static void twin_begin(Twin *t, const Group *g)
{
    for (u32 k = 0; k < g->nwarps; k++) {
        memcpy(t->ref[k].x, g->warps[k].x, sizeof t->ref[k].x);
        memcpy(t->ref[k].v, g->warps[k].v, sizeof t->ref[k].v);
        t->start[k] = t->ref[k];
    }
}

static void twin_before(Twin *t, const Warp *w, const Step *s)
{
    same("pc", s->pc, t->ref[w->id].pc, s->pc);
}

static void twin_after(Twin *t, const Warp *w, const Step *s)
{
    Ref *r = &t->ref[w->id];
    const u32 i = (s->pc - CODE_LO) / 4;
    same("lanes on", s->exec, ref_exec(r, true), s->pc);
    assert_non_null(t->row[i]);
    ref_step(r, t->row[i], 0, code[i]);
    check_stack(w, r, s->pc);
    for (u32 n = 0; n < 32; n++)
        for (u32 k = 0; k < r->lanes; k++)
            same("element", w->v[n][k], r->v[n][k], s->pc);
    t->steps++;
    t->diverged += r->mask != r->initial;
    t->deepest = r->nstack > t->deepest ? r->nstack : t->deepest;
}

static Verdict twin_told(void *self, const Event *e)
{
    if (e->kind == EVENT_group_begin)
        twin_begin(self, e->group);
    else if (e->kind == EVENT_fetch)
        twin_before(self, e->warp, e->step);
    else
        twin_after(self, e->warp, e->step);
    return GO_ON;
}

static Twin *twin_new(const Launch *l)
{
    Twin *t = mem_zalloc(1, sizeof *t);
    assert_non_null(t);
    t->ref = mem_zalloc(2 * MOST_WARPS, sizeof *t->ref);
    assert_non_null(t->ref);
    t->start = t->ref + MOST_WARPS;
    find_rows(t);
    for (u32 k = 0; k < l->warps; k++)
        start_ref(&t->ref[k], l, k, l->lanes == 32 ? UINT32_MAX : (1u << l->lanes) - 1);
    return t;
}

static void twin_free(Twin *t)
{
    mem_free(t->ref);
    mem_free(t);
}

/* What the model says of lane `lane` when it is alone: every lane of the warp must end
 * with what it would have computed by itself. */
static void check_alone(const Twin *t, u32 warp, u32 lane)
{
    static Ref alone;
    alone = t->start[warp];
    alone.mask = 1u << lane;
    for (u32 n = 0; alone.state != WARP_DONE; n++) {
        const u32 i = (alone.pc - CODE_LO) / 4;
        assert_true(n < 1000000 && i < ncode);
        ref_step(&alone, t->row[i], 0, code[i]);
    }
    for (u32 n = 0; n < 32; n++)
        if (alone.v[n][lane] != t->ref[warp].v[n][lane])
            fail_msg("v%u of lane %u is %08x, alone it would be %08x", n, lane,
                     t->ref[warp].v[n][lane], alone.v[n][lane]);
}

/* --- random structured programs ------------------------------------------------------------
 * v1 identifies the lane; v2..v7 are data; v8..v15 constants; v16.. loop counters. */

enum { MOST_BODY = 600 };
static u32 functions[3], nfunctions;
static u32 most;                /* from here on bodies have statements only: branches reach 4 KiB */

static u32 data(void) { return 2 + below(6); }

static void emit_statement(void)
{
    const u32 d = data();
    switch (below(4)) {
    case 0: emit(type_v(11, VVI, d, data(), 8 + below(8))); break;   /* xor */
    case 1: emit(type_v(0, VII, d, data(), below(32))); break;       /* add */
    case 2: emit(type_v(37, VVM, d, data(), 8 + below(8))); break;   /* mul */
    default: emit(vadd_vv(d, data(), 1 + below(7))); break;
    }
}

static const u32 conditions[] = {EQ, NE, LT, GE, LTU, GEU};

/* compares something small, so that all outcomes are common; the target comes later */
static u32 emit_branch(void)
{
    emit(vand_vi(24, data(), 1 + below(3)));
    emit(vand_vi(25, 1 + below(7), 1 + below(3)));
    emit(vadd_vv(25, 25, 8));
    return emit(conditions[below(6)]);
}
static void set_branch(u32 at, u32 to)
{
    assert_true(to - at < 1000);
    code[at] = vb(code[at], 24, 25, 4 * (to - at));
}

static void emit_body(u32 depth, bool may_call);

/* if (...) ... [else ...]; its join may serve an inner branch at the end of a side too */
static void emit_if(u32 depth, bool may_call)
{
    const u32 rpc = emit_setrpc(), branch = emit_branch();
    emit_body(depth + 1, may_call);
    if (depth < 5 && !below(3)) { /* the same join */
        const u32 inner_rpc = emit_setrpc(), inner = emit_branch();
        emit_body(depth + 1, may_call);
        const u32 skip = emit(0);
        set_branch(inner, ncode);
        emit_body(depth + 1, may_call);
        const u32 out = emit(0);
        set_branch(branch, ncode);
        emit_body(depth + 1, may_call);
        code[skip] = jal(0, 4 * (ncode - skip));
        code[out] = jal(0, 4 * (ncode - out));
        set_rpc_here(inner_rpc);
    } else {
        const u32 out = emit(0);
        set_branch(branch, ncode);
        if (below(3))
            emit_body(depth + 1, may_call);
        code[out] = jal(0, 4 * (ncode - out));
    }
    set_rpc_here(rpc);
    emit(JOIN);
}

/* lanes leave at different rounds, some of them in the middle */
static void emit_loop(u32 depth, bool may_call)
{
    const u32 counter = 16 + depth, limit = 26 + depth % 4;
    emit(vmv_i(counter, 0));
    const u32 top = ncode, rpc = emit_setrpc();
    emit(vand_vi(limit, 1 + below(7), 3));
    const u32 leave = emit(0);
    emit_body(depth + 1, may_call);
    u32 rpc2 = 0, middle = 0;
    if (below(2)) {
        rpc2 = emit_setrpc();
        middle = emit_branch();
        emit_statement();
    }
    emit(type_v(0, VII, counter, counter, 1));
    /* data may change the limit for ever: an absolute one ends it */
    emit(vmv_i(31, 6));
    const u32 rpc3 = emit_setrpc(), end = emit(0), back = emit(0);
    code[leave] = vb(GE, counter, limit, 4 * (ncode - leave));
    if (middle)
        set_branch(middle, ncode);
    code[end] = vb(GE, counter, 31, 4 * (ncode - end));
    code[back] = jal(0, 4 * (top - back));
    set_rpc_here(rpc);
    if (middle)
        set_rpc_here(rpc2);
    set_rpc_here(rpc3);
    emit(JOIN);
}

static void emit_body(u32 depth, bool may_call)
{
    const u32 n = 1 + below(3);
    for (u32 i = 0; i < n; i++) {
        const u32 kind = ncode > most || depth > 5 ? 0 : below(6);
        emit_statement();
        if (kind == 1 || kind == 2)
            emit_if(depth, may_call);
        else if (kind == 3 && depth < 4)
            emit_loop(depth, may_call);
        else if (kind == 4 && may_call && nfunctions) {
            const u32 f = functions[below(nfunctions)];
            emit(jal(1, 4 * (f - ncode)));
        }
    }
}

static void random_program(void)
{
    begin();
    nfunctions = 0;
    const u32 over = emit(0);
    for (u32 k = 0; k < 3; k++) {
        const u32 at = ncode;
        most = at + MOST_BODY / 8;
        emit_body(4, false);
        emit(jalr(0, 1, 0));
        functions[nfunctions++] = at;
    }
    code[over] = jal(0, 4 * (ncode - over));
    emit(vid(1));
    emit(csrr(5, 0x800));
    emit(vadd_vx(1, 1, 5));
    for (u32 i = 2; i < 16; i++) {
        li(7, rnd());
        emit(vmul_vx(i, 1, 7));
        emit(type_v(0x28, VII, i, i, below(28))); /* shift right */
    }
    for (u32 i = 0; i < 3; i++) {
        most = ncode + MOST_BODY;
        emit_body(0, true);
    }
    emit(ENDPRG);
    assert_true(ncode < countof(code));
}

static void random_divergence(void **state)
{
    u32 steps = 0, diverged = 0, deepest = 0;
    (void)state;
    for (u32 n = 0; n < 500; n++) {
        const u32 lanes = 4u << n % 4;
        const Launch l = plain(lanes, 1 + below(3));
        random_program();
        Twin *t = twin_new(&l);
        const Observer o = {
            t, EVENT_group_begin | EVENT_fetch | EVENT_insn, twin_told, NULL};
        const LaunchResult r = launch(&l, (LaunchOptions){.observers = &o, .nobservers = 1});
        assert_fine(&r);
        for (u32 w = 0; w < l.warps; w++) {
            same("final depth", t->ref[w].nstack, 0, 0);
            for (u32 i = 0; i < lanes; i++)
                check_alone(t, w, i);
        }
        steps += t->steps, diverged += t->diverged;
        deepest = t->deepest > deepest ? t->deepest : deepest;
        twin_free(t);
    }
    print_message("%u steps, %u of them diverged, deepest stack %u\n", steps, diverged, deepest);
    assert_true(diverged > steps / 10 && deepest > 6);
}

/* the example of the documents: four lanes, {0, 2, 3} taken; tie; uniform branches */
typedef struct { u32 n, pc[64], mask[64]; } Path;
static Verdict note_step(void *self, const Event *e)
{
    Path *p = self;
    assert_true(p->n < 64);
    p->pc[p->n] = (e->step->pc - CODE_LO) / 4;
    p->mask[p->n++] = e->warp->mask;
    return GO_ON;
}

static void check_path(const u32 *want, u32 n)
{
    Path p = {0};
    const Observer o = {&p, EVENT_fetch, note_step, NULL};
    const Launch l = plain(4, 1);
    const LaunchResult r = launch(&l, (LaunchOptions){.observers = &o, .nobservers = 1});
    assert_fine(&r);
    assert_int_equal(p.n, n);
    for (u32 i = 0; i < n; i++) {
        same("pc", p.pc[i], want[2 * i], i);
        same("mask", p.mask[i], want[2 * i + 1], p.pc[i]);
    }
}

/* v1 = lane number; lanes of `set` get 1 in v2 */
static void emit_choice(u32 set)
{
    emit(vid(1));
    emit(addi(5, 0, set));
    emit(vmv_x(2, 5));
    emit(type_v(0x28, VVI, 2, 2, 1)); /* v2 >> v1 */
    emit(vand_vi(2, 2, 1));
    emit(vmv_i(3, 1));
}

static void stack_example(void **state)
{
    (void)state;
    const struct { u32 set; u32 path[2 * 24]; u32 n;
    } cases[] = {
        /* 6 auipc, 7 setrpc, 8 branch to 11, 9 and 10 one side, 11 and 12 the other, 12 join */
        {0xd,
         {0, 15, 1,  15, 2,  15, 3,  15, 4,  15, 5,  15, 6,  15, 7, 15, 8, 15, /* fewer first: */
          9, 2,  10, 2,  12, 2,  11, 13, 12, 13, 12, 15, 13, 15},
         16},
        {0x3,
         {0,  15, 1,  15, 2, 15, 3,  15, 4,  15, 5,  15, 6,  15,
          7,  15, 8,  15, /* a tie: taken first */
          11, 3,  12, 3,  9, 12, 10, 12, 12, 12, 12, 15, 13, 15},
         16},
        {0x0,
         {0,  15, 1,  15, 2,  15, 3,  15, 4,  15, 5,  15, 6,
          15, 7,  15, 8,  15, 9,  15, 10, 15, 12, 15, 13, 15},
         13},
        {0xf,
         {0, 15, 1, 15, 2, 15, 3, 15, 4, 15, 5, 15, 6, 15, 7, 15, 8, 15, 11, 15, 12, 15, 13, 15},
         12},
        {0x4,
         {0, 15, 1,  15, 2,  15, 3, 15, 4,  15, 5,  15, 6,  15, 7,  15,
          8, 15, 11, 4,  12, 4,  9, 11, 10, 11, 12, 11, 12, 15, 13, 15},
         16},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        begin();
        emit_choice(cases[i].set);
        const u32 rpc = emit_setrpc();
        emit(vb(EQ, 2, 3, 12));
        emit(addi(8, 8, 1));
        emit(jal(0, 8));
        emit(addi(9, 9, 1));
        set_rpc_here(rpc);
        emit(JOIN);
        emit(ENDPRG);
        check_path(cases[i].path, cases[i].n);
    }
}

static void lanes_beyond_vl_fall_through(void **state)
{
    (void)state;
    begin();
    emit(vid(1));
    emit(0xcd0171d7u); /* vsetivli x3, 2, e32, m1, ta, ma */
    const u32 rpc = emit_setrpc();
    emit(vb(EQ, 1, 1, 8)); /* true on the two lanes that are compared */
    emit(addi(8, 8, 1));
    set_rpc_here(rpc);
    emit(JOIN);
    emit(ENDPRG);
    const u32 want[] = {0, 15, 1, 15, 2, 15, 3, 15, 4, 15, 6, 3, 5, 12, 6, 12, 6, 15, 7, 15};
    check_path(want, 10);
}

static void stack_overflow(void **state)
{
    (void)state;
    begin();
    emit(vid(1));
    emit(vmv_i(2, 0));
    const u32 rpc = emit_setrpc(), top = ncode;
    const u32 branch = emit(0);
    emit(type_v(0, VII, 2, 2, 1));
    emit(jal(0, 4 * (top - ncode)));
    code[branch] = vb(GE, 2, 1, 4 * (ncode - branch)); /* one lane leaves a round */
    set_rpc_here(rpc);
    emit(JOIN);
    emit(ENDPRG);
    Launch l = plain(8, 1);
    LaunchResult r = launch(&l, (LaunchOptions){0});
    assert_fine(&r);
    l.simt_depth = 7;
    r = launch(&l, (LaunchOptions){0});
    assert_fault(&r, FAULT_SIMT_OVERFLOW, CODE_LO + 4 * branch, -1, 0);
}

static void branch_without_join(void **state)
{
    (void)state;
    const u32 places[] = {8, 0x1000, 2,
                          0x10000000}; /* no join; an empty page; misaligned; outside */
    for (size_t i = 0; i < countof(places); i++) {
        begin();
        emit_choice(1);
        li(7, CODE_LO + places[i]);
        emit(setrpc(0, 7, 0));
        const u32 branch = emit(vb(EQ, 2, 3, 4));
        emit(ENDPRG);
        const Launch l = plain(8, 1);
        const LaunchResult r = launch(&l, (LaunchOptions){0});
        assert_fault(&r, FAULT_SIMT_NO_JOIN, CODE_LO + 4 * branch, -1, CODE_LO + places[i]);
    }
    /* a uniform branch needs none */
    begin();
    emit_choice(0);
    emit(vb(EQ, 2, 3, 8));
    emit(ENDPRG);
    const Launch l = plain(8, 1);
    const LaunchResult r = launch(&l, (LaunchOptions){0});
    assert_fine(&r);
}

/* --- barriers --- */

/* x5 = warp, x6 = warp * lanes * 4, v1 = LDS address of the lane's word */
static void emit_own_word(u32 lanes)
{
    emit(csrr(5, 0x805));
    emit(addi(7, 0, 4 * lanes));
    emit(mul(6, 5, 7));
    emit(vid(1));
    emit(vsll_vi(1, 1, 2));
    emit(csrr(7, 0x806));
    emit(add(7, 7, 6));
    emit(vadd_vx(1, 1, 7));
}

/* rounds of: write own word, barrier, read the next warp's, barrier */
static void barriers_order_warps(void **state)
{
    (void)state;
    for (u32 lanes = 4; lanes <= 32; lanes *= 2) {
        enum { WARPS = 5, ROUNDS = 7 };
        begin();
        emit_own_word(lanes);
        /* v2 = address of the word of the next warp */
        emit(addi(8, 5, 1));
        emit(addi(9, 0, WARPS));
        emit(bne(8, 9, 8));
        emit(addi(8, 0, 0));
        emit(addi(7, 0, 4 * lanes));
        emit(mul(8, 8, 7));
        emit(vid(2));
        emit(vsll_vi(2, 2, 2));
        emit(csrr(7, 0x806));
        emit(add(8, 8, 7));
        emit(vadd_vx(2, 2, 8));
        /* v3 = warp; each round: own = v3; v3 = next's * 3 + 1 */
        emit(vmv_x(3, 5));
        emit(addi(10, 0, ROUNDS));
        emit(addi(11, 0, 3));
        const u32 top = ncode;
        emit(vsw12(3, 1, 0));
        emit(BARRIER);
        emit(vlw12(3, 2, 0));
        emit(vmul_vx(3, 3, 11));
        emit(type_v(0, VII, 3, 3, 1));
        emit(BARRIER);
        emit(addi(10, 10, 0xfff));
        emit(bne(10, 0, 4 * (top - ncode)));
        /* out[warp * lanes + lane] */
        li(7, DATA);
        emit(add(7, 7, 6));
        emit(vid(4));
        emit(vsll_vi(4, 4, 2));
        emit(vadd_vx(4, 4, 7));
        emit(vsw12(3, 4, 0));
        emit(ENDPRG);
        for (u64 slice = 1; slice < 300; slice *= 7) {
            const Launch l = plain(lanes, WARPS);
            const LaunchResult r = launch(&l, (LaunchOptions){.slice = slice});
            assert_fine(&r);
            u32 v[WARPS], next[WARPS];
            for (u32 k = 0; k < WARPS; k++)
                v[k] = k;
            for (u32 n = 0; n < ROUNDS; n++) {
                for (u32 k = 0; k < WARPS; k++)
                    next[k] = v[(k + 1) % WARPS] * 3 + 1;
                memcpy(v, next, sizeof v);
            }
            for (u32 k = 0; k < WARPS * lanes; k++)
                same("result", word_at(DATA + 4 * k), v[k / lanes], k);
        }
    }
}

/* warps that ended count as arrived, before and while others wait */
static void ended_warps_count(void **state)
{
    (void)state;
    begin();
    emit(csrr(5, 0x805));
    emit(addi(7, 0, 2));
    emit(bne(5, 7, 8)); /* warp 2 ends at once */
    emit(ENDPRG);
    emit(BARRIER);
    emit(addi(7, 0, 1));
    emit(bne(5, 7, 8)); /* warp 1 after the first barrier */
    emit(ENDPRG);
    emit(BARRIER);
    emit(BARRIER);
    li(7, DATA);
    emit(vmv_x(1, 7));
    emit(vmv_i(2, 1));
    emit(amoadd(3, 2, 1));
    emit(ENDPRG);
    const Launch l = plain(8, 4);
    for (u64 slice = 1; slice < 5; slice++) {
        put(DATA, 0, 4);
        const LaunchResult r = launch(&l, (LaunchOptions){.slice = slice});
        assert_fine(&r);
        same("lanes that got through", word_at(DATA), 16, 0);
    }
}

static void diverged_barrier(void **state)
{
    (void)state;
    begin();
    emit_choice(1);
    const u32 rpc = emit_setrpc();
    emit(vb(EQ, 2, 3, 8));
    emit(jal(0, 8));
    const u32 at = emit(BARRIER);
    set_rpc_here(rpc);
    emit(JOIN);
    emit(ENDPRG);
    Launch l = plain(8, 1);
    LaunchResult r = launch(&l, (LaunchOptions){0});
    assert_fault(&r, FAULT_BARRIER_DIVERGED, CODE_LO + 4 * at, -1, 0);
    assert_int_equal(r.fault.mask, 1);
    l.any_barrier = true;
    r = launch(&l, (LaunchOptions){0});
    assert_fine(&r);
}

/* --- work-items --- */

enum { IDS = 7 };

/* each work-item writes its seven ids at DATA + 28 * its linear id */
static void emit_ids(void)
{
    li(5, DATA);
    emit(csrrsv(1, 0x810));
    emit(addi(6, 0, 4 * IDS));
    emit(vmul_vx(1, 1, 6));
    emit(vadd_vx(1, 1, 5));
    for (u32 k = 0; k < IDS; k++) {
        emit(csrrsv(2, 0x80d + k));
        emit(vsw12(2, 1, 4 * k));
    }
    emit(ENDPRG);
}

static void work_item_ids(void **state)
{
    (void)state;
    enum { KNL = 0x900f0000 - 0x90000000 };
    const u32 local[3] = {5, 3, 2}, groups[3] = {2, 3, 2}, offset[3] = {7, 100, 1000};
    for (u32 lanes = 4; lanes <= 32; lanes *= 2) {
        DeviceOptions opt = dev_defaults();
        DevResult result;
        u32 words[16] = {CODE_LO, 0, 0, 10, 9, 4, 5, 3, 2, 7, 100, 1000};
        opt.set = V202 | TIDX;
        Device *d = dev_open(&opt);
        assert_non_null(d);
        memory_map(dev_memory(d), CODE_LO, PAGE_SIZE, MEM_R | MEM_W | MEM_X);
        memory_map(dev_memory(d), DATA, DATA_END - DATA, MEM_R | MEM_W);
        memset(dev_memory(d)->base + DATA, 0xee, KNL);
        begin();
        emit_ids();
        assert_true(dev_write(d, CODE_LO, code, 4 * ncode));
        dev_code_written(d, CODE_LO, CODE_LO + 4 * ncode);
        assert_true(dev_write(d, DATA + KNL, words, sizeof words));
        const DevLaunch l = {.knl = DATA + KNL,
                             .groups = {2, 3, 2},
                             .warps = (30 + lanes - 1) / lanes,
                             .lanes = lanes,
                             .run = {.threads = 2}};
        dev_launch(d, &l, &result);
        assert_fine(&result.run);
        assert_int_equal(result.run.groups, 12);
        for (u32 z = 0; z < 4; z++)
            for (u32 y = 0; y < 9; y++)
                for (u32 x = 0; x < 10; x++) {
                    const u32 linear = x + 10 * (y + 9 * z);
                    const u32 want[IDS] = {x + offset[0], y + offset[1], z + offset[2], linear,
                                           x % local[0], y % local[1], z % local[2]};
                    u32 got[IDS];
                    assert_true(dev_read(d, DATA + 4 * IDS * linear, got, sizeof got));
                    for (u32 k = 0; k < IDS; k++)
                        same("id", got[k], want[k], linear);
                }
        /* nobody else wrote */
        assert_int_equal(dev_memory(d)->base[DATA + 4 * IDS * 360], 0xee);
        assert_int_equal(groups[0] * groups[1] * groups[2] * 30, 360);
        dev_close(d);
    }
}

/* the last warp has only the lanes that have a work-item, unless told otherwise */
static void partial_warps(void **state)
{
    (void)state;
    begin();
    li(5, DATA);
    emit(vmv_x(1, 5));
    emit(vmv_i(2, 1));
    emit(amoadd(3, 2, 1));
    emit(BARRIER);
    emit(ENDPRG);
    for (u32 lanes = 4; lanes <= 32; lanes *= 2)
        for (u32 items = 1; items <= 3 * lanes; items++) {
            Launch l = plain(lanes, 3);
            l.local[0] = items, l.local[1] = l.local[2] = 1;
            put(DATA, 0, 4);
            LaunchResult r = launch(&l, (LaunchOptions){0});
            assert_fine(&r);
            same("items", word_at(DATA), items, lanes);
            l.all_lanes = true;
            put(DATA, 0, 4);
            r = launch(&l, (LaunchOptions){0});
            assert_fine(&r);
            same("lanes", word_at(DATA), 3 * lanes, lanes);
            if (items > 5 && items < 3 * lanes - 5)
                items += 5;
        }
}

/* --- local and private memory --- */

/* DATA + 4 * group gets the or of what the group found in local memory */
static void local_memory_is_clean(void **state)
{
    (void)state;
    begin();
    emit_own_word(8);
    emit(vlw12(2, 1, 0));
    emit(vlw12(3, 1, 0x7f8)); /* over a page's end for some */
    emit(type_v(10, VVI, 2, 2, 3));
    emit(csrr(7, 0x804));
    emit(addi(8, 7, 1));
    emit(vmv_x(4, 8));
    emit(vsw12(4, 1, 0));
    emit(vsw12(4, 1, 0x7f8));
    emit(vlw12(5, 1, 0)); /* and holds what is written */
    emit(type_v(11, VVI, 5, 5, 4));
    emit(type_v(10, VVI, 2, 2, 5));
    li(9, DATA);
    emit(vmv_x(6, 9));
    emit(0x4000202fu | 2u << 20 | 6u << 15 | 7u << 7); /* amoor */
    emit(vmv_i(2, 1));
    emit(type_v(0, VII, 6, 6, 4));
    emit(amoadd(7, 2, 6));
    emit(ENDPRG);
    Launch l = plain(8, 4);
    l.groups[0] = 20, l.groups[1] = 3;
    for (u32 threads = 1; threads <= 4; threads *= 2) {
        memset(memory.base + DATA, 0, 64);
        const LaunchResult r = launch(&l, (LaunchOptions){.threads = threads});
        assert_fine(&r);
        same("leftovers", word_at(DATA), 0, threads);
        same("lanes", word_at(DATA + 4), 60 * 32, threads);
    }
}

/* v202: words of all threads of the group side by side */
static void private_addresses(void **state)
{
    (void)state;
    for (u32 lanes = 4; lanes <= 32; lanes *= 2) {
        enum { WARPS = 3 };
        begin();
        emit(vid(1));
        emit(csrr(5, 0x800));
        emit(vadd_vx(1, 1, 5)); /* thread */
        /* a = 4 * (thread % 8) + 8: word; and a byte of another word */
        emit(vand_vi(2, 1, 7));
        emit(vsll_vi(2, 2, 2));
        emit(0x8000202bu | type_s(0, 0, 2, 1, 8));          /* vsw.v v1, 8(v2) */
        emit(0x8000002bu | type_s(0, 0, 2, 1, 64 + 3));     /* vsb.v v1, 67(v2) */
        emit(type_i(0x2b, 2, 3, 2, 8));                     /* vlw.v v3, 8(v2) */
        emit(type_i(0x2b, 4, 4, 2, 64 + 3));                /* vlbu.v v4, 67(v2) */
        emit(vadd_vv(3, 3, 4));
        li(6, DATA);
        emit(vsll_vi(5, 1, 2));
        emit(vadd_vx(5, 5, 6));
        emit(vsw12(3, 5, 0));
        emit(ENDPRG);
        const Launch l = plain(lanes, WARPS);
        const LaunchResult r = launch(&l, (LaunchOptions){0});
        assert_fine(&r);
        for (u32 t = 0; t < lanes * WARPS; t++) {
            const u32 a = 4 * (t % 8) + 8, b = 4 * (t % 8) + 67;
            same("word", word_at(PRIVATE + (a & ~3u) * WARPS * lanes + t * 4), t, t);
            same("byte", memory.base[PRIVATE + (b & ~3u) * WARPS * lanes + t * 4 + b % 4], t, t);
            same("loaded", word_at(DATA + 4 * t), t + t % 256, t);
        }
    }
}

/* --- host threads --- */

/* Every group works in local and private memory and adds to shared counters. */
static void threads_agree(void **state)
{
    (void)state;
    enum { AREA = 64 * 16 * 4, GROUPS = 96, OUT = 4096 };
    static u8 first[OUT + GROUPS * 64 * 4];
    LaunchResult results[4];
    begin();
    emit_own_word(16);
    emit(csrr(10, 0x804));
    emit(vid(2));
    emit(csrr(11, 0x800));
    emit(vadd_vx(2, 2, 11));            /* thread */
    emit(vmul_vx(3, 2, 10));
    emit(vsw12(3, 1, 0));
    emit(BARRIER);
    emit(csrr(12, 0x806));
    emit(type_v(3, VII, 4, 2, 31));     /* 31 - thread ... */
    emit(vand_vi(4, 4, 15));
    emit(vsll_vi(4, 4, 2));
    emit(vadd_vx(4, 4, 12));
    emit(vlw12(5, 4, 0));
    emit(vmv_i(6, 4));
    emit(type_i(0x2b, 2, 7, 6, 0));     /* private must be clean */
    emit(vadd_vv(5, 5, 7));
    emit(0x8000202bu | type_s(0, 0, 6, 5, 0));
    emit(type_i(0x2b, 2, 8, 6, 0));
    emit(vadd_vv(5, 5, 8));
    li(13, DATA);
    emit(vmv_x(9, 13));
    emit(amoadd(10, 5, 9));             /* the sum over everybody */
    emit(addi(14, 0, 256));
    emit(mul(14, 14, 10));
    emit(add(14, 14, 13));
    li(15, OUT);
    emit(add(14, 14, 15));
    emit(vsll_vi(11, 2, 2));
    emit(vadd_vx(11, 11, 14));
    emit(vsw12(5, 11, 0));
    emit(ENDPRG);
    for (u32 k = 0; k < 4; k++) {
        Launch l = plain(16, 4);
        l.groups[0] = 8, l.groups[1] = 6, l.groups[2] = 2;
        l.pds_lane = 64, l.pds_areas = 8;
        memset(memory.base + DATA, 0, sizeof first);
        memory_map(&memory, PRIVATE, PRIVATE_BYTES, MEM_R | MEM_TRACKED);
        results[k] = launch(&l, (LaunchOptions){.threads = 1u << k});
        memory_map(&memory, PRIVATE, PRIVATE_BYTES, MEM_R | MEM_W);
        assert_fine(&results[k]);
        assert_int_equal(results[k].groups, GROUPS);
        assert_int_equal(results[k].insns, results[0].insns);
        if (!k)
            memcpy(first, memory.base + DATA, sizeof first);
        assert_memory_equal(first, memory.base + DATA, sizeof first);
        for (u32 i = 0; i < 8 * AREA; i += 4)
            same("private memory after", word_at(PRIVATE + i), 0, i);
    }
    assert_int_not_equal(word_at(DATA), 0);
}

/* Groups 17, 40 and 41 fault, 17 after a long time; whoever runs them, and whoever is
 * first, 17 is reported. */
static void first_fault_is_reported(void **state)
{
    (void)state;
    begin();
    emit(csrr(5, 0x804));
    u32 hit[3];
    const u32 bad[] = {41, 40, 17};
    for (u32 k = 0; k < 3; k++) {
        emit(addi(6, 0, bad[k]));
        hit[k] = emit(0);
    }
    emit(ENDPRG);
    for (u32 k = 0; k < 3; k++) {
        code[hit[k]] = beq(5, 6, 4 * (ncode - hit[k]));
        if (bad[k] == 17) {
            li(8, 100000);
            emit(addi(8, 8, 0xfff));
            emit(bne(8, 0, (u32)-4));
        }
        emit(lw(7, 6, 4 * k));
    }
    for (u32 n = 0; n < 40; n++) {
        Launch l = plain(8, 2);
        l.groups[0] = 4, l.groups[1] = 3, l.groups[2] = 5;
        const LaunchResult r = launch(&l, (LaunchOptions){.threads = 1u << n % 4, .slice = 1 + 50 * n});
        assert_fault(&r, FAULT_LOAD, CODE_LO + 4 * (ncode - 1), -1, 17 + 8);
        assert_int_equal(r.fault.group_linear, 17);
        assert_int_equal(r.fault.group[0], 1);
        assert_int_equal(r.fault.group[1], 1);
        assert_int_equal(r.fault.group[2], 1);
        assert_int_equal(r.fault.width, 4);
        assert_true(r.groups >= 17);
    }
}

/* --- limits --- */

static void limits(void **state)
{
    (void)state;
    begin();
    emit(addi(5, 5, 1));
    emit(jal(0, (u32)-4));
    Launch l = plain(8, 2);
    l.max_insns = 1001;
    for (u64 slice = 1; slice < 5000; slice *= 9) {
        const LaunchResult r = launch(&l, (LaunchOptions){.slice = slice});
        assert_fault(&r, FAULT_ENDLESS, CODE_LO + 4, -1, 0);
        assert_int_equal(r.fault.spinning, 2);
        assert_true(r.insns >= 1001 && r.insns <= 2002);
    }
    l.max_insns = 0;
    LaunchResult r = launch(&l, (LaunchOptions){.timeout = 0.02});
    assert_true(r.faulted && r.fault.kind == FAULT_TIMEOUT);
    /* a program that fits its limit exactly */
    begin();
    emit(addi(5, 5, 1));
    emit(ENDPRG);
    l.max_insns = 2;
    r = launch(&l, (LaunchOptions){0});
    assert_fine(&r);
    assert_int_equal(r.insns, 4);
}

static void deadlock(void **state)
{
    (void)state;
    begin();
    emit(csrr(5, 0x805));
    emit(addi(6, 0, 2));
    emit(beq(5, 6, 12));
    emit(BARRIER);
    emit(ENDPRG);
    emit(jal(0, 0)); /* warp 2 never arrives */
    Launch l = plain(8, 4);
    l.max_insns = 5000;
    const LaunchResult r = launch(&l, (LaunchOptions){.slice = 100});
    assert_fault(&r, FAULT_DEADLOCK, CODE_LO + 4 * 5, -1, 0);
    assert_int_equal(r.fault.warp, 2);
    assert_int_equal(r.fault.waiting, 3);
    assert_int_equal(r.fault.spinning, 1);
}

/* --- faults --- */

static void faults_of_the_warp(void **state)
{
    (void)state;
    const struct { FaultKind kind; u32 word[4]; u32 at; u64 addr; bool strict; } cases[] = {
        {FAULT_ILLEGAL, {0}, 0, 0, false},
        {FAULT_ILLEGAL, {0xffffffff}, 0, 0, false},
        {FAULT_ILLEGAL, {0x00000073}, 0, 0, false},                   /* ecall */
        {FAULT_PROFILE, {0x00003003}, 0, 0, false},                   /* ld of v2025 */
        {FAULT_PROFILE, {0x0200007a}, 0, 0, false},                   /* vcvt of ai */
        {FAULT_REGISTER, {0x0020200b, add(1, 2, 3)}, 1, 65, false},
        {FAULT_REGISTER, {type_v(0x2c, VVI, 2, 5, 6)}, 0, 5, false},  /* a pair begins even */
        {FAULT_VTYPE, {0x00007057 | 1u << 7}, 0, 0, false},
        {FAULT_VTYPE, {0x00007057 | 1u << 7 | 0x11u << 20}, 0, 0x11, false},
        {FAULT_FRM, {csrwi(2, 5), 0x00007053}, 1, 0, false},          /* fadd.s, dyn */
        {FAULT_FRM, {csrwi(2, 7), type_v(0, 1, 1, 2, 3)}, 1, 0, false},
        {FAULT_CSR, {csrr(1, 0x123)}, 0, 0x123, true},
        {FAULT_CSR, {csrrsv(1, 0x805)}, 0, 0x805, false},
        {FAULT_LOAD, {lw(1, 0, 0x40)}, 0, 0x40, false},
        {FAULT_LOAD, {lw(1, 0, 0xffc)}, 0, 0xfffffffc, false},
        {FAULT_STORE, {sw(1, 0, 0x40)}, 0, 0x40, false},
        {FAULT_LOAD, {lw(1, 0, 0x7f)}, 0, 0x7f, false},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        begin();
        for (u32 k = 0; k <= cases[i].at; k++)
            emit(cases[i].word[k]);
        emit(ENDPRG);
        Launch l = plain(8, 1);
        l.strict = cases[i].strict;
        const LaunchResult r = launch(&l, (LaunchOptions){0});
        if (cases[i].kind == FAULT_VTYPE && !cases[i].addr) {
            assert_true(r.faulted && r.fault.kind == FAULT_VTYPE && r.fault.has_addr &&
                        !r.fault.addr);
            continue;
        }
        assert_fault(&r, cases[i].kind, CODE_LO + 4 * cases[i].at, -1, cases[i].addr);
        assert_true(r.fault.has_word);
        assert_int_equal(r.fault.word, cases[i].word[cases[i].at]);
        assert_int_equal(r.fault.mask, 0xff);
    }
}

/* v1 = DATA + 64 + 4 * lane, but `addr` on lane 5 */
static void emit_stray_lane(u32 addr)
{
    emit(vid(1));
    emit(vsll_vi(2, 1, 2));
    li(5, DATA + 64);
    emit(vadd_vx(2, 2, 5));
    li(5, addr);
    emit(vmv_x(3, 5));
    emit(type_v(0x18, VII, 0, 1, 5));           /* v0 = lane == 5 */
    emit(type_v(0x17, VVI, 1, 2, 3) & ~(1u << 25)); /* vmerge v1, v2, v3, v0 */
}

static void faults_of_a_lane(void **state)
{
    (void)state;
    const struct { FaultKind kind; u32 word; u32 addr; bool strict; } cases[] = {
        {FAULT_LOAD, vlw12(4, 1, 8), 0x12345678, false},
        {FAULT_STORE, vsw12(4, 1, 8), 0x12345678, false},
        {FAULT_LOAD, type_i(0x7b, 0, 4, 1, 8), 0xfffffffc, false},
        {FAULT_STORE, vsw12(4, 1, 0xffc), 0xb0000000, false},
        {FAULT_LOAD, vlw12(4, 1, 0), DATA_END - 2, false}, /* its end is outside */
        {FAULT_LOAD_MISALIGNED, vlw12(4, 1, 8), DATA + 2, true},
        {FAULT_LOAD_MISALIGNED, type_i(0x7b, 1, 4, 1, 8), DATA + 1, true},
        {FAULT_STORE_MISALIGNED, vsw12(4, 1, 8), DATA + 1, true},
        {FAULT_LOAD, vlw12(4, 1, 0), LDS_LO + 4096, true}, /* beyond the group's local memory */
        {FAULT_STORE, vsw12(4, 1, 0), LDS_LO + 4096, true},
        {FAULT_ATOMIC_MISALIGNED, amoadd(4, 4, 1), DATA + 2, false},
        {FAULT_ATOMIC_MISALIGNED, type_i(0x2f, 2, 4, 1, 0x100), DATA + 1, false}, /* lr */
        {FAULT_LOAD, amoadd(4, 4, 1), 0x12345678, false},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const u32 imm = (cases[i].word & 0x7f) == 0x2f ? 0
                        : (cases[i].word >> 12 & 7) == 6
                            ? (u32)((i32)cases[i].word >> 25) * 32 + (cases[i].word >> 7 & 31)
                            : (u32)((i32)cases[i].word >> 20);
        begin();
        emit_stray_lane(cases[i].addr);
        const u32 at = emit(cases[i].word);
        emit(ENDPRG);
        Launch l = plain(8, 1);
        l.strict = cases[i].strict;
        const LaunchResult r = launch(&l, (LaunchOptions){0});
        assert_fault(&r, cases[i].kind, CODE_LO + 4 * at, 5, cases[i].addr + imm);
        /* not strict, not misaligned: no fault on any other lane */
        l.strict = false;
        if (cases[i].strict) {
            const LaunchResult again = launch(&l, (LaunchOptions){0});
            assert_fine(&again);
        }
    }
}

static void faults_of_fetches(void **state)
{
    (void)state;
    const struct { FaultKind kind; u32 to; } cases[] = {
        {FAULT_FETCH, 0x12345678}, {FAULT_FETCH, CODE_LO + CODE_BYTES}, {FAULT_FETCH, DATA},
        {FAULT_FETCH, 0}, {FAULT_FETCH_MISALIGNED, CODE_LO + 2},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        begin();
        li(5, cases[i].to);
        emit(jalr(0, 5, 0));
        const Launch l = plain(8, 1);
        const LaunchResult r = launch(&l, (LaunchOptions){0});
        assert_true(r.faulted && !r.fault.has_word);
        assert_int_equal(r.fault.kind, cases[i].kind);
        assert_int_equal(r.fault.pc, cases[i].to);
    }
    /* running off the end of the code */
    begin();
    for (u32 i = 0; i < countof(code); i++)
        emit(addi(0, 0, 0));
    const Launch l = plain(8, 1);
    const LaunchResult r = launch(&l, (LaunchOptions){0});
    assert_true(r.faulted);
    assert_int_equal(r.fault.kind, FAULT_FETCH);
    assert_int_equal(r.fault.pc, CODE_LO + CODE_BYTES);
}

/* instructions must stay, words among them that are none may change */
static void stores_to_code(void **state)
{
    (void)state;
    for (u32 width = 1; width <= 4; width *= 2) {
        begin();
        li(5, CODE_LO);
        emit(addi(6, 0, 0x55));
        emit(type_s(0x23, 2, 5, 6, 40)); /* no instruction */
        const u32 at = emit(type_s(0x23,
                                   width == 1   ? 0
                                   : width == 2 ? 1
                                                : 2,
                                   5, 6, 24 + 4 - width));
        emit(ENDPRG);
        code[6] = ENDPRG;
        ncode = 7;
        const Launch l = plain(8, 1);
        const LaunchResult r = launch(&l, (LaunchOptions){0});
        assert_fault(&r, FAULT_STORE_CODE, CODE_LO + 4 * at, -1, CODE_LO + 24 + 4 - width);
        same("the word that is no instruction", word_at(CODE_LO + 40), 0x55, 0);
        same("the instruction", word_at(CODE_LO + 24), ENDPRG, 0);
    }
}

static void exits(void **state)
{
    (void)state;
    begin();
    emit_choice(3);
    const u32 rpc = emit_setrpc();
    emit(vb(EQ, 2, 3, 8));
    emit(jal(0, 8));
    const u32 at = emit(ENDPRG);
    set_rpc_here(rpc);
    emit(JOIN);
    emit(ENDPRG);
    Launch l = plain(8, 1);
    LaunchResult r = launch(&l, (LaunchOptions){0});
    assert_fault(&r, FAULT_EXIT_DIVERGED, CODE_LO + 4 * at, -1, 0);
    assert_int_equal(r.fault.mask, 3);
    /* the tensor instruction needs all lanes */
    begin();
    emit(0xcd0171d7u); /* vsetivli x3, 2, e32, m1 */
    emit(0x0e00400bu | 1u << 7 | 2u << 15 | 3u << 20);
    emit(ENDPRG);
    r = launch(&l, (LaunchOptions){0});
    assert_fault(&r, FAULT_NEEDS_ALL_LANES, CODE_LO + 4, -1, 0);
}

/* warps count what they retire */
static void instructions_are_counted(void **state)
{
    (void)state;
    begin();
    emit(addi(0, 0, 0));
    emit(0x0000200b); /* with a prefix: two */
    emit(addi(0, 0, 0));
    emit(csrr(5, 0xc02));
    li(6, DATA);
    emit(sw(5, 6, 0));
    emit(csrr(5, 0xc82));
    emit(sw(5, 6, 4));
    emit(ENDPRG);
    const Launch l = plain(8, 1);
    const LaunchResult r = launch(&l, (LaunchOptions){0});
    assert_fine(&r);
    assert_int_equal(r.insns, ncode);
    assert_true(word_at(DATA) == 3 || word_at(DATA) == 4);
    assert_int_equal(word_at(DATA + 4), 0);
}

/* --- translation --- */

#define TABLES (DATA + 0x80000)
enum { RW = PTE_V | PTE_R | PTE_W | PTE_A | PTE_D };

static void put_pte(u32 table, u32 index, u64 pa, u32 flags)
{
    put(table + 8 * index, pa >> PAGE_BITS << PTE_PPN_SHIFT | flags, 8);
}

/* Virtual 0xa0000000 on: pages 0 and 1 swapped and apart, page 2 read-only, page 3 not
 * there, page 4 write-only; 0xa0200000: a large page; 0xa0400000: one at no multiple
 * of its size; 0xc0000000: a very large one. */
static Mmu make_tables(void)
{
    const u32 root = TABLES, middle = TABLES + PAGE_SIZE, leaves = TABLES + 2 * PAGE_SIZE;
    memset(memory.base + TABLES, 0, 3 * PAGE_SIZE);
    put_pte(root, 2, middle, PTE_V);
    put_pte(root, 3, 0x80000000, RW);
    put_pte(middle, 0x100, leaves, PTE_V);
    put_pte(middle, 0x101, 0x90000000, RW);
    put_pte(middle, 0x102, 0x90001000, RW);
    put_pte(leaves, 0, DATA + 0x5000, RW);
    put_pte(leaves, 1, DATA + 0x2000, RW);
    put_pte(leaves, 2, DATA + 0x3000, PTE_V | PTE_R | PTE_A);
    put_pte(leaves, 4, DATA + 0x4000, PTE_V | PTE_W | PTE_A | PTE_D);
    put_pte(leaves, 5, 0xb0000000, RW); /* no such memory */
    return (Mmu){&memory, root};
}

static void translation(void **state)
{
    (void)state;
    const struct { u32 va, pa; FaultKind load, store; } cases[] = {
        {0xa0000010, DATA + 0x5010, FAULT_NONE, FAULT_NONE},
        {0xa0001ffc, DATA + 0x2ffc, FAULT_NONE, FAULT_NONE},
        {0xa0002004, DATA + 0x3004, FAULT_NONE, FAULT_STORE_PAGE},
        {0xa0003004, 0, FAULT_LOAD_PAGE, FAULT_STORE_PAGE},
        {0xa0004008, DATA + 0x4008, FAULT_LOAD_PAGE, FAULT_NONE},
        {0xa0005008, 0, FAULT_LOAD_PAGE, FAULT_STORE_PAGE},
        {0xa0234560, DATA + 0x34560, FAULT_NONE, FAULT_NONE},
        {0xa0400000, 0, FAULT_LOAD_PAGE, FAULT_STORE_PAGE},
        {0xd0007770, DATA + 0x7770, FAULT_NONE, FAULT_NONE},
        {0x40000000, 0, FAULT_LOAD_PAGE, FAULT_STORE_PAGE},
        {DATA + 0x10, 0, FAULT_LOAD_PAGE, FAULT_STORE_PAGE}, /* no identity */
        {LDS_LO + 0x20, 0, FAULT_NONE, FAULT_NONE},          /* local memory is not translated */
    };
    for (size_t i = 0; i < countof(cases); i++)
        for (u32 storing = 0; storing < 2; storing++) {
            begin();
            const Mmu mmu = make_tables();
            const FaultKind kind = storing ? cases[i].store : cases[i].load;
            const bool local = cases[i].va < LDS_END && cases[i].va >= LDS_LO;
            if (cases[i].pa)
                put(cases[i].pa, 0x11223344, 4);
            li(5, cases[i].va);
            li(6, 0xcafe0000);
            const u32 at = emit(storing ? sw(6, 5, 0) : lw(7, 5, 0));
            li(8, 0xa0000100);
            emit(sw(7, 8, 0));
            emit(ENDPRG);
            Launch l = plain(8, 1);
            l.mmu = &mmu;
            const LaunchResult r = launch(&l, (LaunchOptions){0});
            if (kind != FAULT_NONE) {
                assert_fault(&r, kind, CODE_LO + 4 * at, -1, cases[i].va);
                continue;
            }
            assert_fine(&r);
            if (storing && !local)
                same("stored", word_at(cases[i].pa), 0xcafe0000, cases[i].va);
            else if (!local)
                same("loaded", word_at(DATA + 0x5100), 0x11223344, cases[i].va);
        }
}

/* an access over the end of a page goes on where the next one lies; half of a store is none */
static void translation_of_torn_accesses(void **state)
{
    (void)state;
    begin();
    const Mmu mmu = make_tables();
    put(DATA + 0x5ffe, 0xbbaa, 2);
    put(DATA + 0x2000, 0xddcc, 2);
    li(5, 0xa0000ffe);
    emit(lw(7, 5, 0));
    emit(vmv_x(1, 5));
    emit(vlw12(2, 1, 0));
    li(8, 0xa0000100);
    emit(sw(7, 8, 0));
    emit(vmv_x(1, 8));
    emit(vsw12(2, 1, 4));
    li(6, 0x44332211);
    emit(sw(6, 5, 0));
    li(5, 0xa0001ffe); /* the page after is read-only */
    const u32 at = emit(sw(6, 5, 0));
    emit(ENDPRG);
    Launch l = plain(8, 1);
    l.mmu = &mmu;
    const LaunchResult r = launch(&l, (LaunchOptions){0});
    assert_true(r.faulted);
    assert_int_equal(r.fault.kind, FAULT_STORE_PAGE);
    assert_int_equal(r.fault.pc, CODE_LO + 4 * at);
    same("loaded", word_at(DATA + 0x5100), 0xddccbbaa, 0);
    same("loaded by lanes", word_at(DATA + 0x5104), 0xddccbbaa, 0);
    same("first half", word_at(DATA + 0x5ffe) & 0xffff, 0x2211, 0);
    same("second half", word_at(DATA + 0x2000) & 0xffff, 0x4433, 0);
    same("half of a store", word_at(DATA + 0x2ffe) & 0xffff, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack_example),
        cmocka_unit_test(lanes_beyond_vl_fall_through),
        cmocka_unit_test(random_divergence),
        cmocka_unit_test(stack_overflow),
        cmocka_unit_test(branch_without_join),
        cmocka_unit_test(barriers_order_warps),
        cmocka_unit_test(ended_warps_count),
        cmocka_unit_test(diverged_barrier),
        cmocka_unit_test(work_item_ids),
        cmocka_unit_test(partial_warps),
        cmocka_unit_test(local_memory_is_clean),
        cmocka_unit_test(private_addresses),
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(first_fault_is_reported),
        cmocka_unit_test(limits),
        cmocka_unit_test(deadlock),
        cmocka_unit_test(faults_of_the_warp),
        cmocka_unit_test(faults_of_a_lane),
        cmocka_unit_test(faults_of_fetches),
        cmocka_unit_test(stores_to_code),
        cmocka_unit_test(exits),
        cmocka_unit_test(instructions_are_counted),
        cmocka_unit_test(translation),
        cmocka_unit_test(translation_of_torn_accesses),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
