/* lower_printf.c -- printf: a record in the print buffer (doc/abi.md, "Print buffer").
 *
 * Operand 0 is the global linear id of the work-item, operand 1 the format, then what is printed
 * (prepare.c makes this call of the program's).  The format is written anew, so that its lengths
 * say what the record holds.
 */
#include "base/mem.h"
#include "ll/lower.h"
#include <stdio.h>
#include <string.h>

/* Formats of a conversion as written: up to the length, the elements of a vector, the letter. */
typedef struct {
    size_t flags; /* characters from % to before `v` or the length */
    size_t all;   /* characters with the letter */
    int stars;
    u32 elements; /* 1 without `v` */
    char length[3], letter;
} Conversion;

static Conversion parse_conversion(const char *s)
{
    Conversion c = {.elements = 1};
    size_t at = 1;
    for (; s[at] && strchr("-+ #0123456789.*", s[at]); at++)
        c.stars += s[at] == '*';
    c.flags = at;
    if (s[at] == 'v')
        for (at++, c.elements = 0; s[at] >= '0' && s[at] <= '9' && c.elements < 100; at++)
            c.elements = c.elements * 10 + (u32)(s[at] - '0');
    for (size_t k = 0; k < 2 && (s[at] == 'h' || s[at] == 'l'); k++)
        c.length[k] = s[at++];
    c.letter = s[at];
    c.all = at + (s[at] != 0);
    return c;
}

/* What is to be written. */
typedef struct {
    Fn *n;
    LLVMValueRef call;
    unsigned next, count; /* operands */
    Ref word[1024];
    u32 nword;
    Buf format;
} Record;

static void put(Record *r, Ref x)
{
    if (r->nword < countof(r->word))
        r->word[r->nword++] = x;
    else
        refuse(r->n->lo, "printf of too much");
}

/* words of the next operand; *bits: of an element */
static void put_operand(Record *r, bool is_signed, u32 *bits)
{
    LLVMValueRef x = LLVMGetOperand(r->call, r->next++);
    const Val v = val_of(r->n, x);
    *bits = int_bits(type_scalar(LLVMTypeOf(x)));
    for (u32 k = 0; k < v.n; k++)
        put(r, *bits >= 32 ? v.p[k]
               : is_signed ? int_sext(r->n, v.p[k], *bits)
                           : int_zext(r->n, v.p[k], *bits));
}

static void put_conversion(Record *r, const char *s, const Conversion *c)
{
    u32 bits = 32;
    for (int k = 0; k < c->stars && r->next < r->count; k++)
        put_operand(r, true, &bits);
    if (r->next >= r->count) {
        buf_put(&r->format, s, c->all);
        return;
    }
    put_operand(r, c->letter == 'd' || c->letter == 'i', &bits);
    buf_put(&r->format, s, c->flags);
    if (c->elements != 1)
        buf_printf(&r->format, "v%u", c->elements);
    const bool is_float = strchr("fFeEgGaA", c->letter);
    if (bits == 64)
        buf_str(&r->format, "l");
    else if (is_float && bits == 16)
        buf_str(&r->format, "h"); /* of vectors: a scalar half is promoted */
    else if (c->length[0] == 'h' && !is_float)
        buf_str(&r->format, c->length);
    else if (c->elements != 1)
        buf_str(&r->format, "hl");
    buf_put(&r->format, &c->letter, 1);
}

static void put_known(Record *r, const char *s, size_t len)
{
    for (size_t at = 0; at < len;) {
        if (s[at] != '%' || at + 1 == len) {
            buf_put(&r->format, &s[at++], 1);
            continue;
        }
        const Conversion c = parse_conversion(s + at);
        if (c.letter && strchr("diuxXocpfFeEgGaAs", c.letter))
            put_conversion(r, s + at, &c);
        else
            buf_put(&r->format, s + at, c.all);
        at += c.all;
    }
}

/* the text of a constant string, which ends in a NUL; NULL: not one */
static const char *constant_text(LLVMValueRef v, size_t *len)
{
    LLVMValueRef init = LLVMIsAGlobalVariable(v) ? LLVMGetInitializer(v) : NULL;
    *len = 0;
    if (!init || LLVMGetTypeKind(LLVMTypeOf(init)) != LLVMArrayTypeKind)
        return NULL;
    if (LLVMIsNull(init))
        return "";
    if (!LLVMIsConstantString(init))
        return NULL;
    const char *s = LLVMGetAsString(init, len);
    *len = strnlen(s, *len);
    return s;
}

static Ref format_address(Record *r)
{
    Lower *lo = r->n->lo;
    char name[32];
    snprintf(name, sizeof name, ".format.%u", lo->nstring++);
    buf_put(&r->format, "", 1);
    Data *d = ir_data(lo->m, name, (u32)r->format.len, 1, false);
    u8 *text = ir_alloc(lo->m, r->format.len + 1);
    if (!d || !text || r->format.failed) {
        lo->m->failed = true;
        return ref_con(0);
    }
    lo->m->sym[d->symbol].is_local = true;
    d->init = memcpy(text, r->format.data, r->format.len);
    d->ninit = (u32)r->format.len;
    return ref_sym(d->symbol);
}

static Ref gather(Record *r)
{
    size_t len;
    u32 bits;
    LLVMValueRef format = LLVMGetOperand(r->call, 1);
    const char *text = constant_text(format, &len);
    r->next = 2;
    if (text) {
        Buf copy = {0};
        buf_put(&copy, text, len);
        put_known(r, buf_text(&copy), len);
        buf_free(&copy);
        return format_address(r);
    }
    while (r->next < r->count)
        put_operand(r, false, &bits);
    return ref_of(r->n, format);
}

/* --- the record ---------------------------------------------------------------------------- */

static Ref reserve(Fn *n, Ref buffer, u32 size)
{
    const Ins i = {.op = IR_atomic,
                   .width = 4,
                   .space = IN_GLOBAL,
                   .dst = ir_value(n->f),
                   .imm = OP_add,
                   .loc = n->loc,
                   .a = {ref_con(size), buffer}};
    ir_append(n->f, n->b, &i);
    return ref_val(i.dst);
}

static void write_record(Record *r, Ref at, u32 size, Ref id, Ref format)
{
    Fn *n = r->n;
    store_word(n, IN_GLOBAL, at, PRINT_RECORDS + RECORD_SIZE, 4, ref_con(size));
    store_word(n, IN_GLOBAL, at, PRINT_RECORDS + RECORD_ITEM, 4, id);
    store_word(n, IN_GLOBAL, at, PRINT_RECORDS + RECORD_FORMAT, 4, format);
    for (u32 k = 0; k < r->nword; k++) {
        const u32 offset = PRINT_RECORDS + RECORD_ARGS + 4 * k;
        const Ref base = offset < 2048 ? at : add_con(n, at, (i32)offset);
        store_word(n, IN_GLOBAL, base, offset < 2048 ? (i32)offset : 0, 4, r->word[k]);
    }
}

void lower_printf(Fn *n, LLVMValueRef call)
{
    Record *r = mem_zalloc(1, sizeof *r);
    if (!r) {
        n->lo->m->failed = true;
        return;
    }
    *r = (Record){.n = n, .call = call, .count = LLVMGetNumArgOperands(call)};
    const Ref id = ref_of(n, LLVMGetOperand(call, 0)), format = gather(r);
    const u32 size = RECORD_ARGS + 4 * r->nword, start = n->b;
    const u32 ask = ir_block(n->f), write = ir_block(n->f), done = ir_block(n->f);
    const Ref buffer = load_word(n, IN_CONST, op0(n, IR_csr, CSR_knl), 4 * KNL_PRINT, 4);
    ir_branch(n->f, start, CMP_eq, buffer, ref_con(0), done, ask, n->loc);
    n->b = ask;
    const Ref area = load_word(n, IN_GLOBAL, buffer, PRINT_ROOM, 4);
    const Ref old = reserve(n, add_con(n, buffer, PRINT_USED), size);
    const Ref room = op2(n, IR_and, op2(n, IR_geu, area, ref_con(size)),
                         op2(n, IR_geu, op2(n, IR_sub, area, ref_con(size)), old));
    ir_branch(n->f, ask, CMP_ne, room, ref_con(0), write, done, n->loc);
    n->b = write;
    write_record(r, op2(n, IR_add, buffer, old), size, id, format);
    ir_jump(n->f, write, done);
    n->b = done;
    const Val v = val_new(n->lo, 1);
    v.p[0] = phi_of(n, done,
                    (PhiIn[]){{start, ref_con(0)}, {ask, ref_con(~0u)}, {write, ref_con(0)}}, 3);
    val_set(n, call, v);
    buf_free(&r->format);
    mem_free(r);
}
