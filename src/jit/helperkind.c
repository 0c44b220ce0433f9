/* helperkind.c -- the numbers of helpers. */
#include "jit/helperkind.h"
#include "mach/machine.h"
#include <string.h>

u32 helper_number(const Helper *h)
{
    static const u8 widths[NOP] = {[OP_b] = 0, [OP_h] = 1, [OP_w] = 2, [OP_bu] = 3, [OP_hu] = 4};
    const u32 lanes = (u32)__builtin_ctz(h->lanes | 32) - 2;
    switch (h->kind) {
    case HELPER_KEEP: return 0;
    case HELPER_ROW: return ROW_HELPERS + h->stores * 2u + h->flat;
    case HELPER_STREAM: return STREAM_HELPERS + lanes;
    case HELPER_CLUSTER:
        return CLUSTER_HELPERS + (lanes * 2 + h->stores) * 4 +
               (!h->stores ? h->words / 4 - 1 : h->words == 8 ? 0 : h->words - 1);
    default: return ACCESS_HELPERS + ((lanes * 2 + h->stores) * 2 + h->full) * 5 + widths[h->op];
    }
}

Helper helper_of(u32 number)
{
    static const Op widths[] = {OP_b, OP_h, OP_w, OP_bu, OP_hu};
    const u32 row = number - ROW_HELPERS, n = number - ACCESS_HELPERS;
    if (number < ROW_HELPERS)
        return (Helper){.kind = HELPER_KEEP};
    if (number < ACCESS_HELPERS)
        return (Helper){.kind = HELPER_ROW, .stores = row >> 1, .flat = row & 1};
    if (number >= CLUSTER_HELPERS) {
        const u32 c = number - CLUSTER_HELPERS, words = c % 4 + 1; /* 1: stores of 8 */
        const bool stores = c / 4 & 1;
        return (Helper){.kind = HELPER_CLUSTER,
                        .op = OP_w,
                        .stores = stores,
                        .words = !stores ? 4 * words : words > 1 ? words : 8,
                        .lanes = 4u << c / 8};
    }
    if (number >= STREAM_HELPERS)
        return (Helper){
            .kind = HELPER_STREAM, .op = OP_w, .lanes = 4u << (number - STREAM_HELPERS)};
    return (Helper){.kind = HELPER_ACCESS,
                    .op = widths[n % 5],
                    .full = n / 5 & 1,
                    .stores = n / 10 & 1,
                    .lanes = 4u << n / 20};
}

static void add(u64 set[HELPER_WORDS], const Helper *h)
{
    const u32 n = helper_number(h);
    set[n / 64] |= (u64)1 << n % 64;
}

void helpers_usual(u64 set[HELPER_WORDS])
{
    memset(set, 0, HELPER_WORDS * sizeof *set);
    add(set, &(Helper){.kind = HELPER_KEEP});
    for (int i = 0; i < 4; i++) {
        const bool stores = i & 1, full = i & 2;
        add(set, &(Helper){.kind = HELPER_ROW, .stores = stores});
        add(set, &(Helper){.kind = HELPER_ACCESS,
                           .op = OP_w,
                           .stores = stores,
                           .full = full,
                           .lanes = MAX_LANES});
    }
}
