/* verify.c -- proves that an allocation keeps the meaning of the program.
 *
 * It knows nothing of ranges, weights or spills.  It runs the programs before and after allocation
 * side by side, and keeps for each place (a register, a word of a frame) the set of things that it
 * holds: values, the original contents of physical registers, constants.  A block begins with what
 * all edges into it agree on.  Sets only shrink from round to round, so a thing that is missing
 * once stays missing.
 *
 * Instructions come in two kinds.  Soft ones only move contents.  In the program before, moves and
 * constants say that a value is now the same as another thing; in the program after, moves, loads
 * and stores of the frame, and constants copy sets from place to place.  All other instructions are
 * hard: both programs have the same ones in the same order, and each must find in its registers
 * what it reads.
 *
 * When one side of a divergent branch begins, the other may have run already.  So the edge to a
 * side carries no scalar place that is written in the other side, that is, in the blocks that can
 * be reached from its start without entering the join (doc/ir.md, "Scalars and divergence").
 */
#include "cc/proof.h"
#include "base/mem.h"
#include <string.h>

/* --- things and places ---------------------------------------------------------------------- */

static void refuse(Proof *p, const char *what)
{
    if (!p->bad && p->why && !p->sets.full)
        buf_printf(p->why, "%s: block %u, instruction %zu: %s\n", p->before->name, p->block, p->at,
                   what);
    p->bad = true;
}

/* The index of a scalar place among the scalar places, or UINT32_MAX. */
static u32 scalar_index(const Proof *p, u32 place)
{
    if (place < NXREG)
        return place;
    return place >= NREG && place < NREG + p->after->spill_x ? place - NREG + NXREG : UINT32_MAX;
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

static bool same_constant(const Ins *a, const Ins *b)
{
    return a->op == b->op && a->imm == b->imm && ref_same(a->a[0], b->a[0]) &&
           ref_same(a->a[1], b->a[1]) && ref_same(a->a[2], b->a[2]);
}

u32 proof_constant(Proof *p, const Ins *i)
{
    const u32 key[] = {i->op, (u32)i->imm, i->a[0].val, i->a[1].val};
    u32 *bucket = &p->bucket[hash_words(key, countof(key)) % countof(p->bucket)];
    u32 k = *bucket;
    while (k && !same_constant(&p->constant[k - 1], i))
        k = p->chain[k - 1];
    if (!k && array_grow(p->constant, p->nconstant, p->capconstant) &&
        array_grow(p->chain, p->nconstant, p->capchain)) {
        p->constant[p->nconstant] = *i;
        p->chain[p->nconstant++] = *bucket;
        k = *bucket = (u32)p->nconstant;
    }
    p->sets.failed |= !k;
    return (u32)p->before->nvalue + NREG + k;
}

static u32 register_thing(const Proof *p, u32 r) { return (u32)p->before->nvalue + r; }

const Ins *proof_constant_of(const Proof *p, u32 thing)
{
    const u32 first = (u32)p->before->nvalue + NREG + 1;
    return thing < first || thing - first >= p->nconstant ? NULL : &p->constant[thing - first];
}

u32 proof_thing(const Proof *p, Ref r)
{
    return r.kind == R_VAL ? p->thing[r.val] : r.kind == R_REG ? register_thing(p, r.val) : 0;
}

static Bank bank_of(const Proof *p, Ref r)
{
    if (r.kind == R_VAL)
        return (Bank)p->before->value[r.val].bank;
    return r.kind != R_REG ? BANK_NONE : reg_is_vector(r.val) ? BANK_V : BANK_X;
}

static Ref result_of(const Ins *i)
{
    return i->reg ? ref_reg(i->reg - 1) : i->dst ? ref_val(i->dst) : ref_none();
}

static bool is_plain_move(const Proof *p, const Ins *i)
{
    return i->op == IR_move && bank_of(p, i->a[0]) == bank_of(p, result_of(i));
}

/* --- the program before --------------------------------------------------------------- */

static void forget(Proof *p, u32 thing)
{
    for (u32 k = 0; k < p->nplace; k++)
        p->now[k] = set_without(&p->sets, p->now[k], thing);
    locate_forget(p, thing);
}

/* From here on `thing` is the same as `source`. */
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
        if (n->op == IR_note)
            locate_note(p, &p->before->note[n->imm]);
        else if (is_plain_move(p, n))
            equate(p, proof_thing(p, result_of(n)), proof_thing(p, n->a[0]));
        else if (is_constant(n))
            equate(p, proof_thing(p, result_of(n)), proof_constant(p, n));
        else
            break;
    }
    return i;
}

/* --- the program after ---------------------------------------------------------------- */

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

/* a scalar goes to or comes from the lanes of a vector */
static bool is_parking(const Ins *i) { return i->op == IR_park || i->op == IR_fetch; }
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

/* A lane that reads a scalar has come past the place where it was written.  So what was parked
 * there, in the lanes that were on, is in all lanes that are on where it is fetched. */
static void run_parking(Proof *p, const Ins *i)
{
    const Bank from = i->op == IR_park ? BANK_X : BANK_V;
    if (is_register(i->a[0], from))
        set_register(p, result_of(i), from == BANK_X ? BANK_V : BANK_X, p->now[i->a[0].val]);
    else
        refuse(p, "the wrong kind of register is parked");
}

static bool is_soft(const Proof *p, const Ins *i)
{
    return is_reload(i) || is_spill(i) || is_parking(i) || is_plain_move(p, i) || is_constant(i);
}

static size_t soft_after(Proof *p, const Block *b, size_t i)
{
    for (; i < b->nins && !p->bad; i++) {
        const Ins *n = &b->ins[i];
        if (!is_soft(p, n))
            break;
        p->at = i;
        locate_before(p, i);
        if (is_reload(n) || is_spill(n))
            run_frame(p, n);
        else if (is_parking(n))
            run_parking(p, n);
        else if (is_plain_move(p, n))
            set_register(p, result_of(n), bank_of(p, n->a[0]), p->now[n->a[0].val]);
        else
            set_register(p, result_of(n), bank_of(p, result_of(n)),
                         set_with(&p->sets, 0, proof_constant(p, n)));
    }
    return i;
}

/* --- both: hard instructions ---------------------------------------------------------- */

static void check_read(Proof *p, Ref before, Ref after)
{
    const Bank bank = bank_of(p, before);
    if (bank == BANK_NONE) {
        if (!ref_same(before, after))
            refuse(p, "another operand");
    } else if (!is_register(after, bank) || (before.kind == R_REG && before.val != after.val)) {
        refuse(p, "an operand in the wrong kind of register");
    } else if (!set_has(&p->sets, p->now[after.val], proof_thing(p, before))) {
        refuse(p, "an operand is not in the register that is read");
    }
}

static void check_pieces(Proof *p, u32 n)
{
    for (u32 k = 0; k < n && k < p->target->pieces; k++)
        if (!set_has(&p->sets, p->now[p->target->piece + k],
                     register_thing(p, p->target->piece + k)))
            refuse(p, "an argument or result is not in its register");
}

static bool is_clobbered(const Proof *p, u32 thing)
{
    const u32 n = (u32)p->before->nvalue;
    return thing >= n && thing < n + NREG && !reg_is_kept(thing - n);
}

/* Gives all registers that a call does not keep new contents, which no other place holds. */
static void run_call(Proof *p, const Ins *i)
{
    check_pieces(p, (u32)i->imm);
    for (u32 k = 0; k < p->nplace; k++)
        for (u32 j = p->sets.set[p->now[k]].n; j-- > 0;) {
            const u32 thing = p->sets.pool[p->sets.set[p->now[k]].first + j];
            if (is_clobbered(p, thing))
                p->now[k] = set_without(&p->sets, p->now[k], thing);
        }
    for (u32 r = 0; r < NREG; r++)
        if (!reg_is_kept(r)) {
            p->now[r] = set_with(&p->sets, 0, register_thing(p, r));
            locate_forget(p, register_thing(p, r));
        }
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
    forget(p, proof_thing(p, to));
    if (!p->bad)
        set_register(p, result_of(after), bank_of(p, to),
                     set_with(&p->sets, 0, proof_thing(p, to)));
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
    locate_begin(p);
    while (!p->bad) {
        j = soft_after(p, a, j);
        i = soft_before(p, b, i);
        p->at = j;
        if (i == b->nins || j == a->nins)
            break;
        locate_before(p, j);
        run_hard(p, &b->ins[i++], &a->ins[j++]);
    }
    if (!p->bad && (i < b->nins || j < a->nins))
        refuse(p, "an instruction too few or too many");
    for (int k = 0; k < 2 && !p->bad; k++)
        check_read(p, b->term.a[k], a->term.a[k]);
    if (!p->bad && b->term.kind == T_RET && !p->before->is_kernel)
        check_pieces(p, p->before->nresults);
    locate_end(p);
}

/* --- ways ----------------------------------------------------------------------------- */

static void set_bit(u64 *set, u32 n) { set[n / 64] |= (u64)1 << n % 64; }

static void note_writes(Proof *p, u32 b)
{
    const Block *k = &p->after->block[b];
    u64 *to = p->writes + b * p->words;
    for (size_t i = 0; i < k->nins; i++) {
        const Ins *n = &k->ins[i];
        if (n->reg && n->reg - 1 < NXREG)
            set_bit(to, n->reg - 1);
        if (n->op == IR_spillx && (u32)n->imm < p->after->spill_x)
            set_bit(to, NXREG + (u32)n->imm);
        for (u32 r = 0; n->op == IR_call && r < NXREG; r++)
            if (!reg_is_kept(r))
                set_bit(to, r);
    }
}

static void push(Proof *p, size_t *n, u32 b, u32 join)
{
    if (b == join || p->side[b] == p->nside)
        return;
    p->side[b] = p->nside;
    p->stack[(*n)++] = b;
}

/* Adds what the side from `start` to the join writes. */
static void add_side(Proof *p, u64 *to, u32 start, u32 join)
{
    size_t n = 0;
    p->nside++;
    push(p, &n, start, join);
    while (n) {
        const u32 b = p->stack[--n];
        const Term *t = &p->before->block[b].term;
        for (size_t i = 0; i < p->words; i++)
            to[i] |= p->writes[b * p->words + i];
        for (int k = 0; k < term_nsucc(t); k++)
            push(p, &n, t->succ[k], join);
    }
}

/* The state p->now reaches block b, without the scalar places in `lost`. */
static void flow(Proof *p, u32 b, const u64 *lost)
{
    u32 *to = p->top + (size_t)b * p->nplace;
    const bool first = !p->seen[b];
    for (u32 k = 0; k < p->nplace; k++) {
        const u32 s = scalar_index(p, k);
        const u32 from = s != UINT32_MAX && lost[s / 64] >> s % 64 & 1 ? 0 : p->now[k];
        const u32 common = first ? from : set_common(&p->sets, to[k], from);
        p->dirty[b] |= first || common != to[k];
        to[k] = common;
    }
    p->dirty[b] |= locate_flow(p, b, first);
    p->seen[b] = true;
}

static void enter(Proof *p, u32 b)
{
    p->block = b;
    memcpy(p->now, p->top + (size_t)b * p->nplace, p->nplace * sizeof *p->now);
    run_block(p);
}

static void visit(Proof *p, u32 b)
{
    const Term *t = &p->before->block[b].term;
    p->dirty[b] = false;
    enter(p, b);
    for (int k = 0; k < term_nsucc(t) && !p->bad; k++)
        flow(p, t->succ[k], p->lost + (2 * b + (u32)k) * p->words);
}

static void prove(Proof *p)
{
    const Func *f = p->before;
    /* 1. what the edges to the sides of divergent branches do not carry */
    for (size_t i = 0; i < f->nrpo; i++)
        note_writes(p, f->rpo[i]);
    for (size_t i = 0; i < f->nrpo; i++) {
        const u32 b = f->rpo[i];
        const Term *t = &f->block[b].term;
        for (int k = 0; t->kind == T_BRANCH && t->divergent && k < 2; k++)
            add_side(p, p->lost + (2 * b + (u32)k) * p->words, t->succ[!k], t->rpc);
    }
    /* 2. the entry, where each register holds itself */
    for (u32 r = 0; r < NREG; r++)
        p->now[r] = set_with(&p->sets, 0, register_thing(p, r));
    flow(p, 0, p->lost + 2 * f->nblock * p->words);
    /* 3. blocks whose state has changed, until none has */
    for (bool visited = true; visited && !p->bad;) {
        visited = false;
        for (size_t i = 0; i < f->nrpo && !p->bad; i++)
            if (p->dirty[f->rpo[i]]) {
                visit(p, f->rpo[i]);
                visited = true;
            }
    }
}

/* --- all of it ------------------------------------------------------------------------ */

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

/* The thing that instruction i writes: a constant, 0 if it is not known yet, or its own result. */
static u32 written_thing(Proof *p, const Ins *i)
{
    if (is_constant(i))
        return proof_constant(p, i);
    return is_plain_move(p, i) && i->a[0].kind == R_VAL ? p->thing[i->a[0].val] : i->dst;
}

/* Moves p->thing of each value from 0 to a constant, or to the value itself, as far as the writes
 * to it demand; returns whether anything changed. */
static bool narrow_things(Proof *p)
{
    const Func *f = p->before;
    bool changed = false;
    for (size_t b = 0; b < f->nrpo; b++) {
        const Block *k = &f->block[f->rpo[b]];
        for (size_t i = 0; i < k->nins; i++) {
            const u32 v = k->ins[i].dst, old = p->thing[v];
            if (!v || old == v)
                continue;
            const u32 new = written_thing(p, &k->ins[i]);
            if (!new || new == old)
                continue;
            p->thing[v] = !old && new >= f->nvalue ? new : v;
            changed = true;
        }
    }
    return changed;
}

static bool proof_init(Proof *p)
{
    const size_t n = p->before->nvalue, blocks = p->before->nblock + 1;
    p->nplace = NREG + p->after->spill_x + p->after->spill_v;
    p->thing = mem_zalloc(n, sizeof *p->thing);
    p->top = mem_zalloc(blocks, p->nplace * sizeof *p->top);
    p->now = mem_zalloc(p->nplace, sizeof *p->now);
    p->seen = mem_zalloc(blocks, 2);
    p->dirty = p->seen ? p->seen + blocks : NULL;
    p->words = (NXREG + p->after->spill_x) / 64 + 1;
    p->writes = mem_zalloc(blocks * p->words, 3 * sizeof *p->writes);
    p->lost = p->writes ? p->writes + blocks * p->words : NULL;
    p->stack = mem_zalloc(blocks, 2 * sizeof *p->stack);
    p->side = p->stack ? p->stack + blocks : NULL;
    const bool ok = p->thing && p->top && p->now && p->seen && p->writes && p->stack;
    sets_init(&p->sets);
    if (!ok || !locate_init(p))
        return false;
    /* a value that only one constant is ever written to is that constant wherever it is */
    while (narrow_things(p))
        ;
    for (u32 v = 1; v < n; v++)
        if (!p->thing[v])
            p->thing[v] = v;
    return !p->sets.failed;
}

/* Goes over all blocks again, now that what is known at their starts is final. */
static void write_notes(Proof *p, Func *to)
{
    locate_write(p, to);
    for (size_t i = 0; i < to->nrpo && !p->bad; i++)
        enter(p, to->rpo[i]);
}

/* to: the program after, if it is to get notes, or NULL */
static bool compare(const Func *before, const Func *after, Func *to, Buf *why)
{
    Proof p = {.before = before, .after = after, .target = before->module->target, .why = why};
    if (!same_graph(before, after))
        refuse(&p, "the graphs differ");
    else if (proof_init(&p))
        prove(&p);
    else
        p.sets.failed = true;
    if (to && p.locate && !p.bad && !p.sets.failed && !p.sets.full)
        write_notes(&p, to);
    after->module->failed |= p.sets.failed;
    p.bad &= !p.sets.full && !p.sets.failed;
    locate_free(&p);
    sets_free(&p.sets);
    mem_free(p.thing);
    mem_free(p.constant);
    mem_free(p.chain);
    mem_free(p.top);
    mem_free(p.now);
    mem_free(p.seen);
    mem_free(p.writes);
    mem_free(p.stack);
    return !p.bad;
}

bool verify(const Func *before, const Func *after, Buf *why)
{
    return compare(before, after, NULL, why);
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

/* The copy alone keeps the notes, so that they cannot change the allocation. */
void verify_remember(Func *f)
{
    f->before = verify_copy(f);
    for (size_t b = 0; b < f->nblock && f->nnote; b++) {
        Block *k = &f->block[b];
        size_t n = 0;
        for (size_t i = 0; i < k->nins; i++)
            if (k->ins[i].op != IR_note)
                k->ins[n++] = k->ins[i];
        k->nins = n;
    }
}

void verify_prove(Func *f)
{
    Buf why = {0};
    if (f->before && !compare(f->before, f, f, &why))
        ir_mistake(f->module, "the registers of %s are wrong: %.300s", f->name, buf_text(&why));
    buf_free(&why);
}
