/* cc.c -- the list of passes.
 *
 * A function goes through all passes before the next one begins, callees first; encode.c then takes
 * the whole module.  Each pass can be turned off (CcOptions.off) and looked at (dump.def); a
 * debug build checks the rules of the stage behind each.
 */
#include "cc/cc.h"
#include "base/mem.h"
#include <string.h>

typedef struct {
    Module *m;
    const CcOptions *opt;
    Diag *d;
} Job;

/* `level`: below which it is left out; 0: it is needed. */
typedef struct {
    const char *name;
    char letter; /* of dump.def, or 0 */
    Stage stage; /* of what it leaves behind */
    int level;
    void (*run)(Func *f);
} Pass;

static const Pass selection[] = {
    {"fold", 0, STAGE_GENERIC, 1, fold},
    {"strength", 0, STAGE_GENERIC, 2, strength},
    {"fold", 'o', STAGE_GENERIC, 2, fold},
    {"uniform", 0, STAGE_GENERIC, 0, uniform},
    {"strength", 'u', STAGE_GENERIC, 2, test_counters},
    {"select", 's', STAGE_SELECTED, 0, select_rows},
    {"sched", 'd', STAGE_SELECTED, 2, schedule},
    {"out", 'p', STAGE_LINEAR, 0, leave_ssa},
};
static const Pass union_of_values[] = {
    {"coalesce", 0, STAGE_LINEAR, 1, coalesce},
};
static const Pass finish[] = {
    {"frame", 0, STAGE_ALLOCATED, 0, frame},
    {"tidy", 0, STAGE_ALLOCATED, 1, tidy},
};

/* --- options ----------------------------------------------------------------------------- */

/* whether `name` is among names that commas separate */
static bool is_listed(const char *list, const char *name)
{
    const size_t len = strlen(name);
    for (const char *p = list; p && *p; p += *p == ',') {
        const size_t n = strcspn(p, ",");
        if (n == len && !memcmp(p, name, n))
            return true;
        p += n;
    }
    return false;
}

static bool is_on(const Job *j, const char *name, int level)
{
    return !level || (j->opt->level >= level && !is_listed(j->opt->off, name));
}

static bool is_optional(const Pass *p, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (p[i].level && !strcmp(p[i].name, name))
            return true;
    return false;
}

bool cc_is_optional(const char *name)
{
    return !strcmp(name, "verify") || is_optional(selection, countof(selection), name) ||
           is_optional(union_of_values, countof(union_of_values), name) ||
           is_optional(finish, countof(finish), name);
}

static bool is_dumped(const Job *j, const char *function, char letter)
{
    const char *letters = j->opt->dump, *colon = letters ? strchr(letters, ':') : NULL;
    if (!letters || !letter || !j->opt->dump_to)
        return false;
    const size_t n = colon ? (size_t)(colon - letters) : strlen(letters);
    return memchr(letters, letter, n) && (!colon || !function || !strcmp(colon + 1, function));
}

/* --- views -------------------------------------------------------------------------------- */

static const char *view_name(char letter)
{
    static const struct {
        char letter;
        const char *what;
    } view[] = {
#define VIEW(letter, after, what) {letter, what},
#include "cc/dump.def"
    };
    for (size_t i = 0; i < countof(view); i++)
        if (view[i].letter == letter)
            return view[i].what;
    return "";
}

static void dump_function(const Job *j, const Func *f, char letter)
{
    if (!is_dumped(j, f->name, letter))
        return;
    buf_printf(j->opt->dump_to, "# %s: %s\n", f->name, view_name(letter));
    ir_print(j->opt->dump_to, f);
}

static void dump_set(Buf *b, const Live *l, const Func *f, u32 block, bool out)
{
    for (u32 v = 1; v < f->nvalue; v++)
        if (out ? live_out(l, block, v) : live_in(l, block, v))
            buf_printf(b, " %c%u", f->value[v].bank == BANK_V ? 'v' : 'x', v);
    buf_str(b, "\n");
}

static void dump_live(const Job *j, const Func *f)
{
    Live l;
    Buf *b = j->opt->dump_to;
    if (!is_dumped(j, f->name, 'l') || !live(f, &l))
        return;
    buf_printf(b, "# %s: %s\n", f->name, view_name('l'));
    for (size_t i = 0; i < f->nrpo; i++) {
        buf_printf(b, "b%u in: ", f->rpo[i]);
        dump_set(b, &l, f, f->rpo[i], false);
        buf_printf(b, "b%u out:", f->rpo[i]);
        dump_set(b, &l, f, f->rpo[i], true);
    }
    live_free(&l);
}

/* --- passes -------------------------------------------------------------------------------- */

static void check_rules(const Func *f, const char *pass, Stage stage)
{
#ifdef DEBUG
    Buf why = {0};
    if (!f->module->failed && !ir_check(f, stage, &why) && !f->module->failed)
        ir_mistake(f->module, "%s, behind %s:\n%s", f->name, pass, buf_text(&why));
    buf_free(&why);
#else
    (void)f, (void)pass, (void)stage;
#endif
}

static void run_passes(const Job *j, Func *f, const Pass *p, size_t n)
{
    for (size_t i = 0; i < n && !j->m->failed; i++) {
        if (is_on(j, p[i].name, p[i].level)) {
            graph_build(f);
            p[i].run(f);
            graph_build(f);
            check_rules(f, p[i].name, p[i].stage);
        }
        dump_function(j, f, p[i].letter);
    }
}

static void verify_allocation(const Func *before, const Func *f)
{
    Buf why = {0};
    if (before && !f->module->failed && !verify(before, f, &why))
        ir_mistake(f->module, "the registers of %s are wrong: %.300s", f->name, buf_text(&why));
    buf_free(&why);
}

static bool compile(const Job *j, Func *f)
{
    graph_build(f);
    graph_open_loops(f);
    check_rules(f, "the front end", STAGE_GENERIC);
    dump_function(j, f, 'i');
    run_passes(j, f, selection, countof(selection));
    if (j->m->failed)
        return false;
    const Func *before = !is_listed(j->opt->off, "verify") ? verify_copy(f) : NULL;
    run_passes(j, f, union_of_values, countof(union_of_values));
    dump_live(j, f);
    share_scalar_stack(f);
    if (j->m->failed || !allocate(f, j->opt, j->d))
        return false;
    graph_build(f);
    check_rules(f, "alloc", STAGE_ALLOCATED);
    dump_function(j, f, 'r');
    verify_allocation(before, f);
    run_passes(j, f, finish, countof(finish));
    return !j->m->failed;
}

/* the assembly goes where the options say, and among the views */
static bool emit_module(const Job *j, Object *o)
{
    CcOptions opt = *j->opt;
    Buf text = {0};
    const int before = j->d->errors;
    if (j->m->failed)
        return false;
    if (is_dumped(j, NULL, 'm'))
        opt.assembly = &text;
    emit(j->m, &opt, o, j->d);
    if (opt.assembly == &text) {
        buf_put(opt.dump_to, text.data, text.len);
        if (j->opt->assembly)
            buf_put(j->opt->assembly, text.data, text.len);
    }
    buf_free(&text);
    return j->d->errors == before && !j->m->failed;
}

Object *cc_compile(Module *m, const CcOptions *opt, Diag *d)
{
    const Job j = {m, opt, d};
    const Source src = {.name = m->name, .text = ""};
    Object *o = obj_new(m->name);
    const u32 *order = call_order(m);
    bool ok = o && order;
    for (size_t i = 0; ok && i < m->nfunc; i++)
        ok = compile(&j, m->func[order[i]]);
    if (o)
        o->set = m->target->set;
    if (ok && emit_module(&j, o))
        return o;
    if (m->mistake)
        error(d, &src, NULL, "internal error, please report it: %s", m->mistake);
    else if (!o || m->failed)
        error(d, &src, NULL, "out of memory");
    obj_free(o);
    return NULL;
}
