/* lower_mem.c -- addresses, loads, stores, copies.
 *
 * An access is made of pieces as wide as the alignment allows.  A generic pointer is a private
 * address if it is below PRIVATE_END (doc/abi.md, "Memory map"), and any other address otherwise;
 * where the optimiser could not tell, the access branches on that.
 */
#include "cc/select.h"
#include "ll/lower.h"
#include "ll/middle.h"
#include "obj/notes.h"
#include <stdio.h>
#include <string.h>

enum { FEW = 8, UNROLLED = 128 /* bytes copied without a loop */ };
static Space space_of(unsigned as)
{
    static const Space space[] = {IN_PRIVATE, IN_GLOBAL, IN_CONST, IN_LOCAL};
    return as < countof(space) ? space[as] : IN_FLAT;
}

unsigned as_of(LLVMValueRef pointer) { return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)); }

/* --- addresses ------------------------------------------------------------------------- */

static bool is_gep(LLVMValueRef v)
{
    return LLVMIsAGetElementPtrInst(v) ||
           (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr);
}

static Ref scaled(Fn *n, LLVMValueRef index, u32 scale)
{
    const u32 bits = int_bits(LLVMTypeOf(index));
    Ref x = ref_of(n, index);
    if (bits < 32)
        x = int_sext(n, x, bits);
    if (scale == 1)
        return x;
    if (is_pow2(scale))
        return op2(n, IR_sll, x, ref_con((u32)__builtin_ctz(scale)));
    return op2(n, IR_mul, x, ref_con(scale));
}

Ref pointer_with_offset(Fn *n, LLVMValueRef p, i32 *offset)
{
    if (!is_gep(p))
        return ref_of(n, p);
    LLVMValueRef few[FEW], *var = few;
    u32 few_scales[FEW], *scale = few_scales, nvar;
    const u32 room = (u32)LLVMGetNumOperands(p);
    if (room > FEW) {
        var = ir_alloc(n->lo->m, room * sizeof *var);
        scale = ir_alloc(n->lo->m, room * sizeof *scale);
        if (!var || !scale)
            return ref_con(0); /* out of memory: the module says so */
    }
    *offset += gep_offset(n->lo, p, var, scale, room, &nvar);
    Ref base = pointer_with_offset(n, LLVMGetOperand(p, 0), offset);
    for (u32 k = 0; k < nvar; k++)
        base = op2(n, IR_add, base, scaled(n, var[k], scale[k]));
    return base;
}

/* base of an access, and an offset that its instruction can hold */
static Ref access_base(Fn *n, LLVMValueRef p, i32 size, i32 *offset)
{
    *offset = 0;
    const Ref base = pointer_with_offset(n, p, offset);
    const Target *t = n->lo->m->target;
    const bool may_be_private = as_of(p) == AS_PRIVATE || as_of(p) == AS_GENERIC;
    const InsnId row = may_be_private ? t->private_.load.w : t->vector.load.w;
    if (base.kind == R_VAL && sel_fits(row, (u32)*offset) &&
        sel_fits(row, (u32)(*offset + size - 1)))
        return base;
    const i32 all = *offset;
    *offset = 0;
    return add_con(n, base, all);
}

void mem_gep(Fn *n, LLVMValueRef i)
{
    if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind) {
        refuse(n->lo, "a vector of pointers");
        return;
    }
    i32 offset = 0;
    const Ref base = pointer_with_offset(n, i, &offset);
    Val v = val_new(n->lo, 1);
    v.p[0] = add_con(n, base, offset);
    val_set(n, i, v);
}

Ref private_object(Fn *n, u64 size, u32 align)
{
    if (size > PRIVATE_END)
        refuse(n->lo, "a variable of %llu bytes in private memory", (unsigned long long)size);
    else if (align > SLOT_ALIGN)
        refuse(n->lo, "a variable aligned to %u bytes in private memory; %d is the most", align,
               SLOT_ALIGN);
    else
        return ref_slot(ir_slot(n->f, (u32)align_up(size ? size : 1, 4), align < 4 ? 4 : align));
    return ref_con(0);
}

/* --- one access -------------------------------------------------------------------------- */

/* How memory is accessed. */
typedef struct {
    unsigned as;
    bool is_volatile, sext;
    u32 align; /* bytes that the first address is a multiple of */
} How;

static Ref load_at(Fn *n, const How *h, Ref base, i32 offset, u32 width)
{
    const Ins i = {.op = IR_load,
                   .width = (u8)width,
                   .space = space_of(h->as) & 7,
                   .sext = h->sext && width < 4,
                   .is_volatile = h->is_volatile,
                   .dst = ir_value(n->f),
                   .imm = offset,
                   .loc = n->loc,
                   .a = {base}};
    ir_append(n->f, n->b, &i);
    if (width < 4)
        piece_known(n, i.dst, (i8)(i.sext ? -8 * (i32)width : 8 * (i32)width));
    return ref_val(i.dst);
}

static void store_at(Fn *n, const How *h, Ref base, i32 offset, u32 width, Ref x)
{
    const Ins i = {.op = IR_store,
                   .width = (u8)width,
                   .space = space_of(h->as) & 7,
                   .is_volatile = h->is_volatile,
                   .imm = offset,
                   .loc = n->loc,
                   .a = {x, base}};
    ir_append(n->f, n->b, &i);
}

/* --- variables in private memory ---------------------------------------------------------- */

/* A note of the variable (obj/notes.h); NULL: out of memory. */
static Data *make_note(Fn *n, LLVMValueRef variable, u32 size, u32 kind)
{
    Lower *lo = n->lo;
    char name[48];
    size_t len;
    const char *text = LLVMGetValueName2(variable, &len);
    len = strcspn(text, "."); /* without what inlining appends */
    snprintf(name, sizeof name, NOTE_NAME ".private.%u", lo->nnote++);
    Data *d = ir_data(lo->m, name, NOTE_TEXT + (u32)len + 1, 4, true);
    u32 *words = ir_alloc(lo->m, NOTE_TEXT + len + 1);
    if (!d || !words || !ir_grow(lo->m, n->note, n->nnote, n->capnote))
        return NULL;
    words[NOTE_KIND / 4] = kind;
    words[NOTE_SIZE / 4] = size;
    memcpy(words + NOTE_TEXT / 4, text, len);
    lo->m->sym[d->symbol].is_local = true;
    d->init = (u8 *)words;
    d->ninit = NOTE_TEXT + (u32)len + 1;
    n->note[n->nnote++] = d->symbol;
    return d;
}

static void store_note(Fn *n, u32 symbol, Ref address)
{
    store_at(n, &(How){.as = AS_GLOBAL, .is_volatile = true, .align = 4}, ref_sym(symbol), 0, 4,
             address);
}

void private_leave(Fn *n)
{
    const u32 b = n->b;
    n->b = n->f->exit;
    for (size_t k = 0; k < n->nnote && !n->f->is_kernel; k++)
        store_note(n, n->note[k], ref_con(0));
    n->b = b;
}

void mem_alloca(Fn *n, LLVMValueRef i)
{
    LLVMValueRef count = LLVMGetOperand(i, 0);
    LLVMTypeRef t = LLVMGetAllocatedType(i);
    const LLVMTypeKind kind = LLVMGetTypeKind(t);
    const bool has_parts = kind == LLVMArrayTypeKind || kind == LLVMStructTypeKind;
    Val v = val_new(n->lo, 1);
    if (!LLVMIsAConstantInt(count)) {
        refuse(n->lo, "an array whose size is not constant");
        val_set(n, i, v);
        return;
    }
    const u64 size = LLVMABISizeOfType(n->lo->dl, t) * LLVMConstIntGetZExtValue(count);
    size_t len;
    (void)LLVMGetValueName2(i, &len);
    const bool is_noted = n->lo->apart && size && size < PRIVATE_END && (has_parts || len);
    v.p[0] = private_object(n, size + (is_noted && has_parts ? NOTE_GAP : 0), LLVMGetAlignment(i));
    Data *note =
        is_noted ? make_note(n, i, (u32)size, NOTE_PRIVATE | (has_parts ? 0 : NOTE_PLAIN)) : NULL;
    if (note)
        store_note(n, note->symbol, v.p[0]);
    val_set(n, i, v);
}

Ref load_word(Fn *n, Space s, Ref base, i32 offset, u32 width)
{
    static const unsigned as[] = {AS_GENERIC, AS_GLOBAL, AS_CONSTANT, AS_LOCAL, AS_PRIVATE};
    return load_at(n, &(How){.as = as[s]}, base, offset, width);
}

void store_word(Fn *n, Space s, Ref base, i32 offset, u32 width, Ref x)
{
    static const unsigned as[] = {AS_GENERIC, AS_GLOBAL, AS_CONSTANT, AS_LOCAL, AS_PRIVATE};
    store_at(n, &(How){.as = as[s]}, base, offset, width, x);
}

/* the widest access for `bytes` bytes at a place so aligned */
static u32 step_of(u32 bytes, u32 align)
{
    return bytes >= 4 && align >= 4 ? 4 : bytes >= 2 && align >= 2 ? 2 : 1;
}

/* loads up to four bytes as a piece */
static Ref load_piece(Fn *n, const How *h, Ref base, i32 offset, u32 bytes)
{
    Ref all = ref_none();
    for (u32 at = 0, step; at < bytes; at += step) {
        step = step_of(bytes - at, h->align);
        const How part = {
            .as = h->as, .is_volatile = h->is_volatile, .sext = h->sext && step == bytes};
        const Ref x = load_at(n, &part, base, offset + (i32)at, step);
        all = at ? op2(n, IR_or, all, op2(n, IR_sll, x, ref_con(8 * at))) : x;
    }
    return all;
}

static void store_piece(Fn *n, const How *h, Ref base, i32 offset, u32 bytes, Ref x)
{
    for (u32 at = 0, step; at < bytes; at += step) {
        step = step_of(bytes - at, h->align);
        const Ref part = at ? op2(n, IR_srl, x, ref_con(8 * at)) : x;
        store_at(n, h, base, offset + (i32)at, step, part);
    }
}

/* --- values -------------------------------------------------------------------------------- */

typedef void EachScalar(Fn *n, const How *h, Ref base, i32 offset, LLVMTypeRef t, Ref *p);

static void load_scalar(Fn *n, const How *h, Ref base, i32 offset, LLVMTypeRef t, Ref *p)
{
    const u32 bytes = (int_bits(t) + 7) / 8;
    for (u32 at = 0; at < bytes; at += 4)
        p[at / 4] = load_piece(n, h, base, offset + (i32)at, bytes - at < 4 ? bytes - at : 4);
}

static void store_scalar(Fn *n, const How *h, Ref base, i32 offset, LLVMTypeRef t, Ref *p)
{
    const u32 bits = int_bits(t), bytes = (bits + 7) / 8;
    for (u32 at = 0; at < bytes; at += 4) {
        Ref x = p[at / 4];
        if (bits % 8 && at + 4 >= bytes)
            x = int_zext_top(n, x, bits);
        store_piece(n, h, base, offset + (i32)at, bytes - at < 4 ? bytes - at : 4, x);
    }
}

static u32 align_at(u32 align, u32 offset)
{
    return offset ? (u32)1 << __builtin_ctz(offset | align) : align;
}

/* a vector of bytes or halves that lies on words is loaded as words and taken apart */
static bool load_packed(Fn *n, const How *h, Ref base, i32 offset, LLVMTypeRef t, Ref *p)
{
    enum { MAX_WORDS = 8 };
    const u32 bits = int_bits(LLVMGetElementType(t)), bytes = LLVMGetVectorSize(t) * bits / 8;
    Ref words[MAX_WORDS];
    if ((bits != 8 && bits != 16) || h->align < 4 || bytes % 4 || bytes > 4 * MAX_WORDS ||
        h->is_volatile)
        return false;
    for (u32 at = 0; at < bytes; at += 4)
        words[at / 4] = load_at(n, h, base, offset + (i32)at, 4);
    value_of_words(n, t, words, p);
    return true;
}

/* walks the scalars of a type in memory */
static void walk(Fn *n, const How *h, Ref base, i32 offset, LLVMTypeRef t, Ref *p, EachScalar *each)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(t);
    const bool is_struct = kind == LLVMStructTypeKind;
    u32 count = is_struct ? LLVMCountStructElementTypes(t) : 0;
    if (kind == LLVMArrayTypeKind)
        count = (u32)LLVMGetArrayLength2(t);
    else if (kind == LLVMVectorTypeKind)
        count = LLVMGetVectorSize(t);
    else if (!is_struct) {
        each(n, h, base, offset, t, p);
        return;
    }
    if (kind == LLVMVectorTypeKind && each == load_scalar && load_packed(n, h, base, offset, t, p))
        return;
    if (kind == LLVMVectorTypeKind && !lies_in_bytes(LLVMGetElementType(t))) {
        refuse(n->lo, "a vector of %u-bit numbers in memory", int_bits(LLVMGetElementType(t)));
        return;
    }
    for (u32 k = 0; k < count; k++) {
        LLVMTypeRef et = is_struct ? LLVMStructGetTypeAtIndex(t, k) : LLVMGetElementType(t);
        const u32 at =
            is_struct ? (u32)LLVMOffsetOfElement(n->lo->dl, t, k) : k * type_size(n->lo, et);
        How here = *h;
        here.align = align_at(h->align, at);
        here.sext = false;
        walk(n, &here, base, offset + (i32)at, et, p, each);
        p += type_pieces(n->lo, et);
    }
}

/* The two sides of a generic access. */
typedef struct {
    u32 private_side, flat_side, join;
} Fork;

static Fork fork_on(Fn *n, Ref address)
{
    const Fork k = {ir_block(n->f), ir_block(n->f), ir_block(n->f)};
    ir_branch(n->f, n->b, CMP_ltu, address, ref_con(PRIVATE_END), k.private_side, k.flat_side,
              n->loc);
    ir_jump(n->f, k.private_side, k.join);
    ir_jump(n->f, k.flat_side, k.join);
    return k;
}

static void load_value(Fn *n, const How *h, Ref base, i32 offset, LLVMTypeRef t, Val v)
{
    if (h->as != AS_GENERIC) {
        walk(n, h, base, offset, t, v.p, load_scalar);
        return;
    }
    const Val other = val_new(n->lo, v.n);
    const Fork k = fork_on(n, add_con(n, base, offset));
    How side = *h;
    n->b = k.private_side;
    side.as = AS_PRIVATE;
    walk(n, &side, base, offset, t, v.p, load_scalar);
    n->b = k.flat_side;
    side.as = AS_GENERIC;
    walk(n, &side, base, offset, t, other.p, load_scalar);
    n->b = k.join;
    for (u32 i = 0; i < v.n; i++)
        v.p[i] =
            phi_of(n, k.join, (PhiIn[]){{k.private_side, v.p[i]}, {k.flat_side, other.p[i]}}, 2);
}

static void store_value(Fn *n, const How *h, Ref base, i32 offset, LLVMTypeRef t, Val v)
{
    if (h->as != AS_GENERIC) {
        walk(n, h, base, offset, t, v.p, store_scalar);
        return;
    }
    const Fork k = fork_on(n, add_con(n, base, offset));
    How side = *h;
    n->b = k.private_side;
    side.as = AS_PRIVATE;
    walk(n, &side, base, offset, t, v.p, store_scalar);
    n->b = k.flat_side;
    side.as = AS_GENERIC;
    walk(n, &side, base, offset, t, v.p, store_scalar);
    n->b = k.join;
}

/* every use of what is loaded extends its sign */
static bool wants_sign(LLVMValueRef load)
{
    LLVMUseRef u = LLVMGetFirstUse(load);
    if (!u)
        return false;
    for (; u; u = LLVMGetNextUse(u))
        if (!LLVMIsASExtInst(LLVMGetUser(u)) && !LLVMIsASIToFPInst(LLVMGetUser(u)))
            return false;
    return true;
}

void mem_load(Fn *n, LLVMValueRef i)
{
    LLVMValueRef p = LLVMGetOperand(i, 0);
    LLVMTypeRef t = LLVMTypeOf(i);
    const LLVMAtomicOrdering order = LLVMGetOrdering(i);
    const How h = {as_of(p), LLVMGetVolatile(i) || order, wants_sign(i), LLVMGetAlignment(i)};
    i32 offset;
    if (order && !atomic_is_plain(n, i, t)) {
        atomic_load(n, i);
        return;
    }
    const Ref base = access_base(n, p, (i32)type_size(n->lo, t), &offset);
    const Val v = val_new(n->lo, type_pieces(n->lo, t));
    load_value(n, &h, base, offset, t, v);
    if (order_acquires(order))
        mem_fence(n);
    val_set(n, i, v);
}

void mem_store(Fn *n, LLVMValueRef i)
{
    LLVMValueRef x = LLVMGetOperand(i, 0), p = LLVMGetOperand(i, 1);
    LLVMTypeRef t = LLVMTypeOf(x);
    const LLVMAtomicOrdering order = LLVMGetOrdering(i);
    const How h = {as_of(p), LLVMGetVolatile(i) || order, false, LLVMGetAlignment(i)};
    i32 offset;
    if (order && !atomic_is_plain(n, i, t)) {
        atomic_store(n, i);
        return;
    }
    const Ref base = access_base(n, p, (i32)type_size(n->lo, t), &offset);
    if (order_releases(order))
        mem_fence(n);
    store_value(n, &h, base, offset, t, val_of(n, x));
    if (order == LLVMAtomicOrderingSequentiallyConsistent)
        mem_fence(n);
}

/* --- copies --------------------------------------------------------------------------- */

/* Bytes that move: from one place, or a value, to another. */
typedef struct {
    How to, from;
    Ref dst, src;
    Ref fill; /* of a memset: the byte in each byte; otherwise none */
} Move;

static Ref load_any(Fn *n, const How *h, Ref base, i32 offset, u32 width)
{
    if (h->as != AS_GENERIC)
        return load_at(n, h, base, offset, width);
    const Val v = val_new(n->lo, 1);
    How aligned = *h;
    aligned.align = width;
    load_value(n, &aligned, base, offset, LLVMIntTypeInContext(n->lo->ctx, 8 * width), v);
    return v.p[0];
}

static void store_any(Fn *n, const How *h, Ref base, i32 offset, u32 width, Ref x)
{
    How aligned = *h;
    aligned.align = width;
    store_value(n, &aligned, base, offset, LLVMIntTypeInContext(n->lo->ctx, 8 * width),
                (Val){&x, 1});
}

static void move_step(Fn *n, const Move *m, i32 offset, u32 width)
{
    const Ref x = m->fill.kind ? m->fill : load_any(n, &m->from, m->src, offset, width);
    store_any(n, &m->to, m->dst, offset, width, x);
}

static u32 move_align(const Move *m)
{
    return m->fill.kind || m->to.align < m->from.align ? m->to.align : m->from.align;
}

/* all is read before anything is written, so that places may overlap */
static void move_unrolled(Fn *n, const Move *m, u32 bytes)
{
    Ref x[UNROLLED];
    u32 k = 0;
    for (u32 at = 0, step; at < bytes; at += step) {
        step = step_of(bytes - at, move_align(m));
        x[k++] = m->fill.kind ? m->fill : load_any(n, &m->from, m->src, (i32)at, step);
    }
    k = 0;
    for (u32 at = 0, step; at < bytes; at += step) {
        step = step_of(bytes - at, move_align(m));
        store_any(n, &m->to, m->dst, (i32)at, step, x[k++]);
    }
}

/* moves bytes, a multiple of width, from low to high addresses; the function goes on in `done` */
static void move_up(Fn *n, const Move *m, Ref bytes, u32 width, u32 done)
{
    const u32 head = ir_block(n->f), before = n->b;
    const u32 next = ir_value(n->f);
    ir_branch(n->f, before, CMP_eq, bytes, ref_con(0), done, head, n->loc);
    n->b = head;
    const Ref at = phi_of(n, head, (PhiIn[]){{before, ref_con(0)}, {UINT32_MAX, ref_val(next)}}, 2);
    Move here = *m;
    here.dst = op2(n, IR_add, m->dst, at);
    here.src = m->fill.kind ? ref_none() : op2(n, IR_add, m->src, at);
    move_step(n, &here, 0, width);
    ir_append(n->f, n->b,
              &(Ins){.op = IR_add, .dst = next, .loc = n->loc, .a = {at, ref_con(width)}});
    ir_branch(n->f, n->b, CMP_ltu, ref_val(next), bytes, head, done, n->loc);
}

static void move_down(Fn *n, const Move *m, Ref bytes, u32 width, u32 done)
{
    const u32 head = ir_block(n->f), before = n->b;
    const u32 next = ir_value(n->f);
    ir_branch(n->f, before, CMP_eq, bytes, ref_con(0), done, head, n->loc);
    n->b = head;
    const Ref end = phi_of(n, head, (PhiIn[]){{before, bytes}, {UINT32_MAX, ref_val(next)}}, 2);
    ir_append(n->f, n->b,
              &(Ins){.op = IR_sub, .dst = next, .loc = n->loc, .a = {end, ref_con(width)}});
    Move here = *m;
    here.dst = op2(n, IR_add, m->dst, ref_val(next));
    here.src = op2(n, IR_add, m->src, ref_val(next));
    move_step(n, &here, 0, width);
    ir_branch(n->f, n->b, CMP_ne, ref_val(next), ref_con(0), head, done, n->loc);
}

static void move_bytes(Fn *n, const Move *m, LLVMValueRef length, bool overlaps)
{
    const bool known = LLVMIsAConstantInt(length);
    const u32 bytes = known ? (u32)LLVMConstIntGetZExtValue(length) : 0;
    if (known && bytes <= UNROLLED) {
        move_unrolled(n, m, bytes);
        return;
    }
    const u32 width = known && !(bytes & 3) ? step_of(4, move_align(m)) : 1;
    const Ref count = ref_of(n, length);
    const u32 done = ir_block(n->f);
    if (overlaps) {
        const u32 up = ir_block(n->f), down = ir_block(n->f);
        ir_branch(n->f, n->b, CMP_ltu, m->dst, m->src, up, down, n->loc);
        n->b = down;
        move_down(n, m, count, width, done);
        n->b = up;
    }
    move_up(n, m, count, width, done);
    n->b = done;
}

/* how argument k of a copy is accessed */
static How argument_how(LLVMValueRef call, unsigned k)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(call, k + 1, kind);
    return (How){.as = as_of(LLVMGetOperand(call, k)),
                 .is_volatile = !LLVMIsNull(LLVMGetOperand(call, 3)),
                 .align = align ? (u32)LLVMGetEnumAttributeValue(align) : 1};
}

void mem_copy(Fn *n, LLVMValueRef i, bool is_move)
{
    const Move m = {.to = argument_how(i, 0),
                    .from = argument_how(i, 1),
                    .dst = ref_of(n, LLVMGetOperand(i, 0)),
                    .src = ref_of(n, LLVMGetOperand(i, 1))};
    /* what the program says is a copy of an object, not what the optimiser made of a loop */
    const unsigned fields = LLVMGetMDKindIDInContext(n->lo->ctx, "tbaa.struct", 11),
                   mark = LLVMGetMDKindIDInContext(n->lo->ctx, COPY_MARK, sizeof COPY_MARK - 1);
    if (LLVMGetMetadata(i, fields) || LLVMGetMetadata(i, mark))
        n->loc = mark_place(n, n->loc, LOC_COPY);
    const bool same = m.to.as == m.from.as || m.to.as == AS_GENERIC || m.from.as == AS_GENERIC;
    move_bytes(n, &m, LLVMGetOperand(i, 2), is_move && same);
}

void mem_set(Fn *n, LLVMValueRef i)
{
    const Ref byte = int_zext(n, ref_of(n, LLVMGetOperand(i, 1)), 8);
    const Ref fill = byte.kind == R_CON ? ref_con(byte.val * 0x01010101u)
                                        : op2(n, IR_mul, byte, ref_con(0x01010101));
    const Move m = {.to = argument_how(i, 0), .dst = ref_of(n, LLVMGetOperand(i, 0)), .fill = fill};
    move_bytes(n, &m, LLVMGetOperand(i, 2), false);
}

/* --- values as bits ------------------------------------------------------------------- */

/* appends x, whose bits above `bits` are 0, to a string of words that is `at` bits long */
static void append_bits(Fn *n, Ref *words, u32 at, u32 bits, Ref x)
{
    if (at % 32)
        words[at / 32] = op2(n, IR_or, words[at / 32], op2(n, IR_sll, x, ref_con(at % 32)));
    else
        words[at / 32] = x;
    if (at % 32 + bits > 32)
        words[at / 32 + 1] = op2(n, IR_srl, x, ref_con(32 - at % 32));
}

u32 value_words(Fn *n, LLVMTypeRef t, const Ref *p, Ref *words)
{
    const u32 bits = int_bits(type_scalar(t)), count = type_elements(t), k = (bits + 31) / 32;
    u32 at = 0;
    for (u32 e = 0; e < count; e++)
        for (u32 w = 0; w < k; w++) {
            const u32 here = bits - 32 * w < 32 ? bits - 32 * w : 32;
            const Ref x = p[e * k + w];
            append_bits(n, words, at, here, w + 1 == k ? int_zext_top(n, x, bits) : x);
            at += here;
        }
    return (at + 31) / 32;
}

static Ref take_bits(Fn *n, const Ref *words, u32 at, u32 bits)
{
    Ref x = words[at / 32];
    if (at % 32)
        x = op2(n, IR_srl, x, ref_con(at % 32));
    if (at % 32 + bits > 32)
        x = op2(n, IR_or, x, op2(n, IR_sll, words[at / 32 + 1], ref_con(32 - at % 32)));
    return bits == 1 ? op2(n, IR_and, x, ref_con(1)) : x;
}

void value_of_words(Fn *n, LLVMTypeRef t, const Ref *words, Ref *p)
{
    const u32 bits = int_bits(type_scalar(t)), count = type_elements(t), k = (bits + 31) / 32;
    u32 at = 0;
    for (u32 e = 0; e < count; e++)
        for (u32 w = 0; w < k; w++) {
            const u32 here = bits - 32 * w < 32 ? bits - 32 * w : 32;
            p[e * k + w] = take_bits(n, words, at, here);
            at += here;
        }
}
