/* entries.h -- which code is compiled, and when.
 *
 * An entry is a pc where compiled code can be entered: the start of warps, or the target of a jump
 * that the interpreter took.  It is kept for each pc, version (all lanes on or not; registers as
 * they begin or not) and machine; the start also for each kernel, because the start code jumps to
 * it.
 *
 * First there is quick code, then optimised code for what turns out to run long.
 *
 * Code is made by whoever needs it (`waits`), or by a thread of its own for those that are hot;
 * that thread holds no lock while the maker works, so nobody waits for it, who changes code or
 * closes the engine included.
 */
#ifndef JIT_ENTRIES_H
#define JIT_ENTRIES_H
#include "jit/maker.h"
#include <pthread.h>

typedef enum { COLD, QUEUED, READY, FAILED } CodeState; /* the last two are final */

typedef struct Entry Entry;
struct Entry {
    u32 pc, callee;
    u8 lanes, vm;
    bool full, fresh;       /* fresh: for warps that begin */
    _Atomic u64 heat;       /* instructions interpreted that began here */
    _Atomic u64 ran;        /* in quick code */
    Region *region;         /* when some code is READY */
    const Uop **uop;        /* HostEnv.uop */
    _Atomic int state[NCODES];
    Loaded code[NCODES];
    Entry *next;            /* of the same pc */
    Entry *queued[NCODES];
};

typedef struct {
    _Atomic(Entry *) at[PAGE_UOPS];
} EntryPage;

typedef enum { FLAGS_UNKNOWN, FLAGS_UNREAD, FLAGS_READ } FlagsUse;

/* Who makes code: a thread of its own, or whoever waits. */
typedef struct {
    struct Entries *table;
    pthread_mutex_t making; /* held by who makes code */
    pthread_cond_t wanted;
    pthread_t thread;
    bool has_thread;
    Entry *queue[NCODES];
    Entry *current;         /* whose code is being made; NULL: nobody's, or it was forgotten meanwhile */
} Worker;

typedef struct Entries {
    Code *code;
    Memory *memory;
    const char *level;      /* of host vector instructions */
    Maker *maker;           /* opened when something is compiled for the first time */
    _Atomic bool broken;    /* nothing can be compiled */
    bool waits, only_quick, only_full;
    _Atomic int flags;      /* FlagsUse: whether code reads the flags of floats; known when something is compiled */
    int flags_before;       /* code changed */
    pid_t owner;            /* a forked child has no compiling thread, and leaves all this alone */
    pthread_mutex_t stable; /* held while decoded code must stay, or changes; taken before `lock` */
    pthread_mutex_t lock;   /* of what follows, and of entries' making */
    Worker worker[2];       /* of quick code, of the other kinds */
    bool is_closing;
    _Atomic u64 regions, cached, nanoseconds;
    _Atomic(EntryPage *) page[CODE_PAGES];
} Entries;

void entries_open(Entries *t, Code *code, Memory *memory, const char *level, bool waits);
void entries_close(Entries *t);

/* The entry for warps of the launch, made if need be.  NULL: no code can be there, or no memory. */
Entry *entries_find(Entries *t, u32 pc, u32 callee, bool full, bool fresh, const Launch *l);
/* The best code there is of it; at_header: that can be entered at headers of cycles.  NULL: none
 * yet.  What is hot is asked for. */
HostCode *entries_code(Entries *t, Entry *e, bool at_header);

/* Before a launch: code that was compiled while nobody read flags goes, when there is somebody
 * now. */
void entries_settle(Entries *t);
/* Forgets what was made of code pages first..last, whose code changes.  No launch runs; `stable` is
 * held. */
void entries_forget(Entries *t, u32 first, u32 last);
#endif
