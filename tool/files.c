/* files.c -- files, and messages on stderr. */
#include "tool/tool.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- messages --------------------------------------------------------------------- */

static bool is_coloured(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDERR_FILENO) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

void show_message(void *to, DiagKind kind, const char *message)
{
    static const char *const word[] = {"note: ", "warning: ", "error: "};
    static const char *const colour[] = {"\033[36m", "\033[35m", "\033[31m"};
    const char *at = strstr(message, word[kind]);
    FILE *f = to;
    if (!at || !is_coloured()) {
        fprintf(f, "%s\n", message);
        return;
    }
    const int len = (int)strlen(word[kind]) - 1;
    fprintf(f, "\033[1m%.*s%s%.*s\033[0m%s\n", (int)(at - message), message, colour[kind], len, at,
            at + len);
}

Diag stderr_diag(void) { return (Diag){.sink = show_message, .to = stderr, .limit = 50}; }

void file_error(Diag *d, const char *file)
{
    error(d, &(Source){.name = strcmp(file, "-") ? file : "<stdin>", .text = ""}, NULL, "%s",
          strerror(errno));
}

void out_of_memory(void)
{
    fputs("ventus: error: out of memory\n", stderr);
    exit(REFUSED);
}

int finish(int status)
{
    if (!fflush(stdout) && !ferror(stdout))
        return status;
    fprintf(stderr, "ventus: error: stdout: %s\n", strerror(errno));
    return REFUSED;
}

/* --- files ------------------------------------------------------------------------- */

static const u64 MOST_BYTES = (u64)1 << 30; /* of a file: /dev/zero has no end */

static bool read_stream(FILE *f, u64 most, Buf *to)
{
    enum { PART = 1 << 16 };
    u64 left = most;
    size_t n;
    do {
        if (!buf_reserve(to, PART))
            out_of_memory();
        n = fread(to->data + to->len, 1, left < PART ? left : PART, f);
        to->len += n;
        left -= n;
    } while (n);
    buf_put(to, "", 1); /* a NUL after the text, not part of it */
    if (to->failed)
        out_of_memory();
    to->len--;
    return !ferror(f);
}

bool read_file(const char *file, Buf *to, Diag *d)
{
    const size_t before = to->len;
    if (!read_start(file, MOST_BYTES + 1, to, d))
        return false;
    if (to->len - before <= MOST_BYTES)
        return true;
    error(d, &(Source){.name = file, .text = ""}, NULL, "more than %llu GiB",
          (unsigned long long)(MOST_BYTES >> 30));
    return false;
}

bool read_start(const char *file, u64 most, Buf *to, Diag *d)
{
    const bool is_stdin = !strcmp(file, "-");
    FILE *f = is_stdin ? stdin : fopen(file, "rb");
    bool ok = f && read_stream(f, most, to);
    if (!ok)
        file_error(d, file);
    if (f && !is_stdin)
        fclose(f);
    return ok;
}

bool write_file(const char *file, const void *bytes, size_t len, Diag *d)
{
    if (!strcmp(file, "-"))
        return fwrite(bytes, 1, len, stdout) == len;
    FILE *f = fopen(file, "wb");
    if (!f) {
        file_error(d, file);
        return false;
    }
    bool ok = !len || fwrite(bytes, 1, len, f) == len;
    ok = !fclose(f) && ok;
    if (!ok) {
        struct stat st;
        file_error(d, file);
        if (!stat(file, &st) && S_ISREG(st.st_mode))
            remove(file);
    }
    return ok;
}

bool make_directory(const char *dir, Diag *d)
{
    struct stat st;
    if (!mkdir(dir, 0777) || (errno == EEXIST && !stat(dir, &st) && S_ISDIR(st.st_mode)))
        return true;
    file_error(d, dir);
    return false;
}

char *path_join(const char *dir, const char *name)
{
    Buf b = {0};
    const size_t len = strlen(dir);
    buf_printf(&b, len && dir[len - 1] == '/' ? "%s%s" : "%s/%s", dir, name);
    if (b.failed)
        out_of_memory();
    return (char *)b.data;
}

char *path_base(const char *file, bool stem)
{
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    const char *dot = stem ? strrchr(name, '.') : NULL;
    char *copy = mem_strndup(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
    if (!copy)
        out_of_memory();
    return copy;
}
