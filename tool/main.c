/* main.c -- the table of subcommands, and finding the one that the command line names. */
#include "tool/tool.h"
#include "drv/drv.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char version[] = "ventus " VERSION;

static const Command commands[] = {
    {"as", "assemble a file", as_main, &as_argp, "s S asm"},
    {"cc", "compile OpenCL C", cc_main, &cc_argp, "cl spv ir"},
    {"dis", "disassemble words from stdin", dis_main, &dis_argp, ""},
    {"objdump", "show what is in an object or image", objdump_main, &objdump_argp, "o elf riscv"},
    {"ld", "link objects to an image", ld_main, &ld_argp, "o s"},
    {"run", "run a kernel with no host program", run_main, &run_argp, "cl s o elf riscv spv ir"},
    {"replay", "run launches kept in .metadata and .data files", replay_main, &replay_argp, "metadata data"},
    {"sweep", "run workloads on machines of many parameters", sweep_main, &sweep_argp, "json"},
    {"info", "show what this build and its device can do", info_main, &info_argp, ""},
};

static void usage(FILE *f)
{
    fputs("Usage: ventus COMMAND [OPTION...] [FILE...]\n\n", f);
    for (size_t i = 0; i < countof(commands); i++)
        fprintf(f, "  %-10s %s\n", commands[i].name, commands[i].what);
    fputs("\n  ventus help COMMAND   the options of a command\n"
          "  ventus --version      the version\n\n"
          "The manual: man ventus, man ventus-run and so on.\n",
          f);
}

const Command *command(size_t i) { return i < countof(commands) ? &commands[i] : NULL; }

const Command *find_command(const char *name)
{
    for (size_t i = 0; i < countof(commands); i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const Command *close = NULL;
    int best = 3;
    for (size_t i = 0; i < countof(commands); i++) {
        const int d =
            edit_distance(name, strlen(name), commands[i].name, strlen(commands[i].name), best);
        if (d < best) {
            best = d;
            close = &commands[i];
        }
    }
    fprintf(stderr, "ventus: error: no command '%s'", name);
    if (!access(name, F_OK))
        fprintf(stderr, "; to run that file: ventus run %s", name);
    else if (close)
        fprintf(stderr, "; did you mean '%s'?", close->name);
    fputs("\nTry `ventus --help' for a list.\n", stderr);
    return REFUSED;
}

static int call(const Command *c, int argc, char **argv)
{
    char name[32];
    snprintf(name, sizeof name, "ventus %s", c->name);
    argv[0] = name;
    argp_err_exit_status = REFUSED;
    Diag d = stderr_diag();
    if (!drv_check_variables(&d))
        return finish(REFUSED);
    return finish(c->main(argc, argv));
}

static int help(const char *name)
{
    const Command *c = find_command(name);
    char option[] = "--help", *argv[] = {NULL, option, NULL};
    return c ? call(c, 2, argv) : unknown_command(name);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return REFUSED;
    }
    const char *first = argv[1];
    if (!strcmp(first, "help") && argc > 2)
        return help(argv[2]);
    if (!strcmp(first, "--help") || !strcmp(first, "-h") || !strcmp(first, "help")) {
        usage(stdout);
        return finish(DONE);
    }
    if (!strcmp(first, "--version") || !strcmp(first, "-V")) {
        puts(version);
        return finish(DONE);
    }
    if (!strcmp(first, "complete"))
        return finish(complete_main(argc - 2, argv + 2));
    const Command *c = find_command(first);
    return c ? call(c, argc - 1, argv + 1) : unknown_command(first);
}
