/* agent.c -- a stack machine for agent.def.  The code is hostile input: depth, jumps and the number
 * of steps are bounded. */
#include "dbg/agent.h"
#include <string.h>

enum { DEEPEST = 64, MOST_STEPS = 10000 };

enum {
#define AGENT(code, name, operand, takes, gives) AGENT_##name = code,
#include "dbg/agent.def"
};

/* Of a code. */
typedef struct {
    u8 operand, takes, gives;
    bool known;
} Shape;

static Shape shape_of(u8 code)
{
    switch (code) {
#define AGENT(code, name, operand, takes, gives)                                                   \
    case code: return (Shape){operand, takes, gives, true};
#include "dbg/agent.def"
    default: return (Shape){.known = false};
    }
}

/* The operation of two entries; false: it divides by zero. */
static bool combine(u8 code, u64 a, u64 b, u64 *to)
{
    const i64 x = (i64)a, y = (i64)b;
    const bool overflows = x == INT64_MIN && y == -1;
    switch (code) {
    case AGENT_add: *to = a + b; return true;
    case AGENT_sub: *to = a - b; return true;
    case AGENT_mul: *to = a * b; return true;
    case AGENT_div_signed: *to = overflows ? a : y ? (u64)(x / y) : 0; return y;
    case AGENT_div_unsigned: *to = b ? a / b : 0; return b;
    case AGENT_rem_signed: *to = overflows || !y ? 0 : (u64)(x % y); return y;
    case AGENT_rem_unsigned: *to = b ? a % b : 0; return b;
    case AGENT_lsh: *to = b < 64 ? a << b : 0; return true;
    case AGENT_rsh_signed: *to = (u64)(x >> (b < 64 ? b : 63)); return true;
    case AGENT_rsh_unsigned: *to = b < 64 ? a >> b : 0; return true;
    case AGENT_bit_and: *to = a & b; return true;
    case AGENT_bit_or: *to = a | b; return true;
    case AGENT_bit_xor: *to = a ^ b; return true;
    case AGENT_equal: *to = a == b; return true;
    case AGENT_less_signed: *to = x < y; return true;
    case AGENT_less_unsigned: *to = a < b; return true;
    default: return false;
    }
}

static bool change(u8 code, u64 operand, u64 *a)
{
    switch (code) {
    case AGENT_log_not: *a = !*a; return true;
    case AGENT_bit_not: *a = ~*a; return true;
    case AGENT_ext:
        if (operand && operand <= 64)
            *a = (u64)sign_extend(*a, (int)operand);
        return operand && operand <= 64;
    case AGENT_zero_ext:
        if (operand < 64)
            *a &= ((u64)1 << operand) - 1;
        return true;
    default: return false;
    }
}

static bool load(const Run *r, Lane l, u64 size, u64 *a)
{
    u64 value = 0;
    const bool ok = state_read_memory(r, l, (u32)*a, (u8 *)&value, size) == size;
    *a = value;
    return ok;
}

static bool read_register(const Run *r, Lane l, u64 n, u64 *to)
{
    u8 bytes[MOST_REGISTER];
    u32 word;
    if (state_read_register(r, l, (u32)n, bytes) != sizeof word)
        return false;
    memcpy(&word, bytes, sizeof word);
    *to = word;
    return true;
}

bool agent_evaluate(const Run *r, Lane l, const u8 *code, size_t size, u64 *value)
{
    u64 stack[DEEPEST + 3] = {0};
    u32 n = 0;
    size_t at = 0;
    for (u32 steps = 0; steps < MOST_STEPS && at < size; steps++) {
        /* 1. the code, its operand (high byte first), and whether the stack has room */
        const u8 c = code[at++];
        const Shape s = shape_of(c);
        u64 operand = 0;
        bool ok = true;
        if (!s.known || s.operand > size - at || n < s.takes ||
            n - s.takes + s.gives > DEEPEST)
            return false;
        for (u8 i = 0; i < s.operand; i++)
            operand = operand << 8 | code[at++];
        /* 2. what it does */
        u64 *top = stack + n; /* one above */
        n = n - s.takes + s.gives;
        switch (c) {
        case AGENT_end: *value = top > stack ? top[-1] : 0; return top > stack;
        case AGENT_if_goto:
            if (top[-1])
                at = operand;
            break;
        case AGENT_goto: at = operand; break;
        case AGENT_const8:
        case AGENT_const16:
        case AGENT_const32:
        case AGENT_const64: *top = operand; break;
        case AGENT_reg: ok = read_register(r, l, operand, top); break;
        case AGENT_ref8: ok = load(r, l, 1, &top[-1]); break;
        case AGENT_ref16: ok = load(r, l, 2, &top[-1]); break;
        case AGENT_ref32: ok = load(r, l, 4, &top[-1]); break;
        case AGENT_ref64: ok = load(r, l, 8, &top[-1]); break;
        case AGENT_dup: *top = top[-1]; break;
        case AGENT_pop: break;
        case AGENT_swap: {
            const u64 a = top[-1];
            top[-1] = top[-2];
            top[-2] = a;
            break;
        }
        case AGENT_pick:
            ok = operand < (u64)(top - stack);
            *top = ok ? top[-1 - (i64)operand] : 0;
            break;
        case AGENT_rot: {
            const u64 a = top[-1];
            top[-1] = top[-2];
            top[-2] = top[-3];
            top[-3] = a;
            break;
        }
        default:
            ok = s.takes == 2 ? combine(c, top[-2], top[-1], &top[-2])
                              : change(c, operand, &top[-1]);
        }
        if (!ok)
            return false;
    }
    return false;
}
