/* codejob.c -- requests and answers as bytes.
 *
 *     magic, level, helper or NO_HELPER
 *     of a region: profile, pc, shape of the warp in six numbers, callee, lanes, rule of v0,
 *         flags, kind of code;
 *         pages that may be executed; runs of words, each with its address and length
 *
 *     several: another magic, each with its length before it
 */
#include "jit/codejob.h"
#include "base/mem.h"
#include "comp/bytes.h"
#include "sim/handlers.h"
#include <stdlib.h>
#include <string.h>

enum {
    MAGIC = 0x34475456 /* "VTG4" */,
    MANY = 0x4e475456 /* "VTGN" */,
    NO_HELPER = UINT32_MAX >> 1
};

/* --- the words of a region --------------------------------------------------------------- */

/* Addresses of words; and of pages, which are words without the low bits. */
typedef struct {
    u32 *at;
    size_t n, cap;
    bool failed;
} Addresses;

static void add(Addresses *a, u32 at)
{
    if (a->n && a->at[a->n - 1] == at)
        return;
    if (a->failed || !array_grow(a->at, a->n, a->cap))
        a->failed = true;
    else
        a->at[a->n++] = at;
}

static int ascending(const void *a, const void *b)
{
    const u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return (x > y) - (x < y);
}

static void sort_once(Addresses *a)
{
    size_t n = 0;
    if (a->n)
        qsort(a->at, a->n, sizeof *a->at, ascending);
    for (size_t i = 0; i < a->n; i++)
        if (!n || a->at[n - 1] != a->at[i])
            a->at[n++] = a->at[i];
    a->n = n;
}

/* The words of an instruction with its prefix, and the word after it (a prefix may follow a prefix). */
static void add_uop(const Uop *u, Addresses *words, Addresses *pages)
{
    for (u32 n = 0; n <= u->step; n++)
        add(words, u->pc + 4 * n);
    add(pages, u->pc & ~(u32)(PAGE_SIZE - 1));
}

/* The words that decoding looked at, and the joins. */
static void add_words(const Region *r, Addresses *words, Addresses *pages)
{
    for (u32 i = 0; i < r->nroutine; i++)
        for (u32 k = 0; k < r->routine[i].nuop; k++)
            add_uop(r->routine[i].uop[k], words, pages);
    for (u32 i = 0; i < r->nblock; i++) {
        const RegionBlock *b = &r->block[i];
        for (u32 k = 0; k < b->nuop; k++)
            add_uop(b->uop[k], words, pages);
        if (b->end == END_SPLIT) {
            add(words, b->meet_pc);
            add(words, b->meet_pc + 4);
            add(pages, b->meet_pc & ~(u32)(PAGE_SIZE - 1));
        }
    }
    sort_once(words);
    sort_once(pages);
}

static void put_word(const Memory *m, u32 at, Buf *to)
{
    u32 word = 0;
    if (memory_has(m, at, 4, MEM_R))
        memcpy(&word, m->base + at, 4);
    put_number(to, word, 4);
}

static void put_code(const Region *r, const Code *code, Buf *to)
{
    Addresses words = {0}, pages = {0};
    add_words(r, &words, &pages);
    put_number(to, pages.n, 4);
    for (size_t i = 0; i < pages.n; i++)
        put_number(to, pages.at[i], 4);
    for (size_t i = 0, n; i < words.n; i += n) {
        for (n = 1; i + n < words.n && words.at[i + n] == words.at[i] + 4 * n;)
            n++;
        put_number(to, words.at[i], 4);
        put_number(to, n, 4);
        for (size_t k = 0; k < n; k++)
            put_word(code->memory, words.at[i + k], to);
    }
    to->failed |= words.failed || pages.failed;
    mem_free(words.at);
    mem_free(pages.at);
}

/* --- requests ---------------------------------------------------------------------------- */

void codejob_write(const CodeJob *j, const Code *code, Buf *to)
{
    const Region *r = j->region;
    put_number(to, MAGIC, 4);
    put_text(to, j->level);
    put_number(to, r ? NO_HELPER : j->helper, 4);
    if (!r)
        return;
    const WarpShape *w = &r->warp;
    const u32 numbers[] = {code->set,  r->pc,    w->full,     w->fresh,  w->deep,
                           w->alone,   w->line,  w->base,     r->callee, r->lanes,
                           (u32)r->vm, r->flags, (u32)j->kind};
    for (size_t i = 0; i < countof(numbers); i++)
        put_number(to, numbers[i], 4);
    put_code(r, code, to);
}

static bool is_in_window(u32 at) { return at - CODE_LO < CODE_END - CODE_LO; }

/* Puts the pages and words of a request into memory. */
static void get_code(In *in, Memory *m)
{
    for (u64 n = get_number(in, 4); n && !in->failed; n--) {
        const u32 page = (u32)get_number(in, 4);
        if (!is_in_window(page) || page % PAGE_SIZE)
            in->failed = true;
        else
            memory_map(m, page, PAGE_SIZE, MEM_R | MEM_X);
    }
    while (in->left && !in->failed) {
        u32 at = (u32)get_number(in, 4);
        for (u64 n = get_number(in, 4); n && !in->failed; n--, at += 4) {
            const u32 word = (u32)get_number(in, 4);
            if (at % 4 || (!is_in_window(at) && word)) {
                in->failed = true;
            } else if (is_in_window(at)) {
                if (!memory_has(m, at, 4, MEM_R))
                    memory_map(m, at & ~(u32)(PAGE_SIZE - 1), PAGE_SIZE, MEM_R);
                memcpy(m->base + at, &word, 4);
            }
        }
    }
}

static bool is_line(u32 n, u32 lanes)
{
    return !n || n == LINE_WHOLE || (n <= lanes && is_pow2(n));
}

static bool get_region(In *in, ReadJob *r)
{
    enum { SET, PC, FULL, FRESH, DEEP, ALONE, LINE, BASE, CALLEE, LANES, VM, FLAGS, KIND, N };
    u32 n[N];
    for (u32 i = 0; i < N; i++)
        n[i] = (u32)get_number(in, 4);
    if (in->failed || n[LANES] < 4 || n[LANES] > MAX_LANES || !is_pow2(n[LANES]) ||
        !is_line(n[LINE], n[LANES]) || n[VM] > VM_IGNORE ||
        n[KIND] >= NCODES || !memory_open(&r->memory, CODE_LO, CODE_END))
        return false;
    get_code(in, &r->memory);
    if (in->failed || !(r->code = code_new((IsaSet)n[SET], &r->memory, lane_level())))
        return false;
    const WarpShape warp = {.full = n[FULL],
                            .fresh = n[FRESH],
                            .deep = n[DEEP],
                            .alone = n[ALONE],
                            .line = (u8)n[LINE],
                            .base = n[BASE]};
    r->region = region_new(r->code, n[PC], warp, n[CALLEE], n[LANES], (VmRule)n[VM], n[FLAGS]);
    r->job.region = r->region;
    r->job.kind = (CodeKind)n[KIND];
    return r->region;
}

bool codejob_read(const u8 *bytes, size_t len, ReadJob *r)
{
    In in = {bytes, len, false};
    *r = (ReadJob){.region = NULL};
    const u64 magic = get_number(&in, 4);
    const char *level = get_text(&in);
    const u32 helper = (u32)get_number(&in, 4);
    if (in.failed || magic != MAGIC || strlen(level) >= sizeof r->job.level)
        return false;
    strcpy(r->job.level, level);
    if (helper == NO_HELPER)
        return get_region(&in, r);
    r->job.helper = helper;
    return helper < NHELPERS && !in.left;
}

void codejob_close(ReadJob *r)
{
    region_free(r->region);
    code_free(r->code);
    memory_close(&r->memory);
}

/* --- answers ----------------------------------------------------------------------------- */

void codeanswer_write(const CodeAnswer *a, Buf *to)
{
    put_number(to, MAGIC, 4);
    put_number(to, a->digest, 8);
    for (size_t i = 0; i < HELPER_WORDS; i++)
        put_number(to, a->helpers[i], 8);
    put_number(to, a->nanoseconds, 8);
    put_bytes(to, a->object.data, a->object.len);
}

bool codeanswer_read(const u8 *bytes, size_t len, CodeAnswer *a)
{
    In in = {bytes, len, false};
    const u64 magic = get_number(&in, 4);
    a->digest = get_number(&in, 8);
    for (size_t i = 0; i < HELPER_WORDS; i++)
        a->helpers[i] = get_number(&in, 8);
    a->nanoseconds = get_number(&in, 8);
    a->object = get_bytes(&in);
    return !in.failed && !in.left && magic == MAGIC &&
           !(a->helpers[HELPER_WORDS - 1] >> (NHELPERS % 64));
}

/* --- several ------------------------------------------------------------------------------ */

void codejob_join(const Buf *const parts[], u32 n, Buf *to)
{
    put_number(to, MANY, 4);
    for (u32 i = 0; i < n; i++) {
        put_bytes(to, parts[i]->data, parts[i]->len);
        to->failed |= parts[i]->failed;
    }
}

bool codejob_split(const u8 *bytes, size_t len, Bytes parts[NHELPERS], u32 *n)
{
    In in = {bytes, len, false};
    const u64 magic = get_number(&in, 4);
    for (*n = 0; in.left && !in.failed && magic == MANY && *n < NHELPERS; ++*n)
        parts[*n] = get_bytes(&in);
    return !in.failed && !in.left && magic == MANY;
}
