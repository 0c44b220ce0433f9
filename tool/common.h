/* common.h -- what `run` and `replay` have in common: options of the device and of watching. */
#ifndef TOOL_COMMON_H
#define TOOL_COMMON_H
#include "check/check.h"
#include "dbg/dbg.h"
#include "drv/drv.h"
#include "prof/cost.h"
#include "prof/trace.h"
#include "tool/pictures.h"
#include "tool/stats.h"
#include "tool/tool.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

/* The values of the common options. */
typedef struct {
    DeviceOptions device;
    LaunchOptions run;
    u64 max_insns;
    double patience;        /* seconds until it is said where warps stand; 0: never */
    const char *machine;    /* a name or a file; NULL: the default */
    u32 lanes, warps, sms;  /* 0: as the machine has it */
    bool stats, stats_json;
    const char *stats_file, *trace_file, *export_to, *dump_to;
    PicturesWanted pictures;
    const char *costs_to;   /* a file, "-" for stdout; NULL: not wanted */
    u32 checks;             /* 1 << CheckKind */
    const char *check_json, *check_allow; /* files, or NULL */
    bool verbose;
    const char *gdb;        /* where gdb is waited for; NULL: it is not */
    bool step;              /* by keys on the terminal */
} Common;

/* The child parser of both; its input is a Common that common_init() made. */
extern const struct argp common_argp;

/* Defaults and the environment.  Ends the process when a variable is wrong. */
void common_init(Common *c);
/* The variable's text; NULL: it is empty or not set. */
const char *env_text(const char *name);
/* The machine and the overrides, once all options are read.  False: reported. */
bool common_resolve(Common *c, Diag *d);

/* Trace and statistics of a run. */
typedef struct {
    const Common *common;
    FILE *trace_file;
    Trace *trace;
    Stats *stats;
    Pictures pictures;
    Check *check;
    CheckAllow *allow;
    Costs *costs;
    CycleObserver costs_cycles;
    Observer observer[3];
} Watch;

/* Makes what the options ask for, before the driver has any memory; run then has the observers.
 * False: reported. */
bool watch_open(Watch *w, const Common *c, Driver *driver, LaunchOptions *run, Diag *d);
/* A launch ended. */
void watch_launch(Watch *w, Driver *driver, const char *name, const DrvResult *r, double seconds);
/* Prints the statistics and what the driver's engine did, closes the trace and the check.  Returns
 * the exit status to use, if it was `status` so far. */
int watch_close(Watch *w, Driver *driver, int status, Diag *d);

/* A stepper on the terminal (terminal.c).  Ends the process when out of memory. */
Debugger *open_stepper(void);
/* With --gdb or --step, a debugger that leads the driver's launches, to be closed before the driver; else
 * *made is NULL.  False: reported. */
bool open_debugger(const Common *c, Driver *driver, Debugger **made, Diag *d);

/* The driver's report of the last failure, on stderr.  The exit status to use. */
int report_failure(Driver *driver, DrvStatus s, const char *what);
double seconds_now(void);

/* --- long launches (patience.c) ------------------------------------------------------------ */

/* Warps that stand at one place. */
typedef struct {
    u32 pc;
    bool waits;             /* at the barrier before it */
    u64 warps;
} Standing;

/* Where the warps of a launch stand, as far as their groups have answered. */
typedef struct {
    Standing *at;
    size_t n, cap;
    u64 warps, groups;      /* that answered */
    u64 all;                /* groups of the grid */
    char kernel[64];
} Standings;

/* A thread that waits for Ctrl-C while launches run, and says once where they are. */
typedef struct {
    Driver *driver;
    pthread_t thread;
    sigset_t before;        /* the signals that were blocked */
    bool runs;
    double seconds;         /* of a launch until it says so; 0: never */
    atomic_bool interrupted;
    RollCall roll;          /* for the launches */
    pthread_mutex_t lock;   /* guards `now` and `last` */
    Standings now, last;    /* when asked; when a limit or Ctrl-C ended the groups */
} Patience;

/* Blocks SIGINT, before drv_open(); starts the thread, after which launches take p->roll; ends it,
 * says where warps were if something ended them, and returns `status`, or INTERRUPTED if Ctrl-C
 * came. */
void patience_prepare(Patience *p, const Common *c);
void patience_begin(Patience *p, Driver *driver);
int patience_end(Patience *p, int status);
#endif
