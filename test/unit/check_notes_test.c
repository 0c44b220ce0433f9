/* What programs that were compiled for checks say of themselves (obj/notes.h), told here by programs in
 * assembly: indices, distances from variables, where private variables are; and which variable of the
 * program an address is next to.
 */
#include "obj/notes.h"
#include "test/kit/checkrig.h"
#include "test/kit/leftover.h"
#include "test/kit/random.h"

enum { LANES = 4, OPS = 60, VARIABLES = 5, GLOBALS = 7 };

/* Where lo..end, counted from the begin of so many bytes, are outside of them. */
static void put_where(i64 lo, i64 end, i64 size, Buf *b)
{
    if (lo >= 0 && lo < size)
        buf_printf(b, "that end %lld past the end of ", (long long)(end - size));
    else if (lo == size)
        buf_str(b, "right behind the end of ");
    else if (lo > size)
        buf_printf(b, "%lld bytes behind the end of ", (long long)(lo - size));
    else if (end < 0)
        buf_printf(b, "%lld bytes before ", (long long)-end);
    else
        buf_str(b, "right before ");
}

/* --- variables of the program ----------------------------------------------------------------- */

typedef struct {
    u32 lo, size;
} Global;

static Object *make_globals(const Global *g)
{
    Caught c;
    Buf b = {0};
    u32 at = 0;
    catch_in(&c);
    buf_str(&b, "\t.globl _start\n_start:\n\tendprg x0, x0, x0\n\t.data\n");
    for (u32 i = 0; i < GLOBALS; i++) {
        buf_printf(&b, "\t.zero %u\n", g[i].lo - at);
        buf_printf(&b, "\t.type %s%u, @object\n\t.size %s%u, %u\n%s%u:\n\t.zero %u\n",
                   i & 1 ? "__const.f.v" : "v", i, i & 1 ? "__const.f.v" : "v", i, g[i].size,
                   i & 1 ? "__const.f.v" : "v", i, g[i].size);
        at = g[i].lo + g[i].size;
    }
    buf_str(&b,
            "\t.type code, @function\n\t.size code, 99\ncode:\n\t.zero 200\nplain:\n\t.zero 8\n");
    Object *o = assemble(buf_text(&b), V202);
    Object *image =
        link_objects((const Object *const[]){o}, 1, &(LinkOptions){.entry = NULL}, &c.d);
    if (!image)
        fail_msg("%s", buf_text(&c.text));
    obj_free(o);
    buf_free(&b);
    buf_free(&c.text);
    return image;
}

static void want_global(const Global *g, u64 base, u64 lo, u64 end, u64 *where, Buf *b)
{
    u32 i = 0; /* the one that has the byte, or the last that begins before it, or the first */
    for (u32 k = 0; k < GLOBALS; k++)
        if (base + g[k].lo <= lo)
            i = k;
    const i64 at = (i64)lo - (i64)(base + g[i].lo), size = g[i].size;
    if (at < 0)
        buf_printf(b, "%lld bytes before ", (long long)-at);
    else
        put_where(at, at + (i64)(end - lo), size, b);
    buf_printf(b, "program variable 'v%u', which has %u", i, g[i].size);
    *where = base + g[i].lo;
}

static void variables_of_the_program(void **state)
{
    (void)state;
    for (u32 round = 0; round < 20; round++) {
        Global g[GLOBALS];
        u32 allowed = 0, at = 16;
        for (u32 i = 0; i < GLOBALS; i++) {
            g[i] = (Global){at, 4 + below(40)};
            at += g[i].size + (below(2) ? 0 : below(30));
        }
        Object *image = make_globals(g);
        ProgramNotes *t = notes_new();
        assert_non_null(t);
        notes_take(t, NULL, true);
        assert_true(notes_allow_global(t, 5, 9)); /* nothing is known of any */
        notes_take(t, image, false);
        assert_true(notes_allow_global(t, 5, 9));
        notes_take(t, image, true);
        const i32 first = obj_find_symbol(image, "v0");
        assert_true(first >= 0);
        const u64 base = image->symbols[first].value - g[0].lo;
        for (u32 i = 0; i < 300; i++) {
            const u64 lo = base + below(at + 20), end = lo + (1u << below(3));
            u64 where = 0, want_where;
            Buf got = {0}, want = {0};
            bool inside = false;
            for (u32 k = 0; k < GLOBALS; k++)
                inside |= lo >= base + g[k].lo && end <= base + g[k].lo + g[k].size;
            assert_int_equal(notes_allow_global(t, lo, end), inside);
            allowed += inside;
            if (inside)
                continue;
            want_global(g, base, lo, end, &want_where, &want);
            notes_put_global(t, lo, end, &where, &got);
            assert_string_equal(buf_text(&got), buf_text(&want));
            assert_int_equal(where, want_where);
            buf_free(&got);
            buf_free(&want);
        }
        assert_true(allowed > 30 && allowed < 270);
        notes_free(t);
        obj_free(image);
    }
}

/* --- programs --------------------------------------------------------------------------------- */

/* A variable in private memory, and the lanes that have it. */
typedef struct {
    u32 lo, size, lanes;
    bool is_plain;
} Private;

typedef struct {
    Driver *driver;
    Check *check;
    Buf text, data;
    Private v[VARIABLES];
    Buf want[OPS]; /* what is said of the instruction; "": nothing */
    u32 pc[OPS], lane[OPS];
} Scene;

static void put_note(Scene *s, u32 i, u32 kind, u32 size, const char *text)
{
    buf_printf(&s->data,
               "\t.balign 4\n\t.type .note.check.%u, @object\n.note.check.%u:\n\t.word 0, %u%s", i,
               i, kind, kind & (NOTE_PRIVATE | NOTE_STRAY) ? ", " : "\n\t.word 0\n");
    if (kind & (NOTE_PRIVATE | NOTE_STRAY))
        buf_printf(&s->data, "%u\n", size);
    buf_printf(&s->data, "\t.asciz \"%s\"\n\t.size .note.check.%u, . - .note.check.%u\n", text, i,
               i);
}

static u32 mask_to(u32 value, u32 bits) { return bits < 32 ? value & ((1u << bits) - 1) : value; }

/* An index as its type has it. */
static void put_index(Scene *s, u32 i)
{
    const u32 bits = 8u << below(3), value = (u32)below(1 << 20) * 4099 + below(200);
    const bool is_signed = below(2), by_lanes = below(2);
    const u32 stored = is_signed ? value : mask_to(value, bits);
    put_note(s, i, bits | (is_signed ? NOTE_SIGNED : 0), 0, "'int[4]'");
    buf_printf(&s->text, "\tla t1, .note.check.%u\n\tli t2, 0x%08x\n", i, stored);
    if (by_lanes)
        buf_printf(&s->text, "\tvmv.v.x v5, t2\n\tvmv.v.x v6, t1\no%u:\tvsw12.v v5, 0(v6)\n", i);
    else
        buf_printf(&s->text, "o%u:\tsw t2, 0(t1)\n", i);
    i64 index = mask_to(value, bits);
    if (is_signed && index >> (bits - 1))
        index -= (i64)1 << bits;
    buf_printf(&s->want[i], "bounds: index %lld is outside of 'int[4]'\n", (long long)index);
}

/* A distance from the begin of a variable, which only one lane has. */
static void put_stray(Scene *s, u32 i)
{
    const u32 size = 4 + below(30), bytes = 1u << below(3), kind = below(4);
    i64 at = (i64)below(3 * size + 20) - size - 10;
    if (at >= 0 && at + bytes <= size)
        at = size + below(2) * 2;
    put_note(s, i,
             NOTE_STRAY | (kind & 1 ? NOTE_WRITES : 0) | (kind & 2 ? NOTE_LOCAL : 0) |
                 bytes << NOTE_BYTES_SHIFT,
             size, "name");
    buf_printf(&s->text,
               "1:\tauipc t5, %%pcrel_hi(2f)\n\tsetrpc zero, t5, %%pcrel_lo(1b)\n"
               "\tli t4, %u\n\tvmv.v.x v9, t4\n\tvbne v1, v9, 2f\n\tla t1, .note.check.%u\n"
               "\tli t2, %lld\n\tvmv.v.x v5, t2\n\tvmv.v.x v6, t1\n"
               "o%u:\tvsw12.v v5, 0(v6)\n2:\tjoin zero, zero, 0\n",
               s->lane[i] = below(LANES), i, (long long)at, i);
    buf_printf(&s->want[i], "bounds: %s of %u byte%s ", kind & 1 ? "store" : "load", bytes,
               bytes == 1 ? "" : "s");
    put_where(at, at + bytes, size, &s->want[i]);
    buf_printf(&s->want[i], "%s variable 'name', which has %u\n", kind & 2 ? "local" : "private",
               size);
}

/* The variable begins, or ends, for all lanes but one perhaps; now and then one begins again that is there, or one ends
 * that is not. */
static void put_variable(Scene *s, u32 i)
{
    Private *v = &s->v[below(VARIABLES)];
    const u32 n = (u32)(v - s->v), but = below(2 * LANES);
    const bool begins = below(4) ? !v->lanes : below(2);
    char text[8];
    sprintf(text, "p%u", n);
    /* its note is that of its first use; later ones store there again */
    if (begins)
        buf_printf(&s->text,
                   "1:\tauipc t5, %%pcrel_hi(2f)\n\tsetrpc zero, t5, %%pcrel_lo(1b)\n"
                   "\tli t4, %u\n\tvmv.v.x v9, t4\n\tvbeq v1, v9, 2f\n",
                   but);
    buf_printf(&s->text, "\tla t1, .note.check.private%u\n\tli t2, %u\no%u:\tsw t2, 0(t1)\n", n,
               begins ? v->lo : 0, i);
    if (begins)
        buf_str(&s->text, "2:\tjoin zero, zero, 0\n");
    v->lanes = begins ? ((1u << LANES) - 1) & ~(1u << but) : 0;
}

/* The nearest variable of those that the lane has, if the bytes are in the gap of one; NULL: none. */
static const Private *nearest(const Scene *s, u32 lane, u32 lo, u32 end)
{
    const Private *best = NULL;
    u32 least = UINT32_MAX;
    bool is_gap = false;
    for (const Private *v = s->v; v < s->v + VARIABLES; v++) {
        if (!(v->lanes >> lane & 1) || v->is_plain)
            continue;
        const u32 behind = v->lo + v->size, away = lo >= behind   ? lo - behind
                                                   : end <= v->lo ? v->lo - end
                                                                  : 0;
        is_gap |= lo < behind + NOTE_GAP && end > behind;
        if (away < least) {
            least = away;
            best = v;
        }
    }
    return is_gap ? best : NULL;
}

static void put_access(Scene *s, u32 i)
{
    const bool writes = below(2);
    const u32 lo = 4 * below(s->v[VARIABLES - 1].lo / 4 + 20), end = lo + 4;
    buf_printf(&s->text, "\tli t1, %u\n\tvmv.v.x v3, t1\no%u:\t%s v2, 0(v3)\n", lo, i,
               writes ? "vsw.v" : "vlw.v");
    for (u32 lane = 0; lane < LANES && !s->want[i].len; lane++) {
        const Private *v = nearest(s, lane, lo, end);
        if (!v)
            continue;
        s->lane[i] = lane;
        buf_printf(&s->want[i], "bounds: %s of 4 bytes ", writes ? "store" : "load");
        put_where((i64)lo - v->lo, (i64)end - v->lo, v->size, &s->want[i]);
        buf_printf(&s->want[i], "private variable 'p%u', which has %u\n", (u32)(v - s->v), v->size);
    }
}

static void make_variables(Scene *s)
{
    u32 at = 64;
    for (u32 i = 0; i < VARIABLES; i++) {
        Private *v = &s->v[i];
        /* so far apart that no two are equally near to a word */
        *v = (Private){.lo = at, .size = 5 + 4 * below(8) + below(3), .is_plain = below(5) == 0};
        at = (at + v->size + NOTE_GAP + 3) / 4 * 4;
        at += below(2) ? 0 : 4 * below(6);
        buf_printf(&s->data,
                   "\t.balign 4\n\t.type .note.check.private%u, @object\n.note.check.private%u:\n"
                   "\t.word 0, %u, %u\n\t.asciz \"p%u\"\n"
                   "\t.size .note.check.private%u, . - .note.check.private%u\n",
                   i, i, NOTE_PRIVATE | (v->is_plain ? NOTE_PLAIN : 0u), v->size, i, i, i);
    }
}

static Object *make_image(Scene *s)
{
    buf_str(&s->text, "\t.kernel k\nk:\n\tvid.v v1\n");
    buf_str(&s->data, "\t.data\n");
    make_variables(s);
    for (u32 i = 0; i < OPS; i++)
        switch (below(5)) {
        case 0: put_index(s, i); break;
        case 1: put_stray(s, i); break;
        case 2: put_variable(s, i); break;
        default: put_access(s, i); break;
        }
    buf_str(&s->text, "\tret\n");
    buf_put(&s->text, s->data.data, s->data.len);
    return image_of_operations(&s->text, OPS, s->pc);
}

/* --- runs ------------------------------------------------------------------------------------- */

static void run(Scene *s)
{
    Object *image = make_image(s);
    const DrvKernel launch = {.kernel = "k",
                              .dims = 1,
                              .global = {2 * LANES, 1, 1},
                              .local = {LANES, 1, 1},
                              .max_insns = 100000};
    run_image(s->driver, image, &launch);
}

static u32 compare(const Scene *s, u32 i)
{
    const Cause *found = cause_at(s->check, s->pc[i]);
    const char *want = buf_text(&s->want[i]), *got = found ? found->text : "";
    char lane[32];
    sprintf(lane, "\n  lane        %u\n", s->lane[i]);
    if (strncmp(got, want, strlen(want)) || !*want != !found)
        fail_msg("op %u: '%s', should be '%s'", i, got, want);
    if (found && !strstr(got, "index") && !strstr(got, lane))
        fail_msg("op %u: '%s', should be of lane %u", i, got, s->lane[i]);
    return found != NULL;
}

static void run_one(u32 kinds, u32 *reports)
{
    static Scene s;
    s = (Scene){.driver = NULL};
    open_check(LANES, kinds, &s.driver, &s.check);
    run(&s);
    for (u32 i = 0; i < OPS; i++) {
        if (!(kinds >> CHECK_bounds & 1))
            buf_free(&s.want[i]);
        *reports += compare(&s, i);
        buf_free(&s.want[i]);
    }
    buf_free(&s.text);
    buf_free(&s.data);
    drv_close(s.driver);
    check_close(s.check);
}

static void programs_say_where_they_stray(void **state)
{
    (void)state;
    u32 reports = 0, none = 0;
    for (u32 i = 0; i < 60; i++)
        run_one(1u << CHECK_bounds, &reports);
    assert_true(reports > 60 * OPS / 4);
    run_one(1u << CHECK_barrier | 1u << CHECK_align, &none);
    assert_int_equal(none, 0);
}

static void a_few_leave_nothing(void **state)
{
    (void)state;
    u32 reports = 0;
    for (u32 i = 0; i < 3; i++)
        run_one((1u << NCHECK) - 1 - (1u << CHECK_init), &reports);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_of_the_program), cmocka_unit_test(programs_say_where_they_stray),
        cmocka_unit_test(leaves_nothing), cmocka_unit_test(a_few_leave_nothing)};
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
