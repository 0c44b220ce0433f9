/* embed.c -- files as C arrays, for the build.
 *
 *   embed NAME FILE     const unsigned char NAME[] and const size_t NAME_size
 *   embed machine FILE.machine...   the table machine_texts of mach/machine.h
 */
#include <stdio.h>
#include <string.h>

static int put_bytes(FILE *f)
{
    int c, n = 0;
    while ((c = getc(f)) != EOF)
        printf("%s%d,", n++ % 20 ? "" : "\n    ", c);
    return ferror(f);
}

static int put_array(const char *name, const char *file)
{
    FILE *f = fopen(file, "rb");
    if (!f)
        return 1;
    printf("#include <stddef.h>\nextern const unsigned char %s[];\nextern const size_t %s_size;\n"
           "const unsigned char %s[] = {",
           name, name, name);
    int bad = put_bytes(f);
    printf("\n};\nconst size_t %s_size = sizeof %s;\n", name, name);
    fclose(f);
    return bad;
}

/* the name is the file's without directory and suffix; the text ends in a NUL */
static int put_machine(const char *file)
{
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    FILE *f = fopen(file, "rb");
    if (!f)
        return 1;
    printf("    {\"%.*s\", (const char[]){", (int)strcspn(name, "."), name);
    int bad = put_bytes(f);
    printf("0}},\n");
    fclose(f);
    return bad;
}

int main(int argc, char **argv)
{
    int bad = 0;
    if (argc < 3)
        return 2;
    if (strcmp(argv[1], "machine"))
        return put_array(argv[1], argv[2]);
    puts("#include \"mach/machine.h\"\nconst MachineText machine_texts[] = {");
    for (int i = 2; i < argc; i++)
        bad |= put_machine(argv[i]);
    puts("    {NULL, NULL}\n};");
    return bad;
}
