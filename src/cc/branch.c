/* branch.c -- branches that reach, and distances.
 *
 * A conditional branch reaches 4 KiB, a jump 1 MiB, auipc and jalr everything.  A branch that must
 * go further than it can becomes the opposite branch over a jump.  That holds for divergent
 * branches too: lanes part there in the same way, and the jump takes one of the sides along.  All
 * begin near; those that do not reach grow, which may put others out of reach, until all reach.
 */
#include "cc/code.h"

/* Word.form of a jump or branch */
enum {
    NEAR,    /* as it is */
    BY_JUMP, /* the opposite branch over a jal; not of a jump */
    FAR      /* the opposite branch over auipc and jalr; of a jump these alone */
};

static bool is_conditional(InsnId id)
{
    return isa_effect_of(id)->control == CONTROL_BRANCH ||
           isa_effect_of(id)->control == CONTROL_SPLIT;
}

static const InsnId opposite[][2] = {
    {I_beq, I_bne},   {I_blt, I_bge},   {I_bltu, I_bgeu},
    {I_vbeq, I_vbne}, {I_vblt, I_vbge}, {I_vbltu, I_vbgeu},
};

static InsnId turned(const Code *c, InsnId id)
{
    for (size_t i = 0; i < countof(opposite); i++)
        for (int k = 0; k < 2; k++)
            if (opposite[i][k] == id)
                return opposite[i][!k];
    ir_mistake(c->f->module, "%s has no opposite", isa_insn[id].text);
    return id;
}

u32 word_prefix(const Word *w)
{
    /* of X3D both, as the assembler has it */
    static const u16 unit[] = {[SLOT_XD] = 1,
                               [SLOT_X1] = 1 << 3,
                               [SLOT_X2] = 1 << 6,
                               [SLOT_X3] = 1 << 9,
                               [SLOT_X3D] = 1 << 9 | 1};
    const FormatInfo *f = isa_format_of(w->in.id);
    u32 prefix = 0;
    if (word_is_none(w))
        return 0;
    for (int k = 0; k < f->nopd; k++) {
        const OperandInfo *o = &isa_operand[f->opd[k]];
        if (o->slot != SLOT_NONE)
            prefix |= (u32)(w->in.opd[k] >> 5) * unit[o->slot];
    }
    return prefix;
}

int word_fixed_operand(const Code *c, const Word *w)
{
    const FormatInfo *f = isa_format_of(w->in.id);
    for (int k = 0; k < f->nopd; k++) {
        const OperandKind kind = (OperandKind)isa_operand[f->opd[k]].kind;
        if (kind == K_IMM || kind == K_REL || kind == K_IMM12)
            return k;
    }
    ir_mistake(c->f->module, "%s has no operand to fix", isa_insn[w->in.id].text);
    return 0;
}

static u32 word_size(const Word *w)
{
    static const u8 more[][2] = {[NEAR] = {0, 0}, [BY_JUMP] = {4, 4}, [FAR] = {4, 8}};
    if (word_is_none(w))
        return 0;
    return (word_prefix(w) ? 8u : 4u) + more[w->form][is_conditional(w->in.id)];
}

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

/* from the last instruction of the word: not from its prefix, but from the jump that it is over */
static i32 distance(const Code *c, const Word *w)
{
    return (i32)c->start[w->to] - (i32)(w->at + word_size(w) - 4);
}

static bool reaches(const Code *c, const Word *w)
{
    i64 min, max, step;
    if (w->fix != FIX_BLOCK || w->form == FAR)
        return true;
    const bool is_branch = w->form == NEAR && is_conditional(w->in.id);
    isa_range(is_branch ? O_relB : O_relJ, &min, &max, &step);
    const i32 d = distance(c, w);
    return d >= min && d <= max;
}

/* True when some branch or jump did not reach and grew. */
static bool grow(Code *c)
{
    bool grew = false;
    for (size_t i = 0; i < c->n; i++) {
        Word *w = &c->word[i];
        if (reaches(c, w))
            continue;
        w->form = w->form == NEAR && is_conditional(w->in.id) ? BY_JUMP : FAR;
        grew = true;
    }
    return grew;
}

static void append(Code *c, Word w)
{
    if (ir_grow(c->f->module, c->word, c->n, c->cap))
        c->word[c->n++] = w;
}

/* the words that w has grown to */
static void append_grown(Code *c, const Word *w)
{
    const u32 to = w->to, loc = w->loc;
    const i32 t1 = (i32)c->f->module->target->scratch;
    if (is_conditional(w->in.id)) {
        Word over = *w;
        over.in.id = turned(c, w->in.id);
        over.in.opd[2] = w->form == FAR ? 12 : 8;
        over.fix = FIX_NONE;
        over.form = NEAR;
        append(c, over);
    }
    if (w->form == FAR) {
        append(c, (Word){.in = {I_auipc, {t1}}, .fix = FIX_BLOCK_HI, .to = to, .loc = loc});
        append(c, (Word){.in = {I_jalr, {0, 0, t1}}, .fix = FIX_BLOCK_LO, .to = to, .loc = loc});
    } else {
        append(c, (Word){.in = {.id = I_jal}, .fix = FIX_BLOCK, .to = to, .loc = loc});
    }
}

static void write_grown(Code *c)
{
    const Code old = *c;
    c->word = NULL;
    c->n = c->cap = 0;
    for (size_t i = 0; i < old.n && !c->f->module->failed; i++)
        if (old.word[i].form == NEAR)
            append(c, old.word[i]);
        else
            append_grown(c, &old.word[i]);
    measure(c);
}

static void put_distances(Code *c)
{
    for (size_t i = 0; i < c->n; i++) {
        Word *w = &c->word[i];
        i32 *operand =
            w->fix == FIX_NONE || word_is_none(w) ? NULL : &w->in.opd[word_fixed_operand(c, w)];
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
    bool grew = false;
    for (; grow(c); grew = true)
        measure(c);
    if (grew)
        write_grown(c);
    put_distances(c);
}
