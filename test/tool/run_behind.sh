# What run says of bytes behind a buffer, on its last page, that a kernel has changed: which argument, which byte; nothing
# where --check=bounds looks itself.  And options of -B as words, and files of every kind.
# run: B=%b T=%t sh %s

case $B in /*) ;; *) B=$PWD/$B ;; esac
mkdir -p "$T" && cd "$T" || exit 1
n=0
is() { # WANT GOT WHAT
	n=$((n + 1))
	[ "$1" = "$2" ] || printf '%s: wanted\n%s\ngot\n%s\n' "$3" "$1" "$2"
}
cat >k.s <<'END'
	.kernel put		# a byte at an offset from the buffer
put:	lw	a1, 0(a0)
	lw	a2, 4(a0)
	lw	a3, 8(a0)
	add	a1, a1, a2
	sb	a3, 0(a1)
	ret
END
put() { "$B/ventus" run -g 1 -a "buf:u8:$1" -a "i32:$2" -a "i32:$3" k.s 2>&1; }
for case in 16:16 16:17 16:4095 4095:4095 1:1 5000:5000 5000:8191 8191:8191; do
	size=${case%:*} at=${case#*:}
	is "k.s: warning: argument 0, buf:u8:$size: the kernel wrote behind its end, at byte $at; --check says where" "$(put "$size" "$at" 7)" "$case"
	is '' "$(put "$size" "$at" 0)" "a zero there, $case"
	is '' "$(put "$size" $((size - 1)) 7)" "the last byte of $size"
done
is '' "$(put 4096 4095 7)" 'a whole page'
is '1 1' "$("$B/ventus" run --check=bounds -g 1 -a buf:u8:16 -a i32:16 -a i32:7 k.s >said 2>&1; echo "$? $(grep -c 'error: ' said)")" 'checked'
is 0 "$(grep -c 'wrote behind' said)" 'by the check alone'
sed 's/lw	a1, 0(a0)/lw	a1, 4(a0)/; s/lw	a2, 4(a0)/li	a2, 9/' k.s >second.s
is 'second.s: warning: argument 1, buf:u8:3: the kernel wrote behind its end, at byte 9; --check says where' \
	"$("$B/ventus" run -g 1 -a buf:u8:4096 -a buf:u8:3 -a i32:7 second.s 2>&1)" 'the second'

# files of every kind
want='arg0[0..0]: 3'
printf '\t.kernel f\nf:\tlw a1, 0(a0)\n\tli t0, 3\n\tsw t0, 0(a1)\n\tret\n' >f.s
"$B/ventus" as f.s && "$B/ventus" ld -o f.elf f.o && cp f.elf object.riscv
for f in f.s f.o f.elf object.riscv; do
	is "$want" "$("$B/ventus" run -g 1 -a 'buf:i32:1>-' $f 2>&1)" $f
	is "$want" "$("$B/ventus" run -g 1 -a 'buf:i32:1>-' - <$f 2>&1)" "$f from stdin"
done
: >empty.s
is '2 empty.s: error: it has no kernel: write `.kernel NAME'"'"' before the label where one starts' "$("$B/ventus" run empty.s >said 2>&1; echo "$? $(cat said)")" 'an empty one'
if [ -e "$B/ventus-cc1" ]; then
	printf 'kernel void f(global int *p) { p[0] = A + sizeof(T) - 4; }\n' >f.cl
	while read -r options; do
		is "$want" "$("$B/ventus" run -B "$options" -g 1 -a 'buf:i32:1>-' f.cl 2>&1)" "$options"
	done <<'END'
-DA=3 -D T=int
 -D  A=3   -DT=int
'-DA=1 + 2' "-DT=int"
-DA="2 + 1" -D"T=unsigned int"
-DA=1\ +\ 2 -DT=int
-DT=int -DA=8 -UA -DA=3
-I . -DT=int -DA=3
END
	is '2 build options: error: a quote is not closed' "$("$B/ventus" run -B "-DA='3" f.cl >said 2>&1; echo "$? $(cat said)")" 'a quote'
	for option in -D -U -I -include; do
		is "2 build options: error: '$option' needs a value" "$("$B/ventus" run -B "-w $option '' -DA=3" f.cl >said 2>&1; echo "$? $(cat said)")" "$option of nothing"
	done
	"$B/ventus" cc -DA=3 -DT=int --emit-ir -o f.ir f.cl
	is "$want" "$("$B/ventus" run -g 1 -a 'buf:i32:1>-' f.ir 2>&1)" f.ir
	: >empty.cl
	is '2 empty.cl: error: it has no kernel: write `kernel'"'"' before a function that returns void' "$("$B/ventus" run empty.cl >said 2>&1; echo "$? $(cat said)")" 'an empty one'
fi
[ $n -gt 35 ] || echo "only $n"
cd / && rm -rf "$T"

# out:
# end
