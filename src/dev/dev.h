/* dev.h -- a device: memory, code and an engine that runs launches.
 *
 * The device knows addresses and images, not buffers and arguments: those are the driver's (drv/).
 * The driver must see to it that only one thread at a time changes mappings and code, and that
 * while launches run pages are only added and code does not change.
 */
#ifndef DEV_DEV_H
#define DEV_DEV_H
#include "mach/engine.h"
#include "mach/machine.h"
#include "obj/obj.h"
#include "obj/resource.h"

typedef struct Device Device;

/* All engines, then NULL; the first one is the default. */
extern const EngineKind *const dev_engines[];
/* The engine of that name; NULL: there is none, or not in this build. */
const EngineKind *dev_find_engine(const char *name);
/* Whether the public driver has a back end of that name, which means the default engine here. */
bool dev_is_public_backend(const char *name);
bool dev_has_engine(const EngineKind *kind); /* this build has it */

/* How a device is opened. */
typedef struct {
    Machine machine;
    IsaSet set;             /* profile for code without a mark */
    const EngineKind *engine;
    VmRule vm;
    bool strict, all_lanes, any_barrier, check_copies; /* mach/warp.h, Launch */
    bool mmu;               /* SV39: the driver makes the tables, addresses are virtual */
    bool narrow;            /* reserve 4 GiB of addresses instead of the 512 GiB of v2025 */
} DeviceOptions;

/* The code of a device. */
typedef struct {
    IsaSet set;             /* profile */
    Object *image;          /* what was loaded last, for symbols; or NULL */
    Generation generation;  /* of the image */
    int tp_word;            /* of the image (resource_tp_word) */
    CodeNeeds needs;        /* what its instructions show */
    u64 number;             /* of what the engine keeps of it (dev_put_away); 0: nothing */
    u64 alterations;        /* by dev_write() to code of the device, before it came */
} DevCode;

/* Whether the engine can model the machine; else d says why not. */
bool dev_check_options(const DeviceOptions *o, Diag *d);
/* The default options: default machine, v202, the first engine. */
DeviceOptions dev_defaults(void);
/* NULL: the host has no memory for it. */
Device *dev_open(const DeviceOptions *opt);
void dev_close(Device *d);

/* The options it was opened with, with the changes of dev_set_rules(). */
const DeviceOptions *dev_options(const Device *d);
/* Sets the machine, vm, strict, all_lanes, any_barrier and check_copies of later launches. */
void dev_set_rules(Device *d, const DeviceOptions *opt);
const DevCode *dev_code(const Device *d);
Engine *dev_engine(Device *d);
/* The physical memory; the device's owner maps what is not code. */
Memory *dev_memory(Device *d);
/* With the MMU: where the tables begin, a physical address. */
void dev_set_tables(Device *d, u64 root);
/* The physical address of a byte that a warp may read at addr; false: there is none. */
bool dev_translate(const Device *d, Tlb *tlb, u64 addr, u64 *physical);

/* Copies between host and device.  Every page of the range must be mapped (with the
 * MMU: physically); false: it is not.  Writing into the code window makes the
 * engine decode anew. */
bool dev_write(Device *d, u64 addr, const void *from, u64 size);
bool dev_read(const Device *d, u64 addr, void *to, u64 size);

/* Loads the segments of an image, which the device then owns, mapping their pages;
 * replaces the one loaded before.  False: the reasons are in d, the image is
 * the caller's still. */
bool dev_load(Device *dev, Object *image, Diag *d);

/* Takes the image out of memory; it is the caller's.  NULL: none was loaded. */
Object *dev_unload(Device *d);

/* The same for code that may come back: *code says what is known of it, and the image is the caller's.  Without an
 * image nothing happens, and code->image is NULL. */
void dev_put_away(Device *d, DevCode *code);
/* Loads the image again, as dev_load(), but nothing is checked or found out anew, and it cannot fail. */
void dev_bring_back(Device *d, const DevCode *code);
/* Code that was put away will not come back. */
void dev_drop(Device *d, const DevCode *code);

/* Tells the device that dev_write() has brought code, from addr up to `end`. */
void dev_code_written(Device *d, u64 addr, u64 end);

/* One launch, as the driver asks for it. */
typedef struct {
    const char *kernel;     /* for reports; may be NULL */
    u32 knl;                /* address of the metadata block */
    u32 groups[3];
    u32 warps, lanes;       /* of a group; of a warp */
    u32 sgprs, vgprs;       /* a warp; 0: what the code uses */
    u32 lds;                /* bytes a group */
    u32 pds, pds_lane;      /* base of private memory, bytes a lane */
    u64 pds_size;           /* bytes at pds; fewer than all groups need is fine */
    bool pds_shared;        /* groups that run one after the other have the same, even if there is enough for all */
    u64 max_insns;          /* a warp; 0: no limit */
    LaunchOptions run;
} DevLaunch;

/* How many groups with those needs run at a time: those that are resident on all SMs if the engine
 * counts cycles, else one a host thread; threads 0: one a processor. */
u64 dev_groups_at_once(const Device *d, const GroupNeeds *needs, u32 threads);

/* How a launch ended. */
typedef struct {
    LaunchResult run;
    Occupancy occupancy;
} DevResult;

/* Runs it to its end.  The index space and the print buffer are read from the metadata block.
 * False: result->run.fault says why. */
bool dev_launch(Device *d, const DevLaunch *l, DevResult *result);

/* From any thread: ends the launches that run now, with FAULT_STOPPED. */
void dev_interrupt(Device *d);
/* Waits for what its engine makes for later processes (EngineKind.finish). */
void dev_finish(Device *d);
/* From any thread: says that a program is being compiled for the first time (EngineKind.expect). */
void dev_expect(Device *d);

/* The report of a fault with symbols, lines and sources of the image.  kernel and memory, a phrase
 * about what lies near the address, may be NULL. */
void dev_report(const Device *d, const Fault *f, const char *kernel, const char *memory, Buf *out);
/* The same with another first sentence, and with lines to follow the place. */
void dev_report_as(const Device *d, const Fault *f, const char *kernel, const char *sentence,
                   const char *more, Buf *out);
/* Appends the lines of a report about the place of the instruction at pc, the first with `label`,
 * if it is known. */
void dev_put_place(const Device *d, u32 pc, const char *label, Buf *out);
#endif
