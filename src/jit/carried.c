/* carried.c -- patterns (linear.c) that are known where ways meet: at heads of loops, behind branches and barriers.
 *
 * What a block has found out is known to its heirs, which only it leads to.  A block that several lead to may begin
 * with patterns, too, if on all ways the register is the same row plus scalars: those are in homes of their own, as
 * the register's chunks are.  Of a way back nothing is known before its end is made.  So the function is made as if it
 * had the patterns of the ways that come before; where one turns out not to, that register of that block is noted, and
 * the function is made once more.
 *
 * Code that a warp enters from outside finds rows in the warp, takes the scalars out of them, and leaves the region if
 * a row is something else: interpreter and quick code do not look whether a group has the lines that are expected.
 */
#include "base/mem.h"
#include "jit/translate.h"
#include <string.h>

#define B e->b

void carry_open(Emit *e)
{
    for (u32 i = 1; i < e->r->nblock; i++) {
        const RegionBlock *b = &e->r->block[i];
        const bool is_entered = b->is_reentry || (e->headers && b->is_header);
        /* what lanes that are off hold, they would have to be asked for at entries */
        e->carry[i].is_open = !e->legacy[i].from && (b->full || !is_entered);
    }
}

/* Reverse postorder, by barriers, too; blocks to which no way leads come last. */
bool carry_order(const Region *r, u32 *order)
{
    u8 *seen = mem_zalloc(r->nblock, 1);
    u32 *stack = mem_zalloc(r->nblock, sizeof *stack), *at = mem_zalloc(r->nblock, sizeof *at);
    u32 n = r->nblock, depth = 0;
    const bool ok = seen && stack && at;
    if (ok) {
        seen[0] = 1;
        stack[depth++] = 0;
    }
    while (depth) {
        const u32 i = stack[depth - 1];
        const RegionBlock *b = &r->block[i];
        if (at[i] == b->nsucc) {
            order[--n] = i;
            depth--;
            continue;
        }
        const u32 to = b->succ[at[i]++];
        if (seen[to] || !sides_leave_edge(r, b, to))
            continue;
        seen[to] = 1;
        stack[depth++] = to;
    }
    memmove(order, order + n, (r->nblock - n) * sizeof *order);
    n = r->nblock - n;
    for (u32 k = 0; ok && k < r->nblock; k++)
        if (!seen[r->order[k]])
            order[n++] = r->order[k];
    mem_free(at);
    mem_free(stack);
    mem_free(seen);
    return ok;
}

/* How far each lane of a constant chunk is behind that of another one; false: not all as far. */
static bool distance(const Emit *e, Val a, Val b, u32 *d)
{
    *d = constant_lane(a, 0) - constant_lane(b, 0);
    for (u32 k = 1; a != b && k < e->chunk; k++)
        if (constant_lane(a, k) - constant_lane(b, k) != *d)
            return false;
    return true;
}

/* Whether the chunk has the same scalar as the one before it. */
static bool shares_home(const Carried *h, u32 i) { return i && h->home[i] == h->home[i - 1]; }

/* The first way to block `to`: what it has is taken for what all have. */
static void propose(Emit *e, Carry *c, u32 to)
{
    const RegSet *in = &e->r->block[to].in;
    for (u32 n = 0; n < 256 && c->n < MOST_CARRIED; n++) {
        const Pattern *p = &e->known.pattern[n];
        if (!is_pattern(p) || !regset_has_v(in, n) || e->uncarried[to][n >> 6] >> (n & 63) & 1)
            continue;
        Carried *h = &c->all[c->n++];
        *h = (Carried){.n = (u8)n, .root = p->root};
        for (u32 i = 0; i < e->nchunks; i++)
            h->home[i] =
                i && p->offset[i] == p->offset[i - 1] ? h->home[i - 1] : stack_place(e, e->i32);
    }
}

/* Stores the scalars of a way; false: the register is something else there. */
static bool bring(Emit *e, const Carried *h)
{
    const Pattern *p = &e->known.pattern[h->n];
    Val offset[MAX_CHUNKS];
    u32 d[MAX_CHUNKS];
    if (!is_pattern(p))
        return false;
    for (u32 i = 0; i < e->nchunks; i++)
        if (!distance(e, p->root.c[i], h->root.c[i], &d[i]))
            return false;
    for (u32 i = 0; i < e->nchunks; i++) {
        const bool same = i && p->offset[i] == p->offset[i - 1] && d[i] == d[i - 1];
        offset[i] = same   ? offset[i - 1]
                    : d[i] ? LLVMBuildAdd(B, p->offset[i], word(e, d[i]), "")
                           : p->offset[i];
        if (shares_home(h, i) && offset[i] != offset[i - 1])
            return false;
    }
    for (u32 i = 0; i < e->nchunks; i++)
        if (!shares_home(h, i))
            LLVMBuildStore(B, offset[i], h->home[i]);
    return true;
}

void carry_to(Emit *e, u32 to)
{
    Carry *c = &e->carry[to];
    if (!c->is_open || (!c->all && !(c->all = mem_alloc(MOST_CARRIED * sizeof *c->all))))
        return;
    if (!c->is_reached && !c->is_made)
        propose(e, c, to);
    c->is_reached = true;
    for (u32 k = 0; k < c->n; k++) {
        Carried *h = &c->all[k];
        if (h->is_gone || bring(e, h))
            continue;
        h->is_gone = true;
        e->uncarried[to][h->n >> 6] |= (u64)1 << (h->n & 63);
        e->is_wrong |= c->is_made;
    }
}

void carry_begin(Emit *e, u32 i)
{
    Carry *c = &e->carry[i];
    c->is_made = true;
    for (u32 k = 0; k < c->n; k++) {
        const Carried *h = &c->all[k];
        Pattern *p = &e->known.pattern[h->n];
        for (u32 j = 0; !h->is_gone && j < e->nchunks; j++) {
            p->root.c[j] = h->root.c[j];
            p->offset[j] =
                shares_home(h, j) ? p->offset[j - 1] : LLVMBuildLoad2(B, e->i32, h->home[j], "");
        }
        if (!h->is_gone)
            e->known.v[h->n] = pattern_row(e, p);
    }
}

void carry_enter(Emit *e, u32 i)
{
    const Carry *c = &e->carry[i];
    Val differ = NULL;
    for (u32 k = 0; k < c->n; k++) {
        const Carried *h = &c->all[k];
        Val offset = NULL;
        for (u32 j = 0; !h->is_gone && j < e->nchunks; j++) {
            const Val row = LLVMBuildLoad2(B, e->row, e->v_home[h->n][j], "");
            if (!shares_home(h, j)) {
                const Val first = LLVMBuildExtractElement(B, row, word(e, 0), "");
                offset = LLVMBuildSub(B, first, word(e, constant_lane(h->root.c[j], 0)), "");
                LLVMBuildStore(B, offset, h->home[j]);
            }
            const Val want = LLVMBuildAdd(B, splat(e, offset), h->root.c[j], "");
            const Val other = LLVMBuildXor(B, row, want, "");
            differ = differ ? LLVMBuildOr(B, differ, other, "") : other;
        }
    }
    if (!differ)
        return;
    const LLVMBasicBlockRef same = new_block(e, "same"), leave = new_block(e, "uneven");
    const Val is_other = LLVMBuildICmp(B, LLVMIntNE, differ, LLVMConstNull(e->row), "");
    branch_likely(e, LLVMBuildNot(B, some_lane(e, is_other), ""), same, leave);
    LLVMPositionBuilderAtEnd(B, leave);
    LLVMBuildStore(B, word(e, e->r->block[i].pc), warp_field(e, offsetof(Warp, pc)));
    LLVMBuildRet(B, word(e, (u32)HOST_ANYWHERE));
    LLVMPositionBuilderAtEnd(B, same);
}
