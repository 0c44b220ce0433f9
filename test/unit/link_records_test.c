/* What of objects is needed, the resource records of kernels, profiles that go together, and
 * objects that are damaged. */
#include "test/kit/lack.h"
#include "test/kit/links.h"
#include "test/kit/random.h"

/* --- what is not needed -------------------------------------------------- */

static Object *kernel_object(const char *name, const char *callee)
{
    Object *o = obj_new("k.o");
    const u32 words[] = {W_JAL, 0x8067};
    const i32 text = add_bytes(o, ".text.k", TEXT_FLAGS, 4, words, sizeof words);
    add_global(o, name, text, 0);
    if (callee)
        add_reloc(o, text, 0, R_RISCV_JAL, add_global(o, callee, OBJ_UNDEF, 0), 0);
    return o;
}

static Object *kernel_with_record(const char *name, const char *callee, u32 flags)
{
    Object *o = kernel_object(name, callee);
    assert_true(resource_add(
        o, name,
        &(Resource){.flags = flags, .vgpr = 10, .sgpr = 20, .lds_stack = 64, .pds_stack = 16}));
    return o;
}

static void gc_keeps_what_kernels_reach(void **state)
{
    (void)state;
    Object *objects[] = {CODE(W_NOP), kernel_with_record("k", "used", 0),
                         function_object("u.o", "used"), function_object("n.o", "unused")};
    Object *image = link_well(&(LinkOptions){.gc = true}, objects, countof(objects));
    assert_int_equal(address_of(image, "k"), TEXT + 4);
    assert_int_equal(address_of(image, "used"), TEXT + 12);
    assert_int_equal(obj_find_symbol(image, "unused"), -1);
    obj_free(image);
}

/* a kernel that calls itself, and a function that two kernels call and that calls the first */
static void gc_goes_in_circles(void **state)
{
    Object *used = function_object("u.o", "used");
    (void)state;
    add_reloc(used, 0, 0, R_RISCV_NONE, add_global(used, "k", OBJ_UNDEF, 0), 0);
    Object *objects[] = {CODE(W_NOP), kernel_with_record("k", "used", 0), used,
                         kernel_with_record("l", "used", 0), kernel_with_record("m", "m", 0)};
    Object *image = link_well(&(LinkOptions){.gc = true}, objects, countof(objects));
    assert_int_equal(address_of(image, "k"), TEXT + 4);
    assert_int_equal(address_of(image, "used"), TEXT + 12);
    assert_int_equal(address_of(image, "m"), TEXT + 24);
    obj_free(image);
}

static void gc_keeps_roots(void **state)
{
    (void)state;
    Object *objects[] = {CODE(W_NOP), kernel_object("k", NULL), function_object("n.o", "unused")};
    Object *image = link_well(&(LinkOptions){.gc = true, .roots = (const char *[]){"k", NULL}},
                              objects, countof(objects));
    assert_int_equal(address_of(image, "k"), TEXT + 4);
    assert_int_equal(obj_find_symbol(image, "unused"), -1);
    obj_free(image);
}

static void gc_keeps_what_is_to_be_retained(void **state)
{
    const u32 retain = 0x200000; /* SHF_GNU_RETAIN */
    (void)state;
    Object *objects[] = {CODE(W_NOP), kernel_with_record("k", NULL, 0),
                         word_object("r.o", ".text.r", TEXT_FLAGS | retain, "r", 0x8067)};
    Object *image = link_well(&(LinkOptions){.gc = true}, objects, countof(objects));
    assert_int_equal(address_of(image, "r"), TEXT + 12);
    obj_free(image);
}

/* It speaks of every function; it neither keeps them nor goes with them. */
static void gc_leaves_unwind_data_alone(void **state)
{
    Object *n = function_object("n.o", "unused");
    (void)state;
    add_reloc(n, add_bytes(n, ".eh_frame", SHF_ALLOC, 4, "1234", 4), 0, R_RISCV_32, 0, 0);
    Object *objects[] = {CODE(W_NOP), kernel_with_record("k", NULL, 0), n};
    Object *image = link_well(&(LinkOptions){.gc = true}, objects, countof(objects));
    assert_int_equal(obj_find_symbol(image, "unused"), -1);
    assert_int_equal(word_at(image, section(image, ".eh_frame")->addr), 0);
    obj_free(image);
}

static void gc_without_kernels_keeps_all(void **state)
{
    (void)state;
    Object *objects[] = {CODE(W_NOP), kernel_object("k", NULL)};
    Object *image = link_well(&(LinkOptions){.gc = true}, objects, countof(objects));
    assert_int_equal(address_of(image, "k"), TEXT + 4);
    obj_free(image);
}

static void gc_roots_must_be_there(void **state)
{
    Object *a = CODE(W_NOP);
    (void)state;
    link_badly(&(LinkOptions){.gc = true, .roots = (const char *[]){"x", NULL}}, &a, 1,
               "a.out: error: 'x', which is to be kept, is not defined");
}

/* Debug data may speak of what is gone, data of the program may not. */
static void references_to_what_is_gone(void **state)
{
    (void)state;
    Object *n = function_object("n.o", "unused"), *k = kernel_with_record("k", NULL, 0);
    const i32 debug = add_bytes(n, ".debug_info", 0, 1, "1234", 4);
    add_reloc(n, debug, 0, R_RISCV_32, 0, 0);
    Object *image = link_well(&(LinkOptions){.gc = true}, (Object *[]){CODE(W_NOP), k, n}, 3);
    assert_memory_equal(section(image, ".debug_info")->data.data, "\0\0\0\0", 4);
    obj_free(image);
    k = kernel_with_record("k", NULL, 0);
    const i32 data = add_bytes(k, ".data", DATA_FLAGS, 4, "1234", 4);
    add_reloc(k, data, 0, R_RISCV_32, (u32)obj_add_symbol(k, "", 1, 0, STB_LOCAL, STT_SECTION), 0);
    LINK_BADLY("k.o: error: .data+0x0: '.ventus.resource.k' is in a section that is not part",
               CODE(W_NOP), k);
}

/* --- resource records ---------------------------------------------------- */

static Object *library(const char *file, const char *name, const char *callee, u64 vgpr, u64 stack)
{
    Object *o = kernel_object(name, callee);
    mem_free(o->name);
    o->name = mem_strdup(file);
    const Resource r = {.vgpr = vgpr,
                        .sgpr = 5,
                        .lds_stack = stack,
                        .pds_stack = 1,
                        .flags = callee ? RES_UNKNOWN_CALLEE : 0};
    assert_true(resource_add(o, "", &r));
    return o;
}

static Resource record_of(Object *image, const char *kernel)
{
    Caught c;
    Resource r;
    catch_in(&c);
    assert_true(resource_read(image, kernel, &r, &c.d));
    expect_silence(&c);
    obj_free(image);
    return r;
}

static void records_grow_by_what_is_called(void **state)
{
    (void)state;
    const Resource r =
        record_of(LINK(CODE(W_NOP), kernel_with_record("k", "f", RES_UNKNOWN_CALLEE),
                       library("f.o", "f", "g", 30, 100), library("g.o", "g", NULL, 3, 1000),
                       library("h.o", "h", NULL, 200, 9999)),
                  "k");
    assert_int_equal(r.vgpr, 30);
    assert_int_equal(r.sgpr, 20);
    assert_int_equal(r.lds_stack, 64 + 100 + 1000);
    assert_int_equal(r.pds_stack, 16 + 1 + 1);
    assert_int_equal(r.flags, 0);
}

/* --- random calls -------------------------------------------------------- */

enum { OBJECTS = 6 };

/* What each object says, and which objects its code refers to. */
typedef struct {
    Resource kernel, rest;
    bool has_rest, refers[OBJECTS];
} Says;

static Resource random_record(void)
{
    return (Resource){.form = RES_LONG,
                      .version = 3,
                      .flags = below(64) & (one_in(3) ? 63 : RES_UNKNOWN_CALLEE),
                      .vgpr = below(100),
                      .sgpr = below(64),
                      .lds_static = below(1000),
                      .pds_static = below(1000),
                      .lds_stack = one_in(8) ? UINT64_MAX : one_in(8) ? UINT64_MAX - 5 : below(1000),
                      .pds_stack = one_in(8) ? UINT64_MAX : below(1000)};
}

static Object *object_that_says(const Says *s, u32 number)
{
    char name[16];
    u32 words[OBJECTS + 1];
    Object *o = obj_new("r.o");
    for (u32 i = 0; i < OBJECTS; i++)
        words[i] = W_JAL;
    words[OBJECTS] = 0x8067;
    const i32 text = add_bytes(o, ".text", TEXT_FLAGS, 4, words, sizeof words);
    for (u32 i = 0; i < OBJECTS; i++) {
        snprintf(name, sizeof name, "f%u", i);
        const u32 symbol = add_global(o, name, i == number ? text : OBJ_UNDEF, 0);
        if (s->refers[i])
            add_reloc(o, text, 4 * i, R_RISCV_JAL, symbol, 0);
        add_reloc(o, text, 4 * i, R_RISCV_RELAX, OBJ_NO_SYMBOL, 0);
    }
    snprintf(name, sizeof name, "k%u", number);
    add_global(o, name, text, 0);
    assert_true(resource_add(o, name, &s->kernel));
    assert_true(!s->has_rest || resource_add(o, "", &s->rest));
    return o;
}

static u64 largest(u64 a, u64 b) { return a > b ? a : b; }
static u64 sum(u64 a, u64 b) { return a + b < a ? UINT64_MAX : a + b; }

/* By the closure of all references (Warshall): the record with those of all objects that its own reaches. */
static Resource record_with_callees(const Says *says, u32 number)
{
    bool reaches[OBJECTS][OBJECTS], unknown = false, circle = false;
    Resource r = says[number].kernel;
    if (!(r.flags & RES_UNKNOWN_CALLEE))
        return r;
    for (u32 i = 0; i < OBJECTS; i++)
        for (u32 k = 0; k < OBJECTS; k++)
            reaches[i][k] = i != k && says[i].refers[k];
    for (u32 via = 0; via < OBJECTS; via++)
        for (u32 i = 0; i < OBJECTS; i++)
            for (u32 k = 0; k < OBJECTS; k++)
                reaches[i][k] |= reaches[i][via] && reaches[via][k];
    for (u32 i = 0; i < OBJECTS; i++) {
        const Resource *c = &says[i].rest;
        if (!reaches[number][i])
            continue;
        circle |= reaches[i][i];
        unknown |= !says[i].has_rest;
        if (!says[i].has_rest)
            continue;
        r.flags |= c->flags & ~(u32)RES_UNKNOWN_CALLEE;
        r.vgpr = largest(r.vgpr, c->vgpr);
        r.sgpr = largest(r.sgpr, c->sgpr);
        r.lds_static = largest(r.lds_static, c->lds_static);
        r.pds_static = largest(r.pds_static, c->pds_static);
        r.lds_stack = sum(r.lds_stack, c->lds_stack);
        r.pds_stack = sum(r.pds_stack, c->pds_stack);
    }
    if (!unknown)
        r.flags &= ~(u32)RES_UNKNOWN_CALLEE;
    if (circle) {
        r.flags |= RES_NO_STACK_PEAK;
        r.lds_stack = r.pds_stack = UINT64_MAX;
    }
    return r;
}

static void expect_record(const Object *image, u32 number, const Resource *want)
{
    char name[16];
    Caught c;
    Resource r;
    catch_in(&c);
    snprintf(name, sizeof name, "k%u", number);
    assert_true(resource_read(image, name, &r, &c.d));
    expect_silence(&c);
    assert_int_equal(r.form, RES_LONG);
    assert_int_equal(r.flags, want->flags);
    assert_int_equal(r.vgpr, want->vgpr);
    assert_int_equal(r.sgpr, want->sgpr);
    assert_int_equal(r.lds_static, want->lds_static);
    assert_int_equal(r.pds_static, want->pds_static);
    assert_true(r.lds_stack == want->lds_stack && r.pds_stack == want->pds_stack);
}

static void records_are_those_of_all_that_is_reached(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        Says says[OBJECTS];
        Object *o[OBJECTS + 1] = {CODE(W_NOP)};
        const u32 rare = 1 + below(6);
        for (u32 i = 0; i < OBJECTS; i++) {
            says[i] = (Says){.kernel = random_record(), .rest = random_record(), .has_rest = !one_in(12)};
            for (u32 k = 0; k < OBJECTS; k++)
                says[i].refers[k] = one_in(rare) && (k >= i || one_in(4));
            o[i + 1] = object_that_says(&says[i], i);
        }
        Object *image = link_well(&plain, o, countof(o));
        for (u32 i = 0; i < OBJECTS; i++) {
            const Resource want = record_with_callees(says, i);
            expect_record(image, i, &want);
        }
        obj_free(image);
    }
}

/* What the kernel's compiler saw is counted already. */
static void records_count_nothing_twice(void **state)
{
    Object *k = kernel_with_record("k", "f", RES_UNKNOWN_CALLEE);
    (void)state;
    assert_true(resource_add(k, "", &(Resource){.vgpr = 99, .lds_stack = 500}));
    add_reloc(k, 0, 4, R_RISCV_RELAX, 0, 0); /* speaks of k itself */
    const Resource r = record_of(LINK(CODE(W_NOP), k, library("f.o", "f", NULL, 30, 100)), "k");
    assert_int_equal(r.vgpr, 30);
    assert_int_equal(r.lds_stack, 64 + 100);
    assert_int_equal(r.flags, 0);
}

static void records_that_know_all_stay(void **state)
{
    (void)state;
    const Resource r = record_of(LINK(CODE(W_NOP), kernel_with_record("k", "f", RES_RECURSION),
                                      library("f.o", "f", NULL, 30, 100)),
                                 "k");
    assert_int_equal(r.vgpr, 10);
    assert_int_equal(r.flags, RES_RECURSION);
}

static void records_stay_unknown_without_the_callee_s(void **state)
{
    (void)state;
    const Resource r = record_of(LINK(CODE(W_NOP), kernel_with_record("k", "f", RES_UNKNOWN_CALLEE),
                                      function_object("f.o", "f")),
                                 "k");
    assert_int_equal(r.vgpr, 10);
    assert_int_equal(r.flags, RES_UNKNOWN_CALLEE);
}

static void circles_have_no_stack_bound(void **state)
{
    (void)state;
    const Resource r =
        record_of(LINK(CODE(W_NOP), kernel_with_record("k", "f", RES_UNKNOWN_CALLEE),
                       library("f.o", "f", "g", 30, 100), library("g.o", "g", "f", 3, 1000)),
                  "k");
    assert_int_equal(r.vgpr, 30);
    assert_true(r.lds_stack == UINT64_MAX && r.pds_stack == UINT64_MAX);
    assert_int_equal(r.flags, RES_NO_STACK_PEAK);
}

static void foreign_records_are_copied(void **state)
{
    static const u8 record[] = {3, 0, 7, 0, 16, 0, 0, 0};
    Object *a = kernel_object("k", NULL), *b = kernel_object("l", NULL),
           *c = kernel_object("m", NULL);
    (void)state;
    add_bytes(a, ".ventus.resource.k", SHF_WRITE, 1, record, sizeof record);
    add_bytes(b, ".rodata.ventus.resource", SHF_WRITE, 1, record, sizeof record);
    add_bytes(c, ".rodata.ventus.resource", SHF_WRITE, 1, record, sizeof record);
    Object *image = LINK(CODE(W_NOP), a, b, c);
    assert_int_equal(section(image, ".rodata.ventus.resource")->size, 16);
    assert_int_equal(section(image, ".rodata.ventus.resource")->addr, 0);
    assert_int_equal(record_of(image, "k").form, RES_SHORT);
}

static void malformed_records_are_not_linked(void **state)
{
    Object *o = kernel_object("k", NULL);
    (void)state;
    add_bytes(o, ".ventus.resource.k", 0, 1, "123", 3);
    LINK_BADLY("k.o: error: .ventus.resource.k: a resource record of 3 bytes", CODE(W_NOP), o);
}

/* --- profiles ------------------------------------------------------------ */

static void neutral_objects_go_with_any_profile(void **state)
{
    (void)state;
    Object *image = LINK(CODE(W_NOP), marked("n.o", V2025 | TIDX));
    assert_int_equal(image->set, V2025 | TIDX);
    obj_free(image);
    image = LINK(CODE(W_NOP), marked("a.o", V202 | AI), marked("t.o", V202 | TIDX));
    assert_int_equal(image->set, V202 | AI | TIDX);
    obj_free(image);
}

static InsnId only_in_v202(void)
{
    for (int id = 0; id < NINSN; id++)
        if (isa_insn[id].sets & V202 && !(isa_insn[id].sets & V2025) && isa_insn[id].len == 4)
            return (InsnId)id;
    fail_msg("v2025 has everything");
    return NINSN;
}

static void profiles_do_not_mix(void **state)
{
    char message[120];
    (void)state;
    const InsnId id = only_in_v202();
    snprintf(message, sizeof message,
             "a.o: error: .text+0x4: %s is an instruction of v202, but n.o is for v2025",
             isa_insn[id].text);
    LINK_BADLY(message, CODE(W_NOP, (u32)isa_insn[id].match), marked("n.o", V2025));
    Object *kept[] = {CODE(W_NOP), kernel_with_record("k", NULL, 0), marked("n.o", V2025),
                      word_object("u.o", ".text", TEXT_FLAGS, "unused", (u32)isa_insn[id].match)};
    obj_free(link_well(&(LinkOptions){.gc = true}, kept, countof(kept)));
    LINK_BADLY("o.o: error: is for v202+ai, but n.o is for v2025", CODE(W_NOP),
               marked("n.o", V2025), marked("o.o", V202 | AI));
}

/* --- damage -------------------------------------------------------------- */

static u32 next_random(u64 *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (u32)(*seed >> 32);
}

static Object *object_to_damage(void)
{
    Object *o = aligned_object(7);
    const i32 data = add_bytes(o, ".data", DATA_FLAGS, 4, "0123456789ab", 12);
    const u32 f = add_global(o, "f", OBJ_UNDEF, 0), c = add_global(o, "c", OBJ_COMMON, 8);
    o->symbols[c].size = 8;
    const u32 types[] = {R_RISCV_32, R_RISCV_ADD32, R_RISCV_SUB32, 60, R_RISCV_ADD64};
    for (size_t i = 0; i < countof(types); i++)
        add_reloc(o, data, (u32)i, types[i], i % 2 ? f : c, 1);
    add_reloc(o, 0, 32, R_RISCV_PCREL_HI20, c, 0);
    add_reloc(o, 0, 32, R_RISCV_PCREL_LO12_I, 1, 0);
    assert_true(resource_add(o, "_start", &(Resource){.flags = RES_UNKNOWN_CALLEE}));
    return o;
}

/* Appends the images; false: something was refused. */
static bool link_file(const u8 *bytes, size_t len, const Object *other, Buf *images)
{
    Diag d = {0};
    Object *o;
    if (!obj_read("damaged.o", bytes, len, &d, &o))
        return false;
    for (int gc = 0; gc < 2; gc++) {
        Object *image = link_objects((const Object *[]){o, other}, 2, &(LinkOptions){.gc = gc}, &d);
        if (image)
            obj_write(image, images, &d);
        obj_free(image);
    }
    obj_free(o);
    return d.errors == 0;
}

/* what can be read can be linked or is refused, never worse */
static void damaged_objects_do_no_harm(void **state)
{
    u64 seed = 0x2545f4914f6cdd1d;
    Buf file = {0};
    Diag d = {0};
    Object *o = object_to_damage(), *f = library("f.o", "f", NULL, 1, 1);
    (void)state;
    assert_true(obj_write(o, &file, &d));
    for (size_t i = 0; i < 4 * file.len; i++) {
        const size_t at = i % file.len;
        const u8 was = file.data[at];
        file.data[at] = i < file.len ? (u8)~was : (u8)next_random(&seed);
        Buf images = {0};
        link_file(file.data, file.len, f, &images);
        buf_free(&images);
        file.data[at] = was;
    }
    obj_free(o);
    obj_free(f);
    buf_free(&file);
}

static Object *whole, *called; /* of the test below */

static bool write_read_link(Buf *made)
{
    Buf file = {0};
    Diag d = {0};
    const bool ok = obj_write(whole, &file, &d) && link_file(file.data, file.len, called, made);
    buf_free(&file);
    return ok;
}

static void lack_of_memory_does_no_harm(void **state)
{
    (void)state;
    whole = object_to_damage();
    called = library("f.o", "f", NULL, 1, 1);
    LACK_OF_MEMORY(write_read_link);
    obj_free(whole);
    obj_free(called);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lack_of_memory_does_no_harm),
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(gc_keeps_what_kernels_reach),
        cmocka_unit_test(gc_goes_in_circles),
        cmocka_unit_test(gc_keeps_roots),
        cmocka_unit_test(gc_keeps_what_is_to_be_retained),
        cmocka_unit_test(gc_leaves_unwind_data_alone),
        cmocka_unit_test(gc_without_kernels_keeps_all),
        cmocka_unit_test(gc_roots_must_be_there),
        cmocka_unit_test(references_to_what_is_gone),
        cmocka_unit_test(records_grow_by_what_is_called),
        cmocka_unit_test(records_are_those_of_all_that_is_reached),
        cmocka_unit_test(records_count_nothing_twice),
        cmocka_unit_test(records_that_know_all_stay),
        cmocka_unit_test(records_stay_unknown_without_the_callee_s),
        cmocka_unit_test(circles_have_no_stack_bound),
        cmocka_unit_test(foreign_records_are_copied),
        cmocka_unit_test(malformed_records_are_not_linked),
        cmocka_unit_test(neutral_objects_go_with_any_profile),
        cmocka_unit_test(profiles_do_not_mix),
        cmocka_unit_test(damaged_objects_do_no_harm),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
