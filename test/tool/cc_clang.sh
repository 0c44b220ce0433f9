# What clang's options do, they do in `ventus cc`: the preprocessor, rules of make, checks, steps.
# skip: ! test -e %b/ventus-cc1
# run: B=%b T=%t sh %s

mkdir -p "$T" && cd "$T" || exit 1
case $B in /*) ;; *) B=$OLDPWD/$B ;; esac
cc() {
    "$B/ventus" cc "$@" 2>err
    status=$?
    sed -n '/^[^ ]*: \(fatal error\|error\|warning\)/p' err
    [ $status = 0 ] || echo "status $status"
}
echo '#define N 4' >h.h
printf '#include "h.h"\n\nkernel void k(global int *p) { p[get_global_id(0)] = N; }\n' >k.cl
# the text, which compiles again to the same words
cc -E k.cl | tee k.i
cc -S k.cl && mv k.s first.s && cc -S k.i && cmp k.s first.s
sed 's/#.*//; /^[[:space:]]*$/d' first.s >first.text
# lines of the source in assembly, which is the same without comments
cc -S -fverbose-asm k.cl && sed 's/#.*//; /^[[:space:]]*$/d' k.s | cmp - first.text && grep -A1 -m1 'k.cl:3' k.s
# a rule, beside the result or alone
cc -MD -o k.elf k.cl && cat k.d
cc -c -MMD -MF rule -MT 'a b' k.cl && cat rule
cc -M -include h.h k.cl
printf 'k.elf:\n\techo compiles\ninclude k.d\n' >Makefile
touch -d '2 hours ago' k.cl h.h && touch -d '1 hour ago' k.elf
MAKEFLAGS='' make -s k.elf
touch h.h
MAKEFLAGS='' make -s k.elf
# only messages
rm k.* first.* rule Makefile
printf 'kernel void k(global int *p) { *p = N }\n' >bad.cl
printf 'kernel void k(global int *p) { int x; *p = N + x; }\n' >warned.cl
cc -fsyntax-only -include h.h bad.cl
cc -fsyntax-only -include h.h warned.cl
cc -fsyntax-only -include none.h warned.cl
ls
# the steps, and the command
cc -w -save-temps -include h.h warned.cl && ls
cc -w '-###' -DX="it's" warned.cl && grep -o "clang -cc1 .* '-DX=it'.''s' " err | sed 's/ .* / ... /'
cc -w -v -include h.h warned.cl && sed -n 's/^[^ ]*clang .*/clang/; s/ .*//p' err
cd / && rm -rf "$T"

# out:
# # 1 "k.cl"
# # 1 "./h.h" 1
# # 2 "k.cl" 2
#
# kernel void k(global int *p) { p[get_global_id(0)] = 4; }
# 	# k.cl:3
# 	#	kernel void k(global int *p) { p[get_global_id(0)] = N; }
# k.elf: k.cl h.h
# a\ b: k.cl h.h
# k.elf: k.cl h.h
# compiles
# bad.cl:1:38: error: expected ';' after expression
# status 2
# warned.cl:1:48: warning: variable 'x' is uninitialized when used here [-Wuninitialized]
# <built-in>:2:10: fatal error: 'none.h' file not found
# status 2
# bad.cl
# err
# h.h
# warned.cl
# bad.cl
# err
# h.h
# warned.cl
# warned.elf
# warned.i
# warned.ir
# warned.ll
# warned.o
# warned.s
# clang ... 
# ventus
# Cache:
