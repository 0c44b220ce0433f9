/* recode.c -- a launch in replay files with the code of another image.
 *
 *   recode IMAGE KERNEL X.metadata X.data OUT    writes OUT.metadata and OUT.data; prints the addresses of the
 *                                                blocks whose contents now differ, hexadecimal
 *
 * All else stays as it was: buffers, arguments, grid.  But an argument that IMAGE takes as a __local pointer becomes
 * an offset from the group's local memory, as code with long records wants it (doc/abi.md, "Local memory").
 */
#include "drv/drv.h"
#include "isa/abi.h"
#include "obj/kernelinfo.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give_up(const char *what)
{
    fprintf(stderr, "recode: %s\n", what);
    exit(1);
}

static Buf read_all(const char *name)
{
    Buf b = {0};
    char chunk[65536];
    FILE *f = fopen(name, "rb");
    if (!f)
        give_up(name);
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;)
        buf_put(&b, chunk, n);
    fclose(f);
    if (b.failed)
        give_up("out of memory");
    return b;
}

static void write_all(const char *stem, const char *suffix, const Buf *b)
{
    char name[4096];
    snprintf(name, sizeof name, "%s%s", stem, suffix);
    FILE *f = fopen(name, "wb");
    if (!f || fwrite(buf_text(b), 1, b->len, f) != b->len || fclose(f))
        give_up(name);
}

static bool is_code(const struct ReplayBuffer *b)
{
    return b->base >= RANGE_FROM(CODE) && b->base < RANGE_END(CODE);
}

static struct ReplayBuffer *buffer_at(Replay *r, u64 addr)
{
    for (size_t i = 0; i < r->nbuffers; i++)
        if (addr >= r->buffers[i].base && addr < r->buffers[i].base + r->buffers[i].size)
            return &r->buffers[i];
    return NULL;
}

static u32 *word_at(Replay *r, u64 addr)
{
    struct ReplayBuffer *b = buffer_at(r, addr);
    if (!b || !b->data)
        give_up("the files do not have the metadata block and the argument block");
    return (u32 *)(void *)(b->data + (addr - b->base));
}

/* The image from the start of the code window to its last byte. */
static struct ReplayBuffer code_buffer(const Object *image)
{
    const u64 from = RANGE_FROM(CODE);
    u64 end = from;
    for (size_t i = 0; i < image->nsegments; i++)
        if (image->segments[i].addr + (u64)image->segments[i].memsz > end)
            end = image->segments[i].addr + (u64)image->segments[i].memsz;
    struct ReplayBuffer b = {from, align_up(end - from, 4), RANGE_END(CODE) - from, NULL};
    b.data = mem_zalloc(b.size, 1);
    if (!b.data)
        give_up("out of memory");
    for (size_t i = 0; i < image->nsegments; i++)
        memcpy(b.data + (image->segments[i].addr - from), image->segments[i].data.data,
               image->segments[i].data.len);
    return b;
}

/* One buffer of new code where the files bring code; launches that do not go on with what is there. */
static void replace_code(Replay *r, const Object *image)
{
    size_t n = 0;
    bool brings = false;
    for (size_t i = 0; i < r->nbuffers; i++) {
        if (!is_code(&r->buffers[i])) {
            r->buffers[n++] = r->buffers[i];
            continue;
        }
        if (!brings && r->buffers[i].size) {
            brings = true;
            mem_free(r->buffers[i].data);
            r->buffers[n++] = code_buffer(image);
        } else
            mem_free(r->buffers[i].data);
    }
    r->nbuffers = n;
}

/* True: some argument changed. */
static bool make_offsets(Replay *r, const Object *image, const char *kernel, u32 args, Diag *d)
{
    KernelTable t;
    if (!kernelinfo_read(image, &t, d))
        give_up("the image says nothing of its kernels");
    const KernelInfo *k = kernelinfo_find(&t, kernel);
    bool changed = false;
    u64 at = args;
    for (size_t i = 0; k && i < k->nargs; i++) {
        const u32 align = k->args[i].align > 4 ? k->args[i].align : 4;
        at = align_up(at, align);
        if (k->args[i].kind == ARG_LOCAL) {
            *word_at(r, at) -= (u32)RANGE_FROM(LOCAL);
            changed = true;
        }
        at += k->args[i].size;
    }
    kernelinfo_free(&t);
    return changed;
}

int main(int argc, char **argv)
{
    Diag d = {.sink = diag_to_file, .to = stderr};
    Object *image;
    Replay r;
    if (argc != 6)
        give_up("usage: recode IMAGE KERNEL X.metadata X.data OUT");
    Buf elf = read_all(argv[1]), metadata = read_all(argv[3]), data = read_all(argv[4]);
    if (!obj_read(argv[1], elf.data, elf.len, &d, &image) ||
        !replay_read(argv[3], buf_text(&metadata), metadata.len, argv[4], buf_text(&data), data.len,
                     &r, &d))
        return 1;
    const i32 symbol = obj_find_symbol(image, argv[2]);
    if (symbol < 0)
        give_up("the image has no such kernel");
    replace_code(&r, image);
    *word_at(&r, r.record.metadata_base + 4 * KNL_ENTRY) = image->symbols[symbol].value;
    const u32 args = *word_at(&r, r.record.metadata_base + 4 * KNL_ARGS);
    printf("%08x %08llx", (unsigned)RANGE_FROM(CODE), (unsigned long long)r.record.metadata_base);
    printf(make_offsets(&r, image, argv[2], args, &d) ? " %08x\n" : "\n", args);
    buf_free(&metadata);
    buf_free(&data);
    replay_write(&r, &metadata, &data);
    write_all(argv[5], ".metadata", &metadata);
    write_all(argv[5], ".data", &data);
    replay_free(&r);
    obj_free(image);
    buf_free(&elf);
    buf_free(&metadata);
    buf_free(&data);
    return 0;
}
