/* sampler.c -- samplers: three choices, which kernels get as one word. */
#include "cl/cl.h"
#include "isa/image.h"
#include <string.h>

void sampler_free(ClSampler *s)
{
    drop(s->context);
    mem_free(s);
}

/* The word that kernels get (isa/image.h); false: there is no such sampler. */
static bool make_word(ClSampler *s)
{
    static const struct {
        cl_addressing_mode mode;
        u32 bits;
    } modes[] = {{CL_ADDRESS_NONE, SAMPLER_NONE},
                 {CL_ADDRESS_CLAMP_TO_EDGE, SAMPLER_EDGE},
                 {CL_ADDRESS_CLAMP, SAMPLER_BORDER},
                 {CL_ADDRESS_REPEAT, SAMPLER_REPEAT},
                 {CL_ADDRESS_MIRRORED_REPEAT, SAMPLER_MIRROR}};
    size_t k = 0;
    while (k < countof(modes) && modes[k].mode != s->addressing)
        k++;
    if (k == countof(modes) || s->normalized > CL_TRUE ||
        (s->filter != CL_FILTER_NEAREST && s->filter != CL_FILTER_LINEAR))
        return false;
    s->word = modes[k].bits | (s->normalized ? SAMPLER_NORMALIZED : 0) |
              (s->filter == CL_FILTER_LINEAR ? SAMPLER_LINEAR : SAMPLER_NEAREST);
    return true;
}

/* Only coordinates from 0 to 1 can repeat. */
static bool agrees(const ClSampler *s)
{
    return s->normalized ||
           (s->addressing != CL_ADDRESS_REPEAT && s->addressing != CL_ADDRESS_MIRRORED_REPEAT);
}

static cl_int take_properties(ClSampler *s, const cl_sampler_properties *list)
{
    u32 seen = 0;
    for (u32 n = 0; list; n += 2) {
        if (!list[n]) {
            s->nproperties = n + 1;
            memcpy(s->properties, list, (n + 1) * sizeof *list);
            return CL_SUCCESS;
        }
        const u32 bit = (u32)(list[n] - CL_SAMPLER_NORMALIZED_COORDS);
        if (bit > 2 || seen & 1u << bit)
            return CL_INVALID_VALUE;
        seen |= 1u << bit;
        switch (list[n]) {
        case CL_SAMPLER_NORMALIZED_COORDS: s->normalized = (cl_bool)list[n + 1]; break;
        case CL_SAMPLER_ADDRESSING_MODE: s->addressing = (cl_addressing_mode)list[n + 1]; break;
        default: s->filter = (cl_filter_mode)list[n + 1];
        }
    }
    return CL_SUCCESS;
}

cl_sampler clCreateSamplerWithProperties(cl_context context,
                                         const cl_sampler_properties *sampler_properties,
                                         cl_int *errcode_ret)
{
    cl_int s = check_context(context);
    ClSampler *made = NULL, plain = {.normalized = CL_TRUE,
                                     .addressing = CL_ADDRESS_CLAMP,
                                     .filter = CL_FILTER_NEAREST};
    if (!s) {
        s = take_properties(&plain, sampler_properties);
        if (!s && (!make_word(&plain) || !agrees(&plain)))
            s = CL_INVALID_VALUE;
        if (!s && !(made = mem_alloc(sizeof *made)))
            s = CL_OUT_OF_HOST_MEMORY;
    }
    if (made) {
        *made = plain;
        object_init(&made->head, KIND_SAMPLER);
        use(context);
        made->context = context;
    }
    tell(errcode_ret, s);
    return made;
}

cl_sampler clCreateSampler(cl_context context, cl_bool normalized_coords,
                           cl_addressing_mode addressing_mode, cl_filter_mode filter_mode,
                           cl_int *errcode_ret)
{
    const cl_sampler_properties list[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                          normalized_coords,
                                          CL_SAMPLER_ADDRESSING_MODE,
                                          addressing_mode,
                                          CL_SAMPLER_FILTER_MODE,
                                          filter_mode,
                                          0};
    ClSampler *s = clCreateSamplerWithProperties(context, list, errcode_ret);
    if (s)
        s->nproperties = 0; /* the application gave no list */
    return s;
}

cl_int clRetainSampler(cl_sampler sampler)
{
    if (!is_object(sampler, KIND_SAMPLER))
        return told(CL_INVALID_SAMPLER);
    object_retain(&sampler->head);
    return CL_SUCCESS;
}

cl_int clReleaseSampler(cl_sampler sampler)
{
    if (!is_object(sampler, KIND_SAMPLER))
        return told(CL_INVALID_SAMPLER);
    object_release(&sampler->head);
    return CL_SUCCESS;
}

cl_int clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name, size_t param_value_size,
                        void *param_value, size_t *param_value_size_ret)
{
    const Query q = {param_value_size, param_value, param_value_size_ret, __func__};
    if (!is_object(sampler, KIND_SAMPLER))
        return told(CL_INVALID_SAMPLER);
    switch (param_name) {
    case CL_SAMPLER_REFERENCE_COUNT: return answer(&q, cl_uint, sampler->head.refs);
    case CL_SAMPLER_CONTEXT: return answer(&q, cl_context, sampler->context);
    case CL_SAMPLER_NORMALIZED_COORDS: return answer(&q, cl_bool, sampler->normalized);
    case CL_SAMPLER_ADDRESSING_MODE: return answer(&q, cl_addressing_mode, sampler->addressing);
    case CL_SAMPLER_FILTER_MODE: return answer(&q, cl_filter_mode, sampler->filter);
    case CL_SAMPLER_PROPERTIES:
        return answer_bytes(&q, sampler->properties,
                            sampler->nproperties * sizeof *sampler->properties);
    }
    return told(CL_INVALID_VALUE);
}
