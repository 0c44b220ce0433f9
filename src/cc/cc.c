/* cc.c -- runs the passes and views of passes.def.
 *
 * A function goes through all passes before the next one begins, callees first; encode.c then takes
 * the whole module.  Passes can be turned off (CcOptions.off) and looked at (CcOptions.dump); a
 * debug build checks the rules of the stage after each.
 */
#include "cc/cc.h"
#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    Module *m;
    const CcOptions *opt;
    Diag *d;
} Job;

/* --- the list --------------------------------------------------------------------------------- */

typedef enum { IR, LIVENESS, ASSEMBLY } Shows;
enum { ALWAYS = -1 };

/* A pass, or a view: run is NULL. */
typedef struct {
    CcPass pass;
    void (*run)(Func *f);
    Stage stage;
    int when;
    CcView view;
    Shows shows;
} Step;

static const Step steps[] = {
#define PASS(name, function, stage, when, what)                                                    \
    {{#name, what}, function, STAGE_##stage, when, {0}, IR},
#define VIEW(letter, shows, what) {{0}, NULL, STAGE_GENERIC, 0, {letter, what}, shows},
#include "cc/passes.def"
};

/* step i is the first of the passes of its name that can be turned off */
static bool is_first(size_t i)
{
    if (!steps[i].run || steps[i].when == ALWAYS)
        return false;
    for (size_t k = 0; k < i; k++)
        if (steps[k].run && !strcmp(steps[k].pass.name, steps[i].pass.name))
            return false;
    return true;
}

const CcPass *cc_optional(size_t i)
{
    for (size_t k = 0; k < countof(steps); k++)
        if (is_first(k) && !i--)
            return &steps[k].pass;
    return NULL;
}

bool cc_is_optional(const char *name)
{
    const CcPass *p;
    for (size_t i = 0; (p = cc_optional(i)); i++)
        if (!strcmp(p->name, name))
            return true;
    return false;
}

const CcView *cc_view(size_t i)
{
    for (size_t k = 0; k < countof(steps); k++)
        if (!steps[k].run && !i--)
            return &steps[k].view;
    return NULL;
}

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

static bool is_on(const Job *j, const Step *s)
{
    return s->when == ALWAYS || (j->opt->level >= s->when && !is_listed(j->opt->off, s->pass.name));
}

static bool is_dumped(const Job *j, const char *function, char letter)
{
    const char *letters = j->opt->dump, *colon = letters ? strchr(letters, ':') : NULL;
    if (!letters || !j->opt->dump_to)
        return false;
    const size_t n = colon ? (size_t)(colon - letters) : strlen(letters);
    return memchr(letters, letter, n) && (!colon || !function || !strcmp(colon + 1, function));
}

/* --- views -------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    const u32 x = ((const LiveWord *)a)->word, y = ((const LiveWord *)b)->word;
    return (x > y) - (x < y);
}

static void dump_set(Buf *b, const Live *l, const LiveSet *s, const Func *f)
{
    qsort(l->pool + s->first, s->n, sizeof *l->pool, ascending);
    for (const LiveWord *w = l->pool + s->first, *end = w + s->n; w < end; w++)
        for (u64 bits = w->bits; bits; bits &= bits - 1) {
            const u32 v = w->word * 64 + (u32)__builtin_ctzll(bits);
            buf_printf(b, " %c%u", f->value[v].bank == BANK_V ? 'v' : 'x', v);
        }
    buf_str(b, "\n");
}

static void dump_live(Buf *b, const Func *f)
{
    Live l;
    if (!live(f, &l))
        return;
    for (size_t i = 0; i < f->nrpo; i++) {
        buf_printf(b, "b%u in: ", f->rpo[i]);
        dump_set(b, &l, &l.in[f->rpo[i]], f);
        buf_printf(b, "b%u out:", f->rpo[i]);
        dump_set(b, &l, &l.out[f->rpo[i]], f);
    }
    live_free(&l);
}

static void show(const Job *j, const Func *f, const Step *s)
{
    Buf *b = j->opt->dump_to;
    if (s->shows == ASSEMBLY || !is_dumped(j, f->name, s->view.letter))
        return;
    buf_printf(b, "# %s: %s\n", f->name, s->view.what);
    if (s->shows == LIVENESS)
        dump_live(b, f);
    else
        ir_print(b, f);
}

/* --- passes -------------------------------------------------------------------------------- */

static void check_rules(const Func *f, const char *pass, Stage stage)
{
#ifdef DEBUG
    Buf why = {0};
    if (!f->module->failed && !ir_check(f, stage, &why) && !f->module->failed)
        ir_mistake(f->module, "%s, after %s:\n%s", f->name, pass, buf_text(&why));
    buf_free(&why);
#else
    (void)f, (void)pass, (void)stage;
#endif
}

static bool compile(const Job *j, Func *f)
{
    graph_build(f);
    check_rules(f, "the front end", STAGE_GENERIC);
    if (!j->m->failed)
        share_scalar_stack(f);
    for (const Step *s = steps; s < steps + countof(steps) && !j->m->failed; s++) {
        if (!s->run)
            show(j, f, s);
        if (!s->run || !is_on(j, s))
            continue;
        graph_build(f);
        if (j->m->failed)
            break;
        s->run(f);
        graph_build(f);
        check_rules(f, s->pass.name, s->stage);
    }
    return !j->m->failed;
}

static bool shows_assembly(const Job *j)
{
    for (size_t i = 0; i < countof(steps); i++)
        if (!steps[i].run && steps[i].shows == ASSEMBLY && is_dumped(j, NULL, steps[i].view.letter))
            return true;
    return false;
}

/* the assembly goes where the options say, and among the views */
static bool emit_module(const Job *j, Object *o)
{
    CcOptions opt = *j->opt;
    Buf text = {0};
    const int before = j->d->errors;
    if (j->m->failed)
        return false;
    if (shows_assembly(j))
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

/* Warns of a dump of a function that is not there: inlined, perhaps, or mistyped. */
static void check_dumped_function(const Module *m, const char *name, Diag *d)
{
    Buf all = {0};
    bool found = false;
    for (size_t i = 0; i < m->nfunc; i++) {
        found |= !strcmp(m->func[i]->name, name);
        buf_printf(&all, "%s%s", i ? ", " : "", m->func[i]->name);
    }
    if (!found)
        warning(d, NULL, NULL, "there is no function '%s' to show; there are: %.400s", name,
                m->nfunc ? buf_text(&all) : "none");
    buf_free(&all);
}

/* false: a letter of the dump names no view */
static bool check_views(const Module *m, const CcOptions *opt, Diag *d)
{
    Buf known = {0};
    const CcView *v;
    for (size_t i = 0; (v = cc_view(i)); i++)
        buf_printf(&known, "%c", v->letter);
    const char *dump = opt->dump ? opt->dump : "";
    const size_t good = strspn(dump, buf_text(&known)), end = strcspn(dump, ":");
    if (good < end && !known.failed)
        error(d, NULL, NULL,
              "'%c' in '%s' (-d, VENTUS_DUMP) names no view of the compiler; the letters are %s",
              dump[good], dump, buf_text(&known));
    else if (dump[end])
        check_dumped_function(m, dump + end + 1, d);
    buf_free(&known);
    return good >= end;
}

Object *cc_compile(Module *m, const CcOptions *opt, Diag *d)
{
    const Job j = {m, opt, d};
    const Source src = {.name = m->name, .text = ""};
    if (!check_views(m, opt, d))
        return NULL;
    Object *o = obj_new(m->name);
    const u32 *order = call_order(m);
    m->opt = opt;
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
