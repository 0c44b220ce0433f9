/* ir_print.c -- functions and modules as text (doc/ir.md, "Text form").  Everything that
 * is printed is read back by ir_parse.c. */
#include "cc/irtext.h"
#include <inttypes.h>
#include <string.h>

enum { SMALL = 65536, BYTES_A_GROUP = 4, GROUPS_A_LINE = 8 };

const char *const irtext_cmp[6] = {"eq", "ne", "lt", "ge", "ltu", "geu"};
const char *const irtext_space[5] = {"flat", "global", "const", "local", "private"};
const char *const irtext_width[5] = {[1] = "byte", [2] = "half", [4] = "word"};

bool irtext_shares_name(const char *mnemonic)
{
    for (int op = 0; op < NIR; op++)
        if (!strcmp(ir_info[op].name, mnemonic))
            return true;
    return false;
}

bool irtext_is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$';
}

bool irtext_has_address(const Ins *i)
{
    return i->op == IR_load || i->op == IR_store || i->op == IR_atomic || i->op == IR_lr ||
           i->op == IR_sc;
}

/* --- words ------------------------------------------------------------------------------ */

static void quote(Buf *out, const char *s)
{
    buf_str(out, "\"");
    for (; *s; s++) {
        const u8 c = (u8)*s;
        if (c < ' ' || c > '~' || c == '"' || c == '\\')
            buf_printf(out, "\\%02x", c);
        else
            buf_put(out, &c, 1);
    }
    buf_str(out, "\"");
}

static void symbol(Buf *out, const Module *m, u32 index)
{
    const char *name = index < m->nsym ? m->sym[index].name : "?";
    size_t n = 0;
    while (irtext_is_name(name[n]))
        n++;
    buf_str(out, "@");
    if (n && !name[n])
        buf_str(out, name);
    else
        quote(out, name);
}

static void number(Buf *out, u32 v)
{
    if (v + SMALL < 2 * SMALL)
        buf_printf(out, "%" PRId32, (i32)v);
    else
        buf_printf(out, "0x%08" PRIx32, v);
}

static void offset(Buf *out, i32 off)
{
    if (off)
        buf_printf(out, "%+" PRId32, off);
}

static void reg(Buf *out, u32 r)
{
    if (r < NXREG)
        buf_printf(out, "x%" PRIu32, r);
    else
        buf_printf(out, "v%" PRIu32, r - V0);
}

static void ref(Buf *out, const Module *m, Ref r)
{
    switch ((RefKind)r.kind) {
    case R_NONE: buf_str(out, "-"); break;
    case R_VAL: buf_printf(out, "%%%" PRIu32, r.val); break;
    case R_CON: number(out, r.val); break;
    case R_SYM: symbol(out, m, r.val); break;
    case R_SLOT: buf_printf(out, "$%" PRIu32, r.val); break;
    case R_BLK: buf_printf(out, "b%" PRIu32, r.val); break;
    case R_REG: reg(out, r.val); break;
    }
    if (r.kind == R_SYM || r.kind == R_SLOT)
        offset(out, r.off);
}

static void location(Buf *out, const Module *m, u32 loc)
{
    if (loc && loc < m->nloc)
        buf_printf(out, " !%" PRIu32 ":%" PRIu32 ":%" PRIu32, m->loc[loc].file, m->loc[loc].line,
                   m->loc[loc].column);
    buf_str(out, "\n");
}

/* --- instructions ----------------------------------------------------------------------- */

static void destination(Buf *out, const Func *f, u32 dst)
{
    const Value *v = dst < f->nvalue ? &f->value[dst] : &(Value){0};
    buf_printf(out, "%%%" PRIu32, dst);
    if (v->bank != BANK_NONE)
        buf_str(out, v->bank == BANK_X ? ":x" : ":v");
    if (v->name) {
        buf_str(out, " ");
        quote(out, v->name);
    }
    buf_str(out, " = ");
}

static void mnemonic(Buf *out, const Ins *i)
{
    if (!ins_is_machine(i)) {
        buf_str(out, i->op < NIR ? ir_info[i->op].name : "?");
        return;
    }
    const char *text = isa_insn[ins_row(i)].text;
    buf_printf(out, "%s%s", irtext_shares_name(text) ? "x." : "", text);
}

static void attributes(Buf *out, const Ins *i)
{
    if (i->op == IR_atomic && i->imm >= 0 && i->imm < NOP)
        buf_printf(out, " %s", isa_op_name[i->imm]);
    if (i->width)
        buf_printf(out, " %s",
                   i->width < 5 && irtext_width[i->width] ? irtext_width[i->width] : "?");
    if (i->width || i->space)
        buf_printf(out, " %s", i->space < 5 ? irtext_space[i->space] : "?");
    if (i->sext)
        buf_str(out, " signed");
    if (i->is_volatile)
        buf_str(out, " volatile");
    if (i->uniform)
        buf_str(out, " uniform");
}

static void address(Buf *out, const Func *f, const Ins *i, Ref r)
{
    buf_str(out, "[");
    ref(out, f->module, r);
    if (i->imm && i->op != IR_atomic)
        buf_printf(out, " %c %" PRId64, i->imm < 0 ? '-' : '+',
                   i->imm < 0 ? -(i64)i->imm : (i64)i->imm);
    buf_str(out, "]");
}

/* how many operands are printed: those of the operation, and any that should not be there */
static int operands_written(const Ins *i)
{
    int n = ins_nargs(i);
    for (int k = n; k < 3; k++)
        if (i->a[k].kind != R_NONE)
            n = k + 1;
    return n < 3 ? n : 3;
}

/* Notes are for readers only: a comment. */
static void put_note(Buf *out, const Func *f, const Note *n)
{
    const SourcePart *p = &f->part[n->part];
    buf_printf(out, "    ; %s", f->variable[p->variable].name);
    if (p->at)
        buf_printf(out, "+%" PRIu32, p->at);
    buf_str(out, n->kind == NOTE_IS            ? " is "
                 : n->kind == NOTE_ARGUMENT    ? " is the argument at "
                 : n->kind == NOTE_SCALAR_WORD ? " is the scalar word "
                                               : " is the private word ");
    if (n->kind == NOTE_IS)
        ref(out, f->module, n->is);
    else
        number(out, n->is.val);
    const bool is_known = n->kind != NOTE_IS || n->is.kind != R_NONE;
    offset(out, is_known ? n->plus : 0);
    if (n->bits && is_known)
        buf_printf(out, ", %u bits%s", n->bits, n->is_signed ? " with sign" : "");
    buf_str(out, "\n");
}

static void instruction(Buf *out, const Func *f, const Ins *i)
{
    if (i->op == IR_note && (u32)i->imm < f->nnote) {
        put_note(out, f, &f->note[i->imm]);
        return;
    }
    const bool has_address = irtext_has_address(i);
    const int n = operands_written(i);
    buf_str(out, "    ");
    if (i->reg) {
        reg(out, i->reg - 1);
        buf_str(out, " = ");
    } else if (i->dst) {
        destination(out, f, i->dst);
    }
    mnemonic(out, i);
    attributes(out, i);
    for (int k = 0; k < n; k++) {
        buf_str(out, k ? ", " : " ");
        if (has_address && k == n - 1)
            address(out, f, i, i->a[k]);
        else
            ref(out, f->module, i->a[k]);
    }
    if (i->imm && !has_address)
        buf_printf(out, i->op == IR_csr ? " #0x%" PRIx32 : " #%" PRId32, (u32)i->imm);
    location(out, f->module, i->loc);
}

static void phi(Buf *out, const Func *f, const Block *b, const Phi *p)
{
    buf_str(out, "    ");
    destination(out, f, p->dst);
    buf_str(out, "phi");
    for (size_t k = 0; k < b->npred; k++) {
        buf_printf(out, "%s b%" PRIu32 " ", k ? "," : "", b->pred[k]);
        ref(out, f->module, p->arg[k]);
    }
    location(out, f->module, p->loc);
}

static void branch(Buf *out, const Func *f, const Term *t)
{
    buf_printf(out, "    %s %s ", t->divergent ? "vbr" : "br",
               t->cmp < 6 ? irtext_cmp[t->cmp] : "?");
    ref(out, f->module, t->a[0]);
    buf_str(out, ", ");
    ref(out, f->module, t->a[1]);
    buf_printf(out, " -> b%" PRIu32 ", b%" PRIu32, t->succ[0], t->succ[1]);
    if (t->divergent)
        buf_printf(out, " join b%" PRIu32, t->rpc);
}

static void terminator(Buf *out, const Func *f, const Term *t)
{
    switch ((TermKind)t->kind) {
    case T_NONE: return;
    case T_JUMP: buf_printf(out, "    jump b%" PRIu32, t->succ[0]); break;
    case T_BRANCH: branch(out, f, t); break;
    case T_RET: buf_str(out, "    ret"); break;
    }
    location(out, f->module, t->loc);
}

/* --- functions and modules -------------------------------------------------------------- */

static void block(Buf *out, const Func *f, u32 index)
{
    const Block *b = &f->block[index];
    if (index && b->term.kind == T_NONE && !b->nins && !b->nphi && !b->join && !b->nother)
        return;
    buf_printf(out, "b%" PRIu32 ":%s", index, b->join ? " join" : "");
    for (size_t k = 0; k < b->nother; k++)
        buf_printf(out, "%s b%" PRIu32, k ? "" : " other", b->other[k]);
    buf_str(out, "\n");
    for (size_t k = 0; k < b->nphi; k++)
        phi(out, f, b, &b->phi[k]);
    for (size_t k = 0; k < b->nins; k++)
        instruction(out, f, &b->ins[k]);
    terminator(out, f, &b->term);
}

static void attribute(Buf *out, const char *name, u32 v)
{
    if (v)
        buf_printf(out, " %s %" PRIu32, name, v);
}

void ir_print(Buf *out, const Func *f)
{
    const Module *m = f->module;
    buf_str(out, f->is_kernel ? "kernel " : "func ");
    symbol(out, m, f->symbol);
    if (f->symbol < m->nsym && m->sym[f->symbol].is_local)
        buf_str(out, " local");
    attribute(out, "params", f->nparams);
    attribute(out, "results", f->nresults);
    attribute(out, "lds", f->lds_static);
    attribute(out, "maxargs", f->max_args);
    attribute(out, "private", f->frame_private);
    attribute(out, "scalar", f->frame_scalar);
    buf_printf(out, "%s {\n", f->has_calls ? " calls" : "");
    for (size_t k = 0; k < f->nslot; k++) {
        buf_printf(out, "    slot $%zu size %" PRIu32 " align %" PRIu32, k, f->slot[k].size,
                   f->slot[k].align);
        attribute(out, "at", f->slot[k].offset);
        buf_str(out, "\n");
    }
    for (u32 b = 0; b < f->nblock; b++)
        block(out, f, b);
    buf_str(out, "}\n");
}

static void bytes(Buf *out, const Data *d)
{
    enum { LINE = BYTES_A_GROUP * GROUPS_A_LINE };
    for (u32 k = 0; k < d->ninit; k++) {
        buf_str(out, k % LINE == 0 ? "    " : k % BYTES_A_GROUP == 0 ? " " : "");
        buf_printf(out, "%02x", d->init[k]);
        if (k % LINE == LINE - 1 || k + 1 == d->ninit)
            buf_str(out, "\n");
    }
}

static void data(Buf *out, const Module *m, const Data *d)
{
    buf_str(out, "data ");
    symbol(out, m, d->symbol);
    const Sym *s = &m->sym[d->symbol];
    buf_printf(out, "%s%s%s align %" PRIu32 " size %" PRIu32 " {\n", s->is_local ? " local" : "",
               s->is_weak ? " weak" : "", d->writable ? "" : " rodata", d->align, d->size);
    bytes(out, d);
    for (size_t k = 0; k < d->nreloc; k++) {
        buf_printf(out, "    reloc %" PRIu32 " ", d->reloc[k].offset);
        symbol(out, m, d->reloc[k].symbol);
        offset(out, d->reloc[k].addend);
        buf_str(out, "\n");
    }
    buf_str(out, "}\n");
}

void ir_print_module(Buf *out, const Module *m)
{
    for (size_t k = 0; k < m->nfile; k++) {
        buf_printf(out, "file %zu ", k);
        quote(out, m->file[k]);
        buf_str(out, "\n");
    }
    for (u32 k = 0; k < m->nsym; k++)
        if (m->sym[k].kind == SYM_EXTERN) {
            buf_str(out, "extern ");
            symbol(out, m, k);
            buf_str(out, m->sym[k].is_local ? " local\n" : "\n");
        }
    for (size_t k = 0; k < m->ndata; k++)
        data(out, m, &m->data[k]);
    for (size_t k = 0; k < m->nfunc; k++)
        ir_print(out, m->func[k]);
}
