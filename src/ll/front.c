/* front.c -- clang as one process: source in, bitcode and messages out.
 *
 * The process gets anonymous files (memfd) as its three standard streams, so that
 * neither side waits for the other, nothing is written to a directory, and nothing
 * needs to be removed.  Headers that live in memory are such files too: an overlay file
 * system maps HEADERS/name to the descriptor they have in the process.
 *
 * A source can make clang expand macros for ever, or include a file that has no end: the process
 * has bounds of time, memory and output, and no terminal to read from.
 */
#include "ll/front.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEADERS "/ventus-headers"
/* descriptors of the headers in the process; ours lie beyond, so that none is overwritten while
 * they are given numbers */
enum { FIRST_FD = 3, MAX_HEADERS = 400, MAX_MADE = 4096 };
enum { CPU_SECONDS = 60, WAIT_SECONDS = 600, MEMORY_GIB = 4 }; /* of clang */

extern char **environ;

/* What the language has here beyond its core (names of extensions and features). */
static const char extensions[] =
    "-cl-ext=-all"
    ",+cl_khr_byte_addressable_store,+__cl_clang_bitfields"
    ",+cl_khr_global_int32_base_atomics,+cl_khr_global_int32_extended_atomics"
    ",+cl_khr_local_int32_base_atomics,+cl_khr_local_int32_extended_atomics"
    ",+__opencl_c_generic_address_space,+__opencl_c_program_scope_global_variables"
    ",+__opencl_c_int64,+__opencl_c_atomic_order_acq_rel,+__opencl_c_atomic_order_seq_cst"
    ",+__opencl_c_atomic_scope_device,+__opencl_c_atomic_scope_all_devices"
    ",+__opencl_c_work_group_collective_functions";

/* clang's header turns these on for every SPIR target; they follow the header. */
static const char prologue[] = "#undef __IMAGE_SUPPORT__\n"
                               "#undef cl_khr_subgroup_extended_types\n"
                               "#undef cl_khr_subgroup_non_uniform_vote\n"
                               "#undef cl_khr_subgroup_ballot\n"
                               "#undef cl_khr_subgroup_non_uniform_arithmetic\n"
                               "#undef cl_khr_subgroup_shuffle\n"
                               "#undef cl_khr_subgroup_shuffle_relative\n"
                               "#undef cl_khr_subgroup_clustered_reduce\n"
                               "#undef cl_khr_subgroup_rotate\n"
                               "#undef cl_khr_extended_bit_ops\n"
                               "#undef cl_khr_integer_dot_product\n"
                               "#undef __opencl_c_integer_dot_product_input_4x8bit\n"
                               "#undef __opencl_c_integer_dot_product_input_4x8bit_packed\n"
                               "#undef cl_ext_float_atomics\n"
                               "#undef __opencl_c_ext_fp32_global_atomic_add\n"
                               "#undef __opencl_c_ext_fp32_local_atomic_add\n"
                               "#undef __opencl_c_ext_fp32_global_atomic_min_max\n"
                               "#undef __opencl_c_ext_fp32_local_atomic_min_max\n"
                               "#undef __opencl_c_ext_image_raw10_raw12\n"
                               "#undef cl_khr_kernel_clock\n"
                               "#undef __opencl_c_kernel_clock_scope_device\n"
                               "#undef __opencl_c_kernel_clock_scope_work_group\n"
                               "#undef __opencl_c_kernel_clock_scope_sub_group\n"
                               "#undef __opencl_c_pipes\n"
                               "#undef __opencl_c_device_enqueue\n"
                               "#undef __opencl_c_read_write_images\n"
                               "#undef __opencl_c_images\n";

static bool fail(Diag *d, const char *what, int why)
{
    error(d, &(Source){.name = "compiler", .text = ""}, NULL, "%s: %s", what, strerror(why));
    return false;
}

/* --- anonymous files ------------------------------------------------------------------ */

static bool write_all(int fd, const void *bytes, size_t len)
{
    for (const char *p = bytes; len;) {
        const ssize_t n = write(fd, p, len);
        if (n < 0 && errno != EINTR)
            return false;
        p += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Its descriptor is none of those under which the process gets its headers. */
static int file_of(const char *name, const void *bytes, size_t len)
{
    const int low = memfd_create(name, MFD_CLOEXEC);
    const int fd = low >= 0 ? fcntl(low, F_DUPFD_CLOEXEC, FIRST_FD + MAX_HEADERS + 1) : -1;
    if (low >= 0)
        close(low);
    if (fd >= 0 && write_all(fd, bytes, len) && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool read_all(int fd, Buf *to)
{
    struct stat st;
    if (fstat(fd, &st))
        return false;
    for (off_t at = 0; at < st.st_size;) {
        char part[1 << 16];
        const ssize_t n = pread(fd, part, sizeof part, at);
        if (n <= 0 && errno != EINTR)
            return false;
        if (n > 0)
            buf_put(to, part, (size_t)n);
        at += n > 0 ? n : 0;
    }
    return !to->failed;
}

/* --- the arguments ----------------------------------------------------------------------- */

typedef struct {
    const char **argv;
    size_t n, cap;
    char *made[4]; /* words that were put together */
    size_t nmade;
    bool failed;           /* memory was out while they were made */
    int in, out, messages; /* anonymous files, or -1 */
    int *header;           /* of opt->headers and, last, the overlay */
    size_t nheader;
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
        "-emit-llvm-bc",
        "-disable-llvm-passes",
        "-finclude-default-header",
        "-fdeclare-opencl-builtins",
        "-cl-kernel-arg-info",
        "-debug-info-kind=line-tables-only",
        "-dwarf-version=4",
        "-D__OPENCL_VERSION__=300",
        "-DFP_FAST_FMAF=1",
        "-D__undef___opencl_c_read_write_images",
        "-Wno-unknown-warning-option",
        "-ferror-limit",
        "20",
    };
    for (size_t i = 0; i < countof(fixed); i++)
        arg(j, fixed[i]);
    arg(j, extensions);
}

static bool make_args(Job *j, const LlOptions *opt, const BuildOptions *b)
{
    const char *slash = strrchr(opt->name, '/');
    arg(j, front_clang(opt));
    arg(j, "-cc1");
    fixed_args(j);
    arg(j, b->level ? "-O2" : "-O0");
    arg(j, std_word(b->version));
    if (slash) { /* #include "x" looks beside the source first */
        arg(j, "-iquote");
        arg(j, slash == opt->name ? "/" : made(j, "%.*s", (int)(slash - opt->name), opt->name));
    }
    if (opt->nheaders) {
        arg(j, "-ivfsoverlay");
        arg(j, made(j, "/proc/self/fd/%d", FIRST_FD + (int)opt->nheaders));
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
static void write_overlay(const LlOptions *opt, Buf *b)
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
        buf_printf(b, ",\"external-contents\":\"/proc/self/fd/%d\"}]}", FIRST_FD + (int)i);
        buf_free(&dir);
    }
    buf_str(b, "]}");
}

static bool open_headers(Job *j, const LlOptions *opt)
{
    Buf overlay = {0};
    bool ok = true;
    if (!opt->nheaders)
        return true;
    j->header = mem_alloc((opt->nheaders + 1) * sizeof *j->header);
    for (size_t i = 0; j->header && ok && i < opt->nheaders; i++) {
        j->header[j->nheader] =
            file_of("header", opt->headers[i].text, strlen(opt->headers[i].text));
        ok = j->header[j->nheader++] >= 0;
    }
    write_overlay(opt, &overlay);
    if (j->header && ok && !overlay.failed) {
        j->header[j->nheader] = file_of("overlay", overlay.data, overlay.len);
        ok = j->header[j->nheader++] >= 0;
    }
    buf_free(&overlay);
    return ok && j->header;
}

/* --- messages ------------------------------------------------------------------------------- */

/* the kind that a line of clang's begins a message of, or -1 when it goes on with one */
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
    buf_free(&one);
}

/* --- the process ------------------------------------------------------------------------------ */

static bool add_files(posix_spawn_file_actions_t *fa, const Job *j)
{
    bool ok = !posix_spawn_file_actions_adddup2(fa, j->in, 0) &&
              !posix_spawn_file_actions_adddup2(fa, j->out, 1) &&
              !posix_spawn_file_actions_adddup2(fa, j->messages, 2);
    for (size_t i = 0; i < j->nheader; i++)
        ok = ok && !posix_spawn_file_actions_adddup2(fa, j->header[i], FIRST_FD + (int)i);
    return ok;
}

/* 0, or the errno with which it could not be started */
static int spawn(const Job *j, pid_t *pid)
{
    posix_spawn_file_actions_t fa;
    posix_spawnattr_t attr;
    int why = posix_spawn_file_actions_init(&fa);
    if (why)
        return why;
    why = posix_spawnattr_init(&attr);
    if (!why) {
        posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID);
        why = add_files(&fa, j)
                  ? posix_spawnp(pid, j->argv[0], &fa, &attr, (char **)(size_t)j->argv, environ)
                  : ENOMEM;
        posix_spawnattr_destroy(&attr);
    }
    posix_spawn_file_actions_destroy(&fa);
    return why;
}

static void bound(pid_t pid)
{
    static const struct {
        int what;
        rlim_t most;
    } bounds[] = {{RLIMIT_CPU, CPU_SECONDS},
                  {RLIMIT_AS, (rlim_t)MEMORY_GIB << 30},
                  {RLIMIT_FSIZE, (rlim_t)1 << 30},
                  {RLIMIT_CORE, 0}};
    for (size_t i = 0; i < countof(bounds); i++)
        prlimit(pid, (__rlimit_resource_t)bounds[i].what,
                &(struct rlimit){bounds[i].most, bounds[i].most}, NULL);
}

/* ends what sleeps for ever: a source may include a pipe that nobody writes */
static void end_sleeper(pid_t pid)
{
    struct pollfd end = {.fd = pidfd_open(pid, 0), .events = POLLIN};
    int n = -1;
    if (end.fd < 0)
        return;
    do
        n = poll(&end, 1, WAIT_SECONDS * 1000);
    while (n < 0 && errno == EINTR);
    if (n == 0)
        kill(pid, SIGKILL);
    close(end.fd);
}

static int run(const Job *j, int *status)
{
    pid_t pid;
    const int why = spawn(j, &pid);
    if (why)
        return why;
    bound(pid);
    end_sleeper(pid);
    while (waitpid(pid, status, 0) < 0)
        if (errno != EINTR) { /* a host that ignores SIGCHLD: judge by the output */
            *status = 0;
            break;
        }
    return 0;
}

static bool is_bitcode(const Buf *b) { return b->len > 4 && !memcmp(b->data, "BC\xc0\xde", 4); }

/* what clang says of itself when it crashes is of no use to who wrote the source */
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

static void report_end(int status, const LlOptions *opt, Diag *d)
{
    const Source src = {.name = opt->name, .text = ""};
    const char *signal = WIFSIGNALED(status) ? sigdescr_np(WTERMSIG(status)) : NULL;
    if (signal)
        error(d, &src, NULL,
              "clang was ended (%s): it crashed or took more than %d seconds or %d GiB", signal,
              CPU_SECONDS, MEMORY_GIB);
    else
        error(d, &src, NULL, "clang stopped with status %d", WEXITSTATUS(status));
}

static bool compile(Job *j, const LlOptions *opt, Buf *bitcode, Diag *d)
{
    int status = 0;
    Buf text = {0};
    const int why = run(j, &status);
    if (why)
        return fail(d, front_clang(opt), why);
    const bool whole = read_all(j->messages, &text) && read_all(j->out, bitcode);
    const int before = d->errors;
    if (WIFSIGNALED(status))
        cut_crash(&text);
    pass_messages(&text, d);
    buf_free(&text);
    if (!whole)
        return fail(d, "clang's output", errno);
    const bool ok = d->errors == before && status == 0 && is_bitcode(bitcode);
    if (!ok && (d->errors == before || WIFSIGNALED(status)))
        report_end(status, opt, d);
    return ok;
}

/* the prologue, then the source under its own name */
static int open_source(const char *source, size_t len, const LlOptions *opt)
{
    Buf b = {0};
    buf_str(&b, prologue);
    buf_str(&b, "# 1 \"");
    for (const char *p = opt->name; *p; p++) {
        buf_put(&b, "\\", *p == '"' || *p == '\\');
        buf_put(&b, *p == '\n' ? " " : p, 1);
    }
    buf_str(&b, "\"\n");
    buf_put(&b, source, len);
    const int fd = b.failed ? -1 : file_of("source", b.data, b.len);
    buf_free(&b);
    return fd;
}

static void close_job(Job *j)
{
    const int files[] = {j->in, j->out, j->messages};
    for (size_t i = 0; i < countof(files); i++)
        if (files[i] >= 0)
            close(files[i]);
    for (size_t i = 0; i < j->nheader; i++)
        if (j->header[i] >= 0)
            close(j->header[i]);
    for (size_t i = 0; i < j->nmade; i++)
        mem_free(j->made[i]);
    mem_free(j->header);
    mem_free(j->argv);
}

bool front_run(const char *source, size_t len, const LlOptions *opt, const BuildOptions *b,
               Buf *bitcode, Diag *d)
{
    if (opt->nheaders > MAX_HEADERS) {
        error(d, &(Source){.name = opt->name, .text = ""}, NULL, "more than %d headers",
              MAX_HEADERS);
        return false;
    }
    Job j = {.in = open_source(source, len, opt),
             .out = file_of("bitcode", "", 0),
             .messages = file_of("messages", "", 0)};
    bool ok = j.in >= 0 && j.out >= 0 && j.messages >= 0 && open_headers(&j, opt);
    if (!ok)
        fail(d, "anonymous files", errno);
    else if (!make_args(&j, opt, b))
        ok = fail(d, "arguments", ENOMEM);
    else
        ok = compile(&j, opt, bitcode, d);
    close_job(&j);
    return ok;
}
