/* missing.c -- names that nothing defines, reported with the lines that use them. */
#include "link/internal.h"
#include "obj/lines.h"
#include <elf.h>
#include <string.h>

void link_note_missing(Link *l, const Missing *m)
{
    Input *in = &l->in[m->input];
    if (in->told[m->symbol])
        return;
    in->told[m->symbol] = true;
    if (array_grow(l->missing, l->nmissing, l->capmissing))
        l->missing[l->nmissing++] = *m;
    else
        link_no_memory(l);
}

const char *link_function_at(const Object *o, const ObjSection *section, u32 offset)
{
    const ObjSymbol *best = NULL;
    for (size_t i = 0; i < o->nsymbols; i++) {
        const ObjSymbol *s = &o->symbols[i];
        if (s->section < 0 || &o->sections[s->section] != section || !*s->name ||
            s->name[0] == '.' || s->name[0] == '$' || s->type == STT_SECTION || s->value > offset)
            continue;
        if (!best || s->value > best->value)
            best = s;
    }
    return best ? best->name : "";
}

/* the defined name closest to a mistyped one, or NULL */
static const char *suggest(const Link *l, const char *name)
{
    const size_t len = strlen(name);
    const char *found = NULL;
    int best = len < 4 ? 2 : 3;
    for (size_t i = 0; i < l->nglobals; i++) {
        const Global *g = &l->globals[i];
        const bool is_ours = g->how == DEF_STRONG || g->how == DEF_WEAK || g->how == DEF_COMMON;
        const int away = is_ours ? edit_distance(name, len, g->name, strlen(g->name), best) : best;
        if (away < best) {
            best = away;
            found = g->name;
        }
    }
    return found;
}

/* the name, the likely one, and the line that has it */
static void put_message(const Link *l, const char *name, const Object *o, const Place *p, Buf *to)
{
    const char *like = suggest(l, name);
    buf_printf(to, "'%s' is not defined", name);
    if (like)
        buf_printf(to, "; did you mean '%s'?", like);
    if (p)
        place_put_line(o, p, "\n    ", to);
}

static void tell(Link *l, const LineTable *lines, const Missing *m)
{
    const Input *in = &l->in[m->input];
    const char *name = in->o->symbols[m->symbol].name;
    Place p;
    Buf where = {0}, text = {0};
    if (lines && m->section->flags & SHF_EXECINSTR && lines_find(lines, m->pc, &p, 1) && p.file) {
        put_message(l, name, in->o, &p, &text);
        buf_printf(&where, p.column ? "%s:%u:%u" : "%s:%u", p.file, p.line, p.column);
        error(l->d, &(Source){.name = buf_text(&where)}, NULL, "%s", buf_text(&text));
    } else {
        const char *function = link_function_at(in->o, m->section, m->offset);
        put_message(l, name, NULL, NULL, &text);
        error(l->d, &in->src, NULL, "%s+0x%x%s%s: %s", m->section->name, m->offset,
              *function ? " in " : "", function, buf_text(&text));
    }
    buf_free(&where);
    buf_free(&text);
}

void link_tell_missing(Link *l)
{
    LineTable *lines = l->nmissing ? lines_read(l->image) : NULL;
    for (size_t i = 0; i < l->nmissing; i++)
        tell(l, lines, &l->missing[i]);
    lines_free(lines);
}
