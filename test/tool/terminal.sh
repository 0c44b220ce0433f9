# Messages on a terminal: the place bold, then the kind in its colour, as far as the colon; none where NO_COLOR or a terminal
# that knows no colours says so.
# skip: ! script -qec true /dev/null >/dev/null 2>&1
# run: B=%b T=%t sh %s

case $B in /*) ;; *) B=$PWD/$B ;; esac
mkdir -p "$T" && cd "$T" || exit 1
printf '\t.warning "a"\n\tadd x1, x2, x3\n\tnop x9\n' >a.s
printf 'constant int a = 1;\nconstant float a = 1;\n' >a.cl
on_terminal() { # VARIABLE... -- ARGUMENT...: with escapes as E
	variables=
	while [ "$1" != -- ]; do variables="$variables $1" && shift; done
	shift
	# shellcheck disable=SC2086
	env -u NO_COLOR $variables script -qec "'$B/ventus' $*" /dev/null </dev/null | tr -d '\r' | sed "s/$(printf '\033')/E/g"
}
on_terminal TERM=xterm -- as -o a.o a.s
if [ -e "$B/ventus-cc1" ]; then
	on_terminal TERM=xterm -- cc -o a.elf a.cl | sed -n '/a\.cl/s/E\[0m.*/E[0m/p'
else
	printf 'E[1ma.cl:2:16: E[31merror:E[0m\nE[1ma.cl:1:14: E[36mnote:E[0m\n'
fi
for v in TERM=xterm 'NO_COLOR= TERM=xterm' '-u TERM' TERM=dumb 'NO_COLOR=1 TERM=xterm'; do
	# shellcheck disable=SC2086
	echo "$v: $(on_terminal $v -- run no/such)"
done
cd / && rm -rf "$T"

# out:
# E[1ma.s:1:11: E[35mwarning:E[0m a
#     	.warning "a"
#     	         ^
# E[1ma.s:3:6: E[31merror:E[0m expected the end of the statement, found 'x9'
#     	nop x9
#     	    ^
# E[1ma.cl:2:16: E[31merror:E[0m
# E[1ma.cl:1:14: E[36mnote:E[0m
# TERM=xterm: E[1mno/such: E[31merror:E[0m No such file or directory
# NO_COLOR= TERM=xterm: E[1mno/such: E[31merror:E[0m No such file or directory
# -u TERM: E[1mno/such: E[31merror:E[0m No such file or directory
# TERM=dumb: no/such: error: No such file or directory
# NO_COLOR=1 TERM=xterm: no/such: error: No such file or directory
# end
