# Mistakes in the file of a sweep: what is said of each, and that its place is the one that an @ marks in the text here.
# run: B=%b T=%t sh %s

n=0
wrong() { # TEXT MESSAGE: of a file, without the braces around it
	n=$((n + 1))
	printf '{%b}' "$1" >"$T.marked"
	sed 's/@//' "$T.marked" >"$T.json"
	want="2 $T.json:$(awk 'at = index($0, "@") { print NR ":" at; exit }' "$T.marked"): error: $2"
	got=$("$B/ventus" sweep --points "$T.json" 2>&1)
	got="$? $(echo "$got" | head -n 1)"
	[ "$got" = "$want" ] || printf '%s\nwanted %s\ngot    %s\n' "$1" "$want" "$got"
}
right() { # TEXT LINES: it has so many points
	n=$((n + 1))
	printf '{%b}' "$1" >"$T.json"
	got=$("$B/ventus" sweep --points "$T.json" 2>&1 | wc -l)
	[ "$got" = "$2" ] || echo "$1: $got points"
}
numbers() { # FIRST LAST: a list
	seq -s, "$1" "$2"
}
w='"workloads": [{"name": "a", "run": ["k.s"]}]'

# names
wrong "$w, @\"Timeout\": 3" "'Timeout' means nothing here; did you mean 'timeout'?"
wrong "$w, @\"schedule\": 3" "'schedule' means nothing here"
wrong "$w, \"plot\": {\"x\": \"lanes\", @\"yy\": 3}" "'yy' means nothing here; did you mean 'y'?"
wrong "\"workloads\": [{\"name\": \"a\\\\\\\\\\\\\"}\", \"run\": [\"[\", \"\\\\\"]\"]}],\t\r\n @\"version\": 3" "'version' means nothing here"
wrong "@\"version\" : [ {} , [[1], 2] ] , $w" "'version' means nothing here"
# texts
wrong "$w, \"engine\": @7" "'engine' is a text"
wrong "$w, \"machine\": @[\"rtl\"]" "'machine' is a text"
wrong "$w, \"machine\": @\"rtl\"" "no machine 'rtl' is built in; see ventus info" | grep -q wanted || echo 'there is a machine rtl'
wrong "$w, \"machine\": @\"none\"" "no machine 'none' is built in; see ventus info"
# parameters
wrong "$w, \"parameters\": @[8]" "'parameters' is an object: names of machine parameters with lists of values"
wrong "$w, \"parameters\": {\"warps\": [8], \"lanes\": @[]}" "'lanes' is a list of values: [16, 32]"
wrong "$w, \"parameters\": {\"warps\": [8], \"lanes\": @\"8\"}" "'lanes' is a list of values: [16, 32]"
for v in 3 2 12 64 -8 8.5 '"8"' true null; do
	wrong "$w, \"parameters\": {\"warps\": [ 1,5 ], \"lanes\": [4, 32\n, @$v, 8]}" 'lanes is a power of two from 4 to 32'
done
for v in 0 -1 65537 4294967297 '[1]'; do
	wrong "$w, \"parameters\": {\"lanes\": [8], \"warps\": [1, 65536, @$v]}" 'warps is a number from 1 to 65536'
done
right "$w, \"parameters\": {\"lanes\": [4, 8, 16, 32], \"warps\": [1, 3, 65536], \"lds\": [0, 268435456]}" 24
ten=$(numbers 1 10) sixty=$(numbers 1 60)
many="\"warps\": [$sixty], \"slots\": [$sixty], \"sgprs\": [$sixty]"
wrong "$w, \"parameters\": @{$many, \"vgprs\": [$(numbers 1 47)]}" 'these are more than ten million points'
right "$w, \"parameters\": {\"warps\": [$ten], \"slots\": [$ten], \"sgprs\": [$ten]}" 1000
# the bounds of every one, and most of them together
"$B/ventus" info | awk '/^parameter/ { on = 1; next } !$1 { on = 0 } on { sub(/\.\./, " ", $3); print $1, $3, $4 }' >"$T.all"
while read -r name least most kind; do
	of=number
	[ "$kind" != '2^n' ] || of='power of two'
	right "$w, \"parameters\": {\"$name\": [$least, $most]}" 2
	for v in $((least - 1)) $((most + 1)); do
		wrong "$w, \"parameters\": {\"$name\": [@$v]}" "$name is a $of from $least to $most"
	done
done <"$T.all"
some=$(sed -n '1,31s/^\([^ ]*\) \([0-9]*\).*/"\1": [\2],/p' "$T.all")
right "$w, \"parameters\": {${some%,}}" 1
wrong "$w, \"parameters\": {$(echo $some) @\"$(sed -n '32s/ .*//p' "$T.all")\": [8]}" 'more than 31 parameters'
# workloads
wrong '"workloads": @7' "'workloads' is a list of at least one workload"
wrong '"workloads": @[ ]' "'workloads' is a list of at least one workload"
wrong '"workloads": [@"k.s"]' 'a workload is an object: {"name": ..., "run": [...]}'
wrong '"workloads": [{"name": "a", "run": ["k.s"]}, @{"run": ["k.s"]}]' "a workload has a 'name', a text"
wrong '"workloads": [{"name": "a", "run": ["k.s"]},\n@{"name": 7, "run": ["k.s"]}]' "a workload has a 'name', a text"
wrong '"workloads": [{"name": "b", "program": ["k"]}, @{"name": "a"}]' "a workload is one of 'run', 'replay' and 'program'"
wrong '"workloads": [@{"name": "a", "run": ["k"], "program": ["k"]}]' "a workload is one of 'run', 'replay' and 'program'"
wrong '"workloads": [@{"name": "a", "replay": ["k"], "run": ["k"]}]' "a workload is one of 'run', 'replay' and 'program'"
for kind in run replay program; do
	wrong "\"workloads\": [{\"name\": \"$kind\", \"$kind\": @[]}]" "'$kind' is a list of texts, the arguments of a command"
	wrong "\"workloads\": [{\"$kind\": @\"k.s\", \"name\": \"a\"}]" "'$kind' is a list of texts, the arguments of a command"
	wrong "\"workloads\": [{\"$kind\": [\"k.s\", \"7\", @7], \"name\": \"a\"}]" 'an argument is a text, in quotes'
	right "\"workloads\": [{\"$kind\": [\"k.s\"], \"name\": \"a\"}]" 1
done
a='{"name": "a", "run": ["k"]}' b='{"name": "b", "replay": ["k"]}'
wrong "\"workloads\": [$b, $a, @$a]" "another workload has the name 'a'"
wrong "\"workloads\": [$b, $a, @$b]" "another workload has the name 'b'"
right "\"workloads\": [$b, $a]" 2
# reports
wrong "$w, \"columns\": @{\"cycles\": 1}" "'columns' is a list of names of --stats=json"
such='a column is a name of --stats=json, such as "slots.icache"; at most 32'
wrong "$w, \"columns\": [\"insns\", @7]" "$such"
wrong "$w, \"columns\": [$(numbers 10 41 | sed 's/[0-9]*/"&"/g'), @\"one\"]" "$such"
right "$w, \"columns\": [$(numbers 10 41 | sed 's/[0-9]*/"&"/g')]" 1
wrong "$w, \"plot\": @\"lanes\"" "'plot' is an object: {\"x\": PARAMETER, \"y\": COLUMN}"
wrong "$w, \"plot\": {\"y\": \"insns\", \"x\": @\"lanes\"}" "'lanes' is not swept"
wrong "$w, \"parameters\": {\"lanes\": [4], \"warps\": [4]}, \"plot\": {\"x\": @\"warp\"}" "'warp' is not swept; did you mean 'warps'?"
right "$w, \"parameters\": {\"lanes\": [4], \"warps\": [4]}, \"plot\": {\"x\": \"warps\", \"y\": \"insns\"}" 1
for v in 0 -1 '"1"' false null; do
	wrong "$w, \"timeout\": @$v" "'timeout' is a number of seconds"
done
right "$w, \"timeout\": 0.5" 1
# no JSON
wrong "$w, @\"timeout\" 3" "':' expected near '3'" | grep -q ":1:5[0-9]: error: ':' expected near '3'" || echo 'no colon'
printf '{%s}\0' "$w" >"$T.json"
"$B/ventus" sweep --points "$T.json" 2>&1 | grep -q 'error: a zero byte is no JSON$' || echo 'a zero byte'
"$B/ventus" sweep "$T.none" 2>&1 | sed "s|$T|t|"
"$B/ventus" sweep 2>&1 | head -n 1
"$B/ventus" sweep "$T.json" "$T.json" 2>&1 | sed "s|$T|t|" | head -n 1
"$B/ventus" sweep -j 257 "$T.json" 2>&1 | head -n 1
[ $n -gt 200 ] || echo "only $n"
rm -f "$T.json" "$T.marked" "$T.all"

# out:
# t.none: error: No such file or directory
# ventus sweep: no file
# ventus sweep: one file at a time; 't.json' is one too many
# ventus sweep: -j: '257' is not a number from 0 to 256
# end
