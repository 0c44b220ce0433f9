/* verify.c -- proves that an allocation keeps the meaning of the program.
 *
 * It knows nothing of ranges, weights or spills.  It runs the program before allocation and the one
 * behind it side by side, and keeps for each place (a register, a word of a frame) the set
 * of things it holds: values, the expected contents of physical registers, constants.
 * A block begins with what all ways into it agree on.  The states only shrink, so
 * what is found missing on the way is missing.
 *
 * Instructions come in two kinds.  Soft ones only move contents: in the program before,
 * moves and constants say that a value is now the same as another thing; in the one
 * behind, moves, loads and stores of the frame, and constants copy sets from place to place.  All
 * others are hard: both programs have the same ones in the same order, and each must find
 * in its registers what it reads.
 *
 * Ways into a block are the edges of the program, and for scalars also those from the
 * top of each join to the sides of its branches (doc/ir.md, "Scalars and divergence").
 */
#include "cc/cc.h"
#include "base/mem.h"
#include <string.h>

/* --- sets ----------------------------------------------------------------------------- */

/* Sets of things, each stored once, so that equal sets have equal numbers.  0 is the empty set. */
typedef struct { u32 first, n; } Set;
typedef struct {
    u32 *pool;              /* things of all sets, ascending in each */
    size_t npool, cappool;
    Set *set;
    size_t nset, capset;
    u32 *bucket;            /* hash table of 1 + set */
    size_t nbucket;
    bool failed;
} Sets;

static u32 hash(const u32 *list, u32 n)
{
    u32 h = 2166136261u;
    for (u32 k = 0; k < n; k++)
        h = (h ^ list[k]) * 16777619u + (h >> 15);
    return h;
}

static void grow_buckets(Sets *s)
{
    const size_t n = s->nbucket ? s->nbucket * 2 : 1024;
    u32 *bucket = mem_zalloc(n, sizeof *bucket);
    if (!bucket) {
        s->failed = true;
        return;
    }
    for (u32 k = 1; k < s->nset; k++) {
        size_t at = hash(s->pool + s->set[k].first, s->set[k].n) & (n - 1);
        while (bucket[at])
            at = (at + 1) & (n - 1);
        bucket[at] = k + 1;
    }
    mem_free(s->bucket);
    s->bucket = bucket;
    s->nbucket = n;
}

static u32 add_set(Sets *s, const u32 *list, u32 n)
{
    while (s->cappool - s->npool < n)
        if (!array_grow(s->pool, s->cappool, s->cappool))
            s->failed = true, n = 0;
    if (!array_grow(s->set, s->nset, s->capset))
        s->failed = true;
    if (s->failed)
        return 0;
    if (n)
        memcpy(s->pool + s->npool, list, n * sizeof *list);
    s->set[s->nset] = (Set){(u32)s->npool, n};
    s->npool += n;
    return (u32)s->nset++;
}

/* the number of the set of these n things, which ascend and are not in Sets.pool */
static u32 find_set(Sets *s, const u32 *list, u32 n)
{
    if (!n || s->failed)
        return 0;
    if (s->nset * 2 >= s->nbucket)
        grow_buckets(s);
    if (s->failed)
        return 0;
    size_t at = hash(list, n) & (s->nbucket - 1);
    for (; s->bucket[at]; at = (at + 1) & (s->nbucket - 1)) {
        const Set t = s->set[s->bucket[at] - 1];
        if (t.n == n && !memcmp(s->pool + t.first, list, n * sizeof *list))
            return s->bucket[at] - 1;
    }
    const u32 new = add_set(s, list, n);
    s->bucket[at] = new + 1;
    return new;
}

static bool set_has(const Sets *s, u32 set, u32 thing)
{
    const Set t = s->set[set];
    for (u32 k = 0; k < t.n; k++)
        if (s->pool[t.first + k] == thing)
            return true;
    return false;
}

enum { MOST = 256 }; /* things of a set: more are forgotten, which can only refuse too much */

static u32 set_with(Sets *s, u32 set, u32 thing)
{
    u32 list[MOST], n = 0, k = 0;
    const Set t = s->set[set];
    if (t.n == MOST || set_has(s, set, thing))
        return set;
    for (; k < t.n && s->pool[t.first + k] < thing; k++)
        list[n++] = s->pool[t.first + k];
    list[n++] = thing;
    for (; k < t.n; k++)
        list[n++] = s->pool[t.first + k];
    return find_set(s, list, n);
}

static u32 set_without(Sets *s, u32 set, u32 thing)
{
    u32 list[MOST], n = 0;
    const Set t = s->set[set];
    if (!set_has(s, set, thing))
        return set;
    for (u32 k = 0; k < t.n; k++)
        if (s->pool[t.first + k] != thing)
            list[n++] = s->pool[t.first + k];
    return find_set(s, list, n);
}

static u32 set_common(Sets *s, u32 a, u32 b)
{
    u32 list[MOST], n = 0;
    if (a == b)
        return a;
    const Set t = s->set[a];
    for (u32 k = 0; k < t.n; k++)
        if (set_has(s, b, s->pool[t.first + k]))
            list[n++] = s->pool[t.first + k];
    return find_set(s, list, n);
}

static void sets_free(Sets *s)
{
    mem_free(s->pool);
    mem_free(s->set);
    mem_free(s->bucket);
}

/* --- things and places ---------------------------------------------------------------------- */

typedef struct {
    const Func *before, *after;
    Buf *why;
    bool bad;
    Sets sets;
    u32 *thing;             /* of each value: itself, or the constant that it always is */
    Ins *constant;          /* things behind values and registers */
    size_t nconstant, capconstant;
    u32 nplace;             /* registers, words of the scalar frame, words of private memory */
    u32 *top;               /* of each block: the set of each place at its start */
    u32 *now;               /* the same where the proof is */
    bool *seen, *dirty;     /* of each block: top is set; top has changed */
    u32 block;
    size_t at;              /* hard instruction being looked at, in `after` */
} Proof;

static void refuse(Proof *p, const char *what)
{
    if (!p->bad && p->why)
        buf_printf(p->why, "%s: block %u, instruction %zu: %s\n", p->before->name, p->block, p->at, what);
    p->bad = true;
}

static bool place_is_scalar(const Proof *p, u32 place)
{
    return place < V0 || (place >= NREG && place < NREG + p->after->spill_x);
}

/* whether the instruction makes the same number wherever it stands */
static bool is_constant(const Ins *i)
{
    if (!ins_is_pure(i) || !(i->dst || i->reg) || ins_tied(i) >= 0)
        return false;
    for (int k = 0; k < 3; k++)
        if (i->a[k].kind == R_VAL || (i->a[k].kind == R_REG && !reg_is_reserved(i->a[k].val)))
            return false;
    return true;
}

static u32 constant_thing(Proof *p, const Ins *i)
{
    size_t k = 0;
    for (; k < p->nconstant; k++) {
        const Ins *c = &p->constant[k];
        if (c->op == i->op && c->imm == i->imm && ref_same(c->a[0], i->a[0]) &&
            ref_same(c->a[1], i->a[1]) && ref_same(c->a[2], i->a[2]))
            break;
    }
    if (k == p->nconstant) {
        if (!array_grow(p->constant, p->nconstant, p->capconstant)) {
            p->sets.failed = true;
            return 0;
        }
        p->constant[p->nconstant++] = *i;
    }
    return (u32)(p->before->nvalue + NREG + k);
}

static u32 register_thing(const Proof *p, u32 r) { return (u32)p->before->nvalue + r; }

/* a source in the program before; 0: neither value nor register */
static u32 thing_of(const Proof *p, Ref r)
{
    return r.kind == R_VAL ? p->thing[r.val] : r.kind == R_REG ? register_thing(p, r.val) : 0;
}

static Bank bank_of(const Proof *p, Ref r)
{
    if (r.kind == R_VAL)
        return (Bank)p->before->value[r.val].bank;
    return r.kind != R_REG ? BANK_NONE : reg_is_vector(r.val) ? BANK_V : BANK_X;
}

static Ref result_of(const Ins *i) { return i->reg ? ref_reg(i->reg - 1) : i->dst ? ref_val(i->dst) : ref_none(); }

static bool is_plain_move(const Proof *p, const Ins *i)
{
    return i->op == IR_move && bank_of(p, i->a[0]) == bank_of(p, result_of(i));
}

/* --- the program before ------------------------------------------------------------------------- */

static void forget(Proof *p, u32 thing)
{
    for (u32 k = 0; k < p->nplace; k++)
        p->now[k] = set_without(&p->sets, p->now[k], thing);
}

/* From here on `thing` is what `source` is. */
static void equate(Proof *p, u32 thing, u32 source)
{
    if (thing == source)
        return;
    forget(p, thing);
    for (u32 k = 0; k < p->nplace; k++)
        if (p->now[k] && set_has(&p->sets, p->now[k], source))
            p->now[k] = set_with(&p->sets, p->now[k], thing);
}

/* Goes over soft instructions of the program before, from number `i` on. */
static size_t soft_before(Proof *p, const Block *b, size_t i)
{
    for (; i < b->nins; i++) {
        const Ins *n = &b->ins[i];
        if (is_plain_move(p, n))
            equate(p, thing_of(p, result_of(n)), thing_of(p, n->a[0]));
        else if (is_constant(n))
            equate(p, thing_of(p, result_of(n)), constant_thing(p, n));
        else
            break;
    }
    return i;
}

/* --- the program behind --------------------------------------------------------------------------- */

/* the place of word imm of a frame, or nplace */
static u32 frame_place(Proof *p, const Ins *i, bool vector)
{
    const u32 n = vector ? p->after->spill_v : p->after->spill_x;
    if (i->imm < 0 || (u32)i->imm >= n) {
        refuse(p, "a word outside the frame");
        return p->nplace;
    }
    return NREG + (vector ? p->after->spill_x : 0) + (u32)i->imm;
}

static bool is_reload(const Ins *i) { return i->op == IR_reloadx || i->op == IR_reloadv; }
static bool is_spill(const Ins *i) { return i->op == IR_spillx || i->op == IR_spillv; }

static bool is_register(Ref r, Bank bank)
{
    return r.kind == R_REG && r.val < NREG && reg_is_vector(r.val) == (bank == BANK_V);
}

static void set_register(Proof *p, Ref r, Bank bank, u32 set)
{
    if (!is_register(r, bank))
        refuse(p, "a result in the wrong kind of register");
    else if (reg_is_reserved(r.val))
        refuse(p, "a reserved register is written");
    else
        p->now[r.val] = set;
}

static void run_frame(Proof *p, const Ins *i)
{
    const Bank bank = i->op == IR_reloadv || i->op == IR_spillv ? BANK_V : BANK_X;
    const u32 place = frame_place(p, i, bank == BANK_V);
    if (place == p->nplace)
        return;
    if (is_reload(i))
        set_register(p, result_of(i), bank, p->now[place]);
    else if (is_register(i->a[0], bank))
        p->now[place] = p->now[i->a[0].val];
    else
        refuse(p, "the wrong kind of register is spilled");
}

static size_t soft_after(Proof *p, const Block *b, size_t i)
{
    for (; i < b->nins && !p->bad; i++) {
        const Ins *n = &b->ins[i];
        p->at = i;
        if (is_reload(n) || is_spill(n))
            run_frame(p, n);
        else if (is_plain_move(p, n))
            set_register(p, result_of(n), bank_of(p, n->a[0]), p->now[n->a[0].val]);
        else if (is_constant(n))
            set_register(p, result_of(n), bank_of(p, result_of(n)),
                         set_with(&p->sets, 0, constant_thing(p, n)));
        else
            break;
    }
    return i;
}

/* --- both: hard instructions ------------------------------------------------------------------------ */

static void check_read(Proof *p, Ref before, Ref after)
{
    const Bank bank = bank_of(p, before);
    if (bank == BANK_NONE) {
        if (!ref_same(before, after))
            refuse(p, "another operand");
    } else if (!is_register(after, bank) || (before.kind == R_REG && before.val != after.val)) {
        refuse(p, "an operand in the wrong kind of register");
    } else if (!set_has(&p->sets, p->now[after.val], thing_of(p, before))) {
        refuse(p, "an operand is not in the register that is read");
    }
}

static void check_pieces(Proof *p, u32 n)
{
    for (u32 k = 0; k < n && k < MAX_PIECES; k++)
        if (!set_has(&p->sets, p->now[V0 + k], register_thing(p, V0 + k)))
            refuse(p, "an argument or result is not in its register");
}

static void run_call(Proof *p, const Ins *i)
{
    check_pieces(p, (u32)i->imm);
    for (u32 r = 0; r < NREG; r++)
        if (!reg_is_kept(r))
            p->now[r] = 0;
    for (u32 r = 0; r < NREG; r++)
        if (!reg_is_kept(r))
            for (u32 k = NREG; k < p->nplace; k++)
                p->now[k] = set_without(&p->sets, p->now[k], register_thing(p, r));
    for (u32 r = 0; r < NREG; r++)
        if (!reg_is_kept(r))
            p->now[r] = set_with(&p->sets, 0, register_thing(p, r));
}

static bool same_kind(const Ins *a, const Ins *b)
{
    return a->op == b->op && a->imm == b->imm && a->width == b->width && a->space == b->space &&
           a->sext == b->sext && a->is_volatile == b->is_volatile;
}

static void check_write(Proof *p, const Ins *before, const Ins *after)
{
    const Ref to = result_of(before);
    const int tied = ins_tied(before);
    if (to.kind == R_NONE) {
        if (after->reg || after->dst)
            refuse(p, "a result that nobody asked for");
        return;
    }
    if (before->reg && before->reg != after->reg)
        refuse(p, "a result in another register");
    else if (tied >= 0 && !ref_same(after->a[tied], result_of(after)))
        refuse(p, "an accumulator in two registers");
    forget(p, thing_of(p, to));
    if (!p->bad)
        set_register(p, result_of(after), bank_of(p, to), set_with(&p->sets, 0, thing_of(p, to)));
}

static void run_hard(Proof *p, const Ins *before, const Ins *after)
{
    if (!same_kind(before, after)) {
        refuse(p, "another instruction");
        return;
    }
    for (int k = 0; k < 3; k++)
        check_read(p, before->a[k], after->a[k]);
    if (before->op == IR_call)
        run_call(p, before);
    check_write(p, before, after);
}

static void run_block(Proof *p)
{
    const Block *b = &p->before->block[p->block], *a = &p->after->block[p->block];
    size_t i = 0, j = 0;
    while (!p->bad) {
        j = soft_after(p, a, j);
        i = soft_before(p, b, i);
        p->at = j;
        if (i == b->nins || j == a->nins)
            break;
        run_hard(p, &b->ins[i++], &a->ins[j++]);
    }
    if (!p->bad && (i < b->nins || j < a->nins))
        refuse(p, "an instruction too few or too many");
    for (int k = 0; k < 2 && !p->bad; k++)
        check_read(p, b->term.a[k], a->term.a[k]);
    if (!p->bad && b->term.kind == T_RET && !p->before->is_kernel)
        check_pieces(p, p->before->nresults);
}

/* --- ways -------------------------------------------------------------------------------------------- */

static u32 *top_of(const Proof *p, u32 b) { return p->top + (size_t)b * p->nplace; }

/* The state `from` reaches block b. */
static void flow(Proof *p, const u32 *from, u32 b, bool scalars_only)
{
    u32 *to = top_of(p, b);
    if (!p->seen[b]) {
        memcpy(to, from, p->nplace * sizeof *to);
        p->seen[b] = p->dirty[b] = true;
        return;
    }
    for (u32 k = 0; k < p->nplace; k++) {
        if (to[k] == from[k] || (scalars_only && !place_is_scalar(p, k)))
            continue;
        const u32 common = set_common(&p->sets, to[k], from[k]);
        p->dirty[b] |= common != to[k];
        to[k] = common;
    }
}

/* The sides of the branch that ends block b, which its join may send the warp to. */
static void flow_join(Proof *p, u32 b)
{
    const Term *t = &p->before->block[b].term;
    if (t->kind != T_BRANCH || !t->divergent || !p->seen[t->rpc])
        return;
    for (int k = 0; k < 2; k++)
        if (p->seen[t->succ[k]])
            flow(p, top_of(p, t->rpc), t->succ[k], true);
}

static void visit(Proof *p, u32 b)
{
    const Term *t = &p->before->block[b].term;
    const int n = t->kind == T_JUMP ? 1 : t->kind == T_BRANCH ? 2 : 0;
    flow_join(p, b);
    if (!p->dirty[b])
        return;
    p->dirty[b] = false;
    p->block = b;
    memcpy(p->now, top_of(p, b), p->nplace * sizeof *p->now);
    run_block(p);
    for (int k = 0; k < n && !p->bad; k++)
        flow(p, p->now, t->succ[k], false);
}

static bool any_dirty(Proof *p)
{
    for (size_t i = 0; i < p->before->nrpo; i++)
        flow_join(p, p->before->rpo[i]);
    for (size_t i = 0; i < p->before->nrpo; i++)
        if (p->dirty[p->before->rpo[i]])
            return true;
    return false;
}

static void prove(Proof *p)
{
    for (u32 r = 0; r < NREG; r++)
        p->now[r] = set_with(&p->sets, 0, register_thing(p, r));
    flow(p, p->now, 0, false);
    while (!p->bad && any_dirty(p))
        for (size_t i = 0; i < p->before->nrpo && !p->bad; i++)
            visit(p, p->before->rpo[i]);
}

/* --- all of it ------------------------------------------------------------------------------------------ */

static bool same_graph(const Func *a, const Func *b)
{
    if (a->nblock != b->nblock || a->nvalue > b->nvalue)
        return false;
    for (size_t k = 0; k < a->nblock; k++) {
        const Term *s = &a->block[k].term, *t = &b->block[k].term;
        if (s->kind != t->kind || s->cmp != t->cmp || s->divergent != t->divergent ||
            s->succ[0] != t->succ[0] || s->succ[1] != t->succ[1] || s->rpc != t->rpc ||
            a->block[k].join != b->block[k].join || b->block[k].nphi)
            return false;
    }
    return true;
}

/* values that are written once, by a constant, are that constant wherever they are */
static void name_things(Proof *p, u32 *writes)
{
    const Func *f = p->before;
    for (int pass = 0; pass < 2; pass++)
        for (size_t b = 0; b < f->nrpo; b++) {
            const Block *k = &f->block[f->rpo[b]];
            for (size_t i = 0; i < k->nins; i++)
                if (pass == 0)
                    writes[k->ins[i].dst]++;
                else if (k->ins[i].dst && writes[k->ins[i].dst] == 1 && is_constant(&k->ins[i]))
                    p->thing[k->ins[i].dst] = constant_thing(p, &k->ins[i]);
        }
}

static bool proof_init(Proof *p)
{
    const size_t n = p->before->nvalue, blocks = p->before->nblock + 1;
    u32 *writes = mem_zalloc(n, sizeof *writes);
    p->nplace = NREG + p->after->spill_x + p->after->spill_v;
    p->thing = mem_zalloc(n, sizeof *p->thing);
    p->top = mem_zalloc(blocks, p->nplace * sizeof *p->top);
    p->now = mem_zalloc(p->nplace, sizeof *p->now);
    p->seen = mem_zalloc(blocks, 2);
    p->dirty = p->seen ? p->seen + blocks : NULL;
    const bool ok = writes && p->thing && p->top && p->now && p->seen;
    add_set(&p->sets, NULL, 0);
    for (u32 v = 0; ok && v < n; v++)
        p->thing[v] = v;
    if (ok)
        name_things(p, writes);
    mem_free(writes);
    return ok && !p->sets.failed;
}

bool verify(const Func *before, const Func *after, Buf *why)
{
    Proof p = {.before = before, .after = after, .why = why};
    if (!same_graph(before, after))
        refuse(&p, "the graphs differ");
    else if (proof_init(&p))
        prove(&p);
    else
        p.sets.failed = true;
    if (p.sets.failed)
        refuse(&p, "memory is out");
    sets_free(&p.sets);
    mem_free(p.thing);
    mem_free(p.constant);
    mem_free(p.top);
    mem_free(p.now);
    mem_free(p.seen);
    return !p.bad;
}

static void *copy_array(Module *m, const void *from, size_t size)
{
    void *to = ir_alloc(m, size + 1);
    return to && size ? memcpy(to, from, size) : to;
}

Func *verify_copy(const Func *f)
{
    Module *m = f->module;
    Func *to = copy_array(m, f, sizeof *f);
    if (!to)
        return NULL;
    to->value = copy_array(m, f->value, f->nvalue * sizeof *f->value);
    to->block = copy_array(m, f->block, f->nblock * sizeof *f->block);
    to->rpo = copy_array(m, f->rpo, f->nrpo * sizeof *f->rpo);
    to->capvalue = f->nvalue;
    to->capblock = f->nblock;
    for (size_t b = 0; to->block && b < f->nblock; b++) {
        Block *k = &to->block[b];
        k->ins = copy_array(m, k->ins, k->nins * sizeof *k->ins);
        k->capins = k->nins;
    }
    return m->failed ? NULL : to;
}
