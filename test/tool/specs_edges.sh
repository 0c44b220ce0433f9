# SPECs at the ends of their ranges: whole numbers of every type, values and vectors as a kernel sees them, structures of the
# largest size, parts that are printed, and what counts as equal.
# run: B=%b T=%t sh %s

cat >"$T.s" <<'END'
	.kernel none
none:	ret
	.kernel copy		# the 64 words of arguments behind the first
copy:	lw	a1, 0(a0)
	li	t1, 64
1:	lw	t0, 4(a0)
	sw	t0, 0(a1)
	addi	a0, a0, 4
	addi	a1, a1, 4
	addi	t1, t1, -1
	bnez	t1, 1b
	ret
END
n=0
is() { # WANT GOT WHAT
	n=$((n + 1))
	[ "$1" = "$2" ] || printf '%s: wanted\n%s\ngot\n%s\n' "$3" "$1" "$2"
}
run() { "$B/ventus" run -k none -g 1 "$@" "$T.s" 2>&1 | sed "s|$T|t|g"; }

# 1. whole numbers: bits, the largest with a sign and one more, the smallest and one less, the largest without and one more
while read -r bits most over least under all beyond; do
	ones=$(echo 0xffffffffffffffff | cut -c 1-$((2 + bits / 4))) sign=$(echo 0x8000000000000000 | cut -c 1-$((2 + bits / 4)))
	i="$most $least $ones:-1 0X$(echo "${ones#0x}" | tr f F):-1 $sign:$least -$sign:$least -0:0 -1 0x0:0 -0x1:-1 00012:12"
	u="$most $over $all $ones:$all $sign:$over -0:0 0x7:7"
	bad="i:$over i:$under i:${ones}f i:-${sign}0 i:-${sign%0}1 u:$beyond u:-1 u:${ones}f u:-0x1"
	for kind in i u; do
		[ $kind = i ] && values=$i || values=$u
		set --
		want=
		for v in $values; do
			set -- "$@" -a "buf:$kind$bits:1=${v%:*}>-"
			want="$want${want:+ }${v#*:}"
		done
		is "$want" "$(run "$@" | sed 's/.*: //' | xargs)" "$kind$bits"
	done
	set --
	want=
	for v in $bad; do
		kind=${v%%:*} v=${v#*:}
		want="$want${want:+
}argument $(($# / 2)):1:$((3 + ${#bits})): error: $v does not fit in $kind$bits"
		set -- "$@" -a "$kind$bits:$v"
	done
	is "$want" "$(run "$@" | grep error)" "beyond $bits bits"
done <<'END'
8 127 128 -128 -129 255 256
16 32767 32768 -32768 -32769 65535 65536
32 2147483647 2147483648 -2147483648 -2147483649 4294967295 4294967296
64 9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 18446744073709551615 18446744073709551616
END
for v in -- - 0x 0xg x1 1x 1.0 1e3 ' 1' +1 1\; 1-; do
	is "argument 0:1:5: error: expected a whole number" "$(run -a "i32:$v" | head -n 1)" "'$v'"
done
for v in 1:x 1=x 1~x 1/x 1\>x; do
	is "argument 0:1:6: error: what follows is not understood" "$(run -a "i32:$v" | head -n 1)" "'$v'"
	is "argument 0:1:8: error: what follows is not understood" "$(run -a "f32:1.5${v#1}" | head -n 1)" "'$v'"
done
# a number too small for its type is no mistake, nor what is read behind it
is 'arg0[0..3]: 0 inf -inf 1e-45 arg2[0..0]: 3' "$(run -a 'buf:f32:4=1e-60,inf,-inf,1e-45>-' -a f64:1e-400 -a 'buf:u8:1=3>-' -a f32:1e-60 -a i32:5 | xargs)" 'too small'
# counts may be hexadecimal, and octal as in C
is 'arg0[0..3]: 9 9 9 9 arg1[0..1]: 9 9 arg2[0..7]: 9 9 9 9 9 9 9 9' "$(run -a 'buf:u8:0x4=9>-' -a 'buf:u8:2=9>-' -a 'buf:u8:010=9>-' | xargs)" counts

# 2. values: in a buffer, which od reads, and as an argument, which begins at a multiple of its size
size_of() { echo "${1#?}" | awk -F x '{ print $1 / 8 * ($2 == 3 ? 4 : $2 ? $2 : 1) }'; }
for t in i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; do
	for lanes in '' x2 x3 x4 x8 x16; do
		size=$(size_of $t$lanes)
		count=${lanes#x}
		count=${count:-1}
		values=$(seq 3 $((2 + count)) | paste -sd, -)
		"$B/ventus" run -k copy -g 1 -a "buf:u8:256>$T.got" -a "$t$lanes:$values" -a "buf:$t$lanes:1=$values>$T.want" "$T.s" || echo "$t$lanes"
		at=$((size > 4 ? size : 4))
		is "$size:$(od -An -v -tx1 "$T.want" | xargs)" "$(wc -c <"$T.want"):$(tail -c +$((at - 3)) "$T.got" | head -c "$size" | od -An -v -tx1 | xargs)" "$t$lanes"
		case $t in i*) form=d ;; u*) form=u ;; f*) form=f ;; esac
		one=$((${t#?} / 8))
		is "$(echo "$values" | tr , ' ')" "$(head -c $((one * count)) "$T.want" | od -An -v -t$form$one | xargs)" "$t$lanes in memory"
		# one value for all
		case $lanes in x[28] | x4 | '') continue ;; esac
		"$B/ventus" run -k copy -g 1 -a "buf:u8:256>$T.got" -a "$t$lanes:5" -a "buf:$t$lanes:1=5>$T.want" "$T.s"
		is "$(od -An -v -tx1 "$T.want" | xargs)" "$(tail -c +$((at - 3)) "$T.got" | head -c "$size" | od -An -v -tx1 | xargs)" "$t$lanes of one value"
	done
done
for lanes in 0 1 5 6 7 9 15 17 32; do
	is 'argument 0:1:5: error: a vector has 2, 3, 4, 8 or 16 components' "$(run -a "u16x$lanes:1" | head -n 1)" "x$lanes"
done
for name in char:i8 uchar:u8 short:i16 ushort:u16 int:i32 uint:u32 long:i64 ulong:u64 float:f32 double:f64; do
	is "argument 0:1:5: error: the type ${name%:*} of OpenCL C is ${name#*:} here" "$(run -a "buf:${name%:*}:4" | head -n 1)" "$name"
done
is "argument 0:1:1: error: a value needs its type, such as i32:-7" "$(run -a -7 | head -n 1)" -7
is "argument 0:1:1: error: a value needs its type, such as f32:2.5" "$(run -a 2.5 | head -n 1)" 2.5

# 3. sizes
is '' "$(run -a "struct:i8:$(seq 4095 | sed 's/.*/1/' | paste -sd, -)/u8:7")" 'a structure of 4096 bytes'
is 'argument 0:1:8206: error: a structure has at most 4096 bytes' "$(run -a "struct:i8:$(seq 4096 | sed 's/.*/1/' | paste -sd, -)/u8:7" | head -n 1)" 'one of 4097'
is '' "$(run -a local:268435456 | grep -v 'local memory$\|^t.s: error: the kernel cannot run')" 'the most local memory'
is 'argument 0:1:7: error: local memory has from 1 byte to 256 MiB' "$(run -a local:268435457 | head -n 1)" 'too much'
is 'argument 0:1:8: error: a buffer has from 1 byte to 2 GiB' "$(run -a buf:u8:2147483649 | head -n 1)" 'too large'
is 'argument 0:1:9: error: a buffer has from 1 byte to 2 GiB' "$(run -a buf:u16:1073741825 | head -n 1)" 'too large'

# 4. parts of a buffer
for part in '0:4:arg0[0..3]: 0 1 2 3' '3:1:arg0[3..3]: 3' '1:2:arg0[1..2]: 1 2' '4:0:' '0:0:' '0x1:0x1:arg0[1..1]: 1'; do
	from=${part%%:*} count=${part#*:}
	is "${count#*:}" "$(run -a "buf:u8:4=iota>-:$from:${count%%:*}")" "$from, ${count%%:*}"
done
for part in 4:1 5:0 0:5 1:4 1:18446744073709551615; do
	is 'argument 0:1:17: error: the buffer has only 4 elements' "$(run -a "buf:u8:4=iota>-:$part" | head -n 1)" "$part"
done

# 5. what is equal: numbers, not bits, and a NaN is a NaN; the tolerance is of the wanted value, if that is above 1
for spec in f32:1=-0==0 f64:1=-0==0 f32:1=nan==-nan f64:1=nan==nan~1 f32:1=inf==inf~1 f64:1=-inf==-inf~0 f64:1=3==2.5~0.2 f64:1=-3==-2.5~0.2 \
	f64:1=0.75==0.5~0.25 f64:1=2==1~1 f32x3:2=1,2,3,1,2,3==1,2,3,1,2,3 i16:2=-1==0xffff f64:2=1,5==1,4~0.25 i8:3=iota==0,1,2; do
	is '' "$(run -a "buf:$spec")" "$spec"
done
for case in 'f32:1=1==nan~9:1, should be nan' 'f32:1=nan==1~9:nan, should be 1' 'f64:1=inf==-inf~9:inf, should be -inf' 'f64:1=7==inf~9:7, should be inf' 'f32:1=-inf==7~9:-inf, should be 7' 'f64:1=3==2.5~0.19:3, should be 2.5' \
	'f64:1=0.75==0.5~0.24:0.75, should be 0.5' 'f64:1=0==-0.5:0, should be -0.5' 'i32:1=0==-1:0, should be -1'; do
	spec=${case%:*}
	is "t.s: error: argument 0: element 0 is ${case##*:}; 1 of 1 differ" "$(run -a "buf:$spec")" "$spec"
done
printf '\1\2\3\4' >"$T.bin"
is '' "$(run -a "buf:u8:4=@$T.bin==1,2,3,4" -a "buf:u8:4=iota==0,1,2,3" -a "buf:u8:4=1,2,3,4==@$T.bin>$T.got")" files
cmp "$T.bin" "$T.got"
printf '\0\0\200\77' >"$T.bin"
is '' "$(run -a "buf:f32:1=1.25==@$T.bin~0.25")" 'a file with a tolerance'
is 't.s: error: argument 0: element 0 is 1.25, should be 1; 1 of 1 differ' "$(run -a "buf:f32:1=1.25==@$T.bin~0.24")" 'a file with a smaller one'
is "argument 0:1:15: error: t.bin has 4 bytes, the buffer 8" "$(run -a "buf:f32:2=1==@$T.bin" | head -n 1)" 'too short'
[ $n -gt 230 ] || echo "only $n"
rm -f "$T.s" "$T.got" "$T.want" "$T.bin"

# out:
# end
