/* server.c -- gdb's packets, answered between two runs of a launch.
 *
 * A row of packet.def is a beginning of packets and the function that answers them; what no row
 * begins gets the empty answer, by which gdb knows that it is not there.
 */
#include "dbg/debugger.h"
#include <stdlib.h>
#include <string.h>

/* the name of the image for gdb, which reads it through us */
#define IMAGE_NAME "/ventus/image.elf"
enum { IMAGE_HANDLE = 5 };

/* What a packet's function says besides its answer. */
typedef enum { STAY, GO } Then;

static Lane current(const Debugger *d)
{
    Lane l;
    for (u32 t = d->thread; t; t = 0)
        if (lane_find(d->run, t, &l))
            return l;
    const Group *g = d->run->group;
    return (Lane){&g->warps[0], g->warps[0].initial ? (u32)__builtin_ctz(g->warps[0].initial) : 0};
}

static void put_ok(Buf *out) { buf_str(out, "OK"); }
static void put_error(Buf *out) { buf_str(out, "E01"); }

/* --- stops ---------------------------------------------------------------------------------- */

static void put_stop(const Debugger *d, Buf *out)
{
    static const char *const watches[] = {
        [WATCH_WRITES] = "watch", [WATCH_READS] = "rwatch", [WATCH_ALL] = "awatch"};
    const Stop *s = &d->stop;
    buf_printf(out, "T%02x", (u32)s->signal);
    if (s->kind == STOP_WATCH)
        buf_printf(out, "%s:%x;", watches[s->watch], s->addr);
    if (s->kind == STOP_BEGIN)
        buf_str(out, "replaylog:begin;");
    buf_printf(out, "thread:%x;", s->thread);
}

void tell_stop(Debugger *d)
{
    Buf out = {0};
    d->thread = d->stop.thread;
    d->user_was_asked = false;
    put_stop(d, &out);
    if (out.failed) /* gdb would wait for ever */
        d->wire.gone = true;
    else
        wire_send(&d->wire, out.data, out.len);
    buf_free(&out);
}

static Then on_why(Debugger *d, const char *text, Buf *out)
{
    (void)text;
    put_stop(d, out);
    return STAY;
}

/* --- going on --------------------------------------------------------------------------------- */

static Then on_continue(Debugger *d, const char *text, Buf *out)
{
    (void)text, (void)out;
    d->plan = (Plan){.kind = PLAN_CONTINUE};
    return GO;
}

static Then on_step(Debugger *d, const char *text, Buf *out)
{
    (void)text, (void)out;
    d->plan = (Plan){.kind = PLAN_STEP, .thread = d->thread};
    return GO;
}

/* The thread of an action of vCont: ":ID", "" or -1 for the present one. */
static u32 action_thread(const Debugger *d, const char *p)
{
    u64 n;
    return *p == ':' && p[1] != '-' && (p++, hex_number(&p, &n)) && n <= UINT32_MAX && n
               ? (u32)n
               : d->thread;
}

static Then on_vcont(Debugger *d, const char *text, Buf *out)
{
    Plan plan = {.kind = PLAN_CONTINUE};
    while (*text == ';' && plan.kind == PLAN_CONTINUE) {
        const char kind = *++text;
        u64 n, lo = 0, end = 0;
        text += *text != 0;
        if ((kind == 'C' || kind == 'S') && !hex_number(&text, &n))
            break;
        if (kind == 'r' && (!hex_number(&text, &lo) || *text++ != ',' || !hex_number(&text, &end)))
            break;
        if (kind == 's' || kind == 'S')
            plan = (Plan){.kind = PLAN_STEP, .thread = action_thread(d, text)};
        else if (kind == 'r')
            plan = (Plan){.kind = lo < end ? PLAN_RANGE : PLAN_STEP,
                          .lo = (u32)lo,
                          .end = (u32)end,
                          .thread = action_thread(d, text)};
        else if (kind != 'c' && kind != 'C') {
            put_error(out);
            return STAY;
        }
        text += strcspn(text, ";");
    }
    d->plan = plan;
    return GO;
}

static Then on_vcont_query(Debugger *d, const char *text, Buf *out)
{
    (void)d, (void)text;
    buf_str(out, "vCont;c;C;s;S;r");
    return STAY;
}

static Then on_back_step(Debugger *d, const char *text, Buf *out)
{
    (void)text, (void)out;
    d->plan = (Plan){.kind = PLAN_STEP, .thread = d->thread, .back = true};
    return GO;
}

static Then on_back_continue(Debugger *d, const char *text, Buf *out)
{
    (void)text, (void)out;
    d->plan = (Plan){.kind = PLAN_CONTINUE, .back = true};
    return GO;
}

static Then on_detach(Debugger *d, const char *text, Buf *out)
{
    (void)text;
    put_ok(out);
    d->detached = true;
    return GO;
}

static Then on_kill(Debugger *d, const char *text, Buf *out)
{
    if (*text) /* vKill;PID, which wants an answer */
        put_ok(out);
    d->detached = d->killed = true;
    return GO;
}

/* --- threads ---------------------------------------------------------------------------------- */

static Then on_select(Debugger *d, const char *text, Buf *out)
{
    u64 n;
    Lane l;
    put_ok(out);
    if (*text != 'g' || !hex_number((text++, &text), &n) || !n)
        return STAY;
    if (lane_find(d->run, n <= UINT32_MAX ? (u32)n : 0, &l)) {
        d->thread = (u32)n;
    } else {
        out->len = 0;
        put_error(out);
    }
    return STAY;
}

static Then on_alive(Debugger *d, const char *text, Buf *out)
{
    u64 n;
    Lane l;
    if (hex_number(&text, &n) && n <= UINT32_MAX && lane_find(d->run, (u32)n, &l))
        put_ok(out);
    else
        put_error(out);
    return STAY;
}

static Then on_current(Debugger *d, const char *text, Buf *out)
{
    (void)text;
    buf_printf(out, "QC%x", lane_thread(current(d)));
    return STAY;
}

static u32 thread_count(const Debugger *d) { return d->run->group->nwarps * d->run->launch->lanes; }

static Then on_first_threads(Debugger *d, const char *text, Buf *out)
{
    Lane l;
    (void)text;
    d->user_was_asked = true;
    for (u32 t = 1; t <= thread_count(d); t++)
        if (lane_find(d->run, t, &l))
            buf_printf(out, "%c%x", out->len ? ',' : 'm', t);
    return STAY;
}

static Then on_next_threads(Debugger *d, const char *text, Buf *out)
{
    (void)d, (void)text;
    buf_str(out, "l");
    return STAY;
}

static Then on_thread_extra(Debugger *d, const char *text, Buf *out)
{
    u64 n;
    Lane l;
    Buf name = {0};
    if (!hex_number(&text, &n) || n > UINT32_MAX || !lane_find(d->run, (u32)n, &l)) {
        put_error(out);
        return STAY;
    }
    lane_describe(l, &name);
    if (name.failed)
        put_error(out);
    else
        hex_put(out, name.data, name.len);
    buf_free(&name);
    return STAY;
}

/* --- registers and memory --------------------------------------------------------------------- */

static u32 read_register(const Debugger *d, u32 n, u8 bytes[MOST_REGISTER])
{
    const u32 size = state_read_register(d->run, current(d), n, bytes);
    if (n == PC_REGISTER && d->pretender && d->pretender == d->thread) {
        const u32 ahead = lane_pc(current(d)) + 4;
        memcpy(bytes, &ahead, sizeof ahead);
    }
    return size;
}

static Then on_read_registers(Debugger *d, const char *text, Buf *out)
{
    u8 bytes[MOST_REGISTER];
    (void)text;
    for (u32 n = 0; n < BASIC_REGISTERS; n++)
        hex_put(out, bytes, read_register(d, n, bytes));
    return STAY;
}

static Then on_write_registers(Debugger *d, const char *text, Buf *out)
{
    Buf bytes = {0};
    bool ok = hex_bytes(text, text + strlen(text), &bytes, BASIC_REGISTERS * 4) &&
              bytes.len == BASIC_REGISTERS * 4;
    for (u32 n = 1; ok && n < BASIC_REGISTERS; n++)
        ok = state_write_register(d->run, current(d), n, bytes.data + n * 4, 4);
    buf_free(&bytes);
    (ok ? put_ok : put_error)(out);
    return STAY;
}

static Then on_read_register(Debugger *d, const char *text, Buf *out)
{
    u8 bytes[MOST_REGISTER];
    u64 n;
    const u32 size = hex_number(&text, &n) && n <= UINT32_MAX ? read_register(d, (u32)n, bytes) : 0;
    if (size)
        hex_put(out, bytes, size);
    else
        put_error(out);
    return STAY;
}

static Then on_write_register(Debugger *d, const char *text, Buf *out)
{
    Buf bytes = {0};
    u64 n;
    const bool ok = hex_number(&text, &n) && n <= UINT32_MAX && *text++ == '=' &&
                    hex_bytes(text, text + strlen(text), &bytes, MOST_REGISTER) &&
                    state_write_register(d->run, current(d), (u32)n, bytes.data, (u32)bytes.len);
    buf_free(&bytes);
    (ok ? put_ok : put_error)(out);
    return STAY;
}

/* "ADDR,SIZE", and `then` behind it if that is not 0 */
static bool read_range(const char **text, u64 *addr, u64 *size, char then)
{
    return hex_number(text, addr) && *(*text)++ == ',' && hex_number(text, size) &&
           (!then || *(*text)++ == then);
}

static Then on_read_memory(Debugger *d, const char *text, Buf *out)
{
    u8 bytes[MOST_PACKET / 2];
    u64 addr, size;
    if (!read_range(&text, &addr, &size, 0)) {
        put_error(out);
        return STAY;
    }
    size = state_read_memory(d->run, current(d), addr, bytes,
                             size < sizeof bytes ? size : sizeof bytes);
    if (size)
        hex_put(out, bytes, size);
    else
        put_error(out);
    return STAY;
}

static Then on_write_memory(Debugger *d, const char *text, Buf *out)
{
    Buf bytes = {0};
    u64 addr, size;
    const bool ok = read_range(&text, &addr, &size, ':') &&
                    hex_bytes(text, text + strlen(text), &bytes, MOST_PACKET) &&
                    bytes.len == size &&
                    state_write_memory(d->run, current(d), addr, bytes.data, size);
    buf_free(&bytes);
    (ok ? put_ok : put_error)(out);
    return STAY;
}

/* --- breakpoints and watchpoints
 * ------------------------------------------------------------------ */

static void breakpoint_free(Breakpoint *b)
{
    for (size_t i = 0; i < b->n; i++)
        buf_free(&b->condition[i]);
    b->n = 0;
}

/* Conditions: ";X" SIZE "," bytes, again and again. */
static bool read_conditions(const char *text, Breakpoint *b)
{
    while (*text == ';' || *text == 'X') {
        u64 size;
        text += *text == ';';
        if (*text != 'X')
            break; /* commands, which are gdb's to run */
        text++;
        if (b->n == MOST_CONDITIONS || !hex_number(&text, &size) || *text++ != ',' ||
            size > MOST_CODE || strlen(text) < size * 2 ||
            !hex_bytes(text, text + size * 2, &b->condition[b->n++], MOST_CODE))
            return false;
        text += size * 2;
    }
    return true;
}

static bool add_breakpoint(Debugger *d, u32 addr, const char *conditions)
{
    Breakpoint b = {.addr = addr};
    size_t i = 0;
    if (!read_conditions(conditions, &b)) {
        breakpoint_free(&b);
        return false;
    }
    while (i < d->nbreakpoints && d->breakpoint[i].addr != addr)
        i++;
    if (i == d->nbreakpoints &&
        (i == MOST_BREAKPOINTS || !array_grow(d->breakpoint, d->nbreakpoints, d->capbreakpoints))) {
        breakpoint_free(&b);
        return false;
    }
    if (i < d->nbreakpoints) /* the same again, with its conditions as they are now */
        breakpoint_free(&d->breakpoint[i]);
    else
        d->nbreakpoints++;
    d->breakpoint[i] = b;
    return true;
}

static bool add_watchpoint(Debugger *d, WatchKind kind, u32 addr, u32 size)
{
    if (d->nwatchpoints == MOST_BREAKPOINTS || !size ||
        (addr < OWN_END && (kind != WATCH_WRITES || size > 8)) ||
        !array_grow(d->watchpoint, d->nwatchpoints, d->capwatchpoints))
        return false;
    d->watchpoint[d->nwatchpoints++] =
        (Watchpoint){.kind = kind, .addr = addr, .size = size, .thread = d->thread};
    return true;
}

/* of packets Z and z: the kind, and the range behind it */
static bool read_point(const char **text, u64 *kind, u64 *addr, u64 *size)
{
    return hex_number(text, kind) && *kind <= WATCH_ALL && *(*text)++ == ',' &&
           read_range(text, addr, size, 0) && *addr <= UINT32_MAX && *size <= UINT32_MAX;
}

static Then on_insert(Debugger *d, const char *text, Buf *out)
{
    u64 kind, addr, size;
    bool ok = read_point(&text, &kind, &addr, &size);
    if (ok && kind >= WATCH_WRITES)
        ok = add_watchpoint(d, (WatchKind)kind, (u32)addr, (u32)size);
    else if (ok)
        ok = add_breakpoint(d, (u32)addr, text);
    (ok ? put_ok : put_error)(out);
    return STAY;
}

static Then on_remove(Debugger *d, const char *text, Buf *out)
{
    u64 kind, addr, size;
    if (!read_point(&text, &kind, &addr, &size)) {
        put_error(out);
        return STAY;
    }
    put_ok(out);
    for (size_t i = 0; kind < WATCH_WRITES && i < d->nbreakpoints; i++)
        if (d->breakpoint[i].addr == addr) {
            breakpoint_free(&d->breakpoint[i]);
            d->breakpoint[i] = d->breakpoint[--d->nbreakpoints];
            return STAY;
        }
    for (size_t i = 0; i < d->nwatchpoints; i++)
        if (d->watchpoint[i].kind == (WatchKind)kind && d->watchpoint[i].addr == addr &&
            d->watchpoint[i].size == size) {
            d->watchpoint[i] = d->watchpoint[--d->nwatchpoints];
            return STAY;
        }
    return STAY;
}

/* --- questions -------------------------------------------------------------------------------- */

static Then on_supported(Debugger *d, const char *text, Buf *out)
{
    (void)d, (void)text;
    buf_printf(out,
               "PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;qXfer:exec-file:read+;"
               "ConditionalBreakpoints+;vContSupported+;ReverseStep+;ReverseContinue+",
               MOST_PACKET - 1);
    return STAY;
}

static Then on_no_acks(Debugger *d, const char *text, Buf *out)
{
    (void)text;
    put_ok(out);
    d->wire.no_acks = true; /* this answer is acknowledged still; such a byte is skipped */
    return STAY;
}

static Then on_attached(Debugger *d, const char *text, Buf *out)
{
    (void)d, (void)text;
    buf_str(out, "1"); /* when gdb quits, the program goes on */
    return STAY;
}

static Then on_symbol(Debugger *d, const char *text, Buf *out)
{
    (void)d, (void)text;
    put_ok(out);
    return STAY;
}

/* A part of a document, "OFFSET,SIZE" of it. */
static void put_part(const Buf *whole, const char *range, Buf *out)
{
    u64 at, size;
    if (!read_range(&range, &at, &size, 0) || whole->failed) {
        put_error(out);
        return;
    }
    const u64 most = MOST_PACKET / 2;
    const u64 left = at < whole->len ? whole->len - at : 0;
    size = size < most ? size : most;
    buf_str(out, size < left ? "m" : "l");
    if (left)
        buf_put(out, whole->data + at, size < left ? size : left);
}

static Then on_features(Debugger *d, const char *text, Buf *out)
{
    Buf b = {0};
    state_describe_registers(d->run->launch, &b);
    put_part(&b, text, out);
    buf_free(&b);
    return STAY;
}

static Then on_exec_file(Debugger *d, const char *text, Buf *out)
{
    Buf b = {0};
    text = strchr(text, ':');
    buf_str(&b, IMAGE_NAME);
    if (text && d->elf.len)
        put_part(&b, text + 1, out);
    else
        put_error(out);
    buf_free(&b);
    return STAY;
}

static Then on_command(Debugger *d, const char *text, Buf *out)
{
    enum { CHUNK = 1000 };
    Buf command = {0}, said = {0}, part = {0};
    if (!hex_bytes(text, text + strlen(text), &command, 1000)) {
        buf_free(&command);
        put_error(out);
        return STAY;
    }
    monitor(d, current(d), buf_text(&command), &said);
    for (size_t i = 0; i < said.len; i += CHUNK) {
        part.len = 0;
        buf_str(&part, "O");
        hex_put(&part, said.data + i, said.len - i < CHUNK ? said.len - i : CHUNK);
        if (!part.failed)
            wire_send(&d->wire, part.data, part.len);
    }
    (said.failed || part.failed ? put_error : put_ok)(out);
    buf_free(&command);
    buf_free(&said);
    buf_free(&part);
    return STAY;
}

/* --- the image as a file ---------------------------------------------------------------------- */

static Then on_file_system(Debugger *d, const char *text, Buf *out)
{
    (void)d, (void)text;
    buf_str(out, "F0");
    return STAY;
}

static Then on_file_open(Debugger *d, const char *text, Buf *out)
{
    Buf name = {0};
    const bool ok = hex_bytes(text, text + strcspn(text, ","), &name, 1000) && d->elf.len &&
                    !strcmp(buf_text(&name), IMAGE_NAME);
    buf_free(&name);
    if (ok)
        buf_printf(out, "F%x", IMAGE_HANDLE);
    else
        buf_str(out, "F-1,2"); /* ENOENT */
    return STAY;
}

static Then on_file_read(Debugger *d, const char *text, Buf *out)
{
    u64 handle, size, at;
    if (!hex_number(&text, &handle) || *text++ != ',' || !read_range(&text, &size, &at, 0) ||
        handle != IMAGE_HANDLE) {
        buf_str(out, "F-1,9"); /* EBADF */
        return STAY;
    }
    const u64 left = at < d->elf.len ? d->elf.len - at : 0, most = MOST_PACKET / 2;
    size = size < most ? size : most;
    size = size < left ? size : left;
    buf_printf(out, "F%llx;", (unsigned long long)size);
    if (size)
        buf_put(out, d->elf.data + at, size);
    return STAY;
}

static Then on_file_state(Debugger *d, const char *text, Buf *out)
{
    /* struct stat of the protocol, high bytes first: a regular file of that size */
    u8 s[64] = {[10] = 0x81, [11] = 0x24};
    (void)text;
    for (int i = 0; i < 8; i++)
        s[28 + i] = (u8)((u64)d->elf.len >> 8 * (7 - i));
    buf_str(out, "F40;");
    buf_put(out, s, sizeof s);
    return STAY;
}

static Then on_file_close(Debugger *d, const char *text, Buf *out)
{
    (void)d, (void)text;
    buf_str(out, "F0");
    return STAY;
}

/* --- packets ---------------------------------------------------------------------------------- */

typedef struct {
    const char *begin;
    Then (*answer)(Debugger *d, const char *text, Buf *out);
} Packet;

static const Packet packets[] = {
#define PACKET(begin, function) {begin, function},
#include "dbg/packet.def"
};

static Then answer(Debugger *d, const Buf *text, Buf *out)
{
    for (size_t i = 0; i < countof(packets); i++) {
        const size_t n = strlen(packets[i].begin);
        if (!strncmp(buf_text(text), packets[i].begin, n))
            return packets[i].answer(d, buf_text(text) + n, out);
    }
    return STAY;
}

void serve(Debugger *d)
{
    Buf text = {0}, out = {0};
    Then then = STAY;
    while (then == STAY && wire_receive(&d->wire, &text)) {
        out.len = 0;
        then = answer(d, &text, &out);
        if (out.failed) {
            buf_free(&out);
            put_error(&out);
        }
        if (then == STAY || out.len)
            wire_send(&d->wire, out.data, out.len);
    }
    if (then == STAY) /* the connection is gone */
        d->detached = true;
    buf_free(&text);
    buf_free(&out);
}
