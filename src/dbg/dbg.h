/* dbg.h -- a debugger's server: gdb leads launches, forwards and backwards.
 *
 * `dbg_kind` is an engine that runs groups one after the other by the interpreter's steps, under
 * the control of a Debugger that was attached to it.  The Debugger speaks the remote protocol of
 * gdb.  Threads of the protocol are the lanes of the group that runs (decision 038).
 */
#ifndef DBG_DBG_H
#define DBG_DBG_H
#include "dev/dev.h"

typedef struct Debugger Debugger;

/* Runs launches under the Debugger that dbg_attach() gave it; without one, as the interpreter. */
extern const EngineKind dbg_kind;

/* Where the protocol's bytes go.  The functions may block; `read` returns the number of bytes, 0
 * if there is none within `milliseconds` (0: at once), or a negative number when the other side is
 * gone. */
typedef struct {
    void *self;
    int (*read)(void *self, void *to, size_t most, int milliseconds);
    bool (*write)(void *self, const void *bytes, size_t n);
    void (*close)(void *self);
} DbgStream;

/* A terminal: what is shown, and the keys that are pressed (-1: there are no more). */
typedef struct {
    void *self;
    bool colours;           /* it understands the sequences of ANSI; else screens come one below another */
    void (*write)(void *self, const void *bytes, size_t n);
    int (*key)(void *self);
} DbgScreen;

/* A Debugger that shows one warp of the first launch on a screen and steps it by keys.  NULL: out of
 * memory. */
Debugger *dbg_step(const DbgScreen *screen);
/* A Debugger that waits, at the first launch, for one connection to `address`: a TCP port of this
 * machine, or the path of a socket, which it makes.  `notice` is told, in a sentence, that it
 * waits.  NULL: d says why. */
Debugger *dbg_listen(const char *address, void (*notice)(void *self, const char *text), void *self,
                     Diag *d);
/* A Debugger that is connected.  NULL: out of memory; the stream is closed. */
Debugger *dbg_open(const DbgStream *stream);
/* The launches of the device, whose engine is of dbg_kind, are led by d from now on.  d serves one
 * launch at a time; the others wait. */
void dbg_attach(Debugger *d, Device *device);
/* Tells gdb that the program ended with that exit status; frees d.  NULL is allowed.  The devices
 * are closed. */
void dbg_close(Debugger *d, int status);
#endif
