/* stack.c -- a stack of known size, for code whose recursion is as deep as its input says. */
#include "proc/proc.h"
#include <pthread.h>

typedef struct {
    int (*job)(void *self);
    void *self;
    int result;
} OnStack;

static void *run(void *self)
{
    OnStack *o = self;
    o->result = o->job(o->self);
    return NULL;
}

int proc_on_stack(int (*job)(void *self), void *self)
{
    OnStack o = {.job = job, .self = self, .result = -1};
    pthread_attr_t attr;
    pthread_t id;
    if (pthread_attr_init(&attr))
        return -1;
    if (!pthread_attr_setstacksize(&attr, PROC_STACK) && !pthread_create(&id, &attr, run, &o))
        pthread_join(id, NULL);
    pthread_attr_destroy(&attr);
    return o.result;
}
