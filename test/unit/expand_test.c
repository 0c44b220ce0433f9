/* expand_test.c -- operations that the machine lacks as calls of the device library
 * (src/ll/libcalls.c, halves.c): each, as LLVM makes host code of it, against what the passes make
 * of it, run on the host with the library compiled for the host.  No operation on half or double
 * stays.
 */
#include "ll/middle.h"
#include "test/kit/random.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* --- the operations --------------------------------------------------------------------------- */

/* What computes %r, its type, and how it is compared: d, f and h as numbers, D and H also zeros
 * of the other sign, F as a fused product, i as bits, n not at all: that it is done by the
 * library is enough. */
static const struct {
    const char *type, *body;
    char how;
} rows[] = {
#define D2(op)                                                                                     \
    {"double", "%r = " op " double %da, %db", 'd'}, {"half", "%r = " op " half %ha, %hb", 'h'},
#define F2(op)                                                                                     \
    D2(op){"double",                                                                               \
           "%v = " op " <2 x double> %dv, %dw\n %r = extractelement <2 x double> %v, i32 1", 'd'}, \
        {"half", "%v = " op " <2 x half> %hv, %hw\n %r = extractelement <2 x half> %v, i32 0",     \
         'h'},
    F2("fadd") F2("fsub") F2("fmul") F2("fdiv")
        F2("frem"){"float", "%r = frem float %fa, %fb", 'f'},
    {"double", "%r = fneg double %da", 'd'},
    {"half", "%r = fneg half %ha", 'h'},
    {"double", "%v = fneg <2 x double> %dv\n %r = extractelement <2 x double> %v, i32 0", 'd'},
#define CMP(p)                                                                                     \
    {"i1", "%r = fcmp " p " double %da, %db", 'i'},                                                \
        {"i1", "%r = fcmp " p " double %da, %da", 'i'},                                            \
        {"i1", "%r = fcmp " p " half %ha, %hb", 'i'},                                              \
        {"i1", "%r = fcmp " p " half %hb, %hb", 'i'},                                              \
        {"i1", "%v = fcmp " p " <2 x double> %dv, %dw\n %r = extractelement <2 x i1> %v, i32 1",   \
         'i'},
    CMP("oeq") CMP("ogt") CMP("oge") CMP("olt") CMP("ole") CMP("one") CMP("ord") CMP("uno")
        CMP("ueq") CMP("ugt") CMP("uge") CMP("ult") CMP("ule")
            CMP("une"){"double", "%r = fpext float %fa to double", 'd'},
    {"float", "%r = fptrunc double %da to float", 'f'},
    {"float", "%r = fpext half %ha to float", 'f'},
    {"double", "%r = fpext half %ha to double", 'd'},
    {"half", "%r = fptrunc float %fa to half", 'h'},
    {"half", "%r = fptrunc double %da to half", 'h'},
    {"float",
     "%v = fptrunc <2 x double> %dv to <2 x float>\n %r = extractelement <2 x float> %v, i32 1",
     'f'},
#define FROM(i, x)                                                                                 \
    {"double", "%r = sitofp " i " " x " to double", 'd'},                                          \
        {"double", "%r = uitofp " i " " x " to double", 'd'},                                      \
        {"float", "%r = sitofp " i " " x " to float", 'f'},                                        \
        {"float", "%r = uitofp " i " " x " to float", 'f'},                                        \
        {"half", "%r = sitofp " i " " x " to half", 'h'},                                          \
        {"half", "%r = uitofp " i " " x " to half", 'h'},
    FROM("i64", "%la") FROM("i32", "%ia") FROM("i16", "%sa") FROM("i8", "%ca") FROM("i40", "%wa"){
        "double",
        "%v = sitofp <2 x i64> %lv to <2 x double>\n %r = extractelement <2 x double> %v, i32 1",
        'd'},
#define TO(i, most)                                                                                \
    {i,                                                                                            \
     "%m = call double @llvm.fabs.f64(double %da)\n %k = fcmp olt double %m, " most "\n"           \
     " %x = select i1 %k, double %da, double 7.5\n %r = fptosi double %x to " i,                   \
     'i'},                                                                                         \
        {i,                                                                                        \
         "%m = call double @llvm.fabs.f64(double %da)\n %k = fcmp olt double %m, " most "\n"       \
         " %x = select i1 %k, double %m, double 7.5\n %r = fptoui double %x to " i,                \
         'i'},                                                                                     \
        {i,                                                                                        \
         "%m = call float @llvm.fabs.f32(float %fa)\n %k = fcmp olt float %m, " most "\n"          \
         " %x = select i1 %k, float %fa, float 7.5\n %r = fptosi float %x to " i,                  \
         'i'},                                                                                     \
        {i,                                                                                        \
         "%m = call float @llvm.fabs.f32(float %fa)\n %k = fcmp olt float %m, " most "\n"          \
         " %x = select i1 %k, float %m, float 7.5\n %r = fptoui float %x to " i,                   \
         'i'},                                                                                     \
        {i,                                                                                        \
         "%e = fpext half %ha to float\n %m = call float @llvm.fabs.f32(float %e)\n %k = fcmp "    \
         "olt float %m, 127.0\n"                                                                   \
         " %x = select i1 %k, half %ha, half 7.5\n %r = fptosi half %x to " i,                     \
         'i'},                                                                                     \
        {i,                                                                                        \
         "%e = fpext half %ha to float\n %k = fcmp olt float %e, 127.0\n %l = fcmp oge float %e, " \
         "0.0\n"                                                                                   \
         " %o = and i1 %k, %l\n %x = select i1 %o, half %ha, half 7.5\n %r = fptoui half %x "      \
         "to " i,                                                                                  \
         'i'},
    TO("i64", "4611686018427387904.0") TO("i32", "1073741824.0") TO("i16", "16384.0") TO(
        "i8", "64.0") TO("i40", "274877906944.0")
#define SAT(name, i)                                                                               \
    {i, "%r = call " i " @llvm." name "." i ".f64(double %da)", 'i'},                              \
        {i, "%r = call " i " @llvm." name "." i ".f32(float %fa)", 'i'},                           \
        {i, "%r = call " i " @llvm." name "." i ".f16(half %ha)", 'i'},
        SAT("fptosi.sat", "i64") SAT("fptoui.sat", "i64") SAT("fptosi.sat", "i32") SAT("fptoui.sat",
                                                                                       "i32")
#define DIV(op)                                                                                    \
    {"i64", "%r = " op " i64 %la, %ld", 'i'}, {"i40", "%r = " op " i40 %wa, %wd", 'i'},            \
        {"i64", "%v = " op " <2 x i64> %lv, %lw\n %r = extractelement <2 x i64> %v, i32 0", 'i'},  \
        {"i32", "%r = " op " i32 %ia, %id", 'i'},
            DIV("udiv") DIV("urem") DIV("sdiv") DIV("srem")
#define ONE(name, how)                                                                             \
    {"double", "%r = call double @llvm." name ".f64(double %da)", how == 'f' ? 'd' : how},         \
        {"half", "%r = call half @llvm." name ".f16(half %ha)", how == 'f' ? 'h' : how},           \
        {"float", "%r = call float @llvm." name ".f32(float %fa)", how},                           \
        {"double",                                                                                 \
         "%v = call <2 x double> @llvm." name                                                      \
         ".v2f64(<2 x double> %dv)\n %r = extractelement <2 x double> %v, i32 1",                  \
         'd'},
                ONE("sqrt", 'f') ONE("floor", 'f') ONE("ceil", 'f') ONE("trunc", 'f') ONE(
                    "rint", 'f') ONE("nearbyint", 'f') ONE("roundeven",
                                                           'f') ONE("round", 'f') ONE("fabs", 'f')
#define TWO(name, z)                                                                               \
    {"double", "%r = call double @llvm." name ".f64(double %da, double %db)", z ? 'D' : 'd'},      \
        {"half", "%r = call half @llvm." name ".f16(half %ha, half %hb)", z ? 'H' : 'h'},
                    TWO("minnum", 1) TWO("maxnum", 1) TWO("copysign", 0){
                        "double",
                        "%r = call double @llvm.fma.f64(double %da, double %db, double %dc)", 'd'},
    {"half", "%r = call half @llvm.fma.f16(half %ha, half %hb, half %hc)", 'F'},
    {"double", "%r = call double @llvm.fmuladd.f64(double %da, double %db, double %dc)", 'n'},
    {"half", "%r = call half @llvm.fmuladd.f16(half %ha, half %hb, half %hc)", 'n'},
    {"half",
     "%x = and i32 %ia, 31\n %y = sub i32 %x, 15\n %r = call half @llvm.ldexp.f16.i32(half %ha, "
     "i32 %y)",
     'h'},
#define CLASS(k)                                                                                   \
    {"i1", "%r = call i1 @llvm.is.fpclass.f64(double %da, i32 " #k ")", 'i'},                      \
        {"i1", "%r = call i1 @llvm.is.fpclass.f16(half %ha, i32 " #k ")", 'i'},
    CLASS(3) CLASS(4) CLASS(8) CLASS(16) CLASS(32) CLASS(64) CLASS(128) CLASS(256) CLASS(512)};

static const char loads[] =
#define LOAD(name, type, at)                                                                       \
    " %" name ".p = getelementptr i8, ptr %in, i32 " #at "\n %" name " = load " type               \
    ", ptr %" name ".p\n"
    LOAD("da", "double", 0) LOAD("db", "double", 8) LOAD("dc", "double", 16) LOAD("la", "i64", 24)
        LOAD("lb", "i64", 32) LOAD("fa", "float", 40) LOAD("fb", "float", 44) LOAD("ha", "half", 48)
            LOAD("hb", "half", 50)
                LOAD("hc", "half", 52) " %ia = trunc i64 %la to i32\n %ib = trunc i64 %lb to i32\n "
                                       "%sa = trunc i64 %la to i16\n %ca = trunc i64 %lb to i8\n"
                                       " %wa = trunc i64 %la to i40\n %wb = trunc i64 %lb to i40\n"
/* divisors that are neither 0 nor -1 */
#define DIVISOR(to, from, type)                                                                    \
    " %" to ".o = or " type " %" from ", 1\n %" to ".m = icmp eq " type " %" to ".o, -1\n"         \
    " %" to " = select i1 %" to ".m, " type " 3, " type " %" to ".o\n"
    DIVISOR("ld", "lb", "i64") DIVISOR("wd", "wb", "i40") DIVISOR("id", "ib", "i32")
#define PAIR(v, type, x, y)                                                                        \
    " %" v ".1 = insertelement <2 x " type "> poison, " type " %" x ", i32 0\n"                    \
    " %" v " = insertelement <2 x " type "> %" v ".1, " type " %" y ", i32 1\n"
        PAIR("dv", "double", "da", "db") PAIR("dw", "double", "db", "dc")
            PAIR("hv", "half", "ha", "hb") PAIR("hw", "half", "hb", "hc")
                PAIR("lv", "i64", "la", "lb") PAIR("lw", "i64", "ld", "ld");

static const char declared[] =
#define ALL(name)                                                                                  \
    "declare double @llvm." name ".f64(double)\ndeclare float @llvm." name ".f32(float)\n"         \
    "declare half @llvm." name ".f16(half)\ndeclare <2 x double> @llvm." name                      \
    ".v2f64(<2 x double>)\n"
    ALL("sqrt") ALL("floor") ALL("ceil") ALL("trunc") ALL("rint") ALL("nearbyint") ALL("roundeven")
        ALL("round") ALL("fabs")
#define BOTH(name)                                                                                 \
    "declare double @llvm." name ".f64(double, double)\ndeclare half @llvm." name                  \
    ".f16(half, half)\n"
            BOTH("minnum") BOTH("maxnum") BOTH("copysign")
#define THREE(name)                                                                                \
    "declare double @llvm." name ".f64(double, double, double)\ndeclare half @llvm." name          \
    ".f16(half, half, half)\n"
                THREE("fma") THREE("fmuladd") "declare half @llvm.ldexp.f16.i32(half, i32)\n"
                                              "declare i1 @llvm.is.fpclass.f64(double, "
                                              "i32)\ndeclare i1 @llvm.is.fpclass.f16(half, i32)\n"
#define SATS(name, i)                                                                              \
    "declare " i " @llvm." name "." i ".f64(double)\ndeclare " i " @llvm." name "." i              \
    ".f32(float)\n"                                                                                \
    "declare " i " @llvm." name "." i ".f16(half)\n"
    SATS("fptosi.sat", "i64") SATS("fptoui.sat", "i64") SATS("fptosi.sat", "i32")
        SATS("fptoui.sat", "i32");

/* --- the library ------------------------------------------------------------------------------ */

/* what the lowering gives the library on the machine */
float __ventus_exp(float x);
int __ventus_ftoi_rne(float x);
float __ventus_exp(float x) { return (float)exp(x); }
int __ventus_ftoi_rne(float x) { return (int)rintf(x); }

#define LIBRARY(X)                                                                                 \
    X(udiv64)                                                                                      \
    X(urem64)                                                                                      \
    X(sdiv64)                                                                                      \
    X(srem64)                                                                                      \
    X(u64tof)                                                                                      \
    X(i64tof) X(ftou64) X(ftoi64) X(htof) X(ftoh) X(dtoh) X(hfma) X(hclass) X(floorf) X(ceilf)     \
        X(truncf) X(rintf) X(roundf) X(dadd) X(dsub) X(dmul) X(ddiv) X(dneg) X(dcmp) X(ftod)       \
            X(dtof) X(dtoi64) X(dtoi32) X(dtou64) X(dtou32) X(i64tod) X(i32tod) X(u64tod)          \
                X(u32tod) X(dfma) X(dsqrt) X(dfloor) X(dceil) X(dtrunc) X(drint) X(dround) X(dmin) \
                    X(dmax) X(dabs) X(dcopysign) X(dclass)
#define DECLARE(name) void __ventus_##name(void);
LIBRARY(DECLARE)
void fmod_of_floats(void) __asm__("_Z4fmodff");
void fmod_of_doubles(void) __asm__("_Z4fmoddd");
#ifdef __x86_64__
/* of the compiler's own library, where the host has no instructions for half */
void extend_half(void) __asm__("__extendhfsf2");
void truncate_float(void) __asm__("__truncsfhf2");
void truncate_double(void) __asm__("__truncdfhf2");
#endif

typedef void Any(void);

/* On the host callers extend what is narrower than a register. */
static void extend_arguments(LLVMValueRef f)
{
    LLVMAttributeRef zeroext =
        LLVMCreateEnumAttribute(LLVMGetModuleContext(LLVMGetGlobalParent(f)),
                                LLVMGetEnumAttributeKindForName("zeroext", 7), 0);
    for (unsigned k = 0; k < LLVMCountParams(f); k++) {
        LLVMTypeRef t = LLVMTypeOf(LLVMGetParam(f, k));
        if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(t) >= 32)
            continue;
        for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u))
            LLVMAddCallSiteAttribute(LLVMGetUser(u), k + 1, zeroext);
    }
}

static void map_library(LLVMExecutionEngineRef e, LLVMModuleRef m)
{
    static const struct {
        const char *name;
        Any *f;
    } all[] = {
#define ROW(name) {"__ventus_" #name, __ventus_##name},
        LIBRARY(ROW){"_Z4fmodff", fmod_of_floats}, {"_Z4fmoddd", fmod_of_doubles}};
    for (size_t i = 0; i < countof(all); i++) {
        LLVMValueRef f = LLVMGetNamedFunction(m, all[i].name);
        void *at;
        memcpy(&at, &all[i].f, sizeof at);
        if (!f)
            continue;
        extend_arguments(f);
        LLVMAddGlobalMapping(e, f, at);
    }
}

/* --- both ------------------------------------------------------------------------------------- */

static LLVMModuleRef parse_rows(LLVMContextRef ctx)
{
    Buf text = {0};
    char *why = NULL;
    LLVMModuleRef m = NULL;
    buf_str(&text, declared);
    for (size_t i = 0; i < countof(rows); i++)
        buf_printf(&text,
                   "define void @k%zu(ptr %%in, ptr %%out) {\n%s %s\n store %s %%r, ptr %%out\n "
                   "ret void\n}\n",
                   i, loads, rows[i].body, rows[i].type);
    LLVMMemoryBufferRef from =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(buf_text(&text), text.len, "rows");
    if (LLVMParseIRInContext(ctx, from, &m, &why) ||
        LLVMVerifyModule(m, LLVMReturnStatusAction, &why))
        fail_msg("%s", why);
    LLVMDisposeMessage(why);
    buf_free(&text);
    return m;
}

static LLVMExecutionEngineRef engine_of(LLVMModuleRef m)
{
    LLVMExecutionEngineRef e;
    struct LLVMMCJITCompilerOptions opt;
    char *why = NULL;
    LLVMInitializeMCJITCompilerOptions(&opt, sizeof opt);
    opt.OptLevel = 0;
    if (LLVMCreateMCJITCompilerForModule(&e, m, &opt, sizeof opt, &why))
        fail_msg("%s", why);
    return e;
}

static bool computes(LLVMTypeRef t)
{
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        t = LLVMGetElementType(t);
    return LLVMGetTypeKind(t) == LLVMHalfTypeKind || LLVMGetTypeKind(t) == LLVMDoubleTypeKind;
}

/* Of half and double only moves of bits are left, and no division of more than 32 bits. */
static void expect_expanded(LLVMModuleRef m)
{
    for (size_t i = 0; i < countof(rows); i++) {
        char name[16];
        snprintf(name, sizeof name, "k%zu", i);
        LLVMBasicBlockRef b = LLVMGetEntryBasicBlock(LLVMGetNamedFunction(m, name));
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
            const bool cast = LLVMIsACastInst(v) && LLVMGetInstructionOpcode(v) != LLVMBitCast,
                       call = LLVMIsACallInst(v) && LLVMGetIntrinsicID(LLVMGetCalledValue(v)),
                       wide = LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) >= LLVMUDiv &&
                              LLVMGetInstructionOpcode(v) <= LLVMFRem &&
                              LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind &&
                              LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 32;
            if ((cast || call || LLVMIsABinaryOperator(v) || LLVMIsAUnaryOperator(v) ||
                 LLVMIsAFCmpInst(v)) &&
                (wide || computes(LLVMTypeOf(v)) || computes(LLVMTypeOf(LLVMGetOperand(v, 0)))))
                fail_msg("%s is left of %s", LLVMPrintValueToString(v), rows[i].body);
        }
    }
}

/* --- values ----------------------------------------------------------------------------------- */

static double some_double(void)
{
    static const double special[] = {0.0,
                                     -0.0,
                                     1,
                                     -1,
                                     0.5,
                                     -0.5,
                                     1.5,
                                     2.5,
                                     -2.5,
                                     3,
                                     INFINITY,
                                     -INFINITY,
                                     NAN,
                                     0x1p-1074,
                                     -0x1p-1074,
                                     0x1p-1022,
                                     0x1.fffffffffffffp1023,
                                     0x1p31,
                                     0x1p32,
                                     0x1p63,
                                     -0x1p63,
                                     0x1p64,
                                     0x1p52,
                                     4503599627370497.5,
                                     0x1.ffep15,
                                     0x1p-14,
                                     0x1p-24,
                                     0x1p-25,
                                     0x1p-149,
                                     0x1.fffffep127,
                                     0x1.0000010000001p0,
                                     0x1.005ffffffp0};
    u64 bits = random_bits();
    double x;
    if (one_in(3))
        return special[below(countof(special))];
    if (one_in(2)) /* not far from 1 */
        bits = (bits & 0x800fffffffffffffu) | (u64)(1023 - 20 + below(60)) << 52;
    memcpy(&x, &bits, sizeof x);
    return x != x ? NAN : x;
}

static u16 some_half(void)
{
    static const u16 special[] = {0,      0x8000, 0x3c00, 0xbc00, 0x3800, 0x3e00, 0x4100,
                                  0x7c00, 0xfc00, 0x7e00, 1,      0x8001, 0x0400, 0x7bff};
    const u16 x = (u16)random_bits();
    return one_in(3) ? special[below(countof(special))] : (x & 0x7fff) > 0x7c00 ? 0x7e00 : x;
}

static void fill(u8 in[64])
{
    const double d[] = {some_double(), some_double(), some_double()};
    const i64 l[] = {(i64)(random_bits() >> below(64)) * (one_in(2) ? 1 : -1),
                     (i64)(random_bits() >> below(64)) * (one_in(2) ? 1 : -1)};
    const float f[] = {(float)some_double(), (float)some_double()};
    const u16 h[] = {some_half(), some_half(), some_half()};
    memcpy(in, d, 24), memcpy(in + 24, l, 16), memcpy(in + 40, f, 8), memcpy(in + 48, h, 6);
    if (one_in(4))
        memcpy(in + 8, in, 8), memcpy(in + 50, in + 48, 2);
    if (one_in(16)) /* a product and sum that must be rounded once */
        memcpy(in + 48, (const u16[]){0x3c01, 0x0ffe, 0x3c01}, 6);
}

static bool same(char how, const u8 *a, const u8 *b)
{
    double x, y;
    float f, g;
    u16 h, k;
    memcpy(&x, a, 8), memcpy(&y, b, 8), memcpy(&f, a, 4), memcpy(&g, b, 4), memcpy(&h, a, 2),
        memcpy(&k, b, 2);
    switch (how) {
    case 'd': return (x != x && y != y) || !memcmp(a, b, 8);
    case 'D': return (x != x && y != y) || x == y;
    case 'f': return (f != f && g != g) || !memcmp(a, b, 8);
    case 'F':
    case 'h': return ((h & 0x7fff) > 0x7c00 && (k & 0x7fff) > 0x7c00) || h == k;
    case 'H':
        return ((h & 0x7fff) > 0x7c00 && (k & 0x7fff) > 0x7c00) || h == k || !((h | k) & 0x7fff);
    default: return !memcmp(a, b, 8);
    }
}

/* The product of two halves and their sum with a third, rounded once, which hosts without such an
 * instruction do not do.  False: the sum does not fit a double. */
static bool fused_half(const u8 *in, u8 *out)
{
    __extension__ typedef _Float16 Half;
    Half h[3];
    memcpy(h, in + 48, sizeof h);
    const double product = (double)h[0] * (double)h[1], c = (double)h[2], sum = product + c;
    const double back = sum - c, rest = (product - back) + (c - (sum - back));
    const Half r = (Half)sum;
    memcpy(out, &r, sizeof r);
    return rest == 0 || rest != rest;
}

typedef void Kernel(const u8 *in, u8 *out);

static Kernel *kernel_of(LLVMExecutionEngineRef e, size_t i)
{
    char name[16];
    snprintf(name, sizeof name, "k%zu", i);
    const uintptr_t at = LLVMGetFunctionAddress(e, name);
    Kernel *k;
    memcpy(&k, &at, sizeof k);
    return k;
}

static void as_the_host(void **state)
{
    enum { TRIES = 400 };
    LLVMContextRef ctx = LLVMContextCreate();
    LLVMModuleRef native = parse_rows(ctx), ours = parse_rows(ctx);
    char *why = NULL;
    (void)state;
    LLVMLinkInMCJIT();
    assert_false(LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter());
    assert_true(expand_half(ours));
    assert_true(expand_operations(ours));
    assert_false(expand_half(ours));
    assert_false(expand_operations(ours));
    if (LLVMVerifyModule(ours, LLVMReturnStatusAction, &why))
        fail_msg("%s", why);
    LLVMDisposeMessage(why);
    expect_expanded(ours);
#ifdef __x86_64__
    LLVMAddSymbol("__extendhfsf2", (void *)(uintptr_t)extend_half);
    LLVMAddSymbol("__truncsfhf2", (void *)(uintptr_t)truncate_float);
    LLVMAddSymbol("__truncdfhf2", (void *)(uintptr_t)truncate_double);
#endif
    LLVMExecutionEngineRef a = engine_of(native), b = engine_of(ours);
    map_library(b, ours);
    for (size_t i = 0; i < countof(rows); i++) {
        Kernel *const k = kernel_of(a, i), *const l = kernel_of(b, i);
        for (int t = 0; t < TRIES && rows[i].how != 'n'; t++) {
            _Alignas(16) u8 in[64], want[16] = {0}, got[16] = {0};
            fill(in);
            k(in, want);
            l(in, got);
            if (rows[i].how == 'F' && !fused_half(in, want))
                continue;
            if (!same(rows[i].how, want, got)) {
                u64 w, g, x[8];
                memcpy(&w, want, 8), memcpy(&g, got, 8), memcpy(x, in, 64);
                Buf of = {0};
                for (int j = 0; j < 7; j++)
                    buf_printf(&of, " %llx", (unsigned long long)x[j]);
                fail_msg("%s: %llx, should be %llx, of%s", rows[i].body, (unsigned long long)g,
                         (unsigned long long)w, buf_text(&of));
            }
        }
    }
    LLVMDisposeExecutionEngine(a);
    LLVMDisposeExecutionEngine(b);
    LLVMContextDispose(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_host)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
