// Accesses and fences in their order: the orders of atomic accesses, by the library's functions (library) and by clang's
// own, which the lowering takes apart (the others), and volatile accesses, each of which is made, of constant memory too.
// skip: ! test -e %b/ventus-cc1
// run: %b/ventus cc -w -cl-std=CL3.0 -S -o - %s | sed -nE 's/^([a-z_]+):$/\1/p; s/^\t(fence|v?[ls]w(12)?(\.v)?|amo[a-z]*\.w|lr\.w|sc\.w)( .*)?$/    \1/p'
#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define BOTH memory_order_acq_rel
#define SEQ memory_order_seq_cst
#define DEV memory_scope_device

kernel void relaxed(global atomic_uint *p)
{
    __opencl_atomic_store(p, __opencl_atomic_load(p + 1, RLX, DEV), RLX, DEV);
    __opencl_atomic_fetch_xor(p, 1, RLX, DEV);
}

kernel void ordered(global atomic_uint *p)
{
    __opencl_atomic_store(p, __opencl_atomic_load(p + 1, ACQ, DEV), REL, DEV);
    __opencl_atomic_fetch_add(p, 1, ACQ, DEV);
    __opencl_atomic_fetch_and(p, 1, REL, DEV);
    __opencl_atomic_fetch_or(p, 1, BOTH, DEV);
}

kernel void sequential(global atomic_uint *p)
{
    __opencl_atomic_store(p, __opencl_atomic_load(p + 1, SEQ, DEV), SEQ, DEV);
    __opencl_atomic_exchange(p, 1, SEQ, DEV);
}

kernel void exchanges(global atomic_uint *p)
{
    uint e = 3;
    __opencl_atomic_compare_exchange_strong(p, &e, 5, RLX, RLX, DEV);
    __opencl_atomic_compare_exchange_strong(p, &e, 6, ACQ, RLX, DEV);
    __opencl_atomic_compare_exchange_strong(p, &e, 7, REL, RLX, DEV);
    __opencl_atomic_compare_exchange_strong(p, &e, 8, RLX, ACQ, DEV);
}

kernel void library(global atomic_uint *p)
{
    atomic_store_explicit(p, atomic_load_explicit(p + 1, ACQ), REL);
    atomic_fetch_max_explicit(p, 1, RLX);
    mem_fence(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_min_explicit(p, 1, RLX);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, BOTH, DEV);
    atomic_fetch_sub_explicit(p, 1, RLX);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, RLX, DEV);
    atomic_fetch_xor_explicit(p, 1, RLX);
}

kernel void of_clang(global uint *p)
{
    p[0] = 1;
    __c11_atomic_thread_fence(__ATOMIC_SEQ_CST);
    p[1] = 2;
}

kernel void every_one(constant volatile uint *c, global volatile uint *v, global uint *out)
{
    out[0] = c[0] + c[0];
    v[0] = 1;
    v[0] = 1;
    out[1] = v[1] ^ v[1];
    v[2];
}

kernel void only_one(constant uint *c, global uint *v, global uint *out)
{
    out[0] = c[0] + c[0];
    v[0] = 1;
    v[0] = 1;
    v[2];
}
// out:
// relaxed
//     lw
//     lw
//     sw
//     amoxor.w
// ordered
//     lw
//     lw
//     fence
//     fence
//     sw
//     amoadd.w
//     fence
//     fence
//     amoand.w
//     fence
//     amoor.w
//     fence
// sequential
//     lw
//     lw
//     fence
//     fence
//     sw
//     fence
//     fence
//     amoswap.w
//     fence
// exchanges
//     lw
//     lr.w
//     sc.w
//     lr.w
//     sc.w
//     fence
//     fence
//     lr.w
//     sc.w
//     lr.w
//     sc.w
//     fence
// library
//     lw
//     lw
//     fence
//     fence
//     sw
//     amomaxu.w
//     fence
//     amominu.w
//     fence
//     amoadd.w
//     amoxor.w
// of_clang
//     lw
//     sw
//     fence
//     sw
// every_one
//     lw
//     lw
//     lw
//     lw
//     lw
//     sw
//     sw
//     sw
//     lw
//     lw
//     sw
//     lw
// only_one
//     lw
//     lw
//     lw
//     lw
//     sw
//     sw
// end
