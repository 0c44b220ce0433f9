/* links.h -- objects linked and images looked at, for the tests of src/link; and that they leave nothing (leftover.h). */
#ifndef CHECK_LINKS_H
#define CHECK_LINKS_H
#include "test/kit/objects.h"
#include "link/link.h"
#include "test/kit/leftover.h"

#define TEXT 0x80000000u

/* --- linking ------------------------------------------------------------- */

static const LinkOptions plain = {.output = "out.elf"};

static inline Object *link_with(const LinkOptions *opt, const Object *const *objects, size_t n,
                                Caught *c)
{
    Object *image = link_objects(objects, n, opt, &c->d);
    if ((image == NULL) != (c->d.errors > 0))
        fail_msg("image or error: %s", buf_text(&c->text));
    return image;
}

/* Links and frees the objects; they must go together without a message. */
static inline Object *link_well(const LinkOptions *opt, Object **objects, size_t n)
{
    Caught c;
    catch_in(&c);
    Object *image = link_with(opt, (const Object *const *)objects, n, &c);
    expect_silence(&c);
    for (size_t i = 0; i < n; i++)
        obj_free(objects[i]);
    return image;
}

static inline void link_badly(const LinkOptions *opt, Object **objects, size_t n,
                              const char *message)
{
    Caught c;
    catch_in(&c);
    assert_null(link_with(opt, (const Object *const *)objects, n, &c));
    expect_error(&c, message);
    for (size_t i = 0; i < n; i++)
        obj_free(objects[i]);
}

#define LINK(...)                                                                                  \
    link_well(&plain, (Object *[]){__VA_ARGS__},                                                   \
              sizeof((Object *[]){__VA_ARGS__}) / sizeof(Object *))
#define LINK_BADLY(message, ...)                                                                   \
    link_badly(&plain, (Object *[]){__VA_ARGS__},                                                  \
               sizeof((Object *[]){__VA_ARGS__}) / sizeof(Object *), message)

/* --- looking at images --------------------------------------------------- */

static inline u32 address_of(const Object *image, const char *name)
{
    const i32 at = obj_find_symbol(image, name);
    if (at < 0)
        fail_msg("no symbol %s", name);
    return image->symbols[at].value;
}

/* the 32 bits at an address, as a loader sees them */
static inline u32 word_at(const Object *image, u32 addr)
{
    for (size_t i = 0; i < image->nsegments; i++) {
        const ObjSegment *g = &image->segments[i];
        const u32 past = addr - g->addr;
        u32 word = 0;
        if (addr < g->addr || past + 4 > g->memsz)
            continue;
        if (past + 4 <= g->data.len)
            memcpy(&word, g->data.data + past, 4);
        return word;
    }
    fail_msg("nothing at %x", addr);
    return 0;
}

static inline const ObjSection *section(const Object *image, const char *name)
{
    const i32 at = obj_find_section(image, name);
    if (at < 0)
        fail_msg("no section %s", name);
    return &image->sections[at];
}

/* --- small objects ------------------------------------------------------- */

enum { W_NOP = 0x13, W_BEQ = 0x63, W_JAL = 0x6f, W_AUIPC = 0x17, W_LUI = 0x37, W_ADDI = 0x13 };

/* an object with these words as .text and _start at their beginning */
static inline Object *code_object(const char *name, const u32 *words, size_t n)
{
    Object *o = obj_new(name);
    const i32 text = add_bytes(o, ".text", TEXT_FLAGS, 4, words, n * 4);
    add_global(o, "_start", text, 0);
    return o;
}

#define CODE(...) code_object("a.o", (const u32[]){__VA_ARGS__}, sizeof((u32[]){__VA_ARGS__}) / 4)

/* an object whose section `name` holds four bytes, at the global symbol `symbol` */
static inline Object *word_object(const char *file, const char *name, u32 flags, const char *symbol,
                                  u32 word)
{
    Object *o = obj_new(file);
    add_global(o, symbol, add_bytes(o, name, flags, 4, &word, 4), 0);
    return o;
}

static inline Object *function_object(const char *file, const char *symbol)
{
    return word_object(file, ".text", TEXT_FLAGS, symbol, 0x8067);
}

/* nop; align 16; label; jump back over it */
static inline Object *aligned_object(u32 nops)
{
    u32 words[12] = {[0] = W_NOP};
    Object *o = obj_new("a.o");
    for (u32 i = 1; i <= nops; i++)
        words[i] = W_NOP;
    words[nops + 1] = W_JAL;
    words[nops + 2] = 0x8067;
    const i32 text = add_bytes(o, ".text", TEXT_FLAGS, 4, words, (nops + 3) * 4);
    add_global(o, "_start", text, 0);
    add_local(o, "label", text, (nops + 1) * 4);
    add_local(o, "last", text, (nops + 2) * 4);
    o->symbols[0].size = (nops + 3) * 4;
    add_reloc(o, text, 4, R_RISCV_ALIGN, OBJ_NO_SYMBOL, (i32)nops * 4);
    add_reloc(o, text, (nops + 1) * 4, R_RISCV_JAL, 0, 0);
    return o;
}

static inline Object *marked(const char *file, IsaSet set)
{
    Object *o = function_object(file, file);
    o->set = set;
    return o;
}
#endif
