/* exec_ref.h -- a second opinion about what instructions do.
 *
 * A plain model of one warp, written from the documents and sharing nothing with
 * src/: it takes words apart by itself, computes integers in 64 and 128 bits and
 * floats with the host's own, and knows an instruction by its mnemonic alone.
 * It is slow and has no shortcuts.
 */
#ifndef CHECK_EXEC_REF_H
#define CHECK_EXEC_REF_H
#include "mach/warp.h"

enum { REF_STACK = 256, REF_WINDOWS = 6 };

typedef struct Ref Ref;

/* Bytes of memory that the model may touch. */
typedef struct { u32 lo, size; u8 *bytes; } RefWindow;

struct Ref {
    u32 x[64], v[256][32];
    u32 lanes, mask, vl, vtype, pc, rpc;
    u32 fflags, frm, vxrm, vxsat;
    u32 mstatus, mie, mip, mscratch, mepc, mcause, mtval, print;
    SimtEntry stack[REF_STACK];
    u32 nstack;
    bool reserved[32];
    u32 reserved_addr[32], reserved_value[32];
    /* what the dispatcher gave */
    u32 initial, warp, warps, knl, linear, pds, group[3], local[3], global[3], offset[3];
    VmRule vm;
    RefWindow window[REF_WINDOWS]; /* ends at size 0 */
    u32 rm;                 /* rounding mode of the instruction at hand */
    u8 state;               /* WarpState */
    FaultKind fault;        /* of the last step; nothing else changed then */
    int approximate;        /* vector register that may be 2 units off, or -1 */
};

typedef enum {
    /* scalar */
    X_RR, X_RI, X_SH, X_1, X_F1, X_F2, X_F3, X_LUI, X_AUIPC, X_JAL, X_JALR, X_BRANCH, X_LOAD,
    X_STORE, X_CSR, X_CSRI, X_NOTHING, X_VSETVLI, X_VSETIVLI, X_VSETVL,
    /* vector: sources in the order vs2, vs1 or rs1 or immediate, old destination */
    V_VV, V_VX, V_VI, V_VZ, V_VH, V_1, V_I12, V_CPV, V_CPX, V_CPI, V_MERGEV, V_MERGEX, V_MERGEI,
    V_NARROWV, V_NARROWX, V_NARROWI, V_FWIDEN, V_FNARROW, V_TOX, V_ID, V_EXP, V_TTA, V_CSR,
    /* memory */
    L_UNIT, S_UNIT, L_STRIDE, S_STRIDE, L_INDEX, S_INDEX, L_12, S_12, L_PRIVATE, S_PRIVATE,
    A_AMO, A_LR, A_SC,
    /* the warp */
    W_BRANCH, W_JOIN, W_SETRPC, W_END, W_BARRIER, W_SUBBARRIER, W_PREFIX
} RefShape;

typedef struct {
    const char *name;
    RefShape shape;
    u64 (*fn)(Ref *s, u64 a, u64 b, u64 c);
    u8 width;               /* of a memory access or an index, bytes */
    bool sgn;               /* a load sign-extends */
    bool is_float;          /* obeys frm */
} RefRow;

/* NULL: the model does not know it. */
const RefRow *ref_find(const char *mnemonic);

/* Executes the instruction `word`, after the prefix word `prefix` if that is not 0. */
void ref_step(Ref *s, const RefRow *row, u32 prefix, u32 word);

/* The model's bytes at addr, or NULL. */
u8 *ref_bytes(Ref *s, u32 addr, u32 size);
/* Which lanes act: mask, vl, and v0 unless vm. */
u32 ref_exec(const Ref *s, bool vm);
#endif
