/* kernel_table_test.c -- what the table of kernels says (src/ll/kernel_table.c) of modules with
 * clang's attributes and metadata: OpenCL's numbers and words, and sizes and alignments by the data
 * layout.
 */
#include "ll/lower.h"

#include "test/kit/lack.h"
#include "test/kit/leftover.h"
#include "test/kit/modules.h"

/* KIND SIZE/ALIGN TYPE NAME, then what else is said of an argument. */
static void show_argument(Buf *b, const KernelArg *a)
{
    static const char *const kind[] = {"value", "global",  "constant", "local",
                                       "image", "sampler", "pipe"},
                             *const access[] = {"", " read", " write", " both"};
    buf_printf(b, "  %s %u/%u %s %s%s%s%s%s", kind[a->kind], a->size, a->align,
               a->type ? a->type : "NULL", a->name ? a->name : "NULL", access[a->access],
               a->is_const ? " const" : "", a->is_restrict ? " restrict" : "",
               a->is_volatile ? " volatile" : "");
    if (a->pointee_align)
        buf_printf(b, " to %u", a->pointee_align);
    buf_printf(b, "\n");
}

static void show_kernel(Buf *b, const KernelInfo *k)
{
    buf_printf(b, "%s%s: %u,%u,%u %u,%u,%u '%s' '%s'\n", k->name, k->silent ? "" : " prints",
               k->reqd_local[0], k->reqd_local[1], k->reqd_local[2], k->local_hint[0],
               k->local_hint[1], k->local_hint[2], k->vec_hint, k->attributes);
    for (size_t i = 0; i < k->nargs; i++)
        show_argument(b, &k->args[i]);
}

/* The table of a module, a line for each kernel and argument; what global variables need. */
static void expect_table(const char *text, const char *want)
{
    LLVMContextRef ctx = LLVMContextCreate();
    LLVMModuleRef m = parse_module(ctx, text);
    LLVMTargetDataRef dl = LLVMGetModuleDataLayout(m);
    KernelTable t = {0};
    Buf is = {0};
    verify(m);
    assert_true(kernels_describe(m, dl, &t));
    for (size_t k = 0; k < t.nkernels; k++)
        show_kernel(&is, &t.kernels[k]);
    buf_printf(&is, "%llu bytes\n", (unsigned long long)t.globals_size);
    assert_string_equal(buf_text(&is), want);
    buf_free(&is);
    kernelinfo_free(&t);
    LLVMDisposeModule(m);
    LLVMContextDispose(ctx);
}

#define IMAGE "target(\"spirv.Image\", void, 1, 0, 0, 0, 0, 0, 0)"

static const char all_kinds[] =
    "define spir_kernel void @k(\n"
    " i8 %a, i64 %b, <3 x i32> %c, { i8, i16 } %d,\n"
    " ptr addrspace(1) align 16 %e, ptr addrspace(1) %f, ptr addrspace(2) align 2 %g,\n"
    " ptr addrspace(3) align 8 %h, ptr addrspace(4) %i,\n"
    " ptr byval({ i8, i64 }) align 8 %j, ptr byval([3 x i8]) align 32 %k,\n"
    " " IMAGE " %l, " IMAGE " %m,\n"
    " " IMAGE " %n, " IMAGE " %o,\n"
    " target(\"spirv.Sampler\") %p,\n"
    " target(\"spirv.Pipe\", 0) %q, target(\"spirv.Pipe\", 1) %r)\n"
    " !kernel_arg_name !0 !kernel_arg_type !1\n"
    " !kernel_arg_access_qual !2 !kernel_arg_type_qual !3 {\n ret void\n}\n"
    "define spir_kernel void @unnamed(i32 %a, ptr addrspace(1) %b, " IMAGE " %c)\n"
    " !kernel_arg_name !4 {\n ret void\n}\n"
    "define spir_func void @f(i32 %a) {\n ret void\n}\n"
    "declare spir_kernel void @declared(i32)\n"
    "!0 = !{!\"a\", !\"b\", !\"c\", !\"d\", !\"e\", !\"f\", !\"g\", !\"h\", !\"i\", !\"j\",\n"
    "!\"k\", !\"l\", !\"m\", !\"n\", !\"o\", !\"p\", !\"q\", !\"r\"}\n"
    "!1 = !{!\"char\", !\"ulong\", !\"int3\", !\"S\", !\"int*\", !\"T*\", !\"short*\", "
    "!\"long*\",\n"
    "!\"any*\", !\"S2\", !\"S3\", !\"image2d_t\", !\"image2d_t\", !\"image2d_t\", !\"image2d_t\",\n"
    "!\"sampler_t\", !\"int\", !\"int\"}\n"
    "!2 = !{!\"none\", !\"write_only\", !\"none\", !\"none\", !\"none\", !\"none\", !\"none\",\n"
    "!\"none\", !\"none\", !\"none\", !\"none\", !\"read_only\", !\"write_only\", "
    "!\"read_write\",\n"
    "!\"none\", !\"none\", !\"read_only\", !\"write_only\"}\n"
    "!3 = !{!\"\", !\"\", !\"\", !\"\", !\"const\", !\"restrict const\", !\"restrict volatile\",\n"
    "!\"restrict\", !\"volatile\", !\"constant\", !\"aconst\", !\"const restrict volatile\",\n"
    "!\"\", !\"\", !\"\", !\"\", !\"pipe\", !\"pipe\"}\n"
    "!4 = !{!\"first\"}\n";

/* An image is a descriptor of nine words (doc/isa.md). */
static void arguments(void **state)
{
    (void)state;
    expect_table(all_kinds, "k: 0,0,0 0,0,0 '' ''\n"
                            "  value 1/1 char a\n"
                            "  value 8/8 ulong b\n"
                            "  value 16/16 int3 c\n"
                            "  value 4/2 S d\n"
                            "  global 4/4 int* e const to 16\n"
                            "  global 4/4 T* f const restrict to 1\n"
                            "  constant 4/4 short* g restrict volatile to 2\n"
                            "  local 4/4 long* h restrict to 8\n"
                            "  global 4/4 any* i volatile to 1\n"
                            "  value 16/8 S2 j\n"
                            "  value 3/32 S3 k\n"
                            "  image 36/4 image2d_t l read const restrict volatile\n"
                            "  image 36/4 image2d_t m write\n"
                            "  image 36/4 image2d_t n both\n"
                            "  image 36/4 image2d_t o both\n"
                            "  sampler 4/4 sampler_t p\n"
                            "  pipe 4/4 int q read\n"
                            "  pipe 4/4 int r write\n"
                            "unnamed: 0,0,0 0,0,0 '' ''\n"
                            "  value 4/4  first\n"
                            "  global 4/4   to 1\n"
                            "  image 36/4   both\n"
                            "0 bytes\n");
}

static void attributes(void **state)
{
    static const struct {
        const char *type, *text;
        int is_signed;
    } hints[] = {{"i8", "char", 1},
                 {"i8", "uchar", 0},
                 {"i16", "short", 1},
                 {"i32", "int", 1},
                 {"i64", "ulong", 0},
                 {"half", "half", 0},
                 {"float", "float", 1},
                 {"double", "double", 0},
                 {"<2 x i32>", "uint2", 0},
                 {"<3 x float>", "float3", 0},
                 {"<16 x i8>", "char16", 1},
                 {"<4 x double>", "double4", 0},
                 {"i1", "", 0},
                 {"i9", "", 1}, /* the language has no such numbers, bitcode may */
                 {"i24", "", 1},
                 {"<2 x i40>", "", 0},
                 {"i128", "", 0},
                 {"ptr", "", 0}};
    (void)state;
    expect_table(
        "define spir_kernel void @r() !reqd_work_group_size !0 {\n ret void\n}\n"
        "define spir_kernel void @h() !work_group_size_hint !0 {\n ret void\n}\n"
        "define spir_kernel void @v() !vec_type_hint !1 {\n ret void\n}\n"
        "define spir_kernel void @all() !work_group_size_hint !0 !vec_type_hint !1 "
        "!reqd_work_group_size !2 {\n ret void\n}\n"
        "define spir_kernel void @both() !vec_type_hint !1 !work_group_size_hint !0 {\n ret "
        "void\n}\n"
        "define spir_kernel void @short() !reqd_work_group_size !3 !vec_type_hint !4 {\n ret "
        "void\n}\n"
        "!0 = !{i32 4, i32 3, i32 2}\n!1 = !{float undef, i32 0}\n!2 = !{i32 64, i32 1, i32 5}\n"
        "!3 = !{i32 8}\n!4 = !{float undef}\n",
        "r: 4,3,2 0,0,0 '' 'reqd_work_group_size(4,3,2)'\n"
        "h: 0,0,0 4,3,2 '' 'work_group_size_hint(4,3,2)'\n"
        "v: 0,0,0 0,0,0 'float' 'vec_type_hint(float)'\n"
        "all: 64,1,5 4,3,2 'float' 'reqd_work_group_size(64,1,5) work_group_size_hint(4,3,2) "
        "vec_type_hint(float)'\n"
        "both: 0,0,0 4,3,2 'float' 'work_group_size_hint(4,3,2) vec_type_hint(float)'\n"
        "short: 8,0,0 0,0,0 '' 'reqd_work_group_size(8,0,0)'\n"
        "0 bytes\n");
    for (size_t k = 0; k < countof(hints); k++) {
        Buf text = {0}, want = {0};
        buf_printf(
            &text,
            "define spir_kernel void @k() !vec_type_hint !0 {\n ret void\n}\n!0 = !{%s undef, "
            "i32 %d}\n",
            hints[k].type, hints[k].is_signed);
        buf_printf(&want, "k: 0,0,0 0,0,0 '%s' '%s%s%s'\n0 bytes\n", hints[k].text,
                   *hints[k].text ? "vec_type_hint(" : "", hints[k].text,
                   *hints[k].text ? ")" : "");
        expect_table(buf_text(&text), buf_text(&want));
        buf_free(&text);
        buf_free(&want);
    }
}

/* Kernels print that call printf, or a function that does, or what is not in this module; all may
 * where the address of one is taken. */
static void printers(void **state)
{
    static const char kernels[] =
        "define spir_kernel void @direct(ptr addrspace(2) %t) {\n %r = call i32 (i32, ptr "
        "addrspace(2), ...) @__ventus_printf(i32 0, ptr addrspace(2) %t)\n ret void\n}\n"
        "define spir_kernel void @indirect() {\n "
        "call void @two()\n ret void\n}\n"
        "define spir_kernel void @quiet() {\n call "
        "void @three()\n %x = call i32 "
        "@__ventus_lane()\n"
        " call void @llvm.assume(i1 true)\n ret "
        "void\n}\n"
        "define spir_kernel void @foreign() {\n call "
        "void @elsewhere()\n ret void\n}\n"
        "define void @one() {\n %r = call i32 "
        "(i32, ptr addrspace(2), ...) @__ventus_printf(i32 "
        "0, ptr addrspace(2) null)\n call void "
        "@one()\n ret void\n}\n"
        "define void @two() {\n "
        "call void @one()\n ret "
        "void\n}\n"
        "define void @three() "
        "{\n ret void\n}\n"
        "declare i32 "
        "@__ventus_printf(i32,"
        " ptr addrspace(2), ...)\ndeclare "
        "i32 "
        "@__ventus_lane()"
        "\n"
        "declare void "
        "@llvm.assume(i1)"
        "\ndeclare void "
        "@elsewhere()\n";
    static const char want[] = "direct prints: 0,0,0 0,0,0 '' ''\n  constant 4/4   to 1\n"
                               "indirect prints: 0,0,0 0,0,0 '' ''\n"
                               "quiet: 0,0,0 0,0,0 '' ''\n"
                               "foreign prints: 0,0,0 0,0,0 '' ''\n0 bytes\n";
    Buf text = {0};
    (void)state;
    expect_table(kernels, want);
    buf_printf(&text, "@table = internal constant ptr @two\n%s", kernels);
    expect_table(buf_text(&text), "direct prints: 0,0,0 0,0,0 '' ''\n  constant 4/4   to 1\n"
                                  "indirect prints: 0,0,0 0,0,0 '' ''\n"
                                  "quiet prints: 0,0,0 0,0,0 '' ''\n"
                                  "foreign prints: 0,0,0 0,0,0 '' ''\n0 bytes\n");
    buf_free(&text);
}

static void global_variables(void **state)
{
    (void)state;
    expect_table("@a = internal addrspace(1) global i32 5\n"
                 "@b = internal addrspace(1) global { i8, i64 } zeroinitializer\n"
                 "@c = internal addrspace(2) constant [9 x i32] zeroinitializer\n"
                 "@d = internal addrspace(3) global [9 x i32] undef\n"
                 "@e = external addrspace(1) global [3 x i8]\n",
                 "23 bytes\n");
}

static LLVMModuleRef described; /* of the test below */

static bool describe_module(Buf *made)
{
    KernelTable t = {0};
    const bool ok = kernels_describe(described, LLVMGetModuleDataLayout(described), &t);
    for (size_t k = 0; ok && k < t.nkernels; k++)
        show_kernel(made, &t.kernels[k]);
    kernelinfo_free(&t);
    return ok && !made->failed;
}

static void memory_lacks(void **state)
{
    LLVMContextRef ctx = LLVMContextCreate();
    (void)state;
    described = parse_module(ctx, all_kinds);
    LACK_OF_MEMORY(describe_module);
    LLVMDisposeModule(described);
    LLVMContextDispose(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_lacks),
        cmocka_unit_test(leaves_nothing),   cmocka_unit_test(arguments),
        cmocka_unit_test(attributes),       cmocka_unit_test(printers),
        cmocka_unit_test(global_variables),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
