/* resultdump.c -- VENTUS_DUMP_RESULT (resultdump.h).  The file is complete after each copy: the
 * next one overwrites the closing bracket. */
#include "drv/resultdump.h"
#include "base/mem.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

struct ResultDump {
    FILE *f;
    long end; /* where the closing bracket stands */
    bool has_any;
};

ResultDump *resultdump_open(const char *path)
{
    ResultDump *r = mem_zalloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->f = fopen(path, "wb");
    r->end = 1;
    if (r->f && fputs("[\n]\n", r->f) != EOF && !fflush(r->f))
        return r;
    resultdump_close(r);
    return NULL;
}

void resultdump_close(ResultDump *r)
{
    if (r && r->f)
        fclose(r->f);
    mem_free(r);
}

static json_t *hex(u64 v) { return json_sprintf("0x%08llx", (unsigned long long)v); }

/* the words of the range; bytes missing in the last one are zero */
static json_t *words(u64 addr, const u8 *bytes, u64 size)
{
    json_t *data = json_object();
    for (u64 i = 0; i < size; i += 4) {
        char key[24];
        u32 v = 0;
        memcpy(&v, bytes + i, size - i < 4 ? size - i : 4);
        snprintf(key, sizeof key, "0x%08llx", (unsigned long long)(addr + i));
        if (json_object_set_new(data, key, hex(v))) {
            json_decref(data);
            return NULL;
        }
    }
    return data;
}

static bool append(ResultDump *r, const json_t *copy)
{
    if (fseek(r->f, r->end, SEEK_SET) || fputs(r->has_any ? ",\n" : "\n", r->f) == EOF ||
        json_dumpf(copy, r->f, JSON_PRESERVE_ORDER))
        return false;
    r->has_any = true;
    r->end = ftell(r->f);
    return r->end > 0 && fputs("\n]\n", r->f) != EOF && !fflush(r->f);
}

bool resultdump_add(ResultDump *r, u64 addr, const void *bytes, u64 size)
{
    json_t *copy = json_pack("{s:o, s:I, s:o}", "address", hex(addr), "size", (json_int_t)size,
                             "data", words(addr, bytes, size));
    const bool ok = copy && append(r, copy);
    json_decref(copy);
    return ok;
}
