# What cc leaves where: names of results and rules, with characters that make and shells mind; passes that are turned off,
# levels of machine IR and what it cannot become.
# skip: ! test -e %b/ventus-cc1
# run: B=%b T=%t sh %s

case $B in /*) ;; *) B=$PWD/$B ;; esac
mkdir -p "$T/a.b/c d" && cd "$T" || exit 1
n=0
is() { # WANT GOT WHAT
	n=$((n + 1))
	[ "$1" = "$2" ] || printf '%s: wanted\n%s\ngot\n%s\n' "$3" "$1" "$2"
}
cc() { "$B/ventus" cc "$@" 2>&1; }
made() { find . -newer mark -type f | sed 's|^\./||' | LC_ALL=C sort | xargs -d '\n' echo; } # since the last mark
mark() { touch -d '1 minute ago' mark && find . -type f ! -name mark -exec touch -d '1 hour ago' {} +; }

# 1. results have the name of the source, here
cat >'a.b/k.x.cl' <<'END'
#ifndef N
#define N 2
#endif
kernel void k(global int *p, int n)
{
    int i = get_global_id(0), s = 0;
    for (int j = 0; j < n; j++)
        s += p[j * N] * (j & i);
    p[i] = s;
}
END
for form in '.elf:' '.o:-c' '.s:-S' '.ll:--emit-llvm' '.ir:--emit-ir'; do
	mark
	is '' "$(cc ${form#*:} a.b/k.x.cl)" "$form"
	is "k.x${form%%:*}" "$(made)" "$form"
done
mark
cc -E a.b/k.x.cl >text
is text "$(made)" '-E goes to stdout'
cc -E -o out.i a.b/k.x.cl && cmp text out.i
mark
is '' "$(cc -fsyntax-only a.b/k.x.cl)$(cc -fsyntax-only -o x a.b/k.x.cl)" 'only checked'
is '' "$(made)" 'only checked'
for take in '-D N=3' '-DN=3' '-D N=5 -U N -D N=3' '-include n.h'; do
	echo '#define N 3' >n.h
	# shellcheck disable=SC2086
	is 1 "$(cc $take -E -o - a.b/k.x.cl | grep -c 'p\[j \* 3\]')" "$take"
done
is 1 "$(cc -DN=7 -U N -E a.b/k.x.cl | grep -c 'p\[j \* 2\]')" '-U'
is 'ventus cc: a text from stdin needs -o' "$(cc - <a.b/k.x.cl | head -n 1)" stdin
is 1 "$(cc -E - <a.b/k.x.cl | grep -c 'p\[j \* 2\]')" 'stdin to stdout'
cc -c -o in.o - <a.b/k.x.cl && cc -c -o k.o a.b/k.x.cl
is "$("$B/ventus" objdump -d k.o | sed 1d)" "$("$B/ventus" objdump -d in.o | sed 1d)" 'the same code of stdin'
echo 'int f(int x) { return x; }' >none.cl
is "none.cl: warning: there is no kernel: write \`kernel' before a function that returns void" "$(cc none.cl)" 'no kernel'
is '' "$(cc -c none.cl)$(cc -S -o /dev/null none.cl)" 'an object needs none'

# 2. rules
cp a.b/k.x.cl 'a.b/c d/o#1 $x.cl'
rule() { # FILE WANT OPTION...: the rule in FILE, without the directories of headers
	file=$1 want=$2
	shift 2
	rm -f "$file"
	cc "$@" || echo "$*: $?"
	is "$want" "$(cat "$file")" "$*"
}
name='a.b/c\ d/o\#1\ $$x.cl'
rule 'o#1 $x.d' "o\\#1\\ \$\$x.elf: $name" -MD 'a.b/c d/o#1 $x.cl'
rule 'a.b/c d/r.d' "a.b/c\\ d/r.o: $name" -c -MD -o 'a.b/c d/r.o' 'a.b/c d/o#1 $x.cl'
rule 'a.b/r.d' "a.b/r: $name" -MMD -o a.b/r 'a.b/c d/o#1 $x.cl'
rule 'a.b/.r.d' "a.b/.r.y: $name" -MD -o a.b/.r.y 'a.b/c d/o#1 $x.cl'
rule 'its rule' 't: a.b/k.x.cl n.h' -MD -MF 'its rule' -MT t -o r.elf -include n.h a.b/k.x.cl
rule k.x.d 'q\ q$$: a.b/k.x.cl' -MD -MQ 'q q$' a.b/k.x.cl
rule r.mk 'k.x.elf: a.b/k.x.cl' -M -o r.mk a.b/k.x.cl
rule r.mk 'z: a.b/k.x.cl' -MM -MT z -MF r.mk a.b/k.x.cl
is 'k.x.elf: a.b/k.x.cl' "$(cc -M a.b/k.x.cl)" '-M'
mark
is 'no.cl: error: No such file or directory' "$(cc -MD no.cl)" 'no source'
is 'not one' "$(made)not one" 'and no rule'
# make reads such names as we write them
printf 'all: o\\#1\\ $$$$x.elf\n\t@:\ninclude o\\#1\\ $$x.d\n' >Makefile
is 1 "$(MAKEFLAGS='' make -pnq 2>/dev/null | grep -c '^o#1 \$x.elf: a.b/c d/o#1 \$x.cl$\|^o\\#1\\ \$x.elf: a.b/c\\ d/o\\#1\\ \$x.cl$')" make

# 3. passes that are turned off, one and several
off() { cc -w -S -o - -O2 "$@" a.b/k.x.cl; }
passes=$("$B/ventus" cc --help | sed -n '/^PASS of/,$s/^  \([a-z]*\)  .*/\1/p' | xargs)
is 'fold sched tidy' "$(for p in fold sched tidy; do case " $passes " in *" $p "*) echo $p ;; esac; done | xargs)" 'some passes'
off >with
all=
for p in $passes; do
	off -f no-$p >off.s || cat off.s
	all="$all -f no-$p"
	case $p in sched | fold) cmp -s with off.s && echo "$p does nothing" ;; esac
done
off -f no-sched >one && off -f no-fold >other && off -f no-fold -f no-sched >both
is '1 1 1' "$(for f in one other with; do cmp -s both $f; echo $?; done | xargs)" 'two passes'
off -f no-sched -f no-fold | cmp - both
off $all >off.s || cat off.s
is "ventus cc: -f sched: passes are turned off with -f no-PASS" "$(cc -f sched k.cl | head -n 1)" 'on'
is "ventus cc: -f no-alloc: no pass of that name can be turned off" "$(cc -f no-alloc k.cl | head -n 1)" 'an unknown one'

# 4. machine IR: of level 2, if no other is said
cc --emit-ir -o k.ir a.b/k.x.cl
for level in 0 1 2 3; do
	cc -S -O$level -o level$level.s k.ir
done
cc -S -o level.s k.ir && cmp level.s level2.s
cmp -s level0.s level2.s && echo 'level 0 is level 2'
cc -S -f no-sched -O2 -o off.s k.ir && cmp -s level2.s off.s && echo 'nothing is off'
cc -c -o level.o k.ir && cc -o level.elf k.ir
is 'k k' "$(for f in level.o level.elf; do "$B/ventus" objdump -t $f | sed -n 's/.* k$/k/p'; done | xargs)" 'an object and an image'
for o in -E --emit-llvm --emit-ir -M -fsyntax-only; do
	is '2 k.ir: error: machine IR cannot become that' "$(cc $o k.ir >said; echo "$? $(cat said)")" "$o"
done
for view in "i o u d p l r m"; do
	for letter in $view; do
		cc -d $letter -o /dev/null k.ir >shown
		[ -s shown ] || echo "-d $letter shows nothing"
	done
done
[ $n -gt 40 ] || echo "only $n"
cd / && rm -rf "$T"

# out:
# end
