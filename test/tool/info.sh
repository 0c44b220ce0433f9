# What the build can do, for people and as JSON.
# run: %b/ventus info | grep -c '^profile\|^engine interp\|^machine'
# run: if test -e %b/libventus-jit.so; then n=2; else n=0; fi
# run: test $(%b/ventus info | grep -c '^engine jit\|^engine auto') = $n
# run: %b/ventus info --json | tr -d ' \n' | grep -o '"version":\|"interp"\|"name":"[a-z]*"'
# run: if test -e %b/ventus-cc1; then want=true; else want=false; fi
# run: %b/ventus info --json | grep -c "\"llvm\": $want"

# out:
# 8
# "version":
# "interp"
# "name":"default"
# "name":"documents"
# "name":"rtl"
# 1
# end
