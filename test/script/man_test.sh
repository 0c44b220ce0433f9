#!/bin/sh
# man_test.sh -- every option that a command lists is in its manual page, and every page is
# named by ventus.1.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
bad=0
for c in $("$B/ventus" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    page=doc/man/ventus-$c.1
    [ -f "$page" ] || { echo "no $page"; bad=1; continue; }
    grep -q "^\.Xr ventus-$c 1" doc/man/ventus.1 || { echo "ventus.1 does not name $c"; bad=1; }
    for o in $("$B/ventus" help "$c" | sed -n 's/^ .*--\([a-z][a-z0-9-]*\).*/\1/p'); do
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
exit $bad
