# Every command lists its options on stdout and succeeds; so do help and --version.
# run: B=%b sh %s

for c in as cc dis objdump ld run replay info; do
	"$B/ventus" $c --help >"$B/help.out" 2>"$B/help.err" || echo "$c --help: status $?"
	[ -s "$B/help.err" ] && echo "$c --help: on stderr"
	sed -n 1p "$B/help.out"
	"$B/ventus" help $c | cmp - "$B/help.out"
	"$B/ventus" $c --usage >/dev/null || echo "$c --usage: status $?"
done
"$B/ventus" --help | grep -c '^  [a-z]'
"$B/ventus" --version | sed 's/[0-9.]*$/N/'
rm -f "$B/help.out" "$B/help.err"

# out:
# Usage: ventus as [OPTION...] FILE.s
# Usage: ventus cc [OPTION...] FILE.cl|FILE.spv
# Usage: ventus dis [OPTION...]
# Usage: ventus objdump [OPTION...] FILE
# Usage: ventus ld [OPTION...] FILE.o...
# Usage: ventus run [OPTION...] FILE
# Usage: ventus replay [OPTION...] X.metadata X.data [Y.metadata Y.data]...
# Usage: ventus info [OPTION...]
# 11
# ventus N
# end
