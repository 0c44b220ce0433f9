/* drv_lack_test.c -- one allocation after the other fails in what the driver does: memory, launches, programs that take
 * turns, replay files, the public interface.  Each call says DRV_NO_MEMORY or does what it does with memory, and
 * everything is given back.
 */
#include "test/kit/lackdrv.h"
#include "test/kit/assemble.h"
#include "test/kit/kernels.h"
#include "drv/internal.h"
#include "link/crt0.h"
#include "link/link.h"
#include "ventus/ventus.h"

static Buf image_file, counting_file; /* of images that jobs load */
static char dir[] = "/tmp/drv_lack.XXXXXX";

/* Blocks before a job, with the one that its results go to. */
static size_t begin(Buf *made)
{
    buf_reserve(made, 4000);
    return live_blocks();
}

/* Nothing else that the job has made is left. */
static bool end(bool ok, size_t before)
{
    must(live_blocks() == before, "a block is left");
    return ok;
}

static Driver *open_driver(bool mmu)
{
    DeviceOptions o = dev_defaults();
    o.mmu = mmu;
    o.engine = dev_find_engine("interp");
    return drv_open(&o);
}

static Object *read_image(const Buf *file)
{
    Object *o = NULL;
    Diag d = {.sink = NULL};
    const bool ok = obj_read("t.elf", file->data, file->len, &d, &o);
    must(ok == !!o && (ok || diag_errors(&d)), "no image, and nobody said why");
    return o;
}

static bool load(Driver *d, const Buf *file)
{
    Diag diag = {.sink = NULL};
    Object *o = read_image(file);
    if (!o)
        return false;
    const DrvStatus s = drv_load(d, o, &diag);
    if (s)
        obj_free(o);
    return did(s);
}

static bool run(Driver *d, DrvProgram *p, const char *kernel, const u32 *words, size_t n,
                DrvKernel k)
{
    DrvArg args[3];
    DrvResult r;
    for (size_t i = 0; i < n; i++)
        args[i] = (DrvArg){.size = 4, .align = 4, .value = &words[i], .buffer = i ? 0 : 256};
    args[n] = (DrvArg){.is_local = true, .size = 100};
    k.program = p;
    k.kernel = kernel;
    k.dims = 1;
    k.args = args;
    k.nargs = n + 1;
    k.run.threads = 1;
    return did(drv_run(d, &k, &r));
}

/* Puts what lies there into *made. */
static bool show(Driver *d, u64 addr, u64 size, Buf *made)
{
    u8 bytes[1024];
    must(size <= sizeof bytes, "too much");
    if (!did(drv_read(d, addr, bytes, size)))
        return false;
    buf_put(made, bytes, size);
    return true;
}

/* --- memory and launches -------------------------------------------------------------------- */

static bool use_memory(Driver *d, Buf *made)
{
    u64 a, b, c;
    if (!did(drv_alloc(d, 10000, &a)) || !did(drv_alloc(d, 100, &b)) ||
        !did(drv_alloc_at(d, HEAP_LO + 0x100000, 5000)))
        return false;
    const DrvStatus high = drv_alloc_high(d, 100, &c); /* the host need not have the addresses */
    if (high != DRV_UNSUPPORTED && !did(high))
        return false;
    if (!did(drv_fill(d, a, "abc", 3, 9999)) || !did(drv_write(d, b, "0123456789", 10)) ||
        !did(drv_copy(d, b, a + 3000, 100)) || !did(drv_free(d, b)) || !did(drv_alloc(d, 1, &b)))
        return false;
    return show(d, a + 2900, 300, made) && show(d, b, 16, made);
}

static bool print(Driver *d, u64 out, Buf *made)
{
    Buf printed = {0};
    if (!did(drv_write(d, out + 200, "item %d;", 9)))
        return false;
    const u32 format = (u32)out + 200;
    bool ok = run(d, NULL, "say", &format, 1,
                  (DrvKernel){.global = {40}, .local = {8}, .print = &printed});
    ok = ok && !printed.failed && !strstr(buf_text(&printed), "out of memory");
    if (ok)
        buf_put(made, printed.data, printed.len);
    buf_free(&printed);
    return ok;
}

/* With everything that a watcher is told. */
static void hear_begin(void *self, const DrvScene *s, LaunchOptions *run_options)
{
    (void)run_options;
    *(size_t *)self = s->nextents;
}

static bool launch(Driver *d, Buf *made)
{
    u64 out;
    size_t extents = 0;
    drv_watch(d, (DrvWatcher){.self = &extents, .begin = hear_begin});
    if (!did(drv_alloc(d, 256, &out)) || !load(d, &image_file))
        return false;
    const u32 words[2] = {(u32)out, 3};
    return run(d, NULL, "scale", words, 2,
               (DrvKernel){.global = {40}, .local = {16}, .partial = true}) &&
           show(d, out, 160, made) && print(d, out, made);
}

static bool memory(bool mmu, Buf *made)
{
    const size_t before = begin(made);
    Driver *d = open_driver(mmu);
    const bool ok = d && use_memory(d, made) && launch(d, made);
    drv_close(d);
    return end(ok, before);
}

static bool physical(Buf *made) { return memory(false, made); }
static bool translated(Buf *made) { return memory(true, made); }

static void memory_lacks(void **state)
{
    (void)state;
    LACK_OF_MEMORY(physical);
    LACK_OF_MEMORY(translated);
}

/* --- programs ------------------------------------------------------------------------------- */

/* Two programs of one image count how often they ran; each has a variable of its own. */
static bool take_turns(bool mmu, Buf *made)
{
    static const int turns[] = {0, 1, 0, 0, 1};
    const size_t before = begin(made);
    Driver *d = open_driver(mmu);
    DrvProgram *p[2] = {NULL, NULL};
    Diag diag = {.sink = NULL};
    u64 out = 0;
    bool ok = d && did(drv_alloc(d, 4, &out));
    for (int i = 0; i < 2 && ok; i++) {
        Object *o = read_image(&counting_file);
        ok = o && did(drv_program_open(d, o, &p[i], &diag));
        if (!ok)
            obj_free(o);
    }
    const u32 word = (u32)out;
    for (size_t i = 0; i < countof(turns) && ok; i++)
        ok = run(d, p[turns[i]], "count", &word, 1, (DrvKernel){.global = {1}, .local = {1}}) &&
             show(d, out, 4, made);
    for (int i = 0; i < 2 && d; i++)
        drv_program_close(d, p[i]);
    drv_close(d);
    return end(ok, before);
}

static bool turns_physical(Buf *made) { return take_turns(false, made); }
static bool turns_translated(Buf *made) { return take_turns(true, made); }

static void programs_lack(void **state)
{
    (void)state;
    LACK_OF_MEMORY(turns_physical);
    LACK_OF_MEMORY(turns_translated);
}

/* --- replay files ------------------------------------------------------------------------------ */

static bool read_file(const char *name, Buf *b)
{
    char path[64], chunk[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "rb");
    must(f, "no file was written");
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, f));)
        buf_put(b, chunk, n);
    fclose(f);
    return !b->failed;
}

static bool write_launch(u64 *out)
{
    Driver *d = open_driver(false);
    DrvExport *to = drv_export_open(dir);
    bool ok = d && to && did(drv_alloc(d, 256, out)) && load(d, &image_file);
    const u32 words[2] = {(u32)*out, 5};
    ok = ok && run(d, NULL, "scale", words, 2,
                   (DrvKernel){.global = {64}, .local = {32}, .export_to = to});
    drv_export_close(to);
    drv_close(d);
    return ok;
}

static bool run_again(u64 out, Buf *made)
{
    Buf m = {0}, t = {0};
    Replay r = {.name = NULL};
    Diag diag = {.sink = NULL};
    DrvResult result;
    Driver *d = NULL;
    bool ok = read_file("scale_0.metadata", &m) && read_file("scale_0.data", &t);
    if (ok) {
        ok = replay_read("scale_0.metadata", buf_text(&m), m.len, "scale_0.data", buf_text(&t),
                         t.len, &r, &diag);
        must(ok || diag.errors, "a file was refused, and nobody said why");
    }
    ok = ok && (d = open_driver(false)) && did(replay_run(d, &r, NULL, 0, &result)) &&
         show(d, out, 256, made);
    replay_free(&r);
    drv_close(d);
    buf_free(&m);
    buf_free(&t);
    return ok;
}

static bool replays(Buf *made)
{
    const size_t before = begin(made);
    u64 out;
    return end(write_launch(&out) && run_again(out, made), before);
}

static void replay_lacks(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(dir));
    LACK_OF_MEMORY(replays);
    char path[64];
    snprintf(path, sizeof path, "%s/scale_0.metadata", dir);
    unlink(path);
    snprintf(path, sizeof path, "%s/scale_0.data", dir);
    unlink(path);
    rmdir(dir);
}

/* --- the public interface ------------------------------------------------------------------------ */

static bool answered(int s) { return did((DrvStatus)-s); }

static bool interface(Buf *made)
{
    const size_t before = begin(made);
    vt_device_h v = NULL;
    uint64_t a = 0;
    char bytes[8] = "", file[64];
    snprintf(file, sizeof file, "%s.elf", dir);
    const bool ok = answered(vt_dev_open(&v)) && answered(vt_buf_alloc(v, 8, &a, 0, 0, 0)) &&
                    answered(vt_upload_kernel_bytes(v, image_file.data, image_file.len, 0)) &&
                    answered(vt_upload_kernel_file(v, file, 0)) &&
                    answered(vt_copy_to_dev(v, a, "public", 7, 0, 0)) &&
                    answered(vt_copy_from_dev(v, a, bytes, 7, 0, 0));
    if (v)
        must(!vt_dev_close(v), "not closed");
    buf_put(made, bytes, sizeof bytes);
    return end(ok, before);
}

static void interface_lacks(void **state)
{
    char file[64];
    (void)state;
    snprintf(file, sizeof file, "%s.elf", dir);
    FILE *f = fopen(file, "wb");
    assert_true(f && fwrite(image_file.data, 1, image_file.len, f) == image_file.len && !fclose(f));
    setenv("VENTUS_ENGINE", "interp", 1);
    LACK_OF_MEMORY(interface);
    unlink(file);
}

/* --- the environment ---------------------------------------------------------------------------- */

static bool environment(Buf *made)
{
    static const struct {
        const char *name, *value;
    } wrong[] = {{"VENTUS_MMU", "x"},
                 {"VENTUS_TIMEOUT", "soon"},
                 {"VENTUS_ENGINE", "steam"},
                 {"NUM_THREAD", "5"}};
    const size_t before = begin(made);
    DeviceOptions o;
    Diag d = {.sink = NULL};
    bool ok = drv_environment(&o, &d);
    buf_printf(made, "%u lanes", ok ? o.machine.lanes : 0);
    for (size_t i = 0; i < countof(wrong); i++) { /* nor of what is refused */
        Diag bad = {.sink = NULL};
        const char *value = getenv(wrong[i].name);
        char *was = value ? strdup(value) : NULL;
        setenv(wrong[i].name, wrong[i].value, 1);
        must(!drv_environment(&o, &bad) && diag_errors(&bad), "a wrong value was taken");
        if (was)
            setenv(wrong[i].name, was, 1);
        else
            unsetenv(wrong[i].name);
        free(was);
    }
    return end(ok, before);
}

static void environment_is_read(void **state)
{
    Buf made = {0};
    char file[64];
    (void)state;
    snprintf(file, sizeof file, "%s.machine", dir);
    FILE *f = fopen(file, "w");
    assert_true(f && fputs("lanes = 8\n", f) >= 0 && !fclose(f));
    setenv("VENTUS_MACHINE", file, 1);
    setenv("VENTUS_VERBOS", "1", 1); /* which gets a warning */
#ifdef LACK_BY_MALLOC
    lack_watch(NULL);
#endif
    assert_true(environment(&made));
    assert_string_equal(buf_text(&made), "8 lanes");
    buf_free(&made);
    unsetenv("VENTUS_MACHINE");
    unsetenv("VENTUS_VERBOS");
    unlink(file);
}

/* ------------------------------------------------------------------------------------------------ */

static const char counting_text[] = "	.text\n"
                                    "	.kernel count\n"
                                    "count:	lw a1, 0(a0)\n"
                                    "	la t2, counter\n"
                                    "	lw t3, 0(t2)\n"
                                    "	addi t3, t3, 1\n"
                                    "	sw t3, 0(t2)\n"
                                    "	sw t3, 0(a1)\n"
                                    "	ret\n"
                                    "	.data\n"
                                    "counter:	.word 40\n";

static int make_images(void **state)
{
    Caught c;
    Object *crt0 = NULL, *o = assemble(counting_text, V202), *plain = make_image(GEN_B, 0, NULL);
    (void)state;
    catch_in(&c);
    assert_true(obj_read("crt0", crt0_object, crt0_object_size, &c.d, &crt0));
    Object *image =
        link_objects((const Object *const[]){crt0, o}, 2, &(LinkOptions){.output = "t"}, &c.d);
    assert_true(image && obj_write(image, &counting_file, &c.d) &&
                obj_write(plain, &image_file, &c.d));
    obj_free(crt0);
    obj_free(o);
    obj_free(image);
    obj_free(plain);
    return 0;
}

static int free_images(void **state)
{
    (void)state;
    buf_free(&image_file);
    buf_free(&counting_file);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_lacks),        cmocka_unit_test(programs_lack),
        cmocka_unit_test(replay_lacks),        cmocka_unit_test(interface_lacks),
        cmocka_unit_test(environment_is_read),
    };
    return cmocka_run_group_tests(tests, make_images, free_images);
}
