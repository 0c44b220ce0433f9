/* helperkind.h -- helpers, functions in host code that regions call: which there are, and their numbers. */
#ifndef JIT_HELPERKIND_H
#define JIT_HELPERKIND_H
#include "isa/isa.h"

/* Each helper is made when a region first needs it (helpers.c).  From the named numbers on they look for rows, access memory,
 * load streams, and access words near each other. */
enum {
    ROW_HELPERS = 1,
    ACCESS_HELPERS = ROW_HELPERS + 2 * 2,
    STREAM_HELPERS = ACCESS_HELPERS + 4 * 2 * 2 * 5,
    CLUSTER_HELPERS = STREAM_HELPERS + 4,
    NHELPERS = CLUSTER_HELPERS + 4 * 2 * 4,
    HELPER_WORDS = (NHELPERS + 63) / 64
};

/* They are called with all registers of the host kept, but for accesses on hosts
 * of short vectors, which are called like any function.  KEEP calls one of
 * HostEnv; ROW asks for a row of lanes that is not in the range remembered, by stores and flat;
 * ACCESS is a vector access, by all else (vecmem.c); STREAM loads words before lanes ask for them, by
 * lanes (stream.c); CLUSTER accesses words near each other, by stores, words and lanes (cluster.c). */
typedef enum {
    HELPER_KEEP, HELPER_ROW, HELPER_ACCESS, HELPER_STREAM, HELPER_CLUSTER
} HelperKind;
typedef struct {
    HelperKind kind;
    bool stores, flat, full;
    Op op;                  /* b h w bu hu */
    u32 words;              /* of a cluster: 4, 8, 12 or 16 that are loaded, 2 to 4 or 8 that are stored */
    u32 lanes;
} Helper;

/* Helpers are numbered, for HostEnv.helper. */
u32 helper_number(const Helper *h);
Helper helper_of(u32 number);

/* Those that most code calls: for words of 32 lanes, a bit each by number. */
void helpers_usual(u64 set[HELPER_WORDS]);
#endif
