/* sweep_report.c -- results of a sweep as CSV, in a sentence, and as a plot. */
#include "tool/sweep.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool get(const Sweep *s, Store *store, size_t point, PointResult *r)
{
    Buf key = {0};
    sweep_key(s, point, &key);
    const bool has = store_get(store, buf_text(&key), r);
    buf_free(&key);
    return has;
}

/* a number of the statistics, by a name with dots; false: there is none */
static bool column(const PointResult *r, const char *name, double *value)
{
    if (!strcmp(name, "cycles") || !strcmp(name, "insns") || !strcmp(name, "seconds")) {
        *value = *name == 'c' ? (double)r->cycles : *name == 'i' ? (double)r->insns : r->seconds;
        return true;
    }
    json_t *o = r->stats ? json_loads(r->stats, 0, NULL) : NULL, *v = o;
    for (const char *p = name; v && *p;) {
        char part[64];
        const size_t n = strcspn(p, ".");
        snprintf(part, sizeof part, "%.*s", (int)n, p);
        v = json_object_get(v, part);
        p += n + (p[n] == '.');
    }
    const bool is = json_is_number(v);
    *value = json_number_value(v);
    json_decref(o);
    return is;
}

/* quoted where it must be (RFC 4180) */
static void put_text(Buf *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        buf_str(out, text);
        return;
    }
    buf_str(out, "\"");
    for (; *text; text++)
        buf_printf(out, *text == '"' ? "\"\"" : "%c", *text);
    buf_str(out, "\"");
}

static bool replace(const char *dir, const char *name, const Buf *text, Diag *d)
{
    char part[80];
    snprintf(part, sizeof part, "%s.part", name);
    char *from = path_join(dir, part), *to = path_join(dir, name);
    if (text->failed)
        out_of_memory();
    bool ok = write_file(from, text->data, text->len, d);
    if (ok && rename(from, to)) {
        file_error(d, to);
        ok = false;
    }
    mem_free(from);
    mem_free(to);
    return ok;
}

bool report_csv(const Sweep *s, Store *store, const char *dir, Diag *d)
{
    Buf out = {0};
    buf_str(&out, "workload");
    for (size_t i = 0; i < s->nparameters; i++)
        buf_printf(&out, ",%s", s->parameter[i].what->name);
    buf_str(&out, ",status,cycles,insns,seconds");
    for (size_t i = 0; i < s->ncolumns; i++) {
        buf_str(&out, ",");
        put_text(&out, s->column[i]);
    }
    buf_str(&out, "\n");
    for (size_t p = 0; p < s->npoints; p++) {
        PointResult r;
        double v;
        if (!get(s, store, p, &r))
            continue;
        put_text(&out, sweep_work(s, p)->name);
        for (size_t i = 0; i < s->nparameters; i++)
            buf_printf(&out, ",%u", sweep_value(s, p, i));
        buf_printf(&out, ",%d,", r.status);
        if (r.status)
            buf_printf(&out, ",,%.3f", r.seconds);
        else
            buf_printf(&out, "%llu,%llu,%.3f", (unsigned long long)r.cycles,
                       (unsigned long long)r.insns, r.seconds);
        for (size_t i = 0; i < s->ncolumns; i++) {
            buf_str(&out, ",");
            if (!r.status && column(&r, s->column[i], &v))
                buf_printf(&out, "%.15g", v);
        }
        buf_str(&out, "\n");
        result_free(&r);
    }
    const bool ok = replace(dir, "results.csv", &out, d);
    buf_free(&out);
    return ok;
}

void report_best(const Sweep *s, Store *store)
{
    const size_t each = s->npoints / s->nwork;
    for (size_t w = 0; w < s->nwork && s->nparameters; w++) {
        size_t best = 0;
        u64 least = UINT64_MAX;
        for (size_t p = w * each; p < (w + 1) * each; p++) {
            PointResult r;
            if (!get(s, store, p, &r))
                continue;
            if (!r.status && r.cycles && r.cycles < least) {
                least = r.cycles;
                best = p;
            }
            result_free(&r);
        }
        Buf label = {0};
        if (least == UINT64_MAX)
            continue;
        sweep_label(s, best, &label);
        printf("%s: fewest cycles %llu with %s\n", s->work[w].name, (unsigned long long)least,
               buf_text(&label));
        buf_free(&label);
    }
}

/* --- the plot --------------------------------------------------------------------------------- */

/* a name for gnuplot, without what its strings would take for markup */
static void put_title(Buf *out, const char *text)
{
    for (; *text; text++)
        buf_printf(out, "%c", strchr("\"\\'`$\n", *text) ? '?' : *text);
}

/* One line for each workload and each choice of the other parameters. */
static bool put_series(const Sweep *s, Store *store, size_t x, const char *y, Buf *data, Buf *plot)
{
    size_t stride = 1, lines = 0, index = 0;
    for (size_t i = x + 1; i < s->nparameters; i++)
        stride *= s->parameter[i].n;
    const size_t n = s->parameter[x].n;
    for (size_t first = 0; first < s->npoints; first++) {
        if (first / stride % n)
            continue;
        buf_printf(data, "\"");
        put_title(data, sweep_work(s, first)->name);
        for (size_t i = 0; i < s->nparameters; i++)
            if (i != x && s->parameter[i].n > 1)
                buf_printf(data, " %s=%u", s->parameter[i].what->name, sweep_value(s, first, i));
        buf_printf(data, "\"\n");
        size_t points = 0;
        for (size_t k = 0; k < n; k++) {
            PointResult r;
            double v;
            if (!get(s, store, first + k * stride, &r))
                continue;
            if (!r.status && column(&r, y, &v)) {
                buf_printf(data, "%u %.15g\n", s->parameter[x].value[k], v);
                points++;
            }
            result_free(&r);
        }
        buf_printf(data, "\n\n");
        if (points)
            buf_printf(plot,
                       "%s 'plot.data' index %zu using 1:2 with linespoints title columnheader(1)",
                       lines ? "," : "plot", index);
        lines += points > 0;
        index++;
    }
    buf_str(plot, "\n");
    return lines > 0;
}

/* runs gnuplot in dir; false: reported */
static bool call_gnuplot(const char *dir, Diag *d)
{
    int status = 0;
    const pid_t pid = fork();
    if (!pid) {
        if (!chdir(dir))
            execlp("gnuplot", "gnuplot", "plot.gnuplot", (char *)NULL);
        _exit(errno == ENOENT ? 127 : 126);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || status) {
        error(d, NULL, NULL,
              WIFEXITED(status) && WEXITSTATUS(status) == 127
                  ? "there is no gnuplot, which draws the plot (package gnuplot-nox)"
                  : "gnuplot failed on %s/plot.gnuplot",
              dir);
        return false;
    }
    return true;
}

bool report_plot(const Sweep *s, Store *store, const char *dir, Diag *d)
{
    const char *y = s->y ? s->y : "cycles";
    Buf data = {0}, plot = {0};
    size_t x = 0;
    while (x < s->nparameters && s->x && strcmp(s->parameter[x].what->name, s->x))
        x++;
    if (x == s->nparameters) {
        error(d, NULL, NULL, "a plot needs a parameter that is swept");
        return false;
    }
    buf_printf(
        &plot,
        "set terminal svg size 900,600 noenhanced\nset output 'plot.svg'\nset logscale x 2\n"
        "set key outside below\nset grid\nset yrange [0:*]\nset xlabel '%s, %s'\nset ylabel '",
        s->parameter[x].what->name, s->parameter[x].what->unit);
    put_title(&plot, y);
    buf_str(&plot, "'\n");
    bool ok = put_series(s, store, x, y, &data, &plot);
    if (!ok)
        error(d, NULL, NULL, "nothing to plot: no point has a number '%s'", y);
    ok = ok && replace(dir, "plot.data", &data, d) && replace(dir, "plot.gnuplot", &plot, d) &&
         call_gnuplot(dir, d);
    buf_free(&data);
    buf_free(&plot);
    return ok;
}
