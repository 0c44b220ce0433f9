/* programs.c -- program objects: source, SPIR-V, binaries, and what is known of them. */
#include "cl/cl.h"
#include "comp/spirv.h"
#include <string.h>

/* --- builds -------------------------------------------------------------------------- */

void build_free(ClProgram *p, u32 device, Build *b)
{
    kernelinfo_free(&b->table);
    drv_program_close(p->context->drivers[device], b->program);
    buf_free(&b->bytes);
    buf_free(&b->log);
    mem_free(b->options);
    *b = (Build){.status = CL_BUILD_NONE};
}

bool build_load(ClProgram *p, u32 device, Build *b, Diag *d)
{
    Object *image = NULL;
    if (!obj_read("program", b->bytes.data, b->bytes.len, d, &image))
        return false;
    const bool has_source =
        !p->source || obj_add_source(image, PROGRAM_NAME, p->source, strlen(p->source));
    if (!has_source)
        diag_no_memory(d, NULL);
    if (!has_source || (!kernelinfo_read(image, &b->table, d) && diag_errors(d))) {
        obj_free(image);
        return false;
    }
    const DrvStatus s = drv_program_open(p->context->drivers[device], image, &b->program, d);
    if (s) {
        if (s == DRV_NO_MEMORY)
            diag_no_memory(d, NULL);
        obj_free(image);
        return false;
    }
    b->image = image;
    b->generation = resource_generation(image);
    return true;
}

Build *program_executable(ClProgram *p, const ClDevice *d)
{
    for (u32 i = 0; i < p->context->ndevices; i++)
        if (p->builds[i].program && (!d || p->context->devices[i] == d))
            return &p->builds[i];
    return NULL;
}

/* --- life ------------------------------------------------------------------------------ */

ClProgram *program_new(ClContext *c)
{
    ClProgram *p = mem_zalloc(1, sizeof *p);
    if (!p)
        return NULL;
    object_init(&p->head, KIND_PROGRAM);
    pthread_mutex_init(&p->lock, NULL);
    use(c);
    p->context = c;
    p->is_target = mem_zalloc(c->ndevices, sizeof *p->is_target);
    p->builds = mem_zalloc(c->ndevices, sizeof *p->builds);
    for (u32 i = 0; p->builds && i < c->ndevices; i++)
        p->builds[i].status = CL_BUILD_NONE;
    if (p->is_target && p->builds)
        return p;
    drop(p);
    return NULL;
}

void program_free(ClProgram *p)
{
    for (u32 i = 0; p->builds && i < p->context->ndevices; i++)
        build_free(p, i, &p->builds[i]);
    drop(p->context);
    pthread_mutex_destroy(&p->lock);
    mem_free(p->source);
    buf_free(&p->il);
    buf_free(&p->special);
    mem_free(p->is_target);
    mem_free(p->builds);
    mem_free(p);
}

/* --- creation ---------------------------------------------------------------------------- */

static cl_int from_source(cl_context c, cl_uint n, const char **strings, const size_t *lengths,
                          ClProgram **made)
{
    Buf text = {0};
    const cl_int bad = check_context(c);
    if (bad)
        return bad;
    if (!n || !strings)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < n; i++) {
        if (!strings[i]) {
            buf_free(&text);
            return CL_INVALID_VALUE;
        }
        buf_put(&text, strings[i], lengths && lengths[i] ? lengths[i] : strlen(strings[i]));
    }
    ClProgram *p = text.failed ? NULL : program_new(c);
    if (p && !(p->source = mem_strndup(buf_text(&text), text.len))) {
        drop(p);
        p = NULL;
    }
    buf_free(&text);
    for (u32 i = 0; p && i < c->ndevices; i++)
        p->is_target[i] = true;
    *made = p;
    return p ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                     const size_t *lengths, cl_int *errcode_ret)
{
    ClProgram *p = NULL;
    const cl_int s = from_source(context, count, strings, lengths, &p);
    tell(errcode_ret, s);
    return p;
}

static cl_int from_il(cl_context c, const void *il, size_t length, ClProgram **made)
{
    u32 version;
    const cl_int bad = check_context(c);
    if (bad)
        return bad;
    if (!spirv_validator() || !spirv_translator(&version) || !platform_has_compiler(NULL))
        return CL_INVALID_OPERATION;
    if (!il || !spirv_is(il, length))
        return CL_INVALID_VALUE;
    ClProgram *p = program_new(c);
    if (p)
        buf_put(&p->il, il, length);
    if (p && p->il.failed) {
        drop(p);
        p = NULL;
    }
    for (u32 i = 0; p && i < c->ndevices; i++)
        p->is_target[i] = true;
    *made = p;
    return p ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_program clCreateProgramWithIL(cl_context context, const void *il, size_t length,
                                 cl_int *errcode_ret)
{
    ClProgram *p = NULL;
    const cl_int s = from_il(context, il, length, &p);
    tell(errcode_ret, s);
    return p;
}

static cl_int check_binaries(cl_context c, cl_uint n, const cl_device_id *devices,
                             const size_t *lengths, const unsigned char **binaries)
{
    const cl_int bad = check_context(c);
    if (bad)
        return bad;
    if (!n || !devices || !lengths || !binaries)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < n; i++) {
        if (!is_object(devices[i], KIND_DEVICE) || context_device_index(c, devices[i]) < 0)
            return CL_INVALID_DEVICE;
        for (cl_uint before = 0; before < i; before++) /* a device has one binary */
            if (devices[before] == devices[i])
                return CL_INVALID_DEVICE;
    }
    return CL_SUCCESS;
}

/* CL_SUCCESS: the bytes can be what they say they are.  The build looks at the segments of an
 * image. */
static cl_int check_contents(Content content, const u8 *bytes, size_t n)
{
    Diag quiet = {.sink = NULL};
    Object *o = NULL;
    if (content != CONTENT_IMAGE)
        return content != CONTENT_NONE ? CL_SUCCESS : CL_INVALID_BINARY;
    const bool ok = obj_read("binary", bytes, n, &quiet, &o) && o->is_image;
    obj_free(o);
    return ok ? CL_SUCCESS : quiet.no_memory ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_BINARY;
}

static cl_int take_binary(Build *b, const unsigned char *binary, size_t length)
{
    const u8 *bytes;
    size_t n;
    if (!binary || !length)
        return CL_INVALID_VALUE;
    const Content content = container_read(binary, length, &bytes, &n, &b->is_later);
    const cl_int s = check_contents(content, bytes, n);
    if (s)
        return s;
    b->content = content;
    buf_put(&b->bytes, bytes, n);
    return b->bytes.failed ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
}

static cl_int from_binary(cl_context c, cl_uint n, const cl_device_id *devices,
                          const size_t *lengths, const unsigned char **binaries, cl_int *statuses,
                          ClProgram **made)
{
    cl_int worst = check_binaries(c, n, devices, lengths, binaries);
    if (worst)
        return worst;
    ClProgram *p = program_new(c);
    if (!p)
        return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < n; i++) {
        const int k = context_device_index(c, devices[i]);
        const cl_int s = take_binary(&p->builds[k], binaries[i], lengths[i]);
        p->is_target[k] = true;
        if (statuses)
            statuses[i] = s;
        if (s && !worst)
            worst = s;
    }
    if (worst)
        drop(p);
    else
        *made = p;
    return worst;
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                                     const cl_device_id *device_list, const size_t *lengths,
                                     const unsigned char **binaries, cl_int *binary_status,
                                     cl_int *errcode_ret)
{
    ClProgram *p = NULL;
    const cl_int s =
        from_binary(context, num_devices, device_list, lengths, binaries, binary_status, &p);
    tell(errcode_ret, s);
    return p;
}

cl_int clRetainProgram(cl_program program)
{
    if (!is_object(program, KIND_PROGRAM))
        return told(CL_INVALID_PROGRAM);
    object_retain(&program->head);
    return CL_SUCCESS;
}

cl_int clReleaseProgram(cl_program program)
{
    if (!is_object(program, KIND_PROGRAM))
        return told(CL_INVALID_PROGRAM);
    object_release(&program->head);
    return CL_SUCCESS;
}

/* --- queries --------------------------------------------------------------------------------- */

/* devices that the program is associated with */
static u32 targets(const ClProgram *p, cl_device_id to[MAX_DEVICES])
{
    u32 n = 0;
    for (u32 i = 0; i < p->context->ndevices; i++)
        if (p->is_target[i])
            to[n++] = p->context->devices[i];
    return n;
}

/* Appends the binary of a build; nothing, if there is none. */
static void binary_of(const Build *b, Buf *out)
{
    if (b->content)
        container_write(b->content, b, out);
}

static cl_int answer_sizes(const ClProgram *p, const Query *q)
{
    size_t sizes[MAX_DEVICES];
    u32 n = 0;
    for (u32 i = 0; i < p->context->ndevices; i++) {
        Buf binary = {0};
        if (!p->is_target[i])
            continue;
        binary_of(&p->builds[i], &binary);
        const bool ok = !binary.failed;
        sizes[n++] = binary.len;
        buf_free(&binary);
        if (!ok)
            return CL_OUT_OF_HOST_MEMORY;
    }
    return answer_bytes(q, sizes, n * sizeof *sizes);
}

/* The value is an array of pointers to where the binaries go. */
static cl_int answer_binaries(const ClProgram *p, const Query *q)
{
    cl_device_id devices[MAX_DEVICES];
    const size_t size = targets(p, devices) * sizeof(u8 *);
    u8 **to = q->value;
    if (to && q->size < size)
        return CL_INVALID_VALUE;
    for (u32 i = 0; to && i < p->context->ndevices; i++) {
        Buf binary = {0};
        if (!p->is_target[i])
            continue;
        binary_of(&p->builds[i], &binary);
        const bool ok = !binary.failed;
        if (ok && *to && binary.len)
            memcpy(*to, binary.data, binary.len);
        buf_free(&binary);
        if (!ok)
            return CL_OUT_OF_HOST_MEMORY;
        to++;
    }
    if (q->size_ret)
        *q->size_ret = size;
    return CL_SUCCESS;
}

static cl_int answer_kernels(ClProgram *p, cl_program_info param, const Query *q)
{
    const Build *b = program_executable(p, NULL);
    if (!b)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    const size_t n = drv_kernels(b->image, NULL, 0);
    if (param == CL_PROGRAM_NUM_KERNELS)
        return answer(q, size_t, n);
    const char **names = mem_zalloc(n + 1, sizeof *names);
    Buf all = {0};
    if (!names)
        return CL_OUT_OF_HOST_MEMORY;
    drv_kernels(b->image, names, n);
    for (size_t i = 0; i < n; i++)
        buf_printf(&all, "%s%s", i ? ";" : "", names[i]);
    const cl_int s = all.failed ? CL_OUT_OF_HOST_MEMORY : answer_text(q, buf_text(&all));
    buf_free(&all);
    mem_free(names);
    return s;
}

static cl_int program_info(ClProgram *p, cl_program_info param, const Query *q)
{
    cl_device_id devices[MAX_DEVICES];
    const u32 n = targets(p, devices);
    switch (param) {
    case CL_PROGRAM_REFERENCE_COUNT: return answer(q, cl_uint, p->head.refs);
    case CL_PROGRAM_CONTEXT: return answer(q, cl_context, p->context);
    case CL_PROGRAM_NUM_DEVICES: return answer(q, cl_uint, n);
    case CL_PROGRAM_DEVICES: return answer_bytes(q, devices, n * sizeof *devices);
    case CL_PROGRAM_SOURCE: return answer_text(q, p->source ? p->source : "");
    case CL_PROGRAM_BINARY_SIZES: return answer_sizes(p, q);
    case CL_PROGRAM_BINARIES: return answer_binaries(p, q);
    case CL_PROGRAM_NUM_KERNELS:
    case CL_PROGRAM_KERNEL_NAMES: return answer_kernels(p, param, q);
    case CL_PROGRAM_IL: return answer_bytes(q, p->il.data, p->il.len);
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: return answer(q, cl_bool, CL_FALSE);
    }
    return CL_INVALID_VALUE;
}

cl_int clGetProgramInfo(cl_program program, cl_program_info param_name, size_t param_value_size,
                        void *param_value, size_t *param_value_size_ret)
{
    const Query q = {param_value_size, param_value, param_value_size_ret, NULL};
    if (!is_object(program, KIND_PROGRAM))
        return told(CL_INVALID_PROGRAM);
    pthread_mutex_lock(&program->lock);
    const cl_int s = program_info(program, param_name, &q);
    pthread_mutex_unlock(&program->lock);
    return told(s);
}

static cl_program_binary_type binary_type(const Build *b)
{
    static const cl_program_binary_type types[] = {
        [CONTENT_NONE] = CL_PROGRAM_BINARY_TYPE_NONE,
        [CONTENT_BITCODE] = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
        [CONTENT_LIBRARY] = CL_PROGRAM_BINARY_TYPE_LIBRARY,
        [CONTENT_IMAGE] = CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
    };
    return types[b->content];
}

static cl_int build_info(const Build *b, cl_program_build_info param, const Query *q)
{
    switch (param) {
    case CL_PROGRAM_BUILD_STATUS: return answer(q, cl_build_status, b->status);
    case CL_PROGRAM_BUILD_OPTIONS: return answer_text(q, b->options ? b->options : "");
    case CL_PROGRAM_BUILD_LOG: return answer_text(q, buf_text(&b->log));
    case CL_PROGRAM_BINARY_TYPE: return answer(q, cl_program_binary_type, binary_type(b));
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return answer(q, size_t, b->table.globals_size);
    }
    return CL_INVALID_VALUE;
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device,
                             cl_program_build_info param_name, size_t param_value_size,
                             void *param_value, size_t *param_value_size_ret)
{
    const Query q = {param_value_size, param_value, param_value_size_ret, NULL};
    if (!is_object(program, KIND_PROGRAM))
        return told(CL_INVALID_PROGRAM);
    const int i =
        is_object(device, KIND_DEVICE) ? context_device_index(program->context, device) : -1;
    if (i < 0 || !program->is_target[i])
        return told(CL_INVALID_DEVICE);
    pthread_mutex_lock(&program->lock);
    const cl_int s = build_info(&program->builds[i], param_name, &q);
    pthread_mutex_unlock(&program->lock);
    return told(s);
}

/* Nothing runs before or after the kernels of a program. */
cl_int clSetProgramReleaseCallback(cl_program program,
                                   void(CL_CALLBACK *pfn_notify)(cl_program, void *),
                                   void *user_data)
{
    (void)pfn_notify, (void)user_data;
    return told(is_object(program, KIND_PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM);
}

/* The module that is built is a copy with the constants that were set. */
static cl_int specialise(ClProgram *p, cl_uint id, size_t size, const void *value)
{
    if (!p->special.len)
        buf_put(&p->special, p->il.data, p->il.len);
    if (p->special.failed)
        return CL_OUT_OF_HOST_MEMORY;
    switch (spirv_specialise(p->special.data, p->special.len, id, value, size)) {
    case SPIRV_SET: break;
    case SPIRV_NO_CONSTANT: return CL_INVALID_SPEC_ID;
    case SPIRV_OTHER_SIZE: return CL_INVALID_VALUE;
    }
    return CL_SUCCESS;
}

cl_int clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id, size_t spec_size,
                                          const void *spec_value)
{
    if (!is_object(program, KIND_PROGRAM) || !program->il.len)
        return told(CL_INVALID_PROGRAM);
    if (!spec_value)
        return told(CL_INVALID_VALUE);
    pthread_mutex_lock(&program->lock);
    const cl_int s = program->building ? CL_INVALID_OPERATION
                                       : specialise(program, spec_id, spec_size, spec_value);
    pthread_mutex_unlock(&program->lock);
    return told(s);
}
