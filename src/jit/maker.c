/* maker.c -- from a region to executable code.
 *
 *   1. the request is written as bytes; with the processor, the maker's program and the user they
 *      are the key of the cache
 *   2. the cache has an entry of that key with a valid hash: that is the answer
 *   3. else the maker makes the answer; request, answer and complaints are anonymous files
 *   4. the helpers that the code calls are got in the same way, each once, all new ones by one job
 *   5. the object is loaded, and a new answer goes to the cache
 *
 * What comes from the disk is executed.  So each entry has a keyed hash over key and answer
 * (siphash.h), whose secret is in a file of the cache's directory that only the user may read.  An
 * entry that another user wrote or changed, or that is damaged, is not used.
 */
#include "jit/maker.h"
#include "base/fdio.h"
#include "comp/cache.h"
#include "comp/comp.h"
#include "jit/hostkind.h"
#include "jit/siphash.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { MAX_PATH = 4096, SECRET = 16 /* bytes */ };
static const ProcLimits limits = {.cpu = 30, .wall = 300, .memory = (u64)2 << 30, .file = 1 << 28};

struct Maker {
    char level[8];
    char *program;         /* of the process, or NULL */
    pthread_mutex_t lock;  /* of the process and its descriptors */
    int control;           /* the process's socket, or -1 */
    int cancel;            /* readable: answers are not waited for; -1: not made yet */
    bool canceled, broken; /* broken: it could not be started */
    pid_t owner;           /* the process that started it: a fork of the host starts its own */
    Buf processor;         /* put_processor(), which takes long on virtual machines */
    char *cache;           /* directory, or NULL */
    u8 secret[SECRET];
    pthread_mutex_t helping; /* recursive, held while helpers are got */
    HostFunction *helper[NHELPERS];
    Loaded held[NHELPERS];
};

extern char **environ;

/* --- the secret -------------------------------------------------------------------------- */

static bool read_secret(const char *path, u8 secret[SECRET])
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    const bool ok = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
                    !(st.st_mode & 077) && st.st_nlink == 1 && st.st_size == SECRET &&
                    read(fd, secret, SECRET) == SECRET;
    const int why = errno;
    if (fd >= 0)
        close(fd);
    errno = fd < 0 ? why : EACCES;
    return ok;
}

/* Writes a new secret, unless another process was faster. */
static void make_secret(const char *dir, const char *path)
{
    char temporary[MAX_PATH];
    u8 bytes[SECRET];
    if (getrandom(bytes, SECRET, 0) != SECRET ||
        snprintf(temporary, sizeof temporary, "%s/ventus-XXXXXX", dir) >= MAX_PATH)
        return;
    const int fd = mkostemp(temporary, O_CLOEXEC); /* 0600 */
    if (fd < 0)
        return;
    const bool written = fd_write(fd, bytes, SECRET);
    close(fd);
    if (!written || renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE))
        unlink(temporary);
}

/* Without a secret of our own there is no cache. */
static void open_cache(Maker *m)
{
    char path[MAX_PATH];
    char *dir = comp_cache_directory();
    const bool fits =
        dir && snprintf(path, sizeof path, "%s/code-key-%u", dir, (unsigned)geteuid()) < MAX_PATH;
    bool ok = fits && read_secret(path, m->secret);
    if (fits && !ok && errno == ENOENT && cache_make(dir)) {
        make_secret(dir, path);
        ok = read_secret(path, m->secret);
    }
    if (ok)
        m->cache = dir;
    else
        mem_free(dir);
}

/* All by which processors differ whose code may differ. */
static void put_processor(Buf *to)
{
#if defined(__x86_64__)
    static const u32 leaves[][2] = {{0, 0}, {1, 0}, {7, 0}, {7, 1}, {0x80000001, 0}};
    for (size_t i = 0; i < countof(leaves); i++) {
        u32 a = 0, b = 0, c = 0, d = 0;
        __get_cpuid_count(leaves[i][0], leaves[i][1], &a, &b, &c, &d);
        if (leaves[i][0] == 1)
            b = 0; /* the number of this one */
        buf_printf(to, "%08x %08x %08x %08x\n", a, b, c, d);
    }
#else
    (void)to; /* code is the same for all */
#endif
}

/* --- life -------------------------------------------------------------------------------- */

static char *find_program(void)
{
    const char *set = getenv("VENTUS_JIT_PROGRAM");
    return set && *set ? mem_strdup(set) : proc_find("ventus-jit1");
}

bool maker_available(const char **why)
{
    char *program = host_kind() ? find_program() : NULL;
    const bool there = program != NULL;
    if (!host_kind())
        *why = "code is made for x86-64 and AArch64 alone";
    else if (!there)
        *why = "its program ventus-jit1 is not beside this one";
    mem_free(program);
    return there;
}

Maker *maker_open(const char *level)
{
    Maker *m = mem_zalloc(1, sizeof *m);
    if (!m)
        return NULL;
    snprintf(m->level, sizeof m->level, "%s", level);
    pthread_mutex_init(&m->lock, NULL);
    pthread_mutexattr_t again;
    pthread_mutexattr_init(&again);
    pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m->helping, &again);
    pthread_mutexattr_destroy(&again);
    m->control = m->cancel = -1;
    m->program = find_program();
    put_processor(&m->processor);
    if (m->program && !m->processor.failed)
        open_cache(m);
    return m;
}

void maker_close(Maker *m)
{
    if (!m)
        return;
    for (u32 i = 0; i < NHELPERS; i++)
        code_unload(&m->held[i]);
    if (m->control >= 0)
        close(m->control);
    if (m->cancel >= 0)
        close(m->cancel);
    pthread_mutex_destroy(&m->lock);
    pthread_mutex_destroy(&m->helping);
    buf_free(&m->processor);
    mem_free(m->program);
    mem_free(m->cache);
    mem_free(m);
}

bool maker_keeps(const Maker *m) { return m->cache; }

HostFunction *const *maker_helpers(const Maker *m) { return m->helper; }

void maker_cancel(Maker *m)
{
    pthread_mutex_lock(&m->lock);
    m->canceled = true;
    if (m->cancel >= 0)
        eventfd_write(m->cancel, 1);
    pthread_mutex_unlock(&m->lock);
}

/* --- the process ------------------------------------------------------------------------- */

/* A descriptor of the process's socket that is the caller's to close; -1: there is none.  anew: the
 * process that there was is gone. */
static int connect_maker(Maker *m, bool anew, int *cancel)
{
    char *argv[] = {m->program, m->level, NULL};
    int fd = -1;
    pthread_mutex_lock(&m->lock);
    if (m->owner != getpid() || anew) {
        if (m->control >= 0)
            close(m->control);
        if (m->cancel >= 0 && !anew)
            close(m->cancel);
        m->control = -1;
        m->cancel = anew ? m->cancel : -1;
        m->owner = getpid();
    }
    if (m->cancel < 0)
        m->cancel = eventfd(m->canceled, EFD_CLOEXEC | EFD_NONBLOCK);
    if (m->control < 0 && !m->broken && !m->canceled && m->cancel >= 0)
        m->broken = proc_start(argv, environ, &m->control);
    if (m->control >= 0 && !m->canceled)
        fd = fcntl(m->control, F_DUPFD_CLOEXEC, 0);
    *cancel = m->cancel;
    pthread_mutex_unlock(&m->lock);
    return fd;
}

static bool call_maker(Maker *m, const int file[CODEJOB_FILES])
{
    ProcResult r = {PROC_LOST, 0};
    int why = EPIPE;
    for (int i = 0; i < 2 && why == EPIPE; i++) {
        int cancel;
        const int control = connect_maker(m, i > 0, &cancel);
        if (control < 0)
            return false;
        why = proc_call(control, file, CODEJOB_FILES, &limits, cancel, &r);
        close(control);
    }
    return !why && r.how == PROC_EXITED && !r.code;
}

static bool ask(Maker *m, const Buf *request, Buf *answer)
{
    const int file[CODEJOB_FILES] = {[CODEJOB_REQUEST] = memfd_create("request", MFD_CLOEXEC),
                                     [CODEJOB_ANSWER] = memfd_create("answer", MFD_CLOEXEC),
                                     [CODEJOB_COMPLAINT] = memfd_create("complaint", MFD_CLOEXEC)};
    bool ok = true;
    for (int i = 0; i < CODEJOB_FILES; i++)
        ok &= file[i] >= 0;
    ok = ok && fd_write(file[CODEJOB_REQUEST], request->data, request->len) &&
         call_maker(m, file) && fd_read(file[CODEJOB_ANSWER], limits.file, answer);
    for (int i = 0; i < CODEJOB_FILES; i++)
        if (file[i] >= 0)
            close(file[i]);
    return ok;
}

/* --- the cache --------------------------------------------------------------------------- */

static void put_key(const Maker *m, const Buf *request, Buf *key)
{
    struct stat st = {0};
    if (stat(m->program, &st))
        memset(&st, 0, sizeof st);
    buf_printf(key, "host code, ventus " VERSION ", user %u\n%s:%jd.%jd.%ld\n", (unsigned)geteuid(),
               m->program, (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    buf_put(key, m->processor.data, m->processor.len);
    buf_put(key, request->data, request->len);
}

static u64 mark_of(const Maker *m, const Buf *key, const u8 *answer, size_t len)
{
    Buf all = {0};
    const u64 size = key->len;
    buf_put(&all, &size, sizeof size);
    buf_put(&all, key->data, key->len);
    buf_put(&all, answer, len);
    const u64 mark = all.failed ? 0 : siphash(m->secret, all.data, all.len);
    buf_free(&all);
    return mark;
}

static bool find_entry(const Maker *m, const Buf *key, Buf *answer)
{
    Buf entry = {0};
    u64 mark;
    bool ok = m->cache && cache_get(m->cache, key, &entry) && entry.len > sizeof mark;
    if (ok) {
        const size_t len = entry.len - sizeof mark;
        memcpy(&mark, entry.data, sizeof mark);
        ok = mark && mark == mark_of(m, key, entry.data + sizeof mark, len);
        buf_put(answer, ok ? entry.data + sizeof mark : NULL, ok ? len : 0);
    }
    buf_free(&entry);
    return ok && !answer->failed;
}

static void keep_entry(const Maker *m, const Buf *key, const Buf *answer)
{
    Buf entry = {0};
    const u64 mark = m->cache ? mark_of(m, key, answer->data, answer->len) : 0;
    buf_put(&entry, &mark, sizeof mark);
    buf_put(&entry, answer->data, answer->len);
    if (mark && !entry.failed)
        cache_put(m->cache, key, &entry);
    buf_free(&entry);
}

/* --- code -------------------------------------------------------------------------------- */

/* A request, and what comes of it. */
typedef struct {
    const Buf *request;
    u64 digest;
    Buf key, answer;
    bool cached;
} Item;

/* Several of them, on the heap: threads may have small stacks. */
typedef struct {
    Item item[NHELPERS];
    Buf own[NHELPERS];    /* their requests */
    u32 helper[NHELPERS]; /* that each asks for */
    u32 n;
    const Buf *request[NHELPERS]; /* of those that are not on the disk */
    Buf *answer[NHELPERS];
    Bytes part[NHELPERS];
} Items;

/* Looks for the answer on the disk.  False: out of memory. */
static bool look(const Maker *m, Item *i)
{
    put_key(m, i->request, &i->key);
    i->cached = !i->key.failed && find_entry(m, &i->key, &i->answer);
    return !i->request->failed;
}

/* The answers to all items, those that are not on the disk by one job (disk: by none). */
static bool answer_all(Maker *m, Items *all, bool disk)
{
    u32 wanted = 0, got = 0;
    Buf joined = {0}, answers = {0};
    for (u32 i = 0; i < all->n; i++) {
        if (!look(m, &all->item[i]))
            return false;
        if (!all->item[i].cached) {
            all->request[wanted] = all->item[i].request;
            all->answer[wanted++] = &all->item[i].answer;
        }
    }
    if (wanted < 2 || disk)
        return !wanted || (!disk && ask(m, all->request[0], all->answer[0]));
    codejob_join(all->request, wanted, &joined);
    const bool ok = !joined.failed && ask(m, &joined, &answers) &&
                    codejob_split(answers.data, answers.len, all->part, &got) && got == wanted;
    for (u32 i = 0; ok && i < got; i++)
        buf_put(all->answer[i], all->part[i].data, all->part[i].len);
    buf_free(&joined);
    buf_free(&answers);
    return ok;
}

static bool get_helpers(Maker *m, const u64 wanted[HELPER_WORDS], bool disk, MakerCost *cost);

/* Loads the code of an answer, which goes to the disk if it is new. */
static bool take(Maker *m, const Item *i, bool disk, Loaded *to, MakerCost *cost)
{
    CodeAnswer a;
    Buf object = {0}; /* aligned */
    const char *why;
    bool ok = codeanswer_read(i->answer.data, i->answer.len, &a) && a.digest == i->digest;
    if (ok)
        buf_put(&object, a.object.data, a.object.len);
    ok = ok && !object.failed && code_load(object.data, object.len, CODE_SYMBOL, to, &why);
    buf_free(&object);
    if (!ok)
        return false;
    if (!i->cached && !i->key.failed)
        keep_entry(m, &i->key, &i->answer);
    if (!get_helpers(m, a.helpers, disk, cost)) {
        code_unload(to);
        return false;
    }
    cost->nanoseconds += i->cached ? 0 : a.nanoseconds;
    return true;
}

static void forget(Item *i)
{
    buf_free(&i->key);
    buf_free(&i->answer);
}

/* By one job, or (disk) by none.  Helpers may need others, of lower rank: none needs itself. */
static bool get_helpers(Maker *m, const u64 wanted[HELPER_WORDS], bool disk, MakerCost *cost)
{
    Items *all = mem_zalloc(1, sizeof *all);
    if (!all)
        return false;
    pthread_mutex_lock(&m->helping);
    for (u32 i = 0; i < NHELPERS; i++) {
        CodeJob j = {.helper = i};
        if (!(wanted[i / 64] >> i % 64 & 1) || m->helper[i])
            continue;
        memcpy(j.level, m->level, sizeof j.level);
        codejob_write(&j, NULL, &all->own[all->n]);
        all->item[all->n].request = &all->own[all->n];
        all->helper[all->n++] = i;
    }
    bool ok = answer_all(m, all, disk);
    for (u32 i = 0; i < all->n; i++) {
        Loaded *to = &m->held[all->helper[i]];
        ok = ok && (m->helper[all->helper[i]] || take(m, &all->item[i], disk, to, cost));
        if (ok) /* before any thread gets code that calls it */
            m->helper[all->helper[i]] = to->entry;
        forget(&all->item[i]);
        buf_free(&all->own[i]);
    }
    pthread_mutex_unlock(&m->helping);
    mem_free(all);
    return ok;
}

void maker_warm(Maker *m)
{
    u64 usual[HELPER_WORDS];
    MakerCost cost = {.cached = false};
    int cancel;
    const int control = m->program ? connect_maker(m, false, &cancel) : -1;
    if (control < 0)
        return;
    close(control);
    helpers_usual(usual);
    get_helpers(m, usual, false, &cost);
}

/* disk: only from the disk */
static bool make(Maker *m, const MakerOrder *o, bool disk, Loaded *to, MakerCost *cost)
{
    Item i = {.request = &o->request, .digest = o->digest};
    *cost = (MakerCost){.cached = false};
    bool ok = m->program && look(m, &i);
    cost->cached = ok && i.cached;
    ok = ok && (i.cached || (!disk && ask(m, &o->request, &i.answer))) &&
         take(m, &i, disk, to, cost);
    forget(&i);
    return ok;
}

MakerOrder maker_order(const Maker *m, const Region *r, const Code *code, CodeKind kind)
{
    MakerOrder o = {.digest = region_digest(r)};
    CodeJob j = {.region = r, .kind = kind};
    memcpy(j.level, m->level, sizeof j.level);
    codejob_write(&j, code, &o.request);
    return o;
}

void maker_forget(MakerOrder *o) { buf_free(&o->request); }

bool maker_make(Maker *m, const MakerOrder *o, Loaded *to, MakerCost *cost)
{
    return make(m, o, false, to, cost);
}

bool maker_find(Maker *m, const MakerOrder *o, Loaded *to, MakerCost *cost)
{
    return make(m, o, true, to, cost);
}
