/* build.c -- clBuildProgram, clCompileProgram, clLinkProgram.
 *
 * A Job is one call: the program, its devices, the options, and what the program is made from.  It
 * runs on the caller's thread or, with a callback, on a thread of its own, and ends by putting its
 * results into the program.  Code is made for each device.  All devices are of one kind, so the
 * cache has the code for the second and later ones.
 */
#include "cl/cl.h"
#include <stdlib.h>
#include <string.h>

typedef enum { JOB_BUILD, JOB_COMPILE, JOB_LINK } JobKind;
typedef void(CL_CALLBACK *Notify)(cl_program, void *);

/* One input of a link, as it was at the call: its program may be compiled again meanwhile. */
typedef struct {
    Buf bitcode;
    bool is_later; /* compiled as OpenCL C 2.0 or later, with groups of any size */
} Part;

typedef struct {
    JobKind kind;
    ClProgram *program; /* used */
    bool for_device[MAX_DEVICES];
    bool has_begun; /* the program counts it */
    cl_int failed;  /* what the call answers if the build fails */
    char *options;  /* or NULL */
    cl_uint ninputs;
    ClProgram **inputs;  /* used: the headers' programs, whose source does not change */
    char **header_names; /* of headers */
    Part *parts;         /* of a link: ninputs of each device */
    Notify notify;
    void *data;
} Job;

/* --- options -------------------------------------------------------------------------- */

/* The options that the specification lists, and those that `ventus cc` takes besides. */
static const struct {
    const char *name;
    bool is_prefix, for_compiler, for_linker;
} option_rows[] = {
    {"-D", true, true, false},
    {"-I", true, true, false},
    {"-w", false, true, false},
    {"-Werror", false, true, false},
    {"-g", false, true, false},
    {"-O0", false, true, false},
    {"-O1", false, true, false},
    {"-O2", false, true, false},
    {"-O3", false, true, false},
    {"-cl-std=", true, true, false},
    {"-cl-opt-disable", false, true, false},
    {"-cl-single-precision-constant", false, true, false},
    {"-cl-denorms-are-zero", false, true, true},
    {"-cl-fp32-correctly-rounded-divide-sqrt", false, true, false},
    {"-cl-strict-aliasing", false, true, false},
    {"-cl-mad-enable", false, true, false},
    {"-cl-no-signed-zeros", false, true, true},
    {"-cl-unsafe-math-optimizations", false, true, true},
    {"-cl-finite-math-only", false, true, true},
    {"-cl-fast-relaxed-math", false, true, true},
    {"-cl-uniform-work-group-size", false, true, false},
    {"-cl-no-subgroup-ifp", false, true, true},
    {"-cl-kernel-arg-info", false, true, false},
    {"-create-library", false, false, true},
    {"-enable-link-options", false, false, true},
};

static bool is_option(const char *word, JobKind kind)
{
    for (size_t i = 0; i < countof(option_rows); i++) {
        const size_t len = strlen(option_rows[i].name);
        const bool fits = option_rows[i].is_prefix ? !strncmp(word, option_rows[i].name, len)
                                                   : !strcmp(word, option_rows[i].name);
        if (fits)
            return kind == JOB_LINK ? option_rows[i].for_linker : option_rows[i].for_compiler;
    }
    return false;
}

/* Puts the reason of a refused build where the program's owner looks for it. */
static void report_refusal(ClProgram *p, const char *why)
{
    context_report(p->context, why);
    pthread_mutex_lock(&p->lock);
    for (u32 i = 0; i < p->context->ndevices && !p->building && !p->nkernels; i++) {
        if (p->builds[i].program)
            continue; /* the log of a build that is in use */
        buf_free(&p->builds[i].log);
        buf_str(&p->builds[i].log, why);
    }
    pthread_mutex_unlock(&p->lock);
}

/* Where there is no compiler, the program's log says why. */
static bool has_compiler(ClProgram *p)
{
    Buf why = {0};
    const bool has = platform_has_compiler(&why);
    if (!has)
        report_refusal(p, buf_text(&why));
    buf_free(&why);
    return has;
}

/* CL_SUCCESS: every word of the options is one that the call takes.  `bad` otherwise; p's log then
 * says which is not. */
static cl_int check_options(ClProgram *p, const char *text, JobKind kind, cl_int bad)
{
    const char *wrong = NULL;
    Buf store = {0}, why = {0};
    const char **word = NULL;
    size_t n = 0;
    bool ok = options_split(text ? text : "", &store, &word, &n);
    for (size_t i = 0; ok && i < n; i++) {
        ok = is_option(word[i], kind);
        wrong = ok ? NULL : word[i];
        i += ok && options_takes_word(word[i]);
    }
    if (!ok && !store.failed) {
        if (wrong)
            buf_printf(&why, "build options: '%s' is not an option of %s\n", wrong,
                       kind == JOB_LINK ? "clLinkProgram" : "clBuildProgram and clCompileProgram");
        else
            buf_str(&why, "build options: a quote is not closed\n");
        report_refusal(p, buf_text(&why));
        buf_free(&why);
    }
    const cl_int s = ok ? CL_SUCCESS : store.failed ? CL_OUT_OF_HOST_MEMORY : bad;
    mem_free(word);
    buf_free(&store);
    return s;
}

/* Removes each `what` from the words; whether there was one. */
static bool take_words(const char **word, size_t *n, const char *what)
{
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++)
        if (strcmp(word[i], what))
            word[kept++] = word[i];
    const bool found = kept != *n;
    *n = kept;
    return found;
}

/* What code of contexts with CL_CONTEXT_MEMORY_INITIALIZE_KHR is compiled with. */
#define ZERO_OPTION "-ventus-zero"

/* --- products ------------------------------------------------------------------------------ */

/* Whether the program is made by the compiler, and not from a binary. */
static bool is_compiled(const ClProgram *p) { return p->source || p->il.len; }

static bool no_memory(Diag *d) { return diag_no_memory(d, NULL), false; }

static Compiler *compiler_of(const Job *j) { return j->program->context->platform->compiler; }

static bool compile(const Job *j, CompOptions *opt, Build *b, Diag *d)
{
    CompHeader *headers = mem_zalloc(j->ninputs, sizeof *headers);
    if (!headers)
        return no_memory(d);
    for (cl_uint i = 0; i < j->ninputs; i++)
        headers[i] = (CompHeader){j->header_names[i], j->inputs[i]->source};
    opt->headers = headers;
    opt->nheaders = j->ninputs;
    const ClProgram *p = j->program;
    const Buf *il = p->special.len ? &p->special : &p->il; /* fixed while the program is built */
    const bool ok = comp_compile(compiler_of(j), p->source ? p->source : buf_text(il),
                                 p->source ? strlen(p->source) : il->len, opt, &b->bytes, d);
    mem_free(headers);
    b->content = opt->output == COMP_IMAGE ? CONTENT_IMAGE : CONTENT_BITCODE;
    return ok;
}

static bool link_bitcode(const Job *j, const Buf *const *inputs, size_t n, const CompOptions *opt,
                         bool is_library, Build *b, Diag *d)
{
    b->content = is_library ? CONTENT_LIBRARY : CONTENT_IMAGE;
    return comp_link(compiler_of(j), inputs, n, opt, &b->bytes, d);
}

static bool link_programs(const Job *j, u32 device, const CompOptions *opt, bool is_library,
                          Build *b, Diag *d)
{
    const Buf **inputs = mem_zalloc(j->ninputs, sizeof *inputs);
    if (!inputs)
        return no_memory(d);
    for (cl_uint i = 0; i < j->ninputs; i++)
        inputs[i] = &j->parts[device * j->ninputs + i].bitcode;
    const bool ok = link_bitcode(j, inputs, j->ninputs, opt, is_library, b, d);
    mem_free(inputs);
    return ok;
}

/* Builds a program that was given as a binary: an image is ready, bitcode is linked. */
static bool finish_binary(const Job *j, u32 device, CompOptions *opt, Build *b, Diag *d)
{
    const Build *old = &j->program->builds[device];
    const Buf *input = &old->bytes;
    if (old->content != CONTENT_IMAGE)
        return link_bitcode(j, &input, 1, opt, false, b, d);
    b->content = CONTENT_IMAGE;
    buf_put(&b->bytes, old->bytes.data, old->bytes.len);
    return !b->bytes.failed || no_memory(d);
}

static void expect_code(void *driver) { drv_expect(driver); }

static bool produce(const Job *j, u32 device, Build *b, Diag *d)
{
    const ClContext *c = j->program->context;
    Buf store = {0}, views = {0};
    const char **word = NULL;
    size_t n = 0;
    /* 1. the words of the options, without those that choose the kind of result */
    bool ok = options_split(j->options ? j->options : "", &store, &word, &n);
    if (store.failed)
        no_memory(d);
    const bool is_library = take_words(word, &n, "-create-library");
    take_words(word, &n, "-enable-link-options");
    /* 2. one input of OpenCL C 2.0 or later makes an image that says so: its launches may have
     * smaller last groups; VENTUS_CHECK wants gaps between variables, the context zeros in them */
    for (cl_uint i = 0; j->kind == JOB_LINK && i < j->ninputs; i++)
        b->is_later |= j->parts[device * j->ninputs + i].is_later;
    const char *const more[] = {b->is_later ? "-cl-std=CL3.0" : NULL,
                                check_wants_notes(c->platform->checks) ? "-ventus-apart" : NULL,
                                c->zeroes ? ZERO_OPTION : NULL};
    for (size_t i = 0; ok && i < countof(more); i++) {
        const char **longer = more[i] ? mem_realloc(word, n + 1, sizeof *longer) : word;
        ok = longer || (!more[i] && !n) || no_memory(d);
        if (ok && more[i]) {
            word = longer;
            word[n++] = more[i];
        }
    }
    /* 3. the compiler or its linker */
    CompOptions opt = {
        .output = j->kind == JOB_COMPILE || is_library ? COMP_BITCODE : COMP_IMAGE,
        .name = PROGRAM_NAME,
        .options = word,
        .noptions = n,
        .dump = getenv("VENTUS_DUMP"),
        .dump_to = &views,
        .cache = c->platform->cache,
        .begins = j->kind == JOB_COMPILE ? NULL : expect_code,
        .self = c->drivers[device],
        .lds_limit = device_local_size(c->devices[0]),
    };
    if (ok)
        ok = j->kind == JOB_LINK       ? link_programs(j, device, &opt, is_library, b, d)
             : is_compiled(j->program) ? compile(j, &opt, b, d)
                                       : finish_binary(j, device, &opt, b, d);
    if (views.len)
        host_report(buf_text(&views));
    buf_free(&views);
    buf_free(&store);
    mem_free(word);
    return ok;
}

/* --- jobs ------------------------------------------------------------------------------------- */

/* False: a binary's code does not initialise variables as the context promises. */
static bool check_zeroes(const ClContext *c, const Build *b, Diag *d)
{
    if (c->zeroes && !options_have(b->table.options, ZERO_OPTION, NULL))
        error(d, &(Source){.name = PROGRAM_NAME, .text = ""}, NULL,
              "the binary was not built in a context that initialises memory");
    return !diag_errors(d);
}

/* CL_SUCCESS, or why there is none: j->failed, or out of memory. */
static cl_int make_build(const Job *j, u32 device, Build *b)
{
    Diag d = {.sink = diag_to_buf, .to = &b->log};
    bool ok = produce(j, device, b, &d);
    b->options = mem_strdup(j->options ? j->options : "");
    if (ok && !b->options)
        ok = no_memory(&d);
    b->is_later |= j->kind == JOB_COMPILE && kernelinfo_allows_partial(b->options);
    if (ok && b->content == CONTENT_IMAGE)
        ok = build_load(j->program, device, b, &d) && check_zeroes(j->program->context, b, &d);
    b->status = ok ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    if (ok)
        return CL_SUCCESS;
    if (j->program->context->platform->verbose && b->log.len)
        host_report(buf_text(&b->log));
    b->content = CONTENT_NONE;
    buf_free(&b->bytes);
    return d.no_memory || b->log.failed ? CL_OUT_OF_HOST_MEMORY : j->failed;
}

/* Replaces the build of a device.  If a program without source fails to build, it keeps the binary
 * that it was made from, so that it can be built again. */
static void install(ClProgram *p, u32 device, Build *fresh)
{
    Build old;
    pthread_mutex_lock(&p->lock);
    old = p->builds[device];
    if (fresh->status != CL_BUILD_SUCCESS && !is_compiled(p)) {
        fresh->content = old.content;
        fresh->is_later = old.is_later;
        fresh->bytes = old.bytes;
        old.bytes = (Buf){0};
    }
    p->builds[device] = *fresh;
    pthread_mutex_unlock(&p->lock);
    build_free(p, device, &old);
}

static cl_int run(const Job *j)
{
    ClProgram *p = j->program;
    cl_int s = CL_SUCCESS;
    for (u32 i = 0; i < p->context->ndevices; i++) {
        Build fresh = {.status = CL_BUILD_NONE};
        if (!j->for_device[i])
            continue;
        const cl_int made = make_build(j, i, &fresh);
        s = s ? s : made;
        install(p, i, &fresh);
    }
    return s;
}

static void job_free(Job *j)
{
    pthread_mutex_lock(&j->program->lock);
    j->program->building -= j->has_begun;
    pthread_mutex_unlock(&j->program->lock);
    for (cl_uint i = 0; i < j->ninputs && j->inputs; i++) {
        drop(j->inputs[i]);
        mem_free(j->header_names[i]);
    }
    for (size_t i = 0; j->parts && i < (size_t)j->ninputs * j->program->context->ndevices; i++)
        buf_free(&j->parts[i].bitcode);
    mem_free(j->parts);
    mem_free(j->inputs);
    mem_free(j->header_names);
    mem_free(j->options);
    drop(j->program);
    mem_free(j);
}

static cl_int finish(Job *j)
{
    const cl_int s = run(j);
    ClProgram *p = j->program;
    const Notify notify = j->notify;
    void *data = j->data;
    use(p);
    job_free(j);
    if (notify)
        notify(p, data);
    drop(p);
    return s;
}

static void *thread(void *job)
{
    finish(job);
    return NULL;
}

/* Marks the program's devices as being built.  False: they are already, or the program has kernels.
 */
static bool begin(Job *j)
{
    ClProgram *p = j->program;
    pthread_mutex_lock(&p->lock);
    j->has_begun = !p->building && !p->nkernels;
    p->building += j->has_begun;
    for (u32 i = 0; j->has_begun && i < p->context->ndevices; i++)
        if (j->for_device[i])
            p->builds[i].status = CL_BUILD_IN_PROGRESS;
    pthread_mutex_unlock(&p->lock);
    return j->has_begun;
}

/* Runs the job, which it frees, now or on a thread of its own.  failed: what a call without a
 * callback answers if the build fails. */
static cl_int start(Job *j, cl_int failed)
{
    pthread_attr_t attr;
    pthread_t id;
    j->failed = failed;
    if (!begin(j)) {
        job_free(j);
        return CL_INVALID_OPERATION;
    }
    if (!j->notify)
        return finish(j);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&id, &attr, thread, j))
        finish(j);
    pthread_attr_destroy(&attr);
    return CL_SUCCESS;
}

/* --- what a call must satisfy --------------------------------------------------------- */

static bool is_part_of(const ClDevice *d, const ClDevice *whole)
{
    while (d && d != whole)
        d = d->parent;
    return d;
}

/* NULL and 0 mean every device of the program.  What is built for a device is there for its parts
 * too. */
static cl_int choose_devices(const ClProgram *p, cl_uint n, const cl_device_id *list, bool chosen[])
{
    if (!n != !list)
        return CL_INVALID_VALUE;
    for (u32 i = 0; i < p->context->ndevices; i++)
        chosen[i] = !list && p->is_target[i];
    for (cl_uint i = 0; i < n; i++) {
        const int k =
            is_object(list[i], KIND_DEVICE) ? context_device_index(p->context, list[i]) : -1;
        if (k < 0 || !p->is_target[k])
            return CL_INVALID_DEVICE;
        for (u32 part = 0; part < p->context->ndevices; part++)
            chosen[part] |= p->is_target[part] && is_part_of(p->context->devices[part], list[i]);
    }
    return CL_SUCCESS;
}

static cl_int job_new(JobKind kind, ClProgram *p, const char *options, const bool chosen[],
                      Notify notify, void *data, Job **job)
{
    Job *j = mem_zalloc(1, sizeof *j);
    if (!j)
        return CL_OUT_OF_HOST_MEMORY;
    *j = (Job){.kind = kind, .program = p, .notify = notify, .data = data};
    use(p);
    memcpy(j->for_device, chosen, p->context->ndevices * sizeof *chosen);
    if (options && !(j->options = mem_strdup(options))) {
        job_free(j);
        return CL_OUT_OF_HOST_MEMORY;
    }
    *job = j;
    return CL_SUCCESS;
}

/* --- entry points --------------------------------------------------------------------- */

static cl_int check_build(ClProgram *p, const bool chosen[])
{
    cl_int s = CL_SUCCESS;
    if (is_compiled(p))
        return has_compiler(p) ? CL_SUCCESS : CL_COMPILER_NOT_AVAILABLE;
    pthread_mutex_lock(&p->lock);
    for (u32 i = 0; i < p->context->ndevices; i++)
        if (chosen[i] && !p->builds[i].content)
            s = CL_INVALID_BINARY;
    pthread_mutex_unlock(&p->lock);
    return s;
}

cl_int clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                      const char *options, Notify pfn_notify, void *user_data)
{
    bool chosen[MAX_DEVICES];
    Job *j = NULL;
    if (!is_object(program, KIND_PROGRAM))
        return told(CL_INVALID_PROGRAM);
    cl_int s = choose_devices(program, num_devices, device_list, chosen);
    if (!s && !pfn_notify && user_data)
        s = CL_INVALID_VALUE;
    if (!s)
        s = check_build(program, chosen);
    if (!s)
        s = check_options(program, options, JOB_BUILD, CL_INVALID_BUILD_OPTIONS);
    if (!s)
        s = job_new(JOB_BUILD, program, options, chosen, pfn_notify, user_data, &j);
    return told(s ? s : start(j, CL_BUILD_PROGRAM_FAILURE));
}

static cl_int check_headers(cl_uint n, const cl_program *headers, const char **names)
{
    if (!n != !headers || !n != !names)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < n; i++) {
        if (!is_object(headers[i], KIND_PROGRAM) || !headers[i]->source)
            return CL_INVALID_PROGRAM;
        if (!names[i])
            return CL_INVALID_VALUE;
    }
    return CL_SUCCESS;
}

static cl_int add_headers(Job *j, cl_uint n, const cl_program *headers, const char **names)
{
    j->inputs = mem_zalloc(n + 1, sizeof *j->inputs);
    j->header_names = mem_zalloc(n + 1, sizeof *j->header_names);
    if (!j->inputs || !j->header_names)
        return CL_OUT_OF_HOST_MEMORY;
    for (; j->ninputs < n; j->ninputs++) {
        if (!(j->header_names[j->ninputs] = mem_strdup(names[j->ninputs])))
            return CL_OUT_OF_HOST_MEMORY;
        j->inputs[j->ninputs] = headers[j->ninputs];
        use(headers[j->ninputs]);
    }
    return CL_SUCCESS;
}

cl_int clCompileProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                        const char *options, cl_uint num_input_headers,
                        const cl_program *input_headers, const char **header_include_names,
                        Notify pfn_notify, void *user_data)
{
    bool chosen[MAX_DEVICES];
    Job *j = NULL;
    if (!is_object(program, KIND_PROGRAM))
        return told(CL_INVALID_PROGRAM);
    cl_int s = choose_devices(program, num_devices, device_list, chosen);
    if (!s)
        s = check_headers(num_input_headers, input_headers, header_include_names);
    if (!s && !pfn_notify && user_data)
        s = CL_INVALID_VALUE;
    if (!s && !is_compiled(program))
        s = CL_INVALID_OPERATION;
    if (!s && !has_compiler(program))
        s = CL_COMPILER_NOT_AVAILABLE;
    if (!s)
        s = check_options(program, options, JOB_COMPILE, CL_INVALID_COMPILER_OPTIONS);
    if (!s)
        s = job_new(JOB_COMPILE, program, options, chosen, pfn_notify, user_data, &j);
    if (!s && (s = add_headers(j, num_input_headers, input_headers, header_include_names)))
        job_free(j);
    return told(s ? s : start(j, CL_COMPILE_PROGRAM_FAILURE));
}

static cl_int check_inputs(const ClContext *c, cl_uint n, const cl_program *inputs)
{
    if (!n || !inputs)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < n; i++)
        if (!is_object(inputs[i], KIND_PROGRAM) || inputs[i]->context != c)
            return CL_INVALID_PROGRAM;
    return CL_SUCCESS;
}

/* Every device must have something to link from every program. */
static cl_int take_part(const Build *b, Part *part)
{
    if (b->content != CONTENT_BITCODE && b->content != CONTENT_LIBRARY)
        return CL_INVALID_OPERATION;
    buf_put(&part->bitcode, b->bytes.data, b->bytes.len);
    part->is_later = b->is_later;
    return part->bitcode.failed ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
}

static cl_int add_parts(Job *j, cl_uint n, const cl_program *inputs)
{
    const u32 ndevices = j->program->context->ndevices;
    cl_int s = CL_SUCCESS;
    if (!(j->parts = mem_zalloc((size_t)n * ndevices, sizeof *j->parts)))
        return CL_OUT_OF_HOST_MEMORY;
    j->ninputs = n;
    for (cl_uint i = 0; !s && i < n; i++) {
        pthread_mutex_lock(&inputs[i]->lock);
        for (u32 k = 0; !s && k < ndevices; k++)
            if (j->for_device[k])
                s = take_part(&inputs[i]->builds[k], &j->parts[(size_t)k * n + i]);
        pthread_mutex_unlock(&inputs[i]->lock);
    }
    return s;
}

/* A new program for the devices of the list, or for all devices of the context. */
static cl_int new_target(cl_context c, cl_uint n, const cl_device_id *list, bool chosen[],
                         ClProgram **made)
{
    if (!n != !list)
        return CL_INVALID_VALUE;
    for (u32 i = 0; i < c->ndevices; i++)
        chosen[i] = !list;
    for (cl_uint i = 0; i < n; i++) {
        const int k = is_object(list[i], KIND_DEVICE) ? context_device_index(c, list[i]) : -1;
        if (k < 0)
            return CL_INVALID_DEVICE;
        chosen[k] = true;
    }
    *made = program_new(c);
    for (u32 i = 0; *made && i < c->ndevices; i++)
        (*made)->is_target[i] = chosen[i];
    return *made ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

static cl_int link_into(ClProgram *p, const bool chosen[], const char *options, cl_uint n,
                        const cl_program *inputs, Notify notify, void *data)
{
    Job *j = NULL;
    cl_int s = check_inputs(p->context, n, inputs);
    if (!s && !notify && data)
        s = CL_INVALID_VALUE;
    if (!s && !has_compiler(p))
        s = CL_LINKER_NOT_AVAILABLE;
    if (!s)
        s = check_options(p, options, JOB_LINK, CL_INVALID_LINKER_OPTIONS);
    if (!s)
        s = job_new(JOB_LINK, p, options, chosen, notify, data, &j);
    if (!s && (s = add_parts(j, n, inputs)))
        job_free(j);
    return s ? s : start(j, CL_LINK_PROGRAM_FAILURE);
}

/* Returns a program, which has the log, even if linking failed. */
cl_program clLinkProgram(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                         const char *options, cl_uint num_input_programs,
                         const cl_program *input_programs, Notify pfn_notify, void *user_data,
                         cl_int *errcode_ret)
{
    bool chosen[MAX_DEVICES];
    ClProgram *p = NULL;
    cl_int s = check_context(context);
    if (!s)
        s = new_target(context, num_devices, device_list, chosen, &p);
    if (!s)
        s = link_into(p, chosen, options, num_input_programs, input_programs, pfn_notify,
                      user_data);
    if (s && s != CL_LINK_PROGRAM_FAILURE && p) {
        drop(p);
        p = NULL;
    }
    tell(errcode_ret, s);
    return p;
}
