/* options.c -- values of options that several subcommands take. */
#include "tool/tool.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

u64 option_number(struct argp_state *state, const char *option, const char *text, u64 max)
{
    char *end;
    errno = 0;
    const u64 v = strtoull(text, &end, 0);
    if (!isdigit((unsigned char)*text) || *end || errno || v > max)
        argp_error(state, "%s: '%s' is not a number from 0 to %llu", option, text,
                   (unsigned long long)max);
    return v;
}

IsaSet option_isa(struct argp_state *state, const char *text)
{
    IsaSet set = 0;
    if (!isa_parse_set(text, &set))
        argp_error(state, "--isa: '%s' is no profile; there are v202 and v2025, with +ai and +tidx",
                   text);
    return set;
}

IsaSet default_isa(void)
{
    const char *text = getenv("VENTUS_ISA");
    IsaSet set = V202;
    if (text && *text && !isa_parse_set(text, &set)) {
        fprintf(stderr, "ventus: error: VENTUS_ISA: '%s' is no profile\n", text);
        exit(REFUSED);
    }
    return set;
}
