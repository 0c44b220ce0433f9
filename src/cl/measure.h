/* measure.h -- what VENTUS_PROFILE, VENTUS_PIPELINE and VENTUS_TIMELINE ask of all launches of the
 * process: files that are written when it ends. */
#ifndef CL_MEASURE_H
#define CL_MEASURE_H
#include "drv/drv.h"

typedef struct Measure Measure;

/* Names of files; NULL: not wanted.  NULL if none is wanted; or out of memory or of files, and d
 * says so. */
Measure *measure_open(const char *profile, const char *pipeline, const char *timeline, Diag *d);
/* Around a launch, with the options with which it is made; no other one that is measured runs
 * meanwhile.  NULL is allowed. */
void measure_begin(Measure *m, Driver *d, LaunchOptions *run);
void measure_end(Measure *m, Driver *d, const char *kernel, const DrvResult *r);
/* Writes the files.  False: not all of them. */
bool measure_close(Measure *m);
#endif
