/* abi.c -- the rows of abi.def as a text for the assembler. */
#include "isa/abi.h"
#include "base/mem.h"
#include "isa/isa.h"

void isa_abi_text(Buf *b)
{
    buf_str(b, "# abi.inc -- made from the rows of src/isa/abi.def\n");
#define EQU(prefix, name, value) buf_printf(b, ".equ %s%s, %#x\n", prefix, #name, value);
#define ABI(name, value, what)   EQU("ABI_", name, (u32)(value))
#define RANGE(name, from, end, what)                                                               \
    if ((end) <= 1 << 20)                                                                          \
        buf_printf(b, ".equ RANGE_%s_FROM, %#x\n.equ RANGE_%s_END, %#llx\n", #name,                \
                   RANGE_FROM(name), #name, (unsigned long long)(end) << 12);
#define KNL(name, word, words, readers, what) EQU("KNL_", name, (u32)(word))
#define PRINT(name, offset, what)             EQU("PRINT_", name, (u32)(offset))
#define RECORD(name, offset, what)            EQU("RECORD_", name, (u32)(offset))
#include "isa/abi.def"
    buf_str(b, ".macro with_registers name\n\\name ");
    const char *comma = "";
#define REG(name, file, first, last, kept, reserved, what)                                         \
    if (first == last)                                                                             \
        buf_printf(b, "%s%s=%s%d", comma, #name, #file, first), comma = ", ";
#include "isa/abi.def"
    buf_str(b, "\n.endm\n");
}
