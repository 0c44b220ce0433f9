# What the build can do, for people and as JSON.
# run: %b/ventus info | grep -c '^profile\|^engine\|^machine'
# run: %b/ventus info --json | tr -d ' \n' | grep -o '"version":\|"interp"\|"llvm":[a-z]*\|"name":"[a-z]*"'

# out:
# 8
# "version":
# "interp"
# "llvm":false
# "name":"default"
# "name":"documents"
# "name":"rtl"
# end
