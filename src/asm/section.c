/* section.c -- directives that choose a section or a place in it. */
#include "asm/job.h"
#include "asm/lex.h"
#include <elf.h>
#include <string.h>

/* --- sections --------------------------------------------------------------------------- */

static bool flags_of(Asm *a, const Buf *text, const char *at, u32 *flags)
{
    static const struct {
        char letter;
        u32 flag;
    } known[] = {
        {'a', SHF_ALLOC},
        {'w', SHF_WRITE},
        {'x', SHF_EXECINSTR},
        /* merging and groups make no difference to our linker */
        {'M', 0},
        {'S', 0},
        {'G', 0},
        {'o', 0},
        {'?', 0},
        {'R', OBJ_RETAIN},
    };
    *flags = 0;
    for (size_t i = 0; i < text->len; i++) {
        size_t k = 0;
        while (k < countof(known) && known[k].letter != (char)text->data[i])
            k++;
        if (k == countof(known))
            return as_fail(a, at, "no section flag '%c'", text->data[i]);
        *flags |= known[k].flag;
    }
    return true;
}

/* @progbits, %progbits or "progbits" */
static bool type_of(Asm *a, u32 *type)
{
    static const struct {
        const char *name;
        u32 type;
    } known[] = {
        {"progbits", SHT_PROGBITS},
        {"nobits", SHT_NOBITS},
        {"note", SHT_NOTE},
        {"init_array", SHT_INIT_ARRAY},
        {"fini_array", SHT_FINI_ARRAY},
        {"preinit_array", SHT_PREINIT_ARRAY},
    };
    const char *at, *end;
    i64 n;
    a->p = lex_space(a->p);
    if (*a->p == '@' || *a->p == '%')
        a->p++;
    at = a->p;
    if (is_digit(*at)) {
        if (!as_number(a, &n))
            return false;
        *type = (u32)n;
        return true;
    }
    const bool quoted = *at == '"';
    at += quoted;
    end = lex_ident(at);
    for (size_t i = 0; i < countof(known); i++)
        if (strlen(known[i].name) == (size_t)(end - at) &&
            !memcmp(known[i].name, at, (size_t)(end - at))) {
            *type = known[i].type;
            a->p = end + quoted;
            return true;
        }
    return as_fail(a, at, "no section type '%.*s'", (int)(end - at), at);
}

/* a name with more in it than an identifier: .ventus.resource.k-1 */
static bool section_name(Asm *a, const char **name, size_t *len)
{
    a->p = lex_space(a->p);
    if (*a->p == '"')
        return as_name(a, name, len);
    const char *p = a->p;
    while (!lex_at_end(p) && *p != ',' && lex_space(p) == p)
        p++;
    *name = a->p;
    *len = (size_t)(p - a->p);
    a->p = p;
    return *len > 0 || as_want(a, p, WANT_NAME);
}

/* entity size, group and the like: read over */
static void skip_rest(Asm *a) { a->p = lex_skip_statement(a->p); }

static bool attributes(Asm *a, Sect *s)
{
    Buf text = {0};
    u32 flags;
    if (!as_comma(a))
        return false;
    a->p = lex_space(a->p);
    const char *at = a->p;
    const bool ok = as_string(a, &text) && flags_of(a, &text, at, &flags);
    buf_free(&text);
    if (!ok)
        return false;
    s->flags = flags;
    if (as_at_end(a))
        return true;
    if (!as_comma(a) || !type_of(a, &s->type))
        return false;
    skip_rest(a);
    return true;
}

/* the section that the statement names, with what it says of it */
static bool named_section(Asm *a, u32 *index)
{
    const char *name;
    size_t len;
    if (!section_name(a, &name, &len) || !as_section(a, name, len, index))
        return false;
    if (as_at_end(a))
        return true;
    Sect said = a->sects[*index];
    if (!attributes(a, &said))
        return false;
    Sect *s = &a->sects[*index];
    if (s->is_named && (s->type != said.type || s->flags != said.flags) && s->bytes.len)
        return as_refuse(a, name, "section %.*s has other flags or another type already", (int)len,
                         name);
    s->type = said.type;
    s->flags = said.flags;
    return true;
}

bool as_dir_named(Asm *a, int unused)
{
    (void)unused;
    u32 index;
    if (!named_section(a, &index))
        return false;
    as_enter(a, index);
    return true;
}

/* .text .data .bss and others that are their own name, with an optional 0 */
bool as_dir_section(Asm *a, int which)
{
    static const char *const names[] = {".text", ".data", ".bss", ".rodata", ".sdata", ".sbss"};
    u32 index;
    i64 n = 0;
    if (!as_at_end(a) && !as_number(a, &n))
        return false;
    if (n)
        return as_fail(a, a->p, "there are no subsections");
    if (!as_section(a, names[which], strlen(names[which]), &index))
        return false;
    as_enter(a, index);
    return true;
}

bool as_dir_push(Asm *a, int unused)
{
    (void)unused;
    u32 index;
    if (!named_section(a, &index))
        return false;
    if (!array_grow(a->pushed, a->npushed, a->cappushed))
        return as_no_memory(a);
    a->pushed[a->npushed].sect = a->sect;
    a->pushed[a->npushed++].previous = a->previous;
    as_enter(a, index);
    return true;
}

bool as_dir_pop(Asm *a, int unused)
{
    (void)unused;
    if (!a->npushed)
        return as_fail(a, a->p, ".popsection without .pushsection");
    as_enter(a, a->pushed[--a->npushed].sect);
    a->previous = a->pushed[a->npushed].previous;
    return true;
}

bool as_dir_previous(Asm *a, int unused)
{
    (void)unused;
    as_enter(a, a->previous);
    return true;
}

/* --- places -------------------------------------------------------------------------------- */

/* an optional number after a comma; `none` if it is missing */
static bool optional(Asm *a, i64 *v, i64 none)
{
    *v = none;
    if (as_at_end(a))
        return true;
    if (!as_comma(a))
        return false;
    a->p = lex_space(a->p);
    return *a->p == ',' || lex_at_end(a->p) || as_number(a, v);
}

static bool alignment_of(Asm *a, i64 n, bool is_power, const char *at, u32 *align)
{
    enum { MAX_POWER = 20 };
    const i64 max = is_power ? MAX_POWER : (i64)1 << MAX_POWER;
    if (n < 0 || n > max || (!is_power && n && !is_pow2((u64)n)))
        return as_refuse(a, at,
                         is_power ? "an alignment of 2 to the %lld; 0 to %lld can be"
                                  : "an alignment of %lld; powers of two up to %lld can be",
                         (long long)n, (long long)max);
    *align = is_power ? (u32)1 << n : n ? (u32)n : 1;
    return true;
}

/* .align .p2align power, fill, most   .balign bytes, fill, most */
bool as_dir_align(Asm *a, int is_power)
{
    i64 n, fill, most;
    Sect *s = here(a);
    Pad pad = {.place = {a->src, a->p = lex_space(a->p)}};
    if (!as_number(a, &n) || !optional(a, &fill, -1) || !optional(a, &most, 0) ||
        !as_end_of_statement(a) || !alignment_of(a, n, is_power, pad.place.at, &pad.align))
        return false;
    if (most < 0)
        return as_refuse(a, pad.place.at, "a limit of %lld bytes", (long long)most);
    pad.max = most > UINT32_MAX ? UINT32_MAX : (u32)most;
    pad.width = fill != -1 || !(s->flags & SHF_EXECINSTR);
    pad.value = fill == -1 ? 0 : (u64)fill & 255;
    if (pad.align > s->align)
        s->align = pad.align;
    return pad.align == 1 || as_new_pad(a, FRAG_ALIGN, &pad);
}

/* .org offset, fill */
bool as_dir_org(Asm *a, int unused)
{
    (void)unused;
    i64 fill;
    Pad pad = {.width = 1, .place = {a->src, a->p = lex_space(a->p)}};
    if (!as_expr(a, &pad.count) || !optional(a, &fill, 0) || !as_end_of_statement(a))
        return false;
    pad.value = (u64)fill & 255;
    return as_new_pad(a, FRAG_ORG, &pad);
}

/* --- common symbols --------------------------------------------------------------------------- */

/* Room in .bss for a symbol that no other file shares. */
static bool put_in_bss(Asm *a, const char *name, size_t len, i64 size, u32 align, const char *at)
{
    const u32 back = a->sect, previous = a->previous;
    u32 bss;
    if (!as_section(a, ".bss", 4, &bss))
        return false;
    as_enter(a, bss);
    if (here(a)->align < align)
        here(a)->align = align;
    const Pad pad = {.align = align, .width = 1, .place = {a->src, at}};
    const bool ok = (align == 1 || as_new_pad(a, FRAG_ALIGN, &pad)) &&
                    as_define_label(a, name, len, at) && as_put_copies(a, 0, 1, (u64)size);
    as_enter(a, back);
    a->previous = previous;
    return ok;
}

/* .comm name, size, alignment   .lcomm: the same, for this file alone */
bool as_dir_comm(Asm *a, int is_local)
{
    const char *name, *at = a->p = lex_space(a->p);
    size_t len;
    i64 size, n;
    u32 align;
    if (!as_name(a, &name, &len) || !as_comma(a) || !as_number(a, &size) || !optional(a, &n, 1) ||
        !as_end_of_statement(a) || !alignment_of(a, n, false, at, &align))
        return false;
    if (size < 0 || size > MAX_SIZE)
        return as_refuse(a, at, "a size of %lld", (long long)size);
    const u32 id = as_symbol(a, name, len, at);
    if (!id)
        return false;
    Sym *s = sym_of(a, id);
    s->type = STT_OBJECT;
    if (is_local || (s->bind == STB_LOCAL && s->is_declared))
        return put_in_bss(a, name, len, size, align, at);
    if (s->kind != SYM_UNDEF && s->kind != SYM_COMMON)
        return as_refuse(a, at, "'%.*s' is defined already", (int)len, name);
    s->kind = SYM_COMMON;
    s->bind = STB_GLOBAL;
    s->align = align;
    s->value = (Expr){.k = size};
    s->size = s->value;
    s->has_size = true;
    return true;
}
