/* fuzz_exec.c -- any words, run as a kernel: the guest may fault, the host may not.
 *
 * The first byte chooses profile, lanes and options; the rest is the code, which
 * finds some memory of every kind and registers that point into it.
 *
 * FUZZ_ENGINE names another engine than the interpreter: `jit` makes host code of the code first,
 * by the maker that VENTUS_JIT_PROGRAM names.
 */
#include "dev/dev.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define HEAP 0x90000000u
enum { BYTES = 1 << 16 };

/* x5..x7 and v1..v3 point to heap, local and private memory */
static const u32 preamble[] = {
    0x900002b7, /* lui t0, 0x90000 */
    0x70000337, /* lui t1, 0x70000 */
    0x00100393, /* li t2, 1 */
    0x5e02c0d7, /* vmv.v.x v1, t0 */
    0x5e034157, /* vmv.v.x v2, t1 */
    0x5208a1d7, /* vid.v v3 */
};

static Device *open_device(IsaSet set, const char *engine)
{
    DeviceOptions o = dev_defaults();
    o.set = set;
    o.engine = dev_find_engine(engine ? engine : "interp");
    if (!o.engine)
        bug("no engine is called '%s'", engine);
    Device *d = dev_open(&o);
    if (!d)
        bug("no memory for a device");
    memory_map(dev_memory(d), CODE_LO, PAGE_SIZE * 2, MEM_R | MEM_W | MEM_X);
    memory_map(dev_memory(d), HEAP, BYTES, MEM_R | MEM_W);
    return d;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    /* near a limit host code leaves all to the interpreter */
    enum { FEW = 500, MANY = 50000 };
    static Device *devices[2];
    const char *engine = getenv("FUZZ_ENGINE");
    u8 code[4096] = {0};
    if (size < 5 || size > 2048)
        return 0;
    if (!devices[0]) {
        devices[0] = open_device(V202 | AI | TIDX, engine);
        devices[1] = open_device(V2025 | TIDX, engine);
    }
    Device *d = devices[data[0] & 1];
    DeviceOptions rules = *dev_options(d);
    rules.vm = (VmRule)(data[0] >> 3 & 3);
    rules.strict = data[0] >> 5 & 1;
    rules.any_barrier = data[0] >> 6 & 1;
    rules.check_copies = data[0] >> 7;
    rules.machine.simt_depth = 64;
    dev_set_rules(d, &rules);
    memcpy(code, preamble, sizeof preamble);
    memcpy(code + sizeof preamble, data + 1, size - 1);
    dev_write(d, CODE_LO, code, sizeof code);
    dev_code_written(d, CODE_LO, CODE_LO + sizeof code);
    DevResult r;
    const DevLaunch l = {
        .knl = HEAP,
        .groups = {2, 1, 1},
        .warps = 2,
        .lanes = 4u << (data[0] >> 1 & 3),
        .lds = 4096,
        .pds = HEAP + BYTES / 2,
        .pds_lane = 64,
        .pds_size = BYTES / 2,
        .max_insns = engine ? MANY : FEW,
        .sgprs = 1,
        .vgprs = 1,
        .run = {.threads = 1},
    };
    dev_launch(d, &l, &r);
    Buf report = {0};
    if (r.run.faulted)
        dev_report(d, &r.run.fault, "fuzz", NULL, &report);
    buf_free(&report);
    return 0;
}
