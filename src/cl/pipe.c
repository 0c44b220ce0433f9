/* pipe.c -- pipes: memory objects that only kernels look into.
 *
 * What their bytes mean is said by isa/pipe.def and known to the device library
 * (lib/opencl/pipe.cl).
 */
#include "cl/cl.h"
#include "isa/pipe.h"

/* Bytes of a pipe. */
static u64 bytes_of(u32 packet, u32 packets)
{
    return align_up((PIPE_WORDS + 2 * (u64)packets) * 4, PIPE_ALIGN) + (u64)packet * packets;
}

/* An empty pipe: its words, and slots that are all free. */
static cl_int write_head(ClMem *m)
{
    const u32 most = UINT32_MAX / 2; /* so that sums of two counts do not overflow */
    const u32 words[PIPE_WORDS] = {[PIPE_packet] = m->packet,
                                   [PIPE_capacity] = m->packets,
                                   [PIPE_limit] = most / m->packets * m->packets};
    Driver *d = m->context->drivers[0];
    DrvStatus s = drv_write(d, m->addr[0], words, sizeof words);
    if (!s) /* zeros already, but the check for what nobody wrote must hear of them */
        s = drv_fill(d, m->addr[0] + sizeof words, &(u8){0}, 1, 8 * (u64)m->packets);
    return status_of_driver(s);
}

static cl_int create(ClContext *c, cl_mem_flags flags, cl_uint packet, cl_uint packets,
                     const cl_pipe_properties *properties, ClMem **made)
{
    const cl_int bad = check_context(c);
    if (bad)
        return bad;
    if (flags & ~(cl_mem_flags)(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS) || properties)
        return CL_INVALID_VALUE;
    if (!packet || packet > PIPE_PACKET_MOST || !packets || packets > UINT32_MAX / 2)
        return CL_INVALID_PIPE_SIZE;
    const u64 size = bytes_of(packet, packets);
    if (size > mem_largest(c))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    ClMem *m = mem_new(c, flags | CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, size);
    if (!m)
        return CL_OUT_OF_HOST_MEMORY;
    m->packet = packet;
    m->packets = packets;
    cl_int s = mem_fill(m, NULL);
    if (!s)
        s = write_head(m);
    if (s) {
        drop(m);
        return s;
    }
    mem_link(m);
    *made = m;
    return CL_SUCCESS;
}

cl_mem clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size,
                    cl_uint pipe_max_packets, const cl_pipe_properties *properties,
                    cl_int *errcode_ret)
{
    ClMem *m = NULL;
    const cl_int s = create(context, flags, pipe_packet_size, pipe_max_packets, properties, &m);
    tell(errcode_ret, s);
    return m;
}

cl_int clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size,
                     void *param_value, size_t *param_value_size_ret)
{
    const Query q = {param_value_size, param_value, param_value_size_ret, __func__};
    if (!is_object(pipe, KIND_MEM) || !pipe->packets)
        return told(CL_INVALID_MEM_OBJECT);
    switch (param_name) {
    case CL_PIPE_PACKET_SIZE: return answer(&q, cl_uint, pipe->packet);
    case CL_PIPE_MAX_PACKETS: return answer(&q, cl_uint, pipe->packets);
    case CL_PIPE_PROPERTIES: return answer_bytes(&q, NULL, 0);
    }
    return told(CL_INVALID_VALUE);
}
