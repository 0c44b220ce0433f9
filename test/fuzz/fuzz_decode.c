/* Any words: what is printed for them is assembled to the same words. */
#include "asm/asm.h"
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* warnings are about what words mean, not about which they are */
static void tell(void *to, DiagKind kind, const char *message)
{
    (void)to;
    if (kind == DIAG_ERROR)
        fprintf(stderr, "%s\n", message);
}

/* an object whose .text is these bytes */
static Object *object_of(const u8 *data, size_t size, IsaSet set)
{
    Object *o = obj_new("fuzz.o");
    o->set = set;
    const i32 s = obj_add_section(o, ".text", 1 /* SHT_PROGBITS */, 6 /* alloc, exec */, 4);
    buf_put(&o->sections[s].data, data, size);
    o->sections[s].size = (u32)size;
    return o;
}

static void check(const Object *o, const ListOptions *how)
{
    Diag d = {.sink = tell};
    Buf text = {0};
    asm_list(o, how, &text);
    Object *p = asm_text("listing", buf_text(&text), &(AsmOptions){.set = o->set}, &d);
    const Buf *was = &o->sections[0].data;
    if (!p)
        bug("refused:\n%s", buf_text(&text));
    const Buf *is = &p->sections[0].data;
    if (is->len != was->len || memcmp(is->data, was->data, is->len))
        bug("other words:\n%s", buf_text(&text));
    obj_free(p);
    buf_free(&text);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    static const IsaSet sets[] = {V202, V2025, V202 | AI | TIDX, V2025 | AI | TIDX};
    if (size < 5 || size > 4096)
        return 0;
    Object *o = object_of(data + 1, size - 1, sets[data[0] & 3]);
    check(o, &(ListOptions){.no_addresses = data[0] >> 2 & 1, .resolve_ext = data[0] >> 3 & 1,
                            .csr_names = data[0] >> 4 & 1});
    obj_free(o);
    return 0;
}
