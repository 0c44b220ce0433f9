/* monitor.c -- the commands of monitor.def, on the warp of a lane. */
#include "dbg/debugger.h"
#include <stdlib.h>
#include <string.h>

static const Object *image_of(const Debugger *d) { return dev_code(d->device)->image; }

static const char *symbol_at(void *self, u64 addr, u64 *past)
{
    return obj_symbol_at(self, -1, (u32)addr, past);
}

/* "k+0x10 (k.cl:7)" */
static void put_code(const Debugger *d, u32 pc, Buf *to)
{
    u64 past = 0;
    Place place;
    const char *name = image_of(d) ? symbol_at((void *)image_of(d), pc, &past) : NULL;
    buf_printf(to, "0x%08x", pc);
    if (name)
        buf_printf(to, " %s+0x%llx", name, (unsigned long long)past);
    if (d->lines && lines_find(d->lines, pc, &place, 1) && place.file)
        buf_printf(to, " (%s:%u)", place.file, place.line);
}

static void put_mask(const Launch *l, u32 mask, Buf *to)
{
    for (u32 i = 0; i < l->lanes; i++)
        buf_str(to, mask >> i & 1 ? "x" : ".");
}

static void say_disassemble(Debugger *d, Lane l, const char *argument, Buf *to)
{
    const Launch *launch = d->run->launch;
    IsaDecoder *decoder = mem_alloc(sizeof *decoder);
    const u32 wanted = *argument ? (u32)strtoul(argument, NULL, 0) : 8;
    u32 pc = lane_pc(l);
    if (!decoder) {
        to->failed = true;
        return;
    }
    isa_decoder_init(decoder, launch->set);
    for (u32 i = 0; i < (wanted < 1000 ? wanted : 1000); i++) {
        u64 word = 0;
        if (state_read_memory(d->run, l, pc, (u8 *)&word, 4) < 4)
            break;
        const int len = isa_length(launch->set, (u32)word);
        if (len == 8 && state_read_memory(d->run, l, pc, (u8 *)&word, 8) < 8)
            break;
        const IsaPrint how = {.have_pc = true,
                              .pc = pc,
                              .csr_names = true,
                              .symbol = image_of(d) ? symbol_at : NULL,
                              .self = (void *)image_of(d)};
        buf_str(to, i ? "   " : "=> ");
        buf_printf(to, "0x%08x  ", pc);
        isa_print_word(to, decoder, word, len, &how);
        buf_str(to, "\n");
        pc += (u32)len;
    }
    mem_free(decoder);
}

static void say_groups(Debugger *d, Lane l, const char *argument, Buf *to)
{
    const Launch *x = d->run->launch;
    const Group *g = l.warp->group;
    const u32 *grid = launch_grid(x);
    u32 id[3];
    (void)argument;
    launch_group_id(x, g->linear, id);
    buf_printf(to, "%s: %ux%ux%u groups", x->kernel ? x->kernel : "kernel", grid[0], grid[1],
               grid[2]);
    if (grid == x->grid)
        buf_printf(to, ", in parts of one size; this one has %ux%ux%u from %u,%u,%u on,",
                   x->groups[0], x->groups[1], x->groups[2], x->first[0], x->first[1], x->first[2]);
    buf_printf(to, " of %u warps of %u lanes; group %u,%u,%u runs, %llu before it have ended\n",
               x->warps, x->lanes, id[0], id[1], id[2], (unsigned long long)g->linear);
}

static void say_help(Debugger *d, Lane l, const char *argument, Buf *to)
{
    (void)d, (void)l, (void)argument;
#define MONITOR(name, argument, what)                                                              \
    buf_printf(to, "monitor %-18s %s\n", #name " " argument, what);
#include "dbg/monitor.def"
}

static void say_history(Debugger *d, Lane l, const char *argument, Buf *to)
{
    u64 start;
    (void)l, (void)argument;
    buf_printf(to, "instruction %llu of the launch; %llu were reached; %s\n",
               (unsigned long long)d->run->now, (unsigned long long)d->run->told,
               !d->run->now                               ? "this is the start"
               : run_earlier(d->run, d->run->now, &start) ? "there is a way back"
                                                          : "there is no way back");
}

static void say_lanes(Debugger *d, Lane l, const char *argument, Buf *to)
{
    const Launch *launch = d->run->launch;
    const bool element = *argument == 'v';
    const u32 n = element ? (u32)strtoul(argument + 1, NULL, 10) & 255 : 0;
    for (u32 i = 0; i < launch->lanes; i++) {
        const Lane x = {l.warp, i};
        if (!(l.warp->initial >> i & 1))
            continue;
        buf_printf(to, "%c%2u %c ", i == l.lane ? '*' : ' ', i, lane_is_active(x) ? 'x' : '.');
        if (element) {
            buf_printf(to, "0x%08x %d\n", l.warp->v[n][i], (i32)l.warp->v[n][i]);
            continue;
        }
        put_code(d, lane_pc(x), to);
        buf_str(to, "  ");
        lane_describe(x, to);
        buf_str(to, "\n");
    }
}

static void say_mask(Debugger *d, Lane l, const char *argument, Buf *to)
{
    (void)argument;
    put_mask(d->run->launch, l.warp->mask, to);
    buf_printf(to, " 0x%08x, lane 0 on the left\n", l.warp->mask);
}

static void say_occupancy(Debugger *d, Lane l, const char *argument, Buf *to)
{
    const Launch *x = d->run->launch;
    const Machine *m = x->machine;
    (void)l, (void)argument;
    buf_printf(to, "an SM holds %u groups of %u warps", x->resident ? x->resident : 1, x->warps);
    if (m)
        buf_printf(to, "; machine %s has %u SMs of %u warps, %u lanes a warp", m->name, m->sms,
                   m->warps, m->lanes);
    buf_str(to, "\n");
}

static void say_stack(Debugger *d, Lane l, const char *argument, Buf *to)
{
    const Warp *w = l.warp;
    (void)argument;
    if (!w->nsimt)
        buf_str(to, "the warp is not divided\n");
    for (u32 i = w->nsimt; i-- > 0;) {
        put_mask(d->run->launch, w->simt[i].mask, to);
        buf_str(to, "  goes on at ");
        put_code(d, w->simt[i].pc, to);
        buf_str(to, w->simt[i].pc == w->simt[i].rpc ? ", the join\n" : "\n");
    }
}

static void say_warps(Debugger *d, Lane l, const char *argument, Buf *to)
{
    static const char *const states[] = {"ready", "at a barrier", "ended"};
    const Group *g = l.warp->group;
    (void)argument;
    for (u32 k = 0; k < g->nwarps; k++) {
        const Warp *w = &g->warps[k];
        buf_printf(to, "%c%2u ", k == l.warp->id ? '*' : ' ', k);
        put_mask(d->run->launch, w->mask, to);
        buf_printf(to, " %-12s ", states[w->state]);
        put_code(d, w->pc, to);
        buf_str(to, "\n");
    }
}

static void say_where(Debugger *d, Lane l, const char *argument, Buf *to)
{
    Place chain[8];
    const u32 pc = lane_pc(l);
    const size_t n = d->lines ? lines_find(d->lines, pc, chain, countof(chain)) : 0;
    (void)argument;
    lane_describe(l, to);
    buf_str(to, "\n");
    put_code(d, pc, to);
    buf_str(to, "\n");
    for (size_t i = 0; i < n; i++) {
        size_t len = 0;
        const char *line = chain[i].file && image_of(d)
                               ? obj_source_line(image_of(d), chain[i].file, chain[i].line, &len)
                               : NULL;
        buf_printf(to, "%s %s:%u:%u", i ? "called at" : "at", chain[i].file ? chain[i].file : "?",
                   chain[i].line, chain[i].column);
        if (chain[i].function)
            buf_printf(to, " in %s", chain[i].function);
        buf_str(to, "\n");
        if (line && len < 500) {
            buf_str(to, "    ");
            buf_put(to, line, len);
            buf_str(to, "\n");
        }
    }
}

void monitor(Debugger *d, Lane l, const char *command, Buf *to)
{
    const size_t len = strcspn(command, " ");
    const char *argument = command + len + strspn(command + len, " ");
    if (!len) {
        say_help(d, l, argument, to);
        return;
    }
#define MONITOR(name, argument_text, what)                                                         \
    if (len <= strlen(#name) && !strncmp(command, #name, len)) {                                   \
        say_##name(d, l, argument, to);                                                            \
        return;                                                                                    \
    }
#include "dbg/monitor.def"
    buf_printf(to, "no command '%.40s'; monitor help lists them\n", command);
}
