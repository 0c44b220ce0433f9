/* proof.h -- what the proof of allocation (verify.c) and the places of variables (locate.c) share:
 * sets of things (sets.c), and the state of a proof. */
#ifndef CC_PROOF_H
#define CC_PROOF_H
#include "cc/cc.h"

/* Sets of things, each stored once, so that equal sets have equal numbers.  0 is the empty set. */
typedef struct {
    u32 first, n;
} Set;

/* What came out when `other`, a thing or a set, was added to, removed from or intersected with set
 * a. */
typedef enum { NOTHING, WITH, WITHOUT, COMMON } How;
typedef struct {
    u32 how, a, other, result;
} Known;

typedef struct {
    u32 *pool; /* things of all sets, ascending in each */
    size_t npool, cappool;
    Set *set;
    size_t nset, capset;
    u32 *bucket; /* hash table of 1 + set */
    size_t nbucket;
    u32 *list; /* of a set being made */
    size_t caplist;
    Known known[1024]; /* by a hash of the question */
    bool failed;
    bool full; /* MOST things are not enough */
} Sets;

u32 hash_words(const u32 *list, u32 n);
/* Adds the empty set. */
void sets_init(Sets *s);
void sets_free(Sets *s);
bool set_has(const Sets *s, u32 set, u32 thing);
u32 set_with(Sets *s, u32 set, u32 thing);
u32 set_without(Sets *s, u32 set, u32 thing);
u32 set_common(Sets *s, u32 a, u32 b);

/* --- the proof (verify.c) ---------------------------------------------------------------- */

typedef struct {
    const Func *before, *after;
    const Target *target;
    Buf *why;
    bool bad;
    Sets sets;
    u32 *thing;    /* of each value: itself, or the constant that it always is */
    Ins *constant; /* their things have the numbers after those of values and registers */
    size_t nconstant, capconstant;
    u32 bucket[1024], *chain; /* of hashes: 1 + constant; of each constant: the next one */
    size_t capchain;
    u32 nplace;         /* registers, words of the scalar frame, words of private memory */
    u32 *top;           /* of each block: the set of each place at its start */
    u32 *now;           /* the same where the proof is */
    bool *seen, *dirty; /* of each block: top is set; top has changed */
    size_t words;       /* u64 words of a set of scalar places */
    u64 *writes;        /* of each block: the scalar places that it writes */
    u64 *lost;          /* of each block, for both edges: the scalar places they do not carry */
    u32 *stack, *side;  /* as in live.c */
    u32 nside;
    u32 block;
    size_t at; /* instruction being looked at, in `after` */
    struct Locate *locate; /* locate.c; NULL: there are no notes */
} Proof;

/* The number of a constant that *i makes. */
u32 proof_constant(Proof *p, const Ins *i);
/* What makes it; NULL: the thing is no constant. */
const Ins *proof_constant_of(const Proof *p, u32 thing);
/* A source in the program before; 0: neither value nor register. */
u32 proof_thing(const Proof *p, Ref r);

/* --- variables of the source (locate.c) -------------------------------------------------- */

/* Finds nothing to do, and leaves Proof.locate NULL, if the program before has no notes.  False:
 * out of memory. */
bool locate_init(Proof *p);
void locate_free(Proof *p);
/* What happens to notes while the proof goes over a block: it begins; a note of the program before
 * holds; a thing is written anew; instruction `at` of the program after comes next; it ends. */
void locate_begin(Proof *p);
void locate_note(Proof *p, const Note *n);
void locate_forget(Proof *p, u32 thing);
void locate_before(Proof *p, size_t at);
/* The state reaches block b; whether that changes what is known there.  first: nothing was. */
bool locate_flow(Proof *p, u32 b, bool first);
void locate_end(Proof *p);
/* The proof is done: from now on notes are written to `to`, the program after, block by block. */
void locate_write(Proof *p, Func *to);
#endif
