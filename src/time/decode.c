/* decode.c -- what the pipeline sees of an instruction: unit, registers, operands.
 *
 * The front end decodes words that are never executed, too, because it fetches ahead; so this goes
 * by memory and not by what warps do.  Instructions are kept by page until code changes.
 */
#include "base/mem.h"
#include "time/model.h"
#include <string.h>

/* --- operands ------------------------------------------------------------------------ */

/* which of a collector's operands this is: source 1, 2, 3 or the mask, by its field */
static u8 operand_slot(const Insn *in, const IsaRegs *r, bool store)
{
    if (r->operand >= MAXOPD)
        return 3;
    switch ((IsaSlot)isa_operand[isa_format[isa_insn[in->id].format].opd[r->operand]].slot) {
    case SLOT_X1: return 0;
    case SLOT_X2: return store && r->role == ROLE_VALUE ? 2 : 1;
    default: return 2;
    }
}

static void add_source(TimeOp *op, const IsaRegs *r, u8 slot)
{
    for (u32 i = 0; i < r->count && op->nsources < MAX_SOURCES; i++) {
        op->source[op->nsources].vector = r->is_vector;
        op->source[op->nsources].slot = slot;
        op->source[op->nsources++].reg = (u8)(r->first + i);
    }
}

static void add_registers(TimeOp *op, const Insn *in, const IsaFacts *f)
{
    for (int i = 0; i < f->nregs; i++) {
        const IsaRegs *r = &f->reg[i];
        const OpRegs regs = {r->is_vector, r->first, r->count};
        if (r->is_read)
            add_source(op, r, operand_slot(in, r, f->access == ACCESS_STORE));
        if (r->is_written && op->nresults < countof(op->result))
            op->result[op->nresults++] = regs;
        op->use[op->nuses++] = regs;
    }
}

/* --- units --------------------------------------------------------------------------- */

static u8 float_latency(const TimeOp *op, const Machine *p)
{
    switch (isa_insn[op->id].effect) {
    case E_FMAC: return (u8)p->fma_latency;
    case E_FALU:
        switch (isa_insn[op->id].op) {
        case OP_fadd:
        case OP_fsub:
        case OP_frsub:
        case OP_fmul: return (u8)p->fadd_latency;
        default: return (u8)p->fshort_latency;
        }
    default: return (u8)p->fshort_latency;
    }
}

static void set_unit(TimeOp *op, const Machine *p)
{
    op->unit = op->fence ? U_SALU : isa_insn[op->id].unit;
    if (isa_insn[op->id].effect == E_SETRPC)
        op->unit = U_CSR;
    switch (op->unit) {
    case U_VALU: op->latency = (u8)p->valu_latency; break;
    case U_CSR: op->latency = (u8)p->csr_latency; break;
    case U_MUL: op->latency = (u8)p->mul_latency; break;
    case U_FPU: op->latency = float_latency(op, p); break;
    case U_TC: op->latency = (u8)p->tensor_latency; break;
    default: op->latency = (u8)p->salu_latency; break;
    }
}

/* --- words ----------------------------------------------------------------------------- */

static bool read_word(const OpCache *c, u32 pc, u32 *word)
{
    if (pc < CODE_LO || pc >= CODE_END || !memory_has(c->code->memory, pc, 4, MEM_R))
        return false;
    memcpy(word, c->code->memory->base + pc, 4);
    return true;
}

/* what the word before pc is, for a prefix and for the first half of a 64-bit word */
static bool decode_before(const OpCache *c, u32 pc, Insn *in, u32 *len)
{
    u32 word, upper = 0;
    if (!read_word(c, pc - 4, &word))
        return false;
    *len = (u32)isa_length(c->code->set, word);
    read_word(c, pc, &upper);
    return isa_decode(&c->code->decoder, *len == 8 ? (u64)upper << 32 | word : word, in);
}

static void decode(const OpCache *c, u32 pc, TimeOp *op, const Machine *p)
{
    u32 word, upper = 0, len = 4;
    Insn in, before;
    IsaPrefix prefix;
    IsaFacts f;
    *op = (TimeOp){.decoded = true, .id = NINSN, .unit = U_SALU, .len = 4, .control = CONTROL_TRAP};
    if (!read_word(c, pc, &word))
        return;
    const bool known = decode_before(c, pc, &before, &len);
    if (known && len == 8) {
        op->hidden = true;
        return;
    }
    op->len = (u8)isa_length(c->code->set, word);
    if (op->len == 8)
        read_word(c, pc + 4, &upper);
    if (!isa_decode(&c->code->decoder, op->len == 8 ? (u64)upper << 32 | word : word, &in))
        return;
    op->id = (u16)in.id;
    op->word = op->len == 8 ? (u64)upper << 32 | word : word;
    op->hidden = isa_is_prefix(in.id);
    op->prefixed = known && isa_is_prefix(before.id) && !op->hidden;
    if (op->prefixed)
        prefix = isa_prefix(&before);
    if (op->hidden || !isa_facts(&in, op->prefixed ? &prefix : NULL, c->code->set, 0, &f))
        return;
    op->control = f.control;
    op->access = f.access;
    op->vector = isa_is_vector(in.id);
    op->fence = isa_insn[in.id].effect == E_FENCE;
    add_registers(op, &in, &f);
    set_unit(op, p);
}

const TimeOp *op_at(OpCache *c, u32 pc, const Machine *p)
{
    if (pc < CODE_LO || pc >= CODE_END)
        return &c->none;
    TimeOp **page = &c->page[(pc - CODE_LO) >> PAGE_BITS];
    if (!*page && !(*page = mem_zalloc(PAGE_UOPS, sizeof **page))) {
        c->lacks_memory = true;
        return &c->none;
    }
    TimeOp *op = &(*page)[pc >> 2 & (PAGE_UOPS - 1)];
    if (!op->decoded)
        decode(c, pc, op, p);
    return op;
}

void ops_forget(OpCache *c)
{
    for (size_t i = 0; i < CODE_PAGES; i++) {
        mem_free(c->page[i]);
        c->page[i] = NULL;
    }
}
