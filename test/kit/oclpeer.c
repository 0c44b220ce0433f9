/* oclpeer.c -- kernels of the tests by another implementation of OpenCL (oclkit.h).
 *
 * Says whether kernels and references agree where our compiler has no part in it:
 * `make peer`.  Lanes mean nothing here, and what kernels print is not seen.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include "test/kit/oclkit.h"
#include <CL/cl.h>
#include <string.h>

struct KitProgram {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
};

static bool find_device(cl_device_id *device)
{
    cl_platform_id platform;
    cl_uint n = 0;
    return !clGetPlatformIDs(1, &platform, &n) && n &&
           !clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, device, &n) && n;
}

const char *kit_missing(void)
{
    cl_device_id device;
    return find_device(&device) ? NULL : "there is no OpenCL device";
}

u32 kit_pointer_bytes(void)
{
    cl_device_id device;
    cl_uint bits = 0;
    if (find_device(&device))
        clGetDeviceInfo(device, CL_DEVICE_ADDRESS_BITS, sizeof bits, &bits, NULL);
    return bits / 8;
}

KitProgram *kit_build(const char *name, const char *source, const char *const *options,
                      size_t noptions, Buf *why)
{
    KitProgram *p = mem_zalloc(1, sizeof *p);
    Buf all = {0};
    char log[16384] = "";
    (void)name;
    for (size_t i = 0; i < noptions; i++)
        buf_printf(&all, "%s ", options[i]);
    if (!p || !find_device(&p->device))
        return NULL;
    p->context = clCreateContext(NULL, 1, &p->device, NULL, NULL, NULL);
    p->queue = clCreateCommandQueue(p->context, p->device, 0, NULL);
    p->program = clCreateProgramWithSource(p->context, 1, &source, NULL, NULL);
    const cl_int status = clBuildProgram(p->program, 1, &p->device, buf_text(&all), NULL, NULL);
    clGetProgramBuildInfo(p->program, p->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    buf_printf(why, "status %d\n%s", status, log);
    buf_free(&all);
    return status ? NULL : p;
}

bool kit_vary(KitProgram *p, u32 way, u32 seed, Buf *why)
{
    (void)p, (void)way, (void)seed, (void)why;
    return false;
}

void kit_free(KitProgram *p)
{
    if (!p)
        return;
    clReleaseProgram(p->program);
    clReleaseCommandQueue(p->queue);
    clReleaseContext(p->context);
    mem_free(p);
}

static bool set_args(KitProgram *p, cl_kernel k, KitJob *job, cl_mem buffers[])
{
    cl_int bad = 0;
    for (u32 i = 0; i < job->nargs; i++) {
        KitArg *a = &job->args[i];
        if (a->kind == KIT_BUFFER) {
            buffers[i] = clCreateBuffer(p->context, CL_MEM_COPY_HOST_PTR, a->size, a->data, NULL);
            bad |= clSetKernelArg(k, i, sizeof buffers[i], &buffers[i]);
        } else {
            bad |= clSetKernelArg(k, i, a->size, a->kind == KIT_LOCAL ? NULL : a->data);
        }
    }
    return !bad;
}

static bool launch(KitProgram *p, cl_kernel k, KitJob *job)
{
    size_t global[3], local[3];
    cl_mem buffers[KIT_ARGS] = {0};
    for (int i = 0; i < 3; i++)
        global[i] = job->global[i], local[i] = job->local[i];
    bool ok = set_args(p, k, job, buffers) &&
              !clEnqueueNDRangeKernel(p->queue, k, job->dims, NULL, global, local, 0, NULL, NULL);
    for (u32 i = 0; i < job->nargs; i++)
        if (buffers[i]) {
            ok = ok && !clEnqueueReadBuffer(p->queue, buffers[i], CL_TRUE, 0, job->args[i].size,
                                            job->args[i].data, 0, NULL, NULL);
            clReleaseMemObject(buffers[i]);
        }
    clFinish(p->queue);
    return ok;
}

bool kit_run(KitProgram *p, const char *kernel, u32 lanes, KitJob *job, Buf *print, bool *prints,
             Buf *why)
{
    cl_int status;
    cl_kernel k = clCreateKernel(p->program, kernel, &status);
    (void)lanes;
    (void)print;
    *prints = false;
    if (k && launch(p, k, job)) {
        clReleaseKernel(k);
        return true;
    }
    buf_printf(why, "it does not run, status %d", status);
    return false;
}
