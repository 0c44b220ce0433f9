/* load.h -- host code from a relocatable object into executable memory. */
#ifndef JIT_LOAD_H
#define JIT_LOAD_H
#include "base/base.h"

typedef void HostFunction(void); /* of any type, cast to its own */

/* Code in memory, which is readable and executable, never writable. */
typedef struct {
    void *block;            /* NULL: none */
    size_t size;
    HostFunction *entry;
} Loaded;

/* Loads a relocatable ELF file of this host whose function `symbol` is wanted.  The file is checked,
 * but its instructions are not.  False: *why tells why not, in a text that is not freed. */
bool code_load(const u8 *object, size_t len, const char *symbol, Loaded *to, const char **why);
void code_unload(Loaded *l); /* one without a block is allowed */
#endif
