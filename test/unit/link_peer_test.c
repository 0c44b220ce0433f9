/* Images beside those of outside assemblers and linkers; skipped, and said so, where those are not installed. */
#include "test/kit/links.h"
#include "test/kit/skip.h"

/* --- outside linkers ----------------------------------------------------- */

/* As layout.c lays out, in the language of GNU ld and LLD. */
static const char script[] =
    "ENTRY(_start)\n"
    "SECTIONS {\n"
    "  . = 0x80000000;\n"
    "  .text : { *(.text .text.*) }\n"
    "  . = ALIGN(0x1000);\n"
    "  .rodata : { *(.rodata .rodata.*) }\n"
    "  .eh_frame : { *(.eh_frame) }\n"
    "  . = ALIGN(0x1000);\n"
    "  .data : { __DATA_BEGIN__ = .; *(.data .data.*) }\n"
    "  .sdata ALIGN(4) : { __SDATA_BEGIN__ = .; __global_pointer$ = . + 0x800;\n"
    "                      *(.sdata .sdata.*); . = ALIGN(4); }\n"
    "  _edata = .; __bss_start = .;\n"
    "  .sbss : { *(.sbss .sbss.*) }\n"
    "  .bss : { *(.bss .bss.*) *(COMMON) }\n"
    "  _end = .; __BSS_END__ = .;\n"
    "}\n";

/* every relocation that assemblers make of plain RISC-V, across two objects */
static const char source_a[] = "	.globl _start\n"
                               "_start:\n"
                               "	la gp, __global_pointer$\n"
                               "	la a0, buffer\n"
                               "	lui a1, %hi(word+4)\n"
                               "	lw a2, %lo(word+4)(a1)\n"
                               "	sw a2, %lo(word)(a1)\n"
                               "	la a3, nobody\n"
                               "	lw a4, word\n"
                               "	sw a4, word, t0\n"
                               "	call far\n"
                               "	tail far\n"
                               "	jal near\n"
                               "1:	beq a0, a1, 1b\n"
                               "	bne a0, a1, near\n"
                               "	bnez a0, 2f\n"
                               "	.p2align 4\n"
                               "2:	j _start\n"
                               "	.p2align 5\n"
                               "	nop\n"
                               "	.p2align 3\n"
                               "	bltu a0, a1, 2b\n"
                               "	.section .text.near, \"ax\"\n"
                               "	.p2align 5\n"
                               "near:	ret\n"
                               "	.weak nobody\n"
                               "	.data\n"
                               "	.globl word\n"
                               "word:	.word 1, far, ., far-_start, word+8\n"
                               "	.half near_b - near_a\n"
                               "	.byte near_b - near_a\n"
                               "	.byte 1\n"
                               "	.section .text.near, \"ax\"\n"
                               "near_a: nop\n"
                               "	.p2align 3\n"
                               "near_b: nop\n"
                               "	.section .rodata.str1.1, \"a\"\n"
                               "	.asciz \"hello\"\n"
                               "	.section .rodata, \"a\"\n"
                               "	.word word, near, _end, _edata\n"
                               "	.bss\n"
                               "	.p2align 2\n"
                               "	.globl buffer\n"
                               "buffer: .zero 100\n"
                               "	.section .sdata, \"aw\"\n"
                               "	.word small\n"
                               "	.section .sbss, \"aw\", @nobits\n"
                               "	.p2align 2\n"
                               "small:	.zero 4\n";

static const char source_b[] = "	.cfi_sections .eh_frame\n"
                               "	.text\n"
                               "	.globl far\n"
                               "far:	.cfi_startproc\n"
                               "	addi sp, sp, -16\n"
                               "	.cfi_def_cfa_offset 16\n"
                               "	call _start\n"
                               "	.p2align 4\n"
                               "	lw a0, word\n"
                               "	.cfi_remember_state\n"
                               "	la a1, local\n"
                               "	bgeu a0, a1, 1f\n"
                               "	nop\n"
                               "1:	addi sp, sp, 16\n"
                               "	.cfi_def_cfa_offset 0\n"
                               "	ret\n"
                               "	.cfi_endproc\n"
                               "	.data\n"
                               "local:	.word local - word, far\n"
                               "	.comm common, 64, 32\n";

typedef struct {
    const char *name, *command;
} Tool; /* command with %s: source, object */

static const Tool assemblers[] = {
    {"riscv64-unknown-elf-as", "riscv64-unknown-elf-as -march=rv32im -mabi=ilp32 %s -o %s"},
    {"riscv64-unknown-elf-as",
     "riscv64-unknown-elf-as -march=rv32im -mabi=ilp32 -mno-relax %s -o %s"},
    {"llvm-mc", "llvm-mc -triple=riscv32 -mattr=+m -filetype=obj %s -o %s"},
    {"llvm-mc", "llvm-mc -triple=riscv32 -mattr=+m,+relax -filetype=obj %s -o %s"},
};

/* in a directory of its own, which is left when the test ends */
static void run(const char *fmt, const char *a, const char *b)
{
    char command[400];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(command, sizeof command, fmt, a, b);
#pragma GCC diagnostic pop
    if (system(command))
        fail_msg("failed: %s", command);
}

static bool has_tool(const char *name)
{
    char command[100];
    snprintf(command, sizeof command, "command -v %s >/dev/null", name);
    if (!system(command))
        return true;
    print_message("skipped: %s is not installed\n", name);
    return false;
}

static void write_file(const char *name, const void *bytes, size_t len)
{
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

static Object *read_file(const char *name)
{
    u8 part[4096];
    Buf file = {0};
    Object *o;
    Caught c;
    FILE *f = fopen(name, "rb");
    assert_non_null(f);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        buf_put(&file, part, n);
    fclose(f);
    catch_in(&c);
    if (!obj_read(name, file.data, file.len, &c.d, &o))
        fail_msg("%s", buf_text(&c.text));
    expect_silence(&c);
    buf_free(&file);
    return o;
}

static void same_contents(const Object *ours, const Object *theirs, const char *name)
{
    const ObjSection *a = section(ours, name), *b = section(theirs, name);
    assert_int_equal(a->addr, b->addr);
    assert_int_equal(a->size, b->size);
    for (size_t i = 0; i < a->data.len; i++)
        if (a->data.data[i] != b->data.data[i])
            fail_msg("%s+0x%zx: %02x, outside linker %02x", name, i, a->data.data[i],
                     b->data.data[i]);
}

static void compare_with(const char *linker)
{
    static const char *const names[] = {".text", ".rodata", ".data", ".sdata"};
    run(linker, "a.o", "b.o");
    Object *theirs = read_file("theirs.elf"), *ours = LINK(read_file("a.o"), read_file("b.o"));
    for (size_t i = 0; i < countof(names); i++)
        same_contents(ours, theirs, names[i]);
    assert_int_equal(address_of(ours, "common"), address_of(theirs, "common"));
    assert_int_equal(address_of(ours, "_end"), address_of(theirs, "_end"));
    obj_free(theirs);
    obj_free(ours);
}

static int enter_scratch(void **state)
{
    static char name[] = "/tmp/link_peer_test.XXXXXX";
    *state = mkdtemp(name);
    if (!*state || chdir(name))
        return -1;
    write_file("a.s", source_a, strlen(source_a));
    write_file("b.s", source_b, strlen(source_b));
    write_file("script", script, strlen(script));
    return 0;
}

static int leave_scratch(void **state)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", (const char *)*state);
    return chdir("/") || system(command);
}

static void outside_linkers_agree(void **state)
{
    int compared = 0;
    (void)state;
    const bool gnu = has_tool("riscv64-unknown-elf-ld");
    for (size_t i = 0; gnu && i < countof(assemblers); i++) {
        if (!has_tool(assemblers[i].name))
            continue;
        run(assemblers[i].command, "a.s", "a.o");
        run(assemblers[i].command, "b.s", "b.o");
        compare_with(
            "riscv64-unknown-elf-ld -m elf32lriscv --no-relax -T script %s %s -o theirs.elf");
        compared++;
    }
    if (!compared)
        skip_because("no outside assembler and linker");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(outside_linkers_agree, enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
