/* Asynchronous copies and waits that the work-items of a group do not make alike: programs that tell
 * what compiled ones tell (obj/notes.h), without a mistake or with one that is put into them, of which
 * doc/checking.md says what is reported.
 */
#include "obj/notes.h"
#include "test/kit/checkrig.h"
#include "test/kit/leftover.h"
#include "test/kit/random.h"

/* in the hostile build warps take turns of any length, and any of them may be the first */
#ifdef HOSTILE
enum { MOST_WARPS = 1 };
#else
enum { MOST_WARPS = 3 };
#endif
enum { LANES = 4, GROUPS = 2, STEPS = 14, OPERANDS = 3, MOST_EVENTS = 8 };

/* --- programs --------------------------------------------------------------------------------- */

typedef enum { COPY, WAIT, MEET } StepKind;

/* What all work-items do, but for the mistake. */
typedef struct {
    StepKind kind;
    u32 operands, value[OPERANDS]; /* of a copy or wait; the last is an event */
    u32 event;                     /* that a copy answers */
    u32 part;                      /* how many times the group has met before */
    bool by_lanes;                 /* they are stored by vectors */
} Do;

typedef enum {
    NO_MISTAKE,
    OTHER_VALUE,   /* of an operand, in one work-item */
    ITEM_SKIPS,    /* the step */
    WARP_SKIPS,    /* it */
    UNKNOWN_EVENT, /* is waited for */
    WAITED_TWICE,
    NEVER_WAITED,
    UNKNOWN_COPY, /* a copy goes on with an event that is none */
    NMISTAKE
} MistakeKind;

typedef struct {
    MistakeKind kind;
    u32 step, operand, item, value; /* item: or warp */
} Mistake;

typedef struct {
    Do step[STEPS];
    u32 n, warps, events;
    u32 last_copy[MOST_EVENTS + 2]; /* step, by event */
    bool waited[MOST_EVENTS + 2];
    Mistake mistake;
    u32 pc[STEPS][OPERANDS]; /* of the stores */
    u32 out;                 /* where the answers go */
} Scene;

static Do *add(Scene *s, StepKind kind, u32 event)
{
    Do *d = &s->step[s->n];
    *d = (Do){.kind = kind, .operands = 1, .by_lanes = below(2)};
    d->part = s->n ? s->step[s->n - 1].part + (s->step[s->n - 1].kind == MEET) : 0;
    if (kind == COPY) {
        d->operands = 1 + below(OPERANDS);
        d->event = event ? event : ++s->events;
        s->last_copy[d->event] = s->n;
    }
    for (u32 k = 0; k + 1 < d->operands; k++)
        d->value[k] = below(1000);
    d->value[d->operands - 1] = event;
    s->n++;
    return d;
}

/* Events are made, joined and waited for; in the end all were waited for once. */
static void make_steps(Scene *s)
{
    while (s->n < 8) {
        const u32 e = 1 + below(s->events + 1), what = below(4);
        if (e > s->events || s->waited[e] || !what)
            add(s, s->n && below(4) == 0 ? MEET : COPY, 0);
        else if (what == 1)
            add(s, COPY, e);
        else
            s->waited[add(s, WAIT, e)->value[0]] = true;
    }
    for (u32 e = 1; e <= s->events && s->n < STEPS - 2; e++)
        if (!s->waited[e])
            s->waited[add(s, WAIT, e)->value[0]] = true;
}

static bool is_sound(const Scene *s)
{
    bool waits = false;
    for (u32 e = 1; e <= s->events; e++)
        if (!s->waited[e])
            return false;
    for (u32 i = 0; i < s->n; i++)
        waits |= s->step[i].kind == WAIT;
    return waits && s->events;
}

static u32 some_step(const Scene *s, bool may_copy)
{
    u32 i;
    do
        i = below(s->n);
    while (s->step[i].kind == MEET || (!may_copy && s->step[i].kind == COPY));
    return i;
}

static void make_mistake(Scene *s, MistakeKind kind)
{
    Mistake *m = &s->mistake;
    *m = (Mistake){.kind = kind, .step = some_step(s, true), .item = below(s->warps * LANES)};
    const Do *d = &s->step[m->step];
    switch (kind) {
    case OTHER_VALUE: /* the first one has the right event, or that would be another mistake */
        m->operand = below(d->operands);
        m->item += !m->item && m->operand + 1 == d->operands;
        m->value = d->value[m->operand] + 1 + below(9);
        break;
    case WARP_SKIPS: /* the first one misses no event, which would be another mistake */
        m->item = below(s->warps);
        m->item += !m->item && d->kind == COPY && !d->value[d->operands - 1];
        break;
    case UNKNOWN_EVENT:
        m->step = s->n;
        add(s, WAIT, below(2) ? 0 : s->events + 1 + below(3));
        break;
    case WAITED_TWICE:
        if (below(2))
            add(s, MEET, 0);
        m->step = s->n;
        add(s, WAIT, 1 + below(s->events));
        break;
    case NEVER_WAITED: /* what was a wait is a meeting, which changes nothing else */
        m->step = some_step(s, false);
        m->value = s->step[m->step].value[0];
        s->step[m->step].kind = MEET;
        break;
    case UNKNOWN_COPY:
        m->step = s->n;
        s->events++;
        add(s, COPY, s->events + 1)->event = s->events;
        s->last_copy[s->events] = m->step;
        add(s, WAIT, s->events);
        break;
    default: break;
    }
}

/* --- as assembly ------------------------------------------------------------------------------ */

static void put_skip(const Scene *s, u32 i, Buf *b)
{
    if (s->mistake.kind == ITEM_SKIPS)
        buf_printf(b,
                   "1:\tauipc t5, %%pcrel_hi(2f)\n\tsetrpc zero, t5, %%pcrel_lo(1b)\n"
                   "\tli t4, %u\n\tvmv.v.x v9, t4\n\tvbeq v1, v9, 2f\n",
                   s->mistake.item);
    else
        buf_printf(b, "\tcsrr t4, CSR_WID\n\tli t5, %u\n\tbeq t4, t5, skip%u\n", s->mistake.item,
                   i);
}

static void put_operand(const Scene *s, u32 i, u32 k, Buf *b)
{
    const Do *d = &s->step[i];
    const Mistake *m = &s->mistake;
    const bool differs = m->kind == OTHER_VALUE && m->step == i && m->operand == k;
    buf_printf(b, "\tli t2, %u\n", d->value[k]);
    if (!d->by_lanes && !differs) {
        buf_printf(b, "p%u_%u:\tsw t2, %u(t1)\n", i, k, NOTE_OPERAND * k);
        return;
    }
    buf_str(b, "\tvmv.v.x v5, t2\n\tvmv.v.x v6, t1\n");
    if (differs)
        buf_printf(b,
                   "\tli t4, %u\n\tvmseq.vx v0, v1, t4\n\tli t4, %u\n\tvmerge.vxm v5, v5, t4, v0\n",
                   m->item, m->value);
    buf_printf(b, "p%u_%u:\tvsw12.v v5, %u(v6)\n", i, k, NOTE_OPERAND * k);
}

static void put_step(const Scene *s, u32 i, Buf *b)
{
    const Do *d = &s->step[i];
    const bool skips =
        (s->mistake.kind == ITEM_SKIPS || s->mistake.kind == WARP_SKIPS) && s->mistake.step == i;
    if (d->kind == MEET) {
        buf_str(b, "\tbarrier x0, x0, 1\n");
        return;
    }
    if (skips)
        put_skip(s, i, b);
    buf_printf(b, "\tla t1, .note.check.%u\n", i);
    for (u32 k = 0; k < d->operands; k++)
        put_operand(s, i, k, b);
    if (d->kind == COPY && d->by_lanes)
        buf_printf(b, "\tvmv.v.x v6, t1\n\tvlw12.v v7, %u(v6)\n", NOTE_OPERAND * (d->operands - 1));
    else if (d->kind == COPY)
        buf_printf(b, "\tlw t3, %u(t1)\n\tvmv.v.x v7, t3\n", NOTE_OPERAND * (d->operands - 1));
    if (d->kind == COPY)
        buf_printf(b, "\tvsw12.v v7, %u(v8)\n", 4 * i);
    if (skips && s->mistake.kind == ITEM_SKIPS)
        buf_str(b, "2:\tjoin zero, zero, 0\n");
    else if (skips)
        buf_printf(b, "skip%u:\n", i);
}

static const char *name_of(const Do *d) { return d->kind == COPY ? "async_copy" : "wait_events"; }

static void put_note(const Scene *s, u32 i, Buf *b)
{
    const Do *d = &s->step[i];
    if (d->kind == MEET)
        return;
    buf_printf(b, "\t.balign 4\n\t.type .note.check.%u, @object\n.note.check.%u:\n", i, i);
    for (u32 k = 0; k < d->operands; k++)
        buf_printf(b, "\t.word 0, %u\n", NOTE_ASYNC | (k + 1 == d->operands ? NOTE_LAST : 0u) | k);
    buf_printf(b, "\t.asciz \"%s\"\n\t.size .note.check.%u, . - .note.check.%u\n", name_of(d), i,
               i);
}

static Object *make_image(Scene *s)
{
    Caught c;
    Buf b = {0};
    catch_in(&c);
    buf_printf(&b,
               "\t.kernel k\nk:\n\tvid.v v1\n\tcsrr t0, CSR_TID\n\tvadd.vx v1, v1, t0\n"
               "\tvsll.vi v8, v1, 6\n\tli t0, 0x%08x\n\tvadd.vx v8, v8, t0\n",
               s->out);
    for (u32 i = 0; i < s->n; i++)
        put_step(s, i, &b);
    buf_str(&b, "\tret\n\t.data\n");
    for (u32 i = 0; i < s->n; i++)
        put_note(s, i, &b);
    Object *o = assemble(buf_text(&b), V202);
    Object *image =
        link_program((const Object *const *)&o, 1, &(LinkOptions){.output = "t.elf"}, &c.d);
    obj_free(o);
    if (!image)
        fail_msg("%s", buf_text(&c.text));
    for (u32 i = 0; i < s->n; i++)
        for (u32 k = 0; s->step[i].kind != MEET && k < s->step[i].operands; k++) {
            char name[16];
            sprintf(name, "p%u_%u", i, k);
            const i32 x = obj_find_symbol(image, name);
            assert_true(x >= 0);
            s->pc[i][k] = (u32)image->symbols[x].value;
        }
    buf_free(&b);
    buf_free(&c.text);
    return image;
}

/* --- what is to be reported ------------------------------------------------------------------- */

static void put_item_of(u32 item, Buf *b)
{
    buf_printf(b, "(%u, 0, 0), in its group (%u, 0, 0)", item, item);
}

/* The report of the work-item at the store; `label`, or NULL: the other place, and who was there. */
static void want_report(Buf *b, const char *sentence, u32 pc, u32 item, const char *label,
                        u32 other_pc, u32 other)
{
    buf_printf(b, "barrier: %s", sentence);
    if (label && other_pc)
        buf_printf(b, "\n  %-11s 0x%08x\n  by          ", label, other_pc);
    else if (label)
        buf_printf(b, "\n  %-11s ", label);
    if (label) {
        put_item_of(other, b);
        buf_str(b, "; group (0, 0, 0)");
    }
    buf_str(b, "\n  kernel      k\n  work-item   ");
    put_item_of(item, b);
    buf_printf(b, "\n  group       (0, 0, 0)\n  warp        %u\n  lane        %u\n", item / LANES,
               item % LANES);
    buf_printf(b, "pc 0x%08x", pc);
}

static void want_other_value(const Scene *s, Buf *b)
{
    const Mistake *m = &s->mistake;
    const Do *d = &s->step[m->step];
    const u32 pc = s->pc[m->step][m->operand];
    Buf text = {0};
    if (d->kind == WAIT)
        buf_str(&text,
                "divergent asynchronous wait: work-items of the group wait for different events");
    else
        buf_printf(
            &text,
            "divergent asynchronous copy: argument %u of 'async_copy' is 0x%x here, and 0x%x "
            "for another work-item of the group",
            m->operand, m->item ? m->value : d->value[m->operand],
            m->item ? d->value[m->operand] : m->value);
    want_report(b, buf_text(&text), pc, m->item ? m->item : 1, "other", pc, 0);
    buf_free(&text);
}

/* The first of the step's next ones between meetings; STEPS: none follows. */
static u32 next_step(const Scene *s, u32 i)
{
    return i + 1 < s->n && s->step[i + 1].kind != MEET ? i + 1 : STEPS;
}

/* Warps run one after the other as far as they can, lanes of one together. */
static void want_skip(const Scene *s, Buf *b)
{
    const Mistake *m = &s->mistake;
    const u32 then = next_step(s, m->step);
    const bool warp = m->kind == WARP_SKIPS;
    const u32 item = warp ? m->item * LANES : m->item; /* the first that skips */
    const u32 ahead = item ? 0 : warp ? LANES : 1;     /* the first that does not */
    const bool is_seen_by_others = warp && !item;      /* they come later */
    const u32 mine = is_seen_by_others ? m->step : then,
              theirs = is_seen_by_others ? then : m->step;
    char text[200];
    if (then == STEPS) {
        sprintf(text, "divergent asynchronous %s: some work-items of the group do not reach it",
                s->step[m->step].kind == WAIT ? "wait" : "copy");
        want_report(b, text, s->pc[m->step][0], ahead, "not here", 0, item);
        return;
    }
    sprintf(text, "divergent asynchronous %s: another work-item of the group is at another call",
            s->step[mine].kind == WAIT ? "wait" : "copy");
    want_report(b, text, s->pc[mine][0], is_seen_by_others ? ahead : item, "other",
                s->pc[theirs][0], is_seen_by_others ? item : ahead);
}

/* What is to be reported; "": nothing. */
static void want(const Scene *s, Buf *b)
{
    const Mistake *m = &s->mistake;
    const u32 pc = s->pc[m->step][0];
    u32 copy, before = STEPS;
    switch (m->kind) {
    case OTHER_VALUE: want_other_value(s, b); break;
    case ITEM_SKIPS:
    case WARP_SKIPS: want_skip(s, b); break;
    case UNKNOWN_EVENT:
        want_report(b, "wait for an event that no asynchronous copy gave", pc, 0, NULL, 0, 0);
        break;
    case WAITED_TWICE:
        for (u32 i = 0; i < m->step; i++)
            if (s->step[i].kind == WAIT && s->step[i].value[0] == s->step[m->step].value[0])
                before = i;
        copy = s->last_copy[s->step[m->step].value[0]];
        if (s->step[before].part != s->step[m->step].part)
            want_report(b, "wait for an event that was waited for before", pc, 0, "copied",
                        s->pc[copy][s->step[copy].operands - 1], 0);
        break;
    case NEVER_WAITED:
        copy = s->last_copy[m->value];
        want_report(b, "asynchronous copy that the kernel does not wait for",
                    s->pc[copy][s->step[copy].operands - 1], 0, NULL, 0, 0);
        break;
    case UNKNOWN_COPY:
        want_report(b, "asynchronous copy with an event that no other one gave",
                    s->pc[m->step][s->step[m->step].operands - 1], 0, NULL, 0, 0);
        break;
    default: break;
    }
}

/* --- runs ------------------------------------------------------------------------------------- */

static void run(const Scene *s, Driver *d, Object *image)
{
    const DrvKernel launch = {.kernel = "k",
                              .dims = 1,
                              .global = {s->warps * LANES * GROUPS, 1, 1},
                              .local = {s->warps * LANES, 1, 1},
                              .max_insns = 100000};
    run_image(d, image, &launch);
}

/* The report without the lanes that were active. */
static void put_found(const CheckReport *r, Buf *b)
{
    const char *active = strstr(r->text, "  active "), *pc = strstr(r->text, "  pc ");
    assert_true(active && pc);
    buf_put(b, r->text, (size_t)(active - r->text));
    buf_printf(b, "pc %.10s", pc + strlen("  pc          "));
}

/* Without a mistake copies answer the number of their event, in each group from 1 on. */
static void check_answers(const Scene *s, Driver *d)
{
    for (u32 item = 0; item < s->warps * LANES; item++)
        for (u32 i = 0; i < s->n; i++) {
            u32 got = 0;
            assert_int_equal(drv_read(d, s->out + 64 * item + 4 * i, &got, sizeof got), DRV_OK);
            assert_int_equal(got, s->step[i].kind == COPY ? s->step[i].event : 0);
        }
}

static void compare(const Scene *s, const Check *c)
{
    CheckReport r;
    Buf wanted = {0}, found = {0};
    want(s, &wanted);
    if (check_report(c, 0, &r))
        put_found(&r, &found);
    if (strcmp(buf_text(&wanted), buf_text(&found)))
        fail_msg("mistake %d in step %u: found\n%s\nwanted\n%s", (int)s->mistake.kind,
                 s->mistake.step, buf_text(&found), buf_text(&wanted));
    if (wanted.len)
        assert_int_equal(r.count, GROUPS);
    assert_false(check_report(c, 1, &r));
    buf_free(&wanted);
    buf_free(&found);
}

static void check_one(MistakeKind kind)
{
    Scene s;
    u64 at;
    Driver *d;
    Check *c;
    kind = MOST_WARPS == 1 && kind == WARP_SKIPS ? ITEM_SKIPS : kind;
    do {
        s = (Scene){.warps = kind == WARP_SKIPS ? MOST_WARPS - below(2) : 1 + below(MOST_WARPS)};
        make_steps(&s);
    } while (!is_sound(&s));
    make_mistake(&s, kind);
    open_check(LANES, 1u << CHECK_barrier, &d, &c);
    assert_int_equal(drv_alloc(d, 64 * MOST_WARPS * LANES, &at), DRV_OK);
    s.out = (u32)at;
    run(&s, d, make_image(&s));
    compare(&s, c);
    if (kind == NO_MISTAKE)
        check_answers(&s, d);
    drv_close(d);
    check_close(c);
}

static void what_is_not_alike_is_told(void **state)
{
    (void)state;
    for (u32 k = 0; k < 30 * NMISTAKE; k++)
        check_one((MistakeKind)(k % NMISTAKE));
}

static void one_of_each_leaves_nothing(void **state)
{
    (void)state;
    for (u32 k = 0; k < NMISTAKE; k++)
        check_one((MistakeKind)k);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_not_alike_is_told),
                                       cmocka_unit_test(leaves_nothing),
                                       cmocka_unit_test(one_of_each_leaves_nothing)};
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
