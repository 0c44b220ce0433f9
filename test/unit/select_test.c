/* Operations and the rows that they become. */
#include "cc/select.h"
#include "test/kit/irtexts.h"

#define START "b0:\n %1 = lane\n %2 = csr #0x804\n %3 = csr #0x805\n"

static Func *select_of(const char *head, const char *body)
{
    Func *f = func_of_text(head, body);
    uniform(f);
    select_rows(f);
    assert_false(f->module->failed);
    Buf why = {0};
    if (!ir_check(f, STAGE_SELECTED, &why)) {
        ir_print(&why, f);
        fail_msg("%s", buf_text(&why));
    }
    return f;
}

static void expect(const char *body, const char *lines)
{
    Func *f = select_of("kernel @k", body);
    expect_lines(f, lines);
    ir_free(f->module);
}

static size_t count_rows(const Func *f)
{
    size_t n = 0;
    for (size_t b = 0; b < f->nblock; b++)
        n += f->block[b].nins;
    return n;
}

/* One operation on the lane %1, the scalars %2 and %3, whose result %9 is stored for each lane
 * at %1 (as a word in flat memory): its rows and how many they are. */
static void expect_rows(const char *operations, size_t n, const char *lines)
{
    char body[2048];
    snprintf(body, sizeof body, "%s%s store word flat %%9, [%%1]\n ret\n", START, operations);
    Func *f = select_of("kernel @k", body);
    expect_lines(f, lines);
    Func *without = select_of("kernel @k", START " store word flat %1, [%1]\n ret\n");
    /* csrs that are read nowhere have gone; count what is neither vid, csrrs nor the store */
    size_t rows = 0;
    for (size_t k = 0; k < f->block[0].nins; k++) {
        const u16 op = f->block[0].ins[k].op;
        rows += op != IR_MACHINE + I_vid_v && op != IR_MACHINE + I_csrrs &&
                op != IR_MACHINE + I_vsw12_v;
    }
    assert_int_equal(count_rows(without), 2);
    if (rows != n) {
        Buf text = {0};
        ir_print(&text, f);
        fail_msg("%zu rows, not %zu, in\n%s", rows, n, buf_text(&text));
    }
    ir_free(f->module);
    ir_free(without->module);
}

static void test_forms(void **state)
{
    (void)state;
    expect_rows(" %9 = add %1, %1\n", 1, "vadd.vv %1, %1");
    expect_rows(" %9 = add %2, %1\n", 1, "vadd.vx %1, %2");
    expect_rows(" %9 = add 15, %1\n", 1, "vadd.vi %1, 15");
    expect_rows(" %9 = add %1, 16\n", 1, "vadd12.vi %1, 16");
    expect_rows(" %9 = sub %1, 16\n", 1, "vadd.vi %1, -16");
    expect_rows(" %9 = add %1, -2048\n", 1, "vadd12.vi %1, 2048");
    expect_rows(" %9 = add %1, 2048\n", 2, "li 2048\nvadd.vx %1, ");
    expect_rows(" %9 = sub 0, %1\n", 1, "vrsub.vi %1, 0");
    expect_rows(" %9 = sub %2, %1\n", 1, "vrsub.vx %1, %2");
    expect_rows(" %9 = sub %1, %2\n", 1, "vsub.vx %1, %2");
    expect_rows(" %9 = sll %1, 31\n", 1, "vsll.vi %1, 31");
    expect_rows(" %9 = sll %1, 35\n", 1, "vsll.vi %1, 3");
    expect_rows(" %9 = sll %2, %1\n", 2, "copy %2\nvsll.vv");
    expect_rows(" %9 = xor %1, -1\n", 1, "vxor.vi %1, -1");
    expect_rows(" %9 = divu %1, %2\n", 1, "vdivu.vx %1, %2");
    expect_rows(" %9 = fsub %2, %1\n", 1, "vfrsub.vf %1, %2");
    expect_rows(" %9 = fdiv 1065353216, %1\n", 2, "li 0x3f800000\nvfrdiv.vf %1");
    expect_rows(" %9 = fneg %1\n", 1, "vfsgnjn.vv %1, %1");
    expect_rows(" %9 = fabs %1\n", 1, "vfsgnjx.vv %1, %1");
    expect_rows(" %9 = ftoi %1 #1\n", 1, "vfcvt.rtz.x.f.v %1");
    expect_rows(" %9 = ftoi %1\n", 1, "vfcvt.x.f.v %1");
}

/* the scalar result is stored to an address of each lane, which copies it once */
static void test_scalar_forms(void **state)
{
    (void)state;
    expect_rows(" %9 = add %2, 2047\n", 2, "addi %2, 2047");
    expect_rows(" %9 = add %2, 2048\n", 3, "li 2048\nx.add %2, ");
    expect_rows(" %9 = sub %2, 2048\n", 2, "addi %2, -2048");
    expect_rows(" %9 = sub 0, %2\n", 2, "x.sub x0, %2");
    expect_rows(" %9 = srl %2, 33\n", 2, "srli %2, 1");
    expect_rows(" %9 = eq %2, 0\n", 2, "sltiu %2, 1");
    expect_rows(" %9 = ne %2, %3\n", 3, "x.xor %2, %3\nsltu x0, ");
    expect_rows(" %9 = ge %2, %3\n", 3, "slt %2, %3\nxori");
    expect_rows(" %9 = ge 5, %2\n", 2, "slti %2, 6");
    expect_rows(" %9 = min %2, %3\n", 3, "slt %2, %3\ncmov");
    expect_rows(" %9 = fma %2, %3, %2\n", 2, "fmadd.s %2, %3, %2 #7");
    expect_rows(" %9 = ftou %2 #1\n", 2, "fcvt.wu.s %2 #1");
    expect_rows(" %9 = itof %2\n", 2, "fcvt.s.w %2 #7");
}

static void test_comparisons(void **state)
{
    (void)state;
    expect_rows(" %9 = lt %1, 5\n", 1, "vmsle.vi %1, 4");
    expect_rows(" %9 = lt %1, -16\n", 2, "vmslt.vx %1");
    expect_rows(" %9 = lt 5, %1\n", 1, "vmsgt.vi %1, 5");
    expect_rows(" %9 = lt %2, %1\n", 1, "vmsgt.vx %1, %2");
    expect_rows(" %9 = ge %1, 5\n", 1, "vmsgt.vi %1, 4");
    expect_rows(" %9 = ge %2, %1\n", 1, "vmsle.vx %1, %2");
    expect_rows(" %9 = ge %1, %2\n", 2, "copy %2\nvmsle.vv");
    expect_rows(" %9 = ltu %1, 16\n", 1, "vmsleu.vi %1, 15");
    expect_rows(" %9 = ltu %1, 17\n", 2, "vmsltu.vx %1");
    expect_rows(" %9 = geu %1, 0\n", 2, "vmv.v.i 0\nvmsleu.vv");
    expect_rows(" %9 = eq %2, %1\n", 1, "vmseq.vx %1, %2");
    expect_rows(" %9 = flt %2, %1\n", 1, "vmfgt.vf %1, %2");
    expect_rows(" %9 = fle %2, %1\n", 1, "vmfge.vf %1, %2");
}

static void test_choices(void **state)
{
    (void)state;
    expect_rows(" %4 = lt %1, 5\n %9 = select %4, 1, 0\n", 2, "vmsle.vi\nvadd.vi");
    expect_rows(" %4 = lt %1, 5\n %9 = select %4, -1, 0\n", 2, "vmsle.vi\nvrsub.vi");
    expect_rows(" %4 = lt %1, 5\n %9 = select %4, 11, 3\n", 3, "vmsle.vi\nvsll.vi\nvadd.vi");
    expect_rows(" %4 = lt %1, 5\n %5 = mul %1, %1\n %6 = xor %1, 1\n %9 = select %4, %5, %6\n", 5,
                "vsub.vv\nvmacc.vv %4, ");
    expect_rows(" %4 = lt %1, 5\n %9 = select %4, %1, 0\n", 2, "vmsle.vi\nvmul.vv");
    expect_rows(" %4 = lt %1, 5\n %9 = select %4, 0, %1\n", 2, "vmsgt.vi %1, 4\nvmul.vv");
    expect_rows(" %4 = lt %1, 5\n %5 = add %1, %2\n %9 = select %4, %5, %1\n", 2,
                "vmadd.vx %2, %1, %4");
    expect_rows(" %4 = lt %1, 5\n %5 = mul %1, %2\n %9 = select %4, %5, 7\n", 4,
                "vmsgt.vi %1, 4\nvrsub.vi");
}

#define LESS " %4 = lt %1, 5\n"
#define READ " store word flat %4, [%1 + 4]\n"

/* Each comparison of a lane with a constant at both ends of the immediates (five bits), and with a
 * scalar: the row, and what it compares with. */
static void test_ends_of_comparisons(void **state)
{
    static const struct {
        const char *op, *vi, *vx; /* with x - 1 or x; after an li */
        int less;                 /* what is added to the constant in the first */
        int low, high;            /* constants that the immediate reaches, of five bits with sign */
    } rows[] = {
        {"lt %1, C", "vmsle.vi", "vmslt.vx", -1, -15, 16},
        {"ltu %1, C", "vmsleu.vi", "vmsltu.vx", -1, 1, 16},
        {"ge %1, C", "vmsgt.vi", "vmsgt.vx", -1, -15, 16},
        {"geu %1, C", "vmsgtu.vi", "vmsgtu.vx", -1, 1, 16},
        {"lt C, %1", "vmsgt.vi", "vmsgt.vx", 0, -16, 15},
        {"ltu C, %1", "vmsgtu.vi", "vmsgtu.vx", 0, 0, 15},
        {"ge C, %1", "vmsle.vi", "vmsle.vx", 0, -16, 15},
        {"geu C, %1", "vmsleu.vi", "vmsleu.vx", 0, 0, 15},
        {"eq %1, C", "vmseq.vi", "vmseq.vx", 0, -16, 15},
        {"ne C, %1", "vmsne.vi", "vmsne.vx", 0, -16, 15},
    };
    (void)state;
    for (size_t k = 0; k < countof(rows); k++)
        for (int c = rows[k].low - 1; c <= rows[k].high + 1; c++) {
            char body[80], line[80];
            const char *at = strchr(rows[k].op, 'C');
            const bool reached = c >= rows[k].low && c <= rows[k].high;
            if (c < 0 && rows[k].low >= 0)
                continue; /* the largest numbers */
            snprintf(body, sizeof body, " %%9 = %.*s%d%s\n", (int)(at - rows[k].op), rows[k].op, c,
                     at + 1);
            if (reached)
                snprintf(line, sizeof line, "%s %%1, %d\n", rows[k].vi, c + rows[k].less);
            else
                snprintf(line, sizeof line, "%s %%1, ", rows[k].vx);
            if (c == 0 && rows[k].low == 1) /* never, always */
                continue;
            expect_rows(body, reached ? 1 : 2, line);
        }
}

/* A choice takes no bits of what is not chosen where that may be unwritten: each is multiplied by
 * the condition or its opposite. */
static void test_checked_choices(void **state)
{
    (void)state;
    Func *f = func_of_text("kernel @k", START LESS " %5 = xor %1, 1\n %6 = select %4, %1, %5\n"
                                              " store word flat %6, [%1]\n ret\n");
    f->module->is_checked = true;
    uniform(f);
    select_rows(f);
    expect_lines(f, "vmsle.vi %1, 4\n= vxor.vi %1, 1\n%7:v = vmsgt.vi %1, 4\n"
                    "%8:v = vmul.vv %7, %5\nvmacc.vv %1, %4, %8\nvsw12.v");
    ir_free(f->module);
    f = func_of_text("kernel @k", START LESS READ " %6 = select %4, 0, %1\n"
                                            " store word flat %6, [%1]\n ret\n");
    f->module->is_checked = true;
    uniform(f);
    select_rows(f);
    expect_lines(f, "vmsle.vi %1, 4\nvxor.vi %4, 1\nvmul.vv");
    expect_without(f, "vnmsac");
    ir_free(f->module);
}

/* Of two constants one apart, 0, a sum with the other choice, and the opposite condition where
 * nothing else reads the condition. */
static void test_more_choices(void **state)
{
    (void)state;
    expect_rows(LESS " %9 = select %4, 8, 7\n", 2, "vmsle.vi %1, 4\nvadd.vi %4, 7");
    expect_rows(LESS " %9 = select %4, 7, 8\n", 2, "vmsle.vi %1, 4\nvrsub.vi %4, 8");
    expect_rows(LESS " %9 = select %4, 64, 0\n", 2, "vmsle.vi %1, 4\nvsll.vi %4, 6");
    expect_rows(LESS " %9 = select %4, 100, 0\n", 3, "vmul.vx %4, ");
    expect_rows(LESS " %9 = select %4, %2, 0\n", 2, "vmsle.vi %1, 4\nvmul.vx %4, %2");
    expect_rows(LESS " %9 = select %4, 0, %2\n", 2, "vmsgt.vi %1, 4\nvmul.vx");
    expect_rows(LESS READ " %9 = select %4, 0, %2\n", 3, "vmsle.vi %1, 4\nvxor.vi %4, 1\nvmul.vx");
    expect_rows(LESS READ " %9 = select %4, 0, %1\n", 2, "vmsle.vi %1, 4\nvnmsac.vv %4, %1, %1");
    expect_rows(LESS " %9 = select %4, %1, %2\n", 3, "vmsgt.vi %1, 4\nvrsub.vx %1, %2\nvmadd.vv");
    expect_rows(LESS " %9 = select %4, %2, %1\n", 3, "vmsle.vi %1, 4\nvrsub.vx %1, %2\nvmadd.vv");
    expect_rows(LESS READ " %9 = select %4, %2, %3\n", 4,
                "vmsle.vi %1, 4\nx.sub %2, %3\nvmul.vx %4\nvadd.vx");
    expect_rows(LESS " %5 = add %2, %1\n %9 = select %4, %5, %1\n", 2,
                "vmsle.vi\nvmadd.vx %2, %1, %4");
    expect_rows(LESS " %5 = sub %1, %2\n %9 = select %4, %5, %1\n", 2,
                "vmsle.vi\nvnmsub.vx %2, %1, %4");
    expect_rows(LESS " %5 = add %1, %2\n %9 = select %4, %1, %5\n", 2,
                "vmsgt.vi %1, 4\nvmadd.vx %2, %1, ");
    expect_rows(LESS " %5 = sub %1, %2\n %9 = select %4, %1, %5\n", 2,
                "vmsgt.vi %1, 4\nvnmsub.vx %2, %1, ");
    expect_rows(LESS " %5 = add %1, %2\n store word flat %5, [%1 + 8]\n %9 = select %4, %5, %1\n",
                4, "vadd.vx %1, %2\nvsub.vv\nvmadd.vv");
    expect_rows(" %4 = lt %2, %3\n %9 = select %4, %2, %3\n", 3, "slt %2, %3\ncmov %4, %2, %3");
    expect_rows(" %4 = lt %2, %3\n %9 = select %4, 0, %3\n", 4, "slt %2, %3\nxori\nx.mul");
}

static void test_multiply_add(void **state)
{
    (void)state;
    expect_rows(" %4 = mul %1, %2\n %5 = xor %1, 1\n %9 = add %4, %5\n", 2, "vmacc.vx %2, %1, %5");
    expect_rows(" %4 = xor %1, 1\n %5 = mul %4, %2\n %9 = add %5, %1\n", 2, "vmadd.vx %2, %1, %4");
    expect_rows(" %4 = mul %1, %1\n %5 = xor %1, 1\n %9 = sub %5, %4\n", 2, "vnmsac.vv %1, %1, %5");
    expect_rows(" %4 = xor %1, 1\n %9 = fma %1, %1, %4\n", 2, "vfmacc.vv %1, %1, %4");
    expect_rows(" %4 = xor %1, 1\n %5 = fneg %4\n %9 = fma %1, %2, %5\n", 2,
                "vfmsac.vf %2, %1, %4");
    expect_rows(" %4 = fneg %1\n %5 = xor %1, 1\n %9 = fma %4, %2, %5\n", 2,
                "vfnmsac.vf %2, %1, %5");
    expect_rows(" %4 = xor %1, 1\n %9 = fma %4, %2, 1065353216\n", 4, "vfmadd.vf %2");
}

static void test_memory(void **state)
{
    (void)state;
    expect(START " %4 = add %1, 8\n %5 = load byte global signed [%4 + 4]\n store half local %5, "
                 "[%4 - 9]\n ret\n",
           "vlb12.v byte global signed 12, %1\nvsh12.v half local %5, -1, %1");
    expect(
        START
        " %4 = load word const [%2 + 2047]\n %5 = load word const [%2 + 2048]\n"
        " %6 = add %4, %5\n store word global %6, [%2]\n store word global 0, [%3 + 4]\n ret\n",
        "lw word const 2047, %2\nli 2048\nx.add %2\nlw word const 0, \nsw word global %6, 0, %2\n"
        "sw word global x0, 4, %3");
    expect(START " store word global %1, [%2 + 4]\n ret\n", "copy %2\nvsw12.v word global %1, 4, ");
    expect(" slot $0 size 64 align 4\n" START " store word private %2, [$0 + 8]\n"
           " %4 = sll %1, 2\n %5 = add %4, $0\n %6 = load byte private [%5 + 1023]\n"
           " store word private %6, [$0 + 1024]\n ret\n",
           "frame $0\nvadd.vx\nvlbu.v byte private 1023, ");
    expect(START " %4 = load word const [0x80001004]\n store word global %4, [%1]\n ret\n",
           "li 0x80001000\nlw word const 4, ");
    expect(START " %4 = atomic minu word global %2, [%3]\n fence\n barrier #3\n ret\n",
           "amominu.w word global \nx.fence\nx.barrier 3");
}

/* Accesses of one symbol share its address, where their distances fit into rows; others take the address of their own
 * place. */
static void test_symbols(void **state)
{
    (void)state;
    Func *f = select_of("extern @t\nkernel @k",
                        "b0:\n %1 = load word const [@t+4]\n %2 = load word const [@t+8]\n"
                        " %3 = load word const [@t+5000]\n %4 = load word const [@t-4 + 16]\n"
                        " %5 = add %1, %2\n %6 = add %3, %4\n %7 = mul %5, %6\n"
                        " store word global %7, [@t+2044]\n ret\n");
    expect_lines(f, "%8:x = li @t\n%1:x = lw word const 4, %8\n%2:x = lw word const 8, %8\n"
                    "%9:x = li @t+5000\n%3:x = lw word const 0, %9\n%4:x = lw word const 12, %8\n"
                    "sw word global %7, 2044, %8\nret\n");
    ir_free(f->module);
}

/* One access: 0 to 2 for a byte, half or word. */
typedef struct {
    const char *space;
    u32 width;
    bool is_signed, lane, is_store; /* lane: each has an address of its own */
} Access;

/* Its row, by the names of the instruction set, up to the offset or the value that is stored. */
static void put_row(Buf *b, const Access *a, int offset)
{
    static const char *const width[] = {"byte", "half", "word"};
    const bool private = !strcmp(a->space, "private"), vector = a->lane || private;
    const int reach = private ? 1024 : 2048;
    const char *is_unsigned = !a->is_store && a->width < 2 && !a->is_signed ? "u" : "";
    buf_printf(b, "%s%s%c%s%s %s %s%s%s ", vector ? "v" : "", a->is_store ? "s" : "l",
               "bhw"[a->width], is_unsigned,
               !vector   ? ""
               : private ? ".v"
                         : "12.v",
               width[a->width], a->space, a->is_signed ? " signed" : "",
               !a->is_store && !vector ? " uniform" : "");
    if (a->is_store)
        buf_printf(b, vector ? "%%" : "%%3, ");
    if (!a->is_store || !vector)
        buf_printf(b, "%d, ", offset >= -reach && offset < reach ? offset : 0);
}

static void expect_access(const Access *a, int offset)
{
    static const char *const width[] = {"byte", "half", "word"};
    Buf body = {0}, row = {0}, at = {0};
    const char *uniformly = a->lane || !strcmp(a->space, "private") ? "" : " uniform";
    buf_printf(&at, "[%s", a->lane ? "%1" : "%2");
    if (offset)
        buf_printf(&at, " %c %d", offset < 0 ? '-' : '+', offset < 0 ? -offset : offset);
    buf_printf(&body, "%s", START);
    if (a->is_store)
        buf_printf(&body, " store %s %s %%3, %s]\n ret\n", width[a->width], a->space,
                   buf_text(&at));
    else
        buf_printf(&body, " %%4 = load %s %s%s%s %s]\n store word global %%4, [%%3]\n ret\n",
                   width[a->width], a->space, a->is_signed ? " signed" : "", uniformly,
                   buf_text(&at));
    put_row(&row, a, offset);
    expect(buf_text(&body), buf_text(&row));
    buf_free(&body);
    buf_free(&row);
    buf_free(&at);
}

/* Which row an access has: by width and sign, whether all lanes have one address, and its memory,
 * of which private memory has rows of its own; and how far the row's offset goes, beyond which the
 * address is computed (doc/isa.md: 12 bits, 11 for private memory). */
static void test_rows_of_accesses(void **state)
{
    static const char *const space[] = {"global", "const", "local", "flat", "private"};
    static const int offset[] = {0,    1,     -1,   1023,  -1024, 1024,
                                 2047, -1025, 2048, -2048, -2049, 100000};
    (void)state;
    for (u32 k = 0; k < countof(space) * 24; k++) {
        const Access a = {space[k / 24], k % 3, k / 3 % 2, k / 6 % 2, k / 12 % 2};
        if (a.is_store ? a.is_signed || k / 24 == 1 : a.width == 2 && a.is_signed)
            continue;
        for (size_t o = 0; o < countof(offset); o++)
            expect_access(&a, offset[o]);
    }
}

/* Words at a scalar and what each lane adds to it; the sum is made only if something needs it. */
static void test_indices(void **state)
{
    (void)state;
    expect(START " %4 = add %1, %2\n %5 = load word global [%4]\n %6 = add %5, 1\n"
                 " store word local %6, [%4]\n %7 = add %3, %1\n store word flat %3, [%7]\n ret\n",
           "= vloxei32.v word global %2, %1\n= vadd.vi\n"
           "vsoxei32.v word local %6, %2, %1\ncopy %3\nvsoxei32.v word flat ");
    expect(START " %4 = sll %1, 2\n %5 = add %4, 0x80001004\n %6 = load word const [%5]\n"
                 " store word global %6, [%1]\n ret\n",
           "li 0x80001004\nvloxei32.v word const ");
    /* an offset, a value of the sum itself, no word, private memory, two that differ by lane */
    expect(START " %4 = add %1, %2\n %5 = load word global [%4]\n %6 = load word global [%4 + 4]\n"
                 " %7 = add %5, %6\n store word global %7, [%1]\n ret\n",
           "vadd.vx %1, %2\nvlw12.v word global 0, %4\nvlw12.v word global 4, %4");
    expect(START " %4 = add %1, %2\n store word global %4, [%4]\n ret\n",
           "vadd.vx %1, %2\nvsw12.v word global %4, 0, %4");
    expect(START " %4 = add %1, %2\n store byte global 1, [%4]\n ret\n",
           "vadd.vx %1, %2\nvsb12.v byte global ");
    expect(START " %4 = add %1, %2\n store word private 1, [%4]\n ret\n",
           "vadd.vx %1, %2\nvsw.v word private ");
    expect(START " %4 = xor %1, %2\n %5 = add %1, %4\n store word global 1, [%5]\n ret\n",
           "vadd.vv %1, %4\nvsw12.v word global ");
}

/* A scalar that is a constant away from one that all lanes have already. */
static void test_near_broadcasts(void **state)
{
    (void)state;
    expect(START " %4 = add %2, 3\n store word global %2, [%1]\n store word global %4, [%1 + 4]\n"
                 " ret\n",
           "%5:v = copy %2\nvsw12.v word global %5, 0, %1\n= vadd.vi %5, 3\nvsw12.v");
    /* the scalar is needed itself; lanes do not have the other one; it was made before a loop */
    expect(START " %4 = add %2, 3\n store word global %2, [%1]\n store word global %4, [%1 + 4]\n"
                 " store word global %3, [%4]\n ret\n",
           "addi %2, 3\ncopy %2\nvsw12.v\ncopy %4\nvsw12.v");
    expect(START " %4 = add %2, 3\n store word global %4, [%1 + 4]\n ret\n",
           "addi %2, 3\ncopy %4\nvsw12.v");
    expect(START " %4 = add %2, 3\n store word global %2, [%1]\n jump b1\n"
                 "b1:\n %5 = phi b0 %1, b1 %6\n %6 = add %5, 64\n"
                 " store word global %4, [%6]\n br ltu %6, 999 -> b1, b2\nb2:\n ret\n",
           "addi %2, 3\ncopy %4\nb1:\nvsw12.v");
}

static void test_conditions(void **state)
{
    (void)state;
    expect(START " %4 = lt %2, %3\n br ne %4, 0 -> b1, b2\nb1:\n jump b2\nb2:\n ret\n",
           " br lt %2, %3 -> b1");
    expect(START " %4 = ltu %2, 9\n br eq %4, 0 -> b1, b2\nb1:\n jump b2\nb2:\n ret\n",
           "li 9\n br geu %2, ");
    expect(START " br ne %1, 0 -> b1, b2\nb1:\n jump b2\nb2:\n ret\n", "vmv.v.i 0\nvbr ne %1, ");
    expect(START " %4 = ge %1, %2\n br ne %4, 0 -> b1, b2\nb1:\n jump b2\nb2:\n ret\n",
           "copy %2\nvbr ge %1, ");
    expect(START " %4 = flt %1, %2\n br ne %4, 0 -> b1, b2\nb1:\n jump b2\nb2:\n ret\n",
           "vmflt.vf %1, %2\nvbr ne %4, ");
}

/* A kernel finds the address of its metadata block in a register, but a function does not. */
static void test_metadata(void **state)
{
    (void)state;
    expect("b0:\n %1 = csr #0x803\n %2 = csr #0x804\n store word global %1, [%2]\n ret\n",
           "copy x5\n = csrrs 2052, x0");
    Func *f = select_of("func @k", "b0:\n %1 = csr #0x803\n store word global %1, [%1]\n ret\n");
    expect_lines(f, "csrrs 2051, x0");
    ir_free(f->module);
    expect("b0:\n %1 = csr #0x805\n br lt %1, 2 -> b1, b2\n"
           "b1:\n %2 = csr #0x803\n store word global %1, [%2]\n jump b2\nb2:\n ret\n",
           "csrrs 2051, x0");
}

/* one li for both uses, in front of the loop; nothing in the entry for a use on one path */
static void test_places_of_constants(void **state)
{
    (void)state;
    expect(START " jump b1\nb1:\n %4 = phi b0 %1, b1 %6\n %5 = mul %4, 1000\n %6 = xor %5, 1000\n"
                 " br lt %6, %2 -> b1, b2\nb2:\n store word global %6, [%1]\n ret\n",
           "b0:\nli 1000\nb1:\nvmul.vx\nvxor.vx\nb2:");
    expect(
        START
        " br lt %2, 5 -> b1, b2\nb1:\n %4 = mul %1, 1000\n store word global %4, [%1]\n jump b2\n"
        "b2:\n ret\n",
        "b1:\nli 1000\nvmul.vx");
}

/* a scalar of a loop that lanes leave in rounds is not taken from its definition after it */
/* A vector phi takes constants of five bits as they are; larger ones are loaded before. */
static void test_constants_of_phis(void **state)
{
    (void)state;
    expect(START " br lt %1, 5 -> b1, b2\nb1:\n jump b2\n"
                 "b2:\n %4 = phi b0 -16, b1 15\n store word global %4, [%2]\n ret\n",
           "phi b0 -16, b1 15");
    expect(START " br lt %1, 5 -> b1, b2\nb1:\n jump b2\n"
                 "b2:\n %4 = phi b0 -17, b1 16\n store word global %4, [%2]\n ret\n",
           "%7:x = li -17\nb1:\n%8:x = li 16\nphi b0 %7, b1 %8");
}

static void test_stale_operands(void **state)
{
    (void)state;
    Func *f = select_of("kernel @k", START
                        " jump b1\n"
                        "b1:\n %4 = phi b0 %2, b1 %5\n %5 = add %4, 4\n br lt %5, %1 -> b1, b2\n"
                        "b2:\n store word global %1, [%5 + 4]\n ret\n");
    expect_lines(f, "copy %5\nb2:\nvsw12.v word global %1, 4, %6");
    ir_free(f->module);
    f = select_of("kernel @k",
                  START " jump b1\n"
                        "b1:\n %4 = phi b0 %2, b1 %5\n %5 = add %4, 4\n %6 = add %5, %1\n"
                        " br lt %5, %1 -> b1, b2\n"
                        "b2:\n store word global %1, [%6]\n ret\n");
    expect_lines(f, "vadd.vx %1, %5\nb2:\nvsw12.v word global %1, 0, ");
    ir_free(f->module);
}

static void test_calls(void **state)
{
    (void)state;
    Func *f =
        select_of("func @f params 2 results 2",
                  "b0:\n %1 = param #0\n %2 = param #1\n %3 = csr #0x805\n arg %2 #0\n arg %3 #1\n"
                  " arg 5 #2\n arg 100 #3\n call @g #4\n %4 = result #0\n %5 = result #1\n"
                  " %6 = add %4, %1\n setret %6 #0\n setret %5 #1\n ret\n");
    expect_lines(
        f,
        "%1:v = copy v0\n%2:v = copy v1\nv0 = copy %2\nv1 = copy %3\nv2 = vmv.v.i 5\nv3 = copy %\n"
        "call @g #4\n%4:v = copy v0\n%5:v = copy v1\nvadd.vv\nv0 = copy %6\nv1 = copy %5\nret");
    assert_true(f->has_calls);
    ir_free(f->module);
}

/* a copy between scalars stays one, of a number it is a load of that, and one from scalars to lanes is made there */
static void test_copies(void **state)
{
    (void)state;
    Func *f = func_of_text("kernel @k", START " %4 = copy %2\n %5 = copy 9\n %6 = copy %2\n"
                                              " %7 = add %4, %5\n store word flat %7, [%3]\n"
                                              " store word flat %6, [%1]\n ret\n");
    uniform(f);
    f->value[6].bank = BANK_V;
    select_rows(f);
    expect_lines(f, "%4:x = copy %2\n%5:x = li 9\n%6:v = copy %2\n%7:x = x.add %4, %5\n");
    ir_free(f->module);
}

/* pieces without a register lie in the private stack, word by word downwards from the frame base */
static void test_pieces_on_the_stack(void **state)
{
    (void)state;
    char body[2048] = "b0:\n";
    size_t n = strlen(body);
    for (int k = 0; k < 34; k++)
        n += (size_t)snprintf(body + n, sizeof body - n, " %%%d = param #%d\n", k + 1, k);
    for (int k = 0; k < 34; k++)
        n += (size_t)snprintf(body + n, sizeof body - n, " arg %%%d #%d\n", 34 - k, k);
    snprintf(body + n, sizeof body - n,
             " arg 5 #34\n call @g #35\n %%35 = result #0\n setret %%35 #0\n ret\n");
    Func *f = select_of("func @f params 34 results 1", body);
    expect_lines(f, "%32:v = copy v31\n%33:v = vlw.v word private 0, v32\n"
                    "%34:v = vlw.v word private -4, v32\nv31 = copy %3\n"
                    "vsw.v word private %2, 0, v32\nvsw.v word private %1, -4, v32\n"
                    "vsw.v word private %36, -8, v32\ncall @g #35\n");
    assert_int_equal(f->max_args, 3);
    ir_free(f->module);
}

/* a call of an address takes it from a scalar register, also if it was computed in the lanes */
static void test_calls_of_addresses(void **state)
{
    (void)state;
    Func *f =
        select_of("func @f params 1 results 1", "b0:\n %1 = param #0\n arg %1 #0\n call %1 #1\n"
                                                " %2 = result #0\n setret %2 #0\n ret\n");
    expect_lines(f,
                 "%1:v = copy v0\nv0 = copy %1\n%3:x = vmv.x.s %1\ncall %3 #1\n%2:v = copy v0\n");
    ir_free(f->module);
}

static void test_places_of_the_kernel(void **state)
{
    (void)state;
    expect(START " %4 = argbase\n %5 = load word const [%4 + 8]\n %6 = ldsbase\n"
                 " store word local %5, [%6 + 4]\n ret\n",
           "copy x10\nlw word const 8, \nsw word local %5, 4, x8");
}

/* A row that does not exist, or that the target lacks, is refused where it is asked for. */
static void rows_that_are_not_there(void **state)
{
    (void)state;
    static const struct {
        InsnId row;
        const char *why;
    } rows[] = {
        {I_none, "no row of v202 for an operation in k"},
        {I_vadd64_vv, "no row of v202 for an operation in k: vadd64.vv"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        Func *f = func_of_text("kernel @k", "b0:\n ret\n");
        Select s = {.f = f, .target = f->module->target};
        sel_row(&s, 0, rows[i].row, ref_con(1), ref_con(2), ref_none());
        assert_true(f->module->failed);
        assert_string_equal(f->module->mistake, rows[i].why);
        assert_int_equal(s.nout, 0);
        ir_free(f->module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metadata),
        cmocka_unit_test(rows_that_are_not_there),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_scalar_forms),
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_ends_of_comparisons),
        cmocka_unit_test(test_more_choices),
        cmocka_unit_test(test_checked_choices),
        cmocka_unit_test(test_multiply_add),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_rows_of_accesses),
        cmocka_unit_test(test_indices),
        cmocka_unit_test(test_near_broadcasts),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_places_of_constants),
        cmocka_unit_test(test_constants_of_phis),
        cmocka_unit_test(test_stale_operands),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_pieces_on_the_stack),
        cmocka_unit_test(test_calls_of_addresses),
        cmocka_unit_test(test_places_of_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
