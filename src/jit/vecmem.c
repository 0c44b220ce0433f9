/* vecmem.c -- accesses of lanes to memory in compiled code.
 *
 * Lanes whose addresses lie in a row are one access of the host, which is inline: for each
 * instruction a range of plain memory is remembered (Group.plain), and where that does not have the
 * row, a helper looks at the flags of the two pages that it may touch.  Of other lanes the code asks
 * whether all lie in the range, and then accesses those that are on (lanes.c).  That is inline in
 * blocks that some lanes have left, where few addresses lie in a row.  Loads in loops look first whether their
 * words were loaded before (stream.c).  Everything else is a helper, a
 * function made once a process for each width, which goes chunk by chunk: one in a row or at one
 * address at once, others as above.  What lies elsewhere is left to HostEnv.vector, which looks at
 * each lane and remembers a range.
 *
 * A guest can choose any addresses.  Host addresses are formed in two ways.  reach() takes a
 * lowest and a highest guest address, below 2^32 and 2^33 (reach.c).  All lanes that access lie between the
 * two: those in a row by what was tested, on all lanes or on all that are on.  Every page between, which
 * are one or two, has been asked for its flag, in the window that the lowest address chooses.  A
 * page beyond a window has no flags, and the second page is never more than one past the first,
 * which is reserved memory even at the end of a window (mach/memory.c, GUARD); beyond 2^32 nothing
 * is accessed here, whatever is mapped there.
 * all_within() compares the address of every lane that is on with one range, which is of one window
 * and ends three bytes before its last page does, so that no lane reaches beyond, and near_row()
 * the first and the last of a row, or the last word of a stretch of records (words.c), and access_pattern()
 * the lowest and the highest of all chunks that have the same scalar, by what is known of their distances;
 * access_chunks() has all lanes compared, on or off; has_all_words() in
 * stream.c, each lane with a range that is shorter by the words behind its first.  These and
 * lanes.c add such addresses, as numbers from 0 to 2^32 - 1, to the base of that window, or their
 * distances from where the range begins to that.  Ranges are pages that had the right when somebody
 * looked.  Device memory is reserved as long as the device is there, so a host program that unmaps a
 * buffer while a launch uses it makes a race of the guest's and no access to foreign memory; pages
 * that lose a right while a launch runs are in no range for stores.
 */
#include "jit/translate.h"
#include "isa/op.h"
#include "mach/memory.h"
#include <stddef.h>
#include <string.h>

#define B e->b

/* What is remembered for the instruction (Group.plain). */
static Val range_of(Emit *e, const Uop *u, bool stores)
{
    const size_t site = (stores ? offsetof(Group, plain[1]) : offsetof(Group, plain)) +
                        plain_site(u->pc) * sizeof(PlainRange);
    return byte_at(e, group_of(e), quad(e, site));
}

/* Where it stands how often the instruction's lanes are still taken for lanes anywhere
 * (Group.apart). */
static Val apart_of(Emit *e, const Uop *u, bool stores)
{
    const size_t site =
        (stores ? offsetof(Group, apart[1]) : offsetof(Group, apart)) + plain_site(u->pc);
    return byte_at(e, group_of(e), quad(e, site));
}

Val range_field(Emit *e, Val range, size_t offset)
{
    return LLVMBuildLoad2(B, e->i32, byte_at(e, range, quad(e, offset)), "");
}

/* --- rows of addresses ------------------------------------------------------------------- */

IsaSpace space_of(const Uop *u) { return (IsaSpace)(u->mem & UOP_SPACE); }

bool has_own_address(Effect f)
{
    return f == E_VLOAD_12 || f == E_VSTORE_12 || f == E_VLOAD_GLOBAL || f == E_VSTORE_GLOBAL ||
           f == E_VLOAD_LOCAL || f == E_VSTORE_LOCAL || f == E_VLOAD_PRIVATE ||
           f == E_VSTORE_PRIVATE;
}

static Row add_to_all(Emit *e, Row a, Val b)
{
    for (u32 i = 0; i < e->nchunks; i++)
        a.c[i] = LLVMBuildAdd(B, a.c[i], splat(e, b), "");
    return a;
}

/* Private bytes a of each lane, whose words lie beside those of the other `lanes` lanes, from
 * `first` on. */
static Row interleave(Emit *e, Row a, Val first, Val lanes)
{
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val words = LLVMBuildAnd(B, a.c[i], constant_like(a.c[i], ~3u), "");
        const Val bytes = LLVMBuildAnd(B, a.c[i], constant_like(a.c[i], 3), "");
        const Val far = LLVMBuildMul(B, words, splat(e, lanes), "");
        a.c[i] = LLVMBuildAdd(B, LLVMBuildAdd(B, splat(e, first), far, ""),
                              LLVMBuildAdd(B, bytes, lanes_constant(e, i, 0, 4), ""), "");
    }
    return a;
}

/* The flat rule of v2025: the address in the register tells whether the lane means private memory.
 */
static Row flat_addresses(Emit *e, Row base, u32 imm)
{
    const Row plain = add_to_all(e, base, word(e, imm));
    Row a = interleave(e, plain, private_base(e), word(e, e->lanes));
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val is_private = LLVMBuildICmp(B, LLVMIntULT, base.c[i],
                                             constant_like(base.c[i], (u32)RANGE_END(PRIVATE)), "");
        a.c[i] = LLVMBuildSelect(B, is_private, a.c[i], plain.c[i], "");
    }
    return a;
}

Val is_not_private(Emit *e, Val lo, Val last)
{
    enum { FAR = 4096 }; /* more than immediates are */
    const Val above = LLVMBuildICmp(B, LLVMIntUGE, lo, quad(e, (u64)RANGE_END(PRIVATE) + FAR), "");
    return LLVMBuildAnd(B, above,
                        LLVMBuildICmp(B, LLVMIntULT, last, quad(e, ((u64)1 << 32) - FAR), ""), "");
}

static Row addresses(Emit *e, const Uop *u, u32 width)
{
    Row a = {{0}};
    const Effect effect = (Effect)isa_insn[u->id].effect;
    if (has_own_address(effect) && space_of(u) != SPACE_PRIVATE)
        return get_v(e, u->ra); /* the caller adds to that */
    switch (effect) {
    case E_VLOAD_UNIT:
    case E_VSTORE_UNIT:
        for (u32 i = 0; i < e->nchunks; i++)
            a.c[i] = LLVMBuildAdd(B, splat(e, get_x(e, u->ra)), lanes_constant(e, i, 0, width), "");
        return a;
    case E_VLOAD_STRIDE:
    case E_VSTORE_STRIDE:
        for (u32 i = 0; i < e->nchunks; i++) {
            const Val far =
                LLVMBuildMul(B, splat(e, get_x(e, u->rc)), lanes_constant(e, i, 0, 1), "");
            a.c[i] = LLVMBuildAdd(B, splat(e, get_x(e, u->ra)), far, "");
        }
        return a;
    case E_VLOAD_INDEX:
    case E_VSTORE_INDEX: {
        const Row index = get_v(e, u->rc);
        const u32 bits = width == 1 ? 0xff : width == 2 ? 0xffff : UINT32_MAX;
        for (u32 i = 0; i < e->nchunks; i++)
            a.c[i] =
                LLVMBuildAdd(B, splat(e, get_x(e, u->ra)),
                             LLVMBuildAnd(B, index.c[i], constant_like(index.c[i], bits), ""), "");
        return a;
    }
    default: break;
    }
    const Row private = add_to_all(e, get_v(e, u->ra), word(e, (u32)u->imm));
    if (space_of(u) == SPACE_PRIVATE)
        return interleave(e, private, private_base(e), word(e, e->lanes));
    /* interleaved over the group */
    const Val group = group_of(e);
    const Val warps =
        LLVMBuildLoad2(B, e->i32, byte_at(e, group, quad(e, offsetof(Group, nwarps))), "");
    const Val tid = LLVMBuildLoad2(B, e->i32, warp_field(e, offsetof(Warp, tid)), "");
    const Val first = LLVMBuildAdd(B, private_base(e), LLVMBuildMul(B, tid, word(e, 4), ""), "");
    return interleave(e, private, first, LLVMBuildMul(B, warps, word(e, e->lanes), ""));
}

static bool same_row(const Emit *e, const Row *a, const Row *b)
{
    for (u32 i = 0; i < e->nchunks; i++)
        if (a->c[i] != b->c[i])
            return false;
    return true;
}

static Val all_zero(Emit *e, Val v)
{
    if (LLVMIsConstant(v))
        return LLVMIsNull(v) ? LLVMConstAllOnes(e->i1) : LLVMConstNull(e->i1);
    if (e->chunk == 8 && !e->host->gathers) { /* vptest */
        v = LLVMBuildBitCast(B, v, LLVMVectorType(e->i64, 4), "");
        v = intrinsic(e, "llvm.x86.avx.ptestz.256", NULL, 0, (Val[]){v, v}, 2);
        return LLVMBuildICmp(B, LLVMIntNE, v, word(e, 0), "");
    }
    if (e->host->aarch64)
        return LLVMBuildICmp(B, LLVMIntEQ,
                             intrinsic(e, "llvm.vector.reduce.umax", &e->row, 1, &v, 1), word(e, 0),
                             "");
    const LLVMTypeRef bits = LLVMIntTypeInContext(e->c, e->chunk);
    const Val lanes = LLVMBuildICmp(B, LLVMIntNE, v, LLVMConstNull(e->row), "");
    return LLVMBuildICmp(B, LLVMIntEQ, LLVMBuildBitCast(B, lanes, bits, ""), LLVMConstNull(bits),
                         "");
}

static bool is_true(Val v) { return LLVMIsConstant(v) && !LLVMIsNull(v); }

/* The row that the notes are about. */
static Row row_of(Emit *e, const Span *s)
{
    Row r = s->root;
    for (u32 i = 0; s->shift && i < e->nchunks; i++)
        r.c[i] = LLVMBuildShl(B, r.c[i], constant_like(r.c[i], s->shift), "");
    return r;
}

/* Whether each chunk of addresses is in a row, and in *ones at one address, as i1. */
static Val ask_apart(Emit *e, const Row *a, u32 width, Val *ones)
{
    Val steps = NULL, differ = NULL; /* bits, of all chunks */
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val first = splat(e, LLVMBuildExtractElement(B, a->c[i], word(e, 0), ""));
        const Val away = LLVMBuildSub(B, a->c[i], first, "");
        const Val other = LLVMBuildXor(B, away, lanes_constant(e, 0, 0, width), "");
        steps = steps ? LLVMBuildOr(B, steps, other, "") : other;
        differ = differ ? LLVMBuildOr(B, differ, away, "") : away;
    }
    *ones = all_zero(e, differ);
    return all_zero(e, steps);
}

/* i1: what was found in the block `from`, or no where that was passed by. */
static Val off_row(Emit *e, Val found, LLVMBasicBlockRef before, LLVMBasicBlockRef from)
{
    const Val v = LLVMBuildPhi(B, e->i1, "");
    LLVMAddIncoming(v, (Val[]){LLVMConstNull(e->i1), found}, (LLVMBasicBlockRef[]){before, from},
                    2);
    return v;
}

/* Looks at each chunk by itself, if the whole is in no row: in kernels of two dimensions each often
 * has a row of its own. */
static void ask_chunks(Emit *e, Span *s)
{
    if (LLVMIsConstant(s->in_row)) { /* so is the root */
        const Row base = row_of(e, s);
        s->rows = ask_apart(e, &base, s->width, &s->ones);
        return;
    }
    const LLVMBasicBlockRef before = LLVMGetInsertBlock(B), apart = new_block(e, "apart"),
                            on = new_block(e, "");
    branch_likely(e, s->in_row, on, apart);
    LLVMPositionBuilderAtEnd(B, apart);
    const Row base = row_of(e, s);
    Val ones;
    const Val rows = ask_apart(e, &base, s->width, &ones);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
    s->rows = off_row(e, rows, before, apart);
    s->ones = off_row(e, ones, before, apart);
}

Span *span_of(Emit *e, Row root, u32 shift, u32 width)
{
    for (u32 i = 0; i < e->known.nspan; i++)
        if (e->known.span[i].width == width && e->known.span[i].shift == shift &&
            same_row(e, &e->known.span[i].root, &root))
            return &e->known.span[i];
    Span *s = &e->known.span[e->known.nspan < MAX_SPANS ? e->known.nspan++ : MAX_SPANS - 1];
    *s = (Span){.root = root, .shift = shift, .width = width};
    return s;
}

static void ask_row(Emit *e, Span *s)
{
    const Row base = row_of(e, s);
    Val differ = NULL; /* bits, of all chunks */
    s->first = LLVMBuildExtractElement(B, base.c[0], word(e, 0), "");
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val in_row =
            LLVMBuildAdd(B, splat(e, s->first), lanes_constant(e, i, 0, s->width), "");
        const Val other = LLVMBuildXor(B, base.c[i], in_row, "");
        differ = differ ? LLVMBuildOr(B, differ, other, "") : other;
    }
    s->in_row = all_zero(e, differ);
}

/* In all lanes what the lowest lane that is on has, of rows of one chunk or two. */
static Val lowest_on(Emit *e, const Row *v)
{
    LLVMTypeRef t = e->i32;
    const Val lane =
        intrinsic(e, "llvm.cttz", &t, 1, (Val[]){e->mask, LLVMConstInt(e->i1, 0, false)}, 2);
    const char *name = e->chunk == 16  ? "llvm.x86.avx512.vpermi2var.d.512"
                       : e->chunk == 8 ? "llvm.x86.avx512.vpermi2var.d.256"
                                       : "llvm.x86.avx512.vpermi2var.d.128";
    return intrinsic(e, name, NULL, 0, (Val[]){v->c[0], splat(e, lane), v->c[e->nchunks - 1]}, 3);
}

/* The same of rows of which some lanes are off and may hold anything: asks those that are on, of
 * which the others are to lie in the row of the lowest. */
static void ask_some(Emit *e, Span *s)
{
    const Row base = row_of(e, s);
    Row away = {{0}}; /* each address without its distance from lane 0's */
    Val differ = NULL;
    for (u32 i = 0; i < e->nchunks; i++)
        away.c[i] = LLVMBuildSub(B, base.c[i], lanes_constant(e, i, 0, s->width), "");
    const Val first = lowest_on(e, &away);
    s->first = LLVMBuildExtractElement(B, first, word(e, 0), "");
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val other = LLVMBuildICmp(B, LLVMIntNE, away.c[i], first, "");
        const Val wrong = LLVMBuildAnd(B, other, e->on.c[i], "");
        differ = differ ? LLVMBuildOr(B, differ, wrong, "") : wrong;
    }
    s->in_row = LLVMBuildNot(B, some_lane(e, differ), "");
}

/* --- rows of data ------------------------------------------------------------------------ */

Val chunk_host(Emit *e, Val host, u32 chunk, u32 width)
{
    return byte_at(e, host, quad(e, (u64)chunk * e->chunk * width));
}

static Row load_row(Emit *e, Val host, u32 width, Op op)
{
    const LLVMTypeRef t = LLVMVectorType(data_type(e, width), e->chunk);
    Row v = {{0}};
    for (u32 i = 0; i < e->nchunks; i++)
        v.c[i] = widen_data(e, op, load_at(e, t, chunk_host(e, host, i, width)), e->row);
    return v;
}

/* Where the first lane of a chunk is; a: of lanes that all lie in the range. */
static Val chunk_at(Emit *e, const Row *a, u32 chunk, const Plain *p)
{
    const Val first = LLVMBuildExtractElement(B, a->c[chunk], word(e, 0), "");
    return byte_at(e, p->window, LLVMBuildZExt(B, first, e->i64, ""));
}

/* Chunks that are in a row each, or at `one` address each. */
static Row load_chunks(Emit *e, const Row *a, const Plain *p, bool one, u32 width, Op op)
{
    const LLVMTypeRef t = data_type(e, width), all = LLVMVectorType(t, e->chunk);
    Row v = {{0}};
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val at = chunk_at(e, a, i, p);
        v.c[i] = one ? splat(e, widen_data(e, op, load_at(e, t, at), e->i32))
                     : widen_data(e, op, load_at(e, all, at), e->row);
    }
    return v;
}

/* Words of chunks that are in a row each. */
static void store_chunks(Emit *e, const Row *a, const Plain *p, Row v)
{
    for (u32 i = 0; i < e->nchunks; i++)
        store_at(e, v.c[i], chunk_at(e, a, i, p));
}

static void store_row(Emit *e, Row v, Val host, u32 width)
{
    const LLVMTypeRef t = LLVMVectorType(data_type(e, width), e->chunk);
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val data = width == 4 ? v.c[i] : LLVMBuildTrunc(B, v.c[i], t, "");
        const Val at = chunk_host(e, host, i, width);
        LLVMTypeRef types[2] = {t, e->ptr};
        if (e->at->full)
            store_at(e, data, at);
        else
            intrinsic(e, "llvm.masked.store", types, 2, (Val[]){data, at, word(e, 1), e->on.c[i]},
                      4);
    }
}

/* Whether lanes access words at a scalar and 32 bits of an index. */
static bool is_indexed(const Uop *u)
{
    const Effect f = (Effect)isa_insn[u->id].effect;
    return (f == E_VLOAD_INDEX || f == E_VSTORE_INDEX) && access_width(u) == 4;
}

LLVMTypeRef helper_type(Emit *e, bool stores)
{
    LLVMTypeRef params[4 + 2 * MAX_CHUNKS] = {e->ptr, e->ptr, e->ptr, e->i64},
                               result[1 + MAX_CHUNKS];
    u32 n = 4;
    for (u32 i = 0; i < (stores ? 2 : 1) * e->nchunks; i++)
        params[n++] = e->row;
    for (u32 i = 0; i < e->nchunks; i++)
        result[i] = e->row;
    result[e->nchunks] = e->i64;
    return LLVMFunctionType(stores ? e->i64
                                   : LLVMStructTypeInContext(e->c, result, e->nchunks + 1, false),
                            params, n, false);
}

/* Whether rows of chunks are worth asking for: the region has three accesses that may be in such. */
static bool has_many_rows(const Emit *e)
{
    u32 n = 0;
    for (u32 i = 0; n < 3 && i < e->r->nblock; i++) {
        const RegionBlock *b = &e->r->block[i];
        for (u32 k = 0; n < 3 && k < b->nuop; k++) {
            const Uop *u = b->uop[k];
            const Effect effect = u->id < NINSN ? (Effect)isa_insn[u->id].effect : E_LOAD;
            n += effect == E_VLOAD_12 || effect == E_VSTORE_12 || (u->id < NINSN && is_indexed(u));
        }
    }
    return n == 3;
}

/* Leaves an access to its helper; data: of a store.  What is loaded goes to *v; 0: it faulted. */
static Val call_access(Emit *e, const Row *a, const Row *data, Op op, Row *v)
{
    Val args[4 + 2 * MAX_CHUNKS] = {e->warp, e->env, note_place(e), e->mask};
    u32 n = 4;
    for (u32 i = 0; i < e->nchunks; i++)
        args[n++] = a->c[i];
    for (u32 i = 0; data && i < e->nchunks; i++)
        args[n++] = data->c[i];
    const Helper h = {.kind = HELPER_ACCESS,
                      .op = op,
                      .stores = data != NULL,
                      .full = e->at->full,
                      .lanes = e->lanes};
    return call_helper(e, &h, helper_type(e, data != NULL), args, n, data ? 0 : e->nchunks, v->c);
}

enum { TIMES_APART = 63 }; /* between two looks at lanes that were anywhere */

/* A row of addresses that an access takes. */
typedef struct {
    Span *s;
    Val offset;       /* i32: its addresses are so far behind those of the notes */
    bool flat;        /* by the flat rule */
    bool stores, can; /* can: the host accesses rows so */
    /* of accesses in blocks that lanes have left, which may go on here without being looked at: the
     * address of Group.apart, and where lanes anywhere are accessed; else NULL */
    Val times;
    LLVMBasicBlockRef anywhere;
} RowAccess;

/* Whether the row lies in the range that is remembered. */
static Reach near_row(Emit *e, const RowAccess *x, Val range)
{
    const Val first = LLVMBuildAdd(B, x->s->first, x->offset, "");
    /* from the first byte to the last word, or to the last lane's byte or half */
    const u32 width = x->s->width, all = e->lanes * width;
    const Val extent = quad(e, all - (width > 4 ? 4 : width));
    const Val from = LLVMBuildSub(B, first, range_field(e, range, offsetof(PlainRange, lo)), "");
    const Val last = LLVMBuildAdd(B, LLVMBuildZExt(B, from, e->i64, ""), extent, "");
    const Val room =
        LLVMBuildZExt(B, range_field(e, range, offsetof(PlainRange, room)), e->i64, "");
    Val ok = LLVMBuildICmp(B, LLVMIntULT, last, room, "");
    if (x->stores && !e->repeats)
        ok = LLVMBuildAnd(B, ok, unreserved(e), "");
    const Val lo = LLVMBuildZExt(B, first, e->i64, "");
    if (x->flat) {
        const Val end = LLVMBuildAdd(B, lo, quad(e, (u64)e->lanes * x->s->width - 1), "");
        ok = LLVMBuildAnd(B, ok, is_not_private(e, lo, end), "");
    }
    return (Reach){ok, byte_at(e, plain_of(e, range).window, lo)};
}

Reach reach_row(Emit *e, Span *s, Val offset, bool flat, bool stores)
{
    if (!s->in_row)
        ask_row(e, s);
    const Val lo = LLVMBuildZExt(B, LLVMBuildAdd(B, s->first, offset, ""), e->i64, "");
    const Val last = LLVMBuildAdd(B, lo, quad(e, e->lanes * s->width - 1), "");
    Reach r = reach(e, lo, last, stores);
    r.ok = LLVMBuildAnd(B, s->in_row, r.ok, "");
    if (flat)
        r.ok = LLVMBuildAnd(B, r.ok, is_not_private(e, lo, last), "");
    return r;
}

void arrive(Emit *e, Meeting *m, Row v)
{
    m->v[m->n] = v;
    m->from[m->n++] = LLVMGetInsertBlock(B);
}

/* Goes on where the ways meet, with what the one taken has loaded. */
static Row meet(Emit *e, Meeting *m)
{
    Row v = {{0}};
    LLVMPositionBuilderAtEnd(B, m->done);
    for (u32 i = 0; i < e->nchunks; i++) {
        v.c[i] = LLVMBuildPhi(B, e->row, "");
        for (u32 k = 0; k < m->n; k++)
            LLVMAddIncoming(v.c[i], &m->v[k].c[i], &m->from[k], 1);
    }
    return v;
}

/* --- lanes anywhere ---------------------------------------------------------------------- */

/* Fetches what the next group's warp of the same number, or this group's eighth from here, will access,
 * if that is as far from here as this is from what the last such warp accessed: lines of rows of
 * matrices, which lie in pages of their own, so that the host does not foresee them. */
static void fetch_ahead(Emit *e, const Uop *u, const Row *a, const Plain *p, bool stores)
{
    enum { LINE = 64 };
    LLVMTypeRef t = e->ptr;
    const size_t site = (stores ? offsetof(Group, last[1]) : offsetof(Group, last)) +
                        (u->pc >> 2 & (FETCH_SITES - 1)) * sizeof(u32[FETCH_WARPS]);
    const Val tid = LLVMBuildLoad2(B, e->i32, warp_field(e, offsetof(Warp, tid)), "");
    const Val number =
        LLVMBuildAnd(B, LLVMBuildUDiv(B, tid, word(e, e->lanes), ""), word(e, FETCH_WARPS - 1), "");
    const Val last = LLVMBuildInBoundsGEP2(B, e->i32, byte_at(e, group_of(e), quad(e, site)),
                                           (Val[]){LLVMBuildZExt(B, number, e->i64, "")}, 1, "");
    const Val here = LLVMBuildExtractElement(B, a->c[0], word(e, 0), "");
    const Val by = LLVMBuildSub(B, here, LLVMBuildLoad2(B, e->i32, last, ""), "");
    LLVMBuildStore(B, here, last);
    for (u32 i = 0; i < e->nchunks; i += LINE / 4 / e->chunk) {
        const Val at = byte_at(e, chunk_at(e, a, i, p), LLVMBuildSExt(B, by, e->i64, ""));
        intrinsic(e, "llvm.prefetch", &t, 1, (Val[]){at, word(e, stores), word(e, 3), word(e, 1)},
                  4);
    }
}

/* Lanes of which each chunk is in a row, or of loads at one address, at once, if all that the row
 * names lie in the remembered range; else the builder is left where others are to be looked at. */
static void access_chunks(Emit *e, const Uop *u, const RowAccess *x, const Row *a, const Row *data,
                          Op op, Meeting *m)
{
    static const Row every = {{0}};
    const LLVMBasicBlockRef look = new_block(e, "look"), rows = new_block(e, "rows"),
                            apart = new_block(e, "apart");
    const Val range = range_of(e, u, data != NULL);
    Val in_rows = x->s->rows, at_ones = x->s->ones;
    if (x->flat) /* lanes may be elsewhere than the row says */
        in_rows = ask_apart(e, a, x->s->width, &at_ones);
    LLVMBuildCondBr(B, data ? in_rows : LLVMBuildOr(B, in_rows, at_ones, ""), look, apart);
    LLVMPositionBuilderAtEnd(B, look);
    Val ok = all_within(e, a, &every, range);
    if (data && !e->repeats)
        ok = LLVMBuildAnd(B, ok, unreserved(e), "");
    const Plain p = plain_of(e, range);
    if (data) {
        branch_likely(e, ok, rows, apart);
        LLVMPositionBuilderAtEnd(B, rows);
        fetch_ahead(e, u, a, &p, true);
        store_chunks(e, a, &p, *data);
        LLVMBuildBr(B, m->done);
    } else {
        const LLVMBasicBlockRef some = new_block(e, "some"), ones = new_block(e, "ones");
        branch_likely(e, ok, some, apart);
        LLVMPositionBuilderAtEnd(B, some);
        LLVMBuildCondBr(B, in_rows, rows, ones);
        for (u32 one = 0; one < 2; one++) {
            LLVMPositionBuilderAtEnd(B, one ? ones : rows);
            if (!one && e->at->full)
                fetch_ahead(e, u, a, &p, false);
            arrive(e, m, load_chunks(e, a, &p, one, x->s->width, op));
            LLVMBuildBr(B, m->done);
        }
    }
    LLVMPositionBuilderAtEnd(B, apart);
}

/* Lanes anywhere of a block in which some are off, such as the body of a loop that they leave one
 * by one: here, if the remembered range has them all; else the builder is left where a helper is
 * to be called. */
static void gather_inline(Emit *e, const Uop *u, const Row *a, const Row *data, u32 width, Op op,
                          Meeting *m)
{
    const LLVMBasicBlockRef at_once = new_block(e, "gather"), apart = new_block(e, "apart");
    const Val range = range_of(e, u, data != NULL);
    Val ok = all_within(e, a, &e->on, range);
    if (data)
        ok = LLVMBuildAnd(B, ok, unreserved(e), "");
    branch_likely(e, ok, at_once, apart);
    LLVMPositionBuilderAtEnd(B, at_once);
    const Plain p = plain_of(e, range);
    if (!data && e->host->gathers && !e->host->few_at_once) {
        const LLVMBasicBlockRef few = new_block(e, "few"), many = new_block(e, "many");
        LLVMBuildCondBr(B, few_lanes(e, e->mask), few, many);
        LLVMPositionBuilderAtEnd(B, few);
        arrive(e, m, load_each(e, a, &p, width, op));
        LLVMBuildBr(B, m->done);
        LLVMPositionBuilderAtEnd(B, many);
    }
    const bool scatters = data && width == 4 && e->host->few_at_once;
    for (u32 i = 0; scatters && i < e->nchunks; i++)
        scatter_lanes(e, data->c[i], a->c[i], &p, e->on.c[i]);
    if (data && !scatters)
        store_each(e, data, a, &p, width);
    else if (!data)
        arrive(e, m, gather_row(e, a, &p, width, op));
    LLVMBuildBr(B, m->done);
    LLVMPositionBuilderAtEnd(B, apart);
}

/* Goes to `row`, with where that begins in *x->s, if the lanes that access are in one; else to
 * `slow`. Lanes that are off are asked, too, at first: that is not asked again in a loop. */
static void find_lanes_in_row(Emit *e, const RowAccess *x, LLVMBasicBlockRef row,
                              LLVMBasicBlockRef slow)
{
    Span *s = x->s;
    if (e->at->full || !e->host->gathers || !x->can || is_true(s->in_row)) {
        branch_likely(e, s->in_row, row, slow);
        LLVMPositionBuilderAtEnd(B, row);
        return;
    }
    const LLVMBasicBlockRef some = new_block(e, "some");
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(B), some};
    Val first[2] = {s->first};
    LLVMBuildCondBr(B, s->in_row, row, some);
    LLVMPositionBuilderAtEnd(B, some);
    ask_some(e, s);
    first[1] = s->first;
    LLVMBuildCondBr(B, s->in_row, row, slow);
    LLVMPositionBuilderAtEnd(B, row);
    s->first = LLVMBuildPhi(B, e->i32, "");
    LLVMAddIncoming(s->first, first, from, 2);
    s->in_row = LLVMConstInt(e->i1, 1, false);
}

static void ask_all(Emit *e, Span *s)
{
    ask_row(e, s);
    if (e->nchunks > 1 && !is_true(s->in_row) && has_many_rows(e))
        ask_chunks(e, s);
}

/* Makes the notes about the row, if there are none yet.  Lanes that were anywhere at the last look
 * are taken for that some times more: their access goes on there, and the notes then say that they
 * are in no row. */
static void look_at_row(Emit *e, const RowAccess *x)
{
    Span *s = x->s;
    if (!x->times) {
        if (!s->in_row)
            ask_all(e, s);
        return;
    }
    const Val times = LLVMBuildLoad2(B, e->i8, x->times, "");
    const Val again = LLVMBuildICmp(B, LLVMIntNE, times, LLVMConstInt(e->i8, 0, false), "");
    if (!s->in_row) {
        const LLVMBasicBlockRef before = LLVMGetInsertBlock(B), look = new_block(e, "look"),
                                on = new_block(e, "");
        LLVMBuildCondBr(B, again, on, look);
        LLVMPositionBuilderAtEnd(B, look);
        ask_all(e, s);
        const LLVMBasicBlockRef from = LLVMGetInsertBlock(B);
        LLVMBuildBr(B, on);
        LLVMPositionBuilderAtEnd(B, on);
        Val first[2] = {word(e, 0), s->first};
        s->first = LLVMBuildPhi(B, e->i32, "");
        LLVMAddIncoming(s->first, first, (LLVMBasicBlockRef[]){before, from}, 2);
        s->in_row = off_row(e, s->in_row, before, from);
        if (s->rows) {
            s->rows = off_row(e, s->rows, before, from);
            s->ones = off_row(e, s->ones, before, from);
        }
    }
    const LLVMBasicBlockRef taken = new_block(e, "again"), row = new_block(e, "");
    LLVMBuildCondBr(B, again, taken, row);
    LLVMPositionBuilderAtEnd(B, taken);
    LLVMBuildStore(B, LLVMBuildSub(B, times, LLVMConstInt(e->i8, 1, false), ""), x->times);
    LLVMBuildBr(B, x->anywhere);
    LLVMPositionBuilderAtEnd(B, row);
}

/* Asks whether lanes are in a row, and for that row: first the range that is remembered, then the
 * helper.  The builder is left where the row may be accessed, at *host, which is the guest's *first. */
static Ways find_row(Emit *e, const Uop *u, RowAccess x, Val *host, Val *first)
{
    const Ways w = {new_block(e, "fast"), new_block(e, "slow"), new_block(e, "done")};
    const LLVMBasicBlockRef row = new_block(e, "row"), ask = new_block(e, "ask");
    look_at_row(e, &x);
    Span s = *x.s;
    x.s = &s;
    if (!x.can)
        s.in_row = LLVMConstNull(e->i1);
    find_lanes_in_row(e, &x, row, w.slow);
    const Reach near = near_row(e, &x, range_of(e, u, x.stores));
    *first = LLVMBuildAdd(B, x.s->first, x.offset, "");
    branch_likely(e, near.ok, w.fast, ask);

    LLVMPositionBuilderAtEnd(B, ask);
    const Helper h = {.kind = HELPER_ROW, .stores = x.stores, .flat = x.flat};
    const Val there = call_helper(
        e, &h, e->row_type,
        (Val[]){e->warp, e->env, uop_here(e), *first, quad(e, e->lanes * x.s->width)}, 5, 0, NULL);
    const Val far = LLVMBuildIntToPtr(B, there, e->ptr, "");
    branch_likely(e, LLVMBuildICmp(B, LLVMIntNE, there, quad(e, 0), ""), w.fast, w.slow);

    LLVMPositionBuilderAtEnd(B, w.fast);
    *host = LLVMBuildPhi(B, e->ptr, "");
    LLVMAddIncoming(*host, (Val[]){near.host, far}, (LLVMBasicBlockRef[]){row, ask}, 2);
    return w;
}

Val is_row_or_one(Emit *e, const Linear *base, u32 width)
{
    Span *s = span_of(e, base->root, base->shift, width);
    if (!s->in_row)
        ask_all(e, s);
    return s->ones ? LLVMBuildOr(B, s->in_row, LLVMBuildOr(B, s->rows, s->ones, ""), "")
                   : s->in_row;
}

Ways find_records(Emit *e, const Uop *u, const Linear *base, u32 width, Val *host, Val *first)
{
    const RowAccess x = {.s = span_of(e, base->root, base->shift, width),
                         .offset = base->offset,
                         .stores = e->at->facts[e->k]->access == ACCESS_STORE,
                         .can = true};
    if (!x.s->in_row)
        ask_row(e, x.s);
    return find_row(e, u, x, host, first);
}

/* Where the access goes without its immediate: `base`, as a row that others share where there is one. */
static Linear linear_address(Emit *e, const Uop *u, Row base, bool is_plain)
{
    if (is_plain)
        return linear_of(e, u->ra);
    if (!is_indexed(u))
        return (Linear){base, 0, word(e, 0)};
    Linear l = linear_of(e, u->rc);
    l.offset = LLVMBuildAdd(B, l.offset, get_x(e, u->ra), "");
    return l;
}

/* What a vector access is. */
typedef struct {
    bool loads, flat;
    bool is_plain; /* its base is a register that others share */
    u32 width, imm;
    Op op;
    Row data, base; /* data: of a store */
    Val offset;     /* i32: from the base to the address */
} VectorAccess;

/* Whether the access is made here, not by its handler. */
static bool is_ours(const Emit *e, const Uop *u)
{
    const bool own = has_own_address((Effect)isa_insn[u->id].effect);
    return !e->at->facts[e->k]->masked && (own || !(u->mem & UOP_PREFIX)) && !(u->mem & UOP_WIDE);
}

static VectorAccess describe_access(Emit *e, const Uop *u)
{
    const Effect effect = (Effect)isa_insn[u->id].effect;
    const bool indexed = effect == E_VLOAD_INDEX || effect == E_VSTORE_INDEX;
    VectorAccess x = {.loads = isa_effect[effect].access == ACCESS_LOAD,
                      .flat = space_of(u) == SPACE_FLAT,
                      .is_plain = has_own_address(effect) && space_of(u) != SPACE_PRIVATE,
                      .width = indexed ? 4 : access_width(u),
                      .op = indexed ? OP_w : (Op)isa_insn[u->id].op};
    if (!x.loads)
        x.data = get_v(e, u->rb);
    x.base = addresses(e, u, access_width(u));
    x.imm = x.is_plain ? (u32)u->imm : 0;
    x.offset = word(e, x.imm);
    if (space_of(u) == SPACE_LOCAL)
        x.offset = LLVMBuildAdd(B, x.offset, local_base(e), "");
    return x;
}

/* The address of each lane. */
static Row lane_addresses(Emit *e, const VectorAccess *x)
{
    return x->flat ? flat_addresses(e, x->base, x->imm) : add_to_all(e, x->base, x->offset);
}

bool quick_access(Emit *e, const Uop *u)
{
    if (!is_ours(e, u) || u->mem >> UOP_WORDS & 3)
        return false;
    const VectorAccess x = describe_access(e, u);
    const Row all = lane_addresses(e, &x);
    const LLVMBasicBlockRef on = new_block(e, "");
    Row v = {{0}};
    const Val how = call_access(e, &all, x.loads ? NULL : &x.data, x.op, &v);
    branch_likely(e, LLVMBuildICmp(B, LLVMIntNE, how, quad(e, 0), ""), on, e->stop);
    LLVMPositionBuilderAtEnd(B, on);
    if (x.loads)
        set_v(e, u->rd, v);
    return true;
}

/* Where a pattern says that the access goes. */
static Pattern known_address(Emit *e, const Uop *u, const VectorAccess *x)
{
    const Pattern *base = &e->known.pattern[x->is_plain ? u->ra : u->rc];
    if (x->flat || (!x->is_plain && !is_indexed(u)) || !is_pattern(base))
        return (Pattern){.offset = {NULL}};
    Pattern p = *base;
    const Val from = x->is_plain ? x->offset : LLVMBuildAdd(B, x->offset, get_x(e, u->ra), "");
    for (u32 i = 0; i < e->nchunks; i++) {
        const bool same = i && base->offset[i] == base->offset[i - 1];
        p.offset[i] = same ? p.offset[i - 1] : LLVMBuildAdd(B, p.offset[i], from, "");
    }
    return p;
}

/* What a pattern tells of the lanes of a chunk: they are in a row, at one address, or each is so far from the first. */
typedef enum { IN_ROW, AT_ONE, SPREAD } Lie;

static Lie lie_of(Emit *e, const Pattern *p, u32 width)
{
    return is_value_each(e, p) ? AT_ONE : step_each(e, p) == width ? IN_ROW : SPREAD;
}

/* How far lane k of a chunk is from its first one. */
static i32 lane_distance(const Pattern *p, u32 chunk, u32 k)
{
    return (i32)(constant_lane(p->root.c[chunk], k) - first_lane(p, chunk));
}

/* Of chunks with the same scalar, chunk `from` and those after it: the lowest lane's distance from the first lane of the
 * first chunk, and how far the highest is above. */
static void reach_of(Emit *e, const Pattern *p, u32 from, i32 *least, u32 *extent)
{
    i32 low = 0, high = 0;
    for (u32 i = from; i < e->nchunks && p->offset[i] == p->offset[from]; i++)
        for (u32 k = 0; k < e->chunk; k++) {
            const i32 d = (i32)(constant_lane(p->root.c[i], k) - first_lane(p, from));
            low = d < low ? d : low;
            high = d > high ? d : high;
        }
    *least = low;
    *extent = (u32)high - (u32)low;
}

/* Lanes of a chunk that lie anywhere, but at known distances from its first, which is at that host address. */
static Val load_spread(Emit *e, const VectorAccess *x, const Pattern *p, u32 chunk, Val host)
{
    Val v = LLVMGetPoison(e->row);
    for (u32 k = 0; k < e->chunk; k++) {
        const Val at = byte_at(e, host, quad(e, (u64)(i64)lane_distance(p, chunk, k)));
        const Val got = load_at(e, data_type(e, x->width), at);
        v = LLVMBuildInsertElement(B, v, widen_data(e, x->op, got, e->i32), word(e, k), "");
    }
    return v;
}

static void store_spread(Emit *e, const VectorAccess *x, const Pattern *p, u32 chunk, Val host)
{
    for (u32 k = 0; k < e->chunk; k++) {
        const Val at = byte_at(e, host, quad(e, (u64)(i64)lane_distance(p, chunk, k)));
        const Val data = LLVMBuildExtractElement(B, x->data.c[chunk], word(e, k), "");
        store_at(e, x->width == 4 ? data : LLVMBuildTrunc(B, data, data_type(e, x->width), ""), at);
    }
}

/* A load or store of lanes at known distances from a scalar for each chunk, loads alone from one address: at once where
 * the range that is remembered has all, or by the helper. */
static void access_pattern(Emit *e, const Uop *u, const VectorAccess *x, const Pattern *p)
{
    const LLVMBasicBlockRef apart = new_block(e, "apart"), at_once = new_block(e, "rows");
    Meeting m = {.done = new_block(e, "done")};
    const Lie lie = lie_of(e, p, x->width);
    const LLVMTypeRef t = data_type(e, x->width), all = LLVMVectorType(t, e->chunk);
    const Val range = range_of(e, u, !x->loads),
              lo = range_field(e, range, offsetof(PlainRange, lo));
    const Val room =
        LLVMBuildZExt(B, range_field(e, range, offsetof(PlainRange, room)), e->i64, "");
    const Row a = lane_addresses(e, x);
    Val first[MAX_CHUNKS], ok = x->loads || e->repeats ? NULL : unreserved(e);
    /* 1. whether it may be */
    for (u32 i = 0; i < e->nchunks; i++) {
        i32 least;
        u32 extent;
        first[i] = LLVMBuildAdd(B, p->offset[i], word(e, first_lane(p, i)), "");
        if (i && p->offset[i] == p->offset[i - 1])
            continue;
        reach_of(e, p, i, &least, &extent);
        Val from = LLVMBuildSub(B, first[i], lo, "");
        if (least)
            from = LLVMBuildAdd(B, from, word(e, (u32)least), "");
        from = LLVMBuildAdd(B, LLVMBuildZExt(B, from, e->i64, ""), quad(e, extent), "");
        const Val within = LLVMBuildICmp(B, LLVMIntULT, from, room, "");
        ok = ok ? LLVMBuildAnd(B, ok, within, "") : within;
    }
    branch_likely(e, ok, at_once, apart);
    /* 2. chunk by chunk */
    LLVMPositionBuilderAtEnd(B, at_once);
    const Plain plain = plain_of(e, range);
    Row v = {{0}};
    if (lie == IN_ROW)
        fetch_ahead(e, u, &a, &plain, !x->loads);
    for (u32 i = 0; i < e->nchunks; i++) {
        const Val at = byte_at(e, plain.window, LLVMBuildZExt(B, first[i], e->i64, ""));
        if (!x->loads && lie == SPREAD)
            store_spread(e, x, p, i, at);
        else if (!x->loads)
            store_at(e, x->width == 4 ? x->data.c[i] : LLVMBuildTrunc(B, x->data.c[i], all, ""),
                     at);
        else if (lie == SPREAD)
            v.c[i] = load_spread(e, x, p, i, at);
        else if (lie == IN_ROW)
            v.c[i] = widen_data(e, x->op, load_at(e, all, at), e->row);
        else if (i && p->offset[i] == p->offset[i - 1])
            v.c[i] = v.c[i - 1];
        else
            v.c[i] = splat(e, widen_data(e, x->op, load_at(e, t, at), e->i32));
    }
    for (u32 i = 0; !x->loads && i < e->nchunks; i++) {
        i32 least;
        u32 extent;
        if (i && p->offset[i] == p->offset[i - 1])
            continue;
        reach_of(e, p, i, &least, &extent);
        streams_store(e, LLVMBuildAdd(B, first[i], word(e, (u32)least), ""), extent + x->width);
    }
    if (x->loads)
        arrive(e, &m, v);
    LLVMBuildBr(B, m.done);
    /* 3. otherwise */
    LLVMPositionBuilderAtEnd(B, apart);
    if (!x->loads)
        streams_store_lanes(e, &a, &x->data, x->width);
    Row slow = {{0}};
    const Val how = call_access(e, &a, x->loads ? NULL : &x->data, x->op, &slow);
    if (x->loads)
        arrive(e, &m, slow);
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, how, quad(e, 0), ""), e->stop, m.done);
    LLVMPositionBuilderAtEnd(B, m.done);
    if (x->loads)
        set_v(e, u->rd, meet(e, &m));
}

/* Whether access_pattern() is for it: a whole row is found more simply, and hosts store some lanes of one otherwise. */
static bool is_by_chunks(Emit *e, const VectorAccess *x, const Pattern *p)
{
    enum { NEAR = 1 << 14 }; /* bytes that lanes may be apart */
    if (!is_pattern(p) || (!x->loads && !e->at->full))
        return false;
    const Lie lie = lie_of(e, p, x->width);
    if (lie == AT_ONE)
        return x->loads;
    if (!e->at->full || step_of(e, p) == x->width || step_of(e, p) == 0 - x->width)
        return false;
    if (lie == SPREAD && e->streams && e->in_cycle[e->index])
        return false; /* they may go along rows */
    for (u32 i = 0; lie == SPREAD && i < e->nchunks; i++) {
        i32 least;
        u32 extent;
        reach_of(e, p, i, &least, &extent);
        if (extent > NEAR)
            return false;
    }
    return true;
}

bool access_vector(Emit *e, const Uop *u)
{
    Val host, first;
    if (!is_ours(e, u))
        return false;
    if (u->mem >> UOP_WORDS & 3)
        return access_words(e, u);
    const VectorAccess d = describe_access(e, u);
    const Pattern p = known_address(e, u, &d);
    if (is_by_chunks(e, &d, &p)) {
        access_pattern(e, u, &d, &p);
        return true;
    }
    const bool loads = d.loads, jumps = !e->at->full && (d.is_plain || is_indexed(u));
    const Linear l = linear_address(e, u, d.base, d.is_plain);
    /* hosts that cannot store some bytes of a row leave that to the helper */
    const RowAccess x = {.s = span_of(e, l.root, l.shift, d.width),
                         .offset = LLVMBuildAdd(B, l.offset, d.offset, ""),
                         .flat = d.flat,
                         .stores = !loads,
                         .can = loads || e->at->full || e->host->gathers ||
                                (d.width == 4 && e->chunk == 8),
                         .times = jumps ? apart_of(e, u, !loads) : NULL,
                         .anywhere = jumps ? new_block(e, "anywhere") : NULL};
    const Ways w = find_row(e, u, x, &host, &first);
    Meeting m = {.done = w.done};
    if (loads)
        arrive(e, &m, load_row(e, host, d.width, d.op));
    else if (x.can)
        store_row(e, d.data, host, d.width);
    if (!loads)
        streams_store(e, first, e->lanes * d.width);
    LLVMBuildBr(B, w.done);

    LLVMPositionBuilderAtEnd(B, w.slow);
    Row slow = {{0}};
    Row all = lane_addresses(e, &d);
    if (!loads && e->at->full)
        streams_store_lanes(e, &all, &d.data, d.width);
    if (e->at->full && (step_of(e, &p) == 0 - d.width || may_be_backwards(all.c[0])))
        access_backwards(e, range_of(e, u, !loads), &all, loads ? NULL : &d.data, d.width, d.op,
                         &m);
    if (x.s->rows && (loads || (e->at->full && d.width == 4)))
        access_chunks(e, u, &x, &all, loads ? NULL : &d.data, d.op, &m);
    if (jumps) {
        LLVMBuildStore(B, LLVMConstInt(e->i8, TIMES_APART, false), x.times);
        LLVMBuildBr(B, x.anywhere);
        LLVMPositionBuilderAtEnd(B, x.anywhere); /* also for those that did not come by here */
        all = lane_addresses(e, &d);
    }
    if (loads)
        take_stream(e, u, &all, &m);
    else if (!e->at->full)
        streams_store_lanes(e, &all, &d.data, d.width);
    if (!e->at->full)
        gather_inline(e, u, &all, loads ? NULL : &d.data, d.width, d.op, &m);
    const Val how = call_access(e, &all, loads ? NULL : &d.data, d.op, &slow);
    if (loads)
        arrive(e, &m, slow);
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, how, quad(e, 0), ""), e->stop, w.done);
    LLVMPositionBuilderAtEnd(B, w.done);
    if (loads)
        set_v(e, u->rd, meet(e, &m));
    return true;
}
