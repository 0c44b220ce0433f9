/* jit_twin_test.c -- the comparison of a warp with its twin (jit/shadow.c): each thing that host code
 * could have got wrong is named, and nothing else is taken for wrong.  What the host code does here
 * the interpreter does, and then one thing is changed.
 */
#include "sim/handlers.h" /* before cmocka.h, which has a macro fail() */
#include "jit/shadow.h"
#include "test/kit/launchrig.h"

enum { LANES = 8, TURN = 24, OTHER = DATA_BYTES / 2 };

/* Stores to memory and to local memory, parts the lanes, and goes on in a loop. */
static const char program[] = "    li      x8, 0x90000000\n"
                              "    li      x9, 0x70000000\n"
                              "    vid.v   v1\n"
                              "    vsll.vi v2, v1, 2\n"
                              "    vadd.vx v3, v2, x8\n"
                              "    vadd.vx v4, v2, x9\n"
                              "    vsw12.v v3, 0(v3)\n"
                              "    vsw12.v v3, 64(v4)\n"
                              "    sw      x8, 256(x8)\n"
                              "    vmv.v.i v5, 3\n"
                              ".Lp: auipc  x30, %pcrel_hi(.Lm)\n"
                              "    setrpc  x0, x30, %pcrel_lo(.Lp)\n"
                              "    vblt    v1, v5, .Le\n"
                              "    vadd.vi v6, v6, 1\n"
                              "    j       .Lm\n"
                              ".Le: addi   x10, x10, 1\n"
                              "    j       .Le\n"
                              ".Lm: join   x0, x0, 0\n"
                              "    endprg  x0, x0, x0\n";
/* ... or faults */
static const char faults[] = "    vid.v   v1\n"
                             "    vsll.vi v1, v1, 2\n"
                             "    addi    x10, x10, 1\n"
                             "    vlw12.v v2, 0(v1)\n"
                             "    endprg  x0, x0, x0\n";

static Shadow *shadow;
static Group *group;
static HostFloats floats; /* of the test */

static void begin(const char *text, u64 linear)
{
    rig_open(V202);
    rig_load(V202, LANES, text);
    rig.launch.groups[0] = 4;
    group = sim_take_group(rig.sim, &rig.launch);
    shadow = shadow_open();
    assert_true(group && shadow);
    assert_int_equal(shadow_begin(shadow, &rig.launch), SHADOW_COMPARES);
    group_begin(group, linear);
    floats = enter_guest_floats();
}

/* Ends all; *addr: where the memory of the twin differs at the end; 0: nowhere. */
static void end(bool faulted, u64 *addr)
{
    leave_guest_floats(&floats);
    *addr = 0;
    assert_true(shadow_end(shadow, faulted, addr) == !*addr);
    shadow_close(shadow);
    sim_give_group(rig.sim, group);
    rig_close();
}

static void run_turn(Warp *w, u64 insns)
{
    const Uop *u = go(w, w->pc);
    for (; u && insns; insns--) {
        w->ninsns += uop_insns(u);
        u = u->run(w, u);
    }
    if (u)
        w->pc = u->pc;
    take_host_flags(w);
}

/* What is changed behind a turn. */
typedef enum {
    NOTHING,
    SCALAR,
    LANE,
    WAITS,
    BEYOND,
    FIRST_X,
    PC,
    MASK,
    EXEC,
    VL,
    VTYPE,
    FRM,
    FLAGS,
    VXSAT,
    DEPTH,
    SIDE_PC,
    SIDE_MASK,
    SIDE_RPC,
    STATE,
    COUNT,
    FIRST_BYTE,
    BYTE,
    WORD,
    LOCAL,
    LOCAL_OTHER
} What;

static const struct {
    What what;
    const char *said; /* NULL: it is no difference */
} changes[] = {
    {NOTHING, NULL},
    {SCALAR, "x10 is 0x"},
    {LANE, "lane 1 of v6 is 0x"},
    {WAITS, NULL}, /* where nobody knows what it waits for */
    {BEYOND, NULL},
    {FIRST_X, "x1 is 0x"},
    {PC, "the pc is 0x"},
    {MASK, "the mask is 0x"},
    {EXEC, "the active lanes is 0x"},
    {VL, "vl is 0x"},
    {VTYPE, "vtype is 0x"},
    {FRM, "frm is 0x"},
    {FLAGS, "fflags is 0x"},
    {VXSAT, "vxsat is 0x"},
    {DEPTH, "the depth of the divergence stack is 0x1 "},
    {SIDE_PC, "the pc of a side that waits is 0x"},
    {SIDE_MASK, "the pc of a side that waits is 0x"},
    {SIDE_RPC, "the pc of a side that waits is 0x"},
    {STATE, "the state is 0x1 in host code, 0x0 in"},
    {COUNT, "the pc is 0x"}, /* the twin goes on for one instruction more */
    {FIRST_BYTE, "byte 0x90000001 is 0x"},
    {BYTE, "byte 0x90000005 is 0x"},
    {WORD, "byte 0x90000103 is 0x"},
    {LOCAL, "byte 0x70000046 is 0x"},
    {LOCAL_OTHER, "a byte of local memory is 0x70000ff0"},
};

static void change(Warp *w, What what)
{
    switch (what) {
    case NOTHING: break;
    case SCALAR: w->x[10] ^= 4; break;
    case LANE: w->v[6][1] ^= 1; break;
    case WAITS: w->v[6][3] ^= 1; break;
    case BEYOND: w->v[6][LANES] ^= 1; break;
    case FIRST_X: w->x[1] ^= 1; break;
    case PC: w->pc += 4; break;
    case MASK: w->mask ^= 1; break;
    case EXEC: w->exec ^= 1; break;
    case VL: w->vl--; break;
    case VTYPE: w->vtype ^= 64; break;
    case FRM: w->frm = 1; break;
    case FLAGS: w->fflags ^= 1; break;
    case VXSAT: w->vxsat ^= 1; break;
    case DEPTH: w->nsimt--; break;
    case SIDE_PC: w->simt[1].pc += 4; break;
    case SIDE_MASK: w->simt[0].mask ^= 1; break;
    case SIDE_RPC: w->simt[1].rpc += 4; break;
    case STATE: w->state = WARP_WAITING; break;
    case COUNT: w->ninsns++; break;
    case FIRST_BYTE: rig.memory.base[DATA + 1] ^= 1; break;
    case BYTE: rig.memory.base[DATA + 5] ^= 1; break;
    case WORD: rig.memory.base[DATA + 256 + 3] ^= 1; break;
    case LOCAL: group->lds.base[LDS_LO + 64 + 6] ^= 1; break;
    case LOCAL_OTHER: group->lds.base[LDS_LO + 0xff0] ^= 1; break;
    }
}

static const RegSet all = {~(u64)0, {~(u64)0, ~(u64)0, ~(u64)0, ~(u64)0}};

static void names_what_differs(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(changes); i++)
        for (u32 reads = 0; reads < 2; reads++) { /* whether flags are read */
            u64 addr;
            begin(program, 0);
            Warp *w = group->warps;
            assert_int_equal(shadow_before(shadow, w, 1000), 1);
            run_turn(w, TURN);
            assert_int_equal(w->nsimt, 2);
            change(w, changes[i].what);
            shadow_after(shadow, w, NULL, NULL, reads);
            const char *want = changes[i].what == FLAGS && !reads ? NULL : changes[i].said;
            const char *said = shadow_report(shadow);
            if (!want ? *said != 0 : !strstr(said, want) || strstr(said, want) != said)
                fail_msg("change %d: \"%s\" instead of \"%s\"", changes[i].what, said,
                         want ? want : "");
            assert_int_equal(group->faulted, want != NULL);
            if (want) {
                assert_int_equal(group->fault.kind, FAULT_DIFFERS);
                assert_non_null(strstr(said, ", after instructions 1 to 2"));
                assert_non_null(strstr(said, "of the warp, from pc 0x80000000 on"));
            }
            end(group->faulted, &addr);
            assert_int_equal(addr, 0);
        }
}

/* A register that is dead in host code may have anything, and then has what the twin has. */
static void dead_registers_may_differ(void **state)
{
    u64 addr;
    (void)state;
    for (u32 i = 0; i < 4; i++) {
        const Region r = {.warp.deep = true}; /* what others wait for is not looked at */
        RegionBlock at = {.in = all, .own = all};
        begin(program, 0);
        Warp *w = group->warps;
        shadow_before(shadow, w, 1000);
        run_turn(w, TURN);
        const u32 x = w->x[10], v = w->v[200][2];
        w->x[10] = i & 1 ? 99 : x;
        w->v[200][2] = i & 2 ? 99 : v;
        at.in.x &= i & 1 ? ~((u64)1 << 10) : at.in.x;
        at.in.v[3] &= i & 2 ? ~((u64)1 << (200 - 192)) : at.in.v[3];
        at.own = at.in;
        shadow_after(shadow, w, &r, &at, true);
        assert_false(group->faulted);
        assert_int_equal(w->x[10], x);
        assert_int_equal(w->v[200][2], v);
        /* and the next turn goes on from there */
        shadow_before(shadow, w, 1000);
        run_turn(w, 4);
        shadow_after(shadow, w, NULL, NULL, true);
        assert_string_equal(shadow_report(shadow), "");
        end(false, &addr);
        assert_int_equal(addr, 0);
    }
}

/* A lane that waits may have anything in rows that it does not read where it goes on, and nothing else
 * in those that it does; one that is on, by what follows for it. */
static void lanes_that_wait_have_what_they_read(void **state)
{
    enum { WAITER = 3, RUNNER = 1 };
    static const struct {
        u32 lane, row;
        bool differs;
    } row[] = {
        {WAITER, 6, true},  /* v6 + 1 comes next for it */
        {WAITER, 7, false}, /* nobody names v7 */
        {RUNNER, 6, false}, /* it never leaves its loop */
        {WAITER, 1, false},
    };
    (void)state;
    for (size_t i = 0; i < countof(row); i++) {
        u64 addr;
        begin(program, 0);
        Warp *w = group->warps;
        Region *r =
            region_new(rig.sim->code, CODE_LO, (WarpShape){.full = true}, 0, LANES, VM_OWN, false);
        assert_non_null(r);
        shadow_before(shadow, w, 1000);
        run_turn(w, TURN + 1); /* where its block begins */
        assert_int_equal(w->simt[1].mask >> WAITER & 1, 1);
        assert_int_equal(w->mask >> RUNNER & 1, 1);
        const int at = region_find(r, w->pc, false);
        assert_true(at >= 0);
        /* it goes on among some, whatever all lanes would read there */
        const int others = region_find(r, w->simt[1].pc, true);
        assert_true(others >= 0 && others != region_find(r, w->simt[1].pc, false));
        r->block[others].own = (RegSet){0};
        RegionBlock b = r->block[at];
        b.in.v[0] |= ~(u64)0; /* others may read them */
        w->v[row[i].row][row[i].lane] ^= 1;
        shadow_after(shadow, w, r, &b, true);
        assert_int_equal(group->faulted, row[i].differs);
        region_free(r);
        end(group->faulted, &addr);
        assert_int_equal(addr, 0);
    }
}

/* Turns are as long as host code may stop in groups of even numbers, and whole in the others, and
 * where instructions are limited. */
static void lengths_of_turns(void **state)
{
    (void)state;
    for (u64 linear = 0; linear < 4; linear++)
        for (u32 limited = 0; limited < 2; limited++) {
            u64 addr;
            begin(program, linear);
            rig.launch.max_insns = limited ? 100000 : 0;
            assert_int_equal(shadow_before(shadow, group->warps, 777),
                             linear % 2 || limited ? 777 : 1);
            run_turn(group->warps, TURN);
            shadow_after(shadow, group->warps, NULL, NULL, true);
            assert_false(group->faulted);
            end(false, &addr);
        }
}

/* What only the end shows: a byte that the twin has not touched; of memory that hosts share, only in
 * pages that it has written; and nothing where the launch stopped, or where others wrote. */
static void compares_at_the_end(void **state)
{
    static const struct {
        bool shared, faulted, written, beside;
        u32 at; /* the byte that changes; 512: beside those that are written */
        u64 want;
    } row[] = {
        {false, false, false, false, OTHER, DATA + OTHER},
        {true, false, false, false, OTHER, 0},
        {false, false, false, false, 512, DATA + 512},
        {true, false, false, false, 512, DATA + 512},
        {false, true, false, false, OTHER, 0},
        {false, false, true, false, OTHER, 0},
        {false, false, false, true, OTHER, 0},
    };
    (void)state;
    for (size_t i = 0; i < countof(row); i++) {
        u64 addr;
        char text[40];
        begin(program, 1);
        Warp *w = group->warps;
        atomic_store(&rig.memory.is_shared, row[i].shared);
        shadow_before(shadow, w, 1000);
        run_turn(w, TURN);
        shadow_after(shadow, w, NULL, NULL, true);
        rig.memory.base[DATA + row[i].at] ^= 1;
        if (row[i].written)
            memory_write(&rig.memory, DATA + OTHER + 64, "x", 1);
        if (row[i].beside) {
            assert_int_equal(shadow_begin(shadow, &rig.launch), SHADOW_BUSY);
            shadow_end_beside(shadow);
        }
        assert_true(shadow_compares(shadow, &rig.launch));
        Shadow *s = shadow;
        leave_guest_floats(&floats);
        addr = 0;
        assert_true(shadow_end(s, row[i].faulted, &addr) == !row[i].want);
        assert_int_equal(addr, row[i].want);
        snprintf(text, sizeof text, "at the end, byte 0x%08llx is 01", (unsigned long long)addr);
        assert_true(strstr(shadow_report(s), row[i].want ? text : "") == shadow_report(s));
        assert_true(row[i].want || !*shadow_report(s));
        assert_false(shadow_compares(s, &rig.launch));
        shadow_close(s);
        sim_give_group(rig.sim, group);
        rig_close();
    }
}

/* Where others write during a turn that differs, nobody is wrong: the rest of the group is not
 * compared, the next one is, from the memory that there is then. */
static void loses_a_group(void **state)
{
    u64 addr;
    (void)state;
    begin(program, 0);
    Warp *w = group->warps;
    shadow_before(shadow, w, 1000);
    run_turn(w, TURN);
    change(w, BYTE);
    memory_write(&rig.memory, DATA + OTHER, "x", 1);
    shadow_after(shadow, w, NULL, NULL, true);
    assert_false(group->faulted);
    assert_string_equal(shadow_report(shadow), "");
    shadow_before(shadow, w, 1000);
    run_turn(w, 3);
    change(w, SCALAR);
    shadow_after(shadow, w, NULL, NULL, true);
    assert_false(group->faulted);
    for (u32 k = 0; k < 2; k++) { /* what others wrote is known in the next group */
        group_end(group);
        group_begin(group, 1 + k);
        shadow_before(shadow, w, 1000);
        run_turn(w, TURN);
        if (k)
            change(w, SCALAR);
        shadow_after(shadow, w, NULL, NULL, true);
        assert_int_equal(group->faulted, k);
    }
    end(true, &addr);
}

/* A turn that the twin must agree about. */
static void agree(u64 insns)
{
    shadow_before(shadow, group->warps, 1000);
    run_turn(group->warps, insns);
    shadow_after(shadow, group->warps, NULL, NULL, true);
    assert_string_equal(shadow_report(shadow), "");
}

/* Memory that the host gives and takes between turns is given to the twin, and taken from it. */
static void memory_comes_and_goes(void **state)
{
    enum { BEFORE = 3 };
    const u32 at = DATA + DATA_BYTES;
    u64 addr;
    (void)state;
    begin("li x11,0x90100000\n addi x12,x12,1\n addi x12,x12,1\n lw x10,8(x11)\n"
          " lw x10,12(x11)\n lw x10,8(x11)\n endprg x0,x0,x0\n",
          0);
    agree(BEFORE);
    assert_int_equal(group->warps->x[11], at);
    memory_map(&rig.memory, at, PAGE_SIZE, MEM_R | MEM_W);
    memory_write(&rig.memory, at + 8, "abcdefgh", 8);
    agree(1);
    assert_int_equal(group->warps->x[10], 0x64636261);
    agree(1);
    assert_false(group->faulted);
    memory_allow(&rig.memory, at, PAGE_SIZE, 0);
    agree(1);
    assert_int_equal(group->fault.kind, FAULT_LOAD);
    end(true, &addr);
}

/* Data in a page whose instructions were decoded before the launch. */
static void data_beside_code(void **state)
{
    u64 addr;
    (void)state;
    for (u32 decoded = 0; decoded < 2; decoded++) {
        rig_open(V202);
        rig_load(V202, LANES,
                 "1: auipc x8,0\n sw x8,0x400(x8)\n lw x9,0x400(x8)\n endprg x0,x0,x0\n");
        group = sim_take_group(rig.sim, &rig.launch);
        assert_non_null(group);
        group_begin(group, 0);
        if (decoded)
            assert_non_null(go(group->warps, CODE_LO));
        shadow = shadow_open();
        assert_non_null(shadow);
        assert_int_equal(shadow_begin(shadow, &rig.launch), SHADOW_COMPARES);
        floats = enter_guest_floats();
        agree(3);
        assert_int_equal(group->warps->x[9], CODE_LO);
        agree(1);
        assert_int_equal(group->warps->state, WARP_DONE);
        end(false, &addr);
        assert_int_equal(addr, 0);
    }
}

/* Warps that wait go on, and so do their twins. */
static void barriers_are_passed(void **state)
{
    u64 addr;
    (void)state;
    begin("addi x10,x10,1\n barrier x0,x0,0\n addi x10,x10,2\n barrier x0,x0,0\n"
          " endprg x0,x0,x0\n",
          0);
    agree(2);
    assert_int_equal(group->warps->state, WARP_WAITING);
    assert_true(group_pass_barrier(group));
    agree(2);
    assert_int_equal(group->warps->x[10], 3);
    assert_true(group_pass_barrier(group));
    agree(1);
    assert_int_equal(group->warps->state, WARP_DONE);
    end(false, &addr);
    assert_int_equal(addr, 0);
}

/* Where the host lacks memory nothing is compared. */
static void lack_is_no_difference(void **state)
{
    u64 addr;
    (void)state;
    begin(program, 0);
    shadow_before(shadow, group->warps, 1000);
    run_turn(group->warps, TURN);
    change(group->warps, SCALAR);
    warp_fault(group->warps, FAULT_NO_MEMORY, group->warps->pc, -1);
    shadow_after(shadow, group->warps, NULL, NULL, true);
    assert_string_equal(shadow_report(shadow), "");
    assert_int_equal(group->fault.kind, FAULT_NO_MEMORY);
    end(true, &addr);
}

/* A fault is the twin's in each of its parts. */
static void names_what_differs_of_faults(void **state)
{
    static const char *const said[] = {NULL,
                                       "the kind of fault is 0x",
                                       "the pc of the fault is 0x",
                                       "its lane is 0x",
                                       "its address is 0x",
                                       "its mask is 0x",
                                       "whether it faulted is 0x1 in host code, 0x0 in",
                                       "whether it faulted is 0x0 in host code, 0x1 in"};
    (void)state;
    for (u32 i = 0; i < countof(said); i++) {
        u64 addr;
        begin(faults, 0);
        Warp *w = group->warps;
        Fault *f = &group->fault;
        shadow_before(shadow, w, 1000);
        if (i == 6) {
            run_turn(w, 2);
            warp_fault(w, FAULT_LOAD, w->pc + 4, 0);
        } else {
            run_turn(w, 4);
            assert_true(group->faulted);
        }
        f->kind = i == 1 ? FAULT_STORE : f->kind;
        f->pc += i == 2 ? 4 : 0;
        f->lane += i == 3;
        f->addr += i == 4;
        f->mask ^= i == 5;
        if (i == 7) { /* the twin's was not seen */
            group->faulted = false;
            w->ninsns = 4;
        }
        shadow_after(shadow, w, NULL, NULL, true);
        const char *got = shadow_report(shadow);
        if (said[i] ? strstr(got, said[i]) != got : *got != 0)
            fail_msg("change %u: \"%s\"", i, got);
        assert_true(group->faulted);
        assert_int_equal(f->kind, said[i] ? FAULT_DIFFERS : FAULT_LOAD);
        end(true, &addr);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_what_differs),
        cmocka_unit_test(dead_registers_may_differ),
        cmocka_unit_test(lanes_that_wait_have_what_they_read),
        cmocka_unit_test(lengths_of_turns),
        cmocka_unit_test(compares_at_the_end),
        cmocka_unit_test(loses_a_group),
        cmocka_unit_test(memory_comes_and_goes),
        cmocka_unit_test(data_beside_code),
        cmocka_unit_test(barriers_are_passed),
        cmocka_unit_test(lack_is_no_difference),
        cmocka_unit_test(names_what_differs_of_faults),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
