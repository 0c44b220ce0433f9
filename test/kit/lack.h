/* lack.h -- a job in which one allocation after the other fails; in the hostile build, skipped in others. */
#ifndef KIT_LACK_H
#define KIT_LACK_H
#include "test/kit/skip.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The exit status of the job's child, in which the nth allocation fails: 0 it succeeded, 1 it failed. */
static inline int lack_in_child(bool (*job)(void), int nth)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        char text[16];
        snprintf(text, sizeof text, "%d", nth);
        setenv("VENTUS_FAIL_ALLOC", text, 1);
        exit(job() ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* The job, which asserts nothing and leaves nothing behind, must end with true or false whichever allocation fails, and
 * with false for some.  Allocations before it are counted too, so that it is quickest as a program's first test. */
static inline void lack_of_memory(bool (*job)(void))
{
    bool failed = false;
#ifndef HOSTILE
    skip_because("needs the hostile build");
#endif
    for (int nth = 1; nth < 100000; nth++) {
        const int status = lack_in_child(job, nth);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
        if (failed && WEXITSTATUS(status) == 0)
            return;
        failed |= WEXITSTATUS(status) == 1;
    }
    fail_msg("no allocation failed");
}
#endif
