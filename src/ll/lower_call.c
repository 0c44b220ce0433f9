/* lower_call.c -- calls: of functions, of LLVM's intrinsics, of what the device library asks
 * of the machine (lib/ventus.h).
 *
 * Arguments and results are the pieces of their values in order; a structure passed by value is a
 * pointer to a copy that the caller makes.
 */
#include "ll/lower.h"
#include <string.h>

enum { MAX_RESULTS = 32, MAX_ARG_PIECES = 512 };

static LLVMAttributeRef call_attribute(LLVMValueRef call, unsigned k, const char *name)
{
    return LLVMGetCallSiteEnumAttribute(call, k + 1,
                                        LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

static void set_word(Fn *n, LLVMValueRef i, Ref x)
{
    const Val v = val_new(n->lo, 1);
    v.p[0] = x;
    val_set(n, i, v);
}

/* --- of functions -------------------------------------------------------------------------- */

static Ref copied(Fn *n, LLVMValueRef call, unsigned k, Ref from)
{
    LLVMTypeRef t = LLVMGetTypeAttributeValue(call_attribute(call, k, "byval"));
    const u32 size = (u32)align_up(type_size(n->lo, t), 4);
    LLVMAttributeRef stated = call_attribute(call, k, "align");
    const u32 align = stated ? (u32)LLVMGetEnumAttributeValue(stated) : type_align(n->lo, t);
    const Ref to = private_object(n, size, align);
    for (u32 at = 0; at < size && !n->lo->stopped; at += 4)
        store_word(n, IN_PRIVATE, add_con(n, to, (i32)at), 0, 4,
                   load_word(n, IN_PRIVATE, add_con(n, from, (i32)at), 0, 4));
    return to;
}

static u32 argument(Fn *n, LLVMValueRef call, unsigned k, Ref *out)
{
    LLVMValueRef x = LLVMGetOperand(call, k);
    const u32 bits = int_bits(LLVMTypeOf(x));
    const Val v = val_of(n, x);
    if (v.n > MAX_ARG_PIECES) {
        refuse(n->lo, "an argument of %u bytes", 4 * v.n);
        return 0;
    }
    memcpy(out, v.p, v.n * sizeof *v.p);
    if (call_attribute(call, k, "byval"))
        out[0] = copied(n, call, k, v.p[0]);
    else if (call_attribute(call, k, "signext"))
        out[0] = int_sext(n, v.p[0], bits);
    else if (call_attribute(call, k, "zeroext"))
        out[0] = int_zext(n, v.p[0], bits);
    return v.n;
}

static void function_call(Fn *n, LLVMValueRef call, const char *name)
{
    Ref piece[2 * MAX_ARG_PIECES];
    u32 count = 0;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call) && count <= MAX_ARG_PIECES; k++)
        count += argument(n, call, k, piece + count);
    const Val r = val_new(n->lo, type_pieces(n->lo, LLVMTypeOf(call)));
    if (is_kernel(LLVMGetCalledValue(call))) { /* prepare.c left only those it could not change */
        refuse(n->lo, "a call of the kernel '%s' with so many arguments", name);
        return;
    }
    if (r.n > MAX_RESULTS || count > MAX_ARG_PIECES) {
        refuse(n->lo, "a call of '%s' with too many arguments or results", name);
        return;
    }
    for (u32 k = 0; k < count; k++)
        ir_append(n->f, n->b, &(Ins){.op = IR_arg, .imm = (i32)k, .loc = n->loc, .a = {piece[k]}});
    const Ref callee = ref_sym(ir_sym(n->lo->m, name, SYM_EXTERN));
    ir_append(n->f, n->b, &(Ins){.op = IR_call, .imm = (i32)count, .loc = n->loc, .a = {callee}});
    for (u32 k = 0; k < r.n; k++)
        r.p[k] = op0(n, IR_result, (i32)k);
    if (r.n)
        val_set(n, call, r);
}

/* --- of the machine --------------------------------------------------------------------------- */

/* the number that is the argument of a function of the machine */
static i32 constant_argument(Fn *n, LLVMValueRef call, const char *name)
{
    const Ref x = ref_of(n, LLVMGetOperand(call, 0));
    if (x.kind != R_CON)
        refuse(n->lo, "the argument of '%s' is not a constant", name);
    return (i32)x.val;
}

/* a word of an image's descriptor */
static Ref descriptor_word(Fn *n, LLVMValueRef call)
{
    const Ref at = ref_of(n, LLVMGetOperand(call, 0)), k = ref_of(n, LLVMGetOperand(call, 1));
    if (k.kind == R_CON)
        return load_word(n, IN_CONST, at, 4 * (i32)k.val, 4);
    return load_word(n, IN_CONST, op2(n, IR_add, at, op2(n, IR_sll, k, ref_con(2))), 0, 4);
}

enum { BARRIER_WAITS = 8 }; /* __VENTUS_WAITS (lib/ventus.h) */

static bool machine_call(Fn *n, LLVMValueRef i, const char *name)
{
    if (!strcmp(name, "__ventus_csr"))
        set_word(n, i, op0(n, IR_csr, constant_argument(n, i, name)));
    else if (!strcmp(name, "__ventus_lane"))
        set_word(n, i, op0(n, IR_lane, 0));
    else if (!strcmp(name, "__ventus_knl"))
        set_word(n, i, op0(n, IR_csr, CSR_knl));
    else if (!strcmp(name, "__ventus_arg"))
        set_word(n, i, add_con(n, op0(n, IR_argbase, 0), constant_argument(n, i, name)));
    else if (begins(name, "__ventus_image_") || begins(name, "__ventus_pipe_") ||
             !strcmp(name, "__ventus_sampler") || !strcmp(name, "__translate_sampler_initializer"))
        set_word(n, i, ref_of(n, LLVMGetOperand(i, 0)));
    else if (!strcmp(name, "__ventus_word"))
        set_word(n, i, descriptor_word(n, i));
    else if (!strcmp(name, "__ventus_barrier")) {
        const Ref flags = ref_of(n, LLVMGetOperand(i, 0));
        const i32 memory = flags.kind == R_CON ? (i32)flags.val & 3 : 3; /* unknown: all memory */
        const bool waits = flags.kind == R_CON && flags.val & BARRIER_WAITS;
        const u32 loc = waits ? mark_place(n, n->loc, LOC_WAIT) : n->loc;
        ir_append(n->f, n->b, &(Ins){.op = IR_barrier, .imm = memory, .loc = loc});
    } else if (!strcmp(name, "__ventus_fence"))
        mem_fence(n);
    else if (!strcmp(name, "__ventus_meet"))
        return true; /* lanes that are together stay together */
    else if (!strcmp(name, "__ventus_exp"))
        set_word(n, i, op1(n, IR_fexp, ref_of(n, LLVMGetOperand(i, 0))));
    else if (!strcmp(name, "__ventus_ftoi_rne"))
        set_word(n, i, op1(n, IR_ftoi, ref_of(n, LLVMGetOperand(i, 0))));
    else if (!strcmp(name, "__ventus_printf"))
        lower_printf(n, i);
    else
        return false;
    return true;
}

/* --- of intrinsics -------------------------------------------------------------------- */

static bool means_nothing(const char *name)
{
    static const char *const list[] = {"lifetime.",    "dbg.",       "assume",
                                       "donothing",    "invariant.", "experimental.noalias",
                                       "sideeffect",   "prefetch",   "var.annotation",
                                       "stackrestore", "debugtrap"};
    for (size_t k = 0; k < countof(list); k++)
        if (begins(name, list[k]))
            return true;
    return false;
}

static void one_reduction(Fn *n, const char *name, const Elem *e)
{
    static const struct {
        const char *name;
        LLVMOpcode op;
    } row[] = {
        {"add", LLVMAdd}, {"mul", LLVMMul}, {"and", LLVMAnd}, {"or", LLVMOr}, {"xor", LLVMXor},
    };
    for (size_t k = 0; k < countof(row); k++)
        if (begins(name, row[k].name)) {
            int_binary(n, row[k].op, e);
            return;
        }
    if (!int_intrinsic(n, name, e))
        refuse(n->lo, "an intrinsic that this compiler does not know: vector.reduce.%s", name);
}

/* vector.reduce.NAME: from the first element to the last */
static void reduce(Fn *n, LLVMValueRef call, const char *name)
{
    LLVMValueRef x = LLVMGetOperand(call, 0);
    LLVMTypeRef t = type_scalar(LLVMTypeOf(x));
    const Val v = val_of(n, x);
    Val sum = val_new(n->lo, type_pieces(n->lo, t));
    memcpy(sum.p, v.p, sum.n * sizeof *v.p);
    for (u32 k = sum.n; k < v.n; k += sum.n) {
        const Val next = val_new(n->lo, sum.n);
        one_reduction(n, name, &(Elem){t, t, {sum.p, v.p + k}, next.p});
        sum = next;
    }
    val_set(n, call, sum);
}

static void elementwise_intrinsic(Fn *n, LLVMValueRef call, const char *name)
{
    LLVMTypeRef to = LLVMTypeOf(call), from = LLVMTypeOf(LLVMGetOperand(call, 0));
    const Val r = val_new(n->lo, type_pieces(n->lo, to));
    Elem e = {.from = type_scalar(from), .to = type_scalar(to)};
    const u32 count = type_elements(to), step = r.n / count, nargs = LLVMGetNumArgOperands(call);
    if (type_elements(from) != count) {
        refuse(n->lo, "an intrinsic of vectors that this compiler does not know: %s", name);
        return;
    }
    Val a[3] = {0};
    u32 each[3] = {0};
    for (u32 k = 0; k < nargs && k < 3; k++) {
        LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(call, k));
        a[k] = val_of(n, LLVMGetOperand(call, k));
        each[k] = type_elements(t) == count ? a[k].n / count : 0;
    }
    for (u32 at = 0; at < count; at++) {
        for (u32 k = 0; k < 3; k++)
            e.a[k] = a[k].p ? a[k].p + at * each[k] : NULL;
        e.out = r.p + at * step;
        if (!float_intrinsic(n, name, &e) && !int_intrinsic(n, name, &e)) {
            refuse(n->lo, "an intrinsic that this compiler does not know: %s", name);
            break;
        }
    }
    val_set(n, call, r);
}

static void intrinsic(Fn *n, LLVMValueRef call, const char *name)
{
    if (begins(name, "dbg.declare"))
        note_variable(n, call);
    else if (begins(name, "dbg.value"))
        note_value(n, call);
    if (means_nothing(name))
        return;
    if (begins(name, "memcpy"))
        mem_copy(n, call, false);
    else if (begins(name, "memmove"))
        mem_copy(n, call, true);
    else if (begins(name, "memset"))
        mem_set(n, call);
    else if (begins(name, "expect"))
        val_set(n, call, val_of(n, LLVMGetOperand(call, 0)));
    else if (begins(name, "trap") || begins(name, "ubsantrap"))
        refuse(n->lo, "a trap is not supported");
    else if (begins(name, "stacksave") || begins(name, "is.constant"))
        set_word(n, call, ref_con(0));
    else if (begins(name, "vector.reduce."))
        reduce(n, call, name + strlen("vector.reduce."));
    else
        elementwise_intrinsic(n, call, name);
}

void lower_call(Fn *n, LLVMValueRef call)
{
    LLVMValueRef f = LLVMGetCalledValue(call);
    size_t len;
    if (!LLVMIsAFunction(f)) {
        refuse(n->lo, LLVMIsAInlineAsm(f) ? "assembly in a kernel is not supported"
                                          : "a call through a pointer is not supported");
        return;
    }
    const char *name = LLVMGetValueName2(f, &len);
    if (begins(name, "llvm."))
        intrinsic(n, call, name + 5);
    else if (!machine_call(n, call, name))
        function_call(n, call, name);
}
