# What -a says that a buffer must hold is compared after the run: exit status 1 and the first difference.
# run: B=%b T=%t sh %s

cat >"$T.s" <<'END'
	.kernel	f
f:	lw	t0, 0(a0)	# floats
	lw	t1, 4(a0)	# words
	lui	t2, 0x3f800
	addi	t3, t2, 16	# 1 + 2^-19
	sw	t2, 0(t0)
	sw	t3, 4(t0)
	li	t4, 7
	sw	t4, 0(t1)
	li	t4, -1
	sw	t4, 4(t1)
	ret
END
n=0
try() { # TITLE FLOATS WORDS
	n=$((n + 1))
	echo "$n: $1"
	"$B/ventus" run -g 1 -a "$2" -a "$3" "$T.s" 2>&1 | sed "s|^$T|t|"
	"$B/ventus" run -g 1 -a "$2" -a "$3" "$T.s" >/dev/null 2>&1 || { echo $?; return; }
	echo 0
}
try 'all as wanted' buf:f32:2==1,0x1.00002p0 buf:i32:2==7,-1
try 'within the tolerance' buf:f32:2==1~1e-5 buf:i32:2==7,-1
try 'a float is off' buf:f32:2==1~1e-7 buf:i32:2==7,-1
try 'words' buf:f32:2 buf:i32:2=5==8,-2
printf '\007\0\0\0\377\377\377\377' >"$T.bin"
try 'a file, and printed all the same' buf:f32:2 "buf:i32:2==@$T.bin>-"
try 'too few values' buf:f32:2 buf:i32:3==7,-1
try 'no tolerance of words' buf:f32:2 buf:i32:2==7,-1~1e-3
try 'a component' buf:f32x2:1==1,2 buf:i32:2
try 'relative to what is large' buf:f32:2==1,-100~1.02 buf:i32:2==7,-1
try 'not to what is small' buf:f32:2==1,-0.5~1.4 buf:i32:2
for t in -1 x inf nan 1x; do
	try "no tolerance: $t" "buf:f32:2==1~$t" buf:i32:2
done
rm -f "$T.s" "$T.bin"

# out:
# 1: all as wanted
# 0
# 2: within the tolerance
# 0
# 3: a float is off
# t.s: error: argument 0: element 1 is 1.0000019, should be 1; 1 of 2 differ
# 1
# 4: words
# t.s: error: argument 1: element 0 is 7, should be 8; 2 of 2 differ
# 1
# 5: a file, and printed all the same
# arg1[0..1]: 7 -1
# 0
# 6: too few values
# argument 1:1:12: error: 2 values for the 3 of the buffer: give one, or all
#     buf:i32:3==7,-1
#                ^
# 2
# 7: no tolerance of words
# argument 1:1:17: error: whole numbers are compared exactly
#     buf:i32:2==7,-1~1e-3
#                     ^
# 2
# 8: a component
# t.s: error: argument 0: element 0, component 1, is 1.0000019, should be 2; 1 of 2 differ
# 1
# 9: relative to what is large
# 0
# 10: not to what is small
# t.s: error: argument 0: element 1 is 1.0000019, should be -0.5; 1 of 2 differ
# 1
# 11: no tolerance: -1
# argument 0:1:14: error: expected a tolerance such as 1e-6
#     buf:f32:2==1~-1
#                  ^
# 2
# 12: no tolerance: x
# argument 0:1:14: error: expected a tolerance such as 1e-6
#     buf:f32:2==1~x
#                  ^
# 2
# 13: no tolerance: inf
# argument 0:1:14: error: expected a tolerance such as 1e-6
#     buf:f32:2==1~inf
#                  ^
# 2
# 14: no tolerance: nan
# argument 0:1:14: error: expected a tolerance such as 1e-6
#     buf:f32:2==1~nan
#                  ^
# 2
# 15: no tolerance: 1x
# argument 0:1:14: error: expected a tolerance such as 1e-6
#     buf:f32:2==1~1x
#                  ^
# 2
# end
