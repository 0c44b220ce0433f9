/* observe.c -- the names of events. */
#include "mach/observe.h"

const char *event_name(EventKind k)
{
    static const char *const names[] = {
#define EVENT(name, each, what) #name,
#include "mach/event.def"
    };
    return names[__builtin_ctz(k)];
}

const char *event_text(EventKind k)
{
    static const char *const texts[] = {
#define EVENT(name, each, what) what,
#include "mach/event.def"
    };
    return texts[__builtin_ctz(k)];
}
