#!/bin/sh
# drawings_test.sh -- the drawings of the documents are what their texts make, and the texts say what holds:
# addresses are those of doc/abi.md, lanes those of a run, directories exist.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build} bad=0 n=0
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
wrong() {
    echo "$*"
    bad=1
}

for text in doc/drawings/*.txt; do
    svg=${text%.txt}.svg
    n=$((n + 1))
    for awk in awk mawk gawk 'busybox awk'; do
        command -v "${awk%% *}" >/dev/null || continue
        $awk -f doc/drawings/draw.awk "$text" >"$t/svg" || wrong "$text: $awk makes nothing of it"
        cmp -s "$t/svg" "$svg" || wrong "$svg is not what $awk makes of $text; run make doc"
    done
    ! command -v xmllint >/dev/null || xmllint --noout "$svg" || bad=1
    grep -qr "](.*drawings/$(basename "$svg"))" ./*.md doc/*.md || wrong "no document shows $svg"
done

# the borders of the map are those of the table
grep -o '\b0x[0-9a-f]\{8,\}' doc/drawings/memory.txt | sort -u >"$t/drawn"
sed -n '/generated: spaces/,/end/s/^| \(0x[0-9a-f]*\) to \(0x[0-9a-f]*\) .*/\1 \2/p' doc/abi.md | tr ' ' '\n' | sort -u >"$t/listed"
[ -s "$t/drawn" ] && [ -z "$(comm -23 "$t/drawn" "$t/listed")" ] || wrong "memory.txt: not in doc/abi.md: $(comm -23 "$t/drawn" "$t/listed" | xargs)"
# where a range begins must be drawn; where one ends, the next may begin
sed -n '/generated: spaces/,/end/s/^| \(0x[0-9a-f]*\) to .*/\1/p' doc/abi.md | sort -u >"$t/starts"
[ -z "$(comm -13 "$t/drawn" "$t/starts")" ] || wrong "memory.txt lacks $(comm -13 "$t/drawn" "$t/starts" | xargs)"

for d in $(grep -o 'src/[a-z]*' doc/drawings/architecture.txt | sort -u); do
    [ -d "$d" ] || wrong "architecture.txt: there is no $d"
done

# instructions and lanes from the setrpc on, as the kernel runs: `MNEMONIC LANES`, lane 0 first; of vector
# arithmetic all operands, since the two sides differ in them
"$B/ventus" run --threads 8 -k distance -g 8 -l 8 -a buf:i32:8 --trace="$t/trace" test/run/distance.s || exit 1
sed -n 's/^core .* (0x\([0-9a-f]*\)).*/\1/p' "$t/trace" | "$B/ventus" dis >"$t/text"
awk -v text="$t/text" '
    function lanes(hex,    i, k, s, v) {
        for (i = length(hex); i > length(hex) - 2; i--) {
            v = index("0123456789abcdef", substr(hex, i, 1)) - 1
            for (k = 0; k < 4; k++) { s = s v % 2; v = int(v / 2) }
        }
        return s
    }
    BEGIN { mask = "000000ff" }
    /^core/ {
        getline line <text
        split(line, w, " ")
        if (w[1] == "setrpc") on = 1
        if (on) print (w[1] ~ /^v.*\.v/ ? line : w[1]) " " lanes(mask)
        if (w[1] == "vsll.vi") exit
        if (match($0, /current mask:[ \t]*[0-9a-f]*/)) mask = substr($0, RSTART + RLENGTH - 8, 8)
    }' "$t/trace" >"$t/run"
awk '/^text code / { sub(/^[^|]*\| */, ""); split($0, w, " "); line = w[1] ~ /^v.*\.v/ ? $0 : w[1] }
    /^lanes / { print line " " $4 }' doc/drawings/divergence.txt >"$t/drawn"
[ -s "$t/run" ] && cmp -s "$t/run" "$t/drawn" || { wrong 'divergence.txt is not what runs:'; diff "$t/drawn" "$t/run"; }
echo "$n drawings"
exit $bad
