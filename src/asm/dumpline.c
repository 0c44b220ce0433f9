/* dumpline.c -- lines of listings, taken as they come out of objdump.
 *
 *     object.riscv:  file format elf32-littleriscv      read over
 *     Disassembly of section .text:                      chooses the section
 *     80000000 <_start>:                                 a label
 *     80000144: 5b 9e 00 00   vbne v0, v1, 0x80000160 <.LBB0_6>
 *     80000144: 00009e5b      vbne v0, v1, 0x80000160 <.LBB0_6>
 *     80000148: R_RISCV_BRANCH  .LBB0_6                  a relocation
 *     ...                                                zeros up to the next address
 *
 * The first address says where the section is; later ones are checked.  The text is assembled and
 * must give the word of the line; if it cannot be assembled, the word is taken.
 */
#include "asm/job.h"
#include "asm/lex.h"
#include <elf.h>
#include <string.h>

/* --- recognising ---------------------------------------------------------------------- */

/* past blanks, not comments */
static const char *blanks(const char *p)
{
    while (is_class(*p, C_BLANK))
        p++;
    return p;
}

static bool at_blank_or_end(const char *p) { return is_class(*p, C_BLANK) || !*p || *p == '\n'; }

static u64 hex_number(const char *p, const char *end)
{
    u64 v = 0;
    for (; p < end; p++)
        v = v << 4 | (u32)lex_hex_value(*p);
    return v;
}

/* bytes in the order of memory: "5b 9e 00 00" */
static const char *byte_columns(const char *p, Dump *d)
{
    d->len = 0;
    d->word = 0;
    while (d->len < 8 && is_hex(p[0]) && is_hex(p[1]) && at_blank_or_end(p + 2)) {
        d->word |= hex_number(p, p + 2) << 8 * d->len++;
        p += 2;
        if (*p != ' ' || !is_hex(p[1]))
            break;
        p++;
    }
    return d->len == 2 || d->len == 4 || d->len == 8 ? p : NULL;
}

/* the columns of one word: "00009e5b", sixteen digits for 64 bits, four for 16 */
static const char *word_column(const char *p, Dump *d)
{
    const char *end = lex_hex(p);
    const long n = end - p;
    if ((n != 4 && n != 8 && n != 16) || !at_blank_or_end(end))
        return byte_columns(p, d);
    d->len = (int)n / 2;
    d->word = hex_number(p, end);
    return end;
}

static bool starts_with(const char *p, const char *text) { return !strncmp(p, text, strlen(text)); }

/* --- places ----------------------------------------------------------------------------- */

static bool at_address(Asm *a, u64 addr, const char *at)
{
    u64 offset = 0;
    Sect *s = here(a);
    const bool fixed = as_fixed_offset(a, &offset), gap = a->dump.gap;
    const i64 now = (i64)s->addr + (i64)offset + a->dump.skew; /* where the section ends */
    a->dump.gap = false;
    s->is_named = true;
    if (!fixed)
        return true; /* something of unknown size is before: nothing to compare */
    if (!s->has_addr) {
        s->has_addr = true;
        s->addr = (u32)(addr - (u64)now);
        return true;
    }
    if ((u64)now == addr)
        return true;
    if (gap && addr > (u64)now)
        return as_put_copies(a, 0, 1, addr - (u64)now);
    /* said once; from here on addresses are taken to be that far off */
    a->dump.skew += (i64)(addr - (u64)now);
    as_refuse(a, at, "this is at 0x%llx, not 0x%llx", (unsigned long long)now,
              (unsigned long long)addr);
    as_report_failure(a, DIAG_ERROR);
    return true;
}

/* --- lines that are not code ------------------------------------------------------------- */

static bool take_section(Asm *a)
{
    const char *name = a->p + strlen("Disassembly of section "), *end = lex_line_end(name);
    u32 index;
    while (end > name && (is_class(end[-1], C_BLANK) || end[-1] == ':'))
        end--;
    a->p = lex_line_end(end);
    if (!as_section(a, name, (size_t)(end - name), &index))
        return false;
    as_enter(a, index);
    a->dump.skew = 0;
    a->dump.gap = false;
    return true;
}

/* Labels of a listing may repeat: it holds the local ones of several files. */
static bool take_label(Asm *a, u64 addr, const char *name, const char *end, const char *at)
{
    if (!at_address(a, addr, at))
        return false;
    const u32 id = as_find_symbol(a, name, (size_t)(end - name));
    if (end == name || *name == '$' || (id && sym_of(a, id)->kind != SYM_UNDEF))
        return true;
    if (!as_define_label(a, name, (size_t)(end - name), name))
        return false;
    Sym *s = sym_of(a, as_find_symbol(a, name, (size_t)(end - name)));
    s->is_used = true; /* also .L ones: the listing shows them */
    if (!s->is_local && s->bind == STB_LOCAL) {
        s->bind = STB_GLOBAL;
        s->type = here(a)->flags & SHF_EXECINSTR ? STT_FUNC : STT_NOTYPE;
    }
    return true;
}

/* "80000000 <name>:" with p after the address */
static bool is_label(const char *p, const char **name, const char **end)
{
    if (p[0] != ' ' || p[1] != '<')
        return false;
    *name = p + 2;
    const char *stop = lex_line_end(p);
    while (stop > p && is_class(stop[-1], C_BLANK))
        stop--;
    *end = stop - 2;
    return stop - *name >= 2 && stop[-1] == ':' && stop[-2] == '>';
}

/* --- a line -------------------------------------------------------------------------------- */

typedef enum { LINE_OTHER, LINE_DONE, LINE_FAILED, LINE_CODE } LineKind;

static LineKind done(bool ok) { return ok ? LINE_DONE : LINE_FAILED; }

/* a line that starts with an address; p is after it */
static LineKind address_line(Asm *a, const char *start, const char *p)
{
    const u64 addr = p - start <= 16 ? hex_number(start, p) : 0;
    const char *name, *end;
    if (is_label(p, &name, &end)) {
        a->p = lex_line_end(p);
        return done(take_label(a, addr, name, end, start));
    }
    if (*p != ':' || !is_class(p[1], C_BLANK))
        return LINE_OTHER;
    p = blanks(p + 1);
    if (starts_with(p, "R_RISCV_")) {
        a->p = p;
        return done(as_ask_reloc(a, &(Expr){.k = (i64)(addr - here(a)->addr)}, p));
    }
    a->dump.at = p;
    p = word_column(p, &a->dump);
    if (!p)
        return LINE_OTHER;
    a->p = blanks(p);
    return at_address(a, addr, start) ? LINE_CODE : LINE_FAILED;
}

static LineKind classify(Asm *a)
{
    const char *start = blanks(a->p), *p = lex_hex(start);
    if (starts_with(start, "Disassembly of section ")) { /* begins with a digit, D */
        a->p = start;
        return done(take_section(a));
    }
    if (p > start)
        return address_line(a, start, p);
    if (starts_with(start, "...") && at_blank_or_end(start + 3)) {
        a->dump.gap = true;
        a->p = start + 3;
        return LINE_DONE;
    }
    return LINE_OTHER;
}

bool as_dump_line(Asm *a, bool *ok)
{
    if (!a->has_code && !a->size && !a->depth) { /* "FILE: file format elf32-littleriscv" */
        static const char text[] = "file format ";
        const char *end = lex_line_end(a->p);
        const char *found = memmem(a->p, (size_t)(end - a->p), text, sizeof text - 1);
        if (found && found > a->p + 1 && is_class(found[-1], C_BLANK)) {
            a->p = end;
            return *ok = true;
        }
    }
    const LineKind kind = classify(a);
    if (kind == LINE_OTHER)
        return false;
    if (kind == LINE_CODE)
        a->dump.active = true;
    *ok = kind != LINE_FAILED;
    return true;
}

/* --- its text -------------------------------------------------------------------------------- */

/* whether the text is what disassemblers print for words that they do not know */
static bool says_nothing(const char *p) { return lex_at_end(p) || *p == '<'; }

bool as_dump_text(Asm *a, bool (*statement)(Asm *))
{
    const char *start = a->p;
    const u32 sect = a->sect;
    u64 before, after = 0;
    as_fixed_offset(a, &before);
    const Frag *f = as_data(a);
    if (!f)
        return false;
    const u32 frag = (u32)here(a)->nfrags - 1, offset = f->len;
    if (!says_nothing(start)) {
        const bool ok = statement(a) && as_end_of_statement(a);
        as_fixed_offset(a, &after);
        if (ok && (a->sect != sect || after - before != (u64)a->dump.len)) {
            a->dump.skew -= (i64)(after - before) - a->dump.len;
            return as_refuse(a, start, "this takes %lld bytes; the listing has %d",
                             (long long)(after - before), a->dump.len);
        }
        if (ok) {
            const Dump *d = &a->dump;
            if (!array_grow(a->expected, a->nexpected, a->capexpected))
                return as_no_memory(a);
            a->expected[a->nexpected++] =
                (Expected){a->sect, frag, offset, d->len, d->word, {a->src, d->at}};
            return true;
        }
        as_report_failure(a, DIAG_WARNING);
        if (after != before)
            return false;
    }
    a->p = lex_skip_statement(start);
    return as_put_unknown(a, a->dump.word, a->dump.len);
}
