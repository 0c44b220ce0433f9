# Completion of commands, options and files.
# run: B=%b bash %s
# skip: ! command -v bash

. tool/completion.bash
try() {
	COMP_WORDS=("$B/ventus" "$@")
	COMP_CWORD=$#
	_ventus 2>/dev/null
	echo "$*:" $(printf '%s\n' "${COMPREPLY[@]}" | sort)
}
try o
try run --tr
try run --engine i
try dis --
try as test/golden/is
try replay --dump

# out:
# o: objdump
# run --tr: --trace
# run --engine i: interp
# dis --: --csr-names --help --isa --pc --raw --usage
# as test/golden/is:
# replay --dump: --dump-buffers --dump-buffers
# end
