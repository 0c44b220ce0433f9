/* mmu.h -- SV39 translation: three levels of page tables in device memory.
 *
 * The tables are made by the driver (drv/pagetable.c) and walked here, as hardware
 * would; 4 KiB leaves and the larger ones of the upper levels.  The local memory
 * window and fetches by physical code addresses are not translated by this unit.
 */
#ifndef MACH_MMU_H
#define MACH_MMU_H
#include "mach/memory.h"

/* Bits of a page table entry (RISC-V privileged manual, SV39). */
enum { PTE_V = 1, PTE_R = 2, PTE_W = 4, PTE_X = 8, PTE_A = 64, PTE_D = 128, PTE_PPN_SHIFT = 10 };

/* Where the page tables are. */
typedef struct {
    const Memory *memory;   /* physical, holds the tables */
    u64 root;               /* physical address of the first table */
} Mmu;

/* Recent translations of one group; cleared when tables change. */
enum { TLB_ENTRIES = 64 };
typedef struct {
    u64 vpn[TLB_ENTRIES];   /* virtual page number + 1; 0: empty */
    u64 ppn[TLB_ENTRIES];
    u8 perm[TLB_ENTRIES];   /* PTE_R, W, X */
} Tlb;

/* The physical address of virtual address va for an access that needs `perm`
 * (PTE_R, PTE_W or PTE_X).  False: a page fault. */
bool mmu_translate(const Mmu *mmu, Tlb *tlb, u64 va, u8 perm, u64 *pa);
#endif
