/* request.h -- the messages between host and compiler process: a request, a reply.
 *
 * Both are bytes: numbers little-endian in 4 or 8, texts and other bytes with their length before
 * them, texts with a NUL that the length does not count.  A reader trusts nothing: a length beyond
 * the end, an unknown number, a text without its NUL, or bytes that are left over make the whole
 * message unreadable.
 */
#ifndef COMP_REQUEST_H
#define COMP_REQUEST_H
#include "comp/comp.h"
#include "proc/proc.h"
#include <time.h>

/* The files of a job: the request, the reply, complaints before an untimely end. */
enum { JOB_FILES = 3 };
/* Exit status of the process when it ran out of memory. */
enum { NO_MEMORY = 3 };

/* The kinds of requests. */
typedef enum { REQUEST_COMPILE, REQUEST_LINK, REQUEST_DESCRIBE, REQUEST_KINDS } RequestKind;

/* Bytes of another owner. */
typedef struct {
    const u8 *data;
    size_t len;
} Bytes;

/* A request to the compiler's process. */
typedef struct {
    RequestKind kind;
    CompOptions opt;        /* without cache and dump_to; clang is there */
    ProcLimits limits;      /* of clang */
    const Bytes *inputs;    /* one source, or bitcodes */
    size_t ninputs;
    void *made;             /* arrays that request_read made: request_free */
} Request;

/* Writes a request in two parts: `key` is all that the result depends on, besides the files that
 * are read; `rest` is the rest.  failed of a Buf: out of memory. */
void request_write(const Request *r, Buf *key, Buf *rest);
/* Reads both parts, one after the other in bytes, into which r will point.  False: they are no
 * request, or out of memory. */
bool request_read(const u8 *bytes, size_t len, Request *r);
void request_free(Request *r);

/* Which files a compilation looked for, each with what it found (depends.c); bytes of a reply. */
typedef struct {
    bool ok;                /* there is a product */
    bool files_known;       /* `files` is complete */
    Bytes messages;         /* kind and text, one after the other: reply_tell */
    Bytes files, views, product;
} Reply;

/* Writes a reply as bytes. */
void reply_write(const Reply *r, Buf *to);
/* Reads a reply; r will point into bytes.  False: it is none, and nothing in r may be used. */
bool reply_read(const u8 *bytes, size_t len, Reply *r);
/* Gives the messages to d. */
void reply_tell(const Reply *r, Diag *d);
/* Appends a message to the buffer that becomes Reply.messages. */
void reply_note(Buf *messages, DiagKind kind, const char *text);

/* --- files that were looked at --- */

/* log: clang's list of files, for each a kind (FILE_READ and so on) and a path, which ends in a
 * NUL; since: a time before clang began.  Appends to `files` what each of them is now.  False: that
 * may not be what clang found, because one has changed meanwhile or is no ordinary file. */
typedef enum { FILE_READ = 'r', FILE_THERE = 'e', FILE_ABSENT = '-', FILE_OTHER = '?' } FileKind;
bool files_note(Bytes log, const struct timespec *since, Buf *files);
/* Whether all files are still as `files` says. */
bool files_hold(Bytes files);
#endif
