/* The assembler beside LLVM's and GNU's, where they are installed: standard instructions
 * with random operands, and the pseudo-instructions and directives of
 * test/golden/standard.s.  Without them there is nothing to compare with: skipped. */
#include "test/kit/assemble.h"
#include "test/kit/random.h"
#include "test/kit/skip.h"
#include <unistd.h>

enum { EACH = 6 };

static const char mc[] =
    "llvm-mc -triple=riscv32 -target-abi=ilp32 -mattr=+m,+a,+f,+v,-relax -filetype=obj";
static const char gas[] =
    "riscv64-unknown-elf-as -march=rv32im_zicsr_zifencei_zfinx -mabi=ilp32 -mno-relax";

static void need(const char *tool)
{
    char command[100];
    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", tool);
    if (system(command))
        skip_because("no %s", tool);
}

/* the object that `command` makes of a file, or of a text */
static Object *peer_object(const char *command, const char *file, const char *text)
{
    char dir[] = "/tmp/peerXXXXXX", line[500], source[100], out[100];
    Caught c;
    Object *o;
    Buf bytes = {0};
    char part[4096];
    assert_non_null(mkdtemp(dir));
    snprintf(source, sizeof source, "%s/t.s", dir);
    snprintf(out, sizeof out, "%s/t.o", dir);
    if (text) {
        FILE *f = fopen(source, "w");
        assert_non_null(f);
        fputs(text, f);
        fclose(f);
    }
    snprintf(line, sizeof line, "%s -o %s %s", command, out, text ? source : file);
    assert_int_equal(system(line), 0);
    FILE *f = fopen(out, "rb");
    assert_non_null(f);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        buf_put(&bytes, part, n);
    fclose(f);
    unlink(source);
    unlink(out);
    rmdir(dir);
    catch_in(&c);
    if (!obj_read("peer", bytes.data, bytes.len, &c.d, &o))
        fail_msg("%s", buf_text(&c.text));
    buf_free(&bytes);
    buf_free(&c.text);
    return o;
}

/* --- instructions with random operands ------------------------------------------------- */

typedef enum { OTHER, SCALAR, SCALAR_FLOAT, VECTOR, VECTOR_FLOAT, ATOMIC } Family;

static Family family_of(InsnId id)
{
    const u32 opcode = (u32)isa_insn[id].match & 0x7f, funct3 = (u32)isa_insn[id].match >> 12 & 7;
    if (isa_insn[id].len != 4 || !(isa_insn[id].sets & (V202 | V2025)))
        return OTHER;
    switch (opcode) {
    case 0x03:
    case 0x23: return funct3 == 3 ? OTHER : SCALAR; /* pairs */
    case 0x13:
    case 0x17:
    case 0x33:
    case 0x37:
    case 0x63:
    case 0x67:
    case 0x6f:
    case 0x73: return SCALAR;
    case 0x43:
    case 0x47:
    case 0x4b:
    case 0x4f: return SCALAR_FLOAT;
    case 0x53: return id == I_fmv_x_w || id == I_fmv_w_x ? OTHER : SCALAR_FLOAT;
    case 0x07:
    case 0x27: return id == I_flw || id == I_fsw ? OTHER : VECTOR;
    case 0x2f: return funct3 == 3 ? OTHER : ATOMIC;
    case 0x57: return funct3 == 5 || id == I_vfmv_f_s ? VECTOR_FLOAT : VECTOR;
    }
    return OTHER;
}

/* Operands that every assembler takes: no mask, and register groups that do not overlap. */
static Insn random_insn(InsnId id)
{
    const FormatInfo *f = isa_format_of(id);
    Insn in = {.id = id};
    for (int i = 0; i < f->nopd; i++) {
        const OperandInfo *o = &isa_operand[f->opd[i]];
        i64 min, max, step;
        isa_range((OperandId)f->opd[i], &min, &max, &step);
        in.opd[i] = (i32)(min + (i64)(random_bits() % (u64)((max - min) / step + 1)) * step);
        switch ((OperandKind)o->kind) {
        case K_MASK: in.opd[i] = 1; break;
        case K_RM: in.opd[i] = random_bits() & 1 ? 7 : (i32)(random_bits() % 5); break;
        case K_VTYPE: in.opd[i] = (i32)(random_bits() & 0xdb); break;
        case K_HIDE: in.opd[i] = 0; break;
        case K_VREG:
            in.opd[i] = (i32)(random_bits() % 8 + (o->use & USE_W       ? 8
                                                   : o->slot == SLOT_X1 ? 16
                                                                        : 24));
            break;
        default: break;
        }
    }
    return in;
}

/* In the peer's text, floats have registers of their own, and atomics are scalar. */
static void put_for_peer(Buf *b, const char *text, Family family)
{
    int x;
    for (const char *p = text; *p;) {
        const size_t word = strcspn(p, " ,()"), n = word ? word : 1;
        const bool behind = p > text;
        if (behind && family == VECTOR_FLOAT && isa_find_xreg(p, word, &x))
            buf_printf(b, "f%d", x);
        else if (behind && family == ATOMIC && *p == 'v')
            buf_printf(b, "x%.*s", (int)word - 1, p + 1);
        else
            buf_printf(b, "%.*s", (int)n, p);
        p += n;
    }
    buf_str(b, "\n");
}

static int put_rows(Buf *ours, Buf *theirs, const Family *families, int nfamilies)
{
    int n = 0;
    for (int id = 0; id < NINSN; id++)
        for (int k = 0; k < nfamilies * EACH; k++) {
            if (family_of((InsnId)id) != families[k / EACH])
                continue;
            Buf text = {0};
            const Insn in = random_insn((InsnId)id);
            isa_print(&text, &in, &(IsaPrint){.raw = k & 1});
            buf_printf(ours, "%s\n", buf_text(&text));
            put_for_peer(theirs, buf_text(&text), families[k / EACH]);
            buf_free(&text);
            n++;
        }
    return n;
}

static void compare_rows(const char *command, const Family *families, int nfamilies)
{
    Buf ours = {0}, theirs = {0};
    const int n = put_rows(&ours, &theirs, families, nfamilies);
    Caught c; /* warnings, about what some immediates mean here */
    Object *a = assemble_in(&c, buf_text(&ours), &(AsmOptions){.set = V2025});
    Object *b = peer_object(command, NULL, buf_text(&theirs));
    if (!a)
        fail_msg("%s", buf_text(&c.text));
    buf_free(&c.text);
    const Buf *x = &section_of(a, ".text")->data, *y = &section_of(b, ".text")->data;
    assert_int_equal(x->len, 4 * n);
    assert_int_equal(y->len, x->len);
    const char *line = buf_text(&ours);
    for (int i = 0; i < n; i++, line += strcspn(line, "\n") + 1)
        if (memcmp(x->data + 4 * i, y->data + 4 * i, 4))
            fail_msg("%.*s: not what the peer makes of it", (int)strcspn(line, "\n"), line);
    obj_free(a);
    obj_free(b);
    buf_free(&ours);
    buf_free(&theirs);
}

static void instructions_are_those_of_llvm(void **state)
{
    static const Family families[] = {SCALAR, VECTOR, VECTOR_FLOAT, ATOMIC};
    (void)state;
    need("llvm-mc");
    compare_rows(mc, families, countof(families));
}

static void floats_in_scalar_registers_are_those_of_gnu_as(void **state)
{
    static const Family families[] = {SCALAR_FLOAT};
    (void)state;
    need("riscv64-unknown-elf-as");
    compare_rows(gas, families, countof(families));
}

/* --- pseudo-instructions, directives, relocations ------------------------------------------- */

static u32 same_type(u32 type) { return type == R_RISCV_CALL ? R_RISCV_CALL_PLT : type; }

static const char *target(const Object *o, const ObjReloc *r)
{
    const char *name = o->symbols[r->symbol].name;
    return strncmp(name, ".L", 2) ? name : "a label"; /* which has another name there */
}

static void compare_relocs(const Object *a, const ObjSection *x, const Object *b,
                           const ObjSection *y)
{
    assert_int_equal(x->nrelocs, y->nrelocs);
    for (size_t i = 0; i < x->nrelocs; i++) {
        const ObjReloc *r = &x->relocs[i], *s = &y->relocs[i];
        assert_int_equal(r->offset, s->offset);
        assert_int_equal(same_type(r->type), same_type(s->type));
        assert_int_equal(r->addend, s->addend);
        assert_string_equal(target(a, r), target(b, s));
    }
}

/* Versions of LLVM differ in how they make large constants, and since 15 they lengthen a branch to
 * a symbol of another object. */
static bool depends_on_version(const char *line)
{
    return !strncmp(line, "\tli ", 4) || !strncmp(line, "\tbeq a0, a1, ext", 16);
}

static void directives_and_relocations_are_those_of_llvm(void **state)
{
    Buf text = {0};
    char line[4096];
    int sections = 0;
    (void)state;
    need("llvm-mc");
    FILE *f = fopen("test/golden/standard.s", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (!depends_on_version(line))
            buf_str(&text, line);
    fclose(f);
    Object *a = assemble(buf_text(&text), V202), *b = peer_object(mc, NULL, buf_text(&text));
    for (size_t i = 0; i < a->nsections; i++) {
        const ObjSection *x = &a->sections[i];
        if (!strncmp(x->name, ".ventus.", 8) || !x->size)
            continue;
        const ObjSection *y = section_of(b, x->name);
        assert_int_equal(x->size, y->size);
        assert_int_equal(x->align, y->align);
        for (size_t k = 0; k < x->data.len; k++)
            if (x->data.data[k] != y->data.data[k])
                fail_msg("%s+0x%zx is %02x, LLVM makes %02x", x->name, k, x->data.data[k],
                         y->data.data[k]);
        compare_relocs(a, x, b, y);
        sections++;
    }
    assert_true(sections >= 6);
    obj_free(a);
    obj_free(b);
    buf_free(&text);
}

/* --- random texts ------------------------------------------------------------------------ */

enum { TEXTS = 40, STATEMENTS = 60, SECTIONS = 6 };

static const char *const section_directives[SECTIONS] = {".text",
                                                         ".data",
                                                         ".section .rodata",
                                                         ".section .mine, \"aw\"",
                                                         ".section .more, \"ax\", @progbits",
                                                         ".section .list, \"aw\", @init_array"};

static const bool is_code[SECTIONS] = {true, false, false, false, true, false};

/* What the text has so far. */
typedef struct {
    Buf b;
    u32 section, nlabels[SECTIONS], nplaces, nsymbols;
} Text;

/* An expression of numbers; with some luck no two operators of other precedence are beside each other without brackets. */
static void put_number(Text *t, u32 depth)
{
    static const char *const two[] = {
        "+", "-", "*", "|", "&", "^", "==", "!=", "<>", "<", ">", "<=", ">=", "&&", "||"};
    static const char *const one[] = {"-", "~", "!", "+"};
    switch (depth ? below(7) : below(2)) {
    case 0: buf_printf(&t->b, "%u", below(300)); break;
    case 1:
        buf_printf(&t->b,
                   one_in(2)   ? "0x%x"
                   : one_in(2) ? "0%o"
                               : "%u",
                   one_in(3) ? (u32)random_bits() : below(70000));
        break;
    case 2:
        buf_str(&t->b, one[below(countof(one))]);
        put_number(t, depth - 1);
        break;
    case 3:
        buf_str(&t->b, "(");
        put_number(t, depth - 1);
        buf_str(&t->b, ")");
        break;
    case 4:
        put_number(t, depth - 1);
        buf_printf(&t->b, one_in(2) ? " << %u" : one_in(2) ? " / %u" : " %% %u", 1 + below(40));
        break;
    default:
        put_number(t, depth - 1);
        buf_printf(&t->b, " %s ", two[below(countof(two))]);
        put_number(t, depth - 1);
    }
}

static void put_label_name(Text *t, u32 section)
{
    buf_printf(&t->b, "l%u_%u", section, below(t->nlabels[section]));
}

/* a label of the section, or a distance of two that is known at the end */
static void put_place(Text *t, bool difference)
{
    put_label_name(t, t->section);
    if (difference) {
        buf_str(&t->b, " - ");
        put_label_name(t, t->section);
    }
    if (one_in(2))
        buf_printf(&t->b, " + %u", below(100));
}

static void put_data(Text *t)
{
    static const char *const names[] = {".byte", ".half",  ".2byte", ".short", ".word",
                                        ".long", ".4byte", ".quad",  ".8byte"};
    const u32 name = below(countof(names));
    buf_printf(&t->b, "\t%s ", names[name]);
    for (u32 n = 1 + below(3); n; n--) {
        if (name >= 4 && t->nlabels[t->section] && one_in(3)) {
            put_place(t, name >= 7 || one_in(2));
        } else {
            buf_str(&t->b, name < 1   ? "255 & ("
                           : name < 4 ? "0xffff & ("
                           : name < 7 ? "0xffffffff & ("
                                      : "(");
            put_number(t, 3);
            buf_str(&t->b, ")");
        }
        buf_str(&t->b, n > 1 ? ", " : "\n");
    }
}

static void put_run(Text *t)
{
    static const char *const zeros[] = {".zero", ".space", ".skip"};
    if (one_in(2))
        buf_printf(&t->b, "\t.fill %u, %u, 0x%x\n", below(9), 1 + below(8), below(0x7fffffff));
    else
        buf_printf(&t->b, "\t%s %u\n", zeros[below(3)], below(40));
}

/* where code may be, with a filling: without one, LLVM takes nothing but whole instructions there */
static void put_alignment(Text *t)
{
    const u32 power = 1 + below(4);
    if (one_in(2))
        buf_printf(&t->b, "\t.balign %u", 1u << power);
    else
        buf_printf(&t->b, "\t.p2align %u", power);
    const bool has_most = one_in(3);
    if (is_code[t->section] || one_in(2))
        buf_printf(&t->b, ", 0x%x", 1 + below(255));
    else if (has_most)
        buf_str(&t->b, ", ");
    if (has_most)
        buf_printf(&t->b, ", %u", 1 + below((1u << power) - 1));
    buf_str(&t->b, "\n");
}

static void put_strings(Text *t)
{
    static const char *const names[] = {".ascii", ".asciz", ".string"};
    static const char *const parts[] = {"a",    "Zz9 #;/", "\\n",     "\\t",   "\\\\",
                                        "\\\"", "\\0",     "\\101",   "\\377", "\\r\\b\\f",
                                        "//",   "/*x*/",   "\303\244"};
    buf_printf(&t->b, "\t%s ", names[below(3)]);
    for (u32 n = 1 + below(2); n; n--) {
        buf_str(&t->b, "\"");
        for (u32 k = below(6); k; k--)
            buf_str(&t->b, parts[below(countof(parts))]);
        buf_str(&t->b, n > 1 ? "\", " : "\"\n");
    }
}

static void put_symbol(Text *t)
{
    static const char *const types[] = {"function", "object", "notype"}, *const binds[] = {
                                                                             ".globl", ".weak",
                                                                             ".local", ".global"};
    const u32 s = t->section, n = t->nlabels[s]++;
    if (one_in(2))
        buf_printf(&t->b, "\t%s l%u_%u\n", binds[below(4)], s, n);
    if (one_in(2))
        buf_printf(&t->b, "\t.type l%u_%u, %c%s\n", s, n, one_in(2) ? '@' : '%', types[below(3)]);
    buf_printf(&t->b, "l%u_%u:\n", s, n);
    if (one_in(2))
        buf_printf(&t->b, "\t.size l%u_%u, %u\n", s, n, below(1000));
    if (one_in(4))
        buf_printf(&t->b, "\t.size l%u_%u, . - l%u_%u + 4\n", s, n, s, n);
}

static void put_assignment(Text *t)
{
    const u32 n = t->nsymbols++;
    buf_printf(&t->b, one_in(3) ? "\ts%u = " : one_in(2) ? "\t.equiv s%u, " : "\t.set s%u, ", n);
    if (t->nlabels[t->section] && one_in(2))
        put_place(t, false);
    else
        put_number(t, 3);
    buf_printf(&t->b, "\n\t%s s%u\n", one_in(2) ? ".globl" : ".local", n);
}

static void put_leb(Text *t)
{
    if (one_in(2))
        buf_printf(&t->b, "\t.uleb128 %llu, %u\n", (unsigned long long)(random_bits() >> below(64)),
                   below(300));
    else
        buf_printf(&t->b, "\t.sleb128 %lld, %d\n", (long long)((i64)random_bits() >> below(64)),
                   (int)below(300) - 150);
}

static void put_float(Text *t)
{
    const bool is_single = one_in(2);
    buf_printf(&t->b, "\t%s %s%u.%ue%d\n", is_single ? ".float" : ".double", one_in(2) ? "-" : "",
               below(1000), below(100000), (int)below(60) - 30);
}

static void put_condition(Text *t)
{
    static const char *const names[] = {".if",   ".ifne", ".ifeq", ".iflt",
                                        ".ifle", ".ifgt", ".ifge"};
    buf_printf(&t->b, "\t%s ", names[below(7)]);
    put_number(t, 2);
    buf_str(&t->b, "\n");
    put_data(t);
    for (u32 n = below(3); n; n--) {
        buf_str(&t->b, "\t.elseif ");
        put_number(t, 2);
        buf_str(&t->b, "\n");
        put_data(t);
    }
    if (one_in(2)) {
        buf_str(&t->b, "\t.else\n");
        put_strings(t);
    }
    buf_str(&t->b, "\t.endif\n");
}

static void put_repetition(Text *t)
{
    switch (below(3)) {
    case 0: buf_printf(&t->b, "\t.rept %u\n", below(4)); break;
    case 1: buf_str(&t->b, "\t.irp x, 1, 2+3, 0x10\n\t.word \\x\n\t.byte (\\x) * 2\n"); break;
    case 2: buf_str(&t->b, "\t.irpc x, 1270\n\t.half \\x, 0x1\\x\n"); break;
    }
    put_data(t);
    buf_str(&t->b, "\t.endr\n");
}

static void put_call(Text *t)
{
    static const char *const calls[] = {"one 1",         "one 1, 2",     "one b=3, a=4", "two",
                                        "two (1, 2), 7", "rest 1, 2, 3", "rest"};
    buf_printf(&t->b, "\t%s\n", calls[below(countof(calls))]);
}

static void put_place_of_section(Text *t)
{
    t->section = below(SECTIONS);
    if (one_in(4)) {
        buf_printf(&t->b, "\t.pushsection %s\n\t.word 7\n\t.popsection\n",
                   one_in(2) ? ".data" : ".mine");
        buf_printf(&t->b, "\t%s\n\t.data\n\t.byte 9\n\t.previous\n",
                   section_directives[t->section]);
    } else {
        buf_printf(&t->b, "\t%s\n", section_directives[t->section]);
    }
}

/* Instructions with places near and far, in a section of their own: where there are some, LLVM leaves differences of labels
 * to the linker, and all labels that are not local. */
static void put_code(Text *t)
{
    static const char *const loads[] = {"lw", "lb", "lbu", "lh", "lhu"}, *const branches[] = {
                                                                             "beq", "bne", "bltu",
                                                                             "bge"};
    const u32 n = t->nplaces++;
    buf_printf(
        &t->b,
        "\t.pushsection .code, \"ax\", @progbits\nk%u:\n1:\taddi a%u, a1, %d\n\t%s a2, %d(t0)\n", n,
        below(8), (int)below(4096) - 2048, loads[below(5)], (int)below(4096) - 2048);
    buf_printf(&t->b, "\t%s a0, a%u, 1b\n\tj 1f\n\tbeqz a0, 1f\n\tj k%u\n", branches[below(4)],
               below(8), below(n + 1));
    for (u32 k = below(4); k; k--)
        buf_printf(&t->b,
                   one_in(2) ? "\tlui t0, %%hi(k%u + %u)\n" : "\taddi t0, t0, %%lo(k%u + %u)\n",
                   below(n + 1), below(5000));
    buf_printf(&t->b, "2:\tauipc t1, %%pcrel_hi(k%u)\n\t%s a0, %%pcrel_lo(2b)(t1)\n", below(n + 1),
               one_in(2) ? "sw" : "lw");
    buf_printf(&t->b, "\t%s k%u\n1:\tnop\n\t.popsection\n", one_in(2) ? "call" : "tail",
               below(n + 1));
}

static void put_statement(Text *t)
{
    static void (*const put[])(Text *) = {
        put_data,      put_data,       put_run,  put_alignment,       put_strings, put_symbol,
        put_symbol,    put_assignment, put_leb,  put_float,           put_code,    put_code,
        put_condition, put_repetition, put_call, put_place_of_section};
    put[below(countof(put))](t);
}

static void put_text(Text *t)
{
    buf_str(&t->b, "\t.macro one a, b=5\n\t.byte \\a, \\b\n\t.endm\n"
                   "\t.macro two a, b\n\t.ifb \\a\n\t.byte 1\n\t.else\n\t.ascii \"\\a "
                   "\\b\\()x\"\n\t.endif\n\t.endm\n"
                   "\t.macro rest r:vararg\n\t.ifnb \\r\n\t.half \\r\n\t.endif\n\t.endm\n");
    buf_str(&t->b, "\t.section .code, \"ax\", @progbits\n\t.balign 4\n");
    for (u32 s = 0; s < SECTIONS; s++)
        buf_printf(&t->b, "\t%s\n", section_directives[SECTIONS - 1 - s]);
    for (u32 i = 0; i < STATEMENTS; i++)
        put_statement(t);
    for (u32 s = 0; s < SECTIONS; s++) /* whole words, and every section */
        buf_printf(&t->b, "\t%s\n\t.balign 4, 1\n\t.word %u\n", section_directives[s], s);
}

static const char *section_name(const Object *o, i32 section)
{
    return section >= 0           ? o->sections[section].name
           : section == OBJ_UNDEF ? "none"
           : section == OBJ_ABS   ? "a number"
                                  : "common";
}

/* The text is too long for a message. */
#define differs(text, ...)                                                                         \
    do {                                                                                           \
        fprintf(stderr, "%s\n", text);                                                             \
        fail_msg(__VA_ARGS__);                                                                     \
    } while (0)

static void compare_symbol(const Object *a, const ObjSymbol *x, const Object *b, const char *text)
{
    const i32 at = obj_find_symbol(b, x->name);
    if (at < 0)
        differs(text, "LLVM has no symbol %s", x->name);
    const ObjSymbol *y = &b->symbols[at];
    const bool is_label = *x->name == 'l'; /* another name for it has its size and type there */
    if (strcmp(section_name(a, x->section), section_name(b, y->section)) || x->value != y->value ||
        x->bind != y->bind || (is_label && (x->size != y->size || x->type != y->type)))
        differs(text, "%s: %s %x size %u bind %d type %d, of LLVM: %s %x size %u bind %d type %d",
                x->name, section_name(a, x->section), x->value, x->size, x->bind, x->type,
                section_name(b, y->section), y->value, y->size, y->bind, y->type);
}

static void compare_sections(const Object *a, const ObjSection *x, const Object *b,
                             const char *text)
{
    const ObjSection *y = section_of(b, x->name);
    if (x->type != y->type || x->flags != y->flags || x->align != y->align || x->size != y->size)
        differs(text,
                "%s: type %u flags %x align %u size %u, of LLVM: type %u flags %x align %u size %u",
                x->name, x->type, x->flags, x->align, x->size, y->type, y->flags, y->align,
                y->size);
    for (size_t k = 0; k < x->data.len; k++)
        if (x->data.data[k] != y->data.data[k])
            differs(text, "%s+0x%zx is %02x, LLVM makes %02x", x->name, k, x->data.data[k],
                    y->data.data[k]);
    compare_relocs(a, x, b, y);
}

static void random_texts_are_those_of_llvm(void **state)
{
    (void)state;
    need("llvm-mc");
    for (int i = 0; i < TEXTS; i++) {
        Text t = {.section = 0};
        put_text(&t);
        const char *text = buf_text(&t.b);
        Object *a = assemble(text, V202), *b = peer_object(mc, NULL, text);
        for (size_t k = 0; k < a->nsections; k++)
            if (strncmp(a->sections[k].name, ".ventus.", 8))
                compare_sections(a, &a->sections[k], b, text);
        for (size_t k = 0; k < a->nsymbols; k++)
            if (a->symbols[k].type != STT_SECTION)
                compare_symbol(a, &a->symbols[k], b, text);
        obj_free(a);
        obj_free(b);
        buf_free(&t.b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_are_those_of_llvm),
        cmocka_unit_test(floats_in_scalar_registers_are_those_of_gnu_as),
        cmocka_unit_test(directives_and_relocations_are_those_of_llvm),
        cmocka_unit_test(random_texts_are_those_of_llvm),
    };
    return cmocka_run_group_tests_name("asm_peer", tests, NULL, NULL);
}
