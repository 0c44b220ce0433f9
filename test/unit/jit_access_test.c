/* jit_access_test.c -- which way accesses of host code go, and what they reach: each form and kind
 * of addresses at the ends of a range that is remembered (Group.plain) and of pages with and without
 * rights, on each level of the host, with all lanes and some.  What is accessed at once, by a
 * helper, or by the engine is known from the rules at the top of jit/vecmem.c; what is loaded and
 * stored, from a model.
 */
#include "test/kit/hostrig.h"
#include "test/kit/random.h"

/* An access of its own block: x8 and v1 are addresses, x9 the stride, v2 indices, v5 and x5 what is
 * loaded, v6 and x6 what is stored. */
typedef struct {
    const char *text;
    u32 width;
    i32 imm;
    bool stores, sgn;
    enum { SCALAR, OWN, INDEX, UNIT, STRIDE } how;
} Form;

static const Form forms[] = {
    {"vlw12.v v5,8(v1)", 4, 8, false, false, OWN},
    {"vlh12.v v5,0(v1)", 2, 0, false, true, OWN},
    {"vlhu12.v v5,4(v1)", 2, 4, false, false, OWN},
    {"vlb12.v v5,1(v1)", 1, 1, false, true, OWN},
    {"vlbu12.v v5,0(v1)", 1, 0, false, false, OWN},
    {"vluxei32.v v5,(x8),v2", 4, 0, false, false, INDEX},
    {"vle32.v v5,(x8)", 4, 0, false, false, UNIT},
    {"vlse32.v v5,(x8),x9", 4, 0, false, false, STRIDE},
    {"vsw12.v v6,8(v1)", 4, 8, true, false, OWN},
    {"vsh12.v v6,0(v1)", 2, 0, true, false, OWN},
    {"vsb12.v v6,1(v1)", 1, 1, true, false, OWN},
    {"vsuxei32.v v6,(x8),v2", 4, 0, true, false, INDEX},
    {"vse32.v v6,(x8)", 4, 0, true, false, UNIT},
    {"vsse32.v v6,(x8),x9", 4, 0, true, false, STRIDE},
    {"lw x5,8(x8)", 4, 8, false, false, SCALAR},
    {"lh x5,-2(x8)", 2, -2, false, true, SCALAR},
    {"lhu x5,0(x8)", 2, 0, false, false, SCALAR},
    {"lb x5,3(x8)", 1, 3, false, true, SCALAR},
    {"lbu x5,0(x8)", 1, 0, false, false, SCALAR},
    {"sw x6,4(x8)", 4, 4, true, false, SCALAR},
    {"sh x6,0(x8)", 2, 0, true, false, SCALAR},
    {"sb x6,-1(x8)", 1, -1, true, false, SCALAR},
};

/* What addresses of lanes are like. */
typedef enum {
    ROW,    /* each lane's behind the one before */
    ROW_ON, /* those of lanes that are on; others are anywhere */
    CHUNKS, /* rows of four lanes each, anywhere: of the host's vectors on the level `base` alone */
    HALVES, /* rows of half the lanes each, which are one vector of the host */
    ONE,    /* all the same */
    ANYWHERE
} Pattern;
enum { NPATTERN = ANYWHERE + 1 };

static const struct {
    const char *name;
    u32 chunk; /* lanes of a vector */
    bool gathers;
} levels[] = {{"base", 4, false}, {"avx2", 8, false}, {"avx512", 16, true}};

static u32 lanes, mask, site[countof(forms)];
static bool full;

static jmp_buf helped;
static void helper_is_called(void) { longjmp(helped, 1); }

/* --- programs -------------------------------------------------------------------------- */

/* All forms; x7 chooses one. */
static void make_forms(bool all, u32 count)
{
    Buf text = {0};
    full = all;
    for (u32 k = 0; k < countof(forms); k++)
        buf_printf(&text, "li x10,%u\n bne x7,x10,.L%u\n .globl f%u\nf%u: %s\n jr x30\n.L%u:\n", k,
                   k, k, k, forms[k].text, k);
    buf_str(&text, "jr x30\n");
    lanes = count;
    rig_load(V202, lanes, buf_text(&text));
    host_make((WarpShape){.full = full}, CODE_PLAIN, false);
    for (u32 i = 0, k = 0; i < TEXT_BYTES && k < countof(forms); i += 4) {
        const Uop *u = go(host.group->warps, CODE_LO + i);
        const IsaAccess access = u->id < NINSN ? isa_effect_of((InsnId)u->id)->access : ACCESS_NONE;
        if (access != ACCESS_NONE)
            site[k++] = plain_site(CODE_LO + i);
    }
    buf_free(&text);
}

static void forget_ranges(Group *g)
{
    memset(g->plain, 0, sizeof g->plain);
    for (u32 stores = 0; stores < 2; stores++)
        group_forget_ranges(g, stores);
}

/* The lanes that the pattern's addresses are of, from first on. */
static void set_addresses(const Form *f, Pattern p, u32 first, u32 addr[MAX_LANES])
{
    const u32 half = lanes / 2, w = f->width;
    u32 n = 0;
    for (u32 i = 0; i < lanes; i++) {
        const bool on = mask >> i & 1;
        switch (p) {
        case ROW: addr[i] = first + i * w; break;
        case ROW_ON: addr[i] = on ? first + i * w : (u32)random_bits(); break;
        case CHUNKS: addr[i] = first + (i & 3) * w + 20 * (7 * (i / 4) % 5); break;
        case HALVES: addr[i] = first + (i % half) * w + (i < half ? 0 : (half + 5) * w); break;
        case ONE: addr[i] = first; break;
        case ANYWHERE: addr[i] = on ? first + w * (n * 3 % (lanes + 1)) : (u32)random_bits(); break;
        }
        n += on;
    }
    /* a lane that is on, and not the first, is where the row does not have it */
    if (p == ANYWHERE && addr[lanes - 1] == addr[0] + (lanes - 1) * w)
        addr[lanes - 1] += w;
}

static bool fits(const Form *f, Pattern p)
{
    if (p == ROW_ON && full) /* as ROW */
        return false;
    return f->how == OWN || f->how == INDEX || (p == ROW && f->how != SCALAR) ||
           (p == ONE && f->how == STRIDE) || (p == ONE && f->how == SCALAR);
}

static void set_registers(Warp *w, const Form *f, const u32 addr[MAX_LANES])
{
    for (u32 n = 1; n < 32; n++)
        w->x[n] = (u32)random_bits();
    for (u32 n = 0; n < 8; n++)
        for (u32 i = 0; i < lanes; i++)
            w->v[n][i] = (u32)random_bits();
    for (u32 i = 0; i < lanes; i++) {
        w->v[1][i] = addr[i] - (u32)f->imm;
        w->v[2][i] = addr[i] - w->x[8];
    }
    if (f->how == SCALAR || f->how == UNIT || f->how == STRIDE)
        w->x[8] = addr[0] - (u32)f->imm;
    w->x[9] = addr[1] - addr[0];
    w->x[7] = (u32)(f - forms);
    w->pc = CODE_LO;
    w->state = WARP_READY;
    w->ninsns = 0;
}

static u32 some_mask(void)
{
    const u32 all = lanes == 32 ? UINT32_MAX : (1u << lanes) - 1;
    return full ? all : one_in(6) ? 1u << below(lanes) : 1 + (u32)random_bits() % (all - 1);
}

/* --- the model --------------------------------------------------------------------------- */

static u32 value_at(const Form *f, const u8 *at)
{
    const u32 v = memory_get(at, f->width), bits = 8 * f->width;
    return f->sgn ? (u32)((i32)(v << (32 - bits)) >> (32 - bits)) : v;
}

/* Whether lane i, of a scalar access lane 0, takes part. */
static bool acts(const Form *f, u32 i) { return f->how == SCALAR ? !i : mask >> i & 1; }

/* What was loaded is what bytes at base + address say, and lanes that are off keep theirs. */
static void expect_loaded(const Form *f, const u32 addr[MAX_LANES], const u8 *base, const Warp *w,
                          const u32 before[MAX_LANES])
{
    for (u32 i = 0; i < (f->how == SCALAR ? 1 : lanes); i++) {
        const u32 want = acts(f, i) ? value_at(f, base + addr[i]) : before[i];
        const u32 got = f->how == SCALAR ? w->x[5] : w->v[5][i];
        if (got != want)
            fail_msg("%s: lane %u has %08x instead of %08x", f->text, i, got, want);
    }
}

static void store_to(const Form *f, const u32 addr[MAX_LANES], u8 *base, const Warp *w)
{
    for (u32 i = 0; i < lanes; i++)
        if (acts(f, i))
            memory_put(base + addr[i], f->width, f->how == SCALAR ? w->x[6] : w->v[6][i]);
}

/* --- a range that is remembered ---------------------------------------------------------- */

enum {
    FAR = 0x40000,     /* from addresses to where the range says that they are */
    AT = 0x8000,       /* the range, in DATA */
    WATCHED = 0x10000, /* bytes of DATA from FAR on that stores may change */
};

/* Whether the range has the row of all lanes that the addresses are in; hosts that gather look at
 * those that are on. */
static bool has_row(const Form *f, const u32 addr[MAX_LANES], PlainRange range, u32 level)
{
    const u32 seen = levels[level].gathers ? mask : UINT32_MAX, w = f->width;
    const u32 lowest = (u32)__builtin_ctz(seen), first = addr[lowest] - lowest * w;
    const u32 from = first - range.lo, last = from + (lanes - 1) * w;
    for (u32 i = 0; i < lanes; i++)
        if (seen >> i & 1 && addr[i] != first + i * w)
            return false;
    return from < range.room && last < range.room && from <= last;
}

/* Whether the host has an instruction for a row of such accesses: not for stores of which some
 * lanes are off, but for masked ones of words (AVX2) and any (AVX-512). */
static bool can_be_row(const Form *f, u32 level)
{
    return f->how == SCALAR || !f->stores || full || levels[level].gathers ||
           (f->width == 4 && levels[level].chunk == 8);
}

/* Whether the access goes without a helper, where the range has it. */
static bool is_at_once(const Form *f, Pattern p, u32 level)
{
    const bool many = lanes > levels[level].chunk;
    if (!full)
        return true;
    if (!many || (f->stores && f->width < 4))
        return false;
    return p == HALVES || (p == CHUNKS && levels[level].chunk == 4) || (p == ONE && !f->stores);
}

static void begin_ranges(void)
{
    for (u32 page = 0; page < DATA_BYTES / PAGE_SIZE; page++)
        memory_set_rights(&rig.memory, (DATA >> PAGE_BITS) + page, 0);
    for (u32 i = 0; i < DATA_BYTES / 4; i++)
        rig.data[i] = (u32)random_bits();
}

/* Whether a run by such an environment calls a helper, which does not come back. */
static bool calls_helper(const HostEnv *env, Warp *w)
{
    HostFunction *stub[NHELPERS];
    HostEnv stubbed = *env;
    for (u32 i = 0; i < NHELPERS; i++)
        stub[i] = i < ACCESS_HELPERS ? env->helper[i] : helper_is_called;
    stubbed.helper = stub;
    if (setjmp(helped))
        return true;
    host_run_by(&stubbed, w, mask, 0, UINT64_MAX);
    return false;
}

/* Where lane 0 was of an access of rows of chunks is noted for warp `number` alone, and nothing of others. */
static void expect_noted(const Form *f, u32 k, bool noted, u32 number, u32 first)
{
    static u32 want[2][FETCH_SITES][FETCH_WARPS];
    memset(want, 0, sizeof want);
    if (noted)
        want[f->stores][site[k] % FETCH_SITES][number % FETCH_WARPS] = first;
    if (memcmp(want, host.group->last, sizeof want))
        fail_msg("%s, warp %u: where it was is not noted, or wrongly", f->text, number);
}

/* Runs form k where a range of its own is remembered, which has the access or not. */
static void try_range(u32 level, u32 k, Pattern p, u32 first, PlainRange range)
{
    static u8 want[WATCHED];
    const Form *f = &forms[k];
    Group *g = host.group;
    Warp *w = g->warps;
    u32 addr[MAX_LANES] = {0}, before[MAX_LANES];
    bool within = true;
    mask = some_mask();
    set_addresses(f, p, first, addr);
    for (u32 i = 0; i < lanes; i++)
        within &= !(mask >> i & 1) || addr[i] - range.lo < range.room;
    const bool at_once = has_row(f, addr, range, level) || is_at_once(f, p, level);
    /* 1. with helpers that do not come back */
    HostEnv env = host_env();
    forget_ranges(g);
    memset(g->apart, 0, sizeof g->apart);
    g->plain[f->stores][site[k]] = range;
    set_registers(w, f, addr);
    if (within && calls_helper(&env, w) == at_once)
        fail_msg(
            "%s, %s lanes, mask %x: %s, pattern %d: helpers are called, or not, against the rule",
            levels[level].name, full ? "all" : "some", mask, f->text, p);
    /* 2. what it does */
    memset(g->apart, 0, sizeof g->apart);
    memset(g->last, 0, sizeof g->last);
    g->faulted = false;
    set_registers(w, f, addr);
    const u32 number = below(MAX_LANES), tid = w->tid;
    w->tid = number * lanes;
    memcpy(before, w->v[5], sizeof before);
    u8 *watched = rig.memory.base + DATA + FAR;
    memcpy(want, watched, WATCHED);
    if (within && f->stores)
        store_to(f, addr, want - DATA - FAR + (range.base - rig.memory.base), w);
    const u32 back = host_run_by(&env, w, mask, 0, UINT64_MAX);
    w->tid = tid;
    expect_noted(f, k,
                 full && within && p != ONE && is_at_once(f, p, level) &&
                     !has_row(f, addr, range, level),
                 number, addr[0]);
    if (host.calls.vector != !within || host.calls.one || host.calls.scalar ||
        host.calls.remember || g->faulted != !within ||
        back != (u32)(within ? HOST_ANYWHERE : HOST_STOPPED))
        fail_msg("%s, mask %x: %s, pattern %d, from %x, range %x+%x: %u calls", levels[level].name,
                 mask, f->text, p, first, range.lo, range.room, host.calls.vector);
    if (within && !f->stores)
        expect_loaded(f, addr, range.base, w, before);
    if (memcmp(want, watched, WATCHED))
        fail_msg("%s, mask %x: %s, pattern %d: memory differs", levels[level].name, mask, f->text,
                 p);
}

/* Each form and pattern from before the range to behind its end. */
static void try_ranges(u32 level)
{
    for (u32 k = 0; k < countof(forms); k++)
        for (int p = 0; p < NPATTERN; p++) {
            if (forms[k].how == SCALAR || !fits(&forms[k], (Pattern)p))
                continue;
            for (u32 n = 0; n < 24; n++) {
                const u32 lo = DATA + AT + below(16), room = 1 + below(80 * forms[k].width);
                const u32 first = n < 6    ? lo - 4 + below(8)
                                  : n < 18 ? lo + room - below(lanes * forms[k].width + 8)
                                           : lo + below(room);
                try_range(level, k, (Pattern)p, first,
                          (PlainRange){lo, n % 3 ? room : 0x2000, rig.memory.base + FAR});
            }
        }
}

/* --- pages ------------------------------------------------------------------------------- */

/* Whether all of lo..last has the right, by pages that exist below 2^32. */
static bool may(u64 lo, u64 last, u8 need)
{
    for (u64 a = lo; a <= last; a++) {
        const bool local = lo - LDS_LO < LDS_END - LDS_LO; /* the lowest chooses */
        const Memory *m = local ? &host.group->lds : &rig.memory;
        if (a >= (u64)1 << 32 || (local && a >= LDS_END) ||
            !(memory_rights(m, a >> PAGE_BITS) & need))
            return false;
    }
    return true;
}

/* What is remembered after a row that begins at `first` was accessed at once where nothing had
 * been: all pages around with the same rights, unless they may lose them; then nothing, and a
 * mark. */
static PlainRange remembered(u32 first, bool stores)
{
    const bool local = first - LDS_LO < LDS_END - LDS_LO;
    const Memory *m = local ? &host.group->lds : &rig.memory;
    u64 lo = first >> PAGE_BITS, end = lo + 1;
    const u8 flags = memory_rights(m, lo);
    if (stores && !local && flags & (MEM_TRACKED | MEM_CODE | MEM_X))
        return (PlainRange){.lo = 1};
    if (local && !stores)
        return (PlainRange){LDS_LO, LDS_END - LDS_LO - 3, m->base};
    while (lo > m->lo >> PAGE_BITS && memory_rights(m, lo - 1) == flags)
        lo--;
    while (end < m->end >> PAGE_BITS && memory_rights(m, end) == flags)
        end++;
    return (PlainRange){(u32)(lo << PAGE_BITS), (u32)((end - lo) << PAGE_BITS) - 3, m->base};
}

static u32 calls_of_engine(void)
{
    return host.calls.one + host.calls.scalar + host.calls.vector + host.calls.remember;
}

/* Runs form k, which accesses a row from `first` on, or a scalar there. */
static void try_pages(u32 level, u32 k, u32 first)
{
    const Form *f = &forms[k];
    Group *g = host.group;
    Warp *w = g->warps;
    const bool scalar = f->how == SCALAR;
    u32 addr[MAX_LANES] = {0}, before[MAX_LANES];
    mask = some_mask();
    set_addresses(f, ROW, first, addr);
    const u64 last = first + (u64)(scalar ? 1 : lanes) * f->width - 1;
    const bool at_once = can_be_row(f, level) && may(first, last, f->stores ? MEM_W : MEM_R);
    forget_ranges(g);
    memset(g->apart, 0, sizeof g->apart);
    for (u32 again = 0; again < 2; again++) {
        const PlainRange want = remembered(first, f->stores);
        g->faulted = false;
        set_registers(w, f, addr);
        memcpy(before, w->v[5], sizeof before);
        host_run(w, mask);
        const u32 slow = host.calls.vector + host.calls.scalar;
        if (slow != !at_once || host.calls.remember != (at_once && !scalar && !again) ||
            host.calls.one || (at_once && g->faulted))
            fail_msg("%s, %s lanes: %s at %x..%llx, run %u: %u calls, %u to remember",
                     levels[level].name, full ? "all" : "some", f->text, first,
                     (unsigned long long)last, again, slow, host.calls.remember);
        if (!at_once) /* the engine may have changed rights */
            return;
        const PlainRange *r = &g->plain[f->stores][site[k]];
        if (!scalar && (r->lo != want.lo || r->room != want.room || r->base != want.base))
            fail_msg("%s at %x: %x+%x is remembered, not %x+%x", f->text, first, r->lo, r->room,
                     want.lo, want.room);
        u8 *base = first - LDS_LO < LDS_END - LDS_LO ? g->lds.base : rig.memory.base;
        if (!f->stores)
            expect_loaded(f, addr, base, w, before);
        for (u32 i = 0; f->stores && i < lanes; i++)
            if (acts(f, i))
                assert_int_equal(memory_get(base + addr[i], f->width),
                                 (scalar ? w->x[6] : w->v[6][i]) &
                                     (UINT32_MAX >> (32 - 8 * f->width)));
    }
}

/* Two pages by their rights, and rows from before the border to behind it. */
static void try_borders(u32 level, u32 k)
{
    static const u8 rights[] = {
        0, MEM_R, MEM_R | MEM_W, MEM_R | MEM_TRACKED, MEM_R | MEM_W | MEM_TRACKED, MEM_R | MEM_X};
    const u64 page = (DATA >> PAGE_BITS) + 16;
    const u32 bytes = forms[k].how == SCALAR ? forms[k].width : lanes * forms[k].width;
    for (size_t n = 0; n < countof(rights) * countof(rights); n++)
        for (u32 i = 0; i < 4; i++) {
            const u32 at[] = {bytes, bytes - 1, 1, 0};
            memory_set_rights(&rig.memory, page - 1, rights[n / countof(rights)]);
            memory_set_rights(&rig.memory, page, rights[n % countof(rights)]);
            try_pages(level, k, (u32)(page << PAGE_BITS) - at[i]);
        }
    memory_set_rights(&rig.memory, page - 1, 0);
    memory_set_rights(&rig.memory, page, 0);
}

/* The ends of local memory, and of the address space, behind which there are pages, too. */
static void try_ends(u32 level, u32 k)
{
    const u32 bytes = forms[k].how == SCALAR ? forms[k].width : lanes * forms[k].width;
    const u32 ends[] = {LDS_LO, LDS_END, 0};
    for (size_t i = 0; i < countof(ends); i++)
        for (u32 n = 0; n < 4; n++) {
            const u32 at[] = {bytes, bytes - 1, 1, 0};
            memory_clean(&host.group->lds, &host.group->lds_dirty);
            try_pages(level, k, ends[i] - at[n]);
        }
}

static void try_rights(u32 level)
{
    memory_map(&rig.memory, 0xffffe000, 3 * PAGE_SIZE, MEM_R | MEM_W);
    memory_map(&rig.memory, LDS_LO - PAGE_SIZE, PAGE_SIZE, MEM_R | MEM_W);
    memory_map(&rig.memory, LDS_END, PAGE_SIZE, MEM_R | MEM_W);
    for (u32 k = 0; k < countof(forms); k++) {
        try_borders(level, k);
        try_ends(level, k);
    }
}

/* --- what a store must not pass by ------------------------------------------------------- */

/* While a warp of the group holds a reservation, the engine makes each store. */
static void try_reservation(u32 level, u32 k, Pattern p, bool held, bool remembers)
{
    const Form *f = &forms[k];
    Group *g = host.group;
    u32 addr[MAX_LANES] = {0};
    mask = some_mask();
    set_addresses(f, p, DATA + 0x4000, addr);
    memset(g->apart, 0, sizeof g->apart);
    g->plain[f->stores][site[k]] =
        remembers ? (PlainRange){DATA, DATA_BYTES - 3, rig.memory.base} : (PlainRange){.lo = 1};
    set_registers(g->warps, f, addr);
    g->reservations = held;
    host_run(g->warps, mask);
    g->reservations = 0;
    assert_false(g->faulted);
    const bool at_once = remembers || f->how == SCALAR || (p == ROW && can_be_row(f, level));
    const u32 slow = host.calls.vector + host.calls.scalar;
    if (f->stores && held ? slow != 1 : at_once && slow)
        fail_msg("%s, %s: %u calls while %u reservations are held", levels[level].name, f->text,
                 slow, held);
}

static void try_reservations(u32 level)
{
    for (u32 k = 0; k < countof(forms); k++)
        for (int p = 0; p < NPATTERN; p++)
            for (u32 i = 0; fits(&forms[k], (Pattern)p) && i < 4; i++)
                try_reservation(level, k, (Pattern)p, i & 1, i & 2);
}

/* --- lanes anywhere, again ---------------------------------------------------------------- */

/* In code that lanes have left, an access whose lanes were anywhere is taken for such a one 63
 * times before anybody looks again; one in a row is not, and none of the whole warp. */
static void try_again(u32 level, u32 k)
{
    enum { TIMES = 63 };
    const Form *f = &forms[k];
    Group *g = host.group;
    u32 addr[MAX_LANES] = {0}, want = 0;
    g->plain[f->stores][site[k]] = (PlainRange){DATA, DATA_BYTES - 3, rig.memory.base};
    memset(g->apart, 0, sizeof g->apart);
    for (u32 n = 0; n < TIMES + 5; n++) {
        const Pattern p = n < 1 || n > TIMES ? ROW : ANYWHERE;
        mask = full ? some_mask() : (1u << (lanes - 1)) - 2;
        set_addresses(f, p, DATA + 0x4000, addr);
        set_registers(g->warps, f, addr);
        host_run(g->warps, mask);
        assert_false(g->faulted);
        assert_int_equal(calls_of_engine(), 0);
        if (want)
            want--;
        else if (!full && (!can_be_row(f, level) || p == ANYWHERE))
            want = TIMES;
        if (g->apart[f->stores][site[k]] != want || g->apart[!f->stores][site[k]])
            fail_msg("%s, %s: %u times are left after run %u, not %u", levels[level].name, f->text,
                     g->apart[f->stores][site[k]], n, want);
    }
}

/* --- all of this -------------------------------------------------------------------------- */

static void try_level(void **state)
{
    const u32 level = level_of(state);
    for (u32 all = 0; all < 2; all++) {
        if (!host_open(levels[level].name, V202))
            skip_because("this processor has not %s", levels[level].name);
        make_forms(all, 2 * levels[level].chunk);
        try_reservations(level);
        for (u32 k = 0; k < countof(forms); k++)
            if (forms[k].how == OWN || forms[k].how == INDEX)
                try_again(level, k);
        begin_ranges();
        try_ranges(level);
        try_rights(level);
        host_close();
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TESTS_BY_LEVEL(try_level),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
