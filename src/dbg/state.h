/* state.h -- registers and memory as gdb sees them from a lane.
 *
 * A thread of the protocol is a lane of the group that runs; its id is its number in the group,
 * from 1.  It has the scalar registers of its warp and its elements of the vector registers.  The
 * pc of a lane on a side that waits is where it will go on.
 *
 * Addresses below 16 MiB are the lane's own (no buffer lies there): its private memory, and from
 * REGISTER_WINDOW (obj/dwarf.h) on its registers, so that a location in DWARF can name those for
 * which gdb has no number.
 */
#ifndef DBG_STATE_H
#define DBG_STATE_H
#include "dbg/run.h"
#include "obj/dwarf.h"

#define OWN_END 0x01000000u

/* A lane of the group. */
typedef struct { Warp *warp; u32 lane; } Lane;

/* By the id of its thread; false: there is none. */
bool lane_find(const Run *r, u32 thread, Lane *l);
u32 lane_thread(Lane l);
/* Whether it takes part in the next instruction of its warp. */
bool lane_is_active(Lane l);
u32 lane_pc(Lane l);
/* Appends "group 0,0,0 warp 0 lane 3, global 3,0,0" and what is special of it. */
void lane_describe(Lane l, Buf *to);

/* The description of the registers for gdb, XML. */
void state_describe_registers(const Launch *l, Buf *to);
/* Registers of the answer to `g`: x0 to x31 and pc. */
enum { PC_REGISTER = 32, BASIC_REGISTERS = 33 };
/* The bytes of register n of the description; their number; 0: there is no such register. */
enum { MOST_REGISTER = 4 * MAX_LANES };
u32 state_read_register(const Run *r, Lane l, u32 n, u8 to[MOST_REGISTER]);
/* False: it cannot be written, or has another size. */
bool state_write_register(Run *r, Lane l, u32 n, const u8 *from, u32 size);

/* Copies at most `size` bytes at addr as the lane sees them; how many were there. */
u64 state_read_memory(const Run *r, Lane l, u64 addr, u8 *to, u64 size);
/* False: not all of them are there. */
bool state_write_memory(Run *r, Lane l, u64 addr, const u8 *from, u64 size);
#endif
