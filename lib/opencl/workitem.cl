/* workitem.cl -- where a work-item is in the index space.
 *
 * The work-item's local linear id is CSR_tid + lane; everything else comes from the group's
 * coordinates in CSRs and from the metadata block.  Where the last groups are smaller, a launch is a
 * part of the grid (doc/abi.md, "Metadata block"): its groups begin at KNL_FIRST, its offset counts the
 * work-items before them, and KNL_ENQUEUED, otherwise 0, is the size of the other groups.  Of dimensions
 * other than 0 to 2 sizes are 1 and ids 0, as the standard says.
 */
#include "ventus.h"

static inline uint word(uint n) { return __ventus_knl()[n]; }

/* Reads all three, because the dimension may differ from lane to lane; if it is a constant, the reads that
 * are not used are removed. */
static inline uint group(uint dim)
{
    uint x = __ventus_csr(CSR_gidx), y = __ventus_csr(CSR_gidy), z = __ventus_csr(CSR_gidz);

    return dim == 0 ? x : dim == 1 ? y : dim == 2 ? z : 0;
}

size_t FLAT get_local_linear_id(void) { return __ventus_csr(CSR_tid) + __ventus_lane(); }

uint FLAT get_work_dim(void) { return word(KNL_DIMS); }
size_t FLAT get_global_size(uint dim) { return dim < 3 ? word(KNL_GLOBAL + dim) : 1; }
size_t FLAT get_local_size(uint dim) { return dim < 3 ? word(KNL_LOCAL + dim) : 1; }
size_t FLAT get_group_id(uint dim) { return dim < 3 ? word(KNL_FIRST + dim) + group(dim) : 0; }

static inline uint enqueued(uint dim)
{
    uint size = word(KNL_ENQUEUED + dim);
    return size ? size : word(KNL_LOCAL + dim);
}

/* work-items before the first group of the launch */
static inline uint before(uint dim) { return word(KNL_FIRST + dim) * word(KNL_ENQUEUED + dim); }

size_t FLAT get_enqueued_local_size(uint dim) { return dim < 3 ? enqueued(dim) : 1; }
size_t FLAT get_global_offset(uint dim) { return dim < 3 ? word(KNL_OFFSET + dim) - before(dim) : 0; }
size_t FLAT get_num_groups(uint dim)
{
    return dim < 3 ? (word(KNL_GLOBAL + dim) - 1) / enqueued(dim) + 1 : 1;
}

/* Straight lines, also where a group of one dimension would need no division: what a kernel computes
 * twice folds into one, and a branch costs more instructions than it saves. */
size_t FLAT get_local_id(uint dim)
{
    uint id = get_local_linear_id();

    switch (dim) {
    case 0: return id % word(KNL_LOCAL);
    case 1: return id / word(KNL_LOCAL) % word(KNL_LOCAL + 1);
    case 2: return id / (word(KNL_LOCAL) * word(KNL_LOCAL + 1));
    default: return 0;
    }
}

static inline uint global_place(uint dim) { return group(dim) * word(KNL_LOCAL + dim) + get_local_id(dim); }

size_t FLAT get_global_id(uint dim) { return dim < 3 ? word(KNL_OFFSET + dim) + global_place(dim) : 0; }

static inline uint grid_place(uint dim) { return before(dim) + global_place(dim); }

size_t FLAT get_global_linear_id(void)
{
    return (grid_place(2) * word(KNL_GLOBAL + 1) + grid_place(1)) * word(KNL_GLOBAL) + grid_place(0);
}
