/* spirv.c -- looks at SPIR-V modules without trusting them: a module is words, five of a header and then
 * instructions, of which each says in its first word how many words it has.
 */
#include "comp/spirv.h"
#include <string.h>
#include <unistd.h>

enum { MAGIC = 0x07230203, HEADER = 5 };
enum { /* instructions */
    OP_MEMORY_MODEL = 14,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_IMAGE = 25,
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

/* --- specialisation constants ---------------------------------------------------------------------- */

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

/* --- tools ------------------------------------------------------------------------------------------ */

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
