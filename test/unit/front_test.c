/* front_test.c -- what clang is told and what becomes of what it says (src/ll/front.c and its
 * neighbours): options, the command, headers, messages, ends.  The clang is this program, which
 * does what FRONT_TEST says.
 */
#include "test/kit/leftover.h"
#include "base/fdio.h"
#include "ll/clang_job.h"
#include "ll/front.h"
#include "ll/source_line.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

/* --- a clang ---------------------------------------------------------------------------------- */

static void put_variable(int fd, const char *name)
{
    const char *text = getenv(name);
    if (text)
        (void)!write(fd, text, strlen(text));
}

/* Writes its words, its source and the headers that it finds open, one a line. */
static void show_job(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        dprintf(CLANG_BITCODE, "%s\n", argv[i]);
    for (int fd = CLANG_SOURCE;; fd = fd == CLANG_SOURCE ? (int)CLANG_HEADERS : fd + 1) {
        char text[1 << 16] = "";
        const ssize_t n = read(fd, text, sizeof text - 1);
        if (n < 0)
            return;
        dprintf(CLANG_BITCODE, "%d: %s\n", fd, text);
    }
}

static int be_clang(int argc, char **argv)
{
    const char *what = getenv("FRONT_TEST");
    if (!strcmp(what, "job"))
        show_job(argc, argv);
    put_variable(CLANG_BITCODE, "FRONT_OUT");
    put_variable(CLANG_MESSAGES, "FRONT_SAYS");
    if (!strcmp(what, "killed"))
        raise(SIGKILL);
    return atoi(what);
}

/* --- what comes of it ------------------------------------------------------------------------- */

typedef struct {
    Buf log; /* each message as its kind's letter, a colon, the text and a newline */
    Diag d;
    Front f;
    bool ok;
} Made;

static void hear(void *to, DiagKind kind, const char *message)
{
    buf_printf(to, "%c:%s\n", "nwe"[kind], message);
}

static Request request_of(CompOutput output, const char *const *options, size_t n,
                          const Bytes *source)
{
    return (Request){.kind = REQUEST_COMPILE,
                     .opt = {.output = output,
                             .name = "t.cl",
                             .clang = "/proc/self/exe",
                             .options = options,
                             .noptions = n},
                     .limits = {.cpu = 7, .memory = 12 << 20, .file = 1 << 20},
                     .inputs = source,
                     .ninputs = 1};
}

static void run(Made *m, const Request *q)
{
    BuildOptions b;
    *m = (Made){.ok = false};
    m->d = (Diag){.sink = hear, .to = &m->log};
    m->ok = options_read(&q->opt, &b, &m->d) && front_run(q, &b, -1, &m->f, &m->d);
    options_free(&b);
}

static void drop(Made *m)
{
    buf_free(&m->log);
    front_free(&m->f);
}

/* --- options ---------------------------------------------------------------------------------- */

enum { MOST = 4 };

/* Each option: the words that clang gets, the level, the version, and a letter of what else is on:
 * v variables, f fast mathematics, a variables apart, z zeros. */
static void options(void **state)
{
    static const struct {
        const char *option[MOST], *words;
        int level;
        u32 version;
        const char *on;
    } rows[] = {
        {{NULL}, "", 2, 120, ""},
        {{"-DN=3"}, " -DN=3", 2, 120, ""},
        {{"-D", "N"}, " -DN", 2, 120, ""},
        {{"-UN"}, " -UN", 2, 120, ""},
        {{"-U", "N", "-w"}, " -UN -w", 2, 120, ""},
        {{"-I/x", "-I", "y"}, " -I/x -Iy", 2, 120, ""},
        {{"-include", "h.h"}, " -includeh.h", 2, 120, ""},
        {{"-D", "-O0"}, " -D-O0", 2, 120, ""}, /* no level */
        {{"-D", "-g", "-D", "-ventus-zero"}, " -D-g -D-ventus-zero", 2, 120, ""},
        {{"-O0"}, "", 0, 120, "v"},
        {{"-O1"}, "", 1, 120, ""},
        {{"-O2"}, "", 2, 120, ""},
        {{"-O3"}, "", 3, 120, ""},
        {{"-O0", "-O3"}, "", 3, 120, ""},
        {{"-cl-opt-disable"}, "", 0, 120, "v"},
        {{"-O3", "-cl-opt-disable"}, "", 0, 120, "v"},
        {{"-cl-std=CL1.0"}, "", 2, 100, ""},
        {{"-cl-std=CL1.1"}, "", 2, 110, ""},
        {{"-cl-std=CL1.2"}, "", 2, 120, ""},
        {{"-cl-std=CL2.0"}, "", 2, 200, ""},
        {{"-cl-std=CL3.0"}, "", 2, 300, ""},
        {{"-cl-std=CL3.0", "-cl-std=CL1.1"}, "", 2, 110, ""},
        {{"-cl-std=CL2.0", "-cl-uniform-work-group-size"},
         " -cl-uniform-work-group-size",
         2,
         200,
         ""},
        {{"-cl-single-precision-constant"}, " -cl-single-precision-constant", 2, 120, ""},
        {{"-cl-denorms-are-zero"}, "", 2, 120, ""},
        {{"-cl-fp32-correctly-rounded-divide-sqrt"},
         " -cl-fp32-correctly-rounded-divide-sqrt",
         2,
         120,
         ""},
        {{"-cl-strict-aliasing"}, "", 2, 120, ""},
        {{"-cl-no-subgroup-ifp"}, "", 2, 120, ""},
        {{"-cl-mad-enable"}, " -cl-mad-enable", 2, 120, ""},
        {{"-cl-no-signed-zeros"}, " -cl-no-signed-zeros", 2, 120, ""},
        {{"-cl-unsafe-math-optimizations"}, " -cl-unsafe-math-optimizations", 2, 120, "f"},
        {{"-cl-finite-math-only"}, " -cl-finite-math-only", 2, 120, ""},
        {{"-cl-fast-relaxed-math"}, " -cl-fast-relaxed-math", 2, 120, "f"},
        {{"-cl-kernel-arg-info"}, "", 2, 120, ""},
        {{"-w"}, " -w", 2, 120, ""},
        {{"-Werror"}, " -Werror", 2, 120, ""},
        {{"-Wall"}, " -Wall", 2, 120, ""},
        {{"-g"}, "", 2, 120, "v"},
        {{"-ventus-apart"}, "", 2, 120, "a"},
        {{"-ventus-zero"}, "", 2, 120, "z"},
    };
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        CompOptions opt = {.options = rows[i].option};
        BuildOptions b;
        Buf log = {0}, words = {0};
        Diag d = {.sink = hear, .to = &log};
        while (opt.noptions < MOST && rows[i].option[opt.noptions])
            opt.noptions++;
        if (!options_read(&opt, &b, &d))
            fail_msg("row %zu: %s", i, buf_text(&log));
        for (size_t k = 0; k < b.nwords; k++)
            buf_printf(&words, " %s", b.words[k]);
        assert_string_equal(buf_text(&words), rows[i].words);
        assert_true(!b.nwords || !b.words[b.nwords]);
        const bool on[] = {b.variables, b.fast_math, b.apart, b.zero};
        for (size_t k = 0; k < countof(on); k++)
            if (on[k] != (strchr(rows[i].on, "vfaz"[k]) != NULL))
                fail_msg("row %zu: %c", i, "vfaz"[k]);
        assert_int_equal(b.level, rows[i].level);
        assert_int_equal(b.version, rows[i].version);
        assert_string_equal(buf_text(&log), "");
        options_free(&b);
        buf_free(&words);
        buf_free(&log);
    }
}

static void wrong_options(void **state)
{
    static const struct {
        const char *option[2], *says;
    } rows[] = {
        {{"-o"}, "'-o': no such option"},
        {{""}, "'': no such option"},
        {{"-cl-mad-enabled"}, "'-cl-mad-enabled': no such option"},
        {{"-cl-mad"}, "'-cl-mad': no such option"},
        {{"-gg"}, "'-gg': no such option"},
        {{"-w", "-x"}, "'-x': no such option"},
        {{"-D"}, "'-D' needs a value"},
        {{"-w", "-include"}, "'-include' needs a value"},
        {{"-D", ""}, "'-D' needs a value"},
        {{"-U", ""}, "'-U' needs a value"},
        {{"-I", ""}, "'-I' needs a value"},
        {{"-include", ""}, "'-include' needs a value"},
        {{"-O"}, "'-O': the levels are -O0 to -O3"},
        {{"-O4"}, "'-O4': the levels are -O0 to -O3"},
        {{"-O/"}, "'-O/': the levels are -O0 to -O3"},
        {{"-O12"}, "'-O12': the levels are -O0 to -O3"},
        {{"-cl-std=CL1.3"}, "'-cl-std=CL1.3': the language is CL1.0, CL1.1, CL1.2, CL2.0 or CL3.0"},
        {{"-cl-std="}, "'-cl-std=': the language is CL1.0, CL1.1, CL1.2, CL2.0 or CL3.0"},
    };
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        const CompOptions opt = {.options = rows[i].option, .noptions = rows[i].option[1] ? 2 : 1};
        BuildOptions b;
        Buf log = {0};
        char want[120];
        Diag d = {.sink = hear, .to = &log};
        assert_false(options_read(&opt, &b, &d));
        assert_int_equal(d.errors, 1);
        snprintf(want, sizeof want, "e:build options: error: %s\n", rows[i].says);
        assert_string_equal(buf_text(&log), want);
        options_free(&b);
        buf_free(&log);
    }
}

/* --- the command ------------------------------------------------------------------------------ */

/* What a shell makes of a command's words: a line each, from what follows the extensions on; "" if
 * one of what all commands have is missing. */
static void words_of(const Buf *command, Buf *lines)
{
    static const char *const always[] = {"-cc1",
                                         "-triple\nspir-unknown-unknown",
                                         "-x\ncl",
                                         "-disable-llvm-passes",
                                         "-nostdsysteminc",
                                         "-finclude-default-header",
                                         "-fdeclare-opencl-builtins",
                                         "-cl-kernel-arg-info",
                                         "-disable-free"};
    Buf all = {0}, shell = {0};
    char piece[1000];
    size_t n;
    buf_printf(&shell, "printf '%%s\\n' %s", buf_text(command));
    FILE *p = popen(buf_text(&shell), "r");
    assert_non_null(p);
    while ((n = fread(piece, 1, sizeof piece, p)) > 0)
        buf_put(&all, piece, n);
    assert_int_equal(pclose(p), 0);
    const char *mark = strstr(buf_text(&all), "\n-cl-ext=-all,"),
               *end = mark ? strchr(mark + 1, '\n') : NULL;
    bool whole = end && !strncmp(buf_text(&all), "/proc/self/exe\n-cc1\n", 20);
    for (size_t i = 0; i < countof(always); i++) {
        const char *at = strstr(buf_text(&all), always[i]);
        whole = whole && at && at < mark;
    }
    buf_str(lines, whole ? end + 1 : "");
    buf_free(&all);
    buf_free(&shell);
}

/* The words that depend on the request, as a shell reads them. */
static void command(void **state)
{
    static const CompHeader headers[] = {{"a.h", ""}, {"b/c.h", ""}};
    static const struct {
        const char *name, *option[2], *words;
        size_t nheaders;
    } rows[] = {
        {"t.cl", {NULL}, "-debug-info-kind=line-tables-only\n-O2\n-cl-std=CL1.2\n-o\n-\n-\n", 0},
        {"a b/t.cl",
         {"-g"},
         "-debug-info-kind=limited\n-O2\n-cl-std=CL1.2\n-iquotea b\n-o\n-\n-\n",
         0},
        {"/t.cl", {"-O0"}, "-debug-info-kind=limited\n-O0\n-cl-std=CL1.2\n-iquote/\n-o\n-\n-\n", 0},
        {"/a/b/t.cl",
         {"-O1"},
         "-debug-info-kind=line-tables-only\n-O2\n-cl-std=CL1.2\n-iquote/a/b\n-o\n-\n-\n",
         0},
        {"t.cl",
         {"-O3", "-cl-std=CL1.0"},
         "-debug-info-kind=line-tables-only\n-O2\n-cl-std=CL1.0\n-o\n-\n-\n",
         0},
        {"t.cl",
         {"-cl-std=CL1.1"},
         "-debug-info-kind=line-tables-only\n-O2\n-cl-std=CL1.1\n-o\n-\n-\n",
         0},
        {"t.cl",
         {"-cl-std=CL2.0"},
         "-debug-info-kind=line-tables-only\n-O2\n-cl-std=CL2.0\n-o\n-\n-\n",
         0},
        {"t.cl",
         {"-cl-std=CL3.0", "-w"},
         "-debug-info-kind=line-tables-only\n-O2\n-cl-std=CL3.0\n-w\n-o\n-\n-\n",
         0},
        {"t.cl",
         {"-DA='x y'", "-DB"},
         "-debug-info-kind=line-tables-only\n-O2\n-cl-std=CL1.2\n-DA='x y'\n-DB\n-o\n-\n-\n",
         0},
        {"t.cl",
         {"-D$(false)=\"`\\", "-D*~#;&"},
         "-debug-info-kind=line-tables-only\n-O2\n-cl-std=CL1.2\n-D$(false)=\"`\\\n-D*~#;&\n-o\n-"
         "\n-\n",
         0},
        {"t.cl",
         {"-ventus-apart"},
         "-debug-info-kind=line-tables-only\n-O2\n-cl-std=CL1.2\n-fsanitize=array-bounds\n-"
         "fsanitize-recover=array-bounds\n"
         "-fstrict-flex-arrays=1\n-o\n-\n-\n",
         0},
        {"t.cl",
         {"-w"},
         "-debug-info-kind=line-tables-only\n-O2\n-cl-std=CL1.2\n-ivfsoverlay\n/proc/self/fd/7\n-I/"
         "ventus-headers\n-w\n-o\n"
         "-\n-\n",
         2},
    };
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        const Bytes source = {(const u8 *)"", 0};
        Request q = request_of(COMP_COMMAND, rows[i].option,
                               rows[i].option[1]   ? 2
                               : rows[i].option[0] ? 1
                                                   : 0,
                               &source);
        Made m;
        Buf words = {0};
        q.opt.name = rows[i].name;
        q.opt.headers = headers;
        q.opt.nheaders = rows[i].nheaders;
        run(&m, &q);
        assert_true(m.ok);
        assert_string_equal(buf_text(&m.log), "");
        words_of(&m.f.out, &words);
        const char *rest =
            strchr(buf_text(&words), '\n'); /* of the action, which is none of these here */
        assert_non_null(rest);
        assert_string_equal(rest + 1, rows[i].words);
        buf_free(&words);
        drop(&m);
    }
}

static void actions(void **state)
{
    static const struct {
        CompOutput output;
        const char *words;
    } rows[] = {
        {COMP_IMAGE, "\n-emit-llvm-bc\n-debug"},
        {COMP_OBJECT, "\n-emit-llvm-bc\n-debug"},
        {COMP_BITCODE, "\n-emit-llvm-bc\n-debug"},
        {COMP_LLVM, "\n-emit-llvm-bc\n-debug"},
        {COMP_CHECKED, "\n-fsyntax-only\n-debug"},
        {COMP_RULE, "\n-Eonly\n-dependency-file\n-\n-MT\nit\n-debug"},
    };
    (void)state;
    setenv("FRONT_TEST", "job", 1);
    for (size_t i = 0; i < countof(rows); i++) {
        const Bytes source = {(const u8 *)"", 0};
        const Request q = request_of(rows[i].output, NULL, 0, &source);
        Made m;
        run(&m, &q); /* its words are no bitcode, and no source of that name */
        assert_int_equal(m.ok, rows[i].output >= COMP_PREPROCESSED);
        if (!strstr(buf_text(&m.f.out), rows[i].words))
            fail_msg("'%s' is not in %s", rows[i].words, buf_text(&m.f.out));
        drop(&m);
    }
    unsetenv("FRONT_TEST");
}

/* --- what the process gets -------------------------------------------------------------------- */

/* The source behind its prologue, with its name; the headers as they are; the overlay that says
 * where. */
static void gives_headers(void **state)
{
    static const CompHeader headers[] = {
        {"a.h", "first\n"}, {"b/c/d.h", ""}, {"q\"u\\o\001te.h", "third"}};
    static const char wanted[] =
        "5: first\n\n6: \n7: third\n"
        "8: {\"version\":0,\"redirecting-with\":\"fallthrough\",\"roots\":["
        "{\"type\":\"directory\",\"name\":\"/"
        "ventus-headers\",\"contents\":[{\"type\":\"file\",\"name\":\"a.h\","
        "\"external-contents\":\"/proc/self/fd/5\"}]},"
        "{\"type\":\"directory\",\"name\":\"/ventus-headers/b/"
        "c\",\"contents\":[{\"type\":\"file\",\"name\":\"d.h\","
        "\"external-contents\":\"/proc/self/fd/6\"}]},"
        "{\"type\":\"directory\",\"name\":\"/"
        "ventus-headers\",\"contents\":[{\"type\":\"file\",\"name\":"
        "\"q\\u0022u\\u005co\\u0001te.h\",\"external-contents\":\"/proc/self/fd/7\"}]}]}\n";
    const Bytes source = {(const u8 *)"the source", 10};
    Request q = request_of(COMP_CHECKED, NULL, 0, &source);
    Made m;
    (void)state;
    q.opt.name = "a \"b\\\n.cl";
    q.opt.headers = headers;
    q.opt.nheaders = countof(headers);
    setenv("FRONT_TEST", "job", 1);
    run(&m, &q);
    unsetenv("FRONT_TEST");
    assert_true(m.ok);
    const char *at = strstr(buf_text(&m.f.out), "\n5: ");
    assert_non_null(at);
    assert_string_equal(at + 1, wanted);
    const char mark[] = "\n# 1 \"a \\\"b\\\\ .cl\"\nthe source";
    assert_true((size_t)(at - buf_text(&m.f.out)) > sizeof mark);
    assert_memory_equal(at - (sizeof mark - 1), mark, sizeof mark - 1);
    assert_non_null(strstr(buf_text(&m.f.out), "\n-ivfsoverlay\n/proc/self/fd/8\n"));
    assert_false(m.f.files_known);
    drop(&m);
}

/* A name that is too long for a word; more headers than there may be. */
static void bounds(void **state)
{
    enum { HEADERS = 4000 };
    static CompHeader headers[HEADERS + 1];
    static char name[5000];
    const Bytes source = {(const u8 *)"", 0};
    Request q = request_of(COMP_COMMAND, NULL, 0, &source);
    Made m;
    (void)state;
    for (size_t i = 0; i <= HEADERS; i++)
        headers[i] = (CompHeader){"h", ""};
    q.opt.headers = headers;
    q.opt.nheaders = HEADERS;
    run(&m, &q);
    assert_true(m.ok);
    drop(&m);
    q.opt.nheaders++;
    run(&m, &q);
    assert_false(m.ok);
    assert_string_equal(buf_text(&m.log), "e:t.cl: error: more than 4000 headers\n");
    drop(&m);
    q.opt.nheaders = 0;
    q.opt.name = name;
    for (size_t room = 4096, len = 4080; len < 4096;
         len++) { /* "-iquote", the directory, the end */
        memset(name, 'x', len);
        strcpy(name + len, "/t");
        run(&m, &q);
        assert_int_equal(m.ok, 7 + len + 1 <= room);
        assert_string_equal(buf_text(&m.log),
                            m.ok ? "" : "e:compiler: error: arguments: Cannot allocate memory\n");
        drop(&m);
    }
}

/* --- messages --------------------------------------------------------------------------------- */

#define C_NOTE                                                                                     \
    "n:note: OpenCL C has no C library: printf, the mathematical functions and the types are "     \
    "built in\n"
#define SOMETIMES                                                                                  \
    "t.cl:1:9: warning: variable 'x' is used uninitialized [-Wsometimes-uninitialized]\n    "      \
    "code\n"

/* What clang says goes on in pieces of their kinds, without its sums. */
static void messages(void **state)
{
    static const struct {
        const char *says, *heard;
        int errors, warnings;
    } rows[] = {
        {"", "", 0, 0},
        {"t.cl:1:2: error: bad\n  code\n  ^\n", "e:t.cl:1:2: error: bad\n  code\n  ^\n", 1, 0},
        {"t.cl:1:2: fatal error: bad", "e:t.cl:1:2: fatal error: bad\n", 1, 0},
        {"error: bad\nwarning: w\nnote: n\n", "e:error: bad\nw:warning: w\nn:note: n\n", 1, 1},
        {"before\n\nt.cl:1:2: warning: w\nt.cl:2:2: note: n\n  more\n1 warning generated.\nafter\n",
         "n:before\n\nw:t.cl:1:2: warning: w\nn:t.cl:2:2: note: n\n  more\nn:after\n", 0, 1},
        {"12 warnings and 3 errors generated.\n", "", 0, 0},
        {"some warnings generated.\n", "n:some warnings generated.\n", 0, 0},
        {"t.cl:1:2: warning: an error: of sorts\n", "w:t.cl:1:2: warning: an error: of sorts\n", 0,
         1},
        {"no error: this\n. error: nor this\n", "n:no error: this\n. error: nor this\n", 0, 0},
        {"t.cl:1:10: fatal error: 'stdio.h' file not found\n",
         "e:t.cl:1:10: fatal error: 'stdio.h' file not found\n" C_NOTE, 1, 0},
        {"t.cl:1:10: fatal error: 'assert.h' file not found\n",
         "e:t.cl:1:10: fatal error: 'assert.h' file not found\n" C_NOTE, 1, 0},
        {"t.cl:1:10: fatal error: 'other.h' file not found\n",
         "e:t.cl:1:10: fatal error: 'other.h' file not found\n", 1, 0},
        /* a variable of the group that one branch assigns: no warning of clang's stays */
        {"a\n" SOMETIMES "t.cl:1:1: note: uninitialized use occurs here\n  use\n"
         "t.cl:1:3: note: initialize the variable 'x' to silence this warning\n    local int x;\n  "
         "        ^\n"
         "t.cl:3:1: warning: other\n1 warning generated.\n",
         "n:a\nw:t.cl:3:1: warning: other\n", 0, 1},
        {SOMETIMES
         "t.cl:1:3: note: initialize the variable 'x' to silence this warning\nlocal int x;\n",
         "", 0, 0},
        {SOMETIMES
         "t.cl:1:3: note: initialize the variable 'x' to silence this warning\n\t__local int x;\n",
         "", 0, 0},
        {SOMETIMES "t.cl:1:3: note: initialize the variable 'x' to silence this warning\n{local "
                   "int x;\n2 warnings generated.\n",
         "", 0, 0},
        {SOMETIMES "t.cl:1:3: note: initialize the variable 'x' to silence this warning\n    "
                   "vlocal int a; local int x;\n",
         "", 0, 0},
        {SOMETIMES "t.cl:1:3: note: initialize the variable 'x' to silence this warning\n    "
                   "vlocal int x;\n  local y\n",
         "w:" SOMETIMES "n:t.cl:1:3: note: initialize the variable 'x' to silence this warning\n   "
         " vlocal int x;\n  local y\n",
         0, 1},
        {SOMETIMES
         "t.cl:1:3: note: initialize the variable 'x' to silence this warning\n    int x;\n",
         "w:" SOMETIMES
         "n:t.cl:1:3: note: initialize the variable 'x' to silence this warning\n    int x;\n",
         0, 1},
        {SOMETIMES "t.cl:1:3: note: initialize the variable 'x'",
         "w:" SOMETIMES "n:t.cl:1:3: note: initialize the variable 'x'\n", 0, 1},
        {"t.cl:1:9: warning: x [-Wuninitialized]\nt.cl:1:3: note: initialize the variable\n local "
         "int x;\n",
         "w:t.cl:1:9: warning: x [-Wuninitialized]\nn:t.cl:1:3: note: initialize the variable\n "
         "local int x;\n",
         0, 1},
        {"t.cl:1:9: error: x [-Wsometimes-uninitialized]\nt.cl:1:3: note: initialize the "
         "variable\n local int x;\n",
         "e:t.cl:1:9: error: x [-Wsometimes-uninitialized]\nn:t.cl:1:3: note: initialize the "
         "variable\n local int x;\n",
         1, 0},
    };
    const Bytes source = {(const u8 *)"", 0};
    const Request q = request_of(COMP_IMAGE, NULL, 0, &source);
    (void)state;
    setenv("FRONT_TEST", "0", 1);
    setenv("FRONT_OUT", "BC\xc0\xde-", 1);
    for (size_t i = 0; i < countof(rows); i++) {
        Made m;
        setenv("FRONT_SAYS", rows[i].says, 1);
        run(&m, &q);
        assert_string_equal(buf_text(&m.log), rows[i].heard);
        assert_int_equal(m.d.errors, rows[i].errors);
        assert_int_equal(m.d.warnings, rows[i].warnings);
        assert_int_equal(m.ok, !rows[i].errors);
        assert_string_equal(buf_text(&m.f.out), "BC\xc0\xde-");
        drop(&m);
    }
    unsetenv("FRONT_SAYS");
    unsetenv("FRONT_OUT");
    unsetenv("FRONT_TEST");
}

/* --- ends ------------------------------------------------------------------------------------- */

#define KILLED                                                                                     \
    "e:t.cl: error: clang was ended (Killed): it crashed or took more than 7 seconds or 12 MiB\n"

static void ends(void **state)
{
    static const struct {
        const char *how, *out, *says;
        CompOutput output;
        const char *heard, *left;
    } rows[] = {
        {"0", "BC\xc0\xde+", "", COMP_IMAGE, "", "BC\xc0\xde+"},
        {"0", "BC\xc0\xde", "", COMP_IMAGE, "e:t.cl: error: clang stopped with status 0\n", NULL},
        {"0", "BC\xc0\xdd+", "", COMP_IMAGE, "e:t.cl: error: clang stopped with status 0\n", NULL},
        {"0", "", "", COMP_IMAGE, "e:t.cl: error: clang stopped with status 0\n", NULL},
        {"0", "", "", COMP_CHECKED, "", ""},
        {"0", "it: t.cl", "", COMP_RULE, "", "it: t.cl"},
        {"1", "BC\xc0\xde+", "", COMP_IMAGE, "e:t.cl: error: clang stopped with status 1\n", NULL},
        {"1", "", "t.cl:1:1: error: bad\n", COMP_IMAGE, "e:t.cl:1:1: error: bad\n", NULL},
        {"3", "", "t.cl:1:1: warning: odd\n", COMP_CHECKED,
         "w:t.cl:1:1: warning: odd\ne:t.cl: error: clang stopped with status 3\n", NULL},
        {"0", "", "t.cl:1:1: error: bad\n", COMP_CHECKED, "e:t.cl:1:1: error: bad\n", NULL},
        {"killed", "BC\xc0\xde+", "", COMP_IMAGE, KILLED, NULL},
        {"killed", "", "t.cl:1:1: error: bad\n", COMP_CHECKED, "e:t.cl:1:1: error: bad\n" KILLED,
         NULL},
        {"killed", "", "said\nPLEASE submit a bug report to us\nStack dump:\n0. x\n", COMP_IMAGE,
         "n:said\n" KILLED, NULL},
        {"killed", "", "LLVM ERROR: out of memory\nPLEASE submit a bug report\n", COMP_IMAGE,
         KILLED, NULL},
        {"killed", "", "said\nStack dump:\nx\nLLVM ERROR: late\n", COMP_IMAGE, "n:said\n" KILLED,
         NULL},
        {"0", "BC\xc0\xde+", "Stack dump: of sorts\n", COMP_IMAGE, "n:Stack dump: of sorts\n",
         "BC\xc0\xde+"},
        /* of the source's text what follows its mark */
        {"0", "\n# 1 \"t.cl\" 1\nint a;\n", "", COMP_PREPROCESSED, "", "# 1 \"t.cl\" 1\nint a;\n"},
        {"0", "before\n# 1 \"t.c\"\n\n# 1 \"t.cl\"\nint a;\n# 1 \"t.cl\"\n", "", COMP_PREPROCESSED,
         "", "# 1 \"t.cl\"\nint a;\n# 1 \"t.cl\"\n"},
        {"0", "no mark # 1 \"t.cl\"\n", "", COMP_PREPROCESSED, "", "no mark # 1 \"t.cl\"\n"},
    };
    const Bytes source = {(const u8 *)"", 0};
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        const Request q = request_of(rows[i].output, NULL, 0, &source);
        Made m;
        setenv("FRONT_TEST", rows[i].how, 1);
        setenv("FRONT_OUT", rows[i].out, 1);
        setenv("FRONT_SAYS", rows[i].says, 1);
        run(&m, &q);
        assert_string_equal(buf_text(&m.log), rows[i].heard);
        assert_int_equal(m.ok, rows[i].left != NULL);
        if (rows[i].left) {
            assert_int_equal(m.f.out.len, strlen(rows[i].left));
            assert_memory_equal(m.f.out.data ? m.f.out.data : (const u8 *)"", rows[i].left,
                                m.f.out.len);
        }
        drop(&m);
    }
    unsetenv("FRONT_SAYS");
    unsetenv("FRONT_OUT");
    unsetenv("FRONT_TEST");
}

static void no_program(void **state)
{
    const Bytes source = {(const u8 *)"", 0};
    Request q = request_of(COMP_IMAGE, NULL, 0, &source);
    Made m;
    (void)state;
    q.opt.clang = "/no/such/clang";
    run(&m, &q);
    assert_false(m.ok);
    assert_string_equal(buf_text(&m.log), "e:error: No such file or directory\n");
    drop(&m);
}

/* --- a job that is read ----------------------------------------------------------------------- */

static const u8 job[] = {3, 0, 0, 0, 0, 0, 0, 0, 'a', 0, 0, 'b', 'c', 0};

/* In a process of its own, whose descriptors are the job's: 0 when the words are a, "" and bc; 1:
 * there are none. */
static int read_words(void *self)
{
    int argc = -1;
    char **argv = clang_job_read(&argc);
    (void)self;
    if (!argv)
        return 1;
    const bool same =
        argc == 3 && !strcmp(argv[0], "a") && !*argv[1] && !strcmp(argv[2], "bc") && !argv[3];
    free(argv);
    return same ? 0 : 2;
}

/* The text of the header is "text"; 1: the job is refused. */
static int read_header(void *self)
{
    char text[8] = "";
    int argc;
    char **argv = clang_job_read(&argc);
    (void)self;
    free(argv);
    if (!argv)
        return 1;
    return read(CLANG_HEADERS, text, sizeof text) == 4 && !memcmp(text, "text", 4) ? 0 : 2;
}

static int with_job(const void *bytes, size_t len, int (*what)(void *))
{
    int file[CLANG_LOG + 1];
    ProcResult r;
    for (int i = 0; i <= CLANG_LOG; i++)
        assert_true((file[i] = memfd_create("job", MFD_CLOEXEC)) >= 0);
    assert_true(fd_write(file[CLANG_JOB], bytes, len));
    assert_int_equal(proc_here(file, CLANG_LOG + 1, what, NULL, &r), 0);
    for (int i = 0; i <= CLANG_LOG; i++)
        close(file[i]);
    assert_int_equal(r.how, PROC_EXITED);
    return r.code;
}

/* Jobs that are cut off anywhere are refused. */
static void reads_jobs(void **state)
{
    Buf b = {0};
    const u32 count[2] = {0, 1};
    const u64 size = 4;
    (void)state;
    assert_int_equal(with_job(job, sizeof job, read_words), 0);
    for (size_t n = 0; n < sizeof job; n++)
        assert_int_equal(with_job(job, n, read_words), 1);
    buf_put(&b, count, sizeof count);
    buf_put(&b, &size, sizeof size);
    buf_str(&b, "text");
    assert_int_equal(with_job(b.data, b.len, read_header), 0);
    for (size_t n = 0; n < b.len; n++)
        assert_int_equal(with_job(b.data, n, read_header), 1);
    buf_free(&b);
}

/* --- lines of the source ---------------------------------------------------------------------- */

static void shows_lines(void **state)
{
    static const char text[] = "first\n\n\tthird line\nlast";
    static const struct {
        const char *message, *shown;
    } rows[] = {
        {"s.cl:1: error: x", "\n    first"},
        {"s.cl:1:1: error: x", "\n    first\n    ^"},
        {"s.cl:3:4: error: x", "\n    \tthird line\n    \t  ^"},
        {"s.cl:4:5: error: x", "\n    last\n        ^"},
        {"s.cl:4:6: error: x", ""},
        {"s.cl:2:1: error: x", "\n    \n    ^"},
        {"s.cl:2: error: x", "\n    "},
        {"s.cl:5:1: error: x", ""},
        {"s.cl:99999999999999999999:1: error: x", ""},
        {"s.c:1: error: x", ""},
        {"t.cl:1: error: x", ""},
        {"s.cl/1: error: x", ""},
        {"s.cl: error: x", ""},
        {"s.cl:1 error: x", ""},
        {"s.cl:: error: x", ""},
        {"s.cl:1:error: x", ""},
        {"s.cl:1:2 error: x", ""},
        {"s.cl:1:2:error: x", ""},
        {"s.cl1:1: error: x", ""},
        {"s.cl:1: error: x\n    its own", ""},
        {"other", ""},
    };
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        SourceLines lines;
        Buf log = {0}, want = {0};
        Diag d = {.sink = hear, .to = &log};
        source_lines_begin(&lines, "s.cl", text, strlen(text), &d);
        diag_foreign(&d, DIAG_ERROR, rows[i].message);
        diag_foreign(&d, DIAG_NOTE, "s.cl:1: x");
        source_lines_end(&lines, &d);
        diag_foreign(&d, DIAG_WARNING, "s.cl:1: x");
        buf_printf(&want, "e:%s%s\nn:s.cl:1: x\n    first\nw:s.cl:1: x\n", rows[i].message,
                   rows[i].shown);
        assert_string_equal(buf_text(&log), buf_text(&want));
        assert_ptr_equal(d.to, &log);
        buf_free(&want);
        buf_free(&log);
    }
    SourceLines lines; /* of a source that ends in a newline no line follows */
    Buf log = {0};
    Diag d = {.sink = hear, .to = &log}, silent = {.errors = 0};
    source_lines_begin(&lines, "s", "a\n", 2, &d);
    diag_foreign(&d, DIAG_ERROR, "s:2: x");
    source_lines_end(&lines, &d);
    assert_string_equal(buf_text(&log), "e:s:2: x\n");
    source_lines_begin(&lines, "s", "a\n", 2, &silent);
    diag_foreign(&silent, DIAG_ERROR, "s:1: x");
    source_lines_end(&lines, &silent);
    assert_int_equal(silent.errors, 1);
    buf_free(&log);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_headers),
        cmocka_unit_test(bounds),
        cmocka_unit_test(ends),
        cmocka_unit_test(reads_jobs),
        cmocka_unit_test(messages),
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(options),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(command),
        cmocka_unit_test(actions),
        cmocka_unit_test(no_program),
        cmocka_unit_test(shows_lines),
    };
    if (getenv("FRONT_TEST") && argc > 1)
        return be_clang(argc, argv);
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
