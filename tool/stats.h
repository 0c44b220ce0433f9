/* stats.h -- what a run did, counted.  doc/man/ventus-run.1 defines every counter. */
#ifndef TOOL_STATS_H
#define TOOL_STATS_H
#include "drv/drv.h"
#include "jit/jit.h"
#include "mach/observe.h"
#include "time/time.h"

typedef struct Stats Stats;

Stats *stats_new(void); /* NULL: no memory */
void stats_free(Stats *s);
Observer stats_observer(Stats *s);
/* After each launch; slots: its issue slots, or NULL.  False: no memory. */
bool stats_launch(Stats *s, const char *kernel, const DrvResult *r, const TimeSlots *slots,
                  double seconds);

/* What the engine did with host code, once at the end. */
void stats_engine(Stats *s, const JitStats *engine);

/* Where the cycles went, once at the end, of an engine that counts them. */
void stats_time(Stats *s, const TimeResult *all);

/* An option in force, printed before the counters.  False: no memory. */
bool stats_option(Stats *s, const char *name, const char *value);

/* `name value # description` a line; or one JSON object. */
void stats_text(const Stats *s, Buf *out);
bool stats_json(const Stats *s, Buf *out);
#endif
