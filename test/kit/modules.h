/* modules.h -- modules of LLVM IR as texts, before and after a pass. */
#ifndef KIT_MODULES_H
#define KIT_MODULES_H
#include "base/mem.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* Texts before and after the pass; NULL: it stays as it is. */
typedef struct {
    const char *before, *after;
} Row;

static inline LLVMModuleRef parse_text(LLVMContextRef ctx, const Buf *text)
{
    char *why = NULL;
    LLVMModuleRef m = NULL;
    LLVMMemoryBufferRef from =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(buf_text(text), text->len, "text");
    if (LLVMParseIRInContext(ctx, from, &m, &why))
        fail_msg("%s\n%s", why, buf_text(text));
    return m;
}

static inline void verify(LLVMModuleRef m)
{
    char *why = NULL;
    if (LLVMVerifyModule(m, LLVMReturnStatusAction, &why))
        fail_msg("%s", why);
    LLVMDisposeMessage(why);
}

/* Names differ, and mean nothing. */
static inline void forget_names(LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMSetValueName2(LLVMBasicBlockAsValue(b), "", 0);
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            LLVMSetValueName2(i, "", 0);
    }
}

/* Each module after the pass is what it should be, as `read` makes it of a text and `show` makes
 * a text of it. */
static inline void expect(const Row *rows, size_t n, void (*pass)(LLVMModuleRef),
                          LLVMModuleRef (*read)(LLVMContextRef, const char *),
                          char *(*show)(LLVMModuleRef))
{
    for (size_t i = 0; i < n; i++) {
        LLVMContextRef ctx = LLVMContextCreate();
        LLVMModuleRef m = read(ctx, rows[i].before),
                      want = read(ctx, rows[i].after ? rows[i].after : rows[i].before);
        pass(m);
        char *got = show(m), *wanted = show(want);
        if (strcmp(got, wanted) != 0)
            fail_msg("of\n%s\ncomes\n%s\nwhich should be\n%s", rows[i].before, got, wanted);
        LLVMDisposeMessage(got);
        LLVMDisposeMessage(wanted);
        LLVMDisposeModule(m);
        LLVMDisposeModule(want);
        LLVMContextDispose(ctx);
    }
}

static inline LLVMModuleRef parse_module(LLVMContextRef ctx, const char *text)
{
    Buf all = {0};
    buf_printf(&all,
               "target datalayout = \"e-p:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128\"\n%s",
               text);
    LLVMModuleRef m = parse_text(ctx, &all);
    buf_free(&all);
    return m;
}

/* A whole module, without the names of values. */
static inline char *shown_module(LLVMModuleRef m)
{
    verify(m);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        for (unsigned k = 0; k < LLVMCountParams(f); k++)
            LLVMSetValueName2(LLVMGetParam(f, k), "", 0);
        forget_names(f);
    }
    char *text = LLVMPrintModuleToString(m);
    /* what LLVM 20 adds where it knows */
    for (char *at; (at = strstr(text, " nuw ("));)
        memmove(at, at + 4, strlen(at + 4) + 1);
    return text;
}

static inline void expect_modules(const Row *rows, size_t n, void (*pass)(LLVMModuleRef))
{
    expect(rows, n, pass, parse_module, shown_module);
}

#endif
