/* indexnote.h -- variables that note indices beyond their arrays, in images that were compiled for
 * the check for bounds (-ventus-apart): ll/indexnotes.c makes them, check/indices.c reads them.
 *
 * Their names begin with INDEX_NOTE.  The program stores such an index into the first word.
 */
#ifndef OBJ_INDEXNOTE_H
#define OBJ_INDEXNOTE_H

#define INDEX_NOTE ".index"

/* bytes into the variable */
enum {
    INDEX_KIND = 4, /* a word: the bits of the index's type, and INDEX_SIGNED */
    INDEX_TYPE = 8  /* the array's type as clang names it, in quotes, and a NUL */
};
enum { INDEX_SIGNED = 256 };
#endif
