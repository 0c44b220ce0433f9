/* symbol.c -- names and what they stand for.
 *
 * Symbols are found by name in a hash table.  Each definition of a numeric label (1:)
 * is a symbol of its own outside the table; the table has one entry for the digits,
 * which knows the last definition (1b) and the next one (1f) when that has been
 * referred to.
 */
#include "asm/job.h"
#include "asm/lex.h"
#include <elf.h>
#include <stdio.h>
#include <string.h>

u32 as_hash(const char *s, size_t len)
{
    u32 h = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < len; i++)
        h = (h ^ (u8)s[i]) * 16777619u;
    return h;
}

bool as_table_grow(Asm *a, Table *t, size_t count, const void *array, size_t stride,
                   size_t hash_offset)
{
    if (t->nslots > 2 * count)
        return true;
    const size_t n = t->nslots ? 2 * t->nslots : 64;
    u32 *slots = mem_zalloc(n, sizeof *slots);
    if (!slots)
        return as_no_memory(a);
    for (size_t i = 0; i < t->nslots; i++) {
        if (!t->slots[i])
            continue;
        u32 h;
        memcpy(&h, (const char *)array + t->slots[i] * stride + hash_offset, sizeof h);
        while (slots[h & (n - 1)])
            h++;
        slots[h & (n - 1)] = t->slots[i];
    }
    mem_free(t->slots);
    *t = (Table){slots, n};
    return true;
}

/* the slot that has the name or would get it; the table has a free one */
static u32 *slot_of(Asm *a, const char *name, size_t len, u32 hash)
{
    const Table *t = &a->sym_table;
    for (u32 h = hash;; h++) {
        u32 *slot = &t->slots[h & (t->nslots - 1)];
        const Sym *s = sym_of(a, *slot);
        if (!*slot || (s->hash == hash && s->len == len && !memcmp(s->name, name, len)))
            return slot;
    }
}

/* a symbol outside the table; 0: out of memory */
static u32 new_symbol(Asm *a, const char *name, size_t len, const char *at)
{
    if (!array_grow(a->syms, a->nsyms, a->capsyms)) {
        as_no_memory(a);
        return 0;
    }
    a->syms[a->nsyms] = (Sym){.name = name, .len = (u32)len, .place = {a->src, at}, .index = -1};
    return (u32)a->nsyms++;
}

u32 as_find_symbol(Asm *a, const char *name, size_t len)
{
    return a->sym_table.nslots ? *slot_of(a, name, len, as_hash(name, len)) : 0;
}

u32 as_symbol(Asm *a, const char *name, size_t len, const char *at)
{
    const u32 hash = as_hash(name, len);
    if (!as_table_grow(a, &a->sym_table, a->nsyms, a->syms, sizeof *a->syms, offsetof(Sym, hash)))
        return 0;
    u32 *slot = slot_of(a, name, len, hash);
    if (*slot)
        return *slot;
    const u32 id = new_symbol(a, name, len, at);
    if (!id)
        return 0;
    Sym *s = sym_of(a, id);
    s->hash = hash;
    s->is_local = len > 1 && name[0] == '.' && name[1] == 'L';
    *slot = id;
    return id;
}

/* --- labels ------------------------------------------------------------------------- */

static bool put_here(Asm *a, u32 id)
{
    const Frag *f = as_data(a);
    if (!id || !f)
        return false;
    Sym *s = sym_of(a, id);
    s->kind = SYM_LABEL;
    s->sect = a->sect;
    s->frag = (u32)(here(a)->nfrags - 1);
    s->offset = f->len;
    return true;
}

u32 as_label_here(Asm *a)
{
    const u32 id = new_symbol(a, NULL, 0, a->p);
    if (!put_here(a, id))
        return 0;
    sym_of(a, id)->is_local = true;
    return id;
}

static bool already_defined(Asm *a, const Sym *s, const char *at)
{
    int line, column;
    if (!s->place.at)
        return as_refuse(a, at, "'%.*s' is defined already", (int)s->len, s->name);
    diag_place(s->place.src, s->place.at, &line, &column);
    return as_refuse(a, at, "'%.*s' is defined already, at %s:%d", (int)s->len, s->name,
                     s->place.src->name, line);
}

bool as_define_label(Asm *a, const char *name, size_t len, const char *at)
{
    const u32 id = as_symbol(a, name, len, at);
    if (!id)
        return false;
    Sym *s = sym_of(a, id);
    if (s->kind != SYM_UNDEF)
        return already_defined(a, s, at);
    s->place = (Place){a->src, at};
    if (!s->is_local && here(a)->flags & SHF_EXECINSTR && !as_split(a))
        return false;
    return put_here(a, id);
}

/* the entry of a numeric label: value.plus is the last one, value.minus the next */
static u32 number_entry(Asm *a, const char *digits, size_t len, const char *at)
{
    for (; len > 1 && *digits == '0'; len--)
        digits++;
    return as_symbol(a, digits, len, at);
}

static u32 new_numbered(Asm *a, const char *digits, size_t len, const char *at)
{
    const u32 id = new_symbol(a, digits, len, at);
    if (id)
        sym_of(a, id)->is_local = true;
    return id;
}

bool as_define_number(Asm *a, const char *digits, size_t len)
{
    const u32 entry = number_entry(a, digits, len, digits);
    if (!entry)
        return false;
    u32 id = sym_of(a, entry)->value.minus;
    if (!id)
        id = new_numbered(a, digits, len, digits);
    if (!id)
        return false;
    sym_of(a, entry)->value = (Expr){.plus = id};
    sym_of(a, id)->place = (Place){a->src, digits};
    return put_here(a, id);
}

u32 as_number_label(Asm *a, const char *digits, size_t len, bool forward)
{
    const u32 entry = number_entry(a, digits, len, digits);
    if (!entry)
        return 0;
    if (!forward) {
        if (!sym_of(a, entry)->value.plus)
            as_refuse(a, digits, "there is no label %.*s before this", (int)len, digits);
        return sym_of(a, entry)->value.plus;
    }
    u32 id = sym_of(a, entry)->value.minus;
    if (!id) {
        id = new_numbered(a, digits, len, digits);
        sym_of(a, entry)->value.minus = id;
    }
    return id;
}

void as_name_sections(Asm *a)
{
    for (u32 i = 0; i < a->nsects; i++) {
        Sect *sect = &a->sects[i];
        Sym *s = sym_of(a, as_find_symbol(a, sect->name, sect->len));
        if (s == a->syms || s->kind != SYM_UNDEF)
            continue;
        s->kind = SYM_LABEL;
        s->bind = STB_LOCAL;
        s->type = STT_SECTION;
        s->is_local = true;
        s->sect = i;
        sect->is_named = true;
    }
}

/* --- values --------------------------------------------------------------------------- */

/* A new symbol for a name that gets another value.  Expressions read before keep the old one,
 * because those with a value that is not just k + symbol refer to the symbol itself. */
static u32 fresh_symbol(Asm *a, u32 old)
{
    const Sym s = *sym_of(a, old);
    const u32 id = new_symbol(a, s.name, s.len, s.place.at);
    if (!id)
        return 0;
    Sym *n = sym_of(a, id);
    *n = s;
    *slot_of(a, s.name, s.len, s.hash) = id;
    sym_of(a, old)->is_local = true; /* only the last one is in the symbol table */
    return id;
}

bool as_assign(Asm *a, const char *name, size_t len, const Expr *value, bool once, const char *at)
{
    u32 id = as_symbol(a, name, len, at);
    if (!id)
        return false;
    const Sym *s = sym_of(a, id);
    if (s->kind == SYM_LABEL || s->kind == SYM_COMMON || (once && s->kind == SYM_EQU))
        return already_defined(a, s, at);
    if (s->kind == SYM_EQU && s->value.tree)
        id = fresh_symbol(a, id);
    if (!id)
        return false;
    Sym *n = sym_of(a, id);
    n->kind = SYM_EQU;
    n->value = *value;
    n->place = (Place){a->src, at};
    return true;
}

/* --- for messages ------------------------------------------------------------------------ */

bool as_is_similar(const char *name, size_t len, const char *other)
{
    const int most = len < 5 ? 1 : 2; /* short words are all alike */
    return edit_distance(name, len, other, strlen(other), most + 1) <= most;
}

u32 as_similar(Asm *a, const char *name, size_t len)
{
    enum { FEW = 20 }; /* a walk over all symbols each time */
    u32 best = 0;
    int distance = len < 6 ? 2 : 3;
    if (++a->suggestions > FEW)
        return 0;
    for (u32 i = 1; i < a->nsyms; i++) {
        const Sym *s = sym_of(a, i);
        if (!s->name || s->kind == SYM_UNDEF || is_digit(s->name[0]))
            continue;
        const int d = edit_distance(name, len, s->name, s->len, distance);
        if (d < distance) {
            distance = d;
            best = i;
        }
    }
    return best;
}

const char *as_symbol_name(const Asm *a, u32 id, char buf[64])
{
    const Sym *s = &a->syms[id];
    if (s->name)
        snprintf(buf, 64, "%.*s", s->len > 60 ? 60 : (int)s->len, s->name);
    else
        snprintf(buf, 64, ".");
    return buf;
}
