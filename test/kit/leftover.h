/* leftover.h -- that tests leave nothing behind: memory, open files, large reservations of addresses.
 *
 * A program has leaves_nothing among its tests, and main() calls remember_tests() first.  The tests behind it in the
 * list run again: once to warm up, and twice more, after which as much memory is given out and as many files are open
 * as before.  What is kept for the next time may grow later, as when threads come in another order: only what grows
 * again and again is lost.  (Sanitizers count blocks themselves: only files are seen here then.)
 */
#ifndef KIT_LEFTOVER_H
#define KIT_LEFTOVER_H
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static inline int entries_of(const char *dir)
{
    int n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static inline int files_open(void) { return entries_of("/proc/self/fd"); }

/* Pages of this process's address space. */
static inline unsigned long pages_mapped(void)
{
    char text[64] = "";
    const int fd = open("/proc/self/statm", O_RDONLY);
    assert_true(fd >= 0 && read(fd, text, sizeof text - 1) > 0);
    close(fd);
    return strtoul(text, NULL, 10);
}

static const struct CMUnitTest *all_tests;
static size_t ntests;

static inline void run_again(const struct CMUnitTest *t, void **state)
{
    if (t->setup_func)
        assert_int_equal(t->setup_func(state), 0);
    t->test_func(state);
    if (t->teardown_func)
        assert_int_equal(t->teardown_func(state), 0);
}

static inline void leaves_nothing(void **state)
{
    enum { ATTEMPTS = 4, LARGE = 1 << 18 }; /* pages: malloc reserves less for its arenas */
    size_t first = 0;
    while (first < ntests && all_tests[first].test_func != leaves_nothing)
        first++;
    assert_true(first + 1 < ntests);
    for (const struct CMUnitTest *t = all_tests + first + 1; t < all_tests + ntests; t++) {
        size_t more = 0;
        unsigned long reserved = 0;
        int files = 0;
        run_again(t, state);
        for (int k = 0; k < ATTEMPTS && (!k || more || files || reserved > LARGE); k++) {
            const size_t before = mallinfo2().uordblks;
            const unsigned long pages_before = pages_mapped();
            const int open_before = files_open();
            run_again(t, state);
            run_again(t, state);
            const size_t after = mallinfo2().uordblks;
            const unsigned long pages = pages_mapped();
            more = after > before ? after - before : 0;
            reserved = pages > pages_before ? pages - pages_before : 0;
            files = files_open() - open_before;
        }
        if (more)
            fail_msg("%s leaves %zu bytes", t->name, more);
        if (reserved > LARGE)
            fail_msg("%s leaves %lu pages reserved", t->name, reserved);
        if (files)
            fail_msg("%s leaves %d files open", t->name, files);
    }
}

/* Starts the program again where malloc keeps something at hand for a thread, which would count as
 * given out. */
static inline void remember_tests(const struct CMUnitTest *tests, size_t n, char **argv)
{
    if (!getenv("GLIBC_TUNABLES") && !setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1))
        execv("/proc/self/exe", argv);
    all_tests = tests;
    ntests = n;
}
#endif
