/* pictures.h -- the pictures that options of `run` and `replay` ask for (prof/picture.h). */
#ifndef TOOL_PICTURES_H
#define TOOL_PICTURES_H
#include "mach/engine.h"
#include "prof/picture.h"
#include <argp.h>

typedef struct {
    const char *pipeline, *timeline; /* files; NULL: not wanted */
    PictureOptions part;
} PicturesWanted;

enum { NPICTURES = 2 };

/* Those of a run; zeroed, there are none. */
typedef struct {
    struct OnePicture { const char *name; FILE *file; Picture *picture; } one[NPICTURES];
    CycleObserver observer[NPICTURES];
} Pictures;

/* FROM or FROM-TO. */
void pictures_option_cycles(struct argp_state *state, const char *arg, PictureOptions *part);
/* Whether the engine has the cycles for what is wanted, or for a sample.  False: reported. */
bool pictures_check(const PicturesWanted *w, bool sample, const EngineKind *engine, Diag *d);
/* Makes them; `run` then has what draws them, in p.  False: reported. */
bool pictures_open(Pictures *p, const PicturesWanted *w, LaunchOptions *run, Diag *d);
/* Closes their files; says on stderr which of them are not whole.  False: reported. */
bool pictures_close(Pictures *p, Diag *d);
#endif
