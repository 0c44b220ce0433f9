/* program.c -- a file of any kind as an object or an image. */
#include "tool/tool.h"
#include "obj/lines.h"
#include "obj/optionwords.h"
#include "asm/asm.h"
#include "cc/cc.h"
#include "link/link.h"
#include "comp/comp.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_elf(const Buf *b) { return b->len >= 4 && !memcmp(b->data, "\177ELF", 4); }

static const char *shown(const char *file) { return strcmp(file, "-") ? file : "<stdin>"; }

Object *compile_ir(const char *file, const char *text, IsaSet set, const CcOptions *opt, Diag *d)
{
    const Target *target = target_find(set);
    const Source src = {.name = file, .text = text};
    Module *m = target ? ir_parse(&src, target, d) : NULL;
    Buf wrong = {0};
    if (!target) {
        char profile[24];
        isa_set_name(set, profile);
        error(d, &src, NULL, "there is no compiler for profile %s", profile);
    }
    const bool ok = m && ir_check_module(m, STAGE_GENERIC, &wrong);
    size_t len;
    if (wrong.failed)
        out_of_memory();
    for (const char *line = buf_text(&wrong); *line; line += len + (line[len] == '\n')) {
        len = strcspn(line, "\n");
        error(d, &(Source){.name = file, .text = ""}, NULL, "%.*s", (int)len, line);
    }
    Object *o = ok ? cc_compile(m, opt, d) : NULL;
    buf_free(&wrong);
    ir_free(m);
    return o;
}

static bool is_source_name(const char *file)
{
    return has_suffix(file, ".cl") || has_suffix(file, ".spv");
}

bool refuse_source(const char *file, const char *how, Diag *d)
{
    const Source src = {.name = file, .text = ""};
    if (has_suffix(file, ".c") || has_suffix(file, ".cpp"))
        error(d, &src, NULL, "this is a program for the host; kernels are in OpenCL C (.cl)");
    else if (is_source_name(file))
        error(d, &src, NULL, "this is %s; `%s' compiles it",
              has_suffix(file, ".cl") ? "OpenCL C" : "SPIR-V", how);
    else
        return false;
    return true;
}

Object *load_object(const char *file, IsaSet set, Diag *d)
{
    const char *name = shown(file);
    Buf b = {0};
    Object *o = NULL;
    if (refuse_source(file, "ventus cc -c", d))
        return NULL;
    if (!read_file(file, &b, d))
        ;
    else if (is_elf(&b))
        obj_read(name, b.data, b.len, d, &o);
    else if (strlen(buf_text(&b)) != b.len)
        error(d, &(Source){.name = name, .text = ""}, NULL, "neither ELF nor a text");
    else if (has_suffix(name, ".ir"))
        o = compile_ir(name, buf_text(&b), set, &(CcOptions){.level = 2, .lines = true}, d);
    else
        o = asm_text(name, buf_text(&b), &(AsmOptions){.set = set, .lines = true}, d);
    if (o && !is_elf(&b) && !has_suffix(name, ".ir") &&
        !obj_add_source(o, name, buf_text(&b), b.len))
        out_of_memory();
    if (o && is_elf(&b) && o->set == V202) /* without a mark: of the profile that the options say */
        o->set = set;
    buf_free(&b);
    return o;
}

/* Mistakes of beginners that clang finds but does not report by itself. */
const char *const default_warnings[] = {
    "-Wuninitialized",          "-Wsometimes-uninitialized",
    "-Winfinite-recursion",     "-Wself-assign",
    "-Wtautological-compare",   "-Wfor-loop-analysis",
    "-Wmisleading-indentation", NULL,
};

bool compile_source(const Buf *source, const CompOptions *opt, Buf *out, Diag *d)
{
    Compiler *c = comp_open();
    if (!c)
        out_of_memory();
    const bool ok = comp_compile(c, buf_text(source), source->len, opt, out, d);
    comp_close(c);
    return ok;
}

/* The image that OpenCL C becomes.  Shows what VENTUS_DUMP asks for of it. */
static Object *source_image(const char *file, const char *build, bool apart, Diag *d)
{
    Buf source = {0}, store = {0}, elf = {0}, views = {0};
    const char **words = NULL, **all = NULL;
    Object *o = NULL;
    CompOptions opt = {.output = COMP_IMAGE,
                       .name = shown(file),
                       .dump = getenv("VENTUS_DUMP"),
                       .dump_to = &views};
    char *cache = comp_cache_directory();
    opt.cache = cache;
    if (!options_split(build ? build : "", &store, &words, &opt.noptions))
        error(d, &(Source){.name = "build options", .text = ""}, NULL, "a quote is not closed");
    else if (read_file(file, &source, d)) {
        size_t n = 0;
        all = mem_zalloc(opt.noptions + countof(default_warnings) + 1, sizeof *all);
        if (!all)
            out_of_memory();
        for (; default_warnings[n]; n++)
            all[n] = default_warnings[n];
        if (apart)
            all[n++] = "-ventus-apart";
        for (size_t i = 0; i < opt.noptions; i++)
            all[n + i] = words[i];
        opt.options = all;
        opt.noptions += n;
        if (compile_source(&source, &opt, &elf, d))
            obj_read(shown(file), elf.data, elf.len, d, &o);
        if (o && has_suffix(file, ".cl") &&
            !obj_add_source(o, opt.name, buf_text(&source), source.len))
            out_of_memory();
        if (views.failed)
            out_of_memory();
        fwrite(buf_text(&views), 1, views.len, stderr);
    }
    mem_free(cache);
    mem_free(words);
    mem_free(all);
    buf_free(&store);
    buf_free(&source);
    buf_free(&elf);
    buf_free(&views);
    return o;
}

void add_sources(Object *o)
{
    enum { MOST_FILES = 64, MOST_SOURCE = 4 << 20 /* bytes */ };
    LineTable *lines = lines_read(o);
    size_t n = 0, len;
    Diag quiet = {.sink = NULL};
    for (size_t i = 0; lines && n < MOST_FILES && lines_file(lines, i); i++) {
        const char *name = lines_file(lines, i);
        struct stat st;
        Buf text = {0};
        if (obj_source_line(o, name, 1, &len) || stat(name, &st) || !S_ISREG(st.st_mode) ||
            st.st_size > MOST_SOURCE || !read_start(name, MOST_SOURCE, &text, &quiet))
            continue;
        if (!obj_add_source(o, name, buf_text(&text), text.len))
            out_of_memory();
        buf_free(&text);
        n++;
    }
    lines_free(lines);
}

Object *load_image(const char *file, IsaSet set, const char *build, bool apart, Diag *d)
{
    const bool is_source = is_source_name(file);
    Object *o = is_source ? source_image(file, build, apart, d) : load_object(file, set, d);
    Object *image = o && !o->is_image ? link_program((const Object *const *)&o, 1,
                                                     &(LinkOptions){.output = shown(file)}, d)
                                      : o;
    if (image != o)
        obj_free(o);
    if (image)
        add_sources(image);
    return image;
}
