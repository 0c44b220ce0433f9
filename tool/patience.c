/* patience.c -- launches that take long: Ctrl-C ends one with a report of where it stands.
 *
 * SIGINT is blocked before the driver makes threads, which inherit that, and a thread of its own
 * waits for it.
 */
#include "tool/common.h"
#include <signal.h>
#include <unistd.h>

enum { SECONDS = 5 }; /* before a person at a terminal is told */

static sigset_t only_interrupt(void)
{
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, SIGINT);
    return s;
}

static void *wait_for_interrupt(void *self)
{
    static const char notice[] =
        "ventus: the kernel still runs; Ctrl-C ends it and says where it is\n";
    Patience *p = self;
    const sigset_t set = only_interrupt();
    const struct timespec limit = {.tv_sec = SECONDS};
    if (sigtimedwait(&set, NULL, &limit) != SIGINT) {
        if (isatty(STDERR_FILENO) && write(STDERR_FILENO, notice, sizeof notice - 1) < 0)
            return NULL;
        while (sigwaitinfo(&set, NULL) != SIGINT)
            ;
    }
    atomic_store(&p->interrupted, true);
    drv_interrupt(p->driver);
    /* who asks twice does not want to wait for the report */
    while (sigwaitinfo(&set, NULL) != SIGINT)
        ;
    _exit(INTERRUPTED);
}

void patience_prepare(Patience *p)
{
    const sigset_t set = only_interrupt();
    *p = (Patience){.driver = NULL};
    pthread_sigmask(SIG_BLOCK, &set, &p->before);
}

void patience_begin(Patience *p, Driver *driver)
{
    p->driver = driver;
    p->runs = !pthread_create(&p->thread, NULL, wait_for_interrupt, p);
}

int patience_end(Patience *p, int status)
{
    if (p->runs) {
        pthread_cancel(p->thread);
        pthread_join(p->thread, NULL);
    }
    pthread_sigmask(SIG_SETMASK, &p->before, NULL);
    return atomic_load(&p->interrupted) ? INTERRUPTED : status;
}
