/* jit_test.c -- the compiling engine against the interpreter: random programs must leave the same
 * memory, count the same instructions and fault at the same place.
 *
 * A program is text: start code that fills registers from memory, statements, and an end that
 * writes registers to memory.  Statements are random instructions of every kind, and graphs of
 * them: uniform and divergent branches, loops of both kinds, calls, barriers.  JIT_TEST_SEED is the
 * number of the first program, JIT_TEST_COUNT how many there are, JIT_TEST_SIZE their
 * statements; an argument chooses a test.
 */
#include "test/kit/assemble.h"
#include "test/kit/skip.h"
#include "dev/dev.h"
#include "jit/jit.h"
#include "link/link.h"
#include "sim/sim.h"
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#define KNL  0x90000000u /* the metadata block */
#define DATA 0x90001000u /* random words; then what each warp leaves */
#define PDS  0x90100000u
enum {
    DATA_BYTES = 1 << 18,
    PDS_BYTES = 1 << 18,
    OUT = 0x8000, /* in DATA: what warps leave, OUT_WARP each */
    OUT_WARP = 128 * 48,
    VREGS = 36, /* of random results; 32 on need a prefix */
    LOCAL = 4096
};

/* --- random numbers ------------------------------------------------------------------------ */

static u64 seed;

static u32 below(u32 n)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (u32)((seed >> 32) * n >> 32);
}
static bool one_in(u32 n) { return !below(n); }

static u32 random_word(void)
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

/* --- programs ---------------------------------------------------------------------------- */

static Buf text;
static u32 labels, functions, left; /* labels made; functions that exist; statements to go */
static bool may_fault, reads_flags;
static IsaSet set = V202 | AI | TIDX; /* of programs and devices */
static bool most_die; /* the program ends without reading most of its registers */

/* x8..x11 are addresses: data, local, private, anything; x12..x27 are at large, with x28 and x29
 * counters of loops and x30 for reconvergence; x1 is what calls return to */
static u32 any_x(void) { return one_in(8) ? 0 : 12 + below(16); }
static u32 any_v(void) { return below(VREGS); }
static u32 low_v(void) { return 3 + below(29); } /* v0 masks, v1 and v2 are addresses */

static void line(const char *fmt, ...) PRINTF_LIKE(1, 2);
static void line(const char *fmt, ...)
{
    char one[200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(one, sizeof one, fmt, ap);
    va_end(ap);
    buf_printf(&text, "\t%s\n", one);
}

#define PICK(list) list[below(countof(list))]

/* Register pairs, abs and neg, of v2025: even registers are pairs where pair=1 says so. */
static void random_pair(void)
{
    static const char *const vv[] = {
        "vadd.vv",  "vsub.vv",   "vand.vv",   "vor.vv",     "vxor.vv",    "vsll.vv",  "vsrl.vv",
        "vsra.vv",  "vmseq.vv",  "vmsne.vv",  "vmsltu.vv",  "vmslt.vv",   "vmsle.vv", "vminu.vv",
        "vmax.vv",  "vmul.vv",   "vfadd.vv",  "vfsub.vv",   "vfmul.vv",   "vfdiv.vv", "vfmin.vv",
        "vfmax.vv", "vfsgnj.vv", "vmfeq.vv",  "vfsgnjn.vv", "vfsgnjx.vv", "vmflt.vv", "vmfne.vv"};
    static const char *const vx[] = {"vadd.vx",   "vrsub.vx",  "vsll.vx",   "vsra.vx",  "vmslt.vx",
                                     "vmsgtu.vx", "vmul.vx",   "vmaxu.vx",  "vfadd.vf", "vfrsub.vf",
                                     "vfmul.vf",  "vfrdiv.vf", "vfmax.vf",  "vmfgt.vf", "vfsgnj.vf"};
    static const char *const vi[] = {"vadd.vi", "vrsub.vi", "vand.vi",  "vxor.vi",
                                     "vsll.vi", "vsra.vi",  "vsrl.vi", "vmseq.vi"};
    static const char *const one[] = {"vfsqrt.v",      "vfclass.v",       "vfcvt.x.f.v",
                                      "vfcvt.f.xu.v",  "vfcvt.rtz.xu.f.v", "vfcvt.f.x.v"};
    static const char *const mac[] = {"vfmacc", "vfnmacc", "vfmsac", "vfnmsac",
                                      "vfmadd", "vfnmadd", "vfmsub", "vfnmsub"};
    static const char *const scalar[] = {"add",    "sub",    "sll",     "slt",      "sltu",
                                         "xor",    "srl",    "sra",     "or",       "and",
                                         "mul",    "fadd.s", "fmul.s",  "fsgnj.s",  "fmin.s",
                                         "feq.s",  "flt.s",  "fsgnjx.s"};
    static const char *const word[] = {"addw", "subw", "sllw", "srlw", "sraw"};
    static const char *const wide[] = {"vwaddu", "vwadd", "vwsubu", "vwsub",
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
static void random_alu(void)
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
    if (set & V2025 && one_in(2)) {
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
        if (reads_flags)
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
        if (set & V2025) {
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
    if (set & V2025 && one_in(2)) { /* records of several words, beside each other or not */
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
    if (may_fault && one_in(40))
        line(one_in(2) ? "vlw12.v v%u,0(v%u)" : "vsw12.v v%u,0(v%u)", low_v(), low_v());
    if (may_fault && one_in(60))
        line(one_in(2) ? "lw x%u,0(x%u)" : "sw x%u,0(x%u)", any_x(), any_x());
}

static void statements(u32 depth, bool diverged);

static void set_meeting(u32 label)
{
    const u32 here = labels++;
    buf_printf(&text, ".Lp%u:\n", here);
    line("auipc x30,%%pcrel_hi(.Lm%u)", label);
    line("setrpc x0,x30,%%pcrel_lo(.Lp%u)", here);
}

static const char *divergent_branch(void)
{
    static const char *const all[] = {"vbeq", "vbne", "vblt", "vbge", "vbltu", "vbgeu"};
    return PICK(all);
}

static void divergent_if(u32 depth)
{
    const u32 l = labels++;
    const bool has_else = one_in(2);
    line("vand.vi v3,v%u,%u", below(32), 1 + below(15));
    line("vand.vi v4,v%u,%u", one_in(2) ? 3 : below(32), 1 + below(7));
    set_meeting(l);
    line("%s v3,v4,.Le%u", divergent_branch(), l);
    statements(depth + 1, true);
    line("j .Lm%u", l);
    buf_printf(&text, ".Le%u:\n", l);
    if (has_else)
        statements(depth + 1, true);
    buf_printf(&text, ".Lm%u:\n", l);
    line("join x0,x0,0");
}

/* lanes leave one after the other; each loop has a register of its own for what a lane has left */
static void divergent_loop(u32 depth)
{
    const u32 l = labels++, v = VREGS + 1 + l % 200;
    line("vand.vi v%u,v%u,%u", v, below(32), 1 + below(7));
    line("vmv.v.i v%u,0", VREGS);
    buf_printf(&text, ".Lt%u:\n", l);
    set_meeting(l);
    line("vbeq v%u,v%u,.Lm%u", v, VREGS, l);
    line("vadd.vi v%u,v%u,-1", v, v);
    statements(depth + 2, true);
    line("j .Lt%u", l);
    buf_printf(&text, ".Lm%u:\n", l);
    line("join x0,x0,0");
}

static void uniform_if(u32 depth, bool diverged)
{
    static const char *const all[] = {"beq", "bne", "blt", "bge", "bltu", "bgeu"};
    const u32 l = labels++;
    line("%s x%u,x%u,.Lu%u", PICK(all), any_x(), any_x(), l);
    statements(depth + 1, diverged);
    buf_printf(&text, ".Lu%u:\n", l);
}

/* inner loops only count down another register */
static void uniform_loop(u32 depth, bool diverged)
{
    const u32 l = labels++, counter = depth ? 29 : 28;
    if (depth > 1)
        return;
    line("li x%u,%u", counter, 1 + below(5));
    buf_printf(&text, ".Lw%u:\n", l);
    statements(depth + 1, diverged);
    line("addi x%u,x%u,-1", counter, counter);
    line("bgtz x%u,.Lw%u", counter, l);
}

static void statements(u32 depth, bool diverged)
{
    const u32 n = 1 + below(5);
    for (u32 i = 0; i < n && left; i++) {
        left--;
        switch (depth > 4 ? below(10) : below(20)) {
        case 10:
        case 11:
        case 12: divergent_if(depth); break;
        case 13: divergent_loop(depth); break;
        case 14: uniform_if(depth, diverged); break;
        case 15:
        case 16: uniform_loop(depth, diverged); break;
        case 17:
            if (functions)
                line("call f%u", below(functions));
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
    buf_printf(&text, "f%u:\n", functions);
    left = 3 + below(8);
    line("addi x2,x2,-4");
    line("sw x1,0(x2)");
    statements(3, true);
    line("lw x1,0(x2)");
    line("addi x2,x2,4");
    line("ret");
}

/* the kernel first, then functions: code begins at the start */
static void make_program(u32 size)
{
    const u32 nfunctions = below(3);
    text.len = labels = functions = 0;
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
    functions = nfunctions;
    left = size;
    while (left)
        statements(0, false);
    line("vid.v v1");
    line("vsll.vi v1,v1,2");
    line("vadd.vx v1,v1,x7");
    line(most_die ? "vmv.v.i v0,0" : "vsw12.v v0,0(v1)");
    /* a sum of registers, each weighted, tells one wrong bit of any */
    for (u32 n = 2; n < VREGS; n++) {
        line("li x5,%d", (int)(0x9e3779b1u * n | 1));
        if (!most_die || n % 4 == 0)
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
    const u32 all = functions;
    functions = 0;
    while (functions < all) {
        const u32 self = functions;
        one_function(); /* calls only those before it */
        functions = self + 1;
    }
}

/* --- engines ---------------------------------------------------------------------------------- */

static u32 simt_depth = 64; /* of devices */

static Device *open_device(const EngineKind *kind)
{
    DeviceOptions o = dev_defaults();
    o.set = set;
    o.engine = kind;
    o.machine.simt_depth = simt_depth;
    Device *d = dev_open(&o);
    assert_non_null(d);
    memory_map(dev_memory(d), KNL, PAGE_SIZE, MEM_R | MEM_W);
    memory_map(dev_memory(d), DATA, DATA_BYTES, MEM_R | MEM_W);
    memory_map(dev_memory(d), PDS, PDS_BYTES, MEM_R | MEM_W);
    return d;
}

/* Words whose elements of any format are mostly finite, some of them subnormal. */
static u32 matrix_word(void)
{
    return one_in(60)  ? random_word()
           : one_in(8) ? below(UINT32_MAX) & 0x83ff83ff
                       : below(UINT32_MAX) & 0xbfbfbfbf;
}

static u32 (*memory_word)(void) = random_word;

static void fill_memory(Device *d, u64 with)
{
    u32 *data = mem_alloc(DATA_BYTES);
    assert_non_null(data);
    const u64 was = seed;
    seed = with;
    for (u32 i = 0; i < DATA_BYTES / 4; i++)
        data[i] = memory_word();
    seed = was;
    assert_true(dev_write(d, DATA, data, DATA_BYTES));
    mem_free(data);
}

typedef struct {
    u32 lanes, items, warps;
    VmRule vm;
    u64 max_insns;
} Shape;

static const u32 *first_words; /* two, at DATA; NULL: as random as the others */

/* image: NULL: the one that is loaded */
static DevResult run(Device *d, Object *image, const Shape *s, u64 with)
{
    DevResult r;
    DeviceOptions rules = *dev_options(d);
    const u32 block[9] = {CODE_LO, DATA, 1, 2 * s->items, 2, 2, s->items, 1, 1};
    rules.vm = s->vm;
    dev_set_rules(d, &rules);
    fill_memory(d, with);
    if (first_words)
        assert_true(dev_write(d, DATA, first_words, 8));
    assert_true(dev_write(d, KNL, block, sizeof block));
    Caught c;
    catch_in(&c);
    assert_true(!image || dev_load(d, image, &c.d));
    const DevLaunch l = {.knl = KNL,
                         .groups = {2, 2, 2},
                         .warps = s->warps,
                         .lanes = s->lanes,
                         .lds = LOCAL,
                         .pds = PDS,
                         .pds_lane = 64,
                         .pds_size = PDS_BYTES,
                         .max_insns = s->max_insns,
                         .sgprs = 1,
                         .vgprs = 1,
                         .run = {.threads = 1}};
    dev_launch(d, &l, &r);
    return r;
}

static void say(const char *what, u64 program)
{
    FILE *f = fopen("jit_test.s", "w");
    if (f) {
        fputs(buf_text(&text), f);
        fclose(f);
    }
    fail_msg("%s differs in program %llu, which is in jit_test.s", what,
             (unsigned long long)program);
}

static void compare(Device *a, Device *b, const DevResult *ra, const DevResult *rb, u64 program)
{
    Buf fa = {0}, fb = {0};
    if (ra->run.faulted)
        dev_report(a, &ra->run.fault, "k", NULL, &fa);
    if (rb->run.faulted)
        dev_report(b, &rb->run.fault, "k", NULL, &fb);
    if (strcmp(buf_text(&fa), buf_text(&fb))) {
        print_error("interpreter: %s\ncompiled: %s\n", buf_text(&fa), buf_text(&fb));
        say("the fault", program);
    }
    buf_free(&fa);
    buf_free(&fb);
    if (ra->run.insns != rb->run.insns || ra->run.groups != rb->run.groups)
        say("the count of instructions", program);
    const u8 *ma = dev_memory(a)->base, *mb = dev_memory(b)->base;
    for (u32 i = 0; i < DATA_BYTES; i += 4)
        if (memcmp(ma + DATA + i, mb + DATA + i, 4)) {
            print_error("at %#x: %08x, compiled %08x\n", i,
                        *(const u32 *)(const void *)(ma + DATA + i),
                        *(const u32 *)(const void *)(mb + DATA + i));
            say("memory", program);
        }
}

/* Ends two devices that were compared; b had something to compile. */
static void close_compared(Device *a, Device *b)
{
    JitStats stats;
    assert_true(jit_stats(dev_engine(b), &stats) && stats.compiled > 0);
    dev_close(a);
    dev_close(b);
}

static Object *linked(void)
{
    Caught c;
    Object *o = assemble(buf_text(&text), set);
    catch_in(&c);
    Object *image =
        link_objects((const Object *const[]){o}, 1, &(LinkOptions){.output = "t"}, &c.d);
    if (!image)
        fail_msg("%s", buf_text(&c.text));
    obj_free(o);
    return image;
}

static const char *engine = "jit"; /* that is compared with the interpreter */

static void try_programs_from(u64 first, u32 n, u32 size)
{
    const char *why;
    if (!jit_available(&why))
        skip_because("%s", why);
    Device *a = open_device(dev_find_engine("interp")), *b = open_device(dev_find_engine(engine));
    for (u32 i = 0; i < n; i++) {
        const u64 program = first + i;
        seed = program * 0x9e3779b97f4a7c15u;
        const u32 lanes = 4u << below(4);
        Shape s = {.lanes = lanes, .warps = 2, .vm = (VmRule)below(4)};
        s.items = one_in(3) ? lanes + 1 + below(lanes - 1) : 2 * lanes;
        s.max_insns = one_in(4) ? 200 + below(2000) : 200000;
        if (s.max_insns == 200000 && program % 2 == 0)
            s.max_insns = 0; /* groups in one call of host code */
        may_fault = one_in(3);
        reads_flags = one_in(4);
        most_die = program % 3 == 1;
        make_program(size);
        const DevResult ra = run(a, linked(), &s, program + 1),
                        rb = run(b, linked(), &s, program + 1);
        if (strcmp(engine, "shadow"))
            compare(a, b, &ra, &rb, program);
        else if (*jit_difference(dev_engine(b)))
            say(jit_difference(dev_engine(b)), program);
    }
    JitStats stats;
    assert_true(jit_stats(dev_engine(b), &stats));
    assert_true(stats.compiled <= stats.insns);
    assert_true(stats.compiled > 0 ||
                n < 3); /* a low limit of instructions leaves all to the interpreter */
    buf_free(&text);
    dev_close(a);
    dev_close(b);
}

static void try_programs(u32 n, u32 size)
{
    const char *first = getenv("JIT_TEST_SEED"), *count = getenv("JIT_TEST_COUNT"),
               *statements = getenv("JIT_TEST_SIZE");
    try_programs_from(first ? strtoull(first, NULL, 0) : 1,
                      count ? (u32)strtoul(count, NULL, 0) : n,
                      statements ? (u32)strtoul(statements, NULL, 0) : size);
}

/* A turn that comes near the limit of instructions is as long as the interpreter's: the warps of
 * this program add to the same words of local memory, in the order of their turns. */
static void whole_turns(void **state)
{
    (void)state;
    setenv("VENTUS_JIT_TIER", "quick", 1);
    try_programs_from(1041, 1, 12);
    unsetenv("VENTUS_JIT_TIER");
}

static void small_programs(void **state)
{
    (void)state;
    try_programs(8, 6);
}

static void graphs(void **state)
{
    (void)state;
    try_programs(4, 30);
}

/* Quick code costs less to make: more of it. */
static void quick_programs(void **state)
{
    (void)state;
    setenv("VENTUS_JIT_TIER", "quick", 1);
    try_programs(30, 6);
    try_programs(15, 30);
    unsetenv("VENTUS_JIT_TIER");
}

/* Kernels that change the words from which all warps take their arguments, in every way that there
 * is to store, and at the ends of what the host code watches: the next warp sees it.  What each
 * found is in memory, and so is where it found it in the grid. */
static void arguments_change(void **state)
{
    static const char *const stores[] = {
        "sw x13,0(x8)",          "sb x13,2(x8)",          "sw x13,4(x8)",
        "sw x13,-4(x8)",         "sh x13,-2(x8)",         "vse32.v v2,(x8)",
        "vse32.v v2,(x14)",      "vsw12.v v2,0(v1)",      "vsw12.v v2,0(v3)",
        "vsb12.v v2,0(v3)",      "vsuxei32.v v2,(x8),v4", "vsse32.v v2,(x8),x15",
        "vsse32.v v2,(x14),x15", "amoadd.w v5,v2,(v3)",   "vse32.v v2,(x16)",
        "sw x8,4(x5)",           "amoswap.w v5,v6,(v7)",  "sw x17,4(x5)",
    };
    const char *why;
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    Device *a = open_device(dev_find_engine("interp")), *b = open_device(dev_find_engine("jit"));
    for (size_t k = 0; k < countof(stores); k++) {
        const Shape s = {.lanes = k % 3 ? 32 : 8, .items = k % 3 ? 128 : 32, .warps = 4};
        text.len = 0;
        line("csrr x5,knl");
        line("lw x8,4(x5)"); /* DATA, an argument and where the others are */
        line("lw x9,0(x8)");
        line("lhu x10,6(x8)");
        line("csrr x11,wgid");
        line("csrr x12,wid");
        line("slli x13,x11,2");
        line("add x13,x13,x12");
        line("slli x16,x13,8");
        line("li x14,%#x", DATA + OUT); /* 256 bytes of each warp */
        line("add x16,x16,x14");
        line("vid.v v4");
        line("vsll.vi v4,v4,2");
        line("vadd.vx v1,v4,x16");
        line("vmv.v.x v2,x9");
        line("vsw12.v v2,0(v1)");
        line("csrr x14,gidx");
        line("csrr x15,gidy");
        line("csrr x17,gidz");
        line("slli x15,x15,4");
        line("slli x17,x17,8");
        line("add x14,x14,x15");
        line("add x14,x14,x17");
        line("vadd.vx v2,v2,x14");
        line("vadd.vx v2,v2,x10");
        line("vsw12.v v2,128(v1)");
        line("vadd.vx v1,v4,x8");
        line("vadd.vv v3,v4,v4");
        line("vadd.vx v3,v3,x8");
        line("li x14,%#x", DATA - 124);
        line("li x15,-12");
        line("li x17,%#x", DATA + 4);
        line("li x6,%#x", DATA + 8);
        line("vmv.v.x v6,x6");
        line("addi x7,x5,4");
        line("vmv.v.x v7,x7");
        line("%s", stores[k]);
        line("lw x9,0(x8)");
        line("lw x17,4(x5)");
        line("sw x9,0(x16)");
        line("sw x17,4(x16)");
        line("endprg x0,x0,x0");
        const DevResult ra = run(a, linked(), &s, 7), rb = run(b, linked(), &s, 7);
        compare(a, b, &ra, &rb, k);
        assert_false(ra.run.faulted);
    }
    close_compared(a, b);
    buf_free(&text);
}

/* Vector lengths that are constant and that are not, below and above the lanes, in loops that begin with
 * all lanes or with 3: the lanes that are off keep what they have. */
static void vector_lengths(void **state)
{
    static const char *const sets[] = {
        "vsetvli x12,x0,e32,m1,ta,ma",  "vsetvli x0,x0,e32,m1,ta,ma",   "vsetivli x12,3,e32,m1,ta,ma",
        "vsetivli x0,31,e32,m1,ta,ma",  "vsetvli x12,x13,e32,m1,ta,ma", "vsetvli x12,x14,e32,m1,ta,ma",
        "vsetvli x12,x15,e32,m1,ta,ma", "vsetvl x12,x13,x16",           "vsetvl x0,x0,x16",
        "vsetvl x12,x0,x16",
    };
    const char *why;
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    Device *a = open_device(dev_find_engine("interp")), *b = open_device(dev_find_engine("jit"));
    for (u32 items = 12; items <= 16; items += 4) {
        const Shape s = {.lanes = 8, .items = items, .warps = 2};
        text.len = labels = 0;
        line("csrr x5,wid");
        line("csrr x6,wgid");
        line("slli x6,x6,1");
        line("add x5,x5,x6");
        line("slli x5,x5,10");
        line("li x8,%#x", DATA);
        line("lw x15,0(x8)");
        line("andi x15,x15,7"); /* only the host code of an access tells */
        line("li x13,5");
        line("li x14,8");
        line("csrr x16,vtype");
        line("li x7,%#x", DATA + OUT);
        line("add x7,x7,x5");
        line("vid.v v1");
        line("vsll.vi v1,v1,2");
        line("vadd.vx v1,v1,x7");
        for (u32 k = 0; k < 2 * countof(sets); k++) {
            line("%s", sets[k % 2 ? 0 : 2]);
            line("li x18,3");
            buf_printf(&text, ".Ll%u:\n", k);
            line("vadd.vi v4,v4,1");
            line("%s", sets[k / 2]);
            line("vadd.vi v5,v4,2");
            line("csrr x17,vl");
            line("vadd.vx v5,v5,x17");
            line("addi x18,x18,-1");
            line("bgtz x18,.Ll%u", k);
            line("%s", sets[0]);
            line("vsw12.v v5,0(v1)");
            line("li x17,32");
            line("vadd.vx v1,v1,x17");
        }
        line("endprg x0,x0,x0");
        const DevResult ra = run(a, linked(), &s, 7), rb = run(b, linked(), &s, 7);
        compare(a, b, &ra, &rb, items);
        assert_false(ra.run.faulted);
    }
    close_compared(a, b);
    buf_free(&text);
}

/* A length that is all lanes is set in compiled code, which goes on. */
static void whole_lengths(void **state)
{
    static const char *const sets[] = {"vsetvli x12,x0,e32,m1,ta,ma", "vsetivli x12,8,e32,m1,ta,ma",
                                       "vsetvli x12,x14,e32,m1,ta,ma"};
    const Shape s = {.lanes = 8, .items = 16, .warps = 2};
    const char *why;
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    for (size_t k = 0; k < countof(sets); k++) {
        Device *d = open_device(dev_find_engine("jit"));
        JitStats stats;
        text.len = 0;
        line("li x13,1000");
        buf_printf(&text, ".Lagain:\n");
        line("li x14,9");
        line("%s", sets[k]);
        line("vadd.vi v4,v4,1");
        line("addi x13,x13,-1");
        line("bgtz x13,.Lagain");
        line("endprg x0,x0,x0");
        const DevResult r = run(d, linked(), &s, 7);
        assert_false(r.run.faulted);
        assert_true(jit_stats(dev_engine(d), &stats));
        if (stats.compiled < stats.insns / 10 * 9)
            fail_msg("%s: %llu of %llu instructions were compiled", sets[k], (unsigned long long)stats.compiled,
                     (unsigned long long)stats.insns);
        dev_close(d);
    }
    buf_free(&text);
}

/* around the ends of all that is mapped */
static const u32 bases[] = {
    0,          4,           0xfff,      LDS_LO - 4, LDS_LO - 128, LDS_LO,
    LDS_END - 4, LDS_END - 128, LDS_END,  CODE_LO,    CODE_LO + 8,  CODE_END - 4,
    KNL - 4,    DATA - 128,  DATA + 4,   DATA + DATA_BYTES - 4, DATA + DATA_BYTES - 64,
    DATA + DATA_BYTES, PDS + PDS_BYTES - 4, 0xfffffff0, 0xfffffffc, 0xffffffff, 0x7ffffffc};

/* Every form of access at addresses around the ends of all that is mapped, with strides and offsets
 * that lead out: the fault is the interpreter's, and so is what was stored before it.  The host has
 * guard pages and other people's memory there, so an access that gets through ends this process or
 * changes a result. */
static void wild_addresses(void **state)
{
    static const char *const forms[] = {
        "lw x12,%d(x13)",    "sw x14,%d(x13)",    "lbu x12,%d(x13)",    "sh x14,%d(x13)",
        "vlw12.v v5,%d(v1)", "vsw12.v v4,%d(v1)", "vlbu12.v v5,%d(v1)", "vsh12.v v4,%d(v1)",
        "vlw.v v5,%d(v3)",   "vsw.v v4,%d(v3)",
    };
    static const char *const plain[] = {
        "vle32.v v5,(x13)",       "vse32.v v4,(x13)",      "vse8.v v4,(x13)",
        "vlse32.v v5,(x13),x15",  "vsse32.v v4,(x13),x15", "vluxei32.v v5,(x13),v2",
        "vsuxei32.v v4,(x13),v2", "amoadd.w v5,v4,(v1)",
    };
    static const int strides[] = {0, 4, -4, 4096, INT32_MIN, 0x10000001};
    static const int offsets[] = {0, 4, -4, 2047, -2048};
    const char *why;
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    setenv("VENTUS_JIT_TIER", "quick", 1);
    for (int optimised = 0; optimised < 2; optimised++) {
        Device *a = open_device(dev_find_engine("interp")),
               *b = open_device(dev_find_engine("jit"));
        for (size_t f = 0; f < countof(forms) + countof(plain); f += optimised ? 3 : 1) {
            text.len = 0;
            line("li x8,%#x", DATA);
            line("li x9,2");
            line("li x13,%#x",
                 DATA + 512); /* at first one of many plain addresses, which may be remembered */
            line("lw x15,4(x8)"); /* the stride */
            line("1: vid.v v2");
            line("vmul.vx v2,v2,x15");
            line("vadd.vx v1,v2,x13");
            line("vmv.v.x v3,x13");
            line("vid.v v4");
            line("li x14,77");
            if (f < countof(forms)) {
                char one[64];
                const bool is_vector = forms[f][0] == 'v' && forms[f][3] != '.';
                const int off = offsets[f % countof(offsets)];
                snprintf(one, sizeof one, forms[f],
                         is_vector                   ? (off < 0 ? 8 : off)
                         : off < -1024 || off > 1023 ? 12
                                                     : off);
                line("%s", one);
            } else {
                line("%s", plain[f - countof(forms)]);
            }
            line("vsw12.v v5,256(v3)"); /* and once more */
            line("lw x13,0(x8)");       /* the address */
            line("addi x9,x9,-1");
            line("bne x9,x0,1b");
            line("endprg x0,x0,x0");
            for (size_t i = 0; i < countof(bases) * countof(strides); i++) {
                const u32 words[2] = {bases[i / countof(strides)],
                                      (u32)strides[i % countof(strides)]};
                const Shape s = {.lanes = i & 1 ? 32 : 8, .items = i & 1 ? 29 : 8, .warps = 1};
                first_words = words;
                if (optimised && i % 5)
                    continue;
                const DevResult ra = run(a, i ? NULL : linked(), &s, 7),
                                rb = run(b, i ? NULL : linked(), &s, 7);
                compare(a, b, &ra, &rb, 100000 + f * 1000 + i);
            }
        }
        first_words = NULL;
        close_compared(a, b);
        unsetenv("VENTUS_JIT_TIER");
    }
    buf_free(&text);
}

/* The same for the spaces of v2025, and for records of several words: by name, by a prefix, flat. */
static void wild_spaces(void **state)
{
    static const char *const forms[] = {
        "vlw12.v v5,8(v1)",
        "vsw12.v v4,4(v1)",
        "vlw_local.v v5,-4(v1)",
        "vsw_private.v v4,0(v1)",
        "pre_m_64\n\tvlw12.v v6,-8(v1)",
        "pre_m_128\n\tvsw12.v v4,0(v1)",
        "pre_m_local_96\n\tvlw12.v v6,4(v1)",
        "pre_m_global_64\n\tvsw12.v v4,12(v1)",
        "pre_m_64 pair=1\n\tvlw12.v v6,0(v4)",
    };
    static const int strides[] = {4, 8, 16, -8, INT32_MIN};
    static const u32 private_ends[] = {0xffffc0, 0xfffffc, 0x1000000, 0xfffff7fc};
    const char *why;
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    set = V2025 | TIDX;
    Device *a = open_device(dev_find_engine("interp")), *b = open_device(dev_find_engine("jit"));
    /* memory where the flat rule does not look */
    memory_map(dev_memory(a), 0xfff000, 2 * PAGE_SIZE, MEM_R | MEM_W);
    memory_map(dev_memory(b), 0xfff000, 2 * PAGE_SIZE, MEM_R | MEM_W);
    for (size_t f = 0; f < countof(forms); f++) {
        text.len = 0;
        line("li x8,%#x", DATA);
        line("li x9,2");
        line("li x13,%#x", DATA + 512); /* at first plain addresses, which may be remembered */
        line("lw x15,4(x8)");
        line("1: vid.v v2");
        line("vmul.vx v2,v2,x15");
        line("vadd.vx v1,v2,x13");
        line("vmv.v.v v4,v1");
        line("vmv.v.i v5,%d", (int)f % 2); /* upper words of 64-bit addresses */
        line("vid.v v6");
        line("vid.v v7");
        line("%s", forms[f]);
        line("vadd.vv v6,v6,v7");
        line("li x14,%#x", DATA + OUT);
        line("vse32.v v6,(x14)");
        line("lw x13,0(x8)"); /* the address */
        line("addi x9,x9,-1");
        line("bne x9,x0,1b");
        line("endprg x0,x0,x0");
        const u32 n = countof(bases) + countof(private_ends);
        for (u32 i = 0; i < n * countof(strides); i++) {
            const u32 k = i / countof(strides);
            const u32 words[2] = {k < countof(bases) ? bases[k] : private_ends[k - countof(bases)],
                                  (u32)strides[i % countof(strides)]};
            const Shape s = {.lanes = i % 3 ? 32 : 8, .items = i % 3 == 1 ? 29 : i % 3 ? 32 : 8,
                             .warps = 1};
            first_words = words;
            const DevResult ra = run(a, i ? NULL : linked(), &s, 7),
                            rb = run(b, i ? NULL : linked(), &s, 7);
            compare(a, b, &ra, &rb, 200000 + f * 1000 + i);
        }
    }
    first_words = NULL;
    set = V202 | AI | TIDX;
    close_compared(a, b);
    buf_free(&text);
}

/* An instruction of a random row with random operands, now and then any word. */
static void wild_word(void)
{
    for (;;) {
        const InsnInfo *row = &isa_insn[below(NINSN)];
        const u64 any = (u64)below(UINT32_MAX) << 32 | below(UINT32_MAX);
        const u64 word = row->match | (any & ~isa_format[row->format].mask);
        if (one_in(20)) {
            line(".word %#x", (u32)any);
            return;
        }
        if (row->sets & set) {
            line(".word %#x", (u32)word);
            if (row->len == 8)
                line(".word %#x", (u32)(word >> 32));
            return;
        }
    }
}

/* Code that nobody would write: branches to anywhere, wild registers as addresses, types and modes
 * that are none. */
static void try_words(void)
{
    const char *why;
    if (!jit_available(&why))
        skip_because("%s", why);
    setenv("VENTUS_JIT_TIER", "quick", 1);
    Device *a = open_device(dev_find_engine("interp")), *b = open_device(dev_find_engine("jit"));
    const char *first = getenv("JIT_TEST_SEED"), *count = getenv("JIT_TEST_COUNT");
    for (u64 i = 0; i < (count ? strtoull(count, NULL, 0) : 40); i++) {
        const u64 program = i + (first ? strtoull(first, NULL, 0) : 1);
        seed = program * 0x9e3779b97f4a7c15u;
        text.len = 0;
        line("li x8,%#x", DATA);
        line("li x9,%#x", LDS_LO);
        line("addi x2,x9,1024");
        line("vid.v v1");
        line("vsll.vi v1,v1,2");
        line("vadd.vx v2,v1,x9");
        line("vadd.vx v1,v1,x8");
        for (u32 n = 0; n < 40; n++)
            if (one_in(3)) /* so that it comes further */
                random_alu();
            else
                wild_word();
        line("endprg x0,x0,x0");
        const Shape s = {.lanes = 4u << below(4), .items = 4, .warps = 1, .max_insns = 3000};
        const DevResult ra = run(a, linked(), &s, program), rb = run(b, linked(), &s, program);
        compare(a, b, &ra, &rb, program);
    }
    JitStats stats;
    assert_true(jit_stats(dev_engine(b), &stats) && (count || stats.compiled > 100));
    dev_close(a);
    dev_close(b);
    unsetenv("VENTUS_JIT_TIER");
    buf_free(&text);
}

static void any_words(void **state)
{
    (void)state;
    try_words();
    set = V2025 | TIDX;
    try_words();
    set = V202 | AI | TIDX;
}

/* Programs of profile v2025: register pairs, abs and neg, widening, spaces. */
static void pairs(void **state)
{
    (void)state;
    set = V2025 | TIDX;
    try_programs(3, 20);
    setenv("VENTUS_JIT_TIER", "quick", 1);
    try_programs(12, 20);
    setenv("VENTUS_LANES", "base", 1);
    try_programs(4, 20);
    unsetenv("VENTUS_LANES");
    unsetenv("VENTUS_JIT_TIER");
    set = V202 | AI | TIDX;
}

/* Matrix products by number, all or some of those that exist, on numbers of every kind.  D of each
 * has its own registers; a sum of them all, each weighted, goes to memory. */
static void make_products(u32 from, u32 end, u32 stride)
{
    enum { LOADED = 6, SOURCE = 16, FIRST = 64 };
    u32 n = 0, d = FIRST;
    text.len = 0;
    line("li x8,%#x", DATA);
    line("li x7,%#x", 0xbfbfbfbf);
    line("csrr x5,wgid");
    line("slli x5,x5,1");
    line("csrr x6,wid");
    line("add x5,x5,x6");
    line("slli x5,x5,7");
    line("vid.v v1");
    line("vsll.vi v1,v1,2");
    line("vadd.vx v1,v1,x8");
    line("vadd.vx v1,v1,x5");
    for (u32 r = 10; r < 256; r++)
        if (r < SOURCE || r % LOADED == 0) {
            line("vlw12.v v%u,%u(v1)", r, r * 8);
        } else {
            line("vxor.vv v%u,v%u,v%u", r, r - 6, r - 1);
            line("vand.vx v%u,v%u,x7", r, r);
        }
    for (u32 v = 0; v < 2u << 12; v++) {
        char suffix[80];
        Mma m;
        const OperandKind kind = v & 1 ? K_MMA64 : K_MMA;
        if ((kind == K_MMA && v >> 11) || !isa_mma(kind, (i32)(v / 2), &m) || n++ % stride ||
            n <= from || n > end)
            continue;
        isa_mma_suffix(kind, (i32)(v / 2), suffix, sizeof suffix);
        const u32 a = SOURCE + below(FIRST - 8 - SOURCE),
                  b = one_in(3) ? a : SOURCE + below(FIRST - 8 - SOURCE);
        const u32 c = SOURCE + below(FIRST - 8 - SOURCE), count = m.wide ? m.m * m.n / 32 : 4;
        if (kind == K_MMA)
            line("mma%s v%u,v%u,v%u", suffix, d, a, b);
        else
            line("mma64%s v%u,v%u,v%u,v%u", suffix, d, a, b, c);
        d = d + count > 248 ? FIRST : d + count;
    }
    line("vmv.v.i v3,0");
    for (u32 r = FIRST; r < 256; r++) {
        line("li x5,%d", (int)(0x9e3779b1u * r | 1));
        line("vmacc.vx v3,x5,v%u", r);
    }
    line("li x6,%u", OUT);
    line("vadd.vx v1,v1,x6");
    line("vsw12.v v3,0(v1)");
    line("endprg x0,x0,x0");
}

/* Matrix products bit by bit, every stride-th of those that exist, or JIT_TEST_STRIDE-th. */
static void try_products(u32 stride)
{
    enum { ALL = 1240, PROGRAM = 40 };
    const char *why, *ask = getenv("JIT_TEST_STRIDE");
    if (!jit_available(&why))
        skip_because("%s", why);
    set = V2025 | TIDX;
    memory_word = matrix_word;
    stride = ask ? (u32)strtoul(ask, NULL, 0) : stride;
    Device *a = open_device(dev_find_engine("interp")), *b = open_device(dev_find_engine("jit"));
    const Shape s = {.lanes = 32, .items = 64, .warps = 2};
    seed = 1;
    for (u32 from = 0; from < ALL; from += PROGRAM * stride) {
        make_products(from, from + PROGRAM * stride, stride);
        const DevResult ra = run(a, linked(), &s, from + 1), rb = run(b, linked(), &s, from + 1);
        assert_false(ra.run.faulted);
        compare(a, b, &ra, &rb, from);
    }
    JitStats stats;
    assert_true(jit_stats(dev_engine(b), &stats) && stats.compiled > stats.insns / 10 * 9);
    memory_word = random_word;
    set = V202 | AI | TIDX;
    buf_free(&text);
    dev_close(a);
    dev_close(b);
}

static void matrix_products(void **state)
{
    (void)state;
    try_products(13);
    setenv("VENTUS_LANES", "avx2", 1);
    try_products(23);
    unsetenv("VENTUS_LANES");
}

/* The engine that compares while it runs finds nothing.  Its turns are shorter, so that programs
 * whose warps share words do other things than with the interpreter alone. */
static void shadow_agrees(void **state)
{
    (void)state;
    setenv("VENTUS_JIT_TIER", "quick", 1);
    engine = "shadow";
    try_programs_from(1, 12, 12);
    engine = "jit";
    unsetenv("VENTUS_JIT_TIER");
}

static u64 a_million(void *self, const Warp *w)
{
    (void)self, (void)w;
    return 1000000;
}

/* A clock that the twin has not makes a difference: in a register, at the loop behind its reading,
 * in the first group. */
static void shadow_notices(void **state)
{
    static const Clock clock = {.cycles = a_million, .time = a_million};
    const char *why;
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    text.len = 0;
    line("csrr x14,cycle");
    line("li x28,1000");
    buf_str(&text, ".Lt:\n");
    line("add x9,x9,x14");
    line("addi x28,x28,-1");
    line("bgtz x28,.Lt");
    line("li x8,%#x", DATA);
    line("sw x9,0(x8)");
    line("endprg x0,x0,x0");
    Device *d = open_device(dev_find_engine("shadow"));
    const Shape s = {.lanes = 8, .items = 8, .warps = 1};
    assert_false(run(d, linked(), &s, 1).run.faulted);
    assert_string_equal(jit_difference(dev_engine(d)), "");
    ((Sim *)dev_engine(d))->clock = &clock;
    const DevResult r = run(d, linked(), &s, 1);
    assert_true(r.run.faulted);
    assert_int_equal(r.run.fault.kind, FAULT_DIFFERS);
    assert_int_equal(r.run.fault.group_linear, 0);
    assert_non_null(strstr(jit_difference(dev_engine(d)), "x9 is 0x"));
    buf_free(&text);
    dev_close(d);
}

/* Every second group runs its host code in whole turns, as without a twin, so that what it does wrong is seen when
 * it has done; the others stop wherever host code may stop. */
static void shadow_compares_turns(void **state)
{
    static const Clock clock = {.cycles = a_million, .time = a_million};
    const char *why;
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    for (u32 group = 0; group < 2; group++) {
        text.len = 0;
        line("csrr x15,gidx");
        line("li x16,%u", group);
        line("bne x15,x16,.Le");
        line("csrr x14,cycle");
        line("li x28,1000");
        buf_str(&text, ".Lt:\n");
        line("add x9,x9,x14");
        line("addi x28,x28,-1");
        line("bgtz x28,.Lt");
        line("li x8,%#x", DATA);
        line("sw x9,0(x8)");
        buf_str(&text, ".Le:\n");
        line("endprg x0,x0,x0");
        Device *d = open_device(dev_find_engine("shadow"));
        ((Sim *)dev_engine(d))->clock = &clock;
        const Shape s = {.lanes = 8, .items = 8, .warps = 1};
        const DevResult r = run(d, linked(), &s, 2);
        assert_true(r.run.faulted);
        if (!strstr(jit_difference(dev_engine(d)), group ? "at the end, byte" : "x9 is 0x"))
            fail_msg("group %u: %s", group, jit_difference(dev_engine(d)));
        buf_free(&text);
        dev_close(d);
    }
}

/* Warps that take turns in the middle of loops go on there. */
static void long_loops(void **state)
{
    const char *why;
    (void)state;
    if (!jit_available(&why))
        skip();
    text.len = 0;
    line("li x8,%#x", DATA + OUT);
    line("csrr x5,wid");
    line("slli x6,x5,7");
    line("add x8,x8,x6");
    line("vid.v v1");
    line("vadd.vx v2,v1,x5");
    line("li x28,1200000");
    buf_str(&text, ".Lt:\n");
    line("vmul.vx v2,v2,x28");
    line("vadd.vi v2,v2,7");
    line("add x9,x9,x28");
    line("addi x28,x28,-1");
    line("bgtz x28,.Lt");
    line("vadd.vx v2,v2,x9");
    line("vsll.vi v1,v1,2");
    line("vadd.vx v1,v1,x8");
    line("vsw12.v v2,0(v1)");
    line("endprg x0,x0,x0");
    Device *a = open_device(dev_find_engine("interp")), *b = open_device(dev_find_engine("jit"));
    const Shape s = {.lanes = 32, .items = 64, .warps = 2};
    const DevResult ra = run(a, linked(), &s, 1), rb = run(b, linked(), &s, 1);
    compare(a, b, &ra, &rb, 0);
    JitStats stats;
    assert_true(jit_stats(dev_engine(b), &stats));
    assert_true(stats.compiled > stats.insns / 10 * 9);
    buf_free(&text);
    dev_close(a);
    dev_close(b);
}

/* Rows that are dead behind a side, in a side without lane 0.  The mask of a masked instruction may
 * be the word that lane 0 has in v0, which that side does not write: it is still 0, so nothing is
 * added. */
static void rows_die(void **state)
{
    const char *why;
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    text.len = 0;
    line("li x8,%#x", DATA + OUT);
    line("vid.v v1");
    line("vsll.vi v2,v1,2");
    line("vadd.vx v2,v2,x8");
    line("vmv.v.i v4,5");
    line("vmv.v.i v5,6");
    line("vmv.v.i v6,0");
    set_meeting(0);
    line("vbeq v1,v6,.Lm0");
    line("vmv.v.i v0,-1");
    line("vadd.vi v4,v4,1,v0.t");
    line("vadd.vi v7,v5,1"); /* dies here */
    line("vadd.vv v5,v7,v1");
    buf_str(&text, ".Lm0:\n");
    line("join x0,x0,0");
    line("vmv.v.i v0,0");
    line("vadd.vv v7,v0,v4");
    line("vsw12.v v7,0(v2)");
    line("vsw12.v v5,128(v2)");
    line("endprg x0,x0,x0");
    Device *a = open_device(dev_find_engine("interp")), *b = open_device(dev_find_engine("jit"));
    for (u32 vm = 0; vm < 4; vm++) {
        const Shape s = {.lanes = 32, .items = 32, .warps = 1, .vm = (VmRule)vm};
        const DevResult ra = run(a, linked(), &s, 1), rb = run(b, linked(), &s, 1);
        compare(a, b, &ra, &rb, vm);
        u32 v4[32];
        assert_true(dev_read(b, DATA + OUT, v4, sizeof v4));
        assert_int_equal(v4[0], 5);
        assert_int_equal(v4[31], vm == VM_OWN || vm == VM_IGNORE ? 6 : 5);
    }
    buf_free(&text);
    dev_close(a);
    dev_close(b);
}

/* Addresses of lanes that are on lie in a row, or not, and those of the others anywhere; the row of all
 * would begin before what is mapped, or end behind it.  Lanes that are off keep their memory. */
static void rows_of_some(void **state)
{
    static const char *const accesses[][2] = {{"vlw12.v v8,0(v7)", "vsw12.v v8,0(v7)"},
                                              {"vlbu12.v v8,3(v7)", "vsb12.v v8,3(v7)"}};
    static const u32 lanes_on[] = {1, 2, 0x80000000, 0xaaaaaaaa, 0xfffffffe, 0xffff0000, 0x7fffffff, 0x00010100};
    static const u32 at[] = {DATA, DATA - 4, DATA - 124, DATA + 4, DATA + 4096 - 64, DATA + DATA_BYTES - 128,
                             DATA + DATA_BYTES - 124, DATA + DATA_BYTES - 4, LDS_LO, LDS_LO - 4};
    const char *why;
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    for (u32 k = 0; k < 2 * countof(accesses); k++) {
        Device *a = open_device(dev_find_engine("interp")), *b = open_device(dev_find_engine("jit"));
        const u32 lanes = k % 2 ? 32 : 8;
        text.len = 0;
        line("li x8,%#x", DATA);
        line("lw x9,4(x8)"); /* which lanes */
        line("lw x10,0(x8)");
        line("li x7,%#x", DATA + OUT);
        line("vid.v v1");
        line("vmv.v.x v5,x9");
        line("vsrl.vv v5,v5,v1");
        line("vand.vi v5,v5,1");
        line("vmv.v.i v6,0");
        line("vmv.v.i v7,-8"); /* nothing is there */
        line("li x28,3");
        buf_str(&text, ".Lt:\n");
        set_meeting(0);
        line("vbeq v5,v6,.Lm0");
        line("vsll.vi v7,v1,2");
        line("vadd.vx v7,v7,x10");
        line("vlw12.v v9,0(v7)");
        buf_str(&text, ".Lm0:\n");
        line("join x0,x0,0");
        set_meeting(1);
        line("vbeq v5,v6,.Lm1");
        line("%s", accesses[k / 2][0]);
        line("vadd.vx v8,v8,x28");
        line("%s", accesses[k / 2][1]);
        buf_str(&text, ".Lm1:\n");
        line("join x0,x0,0");
        line("addi x28,x28,-1");
        line("bgtz x28,.Lt");
        line("vsll.vi v2,v1,2");
        line("vadd.vx v2,v2,x7");
        line("vsw12.v v7,0(v2)");
        line("vsw12.v v8,128(v2)");
        line("vsw12.v v9,256(v2)");
        line("endprg x0,x0,x0");
        u32 faults = 0, n = 0;
        for (u32 i = 0; i < countof(at) * countof(lanes_on); i++) {
            const u32 words[2] = {at[i / countof(lanes_on)], lanes_on[i % countof(lanes_on)]};
            const Shape s = {.lanes = lanes, .items = lanes, .warps = 1};
            first_words = words;
            const DevResult ra = run(a, i ? NULL : linked(), &s, 7), rb = run(b, i ? NULL : linked(), &s, 7);
            compare(a, b, &ra, &rb, k * 1000 + i);
            faults += ra.run.faulted;
            n++;
        }
        first_words = NULL;
        assert_true(faults > 0 && faults < n); /* some rows begin or end elsewhere */
        close_compared(a, b);
    }
    buf_free(&text);
}

/* one statement on the few float registers of nans_travel(): x12 to x14, v4 to v8 */
static void float_statement(u32 depth)
{
    static const char *const two[] = {"vfadd", "vfsub", "vfmul", "vfadd", "vfmax", "vfsgnjn"};
    static const char *const three[] = {"vfmacc", "vfnmsac", "vfmadd", "vfmsub"};
    static const char *const scalar[] = {"fadd.s", "fsub.s", "fmul.s", "fmin.s", "fsgnj.s"};
    const u32 d = 4 + below(5), a = 4 + below(5), b = 4 + below(5), x = 12 + below(3), y = 12 + below(3);
    const char *m = one_in(5) ? ",v0.t" : "";
    switch (below(depth ? 13 : 15)) {
    case 0: line("%s.vf v%u,v%u,x%u%s", PICK(two), d, a, x, m); break;
    case 1: line("%s.vf v%u,x%u,v%u%s", PICK(three), d, x, a, m); break;
    case 2: line("%s x%u,x%u,x%u", PICK(scalar), x, 12 + below(3), y); break;
    case 3: line("fmadd.s x%u,x%u,x%u,x%u", x, 12 + below(3), y, y); break;
    case 4: line("vmv.v.v v%u,v%u", d, a); break;
    case 5: line("vmerge.vvm v%u,v%u,v%u,v0", d, a, b); break;
    case 6: /* what sees bits */
        switch (below(6)) {
        case 0: line("vsw12.v v%u,%u(v1)", a, 128 * below(4)); break;
        case 1: line("vlw12.v v%u,%u(v2)", d, 128 * below(4)); break;
        case 2: line("vxor.vv v9,v9,v%u", a); break;
        case 3: line("sw x%u,2044(x7)", x); break;
        case 4: line("vmv.x.s x%u,v%u", x, a); break;
        default: line("vfclass.v v10,v%u", a); break;
        }
        break;
    case 13: {
        const u32 l = labels++;
        set_meeting(l);
        line("%s v%u,v3,.Le%u", divergent_branch(), 9 + below(2), l);
        for (u32 i = below(3); i > 0; i--)
            float_statement(1);
        line("j .Lm%u", l);
        buf_printf(&text, ".Le%u:\n", l);
        for (u32 i = below(3); i > 0; i--)
            float_statement(1);
        buf_printf(&text, ".Lm%u:\n", l);
        line("join x0,x0,0");
        break;
    }
    case 14: {
        const u32 l = labels++;
        line("andi x15,x%u,1", x);
        line("beqz x15,.Lu%u", l);
        float_statement(1);
        buf_printf(&text, ".Lu%u:\n", l);
        break;
    }
    default:
        if (one_in(2))
            line("%s.vv v%u,v%u,v%u%s", PICK(two), d, a, b, m);
        else
            line("%s.vv v%u,v%u,v%u%s", PICK(three), d, a, b, m);
    }
}

/* Floats that go round loops, through sides and selections, from registers that begin as numbers or
 * as NaNs of any kind to what sees their bits: only results have become canonical. */
static void nans_travel(void **state)
{
    const char *why, *count = getenv("JIT_TEST_COUNT"), *first = getenv("JIT_TEST_SEED");
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    Device *a = open_device(dev_find_engine("interp")), *b = open_device(dev_find_engine("jit"));
    const u64 begin = first ? strtoull(first, NULL, 0) : 1,
              end = begin + (count ? strtoull(count, NULL, 0) : 14);
    for (u64 program = begin; program < end; program++) {
        seed = program * 0x9e3779b97f4a7c15u;
        const u32 lanes = 4u << below(4);
        const Shape s = {.lanes = lanes, .items = 2 * lanes - below(2), .warps = 2, .vm = VM_OWN};
        text.len = labels = 0;
        line("li x2,%#x", DATA);
        line("csrr x5,wid");
        line("slli x5,x5,11");
        line("li x7,%#x", DATA + OUT);
        line("add x7,x7,x5");
        line("vid.v v3");
        line("vsll.vi v2,v3,2");
        line("vadd.vx v1,v2,x7");
        line("vadd.vx v2,v2,x2");
        line("vand.vi v0,v3,1");
        line("vmv.v.i v9,0");
        for (u32 n = 4; n < 9; n++)
            if (one_in(2))
                line("vlw12.v v%u,%u(v2)", n, 128 * n % 1024);
            else
                line("vmv.v.i v%u,0", n);
        for (u32 n = 12; n < 15; n++)
            line("lw x%u,%u(x2)", n, 4 * n);
        line("li x28,%u", 1 + below(4));
        buf_str(&text, ".Lt:\n");
        for (u32 i = 4 + below(8); i > 0; i--)
            float_statement(0);
        line("addi x28,x28,-1");
        line("bgtz x28,.Lt");
        for (u32 n = 4; n < 11; n++)
            line("vsw12.v v%u,%u(v1)", n, 1024 + 128 * (n - 4));
        for (u32 n = 12; n < 15; n++)
            line("sw x%u,%u(x7)", n, 1976 + 4 * n);
        line("endprg x0,x0,x0");
        const DevResult ra = run(a, linked(), &s, program), rb = run(b, linked(), &s, program);
        compare(a, b, &ra, &rb, program);
    }
    close_compared(a, b);
    buf_free(&text);
}

/* one statement of a short side: rows, mostly */
static void side_statement(void)
{
    static const char *const vv[] = {"vadd.vv", "vxor.vv", "vmul.vv", "vmin.vv", "vfadd.vv", "vmacc.vv",
                                     "vfmul.vv", "vmslt.vv", "vsub.vv", "vmv.v.v"};
    const u32 k = below(countof(vv)), d = 4 + below(6), a = 4 + below(6), b = 4 + below(6);
    switch (below(12)) {
    case 0: line("vadd.vx v%u,v%u,x%u", d, a, 12 + below(3)); break;
    case 1: line("vsrl.vi v%u,v%u,%u", d, a, below(32)); break;
    case 2: line("vid.v v%u", d); break;
    case 3: line(one_in(2) ? "vadd.vi v%u,v%u,3,v0.t" : "vmerge.vvm v%u,v%u,v4,v0", d, a); break;
    case 4: line("addi x%u,x%u,%u", 12 + below(3), 12 + below(3), below(9)); break;
    default:
        if (k + 1 == countof(vv))
            line("%s v%u,v%u", vv[k], d, a);
        else
            line("%s v%u,v%u,v%u", vv[k], d, a, b);
    }
}

/* a branch whose sides are short, or have another such branch within; some meet at the same join */
static void short_branch(u32 depth)
{
    const u32 l = labels++;
    set_meeting(l);
    line("%s v%u,v%u,.L%c%u", divergent_branch(), 3 + below(7), 3 + below(7), one_in(4) ? 'm' : 'e', l);
    for (u32 i = below(4); i > 0; i--)
        side_statement();
    if (depth && one_in(3))
        short_branch(depth - 1);
    if (one_in(4)) { /* both lead to the same join */
        set_meeting(l);
        line("%s v%u,v%u,.L%c%u", divergent_branch(), 3 + below(7), 3 + below(7), one_in(2) ? 'm' : 'e', l);
        side_statement();
    }
    if (one_in(3))
        line("j .Lm%u", l);
    buf_printf(&text, ".Le%u:\n", l);
    for (u32 i = below(3); i > 0; i--)
        side_statement();
    buf_printf(&text, ".Lm%u:\n", l);
    line("join x0,x0,0");
}

/* Branches whose sides are computed at once: registers, counts, and the limits of instructions and of
 * the divergence stack are as if one side had waited for the other. */
static void short_sides(void **state)
{
    const char *why, *count = getenv("JIT_TEST_COUNT"), *first = getenv("JIT_TEST_SEED");
    static const u32 depths[] = {64, 1, 2, 4};
    u32 faults = 0;
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    const u64 begin = first ? strtoull(first, NULL, 0) : 1,
              end = begin + (count ? strtoull(count, NULL, 0) : 20);
    for (u64 program = begin; program < end; program++) {
        seed = program * 0x9e3779b97f4a7c15u;
        const u32 lanes = 4u << below(4);
        simt_depth = depths[program % countof(depths)];
        if (one_in(3))
            setenv("VENTUS_JIT_TIER", "quick", 1);
        Device *a = open_device(dev_find_engine("interp")), *b = open_device(dev_find_engine("jit"));
        const Shape s = {.lanes = lanes, .items = 2 * lanes - below(3), .warps = 2, .vm = (VmRule)below(4),
                         .max_insns = one_in(4) ? 200 + below(500) : 0};
        text.len = labels = 0;
        line("li x2,%#x", DATA);
        line("csrr x5,wid");
        line("slli x5,x5,11");
        line("li x7,%#x", DATA + OUT);
        line("add x7,x7,x5");
        line("vid.v v3");
        line("vsll.vi v2,v3,2");
        line("vadd.vx v1,v2,x7");
        line("vadd.vx v2,v2,x2");
        line("vand.vi v0,v3,5");
        for (u32 n = 4; n < 10; n++)
            line("vlw12.v v%u,%u(v2)", n, 128 * n % 1024);
        line("vand.vi v4,v4,7");
        line("vand.vi v5,v5,7");
        line("li x28,%u", 1 + below(4));
        buf_str(&text, ".Lt:\n");
        for (u32 i = 1 + below(4); i > 0; i--)
            short_branch(2);
        line("addi x28,x28,-1");
        line("bgtz x28,.Lt");
        for (u32 n = 4; n < 10; n++)
            line("vsw12.v v%u,%u(v1)", n, 1024 + 128 * (n - 4));
        for (u32 n = 12; n < 15; n++)
            line("sw x%u,%u(x7)", n, 1976 + 4 * n);
        line("csrr x12,instret");
        line("sw x12,2044(x7)");
        line("endprg x0,x0,x0");
        const DevResult ra = run(a, linked(), &s, program), rb = run(b, linked(), &s, program);
        compare(a, b, &ra, &rb, program);
        faults += ra.run.faulted && ra.run.fault.kind == FAULT_SIMT_OVERFLOW;
        dev_close(a);
        dev_close(b);
        unsetenv("VENTUS_JIT_TIER");
    }
    simt_depth = 64;
    assert_true(faults > 0 || end - begin < 20);
    buf_free(&text);
}

/* Rows of words that come nearer to the end of what is mapped, each by one, until a lane is beyond:
 * the range that was remembered for those before must not have it. */
static void rows_reach_an_end(void **state)
{
    static const char *const accesses[] = {"vlw12.v v4,0(v2)", "vsw12.v v1,0(v2)",
                                           "vlbu12.v v4,0(v2)", "vsb12.v v1,0(v2)"};
    const char *why;
    (void)state;
    if (!jit_available(&why))
        skip_because("%s", why);
    for (u32 i = 0; i < countof(accesses); i++) {
        Device *a = open_device(dev_find_engine("interp")), *b = open_device(dev_find_engine("jit"));
        const u32 bytes = i < 2 ? 4 : 1;
        text.len = 0;
        line("li x8,%#x", DATA + DATA_BYTES - 34 * bytes);
        line("vid.v v1");
        line("vsll.vi v2,v1,%u", i < 2 ? 2 : 0);
        line("vadd.vx v2,v2,x8");
        buf_str(&text, ".Lt:\n");
        line("%s", accesses[i]);
        line("vadd.vi v2,v2,%u", bytes);
        line("j .Lt");
        const Shape s = {.lanes = 32, .items = 32, .warps = 1};
        const DevResult ra = run(a, linked(), &s, 1), rb = run(b, linked(), &s, 1);
        compare(a, b, &ra, &rb, i);
        assert_true(rb.run.faulted);
        assert_int_equal(rb.run.fault.lane, 31);
        assert_int_equal(rb.run.fault.addr, DATA + DATA_BYTES);
        buf_free(&text);
        dev_close(a);
        dev_close(b);
    }
}

/* Code with a side that runs into its join, divisions by scalars, and what start code does with
 * CSRs is compiled to its last instruction. */
static void nothing_is_left(void **state)
{
    const char *why;
    (void)state;
    if (!jit_available(&why))
        skip();
    text.len = 0;
    line("li x8,%#x", DATA + OUT);
    line("li x5,%#x", 0x2000);
    line("csrrs x0,mstatus,x5");
    line("csrrw x0,mtvec,x5");
    line("csrr x6,knl");
    line("vsetvli x0,x6,e32,m1,ta,ma"); /* larger than any warp */
    line("lw x7,24(x6)");
    line("lw x9,12(x6)");
    line("vid.v v1");
    line("vdivu.vx v2,v1,x7");
    line("vremu.vx v3,v1,x9");
    line("vmv.v.i v4,9");
    set_meeting(0);
    line("vblt v1,v4,.Lm0");
    line("vadd.vx v2,v2,x6");
    buf_str(&text, ".Lm0:\n");
    line("join x0,x0,0");
    line("vadd.vv v2,v2,v3");
    line("csrr x5,wid");
    line("slli x5,x5,7");
    line("add x8,x8,x5");
    line("vsll.vi v1,v1,2");
    line("vadd.vx v1,v1,x8");
    line("vsw12.v v2,0(v1)");
    line("endprg x0,x0,x0");
    Device *a = open_device(dev_find_engine("interp")), *b = open_device(dev_find_engine("jit"));
    for (u32 items = 56; items <= 64; items += 8) {
        const Shape s = {.lanes = 32, .items = items, .warps = 2};
        const DevResult ra = run(a, linked(), &s, 1), rb = run(b, linked(), &s, 1);
        compare(a, b, &ra, &rb, 0);
    }
    JitStats stats;
    assert_true(jit_stats(dev_engine(b), &stats));
    assert_true(stats.insns > 100);
    assert_int_equal(stats.compiled, stats.insns);
    buf_free(&text);
    dev_close(a);
    dev_close(b);
}

static void host_levels(void **state)
{
    static const char *const levels[] = {"base", "avx2"};
    (void)state;
    for (size_t i = 0; i < countof(levels); i++) {
        setenv("VENTUS_LANES", levels[i], 1);
        try_programs(2, 12);
        setenv("VENTUS_JIT_TIER", "quick", 1);
        try_programs(10, 12);
        unsetenv("VENTUS_JIT_TIER");
    }
    unsetenv("VENTUS_LANES");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_programs),   cmocka_unit_test(graphs),
        cmocka_unit_test(whole_turns),      cmocka_unit_test(quick_programs),
        cmocka_unit_test(arguments_change), cmocka_unit_test(wild_addresses),
        cmocka_unit_test(vector_lengths),   cmocka_unit_test(whole_lengths),
        cmocka_unit_test(any_words),        cmocka_unit_test(wild_spaces),
        cmocka_unit_test(pairs),
        cmocka_unit_test(matrix_products),  cmocka_unit_test(shadow_agrees),
        cmocka_unit_test(shadow_notices), cmocka_unit_test(shadow_compares_turns),   cmocka_unit_test(long_loops),
        cmocka_unit_test(nothing_is_left),  cmocka_unit_test(host_levels),
        cmocka_unit_test(rows_die),         cmocka_unit_test(rows_reach_an_end),
        cmocka_unit_test(nans_travel),      cmocka_unit_test(short_sides),
        cmocka_unit_test(rows_of_some),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
