/* picture_internal.h -- what kinds of pictures have in common: a file with a limit, and the clock. */
#ifndef PROF_PICTURE_INTERNAL_H
#define PROF_PICTURE_INTERNAL_H
#include "base/mem.h"
#include "prof/picture.h"
#include <pthread.h>

/* The beginning of every kind; it fills in what is marked. */
struct Picture {
    FILE *file;
    PictureOptions opt;
    u32 kinds, period;      /* of its CycleObserver; the kind's */
    void (*draw)(Picture *p, const CycleEvent *e);        /* the kind's */
    void (*count)(Picture *p, const CycleCounters *c);    /* the kind's, or NULL */
    void (*finish)(Picture *p); /* writes the end, frees what is the kind's; the kind's */
    pthread_mutex_t lock;   /* held while a launch runs; guards the rest */
    int error;              /* errno of the first failure; 0: none */
    bool full;
    u64 full_at;            /* cycle */
    u64 bytes;
    u64 offset, last;       /* from cycles of events to those of the file; the last one */
};

/* A picture in a struct of that size, which begins with it.  NULL: out of memory. */
Picture *picture_new(size_t size, FILE *to, const PictureOptions *opt);
void put(Picture *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
void picture_lacks_memory(Picture *p);
/* Whether what begins in this cycle is to be in the file. */
bool picture_takes(Picture *p, u64 cycle);

/* The element of a growing array, zeroed, that an SM and a slot have; NULL: out of memory. */
#define picture_place(p, a, n, cap, at)                                                            \
    (picture_reach_(p, (void **)&(a), &(n), &(cap), sizeof *(a), at) ? &(a)[at] : NULL)
bool picture_reach_(Picture *p, void **a, size_t *n, size_t *cap, size_t size, size_t at);
static inline size_t slot_at(const CycleEvent *e) { return (size_t)e->sm * MAX_WARPS + e->slot; }
#endif
