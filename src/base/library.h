/* library.h -- the project's own shared libraries, loaded when they are first needed. */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

/* The object `symbol` of library `name`, which is searched beside this program or library, in
 * ../lib from there, and where the system looks; it stays loaded.  NULL: *why says why not, in a
 * text that lives until the thread's next call. */
const void *library_symbol(const char *name, const char *symbol, const char **why);
#endif
