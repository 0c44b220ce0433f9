/* machine.h -- the configurable numbers of the hardware, as data.
 *
 * A machine description is a small text, one `name = value` a line, # starting a
 * comment; lib/machine/ has the shipped ones, which are built in.  A text may
 * begin from another: `base = rtl`.  The names are the rows of machine.def.
 */
#ifndef MACH_MACHINE_H
#define MACH_MACHINE_H
#include "base/diag.h"
#include "isa/abi.h"
#include "isa/isa.h"

enum { MAX_LANES = ABI_LANES, MAX_WARPS = 64 };

/* A description: a value for each row of machine.def. */
typedef struct {
    char name[32];
#define PARAMETER(name, kind, unit, value, least, most, source, what) u32 name;
#include "mach/machine.def"
} Machine;

/* The values that a parameter may have. */
typedef enum { PARAMETER_NUMBER, PARAMETER_POWER_OF_2 } ParameterKind;

/* A row of machine.def. */
typedef struct {
    const char *name, *unit, *source, *what;
    ParameterKind kind;
    u32 value, least, most;     /* what it is unless a description says otherwise; its range */
    size_t offset;              /* of its u32 in a Machine */
} MachineParameter;

enum {
#define PARAMETER(name, kind, unit, value, least, most, source, what) PARAMETER_##name,
#include "mach/machine.def"
    NPARAMETER
};

/* By PARAMETER_name. */
extern const MachineParameter machine_parameter[NPARAMETER];

/* The value of a parameter. */
u32 machine_value(const Machine *m, const MachineParameter *p);

/* A description as text. */
typedef struct { const char *name, *text; } MachineText;
/* The built-in descriptions, then a row of NULLs. */
extern const MachineText machine_texts[];

/* Reads a description into m, whose parameters have the values of machine.def first.  `file` is for
 * messages, and without directory and suffix the machine's name.  False: d says what is wrong. */
bool machine_parse(const char *file, const char *text, Machine *m, Diag *d);
/* A built-in one by name; NULL is the machine `default`.  False: there is none. */
bool machine_builtin(const char *name, Machine *m);

/* The needs of one group. */
typedef struct {
    u32 warps;
    u32 sgprs, vgprs;       /* registers a warp, counted from 0 */
    u32 lds;                /* bytes of the group */
} GroupNeeds;

/* What code needs, by its instructions, where no record says it. */
typedef struct {
    u32 sgprs, vgprs;       /* the highest register that it uses, plus one */
    bool private;           /* it may reach private memory: by such an access, or from CSR_PDS */
} CodeNeeds;

/* How many groups an SM holds, and the resource that limits them. */
typedef struct {
    u32 groups, warps;      /* resident on one SM; 0: such a group can never run */
    const char *limit;      /* "warps", "slots", "sgprs", "vgprs", "lds" or "group" */
} Occupancy;

/* For groups with those needs. */
Occupancy machine_occupancy(const Machine *m, const GroupNeeds *n);
#endif
