/* lex.h -- characters, blanks, comments and names; no state. */
#ifndef ASM_LEX_H
#define ASM_LEX_H
#include "base/base.h"

/* Classes of characters. */
enum { C_BLANK = 1, C_IDENT = 2, C_DIGIT = 4, C_HEX = 8, C_OPERATOR = 16 };
extern const u8 lex_class[256];

static inline bool is_class(char c, int classes) { return lex_class[(u8)c] & classes; }
static inline bool is_ident(char c) { return is_class(c, C_IDENT); }
static inline bool is_digit(char c) { return is_class(c, C_DIGIT); }
static inline bool is_hex(char c) { return is_class(c, C_HEX); }
static inline bool is_ident_start(char c) { return lex_class[(u8)c] & C_IDENT && !is_digit(c); }

/* Past blanks and block comments; stays before a comment that has no end. */
const char *lex_space_slow(const char *p);
static inline const char *lex_space(const char *p)
{
    return is_class(*p, C_BLANK) || *p == '/' ? lex_space_slow(p) : p;
}

/* Whether a statement ends here: newline, ';', a line comment, the end of the text. */
static inline bool lex_at_end(const char *p)
{
    return !*p || *p == '\n' || *p == ';' || *p == '#' || (*p == '/' && p[1] == '/');
}

/* Past the name at p; p itself when there is none. */
static inline const char *lex_ident(const char *p)
{
    if (is_ident_start(*p))
        while (is_ident(*p))
            p++;
    return p;
}

const char *lex_digits(const char *p); /* past the decimal digits */
const char *lex_hex(const char *p);

/* At the terminator of the statement that p is in, over strings and comments. */
const char *lex_skip_statement(const char *p);
/* From a terminator to the next statement, or to the NUL. */
const char *lex_next_statement(const char *p);
/* At the newline or NUL that ends the line. */
const char *lex_line_end(const char *p);

/* 0..15 */
int lex_hex_value(char c);
#endif
