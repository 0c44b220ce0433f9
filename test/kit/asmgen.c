/* asmgen.c -- random programs in assembly (see asmgen.h). */
#include "test/kit/asmgen.h"
#include "mach/memory.h"
#include <stdarg.h>
#include <stdio.h>

AsmGen gen = {.set = V202 | AI | TIDX};

void gen_begin(u64 program) { gen.seed = program * 0x9e3779b97f4a7c15u; }

u32 below(u32 n)
{
    gen.seed ^= gen.seed << 13, gen.seed ^= gen.seed >> 7, gen.seed ^= gen.seed << 17;
    return (u32)((gen.seed >> 32) * n >> 32);
}
bool one_in(u32 n) { return !below(n); }

u32 random_word(void)
{
    static const u32 corner[] = {0,          1,          31,         0x7f,       0xff,
                                 0x7fff,     0x80000000, 0x7fffffff, 0xffffffff, 0x3f800000,
                                 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
                                 0xffc12345, 0x007fffff, 0x80000001, 0x4f000000, 0xcf000000,
                                 0x4f800000, 0x5f000000, 0x3f000000, 0x40200000};
    switch (below(4)) {
    case 0: return corner[below(countof(corner))];
    case 1: return (below(UINT32_MAX) & 0x807fffff) | (110 + below(40)) << 23;
    case 2: return (u32)((i32)below(UINT32_MAX) >> below(32));
    default: return below(UINT32_MAX);
    }
}

enum { VREGS = 36 }; /* of random results; 32 on need a prefix */

static u32 any_x(void) { return one_in(8) ? 0 : 12 + below(16); }
static u32 any_v(void) { return below(VREGS); }
static u32 low_v(void) { return 3 + below(29); }

void no_text(void) { gen.text.len = gen.labels = gen.functions = 0; }

/* Puts a line of a program: the formatted text between `before` and `after`. */
static void put_line(const char *before, const char *fmt, va_list ap, const char *after)
{
    char one[200];
    vsnprintf(one, sizeof one, fmt, ap);
    buf_printf(&gen.text, "%s%s%s\n", before, one, after);
}

void line(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_line("\t", fmt, ap, "");
    va_end(ap);
}

void label(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_line("", fmt, ap, ":");
    va_end(ap);
}

/* Register pairs, abs and neg, of v2025: even registers are pairs where pair=1 says so. */
static void random_pair(void)
{
    static const char *const vv[] = {
        "vadd.vv",  "vsub.vv",   "vand.vv",  "vor.vv",     "vxor.vv",    "vsll.vv",  "vsrl.vv",
        "vsra.vv",  "vmseq.vv",  "vmsne.vv", "vmsltu.vv",  "vmslt.vv",   "vmsle.vv", "vminu.vv",
        "vmax.vv",  "vmul.vv",   "vfadd.vv", "vfsub.vv",   "vfmul.vv",   "vfdiv.vv", "vfmin.vv",
        "vfmax.vv", "vfsgnj.vv", "vmfeq.vv", "vfsgnjn.vv", "vfsgnjx.vv", "vmflt.vv", "vmfne.vv"};
    static const char *const vx[] = {"vadd.vx",   "vrsub.vx",  "vsll.vx",  "vsra.vx",  "vmslt.vx",
                                     "vmsgtu.vx", "vmul.vx",   "vmaxu.vx", "vfadd.vf", "vfrsub.vf",
                                     "vfmul.vf",  "vfrdiv.vf", "vfmax.vf", "vmfgt.vf", "vfsgnj.vf"};
    static const char *const vi[] = {"vadd.vi", "vrsub.vi", "vand.vi", "vxor.vi",
                                     "vsll.vi", "vsra.vi",  "vsrl.vi", "vmseq.vi"};
    static const char *const one[] = {"vfsqrt.v",     "vfclass.v",        "vfcvt.x.f.v",
                                      "vfcvt.f.xu.v", "vfcvt.rtz.xu.f.v", "vfcvt.f.x.v"};
    static const char *const mac[] = {"vfmacc", "vfnmacc", "vfmsac", "vfnmsac",
                                      "vfmadd", "vfnmadd", "vfmsub", "vfnmsub"};
    static const char *const scalar[] = {
        "add", "sub", "sll",    "slt",    "sltu",    "xor",    "srl",   "sra",   "or",
        "and", "mul", "fadd.s", "fmul.s", "fsgnj.s", "fmin.s", "feq.s", "flt.s", "fsgnjx.s"};
    static const char *const word[] = {"addw", "subw", "sllw", "srlw", "sraw"};
    static const char *const wide[] = {"vwaddu", "vwadd",  "vwsubu", "vwsub",
                                       "vwmul",  "vwmulu", "vwmulsu"};
    static const char *const wide_mac[] = {"vwmacc", "vwmaccu", "vwmaccsu"};
    static const char *const narrow[] = {"vnsrl", "vnsra", "vnclip", "vnclipu"};
    const char *m = one_in(6) ? ",v0.t" : "";
    const u32 d = low_v(), even = 4 + 2 * below(14), a = below(32), b = below(32), x = any_x();
    line("prefix pair=%u, abs=%u, neg=%u", !one_in(4), one_in(2) ? 0 : below(8),
         one_in(2) ? 0 : below(8));
    switch (below(12)) {
    case 0:
    case 1:
    case 2: line("%s v%u,v%u,v%u%s", PICK(vv), d, a, b, m); break;
    case 3: line("%s v%u,v%u,x%u%s", PICK(vx), d, a, x, m); break;
    case 4: line("%s v%u,v%u,%u%s", PICK(vi), d, a, below(16), m); break;
    case 5: line("%s v%u,v%u%s", PICK(one), d, a, m); break;
    case 6:
        if (one_in(2))
            line("%s.vv v%u,v%u,v%u%s", PICK(mac), d, a, b, m);
        else
            line("%s.vf v%u,x%u,v%u%s", PICK(mac), d, x, b, m);
        break;
    case 7: line("%s x%u,x%u,x%u", PICK(scalar), any_x(), any_x(), any_x()); break;
    case 8:
        if (one_in(2))
            line("%s x%u,x%u,x%u", PICK(word), x & ~1u, any_x() & ~1u, any_x() & ~1u);
        else
            line("srliw x%u,x%u,%u", x & ~1u, any_x() & ~1u, below(64));
        break;
    case 9:
        if (one_in(3))
            line("%s.vx v%u,v%u,x%u%s", PICK(wide), even, a, x, m);
        else if (one_in(2))
            line("vwadd%s.wv v%u,v%u,v%u%s", one_in(2) ? "u" : "", even, a & ~1u, b & ~1u, m);
        else
            line("%s.vv v%u,v%u,v%u%s", PICK(wide), even, a, b, m);
        break;
    case 10:
        if (one_in(2))
            line("%s.vv v%u,v%u,v%u%s", PICK(wide_mac), even, a, b, m);
        else
            line("vwmaccus.vx v%u,x%u,v%u%s", even, x, b, m);
        break;
    default:
        if (one_in(2))
            line("%s.wv v%u,v%u,v%u%s", PICK(narrow), d, a & ~1u, b, m);
        else
            line("%s.wi v%u,v%u,%u%s", PICK(narrow), d, a & ~1u, below(16), m);
        break;
    }
}

/* rows that the text of a random instance is made from, by what their operands are */
void random_alu(void)
{
    static const char *const vv[] = {
        "vadd.vv",    "vsub.vv",   "vminu.vv",  "vmin.vv",  "vmaxu.vv",  "vmax.vv",    "vand.vv",
        "vor.vv",     "vxor.vv",   "vsll.vv",   "vsrl.vv",  "vsra.vv",   "vmseq.vv",   "vmsne.vv",
        "vmsltu.vv",  "vmslt.vv",  "vmsleu.vv", "vmsle.vv", "vmul.vv",   "vmulh.vv",   "vmulhu.vv",
        "vmulhsu.vv", "vdivu.vv",  "vdiv.vv",   "vremu.vv", "vrem.vv",   "vsaddu.vv",  "vsadd.vv",
        "vssub.vv",   "vaaddu.vv", "vasub.vv",  "vsmul.vv", "vssrl.vv",  "vfadd.vv",   "vfsub.vv",
        "vfmul.vv",   "vfdiv.vv",  "vfmin.vv",  "vfmax.vv", "vfsgnj.vv", "vfsgnjn.vv", "vfsgnjx.vv",
        "vmfeq.vv",   "vmfne.vv",  "vmflt.vv",  "vmfle.vv"};
    static const char *const vx[] = {
        "vadd.vx",    "vrsub.vx",   "vminu.vx",  "vmax.vx",   "vand.vx",   "vsll.vx",
        "vsra.vx",    "vmseq.vx",   "vmslt.vx",  "vmsgtu.vx", "vmsgt.vx",  "vmul.vx",
        "vmulhsu.vx", "vdivu.vx",   "vdiv.vx",   "vrem.vx",   "vssubu.vx", "vaadd.vx",
        "vssra.vx",   "vfadd.vf",   "vfrsub.vf", "vfmul.vf",  "vfdiv.vf",  "vfrdiv.vf",
        "vfmin.vf",   "vfsgnjx.vf", "vmflt.vf",  "vmfgt.vf",  "vmfge.vf"};
    static const char *const vi[] = {"vadd.vi",  "vrsub.vi", "vand.vi",  "vor.vi",  "vxor.vi",
                                     "vmseq.vi", "vmsle.vi", "vmsgt.vi", "vsadd.vi"};
    static const char *const shift[] = {"vsll.vi", "vsrl.vi", "vsra.vi", "vssrl.vi"};
    static const char *const one[] = {
        "vzext.vf2",    "vsext.vf4",   "vzext.vf4",        "vsext.vf2",       "vfsqrt.v",
        "vfclass.v",    "vfrsqrt7.v",  "vfrec7.v",         "vfcvt.xu.f.v",    "vfcvt.x.f.v",
        "vfcvt.f.xu.v", "vfcvt.f.x.v", "vfcvt.rtz.xu.f.v", "vfcvt.rtz.x.f.v", "vfexp"};
    static const char *const mac[] = {"vmacc",  "vnmsac",  "vmadd",  "vnmsub",
                                      "vfmacc", "vfnmacc", "vfmsac", "vfnmsac",
                                      "vfmadd", "vfnmadd", "vfmsub", "vfnmsub"};
    static const char *const scalar[] = {
        "add",   "sub",   "sll",     "slt",      "sltu",     "xor",    "srl",    "sra",
        "or",    "and",   "mul",     "mulh",     "mulhsu",   "mulhu",  "div",    "divu",
        "rem",   "remu",  "fsgnj.s", "fsgnjn.s", "fsgnjx.s", "fmin.s", "fmax.s", "feq.s",
        "flt.s", "fle.s", "fadd.s",  "fsub.s",   "fmul.s",   "fdiv.s"};
    static const char *const scalar1[] = {"fsqrt.s",  "fcvt.w.s",  "fcvt.wu.s",
                                          "fcvt.s.w", "fcvt.s.wu", "fclass.s"};
    static const char *const imm[] = {"addi", "slti", "sltiu", "xori", "ori", "andi"};
    static const char *const fma[] = {"fmadd.s", "fmsub.s", "fnmsub.s", "fnmadd.s"};
    static const char *const rounding[] = {"", ",rtz", ",rne", ",rdn", ",rup"};
    const char *m = one_in(6) ? ",v0.t" : "";
    const u32 d = low_v(), a = below(32), b = below(32), x = any_x();
    if (gen.set & V2025 && one_in(2)) {
        random_pair();
        return;
    }
    switch (below(18)) {
    case 0:
    case 1:
    case 2:
    case 3: line("%s v%u,v%u,v%u%s", PICK(vv), d, a, b, m); break;
    case 4: line("%s v%u,v%u,x%u%s", PICK(vx), d, a, x, m); break;
    case 5: /* sizes of groups divide */
        if (one_in(2))
            line("li x%u,%d", 12 + x % 16, (int)(1u << below(32)));
        line("%s v%u,v%u,x%u%s", one_in(2) ? "vdivu.vx" : "vremu.vx", d, a, 12 + x % 16, m);
        break;
    case 6: line("%s v%u,v%u,%d%s", PICK(vi), d, a, (int)below(32) - 16, m); break;
    case 7: line("%s v%u,v%u,%u%s", PICK(shift), d, a, below(32), m); break;
    case 8: line("%s v%u,v%u%s", PICK(one), d, a, m); break;
    case 9: {
        const char *f = PICK(mac);
        line("%s.vv v%u,v%u,v%u%s", f, d, a, b, m);
        line("%s.%s v%u,x%u,v%u%s", f, f[1] == 'f' ? "vf" : "vx", low_v(), x, b, m);
        break;
    }
    case 10: line("%s x%u,x%u,x%u", PICK(scalar), any_x(), any_x(), any_x()); break;
    case 11: line("%s x%u,x%u,%d", PICK(imm), any_x(), any_x(), (int)below(4096) - 2048); break;
    case 12: line("%s x%u,x%u", PICK(scalar1), any_x(), any_x()); break;
    case 13:
        line("%s x%u,x%u,x%u,x%u", PICK(fma), any_x(), any_x(), any_x(), any_x());
        line("fcvt.w.s x%u,x%u%s", any_x(), any_x(), PICK(rounding));
        line("fadd.s x%u,x%u,x%u%s", any_x(), any_x(), any_x(), PICK(rounding));
        break;
    case 14:
        line("vmerge.vvm v%u,v%u,v%u,v0", d, a, b);
        line("vmerge.vxm v%u,v%u,x%u,v0", low_v(), a, x);
        break;
    case 15:
        switch (below(6)) {
        case 0: line("vid.v v%u%s", d, m); break;
        case 1: line("vmv.x.s x%u,v%u", any_x(), a); break;
        case 2: line("vmv.v.x v%u,x%u", d, x); break;
        case 3: line("vmv.v.i v0,%d", (int)below(32) - 16); break;
        case 4: line("vmslt.vx v0,v%u,x%u", a, x); break;
        default: line("slli x%u,x%u,%u", any_x(), any_x(), below(32)); break;
        }
        break;
    case 16: /* with prefixes */
        line("vadd.vv v%u,v%u,v%u", 3 + below(VREGS - 3), any_v(), any_v());
        line("vfmul.vv v%u,v%u,v%u", 3 + below(VREGS - 3), any_v(), any_v());
        line("vadd.vi v%u,v%u,%d", 3 + below(VREGS - 3), any_v(), (int)below(2000) - 1000);
        break;
    default: {
        static const char *const csrs[] = {"tid",  "numw",  "numt", "wgid",    "wid", "lds",
                                           "gidx", "gidy",  "rpc",  "instret", "vl",  "vtype",
                                           "frm",  "vxsat", "knl",  "mstatus"};
        line("csrr x%u,%s", any_x(), PICK(csrs));
        if (gen.reads_flags)
            line("csrr x%u,fflags", any_x());
        break;
    }
    }
}

/* Accesses: v1 = data a lane in a row, v2 = local memory scattered, x8 data, x9 local; offsets that
 * misalign; indices and strides at random. */
static void random_access(void)
{
    static const char *const widths[] = {"b", "h", "w", "bu", "hu"};
    static const char *const spaces[] = {"private", "local"};
    const u32 off = below(512) & (one_in(4) ? ~0u : ~3u), d = low_v();
    switch (below(14)) {
    case 0: line("vl%s12.v v%u,%u(v%u)", PICK(widths), d, off, 1 + below(2)); break;
    case 1: line("vs%c12.v v%u,%u(v%u)", "bhw"[below(3)], d, off, 1 + below(2)); break;
    case 2: line("vlw12.v v%u,%u(v1)", d, 4 * below(500)); break;
    case 3: line("vsw12.v v%u,%u(v1)", d, 4 * below(500)); break;
    case 4: /* any lane anywhere in 4 KiB */
        line("vand.vx v%u,v%u,x10", d, below(32));
        line("vadd.vx v%u,v%u,x%u", d, d, 8 + below(2));
        line("vlw12.v v%u,%u(v%u)", low_v(), off, d);
        line("vs%c12.v v%u,%u(v%u)", "bhw"[below(3)], low_v(), off, d);
        break;
    case 5: /* all lanes at the same place */
        line("vmv.v.x v%u,x%u", d, 8 + below(2));
        line("vlw12.v v%u,%u(v%u)", low_v(), off, d);
        line("vlbu12.v v%u,%u(v%u)", low_v(), off, d);
        break;
    case 6: line("l%s x%u,%u(x%u)", PICK(widths), any_x(), off, 8 + below(2)); break;
    case 7: line("s%c x%u,%u(x%u)", "bhw"[below(3)], any_x(), off, 8 + below(2)); break;
    case 8:
        if (gen.set & V2025) {
            line("vl%s_%s.v v%u,%u(v31)", PICK(widths), PICK(spaces), d, below(48));
            line("vs%c_%s.v v%u,%u(v31)", "bhw"[below(3)], PICK(spaces), low_v(), below(48));
            line("vl%s12.v v%u,%u(v31)", PICK(widths), d, below(48));
            line("vs%c12.v v%u,%u(v31)", "bhw"[below(3)], low_v(), below(48));
            break;
        }
        line("vl%s.v v%u,%u(v31)", PICK(widths), d, below(48));
        line("vs%c.v v%u,%u(v31)", "bhw"[below(3)], low_v(), below(48));
        break;
    case 9:
        line("vle%u.v v%u,(x%u)%s", 8u << below(3), d, 8 + below(2), one_in(4) ? ",v0.t" : "");
        break;
    case 10:
        line("vse%u.v v%u,(x%u)%s", 8u << below(3), d, 8 + below(2), one_in(4) ? ",v0.t" : "");
        break;
    case 11:
        line("li x12,%d", (int)below(64) - 20);
        line("addi x13,x8,%u", 1024 + below(256));
        line("vlse%u.v v%u,(x13),x12", 8u << below(3), d);
        line("vsse%u.v v%u,(x13),x12", 8u << below(3), low_v());
        break;
    case 12:
        line("vand.vx v%u,v%u,x10", d, below(32));
        line("vluxei%u.v v%u,(x8),v%u", 8u << below(3), low_v(), d);
        line("vsuxei%u.v v%u,(x9),v%u", 8u << below(3), low_v(), d);
        break;
    default: {
        static const char *const amo[] = {"amoadd.w",  "amoxor.w",  "amomax.w",
                                          "amominu.w", "amoswap.w", "amoand.w"};
        line("vand.vx v%u,v%u,x11", d, below(32));
        line("vadd.vx v%u,v%u,x9", d, d);
        line("%s v%u,v%u,(v%u)", PICK(amo), low_v(), low_v(), d);
        if (one_in(4)) {
            line("lr.w v%u,(v%u)", low_v(), d);
            line("vsw12.v v%u,0(v%u)", low_v(), d);
            line("sc.w v%u,v%u,(v%u)", low_v(), low_v(), d);
        }
        break;
    }
    }
    if (gen.set & V2025 && one_in(2)) { /* records of several words, beside each other or not */
        static const char *const names[] = {"", "global_", "local_", "private_"};
        const u32 words = 2 + below(3), to = 4 + below(24), step = one_in(3) ? 4 : 4 * words;
        line("vid.v v3");
        line("li x12,%u", step);
        line("vmul.vx v3,v3,x12");
        line("pre_m_%s%u", names[2 + below(2)], 32 * words);
        line("vlw12.v v%u,%u(v3)", to, off);
        line("pre_m_%s%u", names[2 + below(2)], 32 * words);
        line("vsw12.v v%u,%u(v3)", 4 + below(24), 4 * below(64));
        line("vadd.vx v3,v3,x%u", 8 + below(2));
        line("pre_m_%s%u", names[below(2)], 32 * words);
        line("vsw12.v v%u,%u(v3)", 4 + below(24), 4 * below(64));
        line("pre_m_%s%u", names[below(2)], 32 * words);
        line("vlw12.v v%u,%u(v3)", one_in(4) ? 3 : 4 + below(24), off);
    }
    if (gen.may_fault && one_in(40))
        line(one_in(2) ? "vlw12.v v%u,0(v%u)" : "vsw12.v v%u,0(v%u)", low_v(), low_v());
    if (gen.may_fault && one_in(60))
        line(one_in(2) ? "lw x%u,0(x%u)" : "sw x%u,0(x%u)", any_x(), any_x());
}

static void statements(u32 depth, bool diverged);

void set_meeting(u32 n)
{
    const u32 here = gen.labels++;
    label(".Lp%u", here);
    line("auipc x30,%%pcrel_hi(.Lm%u)", n);
    line("setrpc x0,x30,%%pcrel_lo(.Lp%u)", here);
}

const char *divergent_branch(void)
{
    static const char *const all[] = {"vbeq", "vbne", "vblt", "vbge", "vbltu", "vbgeu"};
    return PICK(all);
}

static void divergent_if(u32 depth)
{
    const u32 l = gen.labels++;
    const bool has_else = one_in(2);
    line("vand.vi v3,v%u,%u", below(32), 1 + below(15));
    line("vand.vi v4,v%u,%u", one_in(2) ? 3 : below(32), 1 + below(7));
    set_meeting(l);
    line("%s v3,v4,.Le%u", divergent_branch(), l);
    statements(depth + 1, true);
    line("j .Lm%u", l);
    label(".Le%u", l);
    if (has_else)
        statements(depth + 1, true);
    label(".Lm%u", l);
    line("join x0,x0,0");
}

/* lanes leave one after the other; each loop has a register of its own for what a lane has left */
static void divergent_loop(u32 depth)
{
    const u32 l = gen.labels++, v = VREGS + 1 + l % 200;
    line("vand.vi v%u,v%u,%u", v, below(32), 1 + below(7));
    line("vmv.v.i v%u,0", VREGS);
    label(".Lt%u", l);
    set_meeting(l);
    line("vbeq v%u,v%u,.Lm%u", v, VREGS, l);
    line("vadd.vi v%u,v%u,-1", v, v);
    statements(depth + 2, true);
    line("j .Lt%u", l);
    label(".Lm%u", l);
    line("join x0,x0,0");
}

static void uniform_if(u32 depth, bool diverged)
{
    static const char *const all[] = {"beq", "bne", "blt", "bge", "bltu", "bgeu"};
    const u32 l = gen.labels++;
    line("%s x%u,x%u,.Lu%u", PICK(all), any_x(), any_x(), l);
    statements(depth + 1, diverged);
    label(".Lu%u", l);
}

/* inner loops only count down another register */
static void uniform_loop(u32 depth, bool diverged)
{
    const u32 l = gen.labels++, counter = depth ? 29 : 28;
    if (depth > 1)
        return;
    line("li x%u,%u", counter, 1 + below(5));
    label(".Lw%u", l);
    statements(depth + 1, diverged);
    line("addi x%u,x%u,-1", counter, counter);
    line("bgtz x%u,.Lw%u", counter, l);
}

static void statements(u32 depth, bool diverged)
{
    const u32 n = 1 + below(5);
    for (u32 i = 0; i < n && gen.left; i++) {
        gen.left--;
        switch (depth > 4 ? below(10) : below(20)) {
        case 10:
        case 11:
        case 12: divergent_if(depth); break;
        case 13: divergent_loop(depth); break;
        case 14: uniform_if(depth, diverged); break;
        case 15:
        case 16: uniform_loop(depth, diverged); break;
        case 17:
            if (gen.functions)
                line("call f%u", below(gen.functions));
            break;
        case 18:
            if (!diverged)
                line("barrier x0,x0,1");
            break;
        case 0:
        case 1:
        case 2: random_access(); break;
        default: random_alu(); break;
        }
    }
}

static void one_function(void)
{
    label("f%u", gen.functions);
    gen.left = 3 + below(8);
    line("addi x2,x2,-4");
    line("sw x1,0(x2)");
    statements(3, true);
    line("lw x1,0(x2)");
    line("addi x2,x2,4");
    line("ret");
}

/* the kernel first, then functions: code begins at the start */
void make_program(u32 size)
{
    const u32 nfunctions = below(3);
    no_text();
    line("li x8,%#x", DATA);
    line("li x9,%#x", LDS_LO);
    line("li x10,%#x", 0xffc);
    line("li x11,%#x", 0x3c);
    line("csrr x5,wid");
    line("csrr x6,wgid");
    line("li x2,%#x", LDS_LO + 0x3000);
    line("slli x7,x5,6");
    line("sub x2,x2,x7");
    line("slli x7,x6,1");
    line("add x7,x7,x5");
    line("li x5,%u", OUT_WARP);
    line("mul x7,x7,x5");
    line("li x5,%#x", DATA + OUT);
    line("add x7,x7,x5");
    line("vid.v v1");
    line("vsll.vi v1,v1,2");
    line("vmul.vv v2,v1,v1");
    line("vand.vx v2,v2,x10");
    line("vadd.vx v2,v2,x9");
    line("vadd.vx v1,v1,x8");
    for (u32 n = 3; n < VREGS; n++) /* a few from memory, others made of them */
        if (n % 4 == 3)
            line("vlw12.v v%u,%u(v1)", n, (n - 3) * 32);
        else
            line("vadd.vv v%u,v%u,v%u", n, n - 1, n / 2);
    line("vlw12.v v0,%u(v1)", 1800);
    line("vand.vi v31,v31,12");
    for (u32 n = 12; n < 28; n++)
        line(n & 1 ? "li x%u,%d" : "lw x%u,%d(x8)", n, n & 1 ? (int)random_word() : (int)(4 * n));
    gen.functions = nfunctions;
    gen.left = size;
    while (gen.left)
        statements(0, false);
    line("vid.v v1");
    line("vsll.vi v1,v1,2");
    line("vadd.vx v1,v1,x7");
    line(gen.most_die ? "vmv.v.i v0,0" : "vsw12.v v0,0(v1)");
    /* a sum of registers, each weighted, tells one wrong bit of any */
    for (u32 n = 2; n < VREGS; n++) {
        line("li x5,%d", (int)(0x9e3779b1u * n | 1));
        if (!gen.most_die || n % 4 == 0)
            line("vmacc.vx v0,x5,v%u", n);
        if (n % 12 && n + 1 < VREGS)
            continue;
        line("addi x7,x7,128");
        line("vid.v v1");
        line("vsll.vi v1,v1,2");
        line("vadd.vx v1,v1,x7");
        line("vsw12.v v0,0(v1)");
    }
    line("addi x7,x7,128");
    for (u32 n = 8; n < 30; n++)
        line("sw x%u,%u(x7)", n, 4 * n);
    line("csrr x12,instret");
    line("sw x12,120(x7)");
    line("endprg x0,x0,x0");
    const u32 all = gen.functions;
    gen.functions = 0;
    while (gen.functions < all) {
        const u32 self = gen.functions;
        one_function(); /* calls only those before it */
        gen.functions = self + 1;
    }
}
