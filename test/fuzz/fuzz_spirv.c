/* fuzz_spirv.c -- any words as a SPIR-V module, behind a header: what is looked at, specialised and
 * spelt anew stays a module of the same kind, and spelling it again changes nothing.
 *
 * The first twelve bytes are the number of a specialisation constant and a value for it.  Spelling
 * takes ids from the module's bound on, so a module that already names one of these may change
 * again; the validator, which comes first, takes no such module.
 */
#include "comp/spirv.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t len);

static bool is_same_kind(const SpirvFacts *a, const SpirvFacts *b)
{
    return a->minor == b->minor && a->pointer_bits == b->pointer_bits;
}

enum { BOUND = 3 /* the word of a module that all ids are below */ };

static u32 word_at(const Buf *m, size_t k)
{
    u32 w;
    memcpy(&w, m->data + 4 * k, sizeof w);
    return w;
}

/* whether m names an id that spelling has taken */
static bool names_taken(const Buf *m, const Buf *spelt)
{
    for (size_t k = BOUND + 1; k < m->len / 4; k++)
        if (word_at(m, k) >= word_at(m, BOUND) && word_at(m, k) < word_at(spelt, BOUND))
            return true;
    return false;
}

static void check_module(const Buf *m, u32 number, const void *value)
{
    SpirvFacts before, after;
    Buf spelt = {0}, again = {0};
    const bool whole = spirv_look(m->data, m->len, &before);
    for (size_t size = 1; size <= 8; size *= 2)
        spirv_specialise(m->data, m->len, number, value, size);
    if (spirv_look(m->data, m->len, &after) != whole || (whole && !is_same_kind(&before, &after)))
        bug("a specialised module is another one");
    if (whole && spirv_spell(m->data, m->len, &spelt)) {
        if (!spirv_look(spelt.data, spelt.len, &after) || !is_same_kind(&before, &after))
            bug("a module that was spelt anew is another one");
        if (!names_taken(m, &spelt) &&
            (!spirv_spell(spelt.data, spelt.len, &again) || again.len != spelt.len ||
             memcmp(again.data, spelt.data, again.len)))
            bug("a module that was spelt anew is spelt in another way");
    } else
        spirv_spell(m->data, m->len, &spelt);
    buf_free(&spelt);
    buf_free(&again);
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t len)
{
    const u32 header[] = {0x07230203, 0x10300, 0, 0x100, 0};
    Buf m = {0};
    u32 number;
    if (len < 12)
        return 0;
    memcpy(&number, bytes, sizeof number);
    buf_put(&m, header, sizeof header);
    buf_put(&m, bytes + 12, (len - 12) & ~(size_t)3);
    if (!m.failed)
        check_module(&m, number, bytes + 4);
    buf_free(&m);
    return 0;
}
