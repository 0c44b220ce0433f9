/* cmd_sweep.c -- ventus sweep: machine parameters times workloads.
 *
 * In its directory a sweep keeps
 *
 *     lock             held while a sweep runs there
 *     results.sqlite   what came of each point
 *     work/            files of points that run, results of Slurm's tasks on their way
 *     failed/N.log     what a point printed that failed, with its command
 *     results.csv      written at the end, as is plot.svg
 *
 * 1. the file is read; 2. what earlier runs have done is looked up; 3. the rest is run, by
 * processes here or by tasks of Slurm, each result being kept as it comes; 4. the results are
 * written out.
 */
#include "tool/common.h"
#include "tool/sweep.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEY_RETRY = 1024, KEY_PLOT, KEY_SLURM, KEY_TASK, KEY_POINTS };
enum {
    MAX_JOBS = 256,
    BATCH = 1000
}; /* MaxArraySize is 1001 where Slurm's administrator was silent */

typedef struct {
    const char *file, *task;
    char *dir, *work, *failed;
    u32 jobs;
    bool retry, plot, slurm, lists;
    Sweep sweep;
    Store *store;
    size_t *todo;                 /* points that have no result */
    size_t ntodo, done, failures; /* done: of todo; failures: of all */
    bool stopped;                 /* by a signal */
    double drawn;                 /* when the bar was */
} Main;

static const struct argp_option options[] = {
    {"output", 'o', "DIR", 0, "Where results are kept; default: FILE without .json, with .sweep",
     0},
    {"jobs", 'j', "N", 0, "Points that run at a time; 0 (default): one a processor", 0},
    {"retry", KEY_RETRY, NULL, 0, "Run the points again that failed", 0},
    {"plot", KEY_PLOT, NULL, 0, "Draw DIR/plot.svg, with gnuplot", 0},
    {"slurm", KEY_SLURM, NULL, 0, "Run points as job arrays of Slurm", 0},
    {"points", KEY_POINTS, NULL, 0, "List the points, and run nothing", 0},
    {"task", KEY_TASK, "LIST", OPTION_HIDDEN, "A task of Slurm: the point in that line of LIST", 0},
    {0},
};

static error_t option(int key, char *arg, struct argp_state *state)
{
    Main *m = state->input;
    switch (key) {
    case 'o':
        if (!(m->dir = mem_strdup(arg)))
            out_of_memory();
        return 0;
    case 'j': m->jobs = (u32)option_number(state, "-j", arg, MAX_JOBS); return 0;
    case KEY_RETRY: m->retry = true; return 0;
    case KEY_PLOT: m->plot = true; return 0;
    case KEY_SLURM: m->slurm = true; return 0;
    case KEY_POINTS: m->lists = true; return 0;
    case KEY_TASK: m->task = arg; return 0;
    case ARGP_KEY_ARG:
        if (m->file)
            argp_error(state, "one file at a time; '%s' is one too many", arg);
        m->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!m->file)
            argp_error(state, "no file");
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

const struct argp sweep_argp = {
    .options = options,
    .parser = option,
    .args_doc = "FILE",
    .doc = "Runs workloads on machines whose parameters take all combinations of values, as FILE "
           "(JSON) says.  Started again, it goes on where it was stopped.\v"
           "  {\"machine\": \"default\",\n"
           "   \"parameters\": {\"dcache_sets\": [16, 64], \"dcache_ways\": [1, 2, 4]},\n"
           "   \"workloads\": [{\"name\": \"sum\", \"run\": [\"-g\", \"1024\", \"sum.cl\"]}]}\n",
};

/* --- the bar ----------------------------------------------------------------------------- */

static void draw_bar(Main *m, bool last)
{
    enum { WIDTH = 40 };
    const double now = seconds_now();
    if (!isatty(2) || (!last && now - m->drawn < 0.1))
        return;
    m->drawn = now;
    const size_t full = m->ntodo ? m->done * WIDTH / m->ntodo : WIDTH;
    fprintf(stderr, "\r[%.*s%*s] %zu of %zu, %zu failed%s", (int)full,
            "########################################", (int)(WIDTH - full), "", m->done, m->ntodo,
            m->failures, last ? "\n" : "");
    fflush(stderr);
}

/* --- results ------------------------------------------------------------------------------ */

/* what a point printed that failed, with its command */
static void write_failure(Main *m, size_t point, const PointResult *r, Diag *d)
{
    static const char *const kinds[] = {"ventus run", "ventus replay", ""};
    const Workload *w = sweep_work(&m->sweep, point);
    char name[32];
    Buf text = {0};
    snprintf(name, sizeof name, "%zu.log", point);
    char *file = path_join(m->failed, name);
    buf_printf(&text, "%s: ", w->name);
    sweep_label(&m->sweep, point, &text);
    buf_printf(&text, "\n%s", kinds[w->kind]);
    for (size_t i = 0; w->arg[i]; i++)
        buf_printf(&text, " %s", w->arg[i]);
    buf_printf(&text, "\nstatus %d%s\n%s", r->status,
               r->status == STATUS_TIMEOUT ? ", out of time"
               : r->status == 125          ? ", no statistics"
                                           : "",
               r->output ? r->output : "");
    if (text.failed)
        out_of_memory();
    write_file(file, text.data, text.len, d);
    buf_free(&text);
    mem_free(file);
}

/* keeps a result that came; false: reported */
static bool keep(Main *m, size_t point, const PointResult *r, Diag *d)
{
    if (!store_add(m->store, &m->sweep, point, r, d))
        return false;
    m->done++;
    m->failures += r->status != 0;
    if (r->status)
        write_failure(m, point, r, d);
    return true;
}

/* --- points on this machine ------------------------------------------------------------------- */

static bool collect(Main *m, SweepJob *job, Diag *d)
{
    int status;
    pid_t pid;
    bool ok = true;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        for (u32 i = 0; i < m->jobs; i++) {
            PointResult r;
            if (job[i].pid != pid)
                continue;
            const size_t point = job[i].point;
            job_result(&m->sweep, &job[i], status, m->work, &r);
            ok = keep(m, point, &r, d) && ok;
            result_free(&r);
            draw_bar(m, false);
        }
    return ok;
}

/* a child ended, a signal came, or a moment passed */
static void await(Main *m, const sigset_t *signals)
{
    const struct timespec moment = {.tv_nsec = 200000000};
    const int s = sigtimedwait(signals, NULL, &moment);
    m->stopped |= s == SIGINT || s == SIGTERM;
}

static bool run_here(Main *m, const sigset_t *signals, Diag *d)
{
    SweepJob job[MAX_JOBS] = {{0}};
    u32 running = 0;
    size_t next = 0;
    bool ok = true;
    do {
        for (u32 i = 0; i < m->jobs && ok && !m->stopped && next < m->ntodo; i++)
            if (!job[i].pid)
                ok = job_start(&m->sweep, m->todo[next++], m->work, &job[i], d);
        await(m, signals);
        ok = collect(m, job, d) && ok;
        running = 0;
        for (u32 i = 0; i < m->jobs; i++) {
            job_watch(&m->sweep, &job[i]);
            running += job[i].pid != 0;
        }
    } while (ok && !m->stopped && (running || next < m->ntodo));
    for (u32 i = 0; i < m->jobs; i++)
        if (job[i].pid) {
            kill(-job[i].pid, SIGKILL);
            waitpid(job[i].pid, NULL, 0);
        }
    return ok;
}

/* --- points as tasks of Slurm
 * ---------------------------------------------------------------------- */

static char *task_file(const Main *m, size_t point)
{
    char name[32];
    snprintf(name, sizeof name, "%zu.result", point);
    return path_join(m->work, name);
}

/* Takes in the result that a task has left, if it is that of the point as the file has it now. */
static bool take_in(Main *m, size_t point, bool *came, Diag *d)
{
    char *file = task_file(m, point);
    Buf key = {0};
    PointResult r;
    bool ok = true;
    *came = false;
    if (!access(file, R_OK) && result_read(file, &r)) {
        sweep_key(&m->sweep, point, &key);
        *came = !strcmp(r.key, buf_text(&key));
        ok = !*came || keep(m, point, &r, d);
        result_free(&r);
        if (ok)
            unlink(file);
    }
    buf_free(&key);
    mem_free(file);
    return ok;
}

/* Runs sbatch; its output, the job's number, into `number`.  False: reported. */
static bool submit(const Main *m, const char *list, size_t n, char number[32], Diag *d)
{
    char self[4096], array[32];
    Buf wrap = {0}, command = {0};
    const ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    char *dir = realpath(m->dir, NULL), *file = realpath(m->file, NULL);
    bool ok = len > 0 && dir && file;
    if (ok) {
        self[len] = 0;
        buf_printf(&wrap, "exec '%s' sweep --task='%s' -o '%s' '%s'", self, list, dir, file);
        snprintf(array, sizeof array, "--array=0-%zu", n - 1);
    }
    /* names with a quote would end the shell's: Slurm gives the text to one */
    ok = ok && !strchr(self, '\'') && !strchr(list, '\'') && !strchr(dir, '\'') &&
         !strchr(file, '\'');
    if (!ok)
        error(d, NULL, NULL,
              "the names of the program, the file and the directory must not have a '");
    int out[2];
    pid_t pid = -1;
    if (ok && !pipe2(out, O_CLOEXEC) && !(pid = fork())) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        dup2(out[1], 1);
        execlp("sbatch", "sbatch", "--parsable", "--job-name=ventus-sweep", "--output=/dev/null",
               array, "--wrap", buf_text(&wrap), (char *)NULL);
        _exit(127);
    }
    int status = -1;
    if (pid > 0) {
        close(out[1]);
        const ssize_t got = read(out[0], number, 31);
        number[got > 0 ? got : 0] = 0;
        number[strspn(number, "0123456789")] = 0;
        close(out[0]);
        waitpid(pid, &status, 0);
    }
    if (ok && (status || !*number)) {
        error(d, NULL, NULL, "%s",
              WIFEXITED(status) && WEXITSTATUS(status) == 127
                  ? "there is no sbatch (package slurm-client)"
                  : "sbatch took no job");
        ok = false;
    }
    buf_free(&wrap);
    buf_free(&command);
    free(dir);
    free(file);
    return ok;
}

/* work/job: the number of the job that is under way */
static bool note_job(const Main *m, const char *number, Diag *d)
{
    char *file = path_join(m->work, "job");
    const bool ok = *number ? write_file(file, number, strlen(number), d) : !unlink(file);
    mem_free(file);
    return ok;
}

/* Cancels the job of a sweep that was killed: what it has not done is done now. */
static void cancel_job(const Main *m)
{
    char number[32] = "", command[96];
    char *file = path_join(m->work, "job");
    FILE *f = fopen(file, "r");
    if (f && fscanf(f, "%31[0-9]", number) == 1) {
        snprintf(command, sizeof command, "scancel %s >/dev/null 2>&1", number);
        if (system(command))
            fprintf(stderr, "ventus sweep: job %s could not be cancelled\n", number);
    }
    if (f)
        fclose(f);
    unlink(file);
    mem_free(file);
}

/* whether Slurm still has tasks of the job */
static bool is_queued(const char *number)
{
    char command[96], line[16];
    snprintf(command, sizeof command, "squeue -h -o %%i -j %s 2>/dev/null", number);
    FILE *f = popen(command, "r");
    const bool is = f && fgets(line, sizeof line, f);
    if (f)
        pclose(f);
    return is;
}

/* one job array, of points todo[from] to todo[from + n - 1] */
static bool run_batch(Main *m, size_t from, size_t n, const sigset_t *signals, Diag *d)
{
    char name[32], number[32];
    Buf text = {0};
    size_t left = n;
    bool ok = true, queued = true;
    snprintf(name, sizeof name, "batch.%zu", from);
    char *work = realpath(m->work, NULL), *list = work ? path_join(work, name) : NULL;
    for (size_t i = 0; i < n; i++)
        buf_printf(&text, "%zu\n", m->todo[from + i]);
    bool *came = mem_zalloc(n, sizeof *came);
    if (!list || !came || text.failed)
        out_of_memory();
    ok = write_file(list, text.data, text.len, d) && submit(m, list, n, number, d) &&
         note_job(m, number, d);
    for (u32 turn = 1; ok && left && !m->stopped; turn++) {
        await(m, signals);
        if (turn % 5 && queued)
            continue;
        const bool last = !queued; /* results came before the queue was found empty */
        for (size_t i = 0; ok && i < n; i++)
            if (!came[i]) {
                ok = take_in(m, m->todo[from + i], &came[i], d);
                left -= came[i];
                draw_bar(m, false);
            }
        if (last)
            break;
        queued = is_queued(number);
    }
    if (ok && left && !m->stopped) {
        error(d, NULL, NULL, "%zu tasks of job %s ended without a result; run the sweep again",
              left, number);
        ok = false;
    }
    if (m->stopped && left)
        fprintf(stderr, "ventus sweep: job %s goes on; run the sweep again to take its results\n",
                number);
    else
        unlink(list);
    if (!left)
        note_job(m, "", d);
    buf_free(&text);
    mem_free(came);
    mem_free(list);
    free(work);
    return ok;
}

static bool run_slurm(Main *m, const sigset_t *signals, Diag *d)
{
    bool ok = true;
    for (size_t i = 0; ok && !m->stopped && i < m->ntodo; i += BATCH)
        ok = run_batch(m, i, m->ntodo - i < BATCH ? m->ntodo - i : BATCH, signals, d);
    return ok;
}

/* A task: runs the point in line SLURM_ARRAY_TASK_ID of the list, and leaves its result as a file.
 */
static int run_task(Main *m, const sigset_t *signals, Diag *d)
{
    const char *id = getenv("SLURM_ARRAY_TASK_ID");
    size_t point = 0;
    FILE *f = fopen(m->task, "r");
    int got = 0;
    for (size_t i = 0; f && id && i <= strtoull(id, NULL, 10); i++)
        got = fscanf(f, "%zu", &point);
    if (f)
        fclose(f);
    if (got != 1 || point >= m->sweep.npoints) {
        error(d, &(Source){.name = m->task, .text = ""}, NULL, "no point for this task");
        return REFUSED;
    }
    SweepJob job;
    PointResult r;
    int status;
    if (!job_start(&m->sweep, point, m->work, &job, d))
        return REFUSED;
    while (waitpid(job.pid, &status, WNOHANG) == 0 && !m->stopped) {
        await(m, signals);
        job_watch(&m->sweep, &job);
    }
    if (m->stopped) {
        kill(-job.pid, SIGKILL);
        return INTERRUPTED;
    }
    job_result(&m->sweep, &job, status, m->work, &r);
    char *file = task_file(m, point);
    const bool ok = result_write(&r, file, d);
    result_free(&r);
    mem_free(file);
    return ok ? DONE : REFUSED;
}

/* --- the whole
 * ------------------------------------------------------------------------------------ */

static bool open_directory(Main *m, Diag *d)
{
    if (!m->dir) {
        const size_t len = strlen(m->file), cut = has_suffix(m->file, ".json") ? 5 : 0;
        m->dir = mem_zalloc(len + 8, 1);
        if (m->dir)
            sprintf(m->dir, "%.*s.sweep", (int)(len - cut), m->file);
    }
    if (!m->dir)
        out_of_memory();
    if (!make_directory(m->dir, d))
        return false;
    char *dir = realpath(m->dir, NULL); /* points run elsewhere */
    m->work = path_join(dir ? dir : m->dir, "work");
    m->failed = path_join(dir ? dir : m->dir, "failed");
    free(dir);
    return make_directory(m->work, d) && make_directory(m->failed, d);
}

/* Only one sweep at a time in a directory.  The lock goes with the process. */
static bool lock(const Main *m, Diag *d)
{
    char *file = path_join(m->dir, "lock");
    const int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    const bool ok = fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB);
    if (!ok && fd >= 0 && errno == EWOULDBLOCK)
        error(d, &(Source){.name = m->dir, .text = ""}, NULL, "another sweep runs there");
    else if (!ok)
        file_error(d, file);
    mem_free(file);
    return ok;
}

/* Which points have no result yet; results that tasks have left are taken in. */
static bool look_up(Main *m, Diag *d)
{
    m->todo = mem_zalloc(m->sweep.npoints, sizeof *m->todo);
    if (!m->todo)
        out_of_memory();
    bool ok = true;
    for (size_t p = 0; ok && p < m->sweep.npoints; p++) {
        Buf key = {0};
        PointResult r;
        bool came = false;
        sweep_key(&m->sweep, p, &key);
        const bool found = store_get(m->store, buf_text(&key), &r);
        const bool again = found && r.status && m->retry, has = found && !again;
        if (again)
            store_forget(m->store, buf_text(&key));
        m->failures += has && r.status;
        if (found)
            result_free(&r);
        if (!has)
            ok = take_in(m, p, &came, d);
        if (!has && !came)
            m->todo[m->ntodo++] = p;
        buf_free(&key);
    }
    m->done = 0;
    return ok;
}

static int run_sweep(Main *m, const sigset_t *signals, Diag *d)
{
    char *file = path_join(m->dir, "results.sqlite");
    bool ok = lock(m, d) && (m->store = store_open(file, d));
    if (ok)
        cancel_job(m);
    ok = ok && look_up(m, d);
    mem_free(file);
    if (!ok)
        return REFUSED;
    const size_t known = m->sweep.npoints - m->ntodo;
    if (known && m->ntodo)
        fprintf(stderr, "ventus sweep: %zu of %zu points are done already\n", known,
                m->sweep.npoints);
    if (m->ntodo) {
        draw_bar(m, false);
        ok = m->slurm ? run_slurm(m, signals, d) : run_here(m, signals, d);
        draw_bar(m, true);
    }
    ok = report_csv(&m->sweep, m->store, m->dir, d) && ok;
    if (ok && !m->stopped) {
        printf("%zu points, %zu failed; results in %s\n", m->sweep.npoints, m->failures, m->dir);
        report_best(&m->sweep, m->store);
        ok = !m->plot || report_plot(&m->sweep, m->store, m->dir, d);
    }
    return m->stopped ? INTERRUPTED : !ok ? REFUSED : m->failures ? FAULTED : DONE;
}

static int list_points(const Main *m)
{
    for (size_t p = 0; p < m->sweep.npoints; p++) {
        Buf label = {0};
        sweep_label(&m->sweep, p, &label);
        printf("%zu %s %s\n", p, sweep_work(&m->sweep, p)->name, buf_text(&label));
        buf_free(&label);
    }
    return DONE;
}

int sweep_main(int argc, char **argv)
{
    Main m = {0};
    Diag d = stderr_diag();
    sigset_t signals;
    int status = REFUSED;
    parse_options(&sweep_argp, argc, argv, &m);
    if (!m.jobs) {
        const u32 n = host_processors();
        m.jobs = n > MAX_JOBS ? MAX_JOBS : n;
    }
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    if (sweep_read(m.file, &m.sweep, &d)) {
        if (m.lists)
            status = list_points(&m);
        else if (open_directory(&m, &d))
            status = m.task ? run_task(&m, &signals, &d) : run_sweep(&m, &signals, &d);
    }
    store_close(m.store);
    sweep_free(&m.sweep);
    mem_free(m.todo);
    mem_free(m.dir);
    mem_free(m.work);
    mem_free(m.failed);
    return status;
}
