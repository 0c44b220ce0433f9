/* cl_handles_test.c -- entry points that get the wrong thing: each refuses the handle of an object of
 * another kind with the error of the kind that it wants, and queries refuse what nobody knows and
 * values that are a byte too small.
 */
#include "test/opencl/clhost.h"

/* What a call that makes something says, or CL_SUCCESS. */
#define MAKES(call)                                                                                \
    __extension__({                                                                                \
        cl_int s = CL_SUCCESS;                                                                     \
        const bool made_ = (call) != NULL;                                                         \
        made_ ? CL_SUCCESS : s;                                                                    \
    })

typedef struct {
    const char *call;
    cl_int got, want;
} Row;

#define ROW(want, call) {#call, call, want}

static void check(const Row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].got != rows[i].want)
            fail_msg("%s: %d, not %d", rows[i].call, rows[i].got, rows[i].want);
}

static void CL_CALLBACK hear_event(cl_event e, cl_int status, void *data) { (void)e, (void)status, (void)data; }
static void CL_CALLBACK hear_mem(cl_mem m, void *data) { (void)m, (void)data; }
static void CL_CALLBACK hear_program(cl_program p, void *data) { (void)p, (void)data; }
static void CL_CALLBACK hear_context(cl_context c, void *data) { (void)c, (void)data; }
static void CL_CALLBACK run_natively(void *data) { (void)data; }

/* what the calls below would take if the handle were right */
static const char *const text = "";
static const unsigned char *const binary = (const unsigned char *)"x";
static u8 bytes[64];
static const size_t none[3] = {0, 0, 0}, one[3] = {1, 1, 1};
static const cl_image_format pixels = {CL_RGBA, CL_UNORM_INT8};
static const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1};

static void contexts(void **state)
{
    void *const other = host.queue;
    const size_t length = 1;
    cl_uint n;
    (void)state;
    const Row rows[] = {
        ROW(CL_INVALID_CONTEXT, clRetainContext(other)),
        ROW(CL_INVALID_CONTEXT, clReleaseContext(other)),
        ROW(CL_INVALID_CONTEXT, clGetContextInfo(other, CL_CONTEXT_NUM_DEVICES, 0, NULL, NULL)),
        ROW(CL_INVALID_CONTEXT, clSetContextDestructorCallback(other, hear_context, NULL)),
        ROW(CL_INVALID_VALUE, clSetContextDestructorCallback(host.context, NULL, NULL)),
        ROW(CL_INVALID_CONTEXT, clGetSupportedImageFormats(other, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &n)),
        ROW(CL_INVALID_CONTEXT, clSetDefaultDeviceCommandQueue(other, host.device, host.queue)),
        ROW(CL_INVALID_CONTEXT, MAKES(clCreateCommandQueue(other, host.device, 0, &s))),
        ROW(CL_INVALID_CONTEXT, MAKES(clCreateCommandQueueWithProperties(other, host.device, NULL, &s))),
        ROW(CL_INVALID_CONTEXT, MAKES(clCreateBuffer(other, 0, 4, NULL, &s))),
        ROW(CL_INVALID_CONTEXT, MAKES(clCreateBufferWithProperties(other, NULL, 0, 4, NULL, &s))),
        ROW(CL_INVALID_CONTEXT, MAKES(clCreateImage(other, 0, &pixels, &plane, NULL, &s))),
        ROW(CL_INVALID_CONTEXT, MAKES(clCreateImageWithProperties(other, NULL, 0, &pixels, &plane, NULL, &s))),
        ROW(CL_INVALID_CONTEXT, MAKES(clCreatePipe(other, 0, 4, 4, NULL, &s))),
        ROW(CL_INVALID_CONTEXT, MAKES(clCreateSamplerWithProperties(other, NULL, &s))),
        ROW(CL_INVALID_CONTEXT, MAKES(clCreateSampler(other, CL_TRUE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &s))),
        ROW(CL_INVALID_CONTEXT, MAKES(clCreateUserEvent(other, &s))),
        ROW(CL_INVALID_CONTEXT, MAKES(clCreateProgramWithSource(other, 1, (const char **)(uintptr_t)&text, NULL, &s))),
        ROW(CL_INVALID_CONTEXT, MAKES(clCreateProgramWithIL(other, bytes, 4, &s))),
        ROW(CL_INVALID_CONTEXT, MAKES(clCreateProgramWithBinary(other, 1, &host.device, &length,
                                                                (const unsigned char **)(uintptr_t)&binary, NULL, &s))),
        ROW(CL_INVALID_CONTEXT, MAKES(clCreateProgramWithBuiltInKernels(other, 1, &host.device, "x", &s))),
        ROW(CL_INVALID_CONTEXT, MAKES(clLinkProgram(other, 0, NULL, "", 1, (cl_program *)(void *)&host.queue, NULL, NULL, &s))),
        ROW(CL_INVALID_CONTEXT, MAKES(clCreateFromGLBuffer(other, 0, 1, &s))),
        ROW(CL_INVALID_CONTEXT, MAKES(clCreateFromGLTexture2D(other, 0, 0, 0, 1, &s))),
        ROW(CL_INVALID_OPERATION, MAKES(clCreateFromGLTexture2D(host.context, 0, 0, 0, 1, &s))),
        ROW(CL_INVALID_OPERATION, MAKES(clCreateFromGLTexture3D(host.context, 0, 0, 0, 1, &s))),
        ROW(CL_INVALID_CONTEXT, MAKES(clCreateFromGLRenderbuffer(other, 0, 1, &s))),
    };
    check(rows, countof(rows));
}

static void devices(void **state)
{
    cl_device_id other = (cl_device_id)(void *)host.queue;
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    const size_t length = 1;
    cl_program p = make_program(&host.image);
    cl_kernel k = make_kernel(p, "scale");
    cl_ulong t;
    cl_uint n;
    (void)state;
    const Row rows[] = {
        ROW(CL_INVALID_DEVICE, clRetainDevice(other)),
        ROW(CL_INVALID_DEVICE, clReleaseDevice(other)),
        ROW(CL_INVALID_DEVICE, clGetDeviceInfo(other, CL_DEVICE_TYPE, 0, NULL, NULL)),
        ROW(CL_INVALID_DEVICE, clCreateSubDevices(other, equally, 0, NULL, &n)),
        ROW(CL_INVALID_DEVICE, clGetDeviceAndHostTimer(other, &t, &t)),
        ROW(CL_INVALID_DEVICE, clGetHostTimer(other, &t)),
        ROW(CL_INVALID_VALUE, clGetDeviceAndHostTimer(host.device, NULL, &t)),
        ROW(CL_INVALID_VALUE, clGetDeviceAndHostTimer(host.device, &t, NULL)),
        ROW(CL_INVALID_VALUE, clGetHostTimer(host.device, NULL)),
        ROW(CL_INVALID_DEVICE, clSetDefaultDeviceCommandQueue(host.context, other, host.queue)),
        ROW(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue(host.context, host.device, host.queue)),
        ROW(CL_INVALID_DEVICE, MAKES(clCreateContext(NULL, 1, &other, NULL, NULL, &s))),
        ROW(CL_INVALID_DEVICE, MAKES(clCreateCommandQueue(host.context, other, 0, &s))),
        ROW(CL_INVALID_DEVICE, MAKES(clCreateCommandQueueWithProperties(host.context, other, NULL, &s))),
        ROW(CL_INVALID_DEVICE, MAKES(clCreateProgramWithBuiltInKernels(host.context, 1, &other, "x", &s))),
        ROW(CL_INVALID_DEVICE, MAKES(clCreateProgramWithBinary(host.context, 1, &other, &length,
                                                               (const unsigned char **)(uintptr_t)&binary, NULL, &s))),
        ROW(CL_INVALID_DEVICE, MAKES(clLinkProgram(host.context, 1, &other, "", 1, &p, NULL, NULL, &s))),
        ROW(CL_INVALID_DEVICE, clBuildProgram(p, 1, &other, "", NULL, NULL)),
        ROW(CL_INVALID_DEVICE, clCompileProgram(p, 1, &other, "", 0, NULL, NULL, NULL, NULL)),
        ROW(CL_INVALID_DEVICE, clGetProgramBuildInfo(p, other, CL_PROGRAM_BUILD_STATUS, 0, NULL, NULL)),
        ROW(CL_INVALID_DEVICE, clGetKernelWorkGroupInfo(k, other, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL)),
        ROW(CL_INVALID_DEVICE, clGetKernelSubGroupInfo(k, other, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 0, NULL, NULL)),
    };
    check(rows, countof(rows));
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
}

static void queues(void **state)
{
    cl_program p = make_program(&host.image);
    cl_kernel k = make_kernel(p, "scale");
    cl_mem a = make_buffer(64, NULL), b = make_buffer(64, NULL);
    void *const other = host.context;
    size_t pitch;
    (void)state;
    const Row rows[] = {
        ROW(CL_INVALID_COMMAND_QUEUE, clRetainCommandQueue(other)),
        ROW(CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue(other)),
        ROW(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(other, CL_QUEUE_CONTEXT, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clSetCommandQueueProperty(other, 0, CL_TRUE, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clFlush(other)),
        ROW(CL_INVALID_COMMAND_QUEUE, clFinish(other)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueReadBuffer(other, a, CL_TRUE, 0, 4, bytes, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueWriteBuffer(other, a, CL_TRUE, 0, 4, bytes, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueCopyBuffer(other, a, b, 0, 0, 4, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueFillBuffer(other, a, bytes, 4, 0, 4, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueReadBufferRect(other, a, CL_TRUE, none, none, one, 0, 0, 0, 0, bytes, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueWriteBufferRect(other, a, CL_TRUE, none, none, one, 0, 0, 0, 0, bytes, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueCopyBufferRect(other, a, b, none, none, one, 0, 0, 0, 0, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueReadImage(other, a, CL_TRUE, none, one, 0, 0, bytes, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueWriteImage(other, a, CL_TRUE, none, one, 0, 0, bytes, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueCopyImage(other, a, b, none, none, one, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueCopyImageToBuffer(other, a, b, none, one, 0, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueCopyBufferToImage(other, a, b, 0, none, one, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueFillImage(other, a, bytes, none, one, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, MAKES(clEnqueueMapBuffer(other, a, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &s))),
        ROW(CL_INVALID_COMMAND_QUEUE,
            MAKES(clEnqueueMapImage(other, a, CL_TRUE, CL_MAP_READ, none, one, &pitch, &pitch, 0, NULL, NULL, &s))),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueUnmapMemObject(other, a, bytes, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueMigrateMemObjects(other, 1, &a, 0, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueNDRangeKernel(other, k, 1, NULL, one, one, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueTask(other, k, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueNativeKernel(other, run_natively, NULL, 0, 0, NULL, NULL, 0, NULL, NULL)),
        ROW(CL_INVALID_OPERATION, clEnqueueNativeKernel(host.queue, run_natively, NULL, 0, 0, NULL, NULL, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueMarkerWithWaitList(other, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrierWithWaitList(other, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueMarker(other, NULL)),
        ROW(CL_INVALID_VALUE, clEnqueueMarker(host.queue, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrier(other)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueWaitForEvents(other, 0, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMFree(other, 0, NULL, NULL, NULL, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMap(other, CL_TRUE, CL_MAP_READ, bytes, 4, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueAcquireGLObjects(other, 0, NULL, 0, NULL, NULL)),
        ROW(CL_INVALID_COMMAND_QUEUE, clEnqueueReleaseGLObjects(other, 0, NULL, 0, NULL, NULL)),
    };
    check(rows, countof(rows));
    ok(clReleaseMemObject(a));
    ok(clReleaseMemObject(b));
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
}

/* also an image where a buffer must be, and the other way round */
static void memory_objects(void **state)
{
    const cl_buffer_region part = {0, 4};
    cl_mem other = (cl_mem)(void *)host.queue, b = make_buffer(64, NULL);
    cl_int status;
    cl_mem i = clCreateImage(host.context, 0, &pixels, &plane, NULL, &status);
    size_t pitch;
    (void)state;
    ok(status);
    const Row rows[] = {
        ROW(CL_INVALID_MEM_OBJECT, clRetainMemObject(other)),
        ROW(CL_INVALID_MEM_OBJECT, clReleaseMemObject(other)),
        ROW(CL_INVALID_MEM_OBJECT, clGetMemObjectInfo(other, CL_MEM_TYPE, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clGetImageInfo(other, CL_IMAGE_WIDTH, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clGetImageInfo(b, CL_IMAGE_WIDTH, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clGetPipeInfo(other, CL_PIPE_PACKET_SIZE, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clGetPipeInfo(b, CL_PIPE_PACKET_SIZE, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clSetMemObjectDestructorCallback(other, hear_mem, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, MAKES(clCreateSubBuffer(other, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &s))),
        ROW(CL_INVALID_MEM_OBJECT, MAKES(clCreateSubBuffer(i, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &s))),
        ROW(CL_INVALID_VALUE, MAKES(clCreateSubBuffer(b, 0, 0, &part, &s))),
        ROW(CL_INVALID_GL_OBJECT, clGetGLObjectInfo(b, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clGetGLObjectInfo(other, NULL, NULL)),
        ROW(CL_INVALID_GL_OBJECT, clGetGLTextureInfo(b, 0, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(host.queue, i, CL_TRUE, 0, 4, bytes, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueWriteBuffer(host.queue, i, CL_TRUE, 0, 4, bytes, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueFillBuffer(host.queue, i, bytes, 4, 0, 4, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(host.queue, i, b, 0, 0, 4, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(host.queue, b, i, 0, 0, 4, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(host.queue, b, other, 0, 0, 4, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueReadBufferRect(host.queue, i, CL_TRUE, none, none, one, 0, 0, 0, 0, bytes, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueCopyBufferRect(host.queue, i, b, none, none, one, 0, 0, 0, 0, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueCopyBufferRect(host.queue, b, i, none, none, one, 0, 0, 0, 0, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueCopyBufferRect(host.queue, b, other, none, none, one, 0, 0, 0, 0, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueReadImage(host.queue, b, CL_TRUE, none, one, 0, 0, bytes, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueWriteImage(host.queue, b, CL_TRUE, none, one, 0, 0, bytes, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueFillImage(host.queue, b, bytes, none, one, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueCopyImage(host.queue, b, i, none, none, one, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueCopyImage(host.queue, i, b, none, none, one, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueCopyImageToBuffer(host.queue, b, b, none, one, 0, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueCopyImageToBuffer(host.queue, i, i, none, one, 0, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueCopyBufferToImage(host.queue, b, b, 0, none, one, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueCopyBufferToImage(host.queue, i, i, 0, none, one, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, MAKES(clEnqueueMapBuffer(host.queue, i, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &s))),
        ROW(CL_INVALID_MEM_OBJECT,
            MAKES(clEnqueueMapImage(host.queue, b, CL_TRUE, CL_MAP_READ, none, one, &pitch, &pitch, 0, NULL, NULL, &s))),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueUnmapMemObject(host.queue, other, bytes, 0, NULL, NULL)),
        ROW(CL_INVALID_MEM_OBJECT, clEnqueueMigrateMemObjects(host.queue, 1, &other, 0, 0, NULL, NULL)),
    };
    check(rows, countof(rows));
    ok(clReleaseMemObject(b));
    ok(clReleaseMemObject(i));
}

static void programs_and_kernels(void **state)
{
    void *const other = host.queue;
    cl_program wrong = other;
    const char *name = "h";
    cl_uint n;
    cl_bool yes = CL_TRUE;
    (void)state;
    const Row rows[] = {
        ROW(CL_INVALID_PROGRAM, clRetainProgram(other)),
        ROW(CL_INVALID_PROGRAM, clReleaseProgram(other)),
        ROW(CL_INVALID_PROGRAM, clBuildProgram(other, 0, NULL, "", NULL, NULL)),
        ROW(CL_INVALID_PROGRAM, clCompileProgram(other, 0, NULL, "", 0, NULL, NULL, NULL, NULL)),
        ROW(CL_INVALID_PROGRAM, MAKES(clLinkProgram(host.context, 0, NULL, "", 1, &wrong, NULL, NULL, &s))),
        ROW(CL_INVALID_PROGRAM, clGetProgramInfo(other, CL_PROGRAM_CONTEXT, 0, NULL, NULL)),
        ROW(CL_INVALID_PROGRAM, clGetProgramBuildInfo(other, host.device, CL_PROGRAM_BUILD_STATUS, 0, NULL, NULL)),
        ROW(CL_INVALID_PROGRAM, clSetProgramReleaseCallback(other, hear_program, NULL)),
        ROW(CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(other, 0, 4, bytes)),
        ROW(CL_INVALID_PROGRAM, MAKES(clCreateKernel(other, name, &s))),
        ROW(CL_INVALID_PROGRAM, clCreateKernelsInProgram(other, 0, NULL, &n)),
        ROW(CL_INVALID_KERNEL, clRetainKernel(other)),
        ROW(CL_INVALID_KERNEL, clReleaseKernel(other)),
        ROW(CL_INVALID_KERNEL, MAKES(clCloneKernel(other, &s))),
        ROW(CL_INVALID_KERNEL, clSetKernelArg(other, 0, 4, bytes)),
        ROW(CL_INVALID_KERNEL, clSetKernelArgSVMPointer(other, 0, bytes)),
        ROW(CL_INVALID_KERNEL, clSetKernelExecInfo(other, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof yes, &yes)),
        ROW(CL_INVALID_KERNEL, clGetKernelInfo(other, CL_KERNEL_NUM_ARGS, 0, NULL, NULL)),
        ROW(CL_INVALID_KERNEL, clGetKernelArgInfo(other, 0, CL_KERNEL_ARG_NAME, 0, NULL, NULL)),
        ROW(CL_INVALID_KERNEL, clGetKernelWorkGroupInfo(other, NULL, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL)),
        ROW(CL_INVALID_KERNEL, clGetKernelSubGroupInfo(other, NULL, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 0, NULL, NULL)),
        ROW(CL_INVALID_KERNEL, clEnqueueNDRangeKernel(host.queue, other, 1, NULL, one, one, 0, NULL, NULL)),
        ROW(CL_INVALID_KERNEL, clEnqueueTask(host.queue, other, 0, NULL, NULL)),
    };
    check(rows, countof(rows));
}

static void other_objects(void **state)
{
    void *const other = host.queue;
    cl_event wrong = other;
    (void)state;
    const Row rows[] = {
        ROW(CL_INVALID_SAMPLER, clRetainSampler(other)),
        ROW(CL_INVALID_SAMPLER, clReleaseSampler(other)),
        ROW(CL_INVALID_SAMPLER, clGetSamplerInfo(other, CL_SAMPLER_CONTEXT, 0, NULL, NULL)),
        ROW(CL_INVALID_EVENT, clRetainEvent(other)),
        ROW(CL_INVALID_EVENT, clReleaseEvent(other)),
        ROW(CL_INVALID_EVENT, clGetEventInfo(other, CL_EVENT_CONTEXT, 0, NULL, NULL)),
        ROW(CL_INVALID_EVENT, clGetEventProfilingInfo(other, CL_PROFILING_COMMAND_END, 0, NULL, NULL)),
        ROW(CL_INVALID_EVENT, clSetUserEventStatus(other, CL_COMPLETE)),
        ROW(CL_INVALID_EVENT, clSetEventCallback(other, CL_COMPLETE, hear_event, NULL)),
        ROW(CL_INVALID_EVENT, clWaitForEvents(1, &wrong)),
        ROW(CL_INVALID_VALUE, clWaitForEvents(1, NULL)),
        ROW(CL_INVALID_VALUE, clWaitForEvents(0, &wrong)),
        ROW(CL_INVALID_EVENT, clEnqueueWaitForEvents(host.queue, 1, &wrong)),
        ROW(CL_INVALID_VALUE, clEnqueueWaitForEvents(host.queue, 0, &wrong)),
        ROW(CL_INVALID_VALUE, clEnqueueWaitForEvents(host.queue, 1, NULL)),
        ROW(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(host.queue, 1, &wrong, NULL)),
        ROW(CL_SUCCESS, clUnloadCompiler()),
        ROW(CL_SUCCESS, clUnloadPlatformCompiler(host.platform)),
    };
    check(rows, countof(rows));
}

/* --- queries ---------------------------------------------------------------------------------- */

/* the queries, each of one object */
static struct {
    cl_program program;
    cl_kernel kernel;
    cl_mem buffer, image, pipe;
    cl_sampler sampler;
    cl_event event, timed;
} asked;

typedef cl_int Ask(cl_uint param, size_t n, void *value, size_t *size);

static cl_int ask_context(cl_uint p, size_t n, void *v, size_t *size) { return clGetContextInfo(host.context, p, n, v, size); }
static cl_int ask_queue(cl_uint p, size_t n, void *v, size_t *size) { return clGetCommandQueueInfo(host.queue, p, n, v, size); }
static cl_int ask_buffer(cl_uint p, size_t n, void *v, size_t *size) { return clGetMemObjectInfo(asked.buffer, p, n, v, size); }
static cl_int ask_image(cl_uint p, size_t n, void *v, size_t *size) { return clGetImageInfo(asked.image, p, n, v, size); }
static cl_int ask_pipe(cl_uint p, size_t n, void *v, size_t *size) { return clGetPipeInfo(asked.pipe, p, n, v, size); }
static cl_int ask_sampler(cl_uint p, size_t n, void *v, size_t *size) { return clGetSamplerInfo(asked.sampler, p, n, v, size); }
static cl_int ask_event(cl_uint p, size_t n, void *v, size_t *size) { return clGetEventInfo(asked.event, p, n, v, size); }
static cl_int ask_times(cl_uint p, size_t n, void *v, size_t *size) { return clGetEventProfilingInfo(asked.timed, p, n, v, size); }
static cl_int ask_program(cl_uint p, size_t n, void *v, size_t *size) { return clGetProgramInfo(asked.program, p, n, v, size); }
static cl_int ask_kernel(cl_uint p, size_t n, void *v, size_t *size) { return clGetKernelInfo(asked.kernel, p, n, v, size); }
static cl_int ask_argument(cl_uint p, size_t n, void *v, size_t *size) { return clGetKernelArgInfo(asked.kernel, 1, p, n, v, size); }
static cl_int ask_build(cl_uint p, size_t n, void *v, size_t *size)
{
    return clGetProgramBuildInfo(asked.program, host.device, p, n, v, size);
}
static cl_int ask_group(cl_uint p, size_t n, void *v, size_t *size)
{
    return clGetKernelWorkGroupInfo(asked.kernel, host.device, p, n, v, size);
}
static cl_int ask_platform(cl_uint p, size_t n, void *v, size_t *size) { return clGetPlatformInfo(host.platform, p, n, v, size); }
static cl_int ask_device(cl_uint p, size_t n, void *v, size_t *size) { return clGetDeviceInfo(host.device, p, n, v, size); }

/* Of all numbers around those that have a meaning: an answer fits its size, nothing behind it is written, a byte
 * less is refused, and what is refused is unknown.  The numbers that are known are those of the header. */
static void answers_fit(void **state)
{
    static const struct { Ask *ask; cl_uint first, last, known; } rows[] = {
        {ask_context, CL_CONTEXT_REFERENCE_COUNT, CL_CONTEXT_NUM_DEVICES, 4},
        {ask_queue, CL_QUEUE_CONTEXT, CL_QUEUE_PROPERTIES_ARRAY, 6}, /* the size is one of queues on devices */
        {ask_buffer, CL_MEM_TYPE, CL_MEM_PROPERTIES, 11},
        {ask_image, CL_IMAGE_FORMAT, CL_IMAGE_NUM_SAMPLES, 11},
        {ask_pipe, CL_PIPE_PACKET_SIZE, CL_PIPE_PROPERTIES, 3},
        {ask_sampler, CL_SAMPLER_REFERENCE_COUNT, CL_SAMPLER_PROPERTIES, 6}, /* nothing of mip-maps */
        {ask_event, CL_EVENT_COMMAND_QUEUE, CL_EVENT_CONTEXT, 5},
        {ask_times, CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_COMPLETE, 5},
        {ask_program, CL_PROGRAM_REFERENCE_COUNT, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, 12},
        {ask_build, CL_PROGRAM_BUILD_STATUS, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, 5},
        {ask_kernel, CL_KERNEL_FUNCTION_NAME, CL_KERNEL_ATTRIBUTES, 6},
        {ask_argument, CL_KERNEL_ARG_ADDRESS_QUALIFIER, CL_KERNEL_ARG_NAME, 5},
        {ask_group, CL_KERNEL_WORK_GROUP_SIZE, CL_KERNEL_GLOBAL_WORK_SIZE, 5}, /* the last is of built-in kernels */
        {ask_platform, CL_PLATFORM_PROFILE, CL_PLATFORM_HOST_TIMER_RESOLUTION, 6},
        {ask_device, CL_DEVICE_TYPE, 0x10FF, 0},
    };
    static u8 value[16384];
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        cl_uint known = 0;
        for (cl_uint p = rows[i].first - 3; p <= rows[i].last + 3; p++) {
            size_t n = 0, again = 0;
            const cl_int s = rows[i].ask(p, 0, NULL, &n);
            if (s != CL_SUCCESS) {
                if (s != CL_INVALID_VALUE && p != CL_QUEUE_SIZE)
                    fail_msg("query %zu of 0x%x: %d", i, p, s);
                continue;
            }
            known += p >= rows[i].first && p <= rows[i].last;
            assert_true(n < sizeof value);
            memset(value, 0xa5, sizeof value);
            if (rows[i].ask == ask_program && p == CL_PROGRAM_BINARIES)
                memset(value, 0, n); /* no binary is asked for */
            ok(rows[i].ask(p, n, value, &again));
            assert_int_equal(again, n);
            assert_int_equal(value[n], 0xa5);
            ok(rows[i].ask(p, sizeof value, value, NULL));
            if (n && rows[i].ask(p, n - 1, value, NULL) != CL_INVALID_VALUE)
                fail_msg("query %zu of 0x%x is answered in %zu bytes, not %zu", i, p, n - 1, n);
        }
        if (rows[i].known && known != rows[i].known)
            fail_msg("query %zu knows %u questions, not %u", i, known, rows[i].known);
    }
}

static int open_all(void **state)
{
    const cl_sampler_properties nearest[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST, 0};
    cl_int s;
    open_host(state);
    asked.program = make_program(&host.image);
    asked.kernel = make_kernel(asked.program, "scale");
    asked.buffer = make_buffer(64, NULL);
    asked.image = clCreateImage(host.context, 0, &pixels, &plane, NULL, &s);
    ok(s);
    asked.pipe = clCreatePipe(host.context, 0, 4, 4, NULL, &s);
    ok(s);
    asked.sampler = clCreateSamplerWithProperties(host.context, nearest, &s);
    ok(s);
    asked.event = clCreateUserEvent(host.context, &s);
    ok(s);
    ok(clEnqueueMarkerWithWaitList(host.queue, 0, NULL, &asked.timed));
    ok(clWaitForEvents(1, &asked.timed));
    return 0;
}

static int close_all(void **state)
{
    ok(clReleaseEvent(asked.timed));
    ok(clReleaseEvent(asked.event));
    ok(clReleaseSampler(asked.sampler));
    ok(clReleaseMemObject(asked.pipe));
    ok(clReleaseMemObject(asked.image));
    ok(clReleaseMemObject(asked.buffer));
    ok(clReleaseKernel(asked.kernel));
    ok(clReleaseProgram(asked.program));
    return close_host(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts),       cmocka_unit_test(devices),
        cmocka_unit_test(queues),         cmocka_unit_test(memory_objects),
        cmocka_unit_test(programs_and_kernels), cmocka_unit_test(other_objects),
        cmocka_unit_test(answers_fit),
    };
    set_environment();
    return cmocka_run_group_tests(tests, open_all, close_all);
}
