/* verbose_asm.c -- the lines of the source between those of assembly.
 *
 * The compiler writes `# FILE:LINE' where the place changes; the text of that line follows it here,
 * where the file can be read.
 */
#include "tool/tool.h"
#include <stdlib.h>
#include <string.h>

/* The file that was read last. */
typedef struct {
    char *name;
    Buf text;
} LastFile;

/* the name and the number in a line that tells a place; false: it is another line */
static bool read_place(const char *line, size_t len, size_t *name_len, unsigned long *number)
{
    static const char start[] = "\t# ";
    size_t colon = len;
    while (colon && line[colon - 1] != ':')
        colon--;
    char *end;
    if (len <= strlen(start) || strncmp(line, start, strlen(start)) != 0 || colon <= strlen(start))
        return false;
    *name_len = colon - 1 - strlen(start);
    *number = strtoul(line + colon, &end, 10);
    return end == line + len && *number;
}

static bool open_file(LastFile *f, const char *name, size_t len)
{
    if (f->name && strlen(f->name) == len && !memcmp(f->name, name, len))
        return f->text.len;
    Buf quiet = {0};
    Diag d = {.sink = diag_to_buf, .to = &quiet};
    mem_free(f->name);
    buf_free(&f->text);
    f->name = mem_strndup(name, len);
    const bool ok = f->name && read_file(f->name, &f->text, &d);
    buf_free(&quiet);
    return ok;
}

static void put_line(Buf *out, const char *text, unsigned long number)
{
    for (; number > 1 && (text = strchr(text, '\n')); number--)
        text++;
    if (text && *text)
        buf_printf(out, "\t#\t%.*s\n", (int)strcspn(text, "\r\n"), text);
}

bool add_source_lines(Buf *assembly)
{
    Buf out = {0};
    LastFile file = {0};
    for (const char *p = buf_text(assembly); *p;) {
        const size_t len = strcspn(p, "\n"), step = len + (p[len] == '\n');
        size_t name_len;
        unsigned long number;
        buf_put(&out, p, step);
        if (read_place(p, len, &name_len, &number) && open_file(&file, p + 3, name_len))
            put_line(&out, buf_text(&file.text), number);
        p += step;
    }
    const bool ok = !out.failed;
    if (ok) {
        buf_free(assembly);
        *assembly = out;
    } else {
        buf_free(&out);
    }
    mem_free(file.name);
    buf_free(&file.text);
    return ok;
}
