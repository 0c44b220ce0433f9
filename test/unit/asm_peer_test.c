/* The assembler beside LLVM's and GNU's, where they are installed: standard instructions
 * with random operands, and the pseudo-instructions and directives of
 * test/golden/standard.s.  Without them there is nothing to compare with: skipped. */
#include "test/kit/assemble.h"
#include "test/kit/skip.h"
#include <unistd.h>

enum { EACH = 6 };

static const char mc[] = "llvm-mc -triple=riscv32 -target-abi=ilp32 -mattr=+m,+a,+f,+v,-relax -filetype=obj";
static const char gas[] =
    "riscv64-unknown-elf-as -march=rv32im_zicsr_zifencei_zfinx -mabi=ilp32 -mno-relax";

static u64 random_bits(void)
{
    static u64 s = 88172645463325252u;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return s;
}

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
    case 0x13: case 0x17: case 0x33: case 0x37: case 0x63: case 0x67: case 0x6f: case 0x73:
        return SCALAR;
    case 0x43: case 0x47: case 0x4b: case 0x4f: return SCALAR_FLOAT;
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
            in.opd[i] = (i32)(random_bits() % 8 + (o->use & USE_W     ? 8
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_are_those_of_llvm),
        cmocka_unit_test(floats_in_scalar_registers_are_those_of_gnu_as),
        cmocka_unit_test(directives_and_relocations_are_those_of_llvm),
    };
    return cmocka_run_group_tests_name("asm_peer", tests, NULL, NULL);
}
