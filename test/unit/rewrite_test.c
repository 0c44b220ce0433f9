/* rewrite_test.c -- passes over LLVM IR that change a few instructions: for each a text, and what
 * the pass has to make of it by its own rule, or nothing where it must leave the text alone
 * (src/ll/bytes.c, components.c, extremes.c, indexnotes.c, pointers.c, prepare.c, relaxed.c, retype.c,
 * spaces.c, unroll.c).
 */
#include "test/kit/leftover.h"
#include "ll/middle.h"
#include "test/kit/modules.h"

/* What the bodies may use: integers, floats, vectors, pointers into two memories and private
 * memory. */
static const char given[] =
    "target datalayout = \"e-p:32:32-i64:64-v16:16-v32:32-v48:64-v96:128\"\n"
    "declare i32 @llvm.smax.i32(i32, i32)\ndeclare i32 @llvm.smin.i32(i32, i32)\n"
    "declare i32 @llvm.umax.i32(i32, i32)\ndeclare i32 @llvm.umin.i32(i32, i32)\n"
    "declare float @llvm.fma.f32(float, float, float)\ndeclare double @llvm.fma.f64(double, "
    "double, double)\n"
    "declare <2 x float> @llvm.fma.v2f32(<2 x float>, <2 x float>, <2 x float>)\ndeclare void "
    "@other()\n"
    "declare void @llvm.memcpy.p4.p4.i32(ptr addrspace(4), ptr addrspace(4), i32, i1)\n"
    "declare void @llvm.memcpy.p1.p3.i32(ptr addrspace(1), ptr addrspace(3), i32, i1)\n"
    "declare void @llvm.memcpy.p1.p4.i32(ptr addrspace(1), ptr addrspace(4), i32, i1)\n"
    "declare void @llvm.memmove.p4.p4.i32(ptr addrspace(4), ptr addrspace(4), i32, i1)\n"
    "declare void @llvm.memmove.p3.p3.i32(ptr addrspace(3), ptr addrspace(3), i32, i1)\n"
    "declare void @llvm.memset.p4.i32(ptr addrspace(4), i8, i32, i1)\n"
    "declare void @llvm.memset.p1.i32(ptr addrspace(1), i8, i32, i1)\n"
    "@v = external addrspace(1) global [9 x i32]\n"
    "define void @f(i32 %a, i32 %b, i32 %c, i32 %d, float %x, float %y, float %z, <2 x float> %xx, "
    "<2 x float> %yy, "
    "double %xd, double %yd, <4 x i32> %u, ptr addrspace(1) %p, ptr addrspace(1) %q, ptr "
    "addrspace(3) %l, ptr %o, "
    "ptr addrspace(4) %any, i1 %k) {\nentry:\n";

static LLVMModuleRef parse(LLVMContextRef ctx, const char *body)
{
    Buf text = {0};
    buf_printf(&text, "%s%s\n  ret void\n}\n", given, body);
    LLVMModuleRef m = parse_text(ctx, &text);
    buf_free(&text);
    return m;
}

static char *shown(LLVMModuleRef m)
{
    LLVMValueRef f = LLVMGetNamedFunction(m, "f");
    forget_names(f);
    verify(m);
    return LLVMPrintValueToString(f);
}

static void expect_rows(const Row *rows, size_t n, void (*pass)(LLVMModuleRef))
{
    expect(rows, n, pass, parse, shown);
}

/* --- stores to components --------------------------------------------------------------------- */

#define LOAD   "%v = load <4 x i32>, ptr addrspace(1) %p, align 16\n"
#define INSERT "%w = insertelement <4 x i32> %v, i32 %a, i32 2\n"
#define STORE  "store <4 x i32> %w, ptr addrspace(1) %p, align 16\n"
#define ONE                                                                                        \
    "%t = getelementptr inbounds i32, ptr addrspace(1) %p, i32 2\nstore i32 %a, ptr addrspace(1) " \
    "%t, align 4\n"
#define MIX(mask) "%w = shufflevector <4 x i32> %v, <4 x i32> %u, <4 x i32> " mask "\n"

#define WIDE(n, mask)                                                                              \
    "%v = load <" n " x i8>, ptr addrspace(1) %p, align 16\n%w = shufflevector <" n                \
    " x i8> %v, <" n " x i8> zeroinitializer, <" n " x i32> " mask "\n"

static void components(void **state)
{
    static const Row rows[] = {
        {LOAD INSERT STORE, LOAD INSERT ONE},
        {LOAD "%w = insertelement <4 x i32> %v, i32 %a, i32 %b\n" STORE,
         LOAD "%w = insertelement <4 x i32> %v, i32 %a, i32 %b\n"
              "%t = getelementptr inbounds i32, ptr addrspace(1) %p, i32 %b\nstore i32 %a, ptr "
              "addrspace(1) %t, align 4\n"},
        {LOAD INSERT "store <4 x i32> %w, ptr addrspace(1) %p, align 2\n",
         LOAD INSERT "%t = getelementptr inbounds i32, ptr addrspace(1) %p, i32 2\nstore i32 %a, "
                     "ptr addrspace(1) %t, align 2\n"},
        {LOAD "%r = load i32, ptr addrspace(1) %q\n" INSERT STORE,
         LOAD "%r = load i32, ptr addrspace(1) %q\n" INSERT ONE},
        {LOAD MIX("<i32 0, i32 5, i32 2, i32 4>") STORE,
         LOAD MIX("<i32 0, i32 5, i32 2, i32 4>") "%e = extractelement <4 x i32> %u, i32 1\n%s = "
                                                  "getelementptr inbounds i32, ptr addrspace(1) "
                                                  "%p, i32 1\n"
                                                  "store i32 %e, ptr addrspace(1) %s, align 4\n%g "
                                                  "= extractelement <4 x i32> %u, i32 0\n"
                                                  "%t = getelementptr inbounds i32, ptr "
                                                  "addrspace(1) %p, i32 3\nstore i32 %g, ptr "
                                                  "addrspace(1) %t, align 4\n"},
        {"%v = load <3 x i16>, ptr addrspace(3) %l\n%w = insertelement <3 x i16> %v, i16 7, i32 0\n"
         "store <3 x i16> %w, ptr addrspace(3) %l, align 8\n",
         "%v = load <3 x i16>, ptr addrspace(3) %l\n%w = insertelement <3 x i16> %v, i16 7, i32 0\n"
         "%t = getelementptr inbounds i16, ptr addrspace(3) %l, i32 0\nstore i16 7, ptr "
         "addrspace(3) %t, align 2\n"},
        /* what may have changed, is asked for as it is, lies elsewhere or in memory of the
         * item's own */
        {LOAD "store i32 %a, ptr addrspace(1) %q\n" INSERT STORE, NULL},
        {LOAD "call void @other()\n" INSERT STORE, NULL},
        {LOAD "fence seq_cst\n" INSERT STORE, NULL},
        {LOAD "%r = atomicrmw add ptr addrspace(1) %q, i32 1 monotonic\n" INSERT STORE, NULL},
        {LOAD "%r = cmpxchg ptr addrspace(1) %q, i32 1, i32 2 monotonic monotonic\n" INSERT STORE,
         NULL},
        {"%v = load volatile <4 x i32>, ptr addrspace(1) %p\n" INSERT STORE, NULL},
        {LOAD INSERT "store volatile <4 x i32> %w, ptr addrspace(1) %p\n", NULL},
        {LOAD INSERT "store <4 x i32> %w, ptr addrspace(1) %q\n", NULL},
        {LOAD "br label %next\nnext:\n" INSERT STORE, NULL},
        {"%v = load <4 x i32>, ptr %o\n" INSERT "store <4 x i32> %w, ptr %o\n", NULL},
        {"%v = load <4 x i24>, ptr addrspace(1) %p\n%w = insertelement <4 x i24> %v, i24 1, i32 0\n"
         "store <4 x i24> %w, ptr addrspace(1) %p\n",
         NULL},
        {"%w = insertelement <4 x i32> %u, i32 %a, i32 2\n" STORE, NULL},
        /* components of the old vector that move, and ones that nobody knows */
        {LOAD MIX("<i32 1, i32 5, i32 2, i32 4>") STORE, NULL},
        {LOAD MIX("<i32 0, i32 5, i32 poison, i32 4>") STORE, NULL},
        /* as many components as OpenCL has, and one more */
        {WIDE(
             "16",
             "<i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, "
             "i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 31>") "store <16 x i8> %w, "
                                                                              "ptr addrspace(1) "
                                                                              "%p, align 16\n",
         WIDE("16",
              "<i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, "
              "i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 31>") "%t = getelementptr "
                                                                               "inbounds i8, ptr "
                                                                               "addrspace(1) %p, "
                                                                               "i32 15\n"
                                                                               "store i8 0, ptr "
                                                                               "addrspace(1) %t, "
                                                                               "align 1\n"},
        {WIDE(
             "17",
             "<i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, "
             "i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 33>") "store <17 x "
                                                                                      "i8> %w, ptr "
                                                                                      "addrspace(1)"
                                                                                      " %p, align "
                                                                                      "16\n",
         NULL},
        {"%v = load <2 x i32>, ptr addrspace(1) %p\n%w = shufflevector <2 x i32> %v, <2 x i32> "
         "zeroinitializer, <4 x i32> "
         "<i32 0, i32 1, i32 2, i32 3>\n" STORE,
         NULL},
        {"%v = load <4 x i32>, ptr addrspace(1) %q\n" MIX("<i32 0, i32 5, i32 2, i32 4>") STORE,
         NULL},
        {"store <4 x i32> %u, ptr addrspace(1) %p", NULL},
    };
    (void)state;
    expect_rows(rows, countof(rows), components_store);
}

/* --- bytes of words --------------------------------------------------------------------------- */

#define BYTE_AT(name, n)        name " = getelementptr inbounds i8, ptr addrspace(1) %p, i32 " n "\n"
#define BYTE(name, from, align) name " = load i8, ptr addrspace(1) " from ", align " align "\n"
#define SUM_OF(a, b)            "%s = add i8 " a ", " b "\nstore i8 %s, ptr addrspace(1) %q\n"
#define WORD_AT(from)           "%w = load i32, ptr addrspace(1) " from ", align 4\n"
#define LOWEST(name)            name " = trunc i32 %w to i8\n"
#define PART(name, shift)       name "w = lshr i32 %w, " shift "\n" name " = trunc i32 " name "w to i8\n"

static void bytes(void **state)
{
    static const Row rows[] = {
        {BYTE("%m", "%p", "4") BYTE_AT("%t", "3") BYTE("%n", "%t", "1") SUM_OF("%m", "%n"),
         WORD_AT("%p") LOWEST("%m") PART("%n", "24") BYTE_AT("%t", "3") SUM_OF("%m", "%n")},
        /* the first of them is not where the word begins */
        {BYTE_AT("%t", "5") BYTE("%m", "%t", "1") BYTE_AT("%u4", "4") BYTE("%n", "%u4", "4")
             SUM_OF("%m", "%n"),
         BYTE_AT("%t", "5") "%back = getelementptr i8, ptr addrspace(1) %t, i32 -1\n" WORD_AT(
             "%back") PART("%m", "8") LOWEST("%n") BYTE_AT("%u4", "4") SUM_OF("%m", "%n")},
        /* halves, an access that says where words begin, and what may come between */
        {"%m = load i16, ptr addrspace(3) %l, align 2\n%h = load float, ptr addrspace(3) %l, align "
         "4\n"
         "%t = getelementptr inbounds i16, ptr addrspace(3) %l, i32 1\n"
         "%f = call float @llvm.fma.f32(float %h, float %h, float %h)\n"
         "%n = load i16, ptr addrspace(3) %t, align 2\n%s = add i16 %m, %n\n"
         "store i16 %s, ptr addrspace(1) %q\nstore float %f, ptr addrspace(1) %p\n",
         "%w = load i32, ptr addrspace(3) %l, align 4\n%m = trunc i32 %w to i16\n"
         "%nw = lshr i32 %w, 16\n%n = trunc i32 %nw to i16\n"
         "%h = load float, ptr addrspace(3) %l, align 4\n"
         "%t = getelementptr inbounds i16, ptr addrspace(3) %l, i32 1\n"
         "%f = call float @llvm.fma.f32(float %h, float %h, float %h)\n%s = add i16 %m, %n\n"
         "store i16 %s, ptr addrspace(1) %q\nstore float %f, ptr addrspace(1) %p\n"},
        /* vectors */
        {"%m = load <4 x i8>, ptr addrspace(1) %p, align 4\nstore <4 x i8> %m, ptr addrspace(1) "
         "%q, align 8\n",
         "%w = load i32, ptr addrspace(1) %p, align 4\n%m = bitcast i32 %w to <4 x i8>\n"
         "%v = bitcast <4 x i8> %m to i32\nstore i32 %v, ptr addrspace(1) %q, align 8\n"},
        {"%m = load <4 x i16>, ptr addrspace(3) %l, align 8\nstore <4 x i16> %m, ptr addrspace(1) "
         "%q, align 1\n",
         "%w = load <2 x i32>, ptr addrspace(3) %l, align 8\n%m = bitcast <2 x i32> %w to <4 x "
         "i16>\n"
         "store <4 x i16> %m, ptr addrspace(1) %q, align 1\n"},
        /* nobody knows where words begin; another word, or byte of no word; what may have changed; who asks for
         * bytes; private memory; one byte */
        {BYTE("%m", "%p", "2") BYTE_AT("%t", "1") BYTE("%n", "%t", "1") SUM_OF("%m", "%n"), NULL},
        {BYTE("%m", "%p", "4") BYTE_AT("%t", "4") BYTE("%n", "%t", "4") SUM_OF("%m", "%n"), NULL},
        {BYTE("%m", "%p", "4") BYTE_AT("%t", "-1") BYTE("%n", "%t", "1") SUM_OF("%m", "%n"), NULL},
        {BYTE("%m", "%p", "4") "store i8 %m, ptr addrspace(1) %q\n" BYTE_AT("%t", "1")
             BYTE("%n", "%t", "1") SUM_OF("%m", "%n"),
         NULL},
        {BYTE("%m", "%p", "4") "call void @other()\n" BYTE_AT("%t", "1") BYTE("%n", "%t", "1")
             SUM_OF("%m", "%n"),
         NULL},
        {BYTE("%m", "%p", "4") "fence seq_cst\n" BYTE_AT("%t", "1") BYTE("%n", "%t", "1")
             SUM_OF("%m", "%n"),
         NULL},
        {"%m = load volatile i8, ptr addrspace(1) %p, align 4\n" BYTE_AT("%t", "1")
             BYTE("%n", "%t", "1") SUM_OF("%m", "%n"),
         NULL},
        {"%m = load i8, ptr %o, align 4\n%t = getelementptr inbounds i8, ptr %o, i32 1\n"
         "%n = load i8, ptr %t, align 1\n" SUM_OF("%m", "%n"),
         NULL},
        {BYTE("%m", "%p", "4") BYTE("%n", "%p", "4") SUM_OF("%m", "%n"), NULL},
        {"%m = load <3 x i8>, ptr addrspace(1) %p, align 4\nstore <3 x i8> %m, ptr addrspace(1) "
         "%q\n",
         NULL},
        {"%m = load <2 x i8>, ptr addrspace(1) %p, align 4\nstore <2 x i8> %m, ptr addrspace(1) "
         "%q\n",
         NULL},
        {"%m = load <4 x i8>, ptr %o, align 4\nstore <4 x i8> %m, ptr %o, align 4\n", NULL},
    };
    (void)state;
    expect_rows(rows, countof(rows), bytes_join);
}

/* --- extremes of sums ------------------------------------------------------------------------- */

#define SUMS(op, x, y) "%s = " op " i32 " x "\n%t = " op " i32 " y "\n"
#define MAX(x, y)      "call i32 @llvm.smax.i32(i32 " x ", i32 " y ")\n"
#define MIN(x, y)      "call i32 @llvm.smin.i32(i32 " x ", i32 " y ")\n"
#define UMAX(x, y)     "call i32 @llvm.umax.i32(i32 " x ", i32 " y ")\n"
#define UMIN(x, y)     "call i32 @llvm.umin.i32(i32 " x ", i32 " y ")\n"
#define KEEP           "store i32 %r, ptr addrspace(1) %p\n"

static void extremes(void **state)
{
    static const Row rows[] = {
        {SUMS("add nsw", "%a, %d", "%b, %d") "%r = " MAX("%s", "%t") KEEP,
         "%m = " MAX("%a", "%b") "%r = add nsw i32 %m, %d\n" KEEP},
        {SUMS("sub nsw", "%a, %d", "%b, %d") "%r = " MAX("%s", "%t") KEEP,
         "%m = " MAX("%a", "%b") "%r = sub nsw i32 %m, %d\n" KEEP},
        {SUMS("add nsw", "%d, %a", "%b, %d") "%r = " MIN("%t", "%s") KEEP,
         "%m = " MIN("%b", "%a") "%r = add nsw i32 %m, %d\n" KEEP},
        {SUMS("add nuw", "%a, %d", "%d, %b") "%r = " UMAX("%s", "%t") KEEP,
         "%m = " UMAX("%a", "%b") "%r = add nuw i32 %m, %d\n" KEEP},
        {SUMS("sub nuw", "%a, 7", "%b, 7") "%r = " UMIN("%s", "%t") KEEP,
         "%m = " UMIN("%a", "%b") "%r = sub nuw i32 %m, 7\n" KEEP},
        /* of three, in every order */
        {SUMS("add nsw", "%a, %d", "%b, %d") "%i = " MAX("%t", "%c") "%r = " MAX("%s", "%i") KEEP,
         "%m = " MAX("%a", "%b") "%n = add nsw i32 %m, %d\n%r = " MAX("%c", "%n") KEEP},
        {SUMS("add nsw", "%a, %d", "%b, %d") "%i = " MAX("%c", "%t") "%r = " MAX("%i", "%s") KEEP,
         "%m = " MAX("%a", "%b") "%n = add nsw i32 %m, %d\n%r = " MAX("%c", "%n") KEEP},
        {SUMS("add nsw", "%a, %d", "%b, %d") "%i = " MIN("%c", "%t") "%r = " MIN("%s", "%i") KEEP,
         "%m = " MIN("%a", "%b") "%n = add nsw i32 %m, %d\n%r = " MIN("%c", "%n") KEEP},
        {SUMS("add nsw", "%a, %d", "%b, %d") "%i = " MAX("%s", "%t") "%r = " MAX("%c", "%i") KEEP,
         "%m = " MAX("%a", "%b") "%n = add nsw i32 %m, %d\n%r = " MAX("%c", "%n") KEEP},
        /* sums that may wrap, in the order that is asked for */
        {SUMS("add", "%a, %d", "%b, %d") "%r = " MAX("%s", "%t") KEEP, NULL},
        {SUMS("add nuw", "%a, %d", "%b, %d") "%r = " MAX("%s", "%t") KEEP, NULL},
        {SUMS("add nsw", "%a, %d", "%b, %d") "%r = " UMAX("%s", "%t") KEEP, NULL},
        {"%s = add nsw i32 %a, %d\n%t = add i32 %b, %d\n%r = " MAX("%s", "%t") KEEP, NULL},
        {"%s = add i32 %a, %d\n%t = add nsw i32 %b, %d\n%r = " MAX("%s", "%t") KEEP, NULL},
        /* other terms, other operations, what is taken away from the same */
        {SUMS("add nsw", "%a, %c", "%b, %d") "%r = " MAX("%s", "%t") KEEP, NULL},
        {SUMS("sub nsw", "%d, %a", "%d, %b") "%r = " MAX("%s", "%t") KEEP, NULL},
        {SUMS("mul nsw", "%a, %d", "%b, %d") "%r = " MAX("%s", "%t") KEEP, NULL},
        {"%s = add nsw i32 %a, %d\n%t = sub nsw i32 %b, %d\n%r = " MAX("%s", "%t") KEEP, NULL},
        {"%s = add nsw i32 %a, %d\n%r = " MAX("%s", "%s") KEEP, NULL},
        {"%s = add nsw i32 %a, %d\n%r = " MAX("%s", "%d") KEEP, NULL},
        /* sums that others need, or that lie in other blocks */
        {SUMS("add nsw", "%a, %d", "%b, %d") "%r = " MAX("%s", "%t") KEEP
         "store i32 %t, ptr addrspace(1) %q\n",
         NULL},
        {SUMS("add nsw", "%a, %d", "%b, %d") "%r = " MAX("%s", "%t") KEEP
         "store i32 %s, ptr addrspace(1) %q\n",
         NULL},
        {SUMS("add nsw", "%a, %d", "%b, %d") "br label %next\nnext:\n%r = " MAX("%s", "%t") KEEP,
         NULL},
        {SUMS("add nsw", "%a, %d", "%b, %d") "%i = " MIN("%t", "%c") "%r = " MAX("%s", "%i") KEEP,
         NULL},
        {SUMS("add nsw", "%a, %d", "%b, %d") "%i = " MAX("%t", "%c") "%r = " MAX("%s", "%i") KEEP
         "store i32 %i, ptr addrspace(1) %q\n",
         NULL},
        {"%t = add nsw i32 %b, %d\n%i = " MAX(
             "%t", "%c") "br label %next\nnext:\n%s = add nsw i32 %a, %d\n%r = " MAX("%s", "%i")
             KEEP,
         NULL},
    };
    (void)state;
    expect_rows(rows, countof(rows), extremes_join);
}

/* --- products that are added ------------------------------------------------------------------ */

#define FMA    "call float @llvm.fma.f32(float "
#define KEEP_F "store float %r, ptr addrspace(1) %p\n"
#define PROD   "%m = fmul contract float %x, %y\n"

static void fused(void **state)
{
    static const Row rows[] = {
        {PROD "%r = fadd contract float %m, %z\n" KEEP_F,
         "%r = " FMA "%x, float %y, float %z)\n" KEEP_F},
        {PROD "%r = fadd contract float %z, %m\n" KEEP_F,
         "%r = " FMA "%x, float %y, float %z)\n" KEEP_F},
        {"%m = fmul fast float %x, %y\n%r = fadd fast float %z, %m\n" KEEP_F,
         "%r = " FMA "%x, float %y, float %z)\n" KEEP_F},
        {PROD "%r = fsub contract float %m, %z\n" KEEP_F,
         "%n = fneg float %z\n%r = " FMA "%x, float %y, float %n)\n" KEEP_F},
        {PROD "%r = fsub contract float %z, %m\n" KEEP_F,
         "%n = fneg float %x\n%r = " FMA "%n, float %y, float %z)\n" KEEP_F},
        {PROD "%w = fmul contract float %z, %z\n%r = fadd contract float %m, %w\n" KEEP_F,
         "%w = fmul contract float %z, %z\n%r = " FMA "%x, float %y, float %w)\n" KEEP_F},
        {PROD "%w = fmul contract float %z, %z\n%r = fsub contract float %w, %m\n" KEEP_F,
         PROD "%n = fneg float %m\n%r = " FMA "%z, float %z, float %n)\n" KEEP_F},
        {"%m = fmul contract <2 x float> %xx, %yy\n%r = fadd contract <2 x float> %m, %xx\nstore "
         "<2 x float> %r, ptr addrspace(1) %p\n",
         "%r = call <2 x float> @llvm.fma.v2f32(<2 x float> %xx, <2 x float> %yy, <2 x float> "
         "%xx)\n"
         "store <2 x float> %r, ptr addrspace(1) %p\n"},
        /* not allowed of the one, or of the other; needed itself; of double; no product */
        {PROD "%r = fadd float %m, %z\n" KEEP_F, NULL},
        {"%m = fmul float %x, %y\n%r = fadd contract float %m, %z\n" KEEP_F, NULL},
        {"%m = fmul nnan float %x, %y\n%r = fadd nsz float %m, %z\n" KEEP_F, NULL},
        {PROD "%r = fadd contract float %m, %z\nstore float %m, ptr addrspace(1) %q\n" KEEP_F,
         NULL},
        {PROD "%r = fadd contract float %m, %m\n" KEEP_F, NULL},
        {PROD "%r = fmul contract float %m, %z\n" KEEP_F, NULL},
        {PROD "%r = fdiv contract float %m, %z\n" KEEP_F, NULL},
        {"%m = fdiv contract float %x, %y\n%r = fadd contract float %m, %z\n" KEEP_F, NULL},
        {"%m = fmul contract double %xd, %yd\n%r = fadd contract double %m, %xd\nstore double %r, "
         "ptr addrspace(1) %p\n",
         NULL},
    };
    (void)state;
    expect_rows(rows, countof(rows), relaxed_fuse);
}

/* Calls of these names go to those, where they are not defined in the program. */
static void shortened(void **state)
{
    static const struct {
        const char *name, *type, *shorter;
    } rows[] = {
        {"_Z3expf", "float", "_Z10native_expf"},
        {"_Z3expDv2_f", "<2 x float>", "_Z10native_expDv2_f"},
        {"_Z4exp2Dv16_f", "<16 x float>", "_Z11native_exp2Dv16_f"},
        {"_Z5exp10f", "float", "_Z12native_exp10f"},
        {"_Z3expd", "double", NULL},
        {"_Z3expDh", "half", NULL},
        {"_Z3expDv2_d", "<2 x double>", NULL},
        {"_Z4exp2Dv2_Dh", "<2 x half>", NULL},
        {"_Z3sinf", "float", NULL},
        {"_Z5expm1f", "float", NULL},
        {"_Z10native_expf", "float", NULL},
    };
    (void)state;
    for (size_t i = 0; i < countof(rows); i++)
        for (int known = 0; known < 3;
             known++) { /* 1: the other is declared; 2: this one is defined */
            Buf text = {0};
            char *why = NULL;
            LLVMContextRef ctx = LLVMContextCreate();
            LLVMModuleRef m = NULL;
            const char *n = rows[i].name, *t = rows[i].type;
            buf_printf(&text,
                       known == 2 ? "define spir_func %s @%s(%s %%x) {\n ret %s %%x\n}\n"
                                  : "declare spir_func %s @%s(%s)\n",
                       t, n, t, t);
            if (known == 1 && rows[i].shorter)
                buf_printf(&text, "declare spir_func %s @%s(%s)\n", t, rows[i].shorter, t);
            buf_printf(
                &text,
                "define %s @f(%s %%x) {\n %%r = call spir_func %s @%s(%s %%x)\n ret %s %%r\n}\n", t,
                t, t, n, t, t);
            LLVMMemoryBufferRef from =
                LLVMCreateMemoryBufferWithMemoryRangeCopy(buf_text(&text), text.len, "body");
            if (LLVMParseIRInContext(ctx, from, &m, &why))
                fail_msg("%s", why);
            relaxed_shorten(m);
            LLVMValueRef call =
                LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(LLVMGetNamedFunction(m, "f")));
            size_t len;
            assert_string_equal(LLVMGetValueName2(LLVMGetCalledValue(call), &len),
                                known < 2 && rows[i].shorter ? rows[i].shorter : n);
            assert_int_equal(LLVMGetFunctionCallConv(LLVMGetCalledValue(call)),
                             LLVMGetInstructionCallConv(call));
            LLVMDisposeModule(m);
            LLVMContextDispose(ctx);
            buf_free(&text);
        }
}

/* --- where pointers come from ----------------------------------------------------------------- */

#define G "%g = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)\n"
#define H "%h = addrspacecast ptr addrspace(1) %q to ptr addrspace(4)\n"
#define L "%s = addrspacecast ptr addrspace(3) %l to ptr addrspace(4)\n"

static void infer(LLVMModuleRef m) { spaces_infer(m); }

static void spaces(void **state)
{
    static const Row rows[] = {
        {G "%r = load i32, ptr addrspace(4) %g, align 2\n",
         G "%r = load i32, ptr addrspace(1) %p, align 2\n"},
        {G "store i32 %a, ptr addrspace(4) %g\n", G "store i32 %a, ptr addrspace(1) %p\n"},
        {G L "store ptr addrspace(4) %s, ptr addrspace(4) %g\n",
         G L "store ptr addrspace(4) %s, ptr addrspace(1) %p\n"},
        {L "%r = atomicrmw add ptr addrspace(4) %s, i32 1 acquire\n",
         L "%r = atomicrmw add ptr addrspace(3) %l, i32 1 acquire\n"},
        {L "%r = cmpxchg ptr addrspace(4) %s, i32 1, i32 2 seq_cst monotonic\n",
         L "%r = cmpxchg ptr addrspace(3) %l, i32 1, i32 2 seq_cst monotonic\n"},
        {G "%t = getelementptr inbounds i32, ptr addrspace(4) %g, i32 %a\n%r = load i32, ptr "
           "addrspace(4) %t\n",
         G "%u1 = getelementptr inbounds i32, ptr addrspace(1) %p, i32 %a\n"
           "%t = getelementptr inbounds i32, ptr addrspace(4) %g, i32 %a\n%r = load i32, ptr "
           "addrspace(1) %u1\n"},
        {G "%t = getelementptr { i8, [2 x i16] }, ptr addrspace(4) %g, i32 %a, i32 1, i32 %b\n%r = "
           "load i16, ptr addrspace(4) %t\n",
         G "%u1 = getelementptr { i8, [2 x i16] }, ptr addrspace(1) %p, i32 %a, i32 1, i32 %b\n"
           "%t = getelementptr { i8, [2 x i16] }, ptr addrspace(4) %g, i32 %a, i32 1, i32 %b\n%r = "
           "load i16, ptr addrspace(1) %u1\n"},
        {G "%t = freeze ptr addrspace(4) %g\n%r = load i32, ptr addrspace(4) %t\n",
         G "%t = freeze ptr addrspace(4) %g\n%r = load i32, ptr addrspace(1) %p\n"},
        {G H "%t = select i1 %k, ptr addrspace(4) %g, ptr addrspace(4) %h\n%r = load i32, ptr "
             "addrspace(4) %t\n",
         G H "%u1 = select i1 %k, ptr addrspace(1) %p, ptr addrspace(1) %q\n"
             "%t = select i1 %k, ptr addrspace(4) %g, ptr addrspace(4) %h\n%r = load i32, ptr "
             "addrspace(1) %u1\n"},
        {G "%t = select i1 %k, ptr addrspace(4) %g, ptr addrspace(4) null\n%r = load i32, ptr "
           "addrspace(4) %t\n",
         G "%u1 = select i1 %k, ptr addrspace(1) %p, ptr addrspace(1) null\n"
           "%t = select i1 %k, ptr addrspace(4) %g, ptr addrspace(4) null\n%r = load i32, ptr "
           "addrspace(1) %u1\n"},
        {G "br label %loop\nloop:\n%t = phi ptr addrspace(4) [ %g, %entry ], [ %n, %loop ]\n%r = "
           "load i32, ptr addrspace(4) %t\n"
           "%n = getelementptr i32, ptr addrspace(4) %t, i32 1\n%e = icmp eq i32 %r, 0\nbr i1 %e, "
           "label %loop, label %out\nout:\n",
         G "br label %loop\nloop:\n%u1 = phi ptr addrspace(1) [ %p, %entry ], [ %n1, %loop ]\n"
           "%t = phi ptr addrspace(4) [ %g, %entry ], [ %n, %loop ]\n%r = load i32, ptr "
           "addrspace(1) %u1\n"
           "%n1 = getelementptr i32, ptr addrspace(1) %u1, i32 1\n%n = getelementptr i32, ptr "
           "addrspace(4) %t, i32 1\n"
           "%e = icmp eq i32 %r, 0\nbr i1 %e, label %loop, label %out\nout:\n"},
        /* of an address that is a number nothing is known */
        {"%r = load i32, ptr addrspace(4) inttoptr (i32 4096 to ptr addrspace(4))\n", NULL},
        {"%r = load i32, ptr addrspace(4) inttoptr (i32 ptrtoint (ptr addrspace(1) @v to i32) to "
         "ptr addrspace(4))\n",
         NULL},
        {"%r = load i32, ptr addrspace(4) addrspacecast (ptr addrspace(1) @v to ptr "
         "addrspace(4))\n",
         "%r = load i32, ptr addrspace(1) @v\n"},
        {"%r = load i32, ptr addrspace(4) getelementptr (i8, ptr addrspace(4) addrspacecast (ptr "
         "addrspace(1) @v to ptr addrspace(4)), i32 8)\n",
         "%r = load i32, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @v, i32 8)\n"},
        {G L "call void @llvm.memcpy.p4.p4.i32(ptr addrspace(4) align 8 %g, ptr addrspace(4) align "
             "2 %s, i32 %a, i1 false)\n",
         G L "call void @llvm.memcpy.p1.p3.i32(ptr addrspace(1) align 8 %p, ptr addrspace(3) align "
             "2 %l, i32 %a, i1 false)\n"},
        {G "call void @llvm.memcpy.p4.p4.i32(ptr addrspace(4) align 8 %g, ptr addrspace(4) align 2 "
           "%any, i32 %a, i1 false)\n",
         G "call void @llvm.memcpy.p1.p4.i32(ptr addrspace(1) align 8 %p, ptr addrspace(4) align 2 "
           "%any, i32 %a, i1 false)\n"},
        {L "call void @llvm.memmove.p4.p4.i32(ptr addrspace(4) %s, ptr addrspace(4) align 4 %s, "
           "i32 9, i1 false)\n",
         L "call void @llvm.memmove.p3.p3.i32(ptr addrspace(3) align 1 %l, ptr addrspace(3) align "
           "4 %l, i32 9, i1 false)\n"},
        {G "call void @llvm.memset.p4.i32(ptr addrspace(4) align 4 %g, i8 3, i32 9, i1 false)\n",
         G "call void @llvm.memset.p1.i32(ptr addrspace(1) align 4 %p, i8 3, i32 9, i1 false)\n"},
        {G "%t = freeze ptr addrspace(4) null\n%s = select i1 %k, ptr addrspace(4) %g, ptr "
           "addrspace(4) %t\n%r = load i32, ptr addrspace(4) %s\n",
         G "%t = freeze ptr addrspace(4) null\n%u1 = select i1 %k, ptr addrspace(1) %p, ptr "
           "addrspace(1) null\n"
           "%s = select i1 %k, ptr addrspace(4) %g, ptr addrspace(4) %t\n%r = load i32, ptr "
           "addrspace(1) %u1\n"},
        /* of two memories, of none that is known, and what asks for its accesses as they are */
        {G L "%t = select i1 %k, ptr addrspace(4) %g, ptr addrspace(4) %s\n%r = load i32, ptr "
             "addrspace(4) %t\n",
         NULL},
        {G "%t = select i1 %k, ptr addrspace(4) %g, ptr addrspace(4) %any\n%r = load i32, ptr "
           "addrspace(4) %t\n",
         NULL},
        {"%t = getelementptr i32, ptr addrspace(4) %any, i32 1\n%r = load i32, ptr addrspace(4) "
         "%t\n",
         NULL},
        {G "br label %loop\nloop:\n%t = phi ptr addrspace(4) [ %g, %entry ], [ %n, %loop ]\n%n = "
           "load ptr addrspace(4), ptr addrspace(4) %t\n"
           "%e = icmp eq ptr addrspace(4) %n, null\nbr i1 %e, label %loop, label %out\nout:\n",
         NULL},
        {"%r = load i32, ptr addrspace(1) %p\nstore i32 %r, ptr %o\n", NULL},
        {"call void @llvm.memset.p4.i32(ptr addrspace(4) align 4 %any, i8 3, i32 9, i1 false)\n",
         NULL},
        {G "call void @llvm.memset.p4.i32(ptr addrspace(4) align 4 %g, i8 3, i32 9, i1 true)\n",
         NULL},
    };
    (void)state;
    expect_rows(rows, countof(rows), infer);
}

/* --- pointers that step ----------------------------------------------------------------------- */

#define COUNTER "br label %loop\nloop:\n%i = phi i32 [ 0, %entry ], [ %next, %loop ]\n"
#define AGAIN   "%next = add i32 %i, 1\n%t = icmp ult i32 %next, %b\n"
#define BACK    "br i1 %t, label %loop, label %out\nout:\n"
/* what becomes of a loop: code before it, the pointer's first value, its step, body */
#define STEPPED(before, start, by, body)                                                           \
    before "br label %loop\nloop:\n%pp = phi ptr addrspace(1) [ " start                            \
           ", %entry ], [ %y1, %loop ]\n%i = phi i32 [ 0, %entry ], [ %next, %loop ]\n" body AGAIN \
           "%y1 = getelementptr i8, ptr addrspace(1) %pp, i32 " by "\n" BACK
#define AT(g, base, index) "%" g " = getelementptr i32, ptr addrspace(1) " base ", i32 " index "\n"
#define GET(x, g)          "%" x " = load i32, ptr addrspace(1) %" g "\n"

static void step(LLVMModuleRef m)
{
    LLVMValueRef f = LLVMGetNamedFunction(m, "f");
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f);
    pointers_step(LLVMGetNextBasicBlock(entry), entry);
}

static void pointers(void **state)
{
    static const Row rows[] = {
        {COUNTER "%m = mul i32 %i, 17\n%s = add i32 %m, %a\n" AT("g", "%p", "%s") GET("x1", "g")
             AGAIN BACK,
         STEPPED("%v = add i32 0, %a\n" AT("w", "%p", "%v"), "%w", "68",
                 "%m = mul i32 %i, 17\n%s = add i32 %m, %a\n" AT("g", "%p", "%s") GET("x1", "pp"))},
        {COUNTER "%s = sub i32 %a, %i\n" AT("g", "%p",
                                            "%s") "store i32 %a, ptr addrspace(1) %g\n" AGAIN BACK,
         STEPPED(
             "%v = sub i32 %a, 0\n" AT("w", "%p", "%v"), "%w", "-4",
             "%s = sub i32 %a, %i\n" AT("g", "%p", "%s") "store i32 %a, ptr addrspace(1) %pp\n")},
        {COUNTER "%s = shl i32 %i, 3\n" AT("g", "%p", "%s") AT("h", "%g", "5") GET("x1", "h")
             GET("x2", "g") AGAIN BACK,
         STEPPED(AT("w", "%p", "0"), "%w", "32",
                 "%s = shl i32 %i, 3\n" AT("g", "%p", "%s") AT("h", "%pp", "5") GET("x1", "h")
                     GET("x2", "pp"))},
        {COUNTER "%s = mul i32 %i, %c\n" AT("g", "%p", "%s") GET("x1", "g") AGAIN BACK,
         STEPPED("%v = mul i32 0, %c\n%v2 = mul i32 1, %c\n" AT("w", "%p",
                                                                "%v") "%v3 = mul i32 %v2, 4\n",
                 "%w", "%v3", "%s = mul i32 %i, %c\n" AT("g", "%p", "%s") GET("x1", "pp"))},
        {COUNTER AT("g", "%p", "%i")
             GET("x1", "g") "%next = add i32 %i, %c\n%t = icmp ult i32 %next, %b\n" BACK,
         AT("w", "%p", "0") "%v = mul i32 %c, 4\nbr label %loop\nloop:\n%pp = phi ptr addrspace(1) "
                            "[ %w, %entry ], [ %y1, %loop ]\n"
                            "%i = phi i32 [ 0, %entry ], [ %next, %loop ]\n" AT("g", "%p", "%i")
                                GET("x1", "pp") "%next = add i32 %i, %c\n"
                                                "%t = icmp ult i32 %next, %b\n%y1 = getelementptr "
                                                "i8, ptr addrspace(1) %pp, i32 %v\n" BACK},
        {COUNTER "%s = add i32 %i, %i\n" AT("g", "%p", "%s") GET("x1", "g") AGAIN BACK,
         STEPPED(AT("w", "%p", "0"), "%w", "8",
                 "%s = add i32 %i, %i\n" AT("g", "%p", "%s") GET("x1", "pp"))},
        /* numbers that do not grow alike, or of another width; addresses that step already, or
         * stay */
        {COUNTER "%s = mul i32 %i, %i\n" AT("g", "%p", "%s") GET("x1", "g") AGAIN BACK, NULL},
        {COUNTER "%s = shl i32 1, %i\n" AT("g", "%p", "%s") GET("x1", "g") AGAIN BACK, NULL},
        {COUNTER "%s = and i32 %i, 7\n" AT("g", "%p", "%s") GET("x1", "g") AGAIN BACK, NULL},
        {COUNTER GET("s", "q") AT("g", "%p", "%s") GET("x1", "g") AGAIN BACK, NULL},
        {COUNTER AT("g", "%p", "%i")
             GET("x1", "g") "%next = add i32 1, %i\n%t = icmp ult i32 %next, %b\n" BACK,
         NULL},
        {COUNTER AT("g", "%p", "%i")
             GET("x1", "g") "%next = mul i32 %i, 3\n%t = icmp ult i32 %next, %b\n" BACK,
         NULL},
        {COUNTER AT("g", "%p", "%i")
             GET("x1", "g") "%next = add i32 %i, %x1\n%t = icmp ult i32 %next, %b\n" BACK,
         NULL},
        {COUNTER AT("g", "%p", "%a") GET("x1", "g") AGAIN BACK, /* what nobody uses goes later */
         AT("w", "%p", "%a") COUNTER AT("g", "%p", "%a") GET("x1", "g") AGAIN BACK},
        {COUNTER GET("x1", "p") AGAIN BACK, NULL},
        {COUNTER "%g = inttoptr i32 %i to ptr addrspace(1)\n" GET("x1", "g") AGAIN BACK, NULL},
        {COUNTER "%g = getelementptr [4 x i32], ptr addrspace(1) %p, i32 %i, i32 1\n" GET("x1", "g")
             AGAIN BACK,
         NULL},
        {COUNTER
         "%s = zext i32 %i to i64\n%g = getelementptr i32, ptr addrspace(1) %p, i64 %s\n" GET(
             "x1", "g") AGAIN BACK,
         NULL},
        {"br label %loop\nloop:\n%g = phi ptr addrspace(1) [ %p, %entry ], [ %h, %loop ]\n%i = phi "
         "i32 [ 0, %entry ], [ %next, %loop ]\n" GET("x1", "g") AT("h", "%g", "1") AGAIN BACK,
         NULL},
        /* two from one base, more than four, one of several that is none */
        {COUNTER "%s = add i32 %i, %a\n" AT("g", "%p", "%s") AT("h", "%p", "%i") GET("x1", "g")
             GET("x2", "h") AGAIN BACK,
         NULL},
        {COUNTER "%s = mul i32 %i, %i\n" AT("g", "%p", "%i") AT("h", "%q", "%s") GET("x1", "g")
             GET("x2", "h") AGAIN BACK,
         NULL},
        {AT("p1", "%p", "9") AT("p2", "%p", "99") AT("p3", "%p", "999") COUNTER AT("g1", "%p", "%i")
             AT("g2", "%q", "%i") AT("g3", "%p1", "%i") AT("g4", "%p2", "%i") AT("g5", "%p3", "%i")
                 GET("x1", "g1") GET("x2", "g2") GET("x3", "g3") GET("x4", "g4") GET("x5", "g5")
                     AGAIN BACK,
         NULL},
    };
    (void)state;
    expect_rows(rows, countof(rows), step);
}

/* --- loops to unroll -------------------------------------------------------------------------- */

/* How many rounds are to be one: what unroll.c says of loops of one block, by their instructions,
 * their counters, and what all lanes have. */
static void unrolled(void **state)
{
#define HEAD   "%i = phi i32 [ %a, %entry ], [ %next, %loop ]\n"
#define ONE_UP "%next = add i32 %i, 1\n"
    static const struct {
        const char *before, *body, *end;
        int more, rounds;
    } loops[] = {
        {"", HEAD ONE_UP "%t = icmp ult i32 %next, %n\n", "", 11,
         4}, /* 14 instructions with the branch */
        {"", HEAD ONE_UP "%t = icmp ult i32 %next, %n\n", "", 12, 2},
        {"", HEAD ONE_UP "%t = icmp ult i32 %next, %n\n", "", 21, 2},
        {"", HEAD ONE_UP "%t = icmp ult i32 %next, %n\n", "", 22, 0},
        {"", HEAD ONE_UP "%t = icmp slt i32 %i, %n\n", "", 0, 4},
        {"", "%i = phi i32 [ %next, %loop ], [ %a, %entry ]\n" ONE_UP "%t = icmp slt i32 %i, %n\n",
         "", 0, 4}, /* the way back is named first */
        {"%l = call i32 @__ventus_lane()\n",
         "%i = phi i32 [ %next, %loop ], [ %l, %entry ]\n" ONE_UP "%t = icmp slt i32 %i, %n\n", "",
         0, 0},
        {"", HEAD ONE_UP "%t = icmp ne i32 %n, %next\n", "", 0, 4},
        {"", HEAD ONE_UP "%t = icmp ne i32 %n, %i\n", "", 0, 4},
        {"", HEAD "%next = add i32 %i, 64\n%t = icmp ult i32 %next, %n\n", "", 0, 4},
        {"", HEAD "%next = add i32 %i, -8\n%t = icmp sgt i32 %next, 0\n", "", 0, 4},
        {"", HEAD "%next = add i32 %i, 3\n%t = icmp ult i32 %next, %n\n", "", 0, 0},
        {"", HEAD "%next = add i32 %i, -6\n%t = icmp ult i32 %next, %n\n", "", 0, 0},
        {"", HEAD "%next = add i32 %i, 0\n%t = icmp ult i32 %next, %n\n", "", 0, 0},
        {"", HEAD "%next = add i32 %i, %n\n%t = icmp ult i32 %next, %n\n", "", 0, 0},
        {"", HEAD "%next = shl i32 %i, 1\n%t = icmp ult i32 %next, %n\n", "", 0, 0},
        {"", HEAD "%o = add i32 %i, 1\n%next = add i32 %o, 1\n%t = icmp ult i32 %next, %n\n", "", 0,
         0},
        {"", HEAD ONE_UP "%m = load i32, ptr addrspace(1) %p\n%t = icmp ult i32 %next, %m\n", "", 0,
         0},
        {"", HEAD ONE_UP "%s = icmp ult i32 %next, %n\n%t = xor i1 %s, true\n", "", 0, 0},
        {"", HEAD ONE_UP "%t = icmp ult i32 %next, %next\n", "", 0, 0},
        /* the bound: what all lanes have, or not */
        {"%m = call i32 @__ventus_csr(i32 2048)\n", HEAD ONE_UP "%t = icmp ult i32 %next, %m\n", "",
         0, 4},
        {"%m = call i32 @__ventus_knl()\n", HEAD ONE_UP "%t = icmp ult i32 %next, %m\n", "", 0, 4},
        {"%m = call i32 @llvm.umin.i32(i32 %n, i32 %n)\n",
         HEAD ONE_UP "%t = icmp ult i32 %next, %m\n", "", 0, 4},
        {"%m = load i32, ptr addrspace(1) %p\n", HEAD ONE_UP "%t = icmp ult i32 %next, %m\n", "", 0,
         4},
        {"%m = call i32 @__ventus_lane()\n", HEAD ONE_UP "%t = icmp ult i32 %next, %m\n", "", 0, 0},
        {"%l = call i32 @__ventus_lane()\n%m = add i32 %l, %n\n",
         HEAD ONE_UP "%t = icmp ult i32 %next, %m\n", "", 0, 0},
        {"%l = call i32 @__ventus_lane()\n",
         "%i = phi i32 [ %l, %entry ], [ %next, %loop ]\n" ONE_UP "%t = icmp ult i32 %next, %n\n",
         "", 0, 0},
        {"%o = alloca i32\n%m = ptrtoint ptr %o to i32\n",
         HEAD ONE_UP "%t = icmp ult i32 %next, %m\n", "", 0, 0},
        {"", HEAD "call void @other()\n" ONE_UP "%t = icmp ult i32 %next, %n\n", "", 0, 0},
        {"",
         HEAD "%m = call i32 @llvm.umin.i32(i32 %i, i32 %n)\n" ONE_UP
              "%t = icmp ult i32 %next, %n\n",
         "", 10, 4},
        {"",
         HEAD "%m = call i32 @llvm.umin.i32(i32 %i, i32 %n)\n" ONE_UP
              "%t = icmp ult i32 %next, %n\n",
         "", 11, 2},
        /* what the program says itself stays */
        {"", HEAD ONE_UP "%t = icmp ult i32 %next, %n\n", ", !llvm.loop !0", 0, 4},
        {"", HEAD ONE_UP "%t = icmp ult i32 %next, %n\n", ", !llvm.loop !2", 0, 0},
        {"", HEAD ONE_UP "%t = icmp ult i32 %next, %n\n", ", !llvm.loop !4", 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < countof(loops); i++)
        for (int kernel = 0; kernel < 2;
             kernel++) { /* of a function the lanes' arguments may differ */
            Buf text = {0};
            char *why = NULL, count[64] = "!\"llvm.loop.unroll.count\", i32 ";
            LLVMContextRef ctx = LLVMContextCreate();
            LLVMModuleRef m = NULL;
            buf_printf(&text,
                       "declare i32 @__ventus_csr(i32)\ndeclare i32 @__ventus_knl()\ndeclare i32 "
                       "@__ventus_lane()\n"
                       "declare i32 @llvm.umin.i32(i32, i32)\ndeclare void @other()\n"
                       "define %svoid @f(ptr addrspace(1) %%p, i32 %%a, i32 %%n) {\nentry:\n%sbr "
                       "label %%loop\nloop:\n%s",
                       kernel ? "spir_kernel " : "", loops[i].before, loops[i].body);
            for (int k = 0; k < loops[i].more; k++)
                buf_str(&text, "store i32 5, ptr addrspace(1) %p\n");
            buf_printf(&text,
                       "br i1 %%t, label %%loop, label %%out%s\nout:\nret void\n}\n!0 = distinct "
                       "!{!0, !1}\n"
                       "!1 = !{!\"llvm.loop.mustprogress\"}\n!2 = distinct !{!2, !1, !3}\n!3 = "
                       "!{!\"llvm.loop.unroll.disable\"}\n"
                       "!4 = distinct !{!4, !5}\n!5 = !{!\"llvm.loop.unroll.count\", i32 9}\n",
                       loops[i].end);
            LLVMMemoryBufferRef from =
                LLVMCreateMemoryBufferWithMemoryRangeCopy(buf_text(&text), text.len, "loop");
            if (LLVMParseIRInContext(ctx, from, &m, &why))
                fail_msg("%s\n%s", why, buf_text(&text));
            const int rounds = kernel ? loops[i].rounds : 0;
            if (unroll_mark(m) != (rounds > 0))
                fail_msg("%d rounds are wanted of\n%s", rounds, buf_text(&text));
            char *after = LLVMPrintModuleToString(m), *at = strstr(after, count);
            if (rounds ? !at || at[strlen(count)] != '0' + rounds : at && at[strlen(count)] != '9')
                fail_msg("%d rounds are wanted in\n%s", rounds, after);
            assert_false(rounds && unroll_mark(m)); /* it is settled now */
            LLVMDisposeMessage(after);
            LLVMDisposeModule(m);
            LLVMContextDispose(ctx);
            buf_free(&text);
        }
}

/* A phi that leaves open what another has becomes that. */
static void settled(void **state)
{
#define WAYS(x, y)                                                                                 \
    "br i1 %k, label %one, label %two\none:\nbr label %meet\ntwo:\nbr label %meet\nmeet:\n%s = "   \
    "phi i32 " x "\n%t = phi i32 " y "\n"
#define USES(x, y) "store i32 %" x ", ptr addrspace(1) %p\nstore i32 %" y ", ptr addrspace(1) %q\n"
    static const Row rows[] = {
        {WAYS("[ %a, %one ], [ poison, %two ]", "[ %a, %one ], [ %b, %two ]") USES("s", "t"),
         WAYS("[ %a, %one ], [ poison, %two ]", "[ %a, %one ], [ %b, %two ]") USES("t", "t")},
        {WAYS("[ %a, %one ], [ %b, %two ]", "[ poison, %one ], [ %b, %two ]") USES("s", "t"),
         WAYS("[ %a, %one ], [ %b, %two ]", "[ poison, %one ], [ %b, %two ]") USES("s", "s")},
        {WAYS("[ %c, %one ], [ poison, %two ]", "[ %a, %one ], [ %b, %two ]") USES("s", "t"), NULL},
        {WAYS("[ %a, %one ], [ %b, %two ]", "[ %a, %one ], [ %b, %two ]") USES("s", "t"), NULL},
        {WAYS("[ %b, %one ], [ poison, %two ]", "[ %a, %one ], [ %b, %two ]") USES("s", "t"), NULL},
    };
    (void)state;
    expect_rows(rows, countof(rows), unroll_settle);
}

/* --- modules ---------------------------------------------------------------------------------- */

#define P1 "ptr addrspace(1)"
#define P2 "ptr addrspace(2)"

static void prepare(LLVMModuleRef m) { prepare_module(m, false); }
static void prepare_zero(LLVMModuleRef m) { prepare_module(m, true); }

/* Kernels that others call, structures as arguments, formatted output; variables that are 0 at
 * first. */
static void prepared(void **state)
{
    static const Row rows[] = {
        {"define spir_kernel void @k(" P1 " %p, i32 %n) {\n store i32 %n, " P1 " %p\n ret void\n}\n"
         "define spir_kernel void @j(" P1 " %p) {\n call spir_kernel void @k(" P1
         " %p, i32 5)\n ret void\n}\n",
         "define spir_kernel void @k(" P1 " %p, i32 %n) {\n call spir_func void @k.called(" P1
         " %p, i32 %n)\n ret void\n}\n"
         "define spir_kernel void @j(" P1 " %p) {\n call spir_func void @k.called(" P1
         " %p, i32 5)\n ret void\n}\n"
         "define internal spir_func void @k.called(" P1 " %p, i32 %n) {\n store i32 %n, " P1
         " %p\n ret void\n}\n"},
        {"define spir_kernel void @k(" P1 " %p, i32 %n) {\n store i32 %n, " P1
         " %p\n ret void\n}\n",
         NULL},
        {"define spir_kernel void @k(" P1
         " %p, ptr byval({ i8, i64 }) align 8 %x, i8 %c, ptr byval([3 x i8]) align 1 %y) {\n"
         " %v = load i64, ptr %x\n store i64 %v, " P1
         " %p\n %w = load i8, ptr %y\n store i8 %w, " P1 " %p\n ret void\n}\n",
         "define spir_kernel void @k(" P1
         " %p, ptr byval({ i8, i64 }) align 8 %x, i8 %c, ptr byval([3 x i8]) align 1 %y) {\n"
         " %o = alloca { i8, i64 }, align 8\n %a = call spir_func " P2 " @__ventus_arg(i32 8)\n"
         " call void @llvm.memcpy.p0.p2.i32(ptr align 8 %o, " P2 " align 8 %a, i32 16, i1 false)\n"
         " %q = alloca [3 x i8], align 4\n %b = call spir_func " P2 " @__ventus_arg(i32 28)\n"
         " call void @llvm.memcpy.p0.p2.i32(ptr align 4 %q, " P2 " align 4 %b, i32 3, i1 false)\n"
         " %v = load i64, ptr %o\n store i64 %v, " P1
         " %p\n %w = load i8, ptr %q\n store i8 %w, " P1 " %p\n ret void\n}\n"
         "declare spir_func " P2 " @__ventus_arg(i32) nomerge memory(none)\n"
         "declare void @llvm.memcpy.p0.p2.i32(ptr noalias nocapture writeonly, " P2
         " noalias nocapture readonly, i32, i1 immarg) "
         "nocallback nofree nounwind willreturn memory(argmem: readwrite)\n"},
        {"define spir_kernel void @k(ptr byval({ i8, i64 }) align 8 %unused) {\n ret void\n}\n",
         NULL},
        {"declare spir_func i32 @printf(" P2 ", ...)\n"
         "define spir_func i32 @f(" P2 " %t, i32 %n) {\n %r = call spir_func i32 (" P2
         ", ...) @printf(" P2 " %t, i32 %n, double 1.0)\n ret i32 %r\n}\n",
         "declare spir_func i32 @printf(" P2 ", ...)\n"
         "define spir_func i32 @f(" P2
         " %t, i32 %n) {\n %id = call spir_func i32 @_Z20get_global_linear_idv()\n"
         " %r = call spir_func i32 (i32, " P2 ", ...) @__ventus_printf(i32 %id, " P2
         " %t, i32 %n, double 1.0)\n ret i32 %r\n}\n"
         "declare spir_func i32 @__ventus_printf(i32, " P2
         ", ...)\ndeclare spir_func i32 @_Z20get_global_linear_idv()\n"},
        {"define spir_func i32 @printf(" P2 " %t, ...) {\n ret i32 0\n}\n"
         "define spir_func i32 @f(" P2 " %t) {\n %r = call spir_func i32 (" P2 ", ...) @printf(" P2
         " %t)\n ret i32 %r\n}\n",
         NULL},
    };
    static const char vars[] = "declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) "
                               "nocallback nofree nosync nounwind willreturn "
                               "memory(argmem: readwrite)\n";
    static const char variables[] =
        "@l = internal addrspace(3) global [4 x i8] undef\n@e = external addrspace(3) global "
        "i32\n@g = internal addrspace(1) global i32 7\n"
        "define spir_func void @f(i1 %k) {\n %v = alloca i64, align 8\n br i1 %k, label %a, label "
        "%b\na:\n";
    Buf before = {0}, after = {0};
    (void)state;
    expect_modules(rows, countof(rows), prepare);
    buf_printf(&before,
               "%s %%w = alloca [5 x i16], align 2\n call void @llvm.lifetime.start.p0(i64 10, ptr "
               "%%w)\n store i16 1, ptr %%w\n"
               " br label %%b\nb:\n store i64 1, ptr %%v\n ret void\n}\n%s",
               variables, vars);
    buf_printf(&after, "@l = internal addrspace(3) global [4 x i8] zeroinitializer\n%s",
               strchr(variables, '\n') + 1);
    after.len = (size_t)(strstr(buf_text(&after), " br i1") - buf_text(&after));
    buf_printf(&after,
               " call void @llvm.memset.p0.i32(ptr align 8 %%v, i8 0, i32 8, i1 false)\n br i1 "
               "%%k, label %%a, label %%b\na:\n"
               " %%w = alloca [5 x i16], align 2\n call void @llvm.memset.p0.i32(ptr align 2 %%w, "
               "i8 0, i32 10, i1 false)\n"
               " store i16 1, ptr %%w\n br label %%b\nb:\n store i64 1, ptr %%v\n ret void\n}\n%s"
               "declare void @llvm.memset.p0.i32(ptr nocapture writeonly, i8, i32, i1 immarg) "
               "nocallback nofree nounwind willreturn "
               "memory(argmem: write)\n",
               vars);
    expect_modules(&(Row){buf_text(&before), NULL}, 1, prepare);
    expect_modules(&(Row){buf_text(&before), buf_text(&after)}, 1, prepare_zero);
    buf_free(&before);
    buf_free(&after);
}

/* A call of printf with n arguments, or of what it becomes. */
static void put_print(Buf *b, u32 n, bool ours)
{
    buf_printf(b, "declare spir_func i32 @printf(" P2 ", ...)\n"
                  "define spir_func i32 @f(" P2 " %%t, i32 %%n) {\n");
    if (ours)
        buf_printf(b, " %%id = call spir_func i32 @_Z20get_global_linear_idv()\n"
                      " %%r = call spir_func i32 (i32, " P2 ", ...) @__ventus_printf(i32 %%id, ");
    else
        buf_printf(b, " %%r = call spir_func i32 (" P2 ", ...) @printf(");
    buf_printf(b, P2 " %%t");
    for (u32 k = 1; k < n; k++)
        buf_printf(b, ", i32 %%n");
    buf_printf(b, ")\n ret i32 %%r\n}\n");
}

/* Of at most 1000 arguments, the format among them, they are printed. */
static void prints_many(void **state)
{
    (void)state;
    for (u32 n = 998; n <= 1002; n++) {
        Buf before = {0}, after = {0};
        put_print(&before, n, false);
        put_print(&after, n, n <= 1000);
        buf_printf(&after, "declare spir_func i32 @__ventus_printf(i32, " P2 ", ...)\n%s",
                   n <= 1000 ? "declare spir_func i32 @_Z20get_global_linear_idv()\n" : "");
        expect_modules(&(Row){buf_text(&before), buf_text(&after)}, 1, prepare);
        buf_free(&before);
        buf_free(&after);
    }
}

/* What a kernel's pointers are by its metadata, with the numbers of SPIR-V: of a dimension, whether
 * it is of depths, an array; 0 to read, 1 to write, 2 for both. */
static void retyped(void **state)
{
    static const struct {
        const char *type, *access, *qualifier, *real;
    } rows[] = {
        {"image1d_t", "read_only", "", "target(\"spirv.Image\", void, 0, 0, 0, 0, 0, 0, 0)"},
        {"image2d_t", "write_only", "", "target(\"spirv.Image\", void, 1, 0, 0, 0, 0, 0, 1)"},
        {"image3d_t", "read_write", "", "target(\"spirv.Image\", void, 2, 0, 0, 0, 0, 0, 2)"},
        {"image1d_buffer_t", "read_only", "", "target(\"spirv.Image\", void, 5, 0, 0, 0, 0, 0, 0)"},
        {"image1d_array_t", "read_only", "", "target(\"spirv.Image\", void, 0, 0, 1, 0, 0, 0, 0)"},
        {"image2d_array_t", "write_only", "", "target(\"spirv.Image\", void, 1, 0, 1, 0, 0, 0, 1)"},
        {"image2d_depth_t", "read_only", "", "target(\"spirv.Image\", void, 1, 1, 0, 0, 0, 0, 0)"},
        {"image2d_array_depth_t", "read_only", "",
         "target(\"spirv.Image\", void, 1, 1, 1, 0, 0, 0, 0)"},
        {"sampler_t", "none", "", "target(\"spirv.Sampler\")"},
        {"int", "read_only", "pipe", "target(\"spirv.Pipe\", 0)"},
        {"float4", "write_only", "pipe", "target(\"spirv.Pipe\", 1)"},
        {"int*", "none", "const", "ptr addrspace(1)"},
        {"image4d_t", "none", "", "ptr addrspace(1)"},
        {"image2x_t", "none", "", "ptr addrspace(1)"},
        {"images", "none", "", "ptr addrspace(1)"},
    };
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        Buf text = {0};
        LLVMContextRef ctx = LLVMContextCreate();
        buf_printf(&text,
                   "define spir_kernel void @k(ptr addrspace(1) %%x, i32 %%n, ptr addrspace(1) "
                   "align 4 %%p) !kernel_arg_type !0 "
                   "!kernel_arg_access_qual !1 !kernel_arg_type_qual !2 {\n store i32 %%n, ptr "
                   "addrspace(1) %%p\n ret void\n}\n"
                   "!0 = !{!\"%s\", !\"int\", !\"int*\"}\n!1 = !{!\"%s\", !\"none\", "
                   "!\"none\"}\n!2 = !{!\"%s\", !\"\", !\"\"}\n",
                   rows[i].type, rows[i].access, rows[i].qualifier);
        LLVMModuleRef m = parse_module(ctx, buf_text(&text));
        retype_kernels(m);
        char *all = shown_module(m);
        LLVMDisposeMessage(all);
        LLVMValueRef k = LLVMGetNamedFunction(m, "k"), body = LLVMGetNamedFunction(m, "k.body");
        char *type = LLVMPrintTypeToString(LLVMTypeOf(LLVMGetParam(k, 0)));
        const bool same = rows[i].real[0] == 'p';
        size_t n = 0;
        assert_string_equal(type, rows[i].real);
        assert_int_equal(LLVMGetFunctionCallConv(k), 76);
        LLVMDisposeValueMetadataEntries(LLVMGlobalCopyAllMetadata(k, &n));
        assert_int_equal(n, 3);
        assert_true(!body == same);
        const unsigned align = LLVMGetEnumAttributeKindForName("align", 5);
        assert_non_null(LLVMGetEnumAttributeAtIndex(k, 3, align));
        assert_null(LLVMGetEnumAttributeAtIndex(k, 1, align));
        if (body) {
            assert_int_equal(LLVMGetFunctionCallConv(body), 75);
            assert_int_equal(LLVMGetLinkage(body), LLVMInternalLinkage);
            LLVMDisposeValueMetadataEntries(LLVMGlobalCopyAllMetadata(body, &n));
            assert_int_equal(n, 0);
        }
        LLVMDisposeMessage(type);
        LLVMDisposeModule(m);
        LLVMContextDispose(ctx);
        buf_free(&text);
    }
}

#define SAMPLER "target(\"spirv.Sampler\")"
#define AS_SAMPLER                                                                                 \
    "@\"__ventus_image_ptr addrspace(1)_as_target(\\22spirv.Sampler\\22)\"(ptr addrspace(1)"
#define AS_POINTER "@\"__ventus_image_target(\\22spirv.Sampler\\22)_as_ptr addrspace(1)\"(" SAMPLER
#define NO_EFFECT  ") nounwind willreturn memory(none)\n"

/* A call with so many numbers behind a pointer, of a function that takes a sampler there. */
static void put_call(Buf *b, u32 numbers, bool retyped)
{
    for (int k = 0; k < 2; k++) {
        if (k)
            buf_printf(b, "define spir_func void @f(" P1 " %%x, i32 %%n) {\n%s",
                       retyped ? " %y = call " SAMPLER " " AS_SAMPLER " %x)\n" : "");
        buf_printf(b, k ? " call spir_func void @g(" : "declare spir_func void @g(");
        buf_printf(b, !k || retyped ? SAMPLER : P1);
        if (k)
            buf_printf(b, retyped ? " %%y" : " %%x");
        for (u32 n = 0; n < numbers; n++)
            buf_printf(b, k ? ", i32 %%n" : ", i32");
        buf_printf(b, k ? ")\n ret void\n}\n" : ")\n");
    }
    if (retyped)
        buf_printf(b, "declare " SAMPLER " " AS_SAMPLER NO_EFFECT);
}

/* Calls with pointers where the function has samplers, images or pipes go through functions that
 * stand for the change of type; others are left alone. */
static void retyped_calls(void **state)
{
#define CALLER(body) "define spir_func i32 @f(" P1 " %x, i32 %n, " SAMPLER " %s) {\n" body "}\n"
#define TAKES        "declare spir_func i32 @g(" SAMPLER ", i32)\n"
#define GIVES        "declare spir_func " SAMPLER " @h()\n"
    static const Row rows[] = {
        {TAKES CALLER(" %r = call spir_func i32 @g(" P1 " %x, i32 %n)\n ret i32 %r\n"),
         TAKES CALLER(" %y = call " SAMPLER " " AS_SAMPLER
                      " %x)\n %r = call spir_func i32 @g(" SAMPLER
                      " %y, i32 %n)\n ret i32 %r\n") "declare " SAMPLER " " AS_SAMPLER NO_EFFECT},
        {GIVES CALLER(" %r = call spir_func " P1 " @h()\n store i32 %n, " P1 " %r\n ret i32 %n\n"),
         GIVES CALLER(" %r = call spir_func " SAMPLER " @h()\n %y = call " P1 " " AS_POINTER
                      " %r)\n store i32 %n, " P1 " %y\n ret i32 %n\n") "declare " P1
                                                                       " " AS_POINTER NO_EFFECT},
        /* one function for all changes of these types */
        {TAKES CALLER(" %r = call spir_func i32 @g(" P1 " %x, i32 %n)\n %q = call spir_func i32 "
                      "@g(" P1 " %x, i32 %r)\n ret i32 %q\n"),
         TAKES CALLER(" %y = call " SAMPLER " " AS_SAMPLER
                      " %x)\n %r = call spir_func i32 @g(" SAMPLER " %y, i32 %n)\n"
                      " %z = call " SAMPLER " " AS_SAMPLER " %x)\n %q = call spir_func i32 "
                      "@g(" SAMPLER " %z, i32 %r)\n ret i32 %q\n") "declare " SAMPLER
                                                                   " " AS_SAMPLER NO_EFFECT},
        /* right types, other numbers, fewer arguments, a sampler where a pointer is taken */
        {TAKES CALLER(" %r = call spir_func i32 @g(" SAMPLER " %s, i32 %n)\n ret i32 %r\n"), NULL},
        {TAKES CALLER(" %r = call spir_func i32 @g(" P1 " %x, i64 7)\n ret i32 %r\n"), NULL},
        {TAKES CALLER(" %r = call spir_func i32 @g(" P1 " %x)\n ret i32 %r\n"), NULL},
        {"declare spir_func i32 @g(" P1
         ")\n" CALLER(" %r = call spir_func i32 @g(" SAMPLER " %s)\n ret i32 %r\n"),
         NULL},
    };
    (void)state;
    expect_modules(rows, countof(rows), retype_calls);
    for (u32 n = 254; n <= 256; n++) { /* and a pointer: of at most 256 arguments */
        Buf before = {0}, after = {0};
        put_call(&before, n, false);
        put_call(&after, n, n < 256);
        expect_modules(&(Row){buf_text(&before), buf_text(&after)}, 1, retype_calls);
        buf_free(&before);
        buf_free(&after);
    }
}

/* Indices beyond their arrays, as clang finds them, become stores into notes: of the type's bits
 * and sign, and its name. */
static void noted_indices(void **state)
{
#define TYPE(name, details, n, text)                                                               \
    "@" name " = private constant { i16, i16, [" n " x i8] } { i16 0, i16 " details ", [" n        \
    " x i8] c\"" text "\\00\" }\n"
#define DATA(name, array, index)                                                                   \
    "@" name " = private global { i32, ptr, ptr } { i32 1, ptr " array ", ptr " index " }\n"
#define NOTE(name, kind, n, text)                                                                  \
    "@" name " = internal addrspace(1) global <{ i32, i32, i32, [" n                               \
    " x i8] }> <{ i32 0, i32 " kind ", i32 0, [" n " x i8] c\"" text "\" }>, align 4\n"
#define GIVEN                                                                                      \
    TYPE("a", "0", "9", "'int[4]'")                                                                \
    TYPE("i", "11", "4", "int")                                                                    \
    TYPE("u", "12", "4", "ul?")                                                                    \
    DATA("d", "@a", "@i") DATA("e", "@a", "@u") DATA("z", "null", "null")
#define HANDLER "declare void @__ubsan_handle_out_of_bounds(ptr, i32)\n"
    static const Row rows[] = {
        {GIVEN "define void @f(i32 %n) {\n call void @__ubsan_handle_out_of_bounds(ptr @d, i32 "
               "%n)\n ret void\n}\n" HANDLER,
         GIVEN NOTE(".note.check", "288", "9",
                    "'int[4]'\\00") "define void @f(i32 %n) {\n store volatile i32 %n, " P1
                                    " @.note.check\n ret void\n}\n"},
        {GIVEN "define void @f(i32 %n) {\n call void @__ubsan_handle_out_of_bounds(ptr @e, i32 "
               "%n)\n ret void\n}\n" HANDLER,
         GIVEN NOTE(".note.check", "64", "9",
                    "'int[4]'\\00") "define void @f(i32 %n) {\n store volatile i32 %n, " P1
                                    " @.note.check\n ret void\n}\n"},
        {GIVEN "define void @f(i32 %n) {\n call void @__ubsan_handle_out_of_bounds(ptr @z, i32 "
               "%n)\n ret void\n}\n" HANDLER,
         GIVEN NOTE(".note.check", "1", "9",
                    "an array\\00") "define void @f(i32 %n) {\n store volatile i32 %n, " P1
                                    " @.note.check\n ret void\n}\n"},
        {GIVEN "define void @f(i32 %n) {\n ret void\n}\n", NULL},
    };
    (void)state;
    expect_modules(rows, countof(rows), indices_note);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing), cmocka_unit_test(bytes),
        cmocka_unit_test(components),     cmocka_unit_test(extremes),
        cmocka_unit_test(fused),          cmocka_unit_test(shortened),
        cmocka_unit_test(spaces),         cmocka_unit_test(pointers),
        cmocka_unit_test(unrolled),       cmocka_unit_test(settled),
        cmocka_unit_test(prepared),       cmocka_unit_test(prints_many),
        cmocka_unit_test(retyped_calls),  cmocka_unit_test(retyped),
        cmocka_unit_test(noted_indices),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
