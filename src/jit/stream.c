/* stream.c -- lanes that each go along memory of its own, such as rows of a matrix, word by word.
 *
 * To load one word for each lane takes as many accesses of the host as there are lanes, and lines of
 * the host's cache that rows of a matrix lie in often fall into a few sets of it, so that they are gone
 * when the next word is asked for.  So, when lanes anywhere have gone on by a word, all alike, a
 * helper loads the next sixteen words of each at once and exchanges rows and columns; these times the
 * lanes find their words in a row (Group.streams).  What they ask for is compared with what is there,
 * address by address, so nobody has to know how a loop goes on.
 *
 * What such a load returns was in memory up to fifteen steps of the loop before, which the guest's memory
 * order allows, and only others that store at the same time can show.  All is forgotten where code is
 * entered, where a warp begins, and at fences, atomics and whatever is left to handlers; a store of this
 * code forgets the streams whose lowest and highest byte it comes between; and each word is taken once, so
 * that who waits for one to change looks at memory each time.
 *
 * vecmem.c has the argument why a guest reaches no memory of the host's: the helper loads words only
 * where the range that is remembered for the instruction has all sixteen of each lane.
 */
#include "isa/op.h"
#include "jit/translate.h"
#include <stddef.h>

#define B e->b

enum { LAST_WORD = 4 * (STREAM_WORDS - 1) };

/* --- places ------------------------------------------------------------------------------- */

/* Whether instruction k of the block loads words for lanes that may lie anywhere. */
static bool loads_words(const RegionBlock *b, u32 k)
{
    const Uop *u = b->uop[k];
    if (u->id >= NINSN)
        return false;
    const Effect f = (Effect)isa_insn[u->id].effect;
    const bool words = f == E_VLOAD_INDEX ? access_width(u) == 4 : (Op)isa_insn[u->id].op == OP_w;
    return (f == E_VLOAD_12 || f == E_VLOAD_GLOBAL || f == E_VLOAD_LOCAL || f == E_VLOAD_INDEX) &&
           words && !(u->mem >> UOP_WORDS & 3) && space_of(u) != SPACE_PRIVATE;
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
        for (u32 k = 0; b->is_reached && k < b->nsucc; k++)
            if (place[b->succ[k]] <= place[i]) {
                begun[place[b->succ[k]]]++;
                begun[place[i] + 1]--;
            }
    }
    for (u32 n = 0; ok && n < r->nblock; n++) {
        const RegionBlock *b = &r->block[r->order[n]];
        open += begun[n];
        e->in_cycle[r->order[n]] = open;
        for (u32 k = 0; open && b->is_reached && k < b->nuop && !found; k++)
            found = loads_words(b, k);
    }
    mem_free(place);
    mem_free(begun);
    return found;
}

/* The number of the stream for the load at e->k, or STREAMS.  Loads of one block from one register, some bytes
 * apart, share one: a loop that takes several steps at once has them. */
static u32 stream_of(Emit *e, const Uop *u)
{
    const RegionBlock *b = e->at;
    u32 leader = u->pc;
    if (!e->streams || !e->in_cycle[e->index] || !loads_words(b, e->k))
        return STREAMS;
    for (u32 k = e->k; has_own_address((Effect)isa_insn[u->id].effect) && k-- > 0;) {
        const Uop *other = b->uop[k];
        const RegSet written = block_use(b, k).writes;
        if (regset_has_v(&written, u->ra))
            break;
        if (other->id != u->id || other->ra != u->ra || other->rb != u->rb)
            continue;
        if (other->imm == u->imm)
            break;
        if (other->imm - u->imm <= LAST_WORD && u->imm - other->imm <= LAST_WORD)
            leader = other->pc;
    }
    for (u32 i = 0; i < e->nstream; i++)
        if (e->stream_pc[i] == leader)
            return i;
    if (e->nstream == STREAMS)
        return STREAMS;
    e->stream_pc[e->nstream] = leader;
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

/* Forgets what lies from byte `first` to a byte so far behind `last`. */
static void forget_between(Emit *e, Val first, Val last, u32 behind_last)
{
    const LLVMTypeRef t = all_streams(e);
    const Val zeros = LLVMConstNull(t), at = index_at(e, offsetof(Streams, lanes));
    Val edge[2] = {
        first, intrinsic(e, "llvm.uadd.sat", &e->i32, 1, (Val[]){last, word(e, behind_last)}, 2)};
    for (u32 i = 0; i < 2; i++)
        edge[i] = LLVMBuildShuffleVector(
            B, LLVMBuildInsertElement(B, LLVMGetPoison(t), edge[i], word(e, 0), ""),
            LLVMGetPoison(t), zeros, "");
    const Val before = LLVMBuildICmp(B, LLVMIntULT, edge[1],
                                     load_at(e, t, index_at(e, offsetof(Streams, lo))), "");
    const Val behind = LLVMBuildICmp(B, LLVMIntUGT, edge[0],
                                     load_at(e, t, index_at(e, offsetof(Streams, last))), "");
    const Val stays = LLVMBuildOr(B, before, behind, "");
    store_at(e, LLVMBuildSelect(B, stays, load_at(e, t, at), zeros, ""), at);
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

void streams_store_lanes(Emit *e, const Row *a, u32 width)
{
    if (!e->streams)
        return;
    const LLVMBasicBlockRef on = new_block(e, "");
    const Row *lanes = e->at->full ? NULL : &e->on;
    if_streaming(e, on);
    forget_between(e, outermost(e, a, lanes, false), outermost(e, a, lanes, true), width - 1);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
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

static Row words_at(Emit *e, Val words)
{
    Row v = {{0}};
    for (u32 i = 0; i < e->nchunks; i++)
        v.c[i] = load_at(e, e->row, chunk_host(e, words, i, 4));
    return v;
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

void take_stream(Emit *e, const Uop *u, const Row *a, Meeting *m)
{
    const u32 n = stream_of(e, u);
    if (n == STREAMS)
        return;
    const LLVMBasicBlockRef look = new_block(e, "look"), pass = new_block(e, "pass"),
                            take = new_block(e, "take"), miss = new_block(e, "miss"),
                            got = new_block(e, "got"), none = new_block(e, "none");
    const Val stream = index_at(e, offsetof(Streams, of) + n * sizeof(Stream));
    const Val mask = e->at->full ? word(e, lanes_mask(e)) : e->mask;
    /* 1. now? */
    const Val wait_at = stream_field(e, stream, offsetof(Stream, wait));
    const Val wait = LLVMBuildLoad2(B, e->i8, wait_at, ""), zero = LLVMConstInt(e->i8, 0, false);
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, wait, zero, ""), look, pass);
    LLVMPositionBuilderAtEnd(B, pass);
    LLVMBuildStore(B, LLVMBuildSub(B, wait, LLVMConstInt(e->i8, 1, false), ""), wait_at);
    LLVMBuildBr(B, none);
    /* 2. the next word of all lanes */
    LLVMPositionBuilderAtEnd(B, look);
    const Val next_at = stream_field(e, stream, offsetof(Stream, next));
    const Val next = LLVMBuildLoad2(B, e->i32, next_at, "");
    const Val lanes = load_at(e, e->i32, index_at(e, offsetof(Streams, lanes) + 4 * n));
    const Val missing = LLVMBuildAnd(B, mask, LLVMBuildNot(B, lanes, ""), "");
    Val ok = all_behind(e, a, stream, e->at->full ? NULL : &e->on,
                        LLVMBuildShl(B, next, word(e, 2), ""));
    ok = LLVMBuildAnd(B, ok, LLVMBuildICmp(B, LLVMIntEQ, missing, word(e, 0), ""), "");
    ok = LLVMBuildAnd(B, ok, LLVMBuildICmp(B, LLVMIntULT, next, word(e, STREAM_WORDS), ""), "");
    branch_likely(e, ok, take, miss);
    LLVMPositionBuilderAtEnd(B, take);
    LLVMBuildStore(B, LLVMBuildAdd(B, next, word(e, 1), ""), next_at);
    const Val row =
        LLVMBuildMul(B, LLVMBuildZExt(B, next, e->i64, ""), quad(e, sizeof(u32[MAX_LANES])), "");
    arrive(e, m, words_at(e, byte_at(e, stream, row)));
    LLVMBuildBr(B, m->done);
    /* 3. words are loaded here, or it is noted where the lanes are */
    LLVMPositionBuilderAtEnd(B, miss);
    Val args[5 + MAX_CHUNKS] = {e->warp, e->env, uop_here(e), mask, quad(e, n)};
    for (u32 i = 0; i < e->nchunks; i++)
        args[5 + i] = a->c[i];
    const Helper h = {.kind = HELPER_STREAM, .op = OP_w, .lanes = e->lanes};
    Row v = {{0}};
    const Val filled = call_helper(e, &h, stream_type(e), args, 5 + e->nchunks, e->nchunks, v.c);
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntNE, filled, quad(e, 0), ""), got, none);
    LLVMPositionBuilderAtEnd(B, got);
    arrive(e, m, v);
    LLVMBuildBr(B, m->done);
    LLVMPositionBuilderAtEnd(B, none);
}

/* --- what is loaded ----------------------------------------------------------------------- */

/* Two vectors of n words, one after the other. */
static Val join(Emit *e, Val a, Val b, u32 n)
{
    Val all[MAX_LANES];
    for (u32 k = 0; k < 2 * n; k++)
        all[k] = word(e, k);
    return LLVMBuildShuffleVector(B, a, b, LLVMConstVector(all, 2 * n), "");
}

/* Exchanges rows and columns of n vectors of n words. */
static void transpose(Emit *e, Val *v, u32 n)
{
    for (u32 step = 1; step < n; step *= 2)
        for (u32 j = 0; j < n; j++) {
            Val low[MAX_LANES], high[MAX_LANES];
            if (j & step)
                continue;
            for (u32 k = 0; k < n; k++) {
                low[k] = word(e, k & step ? n + k - step : k);
                high[k] = word(e, k & step ? n + k : k + step);
            }
            const Val a = v[j], b = v[j + step];
            v[j] = LLVMBuildShuffleVector(B, a, b, LLVMConstVector(low, n), "");
            v[j + step] = LLVMBuildShuffleVector(B, a, b, LLVMConstVector(high, n), "");
        }
}

/* Loads the words of each lane, which begin so far behind a host address (`far`, an array), block by block of n
 * words of n lanes.  Returns the first of each lane. */
static Row load_words(Emit *e, Val stream, Val far, Val host)
{
    enum { MOST = 8 }; /* by blocks of 16 PolyBench's syrk took 1.2 times as long */
    const u32 n = e->chunk < MOST ? e->chunk : MOST;
    const LLVMTypeRef t = LLVMVectorType(e->i32, n);
    Row row = {{0}};
    for (u32 i = 0; i < e->lanes; i += n)
        for (u32 first = 0; first < STREAM_WORDS; first += n) {
            Val v[MAX_LANES];
            for (u32 k = 0; k < n; k++) {
                const Val at =
                    LLVMBuildLoad2(B, e->i32, byte_at(e, far, quad(e, 4 * (u64)(i + k))), "");
                const Val lane = byte_at(e, host, LLVMBuildZExt(B, at, e->i64, ""));
                v[k] = load_at(e, t, byte_at(e, lane, quad(e, 4 * (u64)first)));
            }
            transpose(e, v, n);
            if (!first)
                row.c[i / e->chunk] = i % e->chunk ? join(e, row.c[i / e->chunk], v[0], n) : v[0];
            for (u32 k = 0; k < n; k++)
                store_at(
                    e, v[k],
                    byte_at(e, stream, quad(e, sizeof(u32[MAX_LANES]) * (first + k) + 4 * (u64)i)));
        }
    return row;
}

/* A load of words, or an attempt. */
typedef struct {
    Val stream, own; /* the Stream; where Streams.lanes has its lanes */
    Val mask;        /* lanes that are on, also by chunks */
    const Row *a, *on;
    Val was_loaded; /* i1: there were words before */
} Fill;

/* i1: enough of the words before were taken, or the lanes have gone on by a word; and they are not few. */
static Val is_worthwhile(Emit *e, Fill *f)
{
    enum { GOOD = 3 };
    LLVMTypeRef t = e->i32;
    const Val next = LLVMBuildLoad2(B, t, stream_field(e, f->stream, offsetof(Stream, next)), "");
    const Val seen = LLVMBuildLoad2(B, t, stream_field(e, f->stream, offsetof(Stream, seen)), "");
    const Val unseen = LLVMBuildAnd(B, f->mask, LLVMBuildNot(B, seen, ""), "");
    f->was_loaded = LLVMBuildICmp(B, LLVMIntNE, next, word(e, 0), "");
    Val goes_on = all_behind(e, f->a, f->stream, f->on, word(e, 4));
    goes_on = LLVMBuildAnd(B, goes_on, LLVMBuildICmp(B, LLVMIntEQ, unseen, word(e, 0), ""), "");
    goes_on = LLVMBuildAnd(B, goes_on, LLVMBuildNot(B, f->was_loaded, ""), "");
    const Val was_good = LLVMBuildICmp(B, LLVMIntUGE, next, word(e, GOOD), "");
    const Val count = intrinsic(e, "llvm.ctpop", &t, 1, &f->mask, 1);
    return LLVMBuildAnd(B, LLVMBuildOr(B, was_good, goes_on, ""),
                        LLVMBuildICmp(B, LLVMIntUGE, count, word(e, e->lanes / 2), ""), "");
}

/* i1: all words of lanes that are on lie in the range; *far: how far each lane is behind where that begins,
 * 0 of others. */
static Val has_all_words(Emit *e, const Fill *f, Val range, Row *far)
{
    const Val lo = range_field(e, range, offsetof(PlainRange, lo)),
              room = range_field(e, range, offsetof(PlainRange, room));
    for (u32 i = 0; i < e->nchunks; i++)
        far->c[i] = distances(e, f->a->c[i], f->on->c[i], lo);
    return LLVMBuildAnd(B, LLVMBuildICmp(B, LLVMIntUGT, room, word(e, LAST_WORD), ""),
                        all_below(e, far, LLVMBuildSub(B, room, word(e, LAST_WORD), "")), "");
}

/* Notes what is loaded, and which bytes it comes from. */
static void note_words(Emit *e, const Fill *f)
{
    const Val highest = outermost(e, f->a, f->on, true);
    store_at(e, f->mask, stream_field(e, f->own, offsetof(Streams, lanes)));
    store_at(e, outermost(e, f->a, f->on, false), stream_field(e, f->own, offsetof(Streams, lo)));
    store_at(e, LLVMBuildAdd(B, highest, word(e, LAST_WORD + 3), ""),
             stream_field(e, f->own, offsetof(Streams, last)));
    store_at(e, word(e, 1), stream_field(e, f->stream, offsetof(Stream, next)));
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
    store_at(e, word(e, 0), stream_field(e, f->stream, offsetof(Stream, next)));
}

void fill_stream(Emit *e, Val uop, Val mask, Val number, const Row *a, const Row *on)
{
    const LLVMBasicBlockRef ask = new_block(e, "ask"), fill = new_block(e, "fill"),
                            miss = new_block(e, "miss");
    const Val all = streams_of(e), first = stream_field(e, all, offsetof(Streams, of));
    Fill f = {.stream = byte_at(e, first, LLVMBuildMul(B, number, quad(e, sizeof(Stream)), "")),
              .own = byte_at(e, all, LLVMBuildMul(B, number, quad(e, 4), "")),
              .mask = mask,
              .a = a,
              .on = on};
    const Val worthwhile = is_worthwhile(e, &f);
    for (u32 i = 0; i < e->nchunks; i++)
        store_at(e, a->c[i],
                 chunk_host(e, stream_field(e, f.stream, offsetof(Stream, from)), i, 4));
    store_at(e, mask, stream_field(e, f.stream, offsetof(Stream, seen)));
    LLVMBuildCondBr(B, worthwhile, ask, miss);

    LLVMPositionBuilderAtEnd(B, ask);
    Row far = {{0}}, nothing = {{0}};
    const Val range = range_for(e, uop, false);
    LLVMBuildCondBr(B, has_all_words(e, &f, range, &far), fill, miss);

    LLVMPositionBuilderAtEnd(B, fill);
    const Val distances = lane_array(e);
    spread_lanes(e, distances, &far);
    const Row v = load_words(e, f.stream, distances, plain_of(e, range).first);
    note_words(e, &f);
    give_back(e, &v, quad(e, 1));

    LLVMPositionBuilderAtEnd(B, miss);
    note_miss(e, &f);
    for (u32 i = 0; i < e->nchunks; i++)
        nothing.c[i] = LLVMGetPoison(e->row);
    give_back(e, &nothing, quad(e, 0));
}
