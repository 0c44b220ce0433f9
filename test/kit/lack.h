/* lack.h -- a job in which one allocation after the other fails; in the hostile build, skipped in
 * others. */
#ifndef KIT_LACK_H
#define KIT_LACK_H
#include "base/mem.h"
#include "test/kit/skip.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* How many allocations were made so far, in the library that the job is in. */
typedef size_t LackCount(void);

/* The exit status of the job's child, in which the nth allocation fails: 0 it succeeded, 1 it
 * failed.  *made: the allocations at its end. */
static inline int lack_in_child(bool (*job)(void), LackCount *count, size_t nth, size_t *made)
{
    int status;
    size_t *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    const pid_t child = fork();
    if (child == 0) {
        char text[32];
        snprintf(text, sizeof text, "%zu", nth);
        setenv("VENTUS_FAIL_ALLOC", text, 1);
        const bool ok = job();
        *shared = count();
        exit(ok ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    *made = *shared;
    munmap(shared, sizeof *shared);
    return status;
}

/* The job, which asserts nothing and leaves nothing behind, must end with true or false whichever
 * of its allocations fails, and with false for some: it may do without others.  Every `step`th one
 * is tried. */
static inline void lack_of_memory(bool (*job)(void), LackCount *count, size_t step)
{
    size_t made, failed = 0;
    for (size_t nth = count() + 1;; nth += step) {
        const int status = lack_in_child(job, count, nth, &made);
        if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
            fail_msg("without allocation %zu the job ended with %x", nth, (unsigned)status);
        if (made < nth) /* it did not get that far */
            break;
        failed += WEXITSTATUS(status) == 1;
    }
    assert_true(failed > 0);
}

#ifdef HOSTILE
#define LACK_OF_MEMORY(job) lack_of_memory(job, mem_requests, 1)
#else
#define LACK_OF_MEMORY(job)                                                                        \
    do {                                                                                           \
        (void)(job);                                                                               \
        skip_because("needs the hostile build");                                                   \
    } while (0)
#endif
#endif
