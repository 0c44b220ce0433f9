/* absent.c -- entry points for what the devices do not have: images, samplers, pipes, shared
 * virtual memory, intermediate languages, built-in kernels, OpenGL objects.
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
    return is_object(c, KIND_CONTEXT) ? otherwise : CL_INVALID_CONTEXT;
}

static cl_int in_queue(cl_command_queue q, cl_int otherwise)
{
    return is_object(q, KIND_QUEUE) ? otherwise : CL_INVALID_COMMAND_QUEUE;
}

/* --- images ------------------------------------------------------------------------------- */

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                     const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret)
{
    return refuse(in_context(context, CL_INVALID_OPERATION), errcode_ret);
}

cl_mem clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                   cl_mem_flags flags, const cl_image_format *image_format,
                                   const cl_image_desc *image_desc, void *host_ptr,
                                   cl_int *errcode_ret)
{
    return clCreateImage(context, flags, image_format, image_desc, host_ptr, errcode_ret);
}

cl_mem clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                       size_t image_width, size_t image_height, size_t image_row_pitch,
                       void *host_ptr, cl_int *errcode_ret)
{
    return clCreateImage(context, flags, image_format, NULL, host_ptr, errcode_ret);
}

cl_mem clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                       size_t image_width, size_t image_height, size_t image_depth,
                       size_t image_row_pitch, size_t image_slice_pitch, void *host_ptr,
                       cl_int *errcode_ret)
{
    return clCreateImage(context, flags, image_format, NULL, host_ptr, errcode_ret);
}

static bool is_image_type(cl_mem_object_type type)
{
    return type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

cl_int clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                  cl_mem_object_type image_type, cl_uint num_entries,
                                  cl_image_format *image_formats, cl_uint *num_image_formats)
{
    if (!is_object(context, KIND_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!is_image_type(image_type) || (image_formats && !num_entries))
        return CL_INVALID_VALUE;
    if (num_image_formats)
        *num_image_formats = 0;
    return CL_SUCCESS;
}

/* No memory object is an image. */
cl_int clGetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size,
                      void *param_value, size_t *param_value_size_ret)
{
    return CL_INVALID_MEM_OBJECT;
}

cl_int clEnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read,
                          const size_t *origin, const size_t *region, size_t row_pitch,
                          size_t slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                          const cl_event *event_wait_list, cl_event *event)
{
    return in_queue(command_queue, CL_INVALID_MEM_OBJECT);
}

cl_int clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_write,
                           const size_t *origin, const size_t *region, size_t input_row_pitch,
                           size_t input_slice_pitch, const void *ptr,
                           cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                           cl_event *event)
{
    return in_queue(command_queue, CL_INVALID_MEM_OBJECT);
}

cl_int clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image,
                          const size_t *src_origin, const size_t *dst_origin, const size_t *region,
                          cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                          cl_event *event)
{
    return in_queue(command_queue, CL_INVALID_MEM_OBJECT);
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image,
                                  cl_mem dst_buffer, const size_t *src_origin, const size_t *region,
                                  size_t dst_offset, cl_uint num_events_in_wait_list,
                                  const cl_event *event_wait_list, cl_event *event)
{
    return in_queue(command_queue, CL_INVALID_MEM_OBJECT);
}

cl_int clEnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer,
                                  cl_mem dst_image, size_t src_offset, const size_t *dst_origin,
                                  const size_t *region, cl_uint num_events_in_wait_list,
                                  const cl_event *event_wait_list, cl_event *event)
{
    return in_queue(command_queue, CL_INVALID_MEM_OBJECT);
}

void *clEnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map,
                        cl_map_flags map_flags, const size_t *origin, const size_t *region,
                        size_t *image_row_pitch, size_t *image_slice_pitch,
                        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                        cl_event *event, cl_int *errcode_ret)
{
    return refuse(in_queue(command_queue, CL_INVALID_MEM_OBJECT), errcode_ret);
}

cl_int clEnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void *fill_color,
                          const size_t *origin, const size_t *region,
                          cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                          cl_event *event)
{
    return in_queue(command_queue, CL_INVALID_MEM_OBJECT);
}

/* --- samplers -------------------------------------------------------------------------------- */

cl_sampler clCreateSampler(cl_context context, cl_bool normalized_coords,
                           cl_addressing_mode addressing_mode, cl_filter_mode filter_mode,
                           cl_int *errcode_ret)
{
    return refuse(in_context(context, CL_INVALID_OPERATION), errcode_ret);
}

cl_sampler clCreateSamplerWithProperties(cl_context context,
                                         const cl_sampler_properties *sampler_properties,
                                         cl_int *errcode_ret)
{
    return refuse(in_context(context, CL_INVALID_OPERATION), errcode_ret);
}

cl_int clRetainSampler(cl_sampler sampler) { return CL_INVALID_SAMPLER; }

cl_int clReleaseSampler(cl_sampler sampler) { return CL_INVALID_SAMPLER; }

cl_int clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name, size_t param_value_size,
                        void *param_value, size_t *param_value_size_ret)
{
    return CL_INVALID_SAMPLER;
}

/* --- pipes ---------------------------------------------------------------------------- */

cl_mem clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size,
                    cl_uint pipe_max_packets, const cl_pipe_properties *properties,
                    cl_int *errcode_ret)
{
    return refuse(in_context(context, CL_INVALID_OPERATION), errcode_ret);
}

cl_int clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size,
                     void *param_value, size_t *param_value_size_ret)
{
    return CL_INVALID_MEM_OBJECT;
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
    return in_queue(command_queue, CL_INVALID_OPERATION);
}

cl_int clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void *dst_ptr,
                          const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
                          const cl_event *event_wait_list, cl_event *event)
{
    return in_queue(command_queue, CL_INVALID_OPERATION);
}

cl_int clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, const void *pattern,
                           size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
                           const cl_event *event_wait_list, cl_event *event)
{
    return in_queue(command_queue, CL_INVALID_OPERATION);
}

cl_int clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map, cl_map_flags flags,
                       void *svm_ptr, size_t size, cl_uint num_events_in_wait_list,
                       const cl_event *event_wait_list, cl_event *event)
{
    return in_queue(command_queue, CL_INVALID_OPERATION);
}

cl_int clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr,
                         cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                         cl_event *event)
{
    return in_queue(command_queue, CL_INVALID_OPERATION);
}

cl_int clEnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers,
                              const void **svm_pointers, const size_t *sizes,
                              cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event)
{
    return in_queue(command_queue, CL_INVALID_OPERATION);
}

cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
    return is_object(kernel, KIND_KERNEL) ? CL_INVALID_OPERATION : CL_INVALID_KERNEL;
}

cl_int clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name,
                           size_t param_value_size, const void *param_value)
{
    return is_object(kernel, KIND_KERNEL) ? CL_INVALID_OPERATION : CL_INVALID_KERNEL;
}

/* --- programs that are not OpenCL C --------------------------------------------------- */

cl_program clCreateProgramWithIL(cl_context context, const void *il, size_t length,
                                 cl_int *errcode_ret)
{
    return refuse(in_context(context, CL_INVALID_OPERATION), errcode_ret);
}

cl_program clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                             const cl_device_id *device_list,
                                             const char *kernel_names, cl_int *errcode_ret)
{
    if (is_object(context, KIND_CONTEXT) && num_devices && device_list)
        for (cl_uint i = 0; i < num_devices; i++)
            if (!is_object(device_list[i], KIND_DEVICE) ||
                context_device_index(context, device_list[i]) < 0)
                return refuse(CL_INVALID_DEVICE, errcode_ret);
    return refuse(in_context(context, CL_INVALID_VALUE), errcode_ret);
}

/* --- OpenGL --------------------------------------------------------------------------- */

cl_mem clCreateFromGLBuffer(cl_context context, cl_mem_flags flags, cl_GLuint bufobj,
                            cl_int *errcode_ret)
{
    return refuse(in_context(context, CL_INVALID_OPERATION), errcode_ret);
}

cl_mem clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target,
                             cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
{
    return refuse(in_context(context, CL_INVALID_OPERATION), errcode_ret);
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
    return refuse(in_context(context, CL_INVALID_OPERATION), errcode_ret);
}

cl_int clGetGLObjectInfo(cl_mem memobj, cl_gl_object_type *gl_object_type,
                         cl_GLuint *gl_object_name)
{
    return is_object(memobj, KIND_MEM) ? CL_INVALID_GL_OBJECT : CL_INVALID_MEM_OBJECT;
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
    return in_queue(command_queue, CL_INVALID_CONTEXT);
}

cl_int clEnqueueReleaseGLObjects(cl_command_queue command_queue, cl_uint num_objects,
                                 const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                 const cl_event *event_wait_list, cl_event *event)
{
    return in_queue(command_queue, CL_INVALID_CONTEXT);
}

cl_int clGetGLContextInfoKHR(const cl_context_properties *properties, cl_gl_context_info param_name,
                             size_t param_value_size, void *param_value,
                             size_t *param_value_size_ret)
{
    return CL_INVALID_OPERATION;
}
