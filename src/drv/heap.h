/* heap.h -- which device addresses are taken.
 *
 * The heap deals in addresses only; its owner maps memory there.  Blocks are multiples of 4 KiB and
 * get the lowest free address that fits in
 *
 *     [0x90000000, 4 GiB)             first
 *     [0x01000000, 0x70000000)        when that is full
 *     [0, 0x01000000)                 only on demand (heap_alloc_at): private
 *                                     pointers look like these
 *     [4 GiB, 512 GiB)                for whoever can point there (heap_alloc_high)
 */
#ifndef DRV_HEAP_H
#define DRV_HEAP_H
#include "drv/drv.h"
#include "drv/range.h"

enum { NARENA = 4 };

/* The addresses of a device. */
typedef struct {
    Range *used;            /* blocks */
    Range *held;            /* addresses of blocks that were freed and may not be reused yet */
    Range *free[NARENA];    /* the rest of each arena */
    Range *spare[8];        /* nodes for blocks to come: each launch takes some and gives them back */
    u32 nspare;
    u64 bytes;              /* of blocks */
} Heap;

bool heap_open(Heap *h); /* false: out of memory */
void heap_close(Heap *h);

/* Allocate a block of `size` bytes and at least `gap` more, rounded up, at *addr.  DRV_DEVICE_FULL:
 * there is no room. */
DrvStatus heap_alloc(Heap *h, u64 size, u64 gap, u64 *addr);
DrvStatus heap_alloc_high(Heap *h, u64 size, u64 gap, u64 *addr);
/* The range must lie in one arena. */
DrvStatus heap_alloc_at(Heap *h, u64 addr, u64 size);
/* Makes one block of addr..addr+size and every block that overlaps it. */
DrvStatus heap_cover(Heap *h, u64 addr, u64 size);
/* *size is what the block had. */
DrvStatus heap_free(Heap *h, u64 addr, u64 *size);
/* The same, but the addresses are not free again before heap_release(). */
DrvStatus heap_hold(Heap *h, u64 addr, u64 *size);
/* Frees the addresses of one block that is held.  False: none is. */
bool heap_release(Heap *h, u64 *addr, u64 *size);
/* The block that has addr, or had it and is held; NULL: none. */
const Range *heap_find(const Heap *h, u64 addr);
const Range *heap_find_held(const Heap *h, u64 addr);
#endif
