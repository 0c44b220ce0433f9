/* platform.c -- the platform: one a process, made from the environment by the first call.
 *
 * It is the only global variable of the runtime: the API hands out platforms without being given
 * anything.
 */
#include "cl/cl.h"
#include "cl/measure.h"
#include "dbg/dbg.h"
#include "drv/resultdump.h"
#include "prof/trace.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct {
    pthread_once_t once;
    ClPlatform *platform;
} process = {.once = PTHREAD_ONCE_INIT};

/* --- the environment ------------------------------------------------------------------- */

static const char *variable(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

/* The file for copies from the device, which the public driver has another name for; NULL: none. */
static const char *dump_path(void)
{
    const char *path = variable("VENTUS_DUMP_RESULT");
    return path ? path : variable("VENTUS_DRIVER_DUMP_RESULT");
}

static bool is_on(const char *name)
{
    const char *text = variable(name);
    return text && strcmp(text, "0");
}

/* numbers, which drv_environment() has checked (drv/variable.def) */
static double seconds(const char *name)
{
    return variable(name) ? strtod(variable(name), NULL) : 0;
}

static u32 device_count(void)
{
    return variable("VENTUS_DEVICES") ? (u32)strtoul(variable("VENTUS_DEVICES"), NULL, 10) : 1;
}

/* The file is VENTUS_TRACE for the first device, and with .1, .2 and so on appended for others. */
static Trace *open_trace(u32 device)
{
    const char *name = variable("VENTUS_TRACE");
    Buf path = {0};
    if (!name)
        return NULL;
    buf_str(&path, name);
    if (device)
        buf_printf(&path, ".%u", device);
    FILE *f = path.failed ? NULL : fopen(buf_text(&path), "w");
    Trace *t = f ? trace_new(f) : NULL;
    if (f && !t)
        fclose(f);
    if (!t)
        host_report("the file of VENTUS_TRACE cannot be written");
    buf_free(&path);
    return t;
}

static void say_waiting(void *self, const char *text)
{
    (void)self;
    host_report(text);
}

/* gdb learns that the program ends; its status nobody knows here. */
static void end_debugging(void) { dbg_close(process.platform->debugger, 0); }

/* Has gdb lead the launches of all devices, if VENTUS_GDB says where it will be. */
static void open_debugger(ClPlatform *p, DeviceOptions *o, Diag *d)
{
    const char *address = variable("VENTUS_GDB");
    if (!address || !(p->debugger = dbg_listen(address, say_waiting, NULL, d)))
        return;
    o->engine = &dbg_kind;
    atexit(end_debugging);
}

static bool is_over(const struct timespec *end)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec > end->tv_sec || (now.tv_sec == end->tv_sec && now.tv_nsec > end->tv_nsec);
}

/* Waits for what contexts have had compiled, those that are being closed among them, as long as their
 * engines do, so that the next program finds it on the disk.  A process that was forked has none of
 * the threads that might hold the lock. */
static void end_compiling(void)
{
    ClPlatform *p = process.platform;
    struct timespec end;
    if (p->owner != getpid() || pthread_mutex_trylock(&p->contexts_lock))
        return;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += LONGEST_FINISH + 1; /* one more to close the rest */
    for (const ClContext *c = p->contexts; c; c = c->next)
        for (u32 i = 0; i < c->ndevices && !is_over(&end); i++)
            drv_finish(c->drivers[i]);
    while (p->closing && !pthread_cond_timedwait(&p->closed, &p->contexts_lock, &end))
        ;
    pthread_mutex_unlock(&p->contexts_lock);
}

static void end_measuring(void)
{
    if (!measure_close(process.platform->measure))
        host_report(
            "not all files of VENTUS_PROFILE, VENTUS_PIPELINE and VENTUS_TIMELINE were written");
    process.platform->measure = NULL;
}

/* Has launches measured, into files that are written when the process ends. */
static void open_measure(ClPlatform *p, const DeviceOptions *o, Diag *d)
{
    const char *pipeline = variable("VENTUS_PIPELINE"), *timeline = variable("VENTUS_TIMELINE");
    if ((pipeline || timeline) && !o->engine->sms)
        error(d, NULL, NULL,
              "%s is about cycles, which the engine %s does not count; set VENTUS_ENGINE=timing",
              pipeline ? "VENTUS_PIPELINE" : "VENTUS_TIMELINE", o->engine->name);
    else if ((p->measure = measure_open(variable("VENTUS_PROFILE"), pipeline, timeline, d)))
        atexit(end_measuring);
}

/* Has launches written as replay files, if VENTUS_EXPORT_REPLAY says where. */
static void open_export(ClPlatform *p, Diag *d)
{
    const char *dir = variable("VENTUS_EXPORT_REPLAY");
    struct stat st;
    if (!dir)
        return;
    p->export_to = drv_export_open(dir);
    if (!p->export_to)
        diag_no_memory(d, NULL);
    else if (stat(dir, &st) || access(dir, W_OK | X_OK))
        error(d, NULL, NULL, "VENTUS_EXPORT_REPLAY: %s: %s", dir, strerror(errno));
    else if (!S_ISDIR(st.st_mode))
        error(d, NULL, NULL, "VENTUS_EXPORT_REPLAY: %s is no directory", dir);
}

/* --- the platform ----------------------------------------------------------------------- */

static void add_device(ClPlatform *p, const DeviceOptions *o)
{
    ClDevice *d = &p->devices[p->ndevices];
    object_init(&d->head, KIND_DEVICE);
    d->platform = p;
    d->index = p->ndevices++;
    d->options = *o;
    d->options.narrow = true; /* buffers have 32-bit addresses, contexts may be many */
    snprintf(d->name, sizeof d->name, "Ventus GPGPU (%s, %u SMs, %u warps of %u threads)",
             o->machine.name, o->machine.sms, o->machine.group_warps, o->machine.lanes);
    d->trace = open_trace(d->index);
    pthread_mutex_init(&d->trace_lock, NULL);
}

static void refuse_check(const char *bad, Diag *d)
{
    Buf names = {0};
    check_names(&names);
    error(d, NULL, NULL, "VENTUS_CHECK: '%s' is no check; there are all, %s", bad,
          buf_text(&names));
    buf_free(&names);
}

/* If the environment is wrong, prints why, and the platform has no devices. */
static void add_devices(ClPlatform *p)
{
    Buf wrong = {0};
    Diag d = {.sink = diag_to_buf, .to = &wrong};
    DeviceOptions o;
    const char *checks = variable("VENTUS_CHECK");
    char bad[32];
    p->checks = checks ? check_parse(checks, bad) : 0;
    if (checks && !p->checks)
        refuse_check(bad, &d);
    const char *allow = variable("VENTUS_CHECK_ALLOW");
    if (allow && p->checks)
        p->allow = check_allow_open(allow, &d);
    if (drv_environment(&o, &d)) {
        open_debugger(p, &o, &d);
        open_measure(p, &o, &d);
        open_export(p, &d);
    }
    if (!diag_errors(&d))
        for (u32 n = device_count(); n; n--)
            add_device(p, &o);
    if (wrong.len)
        host_report(buf_text(&wrong));
    buf_free(&wrong);
}

static void make_platform(void)
{
    ClPlatform *p = mem_zalloc(1, sizeof *p);
    if (!p || !(p->compiler = comp_open())) {
        mem_free(p);
        return;
    }
    object_init(&p->head, KIND_PLATFORM);
    p->verbose = is_on("VENTUS_VERBOSE") || is_on("VENTUS_LOG");
    p->launches = variable("VENTUS_LAUNCHES");
    p->cache = comp_cache_directory();
    p->processors = host_processors();
    p->timeout = seconds("VENTUS_TIMEOUT");
    pthread_mutex_init(&p->dump_lock, NULL);
    pthread_mutex_init(&p->contexts_lock, NULL);
    pthread_cond_init(&p->closed, NULL);
    p->owner = getpid();
    if (dump_path() && !(p->dump = resultdump_open(dump_path())))
        host_report("the file of VENTUS_DUMP_RESULT cannot be written");
    add_devices(p);
    process.platform = p;
    atexit(end_compiling);
}

ClPlatform *platform_get(void)
{
    pthread_once(&process.once, make_platform);
    return process.platform;
}

bool platform_has_compiler(Buf *why)
{
    Buf what = {0};
    const ClPlatform *p = platform_get();
    const bool has = p && comp_available(p->compiler, p->cache, why ? why : &what);
    buf_free(&what);
    return has;
}

void platform_dump(ClPlatform *p, u64 addr, const void *bytes, u64 size)
{
    if (!p->dump)
        return;
    pthread_mutex_lock(&p->dump_lock);
    if (!resultdump_add(p->dump, addr, bytes, size))
        host_report("the file of VENTUS_DUMP_RESULT cannot be written");
    pthread_mutex_unlock(&p->dump_lock);
}

/* --- entry points ---------------------------------------------------------------------------- */

cl_int clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    if ((platforms && !num_entries) || (!platforms && !num_platforms))
        return told(CL_INVALID_VALUE);
    ClPlatform *p = platform_get();
    if (!p)
        return told(CL_OUT_OF_HOST_MEMORY);
    if (platforms)
        platforms[0] = p;
    if (num_platforms)
        *num_platforms = 1;
    return CL_SUCCESS;
}

static const cl_name_version platform_extensions[] = {
#define EXTENSION(name, major, minor, patch) {CL_MAKE_VERSION(major, minor, patch), #name},
#define DEVICE_EXTENSION(name, major, minor, patch)
#include "cl/extension.def"
};

static const char platform_extension_names[] =
#define EXTENSION(name, major, minor, patch) " " #name
#define DEVICE_EXTENSION(name, major, minor, patch)
#include "cl/extension.def"
    ;

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name,
                         size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    const Query q = {param_value_size, param_value, param_value_size_ret, __func__};
    /* the loader asks without a platform */
    if (platform && !is_object(platform, KIND_PLATFORM))
        return told(CL_INVALID_PLATFORM);
    switch (param_name) {
    case CL_PLATFORM_PROFILE: return answer_text(&q, "FULL_PROFILE");
    case CL_PLATFORM_VERSION: return answer_text(&q, "OpenCL 3.0 Ventus " VERSION);
    case CL_PLATFORM_NUMERIC_VERSION: return answer(&q, cl_version, CL_MAKE_VERSION(3, 0, 0));
    case CL_PLATFORM_NAME: return answer_text(&q, "Ventus");
    case CL_PLATFORM_VENDOR: return answer_text(&q, "Ventus");
    case CL_PLATFORM_EXTENSIONS: return answer_text(&q, platform_extension_names + 1);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return answer_bytes(&q, platform_extensions, sizeof platform_extensions);
    case CL_PLATFORM_HOST_TIMER_RESOLUTION: return answer(&q, cl_ulong, 1);
    case CL_PLATFORM_ICD_SUFFIX_KHR: return answer_text(&q, "VENTUS");
    }
    return told(CL_INVALID_VALUE);
}

cl_int clUnloadPlatformCompiler(cl_platform_id platform)
{
    return told(is_object(platform, KIND_PLATFORM) ? CL_SUCCESS : CL_INVALID_PLATFORM);
}

cl_int clUnloadCompiler(void) { return CL_SUCCESS; }
