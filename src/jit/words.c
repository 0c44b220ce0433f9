/* words.c -- vector accesses of two to four words a lane.
 *
 * Lanes whose records lie one after the other are one stretch of memory, which is taken apart, or
 * put together, in registers; vecmem.c asks whether it may be touched.  So are those of one instruction (doc/isa.md,
 * "Memory prefixes"), all else of which is left to the handler, which goes lane by lane: where records overlap, the
 * order of words can be seen.  And those of several that follow each other and access a word each, as a compiler does
 * for double, long and vectors; these are made one after the other where they are no such stretch.
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

/* Records of two words, as integers of 64 bits. */
static Row load_pairs(Emit *e, Val host)
{
    Row v = {{0}};
    for (u32 i = 0; i < e->nchunks; i++) {
        v.c[i] = LLVMBuildLoad2(B, LLVMVectorType(e->i64, e->chunk), stretch_at(e, host, i, 2), "");
        LLVMSetAlignment(v.c[i], 1);
    }
    return v;
}

static void store_pairs(Emit *e, Val host, const Row *v)
{
    for (u32 i = 0; i < e->nchunks; i++)
        LLVMSetAlignment(LLVMBuildStore(B, v->c[i], stretch_at(e, host, i, 2)), 1);
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

/* Where both ways meet: the row of one or the other. */
static Row meet_two(Emit *e, const Row *a, const Row *b, LLVMBasicBlockRef from[2])
{
    Row v = {{0}};
    for (u32 i = 0; i < e->nchunks; i++) {
        v.c[i] = LLVMBuildPhi(B, LLVMTypeOf(a->c[i]), "");
        LLVMAddIncoming(v.c[i], (Val[]){a->c[i], b->c[i]}, from, 2);
    }
    return v;
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
    for (u32 k = 0; !stores && k < words; k++)
        v[k] = meet_two(e, &v[k], &slow[k], from);
    for (u32 k = 0; !stores && k < words; k++)
        set_v(e, u->rd + k, v[k]);
    return true;
}

/* --- records by several instructions --------------------------------------------------------
 *
 * Words of a record that are stored one after the other are stored at once.  Of those that a block loads, the first
 * one's instruction loads all, if they are a stretch; the others take them, which nothing in between may change.
 */

/* Whether it accesses a word at an immediate from a row of addresses. */
static bool is_word(const Emit *e, u32 k)
{
    const Uop *u = e->at->uop[k];
    const Effect f = u->id < NINSN ? (Effect)isa_insn[u->id].effect : E_TRAP;
    return (f == E_VLOAD_12 || f == E_VSTORE_12) && access_width(u) == 4 &&
           !(u->mem >> UOP_WORDS & 3) && !(u->mem & UOP_WIDE) && space_of(u) != SPACE_FLAT &&
           !e->at->facts[k]->masked;
}

/* What is known of how far apart lanes' addresses are. */
typedef enum { NOT_RECORDS, PAIRS, FOURS, NOBODY_KNOWS } Stride;

static Stride stride_of(const Emit *e, const Uop *u)
{
    const Linear *l = &e->known.linear[u->ra];
    if (e->quick || !e->at->full)
        return NOT_RECORDS;
    if (!l->root.c[0])
        return NOBODY_KNOWS;
    return l->shift == 3 ? PAIRS : l->shift == 4 ? FOURS : NOT_RECORDS;
}

/* Whether loads behind instruction k may be made there: it changes neither memory nor the base, and orders nothing
 * (doc/isa.md, "Order"). */
static bool may_pass(const Emit *e, u32 k, u32 base)
{
    const IsaFacts *f = e->at->facts[k];
    const Uop *u = e->at->uop[k];
    const Effect effect = u->id < NINSN ? (Effect)isa_insn[u->id].effect : E_FENCE;
    const RegSet writes = block_use(e->at, k).writes;
    return (f->access == ACCESS_NONE || f->access == ACCESS_LOAD) && !regset_has_v(&writes, base) &&
           !f->writes && (IsaControl)f->control == CONTROL_NEXT && effect != E_FENCE &&
           effect != E_SUBBARRIER;
}

/* Which instructions, from k on, load the words from `imm` on; false: some are not loaded. */
static bool find_members(const Emit *e, i32 imm, u32 words, u32 member[MOST_WORDS])
{
    enum { WINDOW = 24 };
    const u32 base = e->at->uop[e->k]->ra, end = e->at->nuop - (e->at->end != END_NEXT);
    u32 found = 0;
    for (u32 k = e->k; k < end && k < e->k + WINDOW; k++) {
        const Uop *u = e->at->uop[k];
        const u32 which = (u32)(u->imm - imm) / 4;
        if (is_word(e, k) && u->id == e->at->uop[e->k]->id && u->ra == base && u->imm >= imm &&
            !((u->imm - imm) % 4) && which < words && !(found >> which & 1)) {
            member[which] = k;
            found |= 1u << which;
        }
        if (found + 1 == 1u << words)
            return true;
        if (!may_pass(e, k, base))
            return false;
    }
    return false;
}

/* The present instruction alone, on one of two ways; the row that it loads.  What is known afterwards is what was
 * before. */
static Row access_alone(Emit *e)
{
    const Uop *u = e->at->uop[e->k];
    *e->spare = e->known;
    emit_instruction(e, u);
    const Row v = e->at->facts[e->k]->access == ACCESS_LOAD ? get_v(e, u->rd) : (Row){{0}};
    e->known = *e->spare;
    return v;
}

/* Asks for records of so many words, from that immediate on.  Where nobody knows how far apart lanes are, words
 * that lie in a row are none; and what is found out then is known on this way only. */
static Ways reach_records(Emit *e, Stride stride, i32 imm, u32 words, Val *host, Val *first)
{
    const Uop *u = e->at->uop[e->k];
    Linear base = linear_of(e, u->ra);
    if (stride != NOBODY_KNOWS) {
        base.offset = LLVMBuildAdd(B, base.offset, word(e, (u32)imm), "");
        return find_records(e, u, &base, 4 * words, host, first);
    }
    const Val in_row = is_row_or_one(e, &base);
    const LLVMBasicBlockRef before = LLVMGetInsertBlock(B), apart = new_block(e, "apart");
    *e->spare = e->known;
    LLVMPositionBuilderAtEnd(B, apart);
    base.offset = LLVMBuildAdd(B, base.offset, word(e, (u32)imm), "");
    const Ways w = find_records(e, u, &base, 4 * words, host, first);
    e->known = *e->spare;
    const LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    LLVMPositionBuilderAtEnd(B, before);
    LLVMBuildCondBr(B, in_row, w.slow, apart);
    LLVMPositionBuilderAtEnd(B, here);
    return w;
}

/* Loads the record for this and for later instructions. */
static void load_early(Emit *e, Stride stride, i32 imm, u32 words, const u32 member[MOST_WORDS])
{
    const Uop *u = e->at->uop[e->k];
    Row v[MOST_WORDS] = {{{0}}}, rest = {{0}}, own = {{0}};
    Val host, first;
    const Ways w = reach_records(e, stride, imm, words, &host, &first);
    load_records(e, host, words, v);
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(B)};
    LLVMBuildBr(B, w.done);
    LLVMPositionBuilderAtEnd(B, w.slow);
    const Row alone = access_alone(e);
    from[1] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, w.done);
    LLVMPositionBuilderAtEnd(B, w.done);
    for (u32 i = 0; i < e->nchunks; i++)
        rest.c[i] = LLVMGetPoison(e->row);
    const Val ok = LLVMBuildPhi(B, e->i1, "");
    LLVMAddIncoming(ok, (Val[]){LLVMConstAllOnes(e->i1), LLVMConstNull(e->i1)}, from, 2);
    for (u32 k = 0; k < words; k++) {
        const bool is_this = member[k] == e->k;
        const Row r = meet_two(e, &v[k], is_this ? &alone : &rest, from);
        if (is_this)
            own = r;
        else
            e->early[e->nearly++] = (Early){member[k], ok, r};
    }
    set_v(e, u->rd, own); /* behind the last of the phis */
}

/* Takes what was loaded before, if it was; false: nobody tried. */
static bool take_early(Emit *e)
{
    u32 n = 0;
    while (n < e->nearly && e->early[n].k != e->k)
        n++;
    if (n == e->nearly)
        return false;
    const Early early = e->early[n];
    const LLVMBasicBlockRef alone = new_block(e, "alone"), done = new_block(e, "");
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(B)};
    branch_likely(e, early.ok, done, alone);
    LLVMPositionBuilderAtEnd(B, alone);
    const Row v = access_alone(e);
    from[1] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, done);
    set_v(e, e->at->uop[e->k]->rd, meet_two(e, &early.v, &v, from));
    return true;
}

/* The same where the words are loaded one after the other: all of them. */
static void load_together(Emit *e, Stride stride, i32 imm, u32 words, const u32 member[MOST_WORDS])
{
    const u32 first_k = e->k;
    const Uop *const *u = (const Uop *const *)e->at->uop + e->k;
    Row v[MOST_WORDS] = {{{0}}}, alone[MOST_WORDS] = {{{0}}};
    Val host, first;
    const Ways w = reach_records(e, stride, imm, words, &host, &first);
    const bool is_pair = words == 2;
    if (is_pair)
        v[0] = load_pairs(e, host);
    else
        load_records(e, host, words, v);
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(B)};
    LLVMBuildBr(B, w.done);
    LLVMPositionBuilderAtEnd(B, w.slow);
    *e->spare = e->known;
    for (u32 i = 0; i < words; i++) {
        e->k = first_k + i;
        e->retired += i ? uop_insns(u[i]) : 0;
        emit_instruction(e, u[i]);
    }
    for (u32 i = 0; i < words; i++)
        alone[i] = get_v(e, u[member[i] - first_k]->rd);
    e->known = *e->spare;
    for (u32 i = 0; is_pair && i < e->nchunks; i++)
        alone[0].c[i] = join_halves(e, alone[0].c[i], alone[1].c[i]);
    from[1] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, w.done);
    LLVMPositionBuilderAtEnd(B, w.done);
    for (u32 i = 0; i < (is_pair ? 1 : words); i++)
        v[i] = meet_two(e, &v[i], &alone[i], from);
    for (u32 i = 0; i < words; i++)
        for (u32 k = 0; k < words; k++)
            if (member[k] == first_k + i && is_pair)
                set_half(e, u[i]->rd, v[0], k);
            else if (member[k] == first_k + i)
                set_v(e, u[i]->rd, v[k]);
}

/* Whether the instructions follow each other, and load to different registers. */
static bool are_together(const Emit *e, u32 words, const u32 member[MOST_WORDS])
{
    for (u32 i = 0; i < words; i++)
        for (u32 k = 0; k < words; k++)
            if (member[i] >= e->k + words ||
                (i != k && e->at->uop[member[i]]->rd == e->at->uop[member[k]]->rd))
                return false;
    return true;
}

/* words: of a record. */
static bool load_record(Emit *e, Stride stride, u32 words)
{
    const i32 imm = e->at->uop[e->k]->imm;
    u32 member[MOST_WORDS];
    for (i32 first = imm; e->nearly + words <= MAX_EARLY && first > imm - 4 * (i32)words;
         first -= 4)
        if (find_members(e, first, words, member)) {
            (are_together(e, words, member) ? load_together : load_early)(e, stride, first, words,
                                                                          member);
            return true;
        }
    return false;
}

/* Of stores, which follow each other: all. */
static bool store_record(Emit *e, Stride stride, u32 words)
{
    const RegionBlock *b = e->at;
    const Uop *const *u = (const Uop *const *)b->uop + e->k;
    Row v[MOST_WORDS] = {{{0}}};
    Val host, first;
    if (e->k + words > b->nuop - (b->end != END_NEXT))
        return false;
    for (u32 i = 0; i < words; i++)
        if (!is_word(e, e->k + i) || u[i]->id != u[0]->id || u[i]->ra != u[0]->ra ||
            u[i]->imm != u[0]->imm + 4 * (i32)i)
            return false;
    const Row pair = words == 2 ? pair_at(e, u[0]->rb, u[1]->rb) : (Row){{0}};
    for (u32 i = 0; !pair.c[0] && i < words; i++)
        v[i] = get_v(e, u[i]->rb);
    const Ways w = reach_records(e, stride, u[0]->imm, words, &host, &first);
    streams_store(e, first, e->lanes * 4 * words);
    if (pair.c[0])
        store_pairs(e, host, &pair);
    else
        store_records(e, host, words, v);
    LLVMBuildBr(B, w.done);
    LLVMPositionBuilderAtEnd(B, w.slow);
    access_alone(e);
    for (u32 i = 1; i < words; i++) {
        e->k++;
        e->retired += uop_insns(u[i]);
        access_alone(e);
    }
    LLVMBuildBr(B, w.done);
    LLVMPositionBuilderAtEnd(B, w.done);
    return true;
}

bool access_record(Emit *e)
{
    if (!is_word(e, e->k))
        return false;
    if (take_early(e))
        return true;
    const Stride stride = stride_of(e, e->at->uop[e->k]);
    bool (*access)(Emit *, Stride, u32) =
        e->at->facts[e->k]->access == ACCESS_LOAD ? load_record : store_record;
    return ((stride == FOURS || stride == NOBODY_KNOWS) && access(e, stride, 4)) ||
           ((stride == PAIRS || stride == NOBODY_KNOWS) && access(e, stride, 2));
}
