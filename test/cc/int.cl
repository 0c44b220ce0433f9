// Integers of every width with every operator.
#define BINARY(name, type, expr)                                                                   \
    kernel void name(global const type *x, global const type *y, global type *out)                 \
    {                                                                                              \
        const size_t i = get_global_id(0);                                                         \
        const type a = x[i], b = y[i];                                                             \
        out[i] = (type)(expr);                                                                     \
    }

#define OPERATORS(type)                                                                            \
    BINARY(add_##type, type, a + b)                                                                \
    BINARY(sub_##type, type, a - b)                                                                \
    BINARY(mul_##type, type, a * b)                                                                \
    BINARY(logic_##type, type, (a & b) ^ (a | ~b))                                                 \
    BINARY(quotient_##type, type, a / (b == 0 || b == (type)-1 ? 3 : b))                           \
    BINARY(remainder_##type, type, a % (b == 0 || b == (type)-1 ? 7 : b))                          \
    BINARY(left_##type, type, a << (b & (type)(sizeof(type) * 8 - 1)))                             \
    BINARY(right_##type, type, a >> (b & (type)(sizeof(type) * 8 - 1)))                            \
    BINARY(compare_##type, type,                                                                   \
           (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a > b) + 32 * (a >= b))    \
    BINARY(truth_##type, type, (a && b) + 2 * (a || b) + 4 * !a)                                   \
    BINARY(by_constants_##type, type, a / 10 + a % 10 * 3 + a / 8 + a % 16 + (a << 3) + a * 100)

OPERATORS(char)
OPERATORS(uchar)
OPERATORS(short)
OPERATORS(ushort)
OPERATORS(int)
OPERATORS(uint)
OPERATORS(long)
OPERATORS(ulong)

// assignments and increments in one expression each
kernel void assign(global int *x, global const int *y)
{
    const size_t i = get_global_id(0);
    uint a = x[i];
    const uint b = y[i];
    a += b;
    a ^= a << 3;
    a -= b * 7;
    a |= 1;
    a %= 1000003;
    a *= 13;
    a <<= b & 3;
    a >>= 1;
    a &= 0xfffffff7u;
    a /= 3;
    const uint before = a++;
    x[i] = before + ++a * 3 - a--;
}

// every integer conversion, narrowing and widening
kernel void convert(global const ulong *x, global ulong *out)
{
    const size_t i = get_global_id(0);
    const ulong v = x[i];
    out[8 * i + 0] = (ulong)(char)v;
    out[8 * i + 1] = (ulong)(uchar)v;
    out[8 * i + 2] = (ulong)(short)v;
    out[8 * i + 3] = (ulong)(ushort)v;
    out[8 * i + 4] = (ulong)(int)v;
    out[8 * i + 5] = (ulong)(uint)v;
    out[8 * i + 6] = (ulong)(bool)v;
    out[8 * i + 7] = (ulong)(long)(int)(short)(char)v;
}

kernel void long_chain(global const long *x, global const int *y, global long *out)
{
    const size_t i = get_global_id(0);
    ulong acc = x[i];
    for (int k = 0; k < (y[i] & 31); k++) {
        acc = acc * 6364136223846793005ul + 1442695040888963407ul;
        acc ^= acc >> 29;
        if (acc & 1)
            acc += (ulong)y[i] << 17;
    }
    out[i] = acc;
}

// values that a 12-bit or 32-bit immediate cannot hold
kernel void wide_constants(global const uint *x, global ulong *out)
{
    const size_t i = get_global_id(0);
    const ulong v = x[i];
    out[i] = (v + 0x123456789abcdefful) ^ (v * 0x100000001b3ul) ^ ((v & 0xfff) << 52) ^ 2048u ^
             0x7fffffff80000000ul;
}
