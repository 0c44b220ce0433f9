/* lanes.c -- lanes whose addresses lie anywhere in one range of plain memory (Group.plain).
 *
 * A host with AVX-512 gathers a chunk, which takes as long for one lane as for all: if few lanes of a
 * row are on, these are loaded in a loop.  Others load a chunk lane by lane, without a branch: a lane
 * that is off loads what the range begins with, which nobody reads.  That takes less time than the
 * gathers of AVX2 do.  Lanes that are on are stored in a loop, or without one, where a helper is asked for a
 * chunk of which all are; but words are scattered there by hosts that can.  Loops have addresses and data in arrays on the stack.
 *
 * Rows of addresses that a uniform value minus another row leads to are asked whether they go backwards.
 *
 * vecmem.c has the argument why a guest reaches no memory of the host's.
 */
#include "jit/translate.h"
#include <stddef.h>

#define B e->b

Val some_lane(Emit *e, Val lanes)
{
    const LLVMTypeRef bits = LLVMIntTypeInContext(e->c, e->chunk);
    return LLVMBuildICmp(B, LLVMIntNE, LLVMBuildBitCast(B, lanes, bits, ""), LLVMConstNull(bits),
                         "");
}

Val distances(Emit *e, Val a, Val on, Val lo)
{
    const Val from = LLVMBuildSub(B, a, splat(e, lo), "");
    return on ? LLVMBuildSelect(B, on, from, LLVMConstNull(e->row), "") : from;
}

Val all_below(Emit *e, const Row *v, Val bound)
{
    Val most = NULL; /* of each lane, in its chunks */
    for (u32 i = 0; i < e->nchunks; i++)
        most = most ? intrinsic(e, "llvm.umax", &e->row, 1, (Val[]){most, v->c[i]}, 2) : v->c[i];
    return LLVMBuildNot(B, some_lane(e, LLVMBuildICmp(B, LLVMIntUGE, most, splat(e, bound), "")),
                        "");
}

Val all_within(Emit *e, const Row *a, const Row *on, Val range)
{
    const Val lo = range_field(e, range, offsetof(PlainRange, lo)),
              room = range_field(e, range, offsetof(PlainRange, room));
    Row from = {{0}};
    for (u32 i = 0; i < e->nchunks; i++)
        from.c[i] = distances(e, a->c[i], on->c[i], lo);
    return all_below(e, &from, room);
}

Val are_even(Emit *e, const Row *a, const Row *on, u32 least)
{
    enum { FAR = 1 << 26 };
    const Val first = LLVMBuildExtractElement(B, a->c[0], word(e, 0), "");
    const Val stride =
        LLVMBuildSub(B, LLVMBuildExtractElement(B, a->c[0], word(e, 1), ""), first, "");
    Val differ = NULL;
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val far = LLVMBuildMul(B, splat(e, stride), lanes_constant(e, i, 0, 1), "");
        const Val want = LLVMBuildAdd(B, splat(e, first), far, "");
        const Val other =
            LLVMBuildAnd(B, LLVMBuildICmp(B, LLVMIntNE, a->c[i], want, ""), on->c[i], "");
        differ = differ ? LLVMBuildOr(B, differ, other, "") : other;
    }
    const Val size = intrinsic(e, "llvm.abs", &e->i32, 1, (Val[]){stride, LLVMConstNull(e->i1)}, 2);
    const Val is_far =
        LLVMBuildICmp(B, LLVMIntULT, LLVMBuildSub(B, size, word(e, least), ""), word(e, FAR), "");
    return LLVMBuildAnd(B, is_far, LLVMBuildNot(B, some_lane(e, differ), ""), "");
}

Plain plain_of(Emit *e, Val range)
{
    Plain p = {.window = LLVMBuildLoad2(B, e->ptr,
                                        byte_at(e, range, quad(e, offsetof(PlainRange, base))), ""),
               .lo = range_field(e, range, offsetof(PlainRange, lo))};
    p.first = byte_at(e, p.window, LLVMBuildZExt(B, p.lo, e->i64, ""));
    return p;
}

/* --- at once ----------------------------------------------------------------------------- */

/* The host addresses of lanes, for gathers, which take offsets with a sign: from the middle of the
 * window. */
static Val chunk_hosts(Emit *e, Val a, Val base)
{
    const u32 middle = (u32)1 << 31;
    Val offsets = LLVMBuildXor(B, a, constant_like(a, middle), "");
    offsets = LLVMBuildSExt(B, offsets, LLVMVectorType(e->i64, e->chunk), "");
    return LLVMBuildInBoundsGEP2(B, e->i8, byte_at(e, base, quad(e, middle)), &offsets, 1, "");
}

static Val gather(Emit *e, Val a, const Plain *p, Val on, u32 width, Op op)
{
    const LLVMTypeRef t = LLVMVectorType(data_type(e, width), e->chunk);
    LLVMTypeRef types[2] = {e->row, LLVMVectorType(e->ptr, e->chunk)};
    const Val v =
        intrinsic(e, "llvm.masked.gather", types, 2,
                  (Val[]){chunk_hosts(e, a, p->window), word(e, 1), on, LLVMConstNull(e->row)}, 4);
    return width == 4 ? v : widen_data(e, op, LLVMBuildTrunc(B, v, t, ""), e->row);
}

void scatter_lanes(Emit *e, Val data, Val a, const Plain *p, Val on)
{
    LLVMTypeRef types[2] = {e->row, LLVMVectorType(e->ptr, e->chunk)};
    intrinsic(e, "llvm.masked.scatter", types, 2,
              (Val[]){data, chunk_hosts(e, a, p->window), word(e, 1), on}, 4);
}

/* --- one by one -------------------------------------------------------------------------- */

Val stack_place(Emit *e, LLVMTypeRef t)
{
    const LLVMBasicBlockRef here = LLVMGetInsertBlock(B), entry = LLVMGetEntryBasicBlock(e->fn);
    const Val first = LLVMGetFirstInstruction(entry);
    if (first)
        LLVMPositionBuilderBefore(B, first);
    const Val place = LLVMBuildAlloca(B, t, "");
    LLVMPositionBuilderAtEnd(B, here);
    return place;
}

Val stack_array(Emit *e, u32 words)
{
    const Val all = stack_place(e, LLVMArrayType(e->i32, words));
    LLVMSetAlignment(all, 64);
    return all;
}

Val lane_array(Emit *e) { return stack_array(e, e->lanes); }

void spread_lanes(Emit *e, Val all, const Row *v)
{
    for (u32 i = 0; i < e->nchunks; i++)
        store_at(e, v->c[i], chunk_host(e, all, i, 4));
}

static Val lane_of(Emit *e, Val all, Val lane)
{
    return LLVMBuildInBoundsGEP2(B, e->i32, all, &lane, 1, "");
}

static Val lowest_lane(Emit *e, Val mask)
{
    LLVMTypeRef t = e->i32;
    return intrinsic(e, "llvm.cttz", &t, 1, (Val[]){mask, LLVMConstInt(e->i1, 1, false)}, 2);
}

void store_lanes(Emit *e, Val lanes, const Plain *p, const Val arrays[2], u32 width)
{
    const LLVMBasicBlockRef before = LLVMGetInsertBlock(B), loop = new_block(e, "lane"),
                            done = new_block(e, "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, lanes, word(e, 0), ""), done, loop);
    LLVMPositionBuilderAtEnd(B, loop);
    const Val left = LLVMBuildPhi(B, e->i32, ""), lane = lowest_lane(e, left);
    const Val addr = LLVMBuildLoad2(B, e->i32, lane_of(e, arrays[0], lane), "");
    const Val data = LLVMBuildLoad2(B, e->i32, lane_of(e, arrays[1], lane), "");
    store_at(e, LLVMBuildTrunc(B, data, data_type(e, width), ""),
             byte_at(e, p->window, LLVMBuildZExt(B, addr, e->i64, "")));
    const Val others = LLVMBuildAnd(B, left, LLVMBuildSub(B, left, word(e, 1), ""), "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, others, word(e, 0), ""), done, loop);
    LLVMAddIncoming(left, (Val[]){lanes, others}, (LLVMBasicBlockRef[]){before, loop}, 2);
    LLVMPositionBuilderAtEnd(B, done);
}

/* Words 2 i and 2 i + 1 of a chunk, as i64. */
static void two_words(Emit *e, Val chunk, u32 i, Val two[2])
{
    const LLVMTypeRef pairs =
        LLVMVectorType(e->i64, e->chunk / 2); /* fewer words to take out of vectors */
    const Val both =
        LLVMBuildExtractElement(B, LLVMBuildBitCast(B, chunk, pairs, ""), word(e, i), "");
    two[0] = LLVMBuildAnd(B, both, quad(e, UINT32_MAX), "");
    two[1] = LLVMBuildLShr(B, both, quad(e, 32), "");
}

void store_chunk_lanes(Emit *e, Val data, Val a, const Plain *p, u32 width)
{
    for (u32 i = 0; i < e->chunk / 2; i++) {
        Val at[2], value[2];
        two_words(e, a, i, at);
        two_words(e, data, i, value);
        for (u32 k = 0; k < 2; k++)
            store_at(e, LLVMBuildTrunc(B, value[k], data_type(e, width), ""),
                     byte_at(e, p->window, at[k]));
    }
}

/* A chunk of lanes, each so far behind a host address. */
static Val load_lanes(Emit *e, Val from, Val host, u32 width, Op op)
{
    const LLVMTypeRef t = data_type(e, width);
    Val v = LLVMGetPoison(e->row);
    for (u32 i = 0; i < e->chunk / 2; i++) {
        Val at[2];
        two_words(e, from, i, at);
        for (u32 k = 0; k < 2; k++) {
            const Val got = load_at(e, t, byte_at(e, host, at[k]));
            v = LLVMBuildInsertElement(B, v, widen_data(e, op, got, e->i32), word(e, 2 * i + k),
                                       "");
        }
    }
    return v;
}

Val gather_lanes(Emit *e, Val a, const Plain *p, Val on, u32 width, Op op)
{
    return e->host->gathers ? gather(e, a, p, on, width, op)
                            : load_lanes(e, distances(e, a, on, p->lo), p->first, width, op);
}

/* --- rows -------------------------------------------------------------------------------- */

/* Goes to a new block if a lane of the chunk is on, else to `done`. */
static void if_some(Emit *e, u32 chunk, LLVMBasicBlockRef done)
{
    const LLVMBasicBlockRef some = new_block(e, "some");
    const Val part = word(e, ((1u << e->chunk) - 1) << chunk * e->chunk);
    const Val is_some =
        e->host->gathers
            ? some_lane(e, e->on.c[chunk])
            : LLVMBuildICmp(B, LLVMIntNE, LLVMBuildAnd(B, e->mask, part, ""), word(e, 0), "");
    LLVMBuildCondBr(B, is_some, some, done);
    LLVMPositionBuilderAtEnd(B, some);
}

Row gather_row(Emit *e, const Row *a, const Plain *p, u32 width, Op op)
{
    Row v = {{0}};
    for (u32 i = 0; i < e->nchunks; i++) {
        const LLVMBasicBlockRef before = LLVMGetInsertBlock(B), done = new_block(e, "");
        if_some(e, i, done);
        const Val got = gather_lanes(e, a->c[i], p, e->on.c[i], width, op);
        const LLVMBasicBlockRef from = LLVMGetInsertBlock(B);
        LLVMBuildBr(B, done);
        LLVMPositionBuilderAtEnd(B, done);
        v.c[i] = LLVMBuildPhi(B, e->row, "");
        LLVMAddIncoming(v.c[i], (Val[]){got, LLVMConstNull(e->row)},
                        (LLVMBasicBlockRef[]){from, before}, 2);
    }
    return v;
}

Val few_lanes(Emit *e, Val mask)
{
    enum { FEW = 8 };
    LLVMTypeRef t = e->i32;
    const Val others = LLVMBuildSub(B, intrinsic(e, "llvm.ctpop", &t, 1, &mask, 1), word(e, 1), "");
    return LLVMBuildICmp(B, LLVMIntULT, others, word(e, FEW), "");
}

/* The arrays of the function, of which each is made when it is needed first. */
static void spread_row(Emit *e, u32 which, const Row *v)
{
    if (!e->lane_words[which])
        e->lane_words[which] = lane_array(e);
    spread_lanes(e, e->lane_words[which], v);
}

Row load_each(Emit *e, const Row *a, const Plain *p, u32 width, Op op)
{
    const LLVMBasicBlockRef before = LLVMGetInsertBlock(B), loop = new_block(e, "lane"),
                            done = new_block(e, "");
    Row old, v;
    spread_row(e, 0, a);
    LLVMBuildBr(B, loop);
    LLVMPositionBuilderAtEnd(B, loop);
    const Val left = LLVMBuildPhi(B, e->i32, "");
    for (u32 i = 0; i < e->nchunks; i++)
        old.c[i] = LLVMBuildPhi(B, e->row, "");
    const Val at = lane_of(e, e->lane_words[0], lowest_lane(e, left)),
              addr = LLVMBuildZExt(B, LLVMBuildLoad2(B, e->i32, at, ""), e->i64, "");
    const Val got = load_at(e, data_type(e, width), byte_at(e, p->window, addr)),
              all = splat(e, widen_data(e, op, got, e->i32));
    const Val others = LLVMBuildAnd(B, left, LLVMBuildSub(B, left, word(e, 1), ""), ""),
              lane = LLVMBuildAnd(B, left, LLVMBuildNeg(B, left, ""), "");
    for (u32 i = 0; i < e->nchunks; i++)
        v.c[i] = LLVMBuildSelect(B, mask_chunk(e, lane, i), all, old.c[i], "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, others, word(e, 0), ""), done, loop);
    const LLVMBasicBlockRef from[2] = {before, loop};
    LLVMAddIncoming(left, (Val[]){e->mask, others}, (LLVMBasicBlockRef *)from, 2);
    for (u32 i = 0; i < e->nchunks; i++)
        LLVMAddIncoming(old.c[i], (Val[]){LLVMConstNull(e->row), v.c[i]}, (LLVMBasicBlockRef *)from,
                        2);
    LLVMPositionBuilderAtEnd(B, done);
    return v;
}

void store_each(Emit *e, const Row *data, const Row *a, const Plain *p, u32 width)
{
    spread_row(e, 0, a);
    spread_row(e, 1, data);
    store_lanes(e, e->mask, p, e->lane_words, width);
}

/* --- a row backwards --------------------------------------------------------------------- */

static bool is_uniform(Val v)
{
    return LLVMIsConstant(v) ||
           (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMShuffleVector);
}

bool may_be_backwards(Val v)
{
    enum { DEPTH = 8 };
    for (u32 k = 0; k < DEPTH && LLVMIsAInstruction(v); k++) {
        const LLVMOpcode op = LLVMGetInstructionOpcode(v);
        if (op != LLVMAdd && op != LLVMSub && op != LLVMShl && op != LLVMAnd)
            return false;
        const Val a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
        if (op == LLVMSub && is_uniform(a))
            return true;
        v = op == LLVMAdd && is_uniform(a) ? b : a;
    }
    return false;
}

/* The lanes of a chunk from the last to the first. */
static Val reversed(Emit *e, Val v)
{
    Val lane[MAX_LANES];
    for (u32 i = 0; i < e->chunk; i++)
        lane[i] = word(e, e->chunk - 1 - i);
    return LLVMBuildShuffleVector(B, v, LLVMGetPoison(LLVMTypeOf(v)),
                                  LLVMConstVector(lane, e->chunk), "");
}

void access_backwards(Emit *e, Val range, const Row *a, const Row *data, u32 width, Op op,
                      Meeting *m)
{
    static const Row every = {{0}};
    const LLVMBasicBlockRef back = new_block(e, "back"), apart = new_block(e, "apart");
    const LLVMTypeRef t = LLVMVectorType(data_type(e, width), e->chunk);
    const u32 most = (e->lanes - 1) * width;
    const Val first = LLVMBuildExtractElement(B, a->c[0], word(e, 0), "");
    Val ok = LLVMBuildAnd(B, all_within(e, a, &every, range),
                          LLVMBuildICmp(B, LLVMIntUGE, first, word(e, most), ""), "");
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val steps = LLVMBuildSub(B, splat(e, first), lanes_constant(e, i, 0, width), "");
        const Val differ = LLVMBuildICmp(B, LLVMIntNE, a->c[i], steps, "");
        ok = LLVMBuildAnd(B, ok, LLVMBuildNot(B, some_lane(e, differ), ""), "");
    }
    if (data && !e->repeats)
        ok = LLVMBuildAnd(B, ok, unreserved(e), "");
    LLVMBuildCondBr(B, ok, back, apart);
    LLVMPositionBuilderAtEnd(B, back);
    const Val lowest = LLVMBuildZExt(B, LLVMBuildSub(B, first, word(e, most), ""), e->i64, "");
    const Val host = byte_at(e, plain_of(e, range).window, lowest);
    Row v = {{0}};
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val at = chunk_host(e, host, e->nchunks - 1 - i, width);
        if (data)
            store_at(e, reversed(e, width < 4 ? LLVMBuildTrunc(B, data->c[i], t, "") : data->c[i]),
                     at);
        else
            v.c[i] = widen_data(e, op, reversed(e, load_at(e, t, at)), e->row);
    }
    if (!data)
        arrive(e, m, v);
    LLVMBuildBr(B, m->done);
    LLVMPositionBuilderAtEnd(B, apart);
}
