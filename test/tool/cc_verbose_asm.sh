# cc -fverbose-asm: behind each place its line of the source, of every file that can be read; the text is otherwise that of -S.
# skip: ! test -e %b/ventus-cc1
# run: B=%b T=%t sh %s

case $B in /*) ;; *) B=$PWD/$B ;; esac
mkdir -p "$T" && cd "$T" || exit 1
cat >h.h <<'END'
int twice(int x)
{
    if (x > 7)
        x -= get_local_id(0);

    return x * get_group_id(0);
}
END
printf 'int dos(int x)\r\n{\r\n\treturn x / get_local_size(0);\r\n}' >dos.h
cat >k.cl <<'END'
#include "h.h"
#include "dos.h"
kernel void k(global int *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] += twice(p[i]) ^ dos(n);
    barrier(CLK_GLOBAL_MEM_FENCE);
#line 2 "k.c"
    p[n] ^= 5;
#line 8 "h.h"
    p[n] ^= 6;
#line 100 "gone.cl"
    p[n] = p[n + 1] * 3;
#line 900 "h.h"
    p[n + 2] = p[n + 3] * 5;
#line 5 "./h.h"
    p[n + 4] = p[n + 5] * 7;
}
END
"$B/ventus" cc -w -O0 -S -o plain.s k.cl && "$B/ventus" cc -w -O0 -S -fverbose-asm -o verbose.s k.cl
grep -v '^	#	' verbose.s | cmp - plain.s
awk -F : '
	function has(file, n,   text) {
		if (!(file in known)) { known[file]; while ((getline text <file) > 0) { sub(/\r$/, "", text); lines[file, ++count[file]] = text } }
		return (file, n) in lines }
	place { if (want ? $0 != "\t#\t" lines[file, number] : /^\t#\t/) print place ": " $0; place = "" }
	/^\t# .*:[0-9]+$/ { place = $0; file = substr($1, 4); number = $2; want = has(file, number); n[want]++; files[file] }
	END { for (f in files) k++; print k, (n[1] > 12), (n[0] >= 4) }' verbose.s
cd / && rm -rf "$T"

# out:
# 6 1 1
# end
