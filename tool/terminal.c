/* terminal.c -- the terminal of `ventus run --step`: keys without Enter, colours where they are
 * wanted. */
#include "tool/common.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static void write_screen(void *self, const void *bytes, size_t n)
{
    (void)self;
    fwrite(bytes, 1, n, stdout);
    fflush(stdout);
}

/* One key, of a terminal at once; Enter too. */
static int read_key(void *self)
{
    struct termios before, now;
    char c;
    (void)self;
    const bool terminal = !tcgetattr(STDIN_FILENO, &before);
    if (terminal) {
        now = before;
        now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        tcsetattr(STDIN_FILENO, TCSADRAIN, &now);
    }
    const bool got = read(STDIN_FILENO, &c, 1) == 1;
    if (terminal)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    return got && c != 4 ? (unsigned char)c : -1; /* Ctrl-D */
}

Debugger *open_stepper(void)
{
    const char *plain = getenv("NO_COLOR"), *term = getenv("TERM");
    const DbgScreen screen = {
        .colours = isatty(STDOUT_FILENO) && !(plain && *plain) && term && strcmp(term, "dumb") != 0,
        .write = write_screen,
        .key = read_key,
    };
    Debugger *d = dbg_step(&screen);
    if (!d)
        out_of_memory();
    return d;
}
