/* kernels.c -- which symbols of an image are kernels. */
#include "drv/drv.h"
#include <elf.h>
#include <string.h>

static size_t by_records(const Object *image, const char **names, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < image->nsections; i++) {
        const char *kernel = resource_kernel(&image->sections[i]);
        if (!kernel || !*kernel)
            continue;
        if (n < max)
            names[n] = kernel;
        n++;
    }
    return n;
}

/* Names that start with an underscore belong to compilers and libraries: _start,
 * __builtin_riscv_*, mangled work-item functions, soft float. */
static bool is_library(const char *name)
{
    static const char *const start_code[] = {"spike_end", "spike_exit", "main"};
    for (size_t i = 0; i < countof(start_code); i++)
        if (!strcmp(name, start_code[i]))
            return true;
    return !*name || *name == '_' || *name == '.' || *name == '$';
}

static size_t by_names(const Object *image, const char **names, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < image->nsymbols; i++) {
        const ObjSymbol *s = &image->symbols[i];
        const bool in_code = s->section >= 0 && (size_t)s->section < image->nsections &&
                             image->sections[s->section].flags & SHF_EXECINSTR;
        if (s->bind != STB_GLOBAL || s->type != STT_FUNC || !in_code || is_library(s->name))
            continue;
        if (n < max)
            names[n] = s->name;
        n++;
    }
    return n;
}

size_t drv_kernels(const Object *image, const char **names, size_t max)
{
    const size_t n = by_records(image, names, max);
    return n ? n : by_names(image, names, max);
}
