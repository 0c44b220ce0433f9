/* entries_test.c -- which code of an entry there is and which is asked for (jit/entries.h,
 * doc/decisions/024, "Two kinds of code" and "When"): nothing while it is cold, then quick code,
 * then optimised code; by threads of their own, or by who waits; what is forgotten when code changes.
 * No code is run: how hot an entry is stands in it.
 */
#include "sim/handlers.h" /* before cmocka.h, which has a macro fail() */
#include "jit/entries.h"
#include "jit/hotlist.h"
#include "link/link.h"
#include "test/kit/assemble.h"
#include "test/kit/leftover.h"
#include "test/kit/skip.h"
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define FLAT_LOOP " li x5,1000\n 1: addi x5,x5,-1\n add x6,x6,x5\n bnez x5,1b\n endprg x0,x0,x0\n"
#define PAGE      " .balign 4096\n"

/* A loop in page 0; an instruction that host code leaves in page 1; more than is optimised at once in pages
 * 2 to 4; a loop in page 5; no instruction in page 6; a jump from page 7 to page 9; in page 10 lanes
 * that part, and never come to where they would meet, in page 11; a hundred instructions in page 12, a thousand in page
 * 13, and more than is optimised at all in pages 14 to 21, and ends. */
static const char text[] = FLAT_LOOP PAGE
    " csrrwi x0,frm,0\n endprg x0,x0,x0\n" PAGE " .rept 3001\n addi x5,x5,3\n .endr\n"
    " endprg x0,x0,x0\n" PAGE FLAT_LOOP PAGE " .word 0xffffffff\n" PAGE " j 1f\n" PAGE " nop\n" PAGE
    " 1: endprg x0,x0,x0\n" PAGE ".Lp: auipc x30,%pcrel_hi(.Lm)\n setrpc x0,x30,%pcrel_lo(.Lp)\n"
    " vbeq v1,v2,3f\n 2: j 2b\n 3: j 3b\n" PAGE ".Lm: join x0,x0,0\n" PAGE
    " .rept 100\n addi x5,x5,3\n .endr\n endprg x0,x0,x0\n" PAGE
    " .rept 1000\n addi x5,x5,3\n .endr\n endprg x0,x0,x0\n" PAGE
    " .rept 8001\n addi x5,x5,3\n .endr\n endprg x0,x0,x0\n";
enum {
    LOOP = 0,
    IDLE = 1,
    LARGE = 2,
    OTHER = 5,
    NOTHING = 6,
    NEAR = 7,
    FAR = 9,
    PART = 10,
    MEET = 11,
    MIDDLE = 12,
    LONGER = 13,
    HUGE = 14,
    PAGES = 22
};
/* nanoseconds: none is asked for, looked for, made, optimised at once; what a small one runs before that */
enum { COOL = 300000, LUKEWARM = COOL + 1, WARM = 100000000, HOTTEST = WARM + 1, MOST = 4000000 };

static Memory memory;
static Code *code;
static Entries table;
static bool is_open;
static const Launch launch = {.lanes = 8, .vm = VM_OWN};
static const WarpShape shape = {.full = true, .fresh = true};

#define NEED_MAKER                                                                                 \
    const char *why_not;                                                                           \
    (void)state;                                                                                   \
    if (!maker_available(&why_not))                                                                \
    skip_because("%s", why_not)

static void close_table(void)
{
    entries_close(&table);
    code_free(code);
    memory_close(&memory);
    is_open = false;
}

/* Closes what a failed test has left, whose threads would go on in the new table. */
static void open_table(bool waits, const char *tier)
{
    Caught c;
    if (is_open)
        close_table();
    catch_in(&c);
    Object *o = assemble(text, V202);
    Object *image =
        link_objects((const Object *const[]){o}, 1, &(LinkOptions){.entry = NULL}, &c.d);
    assert_non_null(image);
    assert_true(memory_open(&memory, CODE_LO, CODE_END));
    memory_map(&memory, CODE_LO, PAGES * PAGE_SIZE, MEM_R | MEM_X);
    for (size_t i = 0; i < image->nsegments; i++)
        memcpy(memory.base + image->segments[i].addr, image->segments[i].data.data,
               image->segments[i].data.len);
    obj_free(o);
    obj_free(image);
    code = code_new(V202, &memory, lane_level());
    assert_non_null(code);
    memset((void *)&table, 0, sizeof table);
    if (tier)
        setenv("VENTUS_JIT_TIER", tier, 1);
    entries_open(&table, code, &memory, "base", waits);
    unsetenv("VENTUS_JIT_TIER");
    is_open = true;
}

static Entry *entry_at(u32 page)
{
    return entries_find(&table, CODE_LO + page * PAGE_SIZE, 0, shape, launch.lanes, launch.vm);
}

static HostCode *code_in(const Entry *e, CodeKind kind) { return (HostCode *)e->code[kind].entry; }

/* The states of quick, plain and headers, as three letters of `cold, queued, ready, failed`. */
static void must_be(const Entry *e, const char *states)
{
    char is[NCODES + 1] = "";
    for (int k = 0; k < NCODES; k++)
        is[k] = "cqrf"[atomic_load(&e->state[k])];
    assert_string_equal(is, states);
}

static void pause_a_bit(void) { nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); }

static void wait_for(const Entry *e, CodeKind kind, CodeState want)
{
    for (int i = 0; atomic_load(&e->state[kind]) != (int)want; i++) {
        if (i == 60000)
            fail_msg("kind %d is in state %d, not %d", kind, atomic_load(&e->state[kind]), want);
        pause_a_bit();
    }
}

/* Whether the thread of quick code, or of the others, makes some. */
static bool is_making(u32 worker)
{
    pthread_mutex_lock(&table.lock);
    const bool makes = table.worker[worker].current;
    pthread_mutex_unlock(&table.lock);
    return makes;
}

static void forget(u32 first, u32 last)
{
    pthread_mutex_lock(&table.stable);
    entries_forget(&table, first, last);
    pthread_mutex_unlock(&table.stable);
}

/* --- the table --------------------------------------------------------------------------- */

/* An entry is of its pc, callee, shape of warps, lanes and rule, and there is one of each. */
static void finds_entries(void **state)
{
    enum { N = 9 };
    Entry *e[N];
    (void)state;
    open_table(false, NULL);
    for (u32 again = 0; again < 2; again++)
        for (u32 i = 0; i < N; i++) {
            Launch l = launch;
            WarpShape s = shape;
            l.lanes = i == 1 ? 16 : l.lanes;
            l.vm = i == 2 ? VM_IGNORE : l.vm;
            s.full = i != 3;
            s.fresh = i != 4;
            s.deep = i == 5;
            s.base = i == 6 ? CODE_LO : 0;
            const u32 pc = CODE_LO + (i == 7 ? 4 : 0), callee = i == 8 ? CODE_LO + 8 : 0;
            Entry *found = entries_find(&table, pc, callee, s, l.lanes, l.vm);
            assert_non_null(found);
            assert_true(found->pc == pc && found->callee == callee && found->lanes == l.lanes &&
                        found->vm == l.vm && !memcmp(&found->warp, &s, sizeof s));
            must_be(found, "ccc");
            for (u32 k = 0; k < i; k++)
                assert_ptr_not_equal(found, e[k]);
            assert_true(!again || found == e[i]);
            e[i] = found;
        }
    close_table();
}

/* Where code may be: aligned addresses of the window. */
static void where_entries_are(void **state)
{
    static const struct {
        u32 pc;
        bool ok;
    } row[] = {
        {CODE_LO, true},      {CODE_LO + 4, true},  {CODE_LO + 1, false}, {CODE_LO + 2, false},
        {CODE_LO - 4, false}, {CODE_END - 4, true}, {CODE_END, false},    {0, false},
    };
    (void)state;
    open_table(false, NULL);
    for (size_t i = 0; i < countof(row); i++) {
        const Entry *e = entries_find(&table, row[i].pc, 0, shape, launch.lanes, launch.vm);
        if ((e != NULL) != row[i].ok)
            fail_msg("there is %s entry at %#x", e ? "an" : "no", row[i].pc);
    }
    close_table();
}

/* --- who waits --------------------------------------------------------------------------- */

/* Code is made at once, optimised; the one with entries at headers when it is asked for. */
static void made_at_once(void **state)
{
    NEED_MAKER;
    open_table(true, NULL);
    Entry *e = entry_at(LOOP);
    HostCode *plain = entries_code(&table, e, false);
    assert_non_null(plain);
    must_be(e, "crc");
    assert_ptr_equal(plain, code_in(e, CODE_PLAIN));
    assert_ptr_equal(entries_code(&table, e, false), plain);
    HostCode *headers = entries_code(&table, e, true);
    assert_ptr_equal(headers, code_in(e, CODE_HEADERS));
    must_be(e, "crr");
    assert_int_equal(table.regions, 2);
    assert_int_equal(table.cached, 0);
    assert_true(table.nanoseconds > 0);
    /* HostEnv.uop: those of all blocks, one after the other */
    for (u32 i = 0, n = 0; i < e->region->nblock; i++)
        for (u32 k = 0; k < e->region->block[i].nuop; k++)
            assert_ptr_equal(e->uop[n++], e->region->block[i].uop[k]);
    close_table();
}

/* What is too large to be optimised has quick code; what would leave at once, or is no code, has
 * none. */
static void made_or_not(void **state)
{
    NEED_MAKER;
    open_table(true, NULL);
    Entry *large = entry_at(LARGE), *idle = entry_at(IDLE), *nothing = entry_at(PAGES);
    HostCode *quick = entries_code(&table, large, false);
    must_be(large, "rfc");
    assert_non_null(quick);
    assert_ptr_equal(quick, code_in(large, CODE_QUICK));
    assert_ptr_equal(entries_code(&table, large, false), quick);
    assert_null(entries_code(&table, idle, false));
    must_be(idle, "ffc");
    assert_null(entries_code(&table, nothing, false));
    must_be(nothing, "ffc");
    assert_int_equal(table.regions, 1);
    close_table();
}

static void tiers_of_who_waits(void **state)
{
    NEED_MAKER;
    open_table(true, "quick");
    Entry *e = entry_at(LOOP);
    for (u32 header = 0; header < 2; header++) {
        HostCode *quick = entries_code(&table, e, header);
        assert_non_null(quick);
        assert_ptr_equal(quick, code_in(e, CODE_QUICK));
        must_be(e, "rcc");
    }
    close_table();
}

/* --- threads ----------------------------------------------------------------------------- */

/* Asks for code as for an entry where so many instructions were interpreted, and so many ran in
 * quick code. */
static HostCode *ask(Entry *e, u64 heat, u64 ran, bool at_header)
{
    atomic_store(&e->heat, heat);
    atomic_store(&e->ran, ran);
    return entries_code(&table, e, at_header);
}

/* Nothing, quick, plain, headers. */
static void cold_to_hotter(void **state)
{
    NEED_MAKER;
    open_table(false, NULL);
    Entry *e = entry_at(LOOP);
    for (u32 header = 0; header < 2; header++)
        assert_null(ask(e, COOL, 0, header));
    must_be(e, "ccc");
    assert_null(table.maker);     /* nothing was opened */
    for (int i = 0; i < 2; i++) { /* it is looked for at once, and nothing is there */
        assert_null(ask(e, LUKEWARM, 0, false));
        must_be(e, "ccc");
        assert_non_null(table.maker);
        assert_false(table.worker[OF_QUICK].has_thread || table.worker[OF_FULL].has_thread);
    }
    assert_null(ask(e, WARM, 0, false));
    wait_for(e, CODE_QUICK, READY);
    must_be(e, "rcc");
    HostCode *quick = code_in(e, CODE_QUICK);
    /* from the interpreter, or where a turn ended: it can be entered at headers */
    for (u32 header = 0; header < 2; header++) {
        assert_ptr_equal(ask(e, WARM, 0, header), quick);
        assert_ptr_equal(ask(e, WARM, MOST, header), quick);
        assert_ptr_equal(ask(e, COOL, MOST, header), quick);
    }
    must_be(e, "rcc");
    HostCode *first = ask(e, COOL, MOST + 1, false);
    assert_true(first == quick || atomic_load(&e->state[CODE_PLAIN]) == READY);
    wait_for(e, CODE_PLAIN, READY);
    must_be(e, "rrc");
    HostCode *plain = ask(e, 0, 0, false);
    assert_ptr_equal(plain, code_in(e, CODE_PLAIN));
    /* until there are headers, quick code has them */
    first = ask(e, 0, 0, true);
    assert_true(first == quick || atomic_load(&e->state[CODE_HEADERS]) == READY);
    wait_for(e, CODE_HEADERS, READY);
    assert_ptr_equal(ask(e, 0, 0, true), code_in(e, CODE_HEADERS));
    assert_ptr_equal(ask(e, 0, 0, false), plain);
    must_be(e, "rrr");
    assert_int_equal(table.regions, 3);
    assert_false(is_making(0) || is_making(1));
    close_table();
}

/* What was interpreted for long is optimised, whether there is quick code or not. */
static void hottest(void **state)
{
    NEED_MAKER;
    open_table(false, NULL);
    Entry *e = entry_at(LOOP);
    ask(e, WARM, 0, false);
    wait_for(e, CODE_QUICK, READY);
    ask(e, WARM, 0, false);
    must_be(e, "rcc");
    ask(e, HOTTEST, 0, false);
    wait_for(e, CODE_PLAIN, READY);
    must_be(e, "rrc");
    Entry *other = entry_at(OTHER);
    ask(other, HOTTEST, 0, false);
    wait_for(other, CODE_PLAIN, READY);

    /* the more instructions, the longer */
    Entry *middle = entry_at(MIDDLE);
    ask(middle, WARM, MOST + 1, false);
    wait_for(middle, CODE_QUICK, READY);
    assert_int_equal(atomic_load(&middle->size), 101);
    ask(middle, WARM, 101 * 300000, false);
    must_be(middle, "rcc");
    ask(middle, 0, 101 * 300000 + 1, false);
    wait_for(middle, CODE_PLAIN, READY);
    close_table();
}

static void tiers(void **state)
{
    NEED_MAKER;
    open_table(false, "full");
    Entry *e = entry_at(LOOP), *large = entry_at(HUGE);
    assert_null(ask(e, COOL, UINT32_MAX, false));
    must_be(e, "ccc");
    ask(e, WARM, 0, false);
    wait_for(e, CODE_PLAIN, READY);
    must_be(e, "crc");
    assert_ptr_equal(ask(e, 0, 0, false), code_in(e, CODE_PLAIN));
    ask(large, WARM, 0, false);
    wait_for(large, CODE_PLAIN, FAILED);
    assert_null(large->code[CODE_PLAIN].block);
    ask(large, WARM, 0, false);
    wait_for(large, CODE_QUICK, READY);
    assert_ptr_equal(ask(large, 0, 0, false), code_in(large, CODE_QUICK));
    close_table();

    open_table(false, "quick");
    e = entry_at(LOOP);
    ask(e, WARM, 0, false);
    wait_for(e, CODE_QUICK, READY);
    for (u32 header = 0; header < 2; header++)
        assert_ptr_equal(ask(e, WARM, UINT32_MAX, header), code_in(e, CODE_QUICK));
    must_be(e, "rcc");
    close_table();
}

/* Regions of 8,000 instructions are optimised, of more not. */
static void sizes(void **state)
{
    NEED_MAKER;
    open_table(false, NULL);
    for (u32 more = 0; more < 2; more++) {
        Entry *e = entry_at(more ? OTHER : LOOP);
        ask(e, WARM, 0, false);
        wait_for(e, CODE_QUICK, READY);
        e->region->size = 8000 + more; /* its code stays that of a few */
        ask(e, WARM, UINT32_MAX, false);
        wait_for(e, CODE_PLAIN, more ? FAILED : READY);
        assert_ptr_equal(ask(e, WARM, UINT32_MAX, false),
                         code_in(e, more ? CODE_QUICK : CODE_PLAIN));
    }
    close_table();
}

/* Many entries that are asked for at once are all made, in quick code and optimised. */
static void queues(void **state)
{
    enum { N = 12 };
    Entry *e[N];
    NEED_MAKER;
    open_table(false, NULL);
    for (u32 kind = 0; kind < 2; kind++) {
        for (u32 i = 0; i < N; i++) {
            e[i] = entries_find(&table, CODE_LO + 4 * (i % 4) + (i < 8 ? 0 : OTHER * PAGE_SIZE), 0,
                                (WarpShape){.full = i & 4}, launch.lanes, launch.vm);
            ask(e[i], WARM, kind ? UINT32_MAX : 0, false);
        }
        for (u32 i = 0; i < N; i++)
            wait_for(e[i], kind ? CODE_PLAIN : CODE_QUICK, READY);
    }
    assert_int_equal(table.regions, 2 * N);
    for (u32 i = 0; i < N; i++)
        must_be(e[i], "rrc");
    close_table();
}

/* A fork asks for nothing, and has what there was. */
static void forks_make_nothing(void **state)
{
    NEED_MAKER;
    open_table(true, NULL);
    Entry *made = entry_at(LOOP), *other = entry_at(OTHER);
    HostCode *plain = entries_code(&table, made, false);
    int status;
    fflush(stdout);
    const pid_t child = fork();
    if (!child) {
        const bool ok = entries_code(&table, made, false) == plain &&
                        !entries_code(&table, other, false) &&
                        !atomic_load(&other->state[CODE_PLAIN]);
        close_table();
        _exit(!ok);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_non_null(entries_code(&table, other, false));
    close_table();
}

/* --- the disk ---------------------------------------------------------------------------- */

/* A directory of its own for code, and no other. */
static char disk[32];
static void begin_disk(void)
{
    strcpy(disk, "/tmp/entries_test.XXXXXX");
    assert_non_null(mkdtemp(disk));
    setenv("VENTUS_CACHE_DIR", disk, 1);
    unsetenv("VENTUS_CACHE");
}
static void end_disk(void)
{
    char command[64];
    setenv("VENTUS_CACHE", "0", 1);
    unsetenv("VENTUS_CACHE_DIR");
    snprintf(command, sizeof command, "rm -r %s", disk);
    assert_int_equal(system(command), 0);
}

/* Optimised code that is there already is taken at once instead of quick code, unless that is all
 * that is wanted. */
static void from_the_disk(void **state)
{
    NEED_MAKER;
    begin_disk();
    open_table(true, NULL);
    assert_non_null(entries_code(&table, entry_at(LOOP), false));
    assert_int_equal(table.cached, 0);
    close_table();

    for (u32 warm = 0; warm < 2; warm++) {
        const u64 heat = warm ? WARM : LUKEWARM;
        open_table(false, NULL);
        Entry *e = entry_at(LOOP);
        ask(e, heat, 0, false);
        wait_for(e, CODE_PLAIN, READY);
        must_be(e, "crc");
        assert_ptr_equal(ask(e, heat, 0, false), code_in(e, CODE_PLAIN));
        assert_int_equal(table.regions, 1);
        assert_int_equal(table.cached, 1);
        assert_int_equal(table.nanoseconds, 0);
        /* while there are no headers, quick code is to have them; who holds `stable` has no code
         * become ready meanwhile, which the disk may have */
        pthread_mutex_lock(&table.stable);
        assert_null(ask(e, 0, 0, true));
        must_be(e, "qrq");
        pthread_mutex_unlock(&table.stable);
        wait_for(e, CODE_QUICK, READY);
        wait_for(e, CODE_HEADERS, READY);
        must_be(e, "rrr");
        close_table();
    }

    open_table(false, "quick");
    Entry *e = entry_at(LOOP);
    ask(e, WARM, 0, false);
    wait_for(e, CODE_QUICK, READY);
    must_be(e, "rcc");
    close_table();
    end_disk();
}

/* A later run knows for which warps there is code, of every shape that warps begin in. */
static void warps_in_the_list(void **state)
{
    static const WarpShape shapes[] = {
        {.full = true, .fresh = true},
        {.fresh = true, .line = 1},
        {.full = true, .fresh = true, .line = 4},
        {.full = true, .fresh = true, .alone = true, .line = 8},
        {.full = true, .fresh = true, .line = LINE_WHOLE},
        {.fresh = true, .alone = true, .line = LINE_WHOLE},
    };
    NEED_MAKER;
    begin_disk();
    for (u32 again = 0; again < 2; again++) {
        open_table(false, NULL);
        hotlist_read(&table);
        assert_int_equal(table.hotlist.n, again * countof(shapes));
        for (size_t i = 0; i < countof(shapes); i++) {
            Entry *e = entries_find(&table, CODE_LO + LOOP * PAGE_SIZE, 0, shapes[i], launch.lanes,
                                    launch.vm);
            assert_int_equal(atomic_load(&e->is_hot), again);
            if (again)
                continue;
            ask(e, WARM, 0, false);
            wait_for(e, CODE_QUICK, READY);
        }
        close_table();
    }
    end_disk();
}

/* Where quick code is on the disk, an earlier program ran for long: what it runs now is optimised. */
static void hot_before(void **state)
{
    NEED_MAKER;
    begin_disk();
    open_table(false, NULL);
    Entry *e = entry_at(LOOP);
    ask(e, WARM, 0, false);
    wait_for(e, CODE_QUICK, READY);
    ask(e, COOL, 1, false); /* not so long that it is optimised at the end */
    must_be(e, "rcc");
    assert_false(table.runs_again);
    Entry *large = entry_at(LARGE);
    ask(large, WARM, 0, false);
    wait_for(large, CODE_QUICK, READY);
    close_table();

    open_table(false, NULL);
    /* a large region, which takes long to find, is looked for by no thread that runs warps */
    large = entry_at(LARGE);
    ask(large, LUKEWARM, 0, false);
    must_be(large, "ccc");
    assert_null(large->region);
    ask(large, WARM, 0, false);
    wait_for(large, CODE_QUICK, READY);
    assert_int_equal(table.cached, 1);
    assert_true(table.runs_again);
    e = entry_at(LOOP);
    ask(e, LUKEWARM, 0, false);
    must_be(e, "rcc"); /* at once */
    ask(e, LUKEWARM, 0, false);
    must_be(e, "rcc");
    ask(e, LUKEWARM, 1, false);
    wait_for(e, CODE_PLAIN, READY);
    assert_int_equal(table.cached, 2);
    close_table();
    end_disk();
}

/* What the disk has of an entry, by a table that makes nothing. */
static void must_be_there(u32 page, const char *states)
{
    open_table(false, NULL);
    Entry *e = entry_at(page);
    ask(e, LUKEWARM, 0, false);
    must_be(e, states);
    close_table();
}

/* Code that was asked for is on the disk when the table is closed, although nobody has waited for it
 * and its entry may be gone; without a disk nobody waits. */
static void finishes(void **state)
{
    NEED_MAKER;
    begin_disk();
    open_table(false, NULL);
    ask(entry_at(LOOP), HOTTEST, 0, false);
    close_table();
    must_be_there(LOOP, "crc");

    /* the worker has the first, and waits; others are queued, of which one has a region */
    open_table(false, NULL);
    Entry *first = entry_at(NEAR), *second = entry_at(OTHER);
    ask(second, WARM, 0, false);
    wait_for(second, CODE_QUICK, READY);
    pthread_mutex_lock(&table.worker[OF_FULL].making);
    ask(first, HOTTEST, 0, false);
    while (!is_making(1))
        pause_a_bit();
    ask(second, HOTTEST, 0, false);
    must_be(second, "rqc");
    forget(OTHER, OTHER);
    assert_non_null(table.worker[OF_FULL].bequests);
    pthread_mutex_unlock(&table.worker[OF_FULL].making);
    entries_finish(&table);
    assert_null(table.worker[OF_FULL].bequests);
    assert_int_equal(atomic_load(&first->state[CODE_PLAIN]), READY);
    must_be(entry_at(OTHER), "ccc");
    close_table();
    must_be_there(OTHER, "crc");
    end_disk();

    open_table(false, NULL);
    second = entry_at(OTHER);
    ask(second, WARM, 0, false);
    wait_for(second, CODE_QUICK, READY);
    pthread_mutex_lock(&table.worker[OF_FULL].making);
    ask(second, HOTTEST, 0, false);
    entries_finish(&table); /* it would wait for ever */
    assert_int_not_equal(atomic_load(&second->state[CODE_PLAIN]), READY);
    forget(OTHER, OTHER);
    assert_null(table.worker[OF_FULL].bequests);
    pthread_mutex_unlock(&table.worker[OF_FULL].making);
    close_table();
}

/* Another thread that makes optimised code, for two seconds or until it is told. */
static struct {
    _Atomic bool holds, is_done;
    bool ends;
} holder;
static void *hold(void *lock)
{
    pthread_mutex_lock(lock);
    atomic_store(&holder.holds, true);
    for (int i = 0; !atomic_load(&holder.is_done) && !(holder.ends && i == 2000); i++)
        pause_a_bit();
    pthread_mutex_unlock(lock);
    return NULL;
}

/* A program that is run again waits longer for its code, which else no run would keep.  Meanwhile other processors make
 * what else is asked for. */
static void finishes_again(void **state)
{
    NEED_MAKER;
    begin_disk();
    for (u32 again = 0; again < 2; again++) {
        pthread_t other;
        open_table(false, NULL);
        Entry *e = entry_at(LOOP);
        ask(e, WARM, 0, false);
        wait_for(e, CODE_QUICK, READY);
        assert_int_equal(table.runs_again, again);
        holder.ends = again;
        atomic_store(&holder.holds, false);
        atomic_store(&holder.is_done, false);
        assert_int_equal(pthread_create(&other, NULL, hold, &table.worker[OF_FULL].making), 0);
        while (!atomic_load(&holder.holds))
            pause_a_bit();
        ask(e, HOTTEST, 0, false);
        while (!is_making(OF_FULL))
            pause_a_bit();
        Entry *next = entry_at(NEAR);
        ask(next, HOTTEST, 0, false);
        entries_finish(&table);
        const int of_e = atomic_load(&e->state[CODE_PLAIN]),
                  of_next = atomic_load(&next->state[CODE_PLAIN]);
        maker_cancel(table.maker);
        atomic_store(&holder.is_done, true);
        pthread_join(other, NULL);
        close_table();
        assert_int_equal(of_e, again ? READY : QUEUED);
        assert_int_equal(of_next, again || host_processors() > 1 ? READY : QUEUED);
    }
    end_disk();
}

/* What ran for a while is optimised for later programs when the table is closed, or its entry forgotten;
 * what ran for less, or takes too long, is not. */
static void asks_at_the_end(void **state)
{
    enum { MUCH = 101 * 75000 };
    static const struct {
        u32 page;
        u64 spent;
        bool forgets;
        const char *then;
    } row[] = {{MIDDLE, MUCH, false, "rcc"},     {MIDDLE, MUCH, true, "rcc"},
               {MIDDLE, MUCH + 1, false, "crc"}, {MIDDLE, MUCH + 1, true, "crc"},
               {LONGER, WARM, false, "rcc"},     {LONGER, WARM, true, "rcc"}};
    NEED_MAKER;
    for (size_t i = 0; i < countof(row); i++) {
        begin_disk();
        open_table(false, NULL);
        Entry *e = entry_at(row[i].page);
        ask(e, WARM, 0, false);
        wait_for(e, CODE_QUICK, READY);
        ask(e, row[i].spent - COOL, COOL, false);
        must_be(e, "rcc");
        if (row[i].forgets)
            forget(row[i].page, row[i].page);
        close_table();
        must_be_there(row[i].page, row[i].then);
        end_disk();
    }
}

/* No more orders wait than some, however many programs are released. */
static void leaves_so_many(void **state)
{
    enum { N = 40, MOST_ORDERS = 32 };
    u32 left = 0;
    NEED_MAKER;
    begin_disk();
    open_table(false, NULL);
    pthread_mutex_lock(&table.worker[OF_FULL].making); /* the worker has something, and waits */
    ask(entry_at(NEAR), HOTTEST, 0, false);
    while (!is_making(OF_FULL))
        pause_a_bit();
    for (u32 i = 0; i < N; i++) {
        Entry *e = entries_find(&table, CODE_LO + MIDDLE * PAGE_SIZE + 4 * i, 0, shape,
                                launch.lanes, launch.vm);
        ask(e, WARM, 0, false);
        wait_for(e, CODE_QUICK, READY);
    }
    forget(MIDDLE, MIDDLE);
    for (const Bequest *b = table.worker[OF_FULL].bequests; b; b = b->next)
        left++;
    assert_int_equal(left, MOST_ORDERS);
    pthread_mutex_unlock(&table.worker[OF_FULL].making);
    close_table();
    end_disk();
}

/* --- what is forgotten ------------------------------------------------------------------- */

/* Entries whose code is in a page that changes, or that begin there, are gone; others stay. */
static void forgets_pages(void **state)
{
    static const u32 begins[] = {LOOP, OTHER, NEAR, PART};
    NEED_MAKER;
    open_table(true, NULL);
    for (u32 page = 0; page < PAGES; page++) {
        bool had[countof(begins)];
        for (u32 i = 0; i < countof(begins); i++)
            assert_non_null(entries_code(&table, entry_at(begins[i]), false));
        Entry *cold = entry_at(NOTHING);
        atomic_store(&cold->heat, 7);
        forget(page, page);
        for (u32 i = 0; i < countof(begins); i++)
            had[i] = atomic_load(&entry_at(begins[i])->state[CODE_PLAIN]) == READY;
        if (had[0] != (page != LOOP) || had[1] != (page != OTHER) ||
            had[2] != (page != NEAR && page != FAR) || had[3] != (page != PART && page != MEET))
            fail_msg("page %u: %d %d %d %d", page, had[0], had[1], had[2], had[3]);
        assert_int_equal(entry_at(NOTHING)->heat, page == NOTHING ? 0 : 7);
    }
    for (u32 i = 0; i < countof(begins); i++)
        entries_code(&table, entry_at(begins[i]), false);
    forget(LOOP + 1, NEAR - 1);
    must_be(entry_at(LOOP), "crc");
    must_be(entry_at(OTHER), "ccc");
    must_be(entry_at(NEAR), "crc");
    close_table();
}

/* What is queued when code changes is no longer; it can be asked for again. */
static void forgets_what_is_queued(void **state)
{
    enum { N = 8 };
    NEED_MAKER;
    open_table(false, NULL);
    Entry *e[N];
    pthread_mutex_lock(&table.stable); /* so that none is made before */
    for (u32 i = 0; i < N; i++) {
        e[i] = entries_find(&table, CODE_LO + 4 * (i % 4) + (i < 4 ? 0 : OTHER * PAGE_SIZE), 0,
                            shape, launch.lanes, launch.vm);
        atomic_store(&e[i]->has_looked, true); /* nor looked for, by this thread */
        ask(e[i], WARM, 0, false);
        must_be(e[i], "qcc");
    }
    while (!is_making(0))
        pause_a_bit();
    entries_forget(&table, OTHER, OTHER);
    must_be(e[0], "qcc"); /* a thread has taken it already */
    for (u32 i = 1; i < 4; i++)
        must_be(e[i], "ccc");
    assert_null(table.worker[0].queue[CODE_QUICK]);
    pthread_mutex_unlock(&table.stable);
    for (u32 i = 0; i < 4; i++) {
        ask(e[i], WARM, 0, false);
        wait_for(e[i], CODE_QUICK, READY);
    }
    must_be(entry_at(OTHER), "ccc");
    assert_int_equal(table.regions, 4);
    close_table();
}

/* An entry whose quick code was queued can ask for it again, although its optimised code is being made. */
static void forgets_one_kind(void **state)
{
    NEED_MAKER;
    open_table(false, NULL);
    pthread_mutex_lock(&table.stable);
    Entry *first = entry_at(NEAR), *second = entry_at(LOOP);
    atomic_store(&first->has_looked, true);
    atomic_store(&second->has_looked, true);
    ask(first, WARM, 0, false);
    while (!is_making(OF_QUICK))
        pause_a_bit();
    ask(second, HOTTEST, 0, false);
    must_be(second, "qqc");
    while (!is_making(OF_FULL))
        pause_a_bit();
    entries_forget(&table, OTHER, OTHER);
    must_be(second, "cqc");
    pthread_mutex_unlock(&table.stable);
    wait_for(second, CODE_PLAIN, READY);
    close_table();
}

/* --- flags of floats --------------------------------------------------------------------- */

/* Whether code that stands somewhere in the window reads the flags. */
static void settles_flags(void **state)
{
    static const struct {
        const char *insn;
        bool reads;
    } row[] = {
        {"nop", false},
        {"csrr x5,fflags", true},
        {"csrr x5,fcsr", true},
        {"csrr x0,fflags", true},
        {"csrr x5,frm", false},
        {"csrr x5,vl", false},
        {"csrrwi x5,fflags,3", true},
        {"csrrsi x0,fflags,3", true},
        {"csrrc x5,fflags,x6", true},
        {"csrrw x0,fcsr,x6", true},
        {"fadd.s x5,x6,x7", false},
        {"endprg x0,x0,x0", false},
        {"andi x5,x6,1", false}, /* with the bits of fflags, of fcsr where the others have theirs */
        {"ori x5,x6,3", false},
    };
    NEED_MAKER;
    for (size_t i = 0; i < countof(row); i++) {
        static const u32 nop = 0x13;
        const u32 at = CODE_LO + (PAGES - 1) * PAGE_SIZE + 4092;
        Caught c;
        open_table(true, NULL);
        Entry *e = entry_at(LOOP);
        entries_settle(&table);
        assert_int_equal(table.flags, FLAGS_UNKNOWN); /* nothing was made by it */
        assert_non_null(entries_code(&table, e, false));
        assert_int_equal(table.flags, FLAGS_UNREAD);
        const u32 word = (u32)first_word(&c, row[i].insn, &(AsmOptions){.set = V202});
        memcpy(memory.base + at, &word, 4);
        for (u32 right = 0; right < 2; right++) { /* without the right to it, it is no code */
            memory_set_rights(&memory, at >> PAGE_BITS, right ? MEM_R | MEM_X : MEM_R);
            forget(PAGES - 1, PAGES - 1);
            assert_int_equal(table.flags, FLAGS_UNKNOWN);
            entries_settle(&table);
            const bool reads = right && row[i].reads;
            if (table.flags != (reads ? FLAGS_READ : FLAGS_UNREAD))
                fail_msg("%s: flags are %sread", row[i].insn, reads ? "not " : "");
            must_be(entry_at(LOOP), reads ? "ccc" : "crc"); /* it was made for another rule */
        }
        assert_non_null(entries_code(&table, entry_at(LOOP), false));
        assert_int_equal(entry_at(LOOP)->region->flags, row[i].reads);
        memcpy(memory.base + at, &nop, 4);
        forget(PAGES - 1, PAGES - 1);
        entries_settle(&table);
        assert_int_equal(table.flags, FLAGS_UNREAD);
        must_be(entry_at(LOOP), row[i].reads ? "ccc" : "crc");
        buf_free(&c.text);
        close_table();
    }
}

/* --- before there is any ------------------------------------------------------------------- */

/* How many helpers are there, of those that most code calls, or of the others. */
static u32 count_helpers(bool usual)
{
    u64 set[HELPER_WORDS];
    u32 n = 0;
    helpers_usual(set);
    for (u32 i = 0; i < NHELPERS; i++)
        n += (set[i / 64] >> i % 64 & 1) == usual && maker_helpers(table.maker)[i];
    return n;
}

/* Whether the thread of quick code waits for work. */
static bool is_done(void)
{
    pthread_mutex_lock(&table.lock);
    const bool done = table.maker && !table.expects;
    pthread_mutex_unlock(&table.lock);
    return done;
}

/* Who expects code has the maker begin, and helpers made, unless launches wait for code anyway or something was made
 * before; it may be closed meanwhile. */
static void expects_code(void **state)
{
    enum {
        USUAL = 7
    }; /* KEEP, rows and accesses of words that load or store, the latter of all or some lanes */
    NEED_MAKER;
    if (host_processors() < 2)
        skip_because("there is one processor");
    open_table(false, NULL);
    entries_expect(&table);
    for (int i = 0; !is_done() && i < 60000; i++)
        pause_a_bit();
    assert_true(is_done());
    assert_int_equal(count_helpers(true), USUAL);
    assert_int_equal(count_helpers(false), 0);
    must_be(entry_at(LOOP), "ccc");
    entries_expect(&table);
    assert_false(table.expects);
    close_table();

    open_table(true, NULL);
    entries_expect(&table);
    assert_false(table.expects || table.worker[OF_QUICK].has_thread);
    close_table();

    open_table(false, NULL);
    entries_expect(&table);
    close_table();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_entries),
        cmocka_unit_test(where_entries_are),
        cmocka_unit_test(expects_code),
        cmocka_unit_test(made_at_once),
        cmocka_unit_test(made_or_not),
        cmocka_unit_test(tiers_of_who_waits),
        cmocka_unit_test(cold_to_hotter),
        cmocka_unit_test(hottest),
        cmocka_unit_test(tiers),
        cmocka_unit_test(sizes),
        cmocka_unit_test(queues),
        cmocka_unit_test(from_the_disk),
        cmocka_unit_test(warps_in_the_list),
        cmocka_unit_test(hot_before),
        cmocka_unit_test(finishes),
        cmocka_unit_test(finishes_again),
        cmocka_unit_test(asks_at_the_end),
        cmocka_unit_test(leaves_so_many),
        cmocka_unit_test(settles_flags),
        cmocka_unit_test(forgets_pages),
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(forks_make_nothing),
        cmocka_unit_test(forgets_what_is_queued),
        cmocka_unit_test(forgets_one_kind),
    };
    remember_tests(tests, countof(tests), argv);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    setenv("VENTUS_CACHE", "0", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
