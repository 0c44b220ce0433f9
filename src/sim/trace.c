/* trace.c -- lines in Spike's format, put into Spike's order.
 *
 * Lines are queued by warp and taken from the queues as Spike's scheduler would:
 * next_turns() goes round the warps and stops where the next one's line is not known
 * yet.
 *
 * Spike prints the registers that an instruction wrote in the order of its hash table,
 * std::unordered_map of libstdc++ with 29 buckets; Writes does the same.
 */
#include "sim/trace.h"
#include "base/mem.h"
#include "isa/isa.h"
#include "sim/uop.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 29, MAX_WRITES = 8 };
/* what a key is, in its low four bits */
enum { KEY_X, KEY_F, KEY_V, KEY_VECTOR, KEY_CSR };
enum {
    CSR_FFLAGS = 0x001,
    CSR_VSTART = 0x008,
    CSR_MSTATUS = 0x300,
    CSR_MTVEC = 0x305,
    CSR_RPC = 0x80c,
    CSR_VL = 0xc20,
    CSR_VTYPE = 0xc21
};
enum { VS_DIRTY = 0x600, FS_DIRTY = 0x6000, FS_ON = 0x2000, STATUS_DIRTY = INT32_MIN };

typedef struct {
    int n;
    struct {
        u32 key, value;
    } a[MAX_WRITES];
} Writes;

/* One warp: its lines that were not printed yet. */
typedef struct {
    Buf lines;
    size_t at;      /* where the next line to print starts */
    size_t npc;     /* where the last line lacks the next pc; 0: it does not */
    size_t ready;   /* lines up to here are whole */
    u32 branch_npc; /* what Spike shows as "current npc" */
    u32 status;     /* mstatus as Spike would have it, FS and VS only */
    u32 vtype;
    bool ended, arrived;
} WarpLog;

struct Trace {
    FILE *file;
    bool failed;
    WarpLog warp[MAX_WARPS];
    u32 nwarps, turn, passed;
    /* of the instruction that runs */
    u32 scalar_addr, source, fflags, nsimt;
};

/* --- registers written ------------------------------------------------------------------ */

/* new keys go to the front of their bucket, a new bucket to the front of all */
static void put(Writes *w, u32 key, u32 value)
{
    int at = -1;
    for (int i = 0; i < w->n; i++) {
        if (w->a[i].key == key) {
            w->a[i].value = value;
            return;
        }
        if (at < 0 && w->a[i].key % BUCKETS == key % BUCKETS)
            at = i;
    }
    if (w->n == MAX_WRITES)
        return;
    at = at < 0 ? 0 : at;
    memmove(&w->a[at + 1], &w->a[at], (size_t)(w->n - at) * sizeof *w->a);
    w->a[at].key = key;
    w->a[at].value = value;
    w->n++;
}

static void put_csr(Writes *w, u32 csr, u32 value) { put(w, csr << 4 | KEY_CSR, value); }

static void dirty(WarpLog *log, Writes *w, u32 bits)
{
    if ((log->status & bits) == bits || !(log->status & bits))
        return;
    log->status |= bits;
    put_csr(w, CSR_MSTATUS, log->status | (u32)STATUS_DIRTY);
}

static void put_x(WarpLog *log, Writes *w, u32 rd, u32 value)
{
    put(w, rd << 4 | KEY_X, value);
    dirty(log, w, FS_DIRTY); /* every write of x is one of f */
}

/* --- what an instruction writes ----------------------------------------------------------- */

/* whether the destination is a float register to Spike */
static bool writes_float(const char *name)
{
    static const char *const others[] = {"feq", "flt", "fle", "fclass", "fcvt.w", "fmv.x", "fence"};
    if (!strncmp(name, "vfmv.f", 6))
        return true;
    for (size_t i = 0; i < countof(others); i++)
        if (!strncmp(name, others[i], strlen(others[i])))
            return false;
    return *name == 'f';
}

/* kind of the destination: K_XREG, K_VREG or -1 */
static int destination(const Uop *u)
{
    const FormatInfo *f = isa_format_of((InsnId)u->id);
    for (int i = 0; i < f->nopd; i++) {
        const OperandInfo *o = &isa_operand[f->opd[i]];
        if (o->use & USE_W && (o->kind == K_XREG || o->kind == K_VREG))
            return o->kind;
    }
    return -1;
}

static bool is_vector(const Uop *u)
{
    const FormatInfo *f = isa_format_of((InsnId)u->id);
    for (int i = 0; i < f->nopd; i++)
        if (isa_operand[f->opd[i]].kind == K_VREG)
            return true;
    return false;
}

static void put_flags(Trace *t, const Warp *w, const Uop *u, Writes *out)
{
    const u32 raised = w->fflags & ~t->fflags;
    const u8 unit = isa_insn[u->id].unit;
    if (raised && (unit == U_FPU || unit == U_SFU))
        put_csr(out, CSR_FFLAGS, t->fflags | raised);
}

static void put_vector(Trace *t, WarpLog *log, const Warp *w, const Uop *u, u32 exec, Writes *out)
{
    const int kind = destination(u);
    const bool load = isa_insn[u->id].unit == U_LSU;
    if (isa_insn[u->id].effect != E_VSTORE_PRIV11) {
        put(out, KEY_VECTOR, 0);
        dirty(log, out, VS_DIRTY);
    }
    if (load && exec)
        put_csr(out, CSR_VSTART, 0);
    if (kind == K_VREG && exec)
        put(out, (u32)u->rd << 4 | KEY_V, 0);
    else if (kind == K_XREG && writes_float(isa_insn[u->id].text))
        put(out, (u32)u->rd << 4 | KEY_F, w->x[u->rd]);
    else if (kind == K_XREG && exec)
        put_x(log, out, u->rd, w->x[u->rd]);
    put_flags(t, w, u, out);
    put_csr(out, CSR_VSTART, 0);
}

static void put_vset(WarpLog *log, const Warp *w, const Uop *u, Writes *out)
{
    dirty(log, out, VS_DIRTY);
    if (w->vtype != log->vtype)
        put_csr(out, CSR_VTYPE, w->vtype);
    log->vtype = w->vtype;
    put_csr(out, CSR_VL, w->vl);
    put_csr(out, CSR_VSTART, 0);
    put_x(log, out, u->rd, w->x[u->rd]);
}

/* whether a CSR instruction writes: csrrs and csrrc do not with x0 or 0 */
static bool writes_csr(const Uop *u) { return isa_insn[u->id].op == OP_copy || u->ra != 0; }

static void put_status(WarpLog *log, const Trace *t, const Uop *u, Writes *out)
{
    switch (isa_insn[u->id].op) {
    case OP_or: log->status |= t->source; break;
    case OP_andn: log->status &= ~t->source; break;
    default: log->status = t->source; break;
    }
    log->status &= VS_DIRTY | FS_DIRTY;
    put_csr(out, CSR_MSTATUS, log->status);
}

static void put_csr_insn(WarpLog *log, const Trace *t, const Warp *w, const Uop *u, Writes *out)
{
    const u32 n = (u32)u->imm & 0xfff;
    u32 value = 0;
    csr_read(w, n, &value);
    if (writes_csr(u) && n == CSR_MSTATUS)
        put_status(log, t, u, out);
    else if (writes_csr(u))
        put_csr(out, n, n == CSR_MTVEC ? t->source : value);
    put_x(log, out, u->rd, w->x[u->rd]);
    if (n == CSR_MSTATUS && writes_csr(u)) { /* SD */
        const u32 s = log->status;
        put_csr(
            out, CSR_MSTATUS,
            s | ((s & VS_DIRTY) == VS_DIRTY || (s & FS_DIRTY) == FS_DIRTY ? (u32)STATUS_DIRTY : 0));
    }
}

static void collect(Trace *t, WarpLog *log, const Warp *w, const Uop *u, u32 exec, Writes *out)
{
    switch ((Effect)isa_insn[u->id].effect) {
    case E_VSET: put_vset(log, w, u, out); return;
    case E_CSR: put_csr_insn(log, t, w, u, out); return;
    case E_SETRPC:
        put_csr(out, CSR_RPC, w->rpc);
        put_x(log, out, u->rd, w->x[u->rd]);
        return;
    case E_JOIN:
    case E_EXIT:
    case E_BARRIER:
    case E_SUBBARRIER:
    case E_REGEXT:
    case E_REGEXTI: return;
    default: break;
    }
    if (is_vector(u)) {
        put_vector(t, log, w, u, exec, out);
    } else if (destination(u) == K_XREG) {
        if (writes_float(isa_insn[u->id].text))
            put(out, (u32)u->rd << 4 | KEY_F, w->x[u->rd]);
        else
            put_x(log, out, u->rd, w->x[u->rd]);
        put_flags(t, w, u, out);
    }
}

/* --- lines ------------------------------------------------------------------------------------ */

static void start_line(WarpLog *log, u32 warp, u32 pc, u64 word, int len)
{
    buf_printf(&log->lines,
               len == 8 ? "core%4u: 3 0x%08x (0x%016llx)" : "core%4u: 3 0x%08x (0x%08llx)", warp,
               pc, (unsigned long long)word);
}

static void end_line(WarpLog *log)
{
    buf_put(&log->lines, "\n", 2); /* a NUL ends what is printed in one turn */
    if (!log->npc)
        log->ready = log->lines.len;
}

static void put_row(Buf *b, const Warp *w, u32 rd)
{
    buf_printf(b, "%08x 0x", w->mask);
    for (u32 i = w->group->launch->lanes; i-- > 0;)
        buf_printf(b, "%08x ", w->v[rd][i]);
}

static const char *csr_name(u32 n)
{
    bool standard;
    const char *name = isa_csr_name(n, &standard);
    return name ? name : "unknown";
}

static void put_writes(Buf *b, const Warp *w, const Writes *writes)
{
    bool shown = false;
    for (int i = 0; i < writes->n; i++) {
        const u32 key = writes->a[i].key, value = writes->a[i].value, n = key >> 4, kind = key & 15;
        if (!key)
            continue;
        if ((kind == KEY_V || kind == KEY_VECTOR) && !shown) {
            buf_printf(b, " e32 m1 l%u", w->vl);
            shown = true;
        }
        switch (kind) {
        case KEY_X: buf_printf(b, " x%-2u 0x%08x", n, value); break;
        case KEY_F: buf_printf(b, " f%-2u 0xffffffff%08x", n, value); break;
        case KEY_CSR: buf_printf(b, " c%u_%s 0x%08x", n, csr_name(n), value); break;
        case KEY_V:
            buf_printf(b, " v%-2u ", n);
            put_row(b, w, n);
            break;
        default: break;
        }
    }
}

/* the divergence stack; the pc to go on at is known when the warp goes on */
static void put_stack(Trace *t, WarpLog *log, const Warp *w, const Uop *u)
{
    const Effect e = (Effect)isa_insn[u->id].effect;
    buf_printf(&log->lines, " current mask:\t%08x current npc:\t", w->mask);
    if (e == E_SPLIT || (e == E_JOIN && w->nsimt < t->nsimt))
        log->npc = log->lines.len;
    buf_printf(&log->lines, "%08x stack size: %x", log->branch_npc, w->nsimt);
    for (u32 i = w->nsimt; i-- > 0;)
        buf_printf(&log->lines, "\n[r_pc] %08x [else_pc] %08x [else_mask] %08x ", w->simt[i].rpc,
                   w->simt[i].pc, w->simt[i].mask);
}

static u32 width_of(const Uop *u)
{
    switch (isa_insn[u->id].op) {
    case OP_b:
    case OP_bu: return 1;
    case OP_h:
    case OP_hu: return 2;
    default: return 4;
    }
}

static void put_access(Buf *b, u32 addr, bool store, u32 width, u32 value)
{
    buf_printf(b, " mem 0x%08x", addr);
    if (store && width == 1)
        buf_printf(b, " 0x%01x", value & 0xff);
    else if (store && width == 2)
        buf_printf(b, " 0x%04x", value & 0xffff);
    else if (store)
        buf_printf(b, " 0x%08x", value);
}

static void put_memory(Trace *t, Buf *b, const Warp *w, const Uop *u, u32 exec)
{
    const Effect e = (Effect)isa_insn[u->id].effect;
    const u32 width = width_of(u);
    if (isa_insn[u->id].unit != U_LSU || e == E_FENCE)
        return;
    if (e == E_LOAD || e == E_STORE) {
        put_access(b, t->scalar_addr, e == E_STORE, width, w->x[u->rb]);
        if (u->id == I_flw) /* Spike loads twice: for f and for x */
            put_access(b, t->scalar_addr, false, width, 0);
        return;
    }
    const bool store = destination(u) < 0;
    for (u32 i = 0; i < w->group->launch->lanes; i++)
        if (exec >> i & 1)
            put_access(b, w->addr[i], store, width, w->v[u->rb][i]);
}

/* --- Spike's turns -------------------------------------------------------------------- */

static bool is_barrier_line(const char *line)
{
    const char *word = strstr(line, " (0x");
    return word && (strtoul(word + 2, NULL, 16) & 0xfe00707f) == 0x0400400b;
}

static bool all_arrived(const Trace *t)
{
    for (u32 k = 0; k < t->nwarps; k++)
        if (!t->warp[k].arrived && !t->warp[k].ended)
            return false;
    return true;
}

/* whether the warp goes on behind its barrier; the last of them clears the arrivals */
static bool pass_barrier(Trace *t, WarpLog *log)
{
    log->arrived = true;
    if (!all_arrived(t))
        return false;
    if (++t->passed < t->nwarps)
        return true;
    for (u32 k = 0; k < t->nwarps; k++)
        t->warp[k].arrived = false;
    t->passed = 0;
    return true;
}

static void compact(WarpLog *log)
{
    if (log->at < log->ready || log->npc)
        return;
    log->at = log->ready = 0;
    log->lines.len = 0;
}

/* false: the line of the warp whose turn it is is not known yet */
static bool take_turn(Trace *t, bool at_end)
{
    WarpLog *log = &t->warp[t->turn];
    if (log->at < log->ready) {
        const char *line = buf_text(&log->lines) + log->at;
        if (fputs(line, t->file) == EOF)
            t->failed = true;
        const bool stays = is_barrier_line(line) && !pass_barrier(t, log) && !at_end;
        if (!stays)
            log->at += strlen(line) + 1;
        if (strstr(line, "(0x0000400b)"))
            log->ended = true;
        compact(log);
    } else if (!log->ended && !at_end) {
        return false;
    }
    t->turn = (t->turn + 1) % t->nwarps;
    return true;
}

static bool has_lines(const Trace *t)
{
    for (u32 k = 0; k < t->nwarps; k++)
        if (t->warp[k].at < t->warp[k].ready)
            return true;
    return false;
}

static void next_turns(Trace *t)
{
    while (has_lines(t) && take_turn(t, false))
        ;
}

/* --- what the simulator announces ----------------------------------------------------- */

static void begin_group(Trace *t, const Group *g)
{
    static const struct {
        u32 pc, word;
        const char *what;
    } boot[] = {
        {0x1000, 0x00000297, " x5  0x00001000"},
        {0x1004, 0x02028593, " x11 0x00001020"},
        {0x1008, 0xf1402573, NULL},
        {0x100c, 0x0182a283, " x5  0x80000000 mem 0x00001018"},
        {0x1010, 0x00028067, ""},
    };
    t->nwarps = g->nwarps;
    t->turn = t->passed = 0;
    for (u32 k = 0; k < g->nwarps; k++) {
        WarpLog *log = &t->warp[k];
        Buf lines = log->lines;
        lines.len = 0;
        *log = (WarpLog){.lines = lines, .status = 0x200, .vtype = UINT32_MAX};
        for (size_t i = 0; i < countof(boot); i++) {
            start_line(log, k, boot[i].pc, boot[i].word, 4);
            if (boot[i].what)
                buf_str(&log->lines, boot[i].what);
            else
                buf_printf(&log->lines, " x10 0x%08x", k);
            end_line(log);
        }
    }
}

/* the last line of the warp gets the pc that it went on at */
static void complete(WarpLog *log, u32 pc)
{
    char text[9];
    if (!log->npc)
        return;
    snprintf(text, sizeof text, "%08x", pc);
    if (!log->lines.failed)
        memcpy(log->lines.data + log->npc, text, 8);
    log->branch_npc = pc;
    log->npc = 0;
    log->ready = log->lines.len;
}

static void before(Trace *t, const Warp *w, const Uop *u)
{
    complete(&t->warp[w->id], u->pc);
    t->scalar_addr = w->x[u->ra] + (u32)u->imm;
    t->source = u->id < NINSN && isa_insn[u->id].format == F_CSRI ? u->ra : w->x[u->ra];
    t->fflags = w->fflags;
    t->nsimt = w->nsimt;
}

static void after(Trace *t, const Warp *w, const Uop *u, u32 exec)
{
    WarpLog *log = &t->warp[w->id];
    const bool prefixed = uop_insns(u) == 2;
    const u32 pc = u->pc + (prefixed ? 4 : 0);
    Writes writes = {0};
    if (u->id >= NINSN)
        return;
    if (prefixed) {
        u32 word = 0;
        memcpy(&word, w->group->launch->memory->base + u->pc, sizeof word);
        start_line(log, w->id, u->pc, word, 4);
        end_line(log);
    }
    start_line(log, w->id, pc, u->len == 8 ? uop_word(u) : u->word, u->len);
    collect(t, log, w, u, exec, &writes);
    put_writes(&log->lines, w, &writes);
    if ((u->word & 0x7f) == 0x5b)
        put_stack(t, log, w, u);
    put_memory(t, &log->lines, w, u, exec);
    end_line(log);
    next_turns(t);
}

static void end_group(Trace *t, const Group *g)
{
    for (u32 k = 0; k < g->nwarps; k++)
        complete(&t->warp[k], g->warps[k].pc);
    next_turns(t);
    while (has_lines(t)) /* a warp faulted: the others will not go on */
        take_turn(t, true);
}

/* --- life ----------------------------------------------------------------------------- */

Trace *trace_new(FILE *to)
{
    Trace *t = mem_zalloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->file = to;
    return t;
}

static Verdict tell(void *self, const Event *e)
{
    switch (e->kind) {
    case EVENT_group_begin: begin_group(self, e->group); break;
    case EVENT_group_end: end_group(self, e->group); break;
    case EVENT_fetch: before(self, e->warp, e->step->uop); break;
    case EVENT_insn: after(self, e->warp, e->step->uop, e->step->exec); break;
    default: break;
    }
    return GO_ON;
}

Observer trace_observer(Trace *t)
{
    return (Observer){t, EVENT_group_begin | EVENT_group_end | EVENT_fetch | EVENT_insn, tell};
}

bool trace_free(Trace *t)
{
    if (!t)
        return true;
    bool ok = !t->failed;
    for (u32 k = 0; k < MAX_WARPS; k++) {
        ok = ok && !t->warp[k].lines.failed;
        buf_free(&t->warp[k].lines);
    }
    mem_free(t);
    return ok;
}
