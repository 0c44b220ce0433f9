/* wire.h -- the messages between caller and server over the control socket. */
#ifndef PROC_WIRE_H
#define PROC_WIRE_H
#include "proc/proc.h"
#include <sys/types.h>

/* The descriptors that come with a call: the socket for the result, the directory, the files of the
 * job. */
enum { CALL_RESULT, CALL_DIRECTORY, CALL_FILES, CALL_MAX = CALL_FILES + PROC_MAX_FILES };

/* The server answers twice: PROC_BEGUN when the job runs, then how it ended.  A job that comes to
 * its end says so itself, which may come before either. */
typedef struct {
    ProcLimits limits;
    u32 nfiles, zero; /* zero: where padding would be */
} ProcCall;
static_assert(sizeof(ProcCall) == sizeof(ProcLimits) + 2 * sizeof(u32), "the message has no padding");

typedef struct {
    ProcCall call;
    int fd[CALL_MAX];
    u32 n; /* of fd, which are the receiver's to close */
} ProcReceived;

/* Sends a call with its n descriptors.  0, EPIPE when nobody receives, or another errno. */
int proc_send_call(int to, const int fd[], u32 n, const ProcCall *call);

/* Receives a call.  What recvmsg() says, but 1 for a message; whether that is a whole call. */
ssize_t proc_receive_call(int from, ProcReceived *r, bool *whole);

/* In a child: fd[i] becomes descriptor i, keep (or -1) the one that follows; everything else is
 * closed but for `nspares` higher ones from `spare` on. */
bool proc_arrange(const int fd[], u32 n, int keep, int spare, int nspares);
#endif
