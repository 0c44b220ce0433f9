/* check.h -- looks for mistakes of the guest while launches run (doc/checking.md).
 *
 * A Check watches a driver: it is told what lies in memory, and by an observer what each
 * instruction did.  It changes nothing that a program without mistakes can see.  What it finds
 * becomes reports, one a cause, which its owner prints.
 */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H
#include "drv/drv.h"

typedef enum {
#define CHECK(name, what) CHECK_##name,
#include "check/check.def"
    NCHECK
} CheckKind;

/* Whether one of them finds more where the program was compiled for checks (obj/notes.h). */
static inline bool check_wants_notes(u32 kinds)
{
    return kinds & (1u << CHECK_bounds | 1u << CHECK_init | 1u << CHECK_barrier);
}

typedef struct Check Check;

/* The checks that a list such as "race,bounds" names, as bits 1 << CheckKind; all of them for NULL,
 * "" and "all".  0: `bad` has a word that is no check. */
u32 check_parse(const char *list, char bad[32]);
/* The names of all, with commas between them. */
void check_names(Buf *to);

/* What a cause is called, and its full report. */
typedef struct {
    CheckKind kind;
    u64 count;              /* how often it was seen */
    const char *kernel, *file; /* of the place; NULL: not known */
    u32 line, column;
    const char *text;
} CheckReport;

/* Receives the causes that a launch showed for the first time, when it has ended; the report lives
 * as long as the Check. */
typedef void CheckSink(void *to, const CheckReport *r);

/* What is meant so (doc/checking.md). */
typedef struct CheckAllow CheckAllow;

/* Reads a text, or a file.  NULL: reported. */
CheckAllow *check_allow_read(const char *name, const char *text, Diag *d);
CheckAllow *check_allow_open(const char *file, Diag *d);
void check_allow_free(CheckAllow *a); /* NULL is allowed */

/* Watches a driver, before anything is allocated in it.  `allow`, or NULL, must stay until it is
 * closed.  NULL: out of memory. */
Check *check_open(Driver *d, u32 kinds, const CheckAllow *allow, CheckSink *sink, void *to);
/* When the driver is closed or idle; NULL is allowed. */
void check_close(Check *c);

/* The functions below may be called when no launch runs. */

/* Report number i, from 0, in the order in which they were first seen; false: there are no more. */
bool check_report(const Check *c, size_t i, CheckReport *r);
/* A line about all of them, and whether memory ran out; or "", if there is neither. */
void check_summary(const Check *c, Buf *to);
/* All of them as JSON.  False: out of memory. */
bool check_json(const Check *c, Buf *to);
#endif
