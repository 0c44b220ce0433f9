/* sweep_file.c -- reading a sweep file: JSON, checked name by name.
 *
 * jansson says where a text is no JSON, but not where a value is.  So mistakes of meaning are found
 * with jansson and placed by a walk along the same path through the text, which is JSON by then.
 */
#include "tool/sweep.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Source src;
    Sweep *s;
    Diag *d;
    bool ok;
} Reader;

/* --- places ----------------------------------------------------------------------------- */

static const char *skip_space(const char *p) { return p + strspn(p, " \t\r\n"); }

static const char *skip_string(const char *p)
{
    for (p++; *p != '"'; p++)
        p += *p == '\\';
    return p + 1;
}

/* the end of the value at p, which is JSON */
static const char *skip_value(const char *p)
{
    int depth = 0;
    do {
        if (*p == '"') {
            p = skip_string(p);
            continue;
        }
        depth += *p == '{' || *p == '[';
        depth -= *p == '}' || *p == ']';
        p++;
    } while (*p && (depth || !strchr(",]} \t\r\n", *p)));
    return p;
}

/* The value of a key, or the nth value, of what is at p; `key`: the key itself.  NULL: not there.
 */
static const char *find(const char *p, const char *name, size_t nth, bool key)
{
    p = skip_space(p + 1);
    for (size_t i = 0; *p && *p != '}' && *p != ']'; i++) {
        const char *at = p;
        if (name)
            p = skip_space(skip_space(skip_string(p)) + 1);
        if (name ? !strncmp(at + 1, name, strlen(name)) && at[1 + strlen(name)] == '"' : i == nth)
            return key ? at : p;
        p = skip_space(skip_value(p));
        p = *p == ',' ? skip_space(p + 1) : p;
    }
    return NULL;
}

static const char *top(const Reader *r) { return skip_space(r->src.text); }
static const char *value_of(const Reader *r, const char *name)
{
    const char *at = find(top(r), name, 0, false);
    return at ? at : top(r);
}

#define wrong(r, at, ...) ((r)->ok = false, error((r)->d, &(r)->src, at, __VA_ARGS__))

/* --- names ----------------------------------------------------------------------------------- */

/* the nearest of the names that end with NULL; NULL: none is near */
static const char *nearest(const char *name, const char *const *names)
{
    const char *best = NULL;
    int least = 4;
    for (; *names; names++) {
        const int n = edit_distance(name, strlen(name), *names, strlen(*names), least);
        if (n < least) {
            least = n;
            best = *names;
        }
    }
    return best;
}

/* reports keys of an object at `at` that are not among the names */
static void check_keys(Reader *r, json_t *o, const char *at, const char *const *names)
{
    const char *key, *close;
    json_t *v;
    json_object_foreach(o, key, v)
    {
        size_t i = 0;
        while (names[i] && strcmp(names[i], key))
            i++;
        if (names[i])
            continue;
        close = nearest(key, names);
        wrong(r, find(at, key, 0, true), "'%s' means nothing here%s%s%s", key,
              close ? "; did you mean '" : "", close ? close : "", close ? "'?" : "");
    }
}

/* a string, or `rest` where there is none */
static const char *text_at(Reader *r, const char *name, const char *rest)
{
    const json_t *v = json_object_get(r->s->json, name);
    if (!v)
        return rest;
    if (!json_is_string(v))
        wrong(r, value_of(r, name), "'%s' is a text", name);
    return json_is_string(v) ? json_string_value(v) : rest;
}

/* --- the machine ------------------------------------------------------------------------------ */

static const MachineParameter *find_parameter(const char *name)
{
    for (size_t i = 0; i < NPARAMETER; i++)
        if (!strcmp(machine_parameter[i].name, name))
            return &machine_parameter[i];
    return NULL;
}

static void read_values(Reader *r, SweepParameter *p, json_t *list, const char *at)
{
    size_t i;
    json_t *v;
    p->value = mem_zalloc(json_array_size(list), sizeof *p->value);
    if (!p->value)
        out_of_memory();
    json_array_foreach(list, i, v)
    {
        const json_int_t n = json_integer_value(v);
        const bool pow2 = p->what->kind == PARAMETER_POWER_OF_2;
        if (!json_is_integer(v) || n < (json_int_t)p->what->least ||
            n > (json_int_t)p->what->most || (pow2 && !is_pow2((u64)n)))
            wrong(r, find(at, NULL, i, false), "%s is a %s from %u to %u", p->what->name,
                  pow2 ? "power of two" : "number", p->what->least, p->what->most);
        p->value[p->n++] = (u32)n;
    }
}

static void read_parameters(Reader *r)
{
    json_t *o = json_object_get(r->s->json, "parameters"), *v;
    const char *at = value_of(r, "parameters"), *name, *names[NPARAMETER + 1];
    for (size_t i = 0; i < NPARAMETER; i++)
        names[i] = machine_parameter[i].name;
    names[NPARAMETER] = NULL;
    if (o && !json_is_object(o)) {
        wrong(r, at, "'parameters' is an object: names of machine parameters with lists of values");
        return;
    }
    check_keys(r, o, at, names);
    json_object_foreach(o, name, v)
    {
        SweepParameter *p = &r->s->parameter[r->s->nparameters];
        if (!(p->what = find_parameter(name)))
            continue;
        if (!json_array_size(v))
            wrong(r, find(at, name, 0, false), "'%s' is a list of values: [16, 32]", name);
        else if (r->s->nparameters == MAX_PARAMETERS - 1)
            wrong(r, find(at, name, 0, true), "more than %d parameters", MAX_PARAMETERS - 1);
        else
            read_values(r, &r->s->parameter[r->s->nparameters++], v, find(at, name, 0, false));
    }
}

/* Where the sweep's file means that file. */
static char *path_of(const Sweep *s, const char *name)
{
    if (*name != '/')
        return path_join(s->directory, name);
    char *copy = mem_strdup(name);
    if (!copy)
        out_of_memory();
    return copy;
}

static void read_base(Reader *r)
{
    Machine m;
    const char *name = text_at(r, "machine", "default");
    if (machine_builtin(name, &m)) {
        buf_printf(&r->s->base, "base = %s\n", name);
        return;
    }
    if (!strchr(name, '/') && !strchr(name, '.')) {
        wrong(r, value_of(r, "machine"), "no machine '%s' is built in; see ventus info", name);
        return;
    }
    char *path = path_of(r->s, name);
    r->ok &=
        read_file(path, &r->s->base, r->d) && machine_parse(path, buf_text(&r->s->base), &m, r->d);
    buf_str(&r->s->base, "\n");
    mem_free(path);
}

/* --- workloads
 * ------------------------------------------------------------------------------------ */

/* FNV-1a of the files that arguments name */
static u64 hash_files(const Sweep *s, const Workload *w)
{
    u64 h = 0xcbf29ce484222325u;
    for (size_t i = 0; w->arg[i]; i++) {
        char *path = path_of(s, w->arg[i]);
        FILE *f = fopen(path, "rb");
        for (int c; f && (c = getc(f)) != EOF;)
            h = (h ^ (u8)c) * 0x100000001b3u;
        if (f)
            fclose(f);
        mem_free(path);
    }
    return h;
}

static void read_command(Reader *r, Workload *w, json_t *list, const char *at, const char *kind)
{
    size_t i;
    json_t *v;
    w->arg = mem_zalloc(json_array_size(list) + 1, sizeof *w->arg);
    if (!w->arg)
        out_of_memory();
    if (!json_array_size(list))
        wrong(r, at, "'%s' is a list of texts, the arguments of a command", kind);
    json_array_foreach(list, i, v)
    {
        if (!(w->arg[i] = json_string_value(v))) {
            wrong(r, find(at, NULL, i, false), "an argument is a text, in quotes");
            return;
        }
    }
    w->hash = hash_files(r->s, w);
}

static void read_workload(Reader *r, Workload *w, json_t *o, const char *at)
{
    static const char *const kinds[] = {"run", "replay", "program"};
    static const char *const names[] = {"name", "run", "replay", "program", NULL};
    int n = 0;
    if (!json_is_object(o)) {
        wrong(r, at, "a workload is an object: {\"name\": ..., \"run\": [...]}");
        return;
    }
    check_keys(r, o, at, names);
    if (!(w->name = json_string_value(json_object_get(o, "name"))))
        wrong(r, at, "a workload has a 'name', a text");
    for (size_t k = 0; k < countof(kinds); k++) {
        json_t *list = json_object_get(o, kinds[k]);
        if (!list || n++)
            continue;
        w->kind = (WorkKind)k;
        read_command(r, w, list, find(at, kinds[k], 0, false), kinds[k]);
    }
    if (n != 1)
        wrong(r, at, "a workload is one of 'run', 'replay' and 'program'");
    for (const Workload *other = r->s->work; w->name && other < w; other++)
        if (other->name && !strcmp(other->name, w->name))
            wrong(r, at, "another workload has the name '%s'", w->name);
}

static void read_workloads(Reader *r)
{
    json_t *list = json_object_get(r->s->json, "workloads"), *o;
    const char *at = value_of(r, "workloads");
    size_t i;
    if (!json_array_size(list)) {
        wrong(r, at, "'workloads' is a list of at least one workload");
        return;
    }
    r->s->work = mem_zalloc(json_array_size(list), sizeof *r->s->work);
    if (!r->s->work)
        out_of_memory();
    json_array_foreach(list, i, o)
    {
        read_workload(r, &r->s->work[i], o, find(at, NULL, i, false));
        r->s->nwork++;
    }
}

/* --- what is reported
 * -------------------------------------------------------------------------------- */

static void read_report(Reader *r)
{
    static const char *const names[] = {"x", "y", NULL};
    json_t *columns = json_object_get(r->s->json, "columns"), *v,
           *plot = json_object_get(r->s->json, "plot");
    size_t i;
    if (columns && !json_is_array(columns))
        wrong(r, value_of(r, "columns"), "'columns' is a list of names of --stats=json");
    json_array_foreach(columns, i, v)
    {
        if (!json_is_string(v) || i == MAX_COLUMNS) {
            wrong(r, find(value_of(r, "columns"), NULL, i, false),
                  "a column is a name of --stats=json, such as \"slots.icache\"; at most %d",
                  MAX_COLUMNS);
            return;
        }
        r->s->column[r->s->ncolumns++] = json_string_value(v);
    }
    if (!plot)
        return;
    const char *at = value_of(r, "plot");
    if (!json_is_object(plot)) {
        wrong(r, at, "'plot' is an object: {\"x\": PARAMETER, \"y\": COLUMN}");
        return;
    }
    check_keys(r, plot, at, names);
    r->s->x = json_string_value(json_object_get(plot, "x"));
    r->s->y = json_string_value(json_object_get(plot, "y"));
    const char *swept[MAX_PARAMETERS + 1] = {NULL};
    for (i = 0; i < r->s->nparameters; i++) {
        swept[i] = r->s->parameter[i].what->name;
        if (r->s->x && !strcmp(swept[i], r->s->x))
            return;
    }
    if (r->s->x) {
        const char *close = nearest(r->s->x, swept);
        wrong(r, find(at, "x", 0, false), "'%s' is not swept%s%s%s", r->s->x,
              close ? "; did you mean '" : "", close ? close : "", close ? "'?" : "");
    }
}

static void read_timeout(Reader *r)
{
    const json_t *v = json_object_get(r->s->json, "timeout");
    r->s->timeout = json_number_value(v);
    if (v && !(r->s->timeout > 0))
        wrong(r, value_of(r, "timeout"), "'timeout' is a number of seconds");
}

static void count_points(Reader *r)
{
    Sweep *s = r->s;
    s->npoints = s->nwork;
    for (size_t i = 0; i < s->nparameters; i++) {
        if (s->npoints > 10000000 / s->parameter[i].n) {
            wrong(r, value_of(r, "parameters"), "these are more than ten million points");
            return;
        }
        s->npoints *= s->parameter[i].n;
    }
}

bool sweep_read(const char *file, Sweep *s, Diag *d)
{
    static const char *const names[] = {"engine",  "machine", "parameters", "workloads",
                                        "timeout", "columns", "plot",       NULL};
    Buf text = {0};
    json_error_t why;
    *s = (Sweep){0};
    if (!read_file(file, &text, d))
        return false;
    Reader r = {{.name = file, .text = buf_text(&text)}, s, d, true};
    s->json = json_loads(r.src.text, JSON_REJECT_DUPLICATES, &why);
    const size_t slash = strrchr(file, '/') ? (size_t)(strrchr(file, '/') - file) : 0;
    s->directory = slash || *file == '/' ? mem_strndup(file, slash ? slash : 1) : mem_strdup(".");
    if (!s->directory)
        out_of_memory();
    if (!s->json || strlen(r.src.text) != text.len)
        wrong(&r,
              r.src.text + (s->json            ? 0
                            : why.position > 0 ? why.position - 1
                                               : 0),
              "%s", s->json ? "a zero byte is no JSON" : why.text);
    else if (!json_is_object(s->json))
        wrong(&r, top(&r), "a sweep is an object: {\"parameters\": ..., \"workloads\": ...}");
    if (r.ok) {
        check_keys(&r, s->json, top(&r), names);
        s->engine = text_at(&r, "engine", "timing");
        read_base(&r);
        read_parameters(&r);
        read_workloads(&r);
        read_report(&r);
        read_timeout(&r);
        count_points(&r);
    }
    buf_free(&text);
    return r.ok;
}

void sweep_free(Sweep *s)
{
    for (size_t i = 0; i < s->nparameters; i++)
        mem_free(s->parameter[i].value);
    for (size_t i = 0; i < s->nwork; i++)
        mem_free(s->work[i].arg);
    mem_free(s->work);
    mem_free(s->directory);
    buf_free(&s->base);
    json_decref(s->json);
}

/* --- points
 * --------------------------------------------------------------------------------------- */

/* the last parameter changes fastest, workloads slowest */
u32 sweep_value(const Sweep *s, size_t point, size_t parameter)
{
    for (size_t i = s->nparameters; --i > parameter;)
        point /= s->parameter[i].n;
    return s->parameter[parameter].value[point % s->parameter[parameter].n];
}

const Workload *sweep_work(const Sweep *s, size_t point)
{
    return &s->work[point / (s->npoints / s->nwork)];
}

void sweep_label(const Sweep *s, size_t point, Buf *out)
{
    for (size_t i = 0; i < s->nparameters; i++)
        buf_printf(out, "%s%s=%u", i ? " " : "", s->parameter[i].what->name,
                   sweep_value(s, point, i));
    if (out->failed)
        out_of_memory();
}

void sweep_machine(const Sweep *s, size_t point, Buf *out)
{
    buf_put(out, s->base.data, s->base.len);
    for (size_t i = 0; i < s->nparameters; i++)
        buf_printf(out, "%s = %u\n", s->parameter[i].what->name, sweep_value(s, point, i));
    if (s->base.failed || out->failed)
        out_of_memory();
}

/* All that decides the result: version, engine, machine, arguments and the files they name. */
void sweep_key(const Sweep *s, size_t point, Buf *out)
{
    const Workload *w = sweep_work(s, point);
    buf_printf(out, "ventus %s %s\n", VERSION, s->engine);
    sweep_machine(s, point, out);
    buf_printf(out, "kind %d files %016llx\n", w->kind, (unsigned long long)w->hash);
    for (size_t i = 0; w->arg[i]; i++)
        buf_printf(out, "%s\n", w->arg[i]);
    if (out->failed)
        out_of_memory();
}
