/* routine.c -- functions of the device library whose results the host computes at once.
 *
 * The machine has no binary64, so the library computes it with integers (lib/opencl/double.cl): a hundred
 * instructions for what the host does in one.  A function is known by its words, of which routine.def lists a hash.
 * A call of it may then do what the path would do that the function takes where no operand and no result is special
 * (hostdouble.c): results, scalars, count of instructions, reconvergence pc.  What else the function writes must not
 * be read after the call; operands that lead elsewhere have it executed as any other.
 */
#include "base/mem.h"
#include "isa/abi.h"
#include "jit/region.h"
#include "jit/siphash.h"
#include "sim/handlers.h"
#include <string.h>

enum { MOST = 1280 }; /* instructions */

typedef struct {
    u64 hash;
    u8 args, results;
    bool takes;
} Row;

static const Row row[NROUTINE] = {
#define ROUTINE(name, args, results, takes, hash) [ROUTINE_##name] = {hash, args, results, takes},
#include "jit/routine.def"
};

u32 routine_args(RoutineId id) { return row[id].args; }
u32 routine_results(RoutineId id) { return row[id].results; }

/* --- the whole function --------------------------------------------------------------------- */

static bool returns(const Uop *u)
{
    return (Effect)isa_insn[u->id].effect == E_JALR && !u->rd && u->ra == REG_ra && !u->imm;
}

/* Whether it is an instruction of a function that computes rows, calls nothing and returns. */
static bool is_plain(const Uop *u, const IsaFacts *f)
{
    if (u->id >= NINSN || f->refused || f->access != ACCESS_NONE || u->step != 1 || u->mod)
        return false;
    switch ((Effect)isa_insn[u->id].effect) {
    case E_ALU:
    case E_MAC:
    case E_FALU:
    case E_FMAC:
    case E_LUI:
    case E_AUIPC:
    case E_SETRPC: return true;
    case E_JAL: return !u->rd;
    default:
        return (IsaControl)f->control == CONTROL_SPLIT || (IsaControl)f->control == CONTROL_JOIN ||
               returns(u);
    }
}

/* A function as far as it is known. */
typedef struct {
    Routine *r;
    Code *code;
    Warp *w;
    u32 words[2 * MOST];       /* place and word of each instruction */
    u32 fork[MOST + 1], nfork; /* where it is to be looked at */
    u64 seen[MOST / 64];       /* a bit for each place */
} Walk;

/* The instruction at pc, and what it uses.  NULL: there is none that such a function could have. */
static const Uop *look(Code *code, Warp *w, u32 pc, RegUse *use, IsaControl *control)
{
    IsaFacts facts, *of[1] = {&facts};
    const Uop *u = code_at(code, w, pc), *uop[1] = {u};
    w->group->faulted = false;
    if (!u)
        return NULL;
    code_facts_of(code, u, &facts);
    const RegionBlock b = {.full = true, .uop = uop, .facts = of, .nuop = 1};
    *use = block_use(&b, 0);
    *control = (IsaControl)facts.control;
    return is_plain(u, &facts) ? u : NULL;
}

/* Notes the instructions from pc on, up to where the function returns or goes on at noted ones.  False: it is no
 * routine. */
static bool walk(Walk *k, u32 pc)
{
    Routine *r = k->r;
    for (;;) {
        const u32 place = (pc - r->pc) / 4;
        RegUse use;
        IsaControl control;
        if (place >= MOST || k->seen[place / 64] >> place % 64 & 1)
            return place < MOST;
        const Uop *u = look(k->code, k->w, pc, &use, &control);
        if (!u)
            return false;
        regset_unite(&r->writes, &use.writes);
        k->seen[place / 64] |= (u64)1 << place % 64;
        k->words[2 * r->nuop] = pc - r->pc;
        k->words[2 * r->nuop + 1] = u->word;
        r->uop[r->nuop++] = u;
        pc = next_pc(u);
        if (control == CONTROL_SPLIT)
            k->fork[k->nfork++] = (u32)u->imm;
        else if (control == CONTROL_JUMP)
            pc = (u32)u->imm;
        else if (returns(u))
            return true;
    }
}

/* All of the function at r->pc; its hash, or 0. */
static u64 hash_function(Routine *r, Code *code, Warp *w)
{
    const u8 key[16] = "binary64 by host";
    Walk k = {.r = r, .code = code, .w = w, .fork = {r->pc}, .nfork = 1};
    r->nuop = 0;
    r->writes = (RegSet){0};
    for (u32 i = 0; i < k.nfork; i++)
        if (!walk(&k, k.fork[i]))
            return 0;
    return r->writes.x >> REG_ra & 1 ? 0 : siphash(key, k.words, 2 * r->nuop * sizeof *k.words);
}

u64 routine_hash(Code *code, Warp *w, u32 pc)
{
    const Uop *uop[MOST];
    Routine r = {.pc = pc, .uop = uop};
    return hash_function(&r, code, w);
}

/* --- the path where nothing is special --------------------------------------------------------- */

/* What the instruction leaves in a scalar register; false: not by scalars that the path has set. */
static bool compute(Routine *r, const Uop *u, const RegUse *use)
{
    const Effect e = (Effect)isa_insn[u->id].effect;
    const FormatId form = (FormatId)isa_insn[u->id].format;
    const bool by_imm = form == F_I || form == F_SH;
    if (use->reads.x & ~r->sets && !returns(u))
        return false;
    if (e == E_SETRPC)
        r->rpc = r->x[u->ra] + (u32)u->imm;
    if (!use->writes.x)
        return true;
    if (e == E_LUI || e == E_AUIPC)
        r->x[u->rd] = (u32)u->imm;
    else if (e == E_ALU && (by_imm || form == F_R))
        r->x[u->rd] =
            op_eval((Op)isa_insn[u->id].op, r->x[u->ra], by_imm ? (u32)u->imm : r->x[u->rb]);
    else
        return false;
    r->sets |= use->writes.x;
    return true;
}

/* Follows it from the beginning on.  False: a function that is listed should not be so. */
static bool follow(Routine *r, Code *code, Warp *w, bool takes)
{
    u32 pc = r->pc;
    for (u32 n = 0; n < MOST; n++) {
        RegUse use;
        IsaControl control;
        const Uop *u = look(code, w, pc, &use, &control);
        if (!u || !compute(r, u, &use) || (control == CONTROL_JOIN && r->njoin == countof(r->join)))
            return false;
        r->insns += uop_insns(u);
        if (control == CONTROL_JOIN)
            r->join[r->njoin++] = u->pc;
        if (returns(u))
            return true;
        pc = control == CONTROL_JUMP || (takes && control == CONTROL_SPLIT) ? (u32)u->imm
                                                                            : next_pc(u);
    }
    return false;
}

bool routine_find(Code *code, Warp *w, u32 pc, Routine *to)
{
    *to = (Routine){.pc = pc, .id = NROUTINE, .uop = mem_alloc(MOST * sizeof *to->uop)};
    if (!to->uop)
        return false;
    const u64 hash = hash_function(to, code, w);
    for (u32 i = 0; hash && i < NROUTINE; i++)
        if (row[i].hash == hash)
            to->id = (RoutineId)i;
    if (to->id == NROUTINE || !follow(to, code, w, row[to->id].takes)) {
        to->id = NROUTINE;
        to->nuop = 0;
    }
    return true;
}
