/* image.h -- pixels of images: where they are, and what a kernel sees of them.
 *
 * An image is a pointer to its descriptor (isa/image.def), which is the same for all lanes as long as the
 * program hands images on as arguments; so what depends on the format or on the sampler is a branch of the
 * whole warp, and with a sampler that is a constant no branch at all.
 */
#ifndef VENTUS_IMAGE_H
#define VENTUS_IMAGE_H
#include "half.h"
#include "isa/image.h"
#include "srgb.h"

typedef const __constant uint *Image;

/* a word of a descriptor: it never changes, so loads of it move freely */
__attribute__((const)) uint __ventus_word(Image i, uint k);
#define WORD(i, name) __ventus_word(i, IMAGE_##name)

/* --- a pixel's address and bits --------------------------------------------------------------- */

static inline __global uchar *pixel_at(Image i, int4 p)
{
    uint shift = (WORD(i, format) & FORMAT_SIZE) >> FORMAT_SIZE_AT;
    uint at = ((uint)p.x << shift) + (uint)p.y * WORD(i, row_pitch) + (uint)p.z * WORD(i, slice_pitch);

    return (__global uchar *)(size_t)(WORD(i, base) + at);
}

/* the channels in memory, in the low bits; those that the format lacks are 0 */
static inline uint4 channels_at(Image i, int4 p)
{
    const __global uchar *at = pixel_at(i, p);
    uint4 w = 0;

    switch ((WORD(i, format) & FORMAT_SIZE) >> FORMAT_SIZE_AT) {
    case 0: w.x = *at; break;
    case 1: w.x = *(const __global ushort *)at; break;
    case 2: w.x = *(const __global uint *)at; break;
    case 3: w.xy = *(const __global uint2 *)at; break;
    default: w = *(const __global uint4 *)at;
    }
    switch ((WORD(i, format) & FORMAT_CHANNEL) >> FORMAT_CHANNEL_AT) {
    case 0: return (uint4)(w.x & 0xff, w.x >> 8 & 0xff, w.x >> 16 & 0xff, w.x >> 24);
    case 1: return (uint4)(w.x & 0xffff, w.x >> 16, w.y & 0xffff, w.y >> 16);
    default: return w;
    }
}

static inline void set_channels(Image i, int4 p, uint4 c)
{
    __global uchar *at = pixel_at(i, p);

    switch ((WORD(i, format) & FORMAT_CHANNEL) >> FORMAT_CHANNEL_AT) {
    case 0: c.x = (c.x & 0xff) | (c.y & 0xff) << 8 | (c.z & 0xff) << 16 | c.w << 24; break;
    case 1: c.xy = (uint2)((c.x & 0xffff) | c.y << 16, (c.z & 0xffff) | c.w << 16); break;
    default: break;
    }
    switch ((WORD(i, format) & FORMAT_SIZE) >> FORMAT_SIZE_AT) {
    case 0: *at = (uchar)c.x; break;
    case 1: *(__global ushort *)at = (ushort)c.x; break;
    case 2: *(__global uint *)at = c.x; break;
    case 3: *(__global uint2 *)at = c.xy; break;
    default: *(__global uint4 *)at = c;
    }
}

/* --- what a kernel reads ------------------------------------------------------------------------ */

static inline uint4 in_order(Image i, uint4 c, uint one)
{
    if (WORD(i, format) & FORMAT_SWAPPED)
        c = c.zyxw;
    if (WORD(i, format) & FORMAT_OPAQUE)
        c.w = one;
    return c;
}

/* c / most for 0 <= c <= most, rounded once: HIGH + LOW is 1 / most */
#define SHARE(c, high, low) __builtin_fmaf(c, high, (c) * (low))
static inline float of_byte(float c) { return SHARE(c, 0x1.010102p-8f, -0x1.fdfdfep-33f); }
static inline float of_signed_byte(float c) { return SHARE(c, 0x1.020408p-7f, 0x1.020408p-35f); }
static inline float of_short(float c) { return SHARE(c, 0x1.0001p-16f, 0x1.0001p-48f); }
static inline float of_signed_short(float c) { return SHARE(c, 0x1.0002p-15f, 0x1.0002p-45f); }

#define EACH4(T, f, v) (T)(f((v).x), f((v).y), f((v).z), f((v).w))
static inline float unorm8(uint c) { return of_byte((float)(int)c); }
static inline float unorm16(uint c) { return of_short((float)(int)c); }
static inline float snorm8(uint c) { return __builtin_fmaxf(of_signed_byte((float)(char)c), -1.0f); }
static inline float snorm16(uint c) { return __builtin_fmaxf(of_signed_short((float)(short)c), -1.0f); }
static inline float light(uint c) { return srgb_light[c]; }
static inline float of_half(uint c) { return from_half((ushort)c); }

static inline float4 pixel_f(Image i, int4 p)
{
    uint4 c = channels_at(i, p);
    float4 v;

    switch (WORD(i, format) & FORMAT_KIND) {
    case PIXEL_UNORM8:
        if (WORD(i, format) & FORMAT_SRGB)
            v = (float4)(light(c.x), light(c.y), light(c.z), unorm8(c.w));
        else
            v = EACH4(float4, unorm8, c);
        break;
    case PIXEL_UNORM16: v = EACH4(float4, unorm16, c); break;
    case PIXEL_SNORM8: v = EACH4(float4, snorm8, c); break;
    case PIXEL_SNORM16: v = EACH4(float4, snorm16, c); break;
    case PIXEL_HALF: v = EACH4(float4, of_half, c); break;
    default: v = as_float4(c);
    }
    return as_float4(in_order(i, as_uint4(v), as_uint(1.0f)));
}

static inline uint4 pixel_u(Image i, int4 p)
{
    uint4 c = channels_at(i, p);

    switch (WORD(i, format) & FORMAT_KIND) {
    case PIXEL_INT8: c = as_uint4(as_int4(c << 24) >> 24); break;
    case PIXEL_INT16: c = as_uint4(as_int4(c << 16) >> 16); break;
    default: break;
    }
    return in_order(i, c, 1);
}

/* --- what a kernel writes ----------------------------------------------------------------------- */

static inline float held(float v, float low) { return __builtin_fminf(__builtin_fmaxf(v, low), 1.0f); }
static inline uint to_unorm8(float v) { return (uint)__ventus_ftoi_rne(held(v, 0) * 255.0f); }
static inline uint to_unorm16(float v) { return (uint)__ventus_ftoi_rne(held(v, 0) * 65535.0f); }
static inline uint to_snorm8(float v) { return (uint)__ventus_ftoi_rne(held(v, -1.0f) * 127.0f); }
static inline uint to_snorm16(float v) { return (uint)__ventus_ftoi_rne(held(v, -1.0f) * 32767.0f); }
static inline uint half_of(float v) { return to_half_rte(v); }

static inline void put_f(Image i, int4 p, float4 v)
{
    uint4 c;

    if (WORD(i, format) & FORMAT_SWAPPED)
        v = v.zyxw;
    switch (WORD(i, format) & FORMAT_KIND) {
    case PIXEL_UNORM8: c = EACH4(uint4, to_unorm8, v); break;
    case PIXEL_UNORM16: c = EACH4(uint4, to_unorm16, v); break;
    case PIXEL_SNORM8: c = EACH4(uint4, to_snorm8, v); break;
    case PIXEL_SNORM16: c = EACH4(uint4, to_snorm16, v); break;
    case PIXEL_HALF: c = EACH4(uint4, half_of, v); break;
    default: c = as_uint4(v);
    }
    set_channels(i, p, c);
}

static inline int hold(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
static inline int4 hold4(int4 v, int low, int high)
{
    return (int4)(hold(v.x, low, high), hold(v.y, low, high), hold(v.z, low, high), hold(v.w, low, high));
}

static inline void put_i(Image i, int4 p, int4 v)
{
    if (WORD(i, format) & FORMAT_SWAPPED)
        v = v.zyxw;
    switch (WORD(i, format) & FORMAT_KIND) {
    case PIXEL_INT8: v = hold4(v, CHAR_MIN, CHAR_MAX); break;
    case PIXEL_INT16: v = hold4(v, SHRT_MIN, SHRT_MAX); break;
    default: break;
    }
    set_channels(i, p, as_uint4(v));
}

static inline uint least(uint a, uint b) { return a < b ? a : b; }

static inline void put_u(Image i, int4 p, uint4 v)
{
    const uint kind = WORD(i, format) & FORMAT_KIND;

    if (WORD(i, format) & FORMAT_SWAPPED)
        v = v.zyxw;
    if (kind == PIXEL_UINT8 || kind == PIXEL_UINT16) {
        const uint most = kind == PIXEL_UINT8 ? UCHAR_MAX : USHRT_MAX;
        v = (uint4)(least(v.x, most), least(v.y, most), least(v.z, most), least(v.w, most));
    }
    set_channels(i, p, v);
}

/* --- coordinates -------------------------------------------------------------------------------- */

/* The kinds of images.  Images of arrays are its slices; x, y are the coordinates that filters use, and z,
 * where there are three of them. */
typedef enum { SHAPE_1D, SHAPE_1D_ARRAY, SHAPE_2D, SHAPE_2D_ARRAY, SHAPE_3D } Shape;
#define HAS_Y(shape) ((shape) >= SHAPE_2D)
#define IS_ARRAY(shape) ((shape) == SHAPE_1D_ARRAY || (shape) == SHAPE_2D_ARRAY)

static inline int whole(float v) { return __ventus_ftoi_rne(__builtin_floorf(v)); }

/* an index that is not moved into the image by repetition; the border is one pixel wide */
static inline int kept(int k, int n, uint sampler)
{
    const int border = (sampler & SAMPLER_ADDRESS) == SAMPLER_BORDER;
    return hold(k, -border, n - 1 + border);
}

static inline float scaled(float s, int n, uint sampler)
{
    switch (sampler & SAMPLER_ADDRESS) {
    case SAMPLER_REPEAT: return (s - __builtin_floorf(s)) * (float)n;
    case SAMPLER_MIRROR: return __builtin_fabsf(s - 2.0f * __builtin_rintf(0.5f * s)) * (float)n;
    default: return sampler & SAMPLER_NORMALIZED ? s * (float)n : s;
    }
}

static inline int nearest(float s, int n, uint sampler)
{
    const int k = whole(scaled(s, n, sampler));

    if ((sampler & SAMPLER_ADDRESS) == SAMPLER_REPEAT)
        return hold(k >= n ? k - n : k, 0, n - 1);
    return kept(k, n, sampler);
}

/* the two pixels between which a coordinate lies, and how far it is from the first */
static inline float between(float s, int n, uint sampler, __private int k[2])
{
    const float u = scaled(s, n, sampler) - 0.5f, f = __builtin_floorf(u);
    const int first = __ventus_ftoi_rne(f), second = first + 1;

    if ((sampler & SAMPLER_ADDRESS) == SAMPLER_REPEAT) {
        k[0] = hold(first < 0 ? first + n : first, 0, n - 1);
        k[1] = hold(second >= n ? second - n : second, 0, n - 1);
    } else {
        k[0] = kept(first, n, sampler);
        k[1] = kept(second, n, sampler);
    }
    return u - f;
}

/* the image of an array */
static inline int layer(int k, Image i) { return hold(k, 0, (int)WORD(i, depth) - 1); }

static inline int4 nearest_place(Image i, Shape shape, uint sampler, float4 p)
{
    int4 k = 0;

    k.x = nearest(p.x, (int)WORD(i, width), sampler);
    if (HAS_Y(shape))
        k.y = nearest(p.y, (int)WORD(i, height), sampler);
    if (shape == SHAPE_3D)
        k.z = nearest(p.z, (int)WORD(i, depth), sampler);
    if (IS_ARRAY(shape))
        k.z = layer(__ventus_ftoi_rne(p.z), i);
    return k;
}

static inline int4 integer_place(Image i, Shape shape, uint sampler, int4 p)
{
    int4 k = 0;

    k.x = kept(p.x, (int)WORD(i, width), sampler);
    if (HAS_Y(shape))
        k.y = kept(p.y, (int)WORD(i, height), sampler);
    if (shape == SHAPE_3D)
        k.z = kept(p.z, (int)WORD(i, depth), sampler);
    if (IS_ARRAY(shape))
        k.z = layer(p.z, i);
    return k;
}

static inline bool is_inside(Image i, Shape shape, int4 p)
{
    bool in = (uint)p.x < WORD(i, width);

    if (HAS_Y(shape))
        in &= (uint)p.y < WORD(i, height);
    if (shape == SHAPE_3D || IS_ARRAY(shape))
        in &= (uint)p.z < WORD(i, depth);
    return in;
}

/* --- reads by samplers -------------------------------------------------------------------------- */

/* Outside of the image is its border: 0, and opaque where the image has no alpha. */
#define AT_BORDER(T, pixel, as, one) \
    static inline T bordered_##pixel(Image i, Shape shape, uint sampler, int4 p) \
    { \
        if ((sampler & SAMPLER_ADDRESS) != SAMPLER_BORDER) \
            return pixel(i, p); \
        const bool in = is_inside(i, shape, p); \
        const T v = pixel(i, in ? p : (int4)0); \
        const T border = as((uint4)(0, 0, 0, WORD(i, format) & FORMAT_OPAQUE ? one : 0)); \
        return in ? v : border; \
    }
AT_BORDER(float4, pixel_f, as_float4, as_uint(1.0f))
AT_BORDER(uint4, pixel_u, as_uint4, 1)

static inline float4 filtered(Image i, Shape shape, uint sampler, float4 p)
{
    const uint dims = shape == SHAPE_3D ? 3 : HAS_Y(shape) ? 2 : 1;
    int x[2], y[2] = {0, 0}, z[2] = {0, 0};
    const float a = between(p.x, (int)WORD(i, width), sampler, x);
    const float b = dims > 1 ? between(p.y, (int)WORD(i, height), sampler, y) : 0;
    const float c = dims > 2 ? between(p.z, (int)WORD(i, depth), sampler, z) : 0;
    float4 sum = 0;

    if (IS_ARRAY(shape))
        z[0] = layer(__ventus_ftoi_rne(p.z), i);
#pragma unroll 1
    for (uint k = 0; k < 1u << dims; k++) {
        const bool right = k & 1, below = k & 2, behind = k & 4;
        const int4 at = {right ? x[1] : x[0], below ? y[1] : y[0], behind ? z[1] : z[0], 0};
        const float share = (right ? a : 1 - a) * (below ? b : 1 - b) * (behind ? c : 1 - c);
        sum += share * bordered_pixel_f(i, shape, sampler, at);
    }
    return sum;
}

static inline float4 sampled_f(Image i, Shape shape, uint sampler, float4 p)
{
    if (sampler & SAMPLER_LINEAR)
        return filtered(i, shape, sampler, p);
    return bordered_pixel_f(i, shape, sampler, nearest_place(i, shape, sampler, p));
}

static inline uint4 sampled_u(Image i, Shape shape, uint sampler, float4 p)
{
    return bordered_pixel_u(i, shape, sampler, nearest_place(i, shape, sampler, p));
}

static inline float4 fetched_f(Image i, Shape shape, uint sampler, int4 p)
{
    return bordered_pixel_f(i, shape, sampler, integer_place(i, shape, sampler, p));
}

static inline uint4 fetched_u(Image i, Shape shape, uint sampler, int4 p)
{
    return bordered_pixel_u(i, shape, sampler, integer_place(i, shape, sampler, p));
}
#endif
