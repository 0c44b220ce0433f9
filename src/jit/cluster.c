/* cluster.c -- words near each other, of lanes anywhere: members of structures, short vectors, a few steps along a row.
 *
 * The host takes as long to gather a word for each lane as to load sixteen bytes of each, and some ten times as long as to
 * exchange rows and columns of these.  So where several instructions of a block access words at immediates from one
 * register (words.c), a helper loads all that they ask for, sixteen bytes of a lane at a time, into an array of the
 * function, from which each then takes its row.  Stores of two to four words that follow each other, or of eight, are put together so.
 *
 * A helper does nothing, and says so, where lanes do not all lie in the range that is remembered for the instruction;
 * where lanes' words might overlap, whose order could be seen, it stores nothing (vecmem.c has the argument why a guest
 * reaches no memory of the host's).
 */
#include "isa/op.h"
#include "jit/translate.h"
#include <stddef.h>

#define B e->b

enum { PIECE = NEAR_PIECE, EIGHT = 8 }; /* words */

/* --- rows and columns --------------------------------------------------------------------- */

/* Of two vectors, the first or the second half of each 128 bits, by turns `unit` words of each. */
static Val interleave(Emit *e, Val a, Val b, u32 unit, bool high)
{
    Val lane[MAX_LANES];
    for (u32 i = 0; i < e->chunk; i++) {
        const u32 in = i % PIECE, which = in / unit % 2;
        const u32 at = i - in + in / (2 * unit) * unit + in % unit + (high ? PIECE / 2 : 0);
        lane[i] = word(e, at + which * e->chunk);
    }
    return LLVMBuildShuffleVector(B, a, b, LLVMConstVector(lane, e->chunk), "");
}

/* Exchanges rows and columns of each four words of four vectors. */
static void exchange(Emit *e, Val v[PIECE])
{
    Val half[PIECE];
    for (u32 i = 0; i < PIECE; i++)
        half[i] = interleave(e, v[i & 2], v[(i & 2) + 1], 1, i & 1);
    for (u32 i = 0; i < PIECE; i++)
        v[i] = interleave(e, half[i / 2], half[i / 2 + 2], 2, i & 1);
}

/* Four words of every fourth lane of a chunk from lane `first` on, each so far behind a host address (`far`, an
 * array). */
static Val load_piece(Emit *e, Val far, Val host, u32 first)
{
    const u32 n = e->chunk / PIECE;
    Val v[MAX_LANES / PIECE], lane[MAX_LANES];
    for (u32 i = 0; i < n; i++) {
        const Val at = byte_at(e, far, quad(e, 4 * (u64)(first + PIECE * i)));
        const Val away = LLVMBuildZExt(B, LLVMBuildLoad2(B, e->i32, at, ""), e->i64, "");
        v[i] = load_at(e, LLVMVectorType(e->i32, PIECE), byte_at(e, host, away));
    }
    for (u32 size = PIECE; size < e->chunk; size *= 2)
        for (u32 i = 0; i < e->chunk / size / 2; i++) {
            for (u32 k = 0; k < 2 * size; k++)
                lane[k] = word(e, k);
            v[i] = LLVMBuildShuffleVector(B, v[2 * i], v[2 * i + 1],
                                          LLVMConstVector(lane, 2 * size), "");
        }
    return v[0];
}

/* Sixteen bytes of each lane of a chunk, from the word `first` on. */
static void load_pieces(Emit *e, Val far, Val host, u32 chunk, u32 first, Val rows)
{
    Val v[PIECE];
    for (u32 k = 0; k < PIECE; k++)
        v[k] = load_piece(e, far, byte_at(e, host, quad(e, 4 * (u64)first)), chunk * e->chunk + k);
    exchange(e, v);
    for (u32 k = 0; k < PIECE; k++)
        store_at(e, v[k], chunk_host(e, row_of_words(e, rows, first + k), chunk, 4));
}

/* Exchanges rows and columns of eight vectors of eight words. */
static void exchange_eight(Emit *e, Val v[EIGHT])
{
    for (u32 step = 1; step < EIGHT; step *= 2)
        for (u32 j = 0; j < EIGHT; j++) {
            Val low[EIGHT], high[EIGHT];
            if (j & step)
                continue;
            for (u32 k = 0; k < EIGHT; k++) {
                low[k] = word(e, k & step ? EIGHT + k - step : k);
                high[k] = word(e, k & step ? EIGHT + k : k + step);
            }
            const Val a = v[j], b = v[j + step];
            v[j] = LLVMBuildShuffleVector(B, a, b, LLVMConstVector(low, EIGHT), "");
            v[j + step] = LLVMBuildShuffleVector(B, a, b, LLVMConstVector(high, EIGHT), "");
        }
}

/* 32 bytes of eight lanes from number `lane` on, which takes less time than 64 bytes of sixteen. */
static void load_eight(Emit *e, Val far, Val host, u32 lane, u32 first, Val rows)
{
    Val v[EIGHT];
    for (u32 k = 0; k < EIGHT; k++) {
        const Val at = LLVMBuildLoad2(B, e->i32, byte_at(e, far, quad(e, 4 * (u64)(lane + k))), "");
        const Val from = byte_at(e, host, LLVMBuildZExt(B, at, e->i64, ""));
        v[k] = load_at(e, LLVMVectorType(e->i32, EIGHT), byte_at(e, from, quad(e, 4 * (u64)first)));
    }
    exchange_eight(e, v);
    for (u32 k = 0; k < EIGHT; k++)
        store_at(e, v[k], byte_at(e, row_of_words(e, rows, first + k), quad(e, 4 * (u64)lane)));
}

void load_columns(Emit *e, Val far, Val host, u32 words, Val rows)
{
    const u32 eights = e->chunk >= EIGHT ? words / EIGHT * EIGHT : 0;
    for (u32 lane = 0; lane < e->lanes; lane += EIGHT)
        for (u32 first = 0; first < eights; first += EIGHT)
            load_eight(e, far, host, lane, first, rows);
    for (u32 i = 0; i < e->nchunks; i++)
        for (u32 first = eights; first < words; first += PIECE)
            load_pieces(e, far, host, i, first, rows);
}

/* Stores eight words of each of eight lanes. */
static void store_eight(Emit *e, Val far, Val host, u32 lane, Val rows)
{
    Val v[EIGHT];
    for (u32 k = 0; k < EIGHT; k++)
        v[k] = load_at(e, LLVMVectorType(e->i32, EIGHT),
                       byte_at(e, row_of_words(e, rows, k), quad(e, 4 * (u64)lane)));
    exchange_eight(e, v);
    for (u32 k = 0; k < EIGHT; k++) {
        const Val at = LLVMBuildLoad2(B, e->i32, byte_at(e, far, quad(e, 4 * (u64)(lane + k))), "");
        store_at(e, v[k], byte_at(e, host, LLVMBuildZExt(B, at, e->i64, "")));
    }
}

/* Stores up to four words of each lane, or eight. */
static void store_columns(Emit *e, Val far, Val host, u32 words, Val rows)
{
    for (u32 lane = 0; words == EIGHT && lane < e->lanes; lane += EIGHT)
        store_eight(e, far, host, lane, rows);
    if (words == EIGHT)
        return;
    for (u32 i = 0; i < e->nchunks; i++) {
        Val v[PIECE], lane[PIECE];
        for (u32 k = 0; k < PIECE; k++)
            v[k] = k < words ? load_at(e, e->row, chunk_host(e, row_of_words(e, rows, k), i, 4))
                             : LLVMGetPoison(e->row);
        exchange(e, v);
        for (u32 n = 0; n < e->chunk; n++) {
            const Val at = byte_at(e, far, quad(e, 4 * (u64)(i * e->chunk + n)));
            const Val away = LLVMBuildZExt(B, LLVMBuildLoad2(B, e->i32, at, ""), e->i64, "");
            for (u32 k = 0; k < words; k++)
                lane[k] = word(e, n / PIECE * PIECE + k);
            store_at(e,
                     LLVMBuildShuffleVector(B, v[n % PIECE], LLVMGetPoison(e->row),
                                            LLVMConstVector(lane, words), ""),
                     byte_at(e, host, away));
        }
    }
}

/* --- in a region -------------------------------------------------------------------------- */

Val cluster_rows(Emit *e)
{
    if (!e->cluster)
        e->cluster = stack_array(e, MOST_NEAR * MAX_LANES);
    return e->cluster;
}

Val row_of_words(Emit *e, Val rows, u32 n)
{
    return byte_at(e, rows, quad(e, sizeof(u32[MAX_LANES]) * (u64)n));
}

Row load_words_at(Emit *e, Val words)
{
    Row v = {{0}};
    for (u32 i = 0; i < e->nchunks; i++)
        v.c[i] = load_at(e, e->row, chunk_host(e, words, i, 4));
    return v;
}

Row parts_of(Emit *e, Row v, Val bits, Op op, u32 width)
{
    const LLVMTypeRef part = LLVMVectorType(data_type(e, width), e->chunk);
    for (u32 i = 0; width < 4 && i < e->nchunks; i++) {
        const Val first = LLVMBuildLShr(B, v.c[i], splat(e, bits), "");
        v.c[i] = widen_data(e, op, LLVMBuildTrunc(B, first, part, ""), e->row);
    }
    return v;
}

LLVMTypeRef cluster_type(Emit *e)
{
    LLVMTypeRef params[5 + MAX_CHUNKS] = {e->ptr, e->ptr, e->ptr, e->i64, e->ptr};
    for (u32 i = 0; i < e->nchunks; i++)
        params[5 + i] = e->row;
    return LLVMFunctionType(e->i64, params, 5 + e->nchunks, false);
}

/* i1: the helper has accessed all words of lanes at addresses a. */
static Val access_cluster(Emit *e, bool stores, u32 words, const Row *a)
{
    Val args[5 + MAX_CHUNKS] = {e->warp, e->env, uop_here(e),
                                e->at->full ? word(e, lanes_mask(e)) : e->mask, cluster_rows(e)};
    for (u32 i = 0; i < e->nchunks; i++)
        args[5 + i] = a->c[i];
    const Helper h = {.kind = HELPER_CLUSTER,
                      .op = OP_w,
                      .stores = stores,
                      .words = stores ? words : (words + PIECE - 1) / PIECE * PIECE,
                      .lanes = e->lanes};
    const Val ok = call_helper(e, &h, cluster_type(e), args, 5 + e->nchunks, 0, NULL);
    return LLVMBuildICmp(B, LLVMIntNE, ok, quad(e, 0), "");
}

Val load_near(Emit *e, const Row *a, u32 words) { return access_cluster(e, false, words, a); }

Val store_near(Emit *e, const Row *a, const Row *data, u32 words)
{
    const Val rows = cluster_rows(e);
    for (u32 k = 0; k < words; k++)
        for (u32 i = 0; i < e->nchunks; i++)
            store_at(e, data[k].c[i], chunk_host(e, row_of_words(e, rows, k), i, 4));
    streams_store_lanes(e, a, NULL, 4 * words);
    return access_cluster(e, true, words, a);
}

/* --- the helpers -------------------------------------------------------------------------- */

static Val both(Emit *e, Val a, Val b) { return LLVMBuildAnd(B, a, b, ""); }

/* i1: no two lanes share bytes of some of their words but not of all: they are equally far from each other, and far
 * enough, or a multiple of a power of 2. */
static Val are_apart(Emit *e, const Row *a, const Row *on, u32 words)
{
    const Val first = splat(e, LLVMBuildExtractElement(B, a->c[0], word(e, 0), ""));
    Val far = NULL; /* bits, of all lanes */
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val v = LLVMBuildSub(B, a->c[i], first, "");
        far = far ? LLVMBuildOr(B, far, v, "") : v;
    }
    far = both(e, far, constant_like(far, words > 4 ? 31 : words > 2 ? 15 : 7));
    const Val unaligned = some_lane(e, LLVMBuildICmp(B, LLVMIntNE, far, LLVMConstNull(e->row), ""));
    return LLVMBuildOr(B, are_even(e, a, on, 4 * words), LLVMBuildNot(B, unaligned, ""), "");
}

void move_cluster(Emit *e, const Helper *h, Val uop, Val rows, const Row *a, const Row *on)
{
    const LLVMBasicBlockRef here = new_block(e, "here"), refused = new_block(e, "refused");
    const Val range = range_for(e, uop, h->stores);
    const Val room = range_field(e, range, offsetof(PlainRange, room)),
              behind = word(e, 4 * (h->words - 1)); /* bytes to a lane's last word */
    const Plain p = plain_of(e, range);
    Row far = {{0}};
    for (u32 i = 0; i < e->nchunks; i++)
        far.c[i] = distances(e, a->c[i], on->c[i], p.lo);
    Val ok = both(e, LLVMBuildICmp(B, LLVMIntUGT, room, behind, ""),
                  all_below(e, &far, LLVMBuildSub(B, room, behind, "")));
    if (h->stores)
        ok = both(e, both(e, ok, unreserved(e)), are_apart(e, a, on, h->words));
    branch_likely(e, ok, here, refused);
    LLVMPositionBuilderAtEnd(B, here);
    const Val array = lane_array(e);
    spread_lanes(e, array, &far);
    (h->stores ? store_columns : load_columns)(e, array, p.first, h->words, rows);
    LLVMBuildRet(B, quad(e, 1));
    LLVMPositionBuilderAtEnd(B, refused);
    LLVMBuildRet(B, quad(e, 0));
}
