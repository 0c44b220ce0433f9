/* pictures.c -- files for pictures (pictures.h). */
#include "tool/pictures.h"
#include "tool/tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void pictures_option_cycles(struct argp_state *state, const char *arg, PictureOptions *part)
{
    char *end;
    errno = 0;
    part->from = strtoull(arg, &end, 10);
    part->to = 0;
    const bool open = *end == '-' && !end[1];
    if (*end == '-' && end[1] != '-' && !open)
        part->to = strtoull(end + 1, &end, 10);
    if (*arg < '0' || *arg > '9' || errno || (*end && !open) ||
        (part->to && part->to <= part->from))
        argp_error(state, "--picture-cycles: '%s' is not FROM or FROM-TO", arg);
}

bool pictures_check(const PicturesWanted *w, bool sample, const EngineKind *engine, Diag *d)
{
    const char *option = w->pipeline   ? "--pipeline"
                         : w->timeline ? "--timeline"
                         : sample      ? "--sample"
                                       : NULL;
    if (!option || !strcmp(engine->name, "timing"))
        return true;
    error(d, &(Source){.name = "ventus", .text = ""}, NULL,
          "%s is about cycles, which the engine %s does not count; give --engine timing", option,
          engine->name);
    return false;
}

static bool open_one(Pictures *p, size_t i, const char *name,
                     Picture *make(FILE *, const PictureOptions *), const PictureOptions *part,
                     Diag *d)
{
    struct OnePicture *one = &p->one[i];
    if (!name)
        return true;
    one->name = name;
    if (!(one->file = strcmp(name, "-") ? fopen(name, "w") : stdout)) {
        file_error(d, name);
        return false;
    }
    if (!(one->picture = make(one->file, part)))
        out_of_memory();
    p->observer[i] = picture_observer(one->picture);
    return true;
}

bool pictures_open(Pictures *p, const PicturesWanted *w, LaunchOptions *run, Diag *d)
{
    *p = (Pictures){0};
    if (!open_one(p, 0, w->pipeline, pipeline_new, &w->part, d) ||
        !open_one(p, 1, w->timeline, timeline_new, &w->part, d))
        return false;
    for (size_t i = NPICTURES; i-- > 0;)
        if (p->one[i].picture) {
            p->observer[i].next = run->cycles;
            run->cycles = &p->observer[i];
        }
    return true;
}

bool pictures_close(Pictures *p, Diag *d)
{
    bool all = true;
    for (size_t i = 0; i < NPICTURES; i++) {
        struct OnePicture *one = &p->one[i];
        u64 cycle;
        if (!one->file)
            continue;
        if (one->picture && picture_is_full(one->picture, &cycle))
            fprintf(stderr,
                    "%s: nothing that begins after cycle %llu; --picture-limit and "
                    "--picture-cycles choose what is shown\n",
                    one->name, (unsigned long long)cycle);
        bool ok = picture_free(one->picture);
        if (one->file != stdout && fclose(one->file))
            ok = false;
        if (!ok)
            file_error(d, one->name);
        all = all && ok;
    }
    return all;
}
