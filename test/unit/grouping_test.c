/* grouping_test.c -- which kernels are noted as those to which it is all one how work-items are grouped (ll/grouping.c). */
#include "ll/lower.h"
#include "ll/middle.h"

#include "test/kit/leftover.h"
#include "test/kit/modules.h"

static const char some[] =
    "@shared = internal addrspace(3) global i32 undef\n"
    "@plain = internal addrspace(1) global i32 0\n"
    "declare spir_func i32 @_Z13get_global_idj(i32)\n"
    "declare spir_func i32 @_Z12get_local_idj(i32)\n"
    "declare spir_func i32 @_Z12get_group_idj(i32)\n"
    "declare spir_func i32 @_Z14get_num_groupsj(i32)\n"
    "declare spir_func void @_Z7barrierj(i32)\n"
    "declare spir_func i32 @_Z19sub_group_broadcastij(i32, i32)\n"
    "declare spir_func i32 @__ventus_csr(i32)\n"
    "declare spir_func float @_Z3sinf(float)\n"
    "define internal spir_func i32 @deep(i32 %a) {\n"
    " %r = call spir_func i32 @_Z12get_group_idj(i32 %a)\n ret i32 %r\n}\n"
    "define internal spir_func i32 @less_deep(i32 %a) {\n"
    " %r = call spir_func i32 @deep(i32 %a)\n ret i32 %r\n}\n"
    "define spir_kernel void @yes_ids(ptr addrspace(1) %p) {\n"
    " %i = call spir_func i32 @_Z13get_global_idj(i32 0)\n store i32 %i, ptr addrspace(1) @plain\n "
    "ret void\n}\n"
    "define spir_kernel void @yes_sine(float %x) {\n"
    " %r = call spir_func float @_Z3sinf(float %x)\n ret void\n}\n"
    "define spir_kernel void @no_place() {\n"
    " %i = call spir_func i32 @_Z12get_local_idj(i32 0)\n ret void\n}\n"
    "define spir_kernel void @no_groups() {\n"
    " %i = call spir_func i32 @_Z14get_num_groupsj(i32 0)\n ret void\n}\n"
    "define spir_kernel void @no_barrier() {\n call spir_func void @_Z7barrierj(i32 1)\n ret "
    "void\n}\n"
    "define spir_kernel void @no_subgroup() {\n"
    " %i = call spir_func i32 @_Z19sub_group_broadcastij(i32 0, i32 0)\n ret void\n}\n"
    "define spir_kernel void @no_register() {\n"
    " %i = call spir_func i32 @__ventus_csr(i32 2056)\n ret void\n}\n"
    "define spir_kernel void @no_deep() {\n"
    " %i = call spir_func i32 @less_deep(i32 0)\n ret void\n}\n"
    "define spir_kernel void @no_variable() {\n store i32 1, ptr addrspace(3) @shared\n ret "
    "void\n}\n"
    "define spir_kernel void @no_argument(ptr addrspace(3) %p) {\n ret void\n}\n";

/* One of these makes everybody suspect. */
static const char *const unknown[] = {
    "define spir_kernel void @other(ptr %p) {\n call void %p()\n ret void\n}\n",
    "define spir_kernel void @other() {\n call void asm sideeffect \"\", \"\"()\n ret void\n}\n",
    "@table = internal addrspace(1) global ptr @deep\n"};

static void expect_notes(const char *text, bool any)
{
    LLVMContextRef ctx = LLVMContextCreate();
    LLVMModuleRef m = parse_module(ctx, text);
    grouping_note(m);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        size_t len;
        const char *name = LLVMGetValueName2(f, &len);
        const bool is =
            LLVMGetStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                          GROUPING_MARK, sizeof GROUPING_MARK - 1);
        if (is != (any && !strncmp(name, "yes", 3)))
            fail_msg("%s is %snoted", name, is ? "" : "not ");
    }
    LLVMDisposeModule(m);
    LLVMContextDispose(ctx);
}

static void notes(void **state)
{
    (void)state;
    expect_notes(some, true);
    for (size_t i = 0; i < countof(unknown); i++) {
        Buf all = {0};
        buf_printf(&all, "%s%s", some, unknown[i]);
        expect_notes(buf_text(&all), false);
        buf_free(&all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(notes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
