/* device.c -- devices: what they can do, by the machine description in force. */
#include "cl/cl.h"
#include "comp/spirv.h"
#include <string.h>

/* --- numbers ----------------------------------------------------------------------------- */

#define LAUNCH_SHARE (256u << 20) /* kept for arguments and private memory of launches */
#define LOWER_SPACE  (RANGE_END(LOWER) - RANGE_FROM(LOWER))
#define UPPER_SPACE  ((u32)-HEAP_LO)

u64 device_global_size(const ClDevice *d)
{
    (void)d;
    return (u64)LOWER_SPACE + UPPER_SPACE - LAUNCH_SHARE;
}

u64 device_max_alloc(const ClDevice *d)
{
    (void)d;
    return UPPER_SPACE - LAUNCH_SHARE;
}

/* What stacks leave.  A machine that has the whole window is nobody's hardware: 64 KiB then, so
 * that programs do not make tiles of megabytes. */
u32 device_local_size(const ClDevice *d)
{
    const Machine *m = &d->options.machine;
    const u32 stacks = m->group_warps * ABI_WARP_STACK;
    if (m->lds >= LDS_END - LDS_LO)
        return ABI_LOCAL_OFFERED;
    return m->lds > stacks ? (m->lds - stacks) / ABI_LOCAL_ALIGN * ABI_LOCAL_ALIGN : 0;
}

u32 device_max_items(const ClDevice *d)
{
    const u32 items = d->options.machine.group_warps * d->options.machine.lanes;
    return items < GROUP_ITEMS ? items : GROUP_ITEMS;
}

/* --- SPIR-V ------------------------------------------------------------------------------- */

static const char il_names[] = "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3";
static const cl_name_version ils[] = {
    {CL_MAKE_VERSION(1, 0, 0), "SPIR-V"},
    {CL_MAKE_VERSION(1, 1, 0), "SPIR-V"},
    {CL_MAKE_VERSION(1, 2, 0), "SPIR-V"},
    {CL_MAKE_VERSION(1, SPIRV_COMPLETE, 0), "SPIR-V"},
};

static bool takes_il(void)
{
    u32 version;
    return spirv_validator() && spirv_translator(&version) && platform_has_compiler(NULL);
}

/* --- queries --------------------------------------------------------------------------------- */

enum { IL_EXTENSIONS = 3, NEEDY_EXTENSIONS };

/* The first are reported only where the tools for SPIR-V are installed, the one after them where
 * the host sees the device's memory as it is. */
static const cl_name_version extensions[] = {
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_il_program"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_spirv_linkonce_odr"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_spirv_no_integer_wrap_decoration"},
    {CL_MAKE_VERSION(1, 2, 0), "cl_intel_unified_shared_memory"},
#define EXTENSION(name, major, minor, patch)        {CL_MAKE_VERSION(major, minor, patch), #name},
#define DEVICE_EXTENSION(name, major, minor, patch) {CL_MAKE_VERSION(major, minor, patch), #name},
#include "cl/extension.def"
};

/* Writes the extensions of the device; returns how many there are. */
static size_t list_extensions(const ClDevice *d, cl_name_version list[countof(extensions)])
{
    const bool il = takes_il(),
               usm = usm_capabilities(d, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL) != 0;
    size_t n = 0;
    for (size_t i = 0; i < countof(extensions); i++)
        if (i < IL_EXTENSIONS ? il : i < NEEDY_EXTENSIONS ? usm : true)
            list[n++] = extensions[i];
    return n;
}

static cl_int answer_extensions(const ClDevice *d, const Query *q)
{
    cl_name_version list[countof(extensions)];
    const size_t n = list_extensions(d, list);
    return answer_bytes(q, list, n * sizeof *list);
}

static cl_int answer_extension_names(const ClDevice *d, const Query *q)
{
    cl_name_version list[countof(extensions)];
    char names[sizeof list];
    const size_t n = list_extensions(d, list);
    char *end = names;
    for (size_t i = 0; i < n; i++)
        end = stpcpy(stpcpy(end, i ? " " : ""), list[i].name);
    return answer_text(q, names);
}

static const cl_name_version languages[] = {
    {CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
    {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
    {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"},
    {CL_MAKE_VERSION(3, 0, 0), "OpenCL C"},
};

/* as the front end defines them (ll/front.c) */
static const cl_name_version features[] = {
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_int64"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_fp64"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_generic_address_space"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_program_scope_global_variables"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_order_acq_rel"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_order_seq_cst"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_scope_device"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_scope_all_devices"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_work_group_collective_functions"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_subgroups"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_pipes"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_images"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_read_write_images"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_3d_image_writes"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_integer_dot_product_input_4x8bit"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_integer_dot_product_input_4x8bit_packed"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_ext_fp32_global_atomic_add"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_ext_fp32_local_atomic_add"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_ext_fp32_global_atomic_min_max"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_ext_fp32_local_atomic_min_max"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_ext_fp64_global_atomic_add"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_ext_fp64_local_atomic_add"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_ext_fp64_global_atomic_min_max"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_ext_fp64_local_atomic_min_max"},
};

/* cl_ext_float_atomics, which the system's headers need not have: bits of global memory, and 16
 * higher of local */
#ifndef CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT
#define CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT 0x4231
#define CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT 0x4232
#define CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT   0x4233
#endif
enum {
    FP_LOAD_STORE = 1,
    FP_ADD = 2,
    FP_MIN_MAX = 4,
    FP_ATOMICS = FP_LOAD_STORE | FP_ADD | FP_MIN_MAX
};

enum {
    SINGLE_FP = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA,
    /* directed rounding: of conversions, as the extension asks for it */
    DOUBLE_FP = SINGLE_FP | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF,
    ATOMICS = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
              CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP |
              CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES
};

#define UINT(v)  answer(q, cl_uint, v)
#define BOOL(v)  answer(q, cl_bool, v)
#define SIZE(v)  answer(q, size_t, v)
#define ULONG(v) answer(q, cl_ulong, v)
#define FLAGS(v) answer(q, cl_bitfield, v)

/* cl_khr_command_buffer 0.9.8: what commands can do; properties of queues */
enum {
    COMMAND_BUFFER_CAPABILITIES = 0x12a9,
    COMMAND_BUFFER_SUPPORTED = 0x129a,
    COMMAND_BUFFER_REQUIRED = 0x12aa
};

enum { NOT_HERE = 1 }; /* no cl_int that a query answers: look elsewhere */

/* The same for a device wherever it is asked; devices of a platform differ in the last byte. */
static cl_int answer_uuid(const Query *q, const char *name, u32 number)
{
    cl_uchar uuid[CL_UUID_SIZE_KHR] = {0};
    memcpy(uuid, name, strlen(name) < sizeof uuid - 1 ? strlen(name) : sizeof uuid - 1);
    uuid[sizeof uuid - 1] = (cl_uchar)number;
    return answer_bytes(q, uuid, sizeof uuid);
}

/* How devices are divided: by their SMs.  A device with one SM is not, and has the 0 alone. */
static const cl_device_partition_property ways[] = {0, CL_DEVICE_PARTITION_EQUALLY,
                                                    CL_DEVICE_PARTITION_BY_COUNTS};
static u32 most_parts(const ClDevice *d)
{
    const u32 sms = d->options.machine.sms;
    return sms < MAX_DEVICES ? sms : MAX_DEVICES;
}

static cl_int identity(const ClDevice *d, cl_device_info param, const Query *q)
{
    switch (param) {
    case CL_DEVICE_TYPE: return answer(q, cl_device_type, CL_DEVICE_TYPE_GPU);
    case CL_DEVICE_VENDOR_ID: return UINT(0x56454e54); /* "VENT" */
    case CL_DEVICE_NAME: return answer_text(q, d->name);
    case CL_DEVICE_VENDOR: return answer_text(q, "Ventus");
    case CL_DRIVER_VERSION: return answer_text(q, VERSION);
    case CL_DEVICE_PROFILE: return answer_text(q, "FULL_PROFILE");
    case CL_DEVICE_VERSION: return answer_text(q, "OpenCL 3.0 Ventus " VERSION);
    case CL_DEVICE_NUMERIC_VERSION: return answer(q, cl_version, CL_MAKE_VERSION(3, 0, 0));
    case CL_DEVICE_OPENCL_C_VERSION: return answer_text(q, "OpenCL C 1.2 Ventus " VERSION);
    case CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR:
        return answer(q, cl_version, CL_MAKE_VERSION(1, 2, 0));
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS: return answer_bytes(q, languages, sizeof languages);
    case CL_DEVICE_OPENCL_C_FEATURES: return answer_bytes(q, features, sizeof features);
    case CL_DEVICE_EXTENSIONS: return answer_extension_names(d, q);
    case CL_DEVICE_EXTENSIONS_WITH_VERSION: return answer_extensions(d, q);
    case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: /* none, in the form that hosts parse */
        return answer_text(q, "v0000-01-01-00");
    case CL_DEVICE_PLATFORM: return answer(q, cl_platform_id, d->platform);
    case CL_DEVICE_TERMINATE_CAPABILITY_KHR: return FLAGS(1 /* contexts */);
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_ENDIAN_LITTLE: return BOOL(CL_TRUE);
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE: return BOOL(platform_has_compiler(NULL));
    case CL_DEVICE_BUILT_IN_KERNELS: return answer_text(q, "");
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION: return answer_bytes(q, NULL, 0);
    case CL_DEVICE_IL_VERSION: return answer_text(q, takes_il() ? il_names : "");
    case CL_DEVICE_ILS_WITH_VERSION: return answer_bytes(q, ils, takes_il() ? sizeof ils : 0);
    case CL_DEVICE_UUID_KHR: return answer_uuid(q, "Ventus device", d->index);
    case CL_DRIVER_UUID_KHR: return answer_uuid(q, "Ventus " VERSION, 0);
    case CL_DEVICE_LUID_VALID_KHR: return BOOL(CL_FALSE);
    case CL_DEVICE_LUID_KHR: {
        const cl_uchar none[CL_LUID_SIZE_KHR] = {0};
        return answer_bytes(q, none, sizeof none);
    }
    case CL_DEVICE_NODE_MASK_KHR: return UINT(0);
    case CL_DEVICE_PARENT_DEVICE: return answer(q, cl_device_id, d->parent);
    case CL_DEVICE_REFERENCE_COUNT: return UINT(d->parent ? d->head.refs : 1);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES: return UINT(most_parts(d));
    case CL_DEVICE_PARTITION_PROPERTIES:
        return answer_bytes(q, ways + (most_parts(d) > 1),
                            sizeof *ways * (most_parts(d) > 1 ? 2 : 1));
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN: return FLAGS(0);
    case CL_DEVICE_PARTITION_TYPE:
        return answer_bytes(q, d->partition, d->npartition * sizeof *d->partition);
    }
    return NOT_HERE;
}

static cl_int execution(const ClDevice *d, cl_device_info param, const Query *q)
{
    const Machine *m = &d->options.machine;
    const size_t items = device_max_items(d);
    switch (param) {
    case CL_DEVICE_MAX_COMPUTE_UNITS: return UINT(m->sms);
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS: return UINT(3);
    case CL_DEVICE_MAX_NUM_SUB_GROUPS: return UINT((cl_uint)((items + m->lanes - 1) / m->lanes));
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: return SIZE(items);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
        const size_t sizes[3] = {items, items, items};
        return answer_bytes(q, sizes, sizeof sizes);
    }
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: return SIZE(m->lanes);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF: return UINT(1);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY: return UINT(0);
    case CL_DEVICE_ADDRESS_BITS: return UINT(32);
    case CL_DEVICE_SINGLE_FP_CONFIG: return FLAGS(SINGLE_FP);
    case CL_DEVICE_DOUBLE_FP_CONFIG: return FLAGS(DOUBLE_FP);
    case CL_DEVICE_HALF_FP_CONFIG: return FLAGS(SINGLE_FP);
    case CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT:
    case CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT: return FLAGS(FP_ATOMICS | FP_ATOMICS << 16);
    case CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT: return FLAGS(0);
    case CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR:
        return FLAGS(CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR |
                     CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR);
    case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR:
    case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR: {
        const cl_device_integer_dot_product_acceleration_properties_khr none = {0};
        return answer_bytes(q, &none, sizeof none);
    }
    case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES: return FLAGS(ATOMICS);
    case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES:
        return FLAGS(ATOMICS | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM);
    case CL_DEVICE_EXECUTION_CAPABILITIES: return FLAGS(CL_EXEC_KERNEL);
    case CL_DEVICE_MAX_PARAMETER_SIZE: return SIZE(MAX_PARAMETERS);
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION: return SIZE(1);
    case CL_DEVICE_PRINTF_BUFFER_SIZE: return SIZE(PRINT_BYTES);
    case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
    case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT:
    case CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS: /* warps of a group take turns */
    case CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT:
    case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC: return BOOL(CL_TRUE);
    case COMMAND_BUFFER_CAPABILITIES: return FLAGS(1 /* printf */);
    case COMMAND_BUFFER_REQUIRED: return FLAGS(0);
    case COMMAND_BUFFER_SUPPORTED:
    case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
        return FLAGS(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    }
    return NOT_HERE;
}

static cl_int memory(const ClDevice *d, cl_device_info param, const Query *q)
{
    switch (param) {
    case CL_DEVICE_GLOBAL_MEM_SIZE: return ULONG(device_global_size(d));
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return ULONG(device_max_alloc(d));
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE: return UINT(CL_NONE);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: return ULONG(0);
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE: return UINT(0);
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: return ULONG(64 << 10);
    case CL_DEVICE_MAX_CONSTANT_ARGS: return UINT(16);
    case CL_DEVICE_LOCAL_MEM_TYPE: return answer(q, cl_device_local_mem_type, CL_LOCAL);
    case CL_DEVICE_LOCAL_MEM_SIZE: return ULONG(device_local_size(d));
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN: return UINT(BUFFER_ALIGN * 8);
    case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE: return UINT(MIN_ALIGN);
    case CL_DEVICE_ERROR_CORRECTION_SUPPORT: return BOOL(CL_FALSE);
    case CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL: return FLAGS(usm_capabilities(d, param));
    case CL_DEVICE_HOST_UNIFIED_MEMORY: return BOOL(!d->options.mmu);
    case CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE: return SIZE(64 << 10);
    case CL_DEVICE_PIPE_SUPPORT: return BOOL(CL_TRUE);
    case CL_DEVICE_MAX_PIPE_ARGS: return UINT(PIPES_MOST);
    case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS: return UINT(RESERVATIONS_MOST);
    case CL_DEVICE_PIPE_MAX_PACKET_SIZE: return UINT(PIPE_PACKET_MOST);
    case CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE: return SIZE(1 << 20);
    }
    return NOT_HERE;
}

static cl_int images(cl_device_info param, const Query *q)
{
    switch (param) {
    case CL_DEVICE_IMAGE_SUPPORT: return BOOL(CL_TRUE);
    case CL_DEVICE_MAX_READ_IMAGE_ARGS: return UINT(READ_IMAGES_MOST);
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
    case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS: return UINT(WRITE_IMAGES_MOST);
    case CL_DEVICE_IMAGE_PITCH_ALIGNMENT:
    case CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT: return UINT(1); /* pixel */
    case CL_DEVICE_MAX_SAMPLERS: return UINT(SAMPLERS_MOST);
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT: return SIZE(IMAGE2D_MOST);
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_DEPTH: return SIZE(IMAGE3D_MOST);
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE: return SIZE(IMAGE_BUFFER_MOST);
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE: return SIZE(IMAGE_ARRAY_MOST);
    }
    return NOT_HERE;
}

/* What the device has not got. */
static cl_int absent(cl_device_info param, const Query *q)
{
    switch (param) {
    case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
    case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
    case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
    case CL_DEVICE_MAX_ON_DEVICE_EVENTS:
    case CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT: return UINT(0);
    case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
    case CL_DEVICE_SVM_CAPABILITIES:
    case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: return FLAGS(0);
    }
    return CL_INVALID_VALUE;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info param_name, size_t param_value_size,
                       void *param_value, size_t *param_value_size_ret)
{
    const Query q = {param_value_size, param_value, param_value_size_ret, NULL};
    if (!is_object(device, KIND_DEVICE))
        return told(CL_INVALID_DEVICE);
    cl_int s = identity(device, param_name, &q);
    if (s == NOT_HERE)
        s = execution(device, param_name, &q);
    if (s == NOT_HERE)
        s = memory(device, param_name, &q);
    if (s == NOT_HERE)
        s = images(param_name, &q);
    return told(s == NOT_HERE ? absent(param_name, &q) : s);
}

/* --- entry points --------------------------------------------------------------------- */

static bool is_device_type(cl_device_type type)
{
    const cl_device_type all = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                               CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    return type == CL_DEVICE_TYPE_ALL || (type && !(type & ~all));
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type, cl_uint num_entries,
                      cl_device_id *devices, cl_uint *num_devices)
{
    ClPlatform *p = platform ? platform : platform_get();
    if (!is_object(p, KIND_PLATFORM))
        return told(CL_INVALID_PLATFORM);
    if (!is_device_type(device_type))
        return told(CL_INVALID_DEVICE_TYPE);
    if ((devices && !num_entries) || (!devices && !num_devices))
        return told(CL_INVALID_VALUE);
    const cl_uint n = device_type & CL_DEVICE_TYPE_GPU       ? p->ndevices
                      : device_type & CL_DEVICE_TYPE_DEFAULT ? p->ndevices > 0
                                                             : 0;
    if (num_devices)
        *num_devices = n;
    for (cl_uint i = 0; devices && i < n && i < num_entries; i++)
        devices[i] = &p->devices[i];
    return told(n ? CL_SUCCESS : CL_DEVICE_NOT_FOUND);
}

/* Devices of the platform are not counted. */
cl_int clRetainDevice(cl_device_id device)
{
    if (!is_object(device, KIND_DEVICE))
        return told(CL_INVALID_DEVICE);
    if (device->parent)
        object_retain(&device->head);
    return CL_SUCCESS;
}

cl_int clReleaseDevice(cl_device_id device)
{
    if (!is_object(device, KIND_DEVICE))
        return told(CL_INVALID_DEVICE);
    if (device->parent)
        object_release(&device->head);
    return CL_SUCCESS;
}

/* --- sub-devices ---------------------------------------------------------------------- */

void device_free(ClDevice *d)
{
    drop(d->parent);
    pthread_mutex_destroy(&d->trace_lock);
    mem_free(d);
}

/* A device with some of the parent's SMs; n properties, with the 0.  NULL: out of memory. */
static ClDevice *part_new(ClDevice *parent, u32 sms, const cl_device_partition_property *list,
                          u32 n)
{
    ClDevice *d = mem_zalloc(1, sizeof *d);
    if (!d)
        return NULL;
    object_init(&d->head, KIND_DEVICE);
    pthread_mutex_init(&d->trace_lock, NULL);
    use(parent);
    d->parent = parent;
    d->platform = parent->platform;
    d->index = parent->index;
    d->options = parent->options;
    d->options.machine.sms = sms;
    memcpy(d->name, parent->name, sizeof d->name);
    memcpy(d->partition, list, n * sizeof *list);
    d->npartition = n;
    return d;
}

/* The SMs of each part; *n parts, *words properties with the 0. */
static cl_int divide(const ClDevice *d, const cl_device_partition_property *list,
                     u32 sms[MAX_DEVICES], u32 *n, u32 *words)
{
    const u32 all = d->options.machine.sms, most = most_parts(d);
    *n = 0;
    if (!list || most < 2)
        return list ? CL_DEVICE_PARTITION_FAILED : CL_INVALID_VALUE;
    if (list[0] == CL_DEVICE_PARTITION_EQUALLY) {
        if (list[1] <= 0 || list[2])
            return CL_INVALID_VALUE;
        if (list[1] >= (cl_device_partition_property)all) /* one part, or none */
            return list[1] == (cl_device_partition_property)all ? CL_DEVICE_PARTITION_FAILED
                                                                : CL_INVALID_DEVICE_PARTITION_COUNT;
        for (; *n < most && *n < all / (u32)list[1]; ++*n)
            sms[*n] = (u32)list[1];
        *words = 3;
        return CL_SUCCESS;
    }
    if (list[0] != CL_DEVICE_PARTITION_BY_COUNTS)
        return CL_INVALID_VALUE;
    u64 sum = 0;
    for (u32 k = 1; list[k] != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; k++) {
        sum += list[k] < 0 ? all + 1 : (u64)list[k];
        if (*n == most || sum > all)
            return CL_INVALID_DEVICE_PARTITION_COUNT;
        sms[(*n)++] = (u32)list[k];
    }
    if (list[*n + 1 + 1])
        return CL_INVALID_VALUE;
    *words = *n + 3;
    return *n ? CL_SUCCESS : CL_INVALID_DEVICE_PARTITION_COUNT;
}

cl_int clCreateSubDevices(cl_device_id in_device, const cl_device_partition_property *properties,
                          cl_uint num_devices, cl_device_id *out_devices, cl_uint *num_devices_ret)
{
    u32 sms[MAX_DEVICES], n, words = 0;
    if (!is_object(in_device, KIND_DEVICE))
        return told(CL_INVALID_DEVICE);
    const cl_int s = divide(in_device, properties, sms, &n, &words);
    if (s)
        return told(s);
    if (out_devices && num_devices < n)
        return told(CL_INVALID_VALUE);
    for (u32 i = 0; out_devices && i < n; i++) {
        out_devices[i] = part_new(in_device, sms[i], properties, words);
        if (out_devices[i])
            continue;
        while (i)
            object_release(&out_devices[--i]->head);
        return told(CL_OUT_OF_HOST_MEMORY);
    }
    if (num_devices_ret)
        *num_devices_ret = n;
    return CL_SUCCESS;
}

cl_int clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_timestamp,
                               cl_ulong *host_timestamp)
{
    if (!is_object(device, KIND_DEVICE))
        return told(CL_INVALID_DEVICE);
    if (!device_timestamp || !host_timestamp)
        return told(CL_INVALID_VALUE);
    *device_timestamp = *host_timestamp = host_time();
    return CL_SUCCESS;
}

cl_int clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp)
{
    if (!is_object(device, KIND_DEVICE))
        return told(CL_INVALID_DEVICE);
    if (!host_timestamp)
        return told(CL_INVALID_VALUE);
    *host_timestamp = host_time();
    return CL_SUCCESS;
}

cl_int clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue command_queue)
{
    (void)command_queue;
    const cl_int s = check_context(context);
    if (s)
        return told(s);
    return told(context_device_index(context, device) < 0 ? CL_INVALID_DEVICE
                                                          : CL_INVALID_OPERATION);
}
