/* example.h -- what every example needs: a device, a program, and an end when a call fails.
 *
 * The examples are ordinary OpenCL host programs; nothing in them knows of Ventus.  From
 * the build tree:
 *
 *     make examples
 *     OCL_ICD_VENDORS=build/ventus.icd build/examples/vecadd
 *
 * With several OpenCL platforms on the machine, the first GPU is taken; EXAMPLE_DEVICE=TEXT
 * takes the first device with TEXT in its name.
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program when an OpenCL call did not succeed. */
#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cl_int status_ = (call);                                                             \
        if (status_ != CL_SUCCESS) {                                                               \
            fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, status_);          \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

typedef struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
} Setup;

static inline bool device_fits(cl_device_id device)
{
    const char *wanted = getenv("EXAMPLE_DEVICE");
    char name[256] = "";
    cl_device_type type = 0;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    return wanted ? strstr(name, wanted) != NULL : type == CL_DEVICE_TYPE_GPU;
}

/* A device with a context and an in-order queue that measures times. */
static inline Setup setup(void)
{
    cl_platform_id platforms[16];
    cl_uint nplatforms = 0;
    CHECK(clGetPlatformIDs(16, platforms, &nplatforms));
    for (cl_uint p = 0; p < nplatforms && p < 16; p++) {
        cl_device_id devices[16];
        cl_uint ndevices = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &ndevices) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < ndevices && d < 16; d++) {
            if (!device_fits(devices[d]))
                continue;
            Setup s = {.device = devices[d]};
            cl_int status;
            s.context = clCreateContext(NULL, 1, &s.device, NULL, NULL, &status);
            CHECK(status);
            const cl_queue_properties measure[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE,
                                                   0};
            s.queue = clCreateCommandQueueWithProperties(s.context, s.device, measure, &status);
            CHECK(status);
            return s;
        }
    }
    fprintf(stderr, "no OpenCL device fits; is an ICD installed, or OCL_ICD_VENDORS set?\n");
    exit(1);
}

static inline void teardown(Setup *s)
{
    CHECK(clReleaseCommandQueue(s->queue));
    CHECK(clReleaseContext(s->context));
}

/* The program, built; what the compiler has to say goes to stderr. */
static inline cl_program build(const Setup *s, const char *source, const char *options)
{
    cl_int status;
    cl_program program = clCreateProgramWithSource(s->context, 1, &source, NULL, &status);
    CHECK(status);
    if (clBuildProgram(program, 1, &s->device, options, NULL, NULL) != CL_SUCCESS) {
        char log[16384] = "";
        clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
        exit(1);
    }
    return program;
}

static inline cl_kernel kernel(cl_program program, const char *name)
{
    cl_int status;
    cl_kernel k = clCreateKernel(program, name, &status);
    CHECK(status);
    return k;
}

/* A buffer of `size` bytes, filled from `data` unless that is NULL. */
static inline cl_mem buffer(const Setup *s, size_t size, const void *data)
{
    cl_int status;
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem b = clCreateBuffer(s->context, flags, size, (void *)(size_t)data, &status);
    CHECK(status);
    return b;
}

static inline void read_back(const Setup *s, cl_mem b, size_t size, void *to)
{
    CHECK(clEnqueueReadBuffer(s->queue, b, CL_TRUE, 0, size, to, 0, NULL, NULL));
}

static inline void *allocate(size_t size)
{
    void *p = malloc(size);
    if (!p) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return p;
}

/* The last line of every example; the value is what main returns. */
static inline int verdict(const char *name, size_t wrong)
{
    if (wrong)
        printf("%s: FAILED, %zu values are wrong\n", name, wrong);
    else
        printf("%s: passed\n", name);
    return wrong != 0;
}
#endif
