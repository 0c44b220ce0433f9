/* lex.c -- the characters of assembly text.  '#' and "//" start a comment anywhere
 * outside strings, as in GNU as for RISC-V. */
#include "asm/lex.h"
#include <string.h>

/* one row for sixteen characters; those above 127 are letters of other languages */
enum { B = C_BLANK, I = C_IDENT, X = I | C_HEX, D = X | C_DIGIT, O = C_OPERATOR };

const u8 lex_class[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, B, 0, B, B, B, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    B, O, 0, 0, I, O, O, 0, 0, 0, O, O, 0, O, I, O, D, D, D, D, D, D, D, D, D, D, 0, 0, O, O, O, 0,
    0, X, X, X, X, X, X, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, 0, 0, 0, O, I,
    0, X, X, X, X, X, X, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, 0, O, 0, O, 0,
    I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I,
    I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I,
    I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I,
    I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I,
};

const char *lex_space_slow(const char *p)
{
    for (;;) {
        if (is_class(*p, C_BLANK)) {
            p++;
        } else if (*p == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            if (!end)
                return p;
            p = end + 2;
        } else {
            return p;
        }
    }
}

const char *lex_digits(const char *p)
{
    while (is_digit(*p))
        p++;
    return p;
}

const char *lex_hex(const char *p)
{
    while (is_hex(*p))
        p++;
    return p;
}

int lex_hex_value(char c) { return is_digit(c) ? c - '0' : (c | 32) - 'a' + 10; }

const char *lex_line_end(const char *p) { return p + strcspn(p, "\n"); }

/* past a string or character constant; a newline ends one that is not closed */
static const char *skip_quoted(const char *p)
{
    const char quote = *p++;
    while (*p && *p != '\n' && *p != quote) {
        if (*p == '\\' && p[1] && p[1] != '\n')
            p++;
        p++;
    }
    return *p == quote ? p + 1 : p;
}

/* a character constant needs no second quote: 'a and 'a' are the same */
static const char *skip_character(const char *p)
{
    p++;
    if (*p == '\\' && p[1] && p[1] != '\n')
        p++;
    if (*p && *p != '\n')
        p++;
    return *p == '\'' ? p + 1 : p;
}

const char *lex_skip_statement(const char *p)
{
    for (;;) {
        p = lex_space(p);
        if (lex_at_end(p))
            return p;
        if (*p == '"')
            p = skip_quoted(p);
        else if (*p == '\'')
            p = skip_character(p);
        else if (*p == '/' && p[1] == '*')
            return p + strlen(p);
        else
            p++;
    }
}

const char *lex_next_statement(const char *p)
{
    if (*p == ';')
        return p + 1;
    p = lex_line_end(p);
    return *p ? p + 1 : p;
}
