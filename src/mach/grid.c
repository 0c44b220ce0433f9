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
    return rest && first == full ? l->groups[i] == 1 && l->local[i] == rest
                                 : !first && l->groups[i] == full && l->local[i] == enqueued;
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
    return grid_item(l, launch_group_number(l, group), linear);
}

void grid_group_id(const Launch *l, u64 number, u32 id[3])
{
    place_group(launch_grid(l), number, id);
}

FaultItem grid_item(const Launch *l, u64 number, u32 linear)
{
    u32 at[3], n[3];
    FaultItem x;
    grid_group_id(l, number, at);
    for (int i = 0; i < 3; i++) {
        /* 1. the size of full groups, and of this one, which may be the smaller last one */
        const u32 first = l->first[i], local = l->local[i];
        const u32 full = first ? (l->global[i] - local) / first : local;
        const u32 left = l->global[i] - at[i] * full;
        n[i] = l->grid[0] && left && left < full ? left : full;
        /* 2. its first work-item; the offset is that of the launch's first group */
        x.item[i] = l->offset[i] + (at[i] - first) * full;
    }
    for (int i = 0; i < 3; i++) {
        x.local[i] = i < 2 ? linear % n[i] : linear;
        x.item[i] += x.local[i];
        linear /= n[i];
    }
    return x;
}
