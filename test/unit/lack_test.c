/* lack_test.c -- jobs of the assembler, the compiler and of objects in which one allocation after
 * the other fails: each ends with a message or without a result, and what succeeds nevertheless is
 * the same as with memory. Only in the hostile build. */
#include "test/kit/lack.h"
#include "test/kit/assemble.h"
#include "test/kit/guard.h"
#include "cc/cc.h"
#include "comp/request.h"
#include "comp/spirv.h"
#include "obj/kernelinfo.h"
#include "obj/lines.h"

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

static bool assemble_and_write(Buf *made)
{
    Diag d = {0};
    Buf file = {0};
    bool ok = false;
    Object *o = asm_text("t.s", text, &(AsmOptions){.set = V202, .lines = true}, &d);
    if (o && obj_write(o, &file, &d)) {
        Object *back;
        ok = obj_read("t.o", file.data, file.len, &d, &back) && obj_write(back, made, &d);
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

static bool keep_kernels(Buf *made)
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
        buf_printf(made, "%zu of %s %s", back.nkernels, k->args[0].name, back.options);
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

/* loops, a call, branches that part lanes, local and private memory, constants with addresses, more
 * values than registers; the largest block ends a loop, whose values come from its last instructions */
static const char program[] = "file 0 \"t.cl\"\n"
                              "data @tbl rodata align 4 size 16 {\n"
                              "    00010203 04050607\n"
                              "    reloc 8 @tbl+4\n"
                              "}\n"
                              "func @f local params 2 results 1 {\n"
                              "b0:\n"
                              "    %1 = param\n"
                              "    %2 = param #1\n"
                              "    %3 = mul %1, %2 !0:1:2\n"
                              "    setret %3\n"
                              "    ret\n"
                              "}\n"
                              "kernel @k lds 64 {\n"
                              "    slot $0 size 16 align 4\n"
                              "b0:\n"
                              "    %1 = argbase\n"
                              "    %2 = load word const [%1 + 4] !0:3:9\n"
                              "    %3 = lane\n"
                              "    %4 = sll %3, 2\n"
                              "    %5 = add %2, %4\n"
                              "    %20 = load word global [%5]\n"
                              "    %21 = load word global [%5 + 4]\n"
                              "    %22 = load word global [%5 + 8]\n"
                              "    %23 = load word const [@tbl]\n"
                              "    jump b1\n"
                              "b1:\n"
                              "    %6 = phi b0 0, b4 %16\n"
                              "    %7 = phi b0 %20, b4 %49\n"
                              "    %8 = phi b0 %21, b4 %7\n"
                              "    %9 = load word local [%4]\n"
                              "    br lt %9, %7 -> b2, b3\n"
                              "b2:\n"
                              "    %10 = divu %8, 7\n"
                              "    store word private %10, [$0+8]\n"
                              "    jump b4\n"
                              "b3:\n"
                              "    %11 = add %7, %22\n"
                              "    arg %11\n"
                              "    arg %23 #1\n"
                              "    call @f #2\n"
                              "    %12 = result\n"
                              "    jump b4\n"
                              "b4:\n"
                              "    %13 = phi b2 %10, b3 %12\n"
                              "    %14 = sll %6, 2\n"
                              "    %15 = add %13, %14\n"
                              "    %16 = add %6, 1\n"
                              "    %40 = mul %15, %7\n"
                              "    %41 = xor %40, %9\n"
                              "    %42 = mul %41, %7\n"
                              "    %43 = xor %42, %9\n"
                              "    %44 = mul %43, %7\n"
                              "    %45 = xor %44, %9\n"
                              "    %46 = mul %45, %7\n"
                              "    %47 = xor %46, %9\n"
                              "    %48 = mul %47, %7\n"
                              "    %49 = xor %48, %9\n"
                              "    br ne %16, 10 -> b1, b5\n"
                              "b5:\n"
                              "    store word global %15, [%5] !0:9:1\n"
                              "    store word global %21, [%5 + 4]\n"
                              "    store word global %49, [%5 + 8]\n"
                              "    ret\n"
                              "}\n";

/* What a debugger is told: types, a call that was inlined, a block with variables whose parts are
 * values of the kernel. */
static void add_variables(Module *m)
{
    Func *f = m->func[1];
    const u32 call = ir_scope(m, (SourceScope){"inlined", 1, 0}),
              block = ir_scope(m, (SourceScope){NULL, 0, call});
    static const SourceType types[] = {{.size = 0},
                                       {TYPE_BASE, 5, "int", 4, 0, 0},
                                       {TYPE_STRUCT, 0, "pair", 8, 0, 2},
                                       {TYPE_POINTER, 0, NULL, 4, 2, 0}};
    for (u32 k = 0; k < countof(types) && ir_grow(m, m->type, m->ntype, m->captype); k++)
        m->type[m->ntype++] = types[k];
    for (u32 k = 0; k < 2 && ir_grow(m, m->member, m->nmember, m->capmember); k++)
        m->member[m->nmember++] = (SourceMember){"m", 1, 4 * k};
    if (ir_grow(m, f->variable, f->nvariable, f->capvariable))
        f->variable[f->nvariable++] = (SourceVariable){"v", 2, NO_SLOT, 0, 3, block, false, false};
    for (u32 k = 0; k < 2 && ir_grow(m, f->part, f->npart, f->cappart); k++)
        f->part[f->npart++] = (SourcePart){0, 4 * k, 4};
    for (u32 k = 0; k < 8 && !m->failed; k++) {
        const Ins *before = &f->block[0].ins[k];
        const Note n = {.part = k % 2,
                        .plus = k % 3 ? 0 : 5,
                        .is = before->dst ? ref_val(before->dst) : ref_con(k)};
        const Ins i = {.op = IR_note,
                       .imm = (i32)ir_note(f, n),
                       .loc = ir_loc(m, (Loc){.line = 7 + k, .scope = block})};
        ir_insert(f, 0, k + 1, &i);
    }
}

/* to a file, and to assembly */
static bool compile_at(int level, Buf *made)
{
    const Source source = {.name = "t.ir", .text = program};
    Diag d = {0};
    Buf assembly = {0};
    Module *m = ir_parse(&source, target_find(0), &d);
    if (m)
        add_variables(m);
    Object *o =
        m ? cc_compile(
                m,
                &(CcOptions){
                    .level = level, .lines = true, .max_x = 12, .max_v = 8, .assembly = &assembly},
                &d)
          : NULL;
    const bool ok = o && !assembly.failed && obj_write(o, made, &d);
    if (ok)
        buf_put(made, assembly.data, assembly.len);
    else if (!d.errors && !assembly.failed)
        abort(); /* nobody said why */
    buf_free(&assembly);
    obj_free(o);
    ir_free(m);
    return ok;
}

static bool compile(Buf *made) { return compile_at(2, made); }
static bool compile_quickly(Buf *made) { return compile_at(1, made); }

static void compiling(void **state)
{
    (void)state;
    LACK_OF_MEMORY(compile);
    LACK_OF_MEMORY(compile_quickly); /* each pass once */
}

/* The same of each block of the compiler's memory, of which few are an allocation; of some where
 * sanitizers make it slow. */
static void compiling_block_by_block(void **state)
{
#if defined HOSTILE || defined DEBUG
    enum { STEP = 29 };
#else
    enum { STEP = 1 };
#endif
    (void)state;
    for (int level = 0; level <= 2; level++) {
        Buf all = {0};
        assert_true(compile_at(level, &all));
        bool is_reached = true;
        size_t failed = 0;
        for (size_t nth = 1; is_reached; nth += STEP) {
            Buf made = {0};
            guard.nth = nth;
            guard.asked = 0;
            const bool ok = compile_at(level, &made);
            is_reached = guard.asked >= nth;
            failed += !ok;
            guard.nth = 0;
            if (ok && (made.len != all.len || memcmp(made.data, all.data, all.len) != 0))
                fail_msg("without block %zu something else was made at level %d", nth, level);
            buf_free(&made);
        }
        assert_true(failed > 100 / STEP);
        buf_free(&all);
    }
}

static Object *object; /* of the job below */

/* The listing, and where each instruction comes from. */
static bool list(Buf *made)
{
    asm_list(object, &(ListOptions){.csr_names = true, .all_sections = true}, made);
    LineTable *lines = lines_read(object);
    for (u32 pc = 0; lines && pc < 400; pc += 4) {
        Place p[4];
        const size_t n = lines_find(lines, pc, p, countof(p));
        for (size_t i = 0; i < n; i++)
            buf_printf(made, "%x %s:%u\n", pc, p[i].file ? p[i].file : "", p[i].line);
    }
    lines_free(lines);
    return lines != NULL;
}

static void listing(void **state)
{
    const Source source = {.name = "t.ir", .text = program};
    Diag d = {0};
    Module *m = ir_parse(&source, target_find(0), &d);
    (void)state;
    object = cc_compile(m, &(CcOptions){.level = 2, .lines = true}, &d);
    assert_non_null(object);
    ir_free(m);
    LACK_OF_MEMORY(list);
    obj_free(object);
}

/* A module of SPIR-V with a shuffle of two lengths, which needs another id, and a null constant. */
static bool spell(Buf *made)
{
    static const u32 module[] = {
        0x07230203, 0x10000, 0,  40,      0,                           /* header */
        0x30016,    1,       32,                                       /* float */
        0x40017,    2,       1,  2,       0x40017, 3,  1,       3,     /* float2, float3 */
        0x30001,    2,       10, 0x30001, 3,       11, 0x3002e, 1, 12, /* undefined, null */
        0x7004f,    2,       13, 10,      11,      1,  4,              /* of both */
    };
    Buf words = {0};
    const bool ok = spirv_spell(module, sizeof module, &words);
    if (ok)
        buf_put(made, words.data, words.len);
    buf_free(&words);
    return ok;
}

static void spelling(void **state)
{
    (void)state;
    LACK_OF_MEMORY(spell);
}

static bool ask(Buf *made)
{
    static const char *const options[] = {"-w", "-O0"};
    static const CompHeader headers[] = {{"a.h", "1"}, {"b.h", "2"}};
    static const Bytes inputs[] = {{(const u8 *)"in", 2}, {(const u8 *)"put", 3}};
    const Request q = {.opt = {.name = "n",
                               .options = options,
                               .noptions = countof(options),
                               .headers = headers,
                               .nheaders = countof(headers)},
                       .inputs = inputs,
                       .ninputs = countof(inputs)};
    Request back;
    Buf bytes = {0};
    request_write(&q, &bytes, &bytes);
    const bool ok = !bytes.failed && request_read(bytes.data, bytes.len, &back);
    if (ok) {
        buf_printf(made, "%s %s %s", back.opt.options[1], back.opt.headers[1].text, back.opt.name);
        request_free(&back);
    }
    buf_free(&bytes);
    return ok;
}

static void asking(void **state)
{
    (void)state;
    LACK_OF_MEMORY(ask);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assembling), cmocka_unit_test(table_of_kernels),
        cmocka_unit_test(compiling),  cmocka_unit_test(compiling_block_by_block),  cmocka_unit_test(listing),
        cmocka_unit_test(spelling),   cmocka_unit_test(asking)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
