/* init.c -- values that nobody wrote and that decide a branch, an address or an output.
 *
 * Each bit of memory and of each lane's registers has a shadow: 1, nobody wrote it.  Shadows move
 * with values, and operations compute with them; a copy is no mistake, nor is a sum that nobody
 * looks at.  A report is made where such a value decides a branch, is an address, or is stored into
 * global memory, except by a copy of an object, which may have padding.  Then it counts as written,
 * so that what follows from it is not told again.
 *
 * Private and local memory are new to each group; a page of them without a shadow of this group
 * has not been written.  Global memory was written, unless the driver says that a block is new and
 * nothing of the host's has come to it.  Registers are new to each warp.
 *
 * Nearly all registers are written wholly, and `bad` says so in a bit; the shadow of a register
 * that has no bit there is never looked at.
 */
#include "check/internal.h"
#include "base/mem.h"
#include <string.h>

enum { NV = 256, NX = 64 };
#define ALL UINT32_MAX

/* Where a value came from that nobody wrote. */
typedef struct {
    u32 pc;                 /* of the load; 0: the register itself */
    u64 addr;
} Origin;

/* The registers of a warp.  x registers follow v registers, and use lane 0. */
typedef struct {
    u64 bad[(NV + NX) / 64];    /* has bits that nobody wrote: in `shadow`, */
    u64 fresh[(NV + NX) / 64];  /* or all */
    u32 shadow[NV + NX][MAX_LANES];
    Origin origin[NV + NX];
} Registers;

/* Shadows of a page; a bit of memory is a bit here. */
typedef struct {
    u64 number;             /* address / PAGE_SIZE */
    u64 group;              /* of local and private memory: it is of this group, + 1 */
    _Alignas(8) u8 byte[PAGE_SIZE];
} ShadowPage;

struct Init {
    Registers *warp;        /* of the group */
    u32 nwarp;
    ShadowPage **page;      /* by a hash of the number */
    size_t npage, cappage;
    ShadowPage *last;
    u64 group;              /* counts groups, over all launches; from 1 */
    bool failed;
};

/* --- life ------------------------------------------------------------------------------------- */

Init *init_new(void) { return mem_zalloc(1, sizeof(Init)); }

void init_free(Init *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->cappage; i++)
        mem_free(t->page[i]);
    mem_free(t->page);
    mem_free(t->warp);
    mem_free(t);
}

void init_group(Init *t, const Group *g)
{
    if (g->nwarps > t->nwarp) {
        mem_free(t->warp);
        t->warp = mem_alloc(g->nwarps * sizeof *t->warp);
        t->nwarp = t->warp ? g->nwarps : 0;
        t->failed |= !t->warp;
    }
    t->group++;
    for (u32 k = 0; k < g->nwarps && !t->failed; k++) {
        Registers *r = &t->warp[k];
        memset(r->bad, 0xff, sizeof r->bad);
        memset(r->fresh, 0xff, sizeof r->fresh);
        r->bad[NV / 64] &= ~(u64)1; /* x0 */
        for (u32 i = 0; i < NV + NX; i++)
            r->origin[i].pc = 0;
    }
}

/* --- memory --------------------------------------------------------------------------------------- */

static size_t slot_of(ShadowPage *const *table, size_t cap, u64 number)
{
    size_t i = (size_t)(number * 0x9e3779b97f4a7c15u >> 20) & (cap - 1);
    while (table[i] && table[i]->number != number)
        i = (i + 1) & (cap - 1);
    return i;
}

static bool grow_table(Init *t)
{
    const size_t cap = t->cappage ? t->cappage * 2 : 1024;
    ShadowPage **more = mem_zalloc(cap, sizeof(ShadowPage *));
    if (!more)
        return false;
    for (size_t i = 0; i < t->cappage; i++)
        if (t->page[i])
            more[slot_of(more, cap, t->page[i]->number)] = t->page[i];
    mem_free(t->page);
    t->page = more;
    t->cappage = cap;
    return true;
}

/* The page, NULL if it has no shadow and makes is false. */
static ShadowPage *find_page(Init *t, u64 number, bool makes)
{
    if (t->last && t->last->number == number)
        return t->last;
    if (t->npage * 2 >= t->cappage && (!makes ? !t->cappage : !grow_table(t))) {
        t->failed |= makes;
        return NULL;
    }
    const size_t i = slot_of(t->page, t->cappage, number);
    if (!t->page[i] && makes) {
        if (!(t->page[i] = mem_zalloc(1, sizeof(ShadowPage)))) {
            t->failed = true;
            return NULL;
        }
        t->page[i]->number = number;
        t->npage++;
    }
    return t->page[i] ? (t->last = t->page[i]) : NULL;
}

/* The shadow of `size` bytes, at most 4, from addr on.  is_new: memory that each group finds
 * unwritten. */
static u32 load_shadow(Init *t, u64 addr, u32 size, bool is_new)
{
    u32 s = 0;
    for (u32 i = 0; i < size;) {
        const ShadowPage *p = find_page(t, (addr + i) >> PAGE_BITS, false);
        const u32 at = (addr + i) & (PAGE_SIZE - 1), n = PAGE_SIZE - at < size - i ? PAGE_SIZE - at : size - i;
        u32 part = 0;
        if (is_new && (!p || p->group != t->group))
            part = ALL;
        else if (p)
            memcpy(&part, p->byte + at, n);
        s |= (n < 4 ? part & ((1u << n * 8) - 1) : part) << i * 8;
        i += n;
    }
    return s;
}

static void store_shadow(Init *t, u64 addr, u32 size, u32 shadow, bool is_new)
{
    for (u32 i = 0; i < size;) {
        ShadowPage *p = find_page(t, (addr + i) >> PAGE_BITS, shadow || is_new);
        const u32 at = (addr + i) & (PAGE_SIZE - 1), n = PAGE_SIZE - at < size - i ? PAGE_SIZE - at : size - i;
        const u32 part = shadow >> i * 8;
        if (p && is_new && p->group != t->group) {
            memset(p->byte, 0xff, PAGE_SIZE);
            p->group = t->group;
        }
        if (p)
            memcpy(p->byte + at, &part, n);
        i += n;
    }
}

static void fill(Init *t, u64 addr, u64 size, u8 with)
{
    for (u64 n; size; addr += n, size -= n) {
        const u32 at = addr & (PAGE_SIZE - 1);
        ShadowPage *p = find_page(t, addr >> PAGE_BITS, with);
        n = PAGE_SIZE - at < size ? PAGE_SIZE - at : size;
        if (p)
            memset(p->byte + at, with, n);
    }
}

void init_allocated(Init *t, u64 addr, u64 size) { fill(t, addr, size, 0xff); }
void init_written(Init *t, u64 addr, u64 size) { fill(t, addr, size, 0); }

void init_copied(Init *t, u64 from, u64 to, u64 size)
{
    for (u64 i = 0; i < size; i += 4) {
        const u32 n = size - i < 4 ? (u32)(size - i) : 4;
        store_shadow(t, to + i, n, load_shadow(t, from + i, n, false), false);
    }
}

/* --- registers -------------------------------------------------------------------------------------- */

static u32 number_of(const IsaRegs *r, u32 k) { return (r->is_vector ? 0u : NV) + r->first + k; }
static bool is_bad(const Registers *r, u32 n) { return r->bad[n / 64] >> n % 64 & 1; }

static u32 shadow_of(const Registers *r, u32 n, u32 lane)
{
    if (!is_bad(r, n))
        return 0;
    return r->fresh[n / 64] >> n % 64 & 1 ? ALL : r->shadow[n][n < NV ? lane : 0];
}

/* The register is written, in these lanes, by bits of which `shadow` (by lane) says which nobody
 * wrote; NULL: none.  every: the lanes that the warp has. */
static void write_register(Registers *r, u32 n, u32 lanes, u32 every, const u32 *shadow)
{
    const u64 bit = (u64)1 << n % 64;
    if (n == NV)
        return;
    if (n >= NV) {
        const u32 s = shadow ? shadow[0] : 0;
        r->shadow[n][0] = s;
        r->fresh[n / 64] &= ~bit;
        r->bad[n / 64] = s ? r->bad[n / 64] | bit : r->bad[n / 64] & ~bit;
        return;
    }
    if (!shadow && (!is_bad(r, n) || !(every & ~lanes))) {
        r->bad[n / 64] &= ~bit;
        r->fresh[n / 64] &= ~bit;
        return;
    }
    if (!is_bad(r, n) || r->fresh[n / 64] & bit)
        memset(r->shadow[n], is_bad(r, n) ? 0xff : 0, sizeof r->shadow[n]);
    u32 any = 0;
    for (u32 i = 0; i < MAX_LANES; i++) {
        if (lanes >> i & 1)
            r->shadow[n][i] = shadow ? shadow[i] : 0;
        any |= every >> i & 1 ? r->shadow[n][i] : 0;
    }
    r->fresh[n / 64] &= ~bit;
    r->bad[n / 64] = any ? r->bad[n / 64] | bit : r->bad[n / 64] & ~bit;
}

/* --- reports ------------------------------------------------------------------------------------------- */

/* The value of register n, in a lane, decides what the sentence says; afterwards it counts as
 * written. */
static void report_init(Check *c, const Warp *w, u32 pc, u32 n, int lane, const char *what)
{
    Registers *r = &c->init->warp[w->id];
    const Origin o = r->origin[n];
    const Finding f = {CHECK_init, w, pc, o.pc, 0, lane};
    if (is_new(c, &f)) {
        Buf more = {0};
        if (o.pc) {
            dev_put_place(drv_device(c->driver), o.pc, "loaded", &more);
            buf_str(&more, "\n  from        ");
            put_whereabouts(c, o.addr, 1, &more);
        } else {
            buf_str(&more, "\n  from        a register");
        }
        report(c, &f, what, buf_text(&more));
        buf_free(&more);
    }
    write_register(r, n, ALL, ALL, NULL);
}

/* the first of these lanes in which the register has a bit that nobody wrote; -1: none has */
static int bad_lane(const Registers *r, u32 n, u32 lanes)
{
    if (n >= NV)
        return shadow_of(r, n, 0) && lanes ? __builtin_ctz(lanes) : -1;
    for (; lanes; lanes &= lanes - 1)
        if (shadow_of(r, n, (u32)__builtin_ctz(lanes)))
            return __builtin_ctz(lanes);
    return -1;
}

static bool decides(Check *c, const Warp *w, const Step *s, const IsaRegs *x, const char *what)
{
    Registers *r = &c->init->warp[w->id];
    for (u32 k = 0; k < x->count; k++) {
        const u32 n = number_of(x, k);
        const int lane = is_bad(r, n) ? bad_lane(r, n, s->exec) : -1;
        if (lane >= 0)
            report_init(c, w, step_pc(s), n, lane, what);
    }
    return true;
}

/* --- operations ------------------------------------------------------------------------------------------ */

/* A source of an operation. */
typedef struct {
    const IsaRegs *reg;     /* NULL: the immediate */
    bool has_value;         /* it can still be read: the result is in another register */
} Operand;

static u32 source_shadow(const Registers *r, const Operand *s, u32 lane)
{
    return s->reg ? shadow_of(r, number_of(s->reg, 0), lane) : 0;
}

static bool source_value(const Warp *w, const Step *st, const Operand *s, u32 lane, u32 *value)
{
    if (!s->reg)
        *value = (u32)st->facts->imm;
    else if (s->has_value)
        *value = s->reg->is_vector ? w->v[s->reg->first][lane] : w->x[s->reg->first];
    return !s->reg || s->has_value;
}

/* The lanes in which the instruction acts. */
static u32 acting(const Warp *w, const Step *s)
{
    u32 under = 0;
    if (!s->facts->masked)
        return s->exec;
    for (u32 i = 0; i < MAX_LANES; i++)
        under |= (w->v[0][i] & 1) << i;
    return s->exec & under;
}

/* The shadow of a result.  What is not known to leave bits alone spoils all of them. */
static u32 result_shadow(Op op, u32 sa, u32 sb, bool has_a, u32 a, bool has_b, u32 b)
{
    const u32 both = sa | sb;
    switch (op) {
    case OP_copy:
    case OP_fcopy: return sb;
    case OP_xor:
    case OP_xnor: return both;
    case OP_and:
    case OP_nand: return (sa & sb) | (sa & (has_b ? b : ALL)) | (sb & (has_a ? a : ALL));
    case OP_or:
    case OP_nor: return (sa & sb) | (sa & (has_b ? ~b : ALL)) | (sb & (has_a ? ~a : ALL));
    case OP_sll: return sb || !has_b ? ALL : sa << (b & 31);
    case OP_srl: return sb || !has_b ? ALL : sa >> (b & 31);
    case OP_sra: return sb || !has_b ? ALL : (u32)((i32)sa >> (b & 31));
    case OP_zext8: return sa & 0xff;
    case OP_zext16: return sa & 0xffff;
    case OP_fsgnj: return both;
    case OP_add:
    case OP_sub:
        if (!sb && has_b && !b)
            return sa;
        return both | (0u - (both & (0u - both))); /* from the lowest on */
    default: return both ? ALL : 0;
    }
}

static void compute(Check *c, const Warp *w, const Step *s, const IsaRegs *d)
{
    const IsaFacts *f = s->facts;
    Registers *r = &c->init->warp[w->id];
    Operand a = {NULL, true}, b = {NULL, true};
    u32 shadow[MAX_LANES], spoilt[MAX_LANES];
    Origin origin = {0, 0};
    memset(spoilt, 0, sizeof spoilt);
    /* 1. the sources; what is neither a nor b spoils the result */
    for (int i = 0; i < f->nregs; i++) {
        const IsaRegs *x = &f->reg[i];
        const bool one = x->count == 1 && d->count == 1;
        for (u32 k = 0; x->is_read && k < x->count; k++)
            if (is_bad(r, number_of(x, k)))
                origin = r->origin[number_of(x, k)];
        const bool kept = x->is_vector != d->is_vector || x->first != d->first;
        if (x->role == ROLE_A && one && d->is_vector >= x->is_vector)
            a = (Operand){x, kept};
        else if (x->role == ROLE_B && one && d->is_vector >= x->is_vector)
            b = (Operand){x, kept};
        else
            for (u32 k = 0; x->is_read && k < x->count; k++)
                for (u32 lane = 0; lane < MAX_LANES; lane++)
                    spoilt[lane] |= shadow_of(r, number_of(x, k), lane);
    }
    const u32 lanes = acting(w, s);
    if (!d->is_vector) { /* of lanes: all count, or the last one that acts */
        u32 any = 0;
        for (u32 left = lanes; left; left &= left - 1)
            any |= spoilt[__builtin_ctz(left)];
        spoilt[0] = isa_insn[s->id].effect == E_TOSCALAR && lanes ? spoilt[31 - __builtin_clz(lanes)]
                                                                 : any;
    }
    /* 2. by lane */
    const bool plain = !f->abs && !f->neg && !f->pair;
    for (u32 i = 0; i < MAX_LANES; i++) {
        u32 va = 0, vb = 0;
        const bool has_a = source_value(w, s, &a, i, &va), has_b = source_value(w, s, &b, i, &vb);
        const u32 sa = source_shadow(r, &a, i), sb = source_shadow(r, &b, i);
        shadow[i] = spoilt[i] ? ALL
                    : plain   ? result_shadow((Op)isa_insn[s->id].op, sa, sb, has_a, va, has_b, vb)
                              : (sa | sb ? ALL : 0);
    }
    for (u32 k = 0; k < d->count; k++) {
        write_register(r, number_of(d, k), lanes, w->initial, shadow);
        r->origin[number_of(d, k)] = origin;
    }
}

/* vs1, rs1 or the immediate where v0 has bit 0, else vs2 */
static void merge(Check *c, const Warp *w, const Step *s, const IsaRegs *d)
{
    Registers *r = &c->init->warp[w->id];
    const IsaRegs *a = NULL, *b = NULL;
    u32 shadow[MAX_LANES];
    Origin origin = {0, 0};
    for (int i = 0; i < s->facts->nregs; i++) {
        const IsaRegs *x = &s->facts->reg[i];
        a = x->role == ROLE_A ? x : a;
        b = x->role == ROLE_B ? x : b;
        if (x->is_read && is_bad(r, number_of(x, 0)))
            origin = r->origin[number_of(x, 0)];
    }
    for (u32 i = 0; i < MAX_LANES; i++) {
        const u32 sa = a ? shadow_of(r, number_of(a, 0), i) : 0,
                  sb = b ? shadow_of(r, number_of(b, 0), i) : 0;
        const bool known = d->first != 0 && !(shadow_of(r, 0, i) & 1);
        shadow[i] = !known ? (shadow_of(r, 0, i) & 1 ? ALL : sa | sb) : w->v[0][i] & 1 ? sb : sa;
    }
    write_register(r, number_of(d, 0), s->exec, w->initial, shadow);
    r->origin[number_of(d, 0)] = origin;
}

/* --- memory instructions ----------------------------------------------------------------------------------- */

static bool is_new_memory(const Check *c, const Warp *w, const Step *s, u64 addr)
{
    const Launch *l = w->group->launch;
    return s->facts->space == SPACE_GROUP || s->facts->space == SPACE_PRIVATE ||
           addr - LDS_LO < LDS_END - LDS_LO ||
           (addr >= l->pds && addr < l->pds + c->scene->launch->pds_size);
}

static void load(Check *c, const Warp *w, const Step *s, const IsaRegs *d)
{
    Init *t = c->init;
    Registers *r = &t->warp[w->id];
    u32 shadow[MAX_LANES] = {0}, any = 0;
    u64 addr = 0;
    for (size_t i = 0; i < s->ntouched; i++) {
        const Touch *x = &s->touched[i];
        const u32 size = x->size < 4 ? x->size : 4;
        u32 got = load_shadow(t, x->addr, size, is_new_memory(c, w, s, x->addr));
        if (s->facts->sgn && size < 4 && got >> (size * 8 - 1) & 1)
            got |= ALL << size * 8;
        shadow[x->lane < 0 ? 0 : x->lane] |= got;
        if (got && !any)
            addr = x->addr;
        any |= got;
    }
    for (u32 k = 0; k < d->count; k++) {
        write_register(r, number_of(d, k), s->exec, w->initial, any ? shadow : NULL);
        r->origin[number_of(d, k)] = (Origin){step_pc(s), addr};
    }
}

static void store(Check *c, const Warp *w, const Step *s, const IsaRegs *v)
{
    Init *t = c->init;
    Registers *r = &t->warp[w->id];
    const bool bad = v && is_bad(r, number_of(v, 0));
    Place chain[CALLS_SEEN];
    for (size_t i = 0; i < s->ntouched; i++) {
        const Touch *x = &s->touched[i];
        const bool is_new_one = is_new_memory(c, w, s, x->addr);
        const u32 size = x->size < 4 ? x->size : 4, lane = x->lane < 0 ? 0 : (u32)x->lane;
        u32 shadow = bad ? shadow_of(r, number_of(v, 0), lane) : 0;
        if (size < 4)
            shadow &= (1u << size * 8) - 1;
        if (shadow && !is_new_one &&
            !(places(c, step_pc(s), chain) && chain[0].is_copy)) {
            report_init(c, w, step_pc(s), number_of(v, 0), x->lane,
                        "store of a value that nobody wrote, into global memory");
            store(c, w, s, v);
            return;
        }
        if (x->size <= 4)
            store_shadow(t, x->addr, size, shadow, is_new_one);
        for (u32 at = 0; x->size > 4 && at < x->size; at += 4)
            store_shadow(t, x->addr + at, x->size - at < 4 ? x->size - at : 4, 0, is_new_one);
    }
}

/* --- one instruction ------------------------------------------------------------------------------------------ */

static bool any_source_is_bad(const Registers *r, const IsaFacts *f)
{
    for (int i = 0; i < f->nregs; i++)
        for (u32 k = 0; f->reg[i].is_read && k < f->reg[i].count; k++)
            if (is_bad(r, number_of(&f->reg[i], k)))
                return true;
    return false;
}

void init_step(Check *c, const Event *e)
{
    const Step *s = e->step;
    const IsaFacts *f = s->facts;
    const Warp *w = e->warp;
    Registers *r = &c->init->warp[w->id];
    const IsaRegs *d = NULL, *value = NULL;
    if (c->init->failed)
        return;
    const bool bad = any_source_is_bad(r, f);
    for (int i = 0; i < f->nregs; i++) {
        const IsaRegs *x = &f->reg[i];
        d = x->is_written && !d ? x : d;
        value = x->role == ROLE_VALUE ? x : value;
        /* 1. what it decides */
        if (!bad)
            continue;
        if (f->control == CONTROL_BRANCH || f->control == CONTROL_SPLIT)
            decides(c, w, s, x, "branch on a value that nobody wrote");
        else if (x->role == ROLE_ADDRESS || x->role == ROLE_INDEX || x->role == ROLE_STRIDE)
            decides(c, w, s, x, f->control == CONTROL_JUMP_REG
                                    ? "jump to an address that nobody wrote"
                                    : "access at an address that nobody wrote");
    }
    /* 2. what it writes */
    if (f->access == ACCESS_STORE)
        store(c, w, s, value);
    else if (f->access != ACCESS_NONE && d && s->ntouched)
        load(c, w, s, d);
    else if (d && !bad)
        for (u32 k = 0; k < d->count; k++)
            write_register(r, number_of(d, k), acting(w, s), w->initial, NULL);
    else if (d && isa_insn[s->id].effect == E_MERGE)
        merge(c, w, s, d);
    else if (d)
        compute(c, w, s, d);
    /* an exchange leaves what it brings; of other atomics the word is as little written as before */
    if (f->access == ACCESS_ATOMIC &&
        (isa_insn[s->id].op == OP_copy || f->reads & STATE_RESERVED))
        store(c, w, s, value);
}
