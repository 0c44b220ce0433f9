/* asm.c -- from text to object, in order. */
#include "asm/job.h"
#include <string.h>

static const char byte_order_mark[] = "\xef\xbb\xbf"; /* in UTF-8 */

static bool begin(Asm *a, const Source *src, const AsmOptions *opt, Diag *d)
{
    u32 text;
    a->opt = *opt;
    a->set = opt->set ? opt->set : V202;
    a->d = d;
    a->src = src;
    a->p = src->text + (strncmp(src->text, byte_order_mark, 3) ? 0 : 3);
    as_init_registers(a);
    /* element 0 of these arrays is not used: index 0 means none */
    if (!array_grow(a->syms, 0, a->capsyms) || !array_grow(a->nodes, 0, a->capnodes) ||
        !array_grow(a->keywords, 0, a->capkeywords) || !array_grow(a->pads, 0, a->cappads))
        return as_no_memory(a);
    a->syms[a->nsyms++] = (Sym){.is_local = true};
    a->nodes[a->nnodes++] = (Node){0};
    a->keywords[a->nkeywords++] = (Keyword){0};
    a->pads[a->npads++] = (Pad){0};
    if (!as_table_grow(a, &a->keyword_table, 0, a->keywords, sizeof *a->keywords,
                       offsetof(Keyword, hash)) ||
        !as_section(a, ".text", 5, &text))
        return false;
    as_enter(a, text);
    a->previous = text;
    return true;
}

static void end(Asm *a)
{
    for (size_t i = 0; i < a->nsects; i++) {
        Sect *s = &a->sects[i];
        buf_free(&s->bytes);
        mem_free(s->frags);
        mem_free(s->fixups);
        mem_free(s->relocs);
    }
    for (size_t i = 0; i < a->ntexts; i++)
        mem_free(a->texts[i]);
    void *const arrays[] = {
        a->conds, a->macros,   a->params, a->texts,           a->keywords, a->keyword_table.slots,
        a->sects, a->pushed,   a->syms,   a->sym_table.slots, a->nodes,    a->pads,
        a->asked, a->expected, a->lines,  a->places,          a->returns,  a->kernels};
    for (size_t i = 0; i < countof(arrays); i++)
        mem_free(arrays[i]);
    mem_free(a);
}

static Object *assemble(Asm *a, const char *name)
{
    as_read(a);
    if (a->no_memory || a->had_error)
        return NULL;
    as_name_sections(a);
    as_guess_kernel(a);
    if (!as_layout(a))
        return NULL;
    Object *o = as_emit(a, name);
    if (o && !a->no_memory && !a->had_error && a->opt.lines)
        as_put_lines(a, o);
    if (o && !a->no_memory && !a->had_error && a->opt.listing)
        as_put_source_listing(a, o);
    return o;
}

Object *asm_text(const char *name, const char *text, const AsmOptions *opt, Diag *d)
{
    const Source src = {.name = name, .text = text};
    Asm *a = mem_zalloc(1, sizeof *a);
    Object *o = NULL;
    bool failed = true;
    if (a && begin(a, &src, opt, d))
        o = assemble(a, name);
    if (!a || a->no_memory)
        error(d, &src, NULL, "out of memory");
    else
        failed = a->had_error || !o;
    if (a)
        end(a);
    if (failed) {
        obj_free(o);
        o = NULL;
    }
    return o;
}
