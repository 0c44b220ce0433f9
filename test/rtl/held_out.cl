/* held_out.cl -- kernels that no figure of the cycle model was taken from; held_out.txt has their arguments.
 * They avoid what the RTL computes wrongly: divergence, private memory, atomics. */
kernel void saxpy(global float *y, global const float *x, float a) { size_t i = get_global_id(0); y[i] = a * x[i] + y[i]; }
kernel void hash(global uint *o, global const uint *x) { size_t i = get_global_id(0); uint h = x[i]; for (int k = 0; k < 6; k++) { h ^= h << 13; h ^= h >> 17; h ^= h << 5; } o[i] = h; }
kernel void stencil(global float *o, global const float *x) { size_t i = get_global_id(0); o[i] = 0.25f * x[i] + 0.5f * x[i + 1] + 0.25f * x[i + 2]; }
kernel void dotrow(global float *o, global const float *a, global const float *b) { size_t i = get_global_id(0); float s = 0; for (int k = 0; k < 8; k++) s = fma(a[i * 8 + k], b[k], s); o[i] = s; }
kernel void divide(global uint *o, global const uint *x, uint d) { size_t i = get_global_id(0); o[i] = x[i] / d + x[i] % 7u; }
kernel void norm(global float *o, global const float *x) { size_t i = get_global_id(0); o[i] = x[i] / sqrt(x[i] * x[i] + 1.0f); }
kernel void gather(global uint *o, global const uint *x, global const uint *at) { size_t i = get_global_id(0); o[i] = x[at[i] & 31u] + x[(at[i] >> 5) & 31u]; }
kernel void rounds(global uint *o, global const uint *x) { size_t i = get_global_id(0); uint v = x[i]; for (int k = 0; k < 3; k++) { o[i] = v * 3u + 1u; barrier(CLK_GLOBAL_MEM_FENCE); v = o[i ^ 1]; barrier(CLK_GLOBAL_MEM_FENCE); } o[i] = v; }
