/* gdbrig.h -- the remote protocol from gdb's side, without gdb: a connection in memory, a device, launches. */
#ifndef KIT_GDBRIG_H
#define KIT_GDBRIG_H
#include "dbg/debugger.h"
#include "link/link.h"
#include "test/kit/assemble.h"
#include "test/kit/leftover.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define HEAP 0x90000000u
#define PRIVATE 0xa0000000u
enum { HEAP_BYTES = 1 << 16 };

/* --- a connection in memory ------------------------------------------------------------------ */

/* What is sent, and all that came back. */
typedef struct {
    Buf in, out;
    size_t at;
    bool closed;
} Pipe;

static inline int pipe_read(void *self, void *to, size_t most, int milliseconds)
{
    Pipe *p = self;
    const size_t left = p->in.len - p->at, n = left < most ? left : most;
    if (!milliseconds) /* nothing is there while the launch runs, but an interrupt */
        return p->at < p->in.len && p->in.data[p->at] == 3 ? (*(u8 *)to = 3, p->at++, 1) : 0;
    memcpy(to, p->in.data + p->at, n);
    p->at += n;
    return n ? (int)n : -1;
}

static inline bool pipe_write(void *self, const void *bytes, size_t n)
{
    buf_put(&((Pipe *)self)->out, bytes, n);
    return true;
}

static inline void pipe_close(void *self) { ((Pipe *)self)->closed = true; }

static inline void send(Pipe *p, const char *text)
{
    u8 sum = 0;
    for (const char *c = text; *c; c++)
        sum = (u8)(sum + *c);
    buf_printf(&p->in, "$%s#%02x", text, sum);
}

static inline bool answered(const Pipe *p, const char *text) { return strstr(buf_text(&p->out), text); }

/* --- a launch --------------------------------------------------------------------------------- */

/* Each lane stores 3 * lane + 1 at HEAP + 4 * lane, then the warp runs a loop of ten rounds that
 * counts in the word at HEAP + 0x100. */
static const char *const program = "_start: lui t0, 0x90000\n"
                                   "vid.v v1\n"
                                   "vsll.vi v2, v1, 2\n"
                                   "vadd.vv v3, v1, v1\n"
                                   "vadd.vv v3, v3, v1\n"
                                   "vadd.vi v3, v3, 1\n"
                                   "vadd.vx v4, v2, t0\n"
                                   "vsw12.v v3, 0(v4)\n"
                                   "li t1, 10\n"
                                   "loop: lw t2, 256(t0)\n"
                                   "addi t2, t2, 1\n"
                                   "sw t2, 256(t0)\n"
                                   "addi t1, t1, -1\n"
                                   "bnez t1, loop\n"
                                   "endprg\n";

static inline Device *open_device(const char *text, IsaSet set)
{
    DeviceOptions o = dev_defaults();
    o.set = set;
    o.engine = &dbg_kind;
    Device *d = dev_open(&o);
    assert_non_null(d);
    Object *object = assemble(text, set);
    const i32 section = obj_find_section(object, ".text");
    assert_true(section >= 0);
    const Buf *code = &object->sections[section].data;
    memory_map(dev_memory(d), CODE_LO, PAGE_SIZE, MEM_R | MEM_W | MEM_X);
    memory_map(dev_memory(d), HEAP, HEAP_BYTES, MEM_R | MEM_W);
    assert_true(dev_write(d, CODE_LO, code->data, code->len));
    dev_code_written(d, CODE_LO, CODE_LO + code->len);
    obj_free(object);
    return d;
}

static inline u32 word_at(Device *d, u32 addr)
{
    u32 word = 0;
    assert_true(dev_read(d, addr, &word, sizeof word));
    return word;
}

/* Runs the program under the packets of p; its result. */
static inline DevResult launch(Device *d, u32 groups, const LaunchOptions *how)
{
    DevResult r;
    const bool ok =
        dev_launch(d, &(DevLaunch){.knl = HEAP + 0x8000, .groups = {groups, 1, 1}, .warps = 2,
                                   .lanes = 4, .sgprs = 32, .vgprs = 8,
                                   .pds = HEAP + HEAP_BYTES / 2, .pds_lane = 64,
                                   .pds_size = HEAP_BYTES / 2, .run = *how},
                   &r);
    assert_int_equal(ok, !r.run.faulted);
    return r;
}

static inline DevResult run_with(Pipe *p, Device *d, u32 groups, const LaunchOptions *how)
{
    Debugger *debugger =
        dbg_open(&(DbgStream){p, pipe_read, pipe_write, pipe_close});
    assert_non_null(debugger);
    dbg_attach(debugger, d);
    const DevResult r = launch(d, groups, how);
    dbg_close(debugger, 0);
    assert_true(p->closed);
    return r;
}

static inline DevResult run(Pipe *p, Device *d, u32 groups)
{
    return run_with(p, d, groups, &(LaunchOptions){0});
}

/* The same with an image, which gdb may read. */
static inline Device *open_with_image(const char *text, Buf *file)
{
    Caught c;
    DeviceOptions o = dev_defaults();
    o.set = V202;
    o.engine = &dbg_kind;
    Device *d = dev_open(&o);
    assert_non_null(d);
    Object *object = assemble_in(&c, text, &(AsmOptions){.set = V202, .lines = true});
    Object *image =
        link_objects((const Object *const[]){object}, 1, &(LinkOptions){.entry = NULL}, &c.d);
    if (!image || !obj_write(image, file, &c.d) || !dev_load(d, image, &c.d))
        fail_msg("%s", buf_text(&c.text));
    obj_free(object);
    buf_free(&c.text);
    memory_map(dev_memory(d), HEAP, HEAP_BYTES, MEM_R | MEM_W);
    return d;
}

static inline void end(Pipe *p, Device *d)
{
    dev_close(d);
    buf_free(&p->in);
    buf_free(&p->out);
}
#endif
