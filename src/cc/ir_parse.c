/* ir_parse.c -- reads the text form (doc/ir.md, "Text form"), one statement a line.
 *
 * A wrong line is reported and skipped, so that one run finds many mistakes.  Any bytes may be
 * given: whatever the text says, no index leaves its array, and no number makes an allocation out
 * of proportion.  Whether the program makes sense is for ir_check.c to say.
 *
 * Phis get their arguments when the function is complete: they have one for each predecessor.
 */
#include "base/mem.h"
#include "cc/irtext.h"
#include <limits.h>
#include <string.h>

enum { MAX_VALUES = 1 << 20, MAX_BLOCKS = 1 << 18, MAX_SLOTS = 1 << 16, MAX_NAME = 4096 };

typedef struct {
    u32 block, dst, loc;
    size_t first, n; /* in Parser.arg */
    const char *at;
} PendingPhi;

typedef struct {
    u32 pred;
    Ref ref;
    const char *at;
} PendingArg;

typedef struct {
    const Source *src;
    Diag *d;
    Module *m;
    const char *p;
    bool bad;
    Func *f; /* being read */
    u32 block;
    bool has_exit;
    PendingPhi *phi;
    size_t nphi, capphi;
    PendingArg *arg;
    size_t narg, caparg;
    bool *placed; /* blocks whose label was read */
    size_t nplaced, capplaced;
} Parser;

static bool refuse(Parser *P)
{
    P->bad = true;
    return false;
}

/* Reports; false. */
#define wrong(P, at, ...) (error((P)->d, (P)->src, at, __VA_ARGS__), refuse(P))

/* --- characters ------------------------------------------------------------------------- */

static void skip_blanks(Parser *P)
{
    while (*P->p == ' ' || *P->p == '\t' || *P->p == '\r')
        P->p++;
    if (*P->p == ';')
        P->p += strcspn(P->p, "\n");
}

static bool at_end(Parser *P)
{
    skip_blanks(P);
    return !*P->p || *P->p == '\n';
}

static bool accept(Parser *P, const char *text)
{
    skip_blanks(P);
    const size_t n = strlen(text);
    if (strncmp(P->p, text, n))
        return false;
    P->p += n;
    return true;
}

static bool expect(Parser *P, const char *text)
{
    return accept(P, text) || wrong(P, P->p, "'%s' is missing here", text);
}

/* the next word; its length is 0 when there is none */
static size_t peek_word(Parser *P)
{
    skip_blanks(P);
    size_t n = 0;
    while (irtext_is_name(P->p[n]))
        n++;
    return n;
}

static bool accept_word(Parser *P, const char *word)
{
    const size_t n = peek_word(P);
    if (n != strlen(word) || memcmp(P->p, word, n))
        return false;
    P->p += n;
    return true;
}

/* index of the next word in list, or -1 */
static int accept_one_of(Parser *P, const char *const *list, int n)
{
    for (int k = 0; k < n; k++)
        if (list[k] && accept_word(P, list[k]))
            return k;
    return -1;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static int hex_value(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* digits at P->p, hexadecimal after 0x and else decimal, up to UINT32_MAX */
static bool digits(Parser *P, u32 *v)
{
    const char *at = P->p;
    const bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && hex_value(at[2]) >= 0;
    const u32 base = hex ? 16 : 10;
    u64 sum = 0;
    if (!is_digit(*at))
        return wrong(P, at, "a number is missing here");
    for (P->p += hex ? 2 : 0; hex_value(*P->p) >= 0 && (u32)hex_value(*P->p) < base; P->p++)
        if ((sum = sum * base + (u32)hex_value(*P->p)) > UINT32_MAX)
            return wrong(P, at, "this number has more than 32 bits");
    *v = (u32)sum;
    return true;
}

static bool unsigned_number(Parser *P, u32 *v)
{
    skip_blanks(P);
    return digits(P, v);
}

/* with a sign or without; 32 bits of two's complement */
static bool number(Parser *P, u32 *v)
{
    skip_blanks(P);
    const char *at = P->p;
    const bool negative = *at == '-';
    if (negative || *at == '+')
        P->p++;
    if (!digits(P, v))
        return false;
    if (negative && *v > (u32)INT32_MAX + 1)
        return wrong(P, at, "this number has more than 32 bits");
    *v = negative ? 0 - *v : *v;
    return true;
}

/* a word and its number, as in "align 4" */
static bool attribute(Parser *P, const char *word, u32 *v)
{
    if (!accept_word(P, word))
        return wrong(P, P->p, "'%s' and a number are missing here", word);
    return unsigned_number(P, v);
}

/* the number in the name of a value, block or slot, below limit */
static bool numbered(Parser *P, const char *what, u32 limit, u32 *v)
{
    const char *at = P->p;
    if (!digits(P, v))
        return false;
    return *v < limit || wrong(P, at, "there cannot be so many %s", what);
}

/* a quoted string into name, which has room for MAX_NAME bytes */
static bool quoted(Parser *P, char *name)
{
    const char *at = P->p++;
    size_t n = 0;
    while (*P->p && *P->p != '\n' && *P->p != '"' && n + 1 < MAX_NAME) {
        if (*P->p != '\\') {
            name[n++] = *P->p++;
            continue;
        }
        const int high = hex_value(P->p[1]), low = high < 0 ? -1 : hex_value(P->p[2]);
        if (low < 0 || high + low == 0)
            return wrong(P, P->p, "two hexadecimal digits, not 00, are missing after '\\'");
        name[n++] = (char)(high << 4 | low);
        P->p += 3;
    }
    name[n] = 0;
    if (*P->p != '"')
        return wrong(P, at, "this name does not end, or has more than %d bytes", MAX_NAME - 1);
    P->p++;
    return true;
}

/* '@' and the name of a symbol */
static bool name_of_symbol(Parser *P, char *name)
{
    if (!expect(P, "@"))
        return false;
    if (*P->p == '"')
        return quoted(P, name);
    const size_t n = irtext_is_name(*P->p) ? peek_word(P) : 0;
    if (!n || n >= MAX_NAME)
        return wrong(P, P->p, "the name of a symbol is missing here");
    memcpy(name, P->p, n);
    name[n] = 0;
    P->p += n;
    return true;
}

/* --- operands --------------------------------------------------------------------------- */

static bool symbol(Parser *P, u32 *index)
{
    char name[MAX_NAME];
    if (!name_of_symbol(P, name))
        return false;
    *index = ir_sym(P->m, name, SYM_EXTERN);
    return true;
}

static bool value(Parser *P, u32 *v)
{
    const char *at = P->p;
    if (!expect(P, "%") || !numbered(P, "values", MAX_VALUES, v))
        return false;
    if (!*v)
        return wrong(P, at, "values begin with %%1");
    while (P->f->nvalue <= *v && !P->m->failed)
        ir_value(P->f);
    return !P->m->failed;
}

static bool block_name(Parser *P, u32 *b)
{
    if (!peek_word(P) || *P->p != 'b' || !is_digit(P->p[1]))
        return wrong(P, P->p, "a block is missing here");
    P->p++;
    if (!numbered(P, "blocks", MAX_BLOCKS, b))
        return false;
    while (P->f->nblock <= *b && !P->m->failed)
        ir_block(P->f);
    return !P->m->failed;
}

/* x5 or v7; false, without a message, when there is none */
static bool accept_register(Parser *P, u32 *r)
{
    int k;
    const size_t n = peek_word(P);
    const bool raw = n > 1 && is_digit(P->p[1]);
    if (raw && *P->p == 'x' && isa_find_xreg(P->p, n, &k))
        *r = (u32)k;
    else if (raw && *P->p == 'v' && isa_find_vreg(P->p, n, &k))
        *r = V0 + (u32)k;
    else
        return false;
    P->p += n;
    return true;
}

/* the offset that may follow a symbol or slot directly: "+4" */
static bool offset(Parser *P, i64 least, i64 most, i32 *off)
{
    const char *at = P->p;
    u32 v;
    *off = 0;
    if (*at != '+' && *at != '-')
        return true;
    P->p++;
    if (!digits(P, &v))
        return false;
    const i64 is = *at == '-' ? -(i64)v : (i64)v;
    if (is < least || is > most)
        return wrong(P, at, "an offset is at least %lld and at most %lld here", (long long)least,
                     (long long)most);
    *off = (i32)is;
    return true;
}

static bool address_operand(Parser *P, Ref *r)
{
    i32 off;
    u32 v;
    if (*P->p == '@') {
        r->kind = R_SYM;
        if (!symbol(P, &v))
            return false;
    } else {
        r->kind = R_SLOT;
        P->p++;
        if (!numbered(P, "slots", MAX_SLOTS, &v))
            return false;
    }
    r->val = v;
    if (!offset(P, INT16_MIN, INT16_MAX, &off))
        return false;
    r->off = (i16)off;
    return true;
}

static bool operand(Parser *P, Ref *r)
{
    u32 v;
    *r = ref_none();
    skip_blanks(P);
    const char c = *P->p;
    if (c == '%')
        return value(P, &v) && (*r = ref_val(v), true);
    if (c == '@' || c == '$')
        return address_operand(P, r);
    if (c == 'b')
        return block_name(P, &v) && (*r = ref_blk(v), true);
    if (c == '-' && !is_digit(P->p[1])) {
        P->p++;
        return true;
    }
    if (c == '-' || c == '+' || is_digit(c))
        return number(P, &v) && (*r = ref_con(v), true);
    if (accept_register(P, &v))
        return *r = ref_reg(v), true;
    return wrong(P, P->p, "an operand is missing here");
}

/* [ref + imm] */
static bool bracketed(Parser *P, Ins *i, Ref *r)
{
    u32 v;
    const char *at;
    if (!expect(P, "[") || !operand(P, r))
        return false;
    skip_blanks(P);
    at = P->p;
    if (*at == '+' || *at == '-') {
        P->p++;
        if (i->op == IR_atomic)
            return wrong(P, at, "an atomic operation has no offset");
        if (!unsigned_number(P, &v))
            return false;
        if (v > (u32)INT32_MAX + (*at == '-'))
            return wrong(P, at, "this offset does not fit");
        i->imm = (i32)(*at == '-' ? 0 - v : v);
    }
    return expect(P, "]");
}

/* --- instructions ----------------------------------------------------------------------- */

/* " !file:line:column" and the end of the line */
static bool end_of_line(Parser *P, u32 *loc)
{
    u32 file, line, column;
    const char *at;
    if (accept(P, "!")) {
        at = P->p;
        if (!digits(P, &file) || !expect(P, ":") || !digits(P, &line) || !expect(P, ":") ||
            !digits(P, &column))
            return false;
        if (file >= P->m->nfile)
            return wrong(P, at, "there is no file %u", file);
        if (loc)
            *loc = ir_loc(P->m, (Loc){.file = file, .line = line, .column = column});
    }
    return at_end(P) || wrong(P, P->p, "nothing more is expected on this line");
}

static bool bank(Parser *P, u32 v)
{
    u8 is;
    const char *at = P->p;
    if (*at != ':')
        return true;
    if ((at[1] != 'x' && at[1] != 'v') || irtext_is_name(at[2]))
        return wrong(P, at, "a bank is 'x' or 'v'");
    is = at[1] == 'x' ? BANK_X : BANK_V;
    P->p += 2;
    if (P->f->value[v].bank != BANK_NONE && P->f->value[v].bank != is)
        return wrong(P, at, "%%%u is in the other bank above", v);
    P->f->value[v].bank = is;
    return true;
}

/* "%3:v "name" =" or "x5 =" */
static bool destination(Parser *P, Ins *i)
{
    char name[MAX_NAME];
    u32 r;
    const char *start = P->p;
    if (accept_register(P, &r)) {
        if (accept(P, "="))
            return i->reg = r + 1, true;
        P->p = start;
    }
    if (*P->p != '%')
        return true;
    if (!value(P, &i->dst) || !bank(P, i->dst))
        return false;
    skip_blanks(P);
    if (*P->p == '"') {
        if (!quoted(P, name))
            return false;
        P->f->value[i->dst].name = ir_strdup(P->m, name);
    }
    return expect(P, "=");
}

static bool find_row(const Parser *P, const char *word, size_t n, u16 *op)
{
    Insn in;
    if (!isa_find_insn(word, n, P->m->target->set, &in, NULL) || strlen(isa_insn[in.id].text) != n)
        return false;
    *op = (u16)(IR_MACHINE + in.id);
    return true;
}

static bool find_generic(const char *word, size_t n, u16 *op)
{
    for (u16 k = 0; k < NIR; k++)
        if (k != IR_note && strlen(ir_info[k].name) == n && !memcmp(ir_info[k].name, word, n))
            return *op = k, true;
    return false;
}

static bool mnemonic(Parser *P, u16 *op)
{
    const size_t n = peek_word(P);
    const char *word = P->p;
    const bool row = n > 2 && word[0] == 'x' && word[1] == '.';
    if (!n)
        return wrong(P, word, "an operation is missing here");
    P->p += n;
    if (row ? find_row(P, word + 2, n - 2, op)
            : find_generic(word, n, op) || find_row(P, word, n, op))
        return true;
    return wrong(P, word, "there is no operation '%.*s'", (int)(n < 40 ? n : 40), word);
}

static void attributes(Parser *P, Ins *i)
{
    for (int k;;)
        if ((k = accept_one_of(P, irtext_width, 5)) >= 0)
            i->width = (u8)k;
        else if ((k = accept_one_of(P, irtext_space, 5)) >= 0)
            i->space = (u8)(k & 7);
        else if (accept_word(P, "signed"))
            i->sext = true;
        else if (accept_word(P, "volatile"))
            i->is_volatile = true;
        else if (accept_word(P, "uniform"))
            i->uniform = true;
        else
            return;
}

static bool immediate(Parser *P, Ins *i)
{
    u32 v;
    const char *at = P->p;
    if (!accept(P, "#"))
        return true;
    if (!number(P, &v))
        return false;
    if (irtext_has_address(i))
        return wrong(P, at, "this operation has no immediate");
    i->imm = (i32)v;
    return true;
}

static bool operands(Parser *P, Ins *i)
{
    int n = 0;
    const int last = irtext_has_address(i) ? ins_nargs(i) - 1 : 3;
    if (at_end(P) || *P->p == '#' || *P->p == '!')
        return true;
    do {
        skip_blanks(P);
        if (n == 3 || n > last)
            return wrong(P, P->p, "too many operands");
        if (!(n == last ? bracketed(P, i, &i->a[n]) : operand(P, &i->a[n])))
            return false;
        n++;
    } while (accept(P, ","));
    return true;
}

static bool instruction(Parser *P, Ins *i)
{
    if (i->op == IR_atomic) {
        i->imm = accept_one_of(P, isa_op_name, NOP);
        if (i->imm < 0)
            return wrong(P, P->p, "the operation of the atomic is missing here");
    }
    attributes(P, i);
    if (!operands(P, i) || !immediate(P, i) || !end_of_line(P, &i->loc))
        return false;
    ir_append(P->f, P->block, i);
    return true;
}

static bool phi(Parser *P, const Ins *i, const char *at)
{
    PendingPhi new = {.block = P->block, .dst = i->dst, .first = P->narg, .at = at};
    if (!i->dst)
        return wrong(P, at, "a phi makes a value");
    if (P->f->block[P->block].nins)
        return wrong(P, at, "phis stand before instructions");
    while (!at_end(P) && *P->p != '!') {
        PendingArg arg = {.at = P->p};
        if (!block_name(P, &arg.pred) || !operand(P, &arg.ref) ||
            !ir_grow(P->m, P->arg, P->narg, P->caparg))
            return false;
        P->arg[P->narg++] = arg;
        new.n++;
        if (!accept(P, ","))
            break;
    }
    if (!end_of_line(P, &new.loc) || !ir_grow(P->m, P->phi, P->nphi, P->capphi))
        return false;
    P->phi[P->nphi++] = new;
    return true;
}

static bool branch(Parser *P, Term *t)
{
    const int cmp = accept_one_of(P, irtext_cmp, 6);
    if (cmp < 0)
        return wrong(P, P->p, "a condition is missing here: eq ne lt ge ltu geu");
    t->kind = T_BRANCH;
    t->cmp = (u8)cmp;
    if (!operand(P, &t->a[0]) || !expect(P, ",") || !operand(P, &t->a[1]) || !expect(P, "->") ||
        !block_name(P, &t->succ[0]) || !expect(P, ",") || !block_name(P, &t->succ[1]))
        return false;
    if (!t->divergent)
        return true;
    if (!accept_word(P, "join"))
        return wrong(P, P->p, "'join' and a block are missing here");
    return block_name(P, &t->rpc);
}

/* *is: the line is a terminator */
static bool terminator(Parser *P, bool *is)
{
    Term t = {0};
    const char *at = P->p;
    *is = true;
    if (accept_word(P, "ret")) {
        t.kind = T_RET;
        if (P->has_exit)
            return wrong(P, at, "a function has one 'ret'");
        P->has_exit = true;
        P->f->exit = P->block;
    } else if (accept_word(P, "jump")) {
        t.kind = T_JUMP;
        if (!block_name(P, &t.succ[0]))
            return false;
        t.succ[1] = t.succ[0];
    } else if ((t.divergent = accept_word(P, "vbr")) || accept_word(P, "br")) {
        if (!branch(P, &t))
            return false;
    } else {
        return *is = false, true;
    }
    if (!end_of_line(P, &t.loc))
        return false;
    P->f->block[P->block].term = t;
    return true;
}

static bool body_line(Parser *P)
{
    Ins i = {0};
    bool done;
    const char *at;
    if (P->block == UINT32_MAX || P->f->block[P->block].term.kind != T_NONE)
        return wrong(P, P->p, "this is in no block");
    const bool ok = terminator(P, &done);
    if (done || !ok)
        return ok;
    if (!destination(P, &i))
        return false;
    skip_blanks(P);
    at = P->p;
    if (accept_word(P, "phi"))
        return phi(P, &i, at);
    return mnemonic(P, &i.op) && instruction(P, &i);
}

/* --- functions -------------------------------------------------------------------------- */

static bool others(Parser *P, u32 index)
{
    for (u32 other; !at_end(P);) {
        if (!block_name(P, &other))
            return false;
        Block *b = &P->f->block[index];
        if (!ir_grow(P->m, b->other, b->nother, b->capother))
            return false;
        b->other[b->nother++] = other;
    }
    return true;
}

static bool is_label(Parser *P)
{
    const size_t n = peek_word(P);
    return n > 1 && *P->p == 'b' && is_digit(P->p[1]) && P->p[n] == ':';
}

static bool label(Parser *P)
{
    const char *at = P->p;
    u32 b;
    P->block = UINT32_MAX;
    if (!block_name(P, &b) || !expect(P, ":"))
        return false;
    while (P->nplaced <= b) {
        if (!ir_grow(P->m, P->placed, P->nplaced, P->capplaced))
            return false;
        P->placed[P->nplaced++] = false;
    }
    if (P->placed[b])
        return wrong(P, at, "block b%u is here for the second time", b);
    P->placed[b] = true;
    P->block = b;
    P->f->block[b].join = accept_word(P, "join");
    if (accept_word(P, "other") && !others(P, b))
        return false;
    return end_of_line(P, NULL);
}

static bool slot(Parser *P)
{
    u32 k, size, align, at_offset = 0;
    skip_blanks(P);
    const char *at = P->p;
    if (!expect(P, "$") || !numbered(P, "slots", MAX_SLOTS, &k))
        return false;
    if (k != P->f->nslot)
        return wrong(P, at, "the next slot is $%zu", P->f->nslot);
    if (!attribute(P, "size", &size) || !attribute(P, "align", &align))
        return false;
    if (accept_word(P, "at") && !unsigned_number(P, &at_offset))
        return false;
    if (!end_of_line(P, NULL))
        return false;
    ir_slot(P->f, size, align);
    if (!P->m->failed)
        P->f->slot[k].offset = at_offset;
    return true;
}

/* Gives the phis that were read their arguments, now that predecessors are known. */
static void place_phis(Parser *P)
{
    graph_preds(P->f);
    for (size_t k = 0; k < P->nphi && !P->m->failed; k++) {
        const PendingPhi *from = &P->phi[k];
        const Block *b = &P->f->block[from->block];
        Phi *to = ir_phi(P->f, from->block, from->dst);
        if (!to)
            return;
        to->loc = from->loc;
        if (from->n != b->npred)
            wrong(P, from->at, "this phi has %zu arguments, the block %zu predecessors", from->n,
                  b->npred);
        for (size_t j = 0; j < from->n && j < b->npred; j++) {
            const PendingArg *arg = &P->arg[from->first + j];
            if (arg->pred != b->pred[j])
                wrong(P, arg->at, "the argument for b%u is expected here", b->pred[j]);
            to->arg[j] = arg->ref;
        }
    }
}

static bool function_header(Parser *P)
{
    Func *f = P->f;
    static const char *const names[] = {"params", "results", "lds", "maxargs", "private", "scalar"};
    u32 *const at[] = {&f->nparams,  &f->nresults,      &f->lds_static,
                       &f->max_args, &f->frame_private, &f->frame_scalar};
    for (int k; (k = accept_one_of(P, names, countof(names))) >= 0;)
        if (!unsigned_number(P, at[k]))
            return false;
    f->has_calls = accept_word(P, "calls");
    return expect(P, "{") && end_of_line(P, NULL);
}

static void next_line(Parser *P)
{
    P->p += strcspn(P->p, "\n");
    P->p += *P->p == '\n';
}

/* Reports a line that was not read and has no message yet, and goes on with the next one. */
static bool finish_line(Parser *P, bool ok)
{
    if (!ok && !P->bad && !P->m->failed)
        wrong(P, P->p, "this line is not understood");
    next_line(P);
    return ok;
}

static void function_body(Parser *P)
{
    const char *start = P->p;
    while (*P->p && !P->m->failed) {
        if (accept(P, "}")) {
            end_of_line(P, NULL);
            place_phis(P);
            return;
        }
        finish_line(P, at_end(P)                ? true
                       : accept_word(P, "slot") ? slot(P)
                       : is_label(P)            ? label(P)
                                                : body_line(P));
    }
    if (!P->m->failed)
        wrong(P, start, "the '}' of this function is missing");
}

/* --- the module ------------------------------------------------------------------------- */

/* The name of something that is defined here, for the first time. */
static bool new_symbol(Parser *P, char *name, bool *is_local)
{
    skip_blanks(P);
    const char *at = P->p;
    if (!name_of_symbol(P, name))
        return false;
    const u32 s = ir_sym(P->m, name, SYM_EXTERN);
    if (P->m->failed)
        return false;
    if (P->m->sym[s].kind != SYM_EXTERN)
        return wrong(P, at, "@%s is defined above", name);
    *is_local = accept_word(P, "local");
    return true;
}

static bool function(Parser *P, bool is_kernel)
{
    char name[MAX_NAME];
    bool is_local;
    if (!new_symbol(P, name, &is_local))
        return false;
    P->f = ir_func(P->m, name, is_kernel);
    if (!P->f)
        return false;
    P->m->sym[P->f->symbol].is_local = is_local;
    P->block = UINT32_MAX;
    P->nphi = P->narg = P->nplaced = 0;
    P->has_exit = false;
    ir_block(P->f);
    if (!function_header(P))
        return false;
    next_line(P);
    function_body(P);
    return true;
}

static bool hex_bytes(Parser *P, Buf *to)
{
    for (; !at_end(P); P->p += 2) {
        const int high = hex_value(P->p[0]), low = high < 0 ? -1 : hex_value(P->p[1]);
        if (low < 0)
            return wrong(P, P->p, "bytes are two hexadecimal digits each");
        const u8 byte = (u8)(high << 4 | low);
        buf_put(to, &byte, 1);
    }
    return true;
}

static bool reloc(Parser *P, Data *d)
{
    u32 at, s;
    i32 addend;
    if (!unsigned_number(P, &at) || !symbol(P, &s) || !offset(P, INT32_MIN, INT32_MAX, &addend) ||
        !end_of_line(P, NULL))
        return false;
    ir_reloc(P->m, d, at, s, addend);
    return true;
}

static bool keep_bytes(Parser *P, Data *d, const Buf *bytes)
{
    u8 *copy = bytes->failed ? NULL : ir_alloc(P->m, bytes->len + 1);
    if (!copy) {
        P->m->failed = true;
        return false;
    }
    if (bytes->len)
        memcpy(copy, bytes->data, bytes->len);
    d->init = copy;
    d->ninit = (u32)bytes->len;
    return true;
}

static void data_body(Parser *P, Data *d, Buf *bytes)
{
    const char *start = P->p;
    while (*P->p && !P->m->failed) {
        if (accept(P, "}")) {
            end_of_line(P, NULL);
            if (bytes->len > d->size)
                wrong(P, start, "there are %zu bytes, more than the size", bytes->len);
            else
                keep_bytes(P, d, bytes);
            return;
        }
        finish_line(P, accept_word(P, "reloc") ? reloc(P, d) : hex_bytes(P, bytes));
    }
    if (!P->m->failed)
        wrong(P, start, "the '}' of this data is missing");
}

static bool data(Parser *P)
{
    char name[MAX_NAME];
    bool is_local, is_weak, rodata;
    u32 align, size;
    Buf bytes = {0};
    if (!new_symbol(P, name, &is_local))
        return false;
    is_weak = accept_word(P, "weak");
    rodata = accept_word(P, "rodata");
    if (!attribute(P, "align", &align) || !attribute(P, "size", &size) || !expect(P, "{") ||
        !end_of_line(P, NULL))
        return false;
    next_line(P);
    Data *d = ir_data(P->m, name, size, align, !rodata);
    if (!d)
        return false;
    P->m->sym[d->symbol].is_local = is_local;
    P->m->sym[d->symbol].is_weak = is_weak;
    data_body(P, d, &bytes);
    buf_free(&bytes);
    return true;
}

static bool source_file(Parser *P)
{
    char name[MAX_NAME];
    u32 k;
    skip_blanks(P);
    const char *at = P->p;
    if (!digits(P, &k))
        return false;
    skip_blanks(P);
    if (*P->p != '"')
        return wrong(P, P->p, "the name of the file is missing here");
    if (!quoted(P, name))
        return false;
    if (k != P->m->nfile || ir_file(P->m, name) != k)
        return wrong(P, at, "files are numbered from 0, each has its own name");
    return end_of_line(P, NULL);
}

static bool external(Parser *P)
{
    u32 s;
    if (!symbol(P, &s) || P->m->failed)
        return false;
    P->m->sym[s].is_local = accept_word(P, "local");
    return end_of_line(P, NULL);
}

static bool statement(Parser *P)
{
    if (at_end(P))
        return true;
    if (accept_word(P, "func"))
        return function(P, false);
    if (accept_word(P, "kernel"))
        return function(P, true);
    if (accept_word(P, "data"))
        return data(P);
    if (accept_word(P, "file"))
        return source_file(P);
    if (accept_word(P, "extern"))
        return external(P);
    return wrong(P, P->p, "'func', 'kernel', 'data', 'extern' or 'file' is missing here");
}

Module *ir_parse(const Source *src, const Target *target, Diag *d)
{
    Parser P = {.src = src, .d = d, .p = src->text, .m = ir_module(src->name, target)};
    while (P.m && *P.p && !P.m->failed)
        finish_line(&P, statement(&P));
    if (!P.m || P.m->failed)
        error(d, src, NULL, "out of memory");
    else if (!P.bad)
        return P.m;
    ir_free(P.m);
    return NULL;
}
