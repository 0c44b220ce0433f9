/* region_blocks_test.c -- what is found out about guest code before it is compiled: blocks, how
 * they end, what follows, registers that live, sides of branches, launch constants.  Small programs
 * against descriptions by hand (jit/region.h has the rules); random ones (test/kit/asmgen.h)
 * against searches along paths.
 */
#include "jit/codejob.h"
#include "jit/constant.h"
#include "test/kit/twins.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- as text --------------------------------------------------------------------------- */

static Region *find(Device *d, u32 pc, WarpShape shape, u32 callee, u32 lanes, bool flags)
{
    Region *r = region_new(((Sim *)dev_engine(d))->code, pc, shape, callee, lanes, VM_OWN, flags);
    assert_non_null(r);
    return r;
}

static void put_place(Buf *b, u32 pc, bool full)
{
    buf_printf(b, "%x%s", pc - CODE_LO, full ? "" : "s");
}

static int by_place(const void *a, const void *b)
{
    const RegionBlock *x = *(const RegionBlock *const *)a, *y = *(const RegionBlock *const *)b;
    return x->pc != y->pc ? (x->pc < y->pc ? -1 : 1) : (int)y->full - (int)x->full;
}

/* A line for each block, by its place (s: some lanes are off): instructions, its end, what follows.
 * B: entered behind a barrier, P: pops, L: leaves, U: not reached; "both a+b": sides of so
 * many instructions are computed at once. */
static void describe(const Region *r, Buf *b)
{
    static const char *const ends[] = {"next",    "jump", "branch", "split", "join", "indirect",
                                       "barrier", "exit", "pass",   "vset",  "stop", "leave"};
    const RegionBlock **all = mem_alloc(r->nblock * sizeof *all);
    assert_non_null(all);
    for (u32 i = 0; i < r->nblock; i++)
        all[i] = &r->block[i];
    qsort((void *)all, r->nblock, sizeof *all, by_place);
    for (u32 i = 0; i < r->nblock; i++) {
        const RegionBlock *k = all[i];
        put_place(b, k->pc, k->full);
        buf_printf(b, ": %u %s", k->insns, ends[k->end]);
        for (u32 n = 0; n < k->nsucc; n++) {
            buf_str(b, n ? "," : " ");
            put_place(b, r->block[k->succ[n]].pc, r->block[k->succ[n]].full);
        }
        if (k->end == END_SPLIT && k->together)
            buf_printf(b, " both %u+%u", k->side_insns[0], k->side_insns[1]);
        if (k->end == END_SPLIT && k->alone)
            buf_str(b, " one");
        buf_printf(b, "%s%s%s%s\n", k->is_reentry ? " B" : "", k->pops ? " P" : "",
                   k->leaves ? " L" : "", k->is_reached ? "" : " U");
    }
    mem_free((void *)all);
}

typedef struct {
    const char *text, *want;
    WarpShape shape;
    u32 callee; /* from CODE_LO on; 0: none */
    IsaSet set; /* 0: the usual one */
} Case;

/* lanes that part meet at .Lm */
#define MEET ".Lp: auipc x30,%pcrel_hi(.Lm)\n setrpc x0,x30,%pcrel_lo(.Lp)\n"

/* on 8 lanes */
static const Case cases[] = {
    /* a branch and a loop of the whole warp */
    {"1: addi x5,x5,-1\n beqz x6,2f\n addi x7,x7,1\n2: bgtz x5,1b\n endprg x0,x0,x0\n",
     "0: 2 branch 8,c\n8: 1 next c\nc: 1 branch 10,0\n10: 1 exit\n", .shape = {.full = true}},
    /* a jump into what was a block */
    {"nop\n1: addi x5,x5,-1\n bgtz x5,1b\n endprg x0,x0,x0\n",
     "0: 1 next 4\n4: 2 branch c,4\nc: 1 exit\n", .shape = {.full = true}},
    /* a function with two callers: its return is to both, or anywhere */
    {"call f\n call f\n endprg x0,x0,x0\nf: addi x7,x7,1\n ret\n",
     "0: 2 jump 14\n8: 2 jump 14\n10: 1 exit\n14: 2 indirect 8,10 L\n", .shape = {.full = true}},
    /* one with one caller */
    {"jal x0,2f\n1: endprg x0,x0,x0\n2: jal x1,3f\n j 1b\n3: ret\n",
     "0: 1 jump 8\n4: 1 exit\n8: 1 jump 10\nc: 1 jump 4\n10: 1 jump c\n", .shape = {.full = true}},
    /* an unknown callee, and one that is expected */
    {"lw x5,0(x6)\n jalr x1,0(x5)\n endprg x0,x0,x0\n", "0: 2 indirect L\n",
     .shape = {.full = true}},
    {"lw x5,0(x6)\n mv x9,x1\n jalr x1,0(x5)\n mv x1,x9\n endprg x0,x0,x0\n nop\nf: addi x7,x7,1\n "
     "ret\n",
     "0: 3 indirect 18 L\nc: 2 exit\n18: 2 jump c\n", .shape = {.full = true}, .callee = 24},
    /* targets that are computed: known by all paths, or not */
    {"la x5,1f\n beqz x6,2f\n la x5,1f\n2: jr x5\n1: endprg x0,x0,x0\n",
     "0: 3 branch c,14\nc: 2 next 14\n14: 1 jump 18\n18: 1 exit\n", .shape = {.full = true}},
    {"la x5,1f\n beqz x6,2f\n la x5,2f\n2: jr x5\n1: endprg x0,x0,x0\n",
     "0: 3 branch c,14\nc: 2 next 14\n14: 1 indirect 18 L\n18: 1 exit\n", .shape = {.full = true}},
    {"li x5,0x80000000\n li x6,16\n add x5,x5,x6\n slli x6,x6,1\n jr x5\n",
     "0: 4 next 10\n10: 1 jump 10\n", .shape = {.full = true}},
    {"li x5,0x80000000\n lw x6,0(x5)\n add x5,x5,x6\n jr x5\n", "0: 4 indirect L\n",
     .shape = {.full = true}},
    {"jal x5,1f\n endprg x0,x0,x0\n1: jalr x6,8(x5)\n endprg x0,x0,x0\n",
     "0: 1 jump 8\n8: 1 jump c\nc: 1 exit\n", .shape = {.full = true}},
    {"la x5,1f\n lw x5,0(x5)\n jr x5\n1: endprg x0,x0,x0\n", "0: 4 indirect L\n",
     .shape = {.full = true}},
    /* no code */
    {"j .-4\n", "0: 1 jump L\n", .shape = {.full = true}},
    {"nop\n nop\n .word 0xffffffff\n", "0: 3 stop\n", .shape = {.full = true}},
    /* sides that are computed at once */
    {MEET " vbeq v1,v2,.Le\n vadd.vi v3,v3,1\n vadd.vi v3,v3,2\n j .Lm\n.Le: vadd.vi v4,v4,3\n.Lm: "
          "join x0,x0,0\n endprg x0,x0,x0\n",
     "0: 3 split c,18,cs,18s,1c both 3+1\nc: 3 jump 1c U\ncs: 3 jump 1cs U\n18: 1 next 1c U\n18s: "
     "1 next 1cs U\n1c: 1 join 20\n1cs: 1 join 20s,1cs,1c,cs,18s U\n20: 1 exit\n20s: 1 exit U\n",
     .shape = {.full = true}},
    {MEET " vbeq v1,v2,.Lm\n vadd.vi v3,v3,1\n.Lm: join x0,x0,0\n endprg x0,x0,x0\n",
     "0s: 3 split cs,10s both 1+0\ncs: 1 next 10s U\n10s: 1 join 14s,10s\n14s: 1 exit\n",
     .shape = {0}}, /* which never has all lanes */
    {MEET " vbeq v1,v2,.Lm\n vadd.vi v3,v3,1\n.Lm: join x0,x0,0\n endprg x0,x0,x0\n",
     "0s: 3 split cs,10s both 1+0\ncs: 1 next 10s U\n10: 1 join 14 P\n10s: 1 join 14s,10s,10 P "
     "L\n14: 1 exit\n14s: 1 exit\n",
     .shape = {.deep = true}},
    /* not those: a scalar, a jump with a result, another join; a mask and a load, if they are alone */
    {MEET " vbeq v1,v2,.Le\n vadd.vi v3,v3,1\n j .Lm\n.Le: addi x4,x4,3\n.Lm: join x0,x0,0\n "
          "endprg x0,x0,x0\n",
     "0: 3 split c,14,cs,14s\nc: 2 jump 18\ncs: 2 jump 18s\n14: 1 next 18\n14s: 1 next 18s\n18: 1 "
     "join 1c\n18s: 1 join 1cs,18s,18,cs,14s P\n1c: 1 exit\n1cs: 1 exit\n",
     .shape = {.full = true}},
    {MEET " vbeq v1,v2,.Lm\n vadd.vi v3,v3,1,v0.t\n.Lm: join x0,x0,0\n endprg x0,x0,x0\n",
     "0: 3 split c,10,cs,10s one\nc: 1 next 10\ncs: 1 next 10s U\n10: 1 join 14\n10s: 1 join "
     "14s,10s,10 U\n14: 1 exit\n14s: 1 exit U\n",
     .shape = {.full = true}},
    {MEET " vbeq v1,v2,.Lm\n vlw12.v v3,0(v1)\n.Lm: join x0,x0,0\n endprg x0,x0,x0\n",
     "0: 3 split c,10,cs,10s one\nc: 1 next 10\ncs: 1 next 10s U\n10: 1 join 14\n10s: 1 join "
     "14s,10s,10 U\n14: 1 exit\n14s: 1 exit U\n",
     .shape = {.full = true}},
    {MEET " vbeq v1,v2,.Le\n vadd.vi v3,v3,1\n jal x5,.Lm\n.Le: vid.v v4\n.Lm: join x0,x0,0\n "
          "endprg x0,x0,x0\n",
     "0: 3 split c,14,cs,14s\nc: 2 jump 18\ncs: 2 jump 18s\n14: 1 next 18\n14s: 1 next 18s\n18: 1 "
     "join 1c\n18s: 1 join 1cs,18s,18,cs,14s P\n1c: 1 exit\n1cs: 1 exit\n",
     .shape = {.full = true}},
    {MEET " vbeq v1,v2,.Lm\n vadd.vi v3,v3,1\n vbeq v3,v2,.Lm\n vmulh.vv v3,v3,v3\n.Lm: join "
          "x0,x0,0\n endprg x0,x0,x0\n",
     "0: 3 split c,18,cs,18s\nc: 2 split 14,18,14s,18s one\ncs: 2 split 14s,18s one\n14: 1 next "
     "18\n14s: 1 next 18s U\n18: 1 join 1c\n18s: 1 join 1cs,18s,18 P\n1c: 1 exit\n1cs: 1 exit\n",
     .shape = {.full = true}},
    /* places to meet that are unknown, no join, or a join after a prefix */
    {"vbeq v1,v2,.Le\n vadd.vi v3,v3,1\n.Le: join x0,x0,0\n endprg x0,x0,x0\n", "0: 1 leave L\n",
     .shape = {.full = true}},
    {MEET " vbeq v1,v2,.Le\n nop\n.Lm: nop\n.Le: join x0,x0,0\n endprg x0,x0,x0\n",
     "0: 3 leave L\n", .shape = {.full = true}},
    {MEET " vbeq v1,v2,.Lm\n nop\n.Lm: regext x0,x0,0\n join x0,x0,0\n endprg x0,x0,x0\n",
     "0: 3 leave L\n", .shape = {.full = true}},
    {"setrpc x0,x6,16\n nop\n vbeq v1,v2,.+8\n vid.v v3\n join x0,x0,0\n endprg x0,x0,x0\n",
     "0: 3 split c,10,cs,10s both 1+0\nc: 1 next 10 U\ncs: 1 next 10s U\n10: 1 join 14\n10s: 1 "
     "join 14s,10s,10 U\n14: 1 exit\n14s: 1 exit U\n",
     .shape = {.full = true, .base = CODE_LO}},
    {"setrpc x0,x6,16\n nop\n vbeq v1,v2,.+8\n vid.v v3\n join x0,x0,0\n endprg x0,x0,x0\n",
     "0: 3 leave L\n", .shape = {.full = true}},
    {MEET " beqz x5,1f\n setrpc x0,x30,4\n1: vbeq v1,v2,.Lm\n nop\n.Lm: join x0,x0,0\n endprg "
          "x0,x0,x0\n",
     "0: 3 branch c,10\nc: 1 next 10\n10: 1 leave L\n14: 1 next 18 U\n14s: 1 next 18s U\n18: 1 "
     "join 1c U\n18s: 1 join 1cs,18s,18 U\n1c: 1 exit U\n1cs: 1 exit U\n",
     .shape = {.full = true}},
    /* a barrier */
    {"1: addi x5,x5,1\n barrier x0,x0,0\n bnez x5,1b\n endprg x0,x0,x0\n",
     "0: 2 barrier 8\n8: 1 branch c,0 B\nc: 1 exit\n", .shape = {.full = true}},
    /* of a group of one warp */
    {"1: addi x5,x5,1\n barrier x0,x0,0\n bnez x5,1b\n endprg x0,x0,x0\n",
     "0: 2 pass 8\n8: 1 branch c,0\nc: 1 exit\n", .shape = {.full = true, .alone = true}},
    /* lengths: all lanes, or not */
    {"vsetvli x5,x0,e32,m1,ta,ma\n vsetivli x0,8,e32,m1,ta,ma\n vsetivli x0,7,e32,m1,ta,ma\n "
     "endprg x0,x0,x0\n",
     "0: 1 vset 4\n4: 1 vset 8\n8: 1 leave L\n", .shape = {.full = true}},
    {"csrr x5,knl\n vsetvli x0,x5,e32,m1,ta,ma\n li x6,9\n vsetvli x0,x6,e32,m1,tu,mu\n li x6,7\n "
     "vsetvli x0,x6,e32,m1,ta,ma\n endprg x0,x0,x0\n",
     "0: 2 vset 8\n8: 2 vset 10\n10: 2 leave L\n", .shape = {.full = true}},
    {"csrr x5,wid\n vsetvli x0,x5,e32,m1,ta,ma\n endprg x0,x0,x0\n", "0: 2 leave L\n",
     .shape = {.full = true}},
    {"csrr x5,knl\n addi x5,x5,1\n vsetvli x0,x5,e32,m1,ta,ma\n endprg x0,x0,x0\n",
     "0: 3 leave L\n", .shape = {.full = true}},
    {"csrr x5,knl\n beqz x6,1f\n csrr x5,numt\n1: vsetvli x0,x5,e32,m1,ta,ma\n endprg x0,x0,x0\n",
     "0: 2 branch 8,c\n8: 1 next c\nc: 1 leave 10 L\n10: 1 exit\n", .shape = {.full = true}},
    {"vsetvli x0,x0,e32,m1,ta,ma\n endprg x0,x0,x0\n", "0: 1 leave L\n", .shape = {.full = true}},
    {"vsetvli x5,x0,e16,m1,ta,ma\n endprg x0,x0,x0\n", "0: 1 leave L\n", .shape = {.full = true}},
    {"vsetvli x5,x0,e32,m2,ta,ma\n endprg x0,x0,x0\n", "0: 1 leave L\n", .shape = {.full = true}},
    {"li x5,16\n vsetvl x6,x0,x5\n endprg x0,x0,x0\n", "0: 2 leave L\n", .shape = {.full = true}},
    /* paths that meet in the middle of what was a block */
    {"la x5,1f\n beqz x6,2f\n lw x5,0(x7)\n2: jr x5\n1: endprg x0,x0,x0\n",
     "0: 3 branch c,10\nc: 1 next 10\n10: 1 indirect 14 L\n14: 1 exit\n", .shape = {.full = true}},
    {"csrr x5,knl\n beqz x6,1f\n lw x5,0(x7)\n1: vsetvli x0,x5,e32,m1,ta,ma\n endprg x0,x0,x0\n",
     "0: 2 branch 8,c\n8: 1 next c\nc: 1 leave 10 L\n10: 1 exit\n", .shape = {.full = true}},
    {MEET
     " beqz x6,1f\n setrpc x0,x7,0\n1: vbeq v1,v2,.Lm\n nop\n.Lm: join x0,x0,0\n endprg x0,x0,x0\n",
     "0: 3 branch c,10\nc: 1 next 10\n10: 1 leave L\n14: 1 next 18 U\n14s: 1 next 18s U\n18: 1 "
     "join 1c U\n18s: 1 join 1cs,18s,18 U\n1c: 1 exit U\n1cs: 1 exit U\n",
     .shape = {.full = true}},
    /* a place to meet that is known as a number, too; what a prefix changes */
    {"la x5,1f\n setrpc x6,x5,-4\n jr x6\n nop\n1: endprg x0,x0,x0\n", "0: 4 jump 10\n10: 2 exit\n",
     .shape = {.full = true}},
    {"li x5,0x80000000\n li x6,12\n add x5,x5,x6\n jr x5\n", "0: 3 next c\nc: 1 jump c\n",
     .shape = {.full = true}, .set = V2025},
    {"li x5,0x80000000\n li x6,12\n prefix neg=1\n add x5,x5,x6\n jr x5\n", "0: 5 indirect L\n",
     .shape = {.full = true}, .set = V2025},
    {"li x6,12\n prefix neg=1\n addi x5,x6,4\n jr x5\n", "0: 4 indirect L\n",
     .shape = {.full = true}, .set = V2025},
    /* a rounding mode */
    {"nop\n csrrwi x0,frm,1\n endprg x0,x0,x0\n", "0: 2 leave L\n", .shape = {.full = true}},
    {"csrr x5,frm\n csrrwi x0,vxrm,1\n endprg x0,x0,x0\n", "0: 3 exit\n", .shape = {.full = true}},
};

static void loads(Device *d, const char *text)
{
    no_text();
    buf_str(&gen.text, text);
    load_text(d);
}

/* A device that has the program of the case. */
static Device *open_case(const Case *c)
{
    const IsaSet usual = gen.set;
    gen.set = c->set ? c->set : usual;
    Device *d = open_device("interp", 64);
    loads(d, c->text);
    gen.set = usual;
    return d;
}

static void as_described(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(cases); i++) {
        const Case *c = &cases[i];
        Device *d = open_case(c);
        Buf b = {0};
        Region *r = find(d, CODE_LO, c->shape, c->callee ? CODE_LO + c->callee : 0, 8, false);
        describe(r, &b);
        if (strcmp(buf_text(&b), c->want))
            fail_msg("of\n%s\nwanted:\n%s\ngot:\n%s", c->text, c->want, buf_text(&b));
        region_free(r);
        buf_free(&b);
        dev_close(d);
    }
    buf_free(&gen.text);
}

/* --- sizes --------------------------------------------------------------------------------- */

/* Whether the branch at the beginning of a program of so many instructions on its sides is computed
 * with both sides at once. */
static bool together(Device *d, u32 next, u32 taken)
{
    no_text();
    set_meeting(0);
    line("vbeq v1,v2,.Le");
    for (u32 i = 0; i < next; i++)
        line("vadd.vi v3,v3,1");
    line("j .Lm0");
    label(".Le");
    for (u32 i = 0; i < taken; i++)
        line("vadd.vi v4,v4,1");
    label(".Lm0");
    line("join x0,x0,0");
    line("endprg x0,x0,x0");
    load_text(d);
    Region *r = find(d, CODE_LO, (WarpShape){.full = true}, 0, 8, false);
    const bool is = r->block[0].together;
    if (is) {
        assert_int_equal(r->block[0].side_insns[0], next + 1); /* the jump */
        assert_int_equal(r->block[0].side_insns[1], taken);
    }
    region_free(r);
    return is;
}

/* Up to 16 instructions of both sides. */
static void short_sides(void **state)
{
    (void)state;
    Device *d = open_device("interp", 64);
    for (u32 next = 1; next < 18; next++)
        for (u32 taken = 0; taken < 18; taken++)
            if (together(d, next, taken) != (next + 1 + taken <= 16))
                fail_msg("%u and %u instructions", next, taken);
    dev_close(d);
    buf_free(&gen.text);
}

/* Which instructions a side may have: what the host computes of rows in a few of its own. */
static bool is_quick(InsnId id, bool flags)
{
    static const Op slow[] = {
        OP_div,   OP_divu,         OP_rem,           OP_remu,     OP_mulh,
        OP_mulhu, OP_mulhsu,       OP_fclass,        OP_zext8,    OP_zext16,
        OP_sext8, OP_sext16,       OP_fcopy,         OP_fdiv,     OP_frdiv,
        OP_fsqrt, OP_fmin,         OP_fmax,          OP_fcvt_x_f, OP_fcvt_xu_f,
        OP_frec7, OP_fcvt_rtz_x_f, OP_fcvt_rtz_xu_f, OP_frsqrt7,  /* of masks: */ OP_nand,
        OP_andn,  OP_nor,          OP_orn,           OP_xnor};
    const Effect e = (Effect)isa_insn[id].effect;
    if (e == E_VID)
        return true;
    if ((e != E_ALU && e != E_MAC && (flags || (e != E_FALU && e != E_FMAC))) || !isa_is_vector(id))
        return false;
    for (size_t i = 0; i < countof(slow); i++)
        if ((Op)isa_insn[id].op == slow[i])
            return false;
    return true;
}

/* A word of that row on any registers, without a mask; 0: there is none that only computes. */
static u32 plain_word(const IsaDecoder *d, InsnId id)
{
    const u32 fixed = (u32)isa_format[isa_insn[id].format].mask;
    for (u32 tries = 0; tries < 200 && isa_insn[id].len == 4; tries++) {
        const u32 word = (u32)isa_insn[id].match | ((below(UINT32_MAX) | 1 << 25) & ~fixed);
        IsaFacts f;
        Insn in;
        if (isa_decode(d, word, &in) && in.id == id && isa_facts(&in, NULL, gen.set, 8, &f) &&
            !f.masked && f.control == CONTROL_NEXT && !(f.writes & (STATE_VL | STATE_FRM)))
            return word;
    }
    return 0;
}

static void quick_sides(void **state)
{
    (void)state;
    gen_begin(1);
    IsaDecoder *decoder = mem_alloc(sizeof *decoder);
    assert_non_null(decoder);
    isa_decoder_init(decoder, gen.set);
    Device *d = open_device("interp", 64);
    u32 quick = 0;
    for (int id = 0; id < NINSN; id++) {
        const u32 word = isa_has(gen.set, (InsnId)id) ? plain_word(decoder, (InsnId)id) : 0;
        if (!word)
            continue;
        no_text();
        set_meeting(0);
        line("vbeq v1,v2,.Lm0");
        line(".word %#x", word);
        label(".Lm0");
        line("join x0,x0,0");
        line("endprg x0,x0,x0");
        load_text(d);
        for (u32 flags = 0; flags < 2; flags++) {
            Region *r = find(d, CODE_LO, (WarpShape){.full = true}, 0, 8, flags);
            const bool want = is_quick((InsnId)id, flags);
            if (r->block[0].together != want)
                fail_msg("%s is%s computed on both sides", isa_insn[id].text, want ? " not" : "");
            quick += want;
            region_free(r);
        }
    }
    assert_true(quick > 100);
    dev_close(d);
    mem_free(decoder);
    buf_free(&gen.text);
}

/* A block has up to 512 instructions; a region ends with the block in which it has more than
 * 60000. */
static void long_regions(void **state)
{
    enum { BLOCK = 512, MOST = 60000 };
    (void)state;
    Device *d = open_device("interp", 64);
    loads(d, ".rept 70000\n nop\n .endr\n endprg x0,x0,x0\n");
    Region *r = find(d, CODE_LO, (WarpShape){.full = true}, 0, 8, false);
    assert_int_equal(r->nblock, MOST / BLOCK + 1);
    for (u32 i = 0; i < r->nblock; i++) {
        const RegionBlock *b = &r->block[i];
        assert_int_equal(b->nuop, BLOCK);
        assert_int_equal(b->pc, CODE_LO + 4 * BLOCK * i);
        assert_int_equal(b->leaves, i + 1 == r->nblock);
        assert_int_equal(b->nsucc, i + 1 < r->nblock);
    }
    assert_int_equal(r->insns, BLOCK * r->nblock);
    region_free(r);
    dev_close(d);
    buf_free(&gen.text);
}

/* The digest tells regions apart that differ in one word, shape or register that lives. */
static void digests_differ(void **state)
{
    u64 seen[countof(cases) + 8];
    u32 n = 0;
    (void)state;
    for (size_t i = 0; i < countof(cases); i++) {
        Device *d = open_case(&cases[i]);
        Region *a = find(d, CODE_LO, cases[i].shape, cases[i].callee, 8, false),
               *b = find(d, CODE_LO, cases[i].shape, cases[i].callee, 8, false);
        assert_true(region_digest(a) == region_digest(b) && region_digest(a));
        seen[n++] = region_digest(a);
        region_free(a);
        region_free(b);
        dev_close(d);
    }
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; k < i; k++)
            if (seen[i] == seen[k])
                fail_msg("%s\nand\n%s", cases[i].text, cases[k].text);
    buf_free(&gen.text);
}

/* --- launch constants -------------------------------------------------------------------- */

static void put_value(const Region *r, u32 n, Buf *b)
{
    const LaunchValue *v = &r->value[n];
    bool standard;
    switch (v->kind) {
    case VALUE_NONE:
    case VALUE_PAST: buf_str(b, "?"); break;
    case VALUE_WORD: buf_printf(b, "%x", v->word); break;
    case VALUE_CSR: buf_str(b, isa_csr_name(v->word, &standard)); break;
    case VALUE_OP:
        buf_printf(b, "%s(", isa_op_name[v->op]);
        put_value(r, v->a, b);
        buf_str(b, ",");
        put_value(r, v->b, b);
        buf_str(b, ")");
        break;
    case VALUE_LOAD:
        buf_printf(b, "%s[", isa_op_name[v->op]);
        put_value(r, v->a, b);
        buf_printf(b, "%+d]", (i32)v->word);
        break;
    }
}

/* What each load of the region is, in the order of the code, in lines. */
static void describe_loads(const Region *r, Buf *b)
{
    const RegionBlock **all = mem_alloc(r->nblock * sizeof *all);
    assert_non_null(all);
    for (u32 i = 0; i < r->nblock; i++)
        all[i] = &r->block[i];
    qsort((void *)all, r->nblock, sizeof *all, by_place);
    for (u32 i = 0; i < r->nblock; i++)
        for (u32 k = 0; k < all[i]->nuop; k++) {
            const InsnId id = (InsnId)all[i]->uop[k]->id;
            if (!all[i]->full || id >= NINSN || isa_insn[id].effect != E_LOAD)
                continue;
            assert_non_null(all[i]->constant);
            put_value(r, all[i]->constant[k], b);
            buf_str(b, "\n");
        }
    buf_str(b, !r->repeats ? "once\n" : r->meets ? "in rounds\n" : "");
    mem_free((void *)all);
}

static const struct {
    const char *text, *want;
} constants[] = {
    /* the metadata block, the arguments, what these point to */
    {"csrr x5,knl\n lw x6,4(x5)\n lw x7,0(x6)\n lw x8,-8(x7)\n lb x9,1(x8)\n lhu x9,2(x8)\n lh "
     "x9,4(x8)\n lbu x9,0(x8)\n",
     "w[knl+4]\nw[w[knl+4]+0]\nw[w[w[knl+4]+0]-8]\nb[w[w[w[knl+4]+0]-8]+1]\nhu[w[w[w[knl+4]+0]-8]+"
     "2]\n"
     "h[w[w[w[knl+4]+0]-8]+4]\nbu[w[w[w[knl+4]+0]-8]+0]\n"},
    /* where warps may go on without them: two pointers deep */
    {"csrr x5,knl\n beqz x10,1f\n lw x6,4(x5)\n lw x7,0(x6)\n lw x8,0(x7)\n1:\n",
     "w[knl+4]\nw[w[knl+4]+0]\n?\n"},
    {"csrr x5,knl\n lw x6,4(x5)\n lw x7,0(x6)\n lw x8,0(x7)\n beqz x8,1f\n lw x9,0(x8)\n1: lw "
     "x9,4(x5)\n",
     "w[knl+4]\nw[w[knl+4]+0]\nw[w[w[knl+4]+0]+0]\n?\nw[knl+4]\n"},
    /* numbers that all warps have alike, and others */
    {"csrr x5,numw\n lw x6,0(x5)\n csrr x5,numt\n lw x6,0(x5)\n", "w[numw+0]\nw[numt+0]\n"},
    /* local memory is none */
    {"csrr x5,lds\n lw x6,0(x5)\n addi x5,x5,4\n lw x6,0(x5)\n lui x7,0x70000\n lw x6,0(x7)\n lw "
     "x6,-4(x7)\n",
     "?\n?\n?\nw[70000000-4]\n"},
    {"csrr x5,wid\n lw x6,0(x5)\n csrr x5,tid\n lw x6,0(x5)\n csrr x5,gidx\n lw x6,0(x5)\n csrr "
     "x5,pds\n lw x6,0(x5)\n csrr x5,wgid\n lw x6,0(x5)\n",
     "?\n?\n?\n?\n?\n"},
    /* arithmetic; registers that nobody has written are 0 */
    {"csrr x5,knl\n slli x6,x5,2\n addi x6,x6,5\n sub x7,x6,x5\n lw x8,0(x7)\n lw x9,12(x20)\n lui "
     "x6,0x12345\n addi x6,x6,1\n lw x6,0(x6)\n",
     "w[sub(add(sll(knl,2),5),knl)+0]\nw[0+12]\nw[12345001+0]\n"},
    {"auipc x5,1\n lw x6,0(x5)\n jal x7,1f\n1: lw x8,0(x7)\n vsetvli x9,x0,e32,m1,ta,ma\n lw "
     "x9,0(x9)\n",
     "w[80001000+0]\nw[8000000c+0]\nw[8+0]\n"},
    {"csrr x5,knl\n setrpc x6,x5,8\n lw x6,0(x6)\n vmv.x.s x5,v1\n lw x6,0(x5)\n",
     "w[add(knl,8)+0]\n?\n"},
    /* behind a store, an atomic */
    {"csrr x5,knl\n lw x6,0(x5)\n sw x6,0(x6)\n lw x7,4(x5)\n", "w[knl+0]\n?\n"},
    {"csrr x5,knl\n vlw12.v v1,0(v2)\n lw x6,0(x5)\n vsw12.v v1,0(v2)\n lw x7,4(x5)\n",
     "w[knl+0]\n?\n"},
    {"csrr x5,knl\n amoadd.w v3,v1,(v2)\n lw x7,4(x5)\n", "?\n"},
    {"csrr x5,knl\n beqz x20,1f\n sw x5,0(x5)\n1: lw x7,4(x5)\n", "?\n"},
    {"csrr x5,knl\n1: lw x7,4(x5)\n sw x5,0(x5)\n bnez x7,1b\n", "?\n"},
    /* paths that agree, or not */
    {"csrr x5,knl\n beqz x20,1f\n addi x6,x5,4\n j 2f\n1: addi x6,x5,4\n2: lw x7,0(x6)\n lw "
     "x7,0(x5)\n",
     "w[add(knl,4)+0]\nw[knl+0]\n"},
    {"csrr x5,knl\n mv x6,x5\n lw x7,0(x6)\n add x7,x0,x6\n lw x7,4(x7)\n", "w[knl+0]\nw[knl+4]\n"},
    {"csrr x5,knl\n beqz x20,1f\n addi x6,x5,4\n j 2f\n1: addi x6,x5,8\n2: lw x7,0(x6)\n", "?\n"},
    /* where warps meet: memory is asked again, but not by what was loaded before; arguments, not what they point to */
    {"csrr x5,knl\n lw x6,4(x5)\n sw x6,0(x6)\n barrier x0,x0,0\n lw x7,4(x5)\n lw x8,0(x6)\n lw "
     "x9,0(x7)\n lw x10,0(x9)\n",
     "w[knl+4]\nw[knl+4]\n?\nw[w[knl+4]+0]\n?\nin rounds\n"},
    {"csrr x5,knl\n1: lw x6,4(x5)\n barrier x0,x0,0\n lw x7,0(x6)\n bnez x7,1b\n lw x7,4(x5)\n sw "
     "x5,0(x5)\n lw x7,4(x5)\n",
     "w[knl+4]\n?\nw[knl+4]\n?\nin rounds\n"},
    /* what a warp leaves that the next one would find */
    {"csrr x5,knl\n lw x6,0(x5)\n csrrw x0,mscratch,x6\n", "w[knl+0]\nonce\n"},
    {"csrr x5,knl\n lw x6,0(x5)\n csrrwi x0,mstatus,8\n csrrsi x0,mtvec,8\n csrr x7,mscratch\n "
     "csrrci x7,mscratch,0\n",
     "w[knl+0]\n"},
    {"csrr x5,knl\n lw x6,0(x5)\n csrrwi x7,mstatus,8\n", "w[knl+0]\nonce\n"},
    {"csrr x5,knl\n lw x6,0(x5)\n vsadd.vv v1,v1,v1\n", "w[knl+0]\nonce\n"},
    {"csrr x5,knl\n lw x6,0(x5)\n lr.w v1,(v2)\n", "w[knl+0]\nonce\n"},
};

static void expect_loads(Device *d, const char *code, bool alone, const char *want)
{
    Buf b = {0}, text = {0};
    buf_printf(&text, "%s endprg x0,x0,x0\n", code);
    loads(d, buf_text(&text));
    const WarpShape shape = {.full = true, .fresh = true, .alone = alone};
    Region *r = find(d, CODE_LO, shape, 0, 8, false);
    describe_loads(r, &b);
    if (strcmp(buf_text(&b), want))
        fail_msg("of\n%s\nwanted:\n%s\ngot:\n%s", code, want, buf_text(&b));
    region_free(r);
    buf_free(&b);
    buf_free(&text);
}

static void constants_as_described(void **state)
{
    (void)state;
    Device *d = open_device("interp", 64);
    for (size_t i = 0; i < countof(constants); i++)
        expect_loads(d, constants[i].text, false, constants[i].want);
    /* a barrier that nobody waits at */
    expect_loads(d, "csrr x5,knl\n lw x6,0(x5)\n barrier x0,x0,0\n lw x6,4(x5)\n", true,
                 "w[knl+0]\nw[knl+4]\n");
    dev_close(d);
    buf_free(&gen.text);
}

/* What the value is in a launch whose metadata block is at KNL, by its text's rule; *guard grows by
 * what is read of pages that may be written. */
static u32 evaluate(const Region *r, u32 n, const Memory *m, u64 guard[2])
{
    const LaunchValue *v = &r->value[n];
    switch (v->kind) {
    case VALUE_NONE:
    case VALUE_PAST: break;
    case VALUE_WORD: return v->word;
    case VALUE_CSR:
        return v->word == CSR_knl ? KNL : v->word == CSR_numw ? 2 : v->word == CSR_lds ? LDS_LO : 8;
    case VALUE_OP: {
        const u32 a = evaluate(r, v->a, m, guard), b = evaluate(r, v->b, m, guard);
        return (Op)v->op == OP_sub ? a - b : (Op)v->op == OP_sll ? a << b : a + b;
    }
    case VALUE_LOAD: {
        const u32 at = evaluate(r, v->a, m, guard) + v->word;
        const u32 width = (Op)v->op == OP_w ? 4 : (Op)v->op == OP_h || (Op)v->op == OP_hu ? 2 : 1;
        const u32 word = memory_get(m->base + at, width);
        if (memory_rights(m, at >> PAGE_BITS) != MEM_R) {
            guard[0] = at < guard[0] ? at : guard[0];
            guard[1] = at + width > guard[1] ? at + width : guard[1];
        }
        return (Op)v->op == OP_b   ? (u32)(i32)(i8)word
               : (Op)v->op == OP_h ? (u32)(i32)(i16)word
                                   : word;
    }
    }
    fail_msg("a value of no kind");
    return 0;
}

/* A chain of loads through memory at which everything is possible; the rights of the page that each
 * reads from; and how many bytes before the end of that page it reads (0: amid). */
static void read_constants(Device *d, const char *load, u8 rights, u32 before_end, bool may)
{
    Memory *m = dev_memory(d);
    const u32 page = DATA + 8 * PAGE_SIZE,
              at = before_end ? page + PAGE_SIZE - before_end : page + 64;
    u32 value[MAX_CONSTANTS], block[2] = {7, at - 4};
    u64 want[2] = {UINT64_MAX, 0};
    char text[200];
    Guard guard;
    snprintf(text, sizeof text,
             "csrr x5,knl\n csrr x9,lds\n lw x6,4(x5)\n %s x7,4(x6)\n sub x8,x5,x7\n add x8,x8,x7\n"
             " lhu x8,2(x8)\n endprg x0,x0,x0\n",
             load);
    loads(d, text);
    memory_set_rights(m, page >> PAGE_BITS, MEM_R | MEM_W);
    memory_set_rights(m, (page >> PAGE_BITS) + 1, MEM_R | MEM_W);
    memcpy(m->base + KNL, block, sizeof block);
    for (u32 i = 0; i < 2 * PAGE_SIZE; i++)
        m->base[page + i] = (u8)below(256);
    memory_set_rights(m, page >> PAGE_BITS, rights);
    Region *r = find(d, CODE_LO, (WarpShape){.full = true, .fresh = true}, 0, 8, false);
    const Launch l = {.memory = m, .knl = KNL, .lanes = 8, .warps = 2, .groups = {1, 1, 1}};
    Group g = {.launch = &l, .nwarps = 2, .lds_base = LDS_LO};
    Warp *w = aligned_alloc(64, sizeof *w);
    assert_non_null(w);
    memset((void *)w, 0, sizeof *w);
    w->group = &g;
    memset(value, 0xa5, sizeof value);
    const bool ok = constants_read(r, w, value, &guard);
    if (ok != may)
        fail_msg("%s, rights %x, %u before the end: %s", load, rights, before_end,
                 ok ? "constants" : "none");
    u32 nloads = 0;
    for (u32 n = 1; ok && n < r->nvalue; n++) {
        if (r->value[n].kind != VALUE_LOAD)
            continue;
        assert_int_equal(value[n], evaluate(r, n, m, want));
        nloads++;
    }
    assert_true(!ok || nloads == 3);
    if (ok)
        assert_true(guard.part[0].lo == want[0] && guard.part[0].lo + guard.part[0].room == want[1] &&
                    !guard.part[1].room);
    for (u32 n = 1; ok && n < r->nvalue; n++) /* what nobody needs is not read */
        if (r->value[n].kind == VALUE_CSR && r->value[n].word == CSR_lds)
            assert_int_equal(value[n], 0xa5a5a5a5);
    free((void *)w);
    region_free(r);
}

/* Bytes around two or three places that are far from each other: all are in some part, and parts are narrow as long as
 * there are enough of them. */
static void guards(void **state)
{
    enum { FAR = 1 << 24, NEAR = 1 << 15, TIMES = 12 };
    (void)state;
    gen_begin(5);
    for (u32 n = 0; n < 3000; n++) {
        const u32 places = 1 + n % 3, first = n % 7 ? below(1 << 30) : UINT32_MAX - 3 * FAR;
        u32 at[TIMES], size[TIMES], seen = 0;
        Guard g = {.part = {{0}}};
        for (u32 i = 0; i < TIMES; i++) {
            const u32 place = below(places);
            seen |= 1u << place;
            at[i] = first + place * FAR + below(NEAR);
            size[i] = 1 + below(300);
            guard_add(&g, at[i], size[i]);
        }
        for (u32 i = 0; i < TIMES; i++) {
            bool has = false;
            for (u32 k = 0; k < GUARD_PARTS; k++)
                has |= at[i] >= g.part[k].lo &&
                       (u64)at[i] + size[i] <= (u64)g.part[k].lo + g.part[k].room;
            assert_true(has);
        }
        assert_int_equal(guard_is_wide(&g), seen == 7);
    }
    /* all there is, which has one byte more than a part can say */
    Guard g = {.part = {{0}}};
    guard_add(&g, UINT32_MAX, 1);
    guard_add(&g, 0x80000000, 1);
    guard_add(&g, 0, 1);
    assert_true(guard_is_wide(&g));
    guard_add(&g, UINT32_MAX, 1);
    assert_true(guard_is_wide(&g));
}

static void constants_as_read(void **state)
{
    static const struct {
        const char *name;
        u32 width;
    } widths[] = {{"lw", 4}, {"lh", 2}, {"lhu", 2}, {"lb", 1}, {"lbu", 1}};
    static const u8 rights[] = {MEM_R, MEM_R | MEM_W, MEM_R | MEM_TRACKED, MEM_R | MEM_CODE, 0,
                                MEM_W, MEM_X};
    (void)state;
    gen_begin(2);
    Device *d = open_device("interp", 64);
    for (size_t k = 0; k < countof(widths); k++)
        for (size_t i = 0; i < countof(rights); i++)
            for (u32 before_end = 0; before_end < 6; before_end++)
                read_constants(d, widths[k].name, rights[i], before_end,
                               rights[i] & MEM_R && (!before_end || before_end >= widths[k].width));
    dev_close(d);
    buf_free(&gen.text);
}

/* --- random programs ------------------------------------------------------------------- */

static bool has(const RegSet *s, bool is_vector, u32 n)
{
    return is_vector ? regset_has_v(s, n) : s->x >> n & 1;
}

/* Whether instruction k reads the register. */
static bool reads(const RegionBlock *b, u32 k, bool is_vector, u32 n)
{
    const IsaFacts *f = b->facts[k];
    const InsnId id = (InsnId)b->uop[k]->id;
    for (u32 i = 0; !f->refused && i < f->nregs; i++) {
        const IsaRegs *r = &f->reg[i];
        const bool named = r->is_vector == is_vector && n - r->first < r->count;
        if (named && (r->is_read || (r->is_written && is_vector && f->masked)))
            return true;
        /* no lane is on: the scalar stays */
        if (named && !is_vector && r->is_written && id < NINSN && isa_insn[id].effect == E_TOSCALAR)
            return true;
    }
    return false;
}

static bool writes(const RegionBlock *b, u32 k, bool is_vector, u32 n)
{
    const IsaFacts *f = b->facts[k];
    for (u32 i = 0; !f->refused && i < f->nregs; i++)
        if (f->reg[i].is_vector == is_vector && n - f->reg[i].first < f->reg[i].count &&
            f->reg[i].is_written)
            return true;
    return false;
}

/* Whether it reads lanes of the row that are off. */
static bool crosses(const RegionBlock *b, u32 k, u32 n)
{
    const IsaFacts *f = b->facts[k];
    const bool lanes = (f->reads | f->writes) & STATE_LANES || f->access == ACCESS_COPY;
    for (u32 i = 0; !f->refused && i < f->nregs; i++) {
        const IsaRegs *r = &f->reg[i];
        if (r->is_vector && r->is_read && n - r->first < r->count &&
            (lanes || r->role == ROLE_MASK))
            return true;
    }
    return false;
}

/* Whether a path from instruction k of block i on reads the register before it is written: of a warp,
 * where a block does not write the lanes of a row that are off in it; or of a lane that is on there,
 * which at a join only goes on. */
static bool lives(const Region *r, u32 i, u32 k, bool is_vector, u32 n, bool of_lane, u8 *seen)
{
    const RegionBlock *b = &r->block[i];
    const bool part = is_vector && !b->full && !of_lane;
    bool written = false;
    for (; k < b->nuop; k++) {
        if (!written && reads(b, k, is_vector, n))
            return true;
        if (part && crosses(b, k, n))
            return true;
        written |= writes(b, k, is_vector, n);
    }
    if (written && !part)
        return false;
    if (b->leaves)
        return true;
    for (u32 s = 0; s < b->nsucc; s++)
        if (!seen[b->succ[s]] &&
            (!of_lane || b->end != END_JOIN || r->block[b->succ[s]].pc == b->next_pc)) {
            seen[b->succ[s]] = 1;
            if (lives(r, b->succ[s], 0, is_vector, n, of_lane, seen))
                return true;
        }
    return false;
}

static bool model_lives(const Region *r, u32 i, u32 k, bool is_vector, u32 n, bool of_lane)
{
    u8 *seen = mem_zalloc(r->nblock, 1);
    assert_non_null(seen);
    const bool is = (is_vector || n) && lives(r, i, k, is_vector, n, of_lane, seen);
    mem_free(seen);
    return is;
}

/* Rows are at least what lanes that are on read, and at most what would live if all that anybody reads
 * were kept for lanes that are off (region_test and jit_sides_test have what is). */
static void check_live(const Region *r, u64 program)
{
    for (u32 i = 0; i < r->nblock; i++)
        for (u32 n = 0; n < 64 + 256; n++) {
            const bool is_vector = n >= 64;
            const u32 reg = is_vector ? n - 64 : n;
            const RegionBlock *b = &r->block[i];
            const bool most = model_lives(r, i, 0, is_vector, reg, false);
            const bool least = is_vector ? model_lives(r, i, 0, true, reg, true) : most;
            const bool is = has(&b->in, is_vector, reg);
            if ((is && !most) || (!is && least) || (is_vector && has(&b->own, true, reg) != least))
                fail_msg("program %u: %c%u at %x%s", (unsigned)program, is_vector ? 'v' : 'x', reg,
                         b->pc, b->full ? "" : ", some lanes");
        }
}

/* Whether the register may be written on a way to the end of block i that begins where code is entered, which
 * for warps that begin writes all that are 0 at first. */
static bool is_dirty(const Region *r, u32 i, bool is_vector, u32 n, u8 *seen)
{
    seen[i] = 1;
    for (u32 k = 0; k < r->block[i].nuop; k++)
        if (writes(&r->block[i], k, is_vector, n))
            return true;
    if (!i && r->warp.fresh && has(&r->written, is_vector, n))
        return true;
    for (u32 from = 0; from < r->nblock; from++)
        for (u32 k = 0;
             !seen[from] && r->block[from].end != END_BARRIER && k < r->block[from].nsucc; k++)
            if (r->block[from].succ[k] == i && is_dirty(r, from, is_vector, n, seen))
                return true;
    return false;
}

static void check_dirty(const Region *r, u64 program)
{
    u8 *seen = mem_alloc(r->nblock);
    assert_non_null(seen);
    for (u32 i = 0; i < r->nblock; i++)
        for (u32 n = 1; n < 64 + 256; n++) {
            const bool is_vector = n >= 64;
            const u32 reg = is_vector ? n - 64 : n;
            memset(seen, 0, r->nblock);
            if (has(&r->block[i].dirty, is_vector, reg) != is_dirty(r, i, is_vector, reg, seen))
                fail_msg("program %u: %c%u at the end of %x", (unsigned)program,
                         is_vector ? 'v' : 'x', reg, r->block[i].pc);
        }
    mem_free(seen);
}

/* Blocks hold the code in its order, each instruction once in a version; headers are where an edge
 * leads back in the order; each block has its place. */
static void check_order(const Region *r, u64 program)
{
    u32 most = 0;
    RegSet written = {0};
    u32 *at = mem_zalloc(r->nblock, sizeof *at);
    bool *back = mem_zalloc(r->nblock, sizeof *back),
         *reached = mem_zalloc(r->nblock, sizeof *reached);
    assert_true(at && back && reached);
    for (u32 i = 0; i < r->nblock; i++)
        at[i] = UINT32_MAX;
    for (u32 i = 0; i < r->nblock; i++) {
        assert_true(r->order[i] < r->nblock && at[r->order[i]] == UINT32_MAX);
        at[r->order[i]] = i;
    }
    reached[0] = true;
    for (u32 i = 0; i < r->nblock; i++)
        reached[i] |= r->block[i].is_reentry;
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 i = 0; i < r->nblock; i++)
            for (u32 k = 0; reached[i] && r->block[i].end != END_BARRIER && k < r->block[i].nsucc;
                 k++) {
                const u32 to = r->block[i].succ[k];
                if (!sides_leave_edge(r, &r->block[i], to))
                    continue;
                changed |= !reached[to];
                reached[to] = true;
                back[to] |= at[to] <= at[i];
            }
    }
    for (u32 i = 0; i < r->nblock; i++) {
        const RegionBlock *b = &r->block[i];
        u32 insns = 0;
        assert_int_equal(region_find(r, b->pc, b->full), i);
        for (u32 k = 0; k < b->nuop; k++) {
            const int other = region_find(r, b->uop[k]->pc, b->full);
            insns += uop_insns(b->uop[k]);
            assert_int_equal(b->uop[k]->pc,
                             k ? b->uop[k - 1]->pc + 4 * b->uop[k - 1]->step : b->pc);
            if (k ? other >= 0 : other != (int)i)
                fail_msg("program %u: %x is in two blocks", (unsigned)program, b->uop[k]->pc);
        }
        assert_int_equal(b->insns, insns);
        most += insns + (b->together ? b->side_insns[0] + b->side_insns[1] : 0);
        most += b->end == END_SPLIT ? 2 : 0; /* joins */
        for (u32 n = 0; n < 64 + 256; n++)
            for (u32 k = 0; k < b->nuop; k++)
                if (n >= 64 && writes(b, k, true, n - 64))
                    written.v[(n - 64) / 64] |= (u64)1 << n % 64;
                else if (n && n < 64 && writes(b, k, false, n))
                    written.x |= (u64)1 << n;
        if (b->is_reached != reached[i] || b->is_header != back[i])
            fail_msg("program %u: block at %x is%s reached, a header%s", (unsigned)program, b->pc,
                     b->is_reached ? "" : " not", b->is_header ? "" : " not");
    }
    assert_int_equal(r->insns, most);
    assert_true(r->written.x == written.x && !memcmp(r->written.v, written.v, sizeof written.v));
    mem_free(at);
    mem_free(back);
    mem_free(reached);
}

/* Instructions on any registers, with branches of the warp. */
static void make_any_registers(void)
{
    no_text();
    for (u32 i = 0; i < 60; i++) {
        const u32 d = below(256), a = one_in(2) ? 64 * below(4) + 63 * below(2) : below(256);
        switch (below(8)) {
        case 0: line("add x%u,x%u,x%u", below(64), below(64), below(64)); break;
        case 1: line("vadd.vx v%u,v%u,x%u", d, a, below(64)); break;
        case 2: line("vadd.vv v%u,v%u,v%u,v0.t", d, a, below(256)); break;
        case 3: line("vmv.x.s x%u,v%u", below(64), a); break;
        case 4: line("beqz x%u,.Ln%u", 1 + below(31), i / 8 + 1 + below(7 - i / 8 + 1)); break;
        default: line("vadd.vv v%u,v%u,v%u", d, a, below(256)); break;
        }
        if (i % 8 == 7)
            label(".Ln%u", i / 8 + 1);
    }
    label(".Ln8");
    line("vsw12.v v%u,0(v%u)", below(256), below(256));
    line("endprg x0,x0,x0");
}

/* A request has all that it takes to find the region again, somewhere else. */
static void check_request(Device *d, const Region *r, u64 program)
{
    Buf request = {0};
    ReadJob job;
    CodeJob order = {.level = "avx2", .region = r, .kind = (CodeKind)(program % NCODES)};
    codejob_write(&order, ((Sim *)dev_engine(d))->code, &request);
    assert_false(request.failed);
    if (!codejob_read(request.data, request.len, &job))
        fail_msg("program %u: its request is none", (unsigned)program);
    const Region *again = job.job.region;
    assert_string_equal(job.job.level, "avx2");
    assert_int_equal(job.job.kind, order.kind);
    assert_non_null(again);
    if (region_digest(again) != region_digest(r))
        fail_msg("program %u: another region is found by its request", (unsigned)program);
    assert_int_equal(again->lanes, r->lanes);
    assert_int_equal(again->vm, r->vm);
    assert_int_equal(again->flags, r->flags);
    assert_int_equal(again->set, r->set);
    assert_int_equal(again->callee, r->callee);
    assert_int_equal(again->warp.fresh, r->warp.fresh);
    codejob_close(&job);
    buf_free(&request);
}

static void random_regions(void **state)
{
    (void)state;
    Device *d = open_device("interp", 64);
    const Programs p = programs_to_try(24);
    for (u64 program = p.first; program < p.end; program++) {
        gen_begin(program);
        gen.most_die = program & 1;
        if (program % 3)
            make_program(20);
        else
            make_any_registers();
        load_text(d);
        const WarpShape shape = {
            .full = program % 4 < 3, .fresh = program % 4 == 0, .deep = program % 8 == 3};
        Region *r = region_new(((Sim *)dev_engine(d))->code, CODE_LO, shape, 0, 4u << program % 4,
                               (VmRule)(program / 3 % 4), program % 5 == 0);
        assert_non_null(r);
        assert_true(r->nblock > 3 || r->block[0].leaves);
        check_order(r, program);
        check_dirty(r, program);
        check_live(r, program);
        check_request(d, r, program);
        region_free(r);
    }
    dev_close(d);
    buf_free(&gen.text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_described),      cmocka_unit_test(short_sides),
        cmocka_unit_test(quick_sides),       cmocka_unit_test(long_regions),
        cmocka_unit_test(digests_differ),    cmocka_unit_test(constants_as_described),
        cmocka_unit_test(guards),
        cmocka_unit_test(constants_as_read), cmocka_unit_test(random_regions),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
