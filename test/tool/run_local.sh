# The sizes of groups that nobody asks for: the whole index space where it fits, else the largest divisor in each dimension,
# in x a multiple of the lanes where there is one.  Every launch finds its sizes and its offset in the metadata block.
# run: B=%b T=%t sh %s

cat >"$T.s" <<'EOF'
	.include "abi.inc"
	.kernel sizes
sizes:	lw	a1, 0(a0)
	csrr	a2, CSR_KNL
	.set	i, 0
	.rept	3
	lw	t0, 4 * KNL_GLOBAL + 4*i(a2)
	sw	t0, 4*i(a1)
	lw	t0, 4 * KNL_LOCAL + 4*i(a2)
	sw	t0, 12 + 4*i(a1)
	lw	t0, 4 * KNL_OFFSET + 4*i(a2)
	sw	t0, 24 + 4*i(a1)
	.set	i, i + 1
	.endr
	lw	t0, 4 * KNL_DIMS(a2)
	sw	t0, 36(a1)
	ret
EOF
"$B/ventus" as -o "$T.o" "$T.s" || exit 1
# threads, warps, global, offset, and the local size by the rule, tried for every size
awk 'function fits(n, most, of,   k) { for (k = most; k > 1; k--) if (n % k == 0 && k % of == 0) return k; return of > 1 ? fits(n, most, 1) : 1 }
	function random(n) { seed = (seed * 16807) % 2147483647; return seed % n }
	BEGIN { seed = 7
		for (i = 0; i < 60; i++) {
			lanes = 2 ^ (2 + i % 4); warps = 1 + random(6); most = lanes * warps; dims = 1 + i % 3
			for (k = 0; k < 3; k++) { g[k] = k < dims ? 1 + random(k ? 12 : 90) : 1; o[k] = k < dims ? random(9) : 0 }
			l[0] = g[0]; l[1] = g[1]; l[2] = g[2]
			if (g[0] * g[1] * g[2] > most) { l[0] = fits(g[0], most, lanes); l[1] = fits(g[1], int(most / l[0]), 1); l[2] = fits(g[2], int(most / l[0] / l[1]), 1) }
			text = g[0] (dims > 1 ? "," g[1] : "") (dims > 2 ? "," g[2] : ""); at = o[0] (dims > 1 ? "," o[1] : "") (dims > 2 ? "," o[2] : "")
			print lanes, warps, text, at, g[0], g[1], g[2], l[0], l[1], l[2], o[0], o[1], o[2], dims } }' >"$T.cases"
while read -r lanes warps g o want; do
	got=$("$B/ventus" run --threads "$lanes" --warps "$warps" -g "$g" -G "$o" -a 'buf:u32:10>-' "$T.o" 2>&1)
	[ "$got" = "arg0[0..9]: $want" ] || printf '%s lanes, %s warps, -g %s -G %s: wanted\n%s\ngot\n%s\n' "$lanes" "$warps" "$g" "$o" "$want" "$got"
done <"$T.cases"
wc -l <"$T.cases"
rm -f "$T.s" "$T.o" "$T.cases"

# out:
# 60
# end
