/* sync.cl -- barriers, fences, and copies by the whole group.
 *
 * Every work-item of the group does its share of an asynchronous copy at once, and the wait is a
 * barrier, so events hold nothing.
 */
#include "ventus.h"

void FLAT __attribute__((convergent)) barrier(cl_mem_fence_flags flags) { __ventus_barrier(flags & 3); }
void FLAT __attribute__((convergent)) work_group_barrier(cl_mem_fence_flags flags) { __ventus_barrier(flags & 3); }
void FLAT __attribute__((convergent)) work_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    __ventus_barrier(flags & 3);
}

void FLAT mem_fence(cl_mem_fence_flags flags) { __ventus_fence(); }
void FLAT read_mem_fence(cl_mem_fence_flags flags) { __ventus_fence(); }
void FLAT write_mem_fence(cl_mem_fence_flags flags) { __ventus_fence(); }
void FLAT atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)
{
    if (order != memory_order_relaxed && scope != memory_scope_work_item)
        __ventus_fence();
}

size_t OVL get_local_linear_id(void);
size_t OVL get_local_size(uint dim);
static inline size_t work_items(void) { return get_local_size(0) * get_local_size(1) * get_local_size(2); }

/* An event is opaque to the library: the one given, or null. */
static inline event_t same_event(event_t e) { return e; }

#define COPY(T, D, S) \
    event_t OVL async_work_group_copy(D T *to, const S T *from, size_t n, event_t e) \
    { \
        for (size_t i = get_local_linear_id(), step = work_items(); i < n; i += step) \
            to[i] = from[i]; \
        return same_event(e); \
    }
#define GATHER(T) \
    event_t OVL async_work_group_strided_copy(__local T *to, const __global T *from, size_t n, size_t stride, event_t e) \
    { \
        for (size_t i = get_local_linear_id(), step = work_items(); i < n; i += step) \
            to[i] = from[i * stride]; \
        return same_event(e); \
    }
#define SCATTER(T) \
    event_t OVL async_work_group_strided_copy(__global T *to, const __local T *from, size_t n, size_t stride, event_t e) \
    { \
        for (size_t i = get_local_linear_id(), step = work_items(); i < n; i += step) \
            to[i * stride] = from[i]; \
        return same_event(e); \
    }
#define PREFETCH(T) void FLAT prefetch(const __global T *p, size_t n) {}
#define COPIES(T) COPY(T, __local, __global) COPY(T, __global, __local) GATHER(T) SCATTER(T) PREFETCH(T)
#define ALL_COPIES(T) COPIES(T) COPIES(T##2) COPIES(T##3) COPIES(T##4) COPIES(T##8) COPIES(T##16)

EACH_INT(ALL_COPIES)
ALL_COPIES(half) ALL_COPIES(float) ALL_COPIES(double)

#define WAIT(S) \
    void FLAT __attribute__((convergent)) wait_group_events(int n, S event_t *events) \
    { \
        __ventus_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); \
    }
WAIT(__private) WAIT(__global) WAIT(__local) WAIT(__generic)

/* Local memory has a window of its own (doc/abi.md). */
static cl_mem_fence_flags fence_of(uint address)
{
    return address >> 28 == 7 ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}
cl_mem_fence_flags FLAT get_fence(const __generic void *p) { return fence_of((uint)(uintptr_t)p); }
cl_mem_fence_flags FLAT get_fence(__generic void *p) { return fence_of((uint)(uintptr_t)p); }
