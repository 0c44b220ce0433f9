/* routine_test.c -- functions of the device library that the host computes at once (jit/routine.c): that their
 * words are those that routine.def lists, and that calls do what the interpreter does, whatever the operands are,
 * to the instruction.  ROUTINE_COUNT is the number of launches of each kernel.
 */
#include "comp/comp.h"
#include "dev/dev.h"
#include "drv/drv.h"
#include "jit/region.h"
#include "mach/memory.h"
#include "sim/handlers.h"
#include "test/kit/assemble.h"
#include "test/kit/random.h"
#include "test/kit/skip.h"
#include <stdlib.h>
#include <string.h>

static const char source[] =
    "#define K(name, value) kernel void name(global ulong *a, global ulong *b, global ulong *c, "
    "global ulong *o) \\\n"
    "{ const size_t i = get_global_id(0); const double x = as_double(a[i]), y = as_double(b[i]), z "
    "= as_double(c[i]);\\\n"
    "  if (c[i] & 1) o[i] = 1; else o[i] = (ulong)(value); }\n"
    "K(dadd, as_ulong(x + y)) K(dsub, as_ulong(x - y)) K(dmul, as_ulong(x * y)) K(ddiv, as_ulong(x "
    "/ y))\n"
    "K(dfma, as_ulong(fma(x, y, z))) K(dsqrt, as_ulong(sqrt(x))) K(dcmp, x < y)\n"
    "K(ftod, as_ulong((double)as_float((uint)a[i]))) K(dtof, as_uint((float)x))\n"
    "K(i32tod, as_ulong((double)(int)a[i])) K(u32tod, as_ulong((double)(uint)a[i]))\n"
    "K(dtoi32, (uint)(int)x) K(dtou32, (uint)x)\n";

static const char *const names[NROUTINE] = {
#define ROUTINE(name, args, results, takes, hash) #name,
#include "jit/routine.def"
};

/* The image of a source by these options. */
static Object *image_of(Compiler *c, const char *text, const char *const *options, size_t n)
{
    Caught caught;
    Buf out = {0};
    Object *image = NULL;
    catch_in(&caught);
    const CompOptions o = {
        .output = COMP_IMAGE, .name = "routines", .options = options, .noptions = n};
    assert_true(comp_compile(c, text, strlen(text), &o, &out, &caught.d));
    assert_true(obj_read("routines", out.data, out.len, &caught.d, &image));
    expect_silence(&caught);
    buf_free(&out);
    return image;
}

static Object *image_by(Compiler *c, const char *const *options, size_t n)
{
    return image_of(c, source, options, n);
}

static Compiler *open_compiler(void)
{
    Compiler *c = comp_open();
    Buf what = {0};
    assert_non_null(c);
    if (!comp_available(c, NULL, &what)) {
        comp_close(c);
        skip_because("%s", buf_text(&what));
    }
    buf_free(&what);
    return c;
}

/* The code of an image, which is loaded into *m. */
static Code *code_of(const Object *image, Memory *m)
{
    assert_true(memory_open(m, CODE_LO, CODE_END));
    for (size_t i = 0; i < image->nsegments; i++) {
        const ObjSegment *s = &image->segments[i];
        memory_map(m, s->addr, align_up(s->data.len + 1, PAGE_SIZE), MEM_R | MEM_X);
        memcpy(m->base + s->addr, s->data.data, s->data.len);
    }
    Code *code = code_new(V202, m, lane_level());
    assert_non_null(code);
    return code;
}

/* Looks for all routines in the image; how many are not known. */
static u32 look_in(const Object *image, const char *option)
{
    static const Launch no_launch = {.groups = {1, 1, 1}};
    Memory m;
    u32 unknown = 0;
    Code *code = code_of(image, &m);
    Group *g = mem_zalloc(1, sizeof *g);
    Warp *w = mem_zalloc(1, sizeof *w + 64), *aligned = (Warp *)(void *)align_up((uintptr_t)w, 64);
    assert_true(g && w);
    g->launch = &no_launch;
    aligned->group = g;
    for (u32 k = 0; k < NROUTINE; k++) {
        char name[32];
        Routine r;
        snprintf(name, sizeof name, "__ventus_%s", names[k]);
        const i32 at = obj_find_symbol(image, name);
        if (at < 0) {
            print_error("%s: no %s\n", option, name);
            unknown++;
            continue;
        }
        const u32 pc = image->symbols[at].value;
        assert_true(routine_find(code, aligned, pc, &r));
        if (r.id != (RoutineId)k) {
            print_error("%s: %s should have the hash 0x%016llx\n", option, names[k],
                        (unsigned long long)routine_hash(code, aligned, pc));
            unknown++;
        }
        mem_free((void *)r.uop);
    }
    mem_free(w);
    mem_free(g);
    code_free(code);
    memory_close(&m);
    return unknown;
}

static void words_are_listed(void **state)
{
    static const char *const options[][2] = {{"-O2", "-w"},
                                             {"-O3", "-w"},
                                             {"-g", "-w"},
                                             {"-cl-fast-relaxed-math", "-w"},
                                             {"-cl-std=CL3.0", "-w"},
                                             {"-cl-denorms-are-zero", "-w"}};
    (void)state;
    Compiler *c = open_compiler();
    u32 unknown = 0;
    for (size_t i = 0; i < countof(options); i++) {
        Object *image = image_by(c, options[i], 2);
        unknown += look_in(image, options[i][0]);
        obj_free(image);
    }
    comp_close(c);
    assert_int_equal(unknown, 0);
}

/* A call counts as some instructions where the size of code is asked for, not as those that it stands for. */
static void calls_are_small(void **state)
{
    enum { CALLS = 50, EACH = 140 }; /* a sum has more */
    static const char text[] = "#define S s += x;\n#define T S S S S S S S S S S\n"
                               "kernel void sum(global double *o) { double s = o[0], x = o[1];\n"
                               "    T T T T T o[2] = s; }\n";
    static const char *const options[] = {"-w"};
    Memory m;
    (void)state;
    Compiler *c = open_compiler();
    Object *image = image_of(c, text, options, 1);
    Code *code = code_of(image, &m);
    const i32 at = obj_find_symbol(image, "sum");
    assert_true(at >= 0);
    Region *r =
        region_new(code, image->symbols[at].value, (WarpShape){.full = true}, 0, 32, VM_OWN, false);
    assert_non_null(r);
    assert_true(r->insns > CALLS * EACH);
    assert_true(r->size < CALLS * EACH / 4 && r->size > CALLS);
    region_free(r);
    code_free(code);
    memory_close(&m);
    obj_free(image);
    comp_close(c);
}

/* --- what calls do -------------------------------------------------------------------------- */

enum { ITEMS = 1024, LOCAL = 256 };

typedef struct {
    Driver *d;
    u32 at[4]; /* buffers */
} Side;

static void open_side(Side *s, const char *engine, Object *image)
{
    Caught c;
    DeviceOptions o = dev_defaults();
    catch_in(&c);
    o.engine = dev_find_engine(engine);
    assert_non_null(o.engine);
    s->d = drv_open(&o);
    assert_non_null(s->d);
    assert_int_equal(drv_load(s->d, image, &c.d), DRV_OK);
    expect_silence(&c);
    for (size_t k = 0; k < countof(s->at); k++) {
        u64 at;
        assert_int_equal(drv_alloc(s->d, ITEMS * sizeof(u64), &at), DRV_OK);
        s->at[k] = (u32)at;
    }
}

/* Runs the kernel on operands in[0..2]; the results go to `out`.  Returns the instructions. */
static u64 run_side(Side *s, const char *kernel, u64 in[3][ITEMS], u64 *out)
{
    DrvArg args[4];
    DrvResult result;
    for (u32 k = 0; k < 3; k++)
        assert_int_equal(drv_write(s->d, s->at[k], in[k], sizeof in[k]), DRV_OK);
    for (u32 k = 0; k < 4; k++)
        args[k] = (DrvArg){.size = 4, .align = 4, .value = &s->at[k]};
    const DrvKernel k = {.kernel = kernel,
                         .dims = 1,
                         .global = {ITEMS, 1, 1},
                         .local = {LOCAL, 1, 1},
                         .args = args,
                         .nargs = 4,
                         .run = {.threads = 1}};
    assert_int_equal(drv_run(s->d, &k, &result), DRV_OK);
    assert_int_equal(drv_read(s->d, s->at[3], out, ITEMS * sizeof *out), DRV_OK);
    return result.dev.run.insns;
}

/* A number of a kind: what the path is for, and what lies at the ends of it.  Exponents of all lanes of a warp lie
 * close together, where `end`, a random number of the warp, says. */
static u64 number(u32 kind, u64 end)
{
    const u64 r = random_bits(), sign = r & (u64)1 << 63, fraction = r % 5 ? r >> 12 : 0;
    const u64 step = end / 2 % 5 + r % (1 + end / 16 % 3);
    static const u64 special[] = {0,
                                  1,
                                  ((u64)1 << 52) - 1,
                                  (u64)1 << 52,
                                  (u64)0x7fe << 52 | (((u64)1 << 52) - 1),
                                  (u64)0x7ff << 52,
                                  (u64)0x7ff << 52 | 1,
                                  (u64)0x7ff8 << 48};
    switch (kind) {
    case 0: return sign | (1000 + r % 47) << 52 | fraction;                 /* ordinary */
    case 1: return r % 4 ? sign | (1020 + r % 7) << 52 | fraction : sign;   /* and 0 */
    case 2: return sign | ((end % 2 ? 508 : 1532) + step) << 52 | fraction; /* products at an end */
    case 3: return sign | (end % 2 ? step : 2046 - step) << 52 | fraction;
    case 4: return sign | ((end % 2 ? 895 : 1148) + step) << 52 | fraction;  /* ends of float */
    case 5: return sign | ((end % 2 ? 1021 : 1051) + step) << 52 | fraction; /* and of int */
    case 6: return sign | special[(end % 2 ? r : end) / 8 % countof(special)];
    default: return r;
    }
}

/* Warps of 32 items: most of one kind alone, some with others in a few lanes.  The last bit of the third operand
 * has lanes pass by (`source`). */
static void choose(u64 in[3][ITEMS])
{
    for (u32 warp = 0; warp < ITEMS / 32; warp++) {
        const u64 r = random_bits(), end[3] = {random_bits(), random_bits(), random_bits()};
        const u32 kinds[3] = {r % 8, r / 8 % 3 ? r % 8 : r / 32 % 8,
                              r / 256 % 2 ? r % 8 : r / 512 % 8};
        const bool mixed = r >> 40 & 1, is_full = r >> 41 & 1, cancels = r >> 42 & 1;
        const bool adds_nothing = !(r >> 44 & 3);
        for (u32 i = 32 * warp; i < 32 * warp + 32; i++) {
            for (u32 k = 0; k < 3; k++)
                in[k][i] = mixed && !(random_bits() % 16) ? number(random_bits() % 8, random_bits())
                                                          : number(kinds[k], end[k]);
            if (cancels && random_bits() % 2)
                in[1][i] = in[0][i] ^ (random_bits() % 3 ? 0 : (u64)1 << 63);
            if (adds_nothing)
                in[2][i] = random_bits() & (u64)1 << 63;
            in[2][i] = is_full ? in[2][i] & ~(u64)1 : in[2][i];
        }
    }
}

static void calls_are_exact(void **state)
{
    static const char *const options[] = {"-O2", "-w"};
    static u64 in[3][ITEMS], out[2][ITEMS];
    const char *times = getenv("ROUTINE_COUNT");
    const u32 count = times ? (u32)atoi(times) : 10;
    (void)state;
    Compiler *c = open_compiler();
    Side side[2];
    open_side(&side[0], "interp", image_by(c, options, 2));
    open_side(&side[1], "jit", image_by(c, options, 2));
    for (u32 n = 0; n < count; n++)
        for (u32 k = 0; k < NROUTINE; k++) {
            u64 insns[2];
            choose(in);
            for (u32 i = 0; i < 2; i++)
                insns[i] = run_side(&side[i], names[k], in, out[i]);
            for (u32 i = 0; i < ITEMS; i++)
                if (out[0][i] != out[1][i])
                    fail_msg("%s(%016llx, %016llx, %016llx) is %016llx, by the interpreter %016llx",
                             names[k], (unsigned long long)in[0][i], (unsigned long long)in[1][i],
                             (unsigned long long)in[2][i], (unsigned long long)out[1][i],
                             (unsigned long long)out[0][i]);
            if (insns[0] != insns[1])
                fail_msg("%s: %llu instructions, by the interpreter %llu", names[k],
                         (unsigned long long)insns[1], (unsigned long long)insns[0]);
        }
    drv_close(side[0].d);
    drv_close(side[1].d);
    comp_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_listed),
        cmocka_unit_test(calls_are_small),
        cmocka_unit_test(calls_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
