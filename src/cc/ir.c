/* ir.c -- memory, builders and facts of the intermediate representation.
 *
 * A module's memory is a list of chunks.  Arrays grow by doubling into a new piece of
 * the arena; the old piece stays until the module goes, which costs at most as much
 * again as the arrays themselves.
 */
#include "cc/ir.h"
#include "base/mem.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK = 1 << 16, FIRST_ELEMENTS = 8 };

struct ArenaChunk {
    ArenaChunk *older;
    size_t used, size;
    max_align_t data[];
};

/* --- memory ---------------------------------------------------------------------- */

static ArenaChunk *new_chunk(ArenaChunk *older, size_t least)
{
    const size_t size = least > CHUNK ? least : CHUNK;
    ArenaChunk *c = mem_alloc(sizeof *c + size);
    if (c)
        *c = (ArenaChunk){.older = older, .size = size};
    return c;
}

void *ir_alloc(Module *m, size_t size)
{
    size = (size_t)align_up(size, _Alignof(max_align_t));
    if (m->arena->size - m->arena->used < size) {
        ArenaChunk *c = new_chunk(m->arena, size);
        if (!c) {
            m->failed = true;
            return NULL;
        }
        m->arena = c;
    }
    void *p = (u8 *)m->arena->data + m->arena->used;
    m->arena->used += size;
    return memset(p, 0, size);
}

char *ir_strdup(Module *m, const char *s)
{
    const size_t size = strlen(s) + 1;
    char *copy = ir_alloc(m, size);
    return copy ? memcpy(copy, s, size) : NULL;
}

void ir_mistake(Module *m, const char *fmt, ...)
{
    enum { MOST = 500 };
    char *text = m->mistake ? NULL : ir_alloc(m, MOST);
    va_list args;
    va_start(args, fmt);
    if (text)
        vsnprintf(text, MOST, fmt, args);
    va_end(args);
    if (text)
        m->mistake = text;
    m->failed = true;
}

bool ir_grow_(Module *m, void **a, size_t *cap, size_t size)
{
    const size_t more = *cap ? *cap * 2 : FIRST_ELEMENTS;
    void *bigger = ir_alloc(m, more * size);
    if (!bigger)
        return false;
    if (*cap)
        memcpy(bigger, *a, *cap * size);
    *a = bigger;
    *cap = more;
    return true;
}

Module *ir_module(const char *name, const Target *target)
{
    Module start = {.arena = new_chunk(NULL, 0)};
    if (!start.arena)
        return NULL;
    Module *m = ir_alloc(&start, sizeof *m);
    m->arena = start.arena;
    m->target = target;
    m->name = ir_strdup(m, name);
    if (ir_grow(m, m->loc, 0, m->caploc))
        m->nloc = 1;
    return m;
}

void ir_free(Module *m)
{
    for (ArenaChunk *c = m ? m->arena : NULL, *older; c; c = older) {
        older = c->older;
        mem_free(c);
    }
}

/* --- the module -------------------------------------------------------------------- */

static u32 hash_name(const char *name)
{
    u32 h = 2166136261u;
    while (*name)
        h = (h ^ (u8)*name++) * 16777619u;
    return h ^ h >> 15;
}

/* where `name` is in the table, or may be put */
static u32 *find_name(const Module *m, const char *name)
{
    size_t at = hash_name(name) & (m->nby_name - 1);
    while (m->by_name[at] && strcmp(m->sym[m->by_name[at] - 1].name, name))
        at = (at + 1) & (m->nby_name - 1);
    return &m->by_name[at];
}

static bool grow_names(Module *m)
{
    const size_t n = m->nby_name ? 2 * m->nby_name : 64;
    u32 *table = ir_alloc(m, n * sizeof *table);
    if (!table)
        return false;
    m->by_name = table;
    m->nby_name = n;
    for (u32 k = 0; k < m->nsym; k++)
        *find_name(m, m->sym[k].name) = k + 1;
    return true;
}

u32 ir_sym(Module *m, const char *name, SymKind kind)
{
    if (2 * m->nsym >= m->nby_name && !grow_names(m))
        return 0;
    u32 *at = find_name(m, name);
    if (*at) {
        Sym *s = &m->sym[*at - 1];
        s->kind = s->kind == SYM_EXTERN ? (u8)kind : s->kind;
        return *at - 1;
    }
    char *copy = ir_strdup(m, name);
    if (!copy || !ir_grow(m, m->sym, m->nsym, m->capsym))
        return 0;
    m->sym[m->nsym++] = (Sym){.name = copy, .kind = (u8)kind};
    *at = (u32)m->nsym;
    return *at - 1;
}

Data *ir_data(Module *m, const char *name, u32 size, u32 align, bool writable)
{
    const u32 symbol = ir_sym(m, name, SYM_DATA);
    if (m->failed || !ir_grow(m, m->data, m->ndata, m->capdata))
        return NULL;
    m->sym[symbol].index = (u32)m->ndata;
    Data *d = &m->data[m->ndata++];
    *d = (Data){.symbol = symbol, .size = size, .align = align, .writable = writable};
    return d;
}

void ir_reloc(Module *m, Data *d, u32 offset, u32 symbol, i32 addend)
{
    if (ir_grow(m, d->reloc, d->nreloc, d->capreloc))
        d->reloc[d->nreloc++] = (DataReloc){offset, symbol, addend};
}

u32 ir_loc(Module *m, Loc new)
{
    if (m->nloc > 1 && !memcmp(&m->loc[m->nloc - 1], &new, sizeof new))
        return (u32)m->nloc - 1;
    if (!ir_grow(m, m->loc, m->nloc, m->caploc))
        return 0;
    m->loc[m->nloc] = new;
    return (u32)m->nloc++;
}

u32 ir_scope(Module *m, SourceScope s)
{
    s.function = s.function ? ir_strdup(m, s.function) : NULL;
    if (m->failed || !ir_grow(m, m->scope, m->nscope, m->capscope))
        return 0;
    m->scope[m->nscope] = s;
    return (u32)++m->nscope;
}

u32 ir_note(Func *f, Note n)
{
    if (!ir_grow(f->module, f->note, f->nnote, f->capnote))
        return 0;
    f->note[f->nnote] = n;
    return (u32)f->nnote++;
}

u32 ir_file(Module *m, const char *name)
{
    for (size_t i = 0; i < m->nfile; i++)
        if (!strcmp(m->file[i], name))
            return (u32)i;
    char *copy = ir_strdup(m, name);
    if (!copy || !ir_grow(m, m->file, m->nfile, m->capfile))
        return 0;
    m->file[m->nfile] = copy;
    return (u32)m->nfile++;
}

/* --- functions ------------------------------------------------------------------------ */

Func *ir_func(Module *m, const char *name, bool is_kernel)
{
    const u32 symbol = ir_sym(m, name, SYM_FUNC);
    Func *f = ir_alloc(m, sizeof *f);
    if (m->failed || !ir_grow(m, m->func, m->nfunc, m->capfunc))
        return NULL;
    *f = (Func){.module = m,
                .name = m->sym[symbol].name,
                .symbol = symbol,
                .is_kernel = is_kernel,
                .scalar_room = WARP_STACK};
    if (ir_grow(m, f->value, 0, f->capvalue))
        f->nvalue = 1; /* value 0 does not exist */
    m->sym[symbol].index = (u32)m->nfunc;
    m->func[m->nfunc++] = f;
    return f;
}

u32 ir_block(Func *f)
{
    if (!ir_grow(f->module, f->block, f->nblock, f->capblock))
        return 0;
    f->block[f->nblock] = (Block){.idom = UINT32_MAX, .ipdom = UINT32_MAX, .loop = UINT32_MAX};
    return (u32)f->nblock++;
}

u32 ir_value_in(Func *f, Bank bank)
{
    if (!ir_grow(f->module, f->value, f->nvalue, f->capvalue))
        return 0;
    f->value[f->nvalue] = (Value){.bank = (u8)bank};
    return (u32)f->nvalue++;
}

u32 ir_value(Func *f) { return ir_value_in(f, BANK_NONE); }

u32 ir_slot(Func *f, u32 size, u32 align)
{
    if (!ir_grow(f->module, f->slot, f->nslot, f->capslot))
        return 0;
    f->slot[f->nslot] = (Slot){.size = size, .align = align};
    return (u32)f->nslot++;
}

void ir_insert(Func *f, u32 b, size_t at, const Ins *i)
{
    const Ins copy = *i;
    Block *k = &f->block[b];
    if (!ir_grow(f->module, k->ins, k->nins, k->capins))
        return;
    memmove(&k->ins[at + 1], &k->ins[at], (k->nins - at) * sizeof *k->ins);
    k->ins[at] = copy;
    k->nins++;
}

void ir_append(Func *f, u32 b, const Ins *i) { ir_insert(f, b, f->block[b].nins, i); }

Phi *ir_phi(Func *f, u32 b, u32 dst)
{
    Block *k = &f->block[b];
    Ref *arg = ir_alloc(f->module, (k->npred + 1) * sizeof *arg);
    if (!arg || !ir_grow(f->module, k->phi, k->nphi, k->capphi))
        return NULL;
    k->phi[k->nphi] = (Phi){.dst = dst, .arg = arg};
    return &k->phi[k->nphi++];
}

u32 ir_op(Func *f, u32 b, IrOp op, Ref x, Ref y, Ref z, u32 loc)
{
    const Ins i = {.op = (u16)op, .dst = ir_value(f), .loc = loc, .a = {x, y, z}};
    ir_append(f, b, &i);
    return i.dst;
}

void ir_jump(Func *f, u32 b, u32 to)
{
    f->block[b].term = (Term){.kind = T_JUMP, .succ = {to, to}};
}

void ir_branch(Func *f, u32 b, Cmp cmp, Ref x, Ref y, u32 then, u32 otherwise, u32 loc)
{
    f->block[b].term = (Term){
        .kind = T_BRANCH, .cmp = (u8)cmp, .succ = {then, otherwise}, .loc = loc, .a = {x, y}};
}

void ir_ret(Func *f, u32 b)
{
    f->block[b].term = (Term){.kind = T_RET};
    f->exit = b;
}

/* --- facts ------------------------------------------------------------------------------- */

const IrInfo ir_info[NIR] = {
#define IR(name, operands, result, pure, effect, stages, op)                                       \
    [IR_##name] = {#name, operands, result, pure, effect, IR_##stages, OP_##op},
#include "cc/ir.def"
};

/* OperandId of the row's result, or -1 */
static int destination(InsnId id)
{
    bool accumulates;
    const int i = isa_result(id, &accumulates);
    return i < 0 ? -1 : isa_format_of(id)->opd[i];
}

static Bank bank_of(int o)
{
    switch (o < 0 ? K_IMM : isa_operand[o].kind) {
    case K_XREG:
    case K_XRAW: return BANK_X;
    case K_VREG: return BANK_V;
    default: return BANK_NONE;
    }
}

int ins_nargs(const Ins *i)
{
    u8 list[MAXOPD];
    return ins_is_machine(i) ? isa_sources(ins_row(i), list) : ir_info[i->op].nargs;
}

bool ins_has_dst(const Ins *i)
{
    return ins_is_machine(i) ? destination(ins_row(i)) >= 0 : ir_info[i->op].has_dst;
}

bool ins_is_load(const Ins *i)
{
    if (!ins_is_machine(i))
        return i->op == IR_load;
    return isa_effect_of(ins_row(i))->access == ACCESS_LOAD;
}

bool ins_is_store(const Ins *i)
{
    if (!ins_is_machine(i))
        return i->op == IR_store;
    return isa_effect_of(ins_row(i))->access == ACCESS_STORE;
}

bool ir_commutes(IrOp op) { return op == IR_fma || isa_op[ir_info[op].eval].facts & OF_COMMUTES; }

bool ir_compares(u32 op)
{
    return op < NIR && (isa_op[ir_info[op].eval].facts & (OF_WORD | OF_FROM_FLOAT)) == OF_WORD;
}

bool ir_shifts(IrOp op) { return isa_op[ir_info[op].eval].facts & OF_AMOUNT; }

bool ins_is_pure(const Ins *i)
{
    if (!ins_is_machine(i))
        return ir_info[i->op].is_pure;
    const EffectInfo *e = isa_effect_of(ins_row(i));
    if (i->op == IR_MACHINE + I_csrrs) /* only reads if it sets what x0 has */
        return i->a[1].kind == R_REG && i->a[1].val == 0;
    /* float flags and rounding modes are none of a program's business */
    return e->access == ACCESS_NONE && e->control == CONTROL_NEXT && ins_has_dst(i) &&
           !((e->reads | e->writes) & ~(STATE_FRM | STATE_FFLAGS)) &&
           !(isa_op_of(ins_row(i))->facts & (OF_SATURATES | OF_VXRM));
}

bool ins_has_effect(const Ins *i)
{
    if (ins_is_load(i))
        return i->is_volatile;
    return ins_is_machine(i) ? !ins_is_pure(i) : ir_info[i->op].has_effect;
}

int ins_tied(const Ins *i)
{
    if (!ins_is_machine(i))
        return i->op == IR_cmov ? 2 : -1;
    u8 list[MAXOPD];
    bool accumulates;
    isa_result(ins_row(i), &accumulates);
    return accumulates ? isa_sources(ins_row(i), list) - 1 : -1;
}

OperandId ins_arg_operand(const Ins *i, int k)
{
    u8 list[MAXOPD];
    return k < isa_sources(ins_row(i), list) ? (OperandId)isa_format_of(ins_row(i))->opd[list[k]]
                                             : O_none;
}

Bank ins_arg_bank(const Ins *i, int k)
{
    const OperandId o = ins_arg_operand(i, k);
    return o == O_none ? BANK_NONE : bank_of((int)o);
}

Bank ins_dst_bank(const Ins *i) { return bank_of(destination(ins_row(i))); }
