// kinds.cl -- kernels of many kinds, which bench/kinds_bench.c runs here and on other OpenCL platforms.

// integers in registers
kernel void hash(global uint *out, uint rounds)
{
    const uint i = get_global_id(0);
    uint h = i * 2654435761u + 1;
    for (uint k = 0; k < rounds; k++) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        h += k;
    }
    out[i] = h;
}

// work-items leave the loop in different rounds
kernel void mandelbrot(global int *out, int w, int rounds)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const float cx = x * 3.0f / w - 2.25f, cy = y * 2.5f / w - 1.25f;
    float zx = 0, zy = 0;
    int n = 0;
    while (n < rounds && zx * zx + zy * zy < 4.0f) {
        const float next = zx * zx - zy * zy + cx;
        zy = 2.0f * zx * zy + cy;
        zx = next;
        n++;
    }
    out[y * w + x] = n;
}

// atomics in local memory, then in global
kernel void histogram(global const uchar *in, global uint *bins, int n)
{
    local uint part[256];
    const int i = get_local_id(0);
    part[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = get_global_id(0); k < n; k += get_global_size(0))
        atomic_inc(&part[in[k]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[i], part[i]);
}

// every pair, positions from global memory, one address for all work-items
kernel void nbody(global const float4 *at, global float4 *force, int n)
{
    const int i = get_global_id(0);
    const float4 me = at[i];
    float fx = 0, fy = 0, fz = 0;
    for (int k = 0; k < n; k++) {
        const float4 other = at[k];
        const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        const float d2 = dx * dx + dy * dy + dz * dz + 0.01f;
        const float d = 1.0f / sqrt(d2);
        const float f = other.w * d * d * d;
        fx += f * dx;
        fy += f * dy;
        fz += f * dz;
    }
    force[i] = (float4)(fx, fy, fz, 0);
}

// a matrix product by tiles in local memory
kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void matmul(global const float *a, global const float *b, global float *c, int n)
{
    local float ta[16][16], tb[16][16];
    const int x = get_local_id(0), y = get_local_id(1);
    const int column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        ta[y][x] = a[row * n + t + x];
        tb[y][x] = b[(t + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++)
            sum += ta[y][k] * tb[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

// a tree in local memory
kernel void reduce(global const int *in, global int *sums, local int *part)
{
    const int i = get_local_id(0);
    part[i] = in[get_global_id(0)];
    for (int n = get_local_size(0) / 2; n > 0; n /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < n)
            part[i] += part[i + n];
    }
    if (!i)
        sums[get_group_id(0)] = part[0];
}

// one step of the bitonic network: many short launches
kernel void bitonic(global uint *keys, uint block, uint distance)
{
    const uint i = get_global_id(0);
    const uint low = 2 * distance * (i / distance) + i % distance, high = low + distance;
    const uint a = keys[low], b = keys[high];
    const bool up = !(low & block);
    if ((a > b) == up) {
        keys[low] = b;
        keys[high] = a;
    }
}

kernel void saxpy(global const float *x, global const float *y, global float *z, float a)
{
    const size_t i = get_global_id(0);
    z[i] = a * x[i] + y[i];
}

// five points; branches at the edges
kernel void stencil(global const float *in, global float *out, int w, int h)
{
    const int x = get_global_id(0), y = get_global_id(1), at = y * w + x;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
        out[at] = in[at];
    else
        out[at] = 0.2f * (in[at] + in[at - 1] + in[at + 1] + in[at - w] + in[at + w]);
}

// as PolyBench has it: rows and columns from global memory
kernel void gemm(global const float *a, global const float *b, global float *c, float alpha,
                 float beta, int n)
{
    const int j = get_global_id(0), i = get_global_id(1);
    float sum = beta * c[i * n + j];
    for (int k = 0; k < n; k++)
        sum += alpha * a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
}

// as PolyBench has it: y = A x by rows, a stride apart, and z = A' y by columns
kernel void atax_rows(global const float *a, global const float *x, global float *y, int n)
{
    const int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k] * x[k];
    y[i] = sum;
}
kernel void atax_columns(global const float *a, global const float *y, global float *z, int n)
{
    const int j = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[k * n + j] * y[k];
    z[j] = sum;
}

// breadth-first search by levels, as Rodinia has it: two launches a level
kernel void bfs_start(global uchar *mask, global uchar *next, global uchar *seen, global int *cost)
{
    const int i = get_global_id(0);
    mask[i] = seen[i] = !i;
    next[i] = 0;
    cost[i] = i ? -1 : 0;
}
kernel void bfs_visit(global const int *first, global const int *edges, global uchar *mask,
                      global uchar *next, global const uchar *seen, global int *cost)
{
    const int i = get_global_id(0);
    if (!mask[i])
        return;
    mask[i] = 0;
    for (int k = first[i]; k < first[i + 1]; k++) {
        const int to = edges[k];
        if (!seen[to]) {
            cost[to] = cost[i] + 1;
            next[to] = 1;
        }
    }
}
kernel void bfs_commit(global uchar *mask, global uchar *next, global uchar *seen, global int *more)
{
    const int i = get_global_id(0);
    if (!next[i])
        return;
    mask[i] = 1;
    seen[i] = 1;
    *more = 1;
    next[i] = 0;
}

// tiles through local memory, a column of padding
kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void transpose(global const float *in, global float *out, int n)
{
    local float tile[16][17];
    const int x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = in[get_global_id(1) * n + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(get_group_id(0) * 16 + y) * n + get_group_id(1) * 16 + x] = tile[x][y];
}

// sums of all before: within groups, of the groups, and added
kernel void scan(global const uint *in, global uint *out, global uint *sums, local uint *part)
{
    const int i = get_local_id(0), n = get_local_size(0);
    const uint own = in[get_global_id(0)];
    part[i] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < n; d *= 2) {
        const uint before = i >= d ? part[i - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        part[i] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = part[i] - own;
    if (i == n - 1)
        sums[get_group_id(0)] = part[i];
}
kernel void scan_add(global uint *out, global const uint *sums)
{
    out[get_global_id(0)] += sums[get_group_id(0)];
}

// a word at every place of a text
kernel void search(global const uchar *text, global const uchar *word, int length, global uint *found)
{
    const int i = get_global_id(0);
    int k = 0;
    while (k < length && text[i + k] == word[k])
        k++;
    if (k == length)
        atomic_inc(found);
}

// functions of the mathematical library
kernel void options(global const float *price, global const float *strike, global const float *years,
                    global float *call)
{
    const int i = get_global_id(0);
    const float rate = 0.02f, change = 0.3f;
    const float s = price[i], x = strike[i], t = years[i], root = sqrt(t);
    const float d1 = (log(s / x) + (rate + 0.5f * change * change) * t) / (change * root);
    const float d2 = d1 - change * root;
    const float n1 = 1.0f / (1.0f + exp(-1.5957691f * d1 * (1 + 0.044715f * d1 * d1)));
    const float n2 = 1.0f / (1.0f + exp(-1.5957691f * d2 * (1 + 0.044715f * d2 * d2)));
    call[i] = s * n1 - x * exp(-rate * t) * n2;
}

// a sparse matrix by rows of different lengths
kernel void spmv(global const int *first, global const int *column, global const float *value,
                 global const float *x, global float *y)
{
    const int i = get_global_id(0);
    float sum = 0;
    for (int k = first[i]; k < first[i + 1]; k++)
        sum += value[k] * x[column[k]];
    y[i] = sum;
}

// the nearest of some centres, features a row of points each, as Rodinia has it
kernel void kmeans(global const float *feature, global const float *centre, global int *nearest,
                   int points, int centres, int features)
{
    const int i = get_global_id(0);
    float least = 3.0e38f;
    int best = 0;
    for (int c = 0; c < centres; c++) {
        float d = 0;
        for (int f = 0; f < features; f++) {
            const float away = feature[f * points + i] - centre[c * features + f];
            d += away * away;
        }
        if (d < least) {
            least = d;
            best = c;
        }
    }
    nearest[i] = best;
}
