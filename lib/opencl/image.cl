/* image.cl -- images: read_image, write_image and queries, for every kind and access.
 *
 * A read without a sampler, or with one that does not say what lies outside, takes the nearest pixel of
 * the image; a write outside does nothing.
 */
#pragma OPENCL EXTENSION cl_khr_depth_images : enable
#include "image.h"

__attribute__((const)) uint __ventus_sampler(sampler_t);

/* --- by the kind of image ------------------------------------------------------------------------ */

/* One function for each shape.  They are `cold` so that the library has their code once and not in each of the
 * hundreds of functions that call them; in programs they are like any other (ll/middle.c). */
#define SHARED static __attribute__((cold))
#define SHAPED(S) \
    SHARED float4 sampled_f_##S(Image i, uint m, float4 p) { return sampled_f(i, SHAPE_##S, m, p); } \
    SHARED uint4 sampled_u_##S(Image i, uint m, float4 p) { return sampled_u(i, SHAPE_##S, m, p); } \
    SHARED float4 fetched_f_##S(Image i, uint m, int4 p) { return fetched_f(i, SHAPE_##S, m, p); } \
    SHARED uint4 fetched_u_##S(Image i, uint m, int4 p) { return fetched_u(i, SHAPE_##S, m, p); } \
    SHARED void put_f_##S(Image i, int4 p, float4 v) { if (is_inside(i, SHAPE_##S, p)) put_f(i, p, v); } \
    SHARED void put_i_##S(Image i, int4 p, int4 v) { if (is_inside(i, SHAPE_##S, p)) put_i(i, p, v); } \
    SHARED void put_u_##S(Image i, int4 p, uint4 v) { if (is_inside(i, SHAPE_##S, p)) put_u(i, p, v); }
SHAPED(1D) SHAPED(1D_ARRAY) SHAPED(2D) SHAPED(2D_ARRAY) SHAPED(3D)

/* Coordinates as x, y and, of an image in an array, z. */
#define AT_1D(V, p) (V)((p), 0, 0, 0)
#define AT_1D_ARRAY(V, p) (V)((p).x, 0, (p).y, 0)
#define AT_2D(V, p) (V)((p).x, (p).y, 0, 0)
#define AT_2D_ARRAY(V, p) (p)
#define AT_3D(V, p) (p)
#define INT_1D int
#define INT_1D_ARRAY int2
#define INT_2D int2
#define INT_2D_ARRAY int4
#define INT_3D int4
#define FLOAT_1D float
#define FLOAT_1D_ARRAY float2
#define FLOAT_2D float2
#define FLOAT_2D_ARRAY float4
#define FLOAT_3D float4

#define DESCRIPTOR(A, T) __attribute__((const)) Image OVL descriptor(A T) __asm("__ventus_image_" #A "_" #T);

/* --- reads and writes ---------------------------------------------------------------------------- */

#define SAMPLED(R, f, S, A, T, get, as) \
    R FLAT f(A T i, sampler_t m, FLOAT_##S p) \
    { \
        return as(sampled_##get##_##S(descriptor(i), __ventus_sampler(m), AT_##S(float4, p))); \
    } \
    R FLAT f(A T i, sampler_t m, INT_##S p) \
    { \
        return as(fetched_##get##_##S(descriptor(i), __ventus_sampler(m), AT_##S(int4, p))); \
    }
#define FETCHED(R, f, S, A, T, get, as) \
    R FLAT f(A T i, INT_##S p) { return as(fetched_##get##_##S(descriptor(i), SAMPLER_EDGE, AT_##S(int4, p))); }
#define WRITTEN(V, f, S, A, T, put, as) \
    void FLAT f(A T i, INT_##S p, V v) { put##_##S(descriptor(i), AT_##S(int4, p), as(v)); }

static half4 halves(float4 v) { return (half4)((half)v.x, (half)v.y, (half)v.z, (half)v.w); }
static float4 floats(half4 v) { return (float4)(v.x, v.y, v.z, v.w); }
static float first(float4 v) { return v.x; }
static float4 grey(float v) { return (float4)(v, 0, 0, 1); }

#define EACH_READ(M, S, A, T) \
    M(float4, read_imagef, S, A, T, f, ) M(int4, read_imagei, S, A, T, u, as_int4) \
    M(uint4, read_imageui, S, A, T, u, ) M(half4, read_imageh, S, A, T, f, halves)
#define EACH_WRITE(S, A, T) \
    WRITTEN(float4, write_imagef, S, A, T, put_f, ) WRITTEN(int4, write_imagei, S, A, T, put_i, ) \
    WRITTEN(uint4, write_imageui, S, A, T, put_u, ) WRITTEN(half4, write_imageh, S, A, T, put_f, floats)

/* --- queries ------------------------------------------------------------------------------------- */

#define ASKED(R, f, A, T, value) R FLAT f(A T i) { return value; }
#define W(name) (int)WORD(descriptor(i), name)
#define QUERIES_ALL(A, T) \
    ASKED(int, get_image_width, A, T, W(width)) \
    ASKED(int, get_image_channel_order, A, T, W(order)) \
    ASKED(int, get_image_channel_data_type, A, T, W(type))
#define QUERIES_1D(A, T) QUERIES_ALL(A, T)
#define QUERIES_1D_ARRAY(A, T) QUERIES_ALL(A, T) ASKED(size_t, get_image_array_size, A, T, (size_t)W(depth))
#define QUERIES_2D(A, T) \
    QUERIES_ALL(A, T) \
    ASKED(int, get_image_height, A, T, W(height)) ASKED(int2, get_image_dim, A, T, (int2)(W(width), W(height)))
#define QUERIES_2D_ARRAY(A, T) QUERIES_2D(A, T) ASKED(size_t, get_image_array_size, A, T, (size_t)W(depth))
#define QUERIES_3D(A, T) \
    QUERIES_ALL(A, T) \
    ASKED(int, get_image_height, A, T, W(height)) ASKED(int, get_image_depth, A, T, W(depth)) \
    ASKED(int4, get_image_dim, A, T, (int4)(W(width), W(height), W(depth), 0))

/* --- every type ---------------------------------------------------------------------------------- */

#define ACCESSIBLE(S, A, T) DESCRIPTOR(A, T) QUERIES_##S(A, T)
#define COLOURS(S, T) \
    ACCESSIBLE(S, __read_only, T) EACH_READ(SAMPLED, S, __read_only, T) EACH_READ(FETCHED, S, __read_only, T) \
    ACCESSIBLE(S, __write_only, T) EACH_WRITE(S, __write_only, T) \
    ACCESSIBLE(S, __read_write, T) EACH_READ(FETCHED, S, __read_write, T) EACH_WRITE(S, __read_write, T)
#define DEPTHS(S, T) \
    ACCESSIBLE(S, __read_only, T) SAMPLED(float, read_imagef, S, __read_only, T, f, first) \
    FETCHED(float, read_imagef, S, __read_only, T, f, first) \
    ACCESSIBLE(S, __write_only, T) WRITTEN(float, write_imagef, S, __write_only, T, put_f, grey) \
    ACCESSIBLE(S, __read_write, T) FETCHED(float, read_imagef, S, __read_write, T, f, first) \
    WRITTEN(float, write_imagef, S, __read_write, T, put_f, grey)

COLOURS(1D, image1d_t) COLOURS(1D_ARRAY, image1d_array_t)
COLOURS(2D, image2d_t) COLOURS(2D_ARRAY, image2d_array_t) COLOURS(3D, image3d_t)
DEPTHS(2D, image2d_depth_t) DEPTHS(2D_ARRAY, image2d_array_depth_t)

#define BUFFERED(S, T) \
    ACCESSIBLE(S, __read_only, T) EACH_READ(FETCHED, S, __read_only, T) \
    ACCESSIBLE(S, __write_only, T) EACH_WRITE(S, __write_only, T) \
    ACCESSIBLE(S, __read_write, T) EACH_READ(FETCHED, S, __read_write, T) EACH_WRITE(S, __read_write, T)
BUFFERED(1D, image1d_buffer_t)
