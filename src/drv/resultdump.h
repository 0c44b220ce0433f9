/* resultdump.h -- VENTUS_DUMP_RESULT: device-to-host copies as JSON.
 *
 *     [{"address": "0x90000000", "size": 8, "data": {"0x90000000": "0x00000001", ...}}, ...]
 *
 * The file is complete after every copy.
 */
#ifndef DRV_RESULTDUMP_H
#define DRV_RESULTDUMP_H
#include "base/base.h"

typedef struct ResultDump ResultDump;

/* Empties the file.  NULL: it cannot be written, or out of memory. */
ResultDump *resultdump_open(const char *path);
void resultdump_close(ResultDump *r); /* NULL is allowed */
/* Appends a copy of size bytes from device address addr.  False: it could not. */
bool resultdump_add(ResultDump *r, u64 addr, const void *bytes, u64 size);
#endif
