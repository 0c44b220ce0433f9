/* handlers.h -- what the files of handlers share, and the handlers that are compiled once; lane.h
 * makes those that are compiled for each level of the host. */
#ifndef SIM_HANDLERS_H
#define SIM_HANDLERS_H
#include "isa/op.h"
#include "sim/uop.h"
#include <fenv.h>
#include <string.h>

#define HANDLER(name) const Uop *name(Warp *w, const Uop *u)

/* The Uop after u; the address of the next instruction. */
static inline const Uop *next(const Uop *u) { return u + u->step; }
static inline u32 next_pc(const Uop *u) { return u->pc + 4u * u->step; }

/* The pc of the instruction proper, after its prefix. */
static inline u32 insn_pc(const Uop *u) { return next_pc(u) - u->len; }

/* Goes on at pc, in whatever page. */
static inline const Uop *go(Warp *w, u32 pc)
{
    Code *c = warp_code(w);
    const u32 at = pc - CODE_LO;
    if (at < CODE_END - CODE_LO && !(pc & 3)) {
        const CodePage *page = atomic_load_explicit(&c->page[at >> PAGE_BITS], memory_order_acquire);
        if (page)
            return &page->uop[at >> 2 & (PAGE_UOPS - 1)];
    }
    return code_at(c, w, pc);
}

/* Whether the instruction at pc is a join; no fault if there is none. */
static inline bool is_join(Warp *w, u32 pc)
{
    const Uop *u = go(w, pc);
    w->group->faulted &= u != NULL;
    return u && u->id == I_join;
}

/* Stops the warp with a fault at u. */
const Uop *fail(Warp *w, const Uop *u, FaultKind kind, int lane);
const Uop *fail_at(Warp *w, const Uop *u, FaultKind kind, int lane, u64 addr, u32 width);

/* Adds the flags that host floating point raised to the warp's, and clears them. */
void take_host_flags(Warp *w);
/* Gives the calling thread the floating-point environment that guests run in: rounding to nearest,
 * no flag raised, no flush to zero.  Returns the thread's old one, for leave_guest_floats(). */
#if defined(__x86_64__)
typedef u32 HostFloats; /* MXCSR: guests do without x87 */
#else
typedef fenv_t HostFloats;
#endif
HostFloats enter_guest_floats(void);
void leave_guest_floats(const HostFloats *host);

/* Whether the host's floats compute what RISC-V's do and raise the same flags; on other hosts isa/fp.h
 * computes.  x86 detects tiny results after rounding, as RISC-V does.  AArch64 detects them before: what
 * becomes the least normal float, it may have called an underflow, so isa/fp.h computes it again. */
#if defined(__x86_64__) || defined(__aarch64__)
#define HOST_FLOATS true
#else
#define HOST_FLOATS false
#endif

/* Whether the flags that the host raised for a result with these bits may be others than RISC-V's; what
 * it had raised before that result, and to which it is set back then. */
#if defined(__aarch64__)
#define HOST_DOUBTS(r) (((r) & 0x7fffffff) == 0x00800000)
static inline u64 raised_before(void)
{
    u64 fpsr;
    __asm__ volatile("mrs %0, fpsr" : "=r"(fpsr)::"memory");
    return fpsr;
}
static inline void raise_again(u64 fpsr) { __asm__ volatile("msr fpsr, %0" ::"r"(fpsr) : "memory"); }
#else
#define HOST_DOUBTS(r) ((void)(r), false)
static inline u64 raised_before(void) { return 0; }
static inline void raise_again(u64 before) { (void)before; }
#endif

/* The handler of u without regard to vm. */
Handler *handler_of(const Code *c, const Uop *u);
/* By Effect: the handler of an instruction that a compute prefix changes (wide.c); NULL: the usual
 * handler looks at the prefix itself. */
extern Handler *const handler_modified[NEFFECT];

/* --- floats as bits ---------------------------------------------------------------- */

/* The bits of a float; the float of bits; the bits with every NaN made canonical. */
static inline u32 bits_of(float f)
{
    u32 b;
    memcpy(&b, &f, sizeof b);
    return b;
}

static inline float float_of(u32 b)
{
    float f;
    memcpy(&f, &b, sizeof f);
    return f;
}

static inline u32 canonical(float f)
{
    const u32 b = bits_of(f);
    return f32_nan(b) ? F32_CANONICAL : b;
}

/* chosen[i] = whether lane i takes part under v0 (Launch.vm tells how v0 is read) */
void lanes_under_v0(const Warp *w, u32 chosen[MAX_LANES]);

/* scalar.c: one for each integer operation, two registers or register and immediate */
#define OP(name, ...) Handler x_rr_##name, x_ri_##name;
#include "isa/op.def"
#define FOP(name, ...)  Handler x_f_##name;
#define FOP3(name, ...) Handler x_f3_##name;
#define FBIT(name, ...) Handler x_f_##name;
#include "isa/op.def"

Handler x_lui, x_auipc, x_jal, x_jalr, x_csr, x_vset, x_nop, x_fence;
#define OP(name, ...) Handler x_branch_##name;
#include "isa/op.def"
Handler x_load_b, x_load_h, x_load_w, x_load_bu, x_load_hu, x_store_b, x_store_h, x_store_w;

/* control.c */
Handler w_join, w_setrpc, w_exit, w_barrier, w_trap, w_unsupported, w_page_end,
    w_lone_prefix, w_masked, w_illegal, w_register;

/* special.c */
Handler v_exp, v_tta, v_lr, v_sc, v_toscalar, v_csr_lanes;
Handler v_amo;
/* Atomics at addresses that are given. */
const Uop *amo_at(Warp *w, const Uop *u, const u64 addr[MAX_LANES]);
const Uop *lr_at(Warp *w, const Uop *u, const u64 addr[MAX_LANES]);
const Uop *sc_at(Warp *w, const Uop *u, const u64 addr[MAX_LANES]);
/* An atomic of all active lanes at one word.  What they do one after another is done to a copy,
 * which replaces the word if nobody has changed it meanwhile.  old: what each found. */
void exchange_word(Op op, const Warp *w, u32 *word, const u32 source[MAX_LANES],
                   u32 old[MAX_LANES]);

/* wide.c: register pairs, abs and neg, widening and narrowing */
Handler v_general, v_widen, v_widen_mac, v_narrow, v_fwiden, v_fnarrow, x_pair;

/* memory64.c: the address rules of v2025 */
Handler v_memory;

/* matrix.c, copy.c, half.c: the tensor instructions, asynchronous copies, 16-bit floats */
Handler v_mma, v_mma64, w_dma, w_dma_bulk, w_dma_tensor, w_dma_wait, v_word64, v_shuffle, v_cvt16,
    v_packed, v_sfu;

/* --- memory (access.c) -------------------------------------------------------- */

/* The memory that address a belongs to: the group's window or the device's. */
static inline const Memory *view(const Warp *w, u64 a)
{
    return a - LDS_LO < LDS_END - LDS_LO ? &w->group->lds : w->group->launch->memory;
}

enum { RANGE_PAGES = 32 }; /* accesses spread wider than this go lane by lane */

/* If all of lo..last is plain memory with the right `need` (MEM_R or MEM_W), the host address of
 * guest address 0, to which addresses of the range can be added; NULL: look at each access. */
static inline u8 *range(const Warp *w, u64 lo, u64 last, u8 need)
{
    const Memory *m = view(w, lo);
    const u64 first = lo >> PAGE_BITS, end = last >> PAGE_BITS;
    u8 all = need;
    if (w->group->careful || end - first > RANGE_PAGES || last >= m->end)
        return NULL;
    for (u64 p = first; p <= end; p++)
        all &= memory_rights(m, p);
    return all ? m->base : NULL;
}

/* One access of `width` bytes at a by lane `lane` (-1: scalar), in full: views,
 * translation, rights, alignment, tracked and code pages.  False: the fault is
 * recorded. */
bool access_load_checked(Warp *w, const Uop *u, u64 a, u32 width, int lane, u32 *value);
bool access_store_checked(Warp *w, const Uop *u, u64 a, u32 width, int lane, u32 value);

/* The same, and at once where that is plain memory and nobody notes accesses. */
static inline bool access_load(Warp *w, const Uop *u, u64 a, u32 width, int lane, u32 *value)
{
    const u8 *base = w->group->notes ? NULL : range(w, a, a + width - 1, MEM_R);
    if (!base)
        return access_load_checked(w, u, a, width, lane, value);
    *value = memory_get(base + a, width);
    return true;
}

static inline bool access_store(Warp *w, const Uop *u, u64 a, u32 width, int lane, u32 value)
{
    const bool special = w->group->notes || w->group->reservations;
    u8 *base = special ? NULL : range(w, a, a + width - 1, MEM_W);
    if (!base)
        return access_store_checked(w, u, a, width, lane, value);
    memory_put(base + a, width, value);
    return true;
}

/* The host address of an aligned word, for a read-modify-write, which the caller notes; NULL:
 * fault. */
u32 *access_atomic(Warp *w, const Uop *u, u64 a, int lane);
/* Notes an access that was made, if the group notes accesses.  False: out of memory; the fault is
 * recorded. */
bool access_note(Warp *w, const Uop *u, u64 a, u32 width, int lane, bool reads, bool writes);
/* The same of all active lanes at the addresses addr[], of which lo is the lowest and hi the highest
 * one. */
/* Whether byte a, and those of the width after it, are in the private memory of the lane, as a strict
 * machine wants it, or the machine is not strict.  False: it faulted. */
bool access_private(Warp *w, const Uop *u, u64 a, u32 width, int lane);
bool access_note_lanes(Warp *w, const Uop *u, u32 lo, u32 hi, u32 width, bool writes);

/* Whether a copy that no warp has waited for fills some of these bytes (copy.c). */
bool is_pending(const Group *g, u64 addr, u32 width);

/* Ends the reservations (lr) of the group on words that a store touched. */
void drop_reservations(Group *g, u64 addr, u32 width);
#endif
