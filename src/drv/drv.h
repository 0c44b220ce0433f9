/* drv.h -- the driver: buffers, kernels with arguments, launches over a device.
 *
 * A Driver is one open device with its heap: an address space.  Its functions may be called from
 * any thread.  While a launch runs, other threads may copy, allocate and free, and launch kernels
 * of the same program; calls that change code wait for its end.  The vt_ API
 * (include/ventus/ventus.h), the tools and the OpenCL runtime are layers over this.
 */
#ifndef DRV_DRV_H
#define DRV_DRV_H
#include "dev/dev.h"

/* What a call of the driver can answer; the vt_ API returns the same numbers, negated. */
typedef enum {
#define STATUS(name, number, text) DRV_##name = number,
#include "drv/status.def"
} DrvStatus;

/* A status as a name ("DEVICE_FULL") and as a sentence. */
const char *drv_status_name(DrvStatus s);
const char *drv_status_text(DrvStatus s);

typedef struct Driver Driver;

/* The device that the environment asks for: VENTUS_MACHINE, NUM_THREAD, NUM_WARP, VENTUS_SMS,
 * VENTUS_ENGINE (or VENTUS_BACKEND), VENTUS_ISA, VENTUS_MMU over the defaults.  False: d says which
 * variable is wrong. */
bool drv_environment(DeviceOptions *o, Diag *d);
/* Checks the VENTUS_ variables of the environment by variable.def: wrong values are errors,
 * mistyped names are warnings.  False: there was an error.  drv_environment() does this first. */
bool drv_check_variables(Diag *d);

/* NULL: the host has no memory for it. */
Driver *drv_open(const DeviceOptions *opt);
void drv_close(Driver *d);
/* From any thread: ends the launches that run now, with a fault that says where they were. */
void drv_interrupt(Driver *d);
/* Waits for what its engine makes for later processes (EngineKind.finish). */
void drv_finish(Driver *d);
/* From any thread: says that a program is being compiled for the first time (EngineKind.expect). */
void drv_expect(Driver *d);
/* The device below; not to be used while a launch may run. */
Device *drv_device(Driver *d);

/* --- memory (heap.c, pagetable.c) ----------------------------------------------- */

/* Allocates `size` bytes, rounded up to 4 KiB, of zeros.  The block gets the lowest address where
 * it fits, from 0x90000000 on; when the space above that is used up, from 0x01000000 on, below the
 * local memory window.  When that is used up too, the call waits until no launch runs: launches
 * give back their own blocks then, and blocks that were freed meanwhile. */
DrvStatus drv_alloc(Driver *d, u64 size, u64 *addr);
/* Above 4 GiB, for kernels of v2025 with 64-bit pointers. */
DrvStatus drv_alloc_high(Driver *d, u64 size, u64 *addr);
/* Allocates a block at exactly addr, a multiple of 4 KiB outside the local memory and code
 * windows. */
DrvStatus drv_alloc_at(Driver *d, u64 addr, u64 size);
/* Frees the block at addr.  A kernel that still runs and uses it faults, or finds the old bytes until
 * it ends (with the MMU, or where host code remembers its range). */
DrvStatus drv_free(Driver *d, u64 addr);
DrvStatus drv_free_all(Driver *d); /* waits for launches */
/* These copy bytes to, from and within device memory.  A range must lie in one block (of the
 * rounded size), in loaded code, or in the code window; writing into the window maps it, after all
 * launches have ended.  size is not 0; that of a fill is a multiple of pattern_size, which is at
 * most 4 KiB. */
DrvStatus drv_write(Driver *d, u64 addr, const void *from, u64 size);
DrvStatus drv_read(Driver *d, u64 addr, void *to, u64 size);
DrvStatus drv_fill(Driver *d, u64 addr, const void *pattern, u64 pattern_size, u64 size);
/* Ranges may overlap. */
DrvStatus drv_copy(Driver *d, u64 from, u64 to, u64 size);
u64 drv_bytes_used(Driver *d); /* of the heap */
/* Where the host sees the bytes of a range that lies in one block, until that is freed; NULL: they
 * are not in one piece (the MMU scatters them). */
void *drv_host_pointer(Driver *d, u64 addr, u64 size);
/* Tells a watcher that the host writes there by itself. */
void drv_host_writes(Driver *d, u64 addr, u64 size);

/* --- programs --------------------------------------------------------------------- */

/* Loads an image for the launches that follow; the driver owns it on success.  Its segments must
 * lie in the code window. */
DrvStatus drv_load(Driver *d, Object *image, Diag *diag);

/* Several programs can share a device.  One at a time is in the code window; the variables of the
 * others are kept on the host, so that each program finds its own as it left them. */
typedef struct DrvProgram DrvProgram;

/* Makes a program of the image, which it owns on success.  DRV_BAD_PROGRAM: diag says why. */
DrvStatus drv_program_open(Driver *d, Object *image, DrvProgram **program, Diag *diag);
void drv_program_close(Driver *d, DrvProgram *p); /* before d is closed; NULL is allowed */

/* Writes the names of at most `max` kernels of an image, which belong to the image, and returns how
 * many kernels there are.  Kernels are the functions with a resource record; if there are none, the
 * global functions whose names no crt0 or library of a known toolchain has. */
size_t drv_kernels(const Object *image, const char **names, size_t max);

/* What a warp of a kernel needs by the kernel's record, in code of that generation. */
typedef struct {
    u32 sgprs, vgprs; /* 0: what the code uses */
    u64 stack;        /* bytes of scalar stack in local memory, which are rounded up to ABI_LOCAL_ALIGN */
} WarpNeeds;
WarpNeeds drv_warp_needs(const Resource *r, Generation g);

/* Writes launches as replay files, DIR/<kernel>_<n>.metadata and .data; n counts the launches of
 * each kernel, on all drivers that share the DrvExport. */
typedef struct DrvExport DrvExport;
DrvExport *drv_export_open(const char *dir); /* makes it if need be; NULL: out of memory */
void drv_export_close(DrvExport *e);         /* NULL is allowed */

/* An argument by value, or local memory. */
typedef struct {
    bool is_local;          /* then `size` bytes of the group's local memory */
    bool no_read, no_write; /* of a buffer: what the kernel was promised not to do */
    u32 size, align;        /* bytes; C alignment, at least 4 in the block (doc/abi.md) */
    const void *value;      /* little-endian bytes; a buffer's is its u32 address */
    u64 buffer;             /* bytes of the buffer at that address, for reports; 0: it is none */
} DrvArg;

/* A launch of a kernel. */
typedef struct {
    DrvProgram *program;    /* NULL: what drv_load loaded */
    const char *kernel;     /* symbol in the image */
    bool compiled;          /* the image's table has it (obj/kernelinfo.h): its record says all that it needs */
    u32 dims;               /* 1 to 3 */
    u32 global[3], local[3], offset[3]; /* work-items */
    bool partial;           /* the last groups may be smaller: global is no multiple of local */
    const DrvArg *args;
    size_t nargs;
    u32 private_min;        /* bytes a lane at least; 0: by the image */
    u64 max_insns;
    LaunchOptions run;
    Buf *print;             /* receives what the kernel printed, in work-item order; or NULL */
    DrvExport *export_to;   /* or NULL */
} DrvKernel;

/* How a launch ended, and what it needed of the machine. */
typedef struct {
    DevResult dev;
    u32 warps;              /* of a group */
    u32 sgprs, vgprs, lds, pds_lane; /* what was asked of the machine */
} DrvResult;

/* Builds the argument block and metadata block, runs the kernel, frees what it
 * allocated.  DRV_FAULT: result->dev.run.fault, and drv_last_error() has the report. */
DrvStatus drv_run(Driver *d, const DrvKernel *k, DrvResult *result);

/* --- watching (watch.c) --------------------------------------------------------------- */

/* What bytes of memory are for, while a launch runs. */
typedef enum {
    EXTENT_BLOCK,           /* of the heap, or a buffer of a replay file */
    EXTENT_BUFFER,          /* argument `arg`, inside a block */
    EXTENT_ARGUMENTS,       /* the argument block, the metadata block */
    EXTENT_PRIVATE,
    EXTENT_PRINT,
    EXTENT_STACKS,          /* of local memory: the scalar stacks of the warps, */
    EXTENT_LOCAL_DATA,      /* the variables of the kernel, all of them, */
    EXTENT_LOCAL_VARIABLE,  /* or one: KernelInfo.locals[arg], */
    EXTENT_LOCAL            /* argument `arg` */
} DrvExtentKind;

typedef struct {
    DrvExtentKind kind;
    u64 addr, size;         /* bytes that were asked for */
    size_t arg;             /* of EXTENT_BUFFER and EXTENT_LOCAL */
    bool no_read, no_write;
} DrvExtent;

/* A launch that is about to run.  Valid until it has ended. */
typedef struct {
    const DrvKernel *kernel; /* NULL: started by its record */
    const DevLaunch *launch;
    const DrvExtent *extents;
    size_t nextents;
} DrvScene;

/* Who is told of memory and launches, with the driver's lock held.  Each may be NULL. */
typedef struct {
    void *self;
    /* May change how it runs, and add observers. */
    void (*begin)(void *self, const DrvScene *s, LaunchOptions *run);
    /* The launch ended so; text is the report of its fault, or "". */
    void (*end)(void *self, const DrvScene *s, const DevResult *r, const char *text);
    void (*allocated)(void *self, u64 addr, u64 size); /* and nobody has written it */
    void (*written)(void *self, u64 addr, u64 size);
    void (*copied)(void *self, u64 from, u64 to, u64 size);
} DrvWatcher;

/* From now on w is told.  Launches run one at a time; new blocks of the heap lie apart, with memory
 * between them that catches small overruns, and the addresses of freed ones are used again late.
 * To be called before anything is allocated. */
void drv_watch(Driver *d, DrvWatcher w);

/* Appends "argument 1, 'out'": an argument of a kernel with its name, if that is known. */
void drv_put_argument(Driver *d, const DrvKernel *k, size_t index, Buf *to);

/* The launch record of the vt_ API and of replay files: 12 words of the classic layout. */
typedef struct {
    u64 kernel_id, kernel_size[3], wf_size, wg_size, metadata_base, lds_size, pds_size,
        sgpr_usage, vgpr_usage, pds_base;
} DrvRecord;

/* Runs a launch whose blocks the caller has prepared in memory. */
DrvStatus drv_start(Driver *d, const DrvRecord *r, const char *name, const LaunchOptions *run,
                    u64 max_insns, DrvResult *result);

/* Appends the text of the calling thread's last failure on this driver to out; for a fault that is
 * a report of several lines.  The last 64 threads that failed are remembered. */
void drv_last_error(Driver *d, Buf *out);

/* --- replay files (replay.c; doc/abi.md, "Replay files") ----------------------------- */

/* A pair of replay files. */
typedef struct {
    char *name;             /* file name without directory and suffix */
    u64 start;              /* 0x80000000 also when absent */
    DrvRecord record;
    u32 extra;              /* 64-bit values of a test bench's extension that were skipped */
    size_t nbuffers;
    /* data: size bytes and what fills their last word, or NULL for zeros */
    struct ReplayBuffer { u64 base, size, alloc; u8 *data; } *buffers;
} Replay;

/* False: malformed; d says where.  The texts are hostile input. */
bool replay_read(const char *metadata_name, const char *metadata, size_t metadata_len,
                 const char *data_name, const char *data, size_t data_len, Replay *r, Diag *d);
void replay_free(Replay *r);
/* Puts the buffers into memory (those without data keep what they hold, zero at
 * first) and runs the launch.  Memory persists, so that a sequence of files can be
 * run; where buffers of the sequence overlap they become one block of the heap.
 * Buffers in the local memory window are skipped. */
DrvStatus replay_run(Driver *d, const Replay *r, const LaunchOptions *run, u64 max_insns,
                     DrvResult *result);
/* The classic form. */
void replay_write(const Replay *r, Buf *metadata, Buf *data);
#endif
