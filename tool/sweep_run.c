/* sweep_run.c -- the process of a point.
 *
 * It is `ventus run` or `ventus replay` with the machine and --stats-file, or a program with the
 * variables of the runtime, in the directory of the sweep file.  It is a process group of its own,
 * so that it can be killed with its children, and dies with us.
 */
#include "tool/common.h"
#include "tool/sweep.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { KEPT = 16384 }; /* bytes of what a point printed */

/* the files of a point: its machine, its statistics, what it prints */
static char *file_of(const char *work, size_t point, const char *suffix)
{
    char name[64];
    snprintf(name, sizeof name, "%zu.%s", point, suffix);
    return path_join(work, name);
}

static void become(const Sweep *s, const Workload *w, const char *machine, const char *stats,
                   const char *log)
{
    static const char *const command[] = {"run", "replay"};
    char self[4096], file[4200];
    const char *arg[MAX_PARAMETERS + 8192];
    size_t n = 0;
    const ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    const int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666), in = open("/dev/null", O_RDONLY);
    if (len < 0 || out < 0 || in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0 ||
        chdir(s->directory))
        return;
    self[len] = 0;
    if (w->kind == WORK_PROGRAM) {
        setenv("VENTUS_ENGINE", s->engine, 1);
        setenv("VENTUS_MACHINE", machine, 1);
        setenv("VENTUS_LAUNCHES", stats, 1);
    } else {
        snprintf(file, sizeof file, "--stats-file=%s", stats);
        const char *const first[] = {self,        command[w->kind], "--engine",     s->engine,
                                     "--machine", machine,          "--stats=json", file};
        memcpy(arg, first, sizeof first);
        n = countof(first);
    }
    for (size_t i = 0; w->arg[i] && n < countof(arg) - 1; i++)
        arg[n++] = w->arg[i];
    arg[n] = NULL;
    execvp(arg[0], (char *const *)arg);
    fprintf(stderr, "%s: %s\n", arg[0], strerror(errno));
}

bool job_start(const Sweep *s, size_t point, const char *work, SweepJob *j, Diag *d)
{
    const pid_t parent = getpid();
    Buf text = {0};
    char *machine = file_of(work, point, "machine"), *stats = file_of(work, point, "stats"),
         *log = file_of(work, point, "log");
    sweep_machine(s, point, &text);
    bool ok = write_file(machine, text.data, text.len, d);
    unlink(stats);
    *j = (SweepJob){.point = point, .start = seconds_now()};
    if (ok && (j->pid = fork()) == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            become(s, sweep_work(s, point), machine, stats, log);
        _exit(127);
    }
    if (ok && j->pid < 0) {
        error(d, NULL, NULL, "no process for a point: %s", strerror(errno));
        j->pid = 0;
        ok = false;
    }
    buf_free(&text);
    mem_free(machine);
    mem_free(stats);
    mem_free(log);
    return ok;
}

void job_watch(const Sweep *s, SweepJob *j)
{
    if (!j->pid || j->late || s->timeout <= 0 || seconds_now() - j->start < s->timeout)
        return;
    j->late = true;
    kill(-j->pid, SIGKILL);
}

/* --- what it left ------------------------------------------------------------------------- */

/* the last bytes of a file, as JSON can hold them; NULL: nothing */
static char *end_of(const char *file)
{
    FILE *f = fopen(file, "rb");
    char *text = mem_zalloc(KEPT + 1, 1);
    if (!text)
        out_of_memory();
    if (f && !fseek(f, -KEPT, SEEK_END))
        ;
    else if (f)
        rewind(f);
    const size_t n = f ? fread(text, 1, KEPT, f) : 0;
    if (f)
        fclose(f);
    for (size_t i = 0; i < n; i++)
        if ((text[i] < ' ' && text[i] != '\n' && text[i] != '\t') || text[i] > '~')
            text[i] = '?';
    if (n)
        return text;
    mem_free(text);
    return NULL;
}

/* the statistics of `run`, or a line of JSON for each launch of a program */
static bool read_stats(const char *file, WorkKind kind, PointResult *r)
{
    FILE *f = fopen(file, "r");
    json_t *o, *all = kind == WORK_PROGRAM ? json_array() : NULL;
    bool ok = f != NULL;
    while (ok && (o = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL))) {
        r->cycles += (u64)json_integer_value(json_object_get(o, "cycles"));
        r->insns += (u64)json_integer_value(json_object_get(o, "insns"));
        if (all) {
            json_array_append_new(all, o);
            continue;
        }
        all = o;
        break;
    }
    if (f)
        fclose(f);
    char *text = all ? json_dumps(all, JSON_COMPACT) : NULL;
    r->stats = text ? mem_strdup(text) : NULL;
    if (text && !r->stats)
        out_of_memory();
    ok = ok && r->stats;
    free(text);
    json_decref(all);
    return ok;
}

void job_result(const Sweep *s, SweepJob *j, int status, const char *work, PointResult *r)
{
    char *machine = file_of(work, j->point, "machine"), *stats = file_of(work, j->point, "stats"),
         *log = file_of(work, j->point, "log");
    Buf key = {0};
    sweep_key(s, j->point, &key);
    kill(-j->pid, SIGKILL); /* what it may have left running */
    *r = (PointResult){.key = mem_strdup(buf_text(&key)),
                       .seconds = seconds_now() - j->start,
                       .status = j->late             ? STATUS_TIMEOUT
                                 : WIFEXITED(status) ? WEXITSTATUS(status)
                                                     : 128 + WTERMSIG(status)};
    if (!r->status && !read_stats(stats, sweep_work(s, j->point)->kind, r))
        r->status = 125; /* it says that it ran, and left no statistics */
    if (r->status)
        r->output = end_of(log);
    if (!r->key)
        out_of_memory();
    unlink(machine);
    unlink(stats);
    unlink(log);
    buf_free(&key);
    mem_free(machine);
    mem_free(stats);
    mem_free(log);
    j->pid = 0;
}
