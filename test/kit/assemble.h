/* assemble.h -- what the tests of the assembler share. */
#ifndef CHECK_ASSEMBLE_H
#define CHECK_ASSEMBLE_H
#include "test/kit/objects.h"
#include "asm/asm.h"

/* The object of a text; messages are caught in c. */
static inline Object *assemble_in(Caught *c, const char *text, const AsmOptions *opt)
{
    catch_in(c);
    return asm_text("t.s", text, opt, &c->d);
}

/* ... which must be without messages */
static inline Object *assemble(const char *text, IsaSet set)
{
    Caught c;
    Object *o = assemble_in(&c, text, &(AsmOptions){.set = set});
    if (!o || c.text.len)
        fail_msg("%s\nin: %.2000s", buf_text(&c.text), text);
    buf_free(&c.text);
    return o;
}

static inline const ObjSection *section_of(const Object *o, const char *name)
{
    const i32 i = obj_find_section(o, name);
    if (i < 0)
        fail_msg("no section %s", name);
    return &o->sections[i];
}

/* the words of a section in hex, with blanks between; the caller frees it */
static inline Buf words_of(const Object *o, const char *section)
{
    const ObjSection *s = section_of(o, section);
    Buf b = {0};
    for (size_t i = 0; i < s->data.len; i += 4) {
        u32 w = 0;
        for (size_t k = 0; k < 4 && i + k < s->data.len; k++)
            w |= (u32)s->data.data[i + k] << 8 * k;
        buf_printf(&b, "%s%08x", i ? " " : "", w);
    }
    return b;
}

static inline void expect_words(const char *text, IsaSet set, const char *section, const char *want)
{
    Object *o = assemble(text, set);
    Buf got = words_of(o, section);
    if (strcmp(buf_text(&got), want))
        fail_msg("%s\nwanted: %s\ngot:    %s", text, want, buf_text(&got));
    buf_free(&got);
    obj_free(o);
}

/* the one word of a text; 0 if it is refused, with the message in c */
static inline u64 first_word(Caught *c, const char *text, const AsmOptions *opt)
{
    u64 word = 0;
    Object *o = assemble_in(c, text, opt);
    const ObjSection *s = o ? &o->sections[0] : NULL;
    for (size_t i = 0; s && i < 8 && i < s->data.len; i++)
        word |= (u64)s->data.data[i] << 8 * i;
    obj_free(o);
    return word;
}
#endif
