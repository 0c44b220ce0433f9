# What is inlined from a file whose text the program has not belongs to the line that calls it.
# skip: ! test -e %b/ventus-cc1
# run: B=%b T=%t sh %s

name=$(basename "$T").cl
cat >"$T.cl" <<END
#line 1 "elsewhere.h"
float mixed(float x, float y) { return x * y + sqrt(x); }
#line 4 "$T.cl"
kernel void k(global float *out, float x)
{
    int i = get_global_id(0);
    out[i] = mixed(x, (float)i);
}
END
"$B/ventus" run --profile -k k -g 32 -l 32 -a buf:f32:32 -a f32:2 "$T.cl" >"$T.txt" || exit
# the two lines of the kernel, with their text, and none of the other file
sed -n '/source lines/,/^$/p' "$T.txt" | grep -c "% *$name:[67]  [io]"
grep -c elsewhere "$T.txt"
exit 0

# out:
# 2
# 0
# end
