/* machine.c -- the parameters of machine.def, descriptions that set them, and what fits onto a
 * processor at once. */
#include "mach/machine.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const MachineParameter machine_parameter[NPARAMETER] = {
#define PARAMETER(name, kind, unit, value, least, most, source, what)                              \
    {#name, unit, source, what, PARAMETER_##kind, value, least, most, offsetof(Machine, name)},
#include "mach/machine.def"
};

u32 machine_value(const Machine *m, const MachineParameter *p)
{
    return *(const u32 *)(const void *)((const char *)m + p->offset);
}

static void set_value(Machine *m, const MachineParameter *p, u32 value)
{
    *(u32 *)(void *)((char *)m + p->offset) = value;
}

static void set_defaults(Machine *m, const char *name, size_t len)
{
    *m = (Machine){0};
    snprintf(m->name, sizeof m->name, "%.*s", (int)len, name);
    for (size_t i = 0; i < NPARAMETER; i++)
        set_value(m, &machine_parameter[i], machine_parameter[i].value);
}

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r')
        p++;
    return p;
}

static bool set_parameter(const Source *src, const char *name, size_t len, const char *text,
                          Machine *m, Diag *d)
{
    for (size_t i = 0; i < NPARAMETER; i++) {
        const MachineParameter *p = &machine_parameter[i];
        if (strlen(p->name) != len || strncmp(p->name, name, len))
            continue;
        char *end = NULL;
        const unsigned long v = isdigit((unsigned char)*text) ? strtoul(text, &end, 0) : 0;
        const bool is_number = end && strchr("#\n", *skip_blanks(end));
        const bool want_pow2 = p->kind == PARAMETER_POWER_OF_2;
        if (!is_number || v < p->least || v > p->most || (want_pow2 && !is_pow2(v))) {
            error(d, src, text, "%s is a %s from %u to %u", p->name,
                  want_pow2 ? "power of two" : "number", p->least, p->most);
            return false;
        }
        set_value(m, p, (u32)v);
        return true;
    }
    const char *close = NULL;
    int least = 4;
    for (size_t i = 0; i < NPARAMETER; i++) {
        const char *other = machine_parameter[i].name;
        const int away = edit_distance(name, len, other, strlen(other), least);
        if (away < least) {
            least = away;
            close = other;
        }
    }
    error(d, src, name, "'%.*s' is not a parameter of a machine%s%s%s", (int)len, name,
          close ? "; did you mean '" : "", close ? close : "", close ? "'?" : "");
    return false;
}

static bool set_base(const Source *src, const char *value, Machine *m, Diag *d)
{
    char name[sizeof m->name];
    Machine base;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(value, " \t\r\n#"), value);
    if (machine_builtin(name, &base)) {
        memcpy(base.name, m->name, sizeof base.name);
        *m = base;
        return true;
    }
    error(d, src, value, "no machine '%s' to begin from", name);
    return false;
}

static bool parse_line(const Source *src, const char *p, Machine *m, Diag *d)
{
    p = skip_blanks(p);
    if (*p == '#' || *p == '\n' || !*p)
        return true;
    const size_t len = strcspn(p, " \t=\r\n#");
    const char *eq = skip_blanks(p + len);
    if (*eq != '=') {
        error(d, src, eq, "expected 'name = value'");
        return false;
    }
    const char *value = skip_blanks(eq + 1);
    return len == 4 && !strncmp(p, "base", 4) ? set_base(src, value, m, d)
                                              : set_parameter(src, p, len, value, m, d);
}

static bool parse_text(const Source *src, Machine *m, Diag *d)
{
    bool ok = true;
    for (const char *p = src->text; *p;) {
        ok &= parse_line(src, p, m, d);
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
    return ok;
}

bool machine_builtin(const char *name, Machine *m)
{
    Diag d = {0};
    for (const MachineText *t = machine_texts; t->name; t++) {
        if (strcmp(t->name, name ? name : "default"))
            continue;
        set_defaults(m, t->name, strlen(t->name));
        return parse_text(&(Source){.name = t->name, .text = t->text}, m, &d);
    }
    return false;
}

bool machine_parse(const char *file, const char *text, Machine *m, Diag *d)
{
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    set_defaults(m, name, strcspn(name, "."));
    return parse_text(&(Source){.name = file, .text = text}, m, d);
}

/* hardware hands out registers four at a time (doc/isa.md, "Registers") */
static u32 units(u32 registers) { return (u32)align_up(registers ? registers : 1, 4); }

Occupancy machine_occupancy(const Machine *m, const GroupNeeds *n)
{
    const u32 warps = n->warps ? n->warps : 1;
    const struct {
        const char *name;
        u32 holds;
    } limits[] = {
        {"warps", m->warps / warps},
        {"slots", m->slots},
        {"sgprs", m->sgprs / units(n->sgprs) / warps},
        {"vgprs", m->vgprs / units(n->vgprs) / warps},
        {"lds", n->lds ? m->lds / n->lds : UINT32_MAX},
    };
    Occupancy o = {.groups = UINT32_MAX};
    for (size_t i = 0; i < countof(limits); i++)
        if (limits[i].holds < o.groups) {
            o.groups = limits[i].holds;
            o.limit = limits[i].name;
        }
    if (warps > m->group_warps)
        o = (Occupancy){.limit = "group"};
    o.warps = o.groups * warps;
    return o;
}
