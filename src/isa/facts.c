/* facts.c -- what an instance of an instruction reads, writes and does next, from its row
 * and its prefix.
 *
 * The format says which operand plays which role, the effect how many registers a role
 * takes and what else is touched, the operation what it does to flags.  What depends on
 * the instance (a pair under a prefix, the shape of a matrix, the CSR) is decided here and
 * nowhere else.
 */
#include "isa/fp.h"
#include "isa/isa.h"
#include <string.h>

/* The sizes that the fields vss and vds of a 64-bit word name. */
typedef enum { SIZE_16, SIZE_32, SIZE_64, SIZE_8 } WordSize;

typedef struct {
    const Insn *in;
    const IsaPrefix *p;
    const FormatInfo *format;
    const EffectInfo *effect;
    u16 op; /* OF_* */
    IsaFacts *f;
} Job;

static void refuse(Job *j, IsaRefusal why, u32 bad)
{
    if (j->f->refused)
        return;
    j->f->refused = (u8)why;
    j->f->bad = (u16)bad;
}

static i32 value_of(const Insn *in, OperandId o)
{
    const int i = isa_find_operand(in->id, o);
    return i < 0 ? 0 : in->opd[i];
}

/* --- registers ------------------------------------------------------------------------- */

/* how many registers the matrix in this role takes; `window`: how many must exist */
static u32 matrix_registers(const Job *j, IsaRole role, bool window)
{
    const OperandKind kind = (OperandKind)isa_operand[j->format->opd[0]].kind;
    Mma m;
    if (!isa_mma(kind, j->in->opd[0], &m))
        return 1;
    const u32 bits = isa_mma_bits(m.type), out = m.wide ? 32 : 16;
    /* the 32-bit word's k8 shapes of 16-bit types have the windows of k16 */
    const u32 k = window && kind == K_MMA && bits == 16 ? 16 : m.k;
    return role == ROLE_A   ? isa_mma_registers(m.m * k, bits)
           : role == ROLE_B ? isa_mma_registers(k * m.n, bits)
                            : isa_mma_registers(m.m * m.n, out);
}

static char width_letter(const Job *j, IsaRole role)
{
    switch (role) {
    case ROLE_D:
    case ROLE_VALUE: return j->effect->widths[0];
    case ROLE_A: return j->effect->widths[1];
    case ROLE_B:
    case ROLE_C: return j->effect->widths[2];
    case ROLE_ADDRESS: return j->effect->widths[3];
    default: return '1';
    }
}

/* whether only the lower half of a pair counts: of a shift amount, unless abs needs its sign */
static bool needs_low_half(const Job *j, const IsaRegs *r)
{
    const OperandId o = (OperandId)j->format->opd[r->operand];
    return r->role == ROLE_B && j->op & OF_AMOUNT && !(j->f->abs >> isa_modifier(o) & 1);
}

/* a pair, which begins with an even register; x0 as a pair is 0 alone */
static u32 pair_at(Job *j, const IsaRegs *r, IsaRefusal otherwise)
{
    if (r->first & 1)
        refuse(j, otherwise, r->first);
    return (!r->is_vector && !r->first) || needs_low_half(j, r) ? 1 : 2;
}

static u32 count_of(Job *j, const IsaRegs *r)
{
    const IsaRole role = (IsaRole)r->role;
    switch (width_letter(j, role)) {
    case '2': return pair_at(j, r, REFUSED_REGISTER);
    case 'v': return r->is_vector ? pair_at(j, r, REFUSED_REGISTER) : 1;
    case 'g':
        return !j->f->pair || r->first & 1 || (role == ROLE_D && j->op & OF_WORD)
                   ? 1
                   : pair_at(j, r, REFUSED_REGISTER);
    case 'n': return j->f->words;
    case 'q': return j->f->wide ? pair_at(j, r, REFUSED_REGISTER) : 1;
    case 't':
        if (r->first + matrix_registers(j, role, true) > 256)
            refuse(j, REFUSED_REGISTER, 256);
        return matrix_registers(j, role, false);
    case 's': return value_of(j->in, O_vss) == SIZE_64 ? pair_at(j, r, REFUSED_WORD) : 1;
    case 'z': return value_of(j->in, O_vds) == SIZE_64 ? pair_at(j, r, REFUSED_WORD) : 1;
    default: return 1;
    }
}

static void add_register(Job *j, int i)
{
    const OperandId o = (OperandId)j->format->opd[i];
    const OperandInfo *info = &isa_operand[o];
    const u32 first = (u32)(j->p ? isa_extend(j->p, o, j->in->opd[i]) : j->in->opd[i]);
    const u32 file = info->kind == K_VREG ? 256 : 64;
    IsaRegs r = {.role = (u8)j->format->roles[i],
                 .operand = (u8)i,
                 .is_vector = info->kind == K_VREG,
                 .is_read = info->use & USE_R,
                 .is_written = info->use & USE_W,
                 .first = (u8)first};
    j->f->lanes |= r.is_vector;
    if (first >= file) {
        refuse(j, REFUSED_REGISTER, first);
        return;
    }
    const u32 count = count_of(j, &r);
    if (first + count > file)
        refuse(j, REFUSED_REGISTER, file);
    r.count = (u8)count;
    j->f->reg[j->f->nregs++] = r;
}

static void add_v0(Job *j)
{
    j->f->reg[j->f->nregs++] = (IsaRegs){
        .role = ROLE_MASK, .operand = MAXOPD, .is_vector = true, .is_read = true, .count = 1};
}

static void add_registers(Job *j)
{
    for (int i = 0; i < j->format->nopd; i++) {
        const OperandInfo *o = &isa_operand[j->format->opd[i]];
        if ((o->kind == K_XREG || o->kind == K_VREG) && o->use != USE_N)
            add_register(j, i);
    }
    if (j->f->masked || j->effect->reads & STATE_V0)
        add_v0(j);
    /* a 64-bit word with a result of less than 32 bits keeps the rest of the register */
    const i32 size = j->effect->widths[0] == 'z' ? value_of(j->in, O_vds) : SIZE_32;
    if (size == SIZE_16 || size == SIZE_8)
        j->f->reg[0].is_read = true;
}

/* --- numbers ---------------------------------------------------------------------------- */

static void set_number(Job *j, int i)
{
    const OperandId o = (OperandId)j->format->opd[i];
    const i32 v = j->in->opd[i];
    IsaFacts *f = j->f;
    switch ((OperandKind)isa_operand[o].kind) {
    case K_IMM12: f->imm = (i32)sign_extend((u32)v, 12); break;
    case K_IMMX:
    case K_IMMZ: f->imm = isa_extend_imm(j->p ? j->p : &(IsaPrefix){.valid = false}, o, v); break;
    case K_IMM:
        if (j->format->roles[i] == ROLE_A)
            f->uimm = (u8)v;
        else
            f->imm = o == O_uimm20 ? (i32)((u32)v << 12) : v;
        break;
    case K_REL:
    case K_CSR:
    case K_VTYPE: f->imm = v; break;
    case K_KEY: f->imm = j->format->roles[i] == ROLE_OFFSET ? v : f->imm; break;
    case K_RM: f->rm = (u8)v; break;
    case K_MASK: f->masked = j->format->roles[i] == ROLE_MASK && !(v & 1); break;
    default: break;
    }
}

/* --- prefixes and memory ------------------------------------------------------------------ */

static void set_access(Job *j)
{
    const IsaPrefix *p = j->p;
    IsaFacts *f = j->f;
    f->access = j->effect->access;
    f->space = j->effect->space;
    f->bytes = (u8)isa_access_bytes(j->in->id);
    f->sgn = f->bytes < 4 && isa_op_of(j->in->id)->sgn && f->access == ACCESS_LOAD;
    f->words = 1;
    f->wide = j->effect->widths[3] == '2';
    if (f->access == ACCESS_NONE || f->access == ACCESS_COPY || !p || !p->memory)
        return;
    f->by_prefix = true;
    f->words = p->words;
    f->wide |= p->wide;
    if (p->space != SPACE_DEFAULT)
        f->space = p->space;
    else if (f->wide && f->space == SPACE_FLAT)
        f->space = SPACE_DEFAULT;
    /* several words go to several registers: not bytes, not atomics */
    if (f->words > 1 && (f->bytes != 4 || j->effect->widths[0] != 'n'))
        refuse(j, REFUSED_WORD, 0);
}

static void set_modifiers(Job *j)
{
    const IsaPrefix *p = j->p;
    if (!p || !j->effect->signs)
        return;
    j->f->abs = p->abs;
    j->f->neg = p->neg;
    j->f->pair = j->effect->widths[0] == 'g' && p->pair;
    if (j->f->pair && !op_has_pair((Op)isa_insn[j->in->id].op))
        refuse(j, REFUSED_WORD, 0);
}

/* --- state --------------------------------------------------------------------------------- */

/* whether a float changes its width on the way into or out of an operation under pair=1 */
static bool changes_width(const Job *j)
{
    for (int i = 0; j->f->pair && i < j->f->nregs; i++) {
        const IsaRegs *r = &j->f->reg[i];
        const bool is_result = r->role == ROLE_D;
        if (r->first & 1 && ((is_result && j->op & OF_TO_FLOAT && !(j->op & OF_WORD)) ||
                             (r->is_read && r->role != ROLE_MASK && j->op & OF_FROM_FLOAT)))
            return true;
    }
    return false;
}

static void set_float_state(Job *j)
{
    IsaFacts *f = j->f;
    const bool modified = f->pair || f->abs || f->neg;
    if (isa_insn[j->in->id].op != OP_none && !(j->op & OF_RAISES))
        f->writes &= (u16)~STATE_FFLAGS;
    if (changes_width(j))
        f->writes |= STATE_FFLAGS;
    /* vector instructions, and modified ones, look at frm even where nothing is rounded */
    if (!f->lanes && !modified && !strchr(j->format->roles, ROLE_ROUND))
        f->rm = FP_RNE;
    if (f->rm != 7)
        f->reads &= (u16)~STATE_FRM;
    else if (modified && j->op & OF_FLOAT)
        f->reads |= STATE_FRM;
}

static void set_state(Job *j)
{
    IsaFacts *f = j->f;
    f->reads = j->effect->reads & (u16)~STATE_V0;
    f->writes = j->effect->writes;
    if (j->op & OF_VXRM)
        f->reads |= STATE_VXRM;
    if (j->op & OF_SATURATES)
        f->writes |= STATE_VXSAT;
    set_float_state(j);
    const bool no_source = f->nregs > 1 && f->reg[1].role == ROLE_A ? !f->reg[1].first : !f->uimm;
    switch ((Effect)isa_insn[j->in->id].effect) {
    case E_VCSR: f->reads = isa_csr_state((u32)f->imm, false); break;
    case E_CSR: /* csrrs and csrrc of x0 or 0 only read, csrrw to x0 only writes */
        f->reads = isa_csr_state((u32)f->imm, false);
        f->writes = isa_csr_state((u32)f->imm, true);
        if (no_source && isa_insn[j->in->id].op != OP_copy)
            f->writes = 0;
        if (!f->reg[0].first && isa_insn[j->in->id].op == OP_copy)
            f->reads = 0;
        break;
    case E_VSET: /* x0 and x0: vl stays as far as it may */
        if (j->in->id == I_vsetivli || !no_source || f->reg[0].first)
            f->reads = 0;
        break;
    default: break;
    }
}

/* --- the whole ------------------------------------------------------------------------------ */

static void check_word(Job *j, u32 lanes)
{
    const Effect e = (Effect)isa_insn[j->in->id].effect;
    const i32 from = value_of(j->in, O_vss), to = value_of(j->in, O_vds);
    if (e == E_WORD64F && (from == SIZE_8 || to == SIZE_8))
        refuse(j, REFUSED_WORD, 0);
    /* sparsity, warp groups and the reserved bits have no meaning yet */
    if (e == E_MMA64 && value_of(j->in, O_hmma))
        refuse(j, REFUSED_WORD, 0);
    if (e == E_DMA && j->f->imm > 2)
        refuse(j, REFUSED_WORD, 0);
    if (lanes && (((e == E_MMA || e == E_MMA64) && lanes != 32) ||
                  (e == E_DMA_TENSOR && lanes < 16))) /* its descriptors take 15 lanes */
        refuse(j, REFUSED_LANES, 0);
}

bool isa_facts(const Insn *in, const IsaPrefix *p, IsaSet set, u32 lanes, IsaFacts *f)
{
    const EffectInfo *effect = isa_effect_of(in->id);
    /* a memory prefix is void, its register bits too, before anything else */
    if (p && (!p->valid ||
              (p->memory && (effect->access == ACCESS_NONE || effect->access == ACCESS_COPY))))
        p = NULL;
    Job j = {in, p, isa_format_of(in->id), effect, isa_op_of(in->id)->facts, f};
    *f = (IsaFacts){.control = effect->control, .rm = 7};
    for (int i = 0; i < j.format->nopd; i++)
        set_number(&j, i);
    set_access(&j);
    set_modifiers(&j);
    add_registers(&j);
    set_state(&j);
    check_word(&j, lanes);
    if (f->space == SPACE_FLAT && !(set & V2025))
        f->space = SPACE_DEFAULT;
    if (f->refused)
        f->control = CONTROL_TRAP;
    return !f->refused;
}
