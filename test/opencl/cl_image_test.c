/* cl_image_test.c -- images and samplers: what kernels read and write in every format, kind and mode of
 * sampling against a model in double precision, copies of every form against arrays, queries, errors.
 *
 * With IMAGE_TEST_VENDORS=FILE the program runs on the first device of that driver: is the model right?
 */
#include "test/opencl/clhost.h"
#include "test/kit/skip.h"
#include <math.h>

enum { MOST = 4096 /* bytes of an image here */ };

/* --- the images of the tests -------------------------------------------------------------------- */

typedef struct {
    const char *name;
    cl_mem_object_type type;
    size_t w, h, d;     /* d: slices or images of an array */
    u32 dims;           /* coordinates that are filtered */
} Kind;
static const Kind kinds[] = {
    {"image1d_t", CL_MEM_OBJECT_IMAGE1D, 7, 1, 1, 1},
    {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY, 7, 1, 3, 1},
    {"image2d_t", CL_MEM_OBJECT_IMAGE2D, 7, 5, 1, 2},
    {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, 4, 3, 3, 2},
    {"image3d_t", CL_MEM_OBJECT_IMAGE3D, 5, 4, 3, 3},
};
static bool is_array(const Kind *k)
{
    return k->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || k->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

/* a channel: 'n' unsigned and 's' signed parts of 1, 'h' 'f' floats, 'i' 'u' integers */
typedef struct { cl_channel_type type; char what; u32 bytes; } Channel;
static const Channel channels[] = {
    {CL_UNORM_INT8, 'n', 1}, {CL_UNORM_INT16, 'n', 2}, {CL_SNORM_INT8, 's', 1}, {CL_SNORM_INT16, 's', 2},
    {CL_HALF_FLOAT, 'h', 2}, {CL_FLOAT, 'f', 4}, {CL_SIGNED_INT8, 'i', 1}, {CL_SIGNED_INT16, 'i', 2},
    {CL_SIGNED_INT32, 'i', 4}, {CL_UNSIGNED_INT8, 'u', 1}, {CL_UNSIGNED_INT16, 'u', 2}, {CL_UNSIGNED_INT32, 'u', 4},
};
/* where red, green, blue and alpha are in memory; -1: nowhere */
typedef struct { cl_channel_order order; int at[4]; u32 count; } Order;
static const Order orders[] = {
    {CL_R, {0, -1, -1, -1}, 1}, {CL_RG, {0, 1, -1, -1}, 2}, {CL_RGBA, {0, 1, 2, 3}, 4},
    {CL_BGRA, {2, 1, 0, 3}, 4}, {CL_sRGBA, {0, 1, 2, 3}, 4}, {CL_sBGRA, {2, 1, 0, 3}, 4}, {CL_DEPTH, {0, -1, -1, -1}, 1},
};

typedef struct { const Channel *c; const Order *o; } Format;
static cl_image_format cl_format(Format f) { return (cl_image_format){f.o->order, f.c->type}; }
static u32 pixel_bytes(Format f) { return f.c->bytes * f.o->count; }

static bool is_offered(Format f, cl_mem_flags flags, cl_mem_object_type type)
{
    cl_image_format list[256];
    cl_uint n = 0;
    ok(clGetSupportedImageFormats(host.context, flags, type, countof(list), list, &n));
    for (cl_uint i = 0; i < n; i++)
        if (list[i].image_channel_order == f.o->order && list[i].image_channel_data_type == f.c->type)
            return true;
    return false;
}

/* --- the model ----------------------------------------------------------------------------------- */

static double half_value(u32 h)
{
    const int e = (int)(h >> 10 & 31);
    const double f = h & 0x3ff, v = e ? ldexp(f + 1024, e - 25) : ldexp(f, -24);
    return h & 0x8000 ? -v : v;
}

static double stored(Format f, const u8 *at)
{
    u32 v = 0;
    float x;
    memcpy(&v, at, f.c->bytes);
    memcpy(&x, &v, sizeof x);
    const double whole = ldexp(1, 8 * (int)f.c->bytes);
    const double number = v >= whole / 2 ? v - whole : v;
    switch (f.c->what) {
    case 'n': return v / (whole - 1);
    case 's': return fmax(number / (whole / 2 - 1), -1);
    case 'h': return half_value(v);
    case 'f': return x;
    case 'i': return number;
    default: return v;
    }
}

static double light(double c) { return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4); }

typedef struct { const u8 *bytes; Format f; const Kind *k; } Picture;

static void model_pixel(const Picture *p, const int at[3], double out[4])
{
    const int size[] = {(int)p->k->w, (int)p->k->h, (int)p->k->d};
    const bool opaque = p->f.o->at[3] < 0, is_srgb = p->f.o->order == CL_sRGBA || p->f.o->order == CL_sBGRA;
    bool in = true;
    for (int k = 0; k < 3; k++)
        in = in && at[k] >= 0 && at[k] < size[k];
    for (int k = 0; k < 4; k++) {
        const int from = p->f.o->at[k];
        const size_t pixel = ((size_t)at[2] * p->k->h + (size_t)at[1]) * p->k->w + (size_t)at[0];
        out[k] = k == 3 && opaque ? 1 : 0;
        if (in && from >= 0)
            out[k] = stored(p->f, p->bytes + pixel * pixel_bytes(p->f) + (u32)from * p->f.c->bytes);
        if (in && is_srgb && k < 3)
            out[k] = light(out[k]);
    }
}

typedef struct { cl_bool normalized; cl_addressing_mode mode; cl_filter_mode filter; } Sampling;

/* the one or two pixels along an axis, and the share of the second */
static double along(double s, int n, const Sampling *m, int at[2])
{
    const bool linear = m->filter == CL_FILTER_LINEAR;
    double u = m->normalized ? s * n : s;
    if (m->mode == CL_ADDRESS_REPEAT)
        u = (s - floor(s)) * n;
    if (m->mode == CL_ADDRESS_MIRRORED_REPEAT)
        u = fabs(s - 2 * rint(s / 2)) * n;
    at[0] = (int)floor(linear ? u - 0.5 : u);
    at[1] = at[0] + 1;
    for (int k = 0; k < 2; k++)
        switch (m->mode) {
        case CL_ADDRESS_CLAMP: at[k] = at[k] < -1 ? -1 : at[k] > n ? n : at[k]; break;
        case CL_ADDRESS_REPEAT: at[k] = (at[k] + n) % n; break;
        default: at[k] = at[k] < 0 ? 0 : at[k] >= n ? n - 1 : at[k];
        }
    return linear ? u - 0.5 - floor(u - 0.5) : 0;
}

static void model_read(const Picture *p, const Sampling *m, const float s[4], double out[4])
{
    const int size[] = {(int)p->k->w, (int)p->k->h, (int)p->k->d};
    int at[3][2] = {{0}};
    double share[3] = {0};
    for (u32 k = 0; k < p->k->dims; k++)
        share[k] = along(s[k], size[k], m, at[k]);
    if (is_array(p->k)) {
        const double layer = rint(s[p->k->dims]);
        at[2][0] = layer < 0 ? 0 : layer >= size[2] ? size[2] - 1 : (int)layer;
        at[2][1] = at[2][0];
    }
    memset(out, 0, 4 * sizeof *out);
    for (int c = 0; c < 8; c++) {
        const int x[3] = {at[0][c & 1], at[1][c >> 1 & 1], at[2][c >> 2]};
        const double w = (c & 1 ? share[0] : 1 - share[0]) * (c & 2 ? share[1] : 1 - share[1]) *
                         (c & 4 ? share[2] : 1 - share[2]);
        double v[4];
        if (w == 0)
            continue;
        model_pixel(p, x, v);
        for (int k = 0; k < 4; k++)
            out[k] += w * v[k];
    }
}

/* --- programs -------------------------------------------------------------------------------------- */

/* For each kind K of coordinates V: reads at places, with and without a sampler; writes, queries. */
static const char reads[] =
    "kernel void f(read_only K i, sampler_t s, global const float4 *p, global float4 *o)\n"
    "{ size_t k = get_global_id(0); o[k] = GREY(read_imagef(i, s, AT(p[k]))); }\n"
    "#ifndef DEPTH\n"
    "kernel void i(read_only K i, sampler_t s, global const float4 *p, global int4 *o)\n"
    "{ size_t k = get_global_id(0); o[k] = read_imagei(i, s, AT(p[k])); }\n"
    "kernel void u(read_only K i, sampler_t s, global const float4 *p, global uint4 *o)\n"
    "{ size_t k = get_global_id(0); o[k] = read_imageui(i, s, AT(p[k])); }\n"
    "#endif\n"
    "constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "kernel void whole(read_only K i, global const int4 *p, global float4 *o)\n"
    "{ const sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
    "  size_t k = get_global_id(0); int4 q = clamp(p[k], 0, 2);\n"
    "  o[3 * k] = GREY(read_imagef(i, edge, IAT(p[k]))); o[3 * k + 1] = GREY(read_imagef(i, border, IAT(p[k])));\n"
    "  o[3 * k + 2] = GREY(read_imagef(i, IAT(q))); }\n"
    "kernel void ask(read_only K i, global int *o)\n"
    "{ o[0] = get_image_width(i); o[1] = get_image_channel_data_type(i); o[2] = get_image_channel_order(i); ASK }\n";
static const char writes[] =
    "kernel void f(write_only K i, global const int4 *p, global const float4 *v)\n"
    "{ size_t k = get_global_id(0); write_imagef(i, IAT(p[k]), GREY(v[k])); }\n"
    "#ifndef DEPTH\n"
    "kernel void i(write_only K i, global const int4 *p, global const int4 *v)\n"
    "{ size_t k = get_global_id(0); write_imagei(i, IAT(p[k]), v[k]); }\n"
    "kernel void u(write_only K i, global const int4 *p, global const uint4 *v)\n"
    "{ size_t k = get_global_id(0); write_imageui(i, IAT(p[k]), v[k]); }\n"
    "#endif\n"
    "kernel void both(read_write K i, global const int4 *p)\n"
    "{ size_t k = get_global_id(0); int4 q = p[k];\n"
    "  write_imagef(i, IAT(q), read_imagef(i, IAT(q)) * 0.5f); }\n";

/* GREY: what is read becomes a vector to store, and a vector what can be written. */
static cl_program build(const char *source, const char *kind, bool is_depth)
{
    Buf text = {0};
    cl_int s;
    const char *at = strstr(kind, "1d_a") ? "(p).xy" : strstr(kind, "1d") ? "(p).x"
                     : strstr(kind, "2d_a") || strstr(kind, "3d") ? "p" : "(p).xy";
    if (!INFO(cl_bool, clGetDeviceInfo, host.device, CL_DEVICE_COMPILER_AVAILABLE))
        skip_because("no compiler");
    buf_printf(&text, "#define K %s\n#define AT(p) (%s)\n#define IAT(p) AT(p)\n%s#define GREY(v) %s\n", kind, at,
               is_depth ? "#define DEPTH\n" : "", !is_depth ? "(v)" : source == reads ? "(float4)(v, 0, 0, 1)" : "(v).x");
    buf_printf(&text, "#define ASK %s%s%s\n%s", strstr(kind, "1d") ? "" : "o[3]=get_image_height(i);",
               strstr(kind, "3d") ? "o[4]=get_image_depth(i);" : "",
               strstr(kind, "array") ? "o[4]=(int)get_image_array_size(i);" : "", source);
    const char *whole = buf_text(&text);
    cl_program p = clCreateProgramWithSource(host.context, 1, &whole, NULL, &s);
    ok(s);
    if (clBuildProgram(p, 1, &host.device, "-cl-std=CL3.0 -cl-kernel-arg-info", NULL, NULL)) {
        char log[4096] = "";
        clGetProgramBuildInfo(p, host.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fail_msg("%s: %s", kind, log);
    }
    buf_free(&text);
    return p;
}

static cl_mem make_image(Format f, const Kind *k, cl_mem_flags flags, const void *bytes)
{
    const cl_image_format format = cl_format(f);
    const cl_image_desc d = {.image_type = k->type, .image_width = k->w, .image_height = k->h,
                             .image_depth = k->d, .image_array_size = k->d};
    cl_int s;
    cl_mem m = clCreateImage(host.context, flags, &format, &d, (void *)(uintptr_t)bytes, &s);
    ok(s);
    return m;
}

static void set(cl_kernel k, cl_uint n, ...)
{
    va_list ap;
    va_start(ap, n);
    for (cl_uint i = 0; i < n; i++) {
        void *handle = va_arg(ap, void *);
        ok(clSetKernelArg(k, i, sizeof handle, &handle));
    }
    va_end(ap);
}

static void launch(cl_kernel k, size_t n)
{
    ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
}

static u32 seed = 1;
static u32 any(void) { return seed = seed * 1664525 + 1013904223; }

/* bytes of pixels, without infinities and NaNs */
static void fill(Format f, u8 *bytes, size_t n)
{
    for (size_t i = 0; i < n; i += f.c->bytes) {
        const float x = (float)(i32)any() / 0x1p24f;
        u32 v = f.c->what == 'h' ? (any() >> 8 & 0xbbff) : any() >> 3;
        if (f.c->what == 'f')
            memcpy(&v, &x, sizeof v);
        memcpy(bytes + i, &v, f.c->bytes);
    }
}

/* --- what kernels read ------------------------------------------------------------------------------- */

enum { PLACES = 192 };

static void make_places(const Kind *k, const Sampling *m, float p[PLACES][4])
{
    const size_t size[] = {k->w, k->h, k->d};
    for (int i = 0; i < PLACES; i++)
        for (u32 c = 0; c < 4; c++) {
            const float u = (float)((int)(any() >> 20) % 64 - 20) / 4 + 0.125f; /* off the edges of pixels */
            const bool is_layer = is_array(k) && c == k->dims;
            p[i][c] = m->normalized && !is_layer && c < 3 ? u / (float)size[c] : u;
        }
}

static void expect_near(const Picture *p, const Sampling *m, const float at[4], const float got[4])
{
    double want[4];
    model_read(p, m, at, want);
    for (int c = 0; c < 4; c++) {
        const bool linear = m->filter == CL_FILTER_LINEAR;
        /* the weights of a linear filter have an error of their own, by the largest pixel */
        const double most = p->f.c->what == 'f' ? 128 : p->f.c->what == 'h' ? 65504 : 1;
        const double slack = linear ? most * 4e-6 : fabs(want[c]) * 1.3e-7;
        if (!(fabs(got[c] - want[c]) <= slack))
            fail_msg("%s, order %x, type %x, %d/%x/%x, channel %d at %g %g %g: %.9g, not %.9g", p->k->name,
                     p->f.o->order, p->f.c->type, m->normalized, m->mode, m->filter, c, at[0], at[1], at[2], got[c],
                     want[c]);
    }
}

static void read_one(cl_program prog, Format f, const Kind *kind, const Sampling *m)
{
    u8 bytes[MOST];
    float places[PLACES][4];
    union { float f[4]; i32 i[4]; u32 u[4]; } got[PLACES];
    const bool is_int = f.c->what == 'i' || f.c->what == 'u';
    const char name[] = {is_int ? f.c->what : 'f', 0};
    cl_int s;
    fill(f, bytes, kind->w * kind->h * kind->d * pixel_bytes(f));
    make_places(kind, m, places);
    const Picture p = {bytes, f, kind};
    cl_mem image = make_image(f, kind, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes);
    cl_mem at = make_buffer(sizeof places, places), out = make_buffer(sizeof got, NULL);
    cl_sampler sampler = clCreateSampler(host.context, m->normalized, m->mode, m->filter, &s);
    ok(s);
    cl_kernel k = make_kernel(prog, name);
    set(k, 4, image, sampler, at, out);
    launch(k, PLACES);
    ok(clEnqueueReadBuffer(host.queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < PLACES; i++) {
        double want[4];
        if (!is_int)
            expect_near(&p, m, places[i], got[i].f);
        model_read(&p, m, places[i], want);
        for (int c = 0; is_int && c < 4; c++)
            assert_true(want[c] == (f.c->what == 'i' ? (double)got[i].i[c] : (double)got[i].u[c]));
    }
    ok(clReleaseKernel(k));
    ok(clReleaseSampler(sampler));
    ok(clReleaseMemObject(image));
    ok(clReleaseMemObject(at));
    ok(clReleaseMemObject(out));
}

static const cl_addressing_mode modes[] = {CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
                                           CL_ADDRESS_MIRRORED_REPEAT};

static void samples_as_the_specification_says(void **state)
{
    (void)state;
    for (size_t n = 0; n < countof(kinds); n++) {
        cl_program prog = build(reads, kinds[n].name, false);
        for (size_t m = 0; m < countof(modes); m++)
            for (int way = 0; way < 4; way++) {
                const Sampling s = {way & 1, modes[m], way & 2 ? CL_FILTER_LINEAR : CL_FILTER_NEAREST};
                if (!s.normalized && m > 1)
                    continue;
                read_one(prog, (Format){&channels[0], &orders[2]}, &kinds[n], &s);
                read_one(prog, (Format){&channels[5], &orders[0]}, &kinds[n], &s);
                read_one(prog, (Format){&channels[5], &orders[2]}, &kinds[n], &s);
                if (s.filter == CL_FILTER_NEAREST)
                    read_one(prog, (Format){&channels[7], &orders[2]}, &kinds[n], &s);
            }
        ok(clReleaseProgram(prog));
    }
}

static void reads_every_format(void **state)
{
    const Kind *kind = &kinds[2];
    cl_program prog = build(reads, kind->name, false);
    cl_program depth = build(reads, "image2d_depth_t", true);
    u32 seen = 0;
    (void)state;
    for (size_t o = 0; o < countof(orders); o++)
        for (size_t c = 0; c < countof(channels); c++) {
            const Format f = {&channels[c], &orders[o]};
            const Sampling s = {CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST};
            const Sampling linear = {CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR};
            if (!is_offered(f, CL_MEM_READ_ONLY, kind->type) || orders[o].order == CL_DEPTH)
                continue;
            read_one(prog, f, kind, &s);
            if (channels[c].what != 'i' && channels[c].what != 'u' && channels[c].what != 'h')
                read_one(prog, f, kind, &linear);
            seen++;
        }
    assert_true(seen >= 3 * countof(channels));
    for (size_t c = 0; c < countof(channels); c++) {
        const Format f = {&channels[c], &orders[6]};
        if (!is_offered(f, CL_MEM_READ_ONLY, kind->type))
            continue;
        /* the model's alpha of an opaque image is what the kernel puts there */
        read_one(depth, f, kind, &(Sampling){CL_TRUE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR});
        read_one(depth, f, kind, &(Sampling){CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST});
    }
    ok(clReleaseProgram(prog));
    ok(clReleaseProgram(depth));
}

/* Integer coordinates: clamped, with a border, and without a sampler; samplers that the program has. */
static void reads_at_integers(void **state)
{
    static i32 places[PLACES][4];
    static float got[PLACES][3][4];
    u8 bytes[MOST];
    const Format f = {&channels[1], &orders[1]};
    (void)state;
    for (size_t n = 0; n < countof(kinds); n++) {
        const Kind *kind = &kinds[n];
        cl_program prog = build(reads, kind->name, false);
        fill(f, bytes, kind->w * kind->h * kind->d * pixel_bytes(f));
        for (int i = 0; i < PLACES; i++)
            for (int c = 0; c < 4; c++)
                places[i][c] = (i32)(any() >> 16) % 16 - 5;
        const Picture p = {bytes, f, kind};
        cl_mem image = make_image(f, kind, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes);
        cl_mem at = make_buffer(sizeof places, places), out = make_buffer(sizeof got, NULL);
        cl_kernel k = make_kernel(prog, "whole");
        set(k, 3, image, at, out);
        launch(k, PLACES);
        ok(clEnqueueReadBuffer(host.queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (int i = 0; i < PLACES; i++)
            for (int way = 0; way < 3; way++) {
                const Sampling s = {CL_FALSE, way == 1 ? CL_ADDRESS_CLAMP : CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST};
                float q[4];
                for (int c = 0; c < 4; c++) {
                    const i32 v = places[i][c];
                    q[c] = (float)(way == 2 ? v < 0 ? 0 : v > 2 ? 2 : v : v);
                    if (!(is_array(kind) && c == (int)kind->dims))
                        q[c] += 0.5f;
                }
                expect_near(&p, &s, q, got[i][way]);
            }
        ok(clReleaseKernel(k));
        k = make_kernel(prog, "ask");
        set(k, 2, image, out);
        launch(k, 1);
        i32 told[5];
        ok(clEnqueueReadBuffer(host.queue, out, CL_TRUE, 0, sizeof told, told, 0, NULL, NULL));
        assert_int_equal(told[0], kind->w);
        assert_int_equal(told[1], CL_UNORM_INT16);
        assert_int_equal(told[2], CL_RG);
        if (kind->h > 1)
            assert_int_equal(told[3], kind->h);
        if (kind->d > 1)
            assert_int_equal(told[4], kind->d);
        ok(clReleaseKernel(k));
        ok(clReleaseMemObject(image));
        ok(clReleaseMemObject(at));
        ok(clReleaseMemObject(out));
        ok(clReleaseProgram(prog));
    }
}

/* --- what kernels write ------------------------------------------------------------------------------ */

/* whether the bytes at `at` are the nearest that the format has to v */
static void expect_written(Format f, const u8 *at, double v)
{
    const double whole = ldexp(1, 8 * (int)f.c->bytes), got = stored(f, at);
    double want = v, slack = 0;
    switch (f.c->what) {
    case 'n': want = fmin(fmax(v, 0), 1), slack = 0.51 / (whole - 1); break;
    case 's': want = fmin(fmax(v, -1), 1), slack = 0.51 / (whole / 2 - 1); break;
    case 'h': slack = fabs(v) * 0x1p-11 + 0x1p-25; break;
    case 'i': want = fmin(fmax(v, -whole / 2), whole / 2 - 1); break;
    case 'u': want = fmin(v, whole - 1); break;
    default: break;
    }
    if (!(fabs(got - want) <= slack))
        fail_msg("order %x, type %x: %.9g is written for %.9g", f.o->order, f.c->type, got, v);
}

static void write_one(cl_program prog, Format f, const Kind *kind)
{
    static i32 places[MOST][4];
    static union { float f[4]; i32 i[4]; u32 u[4]; } given[MOST];
    u8 bytes[MOST];
    const size_t n = kind->w * kind->h * kind->d, origin[3] = {0};
    const bool turned = kind->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const size_t region[] = {kind->w, turned ? kind->d : kind->h, turned ? 1 : kind->d};
    const char name[] = {f.c->what == 'i' || f.c->what == 'u' ? f.c->what : 'f', 0};
    for (size_t i = 0; i < n; i++) {
        const int x = (int)(i % kind->w), y = (int)(i / kind->w % kind->h), z = (int)(i / kind->w / kind->h);
        const i32 at[4] = {x, turned ? z : y, z, 0};
        memcpy(places[i], at, sizeof at);
        for (int c = 0; c < 4; c++) {
            const u32 v = any() >> (any() >> 27);
            if (*name == 'f')
                given[i].f[c] = (float)(i32)any() / 0x1p31f * (f.c->what == 'h' ? 1000 : 1.25f);
            else
                given[i].u[c] = *name == 'i' && c & 1 ? -v : v;
        }
    }
    cl_mem image = make_image(f, kind, CL_MEM_WRITE_ONLY, NULL);
    cl_mem at = make_buffer(n * sizeof *places, places), in = make_buffer(n * sizeof *given, given);
    cl_kernel k = make_kernel(prog, name);
    set(k, 3, image, at, in);
    launch(k, n);
    ok(clEnqueueReadImage(host.queue, image, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL));
    for (size_t i = 0; i < n; i++)
        for (int c = 0; c < 4; c++)
            if (f.o->at[c] >= 0)
                expect_written(f, bytes + i * pixel_bytes(f) + (u32)f.o->at[c] * f.c->bytes,
                               *name == 'f' ? (double)given[i].f[c]
                                            : *name == 'i' ? (double)given[i].i[c] : (double)given[i].u[c]);
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(image));
    ok(clReleaseMemObject(at));
    ok(clReleaseMemObject(in));
}

static void writes_every_format(void **state)
{
    (void)state;
    for (size_t n = 0; n < countof(kinds); n++) {
        cl_program prog = build(writes, kinds[n].name, false);
        for (size_t o = 0; o < countof(orders); o++)
            for (size_t c = 0; c < countof(channels); c++) {
                const Format f = {&channels[c], &orders[o]};
                if (orders[o].order != CL_DEPTH && is_offered(f, CL_MEM_WRITE_ONLY, kinds[n].type))
                    write_one(prog, f, &kinds[n]);
            }
        ok(clReleaseProgram(prog));
    }
}

/* the inverse of light() */
static double part_of(double light) { return light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055; }

/* A colour as the host gives it is the nearest that the format has, in the middle pixel and nowhere else. */
static void fill_one(Format f, const Kind *kind, cl_mem_flags flags)
{
    enum { BEFORE = 0x5a };
    union { float f[4]; i32 i[4]; u32 u[4]; } colour;
    u8 bytes[MOST];
    const size_t none[3] = {0}, all[] = {kind->w, 1, 1}, middle[] = {kind->w / 2, 0, 0}, one[] = {1, 1, 1};
    const bool is_srgb = f.o->order == CL_sRGBA || f.o->order == CL_sBGRA;
    memset(bytes, BEFORE, sizeof bytes);
    cl_mem m = make_image(f, kind, flags | CL_MEM_COPY_HOST_PTR, bytes);
    for (int turn = 0; turn < 8; turn++) {
        for (int c = 0; c < 4; c++) {
            const u32 v = any() >> (any() >> 27);
            if (f.c->what == 'i' || f.c->what == 'u')
                colour.u[c] = f.c->what == 'i' && c & 1 ? -v : v;
            else if (is_srgb)
                colour.f[c] = (float)(any() >> 8) / 0x1p24f * (c & 1 ? 1 : 0.01f);
            else
                colour.f[c] = (float)(i32)any() / 0x1p31f * (f.c->what == 'h' ? 1000 : 1.25f);
        }
        ok(clEnqueueFillImage(host.queue, m, &colour, middle, one, 0, NULL, NULL));
        ok(clEnqueueReadImage(host.queue, m, CL_TRUE, none, all, 0, 0, bytes, 0, NULL, NULL));
        for (size_t i = 0; i < kind->w * pixel_bytes(f); i++)
            if (i / pixel_bytes(f) != middle[0])
                assert_int_equal(bytes[i], BEFORE);
        for (int c = 0; c < 4; c++)
            if (f.o->at[c] >= 0)
                expect_written(f, bytes + middle[0] * pixel_bytes(f) + (u32)f.o->at[c] * f.c->bytes,
                               f.c->what == 'i'     ? (double)colour.i[c]
                               : f.c->what == 'u'   ? (double)colour.u[c]
                               : is_srgb && c < 3   ? part_of((double)colour.f[c])
                                                    : (double)colour.f[c]);
    }
    ok(clReleaseMemObject(m));
}

static void fills_every_format(void **state)
{
    size_t n = 0;
    (void)state;
    for (size_t o = 0; o < countof(orders); o++)
        for (size_t c = 0; c < countof(channels); c++) {
            const Format f = {&channels[c], &orders[o]};
            const Kind line = {"", orders[o].order == CL_DEPTH ? CL_MEM_OBJECT_IMAGE2D : CL_MEM_OBJECT_IMAGE1D, 5, 1, 1, 1};
            if (!is_offered(f, CL_MEM_READ_ONLY, line.type))
                continue;
            fill_one(f, &line, CL_MEM_READ_ONLY);
            n++;
        }
    assert_true(n > countof(channels));
}

static cl_mem buffer_image(cl_mem_object_type type, size_t w, size_t h, size_t row_pitch, cl_mem buffer)
{
    const cl_image_format f = {CL_RGBA, CL_FLOAT};
    const cl_image_desc d = {.image_type = type, .image_width = w, .image_height = h, .image_row_pitch = row_pitch,
                             .mem_object = buffer};
    cl_int s;
    cl_mem m = clCreateImage(host.context, CL_MEM_READ_WRITE, &f, &d, NULL, &s);
    ok(s);
    return m;
}

/* Images that are buffers: what kernels write to the one is in the other. */
static void shows_a_buffer(void **state)
{
    float bytes[64][4], got[64][4];
    i32 places[16][4] = {{0}};
    (void)state;
    for (int i = 0; i < 256; i++)
        bytes[i / 4][i % 4] = (float)i;
    for (int i = 0; i < 16; i++)
        places[i][0] = i % 4, places[i][1] = i / 4;
    cl_mem buffer = make_buffer(sizeof bytes, bytes), at = make_buffer(sizeof places, places);
    cl_mem plane = buffer_image(CL_MEM_OBJECT_IMAGE2D, 4, 4, 128, buffer);
    cl_mem line = buffer_image(CL_MEM_OBJECT_IMAGE1D_BUFFER, 64, 1, 0, buffer);
    cl_program in_plane = build(writes, "image2d_t", false), in_line = build(writes, "image1d_buffer_t", false);
    cl_kernel a = make_kernel(in_plane, "both"), b = make_kernel(in_line, "both");
    set(a, 2, plane, at);
    set(b, 2, line, at);
    launch(a, 16);
    launch(b, 4);
    ok(clEnqueueReadBuffer(host.queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 64; i++) {
        const bool in_image = i / 8 < 4 && i % 8 < 4; /* a row of the plane is 8 pixels apart from the next */
        for (int c = 0; c < 4; c++)
            assert_true(got[i][c] == bytes[i][c] * (in_image ? 0.5f : 1) * (i < 4 ? 0.5f : 1));
    }
    assert_ptr_equal(INFO(cl_mem, clGetMemObjectInfo, plane, CL_MEM_ASSOCIATED_MEMOBJECT), buffer);
    assert_ptr_equal(INFO(cl_mem, clGetImageInfo, plane, CL_IMAGE_BUFFER), buffer);
    assert_int_equal(INFO(size_t, clGetImageInfo, plane, CL_IMAGE_ROW_PITCH), 128);
    ok(clReleaseMemObject(buffer)); /* the images keep it */
    launch(b, 4);
    ok(clReleaseKernel(a));
    ok(clReleaseKernel(b));
    ok(clReleaseProgram(in_plane));
    ok(clReleaseProgram(in_line));
    ok(clReleaseMemObject(plane));
    ok(clReleaseMemObject(line));
    ok(clReleaseMemObject(at));
}

/* An image of a part of a buffer is what lies in the part. */
static void shows_a_part(void **state)
{
    float bytes[32][4], got[4][4];
    const cl_buffer_region part = {128, 256};
    const size_t none[3] = {0}, all[3] = {2, 2, 1};
    cl_int s;
    (void)state;
    for (int i = 0; i < 128; i++)
        bytes[i / 4][i % 4] = (float)i;
    cl_mem whole = make_buffer(sizeof bytes, bytes);
    cl_mem b = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &s);
    ok(s);
    cl_mem plane = buffer_image(CL_MEM_OBJECT_IMAGE2D, 2, 2, 64, b);
    ok(clEnqueueReadImage(host.queue, plane, CL_TRUE, none, all, 0, 0, got, 0, NULL, NULL));
    for (int i = 0; i < 4; i++)
        assert_memory_equal(got[i], bytes[8 + i / 2 * 4 + i % 2], sizeof got[i]);
    assert_ptr_equal(INFO(cl_mem, clGetImageInfo, plane, CL_IMAGE_BUFFER), b);
    ok(clReleaseMemObject(b));
    ok(clReleaseMemObject(whole));
    ok(clReleaseMemObject(plane));
}

/* Writes outside do nothing. */
static void ignores_writes_outside(void **state)
{
    const i32 places[][4] = {{-1, 0}, {7, 0}, {0, 5}, {0, -1}, {0x10000, 0}, {0, 0x40000000}, {3, 3}};
    const float given[7][4] = {{1}, {1}, {1}, {1}, {1}, {1}, {1}};
    const Format f = {&channels[0], &orders[2]};
    const size_t origin[3] = {0}, region[] = {7, 5, 1};
    u8 zero[140] = {0}, got[140];
    (void)state;
    cl_program prog = build(writes, "image2d_t", false);
    cl_mem image = make_image(f, &kinds[2], CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, zero);
    cl_mem at = make_buffer(sizeof places, places), in = make_buffer(sizeof given, given);
    cl_kernel k = make_kernel(prog, "f");
    set(k, 3, image, at, in);
    launch(k, countof(places));
    ok(clEnqueueReadImage(host.queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
    zero[(3 * 7 + 3) * 4] = 255;
    assert_memory_equal(got, zero, sizeof got);
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(prog));
    ok(clReleaseMemObject(image));
    ok(clReleaseMemObject(at));
    ok(clReleaseMemObject(in));
}

/* --- transfers --------------------------------------------------------------------------------------- */

/* Copies a box between arrays of pixels of 4 bytes with pitches in pixels. */
static void copy_box(u32 *to, size_t to_row, size_t to_slice, const u32 *from, size_t row, size_t slice,
                     const size_t region[3])
{
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            memcpy(to + z * to_slice + y * to_row, from + z * slice + y * row, region[0] * 4);
}

static const Format plain = {&channels[0], &orders[2]};

/* Reads, writes, copies to and from buffers, maps and fills of a region, on memory that the host sees and on
 * the host's own. */
static void moves_regions(void **state)
{
    enum { W = 6, H = 5, D = 4, N = W * H * D };
    const Kind kind = {"image3d_t", CL_MEM_OBJECT_IMAGE3D, W, H, D, 3};
    const size_t origin[] = {1, 2, 1}, region[] = {4, 3, 2}, none[3] = {0}, all[] = {W, H, D};
    const size_t at = (origin[2] * H + origin[1]) * W + origin[0];
    (void)state;
    for (int way = 0; way < 2; way++) {
        u32 want[N], got[N], other[8 * 8 * 8], own[N];
        size_t row_pitch = 0, slice_pitch = 0;
        cl_int s;
        for (u32 i = 0; i < N; i++)
            want[i] = own[i] = any();
        for (u32 i = 0; i < 512; i++)
            other[i] = any();
        cl_mem m = make_image(plain, &kind, way ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR, own);
        /* 1. write a region from rows of 8 pixels; read it to others */
        ok(clEnqueueWriteImage(host.queue, m, CL_FALSE, origin, region, 32, 256, other, 0, NULL, NULL));
        copy_box(want + at, W, W * H, other, 8, 64, region);
        ok(clEnqueueReadImage(host.queue, m, CL_TRUE, none, all, 0, 0, got, 0, NULL, NULL));
        assert_memory_equal(got, want, sizeof want);
        ok(clEnqueueReadImage(host.queue, m, CL_TRUE, origin, region, 28, 200, other, 0, NULL, NULL));
        copy_box(got, 4, 12, other, 7, 50, region);
        copy_box(other, 4, 12, want + at, W, W * H, region);
        assert_memory_equal(got, other, 4 * 3 * 2 * 4);
        /* 2. to a buffer and back */
        cl_mem b = make_buffer(1024, NULL);
        ok(clEnqueueCopyImageToBuffer(host.queue, m, b, origin, region, 16, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(host.queue, b, CL_TRUE, 16, 96, got, 0, NULL, NULL));
        assert_memory_equal(got, other, 96);
        ok(clEnqueueCopyBufferToImage(host.queue, b, m, 16, none, region, 0, NULL, NULL));
        copy_box(want, W, W * H, other, 4, 12, region);
        /* 3. map, change, unmap */
        u8 *p = clEnqueueMapImage(host.queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region, &row_pitch,
                                  &slice_pitch, 0, NULL, NULL, &s);
        ok(s);
        assert_int_equal(INFO(size_t, clGetImageInfo, m, CL_IMAGE_ROW_PITCH), row_pitch);
        assert_int_equal(INFO(size_t, clGetImageInfo, m, CL_IMAGE_SLICE_PITCH), slice_pitch);
        for (size_t z = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++)
                for (size_t x = 0; x < region[0]; x++) {
                    u32 *q = (u32 *)(void *)(p + z * slice_pitch + y * row_pitch) + x;
                    assert_int_equal(*q, want[at + (z * H + y) * W + x]);
                    *q ^= 0x5a5a5a5a;
                    want[at + (z * H + y) * W + x] ^= 0x5a5a5a5a;
                }
        ok(clEnqueueUnmapMemObject(host.queue, m, p, 0, NULL, NULL));
        /* 4. fill */
        const float colour[] = {1, 0.5f, 0, 2};
        ok(clEnqueueFillImage(host.queue, m, colour, origin, (size_t[]){2, 2, 2}, 0, NULL, NULL));
        for (int i = 0; i < 8; i++)
            want[at + (size_t)((i >> 2) * H + (i >> 1 & 1)) * W + (size_t)(i & 1)] = 0xff0080ff;
        ok(clEnqueueReadImage(host.queue, m, CL_TRUE, none, all, 0, 0, got, 0, NULL, NULL));
        assert_memory_equal(got, want, sizeof want);
        ok(clEnqueueMigrateMemObjects(host.queue, 1, &m, 0, 0, NULL, NULL));
        ok(clReleaseMemObject(b));
        ok(clReleaseMemObject(m));
    }
}

static void copies_between_images(void **state)
{
    const Kind box = {"", CL_MEM_OBJECT_IMAGE3D, 6, 5, 4, 3}, plane = {"", CL_MEM_OBJECT_IMAGE2D, 9, 7, 1, 2},
               row = {"", CL_MEM_OBJECT_IMAGE1D_ARRAY, 6, 1, 4, 1};
    u32 a[120], b[63], c[24], got[120];
    const size_t none[3] = {0};
    (void)state;
    for (int i = 0; i < 120; i++)
        a[i] = any(), b[i % 63] = any(), c[i % 24] = any();
    cl_mem x = make_image(plain, &box, CL_MEM_COPY_HOST_PTR, a), y = make_image(plain, &plane, CL_MEM_COPY_HOST_PTR, b);
    cl_mem z = make_image(plain, &row, CL_MEM_COPY_HOST_PTR, c);
    ok(clEnqueueCopyImage(host.queue, x, y, (size_t[]){1, 2, 3}, (size_t[]){4, 3, 0}, (size_t[]){5, 3, 1}, 0, NULL, NULL));
    copy_box(b + 3 * 9 + 4, 9, 63, a + (3 * 5 + 2) * 6 + 1, 6, 30, (size_t[]){5, 3, 1});
    ok(clEnqueueReadImage(host.queue, y, CL_TRUE, none, (size_t[]){9, 7, 1}, 0, 0, got, 0, NULL, NULL));
    assert_memory_equal(got, b, sizeof b);
    /* within an array of lines: lines 0 and 1 to 2 and 3 */
    ok(clEnqueueCopyImage(host.queue, z, z, none, (size_t[]){1, 2, 0}, (size_t[]){5, 2, 1}, 0, NULL, NULL));
    copy_box(c + 13, 6, 6, c, 6, 6, (size_t[]){5, 2, 1});
    ok(clEnqueueReadImage(host.queue, z, CL_TRUE, none, (size_t[]){6, 4, 1}, 0, 0, got, 0, NULL, NULL));
    assert_memory_equal(got, c, sizeof c);
    assert_int_equal(clEnqueueCopyImage(host.queue, z, z, none, (size_t[]){1, 1, 0}, (size_t[]){5, 2, 1}, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);
    cl_mem w = make_image((Format){&channels[5], &orders[2]}, &plane, 0, NULL);
    assert_int_equal(clEnqueueCopyImage(host.queue, y, w, none, none, (size_t[]){1, 1, 1}, 0, NULL, NULL),
                     CL_IMAGE_FORMAT_MISMATCH);
    ok(clReleaseMemObject(x));
    ok(clReleaseMemObject(y));
    ok(clReleaseMemObject(z));
    ok(clReleaseMemObject(w));
}

/* A region of an image of any kind: what the API's three numbers mean, in pixels, lines and slices. */
typedef struct {
    size_t at[3], n[3];           /* x, y, z */
    size_t origin[3], region[3];  /* as the API has them: lines of an array are its y */
} Part;

static Part any_part(const Kind *k)
{
    const size_t size[] = {k->w, k->h, k->d};
    Part p;
    for (int i = 0; i < 3; i++) {
        p.at[i] = any() % size[i];
        p.n[i] = 1 + any() % (size[i] - p.at[i]);
    }
    const bool turned = k->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    for (int i = 0; i < 3; i++) {
        p.origin[i] = p.at[turned && i ? 3 - i : i];
        p.region[i] = p.n[turned && i ? 3 - i : i];
    }
    return p;
}

/* Calls move(image's pixel, host's pixel) for each pixel of a part whose lines and slices lie row and slice pixels
 * apart at the host. */
#define EACH_PIXEL(k, p, row, slice, in, out)                                                              \
    for (size_t z_ = 0; z_ < (p).n[2]; z_++)                                                               \
        for (size_t y_ = 0; y_ < (p).n[1]; y_++)                                                           \
            for (size_t x_ = 0, in, out;                                                                   \
                 in = (((p).at[2] + z_) * (k)->h + (p).at[1] + y_) * (k)->w + (p).at[0] + x_,              \
                 out = z_ * (slice) + y_ * (row) + x_, x_ < (p).n[0];                                      \
                 x_++)

/* Reads, writes, fills, maps and copies of random parts of images of every kind, with pitches and without, in memory
 * of the device and of the host, which has gaps. */
static void moves_parts_of_every_kind(void **state)
{
    enum { HOST = 4096 };
    static u32 host_pixels[HOST], seen[HOST], memory[HOST];
    (void)state;
    for (size_t turn = 0; turn < 40 * countof(kinds); turn++) {
        const Kind *k = &kinds[turn % countof(kinds)];
        const bool has_slices = is_array(k) || k->type == CL_MEM_OBJECT_IMAGE3D, own = turn / countof(kinds) % 2;
        const size_t gap = own ? any() % 3 : 0, rows = k->h + (own && has_slices ? any() % 2 : 0);
        const size_t line = k->w + gap, layer = line * rows, all = k->w * k->h * k->d;
        const cl_image_format f = cl_format(plain);
        const cl_image_desc d = {.image_type = k->type, .image_width = k->w, .image_height = k->h, .image_depth = k->d,
                                 .image_array_size = k->d, .image_row_pitch = line * 4,
                                 .image_slice_pitch = has_slices ? layer * 4 : 0};
        u32 want[128];
        cl_int s;
        assert_true(all <= countof(want) && layer * k->d <= HOST);
        for (size_t i = 0; i < HOST; i++)
            memory[i] = any();
        for (size_t i = 0; i < all; i++)
            want[i] = memory[i / k->w / k->h * layer + i / k->w % k->h * line + i % k->w];
        cl_mem m = clCreateImage(host.context, own ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR, &f, &d, memory, &s);
        cl_mem b = make_buffer(sizeof host_pixels, NULL);
        ok(s);
        for (int step = 0; step < 6; step++) {
            const Part p = any_part(k);
            const size_t row = p.n[0] + any() % 3, slice = row * (p.n[1] + (has_slices ? any() % 2 : 0));
            const size_t row_pitch = row > p.n[0] ? row * 4 : 0,
                         slice_pitch = has_slices && (slice != row * p.n[1] || any() % 2) ? slice * 4 : 0;
            size_t got_row, got_slice;
            u8 *at;
            for (size_t i = 0; i < HOST; i++)
                host_pixels[i] = any();
            memcpy(seen, host_pixels, sizeof seen);
            switch (step) {
            case 0:
                ok(clEnqueueWriteImage(host.queue, m, CL_TRUE, p.origin, p.region, row_pitch, slice_pitch, host_pixels,
                                       0, NULL, NULL));
                EACH_PIXEL(k, p, row, slice, in, out)
                    want[in] = host_pixels[out];
                break;
            case 1:
                ok(clEnqueueReadImage(host.queue, m, CL_TRUE, p.origin, p.region, row_pitch, slice_pitch, host_pixels, 0,
                                      NULL, NULL));
                EACH_PIXEL(k, p, row, slice, in, out)
                    seen[out] = want[in];
                assert_memory_equal(host_pixels, seen, sizeof seen);
                break;
            case 2:
                ok(clEnqueueWriteBuffer(host.queue, b, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
                ok(clEnqueueCopyImageToBuffer(host.queue, m, b, p.origin, p.region, 20, 0, NULL, NULL));
                EACH_PIXEL(k, p, p.n[0], p.n[0] * p.n[1], in, out)
                    seen[5 + out] = want[in];
                ok(clEnqueueReadBuffer(host.queue, b, CL_TRUE, 0, sizeof seen, host_pixels, 0, NULL, NULL));
                assert_memory_equal(host_pixels, seen, sizeof seen);
                break;
            case 3:
                ok(clEnqueueWriteBuffer(host.queue, b, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
                ok(clEnqueueCopyBufferToImage(host.queue, b, m, 28, p.origin, p.region, 0, NULL, NULL));
                EACH_PIXEL(k, p, p.n[0], p.n[0] * p.n[1], in, out)
                    want[in] = seen[7 + out];
                break;
            case 4:
                ok(clEnqueueFillImage(host.queue, m, (const float[4]){0, 1, 0, 1}, p.origin, p.region, 0, NULL, NULL));
                EACH_PIXEL(k, p, 0, 0, in, out)
                    (void)out, want[in] = 0xff00ff00;
                break;
            default:
                at = clEnqueueMapImage(host.queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, p.origin, p.region, &got_row,
                                       has_slices ? &got_slice : NULL, 0, NULL, NULL, &s);
                ok(s);
                assert_int_equal(got_row, line * 4);
                if (has_slices)
                    assert_int_equal(got_slice, layer * 4);
                EACH_PIXEL(k, p, line, layer, in, out) {
                    assert_int_equal(((u32 *)(void *)at)[out], want[in]);
                    ((u32 *)(void *)at)[out] = ++want[in];
                }
                ok(clEnqueueUnmapMemObject(host.queue, m, at, 0, NULL, NULL));
            }
        }
        const Part whole = {{0}, {k->w, k->h, k->d}, {0}, {k->w, k->h, k->d}};
        const size_t lines[3] = {k->w, k->d, 1};
        ok(clEnqueueReadImage(host.queue, m, CL_TRUE, whole.origin,
                              k->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? lines : whole.region, 0, 0, seen, 0, NULL, NULL));
        assert_memory_equal(seen, want, all * 4);
        ok(clReleaseMemObject(m));
        ok(clReleaseMemObject(b));
    }
}

/* Images whose bytes are all that their memory has: none of them is written behind the last. */
static void fills_its_memory(void **state)
{
    enum { PAGE = 4096, GAP = 8 };
    static const Kind full[] = {{"", CL_MEM_OBJECT_IMAGE1D, 1024, 1, 1, 1}, {"", CL_MEM_OBJECT_IMAGE2D, 32, 32, 1, 2},
                                {"", CL_MEM_OBJECT_IMAGE3D, 16, 16, 4, 3}, {"", CL_MEM_OBJECT_IMAGE1D_ARRAY, 256, 1, 4, 1}};
    static u8 from[4 * PAGE], got[PAGE];
    (void)state;
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (u8)any();
    for (size_t n = 0; n < countof(full); n++) {
        const Kind *k = &full[n];
        const size_t line = k->w * 4 + GAP, none[3] = {0}, lines[3] = {k->w, k->d, 1}, all[3] = {k->w, k->h, k->d};
        const cl_image_format f = cl_format(plain);
        const cl_image_desc d = {.image_type = k->type, .image_width = k->w, .image_height = k->h, .image_depth = k->d,
                                 .image_array_size = k->d, .image_row_pitch = line};
        cl_int s;
        cl_mem m = clCreateImage(host.context, CL_MEM_COPY_HOST_PTR, &f, &d, from, &s);
        ok(s);
        assert_int_equal(INFO(size_t, clGetMemObjectInfo, m, CL_MEM_SIZE), PAGE);
        ok(clEnqueueReadImage(host.queue, m, CL_TRUE, none, k->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? lines : all, 0, 0,
                              got, 0, NULL, NULL));
        for (size_t row = 0; row < k->h * k->d; row++)
            assert_memory_equal(got + row * k->w * 4, from + row * line, k->w * 4);
        ok(clReleaseMemObject(m));
    }
}

/* Which types of channels the specification lets go with an order (OpenCL 3.0 API, 5.3.1.1), and which of the formats
 * there are. */
static void knows_formats(void **state)
{
    static const cl_channel_type types[] = {CL_UNORM_INT8, CL_SNORM_INT8, CL_SIGNED_INT8, CL_UNSIGNED_INT8, CL_UNORM_INT16,
                                            CL_SNORM_INT16, CL_HALF_FLOAT, CL_FLOAT, CL_SIGNED_INT16, CL_SIGNED_INT32,
                                            CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_UNORM_INT_101010_2,
                                            CL_UNORM_SHORT_565, CL_UNORM_SHORT_555, CL_UNORM_INT_101010};
    static const struct { cl_channel_order order; const char *with; } rows[] = { /* of the types above */
        {CL_R, "xxxxxxxxxxxx...."}, {CL_A, "xxxxxxxxxxxx...."}, {CL_RG, "xxxxxxxxxxxx...."}, {CL_RA, "xxxxxxxxxxxx...."},
        {CL_Rx, "xxxxxxxxxxxx...."}, {CL_RGx, "xxxxxxxxxxxx...."}, {CL_RGBA, "xxxxxxxxxxxxx..."},
        {CL_RGB, ".............xxx"}, {CL_RGBx, ".............xxx"}, {CL_INTENSITY, "xx..xxxx........"},
        {CL_LUMINANCE, "xx..xxxx........"}, {CL_ARGB, "xxxx............"}, {CL_BGRA, "xxxx............"},
        {CL_ABGR, "xxxx............"}, {CL_DEPTH, "....x..x........"}, {CL_sRGB, "x..............."},
        {CL_sRGBx, "x..............."}, {CL_sRGBA, "x..............."}, {CL_sBGRA, "x..............."}, {CL_R - 1, "................"}};
    static const cl_mem_object_type shapes[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY};
    static const cl_mem_flags uses[] = {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE};
    (void)state;
    for (size_t i = 0; i < countof(rows) * countof(types) * countof(shapes) * countof(uses); i++) {
        const size_t r = i / countof(types) % countof(rows), t = i % countof(types);
        const cl_mem_object_type shape = shapes[i / countof(types) / countof(rows) % countof(shapes)];
        const cl_mem_flags use = uses[i / countof(types) / countof(rows) / countof(shapes)];
        const cl_image_format f = {rows[r].order, types[t]};
        const cl_image_desc d = {.image_type = shape, .image_width = 1, .image_height = 1, .image_array_size = 1};
        const Order *o = orders;
        const Channel *c = channels;
        for (; o < orders + countof(orders) && o->order != rows[r].order; o++)
            ;
        for (; c < channels + countof(channels) && c->type != types[t]; c++)
            ;
        const bool is_srgb = f.image_channel_order == CL_sRGBA || f.image_channel_order == CL_sBGRA;
        const bool has = o < orders + countof(orders) && c < channels + countof(channels) &&
                         (!is_srgb || use == CL_MEM_READ_ONLY) &&
                         (f.image_channel_order != CL_DEPTH || shape != CL_MEM_OBJECT_IMAGE1D);
        const cl_int want = rows[r].with[t] != 'x' ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
                            : has                  ? CL_SUCCESS
                                                   : CL_IMAGE_FORMAT_NOT_SUPPORTED;
        cl_int s;
        cl_mem m = clCreateImage(host.context, use, &f, &d, NULL, &s);
        if (s != want)
            fail_msg("order %x of %x as %x for %d: %d, not %d", f.image_channel_order, f.image_channel_data_type, shape,
                     (int)use, s, want);
        if (c < channels + countof(channels))
            assert_int_equal(is_offered((Format){c, &(Order){.order = f.image_channel_order}}, use, shape),
                             s == CL_SUCCESS);
        if (m)
            ok(clReleaseMemObject(m));
    }
    /* the list is cut off where there is no more room */
    cl_image_format list[4] = {{0}};
    cl_uint n, again;
    ok(clGetSupportedImageFormats(host.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 3, list, &n));
    ok(clGetSupportedImageFormats(host.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &again));
    assert_true(n == again && n > 4);
    assert_true(list[2].image_channel_order && !list[3].image_channel_order);
    ok(clGetSupportedImageFormats(host.context, CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE1D_BUFFER, 0, NULL, NULL));
    const struct { cl_mem_flags flags; cl_mem_object_type type; cl_uint n; } wrong[] = {
        {0, CL_MEM_OBJECT_IMAGE2D - 1, 4}, {0, CL_MEM_OBJECT_IMAGE1D_BUFFER + 1, 4}, {0, CL_MEM_OBJECT_IMAGE2D, 0},
        {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, 4}};
    for (size_t i = 0; i < countof(wrong); i++)
        assert_int_equal(clGetSupportedImageFormats(host.context, wrong[i].flags, wrong[i].type, wrong[i].n, list, &n),
                         CL_INVALID_VALUE);
}

/* An image is as large as the device says that it may be, and no larger. */
static void keeps_to_sizes(void **state)
{
    const size_t plane_w = INFO(size_t, clGetDeviceInfo, host.device, CL_DEVICE_IMAGE2D_MAX_WIDTH),
                 plane_h = INFO(size_t, clGetDeviceInfo, host.device, CL_DEVICE_IMAGE2D_MAX_HEIGHT),
                 box_w = INFO(size_t, clGetDeviceInfo, host.device, CL_DEVICE_IMAGE3D_MAX_WIDTH),
                 box_h = INFO(size_t, clGetDeviceInfo, host.device, CL_DEVICE_IMAGE3D_MAX_HEIGHT),
                 box_d = INFO(size_t, clGetDeviceInfo, host.device, CL_DEVICE_IMAGE3D_MAX_DEPTH),
                 layers = INFO(size_t, clGetDeviceInfo, host.device, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE),
                 line = INFO(size_t, clGetDeviceInfo, host.device, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE);
    const cl_image_format f = {CL_R, CL_UNSIGNED_INT8}, large = {CL_RGBA, CL_FLOAT};
    cl_mem b = make_buffer(line + 1, NULL);
    const cl_image_desc most[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = plane_w},
        {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = plane_w, .image_array_size = 1},
        {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = plane_w, .image_height = 1},
        {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = plane_w, .image_height = 1, .image_array_size = 1},
        {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = box_w, .image_height = 1, .image_depth = 1},
        {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = line, .mem_object = b},
        {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = plane_h},
        {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 1, .image_height = plane_h, .image_array_size = 1},
        {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 1, .image_height = box_h, .image_depth = 1},
        {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 1, .image_array_size = layers},
        {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 1, .image_height = 1, .image_array_size = layers},
        {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 1, .image_height = 1, .image_depth = box_d}};
    cl_int s;
    (void)state;
    for (size_t i = 0; i < countof(most); i++)
        for (size_t more = 0; more < 2; more++) {
            cl_image_desc d = most[i];
            size_t *grows = i < 6 ? &d.image_width : i < 9 ? &d.image_height : i < 11 ? &d.image_array_size : &d.image_depth;
            *grows += more;
            cl_mem m = clCreateImage(host.context, 0, &f, &d, NULL, &s);
            if (s != (more ? CL_INVALID_IMAGE_SIZE : CL_SUCCESS))
                fail_msg("row %zu, %zu: %d", i, *grows, s);
            if (m)
                ok(clReleaseMemObject(m));
        }
    /* each number may be, but not all of them together: a slice, and then the sum of slices, is too large */
    const cl_image_desc sums[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = plane_w, .image_height = plane_h},
        {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = box_w, .image_height = box_h, .image_depth = box_d}};
    for (size_t i = 0; i < countof(sums); i++) {
        assert_null(clCreateImage(host.context, 0, &large, &sums[i], NULL, &s));
        assert_int_equal(s, CL_INVALID_IMAGE_SIZE);
    }
    ok(clReleaseMemObject(b));
}

/* What a command must not say, beside one like it that it may. */
static void refuses_bad_transfers(void **state)
{
    static u8 bytes[1024];
    const Kind box = {"", CL_MEM_OBJECT_IMAGE3D, 6, 5, 4, 3};
    const size_t none[3] = {0}, at[3] = {1, 2, 3}, n[3] = {5, 3, 1}, more[3] = {5, 3, 2}, no[3] = {5, 0, 1},
                 two[3] = {2, 2, 2}, far[3] = {0, 0, 5}, beside[3] = {2, 0, 0}, below[3] = {0, 2, 0},
                 behind[3] = {0, 0, 2}, next[3] = {0, 0, 1}, askew[3] = {1, 1, 1}, large[3] = {6, 4, 1};
    const float red[4] = {1, 0, 0, 1};
    cl_mem m = make_image(plain, &box, 0, NULL), other = make_image(plain, &box, 0, NULL);
    cl_mem hidden = make_image(plain, &box, CL_MEM_HOST_NO_ACCESS, NULL);
    cl_mem given = make_image(plain, &box, CL_MEM_HOST_WRITE_ONLY, NULL), asked = make_image(plain, &box, CL_MEM_HOST_READ_ONLY, NULL);
    cl_mem b = make_buffer(84, NULL);
    size_t row, slice;
    cl_int s;
    (void)state;
#define READ(m, at, n, row, slice, to)  clEnqueueReadImage(host.queue, m, CL_TRUE, at, n, row, slice, to, 0, NULL, NULL)
#define WRITE(m, at, n, row, slice, to) clEnqueueWriteImage(host.queue, m, CL_TRUE, at, n, row, slice, to, 0, NULL, NULL)
#define COPY(from, to, a, b, n)         clEnqueueCopyImage(host.queue, from, to, a, b, n, 0, NULL, NULL)
#define TO(at, n, offset)               clEnqueueCopyImageToBuffer(host.queue, m, b, at, n, offset, 0, NULL, NULL)
#define FROM(at, n, offset)             clEnqueueCopyBufferToImage(host.queue, b, m, offset, at, n, 0, NULL, NULL)
#define FILL(colour, at, n)             clEnqueueFillImage(host.queue, m, colour, at, n, 0, NULL, NULL)
#define MAP(m, flags, at, n, row, slice)                                                                               \
    __extension__({                                                                                                    \
        void *p_ = clEnqueueMapImage(host.queue, m, CL_TRUE, flags, at, n, row, slice, 0, NULL, NULL, &s);             \
        if (p_)                                                                                                        \
            ok(clEnqueueUnmapMemObject(host.queue, m, p_, 0, NULL, NULL));                                             \
        s;                                                                                                             \
    })
    const struct { cl_int got, want; } rows[] = {
        {READ(m, at, n, 20, 60, bytes), CL_SUCCESS}, {READ(m, at, n, 19, 60, bytes), CL_INVALID_VALUE},
        {READ(m, at, n, 20, 59, bytes), CL_INVALID_VALUE}, {READ(m, at, n, 0, 59, bytes), CL_INVALID_VALUE},
        {READ(m, at, n, 24, 71, bytes), CL_INVALID_VALUE}, {READ(m, at, n, 24, 72, bytes), CL_SUCCESS},
        {READ(m, at, n, 0, 0, NULL), CL_INVALID_VALUE}, {READ(m, NULL, n, 0, 0, bytes), CL_INVALID_VALUE},
        {READ(m, at, NULL, 0, 0, bytes), CL_INVALID_VALUE}, {READ(m, at, more, 0, 0, bytes), CL_INVALID_VALUE},
        {READ(m, at, no, 0, 0, bytes), CL_INVALID_VALUE}, {READ(m, far, n, 0, 0, bytes), CL_INVALID_VALUE},
        {READ(hidden, at, n, 0, 0, bytes), CL_INVALID_OPERATION}, {WRITE(hidden, at, n, 0, 0, bytes), CL_INVALID_OPERATION},
        {READ(given, at, n, 0, 0, bytes), CL_INVALID_OPERATION}, {WRITE(given, at, n, 0, 0, bytes), CL_SUCCESS},
        {READ(asked, at, n, 0, 0, bytes), CL_SUCCESS}, {WRITE(asked, at, n, 0, 0, bytes), CL_INVALID_OPERATION},
        {COPY(m, other, at, at, n), CL_SUCCESS}, {COPY(m, other, at, at, more), CL_INVALID_VALUE},
        {COPY(m, other, at, none, more), CL_INVALID_VALUE}, {COPY(m, other, none, at, more), CL_INVALID_VALUE},
        {COPY(m, other, NULL, at, n), CL_INVALID_VALUE}, {COPY(m, other, at, NULL, n), CL_INVALID_VALUE},
        {COPY(m, m, at, at, n), CL_MEM_COPY_OVERLAP}, {COPY(m, m, none, beside, two), CL_SUCCESS},
        {COPY(m, m, none, askew, two), CL_MEM_COPY_OVERLAP}, {COPY(m, m, none, below, two), CL_SUCCESS},
        {COPY(m, m, none, behind, two), CL_SUCCESS}, {COPY(m, m, next, none, two), CL_MEM_COPY_OVERLAP},
        {TO(at, n, 24), CL_SUCCESS}, {TO(at, n, 25), CL_INVALID_VALUE}, {TO(at, n, 85), CL_INVALID_VALUE},
        {TO(at, more, 0), CL_INVALID_VALUE}, {TO(none, large, 0), CL_INVALID_VALUE},
        {FROM(at, n, 24), CL_SUCCESS}, {FROM(at, n, 25), CL_INVALID_VALUE}, {FROM(at, n, 85), CL_INVALID_VALUE},
        {FROM(at, more, 0), CL_INVALID_VALUE},
        {FILL(red, at, n), CL_SUCCESS}, {FILL(NULL, at, n), CL_INVALID_VALUE}, {FILL(red, at, more), CL_INVALID_VALUE},
        {MAP(m, CL_MAP_READ, at, n, &row, &slice), CL_SUCCESS}, {MAP(m, CL_MAP_READ, at, n, NULL, &slice), CL_INVALID_VALUE},
        {MAP(m, CL_MAP_READ, at, n, &row, NULL), CL_INVALID_VALUE}, {MAP(m, CL_MAP_READ, at, more, &row, &slice), CL_INVALID_VALUE},
        {MAP(m, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, at, n, &row, &slice), CL_INVALID_VALUE},
        {MAP(given, CL_MAP_READ, at, n, &row, &slice), CL_INVALID_OPERATION},
        {MAP(given, CL_MAP_WRITE, at, n, &row, &slice), CL_SUCCESS},
        {MAP(asked, CL_MAP_READ, at, n, &row, &slice), CL_SUCCESS},
        {MAP(asked, CL_MAP_WRITE, at, n, &row, &slice), CL_INVALID_OPERATION},
        {MAP(asked, CL_MAP_WRITE_INVALIDATE_REGION, at, n, &row, &slice), CL_INVALID_OPERATION},
        {MAP(hidden, CL_MAP_READ, at, n, &row, &slice), CL_INVALID_OPERATION},
        {MAP(hidden, CL_MAP_WRITE, at, n, &row, &slice), CL_INVALID_OPERATION},
    };
    for (size_t i = 0; i < countof(rows); i++)
        if (rows[i].got != rows[i].want)
            fail_msg("row %zu: %d, not %d", i, rows[i].got, rows[i].want);
    /* an image that shows a buffer lies in it */
    cl_mem plane = buffer_image(CL_MEM_OBJECT_IMAGE2D, 2, 2, 32, b);
    const size_t all[3] = {2, 2, 1};
    assert_int_equal(clEnqueueCopyImageToBuffer(host.queue, plane, b, none, all, 4, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    assert_int_equal(clEnqueueCopyBufferToImage(host.queue, b, plane, 20, none, all, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    const cl_mem made[] = {m, other, hidden, given, asked, plane, b};
    ok(clFinish(host.queue));
    for (size_t i = 0; i < countof(made); i++)
        ok(clReleaseMemObject(made[i]));
}

/* --- objects ------------------------------------------------------------------------------------------- */

static void answers_queries(void **state)
{
    static u8 bytes[MOST];
    const cl_image_format f = {CL_BGRA, CL_UNORM_INT8};
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 5, .image_height = 4,
                             .image_array_size = 3, .image_row_pitch = 24, .image_slice_pitch = 120};
    cl_int s;
    (void)state;
    cl_mem m = clCreateImage(host.context, CL_MEM_USE_HOST_PTR, &f, &d, bytes, &s);
    ok(s);
    assert_int_equal(INFO(cl_mem_object_type, clGetMemObjectInfo, m, CL_MEM_TYPE), CL_MEM_OBJECT_IMAGE2D_ARRAY);
    assert_int_equal(INFO(size_t, clGetMemObjectInfo, m, CL_MEM_SIZE), 360);
    assert_ptr_equal(INFO(void *, clGetMemObjectInfo, m, CL_MEM_HOST_PTR), bytes);
    assert_int_equal(INFO(cl_image_format, clGetImageInfo, m, CL_IMAGE_FORMAT).image_channel_order, CL_BGRA);
    static const struct { cl_image_info param; size_t want; } rows[] = {
        {CL_IMAGE_ELEMENT_SIZE, 4}, {CL_IMAGE_ROW_PITCH, 24}, {CL_IMAGE_SLICE_PITCH, 120}, {CL_IMAGE_WIDTH, 5},
        {CL_IMAGE_HEIGHT, 4}, {CL_IMAGE_DEPTH, 0}, {CL_IMAGE_ARRAY_SIZE, 3}};
    for (size_t i = 0; i < countof(rows); i++)
        assert_int_equal(INFO(size_t, clGetImageInfo, m, rows[i].param), rows[i].want);
    assert_int_equal(INFO(cl_uint, clGetImageInfo, m, CL_IMAGE_NUM_SAMPLES), 0);
    assert_null(INFO(cl_mem, clGetImageInfo, m, CL_IMAGE_BUFFER));
    assert_int_equal(clGetImageInfo(m, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_mem b = make_buffer(16, NULL);
    assert_int_equal(clGetImageInfo(b, CL_IMAGE_WIDTH, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    /* an image is no buffer, and no buffer an image */
    assert_int_equal(clEnqueueReadBuffer(host.queue, m, CL_TRUE, 0, 4, bytes, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    const size_t none[3] = {0}, one[] = {1, 1, 1};
    assert_int_equal(clEnqueueReadImage(host.queue, b, CL_TRUE, none, one, 0, 0, bytes, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clEnqueueReadImage(host.queue, m, CL_TRUE, (size_t[]){5, 0, 0}, one, 0, 0, bytes, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueReadImage(host.queue, m, CL_TRUE, none, (size_t[]){5, 1, 1}, 16, 0, bytes, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    ok(clReleaseMemObject(b));
    ok(clReleaseMemObject(m));
    assert_true(INFO(cl_bool, clGetDeviceInfo, host.device, CL_DEVICE_IMAGE_SUPPORT));
    assert_true(INFO(size_t, clGetDeviceInfo, host.device, CL_DEVICE_IMAGE2D_MAX_WIDTH) >= 16384);
}

/* Of an image of every kind: the numbers that its kind has; the others are 0 (OpenCL 3.0 API, "Image Object Queries"). */
static void answers_for_every_kind(void **state)
{
    const cl_image_format f = cl_format(plain);
    cl_mem b = make_buffer(1024, NULL);
    (void)state;
    for (size_t i = 0; i <= countof(kinds); i++) {
        const Kind line = {"", CL_MEM_OBJECT_IMAGE1D_BUFFER, 7, 1, 1, 1},
                   *k = i < countof(kinds) ? &kinds[i] : &line;
        const bool is_box = k->type == CL_MEM_OBJECT_IMAGE3D, is_line = k == &line,
                   has_rows = is_box || k->type == CL_MEM_OBJECT_IMAGE2D ||
                              k->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
        const cl_image_desc d = {.image_type = k->type,
                                 .image_width = k->w,
                                 .image_height = k->h,
                                 .image_depth = k->d,
                                 .image_array_size = k->d,
                                 .mem_object = is_line ? b : NULL};
        const struct {
            cl_image_info param;
            size_t want;
        } rows[] = {{CL_IMAGE_ELEMENT_SIZE, 4},
                    {CL_IMAGE_ROW_PITCH, k->w * 4},
                    {CL_IMAGE_SLICE_PITCH, is_box || is_array(k) ? k->w * k->h * 4 : 0},
                    {CL_IMAGE_WIDTH, k->w},
                    {CL_IMAGE_HEIGHT, has_rows ? k->h : 0},
                    {CL_IMAGE_DEPTH, is_box ? k->d : 0},
                    {CL_IMAGE_ARRAY_SIZE, is_array(k) ? k->d : 0}};
        cl_int s;
        cl_mem m = clCreateImage(host.context, 0, &f, &d, NULL, &s);
        ok(s);
        for (size_t r = 0; r < countof(rows); r++)
            if (INFO(size_t, clGetImageInfo, m, rows[r].param) != rows[r].want)
                fail_msg("query %zu of kind %zu", r, i);
        assert_ptr_equal(INFO(cl_mem, clGetImageInfo, m, CL_IMAGE_BUFFER), is_line ? b : NULL);
        assert_ptr_equal(INFO(cl_mem, clGetMemObjectInfo, m, CL_MEM_ASSOCIATED_MEMOBJECT),
                         is_line ? b : NULL);
        assert_int_equal(INFO(cl_mem_object_type, clGetMemObjectInfo, m, CL_MEM_TYPE), k->type);
        assert_int_equal(INFO(size_t, clGetMemObjectInfo, m, CL_MEM_SIZE), k->w * k->h * k->d * 4);
        assert_int_equal(INFO(size_t, clGetMemObjectInfo, m, CL_MEM_OFFSET), 0);
        assert_int_equal(INFO(cl_mem_flags, clGetMemObjectInfo, m, CL_MEM_FLAGS),
                         CL_MEM_READ_WRITE);
        ok(clReleaseMemObject(m));
    }
    ok(clReleaseMemObject(b));
}

static cl_mem view_of(cl_mem image, cl_channel_order order, cl_channel_type type, size_t w,
                      size_t h, cl_int *s)
{
    const cl_image_format f = {order, type};
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                             .image_width = w,
                             .image_height = h,
                             .mem_object = image};
    return clCreateImage(host.context, CL_MEM_READ_ONLY, &f, &d, NULL, s);
}

/* Which orders of channels can show each other's bytes: an order itself, and one with and without sRGB, or depth as red;
 * and only planes show planes (OpenCL 3.0 API, 5.3.1.2). */
static void shows_pairs_of_orders(void **state)
{
    static const cl_channel_order shown[] = {CL_R,     CL_RG,    CL_RGBA, CL_BGRA,
                                             CL_sRGBA, CL_sBGRA, CL_DEPTH};
    static const cl_channel_order pairs[][2] = {
        {CL_sBGRA, CL_BGRA}, {CL_sRGBA, CL_RGBA}, {CL_DEPTH, CL_R}};
    const cl_image_format f = cl_format(plain);
    cl_int s;
    (void)state;
    for (size_t i = 0; i < countof(shown) * countof(shown); i++) {
        const cl_channel_order a = shown[i / countof(shown)], b = shown[i % countof(shown)];
        const cl_channel_type type =
            a == CL_DEPTH || b == CL_DEPTH ? CL_UNORM_INT16 : CL_UNORM_INT8;
        const cl_image_format own = {a, type};
        const cl_image_desc plane = {
            .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 3, .image_height = 1};
        bool is_pair = a == b;
        for (size_t k = 0; k < countof(pairs); k++)
            is_pair |=
                (a == pairs[k][0] && b == pairs[k][1]) || (a == pairs[k][1] && b == pairs[k][0]);
        cl_mem m = clCreateImage(host.context, CL_MEM_READ_ONLY, &own, &plane, NULL, &s);
        if (!m) /* sRGB has bytes only, depth none */
            continue;
        cl_mem view = view_of(m, b, type, 3, 1, &s);
        assert_int_equal(s, is_pair ? CL_SUCCESS : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        if (view)
            ok(clReleaseMemObject(view));
        ok(clReleaseMemObject(m));
    }
    for (size_t i = 0; i < countof(kinds) * countof(kinds);
         i++) { /* of 3 pixels each, so that their bytes would do */
        cl_image_desc d[2];
        for (int k = 0; k < 2; k++)
            d[k] = (cl_image_desc){.image_type =
                                       kinds[k ? i % countof(kinds) : i / countof(kinds)].type,
                                   .image_width = 3,
                                   .image_height = 1,
                                   .image_depth = 1,
                                   .image_array_size = 1};
        const bool planes =
            d[0].image_type == CL_MEM_OBJECT_IMAGE2D && d[1].image_type == CL_MEM_OBJECT_IMAGE2D;
        cl_mem m = clCreateImage(host.context, CL_MEM_READ_ONLY, &f, &d[0], NULL, &s);
        ok(s);
        d[1].mem_object = m;
        cl_mem view = clCreateImage(host.context, CL_MEM_READ_ONLY, &f, &d[1], NULL, &s);
        assert_int_equal(s, planes ? CL_SUCCESS : CL_INVALID_IMAGE_DESCRIPTOR);
        if (view)
            ok(clReleaseMemObject(view));
        ok(clReleaseMemObject(m));
    }
}

static void refuses_bad_images(void **state)
{
    static u8 bytes[MOST];
    const cl_image_format good = {CL_RGBA, CL_UNORM_INT8};
    cl_mem b = make_buffer(64, NULL);
    const struct { cl_mem_flags flags; cl_image_format f; cl_image_desc d; void *ptr; cl_int want; } rows[] = {
        {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, good, {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1}, NULL, CL_INVALID_VALUE},
        {0, {CL_RGBA, 0}, {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1}, NULL, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {0, {CL_BGRA, CL_FLOAT}, {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1}, NULL, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {0, {CL_RGB, CL_UNORM_SHORT_565}, {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1}, NULL, CL_IMAGE_FORMAT_NOT_SUPPORTED},
        {0, {CL_sRGBA, CL_UNORM_INT8}, {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1}, NULL, CL_IMAGE_FORMAT_NOT_SUPPORTED},
        {0, good, {.image_type = CL_MEM_OBJECT_BUFFER, .image_width = 1, .image_height = 1}, NULL, CL_INVALID_IMAGE_DESCRIPTOR},
        {0, good, {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 0, .image_height = 1}, NULL, CL_INVALID_IMAGE_DESCRIPTOR},
        {0, good, {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16385, .image_height = 1}, NULL, CL_INVALID_IMAGE_SIZE},
        {0, good, {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1, .image_row_pitch = 4}, NULL, CL_INVALID_IMAGE_DESCRIPTOR},
        {CL_MEM_USE_HOST_PTR, good, {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2, .image_height = 1, .image_row_pitch = 4}, bytes, CL_INVALID_IMAGE_DESCRIPTOR},
        {CL_MEM_USE_HOST_PTR, good, {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2, .image_height = 1, .image_row_pitch = 9}, bytes, CL_INVALID_IMAGE_DESCRIPTOR},
        {0, good, {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1, .num_mip_levels = 1}, NULL, CL_INVALID_IMAGE_DESCRIPTOR},
        {0, good, {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 1, .image_height = 1}, NULL, CL_INVALID_IMAGE_DESCRIPTOR},
        {0, good, {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 17, .image_height = 1, .mem_object = b}, NULL, CL_INVALID_IMAGE_SIZE},
        {0, good, {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 1, .image_height = 1, .image_depth = 1, .mem_object = b}, NULL, CL_INVALID_IMAGE_DESCRIPTOR},
        {CL_MEM_COPY_HOST_PTR, good, {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1}, NULL, CL_INVALID_HOST_PTR},
        {0, good, {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1}, bytes, CL_INVALID_HOST_PTR},
    };
    cl_int s;
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        assert_null(clCreateImage(host.context, rows[i].flags, &rows[i].f, &rows[i].d, rows[i].ptr, &s));
        if (s != rows[i].want)
            fail_msg("row %zu: %d", i, s);
    }
    assert_null(clCreateImage(host.context, 0, NULL, &rows[0].d, NULL, &s));
    assert_int_equal(s, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    assert_null(clCreateImage(host.context, 0, &good, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_IMAGE_DESCRIPTOR);
    const cl_image_desc wide = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1,
                                .image_row_pitch = (size_t)1 << 32};
    assert_null(clCreateImage(host.context, CL_MEM_USE_HOST_PTR, &good, &wide, bytes, &s));
    assert_int_equal(s, CL_INVALID_IMAGE_DESCRIPTOR);
    ok(clReleaseMemObject(b));
}

/* What an image cannot show: no memory, another context's, packets; nor bytes of the host besides. */
static void refuses_bad_sources(void **state)
{
    static u8 bytes[64];
    cl_int s;
    (void)state;
    cl_context other = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    ok(s);
    cl_mem foreign = clCreateBuffer(other, 0, 64, NULL, &s), pipe = clCreatePipe(host.context, 0, 4, 4, NULL, &s);
    cl_mem b = make_buffer(64, NULL);
    const cl_image_format f = {CL_RGBA, CL_UNORM_INT8};
    const struct { cl_mem source; void *ptr; cl_int want; } rows[] = {
        {b, NULL, CL_SUCCESS}, {b, bytes, CL_INVALID_HOST_PTR}, {foreign, NULL, CL_INVALID_IMAGE_DESCRIPTOR},
        {pipe, NULL, CL_INVALID_IMAGE_DESCRIPTOR}, {(cl_mem)(void *)host.queue, NULL, CL_INVALID_IMAGE_DESCRIPTOR}};
    for (size_t i = 0; i < 2 * countof(rows); i++) {
        const cl_image_desc d = {.image_type = i % 2 ? CL_MEM_OBJECT_IMAGE2D : CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                 .image_width = 2, .image_height = 1, .mem_object = rows[i / 2].source};
        cl_mem m = clCreateImage(host.context, 0, &f, &d, rows[i / 2].ptr, &s);
        if (s != rows[i / 2].want)
            fail_msg("row %zu: %d", i, s);
        if (m)
            ok(clReleaseMemObject(m));
    }
    ok(clReleaseMemObject(b));
    ok(clReleaseMemObject(pipe));
    ok(clReleaseMemObject(foreign));
    ok(clReleaseContext(other));
}

static void has_samplers(void **state)
{
    const cl_sampler_properties list[] = {CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_REPEAT, CL_SAMPLER_FILTER_MODE,
                                          CL_FILTER_LINEAR, 0},
                                twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE,
                                           CL_FILTER_LINEAR, 0},
                                unknown[] = {1, 1, 0};
    cl_int s;
    (void)state;
    cl_sampler m = clCreateSamplerWithProperties(host.context, list, &s);
    ok(s);
    assert_true(INFO(cl_bool, clGetSamplerInfo, m, CL_SAMPLER_NORMALIZED_COORDS));
    assert_int_equal(INFO(cl_addressing_mode, clGetSamplerInfo, m, CL_SAMPLER_ADDRESSING_MODE), CL_ADDRESS_REPEAT);
    assert_int_equal(INFO(cl_filter_mode, clGetSamplerInfo, m, CL_SAMPLER_FILTER_MODE), CL_FILTER_LINEAR);
    assert_ptr_equal(INFO(cl_context, clGetSamplerInfo, m, CL_SAMPLER_CONTEXT), host.context);
    size_t n;
    ok(clGetSamplerInfo(m, CL_SAMPLER_PROPERTIES, 0, NULL, &n));
    assert_int_equal(n, sizeof list);
    ok(clRetainSampler(m));
    assert_int_equal(INFO(cl_uint, clGetSamplerInfo, m, CL_SAMPLER_REFERENCE_COUNT), 2);
    ok(clReleaseSampler(m));
    ok(clReleaseSampler(m));
    assert_null(clCreateSamplerWithProperties(host.context, twice, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_null(clCreateSamplerWithProperties(host.context, unknown, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_null(clCreateSampler(host.context, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
}

/* Every combination of the numbers at hand that the specification knows, given in any order or in part, is a sampler. */
static void knows_samplers(void **state)
{
    (void)state;
    for (cl_addressing_mode mode = CL_ADDRESS_NONE - 1; mode <= CL_ADDRESS_MIRRORED_REPEAT + 1; mode++)
        for (cl_filter_mode filter = CL_FILTER_NEAREST - 1; filter <= CL_FILTER_LINEAR + 1; filter++)
            for (cl_bool normalized = 0; normalized <= 2; normalized++) {
                const bool repeats = mode == CL_ADDRESS_REPEAT || mode == CL_ADDRESS_MIRRORED_REPEAT;
                const bool known = mode >= CL_ADDRESS_NONE && mode <= CL_ADDRESS_MIRRORED_REPEAT &&
                                   (filter == CL_FILTER_NEAREST || filter == CL_FILTER_LINEAR) && normalized < 2;
                const cl_sampler_properties given[3][2] = {{CL_SAMPLER_ADDRESSING_MODE, mode}, {CL_SAMPLER_FILTER_MODE, filter},
                                                           {CL_SAMPLER_NORMALIZED_COORDS, normalized}};
                for (u32 form = 0; form < 4; form++) { /* the old one; lists of 1 to 3 */
                    cl_sampler_properties list[7] = {0}, told[8];
                    const bool has_filter = form != 1, has_coords = form != 1 && form != 2;
                    const bool want = form == 1   ? mode >= CL_ADDRESS_NONE && mode <= CL_ADDRESS_MIRRORED_REPEAT
                                      : form == 2 ? known || (normalized == 2 && filter - CL_FILTER_NEAREST < 2 &&
                                                              mode - CL_ADDRESS_NONE < 5)
                                                  : known && (normalized || !repeats);
                    cl_int s;
                    for (u32 i = 0; i < form; i++)
                        memcpy(list + 2 * (form - 1 - i), given[i], sizeof given[i]);
                    cl_sampler m = form ? clCreateSamplerWithProperties(host.context, list, &s)
                                        : clCreateSampler(host.context, normalized, mode, filter, &s);
                    if (s != (want ? CL_SUCCESS : CL_INVALID_VALUE))
                        fail_msg("%x %x %u in form %u: %d", mode, filter, normalized, form, s);
                    if (!m)
                        continue;
                    size_t n;
                    ok(clGetSamplerInfo(m, CL_SAMPLER_PROPERTIES, sizeof told, told, &n));
                    assert_int_equal(n, form ? (2 * form + 1) * sizeof *list : 0);
                    assert_memory_equal(told, list, n);
                    assert_int_equal(INFO(cl_addressing_mode, clGetSamplerInfo, m, CL_SAMPLER_ADDRESSING_MODE), mode);
                    assert_int_equal(INFO(cl_filter_mode, clGetSamplerInfo, m, CL_SAMPLER_FILTER_MODE),
                                     has_filter ? filter : CL_FILTER_NEAREST);
                    assert_int_equal(INFO(cl_bool, clGetSamplerInfo, m, CL_SAMPLER_NORMALIZED_COORDS),
                                     has_coords ? normalized : CL_TRUE);
                    ok(clReleaseSampler(m));
                }
            }
    cl_int s;
    cl_sampler m = clCreateSamplerWithProperties(host.context, NULL, &s);
    ok(s);
    assert_int_equal(INFO(cl_addressing_mode, clGetSamplerInfo, m, CL_SAMPLER_ADDRESSING_MODE), CL_ADDRESS_CLAMP);
    ok(clReleaseSampler(m));
}

/* What a kernel reads must be readable, and what it writes writable (clSetKernelArg). */
static void takes_images_by_access(void **state)
{
    static const struct {
        cl_mem_flags flags;
        bool is_read, is_written;
    } given[] = {{CL_MEM_READ_WRITE, true, true},
                 {CL_MEM_READ_ONLY, true, false},
                 {CL_MEM_WRITE_ONLY, false, true}};
    cl_program in = build(reads, "image2d_t", false), out = build(writes, "image2d_t", false);
    const struct {
        cl_kernel k;
        bool reads, writes;
    } asked[] = {{make_kernel(in, "f"), true, false},
                 {make_kernel(out, "f"), false, true},
                 {make_kernel(out, "both"), true, true}};
    cl_mem none = NULL;
    (void)state;
    for (size_t i = 0; i < countof(asked); i++) {
        for (size_t g = 0; g < countof(given); g++) {
            const bool may =
                (given[g].is_read || !asked[i].reads) && (given[g].is_written || !asked[i].writes);
            cl_mem m = make_image(plain, &kinds[2], given[g].flags, NULL);
            assert_int_equal(clSetKernelArg(asked[i].k, 0, sizeof m, &m),
                             may ? CL_SUCCESS : CL_INVALID_ARG_VALUE);
            assert_int_equal(clSetKernelArg(asked[i].k, 0, sizeof m / 2, &m),
                             may ? CL_INVALID_ARG_SIZE : CL_INVALID_ARG_VALUE);
            ok(clReleaseMemObject(m));
        }
        assert_int_equal(clSetKernelArg(asked[i].k, 0, sizeof none, &none), CL_INVALID_MEM_OBJECT);
        assert_int_equal(clSetKernelArg(asked[i].k, 0, sizeof none, NULL), CL_INVALID_MEM_OBJECT);
        ok(clReleaseKernel(asked[i].k));
    }
    ok(clReleaseProgram(in));
    ok(clReleaseProgram(out));
}

/* What may be an argument. */
static void checks_arguments(void **state)
{
    cl_program prog = build(reads, "image2d_t", false);
    cl_kernel k = make_kernel(prog, "f");
    cl_mem image = make_image(plain, &kinds[2], CL_MEM_WRITE_ONLY, NULL), b = make_buffer(64, NULL);
    (void)state;
    assert_int_equal(clSetKernelArg(k, 0, sizeof image, &image), CL_INVALID_ARG_VALUE);
    assert_int_equal(clSetKernelArg(k, 0, sizeof b, &b), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clSetKernelArg(k, 2, sizeof image, &image), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clSetKernelArg(k, 1, sizeof b, &b), CL_INVALID_SAMPLER);
    assert_int_equal(clSetKernelArg(k, 1, 4, &b), CL_INVALID_ARG_SIZE);
    cl_kernel_arg_access_qualifier access;
    cl_kernel_arg_address_qualifier space;
    ok(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
    ok(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
    assert_int_equal(access, CL_KERNEL_ARG_ACCESS_READ_ONLY);
    assert_int_equal(space, CL_KERNEL_ARG_ADDRESS_GLOBAL);
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(image));
    ok(clReleaseMemObject(b));
    ok(clReleaseProgram(prog));
}

/* An image of another image's bytes in another order of channels (OpenCL 3.0 API, 5.3.1.2). */
static void shows_an_image(void **state)
{
    enum { W = 5, H = 3, PITCH = 64 };
    u8 bytes[H][PITCH] = {{0}}, got[H][W][4];
    const i32 place[4] = {2, 1};
    float seen[3][4];
    cl_int s;
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i / PITCH][i % PITCH] = (u8)(i * 37);
    const cl_image_format f = {CL_RGBA, CL_UNORM_INT8};
    cl_mem b = make_buffer(sizeof bytes, bytes), at = make_buffer(sizeof place, place), out = make_buffer(sizeof seen, NULL);
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H,
                             .image_row_pitch = PITCH, .mem_object = b};
    cl_mem image = clCreateImage(host.context, CL_MEM_READ_ONLY, &f, &d, NULL, &s);
    ok(s);
    cl_mem view = view_of(image, CL_sRGBA, CL_UNORM_INT8, W, H, &s);
    ok(s);
    assert_ptr_equal(INFO(cl_mem, clGetMemObjectInfo, view, CL_MEM_ASSOCIATED_MEMOBJECT), image);
    assert_int_equal(INFO(size_t, clGetImageInfo, view, CL_IMAGE_ROW_PITCH), PITCH);
    ok(clEnqueueReadImage(host.queue, view, CL_TRUE, (size_t[3]){0}, (size_t[]){W, H, 1}, 0, 0, got, 0, NULL, NULL));
    for (int y = 0; y < H; y++)
        assert_memory_equal(got[y], bytes[y], sizeof got[y]);
    cl_program p = build(reads, "image2d_t", false);
    cl_kernel whole = make_kernel(p, "whole");
    set(whole, 3, view, at, out);
    launch(whole, 1);
    ok(clEnqueueReadBuffer(host.queue, out, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
    for (int c = 0; c < 4; c++) {
        const double stored = bytes[1][2 * 4 + c] / 255.0;
        assert_true(fabs(seen[0][c] - (c < 3 ? light(stored) : stored)) < 0.5 / 255);
    }
    static const struct { cl_channel_order order; cl_channel_type type; size_t w, h; cl_int want; } wrong[] = {
        {CL_BGRA, CL_UNORM_INT8, W, H, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR}, /* no pair */
        {CL_sBGRA, CL_UNORM_INT8, W, H, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {CL_RGBA, CL_SNORM_INT8, W, H, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {CL_sRGBA, CL_UNORM_INT8, W - 1, H, CL_INVALID_IMAGE_DESCRIPTOR},
        {CL_sRGBA, CL_UNORM_INT8, W, H - 1, CL_INVALID_IMAGE_DESCRIPTOR}};
    for (size_t i = 0; i < countof(wrong); i++) {
        assert_null(view_of(image, wrong[i].order, wrong[i].type, wrong[i].w, wrong[i].h, &s));
        if (s != wrong[i].want)
            fail_msg("row %zu: %d", i, s);
    }
    const cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = W, .mem_object = image};
    assert_null(clCreateImage(host.context, CL_MEM_READ_ONLY, &f, &line, NULL, &s));
    assert_int_equal(s, CL_INVALID_IMAGE_DESCRIPTOR);
    ok(clReleaseMemObject(image)); /* the view keeps it */
    launch(whole, 1);
    ok(clFinish(host.queue));
    ok(clReleaseKernel(whole));
    ok(clReleaseProgram(p));
    ok(clReleaseMemObject(view));
    ok(clReleaseMemObject(at));
    ok(clReleaseMemObject(out));
    ok(clReleaseMemObject(b));
}

/* clCreateImage2D and clCreateImage3D, which take the parts of a description */
static void has_older_forms(void **state)
{
    enum { W = 3, H = 2, D = 2, ROW = 16, SLICE = 48 };
    u8 bytes[D * SLICE], got[D][H][W * 4];
    const cl_image_format f = {CL_RGBA, CL_UNSIGNED_INT8};
    const size_t none[3] = {0};
    cl_int s;
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (u8)i;
    cl_mem plane = clCreateImage2D(host.context, CL_MEM_COPY_HOST_PTR, &f, W, H, ROW, bytes, &s);
    ok(s);
    cl_mem solid = clCreateImage3D(host.context, CL_MEM_COPY_HOST_PTR, &f, W, H, D, ROW, SLICE, bytes, &s);
    ok(s);
    assert_int_equal(INFO(cl_mem_object_type, clGetMemObjectInfo, plane, CL_MEM_TYPE), CL_MEM_OBJECT_IMAGE2D);
    assert_int_equal(INFO(cl_mem_object_type, clGetMemObjectInfo, solid, CL_MEM_TYPE), CL_MEM_OBJECT_IMAGE3D);
    for (size_t depth = 1; depth <= D; depth++) {
        ok(clEnqueueReadImage(host.queue, depth == 1 ? plane : solid, CL_TRUE, none, (size_t[]){W, H, depth}, 0, 0, got,
                              0, NULL, NULL));
        for (size_t z = 0; z < depth; z++)
            for (size_t y = 0; y < H; y++)
                assert_memory_equal(got[z][y], bytes + z * SLICE + y * ROW, W * 4);
    }
    ok(clReleaseMemObject(plane));
    ok(clReleaseMemObject(solid));
    /* they have no error for descriptions, only for sizes */
    assert_null(clCreateImage2D(host.context, 0, &f, 0, H, 0, NULL, &s));
    assert_int_equal(s, CL_INVALID_IMAGE_SIZE);
    assert_null(clCreateImage3D(host.context, CL_MEM_COPY_HOST_PTR, &f, W, H, D, W * 4 - 1, 0, bytes, &s));
    assert_int_equal(s, CL_INVALID_IMAGE_SIZE);
    assert_null(clCreateImage2D(host.context, 0, NULL, W, H, 0, NULL, &s));
    assert_int_equal(s, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    assert_null(clCreateImage2D(host.context, 0, &f, W, H, 0, bytes, NULL));
    /* nor is there any property */
    const cl_mem_properties empty[] = {0}, unknown[] = {CL_MEM_TYPE, 1, 0};
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    size_t n;
    cl_mem m = clCreateImageWithProperties(host.context, empty, 0, &f, &d, NULL, &s);
    ok(s);
    ok(clGetMemObjectInfo(m, CL_MEM_PROPERTIES, 0, NULL, &n));
    assert_int_equal(n, sizeof empty);
    ok(clReleaseMemObject(m));
    assert_null(clCreateImageWithProperties(host.context, unknown, 0, &f, &d, NULL, &s));
    assert_int_equal(s, CL_INVALID_PROPERTY);
}

static void tells_accesses_of_arguments(void **state)
{
    cl_program p = build(writes, "image2d_t", false);
    cl_kernel f = make_kernel(p, "f"), both = make_kernel(p, "both");
    (void)state;
    cl_kernel_arg_access_qualifier access;
    ok(clGetKernelArgInfo(f, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
    assert_int_equal(access, CL_KERNEL_ARG_ACCESS_WRITE_ONLY);
    ok(clGetKernelArgInfo(both, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
    assert_int_equal(access, CL_KERNEL_ARG_ACCESS_READ_WRITE);
    ok(clReleaseKernel(f));
    ok(clReleaseKernel(both));
    ok(clReleaseProgram(p));
}

/* --- the host -------------------------------------------------------------------------------------- */

static int open_any(void **state)
{
    cl_int s;
    (void)state;
    ok(clGetPlatformIDs(1, &host.platform, NULL));
    ok(clGetDeviceIDs(host.platform, CL_DEVICE_TYPE_ALL, 1, &host.device, NULL));
    host.context = clCreateContext(NULL, 1, &host.device, on_report, NULL, &s);
    ok(s);
    host.queue = make_queue(0);
    return 0;
}

int main(void)
{
    const char *vendors = getenv("IMAGE_TEST_VENDORS");
    set_environment();
    if (vendors)
        setenv("OCL_ICD_VENDORS", vendors, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_as_the_specification_says),
        cmocka_unit_test(reads_every_format),
        cmocka_unit_test(reads_at_integers),
        cmocka_unit_test(writes_every_format),
        cmocka_unit_test(fills_every_format),
        cmocka_unit_test(shows_a_buffer),
        cmocka_unit_test(shows_a_part),
        cmocka_unit_test(ignores_writes_outside),
        cmocka_unit_test(moves_regions),
        cmocka_unit_test(copies_between_images),
        cmocka_unit_test(moves_parts_of_every_kind),
        cmocka_unit_test(fills_its_memory),
        cmocka_unit_test(knows_formats),
        cmocka_unit_test(keeps_to_sizes),
        cmocka_unit_test(refuses_bad_transfers),
        cmocka_unit_test(answers_queries),
        cmocka_unit_test(answers_for_every_kind),
        cmocka_unit_test(shows_pairs_of_orders),
        cmocka_unit_test(refuses_bad_images),
        cmocka_unit_test(refuses_bad_sources),
        cmocka_unit_test(has_samplers),
        cmocka_unit_test(knows_samplers),
        cmocka_unit_test(takes_images_by_access),
        cmocka_unit_test(checks_arguments),
        cmocka_unit_test(shows_an_image),
        cmocka_unit_test(has_older_forms),
        cmocka_unit_test(tells_accesses_of_arguments),
    };
    return cmocka_run_group_tests(tests, open_any, close_host);
}
