/* replay_test.c -- replay files: every variant read, classic ones written, run. */
#include "test/kit/leftover.h"
#include "test/kit/kernels.h"
#include "drv/drv.h"
#include <unistd.h>

/* --- texts ---------------------------------------------------------------------------- */

static void put_value(Buf *b, u64 v)
{
    buf_printf(b, "%08x\n%08x\n", (u32)v, (u32)(v >> 32));
}

typedef struct {
    bool has_start, has_extension;
    u64 n;                  /* buffers */
    u64 base[4], size[4], alloc[4];
} Shape;

static void put_metadata(Buf *b, const Shape *s)
{
    if (s->has_start)
        put_value(b, 0x80000000);
    for (u64 i = 0; i < 12; i++)
        put_value(b, i ? 100 + i : 0);
    for (u64 i = 0; i < 10 && s->has_extension; i++)
        put_value(b, 1);
    put_value(b, s->n);
    for (u64 i = 0; i < s->n; i++)
        put_value(b, s->base[i]);
    for (u64 i = 0; i < s->n; i++)
        put_value(b, s->size[i]);
    for (u64 i = 0; i < s->n; i++)
        put_value(b, s->alloc[i]);
}

static const Shape usual = {
    .has_start = true, .n = 3, .base = {0x90000000, 0x80000000, 0x90001000}, .size = {6, 8, 0},
    .alloc = {4096, 0x10000000, 0x8000},
};
static const char usual_data[] = "03020100\n00000504\ndeadbeef\n00000013\n";

static bool read_texts(const char *metadata, const char *data, Replay *r, Caught *c)
{
    return replay_read("dir/k_0.metadata", metadata, strlen(metadata), "dir/k_0.data", data,
                       strlen(data), r, &c->d);
}

static void check_usual(const Replay *r)
{
    assert_string_equal(r->name, "k_0");
    assert_int_equal(r->start, 0x80000000);
    assert_int_equal(r->record.kernel_id, 0);
    assert_int_equal(r->record.kernel_size[2], 103);
    assert_int_equal(r->record.wf_size, 104);
    assert_int_equal(r->record.metadata_base, 106);
    assert_int_equal(r->record.pds_base, 111);
    assert_int_equal(r->nbuffers, 3);
    assert_int_equal(r->buffers[0].base, 0x90000000);
    assert_int_equal(r->buffers[0].size, 6);
    assert_memory_equal(r->buffers[0].data, "\0\1\2\3\4\5", 6);
    assert_int_equal(r->buffers[1].alloc, 0x10000000);
    assert_memory_equal(r->buffers[1].data, "\xef\xbe\xad\xde\x13\0\0\0", 8);
    assert_null(r->buffers[2].data);
    assert_int_equal(r->buffers[2].alloc, 0x8000);
}

static void reads(const char *metadata, const char *data, u32 extra)
{
    Replay r;
    Caught c;
    catch_in(&c);
    if (!read_texts(metadata, data, &r, &c))
        fail_msg("%s", buf_text(&c.text));
    expect_silence(&c);
    check_usual(&r);
    assert_int_equal(r.extra, extra);
    replay_free(&r);
}

static void reads_every_variant(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        Shape s = usual;
        Buf m = {0};
        s.has_start = variant & 1;
        s.has_extension = variant & 2;
        put_metadata(&m, &s);
        assert_int_equal(m.len, 9 * 2 * (12 + (variant & 1) + (variant & 2 ? 10 : 0) + 1 + 9));
        reads(buf_text(&m), usual_data, variant & 2 ? 10 : 0);
        buf_free(&m);
    }
}

/* The text with each newline replaced. */
static char *with_newlines(const char *text, const char *newline)
{
    Buf b = {0};
    for (; *text; text++)
        *text == '\n' ? buf_str(&b, newline) : buf_put(&b, text, 1);
    return (char *)b.data;
}

static void reads_loose_texts(void **state)
{
    (void)state;
    static const char *const newlines[] = {"\r\n", "\n\n", " \t\n", "    // what it is\n", "//\xe6\x8c\n"};
    Buf m = {0};
    put_metadata(&m, &usual);
    for (size_t i = 0; i < countof(newlines); i++) {
        char *metadata = with_newlines(buf_text(&m), newlines[i]);
        char *data = with_newlines("03020100\n504\nDEADBEEF\n13\n", newlines[i]);
        reads(metadata, data, 0);
        mem_free(metadata);
        mem_free(data);
    }
    m.data[m.len - 1] = 0; /* no newline at the end */
    reads(buf_text(&m), "03020100\n00000504\ndeadbeef\n00000013", 0);
    buf_free(&m);
}

/* --- malformed ones --------------------------------------------------------------------- */

static void refuses(const char *metadata, const char *data, const char *message)
{
    Replay r;
    Caught c;
    catch_in(&c);
    assert_false(read_texts(metadata, data, &r, &c));
    expect_error(&c, message);
    assert_null(r.buffers);
}

static void refuses_shape(Shape s, const char *message)
{
    Buf m = {0};
    put_metadata(&m, &s);
    refuses(buf_text(&m), usual_data, message);
    buf_free(&m);
}

static void refuses_malformed_metadata(void **state)
{
    (void)state;
    Shape s = usual;
    Buf m = {0};
    put_metadata(&m, &usual);
    refuses("", "", "k_0.metadata:1:1: error: the file ends before the number of buffers");
    refuses("80000000\n0\n", "", "the file ends before the number of buffers");
    refuses("80000000\n0\n12345678g\n", "", "k_0.metadata:3:1: error: expected up to 8 hexadecimal");
    refuses("80000000\n000000000\n", "", "k_0.metadata:2:1: error: expected up to 8 hexadecimal");
    refuses("80000000\n-1\n", "", "k_0.metadata:2:1: error: expected up to 8 hexadecimal");
    refuses("80000000\n0\n  1\n", "", "k_0.metadata:3:3: error: the high word of this value is missing");
    buf_str(&m, "1\n0\n");
    refuses(buf_text(&m), usual_data, "k_0.metadata:27:1: error: the number of buffers does not agree");
    buf_free(&m);
    s.base[1] = (u64)1 << 32;
    refuses_shape(s, "k_0.metadata:31:1: error: the address of a buffer has more than 32 bits");
    s = usual, s.alloc[2] = 0x70000000;
    refuses_shape(s, "k_0.metadata:45:1: error: the buffer does not end below 4 GiB");
    s = usual, s.alloc[2] = UINT64_MAX;
    refuses_shape(s, "k_0.metadata:45:1: error: the buffer does not end below 4 GiB");
    s = usual, s.size[2] = UINT64_MAX - 2;
    refuses_shape(s, "k_0.metadata:39:1: error: the buffer does not end below 4 GiB");
    s = usual, s.size[2] = 0x6fff0000; /* as much as there is not */
    refuses_shape(s, "k_0.data:5:1: error: the file ends too early");
}

/* Counts that multiply to what fits, or ask for more than any file has. */
static void refuses_hostile_counts(void **state)
{
    (void)state;
    static const u64 counts[] = {0, 1, 2, 4, 5, 1000000, UINT32_MAX, (u64)1 << 61, 0x5555555555555559,
                                 0xaaaaaaaaaaaaaaad, UINT64_MAX};
    for (size_t i = 0; i < countof(counts); i++) {
        Buf m = {0}, end = {0};
        put_metadata(&m, &usual);
        put_value(&end, counts[i]);
        memcpy(m.data + 9 * 2 * 13, end.data, end.len);
        refuses(buf_text(&m), usual_data, "number of buffers does not agree");
        buf_free(&m);
        buf_free(&end);
    }
}

static void refuses_malformed_data(void **state)
{
    (void)state;
    Buf m = {0};
    Replay r;
    Caught c;
    put_metadata(&m, &usual);
    refuses(buf_text(&m), "", "k_0.data:1:1: error: the file ends too early");
    refuses(buf_text(&m), "03020100\n504\ndeadbeef\n", "k_0.data:4:1: error: the file ends too early");
    refuses(buf_text(&m), "03020100\n504\n0xdeadbe\n13", "k_0.data:3:1: error: expected up to 8");
    refuses(buf_text(&m), "0000000003020100\n504\n00000000\n13", "k_0.data:1:1: error: expected up to 8");
    catch_in(&c); /* too much: said, and left */
    assert_true(read_texts(buf_text(&m), "03020100\n504\ndeadbeef\n13\n1\n", &r, &c));
    assert_int_equal(c.d.warnings, 1);
    assert_non_null(strstr(buf_text(&c.text), "k_0.data:5:1: warning: more data than the buffers take"));
    buf_free(&c.text);
    replay_free(&r);
    buf_free(&m);
}

/* A text need not end in a NUL, and a NUL is no digit. */
static void takes_bytes(void **state)
{
    (void)state;
    Buf m = {0};
    Replay r;
    Caught c;
    catch_in(&c);
    put_metadata(&m, &usual);
    char *exact = malloc(m.len), *data = malloc(4);
    memcpy(exact, m.data, m.len);
    memcpy(data, "1\0\n2", 4);
    assert_false(replay_read("m", exact, m.len, "d", data, 4, &r, &c.d));
    expect_error(&c, "d:1:1: error: expected up to 8 hexadecimal digits");
    free(exact);
    free(data);
    buf_free(&m);
}

/* --- writing ------------------------------------------------------------------------------ */

static void writes_what_it_read(void **state)
{
    (void)state;
    static const char data[] = "03020100\n99990504\ndeadbeef\n00000013\n"; /* padding is kept */
    Buf m = {0}, m2 = {0}, d2 = {0};
    Replay r;
    Caught c;
    catch_in(&c);
    put_metadata(&m, &usual);
    assert_true(read_texts(buf_text(&m), data, &r, &c));
    replay_write(&r, &m2, &d2);
    assert_string_equal(buf_text(&m2), buf_text(&m));
    assert_string_equal(buf_text(&d2), data);
    replay_free(&r);
    buf_free(&m);
    buf_free(&m2);
    buf_free(&d2);
}

/* --- running -------------------------------------------------------------------------------- */

static Driver *open_driver(bool mmu)
{
    DeviceOptions o = dev_defaults();
    o.mmu = mmu;
    Driver *d = drv_open(&o);
    assert_non_null(d);
    return d;
}

/* A launch of `scale` with 4 groups of 2 warps of 8, as the public tools would dump it. */
static Replay make_launch(u32 factor, u64 out, bool has_out)
{
    Object *image = make_image(GEN_B, 0, NULL);
    const Buf *code = &image->segments[0].data;
    const u32 args[2] = {(u32)out, factor};
    const u32 knl[16] = {image->symbols[obj_find_symbol(image, "scale")].value, 0x90010000, 1, 64, 1, 1,
                         16, 1, 1};
    const struct { u64 base, size, alloc; const void *data; } rows[] = {
        {0x7ffff000, 4, 4096, args}, /* local memory: not the host's */
        {0x90010000, sizeof args, sizeof args, args},
        {CODE_LO, code->len, 0x10000000, code->data},
        {0x90020000, 0, 4 * 16 * 4096, NULL},
        {0x90060000, sizeof knl, sizeof knl, knl},
        {out, has_out ? 8 : 0, 256, args},
    };
    Replay r = {.name = mem_strdup("scale_0"), .start = CODE_LO, .nbuffers = countof(rows)};
    r.buffers = mem_zalloc(countof(rows), sizeof *r.buffers);
    for (size_t i = 0; i < countof(rows); i++) {
        u8 *bytes = rows[i].size ? mem_zalloc(align_up(rows[i].size, 4), 1) : NULL;
        if (bytes)
            memcpy(bytes, rows[i].data, rows[i].size);
        r.buffers[i] = (struct ReplayBuffer){rows[i].base, rows[i].size, rows[i].alloc, bytes};
    }
    r.record = (DrvRecord){.kernel_size = {4, 1, 1}, .wf_size = 8, .wg_size = 2,
                           .metadata_base = 0x90060000, .lds_size = 0x1000, .pds_size = 0x1000,
                           .sgpr_usage = 64, .vgpr_usage = 64, .pds_base = 0x90020000};
    obj_free(image);
    return r;
}

static void expect_run(Driver *d, Replay *r, DrvStatus wanted, const char *text)
{
    DrvResult result;
    Buf b = {0};
    const DrvStatus got = replay_run(d, r, NULL, 100000, &result);
    if (got)
        drv_last_error(d, &b);
    if (got != wanted || !strstr(buf_text(&b), text))
        fail_msg("%s: %s", drv_status_name(got), buf_text(&b));
    buf_free(&b);
    replay_free(r);
}

static void expect_scaled(Driver *d, u64 out, u32 factor)
{
    u32 got[64];
    assert_int_equal(drv_read(d, out, got, sizeof got), DRV_OK);
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(got[i], i * factor);
}

static void runs_a_sequence(void **state)
{
    (void)state;
    for (int mmu = 0; mmu < 2; mmu++) {
        Driver *d = open_driver(mmu);
        u32 word;
        Replay r = make_launch(3, 0x90000000, true);
        expect_run(d, &r, DRV_OK, "");
        expect_scaled(d, 0x90000000, 3);
        /* what came before stays, whole pages at a time */
        r = make_launch(5, 0x90000100, false);
        expect_run(d, &r, DRV_OK, "");
        expect_scaled(d, 0x90000000, 3);
        expect_scaled(d, 0x90000100, 5);
        /* a buffer over two of before, and over a page that nobody had */
        r = make_launch(7, 0x90005000, false);
        r.buffers[5].base = 0x90000400;
        r.buffers[5].alloc = 0x8000;
        expect_run(d, &r, DRV_OK, "");
        expect_scaled(d, 0x90000100, 5);
        expect_scaled(d, 0x90005000, 7);
        assert_int_equal(drv_read(d, 0x90000400, &word, 4), DRV_OK);
        assert_int_equal(word, 0);
        assert_int_equal(drv_read(d, 0x90000000, &word, 4), DRV_OK);
        /* below local memory, and below that too */
        r = make_launch(9, 0x10000000, false);
        expect_run(d, &r, DRV_OK, "");
        r = make_launch(9, 0x2000, false);
        expect_run(d, &r, DRV_OK, "");
        expect_scaled(d, 0x2000, 9);
        assert_int_equal(drv_free_all(d), DRV_OK);
        assert_int_equal(drv_bytes_used(d), 0);
        drv_close(d);
    }
}

static void refuses_what_cannot_run(void **state)
{
    (void)state;
    Driver *d = open_driver(false);
    Replay r = make_launch(3, 0x90000000, true);
    r.buffers[2].base = 0x90300000; /* no code where warps start */
    expect_run(d, &r, DRV_NO_PROGRAM, "nothing at 0x80000000");
    r = make_launch(3, 0x90000000, true);
    r.buffers[5].base = LDS_LO - 0x1000;
    r.buffers[5].alloc = 0x2000;
    expect_run(d, &r, DRV_OUT_OF_RANGE, "buffer of 8192 bytes at 0x6ffff000");
    r = make_launch(3, 0x90000000, true);
    r.buffers[2].base = CODE_END - 4;
    expect_run(d, &r, DRV_OUT_OF_RANGE, "bytes of code at 0x8ffffffc");
    r = make_launch(3, 0x90000000, true);
    r.record.wf_size = 64;
    expect_run(d, &r, DRV_BAD_SIZE, "64 threads");
    r = make_launch(3, 0xc0000000, false);
    r.buffers[5].alloc = 0;
    expect_run(d, &r, DRV_FAULT, "store to unmapped memory: 0xc00000");
    drv_close(d);
}

/* Private memory that holds one group: groups take turns, results stay. */
static void runs_with_little_private_memory(void **state)
{
    (void)state;
    Driver *d = open_driver(false);
    for (u64 bytes = 0; bytes <= 0x20000; bytes += 0x8000) {
        Replay r = make_launch(3, 0x90000000, true);
        r.buffers[3].alloc = bytes;
        expect_run(d, &r, DRV_OK, "");
        expect_scaled(d, 0x90000000, 3);
    }
    drv_close(d);
}

/* --- exported launches ------------------------------------------------------------------------ */

static char *read_file(const char *dir, const char *name, size_t *len)
{
    char path[600];
    Buf b = {0};
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    for (int c; (c = getc(f)) != EOF;)
        buf_put(&b, &(char){(char)c}, 1);
    fclose(f);
    unlink(path);
    *len = b.len;
    return (char *)b.data;
}

static void replay_file(const char *dir, const char *metadata, const char *data, u64 out, u32 factor)
{
    size_t mlen, dlen;
    char *m = read_file(dir, metadata, &mlen), *t = read_file(dir, data, &dlen);
    Replay r;
    Caught c;
    Driver *d = open_driver(false);
    catch_in(&c);
    if (!replay_read(metadata, m, mlen, data, t, dlen, &r, &c.d))
        fail_msg("%s", buf_text(&c.text));
    expect_run(d, &r, DRV_OK, "");
    expect_scaled(d, out, factor);
    drv_close(d);
    mem_free(m);
    mem_free(t);
}

static void exports_what_can_be_replayed(void **state)
{
    (void)state;
    char dir[] = "/tmp/replay_test.XXXXXX";
    assert_non_null(mkdtemp(dir));
    for (int mmu = 0; mmu < 2; mmu++) {
        Driver *d = open_driver(mmu);
        Caught c;
        u64 out;
        DrvResult result;
        catch_in(&c);
        assert_int_equal(drv_load(d, make_image(GEN_C, 68, NULL), &c.d), DRV_OK);
        assert_int_equal(drv_alloc(d, 256, &out), DRV_OK);
        const u32 arg[] = {(u32)out, 21};
        const DrvArg args[] = {{.size = 4, .align = 4, .value = &arg[0]},
                               {.size = 4, .align = 4, .value = &arg[1]}};
        const DrvKernel k = {.kernel = "scale", .dims = 1, .global = {64}, .local = {16}, .args = args,
                             .nargs = 2, .export_to = drv_export_open(dir)};
        assert_int_equal(drv_run(d, &k, &result), DRV_OK);
        assert_int_equal(drv_run(d, &k, &result), DRV_OK);
        drv_export_close(k.export_to);
        drv_close(d);
        replay_file(dir, "scale_0.metadata", "scale_0.data", out, 21);
        replay_file(dir, "scale_1.metadata", "scale_1.data", out, 21);
    }
    rmdir(dir);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(reads_every_variant),
        cmocka_unit_test(reads_loose_texts),
        cmocka_unit_test(refuses_malformed_metadata),
        cmocka_unit_test(refuses_hostile_counts),
        cmocka_unit_test(refuses_malformed_data),
        cmocka_unit_test(takes_bytes),
        cmocka_unit_test(writes_what_it_read),
        cmocka_unit_test(runs_a_sequence),
        cmocka_unit_test(refuses_what_cannot_run),
        cmocka_unit_test(runs_with_little_private_memory),
        cmocka_unit_test(exports_what_can_be_replayed),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
