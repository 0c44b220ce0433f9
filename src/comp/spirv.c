/* spirv.c -- looks at SPIR-V modules without trusting them: a module is words, five of a header and
 * then instructions, of which each says in its first word how many words it has.
 */
#include "comp/spirv.h"
#include <string.h>
#include <unistd.h>

enum { MAGIC = 0x07230203, HEADER = 5 };
enum {                   /* instructions */
       OP_UNDEF = 1,     /* a value like any other */
       OP_LAST_NAME = 8, /* but for it they say names, lines, sources up to here */
       OP_MEMORY_MODEL = 14,
       OP_TYPE_BOOL = 20,
       OP_TYPE_INT = 21,
       OP_TYPE_FLOAT = 22,
       OP_TYPE_VECTOR = 23,
       OP_CONSTANT_FALSE = 42,
       OP_CONSTANT = 43,
       OP_CONSTANT_NULL = 46,
       OP_SPEC_TRUE = 48,
       OP_SPEC_FALSE = 49,
       OP_SPEC = 50,
       OP_DECORATE = 71,
       OP_VECTOR_SHUFFLE = 79
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
        if (i.op == OP_MEMORY_MODEL && i.count == 3) {
            const u32 model = word_at(bytes, i.at + 1);
            f->pointer_bits = model == PHYSICAL_32 ? 32 : model == PHYSICAL_64 ? 64 : 0;
        }
    }
    return i.at == len / 4;
}

/* --- specialisation constants -------------------------------------------------------------- */

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

/* --- what translators do not take ---------------------------------------------------------- */

enum { MOST_IDS = 0x3fffff /* of a module, by the specification */ };

/* What is known of the ids of a module. */
typedef struct {
    u32 bound; /* ids are below */
    u8 *bits;  /* of the numbers of a type, 1 of booleans, 0 of what is no scalar */
    u8 *lanes; /* of the vectors of a type, 0 of what is no vector */
    u32 *type; /* of a vector; 0: it is none */
} Ids;

static void note_id(Ids *d, const void *bytes, const Insn *i)
{
    const u32 first = i->count > 1 ? word_at(bytes, i->at + 1) : d->bound;
    const u32 second = i->count > 2 ? word_at(bytes, i->at + 2) : d->bound;
    if (!first || first >= d->bound) /* no id is 0 */
        return;
    if (i->op == OP_TYPE_BOOL)
        d->bits[first] = 1;
    else if ((i->op == OP_TYPE_INT || i->op == OP_TYPE_FLOAT) && i->count > 2)
        d->bits[first] = (u8)second;
    else if (i->op == OP_TYPE_VECTOR && i->count == 4)
        d->lanes[first] = (u8)word_at(bytes, i->at + 3);
    else if (second < d->bound && d->lanes[first] && i->op != OP_DECORATE &&
             (i->op > OP_LAST_NAME || i->op == OP_UNDEF))
        d->type[second] = first;
}

static void ids_free(Ids *d)
{
    mem_free(d->bits);
    mem_free(d->lanes);
    mem_free(d->type);
}

/* False: out of memory, or there are more than a module may have. */
static bool ids_read(Ids *d, const void *bytes, size_t len)
{
    const u32 bound = word_at(bytes, 3);
    Insn i = {0};
    if (bound > MOST_IDS + 1)
        return false;
    *d = (Ids){bound, mem_zalloc(bound + 1, 1), mem_zalloc(bound + 1, 1),
               mem_zalloc(bound + 1, sizeof *d->type)};
    const bool ok = d->bits && d->lanes && d->type;
    while (ok && next(bytes, len, &i))
        note_id(d, bytes, &i);
    if (!ok)
        ids_free(d);
    return ok;
}

static void put_word(Buf *out, u32 word) { buf_put(out, &word, sizeof word); }

static void put_words(Buf *out, const void *bytes, size_t from, u32 n)
{
    buf_put(out, (const u8 *)bytes + 4 * from, 4 * (size_t)n);
}

/* The null constant of a scalar type as a zero; false: it is none. */
static bool spell_null(const Ids *d, const void *bytes, const Insn *i, Buf *out)
{
    const u32 type =
        i->op == OP_CONSTANT_NULL && i->count == 3 ? word_at(bytes, i->at + 1) : d->bound;
    const u32 n = type < d->bound ? d->bits[type] : 0, words = n > 1 ? (n + 31) / 32 : 0;
    if (!n || words > 2)
        return false;
    put_word(out, (n == 1 ? OP_CONSTANT_FALSE : OP_CONSTANT) | (3 + words) << 16);
    put_words(out, bytes, i->at + 1, 2);
    for (u32 k = 0; k < words; k++)
        put_word(out, 0);
    return true;
}

/* The shuffle of two vectors of different lengths as one of equal lengths: the shorter is made
 * longer by a shuffle of its own, whose result is *fresh.  False: it is none. */
static bool spell_shuffle(const Ids *d, const void *bytes, const Insn *i, u32 *fresh, Buf *out)
{
    u32 v[2], type[2], n[2];
    if (i->op != OP_VECTOR_SHUFFLE || i->count < 5)
        return false;
    for (u32 k = 0; k < 2; k++) {
        v[k] = word_at(bytes, i->at + 3 + k);
        type[k] = v[k] < d->bound ? d->type[v[k]] : 0;
        n[k] = d->lanes[type[k]];
    }
    if (!n[0] || !n[1] || n[0] == n[1])
        return false;
    const u32 less = n[0] > n[1], more = !less;
    put_word(out, OP_VECTOR_SHUFFLE | (5 + n[more]) << 16);
    put_word(out, type[more]);
    put_word(out, *fresh);
    put_word(out, v[less]);
    put_word(out, v[less]);
    for (u32 k = 0; k < n[more]; k++)
        put_word(out, k < n[less] ? k : 0);
    v[less] = (*fresh)++;
    put_words(out, bytes, i->at, 3);
    put_word(out, v[0]);
    put_word(out, v[1]);
    for (u32 k = 5; k < i->count;
         k++) { /* elements of the second vector have moved with its start */
        const u32 element = word_at(bytes, i->at + k);
        put_word(out, !less && element >= n[0] && element != UINT32_MAX ? element - n[0] + n[1]
                                                                        : element);
    }
    return true;
}

bool spirv_spell(const void *bytes, size_t len, Buf *out)
{
    Insn i = {0};
    Ids d;
    if (!spirv_is(bytes, len) || !ids_read(&d, bytes, len))
        return false;
    u32 fresh = d.bound;
    const size_t start = out->len;
    put_words(out, bytes, 0, HEADER);
    while (next(bytes, len, &i))
        if (!spell_null(&d, bytes, &i, out) && !spell_shuffle(&d, bytes, &i, &fresh, out))
            put_words(out, bytes, i.at, i.count);
    if (!out->failed)
        memcpy(out->data + start + 4 * 3, &fresh, sizeof fresh);
    ids_free(&d);
    return !out->failed;
}

/* --- tools --------------------------------------------------------------------------------- */

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
