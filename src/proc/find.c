/* find.c -- where the project's own programs lie. */
#include "base/mem.h"
#include "proc/proc.h"
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PATH = 4096 };

/* the file that this code is in; false: that cannot be told */
static bool find_self(char path[MAX_PATH])
{
    static const char here[] = "";
    Dl_info self;
    struct link_map *map = NULL;
    if (!dladdr1(here, &self, (void **)&map, RTLD_DL_LINKMAP))
        return false;
    const bool is_library = map && *map->l_name; /* of a program dladdr knows argv[0] only */
    return realpath(is_library ? self.dli_fname : "/proc/self/exe", path);
}

char *proc_find(const char *name)
{
    static const char *const places[] = {
        "",      "../libexec/ventus/", "../../libexec/ventus/", "../../../libexec/ventus/", "../",
        "../../"};
    char self[MAX_PATH], path[MAX_PATH];
    if (!find_self(self))
        return NULL;
    const int dir = (int)(strrchr(self, '/') - self) + 1;
    for (size_t i = 0; i < countof(places); i++) {
        const int n = snprintf(path, MAX_PATH, "%.*s%s%s", dir, self, places[i], name);
        if (n < MAX_PATH && !access(path, X_OK))
            return mem_strdup(path);
    }
    return NULL;
}
