/* hotlist.h -- which kernels of a program earlier runs have left code for. */
#ifndef JIT_HOTLIST_H
#define JIT_HOTLIST_H
#include "jit/entries.h"

/* Makes the entries that the list on the disk names for the code that is in the window; `stable` is held, and nothing is
 * read yet. */
void hotlist_read(Entries *t);
/* Writes the list, if there is code of more entries than it names; `stable` and `lock` are held, or no launch runs. */
void hotlist_write(Entries *t);
#endif
