/* codejob.h -- what an engine asks of the maker, the process that makes host code, and the answer.
 *
 * A request has the words of guest code that a region was found in, and nothing decoded: the maker
 * finds the region again, by the same functions, and the digests show that both found the same.  So
 * a request has all that the code depends on but the host, and is the key of finished code as well
 * (maker.c).
 */
#ifndef JIT_CODEJOB_H
#define JIT_CODEJOB_H
#include "comp/request.h"
#include "jit/hostcode.h"

/* The files of a job: the request or several, the answers, complaints before an untimely end. */
enum { CODEJOB_REQUEST, CODEJOB_ANSWER, CODEJOB_COMPLAINT, CODEJOB_FILES };

/* A job: code of a region, or a helper. */
typedef struct {
    char level[8];          /* of the host's vector instructions (LaneLevel.name) */
    const Region *region;   /* NULL: a helper */
    CodeKind kind;
    u32 helper;             /* its number */
} CodeJob;

/* code: that the region was found in, with its words in memory.  to->failed: out of memory. */
void codejob_write(const CodeJob *j, const Code *code, Buf *to);

/* A request that was read, with what it took to find its region. */
typedef struct {
    CodeJob job;
    Memory memory;
    Code *code;
    Region *region;
} ReadJob;

/* False: the bytes are no request, or out of memory.  In any case codejob_close() frees r. */
bool codejob_read(const u8 *bytes, size_t len, ReadJob *r);
void codejob_close(ReadJob *r);

/* The answer to a job. */
typedef struct {
    u64 digest;             /* of the region; 0: of a helper */
    u64 helpers[HELPER_WORDS]; /* that the code calls, a bit each */
    u64 nanoseconds;        /* of processor time that it took */
    Bytes object;           /* relocatable ELF of the host with the function `code` */
} CodeAnswer;

/* Several requests of one job, or their answers in the same order, as one; at most NHELPERS.  False:
 * the bytes are no such thing.  The parts, of which there are *n, lie in bytes. */
void codejob_join(const Buf *const parts[], u32 n, Buf *to);
bool codejob_split(const u8 *bytes, size_t len, Bytes parts[NHELPERS], u32 *n);

#define CODE_SYMBOL "code"

void codeanswer_write(const CodeAnswer *a, Buf *to);
/* The object is in bytes.  False: they are no answer. */
bool codeanswer_read(const u8 *bytes, size_t len, CodeAnswer *a);
#endif
