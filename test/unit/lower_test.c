/* lower_test.c -- LLVM IR as our device runs it (src/ll/lower*.c) against LLVM itself, which
 * runs the same text on the host: every operation on integers of many widths, conversions,
 * vectors, parts of values, memory at every alignment, copies, atomics, calls, constants. No
 * optimiser is between, so what is written here is what is lowered.
 */
/* names of its functions are macros of what follows */
#include "ll/lower.h"

#include "cc/cc.h"
#include "drv/drv.h"
#include "link/link.h"
#include "test/kit/guard.h"
#include "test/kit/leftover.h"
#include "test/kit/objects.h"
#include "test/kit/random.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/IRReader.h>

/* Each item has so many bytes to read and to write; of the first a, b and c are the first three
 * times 16. */
enum { ITEMS = 16, IN = 256, OUT = 1024, ROUNDS = 4 };

/* --- kernels as text -------------------------------------------------------------------------- */

typedef struct {
    Buf text, declared;
    u32 value, slot, nkernel;
} Maker;

/* A new value, with the text that defines it. */
static u32 def(Maker *k, const char *fmt, ...) PRINTF_LIKE(2, 3);
static u32 def(Maker *k, const char *fmt, ...)
{
    char line[600];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    buf_printf(&k->text, "  %%v%u = %s\n", k->value, line);
    return k->value++;
}

static void line(Maker *k, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void line(Maker *k, const char *fmt, ...)
{
    char text[600];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    buf_printf(&k->text, "  %s\n", text);
}

static void begin(Maker *k)
{
    buf_printf(&k->text,
               "define spir_kernel void @k%u(ptr addrspace(1) %%in, ptr addrspace(1) %%out) {\n"
               "  %%lane = call i32 @__ventus_lane()\n  %%ins = mul i32 %%lane, %d\n  %%outs = mul "
               "i32 %%lane, %d\n"
               "  %%p = getelementptr i8, ptr addrspace(1) %%in, i32 %%ins\n"
               "  %%q = getelementptr i8, ptr addrspace(1) %%out, i32 %%outs\n"
               "  %%a = load i128, ptr addrspace(1) %%p, align 16\n"
               "  %%pb = getelementptr i8, ptr addrspace(1) %%p, i32 16\n"
               "  %%b = load i128, ptr addrspace(1) %%pb, align 16\n"
               "  %%pc = getelementptr i8, ptr addrspace(1) %%p, i32 32\n"
               "  %%c = load i32, ptr addrspace(1) %%pc, align 4\n",
               k->nkernel++, IN, OUT);
    k->slot = 0;
}

static void end(Maker *k) { buf_str(&k->text, "  ret void\n}\n"); }

/* Starts another kernel where one has written all it may. */
static bool is_full(const Maker *k, u32 more) { return k->slot + more > OUT / 16; }

/* Writes a number. */
static void show(Maker *k, u32 bits, u32 v)
{
    assert_true(!is_full(k, 1));
    const u32 whole =
        bits == 128 ? v : def(k, "%s i%u %%v%u to i128", bits < 128 ? "zext" : "trunc", bits, v);
    const u32 at = def(k, "getelementptr i8, ptr addrspace(1) %%q, i32 %u", 16 * k->slot++);
    line(k, "store i128 %%v%u, ptr addrspace(1) %%v%u, align 16", whole, at);
}

/* A number of so many bits from one of 128, whose other bits may be anything. */
static u32 cut(Maker *k, u32 bits, const char *from)
{
    return bits == 128 ? def(k, "freeze i128 %s", from)
                       : def(k, "trunc i128 %s to i%u", from, bits);
}

/* --- integers --------------------------------------------------------------------------------- */

static const u32 widths[] = {1,  2,  7,  8,  9,  12, 15, 16, 17, 24, 31,
                             32, 33, 40, 48, 63, 64, 65, 80, 96, 97, 128};
static const char *const predicates[] = {"eq",  "ne",  "ugt", "uge", "ult",
                                         "ule", "sgt", "sge", "slt", "sle"};

static void arithmetic(Maker *k, u32 w)
{
    static const char *const ops[] = {"add", "sub", "mul", "and", "or", "xor"};
    static const char *const divisions[] = {"udiv", "urem", "sdiv", "srem"};
    static const char *const shifts[] = {"shl", "lshr", "ashr"};
    begin(k);
    const u32 a = cut(k, w, "%a"), b = cut(k, w, "%b");
    for (size_t i = 0; i < countof(ops); i++) {
        show(k, w, def(k, "%s i%u %%v%u, %%v%u", ops[i], w, a, b));
        show(k, w, def(k, "%s i%u %%v%u, %d", ops[i], w, a, w > 4 ? 11 : -1));
    }
    if (w > 1) {
        const u32 even = def(k, "shl i%u %%v%u, 1", w, a), odd = def(k, "and i%u %%v%u, 1", w, b);
        show(k, w, def(k, "or disjoint i%u %%v%u, %%v%u", w, even, odd));
    }
    if (w <= 32) { /* of more bits they were made calls before */
        const u32 some = def(k, "or i%u %%v%u, 1", w, b),
                  is_minus = def(k, "icmp eq i%u %%v%u, -1", w, some),
                  by = def(k, "select i1 %%v%u, i%u 1, i%u %%v%u", is_minus, w, w, some);
        for (size_t i = 0; i < (w == 1 ? 2 : countof(divisions)); i++) {
            show(k, w, def(k, "%s i%u %%v%u, %%v%u", divisions[i], w, a, by));
            show(k, w, def(k, "%s i%u %%v%u, %d", divisions[i], w, a, w > 3 ? 3 : 1));
        }
    }
    if (w <= 64) {
        const u32 modulo = def(k, "urem i32 %%c, %u", w);
        const u32 by =
            w == 32 ? modulo : def(k, "%s i32 %%v%u to i%u", w < 32 ? "trunc" : "zext", modulo, w);
        for (size_t i = 0; i < countof(shifts); i++)
            show(k, w, def(k, "%s i%u %%v%u, %%v%u", shifts[i], w, a, by));
    }
    end(k);
    begin(k);
    static const u32 amounts[] = {0, 1, 5, 8, 16, 31, 32, 33, 47, 63, 64, 65, 90, 96, 127};
    const u32 x = cut(k, w, "%a");
    for (size_t i = 0; i < countof(amounts) && amounts[i] < w; i++)
        for (size_t s = 0; s < countof(shifts); s++)
            show(k, w, def(k, "%s i%u %%v%u, %u", shifts[s], w, x, amounts[i]));
    end(k);
}

static void comparisons(Maker *k, u32 w)
{
    begin(k);
    const u32 a = cut(k, w, "%a"), b = cut(k, w, "%b"),
              same = def(k, "lshr i%u %%v%u, %u", w, a, w / 2),
              other = def(k, "lshr i%u %%v%u, %u", w, b, w / 2);
    for (size_t i = 0; i < countof(predicates); i++) {
        const u32 c = def(k, "icmp %s i%u %%v%u, %%v%u", predicates[i], w, a, b);
        show(k, 1, c);
        show(k, 1, def(k, "icmp %s i%u %%v%u, %d", predicates[i], w, a, w > 3 ? 5 : 0));
        show(k, 1, def(k, "icmp %s i%u %%v%u, 0", predicates[i], w, a));
        show(k, 1, def(k, "icmp %s i%u %%v%u, %%v%u", predicates[i], w, same, other));
        show(k, w, def(k, "select i1 %%v%u, i%u %%v%u, i%u %%v%u", c, w, a, w, b));
    }
    end(k);
}

static void conversions(Maker *k, u32 w)
{
    begin(k);
    const u32 a = cut(k, w, "%a");
    for (size_t i = 0; i < countof(widths); i++) {
        const u32 to = widths[i];
        if (to < w) {
            const u32 less = def(k, "trunc i%u %%v%u to i%u", w, a, to);
            show(k, to, less);
            show(k, w, def(k, "sext i%u %%v%u to i%u", to, less, w));
        } else if (to > w) {
            show(k, to, def(k, "sext i%u %%v%u to i%u", w, a, to));
            show(k, to, def(k, "zext i%u %%v%u to i%u", w, a, to));
        }
    }
    end(k);
}

/* Calls an intrinsic of LLVM's, which it declares. */
static u32 call(Maker *k, const char *result, const char *name, const char *params,
                const char *args)
{
    char known[300];
    snprintf(known, sizeof known, "declare %s @%s(%s)\n", result, name, params);
    if (!strstr(buf_text(&k->declared), known))
        buf_str(&k->declared, known);
    return def(k, "call %s @%s(%s)", result, name, args);
}

static void intrinsics(Maker *k, u32 w)
{
    static const char *const two[] = {"smin",     "smax",     "umin",     "umax",
                                      "sadd.sat", "uadd.sat", "ssub.sat", "usub.sat"};
    static const char *const counted[] = {"ctpop", "ctlz", "cttz", "abs"};
    static const char *const checked[] = {"sadd", "uadd", "ssub", "usub", "smul", "umul"};
    char name[60], params[60], args[100], type[20], pair[30];
    begin(k);
    const u32 a = cut(k, w, "%a"), b = cut(k, w, "%b"),
              small = def(k, "lshr i%u %%v%u, %u", w, a, w / 2);
    snprintf(type, sizeof type, "i%u", w);
    snprintf(pair, sizeof pair, "{ i%u, i1 }", w);
    for (size_t i = 0; i < (w == 1 ? 4 : countof(two));
         i++) { /* sums of a bit are made others before */
        snprintf(name, sizeof name, "llvm.%s.i%u", two[i], w);
        snprintf(params, sizeof params, "i%u, i%u", w, w);
        snprintf(args, sizeof args, "i%u %%v%u, i%u %%v%u", w, a, w, b);
        show(k, w, call(k, type, name, params, args));
    }
    for (size_t i = 0; i < countof(counted); i++)
        for (int of = 0; of < 2; of++) {
            snprintf(name, sizeof name, "llvm.%s.i%u", counted[i], w);
            snprintf(params, sizeof params, "i%u%s", w, i ? ", i1" : "");
            snprintf(args, sizeof args, "i%u %%v%u%s", w, of ? small : a, i ? ", i1 false" : "");
            show(k, w, call(k, type, name, params, args));
        }
    if (w % 16 == 0) {
        snprintf(name, sizeof name, "llvm.bswap.i%u", w);
        snprintf(args, sizeof args, "i%u %%v%u", w, a);
        show(k, w, call(k, type, name, type, args));
    }
    snprintf(name, sizeof name, "llvm.bitreverse.i%u", w);
    snprintf(args, sizeof args, "i%u %%v%u", w, a);
    show(k, w, call(k, type, name, type, args));
    for (size_t i = 0; i < (w == 32 ? 6 : w == 1 ? 0 : 4); i++) {
        snprintf(name, sizeof name, "llvm.%s.with.overflow.i%u", checked[i], w);
        snprintf(params, sizeof params, "i%u, i%u", w, w);
        for (int of = 0; of < 2; of++) {
            snprintf(args, sizeof args, "i%u %%v%u, i%u %%v%u", w, of ? small : a, w, b);
            const u32 r = call(k, pair, name, params, args);
            show(k, w, def(k, "extractvalue %s %%v%u, 0", pair, r));
            show(k, 1, def(k, "extractvalue %s %%v%u, 1", pair, r));
        }
    }
    for (size_t i = 0; i < 2 && (w & (w - 1)) == 0; i++) { /* of any amounts, and of known ones */
        const u32 by = w == 32 ? def(k, "freeze i32 %%c")
                               : def(k, "%s i32 %%c to i%u", w < 32 ? "trunc" : "zext", w);
        snprintf(name, sizeof name, "llvm.%s.i%u", i ? "fshr" : "fshl", w);
        snprintf(params, sizeof params, "i%u, i%u, i%u", w, w, w);
        snprintf(args, sizeof args, "i%u %%v%u, i%u %%v%u, i%u %%v%u", w, a, w, b, w, by);
        if (w <= 64)
            show(k, w, call(k, type, name, params, args));
        snprintf(args, sizeof args, "i%u %%v%u, i%u %%v%u, i%u %d", w, a, w, b, w,
                 w > 4 ? (int)w / 2 + 1 : 1);
        show(k, w, call(k, type, name, params, args));
        snprintf(args, sizeof args, "i%u %%v%u, i%u %%v%u, i%u 0", w, a, w, b, w);
        show(k, w, call(k, type, name, params, args));
    }
    end(k);
}

/* --- floats ----------------------------------------------------------------------------------- */

/* Shows a float, all NaNs as the same. */
static void show_float(Maker *k, u32 v)
{
    const u32 is = def(k, "fcmp uno float %%v%u, %%v%u", v, v),
              bits = def(k, "bitcast float %%v%u to i32", v);
    show(k, 32, def(k, "select i1 %%v%u, i32 2143289344, i32 %%v%u", is, bits));
}

static void floats(Maker *k)
{
    static const char *const ops[] = {"fadd", "fsub", "fmul", "fdiv"};
    static const char *const tests[] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                        "uno",   "ueq", "ugt", "uge", "ult", "ule", "une", "true"};
    static const char *const functions[] = {"fabs", "sqrt"};
    begin(k);
    const u32 ia = cut(k, 32, "%a"), ib = cut(k, 32, "%b"),
              a = def(k, "bitcast i32 %%v%u to float", ia),
              b = def(k, "bitcast i32 %%v%u to float", ib);
    for (size_t i = 0; i < countof(ops); i++)
        show_float(k, def(k, "%s float %%v%u, %%v%u", ops[i], a, b));
    show(k, 32, def(k, "bitcast float %%v%u to i32", def(k, "fneg float %%v%u", a)));
    for (size_t i = 0; i < countof(tests); i++) {
        show(k, 1, def(k, "fcmp %s float %%v%u, %%v%u", tests[i], a, b));
        show(k, 1, def(k, "fcmp %s float %%v%u, %%v%u", tests[i], a, a));
    }
    for (size_t i = 0; i < countof(functions); i++) {
        char name[40], args[40];
        snprintf(name, sizeof name, "llvm.%s.f32", functions[i]);
        snprintf(args, sizeof args, "float %%v%u", a);
        show_float(k, call(k, "float", name, "float", args));
    }
    char args[80];
    snprintf(args, sizeof args, "float %%v%u, float %%v%u, float %%v%u", a, b, a);
    show_float(k, call(k, "float", "llvm.fma.f32", "float, float, float", args));
    snprintf(args, sizeof args, "float %%v%u, float %%v%u", a, b);
    show_float(k, call(k, "float", "llvm.copysign.f32", "float, float", args));
    end(k);
    begin(k);
    const u32 x = def(k, "bitcast i32 %%v%u to float", cut(k, 32, "%a"));
    for (u32 c = 0; c < 10; c++) { /* each class, all but it */
        snprintf(args, sizeof args, "float %%v%u, i32 %u", x, 1u << c);
        show(k, 1, call(k, "i1", "llvm.is.fpclass.f32", "float, i32", args));
        snprintf(args, sizeof args, "float %%v%u, i32 %u", x, 1023 ^ 1u << c);
        show(k, 1, call(k, "i1", "llvm.is.fpclass.f32", "float, i32", args));
    }
    snprintf(args, sizeof args, "float %%v%u", x);
    show(k, 32, call(k, "i32", "llvm.fptosi.sat.i32.f32", "float", args));
    show(k, 32, call(k, "i32", "llvm.fptoui.sat.i32.f32", "float", args));
    end(k);
}

/* From integers and back, of those that are exact or at least in range. */
static void float_conversions(Maker *k)
{
    begin(k);
    for (size_t i = 0; widths[i] <= 32; i++) {
        const u32 w = widths[i], a = cut(k, w, "%a"), s = def(k, "sitofp i%u %%v%u to float", w, a),
                  u = def(k, "uitofp i%u %%v%u to float", w, a);
        show_float(k, s);
        show_float(k, u);
        if (w > 24 || w < 2)
            continue;
        const u32 sh = def(k, "fmul float %%v%u, 5.0e-1", s),
                  uh = def(k, "fmul float %%v%u, 7.5e-1", u);
        show(k, w, def(k, "fptosi float %%v%u to i%u", sh, w));
        show(k, w, def(k, "fptoui float %%v%u to i%u", uh, w));
    }
    end(k);
}

/* --- vectors and aggregates ------------------------------------------------------------------- */

/* A vector of n numbers made of what is read at an offset. */
static u32 vector(Maker *k, u32 w, u32 n, const char *from)
{
    char type[30];
    u32 v = 0;
    snprintf(type, sizeof type, "<%u x i%u>", n, w);
    for (u32 e = 0; e < n; e++) {
        const u32 shifted = def(k, "lshr i128 %s, %u", from, e * 13 % 64);
        const u32 x = w == 128 ? shifted : def(k, "trunc i128 %%v%u to i%u", shifted, w);
        v = e ? def(k, "insertelement %s %%v%u, i%u %%v%u, i32 %u", type, v, w, x, e)
              : def(k, "insertelement %s poison, i%u %%v%u, i32 0", type, w, x);
    }
    return v;
}

static void show_vector(Maker *k, u32 w, u32 n, u32 v)
{
    for (u32 e = 0; e < n; e++)
        show(k, w, def(k, "extractelement <%u x i%u> %%v%u, i64 %u", n, w, v, e));
}

static void vectors(Maker *k, u32 w, u32 n)
{
    char t[30], m[30], args[100], name[60], scalar[12];
    snprintf(t, sizeof t, "<%u x i%u>", n, w);
    snprintf(m, sizeof m, "<%u x i1>", n);
    snprintf(scalar, sizeof scalar, "i%u", w);
    begin(k);
    const u32 a = vector(k, w, n, "%a"), b = vector(k, w, n, "%b");
    show_vector(k, w, n, def(k, "sub %s %%v%u, %%v%u", t, a, b));
    const u32 less = def(k, "icmp slt %s %%v%u, %%v%u", t, a, b);
    show_vector(k, 1, n, less);
    show_vector(k, w, n, def(k, "select %s %%v%u, %s %%v%u, %s %%v%u", m, less, t, a, t, b));
    const u32 one = def(k, "extractelement %s %%v%u, i32 0", m, less);
    show_vector(k, w, n, def(k, "select i1 %%v%u, %s %%v%u, %s %%v%u", one, t, a, t, b));
    end(k);
    begin(k);
    const u32 x = vector(k, w, n, "%a"), y = vector(k, w, n, "%b"),
              at = def(k, "urem i32 %%c, %u", n);
    const u32 byte = def(k, "trunc i32 %%v%u to i8", at);
    show(k, w, def(k, "extractelement %s %%v%u, i32 %%v%u", t, x, at));
    show(k, w, def(k, "extractelement %s %%v%u, i8 %%v%u", t, y, byte));
    const u32 e = def(k, "extractelement %s %%v%u, i32 %u", t, y, n - 1);
    show_vector(k, w, n, def(k, "insertelement %s %%v%u, i%u %%v%u, i32 %%v%u", t, x, w, e, at));
    show_vector(k, w, n + 1,
                def(k, "shufflevector %s %%v%u, %s %%v%u, <%u x i32> <i32 %u, i32 0%s%s%s>", t, x,
                    t, y, n + 1, n, n > 1 ? ", i32 1" : "", n > 2 ? ", i32 4" : "",
                    n > 3 ? ", i32 7" : ""));
    static const char *const reductions[] = {"add",  "mul",  "and",  "or",  "xor",
                                             "smin", "smax", "umin", "umax"};
    for (size_t i = 0; i < countof(reductions); i++) {
        snprintf(name, sizeof name, "llvm.vector.reduce.%s.v%ui%u", reductions[i], n, w);
        snprintf(args, sizeof args, "%s %%v%u", t, x);
        show(k, w, call(k, scalar, name, t, args));
    }
    if (n * w <= 128) { /* as bits, and other vectors of as many */
        const u32 bits = def(k, "bitcast %s %%v%u to i%u", t, x, n * w);
        show(k, n * w, bits);
        show_vector(k, w, n, def(k, "bitcast i%u %%v%u to %s", n * w, bits, t));
        if (w % 2 == 0 && 2 * n <= 8)
            show_vector(k, w / 2, 2 * n,
                        def(k, "bitcast %s %%v%u to <%u x i%u>", t, x, 2 * n, w / 2));
    }
    end(k);
}

/* The longest vector that OpenCL has, as another one of as many bits, and back. */
static void longest_vector(Maker *k)
{
    begin(k);
    const u32 x = vector(k, 64, 16, "%a"), y = def(k, "bitcast <16 x i64> %%v%u to <32 x i32>", x);
    for (u32 e = 0; e < 32; e += 5 + e / 25)
        show(k, 32, def(k, "extractelement <32 x i32> %%v%u, i32 %u", y, e));
    const u32 one = def(k, "insertelement <32 x i32> %%v%u, i32 %%c, i32 31", y);
    const u32 back = def(k, "bitcast <32 x i32> %%v%u to <16 x i64>", one);
    for (u32 e = 0; e < 16; e += 5)
        show(k, 64, def(k, "extractelement <16 x i64> %%v%u, i32 %u", back, e));
    end(k);
}

/* Members of members, of more pieces and of fewer. */
static void aggregates(Maker *k)
{
    static const char t[] = "{ i8, [3 x { i64, i16 }], i33, <2 x i8> }";
    begin(k);
    const u32 x8 = cut(k, 8, "%a"), x64 = cut(k, 64, "%a"), x16 = cut(k, 16, "%b"),
              x33 = cut(k, 33, "%b"), v = vector(k, 8, 2, "%a");
    u32 r = def(k, "insertvalue %s zeroinitializer, i8 %%v%u, 0", t, x8);
    for (u32 i = 0; i < 3; i++) {
        const u32 y = def(k, "add i64 %%v%u, %u", x64, i);
        r = def(k, "insertvalue %s %%v%u, i64 %%v%u, 1, %u, 0", t, r, y, i);
        r = def(k, "insertvalue %s %%v%u, i16 %%v%u, 1, %u, 1", t, r, x16, 2 - i);
    }
    r = def(k, "insertvalue %s %%v%u, i33 %%v%u, 2", t, r, x33);
    r = def(k, "insertvalue %s %%v%u, <2 x i8> %%v%u, 3", t, r, v);
    const u32 part = def(k, "extractvalue %s %%v%u, 1, 1", t, r);
    r = def(k, "insertvalue %s %%v%u, { i64, i16 } { i64 -5, i16 7 }, 1, 1", t, r);
    show(k, 8, def(k, "extractvalue %s %%v%u, 0", t, r));
    for (u32 i = 0; i < 3; i++) {
        show(k, 64, def(k, "extractvalue %s %%v%u, 1, %u, 0", t, r, i));
        show(k, 16, def(k, "extractvalue %s %%v%u, 1, %u, 1", t, r, i));
    }
    show(k, 33, def(k, "extractvalue %s %%v%u, 2", t, r));
    show_vector(k, 8, 2, def(k, "extractvalue %s %%v%u, 3", t, r));
    show(k, 64, def(k, "extractvalue { i64, i16 } %%v%u, 0", part));
    show(k, 16, def(k, "extractvalue { i64, i16 } %%v%u, 1", part));
    const u32 chosen = def(k, "select i1 true, %s %%v%u, %s %%v%u", t, r, t, r);
    show(k, 33, def(k, "extractvalue %s %%v%u, 2", t, chosen));
    end(k);
}

/* --- memory ----------------------------------------------------------------------------------- */

/* The place that is so many bytes behind another, in a space. */
static u32 place(Maker *k, u32 space, const char *from, u32 bytes)
{
    return def(k, "getelementptr i8, ptr addrspace(%u) %s, i32 %u", space, from, bytes);
}

static const char *const types[] = {"i8",
                                    "i16",
                                    "i24",
                                    "i32",
                                    "i40",
                                    "i48",
                                    "i64",
                                    "i96",
                                    "i128",
                                    "half",
                                    "float",
                                    "double",
                                    "<2 x i8>",
                                    "<3 x i8>",
                                    "<4 x i8>",
                                    "<8 x i8>",
                                    "<16 x i8>",
                                    "<2 x i16>",
                                    "<3 x i16>",
                                    "<4 x i16>",
                                    "<8 x i16>",
                                    "<2 x i32>",
                                    "<3 x i32>",
                                    "<4 x i64>",
                                    "{ i8, i16, i32, i64 }",
                                    "[3 x i16]",
                                    "<{ i8, i32, i16 }>",
                                    "{ i16, [2 x { i8, i64 }] }",
                                    "<4 x half>",
                                    "[5 x i8]"};

/* Copies of a value of each type, in each memory, that lies on multiples of 1 to 8. */
static void accesses(Maker *k, const char *t, u32 space)
{
    begin(k);
    u32 from = 0;
    if (space == 0) {
        from = def(k, "alloca [128 x i8], align 8");
        const u32 at = def(k, "getelementptr i8, ptr %%v%u, i32 0", from);
        for (u32 i = 0; i < 8; i++) {
            const u32 p = place(k, 1, "%p", 16 * i),
                      x = def(k, "load i128, ptr addrspace(1) %%v%u, align 16", p),
                      q = def(k, "getelementptr i8, ptr %%v%u, i32 %u", at, 16 * i);
            line(k, "store i128 %%v%u, ptr %%v%u, align 8", x, q);
        }
    } else if (space == 4) {
        from = def(k, "addrspacecast ptr addrspace(1) %%p to ptr addrspace(4)");
    } else {
        from = place(k, 1, "%p", 0);
    }
    const u32 in = space == 0 ? 0 : space == 4 ? 4 : 1;
    for (u32 align = 1, to = 0; align <= 8; align *= 2)
        for (u32 more = 0; more < 2; more++, to += 64) {
            char base[16];
            snprintf(base, sizeof base, "%%v%u", from);
            const u32 at = place(k, in, base, align * (1 + 2 * more)),
                      x = def(k, "load%s %s, ptr addrspace(%u) %%v%u, align %u",
                              more ? " volatile" : "", t, in, at, align);
            const u32 q = place(k, 1, "%q", to + align);
            line(k, "store%s %s %%v%u, ptr addrspace(1) %%v%u, align %u", more ? " volatile" : "",
                 t, x, q, align);
        }
    end(k);
}

/* What is loaded and extended, by every use or by some. */
static void extended_loads(Maker *k)
{
    begin(k);
    for (u32 w = 8; w <= 16; w += 8) {
        const u32 at = place(k, 1, "%p", 4), x = def(k, "load i%u, ptr addrspace(1) %%v%u", w, at);
        show(k, 32, def(k, "sext i%u %%v%u to i32", w, x));
        show(k, 64, def(k, "sext i%u %%v%u to i64", w, x));
        const u32 y = def(k, "load i%u, ptr addrspace(1) %%v%u", w, at);
        show(k, 32, def(k, "sext i%u %%v%u to i32", w, y));
        show(k, 32, def(k, "zext i%u %%v%u to i32", w, y));
        const u32 z = def(k, "load i%u, ptr addrspace(1) %%v%u, align 1", w, at);
        show(k, 64, def(k, "zext i%u %%v%u to i64", w, z));
        show_float(k, def(k, "sitofp i%u %%v%u to float", w, z));
        const u32 s = def(k, "load i%u, ptr addrspace(1) %%v%u, align 1", w, at);
        show_float(k, def(k, "sitofp i%u %%v%u to float", w, s));
        show(k, 33, def(k, "sext i%u %%v%u to i33", w, s));
    }
    end(k);
}

/* Addresses with indices of several widths and sizes of elements, and offsets that no access can
 * hold. */
static void addresses(Maker *k)
{
    static const u32 sizes[] = {8, 16, 24, 32, 48, 64, 96};
    begin(k);
    const u32 word = def(k, "urem i32 %%c, 5"), byte = def(k, "trunc i32 %%v%u to i8", word),
              minus = def(k, "sub i8 0, %%v%u", byte), wide = def(k, "zext i32 %%v%u to i64", word),
              far = place(k, 1, "%p", 96);
    for (size_t s = 0; s < countof(sizes); s++) {
        const u32 w = sizes[s];
        const u32 p = def(k, "getelementptr i%u, ptr addrspace(1) %%p, i32 %%v%u", w, word),
                  q = def(k, "getelementptr [2 x i%u], ptr addrspace(1) %%p, i64 %%v%u, i8 1", w,
                          wide),
                  r = def(k, "getelementptr i%u, ptr addrspace(1) %%v%u, i8 %%v%u", w, far, minus);
        show(k, 8, def(k, "load i8, ptr addrspace(1) %%v%u", p));
        if (w < 64)
            show(k, 8, def(k, "load i8, ptr addrspace(1) %%v%u", q));
        if (w <= 16)
            show(k, 8, def(k, "load i8, ptr addrspace(1) %%v%u", r));
    }
    const u32 d = def(k,
                      "getelementptr { i8, [3 x { i16, i64 }] }, ptr addrspace(1) %%p, i32 0, i32 "
                      "1, i32 %%v%u, i32 1",
                      def(k, "urem i32 %%c, 3"));
    show(k, 16, def(k, "load i16, ptr addrspace(1) %%v%u", d));
    for (int much = 0; much < 6; much++) {
        static const int offsets[] = {2040, 2047, 2048, -2048, -2049, 100000};
        const u32 away = def(k, "getelementptr i8, ptr addrspace(1) %%p, i32 %d", -offsets[much]),
                  back = def(k, "getelementptr i8, ptr addrspace(1) %%v%u, i32 %d", away,
                             offsets[much]);
        show(k, 32, def(k, "load i32, ptr addrspace(1) %%v%u, align 4", back));
        const u32 moved = def(k, "getelementptr i8, ptr addrspace(1) %%v%u, i32 %%outs", away),
                  one = def(k, "getelementptr i8, ptr addrspace(1) %%v%u, i32 %d", moved,
                            offsets[much]),
                  home = def(k, "sub i32 0, %%outs"),
                  two = def(k, "getelementptr i8, ptr addrspace(1) %%v%u, i32 %%v%u", one, home);
        show(k, 64, def(k, "load i64, ptr addrspace(1) %%v%u, align 4", two));
    }
    end(k);
}

/* Copies and fills of many lengths in the bytes that a kernel writes; `how`: 0 from another
 * buffer, 1 and 2 up and down in the same, 3 with a byte that is known, 4 with another, 5 to 7
 * of lengths that are not known. */
static void copies(Maker *k, u32 length, u32 align, u32 how)
{
    begin(k);
    const u32 n =
        how >= 5 ? def(k, "urem i32 %%c, %u", length + 1) : def(k, "freeze i32 %u", length);
    char size[20], text[200];
    snprintf(size, sizeof size, how >= 5 ? "%%v%u" : "%u", how >= 5 ? n : length);
    const u32 far = place(k, 1, "%q", 256), byte = cut(k, 8, "%a");
    for (u32 i = 0; i < 15; i++) { /* what there is */
        const u32 at = place(k, 1, "%p", 16 * i),
                  x = def(k, "load i128, ptr addrspace(1) %%v%u", at),
                  to = place(k, 1, "%q", 256 + 16 * i);
        line(k, "store i128 %%v%u, ptr addrspace(1) %%v%u, align 16", x, to);
    }
    char base[16];
    snprintf(base, sizeof base, "%%v%u", far);
    const u32 p = place(k, 1, "%p", align), q = place(k, 1, base, 4 * align),
              r = place(k, 1, base, 2 * align);
    const bool fills = how == 3 || how == 4 || how == 7, moves = how == 1 || how == 2 || how == 6;
    const char *name = fills   ? "llvm.memset.p1.i32"
                       : moves ? "llvm.memmove.p1.p1.i32"
                               : "llvm.memcpy.p1.p1.i32";
    snprintf(text, sizeof text, "declare void @%s(ptr addrspace(1), %s, i32, i1)\n", name,
             fills ? "i8" : "ptr addrspace(1)");
    if (!strstr(buf_text(&k->declared), text))
        buf_str(&k->declared, text);
    if (fills && how == 3)
        line(k, "call void @%s(ptr addrspace(1) align %u %%v%u, i8 -91, i32 %s, i1 false)", name,
             align, q, size);
    else if (fills)
        line(k, "call void @%s(ptr addrspace(1) align %u %%v%u, i8 %%v%u, i32 %s, i1 false)", name,
             align, q, byte, size);
    else
        line(k,
             "call void @%s(ptr addrspace(1) align %u %%v%u, ptr addrspace(1) align %u %%v%u, i32 "
             "%s, i1 %s)",
             name, align, how == 1 ? r : q, align,
             how == 1 ? q
             : moves  ? r
                      : p,
             size, length % 2 ? "true" : "false");
    end(k);
}

/* --- atomics ---------------------------------------------------------------------------------- */

static void atomics(Maker *k, u32 w, u32 space)
{
    static const char *const ops[] = {"xchg", "add", "sub", "and",  "or",
                                      "xor",  "max", "min", "umax", "umin"};
    static const char *const orders[] = {"monotonic", "acquire", "release", "acq_rel", "seq_cst"};
    begin(k);
    const u32 a = cut(k, w, "%a"), b = cut(k, w, "%b"), own = def(k, "alloca i%u, align 8", w);
    char at[20];
    snprintf(at, sizeof at, space ? "%%v%u" : "%%v%u", space ? place(k, 1, "%q", OUT - 16) : own);
    for (size_t i = 0; i < countof(ops); i++) {
        line(k, "store i%u %%v%u, ptr addrspace(%u) %s, align 8", w, a, space, at);
        show(k, w,
             def(k, "atomicrmw %s ptr addrspace(%u) %s, i%u %%v%u %s, align 8", ops[i], space, at,
                 w, b, orders[i % countof(orders)]));
        show(k, w,
             def(k, "load atomic i%u, ptr addrspace(%u) %s %s, align 8", w, space, at,
                 i % 3   ? "acquire"
                 : i % 2 ? "monotonic"
                         : "seq_cst"));
    }
    for (size_t i = 0; i < 2; i++) {
        const u32 y = def(k, "xor i%u %%v%u, 1", w, b);
        line(k, "store atomic i%u %%v%u, ptr addrspace(%u) %s %s, align 8", w, a, space, at,
             i ? "release" : "seq_cst");
        const u32 r = def(k, "cmpxchg ptr addrspace(%u) %s, i%u %%v%u, i%u %%v%u %s", space, at, w,
                          i ? a : b, w, y, i ? "monotonic acquire" : "seq_cst monotonic");
        show(k, w, def(k, "extractvalue { i%u, i1 } %%v%u, 0", w, r));
        show(k, 1, def(k, "extractvalue { i%u, i1 } %%v%u, 1", w, r));
        show(k, w, def(k, "load i%u, ptr addrspace(%u) %s, align 8", w, space, at));
    }
    end(k);
}

/* --- control, calls, constants ---------------------------------------------------------------- */

static const char loops[] =
    /* phis that change places, of one word and of more */
    "define spir_kernel void @loops(ptr addrspace(1) %in, ptr addrspace(1) %out) {\n"
    "entry:\n  %lane = call i32 @__ventus_lane()\n  %ins = mul i32 %lane, 256\n  %outs = mul i32 "
    "%lane, 1024\n"
    "  %p = getelementptr i8, ptr addrspace(1) %in, i32 %ins\n  %q = getelementptr i8, ptr "
    "addrspace(1) %out, i32 %outs\n"
    "  %x = load i96, ptr addrspace(1) %p\n  %pb = getelementptr i8, ptr addrspace(1) %p, i32 16\n"
    "  %y = load i96, ptr addrspace(1) %pb\n  %pc = getelementptr i8, ptr addrspace(1) %p, i32 32\n"
    "  %c = load i32, ptr addrspace(1) %pc\n  %n = and i32 %c, 7\n  br label %head\n"
    "head:\n  %i = phi i32 [ 0, %entry ], [ %next, %odd ], [ %next, %even ]\n"
    "  %a = phi i96 [ %x, %entry ], [ %b, %odd ], [ %sum, %even ]\n"
    "  %b = phi i96 [ %y, %entry ], [ %a, %odd ], [ 5, %even ]\n  %sum = add i96 %a, %b\n  %next = "
    "add i32 %i, 1\n"
    "  %bit = trunc i32 %i to i1\n  br i1 %bit, label %odd, label %even\n"
    "odd:\n  %more = icmp ult i32 %next, %n\n  br i1 %more, label %head, label %done\n"
    "even:\n  %few = icmp uge i32 %next, %n\n  br i1 %few, label %done, label %head\n"
    "done:\n  %r = phi i96 [ %a, %odd ], [ %sum, %even ]\n  store i96 %r, ptr addrspace(1) %q\n"
    "  %q2 = getelementptr i8, ptr addrspace(1) %q, i32 16\n  store i96 %b, ptr addrspace(1) %q2\n "
    " ret void\n}\n";
static const char calls[] =
    /* arguments and results of several kinds, extended or not; a copy that the callee changes */
    "define internal { i64, i8, <2 x i16> } @parts(i8 signext %a, i8 zeroext %b, i64 %c, <2 x i16> "
    "%d, i1 %e, ptr byval({ i32, i8 }) align 4 %f) "
    "noinline {\n  %x = sext i8 %a to i64\n  %y = zext i8 %b to i64\n  %z = mul i64 %x, %y\n  %s = "
    "add i64 %z, %c\n"
    "  %old = load i32, ptr %f\n  store i32 77, ptr %f\n  %w = zext i32 %old to i64\n  %t = xor "
    "i64 %s, %w\n"
    "  br i1 %e, label %one, label %two\none:\n  %r0 = insertvalue { i64, i8, <2 x i16> } poison, "
    "i64 %t, 0\n"
    "  %r1 = insertvalue { i64, i8, <2 x i16> } %r0, i8 %a, 1\n  %r2 = insertvalue { i64, i8, <2 x "
    "i16> } %r1, <2 x i16> %d, 2\n"
    "  ret { i64, i8, <2 x i16> } %r2\ntwo:\n  ret { i64, i8, <2 x i16> } { i64 -3, i8 4, <2 x "
    "i16> <i16 5, i16 -6> }\n}\n"
    "define spir_kernel void @calls(ptr addrspace(1) %in, ptr addrspace(1) %out) {\n"
    "  %lane = call i32 @__ventus_lane()\n  %ins = mul i32 %lane, 256\n  %outs = mul i32 %lane, "
    "1024\n"
    "  %p = getelementptr i8, ptr addrspace(1) %in, i32 %ins\n  %q = getelementptr i8, ptr "
    "addrspace(1) %out, i32 %outs\n"
    "  %i = load i64, ptr addrspace(1) %p\n  %a = trunc i64 %i to i8\n  %m = lshr i64 %i, 8\n  %b "
    "= trunc i64 %m to i8\n"
    "  %v = load <2 x i16>, ptr addrspace(1) %p\n  %e = trunc i64 %m to i1\n  %own = alloca { i32, "
    "i8 }, align 4\n"
    "  %w = trunc i64 %i to i32\n  store i32 %w, ptr %own\n"
    "  %r = call { i64, i8, <2 x i16> } @parts(i8 signext %a, i8 zeroext %b, i64 %i, <2 x i16> %v, "
    "i1 %e, ptr byval({ i32, i8 }) align 4 %own)\n"
    "  %r0 = extractvalue { i64, i8, <2 x i16> } %r, 0\n  %r1 = extractvalue { i64, i8, <2 x i16> "
    "} %r, 1\n"
    "  %r2 = extractvalue { i64, i8, <2 x i16> } %r, 2\n  store i64 %r0, ptr addrspace(1) %q\n"
    "  %q1 = getelementptr i8, ptr addrspace(1) %q, i32 8\n  store i8 %r1, ptr addrspace(1) %q1\n"
    "  %q2 = getelementptr i8, ptr addrspace(1) %q, i32 16\n  store <2 x i16> %r2, ptr "
    "addrspace(1) %q2\n"
    "  %q3 = getelementptr i8, ptr addrspace(1) %q, i32 24\n  %same = load i32, ptr %own\n"
    "  store i32 %same, ptr addrspace(1) %q3\n  ret void\n}\n";
static const char constants[] =
    /* variables with contents of every kind, and addresses of others */
    "@table = internal addrspace(2) constant [4 x i16] [i16 1, i16 -2, i16 300, i16 0]\n"
    "@mixed = internal addrspace(1) global { i8, i24, i33, i65, i128, half, float, double, <3 x "
    "i16>, [2 x i1], [3 x i8] } "
    "{ i8 -1, i24 -2, i33 -3, i65 20000000000000000001, i128 "
    "-123456789012345678901234567890123456, half 0xH3C01, float 0x3FF8000000000000, "
    "double 0xC00921FB54442D18, <3 x i16> <i16 7, i16 -8, i16 9>, [2 x i1] [i1 true, i1 false], [3 "
    "x i8] c\"xyz\" }\n"
    "@place = internal addrspace(1) global ptr addrspace(2) getelementptr (i8, ptr addrspace(2) "
    "@table, i32 2)\n"
    "@nothing = internal addrspace(1) global [5 x i32] zeroinitializer\n"
    "define spir_kernel void @constants(ptr addrspace(1) %in, ptr addrspace(1) %out) {\n"
    "  %lane = call i32 @__ventus_lane()\n  %outs = mul i32 %lane, 1024\n"
    "  %q = getelementptr i8, ptr addrspace(1) %out, i32 %outs\n"
    "  %q1 = getelementptr i8, ptr addrspace(1) %q, i32 256\n  %q2 = getelementptr i8, ptr "
    "addrspace(1) %q, i32 260\n"
    "  %q3 = getelementptr i8, ptr addrspace(1) %q, i32 272\n  %q4 = getelementptr i8, ptr "
    "addrspace(1) %q, i32 300\n"
    "  %q5 = getelementptr i8, ptr addrspace(1) %q, i32 320\n  %q6 = getelementptr i8, ptr "
    "addrspace(1) %q, i32 400\n"
    "  call void @llvm.memcpy.p1.p1.i32(ptr addrspace(1) align 16 %q, ptr addrspace(1) align 16 "
    "@mixed, i32 77, i1 false)\n"
    "  %at = load ptr addrspace(2), ptr addrspace(1) @place\n  %x = load i16, ptr addrspace(2) "
    "%at\n"
    "  store i16 %x, ptr addrspace(1) %q1\n"
    "  %y = load i16, ptr addrspace(2) getelementptr (i8, ptr addrspace(2) @table, i32 4)\n  store "
    "i16 %y, ptr addrspace(1) %q2\n"
    "  %z = load i32, ptr addrspace(1) getelementptr ([5 x i32], ptr addrspace(1) @nothing, i32 0, "
    "i32 4)\n"
    "  store i32 %z, ptr addrspace(1) %q3\n  store i128 -98765432109876543210987654321, ptr "
    "addrspace(1) %q5\n"
    "  store <{ i16, <2 x i8>, i65 }> <{ i16 -2, <2 x i8> <i8 3, i8 -4>, i65 18446744073709551621 "
    "}>, ptr addrspace(1) %q4, align 1\n"
    "  store { i8, double, [2 x float] } { i8 9, double 0x7FF0000000000000, [2 x float] [float "
    "-0.0, float 1.5] }, ptr addrspace(1) %q6, align 8\n"
    "  %odd = trunc i32 %lane to i1\n  %far = select i1 %odd, ptr addrspace(2) getelementptr (i8, "
    "ptr addrspace(2) @table, i32 4), ptr addrspace(2) @table\n"
    "  %w = load i16, ptr addrspace(2) %far\n  %q7 = getelementptr i8, ptr addrspace(1) %q, i32 "
    "420\n  store i16 %w, ptr addrspace(1) %q7\n"
    "  ret void\n}\n";

static const char layout[] =
    "target datalayout = \"e-p:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-"
    "v512:512-v1024:1024-n32-G1\"\ntarget triple = \"spir-unknown-unknown\"\n";

static LLVMModuleRef parse(LLVMContextRef ctx, const Buf *text)
{
    char *why = NULL;
    LLVMModuleRef m = NULL;
    LLVMMemoryBufferRef from =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(buf_text(text), text->len, "kernels");
    if (LLVMParseIRInContext(ctx, from, &m, &why))
        fail_msg("%s", why);
    if (LLVMVerifyModule(m, LLVMReturnStatusAction, &why))
        fail_msg("%s", why);
    LLVMDisposeMessage(why);
    return m;
}

/* --- what the device does not do -------------------------------------------------------------- */

/* The body of a function of %n, an i32, and %p, a pointer; what is said of it. */
static void refusals(void **state)
{
    static const struct {
        const char *body, *says;
    } rows[] = {
        {"%x = zext i32 %n to i65\n %y = shl i65 1, %x",
         "a shift of a number of more than 64 bits by a variable amount"},
        {"%x = zext i32 %n to i96\n %y = ashr i96 -9, %x",
         "a shift of a number of more than 64 bits by a variable amount"},
        {"%x = zext i32 %n to i2049\n %y = mul i2049 %x, %x", "a number of 2049 bits"},
        {"%x = zext i32 %n to i2049", "a number of 2049 bits"},
        {"%x = load i2049, ptr %p\n %y = icmp eq i2049 %x, %x", "a number of 2049 bits"},
        {"%x = load i3000, ptr %p\n %y = trunc i3000 %x to i32", "a number of 3000 bits"},
        {"%x = zext i32 %n to i33\n %y = udiv i33 %x, 3", "a division of numbers of 33 bits"},
        {"%x = zext i32 %n to i64\n %y = srem i64 %x, 3", "a division of numbers of 64 bits"},
        {"%x = call i24 @llvm.fshl.i24(i24 1, i24 2, i24 3)", "a rotation of 24 bits"},
        {"%x = call i32 @llvm.sshl.sat.i32(i32 %n, i32 3)", "a saturating shift or product"},
        {"%x = zext i32 %n to i64\n %y = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %x, i64 "
         "5)",
         "an overflow test of a product of 64 bits"},
        {"%x = call i16 @llvm.fptosi.sat.i16.f32(float 1.0)", "a saturating conversion to 16 bits"},
        {"%x = sitofp i32 %n to double\n", "double is not supported"},
        {"%x = load double, ptr %p\n %y = fadd double %x, %x", "double is not supported"},
        {"%x = load half, ptr %p\n %y = fmul half %x, %x", "arithmetic with half is not supported"},
        {"%x = load half, ptr %p\n %y = fcmp oeq half %x, %x",
         "arithmetic with half is not supported"},
        {"%x = load half, ptr %p\n %y = fneg half %x",
         "arithmetic with half or double is not supported"},
        {"%x = load half, ptr %p\n %y = fpext half %x to float",
         "conversion between float, half and double is not supported"},
        {"%x = zext i32 %n to i33\n %y = uitofp i33 %x to float", "a conversion of 33 bits"},
        {"%x = alloca i32, i32 %n", "an array whose size is not constant"},
        {"%x = alloca i32, align 256",
         "a variable aligned to 256 bytes in private memory; 128 is the most"},
        {"%x = alloca [300000000 x i8]", "a variable of 300000000 bytes in private memory"},
        {"%x = insertelement <2 x ptr> poison, ptr %p, i32 0\n %y = getelementptr i8, <2 x ptr> "
         "%x, i32 1",
         "a vector of pointers"},
        {"%x = load <4 x i1>, ptr %p", "a vector of 1-bit numbers in memory"},
        {"store <3 x i24> zeroinitializer, ptr %p", "a vector of 24-bit numbers in memory"},
        {"%x = atomicrmw add ptr addrspace(1) @g, i16 1 monotonic, align 2",
         "an atomic access of 2 bytes at a multiple of 2"},
        {"%x = atomicrmw add ptr addrspace(1) @g, i64 1 monotonic, align 4",
         "an atomic access of 8 bytes at a multiple of 4"},
        {"%x = load atomic i64, ptr addrspace(1) @g monotonic, align 4",
         "an atomic access of 8 bytes at a multiple of 4"},
        {"store atomic i32 1, ptr addrspace(1) @g monotonic, align 2",
         "an atomic access of 4 bytes at a multiple of 2"},
        {"%x = atomicrmw nand ptr addrspace(1) @g, i32 1 monotonic",
         "an atomic operation that this device does not have"},
        {"call void %p()", "a call through a pointer is not supported"},
        {"call void asm sideeffect \"nop\", \"\"()", "assembly in a kernel is not supported"},
        {"call void @llvm.trap()", "a trap is not supported"},
        {"%x = call float @llvm.sin.f32(float 1.0)",
         "an intrinsic that this compiler does not know: sin.f32"},
        {"%x = call i32 @__ventus_csr(i32 %n)", "the argument of '__ventus_csr' is not a constant"},
        {"switch i32 %n, label %end [ i32 1, label %end ]\nend:",
         "an operation that this compiler does not know"},
        {"store ptr @refused, ptr %p", "pointers to functions are not supported"},
        {"%x = load [4097 x i32], ptr %p", "a value of more than 16384 bytes"},
    };
    static const char declared[] =
        "@g = external addrspace(1) global i64\ndeclare i24 @llvm.fshl.i24(i24, i24, i24)\ndeclare "
        "i32 @llvm.sshl.sat.i32(i32, i32)\n"
        "declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)\ndeclare i16 "
        "@llvm.fptosi.sat.i16.f32(float)\n"
        "declare void @llvm.trap()\ndeclare float @llvm.sin.f32(float)\ndeclare i32 "
        "@__ventus_csr(i32)\n";
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        Buf text = {0}, want = {0};
        Caught c;
        catch_in(&c);
        buf_printf(&text, "%s%sdefine void @refused(i32 %%n, ptr %%p) {\n %s\n ret void\n}\n",
                   layout, declared, rows[i].body);
        LLVMContextRef ctx = LLVMContextCreate();
        LLVMModuleRef m = parse(ctx, &text);
        Module *ir = lower_module(m, "refused", target_find(0), false, &c.d);
        buf_printf(&want, "error: %s\n", rows[i].says);
        if (ir || strcmp(buf_text(&c.text), buf_text(&want)) != 0)
            fail_msg("%s: said is %s, not %s", rows[i].body, ir ? "nothing" : buf_text(&c.text),
                     buf_text(&want));
        assert_int_equal(c.d.errors, 1);
        LLVMDisposeModule(m);
        LLVMContextDispose(ctx);
        buf_free(&c.text);
        buf_free(&text);
        buf_free(&want);
    }
}

/* The largest that there may be, beside which is what is refused; and how many blocks the function
 * has then, where a loop begins to be shorter. */
static void has_bounds(void **state)
{
#define COPY(align, bytes)                                                                         \
    "call void @llvm.memcpy.p0.p0.i32(ptr align " align " %p, ptr align " align " %p, i32 " bytes  \
    ", i1 false)"
    static const struct {
        const char *body, *says; /* NULL: nothing */
        u32 blocks;              /* 0: any number */
    } rows[] = {
        {"call void @g([511 x i32] zeroinitializer, i32 %n)", NULL, 0},
        {"call void @g2([511 x i32] zeroinitializer, i64 0)",
         "a call of 'g2' with too many arguments or results", 0},
        {"call void @h([512 x i32] zeroinitializer)", NULL, 0},
        {"call void @h2([513 x i32] zeroinitializer)", "an argument of 2052 bytes", 0},
        {"%x = call [32 x i32] @r32()", NULL, 0},
        {"%x = call [33 x i32] @r33()", "a call of 'r33' with too many arguments or results", 0},
        {"%x = zext i32 %n to i2048\n %y = mul i2048 %x, %x", NULL, 0},
        {"%x = load i2048, ptr %p\n %y = icmp eq i2048 %x, %x", NULL, 0},
        {"%x = load i2048, ptr %p\n %y = trunc i2048 %x to i32", NULL, 0},
        {"%x = zext i32 %n to i64\n %y = shl i64 1, %x", NULL, 0},
        {"%x = load [4096 x i32], ptr %p", NULL, 0},
        {"%x = alloca i32, align 128", NULL, 0},
        {COPY("4", "4"), NULL, 3},
        {COPY("4", "128"), NULL, 3},
        {COPY("1", "128"), NULL, 3},
        {COPY("4", "129"), NULL, 5},
        {"call void @llvm.memset.p0.i32(ptr align 4 %p, i8 7, i32 128, i1 false)", NULL, 3},
        {"call void @llvm.memset.p0.i32(ptr align 4 %p, i8 7, i32 132, i1 false)", NULL, 5},
    };
    static const char declared[] = "declare void @g([511 x i32], i32)\n"
                                   "declare void @g2([511 x i32], i64)\n"
                                   "declare void @h2([513 x i32])\n"
                                   "declare void @h([512 x i32])\ndeclare [32 x i32] @r32()\n"
                                   "declare [33 x i32] @r33()\n"
                                   "declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)\n"
                                   "declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)\n";
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        Buf text = {0};
        Caught c;
        catch_in(&c);
        buf_printf(&text, "%sdefine spir_func void @f(i32 %%n, ptr %%p) {\n %s\n ret void\n}\n",
                   layout, rows[i].body);
        buf_printf(&text, "%s", declared);
        LLVMContextRef ctx = LLVMContextCreate();
        LLVMModuleRef m = parse(ctx, &text);
        Module *ir = lower_module(m, "bounds", target_find(0), false, &c.d);
        if (!ir != !!rows[i].says || (rows[i].says && !strstr(buf_text(&c.text), rows[i].says)))
            fail_msg("%s: said is %s", rows[i].body, buf_text(&c.text));
        if (rows[i].blocks && ir->func[0]->nblock != rows[i].blocks)
            fail_msg("%s: %zu blocks", rows[i].body, ir->func[0]->nblock);
        ir_free(ir);
        LLVMDisposeModule(m);
        LLVMContextDispose(ctx);
        buf_free(&c.text);
        buf_free(&text);
    }
}

/* --- what lies where -------------------------------------------------------------------------- */

/* The machine IR of a text. */
static Module *lowered(LLVMContextRef ctx, const char *body, bool apart, LLVMModuleRef *m)
{
    Caught c;
    Buf text = {0};
    catch_in(&c);
    buf_printf(&text, "%s%s", layout, body);
    *m = parse(ctx, &text);
    Module *ir = lower_module(*m, "test", target_find(0), apart, &c.d);
    if (!ir)
        fail_msg("%s", buf_text(&c.text));
    buf_free(&text);
    return ir;
}

/* Variables in local memory: those of several kernels, or of a function that any may call, come
 * first, then those of each kernel; apart, each has a gap behind it. */
static void places_locals(void **state)
{
    static const char body[] =
        "@k.a = internal addrspace(3) global [3 x i32] poison, align 4\n"
        "@k.b = internal addrspace(3) global i64 poison, align 8\n"
        "@both = internal addrspace(3) global i8 poison\n"
        "@j.c = internal addrspace(3) global [5 x i8] poison, align 1\n"
        "@f.d = internal addrspace(3) global i32 poison, align 4\n"
        "@unused = internal addrspace(3) global i32 poison\n"
        "define void @f() {\n store i32 1, ptr addrspace(3) @f.d\n ret void\n}\n"
        "define spir_kernel void @k() {\n store i32 1, ptr addrspace(3) getelementptr (i8, ptr "
        "addrspace(3) @k.a, i32 4)\n"
        " store i64 1, ptr addrspace(3) @k.b\n store i8 1, ptr addrspace(3) @both\n ret void\n}\n"
        "define spir_kernel void @j() {\n store i8 1, ptr addrspace(3) @j.c\n store i8 1, ptr "
        "addrspace(3) @both\n ret void\n}\n";
    static const struct {
        const char *kernel, *name;
        u32 size, offset[2];
    } rows[] = {{NULL, "both", 1, {0, 0}},
                {NULL, "d", 4, {4, 20}},
                {"k", "a", 12, {8, 40}},
                {"k", "b", 8, {24, 72}},
                {"j", "c", 5, {8, 40}}};
    static const struct {
        const char *name;
        u32 bytes[2];
    } all[] = {{"f", {0, 0}}, {"k", {32, 96}}, {"j", {16, 64}}};
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        LLVMContextRef ctx = LLVMContextCreate();
        LLVMModuleRef m;
        Module *ir = lowered(ctx, body, apart, &m);
        assert_int_equal(ir->nlocal, countof(rows));
        for (size_t i = 0; i < countof(rows); i++) {
            const struct IrLocal *l = &ir->local[i];
            assert_string_equal(l->name, rows[i].name);
            assert_true(!l->kernel == !rows[i].kernel &&
                        (!l->kernel || !strcmp(l->kernel, rows[i].kernel)));
            assert_int_equal(l->size, rows[i].size);
            assert_int_equal(l->offset, rows[i].offset[apart]);
        }
        assert_int_equal(ir->nfunc, countof(all));
        for (size_t i = 0; i < countof(all); i++) {
            assert_string_equal(ir->func[i]->name, all[i].name);
            assert_int_equal(ir->func[i]->lds_static, all[i].bytes[apart]);
        }
        ir_free(ir);
        LLVMDisposeModule(m);
        LLVMContextDispose(ctx);
    }
}

/* The number of times that a text stands in another. */
static int count(const char *text, const char *what)
{
    int n = 0;
    while ((text = strstr(text, what)))
        n++, text++;
    return n;
}

/* An operation on 8 bytes takes the lock of its address, one of 256: while that is 0 it becomes
 * what is never 0, else it stays as it is; who found 0 and could store goes inside, with a fence
 * before and after the accesses, and others come again.  All is one access to the source, at a
 * place that is not known here. */
static void locks_objects(void **state)
{
    static const char body[] = "define spir_func i64 @f(ptr addrspace(1) %p, i64 %x) {\n"
                               " %r = atomicrmw xchg ptr addrspace(1) %p, i64 %x seq_cst\n"
                               " ret i64 %r\n}\n";
    static const char want[] = "    %1 = param\n"
                               "    %2 = param #1\n"
                               "    %3 = param #2\n"
                               "    jump b1\n"
                               "b1:\n"
                               "    %4 = srl %1, 1 !0:0:0\n"
                               "    %5 = and %4, 1020 !0:0:0\n"
                               "    %6 = add @__ventus_locks, %5 !0:0:0\n"
                               "    %7 = csr #0x803 !0:0:0\n"
                               "    jump b3\n"
                               "b2:\n"
                               "    %17 = phi b6 %15\n"
                               "    %18 = phi b6 %16\n"
                               "    setret %17\n"
                               "    setret %18 #1\n"
                               "    ret\n"
                               "b3:\n"
                               "    %8 = lr word flat [%6] !0:0:0\n"
                               "    %9 = eq %8, 0 !0:0:0\n"
                               "    %10 = select %9, %7, %8 !0:0:0\n"
                               "    %11 = sc word flat %10, [%6] !0:0:0\n"
                               "    %12 = or %8, %11 !0:0:0\n"
                               "    br ne %12, 0 -> b5, b4 !0:0:0\n"
                               "b4:\n"
                               "    fence !0:0:0\n"
                               "    %13 = load word flat [%1] !0:0:0\n"
                               "    %14 = load word flat [%1 + 4] !0:0:0\n"
                               "    store word flat %2, [%1] !0:0:0\n"
                               "    store word flat %3, [%1 + 4] !0:0:0\n"
                               "    fence !0:0:0\n"
                               "    store word flat 0, [%6] !0:0:0\n"
                               "    jump b5\n"
                               "b5:\n"
                               "    %15 = phi b3 0, b4 %13\n"
                               "    %16 = phi b3 0, b4 %14\n"
                               "    br ne %12, 0 -> b3, b6 !0:0:0\n"
                               "b6:\n"
                               "    jump b2\n"
                               "}\n";
    LLVMContextRef ctx = LLVMContextCreate();
    LLVMModuleRef m;
    Buf text = {0};
    (void)state;
    Module *ir = lowered(ctx, body, false, &m);
    ir_print_module(&text, ir);
    const char *code = strstr(buf_text(&text), "b0:\n");
    assert_non_null(code);
    assert_string_equal(code + 4, want);
    assert_non_null(strstr(buf_text(&text), "data @__ventus_locks weak align 4 size 1024 {\n}\n"));
    buf_free(&text);
    ir_free(ir);
    LLVMDisposeModule(m);
    LLVMContextDispose(ctx);
}

/* An or of bits that are never set together is a sum, for the passes that take sums apart; others are none, and of two
 * words a sum would have a carry. */
static void sums_disjoint_bits(void **state)
{
    static const struct { u32 bits; const char *flag; bool is_sum; } rows[] = {
        {8, "disjoint", true}, {16, "disjoint", true}, {32, "disjoint", true}, {64, "disjoint", false}, {32, "", false}};
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        char body[200];
        snprintf(body, sizeof body, "define spir_func i%u @f(i%u %%x, i%u %%y) {\n %%z = or %s i%u %%x, %%y\n ret i%u %%z\n}\n",
                 rows[i].bits, rows[i].bits, rows[i].bits, rows[i].flag, rows[i].bits, rows[i].bits);
        LLVMContextRef ctx = LLVMContextCreate();
        LLVMModuleRef m;
        Module *ir = lowered(ctx, body, false, &m);
        Buf text = {0};
        ir_print_module(&text, ir);
        if (!strstr(buf_text(&text), " = add ") != !rows[i].is_sum || !strstr(buf_text(&text), " = or ") != rows[i].is_sum)
            fail_msg("row %zu:\n%s", i, buf_text(&text));
        buf_free(&text);
        ir_free(ir);
        LLVMDisposeModule(m);
        LLVMContextDispose(ctx);
    }
}

/* Variables in private memory, where that is wanted: a note of each that has parts or a name, with
 * a gap behind what has parts; it gets the address, and 0 at the end of a function that is no
 * kernel. */
static void notes_variables(void **state)
{
    static const char body[] = "define void @f() {\n %table.i = alloca [3 x i32]\n %x = alloca "
                               "i16\n %1 = alloca { i8, i32 }\n %2 = alloca i32\n"
                               " %none = alloca [0 x i32]\n store i32 1, ptr %table.i\n store i16 "
                               "1, ptr %x\n store i8 1, ptr %1\n store i32 1, ptr %2\n"
                               " store i32 1, ptr %none\n ret void\n}\n"
                               "define spir_kernel void @k() {\n %own = alloca i64\n store i64 1, "
                               "ptr %own\n ret void\n}\n";
    static const struct {
        const char *text;
        u32 size, kind;
        int stores;
    } rows[] = {{"table", 12, 512, 2},
                {"x", 2, 512 | 16384, 2},
                {"", 8, 512, 2},
                {"own", 8, 512 | 16384, 1}};
    static const u32 sizes[2][5] = {{12, 4, 8, 4, 4}, {12 + 16, 4, 8 + 16, 4, 4}};
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        LLVMContextRef ctx = LLVMContextCreate();
        LLVMModuleRef m;
        Module *ir = lowered(ctx, body, apart, &m);
        Buf text = {0};
        ir_print_module(&text, ir);
        assert_int_equal(ir->is_checked, apart);
        assert_int_equal(ir->ndata, apart ? countof(rows) : 0);
        assert_int_equal(ir->func[0]->nslot, 5);
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(ir->func[0]->slot[i].size, sizes[apart][i]);
        for (size_t i = 0; apart && i < countof(rows); i++) {
            const Data *d = &ir->data[i];
            char want[40] = {0}, name[40];
            const u32 words[] = {0, rows[i].kind, rows[i].size};
            memcpy(want, words, sizeof words);
            strcpy(want + 12, rows[i].text);
            assert_int_equal(d->size, 13 + strlen(rows[i].text));
            assert_int_equal(d->ninit, d->size);
            assert_memory_equal(d->init, want, d->size);
            assert_true(d->writable && ir->sym[d->symbol].is_local);
            snprintf(name, sizeof name, ".note.check.private.%zu", i);
            assert_string_equal(ir->sym[d->symbol].name, name);
            assert_int_equal(count(buf_text(&text), name) - 1,
                             rows[i].stores); /* and where it is defined */
        }
        buf_free(&text);
        ir_free(ir);
        LLVMDisposeModule(m);
        LLVMContextDispose(ctx);
    }
}

/* --- both sides ------------------------------------------------------------------------------- */

static u32 host_lane;
static u32 lane_of_host(void) { return host_lane; }

static void make_all(Maker *k)
{
    for (size_t i = 0; i < countof(widths); i++) {
        arithmetic(k, widths[i]);
        comparisons(k, widths[i]);
        conversions(k, widths[i]);
        intrinsics(k, widths[i]);
    }
    floats(k);
    float_conversions(k);
    static const u32 elements[][2] = {{8, 4},  {16, 3}, {32, 2}, {64, 2}, {1, 4},
                                      {24, 4}, {33, 3}, {7, 4},  {16, 4}};
    for (size_t i = 0; i < countof(elements); i++)
        vectors(k, elements[i][0], elements[i][1]);
    longest_vector(k);
    aggregates(k);
    for (size_t i = 0; i < countof(types); i++)
        for (u32 space = 0; space <= 4; space += space ? 3 : 1)
            accesses(k, types[i], space);
    extended_loads(k);
    addresses(k);
    static const u32 lengths[] = {0,  1,  2,   3,   4,   7,   8,   13, 16,
                                  63, 64, 127, 128, 129, 130, 132, 200};
    for (size_t i = 0; i < countof(lengths); i++)
        for (u32 align = 1; align <= 4; align *= 2)
            for (u32 how = 0; how < 5; how++)
                copies(k, lengths[i], align, how);
    for (u32 how = 5; how < 8; how++)
        copies(k, 190, 4, how), copies(k, 13, 1, how);
    for (u32 w = 32; w <= 64; w += 32)
        for (u32 space = 0; space < 2; space++)
            atomics(k, w, space);
}

static Maker kernels;

/* The text for our device, or for the host, where kernels are functions. */
static void write_module(Buf *b, bool host)
{
    static const char word[] = "spir_kernel ";
    Buf all = {0};
    buf_str(&all, "declare i32 @__ventus_lane()\n");
    buf_str(&all, buf_text(&kernels.declared));
    if (!strstr(buf_text(&kernels.declared), "@llvm.memcpy.p1.p1.i32("))
        buf_str(
            &all,
            "declare void @llvm.memcpy.p1.p1.i32(ptr addrspace(1), ptr addrspace(1), i32, i1)\n");
    buf_str(&all, buf_text(&kernels.text));
    buf_str(&all, loops);
    buf_str(&all, calls);
    buf_str(&all, constants);
    buf_str(b, host ? "" : layout);
    for (const char *p = buf_text(&all), *at; *p; p = at) {
        at = strstr(p, word);
        at = at ? at : p + strlen(p);
        buf_put(b, p, (size_t)(at - p));
        if (*at && !host)
            buf_str(b, word);
        at += *at ? strlen(word) : 0;
    }
    buf_free(&all);
}

static Object *image_for_device(LLVMModuleRef m)
{
    Caught c;
    catch_in(&c);
    guard_begin(GUARD_BEHIND);
    Module *ir = lower_module(m, "kernels", target_find(0), false, &c.d);
    guard.where = GUARD_NOTHING;
    if (!ir || !ir_check_module(ir, STAGE_GENERIC, &c.text))
        fail_msg("%s", buf_text(&c.text));
    Object *o = cc_compile(ir, &(CcOptions){.level = 2}, &c.d);
    if (!o)
        fail_msg("%s", buf_text(&c.text));
    Object *image =
        link_program((const Object *const *)&o, 1, &(LinkOptions){.output = "t.elf"}, &c.d);
    expect_silence(&c);
    assert_non_null(image);
    obj_free(o);
    ir_free(ir);
    guard_end();
    return image;
}

/* Patterns for what an item reads: numbers near powers of two, of few bits or many, alike in a
 * and b or nearly so. */
static void fill(u8 in[IN])
{
    __extension__ typedef unsigned __int128 u128;
    u128 ab[2];
    for (int i = 0; i < 2; i++) {
        const u128 random = (u128)random_bits() << 64 | random_bits(),
                   power = (u128)1 << below(128);
        switch (below(5)) {
        case 0: ab[i] = random; break;
        case 1: ab[i] = random >> below(128); break;
        case 2: ab[i] = power - 1 + below(3); break;
        case 3: ab[i] = -(power - 1 + below(3)); break;
        default: ab[i] = ~(random >> below(128)); break;
        }
    }
    if (one_in(4))
        ab[1] = ab[0] ^ (one_in(2) ? (u128)1 << below(128) : 0);
    for (u32 i = 0; i < IN; i++)
        in[i] = (u8)random_bits();
    memcpy(in, ab, 32);
}

typedef void Kernel(u8 *in, u8 *out);

static void expect_same(Driver *d, LLVMExecutionEngineRef engine, const char *name)
{
    enum { ALL_IN = ITEMS * IN, ALL_OUT = ITEMS * OUT, ROOM = 1 << 18 };
    static _Alignas(16) u8 in[2 * ROOM], want[ALL_OUT], got[ALL_OUT];
    u8 *const first = in + ROOM;
    u64 from = 0, to = 0;
    const uintptr_t address = LLVMGetFunctionAddress(engine, name);
    Kernel *kernel;
    memcpy(&kernel, &address, sizeof kernel);
    for (u32 i = 0; i < ITEMS; i++)
        fill(first + IN * i);
    memset(want, 0xa5, sizeof want);
    for (host_lane = 0; host_lane < ITEMS; host_lane++)
        kernel(first, want);
    memset(got, 0xa5, sizeof got);
    assert_int_equal(drv_alloc(d, ALL_IN, &from), DRV_OK);
    assert_int_equal(drv_alloc(d, ALL_OUT, &to), DRV_OK);
    assert_int_equal(drv_write(d, from, first, ALL_IN), DRV_OK);
    assert_int_equal(drv_write(d, to, got, ALL_OUT), DRV_OK);
    const u32 value[] = {(u32)from, (u32)to};
    const DrvArg args[] = {{.size = 4, .align = 4, .value = &value[0]},
                           {.size = 4, .align = 4, .value = &value[1]}};
    const DrvKernel launch = {.kernel = name,
                              .dims = 1,
                              .global = {ITEMS, 1, 1},
                              .local = {ITEMS, 1, 1},
                              .args = args,
                              .nargs = 2,
                              .max_insns = 10000000,
                              .run = {.threads = 1}};
    DrvResult r;
    if (drv_run(d, &launch, &r) != DRV_OK) {
        Buf why = {0};
        drv_last_error(d, &why);
        fail_msg("%s: %s", name, buf_text(&why));
    }
    assert_int_equal(drv_read(d, to, got, ALL_OUT), DRV_OK);
    for (u32 i = 0; i < ALL_OUT; i++)
        if (got[i] != want[i]) {
            const char *text = strstr(buf_text(&kernels.text), name),
                       *stop = text ? strstr(text, "\n}\n") : NULL;
            fail_msg("%s, item %u, byte %u: %02x, should be %02x\n%.*s", name, i / OUT, i % OUT,
                     got[i], want[i], text && stop ? (int)(stop - text) : 0, text ? text : "");
        }
    assert_int_equal(drv_free(d, from), DRV_OK);
    assert_int_equal(drv_free(d, to), DRV_OK);
}

static void as_the_host(void **state)
{
    static const char *const more[] = {"loops", "calls", "constants"};
    Buf ours = {0}, theirs = {0};
    char *why = NULL;
    LLVMContextRef ctx = LLVMContextCreate();
    LLVMExecutionEngineRef engine;
    (void)state;
    LLVMLinkInMCJIT();
    assert_false(LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter());
    make_all(&kernels);
    write_module(&ours, false);
    write_module(&theirs, true);
    LLVMModuleRef m = parse(ctx, &ours), host = parse(ctx, &theirs);
    LLVMValueRef lane = LLVMGetNamedFunction(host, "__ventus_lane");
    struct LLVMMCJITCompilerOptions opt;
    LLVMInitializeMCJITCompilerOptions(&opt, sizeof opt);
    opt.OptLevel = 0;
    if (LLVMCreateMCJITCompilerForModule(&engine, host, &opt, sizeof opt, &why))
        fail_msg("%s", why);
    u32 (*const here)(void) = lane_of_host;
    void *at;
    memcpy(&at, &here, sizeof at);
    LLVMAddGlobalMapping(engine, lane, at);
    Caught c;
    catch_in(&c);
    DeviceOptions dev = dev_defaults();
    Driver *d = drv_open(&dev);
    assert_int_equal(drv_load(d, image_for_device(m), &c.d), DRV_OK);
    for (u32 round = 0; round < ROUNDS; round++) {
        for (u32 i = 0; i < kernels.nkernel; i++) {
            char name[16];
            snprintf(name, sizeof name, "k%u", i);
            expect_same(d, engine, name);
        }
        for (size_t i = 0; i < countof(more); i++)
            expect_same(d, engine, more[i]);
    }
    drv_close(d);
    LLVMDisposeExecutionEngine(engine);
    LLVMDisposeModule(m);
    LLVMContextDispose(ctx);
    buf_free(&ours);
    buf_free(&theirs);
    buf_free(&kernels.text);
    buf_free(&kernels.declared);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_host),
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(refusals),
        cmocka_unit_test(has_bounds),
        cmocka_unit_test(places_locals),
        cmocka_unit_test(locks_objects),
        cmocka_unit_test(sums_disjoint_bits),
        cmocka_unit_test(notes_variables),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
