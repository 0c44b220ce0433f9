/* clang_pages.c -- libventus-pages.so: clang's libraries are loaded with fewer page faults.
 *
 * The dynamic linker writes half a million addresses into the data of libLLVM and libclang-cpp, and
 * each of their two thousand pages costs a fault when it is first written.  As an auditing library
 * (LD_AUDIT, rtld-audit(7)) this one is told of each library between mapping and relocation, and
 * has the kernel make all pages of its data in one call.
 *
 * Auditing libraries have a name space of their own, to which a C library would be loaded again; so
 * this one needs none, and makes its system call itself.
 */
#include <asm/unistd.h>
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>

#define SHOWN __attribute__((visibility("default")))

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* since Linux 5.14; before, the call fails and nothing is lost */
#endif

enum { LEAST = 64 << 10 /* bytes of data that are worth the call */, PAGE = 4096 };

static void populate(uintptr_t from, uintptr_t to)
{
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(__NR_madvise), "D"(from), "S"(to - from), "d"(MADV_POPULATE_WRITE)
                     : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long number __asm__("x8") = __NR_madvise, what __asm__("x2") = MADV_POPULATE_WRITE;
    register uintptr_t at __asm__("x0") = from, len __asm__("x1") = to - from;
    __asm__ volatile("svc 0" : "+r"(at) : "r"(number), "r"(len), "r"(what) : "memory");
#else
    (void)from, (void)to;
#endif
}

SHOWN unsigned la_version(unsigned version) { return version; }

SHOWN unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    /* a shared library begins with its header; a program's own map has no name */
    const ElfW(Ehdr) *head = (const void *)map->l_addr; // NOLINT(performance-no-int-to-ptr)
    (void)space, (void)cookie;
    if (!map->l_addr || !*map->l_name)
        return 0;
    const ElfW(Phdr) *part = (const void *)((const char *)head + head->e_phoff);
    for (int i = 0; i < head->e_phnum; i++) {
        const uintptr_t from = map->l_addr + part[i].p_vaddr, to = from + part[i].p_filesz;
        if (part[i].p_type == PT_LOAD && part[i].p_flags & PF_W && part[i].p_filesz >= LEAST)
            populate(from & ~(uintptr_t)(PAGE - 1), to);
    }
    return 0;
}
