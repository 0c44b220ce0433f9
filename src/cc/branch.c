/* branch.c -- branches that reach, and distances.
 *
 * A conditional branch reaches 4 KiB; one that must go further becomes the opposite
 * branch over a jump.  That holds for divergent branches too: lanes part there in the
 * same way, and the jump takes one of the sides along.  Lengthening a branch may put
 * another one out of reach, so it is repeated until all reach.  In a function of about
 * a MiB and more, all jumps become auipc and jalr.
 */
#include "cc/code.h"

enum { JUMP_REACH = (1 << 20) - 64 };

static bool is_conditional(InsnId id)
{
    return isa_insn[id].effect == E_BRANCH || isa_insn[id].effect == E_SPLIT;
}

static const InsnId opposite[][2] = {
    {I_beq, I_bne},   {I_blt, I_bge},   {I_bltu, I_bgeu},
    {I_vbeq, I_vbne}, {I_vblt, I_vbge}, {I_vbltu, I_vbgeu},
};

static InsnId turned(InsnId id)
{
    for (size_t i = 0; i < countof(opposite); i++)
        for (int k = 0; k < 2; k++)
            if (opposite[i][k] == id)
                return opposite[i][!k];
    bug("%s has no opposite", isa_insn[id].text);
}

u32 word_prefix(const Word *w)
{
    static const u8 shift[] = {
        [SLOT_XD] = 0, [SLOT_X1] = 3, [SLOT_X2] = 6, [SLOT_X3] = 9, [SLOT_X3D] = 0};
    const FormatInfo *f = isa_format_of(w->in.id);
    u32 prefix = 0;
    if (w->fix == FIX_LABEL)
        return 0;
    for (int k = 0; k < f->nopd; k++) {
        const OperandInfo *o = &isa_operand[f->opd[k]];
        if (o->slot != SLOT_NONE)
            prefix |= (u32)(w->in.opd[k] >> 5) << shift[o->slot];
    }
    return prefix;
}

int word_fixed_operand(const Word *w)
{
    const FormatInfo *f = isa_format_of(w->in.id);
    for (int k = 0; k < f->nopd; k++) {
        const OperandKind kind = (OperandKind)isa_operand[f->opd[k]].kind;
        if (kind == K_IMM || kind == K_REL || kind == K_IMM12)
            return k;
    }
    bug("%s has no operand to fix", isa_insn[w->in.id].text);
}

static u32 word_size(const Word *w) { return w->fix == FIX_LABEL ? 0 : word_prefix(w) ? 8 : 4; }

static void measure(Code *c)
{
    c->size = 0;
    for (size_t i = 0; i < c->n; i++) {
        Word *w = &c->word[i];
        w->at = c->size;
        if (w->fix == FIX_LABEL)
            c->start[w->to] = c->size;
        c->size += word_size(w);
    }
}

/* from the word itself, not from its prefix */
static i32 distance(const Code *c, const Word *w)
{
    return (i32)c->start[w->to] - (i32)(w->at + word_size(w) - 4);
}

static bool reaches(const Code *c, const Word *w)
{
    i64 min, max, step;
    if (w->fix != FIX_BLOCK || !is_conditional(w->in.id))
        return true;
    isa_range(O_relB, &min, &max, &step);
    const i32 d = distance(c, w);
    return d >= min && d <= max;
}

static void append(Code *c, Word w)
{
    if (ir_grow(c->f->module, c->word, c->n, c->cap))
        c->word[c->n++] = w;
}

static void lengthen(Code *c, const Word *w, bool far)
{
    Word over = *w;
    over.in.id = turned(w->in.id);
    over.in.opd[2] = far ? 12 : 8;
    over.fix = FIX_NONE;
    append(c, over);
    append(c, (Word){.in = {.id = I_jal}, .fix = FIX_BLOCK, .to = w->to, .loc = w->loc});
}

/* True when some branch did not reach and was replaced. */
static bool stretch(Code *c, bool far)
{
    const Code old = *c;
    size_t short_ones = 0;
    for (size_t i = 0; i < c->n; i++)
        short_ones += !reaches(c, &c->word[i]);
    if (!short_ones)
        return false;
    c->word = NULL;
    c->n = c->cap = 0;
    for (size_t i = 0; i < old.n && !c->f->module->failed; i++)
        if (reaches(&old, &old.word[i]))
            append(c, old.word[i]);
        else
            lengthen(c, &old.word[i], far);
    return !c->f->module->failed;
}

/* jumps through t1 */
static void jump_far(Code *c)
{
    const Code old = *c;
    c->word = NULL;
    c->n = c->cap = 0;
    for (size_t i = 0; i < old.n; i++) {
        Word w = old.word[i];
        if (w.fix != FIX_BLOCK || w.in.id != I_jal) {
            append(c, w);
            continue;
        }
        append(c, (Word){.in = {I_auipc, {X_T1}}, .fix = FIX_BLOCK_HI, .to = w.to, .loc = w.loc});
        append(c,
               (Word){.in = {I_jalr, {0, 0, X_T1}}, .fix = FIX_BLOCK_LO, .to = w.to, .loc = w.loc});
    }
}

static void put_distances(Code *c)
{
    for (size_t i = 0; i < c->n; i++) {
        Word *w = &c->word[i];
        i32 *operand =
            w->fix == FIX_NONE || w->fix == FIX_LABEL ? NULL : &w->in.opd[word_fixed_operand(w)];
        const i32 low = w->fix == FIX_BLOCK_LO ? distance(c, &c->word[i - 1]) : 0;
        if (w->fix == FIX_BLOCK)
            *operand = distance(c, w);
        else if (w->fix == FIX_BLOCK_HI)
            *operand = (distance(c, w) + 0x800) >> 12 & 0xfffff;
        else if (w->fix == FIX_BLOCK_FROM_START)
            *operand = (i32)c->start[w->to];
        else if (w->fix == FIX_BLOCK_LO)
            *operand = (i32)sign_extend((u32)low, 12);
    }
}

void relax(Code *c)
{
    c->start = ir_alloc(c->f->module, (c->f->nblock + 1) * sizeof *c->start);
    if (!c->start)
        return;
    measure(c);
    share_rpc_base(c);
    measure(c);
    /* each branch may grow by one jump of two words */
    const bool far = 3 * (u64)c->size > JUMP_REACH;
    while (stretch(c, far))
        measure(c);
    if (far && !c->f->module->failed)
        jump_far(c);
    measure(c);
    put_distances(c);
}
