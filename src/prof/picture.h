/* picture.h -- pictures of launches on an engine that counts cycles: files that viewers show.
 *
 * A pipeline log (Kanata 0004, for Konata) has every instruction with its stages.  A timeline (JSON
 * trace events, for Perfetto) has launches, groups, and what each warp waited for.  Both are
 * written as the launch goes, take little memory, and stop growing at a limit.  Cycles are counted
 * from the first launch on, and launches stand one after the other.
 */
#ifndef PROF_PICTURE_H
#define PROF_PICTURE_H
#include "mach/observe.h"
#include <stdio.h>

/* Which part of what happens is in a picture. */
typedef struct {
    u64 from, to;           /* cycles; to 0: no end */
    u64 limit;              /* bytes of the file, about; 0: none */
} PictureOptions;

typedef struct Picture Picture;

/* A picture that is written to a file, which stays the caller's.  NULL: out of memory. */
Picture *pipeline_new(FILE *to, const PictureOptions *opt);
Picture *timeline_new(FILE *to, const PictureOptions *opt);
/* What draws it, for LaunchOptions.cycles.  If several threads launch, their launches wait for each
 * other. */
CycleObserver picture_observer(Picture *p);
/* Whether the limit was reached, and at which cycle. */
bool picture_is_full(const Picture *p, u64 *cycle);
/* Writes the end of the file.  NULL is allowed.  False: it could not be written; errno says why. */
bool picture_free(Picture *p);
#endif
