/* library.h -- the project's own shared libraries, loaded when they are first needed. */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

/* The object `symbol` of library `name`, which lies beside this program or library, in ../lib from
 * there, or where the system looks; it stays loaded.  NULL: *why tells why not, in a text that lives
 * until the next call of this thread. */
const void *library_symbol(const char *name, const char *symbol, const char **why);
#endif
