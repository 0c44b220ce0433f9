/* mmu.c -- the walk through the page tables, and the cache of its results. */
#include "mach/mmu.h"

enum { LEVELS = 3, INDEX_BITS = 9, PTE_SIZE = 8 };

static bool read_pte(const Memory *m, u64 addr, u64 *pte)
{
    if (!memory_has(m, addr, PTE_SIZE, MEM_R))
        return false;
    /* atomic, because the driver may map more pages meanwhile */
    *pte = __atomic_load_n((const u64 *)(const void *)(m->base + addr), __ATOMIC_ACQUIRE);
    return true;
}

/* the page number and rights of the leaf that covers va */
static bool walk(const Mmu *mmu, u64 va, u64 *ppn, u8 *perm)
{
    u64 table = mmu->root, pte;
    for (int level = LEVELS - 1; level >= 0; level--) {
        const int shift = PAGE_BITS + level * INDEX_BITS;
        const u64 index = va >> shift & ((1u << INDEX_BITS) - 1);
        if (!read_pte(mmu->memory, table + index * PTE_SIZE, &pte) || !(pte & PTE_V))
            return false;
        const u64 next = pte >> PTE_PPN_SHIFT & (((u64)1 << 44) - 1);
        if (pte & (PTE_R | PTE_W | PTE_X)) {
            const u64 inside = ((u64)1 << level * INDEX_BITS) - 1;
            if (next & inside) /* a large page must be aligned to its size */
                return false;
            *ppn = next | (va >> PAGE_BITS & inside);
            *perm = pte & (PTE_R | PTE_W | PTE_X);
            return true;
        }
        table = next << PAGE_BITS;
    }
    return false;
}

bool mmu_translate(const Mmu *mmu, Tlb *tlb, u64 va, u8 perm, u64 *pa)
{
    const u64 vpn = va >> PAGE_BITS, slot = vpn % TLB_ENTRIES;
    if (tlb->vpn[slot] != vpn + 1) {
        u64 ppn;
        u8 rights;
        if (va >> 39 || !walk(mmu, va, &ppn, &rights))
            return false;
        tlb->vpn[slot] = vpn + 1;
        tlb->ppn[slot] = ppn;
        tlb->perm[slot] = rights;
    }
    if (!(tlb->perm[slot] & perm))
        return false;
    *pa = tlb->ppn[slot] << PAGE_BITS | (va & (PAGE_SIZE - 1));
    return true;
}
