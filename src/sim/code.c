/* code.c -- words of guest memory to Uops. */
#include "sim/uop.h"
#include "base/mem.h"
#include "sim/handlers.h"
#include <stdlib.h>
#include <string.h>

Code *code_new(IsaSet set, Memory *memory, const LaneLevel *level)
{
    Code *c = mem_zalloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->memory = memory;
    c->level = level;
    pthread_mutex_init(&c->lock, NULL);
    c->set = set;
    isa_decoder_init(&c->decoder, set);
    return c;
}

void code_free(Code *c)
{
    if (!c)
        return;
    code_forget(c, CODE_LO, CODE_END - CODE_LO);
    pthread_mutex_destroy(&c->lock);
    mem_free(c);
}

void code_forget(Code *c, u64 addr, u64 size)
{
    const u64 lo = addr > CODE_LO ? addr : CODE_LO;
    const u64 end = addr + size < CODE_END ? addr + size : CODE_END;
    /* an instruction may lie in this page and its prefix in the one before */
    const u64 first = (lo - CODE_LO) >> PAGE_BITS, decoded = atomic_load(&c->end);
    if (end <= lo)
        return;
    for (u64 p = first ? first - 1 : 0; p < decoded && p <= (end - 1 - CODE_LO) >> PAGE_BITS; p++) {
        CodePage *page = atomic_exchange(&c->page[p], NULL);
        u8 *flags = &c->memory->page[(CODE_LO >> PAGE_BITS) + p];
        if (page && *flags & MEM_CODE)
            *flags = (u8)((*flags & ~MEM_CODE) | MEM_W);
        mem_free(page);
    }
}

void code_use(Code *c, IsaSet set)
{
    code_forget(c, CODE_LO, CODE_END - CODE_LO);
    if (c->set == set)
        return;
    c->set = set;
    isa_decoder_init(&c->decoder, set);
}

bool code_covers(const Code *c, u64 addr, u32 len)
{
    for (u64 a = addr & ~(u64)3; a < addr + len; a += 4) {
        if (a - CODE_LO >= CODE_END - CODE_LO)
            continue;
        const CodePage *page = atomic_load_explicit(&((Code *)c)->page[(a - CODE_LO) >> PAGE_BITS],
                                                    memory_order_acquire);
        if (page && page->uop[a >> 2 & (PAGE_UOPS - 1)].run != w_illegal)
            return true;
    }
    return false;
}

/* --- one instruction ----------------------------------------------------------------- */

/* operands that become sources and destination of a Uop, as op.def names them */
typedef struct {
    i16 rd, ra, rb, rc;
} Registers;

/* the register number of operand i, extended; false: beyond the register file */
static bool number(const Insn *in, int i, const IsaPrefix *p, i16 *n)
{
    const OperandId o = (OperandId)isa_format_of(in->id)->opd[i];
    *n = (i16)isa_extend(p, o, in->opd[i]);
    return isa_operand[o].kind == K_VREG ? *n < 256 : *n < 64;
}

/* where operand o goes, given the effect of its instruction; NULL: nowhere */
static i16 *place(Registers *r, Effect e, FormatId f, OperandId o)
{
    const bool scalar_op = f == F_R || f == F_R1 || f == F_RF || f == F_RF1 || f == F_R4;
    switch (o) {
    case O_rd:
    case O_vd:
    case O_vacc:
    case O_wd:
    case O_wacc: return &r->rd;
    case O_ws2: return &r->ra;
    case O_ws1:
    case O_wx1:
    case O_vs3: return &r->rb;
    case O_ws3:
    case O_rdst: return &r->rc;
    case O_rs3: return &r->rc;
    case O_rs2: return f == F_VLS || f == F_VSS ? &r->rc : &r->rb;
    case O_rs1:
        return e == E_ALU || e == E_MAC || e == E_FIXED || e == E_FALU || e == E_FMAC ||
                       e == E_MERGE || e == E_NARROW || e == E_WIDEN || e == E_WIDEN_W ||
                       e == E_WIDEN_MAC
                   ? (scalar_op || f == F_I || f == F_SH ? &r->ra : &r->rb)
                   : &r->ra;
    case O_vs1:
        return f == F_VI12 || f == F_VL12 || f == F_VL11 || f == F_VS12 || f == F_VS11 ||
                       f == F_AMO || f == F_LR
                   ? &r->ra
                   : &r->rb;
    case O_vs2:
        return f == F_VLX || f == F_VSX                   ? &r->rc
               : f == F_VS12 || f == F_VS11 || f == F_AMO ? &r->rb
                                                          : &r->ra;
    default: return NULL;
    }
}

static bool set_registers(Uop *u, const Insn *in, const IsaPrefix *p)
{
    const FormatInfo *f = isa_format_of(in->id);
    Registers r = {0};
    for (int i = 0; i < f->nopd; i++) {
        const OperandInfo *o = &isa_operand[f->opd[i]];
        i16 *to = place(&r, (Effect)isa_insn[in->id].effect, (FormatId)isa_insn[in->id].format,
                        (OperandId)f->opd[i]);
        i16 n;
        if (o->kind != K_XREG && o->kind != K_VREG)
            continue;
        if (!number(in, i, p, &n)) {
            u->imm = n;
            return false;
        }
        if (to)
            *to = n;
    }
    u->rd = (u8)r.rd, u->ra = (u8)r.ra, u->rb = (u8)r.rb, u->rc = (u8)r.rc;
    return true;
}

/* immediates and modifiers; a branch target becomes an address */
static void set_values(Uop *u, const Insn *in, const IsaPrefix *p)
{
    const FormatInfo *f = isa_format_of(in->id);
    for (int i = 0; i < f->nopd; i++) {
        const OperandId o = (OperandId)f->opd[i];
        const i32 v = in->opd[i];
        switch ((OperandKind)isa_operand[o].kind) {
        case K_IMM:
            if (o == O_uimm5 && (u->id == I_vsetivli || f == &isa_format[F_CSRI]))
                u->ra = (u8)v;
            else if (o == O_uimm20)
                u->imm = (i32)((u32)v << 12);
            else
                u->imm = v;
            break;
        case K_IMM12: u->imm = (i32)sign_extend((u32)v, 12); break;
        case K_IMMX:
        case K_IMMZ: u->imm = isa_extend_imm(p, o, v); break;
        case K_REL: u->imm = (i32)(insn_pc(u) + (u32)v); break;
        case K_CSR:
        case K_VTYPE: u->imm = v; break;
        case K_MASK: u->vm = v & 1; break;
        case K_RM: u->rm = (u8)v; break;
        case K_KEY: u->imm = o == O_sz ? v : u->imm; break;
        default: break;
        }
    }
    if (u->id == I_auipc)
        u->imm = (i32)((u32)u->imm + insn_pc(u));
}

static bool is_memory(Effect e) { return e >= E_LOAD && e <= E_SC_PAIR; }

/* instructions that wide.c executes where a prefix changes them */
static bool is_general(Effect e)
{
    return e == E_ALU || e == E_MAC || e == E_FIXED || e == E_FALU || e == E_FMAC;
}

/* what a prefix of v2025 adds; on an instruction that it does not concern, nothing */
static void set_modifiers(Uop *u, const IsaPrefix *p)
{
    const Effect e = (Effect)isa_insn[u->id].effect;
    if (p->memory && is_memory(e))
        u->mem =
            (u8)(MEM_PREFIX | p->space | (p->words - 1) << MEM_WORDS | (p->wide ? MEM_WIDE : 0));
    else if (is_general(e) || e == E_PAIR || (e >= E_NARROW && e <= E_FNARROW))
        u->mod = (u8)(p->abs << MOD_ABS | p->neg << MOD_NEG);
    /* the others have their width by themselves */
    if (is_general(e) && e != E_FIXED)
        u->mod |= p->pair;
}

Handler *handler_of(const Code *c, const Uop *u)
{
    const Effect e = (Effect)isa_insn[u->id].effect;
    return u->mod && is_general(e) ? v_general : u->mem ? v_memory : c->level->run[u->id];
}

static void decode(const Code *c, Uop *u, u64 word, const IsaPrefix *p)
{
    Insn in;
    u->word = (u32)word;
    u->vm = 1;
    u->rm = FP_RNE; /* where the format has no rounding mode */
    u->len = (u8)isa_length(c->set, (u32)word);
    if (!isa_decode(&c->decoder, word, &in)) {
        u->imm = (i32)(word >> 32);
        u->run = w_illegal;
        u->id = NINSN;
        return;
    }
    u->id = (u16)in.id;
    if (!set_registers(u, &in, p)) {
        u->run = w_register;
        return;
    }
    set_values(u, &in, p);
    if (isa_insn[in.id].len == 8)
        u->imm = (i32)(word >> 32);
    set_modifiers(u, p);
    /* hardware ignores vm of vftta; images rely on it */
    const bool masked = !u->vm && isa_insn[in.id].effect != E_TTA;
    u->run = masked ? w_masked : handler_of(c, u);
}

static bool is_prefix(const Code *c, u32 word, IsaPrefix *p)
{
    Insn in;
    if (!isa_decode(&c->decoder, word, &in) || !isa_is_prefix(in.id))
        return false;
    *p = isa_prefix(&in);
    return true;
}

static bool concerns(const Code *c, u32 after, const IsaPrefix *p)
{
    Insn in;
    return !p->memory ||
           (isa_decode(&c->decoder, after, &in) && is_memory((Effect)isa_insn[in.id].effect));
}

/* --- pages ---------------------------------------------------------------------------- */

static u32 word_at(const Memory *m, u64 addr)
{
    u32 word = 0;
    if (memory_has(m, addr, 4, MEM_R))
        memcpy(&word, m->base + addr, 4);
    return word;
}

static void decode_at(const Code *c, Uop *u, u32 pc)
{
    static const IsaPrefix none = {.valid = false};
    const u32 low = word_at(c->memory, pc);
    IsaPrefix p;
    *u = (Uop){.pc = pc, .step = 1, .len = 4};
    if (is_prefix(c, low, &p)) {
        const u32 after = word_at(c->memory, pc + 4);
        IsaPrefix again;
        if (is_prefix(c, after, &again)) { /* replaced by the one after it */
            decode(c, u, low, &none);
            return;
        }
        const bool is_long = isa_length(c->set, after) == 8;
        const u32 high = is_long ? word_at(c->memory, pc + 8) : 0;
        /* a memory prefix is void, its register bits too, before anything else */
        u->step = is_long ? 3 : 2;
        decode(c, u, (u64)high << 32 | after, concerns(c, after, &p) ? &p : &none);
    } else if (isa_length(c->set, low) == 8) {
        u->step = 2;
        decode(c, u, (u64)word_at(c->memory, pc + 4) << 32 | low, &none);
    } else {
        decode(c, u, low, &none);
    }
}

static CodePage *make_page(const Code *c, u32 pc)
{
    CodePage *page = mem_alloc(sizeof *page);
    if (!page)
        return NULL;
    for (u32 i = 0; i < PAGE_UOPS; i++)
        decode_at(c, &page->uop[i], pc + i * 4);
    for (u32 i = PAGE_UOPS; i < PAGE_UOPS + 3; i++)
        page->uop[i] = (Uop){.run = w_page_end, .pc = pc + i * 4, .id = NINSN, .len = 4};
    return page;
}

static void fetch_fault(Warp *w, FaultKind kind, u32 pc) { warp_fault(w, kind, pc, -1); }

const Uop *code_at(Code *c, Warp *w, u32 pc)
{
    const u32 first = pc & ~(u32)(PAGE_SIZE - 1);
    if (pc & 3) {
        fetch_fault(w, FAULT_FETCH_MISALIGNED, pc);
        return NULL;
    }
    if (pc - CODE_LO >= CODE_END - CODE_LO || !memory_has(c->memory, first, 1, MEM_X)) {
        fetch_fault(w, FAULT_FETCH, pc);
        return NULL;
    }
    _Atomic(CodePage *) *slot = &c->page[(first - CODE_LO) >> PAGE_BITS];
    CodePage *page = atomic_load_explicit(slot, memory_order_acquire);
    if (!page) {
        pthread_mutex_lock(&c->lock);
        page = atomic_load_explicit(slot, memory_order_acquire);
        if (!page && (page = make_page(c, first))) {
            u8 *flags = &c->memory->page[first >> PAGE_BITS];
            if (*flags & MEM_W)
                *flags = (u8)((*flags & ~MEM_W) | MEM_CODE);
            atomic_store_explicit(slot, page, memory_order_release);
            if (atomic_load(&c->end) <= (u32)(slot - c->page))
                atomic_store(&c->end, (u32)(slot - c->page) + 1);
        }
        pthread_mutex_unlock(&c->lock);
    }
    if (!page) {
        fetch_fault(w, FAULT_NO_MEMORY, pc);
        return NULL;
    }
    return &page->uop[pc >> 2 & (PAGE_UOPS - 1)];
}

/* --- register needs --------------------------------------------------------------------- */

static void count_registers(const Insn *in, const IsaPrefix *p, u32 *sgprs, u32 *vgprs)
{
    const FormatInfo *f = isa_format_of(in->id);
    for (int i = 0; i < f->nopd; i++) {
        const OperandInfo *o = &isa_operand[f->opd[i]];
        u32 *most = o->kind == K_VREG ? vgprs : sgprs;
        if (o->kind != K_XREG && o->kind != K_VREG)
            continue;
        const u32 n = (u32)isa_extend(p, (OperandId)f->opd[i], in->opd[i]) + 1;
        if (n > *most && n <= 256)
            *most = n;
    }
}

void code_registers(const Memory *m, IsaSet set, u64 addr, u64 size, u32 *sgprs, u32 *vgprs)
{
    IsaDecoder *d = mem_alloc(sizeof *d);
    IsaPrefix p = {.valid = false};
    *sgprs = *vgprs = 0;
    if (!d) {
        *sgprs = 64, *vgprs = 256;
        return;
    }
    isa_decoder_init(d, set);
    for (u64 a = addr; a + 4 <= addr + size; a += 4) {
        u64 word = word_at(m, a);
        Insn in;
        if (isa_length(set, (u32)word) == 8) {
            a += 4;
            word |= (u64)word_at(m, a) << 32;
        }
        if (!isa_decode(d, word, &in)) {
            p.valid = false;
            continue;
        }
        count_registers(&in, &p, sgprs, vgprs);
        p.valid = false;
        if (isa_is_prefix(in.id))
            p = isa_prefix(&in);
    }
    mem_free(d);
}

/* --- host level ---------------------------------------------------------------------------- */

const LaneLevel *lane_level(void)
{
#if defined(__x86_64__)
    const char *ask = getenv("VENTUS_LANES");
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512vl");
    if (ask && !strcmp(ask, "base"))
        return &lane_base;
    if (avx512 && !(ask && !strcmp(ask, "avx2")))
        return &lane_avx512;
    if (avx2)
        return &lane_avx2;
#endif
    return &lane_base;
}
