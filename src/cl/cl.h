/* cl.h -- the OpenCL runtime: what its files share.
 *
 *   icd.c        the table of entry points, and what the loader looks up
 *   platform.c device.c context.c queue.c event.c
 *                one kind of object each
 *   command.c    how a command is enqueued; markers and barriers;  commandbuffer.c: how it is recorded
 *   buffer.c     buffers and sub-buffers;  mapping.c: map and unmap
 *   transfer.c   reads, writes, copies, fills
 *   image.c      images;  imageformat.c: formats;  imagetransfer.c: their copies, fills, maps
 *   sampler.c    samplers;  pipe.c: pipes
 *   programs.c   program objects;  build.c: compiler and linker;  container.c: binaries
 *   kernelobject.c kernelinfo queries and arguments;  ndrange.c: launches
 *   terminate.c  ends all work of a context
 *   usm.c        memory that host and kernels reach by pointers
 *   absent.c     entry points of what the device does not have
 *   object.c     reference counts;  query.c: answers of clGet*Info;  hostio.c: what is printed;
 *   error.c      errors in words
 *
 * Locks.  ClContext.lock guards every event, queue and list of the context and is held for moments
 * only; no driver call runs under it.  ClMem.lock, ClProgram.lock and ClKernel.lock guard their
 * objects.  A thread that holds one of them may call the driver and take ClContext.lock, but not
 * another one of the three.  ClDevice.trace_lock and ClMem.copy_lock are taken while no other lock
 * is held, and a command buffer's `running` before any other.  No callback of the application runs under any lock.  Fields that no comment puts under
 * a lock do not change after their object has been created.
 */
#ifndef CL_RUNTIME_H
#define CL_RUNTIME_H
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include "base/mem.h"
#include "check/check.h"
#include "drv/drv.h"
#include "comp/comp.h"
#include "obj/kernelinfo.h"
#include "obj/optionwords.h"
#include <pthread.h>
#include <stdatomic.h>

/* --- objects (object.c) ------------------------------------------------------------- */

/* What an object is; KIND_NONE: it was freed. */
typedef enum {
    KIND_NONE, KIND_PLATFORM, KIND_DEVICE, KIND_CONTEXT, KIND_QUEUE, KIND_EVENT, KIND_MEM,
    KIND_PROGRAM, KIND_KERNEL, KIND_SAMPLER, KIND_COMMAND_BUFFER
} Kind;

/* What every object begins with. */
typedef struct {
    const cl_icd_dispatch *dispatch; /* the loader reads it: first */
    Kind kind;
    atomic_uint refs;       /* references of the application (CL_*_REFERENCE_COUNT) */
    atomic_uint uses;       /* references of our objects, and one while refs > 0 */
} Head;

typedef struct _cl_platform_id ClPlatform;
typedef struct _cl_device_id ClDevice;
typedef struct _cl_context ClContext;
typedef struct _cl_command_queue ClQueue;
typedef struct _cl_event ClEvent;
typedef struct _cl_mem ClMem;
typedef struct _cl_program ClProgram;
typedef struct _cl_kernel ClKernel;
typedef struct _cl_sampler ClSampler;
typedef struct UsmBlock UsmBlock;
struct _cl_command_buffer_khr;

extern const cl_icd_dispatch icd_dispatch;

/* Begins an object, with one reference, which is the application's. */
void object_init(Head *o, Kind kind);
/* Whether a handle of the application is an object of this kind. */
bool is_object(const void *handle, Kind kind);
/* Count the references of the application. */
void object_retain(Head *o);
void object_release(Head *o);
/* Count our own references; the object is freed when it has none of either kind. */
void object_use(Head *o);
bool object_try_use(Head *o); /* false: it is being freed */
void object_drop(Head *o);
#define use(x)  object_use(&(x)->head)
#define drop(x) object_drop(&(x)->head)

void context_free(ClContext *c);
void queue_close(ClQueue *q); /* the application's last reference is gone */
void queue_free(ClQueue *q);
void event_abandon(ClEvent *e); /* likewise: a user event without a status ends in an error */
void event_free(ClEvent *e);
void buffer_free(ClMem *m);
void program_free(ClProgram *p);
void kernel_free(ClKernel *k);
void sampler_free(ClSampler *s);
void commandbuffer_free(struct _cl_command_buffer_khr *b);

/* --- answers of clGet*Info (query.c) -------------------------------------------------- */

/* Where the answer of a clGet*Info function goes. */
typedef struct {
    size_t size;            /* bytes at value */
    void *value;            /* or NULL */
    size_t *size_ret;       /* or NULL */
    const char *call;       /* the function, for error_tell() */
} Query;

/* Answers a query with n bytes.  CL_INVALID_VALUE: they do not fit. */
cl_int answer_bytes(const Query *q, const void *bytes, size_t n);
cl_int answer_text(const Query *q, const char *text);
#define answer(q, type, ...) answer_bytes(q, &(type){__VA_ARGS__}, sizeof(type))

/* --- platform and devices ---------------------------------------------------------------- */

/* Most devices of the platform (VENTUS_DEVICES), of a context, and parts of a device. */
enum { MAX_DEVICES = 16 };

struct _cl_device_id {
    Head head;
    ClPlatform *platform;
    u32 index;
    DeviceOptions options;
    char name[96];
    struct Trace *trace;    /* VENTUS_TRACE, or NULL */
    pthread_mutex_t trace_lock; /* held by a launch that is traced */
    ClDevice *parent;       /* of a sub-device; else NULL: a device of the platform */
    cl_device_partition_property partition[MAX_DEVICES + 3]; /* of a sub-device, with the 0 */
    u32 npartition;
};

/* The device of the platform that a device is, or is a part of. */
static inline ClDevice *device_root(ClDevice *d)
{
    while (d->parent)
        d = d->parent;
    return d;
}
void device_free(ClDevice *d); /* a sub-device */

struct _cl_platform_id {
    Head head;
    ClDevice devices[MAX_DEVICES];
    u32 ndevices;
    bool verbose;           /* reports are printed too */
    const char *launches;   /* a file that gets a line for each launch, or NULL */
    struct ResultDump *dump; /* VENTUS_DUMP_RESULT, or NULL */
    pthread_mutex_t dump_lock;
    DrvExport *export_to;   /* VENTUS_EXPORT_REPLAY, or NULL */
    struct Debugger *debugger; /* VENTUS_GDB, or NULL */
    struct Measure *measure; /* VENTUS_PROFILE, VENTUS_PIPELINE, VENTUS_TIMELINE, or NULL */
    char *cache;            /* directory of compiled programs, or NULL */
    Compiler *compiler;     /* of all contexts */
    double timeout;         /* seconds a launch may take; 0: any */
    u32 checks;             /* VENTUS_CHECK: 1 << CheckKind, 0: none */
    CheckAllow *allow;      /* VENTUS_CHECK_ALLOW, or NULL */
    u32 processors;         /* of the host, that may be used */
    pthread_mutex_t contexts_lock; /* guards what follows */
    struct _cl_context *contexts; /* that live, the newest first */
    u32 closing;            /* others, whose devices are being closed */
    pthread_cond_t closed;
    pid_t owner;            /* the process that made it */
};

/* The platform; made by the first call.  NULL: out of memory. */
ClPlatform *platform_get(void);
/* Whether there is a compiler; *why, unless it is NULL: what it is, or why there is none. */
bool platform_has_compiler(Buf *why);
/* Notes a copy from the device, if VENTUS_DUMP_RESULT is set. */
void platform_dump(ClPlatform *p, u64 addr, const void *bytes, u64 size);

/* Numbers that clGetDeviceInfo reports and calls check. */
enum { BUFFER_ALIGN = 128, MIN_ALIGN = 128, PRINT_BYTES = 1 << 20, MAX_PARAMETERS = 1024 };
u64 device_max_alloc(const ClDevice *d);
u64 device_global_size(const ClDevice *d);
u32 device_local_size(const ClDevice *d); /* bytes of __local data of a group */
/* Work-items of a group: as many as the machine takes and lib/opencl/workgroup.cl has memory
 * for. */
enum { GROUP_ITEMS = 1024 };
u32 device_max_items(const ClDevice *d);

/* --- contexts -------------------------------------------------------------------------------- */

typedef struct Callback Callback;
/* A function of the application that is called once; one of the three, by the list that it is
 * in. */
struct Callback {
    Callback *next;
    union {
        void(CL_CALLBACK *context)(cl_context, void *);
        void(CL_CALLBACK *mem)(cl_mem, void *);
        void(CL_CALLBACK *event)(cl_event, cl_int, void *);
    } call;
    cl_int status;          /* of events */
    void *data;
};

struct _cl_context {
    Head head;
    ClPlatform *platform;
    struct _cl_context *next; /* of the platform */
    ClDevice **devices;
    Driver **drivers;       /* of devices: the context's own address space on each */
    Check **checks;         /* that watch them (VENTUS_CHECK), or NULL each */
    u32 ndevices;
    cl_context_properties *properties;
    size_t nproperties;     /* words with the 0 at the end; 0: none were given */
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
    void(CL_CALLBACK *print)(const char *, size_t, size_t, void *);
    void *data;             /* of notify and print */
    bool zeroes;            /* __local and private variables are 0 at first */
    bool can_terminate;     /* CL_CONTEXT_TERMINATE_KHR */
    atomic_bool is_terminated;
    atomic_uint launches;   /* that run, between context_begin_launch() and context_end_launch() */
    atomic_uint misses;     /* of host_spin() for events */
    pthread_mutex_t lock;   /* guards what follows, and events and queues of the context */
    pthread_cond_t changed; /* an event that is awaited has ended */
    Callback *destructors;  /* the last one first */
    ClMem *mems;            /* all of them */
    ClQueue *queues;        /* likewise, but recorders */
    UsmBlock *usm;
};

/* CL_SUCCESS, if objects can be made in the context; CL_INVALID_CONTEXT or CL_CONTEXT_TERMINATED_KHR. */
cl_int check_context(const void *context);
/* A launch is about to run, unless the context was terminated, which false says. */
bool context_begin_launch(ClContext *c);
void context_end_launch(ClContext *c);
cl_int clTerminateContextKHR(cl_context context);

/* The index of the device in the context; -1: it is none of the context's. */
int context_device_index(const ClContext *c, const ClDevice *d);
/* Reports a failure to the application; prints it when VENTUS_VERBOSE is set. */
void context_report(const ClContext *c, const char *text);
/* The memory object that a handle names, with one use more, which the caller gives up; NULL: the context
 * has no such object.  Any value may be given: it is compared, not followed. */
ClMem *context_find_mem(ClContext *c, const void *handle);
/* Whether the handle is a memory object of the context. */
bool context_has_mem(ClContext *c, const void *handle);

/* --- errors (error.c) --------------------------------------------------------------------- */

/* Every entry point ends with one of these, or an answer: the status itself, or into *errcode_ret,
 * which may be NULL.  When VENTUS_VERBOSE is set, an error is explained (hostio.c).  call: NULL:
 * somebody else explains it. */
#define told(status)              error_tell(__func__, status)
#define tell(errcode_ret, status) error_give(__func__, errcode_ret, status)
cl_int error_tell(const char *call, cl_int status);
void error_give(const char *call, cl_int *to, cl_int status);

/* --- events and queues ------------------------------------------------------------------- */

/* What a command does.  The event gets the status that `run` returns; `release` frees the payload
 * and gives up what it refers to, whether it ran or not. */
typedef struct {
    cl_int (*run)(ClEvent *e, void *payload);
    void (*release)(void *payload);
    void *payload;
    bool is_quick;          /* done in less time than it takes to wake a thread */
} Work;

/* `waiter` starts after the event that has this edge in its list. */
typedef struct Edge Edge;
struct Edge {
    ClEvent *waiter;
    Edge *next, **at;       /* at: what points to this edge; NULL: that event has ended */
    bool strict;            /* if that event fails, so does `waiter` */
};

struct _cl_event {
    Head head;
    ClContext *context;
    ClQueue *queue;         /* NULL: a user event */
    cl_command_type type;
    Work work;
    /* guarded by context->lock: */
    cl_int status;          /* CL_QUEUED down to CL_COMPLETE, or an error */
    cl_int doomed;          /* an error, with which it ends without running; or 0 */
    u32 blockers;           /* events it still waits for */
    bool is_set;            /* of a user event */
    bool is_awaited;        /* a thread sleeps until its end */
    atomic_bool has_ended;  /* as the status says; for threads that look without the lock */
    Edge *waiters;          /* edges to the events that wait for this one */
    Edge *edges;            /* its own edges, which are in the lists of others */
    size_t nedges;
    Callback *callbacks;
    cl_ulong queued, submitted, started, ended; /* ns */
    cl_ulong ran_from, ran_to; /* ns: of a launch, when its first group began and its last one ended; 0: not known */
    cl_ulong simulated;     /* ns that the machine took, by an engine that counts cycles; else 0 */
    u64 number;             /* in its queue, from 1 */
    ClEvent *previous, *next; /* of the queue's unfinished commands */
    ClEvent *next_ready;
};

/* Events in order, linked by Event.next_ready. */
typedef struct { ClEvent *first, *last; } EventList;

struct _cl_command_queue {
    Head head;
    ClContext *context;
    ClDevice *device;
    u32 device_index;       /* in the context */
    cl_command_queue_properties flags;
    cl_queue_properties properties[8]; /* as given, with the 0 */
    u32 nproperties;        /* 0: none were given */
    struct _cl_command_buffer_khr *recording; /* of a recorder: where its commands go; else NULL */
    /* guarded by context->lock: */
    ClQueue *next_queue, *previous_queue; /* of the context */
    pthread_cond_t work;    /* something for the thread */
    bool is_closing;
    cl_int error;           /* of a command that failed, until clFinish reports it */
    u64 count;              /* commands so far */
    ClEvent *first, *last;  /* unfinished, in order */
    ClEvent *barrier;       /* what later commands of an unordered queue wait for, or NULL */
    EventList ready;
    atomic_bool has_ready;  /* for threads that look without the lock */
    atomic_uint misses;     /* of the thread's host_spin() */
};

static inline Driver *queue_driver(const ClQueue *q) { return q->context->drivers[q->device_index]; }

/* A queue without a thread that hands the commands of calls to the command buffer, which keeps it;
 * it is like another in all else.  NULL: out of memory. */
ClQueue *queue_recorder(const ClQueue *like, struct _cl_command_buffer_khr *b);

cl_ulong host_time(void);   /* ns, monotone */
/* Waits without sleeping, for some microseconds at most; returns when the flag is set, or when it
 * is time to sleep.  That is at once if waiting was in vain lately: the processors are busy, or
 * commands take longer.  *misses counts those times. */
void host_spin(const ClContext *c, const atomic_bool *until, atomic_uint *misses);

/* A user event, or a command that is not enqueued yet.  NULL: out of memory. */
ClEvent *event_new(ClContext *c, ClQueue *q, cl_command_type type);
/* With the lock: marks the command as running; returns the callbacks for event_call_back(). */
Callback *event_begin(ClEvent *e);
/* Calls and frees callbacks that were taken out of the event.  If status is an error, every
 * callback gets it; else each one gets the status that it was registered for. */
void event_call_back(ClEvent *e, Callback *list, cl_int status);
/* Runs a command that has begun to its end; a doomed one only ends.  Gives up the queue's use of
 * it. */
void event_run(ClEvent *e);
/* With the lock: lets a command that has not begun wait for nothing any more. */
void event_unblock(ClEvent *e);
/* Ends an event: wakes the threads that wait for it, makes commands ready that waited for it, calls
 * back. */
void event_end(ClEvent *e, cl_int status);
/* Waits for the end of an event, which the caller keeps alive, and returns its status. */
cl_int event_wait(ClEvent *e);
/* With the lock: hands the queue's thread an event that nothing blocks any more. */
void queue_ready(ClQueue *q, ClEvent *e);
/* With the lock: takes an ended event out of the queue's list. */
void queue_remove(ClQueue *q, ClEvent *e);

/* --- commands (command.c) ---------------------------------------------------------------- */

/* The wait list of a call. */
typedef struct {
    cl_uint n;
    const cl_event *list;
} Waits;

typedef enum { WAIT_LIST, WAIT_ALL, BARRIER } Ordering; /* WAIT_ALL: for every command so far */

/* CL_SUCCESS; or CL_INVALID_EVENT_WAIT_LIST or CL_INVALID_CONTEXT, if the list is wrong. */
cl_int check_waits(const ClContext *c, Waits w);
/* Enqueues work, which it owns even if it fails.  With `blocking`, waits for the command and
 * returns how it ended. */
cl_int enqueue(ClQueue *q, cl_command_type type, Work work, Waits w, Ordering order, bool blocking,
               cl_event *event);

/* Keeps work, which it owns even if it fails, for every run of the command buffer. */
cl_int commandbuffer_record(struct _cl_command_buffer_khr *b, Work work);
/* The function of cl_khr_command_buffer of that name, or NULL. */
void *commandbuffer_function(const char *name);

/* --- memory objects ---------------------------------------------------------------------- */

/* What map has given out. */
typedef struct Mapping Mapping;
struct Mapping {
    Mapping *next;
    void *pointer;
    struct Rows {           /* in the object: bytes of a row, where rows and slices begin */
        size_t offset, row, rows, slices, row_pitch, slice_pitch;
    } place;
    cl_map_flags flags;
    bool is_busy;           /* an unmap is enqueued */
};

/* What an image has besides the bytes of a memory object. */
typedef struct {
    cl_mem_object_type type;
    cl_image_format format;
    u32 pixel;              /* bytes */
    u32 width, height;      /* pixels; 1 where the type has no such dimension */
    u32 depth;              /* slices, or images of an array; else 1 */
    u32 row_pitch, slice_pitch; /* bytes; both count although the type has no such dimension */
    ClMem *source;          /* the buffer or image whose bytes it shows, or NULL */
} Image;

struct _cl_mem {
    Head head;
    ClContext *context;
    Image *image;           /* or NULL */
    u32 packet, packets;    /* of a pipe: bytes of one, and how many it holds; else 0 */
    ClMem *parent;          /* whose bytes it has: of a sub-buffer, of an image with a source; else
                             * NULL; has what follows `size`, but the maps */
    size_t origin, size;    /* bytes; origin in the parent */
    cl_mem_flags flags;
    void *host_ptr;         /* with CL_MEM_USE_HOST_PTR */
    cl_mem_properties *properties;
    size_t nproperties;
    ClMem *next_mem, *previous_mem; /* of the context */
    u8 *direct;             /* the device's memory as the host sees it, or NULL */
    pthread_mutex_t copy_lock; /* guards the bytes of host_ptr and shadow that maps bring up to date */
    pthread_mutex_t lock;   /* guards what follows */
    u64 *addr;              /* a device; 0: not allocated there */
    bool *is_valid;         /* a device: it has the present contents */
    u8 *shadow;             /* what map gives out if the host cannot see the device's memory */
    Mapping *maps;
    u32 nmaps;
    Callback *destructors;
};

static inline bool mem_is_buffer(const ClMem *m) { return !m->image && !m->packets; }

/* What a command does with a buffer. */
typedef enum { ACCESS_READ = 1, ACCESS_WRITE = 2 } Access;

/* The address of the object's bytes on a device of its context; brings contents there and, for
 * ACCESS_WRITE, makes those on other devices stale. */
cl_int buffer_address(ClMem *m, u32 device, Access access, u64 *addr);
/* CL_SUCCESS, if the handle is a memory object, buffer or image of the queue's context; else the error
 * to answer. */
cl_int check_mem(const ClQueue *q, cl_mem handle);
cl_int check_buffer(const ClQueue *q, cl_mem handle);
cl_int check_is_image(const ClQueue *q, cl_mem handle);
bool is_misaligned(const ClQueue *q, const ClMem *m); /* a sub-buffer */
/* The API's error for a status of the driver. */
cl_int status_of_driver(DrvStatus s);

enum {
    DEVICE_ACCESS = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
    HOST_ACCESS = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
    HOST_POINTER = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR
};
/* Whether flags of a new object do not contradict each other. */
bool mem_flags_agree(cl_mem_flags flags);
/* The flags of an object that shows bytes of the parent. */
cl_int mem_inherit(const ClMem *parent, cl_mem_flags *flags);
/* Most bytes of an object. */
u64 mem_largest(const ClContext *c);
/* The steps of making an object: an object without memory; memory, filled with what host_ptr, if it is not
 * NULL, gives; part of another object's memory; the object becomes known to its context. */
ClMem *mem_new(ClContext *c, cl_mem_flags flags, size_t size);
cl_int mem_fill(ClMem *m, const void *host_ptr);
void mem_join(ClMem *m, ClMem *parent, size_t origin);
void mem_link(ClMem *m);
/* Keeps the end of a list, which is all that the application has given.  False: out of memory. */
bool mem_keep_properties(ClMem *m);

/* Unified shared memory (usm.c): what a device can do with the kind CL_DEVICE_*_MEM_CAPABILITIES_INTEL; the
 * end of what an application has left; the function of that name, or NULL. */
cl_bitfield usm_capabilities(const ClDevice *d, cl_device_info kind);
void usm_forget(ClContext *c);
void *usm_function(const char *name);

/* Enters a map of these bytes into the queue; mapping.c. */
cl_int map_bytes(ClQueue *q, ClMem *m, cl_command_type type, bool blocking, cl_map_flags flags,
                 struct Rows place, Waits w, cl_event *event, void **pointer);
/* CL_SUCCESS, if an object with these flags may be mapped so; else the error to answer. */
cl_int check_map_flags(const ClMem *m, cl_map_flags flags);

/* --- images and samplers ----------------------------------------------------------------- */

/* Largest images. */
enum { IMAGE2D_MOST = 16384, IMAGE3D_MOST = 2048, IMAGE_ARRAY_MOST = 2048, IMAGE_BUFFER_MOST = 1 << 24 };
enum { READ_IMAGES_MOST = 128, WRITE_IMAGES_MOST = 64, SAMPLERS_MOST = 16 };

bool image_is_array(const Image *i);
/* The words of its descriptor (isa/image.def) if its bytes are at addr. */
void image_describe(const Image *i, u32 addr, u32 words[]);
void image_free(Image *i); /* NULL is allowed */

/* CL_SUCCESS; or that there is no such format, or that the device has it not for these flags and type
 * (imageformat.c). */
cl_int format_check(const cl_image_format *f, cl_mem_flags flags, cl_mem_object_type type);
u32 format_pixel(const cl_image_format *f); /* bytes */
u32 format_word(const cl_image_format *f);  /* IMAGE_format of a descriptor */
/* The bytes of a pixel of that colour, which has the type that clEnqueueFillImage says. */
void format_encode(const cl_image_format *f, const void *colour, u8 bytes[16]);

/* Pipes: largest packet (bytes), most arguments of a kernel, most reservations that are not committed. */
enum { PIPE_PACKET_MOST = 1024, PIPES_MOST = 16, RESERVATIONS_MOST = 1024 };

struct _cl_sampler {
    Head head;
    ClContext *context;
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    cl_sampler_properties properties[8]; /* as given, with the 0 */
    u32 nproperties;        /* 0: none were given */
    u32 word;               /* what kernels get */
};

/* --- programs ---------------------------------------------------------------------------- */

/* What a build holds. */
typedef enum { CONTENT_NONE, CONTENT_BITCODE, CONTENT_LIBRARY, CONTENT_IMAGE } Content;

/* A program on one device. */
typedef struct {
    cl_build_status status;
    Content content;
    bool is_later;          /* bitcode of OpenCL C 2.0 or later, with groups of any size */
    Buf bytes;              /* bitcode, or an ELF image */
    Buf log;
    char *options;
    Object *image;          /* the driver's, while program is open; for what is read in it */
    Generation generation;  /* of the image */
    KernelTable table;      /* empty: the image has none */
    DrvProgram *program;
} Build;

struct _cl_program {
    Head head;
    ClContext *context;
    char *source;           /* or NULL */
    Buf il;                 /* SPIR-V, as it was given; empty: the program is made of something else */
    bool *is_target;        /* a device of the context: the program is for it; fixed at creation */
    pthread_mutex_t lock;   /* guards what follows; builds are fixed while there are kernels */
    Build *builds;          /* a device of the context */
    Buf special;            /* il with the constants that were set; empty: none were */
    u32 building;           /* builds under way */
    u32 nkernels;           /* kernel objects */
};

/* What messages and line tables call the source of a program. */
#define PROGRAM_NAME "program.cl"

/* Opens the image in b->bytes, with its kernel table, in the driver.  False: d heard why not. */
bool build_load(ClProgram *p, u32 device, Build *b, Diag *d);
void build_free(ClProgram *p, u32 device, Build *b);
/* The build of the device, or with NULL of any device, that has a loaded image; NULL: there is
 * none. */
Build *program_executable(ClProgram *p, const ClDevice *d);
ClProgram *program_new(ClContext *c);

/* --- binaries (container.c) -------------------------------------------------------------- */

/* Appends the build as a program binary. */
void container_write(Content content, const Build *b, Buf *out);
/* What a binary holds; *bytes points into it, *is_later is Build.is_later.  CONTENT_NONE: it is
 * damaged, or not one of ours. */
Content container_read(const void *binary, size_t size, const u8 **bytes, size_t *n,
                       bool *is_later);

/* --- kernels ----------------------------------------------------------------------------- */

/* The value of a kernel argument, as clSetKernelArg gave it. */
typedef struct {
    bool is_set, is_local, is_mem;
    size_t size;            /* bytes of the argument block, but of an image */
    ClMem *mem;             /* if is_mem; may be NULL; the kernel does not keep it alive */
    u8 *value;              /* if not; owned */
} Argument;

struct _cl_kernel {
    Head head;
    ClProgram *program;
    char *name;
    struct KernelFacts {
        const KernelInfo *info; /* what its source says; NULL: nothing is known */
        Resource record;        /* RES_NONE: no build, or no record */
    } *facts;               /* a device of the context; fixed, as builds are while there are kernels */
    pthread_mutex_t lock;   /* guards what follows */
    Argument *args;
    size_t nargs;           /* with a table: of the kernel; without: so far */
    bool has_table;
};

/* What the kernel's source says of it, for the device, or with NULL for any; NULL: nothing is
 * known. */
const KernelInfo *kernel_info(const ClKernel *k, const ClDevice *d);
/* With the kernel's lock: how many work-items a group of it can have on the device. */
u32 kernel_max_items(const ClKernel *k, const ClDevice *d);
/* With the kernel's lock: bytes of __local data that it needs with the arguments set so far. */
u64 kernel_local_bytes(const ClKernel *k, const ClDevice *d);

/* --- what is printed (hostio.c) ---------------------------------------------------------- */

void host_print(const char *text, size_t len);   /* what kernels print */
void host_report(const char *text);              /* a line for the user */
#endif
