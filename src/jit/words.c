/* words.c -- vector accesses of two to four elements a lane: words, or bytes or halves by several instructions.
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

/* where the records of a chunk of lanes begin, of so many bytes each */
static Val stretch_at(Emit *e, Val host, u32 chunk, u32 bytes)
{
    return byte_at(e, host, quad(e, (u64)bytes * e->chunk * chunk));
}

/* Records of so many elements of `unit` bytes. */
static void load_records(Emit *e, Val host, u32 count, u32 unit, Row v[MOST_WORDS])
{
    Val lane[MAX_LANES];
    const LLVMTypeRef t = LLVMVectorType(data_type(e, unit), count * e->chunk);
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val all = load_at(e, t, stretch_at(e, host, i, count * unit));
        for (u32 k = 0; k < count; k++) {
            for (u32 n = 0; n < e->chunk; n++)
                lane[n] = word(e, n * count + k);
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
        v.c[i] = LLVMBuildLoad2(B, LLVMVectorType(e->i64, e->chunk), stretch_at(e, host, i, 8), "");
        LLVMSetAlignment(v.c[i], 1);
    }
    return v;
}

static void store_pairs(Emit *e, Val host, const Row *v)
{
    for (u32 i = 0; i < e->nchunks; i++)
        LLVMSetAlignment(LLVMBuildStore(B, v->c[i], stretch_at(e, host, i, 8)), 1);
}

/* two vectors of n words one after the other */
static Val concatenate(Emit *e, Val a, Val b, u32 n)
{
    Val lane[MOST_WORDS * MAX_LANES];
    for (u32 i = 0; i < 2 * n; i++)
        lane[i] = word(e, i);
    return LLVMBuildShuffleVector(B, a, b, LLVMConstVector(lane, 2 * n), "");
}

static void store_records(Emit *e, Val host, u32 count, u32 unit, const Row v[MOST_WORDS])
{
    const LLVMTypeRef t = LLVMVectorType(data_type(e, unit), e->chunk);
    Val part[MOST_WORDS], lane[MOST_WORDS * MAX_LANES];
    for (u32 i = 0; i < e->nchunks; i++) {
        const u32 n = e->chunk;
        for (u32 k = 0; k < count; k++)
            part[k] = unit < 4 ? LLVMBuildTrunc(B, v[k].c[i], t, "") : v[k].c[i];
        const Val low = concatenate(e, part[0], part[1], n);
        const Val high = count == 2 ? low : concatenate(e, part[2], part[count == 4 ? 3 : 2], n);
        for (u32 k = 0; k < count * n; k++)
            lane[k] = word(e, k % count * n + k / count);
        const Val all = LLVMBuildShuffleVector(B, low, high, LLVMConstVector(lane, count * n), "");
        store_at(e, all, stretch_at(e, host, i, count * unit));
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
        store_records(e, r.host, words, 4, v);
    } else {
        load_records(e, r.host, words, 4, v);
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
 * Words of a record that are stored one after the other are stored at once.  Of those that a block loads from one register
 * of addresses, the first one's instruction loads all: as a stretch, if records lie one after the other, else by a helper
 * (cluster.c); the others take them, which nothing in between may change.
 */

enum { MOST_MEMBERS = 16 };

/* Loads from one register of addresses. */
typedef struct {
    i32 imm;   /* of the lowest */
    u32 bytes; /* from there to behind the last byte of the highest */
    u32 n;
    /* instructions of the block, and from which byte on each loads */
    u32 k[MOST_MEMBERS], at[MOST_MEMBERS];
} Cluster;

/* Whether it accesses a word, or a part of one, at an immediate from a row of addresses. */
static bool is_part(const Emit *e, u32 k)
{
    const Uop *u = e->at->uop[k];
    const Effect f = u->id < NINSN ? (Effect)isa_insn[u->id].effect : E_TRAP;
    return (f == E_VLOAD_12 || f == E_VSTORE_12) && !(u->mem >> UOP_WORDS & 3) &&
           !(u->mem & UOP_WIDE) && (space_of(u) == SPACE_DEFAULT || space_of(u) == SPACE_GLOBAL) &&
           !e->at->facts[k]->masked;
}

static bool is_word(const Emit *e, u32 k)
{
    return is_part(e, k) && access_width(e->at->uop[k]) == 4;
}

/* What is known of how far apart lanes' addresses are. */
typedef enum { PAIRS, FOURS, WIDER, OTHERS, NOBODY_KNOWS } Stride;

static Stride stride_of(Emit *e, const Uop *u)
{
    const Linear *l = &e->known.linear[u->ra];
    const Pattern *p = &e->known.pattern[u->ra];
    if (is_pattern(p)) {
        const u32 step = step_of(e, p);
        return step == 8                     ? PAIRS
               : step == 16                  ? FOURS
               : step > 16 && step % 16 == 0 ? WIDER
                                             : OTHERS;
    }
    if (!l->root.c[0])
        return NOBODY_KNOWS;
    return l->shift == 3 ? PAIRS : l->shift == 4 ? FOURS : l->shift > 4 ? WIDER : OTHERS;
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

/* The loads from here on, of words alone or of parts of words, too (`parts`), that lie from `lo` to before `end` behind their
 * register: the present one is among them.  None goes over the end of a word, counted from the lowest. */
static Cluster find_cluster(const Emit *e, i32 lo, i32 end, bool parts)
{
    enum { WINDOW = 48 };
    const Uop *own = e->at->uop[e->k];
    const u32 last = e->at->nuop - (e->at->end != END_NEXT), room = MAX_EARLY - e->nearly + 1;
    Cluster c = {.imm = own->imm};
    u32 most = 0, n = 0, k[MOST_MEMBERS];
    for (u32 at = e->k; at < last && at < e->k + WINDOW && n < room && n < MOST_MEMBERS; at++) {
        const Uop *u = e->at->uop[at];
        const i32 far = u->imm - own->imm, most_far = 4 * MOST_NEAR;
        if ((parts ? is_part : is_word)(e, at) && e->at->facts[at]->access == ACCESS_LOAD &&
            u->ra == own->ra && space_of(u) == space_of(own) && u->imm >= lo && u->imm < end &&
            far < most_far && -far < most_far) {
            c.imm = u->imm < c.imm ? u->imm : c.imm;
            k[n++] = at;
        }
        if (!may_pass(e, at, own->ra))
            break;
    }
    for (u32 i = 0; i < n; i++) {
        const Uop *u = e->at->uop[k[i]];
        const u32 at = (u32)(u->imm - c.imm), behind = at + access_width(u);
        const bool fits = at / 4 == (behind - 1) / 4 && behind <= 4 * MOST_NEAR;
        if (!i && !fits)
            return (Cluster){.imm = own->imm};
        if (!fits)
            continue;
        most = behind > most ? behind : most;
        c.k[c.n] = k[i];
        c.at[c.n++] = at;
    }
    c.bytes = most;
    return c;
}

static u32 count_words(const Cluster *c) { return (c->bytes + 3) / 4; }

/* The words of a cluster, as bits. */
static u32 words_of(const Cluster *c)
{
    u32 all = 0;
    for (u32 i = 0; i < c->n; i++)
        all |= 1u << c->at[i] / 4;
    return all;
}

/* From how many different bytes on something is loaded. */
static u32 count_places(const Cluster *c)
{
    u64 all = 0;
    for (u32 i = 0; i < c->n; i++)
        all |= (u64)1 << c->at[i];
    return (u32)__builtin_popcountll(all);
}

/* Whether a stream loads the words in less time: the block goes on from them, but not past many of them at a time. */
static bool is_for_stream(const Emit *e, const Cluster *c)
{
    enum { MANY = 8 };
    const u32 base = e->at->uop[e->k]->ra;
    const i32 size = 4 * (i32)(count_words(c) < MANY ? MOST_NEAR : count_words(c));
    if (!e->streams || !e->in_cycle[e->index] || e->known.linear[base].root.c[0] ||
        is_pattern(&e->known.pattern[base]))
        return false;
    for (u32 k = e->k; k < e->at->nuop; k++) {
        const Uop *u = e->at->uop[k];
        const RegSet writes = block_use(e->at, k).writes;
        if (!regset_has_v(&writes, base))
            continue;
        const FormatId f = u->id < NINSN ? (FormatId)isa_insn[u->id].format : F_VV;
        const bool far = (f == F_VI || f == F_VI12) && (u->imm >= size || u->imm <= -size);
        return u->id < NINSN && u->ra == base && !far;
    }
    return false;
}

/* Whether a helper loads these words in less time than gathers do. */
static bool is_dense(const Cluster *c)
{
    const u32 pieces = (count_words(c) + NEAR_PIECE - 1) / NEAR_PIECE;
    return count_places(c) > 2 * pieces;
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

/* Where records begin whose lowest word that is accessed is at the immediate. */
static Linear records_at(Emit *e, i32 imm)
{
    Linear base = linear_of(e, e->at->uop[e->k]->ra);
    base.offset = LLVMBuildAdd(B, base.offset, word(e, (u32)imm), "");
    return base;
}

/* Goes to `alone` where what is accessed lies in rows, which one access after the other has sooner; where lanes are known to be
 * further apart, nobody asks. */
static void part_rows(Emit *e, Stride stride, LLVMBasicBlockRef alone)
{
    if (stride != OTHERS && stride != NOBODY_KNOWS)
        return;
    const Linear base = linear_of(e, e->at->uop[e->k]->ra);
    const LLVMBasicBlockRef apart = new_block(e, "apart");
    const u32 width = access_width(e->at->uop[e->k]);
    LLVMBuildCondBr(B, is_row_or_one(e, &base, width), alone, apart);
    LLVMPositionBuilderAtEnd(B, apart);
}

/* The addresses of the words at an immediate. */
static Row addresses_at(Emit *e, i32 imm)
{
    Row a = get_v(e, e->at->uop[e->k]->ra);
    for (u32 i = 0; i < e->nchunks; i++)
        a.c[i] = LLVMBuildAdd(B, a.c[i], splat(e, word(e, (u32)imm)), "");
    return a;
}

/* The ways by which a cluster is loaded, and what arrives from each where they meet: whether the loads of later
 * instructions are made, and the row of each. */
typedef struct {
    u32 n;
    LLVMBasicBlockRef from[3], done;
    Val ok[3]; /* i1 */
    Row v[3][MOST_MEMBERS];
} Loads;

static void end_way(Emit *e, Loads *l, bool ok)
{
    l->from[l->n] = LLVMGetInsertBlock(B);
    l->ok[l->n++] = ok ? LLVMConstAllOnes(e->i1) : LLVMConstNull(e->i1);
    LLVMBuildBr(B, l->done);
}

/* Whether the loads follow each other: then each way makes all. */
static bool are_together(const Emit *e, const Cluster *c)
{
    return c->k[c->n - 1] == e->k + c->n - 1;
}

/* The present load, or all that follow it, one after the other. */
static void load_alone(Emit *e, const Cluster *c, bool all, Row *v)
{
    const u32 first = e->k, retired = e->retired;
    for (u32 i = 0; i < (all ? c->n : 1); i++) {
        const Uop *u = e->at->uop[first + i];
        e->k = first + i;
        e->retired += i ? uop_insns(u) : 0;
        emit_instruction(e, u);
    }
    for (u32 i = 0; i < c->n; i++)
        if (i == 0 || all)
            v[i] = get_v(e, e->at->uop[c->k[i]]->rd);
        else
            for (u32 k = 0; k < e->nchunks; k++)
                v[i].c[k] = LLVMGetPoison(e->row);
    e->k = first;
    e->retired = retired;
}

/* What an instruction loads from a byte on, of the rows of words that the helper has loaded. */
static Row take_part(Emit *e, u32 at, const Uop *u)
{
    const Row v = load_words_at(e, row_of_words(e, cluster_rows(e), at / 4));
    return parts_of(e, v, word(e, at % 4 * 8), (Op)isa_insn[u->id].op, access_width(u));
}

/* A row of elements as words. */
static Row widen_row(Emit *e, Row v, Op op)
{
    for (u32 i = 0; i < e->nchunks; i++)
        v.c[i] = widen_data(e, op, v.c[i], e->row);
    return v;
}

/* Loads the words for this and for later instructions: as a stretch of elements of `unit` bytes, if they may be one (0:
 * they are none), or by the helper (`anywhere`). */
static void load_cluster(Emit *e, Stride stride, const Cluster *c, u32 unit, bool anywhere)
{
    const Uop *const *u = (const Uop *const *)e->at->uop;
    const LLVMBasicBlockRef alone = new_block(e, "alone");
    const bool all = are_together(e, c);
    Loads l = {.done = NULL};
    part_rows(e, stride, alone);
    *e->spare = e->known; /* what is found out on one way is known there only */
    if (unit) {
        const Linear base = records_at(e, c->imm);
        Row v[MOST_WORDS];
        Val host, first;
        const Ways w = find_records(e, u[e->k], &base, c->bytes, &host, &first);
        l.done = w.done;
        load_records(e, host, c->bytes / unit, unit, v);
        for (u32 i = 0; i < c->n; i++)
            l.v[l.n][i] = widen_row(e, v[c->at[i] / unit], (Op)isa_insn[u[c->k[i]]->id].op);
        end_way(e, &l, true);
        LLVMPositionBuilderAtEnd(B, w.slow);
    } else {
        l.done = new_block(e, "");
    }
    if (anywhere) {
        const LLVMBasicBlockRef near = new_block(e, "near");
        const Row a = addresses_at(e, c->imm);
        branch_likely(e, load_near(e, &a, count_words(c)), near, alone);
        LLVMPositionBuilderAtEnd(B, near);
        for (u32 i = 0; i < c->n; i++)
            l.v[l.n][i] = take_part(e, c->at[i], u[c->k[i]]);
        end_way(e, &l, true);
    } else {
        LLVMBuildBr(B, alone);
    }
    LLVMPositionBuilderAtEnd(B, alone);
    e->known = *e->spare;
    load_alone(e, c, all, l.v[l.n]);
    e->known = *e->spare;
    end_way(e, &l, false);

    LLVMPositionBuilderAtEnd(B, l.done);
    const Val ok = LLVMBuildPhi(B, e->i1, "");
    LLVMAddIncoming(ok, l.ok, l.from, l.n);
    Row v[MOST_MEMBERS] = {{{0}}};
    for (u32 i = 0; i < c->n; i++)
        for (u32 k = 0; k < e->nchunks; k++) {
            v[i].c[k] = LLVMBuildPhi(B, e->row, "");
            for (u32 way = 0; way < l.n; way++)
                LLVMAddIncoming(v[i].c[k], &l.v[way][i].c[k], &l.from[way], 1);
        }
    for (u32 i = 1; i < c->n && !all; i++)
        e->early[e->nearly++] = (Early){c->k[i], ok, v[i]};
    set_v(e, u[e->k]->rd, v[0]); /* behind the last of the phis */
    for (u32 i = 1; i < c->n && all; i++) {
        e->retired += uop_insns(u[++e->k]);
        set_v(e, u[e->k]->rd, v[i]);
    }
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
    e->early[n] = e->early[--e->nearly];
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

/* Records of two words that are loaded one after the other, as integers of 64 bits. */
static void load_pair(Emit *e, Stride stride, const Cluster *c)
{
    const Uop *const *u = (const Uop *const *)e->at->uop + e->k;
    const LLVMBasicBlockRef alone = new_block(e, "alone");
    part_rows(e, stride, alone);
    *e->spare = e->known;
    const Linear base = records_at(e, c->imm);
    Val host, first;
    const Ways w = find_records(e, u[0], &base, 8, &host, &first);
    Row v = load_pairs(e, host), both = {{0}};
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(B)};
    LLVMBuildBr(B, w.done);
    LLVMPositionBuilderAtEnd(B, w.slow);
    LLVMBuildBr(B, alone);
    LLVMPositionBuilderAtEnd(B, alone);
    e->known = *e->spare;
    emit_instruction(e, u[0]);
    e->k++;
    e->retired += uop_insns(u[1]);
    emit_instruction(e, u[1]);
    const u32 which = c->at[0] / 4, low = u[which]->rd, high = u[1 - which]->rd;
    const Row lows = get_v(e, low), highs = get_v(e, high);
    e->known = *e->spare;
    for (u32 i = 0; i < e->nchunks; i++)
        both.c[i] = join_halves(e, lows.c[i], highs.c[i]);
    from[1] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, w.done);
    LLVMPositionBuilderAtEnd(B, w.done);
    v = meet_two(e, &v, &both, from);
    set_half(e, u[0]->rd, v, which);
    set_half(e, u[1]->rd, v, 1 - which);
}

/* The loads of a record of so many words of which the present instruction loads one, if there are loads of all. */
static bool find_record(const Emit *e, u32 words, Cluster *c)
{
    const i32 imm = e->at->uop[e->k]->imm, size = 4 * (i32)words;
    for (i32 first = imm; first > imm - size; first -= 4) {
        *c = find_cluster(e, first, first + size, false);
        if (words_of(c) == (1u << words) - 1)
            return true;
    }
    return false;
}

/* The bytes of each element, if the loads are of two to four of them that fill a record, so that lanes' records may lie one after
 * the other; else 0.  Records of two and four words have their own ways. */
static u32 unit_of(const Emit *e, const Cluster *c)
{
    const u32 unit = access_width(e->at->uop[c->k[0]]), count = c->bytes / unit;
    for (u32 i = 0; i < c->n; i++)
        if (access_width(e->at->uop[c->k[i]]) != unit || c->at[i] % unit)
            return 0;
    return count_places(c) == count && count >= 2 && count <= MOST_WORDS && (unit < 4 || count == 3)
               ? unit
               : 0;
}

/* Whether it is known that the lanes of the present instruction, or those of each chunk, are in a row or at one address. */
static bool lies_in_rows(Emit *e)
{
    const Uop *u = e->at->uop[e->k];
    const Pattern *p = &e->known.pattern[u->ra];
    return is_value_each(e, p) || (is_pattern(p) && step_each(e, p) == access_width(u));
}

static bool load_record(Emit *e, Stride stride)
{
    if (stride == OTHERS && lies_in_rows(e))
        return false;
    const i32 imm = e->at->uop[e->k]->imm, far = 4 * MOST_NEAR;
    const Cluster all = find_cluster(e, imm - far, imm + far, true);
    const bool unknown = stride == NOBODY_KNOWS, whole = is_word(e, e->k),
               streams = is_for_stream(e, &all),
               anywhere = stride != PAIRS && is_dense(&all) && !streams;
    const u32 unit = (unknown || stride == OTHERS) && !streams && all.n ? unit_of(e, &all) : 0;
    Cluster c;
    if (unit) {
        load_cluster(e, stride, &all, unit, anywhere);
    } else if (whole && (stride == FOURS || (unknown && (count_words(&all) <= 4 || !anywhere))) &&
               find_record(e, 4, &c)) {
        load_cluster(e, stride, &c, 4, !is_for_stream(e, &c));
    } else if (anywhere) {
        load_cluster(e, stride, &all, 0, true);
    } else if (whole && (stride == PAIRS || unknown) && find_record(e, 2, &c)) {
        if (c.n == 2 && are_together(e, &c))
            load_pair(e, stride, &c);
        else
            load_cluster(e, stride, &c, 4, false);
    } else {
        return false;
    }
    return true;
}

enum { MOST_STORED = 8 };

/* How many stores from here on follow each other, of elements that do, up to four, or eight words. */
static u32 stores_in_turn(const Emit *e)
{
    const RegionBlock *b = e->at;
    const Uop *const *u = (const Uop *const *)b->uop + e->k;
    const u32 room = b->nuop - (b->end != END_NEXT) - e->k, unit = access_width(u[0]);
    u32 n = 1;
    while (n < MOST_STORED && n < room && is_part(e, e->k + n) && u[n]->id == u[0]->id &&
           u[n]->ra == u[0]->ra && u[n]->imm == u[0]->imm + (i32)(unit * n))
        n++;
    const bool takes_all = n == MOST_STORED && unit == 4 && e->chunk >= MOST_STORED;
    return takes_all || n < MOST_WORDS ? n : MOST_WORDS;
}

/* Of stores, which follow each other: all. */
static bool store_record(Emit *e, Stride stride)
{
    const Uop *const *u = (const Uop *const *)e->at->uop + e->k;
    const u32 in_turn = stores_in_turn(e),
              most = stride == PAIRS   ? 2
                     : stride == FOURS ? 4
                                       : MOST_STORED,
              count = in_turn < most ? in_turn : most, unit = access_width(u[0]);
    const Stride usual = count == 2 && unit == 4 ? PAIRS : count == 4 && unit == 4 ? FOURS : OTHERS;
    const bool stretch = count <= MOST_WORDS && (stride == usual || stride == NOBODY_KNOWS);
    Row v[MOST_STORED] = {{{0}}};
    if (count < 2 || (unit < 4 && !stretch))
        return false;
    const Row pair =
        count == 2 && unit == 4 && stretch ? pair_at(e, u[0]->rb, u[1]->rb) : (Row){{0}};
    for (u32 i = 0; !pair.c[0] && i < count; i++)
        v[i] = get_v(e, u[i]->rb);
    const LLVMBasicBlockRef alone = new_block(e, "alone");
    LLVMBasicBlockRef done = NULL;
    part_rows(e, stride, alone);
    *e->spare = e->known;
    /* 1. a stretch */
    if (stretch) {
        const Linear base = records_at(e, u[0]->imm);
        Val host, first;
        const Ways w = find_records(e, u[0], &base, unit * count, &host, &first);
        done = w.done;
        streams_store(e, first, e->lanes * unit * count);
        if (pair.c[0])
            store_pairs(e, host, &pair);
        else
            store_records(e, host, count, unit, v);
        LLVMBuildBr(B, done);
        LLVMPositionBuilderAtEnd(B, w.slow);
    } else {
        done = new_block(e, "");
    }
    /* 2. words of lanes anywhere */
    if (unit == 4) {
        const Row a = addresses_at(e, u[0]->imm);
        for (u32 i = 0; pair.c[0] && i < count; i++)
            v[i] = get_v(e, u[i]->rb);
        branch_likely(e, store_near(e, &a, v, count), done, alone);
    } else {
        LLVMBuildBr(B, alone);
    }
    /* 3. one row after the other */
    LLVMPositionBuilderAtEnd(B, alone);
    e->known = *e->spare;
    access_alone(e);
    for (u32 i = 1; i < count; i++) {
        e->k++;
        e->retired += uop_insns(u[i]);
        access_alone(e);
    }
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, done);
    return true;
}

bool access_record(Emit *e)
{
    const Uop *u = e->at->uop[e->k];
    if (!is_part(e, e->k) || e->quick || !e->at->full)
        return false;
    if (e->at->facts[e->k]->access == ACCESS_STORE)
        return store_record(e, stride_of(e, u));
    return take_early(e) || load_record(e, stride_of(e, u));
}
