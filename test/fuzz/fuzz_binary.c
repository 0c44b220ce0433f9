/* fuzz_binary.c -- any bytes as a program binary, and as the table of kernels in an image.
 *
 * What is read is written and read again, which must give the same.
 */
#include "cl/cl.h"
#include <elf.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t len);

static void drop_message(void *to, DiagKind kind, const char *message)
{
    (void)to, (void)kind, (void)message;
}

static Object *image_with(const u8 *table, size_t len)
{
    Object *o = obj_new("fuzz");
    const i32 index = o ? obj_add_section(o, ".ventus.kernels", SHT_PROGBITS, 0, 1) : -1;
    if (index < 0)
        bug("no memory for an object");
    buf_put(&o->sections[index].data, table, len);
    o->sections[index].size = (u32)len;
    return o;
}

static void compare_kernels(const KernelInfo *a, const KernelInfo *b)
{
    if (strcmp(a->name, b->name) || strcmp(a->attributes, b->attributes) || a->nargs != b->nargs ||
        memcmp(a->reqd_local, b->reqd_local, sizeof a->reqd_local))
        bug("kernel '%s' comes back as '%s'", a->name, b->name);
    for (size_t k = 0; k < a->nargs; k++) {
        const KernelArg *x = &a->args[k], *y = &b->args[k];
        if (strcmp(x->name, y->name) || strcmp(x->type, y->type) || x->kind != y->kind ||
            x->size != y->size || x->align != y->align || x->pointee_align != y->pointee_align)
            bug("argument %zu of kernel '%s' comes back otherwise", k, a->name);
    }
}

static void round_trip(const KernelTable *t)
{
    Diag d = {.sink = drop_message};
    KernelTable again;
    Object *o = obj_new("again");
    if (!o || !kernelinfo_add(o, t) || !kernelinfo_read(o, &again, &d))
        bug("a table that was read cannot be written and read");
    if (again.nkernels != t->nkernels || again.globals_size != t->globals_size)
        bug("%zu kernels come back as %zu", t->nkernels, again.nkernels);
    for (size_t k = 0; k < t->nkernels; k++)
        compare_kernels(&t->kernels[k], &again.kernels[k]);
    kernelinfo_free(&again);
    obj_free(o);
}

static void read_table(const Object *image)
{
    Diag d = {.sink = drop_message};
    KernelTable t;
    if (kernelinfo_read(image, &t, &d)) {
        kernelinfo_find(&t, "k");
        round_trip(&t);
    }
    kernelinfo_free(&t);
}

static void read_image(const u8 *bytes, size_t len)
{
    static Driver *driver;
    DeviceOptions dev = dev_defaults();
    Diag d = {.sink = drop_message};
    DrvProgram *program = NULL;
    Object *image = NULL;
    if (!driver && !(driver = drv_open(&dev)))
        bug("no memory for a device");
    if (!obj_read("fuzz", bytes, len, &d, &image))
        return;
    read_table(image);
    if (drv_program_open(driver, image, &program, &d))
        obj_free(image);
    else
        drv_program_close(driver, program);
}

/* a binary as it was written, then with one byte damaged */
static void pack(const u8 *bytes, size_t len)
{
    Build b = {0};
    Buf packed = {0};
    const u8 *inside;
    bool later;
    size_t n;
    buf_put(&b.bytes, bytes, len);
    container_write(CONTENT_IMAGE, &b, &packed);
    if (container_read(packed.data, packed.len, &inside, &n, &later) != CONTENT_IMAGE || n != len ||
        memcmp(inside, bytes, len))
        bug("a binary does not come back");
    const size_t at = bytes[0] % packed.len;
    packed.data[at] ^= 0x10;
    const Content damaged = container_read(packed.data, packed.len, &inside, &n, &later);
    if (damaged != CONTENT_NONE)
        bug("damage of byte %zu goes unnoticed", at);
    buf_free(&packed);
    buf_free(&b.bytes);
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t len)
{
    const u8 *inside;
    bool later;
    size_t n;
    if (!len)
        return 0;
    if (container_read(bytes, len, &inside, &n, &later) == CONTENT_IMAGE)
        read_image(inside, n);
    Object *o = image_with(bytes, len);
    read_table(o);
    obj_free(o);
    pack(bytes, len);
    return 0;
}
