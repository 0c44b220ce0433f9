/* grid.c -- groups and work-items of a launch as people name them.
 *
 * A grid whose last groups are smaller runs as several launches of equal groups (doc/abi.md,
 * "Metadata block").  Each counts its groups from 0; what is reported of them has the ids that they
 * have in the whole grid.
 */
#include "mach/warp.h"
#include <string.h>

const u32 *launch_grid(const Launch *l) { return l->grid[0] ? l->grid : l->groups; }

/* Whether along dimension i the launch has all full groups of the grid, or the smaller last one. */
static bool is_part_along(const Launch *l, int i, u32 first, u32 enqueued)
{
    if (!enqueued)
        return false;
    const u32 full = l->global[i] / enqueued, rest = l->global[i] % enqueued;
    return first ? first == full && l->groups[i] == 1 && l->local[i] == rest
                 : l->groups[i] == full && l->local[i] == enqueued;
}

void launch_set_part(Launch *l, const u32 first[3], const u32 enqueued[3])
{
    bool is_part = true;
    for (int i = 0; i < 3; i++)
        is_part &= is_part_along(l, i, first[i], enqueued[i]);
    memset(l->grid, 0, sizeof l->grid);
    memset(l->first, 0, sizeof l->first);
    for (int i = 0; is_part && i < 3; i++) {
        l->grid[i] = l->global[i] / enqueued[i] + (l->global[i] % enqueued[i] != 0);
        l->first[i] = first[i];
    }
}

static void place_group(const u32 groups[3], u64 linear, u32 at[3])
{
    at[0] = (u32)(linear % groups[0]);
    at[1] = (u32)(linear / groups[0] % groups[1]);
    at[2] = (u32)(linear / groups[0] / groups[1]);
}

void launch_group_id(const Launch *l, u64 linear, u32 id[3])
{
    place_group(l->groups, linear, id);
    for (int i = 0; i < 3; i++)
        id[i] += l->first[i];
}

u64 launch_group_number(const Launch *l, u64 linear)
{
    u32 id[3];
    if (!l->grid[0])
        return linear;
    launch_group_id(l, linear, id);
    return id[0] + l->grid[0] * (id[1] + (u64)l->grid[1] * id[2]);
}

FaultItem launch_item(const Launch *l, u64 group, u32 linear)
{
    const u32 *n = l->local;
    u32 at[3];
    FaultItem x = {.local = {linear % n[0], linear / n[0] % n[1], linear / n[0] / n[1]}};
    place_group(l->groups, group, at);
    for (int i = 0; i < 3; i++)
        x.item[i] = l->offset[i] + at[i] * n[i] + x.local[i];
    return x;
}
