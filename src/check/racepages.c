/* racepages.c -- what is known of each word: who wrote it last, and two who read it and two who
 * changed it by atomics last, chosen so that one of them collides with whatever collides with any
 * that were before. */
#include "check/race.h"
#include "base/mem.h"
#include <string.h>

static void free_page(RacePage *p)
{
    mem_free(p->wrote);
    mem_free(p->changed[0]);
    mem_free(p->lanes);
    mem_free(p);
}

void race_forget(Race *r)
{
    RacePage *p;
    for (size_t i = 0; (p = pages_next(&r->pages, &i));)
        free_page(p);
    pages_clear(&r->pages);
}

/* entries for n words or bytes, and behind them for a row that begins at the last */
static Entry *make_entries(u32 n, u32 kinds)
{
    return mem_zalloc((n + MAX_LANES) * kinds, sizeof(Entry));
}

/* Its arrays, in one block. */
static bool make_arrays(RacePage *p, u32 n)
{
    Entry *block = make_entries(n, 4);
    if (!block)
        return false;
    const u32 step = n + MAX_LANES;
    p->n = n;
    p->wrote = block;
    p->read[0] = block + step;
    p->read[1] = block + 2 * step;
    p->value = (u32 *)(block + 3 * step);
    return true;
}

static bool make_changed(RacePage *p)
{
    if (p->changed[0])
        return true;
    p->changed[0] = make_entries(p->n, 2);
    p->changed[1] = p->changed[0] ? p->changed[0] + p->n + MAX_LANES : NULL;
    return p->changed[0];
}

RacePage *race_page(Race *r, u64 number)
{
    RacePage *p = pages_find(&r->pages, number);
    if (p)
        return p;
    p = mem_zalloc(1, sizeof *p);
    if (p && make_arrays(p, PAGE_SIZE / 4) && pages_add(&r->pages, number, p))
        return p;
    if (p)
        free_page(p);
    return NULL;
}

/* Gives each byte of the page entries of its own. */
static bool split(RacePage *p)
{
    RacePage bytes = {.is_written = p->is_written};
    if (!make_arrays(&bytes, PAGE_SIZE) || (p->changed[0] && !make_changed(&bytes)) ||
        (p->lanes && !(bytes.lanes = mem_zalloc(PAGE_SIZE + MAX_LANES, sizeof(u32))))) {
        mem_free(bytes.wrote);
        mem_free(bytes.changed[0]);
        return false;
    }
    for (u32 i = 0; i < PAGE_SIZE; i++) {
        bytes.wrote[i] = p->wrote[i / 4];
        bytes.value[i] = p->value[i / 4] >> i % 4 * 8 & 0xff;
        for (int k = 0; k < 2; k++) {
            bytes.read[k][i] = p->read[k][i / 4];
            if (p->changed[0])
                bytes.changed[k][i] = p->changed[k][i / 4];
        }
        if (p->lanes)
            bytes.lanes[i] = p->lanes[i / 4];
    }
    mem_free(p->wrote);
    mem_free(p->changed[0]);
    mem_free(p->lanes);
    *p = bytes;
    return true;
}

/* --- one word --------------------------------------------------------------------------------- */

/* Keeps two entries that collide with whatever would collide with one that was there: of different
 * work-items at a time, or better, of different groups. */
static inline void keep(const Job *j, Entry me, Entry *first, Entry *second)
{
    const u64 d0 = *first ^ me;
    if (!(d0 >> TIME_AT))
        return;
    if (!*first || !(d0 >> ITEM_AT)) {
        *first = me;
    } else if (d0 >> GROUP_AT) { /* another group's stays as the second */
        *second = j->is_local ? 0 : *first;
        *first = me;
    } else if (race_is_before(j, *first)) {
        *first = me;
        if (!((*second ^ me) >> GROUP_AT))
            *second = 0;
    } else if (!((*second ^ me) >> GROUP_AT) || !*second) {
        *second = me;
    }
}

/* whether the lane is one of those that stored what the word holds */
static bool wrote_it_too(const Job *j, const RacePage *p, u32 i)
{
    const Entry wrote = p->wrote[i];
    const u32 me = item_of(j->me), them = item_of(wrote), n = j->r->lanes;
    return p->lanes && !((wrote ^ j->me) >> GROUP_AT) && me / n == them / n &&
           p->lanes[i] >> me % n & 1;
}

static inline bool collides(const Job *j, Entry e)
{
    return race_suspects(j, j->me, e) && !race_is_released(j, e);
}

/* Reports what the access collides with. */
static inline void compare(const Job *j, const RacePage *p, u32 i, u32 value)
{
    const Access *a = j->a;
    const Entry wrote = p->wrote[i];
    if (wrote && (wrote ^ j->me) >> ITEM_AT && !wrote_it_too(j, p, i) &&
        !(a->writes && !j->is_atomic && p->value[i] == value) && collides(j, wrote))
        race_report(j, wrote, "store");
    for (int k = 0; k < 2 && p->changed[0] && p->changed[0][i] && !j->is_atomic; k++)
        if (collides(j, p->changed[k][i])) {
            race_report(j, p->changed[k][i], "atomic");
            break;
        }
    for (int k = 0; k < 2 && a->writes; k++)
        if (!(j->is_atomic && j->r->mark[site_in(p->read[k][i])] == LINES_ATOMIC) &&
            collides(j, p->read[k][i])) {
            race_report(j, p->read[k][i], "load");
            break;
        }
}

/* The lane stored; lanes of one instruction that store the same are one. */
static inline bool note_store(const Job *j, RacePage *p, u32 i, u32 value)
{
    const u32 lanes = j->r->lanes, lane = item_of(j->me) % lanes, them = item_of(p->wrote[i]);
    const bool same = p->wrote[i] && !((p->wrote[i] ^ j->me) >> GROUP_AT) && p->value[i] == value &&
                      time_of(p->wrote[i]) == time_of(j->me) &&
                      them / lanes == item_of(j->me) / lanes;
    if (same && them % lanes != lane && !p->lanes &&
        !(p->lanes = mem_zalloc(p->n + MAX_LANES, sizeof(u32))))
        return false;
    if (p->lanes)
        p->lanes[i] = same ? p->lanes[i] | 1u << them % lanes | 1u << lane : 0;
    p->wrote[i] = j->me;
    p->value[i] = value;
    return p->is_written = true;
}

static inline bool look(const Job *j, RacePage *p, u32 i, u32 value)
{
    const Access *a = j->a;
    if (a->writes || p->is_written)
        compare(j, p, i, value);
    if (!a->writes) {
        keep(j, j->me, &p->read[0][i], &p->read[1][i]);
    } else if (j->is_atomic) {
        if (!make_changed(p))
            return false;
        p->is_written = true;
        keep(j, j->me, &p->changed[0][i], &p->changed[1][i]);
    } else {
        return note_store(j, p, i, value);
    }
    return true;
}

void race_look(const Job *j)
{
    const Access *a = j->a;
    u32 value = j->value;
    for (u64 at = a->addr, end = a->addr + a->size; at < end;) {
        RacePage *p = race_page(j->r, at >> PAGE_BITS);
        const u32 in_page = at & (PAGE_SIZE - 1);
        const bool whole = !(at & 3) && end - at >= 4;
        if (!p || (!whole && p->n < PAGE_SIZE && !split(p)))
            break;
        const bool is_bytes = p->n == PAGE_SIZE;
        if (!look(j, p, is_bytes ? in_page : in_page / 4, is_bytes ? value & 0xff : value))
            break;
        /* of longer accesses only the first word is compared */
        at += is_bytes ? 1 : 4;
        value = is_bytes ? value >> 8 : 0;
        if (at >= end)
            return;
    }
    j->r->failed = true;
}

/* A load of the word that is nothing but that: by far the most are. */
static inline bool note_load(const Job *j, Entry me, RacePage *p, u32 i)
{
    if (p->changed[0] || race_suspects(j, me, p->wrote[i]))
        return false;
    keep(j, me, &p->read[0][i], &p->read[1][i]);
    return true;
}

void race_look_lanes(Job *j, Access *a, const u32 addr[MAX_LANES], u32 lanes, const u32 *value)
{
    const Entry first = j->me;
    const bool loads = !a->writes && !j->is_atomic;
    RacePage *p = NULL;
    u32 number = UINT32_MAX;
    for (; lanes && !j->r->failed; lanes &= lanes - 1) {
        const u32 lane = (u32)__builtin_ctz(lanes), at = addr[lane];
        const u32 word = at / 4 % (PAGE_SIZE / 4);
        const Entry me = first + ((u64)lane << ITEM_AT);
        if (at >> PAGE_BITS != number) {
            number = at >> PAGE_BITS;
            p = race_page(j->r, number);
        }
        const bool is_word = p && !(at & 3) && p->n < PAGE_SIZE;
        if (loads && is_word && note_load(j, me, p, word))
            continue;
        a->lane = (int)lane;
        a->addr = at;
        j->me = me;
        j->value = value ? value[lane] : 0;
        if (!is_word)
            race_look(j);
        else if (!look(j, p, word, j->value))
            j->r->failed = true;
        if (j->is_atomic)
            race_after_atomic(j);
    }
}
