/* frame.c -- stacks: places of slots and spills, prologue and epilogue (doc/abi.md,
 * "Frames").
 *
 * The scalar frame has, from its low end: ra if the function calls, callee-saved scalar registers,
 * spilled scalars.  The private frame has slots, callee-saved vector registers, spills.  A function
 * moves sp and tp past its frames at the start, and back at the end.
 *
 * A kernel owns its stacks from 0 on, and all registers: if it calls, ra stays in one that functions keep.  One that calls nobody leaves sp and tp alone, has constants
 * for addresses, and puts spills first, where short immediates reach them from v32 = 0; bytes 0 to
 * 15 stay free, so that no object has the address of a null pointer.
 *
 * Pieces of arguments that have no register begin at the caller's tp and go down: the first is the
 * lowest word of the callee's frame, the others are the highest words of the caller's.  Both
 * functions reach them by v32, which in the callee is higher by the size of its frame.
 *
 * The size of a private frame is a multiple of SLOT_ALIGN, and so is tp wherever a function begins:
 * slots are aligned.  A frame that private memory cannot hold gets a size that needs.c refuses.
 *
 * Afterwards no frame operation, spill or R_SLOT is left.
 */
#include "cc/code.h"

enum { KEEP_FREE = 16 };

typedef struct {
    Func *f;
    const Target *t;
    i32 min, max;         /* what the immediates of private accesses reach from v32 */
    bool moves;           /* the function moves sp and tp: any but kernels without calls */
    u32 nspillx, nspillv; /* words */
    u32 savedx[NXREG], savedv[NVREG]; /* registers that the caller wants back */
    u32 nsavedx, nsavedv;
    u32 ra_in;     /* where a kernel keeps ra; 0: in its frame, if anywhere */
    u32 spillv_at; /* where vector spills begin, from the low end of the frame */
    u32 savedv_at;
    i32 base; /* what v32 holds, from the low end of the frame */
    bool needs_v32;
    bool makes_local; /* a kernel that needs no start code for stacks makes the base of __local data
                         itself */
    Ins *out;         /* the block being rewritten */
    size_t n, cap;
    u32 loc;
} Frame;

/* --- what is in it ------------------------------------------------------------------------ */

static u32 written(const Func *f, const Ins *i)
{
    if (i->reg)
        return i->reg - 1;
    return i->dst ? f->value[i->dst].reg - 1 : UINT32_MAX;
}

static bool is_saved(const Target *t, u32 reg)
{
    return reg < NREG && reg_is_kept(reg) && !reg_is_reserved(reg) && reg != t->frame;
}

static u32 words_up_to(u32 words, const Ins *i)
{
    return (u32)i->imm >= words ? (u32)i->imm + 1 : words;
}

static void look_at(Frame *fr, const Ins *i, bool *kept)
{
    const u32 reg = written(fr->f, i);
    if (is_saved(fr->t, reg))
        kept[reg] = true;
    switch (i->op) {
    case IR_spillx:
    case IR_reloadx: fr->nspillx = words_up_to(fr->nspillx, i); break;
    case IR_spillv:
    case IR_reloadv:
        fr->nspillv = words_up_to(fr->nspillv, i);
        fr->needs_v32 = true;
        break;
    case IR_call: fr->f->has_calls = true; break;
    default: break;
    }
    for (int k = 0; k < 3; k++) {
        if (i->a[k].kind == R_SLOT && ins_is_machine(i))
            fr->needs_v32 = true;
        fr->makes_local |= ref_same(i->a[k], ref_reg(fr->t->local_base));
    }
}

static void survey(Frame *fr)
{
    bool kept[NREG] = {false};
    Func *f = fr->f;
    f->has_calls = false;
    for (size_t i = 0; i < f->nrpo; i++) {
        const Block *b = &f->block[f->rpo[i]];
        for (size_t k = 0; k < b->nins; k++)
            look_at(fr, &b->ins[k], kept);
    }
    fr->moves = f->has_calls || !f->is_kernel;
    fr->makes_local &= !fr->moves && !fr->nspillx;
    for (u32 r = 0; r < NXREG && f->is_kernel && f->has_calls && !fr->ra_in; r++)
        if (is_saved(fr->t, r) && !kept[r])
            fr->ra_in = r;
    if (f->is_kernel)
        return;
    for (u32 r = 0; r < NXREG; r++)
        if (kept[r])
            fr->savedx[fr->nsavedx++] = r;
    for (u32 r = V0; r < NREG; r++)
        if (kept[r])
            fr->savedv[fr->nsavedv++] = r;
}

/* --- places ----------------------------------------------------------------------------------- */

static u32 place_slots(Frame *fr, u32 at)
{
    for (size_t i = 0; i < fr->f->nslot && at < PRIVATE_END; i++) {
        Slot *s = &fr->f->slot[i];
        s->offset = at = (u32)align_up(at, s->align > 4 ? s->align : 4);
        at += s->size;
    }
    return (u32)align_up(at, 4);
}

static void place_private(Frame *fr)
{
    u32 at = fr->f->is_kernel ? KEEP_FREE : fr->f->nparams > fr->t->pieces ? 4 : 0;
    if (!fr->moves) {
        fr->spillv_at = at;
        at = place_slots(fr, at + 4 * fr->nspillv);
        fr->base = (i32)at > fr->max + 1 ? -fr->min : 0;
    } else {
        at = place_slots(fr, at);
        const u32 words = fr->nsavedv + fr->nspillv + fr->f->max_args;
        const u32 end = (u32)align_up(at + 4 * words, SLOT_ALIGN);
        fr->spillv_at = end - 4 * (fr->nspillv + fr->f->max_args);
        fr->savedv_at = fr->spillv_at - 4 * fr->nsavedv;
        at = end;
        fr->base = (i32)end;
    }
    const bool empty = !fr->f->nslot && !fr->nspillv && !fr->nsavedv && !fr->f->max_args;
    fr->f->frame_private = empty ? 0 : at;
    if (empty)
        fr->base = 0;
    fr->needs_v32 = !empty && (fr->needs_v32 || fr->moves);
}

static bool keeps_ra(const Frame *fr) { return fr->f->has_calls && !fr->ra_in; }

/* --- code ----------------------------------------------------------------------------- */

static void put(Frame *fr, Ins i)
{
    if (!i.loc)
        i.loc = fr->loc;
    if (ir_grow(fr->f->module, fr->out, fr->n, fr->cap))
        fr->out[fr->n++] = i;
}

#define row(fr, name, dst_reg, ...)                                                                \
    put(fr, (Ins){.op = IR_MACHINE + I_##name, .reg = (dst_reg) + 1, .a = {__VA_ARGS__}})
#define row0(fr, name, ...) put(fr, (Ins){.op = IR_MACHINE + I_##name, .a = {__VA_ARGS__}})

static Ref number(i32 n) { return ref_con((u32)n); }

static void load_t1(Frame *fr, i32 value)
{
    put(fr, (Ins){.op = IR_li, .reg = fr->t->scratch + 1, .a = {number(value)}});
}

/* reg += n, a scalar register */
static void add_scalar(Frame *fr, u32 reg, i32 n)
{
    if (n >= -2048 && n < 2048) {
        row(fr, addi, reg, ref_reg(reg), number(n));
        return;
    }
    load_t1(fr, n);
    row(fr, add, reg, ref_reg(reg), ref_reg(fr->t->scratch));
}

/* Word k of the scalar frame, from sp as it is in the body; a frame is below 1 KiB or
 * refused, so that every offset fits. */
static i32 scalar_offset(const Frame *fr, u32 k)
{
    const i32 offset = 4 * (i32)k - (fr->moves ? (i32)fr->f->frame_scalar : 0);
    return offset < -2048 ? -2048 : offset > 2044 ? 2044 : offset;
}

static void load_scalar(Frame *fr, u32 reg, u32 k)
{
    row(fr, lw, reg, number(scalar_offset(fr, k)), ref_reg(fr->t->sp));
}

static void store_scalar(Frame *fr, Ref value, u32 k)
{
    row0(fr, sw, value, number(scalar_offset(fr, k)), ref_reg(fr->t->sp));
}

/* v32 += n, where an immediate does not reach */
static void add_base(Frame *fr, i32 n)
{
    load_t1(fr, n);
    row(fr, vadd_vx, fr->t->frame, ref_reg(fr->t->frame), ref_reg(fr->t->scratch));
}

/* Moves v32 near `at`, a byte of the frame; what is left is an immediate.  *away is to
 * be taken back afterwards. */
static i32 reach(Frame *fr, u32 at, i32 *away)
{
    const i32 offset = (i32)at - fr->base;
    *away = offset >= fr->min && offset <= fr->max ? 0 : offset;
    if (*away)
        add_base(fr, *away);
    return offset - *away;
}

static void load_vector(Frame *fr, Ins load, u32 at)
{
    i32 away;
    const i32 offset = reach(fr, at, &away);
    load.op = (u16)(IR_MACHINE + fr->t->private_.load.w);
    load.imm = 0;
    load.a[0] = number(offset);
    load.a[1] = ref_reg(fr->t->frame);
    put(fr, load);
    if (away)
        add_base(fr, -away);
}

static void store_vector(Frame *fr, Ref value, u32 at)
{
    i32 away;
    const i32 offset = reach(fr, at, &away);
    put(fr, (Ins){.op = (u16)(IR_MACHINE + fr->t->private_.store.w),
                  .a = {value, number(offset), ref_reg(fr->t->frame)}});
    if (away)
        add_base(fr, -away);
}

/* --- operations ----------------------------------------------------------------------- */

static i32 slot_address(const Frame *fr, Ref r) { return (i32)fr->f->slot[r.val].offset + r.off; }

/* x: the address of a slot; where the function moves tp, it points to the end of the frame. */
static void frame_address(Frame *fr, Ins i)
{
    const i32 at = slot_address(fr, i.a[0]), offset = at - (i32)fr->f->frame_private;
    if (!fr->moves || offset < -2048) {
        i.op = IR_li;
        i.a[0] = number(fr->moves ? offset : at);
        put(fr, i);
    } else {
        i.op = IR_MACHINE + I_addi;
        i.a[0] = ref_reg(fr->t->tp);
        i.a[1] = number(offset);
        put(fr, i);
    }
    if (fr->moves && offset < -2048) {
        const Ref dst = i.reg ? ref_reg(i.reg - 1) : ref_val(i.dst);
        put(fr, (Ins){.op = IR_MACHINE + I_add,
                      .dst = i.dst,
                      .reg = i.reg,
                      .loc = i.loc,
                      .a = {dst, ref_reg(fr->t->tp)}});
    }
}

/* v: the same, through t1 */
static void frame_vector(Frame *fr, Ins i)
{
    Ins address = i;
    address.dst = 0;
    address.reg = fr->t->scratch + 1;
    frame_address(fr, address);
    i.op = IR_MACHINE + I_vmv_v_x;
    i.a[0] = ref_reg(fr->t->scratch);
    put(fr, i);
}

/* An access whose immediate is a slot and whose address is v32. */
static void slot_access(Frame *fr, Ins i, int operand)
{
    i32 away;
    const i32 offset = reach(fr, (u32)slot_address(fr, i.a[operand]), &away);
    i.a[operand] = number(offset);
    put(fr, i);
    if (away)
        add_base(fr, -away);
}

/* A load of a parameter from where v32 was before the prologue. */
static bool is_stack_parameter(const Target *t, const Ins *i)
{
    return i->op == IR_MACHINE + t->private_.load.w && i->a[0].kind == R_CON &&
           ref_same(i->a[1], ref_reg(t->frame));
}

static int slot_operand(const Ins *i)
{
    for (int k = 0; k < 3; k++)
        if (i->a[k].kind == R_SLOT)
            return k;
    return -1;
}

static void rewrite(Frame *fr, const Ins *i)
{
    const u32 first_spill = keeps_ra(fr) + fr->nsavedx;
    fr->loc = i->loc;
    switch (i->op) {
    case IR_frame: frame_address(fr, *i); return;
    case IR_vframe: frame_vector(fr, *i); return;
    case IR_spillx: store_scalar(fr, i->a[0], first_spill + (u32)i->imm); return;
    case IR_reloadx: {
        Ins load = *i;
        load.op = IR_MACHINE + I_lw;
        load.imm = 0;
        load.a[0] = number(scalar_offset(fr, first_spill + (u32)i->imm));
        load.a[1] = ref_reg(fr->t->sp);
        put(fr, load);
        return;
    }
    case IR_spillv: store_vector(fr, i->a[0], fr->spillv_at + 4 * (u32)i->imm); return;
    case IR_reloadv: load_vector(fr, *i, fr->spillv_at + 4 * (u32)i->imm); return;
    default: break;
    }
    const int operand = ins_is_machine(i) ? slot_operand(i) : -1;
    if (is_stack_parameter(fr->t, i))
        load_vector(fr, *i, i->a[0].val);
    else if (operand >= 0)
        slot_access(fr, *i, operand);
    else
        put(fr, *i);
}

/* from the number of a word to where it is */
static void place_note(const Frame *fr, Note *n)
{
    const u32 first_spill = keeps_ra(fr) + fr->nsavedx;
    if (n->kind == NOTE_SCALAR_WORD)
        n->is = number(scalar_offset(fr, first_spill + n->is.val));
    else if (n->kind == NOTE_PRIVATE_WORD)
        n->is = number((i32)(fr->spillv_at + 4 * n->is.val));
}

/* --- start and end -------------------------------------------------------------------- */

/* local_base = CSR_LDS + the stacks of the group's warps, as start code does it */
static void make_local_base(Frame *fr)
{
    const u32 base = fr->t->local_base, other = fr->t->temporary;
    row(fr, csrrs, base, number(CSR_numw), ref_reg(0));
    row(fr, csrrs, other, number(CSR_lds), ref_reg(0));
    row(fr, slli, base, ref_reg(base), number(ABI_WARP_STACK_SHIFT));
    row(fr, add, base, ref_reg(base), ref_reg(other));
}

static void prologue(Frame *fr)
{
    const Func *f = fr->f;
    if (fr->makes_local)
        make_local_base(fr);
    if (fr->moves && f->frame_scalar)
        add_scalar(fr, fr->t->sp, (i32)f->frame_scalar);
    if (fr->ra_in)
        row(fr, addi, fr->ra_in, ref_reg(fr->t->ra), number(0));
    if (keeps_ra(fr))
        store_scalar(fr, ref_reg(fr->t->ra), 0);
    for (u32 i = 0; i < fr->nsavedx; i++)
        store_scalar(fr, ref_reg(fr->savedx[i]), keeps_ra(fr) + i);
    if (fr->moves && f->frame_private)
        add_scalar(fr, fr->t->tp, (i32)f->frame_private);
    if (fr->needs_v32 && !fr->moves && fr->base)
        load_t1(fr, fr->base);
    if (fr->needs_v32)
        row(fr, vmv_v_x, fr->t->frame,
            ref_reg(fr->moves  ? fr->t->tp
                    : fr->base ? fr->t->scratch
                               : 0));
    for (u32 i = 0; i < fr->nsavedv; i++)
        store_vector(fr, ref_reg(fr->savedv[i]), fr->savedv_at + 4 * i);
}

static void epilogue(Frame *fr)
{
    const Func *f = fr->f;
    if (f->is_kernel)
        put(fr, (Ins){.op = IR_MACHINE + I_endprg});
    if (fr->ra_in)
        row(fr, addi, fr->t->ra, ref_reg(fr->ra_in), number(0));
    for (u32 i = 0; i < fr->nsavedv; i++)
        load_vector(fr, (Ins){.reg = fr->savedv[i] + 1}, fr->savedv_at + 4 * i);
    for (u32 i = 0; i < fr->nsavedx; i++)
        load_scalar(fr, fr->savedx[i], keeps_ra(fr) + i);
    if (keeps_ra(fr))
        load_scalar(fr, fr->t->ra, 0);
    if (fr->moves && f->frame_scalar)
        add_scalar(fr, fr->t->sp, -(i32)f->frame_scalar);
    if (!fr->moves || !f->frame_private)
        return;
    add_scalar(fr, fr->t->tp, -(i32)f->frame_private);
    row(fr, vmv_v_x, fr->t->frame, ref_reg(fr->t->tp));
}

static void rewrite_block(Frame *fr, u32 b)
{
    const Block old = fr->f->block[b];
    fr->out = NULL;
    fr->n = fr->cap = 0;
    fr->loc = old.nins ? old.ins[0].loc : old.term.loc;
    if (b == 0)
        prologue(fr);
    for (size_t k = 0; k < old.nins; k++)
        rewrite(fr, &old.ins[k]);
    fr->loc = old.term.loc;
    if (b == fr->f->exit)
        epilogue(fr);
    fr->f->block[b].ins = fr->out;
    fr->f->block[b].nins = fr->n;
    fr->f->block[b].capins = fr->cap;
}

void frame(Func *f)
{
    Frame fr = {.f = f, .t = f->module->target};
    const FormatInfo *format = isa_format_of(fr.t->private_.load.w);
    /* 1. what immediates reach, what is in the frame and where */
    for (int k = 0; k < format->nopd; k++)
        if (isa_operand[format->opd[k]].kind == K_IMM) {
            i64 min, max, step;
            isa_range(format->opd[k], &min, &max, &step);
            fr.min = (i32)min;
            fr.max = (i32)max;
        }
    survey(&fr);
    place_private(&fr);
    f->frame_scalar = 4 * (keeps_ra(&fr) + fr.nsavedx + fr.nspillx);
    f->stack_scalar += f->frame_scalar;
    /* 2. the code */
    for (size_t i = 0; i < f->nrpo && !f->module->failed; i++)
        rewrite_block(&fr, f->rpo[i]);
    for (size_t i = 0; i < f->nnote; i++)
        place_note(&fr, &f->note[i]);
}
