/* print.c -- an instance as text, in the form of the public LLVM's listings. */
#include "isa/isa.h"
#include <stdio.h>
#include <string.h>

static void put_vtype(Buf *b, u32 v)
{
    static const char *const lmul[8] = {"m1", "m2", "m4", "m8", NULL, "mf8", "mf4", "mf2"};
    const u32 sew = v >> 3 & 7;
    if (v >> 8 || sew > 3 || !lmul[v & 7])
        buf_printf(b, "%u", v);
    else
        buf_printf(b, "e%u, %s, %s, %s", 8u << sew, lmul[v & 7], v >> 6 & 1 ? "ta" : "tu",
                   v >> 7 & 1 ? "ma" : "mu");
}

static void put_order(Buf *b, u32 v)
{
    if (!v)
        buf_str(b, "0");
    for (int i = 3; i >= 0; i--)
        if (v >> i & 1)
            buf_put(b, &"wroi"[i], 1);
}

static void put_target(Buf *b, i32 offset, const IsaPrint *how)
{
    if (!how->have_pc) {
        buf_printf(b, "%d", offset);
        return;
    }
    const u64 target = (u32)(how->pc + (u64)(i64)offset);
    u64 past = 0;
    const char *name = how->symbol ? how->symbol(how->self, target, &past) : NULL;
    buf_printf(b, "0x%llx", (unsigned long long)target);
    if (name && past)
        buf_printf(b, " <%s+0x%llx>", name, (unsigned long long)past);
    else if (name)
        buf_printf(b, " <%s>", name);
}

static void put_csr(Buf *b, u32 n, const IsaPrint *how)
{
    bool standard = false;
    const char *name = isa_csr_name(n, &standard);
    if (name && (standard || how->csr_names))
        buf_str(b, name);
    else
        buf_printf(b, "%u", n);
}

bool isa_is_modifier(OperandKind k)
{
    return k == K_MASK || k == K_RM || k == K_AQRL || k == K_MMA || k == K_MMA64 || k == K_KEY ||
           k == K_HIDE;
}

static void put_modifier(Buf *b, const OperandInfo *o, i32 v, bool *first)
{
    static const char *const rm[8] = {"rne", "rtz", "rdn", "rup", "rmm", "5", "6", "dyn"};
    if (o->kind == K_MASK && !v)
        buf_str(b, ", v0.t");
    else if (o->kind == K_RM && v != 7)
        buf_printf(b, ", %s", rm[v & 7]);
    else if (o->kind == K_KEY && v) {
        buf_printf(b, "%s%s=%d", *first ? "" : ", ", o->key, v);
        *first = false;
    }
}

static void put_operand(Buf *b, const OperandInfo *o, i32 v, const IsaPrint *how)
{
    switch ((OperandKind)o->kind) {
    case K_XREG: buf_str(b, isa_xreg_name[v & 63]); break;
    case K_XRAW: buf_printf(b, "x%d", v); break;
    case K_VREG: buf_printf(b, "v%d", v); break;
    case K_REL: put_target(b, v, how); break;
    case K_CSR: put_csr(b, (u32)v, how); break;
    case K_VTYPE: put_vtype(b, (u32)v); break;
    case K_ORDER: put_order(b, (u32)v); break;
    default: buf_printf(b, "%d", v); break;
    }
}

/* the operands as the pattern says, after "mnemonic " */
static void put_operands(Buf *b, const char *pattern, const u8 *opd, const i32 *value,
                         const IsaPrint *how)
{
    bool first = true; /* nothing written yet: a key needs no comma */
    for (const char *p = pattern; *p; p++) {
        if (*p == ',') {
            buf_str(b, ", ");
        } else if (*p != '%') {
            buf_put(b, p, 1);
        } else {
            const OperandInfo *o = &isa_operand[*opd++];
            const i32 v = *value++;
            if (isa_is_modifier((OperandKind)o->kind)) {
                put_modifier(b, o, v, &first);
            } else if (how->instead && opd[-1] == how->hidden) {
                buf_str(b, how->instead);
            } else {
                put_operand(b, o, v, how);
                first = false;
            }
        }
    }
}

static void put_mnemonic(Buf *b, const Insn *in)
{
    static const char *const order[4] = {"", ".rl", ".aq", ".aqrl"};
    const FormatInfo *f = isa_format_of(in->id);
    const OperandKind kind = f->nopd ? (OperandKind)isa_operand[f->opd[0]].kind : K_HIDE;
    char suffix[80];
    buf_str(b, isa_insn[in->id].text);
    if (kind == K_AQRL)
        buf_str(b, order[in->opd[0] & 3]);
    else if ((kind == K_MMA || kind == K_MMA64) &&
             isa_mma_suffix(kind, in->opd[0], suffix, sizeof suffix))
        buf_str(b, suffix);
}

/* whether `in` can be written as the alias; value[] gets the written operands */
static bool alias_fits(const AliasInfo *a, const Insn *in, i32 *value)
{
    bool known[MAXOPD] = {false};
    if (a->base != in->id)
        return false;
    for (int i = 0; i < isa_format_of(in->id)->nopd; i++) {
        const int from = a->map[i].from;
        const i32 v = in->opd[i] - a->map[i].value;
        if (from < 0 ? v != 0 : known[from] && value[from] != v)
            return false;
        if (from >= 0) {
            known[from] = true;
            value[from] = v;
        }
    }
    return true;
}

static bool has_hidden_bits(const Insn *in)
{
    const FormatInfo *f = isa_format_of(in->id);
    for (int i = 0; i < f->nopd; i++)
        if (isa_operand[f->opd[i]].kind == K_HIDE && in->opd[i])
            return true;
    return false;
}

static void put_data(Buf *b, u64 word, int len)
{
    if (len == 8)
        buf_printf(b, ".dword 0x%016llx", (unsigned long long)word);
    else
        buf_printf(b, ".word 0x%08llx", (unsigned long long)word);
}

void isa_print(Buf *b, const Insn *in, const IsaPrint *how)
{
    const FormatInfo *f = isa_format_of(in->id);
    i32 value[MAXOPD];
    u64 word;

    if (has_hidden_bits(in)) {
        isa_encode(in, &word, NULL);
        put_data(b, word, isa_insn[in->id].len);
        buf_printf(b, " # %s", isa_insn[in->id].text);
        return;
    }
    for (int i = 0; i < isa_nalias && !how->raw; i++) {
        const AliasInfo *a = &isa_alias[i];
        if (!a->printed || !alias_fits(a, in, value))
            continue;
        buf_printf(b, a->pattern[0] ? "%s " : "%s", a->text);
        put_operands(b, a->pattern, a->opd, value, how);
        return;
    }
    put_mnemonic(b, in);
    const size_t before = b->len;
    buf_str(b, " ");
    put_operands(b, f->pattern, f->opd, in->opd, how);
    if (b->len == before + 1 && !b->failed)
        b->data[--b->len] = 0;
}

void isa_print_word(Buf *b, const IsaDecoder *d, u64 word, int len, const IsaPrint *how)
{
    Insn in;
    if (isa_decode(d, word, &in) && isa_insn[in.id].len == len)
        isa_print(b, &in, how);
    else
        put_data(b, word, len);
}
