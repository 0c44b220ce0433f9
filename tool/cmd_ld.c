/* cmd_ld.c -- ventus ld: objects to an image. */
#include "tool/tool.h"
#include "link/link.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    LinkOptions link;
    const char *out;
    char **files;
    int nfiles;
    const char **roots;
    size_t nroots;
    bool no_crt0;
} Ld;

enum { KEY_CRT0 = 256, KEY_GC };

static const struct argp_option options[] = {
    {"output", 'o', "OUT.elf", 0, "The image; required", 0},
    {"entry", 'e', "SYM", 0, "Symbol to start at (_start)", 0},
    {"no-crt0", KEY_CRT0, NULL, 0, "Leave out the built-in start code", 0},
    {"gc", KEY_GC, NULL, 0, "Drop sections that no kernel reaches", 0},
    {"keep", 'k', "SYM", 0, "With --gc, keep what SYM reaches, too", 0},
    {0},
};

static error_t option(int key, char *arg, struct argp_state *state)
{
    Ld *l = state->input;
    Diag d = stderr_diag();
    switch (key) {
    case 'o': l->out = arg; return 0;
    case 'e': l->link.entry = arg; return 0;
    case KEY_CRT0: l->no_crt0 = true; return 0;
    case KEY_GC: l->link.gc = true; return 0;
    case 'k': l->roots[l->nroots++] = arg; return 0;
    case ARGP_KEY_ARGS:
        l->files = state->argv + state->next;
        l->nfiles = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        if (!l->nfiles)
            argp_error(state, "no objects to link");
        for (int i = 0; i < l->nfiles; i++)
            if (refuse_source(l->files[i], "ventus cc -c", &d))
                exit(REFUSED);
        if (!l->out)
            argp_error(state, "no output: -o OUT.elf");
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

const struct argp ld_argp = {
    .options = options,
    .parser = option,
    .args_doc = "FILE.o...",
    .doc = "Links objects, in the order given and after the start code, to an image that a device "
           "loads.",
};

static bool link_files(const Ld *l, Object **files, Diag *d)
{
    const size_t n = (size_t)l->nfiles;
    bool ok = true;
    Buf elf = {0};
    for (size_t i = 0; i < n; i++)
        if ((files[i] = load_object(l->files[i], default_isa(), d)))
            add_sources(files[i]); /* for messages */
        else
            ok = false;
    Object *image = !ok ? NULL
                        : (l->no_crt0 ? link_objects : link_program)((const Object *const *)files,
                                                                     n, &l->link, d);
    ok = image && obj_write(image, &elf, d) && write_file(l->out, elf.data, elf.len, d);
    obj_free(image);
    buf_free(&elf);
    return ok;
}

int ld_main(int argc, char **argv)
{
    const char **roots = mem_zalloc((size_t)argc + 1, sizeof *roots);
    Object **objects = mem_zalloc((size_t)argc, sizeof *objects);
    Ld l = {.roots = roots};
    Diag d = stderr_diag();
    if (!roots || !objects)
        out_of_memory();
    parse_options(&ld_argp, argc, argv, &l);
    l.link.roots = roots;
    l.link.output = l.out;
    const bool ok = link_files(&l, objects, &d);
    for (int i = 0; i < argc; i++)
        obj_free(objects[i]);
    mem_free(objects);
    mem_free(roots);
    return ok ? DONE : REFUSED;
}
