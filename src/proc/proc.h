/* proc.h -- jobs in processes of their own, forked from one that is ready.
 *
 *   proc_find    finds the program of a server
 *   proc_start   starts the program of a server, as a process that is no child of the caller
 *   proc_serve   in the server: forks a child for each job, watches it, reports how it ended
 *   proc_call    has a job done and waits for its end
 *
 * The server is a process that has loaded what is expensive to load; a job is a function that runs
 * in a fork of it, with bounds.  A job reads and writes files that the caller has opened, mostly
 * anonymous ones.  A job dies with its server and with its caller, a server with the process that
 * started it.
 */
#ifndef PROC_PROC_H
#define PROC_PROC_H
#include "base/base.h"

enum {
    PROC_CONTROL = 3,   /* the descriptor over which a server is asked */
    PROC_MAX_FILES = 5,
    PROC_STACK = 64 << 20 /* bytes of stack that a job runs on, whatever the limits of the machine are */
};

/* The bounds of a job. */
typedef struct {
    u32 cpu;    /* seconds of processor time; 0: no bound */
    u32 wall;   /* seconds by the clock; 0: no bound */
    u64 memory; /* bytes beyond what the server has mapped; 0: no bound */
    u64 file;   /* bytes of a file that is written; 0: no bound */
} ProcLimits;

/* How a job ended. */
typedef enum {
    PROC_EXITED,    /* code: the exit status */
    PROC_SIGNALLED, /* code: the signal */
    PROC_TIMEOUT,   /* beyond limits.wall */
    PROC_LOST,      /* the server ended meanwhile */
    PROC_BEGUN      /* never a result */
} ProcEnd;

/* How a process ended; code: its exit status, or the signal. */
typedef struct {
    ProcEnd how;
    int code;
} ProcResult;

/* Starts the program argv[0] in a session of its own, with environment env.  It has nothing open
 * but a socket as PROC_CONTROL, whose other end is *control, and /dev/null as its standard streams;
 * no signal is blocked or ignored.  It is no child of the caller: no SIGCHLD is sent and no wait()
 * of the host sees it.  Returns 0 or an errno. */
int proc_start(char *const argv[], char *const env[], int *control);

/* Runs a job with file[0..n-1] as its descriptors 0 to n-1, in the caller's directory.  Returns 0
 * when *r says how it ended; else an errno: EPIPE when the server is gone, and nothing was run;
 * ECANCELED when the descriptor `cancel` (-1: none) became readable, and the job was killed. */
int proc_call(int control, const int file[], u32 n, const ProcLimits *limits, int cancel, ProcResult *r);

/* The path of program NAME beside this program or library, in the build tree's root, or in
 * libexec/ventus where it is installed; mem_free() frees it.  NULL: there is none, or no memory. */
char *proc_find(const char *name);

/* Runs job(self) in a fork of this process, with its bounds and with file[0..n-1] as descriptors 0
 * to n-1.  For a process that has no other children and no threads that matter: a job itself.  0 or
 * an errno. */
int proc_here(const int file[], u32 n, int (*job)(void *self), void *self, ProcResult *r);

/* A server. */
typedef struct {
    int control;             /* the socket over which it is asked */
    int keep;                /* a descriptor that jobs get, or -1 */
    bool again;              /* a fork whose job returned 0 does the next one with the same bounds, if
                              * that comes soon: for jobs that need not be hidden from one another.
                              * keep is -1 */
    int (*job)(void *self);  /* what a fork does; returns its exit status */
    void *self;
    void (*end)(int);        /* ends the fork: exit or _exit */
    void (*prepare)(void);   /* does once what each job would do again, before the second; or NULL */
} ProcServer;

/* The server's main loop: runs the job in a fork for each call (but see `again`), with the files of
 * the call as descriptors 0 to n-1 and `keep` as descriptor n.  Ends when nobody holds the other end of
 * `control` any more, or when the process that made it is gone; returns 0 then, or an errno if it
 * cannot wait for events. */
int proc_serve(const ProcServer *what);

/* Lets forks that this process makes from now on begin with the code mapped that is mapped here
 * (share.c). */
void proc_share_code(void);

/* In a job: from here on this thread, and those that it starts, can make no process, connection or
 * file (confine.c). */
void proc_confine(void);

/* Runs job(self) on a stack of PROC_STACK bytes and returns its result; -1: there is no memory for
 * it. */
int proc_on_stack(int (*job)(void *self), void *self);
#endif
