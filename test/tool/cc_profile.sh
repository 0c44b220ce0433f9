# The profile to compile for reaches the compiler and its process, which know v202 alone.
# run: printf 'kernel @k {\nb0:\n    ret\n}\n' >%t.ir && echo 'kernel void k(void) { }' >%t.cl
# run: %b/ventus cc --isa v202 -o %t.elf %t.ir && %b/ventus run --isa v202 -k k -g 1 %t.elf
# run: %b/ventus cc --isa v2025 -o %t.no %t.ir 2>&1 | grep -o 'error: .*'
# run: if test -e %b/ventus-cc1; then %b/ventus cc -p v2025+ai -o %t.no %t.cl 2>&1 | grep -o 'error: .*'; else echo 'error: there is no compiler for profile v2025+ai'; fi
# run: test ! -e %t.no

# out:
# error: there is no compiler for profile v2025
# error: there is no compiler for profile v2025+ai
# end
