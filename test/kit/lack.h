/* lack.h -- a job in which one allocation after the other fails.
 *
 * In the hostile build src/base/mem.c counts requests and refuses one.  In a plain one malloc() and its kin are
 * replaced here for the whole process: requests from the code of one object, the program or a library, count.  With
 * sanitizers, which replace them too, such tests are skipped.
 */
#ifndef KIT_LACK_H
#define KIT_LACK_H
#include "base/mem.h"
#include "test/kit/skip.h"
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* How many allocations were made so far, in the library that the job is in. */
typedef size_t LackCount(void);
/* What is tried: asserts nothing, leaves nothing behind, and says whether it succeeded.  What it
 * has made, as bytes, is appended to `made`; they are the same whenever it succeeds. */
typedef bool LackJob(Buf *made);

/* far from what a sanitizer ends with that has found something */
enum { LACK_DONE = 40, LACK_FAILED, LACK_DIFFERS };

/* A job may say how many requests it begins with that another job has already gone without. */
static size_t lack_known;

#if defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LACK_SANITIZED
#endif
#endif
#if !defined HOSTILE && !defined LACK_SANITIZED && !defined __SANITIZE_ADDRESS__ &&                \
    !defined __SANITIZE_THREAD__
#define LACK_BY_MALLOC
#define SEEN_BY_ALL __attribute__((visibility("default")))

static struct {
    uintptr_t lo, end; /* code whose requests count; equal: none */
    atomic_size_t requests, live;
    size_t nth; /* the request that is refused; 0: none */
} lack;

static inline bool lack_counts(const void *caller)
{
    return (uintptr_t)caller >= lack.lo && (uintptr_t)caller < lack.end;
}

static inline bool lack_refuses(bool counts)
{
    return counts && atomic_fetch_add(&lack.requests, 1) + 1 == lack.nth;
}

/* The blocks that were given out.  (Whose code frees one does not tell whose it is: a library may leave
 * that to the last jump of a function.) */
enum { LACK_BLOCKS = 1 << 16 };
static void *_Atomic lack_block[LACK_BLOCKS]; /* NULL: never used; the array itself: free again */

static inline size_t lack_slot(const void *p, size_t k)
{
    return (((uintptr_t)p >> 4) * 40503 + k) % LACK_BLOCKS;
}

static inline void *lack_given(bool counts, void *p)
{
    for (size_t k = 0; counts && p && k < LACK_BLOCKS; k++) {
        void *was = lack_block[lack_slot(p, k)];
        if ((was && was != lack_block) ||
            !atomic_compare_exchange_strong(&lack_block[lack_slot(p, k)], &was, p))
            continue;
        atomic_fetch_add(&lack.live, 1);
        break;
    }
    return p;
}

/* Whether it was given out. */
static inline bool lack_taken(void *p)
{
    for (size_t k = 0; p && k < LACK_BLOCKS && lack_block[lack_slot(p, k)]; k++)
        if (lack_block[lack_slot(p, k)] == p) {
            lack_block[lack_slot(p, k)] = lack_block;
            atomic_fetch_sub(&lack.live, 1);
            return true;
        }
    return false;
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

SEEN_BY_ALL void *malloc(size_t size)
{
    const bool counts = lack_counts(__builtin_return_address(0));
    return lack_refuses(counts) ? NULL : lack_given(counts, __libc_malloc(size));
}

SEEN_BY_ALL void *calloc(size_t n, size_t size)
{
    const bool counts = lack_counts(__builtin_return_address(0));
    return lack_refuses(counts) ? NULL : lack_given(counts, __libc_calloc(n, size));
}

SEEN_BY_ALL void *realloc(void *old, size_t size)
{
    const bool counts = lack_counts(__builtin_return_address(0));
    if (lack_refuses(counts))
        return NULL;
    const bool is_ours = lack_taken(old) || (counts && !old);
    void *p = __libc_realloc(old, size);
    lack_given(is_ours, p ? p : old);
    return p;
}

SEEN_BY_ALL void *aligned_alloc(size_t align, size_t size)
{
    const bool counts = lack_counts(__builtin_return_address(0));
    return lack_refuses(counts) ? NULL : lack_given(counts, __libc_memalign(align, size));
}

SEEN_BY_ALL void free(void *p)
{
    lack_taken(p);
    __libc_free(p);
}

static int lack_find(struct dl_phdr_info *o, size_t size, void *library)
{
    (void)size;
    if (library ? !strstr(o->dlpi_name, library) : *o->dlpi_name)
        return 0;
    for (int i = 0; i < o->dlpi_phnum; i++)
        if (o->dlpi_phdr[i].p_type == PT_LOAD && o->dlpi_phdr[i].p_flags & PF_X) {
            lack.lo = o->dlpi_addr + o->dlpi_phdr[i].p_vaddr;
            lack.end = lack.lo + o->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

/* From now on requests of the library count, or with NULL those of the program itself. */
static inline void lack_watch(const char *library)
{
    dl_iterate_phdr(lack_find, (void *)(uintptr_t)library);
    assert_true(lack.lo < lack.end);
}

static inline size_t lack_requests(void) { return atomic_load(&lack.requests); }
__attribute__((unused)) static size_t lack_live(void) { return atomic_load(&lack.live); }
#endif

/* The exit status of the job's child, in which the nth allocation fails.  *n: the allocations at
 * its end. */
static inline int lack_in_child(LackJob *job, const Buf *right, LackCount *count, size_t nth,
                                size_t *n)
{
    int status;
    size_t *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    const pid_t child = fork();
    if (child == 0) {
        Buf made = {0};
        char text[32];
        for (int sig = 1; sig < NSIG; sig++) /* cmocka would go on with the next test */
            signal(sig, SIG_DFL);
        snprintf(text, sizeof text, "%zu", nth);
        setenv("VENTUS_FAIL_ALLOC", text, 1);
#ifdef LACK_BY_MALLOC
        lack.nth = nth;
#endif
        const bool ok = job(&made) && !made.failed;
        *shared = count();
        const bool same =
            made.len == right->len && (!made.len || !memcmp(made.data, right->data, made.len));
        buf_free(&made);
        exit(!ok ? LACK_FAILED : same ? LACK_DONE : LACK_DIFFERS);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    *n = *shared;
    munmap(shared, sizeof *shared);
    return status;
}

/* Whichever of its allocations fails, the job ends; it fails for some, and may do without others,
 * but then makes what it makes with all.  Every `step`th one is tried. */
static inline void lack_of_memory(LackJob *job, LackCount *count, size_t step)
{
    Buf right = {0};
    size_t n, failed = 0;
    lack_known = 0;
    assert_true(job(&right));
    for (size_t nth = count() + 1 + lack_known;; nth += step) {
        const int status = lack_in_child(job, &right, count, nth, &n);
        if (!WIFEXITED(status) || WEXITSTATUS(status) < LACK_DONE ||
            WEXITSTATUS(status) > LACK_DIFFERS)
            fail_msg("without allocation %zu the job ended with %x", nth, (unsigned)status);
        if (WEXITSTATUS(status) == LACK_DIFFERS)
            fail_msg("without allocation %zu something else was made", nth);
        if (n < nth) /* it did not get that far */
            break;
        failed += WEXITSTATUS(status) == LACK_FAILED;
    }
    assert_true(failed > 0);
    buf_free(&right);
}

#ifdef HOSTILE
#define LACK_OF_MEMORY(job) lack_of_memory(job, mem_requests, 1)
#elif defined LACK_BY_MALLOC
#define LACK_OF_MEMORY(job) (lack_watch(NULL), lack_of_memory(job, lack_requests, 1))
#else
#define LACK_OF_MEMORY(job)                                                                        \
    do {                                                                                           \
        (void)(job);                                                                               \
        skip_because("needs the hostile build, or a plain one");                                                   \
    } while (0)
#endif
#endif
