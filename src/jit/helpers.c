/* helpers.c -- functions in host code that are made once a process and that regions call: accesses
 * of lanes anywhere, by width and lanes, the search for a row that is not in the range remembered, and
 * calls of the engine that keep the host's registers.
 *
 * vecmem.c has the argument why a guest reaches no memory of the host's.
 */
#include "isa/op.h"
#include "jit/translate.h"
#include "mach/memory.h"
#include <stddef.h>
#include <string.h>

#define B e->b

/* calls the function that is the last parameter, which is of code that may have no long vectors */
static void make_keep(Emit *e, const Helper *h)
{
    Val args[6];
    make_kept(e, h, e->keep_type);
    if (e->host->chunk >= 8)
        intrinsic(e, "llvm.x86.avx.vzeroupper", NULL, 0, NULL, 0);
    LLVMGetParams(e->fn, args);
    const LLVMTypeRef t =
        LLVMFunctionType(e->i64, (LLVMTypeRef[]){e->ptr, e->ptr, e->i64, e->i64, e->i64}, 5, false);
    LLVMBuildRet(B, LLVMBuildCall2(B, t, args[5], args, 5, ""));
}

void give_back(Emit *e, const Row *v, Val how)
{
    if (!v) {
        LLVMBuildRet(B, how);
        return;
    }
    Val all[1 + MAX_CHUNKS];
    memcpy(all, v->c, e->nchunks * sizeof *all);
    all[e->nchunks] = how;
    LLVMBuildAggregateRet(B, all, e->nchunks + 1);
}

/* parameters of a helper: (warp, env, uop, mask, addresses, data of a store) */
typedef struct {
    const Helper *h;
    u32 width;
    Val args[4 + 2 * MAX_CHUNKS];
    u32 nargs;
    Val uop, mask;
    Row a, data, on; /* on.c[i] NULL: all */
} Access;

/* Of a helper whose first parameters are the warp and the HostEnv. */
static void begin_helper(Emit *e, const Helper *h, LLVMTypeRef t, Val *args)
{
    make_kept(e, h, t);
    LLVMGetParams(e->fn, args);
    e->warp = args[0];
    e->env = args[1];
    e->base = env_field(e, e->ptr, offsetof(HostEnv, base));
    e->page = env_field(e, e->ptr, offsetof(HostEnv, page));
    e->lds_base = env_field(e, e->ptr, offsetof(HostEnv, lds_base));
    e->lds_page = env_field(e, e->ptr, offsetof(HostEnv, lds_page));
}

static Access begin_access(Emit *e, const Helper *h)
{
    Access x = {.h = h, .width = h->op == OP_w ? 4 : h->op == OP_h || h->op == OP_hu ? 2 : 1};
    begin_helper(e, h, helper_type(e, h->stores), x.args);
    x.nargs = LLVMCountParams(e->fn);
    x.uop = x.args[2];
    x.mask = LLVMBuildTrunc(B, x.args[3], e->i32, "");
    for (u32 i = 0; i < e->nchunks; i++) {
        x.a.c[i] = x.args[4 + i];
        if (h->stores)
            x.data.c[i] = x.args[4 + e->nchunks + i];
        if (!h->full)
            x.on.c[i] = mask_chunk(e, x.mask, i);
    }
    return x;
}

/* addresses and data go to the warp, and what was loaded comes from there */
static void access_each(Emit *e, const Access *x)
{
    Row v = {{0}};
    const bool stores = x->h->stores;
    const Val reg = LLVMBuildLoad2(
        B, e->i8, byte_at(e, x->uop, quad(e, stores ? offsetof(Uop, rb) : offsetof(Uop, rd))), "");
    Val row =
        LLVMBuildMul(B, LLVMBuildZExt(B, reg, e->i64, ""), quad(e, sizeof(u32[MAX_LANES])), "");
    row = byte_at(e, warp_field(e, offsetof(Warp, v)), row);
    for (u32 i = 0; i < e->nchunks; i++) {
        store_at(e, x->a.c[i], warp_field(e, offsetof(Warp, addr) + 4 * (size_t)i * e->chunk));
        if (stores)
            store_at(e, x->data.c[i], chunk_host(e, row, i, 4));
    }
    const Val vector = env_field(e, e->ptr, offsetof(HostEnv, vector));
    const Val how =
        call_helper(e, &(Helper){.kind = HELPER_KEEP}, e->keep_type,
                    (Val[]){e->warp, x->uop, x->mask, word(e, 0), word(e, 0), vector}, 6, 0, NULL);
    for (u32 i = 0; !stores && i < e->nchunks; i++)
        v.c[i] = load_at(e, e->row, chunk_host(e, row, i, 4));
    give_back(e, stores ? NULL : &v, how);
}

/* The instruction's site (plain_site()) is computed when the code runs. */
Val range_for(Emit *e, Val uop, bool stores)
{
    const Val pc = LLVMBuildLoad2(B, e->i32, byte_at(e, uop, quad(e, offsetof(Uop, pc))), "");
    Val slot = LLVMBuildAnd(B, LLVMBuildLShr(B, pc, word(e, 2), ""), word(e, PLAIN_SITES - 1), "");
    slot = LLVMBuildMul(B, LLVMBuildZExt(B, slot, e->i64, ""), quad(e, sizeof(PlainRange)), "");
    const size_t all = stores ? offsetof(Group, plain[1]) : offsetof(Group, plain);
    return byte_at(e, byte_at(e, group_of(e), quad(e, all)), slot);
}

/* i1: all lanes lie in the range that is remembered for the instruction, *p. */
static Val reach_each(Emit *e, const Access *x, Plain *p)
{
    const bool stores = x->h->stores;
    const Val own = range_for(e, x->uop, stores), ok = all_within(e, &x->a, &x->on, own);
    *p = plain_of(e, own);
    return stores ? LLVMBuildAnd(B, ok, unreserved(e), "") : ok;
}

/* i1: no lane of the chunk that is on differs */
static Val none_differs(Emit *e, const Access *x, u32 i, Val a, Val b)
{
    Val differs = LLVMBuildICmp(B, LLVMIntNE, a, b, "");
    if (x->on.c[i])
        differs = LLVMBuildAnd(B, differs, x->on.c[i], "");
    return LLVMBuildNot(B, some_lane(e, differs), "");
}

/* A chunk of lanes anywhere, each of which may be accessed; those in a row, and loads from one
 * address, at once.  What is loaded. */
static Val access_chunk(Emit *e, const Access *x, u32 i, const Plain *p, const Val arrays[2])
{
    const bool stores = x->h->stores;
    const LLVMTypeRef t = LLVMVectorType(data_type(e, x->width), e->chunk);
    const LLVMBasicBlockRef row = new_block(e, "row"), apart = new_block(e, "apart"),
                            one = new_block(e, "one"), each = new_block(e, "each"),
                            done = new_block(e, "");
    const Val on = x->on.c[i] ? x->on.c[i] : LLVMConstAllOnes(e->mrow);
    const Val first = LLVMBuildExtractElement(B, x->a.c[i], word(e, 0), "");
    const Val at = byte_at(e, p->window, LLVMBuildZExt(B, first, e->i64, ""));
    const Val steps = LLVMBuildAdd(B, splat(e, first), lanes_constant(e, 0, 0, x->width), "");
    LLVMTypeRef flat[2] = {t, e->ptr};
    /* Hosts that have no masks leave parts of rows to the loop, as is a chunk with no lane on,
     * whose address hosts would take long to ignore.  Beyond 2^32 a row would go on at 0. */
    const bool can = x->h->full || e->host->gathers;
    Val in_row = LLVMConstNull(e->i1);
    if (can) {
        const u32 last = 0u - e->chunk * x->width;
        in_row = LLVMBuildAnd(B, none_differs(e, x, i, x->a.c[i], steps),
                              LLVMBuildICmp(B, LLVMIntULE, first, word(e, last), ""), "");
    }
    if (can && x->on.c[i])
        in_row = LLVMBuildAnd(B, in_row, some_lane(e, on), "");
    LLVMBuildCondBr(B, in_row, row, apart);

    LLVMPositionBuilderAtEnd(B, row);
    Val together = NULL;
    if (stores) {
        const Val data = x->width < 4 ? LLVMBuildTrunc(B, x->data.c[i], t, "") : x->data.c[i];
        if (x->h->full)
            store_at(e, data, at);
        else
            intrinsic(e, "llvm.masked.store", flat, 2, (Val[]){data, at, word(e, 1), on}, 4);
    } else {
        together = x->h->full ? load_at(e, t, at)
                              : intrinsic(e, "llvm.masked.load", flat, 2,
                                          (Val[]){at, word(e, 1), on, LLVMConstNull(t)}, 4);
        together = widen_data(e, x->h->op, together, e->row);
    }
    LLVMBuildBr(B, done);

    /* of a chunk whose first lane is off, that lane's address has not been asked for */
    LLVMPositionBuilderAtEnd(B, apart);
    Val same = LLVMConstNull(e->i1), value = NULL;
    if (!stores && x->h->full)
        same = none_differs(e, x, i, x->a.c[i], splat(e, first));
    LLVMBuildCondBr(B, same, one, each);
    LLVMPositionBuilderAtEnd(B, one);
    if (!stores && x->h->full)
        value = splat(e, widen_data(e, x->h->op, load_at(e, data_type(e, x->width), at), e->i32));
    else
        value = LLVMGetPoison(e->row);
    LLVMBuildBr(B, done);

    LLVMPositionBuilderAtEnd(B, each);
    Val single = NULL;
    if (!stores) {
        single = gather_lanes(e, x->a.c[i], p, on, x->width, x->h->op);
    } else if (e->host->gathers && x->width == 4) {
        scatter_lanes(e, x->data.c[i], x->a.c[i], p, on);
    } else if (x->h->full) {
        store_chunk_lanes(e, x->data.c[i], x->a.c[i], p, x->width);
    } else {
        const Val here = word(e, ((1u << e->chunk) - 1) << i * e->chunk);
        store_lanes(e, LLVMBuildAnd(B, x->mask, here, ""), p, arrays, x->width);
    }
    const LLVMBasicBlockRef each_end = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, done);

    LLVMPositionBuilderAtEnd(B, done);
    if (stores)
        return NULL;
    const Val v = LLVMBuildPhi(B, e->row, "");
    LLVMAddIncoming(v, (Val[]){together, value, single}, (LLVMBasicBlockRef[]){row, one, each_end},
                    3);
    return v;
}

/* Stores few lanes, of which it takes longer to look at chunks, and returns; goes on with many. */
static void store_few(Emit *e, const Access *x, const Plain *p, const Val arrays[2])
{
    const LLVMBasicBlockRef few = new_block(e, "few"), many = new_block(e, "many");
    LLVMBuildCondBr(B, few_lanes(e, x->mask), few, many);
    LLVMPositionBuilderAtEnd(B, few);
    store_lanes(e, x->mask, p, arrays, x->width);
    give_back(e, NULL, quad(e, (u64)1 << 32));
    LLVMPositionBuilderAtEnd(B, many);
}

/* Lanes anywhere: at once, if a range is remembered that has all of them. */
static void make_access(Emit *e, const Helper *h)
{
    const Access x = begin_access(e, h);
    const bool by_lane = h->stores && !h->full && (!e->host->gathers || x.width < 4);
    const Val arrays[2] = {by_lane ? lane_array(e) : NULL, by_lane ? lane_array(e) : NULL};
    const LLVMBasicBlockRef here = new_block(e, "here"), each = new_block(e, "each");
    Plain p;
    Row v = {{0}};
    branch_likely(e, reach_each(e, &x, &p), here, each);
    LLVMPositionBuilderAtEnd(B, here);
    if (by_lane) {
        spread_lanes(e, arrays[0], &x.a);
        spread_lanes(e, arrays[1], &x.data);
        store_few(e, &x, &p, arrays);
    }
    for (u32 i = 0; i < e->nchunks; i++)
        v.c[i] = access_chunk(e, &x, i, &p, arrays);
    give_back(e, h->stores ? NULL : &v, quad(e, (u64)1 << 32));
    LLVMPositionBuilderAtEnd(B, each);
    access_each(e, &x);
}

/* Where a row of lanes is, from its first guest address on: the host address, or 0 where it may not be
 * accessed at once.  Plain memory around it is remembered for the instruction, if nothing is yet. */
static void make_row(Emit *e, const Helper *h)
{
    Val args[5];
    begin_helper(e, h, e->row_type, args);
    const Val uop = args[2], first = args[3];
    const LLVMBasicBlockRef found = new_block(e, "found"), refused = new_block(e, "refused"),
                            empty = new_block(e, "empty"), known = new_block(e, "known");
    if (h->stores)
        load_guard(e);
    const Val last = LLVMBuildAdd(B, first, LLVMBuildSub(B, args[4], quad(e, 1), ""), "");
    Reach r = reach(e, first, last, h->stores);
    if (h->flat)
        r.ok = LLVMBuildAnd(B, r.ok, is_not_private(e, first, last), "");
    LLVMBuildCondBr(B, r.ok, found, refused);
    LLVMPositionBuilderAtEnd(B, refused);
    LLVMBuildRet(B, quad(e, 0));

    LLVMPositionBuilderAtEnd(B, found);
    const Val range = range_for(e, uop, h->stores);
    const Val seen = LLVMBuildOr(B, range_field(e, range, offsetof(PlainRange, lo)),
                                 range_field(e, range, offsetof(PlainRange, room)), "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntNE, seen, word(e, 0), ""), known, empty);
    LLVMPositionBuilderAtEnd(B, empty);
    const Val remember = env_field(e, e->ptr, offsetof(HostEnv, remember));
    const Val addr = LLVMBuildTrunc(B, first, e->i32, "");
    call_helper(e, &(Helper){.kind = HELPER_KEEP}, e->keep_type,
                (Val[]){e->warp, uop, word(e, 0), addr, word(e, 0), remember}, 6, 0, NULL);
    LLVMBuildBr(B, known);
    LLVMPositionBuilderAtEnd(B, known);
    LLVMBuildRet(B, LLVMBuildPtrToInt(B, r.host, e->i64, ""));
}

/* The same whose parameters are a mask, one more, and the addresses of lanes, as rows; the mask. */
static Val begin_lanes(Emit *e, const Helper *h, LLVMTypeRef t, Val *args, Row *a, Row *on)
{
    begin_helper(e, h, t, args);
    const Val mask = LLVMBuildTrunc(B, args[3], e->i32, "");
    for (u32 i = 0; i < e->nchunks; i++) {
        a->c[i] = args[5 + i];
        on->c[i] = mask_chunk(e, mask, i);
    }
    return mask;
}

static void make_stream(Emit *e, const Helper *h)
{
    Val args[5 + MAX_CHUNKS];
    Row a = {{0}}, on = {{0}};
    const Val mask = begin_lanes(e, h, stream_type(e), args, &a, &on);
    fill_stream(e, args[2], mask, args[4], &a, &on);
}

static void make_cluster(Emit *e, const Helper *h)
{
    Val args[5 + MAX_CHUNKS];
    Row a = {{0}}, on = {{0}};
    begin_lanes(e, h, cluster_type(e), args, &a, &on);
    move_cluster(e, h, args[2], args[4], &a, &on);
}

LLVMModuleRef make_helper(LLVMContextRef c, const Helper *h, const HostVectors *host,
                          const char *name, u64 helpers[HELPER_WORDS])
{
    Emit *e = emit_new(c, host, h->kind >= HELPER_ACCESS ? h->lanes : 4, name, helpers);
    if (!e)
        return NULL;
    if (h->kind == HELPER_KEEP)
        make_keep(e, h);
    else if (h->kind == HELPER_ROW)
        make_row(e, h);
    else if (h->kind == HELPER_STREAM)
        make_stream(e, h);
    else if (h->kind == HELPER_CLUSTER)
        make_cluster(e, h);
    else
        make_access(e, h);
    LLVMSetValueName2(e->fn, name, strlen(name));
    return emit_free(e);
}
