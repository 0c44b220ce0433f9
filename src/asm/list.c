/* list.c -- an object as text that the assembler takes back.
 *
 * With addresses, a line is what objdump would print (dumpline.c reads it):
 *
 *     80000144: 00009e5b      vbne v0, v1, 0x80000160 <.LBB0_6>
 *
 * Without, it is assembly: directives, labels for every target, instructions.
 */
#include "asm/asm.h"
#include "asm/lex.h"
#include "base/search.h"
#include "obj/reloc.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    u64 addr;
    u32 symbol; /* in Object.symbols */
    u8 rank;    /* of several at one place, the lowest names it */
} Label;

/* A run of bytes that is listed: a section, or a segment of an image without any. */
typedef struct {
    const char *name;
    u32 index; /* in Object.sections */
    u64 addr;
    const u8 *bytes;
    u64 len;
    u32 type, flags, align;
    const ObjSection *section; /* NULL: a segment */
} Run;

typedef struct {
    const Object *o;
    const ListOptions *opt;
    Buf *out;
    IsaDecoder decoder;
    Label *labels; /* by address */
    size_t nlabels;
    bool *repeated; /* by symbol: one before it has the same name */
    u64 *targets;   /* of branches, where a line starts: ascending */
    size_t ntargets, captargets;
    IsaPrefix prefix;
    u32 section; /* being listed */
    u64 lo, hi;  /* addresses of ListOptions.symbol, in section `only` */
    i32 only;
} Listing;

/* --- labels -------------------------------------------------------------------------------- */

/* labels of an object belong to sections that may all start at 0 */
static u64 key_of(const Object *o, const Label *l)
{
    return o->is_image ? l->addr : (u64)o->symbols[l->symbol].section << 33 | l->addr;
}

static int by_address(const void *x, const void *y, void *o)
{
    const Label *a = x, *b = y;
    const u64 ka = key_of(o, a), kb = key_of(o, b);
    if (ka != kb)
        return ka < kb ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

static int by_name(const void *x, const void *y, void *o)
{
    const Label *a = x, *b = y;
    const ObjSymbol *symbols = ((const Object *)o)->symbols;
    const int order = strcmp(symbols[a->symbol].name, symbols[b->symbol].name);
    return order ? order : a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

static bool find_labels(Listing *l)
{
    const Object *o = l->o;
    l->labels = mem_zalloc(o->nsymbols, sizeof *l->labels);
    l->repeated = mem_zalloc(o->nsymbols, sizeof *l->repeated);
    if (!l->labels || !l->repeated)
        return false;
    for (u32 i = 0; i < o->nsymbols; i++) {
        const ObjSymbol *s = &o->symbols[i];
        if (s->section < 0 || !*s->name || *s->name == '$' || s->type == STT_SECTION ||
            s->type == STT_FILE || s->type == STT_TLS)
            continue;
        const u32 base = o->is_image ? 0 : o->sections[s->section].addr;
        l->labels[l->nlabels++] =
            (Label){.addr = (u64)base + s->value,
                    .symbol = i,
                    .rank = (u8)((s->type == STT_FUNC ? 0 : 2) + (s->bind == STB_LOCAL))};
    }
    qsort_r(l->labels, l->nlabels, sizeof *l->labels, by_name, (void *)o);
    for (size_t i = 1; i < l->nlabels; i++) {
        const u32 symbol = l->labels[i].symbol, before = l->labels[i - 1].symbol;
        l->repeated[symbol] = !strcmp(o->symbols[symbol].name, o->symbols[before].name);
    }
    qsort_r(l->labels, l->nlabels, sizeof *l->labels, by_address, (void *)o);
    return true;
}

static u64 key_at(const Listing *l, u64 addr)
{
    return l->o->is_image ? addr : (u64)l->section << 33 | addr;
}

typedef struct {
    const Object *o;
    u64 at;
} LabelPlace;

SEARCH_BEFORE(label_is_below, Label, LabelPlace, key_of(key->o, e) < key->at)

/* the first label at or after addr */
static size_t label_from(const Listing *l, u64 addr)
{
    const LabelPlace here = {l->o, key_at(l, addr)};
    return search_count(l->labels, l->nlabels, sizeof *l->labels, label_is_below, &here);
}

static const char *name_of(const Listing *l, const Label *label)
{
    return l->o->symbols[label->symbol].name;
}

/* Objects of GNU as have many labels of one name; the later ones need another where it
 * matters which is meant. */
static bool has_other_name(const Listing *l, u32 symbol)
{
    return l->repeated[symbol] && !l->o->is_image;
}

static void put_other_name(const Listing *l, u32 symbol)
{
    const ObjSymbol *s = &l->o->symbols[symbol];
    buf_printf(l->out, ".L%d_%x", s->section, s->value);
}

/* for isa_print(): the label at or before an address */
static const char *symbol_at(void *self, u64 addr, u64 *past)
{
    const Listing *l = self;
    const size_t next = label_from(l, addr + 1);
    if (!next)
        return NULL;
    const Label *last = &l->labels[next - 1];
    if (!l->o->is_image && l->o->symbols[last->symbol].section != (i32)l->section)
        return NULL;
    *past = addr - last->addr;
    return name_of(l, &l->labels[label_from(l, last->addr)]);
}

/* --- names ------------------------------------------------------------------------------------ */

static bool is_plain(const char *name) { return *name && !*lex_ident(name); }

static void put_name(Buf *b, const char *name)
{
    if (is_plain(name)) {
        buf_str(b, name);
        return;
    }
    buf_str(b, "\"");
    for (; *name; name++)
        buf_printf(b, (u8)*name < ' ' || *name == '"' || *name == '\\' ? "\\%03o" : "%c",
                   (u8)*name);
    buf_str(b, "\"");
}

/* the symbol of a relocation; one that stands for a section has the section's name */
static void put_reloc_symbol(const Listing *l, const ObjReloc *r)
{
    if (r->symbol == OBJ_NO_SYMBOL || r->symbol >= l->o->nsymbols) {
        buf_printf(l->out, "%d", r->addend);
        return;
    }
    const ObjSymbol *s = &l->o->symbols[r->symbol];
    if (has_other_name(l, r->symbol))
        put_other_name(l, r->symbol);
    else
        put_name(l->out, s->type == STT_SECTION && s->section >= 0 ? l->o->sections[s->section].name
                                                                   : s->name);
    if (r->addend)
        buf_printf(l->out, "%+d", r->addend);
}

/* --- words ------------------------------------------------------------------------------------ */

static u64 word_at(const Run *r, u64 at, int len)
{
    u64 v = 0;
    for (int i = len; i-- > 0;)
        v = v << 8 | r->bytes[at + (u64)i];
    return v;
}

/* bytes of the word at offset `at`; 0: less than a word is left */
static int length_at(const Listing *l, const Run *r, u64 at)
{
    const u64 left = r->len - at;
    if (left < 4)
        return 0;
    const int len = isa_length(l->o->set, (u32)word_at(r, at, 4));
    return len == 8 && left < 8 ? 4 : len;
}

/* printed as data, which has no operands to resolve */
static bool has_hidden_bits(const Insn *in)
{
    const FormatInfo *f = isa_format_of(in->id);
    for (int i = 0; i < f->nopd; i++)
        if (isa_operand[f->opd[i]].kind == K_HIDE && in->opd[i])
            return true;
    return false;
}

/* Replaces registers and immediates by those that the prefix before leads to; a shift uses five
 * bits only. */
static void resolve(const Listing *l, Insn *in)
{
    const FormatInfo *f = isa_format_of(in->id);
    if (has_hidden_bits(in))
        return;
    for (int i = 0; i < f->nopd && l->prefix.valid; i++) {
        const OperandKind kind = (OperandKind)isa_operand[f->opd[i]].kind;
        const int n = isa_extend(&l->prefix, (OperandId)f->opd[i], in->opd[i]);
        if (kind == K_VREG || (kind == K_XREG && n < 64)) /* there is no x64 to name */
            in->opd[i] = n;
        else if ((kind == K_IMMX || kind == K_IMMZ) && isa_operand[f->opd[i]].sgn)
            in->opd[i] = isa_extend_imm(&l->prefix, (OperandId)f->opd[i], in->opd[i]);
    }
}

/* the index of the operand that is a target, or -1 */
static int target_operand(InsnId id)
{
    const FormatInfo *f = isa_format_of(id);
    for (int i = 0; i < f->nopd; i++)
        if (isa_operand[f->opd[i]].kind == K_REL)
            return i;
    return -1;
}

/* Whether an operand can say that it means this symbol's place: others may have its name, registers
 * too, and what is weak may come from another file. */
static bool is_target_name(const Listing *l, u32 symbol)
{
    const ObjSymbol *s = &l->o->symbols[symbol];
    const size_t len = strlen(s->name);
    int n;
    return !l->repeated[symbol] && s->bind != STB_WEAK && !isa_find_xreg(s->name, len, &n) &&
           !isa_find_vreg(s->name, len, &n);
}

static bool has_label(const Listing *l, u64 addr)
{
    const size_t i = label_from(l, addr);
    return i < l->nlabels && key_of(l->o, &l->labels[i]) == key_at(l, addr) &&
           is_target_name(l, l->labels[i].symbol);
}

SEARCH_BEFORE(target_is_below, u64, u64, *e < *key)

static bool is_target(const Listing *l, u64 addr)
{
    const size_t lo =
        search_count(l->targets, l->ntargets, sizeof *l->targets, target_is_below, &addr);
    return lo < l->ntargets && l->targets[lo] == addr;
}

static void put_target_name(const Listing *l, u64 addr)
{
    buf_printf(l->out, ".LT%u_%llx", l->section, (unsigned long long)addr);
}

/* the offset at the end of the text, as a label if there is one */
static void name_target(Listing *l, size_t text, u64 target)
{
    size_t at = l->out->len;
    if (l->out->failed || (!has_label(l, target) && !is_target(l, target)))
        return;
    while (at > text && l->out->data[at - 1] != ' ')
        at--;
    l->out->len = at;
    l->out->data[at] = 0;
    if (has_label(l, target))
        put_name(l->out, name_of(l, &l->labels[label_from(l, target)]));
    else
        put_target_name(l, target);
}

static void put_insn(Listing *l, const Run *r, u64 at, int len, bool has_reloc)
{
    const u64 word = word_at(r, at, len), addr = r->addr + at;
    const bool plain = l->opt->no_addresses;
    const IsaPrint how = {.have_pc = !plain,
                          .pc = addr,
                          .csr_names = l->opt->csr_names,
                          .symbol = symbol_at,
                          .self = l};
    const size_t text = l->out->len;
    Insn in;
    if (!isa_decode(&l->decoder, word, &in) || isa_insn[in.id].len != len) {
        isa_print_word(l->out, &l->decoder, word, len, &how);
        l->prefix.valid = false;
        return;
    }
    if (plain && len == 8 && addr % 8) { /* the assembler would align it */
        buf_printf(l->out, ".insn 8, 0x%016llx", (unsigned long long)word);
        l->prefix.valid = false;
        return;
    }
    const int target = target_operand(in.id);
    const Insn coded = in;
    if (l->opt->resolve_ext)
        resolve(l, &in);
    isa_print(l->out, &in, &how);
    if (plain && target >= 0 && !has_reloc)
        name_target(l, text, (u32)(addr + (u64)(i64)in.opd[target]));
    l->prefix = isa_is_prefix(coded.id) ? isa_prefix(&coded) : (IsaPrefix){0};
}

/* --- lines ---------------------------------------------------------------------------- */

/* the columns before the text; those of 64-bit words keep the texts in line */
static void put_columns(const Listing *l, const Run *r, u64 at, int len)
{
    if (l->opt->no_addresses) {
        buf_str(l->out, "\t");
        return;
    }
    const int room = l->o->set & V2025 ? 16 : 8, gap = room == 16 ? 2 : 6;
    buf_printf(l->out, "%08llx: %0*llx%*s", (unsigned long long)(r->addr + at), 2 * len,
               (unsigned long long)word_at(r, at, len), room - 2 * len + gap, "");
}

static void put_bytes(const Listing *l, const Run *r, u64 at, u64 end)
{
    for (; at < end; at++)
        buf_printf(l->out, "\t.byte 0x%02x\n", r->bytes[at]);
}

static void put_reloc(const Listing *l, const Run *r, const ObjReloc *x)
{
    const RelocInfo *info = reloc_info(x->type);
    if (!info)
        return;
    if (l->opt->no_addresses)
        buf_printf(l->out, "\t.reloc 0x%x, R_RISCV_%s, ", x->offset, info->name);
    else
        buf_printf(l->out, "\t\t%08llx:  R_RISCV_%s\t", (unsigned long long)(r->addr + x->offset),
                   info->name);
    put_reloc_symbol(l, x);
    buf_str(l->out, "\n");
}

/* a label of assembly, with what the symbol table says of it */
static void put_plain_label(const Listing *l, const Label *label)
{
    const ObjSymbol *s = &l->o->symbols[label->symbol];
    static const char *const binds[] = {[STB_GLOBAL] = ".globl", [STB_WEAK] = ".weak"};
    const char *const names[] = {s->bind < countof(binds) ? binds[s->bind] : NULL,
                                 s->type == STT_FUNC     ? "@function"
                                 : s->type == STT_OBJECT ? "@object"
                                                         : NULL};
    if (names[0]) {
        buf_printf(l->out, "\t%s ", names[0]);
        put_name(l->out, s->name);
        buf_str(l->out, "\n");
    }
    if (names[1]) {
        buf_str(l->out, "\t.type ");
        put_name(l->out, s->name);
        buf_printf(l->out, ", %s\n", names[1]);
    }
    if (s->size) {
        buf_str(l->out, "\t.size ");
        put_name(l->out, s->name);
        buf_printf(l->out, ", %u\n", s->size);
    }
    put_name(l->out, s->name);
    buf_str(l->out, ":\n");
}

/* Whether a label before it has written the other name of their place. */
static bool is_named_already(const Listing *l, const Label *label)
{
    const u64 key = key_of(l->o, label);
    for (const Label *b = label; b > l->labels && key_of(l->o, b - 1) == key; b--)
        if (has_other_name(l, b[-1].symbol))
            return true;
    return false;
}

static void put_label(const Listing *l, const Label *label)
{
    const bool other = has_other_name(l, label->symbol);
    if (other && l->opt->no_addresses && is_named_already(l, label))
        return;
    if (!l->opt->no_addresses)
        buf_printf(l->out, "\n%08llx <", (unsigned long long)label->addr);
    else if (!l->repeated[label->symbol])
        put_plain_label(l, label);
    if (other)
        put_other_name(l, label->symbol);
    else if (!l->opt->no_addresses)
        buf_str(l->out, name_of(l, label));
    if (!l->opt->no_addresses || other)
        buf_str(l->out, l->opt->no_addresses ? ":\n" : ">:\n");
}

/* Writes the labels at addr; *next: the first label that is not written yet. */
static void put_labels(const Listing *l, u64 addr, size_t *next)
{
    for (; *next < l->nlabels && key_of(l->o, &l->labels[*next]) <= key_at(l, addr); ++*next)
        put_label(l, &l->labels[*next]);
    if (l->opt->no_addresses && is_target(l, addr) && !has_label(l, addr)) {
        put_target_name(l, addr);
        buf_str(l->out, ":\n");
    }
}

/* where the next label cuts a word short, or its end */
static u64 next_cut(const Listing *l, u64 addr, u64 end, size_t next)
{
    if (next < l->nlabels && key_of(l->o, &l->labels[next]) < key_at(l, end) &&
        key_of(l->o, &l->labels[next]) > key_at(l, addr))
        return l->labels[next].addr;
    return end;
}

/* The end of the line that starts at `at`; *len is that of a word, 0: bytes.  *next moves
 * past the labels up to there. */
static u64 step(const Listing *l, const Run *r, u64 at, size_t *next, int *len)
{
    while (*next < l->nlabels && key_of(l->o, &l->labels[*next]) <= key_at(l, r->addr + at))
        ++*next;
    *len = r->flags & SHF_EXECINSTR ? length_at(l, r, at) : r->len - at < 4 ? 0 : 4;
    const u64 end = at + (u64)(*len ? *len : 1);
    const u64 cut = next_cut(l, r->addr + at, r->addr + end, *next) - r->addr;
    if (cut != end)
        *len = 0;
    return cut;
}

/* Where the function is that alone is wanted.  False: there is none of that name. */
static bool find_function(Listing *l)
{
    const i32 i = obj_find_symbol(l->o, l->opt->symbol);
    const ObjSymbol *s = i < 0 ? NULL : &l->o->symbols[i];
    if (!s || s->section < 0)
        return false;
    l->only = s->section;
    l->section = (u32)s->section;
    l->lo = (l->o->is_image ? 0 : l->o->sections[s->section].addr) + (u64)s->value;
    const size_t next = label_from(l, l->lo + 1);
    const bool has_next =
        next < l->nlabels && key_of(l->o, &l->labels[next]) >> 33 == key_at(l, l->lo) >> 33;
    l->hi = s->size ? l->lo + s->size : has_next ? l->labels[next].addr : UINT64_MAX;
    return true;
}

static bool is_wanted(const Listing *l, u64 addr)
{
    return !l->opt->symbol || (addr >= l->lo && addr < l->hi);
}

static void list_words(Listing *l, const Run *r)
{
    const ObjReloc *x = r->section ? r->section->relocs : NULL;
    const ObjReloc *last = x ? x + r->section->nrelocs : NULL;
    const bool is_code = r->flags & SHF_EXECINSTR;
    size_t next = label_from(l, r->addr);
    l->prefix.valid = false;
    for (u64 at = 0; at < r->len;) {
        int len;
        if (!is_wanted(l, r->addr + at)) {
            at = step(l, r, at, &next, &len);
            while (x < last && x->offset < at)
                x++;
            l->prefix.valid = false;
            continue;
        }
        put_labels(l, r->addr + at, &next);
        const u64 end = step(l, r, at, &next, &len);
        if (len) {
            if (is_code && l->opt->before && !l->opt->no_addresses)
                l->opt->before(l->opt->self, (u32)(r->addr + at), l->out);
            put_columns(l, r, at, len);
            if (is_code)
                put_insn(l, r, at, len, x < last && x->offset < end);
            else
                buf_printf(l->out, ".word 0x%08llx", (unsigned long long)word_at(r, at, 4));
            buf_str(l->out, "\n");
        } else {
            put_bytes(l, r, at, end);
            l->prefix.valid = false;
        }
        for (; x < last && x->offset < end; x++)
            put_reloc(l, r, x);
        at = end;
    }
    if (is_wanted(l, r->addr + r->len))
        put_labels(l, r->addr + r->len, &next);
}

static void list_zeros(Listing *l, const Run *r)
{
    size_t next = label_from(l, r->addr);
    for (u64 at = 0; at < r->len;) {
        put_labels(l, r->addr + at, &next);
        const u64 end = next_cut(l, r->addr + at, r->addr + r->len, next) - r->addr;
        buf_printf(l->out, "\t.zero %llu\n", (unsigned long long)(end - at));
        at = end;
    }
    put_labels(l, r->addr + r->len, &next);
}

/* --- sections ------------------------------------------------------------------------- */

static void put_section_line(const Listing *l, const Run *r)
{
    if (!l->opt->no_addresses) {
        buf_printf(l->out, "\nDisassembly of section %s:\n", r->name);
        return;
    }
    buf_str(l->out, "\t.section ");
    put_name(l->out, r->name);
    buf_printf(l->out, ", \"%s%s%s\", @%s\n", r->flags & SHF_ALLOC ? "a" : "",
               r->flags & SHF_WRITE ? "w" : "", r->flags & SHF_EXECINSTR ? "x" : "",
               r->type == SHT_NOBITS ? "nobits" : "progbits");
    if (r->align > 1)
        buf_printf(l->out, "\t.balign %u\n", r->align);
}

static int compare_u64(const void *x, const void *y)
{
    const u64 a = *(const u64 *)x, b = *(const u64 *)y;
    return a < b ? -1 : a > b;
}

/* the places in a run that its branches go to, ascending */
static void find_targets(Listing *l, const Run *r)
{
    Insn in;
    size_t next = label_from(l, r->addr);
    l->ntargets = 0;
    for (u64 at = 0, end; at < r->len; at = end) {
        int len;
        end = step(l, r, at, &next, &len);
        const int operand =
            len && isa_decode(&l->decoder, word_at(r, at, len), &in) ? target_operand(in.id) : -1;
        if (operand < 0)
            continue;
        const u64 to = (u32)(r->addr + at + (u64)(i64)in.opd[operand]);
        if (array_grow(l->targets, l->ntargets, l->captargets))
            l->targets[l->ntargets++] = to;
    }
    if (l->ntargets)
        qsort(l->targets, l->ntargets, sizeof *l->targets, compare_u64);
}

/* keeps those that a line starts at: a label can stand there */
static void keep_line_starts(Listing *l, const Run *r)
{
    size_t next = label_from(l, r->addr), from = 0, kept = 0;
    int len;
    for (u64 at = 0; at < r->len; at = step(l, r, at, &next, &len)) {
        while (from < l->ntargets && l->targets[from] < r->addr + at)
            from++;
        if (from < l->ntargets && l->targets[from] == r->addr + at)
            l->targets[kept++] = r->addr + at;
    }
    l->ntargets = kept;
}

/* Whether nothing need be said of the run: it is empty, or in assembly has not even a label. */
static bool is_nothing(const Listing *l, const Run *r)
{
    if (r->len || l->o->is_image || !l->opt->no_addresses)
        return !r->len;
    const size_t i = label_from(l, r->addr);
    return i == l->nlabels || key_of(l->o, &l->labels[i]) != key_at(l, r->addr);
}

static void list_run(Listing *l, const Run *r)
{
    const bool is_code = r->flags & SHF_EXECINSTR;
    const bool is_asked_for = l->opt->section && !strcmp(l->opt->section, r->name);
    l->section = r->index;
    if (is_nothing(l, r) || (!is_code && !l->opt->all_sections && !is_asked_for))
        return;
    if ((l->opt->section && !is_asked_for) || (l->opt->symbol && l->only != (i32)r->index))
        return;
    l->ntargets = 0;
    if (l->opt->no_addresses && is_code) {
        find_targets(l, r);
        keep_line_starts(l, r);
    }
    put_section_line(l, r);
    if (r->bytes)
        list_words(l, r);
    else
        list_zeros(l, r);
}

static void put_head(const Listing *l)
{
    char set[24];
    isa_set_name(l->o->set, set);
    if (!l->opt->no_addresses)
        buf_printf(l->out, "%s:\tfile format elf32-littleriscv\n", l->o->name);
    if (l->o->set != V202)
        buf_printf(l->out, "\t.ventus_isa %s\n", set);
}

static void list_sections(Listing *l)
{
    for (u32 i = 0; i < l->o->nsections; i++) {
        const ObjSection *s = &l->o->sections[i];
        list_run(l, &(Run){.name = s->name,
                           .index = i,
                           .addr = s->addr,
                           .bytes = s->data.len ? s->data.data : NULL,
                           .len = s->data.len ? s->data.len : s->size,
                           .type = s->type,
                           .flags = s->flags,
                           .align = s->align,
                           .section = s});
    }
}

static void list_segments(Listing *l)
{
    for (size_t i = 0; i < l->o->nsegments; i++) {
        const ObjSegment *s = &l->o->segments[i];
        const bool is_code = s->flags & PF_X;
        list_run(l, &(Run){.name = is_code ? ".text" : ".data",
                           .addr = s->addr,
                           .bytes = s->data.data,
                           .len = s->data.len,
                           .type = SHT_PROGBITS,
                           .flags = SHF_ALLOC | (is_code ? SHF_EXECINSTR : SHF_WRITE),
                           .align = 4});
    }
}

void asm_list(const Object *o, const ListOptions *opt, Buf *out)
{
    Listing *l = mem_zalloc(1, sizeof *l);
    if (!l) {
        out->failed = true;
        return;
    }
    *l = (Listing){.o = o, .opt = opt, .out = out};
    isa_decoder_init(&l->decoder, o->set);
    if (find_labels(l)) {
        put_head(l);
        if (opt->symbol && !find_function(l))
            l->only = -1;
        if (o->nsections)
            list_sections(l);
        else
            list_segments(l);
    } else {
        out->failed = true;
    }
    mem_free(l->targets);
    mem_free(l->repeated);
    mem_free(l->labels);
    mem_free(l);
}
