/* clang_job.h -- the input of a process of clang.
 *
 * The job is a file: numbers of words and headers; the words of the command, each with its NUL; of
 * each header its size and contents.  Numbers are the machine's own, 4 bytes and 8, for the file
 * never leaves it.
 */
#ifndef LL_CLANG_JOB_H
#define LL_CLANG_JOB_H
#include "base/base.h"

/* Descriptors of the process; header i becomes CLANG_HEADERS + i. */
enum { CLANG_SOURCE, CLANG_BITCODE, CLANG_MESSAGES, CLANG_JOB, CLANG_LOG, CLANG_HEADERS };

/* In the process: makes the headers' files and returns the command, for argc and argv; NULL: errno
 * says why. */
char **clang_job_read(int *argc);
#endif
