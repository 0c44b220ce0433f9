/* skip.h -- a test that cannot run here says why. */
#ifndef KIT_SKIP_H
#define KIT_SKIP_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Leaves the test; the runner names it with the reason (test/runner/tap.awk). */
#define skip_because(...)                                                                          \
    do {                                                                                           \
        print_message("# skip: " __VA_ARGS__);                                                     \
        print_message("\n");                                                                       \
        skip();                                                                                    \
    } while (0)
#endif
