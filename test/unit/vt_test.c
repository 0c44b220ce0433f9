/* vt_test.c -- the public interface: what hosts of the public driver call, every answer,
 * the environment, and the dump of copies. */
#include "test/kit/leftover.h"
#include "test/kit/kernels.h"
#include "ventus/ventus.h"
#include <jansson.h>
#include <pthread.h>
#include <unistd.h>

static const char *const variables[] = {"NUM_THREAD", "NUM_WARP", "VENTUS_SMS", "VENTUS_ISA", "VENTUS_ENGINE",
                                        "VENTUS_BACKEND", "VENTUS_MMU", "VENTUS_DUMP_RESULT",
                                        "VENTUS_DRIVER_DUMP_RESULT", "VENTUS_MACHINE"};

static int clean(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(variables); i++)
        unsetenv(variables[i]);
    return 0;
}

static vt_device_h open_device(void)
{
    vt_device_h h = NULL;
    assert_int_equal(vt_dev_open(&h), 0);
    assert_non_null(h);
    return h;
}

#define expect_code(h, call, code, text) expect_code_(h, call, code, text, __LINE__)
static void expect_code_(vt_device_h h, int got, int wanted, const char *text, int line)
{
    char buf[1024];
    assert_true(vt_last_error(h, buf, sizeof buf) >= 0);
    if (got != wanted || !strstr(buf, text))
        fail_msg("line %d: %s: %s", line, vt_error_name(got), buf);
}

/* The image as an ELF file. */
static void make_elf(Buf *b)
{
    Object *o = make_image(GEN_B, 0, NULL);
    Caught c;
    catch_in(&c);
    assert_true(obj_write(o, b, &c.d));
    obj_free(o);
}

/* Prepares `scale` as a host does: 8 groups of 2 warps of 32. */
enum { ITEMS = 512 };
typedef struct { u64 out, args, knl, pds; struct meta_data record; } Launch1;

static Launch1 prepare(vt_device_h h, u32 factor)
{
    Object *o = make_image(GEN_B, 0, NULL);
    Launch1 l = {.out = 0};
    u32 knl[16] = {o->symbols[obj_find_symbol(o, "scale")].value, 0, 1, ITEMS, 1, 1, 64, 1, 1};
    obj_free(o);
    assert_int_equal(vt_buf_alloc(h, ITEMS * 4, &l.out, 0, 0, 0), 0);
    assert_int_equal(vt_buf_alloc(h, 8, &l.args, 0, 0, 0), 0);
    assert_int_equal(vt_buf_alloc(h, 8 * 64 * 4096, &l.pds, 0, 0, 0), 0);
    assert_int_equal(vt_buf_alloc(h, sizeof knl, &l.knl, 0, 0, 0), 0);
    knl[1] = (u32)l.args;
    const u32 args[2] = {(u32)l.out, factor};
    assert_int_equal(vt_copy_to_dev(h, l.args, args, sizeof args, 0, 0), 0);
    assert_int_equal(vt_copy_to_dev(h, l.knl, knl, sizeof knl, 0, 0), 0);
    l.record = (struct meta_data){.kernel_size = {8, 1, 1}, .wf_size = 32, .wg_size = 2,
                                  .metaDataBaseAddr = l.knl, .ldsSize = 0x1000, .pdsSize = 0x1000,
                                  .sgprUsage = 64, .vgprUsage = 64, .pdsBaseAddr = l.pds};
    return l;
}

static void launch(vt_device_h h, u32 factor)
{
    u32 got[ITEMS];
    Launch1 l = prepare(h, factor);
    if (vt_start(h, &l.record, 0))
        expect_code(h, 1, 0, "no fault");
    assert_int_equal(vt_ready_wait(h, 1000), 0);
    assert_int_equal(vt_copy_from_dev(h, l.out, got, sizeof got, 0, 0), 0);
    for (u32 i = 0; i < ITEMS; i++)
        assert_int_equal(got[i], i * factor);
    assert_int_equal(vt_one_buf_free(h, 0, &l.pds, 0, 0), 0);
    assert_int_equal(vt_one_buf_free(h, 0, &l.out, 0, 0), 0);
    assert_int_equal(vt_one_buf_free(h, 0, &l.args, 0, 0), 0);
    assert_int_equal(vt_one_buf_free(h, 0, &l.knl, 0, 0), 0);
}

static void runs_uploaded_programs(void **state)
{
    (void)state;
    Buf elf = {0};
    char path[] = "/tmp/vt_test.XXXXXX";
    const int fd = mkstemp(path);
    vt_device_h h = open_device();
    make_elf(&elf);
    assert_true(fd >= 0 && write(fd, elf.data, elf.len) == (ssize_t)elf.len);
    close(fd);
    assert_int_equal(vt_root_mem_alloc(h, 0), 0);
    assert_int_equal(vt_upload_kernel_file(h, path, 0), 0);
    launch(h, 3);
    assert_int_equal(vt_upload_kernel_bytes(h, elf.data, elf.len, 0), 0);
    launch(h, 5);
    assert_int_equal(vt_root_mem_free(h, 0), 0);
    assert_int_equal(vt_dev_close(h), 0);
    h = open_device(); /* code without an ELF around it, by both ways */
    Object *o = make_image(GEN_B, 0, NULL);
    assert_int_equal(vt_upload_kernel_bytes(h, o->segments[0].data.data, o->segments[0].data.len, 0), 0);
    launch(h, 7);
    assert_int_equal(vt_copy_to_dev(h, 0x80000000, o->segments[0].data.data, o->segments[0].data.len, 0, 0), 0);
    launch(h, 9);
    vt_dev_close(h);
    obj_free(o);
    buf_free(&elf);
    unlink(path);
}

static void answers_codes(void **state)
{
    (void)state;
    vt_device_h h = open_device();
    u64 a = 0, wrong = 0x90100000;
    u32 word = 0;
    Buf elf = {0};
    expect_code(h, vt_buf_alloc(h, 0, &a, 0, 0, 0), VT_BAD_ARGUMENT, "0 bytes");
    expect_code(h, vt_buf_alloc(h, 1, NULL, 0, 0, 0), VT_BAD_ARGUMENT, "address");
    expect_code(h, vt_buf_alloc(h, (u64)1 << 40, &a, 0, 0, 0), VT_DEVICE_FULL, "wanted");
    expect_code(h, vt_one_buf_free(h, 0, NULL, 0, 0), VT_BAD_ARGUMENT, "no address");
    expect_code(h, vt_one_buf_free(h, 0, &wrong, 0, 0), VT_NO_BUFFER, "0x90100000");
    expect_code(h, vt_copy_to_dev(h, wrong, &word, 4, 0, 0), VT_OUT_OF_RANGE, "0x90100000");
    expect_code(h, vt_copy_from_dev(h, wrong, &word, 4, 0, 0), VT_OUT_OF_RANGE, "0x90100000");
    expect_code(h, vt_copy_from_dev(h, wrong, NULL, 4, 0, 0), VT_BAD_ARGUMENT, "copy");
    expect_code(h, vt_upload_kernel_file(h, NULL, 0), VT_BAD_ARGUMENT, "file name");
    expect_code(h, vt_upload_kernel_file(h, "/nowhere.riscv", 0), VT_IO, "/nowhere.riscv: No such file");
    expect_code(h, vt_upload_kernel_file(h, "/dev/null", 0), VT_BAD_PROGRAM, "/dev/null");
    expect_code(h, vt_upload_kernel_file(h, "/", 0), VT_IO, "directory");
    expect_code(h, vt_upload_kernel_bytes(h, "\177ELF", 4, 0), VT_BAD_PROGRAM, "the program");
    expect_code(h, vt_upload_kernel_bytes(h, NULL, 4, 0), VT_BAD_ARGUMENT, "copy");
    expect_code(h, vt_start(h, NULL, 0), VT_BAD_ARGUMENT, "no launch record");
    expect_code(h, vt_ready_wait(h, 0), VT_BAD_ARGUMENT, "no launch record");
    Launch1 l = prepare(h, 1);
    expect_code(h, vt_start(h, &l.record, 0), VT_NO_PROGRAM, "0x80000000");
    make_elf(&elf);
    assert_int_equal(vt_upload_kernel_bytes(h, elf.data, elf.len, 0), 0);
    l.record.wg_size = 1000;
    expect_code(h, vt_start(h, &l.record, 0), VT_BAD_SIZE, "1000 warps");
    l.record.wg_size = 2;
    l.record.ldsSize = 0xf0000000;
    expect_code(h, vt_start(h, &l.record, 0), VT_RESOURCES, "bytes of local memory");
    l.record.ldsSize = 0x1000;
    vt_one_buf_free(h, 0, &l.out, 0, 0);
    expect_code(h, vt_start(h, &l.record, 0), VT_FAULT, "store to unmapped memory: 0x900000");
    assert_int_equal(vt_finish_all_kernel(h, NULL), VT_FAULT);
    assert_int_equal(vt_buf_free(h, 0, NULL, 0, 0), 0);
    expect_code(h, vt_one_buf_free(h, 0, &l.args, 0, 0), VT_NO_BUFFER, "0x90001000");
    vt_dev_close(h);
    buf_free(&elf);
}

static void refuses_null_devices(void **state)
{
    (void)state;
    u64 a = 0;
    char c;
    struct meta_data m = {0};
    assert_int_equal(vt_dev_open(NULL), VT_BAD_ARGUMENT);
    assert_int_equal(vt_dev_close(NULL), VT_BAD_ARGUMENT);
    assert_int_equal(vt_root_mem_alloc(NULL, 0), VT_BAD_ARGUMENT);
    assert_int_equal(vt_root_mem_free(NULL, 0), VT_BAD_ARGUMENT);
    assert_int_equal(vt_buf_alloc(NULL, 1, &a, 0, 0, 0), VT_BAD_ARGUMENT);
    assert_int_equal(vt_buf_free(NULL, 1, &a, 0, 0), VT_BAD_ARGUMENT);
    assert_int_equal(vt_one_buf_free(NULL, 1, &a, 0, 0), VT_BAD_ARGUMENT);
    assert_int_equal(vt_copy_to_dev(NULL, 0, &a, 1, 0, 0), VT_BAD_ARGUMENT);
    assert_int_equal(vt_copy_from_dev(NULL, 0, &a, 1, 0, 0), VT_BAD_ARGUMENT);
    assert_int_equal(vt_upload_kernel_bytes(NULL, &a, 1, 0), VT_BAD_ARGUMENT);
    assert_int_equal(vt_upload_kernel_file(NULL, "x", 0), VT_BAD_ARGUMENT);
    assert_int_equal(vt_start(NULL, &m, 0), VT_BAD_ARGUMENT);
    assert_int_equal(vt_ready_wait(NULL, 0), VT_BAD_ARGUMENT);
    assert_int_equal(vt_finish_all_kernel(NULL, NULL), VT_BAD_ARGUMENT);
    assert_int_equal(vt_dump_perf(NULL, stderr), VT_BAD_ARGUMENT);
    assert_int_equal(vt_last_error(NULL, &c, 1), VT_BAD_ARGUMENT);
    assert_int_equal(vt_dev_caps(NULL, 0, NULL), VT_BAD_ARGUMENT);
}

static void names_codes(void **state)
{
    (void)state;
    assert_string_equal(vt_error_name(0), "OK");
    assert_string_equal(vt_error_name(VT_DEVICE_FULL), "DEVICE_FULL");
    assert_string_equal(vt_error_text(VT_FAULT), "the kernel faulted");
    assert_string_equal(vt_error_name(1), "UNKNOWN");
    assert_string_equal(vt_error_name(INT32_MIN), "UNKNOWN");
    assert_string_equal(vt_error_text(-1000), "unknown status");
}

static void cuts_long_errors(void **state)
{
    (void)state;
    vt_device_h h = open_device();
    char buf[5] = "????";
    assert_int_equal(vt_last_error(h, buf, sizeof buf), 0);
    assert_string_equal(buf, "");
    vt_start(h, NULL, 0);
    const int n = vt_last_error(h, NULL, 0);
    assert_true(n > 10);
    assert_int_equal(vt_last_error(h, buf, sizeof buf), n);
    assert_string_equal(buf, "an a");
    assert_int_equal(vt_last_error(h, NULL, 1), VT_BAD_ARGUMENT);
    vt_dev_close(h);
}

/* --- the environment ----------------------------------------------------------------------- */

static u64 cap(vt_device_h *h, u64 id)
{
    u64 v = 77;
    assert_int_equal(vt_dev_caps(h, id, &v), 0);
    return v;
}

static void tells_capabilities(void **state)
{
    (void)state;
    u64 v;
    assert_int_equal(cap(NULL, VT_CAPS_VERSION), 1);
    assert_int_equal(cap(NULL, VT_CAPS_MAX_THREADS), 32);
    assert_int_equal(cap(NULL, VT_CAPS_CACHE_LINE_SIZE), 128);
    assert_int_equal(cap(NULL, VT_CAPS_ALLOC_BASE_ADDR), 0x90000000);
    assert_int_equal(cap(NULL, VT_CAPS_KERNEL_BASE_ADDR), 0x80000000);
    assert_int_equal(cap(NULL, VT_CAPS_DVA_ADDRESS_BITS), 32);
    assert_int_equal(cap(NULL, VT_CAPS_DVA_BASE_ADDR), 0x90000000);
    assert_int_equal(cap(NULL, VT_CAPS_DVA_WINDOW_SIZE), 0x70000000);
    assert_int_equal(cap(NULL, VT_CAPS_DVA_ALLOC_GRANULE), 4096);
    assert_true(cap(NULL, VT_CAPS_MAX_WG_SLOTS) > 0 && cap(NULL, VT_CAPS_LOCAL_MEM_SIZE) > 0);
    assert_int_equal(vt_dev_caps(NULL, 13, &v), VT_UNKNOWN_CAP);
    setenv("NUM_THREAD", "8", 1);
    setenv("NUM_WARP", "4", 1);
    setenv("VENTUS_SMS", "3", 1);
    vt_device_h h = open_device();
    clean(NULL);
    assert_int_equal(cap(&h, VT_CAPS_MAX_THREADS), 8);
    assert_int_equal(cap(&h, VT_CAPS_MAX_WARPS), 4);
    assert_int_equal(cap(&h, VT_CAPS_MAX_CORES), 3);
    assert_int_equal(cap(h, VT_CAPS_MAX_CORES), 3); /* hosts pass the handle too */
    assert_int_equal(cap(NULL, VT_CAPS_MAX_THREADS), 32);
    vt_dev_close(h);
}

static void reads_the_environment(void **state)
{
    (void)state;
    static const struct { const char *name, *value; bool good; } rows[] = {
        {"NUM_THREAD", "16", true}, {"NUM_THREAD", "", true}, {"NUM_THREAD", "5", false},
        {"NUM_THREAD", "64", false}, {"NUM_THREAD", "12", false}, {"NUM_THREAD", "8x", false},
        {"NUM_THREAD", "-8", false}, {"NUM_WARP", "64", true}, {"NUM_WARP", "0", false},
        {"NUM_WARP", "65", false}, {"VENTUS_SMS", "1", true}, {"VENTUS_SMS", "0", false},
        {"VENTUS_SMS", "99999999999999999999", false}, {"VENTUS_ISA", "v202", true},
        {"VENTUS_ISA", "v2025", true}, {"VENTUS_ISA", "v1", false}, {"VENTUS_ENGINE", "interp", true},
        {"VENTUS_ENGINE", "warp drive", false}, {"VENTUS_BACKEND", "spike", true},
        {"VENTUS_BACKEND", "cyclesim", true}, {"VENTUS_BACKEND", "rtl", true},
        {"VENTUS_BACKEND", "none", false}, {"VENTUS_MMU", "1", true}, {"VENTUS_MMU", "2", false},
        {"VENTUS_MACHINE", "rtl", true}, {"VENTUS_MACHINE", "no such", false}, {"VENTUS_MACHINE", "/", false},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        vt_device_h h = NULL;
        setenv(rows[i].name, rows[i].value, 1);
        assert_int_equal(vt_dev_open(&h), rows[i].good ? 0 : VT_BAD_ARGUMENT);
        if (h)
            vt_dev_close(h);
        clean(NULL);
    }
    /* more SMs than an engine has room for */
    vt_device_h h = NULL;
    setenv("VENTUS_SMS", "257", 1);
    setenv("VENTUS_ENGINE", "timing", 1);
    assert_int_equal(vt_dev_open(&h), VT_BAD_ARGUMENT);
    clean(NULL);
    setenv("VENTUS_BACKEND", "none", 1);
    setenv("VENTUS_ENGINE", "interp", 1); /* comes first */
    vt_dev_close(open_device());
    clean(NULL);
}

static void takes_a_description(void **state)
{
    (void)state;
    static const char text[] = "base = rtl\nlanes = 4\nsms = 7\n";
    char file[] = "/tmp/machine_XXXXXX";
    const int fd = mkstemp(file);
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    setenv("VENTUS_MACHINE", file, 1);
    vt_device_h h = open_device();
    unlink(file);
    clean(NULL);
    assert_int_equal(cap(&h, VT_CAPS_MAX_THREADS), 4);
    assert_int_equal(cap(&h, VT_CAPS_MAX_WARPS), 8);
    assert_int_equal(cap(&h, VT_CAPS_MAX_CORES), 7);
    vt_dev_close(h);
}

static void runs_with_tables(void **state)
{
    (void)state;
    Buf elf = {0};
    make_elf(&elf);
    setenv("VENTUS_MMU", "1", 1);
    vt_device_h h = open_device();
    clean(NULL);
    assert_int_equal(vt_upload_kernel_bytes(h, elf.data, elf.len, 0), 0);
    launch(h, 3);
    launch(h, 4);
    vt_dev_close(h);
    buf_free(&elf);
}

/* --- files ------------------------------------------------------------------------------------ */

static void expect_json(const char *path, size_t copies)
{
    json_error_t e;
    json_t *all = json_load_file(path, 0, &e);
    if (!all)
        fail_msg("%s:%d: %s", path, e.line, e.text);
    assert_int_equal(json_array_size(all), copies);
    if (copies) {
        const json_t *one = json_array_get(all, 0), *data = json_object_get(one, "data");
        assert_string_equal(json_string_value(json_object_get(one, "address")), "0x90000000");
        assert_int_equal(json_integer_value(json_object_get(one, "size")), 6);
        assert_int_equal(json_object_size(data), 2);
        assert_string_equal(json_string_value(json_object_get(data, "0x90000000")), "0x64636261");
        assert_string_equal(json_string_value(json_object_get(data, "0x90000004")), "0x00006665");
    }
    json_decref(all);
}

static void dumps_copies(void **state)
{
    (void)state;
    char path[] = "/tmp/vt_test.XXXXXX", got[6];
    const int fd = mkstemp(path);
    u64 a;
    setenv("VENTUS_DUMP_RESULT", path, 1);
    vt_device_h h = open_device();
    clean(NULL);
    expect_json(path, 0);
    assert_int_equal(vt_buf_alloc(h, 8, &a, 0, 0, 0), 0);
    assert_int_equal(vt_copy_to_dev(h, a, "abcdef", 6, 0, 0), 0);
    for (size_t i = 1; i < 20; i++) {
        assert_int_equal(vt_copy_from_dev(h, a, got, sizeof got, 0, 0), 0);
        expect_json(path, i);
    }
    vt_dev_close(h);
    expect_json(path, 19);
    close(fd);
    unlink(path);
    setenv("VENTUS_DRIVER_DUMP_RESULT", "/nowhere/x.json", 1);
    assert_int_equal(vt_dev_open(&h), VT_IO);
    setenv("VENTUS_DUMP_RESULT", "/dev/full", 1);
    assert_int_equal(vt_dev_open(&h), VT_IO);
    clean(NULL);
}

static void counts_what_ran(void **state)
{
    (void)state;
    Buf elf = {0};
    char text[200] = "";
    vt_device_h h = open_device();
    FILE *f = fmemopen(text, sizeof text, "w");
    make_elf(&elf);
    assert_int_equal(vt_upload_kernel_bytes(h, elf.data, elf.len, 0), 0);
    launch(h, 2);
    launch(h, 2);
    assert_int_equal(vt_dump_perf(h, NULL), VT_BAD_ARGUMENT);
    assert_int_equal(vt_dump_perf(h, f), 0);
    fclose(f);
    assert_non_null(strstr(text, "launches 2 #"));
    assert_null(strstr(text, "insns 0 #"));
    vt_dev_close(h);
    buf_free(&elf);
}

/* --- threads ----------------------------------------------------------------------------- */

static void *open_and_run(void *arg)
{
    for (u32 i = 1; i < 5; i++) {
        Buf elf = {0};
        vt_device_h h = open_device();
        make_elf(&elf);
        assert_int_equal(vt_upload_kernel_bytes(h, elf.data, elf.len, 0), 0);
        launch(h, i);
        vt_dev_close(h);
        buf_free(&elf);
    }
    return arg;
}

static void devices_on_threads(void **state)
{
    (void)state;
    pthread_t thread[5];
    for (size_t i = 0; i < countof(thread); i++)
        assert_int_equal(pthread_create(&thread[i], NULL, open_and_run, NULL), 0);
    for (size_t i = 0; i < countof(thread); i++)
        pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(devices_on_threads, clean),
        /* setenv() keeps its values */
        cmocka_unit_test_setup(takes_a_description, clean),
        cmocka_unit_test_setup(dumps_copies, clean),
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test_setup(runs_uploaded_programs, clean),
        cmocka_unit_test_setup(answers_codes, clean),
        cmocka_unit_test_setup(refuses_null_devices, clean),
        cmocka_unit_test_setup(names_codes, clean),
        cmocka_unit_test_setup(cuts_long_errors, clean),
        cmocka_unit_test_setup(tells_capabilities, clean),
        cmocka_unit_test_setup(reads_the_environment, clean),
        cmocka_unit_test_setup(runs_with_tables, clean),
        cmocka_unit_test_setup(counts_what_ran, clean),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
