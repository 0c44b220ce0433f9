/* hotlist.h -- which kernels of a program earlier runs have left code for, or how long they interpreted them. */
#ifndef JIT_HOTLIST_H
#define JIT_HOTLIST_H
#include "jit/entries.h"

/* Makes the entries that the list on the disk names for the code that is in the window; `stable` is held, and nothing is
 * read yet. */
void hotlist_read(Entries *t);
/* Writes the list, if there is something new to say; `stable` is held. */
void hotlist_write(Entries *t);
#endif
