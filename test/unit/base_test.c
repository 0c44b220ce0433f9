/* base_test.c -- src/base by properties and by references that are written in another way:
 * integers, strings and arrays that grow, places in sorted arrays, messages, files, our own
 * mistakes, libraries. */
#include "base/diag.h"
#include "base/fdio.h"
#include "base/library.h"
#include "base/search.h"
#include "test/kit/leftover.h"
#include "test/kit/random.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* --- integers -------------------------------------------------------------------------------- */

static void integers_of_each_width(void **state)
{
    (void)state;
    for (int bits = 1; bits <= 64; bits++)
        for (int i = 0; i < 100; i++) {
            const u64 v = i < 64 ? (u64)1 << i : random_bits();
            const u64 low = bits < 64 ? v % ((u64)1 << bits) : v;
            const bool negative = low >> (bits - 1);
            const u64 want = negative && bits < 64 ? low - ((u64)1 << bits) : low;
            assert_int_equal(sign_extend(v, bits), (i64)want);
        }
}

static void powers_of_two(void **state)
{
    (void)state;
    assert_false(is_pow2(0));
    for (int i = 0; i < 64; i++) {
        const u64 align = (u64)1 << i;
        assert_true(is_pow2(align));
        assert_true(i == 0 || !is_pow2(align | 1));
        assert_true(i < 2 || !is_pow2(align - 1));
        if (i > 40)
            continue;
        assert_int_equal(align_up(0, align), 0);
        for (int k = 0; k < 100; k++) {
            const u64 x = k < 4 ? align * (u64)k : random_bits() >> 20;
            assert_int_equal(align_up(x, align), x % align ? x + (align - x % align) : x);
        }
    }
}

static void processors_are_those_of_the_process(void **state)
{
    (void)state;
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all))
        return;
    assert_int_equal(host_processors(), CPU_COUNT(&all));
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all)) {
            CPU_ZERO(&one);
            CPU_SET(i, &one);
            if (!sched_setaffinity(0, sizeof one, &one))
                assert_int_equal(host_processors(), 1);
            break;
        }
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

/* --- memory ---------------------------------------------------------------------------------- */

static void blocks_and_copies(void **state)
{
    (void)state;
    u8 *zero = mem_zalloc(100, 3);
    assert_non_null(zero);
    for (int i = 0; i < 300; i++)
        assert_int_equal(zero[i], 0);
    for (int i = 0; i < 300; i++)
        zero[i] = (u8)i;
    assert_null(mem_realloc(zero, SIZE_MAX / 2, 3)); /* more than a size can be */
    zero = mem_realloc(zero, 200, 5);
    assert_non_null(zero);
    for (int i = 0; i < 300; i++)
        assert_int_equal(zero[i], (u8)i);
    mem_free(zero);

    void *nothing[] = {mem_alloc(0), mem_zalloc(0, 5), mem_zalloc(5, 0), mem_realloc(NULL, 0, 9)};
    for (size_t i = 0; i < countof(nothing); i++) {
        assert_non_null(nothing[i]);
        mem_free(nothing[i]);
    }
    for (size_t len = 0; len <= 7; len++) {
        char *copy = mem_strndup("ventus!", len), want[8] = "ventus!";
        want[len] = 0;
        assert_string_equal(copy, want);
        mem_free(copy);
    }
    char text[201] = "";
    for (size_t len = 0; len <= 200; len++) { /* there is room for the NUL, too */
        char *copy = mem_strndup(text, len);
        assert_true(malloc_usable_size(copy) > len);
        mem_free(copy);
    }
    char *copy = mem_strdup("ventus");
    assert_string_equal(copy, "ventus");
    mem_free(copy);
}

static void suffixes_of_files(void **state)
{
    (void)state;
    static const char *const name[] = {"",    "s",    ".s",  "a.s", "a.sx",
                                       "s.s", "a.cl", ".cl", "cl",  "l"};
    for (size_t i = 0; i < countof(name); i++)
        for (size_t k = 0; k < countof(name); k++) {
            bool ends = false;
            for (const char *p = name[i]; !ends && p <= name[i] + strlen(name[i]); p++)
                ends = !strcmp(p, name[k]);
            assert_int_equal(has_suffix(name[i], name[k]), ends);
        }
}

/* --- strings and arrays that grow ------------------------------------------------------------ */

static void buffers_hold_what_was_put(void **state)
{
    (void)state;
    static char want[1 << 17], piece[5000];
    for (int round = 0; round < 40; round++) {
        Buf b = {0};
        size_t len = 0;
        assert_string_equal(buf_text(&b), "");
        while (len < (round < 30 ? 300u : 100000u)) {
            const u32 n = below(round < 30 ? 40 : sizeof piece);
            const u8 byte = (u8)('a' + below(26));
            memset(piece, byte, n);
            piece[n] = 0;
            if (n > 3)
                piece[below(n)] = '#';
            switch (below(4)) {
            case 0: buf_put(&b, piece, n); break;
            case 1: buf_str(&b, piece); break;
            case 2: buf_printf(&b, "%.*s%s", (int)(n / 2), piece, piece + n / 2); break;
            default: memset(piece, byte, n); buf_fill(&b, byte, n);
            }
            memcpy(want + len, piece, n);
            len += n;
            assert_int_equal(b.len, len);
            assert_true(!b.data || (b.cap > len && !b.data[len]));
            assert_true(b.cap <= 64 || b.cap <= 4 * (len + 1));
            assert_memory_equal(buf_text(&b), want, len);
        }
        assert_false(b.failed);
        buf_free(&b);
        assert_true(!b.data && !b.len && !b.cap && !b.failed);
    }
}

static void room_is_for_the_nul_too(void **state)
{
    (void)state;
    for (size_t have = 0; have <= 130; have++)
        for (size_t more = 0; more <= 130; more++) {
            Buf b = {0};
            buf_fill(&b, 'x', have);
            const size_t cap = b.cap;
            assert_true(buf_reserve(&b, more));
            assert_true(b.cap > have + more && b.len == have);
            assert_true(b.cap == cap || cap <= have + more); /* it grows only if it must */
            buf_free(&b);
        }
}

/* Putting byte after byte takes linear time. */
static void buffers_grow_by_factors(void **state)
{
    (void)state;
    Buf b = {0};
    u32 times = 0;
    for (u32 i = 0; i < 100000; i++) {
        const size_t had = b.cap;
        buf_put(&b, "x", 1);
        times += b.cap != had;
    }
    assert_true(times < 40);
    buf_free(&b);
}

static void buffers_that_failed_stay(void **state)
{
    (void)state;
    static const size_t more[] = {SIZE_MAX, SIZE_MAX - 5, SIZE_MAX / 2, SIZE_MAX / 4};
    for (size_t i = 0; i < countof(more); i++) {
        Buf b = {0};
        buf_str(&b, "before");
        assert_false(buf_reserve(&b, more[i]));
        assert_true(b.failed);
        assert_false(buf_reserve(&b, 1));
        buf_str(&b, "!");
        buf_fill(&b, '!', 1);
        buf_printf(&b, "!");
        assert_string_equal(buf_text(&b), "before");
        assert_int_equal(b.len, 6);
        buf_free(&b);
    }
}

typedef struct {
    u32 number, filler[2];
} Wide;

static void arrays_grow(void **state)
{
    (void)state;
    Wide *a = NULL;
    size_t cap = 0, times = 0;
    for (u32 n = 0; n < 20000; n++) {
        const size_t had = cap;
        assert_true(array_grow(a, n, cap));
        assert_true(cap > n);
        assert_true(cap == had || had == n);
        times += cap != had;
        a[n] = (Wide){.number = n, .filler = {~n, n}};
    }
    assert_true(times < 16); /* the time of all is linear */
    for (u32 n = 0; n < 20000; n++)
        assert_true(a[n].number == n && a[n].filler[0] == ~n && a[n].filler[1] == n);
    void *before = a;
    size_t huge = SIZE_MAX / 8;
    assert_false(array_grow_(&before, &huge, sizeof *a));
    assert_true(before == a && huge == SIZE_MAX / 8);
    mem_free(a);
}

SEARCH_BEFORE(is_less, Wide, u32, e->number < *key)

static void halves_find_the_place(void **state)
{
    (void)state;
    for (u32 n = 0; n <= 20; n++)
        for (u32 step = 0; step < 3; step++) {
            Wide a[20];
            for (u32 i = 0; i < n; i++)
                a[i] = (Wide){.number = 3 + i / 2 * step, .filler = {100, 100}};
            for (u32 key = 0; key < 50; key++) {
                size_t count = 0;
                for (u32 i = 0; i < n; i++)
                    count += a[i].number < key;
                assert_int_equal(search_count(a, n, sizeof *a, is_less, &key), count);
            }
        }
}

/* --- words that are close -------------------------------------------------------------------- */

static int distance(const char *a, const char *b)
{
    if (!*a || !*b)
        return (int)(strlen(a) + strlen(b));
    const int change = distance(a + 1, b + 1) + (*a != *b);
    const int drop = distance(a + 1, b) + 1, add = distance(a, b + 1) + 1;
    return change < drop ? (change < add ? change : add) : drop < add ? drop : add;
}

static void word_of(int number, char word[8])
{
    for (; number > 1; number >>= 1)
        *word++ = number & 1 ? 'b' : 'a';
    *word = 0;
}

static void distances_of_words(void **state)
{
    (void)state;
    char a[8], b[8];
    for (int i = 1; i < 64; i++)
        for (int k = 1; k < 64; k++) {
            word_of(i, a);
            word_of(k, b);
            const int far = distance(a, b);
            for (int cap = 0; cap < 7; cap++)
                assert_int_equal(edit_distance(a, strlen(a), b, strlen(b), cap),
                                 far < cap ? far : cap);
        }
}

static void words_of_40_letters_are_compared(void **state)
{
    (void)state;
    static const char name[] = "an_operation_of_which_the_name_is_so_long";
    const size_t len = sizeof name - 1;
    assert_int_equal(len, 41);
    assert_int_equal(edit_distance(name, 40, name, 40, 9), 0);
    assert_int_equal(edit_distance(name, 40, name + 1, 40, 9), 2);
    assert_int_equal(edit_distance(name, 40, name, 38, 9), 2);
    assert_int_equal(edit_distance(name, 38, name, 40, 9), 2);
    assert_int_equal(edit_distance(name, 40, "", 0, 99), 40);
    assert_int_equal(edit_distance("", 0, name, 40, 99), 40);
    assert_int_equal(edit_distance(name, 41, name, 41, 9), 9);
    assert_int_equal(edit_distance(name, 41, name, 40, 9), 9);
    assert_int_equal(edit_distance(name, 40, name, 41, 9), 9);
}

/* --- messages -------------------------------------------------------------------------------- */

enum { SHOWN = 200 };

/* What diag.h says that a message shows of its line: text from `start`, a caret below `column`. */
static void put_shown(Buf *b, const char *start, size_t column)
{
    char line[SHOWN + 1] = "", below_it[SHOWN + 1] = "";
    size_t len = 0;
    while (start[len] && start[len] != '\r' && start[len] != '\n')
        len++;
    if (column > SHOWN || column > len + 1)
        return;
    memcpy(line, start, len < SHOWN ? len : SHOWN);
    buf_printf(b, "\n    %s", line);
    memset(below_it, ' ', SHOWN);
    for (size_t i = 0; i < len && i < SHOWN; i++)
        if (line[i] == '\t')
            below_it[i] = '\t';
    if (column)
        buf_printf(b, "\n    %.*s^", (int)column - 1, below_it);
}

static void messages_show_their_place(void **state)
{
    (void)state;
    static const char letter[] = "\n\n\r\t ab";
    static char text[2000];
    for (int round = 0; round < 20; round++) {
        const size_t len = round < 15 ? below(60) : 500 + below(1000);
        for (size_t i = 0; i < len; i++)
            text[i] = letter[below(sizeof letter - 1)];
        if (round >= 15) /* a line around the greatest length that is shown */
            for (size_t i = 100; i < 100 + SHOWN - 3 + (size_t)(round - 15) * 2; i++)
                text[i] = i % 7 ? 'x' : '\t';
        text[len] = 0;
        const Source src = {.name = "a/text.s", .text = text};
        int line = 1, column = 1;
        const char *start = text;
        for (const char *at = text; at <= text + len; at++) {
            int found_line, found_column;
            diag_place(&src, at, &found_line, &found_column);
            assert_int_equal(found_line, line);
            assert_int_equal(found_column, column);

            Buf want = {0}, said = {0};
            Diag d = {.sink = diag_to_buf, .to = &said};
            buf_printf(&want, "a/text.s:%d:%d: warning: %d of %s", line, column, 3, "4");
            put_shown(&want, start, (size_t)column);
            buf_str(&want, "\n");
            warning(&d, &src, at, "%d of %s", 3, "4");
            assert_string_equal(buf_text(&said), buf_text(&want));
            buf_free(&want);
            buf_free(&said);
            column++;
            if (*at == '\n')
                line++, column = 1, start = at + 1;
        }
    }
}

static void lines_with_and_without_carets(void **state)
{
    (void)state;
    char text[SHOWN + 3];
    for (size_t len = 0; len <= SHOWN + 2; len += len == 3 ? SHOWN - 6 : 1) {
        memset(text, 'x', len);
        text[len] = 0;
        for (size_t column = 0; column <= SHOWN + 3; column++) {
            Buf said = {0}, want = {0};
            diag_put_line(&said, text, column);
            put_shown(&want, text, column);
            assert_string_equal(buf_text(&said), buf_text(&want));
            buf_free(&said);
            buf_free(&want);
        }
    }
}

static void messages_without_a_place(void **state)
{
    (void)state;
    Buf said = {0};
    const Source src = {.name = "all.s", .text = "text"};
    Diag d = {.sink = diag_to_buf, .to = &said};
    note(&d, NULL, NULL, "n");
    warning(&d, NULL, "text", "w");
    error(&d, &src, NULL, "e");
    diag_foreign(&d, DIAG_WARNING, "x:1: %d");
    assert_false(d.no_memory);
    diag_no_memory(&d, NULL);
    assert_string_equal(buf_text(&said), "note: n\nwarning: w\nall.s: error: e\nx:1: %d\n"
                                         "error: out of memory\n");
    assert_true(d.no_memory && d.errors == 2 && d.warnings == 2);
    buf_free(&said);

    char *text;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    assert_non_null(f);
    diag_to_file(f, DIAG_NOTE, "one\ntwo");
    fclose(f);
    assert_string_equal(text, "one\ntwo\n");
    free(text);
}

/* Eight places of origin are shown, the nearest first. */
static void messages_say_what_led_to_them(void **state)
{
    (void)state;
    static const char text[] = "\nab";
    for (int depth = 0; depth < 12; depth++) {
        Source chain[12] = {{.name = "s0", .text = text}};
        char name[12][4];
        Buf said = {0}, want = {0};
        Diag d = {.sink = diag_to_buf, .to = &said};
        for (int i = 1; i <= depth; i++) {
            snprintf(name[i - 1], sizeof name[0], "s%d", i);
            chain[i] = (Source){.name = name[i - 1], .text = text};
            chain[i - 1].from = &chain[i];
            chain[i - 1].from_at = i % 3 ? text + i % 3 : NULL;
        }
        buf_str(&want, "s0:2:2: error: e\n    ab\n     ^");
        for (int i = 1; i <= depth && i <= 8; i++)
            buf_printf(&want, i % 3 ? "\ns%d:2:%d: note: from here" : "\ns%d: note: from here", i,
                       i % 3);
        buf_str(&want, "\n");
        error(&d, &chain[0], text + 2, "e");
        assert_string_equal(buf_text(&said), buf_text(&want));
        buf_free(&said);
        buf_free(&want);
    }
}

static void long_messages_lose_their_end(void **state)
{
    (void)state;
    char text[1000];
    for (size_t len = 500; len < 520; len++) {
        Buf said = {0}, want = {0};
        Diag d = {.sink = diag_to_buf, .to = &said};
        memset(text, 'y', len);
        text[len] = 0;
        note(&d, NULL, NULL, "%s", text);
        text[len < 511 ? len : 511] = 0;
        buf_printf(&want, "note: %s\n", text);
        assert_string_equal(buf_text(&said), buf_text(&want));
        buf_free(&said);
        buf_free(&want);
    }
}

static void messages_have_a_limit(void **state)
{
    (void)state;
    for (int limit = 0; limit < 4; limit++) {
        Buf said = {0}, want = {0};
        Diag d = {.sink = diag_to_buf, .to = &said, .limit = limit};
        assert_false(diag_errors(&d));
        for (int i = 0; i < 8; i++) {
            if (i % 2)
                diag_foreign(&d, DIAG_ERROR, "e");
            else
                error(&d, NULL, NULL, "f");
            assert_true(diag_errors(&d));
            warning(&d, NULL, NULL, "w");
            note(&d, NULL, NULL, "n");
            if (!limit || i < limit)
                buf_printf(&want, "%s\nwarning: w\nnote: n\n", i % 2 ? "e" : "error: f");
        }
        assert_int_equal(d.errors, 8);
        assert_int_equal(d.warnings, 8);
        assert_string_equal(buf_text(&said), buf_text(&want));
        buf_free(&said);
        buf_free(&want);
    }
    Diag nowhere = {0};
    error(&nowhere, NULL, NULL, "e");
    diag_foreign(&nowhere, DIAG_WARNING, "w");
    assert_true(nowhere.errors == 1 && nowhere.warnings == 1);
}

/* --- files ----------------------------------------------------------------------------------- */

static int file_of(const void *bytes, size_t len)
{
    char name[] = "/tmp/base_test.XXXXXX";
    const int fd = mkstemp(name);
    assert_true(fd >= 0);
    unlink(name);
    assert_true(fd_write(fd, bytes, len));
    assert_int_equal(lseek(fd, 0, SEEK_CUR), len);
    return fd;
}

static void whole_files_are_read(void **state)
{
    (void)state;
    static const size_t size[] = {0, 1, 63, 64, 65, 4096, 100001};
    static u8 bytes[100001];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (u8)random_bits();
    for (size_t i = 0; i < countof(size); i++) {
        const int fd = file_of(bytes, size[i]);
        Buf b = {0};
        buf_str(&b, "kept");
        if (size[i]) {
            assert_false(fd_read(fd, size[i] - 1, &b));
            assert_int_equal(errno, EFBIG);
            assert_int_equal(b.len, 4);
        }
        assert_true(fd_read(fd, size[i], &b));
        assert_int_equal(b.len, 4 + size[i]);
        assert_memory_equal(b.data, "kept", 4);
        assert_memory_equal(b.data + 4, bytes, size[i]);
        assert_true(b.cap > b.len && !b.data[b.len]);
        assert_true(fd_read(fd, UINT64_MAX, &b)); /* the descriptor's offset does not matter */
        assert_int_equal(b.len, 4 + 2 * size[i]);
        b.failed = true;
        assert_false(fd_read(fd, size[i], &b));
        assert_int_equal(errno, ENOMEM);
        buf_free(&b);
        close(fd);
    }
}

static void only_ordinary_files_are_read(void **state)
{
    (void)state;
    Buf b = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_false(fd_read(ends[0], UINT64_MAX, &b));
    assert_int_equal(errno, EINVAL);
    close(ends[0]);
    assert_false(fd_read(ends[0], UINT64_MAX, &b));
    assert_int_equal(errno, EBADF);
    signal(SIGPIPE, SIG_IGN);
    assert_false(fd_write(ends[1], "x", 1));
    assert_int_equal(errno, EPIPE);
    assert_true(fd_write(ends[1], "", 0));
    close(ends[1]);
    assert_null(b.data);
}

static void ignore_it(int number) { (void)number; }

/* A reader that interrupts the writer again and again: calls write less than they were asked. */
static void writing_goes_on_after_signals(void **state)
{
    (void)state;
    enum { SIZE = 1 << 18 };
    static u8 bytes[SIZE], got[SIZE + 1];
    const struct sigaction interrupts = {.sa_handler = ignore_it};
    int ends[2], status;
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (u8)random_bits();
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(sigaction(SIGUSR1, &interrupts, NULL), 0);
    const pid_t reader = fork();
    if (!reader) {
        size_t len = 0;
        close(ends[1]);
        for (ssize_t n; len <= SIZE && (n = read(ends[0], got + len, 20000)) > 0; len += (size_t)n)
            kill(getppid(), SIGUSR1);
        _exit(len != SIZE || memcmp(got, bytes, SIZE));
    }
    assert_true(reader > 0);
    close(ends[0]);
    assert_true(fd_write(ends[1], bytes, SIZE));
    close(ends[1]);
    while (waitpid(reader, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
}

/* --- our own mistakes ------------------------------------------------------------------------ */

static void mistakes_end_the_process(void **state)
{
    (void)state;
    char said[200] = "";
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (!child) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        bug_at("some/file.c", 17, "%d of %s", 3, "4");
    }
    close(ends[1]);
    size_t len = 0;
    for (ssize_t n; (n = read(ends[0], said + len, sizeof said - 1 - len)) > 0;)
        len += (size_t)n;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_string_equal(said, "bug: some/file.c:17: 3 of 4\n");
}

/* --- libraries ------------------------------------------------------------------------------- */

/* Whether this program, if it were PROGRAM, finds the symbol in the library. */
static bool finds(const char *program, const char *library, const char *symbol)
{
    int status;
    const pid_t child = fork();
    if (!child) {
        execl("/proc/self/exe", program, "--find", library, symbol, (char *)NULL);
        _exit(9);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
    return !WEXITSTATUS(status);
}

static int find_it(const char *library, const char *symbol)
{
    const char *why = NULL;
    const void *found = library_symbol(library, symbol, &why);
    if (!found)
        return why && (strstr(why, library) || strstr(why, symbol)) ? 1 : 2;
    return !why && found == library_symbol(library, symbol, &why) && !why ? 0 : 3;
}

static const char *place_of(const char *library)
{
    struct link_map *map = NULL;
    void *handle = dlopen(library, RTLD_NOW);
    return handle && !dlinfo(handle, RTLD_DI_LINKMAP, &map) ? map->l_name : NULL;
}

static void libraries_beside_come_first(void **state)
{
    (void)state;
    char dir[] = "/tmp/base_test.XXXXXX", program[64], beside[64], lib[64], bin[64], in_lib[64];
    const char *a = place_of("libm.so.6"), *b = place_of("libjansson.so.4");
    assert_true(a && b && mkdtemp(dir));
    snprintf(bin, sizeof bin, "%s/bin", dir);
    snprintf(lib, sizeof lib, "%s/lib", dir);
    snprintf(program, sizeof program, "%s/bin/program", dir);
    snprintf(beside, sizeof beside, "%s/bin/libm.so.6", dir);
    snprintf(in_lib, sizeof in_lib, "%s/lib/libm.so.6", dir);
    assert_true(!mkdir(bin, 0700) && !mkdir(lib, 0700));

    assert_true(finds(program, "libm.so.6", "lgamma")); /* where the system looks */
    assert_false(finds(program, "libm.so.6", "json_true"));
    assert_false(finds(program, "libno.so", "lgamma"));
    assert_true(finds("program", "libm.so.6", "lgamma"));
    assert_int_equal(symlink(b, in_lib), 0);
    assert_true(finds(program, "libm.so.6", "json_true"));
    assert_false(finds(program, "libm.so.6", "lgamma"));
    assert_int_equal(symlink(a, beside), 0);
    assert_true(finds(program, "libm.so.6", "lgamma"));
    assert_false(finds(program, "libm.so.6", "json_true"));
    assert_true(!unlink(beside) && !unlink(in_lib) && !rmdir(bin) && !rmdir(lib) && !rmdir(dir));
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "--find"))
        return find_it(argv[2], argv[3]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(integers_of_each_width),
        cmocka_unit_test(powers_of_two),
        cmocka_unit_test(processors_are_those_of_the_process),
        cmocka_unit_test(blocks_and_copies),
        cmocka_unit_test(suffixes_of_files),
        cmocka_unit_test(buffers_hold_what_was_put),
        cmocka_unit_test(room_is_for_the_nul_too),
        cmocka_unit_test(buffers_grow_by_factors),
        cmocka_unit_test(buffers_that_failed_stay),
        cmocka_unit_test(arrays_grow),
        cmocka_unit_test(halves_find_the_place),
        cmocka_unit_test(distances_of_words),
        cmocka_unit_test(words_of_40_letters_are_compared),
        cmocka_unit_test(messages_show_their_place),
        cmocka_unit_test(lines_with_and_without_carets),
        cmocka_unit_test(messages_without_a_place),
        cmocka_unit_test(messages_say_what_led_to_them),
        cmocka_unit_test(long_messages_lose_their_end),
        cmocka_unit_test(messages_have_a_limit),
        cmocka_unit_test(whole_files_are_read),
        cmocka_unit_test(only_ordinary_files_are_read),
        cmocka_unit_test(writing_goes_on_after_signals),
        cmocka_unit_test(mistakes_end_the_process),
        cmocka_unit_test(libraries_beside_come_first),
    };
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
