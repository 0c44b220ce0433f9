/* cmd_objdump.c -- ventus objdump: what is in an object or an image. */
#include "tool/tool.h"
#include "asm/asm.h"
#include "obj/lines.h"
#include "obj/resource.h"
#include <elf.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *file;
    IsaSet set;
    bool has_set;
    bool code, symbols, headers, resources, relocs, lines, source;
    ListOptions list;
} Show;

enum { KEY_DISASSEMBLE = 256, KEY_RESOURCES, KEY_RESOLVE, KEY_NAMES, KEY_PLAIN };

static const struct argp_option options[] = {
    {"isa", 'p', "P", 0, "Profile to read the code with; without it, what the file is marked with",
     0},
    {NULL, 'd', NULL, 0, "Code (the default)", 0},
    {"disassemble", KEY_DISASSEMBLE, "SYMBOL", OPTION_ARG_OPTIONAL, "The same; of this function",
     0},
    {"disassemble-all", 'D', NULL, 0, "Every section that has bytes, as code", 0},
    {"section", 'j', "SECTION", 0, "Code of this section only", 0},
    {"line-numbers", 'l', NULL, 0, "Before instructions the place in the source", 0},
    {"source", 'S', NULL, 0, "Before instructions their source lines; implies -d", 0},
    {"syms", 't', NULL, 0, "Symbols", 0},
    {"headers", 'h', NULL, 0, "File header, sections and segments", 0},
    {"reloc", 'r', NULL, 0, "Relocations", 0},
    {"resources", KEY_RESOURCES, NULL, 0, "Resource records of the kernels", 0},
    {"resolve-prefixes", KEY_RESOLVE, NULL, 0, "Print the registers that a prefix leads to", 0},
    {"csr-names", KEY_NAMES, NULL, 0, "Print the CSRs of Ventus by name", 0},
    {"no-addresses", KEY_PLAIN, NULL, 0, "Plain assembly, without columns for address and word", 0},
    {0},
};

static error_t option(int key, char *arg, struct argp_state *state)
{
    Show *s = state->input;
    switch (key) {
    case 'p':
        s->set = option_isa(state, arg);
        s->has_set = true;
        return 0;
    case 'd': s->code = true; return 0;
    case KEY_DISASSEMBLE:
        s->code = true;
        s->list.symbol = arg;
        return 0;
    case 'j': s->list.section = arg; return 0;
    case 'l': s->lines = true; return 0;
    case 'S': s->code = s->source = true; return 0;
    case 'D': s->code = s->list.all_sections = true; return 0;
    case 't': s->symbols = true; return 0;
    case 'h': s->headers = true; return 0;
    case 'r': s->relocs = true; return 0;
    case KEY_RESOURCES: s->resources = true; return 0;
    case KEY_RESOLVE: s->list.resolve_ext = true; return 0;
    case KEY_NAMES: s->list.csr_names = true; return 0;
    case KEY_PLAIN: s->list.no_addresses = true; return 0;
    case ARGP_KEY_ARG:
        if (s->file)
            argp_error(state, "one file at a time; '%s' is one too many", arg);
        s->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!s->file)
            argp_error(state, "no file to show");
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

const struct argp objdump_argp = {
    .options = options,
    .parser = option,
    .args_doc = "FILE",
    .doc = "Shows what is in an ELF object or image.",
};

/* --- headers ---------------------------------------------------------------------------- */

static const char *type_name(u32 type)
{
    switch (type) {
    case SHT_PROGBITS: return "progbits";
    case SHT_NOBITS: return "nobits";
    case SHT_NOTE: return "note";
    case SHT_INIT_ARRAY: return "init_array";
    case SHT_FINI_ARRAY: return "fini_array";
    case 0x70000003: return "attributes";
    default: return "other";
    }
}

static const char *flag_text(u32 flags, char text[8])
{
    static const struct {
        u32 bit;
        char letter;
    } letters[] = {
        {SHF_ALLOC, 'A'}, {SHF_WRITE, 'W'},   {SHF_EXECINSTR, 'X'},
        {SHF_MERGE, 'M'}, {SHF_STRINGS, 'S'},
    };
    size_t n = 0;
    for (size_t i = 0; i < countof(letters); i++)
        if (flags & letters[i].bit)
            text[n++] = letters[i].letter;
    text[n ? n : 0] = 0;
    return n ? text : "-";
}

static void show_headers(const Object *o)
{
    char set[24], flags[8];
    isa_set_name(o->set, set);
    printf("%s: %s, %s", o->name, o->is_image ? "image" : "object", set);
    if (o->is_image)
        printf(", entry 0x%08x", o->entry);
    printf("\n\nsections:\n  number  address     size        align  flags  type        name\n");
    for (size_t i = 0; i < o->nsections; i++) {
        const ObjSection *s = &o->sections[i];
        printf("  %6zu  0x%08x  0x%08x  %5u  %-5s  %-10s  %s\n", i, s->addr, s->size, s->align,
               flag_text(s->flags, flags), type_name(s->type), s->name);
    }
    if (o->nsegments)
        printf("\nsegments:\n  address     bytes       in memory   flags\n");
    for (size_t i = 0; i < o->nsegments; i++) {
        const ObjSegment *s = &o->segments[i];
        printf("  0x%08x  0x%08zx  0x%08x  %c%c%c\n", s->addr, s->data.len, s->memsz,
               s->flags & PF_R ? 'r' : '-', s->flags & PF_W ? 'w' : '-',
               s->flags & PF_X ? 'x' : '-');
    }
    putchar('\n');
}

/* --- symbols and relocations --------------------------------------------------------------- */

static const char *section_name(const Object *o, i32 section)
{
    switch (section) {
    case OBJ_UNDEF: return "*undefined*";
    case OBJ_ABS: return "*absolute*";
    case OBJ_COMMON: return "*common*";
    default: return (size_t)section < o->nsections ? o->sections[section].name : "*none*";
    }
}

static void show_symbols(const Object *o)
{
    static const char *const types[] = {"none", "object", "func", "section",
                                        "file", "common", "tls"};
    printf("symbols:\n  value       size        bind    type     section           name\n");
    for (size_t i = 0; i < o->nsymbols; i++) {
        const ObjSymbol *s = &o->symbols[i];
        printf("  0x%08x  0x%08x  %-6s  %-7s  %-16s  %s\n", s->value, s->size,
               s->bind == STB_GLOBAL ? "global"
               : s->bind == STB_WEAK ? "weak"
                                     : "local",
               s->type < countof(types) ? types[s->type] : "other", section_name(o, s->section),
               s->name);
    }
    putchar('\n');
}

static void show_relocs(const Object *o)
{
    printf("relocations:\n  section           offset      type                 symbol\n");
    for (size_t i = 0; i < o->nsections; i++) {
        const ObjSection *s = &o->sections[i];
        for (size_t k = 0; k < s->nrelocs; k++) {
            const ObjReloc *r = &s->relocs[k];
            const char *type = obj_reloc_name(r->type);
            const char *symbol = r->symbol < o->nsymbols ? o->symbols[r->symbol].name : "";
            printf("  %-16s  0x%08x  ", s->name, r->offset);
            type ? printf("%-19s", type) : printf("%-19u", r->type);
            printf("  %s%+d\n", symbol, r->addend);
        }
    }
    putchar('\n');
}

/* --- resource records ----------------------------------------------------------------------- */

static void put_count(const char *what, u64 v)
{
    if (v == UINT64_MAX)
        printf("  %s unknown", what);
    else
        printf("  %s %llu", what, (unsigned long long)v);
}

static void show_record(const char *kernel, const Resource *r)
{
    static const char *const flags[] = {"dynamic-alloca", "recursion",     "indirect-call",
                                        "unknown-callee", "no-stack-peak", "registers-incomplete"};
    printf("  %s:", *kernel ? kernel : "(code outside kernels)");
    if (r->form == RES_LONG)
        printf(" version %u", r->version);
    put_count("vgpr", r->vgpr);
    put_count("sgpr", r->sgpr);
    put_count("lds", r->lds_static);
    put_count("private", r->pds_static);
    if (r->form == RES_LONG) {
        put_count("stack", r->lds_stack);
        put_count("private-stack", r->pds_stack);
    }
    for (size_t i = 0; i < countof(flags); i++)
        if (r->flags >> i & 1)
            printf("  %s", flags[i]);
    putchar('\n');
}

static bool show_resources(const Object *o, Diag *d)
{
    bool ok = true;
    size_t found = 0;
    printf("resources (%s):\n", generation_name(resource_generation(o)));
    for (size_t i = 0; i < o->nsymbols; i++) {
        const ObjSymbol *s = &o->symbols[i];
        Resource r = {0};
        if (s->section < 0 || s->type != STT_FUNC || !*s->name)
            continue;
        if (!resource_read(o, s->name, &r, d))
            ok = false;
        else if (r.form != RES_NONE && ++found)
            show_record(s->name, &r);
    }
    if (ok && !found)
        printf("  none\n");
    putchar('\n');
    return ok;
}

/* --- places in the source ------------------------------------------------------------------ */

enum { CALLS_SHOWN = 16 };

/* What is written between instructions, and what was written last. */
typedef struct {
    const Show *show;
    const Object *o;
    LineTable *lines;
    Place last[CALLS_SHOWN];
    size_t nlast;
} Sources;

static bool is_same(const Place *a, const Place *b)
{
    return a->file == b->file && a->line == b->line && a->function == b->function;
}

/* The place of an instruction, where it differs from that of the one before, as comments. */
static void put_places(void *self, u32 addr, Buf *to)
{
    Sources *s = self;
    Place chain[CALLS_SHOWN];
    const size_t n = lines_find(s->lines, addr, chain, CALLS_SHOWN);
    bool is_new = n != s->nlast;
    for (size_t i = 0; i < n && !is_new; i++)
        is_new = !is_same(&chain[i], &s->last[i]);
    s->nlast = n;
    memcpy(s->last, chain, n * sizeof *chain);
    if (!is_new || !n)
        return;
    for (size_t i = 0; i < n && s->show->lines; i++) {
        buf_printf(to, "# %s%s:%u", i ? "called at " : "", chain[i].file ? chain[i].file : "?",
                   chain[i].line);
        if (chain[i].function)
            buf_printf(to, " in %s", chain[i].function);
        buf_str(to, "\n");
    }
    size_t len = 0;
    const char *line = s->show->source && chain[0].file
                           ? obj_source_line(s->o, chain[0].file, chain[0].line, &len)
                           : NULL;
    if (line)
        buf_printf(to, "#   %.*s\n", (int)len, line);
}

static void show_code(const Show *s, Object *o, Buf *listing)
{
    ListOptions list = s->list;
    Sources sources = {.show = s, .o = o};
    if (s->source)
        add_sources(o);
    if (s->lines || s->source) {
        sources.lines = lines_read(o);
        if (!sources.lines)
            out_of_memory();
        list.before = put_places;
        list.self = &sources;
    }
    asm_list(o, &list, listing);
    lines_free(sources.lines);
}

/* false: reported */
static bool check_names(const Show *s, const Object *o, Diag *d)
{
    const Source src = {.name = o->name, .text = ""};
    if (s->list.section && obj_find_section(o, s->list.section) < 0)
        error(d, &src, NULL, "it has no section '%s'", s->list.section);
    if (s->list.symbol && obj_find_symbol(o, s->list.symbol) < 0)
        error(d, &src, NULL, "it has no symbol '%s'", s->list.symbol);
    return !diag_errors(d);
}

int objdump_main(int argc, char **argv)
{
    Show s = {0};
    Diag d = stderr_diag();
    Buf text = {0}, listing = {0};
    Object *o = NULL;
    parse_options(&objdump_argp, argc, argv, &s);
    bool ok = !refuse_source(s.file, "ventus cc", &d) && read_file(s.file, &text, &d) &&
              obj_read(strcmp(s.file, "-") ? s.file : "<stdin>", text.data, text.len, &d, &o);
    if (ok) {
        if (s.has_set)
            o->set = s.set;
        if (s.headers)
            show_headers(o);
        if (s.symbols)
            show_symbols(o);
        if (s.relocs)
            show_relocs(o);
        if (s.resources)
            ok = show_resources(o, &d);
        ok = check_names(&s, o, &d) && ok;
        if (ok && (s.code || !(s.headers || s.symbols || s.relocs || s.resources)))
            show_code(&s, o, &listing);
        if (listing.failed)
            out_of_memory();
        write_file("-", buf_text(&listing), listing.len, &d);
    }
    obj_free(o);
    buf_free(&text);
    buf_free(&listing);
    return ok ? DONE : REFUSED;
}
