/* product.cl -- what cache.json looks for a cache for.
 *
 * A product of square matrices, a work-item for each element of the result: every row of a and every
 * column of b is read by many work-items, so much depends on what the cache keeps. */
kernel void product(global float *c, global const float *a, global const float *b, int n)
{
    const int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
