/* absent.c -- entry points for what the devices do not have: shared virtual memory (but
 * clSetKernelExecInfo, usm.c), built-in kernels, OpenGL objects.
 *
 * They check the objects that they are given, and answer what the specification demands of devices
 * without the feature.
 */
#include "cl/cl.h"
#include <CL/cl_gl.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" /* most parameters are not looked at */

static void *refuse(cl_int s, cl_int *errcode_ret)
{
    if (errcode_ret)
        *errcode_ret = s;
    return NULL;
}

static cl_int in_context(cl_context c, cl_int otherwise)
{
    const cl_int s = check_context(c);
    return s ? s : otherwise;
}

static cl_int in_queue(cl_command_queue q, cl_int otherwise)
{
    return is_object(q, KIND_QUEUE) ? otherwise : CL_INVALID_COMMAND_QUEUE;
}

/* --- shared virtual memory ------------------------------------------------------------ */

void *clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    return NULL;
}

void clSVMFree(cl_context context, void *svm_pointer) {}

cl_int
clEnqueueSVMFree(cl_command_queue command_queue, cl_uint num_svm_pointers, void *svm_pointers[],
                 void(CL_CALLBACK *pfn_free_func)(cl_command_queue, cl_uint, void *[], void *),
                 void *user_data, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                 cl_event *event)
{
    return told(in_queue(command_queue, CL_INVALID_OPERATION));
}

cl_int clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void *dst_ptr,
                          const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
                          const cl_event *event_wait_list, cl_event *event)
{
    return told(in_queue(command_queue, CL_INVALID_OPERATION));
}

cl_int clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, const void *pattern,
                           size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
                           const cl_event *event_wait_list, cl_event *event)
{
    return told(in_queue(command_queue, CL_INVALID_OPERATION));
}

cl_int clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map, cl_map_flags flags,
                       void *svm_ptr, size_t size, cl_uint num_events_in_wait_list,
                       const cl_event *event_wait_list, cl_event *event)
{
    return told(in_queue(command_queue, CL_INVALID_OPERATION));
}

cl_int clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr,
                         cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                         cl_event *event)
{
    return told(in_queue(command_queue, CL_INVALID_OPERATION));
}

cl_int clEnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers,
                              const void **svm_pointers, const size_t *sizes,
                              cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event)
{
    return told(in_queue(command_queue, CL_INVALID_OPERATION));
}

cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
    return told(is_object(kernel, KIND_KERNEL) ? CL_INVALID_OPERATION : CL_INVALID_KERNEL);
}

/* --- programs that are not OpenCL C --------------------------------------------------- */

cl_program clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                             const cl_device_id *device_list,
                                             const char *kernel_names, cl_int *errcode_ret)
{
    if (!check_context(context) && num_devices && device_list)
        for (cl_uint i = 0; i < num_devices; i++)
            if (!is_object(device_list[i], KIND_DEVICE) ||
                context_device_index(context, device_list[i]) < 0)
                return refuse(told(CL_INVALID_DEVICE), errcode_ret);
    return refuse(told(in_context(context, CL_INVALID_VALUE)), errcode_ret);
}

/* --- OpenGL --------------------------------------------------------------------------- */

cl_mem clCreateFromGLBuffer(cl_context context, cl_mem_flags flags, cl_GLuint bufobj,
                            cl_int *errcode_ret)
{
    return refuse(told(in_context(context, CL_INVALID_OPERATION)), errcode_ret);
}

cl_mem clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target,
                             cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
{
    return refuse(told(in_context(context, CL_INVALID_OPERATION)), errcode_ret);
}

cl_mem clCreateFromGLTexture2D(cl_context context, cl_mem_flags flags, cl_GLenum target,
                               cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
{
    return clCreateFromGLTexture(context, flags, target, miplevel, texture, errcode_ret);
}

cl_mem clCreateFromGLTexture3D(cl_context context, cl_mem_flags flags, cl_GLenum target,
                               cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
{
    return clCreateFromGLTexture(context, flags, target, miplevel, texture, errcode_ret);
}

cl_mem clCreateFromGLRenderbuffer(cl_context context, cl_mem_flags flags, cl_GLuint renderbuffer,
                                  cl_int *errcode_ret)
{
    return refuse(told(in_context(context, CL_INVALID_OPERATION)), errcode_ret);
}

cl_int clGetGLObjectInfo(cl_mem memobj, cl_gl_object_type *gl_object_type,
                         cl_GLuint *gl_object_name)
{
    return told(is_object(memobj, KIND_MEM) ? CL_INVALID_GL_OBJECT : CL_INVALID_MEM_OBJECT);
}

cl_int clGetGLTextureInfo(cl_mem memobj, cl_gl_texture_info param_name, size_t param_value_size,
                          void *param_value, size_t *param_value_size_ret)
{
    return clGetGLObjectInfo(memobj, NULL, NULL);
}

cl_int clEnqueueAcquireGLObjects(cl_command_queue command_queue, cl_uint num_objects,
                                 const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                 const cl_event *event_wait_list, cl_event *event)
{
    return told(in_queue(command_queue, CL_INVALID_CONTEXT));
}

cl_int clEnqueueReleaseGLObjects(cl_command_queue command_queue, cl_uint num_objects,
                                 const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                 const cl_event *event_wait_list, cl_event *event)
{
    return told(in_queue(command_queue, CL_INVALID_CONTEXT));
}

cl_int clGetGLContextInfoKHR(const cl_context_properties *properties, cl_gl_context_info param_name,
                             size_t param_value_size, void *param_value,
                             size_t *param_value_size_ret)
{
    return told(CL_INVALID_OPERATION);
}
