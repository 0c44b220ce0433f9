/* generation.c -- which launch contract a binary follows, from its first
 * instructions.
 *
 * The start code is read as a straight line, up to the indirect jump that calls the kernel.  What
 * each scalar register holds is followed as far as it matters: the address of the metadata, a word
 * of it, or a CSR.
 */
#include "obj/resource.h"
#include "isa/abi.h"
#include <string.h>

enum { START_MAX = 256 }; /* instructions; shipped start code has fewer than 50 */

/* what a register holds: OTHER, or one of the others + the number of a CSR or a metadata offset */
enum { OTHER = 0, FROM_CSR = 0x10000, FROM_METADATA = 0x20000 };

typedef struct {
    u32 holds[32];
    u32 words;        /* metadata words loaded, a bit for each of the first 32 */
    bool wid, scaled; /* CSR_wid was read; something was scaled by the size of a stack of B */
    bool no_sp;       /* sp is not written */
    u32 sp, tp;       /* what was written to sp and tp last */
} Start;

static i32 operand(const Insn *in, OperandId o)
{
    const int at = isa_find_operand(in->id, o);
    return at < 0 ? 0 : in->opd[at];
}

static u32 source(const Start *s, const Insn *in) { return s->holds[operand(in, O_rs1)]; }

/* what the instruction leaves in its destination */
static u32 result(Start *s, const Insn *in)
{
    const i32 imm = operand(in, O_imm12);
    switch (in->id) {
    case I_csrrs:
        s->wid |= operand(in, O_csr) == CSR_wid;
        return FROM_CSR | (u32)operand(in, O_csr);
    case I_addi:
        s->scaled |= operand(in, O_rs1) == 0 && imm == ABI_WARP_STACK;
        return imm ? OTHER : source(s, in);
    case I_slli: s->scaled |= operand(in, O_shamt5) == ABI_WARP_STACK_SHIFT; return OTHER;
    case I_lw:
        if (source(s, in) != (FROM_CSR | CSR_knl) || imm < 0 || imm >= 4 * 32)
            return OTHER;
        s->words |= 1u << imm / 4;
        return FROM_METADATA | (u32)imm;
    default: return OTHER;
    }
}

static void step(Start *s, const Insn *in)
{
    const int at = isa_find_operand(in->id, O_rd);
    const i32 rd = at < 0 ? 0 : in->opd[at];
    const u32 value = result(s, in);
    s->holds[rd] = rd ? value : OTHER;
    if (rd == REG_sp) {
        s->sp = value;
        s->no_sp = false;
    }
    if (rd == REG_tp)
        s->tp = value;
}

static const ObjSegment *entry_segment(const Object *image, u32 *past)
{
    for (size_t i = 0; i < image->nsegments; i++) {
        const ObjSegment *g = &image->segments[i];
        *past = image->entry - g->addr;
        if (image->entry >= g->addr && *past < g->data.len)
            return g;
    }
    return NULL;
}

static Start read_start(const Object *image)
{
    Start s = {.no_sp = true, .sp = OTHER};
    IsaDecoder decoder;
    u32 past;
    Insn in;
    const ObjSegment *g = entry_segment(image, &past);
    isa_decoder_init(&decoder, image->set);
    for (int i = 0; g && i < START_MAX && g->data.len - past >= 4; i++) {
        u32 word;
        memcpy(&word, g->data.data + past, 4);
        past += 4;
        if (!isa_decode(&decoder, word, &in) || in.id == I_jalr || in.id == I_endprg)
            break;
        step(&s, &in);
    }
    return s;
}

static bool has_word(const Start *s, int word) { return s->words >> word & 1; }

Generation resource_generation(const Object *image)
{
    const Start s = read_start(image);
    if (!has_word(&s, KNL_ENTRY))
        return GEN_BARE;
    if (has_word(&s, KNL_DATA))
        return GEN_C;
    if (has_word(&s, KNL_STACK))
        return GEN_B2;
    if (s.no_sp || (s.wid && s.scaled)) /* without a stack the place of other data is that of B */
        return GEN_B;
    return s.sp == (FROM_CSR | CSR_lds) ? GEN_A : GEN_BARE;
}

int resource_tp_word(const Object *image)
{
    const Start s = read_start(image);
    return s.tp & FROM_METADATA ? (int)(s.tp & 0xffff) : -1;
}

const char *generation_name(Generation g)
{
    static const char *const names[] = {
        [GEN_A] = "A", [GEN_B] = "B", [GEN_B2] = "B2", [GEN_C] = "C", [GEN_BARE] = "bare"};
    return names[g];
}
