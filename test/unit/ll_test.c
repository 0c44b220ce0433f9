/* ll_test.c -- the compiler as a library: outputs, options, errors, headers, bitcodes, cache, many
 * threads at once.  Skipped where the build has no compiler. */
#include "test/kit/skip.h"
#include "base/mem.h"
#include "comp/comp.h"
#include "comp/spirv.h"
#include "obj/kernelinfo.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* What came of one compilation. */
typedef struct {
    Buf out, log;
    Diag d;
    bool ok;
} Made;

static Compiler *compiler;

static void need_compiler(void)
{
    Buf what = {0};
    const bool there = comp_available(compiler, NULL, &what);
    if (!there)
        print_message("no compiler: %s\n", buf_text(&what));
    buf_free(&what);
    if (!there)
        skip_because("no compiler");
}

static Made made(void) { return (Made){.ok = false}; }

static void compile(Made *m, const char *source, CompOptions opt)
{
    m->d = (Diag){.sink = diag_to_buf, .to = &m->log};
    opt.name = opt.name ? opt.name : "t.cl";
    m->ok = comp_compile(compiler, source, strlen(source), &opt, &m->out, &m->d);
}

static void drop(Made *m)
{
    buf_free(&m->out);
    buf_free(&m->log);
}

static const char add[] = "kernel void add(global int *p, int n) { p[get_global_id(0)] += n; }\n";

static bool begins(const Buf *b, const char *with)
{
    return b->len >= strlen(with) && !memcmp(b->data, with, strlen(with));
}

static void outputs(void **state)
{
    static const struct {
        CompOutput output;
        const char *begins, *has;
    } row[] = {
        {COMP_IMAGE, "\177ELF", NULL},      {COMP_OBJECT, "\177ELF", NULL},
        {COMP_ASSEMBLY, "", ".kernel add"}, {COMP_LLVM, "; ModuleID", "spir_kernel void @add("},
        {COMP_IR, "", "kernel @add {"},     {COMP_BITCODE, "BC\xc0\xde", NULL},
    };
    (void)state;
    need_compiler();
    for (size_t i = 0; i < countof(row); i++) {
        Made m = made();
        compile(&m, add, (CompOptions){.output = row[i].output});
        assert_true(m.ok);
        assert_string_equal(buf_text(&m.log), "");
        assert_true(begins(&m.out, row[i].begins));
        if (row[i].has)
            assert_non_null(strstr(buf_text(&m.out), row[i].has));
        drop(&m);
    }
}

/* the image tells hosts of its kernels */
static void kernels(void **state)
{
    static const char source[] = "typedef struct { char c; long l; } S;\n"
                                 "__attribute__((reqd_work_group_size(8, 2, 1)))\n"
                                 "kernel void k(global const float *restrict a, local int *b, "
                                 "constant int4 *c, S s, uchar u, short3 v) {}\n";
    Made m = made();
    Object *o = NULL;
    KernelTable t;
    (void)state;
    need_compiler();
    compile(&m, source, (CompOptions){.output = COMP_IMAGE});
    assert_true(m.ok);
    assert_true(obj_read("t", m.out.data, m.out.len, &m.d, &o));
    assert_true(kernelinfo_read(o, &t, &m.d));
    const KernelInfo *k = kernelinfo_find(&t, "k");
    assert_non_null(k);
    assert_int_equal(k->nargs, 6);
    assert_int_equal(k->reqd_local[0], 8);
    assert_int_equal(k->reqd_local[1], 2);
    assert_int_equal(k->reqd_local[2], 1);
    assert_string_equal(k->args[0].name, "a");
    assert_string_equal(k->args[0].type, "float*");
    assert_int_equal(k->args[0].kind, ARG_GLOBAL);
    assert_true(k->args[0].is_const && k->args[0].is_restrict && !k->args[0].is_volatile);
    assert_int_equal(k->args[0].pointee_align, 4);
    assert_int_equal(k->args[1].kind, ARG_LOCAL);
    assert_int_equal(k->args[2].kind, ARG_CONSTANT);
    assert_int_equal(k->args[2].pointee_align, 16);
    assert_int_equal(k->args[3].kind, ARG_VALUE);
    assert_int_equal(k->args[3].size, 16);
    assert_int_equal(k->args[3].align, 8);
    assert_int_equal(k->args[4].size, 1);
    assert_int_equal(k->args[5].size, 8);
    assert_int_equal(k->args[5].align, 8);
    kernelinfo_free(&t);
    obj_free(o);
    drop(&m);
}

/* What the table says of a kernel, as text. */
static void write_info(Buf *b, const KernelInfo *k)
{
    static const char *const kinds[] = {"value", "global",  "constant", "local",
                                        "image", "sampler", "pipe"};
    static const char *const accesses[] = {"", " ro", " wo", " rw"};
    buf_printf(b, "%s|%s|%s|%u,%u,%u|%u,%u,%u|%s", k->name, k->attributes, k->vec_hint,
               k->reqd_local[0], k->reqd_local[1], k->reqd_local[2], k->local_hint[0],
               k->local_hint[1], k->local_hint[2], k->silent ? "silent" : "prints");
    for (size_t i = 0; i < k->nargs; i++) {
        const KernelArg *a = &k->args[i];
        buf_printf(b, "\n  %s %s: %s %u %u %u%s%s%s%s", a->type, a->name, kinds[a->kind], a->size,
                   a->align, a->pointee_align, a->is_const ? " const" : "",
                   a->is_restrict ? " restrict" : "", a->is_volatile ? " volatile" : "",
                   accesses[a->access]);
    }
    for (size_t i = 0; i < k->nlocals; i++)
        buf_printf(b, "\n  %s at %u: %u", k->locals[i].name, k->locals[i].offset,
                   k->locals[i].size);
    buf_str(b, "\n");
}

/* Compiles a source and compares what its table says of all kernels, and of variables. */
static void expect_table(const char *source, const char *const *options, size_t n,
                         const char *wanted, u64 globals)
{
    Made m = made();
    Buf text = {0};
    Object *o = NULL;
    KernelTable t;
    compile(&m, source, (CompOptions){.output = COMP_IMAGE, .options = options, .noptions = n});
    if (!m.ok)
        fail_msg("%s", buf_text(&m.log));
    assert_true(obj_read("t", m.out.data, m.out.len, &m.d, &o));
    assert_true(kernelinfo_read(o, &t, &m.d));
    for (size_t i = 0; i < t.nkernels; i++)
        write_info(&text, &t.kernels[i]);
    assert_string_equal(buf_text(&text), wanted);
    assert_int_equal(t.globals_size, globals);
    kernelinfo_free(&t);
    obj_free(o);
    buf_free(&text);
    drop(&m);
}

/* The words, kinds, sizes and alignments that OpenCL C and doc/abi.md give every kind of argument;
 * who prints, directly or through others; what lies in local memory and in the program. */
static void whole_tables(void **state)
{
    static const char *const v3[] = {"-cl-std=CL3.0", "-w"};
    static const char *const hints[] = {
        "char",  "uchar",  "short", "ushort", "int",    "uint",   "long",  "ulong",  "half",
        "float", "double", "char2", "uchar4", "short8", "uint16", "long2", "float3", "double4"};
    Buf source = {0}, wanted = {0};
    (void)state;
    need_compiler();
    for (size_t i = 0; i < countof(hints); i++) {
        buf_printf(&source, "kernel __attribute__((vec_type_hint(%s))) void k%zu(void) {}\n",
                   hints[i], i);
        buf_printf(&wanted, "k%zu|vec_type_hint(%s)|%s|0,0,0|0,0,0|silent\n", i, hints[i],
                   hints[i]);
    }
    expect_table(buf_text(&source), v3, countof(v3), buf_text(&wanted), 0);
    buf_free(&source);
    buf_free(&wanted);
    expect_table(
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
        "typedef struct { char c; double d; short s; } S;\ntypedef struct { char c[3]; } T;\n"
        "__attribute__((work_group_size_hint(4, 5, 6))) kernel void hinted(void) {}\n"
        "__attribute__((reqd_work_group_size(1, 2, 3), work_group_size_hint(9, 8, 7), "
        "vec_type_hint(float4))) kernel void both(void) {}\n"
        "kernel void values(char a, ushort b, int c, ulong d, half e, float f, double g, char3 h, "
        "float16 i, S j, T k) {}\n"
        "kernel void pointers(global const char *restrict a, constant S *b, local float3 *c, "
        "global volatile void *d, const global T *e, global int *restrict f) {}\n"
        "kernel void others(read_only image2d_t a, write_only image3d_t b, read_write image1d_t c, "
        "sampler_t d, read_only pipe int e, write_only pipe float4 f) {}\n",
        v3, countof(v3),
        "hinted|work_group_size_hint(4,5,6)||0,0,0|4,5,6|silent\n"
        "both|reqd_work_group_size(1,2,3) work_group_size_hint(9,8,7) "
        "vec_type_hint(float4)|float4|1,2,3|9,8,7|silent\n"
        "values|||0,0,0|0,0,0|silent\n  char a: value 1 1 0\n  ushort b: value 2 2 0\n"
        "  int c: value 4 4 0\n  ulong d: value 8 8 0\n  half e: value 2 2 0\n"
        "  float f: value 4 4 0\n  double g: value 8 8 0\n  char3 h: value 4 4 0\n"
        "  float16 i: value 64 64 0\n  S j: value 24 8 0\n  T k: value 3 1 0\n"
        "pointers|||0,0,0|0,0,0|silent\n  char* a: global 4 4 1 const restrict\n"
        "  S* b: constant 4 4 8 const\n  float3* c: local 4 4 16\n"
        "  void* d: global 4 4 1 volatile\n  T* e: global 4 4 1 const\n"
        "  int* f: global 4 4 4 restrict\n"
        "others|||0,0,0|0,0,0|silent\n  image2d_t a: image 36 4 0 ro\n"
        "  image3d_t b: image 36 4 0 wo\n  image1d_t c: image 36 4 0 rw\n"
        "  sampler_t d: sampler 4 4 0\n  int e: pipe 4 4 0 ro\n  float4 f: pipe 4 4 0 wo\n",
        0);
    expect_table("global int x[3];\nglobal char y = 5;\nglobal double z;\n"
                 "void __attribute__((noinline)) say(int n) { printf(\"%d\", n); }\n"
                 "void __attribute__((noinline)) far(int n) { say(n); }\n"
                 "void __attribute__((noinline)) not(global int *p) { *p = y; }\n"
                 "kernel void one(void) { printf(\"a\"); }\nkernel void two(int n) { far(n); }\n"
                 "kernel void three(global int *p) { not(p); p[1] = x[2] + (int)z; }\n",
                 v3, countof(v3),
                 "one|||0,0,0|0,0,0|prints\ntwo|||0,0,0|0,0,0|prints\n  int n: value 4 4 0\n"
                 "three|||0,0,0|0,0,0|silent\n  int* p: global 4 4 4\n",
                 3 * 4 + 1 + 8);
    /* those of one kernel lie behind what several have in common */
    expect_table(
        "void f(local int *p, global int *o) { *o = *p; }\n"
        "kernel void a(global int *o) { local int one[3]; local double two; local char three[5]; "
        "one[o[1]] = o[0]; two = o[2]; three[o[3]] = 1; barrier(1); "
        "o[0] = one[o[2]] + (int)two + three[o[4]]; }\n"
        "kernel void b(global int *o) { local int other; other = o[0]; barrier(1); "
        "o[1] = other; }\n",
        v3, countof(v3),
        "a|||0,0,0|0,0,0|silent\n  int* o: global 4 4 4\n  one at 0: 12\n  two at 16: 8\n"
        "  three at 24: 5\n"
        "b|||0,0,0|0,0,0|silent\n  int* o: global 4 4 4\n  other at 0: 4\n",
        0);
}

static void refused(void **state)
{
    static const struct {
        const char *source, *message;
    } row[] = {
        {"kernel void k(global int *p) { *p = }", "t.cl:1:37: error:"},
        {"int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\nkernel void k(global int *p) { "
         "*p = f(*p); }",
         "recursion"},
        {"int g(int);\nkernel void k(global int *p) {\n *p = g(1); }",
         "t.cl:3:7: error: 'g' is not defined"},
        {"kernel void k(global float *p) { half h = *p; *p = h * 2; }", "half"},
        {"kernel void k(global int *p) { local int l[20000]; l[*p] = 1; *p = l[p[1]]; }",
         "80000 bytes"},
    };
    (void)state;
    need_compiler();
    for (size_t i = 0; i < countof(row); i++) {
        Made m = made();
        compile(&m, row[i].source, (CompOptions){.output = COMP_IMAGE});
        assert_false(m.ok);
        assert_true(m.d.errors > 0);
        assert_int_equal(m.out.len, 0);
        if (!strstr(buf_text(&m.log), row[i].message))
            fail_msg("'%s' is not in: %s", row[i].message, buf_text(&m.log));
        drop(&m);
    }
}

/* The whole of what is said of programs that clang takes and this compiler does not. */
static void says_what_is_missing(void **state)
{
    static const struct {
        const char *source, *says;
        u32 lds_limit;
    } rows[] = {
        {"int __attribute__((overloadable)) gee(int);\nkernel void k(global int *p) {\n *p = "
         "gee(1); }",
         "t.cl:3:7: error: 'gee' is not defined\n     *p = gee(1); }\n          ^\n", 0},
        {"int __attribute__((overloadable)) a_longer_name(int);\nkernel void k(global int *p)\n"
         "{\n\t*p = a_longer_name(1);\n}\n",
         "t.cl:4:7: error: 'a_longer_name' is not defined\n    \t*p = a_longer_name(1);\n    \t    "
         " ^\n",
         0},
        {"int _Zap(int);\nkernel void k(global int *p) { *p = _Zap(1); }",
         "t.cl:2:37: error: '_Zap' is not defined\n    kernel void k(global int *p) { *p = "
         "_Zap(1); }\n                                        ^\n",
         0},
        /* as many letters as the name says, and one less */
        {"int _Z3gee(int);\nkernel void k(global int *p) { *p = _Z3gee(1); }",
         "t.cl:2:37: error: 'gee' is not defined\n    kernel void k(global int *p) { *p = "
         "_Z3gee(1); }\n                                        ^\n",
         0},
        {"int _Z4gee(int);\nkernel void k(global int *p) { *p = _Z4gee(1); }",
         "t.cl:2:37: error: '_Z4gee' is not defined\n    kernel void k(global int *p) { *p = "
         "_Z4gee(1); }\n                                        ^\n",
         0},
        {"extern constant int v;\nkernel void k(global int *p) {\n*p = v; }",
         "t.cl:3:6: error: 'v' is not defined\n    *p = v; }\n         ^\n", 0},
        {"kernel void k(global int *p) { local int l[100]; l[*p] = 1; barrier(1); *p = l[p[1]]; }",
         "t.cl: error: kernel 'k' has 400 bytes of __local variables, 399 are allowed\n", 399},
        {"kernel void k(global int *p) { local int l[100]; l[*p] = 1; barrier(1); *p = l[p[1]]; }",
         NULL, 400},
    };
    (void)state;
    need_compiler();
    for (size_t i = 0; i < countof(rows); i++) {
        Made m = made();
        compile(&m, rows[i].source,
                (CompOptions){.output = COMP_IMAGE, .lds_limit = rows[i].lds_limit});
        assert_int_equal(m.ok, !rows[i].says);
        assert_string_equal(buf_text(&m.log), rows[i].says ? rows[i].says : "");
        drop(&m);
    }
}

/* Each level makes other code of a loop with a branch that all rounds take alike: what O0 leaves,
 * the passes that O1 lacks, the loop for each side that O3 makes. */
static void levels(void **state)
{
    static const char source[] =
        "kernel void k(global int *a, global int *b, int n, int flag) { for (int i = 0; i < n; "
        "i++)\n"
        "if (flag > 3) a[i] = b[i] * 3 + n; else { a[i] -= flag * 2; b[i] = i; } }\n";
    static const char *const options[] = {"-O0", "-O1", "-O2", "-O3"};
    Made m[countof(options)];
    (void)state;
    need_compiler();
    for (size_t i = 0; i < countof(options); i++) {
        m[i] = made();
        compile(&m[i], source,
                (CompOptions){.output = COMP_LLVM, .options = &options[i], .noptions = 1});
        assert_true(m[i].ok);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(buf_text(&m[i].out), buf_text(&m[k].out)))
                fail_msg("%s and %s make the same", options[k], options[i]);
    }
    for (size_t i = 0; i < countof(options); i++)
        drop(&m[i]);
}

static void options(void **state)
{
    static const char *const bad[] = {
        "-o",         "-load",  "@file",       "-Xclang", "-include", "-cl-std=CL9", "-O7",
        "-fplugin=x", "--help", "-cl-nothing", "x.cl",    "",         "-emit-obj",   "-D"};
    static const char *const good[] = {"-DN=3",
                                       "-D",
                                       "M=4",
                                       "-cl-mad-enable",
                                       "-cl-fast-relaxed-math",
                                       "-w",
                                       "-cl-std=CL3.0",
                                       "-I/nowhere",
                                       "-cl-opt-disable",
                                       "-cl-denorms-are-zero"};
    (void)state;
    need_compiler();
    for (size_t i = 0; i < countof(bad); i++) {
        Made m = made();
        compile(&m, add, (CompOptions){.output = COMP_IMAGE, .options = &bad[i], .noptions = 1});
        assert_false(m.ok);
        drop(&m);
    }
    Made m = made();
    compile(&m, "#if N * M != 12\n#error no\n#endif\nkernel void k(global int *p) { *p = N; }\n",
            (CompOptions){.output = COMP_IMAGE, .options = good, .noptions = countof(good)});
    assert_true(m.ok);
    drop(&m);
}

/* The assembly that an expression of floats a, b, c of one type is made to. */
static Made assembly_of(const char *type, const char *expression, const char *const *options,
                        size_t n)
{
    Buf source = {0};
    Made m = made();
    buf_printf(&source,
               "kernel void k(global %s *p) { const size_t i = 4 * get_global_id(0);\n"
               "const %s a = p[i], b = p[i + 1], c = p[i + 2], ab = a * b; p[i + 3] = %s; }\n",
               type, type, expression);
    compile(&m, buf_text(&source),
            (CompOptions){.output = COMP_ASSEMBLY, .options = options, .noptions = n});
    if (!m.ok)
        fail_msg("%s: %s", buf_text(&source), buf_text(&m.log));
    buf_free(&source);
    return m;
}

static bool same_code(const char *type, const char *one, const char *other,
                      const char *const *options, size_t n)
{
    Made a = assembly_of(type, one, options, n), b = assembly_of(type, other, options, n);
    const bool same = a.out.len == b.out.len && !memcmp(a.out.data, b.out.data, a.out.len);
    drop(&a);
    drop(&b);
    return same;
}

/* With the options that allow it shorter functions are called and sums are fused with products: the
 * code is that of who writes so himself.  Without them it is another. */
static void relaxed(void **state)
{
    static const char *const option[] = {"-cl-fast-relaxed-math", "-cl-unsafe-math-optimizations"};
    static const char *const none[] = {"-w"};
    static const char *const types[] = {"float", "float2", "float16"};
    static const struct {
        const char *plain, *relaxed;
        u32 types;
    } row[] = {
        {"exp(a)", "native_exp(a)", 3},     {"exp2(a)", "native_exp2(a)", 2},
        {"exp10(a)", "native_exp10(a)", 2}, {"ab + c", "fma(a, b, c)", 2},
        {"c + ab", "fma(a, b, c)", 1},      {"ab - c", "fma(a, b, -c)", 1},
        {"c - ab", "fma(-b, a, c)", 1},
    };
    (void)state;
    need_compiler();
    for (size_t i = 0; i < countof(row); i++) {
        for (u32 k = 0; k < row[i].types; k++)
            if (!same_code(types[k], row[i].plain, row[i].relaxed, &option[(i + k) % 2], 1))
                fail_msg("%s is not %s of %s", row[i].plain, row[i].relaxed, types[k]);
        if (same_code("float", row[i].plain, row[i].relaxed, none, 1))
            fail_msg("%s is %s without an option", row[i].plain, row[i].relaxed);
    }
    /* what is needed itself, has another accuracy or no instruction */
    assert_false(
        same_code("float", "ab + c > 1.0f ? ab : c", "fma(a, b, c) > 1.0f ? ab : c", option, 1));
    assert_false(same_code("double", "ab + c", "fma(a, b, c)", option, 1));
    assert_false(same_code("float", "sin(a)", "native_sin(a)", option, 1));
    assert_false(same_code("float", "log2(a)", "native_log2(a)", option, 1));
}

static void warnings(void **state)
{
    static const char source[] =
        "kernel void k(global int *p) { int x; *p = x; }\n#warning hello\n";
    static const char *const error[] = {"-Werror"};
    (void)state;
    need_compiler();
    Made m = made();
    compile(&m, source, (CompOptions){.output = COMP_IMAGE});
    assert_true(m.ok);
    assert_true(m.d.warnings > 0);
    assert_non_null(strstr(buf_text(&m.log), "hello"));
    drop(&m);
    m = made();
    compile(&m, source, (CompOptions){.output = COMP_IMAGE, .options = error, .noptions = 1});
    assert_false(m.ok);
    drop(&m);
}

static void headers(void **state)
{
    static const CompHeader list[] = {{"a.h", "#include \"in/b.h\"\n#define A (B + 1)\n"},
                                      {"in/b.h", "#define B 41\n"}};
    (void)state;
    need_compiler();
    Made m = made();
    compile(&m,
            "#include \"a.h\"\n#include <in/b.h>\n#if A != 42\n#error no\n#endif\nkernel void "
            "k(global int *p) { *p = A; }\n",
            (CompOptions){.output = COMP_IR, .headers = list, .nheaders = countof(list)});
    assert_true(m.ok);
    assert_non_null(strstr(buf_text(&m.out), "42"));
    drop(&m);
}

static void linking(void **state)
{
    (void)state;
    need_compiler();
    Made a = made(), b = made(), both = made(), twice = made();
    compile(&a, "int f(int); kernel void k(global int *p) { *p = f(*p); }\n",
            (CompOptions){.output = COMP_BITCODE});
    compile(&b, "int f(int x) { return x * 7; }\n", (CompOptions){.output = COMP_BITCODE});
    assert_true(a.ok && b.ok);
    const Buf *const inputs[] = {&a.out, &b.out, &b.out};
    const CompOptions image = {.output = COMP_IMAGE, .name = "linked"};
    both.d = twice.d = (Diag){.sink = diag_to_buf, .to = &both.log};
    assert_true(comp_link(compiler, inputs, 2, &image, &both.out, &both.d));
    assert_true(begins(&both.out, "\177ELF"));
    assert_false(comp_link(compiler, inputs, 1, &image, &twice.out, &twice.d)); /* f is missing */
    assert_false(
        comp_link(compiler, inputs, 3, &image, &twice.out, &twice.d)); /* f is there twice */
    const Buf junk = {.data = (u8 *)"junk", .len = 4};
    const Buf *const wrong[] = {&junk};
    assert_false(comp_link(compiler, wrong, 1, &image, &twice.out, &twice.d));
    drop(&a), drop(&b), drop(&both), drop(&twice);
}

/* --- SPIR-V ----------------------------------------------------------------------------------- */

/* A module of no functions, of a version and a memory model, with capabilities that fit, an
 * extension that no translator of LLVM 15 to 19 knows, and so many words of its last
 * instruction. */
static Buf module_of(u32 version, u32 addressing, bool extension, size_t last)
{
    static const u32 capabilities[] = {0x20011, 4, 0x20011, 6, 0x20011, 5};
    static const char name[24] = "SPV_KHR_shader_clock";
    const u32 header[] = {0x07230203, version, 0, 1, 0}, named = 10 | 7 << 16,
              model[] = {0x3000e, addressing, 2};
    Buf m = {0};
    buf_put(&m, header, sizeof header);
    buf_put(&m, capabilities, sizeof capabilities);
    if (extension) {
        buf_put(&m, &named, sizeof named);
        buf_put(&m, name, sizeof name);
    }
    buf_put(&m, model, 4 * last);
    return m;
}

/* What is said of modules that are not taken; the rest after a colon is what the tools say. */
static void refuses_modules(void **state)
{
    static const struct {
        u32 version, addressing;
        bool extension;
        size_t last;
        CompOutput output;
        const char *says;
        bool more;
    } rows[] = {
        {0x10100, 1, false, 3, COMP_LLVM, NULL, false},
        {0x10400, 1, false, 3, COMP_LLVM, NULL, false},
        {0x10100, 1, false, 2, COMP_LLVM, "this is no SPIR-V module, or it ends too early", false},
        {0x10500, 1, false, 3, COMP_LLVM, "SPIR-V 1.5 is newer than 1.4", false},
        {0x10100, 2, false, 3, COMP_LLVM,
         "the module is not for addresses of 32 bits (Physical32), which this device has", false},
        {0x10100, 0, false, 3, COMP_LLVM,
         "the module is not for addresses of 32 bits (Physical32), which this device has", false},
        {0x10100, 1, false, 3, COMP_PREPROCESSED,
         "such an output is made of OpenCL C, not of SPIR-V", false},
        {0x10100, 1, false, 3, COMP_RULE, "such an output is made of OpenCL C, not of SPIR-V",
         false},
        {0x10100, 1, false, 0, COMP_LLVM,
         "the module is not for addresses of 32 bits (Physical32), which this device has", false},
        {0x10100, 1, true, 3, COMP_LLVM, "the module cannot be translated: ", true},
    };
    u32 version;
    (void)state;
    need_compiler();
    if (!spirv_validator() || !spirv_translator(&version))
        skip_because("spirv-tools or llvm-spirv is not installed");
    for (size_t i = 0; i < countof(rows); i++) {
        Buf il = module_of(rows[i].version, rows[i].addressing, rows[i].extension, rows[i].last);
        Made m = made();
        char want[160];
        m.d = (Diag){.sink = diag_to_buf, .to = &m.log};
        const CompOptions opt = {.output = rows[i].output, .name = "m.spv"};
        m.ok = comp_compile(compiler, (const char *)il.data, il.len, &opt, &m.out, &m.d);
        assert_int_equal(m.ok, !rows[i].says);
        if (m.ok) {
            assert_true(begins(&m.out, "; ModuleID"));
            assert_string_equal(buf_text(&m.log), "");
        } else {
            snprintf(want, sizeof want, "m.spv: error: %s%s", rows[i].says,
                     rows[i].more ? "" : "\n");
            assert_true(begins(&m.log, want));
            assert_true(rows[i].more ? m.log.len > strlen(want) + 1 : m.log.len == strlen(want));
            assert_true(m.log.data[m.log.len - 2] != '\n');
            assert_int_equal(m.d.errors, 1);
        }
        drop(&m);
        buf_free(&il);
    }
    /* valid but for an id that is not below the bound */
    static const u32 name[] = {0x30005, 7, 0x61};
    Buf il = module_of(0x10100, 1, false, 3);
    buf_put(&il, name, sizeof name);
    Made m = made();
    m.d = (Diag){.sink = diag_to_buf, .to = &m.log};
    m.ok = comp_compile(compiler, (const char *)il.data, il.len,
                        &(CompOptions){.output = COMP_IMAGE, .name = "m.spv"}, &m.out, &m.d);
    assert_false(m.ok);
    assert_true(begins(&m.log, "m.spv: error: the module is not valid: error: "));
    drop(&m);
    buf_free(&il);
}

/* --- threads -------------------------------------------------------------------------------- */

enum { NTHREADS = 8, ROUNDS = 3 };

typedef struct {
    int k;
    Buf first;
    bool ok;
} Worker;

static void *work(void *arg)
{
    Worker *w = arg;
    char define[32];
    const char *const options[] = {define, w->k % 2 ? "-O1" : "-O2",
                                   w->k % 3 ? "-cl-std=CL1.2" : "-cl-std=CL3.0"};
    snprintf(define, sizeof define, "-DK=%d", w->k * 1111);
    w->ok = true;
    for (int i = 0; i < ROUNDS; i++) {
        Made m = made();
        compile(
            &m, "kernel void k(global int *p) { p[get_global_id(0)] = K; }\n",
            (CompOptions){.output = COMP_IMAGE, .options = options, .noptions = countof(options)});
        w->ok = w->ok && m.ok && m.out.len;
        if (!i)
            buf_put(&w->first, m.out.data, m.out.len);
        else
            w->ok =
                w->ok && m.out.len == w->first.len && !memcmp(m.out.data, w->first.data, m.out.len);
        drop(&m);
    }
    return NULL;
}

/* each gets the image of its own options, every time the same */
static void threads(void **state)
{
    Worker w[NTHREADS] = {0};
    pthread_t id[NTHREADS];
    (void)state;
    need_compiler();
    for (int k = 0; k < NTHREADS; k++) {
        w[k].k = k;
        assert_int_equal(pthread_create(&id[k], NULL, work, &w[k]), 0);
    }
    for (int k = 0; k < NTHREADS; k++) {
        pthread_join(id[k], NULL);
        assert_true(w[k].ok);
    }
    for (int k = 1; k < NTHREADS; k++)
        assert_true(w[k].first.len != w[0].first.len ||
                    memcmp(w[k].first.data, w[0].first.data, w[0].first.len));
    for (int k = 0; k < NTHREADS; k++)
        buf_free(&w[k].first);
}

/* --- the cache ------------------------------------------------------------------------ */

static void damage(const char *dir)
{
    char command[512];
    snprintf(command, sizeof command,
             "for f in $(find %s -type f); do printf XXXX | dd of=$f bs=1 seek=100 conv=notrunc "
             "2>/dev/null; done",
             dir);
    assert_int_equal(system(command), 0);
}

static void cache(void **state)
{
    char dir[] = "/tmp/ll_test.XXXXXX", command[64];
    (void)state;
    need_compiler();
    assert_non_null(mkdtemp(dir));
    const CompOptions opt = {.output = COMP_IMAGE, .cache = dir};
    Made a = made(), b = made(), c = made(), other = made();
    compile(&a, add, opt);
    compile(&b, add, opt);
    damage(dir);
    compile(&c, add, opt);
    static const char *const level[] = {"-O0"};
    compile(&other, add,
            (CompOptions){.output = COMP_IR, .cache = dir, .options = level, .noptions = 1});
    assert_true(a.ok && b.ok && c.ok && other.ok);
    assert_int_equal(a.out.len, b.out.len);
    assert_memory_equal(a.out.data, b.out.data, a.out.len);
    assert_int_equal(a.out.len, c.out.len);
    assert_memory_equal(a.out.data, c.out.data, a.out.len);
    assert_non_null(strstr(buf_text(&other.out), "kernel @add {"));
    drop(&a), drop(&b), drop(&c), drop(&other);
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

/* A program that warns is in the cache too, with what was said. */
static void cached_warnings(void **state)
{
    static const char source[] = "kernel void f(global int *p) { int unused; *p = 1; }\n";
    static const char *const all[] = {"-Wall"};
    char dir[] = "/tmp/ll_test.XXXXXX", command[128];
    (void)state;
    need_compiler();
    assert_non_null(mkdtemp(dir));
    const CompOptions opt = {.output = COMP_IMAGE, .cache = dir, .options = all, .noptions = 1};
    Made a = made(), b = made();
    compile(&a, source, opt);
    snprintf(command, sizeof command, "test $(ls %s/*.ventus | wc -l) = 1", dir);
    assert_int_equal(system(command), 0);
    compile(&b, source, opt);
    assert_true(a.ok && b.ok);
    assert_int_equal(a.d.warnings, 1);
    assert_int_equal(b.d.warnings, 1);
    assert_string_equal(buf_text(&a.log), buf_text(&b.log));
    assert_int_equal(a.out.len, b.out.len);
    assert_memory_equal(a.out.data, b.out.data, a.out.len);
    drop(&a), drop(&b);
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

/* Requests that differ in one thing each, whose answers all differ: with a common cache each must
 * get its own. */
static void every_option_is_in_the_key(void **state)
{
    static const char source[] =
        "#ifdef H\n#include <h.h>\n#endif\n#ifndef A\n#define A 1\n#endif\n"
        "kernel void f(global int *p, int n) { local int l[1024]; int unused;\n"
        "  for (int i = 0; i < n; i++) p[i] = p[i] / 7 * A + p[i + 1] * 3;\n"
        "  l[get_local_id(0)] = p[n] + A; barrier(1); p[0] = l[n]; }\n",
                      another[] = "kernel void f(global int *p) { *p = 5; }\n";
    static const CompHeader one[] = {{"h.h", "#define A 2\n"}}, two[] = {{"h.h", "#define A 3\n"}},
                            elsewhere[] = {{"i.h", "#define A 2\n"}},
                            both[] = {{"h.h", "#include <i.h>\n"}, {"i.h", "#define A 4\n"}};
#define OPTIONS(...)                                                                               \
    .options = (const char *const[]){__VA_ARGS__},                                                 \
    .noptions = sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)
    const struct {
        const char *source;
        CompOptions opt;
    } requests[] = {
        {source, {.output = COMP_IMAGE}},
        {source, {.output = COMP_OBJECT}},
        {source, {.output = COMP_ASSEMBLY}},
        {source, {.output = COMP_LLVM}},
        {source, {.output = COMP_IR}},
        {source, {.output = COMP_BITCODE}},
        {another, {.output = COMP_IMAGE}},
        {source, {.output = COMP_IMAGE, OPTIONS("-DA=5")}},
        {source, {.output = COMP_IMAGE, OPTIONS("-DA=6")}},
        {source, {.output = COMP_IMAGE, OPTIONS("-DA=6", "-O0")}},
        {source, {.output = COMP_IMAGE, OPTIONS("-g")}},
        {source, {.output = COMP_IMAGE, OPTIONS("-g"), .name = "other.cl"}},
        {source, {.output = COMP_IMAGE, OPTIONS("-Wall")}},
        {source, {.output = COMP_IMAGE, .off = "sched"}},
        {source, {.output = COMP_IMAGE, .lds_limit = 1024}}, /* refused */
        {source, {.output = COMP_IMAGE, OPTIONS("-DH"), .headers = one, .nheaders = 1}},
        {source, {.output = COMP_IMAGE, OPTIONS("-DH"), .headers = two, .nheaders = 1}},
        {source,
         {.output = COMP_IMAGE, OPTIONS("-DH"), .headers = elsewhere, .nheaders = 1}}, /* refused */
        {source, {.output = COMP_IMAGE, OPTIONS("-DH"), .headers = both, .nheaders = 2}},
    };
    char dir[] = "/tmp/ll_test.XXXXXX", command[64];
    Made alone[countof(requests)], shared[2];
    (void)state;
    need_compiler();
    assert_non_null(mkdtemp(dir));
    for (size_t i = 0; i < countof(requests); i++) {
        alone[i] = made();
        compile(&alone[i], requests[i].source, requests[i].opt);
        for (size_t k = 0; k < i; k++)
            if (alone[i].ok == alone[k].ok && alone[i].out.len == alone[k].out.len &&
                !memcmp(alone[i].out.data, alone[k].out.data, alone[i].out.len) &&
                !strcmp(buf_text(&alone[i].log), buf_text(&alone[k].log)))
                fail_msg("requests %zu and %zu have the same answer", k, i);
    }
    for (size_t i = 0; i < countof(requests); i++) {
        CompOptions opt = requests[i].opt;
        opt.cache = dir;
        for (int k = 0; k < 2; k++) { /* made, then found */
            shared[k] = made();
            compile(&shared[k], requests[i].source, opt);
            if (shared[k].ok != alone[i].ok || shared[k].out.len != alone[i].out.len ||
                memcmp(shared[k].out.data, alone[i].out.data, alone[i].out.len) != 0 ||
                strcmp(buf_text(&shared[k].log), buf_text(&alone[i].log)) != 0)
                fail_msg("request %zu gets another's answer", i);
            drop(&shared[k]);
        }
    }
    for (size_t i = 0; i < countof(requests); i++)
        drop(&alone[i]);
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_in_the_key),
        cmocka_unit_test(cached_warnings),
        cmocka_unit_test(outputs),
        cmocka_unit_test(kernels),
        cmocka_unit_test(whole_tables),
        cmocka_unit_test(refused),
        cmocka_unit_test(says_what_is_missing),
        cmocka_unit_test(options),
        cmocka_unit_test(levels),
        cmocka_unit_test(relaxed),
        cmocka_unit_test(warnings),
        cmocka_unit_test(headers),
        cmocka_unit_test(linking),
        cmocka_unit_test(refuses_modules),
        cmocka_unit_test(threads),
        cmocka_unit_test(cache),
    };
    compiler = comp_open();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    comp_close(compiler);
    return failed;
}
