/* code.c -- decodes words of guest memory to Uops, a page at a time, and keeps them (uop.h). */
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

/* Takes page p of the window out of the cache, and its memory may be written again. */
static CodePage *take_page(Code *c, u64 p)
{
    CodePage *page = atomic_exchange(&c->page[p], NULL);
    const u64 number = (CODE_LO >> PAGE_BITS) + p;
    const u8 flags = memory_rights(c->memory, number);
    if (page && flags & MEM_CODE)
        memory_set_rights(c->memory, number, (u8)((flags & ~MEM_CODE) | MEM_W));
    return page;
}

/* Puts it there: what the guest writes into decoded code is noticed. */
static void put_page(Code *c, u64 p, CodePage *page)
{
    const u64 number = (CODE_LO >> PAGE_BITS) + p;
    const u8 flags = memory_rights(c->memory, number);
    if (flags & MEM_W)
        memory_set_rights(c->memory, number, (u8)((flags & ~MEM_W) | MEM_CODE));
    atomic_store_explicit(&c->page[p], page, memory_order_release);
    if (atomic_load(&c->end) <= p)
        atomic_store(&c->end, (u32)p + 1);
}

static void page_free(CodePage *page)
{
    if (page)
        mem_free(atomic_load(&page->facts));
    mem_free(page);
}

void code_forget(Code *c, u64 addr, u64 size)
{
    const u64 lo = addr > CODE_LO ? addr : CODE_LO;
    const u64 end = addr + size < CODE_END ? addr + size : CODE_END;
    /* an instruction may lie in this page and its prefix in the one before */
    const u64 first = (lo - CODE_LO) >> PAGE_BITS, decoded = atomic_load(&c->end);
    if (end <= lo)
        return;
    for (u64 p = first ? first - 1 : 0; p < decoded && p <= (end - 1 - CODE_LO) >> PAGE_BITS; p++)
        page_free(take_page(c, p));
}

struct CodeKept {
    IsaSet set;
    u32 n;
    CodePage *page[]; /* of the window, from its first on */
};

CodeKept *code_keep(Code *c)
{
    const u32 n = atomic_load(&c->end);
    CodeKept *k = mem_alloc(sizeof *k + n * sizeof *k->page);
    if (k)
        *k = (CodeKept){.set = c->set, .n = n};
    for (u32 p = 0; p < n; p++) {
        CodePage *page = take_page(c, p);
        if (k)
            k->page[p] = page;
        else
            page_free(page);
    }
    atomic_store(&c->end, 0);
    return k;
}

void code_put_back(Code *c, CodeKept *k)
{
    if (c->set != k->set)
        code_use(c, k->set);
    for (u32 p = 0; p < k->n; p++)
        if (k->page[p])
            put_page(c, p, k->page[p]);
    mem_free(k);
}

void code_kept_free(CodeKept *k)
{
    for (u32 p = 0; k && p < k->n; p++)
        page_free(k->page[p]);
    mem_free(k);
}

u32 code_kept_pages(const CodeKept *k)
{
    u32 n = 0;
    for (u32 p = 0; p < k->n; p++)
        n += k->page[p] != NULL;
    return n;
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

/* the registers of each role, as op.def names them */
static void set_registers(Uop *u, const IsaFacts *f)
{
    for (int i = 0; i < f->nregs; i++) {
        const u8 n = f->reg[i].first;
        switch ((IsaRole)f->reg[i].role) {
        case ROLE_D: u->rd = n; break;
        case ROLE_A:
        case ROLE_ADDRESS: u->ra = n; break;
        case ROLE_B:
        case ROLE_VALUE: u->rb = n; break;
        case ROLE_C:
        case ROLE_STRIDE:
        case ROLE_INDEX:
        case ROLE_TO: u->rc = n; break;
        default: break;
        }
    }
}

Handler *handler_of(const Code *c, const Uop *u)
{
    if (u->mod && handler_modified[isa_insn[u->id].effect])
        return handler_modified[isa_insn[u->id].effect];
    return u->mem & UOP_PREFIX ? v_memory : c->level->run[u->id];
}

/* Makes the Uop of a word after prefix p, and the facts that it is made from. */
static void decode(const Code *c, Uop *u, u64 word, const IsaPrefix *p, IsaFacts *f)
{
    Insn in;
    u->word = (u32)word;
    u->len = (u8)isa_length(c->set, (u32)word);
    if (!isa_decode(&c->decoder, word, &in)) {
        u->imm = (i32)(word >> 32);
        u->run = w_illegal;
        u->id = NINSN;
        *f = (IsaFacts){.refused = REFUSED_WORD, .control = CONTROL_TRAP};
        return;
    }
    u->id = (u16)in.id;
    if (!isa_facts(&in, p, c->set, 0, f)) {
        u->imm = f->bad;
        u->run = f->refused == REFUSED_REGISTER ? w_register : w_trap;
        return;
    }
    set_registers(u, f);
    if (f->uimm)
        u->ra = f->uimm;
    u->rm = f->rm;
    u->imm = f->imm;
    if (f->control == CONTROL_JUMP || f->control == CONTROL_BRANCH || f->control == CONTROL_SPLIT ||
        isa_insn[in.id].effect == E_AUIPC) /* becomes an address */
        u->imm = (i32)(insn_pc(u) + (u32)f->imm);
    if (u->len == 8)
        u->imm = (i32)(word >> 32);
    u->mod = (u8)(f->pair | f->abs << MOD_ABS | f->neg << MOD_NEG);
    if (f->access != ACCESS_NONE)
        u->mem = (u8)(f->space | (f->words - 1) << UOP_WORDS | (f->wide ? UOP_WIDE : 0) |
                      (f->by_prefix ? UOP_PREFIX : 0));
    u->run = f->masked ? w_masked : handler_of(c, u);
}

static bool is_prefix(const Code *c, u32 word, IsaPrefix *p)
{
    Insn in;
    if (!isa_decode(&c->decoder, word, &in) || !isa_is_prefix(in.id))
        return false;
    *p = isa_prefix(&in);
    return true;
}

/* --- pages ---------------------------------------------------------------------------- */

static u32 word_at(const Memory *m, u64 addr)
{
    u32 word = 0;
    if (memory_has(m, addr, 4, MEM_R))
        memcpy(&word, m->base + addr, 4);
    return word;
}

static void decode_at(const Code *c, Uop *u, u32 pc, IsaFacts *f)
{
    const u32 low = word_at(c->memory, pc);
    IsaPrefix p;
    *u = (Uop){.pc = pc, .step = 1, .len = 4};
    if (is_prefix(c, low, &p)) {
        const u32 after = word_at(c->memory, pc + 4);
        IsaPrefix again;
        if (is_prefix(c, after, &again)) { /* replaced by the one after it */
            decode(c, u, low, NULL, f);
            return;
        }
        const bool is_long = isa_length(c->set, after) == 8;
        const u32 high = is_long ? word_at(c->memory, pc + 8) : 0;
        u->step = is_long ? 3 : 2;
        decode(c, u, (u64)high << 32 | after, &p, f);
    } else if (isa_length(c->set, low) == 8) {
        u->step = 2;
        decode(c, u, (u64)word_at(c->memory, pc + 4) << 32 | low, NULL, f);
    } else {
        decode(c, u, low, NULL, f);
    }
}

static CodePage *make_page(const Code *c, u32 pc)
{
    CodePage *page = mem_alloc(sizeof *page);
    IsaFacts unused;
    if (!page)
        return NULL;
    atomic_init(&page->facts, NULL);
    for (u32 i = 0; i < PAGE_UOPS; i++)
        decode_at(c, &page->uop[i], pc + i * 4, &unused);
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
    if (pc - CODE_LO >= CODE_END - CODE_LO) {
        fetch_fault(w, FAULT_FETCH, pc);
        return NULL;
    }
    _Atomic(CodePage *) *slot = &c->page[(first - CODE_LO) >> PAGE_BITS];
    CodePage *page = atomic_load_explicit(slot, memory_order_acquire);
    if (!page) { /* the rights of pages of code change with the lock */
        pthread_mutex_lock(&c->lock);
        const bool may_run = memory_has(c->memory, first, 1, MEM_X);
        page = atomic_load_explicit(slot, memory_order_acquire);
        if (!page && may_run && (page = make_page(c, first)))
            put_page(c, (u64)(slot - c->page), page);
        pthread_mutex_unlock(&c->lock);
        if (!may_run) {
            fetch_fault(w, FAULT_FETCH, pc);
            return NULL;
        }
    }
    if (!page) {
        fetch_fault(w, FAULT_NO_MEMORY, pc);
        return NULL;
    }
    return &page->uop[pc >> 2 & (PAGE_UOPS - 1)];
}

/* what observers that watch registers must know of an instruction */
static RegisterNames names_of(const Uop *u, const IsaFacts *f)
{
    const RegisterNames always = {{WATCH_ALWAYS, WATCH_X, WATCH_X, WATCH_X}};
    RegisterNames names = {{WATCH_X, WATCH_X, WATCH_X, WATCH_X}};
    u32 n = 0;
    if (f->access != ACCESS_NONE || f->control == CONTROL_BARRIER ||
        isa_insn[u->id].effect == E_FENCE)
        return always;
    for (int i = 0; i < f->nregs; i++)
        for (u32 k = 0; k < f->reg[i].count; k++) {
            if (n == WATCH_NAMES)
                return always;
            names.reg[n++] = (u16)((f->reg[i].is_vector ? 0u : WATCH_X) + f->reg[i].first + k);
        }
    return names;
}

const CodeFacts *code_page_facts(Code *c, u32 pc)
{
    CodePage *page = atomic_load(&c->page[(pc - CODE_LO) >> PAGE_BITS]);
    const u32 first = pc & ~(u32)(PAGE_SIZE - 1);
    CodeFacts *facts = atomic_load_explicit(&page->facts, memory_order_acquire);
    if (facts)
        return facts;
    pthread_mutex_lock(&c->lock);
    facts = atomic_load(&page->facts);
    if (!facts && (facts = mem_zalloc(1, sizeof *facts))) {
        Uop u;
        for (u32 k = 0; k < PAGE_UOPS; k++) {
            decode_at(c, &u, first + k * 4, &facts->insn[k]);
            if (u.id < NINSN && !facts->insn[k].refused)
                facts->names[k] = names_of(&u, &facts->insn[k]);
        }
        atomic_store_explicit(&page->facts, facts, memory_order_release);
    }
    pthread_mutex_unlock(&c->lock);
    return facts;
}

const IsaFacts *code_facts(Code *c, const Uop *u)
{
    const CodeFacts *facts = code_page_facts(c, u->pc);
    return facts ? &facts->insn[u->pc >> 2 & (PAGE_UOPS - 1)] : NULL;
}

void code_facts_of(const Code *c, const Uop *u, IsaFacts *facts)
{
    Uop again;
    decode_at(c, &again, u->pc, facts);
}

/* --- needs -------------------------------------------------------------------------------- */

static void add_needs(const Insn *in, const IsaPrefix *p, IsaSet set, CodeNeeds *needs)
{
    const int csr = isa_find_operand(in->id, O_csr);
    IsaFacts f;
    isa_facts(in, p, set, 0, &f);
    for (int i = 0; i < f.nregs; i++) {
        const u32 end = (u32)f.reg[i].first + f.reg[i].count;
        u32 *most = f.reg[i].is_vector ? &needs->vgprs : &needs->sgprs;
        if (end > *most && end <= 256)
            *most = end;
    }
    needs->private |= f.space == SPACE_PRIVATE || f.space == SPACE_GROUP || f.space == SPACE_FLAT ||
                      (csr >= 0 && in->opd[csr] == CSR_pds);
}

void code_needs(const Memory *m, IsaSet set, u64 addr, u64 size, CodeNeeds *needs)
{
    IsaDecoder d; /* of 6 KiB */
    IsaPrefix p = {.valid = false};
    isa_decoder_init(&d, set);
    for (u64 a = addr; a + 4 <= addr + size; a += 4) {
        u64 word = word_at(m, a);
        Insn in;
        if (isa_length(set, (u32)word) == 8) {
            a += 4;
            word |= (u64)word_at(m, a) << 32;
        }
        if (!isa_decode(&d, word, &in)) {
            p.valid = false;
            continue;
        }
        add_needs(&in, &p, set, needs);
        p.valid = false;
        if (isa_is_prefix(in.id))
            p = isa_prefix(&in);
    }
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
