/* trace.c -- the trace (trace.h): lines in Spike's format, put into Spike's order.
 *
 * Lines are queued by warp and taken from the queues as Spike's scheduler would:
 * next_turns() goes round the warps and stops where the next one's line is not known
 * yet.
 *
 * Spike prints the registers that an instruction wrote in the order of its hash table,
 * std::unordered_map of libstdc++ with 29 buckets; Writes does the same.
 */
#include "prof/trace.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 29, MAX_WRITES = 8 };
/* what a key is, in its low four bits */
enum { KEY_X, KEY_F, KEY_V, KEY_VECTOR, KEY_CSR };
enum { VS_DIRTY = 0x600, FS_DIRTY = 0x6000, FS_ON = 0x2000, STATUS_DIRTY = INT32_MIN };

typedef struct {
    int n;
    struct {
        u32 key, value;
    } a[MAX_WRITES];
} Writes;

/* What a line is to the order of lines; the character before it. */
enum { LINE_PLAIN = 'l', LINE_BARRIER = 'b', LINE_END = 'e' };

/* One warp: its lines that were not printed yet. */
typedef struct {
    Buf lines;      /* of each: LINE_*, text, NUL */
    size_t at;      /* where the next line to print starts */
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
    u32 source,
        fflags; /* before the instruction that runs: the source of a CSR instruction, fflags */
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
    put_csr(w, CSR_mstatus, log->status | (u32)STATUS_DIRTY);
}

static void put_x(WarpLog *log, Writes *w, u32 rd, u32 value)
{
    put(w, rd << 4 | KEY_X, value);
    dirty(log, w, FS_DIRTY); /* every write of x is one of f */
}

/* --- what an instruction writes ----------------------------------------------------------- */

/* whether Spike counts the destination as a float register: results that are floats, and moves of
 * bits to such registers */
static bool writes_float(InsnId id)
{
    return id == I_flw || id == I_fmv_w_x || id == I_vfmv_f_s || isa_op_of(id)->facts & OF_TO_FLOAT;
}

/* the first register of role r, or NULL */
static const IsaRegs *reg(const Step *s, IsaRole r)
{
    for (int i = 0; i < s->facts->nregs; i++)
        if (s->facts->reg[i].role == r)
            return &s->facts->reg[i];
    return NULL;
}

static void put_flags(const Warp *w, const Step *s, Writes *out)
{
    if (s->raised)
        put_csr(out, CSR_fflags, w->fflags);
}

static void put_vector(WarpLog *log, const Warp *w, const Step *s, Writes *out)
{
    const IsaRegs *d = reg(s, ROLE_D);
    const bool memory = s->facts->access != ACCESS_NONE;
    if (isa_insn[s->id].effect != E_VSTORE_PRIV11) {
        put(out, KEY_VECTOR, 0);
        dirty(log, out, VS_DIRTY);
    }
    if (memory && s->exec)
        put_csr(out, CSR_vstart, 0);
    if (d && d->is_vector && s->exec)
        put(out, (u32)d->first << 4 | KEY_V, 0);
    else if (d && !d->is_vector && writes_float(s->id))
        put(out, (u32)d->first << 4 | KEY_F, w->x[d->first]);
    else if (d && !d->is_vector && s->exec)
        put_x(log, out, d->first, w->x[d->first]);
    put_flags(w, s, out);
    put_csr(out, CSR_vstart, 0);
}

static void put_vset(WarpLog *log, const Warp *w, u32 rd, Writes *out)
{
    dirty(log, out, VS_DIRTY);
    if (w->vtype != log->vtype)
        put_csr(out, CSR_vtype, w->vtype);
    log->vtype = w->vtype;
    put_csr(out, CSR_vl, w->vl);
    put_csr(out, CSR_vstart, 0);
    put_x(log, out, rd, w->x[rd]);
}

static void put_status(WarpLog *log, const Trace *t, Op op, Writes *out)
{
    switch (op) {
    case OP_or: log->status |= t->source; break;
    case OP_andn: log->status &= ~t->source; break;
    default: log->status = t->source; break;
    }
    log->status &= VS_DIRTY | FS_DIRTY;
    put_csr(out, CSR_mstatus, log->status);
}

/* csrrs and csrrc of x0 or 0 only read; whatever else they name is shown as written, also where a
 * write is void here. */
static bool writes_csr(const Step *s)
{
    const IsaRegs *a = reg(s, ROLE_A);
    return isa_insn[s->id].op == OP_copy || (a ? a->first != 0 : s->facts->uimm != 0);
}

static void put_csr_insn(WarpLog *log, const Trace *t, const Warp *w, const Step *s, u32 rd,
                         Writes *out)
{
    const u32 n = (u32)s->facts->imm & 0xfff;
    const bool writes = writes_csr(s);
    u32 value = 0;
    csr_read(w, n, &value);
    if (writes && n == CSR_mstatus)
        put_status(log, t, (Op)isa_insn[s->id].op, out);
    else if (writes)
        put_csr(out, n, n == CSR_mtvec ? t->source : value);
    put_x(log, out, rd, w->x[rd]);
    if (n == CSR_mstatus && writes) { /* SD */
        const u32 bits = log->status;
        const bool is_dirty = (bits & VS_DIRTY) == VS_DIRTY || (bits & FS_DIRTY) == FS_DIRTY;
        put_csr(out, CSR_mstatus, bits | (is_dirty ? (u32)STATUS_DIRTY : 0));
    }
}

static void collect(Trace *t, WarpLog *log, const Warp *w, const Step *s, Writes *out)
{
    const IsaRegs *d = reg(s, ROLE_D); /* the first three have one, if only x0 */
    switch ((Effect)isa_insn[s->id].effect) {
    case E_VSET: put_vset(log, w, d->first, out); return;
    case E_CSR: put_csr_insn(log, t, w, s, d->first, out); return;
    case E_SETRPC:
        put_csr(out, CSR_rpc, w->rpc);
        put_x(log, out, d->first, w->x[d->first]);
        return;
    default: break;
    }
    if (isa_is_vector(s->id)) {
        put_vector(log, w, s, out);
    } else if (d) {
        if (writes_float(s->id))
            put(out, (u32)d->first << 4 | KEY_F, w->x[d->first]);
        else
            put_x(log, out, d->first, w->x[d->first]);
        put_flags(w, s, out);
    }
}

/* --- lines ------------------------------------------------------------------------------------ */

static void start_line(WarpLog *log, char what, u32 warp, u32 pc, u64 word, int len)
{
    buf_printf(&log->lines,
               len == 8 ? "%ccore%4u: 3 0x%08x (0x%016llx)" : "%ccore%4u: 3 0x%08x (0x%08llx)",
               what, warp, pc, (unsigned long long)word);
}

static void end_line(WarpLog *log) { buf_put(&log->lines, "\n", 2); }

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
            buf_printf(b, " v%-2u %08x 0x", n, w->mask);
            for (u32 lane = w->group->launch->lanes; lane-- > 0;)
                buf_printf(b, "%08x ", w->v[n][lane]);
            break;
        default: break;
        }
    }
}

/* Writes the divergence stack, and where the last branch or join that changed it went. */
static void put_stack(WarpLog *log, const Warp *w, const Step *s)
{
    if (s->facts->control == CONTROL_SPLIT || w->nsimt < s->depth)
        log->branch_npc = s->next;
    buf_printf(&log->lines, " current mask:\t%08x current npc:\t%08x stack size: %x", w->mask,
               log->branch_npc, w->nsimt);
    for (u32 i = w->nsimt; i-- > 0;)
        buf_printf(&log->lines, "\n[r_pc] %08x [else_pc] %08x [else_mask] %08x ", w->simt[i].rpc,
                   w->simt[i].pc, w->simt[i].mask);
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

static void put_memory(Buf *b, const Warp *w, const Step *s)
{
    const IsaRegs *value = reg(s, ROLE_VALUE);
    const bool store = s->facts->access == ACCESS_STORE;
    if (s->facts->access == ACCESS_COPY)
        return;
    for (size_t i = 0; i < s->ntouched; i++) {
        const Touch *m = &s->touched[i];
        const u32 v = !store ? 0 : m->lane < 0 ? w->x[value->first] : w->v[value->first][m->lane];
        put_access(b, (u32)m->addr, store, s->facts->bytes, v);
        if (s->id == I_flw) /* Spike loads twice: for f and for x */
            put_access(b, (u32)m->addr, false, s->facts->bytes, 0);
    }
}

/* --- Spike's turns -------------------------------------------------------------------- */

static bool all_arrived(const Trace *t)
{
    for (u32 k = 0; k < t->nwarps; k++)
        if (!t->warp[k].arrived && !t->warp[k].ended)
            return false;
    return true;
}

/* Whether the warp goes on after its barrier; the last one to do so clears the arrivals. */
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

/* false: the line of the warp whose turn it is is not known yet */
static bool take_turn(Trace *t, bool at_end)
{
    WarpLog *log = &t->warp[t->turn];
    if (log->at < log->lines.len) {
        const char *line = buf_text(&log->lines) + log->at;
        if (fputs(line + 1, t->file) == EOF)
            t->failed = true;
        const bool stays = *line == LINE_BARRIER && !pass_barrier(t, log) && !at_end;
        log->ended |= *line == LINE_END;
        if (!stays)
            log->at += strlen(line) + 1;
        if (log->at == log->lines.len)
            log->at = log->lines.len = 0;
    } else if (!log->ended && !at_end) {
        return false;
    }
    t->turn = (t->turn + 1) % t->nwarps;
    return true;
}

static bool has_lines(const Trace *t)
{
    for (u32 k = 0; k < t->nwarps; k++)
        if (t->warp[k].at < t->warp[k].lines.len)
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
            start_line(log, LINE_PLAIN, k, boot[i].pc, boot[i].word, 4);
            if (boot[i].what)
                buf_str(&log->lines, boot[i].what);
            else
                buf_printf(&log->lines, " x10 0x%08x", k);
            end_line(log);
        }
    }
}

static void before(Trace *t, const Warp *w, const Step *s)
{
    const IsaRegs *a = reg(s, ROLE_A);
    t->source = a ? w->x[a->first] : s->facts->uimm;
}

static void after(Trace *t, const Warp *w, const Step *s)
{
    WarpLog *log = &t->warp[w->id];
    const char what = s->facts->control == CONTROL_BARRIER ? LINE_BARRIER
                      : s->facts->control == CONTROL_EXIT  ? LINE_END
                                                           : LINE_PLAIN;
    Writes writes = {0};
    if (s->prefixed) {
        start_line(log, LINE_PLAIN, w->id, s->pc, s->prefix, 4);
        end_line(log);
    }
    start_line(log, what, w->id, step_pc(s), s->word, s->len);
    collect(t, log, w, s, &writes);
    put_writes(&log->lines, w, &writes);
    if ((s->word & 0x7f) == 0x5b)
        put_stack(log, w, s);
    put_memory(&log->lines, w, s);
    end_line(log);
    next_turns(t);
}

static void end_group(Trace *t)
{
    next_turns(t);
    while (has_lines(t)) /* a warp faulted: the others will not go on */
        take_turn(t, true);
}

static Verdict tell(void *self, const Event *e)
{
    switch (e->kind) {
    case EVENT_group_begin: begin_group(self, e->group); break;
    case EVENT_group_end: end_group(self); break;
    case EVENT_fetch: before(self, e->warp, e->step); break;
    case EVENT_insn: after(self, e->warp, e->step); break;
    default: break;
    }
    return GO_ON;
}

Observer trace_observer(Trace *t)
{
    /* EVENT_memory: so that addresses are noted */
    return (Observer){.self = t,
                      .events = EVENT_group_begin | EVENT_group_end | EVENT_fetch | EVENT_insn |
                                EVENT_memory,
                      .tell = tell};
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
