/* internal.h -- what the files of drv/ share.
 *
 * Locks.  Driver.lock guards the heap, the page tables and the code window.  It is held while one
 * of them is looked at or changed, not while a launch runs and, but with page tables, not while
 * bytes are copied.  What must not change under a launch is guarded by the count of those that run:
 *
 *   the code window     changes when none runs (wait_quiet)
 *   pages               are added at any time; what is freed while one runs loses its rights and is
 *                       unmapped when the last has ended, so that no translation that a warp
 *                       keeps leads to the bytes of another buffer
 *   launches            of drv_run overlap if they are of the program in the code window; those of
 *                       drv_start run alone, since two could have been given the same private memory
 *
 * Driver.error_lock guards the texts of failures and is taken last.  DrvExport.lock guards its
 * counts.
 */
#ifndef DRV_INTERNAL_H
#define DRV_INTERNAL_H
#include "drv/heap.h"
#include "drv/pagetable.h"
#include <pthread.h>

/* The last failure of one thread. */
typedef struct { pthread_t thread; Buf text; } LastError;
enum { MAX_LAST_ERRORS = 64 }; /* threads remembered; then the oldest is forgotten */

/* An open device with its heap. */
struct Driver {
    Device *dev;
    pthread_mutex_t lock;   /* guards everything down to `error_lock` */
    pthread_cond_t quiet;   /* `running` or `changers` has become 0 */
    u32 running;            /* launches */
    u32 changers;           /* who waits for `running` to be 0, or runs alone: no launch begins */
    Heap heap;
    PageTable tables;       /* with the MMU */
    u64 code_lo, code_end;  /* code that came by writing, not by loading; equal: none */
    bool code_is_new;       /* the device has not been told of it */
    bool is_watched;
    DrvWatcher watcher;
    DrvProgram *program;    /* whose image is loaded; NULL: one of drv_load, or none */
    pthread_mutex_t error_lock; /* guards what follows */
    LastError errors[MAX_LAST_ERRORS];
    size_t nerrors;         /* made so far; the newest is at (nerrors - 1) % MAX_LAST_ERRORS */
};

/* Keeps the sentence of s, followed by the text, as the thread's last error.  Returns s. */
DrvStatus drv_fail(Driver *d, DrvStatus s, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The functions below require d->lock. */

/* Waits until no launch runs, giving up the lock meanwhile; none begins until the lock is given up
 * again. */
void wait_quiet(Driver *d);
/* Waits until no launch runs; whether there may be more memory now: launches have given back their
 * own blocks and those that were freed meanwhile.  False: no launch ran. */
bool wait_for_memory(Driver *d);
/* Until end_launch(), the code window and the mapped pages do not change.  alone: no other launch
 * begins. */
void begin_launch(Driver *d, bool alone);
void end_launch(Driver *d, bool alone);

/* Maps a range of the heap to zeroed memory; unmaps it. */
DrvStatus map_pages(Driver *d, u64 addr, u64 size);
void unmap_pages(Driver *d, u64 addr, u64 size);
/* Maps the whole code window, for code that is written instead of loaded. */
DrvStatus map_code_window(Driver *d);
/* Notes that code was written. */
void code_was_written(Driver *d, u64 addr, u64 size);

/* Allocates a block of zeros, as drv_alloc(). */
DrvStatus alloc_locked(Driver *d, u64 size, u64 *addr);
void free_locked(Driver *d, u64 addr); /* 0 is allowed */
/* The same for a block that holds zeros: its first 8 MiB keep their memory, which need not be cleared again. */
void free_cleared_locked(Driver *d, u64 addr);
/* Copies, wherever memory is mapped.  False: some page is not. */
bool copy_in(Driver *d, u64 addr, const void *from, u64 size);
bool copy_out(Driver *d, u64 addr, void *to, u64 size);

/* DRV_OK if the image can be loaded; else `to` says why not. */
DrvStatus check_image(Driver *d, const Object *image, Diag *to);
/* Loads an image; brings back one that was put away. */
DrvStatus load_locked(Driver *d, Object *image, Diag *diag);
DrvStatus bring_back_locked(Driver *d, const DevCode *code);
/* Where a kernel begins and what its record says. */
typedef struct {
    char *name;
    u32 entry;
    Resource record;
} KernelPlace;

/* What the program remembers of a kernel; NULL: nothing.  Valid until the next is remembered. */
const KernelPlace *program_recall(const DrvProgram *p, const char *name);
void program_remember(DrvProgram *p, const char *name, u32 entry, const Resource *record);

/* enter_program() brings the program into the code window, when launches of other programs have
 * ended, and with `alone` those of the same one too; p NULL keeps what is there.  leave_program()
 * takes it out. */
DrvStatus enter_program(Driver *d, DrvProgram *p, bool alone);
DrvStatus leave_program(Driver *d);

/* What lies in memory, collected for a watcher. */
typedef struct {
    DrvExtent *e;
    size_t n, cap;
    bool failed;            /* out of memory */
} Extents;

/* Adds one, if the driver is watched; size 0 is left out. */
void extents_add(const Driver *d, Extents *x, DrvExtent e);

/* Runs the launch of a record, as drv_start() (start.c).  x: buffers that are known of. */
DrvStatus start_locked(Driver *d, const DrvRecord *r, const char *name, const LaunchOptions *run,
                       u64 max_insns, Extents *x, DrvResult *result);
/* Runs a launch, giving up the lock meanwhile, and turns its fault into a status.  k, which may be
 * NULL, has the arguments for the report.  x: what is known of memory, for a watcher. */
DrvStatus launch_locked(Driver *d, DevLaunch *l, const DrvKernel *k, bool alone, Extents *x,
                        DrvResult *result);
/* The calls of a watcher, which do nothing if there is none. */
void tell_begin(Driver *d, const DrvKernel *k, DevLaunch *l, Extents *x, DrvScene *scene);
void tell_allocated(Driver *d, u64 addr, u64 size);
void tell_written(Driver *d, u64 addr, u64 size);
void tell_copied(Driver *d, u64 from, u64 to, u64 size);
/* Appends a phrase about an address that a launch of k (or NULL) should not have used, if anything
 * is known (blame.c). */
void put_blame(Driver *d, const DrvKernel *k, const DevLaunch *l, u64 addr, Buf *to);

/* print_drain() appends the text of the print buffer at addr (printout.c). */
enum { PRINT_BUFFER = PRINT_RECORDS + (1 << 20) }; /* bytes: 1 MiB of records */
DrvStatus print_open(Driver *d, u64 *addr);
void print_drain(Driver *d, u64 addr, Buf *out);

/* Writes the launch as DIR/<kernel>_<n>.metadata and .data (export.c). */
DrvStatus export_launch(Driver *d, DrvExport *to, const char *kernel, const DrvRecord *r);
#endif
