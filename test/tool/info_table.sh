# What info says to people and as JSON is the same, and the values of a machine are those of its description: its own, else
# those of the one that it begins from, else those that a parameter has anyway.
# run: B=%b T=%t sh %s

"$B/ventus" info >"$T.text" && "$B/ventus" info --json >"$T.json" || exit 1
# 1. from JSON, a line each: profiles, engines, lanes, built in, parameters
awk -F '"' '
	/^  "/ { part = $2; if (NF >= 5 && $4) print part, $4 }
	/^    "[^"]*": \{/ { name = $2; next }
	part == "profiles" && /^    "/ { gsub(/[^0-9]/, "", $3); print "profile", $2, $3 }
	part == "engines" && /^    "/ { print "engine", $2 }
	part == "built_in" && /^    "/ { print $2, $3 ~ /true/ ? "yes" : "no" }
	part == "parameters" && /^      "/ { v[$2] = NF >= 5 ? $4 : $3; gsub(/^: |,$/, "", v[$2]) }
	part == "parameters" && /^      "what"/ {
		print name, v["unit"], v["least"] ".." v["most"] (v["power_of_two"] == "true" ? " 2^n" : ""), v["value"], v["what"] " (" v["source"] ")" }' \
	"$T.json" >"$T.want"
# the column of machine default is what a parameter has anyway
awk '/^ventus/ { print "version", $2 }
	/^profile/ { print $1, $2, $3 }
	/^engine/ { sub(/:/, ""); print $1, $2 }
	/^lanes:/ { print "lanes", $2 }
	/^built in:/ { sub(/;/, ""); print $3, $4 }
	/^parameter/ { on = 1; sub(/^.*range/, ""); for (i = 1; i < NF; i++) if ($i == "default") column = i; machines = NF - 1; next }
	/^$/ { on = 0 }
	on { i = $4 == "2^n" ? 5 : 4; value = $(i + column - 1); text = $1 " " $2 " " $3 (i == 5 ? " 2^n" : "")
		line = $0; for (k = 1; k < i + machines; k++) sub(/^ *[^ ]+ +/, "", line); print text, value, line }' "$T.text" >"$T.got"
diff "$T.want" "$T.got"
for p in v2025 ai tidx; do # as many instructions as were published
	n=$(cut -f2 test/golden/isa_encodings.tsv | grep -cx "\(.*+\)\{0,1\}$p")
	grep -q "^profile $p *$n instructions" "$T.text" || echo "$p: not $n"
done
# 2. values of machines from their descriptions
awk '/^parameter/ { on = 1; sub(/^.*range/, ""); for (i = 1; i < NF; i++) machine[i] = $i; n = NF - 1; next }
	/^$/ { on = 0 }
	on { k = $4 == "2^n" ? 4 : 3; names[++rows] = $1; for (i = 1; i <= n; i++) shown[machine[i], $1] = $(k + i) }
	/^machine/ { m = $2; sub(/:/, "", m); next }
	m { sub(/#.*/, "") }
	m && / = / { said[m, $1] = $3 }
	function value(m, name) { if ((m, name) in said) return said[m, name]
		return (m, "base") in said ? value(said[m, "base"], name) : shown["default", name] }
	END { for (i = 1; i <= n; i++) for (k = 1; k <= rows; k++) { values++
			if (value(machine[i], names[k]) != shown[machine[i], names[k]]) print machine[i], names[k], value(machine[i], names[k]), shown[machine[i], names[k]] }
		print (n > 4), (values > 300) }' "$T.text"
rm -f "$T.text" "$T.json" "$T.want" "$T.got"

# out:
# 1 1
# end
