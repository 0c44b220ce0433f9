/* twins.c -- programs on two engines (see twins.h). */
#include "test/kit/twins.h"
#include "test/kit/assemble.h"
#include "link/link.h"
#include <stdlib.h>

Device *open_device(const char *engine, u32 simt_depth)
{
    DeviceOptions o = dev_defaults();
    o.set = gen.set;
    o.engine = dev_find_engine(engine);
    o.machine.simt_depth = simt_depth;
    Device *d = dev_open(&o);
    assert_non_null(d);
    memory_map(dev_memory(d), KNL, PAGE_SIZE, MEM_R | MEM_W);
    memory_map(dev_memory(d), DATA, DATA_BYTES, MEM_R | MEM_W);
    memory_map(dev_memory(d), PDS, PDS_BYTES, MEM_R | MEM_W);
    return d;
}

void load_text(Device *d)
{
    Caught c;
    Object *o = assemble(buf_text(&gen.text), gen.set);
    catch_in(&c);
    Object *image =
        link_objects((const Object *const[]){o}, 1, &(LinkOptions){.output = "t"}, &c.d);
    if (!image || !dev_load(d, image, &c.d))
        fail_msg("%s", buf_text(&c.text));
    obj_free(o);
}

static void fill_memory(Device *d, const Shape *s)
{
    u32 *data = mem_alloc(DATA_BYTES);
    assert_non_null(data);
    const u64 was = gen.seed;
    gen.seed = s->memory;
    for (u32 i = 0; i < DATA_BYTES / 4; i++)
        data[i] = s->word ? s->word() : random_word();
    gen.seed = was;
    if (s->first)
        memcpy(data, s->first, 8);
    assert_true(dev_write(d, DATA, data, DATA_BYTES));
    mem_free(data);
}

DevResult run(Device *d, const Shape *s)
{
    DevResult r;
    DeviceOptions rules = *dev_options(d);
    const u32 x = s->along ? s->along : s->items, y = s->items / x;
    const u32 block[9] = {CODE_LO, DATA, s->along ? 2 : 1, 2 * x, 2 * y, 2, x, y, 1};
    rules.vm = s->vm;
    dev_set_rules(d, &rules);
    fill_memory(d, s);
    assert_true(dev_write(d, KNL, block, sizeof block));
    const DevLaunch l = {.knl = KNL,
                         .groups = {2, 2, 2},
                         .warps = s->warps,
                         .lanes = s->lanes,
                         .lds = 4096,
                         .pds = PDS,
                         .pds_lane = 64,
                         .pds_size = PDS_BYTES,
                         .max_insns = s->max_insns,
                         .sgprs = 1,
                         .vgprs = 1,
                         .run = {.threads = 1}};
    dev_launch(d, &l, &r);
    return r;
}

static void say(const char *what, u64 number)
{
    FILE *f = fopen("jit_test.s", "w");
    if (f) {
        fputs(buf_text(&gen.text), f);
        fclose(f);
    }
    fail_msg("%s differs in program %llu, which is in jit_test.s", what,
             (unsigned long long)number);
}

static void compare(const Twins *t, const DevResult *ra, const DevResult *rb, u64 number)
{
    Buf fa = {0}, fb = {0};
    if (ra->run.faulted)
        dev_report(t->a, &ra->run.fault, "k", NULL, &fa);
    if (rb->run.faulted)
        dev_report(t->b, &rb->run.fault, "k", NULL, &fb);
    if (strcmp(buf_text(&fa), buf_text(&fb))) {
        print_error("interpreter: %s\ncompiled: %s\n", buf_text(&fa), buf_text(&fb));
        say("the fault", number);
    }
    buf_free(&fa);
    buf_free(&fb);
    if (ra->run.insns != rb->run.insns || ra->run.groups != rb->run.groups)
        say("the count of instructions", number);
    const u8 *ma = dev_memory(t->a)->base, *mb = dev_memory(t->b)->base;
    for (u32 i = 0; i < DATA_BYTES; i += 4)
        if (memcmp(ma + DATA + i, mb + DATA + i, 4)) {
            print_error("at %#x: %08x, compiled %08x\n", i,
                        *(const u32 *)(const void *)(ma + DATA + i),
                        *(const u32 *)(const void *)(mb + DATA + i));
            say("memory", number);
        }
}

Twins twins_open(const char *engine, u32 simt_depth)
{
    const char *why;
    if (!jit_available(&why))
        skip_because("%s", why);
    return (Twins){.a = open_device("interp", simt_depth),
                   .b = open_device(engine, simt_depth),
                   .shadow = !strcmp(engine, "shadow")};
}

void twins_load(Twins *t)
{
    load_text(t->a);
    load_text(t->b);
}

DevResult twins_run(Twins *t, const Shape *s, u64 number)
{
    const DevResult ra = run(t->a, s), rb = run(t->b, s);
    if (!t->shadow)
        compare(t, &ra, &rb, number);
    else if (*jit_difference(dev_engine(t->b)))
        say(jit_difference(dev_engine(t->b)), number);
    return rb;
}

void twins_fault_at(Twins *t, u32 addr, u64 number)
{
    const Shape s = {.lanes = 32, .items = 32, .warps = 1, .memory = 1};
    twins_load(t);
    const DevResult r = twins_run(t, &s, number);
    assert_true(r.run.faulted);
    assert_int_equal(r.run.fault.lane, 31);
    assert_int_equal(r.run.fault.addr, addr);
    buf_free(&gen.text);
    twins_close(t);
}

JitStats twins_close(Twins *t)
{
    JitStats stats;
    assert_true(jit_stats(dev_engine(t->b), &stats));
    dev_close(t->a);
    dev_close(t->b);
    assert_int_equal(stats.given_up, 0);
    return stats;
}

Programs programs_to_try(u32 n)
{
    const char *first = getenv("JIT_TEST_SEED"), *count = getenv("JIT_TEST_COUNT");
    const u64 from = first ? strtoull(first, NULL, 0) : 1;
    return (Programs){.first = from, .end = from + (count ? strtoull(count, NULL, 0) : n)};
}
