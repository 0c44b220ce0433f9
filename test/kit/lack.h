/* lack.h -- a job in which one allocation after the other fails; in the hostile build, skipped in
 * others. */
#ifndef KIT_LACK_H
#define KIT_LACK_H
#include "base/mem.h"
#include "test/kit/skip.h"
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

enum { LACK_DONE, LACK_FAILED, LACK_DIFFERS };

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
        snprintf(text, sizeof text, "%zu", nth);
        setenv("VENTUS_FAIL_ALLOC", text, 1);
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
    assert_true(job(&right));
    for (size_t nth = count() + 1;; nth += step) {
        const int status = lack_in_child(job, &right, count, nth, &n);
        if (!WIFEXITED(status) || WEXITSTATUS(status) > LACK_DIFFERS)
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
#else
#define LACK_OF_MEMORY(job)                                                                        \
    do {                                                                                           \
        (void)(job);                                                                               \
        skip_because("needs the hostile build");                                                   \
    } while (0)
#endif
#endif
