/* dbg_lack_test.c -- one allocation after the other fails while gdb is waited for, or leads a launch, or keys do: what
 * cannot be had is refused or left out, nothing wrong is said, and the kernel computes what it computes with memory.
 */
#include "test/kit/lackdrv.h"
#include "test/kit/assemble.h"
#include "dbg/debugger.h"
#include "link/link.h"
#include <sys/stat.h>

#define HEAP 0x90000000u
enum { HEAP_BYTES = 1 << 16, OUT = 1 << 16 };

/* --- waiting for gdb ------------------------------------------------------------------------ */

static char dir[] = "/tmp/dbg_lack.XXXXXX", path[64];

static void hear_message(void *self, DiagKind kind, const char *message)
{
    (void)kind;
    snprintf(self, 200, "%.199s", message);
}

static bool listens_at(const char *address, Buf *made)
{
    char said[200] = "";
    struct stat s;
    Diag messages = {.sink = hear_message, .to = said};
    Debugger *d = dbg_listen(address, NULL, NULL, &messages);
    if (d) {
        must(!diag_errors(&messages), "an error, and gdb is waited for");
        must(address != path || !stat(path, &s), "there is no socket");
        buf_str(made, address);
    } else {
        must(messages.no_memory && diag_errors(&messages) == 1,
             "nobody said why gdb is not waited for");
    }
    dbg_close(d, 0);
    must(stat(path, &s), "the socket is left");
    return d;
}

static void count_close(void *self) { ++*(int *)self; }

/* Ports and paths, and the connections that are there already: they are closed, whatever happens. */
static bool waits(Buf *made)
{
    buf_reserve(made, 1000);
    const size_t before = live_blocks();
    int closed = 0;
    const bool ok = listens_at("0", made) && listens_at(path, made);
    Debugger *d = dbg_open(&(DbgStream){.self = &closed, .close = count_close});
    must(closed == !d, "a connection is closed if nobody takes it");
    dbg_close(d, 0);
    must(closed == 1, "a connection is open");
    Debugger *keys = dbg_step(&(DbgScreen){.self = NULL});
    dbg_close(keys, 0);
    must(live_blocks() == before, "a block is left");
    return ok && d && keys;
}

static void waiting_lacks(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/socket", dir);
    LACK_OF_MEMORY(waits);
}

static int remove_directory(void **state)
{
    (void)state;
    rmdir(dir);
    return 0;
}

/* --- a launch ------------------------------------------------------------------------------- */

/* Lane k of the warp stores 3k + 1 at HEAP + 4k; then it counts ten rounds in the word at HEAP + 0x100. */
static const char program[] = "_start: lui t0, 0x90000\n"
                              "        vid.v v1\n"
                              "        vsll.vi v2, v1, 2\n"
                              "        vadd.vv v3, v1, v1\n"
                              "        vadd.vv v3, v3, v1\n"
                              "        vadd.vi v3, v3, 1\n"
                              "        vadd.vx v4, v2, t0\n"
                              "        vsw12.v v3, 0(v4)\n"
                              "        li t1, 10\n"
                              "loop:   lw t2, 256(t0)\n"
                              "        addi t2, t2, 1\n"
                              "        sw t2, 256(t0)\n"
                              "        addi t1, t1, -1\n"
                              "        bnez t1, loop\n"
                              "        endprg\n";

/* A job takes one; its device frees it.  The processes of a test all take the next one. */
static Object *images[8];
static size_t taken;

static int make_images(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(images); i++) {
        Caught c;
        Object *o = assemble_in(&c, program, &(AsmOptions){.set = V202, .lines = true});
        images[i] =
            link_objects((const Object *const[]){o}, 1, &(LinkOptions){.entry = NULL}, &c.d);
        if (!images[i] || !obj_add_source(images[i], "t.s", program, strlen(program)))
            fail_msg("%s", buf_text(&c.text));
        obj_free(o);
        buf_free(&c.text);
    }
    return 0;
}

static int free_images(void **state)
{
    (void)state;
    while (taken < countof(images))
        obj_free(images[taken++]);
    return 0;
}

/* Launches it for one warp of four lanes.  True: it came to its end, and what it stores is appended. */
static bool launch_led(Debugger *debugger, Buf *made)
{
    DeviceOptions o = dev_defaults();
    DevResult r;
    Caught c;
    u32 word[5];
    Object *image = images[taken++];
    o.engine = &dbg_kind;
    Device *d = dev_open(&o);
    catch_in(&c);
    c.d.sink = NULL;
    if (!d || !dev_load(d, image, &c.d)) {
        dev_close(d);
        obj_free(image);
        return false;
    }
    memory_map(dev_memory(d), HEAP, HEAP_BYTES, MEM_R | MEM_W);
    dbg_attach(debugger, d);
    const bool ok = dev_launch(d,
                               &(DevLaunch){.knl = HEAP + 0x8000,
                                            .groups = {1, 1, 1},
                                            .warps = 1,
                                            .lanes = 4,
                                            .sgprs = 32,
                                            .vgprs = 8,
                                            .pds = HEAP + HEAP_BYTES / 2,
                                            .pds_lane = 64,
                                            .pds_size = HEAP_BYTES / 2},
                               &r);
    must(dev_read(d, HEAP, word, 16) && dev_read(d, HEAP + 256, word + 4, 4), "memory is gone");
    for (u32 i = 0; ok && i < 4; i++)
        must(word[i] == 3 * i + 1, "a lane has stored something else");
    must(!ok || word[4] == 10, "the loop had not ten rounds");
    must(ok || r.run.fault.kind == FAULT_NO_MEMORY || r.run.fault.kind == FAULT_STOPPED,
         "another fault");
    dev_close(d);
    buf_put(made, word, sizeof word);
    return ok;
}

/* --- led by gdb ------------------------------------------------------------------------------ */

/* What gdb sends, and all that came back. */
static char sent[4096], got[OUT], right[OUT];
static size_t at, ngot;

static int read_sent(void *self, void *to, size_t most, int milliseconds)
{
    (void)self;
    const size_t left = strlen(sent + at), n = left < most ? left : most;
    if (!milliseconds)
        return 0;
    memcpy(to, sent + at, n);
    at += n;
    return n ? (int)n : -1;
}

static bool write_got(void *self, const void *bytes, size_t n)
{
    (void)self;
    must(ngot + n < sizeof got, "too many answers");
    memcpy(got + ngot, bytes, n);
    ngot += n;
    return true;
}

static void close_nothing(void *self) { (void)self; }

static void send(const char *text)
{
    u8 sum = 0;
    for (const char *c = text; *c; c++)
        sum = (u8)(sum + *c);
    const size_t n = strlen(sent);
    snprintf(sent + n, sizeof sent - n, "$%s#%02x", text, sum);
}

/* The length of the answer that begins at p. */
static size_t answer_length(const char *p)
{
    const char *end = strchr(p, '#');
    must(*p == '$' && end && strlen(end) >= 3, "no whole answer");
    return (size_t)(end + 3 - p);
}

/* Whether the answers are those of a launch with memory.  Up to the first that lacked some they are. */
static bool same_answers(void)
{
    static const char refused[] = "$E01#a6", none[] = "$#00";
    const char *p = got + strspn(got, "+-"), *want = right + strspn(right, "+");
    for (size_t n; *p; p += n, want += n) {
        n = answer_length(p);
        must(memcmp(p, none, 4), "an answer is empty");
        if (strlen(want) >= n && !memcmp(p, want, n))
            continue;
        must(!strncmp(p, refused, 7) || !strncmp(p, "$F-1,", 5) || !strncmp(p, "$O", 2) ||
                 !strncmp(p, "$T05replaylog:", 14) || !strncmp(p, "$T06", 4) ||
                 !strncmp(p, "$OK#", 4),
             p);
        return false;
    }
    return !*want;
}

static void begin_leading(Buf *made)
{
    buf_reserve(made, 1000);
    at = ngot = 0;
    memset(got, 0, sizeof got);
}

/* Has debugger d, or nobody for lack of memory, lead a launch, and closes it.  What it says in the
 * first one that has memory is right. */
static bool led_by(Debugger *d, Buf *made)
{
    if (!d) {
        obj_free(images[taken++]);
        return false;
    }
    const bool ok = launch_led(d, made);
    dbg_close(d, 0);
    if (!*right)
        memcpy(right, got, sizeof right);
    return ok;
}

static bool led_by_gdb(Buf *made)
{
    begin_leading(made);
    const bool ok = led_by(dbg_open(&(DbgStream){NULL, read_sent, write_got, close_nothing}), made);
    return same_answers() && ok;
}

static void leading_lacks(void **state)
{
    (void)state;
    send("QStartNoAckMode");
    send("qXfer:features:read:target.xml:0,40");
    send("qXfer:exec-file:read::0,100");
    send("vFile:open:2f76656e7475732f696d6167652e656c66,0,0");
    send("qThreadExtraInfo,1");
    send("qRcmd,7768657265"); /* where */
    send("qRcmd,64697361");   /* disa */
    send("g");
    send("Z0,8000002c,4;X4,22012227"); /* after the sum, if 1 */
    send("vCont;c");
    send("p7");
    send("M90000200,4:11223344");
    send("m90000200,4");
    send("vCont;s:1");
    send("bs");
    send("p20");
    send("z0,8000002c,4");
    send("Z2,90000100,4");
    send("vCont;c");
    send("bc");
    send("P9=01000000");
    send("D");
    LACK_OF_MEMORY(led_by_gdb);
}

/* --- led by keys ---------------------------------------------------------------------------- */

static const char keys[] = "snnbBwsc";

static int press_key(void *self)
{
    (void)self;
    return keys[at] ? keys[at++] : -1;
}

static void write_screen(void *self, const void *bytes, size_t n) { write_got(self, bytes, n); }

static bool led_by_keys(Buf *made)
{
    begin_leading(made);
    return led_by(dbg_step(&(DbgScreen){NULL, false, write_screen, press_key}), made) &&
           !strcmp(got, right);
}

static void keys_lack(void **state)
{
    (void)state;
    memset(right, 0, sizeof right);
    LACK_OF_MEMORY(led_by_keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(waiting_lacks, remove_directory),
        cmocka_unit_test(leading_lacks),
        cmocka_unit_test(keys_lack),
    };
    return cmocka_run_group_tests(tests, make_images, free_images);
}
