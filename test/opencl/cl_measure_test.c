/* cl_measure_test.c -- VENTUS_PROFILE, VENTUS_PIPELINE and VENTUS_TIMELINE: the files of a program
 * that launches a kernel twice. */
#include "test/opencl/clhost.h"
#include <jansson.h>
#include <sys/wait.h>

enum { NO_DEVICES = 3, N = 64 };

static char directory[] = "/tmp/cl_measure_XXXXXX";

static const char *path(const char *name)
{
    static char text[64];
    snprintf(text, sizeof text, "%s/%s", directory, name);
    return text;
}

enum { PIPELINE = 1, TIMELINE = 2, TRACE = 4 }; /* what is asked for besides */

static void scale_twice(const char *engine, const char *profile, int pictures)
{
    const size_t n = N;
    cl_platform_id platform;
    set_environment();
    setenv("VENTUS_ENGINE", engine, 1);
    if (profile)
        setenv("VENTUS_PROFILE", path(profile), 1);
    if (pictures & PIPELINE)
        setenv("VENTUS_PIPELINE", path("pipeline"), 1);
    if (pictures & TIMELINE)
        setenv("VENTUS_TIMELINE", path("timeline"), 1);
    if (pictures & TRACE)
        setenv("VENTUS_TRACE", path("trace"), 1);
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &(cl_uint){0}))
        _exit(NO_DEVICES);
    open_host(NULL);
    cl_kernel k = make_kernel(make_program(&host.image), "scale");
    cl_mem mem = make_buffer(N * sizeof(int), NULL);
    ok(clSetKernelArg(k, 0, sizeof mem, &mem));
    ok(clSetKernelArg(k, 1, sizeof(int), &(int){5}));
    for (int i = 0; i < 2; i++)
        ok(clEnqueueNDRangeKernel(host.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    ok(clFinish(host.queue));
}

/* The exit status of a process that does so. */
static int run(const char *engine, const char *profile, int pictures)
{
    int status;
    fflush(NULL);
    const pid_t child = fork();
    if (!child) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        scale_twice(engine, profile, pictures);
        exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static json_int_t slots(const json_t *o)
{
    return json_integer_value(json_object_get(json_object_get(o, "slots"), "all"));
}

static void on_the_engine_that_counts_cycles(void **state)
{
    char first[16] = "";
    (void)state;
    assert_int_equal(run("timing", "profile.json", PIPELINE | TIMELINE), 0);
    json_t *o = json_load_file(path("profile.json"), 0, NULL);
    const json_t *kernels = json_object_get(o, "kernels"), *k = json_array_get(kernels, 0);
    assert_int_equal(json_array_size(kernels), 1);
    assert_string_equal(json_string_value(json_object_get(k, "kernel")), "scale");
    assert_int_equal(json_integer_value(json_object_get(k, "launches")), 2);
    assert_true(json_integer_value(json_object_get(k, "cycles")) > 0);
    json_int_t sum = slots(json_object_get(k, "without_warp"));
    const json_t *lines = json_object_get(k, "lines");
    for (size_t i = 0; i < json_array_size(lines); i++)
        sum += slots(json_array_get(lines, i));
    assert_true(sum > 0 && sum == slots(k));
    json_decref(o);

    FILE *f = fopen(path("pipeline"), "r");
    assert_non_null(f);
    assert_non_null(fgets(first, sizeof first, f));
    assert_string_equal(first, "Kanata\t0004\n");
    fclose(f);
    o = json_load_file(path("timeline"), 0, NULL);
    assert_non_null(o);
    json_decref(o);
}

static void on_others(void **state)
{
    char text[4096] = "";
    (void)state;
    assert_int_equal(run("interp", "profile.txt", 0), 0);
    FILE *f = fopen(path("profile.txt"), "r");
    assert_non_null(f);
    assert_true(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    assert_non_null(strstr(text, "kernel scale: 2 launches, "));
    assert_int_equal(run("interp", "profile.txt", PIPELINE | TIMELINE), NO_DEVICES); /* no cycles to draw */
}

/* The lines of the trace that are of the instruction. */
static json_int_t traced(json_int_t pc)
{
    char line[1024], want[32];
    json_int_t n = 0;
    FILE *f = fopen(path("trace"), "r");
    assert_non_null(f);
    snprintf(want, sizeof want, " 0x%08llx (0x", (unsigned long long)pc);
    while (fgets(line, sizeof line, f))
        n += strstr(line, want) != NULL;
    fclose(f);
    return n;
}

/* Launches that are traced too are in both files: as often as an instruction is counted, it is in the trace. */
static void beside_a_trace(void **state)
{
    json_int_t sum = 0;
    (void)state;
    assert_int_equal(run("interp", "profile.json", TRACE), 0);
    json_t *o = json_load_file(path("profile.json"), 0, NULL);
    const json_t *k = json_array_get(json_object_get(o, "kernels"), 0),
                 *insns = json_object_get(k, "instructions");
    for (size_t i = 0; i < json_array_size(insns); i++) {
        const json_t *n = json_array_get(insns, i);
        sum += slots(n);
        assert_int_equal(slots(n), traced(json_integer_value(json_object_get(n, "pc"))));
    }
    assert_true(sum > 0 && sum == slots(k));
    json_decref(o);
}

/* A process that the program has forked writes nothing, although it ends. */
static void not_by_forks(void **state)
{
    int status;
    json_error_t why;
    (void)state;
    fflush(NULL);
    const pid_t child = fork();
    if (!child) {
        scale_twice("interp", "profile.json", 0);
        const pid_t fork_of_it = fork();
        if (!fork_of_it)
            exit(0);
        waitpid(fork_of_it, &status, 0);
        exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    json_t *o = json_load_file(path("profile.json"), 0, &why); /* which is one value and no more */
    if (!o)
        fail_msg("line %d: %s", why.line, why.text);
    assert_int_equal(json_array_size(json_object_get(o, "kernels")), 1);
    json_decref(o);
}

/* Whether the file is there and has the text. */
static bool has(const char *name, const char *text)
{
    static char bytes[1 << 20];
    FILE *f = fopen(path(name), "r");
    bytes[f ? fread(bytes, 1, sizeof bytes - 1, f) : 0] = 0;
    return f && !fclose(f) && strstr(bytes, text);
}

/* Each picture has what the launches did, with the other and alone, and nothing else is written. */
static void each_for_itself(void **state)
{
    (void)state;
    for (int pictures = 1; pictures <= 3; pictures++) {
        unlink(path("pipeline"));
        unlink(path("timeline"));
        unlink(path("profile.json"));
        assert_int_equal(run("timing", pictures == 1 ? "profile.json" : NULL, pictures), 0);
        assert_int_equal(!access(path("profile.json"), F_OK), pictures == 1);
        assert_int_equal(has("pipeline", "vmul.vx"), pictures & PIPELINE ? 1 : 0);
        assert_int_equal(has("timeline", "scale"), pictures & TIMELINE ? 1 : 0);
    }
}

static int make_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    static const char *const files[] = {"profile.json", "profile.txt", "pipeline", "timeline",
                                        "trace"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(path(files[i]));
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_engine_that_counts_cycles),
        cmocka_unit_test(each_for_itself),
        cmocka_unit_test(on_others),
        cmocka_unit_test(beside_a_trace),
        cmocka_unit_test(not_by_forks),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
