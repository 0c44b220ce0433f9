/* spirv.c -- looks at SPIR-V modules without trusting them: a module is words, five of a header and
 * then instructions, of which each says in its first word how many words it has.
 */
#include "comp/spirv.h"
#include <string.h>
#include <unistd.h>

enum { MAGIC = 0x07230203, HEADER = 5 };
enum { /* instructions */
       OP_MEMORY_MODEL = 14,
       OP_TYPE_BOOL = 20,
       OP_TYPE_INT = 21,
       OP_TYPE_FLOAT = 22,
       OP_TYPE_IMAGE = 25,
       OP_CONSTANT_FALSE = 42,
       OP_CONSTANT = 43,
       OP_CONSTANT_NULL = 46,
       OP_SPEC_TRUE = 48,
       OP_SPEC_FALSE = 49,
       OP_SPEC = 50,
       OP_DECORATE = 71
};
enum { PHYSICAL_32 = 1, PHYSICAL_64 = 2, SPEC_ID = 1 };

static u32 word_at(const void *bytes, size_t k)
{
    u32 w;
    memcpy(&w, (const u8 *)bytes + 4 * k, sizeof w);
    return w;
}

bool spirv_is(const void *bytes, size_t len)
{
    return len >= 4 * HEADER && len % 4 == 0 && word_at(bytes, 0) == MAGIC;
}

/* An instruction at word `at`; false: there is none. */
typedef struct {
    size_t at;
    u32 op, count;
} Insn;

static bool next(const void *bytes, size_t len, Insn *i)
{
    i->at = i->at ? i->at + i->count : HEADER;
    if (i->at >= len / 4)
        return false;
    i->op = word_at(bytes, i->at) & 0xffff;
    i->count = word_at(bytes, i->at) >> 16;
    return i->count && i->count <= len / 4 - i->at;
}

bool spirv_look(const void *bytes, size_t len, SpirvFacts *f)
{
    Insn i = {0};
    *f = (SpirvFacts){0};
    if (!spirv_is(bytes, len) || word_at(bytes, 1) >> 16 != 1)
        return false;
    f->minor = word_at(bytes, 1) >> 8 & 0xff;
    while (next(bytes, len, &i)) {
        f->has_images |= i.op == OP_TYPE_IMAGE;
        if (i.op == OP_MEMORY_MODEL && i.count == 3) {
            const u32 model = word_at(bytes, i.at + 1);
            f->pointer_bits = model == PHYSICAL_32 ? 32 : model == PHYSICAL_64 ? 64 : 0;
        }
    }
    return i.at == len / 4;
}

/* --- specialisation constants
 * ---------------------------------------------------------------------- */

/* bytes of the values of a type; 0: none that can be given */
static u32 type_bytes(const void *bytes, size_t len, u32 type)
{
    Insn i = {0};
    while (next(bytes, len, &i))
        if ((i.op == OP_TYPE_INT || i.op == OP_TYPE_FLOAT) && i.count >= 3 &&
            word_at(bytes, i.at + 1) == type)
            return word_at(bytes, i.at + 2) / 8;
    return 0;
}

/* the constant that is decorated with the number; 0: none is */
static u32 constant_of(const void *bytes, size_t len, u32 number)
{
    Insn i = {0};
    while (next(bytes, len, &i))
        if (i.op == OP_DECORATE && i.count == 4 && word_at(bytes, i.at + 2) == SPEC_ID &&
            word_at(bytes, i.at + 3) == number)
            return word_at(bytes, i.at + 1);
    return 0;
}

SpirvSet spirv_specialise(void *bytes, size_t len, u32 number, const void *value, size_t size)
{
    const u32 id = spirv_is(bytes, len) ? constant_of(bytes, len, number) : 0;
    Insn i = {0};
    while (id && next(bytes, len, &i)) {
        const bool is_bool = i.op == OP_SPEC_TRUE || i.op == OP_SPEC_FALSE;
        if ((!is_bool && i.op != OP_SPEC) || i.count < 3 || word_at(bytes, i.at + 2) != id)
            continue;
        const u32 n = is_bool ? 1 : type_bytes(bytes, len, word_at(bytes, i.at + 1));
        u32 words[2] = {0};
        if (n != size || !n || n > sizeof words || (!is_bool && i.count != 3 + (n + 3) / 4))
            return SPIRV_OTHER_SIZE;
        memcpy(words, value, size);
        if (is_bool) {
            words[0] = (words[0] ? OP_SPEC_TRUE : OP_SPEC_FALSE) | i.count << 16;
            memcpy((u8 *)bytes + 4 * i.at, words, 4);
        } else
            memcpy((u8 *)bytes + 4 * (i.at + 3), words, 4 * (size_t)(i.count - 3));
        return SPIRV_SET;
    }
    return SPIRV_NO_CONSTANT;
}

/* --- null constants
 * ------------------------------------------------------------------------------- */

enum { MOST_IDS = 0x3fffff /* of a module, by the specification */ };

/* bits[id]: of the numbers of that type, 1 of booleans, 0 of what is no scalar */
static u8 *scalar_bits(const void *bytes, size_t len)
{
    const u32 bound = word_at(bytes, 3);
    u8 *bits = bound <= MOST_IDS + 1 ? mem_zalloc(bound + 1, 1) : NULL;
    Insn i = {0};
    while (bits && next(bytes, len, &i)) {
        const u32 id = i.count > 1 ? word_at(bytes, i.at + 1) : bound;
        if (id >= bound)
            continue;
        if (i.op == OP_TYPE_BOOL)
            bits[id] = 1;
        if ((i.op == OP_TYPE_INT || i.op == OP_TYPE_FLOAT) && i.count > 2)
            bits[id] = (u8)word_at(bytes, i.at + 2);
    }
    return bits;
}

bool spirv_spell_nulls(const void *bytes, size_t len, Buf *out)
{
    const u32 zero[2] = {0};
    Insn i = {0};
    u8 *bits = spirv_is(bytes, len) ? scalar_bits(bytes, len) : NULL;
    if (!bits)
        return false;
    buf_put(out, bytes, 4 * HEADER);
    while (next(bytes, len, &i)) {
        const bool is_null = i.op == OP_CONSTANT_NULL && i.count == 3;
        const u32 type = is_null ? word_at(bytes, i.at + 1) : UINT32_MAX;
        const u32 n = type < word_at(bytes, 3) ? bits[type] : 0;
        const u32 words = n > 1 ? (n + 31) / 32 : 0;
        const u32 first = (n == 1 ? OP_CONSTANT_FALSE : OP_CONSTANT) | (3 + words) << 16;
        if (n && words <= countof(zero)) {
            buf_put(out, &first, sizeof first);
            buf_put(out, (const u8 *)bytes + 4 * (i.at + 1), 8);
            buf_put(out, zero, 4 * words);
        } else
            buf_put(out, (const u8 *)bytes + 4 * i.at, 4 * (size_t)i.count);
    }
    mem_free(bits);
    return !out->failed;
}

/* --- tools
 * ------------------------------------------------------------------------------------------ */

const char *spirv_validator(void)
{
    static const char path[] = "/usr/bin/spirv-val";
    return access(path, X_OK) ? NULL : path;
}

const char *spirv_translator(u32 *llvm_version)
{
    static const struct {
        u32 version;
        const char *path;
    } known[] = {
        {19, "/usr/bin/llvm-spirv-19"}, {18, "/usr/bin/llvm-spirv-18"},
        {17, "/usr/bin/llvm-spirv-17"}, {16, "/usr/bin/llvm-spirv-16"},
        {15, "/usr/bin/llvm-spirv-15"},
    };
    for (size_t i = 0; i < countof(known); i++)
        if (!access(known[i].path, X_OK)) {
            *llvm_version = known[i].version;
            return known[i].path;
        }
    return NULL;
}
