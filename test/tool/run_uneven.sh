# What a work-item is told of itself where the last groups are smaller and ids do not begin at 0, in one to three dimensions
# and beyond, against the definitions of OpenCL C (6.15.1, "Work-Item Functions").
# skip: ! test -e %b/ventus-cc1
# run: B=%b T=%t sh %s

case $B in /*) ;; *) B=$PWD/$B ;; esac
mkdir -p "$T" && cd "$T" || exit 1
cat >k.cl <<'END'
kernel void all(global uint *out)
{
    uint n = get_global_linear_id();
    global uint *o = out + 36 * n;
    for (uint d = 0; d < 4; d++) {
        *o++ = get_global_id(d), *o++ = get_group_id(d), *o++ = get_local_id(d), *o++ = get_global_size(d);
        *o++ = get_local_size(d), *o++ = get_num_groups(d), *o++ = get_global_offset(d), *o++ = get_enqueued_local_size(d);
    }
    *o++ = n, *o++ = get_local_linear_id(), *o++ = get_work_dim(), *o++ = 77;
}
END
"$B/ventus" cc -cl-std=CL3.0 -o k.elf k.cl || exit 1
n=0
while read -r lanes global local offset; do
	n=$((n + 1))
	"$B/ventus" run --threads "$lanes" -g "$global" -l "$local" -G "$offset" -a "buf:u32:8000>got" k.elf || echo "-g $global: $?"
	od -An -v -tu4 -w144 got | awk -v g="$global" -v l="$local" -v o="$offset" '
		function wrong(what, got, want) { if (got != want && bad++ < 5) print "-g " g " -l " l " -G " o ", item " NR - 1 ": " what " is " got ", not " want }
		BEGIN { dims = split(g, G, ","); split(l, L, ","); split(o, O, ",")
			for (d = dims + 1; d <= 4; d++) { G[d] = L[d] = 1; O[d] = 0 } }
		NR <= G[1] * G[2] * G[3] {
			i = NR - 1; at[1] = i % G[1]; at[2] = int(i / G[1]) % G[2]; at[3] = int(i / G[1] / G[2]); at[4] = 0
			linear = 0; stride = 1
			for (d = 1; d <= 4; d++) {
				group = int(at[d] / L[d]); first = group * L[d]; size = G[d] - first < L[d] ? G[d] - first : L[d]
				k = 8 * (d - 1)
				wrong("get_global_id " d, $(k + 1), at[d] + O[d]); wrong("get_group_id " d, $(k + 2), group)
				wrong("get_local_id " d, $(k + 3), at[d] - first); wrong("get_global_size " d, $(k + 4), G[d])
				wrong("get_local_size " d, $(k + 5), size); wrong("get_num_groups " d, $(k + 6), int((G[d] + L[d] - 1) / L[d]))
				wrong("get_global_offset " d, $(k + 7), O[d]); wrong("get_enqueued_local_size " d, $(k + 8), L[d])
				linear += (at[d] - first) * stride; stride *= size }
			wrong("get_global_linear_id", $33, i); wrong("get_local_linear_id", $34, linear); wrong("get_work_dim", $35, dims); wrong("the end", $36, 77) }'
done <<'END'
4 100 32 0
8 100 7 1000
32 5 4 3
4 12,5 5,2 0,0
8 13,7 4,7 100,7
16 10,10 10,3 5,6
4 7,5,3 4,2,2 1,2,3
8 9,4,5 3,4,3 10,0,4
32 6,5,7 6,5,2 0,9,0
8 3,3,3 2,2,2 7,7,7
16 1,1,9 1,1,4 0,0,1000000
8 64 16 5
END
echo $n
cd / && rm -rf "$T"

# out:
# 12
# end
