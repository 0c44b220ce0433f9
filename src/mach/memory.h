/* memory.h -- the memory of a device, and of a group.
 *
 * A Memory is one reserved range of host memory, sparse: guest address a lies at
 * base + a.  base is a multiple of 4 GiB where the range has as much, so that the low 32 bits of the
 * host's pointer are the guest's address (src/cl/usm.c).  One byte a page tells what may be done there; every access looks at
 * it, so that a wild one is a fault of the guest and never one of the host.
 *
 * Launches look at these bytes while other threads map and unmap pages that those launches do not use.
 * So they are read and written as relaxed atomics, by memory_rights() and memory_set_rights() alone: a
 * look finds the old or the new rights of each page.  What orders a page's contents before its use is
 * what gave the user its address, the lock of the driver or a word of guest memory.
 *
 * Some pages are tracked: all of a group's local memory, and private memory.  They
 * start without MEM_W; the first store to one is noted in a DirtyList and sets
 * MEM_W.  When the group ends the noted pages are cleared, so that every group
 * finds zeros at a cost that grows with what was used.  Those of local memory stay
 * noted while the context runs groups of a launch, most of which use the same.
 */
#ifndef MACH_MEMORY_H
#define MACH_MEMORY_H
#include "base/base.h"
#include "isa/abi.h"
#include <stdatomic.h>
#include <string.h>

/* Pages of 4 KiB. */
enum { PAGE_BITS = 12, PAGE_SIZE = 1 << PAGE_BITS };

/* address ranges of the device (doc/abi.md, "Memory map") */
#define LDS_LO   RANGE_FROM(LOCAL)
#define LDS_END  RANGE_END(LOCAL)
#define CODE_LO  RANGE_FROM(CODE) /* every warp starts here */
#define CODE_END RANGE_END(CODE)
#define HEAP_LO  RANGE_FROM(HEAP)

enum {
    MEM_R = 1, MEM_W = 2, MEM_X = 4, /* an access needs its bit */
    MEM_TRACKED = 8,                 /* a store may set MEM_W, noting the page */
    MEM_CODE = 16,                   /* has decoded instructions; a store looks closer */
    MEM_OLD = 32                     /* not mapped; still has bytes from before, which memory_map() clears */
};

/* Guest memory, or the window of local memory of a group. */
typedef struct {
    u8 *base;               /* host address of guest address 0; LDS: only the window exists */
    u8 *page;               /* MEM_* of page 0 on, likewise: by memory_rights() */
    u64 lo, end;            /* guest addresses that exist */
    _Atomic u64 top;        /* no page from this address on was ever mapped */
    u64 old;                /* bytes of MEM_OLD pages */
    u64 large_lo, large_end; /* addresses for which large pages of the host were asked for last */
    _Atomic u64 plain;      /* first << 32 | past: pages all of which have MEM_R | MEM_W and nothing else; of a heap
                             * most that do, so that who looks for the end of a buffer need not look at all pages */
    _Atomic u32 changes;    /* by the host, of bytes and rights: counted before and after each */
    _Atomic bool is_shared; /* the host may write at any time, through pointers that it was given */
    void *block, *flags;    /* what was reserved */
} Memory;

/* Reserves guest addresses lo..end, multiples of a page, lo of eight; nothing is mapped.  False: the
 * host refuses. */
bool memory_open(Memory *m, u64 lo, u64 end);
void memory_close(Memory *m);

/* The `width` bytes (1, 2 or 4) at a host address of guest memory, in one access of the host: a memcpy
 * whose length is known only when it runs may write bytes twice, and undo in between what another
 * thread has stored there, such as a lock that it took. */
static inline u32 memory_get(const u8 *at, u32 width)
{
    u16 half;
    u32 word;
    switch (width) {
    case 1: return *at;
    case 2: memcpy(&half, at, sizeof half); return half;
    default: memcpy(&word, at, sizeof word); return word;
    }
}

static inline void memory_put(u8 *at, u32 width, u32 value)
{
    const u16 half = (u16)value;
    switch (width) {
    case 1: *at = (u8)value; break;
    case 2: memcpy(at, &half, sizeof half); break;
    default: memcpy(at, &value, sizeof value); break;
    }
}

/* The rights (MEM_*) of the page of that number. */
static inline u8 memory_rights(const Memory *m, u64 page)
{
    return __atomic_load_n(&m->page[page], __ATOMIC_RELAXED);
}
/* Those of 8 pages from one whose number is a multiple of 8 on, as bytes in the host's order. */
static inline u64 memory_rights8(const Memory *m, u64 page)
{
    return __atomic_load_n((const u64 *)(const void *)&m->page[page], __ATOMIC_RELAXED);
}
/* The pages of Memory.plain. */
typedef struct { u64 first, past; } PageSpan;
static inline PageSpan memory_plain(const Memory *m)
{
    const u64 both = atomic_load_explicit(&m->plain, memory_order_relaxed);
    return (PageSpan){both >> 32, both & UINT32_MAX};
}
/* Takes pages out of them, before they get other rights. */
void memory_leave_plain(Memory *m, u64 first, u64 past);

/* Sets the rights of a page that nobody else changes meanwhile. */
static inline void memory_set_rights(Memory *m, u64 page, u8 flags)
{
    const PageSpan plain = memory_plain(m);
    if (page - plain.first < plain.past - plain.first && flags != (MEM_R | MEM_W))
        memory_leave_plain(m, page, page + 1);
    __atomic_store_n(&m->page[page], flags, __ATOMIC_RELAXED);
}
/* The first page from that number on, before `past`, that has any rights; `past`: there is none. */
u64 memory_next_page(const Memory *m, u64 page, u64 past);

/* Gives the pages that overlap addr..addr+size the given flags; the bytes of
 * pages that were not mapped are zero.  The range must exist. */
void memory_map(Memory *m, u64 addr, u64 size, u8 flags);
/* Gives the pages that overlap the range these rights too, and leaves the bytes of mapped ones as they are. */
void memory_add_rights(Memory *m, u64 addr, u64 size, u8 flags);
/* Gives mapped pages other rights, or none.  Unlike the other functions it may be called while
 * others map and unmap other pages. */
void memory_allow(Memory *m, u64 addr, u64 size, u8 flags);
/* Unmaps the pages that lie wholly inside the range and gives their memory back to the host. */
void memory_unmap(Memory *m, u64 addr, u64 size);
/* Unmaps pages, but keeps their memory, up to 32 MiB in all, for the next memory_map(), since
 * clearing it costs less than getting it from the host again. */
void memory_retire(Memory *m, u64 addr, u64 size);
/* Whether every page of the range exists and has all of `flags`. */
bool memory_has(const Memory *m, u64 addr, u64 size, u8 flags);

/* Moves bytes of guests, which may overlap, at host addresses and without a lock.  Commands and
 * kernels that use the same bytes at the same time are races of their program;
 * test/runner/tsan.supp knows them by the name of this function. */
void memory_move_bytes(void *to, const void *from, u64 size);
/* The same to guest memory, by the host while launches may run, which is counted (Memory.changes). */
void memory_write(Memory *m, u64 addr, const void *from, u64 size);

/* Tracked pages that were stored to. */
typedef struct {
    u32 *page;              /* page numbers */
    size_t n, cap;
} DirtyList;

/* Clears the noted pages of m, which stay noted. */
void memory_clear(Memory *m, const DirtyList *d);
/* Clears the noted pages of m and makes them clean again; empties the list. */
void memory_clean(Memory *m, DirtyList *d);
#endif
