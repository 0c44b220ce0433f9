/* cmd_as.c -- ventus as: assembly text to an object. */
#include "tool/tool.h"
#include "asm/asm.h"
#include <string.h>

enum { MAX_DIRS = 63 };

typedef struct {
    AsmOptions asm_;
    const char *file, *out;
    const char *dirs[MAX_DIRS + 1];
    int ndirs;
    bool listing;
} As;

enum { KEY_LISTING = 256, KEY_NO_RELAX, KEY_NO_PREFIX };

static const struct argp_option options[] = {
    {"isa", 'p', "P", 0, "Profile and overlays: v202 (default), v2025, v202+ai+tidx", 0},
    {"output", 'o', "OUT.o", 0, "The object; without it, FILE.o in the current directory", 0},
    {"include", 'I', "DIR", 0, "Search DIR for files of .include", 0},
    {"debug", 'g', NULL, 0, "Debug sections say which line each instruction came from", 0},
    {"listing", KEY_LISTING, NULL, 0, "Print address, words and source of every line", 0},
    {"no-relax", KEY_NO_RELAX, NULL, 0, "Branches out of range are errors, not longer code", 0},
    {"no-prefix", KEY_NO_PREFIX, NULL, 0, "Registers above 31 need a prefix that is written", 0},
    {0},
};

static error_t option(int key, char *arg, struct argp_state *state)
{
    As *a = state->input;
    switch (key) {
    case 'p': a->asm_.set = option_isa(state, arg); return 0;
    case 'o': a->out = arg; return 0;
    case 'I':
        if (a->ndirs == MAX_DIRS)
            argp_error(state, "more than %d directories", MAX_DIRS);
        a->dirs[a->ndirs++] = arg;
        return 0;
    case 'g': a->asm_.lines = true; return 0;
    case KEY_LISTING: a->listing = true; return 0;
    case KEY_NO_RELAX: a->asm_.no_relax = true; return 0;
    case KEY_NO_PREFIX: a->asm_.no_prefix = true; return 0;
    case ARGP_KEY_ARG:
        if (a->file)
            argp_error(state, "one file at a time; '%s' is one too many", arg);
        a->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!a->file)
            argp_error(state, "no file to assemble");
        if (!strcmp(a->file, "-") && !a->out && !a->listing)
            argp_error(state, "a text from stdin needs -o");
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

const struct argp as_argp = {
    .options = options,
    .parser = option,
    .args_doc = "FILE.s",
    .doc = "Assembles a file to an ELF object.\vFILE.s may be - for stdin, OUT.o - for stdout.",
};

/* FILE.o in the current directory; NULL for stdin, which makes a listing only */
static char *default_output(const char *file)
{
    if (!strcmp(file, "-"))
        return NULL;
    char *stem = path_base(file, true);
    Buf b = {0};
    buf_printf(&b, "%s.o", stem);
    mem_free(stem);
    if (b.failed)
        out_of_memory();
    return (char *)b.data;
}

static bool write_object(const As *a, const Object *o, Diag *d)
{
    Buf elf = {0};
    char *def = a->out ? NULL : default_output(a->file);
    const char *out = a->out ? a->out : def;
    const bool ok = !out || (obj_write(o, &elf, d) && write_file(out, elf.data, elf.len, d));
    buf_free(&elf);
    mem_free(def);
    return ok;
}

int as_main(int argc, char **argv)
{
    As a = {.asm_ = {.set = default_isa()}};
    Diag d = stderr_diag();
    Buf text = {0}, listing = {0};
    parse_options(&as_argp, argc, argv, &a);
    a.asm_.include = a.dirs;
    a.asm_.listing = a.listing ? &listing : NULL;
    Object *o = NULL;
    if (!refuse_source(a.file, "ventus cc", &d) && read_file(a.file, &text, &d)) {
        const char *name = strcmp(a.file, "-") ? a.file : "<stdin>";
        if (strlen(buf_text(&text)) != text.len)
            error(&d, &(Source){.name = name, .text = ""}, NULL, "not a text: it has a NUL byte");
        else
            o = asm_text(name, buf_text(&text), &a.asm_, &d);
    }
    const bool ok = o && write_object(&a, o, &d);
    if (listing.failed)
        out_of_memory();
    if (ok && a.listing)
        write_file("-", buf_text(&listing), listing.len, &d);
    if (d.errors > d.limit) {
        d.limit = d.errors; /* which would leave this out, too */
        note(&d, NULL, NULL, "%d errors in all", d.errors);
    }
    obj_free(o);
    buf_free(&text);
    buf_free(&listing);
    return ok ? DONE : REFUSED;
}
