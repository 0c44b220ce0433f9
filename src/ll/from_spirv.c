/* from_spirv.c -- SPIR-V to bitcode: the validator of spirv-tools, then the translator of
 * llvm-spirv, each a process within the limits of this one.
 *
 * The translator takes what is valid for granted and aborts otherwise, so nothing reaches it that
 * was not validated; and if it aborts all the same, that is an error like any other.
 */
#include "ll/from_spirv.h"
#include "base/fdio.h"
#include "comp/spirv.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MODULE, RESULT, SAID, FILES };
enum { SAID_MOST = 1 << 20 };

static bool fail(const Request *q, Diag *d, const char *why)
{
    error(d, &(Source){.name = q->opt.name, .text = ""}, NULL, "%s", why);
    return false;
}

static int run_tool(void *argv)
{
    char *const *words = argv;
    lseek(MODULE, 0, SEEK_SET);
    execv(words[0], words);
    return 127;
}

/* Runs the tool on the module; its output and what it says follow.  False: it failed. */
static bool run(const char *const argv[], int file[FILES], ProcResult *r)
{
    for (int i = RESULT; i < FILES; i++)
        if (ftruncate(file[i], 0) || lseek(file[i], 0, SEEK_SET))
            return false;
    const int why = proc_here(file, FILES, run_tool, (void *)(uintptr_t)argv, r);
    if (why)
        *r = (ProcResult){PROC_LOST, why};
    return !why && r->how == PROC_EXITED && !r->code;
}

/* What the tool said, up to where it begins to speak of itself. */
static bool refuse(const Request *q, const char *what, int said, const ProcResult *r, Diag *d)
{
    Buf text = {0}, all = {0};
    fd_read(said, SAID_MOST, &text);
    const char *at = text.len ? strstr(buf_text(&text), "PLEASE submit a bug report") : NULL;
    int len = (int)(at ? (size_t)(at - buf_text(&text)) : text.len);
    while (len && buf_text(&text)[len - 1] == '\n')
        len--;
    buf_printf(&all, "%s%s%.*s", what, len ? ": " : "", len, buf_text(&text));
    if (!len)
        buf_printf(&all, " (%s %d)", r->how == PROC_SIGNALLED ? "signal" : "status", r->code);
    fail(q, d, buf_text(&all));
    buf_free(&text);
    buf_free(&all);
    return false;
}

static bool check(const Request *q, Diag *d)
{
    SpirvFacts f;
    char line[160];
    if (!spirv_look(q->inputs[0].data, q->inputs[0].len, &f))
        return fail(q, d, "this is no SPIR-V module, or it ends too early");
    if (f.minor > SPIRV_MINOR) {
        snprintf(line, sizeof line, "SPIR-V 1.%u is newer than 1.%d", f.minor, SPIRV_MINOR);
        return fail(q, d, line);
    }
    if (f.pointer_bits != 32)
        return fail(
            q, d, "the module is not for addresses of 32 bits (Physical32), which this device has");
    return true;
}

static bool open_files(const Request *q, int file[FILES])
{
    bool ok = true;
    for (int i = 0; i < FILES; i++) {
        file[i] = memfd_create("spirv", MFD_CLOEXEC);
        ok = ok && file[i] >= 0;
    }
    return ok && fd_write(file[MODULE], q->inputs[0].data, q->inputs[0].len);
}

/* The file gets the module as the translator takes it. */
static bool spell(const Request *q, int file)
{
    Buf b = {0};
    const bool ok = spirv_spell(q->inputs[0].data, q->inputs[0].len, &b) && !ftruncate(file, 0) &&
                    !lseek(file, 0, SEEK_SET) && fd_write(file, b.data, b.len);
    buf_free(&b);
    return ok;
}

bool translate_spirv(const Request *q, Front *f, Diag *d)
{
    u32 version = 0;
    const char *validator = spirv_validator(), *translator = spirv_translator(&version);
    int file[FILES];
    ProcResult r;
    if (!validator || !translator)
        return fail(q, d,
                    "SPIR-V needs Debian's packages spirv-tools and llvm-spirv-15 (or newer)");
    if (front_is_last(q->opt.output))
        return fail(q, d, "such an output is made of OpenCL C, not of SPIR-V");
    if (!check(q, d))
        return false;
    const char *const validate[] = {validator, "--target-env", "spv1.4", "-", NULL};
    const char *const translate[] = {translator,        "-r", "--spirv-target-env=CL2.0", "-o", "-",
                                     "/proc/self/fd/0", NULL};
    bool ok = open_files(q, file) || fail(q, d, strerror(errno));
    if (ok && !run(validate, file, &r))
        ok = refuse(q, "the module is not valid", file[SAID], &r, d);
    if (ok && !spell(q, file[MODULE]))
        ok = fail(q, d, "out of memory");
    if (ok && !run(translate, file, &r))
        ok = refuse(q, "the module cannot be translated", file[SAID], &r, d);
    if (ok && !fd_read(file[RESULT], q->limits.file, &f->out))
        ok = fail(q, d, "the translator's output cannot be read");
    for (int i = 0; i < FILES; i++)
        if (file[i] >= 0)
            close(file[i]);
    f->files_known = files_note((Bytes){(const u8 *)"", 0}, NULL, &f->files);
    return ok;
}
