/* names.c -- registers, CSRs, mnemonics and profiles by name. */
#include "base/diag.h"
#include "isa/isa.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* --- profiles ---------------------------------------------------------------- */

static const struct {
    const char *name;
    IsaSet set;
} sets[] = {
    {"v202", V202},
    {"v2025", V2025},
    {"ai", AI},
    {"tidx", TIDX},
};

bool isa_parse_set(const char *text, IsaSet *set)
{
    *set = 0;
    for (const char *p = text;;) {
        const size_t len = strcspn(p, "+");
        size_t i = 0;
        while (i < countof(sets) && (strlen(sets[i].name) != len || strncmp(sets[i].name, p, len)))
            i++;
        if (i == countof(sets))
            return false;
        *set |= sets[i].set;
        if (!p[len])
            break;
        p += len + 1;
    }
    return is_pow2(*set & (V202 | V2025));
}

void isa_set_name(IsaSet set, char name[24])
{
    name[0] = 0;
    for (size_t i = 0; i < countof(sets); i++)
        if (set & sets[i].set) {
            if (name[0])
                strcat(name, "+");
            strcat(name, sets[i].name);
        }
}

/* --- registers --------------------------------------------------------------- */

/* x36 is t12: the public assembler has no t11, and its names stay in use */
const char *const isa_xreg_name[64] = {
    "zero", "ra",  "sp",  "gp",  "tp",  "t0",  "t1",  "t2",  "s0",  "s1",  "a0",  "a1",  "a2",
    "a3",   "a4",  "a5",  "a6",  "a7",  "s2",  "s3",  "s4",  "s5",  "s6",  "s7",  "s8",  "s9",
    "s10",  "s11", "t3",  "t4",  "t5",  "t6",  "t7",  "t8",  "t9",  "t10", "t12", "t13", "t14",
    "t15",  "t16", "t17", "t18", "t19", "t20", "t21", "t22", "t23", "t24", "t25", "t26", "t27",
    "t28",  "t29", "t30", "t31", "t32", "t33", "t34", "t35", "t36", "t37", "t38", "t39",
};

/* letter followed by a decimal number below limit, without leading zeros */
static bool numbered(const char *text, size_t len, char letter, int limit, int *n)
{
    if (len < 2 || len > 4 || text[0] != letter || (text[1] == '0' && len > 2))
        return false;
    *n = 0;
    for (size_t i = 1; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *n = *n * 10 + (text[i] - '0');
    }
    return *n < limit;
}

bool isa_find_xreg(const char *text, size_t len, int *n)
{
    if (numbered(text, len, 'x', 64, n))
        return true;
    for (int i = 0; i < 64; i++)
        if (strlen(isa_xreg_name[i]) == len && !strncmp(isa_xreg_name[i], text, len)) {
            *n = i;
            return true;
        }
    if (len == 2 && !strncmp(text, "fp", 2)) {
        *n = 8;
        return true;
    }
    return false;
}

bool isa_find_vreg(const char *text, size_t len, int *n)
{
    return numbered(text, len, 'v', 256, n);
}

/* --- CSRs -------------------------------------------------------------------- */

static const struct {
    u32 n;
    const char *name;
    bool standard, alias;
} csrs[] = {
#define CSR(number, name, access, standard, ...) {number, #name, standard, false},
#define CSR_LANES(number, name, ...)             {number, #name, false, false},
#define CSR_ALIAS(number, name)                  {number, #name, false, true},
#include "isa/csr.def"
};

bool isa_find_csr(const char *text, size_t len, u32 *n)
{
    if (len > 4 && !strncasecmp(text, "csr_", 4)) {
        text += 4;
        len -= 4;
    }
    for (size_t i = 0; i < countof(csrs); i++)
        if (strlen(csrs[i].name) == len && !strncasecmp(csrs[i].name, text, len)) {
            *n = csrs[i].n;
            return true;
        }
    return false;
}

const char *isa_csr_name(u32 n, bool *standard)
{
    for (size_t i = 0; i < countof(csrs); i++)
        if (csrs[i].n == n && !csrs[i].alias) {
            if (standard)
                *standard = csrs[i].standard;
            return csrs[i].name;
        }
    return NULL;
}

enum { KEPT_BY_RO = false, KEPT_BY_RW = true };
#define STATE(number, access, state)                                                               \
    case number: return !writes || KEPT_BY_##access ? state : 0;

u16 isa_csr_state(u32 n, bool writes)
{
    switch (n) {
#define CSR(number, name, access, standard, state, ...) STATE(number, access, state)
#include "isa/csr.def"
    default: return 0;
    }
}

/* --- mnemonics --------------------------------------------------------------- */

/* Reads what follows the row's name in a mnemonic: nothing, .aq and .rl, or a shape. */
static bool read_suffix(InsnId id, const char *text, size_t len, Insn *in)
{
    const FormatInfo *f = isa_format_of(id);
    const OperandKind kind = f->nopd ? (OperandKind)isa_operand[f->opd[0]].kind : K_HIDE;
    static const char *const order[] = {"", ".rl", ".aq", ".aqrl"};

    if (kind == K_MMA || kind == K_MMA64)
        return isa_find_mma(kind, text, len, &in->opd[0]);
    for (i32 i = 0; i < (kind == K_AQRL ? 4 : 1); i++)
        if (strlen(order[i]) == len && !strncmp(order[i], text, len)) {
            if (kind == K_AQRL)
                in->opd[0] = i;
            return true;
        }
    return false;
}

bool isa_find_insn(const char *text, size_t len, IsaSet set, Insn *in, IsaSet *elsewhere)
{
    IsaSet others = 0;
    for (int id = 0; id < NINSN; id++) {
        const size_t n = strlen(isa_insn[id].text);
        if (n > len || strncmp(isa_insn[id].text, text, n))
            continue;
        *in = (Insn){.id = (InsnId)id};
        if (!read_suffix((InsnId)id, text + n, len - n, in))
            continue;
        if (isa_has(set, (InsnId)id))
            return true;
        others |= isa_insn[id].sets & (V202 | V2025 | AI | TIDX);
    }
    if (elsewhere)
        *elsewhere = others;
    return false;
}

const char *isa_suggest(const char *text, size_t len, IsaSet set)
{
    const char *best = NULL;
    int distance = 3;
    for (int id = 0; id < NINSN; id++) {
        const char *name = isa_insn[id].text;
        const int d = isa_has(set, (InsnId)id)
                          ? edit_distance(text, len, name, strlen(name), distance)
                          : distance;
        if (d < distance) {
            distance = d;
            best = name;
        }
    }
    return best;
}

/* --- small texts --------------------------------------------------------------- */

static const char *const rm_name[8] = {"rne", "rtz", "rdn", "rup", "rmm", NULL, NULL, "dyn"};

bool isa_find_rm(const char *text, size_t len, i32 *rm)
{
    for (i32 i = 0; i < 8; i++)
        if (rm_name[i] && len == 3 && !strncmp(rm_name[i], text, 3)) {
            *rm = i;
            return true;
        }
    return false;
}

bool isa_find_order(const char *text, size_t len, i32 *order)
{
    static const char letters[] = "wroi"; /* bit 0 first */
    *order = 0;
    for (size_t i = 0; i < len; i++) {
        const char *p = memchr(letters, text[i], 4);
        if (!p || *order >> (p - letters) & 1)
            return false;
        *order |= 1 << (p - letters);
    }
    return len > 0;
}

/* --- aliases ------------------------------------------------------------------- */

#define A(n)                                                                                       \
    {                                                                                              \
        n, 0                                                                                       \
    }
#define A1(n)                                                                                      \
    {                                                                                              \
        n, -1                                                                                      \
    }
#define K(v)                                                                                       \
    {                                                                                              \
        -1, v                                                                                      \
    }

/* written operands end at O_none, which `none` rows consist of */
#define OPERANDS(...)                                                                              \
    {                                                                                              \
        __VA_ARGS__, O_none                                                                        \
    }

const AliasInfo isa_alias[] = {
#define ALIAS(text, printed, pattern, written, base, ...)                                          \
    {text, pattern, written, I_##base, {__VA_ARGS__}, printed},
#include "isa/alias.def"
};
const int isa_nalias = countof(isa_alias);
