/* fuzz_gdb.c -- any bytes, sent by a gdb: the debugger answers, and the launch may be changed, but
 * the host lives.  A NUL between packets ends what is there while the launch runs. */
#include "dbg/dbg.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define HEAP 0x90000000u
enum { BYTES = 1 << 16, MOST_READS = 2000 };

typedef struct {
    const u8 *data;
    size_t at, size;
    u32 reads;
} Input;

/* Frames each run of bytes up to a NUL as a packet, so that inputs need no right sums. */
static int read_input(void *self, void *to, size_t most, int milliseconds)
{
    Input *in = self;
    u8 *out = to, sum = 0;
    size_t n = 0;
    if (in->at >= in->size || in->reads++ > MOST_READS)
        return -1;
    if (!milliseconds)
        return 0;
    out[n++] = '$';
    for (; in->at < in->size && in->data[in->at] && n + 4 < most; n++) {
        sum = (u8)(sum + in->data[in->at]);
        out[n] = in->data[in->at++];
    }
    in->at++;
    out[n++] = '#';
    out[n++] = (u8)"0123456789abcdef"[sum >> 4];
    out[n++] = (u8)"0123456789abcdef"[sum & 15];
    return (int)n;
}

static bool write_nothing(void *self, const void *bytes, size_t n)
{
    (void)self, (void)bytes, (void)n;
    return true;
}

static void close_nothing(void *self) { (void)self; }

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    /* vid.v v1; lui t0, 0x90000; vadd.vx v2, v1, t0; vsw12.v v1, 0(v2); addi t1, t1, 1;
     * sw t1, 64(t0); endprg, as the heap's words */
    static const u32 program[] = {0x5208a0d7, 0x900002b7, 0x0212c157, 0x0011207b,
                                  0x00130313, 0x0462a023, 0x0000400b};
    static Device *d;
    Input in = {.data = data, .size = size};
    DevResult r;
    if (!d) {
        DeviceOptions o = dev_defaults();
        o.engine = &dbg_kind;
        o.narrow = true;
        d = dev_open(&o);
        if (!d)
            bug("no memory for a device");
        memory_map(dev_memory(d), CODE_LO, PAGE_SIZE, MEM_R | MEM_W | MEM_X);
        memory_map(dev_memory(d), HEAP, BYTES, MEM_R | MEM_W);
    }
    dev_write(d, CODE_LO, program, sizeof program);
    dev_code_written(d, CODE_LO, CODE_LO + sizeof program);
    Debugger *debugger =
        dbg_open(&(DbgStream){&in, read_input, write_nothing, close_nothing});
    if (!debugger)
        return 0;
    dbg_attach(debugger, d);
    dev_launch(d, &(DevLaunch){.knl = HEAP + BYTES / 4, .groups = {2, 1, 1}, .warps = 2, .lanes = 4,
                               .lds = 4096, .pds = HEAP + BYTES / 2, .pds_lane = 64,
                               .pds_size = BYTES / 2, .max_insns = 200, .sgprs = 1, .vgprs = 1},
               &r);
    dbg_close(debugger, 0);
    return 0;
}
