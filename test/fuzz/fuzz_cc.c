/* fuzz_cc.c -- any machine IR that keeps its rules, through the back end to an object.
 *
 * The first byte chooses options; the rest is the text.  The build is one with DEBUG: the
 * rules of each stage are checked after each pass, and every allocation by verify.c.
 */
#include "base/mem.h"
#include "cc/cc.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum { MAX_TEXT = 8192 };

static void drop(void *to, DiagKind kind, const char *message)
{
    (void)to, (void)kind, (void)message;
}

/* bits: 0-1 level, 2 passes off, 3 a random allocation, 4-5 few registers, 6 lines, 7 assembly */
static CcOptions options_of(u8 choice, Buf *assembly)
{
    static const u32 few[] = {0, 24, 32, 48};
    return (CcOptions){.level = choice & 3,
                       .off = choice & 4 ? "fold,coalesce" : NULL,
                       .seed = choice & 8,
                       .max_x = few[choice >> 4 & 3],
                       .max_v = few[choice >> 4 & 3],
                       .lines = choice & 64,
                       .assembly = choice & 128 ? assembly : NULL};
}

static void compile(Module *m, u8 choice)
{
    Diag d = {.sink = drop};
    Buf assembly = {0}, elf = {0};
    const CcOptions opt = options_of(choice, &assembly);
    Object *o = cc_compile(m, &opt, &d);
    if (!o && !diag_errors(&d))
        bug("no object and no message");
    if (o)
        obj_write(o, &elf, &d);
    obj_free(o);
    buf_free(&elf);
    buf_free(&assembly);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    Diag d = {.sink = drop, .limit = 20};
    Buf text = {0}, found = {0};
    if (size < 2 || size > MAX_TEXT)
        return 0;
    buf_put(&text, data + 1, size - 1);
    Module *m = ir_parse(&(Source){.name = "fuzz.ir", .text = buf_text(&text)}, target_find(0), &d);
    if (m && ir_check_module(m, STAGE_GENERIC, &found))
        compile(m, data[0]);
    ir_free(m);
    buf_free(&text);
    buf_free(&found);
    return 0;
}
