/* racerow.c -- accesses of a warp to words side by side, compared and noted all at once.
 *
 * The loops do what racepages.c does for one word, without branches, over rows of fixed length;
 * they are compiled for each level of the host's vector instructions.
 */
#include "check/race.h"

#define INLINE static inline __attribute__((always_inline))

/* What is the same for all lanes. */
typedef struct {
    u64 since, waited; /* the same where no copy was asynchronous */
    u64 other;         /* all ones: accesses of other groups may collide; 0: local memory */
} RowRule;

INLINE u64 ones_if(bool b) { return 0 - (u64)b; }

INLINE u64 choose(u64 mask, u64 yes, u64 no) { return (yes & mask) | (no & ~mask); }

/* All ones where entry e, of the same group, is not before the row's accesses.  copies: it may be
 * of an asynchronous copy; a constant, since most programs have none. */
INLINE u64 is_late(const RowRule *rule, Entry e, bool copies)
{
    const u64 since = copies
                          ? choose(ones_if((e >> ITEM_AT & ASYNC) != 0), rule->waited, rule->since)
                          : rule->since;
    return ones_if((e >> TIME_AT & LAST_TIME) >= since);
}

/* All ones where entry e of another work-item is in no order with access `me`, releases aside. */
INLINE u64 is_suspect(const RowRule *rule, Entry e, Entry me, bool copies)
{
    const u64 differs = e ^ me;
    return ones_if(e != 0) & ones_if(differs >> ITEM_AT != 0) &
           ((ones_if(differs >> GROUP_AT == 0) & is_late(rule, e, copies)) |
            (ones_if(differs >> GROUP_AT != 0) & rule->other));
}

#define ROW for (u32 i = 0; i < MAX_LANES; i++)

/* Whether an entry is of another work-item: seldom, where each works on its own. */
INLINE bool has_others(const Entry *restrict e, const Entry *restrict me, const u32 *restrict on)
{
    u64 any = 0;
    ROW any |= ones_if(e[i] != 0) & ones_if((e[i] ^ me[i]) >> ITEM_AT != 0) & (u64)(i64)(i32)on[i];
    return any;
}

INLINE bool collides_with(const RowRule *rule, const Entry *restrict e, const Entry *restrict me,
                          const u32 *restrict on, bool copies)
{
    u64 any = 0;
    if (!has_others(e, me, on))
        return false;
    ROW any |= is_suspect(rule, e[i], me[i], copies) & (u64)(i64)(i32)on[i];
    return any;
}

/* The same of stores.  Those of the value that is there do not count, unless they may be of the
 * same warp at the same time: then it matters which lanes stored it. */
INLINE bool overwrites(const RowRule *rule, const Entry *restrict e, const Entry *restrict me,
                       const u32 *restrict on, const u32 *restrict old, const u32 *restrict value,
                       bool copies)
{
    u64 any = 0;
    if (!has_others(e, me, on))
        return false;
    ROW
    {
        const u64 differs = e[i] ^ me[i];
        const u64 now =
            ones_if(differs >> GROUP_AT == 0) & ones_if((differs >> TIME_AT & LAST_TIME) == 0);
        any |= is_suspect(rule, e[i], me[i], copies) & (u64)(i64)(i32)on[i] &
               (ones_if(old[i] != value[i]) | now);
    }
    return any;
}

/* Whether each work-item has noted such an access of its own since its time began. */
INLINE bool is_noted(const Entry *restrict first, const Entry *restrict me, const u32 *restrict on)
{
    u64 any = 0;
    ROW any |= ones_if((first[i] ^ me[i]) >> TIME_AT != 0) & (u64)(i64)(i32)on[i];
    return !any;
}

/* keep() of racepages.c */
INLINE void keep_row(const RowRule *rule, Entry *restrict first, Entry *restrict second,
                     const Entry *restrict me, const u32 *restrict on, bool copies)
{
    ROW
    {
        const Entry a = first[i], b = second[i], m = me[i];
        const u64 differs = a ^ m, here = (u64)(i64)(i32)on[i];
        const u64 same = ones_if(differs >> TIME_AT == 0);
        const u64 mine = ones_if(a == 0) | ones_if(differs >> ITEM_AT == 0);
        const u64 foreign = ones_if(differs >> GROUP_AT != 0);
        const u64 old = ~is_late(rule, a, copies);
        const u64 b_foreign = ones_if((b ^ m) >> GROUP_AT != 0);
        const u64 b_stays = b_foreign & ones_if(b != 0);
        const u64 new_b =
            choose(foreign, a & rule->other, choose(old, b & b_foreign, choose(b_stays, b, m)));
        first[i] = choose(here & ~same & (mine | foreign | old), m, a);
        second[i] = choose(here & ~same & ~mine, new_b, b);
    }
}

INLINE bool read_row(const RowRule *rule, RacePage *p, u32 at, const Entry *me, const u32 *on,
                     bool copies)
{
    if (p->is_written && collides_with(rule, p->wrote + at, me, on, copies))
        return false;
    if (!is_noted(p->read[0] + at, me, on))
        keep_row(rule, p->read[0] + at, p->read[1] + at, me, on, copies);
    return true;
}

INLINE bool write_row(const RowRule *rule, RacePage *p, u32 at, const Entry *me, const u32 *on,
                      const u32 *value, bool copies)
{
    Entry *restrict wrote = p->wrote + at;
    u32 *restrict old = p->value + at;
    if (overwrites(rule, wrote, me, on, old, value, copies) ||
        collides_with(rule, p->read[0] + at, me, on, copies) ||
        collides_with(rule, p->read[1] + at, me, on, copies))
        return false;
    ROW wrote[i] = choose((u64)(i64)(i32)on[i], me[i], wrote[i]);
    ROW old[i] = (value[i] & on[i]) | (old[i] & ~on[i]);
    for (u32 i = 0; p->lanes && i < MAX_LANES; i++)
        p->lanes[at + i] &= ~on[i];
    return p->is_written = true;
}

typedef bool NoteRow(const RowRule *rule, RacePage *p, u32 at, const Entry *me, const u32 *on,
                     const u32 *value);

/* value NULL: a load */
#define NOTE_ROW(level, attributes)                                                                \
    attributes static bool note_row_##level(const RowRule *rule, RacePage *p, u32 at,              \
                                            const Entry *me, const u32 *on, const u32 *value)      \
    {                                                                                              \
        return value ? write_row(rule, p, at, me, on, value, false)                                \
                     : read_row(rule, p, at, me, on, false);                                       \
    }                                                                                              \
    attributes static bool note_copies_##level(const RowRule *rule, RacePage *p, u32 at,           \
                                               const Entry *me, const u32 *on, const u32 *value)   \
    {                                                                                              \
        return value ? write_row(rule, p, at, me, on, value, true)                                 \
                     : read_row(rule, p, at, me, on, true);                                        \
    }

NOTE_ROW(base, )
#if defined(__x86_64__)
NOTE_ROW(avx2, __attribute__((target("avx2"))))
NOTE_ROW(avx512, __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"))))
#endif

static NoteRow *best_level(bool copies)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return copies ? note_copies_avx512 : note_row_avx512;
    if (__builtin_cpu_supports("avx2"))
        return copies ? note_copies_avx2 : note_row_avx2;
#endif
    return copies ? note_copies_base : note_row_base;
}

bool race_note_row(const Job *j, RacePage *p, u32 at, const u32 on[MAX_LANES],
                   const u32 value[MAX_LANES])
{
    const RowRule rule = {j->since, j->waited, ones_if(!j->is_local)};
    Entry me[MAX_LANES];
    ROW me[i] = j->me + ((u64)i << ITEM_AT);
    return best_level(j->r->has_copies)(&rule, p, at, me, on, value);
}
