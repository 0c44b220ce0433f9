/* heap.h -- which device addresses are taken.
 *
 * Only addresses: who owns the heap maps memory behind them.  Blocks are multiples
 * of 4 KiB, allocated first fit at the lowest address of
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

typedef struct {
    Range *used;            /* blocks */
    Range *held;            /* blocks that were, and will be free again */
    Range *free[NARENA];    /* the rest of each arena */
    u64 bytes;              /* of blocks */
} Heap;

bool heap_open(Heap *h); /* false: out of memory */
void heap_close(Heap *h);

DrvStatus heap_alloc(Heap *h, u64 size, u64 *addr);
DrvStatus heap_alloc_high(Heap *h, u64 size, u64 *addr);
/* The range must lie in one arena. */
DrvStatus heap_alloc_at(Heap *h, u64 addr, u64 size);
/* Makes one block of addr..addr+size and every block that overlaps it. */
DrvStatus heap_cover(Heap *h, u64 addr, u64 size);
/* *size is what the block had. */
DrvStatus heap_free(Heap *h, u64 addr, u64 *size);
/* The same, but nobody gets the addresses before heap_release(). */
DrvStatus heap_hold(Heap *h, u64 addr, u64 *size);
/* Gives the addresses of one block that is held back to those who ask.  False: none is held. */
bool heap_release(Heap *h, u64 *addr, u64 *size);
/* The block that holds addr; NULL: none. */
const Range *heap_find(const Heap *h, u64 addr);
#endif
