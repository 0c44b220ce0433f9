/* cmd_cc.c -- ventus cc: OpenCL C to an image, or to one of the forms between. */
#include "link/link.h"
#include "cc/cc.h"
#include "comp/comp.h"
#include "obj/optionwords.h"
#include "drv/drv.h"
#include "tool/tool.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    CompOptions comp;
    const char **words; /* of the compiler: -D -I -cl-* and the like */
    size_t nwords, capwords;
    const char *file, *out, *views;
    const char *rule, *target;                         /* -MF and -MT, or NULL */
    bool with_rule, says_command, runs_nothing, keeps; /* -MD, -v, -###, -save-temps */
    bool shows_source;                                 /* -fverbose-asm */
    Buf off;                                           /* passes turned off, separated by commas */
    int level;                                         /* for machine IR */
} Cc;

enum { KEY_LLVM = 256, KEY_IR };

static const struct argp_option options[] = {
    {"output", 'o', "OUT", 0, "The result; without it, FILE with another suffix, here", 0},
    {"isa", 'p', "P", 0, "Profile to compile for, and overlays: v202 (default)", 0},
    {"compile", 'c', NULL, 0, "Make an object, do not link", 0},
    {"preprocess", 'E', NULL, 0, "Make the source after the preprocessor, on stdout without -o", 0},
    {"assembly", 'S', NULL, 0, "Make assembly", 0},
    {"emit-llvm", KEY_LLVM, NULL, 0, "Make LLVM IR, as the optimiser leaves it", 0},
    {"emit-ir", KEY_IR, NULL, 0, "Make machine IR (doc/ir.md)", 0},
    {"dump", 'd', "LETTERS[:FUNCTION]", 0, "Show what passes make, on stderr", 0},
    {"off", 'f', "no-PASS", 0, "Turn a pass off", 0},
    {0},
};

static const char *const suffixes[] = {
    [COMP_IMAGE] = ".elf", [COMP_OBJECT] = ".o",       [COMP_ASSEMBLY] = ".s", [COMP_LLVM] = ".ll",
    [COMP_IR] = ".ir",     [COMP_PREPROCESSED] = ".i", [COMP_RULE] = ".d",     [COMP_CHECKED] = "",
};

/* what clang writes to stdout too unless -o says otherwise */
static bool is_for_stdout(CompOutput o) { return o >= COMP_PREPROCESSED; }

static void turn_off(struct argp_state *state, Cc *c, const char *name)
{
    if (strncmp(name, "no-", 3))
        argp_error(state, "-f %s: passes are turned off with -f no-PASS", name);
    if (!cc_is_optional(name + 3))
        argp_error(state, "-f %s: no pass of that name can be turned off", name);
    buf_printf(&c->off, "%s%s", c->off.len ? "," : "", name + 3);
}

static error_t option(int key, char *arg, struct argp_state *state)
{
    Cc *c = state->input;
    switch (key) {
    case 'o': c->out = arg; return 0;
    case 'p': c->comp.isa = option_isa(state, arg); return 0;
    case 'c': c->comp.output = COMP_OBJECT; return 0;
    case 'S': c->comp.output = COMP_ASSEMBLY; return 0;
    case 'E': c->comp.output = COMP_PREPROCESSED; return 0;
    case KEY_LLVM: c->comp.output = COMP_LLVM; return 0;
    case KEY_IR: c->comp.output = COMP_IR; return 0;
    case 'd': c->views = arg; return 0;
    case 'f': turn_off(state, c, arg); return 0;
    case ARGP_KEY_ARG:
        if (c->file)
            argp_error(state, "one file at a time; '%s' is one too many", arg);
        c->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!c->file)
            argp_error(state, "no file to compile");
        if (!strcmp(c->file, "-") && !c->out && !is_for_stdout(c->comp.output))
            argp_error(state, "a text from stdin needs -o");
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

/* the lists of views and passes, after what argp makes */
static char *help(int key, const char *text, void *input)
{
    Buf b = {0};
    const CcView *v;
    const CcPass *p;
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)(uintptr_t)text;
    buf_printf(&b, "%s\nLETTERS of -d:\n", text);
    for (size_t i = 0; (v = cc_view(i)); i++)
        buf_printf(&b, "  %c          %s\n", v->letter, v->what);
    buf_str(&b, "\nPASS of -f no-PASS:\n");
    for (size_t i = 0; (p = cc_optional(i)); i++)
        buf_printf(&b, "  %-10s %s\n", p->name, p->what);
    return b.failed ? (char *)(uintptr_t)text : (char *)b.data;
}

const struct argp cc_argp = {
    .options = options,
    .parser = option,
    .help_filter = help,
    .args_doc = "FILE.cl|FILE.spv",
    .doc =
        "Compiles OpenCL C to an image that `ventus run' and hosts load.\v"
        "Also taken: -O0 to -O3, -g, -w, -W..., -D NAME[=VALUE], -U NAME, -I DIR, and the -cl-...\n"
        "options of clBuildProgram.  As clang has them: -include FILE, -fsyntax-only, "
        "-save-temps,\n"
        "-fverbose-asm (with -S: the lines of the source among it),\n"
        "-v, -###, -M and -MD with -MF FILE and -MT TARGET.  FILE.ir is machine IR.  - is stdin "
        "or\n"
        "stdout.\n",
};

/* --- options of the compiler ---------------------------------------------------------- */

static bool is_compilers(const char *word)
{
    static const char *const prefixes[] = {"-cl-", "-D", "-U", "-I", "-O", "-W", "-include"};
    for (size_t i = 0; i < countof(prefixes); i++)
        if (!strncmp(word, prefixes[i], strlen(prefixes[i])))
            return true;
    return !strcmp(word, "-w") || !strcmp(word, "-g");
}

static void add_word(Cc *c, const char *word)
{
    if (!array_grow(c->words, c->nwords, c->capwords))
        out_of_memory();
    c->words[c->nwords++] = word;
}

/* Takes an option that is spelt as clang spells it.  How many words it has; 0: it is another. */
static int take_clangs(Cc *c, const char *word, const char *value)
{
    const struct {
        const char *word;
        bool *flag;
        const char **value;
        CompOutput output; /* COMP_IMAGE: not changed */
    } rows[] = {
        {"-MD", &c->with_rule, NULL, COMP_IMAGE},
        {"-MMD", &c->with_rule, NULL, COMP_IMAGE},
        {"-M", NULL, NULL, COMP_RULE},
        {"-MM", NULL, NULL, COMP_RULE},
        {"-MF", NULL, &c->rule, COMP_IMAGE},
        {"-MT", NULL, &c->target, COMP_IMAGE},
        {"-MQ", NULL, &c->target, COMP_IMAGE},
        {"-fsyntax-only", NULL, NULL, COMP_CHECKED},
        {"-fverbose-asm", &c->shows_source, NULL, COMP_IMAGE},
        {"-save-temps", &c->keeps, NULL, COMP_IMAGE},
        {"-v", &c->says_command, NULL, COMP_IMAGE},
        {"-###", &c->runs_nothing, NULL, COMP_IMAGE},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        if (strcmp(word, rows[i].word) || (rows[i].value && !value))
            continue;
        if (rows[i].flag)
            *rows[i].flag = true;
        if (rows[i].value)
            *rows[i].value = value;
        if (rows[i].output != COMP_IMAGE)
            c->comp.output = rows[i].output;
        return rows[i].value ? 2 : 1;
    }
    return 0;
}

/* takes the compiler's options out of argv; argp would read -cl-std as -c -l -... */
static int take_words(Cc *c, int argc, char **argv)
{
    int n = 1;
    for (int i = 1; i < argc; i++) {
        const int taken = take_clangs(c, argv[i], argv[i + 1]);
        if (taken) {
            i += taken - 1;
            continue;
        }
        if (!is_compilers(argv[i])) {
            const bool valued = !strcmp(argv[i], "-o") || !strcmp(argv[i], "-p") ||
                                !strcmp(argv[i], "-d") || !strcmp(argv[i], "-f");
            argv[n++] = argv[i];
            if (valued && i + 1 < argc)
                argv[n++] = argv[++i];
            continue;
        }
        add_word(c, argv[i]);
        if (!strncmp(argv[i], "-O", 2) && argv[i][2])
            c->level = argv[i][2] - '0';
        if (options_takes_word(argv[i]) && i + 1 < argc)
            add_word(c, argv[++i]);
    }
    argv[n] = NULL;
    return n;
}

/* --- compiling --------------------------------------------------------------------------- */

/* FILE.SUFFIX in the current directory */
static char *default_output(const Cc *c, CompOutput output)
{
    char *stem = path_base(c->file, true);
    Buf b = {0};
    buf_printf(&b, "%s%s", stem, suffixes[output]);
    mem_free(stem);
    if (b.failed)
        out_of_memory();
    return (char *)b.data;
}

static bool link_ir(const Object *o, Buf *out, Diag *d)
{
    Object *image = link_program(&o, 1, &(LinkOptions){.output = o->name}, d);
    const bool ok = image && obj_write(image, out, d);
    obj_free(image);
    return ok;
}

static bool compile_machine_ir(const Cc *c, const Buf *text, Buf *out, Buf *views, Diag *d)
{
    const CompOutput output = c->comp.output;
    const CcOptions opt = {.level = c->level,
                           .off = c->comp.off,
                           .dump = c->views,
                           .dump_to = views,
                           .lines = true,
                           .assembly = output == COMP_ASSEMBLY ? out : NULL};
    if (output == COMP_LLVM || output == COMP_IR || is_for_stdout(output)) {
        error(d, &(Source){.name = c->file, .text = ""}, NULL, "machine IR cannot become that");
        return false;
    }
    Object *o = compile_ir(c->file, buf_text(text), (IsaSet)c->comp.isa, &opt, d);
    const bool ok = o && (output == COMP_ASSEMBLY ||
                          (output == COMP_OBJECT ? obj_write(o, out, d) : link_ir(o, out, d)));
    obj_free(o);
    if (ok && out->failed)
        out_of_memory();
    return ok;
}

static bool compile(Cc *c, const Buf *text, Buf *out, Buf *views, Diag *d)
{
    c->comp.name = strcmp(c->file, "-") ? c->file : "<stdin>";
    c->comp.options = c->words;
    c->comp.noptions = c->nwords;
    c->comp.dump = c->views;
    c->comp.dump_to = views;
    c->comp.off = c->off.len ? buf_text(&c->off) : NULL;
    return has_suffix(c->file, ".ir") ? compile_machine_ir(c, text, out, views, d)
                                      : compile_source(text, &c->comp, out, d);
}

/* Compiles the text, which has been compiled without an error, to something else too.  What was
 * said of it then is not said again. */
static bool compile_to(const Cc *c, CompOutput output, const Buf *text, Buf *out, Diag *d)
{
    Cc other = *c;
    Buf views = {0}, said = {0};
    Diag quiet = {.sink = diag_to_buf, .to = &said};
    other.comp.output = output;
    const bool ok = compile(&other, text, out, &views, &quiet);
    if (!ok)
        diag_foreign(d, DIAG_ERROR, buf_text(&said));
    buf_free(&views);
    buf_free(&said);
    return ok;
}

/* The steps before the result, a file each, as -save-temps asks. */
static bool keep_steps(const Cc *c, const Buf *text, Diag *d)
{
    static const CompOutput steps[] = {COMP_PREPROCESSED, COMP_LLVM, COMP_IR, COMP_ASSEMBLY,
                                       COMP_OBJECT};
    bool ok = true;
    for (size_t i = 0; i < countof(steps) && ok; i++) {
        Buf out = {0};
        char *name = default_output(c, steps[i]);
        if (steps[i] != c->comp.output)
            ok = compile_to(c, steps[i], text, &out, d) && write_file(name, out.data, out.len, d);
        mem_free(name);
        buf_free(&out);
    }
    return ok;
}

static void put_make_name(Buf *b, const char *name)
{
    for (; *name; name++)
        buf_printf(b, *name == ' ' || *name == '#' ? "\\%c" : *name == '$' ? "$%c" : "%c", *name);
}

/* "it: FILE..." to a rule for what -MT says, or for the result; NAME: where it goes without -MF. */
static bool write_rule(const Cc *c, const char *result, const char *name, const Buf *made, Diag *d)
{
    Buf rule = {0};
    const char *files = strchr(buf_text(made), ':');
    put_make_name(&rule, c->target ? c->target : result);
    buf_str(&rule, ": ");
    put_make_name(&rule, c->file);
    buf_str(&rule, files ? files + 1 : "\n");
    if (rule.failed)
        out_of_memory();
    const bool ok = write_file(c->rule ? c->rule : name, rule.data, rule.len, d);
    buf_free(&rule);
    return ok;
}

/* the result's name with another suffix */
static char *rule_name(const char *result)
{
    const char *slash = strrchr(result, '/'), *dot = strrchr(result, '.');
    Buf b = {0};
    buf_printf(&b, "%.*s.d",
               dot && dot > (slash ? slash : result) ? (int)(dot - result) : (int)strlen(result),
               result);
    if (b.failed)
        out_of_memory();
    return (char *)b.data;
}

static bool make_rule(const Cc *c, const char *result, const Buf *text, Diag *d)
{
    Buf made = {0};
    char *name = rule_name(result);
    const bool ok =
        compile_to(c, COMP_RULE, text, &made, d) && write_rule(c, result, name, &made, d);
    mem_free(name);
    buf_free(&made);
    return ok;
}

/* What clang is started with, on stderr. */
static bool show_command(const Cc *c, const Buf *text, Diag *d)
{
    Buf command = {0}, what = {0};
    Compiler *k = comp_open();
    if (!k)
        out_of_memory();
    comp_available(k, NULL, &what);
    comp_close(k);
    const bool ok = compile_to(c, COMP_COMMAND, text, &command, d);
    if (ok)
        fprintf(stderr, "ventus cc %s (%s)\nCache: %s\n%s", VERSION, buf_text(&what),
                c->comp.cache ? c->comp.cache : "none", buf_text(&command));
    buf_free(&what);
    buf_free(&command);
    return ok;
}

/* Warns of an image without a kernel: no host can launch anything of it. */
static void warn_without_kernel(const Cc *c, const Buf *elf, Diag *d)
{
    const char *name;
    Object *image = NULL;
    if (c->comp.output == COMP_IMAGE && obj_read(c->file, elf->data, elf->len, d, &image) &&
        !drv_kernels(image, &name, 1))
        warning(d, &(Source){.name = c->file, .text = ""}, NULL,
                "there is no kernel: write `kernel' before a function that returns void");
    obj_free(image);
}

static bool write_results(const Cc *c, const Buf *text, const Buf *out, Diag *d)
{
    const CompOutput output = c->comp.output;
    char *made = c->out                  ? NULL
                 : is_for_stdout(output) ? mem_strdup("-")
                                         : default_output(c, output);
    const char *name = c->out ? c->out : made;
    bool ok = true;
    if (output == COMP_RULE) {
        char *object = default_output(c, COMP_IMAGE);
        ok = write_rule(c, object, name, out, d);
        mem_free(object);
    } else if (output != COMP_CHECKED) {
        ok = write_file(name, out->data, out->len, d);
    }
    ok = ok && (!c->with_rule || make_rule(c, name, text, d)) &&
         (!c->keeps || keep_steps(c, text, d));
    mem_free(made);
    return ok;
}

int cc_main(int argc, char **argv)
{
    Cc c = {.level = 2};
    Diag d = stderr_diag();
    Buf text = {0}, out = {0}, views = {0};
    for (size_t i = 0; default_warnings[i]; i++)
        add_word(&c, default_warnings[i]);
    argc = take_words(&c, argc, argv);
    parse_options(&cc_argp, argc, argv, &c);
    char *cache = comp_cache_directory();
    c.comp.cache = cache;
    bool ok = read_file(c.file, &text, &d);
    if (ok && (c.says_command || c.runs_nothing))
        ok = show_command(&c, &text, &d);
    const bool compiles = ok && !c.runs_nothing;
    ok = ok && (!compiles || compile(&c, &text, &out, &views, &d));
    if (ok && c.shows_source && c.comp.output == COMP_ASSEMBLY && !add_source_lines(&out))
        out_of_memory();
    if (views.failed)
        out_of_memory();
    fwrite(buf_text(&views), 1, views.len, stderr);
    if (compiles && ok && !diag_errors(&d))
        warn_without_kernel(&c, &out, &d);
    ok = ok && !diag_errors(&d) && (!compiles || write_results(&c, &text, &out, &d));
    mem_free(cache);
    mem_free(c.words);
    buf_free(&c.off);
    buf_free(&text);
    buf_free(&out);
    buf_free(&views);
    return ok ? DONE : REFUSED;
}
