/* rpcbase.c -- one auipc for all setrpc of a function.
 *
 * setrpc adds an immediate of twelve bits to a register.  In a short function that reaches every
 * block from the start of the function.  So t1 takes the address of the start once, at the start,
 * if nothing else in the function writes t1 and the function calls nobody.  Start code leaves the
 * address of a kernel there (doc/abi.md, "Start code").
 */
#include "cc/code.h"

enum { REACH = 2048, WORTH_IT = 2 /* without the address */ };

static bool is_rpc_high(const Code *c, size_t i)
{
    return c->word[i].fix == FIX_BLOCK_HI && i + 1 < c->n && c->word[i + 1].in.id == I_setrpc;
}

static bool writes(const Word *w, u32 reg)
{
    bool accumulates;
    const int k = isa_result(w->in.id, &accumulates);
    return k >= 0 && isa_operand[isa_format_of(w->in.id)->opd[k]].kind == K_XREG &&
           w->in.opd[k] == (i32)reg;
}

static bool calls(const Word *w)
{
    return w->fix == FIX_CALL || ((w->in.id == I_jal || w->in.id == I_jalr) && w->in.opd[0]);
}

static bool is_possible(const Code *c)
{
    size_t setters = 0;
    if (!c->n || c->word[0].fix != FIX_LABEL || c->word[0].to != 0 || c->size > REACH - 8)
        return false;
    for (size_t i = 0; i < c->n; i++) {
        const Word *w = &c->word[i];
        if (is_rpc_high(c, i))
            setters++;
        else if (!word_is_none(w) && (writes(w, c->f->module->target->scratch) || calls(w)))
            return false;
    }
    return setters >= (c->f->is_kernel ? 1 : WORTH_IT);
}

/* Puts auipc behind the label of the start; there is room, since others went. */
static void take_address(Code *c)
{
    Word next = {.in = {.id = I_auipc, .opd = {(i32)c->f->module->target->scratch}},
                 .loc = c->n > 1 ? c->word[1].loc : 0};
    for (size_t i = 1; i < c->n; i++) {
        const Word w = c->word[i];
        c->word[i] = next;
        next = w;
    }
    c->word[c->n++] = next;
}

void share_rpc_base(Code *c)
{
    if (!is_possible(c))
        return;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        const bool high = is_rpc_high(c, i);
        c->word[n] = high ? c->word[++i] : c->word[i];
        if (high)
            c->word[n].fix = FIX_BLOCK_FROM_START;
        n++;
    }
    c->n = n;
    if (!c->f->is_kernel)
        take_address(c);
}
