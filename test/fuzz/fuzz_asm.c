/* Any text: the assembler gives an object or messages, and what it gives can be listed,
 * written and read. */
#include "asm/asm.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void drop(void *to, DiagKind kind, const char *message)
{
    (void)to, (void)kind, (void)message;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    static const IsaSet sets[] = {V202, V2025, V202 | AI | TIDX, V2025 | AI | TIDX};
    Diag d = {.sink = drop, .limit = 20};
    Buf text = {0}, listing = {0}, source = {0};
    if (!size || memchr(data, 0, size))
        return 0;
    /* the first character chooses how */
    const AsmOptions opt = {.set = sets[data[0] & 3], .no_relax = data[0] >> 2 & 1,
                            .no_prefix = data[0] >> 3 & 1,
                            .listing = data[0] >> 4 & 1 ? &source : NULL};
    buf_put(&text, data + 1, size - 1);
    Object *o = asm_text("fuzz.s", buf_text(&text), &opt, &d);
    if (o && text.len < 65536)
        asm_list(o,
                 &(ListOptions){.all_sections = data[0] >> 5 & 1,
                                .resolve_ext = data[0] >> 6 & 1,
                                .no_addresses = data[0] >> 7},
                 &listing);
    obj_free(o);
    buf_free(&text);
    buf_free(&listing);
    buf_free(&source);
    return 0;
}
