/* race.h -- what the files of the check for races share (race.c says how it works). */
#ifndef CHECK_RACE_H
#define CHECK_RACE_H
#include "check/internal.h"
#include "check/pages.h"

/* group 18 bits, work-item in it 12, time 18, site 16; 0: nothing.  What a work-item's share of an
 * asynchronous copy does is done by another one, whose number has ASYNC. */
typedef u64 Entry;
enum { SITE_BITS = 16, TIME_BITS = 18, ITEM_BITS = 12, GROUP_BITS = 18 };
enum { TIME_AT = SITE_BITS, ITEM_AT = TIME_AT + TIME_BITS, GROUP_AT = ITEM_AT + ITEM_BITS };
enum { LAST_TIME = (1 << TIME_BITS) - 1, NITEMS = 1 << ITEM_BITS, ASYNC = NITEMS / 2, NSITES = 1 << SITE_BITS };

/* What is known of the words of a page, or of its bytes where accesses are smaller than words; by
 * index.  A row may begin at any of them: what lies behind the last is not used. */
typedef struct {
    u32 n;           /* PAGE_SIZE / 4, or PAGE_SIZE: of bytes */
    bool is_written; /* there are entries in `wrote` or `changed` */
    Entry *wrote, *read[2];
    u32 *value;        /* that `wrote` stored */
    Entry *changed[2]; /* by atomics; NULL: none yet */
    u32 *lanes;        /* of its warp that stored the same in the same instruction, 0: it alone;
                        * NULL: all 0 */
} RacePage;

/* A release: accesses of the item before item_time, and of its group before group_time. */
typedef struct {
    u64 group;
    u32 item, item_time, group_time;
    u32 previous; /* of the group, + 1 */
} Release;

struct Race {
    Pages pages;     /* of RacePage */
    u32 *site;       /* pcs by number */
    u8 *mark;        /* LinesMark of the access there */
    u32 nsite;
    u16 *number_of;         /* by a hash of the pc */
    u32 last_pc, last_site; /* that was asked for */
    u32 lanes, items;       /* of a warp; of a group's warps */
    const void *grid;       /* whose launch it is, NULL: unknown */
    /* the group that runs */
    u64 group; /* its number in the grid */
    u32 time, barrier[2]; /* now; of the last barrier for local and for global memory */
    u32 wait[2];          /* of the last one that waited for asynchronous copies, too */
    bool has_copies;      /* the launch has made asynchronous copies */
    u32 flags;            /* of the barrier that warps have arrived at */
    u32 fence[NITEMS];    /* time of its last fence */
    u32 released[NITEMS]; /* `fence` at its last release, + 1 */
    u32 knows[NITEMS];    /* releases below this number */
    u32 heard[NITEMS];    /* the same, once it passes a fence */
    Release *release;
    size_t nrelease, caprelease;
    u32 *newest; /* by group: its last release + 1 */
    size_t ngroups;
    bool failed;
};

static inline u32 item_of(Entry e) { return (u32)(e >> ITEM_AT) & (NITEMS - 1); }
static inline u32 time_of(Entry e) { return (u32)(e >> TIME_AT) & LAST_TIME; }
static inline bool is_async(Entry e) { return e >> ITEM_AT & ASYNC; }
static inline u32 site_in(Entry e) { return (u32)e & (NSITES - 1); }

/* An access of one lane as it is compared with others. */
typedef struct {
    Check *c;
    const Access *a;
    Race *r;
    Entry me;
    u32 site;
    u32 value;      /* that it stores */
    bool is_atomic; /* a plain access may be, too */
    u32 since;      /* accesses of the group before this time are in order with it, */
    u32 waited;     /* and those of asynchronous copies before this one */
    bool is_local;
} Job;

/* Whether the access of entry e, of the same group, is before the job's. */
static inline bool race_is_before(const Job *j, Entry e)
{
    return time_of(e) < (is_async(e) ? j->waited : j->since);
}

/* Whether the access of entry e, which may be 0, and the job's by `me` are in no order, unless by a
 * release. */
static inline bool race_suspects(const Job *j, Entry me, Entry e)
{
    const u64 differs = e ^ me;
    if (!e || !(differs >> ITEM_AT))
        return false;
    return differs >> GROUP_AT ? !j->is_local : !race_is_before(j, e);
}

/* --- race.c */
/* Whether a release that the work-item knows of comes after the access of e. */
bool race_is_released(const Job *j, Entry e);
/* What follows from an atomic of the work-item for the order of accesses. */
void race_after_atomic(const Job *j);
/* Reports it; `other` is what was done there. */
void race_report(const Job *j, Entry e, const char *other);

/* --- racepages.c */
/* Forgets all accesses. */
void race_forget(Race *r);
/* NULL: out of memory. */
RacePage *race_page(Race *r, u64 number);
/* Compares the access with what is known of its bytes, and notes it. */
void race_look(const Job *j);
/* The same for the words that these lanes access, *a for each in turn; value, or NULL: by lane.  j
 * is lane 0's. */
void race_look_lanes(Job *j, Access *a, const u32 addr[MAX_LANES], u32 lanes, const u32 *value);

/* --- racerow.c */
/* Compares and notes plain accesses of the lanes that are on to the words of the page from `at` on,
 * none of which atomics changed; value NULL: loads.  j is lane 0's.  False: they may collide with
 * something, and nothing was noted. */
bool race_note_row(const Job *j, RacePage *p, u32 at, const u32 on[MAX_LANES],
                   const u32 value[MAX_LANES]);
#endif
