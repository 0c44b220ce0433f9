/* jit_lack_test.c -- one allocation after the other fails while a region is found and written as a
 * request: there is no region or no request, or one that has fewer blocks; and in launches that are
 * compiled and compared: each says so by FAULT_NO_MEMORY, or does what it does with memory, perhaps
 * interpreted, and no difference is seen.  Everything is given back.
 */
#include "sim/handlers.h" /* before cmocka.h, which has a macro fail() */
#include "jit/codejob.h"
#include "jit/jit.h"
#include "link/link.h"
#include "proc/proc.h"
#include "test/kit/assemble.h"
#include "test/kit/lackdrv.h"
#include <sys/stat.h>

enum { LANES = 8 };
static const WarpShape begins = {.full = true, .fresh = true};

/* Launch constants, a call from two places and its return, lanes that part, a loop. */
static const char program[] = "    csrr    x5, knl\n"
                              "    lw      x6, 4(x5)\n"
                              "    lw      x7, 0(x6)\n"
                              "    jal     x1, f\n"
                              "1:  jal     x1, f\n"
                              ".Lp: auipc  x30, %pcrel_hi(.Lm)\n"
                              "    setrpc  x0, x30, %pcrel_lo(.Lp)\n"
                              "    vblt    v1, v5, .Le\n"
                              "    vmulh.vv v6, v1, v1\n"
                              "    j       .Lm\n"
                              ".Le: addi   x8, x8, 1\n"
                              ".Lm: join   x0, x0, 0\n"
                              "    bnez    x7, 1b\n"
                              "    endprg  x0, x0, x0\n"
                              "f:  jalr    x0, 0(x1)\n";

static Memory memory;
static Code *code; /* of the program */
static u64 whole;  /* the digest of its region */

static void take(const char *source)
{
    Caught c;
    catch_in(&c);
    Object *o = assemble(source, V202);
    Object *image =
        link_objects((const Object *const[]){o}, 1, &(LinkOptions){.entry = NULL}, &c.d);
    if (!image || image->nsegments != 1 || image->segments[0].addr != CODE_LO)
        fail_msg("%s", buf_text(&c.text));
    memcpy(memory.base + CODE_LO, image->segments[0].data.data, image->segments[0].data.len);
    code_forget(code, CODE_LO, PAGE_SIZE);
    Region *r = region_new(code, CODE_LO, begins, 0, LANES, VM_OWN, false); /* all is decoded */
    assert_non_null(r);
    whole = region_digest(r);
    region_free(r);
    obj_free(o);
    obj_free(image);
    buf_free(&c.text);
}

/* Fewer blocks are made where there is no room for one; of the whole region the request is whole. */
static bool finds_region(Buf *made)
{
    buf_reserve(made, 4000);
    const size_t before = live_blocks();
    Buf request = {0};
    Region *r = region_new(code, CODE_LO, begins, 0, LANES, VM_OWN, false);
    bool ok = r != NULL;
    if (ok) {
        must(r->nblock > 0, "no region");
        codejob_write(&(CodeJob){.level = "base", .region = r, .kind = CODE_PLAIN}, code, &request);
        ok = !request.failed && region_digest(r) == whole;
        buf_put(made, request.data, ok ? request.len : 0);
        region_shrink(r);
    }
    region_free(r);
    buf_free(&request);
    must(live_blocks() == before, "a block is left");
    return ok;
}

static void regions_lack(void **state)
{
    (void)state;
    take(program);
    LACK_OF_MEMORY(finds_region);
}

/* Every fifth allocation: such jobs take longer. */
#ifdef HOSTILE
#define LACK_OF_SOME(job) lack_of_memory(job, mem_requests, 5)
#elif defined LACK_BY_MALLOC
#define LACK_OF_SOME(job) (lack_watch(NULL), lack_of_memory(job, lack_requests, 5))
#else
#define LACK_OF_SOME(job) LACK_OF_MEMORY(job)
#endif

/* --- launches -------------------------------------------------------------------------------- */

#define DATA 0x90000000u /* the metadata block, and what is stored */
#define OUT  (DATA + 0x200)

static const char stores[] = "    csrr    x5, knl\n"
                             "    lw      x6, 4(x5)\n" /* OUT */
                             "    vid.v   v1\n"
                             "    vsll.vi v1, v1, 2\n"
                             "    vadd.vx v1, v1, x6\n"
                             "    vsw12.v v1, 0(v1)\n"
                             "    endprg  x0, x0, x0\n";

static bool launches(Buf *made)
{
    static const u32 block[2] = {CODE_LO, OUT};
    const LaunchOptions opt = {.threads = 1};
    buf_reserve(made, 2 * PAGE_SIZE);
    const size_t before = live_blocks();
    LaunchResult r = {.faulted = true};
    Memory m;
    must(memory_open(&m, 0, (u64)1 << 32), "no addresses");
    memory_map(&m, CODE_LO, PAGE_SIZE, MEM_R | MEM_X);
    memory_map(&m, DATA, PAGE_SIZE, MEM_R | MEM_W);
    memcpy(m.base + CODE_LO, memory.base + CODE_LO, PAGE_SIZE);
    memcpy(m.base + DATA, block, sizeof block);
    const Launch l = {.kernel = "k",
                      .set = V202,
                      .pc = CODE_LO,
                      .knl = DATA,
                      .groups = {3, 1, 1},
                      .warps = 2,
                      .lanes = LANES,
                      .vgprs = 32,
                      .simt_depth = 100,
                      .memory = &m};
    Engine *e = shadow_kind.open(&m, V202);
    if (e && !shadow_kind.launch(e, &l, &opt, &r))
        must(r.fault.kind == FAULT_NO_MEMORY && (r.fault.pc || r.fault.lane == -1),
             "another fault, or a lane before there was a group");
    if (e)
        shadow_kind.close(e);
    buf_put(made, &r.insns, sizeof r.insns);
    buf_put(made, m.base + DATA, PAGE_SIZE);
    memory_close(&m);
    must(live_blocks() == before, "a block is left");
    return e && !r.faulted;
}

/* Code is on the disk when allocations begin to fail: from then on the maker ends at once. */
static void launches_lack(void **state)
{
    char dir[] = "/tmp/jit_lack.XXXXXX", path[64];
    const char *why;
    Buf made = {0};
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    char *maker = proc_find("ventus-jit1");
    if (!maker)
        skip_because("another maker is asked for");
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/maker", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n[ -e %s/gone ] || exec %s \"$@\"\n", dir, maker);
    assert_int_equal(fclose(f) | chmod(path, 0700), 0);
    mem_free(maker);
    setenv("VENTUS_CACHE_DIR", dir, 1);
    setenv("VENTUS_JIT_PROGRAM", path, 1);
    take(stores);
    assert_true(launches(&made));
    buf_free(&made);
    snprintf(path, sizeof path, "%s/gone", dir);
    assert_non_null(f = fopen(path, "w"));
    fclose(f);
    LACK_OF_SOME(launches);
    unsetenv("VENTUS_JIT_PROGRAM");
    snprintf(path, sizeof path, "rm -r %s", dir);
    assert_int_equal(system(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_lack),
        cmocka_unit_test(launches_lack),
    };
    if (!memory_open(&memory, CODE_LO, CODE_END) || !(code = code_new(V202, &memory, &lane_base)))
        return 1;
    memory_map(&memory, CODE_LO, PAGE_SIZE, MEM_R | MEM_X);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    code_free(code);
    memory_close(&memory);
    return failed;
}
