# What the build can do, for people and as JSON.
# run: %b/ventus info | grep -c '^profile\|^engine interp\|^machine'
# run: if test -e %b/ventus-jit1; then n=2; else n=1; fi
# run: test $(%b/ventus info | grep -c '^engine jit\|^engine auto') = $n
# run: %b/ventus info --json | tr -d ' \n' | grep -o '"version":\|"interp"\|"name":"[a-z]*"'
# run: if test -e %b/ventus-cc1; then want=true; else want=false; fi
# run: %b/ventus info --json | grep -c "\"llvm\": $want\|\"jit\": $want"
# people are told of the same parts
# run: %b/ventus info | sed -n 's/^built in: \([a-z]*\) *yes;.*/\1 true/p; s/^built in: \([a-z]*\) *no;.*/\1 false/p' >%t.parts
# run: %b/ventus info --json | sed -n '/"built_in"/,/}/s/^ *"\([a-z]*\)": \([a-z]*\),*$/\1 \2/p' | diff %t.parts -
# run: test $(wc -l <%t.parts) = 2
# every row of machine.def has a line with a value for each machine
# run: sed -n 's/^PARAMETER(\([a-z_0-9]*\),.*/\1/p' src/mach/machine.def >%t && %b/ventus info >%t.all
# run: while read p; do grep -Eq "^$p +[A-Za-z]+ +[0-9.]+( 2.n)?( +[0-9]+){3,} +[a-z]" %t.all || echo "no line for $p"; done <%t
# run: test $(wc -l <%t) -ge 9
# an empty line between the parts
# run: awk -v RS= -v ORS=' ' '{ print $1 }' %t.all; echo
# run: grep -Eo '^lanes +lanes +4..32 2.n +8 +32 +32 +8' %t.all | tr -s ' '

# out:
# 11
# "version":
# "interp"
# "name":"chisel"
# "name":"default"
# "name":"documents"
# "name":"rtl"
# 2
# ventus profile engine built parameter machine machine machine machine machine machine 
# lanes lanes 4..32 2^n 8 32 32 8
# end
