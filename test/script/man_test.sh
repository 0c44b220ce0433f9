#!/bin/sh
# man_test.sh -- every subcommand is listed by the program, has a manual page that ventus.1 names, and every option
# that it lists is in that page.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
bad=0 options=0 headed=0
listed=$("$B/ventus" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | sort)
files=$(for f in tool/cmd_*.c; do basename "$f" .c; done | sed 's/^cmd_//' | sort)
[ "$listed" = "$files" ] || {
    printf 'ventus --help lists:\n%s\nand there are tool/cmd_*.c of:\n%s\n' "$listed" "$files"
    bad=1
}
for c in $files; do
    page=doc/man/ventus-$c.1
    [ -f "$page" ] || { echo "no $page"; bad=1; continue; }
    grep -q "^\.Xr ventus-$c 1" doc/man/ventus.1 || { echo "ventus.1 does not name $c"; bad=1; }
    names=$("$B/ventus" help "$c" | sed -n 's/^ .*--\([a-z][a-z0-9-]*\).*/\1/p')
    [ "$names" ] || { echo "ventus help $c lists no option"; bad=1; }
    for o in $names; do
        options=$((options + 1))
        case $o in
        help | usage) continue ;;
        esac
        # replay's page leaves what it shares to run's
        pages=$page
        [ "$c" = replay ] && pages="$page doc/man/ventus-run.1"
        # shellcheck disable=SC2086
        grep -q -e "Fl -$o\( \|\$\)" $pages || { echo "$page: nothing about --$o"; bad=1; }
    done
done
# the manual has them under the headings of the help
page=doc/man/ventus-run.1
"$B/ventus" help run | awk '/^ [A-Z].*:$/ { heading = substr($0, 2, length - 2); next } !NF { heading = "" }
    heading && match($0, /^ +(-[a-zA-Z], )?--[a-z-]+/) { sub(/^ +(-[a-zA-Z], )?--/, ""); sub(/[^a-z-].*/, ""); print $0 ":" heading }' >"${TMPDIR:-/tmp}/man_test.$$"
while IFS=: read -r o heading; do
    headed=$((headed + 1))
    sed -n "/^\.Ss $heading\$/,/^\.S[sh]/p" $page | grep -q -e "^\.It .*Fl -$o\( \|\$\)" || { echo "$page: not under '$heading': --$o"; bad=1; }
done <"${TMPDIR:-/tmp}/man_test.$$"
rm "${TMPDIR:-/tmp}/man_test.$$"
[ "$headed" -ge 30 ] || { echo "only $headed options of ventus run have a heading"; bad=1; }
# letters and passes of ventus cc, which the program lists by src/cc/passes.def
lists() { "$B/ventus" help cc | sed -n "/^$1/,/^\$/s/^  \([a-z]*\)  .*/\1/p" | sort; }
page=doc/man/ventus-cc.1
passes=$(lists PASS) letters=$(lists LETTERS)
[ "$passes" ] && [ "$passes" = "$(sed -n 's/^\.It Cm \([a-z]*\)$/\1/p' $page | sort)" ] ||
    { printf '%s: its passes are not\n%s\n' $page "$passes"; bad=1; }
[ "$letters" ] && [ "$letters" = "$(sed -n 's/^\.It Sy \([a-z]\)$/\1/p' $page | sort)" ] ||
    { printf '%s: its letters are not\n%s\n' $page "$letters"; bad=1; }
for word in $passes $letters; do
    grep -q "^|.*\`$word\`.*|" doc/debugging.md || { echo "doc/debugging.md: no row names $word"; bad=1; }
done
echo "$options options"
exit $bad
