/* entries.h -- which code is compiled, and when.
 *
 * An entry is a pc where compiled code can be entered: the start of warps, or the target of a jump
 * that the interpreter took.  It is kept for each pc, version (all lanes on or not; registers as
 * they begin or not) and machine; the start also for each kernel, because the start code jumps to
 * it.
 *
 * First there is quick code, then optimised code for what turns out to run long.  What the disk has
 * is taken sooner.  Quick code on the disk says that an earlier program ran long there, and optimised
 * code is asked for at once.
 *
 * Code is made by the thread that needs it (`waits`), or for hot entries by a worker, a thread of
 * its own.  A worker holds no lock while the maker works, so that no other thread waits for it, not
 * even to change code.  Closing the engine waits for a while, so that the next program finds what this
 * one has asked for: without, programs that run for a tenth of a second would never have it.
 */
#ifndef JIT_ENTRIES_H
#define JIT_ENTRIES_H
#include "jit/maker.h"
#include <pthread.h>

typedef enum { COLD, QUEUED, READY, FAILED } CodeState; /* the last two are final */

/* A pc in one version, with its code of each kind. */
typedef struct Entry Entry;
struct Entry {
    u32 pc, callee;
    u8 lanes, vm;
    WarpShape warp;
    _Atomic u32 size;       /* of the region, for who may not look at that yet; 0: there is none */
    _Atomic bool was_hot;   /* its quick code was on the disk */
    _Atomic bool has_looked; /* for some there */
    bool is_away;           /* its code has left the window; guarded by `stable` */
    _Atomic bool is_hot;    /* earlier runs had code for it (hotlist.c) */
    Region *region;         /* when some code is READY */
    const Uop **uop;        /* HostEnv.uop */
    _Atomic int state[NCODES];
    bool is_bequeathed[NCODES]; /* that code is made for the disk, or was */
    Loaded code[NCODES];
    Entry *next;            /* of the same pc */
    Entry *queued[NCODES];
    char before[64];        /* what threads write often is in no cache line with what they read */
    _Atomic u64 heat;       /* nanoseconds for which it was interpreted from here */
    _Atomic u64 ran;        /* in quick code */
    char behind[48];
};

/* The entries of a code page: a list for each pc. */
typedef struct {
    _Atomic(Entry *) at[PAGE_UOPS];
} EntryPage;

/* Goes through the entries of so many pages; the one that it returned last may be freed. */
typedef struct {
    _Atomic(EntryPage *) *page;
    u32 n;                  /* pages */
    u32 p, i;               /* where it goes on: begins with 0 */
    Entry *next;
} EntryWalk;
Entry *entries_next(EntryWalk *w); /* NULL: there are no more */

/* Whether guest code reads the flags of floats. */
typedef enum { FLAGS_UNKNOWN, FLAGS_UNREAD, FLAGS_READ } FlagsUse;

/* Code that was asked for by an entry which is gone or away: it is made for the disk alone. */
typedef struct Bequest Bequest;
struct Bequest {
    MakerOrder order;
    Bequest *next;
};

/* The making of code, by a thread of its own or by one that waits for the code: of quick code, of
 * the other kinds, by several when the engine ends; and the taking of code from the disk, by threads that need it. */
enum { OF_QUICK, OF_FULL, LOOKER, LATE, NWORKERS = LATE + 3 };
typedef struct Worker {
    struct Entries *table;
    struct Worker *of;      /* from whose queue and bequests it takes: its own; OF_FULL's, if it is a LATE one */
    pthread_mutex_t making; /* held while code is made */
    pthread_cond_t wanted;
    pthread_t thread;
    bool has_thread;
    Entry *queue[NCODES];
    Bequest *bequests;      /* made when the queues are empty */
    Entry *current;         /* whose code is being made; NULL: none's, or it was forgotten since */
    bool is_busy;           /* the thread makes some, also for an entry that was forgotten */
} Worker;

/* Nanoseconds for which an entry was interpreted, of the threads together. */
enum {
    HEAT_LUKEWARM = 300000,  /* look whether the disk has code */
    HEAT_HOT = 2000000,      /* make quick code */
    HEAT_HOTTEST = 100000000 /* optimise, whether or not there is quick code yet */
};

/* What is known of the program that is in the code window from earlier runs (hotlist.c). */
enum { MOST_HOT = 64 };
typedef struct {
    _Atomic bool has_begun; /* the code was launched */
    _Atomic bool is_read;   /* what follows is there, and stays as long as the code does */
    u64 program;            /* a hash of the code */
    Entry *entry[MOST_HOT]; /* that earlier runs had code for */
    u32 n;
    u64 known;              /* a hash of what the list on the disk says; `stable` is held */
} Hotlist;

/* All entries of an engine. */
typedef struct Entries {
    Code *code;
    Memory *memory;
    const char *level;      /* of host vector instructions */
    Maker *maker;           /* opened when something is compiled for the first time */
    _Atomic bool broken;    /* nothing can be compiled */
    bool waits, only_quick, only_full;
    _Atomic int flags;      /* FlagsUse; known when something is compiled */
    int flags_before;       /* flags, before code changed */
    pid_t owner;            /* a forked child has no compiling thread, and leaves all this alone */
    pthread_mutex_t stable; /* held while decoded code must stay, or changes; taken before `lock` */
    Hotlist hotlist;
    pthread_mutex_t lock;   /* of what follows, and of entries' making */
    Worker worker[NWORKERS];
    pthread_cond_t made;    /* some code, or not; the maker is open */
    bool is_closing;
    bool expects;           /* code: OF_QUICK's thread has the maker begin */
    bool runs_again;        /* quick code was on the disk */
    u32 end;                /* pages from here on are NULL */
    _Atomic u64 regions, cached, given_up, nanoseconds;
    _Atomic(EntryPage *) page[CODE_PAGES];
} Entries;

/* The table of an engine; waits: launches wait for code. */
void entries_open(Entries *t, Code *code, Memory *memory, const char *level, bool waits);
void entries_close(Entries *t);
/* Waits for code that has been asked for and will be kept on the disk: four seconds at most, or ten, if quick code
 * came from there.  Other processors make what one has not begun. */
void entries_finish(Entries *t);

/* The entry for warps of so many lanes, made if need be.  NULL: no code can be there, or out of
 * memory. */
Entry *entries_find(Entries *t, u32 pc, u32 callee, WarpShape s, u32 lanes, VmRule vm);
/* The best code there is of it; at_header: that can be entered at headers of cycles.  NULL: none
 * yet.  What is hot is asked for. */
HostCode *entries_code(Entries *t, Entry *e, bool at_header);

/* Begins in the background what takes time before the first code can be made, as some will be. */
void entries_expect(Entries *t);

/* Before a launch: forgets code that was compiled while guest code did not read flags, if it reads
 * them now. */
void entries_settle(Entries *t);
/* Before a launch of the kernel at callee, whose warps begin at pc: takes from the disk what earlier runs have left
 * there for it. */
void entries_prepare(Entries *t, u32 pc, u32 callee, const Launch *l);
/* Forgets what was made of code pages first..last, whose code changes.  No launch runs; `stable` is
 * held. */
void entries_forget(Entries *t, u32 first, u32 last);

/* The entries of code that has left the window for a while. */
typedef struct EntriesKept EntriesKept;
/* Takes all entries out of the table, before their code leaves, and puts them back into one without entries, which frees
 * k, when the same code is there.  No launch runs; `stable` is held.  entries_keep() may be NULL: they are
 * forgotten. */
EntriesKept *entries_keep(Entries *t);
void entries_put_back(Entries *t, EntriesKept *k);
void entries_kept_free(Entries *t, EntriesKept *k); /* NULL is allowed */
#endif
