# What lies on bytes, halves or words only is accessed by as few pieces as that allows.
# skip: ! test -e %b/ventus-cc1
# run: B=%b T=%t sh %s

cat >"$T.cl" <<'END'
struct __attribute__((packed)) bytes { char c; int x; long y; };
struct __attribute__((packed, aligned(2))) halves { short c; int x; long y; };
struct __attribute__((packed, aligned(4))) words { int c; long y; short z; };
kernel void store_bytes(global struct bytes *p) { p->x = 3; p->y = 4; }
kernel void store_halves(global struct halves *p) { p->x = 3; p->y = 4; }
kernel void store_words(global struct words *p) { p->y = 5; p->c = 7; p->z = 6; }
kernel void load_bytes(global struct bytes *p, global long *q) { q[0] = p->y; }
kernel void load_halves(global struct halves *p, global long *q) { q[0] = p->y; }
kernel void load_words(global struct words *p, global long *q) { q[0] = p->y; }
kernel void vectors(global const int *p, global int *q) { vstore4(vload4(0, p) + 1, 0, q); }
END
# loads of the arguments, a word each, are not counted
"$B/ventus" cc -S -o - "$T.cl" | awk '
    /^[a-z_]+:$/ { name = $1 }
    /^\t(v?[ls][bhw]u?[0-9.v]*) / && !/\(a0\)/ { n[name " " $1]++ }
    END { for (k in n) print k, n[k] }' | LC_ALL=C sort
rm -f "$T.cl"

# out:
# load_bytes: lbu 8
# load_bytes: sw 2
# load_halves: lhu 4
# load_halves: sw 2
# load_words: lw 2
# load_words: sw 2
# store_bytes: sb 12
# store_halves: sh 6
# store_words: sh 1
# store_words: sw 3
# vectors: lw 4
# vectors: sw 4
# end
