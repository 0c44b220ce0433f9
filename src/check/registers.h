/* registers.h -- which bits of a warp's registers nobody wrote. */
#ifndef CHECK_REGISTERS_H
#define CHECK_REGISTERS_H
#include "mach/observe.h"

/* Where a value came from that nobody wrote. */
typedef struct {
    u32 pc;   /* of the load; 0: the register itself */
    u32 at;   /* with a note: bytes from the variable's begin */
    u64 addr; /* of a private variable that is known, its note (obj/notes.h) */
} Origin;

enum { REGISTERS = WATCH_ALWAYS };
/* Whether a register has bits that nobody wrote: none; those of its shadow; all. */
enum { WRITTEN, SHADOWED, FRESH };

/* The registers of a warp, by the indices of Observer.watches; an x register uses lane 0.  Nearly
 * all registers are written wholly, and their shadows are never looked at. */
typedef struct {
    u8 state[NWATCH]; /* as the table of watched registers, too */
    u32 shadow[REGISTERS][MAX_LANES];
    Origin origin[REGISTERS];
} Registers;

static inline u32 number_of(const IsaRegs *r, u32 k)
{
    return (r->is_vector ? 0u : WATCH_X) + r->first + k;
}

static inline u32 shadow_of(const Registers *r, u32 n, u32 lane)
{
    return r->state[n] == WRITTEN ? 0
           : r->state[n] == FRESH ? UINT32_MAX
                                  : r->shadow[n][n < WATCH_X ? lane : 0];
}

/* All of them are unwritten, but x0. */
void registers_reset(Registers *r);
/* The register is written, in these lanes, by bits of which `shadow` (by lane) says which nobody
 * wrote; NULL: none.  every: the lanes that the warp has. */
void registers_write(Registers *r, u32 n, u32 lanes, u32 every, const u32 *shadow);
/* The lanes in which the instruction acts. */
u32 registers_acting(const Warp *w, const Step *s);
/* Result d of an instruction that only computes, some of whose sources nobody wrote. */
void registers_compute(Registers *r, const Warp *w, const Step *s, const IsaRegs *d);
#endif
