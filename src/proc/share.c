/* share.c -- forks that begin with their code mapped.
 *
 * A fork takes over which pages of data are mapped, but not those of files that nobody has written
 * to: each piece of code that it runs is a page fault again.  The kernel decides that by whole
 * mappings, and takes over all pages of one in which a single page is a copy.  So a byte of each
 * large mapping of code is written, through /proc/self/mem and as it was, which the protection of
 * the mapping does not forbid.  Where the kernel is set up to forbid it, nothing changes.
 */
#include "proc/proc.h"
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

enum { LEAST = 256 << 10 /* bytes of code that are worth it */ };

static int share(struct dl_phdr_info *object, size_t size, void *memory)
{
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const ElfW(Addr) at = object->dlpi_addr + part->p_vaddr;
        const bool is_constant = (part->p_flags & (PF_R | PF_W)) == PF_R;
        if (part->p_type == PT_LOAD && is_constant && part->p_memsz >= LEAST)
            (void)!pwrite(*(int *)memory, (const void *)at, 1, (off_t)at);
    }
    return 0;
}

void proc_share_code(void)
{
    int memory = open("/proc/self/mem", O_WRONLY | O_CLOEXEC);
    if (memory < 0)
        return;
    dl_iterate_phdr(share, &memory);
    close(memory);
}
