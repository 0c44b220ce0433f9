/* jit_memory_test.c -- accesses of compiled code, against the interpreter: at the ends of all that
 * is mapped, in rows of which some lanes are off or each part is elsewhere, and to what other warps
 * read at their start.  JIT_TEST_SEED is the number of the first random program, JIT_TEST_COUNT how
 * many there are; an argument chooses a test.
 */
#include "test/kit/twins.h"
#include <stdio.h>
#include <stdlib.h>

/* Kernels that change the words from which all warps take their arguments, in every way that there
 * is to store, and at the ends of what the host code watches: the next warp sees it.  What each
 * found is in memory, and so is where it found it in the grid. */
static void arguments_change(void **state)
{
    static const char *const stores[] = {
        "sw x13,0(x8)",          "sb x13,2(x8)",          "sw x13,4(x8)",
        "sw x13,-4(x8)",         "sh x13,-2(x8)",         "vse32.v v2,(x8)",
        "vse32.v v2,(x14)",      "vsw12.v v2,0(v1)",      "vsw12.v v2,0(v3)",
        "vsb12.v v2,0(v3)",      "vsuxei32.v v2,(x8),v4", "vsse32.v v2,(x8),x15",
        "vsse32.v v2,(x14),x15", "amoadd.w v5,v2,(v3)",   "vse32.v v2,(x16)",
        "sw x8,4(x5)",           "amoswap.w v5,v6,(v7)",  "sw x17,4(x5)",
    };
    (void)state;
    Twins t = twins_open("jit", 64);
    for (size_t k = 0; k < countof(stores); k++) {
        const Shape s = {
            .lanes = k % 3 ? 32 : 8, .items = k % 3 ? 128 : 32, .warps = 4, .memory = 7};
        no_text();
        line("csrr x5,knl");
        line("lw x8,4(x5)"); /* DATA, an argument and where the others are */
        line("lw x9,0(x8)");
        line("lhu x10,6(x8)");
        line("csrr x11,wgid");
        line("csrr x12,wid");
        line("slli x13,x11,2");
        line("add x13,x13,x12");
        line("slli x16,x13,8");
        line("li x14,%#x", DATA + OUT); /* 256 bytes of each warp */
        line("add x16,x16,x14");
        line("vid.v v4");
        line("vsll.vi v4,v4,2");
        line("vadd.vx v1,v4,x16");
        line("vmv.v.x v2,x9");
        line("vsw12.v v2,0(v1)");
        line("csrr x14,gidx");
        line("csrr x15,gidy");
        line("csrr x17,gidz");
        line("slli x15,x15,4");
        line("slli x17,x17,8");
        line("add x14,x14,x15");
        line("add x14,x14,x17");
        line("vadd.vx v2,v2,x14");
        line("vadd.vx v2,v2,x10");
        line("vsw12.v v2,128(v1)");
        line("vadd.vx v1,v4,x8");
        line("vadd.vv v3,v4,v4");
        line("vadd.vx v3,v3,x8");
        line("li x14,%#x", DATA - 124);
        line("li x15,-12");
        line("li x17,%#x", DATA + 4);
        line("li x6,%#x", DATA + 8);
        line("vmv.v.x v6,x6");
        line("addi x7,x5,4");
        line("vmv.v.x v7,x7");
        line("%s", stores[k]);
        line("lw x9,0(x8)");
        line("lw x17,4(x5)");
        line("sw x9,0(x16)");
        line("sw x17,4(x16)");
        line("endprg x0,x0,x0");
        twins_load(&t);
        const DevResult r = twins_run(&t, &s, k);
        assert_false(r.run.faulted);
    }
    assert_true(twins_close(&t).compiled > 0);
    buf_free(&gen.text);
}

/* One group leaves the code that runs group after group, and then changes an argument: the groups behind it, which are
 * that code's again, see it. */
static void arguments_change_elsewhere(void **state)
{
    static const char *const leave[] = {"csrw frm,x0", "vsetivli x0,3,e32,m1,ta,ma",
                                        "add x0,x0,x0"};
    (void)state;
    Twins t = twins_open("jit", 64);
    for (u32 k = 0; k < countof(leave); k++) {
        const Shape s = {.lanes = 8, .items = 32, .warps = 4, .memory = 7};
        no_text();
        line("csrr x5,knl");
        line("lw x8,4(x5)");
        line("lw x9,0(x8)");
        line("csrr x11,wgid");
        line("csrr x12,wid");
        line("slli x13,x11,2");
        line("add x13,x13,x12");
        line("slli x13,x13,5");
        line("li x14,%#x", DATA + OUT); /* 32 bytes of each warp */
        line("add x14,x14,x13");
        line("vid.v v1");
        line("vsll.vi v1,v1,2");
        line("vadd.vx v1,v1,x14");
        line("vmv.v.x v2,x9");
        line("vsw12.v v2,0(v1)");
        line("li x15,3");
        line("bne x11,x15,.Lend");
        line("%s", leave[k]);
        line("addi x9,x9,1");
        line("sw x9,0(x8)");
        label(".Lend");
        line("endprg x0,x0,x0");
        twins_load(&t);
        assert_false(twins_run(&t, &s, k).run.faulted);
    }
    assert_true(twins_close(&t).compiled > 0);
    buf_free(&gen.text);
}

/* around the ends of all that is mapped */
static const u32 bases[] = {0,
                            4,
                            0xfff,
                            LDS_LO - 4,
                            LDS_LO - 128,
                            LDS_LO,
                            LDS_END - 4,
                            LDS_END - 128,
                            LDS_END,
                            CODE_LO,
                            CODE_LO + 8,
                            CODE_END - 4,
                            KNL - 4,
                            DATA - 128,
                            DATA + 4,
                            DATA + DATA_BYTES - 4,
                            DATA + DATA_BYTES - 64,
                            DATA + DATA_BYTES,
                            PDS + PDS_BYTES - 4,
                            0xfffffff0,
                            0xfffffffc,
                            0xffffffff,
                            0x7ffffffc};

/* Every form of access at addresses around the ends of all that is mapped, with strides and offsets
 * that lead out: the fault is the interpreter's, and so is what was stored before it.  The host has
 * guard pages and other people's memory there, so an access that gets through ends this process or
 * changes a result. */
static void wild_addresses(void **state)
{
    static const char *const forms[] = {
        "lw x12,%d(x13)",    "sw x14,%d(x13)",    "lbu x12,%d(x13)",    "sh x14,%d(x13)",
        "vlw12.v v5,%d(v1)", "vsw12.v v4,%d(v1)", "vlbu12.v v5,%d(v1)", "vsh12.v v4,%d(v1)",
        "vlw.v v5,%d(v3)",   "vsw.v v4,%d(v3)",
    };
    static const char *const plain[] = {
        "vle32.v v5,(x13)",       "vse32.v v4,(x13)",      "vse8.v v4,(x13)",
        "vlse32.v v5,(x13),x15",  "vsse32.v v4,(x13),x15", "vluxei32.v v5,(x13),v2",
        "vsuxei32.v v4,(x13),v2", "amoadd.w v5,v4,(v1)",
    };
    static const int strides[] = {0, 4, -4, 4096, INT32_MIN, 0x10000001};
    static const int offsets[] = {0, 4, -4, 2047, -2048};
    (void)state;
    setenv("VENTUS_JIT_TIER", "quick", 1);
    for (int optimised = 0; optimised < 2; optimised++) {
        Twins t = twins_open("jit", 64);
        for (size_t f = 0; f < countof(forms) + countof(plain); f += optimised ? 3 : 1) {
            no_text();
            line("li x8,%#x", DATA);
            line("li x9,2");
            line("li x13,%#x",
                 DATA + 512); /* at first one of many plain addresses, which may be remembered */
            line("lw x15,4(x8)"); /* the stride */
            line("1: vid.v v2");
            line("vmul.vx v2,v2,x15");
            line("vadd.vx v1,v2,x13");
            line("vmv.v.x v3,x13");
            line("vid.v v4");
            line("li x14,77");
            if (f < countof(forms)) {
                char one[64];
                const bool is_vector = forms[f][0] == 'v' && forms[f][3] != '.';
                const int off = offsets[f % countof(offsets)];
                snprintf(one, sizeof one, forms[f],
                         is_vector                   ? (off < 0 ? 8 : off)
                         : off < -1024 || off > 1023 ? 12
                                                     : off);
                line("%s", one);
            } else {
                line("%s", plain[f - countof(forms)]);
            }
            line("vsw12.v v5,256(v3)"); /* and once more */
            line("lw x13,0(x8)");       /* the address */
            line("addi x9,x9,-1");
            line("bne x9,x0,1b");
            line("endprg x0,x0,x0");
            for (size_t i = 0; i < countof(bases) * countof(strides); i++) {
                const u32 words[2] = {bases[i / countof(strides)],
                                      (u32)strides[i % countof(strides)]};
                const Shape s = {.lanes = i & 1 ? 32 : 8,
                                 .items = i & 1 ? 29 : 8,
                                 .warps = 1,
                                 .memory = 7,
                                 .first = words};
                if (optimised && i % 5)
                    continue;
                if (!i)
                    twins_load(&t);
                twins_run(&t, &s, 100000 + f * 1000 + i);
            }
        }
        assert_true(twins_close(&t).compiled > 0);
        unsetenv("VENTUS_JIT_TIER");
    }
    buf_free(&gen.text);
}

/* The same for the spaces of v2025, and for records of several words: by name, by a prefix, flat.
 */
static void wild_spaces(void **state)
{
    static const char *const forms[] = {
        "vlw12.v v5,8(v1)",
        "vsw12.v v4,4(v1)",
        "vlw_local.v v5,-4(v1)",
        "vsw_private.v v4,0(v1)",
        "pre_m_64\n\tvlw12.v v6,-8(v1)",
        "pre_m_128\n\tvsw12.v v4,0(v1)",
        "pre_m_local_96\n\tvlw12.v v6,4(v1)",
        "pre_m_global_64\n\tvsw12.v v4,12(v1)",
        "pre_m_64 pair=1\n\tvlw12.v v6,0(v4)",
    };
    static const int strides[] = {4, 8, 16, -8, INT32_MIN};
    static const u32 private_ends[] = {0xffffc0, 0xfffffc, 0x1000000, 0xfffff7fc};
    (void)state;
    gen.set = V2025 | TIDX;
    Twins t = twins_open("jit", 64);
    /* memory where the flat rule does not look */
    memory_map(dev_memory(t.a), 0xfff000, 2 * PAGE_SIZE, MEM_R | MEM_W);
    memory_map(dev_memory(t.b), 0xfff000, 2 * PAGE_SIZE, MEM_R | MEM_W);
    for (size_t f = 0; f < countof(forms); f++) {
        no_text();
        line("li x8,%#x", DATA);
        line("li x9,2");
        line("li x13,%#x", DATA + 512); /* at first plain addresses, which may be remembered */
        line("lw x15,4(x8)");
        line("1: vid.v v2");
        line("vmul.vx v2,v2,x15");
        line("vadd.vx v1,v2,x13");
        line("vmv.v.v v4,v1");
        line("vmv.v.i v5,%d", (int)f % 2); /* upper words of 64-bit addresses */
        line("vid.v v6");
        line("vid.v v7");
        line("%s", forms[f]);
        line("vadd.vv v6,v6,v7");
        line("li x14,%#x", DATA + OUT);
        line("vse32.v v6,(x14)");
        line("lw x13,0(x8)"); /* the address */
        line("addi x9,x9,-1");
        line("bne x9,x0,1b");
        line("endprg x0,x0,x0");
        const u32 n = countof(bases) + countof(private_ends);
        for (u32 i = 0; i < n * countof(strides); i++) {
            const u32 k = i / countof(strides);
            const u32 words[2] = {k < countof(bases) ? bases[k] : private_ends[k - countof(bases)],
                                  (u32)strides[i % countof(strides)]};
            const Shape s = {.lanes = i % 3 ? 32 : 8,
                             .items = i % 3 == 1 ? 29
                                      : i % 3    ? 32
                                                 : 8,
                             .warps = 1,
                             .memory = 7,
                             .first = words};
            if (!i)
                twins_load(&t);
            twins_run(&t, &s, 200000 + f * 1000 + i);
        }
    }
    assert_true(twins_close(&t).compiled > 0);
    buf_free(&gen.text);
}

/* Addresses of lanes that are on lie in a row, or not, and those of the others anywhere; the row of
 * all would begin before what is mapped, or end behind it.  Lanes that are off keep their memory.
 */
static void rows_of_some(void **state)
{
    static const char *const accesses[][2] = {{"vlw12.v v8,0(v7)", "vsw12.v v8,0(v7)"},
                                              {"vlbu12.v v8,3(v7)", "vsb12.v v8,3(v7)"}};
    static const u32 lanes_on[] = {1,          2,          0x80000000, 0xaaaaaaaa,
                                   0xfffffffe, 0xffff0000, 0x7fffffff, 0x00010100};
    static const u32 at[] = {DATA,
                             DATA - 4,
                             DATA - 124,
                             DATA + 4,
                             DATA + 4096 - 64,
                             DATA + DATA_BYTES - 128,
                             DATA + DATA_BYTES - 124,
                             DATA + DATA_BYTES - 4,
                             LDS_LO,
                             LDS_LO - 4};
    (void)state;
    for (u32 k = 0; k < 2 * countof(accesses); k++) {
        Twins t = twins_open("jit", 64);
        const u32 lanes = k % 2 ? 32 : 8;
        no_text();
        line("li x8,%#x", DATA);
        line("lw x9,4(x8)"); /* which lanes */
        line("lw x10,0(x8)");
        line("li x7,%#x", DATA + OUT);
        line("vid.v v1");
        line("vmv.v.x v5,x9");
        line("vsrl.vv v5,v5,v1");
        line("vand.vi v5,v5,1");
        line("vmv.v.i v6,0");
        line("vmv.v.i v7,-8"); /* nothing is there */
        line("li x28,3");
        label(".Lt");
        set_meeting(0);
        line("vbeq v5,v6,.Lm0");
        line("vsll.vi v7,v1,2");
        line("vadd.vx v7,v7,x10");
        line("vlw12.v v9,0(v7)");
        label(".Lm0");
        line("join x0,x0,0");
        set_meeting(1);
        line("vbeq v5,v6,.Lm1");
        line("%s", accesses[k / 2][0]);
        line("vadd.vx v8,v8,x28");
        line("%s", accesses[k / 2][1]);
        label(".Lm1");
        line("join x0,x0,0");
        line("addi x28,x28,-1");
        line("bgtz x28,.Lt");
        line("vsll.vi v2,v1,2");
        line("vadd.vx v2,v2,x7");
        line("vsw12.v v7,0(v2)");
        line("vsw12.v v8,128(v2)");
        line("vsw12.v v9,256(v2)");
        line("endprg x0,x0,x0");
        u32 faults = 0, n = 0;
        for (u32 i = 0; i < countof(at) * countof(lanes_on); i++) {
            const u32 words[2] = {at[i / countof(lanes_on)], lanes_on[i % countof(lanes_on)]};
            const Shape s = {
                .lanes = lanes, .items = lanes, .warps = 1, .memory = 7, .first = words};
            if (!i)
                twins_load(&t);
            const DevResult r = twins_run(&t, &s, k * 1000 + i);
            faults += r.run.faulted;
            n++;
        }
        assert_true(faults > 0 && faults < n); /* some rows begin or end elsewhere */
        assert_true(twins_close(&t).compiled > 0);
    }
    buf_free(&gen.text);
}

/* Statements of rows_apart(): v4 and v7 are addresses to load from and to store to, v8 to v11 data. */
static void apart_statement(u32 depth)
{
    static const char *const loads[] = {"vlw12.v", "vlw12.v",  "vlw12.v", "vlh12.v",
                                        "vlb12.v", "vlbu12.v", "vlhu12.v"};
    static const char *const stores[] = {"vsw12.v", "vsw12.v", "vsw12.v", "vsh12.v", "vsb12.v"};
    const u32 d = 8 + below(4), a = 8 + below(4), l = gen.labels++;
    switch (below(depth ? 10 : 8)) {
    case 0: line("%s v%u,%u(v7)", PICK(stores), d, 4 * below(3)); break;
    case 1: line("vluxei32.v v%u,(x2),v6", d); break;
    case 2: line("vsuxei32.v v%u,(x6),v6", d); break;
    case 3: line("vadd.vv v%u,v%u,v%u", d, d, a); break;
    case 8: /* of the whole warp */
        line("andi x15,x28,%u", 1 + below(2));
        line("beqz x15,.Lu%u", l);
        for (u32 i = 1 + below(4); i > 0; i--)
            apart_statement(depth - 1);
        label(".Lu%u", l);
        break;
    case 9:
        set_meeting(l);
        line("%s v%u,v3,.Le%u", divergent_branch(), a, l);
        for (u32 i = 1 + below(4); i > 0; i--)
            apart_statement(depth - 1);
        line("j .Lm%u", l);
        label(".Le%u", l);
        for (u32 i = below(3); i > 0; i--)
            apart_statement(depth - 1);
        label(".Lm%u", l);
        line("join x0,x0,0");
        break;
    default: line("%s v%u,%u(v4)", PICK(loads), d, 4 * below(5));
    }
}

/* Addresses of which groups of lanes are in a row, at one address, or neither, each group elsewhere,
 * and now and then one of them in another place.  By the flat rule of v2025 they are plain at first,
 * and then private, of which nothing that was found out before is true. */
static void rows_apart(void **state)
{
    static const u32 steps[] = {0, 0, 1, 2, 4, 4, 4, 8};
    (void)state;
    const Programs p = programs_to_try(30);
    for (u64 program = p.first; program < p.end; program++) {
        gen_begin(program);
        const bool is_flat = program % 2 == 0;
        gen.set = is_flat ? V2025 | TIDX : V202 | AI | TIDX;
        Twins t = twins_open("jit", 64);
        const u32 lanes = 8u << below(3), log = 2 + below(4);
        const Shape s = {
            .lanes = lanes, .items = 2 * lanes - below(2), .warps = 2, .memory = program};
        no_text();
        line("li x2,%#x", is_flat ? PDS : DATA + 1024);
        line("csrr x5,wid");
        line("slli x5,x5,11");
        line("li x7,%#x", DATA + OUT + 512);
        line("add x7,x7,x5");
        line("vid.v v3");
        line("vsrl.vi v6,v3,%u", log);
        line("vand.vi v5,v3,%u", ((1 << log) - 1) & 15);
        line("li x12,%d", is_flat ? 4 * (int)below(3) : 4 * (int)below(40) - 60);
        line("vmul.vx v6,v6,x12");
        line("li x12,%u", is_flat && !one_in(4) ? 4 : PICK(steps));
        line("vmul.vx v5,v5,x12");
        line("vadd.vv v6,v6,v5");
        if (!is_flat && one_in(2)) { /* a group of lanes elsewhere, or a lane */
            line("vsrl.vi v5,v3,%u", one_in(2) ? log : 0);
            line("vxor.vi v5,v5,%u", below(4));
            line("li x12,1");
            line("vminu.vx v5,v5,x12");
            line("vrsub.vi v5,v5,1");
            line("vsll.vi v5,v5,2");
            line("vadd.vv v6,v6,v5");
        }
        for (u32 n = 8; n < 12; n++)
            line("vadd.vi v%u,v3,%u", n, n - 8);
        line("li x28,%u", 2 + below(3));
        label(".Lt");
        line("mv x6,x%u", is_flat ? 2 : 7);
        line("vadd.vx v4,v6,x2");
        line("vadd.vx v7,v6,x6");
        for (u32 i = 4 + below(4); i > 0; i--)
            apart_statement(2);
        if (is_flat)
            line("li x2,0");
        line("addi x28,x28,-1");
        line("bgtz x28,.Lt");
        line("vsll.vi v5,v3,2");
        line("vadd.vx v5,v5,x7");
        for (u32 n = 8; n < 12; n++)
            line("vsw12.v v%u,%u(v5)", n, 1024 + 128 * (n - 8));
        line("endprg x0,x0,x0");
        twins_load(&t);
        for (u32 i = 0; is_flat && i < PDS_BYTES; i += 4) {
            const u32 w = random_word();
            assert_true(dev_write(t.a, PDS + i, &w, 4) && dev_write(t.b, PDS + i, &w, 4));
        }
        twins_run(&t, &s, program);
        assert_true(twins_close(&t).compiled > 0);
    }
    buf_free(&gen.text);
}

/* Lanes that are anywhere in some rounds of a loop, and in a row in others; an access of the same lanes that
 * is made in every other round only must not take what its neighbour has not looked at for a row. */
static void rows_now_and_then(void **state)
{
    static const char *const accesses[][3] = {
        {"vlw12.v v8,0(v7)", "vlw12.v v9,4(v7)", "vsw12.v v10,8(v7)"},
        {"vlh12.v v8,0(v7)", "vlw12.v v9,4(v7)", "vsh12.v v10,4(v7)"},
        {"vluxei32.v v8,(x5),v7", "vluxei32.v v9,(x6),v7", "vsuxei32.v v10,(x6),v7"},
        {"vlbu12.v v8,1(v7)", "vlbu12.v v9,2(v7)", "vsb12.v v10,3(v7)"}};
    (void)state;
    for (u32 k = 0; k < 4 * countof(accesses); k++) {
        const char *const *a = accesses[k / 4];
        const u32 lanes = 8u << 2 * (k & 1), rounds = 9;
        Twins t = twins_open("jit", 64);
        no_text();
        line("li x2,%#x", k / 4 == 2 ? 0 : DATA + 1024);
        line("li x5,%#x", DATA + 1024);
        line("li x6,%#x", DATA + 1028);
        line("vid.v v3");
        line("vand.vi v5,v3,3");
        line("vmv.v.i v6,%u", k & 2); /* which lanes leave */
        line("vmv.v.i v10,0");
        line("li x28,%u", rounds);
        label(".Lt");
        line("li x12,52"); /* anywhere, and in every third round in a row */
        line("li x13,3");
        line("remu x13,x28,x13");
        line("bnez x13,.La");
        line("li x12,4");
        label(".La");
        line("vmul.vx v7,v3,x12");
        line("li x12,252");
        line("vand.vx v7,v7,x12");
        line("vadd.vx v7,v7,x2");
        set_meeting(0);
        line("vbeq v5,v6,.Lm0");
        line("%s", a[0]);
        line("vadd.vv v10,v10,v8");
        line("andi x15,x28,1");
        line("beqz x15,.Lu");
        line("%s", a[1]);
        line("vadd.vv v10,v10,v9");
        line("%s", a[2]);
        label(".Lu");
        label(".Lm0");
        line("join x0,x0,0");
        line("addi x28,x28,-1");
        line("bgtz x28,.Lt");
        line("li x7,%#x", DATA + OUT);
        line("vsll.vi v2,v3,2");
        line("vadd.vx v2,v2,x7");
        line("vsw12.v v10,0(v2)");
        line("endprg x0,x0,x0");
        twins_load(&t);
        const Shape s = {.lanes = lanes, .items = lanes, .warps = 1, .memory = k};
        twins_run(&t, &s, k);
        assert_true(twins_close(&t).compiled > 0);
    }
    buf_free(&gen.text);
}

/* Rows of words that come nearer to the end of what is mapped, each by one, until a lane is beyond:
 * the range that was remembered for those before must not have it. */
static void rows_reach_an_end(void **state)
{
    static const char *const accesses[] = {"vlw12.v v4,0(v2)", "vsw12.v v1,0(v2)",
                                           "vlbu12.v v4,0(v2)", "vsb12.v v1,0(v2)"};
    (void)state;
    for (u32 i = 0; i < countof(accesses); i++) {
        Twins t = twins_open("jit", 64);
        const u32 bytes = i < 2 ? 4 : 1;
        no_text();
        line("li x8,%#x", DATA + DATA_BYTES - 34 * bytes);
        line("vid.v v1");
        line("vsll.vi v2,v1,%u", i < 2 ? 2 : 0);
        line("vadd.vx v2,v2,x8");
        label(".Lt");
        line("%s", accesses[i]);
        line("vadd.vi v2,v2,%u", bytes);
        line("j .Lt");
        twins_fault_at(&t, DATA + DATA_BYTES, i);
    }
}

/* Rows backwards, of which in some rounds one lane is elsewhere; then the same until a lane is before what is mapped. */
static void rows_backwards(void **state)
{
    static const struct {
        const char *access;
        u32 shift;
    } cases[] = {{"vlw12.v v4,0(v2)", 2},   {"vlh12.v v4,0(v2)", 1},
                 {"vlhu12.v v4,2(v2)", 1},  {"vlb12.v v4,0(v2)", 0},
                 {"vlbu12.v v4,-1(v2)", 0}, {"vloxei32.v v4,(x0),v2", 2},
                 {"vsw12.v v5,0(v2)", 2},   {"vsh12.v v5,0(v2)", 1},
                 {"vsb12.v v5,0(v2)", 0},   {"vsoxei32.v v5,(x0),v2", 2}};
    const Shape s = {.lanes = 32, .items = 32, .warps = 1, .memory = 7};
    (void)state;
    for (u32 i = 0; i < countof(cases); i++) {
        Twins t = twins_open("jit", 64);
        no_text();
        line("li x9,%#x", DATA + 0x4000);
        line("li x18,80");
        line("vid.v v1");
        line("vmv.v.i v6,0");
        label(".Lt");
        line("vsll.vi v2,v1,%u", cases[i].shift);
        line("vrsub.vx v2,v2,x9");
        line("vmv.v.x v12,x18");
        line("vmseq.vv v13,v1,v12"); /* no lane while x18 is 32 or more */
        line("vsll.vi v13,v13,2");
        line("vadd.vv v2,v2,v13");
        line("vmul.vx v5,v1,x18");
        line("%s", cases[i].access);
        line("vsll.vi v7,v6,1");
        line("vadd.vv v6,v7,v4");
        line("addi x9,x9,%u", 1u << cases[i].shift);
        line("addi x18,x18,-1");
        line("bgtz x18,.Lt");
        line("li x7,%#x", DATA + OUT);
        line("vsll.vi v1,v1,2");
        line("vadd.vx v1,v1,x7");
        line("vsw12.v v6,0(v1)");
        line("endprg x0,x0,x0");
        twins_load(&t);
        assert_false(twins_run(&t, &s, i).run.faulted);
        assert_true(twins_close(&t).compiled > 0);
    }
    for (u32 i = 0; i < countof(cases); i++) {
        Twins t = twins_open("jit", 64);
        const u32 bytes = 1u << cases[i].shift;
        no_text();
        line("li x9,%#x", KNL + 36 * bytes); /* which lies before DATA */
        line("vid.v v1");
        label(".Lt");
        line("vsll.vi v2,v1,%u", cases[i].shift);
        line("vrsub.vx v2,v2,x9");
        line("%s", cases[i].access);
        line("addi x9,x9,%d", -(int)bytes);
        line("j .Lt");
        twins_fault_at(&t, KNL - bytes, i);
    }
}

/* v2025: the register alone says whether a lane means private memory, also where its sum with the
 * immediate passes an end of the addresses and lies in memory at the other one.  Rows go on until
 * that is so; the range that was remembered for those before has the sums, too. */
static void rows_wrap(void **state)
{
    static const char *const accesses[] = {"vlw12.v v4,%d(v2)", "vsw12.v v1,%d(v2)"};
    enum { LAST = -PAGE_SIZE, FAR = 1024, STEP = 256, BEFORE = 3 };
    (void)state;
    gen.set = V2025 | TIDX;
    for (u32 i = 0; i < countof(accesses); i++)
        for (i32 k = 0; k < 2; k++) { /* the immediate is added, or taken away */
            Twins t = twins_open("jit", 64);
            memory_map(dev_memory(t.a), (u32)LAST, PAGE_SIZE, MEM_R | MEM_W);
            memory_map(dev_memory(t.b), (u32)LAST, PAGE_SIZE, MEM_R | MEM_W);
            no_text();
            line("li x8,%d", k ? -BEFORE * STEP : -BEFORE * STEP - FAR);
            line("vid.v v1");
            line("vsll.vi v2,v1,2");
            line("vadd.vx v2,v2,x8");
            line("li x9,%u", STEP);
            label(".Lt");
            line(accesses[i], k ? -FAR : FAR);
            line("vadd.vx v2,v2,x9");
            line("j .Lt");
            const Shape s = {.lanes = 32, .items = 32, .warps = 1, .memory = 1};
            twins_load(&t);
            const DevResult r = twins_run(&t, &s, i);
            assert_true(r.run.faulted);
            buf_free(&gen.text);
            assert_true(twins_close(&t).compiled > 0);
        }
}

/* Each test begins with the same instructions, also behind one that failed amid others. */
static int usual_set(void **state)
{
    (void)state;
    gen.set = V202 | AI | TIDX;
    return 0;
}

/* A load of column_loop(), or what comes between two: x8 is where the warp's memory begins, in which v1 and v2 walk;
 * v5 is what was found, v3 a row. */
static void column_statement(void)
{
    static const char *const stores[] = {
        "sw x12,%d(x8)",     "sb x12,%d(x8)",     "vsw12.v v5,%d(v3)", "vsb12.v v5,%d(v3)",
        "vsw12.v v5,%d(v1)", "vsh12.v v5,%d(v2)", "vsw12.v v5,%d(v1)",
    };
    const char *const loads[] = {
        gen.set == V202 ? "vlw12.v v4,%d(v1)" : "vlw_global.v v4,%d(v1)",
        "vlw12.v v4,%d(v2)",
        "vlw12.v v4,%d(v1)",
        "vlhu12.v v4,%d(v1)",
    };
    switch (below(9)) {
    case 0: line(PICK(stores), 4 * (int)below(30)); break;
    case 1:
        if (one_in(2))
            line(one_in(2) ? "fence" : "barriersub x0,x0,4");
        else
            line("amoadd.w v6,v3,(v3)");
        break;
    case 2: line("vluxei32.v v4,(x8),v7"); break;
    case 3: line("lw x12,%u(x8)", 4 * below(30)); break;
    default: line(PICK(loads), 4 * (int)below(4)); break;
    }
    line("vsll.vi v6,v5,5");
    line("vadd.vv v5,v5,v6");
    line("vxor.vv v5,v5,v4");
}

/* A loop whose lanes walk from where they began, all of them or until each has gone its own number of steps. */
static void column_loop(void)
{
    const u32 l = gen.labels++;
    const int step = one_in(3) ? (int)below(6) * 4 - 8 : 4;
    const bool parts = one_in(2);
    line("vmv.v.v v1,v8");
    line("vadd.vi v2,v8,%d", one_in(2) ? 4 : -8);
    line("vsub.vx v7,v8,x8");
    line("li x14,%u", 1 + below(22));
    line("vmv.v.x v9,x14");
    if (parts)
        line("vsub.vv v9,v9,v11");
    line("vmv.v.i v10,0");
    if (parts)
        set_meeting(l);
    label(".Lc%u", l);
    const bool skips = one_in(3); /* some lanes, one time in four */
    const u32 m = skips ? gen.labels++ : 0;
    if (skips) {
        line("vsrl.vi v13,v10,1");
        line("vand.vv v13,v13,v10");
        line("vand.vv v13,v13,v11");
        line("vand.vi v13,v13,1");
        set_meeting(m);
        line("vbne v13,v14,.Lm%u", m);
    }
    for (u32 i = 1 + below(4); i > 0; i--)
        column_statement();
    if (skips) {
        label(".Lm%u", m);
        line("join x0,x0,0");
    }
    for (u32 n = 1; n <= 7; n += n == 2 ? 5 : 1)
        line("vadd.vi v%u,v%u,%d", n, n, step);
    line("vadd.vi v10,v10,1");
    if (parts) {
        if (skips)
            set_meeting(l);
        line("vblt v10,v9,.Lc%u", l);
        label(".Lm%u", l);
        line("join x0,x0,0");
    } else {
        line("addi x14,x14,-1");
        line("bgtz x14,.Lc%u", l);
    }
}

/* Lanes that walk along memory, each its own way, while they and their warp store there: who loads words before
 * they are asked for must not keep what has changed.  A warp has memory of its own. */
static void columns(void **state)
{
    (void)state;
    const Programs p = programs_to_try(60);
    gen.set = V202;
    Twins t = twins_open("jit", 64);
    gen.set = V2025;
    Twins newer = twins_open("jit", 64);
    for (u64 program = p.first; program < p.end; program++) {
        gen_begin(program);
        gen.set = program % 3 ? V202 : V2025;
        const u32 lanes = 4u << below(4), apart = 4 * below(24);
        const bool down = one_in(4); /* the first lane's words are the last */
        const Shape s = {
            .lanes = lanes, .items = 2 * lanes - below(2), .warps = 2, .memory = program};
        no_text();
        line("csrr x5,wgid");
        line("slli x5,x5,1");
        line("csrr x6,wid");
        line("add x5,x5,x6");
        line("slli x5,x5,12");
        line("li x8,%#x", DATA);
        line("add x8,x8,x5");
        line("vmv.v.i v14,0");
        line("vid.v v11");
        line("li x13,%d", down ? -(int)apart : (int)apart);
        line("vmul.vx v8,v11,x13");
        line("li x9,%u", 256 + 4 * below(8) + (down ? apart * (lanes - 1) : 0));
        line("add x9,x9,x8");
        line("vadd.vx v8,v8,x9");
        line("vsll.vi v3,v11,2");
        line("vadd.vx v3,v3,x8");
        line("vand.vi v11,v11,%u", below(16));
        line("li x15,%u", 1 + below(5));
        label(".Lo");
        for (u32 i = 1 + below(3); i > 0; i--)
            column_loop();
        line("addi x15,x15,-1");
        line("bgtz x15,.Lo");
        line("vsw12.v v5,0(v3)");
        line("endprg x0,x0,x0");
        Twins *both = gen.set == V202 ? &t : &newer;
        twins_load(both);
        assert_false(twins_run(both, &s, program).run.faulted);
    }
    assert_true(twins_close(&t).compiled > 0);
    assert_true(twins_close(&newer).compiled > 0);
    buf_free(&gen.text);
}

/* Lanes that walk along rows which they change, some of them not each time: what these have in the words that were
 * loaded for all stays theirs. */
static void columns_of_some(void **state)
{
    static const int steps[] = {4, -4, 8}, places[] = {4, -4, 8, 0, -8};
    (void)state;
    Twins t = twins_open("jit", 64);
    for (u32 k = 0; k < countof(steps) * countof(places); k++) {
        const Shape s = {.lanes = k % 2 ? 8 : 32, .items = k % 2 ? 8 : 32, .warps = 1, .memory = 9};
        no_text();
        line("csrr x5,wgid");
        line("slli x5,x5,13");
        line("li x8,%#x", DATA + 1024);
        line("add x8,x8,x5");
        line("vid.v v11");
        line("vsll.vi v1,v11,7");
        line("vadd.vx v1,v1,x8");
        line("vmv.v.i v14,0");
        line("li x14,40");
        set_meeting(0);
        label(".Lc");
        line("andi x12,x14,3");
        line("seqz x12,x12");
        line("vand.vx v13,v11,x12"); /* odd lanes, one time in four */
        line("vbne v13,v14,.Lm0");
        line("vlw12.v v4,0(v1)");
        line("vadd.vv v5,v5,v4");
        line("vsw12.v v5,%d(v1)", places[k % countof(places)]);
        label(".Lm0");
        line("join x0,x0,0");
        line("vadd.vi v1,v1,%d", steps[k / countof(places)]);
        line("addi x14,x14,-1");
        line("bgtz x14,.Lc");
        line("endprg x0,x0,x0");
        twins_load(&t);
        assert_false(twins_run(&t, &s, k).run.faulted);
    }
    assert_true(twins_close(&t).compiled > 0);
    buf_free(&gen.text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(arguments_change, usual_set),
        cmocka_unit_test_setup(arguments_change_elsewhere, usual_set),
        cmocka_unit_test_setup(wild_addresses, usual_set),
        cmocka_unit_test_setup(wild_spaces, usual_set),
        cmocka_unit_test_setup(rows_of_some, usual_set),
        cmocka_unit_test_setup(rows_apart, usual_set),
        cmocka_unit_test_setup(rows_now_and_then, usual_set),
        cmocka_unit_test_setup(rows_reach_an_end, usual_set),
        cmocka_unit_test_setup(rows_backwards, usual_set),
        cmocka_unit_test_setup(rows_wrap, usual_set),
        cmocka_unit_test_setup(columns, usual_set),
        cmocka_unit_test_setup(columns_of_some, usual_set),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
