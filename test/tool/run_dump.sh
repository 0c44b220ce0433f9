# What VENTUS_DUMP asks for of OpenCL C, shown on stderr beside what the launch prints.
# run: B=%b T=%t sh %s

[ -e "$B/ventus-cc1" ] || { echo 'no compiler built in'; exit 77; }
printf 'kernel void seven(global int *o) { o[get_global_id(0)] = 7; }\n' >"$T.cl"
run() { "$B/ventus" run -g 4 -l 4 -a 'buf:i32:4>-' "$T.cl"; }
echo assembly:
VENTUS_DUMP=m run 2>"$T.err"
grep -c "^	\.kernel seven$" "$T.err"
echo nothing:
VENTUS_DUMP= run
echo no such letter:
VENTUS_DUMP=q run 2>&1 | sed 's/;.*//'
rm -f "$T.cl" "$T.err"

# out:
# assembly:
# arg0[0..3]: 7 7 7 7
# 1
# nothing:
# arg0[0..3]: 7 7 7 7
# no such letter:
# error: 'q' in 'q' (-d, VENTUS_DUMP) names no view of the compiler
# end
