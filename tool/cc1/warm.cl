/* warm.cl -- the kernel that servers compile before they fork: a little of what is common. */
kernel void warm(global const float *a, global float *b, int n)
{
    const size_t i = get_global_id(0);
    if (i < (size_t)n)
        b[i] = a[i] * 2 + b[i];
}
