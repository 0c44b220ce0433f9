/* Single accesses by sim/access.c beside a model that goes byte by byte: rights and kinds of pages,
 * local memory, page tables, what a strict machine refuses, copies under way, reservations, notes.
 */
#include "test/kit/rig.h"

#define PHYSICAL 0x90100000u /* pages with rights of all kinds */
#define VIRTUAL  0xa0100000u /* their addresses with page tables, in another order */
#define TABLES   0x90200000u
#define TOP      ((1ull << 39) - PAGE_SIZE) /* the last page of memory */
enum { PAGES = 6, LOCAL_PAGES = 3, LANE = 5 };
#define PC (CODE_LO + 40)

typedef struct {
    u8 rights[PAGES], local[LOCAL_PAGES], top;
    u8 leaf[PAGES];  /* rights in the page table: PTE_R, PTE_W; 0: no page */
    u8 place[PAGES]; /* the physical page */
    u8 bytes[PAGES + LOCAL_PAGES + 1][PAGE_SIZE];
    u64 pending, pending_end;
    bool stored[PAGES + LOCAL_PAGES + 1]; /* for the first time, to a tracked page */
} Model;

static Model model;
static Mmu mmu;
static const Uop uop = {.pc = PC, .step = 1, .len = 4, .word = 0x12345678};

/* --- a round: rights and rules ---------------------------------------------------------------- */

static u8 some_rights(void)
{
    static const u8 kinds[] = {0,
                               MEM_R,
                               MEM_W,
                               MEM_R | MEM_W,
                               MEM_R | MEM_W,
                               MEM_R | MEM_TRACKED,
                               MEM_R | MEM_W | MEM_TRACKED};
    return kinds[below(countof(kinds))];
}

static void put_entry(u64 at, u64 entry) { memcpy(rig.memory.base + at, &entry, sizeof entry); }

static void make_tables(void)
{
    const u64 ppn = (u64)TABLES >> PAGE_BITS;
    memset(rig.memory.base + TABLES, 0, 3 * PAGE_SIZE);
    put_entry(TABLES + 8 * (VIRTUAL >> 30), (ppn + 1) << PTE_PPN_SHIFT | PTE_V);
    put_entry(TABLES + PAGE_SIZE + 8 * (VIRTUAL >> 21 & 511), (ppn + 2) << PTE_PPN_SHIFT | PTE_V);
    for (u32 i = 0; i < PAGES; i++)
        if (model.leaf[i])
            put_entry(TABLES + 2 * PAGE_SIZE + 8 * ((VIRTUAL >> PAGE_BITS & 511) + i),
                      ((u64)(PHYSICAL >> PAGE_BITS) + model.place[i]) << PTE_PPN_SHIFT | PTE_V |
                          model.leaf[i]);
}

static void reset_pages(void)
{
    for (u32 i = 0; i < PAGES; i++)
        memory_set_rights(&rig.memory, (PHYSICAL >> PAGE_BITS) + i, model.rights[i]);
    for (u32 i = 0; i < LOCAL_PAGES; i++)
        memory_set_rights(&rig.group.lds, (LDS_LO >> PAGE_BITS) + i, model.local[i]);
    memory_set_rights(&rig.memory, TOP >> PAGE_BITS, model.top);
    rig.group.lds_dirty.n = rig.group.pds_dirty.n = 0;
}

static u8 *host_page(u32 k)
{
    return k < PAGES                 ? rig.memory.base + PHYSICAL + k * PAGE_SIZE
           : k < PAGES + LOCAL_PAGES ? rig.group.lds.base + LDS_LO + (k - PAGES) * PAGE_SIZE
                                     : rig.memory.base + TOP;
}

static void begin_round(void)
{
    Group *g = &rig.group;
    for (u32 i = 0; i < PAGES; i++) {
        model.rights[i] = some_rights();
        model.place[i] = (u8)((i * 5 + 2) % PAGES);
        model.leaf[i] = (u8)(one_in(5) ? 0 : one_in(4) ? PTE_R : one_in(4) ? PTE_W : PTE_R | PTE_W);
    }
    for (u32 i = 0; i < LOCAL_PAGES; i++)
        model.local[i] = MEM_R | MEM_TRACKED | (one_in(2) ? MEM_W : 0);
    model.top = one_in(4) ? 0 : MEM_R | MEM_W;
    make_tables();
    for (u32 k = 0; k < countof(model.bytes); k++)
        for (u32 i = 0; i < PAGE_SIZE; i++)
            host_page(k)[i] = model.bytes[k][i] = (u8)random_bits();
    memset(&g->tlb, 0, sizeof g->tlb);
    rig.launch.mmu = one_in(2) ? &mmu : NULL;
    rig.launch.strict = one_in(2);
    rig.launch.check_copies = one_in(3);
    rig.launch.lds = below(3 * PAGE_SIZE);
    group_note_accesses(g, one_in(2) ? NOTE_EACH : NOTE_NOTHING);
}

/* --- the model -------------------------------------------------------------------------------- */

typedef struct {
    FaultKind kind;
    u64 addr;
    u32 width;
} Want;

static bool is_local(u64 a) { return a >= LDS_LO && a < LDS_END; }

/* The page of the model that has physical byte a, in local memory or not; -1: none. */
static int page_of(u64 a, bool local)
{
    if (local)
        return a < LDS_LO + LOCAL_PAGES * PAGE_SIZE ? PAGES + (int)((a - LDS_LO) / PAGE_SIZE) : -1;
    if (a >= PHYSICAL && a < PHYSICAL + PAGES * PAGE_SIZE)
        return (int)((a - PHYSICAL) / PAGE_SIZE);
    return a >= TOP && a < TOP + PAGE_SIZE ? PAGES + LOCAL_PAGES : -1;
}

static u8 rights_of(int page)
{
    return page < 0                     ? 0
           : page < PAGES               ? model.rights[page]
           : page < PAGES + LOCAL_PAGES ? model.local[page - PAGES]
                                        : model.top;
}

/* Where byte a is in the model; NULL: an access of that kind must not have it. */
static u8 *byte_at(u64 a, bool local, bool stores)
{
    u64 at = a;
    if (rig.launch.mmu && !local) {
        const u64 i = (a - VIRTUAL) / PAGE_SIZE;
        if (a < VIRTUAL || i >= PAGES || !(model.leaf[i] & (stores ? PTE_W : PTE_R)))
            return NULL;
        at = PHYSICAL + model.place[i] * (u64)PAGE_SIZE + a % PAGE_SIZE;
    }
    const int page = page_of(at, local);
    const u8 rights = rights_of(page);
    if (!(rights & (stores ? MEM_W | MEM_TRACKED : MEM_R)))
        return NULL;
    model.stored[page] |= stores && !(rights & MEM_W);
    return &model.bytes[page][at % PAGE_SIZE];
}

static u32 part_of(u64 a, u32 width)
{
    return rig.launch.mmu && a / PAGE_SIZE != (a + width - 1) / PAGE_SIZE ? 1 : width;
}

static Want wanted_of(u64 a, u32 width, bool stores, u8 *bytes[4])
{
    const Launch *l = &rig.launch;
    const u32 part = part_of(a, width);
    const FaultKind page = stores ? (l->mmu ? FAULT_STORE_PAGE : FAULT_STORE)
                                  : (l->mmu ? FAULT_LOAD_PAGE : FAULT_LOAD);
    if (l->strict && a % width)
        return (Want){stores ? FAULT_STORE_MISALIGNED : FAULT_LOAD_MISALIGNED, a, width};
    for (u64 p = a; p < a + width; p += part) {
        const bool local = is_local(p);
        /* 1. its page has a translation */
        if (l->mmu && !local && !byte_at(p, false, stores)) {
            const u64 i = (p - VIRTUAL) / PAGE_SIZE;
            if (p < VIRTUAL || i >= PAGES || !(model.leaf[i] & (stores ? PTE_W : PTE_R)))
                return (Want){page, p, part};
        }
        /* 2. no copy is under way to it */
        if (l->check_copies && p < model.pending_end && p + part > model.pending)
            return (Want){FAULT_COPY_EARLY, p, part};
        /* 3. all of it is there */
        if (local && l->strict && p + part > (u64)LDS_BASE + l->lds)
            return (Want){page, p, part};
        for (u32 i = 0; i < part; i++)
            if (!(bytes[p - a + i] = byte_at(p + i, local, stores)))
                return (Want){page, p, part};
    }
    return (Want){.kind = FAULT_NONE};
}

/* --- comparing -------------------------------------------------------------------------------- */

static u64 some_address(u32 width)
{
    const u64 begin = rig.launch.mmu ? VIRTUAL : PHYSICAL;
    u64 a = begin + below(PAGES * PAGE_SIZE);
    switch (below(8)) {
    case 0:
    case 1: a = LDS_LO + below(LOCAL_PAGES * PAGE_SIZE); break;
    case 2: a = (u64)LDS_BASE + rig.launch.lds - 4 + below(8); break;
    case 3: a = begin + (below(PAGES + 1)) * PAGE_SIZE - 4 + below(8); break; /* borders of pages */
    case 4: a = LDS_LO + (below(LOCAL_PAGES + 1)) * PAGE_SIZE - 4 + below(8); break;
    case 5: a = one_in(2) ? TOP + PAGE_SIZE - 8 + below(16) : LDS_END - 1 - below(6); break;
    default: break;
    }
    return one_in(2) ? a & ~(u64)(width - 1) : a;
}

static void check_fault(const Want *w)
{
    const Fault *f = &rig.group.fault;
    if (rig.group.faulted != (w->kind != FAULT_NONE))
        fail_msg("%s, should be %s at %llx (%u bytes)", fault_name(f->kind), fault_name(w->kind),
                 (unsigned long long)w->addr, w->width);
    if (!w->kind)
        return;
    if (f->kind != w->kind || f->addr != w->addr || f->width != w->width)
        fail_msg("%s at %llx, %u bytes, should be %s at %llx, %u bytes", fault_name(f->kind),
                 (unsigned long long)f->addr, f->width, fault_name(w->kind),
                 (unsigned long long)w->addr, w->width);
    assert_true(f->has_addr && f->pc == PC && f->lane == LANE && f->has_word);
}

static void check_pages(bool faulted)
{
    u32 dirty[2] = {0};
    for (u32 k = 0; k < countof(model.bytes); k++) {
        const bool local = k >= PAGES && k < PAGES + LOCAL_PAGES;
        const Memory *m = local ? &rig.group.lds : &rig.memory;
        const u8 *host = host_page(k);
        assert_memory_equal(host, model.bytes[k], PAGE_SIZE);
        const u64 page = (u64)(host - m->base) >> PAGE_BITS;
        if (!faulted)
            assert_int_equal(memory_rights(m, page),
                             rights_of((int)k) | (model.stored[k] ? MEM_W : 0));
        dirty[local] += model.stored[k];
    }
    if (!faulted) {
        assert_int_equal(rig.group.pds_dirty.n, dirty[0]);
        assert_int_equal(rig.group.lds_dirty.n, dirty[1]);
    }
    for (size_t i = 0; !faulted && i < rig.group.lds_dirty.n; i++)
        assert_true(model.stored[PAGES + rig.group.lds_dirty.page[i] - (LDS_LO >> PAGE_BITS)]);
    for (size_t i = 0; !faulted && i < rig.group.pds_dirty.n; i++)
        assert_true(model.stored[rig.group.pds_dirty.page[i] - (PHYSICAL >> PAGE_BITS)]);
}

static void check_note(u64 a, u32 width, bool reads, bool writes)
{
    const Touch *t = rig.group.touched;
    assert_int_equal(rig.group.ntouched, rig.group.notes ? 1 : 0);
    if (rig.group.notes)
        assert_true(t->addr == a && t->size == width && t->lane == LANE && t->reads == reads &&
                    t->writes == writes);
}

/* Words reserved near a by the lanes of the group's two warps; and by one that is none of it. */
static void reserve_some(u64 a)
{
    rig.group.nwarps = 2;
    rig.group.reservations = 0;
    rig.warps[2].reserved = 1;
    rig.warps[2].reserved_addr[0] = a & ~3ull;
    for (u32 k = 0; k < 2; k++) {
        rig.warps[k].reserved = one_in(2) ? 0 : 1u << below(32) | 1u << below(32);
        for (u32 i = 0; i < 32; i++)
            rig.warps[k].reserved_addr[i] = (a & ~3ull) + 4 * below(5) - 8;
        rig.group.reservations += rig.warps[k].reserved != 0;
    }
}

static void check_reservations(u64 a, u32 width, const u32 before[2])
{
    u32 n = 0;
    for (u32 k = 0; k < 2; k++) {
        u32 left = before[k];
        for (u32 i = 0; i < 32; i++)
            for (u64 b = a; b < a + width; b++)
                if ((b & ~3ull) == rig.warps[k].reserved_addr[i])
                    left &= ~(1u << i);
        assert_int_equal(rig.warps[k].reserved, left);
        n += left != 0;
    }
    assert_int_equal(rig.group.reservations, n);
    assert_int_equal(rig.warps[2].reserved, 1);
}

static void prepare(u64 a)
{
    Group *g = &rig.group;
    reset_pages();
    memset(model.stored, 0, sizeof model.stored);
    g->faulted = false;
    g->fault = (Fault){.kind = FAULT_NONE};
    g->ntouched = 0;
    model.pending = a - 6 + below(12);
    model.pending_end = model.pending + 1 + below(5);
    if (one_in(2))
        model.pending = model.pending_end = 0;
    g->npending = 0;
    if (!array_grow(g->pending, g->npending, g->cappending))
        fail_msg("no memory");
    g->pending[g->npending++] = (PendingCopy){model.pending, model.pending_end, 0};
}

static FaultKind one_access(void)
{
    const u32 width = 1u << below(3), value = (u32)random_bits();
    const bool stores = one_in(2);
    const u64 a = some_address(width);
    u8 *bytes[4];
    u32 got = 0, before[2];
    prepare(a);
    reserve_some(a);
    before[0] = rig.warps[0].reserved, before[1] = rig.warps[1].reserved;
    const Want w = wanted_of(a, width, stores, bytes);
    const bool ok = stores ? access_store(W, &uop, a, width, LANE, value)
                           : access_load(W, &uop, a, width, LANE, &got);
    check_fault(&w);
    assert_int_equal(ok, w.kind == FAULT_NONE);
    for (u32 i = 0; ok && i < width; i++) {
        if (stores)
            *bytes[i] = (u8)(value >> 8 * i);
        else
            assert_int_equal(got >> 8 * i & 0xff, *bytes[i]);
    }
    if (ok && !stores && width < 4)
        assert_int_equal(got >> 8 * width, 0);
    check_pages(!ok);
    if (ok)
        check_note(a, width, !stores, stores);
    if (stores)
        check_reservations(a, width, before);
    return w.kind;
}

/* An atomic reads and then stores a whole word, whatever the machine is. */
static FaultKind one_atomic(void)
{
    const u64 a = some_address(4);
    u8 *bytes[4];
    prepare(a);
    Want w = {FAULT_ATOMIC_MISALIGNED, a, 4};
    if (!(a & 3))
        w = wanted_of(a, 4, false, bytes);
    if (w.kind == FAULT_NONE)
        w = wanted_of(a, 4, true, bytes);
    const u8 *at = (const u8 *)access_atomic(W, &uop, a, LANE);
    assert_int_equal(at != NULL, w.kind == FAULT_NONE);
    check_fault(&w);
    check_pages(!at);
    for (u32 k = 0; at && k < countof(model.bytes); k++)
        if (bytes[0] - model.bytes[k] >= 0 && bytes[0] - model.bytes[k] < PAGE_SIZE)
            assert_ptr_equal(at, host_page(k) + (bytes[0] - model.bytes[k]));
    return w.kind;
}

static void accesses_follow_the_model(void **state)
{
    (void)state;
    u32 kinds[NFAULT] = {0};
    for (u32 round = 0; round < 80; round++) {
        begin_round();
        for (u32 i = 0; i < 200; i++)
            kinds[one_in(5) ? one_atomic() : one_access()]++;
    }
    static const FaultKind all[] = {FAULT_NONE,
                                    FAULT_LOAD,
                                    FAULT_STORE,
                                    FAULT_LOAD_MISALIGNED,
                                    FAULT_STORE_MISALIGNED,
                                    FAULT_LOAD_PAGE,
                                    FAULT_STORE_PAGE,
                                    FAULT_COPY_EARLY,
                                    FAULT_ATOMIC_MISALIGNED};
    for (size_t i = 0; i < countof(all); i++)
        assert_true(kinds[all[i]] > 50);
}

/* Code begins where local memory ends, and no rule for that concerns it. */
static void code_is_not_local(void **state)
{
    (void)state;
    u32 value;
    rig.launch.mmu = NULL;
    rig.launch.strict = true;
    rig.launch.check_copies = false;
    rig.launch.lds = 64;
    group_note_accesses(&rig.group, NOTE_NOTHING);
    put_word(0x00100013);
    for (u32 width = 1; width <= 4; width *= 2) {
        rig.group.faulted = false;
        assert_true(access_load(W, &uop, CODE_LO, width, LANE, &value));
        assert_int_equal(value, 0x00100013 & (0xffffffff >> (32 - 8 * width)));
        assert_false(access_load(W, &uop, CODE_LO - width, width, LANE, &value));
    }
    rig.launch.strict = false;
}

/* --- private memory --------------------------------------------------------------------------- */

static void private_memory_has_an_end(void **state)
{
    (void)state;
    for (u32 strict = 0; strict < 2; strict++)
        for (u64 a = 0; a < PDS_LANE + 8; a++)
            for (u32 width = 1; width <= 8; width *= 2) {
                Want w = {.kind = FAULT_NONE};
                if (strict && a + width > PDS_LANE)
                    w = (Want){FAULT_PRIVATE, a, width};
                rig.launch.strict = strict;
                rig.group.faulted = false;
                assert_int_equal(access_private(W, &uop, a, width, LANE), w.kind == FAULT_NONE);
                check_fault(&w);
            }
    rig.launch.strict = true;
    rig.group.faulted = false;
    assert_false(access_private(W, &uop, UINT64_MAX - 1, 4, LANE));
    rig.launch.strict = false;
}

/* --- notes ------------------------------------------------------------------------------------ */

/* What continues one of the last two notes becomes part of it. */
static void notes_grow(void **state)
{
    (void)state;
    Group *g = &rig.group;
    Touch wanted[64];
    rig.launch.strict = rig.launch.check_copies = false;
    rig.launch.mmu = NULL;
    group_note_accesses(g, NOTE_EACH);
    for (u32 round = 0; round < 300; round++) {
        size_t n = 0;
        g->ntouched = 0;
        for (u32 i = 0; i < 40; i++) {
            Touch t = {1000 + below(100), 1u << below(3), (i8)(-1 + (int)below(2)), one_in(2),
                       false};
            const Touch *last = n ? &wanted[n - 1 - (n > 1 && one_in(2))] : NULL;
            t.writes = !t.reads;
            if (last && !one_in(3))
                t = (Touch){last->addr + last->size, t.size, last->lane, last->reads, last->writes};
            if (last && one_in(4))
                t.lane = 3;
            size_t k = n;
            while (k-- > 0)
                if (k + 2 >= n && wanted[k].lane == t.lane && wanted[k].reads == t.reads &&
                    wanted[k].writes == t.writes && wanted[k].addr + wanted[k].size == t.addr)
                    break;
            if (k + 1)
                wanted[k].size += t.size;
            else
                wanted[n++] = t;
            assert_true(access_note(W, &uop, t.addr, t.size, t.lane, t.reads, t.writes));
        }
        assert_int_equal(g->ntouched, n);
        for (size_t k = 0; k < n; k++)
            assert_true(
                g->touched[k].addr == wanted[k].addr && g->touched[k].size == wanted[k].size &&
                g->touched[k].lane == wanted[k].lane && g->touched[k].reads == wanted[k].reads &&
                g->touched[k].writes == wanted[k].writes);
    }
}

/* Lanes are noted each, or as a row; nothing is lost where the notes have no room. */
static void lanes_are_noted(void **state)
{
    (void)state;
    Group *g = &rig.group;
    for (u32 round = 0; round < 400; round++) {
        const bool rows = one_in(2), writes = one_in(2);
        const u32 width = 1u << below(3), mask = (u32)random_bits() | 1u << below(32);
        u32 lo = UINT32_MAX, hi = 0;
        group_note_accesses(g, rows ? NOTE_ROWS : NOTE_EACH);
        mem_free(g->touched);
        g->touched = NULL;
        g->ntouched = g->captouched = 0;
        const u32 before = below(70);
        for (u32 i = 0; i < before; i++)
            assert_true(access_note(W, &uop, 10 * i, 1, 0, true, false));
        fill(W, mask);
        for (u32 i = 0; i < 32; i++) {
            W->addr[i] = 5000 + below(1000);
            lo = mask >> i & 1 && W->addr[i] < lo ? W->addr[i] : lo;
            hi = mask >> i & 1 && W->addr[i] > hi ? W->addr[i] : hi;
        }
        assert_true(access_note_lanes(W, &uop, lo, hi, width, writes));
        for (u32 i = 0; i < before; i++)
            assert_true(g->touched[i].addr == 10 * i && g->touched[i].size == 1);
        u32 n = before;
        for (u32 i = 0; i < 32; i++)
            if (mask >> i & 1 && !rows) {
                const Touch *t = &g->touched[n++];
                assert_true(t->addr == W->addr[i] && t->size == width && t->lane == (i8)i &&
                            t->writes == writes && t->reads == !writes);
            }
        if (rows) {
            const Touch *t = &g->touched[n++];
            assert_true(t->addr == lo && t->addr + t->size == hi + width && t->lane == TOUCH_ROW &&
                        t->writes == writes && t->reads == !writes);
        }
        assert_int_equal(g->ntouched, n);
        assert_true(g->captouched >= n);
    }
    mem_free(g->touched);
    g->touched = NULL;
    g->ntouched = g->captouched = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_follow_the_model), cmocka_unit_test(code_is_not_local),
        cmocka_unit_test(private_memory_has_an_end), cmocka_unit_test(notes_grow),
        cmocka_unit_test(lanes_are_noted),
    };
    rig_open(V202);
    memory_map(&rig.memory, PHYSICAL, PAGES * PAGE_SIZE, MEM_R | MEM_W);
    memory_map(&rig.memory, TABLES, 3 * PAGE_SIZE, MEM_R | MEM_W);
    memory_map(&rig.memory, TOP, PAGE_SIZE, MEM_R | MEM_W);
    memory_unmap(&rig.group.lds, LDS_LO + LOCAL_PAGES * PAGE_SIZE,
                 WINDOW - LOCAL_PAGES * PAGE_SIZE);
    mmu = (Mmu){&rig.memory, TABLES};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mem_free(rig.group.pds_dirty.page);
    mem_free(rig.group.touched);
    rig_close();
    return failed;
}
