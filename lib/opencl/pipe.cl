/* pipe.cl -- pipes: a ring of slots in global memory (isa/pipe.def).
 *
 * Who writes reserves slots that are free from the tail on, fills them and commits: from then on they
 * may be read.  Who reads reserves such slots from the head on, reads them and commits: they are free
 * again.  Nobody waits for anybody: a reservation that cannot be had at once is none.  The state of
 * slots from the head (or tail) on is changed by nobody but him who moves the head (or tail), so
 * states that were good before the move are good
 * after it.
 *
 * A reservation is the number of its first slot plus 1; 0 is none.
 */
#include "ventus.h"
#include "isa/pipe.h"

typedef __global uint *Pipe;

/* the words that these types are, known to the lowering by name */
Pipe __ventus_pipe_read(read_only pipe int p);
Pipe __ventus_pipe_write(write_only pipe int p);
uint __ventus_pipe_word(reserve_id_t r);
reserve_id_t __ventus_pipe_reservation(uint word);

size_t OVL get_local_linear_id(void);

#define CONV __attribute__((convergent, nomerge))

enum { FREE = 0, FULL = 1 };

static inline uint word(__global uint *w) { return __atomic_load_n(w, __ATOMIC_RELAXED); }
static inline void set_word(__global uint *w, uint x) { __atomic_store_n(w, x, __ATOMIC_RELAXED); }

static inline __global uint *states(Pipe p) { return p + PIPE_WORDS; }
/* how many slots the reservation that begins with the slot has; in a group one work-item writes it, and all read it */
static inline __global uint *length(Pipe p, uint slot) { return states(p) + p[PIPE_capacity] + slot; }

static inline __global uchar *packet(Pipe p, uint slot)
{
    uint at = ((PIPE_WORDS + 2 * p[PIPE_capacity]) * 4 + PIPE_ALIGN - 1) & -PIPE_ALIGN;

    return (__global uchar *)p + at + slot % p[PIPE_capacity] * p[PIPE_packet];
}

/* --- reservations ------------------------------------------------------------------------------ */

static bool all_are(Pipe p, uint from, uint n, uint state)
{
    for (uint k = 0; k < n; k++)
        if (word(&states(p)[(from + k) % p[PIPE_capacity]]) != state)
            return false;
    return true;
}

/* Whether n slots from the tail on are beyond those that are in use, or from the head on among them.  States do not tell:
 * those of a reservation that is open are what they were before. */
static bool are_there(Pipe p, uint at, uint n, uint state)
{
    uint head = state == FULL ? at : word(&p[PIPE_head]), tail = state == FREE ? at : word(&p[PIPE_tail]);
    uint used = tail >= head ? tail - head : tail + p[PIPE_limit] - head;

    return n <= (state == FULL ? used : p[PIPE_capacity] - used);
}

/* Moves word `end` from `at` on by n slots; else at is where it is now. */
static bool move(Pipe p, uint end, __private uint *at, uint n)
{
    uint next = *at + n < p[PIPE_limit] ? *at + n : *at + n - p[PIPE_limit];

    return __atomic_compare_exchange_n(&p[end], at, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* n slots of that state from word `end` on; the reservation.  What the states say counts only if the
 * word has not moved meanwhile. */
static uint reserve(Pipe p, uint end, uint n, uint state)
{
    uint at = word(&p[end]), checked, slot;

    if (!n || n > p[PIPE_capacity])
        return 0;
    do {
        checked = at;
        if (!(are_there(p, at, n, state) && all_are(p, at, n, state)) && checked == (at = word(&p[end])))
            return 0;
    } while (checked != at || !move(p, end, (__private uint *)&at, n));
    slot = at % p[PIPE_capacity];
    set_word(length(p, slot), n);
    if (state == FULL)
        __atomic_fetch_sub(&p[PIPE_filled], n, __ATOMIC_RELAXED);
    __ventus_fence();
    return slot + 1;
}

static void commit(Pipe p, uint reservation, uint state)
{
    uint slot = reservation - 1, n = reservation ? word(length(p, slot)) : 0;

    if (state == FULL) /* before they can be read, so that the count never falls below 0 */
        __atomic_fetch_add(&p[PIPE_filled], n, __ATOMIC_RELAXED);
    __ventus_fence();
    for (uint k = 0; k < n; k++)
        set_word(&states(p)[(slot + k) % p[PIPE_capacity]], state);
}

static inline uint reserve_to_read(Pipe p, uint n) { return reserve(p, PIPE_head, n, FULL); }
static inline uint reserve_to_write(Pipe p, uint n) { return reserve(p, PIPE_tail, n, FREE); }

bool FLAT is_valid_reserve_id(reserve_id_t r) { return __ventus_pipe_word(r) != 0; }

/* one work-item for all: the first of the group, or of the sub-group */
uint OVL CONV work_group_broadcast(uint v, size_t x, size_t y, size_t z);
uint OVL CONV sub_group_broadcast(uint v, uint lane);

#define RESERVATIONS(DIR, ACCESS, STATE) \
    reserve_id_t __reserve_##DIR##_pipe(ACCESS pipe int p, uint n, uint size, uint align) \
    { \
        return __ventus_pipe_reservation(reserve_to_##DIR(__ventus_pipe_##DIR(p), n)); \
    } \
    CONV reserve_id_t __work_group_reserve_##DIR##_pipe(ACCESS pipe int p, uint n, uint size, uint align) \
    { \
        uint r = get_local_linear_id() == 0 ? reserve_to_##DIR(__ventus_pipe_##DIR(p), n) : 0; \
        return __ventus_pipe_reservation(work_group_broadcast(r, 0, 0, 0)); \
    } \
    CONV reserve_id_t __sub_group_reserve_##DIR##_pipe(ACCESS pipe int p, uint n, uint size, uint align) \
    { \
        uint r = __ventus_lane() == 0 ? reserve_to_##DIR(__ventus_pipe_##DIR(p), n) : 0; \
        return __ventus_pipe_reservation(sub_group_broadcast(r, 0)); \
    } \
    void __commit_##DIR##_pipe(ACCESS pipe int p, reserve_id_t r, uint size, uint align) \
    { \
        commit(__ventus_pipe_##DIR(p), __ventus_pipe_word(r), STATE); \
    } \
    CONV void __work_group_commit_##DIR##_pipe(ACCESS pipe int p, reserve_id_t r, uint size, uint align) \
    { \
        __ventus_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); \
        if (get_local_linear_id() == 0) \
            commit(__ventus_pipe_##DIR(p), __ventus_pipe_word(r), STATE); \
    } \
    CONV void __sub_group_commit_##DIR##_pipe(ACCESS pipe int p, reserve_id_t r, uint size, uint align) \
    { \
        __ventus_meet(); \
        if (__ventus_lane() == 0) \
            commit(__ventus_pipe_##DIR(p), __ventus_pipe_word(r), STATE); \
        __ventus_meet(); \
    }
RESERVATIONS(read, read_only, FREE) RESERVATIONS(write, write_only, FULL)

/* --- packets ------------------------------------------------------------------------------------- */

#define COPY(NAME, D, S) \
    static inline void NAME(D uchar *to, const S uchar *from, uint size, uint align) \
    { \
        if (align % 4 == 0) \
            for (uint k = 0; k < size; k += 4) \
                *(D uint *)(to + k) = *(const S uint *)(from + k); \
        else \
            for (uint k = 0; k < size; k++) \
                to[k] = from[k]; \
    }
COPY(copy_out, __generic, __global) COPY(copy_in, __global, __generic)

/* whether packet `index` belongs to the reservation */
static inline bool has(Pipe p, uint reservation, uint index)
{
    return reservation && index < word(length(p, reservation - 1));
}

#define PACKET __attribute__((always_inline)) int
PACKET __read_pipe_4(read_only pipe int p, reserve_id_t r, uint index, __generic void *to, uint size, uint align)
{
    Pipe q = __ventus_pipe_read(p);
    uint first = __ventus_pipe_word(r);

    if (!has(q, first, index))
        return -1;
    copy_out(to, packet(q, first - 1 + index), size, align);
    return 0;
}

PACKET __write_pipe_4(write_only pipe int p, reserve_id_t r, uint index, const __generic void *from, uint size, uint align)
{
    Pipe q = __ventus_pipe_write(p);
    uint first = __ventus_pipe_word(r);

    if (!has(q, first, index))
        return -1;
    copy_in(packet(q, first - 1 + index), from, size, align);
    return 0;
}

PACKET __read_pipe_2(read_only pipe int p, __generic void *to, uint size, uint align)
{
    Pipe q = __ventus_pipe_read(p);
    uint first = reserve_to_read(q, 1);

    if (!first)
        return -1;
    copy_out(to, packet(q, first - 1), size, align);
    commit(q, first, FREE);
    return 0;
}

PACKET __write_pipe_2(write_only pipe int p, const __generic void *from, uint size, uint align)
{
    Pipe q = __ventus_pipe_write(p);
    uint first = reserve_to_write(q, 1);

    if (!first)
        return -1;
    copy_in(packet(q, first - 1), from, size, align);
    commit(q, first, FULL);
    return 0;
}

/* --- queries ------------------------------------------------------------------------------------- */

uint __get_pipe_num_packets_ro(read_only pipe int p, uint size, uint align) { return word(&__ventus_pipe_read(p)[PIPE_filled]); }
uint __get_pipe_num_packets_wo(write_only pipe int p, uint size, uint align) { return word(&__ventus_pipe_write(p)[PIPE_filled]); }
uint __get_pipe_max_packets_ro(read_only pipe int p, uint size, uint align) { return __ventus_pipe_read(p)[PIPE_capacity]; }
uint __get_pipe_max_packets_wo(write_only pipe int p, uint size, uint align) { return __ventus_pipe_write(p)[PIPE_capacity]; }
