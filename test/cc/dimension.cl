/* Ids and sizes of a dimension that is known only when the kernel runs: uniform, or another in each
 * work-item; beyond 2 too. */

/* what there is of dimension d, into 8 words */
static void all_of(uint d, global uint *out)
{
    out[0] = get_global_id(d);
    out[1] = get_group_id(d);
    out[2] = get_local_id(d);
    out[3] = get_global_size(d);
    out[4] = get_local_size(d);
    out[5] = get_num_groups(d);
    out[6] = get_global_offset(d);
    out[7] = get_enqueued_local_size(d);
}

kernel void of_argument(int d, global uint *out)
{
    all_of(d, out + 8 * get_global_linear_id());
}

kernel void of_lane(global const char *in, global uint *out)
{
    const uint g = get_global_linear_id();
    all_of(in[g] & 3, out + 8 * g);
}

/* what one id alone becomes */
kernel void ids_of_argument(int d, global uint *out)
{
    const uint g = get_global_linear_id(), n = get_global_size(0) * get_global_size(1) * get_global_size(2);
    out[g] = get_group_id(d);
    out[n + g] = get_local_id(d);
}

kernel void ids_of_lane(global const char *in, global uint *out)
{
    const uint g = get_global_linear_id();
    out[2 * g] = get_global_id(in[g] & 2);
    out[2 * g + 1] = get_group_id(in[g] & 2);
}

kernel void of_loop(global uint *out)
{
    uint place = 0, size = 1;
    for (uint d = 0; d < get_work_dim(); d++) {
        place += (uint)get_global_id(d) * size;
        size *= get_global_size(d);
    }
    out[place] = place;
}

/* one call, whose dimension is one of two constants */
kernel void of_choice(global const uint *in, global uint *out)
{
    const uint g = get_global_linear_id();
    uint id;
    if (in[g] & 1)
        id = get_group_id(1);
    else
        id = get_group_id(2);
    out[2 * g] = id;
    out[2 * g + 1] = in[g] & 2 ? get_global_id(0) : get_global_id(1);
}

typedef struct {
    uint x[3];
} Words;

/* structures lie in the argument block: which one is known only here */
kernel void of_structures(Words a, Words b, uint n, global const uint *in, global uint *out)
{
    const uint g = get_global_linear_id();
    uint x;
    if (in[g] & 1)
        x = a.x[n % 3];
    else
        x = b.x[n % 3];
    out[g] = x + (n & 4 ? a : b).x[in[g] % 3];
}
