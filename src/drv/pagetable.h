/* pagetable.h -- SV39 tables and the frames behind virtual pages.
 *
 * Tables and frames lie in the device's one physical memory, outside the local
 * memory window and the code window.  Frames are handed out scattered, so that
 * pages side by side are not: code that forgets to translate cannot work by
 * accident.  Fetches are not translated; the code window is mapped to itself for
 * loads and stores.
 */
#ifndef DRV_PAGETABLE_H
#define DRV_PAGETABLE_H
#include "dev/dev.h"

/* The page tables of a driver, and its free frames. */
typedef struct {
    Memory *memory;
    u64 root;               /* physical address of the first table; 0: not open */
    u64 *taken;             /* one bit a frame */
    u64 cursor;             /* where the search for a frame goes on */
    u64 nfree;              /* frames */
} PageTable;

bool pagetable_open(PageTable *t, Memory *m); /* false: out of memory */
void pagetable_close(PageTable *t);

/* Maps addr..addr+size, whole pages that are not mapped, to zeroed frames.  False: there are not
 * enough frames, and nothing is mapped. */
bool pagetable_map(PageTable *t, u64 addr, u64 size);
/* Maps the pages of addr..addr+size to themselves. */
bool pagetable_map_same(PageTable *t, u64 addr, u64 size);
/* Unmaps the pages of the range that are mapped; frees their frames, and tables that become
 * empty. */
void pagetable_unmap(PageTable *t, u64 addr, u64 size);
#endif
