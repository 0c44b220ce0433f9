/* control.c -- the handlers that steer warps: divergence, barriers, ends, faults, masks. */
#include "sim/handlers.h"
#include "base/mem.h"
#include <fenv.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__x86_64__)
enum { MXCSR_DEFAULT = 0x1f80, MXCSR_RAISED = 0x3f };

static int take_raised(void)
{
    const u32 csr = _mm_getcsr(), raised = csr & MXCSR_RAISED;
    if (raised)
        _mm_setcsr(csr & ~(u32)MXCSR_RAISED);
    return (int)raised; /* FE_* are its bits */
}

HostFloats enter_guest_floats(void)
{
    const u32 host = _mm_getcsr();
    _mm_setcsr(MXCSR_DEFAULT);
    return host;
}

void leave_guest_floats(const HostFloats *host) { _mm_setcsr(*host); }
#else
static int take_raised(void)
{
#if defined(__aarch64__)
    const u64 raised = raised_before() & FE_ALL_EXCEPT; /* its bits */
    if (raised)
        raise_again(raised_before() & ~raised);
    return (int)raised;
#else
    return 0;
#endif
}

HostFloats enter_guest_floats(void)
{
    fenv_t host;
    fegetenv(&host);
    fesetenv(FE_DFL_ENV);
    return host;
}

void leave_guest_floats(const HostFloats *host) { fesetenv(host); }
#endif

void take_host_flags(Warp *w)
{
    const int raised = take_raised();
    w->fflags |= (u8)((raised & FE_INVALID ? FP_NV : 0) | (raised & FE_DIVBYZERO ? FP_DZ : 0) |
                      (raised & FE_OVERFLOW ? FP_OF : 0) | (raised & FE_UNDERFLOW ? FP_UF : 0) |
                      (raised & FE_INEXACT ? FP_NX : 0));
}

const Uop *fail(Warp *w, const Uop *u, FaultKind kind, int lane)
{
    Fault *f = &w->group->fault;
    if (w->group->faulted)
        return NULL;
    warp_fault(w, kind, insn_pc(u), lane);
    f->word = u->word;
    f->has_word = true;
    return NULL;
}

const Uop *fail_at(Warp *w, const Uop *u, FaultKind kind, int lane, u64 addr, u32 width)
{
    Fault *f = &w->group->fault;
    if (w->group->faulted)
        return NULL;
    fail(w, u, kind, lane);
    f->has_addr = true;
    f->addr = addr;
    f->width = width;
    return NULL;
}

/* A word that is an instruction of another profile or overlay gets a fault of its own. */
HANDLER(w_illegal)
{
    const IsaSet others[] = {V202 | TIDX | AI, V2025 | TIDX};
    IsaDecoder *d = mem_alloc(sizeof *d);
    FaultKind kind = FAULT_ILLEGAL;
    Insn in;
    for (size_t i = 0; d && i < countof(others); i++) {
        isa_decoder_init(d, others[i]);
        if (isa_decode(d, u->len == 8 ? uop_word(u) : u->word, &in))
            kind = FAULT_PROFILE;
    }
    mem_free(d);
    return fail(w, u, kind, -1);
}

HANDLER(w_trap) { return fail(w, u, FAULT_ILLEGAL, -1); }
HANDLER(w_unsupported) { return fail(w, u, FAULT_UNSUPPORTED, -1); }
HANDLER(w_register) { return fail_at(w, u, FAULT_REGISTER, -1, (u64)u->imm, 0); }

/* the words after a page: go on in the next one */
HANDLER(w_page_end) { return go(w, u->pc); }

/* a prefix whose instruction could not be joined to it; it has no effect */
HANDLER(w_lone_prefix)
{
    (void)w;
    return next(u);
}

HANDLER(w_join) { return go(w, simt_join(w, insn_pc(u))); }

HANDLER(w_setrpc)
{
    w->rpc = w->x[u->ra] + (u32)u->imm;
    w->x[u->rd] = w->rpc;
    w->x[0] = 0;
    return next(u);
}

HANDLER(w_exit)
{
    if (w->mask != w->initial)
        return fail(w, u, FAULT_EXIT_DIVERGED, -1);
    w->state = WARP_DONE;
    w->pc = next_pc(u);
    return NULL;
}

HANDLER(w_barrier)
{
    if (w->mask != w->initial && !w->group->launch->any_barrier)
        return fail(w, u, FAULT_BARRIER_DIVERGED, -1);
    w->state = WARP_WAITING;
    w->pc = next_pc(u);
    return NULL;
}

void lanes_under_v0(const Warp *w, u32 chosen[MAX_LANES])
{
    const u32 *v0 = w->v[0];
    for (int i = 0; i < MAX_LANES; i++)
        switch (w->group->launch->vm) {
        case VM_OWN: chosen[i] = v0[i] & 1; break;
        case VM_SPIKE: chosen[i] = v0[0] >> i & 1; break; /* bit i of the packed register */
        case VM_RTL: chosen[i] = v0[0] >> i & 1; break;   /* bit i of lane 0's element */
        case VM_IGNORE: chosen[i] = 1; break;
        }
}

/* vm = 0: the instruction runs with the lanes that v0 leaves on */
HANDLER(w_masked)
{
    const u32 exec = w->exec;
    u32 chosen[MAX_LANES], under = 0;
    lanes_under_v0(w, chosen);
    for (int i = 0; i < MAX_LANES; i++)
        under |= chosen[i] << i;
    const u32 mask = w->mask, vl = w->vl;
    w->mask = exec & under;
    w->vl = MAX_LANES;
    warp_set_exec(w);
    const Uop *after = handler_of(warp_code(w), u)(w, u);
    w->mask = mask;
    w->vl = vl;
    warp_set_exec(w);
    return after;
}
