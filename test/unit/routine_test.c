/* routine_test.c -- functions of the device library that the host computes at once (jit/routine.c): that their
 * words are those that routine.def lists, and that calls do what the interpreter does, whatever the operands are,
 * to the instruction.  ROUTINE_COUNT is the number of launches of each kernel.
 */
#include "comp/comp.h"
#include "dev/dev.h"
#include "jit/region.h"
#include "mach/memory.h"
#include "sim/handlers.h"
#include "test/kit/assemble.h"
#include "test/kit/skip.h"
#include <stdlib.h>
#include <string.h>

static const char source[] =
    "#define K(name, value) kernel void name(global ulong *a, global ulong *b, global ulong *c, global ulong *o) \\\n"
    "{ const size_t i = get_global_id(0); const double x = as_double(a[i]), y = as_double(b[i]), z = as_double(c[i]);\\\n"
    "  if (c[i] & 1) o[i] = 1; else o[i] = (ulong)(value); }\n"
    "K(dadd, as_ulong(x + y)) K(dsub, as_ulong(x - y)) K(dmul, as_ulong(x * y)) K(ddiv, as_ulong(x / y))\n"
    "K(dfma, as_ulong(fma(x, y, z))) K(dsqrt, as_ulong(sqrt(x))) K(dcmp, x < y)\n"
    "K(ftod, as_ulong((double)as_float((uint)a[i]))) K(dtof, as_uint((float)x))\n"
    "K(i32tod, as_ulong((double)(int)a[i])) K(u32tod, as_ulong((double)(uint)a[i]))\n"
    "K(dtoi32, (uint)(int)x) K(dtou32, (uint)x)\n";

static const char *const names[NROUTINE] = {
#define ROUTINE(name, args, results, takes, hash) #name,
#include "jit/routine.def"
};

/* The image of the source by these options. */
static Object *image_by(Compiler *c, const char *const *options, size_t n)
{
    Caught caught;
    Buf out = {0};
    Object *image = NULL;
    catch_in(&caught);
    const CompOptions o = {
        .output = COMP_IMAGE, .name = "routines", .options = options, .noptions = n};
    assert_true(comp_compile(c, source, strlen(source), &o, &out, &caught.d));
    assert_true(obj_read("routines", out.data, out.len, &caught.d, &image));
    expect_silence(&caught);
    buf_free(&out);
    return image;
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

/* Looks for all routines in the image; how many are not known. */
static u32 look_in(const Object *image, const char *option)
{
    static const Launch no_launch = {.groups = {1, 1, 1}};
    Memory m;
    u32 unknown = 0;
    assert_true(memory_open(&m, CODE_LO, CODE_END));
    for (size_t i = 0; i < image->nsegments; i++) {
        const ObjSegment *s = &image->segments[i];
        memory_map(&m, s->addr, align_up(s->data.len + 1, PAGE_SIZE), MEM_R | MEM_X);
        memcpy(m.base + s->addr, s->data.data, s->data.len);
    }
    Code *code = code_new(V202, &m, lane_level());
    Group *g = mem_zalloc(1, sizeof *g);
    Warp *w = mem_zalloc(1, sizeof *w + 64), *aligned = (Warp *)(void *)align_up((uintptr_t)w, 64);
    assert_true(code && g && w);
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
            print_error("%s: ROUTINE(%s, %u, %u, .., 0x%016llx)\n", option, names[k],
                        routine_args((RoutineId)k), routine_results((RoutineId)k),
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
    static const char *const options[][2] = {
        {"-O2", "-w"}, {"-O0", "-w"}, {"-O1", "-w"}, {"-O3", "-w"}, {"-g", "-w"}, {"-cl-fast-relaxed-math", "-w"},
        {"-cl-std=CL3.0", "-w"}, {"-cl-denorms-are-zero", "-w"}};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
