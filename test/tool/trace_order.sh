# The order in which a trace names the registers that an instruction wrote: that of libstdc++'s unordered_map with 29
# buckets, where what is new goes to the front of its bucket, and a new bucket to the front of all.  And the order of warps.
# run: B=%b T=%t sh %s

{
	printf '\t.kernel k\nk:\n'
	for rd in $(seq 1 31); do
		echo "	vsetvli	x$rd, zero, e32, m1, $([ $((rd % 2)) = 0 ] && echo ta, ma || echo tu, mu)"
	done
	echo '	endprg	x0, x0, x0'
} >"$T.s"
"$B/ventus" run "$T.s" -g 4 --threads 4 --trace=- |
	sed -n '/c3105_vtype.*/{/mstatus/d;p;}' | sed 's/_[a-z]* 0x[0-9a-f]*//g; s/ 0x[0-9a-f]\{8\}\b//g; s/.*) *//; s/  */ /g' >"$T.got"
awk 'function put(key, name,   i, at) {
		for (i = 1; i <= n && !at; i++) if (bucket[i] == key % 29) at = i
		at = at ? at : 1
		for (i = n; i >= at; i--) { bucket[i + 1] = bucket[i]; text[i + 1] = text[i] }
		bucket[at] = key % 29; text[at] = name; n++ }
	BEGIN { for (rd = 1; rd < 32; rd++) {
		n = 0
		put(3105 * 16 + 4, "c3105"); put(3104 * 16 + 4, "c3104"); put(8 * 16 + 4, "c8"); put(rd * 16, "x" rd)
		print text[1], text[2], text[3], text[4] } }' >"$T.want"
sed 's/ *$//' "$T.got" | diff "$T.want" - && wc -l <"$T.want"
# warps take turns, one line each
for warps in 1 2 3 5; do
	"$B/ventus" run "$T.s" -g $((4 * warps)) -l $((4 * warps)) --threads 4 --trace=- |
		awk -v n="$warps" '$2 + 0 != (NR - 1) % n { print n " warps, line " NR ": " $0 } END { if (NR < 32 * n || NR % n) print n, NR }'
done
rm -f "$T.s" "$T.got" "$T.want"

# out:
# 31
# end
