/* tags.c -- what is in a set-associative cache. */
#include "base/mem.h"
#include "time/model.h"

bool tags_open(Tags *t, u32 sets, u32 ways)
{
    *t = (Tags){.sets = sets, .ways = ways};
    t->way = mem_zalloc((size_t)sets * ways, sizeof *t->way);
    return t->way != NULL;
}

void tags_close(Tags *t)
{
    mem_free(t->way);
    t->way = NULL;
}

static Way *set_of(Tags *t, u32 line) { return &t->way[(size_t)(line % t->sets) * t->ways]; }

Way *tags_find(Tags *t, u32 line)
{
    Way *set = set_of(t, line);
    for (u32 i = 0; i < t->ways; i++)
        if (set[i].valid && set[i].line == line)
            return &set[i];
    return NULL;
}

void tags_touch(Tags *t, Way *w) { w->used = ++t->uses; }

Way *tags_victim(Tags *t, u32 line)
{
    Way *set = set_of(t, line), *oldest = set;
    for (u32 i = 1; i < t->ways; i++)
        if (set[i].used < oldest->used)
            oldest = &set[i];
    return oldest;
}

void tags_clear(Tags *t)
{
    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++)
        t->way[i] = (Way){.used = t->way[i].used};
}
