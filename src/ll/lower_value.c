/* lower_value.c -- types, constants and the pieces that values are made of. */
#include "base/mem.h"
#include "ll/lower.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- errors ---------------------------------------------------------------------------- */

/* an instruction without a line is taken to be where its function begins */
static void place_of(LLVMValueRef v, Buf *b)
{
    unsigned len = 0;
    if (v && LLVMIsAInstruction(v) && !LLVMGetDebugLocLine(v))
        v = LLVMGetBasicBlockParent(LLVMGetInstructionParent(v));
    if (!v || !(LLVMIsAInstruction(v) || LLVMIsAFunction(v)) || !LLVMGetDebugLocLine(v))
        return;
    const char *file = LLVMGetDebugLocFilename(v, &len);
    buf_printf(b, "%.*s:%u", (int)len, file ? file : "", LLVMGetDebugLocLine(v));
    if (LLVMIsAInstruction(v) && LLVMGetDebugLocColumn(v))
        buf_printf(b, ":%u", LLVMGetDebugLocColumn(v));
}

void error_at(Diag *d, LLVMValueRef at, const char *fmt, ...)
{
    Buf place = {0}, text = {0};
    char line[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    place_of(at, &place);
    buf_printf(&text, "%s%serror: %s", buf_text(&place), place.len ? ": " : "", line);
    diag_foreign(d, DIAG_ERROR, buf_text(&text));
    buf_free(&place);
    buf_free(&text);
}

void refuse(Lower *lo, const char *fmt, ...)
{
    char line[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (!lo->stopped)
        error_at(lo->d, lo->at, "%s", line);
    lo->stopped = true;
}

/* --- tables -------------------------------------------------------------------------------- */

Val val_new(Lower *lo, u32 n)
{
    if (n > VALUE_PIECES) {
        refuse(lo, "a value of %u bytes is too large", n * 4);
        n = 1;
    }
    Ref *p = ir_alloc(lo->m, (n + 1) * sizeof *p);
    return (Val){p ? p : lo->scratch, n};
}

static size_t slot_of(const Map *map, const void *key)
{
    size_t at = ((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u >> 20 & (map->cap - 1);
    while (map->entry[at].key && map->entry[at].key != key)
        at = (at + 1) & (map->cap - 1);
    return at;
}

static bool map_double(Lower *lo, Map *map)
{
    Map bigger = {.cap = map->cap ? map->cap * 2 : 64, .n = map->n};
    bigger.entry = ir_alloc(lo->m, bigger.cap * sizeof *bigger.entry);
    if (!bigger.entry)
        return false;
    for (size_t i = 0; i < map->cap; i++)
        if (map->entry[i].key)
            bigger.entry[slot_of(&bigger, map->entry[i].key)] = map->entry[i];
    *map = bigger;
    return true;
}

void map_put(Lower *lo, Map *map, const void *key, Val v)
{
    if (map->n * 2 >= map->cap && !map_double(lo, map))
        return;
    struct Entry *e = &map->entry[slot_of(map, key)];
    map->n += !e->key;
    *e = (struct Entry){key, v};
}

bool map_get(const Map *map, const void *key, Val *v)
{
    if (!map->cap)
        return false;
    const struct Entry *e = &map->entry[slot_of(map, key)];
    if (e->key)
        *v = e->val;
    return e->key;
}

u32 *pair_number(Lower *lo, PairMap *map, const void *first, const void *second)
{
    Val head;
    u32 at = map_get(&map->first, first, &head) ? head.p[0].val : 0;
    const u32 next = at;
    for (; at; at = map->entry[at - 1].next)
        if (map->entry[at - 1].second == second)
            return &map->entry[at - 1].number;
    if (!ir_grow(lo->m, map->entry, map->n, map->cap))
        return NULL;
    map->entry[map->n++] = (struct PairEntry){second, 0, next};
    head = val_new(lo, 1);
    head.p[0] = ref_con(map->n);
    map_put(lo, &map->first, first, head);
    return &map->entry[map->n - 1].number;
}

/* --- types --------------------------------------------------------------------------------- */

u32 type_elements(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 1;
}

LLVMTypeRef type_scalar(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

u32 int_bits(LLVMTypeRef t)
{
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(t);
    case LLVMHalfTypeKind: return 16;
    case LLVMDoubleTypeKind: return 64;
    default: return 32;
    }
}

bool lies_in_bytes(LLVMTypeRef t)
{
    const u32 bits = int_bits(t);
    return bits >= 8 && is_pow2(bits);
}

static u32 struct_pieces(Lower *lo, LLVMTypeRef t)
{
    u64 n = 0;
    for (unsigned i = 0; i < LLVMCountStructElementTypes(t); i++)
        n += type_pieces(lo, LLVMStructGetTypeAtIndex(t, i));
    return n > VALUE_PIECES ? VALUE_PIECES + 1 : (u32)n;
}

bool type_is(LLVMTypeRef t, const char *opaque)
{
    const bool is_opaque = LLVMGetTypeKind(t) == LLVMTargetExtTypeKind;
    const char *name = is_opaque ? LLVMGetTargetExtTypeName(t) : "";
    return begins(name, "spirv.") && !strcmp(name + strlen("spirv."), opaque);
}

u32 type_pieces(Lower *lo, LLVMTypeRef t)
{
    u64 n;
    switch (LLVMGetTypeKind(t)) {
    case LLVMVoidTypeKind: return 0;
    case LLVMFloatTypeKind:
    case LLVMPointerTypeKind: return 1;
    case LLVMIntegerTypeKind: return (LLVMGetIntTypeWidth(t) + 31) / 32;
    case LLVMVectorTypeKind:
        n = (u64)LLVMGetVectorSize(t) * type_pieces(lo, LLVMGetElementType(t));
        return n > VALUE_PIECES ? VALUE_PIECES + 1 : (u32)n;
    case LLVMArrayTypeKind:
        n = LLVMGetArrayLength2(t) * type_pieces(lo, LLVMGetElementType(t));
        return n > VALUE_PIECES ? VALUE_PIECES + 1 : (u32)n;
    case LLVMStructTypeKind: return struct_pieces(lo, t);
    case LLVMTargetExtTypeKind: /* an image is the address of its descriptor, a pipe its address, a
                                   sampler a word; events are words that are not read */
        if (!type_is(t, "Image") && !type_is(t, "Sampler") && !type_is(t, "Event") &&
            !type_is(t, "Pipe") && !type_is(t, "ReserveId"))
            refuse(lo, "queues of devices are not supported");
        return 1;
    case LLVMHalfTypeKind: return 1;
    case LLVMDoubleTypeKind: return 2;
    default: refuse(lo, "a type that this device does not have"); return 1;
    }
}

u32 type_size(const Lower *lo, LLVMTypeRef t) { return (u32)LLVMABISizeOfType(lo->dl, t); }

u32 type_align(const Lower *lo, LLVMTypeRef t) { return LLVMABIAlignmentOfType(lo->dl, t); }

/* --- instructions ----------------------------------------------------------------------------- */

Ref op3(Fn *n, IrOp op, Ref x, Ref y, Ref z)
{
    return ref_val(ir_op(n->f, n->b, op, x, y, z, n->loc));
}
Ref op2(Fn *n, IrOp op, Ref x, Ref y) { return op3(n, op, x, y, ref_none()); }
Ref op1(Fn *n, IrOp op, Ref x) { return op3(n, op, x, ref_none(), ref_none()); }

Ref op0(Fn *n, IrOp op, i32 imm)
{
    const Ins i = {.op = (u16)op, .dst = ir_value(n->f), .imm = imm, .loc = n->loc};
    ir_append(n->f, n->b, &i);
    return ref_val(i.dst);
}

Ref add_con(Fn *n, Ref x, i32 c)
{
    if (!c)
        return x;
    if (x.kind == R_CON)
        return ref_con(x.val + (u32)c);
    const i64 off = (i64)x.off + c;
    if ((x.kind == R_SYM || x.kind == R_SLOT) && off == (i16)off) {
        x.off = (i16)off;
        return x;
    }
    return op2(n, IR_add, x, ref_con((u32)c));
}

Ref phi_of(Fn *n, u32 b, const PhiIn *in, u32 nin)
{
    Module *m = n->lo->m;
    const u32 dst = ir_value(n->f);
    PhiIn *copy = ir_alloc(m, (nin + 1) * sizeof *copy);
    if (copy && ir_grow(m, n->phi, n->nphi, n->capphi)) {
        memcpy(copy, in, nin * sizeof *in);
        n->phi[n->nphi++] = (PendingPhi){.block = b, .dst = dst, .n = nin, .in = copy};
    }
    return ref_val(dst);
}

void piece_known(Fn *n, u32 value, i8 extension)
{
    while (n->nknown <= value)
        if (ir_grow(n->lo->m, n->known, n->nknown, n->capknown))
            n->known[n->nknown++] = 0;
        else
            return;
    n->known[value] = extension;
}

i8 piece_extension(const Fn *n, Ref x)
{
    return x.kind == R_VAL && x.val < n->nknown ? n->known[x.val] : 0;
}

/* --- offsets -------------------------------------------------------------------------- */

i32 gep_offset(const Lower *lo, LLVMValueRef gep, LLVMValueRef *var, u32 *scale, u32 room,
               u32 *nvar)
{
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    u64 offset = 0;
    *nvar = 0;
    for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(gep); k++) {
        LLVMValueRef index = LLVMGetOperand(gep, k);
        const bool known = LLVMIsAConstantInt(index);
        if (k > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            const unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            offset += LLVMOffsetOfElement(lo->dl, t, field);
            t = LLVMStructGetTypeAtIndex(t, field);
            continue;
        }
        if (k > 1)
            t = LLVMGetElementType(t);
        const u32 size = type_size(lo, t);
        if (known)
            offset += (u64)LLVMConstIntGetSExtValue(index) * size;
        else if ((*nvar)++ < room) {
            var[*nvar - 1] = index;
            scale[*nvar - 1] = size;
        }
    }
    return (i32)(u32)offset;
}

/* --- constants ------------------------------------------------------------------------ */

/* the address of a variable */
static Ref variable_ref(Fn *n, LLVMValueRef g)
{
    const Lower *lo = n->lo;
    size_t len;
    if (as_of(g) != AS_LOCAL)
        return ref_sym(ir_sym(lo->m, LLVMGetValueName2(g, &len), SYM_EXTERN));
    for (size_t i = 0; i < lo->nlocal; i++)
        if (lo->local[i].var == g)
            return add_con(n, op0(n, IR_ldsbase, 0), (i32)lo->local[i].offset);
    refuse(n->lo, "a variable in local memory that has no place");
    return ref_con(0);
}

static void constant(Fn *n, LLVMValueRef c, Ref *out);

static Ref constant_gep(Fn *n, LLVMValueRef c)
{
    LLVMValueRef var[1];
    u32 scale[1], nvar;
    Ref base;
    constant(n, LLVMGetOperand(c, 0), &base);
    const i32 offset = gep_offset(n->lo, c, var, scale, 1, &nvar);
    if (nvar)
        refuse(n->lo, "a constant address that cannot be computed");
    return add_con(n, base, offset);
}

static void constant_expression(Fn *n, LLVMValueRef c, Ref *out)
{
    const LLVMOpcode op = LLVMGetConstOpcode(c);
    LLVMValueRef x = LLVMGetOperand(c, 0);
    const u32 from = type_pieces(n->lo, LLVMTypeOf(x)), to = type_pieces(n->lo, LLVMTypeOf(c));
    Val a = val_new(n->lo, from > to ? from : to), b = a;
    switch (op) {
    case LLVMGetElementPtr: out[0] = constant_gep(n, c); return;
    case LLVMAddrSpaceCast: constant(n, x, out); return;
    case LLVMIntToPtr:
    case LLVMPtrToInt:
    case LLVMTrunc:
        constant(n, x, a.p);
        int_cast(n, op, &(Elem){LLVMTypeOf(x), LLVMTypeOf(c), {a.p}, out});
        return;
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMXor:
        b = val_new(n->lo, to);
        constant(n, x, a.p);
        constant(n, LLVMGetOperand(c, 1), b.p);
        int_binary(n, op, &(Elem){LLVMTypeOf(c), LLVMTypeOf(c), {a.p, b.p}, out});
        return;
    default:
        refuse(n->lo, "a constant expression that this compiler does not know");
        out[0] = ref_con(0);
    }
}

static void constant_elements(Fn *n, LLVMValueRef c, u32 count, Ref *out)
{
    for (u32 i = 0, at = 0; i < count; i++) {
        LLVMValueRef e = LLVMGetAggregateElement(c, i);
        constant(n, e, out + at);
        at += type_pieces(n->lo, LLVMTypeOf(e));
    }
}

static u32 element_count(LLVMTypeRef t)
{
    switch (LLVMGetTypeKind(t)) {
    case LLVMVectorTypeKind: return LLVMGetVectorSize(t);
    case LLVMArrayTypeKind: return (u32)LLVMGetArrayLength2(t);
    case LLVMStructTypeKind: return LLVMCountStructElementTypes(t);
    default: return 0;
    }
}

enum { WIDE_WORDS = 64 };

/* words = words * 10 + digit */
static void append_digit(u32 *words, u32 n, u32 digit)
{
    u64 carry = digit;
    for (u32 k = 0; k < n; k++) {
        carry += (u64)words[k] * 10;
        words[k] = (u32)carry;
        carry >>= 32;
    }
}

static void negate(u32 *words, u32 n)
{
    u64 carry = 1;
    for (u32 k = 0; k < n; k++) {
        carry += ~words[k];
        words[k] = (u32)carry;
        carry >>= 32;
    }
}

/* LLVM shows the words of a wide integer only as text: "i128 -123" */
static void wide_words(Lower *lo, LLVMValueRef c, u32 words[WIDE_WORDS], u32 pieces)
{
    memset(words, 0, WIDE_WORDS * sizeof *words);
    if (pieces > WIDE_WORDS) {
        refuse(lo, "a constant of %u bits", 32 * pieces);
        return;
    }
    char *text = LLVMPrintValueToString(c);
    const char *digits = text + strcspn(text, " ");
    for (const char *p = digits; *p; p++)
        if (*p >= '0' && *p <= '9')
            append_digit(words, pieces, (u32)(*p - '0'));
    if (strchr(digits, '-'))
        negate(words, pieces);
    LLVMDisposeMessage(text);
}

/* a float's bits, through an integer so that NaNs stay what they are */
static u64 float_bits(LLVMValueRef c)
{
    LLVMTypeRef t = LLVMTypeOf(c);
    LLVMTypeRef as_int = LLVMIntTypeInContext(LLVMGetTypeContext(t), int_bits(t));
    return LLVMConstIntGetZExtValue(LLVMConstBitCast(c, as_int));
}

static void put_words(Ref *out, u32 pieces, u64 bits)
{
    for (u32 k = 0; k < pieces; k++)
        out[k] = ref_con(k < 2 ? (u32)(bits >> 32 * k) : 0);
}

static void constant(Fn *n, LLVMValueRef c, Ref *out)
{
    LLVMTypeRef t = LLVMTypeOf(c);
    const u32 pieces = type_pieces(n->lo, t);
    if (pieces > VALUE_PIECES) {
        refuse(n->lo, "a constant of %u pieces as one value", pieces);
    } else if (LLVMIsNull(c) || LLVMIsUndef(c) || LLVMIsPoison(c)) {
        put_words(out, pieces, 0);
    } else if (LLVMIsAConstantInt(c) && pieces > 2) {
        u32 words[WIDE_WORDS];
        wide_words(n->lo, c, words, pieces);
        for (u32 k = 0; k < pieces; k++)
            out[k] = ref_con(k < WIDE_WORDS ? words[k] : 0);
    } else if (LLVMIsAConstantInt(c)) {
        put_words(out, pieces, LLVMConstIntGetZExtValue(c));
    } else if (LLVMIsAConstantFP(c)) {
        put_words(out, pieces, float_bits(c));
    } else if (LLVMIsAGlobalVariable(c)) {
        out[0] = variable_ref(n, c);
    } else if (LLVMIsAFunction(c)) {
        refuse(n->lo, "pointers to functions are not supported");
        out[0] = ref_con(0);
    } else if (LLVMIsAConstantExpr(c)) {
        constant_expression(n, c, out);
    } else if (element_count(t)) {
        constant_elements(n, c, element_count(t), out);
    } else {
        refuse(n->lo, "a constant that this compiler does not know");
        out[0] = ref_con(0);
    }
}

/* --- values --------------------------------------------------------------------------- */

Val val_of(Fn *n, LLVMValueRef v)
{
    Val x;
    if (map_get(&n->values, v, &x))
        return x;
    x = val_new(n->lo, type_pieces(n->lo, LLVMTypeOf(v)));
    put_words(x.p, x.n, 0);
    if (LLVMIsConstant(v))
        constant(n, v, x.p);
    else
        refuse(n->lo, "a value that was not computed before it is used");
    return x;
}

Ref ref_of(Fn *n, LLVMValueRef v)
{
    const Val x = val_of(n, v);
    return x.n ? x.p[0] : ref_con(0);
}

void val_set(Fn *n, LLVMValueRef v, Val x) { map_put(n->lo, &n->values, v, x); }

/* --- variables ------------------------------------------------------------------------ */

/* A variable's bytes; symbol numbers of its relocations. */
typedef struct {
    Lower *lo;
    LLVMValueRef var;
    u8 *byte;
    u32 symbol; /* finds the Data again, which moves while others are added */
} Image;

static Data *data_of(const Image *im) { return &im->lo->m->data[im->lo->m->sym[im->symbol].index]; }

static void put_bits(const Image *im, u32 at, u64 bits, u32 bytes)
{
    for (u32 k = 0; k < bytes && k < 8; k++)
        im->byte[at + k] = (u8)(bits >> 8 * k);
}

static void put_integer(const Image *im, u32 at, LLVMValueRef c)
{
    const u32 bits = int_bits(LLVMTypeOf(c));
    u32 words[WIDE_WORDS];
    if (bits <= 64) {
        put_bits(im, at, LLVMConstIntGetZExtValue(c), (bits + 7) / 8);
        return;
    }
    wide_words(im->lo, c, words, (bits + 31) / 32);
    if (bits % 32 && bits < 32 * WIDE_WORDS) /* as a store leaves it */
        words[bits / 32] &= ((u32)1 << bits % 32) - 1;
    for (u32 k = 0; k < WIDE_WORDS && 32 * k < bits; k++)
        put_bits(im, at + 4 * k, words[k], bits - 32 * k < 32 ? (bits - 32 * k + 7) / 8 : 4);
}

static void put_constant(const Image *im, u32 at, LLVMValueRef c);

static void put_elements(const Image *im, u32 at, LLVMValueRef c, LLVMTypeRef t)
{
    const bool is_struct = LLVMGetTypeKind(t) == LLVMStructTypeKind;
    const u32 count = element_count(t);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind && !lies_in_bytes(LLVMGetElementType(t))) {
        refuse(im->lo, "a vector of %u-bit numbers in memory", int_bits(LLVMGetElementType(t)));
        return;
    }
    for (u32 i = 0; i < count; i++) {
        LLVMValueRef e = LLVMGetAggregateElement(c, i);
        const u32 stride = is_struct ? 0 : type_size(im->lo, LLVMTypeOf(e));
        put_constant(im, at + (is_struct ? (u32)LLVMOffsetOfElement(im->lo->dl, t, i) : i * stride),
                     e);
    }
}

/* a word that is an address: symbol and distance */
static bool symbol_address(const Image *im, LLVMValueRef c, LLVMValueRef *g, i32 *distance)
{
    LLVMValueRef var[1];
    u32 scale[1], nvar = 0;
    *distance = 0;
    *g = c;
    while (LLVMIsAConstantExpr(c)) {
        switch (LLVMGetConstOpcode(c)) {
        case LLVMGetElementPtr: *distance += gep_offset(im->lo, c, var, scale, 1, &nvar); break;
        case LLVMAddrSpaceCast:
        case LLVMIntToPtr:
        case LLVMPtrToInt: break;
        default: return false;
        }
        if (nvar || int_bits(LLVMTypeOf(c)) < 32)
            return false;
        c = LLVMGetOperand(c, 0);
    }
    *g = c;
    return LLVMIsAGlobalVariable(c) && LLVMGetPointerAddressSpace(LLVMTypeOf(c)) != 3;
}

static void put_address(const Image *im, u32 at, LLVMValueRef c)
{
    LLVMValueRef g = c;
    i32 distance;
    size_t len;
    if (symbol_address(im, c, &g, &distance)) {
        const u32 symbol = ir_sym(im->lo->m, LLVMGetValueName2(g, &len), SYM_EXTERN);
        if (!im->lo->m->failed)
            ir_reloc(im->lo->m, data_of(im), at, symbol, distance);
    } else if (LLVMIsAConstantInt(g)) {
        put_bits(im, at, LLVMConstIntGetZExtValue(g) + (u32)distance, 4);
    } else {
        refuse(im->lo, "'%s' is initialised with something that is no constant here",
               LLVMGetValueName2(im->var, &len));
    }
}

static void put_constant(const Image *im, u32 at, LLVMValueRef c)
{
    LLVMTypeRef t = LLVMTypeOf(c);
    if (LLVMIsNull(c) || LLVMIsUndef(c) || LLVMIsPoison(c))
        return;
    if (LLVMIsAConstantInt(c))
        put_integer(im, at, c);
    else if (LLVMIsAConstantFP(c))
        put_bits(im, at, float_bits(c), int_bits(t) / 8);
    else if (element_count(t) && !LLVMIsAConstantExpr(c))
        put_elements(im, at, c, t);
    else
        put_address(im, at, c);
}

static bool is_internal(LLVMValueRef g)
{
    const LLVMLinkage l = LLVMGetLinkage(g);
    return l == LLVMInternalLinkage || l == LLVMPrivateLinkage || l == LLVMLinkOnceODRLinkage ||
           l == LLVMLinkOnceAnyLinkage;
}

void lower_global(Lower *lo, LLVMValueRef g)
{
    LLVMTypeRef t = LLVMGlobalGetValueType(g);
    const u32 size = type_size(lo, t), align = LLVMGetAlignment(g);
    size_t len;
    const char *name = LLVMGetValueName2(g, &len);
    lo->at = g;
    if (!LLVMGetInitializer(g))
        return;
    u8 *bytes = ir_alloc(lo->m, size + 1);
    Data *d =
        ir_data(lo->m, name, size, align ? align : type_align(lo, t), !LLVMIsGlobalConstant(g));
    if (!bytes || !d)
        return;
    lo->m->sym[d->symbol].is_local = is_internal(g);
    const Image im = {lo, g, bytes, d->symbol};
    put_constant(&im, 0, LLVMGetInitializer(g));
    d = data_of(&im);
    d->init = bytes;
    d->ninit = size;
    while (!d->nreloc && d->ninit && !bytes[d->ninit - 1])
        d->ninit--;
}
