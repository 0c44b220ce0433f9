/* Any text: the parser gives a module or messages; what it gives is printed and read back the same;
 * what keeps the rules of generic code still keeps them when it was folded. */
#include "base/mem.h"
#include "cc/cc.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void drop(void *to, DiagKind kind, const char *message)
{
    (void)to, (void)kind, (void)message;
}

static Module *parse(const char *text)
{
    Diag d = {.sink = drop, .limit = 20};
    return ir_parse(&(Source){.name = "fuzz.ir", .text = text}, target_find(0), &d);
}

static void check_text(const Module *m)
{
    Buf first = {0}, second = {0};
    ir_print_module(&first, m);
    Module *again = parse(buf_text(&first));
    if (!again)
        bug("what was printed is not read:\n%s", buf_text(&first));
    ir_print_module(&second, again);
    if (strcmp(buf_text(&first), buf_text(&second)))
        bug("printed\n%s\nread as\n%s", buf_text(&first), buf_text(&second));
    ir_free(again);
    buf_free(&first);
    buf_free(&second);
}

static void check_folding(Module *m)
{
    Buf why = {0};
    for (size_t k = 0; k < m->nfunc; k++) {
        Func *f = m->func[k];
        if (!ir_check(f, STAGE_GENERIC, &why))
            continue;
        graph_build(f);
        fold(f);
        why.len = 0;
        if (!ir_check(f, STAGE_GENERIC, &why))
            bug("folded: %s", buf_text(&why));
    }
    buf_free(&why);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    Buf text = {0}, found = {0};
    buf_put(&text, data, size);
    Module *m = parse(buf_text(&text));
    if (m) {
        check_text(m);
        for (int stage = STAGE_GENERIC; stage <= STAGE_ALLOCATED; stage++)
            ir_check_module(m, (Stage)stage, &found);
        check_folding(m);
    }
    ir_free(m);
    buf_free(&text);
    buf_free(&found);
    return 0;
}
