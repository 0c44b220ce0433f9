/* debugger.h -- what the files of the debugger share: the session, what stops a launch, how it goes
 * on. */
#ifndef DBG_DEBUGGER_H
#define DBG_DEBUGGER_H
#include "dbg/packet.h"
#include "dbg/state.h"
#include "obj/lines.h"
#include <pthread.h>

enum { MOST_BREAKPOINTS = 1024, MOST_CONDITIONS = 16, MOST_CODE = 4096 };

/* A place in the code, with conditions of which one must hold; none: it always stops. */
typedef struct {
    u32 addr;
    Buf condition[MOST_CONDITIONS]; /* agent expressions */
    size_t n;
} Breakpoint;

typedef enum { WATCH_WRITES = 2, WATCH_READS, WATCH_ALL } WatchKind; /* as in packets Z */

/* Bytes whose accesses stop the launch.  Of those below OWN_END, which every lane has for itself,
 * changes are noticed by comparing. */
typedef struct {
    WatchKind kind;
    u32 addr, size;
    u32 thread;             /* whose bytes they are, below OWN_END */
    u64 seen;               /* the first of them before the last instruction */
} Watchpoint;

/* How a launch goes on: freely, until `thread` has run an instruction, or until it leaves lo..end. */
typedef enum { PLAN_CONTINUE, PLAN_STEP, PLAN_RANGE } PlanKind;
typedef struct {
    PlanKind kind;
    bool back;
    u32 thread;
    u32 lo, end;
} Plan;

/* Why it stopped. */
typedef enum { STOP_AT, STOP_WATCH, STOP_BEGIN, STOP_FAULT, STOP_SIGNAL, STOP_OVER } StopKind;
typedef struct {
    StopKind kind;
    int signal;             /* by gdb's numbers */
    u32 thread;
    WatchKind watch;
    u32 addr;               /* what was watched */
} Stop;

enum { SIGNAL_INT = 2, SIGNAL_ILL = 4, SIGNAL_TRAP = 5, SIGNAL_ABRT = 6, SIGNAL_FPE = 8,
       SIGNAL_BUS = 10, SIGNAL_SEGV = 11 };

struct Debugger {
    pthread_mutex_t lock;   /* held by the launch that is led */
    Wire wire;
    bool connected, detached, killed, began;
    bool steps;             /* by the keys of a screen, without gdb */
    DbgScreen screen;
    int listener;           /* or -1 */
    char *path;             /* of the socket, to be removed; or NULL */
    char *address;          /* as the user gave it */
    void (*notice)(void *self, const char *text);
    void *notice_self;
    /* of the present launch */
    Run *run;
    const Device *device;
    LineTable *lines;
    Buf elf;                /* the image as a file */
    Stop stop;              /* the last one */
    bool stopped_at_breakpoint; /* it was at one, at stop_place, */
    u64 stop_place;
    u32 lanes_told;         /* and gdb went on from these lanes at once, */
    u32 pretender;          /* a thread that gdb is told has made a step; or 0 */
    bool user_was_asked;    /* or it has asked for the threads since */
    Plan plan;
    u32 thread;             /* whose registers gdb asks for */
    Breakpoint *breakpoint;
    size_t nbreakpoints, capbreakpoints;
    Watchpoint *watchpoint;
    size_t nwatchpoints, capwatchpoints;
};

/* Runs the launch by d->plan until something stops it (lead.c). */
Stop lead(Debugger *d);
/* A stop of a fault or of the end. */
Stop stop_at_end(const Debugger *d);

/* Answers gdb's packets until it wants the launch to go on; d->plan, detached or killed say how
 * (server.c). */
void serve(Debugger *d);
/* Tells gdb why the launch stopped. */
void tell_stop(Debugger *d);

/* Leads the launch by the keys of d->screen (stepper.c). */
void step_launch(Debugger *d);

/* Carries out a command of `monitor`, appending what it says (monitor.c). */
void monitor(Debugger *d, Lane l, const char *command, Buf *to);

/* Waits for a connection; false: interrupted, or the listener failed (listen.c). */
bool wait_for_gdb(Debugger *d, const _Atomic u32 *interrupts);
void stop_listening(Debugger *d);
#endif
