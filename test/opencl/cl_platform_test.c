/* cl_platform_test.c -- platform, devices, contexts; and what the devices do not have. */
#include "test/opencl/clhost.h"
#include <CL/cl_icd.h>

/* Any query: its size, its value, and that it refuses a place that is too small. */
#define sweep(call, object, params)                                                                \
    for (size_t i_ = 0; i_ < countof(params); i_++) {                                              \
        size_t n_ = 0, m_ = 0;                                                                     \
        char value_[4096];                                                                         \
        if (call(object, params[i_], 0, NULL, &n_) ||                                              \
            call(object, params[i_], sizeof value_, value_, &m_) || n_ != m_)                      \
            fail_msg("query 0x%x", (unsigned)params[i_]);                                          \
        if (n_)                                                                                    \
            assert_int_equal(call(object, params[i_], n_ - 1, value_, NULL), CL_INVALID_VALUE);    \
    }

/* --- platform -------------------------------------------------------------------------------- */

static void answers_platform_queries(void **state)
{
    static const cl_platform_info params[] = {
        CL_PLATFORM_PROFILE, CL_PLATFORM_VERSION, CL_PLATFORM_NAME, CL_PLATFORM_VENDOR, CL_PLATFORM_EXTENSIONS,
        CL_PLATFORM_HOST_TIMER_RESOLUTION, CL_PLATFORM_NUMERIC_VERSION, CL_PLATFORM_EXTENSIONS_WITH_VERSION};
    char text[512];
    (void)state;
    sweep(clGetPlatformInfo, host.platform, params);
    ok(clGetPlatformInfo(host.platform, CL_PLATFORM_VERSION, sizeof text, text, NULL));
    assert_memory_equal(text, "OpenCL 3.0 ", 11);
    ok(clGetPlatformInfo(host.platform, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof text, text, NULL));
    assert_string_equal(text, "VENTUS");
    ok(clGetPlatformInfo(host.platform, CL_PLATFORM_EXTENSIONS, sizeof text, text, NULL));
    assert_non_null(strstr(text, "cl_khr_icd"));
    assert_int_equal(INFO(cl_version, clGetPlatformInfo, host.platform, CL_PLATFORM_NUMERIC_VERSION),
                     CL_MAKE_VERSION(3, 0, 0));
    assert_int_equal(clGetPlatformInfo(host.platform, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetPlatformInfo((cl_platform_id)host.device, CL_PLATFORM_NAME, 0, NULL, NULL), CL_INVALID_PLATFORM);
    assert_int_equal(clGetPlatformIDs(0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetPlatformIDs(0, &host.platform, NULL), CL_INVALID_VALUE);
    ok(clUnloadPlatformCompiler(host.platform));
    assert_int_equal(clUnloadPlatformCompiler((cl_platform_id)host.device), CL_INVALID_PLATFORM);
    ok(clUnloadCompiler());
    assert_null(clGetExtensionFunctionAddressForPlatform(host.platform, "clNoSuchFunction"));
    assert_null(clGetExtensionFunctionAddressForPlatform((cl_platform_id)host.device, "clIcdGetPlatformIDsKHR"));
}

/* What is found by name is a function of its own; those that the loader's table has too are the same. */
static void finds_functions(void **state)
{
    static const char *const names[] = {
        "clIcdGetPlatformIDsKHR", "clGetPlatformInfo", "clGetKernelSuggestedLocalWorkSizeKHR", "clCreateCommandQueueWithPropertiesKHR",
        "clTerminateContextKHR", "clCreateProgramWithILKHR", "clGetKernelSubGroupInfoKHR", "clCreateCommandBufferKHR",
        "clRetainCommandBufferKHR", "clReleaseCommandBufferKHR", "clFinalizeCommandBufferKHR", "clEnqueueCommandBufferKHR",
        "clGetCommandBufferInfoKHR", "clCommandBarrierWithWaitListKHR", "clCommandCopyBufferKHR", "clCommandCopyBufferRectKHR",
        "clCommandCopyBufferToImageKHR", "clCommandCopyImageKHR", "clCommandCopyImageToBufferKHR", "clCommandFillBufferKHR",
        "clCommandFillImageKHR", "clCommandNDRangeKernelKHR", "clCommandSVMMemcpyKHR", "clCommandSVMMemFillKHR",
        "clHostMemAllocINTEL", "clDeviceMemAllocINTEL", "clSharedMemAllocINTEL", "clMemFreeINTEL", "clMemBlockingFreeINTEL",
        "clGetMemAllocInfoINTEL", "clSetKernelArgMemPointerINTEL", "clEnqueueMemFillINTEL", "clEnqueueMemcpyINTEL",
        "clEnqueueMigrateMemINTEL", "clEnqueueMemAdviseINTEL"};
    const cl_icd_dispatch *table = *(const cl_icd_dispatch **)(void *)host.platform;
    void *found[countof(names)], *in_table[2];
    (void)state;
    for (size_t i = 0; i < countof(names); i++) {
        char other[64];
        found[i] = clGetExtensionFunctionAddressForPlatform(host.platform, names[i]);
        assert_non_null(found[i]);
        for (size_t k = 0; k < i; k++)
            if (found[k] == found[i])
                fail_msg("%s is %s", names[i], names[k]);
        snprintf(other, sizeof other, "%sx", names[i]);
        assert_null(clGetExtensionFunctionAddressForPlatform(host.platform, other));
        other[strlen(names[i]) - 1] = 0;
        assert_null(clGetExtensionFunctionAddressForPlatform(host.platform, other));
    }
    assert_null(clGetExtensionFunctionAddressForPlatform(host.platform, NULL));
    assert_null(clGetExtensionFunctionAddressForPlatform(host.platform, ""));
    memcpy(&in_table[0], &table->clGetPlatformInfo, sizeof *in_table);
    memcpy(&in_table[1], &table->clCreateProgramWithIL, sizeof *in_table);
    assert_ptr_equal(found[1], in_table[0]);
    assert_ptr_equal(found[5], in_table[1]);
}

/* --- devices ---------------------------------------------------------------------------------- */

static const cl_device_info device_params[] = {
    CL_DEVICE_TYPE, CL_DEVICE_VENDOR_ID, CL_DEVICE_MAX_COMPUTE_UNITS, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS,
    CL_DEVICE_MAX_WORK_GROUP_SIZE, CL_DEVICE_MAX_WORK_ITEM_SIZES, CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR,
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG,
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, CL_DEVICE_NATIVE_VECTOR_WIDTH_INT,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, CL_DEVICE_MAX_CLOCK_FREQUENCY, CL_DEVICE_ADDRESS_BITS,
    CL_DEVICE_MAX_MEM_ALLOC_SIZE, CL_DEVICE_IMAGE_SUPPORT, CL_DEVICE_MAX_READ_IMAGE_ARGS, CL_DEVICE_MAX_WRITE_IMAGE_ARGS,
    CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, CL_DEVICE_IL_VERSION, CL_DEVICE_ILS_WITH_VERSION, CL_DEVICE_IMAGE2D_MAX_WIDTH,
    CL_DEVICE_IMAGE2D_MAX_HEIGHT, CL_DEVICE_IMAGE3D_MAX_WIDTH, CL_DEVICE_IMAGE3D_MAX_HEIGHT, CL_DEVICE_IMAGE3D_MAX_DEPTH,
    CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, CL_DEVICE_MAX_SAMPLERS, CL_DEVICE_IMAGE_PITCH_ALIGNMENT,
    CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, CL_DEVICE_MAX_PIPE_ARGS, CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS,
    CL_DEVICE_PIPE_MAX_PACKET_SIZE, CL_DEVICE_MAX_PARAMETER_SIZE, CL_DEVICE_MEM_BASE_ADDR_ALIGN,
    CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, CL_DEVICE_SINGLE_FP_CONFIG, CL_DEVICE_DOUBLE_FP_CONFIG,
    CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE,
    CL_DEVICE_GLOBAL_MEM_SIZE, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, CL_DEVICE_MAX_CONSTANT_ARGS,
    CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, CL_DEVICE_LOCAL_MEM_TYPE,
    CL_DEVICE_LOCAL_MEM_SIZE, CL_DEVICE_ERROR_CORRECTION_SUPPORT, CL_DEVICE_HOST_UNIFIED_MEMORY,
    CL_DEVICE_PROFILING_TIMER_RESOLUTION, CL_DEVICE_ENDIAN_LITTLE, CL_DEVICE_AVAILABLE, CL_DEVICE_COMPILER_AVAILABLE,
    CL_DEVICE_LINKER_AVAILABLE, CL_DEVICE_EXECUTION_CAPABILITIES, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
    CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE,
    CL_DEVICE_MAX_ON_DEVICE_QUEUES, CL_DEVICE_MAX_ON_DEVICE_EVENTS, CL_DEVICE_BUILT_IN_KERNELS,
    CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, CL_DEVICE_PLATFORM, CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DRIVER_VERSION,
    CL_DEVICE_PROFILE, CL_DEVICE_VERSION, CL_DEVICE_NUMERIC_VERSION, CL_DEVICE_OPENCL_C_VERSION,
    CL_DEVICE_OPENCL_C_ALL_VERSIONS, CL_DEVICE_OPENCL_C_FEATURES, CL_DEVICE_EXTENSIONS, CL_DEVICE_EXTENSIONS_WITH_VERSION,
    CL_DEVICE_PRINTF_BUFFER_SIZE, CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, CL_DEVICE_PARENT_DEVICE,
    CL_DEVICE_PARTITION_MAX_SUB_DEVICES, CL_DEVICE_PARTITION_PROPERTIES, CL_DEVICE_PARTITION_AFFINITY_DOMAIN,
    CL_DEVICE_PARTITION_TYPE, CL_DEVICE_REFERENCE_COUNT, CL_DEVICE_SVM_CAPABILITIES,
    CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT,
    CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, CL_DEVICE_MAX_NUM_SUB_GROUPS,
    CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
    CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
    CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT,
    CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, CL_DEVICE_PIPE_SUPPORT, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
    CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED};

static void answers_device_queries(void **state)
{
    size_t sizes[3];
    char text[256];
    (void)state;
    sweep(clGetDeviceInfo, host.device, device_params);
    assert_int_equal(clGetDeviceInfo(host.device, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetDeviceInfo((cl_device_id)host.platform, CL_DEVICE_NAME, 0, NULL, NULL), CL_INVALID_DEVICE);
    assert_int_equal(INFO(cl_uint, clGetDeviceInfo, host.device, CL_DEVICE_MAX_COMPUTE_UNITS), 2);
    assert_int_equal(INFO(size_t, clGetDeviceInfo, host.device, CL_DEVICE_MAX_WORK_GROUP_SIZE), 1024); /* of 64 warps of 32: lib/opencl/workgroup.cl */
    ok(clGetDeviceInfo(host.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL));
    for (int i = 0; i < 3; i++)
        assert_int_equal(sizes[i], 1024);
    assert_int_equal(INFO(cl_uint, clGetDeviceInfo, host.device, CL_DEVICE_ADDRESS_BITS), 32);
    ok(clGetDeviceInfo(host.device, CL_DEVICE_VERSION, sizeof text, text, NULL));
    assert_memory_equal(text, "OpenCL 3.0 ", 11);
    ok(clGetDeviceInfo(host.device, CL_DEVICE_OPENCL_C_VERSION, sizeof text, text, NULL));
    assert_memory_equal(text, "OpenCL C 1.2 ", 13);
}

enum { WORD = 4, LONG = 8 };

/* Least and most: what the specification asks of every device of the full profile (OpenCL 3.0 API,
 * table 5), and where both are the same, what this one is: programs that were made to fit rely on it. */
static const struct Number {
    cl_device_info param;
    size_t bytes;
    cl_ulong least, most;
} numbers[] = {
    {CL_DEVICE_TYPE, LONG, CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_GPU},
    {CL_DEVICE_VENDOR_ID, WORD, 'V' << 24 | 'E' << 16 | 'N' << 8 | 'T', 'V' << 24 | 'E' << 16 | 'N' << 8 | 'T'},
    {CL_DEVICE_NODE_MASK_KHR, WORD, 0, 0}, {CL_DEVICE_LUID_KHR, CL_LUID_SIZE_KHR, 0, 0},
    {CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR, WORD, CL_MAKE_VERSION(1, 2, 0), CL_MAKE_VERSION(1, 2, 0)},
    {CL_DEVICE_NUMERIC_VERSION, WORD, CL_MAKE_VERSION(3, 0, 0), CL_MAKE_VERSION(3, 0, 0)},
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, WORD, 3, 3},
    {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof(size_t), 32, 32},
    {CL_DEVICE_MAX_NUM_SUB_GROUPS, WORD, 1024 / 32, 1024 / 32},
    /* a work-item's registers are no vectors */
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, WORD, 1, 1}, {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, WORD, 1, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, WORD, 1, 1}, {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, WORD, 1, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, WORD, 1, 1}, {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, WORD, 1, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, WORD, 1, 1}, {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, WORD, 1, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, WORD, 1, 1}, {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, WORD, 1, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, WORD, 1, 1}, {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, WORD, 1, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, WORD, 1, 1}, {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, WORD, 1, 1},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, WORD, 0, 0},
    {CL_DEVICE_MAX_PARAMETER_SIZE, sizeof(size_t), 1024, 1024},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof(size_t), 1, 1}, /* ns */
    {CL_DEVICE_PRINTF_BUFFER_SIZE, sizeof(size_t), 1 << 20, 1 << 20},
    {CL_DEVICE_AVAILABLE, WORD, 1, 1}, {CL_DEVICE_ENDIAN_LITTLE, WORD, 1, 1},
    {CL_DEVICE_ERROR_CORRECTION_SUPPORT, WORD, 0, 0}, {CL_DEVICE_HOST_UNIFIED_MEMORY, WORD, 1, 1},
    {CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, WORD, 1, 1}, {CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, WORD, 1, 1},
    {CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, WORD, 1, 1},
    {CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, WORD, 1, 1},
    {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, WORD, 1, 1},
    /* memory */
    /* the heap's addresses (doc/abi.md), less 256 MiB for launches; buffers lie above the code window in one piece */
    {CL_DEVICE_GLOBAL_MEM_SIZE, LONG, 0x70000000ull - 0x01000000 + 0x70000000 - 0x10000000, 0x70000000ull - 0x01000000 + 0x70000000 - 0x10000000},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, LONG, 0x70000000 - 0x10000000, 0x70000000 - 0x10000000},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, WORD, CL_NONE, CL_NONE}, {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, LONG, 0, 0},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, WORD, 0, 0},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, LONG, 64 << 10, 64 << 10}, {CL_DEVICE_MAX_CONSTANT_ARGS, WORD, 16, 16},
    {CL_DEVICE_LOCAL_MEM_TYPE, WORD, CL_LOCAL, CL_LOCAL}, {CL_DEVICE_LOCAL_MEM_SIZE, LONG, 64 << 10, 64 << 10} /* doc/opencl.md */,
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, WORD, 8 * sizeof(cl_long16), 8 * sizeof(cl_long16)},
    {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, WORD, sizeof(cl_long16), sizeof(cl_long16)},
    {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, sizeof(size_t), 64 << 10, 64 << 10},
    {CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, sizeof(size_t), 1 << 20, 1 << 20},
    {CL_DEVICE_PIPE_SUPPORT, WORD, 1, 1}, {CL_DEVICE_MAX_PIPE_ARGS, WORD, 16, 16},
    {CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, WORD, 1024, 1024}, {CL_DEVICE_PIPE_MAX_PACKET_SIZE, WORD, 1024, 1024},
    /* images */
    {CL_DEVICE_IMAGE_SUPPORT, WORD, 1, 1}, {CL_DEVICE_MAX_SAMPLERS, WORD, 16, 16},
    {CL_DEVICE_MAX_READ_IMAGE_ARGS, WORD, 128, 128}, {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, WORD, 64, 64},
    {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, WORD, 64, 64},
    {CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof(size_t), 16384, 16384},
    {CL_DEVICE_IMAGE2D_MAX_HEIGHT, sizeof(size_t), 16384, 16384},
    {CL_DEVICE_IMAGE3D_MAX_WIDTH, sizeof(size_t), 2048, 2048}, {CL_DEVICE_IMAGE3D_MAX_HEIGHT, sizeof(size_t), 2048, 2048},
    {CL_DEVICE_IMAGE3D_MAX_DEPTH, sizeof(size_t), 2048, 2048},
    {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, sizeof(size_t), 1 << 24, 1 << 24},
    {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, sizeof(size_t), 2048, 2048},
    {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, WORD, 1, 1}, {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, WORD, 1, 1},
    /* what it has not */
    {CL_DEVICE_SVM_CAPABILITIES, LONG, 0, 0}, {CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, LONG, 0, 0},
    {CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, LONG, 0, 0}, {CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, WORD, 0, 0},
    {CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, WORD, 0, 0}, {CL_DEVICE_MAX_ON_DEVICE_QUEUES, WORD, 0, 0},
    {CL_DEVICE_MAX_ON_DEVICE_EVENTS, WORD, 0, 0}, {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, LONG, 0, 0},
    {CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, WORD, 0, 0},
    {CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, WORD, 0, 0},
    {CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, WORD, 0, 0},
};

/* Bits that table 5 asks for, and the extensions and features that the device names: cl_khr_fp64, cl_khr_fp16,
 * __opencl_c_atomic_*, queues out of order. */
static const struct {
    cl_device_info param;
    cl_bitfield needs;
} abilities[] = {
    {CL_DEVICE_SINGLE_FP_CONFIG, CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN},
    {CL_DEVICE_DOUBLE_FP_CONFIG, CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF |
                                     CL_FP_INF_NAN | CL_FP_DENORM},
    {CL_DEVICE_HALF_FP_CONFIG, CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN},
    {CL_DEVICE_EXECUTION_CAPABILITIES, CL_EXEC_KERNEL},
    {CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE},
    {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
     CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST |
         CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES},
    {CL_DEVICE_ATOMIC_FENCE_CAPABILITIES,
     CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST |
         CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE |
         CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES},
};

static void keeps_minima(void **state)
{
    const cl_ulong all = INFO(cl_ulong, clGetDeviceInfo, host.device, CL_DEVICE_GLOBAL_MEM_SIZE);
    const cl_ulong one = INFO(cl_ulong, clGetDeviceInfo, host.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    (void)state;
    assert_true(one >= (all / 4 < 1u << 30 ? all / 4 : 1u << 30) && one >= 32u << 20 && one <= all);
    for (size_t i = 0; i < countof(numbers); i++) {
        const struct Number *n = &numbers[i];
        cl_ulong v = 0;
        size_t size;
        ok(clGetDeviceInfo(host.device, n->param, sizeof v, &v, &size));
        if (size != n->bytes || v < n->least || v > n->most)
            fail_msg("query %x: %llu in %zu bytes", n->param, (unsigned long long)v, size);
    }
    for (size_t i = 0; i < countof(abilities); i++) {
        const cl_bitfield v = INFO(cl_bitfield, clGetDeviceInfo, host.device, abilities[i].param);
        if ((v & abilities[i].needs) != abilities[i].needs)
            fail_msg("query %x: %llx", abilities[i].param, (unsigned long long)v);
    }
    assert_true(INFO(cl_bool, clGetDeviceInfo, host.device, CL_DEVICE_COMPILER_AVAILABLE) ==
                INFO(cl_bool, clGetDeviceInfo, host.device, CL_DEVICE_LINKER_AVAILABLE));
}

/* What the extensions cl_khr_device_uuid, cl_khr_integer_dot_product and cl_ext_float_atomics ask of devices. */
static void answers_extension_queries(void **state)
{
    cl_uchar one[CL_UUID_SIZE_KHR], again[CL_UUID_SIZE_KHR], none[CL_UUID_SIZE_KHR] = {0};
    cl_device_integer_dot_product_acceleration_properties_khr fast;
    (void)state;
    ok(clGetDeviceInfo(host.device, CL_DEVICE_UUID_KHR, sizeof one, one, NULL));
    ok(clGetDeviceInfo(host.device, CL_DEVICE_UUID_KHR, sizeof again, again, NULL));
    assert_memory_equal(one, again, sizeof one);
    assert_true(memcmp(one, none, sizeof one));
    ok(clGetDeviceInfo(host.device, CL_DRIVER_UUID_KHR, sizeof again, again, NULL));
    assert_true(memcmp(again, none, sizeof one) && memcmp(again, one, sizeof one));
    assert_int_equal(clGetDeviceInfo(host.device, CL_DEVICE_UUID_KHR, 15, one, NULL), CL_INVALID_VALUE);
    assert_false(INFO(cl_bool, clGetDeviceInfo, host.device, CL_DEVICE_LUID_VALID_KHR));
    assert_int_equal(INFO(cl_device_integer_dot_product_capabilities_khr, clGetDeviceInfo, host.device,
                          CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR), 3);
    ok(clGetDeviceInfo(host.device, CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR, sizeof fast, &fast,
                       NULL));
    assert_false(fast.signed_accelerated);
    assert_int_equal(INFO(cl_bitfield, clGetDeviceInfo, host.device, 0x4231), 0x70007); /* float: all of both memories */
    assert_int_equal(INFO(cl_bitfield, clGetDeviceInfo, host.device, 0x4233), 0);       /* half: nothing */
}

/* The names in a line are those in the list, in its order, and the versions those of the specification of extensions:
 * 1.0.0 but for those that have changed since. */
static void check_extensions(const char *line, const cl_name_version *list, size_t n)
{
    static const cl_name_version later[] = {
        {CL_MAKE_VERSION(0, 9, 8), "cl_khr_command_buffer"},
        {CL_MAKE_VERSION(2, 0, 0), "cl_khr_integer_dot_product"},
        {CL_MAKE_VERSION(1, 2, 0), "cl_intel_unified_shared_memory"},
    };
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++) {
        const size_t len = strlen(list[i].name);
        cl_version want = CL_MAKE_VERSION(1, 0, 0);
        for (size_t k = 0; k < countof(later); k++)
            if (!strcmp(list[i].name, later[k].name))
                want = later[k].version;
        if (list[i].version != want)
            fail_msg("%s has version %x", list[i].name, list[i].version);
        assert_memory_equal(line, list[i].name, len);
        assert_int_equal(line[len], i + 1 < n ? ' ' : 0);
        line += len + 1;
    }
}

/* Each is there once, in the order of the versions, under the name. */
static void expect_versions(cl_device_info param, const char *name, const cl_version *versions, size_t n)
{
    cl_name_version list[64];
    size_t size;
    ok(clGetDeviceInfo(host.device, param, sizeof list, list, &size));
    assert_int_equal(size, n * sizeof *list);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(list[i].name, name);
        assert_int_equal(list[i].version, versions[i]);
    }
}

/* doc/opencl.md: OpenCL C 1.0, 1.1, 1.2 and 3.0, whose optional features are of 3.0; SPIR-V 1.0 to 1.3 where there are
 * the tools for it, and then what goes with it. */
static void lists_languages(void **state)
{
    const cl_version c[] = {CL_MAKE_VERSION(1, 0, 0), CL_MAKE_VERSION(1, 1, 0), CL_MAKE_VERSION(1, 2, 0), CL_MAKE_VERSION(3, 0, 0)},
                     il[] = {CL_MAKE_VERSION(1, 0, 0), CL_MAKE_VERSION(1, 1, 0), CL_MAKE_VERSION(1, 2, 0), CL_MAKE_VERSION(1, 3, 0)};
    static const char *const of_il[] = {"cl_khr_il_program", "cl_khr_spirv_linkonce_odr", "cl_khr_spirv_no_integer_wrap_decoration"};
    cl_name_version features[64];
    char line[4096];
    size_t size;
    (void)state;
    expect_versions(CL_DEVICE_OPENCL_C_ALL_VERSIONS, "OpenCL C", c, countof(c));
    ok(clGetDeviceInfo(host.device, CL_DEVICE_OPENCL_C_FEATURES, sizeof features, features, &size));
    for (size_t i = 0; i < size / sizeof *features; i++) {
        assert_memory_equal(features[i].name, "__opencl_c_", 11);
        assert_int_equal(features[i].version, CL_MAKE_VERSION(3, 0, 0));
    }
    ok(clGetDeviceInfo(host.device, CL_DEVICE_IL_VERSION, sizeof line, line, NULL));
    const bool has_il = *line;
    if (has_il)
        assert_string_equal(line, "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3");
    expect_versions(CL_DEVICE_ILS_WITH_VERSION, "SPIR-V", il, has_il ? countof(il) : 0);
    ok(clGetDeviceInfo(host.device, CL_DEVICE_EXTENSIONS, sizeof line, line, NULL));
    for (size_t i = 0; i < countof(of_il); i++)
        assert_int_equal(strstr(line, of_il[i]) != NULL, has_il);
    assert_non_null(strstr(line, "cl_intel_unified_shared_memory"));
}

static void lists_extensions(void **state)
{
    char line[4096];
    cl_name_version list[64];
    size_t size;
    (void)state;
    ok(clGetPlatformInfo(host.platform, CL_PLATFORM_EXTENSIONS, sizeof line, line, NULL));
    ok(clGetPlatformInfo(host.platform, CL_PLATFORM_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
    check_extensions(line, list, size / sizeof *list);
    ok(clGetDeviceInfo(host.device, CL_DEVICE_EXTENSIONS, sizeof line, line, NULL));
    ok(clGetDeviceInfo(host.device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
    check_extensions(line, list, size / sizeof *list);
}

static void finds_devices(void **state)
{
    cl_device_id d[4];
    cl_uint n;
    cl_ulong a, b, c;
    (void)state;
    ok(clGetDeviceIDs(host.platform, CL_DEVICE_TYPE_ALL, 4, d, &n));
    assert_int_equal(n, 1);
    ok(clGetDeviceIDs(host.platform, CL_DEVICE_TYPE_DEFAULT, 0, NULL, &n));
    assert_int_equal(clGetDeviceIDs(host.platform, CL_DEVICE_TYPE_CPU, 4, d, &n), CL_DEVICE_NOT_FOUND);
    assert_int_equal(clGetDeviceIDs(host.platform, 0, 4, d, &n), CL_INVALID_DEVICE_TYPE);
    assert_int_equal(clGetDeviceIDs(host.platform, CL_DEVICE_TYPE_ALL, 0, d, &n), CL_INVALID_VALUE);
    assert_int_equal(clGetDeviceIDs(host.platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetDeviceIDs((cl_platform_id)host.device, CL_DEVICE_TYPE_ALL, 4, d, &n), CL_INVALID_PLATFORM);
    ok(clRetainDevice(host.device));
    ok(clReleaseDevice(host.device));
    assert_int_equal(clRetainDevice((cl_device_id)host.platform), CL_INVALID_DEVICE);
    ok(clGetHostTimer(host.device, &a));
    ok(clGetDeviceAndHostTimer(host.device, &b, &c));
    assert_true(b >= a && c >= a);
    assert_int_equal(clGetHostTimer(host.device, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetDeviceAndHostTimer(host.device, NULL, &c), CL_INVALID_VALUE);
    assert_int_equal(clSetDefaultDeviceCommandQueue(host.context, host.device, host.queue), CL_INVALID_OPERATION);
}

/* A device of two SMs in two parts, of which each runs a program of its own context. */
static void is_divided(void **state)
{
    typedef cl_device_partition_property Part;
    const Part equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0}, counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0},
               three[] = {CL_DEVICE_PARTITION_EQUALLY, 3, 0}, whole[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0}, many[] = {CL_DEVICE_PARTITION_BY_COUNTS, 2, 1, 0, 0},
               domain[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 1, 0};
    const u8 *bytes = host.image.data;
    const size_t items = 64;
    cl_device_id d[4];
    cl_uint n, got[64], factor = 3;
    cl_int s, status;
    Part used[8];
    size_t size;
    (void)state;
    assert_int_equal(INFO(cl_uint, clGetDeviceInfo, host.device, CL_DEVICE_MAX_COMPUTE_UNITS), 2);
    assert_int_equal(clCreateSubDevices(host.device, three, 4, d, &n), CL_INVALID_DEVICE_PARTITION_COUNT);
    assert_int_equal(clCreateSubDevices(host.device, whole, 4, d, &n), CL_DEVICE_PARTITION_FAILED);
    assert_int_equal(clCreateSubDevices(host.device, many, 4, d, &n), CL_INVALID_DEVICE_PARTITION_COUNT);
    assert_int_equal(clCreateSubDevices(host.device, domain, 4, d, &n), CL_INVALID_VALUE);
    assert_int_equal(clCreateSubDevices(host.device, NULL, 4, d, &n), CL_INVALID_VALUE);
    assert_int_equal(clCreateSubDevices(host.device, equally, 1, d, &n), CL_INVALID_VALUE);
    ok(clCreateSubDevices(host.device, counts, 0, NULL, &n));
    assert_int_equal(n, 2);
    ok(clCreateSubDevices(host.device, equally, 4, d, &n));
    assert_int_equal(n, 2);
    assert_ptr_equal(INFO(cl_device_id, clGetDeviceInfo, d[0], CL_DEVICE_PARENT_DEVICE), host.device);
    assert_int_equal(INFO(cl_uint, clGetDeviceInfo, d[1], CL_DEVICE_MAX_COMPUTE_UNITS), 1);
    assert_int_equal(INFO(cl_uint, clGetDeviceInfo, d[1], CL_DEVICE_REFERENCE_COUNT), 1);
    ok(clGetDeviceInfo(d[0], CL_DEVICE_PARTITION_TYPE, sizeof used, used, &size));
    assert_int_equal(size, sizeof equally);
    assert_memory_equal(used, equally, size);
    assert_int_equal(clCreateSubDevices(d[0], equally, 4, d + 2, &n), CL_DEVICE_PARTITION_FAILED);
    cl_context c = clCreateContext(NULL, 2, d, NULL, NULL, &s);
    ok(s);
    ok(clReleaseDevice(d[0])); /* the context keeps it */
    cl_program p = clCreateProgramWithBinary(c, 1, &d[1], &host.image.len, &bytes, &status, &s);
    ok(s);
    ok(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    cl_command_queue q = clCreateCommandQueueWithProperties(c, d[1], NULL, &s);
    ok(s);
    cl_mem m = clCreateBuffer(c, 0, sizeof got, NULL, &s);
    ok(s);
    cl_kernel k = make_kernel(p, "scale");
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    ok(clSetKernelArg(k, 1, sizeof factor, &factor));
    ok(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (cl_uint i = 0; i < 64; i++)
        assert_int_equal(got[i], 3 * i);
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(m));
    ok(clReleaseCommandQueue(q));
    ok(clReleaseProgram(p));
    ok(clReleaseContext(c));
    ok(clRetainDevice(d[1]));
    ok(clReleaseDevice(d[1]));
    ok(clReleaseDevice(d[1]));
}

/* A program that is built for the whole device runs on its parts. */
static void builds_for_parts(void **state)
{
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id d[3] = {host.device};
    const size_t sizes[] = {host.image.len, host.image.len, host.image.len}, items = 1;
    const u8 *bytes[] = {host.image.data, host.image.data, host.image.data};
    cl_build_status status;
    cl_uint got = 0;
    cl_int s;
    (void)state;
    ok(clCreateSubDevices(host.device, equally, 2, d + 1, NULL));
    cl_context c = clCreateContext(NULL, 3, d, NULL, NULL, &s);
    ok(s);
    cl_program p = clCreateProgramWithBinary(c, 3, d, sizes, bytes, NULL, &s);
    ok(s);
    ok(clBuildProgram(p, 1, &d[2], NULL, NULL, NULL));
    ok(clGetProgramBuildInfo(p, d[1], CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    assert_int_equal(status, CL_BUILD_NONE);
    ok(clBuildProgram(p, 1, &d[0], NULL, NULL, NULL));
    cl_kernel k = make_kernel(p, "count");
    cl_mem m = clCreateBuffer(c, 0, sizeof got, NULL, &s);
    ok(s);
    ok(clSetKernelArg(k, 0, sizeof m, &m));
    for (int i = 0; i < 3; i++) { /* each device has a variable of its own */
        cl_command_queue q = clCreateCommandQueueWithProperties(c, d[i], NULL, &s);
        ok(s);
        ok(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
        assert_int_equal(got, 41); /* from 40 */
        ok(clReleaseCommandQueue(q));
    }
    ok(clReleaseKernel(k));
    ok(clReleaseMemObject(m));
    ok(clReleaseProgram(p));
    ok(clReleaseContext(c));
    for (int i = 1; i < 3; i++)
        ok(clReleaseDevice(d[i]));
}

/* A program of two of three devices has a binary for each of these, as it was given. */
static void has_a_binary_for_each(void **state)
{
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id d[3] = {host.device}, got[4] = {NULL};
    const size_t given[] = {host.bare.len, host.image.len};
    const u8 *bytes[] = {host.bare.data, host.image.data};
    size_t sizes[4] = {0}, n;
    cl_int s, status[2] = {1, 1};
    (void)state;
    assert_true(host.bare.len != host.image.len);
    ok(clCreateSubDevices(host.device, equally, 2, d + 1, NULL));
    cl_context c = clCreateContext(NULL, 3, d, NULL, NULL, &s);
    ok(s);
    cl_program p = clCreateProgramWithBinary(c, 2, (cl_device_id[]){d[2], d[0]}, given, bytes, status, &s);
    ok(s);
    assert_true(!status[0] && !status[1]);
    assert_int_equal(INFO(cl_uint, clGetProgramInfo, p, CL_PROGRAM_NUM_DEVICES), 2);
    ok(clGetProgramInfo(p, CL_PROGRAM_DEVICES, sizeof got, got, &n));
    assert_int_equal(n, 2 * sizeof *got);
    assert_true(got[0] == d[0] && got[1] == d[2]);
    assert_int_equal(clGetProgramBuildInfo(p, d[1], CL_PROGRAM_BUILD_STATUS, 0, NULL, NULL), CL_INVALID_DEVICE);
    ok(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, &n));
    assert_int_equal(n, 2 * sizeof *sizes);
    assert_true(sizes[0] >= host.image.len && sizes[1] >= host.bare.len && sizes[0] - sizes[1] == host.image.len - host.bare.len);
    for (int left_out = 0; left_out < 3; left_out++) { /* 2: none */
        u8 *binary[2] = {calloc(sizes[0], 1), calloc(sizes[1], 1)};
        u8 *to[2] = {left_out == 0 ? NULL : binary[0], left_out == 1 ? NULL : binary[1]};
        assert_int_equal(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof *to, to, NULL), CL_INVALID_VALUE);
        ok(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof to, to, &n));
        assert_int_equal(n, sizeof to);
        for (int i = 0; i < 2; i++) {
            const Buf *want = i ? &host.bare : &host.image;
            assert_int_equal(memmem(binary[i], sizes[i], want->data, want->len) != NULL, left_out != i);
            free(binary[i]);
        }
    }
    ok(clReleaseProgram(p));
    /* one that is bad makes none */
    bytes[1] = (const u8 *)"no binary at all";
    assert_null(clCreateProgramWithBinary(c, 2, (cl_device_id[]){d[2], d[0]}, given, bytes, status, &s));
    assert_int_equal(s, CL_INVALID_BINARY);
    assert_true(status[0] == CL_SUCCESS && status[1] == CL_INVALID_BINARY);
    bytes[0] = NULL; /* the first error is the answer */
    assert_null(clCreateProgramWithBinary(c, 2, (cl_device_id[]){d[2], d[0]}, given, bytes, status, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_true(status[0] == CL_INVALID_VALUE && status[1] == CL_INVALID_BINARY);
    ok(clReleaseContext(c));
    ok(clReleaseDevice(d[1]));
    ok(clReleaseDevice(d[2]));
}

/* Buffers of more bytes than go through the host at a time, on three devices that write to them by turns: whoever reads
 * finds what was written last. */
static void moves_large_buffers(void **state)
{
    enum { SIZE = (2 << 20) + 4321, TURNS = 60 };
    static u8 want[2][SIZE], got[SIZE], own[SIZE];
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id d[3] = {host.device};
    cl_command_queue q[3];
    cl_mem m[2];
    cl_int s;
    u32 seed = 1;
    (void)state;
    ok(clCreateSubDevices(host.device, equally, 2, d + 1, NULL));
    cl_context c = clCreateContext(NULL, 3, d, NULL, NULL, &s);
    ok(s);
    for (int i = 0; i < 3; i++) {
        q[i] = clCreateCommandQueueWithProperties(c, d[i], NULL, &s);
        ok(s);
    }
    for (size_t i = 0; i < SIZE; i++)
        own[i] = want[0][i] = want[1][i] = (u8)(i * 7 + i / 256);
    m[0] = clCreateBuffer(c, CL_MEM_COPY_HOST_PTR, SIZE, want[0], &s);
    ok(s);
    m[1] = clCreateBuffer(c, CL_MEM_USE_HOST_PTR, SIZE, own, &s);
    ok(s);
    for (int turn = 0; turn < TURNS; turn++) {
        seed = seed * 1664525 + 1013904223;
        const int x = seed >> 12 & 1, on = (int)(seed >> 16) % 3, what = (int)(seed >> 20) % 6;
        seed = seed * 1664525 + 1013904223;
        const size_t at = (seed >> 4) % SIZE, n = 1 + (seed >> 8) % (SIZE - at);
        u8 *p;
        switch (turn < 2 ? 5 : what) { /* first one that did not make them reads both */
        case 0:
            ok(clEnqueueFillBuffer(q[on], m[x], &turn, 1, at, n, 0, NULL, NULL));
            memset(want[x] + at, turn, n);
            break;
        case 1:
            ok(clEnqueueCopyBuffer(q[on], m[x], m[!x], at, at, n, 0, NULL, NULL));
            memcpy(want[!x] + at, want[x] + at, n);
            break;
        case 2:
            p = clEnqueueMapBuffer(q[on], m[x], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, at, n, 0, NULL, NULL, &s);
            ok(s);
            assert_memory_equal(p, want[x] + at, n);
            p[n - 1] = want[x][at + n - 1] = (u8)~turn;
            ok(clEnqueueUnmapMemObject(q[on], m[x], p, 0, NULL, NULL));
            break;
        case 3:
            ok(clEnqueueWriteBuffer(q[on], m[x], CL_TRUE, at, n, want[!x], 0, NULL, NULL));
            memcpy(want[x] + at, want[!x], n);
            break;
        case 4: ok(clEnqueueMigrateMemObjects(q[on], 2, m, 0, 0, NULL, NULL)); break;
        default:
            ok(clEnqueueReadBuffer(q[turn < 2 ? 1 : on], m[turn < 2 ? turn : x], CL_TRUE, 0, SIZE, got, 0, NULL, NULL));
            assert_memory_equal(got, want[turn < 2 ? turn : x], SIZE);
        }
        ok(clFinish(q[on]));
    }
    for (int i = 0; i < 3; i++) {
        ok(clEnqueueReadBuffer(q[i], m[i & 1], CL_TRUE, 0, SIZE, got, 0, NULL, NULL));
        assert_memory_equal(got, want[i & 1], SIZE);
        ok(clReleaseCommandQueue(q[i]));
    }
    ok(clReleaseMemObject(m[0]));
    ok(clReleaseMemObject(m[1]));
    ok(clReleaseContext(c));
    for (int i = 1; i < 3; i++)
        ok(clReleaseDevice(d[i]));
}

/* Sizes about a MiB, which goes through the host at a time. */
static void moves_any_size(void **state)
{
    static const size_t sizes[] = {1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 2 << 20};
    static u8 want[2 << 20], got[2 << 20];
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id d[2];
    cl_int s;
    (void)state;
    for (size_t i = 0; i < sizeof want; i++)
        want[i] = (u8)(i * 11 + i / 256 + i / 65536);
    ok(clCreateSubDevices(host.device, equally, 2, d, NULL));
    cl_context c = clCreateContext(NULL, 2, d, NULL, NULL, &s);
    ok(s);
    cl_command_queue q = clCreateCommandQueueWithProperties(c, d[1], NULL, &s);
    ok(s);
    for (size_t i = 0; i < countof(sizes); i++) {
        cl_mem m = clCreateBuffer(c, CL_MEM_COPY_HOST_PTR, sizes[i], want, &s); /* on the first device */
        ok(s);
        memset(got, 0, sizeof got);
        ok(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizes[i], got, 0, NULL, NULL));
        assert_memory_equal(got, want, sizes[i]);
        ok(clReleaseMemObject(m));
    }
    ok(clReleaseCommandQueue(q));
    ok(clReleaseContext(c));
    ok(clReleaseDevice(d[0]));
    ok(clReleaseDevice(d[1]));
}

/* --- contexts ---------------------------------------------------------------------------- */

static void answers_context_queries(void **state)
{
    const cl_context_properties list[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)host.platform, 0};
    cl_context_properties got[3];
    cl_int s;
    size_t n;
    cl_context c = clCreateContext(list, 1, &host.device, NULL, NULL, &s);
    (void)state;
    ok(s);
    assert_int_equal(INFO(cl_uint, clGetContextInfo, c, CL_CONTEXT_REFERENCE_COUNT), 1);
    assert_int_equal(INFO(cl_uint, clGetContextInfo, c, CL_CONTEXT_NUM_DEVICES), 1);
    assert_ptr_equal(INFO(cl_device_id, clGetContextInfo, c, CL_CONTEXT_DEVICES), host.device);
    ok(clGetContextInfo(c, CL_CONTEXT_PROPERTIES, sizeof got, got, &n));
    assert_int_equal(n, sizeof list);
    assert_memory_equal(got, list, sizeof list);
    assert_int_equal(clGetContextInfo(c, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    ok(clRetainContext(c));
    ok(clReleaseContext(c));
    ok(clReleaseContext(c));
    c = clCreateContextFromType(NULL, CL_DEVICE_TYPE_GPU, NULL, NULL, &s);
    ok(s);
    ok(clGetContextInfo(c, CL_CONTEXT_PROPERTIES, 0, NULL, &n));
    assert_int_equal(n, 0);
    ok(clReleaseContext(c));
}

/* A device that is named twice is one of the context; there is room for 16 names. */
static void names_devices_once(void **state)
{
    cl_device_id all[17];
    const cl_context_properties wrong[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)host.queue, 0};
    cl_int s;
    (void)state;
    for (size_t i = 0; i < countof(all); i++)
        all[i] = host.device;
    cl_context c = clCreateContext(NULL, 16, all, NULL, NULL, &s);
    ok(s);
    assert_int_equal(INFO(cl_uint, clGetContextInfo, c, CL_CONTEXT_NUM_DEVICES), 1);
    assert_ptr_equal(INFO(cl_device_id, clGetContextInfo, c, CL_CONTEXT_DEVICES), host.device);
    ok(clReleaseContext(c));
    assert_null(clCreateContext(NULL, 17, all, NULL, NULL, &s));
    assert_int_equal(s, CL_OUT_OF_RESOURCES);
    assert_null(clCreateContext(wrong, 1, all, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_PLATFORM);
    assert_null(clCreateContextFromType(wrong, CL_DEVICE_TYPE_GPU, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_PLATFORM);
    assert_null(clCreateContextFromType(NULL, CL_DEVICE_TYPE_GPU, NULL, all, &s)); /* data for nobody */
    assert_int_equal(s, CL_INVALID_VALUE);
}

static void refuses_bad_contexts(void **state)
{
    const cl_context_properties unknown[] = {0x9999, 1, 0}, twice[] = {CL_CONTEXT_PLATFORM,
        (cl_context_properties)host.platform, CL_CONTEXT_PLATFORM, (cl_context_properties)host.platform, 0},
        wrong[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)host.device, 0};
    const cl_device_id none = (cl_device_id)host.platform;
    cl_int s;
    (void)state;
    assert_null(clCreateContext(unknown, 1, &host.device, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_PROPERTY);
    assert_null(clCreateContext(twice, 1, &host.device, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_PROPERTY);
    assert_null(clCreateContext(wrong, 1, &host.device, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_PLATFORM);
    assert_null(clCreateContext(NULL, 0, &host.device, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_null(clCreateContext(NULL, 1, &host.device, NULL, &s, &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_null(clCreateContext(NULL, 1, &none, NULL, NULL, &s));
    assert_int_equal(s, CL_INVALID_DEVICE);
    assert_int_equal(clRetainContext((cl_context)host.device), CL_INVALID_CONTEXT);
    assert_int_equal(clReleaseContext((cl_context)host.device), CL_INVALID_CONTEXT);
    assert_int_equal(clGetContextInfo((cl_context)host.device, CL_CONTEXT_DEVICES, 0, NULL, NULL), CL_INVALID_CONTEXT);
}

static int ended[2], nended;
static void CL_CALLBACK on_end(cl_context c, void *data)
{
    (void)c;
    ended[nended++] = *(int *)data;
}

static void calls_destructors(void **state)
{
    static int one = 1, two = 2;
    cl_int s;
    cl_context c = clCreateContext(NULL, 1, &host.device, NULL, NULL, &s);
    (void)state;
    assert_int_equal(clSetContextDestructorCallback(c, NULL, NULL), CL_INVALID_VALUE);
    ok(clSetContextDestructorCallback(c, on_end, &one));
    ok(clSetContextDestructorCallback(c, on_end, &two));
    cl_mem m = clCreateBuffer(c, 0, 4, NULL, &s);
    ok(clReleaseContext(c));
    assert_int_equal(nended, 0);
    ok(clReleaseMemObject(m));
    assert_int_equal(nended, 2);
    assert_int_equal(ended[0], 2);
}

/* --- what is not there ------------------------------------------------------------------- */

static void has_no_shared_memory(void **state)
{
    u8 a[8], b[8];
    void *list[] = {a};
    (void)state;
    assert_null(clSVMAlloc(host.context, CL_MEM_READ_WRITE, 64, 0));
    clSVMFree(host.context, NULL);
    assert_int_equal(clEnqueueSVMFree(host.queue, 1, list, NULL, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
    assert_int_equal(clEnqueueSVMMemcpy(host.queue, CL_TRUE, a, b, 8, 0, NULL, NULL), CL_INVALID_OPERATION);
    assert_int_equal(clEnqueueSVMMemFill(host.queue, a, b, 1, 8, 0, NULL, NULL), CL_INVALID_OPERATION);
    assert_int_equal(clEnqueueSVMMap(host.queue, CL_TRUE, CL_MAP_READ, a, 8, 0, NULL, NULL), CL_INVALID_OPERATION);
    assert_int_equal(clEnqueueSVMUnmap(host.queue, a, 0, NULL, NULL), CL_INVALID_OPERATION);
    assert_int_equal(clEnqueueSVMMigrateMem(host.queue, 1, (const void **)list, NULL, 0, 0, NULL, NULL), CL_INVALID_OPERATION);
}

static void has_no_other_programs(void **state)
{
    cl_int s;
    (void)state;
    assert_null(clCreateProgramWithBuiltInKernels(host.context, 1, &host.device, "x", &s));
    assert_int_equal(s, CL_INVALID_VALUE);
    assert_null(clCreateFromGLBuffer(host.context, 0, 1, &s));
    assert_int_equal(s, CL_INVALID_OPERATION);
    assert_null(clCreateFromGLTexture(host.context, 0, 0, 0, 1, &s));
    assert_int_equal(s, CL_INVALID_OPERATION);
    assert_null(clCreateFromGLRenderbuffer(host.context, 0, 1, &s));
    assert_int_equal(s, CL_INVALID_OPERATION);
    assert_int_equal(clEnqueueAcquireGLObjects(host.queue, 0, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT);
    assert_int_equal(clEnqueueReleaseGLObjects(host.queue, 0, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_platform_queries), cmocka_unit_test(finds_functions), cmocka_unit_test(has_a_binary_for_each), cmocka_unit_test(answers_device_queries),
        cmocka_unit_test(keeps_minima),             cmocka_unit_test(answers_extension_queries),
        cmocka_unit_test(lists_extensions), cmocka_unit_test(lists_languages),
        cmocka_unit_test(finds_devices),
        cmocka_unit_test(answers_context_queries),  cmocka_unit_test(refuses_bad_contexts),
        cmocka_unit_test(names_devices_once),
        cmocka_unit_test(calls_destructors),        cmocka_unit_test(is_divided), cmocka_unit_test(builds_for_parts),
        cmocka_unit_test(moves_large_buffers), cmocka_unit_test(moves_any_size),
        cmocka_unit_test(has_no_shared_memory),
        cmocka_unit_test(has_no_other_programs),
    };
    set_environment();
    return cmocka_run_group_tests(tests, open_host, close_host);
}
