/* gdb_lane_test.c -- what gdb sees of a lane, and what it computes there: expressions for its agent, registers, memory. */
#include "dbg/agent.h"
#include "test/kit/gdbrig.h"

/* --- agent expressions ------------------------------------------------------------------------ */

/* the lane whose expressions are computed */
typedef struct {
    Device *d;
    Launch l;
    Audience audience;
    Run r;
    Lane lane;
} Evaluator;

static void open_evaluator(Evaluator *e)
{
    static const LaunchOptions options = {.threads = 1};
    e->d = open_device(program, V202);
    e->l = (Launch){.set = V202, .pc = CODE_LO, .groups = {1, 1, 1}, .warps = 1, .lanes = 4,
                    .vgprs = 8, .simt_depth = 8, .memory = dev_memory(e->d)};
    e->audience = audience_of(&e->l, &options);
    assert_true(run_open(&e->r, (Sim *)dev_engine(e->d), &e->l, &e->audience, true));
    assert_true(lane_find(&e->r, 1, &e->lane));
}

static void close_evaluator(Evaluator *e)
{
    run_close(&e->r);
    dev_close(e->d);
}

/* --- registers and memory of a lane ----------------------------------------------------------- */

/* Two warps, the second of which divides: lanes 1 and 3 wait for the others. */
static void open_pair(Evaluator *e, IsaSet set)
{
    static const LaunchOptions options = {.threads = 1};
    e->d = open_device(program, set);
    memory_map(dev_memory(e->d), PRIVATE, PAGE_SIZE, MEM_R | MEM_TRACKED);
    e->l = (Launch){.set = set, .pc = CODE_LO, .groups = {2, 1, 1}, .warps = 2, .lanes = 4, .knl = 0x12345678,
                    .vgprs = 256, .simt_depth = 8, .pds = PRIVATE, .pds_lane = 64, .pds_areas = 1,
                    .memory = dev_memory(e->d)};
    e->audience = audience_of(&e->l, &options);
    assert_true(run_open(&e->r, (Sim *)dev_engine(e->d), &e->l, &e->audience, true));
    assert_true(lane_find(&e->r, 7, &e->lane));
    assert_int_equal(e->lane.lane, 2);
    Warp *w = e->lane.warp;
    assert_int_equal(w->id, 1);
    for (u32 i = 1; i < 64; i++)
        w->x[i] = 1000 + i;
    for (u32 i = 0; i < 256; i++)
        for (u32 k = 0; k < 4; k++)
            w->v[i][k] = 4 * i + k;
    w->mask = 5;
    warp_set_exec(w);
}

/* Instructions are shown as far as there is memory for all of them: one of 64 bits is no half. */
static void disassembles_whole_instructions(void **state)
{
    enum { SHORT = 0x13, LONG = 0x54 }; /* addi x0, x0, 0; the low half of vadd64.vv */
    static const u32 past = CODE_LO + PAGE_SIZE;
    static const struct {
        IsaSet set;
        u32 words, word[2], lines; /* the words are the last of what is mapped */
    } rows[] = {
        {V202, 2, {SHORT, SHORT}, 2}, {V2025, 2, {SHORT, SHORT}, 2}, {V2025, 2, {SHORT, LONG}, 1},
        {V2025, 2, {LONG, 0}, 1},     {V2025, 1, {LONG}, 0},         {V2025, 1, {SHORT}, 1},
        {V202, 2, {SHORT, LONG}, 2}, /* it has no long ones */
    };
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        Evaluator e;
        Buf said = {0};
        char begin[16];
        open_pair(&e, rows[i].set);
        Debugger d = {.run = &e.r, .device = e.d};
        e.lane.warp->pc = past - rows[i].words * 4;
        assert_true(dev_write(e.d, e.lane.warp->pc, rows[i].word, rows[i].words * 4));
        monitor(&d, e.lane, "disassemble 9", &said);
        u32 lines = 0;
        for (const char *p = buf_text(&said); (p = strchr(p, '\n')); p++)
            lines++;
        assert_int_equal(lines, rows[i].lines);
        snprintf(begin, sizeof begin, "=> 0x%08x  ", e.lane.warp->pc);
        assert_true(!lines || !strncmp(buf_text(&said), begin, strlen(begin)));
        buf_free(&said);
        close_evaluator(&e);
    }
}

/* What the register of that name is, of those whose names say it; false: it is another. */
static bool named(const char *name, u32 *value)
{
    static const struct {
        const char *name;
        u32 value;
    } states[] = {{"pc", CODE_LO}, {"mask", 5}, {"exec", 5}, {"depth", 0}, {"active", 1}, {"lane", 2},
                  {"warp", 1}, {"group", 0}, {"thread", 7}};
    char *end;
    const u32 n = (u32)strtoul(name + 1, &end, 10);
    for (size_t i = 0; i < countof(states); i++)
        if (!strcmp(states[i].name, name))
            return *value = states[i].value, true;
    if (end == name + 1 || *end)
        return false;
    if (*name == 'x')
        return *value = n ? 1000 + n : 0, true;
    return *name == 'v' && (*value = 4 * n + 2, true);
}

/* The numbers that the description has for names are those of the registers so named. */
static void registers_have_their_names(void **state)
{
    Evaluator e;
    Buf xml = {0};
    u32 n = 0, seen[256] = {0};
    u8 bytes[MOST_REGISTER];
    (void)state;
    open_pair(&e, V202);
    state_describe_registers(&e.l, &xml);
    for (const char *at = buf_text(&xml); (at = strstr(at, "<reg name=\"")); at++, n++) {
        char name[32];
        u32 number, bits, value = 0, want = 0;
        assert_int_equal(sscanf(at, "<reg name=\"%31[^\"]\" bitsize=\"%u\" regnum=\"%u\"", name, &bits, &number), 3);
        assert_int_equal(number, n);
        assert_int_equal(state_read_register(&e.r, e.lane, n, bytes), bits / 8);
        memcpy(&value, bytes, 4);
        seen[(u8)*name]++;
        if (!strncmp(name, "row", 3)) {
            assert_int_equal(bits, 128);
            assert_memory_equal(bytes, e.lane.warp->v[strtoul(name + 3, NULL, 10)], 16);
        } else if (named(name, &want) && value != want)
            fail_msg("%s, number %u: %u, not %u", name, n, value, want);
    }
    assert_true(seen['x'] == 64 && seen['v'] >= 256 && seen['r'] >= 256);
    assert_int_equal(state_read_register(&e.r, e.lane, n, bytes), 0);
    assert_int_equal(state_read_register(&e.r, e.lane, n - 1, bytes), 4);
    assert_non_null(strstr(buf_text(&xml), "<vector id=\"lanes\" type=\"int32\" count=\"4\"/>"));
    assert_non_null(strstr(buf_text(&xml), "name=\"x1\" bitsize=\"32\" regnum=\"1\" type=\"code_ptr\""));
    assert_non_null(strstr(buf_text(&xml), "name=\"x2\" bitsize=\"32\" regnum=\"2\" type=\"int\""));
    buf_free(&xml);
    close_evaluator(&e);
}

/* The number of a register by its name. */
static u32 number_of(const Evaluator *e, const char *name)
{
    Buf xml = {0};
    char text[64];
    u32 n = 0;
    state_describe_registers(&e->l, &xml);
    snprintf(text, sizeof text, "<reg name=\"%s\" ", name);
    const char *at = strstr(buf_text(&xml), text);
    assert_non_null(at);
    assert_int_equal(sscanf(strstr(at, "regnum="), "regnum=\"%u\"", &n), 1);
    buf_free(&xml);
    return n;
}

static bool written(Evaluator *e, const char *name, u32 value)
{
    return state_write_register(&e->r, e->lane, number_of(e, name), (const u8 *)&value, 4);
}

static void registers_are_written_by_name(void **state)
{
    Evaluator e;
    const u32 row[5] = {11, 12, 13, 14, 15};
    (void)state;
    open_pair(&e, V202);
    Warp *w = e.lane.warp;
    assert_true(written(&e, "x0", 0));
    assert_false(written(&e, "x0", 1));
    assert_int_equal(w->x[0], 0);
    static const char *const scalars[] = {"x1", "x31", "x32", "x63"};
    static const u32 index[] = {1, 31, 32, 63, 0, 31, 32, 255};
    static const char *const elements[] = {"v0", "v31", "v32", "v255"};
    for (u32 i = 0; i < 4; i++) {
        assert_true(written(&e, scalars[i], 7 + i));
        assert_int_equal(w->x[index[i]], 7 + i);
        assert_true(written(&e, elements[i], 17 + i));
        assert_int_equal(w->v[index[4 + i]][2], 17 + i);
        assert_int_equal(w->v[index[4 + i]][1], 4 * index[4 + i] + 1);
    }
    const u32 first = number_of(&e, "row0");
    assert_true(state_write_register(&e.r, e.lane, first + 255, (const u8 *)row, 16));
    assert_memory_equal(w->v[255], row, 16);
    assert_false(state_write_register(&e.r, e.lane, first, (const u8 *)row, 4));
    assert_false(state_write_register(&e.r, e.lane, first, (const u8 *)row, 20));
    assert_false(state_write_register(&e.r, e.lane, 1, (const u8 *)row, 8));
    assert_true(written(&e, "fflags", 3));
    assert_int_equal(w->fflags, 3);
    static const char *const fixed[] = {"mask", "exec", "depth", "active", "lane", "warp", "group", "thread",
                                        "lc_id_x", "gl_id_z"};
    for (size_t i = 0; i < countof(fixed); i++)
        assert_false(written(&e, fixed[i], 1));
    assert_true(written(&e, "pc", CODE_LO + 8));
    assert_int_equal(w->pc, CODE_LO + 8);
    e.lane.lane = 1; /* which is not active: only what it is already */
    assert_false(written(&e, "pc", CODE_LO + 4));
    assert_true(written(&e, "pc", CODE_LO + 8));
    assert_int_equal(w->pc, CODE_LO + 8);
    close_evaluator(&e);
}

static u64 bytes_at(const Evaluator *e, u32 addr, u32 size, u64 *value)
{
    *value = 0;
    return state_read_memory(&e->r, e->lane, addr, (u8 *)value, size);
}

/* Windows of registers, with nothing between them. */
static void windows_have_their_ends(void **state)
{
    enum { V = REGISTER_WINDOW + VECTOR_WINDOW, META = REGISTER_WINDOW + METADATA_WINDOW };
    static const struct {
        u32 addr, size, there;
        u64 value;
    } rows[] = {
        {REGISTER_WINDOW - 1, 1, 0, 0},  {REGISTER_WINDOW, 4, 4, 0},        {REGISTER_WINDOW + 4, 4, 4, 1001},
        {REGISTER_WINDOW + 5, 1, 1, 3},  {REGISTER_WINDOW + 252, 8, 4, 1063}, {REGISTER_WINDOW + 256, 1, 0, 0},
        {V - 1, 1, 0, 0},                {V, 4, 4, 2},                      {V + 4, 8, 8, 6 | (u64)10 << 32},
        {V + 1020, 4, 4, 1022},          {V + 1021, 1, 1, 3},               {V + 1020, 8, 4, 1022},
        {V + 1024, 1, 0, 0},
        {META - 1, 1, 0, 0},             {META, 8, 4, 0x12345678},          {META + 3, 1, 1, 0x12},
        {META + 4, 1, 0, 0},             {0xfffff0, 1, 0, 0},
    };
    Evaluator e;
    u64 value;
    (void)state;
    open_pair(&e, V202);
    for (size_t i = 0; i < countof(rows); i++) {
        const u64 there = bytes_at(&e, rows[i].addr, rows[i].size, &value);
        if (there != rows[i].there || value != rows[i].value)
            fail_msg("%08x: %llu bytes, %llx", rows[i].addr, (unsigned long long)there, (unsigned long long)value);
    }
    const u32 one = 1;
    assert_true(state_write_memory(&e.r, e.lane, REGISTER_WINDOW, (const u8 *)&one, 4)); /* x0 */
    assert_int_equal(e.lane.warp->x[0], 0);
    assert_true(state_write_memory(&e.r, e.lane, V + 1020, (const u8 *)&one, 4));
    assert_int_equal(e.lane.warp->v[255][2], 1);
    assert_false(state_write_memory(&e.r, e.lane, V + 1022, (const u8 *)&one, 4));
    assert_int_equal(e.lane.warp->v[255][2], 1);
    close_evaluator(&e);
}

/* Each byte of the registers' windows is one of the register, but x0 stays 0. */
static void windows_are_written(void **state)
{
    enum { V = REGISTER_WINDOW + VECTOR_WINDOW };
    Evaluator e;
    (void)state;
    open_pair(&e, V202);
    Warp *const w = e.lane.warp;
    for (u32 i = 0; i < 4 * 64; i++) {
        const u8 byte = (u8)(i * 7 + 1);
        assert_true(state_write_memory(&e.r, e.lane, REGISTER_WINDOW + i, &byte, 1));
        assert_int_equal((u8)(w->x[i / 4] >> i % 4 * 8), i < 4 ? 0 : byte);
    }
    for (u32 i = 0; i < 4 * 256; i++) {
        const u8 byte = (u8)(i * 11 + 3);
        const u32 beside = w->v[i / 4][e.lane.lane + 1];
        assert_true(state_write_memory(&e.r, e.lane, V + i, &byte, 1));
        assert_int_equal((u8)(w->v[i / 4][e.lane.lane] >> i % 4 * 8), byte);
        assert_int_equal(w->v[i / 4][e.lane.lane + 1], beside);
    }
    close_evaluator(&e);
}

/* Private memory, by doc/isa.md: a word of each lane of the group side by side, in v2025 of the warp. */
static void private_memory_is_of_the_lane(void **state)
{
    (void)state;
    for (int old = 0; old < 2; old++) {
        Evaluator e;
        u64 value;
        const u8 bytes[] = {0xaa, 0xbb};
        open_pair(&e, old ? V202 : V2025);
        Memory *m = dev_memory(e.d);
        const u32 area = old ? PRIVATE : PRIVATE + 64 * 4, stride = old ? 4 * 2 * 4 : 4 * 4;
        const u32 lane = (old ? 4 + 2 : 2) * 4;
        for (u32 a = 0; a < 64; a++)
            m->base[area + a / 4 * stride + lane + a % 4] = (u8)(a + 1);
        for (u32 a = 0; a < 64; a++) {
            assert_int_equal(bytes_at(&e, a, 1, &value), 1);
            assert_int_equal(value, a + 1);
        }
        assert_int_equal(bytes_at(&e, 62, 8, &value), 2);
        assert_int_equal(bytes_at(&e, 64, 1, &value), 0);
        /* what is written is cleared for the next group, which the list of pages is for */
        assert_false(memory_rights(m, PRIVATE >> PAGE_BITS) & MEM_W);
        assert_int_equal(e.r.group->pds_dirty.n, 0);
        assert_false(state_write_memory(&e.r, e.lane, 63, bytes, 2));
        for (int i = 0; i < 2; i++) {
            assert_true(state_write_memory(&e.r, e.lane, 6, bytes, 2));
            assert_int_equal(m->base[area + stride + lane + 2], 0xaa);
            assert_int_equal(m->base[area + stride + lane + 3], 0xbb);
            assert_true(memory_rights(m, PRIVATE >> PAGE_BITS) & MEM_W);
            assert_int_equal(e.r.group->pds_dirty.n, 1);
        }
        close_evaluator(&e);
    }
}

/* Code that is written is what runs then; the last byte of the window counts. */
static void code_is_written(void **state)
{
    Evaluator e;
    Step s;
    const u32 li = 0x02a00293; /* li t0, 42 */
    (void)state;
    open_pair(&e, V202);
    assert_true(lane_find(&e.r, 1, &e.lane));
    assert_true(run_step(&e.r, &s)); /* lui t0, 0x90000 */
    assert_int_equal(e.lane.warp->x[5], 0x90000000);
    assert_true(state_write_memory(&e.r, e.lane, CODE_LO, (const u8 *)&li, 4));
    e.lane.warp->pc = CODE_LO;
    run_changed(&e.r);
    assert_true(run_step(&e.r, &s));
    assert_int_equal(e.lane.warp->x[5], 42);
    close_evaluator(&e);
}

/* Threads are the lanes of the group that have work, from 1. */
static void threads_are_lanes(void **state)
{
    Evaluator e;
    Lane l;
    (void)state;
    open_pair(&e, V202);
    assert_false(lane_find(&e.r, 0, &l));
    for (u32 t = 1; t <= 8; t++) {
        assert_true(lane_find(&e.r, t, &l));
        assert_int_equal(l.warp->id, (t - 1) / 4);
        assert_int_equal(l.lane, (t - 1) % 4);
        assert_int_equal(lane_thread(l), t);
    }
    assert_false(lane_find(&e.r, 9, &l));
    e.r.group->warps[1].initial = 7; /* a group of seven work-items */
    assert_true(lane_find(&e.r, 7, &l));
    assert_false(lane_find(&e.r, 8, &l));
    close_evaluator(&e);
}

/* The signals of faults: of addresses SIGSEGV, of alignment SIGBUS, of instructions SIGILL, of the user SIGINT, of what
 * the launch does as a whole SIGABRT; and whose they are. */
static void faults_are_signals(void **state)
{
    static const int signal_of[] = {
        [FAULT_ILLEGAL] = SIGNAL_ILL, [FAULT_PROFILE] = SIGNAL_ILL, [FAULT_UNSUPPORTED] = SIGNAL_ILL,
        [FAULT_REGISTER] = SIGNAL_ILL, [FAULT_VTYPE] = SIGNAL_ILL, [FAULT_FRM] = SIGNAL_ILL, [FAULT_CSR] = SIGNAL_ILL,
        [FAULT_FETCH] = SIGNAL_SEGV, [FAULT_FETCH_MISALIGNED] = SIGNAL_BUS, [FAULT_LOAD] = SIGNAL_SEGV,
        [FAULT_STORE] = SIGNAL_SEGV, [FAULT_PRIVATE] = SIGNAL_SEGV, [FAULT_LOAD_MISALIGNED] = SIGNAL_BUS,
        [FAULT_STORE_MISALIGNED] = SIGNAL_BUS, [FAULT_ATOMIC_MISALIGNED] = SIGNAL_BUS,
        [FAULT_STORE_CODE] = SIGNAL_SEGV, [FAULT_FETCH_PAGE] = SIGNAL_SEGV, [FAULT_LOAD_PAGE] = SIGNAL_SEGV,
        [FAULT_STORE_PAGE] = SIGNAL_SEGV, [FAULT_SIMT_OVERFLOW] = SIGNAL_ABRT, [FAULT_SIMT_NO_JOIN] = SIGNAL_ABRT,
        [FAULT_EXIT_DIVERGED] = SIGNAL_ABRT, [FAULT_BARRIER_DIVERGED] = SIGNAL_ABRT,
        [FAULT_NEEDS_ALL_LANES] = SIGNAL_ABRT, [FAULT_COPY_ARGUMENT] = SIGNAL_ABRT, [FAULT_COPY_EARLY] = SIGNAL_SEGV,
        [FAULT_ENDLESS] = SIGNAL_ABRT, [FAULT_DEADLOCK] = SIGNAL_ABRT, [FAULT_STOPPED] = SIGNAL_INT,
        [FAULT_NO_MEMORY] = SIGNAL_ABRT};
    Evaluator e;
    (void)state;
    open_pair(&e, V202);
    Group *g = e.r.group;
    Debugger d = {.run = &e.r, .thread = 7};
    assert_int_equal(stop_at_end(&d).kind, STOP_OVER);
    g->faulted = true;
    for (u32 k = 1; k < countof(signal_of); k++)
        if (signal_of[k]) {
            g->fault = (Fault){.kind = (FaultKind)k, .warp = 1, .lane = 3};
            const Stop s = stop_at_end(&d);
            assert_int_equal(s.kind, STOP_FAULT);
            assert_int_equal(s.thread, 8);
            if (s.signal != signal_of[k])
                fail_msg("%s: %d", fault_name((FaultKind)k), s.signal);
        }
    /* a fault of the whole warp is of the thread that gdb looks at, if it is an active lane of that warp */
    static const struct {
        u32 looked_at, warp, thread;
    } rows[] = {{7, 1, 7}, {5, 1, 5}, {6, 1, 5}, {3, 1, 5}, {7, 0, 1}, {3, 0, 3}, {0, 0, 1}, {0, 1, 5}};
    for (size_t i = 0; i < countof(rows); i++) {
        g->fault = (Fault){.kind = FAULT_ILLEGAL, .warp = rows[i].warp, .lane = -1};
        d.thread = rows[i].looked_at;
        assert_int_equal(stop_at_end(&d).thread, rows[i].thread);
    }
    g->faulted = false;
    close_evaluator(&e);
}

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UWide;

/* What gdb's manual says of an operation of two entries, with more bits; false: it is an error. */
static bool wide(u8 code, u64 a, u64 b, u64 *to)
{
    const Wide x = (i64)a, y = (i64)b;
    const UWide u = a, v = b;
    const int by = b < 100 ? (int)b : 100; /* beyond all bits */
    switch (code) {
    case 0x02: *to = (u64)(u + v); return true;
    case 0x03: *to = (u64)(x - y); return true;
    case 0x04: *to = (u64)(u * v); return true;
    case 0x05: *to = b ? (u64)(x / y) : 0; return b;
    case 0x06: *to = b ? (u64)(u / v) : 0; return b;
    case 0x07: *to = b ? (u64)(x % y) : 0; return b;
    case 0x08: *to = b ? (u64)(u % v) : 0; return b;
    case 0x09: *to = (u64)(u << by); return true;
    case 0x0a: *to = (u64)(x >> by); return true;
    case 0x0b: *to = (u64)(u >> by); return true;
    case 0x0f: *to = ~(~a | ~b); return true;
    case 0x10: *to = ~(~a & ~b); return true;
    case 0x11: *to = (a | b) - (a & b); return true;
    case 0x13: *to = !(a - b); return true;
    case 0x14: *to = x - y < 0; return true;
    case 0x15: *to = u < v; return true;
    default: return false;
    }
}

static void put_constant(Buf *code, u64 value)
{
    buf_put(code, "\x25", 1);
    for (int k = 56; k >= 0; k -= 8)
        buf_put(code, (u8[]){(u8)(value >> k)}, 1);
}

/* The value of a constant, another (if it is not NULL), and more code; false: it has none. */
static bool computed(const Evaluator *e, u64 a, const u64 *b, const void *code, size_t size, u64 *value)
{
    Buf all = {0};
    put_constant(&all, a);
    if (b)
        put_constant(&all, *b);
    buf_put(&all, code, size);
    const bool ok = agent_evaluate(&e->r, e->lane, all.data, all.len, value);
    buf_free(&all);
    return ok;
}

static void computes_at_the_edges(void **state)
{
    static const u64 edge[] = {0, 1, 2, 3, 31, 32, 33, 62, 63, 64, 65, 0x7fffffff, 0x80000000, UINT32_MAX,
                               (u64)1 << 32, INT64_MAX - 1, INT64_MAX, (u64)INT64_MAX + 1, (u64)INT64_MAX + 2,
                               UINT64_MAX - 1, UINT64_MAX};
    (void)state;
    Evaluator e;
    open_evaluator(&e);
    u64 value, want;
    u32 codes = 0;
    for (u8 c = 0x02; c <= 0x15; c++) {
        codes += wide(c, 1, 1, &want);
        for (size_t i = 0; i < countof(edge) * countof(edge) && wide(c, 1, 1, &want); i++) {
            const u64 a = edge[i / countof(edge)], b = edge[i % countof(edge)];
            const bool right = wide(c, a, b, &want), ok = computed(&e, a, &b, (const u8[]){c, 0x27}, 2, &value);
            if (ok != right || (ok && value != want))
                fail_msg("%llx %02x %llx: %s, %llx", (unsigned long long)a, c, (unsigned long long)b,
                         ok ? "ok" : "wrong", (unsigned long long)value);
        }
    }
    assert_int_equal(codes, 16);
    /* signs and zeros above so many bits */
    for (size_t i = 0; i < countof(edge); i++)
        for (u8 bits = 0; bits < 66; bits++) {
            const u64 a = edge[i], low = bits < 64 ? a % ((u64)1 << bits) : a;
            assert_true(computed(&e, a, NULL, (const u8[]){0x2a, bits, 0x27}, 3, &value));
            assert_true(value == low);
            assert_int_equal(computed(&e, a, NULL, (const u8[]){0x16, bits, 0x27}, 3, &value), bits && bits < 65);
            if (bits && bits < 64)
                assert_true(value == (low >> (bits - 1) ? low - ((u64)1 << bits) : low));
        }
    close_evaluator(&e);
}

/* 64 entries and no more, of which each can be had; as many steps as a loop of conditions may need, but not for ever. */
static void stack_has_its_depth(void **state)
{
    (void)state;
    Evaluator e;
    open_evaluator(&e);
    for (u32 n = 1; n <= 66; n++) {
        u8 code[256];
        size_t size = 0;
        u64 value;
        for (u32 i = 1; i < n; i++, size += 2)
            memcpy(code + size, (u8[]){0x22, (u8)i}, 2);
        memcpy(code + size, (u8[]){0x32, (u8)(n - 1), 0x27}, 3); /* pick the first, which is 99 */
        assert_int_equal(computed(&e, 99, NULL, code, size + 3, &value), n < 64);
        assert_true(n >= 64 || value == 99);
        code[size + 1]++; /* below the first */
        assert_false(computed(&e, 99, NULL, code, size + 3, &value));
        memcpy(code + size, (u8[]){0x27}, 1);
        assert_int_equal(computed(&e, 99, NULL, code, size + 1, &value), n <= 64);
        assert_true(n > 64 || value == (n > 1 ? n - 1 : 99));
    }
    close_evaluator(&e);
}

static void computes_expressions(void **state)
{
    static const struct {
        const char *code;
        u64 value;
        bool wrong;
    } rows[] = {
        {"22052203022700", 8, false},             /* 5 + 3 */
        {"220522030327", 2, false},               /* 5 - 3 */
        {"22ff16082203042700", (u64)-3, false},   /* sign of 8 bits: -1 * 3 */
        {"220722000527", 0, true},                /* 7 / 0 */
        {"22072202072700", 1, false},             /* 7 % 2, signed */
        {"2201220409270000", 16, false},          /* 1 << 4 */
        {"22000e27", 1, false},                   /* !0 */
        {"2201220214270000", 1, false},           /* 1 < 2 */
        {"24fffffffe2a0827", 254, false},         /* zero_ext 8 */
        {"220120000822ff27220927", 9, false},     /* if_goto over a constant */
        {"2201220232012700", 1, false},           /* pick */
        {"22012202220333270000", 2, false},       /* rot */
        {"2201282702270000", 1, false},           /* dup */
        {"220122022b0327", 1, false},             /* swap: 2 - 1 */
        {"240000000019270000", 0, true},          /* ref32 of address 0 */
        {"2490000000192700", 0, false},           /* of the heap, which is zero */
        {"2207220206270000", 3, false},           /* 7 / 2, unsigned */
        {"22ff160822020627", ~(u64)0 / 2, false}, /* of all ones */
        {"22ff1608220a0827", 5, false},           /* 2^64 - 1 % 10 */
        {"220722000627", 0, true},                /* by 0 */
        {"220722000727", 0, true},
        {"220722000827", 0, true},
        {"25800000000000000022ff16080527", (u64)INT64_MIN, false}, /* the quotient that overflows */
        {"25800000000000000022ff16080727", 0, false},
        {"22f8160822010a27", (u64)-4, false},     /* -8 >> 1, signed */
        {"22f8160822400a27", (u64)-1, false},     /* >> 64 */
        {"22ff1608223f0b27", 1, false},           /* 2^64 - 1 >> 63, unsigned */
        {"22ff160822400b27", 0, false},           /* >> 64 */
        {"2201223f0927", (u64)1 << 63, false},
        {"220122400927", 0, false},               /* 1 << 64 */
        {"220c220a0f27", 8, false},               /* 12 & 10 */
        {"220c220a1027", 14, false},              /* 12 | 10 */
        {"220c220a1127", 6, false},               /* 12 ^ 10 */
        {"22051227", ~(u64)5, false},             /* ~5 */
        {"22050e27", 0, false},                   /* !5 */
        {"220522051327", 1, false},               /* 5 == 5 */
        {"220522041327", 0, false},
        {"22ff160822011427", 1, false},           /* -1 < 1, signed */
        {"220522051427", 0, false},               /* 5 < 5 */
        {"22ff160822011527", 0, false},           /* 2^64 - 1 < 1, unsigned */
        {"220122ff16081527", 1, false},
        {"220522051527", 0, false},
        {"23123427", 0x1234, false},              /* constants: high byte first */
        {"250123456789abcdef27", 0x0123456789abcdef, false},
        {"220122022927", 1, false},               /* pop */
        {"22ff160027", 0, true},                  /* sign of 0 bits, of 65 */
        {"22ff164127", 0, true},
        {"22ff164027", 255, false},               /* of 64 */
        {"22ff16082a4027", ~(u64)0, false},       /* zero_ext 64 */
        {"2200200006220727", 7, false},           /* if_goto of 0 goes on */
        {"24800000001727", 0xb7, false},          /* the first instruction, lui t0, 0x90000 */
        {"24800000001827", 0x02b7, false},
        {"24800000001927", 0x900002b7, false},
        {"24800000001a2a2027", 0x900002b7, false}, /* ref64: the low word, then the high one */
        {"24800000001a22200b248000000419132700", 1, false},
        {"240000000017270000", 0, true},          /* nothing is there */
        {"2100002700", 0, true},                  /* endless */
        {"26002027", 0x80000000, false},          /* the pc */
        {"26014127", 0, true},                    /* row0, which is no number */
        {"26ffff27", 0, true},
        {"02", 0, true},                          /* too few */
        {"27", 0, true},
        {"22", 0, true},
        {"ff", 0, true},
        {"", 0, true},
    };
    (void)state;
    Evaluator e;
    open_evaluator(&e);
    for (size_t i = 0; i < countof(rows); i++) {
        Buf code = {0};
        u64 value = 0;
        assert_true(hex_bytes(rows[i].code, rows[i].code + strlen(rows[i].code), &code, 100));
        const bool ok = agent_evaluate(&e.r, e.lane, code.data, code.len, &value);
        if (ok == rows[i].wrong || (ok && value != rows[i].value))
            fail_msg("%s: %s, %lld", rows[i].code, ok ? "ok" : "wrong", (long long)value);
        buf_free(&code);
    }
    close_evaluator(&e);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(disassembles_whole_instructions),
        cmocka_unit_test(registers_have_their_names),
        cmocka_unit_test(registers_are_written_by_name),
        cmocka_unit_test(windows_have_their_ends),
        cmocka_unit_test(windows_are_written),
        cmocka_unit_test(private_memory_is_of_the_lane),
        cmocka_unit_test(code_is_written),
        cmocka_unit_test(threads_are_lanes),
        cmocka_unit_test(faults_are_signals),
        cmocka_unit_test(computes_expressions),
        cmocka_unit_test(computes_at_the_edges),
        cmocka_unit_test(stack_has_its_depth),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
