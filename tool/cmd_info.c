/* cmd_info.c -- ventus info: what this build and its device can do. */
#include "dev/dev.h"
#include "comp/comp.h"
#include "jit/jit.h"
#include "sim/sim.h"
#include "tool/tool.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    bool json;
} Info;

enum { KEY_JSON = 256 };

static const struct argp_option options[] = {
    {"json", KEY_JSON, NULL, 0, "As JSON", 0},
    {0},
};

static error_t option(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case KEY_JSON: ((Info *)state->input)->json = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "'%s' is one too many", arg);
    }
    return ARGP_ERR_UNKNOWN;
}

const struct argp info_argp = {
    .options = options,
    .parser = option,
    .doc = "Tells the version, profiles, engines, machines and what was built in.",
};

static const struct {
    const char *name, *what;
    IsaSet set;
} profiles[] = {
    {"v202", "what all public hardware, simulators and binaries implement (default)", V202},
    {"v2025", "the newest document: prefixes, pairs, 64-bit addresses and words, MMA, DMA", V2025},
    {"ai", "overlay: 16-bit floats, shuffles and approximate functions", AI},
    {"tidx", "overlay: reading of per-lane id CSRs", TIDX},
};

static int count_insns(IsaSet set)
{
    int n = 0;
    for (int i = 0; i < NINSN; i++)
        n += (isa_insn[i].sets & set) != 0;
    return n;
}

static Machine builtin(const MachineText *t)
{
    Machine m;
    if (!machine_builtin(t->name, &m))
        bug("the built-in machine description %s is wrong", t->name);
    return m;
}

/* a row for each parameter, with a column for each built-in machine */
static void show_parameters(void)
{
    printf("%-12s %-10s %-17s", "parameter", "unit", "range");
    for (const MachineText *t = machine_texts; t->name; t++)
        printf(" %10s", t->name);
    puts("  what");
    for (const MachineParameter *p = machine_parameter; p < machine_parameter + NPARAMETER; p++) {
        char range[32];
        snprintf(range, sizeof range, "%u..%u%s", p->least, p->most,
                 p->kind == PARAMETER_POWER_OF_2 ? " 2^n" : "");
        printf("%-12s %-10s %-17s", p->name, p->unit, range);
        for (const MachineText *t = machine_texts; t->name; t++) {
            const Machine m = builtin(t);
            printf(" %10u", machine_value(&m, p));
        }
        printf("  %s (%s)\n", p->what, p->source);
    }
}

static void show_description(const MachineText *t)
{
    printf("\nmachine %s:\n", t->name);
    for (const char *p = t->text; *p;) {
        const int len = (int)strcspn(p, "\n");
        printf("    %.*s\n", len, p);
        p += len + (p[len] == '\n');
    }
}

static bool has_compiler(Buf *what)
{
    Compiler *c = comp_open();
    const bool has = c && comp_available(c, NULL, what);
    comp_close(c);
    return has;
}

/* Whether there is host code, and who makes it or why nobody does. */
static bool has_host_code(Buf *what)
{
    const char *why;
    char *cache = comp_cache_directory();
    const bool has = jit_available(&why);
    if (has)
        buf_printf(what, "host code for engines, made by ventus-jit1, %s%s",
                   cache ? "kept in " : "not kept", cache ? cache : "");
    else
        buf_printf(what, "host code for engines: %s", why);
    mem_free(cache);
    return has;
}

static void show_text(void)
{
    printf("ventus %s\n\n", VERSION);
    for (size_t i = 0; i < countof(profiles); i++)
        printf("profile %-6s %4d instructions; %s\n", profiles[i].name,
               count_insns(profiles[i].set), profiles[i].what);
    putchar('\n');
    for (size_t i = 0; dev_engines[i]; i++)
        if (dev_has_engine(dev_engines[i]))
            printf("engine %s: %s%s\n", dev_engines[i]->name, dev_engines[i]->what,
                   i ? "" : " (default)");
    printf("lanes: %s host vector instructions (VENTUS_LANES)\n\n", lane_level()->name);
    Buf compiler = {0};
    const bool has = has_compiler(&compiler);
    printf("built in: llvm   %s; %s\n", has ? "yes" : "no", buf_text(&compiler));
    buf_free(&compiler);
    Buf code = {0};
    const bool has_code = has_host_code(&code);
    printf("built in: jit    %s; %s\n", has_code ? "yes" : "no", buf_text(&code));
    buf_free(&code);
    putchar('\n');
    show_parameters();
    for (const MachineText *t = machine_texts; t->name; t++)
        show_description(t);
}

static json_t *machine_json(const MachineText *t)
{
    const Machine m = builtin(t);
    json_t *o = json_pack("{s:s, s:s}", "name", m.name, "text", t->text);
    for (const MachineParameter *p = machine_parameter; p < machine_parameter + NPARAMETER; p++)
        json_object_set_new(o, p->name, json_integer(machine_value(&m, p)));
    return o;
}

static json_t *parameter_json(const MachineParameter *p)
{
    return json_pack("{s:s, s:I, s:I, s:I, s:b, s:s, s:s}", "unit", p->unit, "value",
                     (json_int_t)p->value, "least", (json_int_t)p->least, "most",
                     (json_int_t)p->most, "power_of_two", p->kind == PARAMETER_POWER_OF_2, "source",
                     p->source, "what", p->what);
}

static int show_json(void)
{
    json_t *o = json_object(), *sets = json_object(), *engines = json_array();
    json_t *machines = json_array(), *parameters = json_object(), *built = json_object();
    for (size_t i = 0; i < countof(profiles); i++)
        json_object_set_new(sets, profiles[i].name, json_integer(count_insns(profiles[i].set)));
    for (size_t i = 0; dev_engines[i]; i++)
        if (dev_has_engine(dev_engines[i]))
            json_array_append_new(engines, json_string(dev_engines[i]->name));
    Buf compiler = {0};
    json_object_set_new(built, "llvm", json_boolean(has_compiler(&compiler)));
    json_object_set_new(built, "jit", json_boolean(has_host_code(&compiler)));
    buf_free(&compiler);
    for (const MachineText *t = machine_texts; t->name; t++)
        json_array_append_new(machines, machine_json(t));
    for (size_t i = 0; i < NPARAMETER; i++)
        json_object_set_new(parameters, machine_parameter[i].name,
                            parameter_json(&machine_parameter[i]));
    json_object_set_new(o, "version", json_string(VERSION));
    json_object_set_new(o, "profiles", sets);
    json_object_set_new(o, "engines", engines);
    json_object_set_new(o, "lanes", json_string(lane_level()->name));
    json_object_set_new(o, "built_in", built);
    json_object_set_new(o, "parameters", parameters);
    json_object_set_new(o, "machines", machines);
    char *text = json_dumps(o, JSON_INDENT(2));
    json_decref(o);
    if (!text)
        out_of_memory();
    puts(text);
    free(text);
    return DONE;
}

int info_main(int argc, char **argv)
{
    Info info = {false};
    parse_options(&info_argp, argc, argv, &info);
    if (info.json)
        return show_json();
    show_text();
    return DONE;
}
