# Options of as and ld, what they call their results, what they refuse, and how many mistakes they tell.
# run: B=%b T=%t sh %s

case $B in /*) ;; *) B=$PWD/$B ;; esac
mkdir -p "$T/in" "$T/one" "$T/two" && cd "$T" || exit 1
n=0
is() { # WANT GOT WHAT
	n=$((n + 1))
	[ "$1" = "$2" ] || printf '%s: wanted\n%s\ngot\n%s\n' "$3" "$1" "$2"
}
as() { "$B/ventus" as "$@" 2>&1; }
ld() { "$B/ventus" ld "$@" 2>&1; }
words() { "$B/ventus" objdump -d --no-addresses "$@" | sed -n '/^	[a-z]/p'; }
symbols() { "$B/ventus" objdump -t "$1" | awk '$6 ~ /^v[a-d]$/ { print $6 }' | sort | xargs; }

# 1. as: names of results
printf '\tnop\n' >in/k.x.s
is '' "$(as in/k.x.s)$(as -o out.o in/k.x.s)" 'two results'
is 'in k.x.o one out.o two' "$(ls | xargs)" 'their names'
cmp k.x.o out.o
as -o - in/k.x.s | cmp - k.x.o
as -o in.o - <in/k.x.s && is '	nop' "$(words in.o)" 'of stdin'
is 'ventus as: a text from stdin needs -o' "$(as - <in/k.x.s | head -n 1)" stdin
rm ./*.o
mkdir -p in/d.x && cp in/k.x.s in/d.x/plain && cp in/k.x.s in/.hidden && cp in/k.x.s in/.k.s
is '' "$(as in/d.x/plain)$(as in/.hidden)$(as in/.k.s)" 'without a suffix, and hidden'
is '.hidden.o .k.o in one plain.o two' "$(find . -maxdepth 1 ! -name . | sed 's,^\./,,' | LC_ALL=C sort | xargs)" 'their names'
rm ./*.o ./.*.o
is 1 "$(as --listing - <in/k.x.s | grep -c 'nop$')" 'a listing of stdin'
is 'in one two' "$(ls | xargs)" 'which leaves nothing'
is 1 "$(as --listing in/k.x.s | grep -c 'nop$')" 'a listing'
is 'in k.x.o one two' "$(ls | xargs)" 'with its object'
is 'in/none.s: error: No such file or directory' "$(as --listing in/none.s)" 'no file'

# 2. as: what options do
printf '\tbeqz a0, 1f\n\t.zero 5000\n1:\tret\n' >far.s
is 'j' "$(as -o a.o far.s; words a.o | sed -n 's/^\t\(j\) .*/\1/p' | head -n 1)" 'a branch that is made longer'
is '2 far.s:1:11: error: the target is 5004 bytes away; -4096 to 4094 in steps of 2 can be reached' "$(as --no-relax -o a.o far.s >said; echo "$? $(head -n 1 said)")" 'one that is not'
printf '\tvadd.vv v40, v1, v2\n' >high.s
is 'regext vadd.vv' "$(as -o a.o high.s; words a.o | awk '{ print $1 }' | xargs)" 'a prefix'
is 1 "$(as --no-prefix -o a.o high.s | grep -c 'high.s:1:10: error: ')" 'none'
printf '\tvadd64.vv v2, v4, v6\n' >wide.s
is '2 0' "$(as -o a.o wide.s >said; echo $? "$(as -p v2025 -o a.o wide.s; echo $?)")" 'a profile'
is 'v2025 v202' "$(VENTUS_ISA=v2025 as -o a.o in/k.x.s; "$B/ventus" objdump -h a.o | sed -n '1s/.*, //p') $(as -o a.o in/k.x.s; "$B/ventus" objdump -h a.o | sed -n '1s/.*, //p')" 'the usual one'
is 'line' "$(as -g -o a.o in/k.x.s; "$B/ventus" objdump -h a.o | sed -n 's/.* \.debug_\(line\)$/\1/p')" '-g'
is '' "$(as -o a.o in/k.x.s; "$B/ventus" objdump -h a.o | grep debug)" 'without'
printf '\tli t0, 31\n' >one/x.inc && printf '\tli t0, 32\n' >two/x.inc
printf '\t.include "x.inc"\n' >x.s
is '	li t0, 31' "$(as -I one -I two -o a.o x.s; words a.o)" 'the first directory'
is '	li t0, 32' "$(as -I two -I one -o a.o x.s; words a.o)" 'in their order'
# shellcheck disable=SC2046
is '	li t0, 32' "$(as $(yes -- '-I none' | head -n 62) -I two -o a.o x.s; words a.o)" '63 directories'
# shellcheck disable=SC2046
is 'ventus as: more than 63 directories' "$(as $(yes -- '-I none' | head -n 63) -I two -o a.o x.s | head -n 1)" '64 directories'

# 3. how many mistakes are told
for k in 49 50 51 52 70; do
	yes '	nonsense' | head -n $k >bad.s
	told=$k more=
	[ $k -le 50 ] || told=50 more="note: $k errors in all"
	is "$told $more" "$(as -o a.o bad.s >said; grep -c ': error: ' said) $(grep '^note: ' said)" "$k mistakes"
	yes nonsense | head -n $k | "$B/ventus" dis >/dev/null 2>said
	more=
	[ $k -le 50 ] || more="<stdin>: $((k - 50)) more lines like that"
	is "$told $more" "$(grep -c ': error: ' said) $(grep 'more lines' said)" "$k lines"
done
printf '\tnop\n\0\tnop\n' >nul.s
is '2 nul.s: error: not a text: it has a NUL byte' "$(as -o b.o nul.s >said; echo "$? $(cat said)")" 'a NUL'
is '2 <stdin>: error: not a text: it has a NUL byte' "$(as -o b.o - <nul.s >said; echo "$? $(cat said)")" 'a NUL'
is 'nul.s: error: neither ELF nor a text' "$(ld -o b.o nul.s)" 'a NUL'
is '' "$(ls b.o 2>/dev/null)" 'no result'
for f in x.c x.cpp; do
	: >$f
	is "$f: error: this is a program for the host; kernels are in OpenCL C (.cl)" "$(as -o b.o $f)" "as $f"
	is "$f: error: this is a program for the host; kernels are in OpenCL C (.cl)" "$(ld -o b.o $f)" "ld $f"
done
: >x.cl && : >x.spv
is "x.cl: error: this is OpenCL C; \`ventus cc' compiles it" "$(as -o b.o x.cl)" 'as'
is "x.spv: error: this is SPIR-V; \`ventus cc' compiles it" "$("$B/ventus" objdump x.spv 2>&1)" 'objdump'
is "x.cl: error: this is OpenCL C; \`ventus cc -c' compiles it" "$(ld -o b.o x.cl)" 'ld'

# 4. ld: order, start code, entry, sections that nothing reaches
for f in a b c d; do
	printf '\t.section .text.%s, "ax", @progbits\n\t.globl %s\n%s:\tli t0, %d\n\tret\n' $f $f $f $((0x$f)) >$f.s
	as $f.s
done
printf '\t.kernel k\nk:\tli t1, 1\n\tla t0, a\n\tret\n' >k.s
as k.s
order() { "$B/ventus" objdump -d --no-addresses "$1" | sed -n 's/^\([a-dk]\):$/\1/p' | xargs; }
ld -o e.elf k.o b.o a.o && is 'k b a' "$(order e.elf)" 'the order'
ld -o e.elf a.o b.o k.s && is 'a b k' "$(order e.elf)" 'one that is assembled'
ld -o e.elf k.o a.o - <b.o && is 'k a b' "$(order e.elf)" 'one of stdin'
is '1 0' "$("$B/ventus" objdump -t e.elf | grep -c ' _start$') $(ld --no-crt0 -e k -o f.elf k.o a.o; "$B/ventus" objdump -t f.elf | grep -c ' _start$')" 'the start code'
entry() { "$B/ventus" objdump -h "$1" | sed -n '1s/.*entry //p'; }
at() { "$B/ventus" objdump -t "$1" | awk -v s="$2" '$6 == s { print $1 }'; }
ld --no-crt0 -e b -o f.elf k.o a.o b.o && is "$(at f.elf b)" "$(entry f.elf)" '-e'
is "$(at e.elf _start)" "$(entry e.elf)" 'without'
for f in a b c d; do
	printf '\t.section .data.%s, "aw", @progbits\n\t.globl v%s\nv%s:\t.word %d\n' $f $f $f $((0x$f)) >v$f.s
	as v$f.s
done
printf '\t.kernel k\nk:\tla t0, va\n\tret\n' >u.s
as u.s
data="u.o va.o vb.o vc.o vd.o"
# shellcheck disable=SC2086
{
	ld -o e.elf $data && is 'va vb vc vd' "$(symbols e.elf)" 'without --gc'
	ld --gc -o e.elf $data && is va "$(symbols e.elf)" --gc
	ld --gc -k vc -o e.elf $data && is 'va vc' "$(symbols e.elf)" '-k'
	ld --gc -k vd --keep vb -o e.elf $data && is 'va vb vd' "$(symbols e.elf)" 'twice'
	ld -k vd -o e.elf $data && is 'va vb vc vd' "$(symbols e.elf)" '-k alone'
}
is v2025 "$(VENTUS_ISA=v2025 ld -o e.elf k.o a.o; "$B/ventus" objdump -h e.elf | sed -n '1s/.*image, \([^,]*\),.*/\1/p')" 'objects without a mark'
is 'none.o: error: No such file or directory
2' "$(ld -o g.elf k.o none.o a.o; echo $?)" 'a missing one'
is '' "$(ls g.elf 2>/dev/null)" 'no result'
[ $n -gt 50 ] || echo "only $n"
cd / && rm -rf "$T"

# out:
# end
