# A program in machine IR that breaks rules, of functions or of data, is refused with a message for each;
# so is one for a profile that has no compiler.
# run: printf 'data @t rodata align 3 size 8 {\n    reloc 6 @t\n}\nkernel @k {\nb0:\n    arg 1 #1\n    ret\n}\n' >%t.ir
# run: %b/ventus cc -c -o %t.no %t.ir 2>&1 | sed 's,.*/,,; s,^[^:]*,FILE,'; test ! -e %t.no
# run: printf 'kernel @k {\nb0:\n    ret\n}\n' >%t.ir; %b/ventus run -g 1 %t.ir; %b/ventus run -p v2025 -g 1 %t.ir 2>&1 | sed 's,.*/,,; s,^[^:]*,FILE,'

# out:
# FILE: error: t: is aligned to 3 bytes
# FILE: error: t: there is no word at 6
# FILE: error: k: b0, 1 (arg): is not piece 0
# FILE: error: k: b0, 1 (arg): is not followed by a call
# FILE: error: there is no compiler for profile v2025
# end
