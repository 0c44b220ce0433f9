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

/* The compiler marks such accesses as parts of an asynchronous copy (doc/checking.md). */
#define MOVE(to, from) __builtin_nontemporal_store(__builtin_nontemporal_load(&(from)), &(to))

#define COPY(T, D, S) \
    event_t OVL async_work_group_copy(D T *to, const S T *from, size_t n, event_t e) \
    { \
        for (size_t i = get_local_linear_id(), step = work_items(); i < n; i += step) \
            MOVE(to[i], from[i]); \
        return same_event(e); \
    }
#define GATHER(T) \
    event_t OVL async_work_group_strided_copy(__local T *to, const __global T *from, size_t n, size_t stride, event_t e) \
    { \
        for (size_t i = get_local_linear_id(), step = work_items(); i < n; i += step) \
            MOVE(to[i], from[i * stride]); \
        return same_event(e); \
    }
#define SCATTER(T) \
    event_t OVL async_work_group_strided_copy(__global T *to, const __local T *from, size_t n, size_t stride, event_t e) \
    { \
        for (size_t i = get_local_linear_id(), step = work_items(); i < n; i += step) \
            MOVE(to[i * stride], from[i]); \
        return same_event(e); \
    }
#define PREFETCH(T) void FLAT prefetch(const __global T *p, size_t n) {}
#define COPIES(T) COPY(T, __local, __global) COPY(T, __global, __local) GATHER(T) SCATTER(T) PREFETCH(T)
#define ALL_COPIES(T) COPIES(T) COPIES(T##2) COPIES(T##3) COPIES(T##4) COPIES(T##8) COPIES(T##16)

EACH_INT(ALL_COPIES)
ALL_COPIES(half) ALL_COPIES(float) ALL_COPIES(double)

/* --- boxes of elements of any size ------------------------------------------------------------- */

typedef struct {
    size_t element, line, plane; /* bytes from one to the next */
} Steps;

static inline size_t place(Steps s, size_t element, size_t line, size_t plane)
{
    return element * s.element + line * s.line + plane * s.plane;
}

/* Words where addresses and size allow it. */
#define BOXES(D, S) \
    static inline void OVL copy_element(D uchar *to, const S uchar *from, size_t n) \
    { \
        if (!(((uintptr_t)to | (uintptr_t)from | n) & 3)) \
            for (size_t i = 0; i < n; i += 4) \
                MOVE(*(D uint *)(to + i), *(const S uint *)(from + i)); \
        else \
            for (size_t i = 0; i < n; i++) \
                MOVE(to[i], from[i]); \
    } \
    event_t OVL __attribute__((convergent)) async_work_group_copy_3D3D( \
        D void *to, size_t to_offset, const S void *from, size_t from_offset, size_t size, size_t elements, \
        size_t lines, size_t planes, size_t from_line, size_t from_plane, size_t to_line, size_t to_plane, event_t e) \
    { \
        const Steps there = {size, size * to_line, size * to_plane}, here = {size, size * from_line, size * from_plane}; \
        const size_t n = elements * lines * planes; \
        for (size_t i = get_local_linear_id(), step = work_items(); i < n; i += step) { \
            const size_t x = i % elements, y = i / elements % lines, z = i / elements / lines; \
            copy_element((D uchar *)to + to_offset * size + place(there, x, y, z), \
                         (const S uchar *)from + from_offset * size + place(here, x, y, z), size); \
        } \
        return same_event(e); \
    } \
    event_t OVL __attribute__((convergent)) async_work_group_copy_2D2D( \
        D void *to, size_t to_offset, const S void *from, size_t from_offset, size_t size, size_t elements, \
        size_t lines, size_t from_line, size_t to_line, event_t e) \
    { \
        return async_work_group_copy_3D3D(to, to_offset, from, from_offset, size, elements, lines, 1, from_line, 0, \
                                          to_line, 0, e); \
    }
BOXES(__local, __global) BOXES(__global, __local)

#define WAIT(S) \
    void FLAT __attribute__((convergent)) wait_group_events(int n, S event_t *events) \
    { \
        __ventus_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE | __VENTUS_WAITS); \
    }
WAIT(__private) WAIT(__global) WAIT(__local) WAIT(__generic)

/* Tells a note of the events that are waited for (src/ll/asyncnotes.c); by the number of the list's
 * address space. */
#define NOTE_WAIT(number, S) \
    __attribute__((always_inline)) void __ventus_note_wait##number(volatile __global event_t *note, int n, S event_t *events) \
    { \
        for (int i = 0; i < n; i++) \
            *note = events[i]; \
    }
NOTE_WAIT(0, __private) NOTE_WAIT(1, __global) NOTE_WAIT(3, __local) NOTE_WAIT(4, __generic)

/* Local memory has a window of its own (doc/abi.md). */
static cl_mem_fence_flags fence_of(uint address)
{
    return address >> 28 == 7 ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}
cl_mem_fence_flags FLAT get_fence(const __generic void *p) { return fence_of((uint)(uintptr_t)p); }
cl_mem_fence_flags FLAT get_fence(__generic void *p) { return fence_of((uint)(uintptr_t)p); }
