/* converge.c -- lanes that parted meet again before the group does, or before they do something
 * together.
 *
 * Lanes that part at a branch run together again where all paths from it meet, at its nearest
 * post-dominator.  LLVM thinks of one lane only: where it knows, on one path to such a place, which
 * branch is taken after it (jump threading, folding of branches and phis), it makes that path go
 * round the place.  Then the lanes meet later, and a barrier on the way finds only some of them.
 *
 * No pass duplicates or moves a call that is `convergent`.  So such a call, which does nothing
 * else, is put where lanes must meet:
 *
 *   A branch decides if a barrier lies between it and its post-dominator.  Follow the
 *   post-dominators of any branch: the first one that has a barrier or decides is the last place
 * where its lanes can meet before one of them is at a barrier that others do not reach.  That a
 * branch which decides does not part lanes while a barrier follows is the program's duty.
 *
 * The call stands at the end of the block, after all that may be inlined there.  A loop's header
 * gets none, because it would keep the loop from being rotated: it stands on the ways into the
 * header instead, on those from outside and those from inside the loop.
 */
#include "base/mem.h"
#include "cc/ir.h"
#include "ll/middle.h"
#include <stdlib.h>
#include <string.h>

#define FUNCTION_INDEX ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)
static const char meets[] =
    "ventus-meets"; /* of functions that may wait at a barrier, for a while */

typedef struct {
    LLVMBasicBlockRef block;
    bool meets;    /* has a barrier, or calls what has */
    bool branches; /* calls what has branches, in which lanes may part */
    bool marked, gated[2] /* from outside, from inside the loop */;
} Place;

/* A function and its graph.  Blocks 0 .. n-1 of the graph are those of LLVM; further ones, which
 * stand for parts of them, follow the exit. */
typedef struct {
    LLVMModuleRef m;
    Func *g;
    Place *place;
    u32 n;
    u32 *owner;    /* of each block of the graph: its place; n: none */
    bool *decides; /* of each block of the graph */
    LLVMBuilderRef at;
} Meeting;

/* --- functions ------------------------------------------------------------------------ */

static bool has_tag(LLVMValueRef f)
{
    return LLVMGetStringAttributeAtIndex(f, FUNCTION_INDEX, meets, sizeof meets - 1);
}

/* Tags the functions that call one of list[0..*n), which has room for all, and appends them.  Calls
 * of them on the two sides of a branch are for different lanes: they are not made one before it. */
static void tag_callers(LLVMContextRef ctx, LLVMValueRef *list, size_t *n)
{
    LLVMAttributeRef tag = LLVMCreateStringAttribute(ctx, meets, sizeof meets - 1, "", 0);
    const unsigned kind = LLVMGetEnumAttributeKindForName("nomerge", 7);
    LLVMAttributeRef alone = LLVMCreateEnumAttribute(ctx, kind, 0);
    for (size_t k = 0; k < *n; k++)
        for (LLVMUseRef u = LLVMGetFirstUse(list[k]); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            if (!LLVMIsAInstruction(user))
                continue;
            LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
            if (has_tag(f))
                continue;
            LLVMAddAttributeAtIndex(f, FUNCTION_INDEX, tag);
            LLVMAddAttributeAtIndex(f, FUNCTION_INDEX, alone);
            list[(*n)++] = f;
        }
}

/* has one block and calls no function that has a body */
static bool is_straight(LLVMValueRef f)
{
    if (LLVMCountBasicBlocks(f) != 1)
        return false;
    LLVMBasicBlockRef b = LLVMGetEntryBasicBlock(f);
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsACallInst(i) && LLVMIsAFunction(LLVMGetCalledValue(i)) &&
            !LLVMIsDeclaration(LLVMGetCalledValue(i)))
            return false;
    return true;
}

/* --- the graph ------------------------------------------------------------------------ */

static int by_block(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const Place *)a)->block,
                    y = (uintptr_t)((const Place *)b)->block;
    return x < y ? -1 : x > y;
}

/* the places after the entry's are sorted by the addresses of their blocks */
static u32 number_of(const Meeting *t, LLVMBasicBlockRef b)
{
    const Place key = {.block = b};
    const Place *p = b == t->place[0].block
                         ? t->place
                         : bsearch(&key, t->place + 1, t->n - 1, sizeof key, by_block);
    return (u32)(p - t->place);
}

/* the branch at the end of a block; one with many ways becomes a chain */
static void add_ways(Meeting *t, u32 b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(t->place[b].block);
    const u32 ways = LLVMGetNumSuccessors(end);
    if (ways < 2) {
        ir_jump(t->g, b, ways ? number_of(t, LLVMGetSuccessor(end, 0)) : t->g->exit);
        return;
    }
    for (u32 k = 0, at = b; k + 1 < ways; k++) {
        const bool last = k + 2 == ways;
        const u32 way = number_of(t, LLVMGetSuccessor(end, k));
        const u32 other = last ? number_of(t, LLVMGetSuccessor(end, k + 1)) : ir_block(t->g);
        ir_branch(t->g, at, CMP_ne, ref_con(0), ref_con(0), way, other, 0);
        at = other;
    }
}

static void mark_before(const Meeting *t, LLVMValueRef i);

/* what a block calls; a function that may branch before it waits at a barrier must find all lanes
 * together */
static void look_at_calls(Meeting *t, Place *p)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(p->block); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        if (!f || !LLVMIsAFunction(f))
            continue;
        const bool branches = !LLVMIsDeclaration(f) && !is_straight(f), waits = has_tag(f);
        p->branches |= branches;
        p->meets |= waits;
        if (branches && waits)
            mark_before(t, i);
    }
}

/* Sets the owner of each block, after blocks were added; false: out of memory. */
static bool own(Meeting *t)
{
    Func *g = t->g;
    t->owner = ir_alloc(g->module, g->nblock * sizeof *t->owner);
    t->decides = ir_alloc(g->module, g->nblock * sizeof *t->decides);
    if (g->module->failed)
        return false;
    for (u32 b = 0; b < g->nblock; b++)
        t->owner[b] = b < t->n ? b : t->n;
    /* parts follow what they are parts of: a chain, then headers of endless loops */
    for (size_t i = 0; i < g->nrpo; i++) {
        const u32 b = g->rpo[i];
        if (t->owner[b] == t->n && b != g->exit)
            t->owner[b] = t->owner[g->block[b].idom];
    }
    return true;
}

static bool build(Meeting *t, Module *m, LLVMValueRef f)
{
    t->n = LLVMCountBasicBlocks(f);
    t->g = ir_func(m, "", false);
    t->place = ir_alloc(m, t->n * sizeof *t->place);
    for (u32 b = 0; b <= t->n && !m->failed; b++)
        ir_block(t->g);
    if (m->failed)
        return false;
    ir_ret(t->g, t->n);
    u32 k = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        t->place[k++].block = b;
    qsort(t->place + 1, t->n - 1, sizeof *t->place, by_block);
    for (u32 b = 0; b < t->n && !m->failed; b++) {
        add_ways(t, b);
        look_at_calls(t, &t->place[b]);
    }
    graph_build(t->g);
    graph_open_loops(t->g);
    return !m->failed && own(t);
}

/* --- the branches that decide ------------------------------------------------------------ */

static bool is_branch(const Func *g, u32 b)
{
    const Term *t = &g->block[b].term;
    return t->kind == T_BRANCH && t->succ[0] != t->succ[1];
}

/* a barrier, or a branch that decides, lies between b and its post-dominator */
static bool leads_to_meeting(const Meeting *t, u32 b)
{
    const Block *k = &t->g->block[b];
    for (int s = 0; s < 2; s++)
        for (u32 x = k->term.succ[s]; x != k->ipdom && x != t->g->exit; x = t->g->block[x].ipdom)
            if (t->decides[x] || t->place[t->owner[x]].meets)
                return true;
    return false;
}

static void find_deciders(Meeting *t)
{
    const Func *g = t->g;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = g->nrpo; i-- > 0;) {
            const u32 b = g->rpo[i];
            if (!t->decides[b] && is_branch(g, b) && leads_to_meeting(t, b))
                changed = t->decides[b] = true;
        }
    }
}

/* --- marks ---------------------------------------------------------------------------- */

static void mark_before(const Meeting *t, LLVMValueRef i)
{
    LLVMContextRef ctx = LLVMGetModuleContext(t->m);
    LLVMPositionBuilderBefore(t->at, i);
    LLVMValueRef f =
        LLVMGetIntrinsicDeclaration(t->m, LLVMLookupIntrinsicID("llvm.sideeffect", 15), NULL, 0);
    LLVMValueRef call = LLVMBuildCall2(t->at, LLVMGlobalGetValueType(f), f, NULL, 0, "");
    const unsigned kind = LLVMGetEnumAttributeKindForName("convergent", 10);
    LLVMAddCallSiteAttribute(call, FUNCTION_INDEX, LLVMCreateEnumAttribute(ctx, kind, 0));
}

static void mark_end(const Meeting *t, u32 place)
{
    Place *p = &t->place[place];
    if (!p->marked)
        mark_before(t, LLVMGetBasicBlockTerminator(p->block));
    p->marked = true;
}

static bool is_header(const Func *g, u32 b)
{
    return g->block[b].loop != UINT32_MAX && g->loops[g->block[b].loop].header == b;
}

/* makes the branches from block `from` to `to` go to `gate` */
static void redirect(LLVMBasicBlockRef from, LLVMBasicBlockRef to, LLVMBasicBlockRef gate)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
        if (LLVMGetSuccessor(end, k) == to)
            LLVMSetSuccessor(end, k, gate);
}

/* a mark on the ways into the header b, a block of LLVM without phis, from inside its loop
 * or from outside */
static void mark_ways(const Meeting *t, u32 b, bool inside)
{
    LLVMContextRef ctx = LLVMGetModuleContext(t->m);
    const unsigned hints = LLVMGetMDKindIDInContext(ctx, "llvm.loop", 9);
    const Block *h = &t->g->block[b];
    Place *p = &t->place[b];
    u32 from = t->n;
    bool several = false;
    if (p->gated[inside])
        return;
    p->gated[inside] = true;
    /* 1. a single way from one block is that block's end */
    for (size_t k = 0; k < h->npred; k++)
        if (graph_in_loop(t->g, h->pred[k], h->loop) == inside) {
            several |= from != t->n || t->g->block[h->pred[k]].term.kind != T_JUMP;
            from = t->owner[h->pred[k]];
        }
    if (!several) {
        mark_end(t, from);
        return;
    }
    /* 2. otherwise they go through a new block, which gets the metadata of the loop */
    LLVMBasicBlockRef gate = LLVMInsertBasicBlockInContext(ctx, p->block, "");
    LLVMPositionBuilderAtEnd(t->at, gate);
    LLVMValueRef end = LLVMBuildBr(t->at, p->block), hint = NULL;
    for (size_t k = 0; k < h->npred; k++)
        if (graph_in_loop(t->g, h->pred[k], h->loop) == inside) {
            LLVMBasicBlockRef pred = t->place[t->owner[h->pred[k]]].block;
            LLVMValueRef said = LLVMGetMetadata(LLVMGetBasicBlockTerminator(pred), hints);
            hint = said ? said : hint;
            redirect(pred, p->block, gate);
        }
    if (hint && inside)
        LLVMSetMetadata(end, hints, hint);
    mark_before(t, end);
}

/* Marks the last place, b, where the lanes that part in block `from` can meet. */
static void protect(const Meeting *t, u32 from, u32 b)
{
    const Place *p = &t->place[t->owner[b]];
    if (b == t->owner[b] && is_header(t->g, b) && !p->branches &&
        !LLVMIsAPHINode(LLVMGetFirstInstruction(p->block)))
        mark_ways(t, b, graph_in_loop(t->g, from, t->g->block[b].loop));
    else
        mark_end(t, t->owner[b]);
}

static void mark_function(Meeting *t)
{
    const Func *g = t->g;
    for (size_t i = 0; i < g->nrpo; i++) {
        const u32 from = g->rpo[i];
        u32 b = from;
        if (from == g->exit || !(is_branch(g, from) || t->place[t->owner[from]].branches))
            continue;
        if (!t->place[t->owner[from]].branches)
            b = g->block[b].ipdom;
        while (b != g->exit && !t->decides[b] && (b == from || !t->place[t->owner[b]].meets))
            b = g->block[b].ipdom;
        if (b != g->exit && t->decides[b])
            protect(t, from, b);
    }
}

/* what lanes meet at: the group's barrier, and what a warp's lanes do together (lib/ventus.h) */
static const char *const meetings[] = {"__ventus_barrier", "__ventus_meet"};

bool is_meeting(const char *name)
{
    for (size_t k = 0; k < countof(meetings); k++)
        if (!strcmp(name, meetings[k]))
            return true;
    return false;
}

bool must_converge(LLVMModuleRef m)
{
    for (size_t k = 0; k < countof(meetings); k++)
        if (LLVMGetNamedFunction(m, meetings[k]))
            return true;
    return false;
}

bool converge(LLVMModuleRef m, const Target *target)
{
    LLVMContextRef ctx = LLVMGetModuleContext(m);
    size_t count = countof(meetings), n = 0, seeds;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        count++;
    LLVMValueRef *list = mem_alloc(count * sizeof *list);
    Module *graphs = ir_module("", target);
    bool ok = list && graphs;
    for (size_t k = 0; ok && k < countof(meetings); k++) {
        LLVMValueRef f = LLVMGetNamedFunction(m, meetings[k]);
        if (!f)
            continue;
        LLVMAddAttributeAtIndex(f, FUNCTION_INDEX,
                                LLVMCreateStringAttribute(ctx, meets, sizeof meets - 1, "", 0));
        list[n++] = f;
    }
    seeds = n;
    tag_callers(ctx, list, &n);
    for (size_t k = seeds; ok && k < n; k++) {
        Meeting t = {.m = m, .at = LLVMCreateBuilderInContext(ctx)};
        ok = build(&t, graphs, list[k]);
        if (ok) {
            find_deciders(&t);
            mark_function(&t);
        }
        LLVMDisposeBuilder(t.at);
    }
    for (size_t k = 0; k < n; k++)
        LLVMRemoveStringAttributeAtIndex(list[k], FUNCTION_INDEX, meets, sizeof meets - 1);
    ir_free(graphs);
    mem_free(list);
    return ok;
}
