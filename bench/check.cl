/* check.cl -- kernels for bench/check.sh: arithmetic, local memory with barriers, global memory,
 * atomics. */
kernel void mandel(global int *out)
{
    int i = get_global_id(0), n = 0;
    float x = (i & 63) / 32.0f - 1.5f, y = (i >> 6 & 63) / 32.0f - 1.0f, a = 0, b = 0;
    for (; n < 500 && a * a + b * b < 4; n++) {
        float t = a * a - b * b + x;
        b = 2 * a * b + y;
        a = t;
    }
    out[i] = n;
}

kernel void tiles(global int *out, global const int *in, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0), s = 0;
    for (int k = 0; k < 64; k++) {
        t[l] = in[(get_global_id(0) + k) % get_global_size(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 16; j++)
            s += t[(l + j) % n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = s;
}

kernel void stream(global float *c, global const float *a, global const float *b)
{
    int i = get_global_id(0), n = get_global_size(0);
    for (int k = 0; k < 64; k++)
        c[i] = a[i] * b[(i + k) % n] + c[i];
}

kernel void histogram(global int *bins, global const int *in)
{
    for (int k = 0; k < 64; k++)
        atomic_inc(&bins[in[(get_global_id(0) + k) % get_global_size(0)] & 255]);
}
