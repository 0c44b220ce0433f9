/* kernel.c -- .kernel, and the resource records of what was assembled.
 *
 * A kernel's own code goes from its label to its .size, or to where other code starts: another
 * kernel, a function, a global label, the target of a call.  Code that is no kernel's own counts
 * for every kernel, since any of them may call it.  So a record may say more than a kernel needs,
 * never less.
 */
#include "asm/job.h"
#include "asm/lex.h"
#include "base/search.h"
#include "obj/resource.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* --- directives --------------------------------------------------------------------- */

static bool add_kernel(Asm *a, u32 symbol)
{
    if (!array_grow(a->kernels, a->nkernels, a->capkernels))
        return as_no_memory(a);
    a->kernels[a->nkernels++] =
        (Kernel){.symbol = symbol, .lds_stack = UINT64_MAX, .pds_stack = UINT64_MAX};
    sym_of(a, symbol)->is_kernel = true;
    return true;
}

bool as_dir_kernel(Asm *a, int unused)
{
    (void)unused;
    const char *name, *at = a->p = lex_space(a->p);
    size_t len;
    if (!as_name(a, &name, &len))
        return false;
    const u32 id = as_symbol(a, name, len, at);
    if (!id)
        return false;
    Sym *s = sym_of(a, id);
    if (s->is_kernel)
        return as_fail(a, at, "'%.*s' is a kernel already", (int)len, name);
    s->bind = STB_GLOBAL;
    s->type = STT_FUNC;
    return add_kernel(a, id);
}

/* .lds .private .lds_stack .private_stack bytes -- of the kernel declared last */
bool as_dir_kernel_memory(Asm *a, int field)
{
    i64 bytes;
    const char *at = a->p = lex_space(a->p);
    if (!a->nkernels)
        return as_fail(a, at, "there is no .kernel before this");
    if (!as_number(a, &bytes))
        return false;
    if (bytes < 0 || bytes > UINT32_MAX)
        return as_fail(a, at, "a size of %lld bytes", (long long)bytes);
    *(u64 *)(void *)((char *)&a->kernels[a->nkernels - 1] + field) = (u64)bytes;
    return true;
}

/* If a text without .kernel exports one place of code, that is the kernel.  Start code has no
 * kernel. */
void as_guess_kernel(Asm *a)
{
    const u32 start = as_find_symbol(a, "_start", 6);
    u32 found = 0;
    if (a->nkernels || (start && sym_of(a, start)->kind == SYM_LABEL))
        return;
    for (u32 i = 1; i < a->nsyms; i++) {
        if (sym_of(a, i)->bind == STB_LOCAL || !as_is_code_label(a, sym_of(a, i)))
            continue;
        if (found)
            return;
        found = i;
    }
    if (found)
        a->guessed_kernel = add_kernel(a, found);
}

/* --- whose code is where ---------------------------------------------------------------- */

typedef struct {
    Asm *a;
    Use common;       /* of code outside kernels */
    u32 common_flags; /* RES_* */
    bool has_common, exports_common;
} Census;

static void find_range(Asm *a, Kernel *k, const Border *borders, size_t n)
{
    const Sym *s = sym_of(a, k->symbol);
    if (!as_is_code_label(a, s))
        return;
    k->start = as_label_offset(a, s);
    k->end = as_next_border(a, borders, n, s->sect, k->start);
    const char *why;
    Value size; /* as .size says, if that is a number */
    if (s->has_size && as_eval(a, &s->size, &size, &why) && !size.plus && !size.minus &&
        size.k > 0 && (u64)size.k < k->end - k->start)
        k->end = k->start + (u64)size.k;
}

/* --- what it uses --------------------------------------------------------------------------- */

static void add_use(Use *to, const Use *u)
{
    to->x = to->x > u->x ? to->x : u->x;
    to->v = to->v > u->v ? to->v : u->v;
    to->sp = to->sp || u->sp;
    to->tp = to->tp || u->tp;
    to->indirect = to->indirect || u->indirect;
    to->unknown = to->unknown || u->unknown;
}

/* kernels by section and start, for a walk along with the fragments */
static int by_start(const void *x, const void *y, void *asm_)
{
    const Asm *a = asm_;
    const Kernel *k = x, *l = y;
    const Border p = {a->syms[k->symbol].sect, k->start}, q = {a->syms[l->symbol].sect, l->start};
    return as_by_place(&p, &q);
}

typedef struct {
    const Asm *a;
    Border at;
} KernelPlace;

SEARCH_BEFORE(starts_at_or_before, Kernel, KernelPlace,
              as_by_place(&(Border){key->a->syms[e->symbol].sect, e->start}, &key->at) <= 0)

/* The kernel whose code includes offset, of those sorted by place; NULL: none. */
static Kernel *kernel_at(const Asm *a, u32 sect, u64 offset)
{
    const KernelPlace here = {a, {sect, offset}};
    const size_t lo =
        search_count(a->kernels, a->nkernels, sizeof *a->kernels, starts_at_or_before, &here);
    Kernel *k = lo ? &a->kernels[lo - 1] : NULL;
    return k && a->syms[k->symbol].sect == sect && offset < k->end ? k : NULL;
}

static void count_frag(Census *c, u32 sect, const Frag *f)
{
    Asm *a = c->a;
    Kernel *k = kernel_at(a, sect, f->addr);
    if (!f->has_code)
        return;
    if (k)
        add_use(&k->use, &f->use);
    if (k && f->addr + f->size <= k->end && !sym_of(a, k->symbol)->is_called)
        return;
    add_use(&c->common, &f->use);
    c->has_common = true;
}

/* a jump to code of another file */
static void count_reloc(Census *c, u32 sect, const Reloc *r)
{
    Asm *a = c->a;
    const bool jumps = r->type == R_RISCV_CALL_PLT || r->type == R_RISCV_JAL ||
                       r->type == R_RISCV_BRANCH || r->type == R_RISCV_CALL;
    if (!jumps || sym_of(a, r->symbol)->kind != SYM_UNDEF)
        return;
    Kernel *k = kernel_at(a, sect, r->offset);
    if (k)
        k->flags |= RES_UNKNOWN_CALLEE;
    else
        c->common_flags |= RES_UNKNOWN_CALLEE;
}

static void count(Census *c)
{
    Asm *a = c->a;
    for (u32 i = 0; i < a->nsects; i++) {
        const Sect *s = &a->sects[i];
        if (!(s->flags & SHF_EXECINSTR))
            continue;
        for (size_t f = 0; f < s->nfrags; f++)
            count_frag(c, i, &s->frags[f]);
        for (size_t r = 0; r < s->nrelocs; r++)
            count_reloc(c, i, &s->relocs[r]);
    }
    for (u32 i = 1; i < a->nsyms; i++) {
        const Sym *s = sym_of(a, i);
        if (s->bind != STB_LOCAL && as_is_code_label(a, s) && (!s->is_kernel || s->is_called))
            c->exports_common = true;
    }
}

/* --- records ---------------------------------------------------------------------------------- */

/* bytes of a stack: as the directive says; else 0 if the pointer is not touched, or not known */
static u64 stack(u64 said, bool touched, u32 *flags)
{
    if (said == UINT64_MAX && !touched)
        return 0;
    if (said == UINT64_MAX)
        *flags |= RES_NO_STACK_PEAK;
    return said;
}

static Resource record(const Use *u, const Kernel *k)
{
    Resource r = {.form = RES_LONG,
                  .version = 3,
                  .flags = k->flags,
                  .vgpr = u->v,
                  .sgpr = u->x,
                  .lds_static = k->lds,
                  .pds_static = k->pds};
    if (u->indirect)
        r.flags |= RES_INDIRECT_CALL | RES_UNKNOWN_CALLEE;
    if (u->unknown)
        r.flags |= RES_REGISTERS_INCOMPLETE;
    r.lds_stack = stack(k->lds_stack, u->sp, &r.flags);
    r.pds_stack = stack(k->pds_stack, u->tp, &r.flags);
    return r;
}

/* A record that the text itself contains wins. */
static bool put_record(Asm *a, Object *o, const char *name, size_t len, const Resource *r)
{
    Buf section = {0}, terminated = {0};
    buf_printf(&section, ".ventus.resource.%.*s", (int)len, name);
    buf_printf(&terminated, "%.*s", (int)len, name);
    bool ok = !section.failed && !terminated.failed;
    if (ok && obj_find_section(o, buf_text(&section)) < 0)
        ok = resource_add(o, buf_text(&terminated), r);
    buf_free(&section);
    buf_free(&terminated);
    return ok || as_no_memory(a);
}

static bool put_kernel(Census *c, const Kernel *k, Object *o)
{
    Asm *a = c->a;
    const Sym *s = sym_of(a, k->symbol);
    Kernel whole = *k;
    if (s->kind == SYM_UNDEF) {
        as_error_at(a, s->place, "kernel '%.*s' is not defined: no label '%.*s:'", (int)s->len,
                    s->name, (int)s->len, s->name);
        return true;
    }
    add_use(&whole.use, &c->common);
    whole.flags |= c->common_flags;
    const Resource r = record(&whole.use, &whole);
    return put_record(a, o, s->name, s->len, &r);
}

bool as_add_resources(Asm *a, Object *o)
{
    Census c = {.a = a};
    size_t n;
    Border *borders = as_find_borders(a, &n);
    if (!borders)
        return false;
    for (size_t i = 0; i < a->nkernels; i++)
        find_range(a, &a->kernels[i], borders, n);
    as_warn_of_lost_returns(a, borders, n);
    as_warn_of_open_ends(a);
    mem_free(borders);
    if (a->nkernels)
        qsort_r(a->kernels, a->nkernels, sizeof *a->kernels, by_start, a);
    count(&c);
    bool ok = true;
    for (size_t i = 0; ok && i < a->nkernels; i++)
        ok = put_kernel(&c, &a->kernels[i], o);
    if (a->guessed_kernel) { /* it may as well be a function */
        c.has_common = c.exports_common = true;
        add_use(&c.common, &a->kernels[0].use);
        c.common_flags |= a->kernels[0].flags;
    }
    if (!ok || !c.has_common || !c.exports_common)
        return ok;
    const Kernel nobody = {
        .lds_stack = UINT64_MAX, .pds_stack = UINT64_MAX, .flags = c.common_flags};
    const Resource r = record(&c.common, &nobody);
    return put_record(a, o, "", 0, &r);
}
