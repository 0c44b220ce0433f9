/* sweep_store.c -- results of points: one SQLite file, and result files on their way to it.
 *
 * A result is added in one transaction, with its key as primary key: whenever the process dies it
 * is there whole or not at all, and a second one of the same point changes nothing.
 */
#include "tool/sweep.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void result_free(PointResult *r)
{
    mem_free(r->key);
    mem_free(r->stats);
    mem_free(r->output);
    *r = (PointResult){0};
}

/* --- files ------------------------------------------------------------------------------ */

bool result_write(const PointResult *r, const char *file, Diag *d)
{
    char *part = mem_zalloc(strlen(file) + 8, 1);
    if (!part)
        out_of_memory();
    sprintf(part, "%s.part", file);
    json_t *o = json_pack("{s:s, s:i, s:f, s:I, s:I, s:s*, s:s*}", "key", r->key, "status",
                          r->status, "seconds", r->seconds, "cycles", (json_int_t)r->cycles,
                          "insns", (json_int_t)r->insns, "stats", r->stats, "output", r->output);
    char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;
    bool ok = text && write_file(part, text, strlen(text), d);
    if (ok && rename(part, file)) {
        file_error(d, file);
        ok = false;
    }
    free(text);
    json_decref(o);
    mem_free(part);
    return ok;
}

/* NULL of NULL. */
static char *copy_text(const char *text)
{
    char *copy = text ? mem_strdup(text) : NULL;
    if (text && !copy)
        out_of_memory();
    return copy;
}

static char *copy_of(const json_t *o, const char *name)
{
    return copy_text(json_string_value(json_object_get(o, name)));
}

bool result_read(const char *file, PointResult *r)
{
    json_t *o = json_load_file(file, JSON_REJECT_DUPLICATES, NULL);
    *r = (PointResult){.key = copy_of(o, "key"),
                       .status = (int)json_integer_value(json_object_get(o, "status")),
                       .seconds = json_number_value(json_object_get(o, "seconds")),
                       .cycles = (u64)json_integer_value(json_object_get(o, "cycles")),
                       .insns = (u64)json_integer_value(json_object_get(o, "insns")),
                       .stats = copy_of(o, "stats"),
                       .output = copy_of(o, "output")};
    json_decref(o);
    return r->key != NULL;
}

#ifdef HAVE_SQLITE
#include <sqlite3.h>

struct Store {
    sqlite3 *db;
};

static bool failed(Store *s, Diag *d)
{
    error(d, NULL, NULL, "the file of results: %s", sqlite3_errmsg(s->db));
    return false;
}

static const char schema[] =
    "PRAGMA synchronous = FULL;"
    "CREATE TABLE IF NOT EXISTS point (key TEXT PRIMARY KEY, workload TEXT NOT NULL,"
    " status INTEGER NOT NULL, seconds REAL, cycles INTEGER, insns INTEGER, stats TEXT,"
    " output TEXT) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS parameter (key TEXT REFERENCES point, name TEXT, value INTEGER,"
    " PRIMARY KEY (key, name)) WITHOUT ROWID;";

Store *store_open(const char *file, Diag *d)
{
    Store *s = mem_zalloc(1, sizeof *s);
    if (!s)
        out_of_memory();
    if (sqlite3_open(file, &s->db) == SQLITE_OK &&
        sqlite3_busy_timeout(s->db, 60000) == SQLITE_OK &&
        sqlite3_exec(s->db, schema, NULL, NULL, NULL) == SQLITE_OK)
        return s;
    failed(s, d);
    store_close(s);
    return NULL;
}

void store_close(Store *s)
{
    if (s)
        sqlite3_close(s->db);
    mem_free(s);
}

/* runs a statement whose only texts are t[0..n-1]; its first row is at *q, to be finalized */
static int step(Store *s, const char *sql, const char *const *t, int n, sqlite3_stmt **q)
{
    int rc = sqlite3_prepare_v2(s->db, sql, -1, q, NULL);
    for (int i = 0; rc == SQLITE_OK && i < n; i++)
        rc = sqlite3_bind_text(*q, i + 1, t[i], -1, SQLITE_TRANSIENT);
    return rc == SQLITE_OK ? sqlite3_step(*q) : rc;
}

static bool add_point(Store *s, const Sweep *sweep, size_t point, const PointResult *r)
{
    sqlite3_stmt *q = NULL;
    bool ok =
        sqlite3_prepare_v2(s->db, "INSERT OR IGNORE INTO point VALUES (?1,?2,?3,?4,?5,?6,?7,?8)",
                           -1, &q, NULL) == SQLITE_OK;
    ok = ok && sqlite3_bind_text(q, 1, r->key, -1, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_bind_text(q, 2, sweep_work(sweep, point)->name, -1, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_bind_int(q, 3, r->status) == SQLITE_OK &&
         sqlite3_bind_double(q, 4, r->seconds) == SQLITE_OK &&
         sqlite3_bind_int64(q, 5, (i64)r->cycles) == SQLITE_OK &&
         sqlite3_bind_int64(q, 6, (i64)r->insns) == SQLITE_OK &&
         sqlite3_bind_text(q, 7, r->stats, -1, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_bind_text(q, 8, r->output, -1, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_step(q) == SQLITE_DONE;
    sqlite3_finalize(q);
    return ok;
}

static bool add_parameter(Store *s, const char *key, const char *name, u32 value)
{
    sqlite3_stmt *q = NULL;
    bool ok = sqlite3_prepare_v2(s->db, "INSERT OR IGNORE INTO parameter VALUES (?1,?2,?3)", -1, &q,
                                 NULL) == SQLITE_OK;
    ok = ok && sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_bind_text(q, 2, name, -1, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_bind_int64(q, 3, value) == SQLITE_OK && sqlite3_step(q) == SQLITE_DONE;
    sqlite3_finalize(q);
    return ok;
}

bool store_add(Store *s, const Sweep *sweep, size_t point, const PointResult *r, Diag *d)
{
    bool ok = sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK &&
              add_point(s, sweep, point, r);
    for (size_t i = 0; ok && i < sweep->nparameters; i++)
        ok = add_parameter(s, r->key, sweep->parameter[i].what->name, sweep_value(sweep, point, i));
    if (ok && sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK)
        return true;
    failed(s, d);
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

bool store_has(Store *s, const char *key)
{
    sqlite3_stmt *q = NULL;
    const bool has = step(s, "SELECT 1 FROM point WHERE key = ?1", &key, 1, &q) == SQLITE_ROW;
    sqlite3_finalize(q);
    return has;
}

void store_forget(Store *s, const char *key)
{
    static const char *const sql[] = {"DELETE FROM parameter WHERE key = ?1",
                                      "DELETE FROM point WHERE key = ?1"};
    for (size_t i = 0; i < countof(sql); i++) {
        sqlite3_stmt *q = NULL;
        step(s, sql[i], &key, 1, &q);
        sqlite3_finalize(q);
    }
}

static char *column(sqlite3_stmt *q, int i)
{
    return copy_text((const char *)sqlite3_column_text(q, i));
}

bool store_get(Store *s, const char *key, PointResult *r)
{
    sqlite3_stmt *q = NULL;
    const bool has =
        step(s, "SELECT status, seconds, cycles, insns, stats, output FROM point WHERE key = ?1",
             &key, 1, &q) == SQLITE_ROW;
    *r = (PointResult){0};
    if (has)
        *r = (PointResult){.key = copy_text(key),
                           .status = sqlite3_column_int(q, 0),
                           .seconds = sqlite3_column_double(q, 1),
                           .cycles = (u64)sqlite3_column_int64(q, 2),
                           .insns = (u64)sqlite3_column_int64(q, 3),
                           .stats = column(q, 4),
                           .output = column(q, 5)};
    sqlite3_finalize(q);
    return has;
}
#else
Store *store_open(const char *file, Diag *d)
{
    error(d, &(Source){.name = file, .text = ""}, NULL,
          "this build has no SQLite, in which a sweep keeps its results (package libsqlite3-dev; "
          "then build again)");
    return NULL;
}
void store_close(Store *s) { (void)s; }
bool store_add(Store *s, const Sweep *sweep, size_t point, const PointResult *r, Diag *d)
{
    return (void)s, (void)sweep, (void)point, (void)r, (void)d, false;
}
bool store_has(Store *s, const char *key) { return (void)s, (void)key, false; }
void store_forget(Store *s, const char *key) { (void)s, (void)key; }
bool store_get(Store *s, const char *key, PointResult *r)
{
    return (void)s, (void)key, (void)r, false;
}
#endif
