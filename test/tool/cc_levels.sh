# What is made simpler at which level: sums under max() share a term from -O1 on, products and sums of relaxed
# mathematics are fused then, and at -O0 stay as they are written; without relaxed mathematics clang fuses both.
# skip: ! test -e %b/ventus-cc1
# run: B=%b T=%t sh %s

cat >"$T.cl" <<'END'
kernel void best(global int *o, global const int *x, global const int *a, global const int *b, int p)
{
    const int i = get_global_id(0);
    o[i] = max(x[i], max(a[i] - p, b[i] - p));
}
kernel void fuse(global float *o, global const float *a, global const float *b, global const float *c)
{
    const int i = get_global_id(0);
    o[i] = a[i] * b[i] + c[i];
}
END
for options in -O0 -O1 -O2 '-O0 -cl-fast-relaxed-math' '-O1 -cl-fast-relaxed-math' '-O2 -cl-fast-relaxed-math'; do
    # shellcheck disable=SC2086
    "$B/ventus" cc $options -S -o "$T.s" "$T.cl" || exit 1
    echo "$options:" "$(grep -cE '^	vsub|^	vrsub' "$T.s")" "$(grep -cE '^	vmax' "$T.s")" \
        "$(grep -cE '^	vfmacc|^	vfmadd' "$T.s")" "$(grep -cE '^	vfmul' "$T.s")"
done
# out:
# -O0: 2 1 1 0
# -O1: 1 2 1 0
# -O2: 1 2 1 0
# -O0 -cl-fast-relaxed-math: 2 1 0 1
# -O1 -cl-fast-relaxed-math: 1 2 1 0
# -O2 -cl-fast-relaxed-math: 1 2 1 0
# end
