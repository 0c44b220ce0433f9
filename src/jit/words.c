/* words.c -- vector accesses of two to four words a lane (doc/isa.md, "Memory prefixes").
 *
 * Lanes whose records lie one after the other are one stretch of memory, which is taken apart, or
 * put together, in registers; vecmem.c asks whether it may be touched.  All else is left to the
 * handler, which goes lane by lane: where records overlap, the order of words can be seen.
 */
#include "jit/translate.h"

#define B e->b

enum { MOST_WORDS = 4 };

/* the words of a chunk of lanes, in memory, from where they begin */
static Val stretch_at(Emit *e, Val host, u32 chunk, u32 words)
{
    Val at = quad(e, 4 * (u64)words * e->chunk * chunk);
    return LLVMBuildInBoundsGEP2(B, e->i8, host, &at, 1, "");
}

static void load_records(Emit *e, Val host, u32 words, Row v[MOST_WORDS])
{
    Val lane[MAX_LANES];
    const LLVMTypeRef t = LLVMVectorType(e->i32, words * e->chunk);
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val all = LLVMBuildLoad2(B, t, stretch_at(e, host, i, words), "");
        LLVMSetAlignment(all, 1);
        for (u32 k = 0; k < words; k++) {
            for (u32 n = 0; n < e->chunk; n++)
                lane[n] = word(e, n * words + k);
            v[k].c[i] = LLVMBuildShuffleVector(B, all, LLVMGetPoison(t),
                                               LLVMConstVector(lane, e->chunk), "");
        }
    }
}

/* two vectors of n words one after the other */
static Val concatenate(Emit *e, Val a, Val b, u32 n)
{
    Val lane[MOST_WORDS * MAX_LANES];
    for (u32 i = 0; i < 2 * n; i++)
        lane[i] = word(e, i);
    return LLVMBuildShuffleVector(B, a, b, LLVMConstVector(lane, 2 * n), "");
}

static void store_records(Emit *e, Val host, u32 words, const Row v[MOST_WORDS])
{
    Val lane[MOST_WORDS * MAX_LANES];
    for (u32 i = 0; i < e->nchunks; i++) {
        const u32 n = e->chunk;
        const Val low = concatenate(e, v[0].c[i], v[1].c[i], n);
        const Val high =
            words == 2 ? low : concatenate(e, v[2].c[i], v[words == 4 ? 3 : 2].c[i], n);
        for (u32 k = 0; k < words * n; k++)
            lane[k] = word(e, k % words * n + k / words);
        const Val all = LLVMBuildShuffleVector(B, low, high, LLVMConstVector(lane, words * n), "");
        LLVMSetAlignment(LLVMBuildStore(B, all, stretch_at(e, host, i, words)), 1);
    }
}

bool access_words(Emit *e, const Uop *u)
{
    const bool stores = e->at->facts[e->k]->access == ACCESS_STORE;
    const u32 words = (u->mem >> UOP_WORDS & 3) + 1u;
    if (space_of(u) == SPACE_PRIVATE || (stores && !e->at->full))
        return false;
    /* 1. where it is */
    const Linear l = linear_of(e, u->ra);
    Val offset = LLVMBuildAdd(B, l.offset, word(e, (u32)u->imm), "");
    if (space_of(u) == SPACE_LOCAL)
        offset = LLVMBuildAdd(B, offset, local_base(e), "");
    const Reach r = reach_row(e, span_of(e, l.root, l.shift, 4 * words), offset,
                              space_of(u) == SPACE_FLAT, stores);
    /* 2. at once */
    Row v[MOST_WORDS] = {{{0}}};
    for (u32 k = 0; stores && k < words; k++)
        v[k] = get_v(e, u->rb + k);
    const Ways w = part_ways(e, r.ok);
    if (stores) {
        streams_forget(e);
        store_records(e, r.host, words, v);
    } else {
        load_records(e, r.host, words, v);
    }
    LLVMBuildBr(B, w.done);
    /* 3. lane by lane */
    LLVMPositionBuilderAtEnd(B, w.slow);
    run_handler(e);
    Row slow[MOST_WORDS] = {{{0}}};
    for (u32 k = 0; !stores && k < words; k++)
        for (u32 i = 0; i < e->nchunks; i++)
            slow[k].c[i] = reload_v(e, u->rd + k, i);
    LLVMBasicBlockRef from[2] = {w.fast, LLVMGetInsertBlock(B)};
    LLVMBuildBr(B, w.done);
    LLVMPositionBuilderAtEnd(B, w.done);
    for (u32 k = 0; !stores && k < words; k++) {
        for (u32 i = 0; i < e->nchunks; i++) {
            const Val phi = LLVMBuildPhi(B, e->row, "");
            LLVMAddIncoming(phi, (Val[]){v[k].c[i], slow[k].c[i]}, from, 2);
            v[k].c[i] = phi;
        }
    }
    for (u32 k = 0; !stores && k < words; k++)
        set_v(e, u->rd + k, v[k]);
    return true;
}
