/* transfer.h -- copies between boxes of bytes, which reads, writes, copies and fills of buffers and images
 * are. */
#ifndef CL_TRANSFER_H
#define CL_TRANSFER_H
#include "cl/cl.h"

/* Transfers of up to so many bytes run at once, on the caller's thread, if they wait for nothing: it
 * takes about as long to wake another one. */
enum { QUICK_BYTES = 1 << 20 };

/* Where a box lies: its rows are row_pitch bytes apart, its slices slice_pitch. */
typedef struct {
    u64 offset; /* of the first byte */
    u64 row_pitch, slice_pitch;
} Place;

typedef struct {
    ClQueue *queue;   /* the event's; not held */
    ClMem *from, *to; /* NULL: the host */
    u8 *host;
    Place source, target;
    u64 row, rows, slices;
    u8 pattern[128];  /* of a fill: row bytes of it */
    u32 pattern_size; /* 0: no fill */
} Transfer;

/* Flags of objects that the host must not read, or write. */
enum {
    NO_READ = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS,
    NO_WRITE = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS
};

/* Sets the region, a row in bytes; rows, and slices, without gaps between them become one row. */
void transfer_region(Transfer *t, const size_t region[3]);
/* Whether two boxes share a byte. */
bool boxes_overlap(const ClMem *a, const Place *p, const ClMem *b, const Place *q,
                   const size_t region[3]);
/* Enqueues a transfer like `plan`, on the objects that it names. */
cl_int transfer_start(ClQueue *q, cl_command_type type, const Transfer *plan, Waits w,
                      bool blocking, cl_event *event);
#endif
