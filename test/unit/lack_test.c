/* lack_test.c -- jobs of the assembler and of objects in which one allocation after the other
 * fails: each ends with a message or without a result, and what succeeds nevertheless is right.
 * Only in the hostile build. */
#include "test/kit/lack.h"
#include "test/kit/assemble.h"
#include "obj/kernelinfo.h"

/* a bit of everything: macros, conditions, repetition, literals, relaxation, sections, a kernel */
static const char text[] = "	.macro twice x, y=3\n"
                           "	.byte \\x, \\y\n"
                           "	.endm\n"
                           "	.data\n"
                           "	twice 1\n"
                           "	twice 1, 2\n"
                           "	.rept 3\n"
                           "	.word far - ., ext + 4\n"
                           "	.endr\n"
                           "	.irp r, a0, a1\n"
                           "	.asciz \"\\r\"\n"
                           "	.endr\n"
                           "	.if 1\n"
                           "	.balign 16\n"
                           "	.endif\n"
                           "	.uleb128 far - near\n"
                           "	.comm common, 64, 16\n"
                           "	.lcomm own, 64\n"
                           "	.text\n"
                           "	.globl k\n"
                           "	.type k, @function\n"
                           "k:	la a0, far\n"
                           "	li a1, 0x12345678\n"
                           "	vadd.vv v40, v41, v42\n"
                           "1:	beq a0, a1, far\n"
                           "near:	j 1b\n"
                           "	call ext\n"
                           "	.zero 5000\n"
                           "far:	endprg\n";

static bool is_right(const Object *o)
{
    const i32 at = obj_find_symbol(o, "far");
    return at >= 0 && o->symbols[at].value > 5000 && o->nsections >= 2;
}

static bool assemble_and_write(void)
{
    Diag d = {0};
    Buf file = {0};
    bool ok = false;
    Object *o = asm_text("t.s", text, &(AsmOptions){.set = V202}, &d);
    if (o && !is_right(o))
        abort();
    if (o && obj_write(o, &file, &d)) {
        Object *back;
        ok = obj_read("t.o", file.data, file.len, &d, &back);
        if (ok && !is_right(back))
            abort();
        obj_free(back);
    }
    if (!ok && !d.errors)
        abort(); /* nobody said why */
    buf_free(&file);
    obj_free(o);
    return ok;
}

static void assembling(void **state)
{
    (void)state;
    LACK_OF_MEMORY(assemble_and_write);
}

static bool keep_kernels(void)
{
    char name[] = "k", type[] = "int", none[] = "";
    KernelArg arg = {.name = name, .type = type, .kind = ARG_VALUE, .size = 4, .align = 4};
    KernelInfo kernel = {.name = name, .attributes = none, .args = &arg, .nargs = 1};
    const KernelTable t = {.kernels = &kernel, .nkernels = 1, .options = none};
    KernelTable back = {0};
    Diag d = {0};
    Object *o = obj_new("t");
    const bool ok = o && kernelinfo_add(o, &t) && kernelinfo_read(o, &back, &d);
    if (ok) {
        const KernelInfo *k = kernelinfo_find(&back, name);
        if (!k || k->nargs != 1 || strcmp(k->args[0].type, type) || !k->attributes || !back.options)
            abort();
    }
    kernelinfo_free(&back);
    obj_free(o);
    return ok;
}

static void table_of_kernels(void **state)
{
    (void)state;
    LACK_OF_MEMORY(keep_kernels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(assembling),
                                       cmocka_unit_test(table_of_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
