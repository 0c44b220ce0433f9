/* front.c -- clang as one process: source in, bitcode (or text), messages and a log of files out.
 *
 * The process gets anonymous files (memfd) as its streams, so that neither side waits for the
 * other, nothing is written to a directory, and nothing needs to be removed.  Headers that live in
 * memory are such files too: an overlay file system maps HEADERS/name to the descriptor that they
 * have in the process.
 *
 * As a rule the process is a fork of a clang that is loaded and waits (tool/cc1), which also logs
 * the files that it looks for.  Where there is no such server, because this clang cannot be loaded
 * that way, clang is started here, within the limits of this process, and the files are not known.
 */
#include "ll/front.h"
#include "base/fdio.h"
#include "ll/clang_job.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

extern const unsigned char front_prologue[]; /* lib/opencl/prologue.h, embedded */
extern const size_t front_prologue_size;

#define HEADERS "/ventus-headers"
enum { MAX_HEADERS = 4000, MAX_MADE = 4096, FILES = CLANG_LOG + 1 };

/* What the language has here beyond its core (names of extensions and features). */
static const char extensions[] =
    "-cl-ext=-all"
    ",+cl_khr_byte_addressable_store,+__cl_clang_bitfields"
    ",+cl_khr_global_int32_base_atomics,+cl_khr_global_int32_extended_atomics"
    ",+cl_khr_local_int32_base_atomics,+cl_khr_local_int32_extended_atomics"
    ",+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics"
    ",+__opencl_c_generic_address_space,+__opencl_c_program_scope_global_variables"
    ",+cl_khr_fp16,+cl_khr_fp64,+__opencl_c_fp64,+__opencl_c_int64"
    ",+__opencl_c_atomic_order_acq_rel,+__opencl_c_atomic_order_seq_cst"
    ",+__opencl_c_atomic_scope_device,+__opencl_c_atomic_scope_all_devices"
    ",+__opencl_c_work_group_collective_functions"
    ",+cl_khr_subgroups,+__opencl_c_subgroups"
    ",+__opencl_c_pipes"
    ",+__opencl_c_images,+__opencl_c_read_write_images,+__opencl_c_3d_image_writes"
    ",+cl_khr_3d_image_writes,+cl_khr_depth_images";

static bool fail(Diag *d, const char *what, int why)
{
    error(d, &(Source){.name = "compiler", .text = ""}, NULL, "%s: %s", what, strerror(why));
    return false;
}

/* --- the arguments ----------------------------------------------------------------------- */

typedef struct {
    const char **argv;
    size_t n, cap;
    char *made[4]; /* words that the job owns */
    size_t nmade;
    bool failed;     /* out of memory while they were made */
    int file[FILES]; /* anonymous files by their numbers in the process, or -1 */
} Job;

static void arg(Job *j, const char *word)
{
    if (!array_grow(j->argv, j->n + 1, j->cap)) {
        j->failed = true;
        return;
    }
    j->argv[j->n++] = word;
    j->argv[j->n] = NULL;
}

/* a word that the job owns */
static const char *made(Job *j, const char *fmt, ...) PRINTF_LIKE(2, 3);
static const char *made(Job *j, const char *fmt, ...)
{
    char text[MAX_MADE];
    va_list ap;
    va_start(ap, fmt);
    const int len = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    j->failed |= len < 0 || len >= MAX_MADE;
    char *copy = j->nmade < countof(j->made) && !j->failed ? mem_strdup(text) : NULL;
    j->failed |= !copy;
    if (copy)
        j->made[j->nmade++] = copy;
    return copy ? copy : "";
}

static const char *std_word(u32 version)
{
    switch (version) {
    case 100: return "-cl-std=CL1.0";
    case 110: return "-cl-std=CL1.1";
    case 120: return "-cl-std=CL1.2";
    case 200: return "-cl-std=CL2.0";
    default: return "-cl-std=CL3.0";
    }
}

static void fixed_args(Job *j)
{
    static const char *const fixed[] = {
        "-triple",
        "spir-unknown-unknown",
        "-x",
        "cl",
        "-disable-llvm-passes",
        "-nostdsysteminc", /* the host's headers are not for kernels */
        "-finclude-default-header",
        "-fdeclare-opencl-builtins",
        "-cl-kernel-arg-info",
        "-dwarf-version=4",
        "-fdebug-compilation-dir=/", /* clang cuts off what a file's name has in common with it */
        "-D__OPENCL_VERSION__=300",
        "-DFP_FAST_FMAF=1",
        "-disable-free",
        "-ferror-limit",
        "20",
    };
    for (size_t i = 0; i < countof(fixed); i++)
        arg(j, fixed[i]);
    arg(j, extensions);
}

bool front_is_last(CompOutput output) { return output >= COMP_PREPROCESSED; }

static void action_args(Job *j, CompOutput output)
{
    static const char *const actions[COMP_OUTPUTS][5] = {
        [COMP_PREPROCESSED] = {"-E"},
        [COMP_CHECKED] = {"-fsyntax-only"},
        [COMP_RULE] = {"-Eonly", "-dependency-file", "-", "-MT", "it"},
    };
    arg(j, actions[output][0] ? actions[output][0] : "-emit-llvm-bc");
    for (size_t i = 1; i < countof(actions[output]) && actions[output][i]; i++)
        arg(j, actions[output][i]);
}

static bool make_args(Job *j, const CompOptions *opt, const BuildOptions *b)
{
    const char *slash = strrchr(opt->name, '/');
    arg(j, opt->clang);
    arg(j, "-cc1");
    fixed_args(j);
    action_args(j, opt->output);
    arg(j, b->variables ? "-debug-info-kind=limited" : "-debug-info-kind=line-tables-only");
    arg(j, b->level ? "-O2" : "-O0");
    arg(j, std_word(b->version));
    if (b->apart) { /* an array of one element at the end of a structure may stand for more */
        arg(j, "-fsanitize=array-bounds");
        arg(j, "-fsanitize-recover=array-bounds");
        arg(j, "-fstrict-flex-arrays=1");
    }
    if (slash) { /* #include "x" looks beside the source first */
        const int len = slash == opt->name ? 1 : (int)(slash - opt->name);
        arg(j, made(j, "-iquote%.*s", len, opt->name));
    }
    if (opt->nheaders) {
        arg(j, "-ivfsoverlay");
        arg(j, made(j, "/proc/self/fd/%zu", CLANG_HEADERS + opt->nheaders));
        arg(j, "-I" HEADERS);
    }
    for (size_t i = 0; i < b->nwords; i++)
        arg(j, b->words[i]);
    arg(j, "-o");
    arg(j, "-");
    arg(j, "-");
    return j->argv && !j->failed;
}

/* --- headers in memory ---------------------------------------------------------------------- */

static void json_text(Buf *b, const char *s)
{
    buf_str(b, "\"");
    for (; *s; s++)
        if (*s == '"' || *s == '\\' || (u8)*s < ' ')
            buf_printf(b, "\\u%04x", (unsigned)(u8)*s);
        else
            buf_put(b, s, 1);
    buf_str(b, "\"");
}

/* the overlay: every header under HEADERS, in directories as its name says */
static void write_overlay(const CompOptions *opt, Buf *b)
{
    buf_str(b, "{\"version\":0,\"redirecting-with\":\"fallthrough\",\"roots\":[");
    for (size_t i = 0; i < opt->nheaders; i++) {
        const char *name = opt->headers[i].name, *slash = strrchr(name, '/');
        Buf dir = {0};
        buf_printf(&dir, HEADERS "%s%.*s", slash ? "/" : "", slash ? (int)(slash - name) : 0, name);
        buf_printf(b, "%s{\"type\":\"directory\",\"name\":", i ? "," : "");
        json_text(b, buf_text(&dir));
        buf_str(b, ",\"contents\":[{\"type\":\"file\",\"name\":");
        json_text(b, slash ? slash + 1 : name);
        buf_printf(b, ",\"external-contents\":\"/proc/self/fd/%zu\"}]}", CLANG_HEADERS + i);
        buf_free(&dir);
    }
    buf_str(b, "]}");
}

static void put_header(Buf *b, const void *text, u64 len)
{
    buf_put(b, &len, sizeof len);
    buf_put(b, text, len);
}

/* the job as clang_job_read reads it */
static void write_job(const Job *j, const CompOptions *opt, Buf *b)
{
    const u32 count[2] = {(u32)j->n, opt->nheaders ? (u32)opt->nheaders + 1 : 0};
    Buf overlay = {0};
    buf_put(b, count, sizeof count);
    for (size_t i = 0; i < j->n; i++)
        buf_put(b, j->argv[i], strlen(j->argv[i]) + 1);
    for (size_t i = 0; i < opt->nheaders; i++)
        put_header(b, opt->headers[i].text, strlen(opt->headers[i].text));
    if (opt->nheaders) {
        write_overlay(opt, &overlay);
        put_header(b, overlay.data, overlay.len);
    }
    b->failed |= overlay.failed;
    buf_free(&overlay);
}

/* --- messages ------------------------------------------------------------------------------- */

/* the kind of the message that a line of clang's begins, or -1 when it continues one */
static int kind_of(const char *line, size_t len)
{
    static const struct {
        const char *mark;
        DiagKind kind;
    } marks[] = {{"fatal error: ", DIAG_ERROR},
                 {"error: ", DIAG_ERROR},
                 {"warning: ", DIAG_WARNING},
                 {"note: ", DIAG_NOTE}};
    for (size_t i = 0; i < countof(marks); i++) {
        const char *at = memmem(line, len, marks[i].mark, strlen(marks[i].mark));
        if (at && (at == line || (at - line > 1 && at[-2] == ':')))
            return (int)marks[i].kind;
    }
    return -1;
}

static bool is_summary(const char *line, size_t len)
{
    return memmem(line, len, " generated.", 11) && line[0] >= '0' && line[0] <= '9';
}

/* Says to who includes a header of C's library that there is none. */
static void note_on_c_headers(const Buf *text, Diag *d)
{
    static const char *const names[] = {"stdio", "stdlib", "string", "math", "assert"};
    for (size_t i = 0; i < countof(names); i++) {
        char message[64];
        snprintf(message, sizeof message, "'%s.h' file not found", names[i]);
        if (strstr(buf_text(text), message)) {
            note(d, NULL, NULL,
                 "OpenCL C has no C library: printf, the mathematical functions and the types are "
                 "built in");
            return;
        }
    }
}

/* Whether the text has one of the words that put a variable into memory of the group. */
static bool has_local(const char *text, size_t len)
{
    for (const char *p = text; (p = memmem(p, len - (size_t)(p - text), "local ", 6)); p++)
        if (p == text || p[-1] == ' ' || p[-1] == '\t' || p[-1] == '_' || p[-1] == '{')
            return true;
    return false;
}

/* Whether a warning, with its notes, is of a variable of the group that only one branch assigns:
 * there one work-item writes for all, of which clang knows nothing. */
static bool is_of_local(const char *group, size_t len)
{
    static const char kind[] = "[-Wsometimes-uninitialized]",
                      last[] = "note: initialize the variable";
    const char *note = memmem(group, len, last, sizeof last - 1),
               *line = note ? memchr(note, '\n', len - (size_t)(note - group)) : NULL;
    return line && memmem(group, strcspn(group, "\n"), kind, sizeof kind - 1) &&
           has_local(line + 1, strcspn(line + 1, "\n"));
}

/* Takes such warnings out of clang's output. */
static void cut_local_warnings(Buf *text)
{
    Buf rest = {0};
    for (const char *p = buf_text(text); *p;) {
        const char *end = p;
        do {
            end += strcspn(end, "\n");
            end += *end == '\n';
        } while (*end && !is_summary(end, strcspn(end, "\n")) &&
                 (kind_of(end, strcspn(end, "\n")) < 0 ||
                  kind_of(end, strcspn(end, "\n")) == DIAG_NOTE));
        if (kind_of(p, strcspn(p, "\n")) != DIAG_WARNING || !is_of_local(p, (size_t)(end - p)))
            buf_put(&rest, p, (size_t)(end - p));
        p = end;
    }
    if (rest.failed) {
        buf_free(&rest);
        return;
    }
    buf_free(text);
    *text = rest;
}

/* clang's output, cut where its messages begin */
static void pass_messages(const Buf *text, Diag *d)
{
    Buf one = {0};
    int kind = -1;
    for (const char *p = buf_text(text); *p;) {
        const size_t len = strcspn(p, "\n");
        const int begins = kind_of(p, len);
        if (begins >= 0 || is_summary(p, len)) {
            if (one.len)
                diag_foreign(d, kind < 0 ? DIAG_NOTE : (DiagKind)kind, buf_text(&one));
            one.len = 0;
            kind = begins;
        }
        if (!is_summary(p, len)) {
            buf_str(&one, one.len ? "\n" : "");
            buf_put(&one, p, len);
        }
        p += len + (p[len] == '\n');
    }
    if (one.len)
        diag_foreign(d, kind < 0 ? DIAG_NOTE : (DiagKind)kind, buf_text(&one));
    note_on_c_headers(text, d);
    buf_free(&one);
}

/* --- the process ------------------------------------------------------------------------------ */

static int become_clang(void *self)
{
    int argc;
    char **argv = clang_job_read(&argc);
    (void)self;
    if (argv)
        execvp(argv[0], argv);
    dprintf(CLANG_MESSAGES, "error: %s\n", strerror(errno));
    return 1;
}

/* what clang says of itself when it crashes does not help the author of the source */
static void cut_crash(Buf *text)
{
    static const char *const begins[] = {"LLVM ERROR:", "PLEASE submit a bug report",
                                         "Stack dump:"};
    for (size_t i = 0; i < countof(begins); i++) {
        const char *at = text->len ? strstr(buf_text(text), begins[i]) : NULL;
        if (at) {
            text->len = (size_t)(at - buf_text(text));
            text->data[text->len] = 0;
        }
    }
}

static void report_end(const ProcResult *r, const Request *q, Diag *d)
{
    const Source src = {.name = q->opt.name, .text = ""};
    if (r->how == PROC_EXITED)
        error(d, &src, NULL, "clang stopped with status %d", r->code);
    else
        error(d, &src, NULL,
              "clang was ended (%s): it crashed or took more than %u seconds or %llu MiB",
              r->how == PROC_SIGNALLED ? sigdescr_np(r->code) : "late", q->limits.cpu,
              (unsigned long long)(q->limits.memory >> 20));
}

static bool compile(Job *j, const Request *q, int server, Front *f, Diag *d)
{
    ProcResult r = {PROC_LOST, 0};
    struct timespec start;
    Buf text = {0}, log = {0};
    /* 1. run clang: by the server, or here where there is none */
    clock_gettime(CLOCK_REALTIME_COARSE, &start);
    int why = server < 0 ? EPIPE : proc_call(server, j->file, FILES, &q->limits, -1, &r);
    f->files_known = why == 0;
    if (why == EPIPE)
        why = proc_here(j->file, FILES, become_clang, NULL, &r);
    if (why)
        return fail(d, q->opt.clang, why);
    /* 2. take what it has written */
    const bool failed = r.how != PROC_EXITED || r.code != 0;
    const bool whole = fd_read(j->file[CLANG_MESSAGES], q->limits.file, &text) &&
                       fd_read(j->file[CLANG_BITCODE], q->limits.file, &f->out) &&
                       fd_read(j->file[CLANG_LOG], q->limits.file, &log);
    const int before = d->errors;
    if (r.how != PROC_EXITED)
        cut_crash(&text);
    cut_local_warnings(&text);
    pass_messages(&text, d);
    buf_free(&text);
    f->files_known = f->files_known && whole &&
                     files_note((Bytes){(const u8 *)buf_text(&log), log.len}, &start, &f->files);
    buf_free(&log);
    if (!whole)
        return fail(d, "clang's output", errno);
    /* 3. it has compiled the source, or said why not, or crashed */
    const bool is_bitcode = f->out.len > 4 && !memcmp(f->out.data, "BC\xc0\xde", 4);
    const bool ok = d->errors == before && !failed && (is_bitcode || front_is_last(q->opt.output));
    if (!ok && (d->errors == before || r.how != PROC_EXITED))
        report_end(&r, q, d);
    return ok;
}

/* `# 1 "NAME"`: the lines that follow are the source's */
static void write_marker(const char *name, Buf *b)
{
    buf_str(b, "# 1 \"");
    for (; *name; name++) {
        buf_put(b, "\\", *name == '"' || *name == '\\');
        buf_put(b, *name == '\n' ? " " : name, 1);
    }
    buf_str(b, "\"");
}

/* the prologue, then the source under its own name */
static void write_source(const Request *q, Buf *b)
{
    buf_put(b, front_prologue, front_prologue_size);
    write_marker(q->opt.name, b);
    buf_str(b, "\n");
    buf_put(b, q->inputs[0].data, q->inputs[0].len);
}

/* Leaves only what came from the source: the header of the language and the prologue stand before
 * the next compilation too. */
static bool cut_header(const char *name, Buf *text)
{
    Buf marker = {0};
    buf_str(&marker, "\n");
    write_marker(name, &marker);
    const char *at =
        marker.failed ? NULL : memmem(buf_text(text), text->len, marker.data, marker.len);
    const size_t before = at ? (size_t)(at + 1 - buf_text(text)) : 0;
    const bool ok = !marker.failed;
    buf_free(&marker);
    if (before)
        memmove(text->data, text->data + before, text->len - before);
    text->len -= before;
    return ok;
}

/* the words of the command, each in quotes if a shell would read it otherwise */
static bool write_command(const Job *j, Buf *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=+,./:@%^";
    for (size_t i = 0; i < j->n; i++) {
        const char *word = j->argv[i];
        const bool quoted = !*word || word[strspn(word, plain)];
        buf_str(out, i ? quoted ? " '" : " " : quoted ? "'" : "");
        for (; *word; word++)
            buf_put(out, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
        buf_str(out, quoted ? "'" : "");
    }
    buf_str(out, "\n");
    return !out->failed;
}

/* an anonymous file, or -1; its number is none of those that the process of clang uses */
static int file_of(const char *name, const Buf *b)
{
    const int low = memfd_create(name, MFD_CLOEXEC);
    const int fd = low >= 0 ? fcntl(low, F_DUPFD_CLOEXEC, FILES) : -1;
    if (low >= 0)
        close(low);
    if (fd >= 0 && !b->failed && fd_write(fd, b->data, b->len) && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool open_files(Job *j, const Request *q)
{
    Buf content[FILES] = {0};
    bool ok = true;
    write_source(q, &content[CLANG_SOURCE]);
    write_job(j, &q->opt, &content[CLANG_JOB]);
    for (int i = 0; i < FILES; i++) {
        j->file[i] = file_of("clang", &content[i]);
        ok = ok && j->file[i] >= 0;
        buf_free(&content[i]);
    }
    return ok;
}

static void close_job(Job *j)
{
    for (int i = 0; i < FILES; i++)
        if (j->file[i] >= 0)
            close(j->file[i]);
    for (size_t i = 0; i < j->nmade; i++)
        mem_free(j->made[i]);
    mem_free(j->argv);
}

bool front_run(const Request *q, const BuildOptions *b, int server, Front *f, Diag *d)
{
    Job j = {.file = {-1, -1, -1, -1, -1}};
    bool ok = false;
    if (q->opt.nheaders > MAX_HEADERS)
        error(d, &(Source){.name = q->opt.name, .text = ""}, NULL, "more than %d headers",
              MAX_HEADERS);
    else if (!make_args(&j, &q->opt, b))
        fail(d, "arguments", ENOMEM);
    else if (q->opt.output == COMP_COMMAND)
        ok = write_command(&j, &f->out) || fail(d, "arguments", ENOMEM);
    else if (!open_files(&j, q))
        fail(d, "anonymous files", errno);
    else
        ok = compile(&j, q, server, f, d);
    if (ok && q->opt.output == COMP_PREPROCESSED)
        ok = cut_header(q->opt.name, &f->out) || fail(d, "the source", ENOMEM);
    close_job(&j);
    return ok;
}

void front_free(Front *f)
{
    buf_free(&f->out);
    buf_free(&f->files);
}
