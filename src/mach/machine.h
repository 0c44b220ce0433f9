/* machine.h -- what of the hardware is configurable, as data.
 *
 * A machine description is a small text, one `name = value` a line, # starting a
 * comment; lib/machine/ has the shipped ones, which are built in.  A text may
 * begin from another: `base = rtl`.
 */
#ifndef MACH_MACHINE_H
#define MACH_MACHINE_H
#include "base/diag.h"
#include "isa/isa.h"

enum { MAX_LANES = 32, MAX_WARPS = 64 };

/* Every number is per SM unless it says otherwise. */
typedef struct {
    char name[32];
    u32 lanes;              /* threads a warp: 4, 8, 16 or 32 (NUM_THREAD) */
    u32 group_warps;        /* most warps of one group (NUM_WARP), up to MAX_WARPS */
    u32 sms;                /* of the device */
    u32 warps;              /* resident warps */
    u32 slots;              /* resident groups */
    u32 sgprs, vgprs;       /* physical registers; a vGPR is `lanes` words */
    u32 lds;                /* bytes of local memory */
    u32 simt_depth;         /* entries of the divergence stack */
} Machine;

typedef struct { const char *name, *text; } MachineText;
/* The built-in descriptions, the default one first, then a row of NULLs. */
extern const MachineText machine_texts[];

/* Reads a description into m, which is set to the default first.  False: d says
 * what is wrong. */
bool machine_parse(const char *file, const char *text, Machine *m, Diag *d);
/* A built-in one by name; NULL is the default.  False: there is none. */
bool machine_builtin(const char *name, Machine *m);

/* What one group needs. */
typedef struct {
    u32 warps;
    u32 sgprs, vgprs;       /* registers a warp, counted from 0 */
    u32 lds;                /* bytes of the group */
} GroupNeeds;

/* How many such groups an SM holds, and what decides.  0: it can never run. */
typedef struct {
    u32 groups, warps;      /* resident on one SM */
    const char *limit;      /* "warps", "slots", "sgprs", "vgprs", "lds" or "group" */
} Occupancy;

Occupancy machine_occupancy(const Machine *m, const GroupNeeds *n);
#endif
