/* kernelobject.c -- kernels: arguments, and what is known of them.
 *
 * The compiler leaves a table of arguments in the image.  Images made from assembly or by other
 * tools have none; then clSetKernelArg decides what an argument is: a buffer if the value is a
 * handle of one of the context's buffers.
 */
#include "cl/cl.h"
#include <string.h>

enum { MAX_UNKNOWN = 256 }; /* arguments of a kernel without a table */

const KernelInfo *kernel_info(const ClKernel *k, const ClDevice *d)
{
    const ClContext *c = k->program->context;
    for (u32 i = 0; i < c->ndevices; i++)
        if (d ? c->devices[i] == d : k->program->builds[i].program != NULL)
            return k->facts[i].info;
    return NULL;
}

/* False: out of memory. */
static bool gather_facts(ClKernel *k)
{
    const ClProgram *p = k->program;
    if (!k->name || !(k->facts = mem_zalloc(p->context->ndevices, sizeof *k->facts)))
        return false;
    for (u32 i = 0; i < p->context->ndevices; i++) {
        Diag quiet = {.sink = NULL};
        struct KernelFacts *f = &k->facts[i];
        const Build *b = &p->builds[i];
        f->record.form = RES_NONE;
        if (!b->program)
            continue;
        f->info = kernelinfo_find(&b->table, k->name);
        if (!resource_read(b->image, k->name, &f->record, &quiet))
            f->record = (Resource){.form = RES_NONE};
    }
    return true;
}

/* --- life -------------------------------------------------------------------------------- */

/* Counts the kernels of a program; while it has some it cannot be built again, so its builds stay.
 */
static void count_kernels(ClProgram *p, int more)
{
    pthread_mutex_lock(&p->lock);
    p->nkernels += (u32)more;
    pthread_mutex_unlock(&p->lock);
}

/* A new kernel, which the program has counted already. */
static ClKernel *kernel_new(ClProgram *p, const char *name)
{
    ClKernel *k = mem_zalloc(1, sizeof *k);
    if (!k) {
        count_kernels(p, -1);
        return NULL;
    }
    object_init(&k->head, KIND_KERNEL);
    pthread_mutex_init(&k->lock, NULL);
    use(p);
    k->program = p;
    k->name = mem_strdup(name);
    if (gather_facts(k)) {
        const KernelInfo *info = kernel_info(k, NULL);
        k->has_table = info;
        k->nargs = info ? info->nargs : 0;
        k->args = mem_zalloc(info ? info->nargs + 1 : MAX_UNKNOWN, sizeof *k->args);
        if (k->args)
            return k;
    }
    drop(k);
    return NULL;
}

void kernel_free(ClKernel *k)
{
    for (size_t i = 0; k->args && i < k->nargs; i++)
        mem_free(k->args[i].value);
    count_kernels(k->program, -1);
    drop(k->program);
    pthread_mutex_destroy(&k->lock);
    mem_free(k->args);
    mem_free(k->facts);
    mem_free(k->name);
    mem_free(k);
}

static cl_int find_kernel(const Build *b, const char *name)
{
    const size_t n = drv_kernels(b->image, NULL, 0);
    const char **names = mem_zalloc(n + 1, sizeof *names);
    bool found = false;
    if (!names)
        return CL_OUT_OF_HOST_MEMORY;
    drv_kernels(b->image, names, n);
    for (size_t i = 0; i < n && !found; i++)
        found = !strcmp(names[i], name);
    mem_free(names);
    return found ? CL_SUCCESS : CL_INVALID_KERNEL_NAME;
}

static cl_int create(cl_program p, const char *name, ClKernel **made)
{
    if (!is_object(p, KIND_PROGRAM))
        return CL_INVALID_PROGRAM;
    cl_int s = check_context(p->context);
    if (s)
        return s;
    pthread_mutex_lock(&p->lock);
    const Build *b = p->building ? NULL : program_executable(p, NULL);
    s = !b ? CL_INVALID_PROGRAM_EXECUTABLE : !name ? CL_INVALID_VALUE : find_kernel(b, name);
    p->nkernels += !s;
    pthread_mutex_unlock(&p->lock);
    if (s)
        return s;
    *made = kernel_new(p, name);
    return *made ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_kernel clCreateKernel(cl_program program, const char *kernel_name, cl_int *errcode_ret)
{
    ClKernel *k = NULL;
    const cl_int s = create(program, kernel_name, &k);
    tell(errcode_ret, s);
    return k;
}

static cl_int create_all(ClProgram *p, const Build *b, cl_uint n, cl_kernel *kernels)
{
    const char **names = mem_zalloc(n + 1, sizeof *names);
    cl_uint made = 0;
    if (names)
        drv_kernels(b->image, names, n);
    while (names && made < n && (kernels[made] = kernel_new(p, names[made])))
        made++;
    mem_free(names);
    if (made == n)
        return CL_SUCCESS;
    count_kernels(p, -(int)(names ? n - made - 1 : n));
    while (made)
        drop(kernels[--made]);
    return CL_OUT_OF_HOST_MEMORY;
}

cl_int clCreateKernelsInProgram(cl_program program, cl_uint num_kernels, cl_kernel *kernels,
                                cl_uint *num_kernels_ret)
{
    if (!is_object(program, KIND_PROGRAM))
        return told(CL_INVALID_PROGRAM);
    cl_int s = check_context(program->context);
    if (s)
        return told(s);
    pthread_mutex_lock(&program->lock);
    const Build *b = program->building ? NULL : program_executable(program, NULL);
    const cl_uint n = b ? (cl_uint)drv_kernels(b->image, NULL, 0) : 0;
    const bool fits = kernels && num_kernels >= n;
    program->nkernels += fits ? n : 0;
    pthread_mutex_unlock(&program->lock);
    if (!b)
        return told(CL_INVALID_PROGRAM_EXECUTABLE);
    if (kernels && !fits)
        return told(CL_INVALID_VALUE);
    s = kernels ? create_all(program, b, n, kernels) : CL_SUCCESS;
    if (!s && num_kernels_ret)
        *num_kernels_ret = n;
    return told(s);
}

static bool copy_arguments(ClKernel *to, const ClKernel *from)
{
    to->nargs = from->nargs;
    for (size_t i = 0; i < from->nargs; i++) {
        to->args[i] = from->args[i];
        to->args[i].value = NULL;
        if (!from->args[i].value)
            continue;
        to->args[i].value = mem_alloc(from->args[i].size);
        if (!to->args[i].value)
            return false;
        memcpy(to->args[i].value, from->args[i].value, from->args[i].size);
    }
    return true;
}

cl_kernel clCloneKernel(cl_kernel source_kernel, cl_int *errcode_ret)
{
    ClKernel *k = NULL;
    cl_int s = CL_INVALID_KERNEL;
    if (is_object(source_kernel, KIND_KERNEL))
        s = check_context(source_kernel->program->context);
    if (!s) {
        count_kernels(source_kernel->program, 1);
        k = kernel_new(source_kernel->program, source_kernel->name);
        pthread_mutex_lock(&source_kernel->lock);
        s = k && copy_arguments(k, source_kernel) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
        pthread_mutex_unlock(&source_kernel->lock);
    }
    if (s && k) {
        drop(k);
        k = NULL;
    }
    tell(errcode_ret, s);
    return k;
}

cl_int clRetainKernel(cl_kernel kernel)
{
    if (!is_object(kernel, KIND_KERNEL))
        return told(CL_INVALID_KERNEL);
    object_retain(&kernel->head);
    return CL_SUCCESS;
}

cl_int clReleaseKernel(cl_kernel kernel)
{
    if (!is_object(kernel, KIND_KERNEL))
        return told(CL_INVALID_KERNEL);
    object_release(&kernel->head);
    return CL_SUCCESS;
}

/* --- arguments -------------------------------------------------------------------------------- */

/* *m: the memory object whose handle the value is, NULL for a null handle; false: the value is
 * neither. */
static bool get_mem(ClContext *c, const void *value, ClMem **m)
{
    ClMem *handle = NULL;
    if (value)
        memcpy(&handle, value, sizeof handle);
    *m = handle && context_has_mem(c, handle) ? handle : NULL;
    return !handle || *m;
}

static cl_int known_argument(ClContext *c, const KernelArg *info, size_t size, const void *value,
                             Argument *a)
{
    switch (info->kind) {
    case ARG_LOCAL:
        if (value)
            return CL_INVALID_ARG_VALUE;
        if (!size)
            return CL_INVALID_ARG_SIZE;
        a->is_local = true;
        return size > UINT32_MAX ? CL_INVALID_ARG_SIZE : CL_SUCCESS;
    case ARG_GLOBAL:
    case ARG_CONSTANT:
        if (!get_mem(c, value, &a->mem) || (a->mem && !mem_is_buffer(a->mem)))
            return CL_INVALID_MEM_OBJECT;
        a->is_mem = true;
        return size == sizeof(cl_mem) ? CL_SUCCESS : CL_INVALID_ARG_SIZE;
    case ARG_IMAGE:
        if (!get_mem(c, value, &a->mem) || !a->mem || !a->mem->image)
            return CL_INVALID_MEM_OBJECT;
        if ((info->access & IMAGE_READ_ONLY && a->mem->flags & CL_MEM_WRITE_ONLY) ||
            (info->access & IMAGE_WRITE_ONLY && a->mem->flags & CL_MEM_READ_ONLY))
            return CL_INVALID_ARG_VALUE;
        a->is_mem = true;
        return size == sizeof(cl_mem) ? CL_SUCCESS : CL_INVALID_ARG_SIZE;
    case ARG_PIPE:
        if (!get_mem(c, value, &a->mem) || !a->mem || !a->mem->packets)
            return CL_INVALID_MEM_OBJECT;
        a->is_mem = true;
        return size == sizeof(cl_mem) ? CL_SUCCESS : CL_INVALID_ARG_SIZE;
    case ARG_SAMPLER: {
        ClSampler *handle = NULL;
        if (size != sizeof handle)
            return CL_INVALID_ARG_SIZE;
        if (value)
            memcpy(&handle, value, sizeof handle);
        if (!is_object(handle, KIND_SAMPLER))
            return CL_INVALID_SAMPLER;
        a->size = sizeof handle->word;
        return (a->value = mem_alloc(a->size)) ? memcpy(a->value, &handle->word, a->size),
               CL_SUCCESS                      : CL_OUT_OF_HOST_MEMORY;
    }
    case ARG_VALUE: break;
    }
    if (!value)
        return CL_INVALID_ARG_VALUE;
    return size == info->size ? CL_SUCCESS : CL_INVALID_ARG_SIZE;
}

static cl_int unknown_argument(ClContext *c, size_t size, const void *value, Argument *a)
{
    if (!size || size > UINT16_MAX)
        return CL_INVALID_ARG_SIZE;
    a->is_local = !value;
    a->is_mem = value && size == sizeof(cl_mem) && get_mem(c, value, &a->mem) && a->mem;
    return CL_SUCCESS;
}

static void put_argument(ClKernel *k, cl_uint index, const Argument *a)
{
    mem_free(k->args[index].value);
    k->args[index] = *a;
    if (index >= k->nargs)
        k->nargs = index + 1;
}

static cl_int set_argument(ClKernel *k, cl_uint index, size_t size, const void *value)
{
    const KernelInfo *info = k->has_table ? kernel_info(k, NULL) : NULL;
    ClContext *c = k->program->context;
    Argument a = {.is_set = true, .size = size};
    if (index >= (info ? info->nargs : MAX_UNKNOWN))
        return CL_INVALID_ARG_INDEX;
    const cl_int s = info ? known_argument(c, &info->args[index], size, value, &a)
                          : unknown_argument(c, size, value, &a);
    if (s)
        return s;
    if (!a.is_local && !a.is_mem && !a.value) {
        if (!(a.value = mem_alloc(size)))
            return CL_OUT_OF_HOST_MEMORY;
        memcpy(a.value, value, size);
    }
    put_argument(k, index, &a);
    return CL_SUCCESS;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void *arg_value)
{
    if (!is_object(kernel, KIND_KERNEL))
        return told(CL_INVALID_KERNEL);
    pthread_mutex_lock(&kernel->lock);
    const cl_int s = set_argument(kernel, arg_index, arg_size, arg_value);
    pthread_mutex_unlock(&kernel->lock);
    return told(s);
}

/* Of cl_intel_unified_shared_memory: the low 32 bits of the pointer are the address (usm.c).  Any
 * pointer can be set; where no allocation is, the kernel faults. */
cl_int clSetKernelArgMemPointerINTEL(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
    const u32 address = (u32)(uintptr_t)arg_value;
    if (!is_object(kernel, KIND_KERNEL))
        return told(CL_INVALID_KERNEL);
    const KernelInfo *info = kernel->has_table ? kernel_info(kernel, NULL) : NULL;
    if (arg_index >= (info ? info->nargs : MAX_UNKNOWN))
        return told(CL_INVALID_ARG_INDEX);
    if (info && info->args[arg_index].kind != ARG_GLOBAL &&
        info->args[arg_index].kind != ARG_CONSTANT)
        return told(CL_INVALID_ARG_VALUE);
    Argument a = {.is_set = true, .size = sizeof address, .value = mem_alloc(sizeof address)};
    if (!a.value)
        return told(CL_OUT_OF_HOST_MEMORY);
    memcpy(a.value, &address, sizeof address);
    pthread_mutex_lock(&kernel->lock);
    put_argument(kernel, arg_index, &a);
    pthread_mutex_unlock(&kernel->lock);
    return CL_SUCCESS;
}

/* --- queries -------------------------------------------------------------------------- */

static cl_uint count_arguments(ClKernel *k)
{
    pthread_mutex_lock(&k->lock);
    const cl_uint n = (cl_uint)k->nargs;
    pthread_mutex_unlock(&k->lock);
    return n;
}

cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size,
                       void *param_value, size_t *param_value_size_ret)
{
    const Query q = {param_value_size, param_value, param_value_size_ret, __func__};
    if (!is_object(kernel, KIND_KERNEL))
        return told(CL_INVALID_KERNEL);
    const KernelInfo *info = kernel_info(kernel, NULL);
    switch (param_name) {
    case CL_KERNEL_FUNCTION_NAME: return answer_text(&q, kernel->name);
    case CL_KERNEL_NUM_ARGS: return answer(&q, cl_uint, count_arguments(kernel));
    case CL_KERNEL_REFERENCE_COUNT: return answer(&q, cl_uint, kernel->head.refs);
    case CL_KERNEL_CONTEXT: return answer(&q, cl_context, kernel->program->context);
    case CL_KERNEL_PROGRAM: return answer(&q, cl_program, kernel->program);
    case CL_KERNEL_ATTRIBUTES: return answer_text(&q, info ? info->attributes : "");
    }
    return told(CL_INVALID_VALUE);
}

static cl_kernel_arg_address_qualifier address_space(const KernelArg *a)
{
    switch (a->kind) {
    case ARG_IMAGE:
    case ARG_PIPE:
    case ARG_GLOBAL: return CL_KERNEL_ARG_ADDRESS_GLOBAL;
    case ARG_CONSTANT: return CL_KERNEL_ARG_ADDRESS_CONSTANT;
    case ARG_LOCAL: return CL_KERNEL_ARG_ADDRESS_LOCAL;
    case ARG_SAMPLER:
    case ARG_VALUE: break;
    }
    return CL_KERNEL_ARG_ADDRESS_PRIVATE;
}

static cl_kernel_arg_access_qualifier access_of(const KernelArg *a)
{
    switch (a->access) {
    case IMAGE_ACCESS_NONE: break;
    case IMAGE_READ_ONLY: return CL_KERNEL_ARG_ACCESS_READ_ONLY;
    case IMAGE_WRITE_ONLY: return CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
    case IMAGE_READ_WRITE: return CL_KERNEL_ARG_ACCESS_READ_WRITE;
    }
    return CL_KERNEL_ARG_ACCESS_NONE;
}

/* The qualifiers of an argument; of a pointer, those of what it points to. */
static cl_kernel_arg_type_qualifier qualifiers(const KernelArg *a)
{
    return (a->is_const ? CL_KERNEL_ARG_TYPE_CONST : 0u) |
           (a->is_restrict ? CL_KERNEL_ARG_TYPE_RESTRICT : 0u) |
           (a->is_volatile ? CL_KERNEL_ARG_TYPE_VOLATILE : 0u) |
           (a->kind == ARG_PIPE ? CL_KERNEL_ARG_TYPE_PIPE : 0u);
}

/* Whether the program's owner asked to be told of arguments.  A program that was not made of source
 * here (a binary, SPIR-V, linked parts) tells what it holds. */
static bool keeps_argument_info(const ClProgram *p)
{
    for (u32 i = 0; p->source && i < p->context->ndevices; i++)
        if (p->builds[i].program)
            return options_have(p->builds[i].options, "-cl-kernel-arg-info", NULL);
    return true;
}

cl_int clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_indx, cl_kernel_arg_info param_name,
                          size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    const Query q = {param_value_size, param_value, param_value_size_ret, __func__};
    if (!is_object(kernel, KIND_KERNEL))
        return told(CL_INVALID_KERNEL);
    const KernelInfo *info = kernel_info(kernel, NULL);
    if (!info || !keeps_argument_info(kernel->program))
        return told(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    if (arg_indx >= info->nargs)
        return told(CL_INVALID_ARG_INDEX);
    const KernelArg *a = &info->args[arg_indx];
    switch (param_name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return answer(&q, cl_kernel_arg_address_qualifier, address_space(a));
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return answer(&q, cl_kernel_arg_access_qualifier, access_of(a));
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return answer(&q, cl_kernel_arg_type_qualifier, qualifiers(a));
    case CL_KERNEL_ARG_TYPE_NAME:
        return *a->type ? answer_text(&q, a->type) : told(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    case CL_KERNEL_ARG_NAME:
        return *a->name ? answer_text(&q, a->name) : told(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    }
    return told(CL_INVALID_VALUE);
}

/* --- what a group of it needs --------------------------------------------------------- */

static Resource record_of(const ClKernel *k, const ClDevice *d)
{
    const int i = context_device_index(k->program->context, d);
    return i < 0 ? (Resource){.form = RES_NONE} : k->facts[i].record;
}

static bool is_known(u64 bytes) { return bytes != UINT64_MAX; }

/* bytes of __local data: the kernel's own and what its arguments ask for */
static u64 local_bytes(const ClKernel *k, const Resource *r)
{
    u64 n = r->form == RES_NONE ? 0 : r->lds_static;
    for (size_t i = 0; i < k->nargs; i++)
        if (k->args[i].is_set && k->args[i].is_local)
            n = align_up(n, ABI_LOCAL_ALIGN) + k->args[i].size;
    return n;
}

u64 kernel_local_bytes(const ClKernel *k, const ClDevice *d)
{
    const Resource r = record_of(k, d);
    return local_bytes(k, &r);
}

u32 kernel_max_items(const ClKernel *k, const ClDevice *d)
{
    const Machine *m = &d->options.machine;
    const Resource r = record_of(k, d);
    const u32 most = device_max_items(d);
    const Build *b = program_executable(k->program, d);
    const WarpNeeds warp = drv_warp_needs(&r, b ? b->generation : GEN_B);
    const u64 stack = warp.stack < UINT32_MAX ? align_up(warp.stack, ABI_LOCAL_ALIGN) : UINT32_MAX;
    GroupNeeds needs = {.sgprs = warp.sgprs, .vgprs = warp.vgprs};
    for (u32 warps = m->group_warps; warps; warps--) {
        const u64 lds = align_up(local_bytes(k, &r), 16) + warps * stack;
        needs.warps = warps;
        needs.lds = lds > UINT32_MAX ? UINT32_MAX : (u32)lds;
        if (machine_occupancy(m, &needs).groups)
            return warps * m->lanes < most ? warps * m->lanes : most;
    }
    return 0;
}

static cl_ulong private_bytes(const Resource *r)
{
    if (r->form == RES_NONE)
        return 0;
    return r->pds_static + (r->form == RES_LONG && is_known(r->pds_stack) ? r->pds_stack : 0);
}

/* The device of a query; it may be left out if the program has only one. */
static cl_int find_device(const ClKernel *k, cl_device_id given, const ClDevice **d)
{
    const ClProgram *p = k->program;
    u32 n = 0;
    *d = NULL;
    for (u32 i = 0; i < p->context->ndevices; i++)
        if (p->builds[i].program && (!given || p->context->devices[i] == given)) {
            *d = p->context->devices[i];
            n++;
        }
    return n == 1 ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                cl_kernel_work_group_info param_name, size_t param_value_size,
                                void *param_value, size_t *param_value_size_ret)
{
    const Query q = {param_value_size, param_value, param_value_size_ret, __func__};
    const ClDevice *d;
    if (!is_object(kernel, KIND_KERNEL))
        return told(CL_INVALID_KERNEL);
    const cl_int s = find_device(kernel, device, &d);
    if (s)
        return told(s);
    const Resource r = record_of(kernel, d);
    const KernelInfo *info = kernel_info(kernel, d);
    size_t compiled[3] = {0};
    pthread_mutex_lock(&kernel->lock);
    const cl_ulong local = local_bytes(kernel, &r);
    const size_t most = kernel_max_items(kernel, d);
    pthread_mutex_unlock(&kernel->lock);
    for (int i = 0; info && i < 3; i++)
        compiled[i] = info->reqd_local[i];
    switch (param_name) {
    case CL_KERNEL_WORK_GROUP_SIZE: return answer(&q, size_t, most);
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: return answer_bytes(&q, compiled, sizeof compiled);
    case CL_KERNEL_LOCAL_MEM_SIZE: return answer(&q, cl_ulong, local);
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return answer(&q, size_t, d->options.machine.lanes);
    case CL_KERNEL_PRIVATE_MEM_SIZE: return answer(&q, cl_ulong, private_bytes(&r));
    }
    return told(CL_INVALID_VALUE); /* CL_KERNEL_GLOBAL_WORK_SIZE: of built-in kernels only */
}

/* Sub-groups are warps, filled one after the other. */
cl_int clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                               cl_kernel_sub_group_info param_name, size_t input_value_size,
                               const void *input_value, size_t param_value_size, void *param_value,
                               size_t *param_value_size_ret)
{
    const Query q = {param_value_size, param_value, param_value_size_ret, __func__};
    const ClDevice *d;
    if (!is_object(kernel, KIND_KERNEL))
        return told(CL_INVALID_KERNEL);
    const cl_int s = find_device(kernel, device, &d);
    if (s)
        return told(s);
    const size_t lanes = d->options.machine.lanes, *in = input_value;
    const size_t words = input_value_size / sizeof *in, dims = param_value_size / sizeof *in;
    pthread_mutex_lock(&kernel->lock);
    const size_t most = kernel_max_items(kernel, d);
    pthread_mutex_unlock(&kernel->lock);
    switch (param_name) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE: {
        size_t items = 1;
        if (!in || words < 1 || words > 3 || input_value_size % sizeof *in)
            return told(CL_INVALID_VALUE);
        for (size_t i = 0; i < words; i++)
            if (__builtin_mul_overflow(items, in[i], &items))
                return told(CL_INVALID_VALUE);
        const bool is_count = param_name == CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE;
        return answer(&q, size_t, is_count ? items / lanes + (items % lanes != 0) : lanes);
    }
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: {
        if (!in || input_value_size != sizeof *in ||
            (param_value && (dims < 1 || dims > 3 || param_value_size % sizeof *in)))
            return told(CL_INVALID_VALUE);
        const bool fits = *in && *in <= most / lanes;
        const size_t local[3] = {fits ? *in * lanes : 0, fits, fits};
        return answer_bytes(&q, local, (param_value ? dims : 3) * sizeof *local);
    }
    case CL_KERNEL_MAX_NUM_SUB_GROUPS: return answer(&q, size_t, (most + lanes - 1) / lanes);
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS: return answer(&q, size_t, 0);
    }
    return told(CL_INVALID_VALUE);
}

/* the name of the extension before OpenCL 2.1 */
cl_int clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device,
                                  cl_kernel_sub_group_info param_name, size_t input_value_size,
                                  const void *input_value, size_t param_value_size,
                                  void *param_value, size_t *param_value_size_ret)
{
    return clGetKernelSubGroupInfo(kernel, device, param_name, input_value_size, input_value,
                                   param_value_size, param_value, param_value_size_ret);
}
