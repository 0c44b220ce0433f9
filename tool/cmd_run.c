/* cmd_run.c -- ventus run: a kernel with no host program. */
#include "tool/args.h"
#include "tool/common.h"
#include "tool/imagespec.h"
#include "tool/signature.h"
#include "mach/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KERNELS = 256, MAX_ARGS = 1024 };

typedef struct {
    Common common;
    const char *file, *kernel;
    const char *build;                  /* options for the compiler, or NULL */
    u32 dims;                           /* as many as -g, -l or -G gave */
    u32 global[3], local[3], offset[3]; /* global[0], local[0] 0: not given */
    u32 private_min;
    const char *specs[MAX_ARGS];
    size_t nargs;
    Arg args[MAX_ARGS];
    KernelTable table; /* of the image, if it has one */
    bool partial;      /* local does not divide global */
    bool differs;      /* a buffer is not what -a says it must be */
} Run;

enum { KEY_BOUNDS = 2048 };

static const struct argp_option options[] = {
    {"kernel", 'k', "NAME", 0, "The kernel; may be left out where there is only one", 0},
    {"global", 'g', "X[,Y[,Z]]", 0, "Work-items; without it, one group", 0},
    {"local", 'l', "X[,Y[,Z]]", 0, "Work-items of a group; without it, as many as fit", 0},
    {"offset", 'G', "X[,Y[,Z]]", 0, "The first global id", 0},
    {"arg", 'a', "SPEC", 0, "An argument of the kernel, in order; see the manual", 0},
    {"build", 'B', "OPTIONS", 0, "Options of clBuildProgram for a .cl file, one string", 0},
    {"private", 'P', "BYTES", 0, "Private memory of a lane, at least", 0},
    {"bounds", KEY_BOUNDS, NULL, 0, "The same as --check=bounds", 3},
    {0},
};

/* --- options ---------------------------------------------------------------------------- */

/* X[,Y[,Z]] into n, missing ones becoming `rest` */
static void triple(struct argp_state *state, Run *r, const char *option, const char *text, u32 n[3],
                   u32 least, u32 rest)
{
    char *copy = mem_strdup(text), *p = copy;
    u32 count = 0;
    if (!copy)
        out_of_memory();
    n[0] = n[1] = n[2] = rest;
    for (char *word; (word = strsep(&p, ",")); count++) {
        if (count == 3)
            argp_error(state, "%s: more than three numbers in '%s'", option, text);
        n[count] = (u32)option_number(state, option, word, UINT32_MAX);
        if (n[count] < least)
            argp_error(state, "%s: 0 is too few", option);
    }
    r->dims = count > r->dims ? count : r->dims;
    mem_free(copy);
}

static error_t option(int key, char *arg, struct argp_state *state)
{
    Run *r = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &r->common; return 0;
    case 'k': r->kernel = arg; return 0;
    case 'B': r->build = arg; return 0;
    case 'g': triple(state, r, "-g", arg, r->global, 1, 1); return 0;
    case 'l': triple(state, r, "-l", arg, r->local, 1, 1); return 0;
    case 'G': triple(state, r, "-G", arg, r->offset, 0, 0); return 0;
    case KEY_BOUNDS: r->common.checks |= 1u << CHECK_bounds; return 0;
    case 'P': r->private_min = (u32)option_number(state, "-P", arg, 1u << 24); return 0;
    case 'a':
        if (r->nargs == MAX_ARGS)
            argp_error(state, "more than %d arguments", MAX_ARGS);
        r->specs[r->nargs++] = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (r->file)
            argp_error(state,
                       "one file at a time; '%s' is one too many (arguments of the kernel are -a)",
                       arg);
        r->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!r->file)
            argp_error(state, "no file to run");
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp_child children[] = {{&common_argp, 0, NULL, 0}, {0}};
const struct argp run_argp = {
    .options = options,
    .parser = option,
    .args_doc = "FILE",
    .children = children,
    .doc = "Runs a kernel from OpenCL C (.cl), assembly (.s), an object (.o) or an image.\v"
           "SPECs of -a:\n"
           "  i32:7 f32:1.5 f32x4:1,2,3,4    a value; also i8 u8 i16 u16 u32 i64 u64 f64\n"
           "  struct:TYPE:V,../TYPE:V..      a structure; packed: without padding\n"
           "  local:BYTES                    local memory\n"
           "  buf:TYPE:COUNT[=INIT][==WANT[~TOLERANCE]][>OUT]    a buffer\n"
           "    INIT: zero, none (nobody wrote it), iota, V, V,V,.., rand:SEED, @file\n"
           "    WANT: what it must hold afterwards, else exit status 1; like INIT\n"
           "    OUT:  - (print), -:FIRST:N (print a part), file\n"
           "  rbuf:... wbuf:...              a buffer for reading, for writing only "
           "(--check=bounds)\n"
           "  img:FILE[:FORMAT]..            an image of a PNG, PGM or PPM\n"
           "  img:W[xH[xD]][:FORMAT]..       an image; FORMAT is rgba8, r32f and so on\n"
           "    both go on as buffers do; an OUT named .png .pgm .ppm is a picture\n"
           "  sampler:WORD,WORD,..           repeat, linear, normalized and others\n",
};

static bool parse_args(Run *r, Diag *d)
{
    bool ok = true;
    for (size_t i = 0; i < r->nargs; i++)
        ok = arg_parse(r->specs[i], i, &r->args[i], d) && ok;
    return ok;
}

/* --- the index space ----------------------------------------------------------------------- */

/* the largest divisor of n up to most; a multiple of `of` if there is one */
static u32 divisor(u32 n, u32 most, u32 of)
{
    for (u32 k = most < n ? most : n; k >= of && of > 1; k--)
        if (!(n % k) && !(k % of))
            return k;
    for (u32 k = most < n ? most : n; k > 1; k--)
        if (!(n % k))
            return k;
    return 1;
}

static void choose_sizes(Run *r)
{
    const Machine *m = &r->common.device.machine;
    const u32 most = m->lanes * m->group_warps;
    if (!r->local[0]) {
        u32 left = most;
        for (int i = 0; i < 3; i++) {
            r->global[i] = r->global[i] ? r->global[i] : 1;
            r->local[i] = divisor(r->global[i], left, i ? 1 : m->lanes);
            left /= r->local[i];
        }
    } else if (!r->global[0]) {
        memcpy(r->global, r->local, sizeof r->global);
    }
    r->dims = r->dims ? r->dims : 1;
}

/* Where -l does not divide -g the last groups are smaller, if the program allows that. */
static bool check_sizes(Run *r, Diag *d)
{
    const Source src = {.name = "ventus run", .text = ""};
    for (int i = 0; i < 3; i++)
        if (r->global[i] % r->local[i]) {
            r->partial = true;
            if (!kernelinfo_allows_partial(r->table.options))
                error(d, &src, NULL,
                      "-g %u is no multiple of -l %u in dimension %d; smaller last groups are "
                      "allowed from OpenCL C 2.0 on (-B -cl-std=CL3.0)",
                      r->global[i], r->local[i], i);
        }
    return !diag_errors(d);
}

/* --- the kernel ----------------------------------------------------------------------- */

/* the name that was probably meant, or NULL */
static const char *nearest(const char *written, const char *const *names, size_t n)
{
    const char *best = NULL;
    int away = strlen(written) < 4 ? 2 : 3;
    for (size_t i = 0; i < n; i++) {
        const int k = edit_distance(written, strlen(written), names[i], strlen(names[i]), away);
        if (k < away) {
            away = k;
            best = names[i];
        }
    }
    return best;
}

static bool find_kernel(Run *r, const Object *image, Diag *d)
{
    const char *names[MAX_KERNELS];
    const Source src = {.name = r->file, .text = ""};
    const size_t all = drv_kernels(image, names, MAX_KERNELS),
                 n = all < MAX_KERNELS ? all : MAX_KERNELS;
    Buf list = {0};
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        buf_printf(&list, "%s%s", i ? ", " : "", names[i]);
        found |= r->kernel && !strcmp(r->kernel, names[i]);
    }
    if (!r->kernel && n == 1) {
        r->kernel = names[0];
        found = true;
    } else if (!r->kernel && !n) {
        error(d, &src, NULL, "it has no kernel%s",
              has_suffix(r->file, ".cl") ? ": write `kernel' before a function that returns void"
              : has_suffix(r->file, ".s")
                  ? ": write `.kernel NAME' before the label where one starts"
                  : ": write `kernel' before a function of OpenCL C, `.kernel NAME' before a "
                    "label in assembly");
    } else if (!r->kernel) {
        error(d, &src, NULL, "it has %zu kernels, -k says which: %.400s", all, buf_text(&list));
    } else if (!found && obj_find_symbol(image, r->kernel) >= 0) {
        found = true; /* hand-written code need not look like a kernel */
    } else if (!found) {
        const char *like = nearest(r->kernel, names, n);
        error(d, &src, NULL,
              like ? "no kernel '%s'; did you mean '%s'?" : "no kernel '%s'; it has %.400s",
              r->kernel,
              like ? like
              : n  ? buf_text(&list)
                   : "none");
    }
    buf_free(&list);
    return found;
}

/* --- arguments ------------------------------------------------------------------------ */

static bool upload(Run *r, Driver *driver)
{
    for (size_t i = 0; i < r->nargs; i++) {
        Arg *a = &r->args[i];
        if (a->kind != SPEC_BUFFER && a->kind != SPEC_IMAGE)
            continue;
        DrvStatus s = (a->is_high ? drv_alloc_high : drv_alloc)(driver, a->size, &a->addr);
        if (!s && !a->is_unwritten)
            s = drv_write(driver, a->addr, a->bytes, a->size);
        if (s) {
            report_failure(driver, s, r->specs[i]);
            return false;
        }
    }
    return true;
}

/* What an argument has besides the bytes of its SPEC. */
typedef union {
    u64 address;
    u32 descriptor[IMAGE_WORDS];
} ArgWords;

/* The argument as the driver takes it; info: what the kernel table says of it, or NULL. */
static DrvArg kernel_arg(const Arg *a, const KernelArg *info, ArgWords *words)
{
    const u32 size = a->is_high ? 8 : 4;
    bool layers = false;
    words->address = a->addr;
    switch (a->kind) {
    case SPEC_LOCAL: return (DrvArg){.is_local = true, .size = (u32)a->count, .align = 4};
    case SPEC_BUFFER:
        return (DrvArg){.size = size,
                        .align = size,
                        .value = &words->address,
                        .buffer = a->size,
                        .no_read = a->no_read,
                        .no_write = a->no_write};
    case SPEC_IMAGE:
        if (info)
            image_dims(info->type, &layers);
        image_descriptor(a, layers, words->descriptor);
        return (DrvArg){.size = sizeof words->descriptor,
                        .align = 4,
                        .value = words->descriptor, /* its address first */
                        .buffer = a->size};
    case SPEC_VALUE: break;
    }
    return (DrvArg){
        .size = (u32)a->size, .align = info ? info->align : a->align, .value = a->bytes};
}

static bool dump_buffer(const Run *r, size_t i, Diag *d)
{
    const Arg *a = &r->args[i];
    char name[32];
    snprintf(name, sizeof name, "arg%zu.bin", i);
    char *path = path_join(r->common.dump_to, name);
    const bool ok = write_file(path, a->bytes, a->size, d);
    mem_free(path);
    return ok;
}

/* Warns of bytes behind a buffer, on its last page, that are no longer the zeros of before the
 * launch. */
static void look_behind(const Run *r, size_t i, Driver *driver, Diag *d)
{
    u8 behind[PAGE_SIZE];
    const Arg *a = &r->args[i];
    const u64 end = a->addr + a->size, n = align_up(end, PAGE_SIZE) - end;
    u64 at = 0;
    if (!n || r->common.checks >> CHECK_bounds & 1 || drv_read(driver, end, behind, n))
        return;
    while (at < n && !behind[at])
        at++;
    if (at < n)
        warning(
            d, &(Source){.name = r->file, .text = ""}, NULL,
            "argument %zu, %s: the kernel wrote behind its end, at byte %llu; --check says where",
            i, r->specs[i], (unsigned long long)(a->size + at));
}

static bool write_out(const Arg *a, Diag *d)
{
    return a->kind == SPEC_IMAGE ? image_write(a, a->out, d)
                                 : write_file(a->out, a->bytes, a->size, d);
}

/* Copies buffers back from the device, and compares, prints and writes them as their SPECs say. */
static bool download(Run *r, Driver *driver, Diag *d)
{
    bool ok = !r->common.dump_to || make_directory(r->common.dump_to, d);
    for (size_t i = 0; ok && i < r->nargs; i++) {
        Arg *a = &r->args[i];
        Buf text = {0};
        if (a->kind == SPEC_BUFFER)
            look_behind(r, i, driver, d);
        if ((a->kind != SPEC_BUFFER && a->kind != SPEC_IMAGE) ||
            !(a->print || a->out || a->want || r->common.dump_to))
            continue;
        const DrvStatus s = drv_read(driver, a->addr, a->bytes, a->size);
        if (s) {
            report_failure(driver, s, r->specs[i]);
            return false;
        }
        if (a->print)
            arg_print(a, i, &text);
        if (text.failed)
            out_of_memory();
        fwrite(buf_text(&text), 1, text.len, stdout);
        Buf why = {0};
        if (a->want && !arg_matches(a, i, &why)) {
            error(d, &(Source){.name = r->file, .text = ""}, NULL, "%s", buf_text(&why));
            r->differs = true;
        }
        buf_free(&why);
        ok = (!a->out || write_out(a, d)) && (!r->common.dump_to || dump_buffer(r, i, d));
        buf_free(&text);
    }
    return ok;
}

/* --- the run -------------------------------------------------------------------------- */

static int launch(Run *r, Driver *driver, Watch *watch, const LaunchOptions *run, Diag *d)
{
    DrvArg *args = mem_zalloc(r->nargs, sizeof *args);
    ArgWords *words = mem_zalloc(r->nargs, sizeof *words);
    const KernelInfo *info = kernelinfo_find(&r->table, r->kernel);
    Buf print = {0};
    DrvResult result = {.warps = 0};
    if (!args || !words)
        out_of_memory();
    for (size_t i = 0; i < r->nargs; i++)
        args[i] = kernel_arg(&r->args[i], info ? &info->args[i] : NULL, &words[i]);
    DrvKernel k = {.kernel = r->kernel,
                   .compiled = info != NULL,
                   .dims = r->dims,
                   .partial = r->partial,
                   .args = args,
                   .nargs = r->nargs,
                   .private_min = r->private_min,
                   .max_insns = r->common.max_insns,
                   .run = *run,
                   .print = info && info->silent ? NULL : &print};
    if (r->common.export_to && !(k.export_to = drv_export_open(r->common.export_to)))
        out_of_memory();
    memcpy(k.global, r->global, sizeof k.global);
    memcpy(k.local, r->local, sizeof k.local);
    memcpy(k.offset, r->offset, sizeof k.offset);
    const double start = seconds_now();
    const DrvStatus s = drv_run(driver, &k, &result);
    drv_export_close(k.export_to);
    watch_launch(watch, driver, r->kernel, &result, seconds_now() - start);
    fwrite(buf_text(&print), 1, print.len, stdout);
    int status = DONE;
    if (s)
        status = report_failure(driver, s, r->file);
    else if (!download(r, driver, d))
        status = REFUSED;
    else if (r->differs)
        status = FAULTED;
    buf_free(&print);
    mem_free(args);
    mem_free(words);
    return status;
}

static int run_image(Run *r, Object *image, Diag *d)
{
    LaunchOptions run = r->common.run;
    Watch watch;
    Debugger *debugger = NULL;
    int status = REFUSED;
    Patience patience;
    patience_prepare(&patience, &r->common);
    Driver *driver = drv_open(&r->common.device);
    if (!driver)
        out_of_memory();
    patience_begin(&patience, driver);
    run.roll = &patience.roll;
    if (drv_load(driver, image, d)) {
        obj_free(image);
    } else if (watch_open(&watch, &r->common, driver, &run, d)) {
        if (upload(r, driver) && (!r->common.export_to || make_directory(r->common.export_to, d)) &&
            open_debugger(&r->common, driver, &debugger, d))
            status = launch(r, driver, &watch, &run, d);
        status = watch_close(&watch, driver, status, d);
    }
    status = patience_end(&patience, status);
    dbg_close(debugger, status);
    drv_close(driver);
    return status;
}

/* What the image says of the kernel: its arguments, and the size of its groups.  False: reported.
 */
static bool check_kernel(Run *r, const Object *image, Diag *d)
{
    kernelinfo_read(image, &r->table, d);
    if (diag_errors(d))
        return false;
    const KernelInfo *k = kernelinfo_find(&r->table, r->kernel);
    if (!k) {
        choose_sizes(r);
        return check_sizes(r, d);
    }
    if (k->reqd_local[0] && !r->local[0])
        memcpy(r->local, k->reqd_local, sizeof r->local);
    if (k->reqd_local[0] && memcmp(r->local, k->reqd_local, sizeof r->local)) {
        error(d, &(Source){.name = r->file, .text = ""}, NULL,
              "%s asks for groups of %u,%u,%u work-items", k->name, k->reqd_local[0],
              k->reqd_local[1], k->reqd_local[2]);
        return false;
    }
    choose_sizes(r);
    return check_sizes(r, d) && signature_check(k, r->file, r->args, r->specs, r->nargs, d);
}

int run_main(int argc, char **argv)
{
    Run *r = mem_zalloc(1, sizeof *r);
    Diag d = stderr_diag();
    int status = REFUSED;
    if (!r)
        out_of_memory();
    common_init(&r->common);
    r->common.export_to = env_text("VENTUS_EXPORT_REPLAY");
    parse_options(&run_argp, argc, argv, r);
    if (common_resolve(&r->common, &d) && parse_args(r, &d)) {
        Buf build = {0}; /* who debugs wants to see variables */
        buf_printf(&build, "%s%s", r->build ? r->build : "",
                   r->common.gdb || r->common.step ? " -g" : "");
        if (build.failed)
            out_of_memory();
        Object *image = load_image(r->file, r->common.device.set, buf_text(&build),
                                   check_wants_notes(r->common.checks), &d);
        buf_free(&build);
        if (image && find_kernel(r, image, &d) && check_kernel(r, image, &d))
            status = run_image(r, image, &d);
        else
            obj_free(image);
    }
    for (size_t i = 0; i < r->nargs; i++)
        arg_free(&r->args[i]);
    kernelinfo_free(&r->table);
    mem_free(r);
    return status;
}
