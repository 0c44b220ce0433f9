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

typedef struct { u32 type, shape, al, bl, ct, rd; } Fields;

static Fields unpack(OperandKind kind, i32 value)
{
    const u32 v = (u32)value, rd = kind == K_MMA64 ? 2 : 0;
    return (Fields){v >> (6 + rd) & 15, v >> (3 + rd) & 7, v >> (2 + rd) & 1, v >> (1 + rd) & 1,
                    v >> rd & 1, rd ? v & 3 : 0};
}

static const char *const type_name[16] = {
    "tf32", "f16", "bf16", "e4m3", "e5m2", "e3m2", "e2m3", "e2m1",
    "e3m0", "s8",  "s4",   "b1",   "f32",
};

static bool is_integer(u32 type) { return type >= MMA_S8 && type <= MMA_B1; }

/* shapes by code, of the element width that `type` has */
static const char *shape_name(u32 type, u32 shape)
{
    static const char *const wide[8] = {"m8n8k16", "m16n8k16", "m8n16k16", "m16n16k16",
                                        "m8n8k8",  "m16n8k8",  "m8n16k8",  "m16n16k8"};
    static const char *const full[8] = {[4] = "m8n8k8", [5] = "m16n8k8", [1] = "m16n8k16"};
    static const char *const byte[8] = {[0] = "m8n8k16", [3] = "m16n16k16", [1] = "m16n8k32"};
    static const char *const nibble[8] = {"m8n8k32", "m16n8k32", "m16n8k64"};
    static const char *const binary[8] = {"m8n8k128"};
    switch (type) {
    case MMA_TF32: return shape >= 4 ? wide[shape] : NULL;
    case MMA_F16:
    case MMA_BF16: return wide[shape];
    case MMA_F32: return full[shape];
    case MMA_S4:
    case MMA_E2M1:
    case MMA_E3M0: return nibble[shape];
    case MMA_B1: return binary[shape];
    case MMA_E4M3:
    case MMA_E5M2:
    case MMA_E3M2:
    case MMA_E2M3:
    case MMA_S8: return byte[shape];
    default: return NULL;
    }
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

bool isa_mma_suffix(OperandKind kind, i32 value, char *text, size_t size)
{
    static const char *const rounding[4] = {"", ".rz", ".rm", ".rp"};
    static const char *const overflow[4] = {"", ".nosat"};
    const Fields f = unpack(kind, value);
    if (kind == K_MMA && f.type > MMA_BF16)
        return false;
    const char *a = type_name[f.type], *shape = shape_name(f.type, f.shape);
    const char *d = result_name(kind, &f);
    const char *last = is_integer(f.type) ? overflow[f.rd] : rounding[f.rd];
    if (!a || !shape || !d || !last)
        return false;
    snprintf(text, size, ".%s.%s.%s.%s.%s.%s.%s%s", shape, f.al ? "col" : "row",
             f.bl ? "row" : "col", d, a, a, d, last);
    return true;
}

bool isa_find_mma(OperandKind kind, const char *text, size_t len, i32 *value)
{
    const i32 n = kind == K_MMA ? 1 << 10 : 1 << 12;
    char suffix[80];
    /* the defaults may be written out */
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
    char text[80];
    const Fields f = unpack(kind, value);
    if (!isa_mma_suffix(kind, value, text, sizeof text))
        return false;
    *mma = (Mma){.type = (MmaType)f.type, .a_by_column = f.al, .b_by_row = f.bl, .wide = f.ct,
                 .rounding = f.rd};
    return sscanf(shape_name(f.type, f.shape), "m%un%uk%u", &mma->m, &mma->n, &mma->k) == 3;
}
