/* machine.c -- the fields of machine.def: defaults, limits, parser; what fits onto a processor at once. */
#include "mach/machine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset;
    u32 min, max;
    const char *what;
} fields[] = {
#define FIELD(name, min, max, what)                                                                \
    {                                                                                              \
#name, offsetof(Machine, name), min, max, what                                             \
    }
    FIELD(lanes, 4, MAX_LANES, "threads a warp"),
    FIELD(group_warps, 1, MAX_WARPS, "warps of one group"),
    FIELD(sms, 1, 1u << 16, "streaming multiprocessors"),
    FIELD(warps, 1, 1u << 16, "resident warps"),
    FIELD(slots, 1, 1u << 16, "resident groups"),
    FIELD(sgprs, 1, 1u << 24, "scalar registers"),
    FIELD(vgprs, 1, 1u << 24, "vector registers"),
    FIELD(lds, 0, 1u << 28, "bytes of local memory"),
    FIELD(simt_depth, 2, 1u << 20, "divergence stack entries"),
#undef FIELD
};

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r')
        p++;
    return p;
}

static bool set_field(const Source *src, const char *name, size_t len, const char *value,
                      Machine *m, Diag *d)
{
    for (size_t i = 0; i < countof(fields); i++) {
        if (strlen(fields[i].name) != len || strncmp(fields[i].name, name, len))
            continue;
        char *end;
        const unsigned long v = strtoul(value, &end, 0);
        if (end == value || *value == '-' || v < fields[i].min || v > fields[i].max) {
            error(d, src, value, "%s is a number from %u to %u", fields[i].name, fields[i].min,
                  fields[i].max);
            return false;
        }
        *(u32 *)(void *)((char *)m + fields[i].offset) = (u32)v;
        return true;
    }
    error(d, src, name, "'%.*s' is not a property of a machine", (int)len, name);
    return false;
}

static bool set_base(const Source *src, const char *value, Machine *m, Diag *d)
{
    char name[sizeof m->name];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(value, " \t\r\n#"), value);
    if (machine_builtin(name, m))
        return true;
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
                                              : set_field(src, p, len, value, m, d);
}

static bool parse_text(const Source *src, Machine *m, Diag *d)
{
    bool ok = true;
    for (const char *p = src->text; *p;) {
        ok &= parse_line(src, p, m, d);
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
    if (!is_pow2(m->lanes)) {
        error(d, src, NULL, "lanes is %u; a warp has 4, 8, 16 or 32", m->lanes);
        ok = false;
    }
    return ok;
}

bool machine_builtin(const char *name, Machine *m)
{
    Diag d = {0};
    for (const MachineText *t = machine_texts; t->name; t++) {
        if (name && strcmp(t->name, name))
            continue;
        *m = (Machine){.lanes = MAX_LANES};
        snprintf(m->name, sizeof m->name, "%s", t->name);
        return parse_text(&(Source){.name = t->name, .text = t->text}, m, &d);
    }
    return false;
}

bool machine_parse(const char *file, const char *text, Machine *m, Diag *d)
{
    if (!machine_builtin(NULL, m))
        bug("the built-in machine description is wrong");
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    snprintf(m->name, sizeof m->name, "%.*s", (int)strcspn(name, "."), name);
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
