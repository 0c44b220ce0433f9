/* as.c -- the assembler as the build needs it: as IN.s OUT.o */
#include "asm/asm.h"
#include <stdio.h>

static bool read_all(const char *file, Buf *b)
{
    char part[4096];
    FILE *f = fopen(file, "rb");
    if (!f)
        return false;
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        buf_put(b, part, n);
    return !fclose(f) && !b->failed;
}

int main(int argc, char **argv)
{
    Diag d = {.sink = diag_to_file, .to = stderr};
    Buf text = {0}, elf = {0};
    if (argc != 3 || !read_all(argv[1], &text))
        return 2;
    Object *o = asm_text(argv[1], buf_text(&text), &(AsmOptions){.set = V202}, &d);
    if (!o || !obj_write(o, &elf, &d))
        return 1;
    FILE *f = fopen(argv[2], "wb");
    bool ok = f && fwrite(elf.data, 1, elf.len, f) == elf.len;
    ok = f && !fclose(f) && ok;
    obj_free(o);
    buf_free(&text);
    buf_free(&elf);
    return ok ? 0 : 1;
}
