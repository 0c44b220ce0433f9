/* cmd_dis.c -- ventus dis: words on stdin, texts on stdout, a line each.
 *
 * A line is WORD or ADDRESS WORD in hexadecimal.  Every line of input gives one
 * line of output, so that the two can be pasted together: one that cannot be
 * read is reported and gives an empty line.
 */
#include "tool/tool.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    IsaSet set;
    IsaPrint print;
    bool have_pc; /* --pc was given */
    u64 pc;
} Dis;

enum { KEY_PC = 256, KEY_NAMES, KEY_RAW };

static const struct argp_option options[] = {
    {"isa", 'p', "P", 0, "Profile and overlays: v202 (default), v2025, v202+ai+tidx", 0},
    {"pc", KEY_PC, "ADDR", 0, "Address of the first word; branches print their targets", 0},
    {"csr-names", KEY_NAMES, NULL, 0, "Print the CSRs of Ventus by name", 0},
    {"raw", KEY_RAW, NULL, 0, "Print no aliases (li, mv, ret)", 0},
    {0},
};

static error_t option(int key, char *arg, struct argp_state *state)
{
    Dis *d = state->input;
    switch (key) {
    case 'p': d->set = option_isa(state, arg); return 0;
    case KEY_PC:
        d->pc = option_number(state, "--pc", arg, UINT32_MAX);
        d->have_pc = true;
        return 0;
    case KEY_NAMES: d->print.csr_names = true; return 0;
    case KEY_RAW: d->print.raw = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "words are read from stdin; '%s' is one too many", arg);
    }
    return ARGP_ERR_UNKNOWN;
}

const struct argp dis_argp = {
    .options = options,
    .parser = option,
    .doc =
        "Disassembles words.\vA line of stdin is `WORD' or `ADDRESS WORD' in hexadecimal, with or "
        "without 0x; a line of stdout is its text.  Without an address or --pc, targets "
        "of branches are printed as offsets.",
};

/* A hexadecimal number at *p of at most 16 digits, past which *p is moved; -1: none, else its
 * number of digits. */
static int hex(const char **p, u64 *value)
{
    const char *s = *p;
    int digits = 0;
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && isxdigit((unsigned char)s[2]))
        s += 2;
    for (*value = 0; isxdigit((unsigned char)*s); s++, digits++)
        *value = *value << 4 | (u64)(*s <= '9' ? *s - '0' : (*s | 32) - 'a' + 10);
    *p = s;
    return digits && digits <= 16 ? digits : -1;
}

static const char *blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')
        p++;
    return p;
}

static bool is_end(char c) { return !c || c == '#' || c == ';'; }

typedef struct {
    bool blank, have_pc;
    u64 pc, word;
} Line;

/* NULL: understood; else what is wrong, *at the place */
static const char *parse_line(const char *p, Line *l, const char **at)
{
    u64 first, second;
    *l = (Line){0};
    *at = p = blanks(p);
    if (is_end(*p)) {
        l->blank = true;
        return NULL;
    }
    if (hex(&p, &first) < 0 || (*p != ':' && *p && !isspace((unsigned char)*p)))
        return "expected a word in hexadecimal";
    p = blanks(p + (*p == ':'));
    if (is_end(*p)) {
        l->word = first;
        return NULL;
    }
    *at = p;
    if (hex(&p, &second) < 0 || !is_end(*(p = blanks(p))))
        return "expected a word in hexadecimal, or an address and a word";
    l->have_pc = true;
    l->pc = first;
    l->word = second;
    return NULL;
}

static void complain(Diag *d, const char *text, const char *at, size_t number, const char *what)
{
    /* diag counts lines from the start of the text; here is only the one */
    Buf b = {0};
    buf_printf(&b, "<stdin>:%zu:%zu: error: %s\n    %.*s", number, (size_t)(at - text) + 1, what,
               (int)strcspn(text, "\r\n"), text);
    d->errors++;
    if (d->errors <= d->limit)
        show_message(d->to, DIAG_ERROR, buf_text(&b));
    buf_free(&b);
}

static void print_line(Dis *dis, const IsaDecoder *decoder, const Line *l, Buf *out)
{
    const int len = l->word >> 32 ? 8 : isa_length(dis->set, (u32)l->word);
    IsaPrint how = dis->print;
    how.have_pc = dis->have_pc || l->have_pc;
    how.pc = l->have_pc ? l->pc : dis->pc;
    isa_print_word(out, decoder, l->word, len, &how);
    dis->pc = how.pc + (u64)len;
}

int dis_main(int argc, char **argv)
{
    enum { FLUSH = 1 << 16 };
    Dis dis = {.set = default_isa()};
    Diag d = stderr_diag();
    Buf out = {0};
    char *text = NULL;
    size_t cap = 0, number = 0;
    parse_options(&dis_argp, argc, argv, &dis);
    IsaDecoder *decoder = mem_alloc(sizeof *decoder);
    if (!decoder)
        out_of_memory();
    isa_decoder_init(decoder, dis.set);
    while (getline(&text, &cap, stdin) > 0) {
        Line l;
        const char *at, *what = parse_line(text, &l, &at);
        number++;
        if (what)
            complain(&d, text, at, number, what);
        else if (!l.blank)
            print_line(&dis, decoder, &l, &out);
        buf_put(&out, "\n", 1);
        if (out.len > FLUSH) {
            fwrite(out.data, 1, out.len, stdout);
            out.len = 0;
        }
    }
    if (out.len)
        fwrite(out.data, 1, out.len, stdout);
    if (d.errors > d.limit)
        fprintf(stderr, "<stdin>: %d more lines like that\n", d.errors - d.limit);
    if (out.failed)
        out_of_memory();
    buf_free(&out);
    mem_free(decoder);
    free(text);
    return diag_errors(&d) ? REFUSED : DONE;
}
