/* alias_test.c -- other ways to write an instruction: each against the instruction that the manuals
 * say it stands for ("Assembly programmer's handbook" of the RISC-V manual; "V"; doc/isa.md). */
#include "test/kit/assemble.h"

static const struct {
    const char *alias, *base;
    bool printed; /* in listings, too */
} rows[] = {
    {"nop", "addi x0, x0, 0", true},
    {"li a0, 5", "addi a0, x0, 5", true},
    {"mv a0, a1", "addi a0, a1, 0", true},
    {"move a0, a1", "addi a0, a1, 0", false},
    {"not a0, a1", "xori a0, a1, -1", true},
    {"neg a0, a1", "sub a0, x0, a1", true},
    {"seqz a0, a1", "sltiu a0, a1, 1", true},
    {"snez a0, a1", "sltu a0, x0, a1", true},
    {"sltz a0, a1", "slt a0, a1, x0", true},
    {"sgtz a0, a1", "slt a0, x0, a1", true},
    {"zext.b a0, a1", "andi a0, a1, 255", false},
    {"sgt a0, a1, a2", "slt a0, a2, a1", false},
    {"sgtu a0, a1, a2", "sltu a0, a2, a1", false},
    {"add a0, a1, 7", "addi a0, a1, 7", false},
    {"and a0, a1, 7", "andi a0, a1, 7", false},
    {"or a0, a1, 7", "ori a0, a1, 7", false},
    {"xor a0, a1, 7", "xori a0, a1, 7", false},
    {"sll a0, a1, 7", "slli a0, a1, 7", false},
    {"srl a0, a1, 7", "srli a0, a1, 7", false},
    {"sra a0, a1, 7", "srai a0, a1, 7", false},
    {"slt a0, a1, 7", "slti a0, a1, 7", false},
    {"sltu a0, a1, 7", "sltiu a0, a1, 7", false},
    {"ret", "jalr x0, 0(ra)", true},
    {"jr a1", "jalr x0, 0(a1)", true},
    {"jr 4(a1)", "jalr x0, 4(a1)", true},
    {"jalr a1", "jalr ra, 0(a1)", true},
    {"jalr 4(a1)", "jalr ra, 4(a1)", true},
    {"jalr a0, a1", "jalr a0, 0(a1)", true},
    {"jalr a0, a1, 4", "jalr a0, 4(a1)", false},
    {"x: j x", "x: jal x0, x", false},
    {"x: jal x", "x: jal ra, x", false},
    {"x: beqz a0, x", "x: beq a0, x0, x", false},
    {"x: bnez a0, x", "x: bne a0, x0, x", false},
    {"x: blez a0, x", "x: bge x0, a0, x", false},
    {"x: bgez a0, x", "x: bge a0, x0, x", false},
    {"x: bltz a0, x", "x: blt a0, x0, x", false},
    {"x: bgtz a0, x", "x: blt x0, a0, x", false},
    {"x: bgt a0, a1, x", "x: blt a1, a0, x", false},
    {"x: ble a0, a1, x", "x: bge a1, a0, x", false},
    {"x: bgtu a0, a1, x", "x: bltu a1, a0, x", false},
    {"x: bleu a0, a1, x", "x: bgeu a1, a0, x", false},
    {"frcsr a0", "csrrs a0, 3, x0", true},
    {"frrm a0", "csrrs a0, 2, x0", true},
    {"frflags a0", "csrrs a0, 1, x0", true},
    {"fscsr a0", "csrrw x0, 3, a0", true},
    {"fsrm a0", "csrrw x0, 2, a0", true},
    {"fsflags a0", "csrrw x0, 1, a0", true},
    {"fscsr a0, a1", "csrrw a0, 3, a1", true},
    {"fsrm a0, a1", "csrrw a0, 2, a1", true},
    {"fsflags a0, a1", "csrrw a0, 1, a1", true},
    {"fsrmi 3", "csrrwi x0, 2, 3", true},
    {"fsflagsi 3", "csrrwi x0, 1, 3", true},
    {"fsrmi a0, 3", "csrrwi a0, 2, 3", true},
    {"fsflagsi a0, 3", "csrrwi a0, 1, 3", true},
    {"rdinstret a0", "csrrs a0, 0xc02, x0", true},
    {"rdcycle a0", "csrrs a0, 0xc00, x0", true},
    {"rdtime a0", "csrrs a0, 0xc01, x0", true},
    {"rdinstreth a0", "csrrs a0, 0xc82, x0", true},
    {"rdcycleh a0", "csrrs a0, 0xc80, x0", true},
    {"rdtimeh a0", "csrrs a0, 0xc81, x0", true},
    {"csrr a0, 2048", "csrrs a0, 2048, x0", true},
    {"csrw 2048, a0", "csrrw x0, 2048, a0", true},
    {"csrs 2048, a0", "csrrs x0, 2048, a0", true},
    {"csrc 2048, a0", "csrrc x0, 2048, a0", true},
    {"csrwi 2048, 3", "csrrwi x0, 2048, 3", true},
    {"csrsi 2048, 3", "csrrsi x0, 2048, 3", true},
    {"csrci 2048, 3", "csrrci x0, 2048, 3", true},
    {"csrw 2048, 3", "csrrwi x0, 2048, 3", false},
    {"csrs 2048, 3", "csrrsi x0, 2048, 3", false},
    {"csrc 2048, 3", "csrrci x0, 2048, 3", false},
    {"csrrw a0, 2048, 3", "csrrwi a0, 2048, 3", false},
    {"csrrs a0, 2048, 3", "csrrsi a0, 2048, 3", false},
    {"csrrc a0, 2048, 3", "csrrci a0, 2048, 3", false},
    {"unimp", "csrrw x0, cycle, x0", true},
    {"fence", "fence iorw, iorw", true},
    {"scall", "ecall", false},
    {"sbreak", "ebreak", false},
    {"fmv.x.s a0, a1", "fmv.x.w a0, a1", false},
    {"fmv.s.x a0, a1", "fmv.w.x a0, a1", false},
    {"fabs.s a0, a1", "fsgnjx.s a0, a1, a1", true},
    {"fneg.s a0, a1", "fsgnjn.s a0, a1, a1", true},
    {"fmv.s a0, a1", "fsgnj.s a0, a1, a1", false},
    {"fgt.s a0, a1, a2", "flt.s a0, a2, a1", false},
    {"fge.s a0, a1, a2", "fle.s a0, a2, a1", false},
    {"vnot.v v1, v2", "vxor.vi v1, v2, -1", true},
    {"vnot.v v1, v2, v0.t", "vxor.vi v1, v2, -1, v0.t", true},
    {"vneg.v v1, v2", "vrsub.vx v1, v2, x0", false},
    {"vfneg.v v1, v2", "vfsgnjn.vv v1, v2, v2", false},
    {"vfabs.v v1, v2, v0.t", "vfsgnjx.vv v1, v2, v2, v0.t", false},
    {"vmsltu.vi v1, v2, 5", "vmsleu.vi v1, v2, 4", false},
    {"vmslt.vi v1, v2, 5", "vmsle.vi v1, v2, 4", false},
    {"vmsgeu.vi v1, v2, 5", "vmsgtu.vi v1, v2, 4", false},
    {"vmsge.vi v1, v2, 5", "vmsgt.vi v1, v2, 4", false},
    {"vmsgtu.vv v1, v2, v3", "vmsltu.vv v1, v3, v2", false},
    {"vmsgt.vv v1, v2, v3", "vmslt.vv v1, v3, v2", false},
    {"vmsgeu.vv v1, v2, v3", "vmsleu.vv v1, v3, v2", false},
    {"vmsge.vv v1, v2, v3, v0.t", "vmsle.vv v1, v3, v2, v0.t", false},
    {"vmfgt.vv v1, v2, v3", "vmflt.vv v1, v3, v2", false},
    {"vmfge.vv v1, v2, v3", "vmfle.vv v1, v3, v2", false},
    {"vmmv.m v1, v2", "vmand.mm v1, v2, v2", false},
    {"vmcpy.m v1, v2", "vmand.mm v1, v2, v2", false},
    {"vmclr.m v1", "vmxor.mm v1, v1, v1", false},
    {"vmset.m v1", "vmxnor.mm v1, v1, v1", false},
    {"vmnot.m v1, v2", "vmnand.mm v1, v2, v2", false},
    {"vmandnot.mm v1, v2, v3", "vmandn.mm v1, v2, v3", false},
    {"vmornot.mm v1, v2, v3", "vmorn.mm v1, v2, v3", false},
    {"join", "join v0, v0, 0", false},
    {"endprg", "endprg x0, x0, x0", false},
    {"barrier", "barrier x0, x0, 1", false},
    {"barrier 3", "barrier x0, x0, 3", false},
    {"barriersub", "barriersub x0, x0, 0", false},
    {"barriersub 3", "barriersub x0, x0, 3", false},
    {"regext 5", "regext x0, x0, 5", false},
    {"regexti 5", "regexti x0, x0, 5", false},
};

static u32 code_of(const char *text)
{
    char line[100];
    snprintf(line, sizeof line, "%s\n", text);
    Object *o = assemble(line, V202);
    const ObjSection *s = section_of(o, ".text");
    u32 word;
    assert_true(s->data.len >= sizeof word);
    memcpy(&word, s->data.data, sizeof word);
    obj_free(o);
    return word;
}

static void aliases_are_their_instructions(void **state)
{
    (void)state;
    static IsaDecoder d;
    isa_decoder_init(&d, V202);
    for (size_t i = 0; i < countof(rows); i++) {
        const u32 word = code_of(rows[i].base), same = code_of(rows[i].alias);
        Buf listed = {0};
        if (word != same)
            fail_msg("%s is %08x; %s is %08x", rows[i].alias, same, rows[i].base, word);
        isa_print_word(&listed, &d, word, 4, &(IsaPrint){0});
        if (*rows[i].alias != 'x' && !strcmp(buf_text(&listed), rows[i].alias) != rows[i].printed)
            fail_msg("%s is listed as %s", rows[i].alias, buf_text(&listed));
        buf_free(&listed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aliases_are_their_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
