/* Whether isa_facts() says exactly what instructions touch.
 *
 * Every row of both profiles and of the overlays runs, after every kind of prefix and at every
 * number of lanes, from states of random registers and memory:
 *
 *   - what is not declared as written is the same afterwards;
 *   - when all that is not declared as read is changed, the place of the instruction too, nothing
 *     that is written differs;
 *   - each register, state and memory that is declared as read is changed alone, and makes a
 *     difference in one of the trials; so does each that is declared as written change.
 */
#include "test/kit/rig.h"

enum {
    PAGES = 2,        /* each holds the same trials */
    SLOT = 16,        /* bytes of a trial: prefix and instruction */
    BATCH = 16,       /* trials decoded at once */
    MAX_BATCHES = 40, /* then something declared has no effect */
    MIN_TRIALS = 3,
    TARGETS = 1024, /* in a page: where branches lead */
    JOIN_AT = 2048, /* in the first page: a join, where lanes are to meet */
    STACK = 8
};

/* --- a state, and what came of it --------------------------------------------------------- */

typedef struct {
    _Alignas(64) Warp w;
    SimtEntry simt[STACK];
    u32 reservations;
    u8 memory[WINDOWS][WINDOW];
    bool has_memory;
} State;

/* What a run led to, beside registers and memory. */
typedef struct {
    FaultKind fault;
    u32 pc; /* where it goes on; relative to the trial where that is what counts */
} Outcome;

static SimtEntry stack[STACK];
static State first, poisoned, changed, after, after_other;

static void save(State *s, bool has_memory)
{
    memcpy(&s->w, W, sizeof s->w);
    memcpy(s->simt, stack, sizeof stack);
    s->reservations = rig.group.reservations;
    s->has_memory = has_memory;
    for (int i = 0; i < WINDOWS && has_memory; i++)
        memcpy(s->memory[i], host_window(i), WINDOW);
}

static void load(const State *s)
{
    memcpy(W, &s->w, sizeof s->w);
    memcpy(stack, s->simt, sizeof stack);
    W->simt = stack;
    W->capsimt = STACK;
    rig.group.reservations = s->reservations;
    for (int i = 0; i < WINDOWS && s->has_memory; i++)
        memcpy(host_window(i), s->memory[i], WINDOW);
}

/* --- one trial -------------------------------------------------------------------------------- */

/* A kind of prefix. */
typedef enum {
    ALONE,
    NUMBERS,   /* regext, regexti */
    MODIFIERS, /* prefix, prefixi without pair */
    PAIRS,     /* with pair */
    MEMORY1,   /* pre_m_* of 1 to 4 words */
    MEMORY2,
    MEMORY3,
    MEMORY4,
    NCLASS
} Class;

typedef struct {
    Insn in;
    IsaPrefix prefix;
    bool has_prefix;
    u64 word;
    u32 prefix_word;
} Trial;

static Trial trials[BATCH];
static IsaDecoder decoder;
static IsaSet set;

/* of the trial that runs */
static struct {
    const Trial *t;
    u32 offset; /* in its page */
    IsaFacts f;
    u32 active;            /* lanes that it works on */
    u64 target[MAX_LANES]; /* where each lane, or the warp in [0], accesses: as instructions name it
                            */
    u64 source, destination; /* of a copy */
    u32 source_size, destination_size;
} T;

static bool is_copy(void) { return T.f.access == ACCESS_COPY; }
static bool has_access(void) { return T.f.access != ACCESS_NONE; }
static Effect effect(void) { return (Effect)isa_insn[T.t->in.id].effect; }

static const IsaRegs *regs_of(IsaRole role)
{
    for (int i = 0; i < T.f.nregs; i++)
        if (T.f.reg[i].role == role)
            return &T.f.reg[i];
    return NULL;
}

static Outcome run_at(u32 page)
{
    const u32 base = CODE_LO + page * PAGE_SIZE;
    Outcome o;
    rig.group.faulted = false;
    rig.group.fault.kind = FAULT_NONE;
    rig.group.npending = 0;
    feclearexcept(FE_ALL_EXCEPT);
    const Uop *u = code_at(rig.code, W, base + T.offset);
    assert_non_null(u);
    u = u->run(W, u);
    take_host_flags(W);
    o.fault = rig.group.faulted ? rig.group.fault.kind : FAULT_NONE;
    o.pc = u ? u->pc : W->pc;
    if (T.f.control != CONTROL_JUMP_REG &&
        !(T.f.control == CONTROL_JOIN && W->nsimt != first.w.nsimt))
        o.pc -= base;
    if (T.f.reads & STATE_PC && !T.f.refused) /* the result lies as far from its place */
        W->x[regs_of(ROLE_D)->first] -= regs_of(ROLE_D)->first ? base : 0;
    rig.runs++;
    return o;
}

/* --- the bytes of an access, by doc/isa.md, "Memory" ------------------------------------- */

static u64 private_base(void)
{
    return PDS + (set & V2025 ? W->id * rig.launch.lanes * PDS_LANE : 0u);
}

/* the device address of byte b of lane i's access */
static u64 byte_of(int i, u32 b)
{
    const u64 a = T.target[i] + b, lanes = rig.launch.lanes;
    const u32 lane = T.f.lanes ? (u32)i : 0;
    switch ((IsaSpace)T.f.space) {
    case SPACE_LOCAL: return LDS_BASE + a;
    case SPACE_PRIVATE: {
        /* words are interleaved; bytes from an unaligned word on stay together */
        const u64 word = T.target[i] + b / T.f.bytes * T.f.bytes;
        return private_base() + (word & ~(u64)3) * lanes + (word & 3) + 4 * lane + b % T.f.bytes;
    }
    case SPACE_GROUP: {
        const u64 word = T.target[i];
        return PDS + W->tid * 4 + (word & ~(u64)3) * lanes * RIG_WARPS + (word & 3) + 4 * lane + b;
    }
    case SPACE_FLAT:
        if (T.target[i] < PDS_LANE) {
            const u64 word = T.target[i] + b / T.f.bytes * T.f.bytes;
            return private_base() + (word & ~(u64)3) * lanes + (word & 3) + 4 * lane +
                   b % T.f.bytes;
        }
        return a;
    default: return a;
    }
}

/* Bytes of the windows. */
typedef struct {
    u32 n;
    struct {
        u8 window;
        u16 at;
    } byte[2 * 32 * 16];
} Bytes;

static void mark(Bytes *in, u64 a)
{
    for (int i = 0; i < WINDOWS; i++)
        if (a - window_at[i] < WINDOW && in->n < countof(in->byte)) {
            in->byte[in->n].window = (u8)i;
            in->byte[in->n++].at = (u16)(a - window_at[i]);
        }
}

/* bytes that the trial reads, and bytes that it writes */
static void declared_bytes(Bytes *reads, Bytes *writes)
{
    reads->n = writes->n = 0;
    for (u32 b = 0; is_copy() && b < T.source_size; b++)
        mark(reads, T.source + b);
    for (u32 b = 0; is_copy() && b < T.destination_size; b++)
        mark(writes, T.destination + b);
    for (int i = 0; !is_copy() && i < MAX_LANES; i++)
        for (u32 b = 0; b < (u32)T.f.bytes * T.f.words; b++) {
            if (!(T.active >> i & 1))
                continue;
            if (T.f.access != ACCESS_STORE)
                mark(reads, byte_of(i, b));
            if (T.f.access != ACCESS_LOAD)
                mark(writes, byte_of(i, b));
        }
}

static bool is_marked(const Bytes *in, int window, u32 at)
{
    for (u32 i = 0; i < in->n; i++)
        if (in->byte[i].window == window && in->byte[i].at == at)
            return true;
    return false;
}

/* --- making trials ----------------------------------------------------------------------- */

static bool random_instance(InsnId id, Insn *in)
{
    const FormatInfo *f = isa_format_of(id);
    const u64 all = isa_insn[id].len == 8 ? UINT64_MAX : UINT32_MAX;
    u64 word = (isa_insn[id].match | (random_bits() & ~f->mask)) & all;
    while (!isa_decode(&decoder, word, in))
        word = (isa_insn[id].match | (random_bits() & ~f->mask)) & all;
    return in->id == id;
}

static u32 random_csr(void)
{
    u32 n;
    do
        n = one_in(2) ? 0x800 + below(0x20) : one_in(2) ? below(0x10) : below(4096);
    while (!isa_csr_name(n, NULL));
    return n;
}

/* operands without a meaning are rare, and targets lie in the page */
/* whether all distances are small, which lead into private memory by the flat rule */
static bool is_near_zero;

static void make_sensible(Insn *in, u32 offset)
{
    const FormatInfo *f = isa_format_of(in->id);
    for (int i = 0; i < f->nopd; i++)
        switch ((IsaRole)f->roles[i]) {
        case ROLE_TARGET: in->opd[i] = (i32)(TARGETS + 4 * below(64) - offset); break;
        case ROLE_TYPE: in->opd[i] = (i32)(0x10 | below(4) << 6); break;
        case ROLE_CSR:
            in->opd[i] = (i32)(isa_insn[in->id].effect == E_VCSR ? 0x80d + below(7) : random_csr());
            break;
        default: break;
        }
    const int load = isa_find_operand(in->id, O_imm12), store = isa_find_operand(in->id, O_st12);
    if (is_near_zero)
        in->opd[load >= 0 ? load : store] = (i32)below(32);
    /* sparsity and so on have no meaning yet */
    if (isa_find_operand(in->id, O_hmma) >= 0 && !one_in(8))
        in->opd[isa_find_operand(in->id, O_hmma)] = 0;
}

/* prefixes of memory are void before all others: one is enough */
static bool class_exists(Class c, InsnId id)
{
    const IsaAccess access = (IsaAccess)isa_effect_of(id)->access;
    const bool moves = access != ACCESS_NONE && access != ACCESS_COPY;
    return c == ALONE || c == NUMBERS || (set & V2025 && (c <= MEMORY1 || moves));
}

static void make_prefix(Class c, Trial *t)
{
    static const InsnId memory[4][4] = {
        {I_pre_m_32, I_pre_m_global_32, I_pre_m_private_32, I_pre_m_local_32},
        {I_pre_m_64, I_pre_m_global_64, I_pre_m_private_64, I_pre_m_local_64},
        {I_pre_m_96, I_pre_m_global_96, I_pre_m_private_96, I_pre_m_local_96},
        {I_pre_m_128, I_pre_m_global_128, I_pre_m_private_128, I_pre_m_local_128},
    };
    Insn p;
    u64 word;
    const InsnId id = c == NUMBERS ? (one_in(2) ? I_regext : I_regexti)
                      : c <= PAIRS ? (one_in(2) ? I_prefix : I_prefixi)
                                   : memory[c - MEMORY1][below(4)];
    t->has_prefix = c != ALONE;
    if (c == ALONE)
        return;
    random_instance(id, &p);
    const int pair = isa_find_operand(id, O_pair);
    if (c == MODIFIERS || c == PAIRS)
        p.opd[pair] = c == PAIRS;
    /* scalar registers end at 63: high numbers would nearly always be refused */
    for (int i = 0; i < isa_format_of(id)->nopd; i++) {
        const OperandId o = (OperandId)isa_format_of(id)->opd[i];
        if (o == O_x1 || o == O_x2 || o == O_x2i || o == O_xd || o == O_x3)
            p.opd[i] = one_in(3) ? p.opd[i] : (i32)below(2);
        else if (o == O_imm12)
            p.opd[i] = one_in(3) ? p.opd[i] : (i32)sign_extend(below(4096) & 0x249, 12);
    }
    assert_true(isa_encode(&p, &word, NULL));
    t->prefix_word = (u32)word;
    t->prefix = isa_prefix(&p);
}

static void make_batch(InsnId id, Class c)
{
    u8 *code = rig.memory.base + CODE_LO;
    const u32 join = (u32)encode(I_join, END);
    code_forget(rig.code, CODE_LO, PAGES * PAGE_SIZE);
    memset(code, 0, PAGES * PAGE_SIZE);
    for (u32 k = 0; k < BATCH; k++) {
        Trial *t = &trials[k];
        *t = (Trial){.has_prefix = false};
        make_prefix(c, t);
        random_instance(id, &t->in);
        make_sensible(&t->in, k * SLOT + (t->has_prefix ? 4 : 0));
        assert_true(isa_encode(&t->in, &t->word, NULL));
        u8 *at = code + k * SLOT;
        if (t->has_prefix) {
            memcpy(at, &t->prefix_word, 4);
            at += 4;
        }
        memcpy(at, &t->word, isa_insn[id].len);
    }
    memcpy(code + PAGE_SIZE, code, BATCH * SLOT);
    for (u32 p = 0; p < PAGES; p++) /* where branches lead something has to be */
        memcpy(code + p * PAGE_SIZE + JOIN_AT, &join, 4);
}

/* --- states that do not fault ------------------------------------------------------------ */

static void set_register(const IsaRegs *r, int lane, u64 value)
{
    u32 *low = r->is_vector ? &W->v[r->first][lane] : &W->x[r->first];
    *low = (u32)value;
    if (r->count == 2)
        *(r->is_vector ? &W->v[r->first + 1][lane] : &W->x[r->first + 1]) = (u32)(value >> 32);
    W->x[0] = 0;
}

/* a place of the access's space, for lane i */
static u64 place(u32 i)
{
    const u32 bytes = (u32)T.f.bytes * T.f.words, spread = WINDOW / 2 / MAX_LANES;
    const u32 fine = T.f.access == ACCESS_ATOMIC || effect() == E_LR || effect() == E_LR_PAIR
                         ? 4 * below(spread / 4 - 4)
                         : below(spread - bytes);
    const bool high = T.f.wide && one_in(2);
    switch ((IsaSpace)T.f.space) {
    case SPACE_LOCAL: return i * spread + fine;
    case SPACE_PRIVATE:
    case SPACE_GROUP: return fine % (PDS_LANE - bytes) & ~(T.f.words > 1 ? 3u : 0u);
    case SPACE_GLOBAL: return (high ? HIGH : HEAP) + i * spread + fine;
    default: return (high ? HIGH : one_in(4) ? LDS_LO : HEAP) + i * spread + fine;
    }
}

/* gives the address registers values that lead into memory; false: this cannot be */
static bool set_addresses(void)
{
    const IsaRegs *p = regs_of(ROLE_ADDRESS), *s = regs_of(ROLE_STRIDE), *x = regs_of(ROLE_INDEX);
    const i64 imm = T.f.imm;
    if (!p->is_vector && !p->first)
        return false;
    if (p->is_vector) {
        for (u32 i = 0; i < MAX_LANES; i++) {
            T.target[i] = place(i);
            if (T.f.space == SPACE_FLAT && one_in(2) && imm >= 0 && imm < 32)
                T.target[i] = (u64)imm + 4 * below(4);
            const u64 base = T.target[i] - (u64)imm;
            /* the flat rule looks at the register */
            if (T.f.space == SPACE_FLAT && (T.target[i] < PDS_LANE) != !((u32)base >> 24))
                return false;
            set_register(p, (int)i, base);
        }
        return true;
    }
    if (s && (s->first == p->first || !s->first || (p->count == 2 && s->first == p->first + 1)))
        return false;
    const u32 step = (s ? 1 + below(4) : 1) * T.f.bytes * (s ? T.f.words : 1);
    u64 base = place(0) & ~(u64)3;
    const u64 unit = T.f.bytes;
    const u32 most = T.f.space == SPACE_PRIVATE ? (PDS_LANE - 16) / MAX_LANES : step;
    if (T.f.space == SPACE_PRIVATE)
        base = T.f.lanes && (s || !x) ? 0 : base & 31;
    if (s && T.f.space == SPACE_PRIVATE)
        W->x[s->first] = most;
    else if (s)
        W->x[s->first] = step;
    for (u32 i = 0; i < MAX_LANES; i++) {
        u64 add = s ? i * W->x[s->first] : T.f.lanes && !x ? i * unit : 0;
        if (x) {
            const u32 bits = 8 * isa_op_of(T.t->in.id)->bytes;
            const u32 index =
                below(T.f.space == SPACE_PRIVATE ? 16 : 200) & ~(T.f.words > 1 ? 3u : 0u);
            W->v[x->first][i] = bits < 32 ? index | (u32)random_bits() << bits : index;
            add = index;
        }
        T.target[i] = base + add;
        if (T.f.space == SPACE_PRIVATE && T.target[i] + 16 > PDS_LANE && (T.active >> i & 1))
            return false; /* more lanes than its private memory has room for at this width */
    }
    base -= (u64)(T.f.lanes ? 0 : imm);
    set_register(p, 0, base);
    return true;
}

static bool set_copy(void)
{
    const IsaRegs *to = regs_of(ROLE_TO), *from = regs_of(ROLE_ADDRESS), *b = regs_of(ROLE_B);
    const bool tensor = effect() == E_DMA_TENSOR;
    T.source = HEAP + 4 * below(64);
    T.destination = (one_in(2) ? LDS_LO : HEAP + 4096) + 4 * below(64);
    if (!to->first || (tensor && regs_of(ROLE_A)->first == b->first) ||
        (!tensor && (!from->first || !b->first || from->first == to->first ||
                     b->first == to->first || b->first == from->first)))
        return false;
    T.destination_size = effect() == E_DMA ? 4u << T.f.imm : 4 * (1 + below(32));
    T.source_size = effect() == E_DMA ? 1 + below(T.destination_size) : T.destination_size;
    W->x[to->first] = (u32)T.destination;
    if (tensor) { /* words in one dimension, all of them inside */
        u32 *whole = W->v[b->first], *box = W->v[regs_of(ROLE_A)->first];
        const u32 n = T.source_size / 4;
        memset(whole, 0, sizeof W->v[0]);
        memset(box, 0, sizeof W->v[0]);
        whole[0] = 2, whole[1] = 1, whole[2] = (u32)T.source, whole[3] = n;
        box[0] = (u32)T.source, box[1] = n;
        return true;
    }
    W->x[from->first] = (u32)T.source;
    W->x[b->first] = T.source_size;
    return true;
}

/* a value that comparisons and saturation may tell from others */
static u32 close_word(void)
{
    const u32 of[] = {0,      1,          UINT32_MAX, (u32)T.f.imm, (u32)T.f.imm - 1,
                      SIGN32, 0x3f800000, 0x7f800001};
    return of[below(countof(of))];
}

/* sources of few different values, or all of them equal */
static void make_close(void)
{
    const bool equal = one_in(2);
    const u32 low = close_word(), high = close_word();
    for (int k = 0; k < T.f.nregs; k++) {
        const IsaRegs *r = &T.f.reg[k];
        for (u32 n = r->first; r->is_read && r->role != ROLE_MASK && n < (u32)r->first + r->count;
             n++)
            for (u32 i = 0; i < MAX_LANES; i++)
                *(r->is_vector ? &W->v[n][i] : &W->x[n]) = !equal          ? close_word()
                                                           : n == r->first ? low
                                                                           : high;
    }
    W->x[0] = 0;
}

/* elements of matrices whose products are finite, whatever their type */
static void make_finite(void)
{
    for (int n = 0; n < 256; n++)
        for (int i = 0; i < MAX_LANES; i++)
            W->v[n][i] = (u32)random_bits() & 0x3c003c00;
}

/* a random state in which the trial runs to its end, most times */
static bool make_state(void)
{
    const Effect e = effect();
    const bool needs_all = e == E_TTA || e == E_MMA || e == E_MMA64;
    const bool whole = needs_all || T.f.control == CONTROL_EXIT || T.f.control == CONTROL_BARRIER;
    W->vl = rig.launch.lanes;
    fill(W, whole ? UINT32_MAX : random_mask() | 1u << below(rig.launch.lanes));
    W->state = WARP_READY;
    W->pc = 0;
    W->frm = (u8)below(5);
    W->vxrm = (u8)below(4);
    if (e == E_CSR) { /* what raises flags starts without */
        W->fflags = (u8)below(32);
        W->vxsat = (u8)below(2);
    }
    W->print = random_word();
    W->mscratch = random_word();
    W->rpc = CODE_LO + JOIN_AT;
    W->simt = stack;
    W->capsimt = STACK;
    W->nsimt = below(3);
    for (u32 i = 0; i < STACK; i++)
        stack[i] = (SimtEntry){CODE_LO + JOIN_AT, CODE_LO + TARGETS + 4 * below(64), random_mask()};
    rig.launch.check_copies = is_copy();
    group_note_accesses(&rig.group, false);
    rig.group.reservations = 0;
    memset(W->reserved_addr, 0, sizeof W->reserved_addr);
    memset(W->reserved_value, 0, sizeof W->reserved_value);
    memset(W->addr, 0, sizeof W->addr);
    if (!has_access() && T.f.control != CONTROL_JUMP_REG && T.t->in.id != I_vsetvl && one_in(3))
        make_close();
    if (needs_all && one_in(2))
        make_finite();
    if (T.f.masked && one_in(2))
        memset(W->v[0], 0xff, sizeof W->v[0]);
    T.active = T.f.lanes ? W->exec : 1;
    if (has_access())
        fill_memory();
    if (has_access() && !(is_copy() ? set_copy() : set_addresses()))
        return false;
    if (T.f.control == CONTROL_JUMP_REG) {
        if (!regs_of(ROLE_ADDRESS)->first)
            return false;
        W->x[regs_of(ROLE_ADDRESS)->first] = CODE_LO + TARGETS + 4 * below(64) - (u32)T.f.imm;
    }
    if (T.t->in.id == I_vsetvl) {
        if (!regs_of(ROLE_B)->first)
            return false;
        W->x[regs_of(ROLE_B)->first] = 0x10 | below(4) << 6;
    }
    if (T.f.control == CONTROL_JOIN && one_in(2) && W->nsimt)
        stack[W->nsimt - 1].rpc = CODE_LO + T.offset + (T.t->has_prefix ? 4 : 0);
    for (int i = 0; T.f.masked && i < MAX_LANES; i++)
        T.active &= ~((u32) !(W->v[0][i] & 1) << i);
    if (T.f.writes & STATE_RESERVED && T.f.reads & STATE_RESERVED) /* sc */
        for (u32 i = 0; i < MAX_LANES; i++) {
            if (!(T.active >> i & 1) || one_in(4))
                continue;
            rig.group.reservations = 1;
            W->reserved |= 1u << i;
            W->reserved_addr[i] = byte_of((int)i, 0);
            for (u32 b = 0; b < 4; b++)
                for (int k = 0; k < WINDOWS; k++)
                    if (byte_of((int)i, b) - window_at[k] < WINDOW)
                        W->reserved_value[i] |=
                            (u32)host_window(k)[byte_of((int)i, b) - window_at[k]] << 8 * b;
        }
    return true;
}

/* --- comparing --------------------------------------------------------------------------- */

static const char *trial_text(void)
{
    static Buf b;
    const IsaPrint how = {.raw = true};
    b.len = 0;
    buf_printf(&b, "%u lanes: ", rig.launch.lanes);
    if (T.t->has_prefix)
        isa_print_word(&b, &decoder, T.t->prefix_word, 4, &how);
    buf_printf(&b, "; ");
    isa_print_word(&b, &decoder, T.t->word, isa_insn[T.t->in.id].len, &how);
    return buf_text(&b);
}

/* the declared registers: x0 to x63, then v0 */
static bool is_read[64 + 256], is_written[64 + 256];

static void note_declared(void)
{
    memset(is_read, 0, sizeof is_read);
    memset(is_written, 0, sizeof is_written);
    for (int i = 0; i < T.f.nregs; i++) {
        const IsaRegs *r = &T.f.reg[i];
        for (u32 n = r->first; n < (u32)r->first + r->count; n++) {
            is_read[n + (r->is_vector ? 64 : 0)] |= r->is_read;
            is_written[n + (r->is_vector ? 64 : 0)] |= r->is_written;
        }
    }
}

/* the state that differs, as STATE_* */
static u32 state_difference(const State *a, const State *b)
{
    const Warp *x = &a->w, *y = &b->w;
    return (x->fflags != y->fflags ? STATE_FFLAGS : 0u) | (x->frm != y->frm ? STATE_FRM : 0u) |
           (x->vxsat != y->vxsat ? STATE_VXSAT : 0u) | (x->vxrm != y->vxrm ? STATE_VXRM : 0u) |
           (x->vl != y->vl || x->vtype != y->vtype ? STATE_VL : 0u) |
           (x->mask != y->mask || x->nsimt != y->nsimt || memcmp(a->simt, b->simt, sizeof a->simt)
                ? STATE_STACK
                : 0u) |
           (x->rpc != y->rpc ? STATE_RPC : 0u) |
           (x->reserved != y->reserved ||
                    memcmp(x->reserved_addr, y->reserved_addr, sizeof x->reserved_addr) ||
                    memcmp(x->reserved_value, y->reserved_value, sizeof x->reserved_value) ||
                    a->reservations != b->reservations
                ? STATE_RESERVED
                : 0u) |
           (x->mstatus != y->mstatus || x->mie != y->mie || x->mip != y->mip ||
                    x->mscratch != y->mscratch || x->mepc != y->mepc || x->mcause != y->mcause ||
                    x->mtval != y->mtval || x->print != y->print
                ? STATE_CSR
                : 0u);
}

/* what a run wrote that must not have been: `from` is the state before, `to` after */
static void check_undeclared_writes(const State *from, const State *to)
{
    static Bytes reads, writes;
    for (u32 n = 0; n < 64; n++)
        if (from->w.x[n] != to->w.x[n] && !is_written[n])
            fail_msg("x%u is written: %s", n, trial_text());
    for (u32 n = 0; n < 256; n++) {
        if (!memcmp(from->w.v[n], to->w.v[n], sizeof from->w.v[n]))
            continue;
        for (u32 i = 0; i < rig.launch.lanes; i++)
            if (from->w.v[n][i] != to->w.v[n][i] && (!is_written[64 + n] || !(T.active >> i & 1)))
                fail_msg("v%u is written in lane %u: %s", n, i, trial_text());
    }
    const u32 wrong = state_difference(from, to) & ~(u32)T.f.writes;
    if (wrong)
        fail_msg("state %x is written: %s", wrong, trial_text());
    if (!from->has_memory)
        return;
    declared_bytes(&reads, &writes);
    for (int k = 0; k < WINDOWS; k++)
        for (u32 i = 0; memcmp(from->memory[k], to->memory[k], WINDOW) && i < WINDOW; i++)
            if (from->memory[k][i] != to->memory[k][i] && !is_marked(&writes, k, i))
                fail_msg("byte %llx is written: %s", (unsigned long long)(window_at[k] + i),
                         trial_text());
}

/* Whether what both runs wrote is the same; where it must be and is not, the test fails. */
static bool same_results(const State *a, Outcome oa, const State *b, Outcome ob, bool must)
{
    static Bytes reads, writes;
    if (oa.fault != ob.fault || (!oa.fault && oa.pc != ob.pc)) {
        if (must)
            fail_msg("goes on at %x (%s) or %x (%s): %s", oa.pc, fault_name(oa.fault), ob.pc,
                     fault_name(ob.fault), trial_text());
        return false;
    }
    if (oa.fault)
        return true;
    for (int k = 0; k < T.f.nregs; k++)
        for (u32 n = T.f.reg[k].first; n < (u32)T.f.reg[k].first + T.f.reg[k].count; n++)
            for (u32 i = 0; T.f.reg[k].is_written && i < rig.launch.lanes; i++) {
                const bool vector = T.f.reg[k].is_vector;
                if (vector ? !(T.active >> i & 1) || a->w.v[n][i] == b->w.v[n][i]
                           : a->w.x[n] == b->w.x[n])
                    continue;
                if (must)
                    fail_msg("%c%u depends on what is not declared: %s", vector ? 'v' : 'x', n,
                             trial_text());
                return false;
            }
    const u32 differ = state_difference(a, b) & T.f.writes;
    if (differ) {
        if (must)
            fail_msg("state %x depends on what is not declared: %s", differ, trial_text());
        return false;
    }
    if (!a->has_memory || T.f.access == ACCESS_LOAD)
        return true;
    declared_bytes(&reads, &writes);
    for (u32 i = 0; i < writes.n; i++) {
        const u32 k = writes.byte[i].window, at = writes.byte[i].at;
        if (a->memory[k][at] != b->memory[k][at]) {
            if (must)
                fail_msg("byte %llx depends on what is not declared: %s",
                         (unsigned long long)(window_at[k] + at), trial_text());
            return false;
        }
    }
    return true;
}

/* --- what had an effect ------------------------------------------------------------------ */

/* By place in the list of registers, and register of it; states by bit; memory.  What was declared
 * in some trial, and what made a difference in some. */
typedef struct {
    u32 read[MAXREGS], written[MAXREGS];
    u32 state_read, state_written;
    bool memory_read, memory_written;
} Seen;

static Seen declared, effective;

static bool all_seen(void)
{
    const u32 *d = (const u32 *)&declared, *e = (const u32 *)&effective;
    for (size_t i = 0; i < offsetof(Seen, memory_read) / sizeof *d; i++)
        if (d[i] & ~e[i])
            return false;
    return effective.memory_read >= declared.memory_read &&
           effective.memory_written >= declared.memory_written;
}

static void fail_unseen(InsnId id, Class c)
{
    for (int k = 0; k < MAXREGS; k++) {
        if (declared.read[k] & ~effective.read[k])
            fail_msg(
                "%s, %u lanes, prefix %d: register operand %d is said to be read (%x), nothing "
                "depends on it (%x)",
                isa_insn[id].text, rig.launch.lanes, c, k, declared.read[k], effective.read[k]);
        if (declared.written[k] & ~effective.written[k])
            fail_msg(
                "%s, %u lanes, prefix %d: register operand %d is said to be written (%x), and is "
                "not (%x)",
                isa_insn[id].text, rig.launch.lanes, c, k, declared.written[k],
                effective.written[k]);
    }
    fail_msg(
        "%s, %u lanes, prefix %d: state read %x of %x, written %x of %x, memory %d of %d, %d of %d",
        isa_insn[id].text, rig.launch.lanes, c, effective.state_read, declared.state_read,
        effective.state_written, declared.state_written, effective.memory_read,
        declared.memory_read, effective.memory_written, declared.memory_written);
}

/* --- changes
 * -----------------------------------------------------------------------------------------------
 */

/* all that the trial does not read */
static void poison(State *s)
{
    static Bytes reads, writes;
    for (u32 n = 1; n < 64; n++)
        if (!is_read[n])
            s->w.x[n] = random_word();
    const bool apart = !(T.f.reads & STATE_LANES) && !is_copy(); /* lanes, each by itself */
    for (u32 n = 0; n < 256; n++) {
        const u32 *row = random_row();
        if (!is_read[64 + n])
            memcpy(s->w.v[n], row, sizeof s->w.v[n]);
        else if (apart && (n || !T.f.masked))
            for (u32 i = 0; i < MAX_LANES; i++)
                s->w.v[n][i] = T.active >> i & 1 ? s->w.v[n][i] : row[i];
    }
    const u32 known = T.f.reads | T.f.writes;
    if (!(known & STATE_FRM))
        s->w.frm = (u8)below(8);
    if (!(known & STATE_VXRM))
        s->w.vxrm = (u8)below(4);
    if (!(known & STATE_FFLAGS))
        s->w.fflags = (u8)below(32);
    if (!(known & STATE_VXSAT))
        s->w.vxsat = (u8)below(2);
    if (!(known & STATE_RPC))
        s->w.rpc = random_word();
    if (!(known & STATE_STACK))
        s->w.nsimt = below(STACK);
    if (!(known & STATE_CSR))
        s->w.print = s->w.mscratch = s->w.mstatus = s->w.mie = s->w.mip = random_word();
    if (!(known & STATE_CLOCK))
        s->w.ninsns = random_bits();
    if (!s->has_memory)
        return;
    declared_bytes(&reads, &writes);
    for (int k = 0; k < WINDOWS; k++)
        for (u32 i = 0; i < WINDOW; i += 128)
            memcpy(&s->memory[k][i], random_row(), 128);
    for (u32 i = 0; i < reads.n; i++)
        s->memory[reads.byte[i].window][reads.byte[i].at] =
            first.memory[reads.byte[i].window][reads.byte[i].at];
}

static Outcome run_from(const State *s, State *to, u32 page)
{
    load(s);
    const Outcome o = run_at(page);
    save(to, s->has_memory);
    return o;
}

/* does it make a difference that `changed` is not `first`? */
static bool differs(Outcome o)
{
    return !same_results(&after, o, &after_other, run_from(&changed, &after_other, 0), false);
}

static void copy_first(void)
{
    memcpy(&changed.w, &first.w, sizeof first.w);
    memcpy(changed.simt, first.simt, sizeof first.simt);
    changed.reservations = first.reservations;
    changed.has_memory = first.has_memory;
    if (first.has_memory)
        memcpy(changed.memory, first.memory, sizeof first.memory);
}

static void try_registers(Outcome o)
{
    for (int k = 0; k < T.f.nregs; k++) {
        const IsaRegs *r = &T.f.reg[k];
        for (u32 j = 0; j < r->count; j++) {
            const u32 n = r->first + j;
            if (!r->is_vector && !n)
                continue;
            if (r->is_written) {
                declared.written[k] |= 1u << j;
                if (r->is_vector ? memcmp(first.w.v[n], after.w.v[n], sizeof first.w.v[n]) != 0
                                 : first.w.x[n] != after.w.x[n])
                    effective.written[k] |= 1u << j;
            }
            if (!r->is_read)
                continue;
            declared.read[k] |= 1u << j;
            if (effective.read[k] >> j & 1)
                continue;
            copy_first();
            for (u32 i = 0; i < MAX_LANES; i++)
                *(r->is_vector ? &changed.w.v[n][i] : &changed.w.x[n]) =
                    one_in(2) ? close_word() : random_word();
            /* v0 as a mask shows in which lanes are written */
            if (r->role == ROLE_MASK) {
                run_from(&changed, &after_other, 0);
                if (memcmp(after.w.v, after_other.w.v, sizeof after.w.v) ||
                    memcmp(after.memory, after_other.memory, sizeof after.memory) ||
                    rig.group.faulted)
                    effective.read[k] |= 1u << j;
            } else if (differs(o)) {
                effective.read[k] |= 1u << j;
            }
        }
    }
}

/* each state that is read, where the trial can say so */
static void try_states(Outcome o)
{
    for (u32 bit = 1; bit < STATE_V0; bit *= 2) {
        if (T.f.writes & bit && bit != STATE_COPIES) {
            declared.state_written |= bit;
            if (state_difference(&first, &after) & bit)
                effective.state_written |= bit;
        }
        if (!(T.f.reads & bit) || bit == STATE_LANES || bit == STATE_COPIES)
            continue;
        declared.state_read |= bit;
        if (effective.state_read & bit)
            continue;
        copy_first();
        Warp *w = &changed.w;
        switch (bit) {
        case STATE_FRM: w->frm = (u8)below(8); break;
        case STATE_VXRM: w->vxrm = (u8)below(4); break;
        case STATE_VL: w->vl = below(rig.launch.lanes + 1); break;
        case STATE_RPC: w->rpc = CODE_LO + TARGETS; break;
        case STATE_STACK: w->nsimt = one_in(2) ? STACK : 0; break;
        case STATE_RESERVED: w->reserved = 0; break;
        case STATE_FFLAGS: w->fflags = (u8)below(32); break;
        case STATE_VXSAT: w->vxsat = (u8)below(2); break;
        case STATE_CLOCK: w->ninsns = random_bits(); break;
        case STATE_CSR:
            w->print = w->mscratch = w->mstatus = w->mie = w->mip = random_word();
            w->mepc = w->mcause = w->mtval = random_word();
            break;
        default: break;
        }
        if (bit == STATE_PC) { /* at another place, told by the result itself */
            load(&first);
            run_at(1);
            W->x[regs_of(ROLE_D)->first] += CODE_LO + PAGE_SIZE;
            if (!regs_of(ROLE_D)->first ||
                W->x[regs_of(ROLE_D)->first] != after.w.x[regs_of(ROLE_D)->first] + CODE_LO)
                effective.state_read |= bit;
        } else if (differs(o) || (bit == STATE_STACK && after.w.nsimt != after_other.w.nsimt)) {
            effective.state_read |= bit;
        }
    }
}

static void try_memory(Outcome o)
{
    static Bytes reads, writes;
    if (!has_access() || !T.active)
        return;
    if (T.f.access != ACCESS_LOAD) {
        declared.memory_written = true;
        effective.memory_written |= memcmp(first.memory, after.memory, sizeof first.memory) != 0;
    }
    if (T.f.access == ACCESS_STORE)
        return;
    declared.memory_read = true;
    if (effective.memory_read)
        return;
    copy_first();
    declared_bytes(&reads, &writes);
    for (u32 i = 0; i < reads.n; i++)
        changed.memory[reads.byte[i].window][reads.byte[i].at] ^= (u8)(1 + below(255));
    effective.memory_read |= differs(o);
}

/* --- every row
 * ------------------------------------------------------------------------------------------------
 */

static bool is_refusal(FaultKind k)
{
    return k == FAULT_REGISTER || k == FAULT_ILLEGAL || k == FAULT_NEEDS_ALL_LANES;
}

/* false: the trial says nothing, because its state could not be made or it faulted */
static bool try_one(u32 k)
{
    T.t = &trials[k];
    T.offset = k * SLOT;
    isa_facts(&T.t->in, T.t->has_prefix ? &T.t->prefix : NULL, set, rig.launch.lanes, &T.f);
    if (T.f.refused || T.f.control == CONTROL_TRAP) {
        fill(W, UINT32_MAX);
        save(&first, false);
        const Outcome o = run_from(&first, &after, 0);
        if (!is_refusal(o.fault))
            fail_msg("should be refused: %s", trial_text());
        T.f.nregs = 0;
        T.f.writes = 0;
        note_declared();
        check_undeclared_writes(&first, &after);
        return T.f.control == CONTROL_TRAP && !T.f.refused;
    }
    if (!make_state())
        return false;
    save(&first, has_access());
    note_declared();
    const Outcome o = run_from(&first, &after, 0);
    if (is_refusal(o.fault))
        fail_msg("is refused: %s", trial_text());
    if (o.fault)
        fail_msg("fault %s: %s", fault_name(o.fault), trial_text());
    check_undeclared_writes(&first, &after);
    memcpy(&poisoned.w, &first.w, sizeof first.w);
    memcpy(poisoned.simt, first.simt, sizeof first.simt);
    poisoned.reservations = first.reservations;
    if ((poisoned.has_memory = first.has_memory))
        memcpy(poisoned.memory, first.memory, sizeof first.memory);
    poison(&poisoned);
    const bool stays = T.f.control == CONTROL_SPLIT || T.f.control == CONTROL_JOIN;
    const Outcome other = run_from(&poisoned, &after_other, stays ? 0 : 1);
    same_results(&after, o, &after_other, other, true);
    check_undeclared_writes(&poisoned, &after_other);
    try_registers(o);
    try_states(o);
    try_memory(o);
    return true;
}

static void try_row(InsnId id, Class c)
{
    const u32 lanes[] = {4, 8, 16, 32};
    Seen seen[countof(lanes)][2] = {0};
    u32 said[countof(lanes)] = {0};
    bool done = false;
    for (u32 batch = 0; batch < MAX_BATCHES && !done; batch++) {
        make_batch(id, c);
        done = true;
        for (u32 l = 0; l < countof(lanes); l++) {
            rig_lanes(lanes[l]);
            declared = seen[l][0], effective = seen[l][1];
            for (u32 k = 0; k < BATCH && (said[l] < MIN_TRIALS || !all_seen()); k++)
                said[l] += try_one(k);
            seen[l][0] = declared, seen[l][1] = effective;
            done &= all_seen() && (said[l] >= MIN_TRIALS || (T.f.refused && batch > 2));
        }
    }
    for (u32 l = 0; l < countof(lanes); l++) {
        rig.launch.lanes = lanes[l];
        declared = seen[l][0], effective = seen[l][1];
        if (!all_seen())
            fail_unseen(id, c);
    }
}

static void rows_of(IsaSet s)
{
    u32 rows = 0;
    set = s;
    rig_open(s);
    rig.launch.simt_depth = STACK;
    isa_decoder_init(&decoder, s);
    for (int id = 0; id < NINSN; id++) {
        if (!isa_has(s, (InsnId)id) || isa_is_prefix((InsnId)id))
            continue;
        rows++;
        for (Class c = ALONE; c < NCLASS; c++)
            if (class_exists(c, (InsnId)id))
                try_row((InsnId)id, c);
    }
    print_message("%u rows, %llu runs\n", rows, (unsigned long long)rig.runs);
    rig_close();
}

static void rows_of_v202(void **state)
{
    (void)state;
    rows_of(V202 | AI | TIDX);
}

static void rows_of_v2025(void **state)
{
    (void)state;
    rows_of(V2025 | AI | TIDX);
}

/* Accesses in flat space of which some lanes' go to their private memory. */
static void flat_rows(void **state)
{
    u32 rows = 0;
    (void)state;
    set = V2025;
    is_near_zero = true;
    rig_open(set);
    rig.launch.simt_depth = STACK;
    isa_decoder_init(&decoder, set);
    for (int id = 0; id < NINSN; id++)
        if (isa_has(set, (InsnId)id) && isa_effect_of((InsnId)id)->space == SPACE_FLAT) {
            rows++;
            try_row((InsnId)id, ALONE);
        }
    rig_close();
    is_near_zero = false;
    assert_true(rows >= 8);
}

/* --- by hand
 * ------------------------------------------------------------------------------------------------------
 */

static IsaFacts facts_of(IsaSet s, u32 prefix, u64 word)
{
    Insn in, p = {0};
    IsaFacts f;
    IsaPrefix with = {.valid = false};
    isa_decoder_init(&decoder, s);
    if (prefix) {
        assert_true(isa_decode(&decoder, prefix, &p));
        with = isa_prefix(&p);
    }
    assert_true(isa_decode(&decoder, word, &in));
    isa_facts(&in, &with, s, 32, &f);
    return f;
}

/* A prefix of memory accesses before something else adds nothing (doc/isa.md, "Prefixes"). */
static void a_memory_prefix_is_for_accesses(void **state)
{
    (void)state;
    const u64 vor = encode(I_vor_vv, O_vd, 4, O_vs2, 6, O_vs1, 6, END);
    Insn in;
    IsaFacts plain, with;
    isa_decoder_init(&decoder, V2025);
    assert_true(isa_decode(&decoder, vor, &in));
    const IsaPrefix p = {.valid = true, .memory = true, .xd = 1, .x1 = 2, .x2 = 3, .pair = 1};
    const IsaPrefix invalid = {.xd = 1, .x1 = 2, .x2 = 3, .pair = 1};
    assert_true(isa_facts(&in, NULL, V2025, 32, &plain));
    assert_true(isa_facts(&in, &p, V2025, 32, &with));
    assert_memory_equal(&plain, &with, sizeof plain);
    assert_true(isa_facts(&in, &invalid, V2025, 32, &with));
    assert_memory_equal(&plain, &with, sizeof plain);
}

/* prefix pair=1; vor.vv v4, v6, v6: pairs v4, v5 and v6, v7 */
static void a_pair_is_two_registers(void **state)
{
    (void)state;
    const u32 prefix = (u32)encode(I_prefix, O_pair, 1, END);
    const u64 vor = encode(I_vor_vv, O_vd, 4, O_vs2, 6, O_vs1, 6, END);
    const IsaFacts f = facts_of(V2025, prefix, vor);
    assert_int_equal(f.nregs, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(f.reg[i].count, 2);
    assert_int_equal(f.reg[0].first, 4);
    assert_true(f.reg[0].is_written && !f.reg[0].is_read);
    assert_int_equal(facts_of(V2025, 0, vor).reg[1].count, 1);
}

/* what the C library's csrr, csrw and csrs leave out: the CSR is not read, or not written */
static void a_csr_is_touched_as_needed(void **state)
{
    enum { FRM = 2, X0 = 0, X5 = 5, X6 = 6 };
    static const struct {
        InsnId id;
        u32 to, from;
        bool reads, writes;
    } row[] = {
        {I_csrrw, X5, X6, true, true},  {I_csrrw, X0, X6, false, true}, {I_csrrw, X5, X0, true, true},
        {I_csrrs, X5, X6, true, true},  {I_csrrs, X0, X6, true, true},  {I_csrrs, X5, X0, true, false},
        {I_csrrc, X5, X6, true, true},  {I_csrrc, X5, X0, true, false},
    };
    (void)state;
    for (size_t i = 0; i < countof(row); i++) {
        const u64 word = encode(row[i].id, O_rd, row[i].to, O_rs1, row[i].from, O_csr, FRM, END);
        const IsaFacts f = facts_of(V202, 0, word);
        if (f.reads != (row[i].reads ? STATE_FRM : 0u) || f.writes != (row[i].writes ? STATE_FRM : 0u))
            fail_msg("row %zu: reads %x, writes %x", i, f.reads, f.writes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_memory_prefix_is_for_accesses),
        cmocka_unit_test(a_pair_is_two_registers),
        cmocka_unit_test(a_csr_is_touched_as_needed),
        cmocka_unit_test(rows_of_v202),
        cmocka_unit_test(rows_of_v2025),
        cmocka_unit_test(flat_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
