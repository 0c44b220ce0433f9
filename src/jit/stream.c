/* stream.c -- lanes that each go along memory of its own, such as rows of a matrix, by words or parts of words.
 *
 * To load one word for each lane takes as many accesses of the host as there are lanes, and lines of
 * the host's cache that rows of a matrix lie in often fall into a few sets of it, so that they are gone
 * when the next word is asked for.  So, when lanes anywhere have gone on by some words or bytes, all alike, forward or
 * back, a helper loads sixteen words of each at once and exchanges rows and columns; these times the
 * lanes find their words in a row (Group.streams).  What they ask for is compared with what is there,
 * address by address, so nobody has to know how a loop goes on.
 *
 * Loads of one block from one register share a stream, that of the first: a loop that takes several steps at once has
 * them, and a stencil.  The first says which byte is next; what the others take is so many bytes from that.  Parts of words
 * are taken out of their word, which must have all of them.
 *
 * What such a load returns was in memory up to fifteen steps of the loop before, or 63 where each takes a byte, which the
 * guest's memory order allows, and only others that store at the same time can show.  All is forgotten where code is
 * entered, where a warp begins, and at fences, atomics and whatever is left to handlers.  A store of this
 * code by lanes to words of a stream changes these, if each lane stores to its own; any other forgets the
 * streams whose lowest and highest byte it comes between.  The first load takes everything once, and the others no more
 * often than there are of them, so that who waits for one to change looks at memory each time.
 *
 * vecmem.c has the argument why a guest reaches no memory of the host's: the helper loads words only
 * where the range that is remembered for the instruction has all sixteen of each lane.
 */
#include "isa/op.h"
#include "jit/translate.h"
#include <stddef.h>

#define B e->b

enum {
    LAST_WORD = 4 * (STREAM_WORDS - 1),
    STREAM_BYTES = 4 * STREAM_WORDS,
    MOST_STEP = STREAM_BYTES
};

/* --- places ------------------------------------------------------------------------------- */

/* Whether instruction k of the block loads a word, or a part of one, for lanes that may lie anywhere. */
static bool loads_lanes(const RegionBlock *b, u32 k)
{
    const Uop *u = b->uop[k];
    if (u->id >= NINSN)
        return false;
    const Effect f = (Effect)isa_insn[u->id].effect;
    const bool indexed = f == E_VLOAD_INDEX && access_width(u) == 4;
    return (f == E_VLOAD_12 || f == E_VLOAD_GLOBAL || f == E_VLOAD_LOCAL || indexed) &&
           !(u->mem >> UOP_WORDS & 3) && space_of(u) != SPACE_PRIVATE;
}

/* Whether code goes on from block b to `to`, not because a join pops that: nothing is repeated for it. */
static bool leads_to(const Region *r, const RegionBlock *b, u32 to)
{
    const bool pops = b->end == END_JOIN && r->block[to].pc != b->next_pc;
    return b->is_reached && b->end != END_BARRIER && sides_leave_edge(r, b, to) && !pops;
}

bool streams_find(Emit *e)
{
    const Region *r = e->r;
    /* of a block its place in the order; of a place the edges back to it, less those from the one before */
    u32 *place = mem_zalloc(r->nblock, sizeof *place);
    i32 *begun = mem_zalloc(r->nblock + 1, sizeof *begun);
    const bool ok = place && begun;
    bool found = false;
    i32 open = 0;
    for (u32 n = 0; ok && n < r->nblock; n++)
        place[r->order[n]] = n;
    for (u32 i = 0; ok && i < r->nblock; i++) {
        const RegionBlock *b = &r->block[i];
        for (u32 k = 0; k < b->nsucc; k++)
            if (place[b->succ[k]] <= place[i] && leads_to(r, b, b->succ[k])) {
                begun[place[b->succ[k]]]++;
                begun[place[i] + 1]--;
            }
    }
    for (u32 n = 0; ok && n < r->nblock; n++) {
        const RegionBlock *b = &r->block[r->order[n]];
        open += begun[n];
        e->in_cycle[r->order[n]] = open;
        for (u32 k = 0; open && b->is_reached && k < b->nuop && !found; k++)
            found = loads_lanes(b, k);
    }
    mem_free(place);
    mem_free(begun);
    return found;
}

/* A load that has a stream, for an access that it shares that with. */
typedef struct {
    const Uop *load; /* NULL: there is none */
    i32 off;         /* bytes from what it loads to what the access loads or stores */
    i32 lo, hi;      /* the least and the most of all loads that share it */
    u32 others;      /* how many these are */
} Leader;

/* Joins a load, or an access that is asked for, to one of n leaders; its number, or n: it is none's. */
static u32 join_leader(Leader *all, u32 n, const Uop *u, bool loads, i32 *off)
{
    for (u32 i = 0; i < n; i++) {
        Leader *l = &all[i];
        const i32 far = u->imm - l->load->imm;
        const i32 lo = far < l->lo ? far : l->lo, hi = far > l->hi ? far : l->hi;
        if (hi - (lo & -4) > LAST_WORD || ((hi + 3) & -4) - lo > LAST_WORD)
            continue;
        *off = far;
        if (loads) {
            l->lo = lo;
            l->hi = hi;
            l->others++;
        }
        return i;
    }
    return n;
}

/* The leader for access k of the block: of the loads from the same register, while that is not written. */
static Leader leader_of(const RegionBlock *b, u32 k)
{
    const Uop *u = b->uop[k];
    Leader all[STREAMS], none = {.load = NULL};
    u32 n = 0, mine = STREAMS, begin = k;
    i32 off = 0;
    if (!has_own_address((Effect)isa_insn[u->id].effect))
        return loads_lanes(b, k) ? (Leader){.load = u} : none;
    while (begin > 0) {
        const RegSet written = block_use(b, begin - 1).writes;
        if (regset_has_v(&written, u->ra))
            break;
        begin--;
    }
    for (u32 j = begin; j < b->nuop; j++) {
        const Uop *other = b->uop[j];
        const bool loads = loads_lanes(b, j) &&
                           has_own_address((Effect)isa_insn[other->id].effect) &&
                           other->ra == u->ra && space_of(other) == space_of(u);
        i32 far = 0;
        u32 i = loads || j == k ? join_leader(all, n, other, loads, &far) : n;
        if (loads && i == n && n < STREAMS)
            all[n++] = (Leader){.load = other};
        if (j == k) {
            mine = i;
            off = far;
        }
        const RegSet written = block_use(b, j).writes;
        if (j >= k && regset_has_v(&written, u->ra))
            break;
    }
    if (mine >= n)
        return none;
    all[mine].off = off;
    return all[mine];
}

/* The number of the stream of a load, or STREAMS; makes: it gets one, if there is none yet. */
static u32 stream_of(Emit *e, const Uop *load, bool makes)
{
    for (u32 i = 0; load && i < e->nstream; i++)
        if (e->stream_pc[i] == load->pc)
            return i;
    if (!load || !makes || e->nstream == STREAMS)
        return STREAMS;
    e->stream_pc[e->nstream] = load->pc;
    return e->nstream++;
}

/* --- what is forgotten -------------------------------------------------------------------- */

static LLVMTypeRef all_streams(Emit *e) { return LLVMVectorType(e->i32, STREAMS); }

static Val streams_of(Emit *e)
{
    return LLVMBuildLoad2(B, e->ptr, byte_at(e, group_of(e), quad(e, offsetof(Group, streams))),
                          "");
}

static Val index_at(Emit *e, size_t offset) { return byte_at(e, streams_of(e), quad(e, offset)); }

void streams_forget(Emit *e)
{
    if (!e->streams)
        return;
    LLVMBuildStore(B, LLVMConstInt(e->i8, 0, false),
                   byte_at(e, group_of(e), quad(e, offsetof(Group, streaming))));
    store_at(e, LLVMConstNull(all_streams(e)), index_at(e, offsetof(Streams, lanes)));
}

/* Goes on in a new block if something may be loaded, else to `on`. */
static void if_streaming(Emit *e, LLVMBasicBlockRef on)
{
    const LLVMBasicBlockRef look = new_block(e, "streams");
    const Val streaming =
        LLVMBuildLoad2(B, e->i8, byte_at(e, group_of(e), quad(e, offsetof(Group, streaming))), "");
    branch_likely(e, LLVMBuildICmp(B, LLVMIntEQ, streaming, LLVMConstInt(e->i8, 0, false), ""), on,
                  look);
    LLVMPositionBuilderAtEnd(B, look);
}

/* Which of the streams at `all` have bytes from `first` to `last`, as i1, whether or not anything is loaded. */
static Val streams_between(Emit *e, Val all, Val first, Val last)
{
    const LLVMTypeRef t = all_streams(e);
    Val edge[2] = {first, last};
    for (u32 i = 0; i < 2; i++)
        edge[i] = LLVMBuildShuffleVector(
            B, LLVMBuildInsertElement(B, LLVMGetPoison(t), edge[i], word(e, 0), ""),
            LLVMGetPoison(t), LLVMConstNull(t), "");
    const Val lo = load_at(e, t, byte_at(e, all, quad(e, offsetof(Streams, lo)))),
              end = load_at(e, t, byte_at(e, all, quad(e, offsetof(Streams, last))));
    return LLVMBuildAnd(B, LLVMBuildICmp(B, LLVMIntULE, lo, edge[1], ""),
                        LLVMBuildICmp(B, LLVMIntUGE, end, edge[0], ""), "");
}

/* Forgets what lies from byte `first` to a byte so far behind `last`. */
static void forget_between(Emit *e, Val first, Val last, u32 behind_last)
{
    const LLVMTypeRef t = all_streams(e);
    const Val end =
        intrinsic(e, "llvm.uadd.sat", &e->i32, 1, (Val[]){last, word(e, behind_last)}, 2);
    const Val has = streams_between(e, streams_of(e), first, end),
              at = index_at(e, offsetof(Streams, lanes));
    store_at(e, LLVMBuildSelect(B, has, LLVMConstNull(t), load_at(e, t, at), ""), at);
}

void streams_store(Emit *e, Val first, u32 bytes)
{
    if (!e->streams)
        return;
    const LLVMBasicBlockRef on = new_block(e, "");
    if_streaming(e, on);
    forget_between(e, first, first, bytes - 1);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
}

/* The lowest or the highest address of the lanes that are on (on NULL: all). */
static Val outermost(Emit *e, const Row *a, const Row *on, bool highest)
{
    Val all = NULL;
    const Val none = constant_like(a->c[0], highest ? 0 : UINT32_MAX);
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val v = on ? LLVMBuildSelect(B, on->c[i], a->c[i], none, "") : a->c[i];
        all =
            all ? intrinsic(e, highest ? "llvm.umax" : "llvm.umin", &e->row, 1, (Val[]){all, v}, 2)
                : v;
    }
    return intrinsic(e, highest ? "llvm.vector.reduce.umax" : "llvm.vector.reduce.umin", &e->row, 1,
                     &all, 1);
}

/* --- what is taken ------------------------------------------------------------------------ */

static Val stream_field(Emit *e, Val stream, size_t offset)
{
    return byte_at(e, stream, quad(e, offset));
}

/* i1: all lanes that are on (on NULL: all) are `far` bytes behind where they began, or were. */
static Val all_behind(Emit *e, const Row *a, Val stream, const Row *on, Val far)
{
    Val differ = NULL;
    const Val from = stream_field(e, stream, offsetof(Stream, from));
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val began = load_at(e, e->row, chunk_host(e, from, i, 4));
        Val other =
            LLVMBuildICmp(B, LLVMIntNE, LLVMBuildSub(B, a->c[i], splat(e, far), ""), began, "");
        if (on)
            other = LLVMBuildAnd(B, other, on->c[i], "");
        differ = differ ? LLVMBuildOr(B, differ, other, "") : other;
    }
    return LLVMBuildNot(B, some_lane(e, differ), "");
}

/* A stream that an access of this block may find its words in. */
typedef struct {
    u32 n;
    Val stream, mask;
} Taken;

static Taken taken(Emit *e, u32 n)
{
    return (Taken){.n = n,
                   .stream = index_at(e, offsetof(Streams, of) + n * sizeof(Stream)),
                   .mask = e->at->full ? word(e, lanes_mask(e)) : e->mask};
}

/* Where one of the lists of Streams has the stream's value. */
static Val own_at(Emit *e, const Taken *t, size_t list) { return index_at(e, list + 4 * t->n); }

static Val own(Emit *e, const Taken *t, size_t list)
{
    return load_at(e, e->i32, own_at(e, t, list));
}

/* i1: the bytes of the stream from `index` on are what all lanes at addresses a access, and in one word of it. */
static Val has_bytes(Emit *e, const Taken *t, const Row *a, Val index, u32 width)
{
    const Val lanes = own(e, t, offsetof(Streams, lanes));
    const Val missing = LLVMBuildAnd(B, t->mask, LLVMBuildNot(B, lanes, ""), "");
    const Val outside = LLVMBuildAnd(B, index, word(e, ~(STREAM_BYTES - width)), "");
    Val ok = all_behind(e, a, t->stream, e->at->full ? NULL : &e->on, index);
    ok = LLVMBuildAnd(B, ok, LLVMBuildICmp(B, LLVMIntEQ, missing, word(e, 0), ""), "");
    return LLVMBuildAnd(B, ok, LLVMBuildICmp(B, LLVMIntEQ, outside, word(e, 0), ""), "");
}

/* Where the words are that have these bytes. */
static Val word_row(Emit *e, Val stream, Val index)
{
    const Val number = LLVMBuildZExt(B, LLVMBuildLShr(B, index, word(e, 2), ""), e->i64, "");
    return byte_at(e, stream, LLVMBuildMul(B, number, quad(e, sizeof(u32[MAX_LANES])), ""));
}

/* What the operation loads of the words. */
static Row load_bytes(Emit *e, Val stream, Val index, Op op, u32 width)
{
    const Row v = load_words_at(e, word_row(e, stream, index));
    const Val bits = LLVMBuildShl(B, LLVMBuildAnd(B, index, word(e, 3), ""), word(e, 3), "");
    return parts_of(e, v, bits, op, width);
}

/* How many bytes the load takes, and as what. */
static u32 width_of(const Uop *u, Op *op)
{
    const bool indexed = (Effect)isa_insn[u->id].effect == E_VLOAD_INDEX;
    *op = indexed ? OP_w : (Op)isa_insn[u->id].op;
    return indexed ? 4 : access_width(u);
}

LLVMTypeRef stream_type(Emit *e)
{
    LLVMTypeRef params[5 + MAX_CHUNKS] = {e->ptr, e->ptr, e->ptr, e->i64, e->i64},
                           result[1 + MAX_CHUNKS];
    for (u32 i = 0; i < e->nchunks; i++)
        params[5 + i] = result[i] = e->row;
    result[e->nchunks] = e->i64;
    return LLVMFunctionType(LLVMStructTypeInContext(e->c, result, e->nchunks + 1, false), params,
                            5 + e->nchunks, false);
}

/* The first of the loads that share a stream: takes the next word, or has words loaded. */
static void take_next(Emit *e, const Leader *l, const Taken *t, const Row *a, Meeting *m)
{
    Op op;
    const u32 width = width_of(l->load, &op);
    const LLVMBasicBlockRef look = new_block(e, "look"), pass = new_block(e, "pass"),
                            take = new_block(e, "take"), miss = new_block(e, "miss"),
                            got = new_block(e, "got"), none = new_block(e, "none");
    /* 1. now? */
    const Val wait_at = stream_field(e, t->stream, offsetof(Stream, wait));
    const Val wait = LLVMBuildLoad2(B, e->i8, wait_at, ""), zero = LLVMConstInt(e->i8, 0, false);
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, wait, zero, ""), look, pass);
    LLVMPositionBuilderAtEnd(B, pass);
    LLVMBuildStore(B, LLVMBuildSub(B, wait, LLVMConstInt(e->i8, 1, false), ""), wait_at);
    LLVMBuildBr(B, none);
    /* 2. what comes next for all lanes */
    LLVMPositionBuilderAtEnd(B, look);
    const Val next_at = stream_field(e, t->stream, offsetof(Stream, next));
    const Val next = LLVMBuildLoad2(B, e->i32, next_at, "");
    branch_likely(e, has_bytes(e, t, a, next, width), take, miss);
    LLVMPositionBuilderAtEnd(B, take);
    const Val step =
        LLVMBuildLoad2(B, e->i32, stream_field(e, t->stream, offsetof(Stream, step)), "");
    LLVMBuildStore(B, LLVMBuildAdd(B, next, step, ""), next_at);
    store_at(e, next, own_at(e, t, offsetof(Streams, at)));
    if (l->others)
        store_at(e, word(e, l->others), own_at(e, t, offsetof(Streams, left)));
    arrive(e, m, load_bytes(e, t->stream, next, op, width));
    LLVMBuildBr(B, m->done);
    /* 3. words are loaded here, or it is noted where the lanes are */
    LLVMPositionBuilderAtEnd(B, miss);
    const u64 what = t->n | (u64)(l->lo + STREAM_BYTES) << 8 | (u64)(l->hi + STREAM_BYTES) << 16 |
                     (u64)width << 24 | (u64)l->others << 32;
    Val args[5 + MAX_CHUNKS] = {e->warp, e->env, uop_here(e), t->mask, quad(e, what)};
    for (u32 i = 0; i < e->nchunks; i++)
        args[5 + i] = a->c[i];
    const Helper h = {.kind = HELPER_STREAM, .op = OP_w, .lanes = e->lanes};
    Row v = {{0}};
    const Val filled = call_helper(e, &h, stream_type(e), args, 5 + e->nchunks, e->nchunks, v.c);
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntNE, filled, quad(e, 0), ""), got, none);
    LLVMPositionBuilderAtEnd(B, got);
    arrive(e, m, parts_of(e, v, word(e, 0), op, width));
    LLVMBuildBr(B, m->done);
    LLVMPositionBuilderAtEnd(B, none);
}

/* One of the others: takes what lies near that which the first has taken. */
static void take_near(Emit *e, const Leader *l, const Taken *t, const Row *a, Meeting *m)
{
    Op op;
    const u32 width = width_of(e->at->uop[e->k], &op);
    const LLVMBasicBlockRef look = new_block(e, "look"), take = new_block(e, "take"),
                            none = new_block(e, "none");
    const Val left_at = own_at(e, t, offsetof(Streams, left));
    const Val left = load_at(e, e->i32, left_at);
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntNE, left, word(e, 0), ""), look, none);
    LLVMPositionBuilderAtEnd(B, look);
    store_at(e, LLVMBuildSub(B, left, word(e, 1), ""), left_at);
    const Val index = LLVMBuildAdd(B, own(e, t, offsetof(Streams, at)), word(e, (u32)l->off), "");
    branch_likely(e, has_bytes(e, t, a, index, width), take, none);
    LLVMPositionBuilderAtEnd(B, take);
    arrive(e, m, load_bytes(e, t->stream, index, op, width));
    LLVMBuildBr(B, m->done);
    LLVMPositionBuilderAtEnd(B, none);
}

void take_stream(Emit *e, const Uop *u, const Row *a, Meeting *m)
{
    if (!e->streams || !e->in_cycle[e->index] || !loads_lanes(e->at, e->k))
        return;
    const Leader l = leader_of(e->at, e->k);
    const u32 n = stream_of(e, l.load, l.load == u);
    if (n == STREAMS)
        return;
    const Taken t = taken(e, n);
    (l.load == u ? take_next : take_near)(e, &l, &t, a, m);
}

/* Goes to `on` if each lane stores to its own word of a stream, which then has it. */
static void put_in_stream(Emit *e, const Row *a, const Row *data, LLVMBasicBlockRef on)
{
    const Leader l = e->in_cycle[e->index] ? leader_of(e->at, e->k) : (Leader){.load = NULL};
    const u32 n = stream_of(e, l.load, false);
    if (n == STREAMS)
        return;
    const LLVMBasicBlockRef put = new_block(e, "put"), other = new_block(e, "other");
    const Taken t = taken(e, n);
    const Val index = LLVMBuildAdd(B, own(e, &t, offsetof(Streams, at)), word(e, (u32)l.off), "");
    const Val alone =
        LLVMBuildICmp(B, LLVMIntNE, own(e, &t, offsetof(Streams, alone)), word(e, 0), "");
    branch_likely(e, LLVMBuildAnd(B, has_bytes(e, &t, a, index, 4), alone, ""), put, other);
    LLVMPositionBuilderAtEnd(B, put);
    const Val row = word_row(e, t.stream, index);
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val at = chunk_host(e, row, i, 4);
        const Val v = e->at->full
                          ? data->c[i]
                          : LLVMBuildSelect(B, e->on.c[i], data->c[i], load_at(e, e->row, at), "");
        store_at(e, v, at);
    }
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, other);
}

void streams_store_lanes(Emit *e, const Row *a, const Row *data, u32 width)
{
    if (!e->streams)
        return;
    const LLVMBasicBlockRef on = new_block(e, "");
    const Row *lanes = e->at->full ? NULL : &e->on;
    if_streaming(e, on);
    if (width == 4)
        put_in_stream(e, a, data, on);
    forget_between(e, outermost(e, a, lanes, false), outermost(e, a, lanes, true), width - 1);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
}

/* --- what is loaded ----------------------------------------------------------------------- */

/* A load of words, or an attempt. */
typedef struct {
    Val all, stream, own; /* the Streams; the Stream; where Streams.lanes has its lanes */
    Val mask;             /* lanes that are on, also by chunks */
    const Row *a, *on;    /* a: where the first of the loads goes that share the stream */
    Val lo, hi, others;   /* i32: of these (Leader) */
    Val width;            /* i32: bytes that the first takes */
    Val was_loaded;       /* i1: there were words before */
    Val step;             /* bytes, if it is worthwhile */
    Row from;             /* where the words begin */
    Val index;            /* the byte of them that is asked for */
} Fill;

static Val field(Emit *e, const Fill *f, size_t offset)
{
    return LLVMBuildLoad2(B, e->i32, stream_field(e, f->stream, offset), "");
}

static Val magnitude(Emit *e, Val v)
{
    return intrinsic(e, "llvm.abs", &e->i32, 1, (Val[]){v, LLVMConstNull(e->i1)}, 2);
}

static Val is_below(Emit *e, Val v, u32 bound)
{
    return LLVMBuildICmp(B, LLVMIntULT, v, word(e, bound), "");
}

static Val both(Emit *e, Val a, Val b) { return LLVMBuildAnd(B, a, b, ""); }

/* How far the lanes that are on have gone, if that is all alike. */
static Val distance_gone(Emit *e, const Fill *f)
{
    Row gone = {{0}};
    const Val from = stream_field(e, f->stream, offsetof(Stream, from));
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val began = load_at(e, e->row, chunk_host(e, from, i, 4));
        gone.c[i] = LLVMBuildSub(B, f->a->c[i], began, "");
    }
    return outermost(e, &gone, f->on, true);
}

/* i1: the lanes are not few, and enough of the words before were taken, or as many as there were and the lanes go on
 * behind those; or there were none, and they have gone on by a few words or parts of words, all alike. */
static Val is_worthwhile(Emit *e, Fill *f)
{
    enum { GOOD = 3 };
    LLVMTypeRef t = e->i32;
    const Val step = field(e, f, offsetof(Stream, step)),
              next = field(e, f, offsetof(Stream, next));
    f->was_loaded = LLVMBuildICmp(B, LLVMIntNE, step, word(e, 0), "");
    /* 1. there were words */
    const Val taken = magnitude(e, LLVMBuildSub(B, next, field(e, f, offsetof(Stream, first)), ""));
    const Val enough = LLVMBuildMul(B, magnitude(e, step), word(e, GOOD), "");
    const Val all_taken = LLVMBuildNot(B, is_below(e, next, STREAM_BYTES), "");
    const Val is_behind = all_behind(e, f->a, f->stream, f->on, next);
    const Val was_good = LLVMBuildOr(B, LLVMBuildICmp(B, LLVMIntUGE, taken, enough, ""),
                                     both(e, all_taken, is_behind), "");
    /* 2. there were none */
    const Val gone = distance_gone(e, f);
    const Val parts = both(e, gone, LLVMBuildSub(B, f->width, word(e, 1), ""));
    Val goes_on = all_behind(e, f->a, f->stream, f->on, gone);
    goes_on = both(e, goes_on,
                   is_below(e, LLVMBuildSub(B, magnitude(e, gone), word(e, 1), ""), MOST_STEP));
    goes_on = both(e, goes_on, is_below(e, parts, 1));
    f->step = LLVMBuildSelect(B, f->was_loaded, step, gone, "");
    const Val count = intrinsic(e, "llvm.ctpop", &t, 1, &f->mask, 1);
    return both(e, LLVMBuildSelect(B, f->was_loaded, was_good, goes_on, ""),
                LLVMBuildICmp(B, LLVMIntUGE, count, word(e, e->lanes / 2), ""));
}

/* Places the words: those that are asked for now, and ahead of them as many as there is room for. */
static void place_words(Emit *e, Fill *f)
{
    const Val ahead = LLVMBuildICmp(B, LLVMIntSGT, f->step, word(e, 0), "");
    const Val whole = word(e, ~3u);
    const Val first = LLVMBuildNeg(B, both(e, f->lo, whole), ""),
              behind = both(e, LLVMBuildSub(B, word(e, LAST_WORD), f->hi, ""), whole);
    f->index = LLVMBuildSelect(B, ahead, first, behind, "");
    const Val far = splat(e, f->index);
    for (u32 i = 0; i < e->nchunks; i++)
        f->from.c[i] = LLVMBuildSub(B, f->a->c[i], far, "");
}

/* i1: all words of lanes that are on lie in the range; *far: how far each lane is behind where that begins,
 * 0 of others. */
static Val has_all_words(Emit *e, const Fill *f, Val range, Row *far)
{
    const Val lo = range_field(e, range, offsetof(PlainRange, lo)),
              room = range_field(e, range, offsetof(PlainRange, room));
    for (u32 i = 0; i < e->nchunks; i++)
        far->c[i] = distances(e, f->from.c[i], f->on->c[i], lo);
    return both(e, LLVMBuildICmp(B, LLVMIntUGT, room, word(e, LAST_WORD), ""),
                all_below(e, far, LLVMBuildSub(B, room, word(e, LAST_WORD), "")));
}

/* Other streams that have bytes from lo to last do not have them alone.  i1: there are none. */
static Val part_from_others(Emit *e, const Fill *f, Val lo, Val last)
{
    const LLVMTypeRef t = all_streams(e), bits = LLVMIntTypeInContext(e->c, STREAMS);
    const Val zeros = LLVMConstNull(t);
    store_at(e, word(e, 0), stream_field(e, f->own, offsetof(Streams, lanes)));
    const Val lanes = load_at(e, t, stream_field(e, f->all, offsetof(Streams, lanes)));
    const Val shares = both(e, streams_between(e, f->all, lo, last),
                            LLVMBuildICmp(B, LLVMIntNE, lanes, zeros, ""));
    const Val at = stream_field(e, f->all, offsetof(Streams, alone));
    store_at(e, LLVMBuildSelect(B, shares, zeros, load_at(e, t, at), ""), at);
    return LLVMBuildICmp(B, LLVMIntEQ, LLVMBuildBitCast(B, shares, bits, ""), LLVMConstNull(bits),
                         "");
}

/* Notes what is loaded, and which bytes it comes from. */
static void note_words(Emit *e, const Fill *f)
{
    const Val lo = outermost(e, &f->from, f->on, false),
              highest = outermost(e, &f->from, f->on, true);
    const Val last = LLVMBuildAdd(B, highest, word(e, LAST_WORD + 3), "");
    const Val alone =
        both(e, part_from_others(e, f, lo, last), are_even(e, &f->from, f->on, 4 * STREAM_WORDS));
    store_at(e, LLVMBuildZExt(B, alone, e->i32, ""),
             stream_field(e, f->own, offsetof(Streams, alone)));
    store_at(e, f->mask, stream_field(e, f->own, offsetof(Streams, lanes)));
    store_at(e, lo, stream_field(e, f->own, offsetof(Streams, lo)));
    store_at(e, last, stream_field(e, f->own, offsetof(Streams, last)));
    store_at(e, f->index, stream_field(e, f->own, offsetof(Streams, at)));
    store_at(e, f->others, stream_field(e, f->own, offsetof(Streams, left)));
    for (u32 i = 0; i < e->nchunks; i++)
        store_at(e, f->from.c[i],
                 chunk_host(e, stream_field(e, f->stream, offsetof(Stream, from)), i, 4));
    store_at(e, f->step, stream_field(e, f->stream, offsetof(Stream, step)));
    store_at(e, f->index, stream_field(e, f->stream, offsetof(Stream, first)));
    store_at(e, LLVMBuildAdd(B, f->index, f->step, ""),
             stream_field(e, f->stream, offsetof(Stream, next)));
    store_at(e, LLVMConstInt(e->i8, 0, false),
             stream_field(e, f->stream, offsetof(Stream, misses)));
    store_at(e, LLVMConstInt(e->i8, 1, false),
             byte_at(e, group_of(e), quad(e, offsetof(Group, streaming))));
}

/* Notes that nothing is loaded; nobody looks for a while where that was for nothing, or for longer if it was
 * so some times. */
static void note_miss(Emit *e, const Fill *f)
{
    enum { MANY = 4, PAUSE = 63, LONG_PAUSE = 255 };
    const Val misses_at = stream_field(e, f->stream, offsetof(Stream, misses));
    const Val none = LLVMConstInt(e->i8, 0, false),
              before = LLVMBuildLoad2(B, e->i8, misses_at, "");
    const Val misses = LLVMBuildAdd(B, before, LLVMConstInt(e->i8, 1, false), "");
    const Val many = LLVMBuildICmp(B, LLVMIntUGE, misses, LLVMConstInt(e->i8, MANY, false), "");
    const Val ends = LLVMBuildOr(B, many, f->was_loaded, "");
    const Val pause = LLVMBuildSelect(B, many, LLVMConstInt(e->i8, LONG_PAUSE, false),
                                      LLVMConstInt(e->i8, PAUSE, false), "");
    store_at(e, LLVMBuildSelect(B, ends, none, misses, ""), misses_at);
    store_at(e, LLVMBuildSelect(B, ends, pause, none, ""),
             stream_field(e, f->stream, offsetof(Stream, wait)));
    store_at(e, word(e, 0), stream_field(e, f->own, offsetof(Streams, lanes)));
    store_at(e, word(e, 0), stream_field(e, f->stream, offsetof(Stream, step)));
}

/* Eight or sixteen bits of what the caller says, as i32. */
static Val part(Emit *e, Val what, u32 shift, u32 bits)
{
    const Val v = LLVMBuildTrunc(B, LLVMBuildLShr(B, what, quad(e, shift), ""), e->i32, "");
    return both(e, v, word(e, (1u << bits) - 1));
}

void fill_stream(Emit *e, Val uop, Val mask, Val what, const Row *a, const Row *on)
{
    const LLVMBasicBlockRef ask = new_block(e, "ask"), fill = new_block(e, "fill"),
                            miss = new_block(e, "miss");
    const Val all = streams_of(e), first = stream_field(e, all, offsetof(Streams, of));
    const Val number = LLVMBuildAnd(B, what, quad(e, 0xff), "");
    Fill f = {.all = all,
              .stream = byte_at(e, first, LLVMBuildMul(B, number, quad(e, sizeof(Stream)), "")),
              .own = byte_at(e, all, LLVMBuildMul(B, number, quad(e, 4), "")),
              .lo = LLVMBuildSub(B, part(e, what, 8, 8), word(e, STREAM_BYTES), ""),
              .hi = LLVMBuildSub(B, part(e, what, 16, 8), word(e, STREAM_BYTES), ""),
              .width = part(e, what, 24, 8),
              .others = part(e, what, 32, 16),
              .mask = mask,
              .a = a,
              .on = on};
    const Val worthwhile = is_worthwhile(e, &f);
    for (u32 i = 0; i < e->nchunks; i++)
        store_at(e, a->c[i],
                 chunk_host(e, stream_field(e, f.stream, offsetof(Stream, from)), i, 4));
    store_at(e, word(e, 0), stream_field(e, f.own, offsetof(Streams, left)));
    LLVMBuildCondBr(B, worthwhile, ask, miss);

    LLVMPositionBuilderAtEnd(B, ask);
    Row far = {{0}}, nothing = {{0}};
    const Val range = range_for(e, uop, false);
    place_words(e, &f);
    LLVMBuildCondBr(B, has_all_words(e, &f, range, &far), fill, miss);

    LLVMPositionBuilderAtEnd(B, fill);
    const Val distances = lane_array(e);
    spread_lanes(e, distances, &far);
    load_columns(e, distances, plain_of(e, range).first, STREAM_WORDS,
                 stream_field(e, f.stream, offsetof(Stream, word)));
    note_words(e, &f);
    const Row v = load_words_at(e, word_row(e, f.stream, f.index));
    give_back(e, &v, quad(e, 1));

    LLVMPositionBuilderAtEnd(B, miss);
    note_miss(e, &f);
    for (u32 i = 0; i < e->nchunks; i++)
        nothing.c[i] = LLVMGetPoison(e->row);
    give_back(e, &nothing, quad(e, 0));
}
