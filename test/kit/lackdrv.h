/* lackdrv.h -- jobs without memory (test/kit/lack.h) that use a driver. */
#ifndef KIT_LACKDRV_H
#define KIT_LACKDRV_H
#include "drv/drv.h"
#include "test/kit/lack.h"

/* The blocks that are in use; 0 where nobody counts them. */
static inline size_t live_blocks(void)
{
#ifdef HOSTILE
    return mem_live();
#elif defined LACK_BY_MALLOC
    return lack_live();
#else
    return 0;
#endif
}

/* Ends the job by a signal, unless that is so. */
static inline void must(bool is_so, const char *what)
{
    if (is_so)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* Whether the call succeeded; else it lacked memory. */
static inline bool did(DrvStatus s)
{
    must(!s || s == DRV_NO_MEMORY, drv_status_name(s));
    return !s;
}
#endif
