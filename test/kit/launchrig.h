/* launchrig.h -- an engine over memory of its own, programs as text, launches without a driver. */
#ifndef CHECK_LAUNCHRIG_H
#define CHECK_LAUNCHRIG_H
#include "test/kit/assemble.h"
#include "link/link.h"
#include "sim/sim.h"
#include <string.h>

#define DATA 0x90000000u    /* what a program may read and write */
#define PDS  0xa0000000u    /* private memory */
enum { DATA_BYTES = 1 << 20, PDS_BYTES = 1 << 20, TEXT_BYTES = 16 * PAGE_SIZE };

static struct {
    Memory memory;
    Engine *engine;
    Sim *sim;               /* the same */
    Launch launch;          /* of the next run */
    u32 *data;              /* host address of DATA */
} rig;

static inline void rig_open(IsaSet set)
{
    if (!memory_open(&rig.memory, 0, (u64)1 << 39) || !(rig.engine = sim_kind.open(&rig.memory, set)))
        fail_msg("no memory");
    rig.sim = (Sim *)rig.engine;
    memory_map(&rig.memory, CODE_LO, TEXT_BYTES, MEM_R | MEM_W | MEM_X);
    memory_map(&rig.memory, DATA, DATA_BYTES, MEM_R | MEM_W);
    memory_map(&rig.memory, PDS, PDS_BYTES, MEM_R | MEM_TRACKED);
    rig.data = (u32 *)(void *)(rig.memory.base + DATA);
}

static inline void rig_close(void)
{
    sim_kind.close(rig.engine);
    memory_close(&rig.memory);
}

/* of a cmocka test: a rig for v202 before it, and its end */
static inline int rig_set_up(void **state)
{
    (void)state;
    rig_open(V202);
    return 0;
}

static inline int rig_tear_down(void **state)
{
    (void)state;
    rig_close();
    return 0;
}

/* Puts a program into the code window and makes a launch of one group of one warp. */
static inline void rig_load(IsaSet set, u32 lanes, const char *text)
{
    Caught c;
    catch_in(&c);
    Object *o = assemble(text, set);
    Object *image = link_objects((const Object *const[]){o}, 1, &(LinkOptions){.entry = NULL}, &c.d);
    if (!image)
        fail_msg("%s", buf_text(&c.text));
    memory_map(&rig.memory, CODE_LO, TEXT_BYTES, MEM_R | MEM_W | MEM_X);
    memset(rig.memory.base + CODE_LO, 0, TEXT_BYTES);
    for (size_t i = 0; i < image->nsegments; i++) {
        const ObjSegment *s = &image->segments[i];
        assert_true(s->addr >= CODE_LO && s->addr + s->data.len <= CODE_LO + TEXT_BYTES);
        memcpy(rig.memory.base + s->addr, s->data.data, s->data.len);
    }
    sim_kind.code_changed(rig.engine, set, CODE_LO, TEXT_BYTES);
    obj_free(image);
    obj_free(o);
    memset(rig.data, 0, DATA_BYTES);
    rig.launch = (Launch){.kernel = "test", .set = set, .pc = CODE_LO, .groups = {1, 1, 1}, .warps = 1,
                          .lanes = lanes, .vgprs = 256, .lds = 4096, .pds = PDS, .pds_lane = 64,
                          .pds_areas = 4, .simt_depth = 100, .memory = &rig.memory};
}

static inline LaunchResult rig_run(const LaunchOptions *opt)
{
    LaunchResult r;
    sim_kind.launch(rig.engine, &rig.launch, opt, &r);
    return r;
}

static inline void rig_must_run(const LaunchOptions *opt)
{
    const LaunchResult r = rig_run(opt);
    if (r.faulted)
        fail_msg("fault %s at %08x", fault_name(r.fault.kind), r.fault.pc);
}
#endif
