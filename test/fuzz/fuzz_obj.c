/* fuzz_obj.c -- any bytes as an object file: read, looked into, written, linked. */
#include "link/link.h"
#include "obj/lines.h"
#include "obj/resource.h"

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t len);

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t len)
{
    Diag d = {0};
    Object *o;
    Resource r;
    Buf out = {0};
    u64 past;
    Place place[4];
    if (!obj_read("fuzz.o", bytes, len, &d, &o))
        return 0;
    resource_read(o, "k", &r, &d);
    resource_generation(o);
    obj_symbol_at(o, -1, o->entry, &past);
    LineTable *lines = lines_read(o);
    lines_find(lines, o->entry, place, 4);
    lines_free(lines);
    obj_write(o, &out, &d);
    Object *image = link_objects((const Object *[]){o}, 1, &(LinkOptions){.gc = len & 1}, &d);
    if (image)
        obj_write(image, &out, &d);
    buf_free(&out);
    obj_free(image);
    obj_free(o);
    return 0;
}
