/* prologue.h -- what every program sees after clang's header of the language and before its own
 * first line; the device library includes it too.
 *
 * Features that the header turns on for every SPIR target though they are not here go off;
 * extensions that it does not know get their macros and functions.
 */
#undef __opencl_c_ext_fp16_global_atomic_load_store
#undef __opencl_c_ext_fp16_local_atomic_load_store
#undef __opencl_c_ext_fp16_global_atomic_add
#undef __opencl_c_ext_fp16_local_atomic_add
#undef __opencl_c_ext_fp16_global_atomic_min_max
#undef __opencl_c_ext_fp16_local_atomic_min_max
#undef __opencl_c_ext_image_raw10_raw12
#undef cl_khr_kernel_clock
#undef __opencl_c_kernel_clock_scope_device
#undef __opencl_c_kernel_clock_scope_work_group
#undef __opencl_c_kernel_clock_scope_sub_group
#undef __opencl_c_device_enqueue

#define __ventus_f __attribute__((overloadable, convergent))

#define cl_khr_expect_assume 1

/* boxes of elements; offsets, lengths of lines and areas of planes count elements */
#define cl_khr_extended_async_copies 1
#define __ventus_boxes(TO, FROM) \
    event_t __ventus_f async_work_group_copy_2D2D( \
        TO void *to, size_t to_offset, const FROM void *from, size_t from_offset, size_t element_size, \
        size_t elements, size_t lines, size_t from_line, size_t to_line, event_t); \
    event_t __ventus_f async_work_group_copy_3D3D( \
        TO void *to, size_t to_offset, const FROM void *from, size_t from_offset, size_t element_size, \
        size_t elements, size_t lines, size_t planes, size_t from_line, size_t from_plane, size_t to_line, \
        size_t to_plane, event_t);
__ventus_boxes(__local, __global) __ventus_boxes(__global, __local)
#undef __ventus_boxes

#ifdef __opencl_c_work_group_collective_functions
#define cl_khr_work_group_uniform_arithmetic 1
#define __ventus_op(T, op) \
    T __ventus_f work_group_reduce_##op(T); \
    T __ventus_f work_group_scan_inclusive_##op(T); \
    T __ventus_f work_group_scan_exclusive_##op(T);
#define __ventus_ops(T) __ventus_op(T, mul) __ventus_op(T, and) __ventus_op(T, or) __ventus_op(T, xor)
__ventus_ops(int) __ventus_ops(uint) __ventus_ops(long) __ventus_ops(ulong)
__ventus_op(int, logical_and) __ventus_op(int, logical_or) __ventus_op(int, logical_xor)
__ventus_op(float, mul) __ventus_op(double, mul)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__ventus_op(half, mul)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#undef __ventus_op
#undef __ventus_ops
#endif

#undef __ventus_f
