/* sweep.h -- sweeps: machine parameters times workloads (doc/man/ventus-sweep.1).
 *
 * A point is a value for each parameter and a workload.  It is run by a process of its own, and its
 * result is kept under a key that says all that decides it, so that no result is lost or counted
 * twice whatever is killed when.
 */
#ifndef TOOL_SWEEP_H
#define TOOL_SWEEP_H
#include "mach/machine.h"
#include "tool/tool.h"
#include <jansson.h>

/* --- the file (sweep_file.c) ---------------------------------------------------------- */

typedef struct {
    const MachineParameter *what;
    u32 *value;
    size_t n;
} SweepParameter;

typedef enum { WORK_RUN, WORK_REPLAY, WORK_PROGRAM } WorkKind;

typedef struct {
    const char *name;
    WorkKind kind;
    const char **arg;       /* ends with NULL */
    u64 hash;               /* of the files that they name */
} Workload;

enum { MAX_PARAMETERS = 32, MAX_COLUMNS = 32 };

typedef struct {
    json_t *json;           /* owns the texts */
    Buf base;               /* description that points begin from */
    const char *engine;
    char *directory;        /* of the file: where points run */
    SweepParameter parameter[MAX_PARAMETERS];
    size_t nparameters;
    Workload *work;
    size_t nwork;
    const char *column[MAX_COLUMNS]; /* numbers of the statistics, names with dots */
    size_t ncolumns;
    const char *x, *y;      /* of the plot; NULL: the first parameter, cycles */
    double timeout;         /* seconds of a point; 0: none */
    size_t npoints;
} Sweep;

bool sweep_read(const char *file, Sweep *s, Diag *d); /* false: reported */
void sweep_free(Sweep *s);
const Workload *sweep_work(const Sweep *s, size_t point);
u32 sweep_value(const Sweep *s, size_t point, size_t parameter);
void sweep_machine(const Sweep *s, size_t point, Buf *out); /* its description */
void sweep_key(const Sweep *s, size_t point, Buf *out);
/* `dcache_ways=2 line=64`.  These three end the process when out of memory. */
void sweep_label(const Sweep *s, size_t point, Buf *out);

/* --- results ---------------------------------------------------------------------------- */

enum { STATUS_TIMEOUT = 124 }; /* as timeout(1) numbers it; a signal is 128 and its number */

typedef struct {
    char *key;
    int status;             /* of its process */
    double seconds;
    u64 cycles, insns;      /* of its launches */
    char *stats;            /* JSON, or NULL */
    char *output;           /* the end of what it printed, where it failed; or NULL */
} PointResult;

void result_free(PointResult *r);
/* As a file, which is there whole or not at all; false: reported. */
bool result_write(const PointResult *r, const char *file, Diag *d);
bool result_read(const char *file, PointResult *r); /* false: it is none */

/* --- where results are kept (sweep_store.c) ------------------------------------------------- */

typedef struct Store Store;

/* NULL: reported. */
Store *store_open(const char *file, Diag *d);
void store_close(Store *s);
/* Adds the result, with its point, unless its key is there already.  False: reported. */
bool store_add(Store *s, const Sweep *sweep, size_t point, const PointResult *r, Diag *d);
bool store_has(Store *s, const char *key);
void store_forget(Store *s, const char *key);
bool store_get(Store *s, const char *key, PointResult *r); /* false: it is not there */

/* --- processes (sweep_run.c) ------------------------------------------------------------------- */

/* A point that runs. */
typedef struct {
    pid_t pid;              /* 0: none */
    size_t point;
    double start;
    bool late;              /* it was killed for its time */
} SweepJob;

/* Starts the process of a point, with its files in directory `work`.  False: reported. */
bool job_start(const Sweep *s, size_t point, const char *work, SweepJob *j, Diag *d);
/* Kills it if its time is over. */
void job_watch(const Sweep *s, SweepJob *j);
/* What became of it when it ended with `status` of waitpid(); removes its files. */
void job_result(const Sweep *s, SweepJob *j, int status, const char *work, PointResult *r);

/* --- what is made of results (sweep_report.c) ---------------------------------------------------- */

/* DIR/results.csv; how many points have results that count. */
bool report_csv(const Sweep *s, Store *store, const char *dir, Diag *d);
/* For each workload the point with the fewest cycles, on stdout. */
void report_best(const Sweep *s, Store *store);
/* DIR/plot.svg, by gnuplot. */
bool report_plot(const Sweep *s, Store *store, const char *dir, Diag *d);
#endif
