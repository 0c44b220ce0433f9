# What -v says of a launch is what --stats counts there; what it says of host code: every instruction ran there or beside,
# and what a run has made the next one finds on the disk.
# run: B=%b T=%t sh %s

printf '\t.kernel\tf\nf:\tlw\ta1, 0(a0)\n\tli\tt0, 5\n1:\taddi\tt0, t0, -1\n\tbnez\tt0, 1b\n\tret\n' >"$T.s"
rm -rf "$T.cache"
unset VENTUS_CACHE
export VENTUS_CACHE_DIR="$T.cache"
run() { "$B/ventus" run "$T.s" --threads 4 -g 24 -l 8 -a buf:i32:1 "$@" 2>"$T.err" >"$T.out" || echo "$*: status $?"; }
printf 'slots = 3\n' >"$T.machine"
printf 'warps = 4\ngroup_warps = 4\n' >"$T.warps.machine"
printf 'warps = 2\ngroup_warps = 2\n' >"$T.few.machine"
for machine in "$T.machine" "$T.warps.machine"; do
	run --engine interp --machine "$machine" -v --stats
	awk 'FILENAME ~ /out$/ { s[$1] = $2; next }
		{ text = "f: " s["groups"] " groups of " s["launch.warps"] " warps, " s["insns"] " instructions, " $(NF - 6) " s; an SM holds " s["occupancy.groups"] " (" s["occupancy.limit"] ")"
			print ($0 == text ? "as counted" : $0), ($(NF - 6) ~ /^[0-9]+\.[0-9][0-9][0-9]$/ && $(NF - 6) < 60), s["groups"], s["launch.warps"], s["occupancy.groups"], s["occupancy.limit"], s["insns"] }' "$T.out" "$T.err"
done
insns=$(sed -n 's/^insns \([0-9]*\) .*/\1/p' "$T.out")
# groups of more warps than an SM has make it one of so many; of fewer, not
run --engine interp --machine "$T.few.machine" --warps 3 -g 12 -l 12 -v && sed 's/.*; //' "$T.err"
run --engine interp --machine "$T.warps.machine" --warps 2 -v && sed 's/.*; //' "$T.err"
run --engine interp --warps 2 -v && sed 's/.*; //' "$T.err"
run --engine interp -v
wc -l <"$T.err"
if "$B/ventus" info | grep -q '^engine jit:'; then
	for cached in 0 1; do
		run --engine jit -v
		tail -n +2 "$T.err" | awk -v insns="$insns" -v cached=$cached '
			{ sub(/:/, "", $1)
				print $1, ($2 + $7 == insns), ($2 > 0), ($9 > 0), ($13 == (cached ? $9 : 0)), (cached ? $19 < 1 : $19 > 0 && $19 < 60000)
				$2 = $7 = $9 = $13 = $19 = "N"; print }'
	done
else
	for cached in 0 1; do
		echo jit 1 1 1 1 1
		echo jit N instructions in host code, N interpreted\; N pieces of code, N of them from the disk, N ms to make the others
	done
fi
rm -rf "$T.cache" "$T.s" "$T.out" "$T.err" "$T.machine" "$T.warps.machine" "$T.few.machine"

# out:
# as counted 1 3 2 3 slots 114
# as counted 1 3 2 2 warps 114
# an SM holds 1 (warps)
# an SM holds 2 (warps)
# an SM holds 16 (slots)
# 1
# jit 1 1 1 1 1
# jit N instructions in host code, N interpreted; N pieces of code, N of them from the disk, N ms to make the others
# jit 1 1 1 1 1
# jit N instructions in host code, N interpreted; N pieces of code, N of them from the disk, N ms to make the others
# end
