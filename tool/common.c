/* common.c -- options of `run` and `replay` (common.h); trace and statistics of their launches. */
#include "tool/common.h"
#include "jit/jit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    KEY_THREADS = 256,
    KEY_WARPS,
    KEY_SMS,
    KEY_MACHINE,
    KEY_ENGINE,
    KEY_SHADOW,
    KEY_STATS,
    KEY_STATS_FILE,
    KEY_TRACE,
    KEY_PIPELINE,
    KEY_TIMELINE,
    KEY_PROFILE,
    KEY_CYCLES,
    KEY_SAMPLE,
    KEY_LIMIT,
    KEY_EXPORT,
    KEY_DUMP,
    KEY_MAX,
    KEY_TIMEOUT,
    KEY_PATIENCE,
    KEY_STRICT,
    KEY_MMU,
    KEY_VM,
    KEY_LANES,
    KEY_BARRIER,
    KEY_COPIES,
    KEY_GDB,
    KEY_STEP,
    KEY_CHECK,
    KEY_CHECK_JSON,
    KEY_CHECK_ALLOW
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "The device:", 1},
    {"isa", 'p', "P", 0, "Profile of code without a mark: v202 (default), v2025, v202+ai+tidx", 1},
    {"machine", KEY_MACHINE, "M", 0, "A built-in machine by name, or a file that describes one", 1},
    {"threads", KEY_THREADS, "N", 0, "Lanes of a warp: 4, 8, 16 or 32", 1},
    {"warps", KEY_WARPS, "N", 0, "Most warps of a work-group", 1},
    {"sms", KEY_SMS, "N", 0, "Streaming multiprocessors", 1},
    {"engine", KEY_ENGINE, "E", 0, "auto (default), interp, jit or timing, as far as built in", 1},
    {"shadow", KEY_SHADOW, NULL, 0, "Host code beside the interpreter; they must do the same", 1},
    {"mmu", KEY_MMU, NULL, 0, "Addresses go through page tables", 1},
    {"strict", KEY_STRICT, NULL, 0, "Refuse what hardware does: misaligned accesses and so on", 1},
    {"vm", KEY_VM, "RULE", 0, "How masked instructions read v0: own, spike, rtl, ignore", 1},
    {"all-lanes", KEY_LANES, NULL, 0, "The last warp of a group runs with every lane", 1},
    {"any-barrier", KEY_BARRIER, NULL, 0, "A barrier takes warps that are diverged", 1},
    {"check-copies", KEY_COPIES, NULL, 0, "Report accesses to asynchronous copies under way", 1},
    {NULL, 0, NULL, 0, "Limits and host threads:", 2},
    {"jobs", 'j', "N", 0, "Host threads; 0 (default): one a processor", 2},
    {"max-insns", KEY_MAX, "N", 0, "Stop a warp after N instructions", 2},
    {"timeout", KEY_TIMEOUT, "S", 0, "Stop after S seconds", 2},
    {"patience", KEY_PATIENCE, "S", 0,
     "Say after S seconds where warps stand (5, on a terminal); 0: never", 2},
    {"sample", KEY_SAMPLE, "PERCENT", 0,
     "Count cycles of so many groups, and estimate those of all", 3},
    {NULL, 0, NULL, 0, "Results:", 3},
    {"stats", KEY_STATS, "json", OPTION_ARG_OPTIONAL, "Print statistics", 3},
    {"stats-file", KEY_STATS_FILE, "FILE", 0, "Write statistics into a file", 3},
    {"trace", KEY_TRACE, "FILE", OPTION_ARG_OPTIONAL,
     "A line an instruction, in Spike's commit format (ventus.trace)", 3},
    {"profile", KEY_PROFILE, "FILE", OPTION_ARG_OPTIONAL,
     "What source lines, instructions and warps cost: issue slots with --engine timing, else "
     "instructions; a table, or JSON if FILE ends so",
     3},
    {"pipeline", KEY_PIPELINE, "FILE", OPTION_ARG_OPTIONAL,
     "Every instruction with its stages, for Konata (ventus.kanata); with --engine timing", 3},
    {"timeline", KEY_TIMELINE, "FILE", OPTION_ARG_OPTIONAL,
     "Warps, what they wait for, and counters, for Perfetto (ventus.json); with --engine timing",
     3},
    {"picture-cycles", KEY_CYCLES, "FROM[-TO]", 0, "Of these two: a part, in cycles", 3},
    {"picture-limit", KEY_LIMIT, "MIB", 0, "Of these two: the size of a file (256); 0: no limit",
     3},
    {"export-replay", KEY_EXPORT, "DIR", 0, "Write launches as .metadata and .data", 3},
    {"dump-buffers", KEY_DUMP, "DIR", 0, "Write buffers into files", 3},
    {"gdb", KEY_GDB, "ADDRESS", OPTION_ARG_OPTIONAL,
     "Wait for gdb at a port (1234) or the path of a socket", 3},
    {"check", KEY_CHECK, "LIST", OPTION_ARG_OPTIONAL,
     "Look for mistakes of the kernel: all, or bounds,init,race,barrier,align,free,print", 3},
    {"check-json", KEY_CHECK_JSON, "FILE", 0, "Write what --check found as JSON", 3},
    {"check-allow", KEY_CHECK_ALLOW, "FILE", 0, "Do not report what this file says is meant so", 3},
    {"step", KEY_STEP, NULL, 0, "Step one warp on the terminal, forwards and backwards", 3},
    {"verbose", 'v', NULL, 0, "A line on stderr for each launch", 3},
    {0},
};

/* --- options --------------------------------------------------------------------------- */

static const EngineKind *engine_option(struct argp_state *state, const char *name)
{
    const EngineKind *e = dev_find_engine(name);
    if (e)
        return e;
    if (!strcmp(name, "jit") || !strcmp(name, "auto") || !strcmp(name, "shadow") ||
        !strcmp(name, "timing"))
        argp_error(state, "--engine: '%s' is not built in; see ventus info", name);
    else
        argp_error(state, "--engine: '%s' is no engine: interp, jit, auto, shadow, timing", name);
    return NULL;
}

static VmRule vm_option(struct argp_state *state, const char *name)
{
    static const char *const rules[] = {
        [VM_OWN] = "own", [VM_SPIKE] = "spike", [VM_RTL] = "rtl", [VM_IGNORE] = "ignore"};
    for (size_t i = 0; i < countof(rules); i++)
        if (!strcmp(rules[i], name))
            return (VmRule)i;
    argp_error(state, "--vm: '%s' is no rule: own, spike, rtl, ignore", name);
    return VM_OWN;
}

static u32 lanes_option(struct argp_state *state, const char *text)
{
    const u64 n = option_number(state, "--threads", text, MAX_LANES);
    if (n < 4 || !is_pow2(n))
        argp_error(state, "--threads: a warp has 4, 8, 16 or 32 lanes");
    return (u32)n;
}

static u32 positive(struct argp_state *state, const char *option, const char *text, u64 max)
{
    const u64 n = option_number(state, option, text, max);
    if (!n)
        argp_error(state, "%s: 0 is too few", option);
    return (u32)n;
}

/* at least `least` */
static double seconds_option(struct argp_state *state, const char *option, const char *text,
                             double least)
{
    char *end;
    const double v = strtod(text, &end);
    if (end == text || *end || !(v >= least) || isinf(v))
        argp_error(state, "%s: '%s' is no number of seconds", option, text);
    return v;
}

/* per cent, with decimals, as parts of a million */
static u32 sample_option(struct argp_state *state, const char *text)
{
    char *end;
    const double v = strtod(text, &end);
    if (end == text || strcmp(end, *end == '%' ? "%" : "") || !(v >= 0.0001) || v > 100)
        argp_error(state, "--sample: '%s' is not above 0 and up to 100 percent", text);
    return (u32)(v * 10000 + 0.5);
}

static bool stats_option_json(struct argp_state *state, const char *arg)
{
    if (arg && strcmp(arg, "json") && strcmp(arg, "text"))
        argp_error(state, "--stats: '%s' is no form: text, json", arg);
    return arg && !strcmp(arg, "json");
}

static error_t device_option(int key, char *arg, struct argp_state *state)
{
    Common *c = state->input;
    switch (key) {
    case 'p': c->device.set = option_isa(state, arg); return 0;
    case KEY_MACHINE: c->machine = arg; return 0;
    case KEY_THREADS: c->lanes = lanes_option(state, arg); return 0;
    case KEY_WARPS: c->warps = positive(state, "--warps", arg, MAX_WARPS); return 0;
    case KEY_SMS: c->sms = positive(state, "--sms", arg, 1u << 16); return 0;
    case KEY_SHADOW: c->device.engine = engine_option(state, "shadow"); return 0;
    case KEY_ENGINE: c->device.engine = engine_option(state, arg); return 0;
    case KEY_STRICT: c->device.strict = true; return 0;
    case KEY_MMU: c->device.mmu = true; return 0;
    case KEY_VM: c->device.vm = vm_option(state, arg); return 0;
    case KEY_LANES: c->device.all_lanes = true; return 0;
    case KEY_BARRIER: c->device.any_barrier = true; return 0;
    case KEY_COPIES: c->device.check_copies = true; return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static u32 checks_option(struct argp_state *state, const char *list)
{
    char bad[32];
    Buf names = {0};
    const u32 set = check_parse(list, bad);
    check_names(&names);
    if (!set)
        argp_error(state, "--check: '%s' is no check: %s", bad, buf_text(&names));
    buf_free(&names);
    return set;
}

static error_t option(int key, char *arg, struct argp_state *state)
{
    Common *c = state->input;
    switch (key) {
    case KEY_CHECK: c->checks |= checks_option(state, arg); return 0;
    case KEY_CHECK_JSON: c->check_json = arg; return 0;
    case KEY_CHECK_ALLOW: c->check_allow = arg; return 0;
    case 'j': c->run.threads = (u32)option_number(state, "-j", arg, MAX_HOST_THREADS); return 0;
    case KEY_MAX: c->max_insns = option_number(state, "--max-insns", arg, UINT64_MAX); return 0;
    case KEY_TIMEOUT: c->run.timeout = seconds_option(state, "--timeout", arg, 1e-9); return 0;
    case KEY_PATIENCE: c->patience = seconds_option(state, "--patience", arg, 0); return 0;
    case KEY_SAMPLE: c->run.sample = sample_option(state, arg); return 0;
    case KEY_STATS:
        c->stats = true;
        c->stats_json = stats_option_json(state, arg);
        return 0;
    case KEY_STATS_FILE:
        c->stats = true;
        c->stats_file = arg;
        return 0;
    case KEY_TRACE: c->trace_file = arg ? arg : "ventus.trace"; return 0;
    case KEY_PIPELINE: c->pictures.pipeline = arg ? arg : "ventus.kanata"; return 0;
    case KEY_TIMELINE: c->pictures.timeline = arg ? arg : "ventus.json"; return 0;
    case KEY_PROFILE: c->costs_to = arg ? arg : "-"; return 0;
    case KEY_CYCLES: pictures_option_cycles(state, arg, &c->pictures.part); return 0;
    case KEY_LIMIT:
        c->pictures.part.limit = option_number(state, "--picture-limit", arg, 1u << 24) << 20;
        return 0;
    case KEY_EXPORT: c->export_to = arg; return 0;
    case KEY_DUMP: c->dump_to = arg; return 0;
    case KEY_GDB: c->gdb = arg ? arg : "1234"; return 0;
    case KEY_STEP: c->step = true; return 0;
    case 'v': c->verbose = true; return 0;
    }
    return device_option(key, arg, state);
}

const struct argp common_argp = {.options = options, .parser = option};

/* --- environment -------------------------------------------------------------------------- */

const char *env_text(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

static u32 env_number(const char *name, u32 min, u32 max)
{
    const char *text = env_text(name);
    char *end;
    if (!text)
        return 0;
    const unsigned long v = strtoul(text, &end, 0);
    if (*end || *text == '-' || v < min || v > max) {
        fprintf(stderr, "ventus: error: %s: '%s' is not a number from %u to %u\n", name, text, min,
                max);
        exit(REFUSED);
    }
    return (u32)v;
}

static void env_engine(Common *c)
{
    const char *variable = "VENTUS_ENGINE", *name = env_text(variable);
    if (!name)
        name = env_text(variable = "VENTUS_BACKEND");
    if (!name || dev_is_public_backend(name))
        return;
    const EngineKind *e = dev_find_engine(name);
    if (!e) {
        fprintf(stderr, "ventus: error: %s: no engine '%s' is built in\n", variable, name);
        exit(REFUSED);
    }
    c->device.engine = e;
}

void common_init(Common *c)
{
    *c = (Common){.device = dev_defaults(),
                  .pictures.part.limit = 256 << 20,
                  .patience = isatty(STDERR_FILENO) ? 5 : 0};
    c->device.set = default_isa();
    c->lanes = env_number("NUM_THREAD", 4, MAX_LANES);
    c->warps = env_number("NUM_WARP", 1, MAX_WARPS);
    c->sms = env_number("VENTUS_SMS", 1, 1u << 16);
    c->device.mmu = env_number("VENTUS_MMU", 0, 1);
    env_engine(c);
    if (c->lanes && !is_pow2(c->lanes)) {
        fprintf(stderr, "ventus: error: NUM_THREAD: a warp has 4, 8, 16 or 32 lanes\n");
        exit(REFUSED);
    }
}

static bool find_machine(Common *c, Diag *d)
{
    Machine *m = &c->device.machine;
    Buf text = {0};
    if (!c->machine || machine_builtin(c->machine, m))
        return true;
    if (!strchr(c->machine, '/') && !strchr(c->machine, '.')) {
        error(d, &(Source){.name = "ventus", .text = ""}, NULL,
              "no machine '%s' is built in; see ventus info, or give a file", c->machine);
        return false;
    }
    const bool ok =
        read_file(c->machine, &text, d) && machine_parse(c->machine, buf_text(&text), m, d);
    buf_free(&text);
    return ok;
}

bool common_resolve(Common *c, Diag *d)
{
    Machine *m = &c->device.machine;
    if (!find_machine(c, d) || !pictures_check(&c->pictures, c->run.sample, c->device.engine, d))
        return false;
    char bad[32];
    if ((c->check_json || c->check_allow) && !c->checks)
        c->checks = check_parse(NULL, bad);
    m->lanes = c->lanes ? c->lanes : m->lanes;
    m->group_warps = c->warps ? c->warps : m->group_warps;
    m->sms = c->sms ? c->sms : m->sms;
    if (m->warps < m->group_warps)
        m->warps = m->group_warps;
    if (c->gdb && c->step) {
        error(d, &(Source){.name = "ventus", .text = ""}, NULL,
              "--gdb and --step exclude each other");
        return false;
    }
    if (c->gdb || c->step) /* whatever engine: they compute the same */
        c->device.engine = &dbg_kind;
    return dev_check_options(&c->device, d);
}

/* --- watching -------------------------------------------------------------------------------- */

static void put_option(Stats *s, const char *name, const char *value)
{
    if (!stats_option(s, name, value))
        out_of_memory();
}

static void put_number(Stats *s, const char *name, u64 v)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)v);
    put_option(s, name, text);
}

static void options_in_force(Stats *s, const Common *c)
{
    static const char *const rules[] = {"own", "spike", "rtl", "ignore"};
    const Machine *m = &c->device.machine;
    char set[24], timeout[32];
    isa_set_name(c->device.set, set);
    snprintf(timeout, sizeof timeout, "%g", c->run.timeout);
    put_option(s, "version", VERSION);
    put_option(s, "engine", c->device.engine->name);
    put_option(s, "isa", set);
    put_option(s, "machine", m->name);
    put_number(s, "threads", m->lanes);
    put_number(s, "warps", m->group_warps);
    put_number(s, "sms", m->sms);
    put_option(s, "vm", rules[c->device.vm]);
    put_number(s, "strict", c->device.strict);
    put_number(s, "mmu", c->device.mmu);
    put_number(s, "all-lanes", c->device.all_lanes);
    put_number(s, "any-barrier", c->device.any_barrier);
    put_number(s, "max-insns", c->max_insns);
    put_option(s, "timeout", timeout);
}

static bool open_trace(Watch *w, const char *file, Diag *d)
{
    w->trace_file = strcmp(file, "-") ? fopen(file, "w") : stdout;
    if (!w->trace_file) {
        file_error(d, file);
        return false;
    }
    if (!(w->trace = trace_new(w->trace_file)))
        out_of_memory();
    return true;
}

static bool close_trace(Watch *w, Diag *d)
{
    bool ok = trace_free(w->trace);
    if (!ok && !ferror(w->trace_file))
        out_of_memory();
    if (w->trace_file && (w->trace_file == stdout ? fflush(stdout) : fclose(w->trace_file)))
        ok = false;
    if (!ok)
        file_error(d, w->common->trace_file);
    return ok;
}

/* What --check found: the file's name first, as in all messages. */
static void show_found(void *to, const CheckReport *r)
{
    Buf text = {0};
    (void)to;
    if (r->file)
        buf_printf(&text, "%s:%u:%u: error: %s", r->file, r->line, r->column, r->text);
    else
        buf_printf(&text, "%s: error: %s", r->kernel ? r->kernel : "ventus", r->text);
    if (r->count > 1)
        buf_printf(&text, "\n  seen        %llu times", (unsigned long long)r->count);
    show_message(stderr, DIAG_ERROR, buf_text(&text));
    buf_free(&text);
}

static void open_costs(Watch *w, LaunchOptions *run)
{
    if (!(w->costs = costs_new()))
        out_of_memory();
    if (w->common->device.engine == &time_kind) {
        w->costs_cycles = costs_cycle_observer(w->costs);
        w->costs_cycles.next = run->cycles;
        run->cycles = &w->costs_cycles;
    } else {
        w->observer[run->nobservers++] = costs_observer(w->costs);
    }
}

static bool close_costs(Watch *w, Diag *d)
{
    const char *to = w->common->costs_to;
    Buf out = {0};
    if (!w->costs)
        return true;
    if (!(has_suffix(to, ".json") ? costs_json : costs_text)(w->costs, &out))
        out_of_memory();
    const bool ok = write_file(to, buf_text(&out), out.len, d);
    costs_free(w->costs);
    buf_free(&out);
    return ok;
}

bool watch_open(Watch *w, const Common *c, Driver *driver, LaunchOptions *run, Diag *d)
{
    *w = (Watch){.common = c};
    if (c->trace_file && !open_trace(w, c->trace_file, d))
        return false;
    if (!pictures_open(&w->pictures, &c->pictures, run, d))
        return false;
    if (c->stats && !(w->stats = stats_new()))
        out_of_memory();
    if (c->check_allow && !(w->allow = check_allow_open(c->check_allow, d)))
        return false;
    if (c->checks && !(w->check = check_open(driver, c->checks, w->allow, show_found, w)))
        out_of_memory();
    if (w->stats)
        options_in_force(w->stats, c);
    if (c->costs_to)
        open_costs(w, run);
    if (w->trace)
        w->observer[run->nobservers++] = trace_observer(w->trace);
    if (w->stats)
        w->observer[run->nobservers++] = stats_observer(w->stats);
    run->observers = w->observer;
    if (w->trace)
        run->slice = 1;
    return true;
}

void watch_launch(Watch *w, Driver *driver, const char *name, const DrvResult *r, double seconds)
{
    const Occupancy *o = &r->dev.occupancy;
    const DevCode *code = dev_code(drv_device(driver));
    if (w->costs)
        costs_add(w->costs, name, code->image, code->set, &r->dev.run);
    TimeResult t;
    const bool timed = time_result(dev_engine(drv_device(driver)), &t);
    if (w->stats && !stats_launch(w->stats, name, r, timed ? &t.slots : NULL, seconds))
        out_of_memory();
    if (w->common->verbose)
        fprintf(
            stderr, "%s: %llu groups of %u warps, %llu instructions, %.3f s; an SM holds %u (%s)\n",
            name, (unsigned long long)r->dev.run.groups, r->warps,
            (unsigned long long)r->dev.run.insns, seconds, o->groups, o->limit ? o->limit : "none");
}

/* what the device's engine did, where it makes host code */
static void tell_engine(Watch *w, Device *device)
{
    const EngineKind *kind = dev_options(device)->engine;
    JitStats s;
    TimeResult t;
    if (w->stats && time_total(dev_engine(device), &t))
        stats_time(w->stats, &t);
    if (!jit_stats(dev_engine(device), &s))
        return;
    if (w->stats)
        stats_engine(w->stats, &s);
    if (w->common->verbose && s.given_up)
        fprintf(
            stderr,
            "%s: %llu pieces of code could not be made, and slower ones or the interpreter ran\n",
            kind->name, (unsigned long long)s.given_up);
    if (w->common->verbose && s.regions)
        fprintf(
            stderr,
            "%s: %llu instructions in host code, %llu interpreted; %llu pieces of code, %llu of "
            "them from the disk, %.1f ms to make the others\n",
            kind->name, (unsigned long long)s.compiled, (unsigned long long)(s.insns - s.compiled),
            (unsigned long long)s.regions, (unsigned long long)s.cached,
            (double)s.nanoseconds * 1e-6);
}

/* The last line of --check, and its file.  True: nothing was found. */
static bool close_check(Watch *w, bool *ok, Diag *d)
{
    Buf text = {0}, json = {0};
    check_summary(w->check, &text);
    if (text.len)
        fprintf(stderr, "%s\n", buf_text(&text));
    if (w->common->check_json) {
        if (!check_json(w->check, &json))
            out_of_memory();
        *ok = write_file(w->common->check_json, buf_text(&json), json.len, d) && *ok;
    }
    const bool is_clean = !text.len;
    check_close(w->check);
    check_allow_free(w->allow);
    buf_free(&text);
    buf_free(&json);
    return is_clean;
}

int watch_close(Watch *w, Driver *driver, int status, Diag *d)
{
    bool is_clean = true;
    bool ok = close_trace(w, d);
    ok = pictures_close(&w->pictures, d) && ok;
    ok = close_costs(w, d) && ok;
    tell_engine(w, drv_device(driver));
    Buf out = {0};
    if (w->stats) {
        if (!w->common->stats_json)
            stats_text(w->stats, &out);
        else if (!stats_json(w->stats, &out))
            out_of_memory();
        if (out.failed)
            out_of_memory();
        ok = write_file(w->common->stats_file ? w->common->stats_file : "-", buf_text(&out),
                        out.len, d) &&
             ok;
    }
    stats_free(w->stats);
    buf_free(&out);
    if (w->check)
        is_clean = close_check(w, &ok, d);
    return !ok ? REFUSED : status == DONE && !is_clean ? FAULTED : status;
}

/* --- debugging ------------------------------------------------------------------------------ */

static void say_waiting(void *self, const char *text)
{
    (void)self;
    fprintf(stderr, "ventus: %s\n", text);
}

bool open_debugger(const Common *c, Driver *driver, Debugger **made, Diag *d)
{
    *made = c->step ? open_stepper() : NULL;
    if (*made)
        dbg_attach(*made, drv_device(driver));
    if (*made || !c->gdb)
        return true;
    if ((*made = dbg_listen(c->gdb, say_waiting, NULL, d)))
        dbg_attach(*made, drv_device(driver));
    return *made != NULL;
}

/* --- ends ----------------------------------------------------------------------------- */

int report_failure(Driver *driver, DrvStatus s, const char *what)
{
    Buf report = {0}, text = {0};
    drv_last_error(driver, &report);
    buf_printf(&text, "%s: error: ", what);
    buf_str(&text, report.len ? buf_text(&report) : drv_status_text(s));
    const char *difference = jit_difference(dev_engine(drv_device(driver)));
    if (*difference)
        buf_printf(&text, "\n  difference  %s", difference);
    show_message(stderr, DIAG_ERROR, buf_text(&text));
    buf_free(&report);
    buf_free(&text);
    return s == DRV_FAULT ? FAULTED : REFUSED;
}

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
