/* apart_test.c -- what modules get that are compiled for checks (-ventus-apart): accesses that are
 * compared with their variables, first values of variables, operands of asynchronous copies
 * (src/ll/straynotes.c, firstvalues.c, asyncnotes.c).  For each a text, and what the head of the
 * pass and obj/notes.h say has to come of it.
 */
#include "test/kit/leftover.h"
#include "ll/middle.h"
#include "obj/notes.h"
#include "test/kit/modules.h"
#include <stdio.h>

/* --- accesses that leave their variables ------------------------------------------------------ */

/* An access behind the variables it may be meant for, and the note of it: its kind without the
 * bytes of the access, these, the size and the name of the variable, and the code before the
 * access, which calls with whether it is too far, and how far it is.  code NULL: there is nothing
 * to compare. */
typedef struct {
    const char *before, *access, *name;
    u32 kind, bytes, size;
    const char *code;
} Stray;

static const char stray_given[] =
    "@k.tmp = internal addrspace(3) global [4 x i32] undef, align 4\n"
    "@far = internal addrspace(3) global [2 x i64] undef, align 8\n"
    "@g = internal addrspace(1) global [4 x i32] zeroinitializer, align 4\n";
static const char stray_declared[] = "declare void @other(ptr)\n"
                                     "declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)\n"
                                     "declare void @llvm.memmove.p0.p0.i32(ptr, ptr, i32, i1)\n"
                                     "declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)\n";
static const char stray_function[] =
    "define internal void @__ventus_stray(i1 %a, i32 %b, ptr addrspace(1) %c) alwaysinline {\n"
    " br i1 %a, label %far, label %end\nfar:\n store volatile i32 %b, ptr addrspace(1) %c\n"
    " br label %end\nend:\n ret void\n}\n";

#define FAR(is, far)                                                                               \
    " call void @__ventus_stray(i1 " is ", i32 " far ", ptr addrspace(1) @.note.check)\n"
#define BEYOND(most) " %too = icmp ugt i32 %s, " most "\n" FAR("%too", "%s")
#define FOUR_WORDS   " %v = alloca [4 x i32], align 4\n"
#define ELEMENT      " %e = getelementptr i32, ptr %v, i32 %i\n"
#define BYTES_AWAY   " %t = mul i32 %i, 4\n %s = add i32 0, %t\n"
#define FROM_BASE(base)                                                                            \
    " %x = ptrtoint ptr " base " to i32\n %y = ptrtoint ptr %v to i32\n %z = sub i32 %x, %y\n"

static const Stray strays[] = {
    /* sums */
    {FOUR_WORDS ELEMENT, " %r = load i32, ptr %e\n", "v", 0, 4, 16, BYTES_AWAY BEYOND("12")},
    {FOUR_WORDS ELEMENT, " %r = load i64, ptr %e\n", "v", 0, 8, 16, BYTES_AWAY BEYOND("8")},
    {FOUR_WORDS ELEMENT, " %r = load [4 x i32], ptr %e\n", "v", 0, 16, 16, BYTES_AWAY BEYOND("0")},
    {FOUR_WORDS ELEMENT, " %r = load [5 x i32], ptr %e\n", "v", 0, 20, 16,
     BYTES_AWAY FAR("true", "%s")},
    {FOUR_WORDS ELEMENT, " %r = load i1, ptr %e\n", "v", 0, 1, 16, BYTES_AWAY BEYOND("15")},
    {FOUR_WORDS ELEMENT, " store i16 7, ptr %e\n", "v", NOTE_WRITES, 2, 16,
     BYTES_AWAY BEYOND("14")},
    {FOUR_WORDS " %e = getelementptr i8, ptr %v, i64 %w\n", " %r = load i8, ptr %e\n", "v", 0, 1,
     16, " %t = trunc i64 %w to i32\n %u = mul i32 %t, 1\n %s = add i32 0, %u\n" BEYOND("15")},
    {FOUR_WORDS " %e = getelementptr i16, ptr %v, i8 %c\n", " %r = load i8, ptr %e\n", "v", 0, 1,
     16, " %t = sext i8 %c to i32\n %u = mul i32 %t, 2\n %s = add i32 0, %u\n" BEYOND("15")},
    {" %v = alloca { i8, [3 x i16] }, align 2\n"
     " %e = getelementptr { i8, [3 x i16] }, ptr %v, i32 %i, i32 1, i32 2\n",
     " %r = load i16, ptr %e\n", "v", 0, 2, 8,
     " %t = mul i32 %i, 8\n %s = add i32 6, %t\n" BEYOND("6")},
    {FOUR_WORDS " %d = getelementptr i32, ptr %v, i32 %i\n %b = getelementptr i8, ptr %d, i32 -3\n"
                " %e = getelementptr i16, ptr %b, i8 %c\n",
     " %r = load i8, ptr %e\n", "v", 0, 1, 16,
     " %t = sext i8 %c to i32\n %u = mul i32 %t, 2\n %x = add i32 -3, %u\n %y = mul i32 %i, 4\n"
     " %s = add i32 %x, %y\n" BEYOND("15")},
    /* names go to the first dot */
    {" %v.addr.2 = alloca [4 x i32], align 4\n %e = getelementptr i32, ptr %v.addr.2, i32 %i\n",
     " %r = load i32, ptr %e\n", "v", 0, 4, 16, BYTES_AWAY BEYOND("12")},
    /* places that are known */
    {FOUR_WORDS " %e = getelementptr i8, ptr %v, i32 12\n", " %r = load i32, ptr %e\n", NULL, 0, 0,
     0, NULL},
    {FOUR_WORDS " %e = getelementptr i8, ptr %v, i32 13\n", " %r = load i32, ptr %e\n", "v", 0, 4,
     16, FAR("true", "13")},
    {FOUR_WORDS " %e = getelementptr i8, ptr %v, i32 16\n", " store i8 1, ptr %e\n", "v",
     NOTE_WRITES, 1, 16, FAR("true", "16")},
    {FOUR_WORDS " %e = getelementptr i8, ptr %v, i32 17\n", " store i8 1, ptr %e\n", "v",
     NOTE_WRITES, 1, 16, FAR("true", "17")},
    {FOUR_WORDS " %e = getelementptr i8, ptr %v, i32 -1\n", " store i8 1, ptr %e\n", "v",
     NOTE_WRITES, 1, 16, FAR("true", "-1")},
    {FOUR_WORDS, " store [2 x i64] zeroinitializer, ptr %v\n", NULL, 0, 0, 0, NULL},
    {FOUR_WORDS, " store [3 x i64] zeroinitializer, ptr %v\n", "v", NOTE_WRITES, 24, 16,
     FAR("true", "0")},
    /* indices into types are clang's affair, but not those that step over all of it */
    {FOUR_WORDS " %e = getelementptr [4 x i32], ptr %v, i32 0, i32 %i\n",
     " %r = load i32, ptr %e\n", NULL, 0, 0, 0, NULL},
    {FOUR_WORDS " %e = getelementptr [4 x i32], ptr %v, i32 1, i32 %i\n",
     " %r = load i32, ptr %e\n", "v", 0, 4, 16,
     " %t = mul i32 %i, 4\n %s = add i32 16, %t\n" BEYOND("12")},
    {FOUR_WORDS " %d = getelementptr i32, ptr %v, i32 0\n"
                " %e = getelementptr [4 x i32], ptr %d, i32 0, i32 %i\n",
     " %r = load i32, ptr %e\n", NULL, 0, 0, 0, NULL},
    {FOUR_WORDS " %d = getelementptr i32, ptr %v, i32 1\n"
                " %e = getelementptr [4 x i32], ptr %d, i32 0, i32 %i\n",
     " %r = load i32, ptr %e\n", "v", 0, 4, 16,
     " %t = mul i32 %i, 4\n %s = add i32 4, %t\n" BEYOND("12")},
    /* sizes of variables */
    {" %v = alloca i16, i32 3, align 2\n" ELEMENT, " %r = load i16, ptr %e\n", "v", 0, 2, 6,
     BYTES_AWAY BEYOND("4")},
    {" %v = alloca i16, i32 %i, align 2\n" ELEMENT, " %r = load i16, ptr %e\n", NULL, 0, 0, 0,
     NULL},
    {" %v = alloca [0 x i32], align 4\n" ELEMENT, " %r = load i32, ptr %e\n", NULL, 0, 0, 0, NULL},
    {" %v = alloca [2147483647 x i8], align 1\n" ELEMENT, " %r = load i8, ptr %e\n", "v", 0, 1,
     2147483647, BYTES_AWAY BEYOND("2147483646")},
    {" %v = alloca [2147483648 x i8], align 1\n" ELEMENT, " %r = load i8, ptr %e\n", NULL, 0, 0, 0,
     NULL},
    {FOUR_WORDS ELEMENT, " store {} zeroinitializer, ptr %e\n", NULL, 0, 0, 0, NULL},
    /* copies */
    {FOUR_WORDS ELEMENT, " call void @llvm.memcpy.p0.p0.i32(ptr %p, ptr %e, i32 8, i1 false)\n",
     "v", 0, 8, 16, BYTES_AWAY BEYOND("8")},
    {FOUR_WORDS ELEMENT, " call void @llvm.memmove.p0.p0.i32(ptr %e, ptr %p, i32 8, i1 false)\n",
     "v", NOTE_WRITES, 8, 16, BYTES_AWAY BEYOND("8")},
    {FOUR_WORDS ELEMENT, " call void @llvm.memset.p0.i32(ptr %e, i8 %c, i32 5, i1 false)\n", "v",
     NOTE_WRITES, 5, 16, BYTES_AWAY BEYOND("11")},
    {FOUR_WORDS ELEMENT, " call void @llvm.memset.p0.i32(ptr %e, i8 %c, i32 %i, i1 false)\n", NULL,
     0, 0, 0, NULL},
    {" %v = alloca [200000 x i8], align 1\n" ELEMENT,
     " call void @llvm.memset.p0.i32(ptr %e, i8 %c, i32 65536, i1 false)\n", "v", NOTE_WRITES,
     65535, 200000, BYTES_AWAY BEYOND("134464")},
    {" %v = alloca [200000 x i8], align 1\n" ELEMENT,
     " call void @llvm.memset.p0.i32(ptr %e, i8 %c, i32 65534, i1 false)\n", "v", NOTE_WRITES,
     65534, 200000, BYTES_AWAY BEYOND("134466")},
    /* choices */
    {FOUR_WORDS " %a = getelementptr i8, ptr %v, i32 %i\n %b = getelementptr i8, ptr %v, i32 4\n"
                " %q = select i1 %k, ptr %a, ptr %b\n",
     " %r = load i32, ptr %q\n", "v", 0, 4, 16,
     FROM_BASE("%q") " %s = add i32 %z, 0\n" BEYOND("12")},
    {FOUR_WORDS " %b = getelementptr i8, ptr %v, i32 4\n %q = select i1 %k, ptr %v, ptr %b\n"
                " %e = getelementptr i8, ptr %q, i32 8\n",
     " %r = load i32, ptr %e\n", "v", 0, 4, 16,
     FROM_BASE("%q") " %s = add i32 %z, 8\n" BEYOND("12")},
    {FOUR_WORDS " %b = getelementptr i8, ptr %v, i32 4\n %q = select i1 %k, ptr %v, ptr %b\n"
                " %e = getelementptr [4 x i32], ptr %q, i32 0, i32 %i\n",
     " %r = load i32, ptr %e\n", "v", 0, 4, 16,
     " %t = mul i32 %i, 4\n %f = add i32 0, %t\n" FROM_BASE("%q") " %s = add i32 %z, %f\n" BEYOND(
         "12")},
    {FOUR_WORDS " %u = alloca [4 x i32], align 4\n %q = select i1 %k, ptr %v, ptr %u\n"
                " %e = getelementptr i32, ptr %q, i32 %i\n",
     " %r = load i32, ptr %e\n", NULL, 0, 0, 0, NULL},
    {FOUR_WORDS " %q = select i1 %k, ptr %p, ptr %v\n %e = getelementptr i32, ptr %q, i32 %i\n",
     " %r = load i32, ptr %e\n", NULL, 0, 0, 0, NULL},
    {FOUR_WORDS " %q = select i1 %k, ptr %v, ptr %p\n %e = getelementptr i32, ptr %q, i32 %i\n",
     " %r = load i32, ptr %e\n", NULL, 0, 0, 0, NULL},
    {FOUR_WORDS
     " br label %loop\nloop:\n %q = phi ptr [ %v, %entry ], [ %n, %loop ]\n"
     " %n = getelementptr i32, ptr %q, i32 1\n br i1 %k, label %loop, label %end\nend:\n",
     " %r = load i32, ptr %n\n", "v", 0, 4, 16,
     FROM_BASE("%q") " %s = add i32 %z, 4\n" BEYOND("12")},
    {FOUR_WORDS " br label %loop\nloop:\n %q = phi ptr [ %v, %entry ], [ %p, %loop ]\n"
                " br i1 %k, label %loop, label %end\nend:\n",
     " %r = load i32, ptr %q\n", NULL, 0, 0, 0, NULL},
    /* other origins */
    {" %e = getelementptr i32, ptr %p, i32 %i\n", " %r = load i32, ptr %e\n", NULL, 0, 0, 0, NULL},
    {" %e = getelementptr i32, ptr addrspace(1) @g, i32 %i\n",
     " %r = load i32, ptr addrspace(1) %e\n", NULL, 0, 0, 0, NULL},
    /* local memory */
    {" %e = getelementptr i32, ptr addrspace(3) @k.tmp, i32 %i\n",
     " store i32 1, ptr addrspace(3) %e\n", "tmp", NOTE_WRITES | NOTE_LOCAL, 4, 16,
     BYTES_AWAY BEYOND("12")},
    {" %e = getelementptr i32, ptr addrspace(3) @far, i32 %i\n",
     " %r = load i32, ptr addrspace(3) %e\n", "far", NOTE_LOCAL, 4, 16, BYTES_AWAY BEYOND("12")},
    {"", " %r = load i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @k.tmp, i32 16)\n",
     "tmp", NOTE_LOCAL, 4, 16, FAR("true", "16")},
    /* through the generic space */
    {FOUR_WORDS " %a = addrspacecast ptr %v to ptr addrspace(4)\n"
                " %e = getelementptr i32, ptr addrspace(4) %a, i32 %i\n",
     " %r = load i32, ptr addrspace(4) %e\n", "v", 0, 4, 16, BYTES_AWAY BEYOND("12")},
    {FOUR_WORDS " %a = addrspacecast ptr %v to ptr addrspace(4)\n"
                " %b = getelementptr i32, ptr addrspace(4) %a, i32 %i\n"
                " %q = select i1 %k, ptr addrspace(4) %a, ptr addrspace(4) %b\n",
     " %r = load i32, ptr addrspace(4) %q\n", "v", 0, 4, 16,
     " %o = addrspacecast ptr %v to ptr addrspace(4)\n %x = ptrtoint ptr addrspace(4) %q to i32\n"
     " %y = ptrtoint ptr addrspace(4) %o to i32\n %z = sub i32 %x, %y\n %s = add i32 %z, "
     "0\n" BEYOND("12")},
    /* pointers that were left in memory */
    {FOUR_WORDS " %h = alloca ptr, align 4\n store ptr %v, ptr %h\n %q = load ptr, ptr %h\n"
                " %e = getelementptr i32, ptr %q, i32 %i\n",
     " %r = load i32, ptr %e\n", "v", 0, 4, 16,
     " %t = mul i32 %i, 4\n %f = add i32 0, %t\n" FROM_BASE("%q") " %s = add i32 %z, %f\n" BEYOND(
         "12")},
    {FOUR_WORDS " %h = alloca ptr, align 4\n store ptr %v, ptr %h\n store ptr %p, ptr %h\n"
                " %q = load ptr, ptr %h\n",
     " %r = load i32, ptr %q\n", NULL, 0, 0, 0, NULL},
    {FOUR_WORDS " %h = alloca ptr, align 4\n store ptr %v, ptr %h\n call void @other(ptr %h)\n"
                " %q = load ptr, ptr %h\n",
     " %r = load i32, ptr %q\n", NULL, 0, 0, 0, NULL},
    {FOUR_WORDS " %h = alloca ptr, align 4\n store ptr %v, ptr %h\n store ptr %h, ptr %p\n"
                " %q = load ptr, ptr %h\n",
     " %r = load i32, ptr %q\n", NULL, 0, 0, 0, NULL},
    {FOUR_WORDS " %h = alloca ptr, align 4\n store ptr %v, ptr %h\n store i16 0, ptr %h\n"
                " %q = load ptr, ptr %h\n",
     " %r = load i32, ptr %q\n", NULL, 0, 0, 0, NULL},
    {FOUR_WORDS " %h = alloca ptr, align 4\n store ptr %v, ptr %h\n %n = load i32, ptr %h\n"
                " %q = load ptr, ptr %h\n",
     " %r = load i32, ptr %q\n", NULL, 0, 0, 0, NULL},
    {FOUR_WORDS " store ptr %v, ptr %p\n %q = load ptr, ptr %p\n", " %r = load i32, ptr %q\n", NULL,
     0, 0, 0, NULL},
};

/* The module; with the note and the code before the access if the pass was there. */
static void put_stray(Buf *b, const Stray *s, bool after)
{
    buf_printf(b, "%s", stray_given);
    if (after && s->code)
        buf_printf(b,
                   "@.note.check = internal addrspace(1) global <{ i32, i32, i32, [%zu x i8] }> "
                   "<{ i32 0, i32 %u, i32 %u, [%zu x i8] c\"%s\\00\" }>, align 4\n",
                   strlen(s->name) + 1, 4096 | s->kind | s->bytes << 16, s->size,
                   strlen(s->name) + 1, s->name);
    buf_printf(b,
               "define void @f(i32 %%i, i64 %%w, i8 %%c, i1 %%k, ptr %%p) {\nentry:\n%s%s%s"
               " ret void\n}\n%s%s",
               s->before, after && s->code ? s->code : "", s->access, stray_declared,
               after ? stray_function : "");
}

static void expect_stray(const Stray *s)
{
    Buf before = {0}, after = {0};
    put_stray(&before, s, false);
    put_stray(&after, s, true);
    expect_modules(&(Row){buf_text(&before), buf_text(&after)}, 1, strays_note);
    buf_free(&before);
    buf_free(&after);
}

static void notes_strays(void **state)
{
    (void)state;
    for (size_t k = 0; k < countof(strays); k++)
        expect_stray(&strays[k]);
}

/* As many pointers are followed, and as many indices are summed, as there is room for. */
static void has_bounds(void **state)
{
    (void)state;
    for (u32 n = 30; n <= 33; n++) { /* n pointers and the variable */
        Buf text = {0}, far = {0};
        buf_printf(&text, "%s %%e0 = getelementptr i8, ptr %%v, i32 1\n", FOUR_WORDS);
        for (u32 k = 1; k < n; k++)
            buf_printf(&text, " %%e%u = getelementptr i8, ptr %%e%u, i32 1\n", k, k - 1);
        char load[40];
        snprintf(load, sizeof load, " %%r = load i8, ptr %%e%u\n", n - 1);
        buf_printf(&far, FAR("true", "%u"), n);
        expect_stray(
            &(Stray){buf_text(&text), load, "v", 0, 1, 16, n < 32 ? buf_text(&far) : NULL});
        buf_free(&text);
        buf_free(&far);
    }
    for (u32 n = 14; n <= 18; n++) { /* indices */
        Buf text = {0}, sum = {0};
        buf_printf(&text, "%s %%e%u = getelementptr i8, ptr %%v, i32 %%i\n", FOUR_WORDS, n);
        for (u32 k = n; k-- > 1;)
            buf_printf(&text, " %%e%u = getelementptr i8, ptr %%e%u, i32 %%i\n", k, k + 1);
        for (u32 k = 1; k <= n; k++) {
            buf_printf(&sum, " %%t%u = mul i32 %%i, 1\n", k);
            buf_printf(&sum,
                       k == 1 ? " %%s1 = add i32 0, %%t1\n" : " %%s%u = add i32 %%s%u, %%t%u\n", k,
                       k - 1, k);
        }
        buf_printf(&sum, " %%too = icmp ugt i32 %%s%u, 15\n", n);
        buf_printf(&sum, FAR("%%too", "%%s%u"), n);
        expect_stray(&(Stray){buf_text(&text), " %r = load i8, ptr %e1\n", "v", 0, 1, 16,
                              n <= 16 ? buf_text(&sum) : NULL});
        buf_free(&text);
        buf_free(&sum);
    }
}

/* What is inserted belongs to the line of the access. */
static const char lines_given[] =
    "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!1}\n"
    "!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: FullDebug)\n"
    "!1 = !{i32 2, !\"Debug Info Version\", i32 3}\n!2 = !DIFile(filename: \"a.cl\", directory: "
    "\"/\")\n"
    "!3 = distinct !DISubprogram(name: \"f\", file: !2, line: 1, type: !4, unit: !0, spFlags: "
    "DISPFlagDefinition)\n!4 = !DISubroutineType(types: !5)\n!5 = !{}\n"
    "!6 = !DILocation(line: 7, column: 3, scope: !3)\n"
    "!7 = !DILocation(line: 8, column: 5, scope: !3)\n";

static void keeps_lines(void **state)
{
    Buf before = {0}, after = {0};
    (void)state;
    static const char begin[] = "define void @f(i32 %i) !dbg !3 {\n %v = alloca [4 x i32], align "
                                "4\n %e = getelementptr i32, ptr %v, i32 %i, !dbg !6\n",
                      end[] = " %r = load i32, ptr %e, !dbg !7\n ret void, !dbg !6\n}\n";
    buf_printf(&before, "%s%s%s", begin, end, lines_given);
    buf_printf(&after,
               "@.note.check = internal addrspace(1) global <{ i32, i32, i32, [2 x i8] }> <{ i32 "
               "0, i32 %u, i32 16, [2 x i8] c\"v\\00\" }>, align 4\n%s"
               " %%t = mul i32 %%i, 4, !dbg !7\n %%s = add i32 0, %%t, !dbg !7\n"
               " %%too = icmp ugt i32 %%s, 12, !dbg !7\n call void @__ventus_stray(i1 %%too, i32 "
               "%%s, ptr addrspace(1) @.note.check), !dbg !7\n%s%s%s",
               4096 | 4 << 16, begin, end, stray_function, lines_given);
    expect_modules(&(Row){buf_text(&before), buf_text(&after)}, 1, strays_note);
    buf_free(&before);
    buf_free(&after);
}

/* --- first values ----------------------------------------------------------------------------- */

#define LIFETIME                                                                                   \
    "declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture)\n"                            \
    "declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture)\n"
#define COPIER                                                                                     \
    "declare void @llvm.memcpy.p0.p1.i32(ptr noalias nocapture writeonly, ptr addrspace(1) "       \
    "noalias nocapture readonly, i32, i1 immarg) nocallback nofree nounwind willreturn "           \
    "memory(argmem: readwrite)\n"
#define BEGINNER                                                                                   \
    "declare void @__ventus_begins_unwritten(ptr nocapture) memory(argmem: readwrite) nounwind "   \
    "willreturn nosync nofree\n"
#define SOURCE(name, type, zero, align)                                                            \
    "@.unwritten." name " = internal addrspace(1) externally_initialized global " type " " zero    \
    ", align " align "\n"
#define BODY(variables, rest)                                                                      \
    "define void @f(i32 %i, i1 %k) {\n" variables rest " store i32 0, ptr null\n ret void\n}\n"
#define VALUE(v, from, type, align)                                                                \
    " %" v from " = load " type ", ptr addrspace(1) @.unwritten." v ", align " align               \
    "\n store " type " %" v from ", ptr %" v ", align " align "\n"
#define INSIDE(v, at) "getelementptr inbounds (i8, ptr addrspace(1) @.unwritten." v ", i32 " at ")"
#define PART(v, at, type, align)                                                                   \
    " %x" at " = load " type                                                                       \
    ", ptr addrspace(1) " INSIDE(v, at) ", align " align "\n %t" at                                \
                                        " = getelementptr inbounds i8, ptr %" v ", i32 " at        \
                                        "\n store " type " %x" at ", ptr %t" at ", align " align   \
                                        "\n"
#define COPY(v, align, bytes)                                                                      \
    " call void @llvm.memcpy.p0.p1.i32(ptr align " align " %" v ", ptr addrspace(1) align " align  \
    " @.unwritten." v ", i32 " bytes ", i1 false)\n"

/* Gives one variable of a type without scope its value. */
#define ONE_VALUE(type, zero, align)                                                               \
    {BODY(" %v = alloca " type ", align " align "\n", ""),                                         \
     SOURCE("v", type, zero, align)                                                                \
         BODY(" %v = alloca " type ", align " align "\n", VALUE("v", "1", type, align))}
#define ONE_COPY(type, align, bytes)                                                               \
    {BODY(" %v = alloca " type ", align " align "\n", ""),                                         \
     SOURCE("v", type, "zeroinitializer", align)                                                   \
         BODY(" %v = alloca " type ", align " align "\n", COPY("v", align, bytes)) COPIER}
#define ONE_CALL(type)                                                                             \
    {BODY(" %v = alloca " type ", align 8\n", ""),                                                 \
     BODY(" %v = alloca " type ", align 8\n", " call void @__ventus_begins_unwritten(ptr %v)\n")   \
         BEGINNER}
#define NO_VALUE(variable) {BODY(" %v = alloca " variable "\n", ""), NULL}

static void give_first_values(void **state)
{
    static const Row rows[] = {
        ONE_VALUE("i32", "0", "4"),
        ONE_VALUE("i8", "0", "1"),
        ONE_VALUE("half", "0.0", "2"),
        ONE_VALUE("float", "0.0", "4"),
        ONE_VALUE("double", "0.0", "8"),
        ONE_VALUE("ptr", "null", "4"),
        ONE_VALUE("<4 x i32>", "zeroinitializer", "16"),
        ONE_VALUE("<16 x i64>", "zeroinitializer", "128"),
        ONE_COPY("[16 x i32]", "4", "64"),
        ONE_COPY("[3 x i8]", "1", "3"),
        ONE_COPY("{ i32, float, [2 x i16] }", "4", "12"),
        ONE_COPY("{ <2 x i32>, ptr, ptr }", "8", "16"),
        ONE_CALL("[65 x i8]"),
        ONE_CALL("{ i64, [8 x i64] }"),
        ONE_CALL("<32 x i64>"),
        NO_VALUE("{}"),
        NO_VALUE("fp128"),
        NO_VALUE("{ i32, fp128 }"),
        NO_VALUE("[2 x fp128]"),
        NO_VALUE("i32, i32 2"),
        NO_VALUE("i32, i32 %i"),
        NO_VALUE("i32, i32 0"),
        /* two variables; names go to the first dot */
        {BODY(" %v = alloca i32, align 4\n %u = alloca i16, align 2\n", ""),
         SOURCE("v", "i32", "0", "4") SOURCE("u", "i16", "0", "2")
             BODY(" %v = alloca i32, align 4\n %u = alloca i16, align 2\n",
                  VALUE("u", "2", "i16", "2") VALUE("v", "1", "i32", "4"))},
        {BODY(" %v.addr.7 = alloca i32, align 4\n", ""),
         SOURCE("v", "i32", "0", "4")
             BODY(" %v = alloca i32, align 4\n", VALUE("v", "1", "i32", "4"))},
        /* where variables begin */
        {BODY(" %v = alloca i32, align 4\n br i1 %k, label %a, label %b\na:\n",
              " call void @llvm.lifetime.start.p0(i64 4, ptr %v)\n store i32 5, ptr %v\n"
              " call void @llvm.lifetime.end.p0(i64 4, ptr %v)\n br label %b\nb:\n"
              " call void @llvm.lifetime.start.p0(i64 4, ptr %v)\n store i32 6, ptr %v\n") LIFETIME,
         SOURCE("v", "i32", "0", "4")
             BODY(" %v = alloca i32, align 4\n br i1 %k, label %a, label %b\na:\n",
                  " call void @llvm.lifetime.start.p0(i64 4, ptr %v)\n" VALUE(
                      "v", "1", "i32",
                      "4") " store i32 5, ptr %v\n"
                           " call void @llvm.lifetime.end.p0(i64 4, ptr %v)\n br label %b\nb:\n"
                           " call void @llvm.lifetime.start.p0(i64 4, ptr %v)\n" VALUE(
                               "v", "2", "i32", "4") " store i32 6, ptr %v\n") LIFETIME},
        {BODY(" %v = alloca [17 x i32], align 4\n %n = add i32 %i, 1\n",
              " call void @llvm.lifetime.start.p0(i64 68, ptr %v)\n") LIFETIME,
         BODY(" %v = alloca [17 x i32], align 4\n %n = add i32 %i, 1\n",
              " call void @llvm.lifetime.start.p0(i64 68, ptr %v)\n"
              " call void @__ventus_begins_unwritten(ptr %v)\n") LIFETIME BEGINNER},
        /* one function for all large variables; later ones are none of the function's own */
        {BODY(" %v = alloca [17 x i32], align 4\n %u = alloca [17 x i32], align 4\n",
              " %n = add i32 %i, 1\n %w = alloca i32, align 4\n"),
         BODY(" %v = alloca [17 x i32], align 4\n %u = alloca [17 x i32], align 4\n",
              " call void @__ventus_begins_unwritten(ptr %u)\n"
              " call void @__ventus_begins_unwritten(ptr %v)\n"
              " %n = add i32 %i, 1\n %w = alloca i32, align 4\n") BEGINNER},
        /* padding gets none */
        {BODY(" %v = alloca { i8, i32 }, align 8\n", ""),
         SOURCE("v", "{ i8, i32 }", "zeroinitializer", "8")
             BODY(" %v = alloca { i8, i32 }, align 8\n",
                  VALUE("v", "1", "i8", "8") PART("v", "4", "i32", "4"))},
        {BODY(" %v = alloca [2 x { i16, i8 }], align 2\n", ""),
         SOURCE("v", "[2 x { i16, i8 }]", "zeroinitializer", "2")
             BODY(" %v = alloca [2 x { i16, i8 }], align 2\n",
                  VALUE("v", "1", "i16", "2") PART("v", "2", "i8", "2") PART("v", "4", "i16", "2")
                      PART("v", "6", "i8", "2"))},
        {BODY(" %v = alloca { i64, [3 x i8] }, align 8\n", ""),
         SOURCE("v", "{ i64, [3 x i8] }", "zeroinitializer", "8")
             BODY(" %v = alloca { i64, [3 x i8] }, align 8\n",
                  VALUE("v", "1", "i64",
                        "8") " %t = getelementptr inbounds i8, ptr %v, i32 8\n"
                             " call void @llvm.memcpy.p0.p1.i32(ptr align 8 %t, ptr addrspace(1) "
                             "align 8 " INSIDE("v", "8") ", i32 3, i1 false)\n") COPIER},
        {BODY(" %v = alloca { <2 x i16>, { i8, i64 } }, align 8\n", ""),
         SOURCE("v", "{ <2 x i16>, { i8, i64 } }", "zeroinitializer", "8")
             BODY(" %v = alloca { <2 x i16>, { i8, i64 } }, align 8\n",
                  VALUE("v", "1", "<2 x i16>", "8") PART("v", "8", "i8", "8")
                      PART("v", "16", "i64", "8"))},
        {"declare void @g(i32)\n", NULL},
    };
    (void)state;
    expect_modules(rows, countof(rows), variables_unwritten);
}

/* Afterwards, what was only for that goes away; no branch is decided earlier. */
static void forget_first_values(void **state)
{
    static const Row forgotten[] = {
        {BODY(" %v = alloca i64, align 8\n", " call void @__ventus_begins_unwritten(ptr %v)\n"
                                             " %n = add i32 %i, 1\n"
                                             " call void @__ventus_begins_unwritten(ptr %v)\n")
             BEGINNER,
         BODY(" %v = alloca i64, align 8\n", " %n = add i32 %i, 1\n")},
        {BODY("", "") BEGINNER, BODY("", "")},
        {BODY("", ""), NULL},
    };
    static const Row kept[] = {{
        "define void @f() {\n ret void\n}\ndeclare void @g()\ndefine void @h() nounwind {\n ret "
        "void\n}\n",
        "define void @f() sanitize_memory {\n ret void\n}\ndeclare void @g()\ndefine void @h() "
        "nounwind sanitize_memory {\n ret void\n}\n",
    }};
    (void)state;
    expect_modules(forgotten, countof(forgotten), unwritten_forget);
    expect_modules(kept, countof(kept), unwritten_keep_branches);
}

/* --- asynchronous copies ---------------------------------------------------------------------- */

#define EVENT "target(\"spirv.Event\")"
#define NOTE  "@.note.check.async = internal addrspace(1) global "
#define P1    "ptr addrspace(1)"
#define P3    "ptr addrspace(3)"
#define P4    "ptr addrspace(4)"

/* A call of n operands: where to, where from, numbers, and last the event. */
static void put_copy(Buf *b, const char *name, u32 n)
{
    buf_printf(b, "call spir_func " EVENT " @%s(" P3 " %%l, " P1 " %%g, ", name);
    for (u32 k = 2; k + 1 < n; k++)
        buf_printf(b, "i32 %%n, ");
    buf_printf(b, EVENT " %%e)\n");
}

static void put_declaration(Buf *b, const char *name, u32 n)
{
    buf_printf(b, "declare spir_func " EVENT " @%s(" P3 ", " P1 ", ", name);
    for (u32 k = 2; k + 1 < n; k++)
        buf_printf(b, "i32, ");
    buf_printf(b, EVENT ")\n");
}

/* The type of a note of n operands and len bytes of text, and the note. */
static void put_note_type(Buf *b, u32 n, size_t len)
{
    buf_printf(b, "<{ ");
    for (u32 k = 0; k < 2 * n; k++)
        buf_printf(b, "i32, ");
    buf_printf(b, "[%zu x i8] }>", len);
}

static void put_note(Buf *b, u32 n, const char *text)
{
    const size_t len = strlen(text) + 1;
    buf_printf(b, NOTE);
    put_note_type(b, n, len);
    buf_printf(b, " <{ ");
    for (u32 k = 0; k < n; k++)
        buf_printf(b, "i32 0, i32 %u, ", 1024 | k | (k + 1 == n ? 2048 : 0));
    buf_printf(b, "[%zu x i8] c\"%s\\00\" }>, align 4\n", len, text);
}

/* Where operand k of the note is. */
static void put_slot(Buf *b, u32 k, u32 n, size_t len)
{
    if (!k) {
        buf_printf(b, P1 " @.note.check.async");
        return;
    }
    buf_printf(b, P1 " getelementptr inbounds (");
    put_note_type(b, n, len);
    buf_printf(b, ", " P1 " @.note.check.async, i32 0, i32 %u)", 2 * k);
}

/* Pointers as numbers, numbers, the event; then the event that is read again. */
static void put_stores(Buf *b, u32 n, size_t len)
{
    static const char *const operand[] = {"i32 %ln", "i32 %gn", "i32 %n"};
    for (u32 k = 0; k < n; k++) {
        if (k < 2)
            buf_printf(b, k ? " %%gn = ptrtoint " P1 " %%g to i32\n"
                            : " %%ln = ptrtoint " P3 " %%l to i32\n");
        buf_printf(b, " store volatile %s, ", k + 1 == n ? EVENT " %e" : operand[k < 2 ? k : 2]);
        put_slot(b, k, n, len);
        buf_printf(b, "\n");
    }
}

/* A module with a copy by the function `name`, whose plain name is `text`; NULL: it is none. */
static void expect_copy(const char *name, const char *text, u32 n)
{
    Buf before = {0}, after = {0};
    for (int k = 0; k < 2; k++) {
        Buf *b = k ? &after : &before;
        const bool noted = k && text;
        if (noted)
            put_note(b, n, text);
        buf_printf(b,
                   "define void @f(" P3 " %%l, " P1 " %%g, i32 %%n, " EVENT " %%e, ptr %%o) {\n");
        if (noted)
            put_stores(b, n, strlen(text) + 1);
        buf_printf(b, " %%r = ");
        put_copy(b, name, n);
        if (noted) {
            buf_printf(b, " %%x = load volatile " EVENT ", ");
            put_slot(b, n - 1, n, strlen(text) + 1);
        }
        buf_printf(b, "\n store " EVENT " %s, ptr %%o\n ret void\n}\n", noted ? "%x" : "%r");
        put_declaration(b, name, n);
    }
    expect_modules(&(Row){buf_text(&before), buf_text(&after)}, 1, async_note);
    buf_free(&before);
    buf_free(&after);
}

static void notes_copies(void **state)
{
    (void)state;
    expect_copy("_Z21async_work_group_copyPU3AS3iPU3AS1Kij9ocl_event", "async_work_group_copy", 4);
    expect_copy("_Z29async_work_group_strided_copyPU3AS3iPU3AS1Kijj9ocl_event",
                "async_work_group_strided_copy", 5);
    expect_copy("_Z26async_work_group_copy_2D2DPU3AS3vjPU3AS1Kvjjjjjj9ocl_event",
                "async_work_group_copy_2D2D", 10);
    expect_copy("_Z26async_work_group_copy_3D3DPU3AS3vjPU3AS1Kvjjjjjj9ocl_event",
                "async_work_group_copy_3D3D", 13);
    expect_copy("_Z21async_work_group_copyX", "async_work_group_copy", 16);
    expect_copy("_Z21async_work_group_copyX", NULL, 17);
    expect_copy("_Z21async_work_group_cop", NULL, 4);
    expect_copy("async_work_group_copy", NULL, 4);
}

#define TEXT              "[18 x i8] c\"wait_group_events\\00\" }>, align 4\n"
#define WAIT_NOTE         NOTE "<{ i32, i32, [18 x i8] }> <{ i32 0, i32 3072, " TEXT
#define WAIT(space)       "@_Z17wait_group_eventsiPU3AS" space "9ocl_event"
#define FUNCTION(body)    "define void @f(i32 %n, " P4 " %a, ptr %b) {\n" body " ret void\n}\n"
#define CALL(space, list) " call spir_func void " WAIT(space) "(i32 %n, " list ")\n"
#define TELL(space, list)                                                                          \
    " call spir_func void @__ventus_note_wait" space "(" P1 " @.note.check.async, i32 %n, " list   \
    ")\n"

static void notes_waits(void **state)
{
    static const Row rows[] = {
        {FUNCTION(CALL("4", P4 " %a")) "declare spir_func void " WAIT("4") "(i32, " P4 ")\n",
         WAIT_NOTE FUNCTION(TELL("4", P4 " %a") CALL("4", P4 " %a")) "declare spir_func void " WAIT(
             "4") "(i32, " P4 ")\n"
                  "declare spir_func void @__ventus_note_wait4(" P1 ", i32, " P4 ")\n"},
        {FUNCTION(CALL("0", "ptr %b")) "declare spir_func void " WAIT(
             "0") "(i32, ptr)\n"
                  "declare spir_func void @__ventus_note_wait0(" P1 ", i32, ptr)\n",
         WAIT_NOTE FUNCTION(TELL("0", "ptr %b") CALL("0", "ptr %b")) "declare spir_func void " WAIT(
             "0") "(i32, ptr)\n"
                  "declare spir_func void @__ventus_note_wait0(" P1 ", i32, ptr)\n"},
        /* what is no call, and a function of the program's own */
        {FUNCTION(" store ptr " WAIT("4") ", ptr %b\n") "declare spir_func void " WAIT(
             "4") "(i32, " P4 ")\n",
         NULL},
        {FUNCTION(" call spir_func void @g(ptr " WAIT("4") ")\n") "declare spir_func void " WAIT(
             "4") "(i32, " P4 ")\ndeclare spir_func void @g(ptr)\n",
         NULL},
        {FUNCTION(CALL("4", P4 " %a")) "define spir_func void " WAIT("4") "(i32 %n, " P4
                                                                          " %a) {\n ret void\n}\n",
         NULL},
    };
    (void)state;
    expect_modules(rows, countof(rows), async_note);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(notes_strays),        cmocka_unit_test(has_bounds),
        cmocka_unit_test(keeps_lines),         cmocka_unit_test(give_first_values),
        cmocka_unit_test(forget_first_values), cmocka_unit_test(notes_copies),
        cmocka_unit_test(notes_waits),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
