/* directive.c -- the table of directives, and the directives for symbols, texts and the assembly
 * itself. */
#include "asm/job.h"
#include "asm/lex.h"
#include "obj/reloc.h"
#include <elf.h>
#include <stdio.h>
#include <string.h>

static DirectiveFn bind, visibility, symbol_type, symbol_size, set, option, include, ignore, end,
    message, reloc, isa, variant;

typedef enum { MESSAGE_ERROR, MESSAGE_WARNING, MESSAGE_NOTE, MESSAGE_ERR } Message;

/* Directives that mean the same have the same row but for the name.  In the order of
 * doc/asm.md. */
static const Directive table[] = {
    /* sections */
    {".section", as_dir_named, 0, 0},
    {".text", as_dir_section, 0, 0},
    {".data", as_dir_section, 1, 0},
    {".bss", as_dir_section, 2, 0},
    {".rodata", as_dir_section, 3, 0},
    {".sdata", as_dir_section, 4, 0},
    {".sbss", as_dir_section, 5, 0},
    {".pushsection", as_dir_push, 0, 0},
    {".popsection", as_dir_pop, 0, 0},
    {".previous", as_dir_previous, 0, 0},
    {".align", as_dir_align, 1, 0},
    {".p2align", as_dir_align, 1, 0},
    {".balign", as_dir_align, 0, 0},
    {".org", as_dir_org, 0, 0},
    {".comm", as_dir_comm, 0, 0},
    {".common", as_dir_comm, 0, 0},
    {".lcomm", as_dir_comm, 1, 0},
    /* data */
    {".byte", as_dir_ints, 1, IN_LISTING},
    {".dc.b", as_dir_ints, 1, IN_LISTING},
    {".half", as_dir_ints, 2, IN_LISTING},
    {".short", as_dir_ints, 2, IN_LISTING},
    {".hword", as_dir_ints, 2, IN_LISTING},
    {".2byte", as_dir_ints, 2, IN_LISTING},
    {".word", as_dir_ints, 4, IN_LISTING},
    {".long", as_dir_ints, 4, IN_LISTING},
    {".int", as_dir_ints, 4, IN_LISTING},
    {".4byte", as_dir_ints, 4, IN_LISTING},
    {".dword", as_dir_ints, 8, IN_LISTING},
    {".8byte", as_dir_ints, 8, IN_LISTING},
    {".quad", as_dir_ints, 8, IN_LISTING},
    {".ascii", as_dir_string, 0, 0},
    {".asciz", as_dir_string, 1, 0},
    {".string", as_dir_string, 1, 0},
    {".float", as_dir_float, 4, 0},
    {".single", as_dir_float, 4, 0},
    {".double", as_dir_float, 8, 0},
    {".zero", as_dir_space, 0, 0},
    {".space", as_dir_space, 0, 0},
    {".skip", as_dir_space, 0, 0},
    {".fill", as_dir_fill, 0, 0},
    {".uleb128", as_dir_leb, 0, 0},
    {".sleb128", as_dir_leb, 1, 0},
    {".incbin", as_dir_incbin, 0, 0},
    {".insn", as_dir_insn, 0, IN_LISTING},
    {".reloc", reloc, 0, 0},
    /* symbols */
    {".globl", bind, STB_GLOBAL, 0},
    {".global", bind, STB_GLOBAL, 0},
    {".weak", bind, STB_WEAK, 0},
    {".local", bind, STB_LOCAL, 0},
    {".hidden", visibility, 0, 0},
    {".internal", visibility, 0, 0},
    {".protected", visibility, 0, 0},
    {".type", symbol_type, 0, 0},
    {".size", symbol_size, 0, 0},
    {".set", set, 0, 0},
    {".equ", set, 0, 0},
    {".eqv", set, 0, 0},
    {".equiv", set, 1, 0},
    {".variant_cc", variant, 0, 0},
    /* kernels */
    {".kernel", as_dir_kernel, 0, 0},
    {".lds", as_dir_kernel_memory, offsetof(Kernel, lds), 0},
    {".private", as_dir_kernel_memory, offsetof(Kernel, pds), 0},
    {".lds_stack", as_dir_kernel_memory, offsetof(Kernel, lds_stack), 0},
    {".private_stack", as_dir_kernel_memory, offsetof(Kernel, pds_stack), 0},
    {".ventus_isa", isa, 0, 0},
    /* conditions */
    {".if", as_if, 0, DURING_SKIP},
    {".ifne", as_if, 0, DURING_SKIP},
    {".ifeq", as_if, 1, DURING_SKIP},
    {".iflt", as_if, 2, DURING_SKIP},
    {".ifle", as_if, 3, DURING_SKIP},
    {".ifgt", as_if, 4, DURING_SKIP},
    {".ifge", as_if, 5, DURING_SKIP},
    {".ifdef", as_ifdef, 1, DURING_SKIP},
    {".ifndef", as_ifdef, 0, DURING_SKIP},
    {".ifnotdef", as_ifdef, 0, DURING_SKIP},
    {".ifb", as_ifblank, 1, DURING_SKIP},
    {".ifnb", as_ifblank, 0, DURING_SKIP},
    {".ifc", as_ifsame, 1, DURING_SKIP},
    {".ifnc", as_ifsame, 0, DURING_SKIP},
    {".ifeqs", as_ifeqs, 1, DURING_SKIP},
    {".ifnes", as_ifeqs, 0, DURING_SKIP},
    {".elseif", as_elseif, 0, DURING_SKIP},
    {".else", as_else, 0, DURING_SKIP},
    {".endif", as_endif, 0, DURING_SKIP},
    /* texts */
    {".macro", as_macro, 0, 0},
    {".endm", as_stray_end, 0, 0},
    {".endmacro", as_stray_end, 0, 0},
    {".exitm", as_exitm, 0, 0},
    {".purgem", as_purgem, 0, 0},
    {".rept", as_rept, 0, 0},
    {".rep", as_rept, 0, 0},
    {".irp", as_irp, 0, 0},
    {".irpc", as_irp, 1, 0},
    {".endr", as_stray_end, 0, 0},
    {".include", include, 0, 0},
    {".end", end, 0, 0},
    {".error", message, MESSAGE_ERROR, 0},
    {".err", message, MESSAGE_ERR, 0},
    {".warning", message, MESSAGE_WARNING, 0},
    {".print", message, MESSAGE_NOTE, 0},
    /* accepted, without effect here; a line table would begin with .file and .loc */
    {".option", option, 0, 0},
    {".attribute", ignore, 0, 0},
    {".file", ignore, 0, 0},
    {".loc", ignore, 0, 0},
    {".ident", ignore, 0, 0},
    {".addrsig", ignore, 0, 0},
    {".addrsig_sym", ignore, 0, 0},
    {".noaltmacro", ignore, 0, 0},
    {".line", ignore, 0, 0},
    {".ln", ignore, 0, 0},
    {".list", ignore, 0, 0},
    {".nolist", ignore, 0, 0},
    {".title", ignore, 0, 0},
    {".sbttl", ignore, 0, 0},
    {".eject", ignore, 0, 0},
    {".psize", ignore, 0, 0},
    {".version", ignore, 0, 0},
    {".symver", ignore, 0, 0},
    {".cfi_startproc", ignore, 0, 0},
};

/* .cfi_*: one row for all of them */
static const Directive cfi = {".cfi_*", ignore, 0, 0};

const Directive *as_find_directive(const char *name, size_t len)
{
    if (!len || *name != '.')
        return NULL;
    for (size_t i = 0; i < countof(table); i++)
        if (strlen(table[i].name) == len && !memcmp(table[i].name, name, len))
            return &table[i];
    return len > 5 && !memcmp(name, ".cfi_", 5) ? &cfi : NULL;
}

const char *as_similar_directive(const char *name, size_t len)
{
    const char *best = NULL;
    int distance = 3;
    for (size_t i = 0; i < countof(table); i++) {
        const int d = edit_distance(name, len, table[i].name, strlen(table[i].name), distance);
        if (d < distance) {
            distance = d;
            best = table[i].name;
        }
    }
    return best && as_is_similar(name, len, best) ? best : NULL;
}

/* --- symbols ------------------------------------------------------------------------- */

/* each name of a list */
static bool each_symbol(Asm *a, void (*say)(Sym *, int), int arg)
{
    const char *name;
    size_t len;
    do {
        const char *at = a->p = lex_space(a->p);
        if (!as_name(a, &name, &len))
            return false;
        const u32 id = as_symbol(a, name, len, at);
        if (!id)
            return false;
        say(sym_of(a, id), arg);
    } while (!as_end_of_statement(a) && as_comma(a));
    return as_end_of_statement(a);
}

static void set_bind(Sym *s, int how)
{
    /* .globl does not take .weak back */
    if (!(s->bind == STB_WEAK && how == STB_GLOBAL))
        s->bind = (u8)how;
    s->is_declared = true;
}

static void set_nothing(Sym *s, int how) { (void)s, (void)how; }

static bool bind(Asm *a, int how) { return each_symbol(a, set_bind, how); }
/* there is one program in a device: visibility makes no difference */
static bool visibility(Asm *a, int unused) { return each_symbol(a, set_nothing, unused); }
static bool variant(Asm *a, int unused) { return each_symbol(a, set_nothing, unused); }

/* .type name, @function  -- or %function, "function", STT_FUNC, function */
static bool symbol_type(Asm *a, int unused)
{
    static const struct {
        const char *name;
        u8 type;
    } known[] = {
        {"function", STT_FUNC},
        {"STT_FUNC", STT_FUNC},
        {"object", STT_OBJECT},
        {"STT_OBJECT", STT_OBJECT},
        {"notype", STT_NOTYPE},
        {"STT_NOTYPE", STT_NOTYPE},
        {"common", STT_OBJECT},
        {"STT_COMMON", STT_OBJECT},
        {"tls_object", STT_TLS},
        {"STT_TLS", STT_TLS},
        {"gnu_unique_object", STT_OBJECT},
        {"gnu_indirect_function", STT_GNU_IFUNC},
    };
    (void)unused;
    const char *name, *type, *at = a->p = lex_space(a->p);
    size_t len, tlen;
    if (!as_name(a, &name, &len) || !as_comma(a))
        return false;
    const u32 id = as_symbol(a, name, len, at);
    a->p = lex_space(a->p);
    if (*a->p == '@' || *a->p == '%')
        a->p++;
    at = a->p;
    if (!id || !as_name(a, &type, &tlen))
        return false;
    for (size_t i = 0; i < countof(known); i++)
        if (strlen(known[i].name) == tlen && !memcmp(known[i].name, type, tlen)) {
            sym_of(a, id)->type = known[i].type;
            return true;
        }
    return as_fail(a, at, "no symbol type '%.*s': function, object and notype are some", (int)tlen,
                   type);
}

/* .size name, expression */
static bool symbol_size(Asm *a, int unused)
{
    (void)unused;
    const char *name, *at = a->p = lex_space(a->p);
    size_t len;
    Expr e;
    if (!as_name(a, &name, &len) || !as_comma(a) || !as_expr(a, &e))
        return false;
    const u32 id = as_symbol(a, name, len, at);
    if (!id)
        return false;
    sym_of(a, id)->size = e;
    sym_of(a, id)->has_size = true;
    return true;
}

/* .set name, expression */
static bool set(Asm *a, int once)
{
    const char *name, *at = a->p = lex_space(a->p);
    size_t len;
    Expr e;
    if (!as_name(a, &name, &len) || !as_comma(a))
        return false;
    a->p = lex_space(a->p);
    if (len == 1 && *name == '.')
        return as_dir_org(a, 0);
    return as_expr(a, &e) && as_end_of_statement(a) && as_assign(a, name, len, &e, once, at);
}

/* --- texts ------------------------------------------------------------------------------- */

static bool include(Asm *a, int unused)
{
    (void)unused;
    const char *at = a->p = lex_space(a->p);
    Buf name = {0}, text = {0};
    bool ok =
        as_string(a, &name) && as_end_of_statement(a) && as_load(a, buf_text(&name), at, &text);
    if (ok && text.len && memchr(text.data, 0, text.len))
        ok = as_fail(a, at, "'%s' is no text: it has a NUL byte", buf_text(&name));
    buf_put(&text, "", 1);
    if (!ok || name.failed || text.failed) {
        buf_free(&name);
        buf_free(&text);
        return ok ? as_no_memory(a) : false;
    }
    if (!as_keep(a, name.data)) {
        buf_free(&text);
        return false;
    }
    const Source *src = as_source(a, (char *)name.data, (char *)text.data, at, false);
    return src && as_push_text(a, src, 0, false);
}

static bool end(Asm *a, int unused)
{
    (void)unused;
    a->ended = true;
    return true;
}

static bool message(Asm *a, int kind)
{
    Buf text = {0};
    const char *at = a->p;
    const bool said = kind != MESSAGE_ERR && !as_at_end(a);
    if (said && !as_string(a, &text)) {
        buf_free(&text);
        return false;
    }
    const char *s = said ? buf_text(&text) : "the text asks for an error";
    if (kind == MESSAGE_WARNING)
        as_warn(a, at, "%s", s);
    else if (kind == MESSAGE_NOTE)
        note(a->d, NULL, NULL, "%s", s);
    else
        as_fail(a, at, "%s", s);
    buf_free(&text);
    return kind == MESSAGE_WARNING || kind == MESSAGE_NOTE;
}

static bool ignore(Asm *a, int unused)
{
    (void)unused;
    a->p = lex_skip_statement(a->p);
    return true;
}

static bool option(Asm *a, int unused)
{
    static const char *const known[] = {"push",  "pop",       "rvc",         "norvc",
                                        "relax", "norelax",   "pic",         "nopic",
                                        "arch",  "csr-check", "no-csr-check"};
    (void)unused;
    const char *p = a->p = lex_space(a->p), *end_ = p;
    while (is_ident(*end_) || *end_ == '-')
        end_++;
    for (size_t i = 0; i < countof(known); i++)
        if (strlen(known[i]) == (size_t)(end_ - p) && !memcmp(known[i], p, (size_t)(end_ - p)))
            return ignore(a, 0);
    return as_fail(a, p, "no option '%.*s'", (int)(end_ - p), p);
}

/* .ventus_isa v2025+tidx */
static bool isa(Asm *a, int unused)
{
    (void)unused;
    char name[32];
    IsaSet wanted;
    const char *p = a->p = lex_space(a->p), *q = p;
    while (is_ident(*q) || *q == '+')
        q++;
    snprintf(name, sizeof name, "%.*s", (int)(q - p), p);
    if ((size_t)(q - p) >= sizeof name || !isa_parse_set(name, &wanted))
        return as_fail(a, p, "no such instruction set; v202, v2025, v202+ai+tidx are some");
    if (a->has_code && (wanted ^ a->set) & (V202 | V2025))
        return as_fail(a, p, "the profile must be chosen before the first instruction");
    a->p = q;
    a->set = wanted;
    as_refresh_keywords(a);
    return true;
}

/* --- relocations ---------------------------------------------------------------------------- */

/* R_RISCV_HI20 */
static bool reloc_type(Asm *a, u16 *type)
{
    static const char prefix[] = "R_RISCV_";
    const size_t skip = sizeof prefix - 1;
    const char *name, *at = a->p = lex_space(a->p);
    size_t len;
    if (!as_name(a, &name, &len))
        return false;
    for (u32 i = 0; i < 64; i++) {
        const RelocInfo *r = reloc_info(i);
        if (r && len == skip + strlen(r->name) && !memcmp(name, prefix, skip) &&
            !memcmp(name + skip, r->name, len - skip)) {
            *type = (u16)i;
            return true;
        }
    }
    return as_fail(a, at, "no relocation '%.*s'", (int)len, name);
}

bool as_ask_reloc(Asm *a, const Expr *where, const char *at)
{
    static const char no_symbol[] = "*ABS*"; /* in listings of LLVM */
    u16 type = 0;
    Expr target = {0};
    if (!reloc_type(a, &type))
        return false;
    a->p = lex_space(a->p);
    if (*a->p == ',')
        a->p++;
    a->p = lex_space(a->p);
    if (!strncmp(a->p, no_symbol, sizeof no_symbol - 1))
        a->p += sizeof no_symbol - 1;
    if (!as_at_end(a) && !as_expr(a, &target))
        return false;
    if (!array_grow(a->asked, a->nasked, a->capasked))
        return as_no_memory(a);
    a->asked[a->nasked++] = (AskedReloc){a->sect, type, *where, target, {a->src, at}};
    return true;
}

/* .reloc offset, R_RISCV_type, expression */
static bool reloc(Asm *a, int unused)
{
    (void)unused;
    const char *at = a->p = lex_space(a->p);
    Expr where;
    return as_expr(a, &where) && as_comma(a) && as_ask_reloc(a, &where, at) &&
           as_end_of_statement(a);
}
