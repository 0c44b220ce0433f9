# Completion of commands, options, values and files: what the program answers, and what each shell that
# is here makes of it.
# run: B=%b T=%t bash %s
# skip: ! command -v bash

mkdir -p "$T/d"
touch "$T/k.s" "$T/k.cl" "$T/k.txt"
words=("o" "run --tr" "run --engine i" "run --engine=i" "run --vm s" "help r" "dis --" "cc -o" "run --nothing=x")
echo 'the program:'
for w in "${words[@]}"; do
	# shellcheck disable=SC2086
	echo "$w:" $("$B/ventus" complete $w | cut -f1)
done
"$B/ventus" complete run --trace | head -n 1
"$B/ventus" complete as ''
"$B/ventus" complete replay --dump-buffers ''
"$B/ventus" complete ld -o ''
"$B/ventus" complete run --engine = i | cut -f1

echo 'bash:'
. tool/completion.bash
try() {
	COMP_WORDS=("$B/ventus" "$@")
	COMP_CWORD=$#
	_ventus 2>/dev/null
	echo "$*:" $(printf '%s\n' "${COMPREPLY[@]#"$T/"}" | sort) | sed "s|$T|T|"
}
try run --engine i
try as "$T/"
try run "$T/k."
try replay --dump-buffers "$T/"
try ld -o "$T/k.t"

# the other shells must offer the same; what is no word of ours is the shell's own
same() { # SHELL COMMAND...: prints what `ventus WORDS` may become, a line each
	for w in "${words[@]}"; do
		# shellcheck disable=SC2086
		want=$("$B/ventus" complete $w | grep -v '^\.' | cut -f1 | sort)
		got=$("${@:2}" "$w" | sort)
		[ "$want" = "$got" ] || echo "$1, $w: $got"
	done
}
if command -v zsh >/dev/null; then
	cp tool/completion.zsh "$T/_ventus"
	cat >"$T/try" <<'END'
_describe() { print -l -- "${(@)${(@P)2}%%:*}" }
_files() { : }
fpath=($1)
autoload -U _ventus
words=($2/ventus ${=3})
CURRENT=$#words
_ventus
END
	same zsh zsh -f "$T/try" "$T" "$B"
fi
if command -v fish >/dev/null; then
	cat >"$T/try.fish" <<'END'
source tool/completion.fish
complete -C "ventus $argv[1]" | string replace -r '\t.*' ''
END
	HOME=$T PATH=$(cd "$B" && pwd):$PATH same fish fish "$T/try.fish"
fi
rm -rf "$T"

# out:
# the program:
# o: objdump
# run --tr: --trace
# run --engine i: interp
# run --engine=i: --engine=interp
# run --vm s: spike
# help r: run replay
# dis --: --isa --pc --csr-names --raw --help
# cc -o:
# run --nothing=x:
# --trace	A line an instruction, in Spike's commit format
# .files s S asm
# .directories
# .files
# interp
# bash:
# run --engine i: interp
# as T/: d k.s
# run T/k.: k.cl k.s
# replay --dump-buffers T/: d
# ld -o T/k.t: k.txt
# end
