/* cmd_replay.c -- ventus replay: launches kept in .metadata and .data files.
 *
 * The files of a sequence run in the order given, on one device whose memory persists.
 */
#include "tool/common.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Common common;
    const char *verify; /* directory of --verify, or NULL */
    char **files;
    int nfiles;
    bool bounds;     /* only buffers are memory */
    bool differs;    /* a buffer differs from what --verify has */
    size_t verified; /* buffers that were compared */
} Sequence;

enum { KEY_VERIFY = 1024, KEY_BOUNDS };

static const struct argp_option options[] = {
    {"verify", KEY_VERIFY, "DIR", 0, "Compare buffers with the files of an earlier --dump-buffers",
     3},
    {"bounds", KEY_BOUNDS, NULL, 0,
     "Only buffers are memory; else all from 0x90000000 on is, as in hardware", 1},
    {0},
};

static error_t option(int key, char *arg, struct argp_state *state)
{
    Sequence *r = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &r->common; return 0;
    case KEY_VERIFY: r->verify = arg; return 0;
    case KEY_BOUNDS: r->bounds = true; return 0;
    case ARGP_KEY_ARGS:
        r->files = state->argv + state->next;
        r->nfiles = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        if (!r->nfiles)
            argp_error(state, "no files to replay");
        if (r->nfiles % 2)
            argp_error(state, "files come in pairs: X.metadata X.data; '%s' is alone",
                       r->files[r->nfiles - 1]);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp_child children[] = {{&common_argp, 0, NULL, 0}, {0}};
const struct argp replay_argp = {
    .options = options,
    .parser = option,
    .args_doc = "X.metadata X.data [Y.metadata Y.data]...",
    .children = children,
    .doc = "Runs launches from replay files, in order, on one device whose memory persists.  Lanes "
           "and "
           "warps are those of the files.",
};

/* --- files ------------------------------------------------------------------------------- */

static bool read_pair(const char *metadata, const char *data, Replay *r, Diag *d)
{
    Buf m = {0}, b = {0};
    const bool ok = read_file(metadata, &m, d) && read_file(data, &b, d) &&
                    replay_read(metadata, buf_text(&m), m.len, data, buf_text(&b), b.len, r, d);
    buf_free(&m);
    buf_free(&b);
    return ok;
}

static bool write_pair(const char *dir, int number, const Replay *r, Diag *d)
{
    Buf metadata = {0}, data = {0};
    char name[256];
    replay_write(r, &metadata, &data);
    if (metadata.failed || data.failed)
        out_of_memory();
    snprintf(name, sizeof name, "%d-%.200s.metadata", number, r->name);
    char *first = path_join(dir, name);
    snprintf(name, sizeof name, "%d-%.200s.data", number, r->name);
    char *second = path_join(dir, name);
    const bool ok = write_file(first, buf_text(&metadata), metadata.len, d) &&
                    write_file(second, buf_text(&data), data.len, d);
    mem_free(first);
    mem_free(second);
    buf_free(&metadata);
    buf_free(&data);
    return ok;
}

/* --- buffers ------------------------------------------------------------------------------- */

static char *buffer_file(const char *dir, int launch, u64 base)
{
    char name[48];
    snprintf(name, sizeof name, "%d-%08llx.bin", launch, (unsigned long long)base);
    return path_join(dir, name);
}

static void compare(Sequence *r, const char *file, const u8 *bytes, u64 size, Diag *d)
{
    Buf want = {0};
    const Source src = {.name = file, .text = ""};
    u64 at = 0;
    FILE *exists = fopen(file, "rb");
    if (!exists)
        return;
    fclose(exists);
    if (!read_file(file, &want, d)) {
        buf_free(&want);
        r->differs = true;
        return;
    }
    r->verified++;
    while (at < size && at < want.len && bytes[at] == want.data[at])
        at++;
    if (at < size && at < want.len)
        error(d, &src, NULL, "byte %llu is 0x%02x there, 0x%02x here", (unsigned long long)at,
              want.data[at], bytes[at]);
    else if (size != want.len)
        error(d, &src, NULL, "%zu bytes there, %llu here", want.len, (unsigned long long)size);
    r->differs |= at < size || size != want.len;
    buf_free(&want);
}

/* writes and compares one buffer after a launch */
static bool use_buffer(Sequence *r, Driver *driver, int launch, const struct ReplayBuffer *b,
                       Diag *d)
{
    u8 *bytes = mem_alloc(b->size);
    bool ok = true;
    if (!bytes)
        out_of_memory();
    const DrvStatus s = b->size ? drv_read(driver, b->base, bytes, b->size) : DRV_OK;
    if (s) {
        mem_free(bytes);
        report_failure(driver, s, "--dump-buffers");
        return false;
    }
    if (r->common.dump_to) {
        char *file = buffer_file(r->common.dump_to, launch, b->base);
        ok = write_file(file, bytes, b->size, d);
        mem_free(file);
    }
    if (r->verify) {
        char *file = buffer_file(r->verify, launch, b->base);
        compare(r, file, bytes, b->size, d);
        mem_free(file);
    }
    mem_free(bytes);
    return ok;
}

static bool use_buffers(Sequence *r, Driver *driver, int launch, const Replay *replay, Diag *d)
{
    bool ok = true;
    for (size_t i = 0; ok && i < replay->nbuffers; i++) {
        const struct ReplayBuffer *b = &replay->buffers[i];
        /* a host cannot see local memory */
        if (b->base != replay->record.pds_base && !(b->base >= LDS_LO && b->base < LDS_END))
            ok = use_buffer(r, driver, launch, b, d);
    }
    return ok;
}

/* --- the sequence ----------------------------------------------------------------------------- */

static int run_one(Sequence *r, Driver *driver, int launch, Watch *watch, const LaunchOptions *run,
                   Diag *d)
{
    Replay replay = {0};
    DrvResult result = {.warps = 0};
    const char *file = r->files[launch * 2];
    if (!read_pair(file, r->files[launch * 2 + 1], &replay, d))
        return REFUSED;
    const double start = seconds_now();
    const DrvStatus s = replay_run(driver, &replay, run, r->common.max_insns, &result);
    watch_launch(watch, driver, file, &result, seconds_now() - start);
    int status = DONE;
    if (s)
        status = report_failure(driver, s, file);
    else if ((r->common.dump_to || r->verify) && !use_buffers(r, driver, launch, &replay, d))
        status = REFUSED;
    if (r->common.export_to && !write_pair(r->common.export_to, launch, &replay, d))
        status = REFUSED;
    replay_free(&replay);
    return status;
}

static int run_all(Sequence *r, Driver *driver, Diag *d)
{
    LaunchOptions run = r->common.run;
    Watch watch;
    int status = DONE;
    if (!watch_open(&watch, &r->common, driver, &run, d))
        return REFUSED;
    for (int i = 0; status == DONE && i < r->nfiles / 2; i++)
        status = run_one(r, driver, i, &watch, &run, d);
    status = watch_close(&watch, driver, status, d);
    if (status == DONE && r->verify && !r->verified) {
        error(d, &(Source){.name = r->verify, .text = ""}, NULL,
              "no file of these launches is there");
        status = REFUSED;
    }
    return status == DONE && r->differs ? FAULTED : status;
}

int replay_main(int argc, char **argv)
{
    Sequence r = {.nfiles = 0};
    Diag d = stderr_diag();
    common_init(&r.common);
    r.common.device.any_barrier = true; /* test vectors are the machine's, not the language's */
    parse_options(&replay_argp, argc, argv, &r);
    if (!common_resolve(&r.common, &d) ||
        (r.common.dump_to && !make_directory(r.common.dump_to, &d)) ||
        (r.common.export_to && !make_directory(r.common.export_to, &d)))
        return REFUSED;
    Patience patience;
    patience_prepare(&patience, &r.common);
    r.common.device.all_lanes |= r.common.device.machine.every_lane;
    Driver *driver = drv_open(&r.common.device);
    if (!driver)
        out_of_memory();
    patience_begin(&patience, driver);
    r.common.run.roll = &patience.roll;
    if (!r.bounds)
        memory_map(dev_memory(drv_device(driver)), HEAP_LO, ((u64)1 << 32) - HEAP_LO,
                   MEM_R | MEM_W);
    Debugger *debugger;
    const bool ok = open_debugger(&r.common, driver, &debugger, &d);
    const int status = patience_end(&patience, ok ? run_all(&r, driver, &d) : REFUSED);
    dbg_close(debugger, status);
    drv_close(driver);
    return status;
}
