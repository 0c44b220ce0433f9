# The format in an image says how wide each argument of the record is (doc/abi.md, Print buffer): lengths that the source left
# out are there where they are needed, and nowhere else.
# skip: ! test -e %b/ventus-cc1
# run: B=%b T=%t sh %s

cat >"$T.cl" <<'END'
kernel void k(global int *a, float f, int4 v, float2 g, long l, char c)
{
    printf("n %d f %g c %c l %ld h %hhd %5u%% v %v4d %v2hlg %v4hhx %s\n", a[0], f, c, l, c, a[1], v, g, convert_uchar4(v), "x");
}
END
"$B/ventus" cc -o "$T.elf" "$T.cl" || exit 1
tr '\0' '\n' <"$T.elf" | grep -qaxF 'n %d f %lg c %c l %ld h %hhd %5u%% v %v4hld %v2hlg %v4hhx %s' && exit 0
tr '\0' '\n' <"$T.elf" | grep -a 'n %'
exit 1
