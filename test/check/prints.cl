/* prints.cl -- prints with one mistake each, and others that have none; test/script/check_print_test.sh
 * says which.  clang sees some of them, and warns; at run time they are found too. */

constant char two[] = "%d %d\n";
constant char text[] = "%s|\n";
constant char big[70000] = {[0 ... 69999] = 'x'};

kernel void no_argument(int n) { printf("%d %d\n", n); /* print-1 */ }

kernel void no_argument_later(int n)
{
    printf(n ? two : text, "one"); /* print-2 */
}

kernel void no_conversion(global int *p) { printf("%d %n\n", 1, p); /* print-3 */ }

kernel void no_string(int n)
{
    if (get_global_id(0) < 2)
        printf(n ? text : two, n, n); /* print-4 */
}

kernel void null_string(int n) { printf("<%s>\n", n ? "one" : (constant char *)0); /* print-5 */ }

kernel void string_of_buffer(global char *s)
{
    s[0] = 'a' + get_global_id(0);
    s[1] = 0;
    printf("%s\n", s); /* print-6 */
}

kernel void endless_string(int n) { printf("%s\n", n ? big : "short"); /* print-7 */ }

kernel void wide(int n) { printf("%*d\n", n, 1); /* print-8 */ }

kernel void overflow(int n)
{
    for (int i = 0; i < n; i++)
        printf("%d %d %d\n", i, n, 3); /* print-9 */
    printf("the end\n");
}

/* `place` is an address in the print buffer. */
kernel void wild(global int *p, uint place)
{
    volatile global int *q = (volatile global int *)(uintptr_t)place;
    printf("one %p\n", p);
    q[3] = 5; /* print-10 */
}

kernel void wild_load(global int *out, uint place)
{
    volatile global int *q = (volatile global int *)(uintptr_t)place;
    printf("one\n");
    out[0] = q[0]; /* print-11 */
}

/* --- none ------------------------------------------------------------------------------------ */

kernel void fine(global int *p, int n)
{
    const int i = get_global_id(0);
    printf("%d %ld %s %c%% %v4hlx %p\n", i, (long)i, i & 1 ? "odd" : "even", 'x', (int4)(i), p);
    if (i % 3)
        printf(n ? two : text, i, n);
    printf("%hhx %*d %.*f\n", 1 << i, 5, i, 2, 1.5f);
    printf("no argument\n");
    printf("");
}

kernel void fine_unused(int n) { printf(n ? two : text, n, n, 5); }
