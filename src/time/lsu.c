/* lsu.c -- memory instructions: from lanes to lines, and the table of those that wait for them.
 *
 * An instruction goes through a queue of one, is given a place in the table, and asks for its lines
 * one a cycle, in the order of the lanes; all lanes of a line share its request.  When the last
 * line is there the table hands out the result, which takes it two cycles in which it listens to
 * nobody.
 */
#include "time/model.h"
#include <string.h>

enum { AGU_IDLE, AGU_SAVE, AGU_SEND };
enum { TABLE_IDLE, TABLE_ADD, TABLE_READ, TABLE_OUT };

/* --- lines ------------------------------------------------------------------------------- */

static bool is_shared(const Sm *s, u64 addr)
{
    const u32 limit = s->model->p.shared_limit;
    return limit ? addr < limit : addr >= LDS_LO && addr < LDS_END;
}

static void add_line(Access *a, u32 line, bool merge)
{
    for (u32 i = 0; merge && i < a->nlines; i++)
        if (a->line[i] == line)
            return;
    if (a->nlines < MAX_LINES)
        a->line[a->nlines++] = line;
}

/* cycles that the words of one line take in shared memory: the most that one bank has */
static u8 bank_cycles(const Sm *s, const Step *st, u32 line)
{
    const Machine *p = &s->model->p;
    u32 words[MAX_LANES * 2], n = 0, most = 1;
    u8 count[32] = {0};
    for (size_t i = 0; i < st->ntouched; i++) {
        const u32 word = (u32)(st->touched[i].addr / 4);
        u32 k = 0;
        if (st->touched[i].addr / p->line != line)
            continue;
        while (k < n && words[k] != word)
            k++;
        if (k < n || n == countof(words))
            continue;
        words[n++] = word;
        const u32 c = ++count[word % p->shared_banks];
        most = c > most ? c : most;
    }
    return (u8)most;
}

void access_lines(const Sm *s, const Step *st, Access *a)
{
    const u32 size = s->model->p.line;
    const bool merge = st->facts->access != ACCESS_ATOMIC;
    a->shared = st->ntouched != 0;
    a->writes = st->facts->access == ACCESS_STORE;
    for (size_t i = 0; i < st->ntouched; i++) {
        const Touch *t = &st->touched[i];
        a->shared &= is_shared(s, t->addr);
        for (u64 l = t->addr / size; l <= (t->addr + t->size - 1) / size; l++)
            add_line(a, (u32)l, merge);
    }
    for (u32 i = 0; a->shared && i < a->nlines; i++)
        a->banks[i] = bank_cycles(s, st, a->line[i]);
    a->missing = a->nlines;
}

/* --- places -------------------------------------------------------------------------------- */

void lsu_open(Sm *s)
{
    for (s->nunused = 0; s->nunused < MAX_ACCESSES; s->nunused++)
        s->unused[s->nunused] = (i16)s->nunused;
}

i16 lsu_take(Sm *s)
{
    if (!s->nunused)
        bug("no place for a memory instruction");
    const i16 i = s->unused[--s->nunused];
    Access *a = &s->access[i];
    a->listed = false;
    a->nlines = a->sent = a->missing = 0;
    return i;
}

/* the access in the lowest entry of the table whose lines are all there; there is one */
static i16 first_complete(const Sm *s) { return s->entry[__builtin_ctzll(s->complete)]; }

bool lsu_start(Sm *s, Flight *f)
{
    Slot *w = &s->slot[f->slot];
    if (s->fifo >= 0 || w->accesses >= s->model->p.lsu_per_warp)
        return false;
    s->access[f->access].flight = *f;
    s->fifo = f->access;
    w->accesses++;
    return true;
}

/* --- answers --------------------------------------------------------------------------------- */

static Answer *answer_at(Answers *q, u32 i) { return &q->item[(q->first + i) & (MAX_ANSWERS - 1)]; }

void lsu_answer(Answers *q, i16 access, u64 at)
{
    if (q->n == MAX_ANSWERS)
        bug("too many answers for the LSU");
    u32 i = q->n++;
    for (; i > 0 && answer_at(q, i - 1)->at > at; i--)
        *answer_at(q, i) = *answer_at(q, i - 1);
    *answer_at(q, i) = (Answer){access, at};
}

static void note_complete(Sm *s, const Access *a)
{
    if (a->listed && !a->missing)
        s->complete |= (u64)1 << a->entry;
}

static void hear_line(Sm *s, Access *a)
{
    a->missing--;
    note_complete(s, a);
}

static void list(Sm *s, i16 access, u32 entry)
{
    Access *a = &s->access[access];
    a->listed = true;
    a->entry = (u8)entry;
    s->entry[entry] = access;
    s->entries |= (u64)1 << entry;
    note_complete(s, a);
}

/* the access that is answered in this cycle; -1: none */
static i16 hear(Sm *s)
{
    Answers *from[] = {&s->answers, &s->shared_answers};
    for (int i = 0; i < 2; i++) {
        Answers *q = from[i];
        const Answer a = q->item[q->first];
        if (!q->n || a.at > s->model->now)
            continue;
        q->first = (q->first + 1) & (MAX_ANSWERS - 1);
        q->n--;
        hear_line(s, &s->access[a.access]);
        return a.access;
    }
    return -1;
}

const Flight *lsu_result(const Sm *s)
{
    return s->table_state == TABLE_OUT && !s->table_done ? &s->access[s->table_out].flight : NULL;
}

void lsu_written(Sm *s) { s->table_done = true; }

/* --- the table -------------------------------------------------------------------------------- */

static void release(Sm *s)
{
    Access *a = &s->access[s->table_out];
    Slot *w = &s->slot[a->flight.slot];
    s->entries &= ~((u64)1 << a->entry);
    s->complete &= ~((u64)1 << a->entry);
    s->unused[s->nunused++] = s->table_out;
    w->accesses--;
    slot_changed(s, a->flight.slot);
    if (!a->flight.op->nresults)
        tell_slot(s, a->flight.slot, (CycleEvent){.kind = CYCLE_DONE, .number = a->flight.number});
}

/* an idle table hears an answer and lists a new instruction; whether it does the latter */
static bool idle(Sm *s, bool offered)
{
    const u64 unused = ~s->entries;
    const u32 entry = unused ? (u32)__builtin_ctzll(unused) : MAX_ENTRIES;
    const bool takes = offered && entry < s->model->p.lsu_entries;
    const i16 heard = hear(s);
    if (takes)
        list(s, s->agu, entry);
    if (heard >= 0 && takes)
        s->table_state = TABLE_ADD;
    else if (heard >= 0 ? !s->access[heard].missing : !takes && s->complete)
        s->table_state = TABLE_READ;
    s->busy |= heard >= 0 || takes || s->table_state != TABLE_IDLE;
    return takes;
}

/* One cycle to read what is complete.  It needs a port; in the first cycle hardware asks for that
 * of the instruction before. */
static void read_table(Sm *s)
{
    const bool free = s->table_port == 2 || s->port_free[s->table_port];
    s->table_out = first_complete(s);
    const TimeOp *op = s->access[s->table_out].flight.op;
    s->table_port = !op->nresults ? 2 : op->result[0].vector;
    s->table_done = !op->nresults;
    if (free)
        s->table_state = TABLE_OUT;
}

static bool table_tick(Sm *s, bool offered)
{
    switch (s->table_state) {
    case TABLE_IDLE: return idle(s, offered);
    case TABLE_ADD: s->table_state = s->complete ? TABLE_READ : TABLE_IDLE; break;
    case TABLE_READ: read_table(s); break;
    default:
        if (!s->table_done)
            break;
        release(s);
        s->table_state = s->complete ? TABLE_READ : TABLE_IDLE;
    }
    s->busy = true;
    return false;
}

/* --- requests --------------------------------------------------------------------------------- */

static bool send_shared(Sm *s, Access *a)
{
    if (s->shared_free > s->model->now || s->shared_answers.n >= MANY_ANSWERS)
        return false;
    const u32 cycles = a->banks[a->sent];
    s->shared_free = s->model->now + cycles;
    lsu_answer(&s->shared_answers, s->agu, s->model->now + s->model->p.shared_latency + cycles - 1);
    return true;
}

static void send(Sm *s)
{
    Access *a = &s->access[s->agu];
    s->busy = true;
    if (a->sent < a->nlines &&
        !(a->shared ? send_shared(s, a) : dcache_accept(s, s->agu, a->line[a->sent], a->writes)))
        return;
    if (++a->sent >= a->nlines)
        s->agu_state = AGU_IDLE;
}

void lsu_tick(Sm *s)
{
    const u8 was = s->agu_state;
    if (was == AGU_SEND)
        send(s);
    if (table_tick(s, was == AGU_SAVE))
        s->agu_state = AGU_SEND;
    if (was == AGU_IDLE && s->fifo >= 0) {
        s->agu = s->fifo;
        s->fifo = -1;
        s->agu_state = AGU_SAVE;
    }
    s->busy |= s->agu_state != AGU_IDLE || s->fifo >= 0;
    if (s->answers.n)
        sm_wake(s, s->answers.item[s->answers.first].at);
    if (s->shared_answers.n)
        sm_wake(s, s->shared_answers.item[s->shared_answers.first].at);
}
