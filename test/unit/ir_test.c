/* ir_test.c -- the compiler's representation as text: what is printed is read back, what is wrong
 * is refused with its place, and what breaks a rule of a stage is found. */
#include "test/kit/leftover.h"
#include "base/mem.h"
#include "cc/ir.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static Module *parse(const char *text, Buf *messages)
{
    const Source src = {.name = "t.ir", .text = text};
    Diag d = {.sink = diag_to_buf, .to = messages};
    Module *m = ir_parse(&src, target_find(0), &d);
    assert_int_equal(m == NULL, diag_errors(&d));
    return m;
}

static Module *parse_good(const char *text)
{
    Buf messages = {0};
    Module *m = parse(text, &messages);
    if (!m)
        fail_msg("%s", buf_text(&messages));
    buf_free(&messages);
    return m;
}

/* --- text ------------------------------------------------------------------------------- */

/* everything that can be written, as it is printed */
static const char everything[] =
    "file 0 \"a.cl\"\n"
    "file 1 \"dir/b \\22x\\22.h\"\n"
    "extern @printf\n"
    "extern @\"odd name\" local\n"
    "data @tbl rodata align 4 size 40 {\n"
    "    00010203 04050607 08090a0b 0c0d0e0f 10111213 14151617 18191a1b 1c1d1e1f\n"
    "    2021\n"
    "    reloc 32 @f+4\n"
    "    reloc 36 @tbl-100000\n"
    "}\n"
    "data @shared weak align 4 size 8 {\n"
    "}\n"
    "data @.bss local align 128 size 4096 {\n"
    "}\n"
    "func @f local params 2 results 1 maxargs 3 private 64 scalar 8 calls {\n"
    "    slot $0 size 16 align 4\n"
    "    slot $1 size 4096 align 128 at 32\n"
    "b0:\n"
    "    %1:x \"n\" = param !0:1:2\n"
    "    %2:v = param #1\n"
    "    %3:v = add %2, -17 !1:4000000000:7\n"
    "    vbr ne %3, 0 -> b1, b2 join b3 !1:3:1\n"
    "b1:\n"
    "    %4 = load half private signed volatile [$1+8 + 4]\n"
    "    %5 = load word const uniform [@tbl-4 - 2147483648]\n"
    "    store byte flat %5, [%4]\n"
    "    %6 = atomic maxu word global 0x80000000, [%4]\n"
    "    %7 = lr word local [%4]\n"
    "    %8 = sc word local %7, [%4 + 1]\n"
    "    arg %6\n"
    "    arg @printf #1\n"
    "    call @\"odd name\"+12 #2\n"
    "    %9 = result\n"
    "    %10 = csr #0x806\n"
    "    fence\n"
    "    barrier #3\n"
    "    jump b3\n"
    "b2:\n"
    "    br geu 0x00010000, -65536 -> b3, b3\n"
    "b3: join other b1 b2\n"
    "    %11:v = phi b1 %9, b2 3, b2 $0, b5 - !0:9:8\n"
    "    setret %11\n"
    "    ret !0:9:9\n"
    "b5:\n"
    "    x5 = li 0x12345678\n"
    "    v7 = vadd.vx v200, x63\n"
    "    x7 = x.add x5, x0\n"
    "    v8 = vfmacc.vv v1, v2, v8 #7\n"
    "    x9 = lw word const -4, x5\n"
    "    use x9, -, v8\n"
    "    jump b3\n"
    "}\n"
    "kernel @k lds 64 {\n"
    "b0:\n"
    "    ret\n"
    "}\n";

static void round_trip(void **state)
{
    (void)state;
    Buf messages = {0}, out = {0};
    Module *m = parse(everything, &messages);
    assert_string_equal(buf_text(&messages), "");
    ir_print_module(&out, m);
    assert_string_equal(buf_text(&out), everything);
    const Func *f = m->func[0];
    assert_int_equal(f->exit, 3);
    assert_true(f->block[0].term.divergent && f->block[0].term.rpc == 3);
    assert_true(f->block[3].join && f->block[3].nother == 2);
    assert_int_equal(f->block[1].ins[1].imm, INT32_MIN);
    assert_int_equal(f->block[1].ins[3].imm, OP_maxu);
    assert_int_equal(f->block[5].ins[1].reg, 1 + V0 + 7);
    assert_int_equal(m->data[0].ninit, 34);
    assert_int_equal(m->loc[f->block[0].ins[2].loc].line, 4000000000u);
    ir_free(m);
    buf_free(&out);
    buf_free(&messages);
}

/* blanks and comments may stand between all that there is */
static void empty_lines(void **state)
{
    (void)state;
    Module *m = parse_good("\n  ; a comment\nextern @f ; of another object\n\n"
                           "kernel @k {\n\n; here too\nb0:\n\n    ret ; done\n}\n  \n; the end");
    assert_int_equal(m->nfunc, 1);
    ir_free(m);
}

static void same_print(const char *one, const char *other)
{
    Module *m = parse_good(one), *n = parse_good(other);
    Buf a = {0}, b = {0};
    ir_print_module(&a, m);
    ir_print_module(&b, n);
    assert_string_equal(buf_text(&a), buf_text(&b));
    ir_free(m);
    ir_free(n);
    buf_free(&a);
    buf_free(&b);
}

/* signs part words as blanks do */
static void tight_lines(void **state)
{
    (void)state;
    same_print(
        "file 0\"a\"\nfunc @f params 1{\nslot $0 size 4 align 4\nb0:\n%1:x=li 1\n%2=load word "
        "global[%1+4]!0:3:4\n"
        "br eq %1,%2->b1,b2\nb1:\njump b2\nb2:\n%3:v=phi b0%2,b1 1\nstore word private%3,[$0-4]\n"
        "arg@f#0\n%4=add 0XABCDEF,0xaBcDeF\nret;\n}",
        "file 0 \"a\"\nfunc @f params 1 {\nslot $0 size 4 align 4\nb0:\n%1:x = li 1\n%2 = load "
        "word global [ %1 + 4 ] !0:3:4\n"
        "br eq %1 , %2 -> b1 , b2\nb1:\njump b2\nb2:\n%3:v = phi b0 %2 , b1 1\nstore word private "
        "%3 , [ $0-4 ]\n"
        "arg @f #0\n%4 = add 11259375 , 11259375\nret ;\n}");
}

/* every character but the one that ends texts may be in a name */
static void escapes(void **state)
{
    (void)state;
    char text[1200] = "extern @\"", name[300] = {0};
    for (u32 c = 1; c < 256; c++) {
        snprintf(text + strlen(text), 4, "\\%02x", c);
        name[c - 1] = (char)c;
    }
    strcat(text, "\"");
    Module *m = parse_good(text);
    assert_string_equal(m->sym[0].name, name);
    Buf out = {0};
    ir_print_module(&out, m);
    same_print(text, buf_text(&out));
    buf_free(&out);
    ir_free(m);
}

/* only what would not be read as one word is quoted */
static void names_are_quoted(void **state)
{
    static const char *const rows[][2] = {
        {"a", "@a"},     {"_a.9$", "@_a.9$"}, {"", "@\"\""},       {" ", "@\" \""},
        {"\t", "@\"\\09\""}, {"a b", "@\"a b\""}, {"a+4", "@\"a+4\""}, {"+", "@\"+\""},
        {"~", "@\"~\""}, {"\x7f", "@\"\\7f\""}, {"\"\\", "@\"\\22\\5c\""},
    };
    (void)state;
    for (size_t k = 0; k < countof(rows); k++) {
        Module *m = ir_module("names", target_find(0));
        Buf out = {0}, want = {0};
        ir_sym(m, rows[k][0], SYM_EXTERN);
        ir_print_module(&out, m);
        buf_printf(&want, "extern %s\n", rows[k][1]);
        assert_string_equal(buf_text(&out), buf_text(&want));
        buf_free(&out);
        buf_free(&want);
        ir_free(m);
    }
}

/* every operation and every row of v202 by its name */
static void names(void **state)
{
    (void)state;
    Module *m = ir_module("names", target_find(0)), *again;
    Func *f = ir_func(m, "f", false);
    Buf out = {0}, second = {0};
    ir_block(f);
    for (u16 op = 0; op < NIR; op++)
        if (op != IR_note) /* the text has none */
            ir_append(f, 0, &(Ins){.op = op, .imm = op == IR_atomic ? OP_add : 0});
    for (int id = 0; id < NINSN; id++)
        if (isa_has(V202, (InsnId)id))
            ir_append(f, 0, &(Ins){.op = (u16)(IR_MACHINE + id)});
    ir_ret(f, 0);
    ir_print_module(&out, m);
    again = parse_good(buf_text(&out));
    ir_print_module(&second, again);
    assert_string_equal(buf_text(&out), buf_text(&second));
    for (size_t k = 0; k < f->block[0].nins; k++)
        assert_int_equal(f->block[0].ins[k].op, again->func[0]->block[0].ins[k].op);
    ir_free(m);
    ir_free(again);
    buf_free(&out);
    buf_free(&second);
}

#define IN(text) "func @f {\nb0:\n" text "\n    ret\n}\n"

static const struct {
    const char *text, *message;
} refused[] = {
    {"nonsense", "t.ir:1:1: error: 'func', 'kernel', 'data', 'extern' or 'file' is missing here"},
    {"func f {\n}", "t.ir:1:6: error: '@' is missing here"},
    {"func @f {\nb0:\n", "error: the '}' of this function is missing"},
    {"func @f {\nb0:\nret\n}\nfunc @f {\n}\n", "t.ir:5:6: error: @f is defined above"},
    {IN("%0 = lane"), "t.ir:3:1: error: values begin with %1"},
    {IN("%9999999 = lane"), "t.ir:3:2: error: there cannot be so many values"},
    {IN("%1 = fnord"), "t.ir:3:6: error: there is no operation 'fnord'"},
    {IN("%1 = add %2, 4294967296"), "t.ir:3:14: error: this number has more than 32 bits"},
    {IN("%1 = add %2, -2147483649"), "t.ir:3:14: error: this number has more than 32 bits"},
    {IN("%1 = add %2, %3, 4, 5"), "t.ir:3:21: error: too many operands"},
    {IN("%1 = add ,"), "t.ir:3:10: error: an operand is missing here"},
    {IN("%1 = lane lane"), "t.ir:3:11: error: an operand is missing here"},
    {IN("%1:z = lane"), "t.ir:3:3: error: a bank is 'x' or 'v'"},
    {IN("%1:x = lane\n%1:v = lane"), "t.ir:4:3: error: %1 is in the other bank above"},
    {IN("%1 = load word [%2"), "t.ir:3:19: error: ']' is missing here"},
    {IN("%1 = load word [%2 + 2147483648]"), "t.ir:3:20: error: this offset does not fit"},
    {IN("%1 = atomic word flat 1, [%2]"), "t.ir:3:13: error: the operation of the atomic"},
    {IN("%1 = atomic add word flat 1, [%2 + 4]"), "t.ir:3:34: error: an atomic operation has no"},
    {IN("%1 = add @a+32768, 0"), "t.ir:3:12: error: an offset is at least -32768 and at most"},
    {IN("%1 = lane !0:1:1"), "t.ir:3:12: error: there is no file 0"},
    {IN("br foo 1, 2 -> b0, b0"), "t.ir:3:4: error: a condition is missing here"},
    {IN("vbr eq 1, 2 -> b0, b0"), "t.ir:3:22: error: 'join' and a block are missing here"},
    {IN("ret\nlane"), "t.ir:4:1: error: this is in no block"},
    {IN("b0:"), "t.ir:3:1: error: block b0 is here for the second time"},
    {IN("b999999999:"), "t.ir:3:2: error: there cannot be so many blocks"},
    {IN("slot $1 size 4 align 4"), "t.ir:3:6: error: the next slot is $0"},
    {IN("slot $0 size 4"), "t.ir:3:15: error: 'align' and a number are missing here"},
    {IN("%1 = phi b0 1"), "t.ir:3:6: error: this phi has 1 arguments, the block 0 predecessors"},
    {IN("lane\n%1 = phi"), "t.ir:4:6: error: phis stand before instructions"},
    {"func @f {\nb0:\njump b1\nb1:\n%1 = phi b2 0\nret\n}",
     "t.ir:5:10: error: the argument for b0"},
    {"data @a align 4 size 2 {\n000102\n}", "error: there are 3 bytes, more than the size"},
    {"data @a align 4 size 2 {\n0g\n}", "t.ir:2:1: error: bytes are two hexadecimal digits each"},
    {"data @a align 4 size 2 {\n", "error: the '}' of this data is missing"},
    {"file 1 \"a\"", "t.ir:1:6: error: files are numbered from 0"},
    {"extern @\"a\\00\"", "t.ir:1:11: error: two hexadecimal digits, not 00"},
    {"extern @\"a", "t.ir:1:9: error: this name does not end"},
    {"extern @", "t.ir:1:9: error: the name of a symbol is missing here"},
    {"file 0 a", "t.ir:1:8: error: the name of the file is missing here"},
    {"file 0 \"a\"\nfile 1 \"a\"",
     "t.ir:2:6: error: files are numbered from 0, each has its own name"},
    {IN("%1 = add 1, 2 #"), "t.ir:3:16: error: a number is missing here"},
    {IN("store word global 1, [4] #3"), "t.ir:3:26: error: this operation has no immediate"},
    {IN("phi b0 1"), "t.ir:3:1: error: a phi makes a value"},
    {IN("jump x1"), "t.ir:3:6: error: a block is missing here"},
    {IN("jump bx"), "t.ir:3:6: error: a block is missing here"},
    {IN("jump x"), "t.ir:3:6: error: a block is missing here"},
    {IN("fence\nret x"), "t.ir:4:5: error: nothing more is expected on this line"},
    {"func @f {\nb0:\njump b1\nb1:\nret\nb2:\nret\n}", "t.ir:7:1: error: a function has one 'ret'"},
};

static void refusals(void **state)
{
    (void)state;
    for (size_t k = 0; k < countof(refused); k++) {
        Buf messages = {0};
        Module *m = parse(refused[k].text, &messages);
        if (m || !strstr(buf_text(&messages), refused[k].message))
            fail_msg("%s\ngives: %s\nnot: %s", refused[k].text, buf_text(&messages),
                     refused[k].message);
        buf_free(&messages);
    }
}

/* The last number of each kind, and the longest names, plain and quoted; the next is refused. */
static void bounds(void **state)
{
    enum { VALUES = 1 << 20, BLOCKS = 1 << 18, SLOTS = 1 << 16, NAME = 4095 };
    (void)state;
    for (u32 more = 0; more < 2; more++) {
        for (u32 what = 0; what < 5; what++) {
            static const char *const says[] = {
                "t.ir:3:2: error: there cannot be so many values",
                "t.ir:3:7: error: there cannot be so many blocks",
                "t.ir:3:14: error: there cannot be so many slots",
                "t.ir:1:9: error: the name of a symbol is missing here",
                "t.ir:1:9: error: this name does not end, or has more than 4095 bytes",
            };
            Buf text = {0}, messages = {0};
            if (what == 0)
                buf_printf(&text, IN("%%%u = lane"), VALUES - 1 + more);
            else if (what == 1)
                buf_printf(&text, "func @f {\nb0:\njump b%u\nb%u:\nret\n}\n", BLOCKS - 1 + more,
                           BLOCKS - 1 + more);
            else if (what == 2)
                buf_printf(&text, IN("%%1 = add 1, $%u"), SLOTS - 1 + more);
            else
                buf_printf(&text, what == 3 ? "extern @%0*d" : "extern @\"%0*d\"",
                           NAME + (int)more, 7);
            Module *m = parse(buf_text(&text), &messages);
            if ((m == NULL) != (more > 0) || (more && !strstr(buf_text(&messages), says[what])))
                fail_msg("%u: %s", what, buf_text(&messages));
            ir_free(m);
            buf_free(&text);
            buf_free(&messages);
        }
    }
}

/* one run finds every wrong line */
static void goes_on(void **state)
{
    (void)state;
    Buf messages = {0};
    const Source src = {.name = "t.ir",
                        .text = "foo\nfunc @f {\nb0:\nbar\n%1 = lane\nbaz\nret\n}\nqux\n"};
    Diag d = {.sink = diag_to_buf, .to = &messages};
    assert_null(ir_parse(&src, target_find(0), &d));
    assert_int_equal(d.errors, 4);
    buf_free(&messages);
}

/* --- rules ------------------------------------------------------------------------------ */

static const struct {
    Stage stage;
    const char *text, *message; /* NULL: nothing is wrong */
} rules[] = {
    {STAGE_GENERIC, IN("%1 = lane\n%2 = add %1, 1\n%3 = use %2"), "has no result"},
    {STAGE_GENERIC, IN("%1 = lane\n%2 = add %1, @x"), NULL},
    {STAGE_GENERIC, IN("%1 = lane\n%1 = lane"), "f: b0, 2 (definition): writes %1 a second time"},
    {STAGE_GENERIC, IN("%1 = add %2, 1\n%2 = lane"),
     "f: b0, 1 (add): reads %2, which is not written on"},
    {STAGE_GENERIC, IN("%1 = add %2, 1"), "f: b0, 1 (add): reads %2, which nothing writes"},
    {STAGE_GENERIC, IN("%1 = add 1"), "f: b0, 1 (add): operand 1 is missing"},
    {STAGE_GENERIC, IN("%1 = lane\n%2 = fneg %1, %1"), "has an operand too many"},
    {STAGE_GENERIC, IN("add 1, 2"), "needs a result"},
    {STAGE_GENERIC, IN("%1 = add b0, 2"), "operand 0 is a block"},
    {STAGE_GENERIC, IN("%1 = add x5, 2"), "names a register before selection"},
    {STAGE_GENERIC, IN("%1 = add $0, 2"), "there is no slot $0"},
    {STAGE_GENERIC, IN("%1 = x.add 1, 2"), "does not belong into generic code"},
    {STAGE_GENERIC, IN("%1 = li 1"), "does not belong into generic code"},
    {STAGE_GENERIC, IN("%1 = load [4]"), "accesses 0 bytes"},
    {STAGE_GENERIC, IN("%1 = atomic add half 1, [4]"), "accesses 2 bytes"},
    {STAGE_GENERIC, IN("%1 = atomic sub word 1, [4]"), "there is no such atomic operation"},
    {STAGE_GENERIC, IN("store word const 1, [4]"), "writes constant memory"},
    {STAGE_GENERIC, IN("store word global signed 1, [4]"), "only loads extend a sign"},
    {STAGE_GENERIC, IN("%1 = ftoi 1 #2"), "rounds to nearest (0) or to zero (1)"},
    {STAGE_GENERIC, IN("%1 = csr #4096"), "a CSR has a number below 4096"},
    {STAGE_GENERIC, IN("barrier #4"), "orders local (1) and global (2) memory"},
    {STAGE_GENERIC, IN("%1 = argbase"), "only kernels have an argument block"},
    {STAGE_GENERIC, IN("%1 = param"), "the function has 0 pieces"},
    {STAGE_GENERIC, IN("setret 1"), "the function has 0 pieces"},
    {STAGE_GENERIC, IN("arg 1\narg 2 #1\ncall @g #2\n%1 = result\n%2 = result #3"), NULL},
    {STAGE_GENERIC, IN("arg 1\nfence\ncall @g #1"), "stands between arg and call"},
    {STAGE_GENERIC, IN("arg 1 #1\ncall @g #2"), "is not piece 0"},
    {STAGE_GENERIC, IN("arg 1\ncall @g #2"), "1 pieces are given"},
    {STAGE_GENERIC, IN("arg 1"), "is not followed by a call"},
    {STAGE_GENERIC, IN("%1 = result"), "does not follow a call"},
    {STAGE_GENERIC, "func @f {\nb0:\njump b1\n}", "has no exit"},
    {STAGE_GENERIC, "func @f {\nb0:\njump b0\nb1:\nret\n}", "goes to the entry"},
    {STAGE_GENERIC, "func @f {\nb0:\njump b2\nb1:\nret\n}",
     "b2, can be reached and has no terminator"},
    {STAGE_GENERIC, "func @f {\nb0:\njump b2\nb2:\n%1 = lane\nb1:\nret\n}", "has no terminator"},
    {STAGE_GENERIC,
     "func @f {\nb0:\n%1 = lane\nbr eq %1, 0 -> b1, b2\nb1:\n%2 = lane\njump b3\nb2:\njump b3\n"
     "b3:\n%3 = phi b1 %2, b2 %2\nret\n}",
     "f: b3, 0 (phi): reads %2, which is not written on every way here"},
    {STAGE_GENERIC,
     "func @f {\nb0:\n%1 = lane\nbr eq %1, 0 -> b1, b2\nb1:\n%2 = lane\njump b3\nb2:\njump b3\n"
     "b3:\n%3 = phi b1 %1, b2 %1\n%4 = phi b1 %2, b2 %2\nret\n}",
     "f: b3, 0 (phi): reads %2, which is not written on every way here"},
    {STAGE_GENERIC,
     "func @f {\nb0:\n%1 = lane\njump b1\nb1:\n%3 = phi b0 %1, b1 %4\n%4 = add %3, 1\n"
     "br eq %4, 0 -> b1, b2\nb2:\nret\n}",
     NULL},
    {STAGE_GENERIC, "kernel @f params 1 {\nb0:\nret\n}", "f: a kernel has no pieces"},
    {STAGE_GENERIC, "func @f {\nslot $0 size 4 align 3\nb0:\nret\n}",
     "f: slot $0 is aligned to 3 bytes"},
    {STAGE_GENERIC,
     "func @f {\nb0:\n%1 = lane\nvbr eq %1, 0 -> b1, b2 join b2\nb1:\njump b2\nb2: other b1 "
     "b2\nret\n}",
     "b2 has no join"},
    {STAGE_GENERIC,
     "func @f {\nb0:\n%1 = lane\nvbr eq %1, 0 -> b1, b2 join b2\nb1:\njump b2\nb2: join other "
     "b1\nret\n}",
     "b2 does not name both sides"},
    {STAGE_GENERIC,
     "func @f {\nb0:\n%1 = lane\nvbr eq %1, 0 -> b1, b2 join b1\nb1: join other b1 b2\njump "
     "b2\nb2:\nret\n}",
     "some lanes do not come to b1"},
    {STAGE_GENERIC,
     "func @f {\nb0:\n%1 = lane\nvbr eq %1, 0 -> b1, b2 join b2\nb1:\njump b2\nb2: join other b1 "
     "b2\nret\n}",
     NULL},

    {STAGE_GENERIC,
     IN("%1 = csr #4095\n%2 = csr #0\nbarrier #3\nbarrier\n%3 = ftoi 1 #1\n%4 = ftou 1 #0"), NULL},
    {STAGE_GENERIC, IN("%1 = csr #-1"), "a CSR has a number below 4096"},
    {STAGE_GENERIC, IN("barrier #-1"), "orders local (1) and global (2) memory"},
    {STAGE_GENERIC, IN("%1 = ftou 1 #-1"), "rounds to nearest (0) or to zero (1)"},
    {STAGE_GENERIC,
     IN("%1 = load byte private [4]\nstore half local 1, [4]\n%2 = load half const signed uniform "
        "[4]\n"
        "%3 = load word [4]\n%4 = lr word flat [4]"),
     NULL},
    {STAGE_GENERIC, IN("%1 = lr half local [4]"), "accesses 2 bytes"},
    {STAGE_GENERIC, IN("%1 = sc byte local 1, [4]"), "accesses 1 bytes"},
    {STAGE_GENERIC, IN("store word global uniform 1, [4]"), "only loads are uniform by promise"},
    {STAGE_GENERIC, IN("%1 = lr word const [4]"), "writes constant memory"},
    {STAGE_GENERIC, "kernel @f {\nb0:\n%1 = argbase\nret\n}", NULL},
    {STAGE_GENERIC, "kernel @f results 1 {\nb0:\nret\n}", "f: a kernel has no pieces"},
    {STAGE_GENERIC,
     "func @f params 2 results 2 {\nb0:\n%1 = param #1\n%2 = param\nsetret %1 #1\nsetret "
     "%2\nret\n}",
     NULL},
    {STAGE_GENERIC, "func @f params 2 {\nb0:\n%1 = param #2\nret\n}", "the function has 2 pieces"},
    {STAGE_GENERIC, "func @f params 2 {\nb0:\n%1 = param #-1\nret\n}", "the function has 2 pieces"},
    {STAGE_GENERIC, "func @f results 2 {\nb0:\nsetret 1 #2\nret\n}", "the function has 2 pieces"},
    {STAGE_GENERIC, "func @f results 2 {\nb0:\nsetret 1 #-1\nret\n}", "the function has 2 pieces"},
    {STAGE_GENERIC, "func @f params 1 {\nb0:\njump b1\nb1:\n%1 = param\nret\n}",
     "stands outside the entry"},
    {STAGE_GENERIC, "func @f results 1 {\nb0:\nsetret 1\njump b1\nb1:\nret\n}",
     "stands outside the exit"},
    {STAGE_GENERIC, IN("call @g\n%1 = result #1\n%2 = result #1"),
     "does not follow a call or the result before it"},
    {STAGE_GENERIC, IN("call @g\nfence\n%1 = result"),
     "does not follow a call or the result before it"},
    {STAGE_GENERIC, "func @f {\nslot $0 size 4 align 4\nslot $1 size 1 align 128\nb0:\nret\n}",
     NULL},
    {STAGE_GENERIC, "func @f {\nslot $0 size 4 align 2\nb0:\nret\n}",
     "f: slot $0 is aligned to 2 bytes"},
    {STAGE_GENERIC, "func @f {\nslot $0 size 4 align 256\nb0:\nret\n}",
     "f: slot $0 is aligned to 256 bytes"},
    {STAGE_GENERIC, "func @f {\nslot $0 size 4000000000 align 4\nb0:\nret\n}",
     "f: slot $0 has 4000000000 bytes"},
    {STAGE_GENERIC, "func @f {\nb0:\njump b1\nb1:\n%1 = phi b0 -\nret\n}",
     "%1 has no value from b0"},
    {STAGE_GENERIC, "func @f {\nb0:\nbr eq -, 0 -> b1, b1\nb1:\nret\n}", "operand 0 is missing"},
    {STAGE_GENERIC, "func @f {\nb0:\nbr eq 0, b1 -> b1, b1\nb1:\nret\n}", "operand 1 is missing"},

    {STAGE_SELECTED,
     IN("%1:x = li 4\n%2:x = cmov %1, %1, %1\n%3:v = copy %2\n%4:x = addi %1, -2048"), NULL},
    {STAGE_SELECTED, IN("%1:v = vid.v\n%2:x = li 1\n%3:x = cmov %1, %2, %2"),
     "operand 0 is not a scalar"},
    {STAGE_SELECTED,
     IN("%1:x = li 1\n%2:v = copy %1\n%3:x = copy %1\n%4:v = copy %2\n%5:x = copy 1\n%6:v = copy "
        "1"),
     NULL},
    {STAGE_SELECTED, IN("%1:x = reloadx"), "belongs after SSA"},
    {STAGE_LINEAR,
     IN("%1:x = reloadx\n%2:v = reloadv\nspillx %1\nspillv %2\n%3:v = park %1\n%4:x = fetch %3"),
     NULL},
    {STAGE_LINEAR, IN("%1:v = reloadx"), "the result is not a scalar"},
    {STAGE_LINEAR, IN("%1:x = reloadv"), "the result is not a vector"},
    {STAGE_LINEAR, IN("%1:x = li 1\nspillv %1"), "operand 0 is not a vector"},
    {STAGE_LINEAR, IN("%1:v = vid.v\nspillx %1"), "operand 0 is not a scalar"},
    {STAGE_LINEAR, IN("%1:v = vid.v\n%2:v = park %1"), "operand 0 is not a scalar"},
    {STAGE_LINEAR, IN("%1:x = li 1\n%2:x = park %1"), "a scalar is not parked in a vector"},
    {STAGE_LINEAR, IN("%1:x = li 1\n%2:x = fetch %1"), "operand 0 is not a vector"},
    {STAGE_LINEAR, IN("%1:v = vid.v\n%2:v = fetch %1"), "a scalar is not fetched into a scalar"},
    {STAGE_LINEAR, IN("%1:x = li 1\n%2:x = cmov %1, %1, %1"), "operand 2 is not the destination"},
    {STAGE_LINEAR, IN("%1:x = li 1\n%1:x = cmov %1, %1, %1"), NULL},
    {STAGE_LINEAR, IN("%1:x = li 1\n%2:x = li 2\n%1:x = cmov %2, %1, %2"),
     "operand 2 is not the destination"},
    {STAGE_LINEAR, IN("%1:x = li 1\n%2:x = li 2\n%1:x = cmov %2, %2, %1"), NULL},
    {STAGE_ALLOCATED, IN("x5 = cmov x6, x7, x5"), NULL},
    {STAGE_ALLOCATED, IN("x5 = cmov x5, x5, x6"), "operand 2 is not the destination"},
    {STAGE_ALLOCATED, IN("x3 = li 1"), "writes a register that nobody changes"},
    {STAGE_ALLOCATED, "kernel @f {\nb0:\nx8 = li 1\nret\n}", NULL},

    {STAGE_SELECTED, IN("%1:x = li 4\n%2:x = addi %1, 2047\n%3:v = vadd.vx v0, %2"), NULL},
    {STAGE_SELECTED, IN("%1:x = li 4\n%2:x = addi %1, 2048"), "2048 does not fit operand 1"},
    {STAGE_SELECTED, IN("%1:x = li 4\n%2:x = addi %1, -2049"), "-2049 does not fit operand 1"},
    {STAGE_SELECTED, IN("%1:x = li 4\n%2:x = addi %1, %1"), "operand 1 is not an immediate"},
    {STAGE_SELECTED, IN("%1:x = li 4\n%2:v = vadd.vv v0, %1"), "operand 1 is not a vector"},
    {STAGE_SELECTED, IN("%1:v = vid.v\n%2:x = addi %1, 0"), "operand 0 is not a scalar"},
    {STAGE_SELECTED, IN("%1:v = li 4"), "the result is not a scalar"},
    {STAGE_SELECTED, IN("%1:x = vid.v"), "the result is in the wrong bank"},
    {STAGE_SELECTED, IN("%1 = li 4"), "%1 has no bank"},
    {STAGE_SELECTED, IN("%1:v = vid.v\n%2:x = copy %1"), "a vector does not go into a scalar"},
    {STAGE_SELECTED, IN("%1:x = add 1, 2"), "is not selected"},
    {STAGE_SELECTED, IN("%1:x = move 1"), "belongs after SSA"},
    {STAGE_SELECTED, "func @f {\nb0:\n%1:v = vid.v\nbr eq %1, %1 -> b1, b1\nb1:\nret\n}",
     "operand 0 is in the wrong bank"},
    {STAGE_LINEAR, IN("%1:x = li 1\n%1:x = addi %1, 1"), NULL},
    {STAGE_LINEAR, IN("%1:v = vid.v\n%2:v = vmacc.vv %1, %1, %1"),
     "operand 2 is not the destination"},
    {STAGE_LINEAR, IN("%1:v = vid.v\n%1:v = vmacc.vv %1, %1, %1"), NULL},
    {STAGE_LINEAR, "func @f {\nb0:\njump b1\nb1:\n%1:x = phi b0 0\nret\n}",
     "is left in linear code"},
    {STAGE_ALLOCATED, IN("x5 = li 1\nv0 = vadd.vx v0, x5"), NULL},
    {STAGE_ALLOCATED, IN("%1:x = li 1"), "writes %1, which has no register"},
    {STAGE_ALLOCATED, IN("%1:x = li 1\nx5 = addi %1, 1"), "reads %1, which has no register"},
    {STAGE_ALLOCATED, IN("x8 = li 1"), "writes a register that nobody changes"},
    {STAGE_ALLOCATED, IN("v1 = li 1"), "the result is not a scalar"},
};

static void stage_rules(void **state)
{
    (void)state;
    for (size_t k = 0; k < countof(rules); k++) {
        Buf found = {0};
        Module *m = parse_good(rules[k].text);
        const bool ok = ir_check_module(m, rules[k].stage, &found);
        if (ok != !rules[k].message || (!ok && !strstr(buf_text(&found), rules[k].message)))
            fail_msg("%s\ngives: %s\nnot: %s", rules[k].text, buf_text(&found),
                     rules[k].message ? rules[k].message : "nothing");
        ir_free(m);
        buf_free(&found);
    }
}

/* a list of predecessors that does not follow the edges */
static void stale_graph(void **state)
{
    (void)state;
    Buf found = {0};
    Module *m = parse_good("func @f {\nb0:\njump b1\nb1:\njump b2\nb2:\nret\n}");
    m->func[0]->block[1].term.succ[0] = 1;
    m->func[0]->block[0].term.succ[0] = 2;
    assert_false(ir_check(m->func[0], STAGE_GENERIC, &found));
    assert_non_null(strstr(buf_text(&found), "its list of predecessors is not that of the edges"));
    ir_free(m);
    buf_free(&found);
}

/* What no text can say: numbers of things that are not there, the first one behind those that
 * are. */
static void damage(Func *f, u32 k)
{
    Module *m = f->module;
    Block *b = f->block;
    Ins *add = &b[0].ins[1], *store = &b[0].ins[2];
    switch (k) {
    case 0: b[1].term.succ[0] = (u32)f->nblock; break;
    case 1: b[0].term.succ[1] = (u32)f->nblock; break;
    case 2: b[0].term.kind = T_RET + 1; break;
    case 3: b[1].term = (Term){.kind = T_RET}; break;
    case 4: add->dst = (u32)f->nvalue; break;
    case 5: add->a[0] = ref_val((u32)f->nvalue); break;
    case 6: add->a[0] = ref_val(0); break;
    case 7: add->a[1] = (Ref){.kind = R_SYM, .val = (u32)m->nsym}; break;
    case 8: add->a[1] = (Ref){.kind = R_SLOT, .val = (u32)f->nslot}; break;
    case 9: add->a[1] = (Ref){.kind = R_BLK, .val = (u32)f->nblock}; break;
    case 10: add->a[1] = ref_reg(NREG); break;
    case 11: add->a[1] = (Ref){.kind = R_BLK + 20}; break;
    case 12: add->op = IR_MACHINE + I_vadd64_vv; break;
    case 13: store->space = 7; break;
    case 14: add->reg = 1; break;
    case 15: add->reg = NREG + 1; break;
    case 16: add->op = IR_note, add->imm = (i32)f->nnote; break;
    case 17: add->loc = (u32)m->nloc; break;
    case 18: b[0].term.loc = (u32)m->nloc; break;
    case 19: b[0].term.cmp = CMP_geu + 1; break;
    case 20: b[0].term.divergent = true, b[0].term.rpc = (u32)f->nblock; break;
    case 21: b[2].other[0] = (u32)f->nblock; break;
    case 22: f->nblock = 0; break;
    case 23: f->exit = (u32)f->nblock; break;
    }
}

static void damaged(void **state)
{
    static const char text[] = "extern @s\nfile 0 \"a\"\nfunc @f {\n slot $0 size 4 align 4\nb0:\n"
                               " %1 = lane\n %2 = add %1, 1 !0:1:2\n store word global %2, [4]\n"
                               " vbr eq %1, 0 -> b1, b2 join b2\nb1:\n jump b2\n"
                               "b2: join other b1 b2\n ret\n}\n";
    static const char *const says[] = {
        "goes to b3, which does not exist",
        "goes to b3, which does not exist",
        "has a terminator of an unknown kind",
        "returns, but is not the exit",
        "writes %3, which does not exist",
        "reads %3, which does not exist",
        "reads %0, which does not exist",
        "there is no such symbol",
        "there is no slot $1",
        "there is no block b3",
        "there is no register 320",
        "an operand has an unknown kind",
        "is no row of v202",
        "accesses an unknown space",
        "writes a register before selection",
        "there is no register 320",
        "says nothing",
        "its place in the source does not exist",
        "its place in the source does not exist",
        "there is no such condition",
        "lanes part without a block to meet in",
        "its join goes to a block that does not exist",
        "has no blocks",
        "has no exit",
    };
    (void)state;
    for (u32 k = 0; k <= countof(says); k++) { /* the last as it is */
        Buf found = {0};
        Module *m = parse_good(text);
        damage(m->func[0], k);
        assert_int_equal(ir_check(m->func[0], STAGE_GENERIC, &found), k == countof(says));
        if (k < countof(says) && !strstr(buf_text(&found), says[k]))
            fail_msg("damage %u gives: %s\nnot: %s", k, buf_text(&found), says[k]);
        ir_free(m);
        buf_free(&found);
    }
}

static void data_rules(void **state)
{
    (void)state;
    Buf found = {0};
    Module *m = parse_good("data @a align 3 size 8 {\nreloc 6 @a\nreloc 4 @a\n}\n");
    assert_false(ir_check_module(m, STAGE_GENERIC, &found));
    assert_string_equal(buf_text(&found), "a: is aligned to 3 bytes\na: there is no word at 6\n");
    ir_free(m);
    m = parse_good("data @a align 4 size 8 {\nreloc 8 @a\nreloc 400 @a\n}\n");
    assert_false(ir_check_module(m, STAGE_GENERIC, &found));
    assert_non_null(
        strstr(buf_text(&found), "a: there is no word at 8\na: there is no word at 400\n"));
    ir_free(m);
    buf_free(&found);
}

/* Prints the function, which is the whole text, and frees its module. */
static void expect_printed(Func *f, const char *want)
{
    Buf text = {0};
    graph_build(f);
    ir_print(&text, f);
    assert_string_equal(buf_text(&text), want);
    buf_free(&text);
    ir_free(f->module);
}

/* notes are comments that say what a part of a variable is */
static void notes(void **state)
{
    (void)state;
    Module *m = ir_module("t.ir", target_find(0));
    Func *f = ir_func(m, "k", true);
    const u32 b = ir_block(f), v = ir_op(f, b, IR_lane, ref_none(), ref_none(), ref_none(), 0);
    static const SourcePart parts[] = {{0, 0, 4}, {0, 4, 2}};
    const Note list[] = {{.part = 0, .is = ref_val(v)},
                         {.part = 1, .is = ref_val(v), .plus = 7},
                         {.part = 1, .is = ref_val(v), .plus = -7, .bits = 8},
                         {.part = 0, .is = ref_con(5), .bits = 16, .is_signed = true},
                         {.part = 0},
                         {.part = 1, .kind = NOTE_ARGUMENT, .is = ref_con(8)},
                         {.part = 0, .kind = NOTE_SCALAR_WORD, .is = ref_con(3)},
                         {.part = 0, .kind = NOTE_PRIVATE_WORD, .is = ref_con(4)}};
    if (ir_grow(m, f->variable, f->nvariable, f->capvariable))
        f->variable[f->nvariable++] = (SourceVariable){.name = "sum", .slot = NO_SLOT};
    for (u32 k = 0; k < 2; k++)
        if (ir_grow(m, f->part, f->npart, f->cappart))
            f->part[f->npart++] = parts[k];
    for (u32 k = 0; k < countof(list); k++) {
        const Ins i = {.op = IR_note, .imm = (i32)ir_note(f, list[k])};
        ir_append(f, b, &i);
    }
    ir_ret(f, b);
    expect_printed(f, "kernel @k {\n"
                      "b0:\n"
                      "    %1 = lane\n"
                      "    ; sum is %1\n"
                      "    ; sum+4 is %1+7\n"
                      "    ; sum+4 is %1-7, 8 bits\n"
                      "    ; sum is 5, 16 bits with sign\n"
                      "    ; sum is -\n"
                      "    ; sum+4 is the argument at 8\n"
                      "    ; sum is the scalar word 3\n"
                      "    ; sum is the private word 4\n"
                      "    ret\n"
                      "}\n");
}

/* What a mistake of a pass left is printed as it is: operands that the operation does not have, sizes and spaces that
 * nothing has. */
static void mistakes_are_printed(void **state)
{
    (void)state;
    Module *m = ir_module("t.ir", target_find(0));
    Func *f = ir_func(m, "k", true);
    const u32 b = ir_block(f), v = ir_op(f, b, IR_lane, ref_none(), ref_none(), ref_none(), 0);
    const Ref r = ref_val(v);
    const Ins list[] = {{.op = IR_add, .a = {r, ref_con(2), ref_con(3)}},
                        {.op = IR_lane, .a = {ref_con(1)}},
                        {.op = IR_lane, .a = {ref_none(), ref_con(1)}},
                        {.op = IR_load, .width = 3, .space = IN_GLOBAL, .a = {r}},
                        {.op = IR_load, .width = 5, .space = IN_GLOBAL, .a = {r}},
                        {.op = IR_load, .width = 4, .space = 5, .a = {r}},
                        {.op = IR_store, .width = 4, .space = IN_GLOBAL, .imm = -8, .a = {r, r, r}}};
    for (u32 k = 0; k < countof(list); k++)
        ir_append(f, b, &list[k]);
    ir_ret(f, b);
    expect_printed(f, "kernel @k {\n"
                      "b0:\n"
                      "    %1 = lane\n"
                      "    add %1, 2, 3\n"
                      "    lane 1\n"
                      "    lane -, 1\n"
                      "    load ? global [%1]\n"
                      "    load ? global [%1]\n"
                      "    load word ? [%1]\n"
                      "    store word global %1, %1, [%1 - 8]\n"
                      "    ret\n"
                      "}\n");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing), cmocka_unit_test(round_trip),
        cmocka_unit_test(empty_lines),    cmocka_unit_test(tight_lines),
        cmocka_unit_test(escapes),        cmocka_unit_test(names),
        cmocka_unit_test(names_are_quoted),
        cmocka_unit_test(mistakes_are_printed),
        cmocka_unit_test(bounds),
        cmocka_unit_test(refusals),       cmocka_unit_test(goes_on),
        cmocka_unit_test(stage_rules),    cmocka_unit_test(stale_graph),
        cmocka_unit_test(damaged),
        cmocka_unit_test(data_rules),     cmocka_unit_test(notes),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
