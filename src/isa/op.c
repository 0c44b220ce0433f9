/* op.c -- op.def as functions: names, and the value of each operation for one set of operands. */
#include "isa/op.h"

const char *const isa_op_name[NOP] = {
#define OP(name, ...)    [OP_##name] = #name,
#define OP3(name, ...)   [OP_##name] = #name,
#define FIX(name, ...)   [OP_##name] = #name,
#define FOP(name, ...)   [OP_##name] = #name,
#define FOP3(name, ...)  [OP_##name] = #name,
#define FBIT(name, ...)  [OP_##name] = #name,
#define FSOFT(name, ...) [OP_##name] = #name,
#define WIDTH(name, ...) [OP_##name] = #name,
#define NAMED(name, ...) [OP_##name] = #name,
#include "isa/op.def"
    [OP_none] = "-",
};

const OpInfo isa_op[NOP] = {
#define OP(name, type, facts, ...)  [OP_##name] = {facts, 0, false},
#define OP3(name, type, facts, ...) [OP_##name] = {facts, 0, false},
#define FIX(name, facts, ...)       [OP_##name] = {facts, 0, false},
#define NAMED(name, facts)          [OP_##name] = {facts, 0, false},
#define FOP(name, facts, ...)       [OP_##name] = {(facts) | OF_RAISES, 0, false},
#define FOP3(name, facts, ...)      [OP_##name] = {(facts) | OF_RAISES, 0, false},
#define FBIT(name, facts, ...)      [OP_##name] = {(facts) | OF_RAISES, 0, false},
#define FSOFT(name, facts, ...)     [OP_##name] = {(facts) | OF_RAISES, 0, false},
#define WIDTH(name, bytes, sgn)     [OP_##name] = {0, bytes, sgn},
#include "isa/op.def"
};

u32 op_eval(Op op, u32 x, u32 y)
{
    switch (op) {
#define OP(name, type, facts, result)                                                              \
    case OP_##name: {                                                                              \
        const type a = (type)x, b = (type)y;                                                       \
        (void)a, (void)b;                                                                          \
        return (u32)(result);                                                                      \
    }
#include "isa/op.def"
    default: bug("op_eval: %s has not two integer sources", isa_op_name[op]);
    }
}

u32 op_eval3(Op op, u32 x, u32 y, u32 z)
{
    switch (op) {
#define OP3(name, type, facts, result)                                                             \
    case OP_##name: {                                                                              \
        const type a = (type)x, b = (type)y, c = (type)z;                                          \
        return (u32)(result);                                                                      \
    }
#include "isa/op.def"
    default: bug("op_eval3: %s has not three integer sources", isa_op_name[op]);
    }
}

bool op_has_pair(Op op)
{
    static const bool has[NOP] = {
#define OP64(name, ...)  [OP_##name] = true,
#define FOP(name, ...)   [OP_##name] = true,
#define FOP3(name, ...)  [OP_##name] = true,
#define FBIT(name, ...)  [OP_##name] = true,
#define FSOFT(name, ...) [OP_##name] = true,
#include "isa/op.def"
    };
    return has[op];
}
