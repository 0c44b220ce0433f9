/* sched.c -- the order of instructions within a block, in selected code.
 *
 * Requires SSA, keeps the graph.  A block is cut into pieces at the instructions that others may
 * not pass: calls, atomics, barriers, volatile accesses, instructions that name registers.  The
 * instructions of a piece are placed one after the other from the top (list scheduling).  While few
 * values are alive, the next one is the one that is farthest from the end of the piece by latency,
 * mostly a load; when many are, it is the one that leaves the fewest alive.
 *
 * Notes stand aside meanwhile, so that they change nothing.  Each comes back behind the instruction
 * that it stood behind, and behind the one that makes its value; the first one of a part of a
 * variable, before which there is nothing to be seen, behind the latter alone.
 */
#include "cc/cc.h"
#include "base/mem.h"
#include <string.h>

/* MOST: instructions of a piece, which bounds the time that it takes.  MANY: so many values of a
 * bank alive at once that their number counts more than latency: registers above 31 cost a prefix.
 */
enum { MOST = 256, MANY_X = 16, MANY_V = 20 };

/* cycles from an instruction to its first use, roughly */
enum { LATENCY_LOAD = 24, LATENCY_SFU = 12, LATENCY_MUL = 4, LATENCY = 2 };

typedef struct {
    Ins ins;
    u32 before; /* how many instructions that it must follow are not placed yet */
    u32 height; /* cycles to the end of the piece */
    u32 from;   /* its place in the block before scheduling */
    bool placed;
} Node;

typedef struct {
    Func *f;
    Node node[MOST];
    u64 after[MOST][MOST / 64]; /* of each node: bit k: node k must follow it */
    size_t n;
    u32 *uses;    /* of each value: uses in the whole function that are not placed yet */
    u32 *def;     /* of each value: 1 + the node that defines it, in this piece */
    u32 alive[2]; /* x, v: values made in this block that are alive after what is placed so far */
    u32 *moved;   /* of each instruction of the block, as it was: where it is now */
    bool *heard;  /* of each part of a variable: it has had a note */
} Sched;

/* --- what depends on what ---------------------------------------------------------------- */

static bool names_register(const Target *t, Ref r)
{
    return r.kind == R_REG && !reg_is_reserved(r.val) && r.val != t->frame;
}

/* whether no instruction may pass *i, in either direction */
static bool is_cut(const Target *t, const Ins *i)
{
    if (i->reg || names_register(t, i->a[0]) || names_register(t, i->a[1]) ||
        names_register(t, i->a[2]))
        return true;
    return i->is_volatile || (!ins_is_store(i) && ins_has_effect(i));
}

/* which spaces an access may touch, a bit each */
static u32 places(const Ins *i)
{
    enum { GLOBAL = 1, LOCAL = 2, PRIVATE = 4, CONSTANT = 8 };
    switch ((Space)i->space) {
    case IN_GLOBAL: return GLOBAL;
    case IN_CONST: return CONSTANT;
    case IN_LOCAL: return LOCAL;
    case IN_PRIVATE: return PRIVATE;
    case IN_FLAT: break;
    }
    return GLOBAL | LOCAL;
}

/* Base and offset of a row's access: imm(rs1) are its last two operands. */
static bool address(const Ins *i, Ref *base, i64 *offset)
{
    const int k = ins_is_store(i) ? 1 : 0;
    *base = i->a[k + 1];
    *offset = (i32)i->a[k].val;
    return ins_is_machine(i) && i->width && i->a[k].kind == R_CON;
}

static bool may_overlap(const Ins *a, const Ins *b)
{
    Ref x, y;
    i64 at, to;
    if (!(places(a) & places(b)))
        return false;
    if (!address(a, &x, &at) || !address(b, &y, &to) || !ref_same(x, y))
        return true;
    return at < to + b->width && to < at + a->width;
}

static bool must_follow(const Ins *a, const Ins *b)
{
    const bool memory = (ins_is_load(a) || ins_is_store(a)) && (ins_is_load(b) || ins_is_store(b));
    return memory && (ins_is_store(a) || ins_is_store(b)) && may_overlap(a, b);
}

static void depend(Sched *s, size_t first, size_t then)
{
    u64 *word = &s->after[first][then / 64];
    if (*word >> then % 64 & 1)
        return;
    *word |= (u64)1 << then % 64;
    s->node[then].before++;
}

static u32 latency(const Ins *i)
{
    if (ins_is_load(i))
        return LATENCY_LOAD;
    if (!ins_is_machine(i))
        return 1;
    const u8 unit = isa_insn[ins_row(i)].unit;
    return unit == U_SFU ? LATENCY_SFU : unit == U_MUL || unit == U_FPU ? LATENCY_MUL : LATENCY;
}

static void find_dependences(Sched *s)
{
    for (size_t k = 0; k < s->n; k++) {
        const Ins *i = &s->node[k].ins;
        memset(s->after[k], 0, sizeof s->after[k]);
        for (int a = 0; a < 3; a++)
            if (i->a[a].kind == R_VAL && s->def[i->a[a].val])
                depend(s, s->def[i->a[a].val] - 1, k);
        for (size_t j = 0; j < k; j++)
            if (must_follow(&s->node[j].ins, i))
                depend(s, j, k);
        if (i->dst)
            s->def[i->dst] = (u32)k + 1;
    }
    for (size_t k = s->n; k-- > 0;) {
        Node *n = &s->node[k];
        n->height = 0;
        for (size_t j = k + 1; j < s->n; j++)
            if (s->after[k][j / 64] >> j % 64 & 1 && s->node[j].height > n->height)
                n->height = s->node[j].height;
        n->height += latency(&n->ins);
    }
}

/* --- choice -------------------------------------------------------------------------------- */

static bool is_v(const Sched *s, u32 v) { return s->f->value[v].bank == BANK_V; }

/* by how many the values of bank v that are alive change when *i is placed next */
static int change(const Sched *s, const Ins *i, bool v)
{
    int n = i->dst && is_v(s, i->dst) == v;
    for (int a = 0; a < 3; a++) {
        const Ref r = i->a[a];
        u32 times = 0;
        bool first = true;
        for (int b = 0; b < 3; b++) {
            times += ref_same(r, i->a[b]);
            first &= b >= a || !ref_same(r, i->a[b]);
        }
        if (r.kind == R_VAL && first && is_v(s, r.val) == v && s->uses[r.val] == times)
            n--;
    }
    return n;
}

/* whether `a` is a better choice than b, which comes earlier in the program */
static bool is_better(const Sched *s, const Node *a, const Node *b)
{
    const u32 many[2] = {MANY_X, MANY_V};
    for (int v = 1; v >= 0; v--) {
        const int x = change(s, &a->ins, v), y = change(s, &b->ins, v);
        if (s->alive[v] >= many[v] && x != y)
            return x < y;
    }
    return a->height > b->height;
}

static size_t choose(const Sched *s)
{
    size_t best = s->n;
    for (size_t k = 0; k < s->n; k++)
        if (!s->node[k].placed && !s->node[k].before &&
            (best == s->n || is_better(s, &s->node[k], &s->node[best])))
            best = k;
    return best;
}

static void count_uses(Sched *s, const Ins *i)
{
    const int x = change(s, i, false), v = change(s, i, true);
    s->alive[0] = (int)s->alive[0] + x < 0 ? 0 : (u32)((int)s->alive[0] + x);
    s->alive[1] = (int)s->alive[1] + v < 0 ? 0 : (u32)((int)s->alive[1] + v);
    for (int a = 0; a < 3; a++)
        if (i->a[a].kind == R_VAL)
            s->uses[i->a[a].val]--;
}

/* Orders the piece, which ends before instruction `end` of the block. */
static void place_piece(Sched *s, Block *b, size_t end)
{
    const u32 first = (u32)(end - s->n);
    Ins *to = &b->ins[first];
    find_dependences(s);
    for (size_t k = 0; k < s->n; k++) {
        const size_t at = choose(s);
        Node *n = &s->node[at];
        n->placed = true;
        for (size_t j = at + 1; j < s->n; j++)
            if (s->after[at][j / 64] >> j % 64 & 1)
                s->node[j].before--;
        count_uses(s, &n->ins);
        to[k] = n->ins;
        s->moved[n->from] = first + (u32)k;
    }
    for (size_t k = 0; k < s->n; k++)
        if (s->node[k].ins.dst)
            s->def[s->node[k].ins.dst] = 0;
    s->n = 0;
}

static void schedule_block(Sched *s, Block *b)
{
    s->alive[0] = s->alive[1] = 0;
    s->n = 0;
    for (size_t k = 0; k < b->nins; k++) {
        const bool cut = is_cut(s->f->module->target, &b->ins[k]);
        if (s->n == MOST || cut)
            place_piece(s, b, k);
        s->moved[k] = (u32)k;
        if (cut)
            count_uses(s, &b->ins[k]);
        else
            s->node[s->n++] = (Node){.ins = b->ins[k], .from = (u32)k};
    }
    place_piece(s, b, b->nins);
}

/* --- notes ------------------------------------------------------------------------------------ */

/* A note that stands aside. */
typedef struct {
    Ins ins;
    u32 behind; /* how many instructions it stood behind; then: stands behind */
    u32 next;   /* 1 + the next one at the same place */
} Aside;

/* Takes the notes out of a block: their number. */
static size_t take_notes(Block *b, Aside *list)
{
    size_t n = 0, kept = 0;
    for (size_t k = 0; k < b->nins; k++)
        if (b->ins[k].op == IR_note)
            list[n++] = (Aside){b->ins[k], (u32)kept, 0};
        else
            b->ins[kept++] = b->ins[k];
    b->nins = kept;
    return n;
}

/* Where the notes go: behind what they stood behind, their value, earlier notes of their part. */
static void find_places(const Sched *s, const Block *b, Aside *list, size_t n, u32 *made, u32 *part)
{
    for (u32 k = 0; k < b->nins; k++)
        made[b->ins[k].dst] = k + 1;
    made[0] = 0;
    for (size_t k = 0; k < n; k++) {
        const Note *note = &s->f->note[list[k].ins.imm];
        u32 *earlier = &part[note->part];
        u32 at = list[k].behind && s->heard[note->part] ? s->moved[list[k].behind - 1] + 1 : 0;
        s->heard[note->part] = true;
        if (note->is.kind == R_VAL && made[note->is.val] > at)
            at = made[note->is.val];
        if (*earlier > at)
            at = *earlier;
        list[k].behind = *earlier = at;
    }
    for (u32 k = 0; k < b->nins; k++)
        made[b->ins[k].dst] = 0;
    for (size_t k = 0; k < n; k++)
        part[s->f->note[list[k].ins.imm].part] = 0;
}

static void put_notes_back(Func *f, Block *b, Aside *list, size_t n)
{
    u32 *first = ir_alloc(f->module, (b->nins + 1) * sizeof *first);
    Ins *ins = ir_alloc(f->module, (b->nins + n) * sizeof *ins);
    size_t count = 0;
    if (!first || !ins)
        return;
    for (size_t k = n; k-- > 0;) {
        list[k].next = first[list[k].behind];
        first[list[k].behind] = (u32)k + 1;
    }
    for (size_t k = 0; k <= b->nins; k++) {
        for (u32 note = first[k]; note; note = list[note - 1].next)
            ins[count++] = list[note - 1].ins;
        if (k < b->nins)
            ins[count++] = b->ins[k];
    }
    b->ins = ins;
    b->nins = b->capins = count;
}

/* --- the function ----------------------------------------------------------------------------- */

static void add_use(u32 *uses, Ref r)
{
    if (r.kind == R_VAL)
        uses[r.val]++;
}

static void count_all_uses(Sched *s)
{
    const Func *f = s->f;
    for (size_t i = 0; i < f->nrpo; i++) {
        const Block *b = &f->block[f->rpo[i]];
        for (size_t p = 0; p < b->nphi; p++)
            for (size_t k = 0; k < b->npred; k++)
                add_use(s->uses, b->phi[p].arg[k]);
        for (size_t k = 0; k < b->nins; k++)
            for (int a = 0; a < 3; a++)
                add_use(s->uses, b->ins[k].a[a]);
        for (int a = 0; a < 2; a++)
            add_use(s->uses, b->term.a[a]);
    }
}

void schedule(Func *f)
{
    Sched *s = ir_alloc(f->module, sizeof *s);
    if (!s)
        return;
    s->f = f;
    size_t most = 1;
    for (size_t i = 0; i < f->nrpo; i++)
        if (f->block[f->rpo[i]].nins > most)
            most = f->block[f->rpo[i]].nins;
    s->uses = ir_alloc(f->module, f->nvalue * sizeof *s->uses);
    s->def = ir_alloc(f->module, f->nvalue * sizeof *s->def);
    s->moved = ir_alloc(f->module, most * sizeof *s->moved);
    Aside *notes = f->nnote ? ir_alloc(f->module, most * sizeof *notes) : NULL;
    u32 *part = ir_alloc(f->module, (f->npart + 1) * sizeof *part);
    s->heard = ir_alloc(f->module, f->npart + 1);
    if (f->module->failed)
        return;
    count_all_uses(s);
    for (size_t i = 0; i < f->nrpo; i++) {
        Block *b = &f->block[f->rpo[i]];
        const size_t n = notes ? take_notes(b, notes) : 0;
        if (b->nins)
            schedule_block(s, b);
        if (!n)
            continue;
        find_places(s, b, notes, n, s->def, part);
        put_notes_back(f, b, notes, n);
    }
}
