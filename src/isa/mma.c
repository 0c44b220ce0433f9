/* mma.c -- the shape and type suffixes of the matrix instructions.
 *
 *     mma.m8n8k16.row.col.f32.f16.f16.f32      d a b c types
 *     mma64.m16n8k32.row.col.s32.s8.s8.s32.nosat
 *
 * The operand value of mma is {type:4, shape:3, al:1, bl:1, ct:1}, of mma64
 * {type:4, shape:3, al:1, bl:1, ct:1, rounding:2} (doc/isa.md, "Matrix product").
 */
#include "isa/isa.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    u32 type, shape, al, bl, ct, rd;
} Fields;

static Fields unpack(OperandKind kind, i32 value)
{
    const u32 v = (u32)value, rd = kind == K_MMA64 ? 2 : 0;
    return (Fields){v >> (6 + rd) & 15, v >> (3 + rd) & 7, v >> (2 + rd) & 1,
                    v >> (1 + rd) & 1,  v >> rd & 1,       rd ? v & 3 : 0};
}

static const char *const type_name[16] = {
    "tf32", "f16", "bf16", "e4m3", "e5m2", "e3m2", "e2m3", "e2m1", "e3m0", "s8", "s4", "b1", "f32",
};

static bool is_integer(u32 type) { return type >= MMA_S8 && type <= MMA_B1; }

/* rows, columns, inner length; m 0: reserved */
typedef struct {
    u8 m, n, k;
} Shape;

/* shapes by code, of the element width that `type` has */
static Shape shape_of(u32 type, u32 code)
{
    static const Shape wide[8] = {{8, 8, 16}, {16, 8, 16}, {8, 16, 16}, {16, 16, 16},
                                  {8, 8, 8},  {16, 8, 8},  {8, 16, 8},  {16, 16, 8}};
    static const Shape full[8] = {[4] = {8, 8, 8}, [5] = {16, 8, 8}, [1] = {16, 8, 16}};
    static const Shape byte[8] = {[0] = {8, 8, 16}, [3] = {16, 16, 16}, [1] = {16, 8, 32}};
    static const Shape nibble[8] = {{8, 8, 32}, {16, 8, 32}, {16, 8, 64}};
    static const Shape binary[8] = {{8, 8, 128}};
    switch ((MmaType)type) {
    case MMA_TF32: return code >= 4 ? wide[code] : (Shape){0};
    case MMA_F16:
    case MMA_BF16: return wide[code];
    case MMA_F32: return full[code];
    case MMA_S4:
    case MMA_E2M1:
    case MMA_E3M0: return nibble[code];
    case MMA_B1: return binary[code];
    case MMA_E4M3:
    case MMA_E5M2:
    case MMA_E3M2:
    case MMA_E2M3:
    case MMA_S8: return byte[code];
    }
    return (Shape){0};
}

/* the type of C and D; NULL: reserved */
static const char *result_name(OperandKind kind, const Fields *f)
{
    if (is_integer(f->type))
        return f->ct ? "s32" : NULL;
    if (f->ct)
        return "f32";
    if (kind == K_MMA64 ? f->type == MMA_TF32 || f->type == MMA_BF16 || f->type == MMA_F32
                        : f->type != MMA_F16)
        return NULL;
    return "f16";
}

static bool is_reserved(OperandKind kind, const Fields *f)
{
    const bool rounds = is_integer(f->type) ? f->rd < 2 : true;
    return (kind == K_MMA && f->type > MMA_BF16) || f->type > MMA_F32 ||
           !shape_of(f->type, f->shape).m || !result_name(kind, f) || !rounds;
}

bool isa_mma_suffix(OperandKind kind, i32 value, char *text, size_t size)
{
    static const char *const rounding[4] = {"", ".rz", ".rm", ".rp"};
    static const char *const overflow[2] = {"", ".nosat"};
    const Fields f = unpack(kind, value);
    if (is_reserved(kind, &f))
        return false;
    const Shape shape = shape_of(f.type, f.shape);
    const char *a = type_name[f.type], *d = result_name(kind, &f);
    snprintf(text, size, ".m%un%uk%u.%s.%s.%s.%s.%s.%s%s", shape.m, shape.n, shape.k,
             f.al ? "col" : "row", f.bl ? "row" : "col", d, a, a, d,
             is_integer(f.type) ? overflow[f.rd] : rounding[f.rd]);
    return true;
}

bool isa_find_mma(OperandKind kind, const char *text, size_t len, i32 *value)
{
    const i32 n = kind == K_MMA ? 1 << 10 : 1 << 12;
    char suffix[80];
    /* the default rounding may be written too */
    static const char *const spelled[] = {".rn", ".sat"};
    for (size_t i = 0; i < countof(spelled) && kind == K_MMA64; i++) {
        const size_t n2 = strlen(spelled[i]);
        if (len > n2 && !strncmp(text + len - n2, spelled[i], n2)) {
            len -= n2;
            break;
        }
    }
    for (*value = 0; *value < n; ++*value)
        if (isa_mma_suffix(kind, *value, suffix, sizeof suffix) && strlen(suffix) == len &&
            !strncmp(suffix, text, len))
            return true;
    return false;
}

bool isa_mma(OperandKind kind, i32 value, Mma *mma)
{
    const Fields f = unpack(kind, value);
    if (is_reserved(kind, &f))
        return false;
    const Shape shape = shape_of(f.type, f.shape);
    *mma = (Mma){.m = shape.m,
                 .n = shape.n,
                 .k = shape.k,
                 .type = (MmaType)f.type,
                 .a_by_column = f.al,
                 .b_by_row = f.bl,
                 .wide = f.ct,
                 .rounding = f.rd};
    return true;
}

u32 isa_mma_bits(MmaType t)
{
    switch (t) {
    case MMA_TF32:
    case MMA_F32: return 32;
    case MMA_F16:
    case MMA_BF16: return 16;
    case MMA_E2M1:
    case MMA_E3M0:
    case MMA_S4: return 4;
    case MMA_B1: return 1;
    default: return 8;
    }
}

MmaFloat isa_mma_float(MmaType t)
{
    static const MmaFloat formats[] = {
        [MMA_E4M3] = {4, 3}, [MMA_E5M2] = {5, 2}, [MMA_E3M2] = {3, 2},
        [MMA_E2M3] = {2, 3}, [MMA_E2M1] = {2, 1}, [MMA_E3M0] = {3, 0},
    };
    return formats[t];
}
