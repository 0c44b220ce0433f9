/* irtext.h -- words that the printer and the parser of the text form share
 * (doc/ir.md, "Text form"). */
#ifndef CC_IRTEXT_H
#define CC_IRTEXT_H
#include "cc/ir.h"

extern const char *const irtext_cmp[6];   /* by Cmp */
extern const char *const irtext_space[5]; /* by Space */
extern const char *const irtext_width[5]; /* by bytes; NULL: no such width */

/* Whether a row's mnemonic is also the name of an operation of ir.def; its text then
 * begins with "x.". */
bool irtext_shares_name(const char *mnemonic);

/* Whether c may be in the name of a symbol that is written without quotes. */
bool irtext_is_name(char c);

/* Whether the last operand of a generic operation is an address in brackets. */
bool irtext_has_address(const Ins *i);
#endif
