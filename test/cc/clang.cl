// What clang has beyond the language.

#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
typedef struct {
    uint a : 3, b : 7, c : 22;
    int d : 5;
    int e : 12;
} Fields;

kernel void bit_fields(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    Fields f = {0};
    f.a = x[i];
    f.b = x[i] >> 3;
    f.c = x[i] >> 10;
    f.d = x[i];
    f.e = f.d * 7;
    f.b++;
    out[i] = f.a + f.b * 8 + (f.c & 1023) * 1024 + f.d * 3 + f.e;
}
