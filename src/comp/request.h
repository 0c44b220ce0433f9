/* request.h -- what is said between host and compiler process: a request, a reply.
 *
 * Both are bytes: numbers little-endian in 4 or 8, texts and other bytes with their length before them, texts with a NUL
 * that the length does not count.  Whoever reads believes nothing: a length beyond the end, an unknown number, a text
 * without its NUL, or bytes that are left over make the whole unreadable.
 */
#ifndef COMP_REQUEST_H
#define COMP_REQUEST_H
#include "comp/comp.h"
#include "proc/proc.h"
#include <time.h>

/* The files of a job: the request, the reply, complaints before an untimely end. */
enum { JOB_FILES = 3 };
/* Exit status of the process when memory was out. */
enum { NO_MEMORY = 3 };

typedef enum { REQUEST_COMPILE, REQUEST_LINK, REQUEST_DESCRIBE, REQUEST_KINDS } RequestKind;

typedef struct {
    const u8 *data;
    size_t len;
} Bytes;

typedef struct {
    RequestKind kind;
    CompOptions opt;        /* without cache and dump_to; clang is there */
    ProcLimits limits;      /* of clang */
    const Bytes *inputs;    /* one source, or bitcodes */
    size_t ninputs;
    void *made;             /* arrays that request_read made: request_free */
} Request;

/* Two parts: what the result depends on, which with the files that were read makes the key of the cache, and
 * the rest.  to->failed: out of memory. */
void request_write(const Request *r, Buf *key, Buf *rest);
/* Pointers into bytes, which is both parts one after the other.  False: it is none, or out of memory. */
bool request_read(const u8 *bytes, size_t len, Request *r);
void request_free(Request *r);

/* Which files a compilation looked for, each with what it found (depends.c); bytes of a reply. */
typedef struct {
    bool ok;                /* there is a product */
    bool files_known;       /* files says all that was looked at */
    Bytes messages;         /* kind and text, one after the other: reply_tell */
    Bytes files, views, product;
} Reply;

void reply_write(const Reply *r, Buf *to);
/* Pointers into bytes.  False: it is none; nothing in r may be used. */
bool reply_read(const u8 *bytes, size_t len, Reply *r);
/* Gives the messages to d. */
void reply_tell(const Reply *r, Diag *d);
/* A message into the buffer that becomes Reply.messages. */
void reply_note(Buf *messages, DiagKind kind, const char *text);

/* --- files that were looked at --- */

/* log: of clang, a kind and a path, NUL-terminated, for each: FILE_READ and so on; since: the time before clang
 * began.  Appends what they are now to `files`.  False: that cannot be told, because one of them
 * changed meanwhile or is no ordinary file. */
typedef enum { FILE_READ = 'r', FILE_THERE = 'e', FILE_ABSENT = '-', FILE_OTHER = '?' } FileKind;
bool files_note(Bytes log, const struct timespec *since, Buf *files);
/* Whether everything is as it was. */
bool files_hold(Bytes files);
#endif
