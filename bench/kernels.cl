// kernels.cl -- what bench/cc.sh compiles and counts: common kernels, each with another habit.

kernel void vecadd(global const float *a, global const float *b, global float *c)
{
    const int i = get_global_id(0);
    c[i] = a[i] + b[i];
}

kernel void saxpy(global const float *x, global float *y, float a, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        y[i] = a * x[i] + y[i];
}

// rows and columns from global memory: a uniform loop with two strides
kernel void matmul(global const float *a, global const float *b, global float *c, int n)
{
    const int row = get_global_id(1), col = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

// local memory, barriers, a loop of constant length
kernel void tiled(global const float *a, global const float *b, global float *c, int n)
{
    local float ta[8][8], tb[8][8];
    const int x = get_local_id(0), y = get_local_id(1);
    const int col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int t = 0; t < n; t += 8) {
        ta[y][x] = a[row * n + t + x];
        tb[y][x] = b[(t + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++)
            sum += ta[y][k] * tb[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}

// a tree in local memory: fewer lanes each round
kernel void reduce(global const int *in, global int *out, local int *part)
{
    const int i = get_local_id(0);
    part[i] = in[get_global_id(0)];
    for (int n = get_local_size(0) / 2; n > 0; n /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < n)
            part[i] += part[i + n];
    }
    if (i == 0)
        out[get_group_id(0)] = part[0];
}

// branches at the edges
kernel void stencil(global const float *in, global float *out, int w, int h)
{
    const int x = get_global_id(0), y = get_global_id(1), at = y * w + x;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
        out[at] = in[at];
    else
        out[at] = 0.2f * (in[at] + in[at - 1] + in[at + 1] + in[at - w] + in[at + w]);
}

kernel void histogram(global const uchar *in, global uint *bins, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&bins[in[i]]);
}

// lanes leave the loop in different rounds
kernel void mandelbrot(global int *out, int w)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const float cx = x * 0.05f - 2.0f, cy = y * 0.1f - 1.5f;
    float zx = 0, zy = 0;
    int n = 0;
    while (n < 64 && zx * zx + zy * zy < 4.0f) {
        const float next = zx * zx - zy * zy + cx;
        zy = 2.0f * zx * zy + cy;
        zx = next;
        n++;
    }
    out[y * w + x] = n;
}
