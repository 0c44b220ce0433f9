/* hand.c -- the loops of int, fma, stream and diverge of bench/ as one would write them by hand for the host, in C with
 * vectors, to measure host code against: hand.sh does.
 *
 *     hand NAME           runs the loop; prints a sum of what it made, and its processor time in nanoseconds
 *     hand time COMMAND   runs the command; prints its processor time, that of its children included
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The items of a warp: the host's compiler divides them among its registers. */
enum { LANES = 32 };
typedef uint32_t Words __attribute__((vector_size(4 * LANES)));
typedef int32_t Masks __attribute__((vector_size(4 * LANES)));
typedef float Floats __attribute__((vector_size(4 * LANES)));

/* the sizes of a full run in bench.sh */
enum { ITEMS = 16384, ROUNDS = 40000, ELEMENTS = 4194304, TURNS = 50, STARTS = 1048576 };

static Words ids(uint32_t first)
{
    Words v;
    for (uint32_t i = 0; i < LANES; i++)
        v[i] = first + i;
    return v;
}

static void int_loop(uint32_t *out)
{
    for (uint32_t item = 0; item < ITEMS; item += LANES) {
        Words v = ids(item + 1);
        for (int i = 0; i < ROUNDS; i++) {
            v ^= v << 13;
            v ^= v >> 17;
            v ^= v << 5;
        }
        memcpy(out + item, &v, sizeof v);
    }
}

static void fma_loop(uint32_t *out)
{
    const uint32_t bits = 0x3f7fff00;
    float little_less;
    memcpy(&little_less, &bits, sizeof bits);
    for (uint32_t item = 0; item < ITEMS; item += LANES) {
        const Floats x = __builtin_convertvector(ids(item), Floats), a = (Floats){0} + little_less;
        Floats sum[8] = {{0}};
        for (int i = 0; i < ROUNDS; i++)
            for (int k = 0; k < 8; k++)
                sum[k] = sum[k] * a + x; /* fused, as compilers do unless told not to */
        for (int k = 1; k < 8; k++)
            sum[0] += sum[k];
        memcpy(out + item, &sum[0], sizeof sum[0]);
    }
}

static void stream_loop(const uint32_t *a, const uint32_t *b, uint32_t *c)
{
    for (int turn = 0; turn < TURNS; turn++) {
        for (uint32_t i = 0; i < ELEMENTS; i += LANES) {
            Words x, y;
            memcpy(&x, a + i, sizeof x);
            memcpy(&y, b + i, sizeof y);
            x += y * 3;
            memcpy(c + i, &x, sizeof x);
        }
        __asm__ volatile("" ::: "memory"); /* every turn is made */
    }
}

static int some(Masks m)
{
    int32_t any = 0;
    for (int i = 0; i < LANES; i++)
        any |= m[i];
    return any != 0;
}

static void diverge_loop(uint32_t *out)
{
    for (uint32_t item = 0; item < STARTS; item += LANES) {
        Words n = ids(item + 1), steps = {0};
        for (Masks on = n != 1; some(on); on = n != 1) {
            const Words odd = (Words)((n & 1) == 1);
            const Words next = (odd & (3 * n + 1)) | (~odd & (n >> 1));
            n = ((Words)on & next) | (~(Words)on & n);
            steps -= (Words)on;
        }
        memcpy(out + item, &steps, sizeof steps);
    }
}

static uint64_t nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int run(const char *name)
{
    uint32_t *a = calloc(ELEMENTS, sizeof *a), *b = calloc(ELEMENTS, sizeof *b), *c = calloc(ELEMENTS, sizeof *c);
    if (!a || !b || !c)
        return 1;
    for (uint32_t i = 0; i < ELEMENTS; i++)
        a[i] = i, b[i] = i, c[i] = 1;
    const uint64_t before = nanoseconds();
    if (!strcmp(name, "int"))
        int_loop(c);
    else if (!strcmp(name, "fma"))
        fma_loop(c);
    else if (!strcmp(name, "stream"))
        stream_loop(a, b, c);
    else if (!strcmp(name, "diverge"))
        diverge_loop(c);
    else
        return 2;
    const uint64_t after = nanoseconds();
    uint32_t sum = 0;
    for (uint32_t i = 0; i < ELEMENTS; i++)
        sum += c[i];
    printf("%08x %llu\n", sum, (unsigned long long)(after - before));
    return 0;
}

static int measure(char **command)
{
    struct rusage use;
    int status;
    const pid_t child = fork();
    if (!child) {
        execvp(command[0], command);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &use) < 0 || status)
        return 1;
    const struct timeval u = use.ru_utime, s = use.ru_stime;
    printf("%lld\n", 1000 * (1000000LL * (u.tv_sec + s.tv_sec) + u.tv_usec + s.tv_usec));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "time"))
        return measure(argv + 2);
    return argc == 2 ? run(argv[1]) : 2;
}
