/* jit.c -- the engines: which code is compiled, when, and how a warp gets in and out.
 *
 * An entry is a pc where compiled code can be entered: the start of warps, or the target of a jump
 * that the interpreter took.  It is kept for each pc, version (all lanes on or not) and machine;
 * the start also for each kernel, because the start code jumps to it.  A warp that comes back from
 * a barrier goes on in the region that it was in, which knows things about its registers.
 *
 * The rest of a launch is the interpreter's: warps with another rounding mode or vector length,
 * with something on the divergence stack, the last instructions before a limit, whatever no
 * region has.
 */
#include "jit/jit.h"
#include "base/mem.h"
#include "jit/hostlib.h"
#include "sim/handlers.h"
#include "sim/sim.h"
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    STRETCH = 64,  /* turns are so much longer than the interpreter's */
    HOT = 200000,  /* instructions of an entry that were interpreted: now compile */
    LONG = 1 << 17 /* instructions of a warp: look for an entry in its loops */
};

typedef enum { COLD, QUEUED, READY, FAILED } EntryState;

typedef struct Entry Entry;
struct Entry {
    u32 pc, callee;
    u8 lanes, vm;
    bool full;
    _Atomic int state; /* EntryState; READY and FAILED are final */
    _Atomic u64 heat;  /* instructions interpreted that began here */
    Region *region;
    const Uop **uop;           /* HostEnv.uop */
    HostCode *run;             /* from the region's start and from barriers */
    _Atomic(HostCode *) again; /* with entries at headers, made when first needed */
    void *held[2];
    Entry *next; /* of the same pc */
    Entry *queued;
};

typedef struct {
    _Atomic(Entry *) at[PAGE_UOPS];
} EntryPage;

typedef struct {
    Sim sim;    /* first */
    bool waits; /* compiles before it runs */
    const HostLib *lib;
    HostCompiler *compiler;
    bool tried;           /* to have them */
    bool scanned;         /* flags is right */
    bool flags;           /* code reads fflags */
    pid_t owner;          /* a forked child has no compiling thread, and leaves all this alone */
    pthread_mutex_t lock; /* guards making of entries, the queue, and what is above */
    pthread_mutex_t compiling; /* held while something is compiled */
    pthread_cond_t wanted;
    pthread_t thread;
    bool has_thread, is_closing;
    Entry *queue;
    _Atomic u64 insns, compiled, regions, nanoseconds;
    _Atomic(EntryPage *) page[CODE_PAGES];
} Jit;

static Jit *jit_of(const Warp *w) { return (Jit *)w->group->engine; }

/* --- entries --------------------------------------------------------------------------------- */

static Entry *look(Jit *j, u32 pc, u32 callee, bool full, const Launch *l)
{
    const u32 at = pc - CODE_LO;
    if (at >= CODE_END - CODE_LO)
        return NULL;
    EntryPage *page = atomic_load_explicit(&j->page[at >> PAGE_BITS], memory_order_acquire);
    Entry *e =
        page ? atomic_load_explicit(&page->at[at >> 2 & (PAGE_UOPS - 1)], memory_order_acquire)
             : NULL;
    while (e && (e->pc != pc || e->callee != callee || e->full != full || e->lanes != l->lanes ||
                 e->vm != (u8)l->vm))
        e = e->next;
    return e;
}

/* The entry, made if need be.  NULL: no code is there, or no memory. */
static Entry *entry_at(Jit *j, u32 pc, u32 callee, bool full, const Launch *l)
{
    Entry *e = look(j, pc, callee, full, l);
    const u32 at = pc - CODE_LO;
    if (e || at >= CODE_END - CODE_LO || pc & 3)
        return e;
    pthread_mutex_lock(&j->lock);
    _Atomic(EntryPage *) *slot = &j->page[at >> PAGE_BITS];
    EntryPage *page = atomic_load(slot);
    if (!page && (page = mem_zalloc(1, sizeof *page)))
        atomic_store_explicit(slot, page, memory_order_release);
    if (page && !(e = look(j, pc, callee, full, l)) && (e = mem_zalloc(1, sizeof *e))) {
        _Atomic(Entry *) *first = &page->at[at >> 2 & (PAGE_UOPS - 1)];
        e->pc = pc;
        e->callee = callee;
        e->full = full;
        e->lanes = (u8)l->lanes;
        e->vm = (u8)l->vm;
        e->next = atomic_load(first);
        atomic_store_explicit(first, e, memory_order_release);
    }
    pthread_mutex_unlock(&j->lock);
    return e;
}

static void entry_free(Jit *j, Entry *e)
{
    for (int i = 0; i < 2; i++)
        if (e->held[i])
            j->lib->free(j->compiler, e->held[i]);
    region_free(e->region);
    mem_free((void *)e->uop);
    mem_free(e);
}

/* Whether the region has instructions, or looked at any, in code pages first..last. */
static bool touches(const Entry *e, u32 first, u32 last)
{
    const Region *r = e->region;
#define IN(pc) (((pc)-CODE_LO) >> PAGE_BITS >= first && ((pc)-CODE_LO) >> PAGE_BITS <= last)
    for (u32 i = 0; r && i < r->nblock; i++) {
        const RegionBlock *b = &r->block[i];
        if (b->end == END_SPLIT && IN(b->meet_pc))
            return true;
        for (u32 k = 0; k < b->nuop; k++)
            if (IN(b->uop[k]->pc))
                return true;
    }
    return IN(e->pc);
#undef IN
}

/* Forgets the entries that touch the pages.  Nobody runs or compiles. */
static void forget(Jit *j, u32 first, u32 last)
{
    j->queue = NULL;
    for (u32 p = 0; p < CODE_PAGES; p++) {
        EntryPage *page = atomic_load(&j->page[p]);
        for (u32 i = 0; page && i < PAGE_UOPS; i++) {
            Entry *kept = NULL;
            for (Entry *e = atomic_load(&page->at[i]), *next; e; e = next) {
                next = e->next;
                if (touches(e, first, last)) {
                    entry_free(j, e);
                    continue;
                }
                if (atomic_load(&e->state) == QUEUED)
                    atomic_store(&e->state, COLD);
                e->next = kept;
                kept = e;
            }
            atomic_store(&page->at[i], kept);
        }
    }
}

/* --- compilation
 * ---------------------------------------------------------------------------------- */

/* Whether something in the code window may look at the flags of floats.  Data that looks so does no
 * harm: code runs slower then. */
static bool reads_flags(const Memory *m)
{
    for (u64 p = CODE_LO >> PAGE_BITS; p < CODE_END >> PAGE_BITS; p++) {
        const u8 *bytes = m->base + (p << PAGE_BITS);
        for (u32 i = 0; m->page[p] & MEM_X && i < PAGE_SIZE; i += 4) {
            u32 word;
            memcpy(&word, bytes + i, 4);
            const u32 csr = word >> 20;
            if ((word & 0x7f) == 0x73 && word & 0x3000 && (csr == 0x001 || csr == 0x003))
                return true;
        }
    }
    return false;
}

/* Has the library and looks through the code, once.  The caller has the lock. */
static void prepare(Jit *j)
{
    const char *why;
    char *reason = NULL;
    if (!j->tried) {
        j->tried = true;
        j->lib = hostlib_load(&why);
        j->compiler = j->lib ? j->lib->open(j->sim.code->level->name, &reason) : NULL;
        mem_free(reason);
    }
    if (j->scanned)
        return;
    const bool flags = reads_flags(j->sim.memory);
    if (flags != j->flags)
        forget(j, 0, CODE_PAGES);
    j->flags = flags;
    j->scanned = true;
}

static u64 now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

static const Uop **flatten(const Region *r)
{
    size_t n = 0;
    for (u32 i = 0; i < r->nblock; i++)
        n += r->block[i].nuop;
    const Uop **all = mem_zalloc(n ? n : 1, sizeof *all);
    for (u32 i = 0, k = 0; all && i < r->nblock; k += r->block[i++].nuop)
        memcpy((void *)&all[k], (const void *)r->block[i].uop, r->block[i].nuop * sizeof *all);
    return all;
}

/* Makes the code of an entry; `compiling` is held. */
static void compile(Jit *j, Entry *e)
{
    const u64 start = now();
    Region *r =
        region_new(j->sim.code, e->pc, e->full, e->callee, e->lanes, (VmRule)e->vm, j->flags);
    e->region = r;
    /* what only leaves again is no gain */
    const bool idle = r && r->block[0].end == END_LEAVE && r->block[0].nuop == 1;
    e->uop = r && !idle ? flatten(r) : NULL;
    e->run = e->uop ? j->lib->compile(j->compiler, r, false, &e->held[0]) : NULL;
    atomic_fetch_add(&j->regions, e->run != NULL);
    atomic_fetch_add(&j->nanoseconds, now() - start);
    atomic_store_explicit(&e->state, e->run ? READY : FAILED, memory_order_release);
}

static void *compile_thread(void *self)
{
    Jit *j = self;
    pthread_mutex_lock(&j->lock);
    while (!j->is_closing) {
        Entry *e = j->queue;
        if (!e) {
            pthread_cond_wait(&j->wanted, &j->lock);
            continue;
        }
        pthread_mutex_unlock(&j->lock);
        pthread_mutex_lock(&j->compiling);
        pthread_mutex_lock(&j->lock);
        e = j->queue; /* code may have changed */
        j->queue = e ? e->queued : NULL;
        pthread_mutex_unlock(&j->lock);
        if (e)
            compile(j, e);
        pthread_mutex_unlock(&j->compiling);
        pthread_mutex_lock(&j->lock);
    }
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

/* Asks for the code of a cold entry; with `waits` it is there afterwards. */
static void request(Jit *j, Entry *e)
{
    if (j->waits) {
        pthread_mutex_lock(&j->compiling);
        if (atomic_load(&e->state) == COLD)
            compile(j, e);
        pthread_mutex_unlock(&j->compiling);
        return;
    }
    pthread_mutex_lock(&j->lock);
    if (!j->has_thread)
        j->has_thread = !pthread_create(&j->thread, NULL, compile_thread, j);
    if (j->has_thread && atomic_load(&e->state) == COLD) {
        atomic_store(&e->state, QUEUED);
        Entry **last = &j->queue;
        while (*last)
            last = &(*last)->queued;
        e->queued = NULL;
        *last = e;
        pthread_cond_signal(&j->wanted);
    }
    pthread_mutex_unlock(&j->lock);
}

/* The code with entries at headers; NULL: there is none. */
static HostCode *code_for_headers(Jit *j, Entry *e)
{
    HostCode *code = atomic_load_explicit(&e->again, memory_order_acquire);
    if (code)
        return code;
    pthread_mutex_lock(&j->compiling);
    code = atomic_load(&e->again);
    if (!code && !e->held[1]) {
        const u64 start = now();
        code = j->lib->compile(j->compiler, e->region, true, &e->held[1]);
        atomic_fetch_add(&j->nanoseconds, now() - start);
        atomic_store_explicit(&e->again, code, memory_order_release);
    }
    pthread_mutex_unlock(&j->compiling);
    return code;
}

/* --- what compiled code calls -------------------------------------------------------------------
 */

static void set_lanes(Warp *w, u32 mask)
{
    w->mask = mask;
    if (w->exec != mask)
        warp_set_exec(w);
}

static bool run_one(Warp *w, const Uop *u, u32 mask)
{
    set_lanes(w, mask);
    w->handled += uop_insns(u);
    return u->run(w, u) != NULL;
}

static u32 extend(Op op, u32 v)
{
    return op == OP_b ? (u32)(i32)(i8)v : op == OP_h ? (u32)(i32)(i16)v : v;
}

static u32 width_of(Op op)
{
    return op == OP_b || op == OP_bu ? 1 : op == OP_h || op == OP_hu ? 2 : 4;
}

static u64 run_scalar(Warp *w, const Uop *u, u32 mask, u32 addr, u32 value)
{
    const Op op = (Op)isa_insn[u->id].op;
    set_lanes(w, mask);
    if (isa_insn[u->id].effect == E_STORE)
        return (u64)access_store(w, u, addr, width_of(op), -1, value) << 32;
    if (!access_load(w, u, addr, width_of(op), -1, &value))
        return 0;
    return (u64)1 << 32 | extend(op, value);
}

static u64 run_vector(Warp *w, const Uop *u, u32 mask, u32 none, u32 none2)
{
    const Effect effect = (Effect)isa_insn[u->id].effect;
    const bool indexed = effect == E_VLOAD_INDEX || effect == E_VSTORE_INDEX;
    const Op op = indexed ? OP_w : (Op)isa_insn[u->id].op;
    const u32 width = width_of(op);
    (void)none, (void)none2;
    set_lanes(w, mask);
    for (u32 left = mask; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        u32 value;
        if (effect >= E_VSTORE_UNIT && effect <= E_VSTORE_12D) {
            if (!access_store(w, u, w->addr[i], width, i, w->v[u->rb][i]))
                return 0;
        } else {
            if (!access_load(w, u, w->addr[i], width, i, &value))
                return 0;
            w->v[u->rd][i] = extend(op, value);
        }
    }
    return (u64)1 << 32;
}

static bool deepen(Warp *w)
{
    size_t cap = w->capsimt;
    if (w->nsimt + 2 > w->group->launch->simt_depth || !array_grow(w->simt, w->nsimt + 1, cap))
        return false;
    w->capsimt = (u32)cap;
    return true;
}

/* --- a warp
 * ------------------------------------------------------------------------------------------ */

static bool can_compile(const Jit *j, const Launch *l)
{
    return HOST_FLOATS && j->compiler && !l->watched && !(l->set & V2025) && !l->mmu &&
           !l->strict && !l->check_copies;
}

/* Where compiled code may be entered at its start. */
static bool can_enter(const Warp *w)
{
    return !w->nsimt && w->frm == FP_RNE && w->vl == w->group->launch->lanes;
}

/* The kernel that the start code will call, as far as it can be seen. */
static u32 callee_of(const Warp *w)
{
    const Launch *l = w->group->launch;
    u32 entry;
    if (w->pc != l->pc || !memory_has(l->memory, l->knl, 4, MEM_R))
        return 0;
    memcpy(&entry, l->memory->base + l->knl, 4);
    return entry - CODE_LO < CODE_END - CODE_LO && !(entry & 3) ? entry : 0;
}

/* Interprets at least one Uop, then until a jump of a warp that may enter compiled code (`jumps`),
 * or for *slice Uops.  False: the warp stopped. */
static bool interpret(Warp *w, u64 *slice, bool jumps)
{
    const Uop *u = go(w, w->pc);
    bool found = false;
    while (u && *slice && !found) {
        const Uop *at = u;
        w->ninsns += uop_insns(u);
        u = u->run(w, u);
        --*slice;
        found = jumps && u && u != at + at->step && can_enter(w);
    }
    if (u)
        w->pc = u->pc;
    return u;
}

/* Runs compiled code from that entry of the region.  False: the warp stopped, or its turn is over.
 */
static bool run_code(Jit *j, Warp *w, Entry *e, u32 entry, HostCode *code, u64 limit)
{
    Group *g = w->group;
    const Launch *l = g->launch;
    const HostEnv env = {.base = l->memory->base,
                         .page = l->memory->page,
                         .lds_base = g->lds.base,
                         .lds_page = g->lds.page,
                         .depth = l->simt_depth,
                         .uop = e->uop,
                         .one = run_one,
                         .scalar = run_scalar,
                         .vector = run_vector,
                         .deepen = deepen};
    const u64 before = w->ninsns;
    w->handled = 0;
    const u32 back = code(w, &env, limit, entry);
    atomic_fetch_add_explicit(&j->compiled, w->ninsns - before - w->handled, memory_order_relaxed);
    if (w->exec != w->mask)
        warp_set_exec(w);
    w->host = e;
    w->reentry = 0;
    if (back == (u32)HOST_ANYWHERE)
        return true;
    if (back == (u32)HOST_STOPPED && w->state == WARP_READY && !g->faulted)
        warp_fault(w, FAULT_UNSUPPORTED, w->pc, -1); /* our mistake: the code lost its way */
    if (back == (u32)HOST_STOPPED && w->state != WARP_WAITING)
        return false;
    const int block =
        back == (u32)HOST_STOPPED ? region_find(e->region, w->pc, w->exec == w->full) : (int)back;
    w->reentry = (u32)(1 + block);
    return false;
}

/* The code that the warp may enter now, and where; NULL: none. */
static HostCode *find_code(Jit *j, Warp *w, Entry **e, u32 *entry)
{
    if (w->reentry) {
        *e = w->host;
        *entry = w->reentry;
        const RegionBlock *b = &(*e)->region->block[w->reentry - 1];
        return b->is_reentry ? (*e)->run : code_for_headers(j, *e);
    }
    *entry = 0;
    if (w->ninsns && w->ninsns <= LONG && !j->waits) {
        *e = w->host; /* what it interprets is the heat of where it began */
        return NULL;
    }
    if (!can_enter(w) || !(*e = entry_at(j, w->pc, callee_of(w), w->dense, w->group->launch)))
        return NULL;
    w->host = *e;
    int state = atomic_load_explicit(&(*e)->state, memory_order_acquire);
    if (state == COLD &&
        (j->waits || atomic_load_explicit(&(*e)->heat, memory_order_relaxed) > HOT)) {
        request(j, *e);
        state = atomic_load_explicit(&(*e)->state, memory_order_acquire);
    }
    return state == READY ? (*e)->run : NULL;
}

static void run_turn(Jit *j, Warp *w, u64 slice)
{
    const u64 most = w->group->launch->max_insns;
    const u64 limit = w->ninsns + slice * STRETCH;
    for (;;) {
        Entry *e = NULL;
        u32 entry;
        HostCode *code = find_code(j, w, &e, &entry);
        /* near the limit of instructions the interpreter counts exactly */
        const bool near = code && most && w->ninsns + e->region->insns >= most;
        if (code && !near) {
            const u64 end =
                most && most - e->region->insns < limit ? most - e->region->insns : limit;
            if (!run_code(j, w, e, entry, code, end))
                return;
            if (w->ninsns >= limit)
                return;
        }
        w->reentry = 0; /* the interpreter goes on from the pc */
        const u64 before = w->ninsns;
        const bool goes_on = interpret(w, &slice, !near && (j->waits || w->ninsns > LONG));
        if (e && !entry)
            atomic_fetch_add_explicit(&e->heat, w->ninsns - before, memory_order_relaxed);
        if (!goes_on || !slice)
            return;
    }
}

static void run_warp(Warp *w, u64 slice)
{
    Jit *j = jit_of(w);
    if (!can_compile(j, w->group->launch)) {
        sim_run_warp(w, slice);
        return;
    }
    const u64 before = w->ninsns;
    run_turn(j, w, slice);
    atomic_fetch_add_explicit(&j->insns, w->ninsns - before, memory_order_relaxed);
    /* where nobody reads flags, those that the host has left are nobody's */
    if (j->flags)
        take_host_flags(w);
}

/* --- life
 * --------------------------------------------------------------------------------------------- */

static void close_engine(Engine *engine)
{
    Jit *j = (Jit *)engine;
    if (!j)
        return;
    if (j->has_thread && j->owner == getpid()) {
        pthread_mutex_lock(&j->lock);
        j->is_closing = true;
        pthread_cond_signal(&j->wanted);
        pthread_mutex_unlock(&j->lock);
        pthread_join(j->thread, NULL);
    }
    forget(j, 0, CODE_PAGES);
    for (u32 p = 0; p < CODE_PAGES; p++)
        mem_free(atomic_load(&j->page[p]));
    if (j->compiler)
        j->lib->close(j->compiler);
    pthread_mutex_destroy(&j->lock);
    pthread_mutex_destroy(&j->compiling);
    pthread_cond_destroy(&j->wanted);
    sim_exit(&j->sim);
    mem_free(j);
}

static Engine *open_engine(const EngineKind *kind, bool waits, Memory *memory, IsaSet set)
{
    Jit *j = mem_zalloc(1, sizeof *j);
    if (!j)
        return NULL;
    j->waits = waits;
    j->owner = getpid();
    pthread_mutex_init(&j->lock, NULL);
    pthread_mutex_init(&j->compiling, NULL);
    pthread_cond_init(&j->wanted, NULL);
    if (sim_init(&j->sim, kind, run_warp, memory, set))
        return &j->sim.engine;
    close_engine(&j->sim.engine);
    return NULL;
}

static Engine *open_jit(Memory *memory, IsaSet set)
{
    return open_engine(&jit_kind, true, memory, set);
}
static Engine *open_auto(Memory *memory, IsaSet set)
{
    return open_engine(&auto_kind, false, memory, set);
}

static void code_changed(Engine *engine, IsaSet set, u64 addr, u64 size)
{
    Jit *j = (Jit *)engine;
    const u64 lo = addr > CODE_LO ? addr : CODE_LO,
              end = addr + size < CODE_END ? addr + size : CODE_END;
    const bool all = set != j->sim.code->set;
    pthread_mutex_lock(&j->compiling);
    if (all || end > lo) {
        const u32 first = (u32)((lo - CODE_LO) >> PAGE_BITS),
                  last = (u32)((end - 1 - CODE_LO) >> PAGE_BITS);
        pthread_mutex_lock(&j->lock);
        /* an instruction may lie in a page and its prefix in the one before */
        forget(j, all || !first ? 0 : first - 1, all ? CODE_PAGES : last);
        j->scanned = false;
        pthread_mutex_unlock(&j->lock);
    }
    sim_code_changed(engine, set, addr, size);
    pthread_mutex_unlock(&j->compiling);
}

static bool launch(Engine *engine, const Launch *l, const LaunchOptions *opt, LaunchResult *result)
{
    Jit *j = (Jit *)engine;
    pthread_mutex_lock(&j->compiling);
    pthread_mutex_lock(&j->lock);
    prepare(j);
    pthread_mutex_unlock(&j->lock);
    pthread_mutex_unlock(&j->compiling);
    Launch own = *l; /* observers see and change what compiled code keeps to itself */
    own.watched = opt->nobservers > 0;
    return sim_launch(engine, &own, opt, result);
}

bool jit_available(const char **why) { return hostlib_load(why) != NULL; }

bool jit_stats(const Engine *engine, JitStats *s)
{
    const Jit *j = (const Jit *)engine;
    if (engine->kind != &jit_kind && engine->kind != &auto_kind)
        return false;
    *s = (JitStats){.insns = j->insns,
                    .compiled = j->compiled,
                    .regions = j->regions,
                    .nanoseconds = j->nanoseconds};
    return true;
}

const EngineKind jit_kind = {
    .name = "jit",
    .what = "compiles everything to host code before it runs",
    .available = jit_available,
    .open = open_jit,
    .close = close_engine,
    .code_changed = code_changed,
    .launch = launch,
    .step = sim_step,
    .interrupt = sim_interrupt,
};

const EngineKind auto_kind = {
    .name = "auto",
    .what = "interprets, and compiles what is hot",
    .available = jit_available,
    .open = open_auto,
    .close = close_engine,
    .code_changed = code_changed,
    .launch = launch,
    .step = sim_step,
    .interrupt = sim_interrupt,
};
