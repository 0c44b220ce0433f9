/* optionwords.h -- the options of a build: the text that clBuildProgram gets and images keep, as
 * words.
 */
#ifndef OBJ_OPTIONWORDS_H
#define OBJ_OPTIONWORDS_H
#include "base/mem.h"

/* Splits a text into words at white space that no quotes or backslash protect.  The words point
 * into *store.  False: a quote is not closed, or, with store->failed, out of memory;
 * there are no words then. */
bool options_split(const char *text, Buf *store, const char ***words, size_t *n);
/* Appends the text that options_split() splits into these words. */
void options_join(const char *const *words, size_t n, Buf *to);

/* Whether the word after this one is its value, as after -D. */
bool options_takes_word(const char *word);

/* Whether the text, which may be NULL, has the option; values of others, as of -D, are none.  An
 * option that ends in `=' is one that a value follows: *value is that of the last. */
bool options_have(const char *text, const char *option, Buf *value);
#endif
