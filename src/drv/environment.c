/* environment.c -- the device that the environment asks for. */
#include "drv/drv.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static const char *variable(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

static bool refuse(Diag *d, const char *name, const char *value, const char *wanted)
{
    error(d, NULL, NULL, "%s: '%s' is not %s", name, value, wanted);
    return false;
}

/* whether value is one of the words of `values` */
static bool is_word_of(const char *value, const char *values)
{
    const size_t len = strlen(value);
    for (const char *w = values; *w; w += strspn(w, " ")) {
        const size_t n = strcspn(w, " ");
        if (n == len && !memcmp(w, value, n))
            return true;
        w += n;
    }
    return false;
}

/* Whether value is what `values` of variable.def allows; if not, *wanted says what is. */
static bool is_allowed(const char *value, const char *values, Buf *wanted)
{
    unsigned long min, max;
    char *end;
    if (!*values)
        return true;
    if (!strcmp(values, "seconds")) {
        buf_str(wanted, "a number of seconds");
        const double v = strtod(value, &end);
        return end != value && !*end && v >= 0 && v <= 1e9;
    }
    if (sscanf(values, "%lu..%lu", &min, &max) == 2) {
        buf_printf(wanted, "a number from %lu to %lu", min, max);
        const unsigned long v = strtoul(value, &end, 10);
        return end != value && !*end && *value != '-' && v >= min && v <= max;
    }
    buf_printf(wanted, "one of: %s", values);
    return is_word_of(value, values);
}

/* Warns of a name that nothing reads but that is much like one of ours: it is mistyped.  Other
 * names that begin with VENTUS_ belong to other software. */
static void warn_unknown(const char *name, size_t len, Diag *d)
{
    static const char *const known[] = {
#define VARIABLE(name, values) #name,
#include "drv/variable.def"
    };
    const char *nearest = NULL;
    int best = 3;
    for (size_t i = 0; i < countof(known); i++) {
        const int away = edit_distance(name, len, known[i], strlen(known[i]), best);
        if (!away)
            return;
        if (away < best) {
            best = away;
            nearest = known[i];
        }
    }
    if (nearest)
        warning(d, NULL, NULL, "nothing reads the variable %.*s; did you mean %s?", (int)len, name,
                nearest);
}

bool drv_check_variables(Diag *d)
{
    static const struct {
        const char *name, *values;
    } rows[] = {
#define VARIABLE(name, values) {#name, values},
#include "drv/variable.def"
    };
    bool ok = true;
    for (size_t i = 0; i < countof(rows); i++) {
        const char *value = variable(rows[i].name);
        Buf wanted = {0};
        if (value && !is_allowed(value, rows[i].values, &wanted))
            ok = refuse(d, rows[i].name, value, buf_text(&wanted));
        buf_free(&wanted);
    }
    for (char **e = environ; e && *e; e++)
        if (!strncmp(*e, "VENTUS_", 7))
            warn_unknown(*e, strcspn(*e, "="), d);
    return ok;
}

/* A number from min to max; the variable may be absent. */
static bool read_number(const char *name, u32 min, u32 max, u32 *value, Diag *d)
{
    const char *text = variable(name);
    char *end;
    if (!text)
        return true;
    const unsigned long v = strtoul(text, &end, 10);
    if (end == text || *end || *text == '-' || v < min || v > max) {
        error(d, NULL, NULL, "%s: '%s' is not a number from %u to %u", name, text, min, max);
        return false;
    }
    *value = (u32)v;
    return true;
}

static bool read_engine(const EngineKind **engine, Diag *d)
{
    const char *from = variable("VENTUS_ENGINE") ? "VENTUS_ENGINE" : "VENTUS_BACKEND";
    const char *name = variable(from);
    if (!name || dev_is_public_backend(name))
        return true;
    const EngineKind *found = dev_find_engine(name);
    if (!found)
        return refuse(d, from, name, "an engine that is built in");
    *engine = found;
    return true;
}

static bool read_description(const char *file, Machine *m, Diag *d)
{
    char text[16384]; /* one has a dozen lines */
    FILE *f = fopen(file, "rb");
    const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    const bool ok = f && !ferror(f) && feof(f);
    if (f)
        fclose(f);
    text[n] = 0;
    return ok ? machine_parse(file, text, m, d)
              : refuse(d, "VENTUS_MACHINE", file,
                       "a built-in machine or a file that describes one");
}

static bool read_machine(Machine *m, Diag *d)
{
    const char *name = variable("VENTUS_MACHINE");
    if (name && !machine_builtin(name, m) && !read_description(name, m, d))
        return false;
    if (!read_number("NUM_THREAD", 4, MAX_LANES, &m->lanes, d) ||
        !read_number("NUM_WARP", 1, MAX_WARPS, &m->group_warps, d) ||
        !read_number("VENTUS_SMS", 1, 1u << 16, &m->sms, d))
        return false;
    if (!is_pow2(m->lanes))
        return refuse(d, "NUM_THREAD", variable("NUM_THREAD"), "4, 8, 16 or 32");
    if (m->warps < m->group_warps)
        m->warps = m->group_warps;
    return true;
}

bool drv_environment(DeviceOptions *o, Diag *d)
{
    const char *isa = variable("VENTUS_ISA");
    u32 mmu = 0;
    *o = dev_defaults();
    if (!drv_check_variables(d))
        return false;
    if (!read_machine(&o->machine, d) || !read_number("VENTUS_MMU", 0, 1, &mmu, d))
        return false;
    if (isa && !isa_parse_set(isa, &o->set))
        return refuse(d, "VENTUS_ISA", isa, "a profile with overlays");
    o->mmu = mmu;
    return read_engine(&o->engine, d) && dev_check_options(o, d);
}
